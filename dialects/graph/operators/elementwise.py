"""Functions of each element of one tensor, and tensors whose elements are all equal."""

from __future__ import annotations

from typing import ClassVar

from kc.dialects.graph.declaration import Operator, Pattern, declare_all, operator
from kc.dialects.graph.operators._relations import (
    ANY,
    BOOL,
    FLOATS,
    INTEGERS,
    NUMBERS,
    Size,
    checked_dtype,
    checked_sizes,
    require_dtype,
    require_rank,
)
from kc.dialects.graph.types import TensorSpec


class Unary(Operator):
    """A function of each element, whose result has the operand's type."""

    inputs = ("data",)
    pattern = Pattern.ELEMWISE
    dtypes: ClassVar[tuple[str, ...]] = ANY
    """The element types that it takes."""

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_dtype(data, self.dtypes, "data")
        return TensorSpec(data.shape, data.dtype)


class UnaryOfFloats(Unary):
    """A function of each element, which is a float."""

    dtypes = FLOATS


class UnaryOfNumbers(Unary):
    """A function of each element, which is a number."""

    dtypes = NUMBERS


class Test(UnaryOfNumbers):
    """A property of each element: a tensor of booleans."""

    def infer(self, data: TensorSpec) -> TensorSpec:
        return TensorSpec(super().infer(data).shape, "bool")


declare_all(
    UnaryOfFloats,
    {
        "exp": "The exponential of each element.",
        "log": "The natural logarithm of each element.",
        "log2": "The logarithm of base 2 of each element.",
        "log10": "The logarithm of base 10 of each element.",
        "sqrt": "The square root of each element.",
        "rsqrt": "1 / sqrt(x) of each element.",
        "cos": "The cosine of each element.",
        "sin": "The sine of each element.",
        "tan": "The tangent of each element.",
        "cosh": "The hyperbolic cosine of each element.",
        "sinh": "The hyperbolic sine of each element.",
        "tanh": "The hyperbolic tangent of each element.",
        "acos": "The inverse of the cosine of each element.",
        "asin": "The inverse of the sine of each element.",
        "atan": "The inverse of the tangent of each element.",
        "acosh": "The inverse of the hyperbolic cosine of each element.",
        "asinh": "The inverse of the hyperbolic sine of each element.",
        "atanh": "The inverse of the hyperbolic tangent of each element.",
        "sigmoid": "1 / (1 + exp(-x)) of each element.",
        "erf": "The error function of each element.",
        "exp2": "2 to the power of each element; kc's own.",
        "erfc": "1 minus the error function of each element, exact for large ones; kc's own.",
        "fast_exp": "An approximation of exp.",
        "fast_tanh": "An approximation of tanh.",
        "fast_erf": "An approximation of erf.",
    },
)
declare_all(
    UnaryOfNumbers,
    {
        "floor": "The next whole number below each element.",
        "ceil": "The next whole number above each element.",
        "trunc": "The whole part of each element.",
        "round": "The nearest whole number; of two, the even one.",
        "abs": "Each element without its sign.",
        "negative": "Each element with the other sign.",
        "sign": "1, 0 or -1 for each element; NaN stays.",
        "ceil_log2": "The logarithm of base 2, rounded up; kc's own.",
    },
)
declare_all(
    Test,
    {
        "isnan": "True where the element is NaN.",
        "isinf": "True where the element is infinite.",
        "isfinite": "True where the element is neither infinite nor NaN.",
    },
)


@operator
class Copy(Unary):
    """The tensor itself, computed."""

    name = "copy"


@operator
class LogicalNot(Unary):
    """True where the element is false."""

    name = "logical_not"
    dtypes = BOOL


@operator
class BitwiseNot(Unary):
    """All bits of each element turned; of booleans, logical_not."""

    name = "bitwise_not"
    dtypes = (*INTEGERS, *BOOL)


@operator
class Clip(UnaryOfNumbers):
    """Each element, limited to ``[a_min, a_max]``; NaN stays."""

    name = "clip"

    a_min: float
    a_max: float


@operator
class FixedPointMultiply(Unary):
    """``x * multiplier * 2**(shift - 31)`` of integers, halves rounded up."""

    name = "fixed_point_multiply"
    dtypes = ("int32",)

    multiplier: int
    shift: int


@operator
class Cast(Operator):
    """Each element as ``dtype``: a float as an integer loses its fraction."""

    name = "cast"
    inputs = ("data",)
    pattern = Pattern.ELEMWISE

    dtype: str

    def infer(self, data: TensorSpec) -> TensorSpec:
        return TensorSpec(data.shape, checked_dtype(self.dtype))


@operator
class CastLike(Operator):
    """Each element of ``data`` in the type of ``dtype_like``."""

    name = "cast_like"
    inputs = ("data", "dtype_like")
    pattern = Pattern.ELEMWISE

    def infer(self, data: TensorSpec, dtype_like: TensorSpec) -> TensorSpec:
        return TensorSpec(data.shape, dtype_like.dtype)


def _bits(dtype: str) -> int:
    digits = "".join(letter if letter.isdigit() else " " for letter in dtype).split()
    return int(digits[0]) if digits else 8


@operator
class Reinterpret(UnaryOfNumbers):
    """The bits of each element as another type of the same width."""

    name = "reinterpret"

    dtype: str

    def infer(self, data: TensorSpec) -> TensorSpec:
        dtype = checked_dtype(self.dtype, NUMBERS)
        if _bits(dtype) != _bits(super().infer(data).dtype):
            checked_dtype(dtype, [kind for kind in NUMBERS if _bits(kind) == _bits(data.dtype)])
        return TensorSpec(data.shape, dtype)


class Filled(Operator):
    """A tensor of equal elements."""

    inputs = ()
    pattern = Pattern.ELEMWISE


@operator
class Zeros(Filled):
    """A tensor of zeros."""

    name = "zeros"

    shape: tuple[Size, ...]
    dtype: str

    def infer(self) -> TensorSpec:
        return TensorSpec(checked_sizes(self.shape), checked_dtype(self.dtype))


@operator
class Ones(Filled):
    """A tensor of ones."""

    name = "ones"

    shape: tuple[Size, ...]
    dtype: str

    def infer(self) -> TensorSpec:
        return TensorSpec(checked_sizes(self.shape), checked_dtype(self.dtype))


@operator
class Full(Operator):
    """A tensor whose elements are all ``fill_value``, which has no dimensions.

    The element type is ``dtype``, that of ``fill_value`` if it is "".
    """

    name = "full"
    inputs = ("fill_value",)
    pattern = Pattern.ELEMWISE

    shape: tuple[Size, ...] = ()
    dtype: str = ""

    def infer(self, fill_value: TensorSpec) -> TensorSpec:
        require_rank(fill_value, 0, "fill_value")
        return TensorSpec(checked_sizes(self.shape), checked_dtype(self.dtype or fill_value.dtype))


declare_all(
    Unary,
    {
        "zeros_like": "A tensor of zeros, of the operand's type.",
        "ones_like": "A tensor of ones, of the operand's type.",
    },
)


@operator
class FullLike(Operator):
    """A tensor of the type of ``data`` whose elements are all ``fill_value``."""

    name = "full_like"
    inputs = ("data", "fill_value")
    pattern = Pattern.ELEMWISE

    def infer(self, data: TensorSpec, fill_value: TensorSpec) -> TensorSpec:
        require_rank(fill_value, 0, "fill_value")
        return TensorSpec(data.shape, data.dtype)
