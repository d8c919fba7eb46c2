"""plan-tensor-copies: insert the waits for copies of boxes of tensors outside of pipelines.

Before::

    tir.for %k in 8 {
      tir.for %p in 2 {
        tir.call @tma_load_64x64_f16_shared.copy(read %a, write %s) : (...)
      }
      ...

After::

    %full = tir.alloc "S_full" {tir.mbarriers} : memref<1xi64, "shared">
    tir.mbarrier_init %full : memref<1xi64, "shared">
    tir.for %k in 8 {
      tir.mbarrier_expect %full[0], 16384 : memref<1xi64, "shared">
      tir.for %p in 2 {
        %b = tir.view %full[0] : memref<1xi64, "shared"> to memref<1xi64, ...>
        tir.call @tma_load_64x64_f16_shared.start(read %a, write %s, update %b) : (...)
      }
      tir.mbarrier_wait %full[0] phase [%k] : memref<1xi64, "shared">
      ...

One wait serves a loop that contains only such copies, or several consecutive copies. The copies of
a wait depend on a whole nest, so this is not a rewrite pattern. Copies of a software pipeline,
which are in flight for several iterations, already have rings (``inject-software-pipeline``).

Requires that no blocks are left (``lower-blocks``). *Legal when*

1. KC4249: the number of earlier executions of a copy is affine in the loops around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free

from kc.analysis import loop_tree
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import AllocOp, CallOp, ForOp
from kc.transforms.gpu.tensor_copies._mbarrier_rings import (
    START,
    box_copies,
    bytes_of,
    expectation,
    new_ring,
    number_of,
    start_copies,
    target_of_copy,
    wait_for,
)


@dataclass(frozen=True)
class PlanTensorCopiesPass(ModulePass):
    """Insert waits for copies of boxes of tensors outside of software pipelines."""

    name = "plan-tensor-copies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        places: dict[Operation, None] = {}
        for function in loop_tree.functions(op):
            if not function.is_declaration:
                places.update(dict.fromkeys(map(_whole, box_copies(function))))
        groups = list(_groups(list(places)))
        numbers = [number_of(group[0]) for group in groups]
        for group, number in zip(groups, numbers, strict=True):
            first, last = group[0], group[-1]
            bytes_ = sum(bytes_of(place) or 0 for place in group)
            target = target_of_copy(box_copies(first)[0])
            assert target is not None
            ring = new_ring(f"{buffer_name(target)}_full", 1, first)
            expect, wait = expectation(ring, number, bytes_), wait_for(ring, number)
            for new in (expect, wait):
                new.location = first.location
            home = first.parent
            assert home is not None
            home.insert_op_before(expect, first)
            home.insert_op_after(wait, last)
            start_copies(ring, number, group)
        for function in [inner for inner in op.ops if isinstance(inner, FuncOp)]:
            if START in function.attributes:
                _erase(op, function)


def _groups(places: list[Operation]) -> Iterator[list[Operation]]:
    """Groups of copies with no operation in between that has an effect."""
    group: list[Operation] = []
    for place in places:
        before = place.prev_op
        while before is not None and (isinstance(before, AllocOp) or is_side_effect_free(before)):
            before = before.prev_op
        if group and before is not group[-1]:
            yield group
            group = []
        group.append(place)
    if group:
        yield group


def _whole(call: CallOp) -> Operation:
    """The copy, or the outermost loop around it that only copies."""
    place: Operation = call
    while True:
        loop = place.parent_op()
        if not isinstance(loop, ForOp) or loop.axis is not None or loop.static_extent is None:
            return place
        if not all(op is place or is_side_effect_free(op) for op in loop.body.block.ops):
            return place
        place = loop


def _erase(module: ModuleOp, function: FuncOp) -> None:
    """Erase a function without callers, and its description."""
    described = function.attributes.get("kc.description")
    names = {getattr(described, "root_reference", None)}
    for unused in [inner for inner in module.ops if isinstance(inner, FuncOp)]:
        if unused is function or unused.sym_name in names:
            unused.detach()
            unused.erase()
