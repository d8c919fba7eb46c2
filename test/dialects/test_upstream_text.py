"""mlir-opt reads what kc prints of upstream's dialects, and kc what mlir-opt prints."""

import subprocess
from pathlib import Path

import optional_tools
import pytest

import kc

FILES = sorted((Path(__file__).parent / "upstream").glob("*.mlir"))
SPLIT = "// -----\n"


MLIR_OPT = optional_tools.find("mlir-opt") or ""


@pytest.mark.skipif(not MLIR_OPT, reason="needs mlir-opt")
def test_both_ways():
    texts = [file.read_text() for file in FILES]
    ours = [
        str(kc.IRModule.parse(text, str(file))) for file, text in zip(FILES, texts, strict=True)
    ]
    for given in (SPLIT.join(ours), SPLIT.join(texts)):
        run = subprocess.run(
            [MLIR_OPT, "-split-input-file", "-"],
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.stderr == ""
        theirs = run.stdout.split(SPLIT)
        assert len(theirs) == len(FILES)
        for text, printed in zip(ours, theirs, strict=True):
            again = str(kc.IRModule.parse(printed))
            assert len(again.splitlines()) == len(text.splitlines())
