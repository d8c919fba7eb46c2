"""Programs at the edges of the rules of raising compute what MLIR's own lowering of them does."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from optional_tools import find
from property_tests import is_sweep

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "Inputs" / "raising"


@pytest.mark.skipif(find("mlir-opt") is None, reason="needs mlir-opt")
@pytest.mark.slow
def test_edges_of_the_rules(tmp_path: Path):
    """All programs in a sweep, else one in eight; a private function is another one's callee."""
    log = tmp_path / "log.jsonl"
    every = 1 if is_sweep() else 8
    done = subprocess.run(
        [
            sys.executable,
            ROOT / "scripts/upstream_corpus.py",
            FOLDER,
            "--compare",
            f"--every={every}",
            f"--out={log}",
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    functions = len(re.findall("func.func ", (FOLDER / "edges.mlir").read_text()))
    rows = [json.loads(line)[1:4] for line in log.read_text().splitlines()]
    assert len(rows) == len(range(0, functions, every)) > 10
    assert [row for row in rows if row[1] != "equal"] == []
