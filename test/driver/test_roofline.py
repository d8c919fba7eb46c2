"""kc.roofline: bounds by hand, ceilings that are kept, and what kc-run shows of them."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

import kc
from kc import te
from kc.analysis.cost import estimate
from kc.analysis.loop_tree import functions
from kc.error import KCError
from kc.roofline_model import Ceilings, Roofline, beside_roof, ceilings, plot
from kc.runtime.parallel import num_threads
from kc.target import Target
from kc.tools.kc_run import main

LIMITS = Ceilings(
    threads=2,
    flops={"float32": 100e9, "float64": 50e9},
    bandwidths={"L1": 400e9, "L2": 200e9, "L3": 100e9, "memory": 10e9},
    sizes={"L1": 1 << 15, "L2": 1 << 20, "L3": 1 << 23},
)


def copies(n: int, seconds: float) -> Roofline:
    """Twice each of n numbers."""
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] * 2.0, name="B")
    (function,) = functions(kc.lower(te.create_schedule(B.op), [A, B]).op)
    return Roofline(
        "main", "float32", estimate(function, list(LIMITS.sizes.values())), seconds, LIMITS
    )


def test_what_does_not_fit_is_moved():
    n = 1 << 22  # two arrays of 16 MiB each
    line = copies(n, 8e-3)
    assert line.moved == {"L2": 8 * n, "L3": 8 * n, "memory": 8 * n}
    assert line.bounds == pytest.approx(
        {
            "arithmetic": n / 100e9,
            "L2": 8 * n / 200e9,
            "L3": 8 * n / 100e9,
            "memory": 8 * n / 10e9,
        }
    )
    assert line.bound == "memory"
    assert line.fraction == pytest.approx(8 * n / 10e9 / 8e-3)
    assert line.lines() == [
        "524.3 MFLOP/s, 3.906 GiB/s from L2, 3.906 GiB/s from L3, 3.906 GiB/s from memory",
        "bound by memory, 9.313 GiB/s with 2 threads: 42% of what this machine does",
    ]


def test_what_fits_stays():
    line = copies(1 << 11, 1e-6)  # two arrays of 8 KiB each
    assert line.moved == {}
    assert line.bound == "arithmetic"
    assert line.fraction == pytest.approx((1 << 11) / 100e9 / 1e-6)
    assert line.lines() == [
        "2.048 GFLOP/s",
        "bound by arithmetic, 100 GFLOP/s with 2 threads: 2% of what this machine does",
    ]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with ceilings that nothing reaches."""
    monkeypatch.setenv("KC_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("kc.roofline_model._KNOWN", {})
    file = tmp_path / "ceilings" / f"{Target.host_cpu().cpu}-{num_threads()}.json"
    file.parent.mkdir()
    high: dict[str, float] = dict.fromkeys(LIMITS.bandwidths, 1e18)
    limits = Ceilings(num_threads(), {"float32": 1e18, "float64": 1e18}, high, LIMITS.sizes)
    file.write_text(json.dumps(asdict(limits)))
    return file


@pytest.mark.usefixtures("kept")
def test_symbolic_sizes_are_those_of_the_call():
    n = te.var("n")
    A = te.placeholder((n,), "float64", name="A")
    B = te.compute((n,), lambda i: A[i] * 2.0, name="B")
    s = te.create_schedule(B.op)
    arrays = [np.ones(1000), np.zeros(1000)]
    built = kc.build(s, [A, B])
    line = beside_roof(kc.lower(s, [A, B]), built["main"], arrays, 1e-6)
    assert (line.cost.operations, line.dtype) == (1000, "float64")
    assert line.cost.assumed == {"n": 1000}


def test_ceilings_that_are_exceeded_are_measured_again(kept: Path, monkeypatch: pytest.MonkeyPatch):
    """The larger numbers are kept, for later processes, too."""
    assert ceilings().flops["float32"] == 1e18
    low = json.loads(kept.read_text())
    low["flops"]["float32"], low["bandwidths"]["L1"] = 1.0, 2e18
    kept.write_text(json.dumps(low))
    monkeypatch.setattr("kc.roofline_model._KNOWN", {})
    monkeypatch.setattr("kc.roofline_model._measured", lambda target, threads: LIMITS)
    A = te.placeholder((16, 16), name="A")
    k = te.reduce_axis((0, 16), name="k")
    B = te.compute((16, 16), lambda i, j: te.sum(A[i, k] * A[k, j], axis=k), name="B")
    s = te.create_schedule(B.op)
    arrays = [np.ones((16, 16), np.float32), np.zeros((16, 16), np.float32)]
    line = beside_roof(kc.lower(s, [A, B]), kc.build(s, [A, B])["main"], arrays, 1e-3)
    assert line.ceilings.flops["float32"] == 100e9
    assert line.ceilings.bandwidths["L1"] == 2e18
    assert json.loads(kept.read_text())["flops"]["float32"] == 100e9


def test_measured_ceilings_are_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KC_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("kc.roofline_model._KNOWN", {})
    measured = ceilings()
    assert list(measured.bandwidths) == [*measured.sizes, "memory"]
    assert min(*measured.flops.values(), *measured.bandwidths.values()) > 1e6
    monkeypatch.setattr("kc.roofline_model._KNOWN", {})
    monkeypatch.setattr("kc.roofline_model._measured", None)
    assert ceilings() == measured, "another process reads them"


SQUARES = """
func.func @main(%A: memref<8xf32>, %B: memref<8xf32> {kc.role = "out"}) {
  tir.for %i in 8 {
    %a = tir.load %A[%i] : memref<8xf32>
    %b = arith.mulf %a, %a : f32
    tir.store %b, %B[%i] : memref<8xf32>
  }
  func.return
}
"""


@pytest.mark.usefixtures("kept")
def test_kc_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "k.mlir"
    file.write_text(SQUARES)
    assert main([str(file), "--time"]) == 0
    *_, memory, rate, bound = capsys.readouterr().err.splitlines()
    assert memory == "peak memory 64 B: arguments and buffers"
    assert rate.endswith("FLOP/s")
    assert bound == (
        f"bound by arithmetic, 1000 PFLOP/s with {num_threads()} threads: "
        "0% of what this machine does"
    ).replace("1 threads", "1 thread")


def test_pictures(tmp_path: Path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "out.svg"
    plot([copies(1 << 22, 8e-3)], str(picture))
    text = picture.read_text()
    assert text.startswith("<?xml")
    assert "<svg" in text


def test_pictures_need_matplotlib(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(KCError) as caught:
        plot([copies(1 << 11, 1e-6)], "out.svg")
    assert str(caught.value) == (
        "error[KC0086]: out.svg cannot be drawn: matplotlib is not installed\n"
        "  try: pip install 'kc-compiler[plot]'"
    )
