"""The operators' own gradient rules, see :mod:`kc.te.autodiff.own_rules`.

The derived adjoint of an element that indices select (indices, coordinates of a grid) is a sum over
all possible readers. The rules here add contributions in loops over the actual readers.
"""

from __future__ import annotations

from typing import Any

from kc.expr.constructors import Element, Expr, all_of, const, if_then_else, walk
from kc.expr.constructors import cast as convert
from kc.expr.rewrite import Substitution
from kc.expr.tensor import ComputeOp, Tensor
from kc.te.autodiff.own_rules import with_rules
from kc.te.autodiff.rules import reads
from kc.te.computes import compute
from kc.topi.loops import Loops, written

GPUS = ("gpu", "cuda")
"""The keys of targets whose loops are shared by threads."""


class _Loads(Substitution):
    """Expressions over the axes of an operation, for loops: elements are loaded from buffers."""

    def __init__(self, axes: Any, buffers: dict[Tensor, Any]) -> None:
        super().__init__(axes)
        self.buffers = buffers

    def _copy(self, expr: Expr) -> Expr:
        copied = super()._copy(expr)
        if isinstance(copied, Element):
            return self.buffers[copied.tensor][tuple(copied.indices)]
        return copied


def scattered(result: Tensor, *operands: Tensor) -> Tensor:
    """``result``, a compute without a reduction, with adjoints of ``operands`` accumulated by
    loops.

    The contributions are added in the order of the result's elements, row-major, in float32 or
    wider. If a GPU is the current target, the adjoint is derived, because threads cannot share such
    loops.
    """
    return with_rules(
        result,
        {operand: lambda head, o=operand: _added_up(result, o, head) for operand in operands},
    )


def _added_up(result: Tensor, operand: Tensor, head: Tensor) -> Tensor | None:
    # Writing expressions does not need targets, so they are imported here.
    from kc.support.target import Target

    target = Target.current()
    if target is not None and any(key in GPUS for key in target.keys):
        return None
    op = result.op
    assert isinstance(op, ComputeOp)
    body = op.bodies[result.value_index]
    accesses = list(reads(body, head(*op.axis), {operand}))
    kind = "float64" if operand.dtype == "float64" else "float32"
    inputs: dict[Tensor, None] = {}
    for read in accesses:
        for root in (*read.element.indices, read.flow, *read.conditions):
            for part in walk(root):
                if isinstance(part, Element):
                    inputs[part.tensor] = None

    def statements(loops: Loops) -> None:
        (total,) = loops.outs
        buffers = dict(zip(inputs, loops.ins, strict=True))
        zero = const(0.0, kind)
        loops.nest(operand.shape, lambda *at: total.__setitem__(at, zero), "z")

        def add(*at: Any) -> None:
            load = _Loads(dict(zip(op.axis, at, strict=True)), buffers)
            for read in accesses:
                place = tuple(map(load, read.element.indices))
                condition = all_of(*map(load, read.conditions)) if read.conditions else const(True)
                with loops.ib.if_scope(condition):
                    total[place] = total[place] + convert(load(read.flow), kind)

        loops.nest(result.shape, add)

    name = f"{operand.name}_grad"
    (total,) = written(name, [operand.shape], [kind], [*inputs], statements, "scatter")
    with_rules(total, {head: lambda again: _read_back(result, operand, again)})
    if kind == operand.dtype:
        return total
    return compute(total.shape, lambda *at: convert(total(*at), operand.dtype), f"{name}_cast")


def _read_back(result: Tensor, operand: Tensor, head: Tensor) -> Tensor:
    """The derivative of :func:`_added_up` with respect to its head: each contribution reads the
    head at the index of its target.
    """
    op = result.op
    assert isinstance(op, ComputeOp)
    accesses = list(reads(op.bodies[result.value_index], const(1.0, result.dtype), {operand}))

    def body(*at: Any) -> Expr:
        own = Substitution(dict(zip(op.axis, at, strict=True)))
        total: Expr = const(0.0, result.dtype)
        for read in accesses:
            value = convert(head(*map(own, read.element.indices)), result.dtype) * own(read.flow)
            if read.conditions:
                holds = all_of(*map(own, read.conditions))
                value = if_then_else(holds, value, const(0.0, result.dtype))
            total = total + value
        return total

    return compute(result.shape, body, f"{head.name}_read")
