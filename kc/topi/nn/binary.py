"""Networks of +1 and -1. A word holds 32 numbers."""

from __future__ import annotations

from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, const
from kc.expr.constructors import cast as convert
from kc.expr.intrinsics import popcount
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.te.computes import compute
from kc.topi.arguments import axis_of, constant, plus, rank, same_size, tensor, times
from kc.topi.table import NUMBERS, OF_INTEGERS, operator, refuse

BITS = 32


@operator(
    "binarize_pack",
    NUMBERS,
    "nn.binarize_pack(T(2, 64), 1)",
    gradient="its results are words of bits",
)
def binarize_pack(data: Tensor, axis: int = 1, name: str = "PackedInput") -> Tensor:
    """The sign bits (1 for at least 0) of the elements along ``axis``, 32 in each word of uint32.

    The first element is the most significant bit. The axis is a multiple of 32 long (KC2303).
    """
    axis = axis_of(axis, data.ndim)
    length = constant(data.shape[axis], "the axis that is packed")
    if length % BITS:
        raise refuse(
            "KC2303",
            f"{data.name} of the shape {shape_text(data.shape)} packed along axis {axis}",
            f"the axis has {length} elements, must have a multiple of {BITS}",
        )
    shape = list(data.shape)
    shape[axis] = length // BITS
    n = reduce_axis((0, BITS), name="n")

    def body(*at: Any) -> Expr:
        place = list(at)
        place[axis] = at[axis] * BITS + n
        bit = convert(data(*place) >= const(0, data.dtype), "uint32")
        return scalar.sum(bit << convert(BITS - 1 - n, "uint32"), axis=n)

    return compute(shape, body, name, tag="binarize_pack")


@operator(
    "binary_dense", ("uint32",),
    'nn.binary_dense(T(4, 2, dtype="uint32"), T(5, 2, dtype="uint32"))',
    gradient=OF_INTEGERS, formula="32 K - 2 sum_k popcount(data[i, k] ^ weight[j, k])",
)  # fmt: skip
def binary_dense(data: Tensor, weight: Tensor) -> Tensor:
    """The product of two packed matrices of +1 and -1, (M, K) and (N, K), as float32."""
    rank(data, "data", 2)
    tensor(weight, "weight", 2, ("uint32",))
    same_size(data, 1, weight, 1, "rows have the same number of words")
    k = reduce_axis((0, data.shape[1]), name="k")
    differing = compute(
        (data.shape[0], weight.shape[0]),
        lambda i, j: scalar.sum(popcount(data(i, k) ^ weight(j, k)), axis=k),
        "T_binary_dense",
        tag="binary_dense",
    )
    count = times(data.shape[1], BITS)

    def body(i: Any, j: Any) -> Expr:
        unequal = convert(differing(i, j), "int32") * 2
        return convert(plus(count, 0) - unequal, "float32")

    return compute(differing.shape, body, "T_binary_dense_value", tag="elemwise")
