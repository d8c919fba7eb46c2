"""Convolutions whose taps a tensor displaces."""

from __future__ import annotations

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._relations import (
    WORDS,
    require_dtype,
    require_rank,
    require_same,
    require_word,
    same_dtype,
)
from kc.dialects.graph.operators.convolution import Conv2D
from kc.dialects.graph.types import TensorSpec


@operator
class DeformableConv2D(Operator):
    """A convolution whose taps ``offset`` displaces by fractions of elements.

    ``offset`` (N, 2 KH KW deformable_groups, OH, OW), or with the channels last, has for each tap
    of each group of channels the displacement down and to the right. Outside the image is 0. The
    layouts are NCHW with OIHW, or NHWC with HWIO. Source: Dai et al., 2017.
    """

    name = "nn.deformable_conv2d"
    inputs = ("data", "offset", "weight")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    strides: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0)
    dilation: tuple[int, ...] = (1, 1)
    deformable_groups: int = 1
    groups: int = 1
    channels: int | None = None
    kernel_size: tuple[int, ...] | None = None
    data_layout: str = "NCHW"
    kernel_layout: str = "OIHW"
    out_layout: str = ""
    out_dtype: str = ""

    def convolution(self) -> Conv2D:
        """The convolution without displacements, whose result has the same type."""
        return Conv2D(
            self.strides, self.padding, self.dilation, self.groups, self.channels,
            self.kernel_size, self.data_layout, self.kernel_layout, self.out_layout, self.out_dtype,
        )  # fmt: skip

    def infer(self, data: TensorSpec, offset: TensorSpec, weight: TensorSpec) -> TensorSpec:
        require_word(self.data_layout, ("NCHW", "NHWC"), "data_layout")
        filters = "OIHW" if self.data_layout == "NCHW" else "HWIO"
        require_word(self.kernel_layout, (filters,), f"kernel_layout beside {self.data_layout}")
        require_word(self.out_layout, ("", self.data_layout), "out_layout")
        require_dtype(data, WORDS, "data")
        same_dtype((data, offset, weight), self.inputs)
        result = self.convolution().infer(data, weight)
        require_rank(offset, 4, "offset")
        own, moved = (dict(zip(self.data_layout, spec.shape, strict=True))
                      for spec in (result, offset))  # fmt: skip
        channels = data.shape[self.data_layout.index("C")]
        if self.deformable_groups < 1 or (
            isinstance(channels, int) and channels % self.deformable_groups
        ):
            raise RelationError(
                f"deformable_groups is {self.deformable_groups}, but must divide the {channels} "
                "channels"
            )
        taps = dict(zip(filters, weight.shape, strict=True))
        height, width = taps["H"], taps["W"]
        if height is not None and width is not None:
            numbers = height * width * (2 * self.deformable_groups)
            require_same(numbers, moved["C"], "two numbers a tap and those of offset")
        for letter in "NHW":
            require_same(own[letter], moved[letter], f"the sizes {letter} of the result and offset")
        return result

    def infer_inputs(self, *operands: TensorSpec | None) -> tuple[TensorSpec | None, ...]:
        data, offset, weight = operands
        return data, offset, self.convolution().infer_inputs(data, weight)[1]
