"""The gradient of an operator without a rule: the operator ``vjp`` of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xdsl.ir import SSAValue

from kc import te
from kc.dialects.graph.declaration import Operator, OperatorOp
from kc.dialects.graph.operators.differentiation import Vjp, leaves
from kc.dialects.graph.sizes import SizeExpr
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.expr.dtypes import is_float
from kc.graph.gradients import Emitter
from kc.graph.lowering import compute, lowering_of
from kc.support.diagnostics import GraphError, KCError
from kc.support.locations import location_of


def vjp_of(
    at: Emitter, op: OperatorOp, heads: Sequence[SSAValue | None], wrt: Sequence[int]
) -> list[SSAValue]:
    """The gradients of the operands ``wrt`` of an operator, of the heads of its results.

    Raises GraphError KC2480 if ``te.gradient`` has none.
    """
    operator = op.operator
    positions = [n for n, head in enumerate(heads) if head is not None]
    options = tuple(sorted(operator.attributes().items()))
    specs = [spec for spec in op.specs() if spec is not None]
    own = Vjp(operator.name, options, len(op.inputs), tuple(positions), tuple(wrt))
    results = spec_of(op.result.type)
    parts = () if results is None else leaves(results)
    reason = _refusal(own, operator, (*specs, *(parts[n] for n in positions)))
    if reason is not None:
        raise not_differentiable(op, reason)
    present = [head for head in heads if head is not None]
    result = at(
        "vjp",
        *op.inputs,
        *present,
        operator=own.operator,
        options=own.options,
        count=own.count,
        heads=own.heads,
        wrt=own.wrt,
    )
    return [at.field(result, n) for n in range(len(wrt))]


def not_differentiable(op: OperatorOp, reason: str) -> GraphError:
    """The refusal (KC2480) of an operator without a gradient."""
    return GraphError(
        "KC2480",
        f"gradient: {op.OPERATOR.name} has no gradient here",
        location=location_of(op),
        why=reason,
        hints=["a constant operand needs none; kc.graph.gradients has the rules"],
    )


@lru_cache(1024)
def _refusal(own: Vjp, operator: Operator, specs: tuple[TensorSpec, ...]) -> str | None:
    """Why an operator cannot be differentiated; None if it can."""
    if lowering_of(operator) is None:
        return "it has no computation"
    if operator.value_inputs:
        return f"the sizes of its result depend on the elements of {operator.value_inputs[0]}"
    names: dict[str, te.Var] = {}
    sizes = [size for spec in specs for size in spec.shape if isinstance(size, SizeExpr)]
    for name in sorted({name for size in sizes for name in size.names}):
        names[name] = te.var(name)
    from kc.dialects.graph.sizes import evaluate

    def placeholder(n: int, spec: TensorSpec) -> te.Tensor:
        shape = [
            evaluate(size, names) if size is not None else te.var("any") for size in spec.shape
        ]
        return te.placeholder(shape, spec.dtype, f"p{n}")

    try:
        compute(own, [placeholder(n, spec) for n, spec in enumerate(specs)])
    except KCError as error:
        return " ".join(str(getattr(error, "message", error)).split("\n")[:1]) + (
            f": {error.why}" if getattr(error, "why", None) else ""
        )
    return None


def differentiable_operands(op: OperatorOp) -> list[int]:
    """The positions of the operands that are tensors of floats."""
    return [n for n, spec in enumerate(op.specs()) if spec is not None and is_float(spec.dtype)]
