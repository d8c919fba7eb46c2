"""Tensor expressions: describe what each element of a tensor is, then schedule how to compute it.

The names, arguments and meanings are TVM's (``tvm.te``, Chen et al., OSDI 2018).
"""

from kc.support.diagnostics import TEError
from kc.te.expr import binary, const, intrinsic, reduction
from kc.te.expr import select as Select
from kc.te.schedule import Schedule, Stage, create_schedule
from kc.te.tensor import Tensor, compute, placeholder, reduce_axis, size_var, var
from kc.te.to_ir import INTRINSICS as _INTRINSICS

sum = reduction("sum")  # noqa: A001
min = reduction("min")  # noqa: A001
max = reduction("max")  # noqa: A001

globals().update({name: intrinsic(name) for name in (*_INTRINSICS, "sigmoid")})


def floordiv(a, b):
    """Integer quotient rounded down."""
    return binary("floordiv", a, b)


def floormod(a, b):
    """The remainder of :func:`floordiv`; it has the sign of ``b``."""
    return binary("floormod", a, b)


def truncdiv(a, b):
    """Integer quotient rounded towards zero, as in C."""
    return binary("truncdiv", a, b)


def truncmod(a, b):
    """The remainder of :func:`truncdiv`; it has the sign of ``a``."""
    return binary("truncmod", a, b)


indexdiv = floordiv
indexmod = floormod

__all__ = [
    "Schedule",
    "Select",
    "Stage",
    "TEError",
    "Tensor",
    "compute",
    "const",
    "create_schedule",
    "floordiv",
    "floormod",
    "indexdiv",
    "indexmod",
    "max",
    "min",
    "placeholder",
    "reduce_axis",
    "size_var",
    "sum",
    "truncdiv",
    "truncmod",
    "var",
]
