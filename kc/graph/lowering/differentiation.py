"""The computation of :mod:`kc.dialects.graph.operators.differentiation`."""

from __future__ import annotations

from collections.abc import Sequence

from kc import te, topi
from kc.dialects.graph.operators.differentiation import Vjp
from kc.expr.dtypes import is_float
from kc.expr.tensor import Tensor
from kc.graph.lowering import Bounded, compute, lowering


@lowering("vjp", rows=["add", "full_like"])
def vjp(op: Vjp, *operands: Tensor) -> Sequence[Tensor]:
    """``te.gradient`` of the operator's computation, summed over the parts of its result."""
    primals, heads = operands[: op.count], operands[op.count :]
    results = compute(op.differentiated, primals)
    inputs = [primals[position] for position in op.wrt]
    sums: list[Tensor | None] = [None] * len(inputs)
    for position, head in zip(op.heads, heads, strict=True):
        result = results[position]
        assert not isinstance(result, Bounded)
        if not is_float(result.dtype):
            continue
        for n, part in enumerate(_gradients(result, inputs, head)):
            before = sums[n]
            if part is not None:
                sums[n] = part if before is None else topi.add(before, part)
    return [
        topi.full_like(tensor, 0.0) if total is None else total
        for tensor, total in zip(inputs, sums, strict=True)
    ]


def _gradients(result: Tensor, inputs: Sequence[Tensor], head: Tensor) -> list[Tensor | None]:
    """The gradients of one tensor; None for an operand that it does not depend on."""
    if any(result.op is tensor.op for tensor in inputs):  # an operand that passes through
        return [head if result.op is tensor.op else None for tensor in inputs]
    return list(te.gradient(result, list(inputs), head))
