"""Operators that write elements at indices from tensors. No write is out of bounds."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, as_expr, compare, const, select
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import UINTS, check_dtype, is_float
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.support.diagnostics import counted
from kc.te.autodiff.own_rules import with_rules
from kc.te.computes import compute
from kc.topi.arguments import (
    agree,
    axis_of,
    constant,
    index_tensor,
    number,
    plus,
    rank,
    surely_same,
    tensor,
    word,
)
from kc.topi.loops import written
from kc.topi.table import ANY, INTEGERS, NUMBERS, OF_INTEGERS, check_tensor, operator, refuse

MODES: dict[str, Callable[[Any, Any], Any]] = {
    "update": lambda old, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "min": lambda old, new: scalar.min(old, new),
    "max": lambda old, new: scalar.max(old, new),
}


def target_of(index: Expr, size: Any) -> tuple[Expr, Expr]:
    """An index, with negative ones counted from the end, and the condition that it is in range."""
    length = convert(as_expr(size), "int64")
    place = convert(index, "int64")
    place = place if index.dtype in UINTS else select(place < 0, place + length, place)
    inside = all_of(place >= 0, place < length)
    last = scalar.max(scalar.min(place, length - 1), const(0, "int64"))
    return last, inside


def _within(
    at: Sequence[Any], loops: Sequence[Any], shape: Sequence[Any], axes: Iterable[int]
) -> list[Expr]:
    """The conditions that indices of a nest over ``loops`` are in ``shape``, for symbolic sizes."""
    return [
        compare("lt", convert(as_expr(at[n]), "int64"), convert(as_expr(shape[n]), "int64"))
        for n in axes
        if not (isinstance(loops[n], int) and isinstance(shape[n], int))
        and not surely_same(loops[n], shape[n])
    ]


def checked_axis(data: Tensor, indices: Tensor, updates: Tensor, axis: int) -> int:
    """The axis along which updates are placed, if the tensors fit (KC2302 to KC2304, KC2309)."""
    number = axis_of(axis, data.ndim)
    index_tensor(indices, ndim=data.ndim)
    tensor(updates, "updates", data.ndim, (data.dtype,))
    for n, (length, size, new) in enumerate(
        zip(data.shape, indices.shape, updates.shape, strict=True)
    ):
        larger = n != number and isinstance(size, int) and isinstance(length, int) and size > length
        if larger or not agree(size, new):
            raise refuse(
                "KC2303",
                f"{data.name} {shape_text(data.shape)}, {indices.name} "
                f"{shape_text(indices.shape)} and {updates.name} {shape_text(updates.shape)}",
                f"dimension {n}: indices and updates must be equal, and at most the data",
            )
    return number


def scattered_along(
    data: Tensor, indices: Tensor, updates: Tensor, axis: int, mode: str, name: str
) -> Tensor:
    """The data with updates placed along an axis, by a word of :data:`MODES`."""
    axis = checked_axis(data, indices, updates, axis)

    def body(loops: Any) -> None:
        source, places, news = loops.ins
        (result,) = loops.outs
        loops.nest(data.shape, lambda *at: result.__setitem__(at, source[at]), "c")

        def visit(*at: Any) -> None:
            place, inside = target_of(places[at], data.shape[axis])
            target = (*at[:axis], place, *at[axis + 1 :])
            remaining_axes = [n for n in range(data.ndim) if n != axis]
            fitting = [
                *_within(at, indices.shape, updates.shape, range(data.ndim)),
                *_within(at, indices.shape, data.shape, remaining_axes),
            ]
            with loops.ib.if_scope(all_of(inside, *fitting)):
                result[target] = MODES[mode](result[target], news[at])

        loops.nest(indices.shape, visit)

    result = written(name, [data.shape], [data.dtype], [data, indices, updates], body)[0]

    def place_of(at: Sequence[Any]) -> tuple[list[Any], list[Expr]]:
        place, inside = target_of(indices(*at), data.shape[axis])
        return [*at[:axis], place, *at[axis + 1 :]], [inside]

    def last(numbers: Tensor) -> Tensor:
        return scattered_along(no_updates(data), indices, numbers, axis, "update", "last")

    return with_gradients(result, data, updates, mode, place_of, last)


def no_updates(data: Tensor) -> Tensor:
    """-1 for each element: the initial state, in which no element has an update."""
    return compute(data.shape, lambda *_: const(-1, "int64"), f"{data.name}_none")


def with_gradients(
    result: Tensor, data: Tensor, updates: Tensor, mode: str,
    place_of: Callable[[Sequence[Any]], tuple[list[Any], list[Expr]]],
    last: Callable[[Tensor], Tensor],
) -> Tensor:  # fmt: skip
    """``result`` with the gradients of "add" and "update".

    The adjoint of an update is that of its target, if that is in range; for "update" only the last
    update of a target receives it, and the data where there is no update. ``last`` scatters the
    numbers of the updates, to find the last one of each target.
    """
    if mode not in ("add", "update") or not is_float(data.dtype):
        return result
    zero = const(0, data.dtype)

    @functools.cache
    def numbers() -> Tensor:
        return compute(updates.shape, lambda *at: _row_major(at, updates.shape), "numbers")

    @functools.cache
    def winners() -> Tensor:
        return last(numbers())

    def to_data(head: Tensor) -> Tensor:
        def body(*at: Any) -> Expr:
            if mode == "add":
                return head(*at)
            return select(winners()(*at) < const(0, "int64"), head(*at), zero)

        return compute(data.shape, body, f"{data.name}_grad")

    def to_updates(head: Tensor) -> Tensor:
        def body(*at: Any) -> Expr:
            place, holds = place_of(at)
            if mode == "update":
                holds = [*holds, compare("eq", winners()(*place), numbers()(*at))]
            return select(all_of(*holds), head(*place), zero)

        return compute(updates.shape, body, f"{updates.name}_grad")

    return with_rules(result, {data: to_data, updates: to_updates})


def _row_major(at: Sequence[Any], shape: Sequence[Any]) -> Expr:
    number: Expr = const(0, "int64")
    for place, size in zip(at, shape, strict=True):
        number = number * convert(as_expr(size), "int64") + convert(as_expr(place), "int64")
    return number


@operator(
    "scatter",
    ANY,
    'scatter(T(4, 3), T(2, 3, dtype="int32"), T(2, 3), 0)',
    numpy="put_along_axis",
    onnx="ScatterElements",
    torch="scatter",
    gradient="own",
)
def scatter(data: Tensor, indices: Tensor, updates: Tensor, axis: int = 0) -> Tensor:
    """The data with ``updates`` at ``indices`` along an axis, row-major: the last of equal wins.

    A negative index counts from the end; one outside is left out.
    """
    return scattered_along(data, indices, updates, axis, "update", "scatter")


@operator(
    "scatter",
    NUMBERS,
    'scatter_add(T(4, 3), T(2, 3, dtype="int32"), T(2, 3), 0)',
    numpy="add.at",
    onnx="ScatterElements",
    torch="scatter_add",
    gradient="own",
)
def scatter_add(data: Tensor, indices: Tensor, updates: Tensor, axis: int = 0) -> Tensor:
    """The data with ``updates`` added at ``indices`` along an axis; see :func:`scatter`."""
    return scattered_along(data, indices, updates, axis, "add", "scatter_add")


@operator(
    "scatter",
    ANY,
    'scatter_nd(T(4, 3), T(1, 2, dtype="int32"), T(2, 3), "add")',
    onnx="ScatterND",
    gradient="own",
)
def scatter_nd(data: Tensor, indices: Tensor, updates: Tensor, mode: str = "update") -> Tensor:
    """The data with ``updates`` at indices, which the **first** dimension of ``indices`` lists.

    ``mode``: "update" (the last of equal indices wins), "add", "mul", "min" or "max" (of equal
    elements, the earlier one receives the gradient). ``updates`` has the shape ``indices.shape[1:]
    + data.shape[k:]``. Indices out of range are ignored. Elements of type bool allow only "update"
    (KC2301).
    """
    if word(mode, [*MODES], "mode") != "update":
        check_tensor(data, f"the data of mode {mode!r}", NUMBERS)
    index_tensor(indices)
    tensor(updates, "updates", None, (data.dtype,))
    if indices.ndim < 1:
        rank(indices, "indices", 1, 2, 3)
    depth = constant(indices.shape[0], "the first dimension of the indices")
    expected = [*indices.shape[1:], *data.shape[depth:]]
    if (
        not 1 <= depth <= data.ndim
        or len(expected) != updates.ndim
        or not all(map(agree, updates.shape, expected))
    ):
        raise refuse(
            "KC2303",
            f"{data.name} {shape_text(data.shape)}, {indices.name} {shape_text(indices.shape)} and "
            f"{updates.name} {shape_text(updates.shape)}",
            f"indices has 1 to {data.ndim} rows, and updates the shape {shape_text(expected)}",
        )
    outer = indices.ndim - 1

    def visit(loops: Any, places: Any, at: Sequence[Any], store: Callable[..., None]) -> None:
        """``store`` an update at its place, if that is inside."""
        visited = [target_of(places[(n, *at[:outer])], data.shape[n]) for n in range(depth)]
        target = (*(place for place, _ in visited), *at[outer:])
        fitting = _within(at, updates.shape, expected, range(updates.ndim))
        with loops.ib.if_scope(all_of(*fitting)) if fitting else nullcontext():
            with loops.ib.if_scope(all_of(*(inside for _, inside in visited))):
                store(at, target)

    def body(loops: Any) -> None:
        source, places, news = loops.ins
        (result,) = loops.outs
        loops.nest(data.shape, lambda *at: result.__setitem__(at, source[at]), "c")

        def store(at: Sequence[Any], target: Any) -> None:
            result[target] = MODES[mode](result[target], news[at])

        loops.nest(updates.shape, lambda *at: visit(loops, places, at, store))

    result = written("scatter_nd", [data.shape], [data.dtype], [data, indices, updates], body)[0]

    def place_of(at: Sequence[Any]) -> tuple[list[Any], list[Expr]]:
        visited = [target_of(indices(n, *at[:outer]), data.shape[n]) for n in range(depth)]
        place = [place for place, _ in visited]
        return [*place, *at[outer:]], [inside for _, inside in visited]

    def last(numbers: Tensor) -> Tensor:
        return scatter_nd(no_updates(data), indices, numbers)

    def backwards(head: Tensor) -> tuple[Tensor, Tensor]:
        """The adjoints of the data and of the updates, which are undone from the last to the first.

        The head becomes the adjoint of the previous state. That state is computed first, so that an
        element may be 0 and nothing is divided.
        """

        def reverse(loops: Any) -> None:
            (source, places, news, flow), (to_data, to_updates) = loops.ins, loops.outs
            before = loops.ib.allocate(data.dtype, updates.shape, name="before")

            def start(*at: Any) -> None:
                to_data[at] = source[at]

            def forwards(at: Sequence[Any], target: Any) -> None:
                before[at] = to_data[target]
                to_data[target] = MODES[mode](to_data[target], news[at])

            def backwards(at: Sequence[Any], target: Any) -> None:
                old, new, own = before[at], news[at], to_data[target]
                if mode == "mul":
                    to_updates[at] = own * old
                    to_data[target] = own * new
                    return
                keeps = old >= new if mode == "max" else old <= new
                with loops.ib.if_scope(keeps):
                    to_updates[at] = zero
                with loops.ib.else_scope():
                    to_updates[at] = own
                    to_data[target] = zero

            zero = const(0, data.dtype)
            loops.nest(data.shape, start, "c")
            loops.nest(updates.shape, lambda *at: visit(loops, places, at, forwards), "f")
            loops.nest(data.shape, lambda *at: to_data.__setitem__(at, flow[at]), "h")

            def from_last(*at: Any) -> None:
                at = tuple(
                    plus(size, -1) - place for size, place in zip(updates.shape, at, strict=True)
                )
                to_updates[at] = zero
                visit(loops, places, at, backwards)

            loops.nest(updates.shape, from_last, "b")

        to_data, to_updates = written(
            "scatter_nd_grad", [data.shape, updates.shape], [data.dtype] * 2,
            [data, indices, updates, head], reverse,
        )  # fmt: skip
        return to_data, to_updates

    if mode in ("mul", "min", "max"):
        both = functools.cache(backwards)
        return with_rules(result, {data: lambda h: both(h)[0], updates: lambda h: both(h)[1]})
    return with_gradients(result, data, updates, mode, place_of, last)


@operator(
    "scatter",
    INTEGERS,
    'invert_permutation(T(4, dtype="int32"))',
    numpy="argsort",
    gradient=OF_INTEGERS,
)
def invert_permutation(data: Tensor) -> Tensor:
    """The position of each number in a permutation; 0 for missing numbers."""
    rank(data, "data", 1)
    size, kind = data.shape[0], data.dtype

    def body(loops: Any) -> None:
        (positions,), (result,) = loops.ins, loops.outs
        loops.nest([size], lambda k: result.__setitem__(k, const(0, kind)), "c")
        with loops.ib.for_range(0, size, name="k") as k:
            place, inside = target_of(positions[k], size)
            with loops.ib.if_scope(inside):
                result[place] = convert(as_expr(k), kind)

    return written("invert_permutation", [(size,)], [kind], [data], body)[0]


@operator(
    "scatter",
    INTEGERS,
    'sparse_to_dense(T(3, 2, dtype="int32"), (4, 5), T(3), 0.5)',
    gradient="own",
)
def sparse_to_dense(
    sparse_indices: Tensor, output_shape: Any, sparse_values: Tensor, default_value: Any = 0
) -> Tensor:
    """A tensor of ``default_value`` with ``sparse_values`` at the indices in rows of
    ``sparse_indices``.

    The indices are (number, rank), (number,) of one dimension, or a single one. Indices out of
    range are ignored; of equal indices the last wins, and its value receives the gradient.
    """
    index_tensor(sparse_indices)
    rank(sparse_indices, "sparse_indices", 0, 1, 2)
    tensor(sparse_values, "sparse_values")
    shape = tuple(output_shape) if isinstance(output_shape, list | tuple) else (output_shape,)
    depth = 1 if sparse_indices.ndim < 2 else constant(sparse_indices.shape[1], "the rank")
    listed = sparse_indices.shape[0] if sparse_indices.ndim else 1
    if (
        depth != len(shape)
        or sparse_values.ndim > 1
        or (sparse_values.ndim and not agree(listed, sparse_values.shape[0]))
    ):
        raise refuse(
            "KC2303",
            f"{sparse_indices.name} {shape_text(sparse_indices.shape)} and {sparse_values.name} "
            f"{shape_text(sparse_values.shape)} for the output {shape_text(shape)}",
            f"there is an index for each of {counted(len(shape), 'dimension')}, and a value for "
            "each row of them, or one",
        )
    kind = check_dtype(sparse_values.dtype)
    count = sparse_indices.shape[0] if sparse_indices.ndim else 1

    def body(loops: Any) -> None:
        (places, news), (result,) = loops.ins, loops.outs
        fill = number(default_value, kind)
        loops.nest(shape, lambda *at: result.__setitem__(at, fill), "c")

        def visit(k: Any) -> None:
            own = [
                places[k, n]
                if sparse_indices.ndim == 2
                else places[k]
                if sparse_indices.ndim
                else places[()]
                for n in range(depth)
            ]
            both = [target_of(index, size) for index, size in zip(own, shape, strict=True)]
            one_each = sparse_values.shape[:1]
            fitting = _within([k], [count], one_each, range(len(one_each)))
            with loops.ib.if_scope(all_of(*(inside for _, inside in both), *fitting)):
                value = news[k] if sparse_values.ndim else news[()]
                result[tuple(place for place, _ in both)] = value

        loops.nest([count], visit)

    inputs = [sparse_indices, sparse_values]
    result = written("sparse_to_dense", [shape], [kind], inputs, body)[0]

    def to_values(head: Tensor) -> Tensor:
        """The adjoint of the values: the last of equal indices receives it; a single value is at
        all of them.
        """
        numbers = compute((count,), lambda k: convert(k, "int64"), "numbers")
        last = sparse_to_dense(sparse_indices, shape, numbers, -1)

        def own(k: Any) -> Expr:
            at = [k] if sparse_indices.ndim else []
            indices = [
                sparse_indices(*at, n) if sparse_indices.ndim == 2 else sparse_indices(*at)
                for n in range(depth)
            ]
            both = [target_of(index, size) for index, size in zip(indices, shape, strict=True)]
            place = [place for place, _ in both]
            holds = [inside for _, inside in both]
            holds.append(compare("eq", last(*place), numbers(k)))
            return select(all_of(*holds), head(*place), const(0, kind))

        if sparse_values.ndim:
            return compute(sparse_values.shape, own, f"{sparse_values.name}_grad")
        k = reduce_axis((0, count), name="k")
        return compute((), lambda: scalar.sum(own(k), axis=k), f"{sparse_values.name}_grad")

    return with_rules(result, {sparse_values: to_values}) if is_float(kind) else result
