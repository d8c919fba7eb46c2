"""Before a build, the rules of ``register_intrin_lowering`` replace the calls of operators."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis.loop_tree import preorder
from kc.dialects import tir
from kc.dialects.tir.calls import dtype_name
from kc.expr.constructors import Call, as_expr
from kc.expr.op_attributes import Rule, is_known, rules_of
from kc.expr.scalar_ops import INTRINSICS
from kc.support.diagnostics import TEError
from kc.support.locations import location_of
from kc.support.target import Target
from kc.te.body import Body
from kc.tir.stmt import Value

_NAMES = {op_class: f"tir.{name}" for name, op_class in reversed(INTRINSICS.items())}


def lower_operators(module: ModuleOp, target: Target) -> None:
    """Replace the calls in ``module`` of operators that have a rule for ``target``.

    Raises TEError KC2180 if a rule returns anything but a value of the call's type, KC2181 for a
    call of a user-defined operator without a rule.
    """
    rules = rules_of(target.kind.name)
    pending = [(op, frozenset[str]()) for op in preorder(module)]
    while pending:
        op, within = pending.pop()
        name = _name(op)
        if name is None or name in within:
            continue
        rule = rules.get(name)
        added = [] if rule is None else _apply(rule, name, op)
        pending += [(new, within | {name}) for new in added]
        if not added and is_known(name) and isinstance(op, tir.CallExternOp):
            raise TEError(
                "KC2181",
                f"{name}: no rule defines the operator for the target '{target.kind.name}'",
                location=location_of(op),
                why="a registered rule must define a user's operator",
                hints=[f'tvm.ir.register_intrin_lowering("{name}", "default", f=rule)'],
            )


def _name(op: Operation) -> str | None:
    """The name of the operator that ``op`` calls. None if ``op`` is no call with one result."""
    if isinstance(op, tir.CallExternOp):
        name = op.callee.data
        return name if is_known(name) and len(op.results) == 1 else None
    return _NAMES.get(type(op))


def _apply(rule: Rule, name: str, op: Operation) -> list[Operation]:
    """Replace ``op`` by the expression that ``rule`` returns. The result is the list of new
    operations; it is empty if the rule keeps the call.
    """
    location = location_of(op)
    args = tuple(
        Value(operand.name_hint or f"x{n}", dtype_name(operand.type), location)
        for n, operand in enumerate(op.operands)
    )
    result = op.results[0]
    dtype = dtype_name(result.type)
    call = Call(name.removeprefix("tir."), args, dtype, location)
    replacement: Any = rule(call)
    if replacement is None or replacement is call:
        return []
    expr = as_expr(replacement, dtype)
    if expr.dtype != dtype:
        raise TEError(
            "KC2180",
            f"{name}: its rule returns a value of type {expr.dtype}",
            location=location,
            why=f"the call has a result of type {dtype}",
            hints=[f'(...).astype("{dtype}")'],
        )
    block = Block()
    body = Body(block, {}, {}, frozenset())
    body.memo.update(zip(args, op.operands, strict=True))
    value = body.value(expr)
    added = list(block.ops)
    for new in added:
        new.detach()
        new.location = op.location
    Rewriter.insert_op(added, InsertPoint.before(op))
    result.replace_all_uses_with(value)
    op.detach()
    op.erase()
    return added
