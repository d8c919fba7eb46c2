"""Blocks of space moved into the batch or the channels, and back; and columns into images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, as_expr, const, if_then_else
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.te.computes import compute
from kc.topi.accumulation import accumulation
from kc.topi.arguments import (
    constant,
    dim,
    listed,
    number,
    over,
    plus,
    positive,
    product,
    rank,
    tensor,
    times,
    wholes,
    word,
)
from kc.topi.nn.padding import amounts, padded
from kc.topi.table import ANY, NUMBERS, operator, refuse


def _indivisible(data: Tensor, what: str, size: Any, by: Any) -> Exception:
    return refuse(
        "KC2303",
        f"{data.name} of the shape {shape_text(data.shape)}: {what} is {size}",
        f"it must be a multiple of {by}",
    )


def _blocks(block_shape: Any, data: Tensor) -> tuple[int, ...]:
    blocks = block_shape if isinstance(block_shape, list | tuple) else (block_shape,)
    if len(blocks) >= data.ndim:
        raise refuse(
            "KC2302",
            f"{data.name} of the shape {shape_text(data.shape)} for blocks of {tuple(blocks)}",
            "the first dimension must be the batch, followed by a dimension for each block",
        )
    return positive(list(blocks), len(blocks), "block_shape")


@operator(INJECTIVE, ANY, "nn.space_to_batch_nd(T(1, 4, 6), (2, 3), (0, 0), (0, 0))")
def space_to_batch_nd(
    data: Tensor, block_shape: Any, pad_before: Any, pad_after: Any, pad_value: Any = 0.0
) -> Tensor:
    """The blocks of the dimensions after the batch, moved in front of the batch.

    These dimensions are padded first; each is then a multiple of its block (KC2303). The batch of
    the result counts the places in a block, row-major, and in each the batch.
    """
    blocks = _blocks(block_shape, data)
    count = len(blocks)
    rest = data.ndim - 1 - count
    heads = wholes(listed(pad_before, "pad_before"), count, "pad_before")
    tails = wholes(listed(pad_after, "pad_after"), count, "pad_after")
    fill = number(pad_value, data.dtype)
    source = padded(data, [0, *heads, *[0] * rest], [0, *tails, *[0] * rest], fill)
    for size, block in zip(source.shape[1:], blocks, strict=False):
        if isinstance(size, int) and size % block:
            raise _indivisible(data, "a padded dimension", size, block)
    batch = source.shape[0]
    inner = [over(size, block) for size, block in zip(source.shape[1:], blocks, strict=False)]
    shape = [times(product(blocks), batch), *inner, *source.shape[1 + count :]]

    def body(b: Any, *at: Any) -> Expr:
        places = _unravel(b // batch, blocks)
        moved = [
            axis * block + place for axis, block, place in zip(at, blocks, places, strict=False)
        ]
        return source(b % batch, *moved, *at[count:])

    return compute(shape, body, "space_to_batch_nd", tag=INJECTIVE)


def _unravel(number: Any, sizes: Sequence[int]) -> list[Any]:
    """The multi-dimensional index of a row-major number."""
    places: list[Any] = []
    for size in reversed(sizes):
        places.insert(0, number % size)
        number = number // size
    return places


@operator(INJECTIVE, ANY, "nn.batch_to_space_nd(T(6, 2, 2), (2, 3), (0, 0), (0, 0))")
def batch_to_space_nd(
    data: Tensor, block_shape: Any, crop_begin_list: Any, crop_end_list: Any
) -> Tensor:
    """The inverse of :func:`space_to_batch_nd`, followed by a crop.

    Raises KC2303 for a batch that is no multiple of the blocks, KC2314 for crops below 0, or larger
    than the image.
    """
    blocks = _blocks(block_shape, data)
    count = len(blocks)
    begin = wholes(listed(crop_begin_list, "crop_begin_list"), count, "crop_begin_list")
    end = wholes(listed(crop_end_list, "crop_end_list"), count, "crop_end_list")
    if any(crop < 0 for crop in (*begin, *end)):
        raise refuse(
            "KC2314",
            f"crops of {begin} and {end}",
            "a crop must be at least 0, because it removes elements",
        )
    whole_block = constant(product(blocks), "block_shape")
    batch = dim(data.shape[0])
    if isinstance(batch, int) and batch % whole_block:
        raise _indivisible(data, "the batch", batch, whole_block)
    batch = over(batch, whole_block)
    sizes = [times(size, block) for size, block in zip(data.shape[1:], blocks, strict=False)]
    cropped = [plus(size, -(a + b)) for size, a, b in zip(sizes, begin, end, strict=True)]
    if any(isinstance(size, int) and size < 0 for size in cropped):
        raise refuse(
            "KC2314",
            f"crops of {begin} and {end} from {shape_text(sizes)}",
            f"the result would have the shape {shape_text(cropped)}",
        )

    def body(b: Any, *at: Any) -> Expr:
        full = [axis + first if first else axis for axis, first in zip(at, begin, strict=False)]
        number: Any = 0
        for place, block in zip(full, blocks, strict=True):
            number = number * block + place % block
        outer = [place // block for place, block in zip(full, blocks, strict=True)]
        return data(number * batch + b, *outer, *at[count:])

    return compute(
        [batch, *cropped, *data.shape[1 + count :]], body, "batch_to_space_nd", tag=INJECTIVE
    )


def _image_axes(data: Tensor, layout: str) -> tuple[int, int, int]:
    rank(data, "data", 4)
    word(layout, ("NCHW", "NHWC"), "layout")
    return (1, 2, 3) if layout == "NCHW" else (3, 1, 2)


@operator(
    INJECTIVE,
    ANY,
    "nn.depth_to_space(T(1, 8, 2, 3), 2)",
    onnx="DepthToSpace",
    torch="pixel_shuffle",
)
def depth_to_space(
    data: Tensor, block_size: int, layout: str = "NCHW", mode: str = "DCR"
) -> Tensor:
    """Channels moved into blocks of ``block_size`` x ``block_size``.

    The channel counts the place in the block first, the new channel last ("DCR"), or the other way
    round ("CRD" or TVM's "CDR"; torch's pixel_shuffle). Raises KC2303 for channels that are no
    multiple of the block.
    """
    c, h, w = _image_axes(data, layout)
    (block,) = positive(block_size, 1, "block_size")
    word(mode, ("DCR", "CDR", "CRD"), "mode")
    channels = constant(data.shape[c], "the number of channels")
    if channels % (block * block):
        raise _indivisible(data, "the number of channels", channels, block * block)
    depth = channels // (block * block)
    shape = list(data.shape)
    shape[c], shape[h], shape[w] = depth, times(shape[h], block), times(shape[w], block)

    def body(*at: Any) -> Expr:
        place = (at[h] % block) * block + at[w] % block
        source = list(at)
        source[c] = place * depth + at[c] if mode == "DCR" else at[c] * (block * block) + place
        source[h], source[w] = at[h] // block, at[w] // block
        return data(*source)

    return compute(shape, body, "depth_to_space", tag=INJECTIVE)


@operator(INJECTIVE, ANY, "nn.space_to_depth(T(1, 2, 4, 6), 2)", onnx="SpaceToDepth")
def space_to_depth(data: Tensor, block_size: int, layout: str = "NCHW") -> Tensor:
    """Blocks of ``block_size`` x ``block_size`` moved into channels: the inverse of "DCR"."""
    c, h, w = _image_axes(data, layout)
    (block,) = positive(block_size, 1, "block_size")
    shape = list(data.shape)
    for axis in (h, w):
        if isinstance(shape[axis], int) and shape[axis] % block:
            raise _indivisible(data, f"dimension {axis}", shape[axis], block)
    depth = shape[c]
    shape[c] = times(depth, block * block)
    shape[h], shape[w] = over(shape[h], block), over(shape[w], block)

    def body(*at: Any) -> Expr:
        place = at[c] // depth
        source = list(at)
        source[c] = at[c] % depth
        source[h] = at[h] * block + place // block
        source[w] = at[w] * block + place % block
        return data(*source)

    return compute(shape, body, "space_to_depth", tag=INJECTIVE)


@operator(
    "col2im", NUMBERS, "nn.col2im(T(1, 8, 9), (4, 4), (2, 2))", onnx="Col2Im", torch="fold",
)  # fmt: skip
def col2im(
    data: Tensor, image_shape: Any, block_shape: Any, strides: Any = 1, padding: Any = 0,
    dilation: Any = 1,
) -> Tensor:  # fmt: skip
    """The images (N, C, ...) that are the sums of overlapping blocks (N, C * prod(block), L).

    Block l, row-major, starts at its index times ``strides``, minus the padding in front; elements
    of a block are ``dilation`` apart. Elements in the padding are dropped. The number of dimensions
    is that of ``image_shape``. Raises KC2302 and KC2303 for ranks and sizes, KC2306 for a stride or
    dilation of 0, KC2307 for a block that is larger than the padded image, KC2311 for lists of
    another length.
    """
    tensor(data, "data", 3)
    image_sizes = list(image_shape) if isinstance(image_shape, list | tuple) else [image_shape]
    count = len(image_sizes)
    image = positive(image_sizes, count, "image_shape")
    blocks = positive(block_shape, count, "block_shape")
    steps, apart = positive(strides, count, "strides"), positive(dilation, count, "dilation")
    spans = [(size - 1) * gap + 1 for size, gap in zip(blocks, apart, strict=True)]
    heads, tails = amounts(padding, spans)
    lines: list[int] = []
    for size, span, step, head, tail in zip(image, spans, steps, heads, tails, strict=True):
        if size + head + tail < span:
            raise refuse(
                "KC2307",
                f"a block that spans {span} on {size} with {head} in front and {tail} behind",
                "the block, dilated, is larger than the padded image",
            )
        lines.append((size + head + tail - span) // step + 1)
    rows, columns = constant(data.shape[1], "the rows"), constant(data.shape[2], "the columns")
    taps, places = math.prod(blocks), math.prod(lines)
    if rows % taps or columns != places:
        raise refuse(
            "KC2303",
            f"{data.name} of the shape {shape_text(data.shape)} for the image {image} in blocks of "
            f"{blocks}",
            f"dimension 1 is a multiple of {taps}, dimension 2 is {places}: the number of blocks",
        )
    sums = accumulation(data.dtype, None)
    loops = [reduce_axis((0, size), name=f"k{n}") for n, size in enumerate(blocks)]

    def body(n: Any, c: Any, *at: Any) -> Expr:
        conditions, row, column = [], c, as_expr(0)
        for m, loop in enumerate(loops):
            moved = at[m] + heads[m] - loop * apart[m]
            place = moved // steps[m]
            conditions += [moved >= 0, place < lines[m]]
            if steps[m] > 1:
                conditions.append((moved % steps[m]).equal(0))
            row, column = row * blocks[m] + loop, column * lines[m] + place
        value = sums.wide(data(n, row, column))
        return scalar.sum(
            if_then_else(all_of(*conditions), value, const(0, sums.within)), axis=loops
        )

    shape = (data.shape[0], rows // taps, *image)
    return sums.rounded(compute(shape, body, "col2im", tag="col2im"))
