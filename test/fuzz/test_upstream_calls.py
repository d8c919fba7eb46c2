"""Functions called in MLIR's lowering and in kc's: equal, different, or without a result."""

import subprocess
import sys
from pathlib import Path

import pytest
from optional_tools import find

ROOT = Path(__file__).parents[2]
TEXTS = """
func.func @sum(%A: memref<?xf32>, %v: vector<3xi1>, %t: tensor<?x2xf32>, %i: index)
    -> (tensor<?x2xf32>, vector<3xi1>, f32) {
  %x = memref.load %A[%i] : memref<?xf32>
  %r = arith.addf %t, %t : tensor<?x2xf32>
  memref.store %x, %A[%i] : memref<?xf32>
  return %r, %v, %x : tensor<?x2xf32>, vector<3xi1>, f32
}
// -----
func.func @poison(%v: vector<4xf32>) -> f32 {
  %x = vector.extract %v[-1] : f32 from vector<4xf32>
  return %x : f32
}
// -----
func.func @shift() -> i64 {
  %a = arith.constant 8 : i64
  %b = arith.constant -32 : i64
  %r = arith.shrsi %a, %b : i64
  return %r : i64
}
// -----
func.func @narrow(%x: f32) -> f32 {
  %a = arith.truncf %x fastmath<contract> : f32 to bf16
  %b = arith.extf %a fastmath<contract> : bf16 to f32
  return %b : f32
}
"""


@pytest.mark.skipif(find("mlir-opt") is None, reason="needs mlir-opt")
@pytest.mark.slow
def test_functions_of_a_folder(tmp_path: Path):
    """MLIR leaves out the conversions that ``contract`` allows it to: there results differ."""
    (tmp_path / "functions.mlir").write_text(TEXTS)
    log = tmp_path / "log.jsonl"
    done = subprocess.run(
        [
            sys.executable,
            ROOT / "scripts/upstream_corpus.py",
            tmp_path,
            "--compare",
            f"--out={log}",
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert "4 functions, 4 valid, 4 counted" in done.stdout
    rows = [line.split('", "')[1:3] for line in log.read_text().splitlines()]
    assert rows == [
        ["@sum", "equal"],
        ["@poison", "undefined"],
        ["@shift", "undefined"],
        ["@narrow", "differ"],
    ]
