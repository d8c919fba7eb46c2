"""The tour runs, checks its numbers and leaves the IR of every step."""

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
        program.tolerance,
    )
    with pytest.raises(SystemExit, match="wrong by"):
        demo.measure(wrong.steps[0], wrong, tmp_path)
