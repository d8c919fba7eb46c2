"""The variables of a block that an access of given elements is made with: none is left out."""

from __future__ import annotations

import itertools

import pytest
from xdsl.ir.affine import AffineExpr

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import Interval
from kc.analysis.affine.index_values import IndexValues
from kc.dialects.tir import StoreOp
from kc.support.ir_text import parse_module
from kc.support.registry import context
from kc.transforms.schedule._radix import variables_in


@pytest.mark.parametrize(
    ("worth", "digits", "last"),
    # Of 8 i + j the digits are i and j if j < 8; with j = 8, element 8 is of (1, 0) and of (0, 8).
    [(8, (4, 8), True), (8, (4, 9), False), (8, (4, 7), True), (5, (3, 6), False)],
)
def test_boxes_hold_all_that_reach_the_elements(worth, digits, last):
    rows, columns = digits
    module = parse_module(
        f"""func.func @f(%A: memref<99xf32>, %x: f32) {{
          tir.for %i in {rows} {{
            tir.for %j in {columns} {{
              tir.block "B" (spatial %v in {rows} = %i, spatial %w in {columns} = %j) do {{
                tir.store %x, %A[%v * {worth} + %w] : memref<99xf32>
              }}
            }}
          }}
          func.return
        }}""",
        "f.mlir",
        context(),
    )
    (block,) = loop_tree.blocks(loop_tree.functions(module)[0])
    (store,) = (op for op in block.walk() if isinstance(op, StoreOp))
    for element in range(worth * rows):
        region = [Interval(AffineExpr.constant(element), 1)]
        box = variables_in(block, store, region, IndexValues())
        reached = [
            values
            for values in itertools.product(range(rows), range(columns))
            if values[0] * worth + values[1] == element
        ]
        for values in reached:
            for value, part in zip(values, box, strict=True):
                if part.size is not None:
                    first = part.base.eval([], [])
                    assert first <= value < first + part.size
        if reached:
            assert all((part.size == 1) is last for part in box)
