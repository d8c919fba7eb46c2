"""Operators that move elements: shapes, orders of axes, layouts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from kc.expr.constructors import Expr, all_of, as_expr, const, if_then_else, select
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import check_dtype, is_float
from kc.expr.tags import BROADCAST, INJECTIVE
from kc.expr.tensor import Tensor, check_shape, shape_text
from kc.support.diagnostics import counted
from kc.support.locations import caller_location
from kc.te.computes import compute
from kc.topi.arguments import (
    agree,
    axis_of,
    constant,
    dim,
    dtype_of,
    fits,
    listed,
    over_up,
    plus,
    product,
    rank,
    surely_same,
    tensor,
    times,
    whole,
    word,
)
from kc.topi.elementwise import wide_type
from kc.topi.table import ANY, NUMBERS, OF_PLACES, operator, refuse

MOST_DIMENSIONS = 64
"""The largest rank of an array in numpy, and thus in DLPack."""


def _moved(name: str, shape: Any, body: Callable[..., Expr], tag: str = INJECTIVE) -> Tensor:
    return compute(shape, lambda *at: body(*at), f"T_{name}", tag=tag)


@operator(BROADCAST, ANY, "expand_dims(T(3, 4), 1, 2)", numpy="expand_dims", onnx="Unsqueeze")
def expand_dims(a: Tensor, axis: int, num_newaxis: int = 1) -> Tensor:
    """``num_newaxis`` dimensions of 1 in front of ``axis``; a negative one counts in the result."""
    count = whole(num_newaxis, "num_newaxis")
    if count < 0:
        raise refuse("KC2317", f"num_newaxis is {count}", "it must be at least 0")
    if a.ndim + count > MOST_DIMENSIONS:
        raise refuse("KC2317", f"num_newaxis is {count}",
                     f"an array can have at most {MOST_DIMENSIONS} dimensions")  # fmt: skip
    place = whole(axis, "axis")
    place = axis_of(place, a.ndim + 1)
    shape = [*a.shape[:place], *[1] * count, *a.shape[place:]]
    return _moved("expand_dims", shape, lambda *at: a(*at[:place], *at[place + count :]), BROADCAST)


@operator(BROADCAST, ANY, "expand_like(T(3), T(2, 3, 4), (0, 2))")
def expand_like(a: Tensor, shape_like: Tensor, axis: Any) -> Tensor:
    """``a`` repeated along new axes, the axes of ``shape_like`` in ``axis`` (KC2303)."""
    tensor(shape_like, "shape_like")
    axes = [
        axis_of(item, shape_like.ndim)
        for item in (axis if isinstance(axis, list | tuple) else [axis])
    ]
    inner_axes = [n for n in range(shape_like.ndim) if n not in axes]
    if len(inner_axes) != a.ndim or not all(
        agree(size, shape_like.shape[n]) for size, n in zip(a.shape, inner_axes, strict=True)
    ):
        raise refuse(
            "KC2303",
            f"{a.name} of the shape {shape_text(a.shape)} to {shape_text(shape_like.shape)} with "
            f"the new axes {axes}",
            "the other axes must have the sizes of the tensor",
        )
    return _moved(
        "expand_like", shape_like.shape, lambda *at: a(*(at[n] for n in inner_axes)), BROADCAST
    )


@operator(
    INJECTIVE,
    ANY,
    "transpose(T(2, 3, 4), (2, 0, 1))",
    numpy="transpose",
    onnx="Transpose",
    torch="permute",
)
def transpose(a: Tensor, axes: Any = None) -> Tensor:
    """The axes in another order: axis ``n`` of the result is ``axes[n]``; reversed by default.

    Raises KC2311 unless each axis is listed, KC2304 for an axis that does not exist, KC2305 for a
    repeated axis.
    """
    order = (
        list(range(a.ndim))[::-1]
        if axes is None
        else [axis_of(axis, a.ndim) for axis in listed(axes, "axes")]
    )
    if len(order) != a.ndim:
        raise refuse(
            "KC2311",
            f"axes has {counted(len(order), 'number')}: {tuple(order)}",
            f"it must name each of the {a.ndim} axes",
        )
    for n, axis in enumerate(order):
        if axis in order[:n]:
            raise refuse("KC2305", f"axis {axis} is given twice in {tuple(order)}")

    def body(*at: Any) -> Expr:
        place = [None] * a.ndim
        for index, axis in zip(at, order, strict=True):
            place[axis] = index
        return a(*place)  # pyright: ignore[reportArgumentType]

    return _moved("transpose", [a.shape[axis] for axis in order], body)


@operator(INJECTIVE, ANY, "flip(T(3, 4), 1)", numpy="flip", torch="flip")
def flip(a: Tensor, axis: int = 0) -> Tensor:
    """The elements along an axis in the opposite order."""
    axis = axis_of(axis, a.ndim)
    last = plus(a.shape[axis], -1)
    return _moved("flip", a.shape, lambda *at: a(*at[:axis], last - at[axis], *at[axis + 1 :]))


def flat(at: Sequence[Any], shape: Sequence[Any]) -> Any:
    """The row-major number of an index."""
    number: Any = 0
    for index, size in zip(at, shape, strict=True):
        number = index if isinstance(number, int) and number == 0 else number * size + index
    return number


def place_of(number: Any, shape: Sequence[Any]) -> list[Any]:
    """The index of a row-major number."""
    places: list[Any] = []
    for n, size in reversed([*enumerate(shape)]):
        if isinstance(size, int) and size == 1:
            places.insert(0, const(0))
            continue
        places.insert(0, number % size if n else number)
        number = number // size
    return places


@operator(
    INJECTIVE, ANY, "reshape(T(3, 4), (2, 6))", numpy="reshape", onnx="Reshape", torch="reshape"
)
def reshape(a: Tensor, newshape: Any) -> Tensor:
    """The elements, row-major, in another shape; one size may be -1, and is then computed.

    Raises KC2303 for a shape with another number of elements.
    """
    sizes = [newshape] if not isinstance(newshape, list | tuple) else list(newshape)
    sizes = [dim(size) for size in sizes]
    unknown = [n for n, size in enumerate(sizes) if isinstance(size, int) and size == -1]
    total = product(a.shape)
    if len(unknown) == 1:
        rest = product([size for n, size in enumerate(sizes) if n != unknown[0]])
        if isinstance(total, int) and isinstance(rest, int) and rest and total % rest == 0:
            sizes[unknown[0]] = total // rest
        elif not isinstance(total, int) and isinstance(rest, int) and rest:
            sizes[unknown[0]] = total if rest == 1 else total // rest
        elif isinstance(rest, int):
            sizes[unknown[0]] = 0 if rest else -1
    is_static = all(not isinstance(size, int) or size >= 0 for size in sizes)
    shape = check_shape(sizes, "reshape", caller_location()) if is_static else None
    if shape is None or not fits(product(shape), total):
        raise refuse(
            "KC2303",
            f"{a.name} of the shape {shape_text(a.shape)} to {newshape}",
            f"it has {total} elements",
        )

    def body(*at: Any) -> Expr:
        number = flat(at, shape)
        return a(*place_of(as_expr(number), a.shape)) if a.ndim else a()

    def by_groups(*at: Any) -> Expr:
        return a(*_places_by_groups(at, shape, a.shape))

    if not all(isinstance(size, int) for size in (*shape, *a.shape)):
        same = len(shape) == a.ndim and all(map(surely_same, shape, a.shape))
        return _moved("reshape", shape, (lambda *at: a(*at)) if same else body)
    if total == 0:
        return _moved(
            "reshape", shape, lambda *_: const(0 if a.dtype != "bool" else False, a.dtype)
        )
    return _moved("reshape", shape, by_groups)


def _places_by_groups(
    at: Sequence[Any], shape: Sequence[Any], source: Sequence[Any]
) -> list[Expr | int]:
    """The places in ``source`` of the element ``at`` in ``shape``, for each of the smallest groups
    of neighbouring dimensions that have as many elements in both shapes.

    So a dimension that stays has its index as it is, and no quotients, which schedules would have
    to see through.
    """
    places: list[Expr | int] = []
    i = j = 0
    while i < len(shape) or j < len(source):
        first, start = i, j
        count = source_count = 1
        while count != source_count or (i, j) == (first, start):
            if (count <= source_count or j == len(source)) and i < len(shape):
                count, i = count * shape[i], i + 1
            else:
                source_count, j = source_count * source[j], j + 1
        wide = [n for n in range(first, i) if shape[n] != 1]
        number: Any = as_expr(flat([at[n] for n in wide], [shape[n] for n in wide]))
        sizes = source[start:j]
        outermost = next((n for n, size in enumerate(sizes) if size != 1), 0)
        digits: list[Expr | int] = []
        for n, size in reversed([*enumerate(sizes)]):
            if size == 1:
                digits.insert(0, const(0))
                continue
            digits.insert(0, number % size if n > outermost else number)
            number = number // size
        places += digits
    return places


@operator(
    INJECTIVE, ANY, "squeeze(T(1, 3, 1), 0)", numpy="squeeze", onnx="Squeeze", torch="squeeze"
)
def squeeze(a: Tensor, axis: Any = None) -> Tensor:
    """The tensor without dimensions of 1: all, or those in ``axis`` (KC2303 if one is not 1)."""
    if axis is None:
        gone = [n for n, size in enumerate(a.shape) if isinstance(size, int) and size == 1]
    else:
        gone = [
            axis_of(item, a.ndim) for item in (axis if isinstance(axis, list | tuple) else [axis])
        ]
    for n in gone:
        if isinstance(a.shape[n], int) and a.shape[n] != 1:
            raise refuse(
                "KC2303",
                f"axis {n} of {a.name} of the shape {shape_text(a.shape)}",
                f"it is {a.shape[n]}; only a dimension of 1 can be left out",
            )
    remaining = [n for n in range(a.ndim) if n not in gone]

    def body(*at: Any) -> Expr:
        place: list[Any] = [0] * a.ndim
        for n, index in zip(remaining, at, strict=True):
            place[n] = index
        return a(*place)

    return _moved("squeeze", [a.shape[n] for n in remaining], body)


@operator(
    INJECTIVE,
    ANY,
    "concatenate([T(2, 3), T(4, 3)], 0)",
    takes="tensors",
    numpy="concatenate",
    onnx="Concat",
    torch="cat",
)
def concatenate(a_tuple: Sequence[Tensor], axis: int = 0) -> Tensor:
    """The tensors concatenated along an axis; their other dimensions must be equal (KC2303)."""
    first = a_tuple[0]
    axis = axis_of(axis, first.ndim)
    for part in a_tuple[1:]:
        same = part.ndim == first.ndim and all(
            n == axis or agree(part.shape[n], first.shape[n]) for n in range(first.ndim)
        )
        if not same or part.dtype != first.dtype:
            raise refuse(
                "KC2303" if not same else "KC2301",
                f"{first.name} of the shape {shape_text(first.shape)} and type {first.dtype}, and "
                f"{part.name} of the shape {shape_text(part.shape)} and type {part.dtype}",
                f"all but axis {axis} are equal, and the types",
            )
    shape = list(first.shape)
    starts: list[Any] = [0]
    for part in a_tuple:
        starts.append(plus(part.shape[axis], starts[-1]))
    shape[axis] = starts[-1]

    def body(*at: Any) -> Expr:
        def read(n: int) -> Expr:
            index = at[axis] - starts[n] if n else at[axis]
            return a_tuple[n](*at[:axis], index, *at[axis + 1 :])

        result = read(len(a_tuple) - 1)
        for n in reversed(range(len(a_tuple) - 1)):
            result = if_then_else(at[axis] < starts[n + 1], read(n), result)
        return result

    return _moved("concat", shape, body)


@operator(
    INJECTIVE, ANY, "stack([T(2, 3), T(2, 3)], 1)", takes="tensors", numpy="stack", torch="stack"
)
def stack(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """The tensors, of one shape, along a new axis (KC2303)."""
    axis = axis_of(axis, tensors[0].ndim + 1)
    return concatenate([expand_dims(part, axis) for part in tensors], axis)


@operator(INJECTIVE, ANY, "split(T(6, 2), 3)", numpy="split", onnx="Split", torch="split")
def split(ary: Tensor, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """Parts along an axis: a number of equal ones (KC2303 unless they are), or cut at places."""
    axis = axis_of(axis, ary.ndim)
    size = dim(ary.shape[axis])
    if isinstance(indices_or_sections, list | tuple):
        length = constant(size, "the axis that is split")
        places = [whole(cut, "a place") for cut in indices_or_sections]
        cuts = [min(max(cut + length * (cut < 0), 0), length) for cut in places]
        edges = [0, *cuts, length]
    else:
        count = whole(indices_or_sections, "the number of sections")
        length = constant(size, "the axis that is split")
        if count < 1 or length % count:
            raise refuse(
                "KC2303",
                f"{ary.name} of the shape {shape_text(ary.shape)} in {count} parts of axis {axis}",
                f"the axis has {length} elements, and sections must be equal",
            )
        edges = [length // count * n for n in range(count + 1)]
    parts = []
    for begin, end in zip(edges, edges[1:], strict=False):
        shape = list(ary.shape)
        shape[axis] = max(0, end - begin)

        parts.append(_part(ary, axis, begin, shape))
    return parts


def _part(ary: Tensor, axis: int, begin: int, shape: Sequence[Any]) -> Tensor:
    return _moved(
        "split",
        shape,
        lambda *at: ary(*at[:axis], at[axis] + begin if begin else at[axis], *at[axis + 1 :]),
    )


@operator(INJECTIVE, ANY, "repeat(T(2, 3), 2, 1)", numpy="repeat", torch="repeat_interleave")
def repeat(a: Tensor, repeats: int, axis: int) -> Tensor:
    """Each element ``repeats`` times along an axis."""
    axis, times_each = axis_of(axis, a.ndim), whole(repeats, "repeats")
    if times_each < 0:
        raise refuse("KC2317", f"repeats is {repeats}", "it must be at least 0")
    shape = list(a.shape)
    shape[axis] = times(shape[axis], times_each)
    return _moved(
        "repeat", shape, lambda *at: a(*at[:axis], at[axis] // max(times_each, 1), *at[axis + 1 :])
    )


@operator(INJECTIVE, ANY, "tile(T(2, 3), (2, 1))", numpy="tile", onnx="Tile", torch="tile")
def tile(a: Tensor, reps: Any) -> Tensor:
    """The whole tensor ``reps`` times along each axis; shorter shapes or lists get 1 in front."""
    counts = [whole(item, "reps") for item in (reps if isinstance(reps, list | tuple) else [reps])]
    if any(count < 0 for count in counts):
        raise refuse("KC2317", f"reps is {reps}", "it must be at least 0")
    lead = max(0, a.ndim - len(counts))
    counts = [1] * lead + counts
    extra = len(counts) - a.ndim
    sizes = [1] * extra + list(a.shape)
    shape = [times(size, count) for size, count in zip(sizes, counts, strict=True)]

    def body(*at: Any) -> Expr:
        own = zip(at[extra:], a.shape, counts[extra:], strict=True)
        return a(*(index if count == 1 else index % size for index, size, count in own))

    return _moved("tile", shape, body)


def parsed_layout(layout: Any) -> list[tuple[str, int]]:
    """The dimensions of a layout: a letter, and 0 or the size of a block (KC2308)."""
    parts = re.findall(r"(\d*)([A-Za-z])", layout) if isinstance(layout, str) else []
    result = [(letter, int(number or 0)) for number, letter in parts]
    text = "".join(f"{number or ''}{letter}" for letter, number in result)
    letters = [letter for letter, _ in result]
    ok = text == layout and len({*letters}) == len(letters)
    for letter, number in result:
        ok = ok and letter.islower() == bool(number) and letter.upper() in letters
    if not ok or not result:
        raise refuse(
            "KC2308", f"the layout {layout!r}", "it must have the form NCHW, or NCHW16c with blocks"
        )
    return result


@operator(INJECTIVE, ANY, 'layout_transform(T(1, 6, 2, 2), "NCHW", "NCHW4c")')
def layout_transform(array: Tensor, src_layout: str, dst_layout: str) -> Tensor:
    """The elements in another layout; incomplete blocks are filled with 0.

    Raises KC2308 for an invalid layout, or for layouts with different letters.
    """
    source, target = parsed_layout(src_layout), parsed_layout(dst_layout)
    if len(source) != array.ndim:
        raise refuse(
            "KC2308",
            f"the layout {src_layout!r} for {counted(array.ndim, 'dimension')}",
            f"it names {len(source)}",
        )
    if {letter.upper() for letter, _ in source} != {letter.upper() for letter, _ in target}:
        raise refuse(
            "KC2308",
            f"{src_layout!r} to {dst_layout!r}",
            "both layouts must name the same dimensions",
        )
    blocks = [{letter.upper(): size for letter, size in part if size} for part in (source, target)]
    sizes = {
        letter: times(size, blocks[0].get(letter, 1))
        for (letter, _), size in zip(source, array.shape, strict=True)
        if letter.isupper()
    }
    shape = [block or over_up(sizes[letter], blocks[1].get(letter, 1)) for letter, block in target]

    def body(*at: Any) -> Expr:
        index: dict[str, Any] = {}
        for (letter, block), axis in zip(target, at, strict=True):
            key = letter.upper()
            part = axis if block else axis * blocks[1][key] if key in blocks[1] else axis
            index[key] = part if key not in index else index[key] + part
        place = []
        for letter, block in source:
            key = letter.upper()
            size = blocks[0].get(key)
            place.append(index[key] % size if block else index[key] // size if size else index[key])
        beyond = [
            index[key] < sizes[key]
            for key, block in blocks[1].items()
            if not (isinstance(sizes[key], int) and sizes[key] % block == 0)
        ]
        if not beyond:
            return array(*place)
        return if_then_else(all_of(*beyond), array(*place), const(0, array.dtype))

    return _moved("layout_trans", shape, body)


@operator(INJECTIVE, ANY, "shape(T(3, 4))", onnx="Shape", gradient=OF_PLACES)
def shape(array: Tensor, dtype: str = "int32") -> Tensor:
    """The dimensions, as a tensor of integers."""
    kind, sizes = check_dtype(dtype), [as_expr(size) for size in array.shape]

    def body(at: Any) -> Expr:
        value = const(0, kind)
        for n, size in enumerate(sizes):
            value = select(at.equal(n), convert(size, kind), value)
        return value

    return compute((array.ndim,), body, "T_shape", tag=INJECTIVE)


@operator(INJECTIVE, ANY, "ndarray_size(T(3, 4))", onnx="Size", gradient=OF_PLACES)
def ndarray_size(array: Tensor, dtype: str = "int32") -> Tensor:
    """The number of elements, as a tensor without dimensions."""
    kind = check_dtype(dtype)
    return compute(
        (), lambda: convert(as_expr(product(array.shape)), kind), "T_size", tag=INJECTIVE
    )


@operator(
    INJECTIVE,
    NUMBERS,
    "arange(1, 10, 2)",
    takes="",
    numpy="arange",
    onnx="Range",
    torch="arange",
    gradient="zero",
)
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: str = "float32") -> Tensor:
    """The numbers from ``start`` (0 for a single argument) to below ``stop``, ``step`` apart.

    For an integer type the numbers are truncated. Raises KC2301 for bool, KC2313 for numbers that
    are unknown when the program is built.
    """
    first, end = (0, start) if stop is None else (start, stop)
    numbers = (first, end, step)
    are_finite = all(isinstance(n, int | float) and math.isfinite(n) for n in numbers)
    if not are_finite or not step or not math.isfinite((end - first) / step):
        raise refuse(
            "KC2313",
            f"arange of {numbers}",
            "they must be finite numbers known when the program is built, and the step must "
            "not be 0",
        )
    kind = dtype_of(dtype, NUMBERS)
    count = max(0, math.ceil((end - first) / step))
    whole_numbers = all(isinstance(n, int) or n.is_integer() for n in (first, step))
    wide = wide_type(kind) if is_float(kind) else "int64" if whole_numbers else "float64"
    if wide == "int64":
        first, step = int(first), int(step)

    def body(at: Any) -> Expr:
        return convert(const(first, wide) + convert(as_expr(at), wide) * const(step, wide), kind)

    return compute((count,), body, "T_arange", tag=INJECTIVE)


@operator(
    INJECTIVE,
    ANY,
    'meshgrid([T(3), T(4)], "ij")',
    takes="tensors",
    numpy="meshgrid",
    torch="meshgrid",
)
def meshgrid(a_tuple: Sequence[Tensor], indexing: str) -> list[Tensor]:
    """Each 1-d tensor repeated along the dimensions of the others; "xy" exchanges the first two."""
    word(indexing, ("ij", "xy"), "indexing")
    for n, part in enumerate(a_tuple):
        tensor(part, f"tensor {n}")
        rank(part, f"tensor {n}", 0, 1)
    order = list(range(len(a_tuple)))
    if indexing == "xy" and len(order) > 1:
        order[0], order[1] = 1, 0
    shape = [a_tuple[n].shape[0] if a_tuple[n].ndim else 1 for n in order]

    def grid(n: int) -> Tensor:
        part = a_tuple[n]
        at_axis = order.index(n)
        return _moved("meshgrid", shape, lambda *at: part(at[at_axis]) if part.ndim else part())

    return [grid(n) for n in range(len(a_tuple))]


@operator(
    INJECTIVE,
    ANY,
    "sliding_window(T(2, 6), 1, (3,), (1,))",
    numpy="lib.stride_tricks.sliding_window_view",
)
def sliding_window(data: Tensor, axis: int, window_shape: Any, strides: Any) -> Tensor:
    """The windows of the dimensions from ``axis`` on: their numbers, then their places inside."""
    axis = axis_of(axis, data.ndim)
    sizes, steps = (
        list(sizes) if isinstance(sizes, list | tuple) else [sizes]
        for sizes in (window_shape, strides)
    )
    if len(sizes) != len(steps) or axis + len(sizes) != data.ndim:
        raise refuse(
            "KC2311",
            f"windows of {tuple(sizes)} every {tuple(steps)} from axis {axis} on",
            f"there must be one number for each of {counted(data.ndim - axis, 'dimension')}",
        )
    from kc.topi.arguments import over, positive
    from kc.topi.nn.padding import window

    count = len(sizes)
    sizes, steps = positive(sizes, count, "window_shape"), positive(steps, count, "strides")
    zeros, ones = [0] * count, [1] * count
    numbers = window(data.shape[axis:], sizes, steps, ones, zeros, zeros, over, data)

    def body(*at: Any) -> Expr:
        outer, inner = at[axis : axis + count], at[axis + count :]
        return data(*at[:axis], *(o * s + i for o, s, i in zip(outer, steps, inner, strict=True)))

    return _moved("sliding_window", [*data.shape[:axis], *numbers, *sizes], body)
