"""Rings of mbarriers around copies of boxes of tensors: expected bytes, starts and waits.

Shared by ``inject-software-pipeline``, in whose loops copies are in flight for several iterations,
and ``plan-tensor-copies``, which waits for all other copies immediately. A ring serves several
statements of a loop, which are rewritten together once all of them are known, so there is no
rewrite pattern.
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
"""The attribute of a function that copies a box; its value is the function that only starts the
copy.
"""

SPECIALIZED = "tir.warp_specialized"
"""The attribute of a ring whose copies are started by separate warps (``specialize-warps``)."""

_SLOT = MemRefType(i64, [1], StridedLayoutAttr([1], NoneAttr()), StringAttr("shared"))


def box_copies(op: Operation) -> list[CallOp]:
    """The copies of boxes in ``op`` that are complete when their call returns."""
    return [call for call in op.walk() if isinstance(call, CallOp) and _starter(call) is not None]


def _starter(call: CallOp) -> str | None:
    function = SymbolTable.lookup_symbol(call, call.callee)
    name = function.attributes.get(START) if isinstance(function, FuncOp) else None
    return name.string_value() if isinstance(name, SymbolRefAttr) else None


def target_of_copy(call: CallOp) -> SSAValue | None:
    """The buffer that a copy writes; None if the buffer is unknown."""
    return next(base_buffer(value) for value, _, writes in call.accesses if writes)


def bytes_of(child: Operation) -> int | None:
    """The bytes that the copies in ``child`` write; None if their number is not constant."""
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
    """The number of earlier executions of an operation: an expression over indices."""

    expr: AffineExpr
    operands: tuple[SSAValue, ...]


def number_of(op: Operation) -> Number:
    """The number of earlier executions of ``op`` in its kernel, from the loops around it.

    Raises CodegenError KC4249 if the number is not an affine expression of their variables.
    """
    root = _kernel(op)
    loops = [loop for loop in all_loops_around(op) if loop.axis is None and is_inside(loop, root)]
    expr = AffineExpr.constant(0)
    for n, loop in enumerate(loops):
        if n and loop.static_extent is None:
            raise uncounted(op, f"the number of iterations of loop {loop.label} is not constant")
        expr = expr * (loop.static_extent or 1) + AffineExpr.dimension(n)
    for around in path_to(op):
        if around is root:
            break
        if isinstance(around, IfOp) and any(is_inside(around, loop) for loop in loops):
            raise uncounted(op, "the copy is under a condition in a loop")
    return Number(expr, tuple(loop.var for loop in loops))


def _kernel(op: Operation) -> Operation:
    """The outermost thread loop around ``op``. Raises CodegenError KC4249 if ``op`` is outside of a
    kernel.
    """
    threads = [loop for loop in all_loops_around(op) if loop.axis is not None]
    if not threads:
        raise uncounted(op, "no loop of threads is around it, so it is outside of a kernel")
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
        why=f"{why}, and the phase of an mbarrier is the number of its earlier uses",
        hints=["copy by vectorized loops instead of tma_load"],
    )


def new_ring(name: str, count: int, op: Operation) -> SSAValue:
    """A ring of ``count`` mbarriers, allocated before the outermost serial loop around ``op`` in
    its kernel.
    """
    place, root = op, _kernel(op)
    is_inmost = True
    for around in path_to(op):
        if around is root:
            break
        is_thread = isinstance(around, ForOp) and around.axis is not None
        if is_thread:
            is_inmost = False
        elif is_inmost or isinstance(around, ForOp):
            # Threads may be bound within a loop, and the phases continue across its iterations.
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
    """True if a buffer is a ring of mbarriers."""
    return (
        buffer is not None
        and isinstance(buffer.owner, AllocOp)
        and (MBARRIERS in buffer.owner.attributes)
    )


def start_copies(
    ring: SSAValue, number: Number, children: Sequence[Operation]
) -> dict[Operation, list[Operation]]:
    """Replace the copies in ``children`` by operations that only start them. Returns the
    replacement of each call.
    """
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
    """The operation that announces the bytes of the current copies. It is not in a block."""
    return MBarrierExpectOp(ring, _slot(ring, number), number.operands, bytes_)


def wait_for(ring: SSAValue, number: Number) -> MBarrierWaitOp:
    """The operation that waits for the current copies. It is not in a block."""
    phase = number.expr // _count(ring)
    return MBarrierWaitOp(ring, _slot(ring, number), phase, number.operands)


def _slot(ring: SSAValue, number: Number) -> AffineExpr:
    return number.expr % _count(ring)


def _count(ring: SSAValue) -> int:
    type_ = ring.type
    assert isinstance(type_, MemRefType)
    return type_.get_shape()[0]
