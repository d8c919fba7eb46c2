"""Copies of the body of an ``scf.for`` for consecutive iterations."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from kc.analysis.module_copy import copy_operation
from kc.conversion.transform_interpreter.tiling import Builder
from kc.dialects.scf import ForOp


def unroll(loop: ForOp, factor: int, *, is_asked: bool = False) -> str:
    """Unroll a loop by a factor; remaining iterations go into a loop after it.

    Returns the reason why the loop cannot be unrolled, or an empty text. With ``is_asked``, only
    the check is done.
    """
    bounds = [_constant(value) for value in (loop.lb, loop.ub, loop.step)]
    if any(bound is None for bound in bounds):
        return "its bounds or its step are not constant"
    start, end, step = (bound for bound in bounds if bound is not None)
    if step < 1:
        return f"its step is {step}"
    if is_asked or factor == 1:
        return ""
    count = max(0, -(-(end - start) // step))
    middle = start + count // factor * factor * step
    builder = Builder(InsertPoint.before(loop), loop)
    carried: list[SSAValue] = list(loop.iter_args)
    if count // factor:
        carried = _copies(loop, builder, (start, middle, step), factor, carried)
    if count % factor:
        carried = _copies(loop, builder, (middle, end, step), 1, carried)
    for old, new in zip(loop.results, carried, strict=True):
        new.name_hint = new.name_hint or old.name_hint
        old.replace_all_uses_with(new)
    loop.detach()
    loop.erase()
    return ""


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    attribute = owner.value if isinstance(owner, arith.ConstantOp) else None
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


def _copies(
    loop: ForOp,
    builder: Builder,
    bounds: tuple[int, int, int],
    factor: int,
    carried: list[SSAValue],
) -> list[SSAValue]:
    """A loop with ``factor`` copies of the body of ``loop``. Returns its results."""
    start, end, step = bounds
    old = loop.body.block
    body = Block(arg_types=[arg.type for arg in old.args])
    for new, arg in zip(body.args, old.args, strict=True):
        new.name_hint = arg.name_hint
    index = old.args[0].type

    def number(value: int, at: Builder) -> SSAValue:
        assert isinstance(index, IndexType | IntegerType)
        op = arith.ConstantOp(IntegerAttr(value, index))
        return at.add(op).results[0]

    copied = ForOp(
        number(start, builder),
        number(end, builder),
        number(step * factor, builder),
        carried,
        Region(body),
    )
    builder.add(copied)
    inner = Builder(InsertPoint.at_end(body), loop)
    values = list(body.args[1:])
    for n in range(factor):
        at: SSAValue = body.args[0]
        if n:
            at = inner.add(arith.AddiOp(at, number(n * step, inner))).results[0]
        mapping: dict[SSAValue, SSAValue] = dict(zip(old.args, [at, *values], strict=True))
        for op in old.ops:
            if isinstance(op, scf.YieldOp):
                values = [mapping.get(value, value) for value in op.operands]
                continue
            copy: Operation = copy_operation(op, mapping)
            body.add_op(copy)
    done = scf.YieldOp(*values)
    done.location = loop.location
    body.add_op(done)
    return list(copied.results)
