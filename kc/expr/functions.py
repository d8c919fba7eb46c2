"""The scalar functions of tensor expressions that are a single operation, and the reductions."""

from kc.expr.constructors import binary, intrinsic
from kc.expr.reducers import reduction

sum = reduction("sum")  # noqa: A001
min = reduction("min")  # noqa: A001
max = reduction("max")  # noqa: A001

abs = intrinsic("abs")
ceil = intrinsic("ceil")
cos = intrinsic("cos")
erf = intrinsic("erf")
exp = intrinsic("exp")
exp2 = intrinsic("exp2")
expm1 = intrinsic("expm1")
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
    """The quotient rounded down; for floats, as in numpy, from the exact remainder."""
    return binary("floordiv", a, b)


def floormod(a, b):
    """The remainder of :func:`floordiv`; it has the sign of ``b``."""
    return binary("floormod", a, b)


def truncdiv(a, b):
    """The quotient rounded towards zero, as in C; of floats, ``trunc(a / b)``."""
    return binary("truncdiv", a, b)


def truncmod(a, b):
    """The exact remainder of the quotient rounded towards zero; it has the sign of ``a``."""
    return binary("truncmod", a, b)


indexdiv = floordiv
indexmod = floormod

__all__ = [
    "abs",
    "add",
    "ceil",
    "cos",
    "erf",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "floordiv",
    "floormod",
    "indexdiv",
    "indexmod",
    "log",
    "log10",
    "log1p",
    "log2",
    "max",
    "min",
    "round",
    "rsqrt",
    "sigmoid",
    "sin",
    "sqrt",
    "subtract",
    "sum",
    "tan",
    "tanh",
    "trunc",
    "truncdiv",
    "truncmod",
]
