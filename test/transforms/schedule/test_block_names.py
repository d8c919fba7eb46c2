"""Blocks are found by name as the function is now, however often they were asked for before."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.builtin import StringAttr

import kc
from kc.analysis import loop_tree
from kc.support.diagnostics import ScheduleError
from kc.support.ir_text import parse_module
from kc.support.registry import context, pass_class
from kc.support.target import Target
from kc.transforms.schedule.base import (
    BlockRef,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
    perform,
)

TEXT = """
func.func @f(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %i in 8 {
    tir.block "B" (spatial %v in 8 = %i) do {
      %a = tir.load %A[%v] : memref<8xf32>
      tir.store %a, %B[%v] : memref<8xf32>
    }
  }
  tir.for %j in 8 {
    tir.block "C" (spatial %w in 8 = %j) do {
      %b = tir.load %B[%w] : memref<8xf32>
      tir.store %b, %C[%w] : memref<8xf32>
    }
  }
  func.return
}"""


def test_what_a_primitive_takes_away_is_not_found(monkeypatch: pytest.MonkeyPatch):
    module = parse_module(TEXT, "f.mlir", context())
    site = Site(loop_tree.functions(module)[0], Target.generic())
    walks: list[object] = []
    walk = loop_tree.preorder
    monkeypatch.setattr(loop_tree, "preorder", lambda root: walks.append(root) or walk(root))
    producer, consumer = (site.resolve_block(BlockRef(name)) for name in "BC")
    assert (producer.label, consumer.label) == ("B", "C")
    assert walks == list(site.function.body.block.ops)  # once
    pass_class("compute-inline")(BlockRef(producer)).apply(site)
    assert site.resolve_block(BlockRef("C")) is consumer
    with pytest.raises(ScheduleError) as caught:
        site.resolve_block(BlockRef("B"))
    assert (caught.value.code, caught.value.message) == ("KC3001", "there is no block 'B' in @f")


def test_a_name_that_a_primitive_gives_again_is_two_blocks(monkeypatch: pytest.MonkeyPatch):
    """Primitives of kc give new names; one of a plugin may not."""
    parallel = pass_class("parallel")
    rewrite = parallel.rewrite

    def renaming(self: Primitive, site: Site, plan: Any) -> Rewritten:
        site.resolve_block(BlockRef("B")).properties["block_name"] = StringAttr("C")
        return rewrite(self, site, plan)

    monkeypatch.setattr(parallel, "rewrite", renaming)
    module = parse_module(TEXT, "f.mlir", context())
    site = Site(loop_tree.functions(module)[0], Target.generic())
    assert site.resolve_block(BlockRef("C")).label == "C"
    perform(parallel(LoopRef("i")), site)
    with pytest.raises(ScheduleError) as caught:
        site.resolve_block(BlockRef("C"))
    error = caught.value
    assert (error.code, error.message) == ("KC3002", "there are 2 blocks 'C' in @f")
    assert error.facts == ("block C at f.mlir:5:5", "block C at f.mlir:11:5")
    assert error.hints == ("give the blocks different names",)


def test_handles_of_what_a_primitive_does_not_report(monkeypatch: pytest.MonkeyPatch):
    """They are gone all the same, and so is the name of the loop."""
    inline = pass_class("compute-inline")
    rewrite = inline.rewrite

    def silent(self: Primitive, site: Site, plan: Any) -> Rewritten:
        rewrite(self, site, plan)
        return Rewritten()

    sch = kc.tir.Schedule(kc.IRModule.parse(TEXT))
    block, (loop,) = sch.get_block("B"), sch.get_loops("B")
    monkeypatch.setattr(inline, "rewrite", silent)
    sch.compute_inline("B")
    assert block.gone is not None
    assert block.gone.startswith("B was removed by compute_inline at ")
    assert loop.gone is not None
    assert loop.gone.startswith("i was removed by compute_inline at ")
    with pytest.raises(ScheduleError) as caught:
        sch.get_loop("i")
    assert caught.value.why is not None
    assert caught.value.why.startswith("i was removed by compute_inline at ")
