"""Operators of two tensors whose shapes are broadcast as numpy does; a declaration each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kc.expr import functions as scalar
from kc.expr import intrinsics
from kc.expr.constructors import Expr, compare, match
from kc.expr.dtypes import FLOATS
from kc.expr.tags import BROADCAST
from kc.expr.tensor import Tensor, check_shape, shape_text
from kc.support.locations import caller_location
from kc.te.computes import compute
from kc.te.elementwise import combine
from kc.topi.arguments import agree, dim, is_size
from kc.topi.table import (
    ANY,
    BOOL,
    INTEGERS,
    NUMBERS,
    OF_INTEGERS,
    OF_TRUTHS,
    check_tensor,
    operator,
    refuse,
)


def _of_two(
    name: str,
    body: Callable[[Expr, Expr], Expr],
    types: tuple[str, ...],
    meaning: str,
    *,
    formula: str,
    numpy: str = "",
    onnx: str = "",
    torch: str = "",
    gradient: str = "te",
) -> Callable[[Any, Any], Any]:
    """The operator of a scalar function of two values."""

    def function(lhs: Any, rhs: Any) -> Any:
        for what, operand in (("lhs", lhs), ("rhs", rhs)):
            if isinstance(operand, Tensor):
                check_tensor(operand, what, types)
        if not isinstance(lhs, Tensor) and not isinstance(rhs, Tensor):
            return body(*match(lhs, rhs))
        if isinstance(lhs, Tensor):
            return combine(f"T_{name}", lambda a, b: body(*match(a, b)), lhs, rhs)
        return combine(f"T_{name}", lambda a, b: body(*match(b, a)), rhs, lhs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{meaning}\n\n    ``{formula}`` of two tensors, or of a tensor and a scalar; shapes are "
        "broadcast, types\n    meet as in :mod:`kc.te`. Raises KC2174 for shapes that do not fit, "
        "KC2301 for a type.\n    "
    )
    literal = '"bool"' if types == BOOL else '"int32"' if types[0] in INTEGERS else '"float32"'
    example = f"{name}(T(4, 3, dtype={literal}), T(3, dtype={literal}))"
    register = operator(
        BROADCAST, types, example, takes="", formula=formula, numpy=numpy, onnx=onnx, torch=torch,
        gradient=gradient,
    )  # fmt: skip
    return register(function)


def _compare(op: str) -> Callable[[Expr, Expr], Expr]:
    return lambda a, b: compare(op, a, b)


def _wide(function: Callable[[Any, Any], Expr]) -> Callable[[Expr, Expr], Expr]:
    return lambda a, b: function(a, b)


_BITS = (*INTEGERS, *BOOL)

add = _of_two(
    "add", lambda a, b: a + b, NUMBERS, "The sum; integers wrap around.",
    formula="lhs + rhs", numpy="add", onnx="Add", torch="add",
)  # fmt: skip
subtract = _of_two(
    "subtract", lambda a, b: a - b, NUMBERS, "The difference; integers wrap around.",
    formula="lhs - rhs", numpy="subtract", onnx="Sub", torch="sub",
)  # fmt: skip
multiply = _of_two(
    "multiply", lambda a, b: a * b, NUMBERS, "The product; integers wrap around.",
    formula="lhs * rhs", numpy="multiply", onnx="Mul", torch="mul",
)  # fmt: skip
divide = _of_two(
    "divide", intrinsics.div, NUMBERS, "The quotient; of integers, rounded towards zero.",
    formula="lhs / rhs", numpy="true_divide", onnx="Div", torch="div",
)  # fmt: skip
floor_divide = _of_two(
    "floor_divide", scalar.floordiv, NUMBERS, "The quotient rounded down, as numpy has it.",
    formula="floor(lhs / rhs)", numpy="floor_divide", torch="floor_divide", gradient="zero",
)  # fmt: skip
mod = _of_two(
    "mod", scalar.truncmod, NUMBERS,
    "The remainder of the quotient rounded towards zero; the sign is lhs's.",
    formula="lhs - trunc(lhs / rhs) * rhs", numpy="fmod", onnx="Mod", torch="fmod",
)  # fmt: skip
floor_mod = _of_two(
    "floor_mod", scalar.floormod, NUMBERS,
    "The remainder of the quotient rounded down; the sign is "
    "rhs's.", formula="lhs - floor(lhs / rhs) * rhs", numpy="mod", onnx="Mod", torch="remainder",
)  # fmt: skip
trunc_divide = _of_two(
    "trunc_divide", scalar.truncdiv, NUMBERS,
    "The quotient rounded towards zero; of floats, that of lhs / rhs.",
    formula="trunc(lhs / rhs)", gradient="zero",
)  # fmt: skip
trunc_mod = _of_two(
    "trunc_mod", scalar.truncmod, NUMBERS,
    "The exact remainder of the quotient rounded towards zero; the sign is lhs's.",
    formula="lhs - trunc(lhs / rhs) * rhs", numpy="fmod", torch="fmod",
)  # fmt: skip
maximum = _of_two(
    "maximum", _wide(scalar.max), ANY, "The larger; NaN where either is NaN, -0 below 0.",
    formula="max(lhs, rhs)", numpy="maximum", onnx="Max", torch="maximum",
)  # fmt: skip
minimum = _of_two(
    "minimum", _wide(scalar.min), ANY, "The smaller; NaN where either is NaN, -0 below 0.",
    formula="min(lhs, rhs)", numpy="minimum", onnx="Min", torch="minimum",
)  # fmt: skip
power = _of_two(
    "power", intrinsics.power, NUMBERS,
    "The power; of integers by repeated squaring, which wraps around.\n\n"
    "    A negative exponent of an integer gives 0, of 1 and -1 these; where it is constant, KC2317"
    ".", formula="lhs ** rhs", numpy="power", onnx="Pow", torch="pow",
)  # fmt: skip
atan2 = _of_two(
    "atan2", intrinsics.atan2, tuple(FLOATS),
    "The angle, from -pi to pi, of the point with the ordinate lhs and the abscissa rhs.",
    formula="atan2(lhs, rhs)", numpy="arctan2", torch="atan2",
)  # fmt: skip
left_shift = _of_two(
    "left_shift", intrinsics.shift_left, INTEGERS, "Bits moved up; 0 from the width on.",
    formula="lhs << rhs", numpy="left_shift", onnx="BitShift", torch="bitwise_left_shift",
    gradient=OF_INTEGERS,
)  # fmt: skip
right_shift = _of_two(
    "right_shift", intrinsics.shift_right, INTEGERS, "Bits moved down, with copies of the "
    "sign of signed types; only these from the width on.",
    formula="lhs >> rhs", numpy="right_shift", onnx="BitShift", torch="bitwise_right_shift",
    gradient=OF_INTEGERS,
)  # fmt: skip
logical_and = _of_two(
    "logical_and", lambda a, b: a & b, BOOL, "Whether both hold.",
    formula="lhs and rhs", numpy="logical_and", onnx="And", torch="logical_and", gradient=OF_TRUTHS,
)  # fmt: skip
logical_or = _of_two(
    "logical_or", lambda a, b: a | b, BOOL, "Whether one of them holds.",
    formula="lhs or rhs", numpy="logical_or", onnx="Or", torch="logical_or", gradient=OF_TRUTHS,
)  # fmt: skip
logical_xor = _of_two(
    "logical_xor", lambda a, b: a ^ b, BOOL, "Whether exactly one of them holds.",
    formula="lhs != rhs", numpy="logical_xor", onnx="Xor", torch="logical_xor", gradient=OF_TRUTHS,
)  # fmt: skip
bitwise_and = _of_two(
    "bitwise_and", lambda a, b: a & b, _BITS, "The bits that both have.",
    formula="lhs & rhs", numpy="bitwise_and", onnx="BitwiseAnd", torch="bitwise_and",
    gradient=OF_INTEGERS,
)  # fmt: skip
bitwise_or = _of_two(
    "bitwise_or", lambda a, b: a | b, _BITS, "The bits that one of them has.",
    formula="lhs | rhs", numpy="bitwise_or", onnx="BitwiseOr", torch="bitwise_or",
    gradient=OF_INTEGERS,
)  # fmt: skip
bitwise_xor = _of_two(
    "bitwise_xor", lambda a, b: a ^ b, _BITS, "The bits that exactly one of them has.",
    formula="lhs ^ rhs", numpy="bitwise_xor", onnx="BitwiseXor", torch="bitwise_xor",
    gradient=OF_INTEGERS,
)  # fmt: skip
greater = _of_two(
    "greater", _compare("gt"), ANY, "Whether lhs is larger; never with NaN.",
    formula="lhs > rhs", numpy="greater", onnx="Greater", torch="gt", gradient=OF_TRUTHS,
)  # fmt: skip
less = _of_two(
    "less", _compare("lt"), ANY, "Whether lhs is smaller; never with NaN.",
    formula="lhs < rhs", numpy="less", onnx="Less", torch="lt", gradient=OF_TRUTHS,
)  # fmt: skip
equal = _of_two(
    "equal", _compare("eq"), ANY, "Whether both are equal; NaN is equal to nothing.",
    formula="lhs == rhs", numpy="equal", onnx="Equal", torch="eq", gradient=OF_TRUTHS,
)  # fmt: skip
not_equal = _of_two(
    "not_equal", _compare("ne"), ANY, "Whether they differ; NaN differs from everything.",
    formula="lhs != rhs", numpy="not_equal", torch="ne", gradient=OF_TRUTHS,
)  # fmt: skip
greater_equal = _of_two(
    "greater_equal", _compare("ge"), ANY, "Whether lhs is not smaller; never with NaN.",
    formula="lhs >= rhs", numpy="greater_equal", onnx="GreaterOrEqual", torch="ge",
    gradient=OF_TRUTHS,
)  # fmt: skip
less_equal = _of_two(
    "less_equal", _compare("le"), ANY, "Whether lhs is not larger; never with NaN.",
    formula="lhs <= rhs", numpy="less_equal", onnx="LessOrEqual", torch="le", gradient=OF_TRUTHS,
)  # fmt: skip


@operator(
    BROADCAST, ANY, "broadcast_to(T(3, 1), (2, 3, 4))", numpy="broadcast_to", onnx="Expand",
    torch="broadcast_to",
)  # fmt: skip
def broadcast_to(data: Tensor, shape: Any) -> Tensor:
    """The tensor in a larger shape, its dimensions of 1 repeated.

    ``shape`` has at least the rank of ``data``; aligned at the right, sizes must be equal, or 1 in
    ``data``. Raises KC2303 otherwise.
    """
    dims = [dim(size) for size in check_shape(shape, "broadcast_to", caller_location())]
    lead = len(dims) - data.ndim
    own = [dim(size) for size in data.shape]
    if lead < 0 or not all(
        is_size(size, 1) or agree(size, whole) for size, whole in zip(own, dims[lead:], strict=True)
    ):
        raise refuse(
            "KC2303",
            f"{data.name} of the shape {shape_text(data.shape)} to the shape {shape_text(dims)}",
            "aligned at the right, each dimension must be 1 or that of the result",
        )

    def body(*axes: Any) -> Expr:
        return data(
            *(0 if is_size(size, 1) else axis for size, axis in zip(own, axes[lead:], strict=True))
        )

    return compute(dims, body, "T_broadcast_to", tag=BROADCAST)
