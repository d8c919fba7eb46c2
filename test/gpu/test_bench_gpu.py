"""`make bench-gpu` runs to its end in the emulator, and checks what it measures."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import kc
from kc.runtime.gpu import driver
from kc.support.diagnostics import diagnostic_handler

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import gpu as bench_gpu  # noqa: E402


@pytest.fixture
def restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the environment variables that the program sets."""
    monkeypatch.setenv("KC_CUDA", "emu")


SLICE = ("copy", "softmax", "gemm", "launch")


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [SLICE, pytest.param(bench_gpu.NAMES, marks=pytest.mark.sweep)],
    ids=["some of it", "all of it"],
)
def test_it_runs_in_the_emulator(
    names: tuple[str, ...],
    restored: None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    file = tmp_path / "results.json"
    with diagnostic_handler(lambda _: None):
        assert bench_gpu.main(["--emu", f"--only={','.join(names)}", f"--out={file}"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("EMULATED: its numbers say nothing of a GPU; the emulator, on this CPU")
    result = json.loads(file.read_text())
    assert result["emulated"] is True
    products = {f"product of {element}": limit for element, *_, limit in bench_gpu.TENSOR_CORES}
    rows = [products if name == "tensor_cores" else [name] for name in names]
    assert [row["name"] for row in result["rows"]] == [name for row in rows for name in row]
    for row in result["rows"]:
        assert row["name"] in said
        assert row["best"] in row["seconds"]
        for times in row["seconds"].values():
            assert len(times) == bench_gpu.EMULATED.repeats
            assert min(times) > 0
        if row["name"] in products:
            assert 0 <= row["error"] < products[row["name"]]
        elif row["name"] == "attention":
            assert set(row["seconds"]) == {"kc, default", "kc, online softmax by hand"}
            assert 0 < row["error"] < 2e-3
        elif row["name"] not in ("copy", "launch"):
            assert 0 < row["error"] < 1e-5


def test_wrong_results_end_it(restored: None):
    bench = bench_gpu.Bench(bench_gpu.EMULATED, "cuda -arch=sm_90")
    row = bench_gpu.Row("add", "4", 0.0, "")
    for wrong in (np.nan, 2.0):
        with pytest.raises(SystemExit, match="add 4: wrong, by "):
            bench.check(row, np.full(4, wrong), np.ones(4), 1e-5)
    output = bench.empty(3)
    assert np.isnan(output.numpy()).all()


def test_without_a_gpu(no_driver: None, capsys: pytest.CaptureFixture[str]):
    assert bench_gpu.main([]) == 0
    assert capsys.readouterr().out == (
        "no GPU: nothing is measured (--emu shows that the program works)\n"
        "  cuda-bindings: it is not installed\n"
        "  the driver's library: libcuda.so.1 is not found\n"
        "  pycuda: it is not installed\n"
    )
    assert bench_gpu.main(["--require"]) == 1


def test_the_table():
    """Rates are seen beside the copy and torch."""
    driver.forget()
    bench = bench_gpu.Bench.__new__(bench_gpu.Bench)
    bench.rows = [
        bench_gpu.Row("copy", "1", 2e9, "bytes", {"driver": [1e-3, 2e-3, 1e-3]}),
        bench_gpu.Row("add", "1", 3e9, "bytes", {"kc": [2e-3], "torch": [3e-3]}, 1e-8),
        bench_gpu.Row("gemm", "1", 4e12, "operations", {"kc": [0.5]}),
    ]
    assert bench_gpu.told(bench) == [
        "copy, 1",
        "  driver                         1000.00 us  +- 50 %      2000.0 GB/s    1.00 of the copy",
        "add, 1: error 1.0e-08",
        "  kc                             2000.00 us  +-  0 %      1500.0 GB/s    0.75 of the copy"
        "    1.50 of torch",
        "  torch                          3000.00 us  +-  0 %      1000.0 GB/s    0.50 of the copy",
        "gemm, 1",
        "  kc                           500000.00 us  +-  0 %        8.00 TFLOP/s",
    ]
    assert bench.rows[1].best() == "kc"
    assert kc.cuda(0).device_type == 2
