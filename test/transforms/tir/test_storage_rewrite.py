"""storage-rewrite: random chains of stages compute what numpy does, in less memory."""

from __future__ import annotations

import math
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from xdsl.dialects.builtin import MemRefType, ModuleOp

import kc
from kc import te
from kc.analysis.cost import estimate
from kc.analysis.interpreter import run
from kc.analysis.loop_tree import functions
from kc.dialects.tir import AllocOp
from kc.support.registry import context, pass_class

N = 24
"""A square of so many float32 does not fit into registers."""


def stage(kind: str, source: te.Tensor, name: str) -> tuple[te.Tensor, Any]:
    """A stage, and what it does in numpy."""
    rows, columns = (cast("int", size) for size in source.shape)
    if kind == "turn":
        shape = (columns, rows)
        return te.compute(shape, lambda i, j: source[j, i] * 2.0, name=name), lambda x: x.T * 2
    if kind == "shift" and rows > 1:
        shape = (rows - 1, columns)
        difference = te.compute(shape, lambda i, j: source[i + 1, j] - source[i, j], name=name)
        return difference, lambda x: x[1:] - x[:-1]
    if kind == "flip":
        flipped = te.compute(source.shape, lambda i, j: source[rows - 1 - i, j], name=name)
        return flipped, lambda x: x[::-1]
    if kind == "sum" and rows > 2:
        k = te.reduce_axis((0, 3), name=f"{name}_k")
        shape = (rows - 2, columns)
        sums = te.compute(shape, lambda i, j: te.sum(source[i + k, j], axis=k), name=name)
        return sums, lambda x: x[:-2] + x[1:-1] + x[2:]
    if kind == "flat":
        shape = (1, rows * columns)
        flat = te.compute(shape, lambda i, j: source[j // columns, j % columns] + i, name=name)
        return flat, lambda x: x.reshape(1, -1)
    return te.compute(source.shape, lambda i, j: source[i, j] + 1.0, name=name), lambda x: x + 1


def stages(random: Random, count: int) -> tuple[list[te.Tensor], Any]:
    """Stages, the first of which is the input, and the function in numpy."""
    tensors = [te.placeholder((N, N), name="A")]
    steps: list[tuple[int, Any]] = []
    for n in range(count):
        before = random.randrange(max(0, len(tensors) - 3), len(tensors))
        kind = random.choice(("add", "turn", "shift", "flip", "sum", "flat"))
        tensor, step = stage(kind, tensors[before], f"T{n}")
        tensors.append(tensor)
        steps.append((before, step))

    def expected(a: np.ndarray) -> np.ndarray:
        values = [a]
        for before, step in steps:
            values.append(step(values[before]))
        return values[-1]

    return tensors, expected


def allocated(module: ModuleOp) -> int:
    """The bytes of all buffers."""
    return sum(
        4 * math.prod(alloc.buffer.type.get_shape())
        for alloc in module.walk()
        if isinstance(alloc, AllocOp) and isinstance(alloc.buffer.type, MemRefType)
    )


def rewritten(s: te.Schedule, args: list[te.Tensor]) -> tuple[ModuleOp, int]:
    """The module after the pass, and the bytes of its buffers before."""
    module = kc.lower(s, args).op
    for name in ("lower-init-block", "compact-buffer-allocation", "lower-blocks"):
        pass_class(name)().apply(context(), module)
    before = allocated(module)
    pass_class("storage-rewrite")().apply(context(), module)
    module.verify()
    return module, before


@examples(10)
@given(st.integers(0, 10**9))
def test_random_chains(seed: int):
    random = Random(seed)
    tensors, expected = stages(random, random.randint(2, 6))
    s = te.create_schedule(tensors[-1].op)
    for tensor in tensors[1:]:
        if tensor.op not in s.stage_map:
            continue  # nothing reads it
        kind = random.choice(("serial", "parallel", "vectorize", "reorder"))
        if kind == "reorder":
            s[tensor].reorder(*reversed(tensor.op.axis))
        elif kind != "serial":
            axis = tensor.op.axis[kind == "vectorize"]
            if kind == "parallel" or cast("int", tensor.shape[1]) <= 64:
                getattr(s[tensor], kind)(axis)
    args = [tensors[0], tensors[-1]]
    module, before = rewritten(s, args)
    assert allocated(module) <= before
    # Small numbers: sums and products are exact.
    a = np.random.default_rng(seed).integers(-8, 8, (N, N)).astype(np.float32)
    arrays = [a, np.zeros_like(np.ascontiguousarray(expected(a)))]
    run(module, "main", arrays)
    np.testing.assert_array_equal(arrays[1], expected(a))
    arrays[1][:] = 0
    kc.build(s, args, target="llvm")(*arrays)
    np.testing.assert_array_equal(arrays[1], expected(a))


def chain(count: int) -> list[te.Tensor]:
    tensors = [te.placeholder((N, N), name="A")]
    for n in range(count):
        tensors.append(stage("add", tensors[-1], f"T{n}")[0])
    return tensors


def test_a_chain_of_stages_has_one_temporary():
    tensors = chain(5)
    s, args = te.create_schedule(tensors[-1].op), [tensors[0], tensors[-1]]
    module, before = rewritten(s, args)
    assert (before, allocated(module)) == (4 * 4 * N * N, 4 * N * N)


def test_what_is_alive_at_a_time():
    tensors = chain(5)
    s = te.create_schedule(tensors[-1].op)
    (function,) = functions(kc.lower(s, [tensors[0], tensors[-1]]).op)
    cost = estimate(function)
    # Two of the four are: the one that is read, and the one that is written.
    assert (cost.allocated, cost.alive) == ({"global": 4 * 4 * N * N}, 2 * 4 * N * N)
    assert "alive        4.5 KiB at a time" in cost.lines()


@pytest.mark.parametrize(
    ("config", "count"),
    [
        ({}, 1),
        ({"tir.disable_storage_rewrite": True}, 4),
        ({"tir.instrument_bound_checkers": 1}, 4),
    ],
)
def test_pass_context(config: dict[str, Any], count: int):
    tensors = chain(5)
    args = [tensors[0], tensors[-1]]
    with kc.transform.PassContext(config={key: bool(value) for key, value in config.items()}):
        built = kc.build(te.create_schedule(tensors[-1].op), args, target="llvm")
    assert built.get_source("mlir").count("memref.alloc") == count
