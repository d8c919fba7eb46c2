"""Products of matrices, and what is added to them."""

from __future__ import annotations

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._layouts import layout_of
from kc.dialects.graph.operators._relations import (
    NUMBERS,
    broadcast_shapes,
    checked_dtype,
    joined,
    normal_axis,
    require_dtype,
    require_rank,
    require_same,
)
from kc.dialects.graph.sizes import MaybeSize, product_of
from kc.dialects.graph.types import TensorSpec


def _require_factors(a: TensorSpec, b: TensorSpec, names: tuple[str, str]) -> None:
    """Require numbers, and at least one dimension of the first. Raises RelationError."""
    for spec, name in zip((a, b), names, strict=True):
        require_dtype(spec, NUMBERS, name)
    if not a.rank:
        raise RelationError(f"{names[0]} is {a}, but must have at least 1 dimension")


def _result_dtype(out_dtype: str, data: TensorSpec) -> str:
    return checked_dtype(out_dtype, NUMBERS, "out_dtype") if out_dtype else data.dtype


@operator
class Dense(Operator):
    """``data @ weight.T``: data of (..., K), weight of (N, K), result of (..., N).

    ``units`` is N, where the weight's type is to be inferred; ``out_dtype`` is the element type of
    the result, that of ``data`` if it is "".
    """

    name = "nn.dense"
    inputs = ("data", "weight")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    units: int | None = None
    out_dtype: str = ""

    def infer(self, data: TensorSpec, weight: TensorSpec) -> TensorSpec:
        _require_factors(data, weight, ("data", "weight"))
        require_rank(weight, 2, "weight")
        require_same(data.shape[-1], weight.shape[1], "the last sizes of data and weight")
        if self.units is not None:
            require_same(self.units, weight.shape[0], "units and the first size of weight")
        return TensorSpec((*data.shape[:-1], weight.shape[0]), _result_dtype(self.out_dtype, data))

    def infer_inputs(
        self, data: TensorSpec | None, weight: TensorSpec | None
    ) -> tuple[TensorSpec | None, ...]:
        if weight is None and data is not None and self.units is not None:
            weight = TensorSpec((self.units, data.shape[-1]), data.dtype)
        return data, weight


@operator
class BiasAdd(Operator):
    """``data`` plus ``bias``, which has one dimension, along ``axis``."""

    name = "nn.bias_add"
    inputs = ("data", "bias")
    pattern = Pattern.BROADCAST

    axis: int = 1

    def infer(self, data: TensorSpec, bias: TensorSpec) -> TensorSpec:
        axis = normal_axis(self.axis, data.rank)
        require_rank(bias, 1, "bias")
        require_dtype(data, NUMBERS, "data")
        require_dtype(bias, (data.dtype,), "bias")
        require_same(data.shape[axis], bias.shape[0], f"the sizes of axis {axis} and of bias")
        return data

    def infer_inputs(
        self, data: TensorSpec | None, bias: TensorSpec | None
    ) -> tuple[TensorSpec | None, ...]:
        if bias is None and data is not None:
            bias = TensorSpec((data.shape[normal_axis(self.axis, data.rank)],), data.dtype)
        return data, bias


@operator
class Matmul(Operator):
    """The product of ``tensor_a`` (..., M, K) and the matrix ``tensor_b`` (K, N): (..., M, N).

    ``transpose_a`` swaps the last two dimensions of the first, ``transpose_b`` those of the second.
    ``units`` is N, where the type of ``tensor_b`` is to be inferred.
    """

    name = "nn.matmul"
    inputs = ("tensor_a", "tensor_b")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    units: int | None = None
    out_dtype: str = ""
    transpose_a: bool = False
    transpose_b: bool = False

    def infer(self, tensor_a: TensorSpec, tensor_b: TensorSpec) -> TensorSpec:
        _require_factors(tensor_a, tensor_b, ("tensor_a", "tensor_b"))
        require_rank(tensor_b, 2, "tensor_b")
        rows, inner = self._rows(tensor_a)
        own, columns = reversed(tensor_b.shape) if self.transpose_b else tensor_b.shape
        require_same(inner, own, "the sizes that are summed over")
        if self.units is not None:
            require_same(self.units, columns, "units and the columns of tensor_b")
        return TensorSpec((*rows, columns), _result_dtype(self.out_dtype, tensor_a))

    def _rows(self, tensor_a: TensorSpec) -> tuple[tuple[MaybeSize, ...], MaybeSize]:
        if not self.transpose_a:
            return tensor_a.shape[:-1], tensor_a.shape[-1]
        if tensor_a.rank < 2:
            raise RelationError(f"tensor_a is {tensor_a}, which cannot be transposed")
        return (*tensor_a.shape[:-2], tensor_a.shape[-1]), tensor_a.shape[-2]

    def infer_inputs(
        self, tensor_a: TensorSpec | None, tensor_b: TensorSpec | None
    ) -> tuple[TensorSpec | None, ...]:
        if tensor_b is None and tensor_a is not None and self.units is not None:
            shape = (self._rows(tensor_a)[1], self.units)
            tensor_b = TensorSpec(shape[::-1] if self.transpose_b else shape, tensor_a.dtype)
        return tensor_a, tensor_b


@operator
class BatchMatmul(Operator):
    """The product of two matrices for each item of a batch, of which 1 item may stand for all.

    By default they are (B, M, K) and, transposed, (B, N, K); the result is (B, M, N).
    """

    name = "nn.batch_matmul"
    inputs = ("tensor_a", "tensor_b")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    out_dtype: str = ""
    transpose_a: bool = False
    transpose_b: bool = True

    def infer(self, tensor_a: TensorSpec, tensor_b: TensorSpec) -> TensorSpec:
        _require_factors(tensor_a, tensor_b, ("tensor_a", "tensor_b"))
        require_rank(tensor_a, 3, "tensor_a")
        require_rank(tensor_b, 3, "tensor_b")
        (batch,) = broadcast_shapes(tensor_a.shape[:1], tensor_b.shape[:1])
        rows, inner = tensor_a.shape[1:][:: -1 if self.transpose_a else 1]
        own, columns = tensor_b.shape[1:][:: -1 if self.transpose_b else 1]
        require_same(inner, own, "the sizes that are summed over")
        return TensorSpec((batch, rows, columns), _result_dtype(self.out_dtype, tensor_a))


@operator
class DensePack(Operator):
    """``data @ weight.T`` of a weight in the layout ``weight_layout``.

    It is "NC", or split as in "NC8n": the weight is then (N / 8, K, 8).
    """

    name = "nn.contrib_dense_pack"
    inputs = ("data", "weight")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    weight_layout: str = "NC"
    units: int | None = None
    out_dtype: str = ""

    def infer(self, data: TensorSpec, weight: TensorSpec) -> TensorSpec:
        layout = layout_of(self.weight_layout, "NC", "weight_layout")
        letters = "".join(letter for letter, _ in layout.axes)
        if letters not in ("NC", "NCn"):
            raise RelationError(f"weight_layout is {self.weight_layout!r}, but must be NC or NC8n")
        _require_factors(data, weight, ("data", "weight"))
        require_rank(data, 2, "data")
        require_rank(weight, len(letters), "weight")
        if layout.is_blocked:
            require_same(layout.axes[2][1], weight.shape[2], "the block and its size in weight")
        require_same(data.shape[1], weight.shape[1], "the sizes that are summed over")
        outputs = layout.size(weight.shape, "N")
        if self.units is not None:
            outputs = joined(self.units, outputs, "units and the outputs of weight")
        return TensorSpec((data.shape[0], outputs), _result_dtype(self.out_dtype, data))


@operator
class BatchFlatten(Operator):
    """All dimensions after the first as one."""

    name = "nn.batch_flatten"
    inputs = ("data",)
    pattern = Pattern.INJECTIVE

    def infer(self, data: TensorSpec) -> TensorSpec:
        if not data.rank:
            raise RelationError(f"data is {data}, but must have at least 1 dimension")
        return TensorSpec((data.shape[0], product_of(data.shape[1:])), data.dtype)
