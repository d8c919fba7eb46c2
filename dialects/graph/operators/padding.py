"""Elements around tensors, and between their elements."""

from __future__ import annotations

from collections.abc import Sequence

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._relations import require_dtype, require_rank, require_word
from kc.dialects.graph.sizes import MaybeSize
from kc.dialects.graph.types import TensorSpec

Widths = tuple[tuple[int, ...], ...]


def widths_of(widths: Widths, rank: int, name: str = "pad_width") -> list[tuple[int, int]]:
    """(before, after) of each dimension. Raises RelationError for another number of them."""
    if len(widths) != rank or any(len(pair) != 2 for pair in widths):
        raise RelationError(
            f"{name} is {widths}, but must be (before, after) for each of {rank} dimensions"
        )
    return [(before, after) for before, after in widths]


def padded_sizes(
    sizes: Sequence[MaybeSize], widths: Sequence[tuple[int, int]]
) -> tuple[MaybeSize, ...]:
    """The sizes with so many elements before and after. Raises RelationError for a crop of more
    elements than there are."""
    result: list[MaybeSize] = []
    for size, (before, after) in zip(sizes, widths, strict=True):
        total = None if size is None else size + (before + after)
        if isinstance(size, int) and min(size + before, size + after, size + before + after) < 0:
            raise RelationError(f"padding of {before} and {after} crops more than {size} elements")
        result.append(total)
    return tuple(result)


@operator
class Pad(Operator):
    """``pad_width`` = (before, after) elements added along each dimension; negative ones crop.

    In the mode "constant" they are ``pad_value``, 0 by default; in the modes "edge" and "reflect"
    the nearest element, and the mirror image without its edge.
    """

    name = "nn.pad"
    inputs = ("data", "pad_value?")
    pattern = Pattern.INJECTIVE
    parameters = ("data", "pad_width", "pad_value", "pad_mode")

    pad_width: tuple[tuple[int, ...], ...]
    pad_mode: str = "constant"

    def infer(self, data: TensorSpec, pad_value: TensorSpec | None = None) -> TensorSpec:
        require_word(self.pad_mode, ("constant", "edge", "reflect"), "pad_mode")
        widths = widths_of(self.pad_width, data.rank)
        if pad_value is not None:
            require_rank(pad_value, 0, "pad_value")
            require_dtype(pad_value, (data.dtype,), "pad_value")
        if self.pad_mode != "constant":
            require_mirrors(data, widths, 1 if self.pad_mode == "reflect" else None)
        return TensorSpec(padded_sizes(data.shape, widths), data.dtype)


def require_mirrors(data: TensorSpec, widths: Sequence[tuple[int, int]], less: int | None) -> None:
    """Require that padding repeats elements that there are: up to ``less`` fewer than the size, or
    any number of an edge for None. Raises RelationError."""
    for size, pair in zip(data.shape, widths, strict=True):
        most = size - (less or 0) if isinstance(size, int) else None
        if min(pair) < 0:
            raise RelationError(f"pad_width is {pair}, but elements are repeated at least 0 times")
        if most is not None and max(pair) > (max(pair) if less is None and size else most):
            raise RelationError(f"padding of {pair} repeats more than {most} of {size} elements")


@operator
class MirrorPad(Operator):
    """``pad_width`` = (before, after) elements, mirrored at the edges.

    The mode "SYMMETRIC" repeats the edge, "REFLECT" does not.
    """

    name = "nn.mirror_pad"
    inputs = ("data",)
    pattern = Pattern.INJECTIVE
    parameters = ("data", "pad_width", "mode")

    pad_width: tuple[tuple[int, ...], ...]
    mode: str = "SYMMETRIC"

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_word(self.mode, ("SYMMETRIC", "REFLECT"), "mode")
        widths = widths_of(self.pad_width, data.rank)
        require_mirrors(data, widths, 1 if self.mode == "REFLECT" else 0)
        return TensorSpec(padded_sizes(data.shape, widths), data.dtype)


@operator
class Dilate(Operator):
    """The elements ``strides`` apart, with ``dilation_value`` between them."""

    name = "nn.dilate"
    inputs = ("data",)
    pattern = Pattern.INJECTIVE

    strides: tuple[int, ...]
    dilation_value: float = 0.0

    def infer(self, data: TensorSpec) -> TensorSpec:
        if len(self.strides) != data.rank or min(self.strides, default=1) < 1:
            raise RelationError(
                f"strides is {self.strides}, but must have a number of at least 1 for each of "
                f"{data.rank} dimensions"
            )
        return TensorSpec(
            tuple(
                size if size in (0, None) or stride == 1 else (size - 1) * stride + 1
                for size, stride in zip(data.shape, self.strides, strict=True)
            ),
            data.dtype,
        )
