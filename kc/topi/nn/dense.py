"""Products of matrices, and the addition of biases."""

from __future__ import annotations

from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr
from kc.expr.constructors import cast as convert
from kc.expr.tags import BROADCAST, INJECTIVE
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.te.computes import compute
from kc.topi.accumulation import Accumulation, accumulation
from kc.topi.arguments import agree, axis_of, dim, is_size, listed, product, rank, same_size, tensor
from kc.topi.kinds import shown
from kc.topi.table import ANY, NUMBERS, operator, refuse


def with_bias(
    result: Tensor,
    bias: Tensor | None,
    axis: int,
    tag: str = BROADCAST,
    sums: Accumulation | None = None,
) -> Tensor:
    """``result`` plus a bias along an axis, added in the type of the result, then rounded to that
    of ``sums``."""
    if bias is None:
        return sums.rounded(result) if sums else result
    tensor(bias, "bias", 1, NUMBERS)
    same_size(result, axis, bias, 0, "the bias has an element for each output channel")

    def body(*at: Any) -> Expr:
        value = result(*at) + convert(bias(at[axis]), result.dtype)
        return convert(value, sums.result) if sums else value

    return compute(result.shape, body, "T_add_bias", tag=tag)


def _product(
    a: Tensor,
    b: Tensor,
    bias: Tensor | None,
    out_dtype: str | None,
    acc_dtype: str | None,
    transpose_a: bool,
    transpose_b: bool,
    name: str,
) -> Tensor:
    rank(a, "the first", 2)
    tensor(b, "the second", 2, NUMBERS)
    inner_a, inner_b = (0 if transpose_a else 1), (1 if transpose_b else 0)
    same_size(a, inner_a, b, inner_b, "the dimension that is summed over is the same in both")
    sums = accumulation(a.dtype, acc_dtype, out_dtype)
    k = reduce_axis((0, a.shape[inner_a]), name="k")

    def body(i: Any, j: Any) -> Expr:
        left = a(k, i) if transpose_a else a(i, k)
        right = b(j, k) if transpose_b else b(k, j)
        return scalar.sum(sums.wide(left) * sums.wide(right), axis=k)

    shape = (a.shape[1 - inner_a], b.shape[1 - inner_b])
    result = compute(shape, body, name, tag=name.removeprefix("T_"))
    return with_bias(result, bias, 1, sums=sums)


@operator(
    "dense", NUMBERS, "nn.dense(T(4, 6), T(5, 6), T(5))", onnx="Gemm", torch="linear",
    formula="sum_k data[i, k] * weight[j, k] + bias[j]",
)  # fmt: skip
def dense(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    out_dtype: str | None = None,
    acc_dtype: str | None = None,
) -> Tensor:
    """``data @ weight.T + bias`` of (M, K), (N, K) and (N,).

    Elements are multiplied and added up in ``acc_dtype``
    (:func:`kc.topi.accumulation.accumulation`), then the bias is added, and the result is rounded
    to ``out_dtype``, by default that of ``data``. Raises KC2302 for a wrong rank, KC2303 for sizes
    that do not fit.
    """
    return _product(data, weight, bias, out_dtype, acc_dtype, False, True, "T_dense")


@operator(
    "matmul", NUMBERS, "nn.matmul(T(4, 6), T(6, 5))", numpy="matmul", onnx="Gemm", torch="matmul",
    formula="sum_k a[i, k] * b[k, j] + bias[j]",
)  # fmt: skip
def matmul(
    tensor_a: Tensor,
    tensor_b: Tensor,
    bias: Tensor | None = None,
    out_dtype: str | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    acc_dtype: str | None = None,
) -> Tensor:
    """The product of two matrices, optionally transposed, and a bias (N,).

    Types and errors are those of :func:`dense`.
    """
    return _product(
        tensor_a, tensor_b, bias, out_dtype, acc_dtype, transpose_a, transpose_b, "T_matmul"
    )


@operator(
    "batch_matmul", NUMBERS, "nn.batch_matmul(T(2, 4, 6), T(2, 5, 6))", onnx="MatMul", torch="bmm",
    formula="sum_k a[b, i, k] * b[b, j, k]",
)  # fmt: skip
def batch_matmul(
    tensor_a: Tensor,
    tensor_b: Tensor,
    oshape: Any = None,
    out_dtype: str | None = None,
    transpose_a: bool = False,
    transpose_b: bool = True,
    acc_dtype: str | None = None,
) -> Tensor:
    """A product of matrices for each batch index: (B, M, K) and (B, N, K), which is **transposed**.

    A batch of 1 is broadcast. ``oshape``, if present, is checked (KC2303). Types are those of
    :func:`dense`.
    """
    rank(tensor_a, "the first", 3)
    tensor(tensor_b, "the second", 3, NUMBERS)
    inner_a, inner_b = (1 if transpose_a else 2), (2 if transpose_b else 1)
    same_size(tensor_a, inner_a, tensor_b, inner_b, "the dimension that is summed over is the same")
    batches = [dim(operand.shape[0]) for operand in (tensor_a, tensor_b)]
    if not any(is_size(size, 1) for size in batches):
        same_size(tensor_a, 0, tensor_b, 0, "the batches are equal, or one is 1")
    sums = accumulation(tensor_a.dtype, acc_dtype, out_dtype)
    shape = (
        batches[1] if is_size(batches[0], 1) else batches[0],
        tensor_a.shape[3 - inner_a],
        tensor_b.shape[3 - inner_b],
    )
    if oshape is not None:
        declared = listed(oshape, "oshape")
        if len(declared) != 3 or not all(map(agree, declared, shape)):
            raise refuse("KC2303", f"oshape is {shown(oshape)}", f"it is {shape_text(shape)}")
    k = reduce_axis((0, tensor_a.shape[inner_a]), name="k")

    def body(b: Any, i: Any, j: Any) -> Expr:
        places = [0 if is_size(size, 1) else b for size in batches]
        left = tensor_a(places[0], *((k, i) if transpose_a else (i, k)))
        right = tensor_b(places[1], *((j, k) if transpose_b else (k, j)))
        return scalar.sum(sums.wide(left) * sums.wide(right), axis=k)

    return sums.rounded(compute(shape, body, "T_batch_matmul", tag="batch_matmul"))


@operator(
    "dense", NUMBERS, "nn.dense_pack(T(4, 6), T(2, 6, 16))",
    formula="sum_k data[i, k] * weight[j // n, k, j % n]",
)  # fmt: skip
def dense_pack(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    out_dtype: str | None = None,
    acc_dtype: str | None = None,
) -> Tensor:
    """:func:`dense` with a packed weight (N / n, K, n)."""
    rank(data, "data", 2)
    tensor(weight, "weight", 3, NUMBERS)
    same_size(data, 1, weight, 1, "the dimension that is summed over is the same in both")
    sums = accumulation(data.dtype, acc_dtype, out_dtype)
    k = reduce_axis((0, data.shape[1]), name="k")
    inner = weight.shape[2]
    result = compute(
        (data.shape[0], product([weight.shape[0], inner])),
        lambda i, j: scalar.sum(
            sums.wide(data(i, k)) * sums.wide(weight(j // inner, k, j % inner)), axis=k
        ),
        "T_dense_pack",
        tag="dense_pack",
    )
    return with_bias(result, bias, 1, sums=sums)


@operator(BROADCAST, NUMBERS, "nn.bias_add(T(2, 3, 4), T(3))", formula="data + bias[c]")
def bias_add(data: Tensor, bias: Tensor, axis: int = 1) -> Tensor:
    """A bias of one dimension added along ``axis``."""
    tensor(bias, "bias", 1, NUMBERS)
    axis = axis_of(axis, data.ndim)
    same_size(data, axis, bias, 0, "the bias has an element for each place along the axis")
    return compute(data.shape, lambda *at: data(*at) + bias(at[axis]), "T_bias_add", tag=BROADCAST)


@operator(INJECTIVE, ANY, "nn.flatten(T(2, 3, 4))", onnx="Flatten", torch="flatten")
def flatten(data: Tensor) -> Tensor:
    """All dimensions except the first flattened, row-major: (N, product of the others)."""
    if data.ndim < 1:
        rank(data, "data", 1, 2, 3, 4)
    inner = list(data.shape[1:])

    def body(i: Any, j: Any) -> Expr:
        places: list[Any] = []
        for size in reversed(inner):
            places.insert(0, j % size)
            j = j // size
        return data(i, *places) if inner else data(i)

    if len(inner) == 1:
        return compute(data.shape, lambda i, j: data(i, j), "T_flatten", tag=INJECTIVE)
    return compute((data.shape[0], product(inner)), body, "T_flatten", tag=INJECTIVE)


def _scale_shift(data: Tensor, scale: Tensor, shift: Tensor, axis: int) -> Tensor:
    rank(data, "data", 4)
    for what, operand in (("scale", scale), ("shift", shift)):
        tensor(operand, what, 1, NUMBERS)
        same_size(data, axis, operand, 0, f"{what} has an element for each channel")
    return compute(
        data.shape,
        lambda *at: data(*at) * scale(at[axis]) + shift(at[axis]),
        "ScaleShift",
        tag=BROADCAST,
    )


@operator(
    BROADCAST, NUMBERS, "nn.scale_shift_nchw(T(1, 3, 2, 2), T(3), T(3))",
    formula="x * scale[c] + shift[c]",
)  # fmt: skip
def scale_shift_nchw(Input: Tensor, Scale: Tensor, Shift: Tensor) -> Tensor:
    """``x * scale[c] + shift[c]`` of (N, C, H, W)."""
    return _scale_shift(Input, Scale, Shift, 1)


@operator(
    BROADCAST, NUMBERS, "nn.scale_shift_nhwc(T(1, 2, 2, 3), T(3), T(3))",
    formula="x * scale[c] + shift[c]",
)  # fmt: skip
def scale_shift_nhwc(Input: Tensor, Scale: Tensor, Shift: Tensor) -> Tensor:
    """``x * scale[c] + shift[c]`` of (N, H, W, C)."""
    return _scale_shift(Input, Scale, Shift, 3)


@operator(
    BROADCAST, NUMBERS, "nn.scale_shift_nchwc(T(1, 2, 2, 2, 4), T(2, 4), T(2, 4))",
    formula="x * scale[C, c] + shift[C, c]",
)  # fmt: skip
def scale_shift_nchwc(Input: Tensor, Scale: Tensor, Shift: Tensor) -> Tensor:
    """``x * scale[C, c] + shift[C, c]`` of (N, C, H, W, c): channels in blocks."""
    rank(Input, "Input", 5)
    for what, operand in (("Scale", Scale), ("Shift", Shift)):
        tensor(operand, what, 2, NUMBERS)
        same_size(Input, 1, operand, 0, f"{what} has an element for each channel")
        same_size(Input, 4, operand, 1, f"{what} has an element for each channel")
    return compute(
        Input.shape,
        lambda n, c, h, w, b: Input(n, c, h, w, b) * Scale(c, b) + Shift(c, b),
        "ScaleShift",
        tag=BROADCAST,
    )
