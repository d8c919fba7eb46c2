"""Recurrent networks, kept whole; kc's own."""

from __future__ import annotations

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._relations import (
    FLOATS,
    normal_axis,
    require_dtype,
    require_rank,
    require_same,
)
from kc.dialects.graph.sizes import MaybeSize
from kc.dialects.graph.types import Spec, TensorSpec


@operator
class Lstm(Operator):
    """The hidden states (T, N, H) and the cells (T, N, H) of a long short-term memory.

    The inputs are (T, N, K), the weights (4 H, K) and (4 H, H), the biases (4 H,), the first states
    (N, H). The four parts of a weight have the order of ``weight_layout``. ``reverse`` runs from
    the last input to the first.
    """

    name = "nn.lstm"
    inputs = ("data", "input_weight", "hidden_weight", "input_bias?", "hidden_bias?",
              "hidden_init?", "cell_init?")  # fmt: skip
    pattern = Pattern.OPAQUE

    reverse: bool = False
    weight_layout: str = "IFGO"

    def infer(self, data: TensorSpec, *parameters: TensorSpec | None) -> Spec:
        require_rank(data, 3, "data")
        require_dtype(data, FLOATS, "data")
        if sorted(self.weight_layout) != sorted("IFGO"):
            raise RelationError(
                f"weight_layout is {self.weight_layout!r}, but must name I, F, G and O once each"
            )
        steps, batch, width = data.shape
        weight = parameters[0]
        assert weight is not None
        require_rank(weight, 2, "input_weight")
        rows = weight.shape[0]
        if steps == 0 or (isinstance(rows, int) and (rows < 4 or rows % 4)):
            raise RelationError(
                f"data is {data} and input_weight {weight}, but there must be at least 1 step and "
                "4 rows of the weight for each hidden element"
            )
        hidden = None if rows is None else rows // 4
        shapes: list[tuple[MaybeSize, ...]] = [
            (rows, width), (rows, hidden), (rows,), (rows,), (batch, hidden), (batch, hidden),
        ]  # fmt: skip
        for name, spec, shape in zip(self.inputs[1:], parameters, shapes, strict=True):
            if spec is None:
                continue
            name = name.removesuffix("?")
            require_rank(spec, len(shape), name)
            require_dtype(spec, (data.dtype,), name)
            for n, (expected, size) in enumerate(zip(shape, spec.shape, strict=True)):
                require_same(
                    expected, size, f"the expected size and that of dimension {n} of {name}"
                )
        states = TensorSpec((steps, batch, hidden), data.dtype)
        return states, states

    def result_count(self, operands: int) -> int:
        return 2


@operator
class FifoBuffer(Operator):
    """The last elements, along ``axis``, of the buffer and the data behind it.

    The result has the shape of the buffer, which is at least as long as the data.
    """

    name = "nn.fifo_buffer"
    inputs = ("data", "buffer")
    pattern = Pattern.OPAQUE

    axis: int

    def infer(self, data: TensorSpec, buffer: TensorSpec) -> TensorSpec:
        require_rank(buffer, data.rank, "buffer")
        require_dtype(buffer, (data.dtype,), "buffer")
        axis = normal_axis(self.axis, data.rank)
        for n, (size, own) in enumerate(zip(data.shape, buffer.shape, strict=True)):
            if n != axis:
                require_same(size, own, f"the sizes {n} of data and buffer")
            elif isinstance(size, int) and isinstance(own, int) and size > own:
                raise RelationError(
                    f"data is {data} and buffer {buffer}, but the buffer must be as long as the "
                    f"data along axis {axis}"
                )
        return buffer
