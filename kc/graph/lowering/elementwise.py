"""The computations of :mod:`kc.dialects.graph.operators.elementwise`."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.declaration import Operator
from kc.dialects.graph.operators.elementwise import Cast, Clip, FixedPointMultiply, Reinterpret
from kc.dialects.graph.types import Spec, TensorSpec
from kc.expr.tensor import Tensor
from kc.graph.lowering import dims, lowering

_SAME = (
    "exp log log2 log10 sqrt rsqrt cos sin tan cosh sinh tanh acos asin atan acosh asinh atanh "
    "sigmoid erf exp2 erfc fast_exp fast_tanh fast_erf abs negative sign ceil_log2 isnan isinf "
    "isfinite logical_not bitwise_not"
).split()


@lowering(*_SAME)
def unary(op: Operator, data: Tensor) -> Tensor:
    """The function of topi that has the operator's name."""
    return getattr(topi, op.name)(data)


@lowering("floor", "ceil", "trunc", "round", also=["identity"])
def rounded(op: Operator, data: Tensor) -> Tensor:
    """The function of topi that has the operator's name; integers are whole already."""
    if "int" in data.dtype:
        return topi.identity(data)
    return getattr(topi, op.name)(data)


@lowering("copy", rows=["identity"])
def copy(op: Operator, data: Tensor) -> Tensor:
    """Lower to topi's identity."""
    return topi.identity(data)


@lowering("clip")
def clip(op: Clip, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.clip(data, op.a_min, op.a_max)


@lowering("fixed_point_multiply")
def fixed_point_multiply(op: FixedPointMultiply, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.fixed_point_multiply(data, op.multiplier, op.shift)


@lowering("cast")
def cast(op: Cast, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.cast(data, op.dtype)


@lowering("cast_like", rows=["cast"])
def cast_like(op: Operator, data: Tensor, dtype_like: Tensor) -> Tensor:
    """Lower to topi's cast."""
    return topi.cast(data, dtype_like.dtype)


@lowering("reinterpret")
def reinterpret(op: Reinterpret, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.reinterpret(data, op.dtype)


@lowering("zeros", "ones", rows=["full"], takes_result=True)
def constant(op: Operator, *, result: Spec) -> Tensor:
    """Lower to topi's full."""
    assert isinstance(result, TensorSpec)
    return topi.full(dims(result.shape, op.name), result.dtype, 1 if op.name == "ones" else 0)


@lowering("full", takes_result=True)
def full(op: Operator, fill_value: Tensor, *, result: Spec) -> Tensor:
    """Lower to topi's function."""
    assert isinstance(result, TensorSpec)
    return topi.full(dims(result.shape, op.name), result.dtype, fill_value())


@lowering("zeros_like", "ones_like", rows=["full_like"])
def constant_like(op: Operator, data: Tensor) -> Tensor:
    """Lower to topi's full_like."""
    return topi.full_like(data, 1 if op.name == "ones_like" else 0)


@lowering("full_like")
def full_like(op: Operator, data: Tensor, fill_value: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.full_like(data, fill_value())
