"""The gpu dialect reads what mlir-opt prints, prints what mlir-opt reads, and they agree."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from optional_tools import find

import kc
from kc.support.ir_text import print_module

FILES = sorted(
    path for path in Path(__file__).parent.glob("*.mlir") if not path.stem.endswith("_invalid")
)
MLIR_OPT = find("mlir-opt")


def mlir_opt(text: str, *flags: str) -> str:
    assert MLIR_OPT is not None
    # kc.name and its like are attributes of a dialect that MLIR does not have.
    command = [MLIR_OPT, "--allow-unregistered-dialect", *flags]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_our_text_round_trips(file: Path):
    module = kc.IRModule.parse(file.read_text())
    assert str(kc.IRModule.parse(str(module))) == str(module)
    generic = print_module(module.op, generic=True)
    assert str(kc.IRModule.parse(generic)) == str(module)


@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_mlir_agrees(file: Path):
    """Each text is read by the other side as the same module: its generic form is compared."""
    text = file.read_text()
    expected = mlir_opt(text, "--mlir-print-op-generic")
    module = kc.IRModule.parse(text)
    for ours in (str(module), print_module(module.op, generic=True)):
        assert mlir_opt(ours, "--mlir-print-op-generic") == expected
    for theirs in (mlir_opt(text), expected):
        read = kc.IRModule.parse(theirs)
        assert mlir_opt(str(read), "--mlir-print-op-generic") == expected
