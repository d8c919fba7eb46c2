"""``python -m benchmarks.cpu``: the table of a short row, and what the rows compute."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

import kc
from benchmarks.cpu import ROOT, Settings, features, means, prepare, selected, spread
from kc.target import Target

sys.path.insert(0, str(ROOT / "benchmarks" / "peers"))
from cpu_families import FAMILIES, given_rows, random_rows  # noqa: E402
from cpu_rows import ROWS, Goal, Row  # noqa: E402
from cpu_schedules import SCHEDULES  # noqa: E402


def test_a_spread_is_that_of_the_middle_half():
    assert spread([3.0]) == 0
    assert spread([2.0, 2.0, 2.0]) == 0
    assert spread([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(2 / 3)


@pytest.mark.slow
def test_a_table():
    options = ["add 1K", "--rounds=2", "--threads=1", "--coretype=Haswell"]
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.cpu", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    machine, versions, limits, head, row, _, *summary = run.stdout.splitlines()
    assert machine.endswith("1 thread(s), openblas for Haswell")
    assert f"numpy {np.__version__}" in versions.split(", ")
    assert re.fullmatch(r"peak [\d.]+ GFLOP/s of f32 a thread, copy [\d.]+ GB/s", limits)
    assert head.split()[:8] == ["kc", "ms", "best", "ms", "numpy", "ms", "openblas", "ms"]
    assert head.endswith("peer/kc   goal  peer/best   goal  spread   rate")
    ours, best, numpy, openblas, *_, ratio, goal, of_best, goal_of_best, part, rate, unit = (
        row.partition(", ")[0].split()[2:]
    )
    assert float(ours) > 0
    assert float(numpy) > 0
    assert (best, openblas) == ("-", "-")  # none is written for it, and it is no product
    assert float(ratio) == float(of_best) > 0
    assert (float(goal), float(goal_of_best), unit) == (1.0, 1.0, "GB/s")
    assert float(part) >= 0
    assert float(rate) > 0
    assert summary[0] == "geometric means of peer/kc"
    family, mean, *_ = summary[1].split()
    assert (family, mean) == ("table", ratio)


def test_the_mean_of_a_family_is_geometric():
    rows = [
        {"family": "gemm", "ratio": 0.5},
        {"family": "gemm", "ratio": 2.0},
        {"family": "gemm", "ratio": None},  # no peer has it
        {"family": "sort", "ratio": 0.25},
    ]
    assert means(rows) == pytest.approx({"gemm": 1.0, "sort": 0.25})


def test_families_and_parts_of_names_select_rows():
    rows = Settings().rows()
    assert set(selected(rows, [], False)) == set(rows)
    assert selected(rows, ["scan"], False) == [f"scan {it}" for it in FAMILIES["scan"].rows]
    assert selected(rows, ["argmax of rows"], False) == ["argmax of rows 2048^2"]
    assert "gemm 2048" not in selected(rows, ["table"], True)


def test_what_is_drawn_depends_on_the_seed_and_the_family_alone():
    names = ["pool", "sort", "conv"]
    drawn = random_rows(names, 7, 4)
    assert len(drawn) == 12
    assert list(random_rows(names, 7, 4)) == list(drawn)
    assert list(random_rows(["conv"], 7, 4)) == [it for it in drawn if it.startswith("conv ")]
    assert not set(random_rows(names, 8, 4)) & set(drawn)
    assert set(random_rows(names, 7, 2)) <= set(drawn)
    for name in ("conv", "pool"):
        first, again = (next(iter(random_rows([name], 7, 1).values())).make() for _ in range(2))
        assert all((a == b).all() for a, b in zip(first.arrays, again.arrays, strict=True))


def test_without_tiles_nothing_of_amx_remains():
    assert features("+avx512f") == ("+avx512f",)
    assert set(features("-amx-tile")) > {"-amx-tile", "-amx-int8", "-amx-bf16"}
    assert Settings().limit() is None
    assert Settings(mattr=features("-amx-tile")).limit() == ("AVX512_CORE_FP16", "AVX512_BF16")
    both = features("-amx-tile,-avx512bf16")
    assert Settings(mattr=both).limit() == ("AVX512_CORE_VNNI", "AVX512_VNNI")


def check(row: Row, result: np.ndarray, expected: np.ndarray, part: float) -> None:
    """``part``: how much of the row's tolerance there may be."""
    assert expected.shape == row.shape
    largest = max(1.0, float(np.abs(expected.astype("float64")).max()))
    np.testing.assert_allclose(
        result.astype("float64"),
        expected.astype("float64"),
        rtol=1e-4,
        atol=part * row.tolerance * largest if "float" in row.dtype else 0,
    )


DRAWN = random_rows(list(FAMILIES), 11, 2, largest=7)


@pytest.mark.parametrize("family", FAMILIES)
def test_drawn_rows_agree_with_numpy(family: str):
    """Tiny ones, with the loops as they are written: the schedules have tests of their own."""
    for goal in (it for it in DRAWN.values() if it.family == family):
        row = goal.make()
        assert all(0 < it.size < 20_000 for it in row.arrays)
        result = np.empty(row.shape, row.dtype)
        with kc.transform.PassContext(opt_level=0):
            kc.build(row.tensors())(*row.arrays, result)
        check(row, result, row.expected(), 0.1)


@pytest.mark.parametrize(
    "system",
    [
        "numpy",
        *(
            pytest.param(it, marks=pytest.mark.sweep)
            for it in ("torch", "jax", "numba", "onnxruntime")
        ),
    ],
)
def test_peers_compute_the_same(system: str, monkeypatch: pytest.MonkeyPatch):
    """The installed peers."""
    pytest.importorskip(system)
    monkeypatch.setattr(Settings, "rows", lambda _: DRAWN)
    compared = 0
    for name, goal in DRAWN.items():
        call, facts = prepare("ort" if system == "onnxruntime" else system, name, Settings())
        row = goal.make()
        if call is not None:
            check(row, np.asarray(facts["result"]), row.expected(), 1.0)
            compared += 1
    assert compared > 1


def test_the_rows_that_are_given_have_goals_and_families():
    rows = given_rows()
    assert {it.family for it in rows.values()} == set(FAMILIES)
    assert all(isinstance(it, Goal) and it.goal >= 0.9 for it in rows.values())
    assert not set(rows) & set(ROWS)


@pytest.mark.sweep
@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_written_by_hand(name: str):
    """They compute what the schedule that kc chooses does."""
    row = ROWS[name].make()
    if name.startswith("gemm bf16") and not Target.host_cpu().has_feature("avx512bf16"):
        pytest.skip("this CPU has no avx512bf16")
    if name.startswith("gemm u8") and not Target.host_cpu().has_feature("avx512vnni"):
        pytest.skip("this CPU has no avx512vnni")
    chosen, written = kc.build(row.tensors()), kc.build(SCHEDULES[name](row.tensors()))
    np.testing.assert_allclose(written(*row.arrays), chosen(*row.arrays), rtol=1e-3, atol=1e-2)
