"""nontemporal-stores: random streams are what numpy computes, wherever their arrays begin."""

from __future__ import annotations

import math
from random import Random
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

import kc
from kc import te
from kc.analysis.interpreter import run
from kc.support.registry import context, get_pass
from kc.support.target import Target

PASSES = (
    "convert-te-to-tir",
    "lower-init-block",
    "compact-buffer-allocation",
    "lower-blocks",
    "vectorize-loop",
    "nontemporal-stores{min-bytes=0}",
)
TYPES = ("float32", "float64", "float16", "bfloat16", "int8", "int64")


def streamed(s: te.Schedule, args: list[te.Tensor]) -> kc.IRModule:
    """The module after the pass, for an x86 with AVX2, whose stores are to go past the caches."""
    mod = kc.lower(s, args)
    with Target("llvm -mcpu=x86-64-v3"):
        for name in PASSES:
            plain, _, options = name.removesuffix("}").partition("{")
            get_pass(plain, options).apply(context(), mod.op)
    mod.op.verify()
    return mod


def beginning(size: int, dtype: str, shift: int) -> np.ndarray:
    """Memory for so many elements, ``shift`` elements behind a multiple of 64 bytes."""
    item = 2 if dtype == "bfloat16" else np.dtype(dtype).itemsize
    raw = np.zeros(size * item + 128 + shift * item, "uint8")
    start = -raw.ctypes.data % 64 + shift * item
    bytes_ = raw[start : start + size * item]
    if dtype == "bfloat16":
        return bytes_.view(pytest.importorskip("ml_dtypes").bfloat16)
    return bytes_.view(dtype)


@examples(5)
@given(st.integers(0, 10**9))
def test_random_streams(seed: int):
    random = Random(seed)
    dtype = random.choice(TYPES)
    rows, columns = random.randint(1, 5), random.choice((256, 512, 516, 1000))
    lanes = random.choice((4, 8, 16, 32))
    a = te.placeholder((rows, columns), name="A", dtype=dtype)
    c = te.compute((rows, columns), lambda i, j: a[i, j] + a[rows - 1 - i, j], name="C")
    s = te.create_schedule(c.op)
    _, inner = s[c].split(c.op.axis[1], factor=lanes)
    s[c].vectorize(inner)
    if random.random() < 0.5:
        s[c].parallel(c.op.axis[0])
    mod = streamed(s, [a, c])
    size = 2 if dtype == "bfloat16" else np.dtype(dtype).itemsize
    if columns % lanes == 0:
        is_aligned = math.gcd(lanes, columns) * size % 16 == 0
        assert ("nontemporal" in str(mod.op)) == is_aligned
    f = kc.build(mod)
    for shift in (0, 1, random.randrange(64)):
        x = beginning(rows * columns, dtype, 0)
        x[...] = np.array([random.randint(-8, 8) for _ in range(x.size)]).astype(x.dtype)
        x = x.reshape(rows, columns)
        y = beginning(rows * columns, dtype, shift).reshape(rows, columns)
        z = y.copy()
        f(x, y)
        wanted = x + x[::-1]
        assert (y == wanted).all()
        if rows * columns <= 1024 and shift == 0:
            run(mod.op, "main", [x, z])
            assert (z == wanted).all()


def test_default_schedules_of_streams():
    """16M elements are more than the cache of the target, 1M are not."""

    def assembly(size: int, kind: str) -> str:
        a, b = (te.placeholder((size,), name=name) for name in "AB")
        row = te.placeholder((4096,), name="R")
        inputs, output = {
            "add": lambda: ([a, b], te.compute((size,), lambda i: a[i] + b[i], name="C")),
            "copy": lambda: ([a], te.compute((size,), lambda i: a[i], name="C")),
            "cast": lambda: ([a], te.compute((size,), lambda i: a[i].astype("float64"), name="C")),
            "rows": lambda: (
                [row],
                te.compute((size // 4096, 4096), lambda i, j: row[j], name="C"),
            ),
        }[kind]()
        built = kc.build([*inputs, output], target="llvm -mcpu=znver3 -l3-cache=33554432")
        return cast("str", built.get_source("asm"))

    for kind in ("add", "copy", "cast", "rows"):
        text = assembly(1 << 24, kind)
        assert "vmovntp" in text
        assert "sfence" in text
    text = assembly(1 << 20, "add")
    assert "vmovnt" not in text
    assert "sfence" not in text


def test_their_fence_needs_no_process_of_its_own(monkeypatch: pytest.MonkeyPatch):
    def no_process(*_):
        raise AssertionError("a process was started")

    monkeypatch.setattr("kc.codegen.native.run_worker", no_process)
    a = te.placeholder((1 << 22,), name="A")
    b = te.compute(a.shape, lambda i: a[i], name="B")
    host = Target.host_cpu()
    if "x86_64" not in host.triple:
        pytest.skip("sfence is an instruction of x86")
    built = kc.build([a, b], target=Target({**host.export(), "l3-cache": 1 << 20}))
    assert "sfence" in built.get_source("ll")


@pytest.mark.parametrize("shift", [0, 4, 5])
def test_lines_of_rows_that_are_apart(shift: int):
    """A vector is a whole line, and the next one lies in another row."""
    a = te.placeholder((48, 64), name="A")
    c = te.compute((64, 48), lambda i, j: a[j, i], name="C")
    s = te.create_schedule(c.op)
    outer, inner = s[c].split(c.op.axis[1], factor=16)
    s[c].reorder(outer, c.op.axis[0], inner)
    s[c].vectorize(inner)
    mod = streamed(s, [a, c])
    assert str(mod.op).count("nontemporal, alignment = 64") == 1
    assert "alignment = 16" not in str(mod.op)
    x = np.arange(48 * 64, dtype=np.float32).reshape(48, 64)
    y = beginning(48 * 64, "float32", shift).reshape(64, 48)
    kc.build(mod)(x, y)
    assert np.array_equal(y, x.T)
