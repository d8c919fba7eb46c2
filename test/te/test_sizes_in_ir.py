"""Sizes of tensors have TVM's ``value``; in IR they are plain integers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation

import kc
from kc import te


def sizes(module: Operation) -> Iterator[Any]:
    for op in module.walk():
        blocks = (block for region in op.regions for block in region.blocks)
        for value in (*op.results, *(arg for block in blocks for arg in block.args)):
            if isinstance(value.type, MemRefType):
                yield from (size.data for size in value.type.shape)


def program() -> list[te.Tensor]:
    A = te.placeholder((10, 12), name="A")
    k = te.reduce_axis((0, A.shape[1]), name="k")
    B = te.compute((A.shape[0],), lambda i: te.sum(A[i, k], k), name="B")
    return [A, te.compute(B.shape, lambda i: B[i] * A.shape[0], name="C")]


def test_they_are_plain_integers():
    A, C = program()
    assert A.shape[0].value == 10  # pyright: ignore[reportAttributeAccessIssue]
    plain = list(sizes(kc.lower(te.create_schedule(C.op), [A, C]).op))
    assert plain
    assert {type(size) for size in plain} == {int}


def test_what_is_computed_with_them():
    A, C = program()
    a = np.arange(120, dtype="float32").reshape(10, 12)
    np.testing.assert_array_equal(kc.build([A, C])(a), a.sum(1) * 10)
