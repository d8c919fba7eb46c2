"""Gradients of pools with respect to their data, and the inverse of maximum pools."""

from __future__ import annotations

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._layouts import pads_of, spread
from kc.dialects.graph.operators._relations import (
    ANY,
    INTEGERS,
    WORDS,
    require_dtype,
    require_rank,
    require_same,
)
from kc.dialects.graph.operators.pooling import AvgPool2D, MaxPool2D, Windows
from kc.dialects.graph.sizes import MaybeSize
from kc.dialects.graph.types import TensorSpec


class PoolGrad(Operator):
    """The base of gradients of pools: the attributes are those of the pool."""

    inputs = ("out_grad", "data")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    pool_size: tuple[int, ...]
    strides: tuple[int, ...]
    padding: tuple[int, ...]
    layout: str
    out_layout: str
    ceil_mode: bool

    def pool(self) -> Windows:
        """The pool whose gradient it is."""
        raise NotImplementedError

    def infer(self, out_grad: TensorSpec, data: TensorSpec) -> TensorSpec:
        if self.out_layout not in ("", self.layout):
            raise RelationError(f"out_layout is {self.out_layout!r}, but must be the layout")
        require_dtype(data, WORDS, "data")
        require_dtype(out_grad, (data.dtype,), "out_grad")
        pooled = self.pool().infer(data)
        require_rank(out_grad, data.rank, "out_grad")
        for n, (size, own) in enumerate(zip(pooled.shape, out_grad.shape, strict=True)):
            require_same(size, own, f"the sizes {n} of the pool and of out_grad")
        return data


@operator
class MaxPool2DGrad(PoolGrad):
    """The gradient of nn.max_pool2d: the first largest element of each window receives it."""

    name = "nn.max_pool2d_grad"

    pool_size: tuple[int, ...] = (1, 1)
    strides: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0)
    layout: str = "NCHW"
    out_layout: str = ""
    ceil_mode: bool = False

    def pool(self) -> Windows:
        return MaxPool2D(
            self.pool_size, self.strides, padding=self.padding, layout=self.layout,
            ceil_mode=self.ceil_mode,
        )  # fmt: skip


@operator
class AvgPool2DGrad(PoolGrad):
    """The gradient of nn.avg_pool2d: the elements of each window receive equal shares."""

    name = "nn.avg_pool2d_grad"

    pool_size: tuple[int, ...] = (1, 1)
    strides: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0)
    layout: str = "NCHW"
    out_layout: str = ""
    ceil_mode: bool = False
    count_include_pad: bool = False

    def pool(self) -> Windows:
        return AvgPool2D(
            self.pool_size, self.strides, padding=self.padding, layout=self.layout,
            ceil_mode=self.ceil_mode, count_include_pad=self.count_include_pad,
        )  # fmt: skip


@operator
class MaxUnpool(Operator):
    """The elements of (N, C, ...) at their ``indices``, row-major in an image; 0 elsewhere.

    The images have ``output_size``, or that from which ``kernel``, ``stride`` (the kernel by
    default) and ``padding`` make the data. An index outside is left out; kc's own operator.
    """

    name = "nn.max_unpool"
    inputs = ("data", "indices")
    pattern = Pattern.OPAQUE

    kernel: tuple[int, ...]
    stride: tuple[int, ...] | None = None
    padding: tuple[int, ...] = (0,)
    output_size: tuple[int, ...] | None = None

    def infer(self, data: TensorSpec, indices: TensorSpec) -> TensorSpec:
        require_dtype(data, ANY, "data")
        require_dtype(indices, INTEGERS, "indices")
        if data.rank < 3:
            raise RelationError(f"data is {data}, but must have a batch, channels and an image")
        require_rank(indices, data.rank, "indices")
        for n, (size, own) in enumerate(zip(data.shape, indices.shape, strict=True)):
            require_same(size, own, f"the sizes {n} of data and of indices")
        count = data.rank - 2
        kernel = spread(self.kernel, count, "kernel")
        strides = kernel if self.stride is None else spread(self.stride, count, "stride")
        if min(*kernel, *strides) < 1:
            raise RelationError(f"kernel {kernel} and stride {strides} must be at least 1")
        image: tuple[MaybeSize, ...]
        if self.output_size is not None:
            image = spread(self.output_size, count, "output_size")
        else:
            image = tuple(
                None if size is None else (size - 1) * stride + (taps - sum(pads))
                for size, stride, taps, pads in zip(
                    data.shape[2:], strides, kernel, pads_of(self.padding, count), strict=True
                )
            )
        if any(isinstance(size, int) and size < 1 for size in image):
            raise RelationError(f"the images have the sizes {image}, but must have at least 1")
        return TensorSpec((*data.shape[:2], *image), data.dtype)
