"""Functions of the elements of a single tensor; the plain ones are declarations."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from kc.expr import functions as scalar
from kc.expr import intrinsics
from kc.expr.constructors import Expr, as_expr, compare, const, select
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import FLOATS, bits, check_dtype, is_bool, is_float, is_signed
from kc.expr.reducers import max_value, min_value
from kc.expr.tags import ELEMWISE
from kc.expr.tensor import Tensor, check_shape
from kc.support.float_formats import upper_limit
from kc.support.locations import caller_location
from kc.te.computes import compute
from kc.te.elementwise import one_by_one
from kc.topi.arguments import same_shape, whole
from kc.topi.kinds import shown
from kc.topi.table import ANY, BOOL, INTEGERS, NUMBERS, OF_INTEGERS, OF_TRUTHS, operator, refuse

FLOAT = tuple(FLOATS)


def _of_one(
    name: str,
    body: Callable[[Expr], Expr],
    types: tuple[str, ...],
    meaning: str,
    *,
    formula: str = "",
    numpy: str = "",
    onnx: str = "",
    torch: str | None = None,
    gradient: str = "te",
) -> Callable[[Any], Any]:
    """The operator of a scalar function of one value; ``torch`` has the same name by default."""

    def function(x: Any) -> Any:
        return one_by_one(f"T_{name}", body, x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{meaning}\n\n    The shape and the type are those of ``x``.\n    "
    dtype = "bool" if types == BOOL else "int32" if types[0] in INTEGERS else "float32"
    enter = operator(
        ELEMWISE, types, f'{name}(T(4, 3, dtype="{dtype}"))', formula=formula or f"{name}(x)",
        numpy=numpy, onnx=onnx, torch=name if torch is None else torch, gradient=gradient,
    )  # fmt: skip
    return enter(function)


def in_wide(body: Callable[[Expr], Expr]) -> Callable[[Expr], Expr]:
    """A function that computes in float32 for narrower types."""

    def function(x: Expr) -> Expr:
        if is_narrow(x.dtype):
            return convert(body(convert(x, "float32")), x.dtype)
        return body(x)

    return function


def _known(
    name: str, meaning: str, numpy: str | None = None, onnx: str | None = None, **more: Any
) -> Any:
    """The operator of an intrinsic of te; the names in numpy and ONNX default to the
    intrinsic's.
    """
    body = getattr(scalar, name, None) or getattr(intrinsics, name)
    numpy, onnx = name if numpy is None else numpy, name.capitalize() if onnx is None else onnx
    return _of_one(name, body, FLOAT, meaning, numpy=numpy, onnx=onnx, **more)


acos = _known("acos", "The angle from 0 to pi of a cosine; NaN outside of [-1, 1].", "arccos")
acosh = _known("acosh", "The inverse of cosh; NaN below 1.", "arccosh")
asin = _known("asin", "The angle from -pi/2 to pi/2 of a sine; NaN outside of [-1, 1].", "arcsin")
asinh = _known("asinh", "The inverse of sinh.", "arcsinh")
atan = _known("atan", "The angle from -pi/2 to pi/2 of a tangent.", "arctan")
atanh = _known("atanh", "The inverse of tanh; infinite at -1 and 1, NaN outside.", "arctanh")
cos = _known("cos", "The cosine.")
cosh = _known("cosh", "The hyperbolic cosine.")
sin = _known("sin", "The sine.")
sinh = _known("sinh", "The hyperbolic sine.")
tan = _known("tan", "The tangent.")
tanh = _known("tanh", "The hyperbolic tangent.")
exp = _known("exp", "e to the power of x.")
exp2 = _known("exp2", "2 to the power of x.", onnx="")
log = _known("log", "The natural logarithm; -infinity at 0, NaN below.")
log2 = _known("log2", "The logarithm of base 2; -infinity at 0, NaN below.", onnx="")
log10 = _known("log10", "The logarithm of base 10; -infinity at 0, NaN below.", onnx="")
sqrt = _known("sqrt", "The square root; NaN below 0.")
rsqrt = _known("rsqrt", "1 / sqrt(x): infinite at 0, NaN below.", "", "", formula="1 / sqrt(x)")
erf = _known("erf", "The error function.", "", torch="special.erf")
sigmoid = _of_one(
    "sigmoid", in_wide(scalar.sigmoid), FLOAT, "1 / (1 + exp(-x)).", onnx="Sigmoid",
    formula="1 / (1 + exp(-x))",
)  # fmt: skip
_STEP = {"gradient": "zero"}
floor = _known("floor", "The next whole number below.", **_STEP)
ceil = _known("ceil", "The next whole number above.", **_STEP)
trunc = _known("trunc", "The whole part.", onnx="", **_STEP)
round = _known("round", "The nearest whole number; halves to the even one.", **_STEP)  # noqa: A001


def _abs(x: Expr) -> Expr:
    return scalar.abs(x) if is_float(x.dtype) or is_signed(x.dtype) else x


def _negative(x: Expr) -> Expr:
    return -x


def _sign(x: Expr) -> Expr:
    zero, unit = const(0, x.dtype), const(1, x.dtype)
    if not is_float(x.dtype):
        positive = select(x > 0, unit, zero)
        return select(x < 0, const(-1, x.dtype), positive) if is_signed(x.dtype) else positive
    small = select(compare("eq", x, zero), zero, x)  # NaN stays, -0 becomes 0
    return select(x > 0, unit, select(x < 0, const(-1, x.dtype), small))


abs = _of_one(  # noqa: A001
    "abs", _abs, NUMBERS, "The size; of the lowest integer, itself.", numpy="abs", onnx="Abs"
)
negative = _of_one(
    "negative", _negative, NUMBERS, "-x; of integers, 0 - x, which wraps around.",
    formula="-x", numpy="negative", onnx="Neg", torch="neg",
)  # fmt: skip
sign = _of_one(
    "sign", _sign, NUMBERS, "1, 0 or -1; NaN of NaN, 0 of -0.", numpy="sign", onnx="Sign",
    gradient="zero",
)  # fmt: skip
identity = _of_one(
    "identity", lambda x: x, ANY, "The tensor itself, computed.", formula="x", onnx="Identity",
    numpy="copy", torch="clone",
)  # fmt: skip
isnan = _of_one(
    "isnan", intrinsics.isnan, NUMBERS, "Whether it is NaN, as bool.", numpy="isnan", onnx="IsNaN",
    gradient=OF_TRUTHS,
)  # fmt: skip
isinf = _of_one(
    "isinf", intrinsics.isinf, NUMBERS, "Whether it is infinite, as bool.", numpy="isinf",
    onnx="IsInf", gradient=OF_TRUTHS,
)  # fmt: skip
isfinite = _of_one(
    "isfinite", intrinsics.isfinite, NUMBERS, "Whether it is neither NaN nor infinite, as bool.",
    numpy="isfinite", gradient=OF_TRUTHS,
)  # fmt: skip
logical_not = _of_one(
    "logical_not", lambda x: ~x, BOOL, "Whether it does not hold.", formula="not x",
    numpy="logical_not", onnx="Not", gradient=OF_TRUTHS,
)  # fmt: skip
bitwise_not = _of_one(
    "bitwise_not", lambda x: ~x, (*INTEGERS, *BOOL), "All bits turned; of bool, not.",
    formula="~x", numpy="bitwise_not", onnx="BitwiseNot", gradient=OF_INTEGERS,
)  # fmt: skip


def _float_ceil_log2(x: Expr) -> Expr:
    """The logarithm from the exponent; the logarithm function would round just above a power of
    two.
    """
    if bits(x.dtype) < 32:
        return convert(_float_ceil_log2(convert(x, "float32")), x.dtype)
    kind, digits, bias = ("int32", 23, 127) if bits(x.dtype) == 32 else ("int64", 52, 1023)
    small = x < 2.0 ** (1 - bias)
    normal = select(small, x * 2.0**digits, x)
    pattern = intrinsics.reinterpret(kind, normal)
    exponent = (pattern >> const(digits, kind)) - bias
    part = compare("ne", pattern & const((1 << digits) - 1, kind), const(0, kind))
    up = convert(exponent, x.dtype) + convert(part, x.dtype)
    up = select(small, up - float(digits), up)
    return select((x > 0) & intrinsics.isfinite(x), up, scalar.log2(x))


def _ceil_log2(x: Expr) -> Expr:
    if is_float(x.dtype):
        return _float_ceil_log2(x)
    width = const(bits(x.dtype), "int32")
    return convert(width - intrinsics.clz(x - const(1, x.dtype)), x.dtype)


ceil_log2 = _of_one(
    "ceil_log2", _ceil_log2, NUMBERS, "The logarithm of base 2, rounded up; exact for integers.\n\n"
    "    An integer is at least 1.", formula="ceil(log2(x))", torch="", gradient="zero",
)  # fmt: skip


@operator(ELEMWISE, NUMBERS, "clip(T(4, 3), -1.0, 1.0)", numpy="clip", onnx="Clip", torch="clamp")
def clip(x: Tensor, a_min: Any, a_max: Any) -> Tensor:
    """``max(min(x, a_max), a_min)``: the element, limited to the bounds.

    The bounds are numbers or scalar expressions, converted to x's type; a number out of the type's
    range becomes the type's limit. ``a_min > a_max`` gives a_min. NaN stays NaN.
    """
    low, high = _bound(a_min, x.dtype), _bound(a_max, x.dtype)
    return one_by_one("T_clip", lambda value: scalar.max(scalar.min(value, high), low), x)


def _bound(value: Any, dtype: str) -> Expr:
    if isinstance(value, Expr) or hasattr(value, "__kc_scalar__"):
        return convert(as_expr(value), dtype)
    try:
        bound = float(value)
    except (TypeError, ValueError):
        why = "it must be a number or a scalar expression"
        raise refuse("KC2319", f"a bound is {shown(value)}", why) from None
    top, bottom = max_value(dtype).value, min_value(dtype).value
    if is_float(dtype):
        limit = upper_limit(dtype)
        bound = limit if bound > top else -limit if bound < bottom else bound
        return const(bound, dtype)
    if bound >= top or bound <= bottom:
        return const(int(top if bound > 0 else bottom), dtype)
    if math.isnan(bound):
        raise refuse(
            "KC2317", f"the bound NaN for elements of type {dtype}", "a bound must not be NaN"
        )
    return const(int(value), dtype)


@operator(
    ELEMWISE, ANY, 'cast(T(4, 3), "float64")', formula="x as dtype", numpy="astype", onnx="Cast",
    torch="to",
)  # fmt: skip
def cast(x: Tensor, dtype: str) -> Tensor:
    """The elements converted to ``dtype``: floats to integers truncate, to bool is ``!= 0``.

    What is beyond a type of integers becomes its limit, NaN 0. Raises KC2001 for an unknown type.
    """
    kind = check_dtype(dtype)
    return one_by_one("T_cast", lambda value: convert(value, kind), x)


def is_narrow(dtype: str) -> bool:
    """True if a float type has less than 32 bits; operators that round then compute in float32."""
    return bits(dtype) < bits("float32")


def wide_type(dtype: str) -> str:
    """float32 for narrow floats; any other type is unchanged."""
    return "float32" if is_narrow(dtype) else dtype


def as_wide(x: Tensor) -> Tensor:
    """A tensor of narrow floats converted to float32, exactly; any other tensor is unchanged."""
    return cast(x, "float32") if is_narrow(x.dtype) else x


@operator(
    ELEMWISE, NUMBERS, 'reinterpret(T(4, 3), "int32")', formula="the bits of x as dtype",
    numpy="view", onnx="BitCast", torch="view", gradient="it works on the bits of a value",
)  # fmt: skip
def reinterpret(x: Tensor, dtype: str) -> Tensor:
    """The same bits read as another type of the same width (KC2062)."""
    return one_by_one("T_reinterpret", lambda value: intrinsics.reinterpret(dtype, value), x)


@operator(
    ELEMWISE, NUMBERS, "elemwise_sum([T(4, 3), T(4, 3), T(4, 3)])", takes="tensors",
    formula="x[0] + x[1] + ...", onnx="Sum",
)  # fmt: skip
def elemwise_sum(xs: Sequence[Tensor]) -> Tensor:
    """The sum of one or more tensors of one shape, added from the left (KC2303)."""
    for tensor in xs[1:]:
        same_shape(xs[0], tensor, "elemwise_sum adds element by element, without broadcasting")

    def body(*axes: Any) -> Expr:
        total = xs[0](*axes)
        for tensor in xs[1:]:
            total = total + tensor(*axes)
        return total

    return compute(xs[0].shape, body, "T_elemwise_sum", tag=ELEMWISE)


@operator(
    ELEMWISE, ANY, 'full((4, 3), "float32", 2.5)', takes="", formula="fill_value", numpy="full",
    onnx="ConstantOfShape", torch="full", gradient="zero",
)  # fmt: skip
def full(shape: Any, dtype: str, fill_value: Any) -> Tensor:
    """A tensor whose elements are all ``fill_value``, a number or a scalar expression."""
    kind = check_dtype(dtype)
    dims = check_shape(shape, "full", caller_location())
    return compute(dims, lambda *_: _filled(fill_value, kind), "T_full", tag=ELEMWISE)


@operator(
    ELEMWISE, ANY, "full_like(T(4, 3), 2.5)", formula="fill_value", numpy="full_like",
    torch="full_like", gradient="zero",
)  # fmt: skip
def full_like(x: Tensor, fill_value: Any) -> Tensor:
    """A tensor of the shape and type of ``x`` whose elements are all ``fill_value``."""
    return compute(x.shape, lambda *_: _filled(fill_value, x.dtype), "T_full_like", tag=ELEMWISE)


def _filled(value: Any, dtype: str) -> Expr:
    if isinstance(value, Expr) or hasattr(value, "__kc_scalar__"):
        return convert(as_expr(value), dtype)
    if is_bool(dtype):
        return const(bool(value), dtype)
    return const(value if is_float(dtype) else int(value), dtype)


@operator(
    ELEMWISE, ("int32",), 'fixed_point_multiply(T(4, dtype="int32"), 1 << 30, 2)',
    gradient=OF_INTEGERS, formula="round(x * multiplier * 2**(shift - 31))",
)  # fmt: skip
def fixed_point_multiply(x: Tensor, multiplier: int, shift: int) -> Tensor:
    """The product with a number of 31 fractional bits, and with a power of two; halves round up.

    ``multiplier`` and ``shift`` are numbers. Source: gemmlowp.
    """
    factor, right = whole(multiplier, "multiplier"), -whole(shift, "shift")

    def body(value: Expr) -> Expr:
        return intrinsics.q_multiply_shift(value, const(factor), const(31), const(right))

    return one_by_one("T_fixed_point_multiply", body, x)
