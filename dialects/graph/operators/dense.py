"""Products of matrices, and what is added to them."""

from __future__ import annotations

from kc.dialects.graph.declaration import Operator, Pattern, operator
from kc.dialects.graph.operators._relations import normal_axis, require_rank, require_same
from kc.dialects.graph.types import TensorSpec


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
        require_rank(weight, 2, "weight")
        require_same(data.shape[-1], weight.shape[1], "the last sizes of data and weight")
        if self.units is not None:
            require_same(self.units, weight.shape[0], "units and the first size of weight")
        return TensorSpec((*data.shape[:-1], weight.shape[0]), self.out_dtype or data.dtype)

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
        require_same(data.shape[axis], bias.shape[0], f"the sizes of axis {axis} and of bias")
        return data

    def infer_inputs(
        self, data: TensorSpec | None, bias: TensorSpec | None
    ) -> tuple[TensorSpec | None, ...]:
        if bias is None and data is not None:
            bias = TensorSpec((data.shape[normal_axis(self.axis, data.rank)],), data.dtype)
        return data, bias
