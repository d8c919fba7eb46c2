"""The inventory of operators: tensor expressions under the names that TVM's users know.

Each function takes tensors of ``te`` and returns tensors of ``te``: ordinary computes, which can be
scheduled, differentiated, printed and built. :data:`kc.topi.table.TABLE` lists them, and
``python -m kc.topi`` prints the list.
"""

from typing import TYPE_CHECKING

from kc.support.absent_names import no_attribute as _no_attribute
from kc.topi import (
    arm_cpu,
    cuda,
    generic,
    image,
    nn,
    tag,
    utils,
    x86,
)
from kc.topi.broadcast import (
    add,
    atan2,
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
from kc.topi.complementary import erfc
from kc.topi.distances import cdist, pdist
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
    exp2,
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
from kc.topi.gathering import (
    adv_index,
    compress,
    gather,
    gather_nd,
    one_hot,
    take,
    unravel_index,
    where,
)
from kc.topi.matrix import (
    det,
    einsum,
    matmul,
    tensordot,
)
from kc.topi.placing import (
    index_put,
    masked_scatter,
    scatter_reduce,
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
from kc.topi.scanning import (
    cumprod,
    cumsum,
    scanop,
)
from kc.topi.scattering import (
    invert_permutation,
    scatter,
    scatter_add,
    scatter_nd,
    sparse_to_dense,
)
from kc.topi.shape import (
    arange,
    concatenate,
    expand_dims,
    expand_like,
    flip,
    layout_transform,
    meshgrid,
    ndarray_size,
    repeat,
    reshape,
    shape,
    sliding_window,
    split,
    squeeze,
    stack,
    tile,
    transpose,
)
from kc.topi.slicing import (
    eye,
    matrix_set_diag,
    reverse_sequence,
    sequence_mask,
    slice_scatter,
    strided_set,
    strided_slice,
    trilu,
)
from kc.topi.sorting import (
    argsort,
    argwhere,
    searchsorted,
    sort,
    topk,
    unique,
)
from kc.topi.statistics import (
    logsumexp,
    mean,
    variance,
)
from kc.topi.views import as_strided, diagonal

if TYPE_CHECKING:
    from kc.topi import random, signal, sparse, vision

_LATER = ("random", "signal", "sparse", "testing", "vision")
"""The modules that are imported at first use: few programs need them, and testing needs numpy."""


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise _no_attribute("topi", name)
    import importlib

    return importlib.import_module(f"kc.topi.{name}")


__all__ = [
    "abs", "acos", "acosh", "add", "adv_index", "all", "any", "arange", "argmax", "argmin",
    "argsort", "argwhere", "arm_cpu", "as_strided", "asin", "asinh", "atan", "atan2", "atanh",
    "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "broadcast_to", "cast", "cdist",
    "ceil", "ceil_log2", "clip", "compress", "concatenate", "cos", "cosh", "cuda", "cumprod",
    "cumsum", "det", "diagonal", "divide", "einsum", "elemwise_sum", "equal", "erf", "erfc", "exp",
    "exp2", "expand_dims", "expand_like", "eye", "fast_erf", "fast_exp", "fast_tanh",
    "fixed_point_multiply", "flip", "floor", "floor_divide", "floor_mod", "full", "full_like",
    "gather", "gather_nd", "generic", "greater", "greater_equal", "identity", "image", "index_put",
    "invert_permutation", "isfinite", "isinf", "isnan", "layout_transform", "left_shift", "less",
    "less_equal", "log", "log10", "log2", "logical_and", "logical_not", "logical_or", "logical_xor",
    "logsumexp", "masked_scatter", "matmul", "matrix_set_diag", "max", "maximum", "mean",
    "meshgrid", "min", "minimum", "mod", "multiply", "ndarray_size", "negative", "nn", "not_equal",
    "one_hot", "pdist", "power", "prod", "random", "reinterpret", "repeat", "reshape",
    "reverse_sequence", "right_shift", "round", "rsqrt", "scanop", "scatter", "scatter_add",
    "scatter_nd", "scatter_reduce", "searchsorted", "sequence_mask", "shape", "sigmoid", "sign",
    "signal", "sin", "sinh", "slice_scatter", "sliding_window", "sort", "sparse", "sparse_to_dense",
    "split", "sqrt", "squeeze", "stack", "strided_set", "strided_slice", "subtract", "sum", "tag",
    "take", "tan", "tanh", "tensordot", "tile", "topk", "transpose", "trilu", "trunc",
    "trunc_divide", "trunc_mod", "unique", "unravel_index", "utils", "variance", "vision", "where",
    "x86",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted([*__all__, "testing"])
