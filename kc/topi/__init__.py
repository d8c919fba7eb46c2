"""The inventory of operators: tensor expressions under the names that TVM's users know.

Each function takes tensors of ``te`` and gives tensors of ``te``: ordinary computes, which are
scheduled, differentiated, printed and built like any. :data:`kc.topi.table.TABLE` lists them, and
``python -m kc.topi`` prints the list.
"""

from kc.topi import (
    nn,
    tag,
)
from kc.topi.broadcast import (
    add,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    broadcast_to,
    divide,
    equal,
    floor_divide,
    floor_mod,
    greater,
    greater_equal,
    left_shift,
    less,
    less_equal,
    logical_and,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    mod,
    multiply,
    not_equal,
    power,
    right_shift,
    subtract,
    trunc_divide,
    trunc_mod,
)
from kc.topi.elementwise import (
    abs,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    bitwise_not,
    cast,
    ceil,
    ceil_log2,
    clip,
    cos,
    cosh,
    elemwise_sum,
    erf,
    exp,
    fixed_point_multiply,
    floor,
    full,
    full_like,
    identity,
    isfinite,
    isinf,
    isnan,
    log,
    log2,
    log10,
    logical_not,
    negative,
    reinterpret,
    round,
    rsqrt,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    trunc,
)
from kc.topi.fast_math import (
    fast_erf,
    fast_exp,
    fast_tanh,
)
from kc.topi.reduction import (
    all,
    any,
    argmax,
    argmin,
    max,
    min,
    prod,
    sum,
)


def __getattr__(name: str) -> object:
    if name != "testing":  # it needs numpy
        raise AttributeError(f"module 'kc.topi' has no attribute '{name}'")
    import kc.topi.testing as testing

    return testing


__all__ = [
    "abs", "acos", "acosh", "add", "all", "any", "argmax", "argmin", "asin", "asinh", "atan",
    "atanh", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "broadcast_to", "cast",
    "ceil", "ceil_log2", "clip", "cos", "cosh", "divide", "elemwise_sum", "equal", "erf", "exp",
    "fast_erf", "fast_exp", "fast_tanh", "fixed_point_multiply", "floor", "floor_divide",
    "floor_mod", "full", "full_like", "greater", "greater_equal", "identity", "isfinite",
    "isinf", "isnan", "left_shift", "less", "less_equal", "log", "log10", "log2", "logical_and",
    "logical_not", "logical_or", "logical_xor", "max", "maximum", "min", "minimum", "mod",
    "multiply", "negative", "nn", "not_equal", "power", "prod", "reinterpret", "right_shift",
    "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "subtract", "sum", "tag", "tan",
    "tanh", "trunc", "trunc_divide", "trunc_mod",
]  # fmt: skip
