"""Rings of mbarriers around copies of boxes of tensors: what is expected, started and waited for.

Shared by ``inject-software-pipeline``, in whose loops copies are under way for several iterations
at a time, and ``plan-tensor-copies``, which waits for others where they stand. A ring belongs to
several statements of a loop, which change together once all of them are known: no rewrite pattern.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    FixedBitwidthType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.traits import SymbolTable

from kc.analysis.accesses.dependence import base_buffer
from kc.analysis.loop_tree import all_loops_around, buffer_name, is_inside, path_to
from kc.dialects.tir import (
    AllocOp,
    CallOp,
    ForOp,
    IfOp,
    MBarrierExpectOp,
    MBarrierInitOp,
    MBarrierWaitOp,
    ViewOp,
)
from kc.dialects.tir.mbarriers import MBARRIERS
from kc.dialects.tir.memory import ASYNC_COPY
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

START = "kc.start"
"""The attribute of a function that copies a box: the one that only starts it."""

SPECIALIZED = "tir.warp_specialized"
"""The attribute of a ring whose copies warps of their own start (``specialize-warps``)."""

_SLOT = MemRefType(i64, [1], StridedLayoutAttr([1], NoneAttr()), StringAttr("shared"))


def box_copies(op: Operation) -> list[CallOp]:
    """The copies of boxes in ``op`` that are done when their call returns."""
    return [call for call in op.walk() if isinstance(call, CallOp) and _starter(call) is not None]


def _starter(call: CallOp) -> str | None:
    function = SymbolTable.lookup_symbol(call, call.callee)
    name = function.attributes.get(START) if isinstance(function, FuncOp) else None
    return name.string_value() if isinstance(name, SymbolRefAttr) else None


def target_of_copy(call: CallOp) -> SSAValue | None:
    """The buffer that a copy writes."""
    return next(base_buffer(value) for value, _, writes in call.accesses if writes)


def bytes_of(child: Operation) -> int | None:
    """The bytes that the copies in ``child`` bring; None where that is no constant."""
    total = 0
    for call in box_copies(child):
        type_ = call.arguments[1].type
        assert isinstance(type_, MemRefType)
        element = type_.element_type
        assert isinstance(element, FixedBitwidthType)
        count = math.prod(type_.get_shape()) * element.bitwidth // 8
        for around in path_to(call):
            if isinstance(around, ForOp):
                if around.static_extent is None or around.axis is not None:
                    return None
                count *= around.static_extent
            elif isinstance(around, IfOp):
                return None
            if around is child:
                break
        total += count
    return total


@dataclass(frozen=True)
class Number:
    """How often something in a kernel was done before: an expression over indices."""

    expr: AffineExpr
    operands: tuple[SSAValue, ...]


def number_of(op: Operation) -> Number:
    """How often ``op`` was done before in its kernel, by the loops around it.

    Raises CodegenError KC4249 where that is no affine expression of them.
    """
    root = _kernel(op)
    loops = [loop for loop in all_loops_around(op) if loop.axis is None and is_inside(loop, root)]
    expr = AffineExpr.constant(0)
    for n, loop in enumerate(loops):
        if n and loop.static_extent is None:
            raise uncounted(op, f"loop {loop.label} has a number of iterations that is no constant")
        expr = expr * (loop.static_extent or 1) + AffineExpr.dimension(n)
    for around in path_to(op):
        if around is root:
            break
        if isinstance(around, IfOp) and any(is_inside(around, loop) for loop in loops):
            raise uncounted(op, "a condition in a loop says whether it is done")
    return Number(expr, tuple(loop.var for loop in loops))


def _kernel(op: Operation) -> Operation:
    """The outermost loop of threads around ``op``. Raises KC4249 where there is none."""
    threads = [loop for loop in all_loops_around(op) if loop.axis is not None]
    if not threads:
        raise uncounted(op, "it is outside of a kernel, and loops of threads make one")
    return threads[0]


def uncounted(op: Operation, why: str) -> CodegenError:
    calls = box_copies(op)
    name = buffer_name(calls[0].arguments[1]) if calls else "a box"
    if calls and isinstance(calls[0].arguments[1].owner, ViewOp):
        name = buffer_name(calls[0].arguments[1].owner.buffer)
    return CodegenError(
        "KC4249",
        f"plan-tensor-copies: copies to {name} cannot be counted",
        location=location_of(calls[0] if calls else op),
        why=f"{why}, and the phase of an mbarrier is how often it was used before",
        hints=["copy by vectorized loops there, without tma_load"],
    )


def new_ring(name: str, count: int, op: Operation) -> SSAValue:
    """A ring of so many mbarriers, in front of the outermost loop of ``op`` in its kernel that is
    none of threads."""
    place, root = op, _kernel(op)
    is_inmost = True
    for around in path_to(op):
        if around is root:
            break
        is_thread = isinstance(around, ForOp) and around.axis is not None
        if is_thread:
            is_inmost = False
        elif is_inmost or isinstance(around, ForOp):
            # Threads may be bound within a loop, and the phases go on through that.
            place, is_inmost = around, True
    type_ = MemRefType(i64, [count], memory_space=StringAttr("shared"))
    ring = AllocOp(name, type_)
    ring.attributes[MBARRIERS] = UnitAttr()
    init = MBarrierInitOp(ring.buffer)
    home = place.parent
    assert home is not None
    for new in (ring, init):
        new.location = op.location
    home.insert_ops_before([ring, init], place)
    return ring.buffer


def is_ring(buffer: SSAValue | None) -> bool:
    """Whether a buffer is a ring of mbarriers."""
    return (
        buffer is not None
        and isinstance(buffer.owner, AllocOp)
        and (MBARRIERS in buffer.owner.attributes)
    )


def start_copies(
    ring: SSAValue, number: Number, children: Sequence[Operation]
) -> dict[Operation, list[Operation]]:
    """Let the copies in ``children`` only start; gives what is in the place of each call."""
    slot = _slot(ring, number)
    new_ops: dict[Operation, list[Operation]] = {}
    for child in children:
        for call in box_copies(child):
            name = _starter(call)
            assert name is not None
            view = ViewOp(ring, AffineMap(len(number.operands), 0, (slot,)), number.operands, _SLOT)
            modes = [mode.data for mode in call.modes]
            start = CallOp(name, [*call.arguments, view.result], [*modes, "update"])
            start.attributes[ASYNC_COPY] = UnitAttr()
            home = call.parent
            assert home is not None
            new_ops[call] = [view, start]
            for new in new_ops[call]:
                new.location = call.location
            home.insert_ops_before(new_ops[call], call)
            call.detach()
            call.erase()
    return new_ops


def expectation(ring: SSAValue, number: Number, bytes_: int) -> MBarrierExpectOp:
    """What the copies of this time are to bring; in no block."""
    return MBarrierExpectOp(ring, _slot(ring, number), number.operands, bytes_)


def wait_for(ring: SSAValue, number: Number) -> MBarrierWaitOp:
    """What waits for the copies of this time; in no block."""
    phase = number.expr // _count(ring)
    return MBarrierWaitOp(ring, _slot(ring, number), phase, number.operands)


def _slot(ring: SSAValue, number: Number) -> AffineExpr:
    return number.expr % _count(ring)


def _count(ring: SSAValue) -> int:
    type_ = ring.type
    assert isinstance(type_, MemRefType)
    return type_.get_shape()[0]
