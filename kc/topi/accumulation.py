"""The types in which operators accumulate, and the types of their results.

float16, bfloat16 and 8-bit floats have 11, 8 and fewer digits: a sum of ones in bfloat16 ends at
256. Operators therefore accumulate in float32 unless the caller requests another type.
"""

from __future__ import annotations

from dataclasses import dataclass

from kc.expr.constructors import Expr
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import check_dtype, is_bool, is_float
from kc.expr.tags import ELEMWISE
from kc.expr.tensor import Tensor
from kc.te.computes import compute
from kc.topi.elementwise import wide_type
from kc.topi.table import refuse


@dataclass(frozen=True)
class Accumulation:
    """Terms are computed and added up in the type ``within``, and the sum is rounded once."""

    within: str
    result: str
    """The type of the result."""

    def wide(self, value: Expr) -> Expr:
        """An operand in the type of the terms."""
        return convert(value, self.within)

    def rounded(self, total: Tensor) -> Tensor:
        """A sum in the type of the result."""
        if total.dtype == self.result:
            return total
        return compute(
            total.shape,
            lambda *at: convert(total(*at), self.result),
            f"{total.name}_cast",
            tag=ELEMWISE,
        )


def _within(dtype: str) -> str:
    """The default accumulation type of elements."""
    return wide_type(dtype) if is_float(dtype) else dtype


def float_type(dtype: str) -> str:
    """The type of means and of functions of ``dtype``: float64, or else float32."""
    return "float64" if dtype == "float64" else "float32"


def accumulation(
    dtype: str, acc_dtype: str | None, out_dtype: str | None = None, default: str = ""
) -> Accumulation:
    """The types of an operator on elements of ``dtype``.

    ``acc_dtype`` is the type of the sums. Its default is ``out_dtype`` if that is set, as in TVM;
    else ``default``, whose default is float32 for narrow floats and ``dtype`` for other types. The
    result has the type ``out_dtype``, or ``dtype``. Raises KC2001 for an invalid type, KC2301 for
    sums of floats in a type that is not a float.
    """
    result = check_dtype(out_dtype) if out_dtype else dtype
    if not acc_dtype:
        return Accumulation(result if out_dtype else default or _within(dtype), result)
    within = check_dtype(acc_dtype)
    if is_bool(within) or (is_float(dtype) and not is_float(within)):
        raise refuse(
            "KC2301",
            f"acc_dtype is {within}",
            f"{dtype} is added up in a type of " + ("floats" if is_float(dtype) else "numbers"),
            f'acc_dtype="{_within(dtype)}"',
        )
    return Accumulation(within, result)


def largest_integer(dtype: str) -> str:
    """The accumulation type of integers whose sum may exceed their own type."""
    return "uint64" if dtype == "uint64" else "int64"
