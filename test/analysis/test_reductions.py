"""Blocks that are recognised as the step of a reduction, and blocks that are not."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects import builtin, func, memref

from kc.analysis import loop_tree
from kc.analysis.reductions.reductions import Reduction, reduction_of
from kc.dialects.arith import ARITH
from kc.dialects.tir import TIR
from kc.support.locations import LocationParser

LOADS = """
    %i0 = tir.load %I[%v_i] : memref<8xi64>
    %v0 = tir.load %V[%v_i] : memref<8xi64>"""
COMBINE = """
    %i1, %v1 = tir.combine "r" (%i0, %v0) (%a, %a) by (%p: i64, %q: i64) (%r: i64, %s: i64)
        identity [0 : i64, 0 : i64] {
      %x = arith.addi %p, %r : i64
      %y = arith.addi %q, %s : i64
      tir.yield %x, %y : i64, i64
    }"""
STORES = """
    tir.store %i1, %I[%v_i] : memref<8xi64>
    tir.store %v1, %V[%v_i] : memref<8xi64>"""
SUMS = """
    %i1 = arith.addi %i0, %a : i64
    %v1 = arith.maxsi %a, %v0 : i64"""


def step_of(body: str) -> Reduction | None:
    """The step of a block with this body."""
    context = Context()
    for dialect in (ARITH, builtin.Builtin, func.Func, memref.MemRef, TIR):
        context.load_dialect(dialect)
    text = f"""
func.func @f(%A: memref<8x8xi64>, %I: memref<8xi64>, %V: memref<8xi64>, %n: index) {{
  tir.for %i in 8 {{ tir.for %k in 8 {{
    tir.block "M" (spatial %v_i in 8 = %i, reduce %v_k in 8 = %k) do {{
    %a = tir.load %A[%v_i, %v_k] : memref<8x8xi64>
{body}
    }} }} }}
  func.return
}}"""
    module = LocationParser(context, text, "k.mlir").parse_module()
    module.verify()
    (block,) = loop_tree.blocks(module)
    return reduction_of(block)


def test_a_tuple():
    step = step_of(LOADS + COMBINE + STORES)
    assert step is not None
    assert len(step.steps) == 1
    assert [update.buffer.name_hint for update in step.updates] == ["I", "V"]
    assert [update.term.name_hint for update in step.updates] == ["a", "a"]
    assert step.guard is None


def test_the_order_of_stores_does_not_matter():
    stores = STORES.strip().splitlines()
    step = step_of(LOADS + COMBINE + "\n" + "\n".join(reversed(stores)))
    assert step is not None
    assert [update.load.result.name_hint for update in step.updates] == ["v0", "i0"]


def test_several_reductions():
    step = step_of(LOADS + SUMS + STORES)
    assert step is not None
    assert [op.name for op in step.steps] == ["arith.addi", "arith.maxsi"]


def test_a_guard():
    step = step_of(f"tir.if (%v_i + %v_k < %n) {{{LOADS}{COMBINE}{STORES}\n}}")
    assert step is not None
    assert step.guard is not None


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            LOADS + COMBINE + STORES.replace("%V[%v_i]", "%V[7 - %v_i]"), id="another place"
        ),
        pytest.param(
            LOADS + COMBINE.replace("(%i0, %v0) (", "(%v0, %i0) (") + STORES, id="swapped"
        ),
        pytest.param(LOADS + COMBINE + STORES.splitlines()[1], id="one result is not stored"),
        pytest.param(
            LOADS + COMBINE + STORES.replace("tir.store %v1", "tir.store %i1"), id="stored twice"
        ),
        pytest.param(
            LOADS + COMBINE.replace("(%a, %a)", "(%a, %v0)") + STORES, id="a term is an old value"
        ),
        pytest.param(
            LOADS + COMBINE + STORES + "\n%z = tir.load %V[0] : memref<8xi64>", id="read again"
        ),
        pytest.param(
            LOADS + SUMS.replace("%a, %v0", "%i0, %v0") + STORES, id="one depends on another"
        ),
        pytest.param(LOADS + SUMS.replace("addi", "subi") + STORES, id="does not commute"),
        pytest.param(
            f"tir.if (%v_i < 4) {{{LOADS}{COMBINE}{STORES}\n}} else {{\n"
            "tir.store %a, %A[0, 0] : memref<8x8xi64>\n}",
            id="something else otherwise",
        ),
        pytest.param(
            f"tir.if (%v_i < 4) {{ tir.if (%v_k < 4) {{{LOADS}{COMBINE}{STORES}\n}} }}",
            id="two guards",
        ),
        pytest.param(
            "%g = tir.load %V[%v_i] : memref<8xi64>\n%h = arith.index_cast %g : i64 to index\n"
            f"tir.if (%h < 4) {{{LOADS}{COMBINE}{STORES}\n}}",
            id="what is held decides",
        ),
    ],
)
def test_none(body: str):
    assert step_of(body) is None
