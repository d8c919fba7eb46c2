"""The tour runs, checks its numbers and leaves the IR of every step."""

from dataclasses import replace
from pathlib import Path

import pytest

from kc import demo


def test_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert demo.main(["--size", "64", "--length", "1000", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    for program in (demo.vector_add(1000), demo.matmul(64)):
        assert program.name in printed
        for step in program.steps:
            assert f"\n  {step.name} " in printed
            assert step.reason in printed
    written = {file.name for file in tmp_path.iterdir()}
    assert len(written) == 4 * (3 + 6)
    assert (
        "tir.for %j_i in 32 vectorized {" in (tmp_path / "matrix_product_permuted.tir").read_text()
    )
    assert "vector<32xf32>" in (tmp_path / "matrix_product_permuted.mlir").read_text()


def test_a_wrong_result_ends_the_demo(tmp_path: Path):
    program = demo.vector_add(100)
    wrong = demo.Program(
        program.name,
        program.steps,
        program.arrays,
        lambda args: args[0] - args[1],
        program.numpy,
        program.work,
        program.bytes,
        program.tolerance,
    )
    with pytest.raises(SystemExit, match="wrong by"):
        demo.measure(wrong.steps[0], wrong, tmp_path)


def test_repeats_fit_the_budget(tmp_path: Path):
    program, runs = demo.vector_add(100), []
    counted = replace(program, numpy=lambda args: runs.append(1))
    demo.measure(program.steps[0], counted, tmp_path, budget=0.0)
    assert len(runs) == 3  # numpy's; ours is the first call
    demo.measure(program.steps[0], counted, tmp_path, budget=60.0)
    assert len(runs) == 3 + 12


def test_bytes_and_operations_of_a_row():
    program = demo.matmul(1000)
    row = demo.Row(program.steps[0], build=0.5, run=0.25, numpy=0.5)
    assert demo.line(row, program) == (
        "  default        500 ms   250.000 ms      8.00    0.05  500.000 ms   2.000"
        "  three loops as written, B read down its columns"
    )
