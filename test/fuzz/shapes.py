"""Programs of the shapes that primitives are for which ordinary programs seldom have.

Padding, einsums whose sizes are no multiples of a tile, reductions with an epilogue, chains of
stencils, indices worth keeping, siblings of the same extents, layouts, tiles that a loop refills,
and kernels of threads. Each shape says with which primitives its schedule begins, and which others
it is for. Sizes are small, and 0, 1 or symbolic as well.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from families import Fixed
from worlds import Draft, Size, Unsuitable, World

NUMBERS = ("int32", "int32", "int8", "uint8", "int64", "float32", "float32", "float64", "float16")
KINDS = ("sum", "sum", "max", "min", "prod")


def draw(random: Random, keep: int | None = None) -> Fixed:
    """A program of one of the shapes."""
    while True:
        shape = random.choice(SHAPES)
        with contextlib.suppress(Unsuitable):
            dtype, symbolic = random.choice(NUMBERS), random.choice((0.0, 0.25, 0.25, 0.8))
            return shape(Draft(random, dtype, symbolic), keep)


def padded(d: Draft, keep: int | None) -> Fixed:
    """A tensor with a border of constants, and often windows of it."""
    rank = d.random.choice((1, 1, 2))
    source, inner = "A", [d.size(0, 1, 2, 3, 4, 5, 6) for _ in range(rank)]
    d.input("A", inner)
    if d.chance(0.3):
        source = d.stage("B", inner, lambda on, *at: on["A"][at] * 2)
    border = [(d.random.choice((0, 1, 1, 2, 3)), d.random.choice((0, 1, 2))) for _ in inner]
    outer = [size + low + high for size, (low, high) in zip(inner, border, strict=True)]
    value = d.random.choice((0, 0, 0, 1, 5))
    negated, exact = d.chance(0.3), d.chance(0.8)

    def body(on: World, *at: Any) -> Any:
        inside: list[Any] = []
        for i, size, (low, high) in zip(at, inner, border, strict=True):
            if low or not exact:
                inside.append(i >= low)
            if high or not exact:
                inside.append(i < on.size(size) + low)
        place = tuple(i - low for i, (low, _) in zip(at, border, strict=True))

        def read() -> Any:
            return on[source][place]

        def fill() -> Any:
            return on.const(value, d.dtype)

        if not inside:
            return read()
        if not negated:
            return on.where(on.all(*inside), read, fill)
        outside: list[Any] = []
        for i, size, (low, high) in zip(at, inner, border, strict=True):
            outside += [i < low, i >= on.size(size) + low] if high else [i < low]
        return on.where(on.any(*outside), fill, read)

    d.stage("P", outer, body)
    if d.chance(0.75):
        _windows(d, "P", outer)
    favourites = ("decompose-padding", "compute-at", "compute-inline", "vectorize", "split")
    opening = ("decompose-padding",) if d.chance(0.5) else ()
    return d.finish(
        keep, also=d.random.choice(((), (), ("P",))), opening=opening, favourites=favourites
    )


def _windows(d: Draft, source: str, dims: Sequence[Size]) -> None:
    """Add a reduction over windows of a tensor."""
    kind = d.random.choice(("sum", "max", "min"))
    widths = [d.random.choice((1, 2, 3)) for _ in dims]
    step = d.random.choice((1, 1, 1, 2))
    if any(size.value < width for size, width in zip(dims, widths, strict=True)):
        return
    sizes = [
        Size.of((size.value - width) // step + 1)
        if step > 1 or isinstance(size.expr, int)
        else size - (width - 1)
        for size, width in zip(dims, widths, strict=True)
    ]
    weighted = kind == "sum" and d.chance(0.4)
    window = [Size.of(width) for width in widths]
    if weighted:
        d.input("W", window)

    def body(on: World, *at: Any) -> Any:
        def term(*k: Any) -> Any:
            place = tuple(i * step + n for i, n in zip(at, k, strict=True))
            value = on[source][place]
            return value * on["W"][k] if weighted else value

        return on.reduce(kind, window, term, d.dtype)

    if step > 1 and any(not isinstance(size.expr, int) for size in dims):
        raise Unsuitable  # a known number of windows of a size that is not known
    d.stage("C", sizes, body)


def einsum(d: Draft, keep: int | None) -> Fixed:
    """Sums of products of elements whose indices are variables."""
    spatial = "ijl"[: d.random.choice((1, 2, 2, 3))]
    reduced = "kp"[: d.random.choice((1, 1, 1, 2))]
    most = (1, 2, 3, 5) if len(spatial) + len(reduced) > 3 else (0, 1, 2, 3, 4, 5, 6, 7)
    sizes = {label: d.size(*most) for label in spatial + reduced}
    count = d.random.choice((1, 2, 2, 2, 3))
    narrow = d.dtype == "int32" and d.chance(0.3)
    operands: list[tuple[str, str]] = []
    for n in range(count):
        labels = [label for label in sizes if d.chance(0.6)] or ["k"]
        if n == 0:
            labels = [*dict.fromkeys([*labels, *reduced])]
        d.random.shuffle(labels)
        name = d.input(f"A{n}", [sizes[label] for label in labels], "int8" if narrow else None)
        if not narrow and d.chance(0.25):
            name = d.stage(
                f"B{n}",
                [sizes[label] for label in labels],
                lambda on, *at, name=name: on[name][at] + on[name][at],
            )
        operands.append((name, "".join(labels)))
    kind = d.random.choice(("sum",) * 5 + ("max",))

    def body(on: World, *at: Any) -> Any:
        def term(*over: Any) -> Any:
            places = dict(zip(spatial + reduced, (*at, *over), strict=True))
            value = None
            for name, labels in operands:
                factor = on[name][tuple(places[label] for label in labels)]
                factor = on.cast(factor, d.dtype) if narrow else factor
                value = factor if value is None else value * factor
            return value

        return on.reduce(kind, [sizes[label] for label in reduced], term, d.dtype)

    dims = [sizes[label] for label in spatial]
    d.stage("C", dims, body)
    if d.chance(0.5):
        _epilogue(d, "C", dims, kind)
    favourites = (
        "pad-einsum",
        "rfactor",
        "decompose-padding",
        "blockize",
        "split",
        "reorder",
        "compute-at",
        "compute-inline",
        "decompose-reduction",
        "reverse-compute-at",
    )
    opening = ("pad-einsum",) if d.chance(0.5) else ()
    return d.finish(keep, opening=opening, favourites=favourites)


def epilogue(d: Draft, keep: int | None) -> Fixed:
    """A reduction, and what is combined with its result."""
    rank = d.random.choice((1, 1, 2))
    dims = [d.size(0, 1, 2, 3, 4, 5) for _ in range(rank)]
    over = [d.size(0, 1, 2, 3, 4, 6) for _ in range(d.random.choice((1, 1, 2)))]
    kind = d.random.choice(KINDS)
    d.input("A", [*dims, *over])
    transposed = rank == 2 and d.chance(0.2)
    shape = dims[::-1] if transposed else dims

    def body(on: World, *at: Any) -> Any:
        here = at[::-1] if transposed else at
        return on.reduce(kind, over, lambda *k: on["A"][(*here, *k)], d.dtype)

    d.stage("C", shape, body)
    _epilogue(d, "C", shape, kind)
    favourites = (
        "fuse-reduction-epilogue",
        "reverse-compute-at",
        "reverse-compute-inline",
        "decompose-reduction",
        "rfactor",
        "cache-inplace",
        "split",
        "reorder",
    )
    opening = ("fuse-reduction-epilogue",) if d.chance(0.8) else ()
    return d.finish(keep, opening=opening, favourites=favourites)


def _epilogue(d: Draft, source: str, dims: Sequence[Size], kind: str) -> None:
    """A bias, mostly combined as the reduction does it, and perhaps what is at least 0 of it."""
    step = kind if d.chance(0.75) else d.random.choice(KINDS)
    shown = [n for n in range(len(dims)) if d.chance(0.6)]
    bias = d.input("bias", [dims[n] for n in shown])
    swapped, ordered = d.chance(0.4), list(range(len(dims)))
    if d.chance(0.25):
        d.random.shuffle(ordered)
    shape = [dims[n] for n in ordered]

    def places(at: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(at[ordered.index(n)] for n in range(len(dims)))

    def body(on: World, *at: Any) -> Any:
        here = places(at)
        value, addend = on[source][here], on[bias][tuple(here[n] for n in shown)]
        return on.combine(step, addend, value) if swapped else on.combine(step, value, addend)

    d.stage("D", shape, body)
    if d.chance(0.35):
        zero = d.random.choice((0, 0, 1))
        d.stage("E", shape, lambda on, *at: on.combine("max", on["D"][at], on.const(zero, d.dtype)))


def stencil(d: Draft, keep: int | None) -> Fixed:
    """A chain of stencils: rows of one are computed where the next one needs them."""
    rank = d.random.choice((1, 1, 2))
    dims = [d.size(3, 4, 5, 6, 8, 9) for _ in range(rank)]
    d.input("A", dims)
    source = "A"
    count = d.random.choice((2, 2, 3))
    rolling: list[str] = []
    for n in range(count):
        along = d.random.randrange(rank)
        kind = d.random.choice(("sum", "sum", "max", "min"))
        width = d.random.choice((1, 2, 3, 3))
        taps = sorted({0, width - 1, d.random.randrange(width)})
        step = d.random.choice((1, 1, 1, 1, 2))
        if step > 1 and not isinstance(dims[along].expr, int):
            step = 1
        size = dims[along] - (width - 1)
        if step > 1:
            size = Size.of((size.value - 1) // step + 1)
        if size.value < 0:
            raise Unsuitable
        reduced = d.chance(0.3)
        now = source

        def body(
            on: World,
            *at: Any,
            now: str = now,
            along: int = along,
            kind: str = kind,
            taps: Sequence[int] = taps,
            step: int = step,
            width: int = width,
            reduced: bool = reduced,
        ) -> Any:
            def tap(k: Any) -> Any:
                return on[now][(*at[:along], at[along] * step + k, *at[along + 1 :])]

            if reduced:
                return on.reduce(kind, [Size.of(width)], tap, d.dtype)
            value = tap(taps[0])
            for k in taps[1:]:
                value = on.combine(kind, value, tap(k))
            return value

        if n and step < width:  # the next element needs some of what this one does
            rolling.append(f"sch.compute_at('B{n - 1}', sch.get_loops('B{n}')[{along}])")
        dims = [size if m == along else dim for m, dim in enumerate(dims)]
        source = d.stage(f"B{n}", dims, body)
    favourites = (
        "compute-at",
        "rolling-buffer",
        "rolling-buffer",
        "reverse-compute-at",
        "compute-inline",
        "double-buffer",
        "storage-align",
        "compute-root",
        "split",
    )
    opening = d.random.choice(
        (
            (),
            ("compute-at", "rolling-buffer"),
            ("compute-at", "double-buffer"),
            ("split", "compute-at", "rolling-buffer"),
            ("compute-at", "compute-at", "rolling-buffer"),
        )
    )
    if rolling and d.chance(0.8):
        opening = (d.random.choice(rolling), "rolling-buffer")
    also = ("B0",) if d.chance(0.1) else ()
    return d.finish(keep, also=also, opening=opening, favourites=favourites)


def gather(d: Draft, keep: int | None) -> Fixed:
    """Elements at indices that are worth computing once."""
    length, rows, columns = d.size(1, 3, 5, 8), d.size(1, 2, 4, 6), d.size(0, 1, 3, 4, 7)
    d.input("A", [length])
    kind = d.random.choice(("int32", "int32", "int64"))
    gathered = d.chance(0.6)
    if gathered:
        d.input("I", [rows], kind, below=length.value)
    factor, shift = d.random.choice((1, 2, 3)), d.random.randrange(length.value)
    known = isinstance(length.expr, int)
    reduced = d.chance(0.25)

    def index(on: World, i: Any, j: Any) -> Any:
        if gathered:
            place = on["I"][i]
            return (place + shift) % length.value if known and shift else place
        if not known:
            return on.size(length) - 1 - shift + (i - i)
        return (i * factor + j // 2 + shift) % length.value

    def body(on: World, i: Any, j: Any = 0) -> Any:
        def term(k: Any) -> Any:
            place = index(on, i, k)
            value = on["A"][place]
            return value + on["A"][place] if double else value

        return on.reduce("sum", [columns], term, d.dtype) if reduced else term(j)

    double = d.chance(0.5)
    d.stage("C", [rows] if reduced else [rows, columns], body)
    if d.chance(0.4):
        dims = d.dims["C"]
        d.stage("D", dims, lambda on, *at: on["C"][at] * 2 + on["C"][at])
    favourites = ("cache-index", "cache-read", "read-at", "reindex", "compute-at", "split")
    opening = ("cache-index",) if d.chance(0.5) else ()
    return d.finish(keep, opening=opening, favourites=favourites)


def siblings(d: Draft, keep: int | None) -> Fixed:
    """Computes of the same extents beside each other, some of which read others."""
    rank = d.random.choice((1, 1, 2))
    dims = [d.size(0, 1, 2, 3, 4, 5, 6, 8) for _ in range(rank)]
    d.input("A", dims)
    names, count = ["A"], d.random.choice((2, 2, 3))
    for n in range(count):
        first, second = d.random.choice(names), d.random.choice(names)
        kind = d.random.choice(("sum", "max", "min"))
        over = [d.size(1, 2, 3)] if d.chance(0.25) else []
        # An element back: legal to merge. One ahead, or the other way round: not.
        shift = d.random.choice((0, 0, 0, 1, -1))
        turned = d.chance(0.1)

        def body(
            on: World,
            *at: Any,
            first: str = first,
            second: str = second,
            kind: str = kind,
            over: Sequence[Size] = over,
            shift: int = shift,
            turned: bool = turned,
        ) -> Any:
            def term(*k: Any) -> Any:
                size = on.size(dims[0])
                moved = (size - 1 - at[0] if turned else at[0] + shift, *at[1:])
                if not shift or turned:
                    value = on[first][moved]
                else:
                    inside = on.all(moved[0] >= 0, moved[0] < size)
                    value = on.where(inside, lambda: on[first][moved], lambda: on.const(1, d.dtype))
                return on.combine(kind, value, on[second][at])

            return on.reduce(kind, over, term, d.dtype) if over else term()

        names.append(d.stage(f"B{n}", dims, body))
    if d.chance(0.6):
        read = names[1:]
        d.stage(
            "C", dims, lambda on, *at: sum((on[name][at] for name in read[1:]), on[read[0]][at])
        )
    also = tuple(name for name in names[1:] if d.chance(0.4))
    favourites = (
        "merge",
        "merge",
        "loop-partition",
        "compute-at",
        "reverse-compute-at",
        "fuse",
        "split",
        "parallel",
    )
    opening = d.random.choice(((), ("merge",), ("split", "merge"), ("fuse", "merge")))
    return d.finish(keep, also=also, opening=opening, favourites=favourites)


def layouts(d: Draft, keep: int | None) -> Fixed:
    """Buffers between transposed and shifted reads, of sizes that divide and that do not."""
    rank = d.random.choice((1, 2, 2, 3))
    values = (1, 2, 4, 4, 6, 8) if rank < 3 else (1, 2, 4, 4)
    dims = [d.size(*values) for _ in range(rank)]
    d.input("A", dims)
    source = "A"
    for n in range(d.random.choice((2, 3))):
        order = list(range(rank))
        if d.chance(0.5):
            d.random.shuffle(order)
        shape = [dims[m] for m in order]
        reduced = rank > 1 and n == 1 and d.chance(0.3)
        turned = d.chance(0.15)

        def body(
            on: World,
            *at: Any,
            source: str = source,
            order: Sequence[int] = order,
            reduced: bool = reduced,
            turned: bool = turned,
            last: Size = dims[-1],
            old: Sequence[Size] = dims,
        ) -> Any:
            def read(*k: Any) -> Any:
                here = (*at, *k)
                place = [here[order.index(m)] for m in range(len(old))]
                if turned:
                    place[-1] = on.size(last) - 1 - place[-1]
                return on[source][tuple(place)]

            if reduced:
                return on.reduce("sum", [old[order[-1]]], read, d.dtype)
            return read() + read()

        dims = shape[:-1] if reduced else shape
        rank = len(dims)
        source = d.stage(f"B{n}", dims, body)
    favourites = (
        "transform-layout",
        "transform-layout",
        "transform-block-layout",
        "reindex",
        "reindex-cache-read",
        "reindex-cache-write",
        "set-axis-separator",
        "storage-align",
        "reorder-block-iter-var",
        "cache-read",
        "cache-write",
        "unsafe-set-dtype",
        "compute-at",
        "read-at",
        "write-at",
    )
    return d.finish(keep, favourites=favourites)


def tiles(d: Draft, keep: int | None) -> Fixed:
    """A buffer that each iteration of a loop fills again, and reductions of it in parts."""
    rows, columns = d.size(1, 2, 3, 4, 6), d.size(0, 1, 2, 4, 5, 8)
    d.input("A", [rows, columns])
    d.stage("B", [rows, columns], lambda on, i, j: on["A"][i, j] * 2 + on.const(1, d.dtype))
    kind = d.random.choice(KINDS)
    if d.chance(0.7):
        weighted = d.chance(0.4) and d.input("W", [columns])

        def body(on: World, i: Any) -> Any:
            def term(k: Any) -> Any:
                value = on["B"][i, k]
                return value * on["W"][k] if weighted else value

            return on.reduce(kind, [columns], term, d.dtype)

        d.stage("C", [rows], body)
        if d.chance(0.4):
            _epilogue(d, "C", [rows], kind)
    else:
        d.stage("C", [columns, rows], lambda on, i, j: on["B"][j, i] + on["A"][j, i])
    favourites = (
        "double-buffer",
        "double-buffer",
        "compute-at",
        "rfactor",
        "rfactor",
        "blockize",
        "decompose-reduction",
        "cache-inplace",
        "read-at",
        "write-at",
        "storage-align",
        "set-scope",
        "compute-root",
        "split",
        "loop-partition",
    )
    opening = d.random.choice(
        (
            (),
            ("compute-at", "double-buffer"),
            ("split", "compute-at"),
            ("cache-read", "compute-at", "double-buffer"),
            ("split", "rfactor"),
            ("split", "blockize"),
            ("read-at", "double-buffer"),
        )
    )
    return d.finish(keep, opening=opening, favourites=favourites)


def kernel(d: Draft, keep: int | None) -> Fixed:
    """Computes whose loops become blocks and threads, which partly do the same."""
    rows, columns = d.size(1, 2, 3, 4), d.size(1, 2, 4, 6)
    d.input("A", [rows, columns])
    if d.chance(0.6):
        d.stage("B", [rows, columns], lambda on, i, j: on["A"][i, j] + on["A"][i, j])
        source = "B"
    else:
        source = "A"
    kind = d.random.choice(("sum", "max"))
    if d.chance(0.6):
        d.stage(
            "C",
            [rows],
            lambda on, i: on.reduce(kind, [columns], lambda k: on[source][i, k], d.dtype),
        )
    else:
        d.stage("C", [rows, columns], lambda on, i, j: on[source][i, j] * 3)
    favourites = (
        "bind",
        "bind",
        "set-store-predicate",
        "set-store-predicate",
        "set-scope",
        "compute-at",
        "cache-read",
        "cache-write",
        "read-at",
        "split",
    )
    opening = d.random.choice(
        (
            ("split", "bind"),
            ("bind", "compute-at", "set-store-predicate"),
            ("bind", "set-store-predicate"),
            ("add-unit-loop", "bind", "set-store-predicate"),
            ("add-unit-loop", "bind", "bind", "set-store-predicate"),
        )
    )
    return d.finish(keep, opening=opening, favourites=favourites)


SHAPES: tuple[Callable[[Draft, int | None], Fixed], ...] = (
    padded,
    einsum,
    epilogue,
    stencil,
    stencil,
    gather,
    siblings,
    layouts,
    tiles,
    kernel,
    kernel,
)
