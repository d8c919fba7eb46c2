"""PolyBench's kernels of examples/polybench: numbers, also with chosen schedules, and legality."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polybench_references as references
import pytest
from polybench import SIZES, resized, sizes_of
from xdsl.ir import Block

import kc
from kc import tir
from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import carried_conflict
from kc.dialects.tir import ForOp
from kc.support import registry
from kc.support.ir_text import parse_module
from kc.transforms.to_tir import to_tir

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "polybench"
KERNELS = sorted(path.stem for path in FOLDER.glob("*.mlir"))

PARALLEL = {
    "adi": "t(i+(j j) i+(j j))",
    "atax": "i+ i(j j+)",
    "bicg": "i+ i(j)",
    "cholesky": "i(j(k) k)",
    "correlation": "j+(i) j+(i) i+(j+) i+(j+(k))",
    "covariance": "j+(i) i+(j+) i+(j+(k))",
    "deriche": "i(j) i(j) i+(j+) j(i) j(i) i+(j+)",  # scalars are shared
    "doitgen": "r(q(p+(s) p+))",
    "durbin": "k(i i+ i+)",
    "fdtd_2d": "t(j+ i+(j+) i+(j+) i+(j+))",
    "floyd_warshall": "k(i(j))",  # row and column k are written, too
    "gemm": "i+(j+ k(j+))",
    "gemver": "i+(j+) i+(j) i+ i+(j)",
    "gesummv": "i+(j)",
    "gramschmidt": "k(i i+ j+(i i+))",
    "heat_3d": "t(i+(j+(k+)) i+(j+(k+)))",
    "jacobi_1d": "t(i+ i+)",
    "jacobi_2d": "t(i+(j+) i+(j+))",
    "lu": "i(j(k) j+(k))",
    "ludcmp": "i(j(k) j(k)) i(j) i(j)",
    "mvt": "i+(j) i+(j)",
    "nussinov": "i(j(k))",
    "seidel_2d": "t(i(j))",
    "symm": "i(j(k))",
    "syr2k": "i+(j+ k(j+))",
    "syrk": "i+(j+ k(j+))",
    "three_mm": "i+(j+(k)) i+(j+(k)) i+(j+(k))",
    "trisolv": "i(j)",
    "trmm": "i(j+(k))",
    "two_mm": "i+(j+(k)) i+(j+(k))",
}
"""Each kernel's loops, inner ones in parentheses; + where iterations are independent: by hand."""

ORDERS = [
    ("gemm", "C_1", "k j", True),
    ("gemver", "x", "i j", True),
    ("mvt", "x2", "i j", True),
    ("syrk", "C_1", "k j", True),
    ("syr2k", "C_1", "k j", True),
    ("lu", "A_2", "j k", True),
    ("floyd_warshall", "path", "i j", True),
    ("floyd_warshall", "path", "k i", False),  # paths over k are paths over k + 1 then
    ("heat_3d", "B", "j k", True),
    ("jacobi_2d", "A", "i j", True),
    ("fdtd_2d", "hz", "i j", True),
    ("seidel_2d", "A", "i j", False),  # A[i - 1, j + 1] would be new
    ("seidel_2d", "A", "t i", False),
]
"""Kernel, block, two neighbouring loops, and whether they may be exchanged."""


def text_of(kernel: str) -> str:
    return (FOLDER / f"{kernel}.mlir").read_text(encoding="utf-8")


def arguments(kernel: str, text: str | None = None) -> list[Any]:
    """Numbers that the kernel is defined for, of the sizes in ``text`` (default: its own)."""
    generator = np.random.default_rng(0)
    head = (text or text_of(kernel)).split(") {")[0]
    values: dict[str, Any] = {}
    for name, type_ in re.findall(r"%(\w+): ([\w<>]+)", head):
        *shape, element = type_.removeprefix("memref<").removesuffix(">").split("x")
        size = tuple(map(int, shape))
        if element == "i32":
            values[name] = generator.integers(0, 4, size).astype("int32")
        else:
            values[name] = generator.uniform(0.5, 1.5, size)
    if kernel in ("cholesky", "lu", "ludcmp"):
        a = values["A"]
        values["A"] = a @ a.T / len(a) + np.eye(len(a))
    elif kernel == "trisolv":
        values["L"] += 4 * np.eye(len(values["L"]))
    elif kernel == "durbin":
        values["r"] = 0.5 ** np.arange(1, len(values["r"]) + 1) + 0.01 * values["r"]
    elif kernel == "floyd_warshall":
        values["path"] = generator.integers(1, 1000, values["path"].shape).astype("int32")
    elif kernel == "nussinov":
        values["table"][:] = 0
    elif kernel == "adi":
        values.update(a=-0.5, b=2.0, c=-0.5, d=-0.25, e=1.5, f=-0.25)
    elif kernel in ("correlation", "covariance"):
        values["float_n"] = float(len(values["data"]))
    elif kernel == "deriche":
        values["alpha"] = 0.25
    return [float(value) if np.ndim(value) == 0 else value for value in values.values()]


def assert_right(kernel: str, run: Any) -> None:
    given, expected = arguments(kernel), arguments(kernel)
    run(*given)
    getattr(references, kernel)(*expected)
    for number, (value, reference) in enumerate(zip(given, expected, strict=True)):
        np.testing.assert_allclose(value, reference, rtol=1e-9, atol=1e-9, err_msg=str(number))


def test_all_kernels_are_there():
    assert len(KERNELS) == 30
    assert sorted(PARALLEL) == KERNELS


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_benchmark_has_each_size(kernel: str):
    sizes = sizes_of(resized(kernel, SIZES[kernel]))
    assert sizes == SIZES[kernel]
    assert len(set(sizes_of(text_of(kernel)).values())) == len(sizes)  # which tells them apart


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
def test_numbers(kernel: str):
    """With the schedule that is chosen for this machine."""
    mod = kc.IRModule.parse(text_of(kernel))
    assert_right(kernel, kc.build(kc.auto_schedule(mod).mod))


@pytest.mark.sweep
@pytest.mark.parametrize("kernel", KERNELS)
def test_numbers_of_the_loops_as_written(kernel: str):
    assert_right(kernel, kc.build(kc.IRModule.parse(text_of(kernel))))


def name_of(loop: ForOp) -> str:
    """The name as it was written: a second loop i is called i_1."""
    return (loop.body.block.args[0].name_hint or "").split("_")[0]


def loops(block: Block) -> Iterator[str]:
    for op in block.ops:
        if isinstance(op, ForOp):
            inner = " ".join(loops(op.body.block))
            sign = "" if carried_conflict(op) else "+"
            yield name_of(op) + sign + (f"({inner})" if inner else "")


@pytest.mark.parametrize("kernel", KERNELS)
def test_which_loops_are_parallel(kernel: str):
    module = parse_module(text_of(kernel), f"{kernel}.mlir", registry.context())
    to_tir(module)
    (function,) = loop_tree.kernels(module)
    assert " ".join(loops(function.body.block)) == PARALLEL[kernel]


@pytest.mark.parametrize(("kernel", "block", "pair", "is_legal"), ORDERS)
def test_which_loops_may_be_exchanged(kernel: str, block: str, pair: str, is_legal: bool):
    sch = tir.Schedule(kc.IRModule.parse(text_of(kernel)))
    sch.work_on(kernel)
    around = {name_of(sch.get(loop)): loop for loop in sch.get_loops(block)}
    first, second = pair.split()
    assert sch.can("reorder", around[second], around[first]) is is_legal
