"""Tensor expressions: describe what each element of a tensor is, then schedule how to compute it.

The names, arguments and meanings are TVM's (``tvm.te``, Chen et al., OSDI 2018).
"""

from kc.support.diagnostics import TEError
from kc.te import hybrid, schedule
from kc.te.calls import trace
from kc.te.computes import compute
from kc.te.expr import all_of as all  # noqa: A004
from kc.te.expr import any_of as any  # noqa: A004
from kc.te.expr import binary, const, if_then_else, intrinsic
from kc.te.expr import select as Select
from kc.te.extern import ExternOp, extern, extern_primfunc
from kc.te.gradient import gradient
from kc.te.intrinsics import *  # noqa: F403
from kc.te.intrinsics import __all__ as _intrinsics
from kc.te.prim_func import create_prim_func
from kc.te.reducers import comm_reducer, max_value, min_value, reduction
from kc.te.scan import scan
from kc.te.schedule import Schedule, Stage, create_schedule
from kc.te.tags import tag_scope
from kc.te.tensor import (
    ComputeOp,
    Operation,
    PlaceholderOp,
    ScanOp,
    Tensor,
    placeholder,
    reduce_axis,
    size_var,
    var,
)
from kc.te.tensor_intrin import decl_tensor_intrin
from kc.te.threads import thread_axis
from kc.transforms.schedule._index_map import AXIS_SEPARATOR

sum = reduction("sum")  # noqa: A001
min = reduction("min")  # noqa: A001
max = reduction("max")  # noqa: A001

abs = intrinsic("abs")
ceil = intrinsic("ceil")
cos = intrinsic("cos")
erf = intrinsic("erf")
exp = intrinsic("exp")
exp2 = intrinsic("exp2")
floor = intrinsic("floor")
log = intrinsic("log")
log10 = intrinsic("log10")
log1p = intrinsic("log1p")
log2 = intrinsic("log2")
round = intrinsic("round")
rsqrt = intrinsic("rsqrt")
sigmoid = intrinsic("sigmoid")
sin = intrinsic("sin")
sqrt = intrinsic("sqrt")
tan = intrinsic("tan")
tanh = intrinsic("tanh")
trunc = intrinsic("trunc")


def add(lhs, rhs):
    """``lhs + rhs``."""
    return binary("add", lhs, rhs)


def subtract(lhs, rhs):
    """``lhs - rhs``."""
    return binary("sub", lhs, rhs)


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

__all__ = [  # pyright: ignore[reportUnsupportedDunderAll]
    *_intrinsics,
    "AXIS_SEPARATOR",
    "ComputeOp",
    "ExternOp",
    "Operation",
    "PlaceholderOp",
    "ScanOp",
    "Schedule",
    "Select",
    "Stage",
    "TEError",
    "Tensor",
    "abs",
    "add",
    "all",
    "any",
    "ceil",
    "comm_reducer",
    "compute",
    "const",
    "cos",
    "create_prim_func",
    "create_schedule",
    "decl_tensor_intrin",
    "erf",
    "exp",
    "exp2",
    "extern",
    "extern_primfunc",
    "floor",
    "floordiv",
    "floormod",
    "gradient",
    "hybrid",
    "if_then_else",
    "indexdiv",
    "indexmod",
    "log",
    "log10",
    "log1p",
    "log2",
    "max",
    "max_value",
    "min",
    "min_value",
    "placeholder",
    "reduce_axis",
    "round",
    "rsqrt",
    "scan",
    "schedule",
    "sigmoid",
    "sin",
    "size_var",
    "sqrt",
    "subtract",
    "sum",
    "tag_scope",
    "tan",
    "tanh",
    "thread_axis",
    "trace",
    "trunc",
    "truncdiv",
    "truncmod",
    "var",
]
