"""Elements selected by tensors of indices. No index reads out of bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, as_expr, compare, const, match, select
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import UINTS, check_dtype, is_bool
from kc.expr.tags import BROADCAST, INJECTIVE
from kc.expr.tensor import Tensor, shape_text
from kc.support.diagnostics import counted
from kc.te.autodiff.own_rules import with_rules
from kc.te.computes import compute
from kc.te.elementwise import Broadcast
from kc.topi.arguments import (
    agree,
    axis_of,
    constant,
    guarded,
    index_tensor,
    inside,
    is_size,
    listed,
    not_empty,
    number,
    product,
    tensor,
    whole,
    word,
)
from kc.topi.gradients import scattered
from kc.topi.kinds import shown
from kc.topi.loops import Loops, written
from kc.topi.shape import place_of, reshape
from kc.topi.table import ANY, INTEGERS, OF_INTEGERS, check_tensor, operator, refuse

MODES = ("clip", "wrap", "fast")


def wrapped_once(index: Expr, size: Any) -> Expr:
    """An index clamped to the dimension. A negative index first counts from the end."""
    if index.dtype in UINTS:
        return inside(index, size)
    index = convert(index, "int64") if index.dtype in ("int8", "int16") else index
    length = convert(as_expr(size), index.dtype)
    return inside(select(index < 0, index + length, index), size)


def _by_mode(index: Expr, size: Any, mode: str) -> Expr:
    if mode != "wrap":
        return inside(index, size)
    wide = "uint64" if index.dtype == "uint64" else "int64"
    return inside(convert(index, wide) % convert(as_expr(size), wide), size)


@operator(
    INJECTIVE,
    ANY,
    'take(T(5, 3), T(4, dtype="int32"), 0)',
    numpy="take",
    onnx="Gather",
    torch="index_select",
    gradient="own",
)
def take(
    a: Tensor, indices: Tensor, axis: int | None = None, batch_dims: int = 0, mode: str = "clip"
) -> Tensor:
    """The elements at ``indices`` along an axis; without an axis, of the flat tensor.

    In the result the shape of the indices replaces the axis. ``batch_dims`` is the number of
    leading dimensions that both share. ``mode``: "clip" clamps an index to the range (a negative
    one to 0), "wrap" wraps around; "fast" is the same as clip.
    """
    index_tensor(indices)
    word(mode, MODES, "mode")
    if axis is None:
        size = product(a.shape)
        for n in range(a.ndim):
            not_empty(a, n, indices)

        def flat(*at: Any) -> Expr:
            if not a.ndim:
                return a()
            return guarded(
                a,
                range(a.ndim),
                lambda: a(*place_of(_by_mode(indices(*at), size, mode), a.shape)),
            )

        return scattered(compute(indices.shape, flat, "T_take", tag=INJECTIVE), a)
    axis, batch = axis_of(axis, a.ndim), whole(batch_dims, "batch_dims")
    batch += indices.ndim if batch < 0 else 0
    if not 0 <= batch <= min(axis, indices.ndim) or not all(
        map(agree, a.shape[:batch], indices.shape[:batch])
    ):
        raise refuse(
            "KC2303",
            f"{a.name} of the shape {shape_text(a.shape)} and {indices.name} of the shape "
            f"{shape_text(indices.shape)} with {batch} batch dimensions and axis {axis}",
            "the batch dimensions must be equal, and precede the axis",
        )
    not_empty(a, axis, indices)
    own = indices.shape[batch:]
    shape = [*a.shape[:axis], *own, *a.shape[axis + 1 :]]

    def body(*at: Any) -> Expr:
        index = indices(*at[:batch], *at[axis : axis + len(own)])

        def read() -> Expr:
            return a(*at[:axis], _by_mode(index, a.shape[axis], mode), *at[axis + len(own) :])

        return guarded(a, [axis], read)

    return scattered(compute(shape, body, "T_take", tag=INJECTIVE), a)


@operator(
    INJECTIVE,
    ANY,
    'gather(T(3, 4), 1, T(3, 2, dtype="int32"))',
    numpy="take_along_axis",
    onnx="GatherElements",
    torch="gather",
    gradient="own",
)
def gather(data: Tensor, axis: int, indices: Tensor) -> Tensor:
    """The elements at ``indices`` along ``axis``, and at their own index along the other axes.
    Negative indices count from the end.

    The indices have the rank of the data, and no dimension but that axis is larger (KC2303).
    """
    axis = axis_of(axis, data.ndim)
    index_tensor(indices, ndim=data.ndim)
    not_empty(data, axis, indices)
    for n, (size, length) in enumerate(zip(indices.shape, data.shape, strict=True)):
        if n != axis and isinstance(size, int) and isinstance(length, int) and size > length:
            raise refuse(
                "KC2303",
                f"{data.name} of the shape {shape_text(data.shape)} and {indices.name} of "
                f"the shape {shape_text(indices.shape)}",
                f"dimension {n} of the indices must be at most that of the data",
            )

    def body(*at: Any) -> Expr:
        own = [
            place if isinstance(size, int) and isinstance(length, int) else inside(place, length)
            for place, size, length in zip(at, indices.shape, data.shape, strict=True)
        ]
        own[axis] = wrapped_once(indices(*at), data.shape[axis])
        return guarded(data, range(data.ndim), lambda: data(*own))

    return scattered(compute(indices.shape, body, "T_gather", tag=INJECTIVE), data)


@operator(
    INJECTIVE, ANY, 'gather_nd(T(3, 4), T(2, 5, dtype="int32"))', onnx="GatherND", gradient="own"
)
def gather_nd(a: Tensor, indices: Tensor) -> Tensor:
    """The elements or slices at indices, which the **first** dimension of ``indices`` lists.

    Indices of shape (k, ...) with k below the rank of ``a`` select slices of the remaining
    dimensions. Negative indices count from the end.
    """
    index_tensor(indices)
    if indices.ndim < 1 or not 1 <= constant(indices.shape[0], "the first dimension") <= a.ndim:
        raise refuse(
            "KC2303",
            f"{indices.name} of the shape {shape_text(indices.shape)} for {a.name} of the shape "
            f"{shape_text(a.shape)}",
            f"the first dimension must be the number of indices, from 1 to {a.ndim}",
        )
    depth, outer = constant(indices.shape[0], "the first dimension"), indices.ndim - 1
    for n in range(depth):
        not_empty(a, n, indices)

    def body(*at: Any) -> Expr:
        own = [wrapped_once(indices(n, *at[:outer]), a.shape[n]) for n in range(depth)]
        return guarded(a, range(depth), lambda: a(*own, *at[outer:]))

    shape = [*indices.shape[1:], *a.shape[depth:]]
    return scattered(compute(shape, body, "T_gather_nd", tag=INJECTIVE), a)


def at_broadcast(part: Tensor, at: Sequence[Any]) -> Expr:
    """The element of a tensor at an index of the shape to which it is broadcast."""
    own = at[len(at) - part.ndim :]
    return part(
        *(0 if is_size(size, 1) else axis for size, axis in zip(part.shape, own, strict=True))
    )


@operator(
    BROADCAST,
    ANY,
    'where(T(3, 4, dtype="bool"), T(3, 4), T(4))',
    numpy="where",
    onnx="Where",
    torch="where",
)
def where(condition: Tensor, x: Any, y: Any) -> Tensor:
    """``x`` where the condition holds (is not 0), else ``y``; shapes are broadcast."""
    parts = [part for part in (condition, x, y) if isinstance(part, Tensor)]

    def body(*elements: Any) -> Expr:
        rest = list(elements)
        test, yes, no = (
            rest.pop(0) if isinstance(part, Tensor) else part for part in (condition, x, y)
        )
        test = test if is_bool(test.dtype) else compare("ne", test, const(0, test.dtype))
        return select(test, *match(yes, no))

    return Broadcast.of(*parts).compute(body, "T_where")


@operator(
    INJECTIVE,
    INTEGERS,
    'one_hot(T(4, dtype="int32"), 1, 0, 5, -1, "float32")',
    onnx="OneHot",
    torch="nn.functional.one_hot",
    gradient="zero",
)
def one_hot(
    indices: Tensor, on_value: Any, off_value: Any, depth: int, axis: int, dtype: str
) -> Tensor:
    """``on_value`` where the position along a new axis of size ``depth`` equals the index, else
    ``off_value``. An index out of range gives ``off_value`` everywhere.
    """
    index_tensor(indices)
    axis, kind = axis_of(axis, indices.ndim + 1), check_dtype(dtype)
    on, off = number(on_value, kind), number(off_value, kind)

    def body(*at: Any) -> Expr:
        index = convert(indices(*at[:axis], *at[axis + 1 :]), "int64")
        return select(index.equal(convert(as_expr(at[axis]), "int64")), on, off)

    shape = [*indices.shape[:axis], depth, *indices.shape[axis:]]
    return compute(shape, body, "T_one_hot", tag=INJECTIVE)


def _sizes_of(shape: Any) -> list[Any]:
    """The sizes of a shape, which may include symbolic sizes (KC2306)."""
    sizes = [
        size if isinstance(size, Expr) else whole(size, "a size") for size in listed(shape, "shape")
    ]
    if any(isinstance(size, int) and size < 0 for size in sizes):
        raise refuse("KC2306", f"shape is {shape}", "sizes must be at least 0")
    return sizes


@operator(
    INJECTIVE,
    INTEGERS,
    'unravel_index(T(4, dtype="int32"), (3, 4))',
    numpy="unravel_index",
    gradient=OF_INTEGERS,
)
def unravel_index(indices: Tensor, shape: Any) -> Tensor:
    """The indices of row-major positions in a shape: a row for each of its dimensions.

    ``shape`` is a tuple of sizes, or a 1-d tensor of sizes.
    """
    index_tensor(indices)
    kind = indices.dtype
    wide = "uint64" if kind == "uint64" else "int64"
    if isinstance(shape, Tensor):
        index_tensor(shape, "shape", 1)
        count = constant(shape.shape[0], "the rank")
        sizes: list[Any] = [convert(shape(n), wide) for n in range(count)]
    else:
        sizes = [convert(as_expr(size), wide) for size in _sizes_of(shape)]
        count = len(sizes)
    if not count:
        raise refuse("KC2303", "the shape ()", "the shape must have at least one dimension")

    def body(row: Any, *at: Any) -> Expr:
        places = place_of(convert(indices(*at), wide), sizes)
        value = places[0]
        for n in range(1, count):
            value = select(row.equal(n), places[n], value)
        return convert(value, kind)

    return compute([count, *indices.shape], body, "T_unravel", tag=INJECTIVE)


@operator(
    INJECTIVE,
    ANY,
    'adv_index(T(4, 5), [T(3, dtype="int32"), T(2, 1, dtype="int32")])',
    gradient="own",
)
def adv_index(data: Tensor, indices: Sequence[Tensor]) -> Tensor:
    """``data[indices[0], indices[1], ...]`` as numpy: the indices are broadcast together."""
    if not isinstance(indices, list | tuple):
        raise refuse("KC2300", f"indices is {shown(indices)}", "it must be a list of tensors",
                     "topi.adv_index(A, [I, J])")  # fmt: skip
    if not 1 <= len(indices) <= data.ndim:
        raise refuse(
            "KC2311",
            f"{counted(len(indices), 'index', 'indices')} for {counted(data.ndim, 'dimension')}",
            "at least one index is needed, and at most one for each dimension",
        )
    for n, index in enumerate(indices):
        index_tensor(index, f"index {n}")
        not_empty(data, n, index)
    places = Broadcast.of(*indices)
    depth = len(places.shape)

    def body(*at: Any) -> Expr:
        own = [
            wrapped_once(places.at(index, at[:depth]), data.shape[n])
            for n, index in enumerate(indices)
        ]
        return guarded(data, range(len(indices)), lambda: data(*own, *at[depth:]))

    shape = [*places.shape, *data.shape[len(indices) :]]
    result = compute(shape, body, "advanced_index", tag=INJECTIVE)
    result.op.agreeing += places.agreeing
    return scattered(result, data)


@operator(
    "injective", ("bool",), 'compress(T(4, dtype="bool"), T(4, 3), 0)', numpy="compress",
    onnx="Compress", gradient="own",
)  # fmt: skip
def compress(condition: Tensor, a: Tensor, axis: int | None = None) -> list[Tensor]:
    """[the slices of ``a`` along an axis where the condition (K,) holds, their number (1,)].

    Without an axis, ``a`` is flattened. The first result is as long as ``a``: only the first slices
    are valid, the others are 0. A shorter condition is false for the missing elements; extra
    elements of a longer condition are ignored. Raises KC2301 for a condition that is not bool,
    KC2304 for an axis that does not exist.
    """
    tensor(condition, "condition", 1)
    check_tensor(a, "a")
    source = reshape(a, (-1,)) if axis is None else a
    along = 0 if axis is None else axis_of(axis, a.ndim)
    count = source.shape[along]

    rest = [size for n, size in enumerate(source.shape) if n != along]

    def each(loops: Loops, number_of: Any, result: Any, move: Callable[[Any, Any], None]) -> None:
        """Clear the result, then ``move`` with the places of an element in ``a`` and outside."""
        ib, holds, zero = loops.ib, loops.ins[0], const(0, a.dtype)
        loops.nest(source.shape, lambda *at: result.__setitem__(at, zero), "c")
        number_of[0] = const(0)
        with ib.for_range(0, scalar.min(count, condition.shape[0]), name="k") as k:
            with ib.if_scope(holds[k]):
                loops.nest(rest, lambda *at: move(
                    (*at[:along], k, *at[along:]), (*at[:along], number_of[0], *at[along:])
                ))  # fmt: skip
                number_of[0] = number_of[0] + 1

    def body(loops: Loops) -> None:
        values, (result, number_of) = loops.ins[1], loops.outs
        each(loops, number_of, result, lambda own, to: result.__setitem__(to, values[own]))

    def back(head: Tensor) -> Tensor:
        def moved_back(loops: Loops) -> None:
            flow, (result,) = loops.ins[1], loops.outs
            number_of = loops.variable("int32", "number_of")
            each(loops, number_of, result, lambda own, to: result.__setitem__(own, flow[to]))

        inputs = [condition, head]
        return written("compress_grad", [source.shape], [a.dtype], inputs, moved_back)[0]

    inputs, shapes = [condition, source], [source.shape, (1,)]
    results = written("compress", shapes, [a.dtype, "int32"], inputs, body)
    with_rules(results[0], {source: back})
    return results
