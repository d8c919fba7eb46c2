"""Random tensor intrinsics, and programs that they fit, do not fit, or fit after a split.

The program computes what the intrinsic does (:mod:`tiles`) of larger tensors, or almost the same:
other strides, an operand transposed, another order, type or size. The schedule begins with tiles
that are given to the intrinsic. What is accepted must give numpy's results.
"""

from __future__ import annotations

import contextlib
from random import Random
from typing import Any

from families import Fixed
from intrinsic_code import NAME, declare, register
from tiles import Operand, Tile, draw_tile, mutated
from worlds import Draft, Size, Unsuitable, World

from kc import te
from kc.tir import TensorIntrin
from kc.transforms.intrinsics import tensor_intrin


def draw(random: Random, keep: int | None = None) -> Fixed:
    """A program, and an intrinsic that is declared with it."""
    while True:
        for name in [name for name in tensor_intrin._REGISTERED if name.startswith(NAME)]:
            del tensor_intrin._REGISTERED[name]
        with contextlib.suppress(Unsuitable):
            return _draw(random, keep)


def _draw(random: Random, keep: int | None) -> Fixed:
    tile = draw_tile(random)
    way = random.choice(("text", "text", "text", "declared", "declared", "script"))
    if way == "declared":
        intrin = declare(random, tile)
        if random.random() < 0.25:
            return _calling(random, tile, intrin, keep)
    else:
        register(random, tile, way)
    program = mutated(random, tile) if random.random() < 0.3 else tile
    return _program(random, tile, program, keep)


def _program(random: Random, tile: Tile, program: Tile, keep: int | None) -> Fixed:
    """``program`` with larger sizes, and a schedule that makes tiles of it."""
    d = Draft(random, tile.dtype, symbolic=0.1)
    sizes: dict[str, Size] = {}
    splits: dict[str, bool] = {}
    budget = 500
    for label, size in program.sizes.items():
        count = random.choice((1, 1, 2, 2, 3)) if budget > 100 else 1
        rest = random.choice((1, 2)) if random.random() < 0.06 else 0
        whole = d.size(count) * size if random.random() < 0.9 else d.size(count * size)
        sizes[label] = whole + rest if rest else whole
        splits[label] = count > 1 or rest > 0 or random.random() < 0.2
        splits[label] = splits[label] or not isinstance(sizes[label].expr, int)
        budget //= max(1, sizes[label].value)
    batch = "b" if random.random() < 0.25 else ""
    if batch:
        sizes["b"] = d.size(1, 2, 3)
    out = batch + program.out
    shifts: dict[str, int] = {}
    batched = {operand.name: bool(batch) and random.random() < 0.7 for operand in program.operands}
    for operand in program.operands:
        labels = ("b" if batched[operand.name] else "") + operand.labels
        dims = [sizes[label] for label in labels]
        if operand.step > 1 and operand.labels:
            dims[-1] = dims[-1] * operand.step
        shifts[operand.name] = random.choice((0, 0, 0, 0, 1, 2)) if operand.labels else 0
        if operand.labels and shifts[operand.name]:
            dims[-1] = dims[-1] + shifts[operand.name]
        d.input(operand.name, dims, operand.dtype)

    def body(on: World, *at: Any) -> Any:
        def term(*over: Any) -> Any:
            places = dict(zip(out + program.reduced, (*at, *over), strict=True))

            def read(operand: Operand) -> Any:
                place = list(operand.place(places))
                if place:
                    place[-1] = place[-1] + shifts[operand.name]
                if batched[operand.name]:
                    place.insert(0, places["b"])
                return on[operand.name](*place) if on.symbolic else on[operand.name][tuple(place)]

            return program.value(on, read)

        if not program.reduced:
            return term()
        over = [sizes[label] for label in program.reduced]
        return on.reduce(program.combiner, over, term, program.dtype)

    d.stage("C", [sizes[label] for label in out], body)
    if random.random() < 0.2:
        d.stage("E", d.dims["C"], lambda on, *at: on["C"][at] + on["C"][at])
    opening = _tiling(random, tile, program, batch, splits)
    favourites = ("tensorize", "blockize", "set-scope")
    return d.finish(keep, opening=opening, favourites=favourites, source=_declared())


def _tiling(
    random: Random, tile: Tile, program: Tile, batch: str, splits: dict[str, bool]
) -> list[str]:
    """Calls that make tiles of the loops of C, and have them done by the intrinsic."""
    order = batch + program.labels
    lines: list[str] = []
    if random.random() < 0.08:
        padding = [1] * len(batch) + [tile.sizes.get(label, 1) for label in program.labels]
        lines.append(f"sch.pad_einsum('C', {padding})")
    if random.random() < 0.1:
        kind = random.choice(("cache_write", "cache_read"))
        lines.append(f"sch.{kind}('C', 0, 'global')")
    after: list[str] = []
    for place in reversed(range(len(order))):
        label = order[place]
        if label in batch or not splits[label]:
            after.insert(0, label)
            continue
        factor = tile.sizes[label]
        if random.random() < 0.05:
            factor = random.choice((1, 2, 3, 4))
        lines.append(f"sch.split(sch.get_loops('C')[{place}], factors=[None, {factor}])")
        after[:0] = [f"{label}o", label]
    inner = list(tile.labels)
    if random.random() < 0.12:
        random.shuffle(inner)
    outer = [label for label in after if label not in inner]
    if random.random() < 0.3:
        random.shuffle(outer)
    wanted = [*outer, *inner]
    if wanted != after and len(wanted) > 1:
        loops = ", ".join(f"sch.get_loops('C')[{after.index(label)}]" for label in wanted)
        lines.append(f"sch.reorder({loops})")
    at = len(outer)
    if random.random() < 0.05:
        at = random.randrange(len(wanted)) if wanted else 0
    if program.reduced and random.random() < 0.2:
        place = random.choice((at, 0, random.randrange(len(wanted))))
        lines.append(f"sch.decompose_reduction('C', sch.get_loops('C')[{place}])")
        if random.random() < 0.3:
            at = place
    if outer and random.random() < 0.05:
        lines.append("sch.loop_partition(sch.get_loops('C')[0], factors=[None, 1])")
    if random.random() < 0.1:
        lines.append(f"sch.blockize(sch.get_loops('C')[{at}])")
        lines.append(f"sch.tensorize(sch.get_block('C_o'), {NAME!r})")
    else:
        unit = "" if random.random() < 0.8 else ", preserve_unit_iters=False"
        lines.append(f"sch.tensorize(sch.get_loops('C')[{at}], {NAME!r}{unit})")
    return lines


def _calling(random: Random, tile: Tile, intrin: Any, keep: int | None) -> Fixed:
    """A compute that calls the intrinsic for tiles of its result."""
    if any(not operand.labels for operand in tile.operands) or not tile.out:
        raise Unsuitable
    d = Draft(random, tile.dtype, symbolic=0.1)
    outer = random.choice(("b", "bh", "b"))
    over = "K" if tile.reduced and intrin.reduce_update is not None and d.chance(0.6) else ""
    sizes = {label: d.size(1, 2, 3) for label in outer + over}
    given: dict[str, str] = {}
    for operand in tile.operands:
        given[operand.name] = "".join(label for label in outer + over if d.chance(0.6))
        if over and operand is tile.operands[0]:
            given[operand.name] = given[operand.name].replace("K", "") + "K"
        dims = [sizes[label] for label in given[operand.name]]
        d.input(operand.name, [*dims, *map(Size.of, operand.shape(tile.sizes))], operand.dtype)
    shape = [
        *(sizes[label] for label in outer),
        *(Size.of(tile.sizes[label]) for label in tile.out),
    ]
    axis = te.reduce_axis((0, sizes["K"].expr), "K") if over else None

    def tiled(*at: Any) -> Any:
        places = dict(zip(outer, at, strict=True))
        if axis is not None:
            places["K"] = axis
        parts: list[Any] = []
        for tensor in intrin.inputs:
            operand = next(operand for operand in tile.operands if operand.name == tensor.name)
            ends = operand.shape(tile.sizes)
            place = [places[label] for label in given[operand.name]]
            parts.append(d.tensors[operand.name][(*place, *(slice(0, end) for end in ends))])
        return intrin(*parts, reduce_axis=axis) if axis is not None else intrin(*parts)

    def element(on: World, *at: Any) -> Any:
        def term(*k: Any) -> Any:
            places = dict(zip(outer + tile.out + over + tile.reduced, (*at, *k), strict=True))

            def read(operand: Operand) -> Any:
                first = [places[label] for label in given[operand.name]]
                return on[operand.name][(*first, *operand.place(places))]

            return tile.value(on, read)

        extents = [sizes[label] for label in over]
        extents += [Size.of(tile.sizes[label]) for label in tile.reduced]
        return on.reduce(tile.combiner, extents, term, tile.dtype) if extents else term()

    functions = {1: lambda x: tiled(x), 2: lambda x, y: tiled(x, y)}
    dims = tuple(size.expr for size in shape)
    d.computed("C", te.compute(dims, functions[len(outer)], name="C"), shape, element)
    favourites = ("decompose-reduction", "parallel", "unroll", "fuse", "cache-write")
    return d.finish(keep, favourites=favourites, source=_declared())


def _declared() -> str:
    """The functions of the intrinsic."""
    return "\n".join(str(function) for function in TensorIntrin.get(NAME).functions)
