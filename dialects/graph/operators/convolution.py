"""Convolutions, and transposed ones, along one to three axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._layouts import Layout, layout_of, pads_of, spread
from kc.dialects.graph.operators._relations import require_rank, require_same
from kc.dialects.graph.sizes import MaybeSize
from kc.dialects.graph.types import TensorSpec

SPATIAL = {1: "W", 2: "HW", 3: "DHW"}
"""The letters of the spatial axes, by their number."""


def window_size(
    size: MaybeSize, kernel: MaybeSize, stride: int, dilation: int, pads: tuple[int, int]
) -> MaybeSize:
    """The number of positions of a window along an axis; None if it is unknown.

    Raises RelationError for a window that is larger than the padded axis.
    """
    if size is None or kernel is None:
        return None
    free = size + sum(pads) - ((kernel - 1) * dilation + 1)
    if isinstance(free, int) and free < 0:
        raise RelationError(
            f"a kernel of {kernel} with dilation {dilation} does not fit into {size} elements "
            f"with padding {pads}"
        )
    return free // stride + 1


class Convolution(Operator):
    """The base of convolutions: relations of layouts, groups and sizes."""

    inputs = ("data", "weight")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE
    ndim: ClassVar[int]
    is_transposed: ClassVar[bool] = False

    strides: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int
    channels: int | None
    kernel_size: tuple[int, ...] | None
    data_layout: str
    kernel_layout: str
    out_layout: str
    out_dtype: str

    @property
    def data_axes(self) -> Layout:
        """The layout of the data."""
        return layout_of(self.data_layout, f"NC{SPATIAL[self.ndim]}", "data_layout")

    @property
    def weight_axes(self) -> Layout:
        """The layout of the weight."""
        return layout_of(self.kernel_layout, f"OI{SPATIAL[self.ndim]}", "kernel_layout")

    @property
    def result_axes(self) -> Layout:
        """The layout of the result."""
        text = self.out_layout or self.data_layout
        return layout_of(text, f"NC{SPATIAL[self.ndim]}", "out_layout")

    def is_depthwise(self, data: TensorSpec, weight: TensorSpec) -> bool:
        """True if each channel has a group of its own."""
        channels = self.data_axes.size(data.shape, "C")
        return self.groups > 1 and channels == self.groups

    def result_channels(self, data: TensorSpec, weight: TensorSpec) -> MaybeSize:
        """The channels of the result.

        In the layouts HWOI and the like, a depthwise weight has a multiplier as its I.
        """
        outputs = self.weight_axes.size(weight.shape, "O")
        inner = self.weight_axes.size(weight.shape, "I")
        is_multiplier = self.weight_axes.position("O") > 0 and not self.is_transposed
        if self.is_depthwise(data, weight) and is_multiplier and outputs == self.groups:
            return None if inner is None or outputs is None else outputs * inner
        if self.is_transposed:
            return None if outputs is None else outputs * self.groups
        return outputs

    def infer(self, data: TensorSpec, weight: TensorSpec) -> TensorSpec:
        require_rank(data, len(self.data_axes.axes), "data")
        require_rank(weight, len(self.weight_axes.axes), "weight")
        if self.groups < 1:
            raise RelationError(f"groups is {self.groups}, but must be at least 1")
        letters = SPATIAL[self.ndim]
        kernel = [self.weight_axes.size(weight.shape, letter) for letter in letters]
        if self.kernel_size is not None:
            declared = spread(self.kernel_size, self.ndim, "kernel_size")
            for own, size in zip(declared, kernel, strict=True):
                require_same(own, size, "kernel_size and the sizes of weight")
        outputs = self.result_channels(data, weight)
        if self.channels is not None:
            require_same(self.channels, outputs, "channels and the outputs of weight")
        self.check_channels(data, weight, outputs)
        sizes = self.result_sizes(
            [self.data_axes.size(data.shape, each) for each in letters], kernel
        )
        named = {"N": self.data_axes.size(data.shape, "N"), "C": outputs}
        named |= dict(zip(letters, sizes, strict=True))
        return TensorSpec(self.result_axes.shape_of(named), self.out_dtype or data.dtype)

    def check_channels(self, data: TensorSpec, weight: TensorSpec, outputs: MaybeSize) -> None:
        """Require that channels, groups and weight fit. Raises RelationError."""
        channels = self.data_axes.size(data.shape, "C")
        inner = self.weight_axes.size(weight.shape, "I")
        for size, what in ((channels, "channels"), (outputs, "outputs")):
            if isinstance(size, int) and size % self.groups:
                raise RelationError(f"{size} {what} are not divisible by {self.groups} groups")
        is_multiplier = self.weight_axes.position("O") > 0
        if self.is_depthwise(data, weight) and is_multiplier and not self.is_transposed:
            return
        if isinstance(channels, int):
            expected = channels if self.is_transposed else channels // self.groups
            require_same(
                expected,
                inner,
                f"the channels of data for each of {self.groups} groups and the inputs of weight",
            )

    def result_sizes(
        self, sizes: Sequence[MaybeSize], kernel: Sequence[MaybeSize]
    ) -> list[MaybeSize]:
        """The sizes of the result along the spatial axes."""
        strides = spread(self.strides, self.ndim, "strides")
        dilation = spread(self.dilation, self.ndim, "dilation")
        if min(*strides, *dilation) < 1:
            raise RelationError(f"strides {strides} and dilation {dilation} must be at least 1")
        pads = pads_of(self.padding, self.ndim)
        return [
            window_size(*each) for each in zip(sizes, kernel, strides, dilation, pads, strict=True)
        ]

    def infer_inputs(
        self, data: TensorSpec | None, weight: TensorSpec | None
    ) -> tuple[TensorSpec | None, ...]:
        if weight is not None or data is None or None in (self.channels, self.kernel_size):
            return data, weight
        assert self.channels is not None
        assert self.kernel_size is not None
        kernel = spread(self.kernel_size, self.ndim, "kernel_size")
        channels = self.data_axes.size(data.shape, "C")
        if channels is None or self.weight_axes.is_blocked:
            return data, weight
        if self.is_transposed:
            named: dict[str, MaybeSize] = {"O": self.channels // self.groups, "I": channels}
        else:
            named = {"O": self.channels, "I": channels // self.groups}
            if self.weight_axes.position("O") > 0 and channels == self.groups > 1:
                named = {"O": self.groups, "I": self.channels // self.groups}
        named |= dict(zip(SPATIAL[self.ndim], kernel, strict=True))
        shape = tuple(named[letter] for letter, _ in self.weight_axes.axes)
        return data, TensorSpec(shape, data.dtype)


class TransposedConvolution(Convolution):
    """The base of transposed convolutions: gradients of convolutions with respect to their data."""

    is_transposed = True
    output_padding: tuple[int, ...]

    def result_sizes(
        self, sizes: Sequence[MaybeSize], kernel: Sequence[MaybeSize]
    ) -> list[MaybeSize]:
        strides = spread(self.strides, self.ndim, "strides")
        dilation = spread(self.dilation, self.ndim, "dilation")
        added = spread(self.output_padding, self.ndim, "output_padding")
        for stride, extra in zip(strides, added, strict=True):
            if not 0 <= extra < stride:
                raise RelationError(f"output_padding {added} must be less than strides {strides}")
        results: list[MaybeSize] = []
        pads = pads_of(self.padding, self.ndim)
        for size, taps, stride, dilated, pad, extra in zip(
            sizes, kernel, strides, dilation, pads, added, strict=True
        ):
            if size is None or taps is None:
                results.append(None)
            else:
                results.append((size - 1) * stride + (taps - 1) * dilated + 1 - sum(pad) + extra)
        return results


@operator
class Conv1D(Convolution):
    """A convolution along one axis; the weight has the layout ``kernel_layout``."""

    name = "nn.conv1d"
    ndim = 1

    strides: tuple[int, ...] = (1,)
    padding: tuple[int, ...] = (0,)
    dilation: tuple[int, ...] = (1,)
    groups: int = 1
    channels: int | None = None
    kernel_size: tuple[int, ...] | None = None
    data_layout: str = "NCW"
    kernel_layout: str = "OIW"
    out_layout: str = ""
    out_dtype: str = ""


@operator
class Conv2D(Convolution):
    """A convolution along two axes.

    ``padding`` is one number, one an axis, or (top, left, bottom, right). ``channels`` and
    ``kernel_size`` tell the type of a weight without one. With as many ``groups`` as channels, the
    I of ``kernel_layout`` HWOI is the multiplier of each channel.
    """

    name = "nn.conv2d"
    ndim = 2

    strides: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0)
    dilation: tuple[int, ...] = (1, 1)
    groups: int = 1
    channels: int | None = None
    kernel_size: tuple[int, ...] | None = None
    data_layout: str = "NCHW"
    kernel_layout: str = "OIHW"
    out_layout: str = ""
    out_dtype: str = ""


@operator
class Conv3D(Convolution):
    """A convolution along three axes."""

    name = "nn.conv3d"
    ndim = 3

    strides: tuple[int, ...] = (1, 1, 1)
    padding: tuple[int, ...] = (0, 0, 0)
    dilation: tuple[int, ...] = (1, 1, 1)
    groups: int = 1
    channels: int | None = None
    kernel_size: tuple[int, ...] | None = None
    data_layout: str = "NCDHW"
    kernel_layout: str = "OIDHW"
    out_layout: str = ""
    out_dtype: str = ""


@operator
class Conv1DTranspose(TransposedConvolution):
    """A transposed convolution along one axis."""

    name = "nn.conv1d_transpose"
    ndim = 1

    strides: tuple[int, ...] = (1,)
    padding: tuple[int, ...] = (0,)
    dilation: tuple[int, ...] = (1,)
    channels: int | None = None
    kernel_size: tuple[int, ...] | None = None
    groups: int = 1
    data_layout: str = "NCW"
    kernel_layout: str = "IOW"
    out_layout: str = ""
    output_padding: tuple[int, ...] = (0,)
    out_dtype: str = ""


@operator
class Conv2DTranspose(TransposedConvolution):
    """A transposed convolution along two axes; O of the weight counts the outputs of a group."""

    name = "nn.conv2d_transpose"
    ndim = 2

    strides: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0)
    dilation: tuple[int, ...] = (1, 1)
    channels: int | None = None
    kernel_size: tuple[int, ...] | None = None
    groups: int = 1
    data_layout: str = "NCHW"
    kernel_layout: str = "IOHW"
    out_layout: str = ""
    output_padding: tuple[int, ...] = (0, 0)
    out_dtype: str = ""


@operator
class Conv3DTranspose(TransposedConvolution):
    """A transposed convolution along three axes."""

    name = "nn.conv3d_transpose"
    ndim = 3

    strides: tuple[int, ...] = (1, 1, 1)
    padding: tuple[int, ...] = (0, 0, 0)
    dilation: tuple[int, ...] = (1, 1, 1)
    channels: int | None = None
    kernel_size: tuple[int, ...] | None = None
    groups: int = 1
    data_layout: str = "NCDHW"
    kernel_layout: str = "IODHW"
    out_layout: str = ""
    output_padding: tuple[int, ...] = (0, 0, 0)
    out_dtype: str = ""


@operator
class Conv2DBackwardWeight(Operator):
    """The gradient of the weight (O, C / groups, KH, KW) of nn.conv2d, from that of its result.

    ``grad`` is the gradient of the result, ``data`` the convolution's; the attributes are those of
    the convolution. ``kernel_size`` is required: strides leave it open.
    """

    name = "nn.conv2d_backward_weight"
    inputs = ("grad", "data")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE
    parameters = (
        "grad", "data", "strides", "padding", "dilation", "groups", "channels", "kernel_size",
        "grad_layout", "data_layout", "kernel_layout", "out_dtype",
    )  # fmt: skip

    strides: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0)
    dilation: tuple[int, ...] = (1, 1)
    groups: int = 1
    channels: int | None = None
    kernel_size: tuple[int, ...] | None = None
    grad_layout: str = "NCHW"
    data_layout: str = "NCHW"
    kernel_layout: str = "OIHW"
    out_dtype: str = ""

    def infer(self, grad: TensorSpec, data: TensorSpec) -> TensorSpec:
        if self.kernel_size is None:
            raise RelationError("kernel_size is missing: other sizes do not determine it")
        if {self.grad_layout, self.data_layout} != {"NCHW"} or self.kernel_layout != "OIHW":
            raise RelationError(
                f"grad_layout is {self.grad_layout!r}, data_layout {self.data_layout!r} and "
                f"kernel_layout {self.kernel_layout!r}, but must be NCHW, NCHW and OIHW"
            )
        require_rank(grad, 4, "grad")
        require_rank(data, 4, "data")
        outputs, inputs = grad.shape[1], data.shape[1]
        if self.channels is not None:
            require_same(self.channels, outputs, "channels and the channels of grad")
        kernel = spread(self.kernel_size, 2, "kernel_size")
        inner = inputs
        if self.groups != 1 and inputs is not None:
            if self.groups < 1 or (isinstance(inputs, int) and inputs % self.groups):
                raise RelationError(f"{inputs} channels are not divisible by {self.groups} groups")
            inner = inputs // self.groups
        weight = TensorSpec((outputs, inner, *kernel), self.out_dtype or grad.dtype)
        own = Conv2D(self.strides, self.padding, self.dilation, self.groups)
        result = own.infer(data, weight)
        for n, (size, part) in enumerate(zip(result.shape, grad.shape, strict=True)):
            require_same(size, part, f"the sizes {n} of the convolution and of grad")
        return weight
