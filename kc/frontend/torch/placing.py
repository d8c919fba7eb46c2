"""Rules of operators that place elements, or read views: each calls an operator of ``kc.topi``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc import te, topi
from kc.expr.tensor import Tensor
from kc.frontend.torch.numerics import Output, converted
from kc.frontend.torch.rules import Unsupported, axis_of, in_type, rank_of, rule
from kc.topi import nn

_MASKS = ("bool", "uint8")


def cropped(source: Tensor, shape: Sequence[Any]) -> Tensor:
    """The first elements along each axis: torch's sources may be larger than their indices."""
    if tuple(source.shape) == tuple(shape):
        return source
    return te.compute(tuple(shape), lambda *at: source(*at), "updates")


@rule("index_put", "_unsafe_index_put")
def _index_put(
    x: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool = False, *, node: Output
) -> Tensor:
    index_of = {axis: index for axis, index in enumerate(indices) if index is not None}
    if any(index.dtype in _MASKS for index in index_of.values()):
        return _masked_put(x, index_of, values, accumulate)
    return topi.index_put(x, [*index_of.values()], values, [*index_of], accumulate)


def _masked_put(x: Tensor, index_of: dict[int, Tensor], values: Tensor, accumulate: bool) -> Tensor:
    """The values where a mask holds, if they do not depend on the number of these places."""
    ((axis, mask), *more) = index_of.items()
    behind = rank_of(x) - axis - rank_of(mask)  # axes after the axes of the mask
    sizes = list(values.shape)
    if len(sizes) > behind:
        count = sizes[len(sizes) - behind - 1]
        if not isinstance(count, int) or count != 1:
            more = more or [(axis, mask)]
        sizes[len(sizes) - behind - 1 : len(sizes) - behind] = [1] * rank_of(mask)
    if more:
        raise Unsupported("values for the elements of a mask, whose number the call alone knows")
    holds = topi.reshape(mask, (*[1] * axis, *mask.shape, *[1] * behind))
    news = topi.reshape(values, sizes)
    return topi.where(converted(holds, "bool"), topi.add(x, news) if accumulate else news, x)


@rule("index_copy")
def _index_copy(x: Tensor, axis: int, index: Tensor, source: Tensor, *, node: Output) -> Tensor:
    return _along(x, axis, index, source, False)


@rule("index_add")
def _index_add(
    x: Tensor, axis: int, index: Tensor, source: Tensor, *, alpha: Any = 1, node: Output
) -> Tensor:
    if alpha != 1:
        source = topi.multiply(source, in_type(alpha, source.dtype))
    return _along(x, axis, index, source, True)


@rule("index_fill.int_Scalar", "index_fill.int_Tensor")
def _index_fill(x: Tensor, axis: int, index: Tensor, value: Any, *, node: Output) -> Tensor:
    value = value if isinstance(value, Tensor) else topi.full((), node.dtype, value)
    return _along(x, axis, index, converted(value, node.dtype), False)


def _along(x: Tensor, axis: int, index: Tensor, values: Tensor, accumulate: bool) -> Tensor:
    if not rank_of(x):
        values = topi.reshape(values, (1,)) if not rank_of(values) else values
        index = topi.reshape(index, (1,))
        put = topi.index_put(topi.reshape(x, (1,)), [index], values, [0], accumulate)
        return topi.reshape(put, ())
    if not rank_of(index):
        index = topi.reshape(index, (1,))
    return topi.index_put(x, [index], values, [axis], accumulate)


@rule("slice_scatter")
def _slice_scatter(
    x: Tensor, source: Tensor, axis: int = 0, start: Any = None, end: Any = None, step: int = 1,
    *, node: Output,
) -> Tensor:  # fmt: skip
    size = x.shape[axis_of(axis, rank_of(x))]
    start = 0 if start is None else start
    if isinstance(start, int):
        if start < 0:
            start = max(start + size, 0) if isinstance(size, int) else start + size
        if isinstance(size, int):
            start = min(start, size)
    return topi.slice_scatter(x, source, axis, start, step)


@rule("select_scatter")
def _select_scatter(x: Tensor, source: Tensor, axis: int, index: Any, *, node: Output) -> Tensor:
    axis = axis_of(axis, rank_of(x))
    if isinstance(index, int) and index < 0:
        index = index + x.shape[axis]
    return topi.slice_scatter(x, topi.expand_dims(source, axis), axis, index, 1)


@rule("scatter_reduce.two", "scatter.reduce", "scatter.value_reduce")
def _scatter_reduce(
    x: Tensor, axis: int, index: Tensor, source: Any, reduce: str = "", *,
    include_self: bool = True, node: Output, **options: str,
) -> Tensor:  # fmt: skip
    mode = reduce or options.get("reduce", "")
    mode = {"add": "sum", "multiply": "prod"}.get(mode, mode)
    if not isinstance(source, Tensor):
        source = topi.full(index.shape, node.dtype, source)
    source = cropped(source, index.shape)
    if not rank_of(x):
        x, index, source = (topi.reshape(part, (1,)) for part in (x, index, source))
        return topi.reshape(topi.scatter_reduce(x, index, source, 0, mode, include_self), ())
    return topi.scatter_reduce(x, index, source, axis, mode, include_self)


@rule("masked_scatter")
def _masked_scatter(x: Tensor, mask: Tensor, source: Tensor, *, node: Output) -> Tensor:
    return topi.masked_scatter(topi.broadcast_to(x, node.shape), mask, source)


@rule("as_strided", "as_strided_copy")
def _as_strided(
    x: Tensor, sizes: Sequence[Any], strides: Sequence[int], offset: int | None = None, *,
    node: Output,
) -> Tensor:  # fmt: skip
    """The memory of ``x`` is row-major: the importer refuses another layout."""
    return topi.as_strided(x, list(sizes), list(strides), offset or 0)


@rule("diagonal", "diagonal_copy")
def _diagonal(
    x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, *, node: Output
) -> Tensor:
    return topi.diagonal(x, offset, axis1, axis2)


@rule("diagonal_scatter")
def _diagonal_scatter(
    x: Tensor, source: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, *, node: Output
) -> Tensor:
    first, second = axis_of(axis1, rank_of(x)), axis_of(axis2, rank_of(x))
    rest = [n for n in range(rank_of(x)) if n not in (first, second)]

    def element(*at: Any) -> Any:
        along = at[first] - max(-offset, 0)
        on_it = te.all(along >= 0, (at[second] - at[first]).equal(offset))
        return te.if_then_else(on_it, source(*(at[n] for n in rest), along), x(*at))

    return te.compute(x.shape, element, "diagonal_scatter")


@rule("unfold", "unfold_copy")
def _unfold(x: Tensor, axis: int, size: int, step: int, *, node: Output) -> Tensor:
    axis = axis_of(axis, rank_of(x))
    return te.compute(
        node.shape,
        lambda *at: x(*at[:axis], at[axis] * step + at[-1], *at[axis + 1 : -1]),
        "unfold",
    )


@rule("fill.Scalar", "fill.Tensor", "copy")
def _copy(x: Tensor, source: Any, *_: Any, node: Output) -> Tensor:
    if not isinstance(source, Tensor):
        return topi.full(node.shape, node.dtype, source)
    return topi.broadcast_to(converted(source, node.dtype), node.shape)


@rule("col2im")
def _col2im(
    x: Tensor, size: Sequence[int], window: Sequence[int], dilation: Sequence[int],
    padding: Sequence[int], stride: Sequence[int], *, node: Output,
) -> Tensor:  # fmt: skip
    columns = x if rank_of(x) == 3 else topi.reshape(x, (1, *x.shape))
    image = nn.col2im(
        columns, list(size), list(window), list(stride), list(padding), list(dilation)
    )
    return topi.reshape(image, node.shape)


@rule("max_unpool2d", "max_unpool3d")
def _max_unpool(x: Tensor, places: Tensor, size: Sequence[int], *_: Any, node: Output) -> Tensor:
    count = len(size)
    if rank_of(x) == count + 1:
        x, places = (topi.reshape(part, (1, *part.shape)) for part in (x, places))
    image = nn.max_unpool(x, places, [1] * count, output_size=list(size))
    return topi.reshape(image, node.shape)


@rule("bucketize.Tensor", "bucketize.Scalar")
def _bucketize(
    x: Any, bounds: Tensor, *, out_int32: bool = False, right: bool = False, node: Output
) -> Tensor:
    return _searched(bounds, x, right, node)


@rule("searchsorted.Tensor", "searchsorted.Scalar")
def _searchsorted(
    bounds: Tensor, x: Any, *, out_int32: bool = False, right: bool = False,
    side: str | None = None, sorter: Tensor | None = None, node: Output,
) -> Tensor:  # fmt: skip
    if sorter is not None:
        bounds = topi.gather(bounds, rank_of(bounds) - 1, sorter)
    return _searched(bounds, x, right or side == "right", node)


def _searched(bounds: Tensor, x: Any, right: bool, node: Output) -> Tensor:
    """Compared in the wider of two types."""
    if not isinstance(x, Tensor):
        x = topi.full((), "float32" if isinstance(x, float) else "int64", x)
    floats = [part.dtype for part in (bounds, x) if "float" in part.dtype]
    common = max(floats, default="int64", key=("float16", "bfloat16", "float32", "float64").index) \
        if floats else "int64"  # fmt: skip
    bounds, x = converted(bounds, common), converted(x, common)
    flat = topi.reshape(x, (1,)) if not rank_of(x) else x
    return topi.reshape(topi.searchsorted(bounds, flat, right, node.dtype), node.shape)


@rule("native_dropout")
def _dropout(x: Tensor, p: float, train: bool | None, *, node: Any) -> list[Tensor]:
    if train is not False and p:
        raise Unsupported("it draws numbers: call eval() before the export")
    return [topi.identity(x), topi.full(x.shape, "bool", True)]


@rule("_cdist_forward")
def _cdist(
    x: Tensor, y: Tensor, p: float, mode: int | None = None, *, node: Output, acc: str
) -> Tensor:
    return topi.cdist(x, y, p, acc)


@rule("_pdist_forward")
def _pdist(x: Tensor, p: float = 2.0, *, node: Output, acc: str) -> Tensor:
    return topi.pdist(x, p, acc)


def _amounts(x: Tensor, amounts: Sequence[int]) -> tuple[list[int], list[int]]:
    """Numbers of elements before and after each axis; torch lists those of the last axis first."""
    before, after = [0] * rank_of(x), [0] * rank_of(x)
    for n in range(len(amounts) // 2):
        before[-1 - n], after[-1 - n] = amounts[2 * n], amounts[2 * n + 1]
    return before, after


@rule("reflection_pad1d", "reflection_pad2d", "reflection_pad3d")
def _reflection_pad(x: Tensor, amounts: Sequence[int], *, node: Output) -> Tensor:
    """Mirrored at the edges of the whole tensor, and cropped where an amount is negative."""
    before, after = _amounts(x, amounts)
    wider = [max(n, 0) for n in before], [max(n, 0) for n in after]
    padded = nn.mirror_pad(x, *wider, "REFLECT")
    if min((*before, *after)) >= 0:
        return padded
    return nn.pad(padded, [min(n, 0) for n in before], [min(n, 0) for n in after])


@rule("replication_pad1d", "replication_pad2d", "replication_pad3d")
def _replication_pad(x: Tensor, amounts: Sequence[int], *, node: Output) -> Tensor:
    return nn.edge_pad(x, *_amounts(x, amounts))
