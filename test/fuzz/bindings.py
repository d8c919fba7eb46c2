"""Textual loops whose blocks are bound in unusual ways, with their results in plain Python.

Loops run forwards, and bindings fall, are shifted, wrapped, split and fused, so that a reduction
does not begin where its loop does. Sizes are constant or symbolic, also 0 and below; loops may have
one iteration; blocks stand beside each other, read what others wrote, and are guarded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

import numpy as np
from families import Fixed

import kc

OPERATIONS = {
    "arith.addi": lambda a, b: a + b,
    "arith.maxsi": max,
    "arith.minsi": min,
    "arith.muli": lambda a, b: a * b,
}
START = {"arith.addi": 0, "arith.maxsi": -100, "arith.minsi": 100, "arith.muli": 1}


@dataclass(frozen=True)
class Axis:
    """A variable of a block: its domain, the loops it is bound by, and their condition."""

    kind: str
    name: str
    extent: int
    symbol: str | None
    loops: tuple[tuple[str, str], ...]
    """Names and extents, as text."""
    binding: str
    condition: str = ""

    @property
    def text(self) -> str:
        """The variable in the head of a block."""
        size = self.extent if self.symbol is None else f"%{self.symbol}"
        return f"{self.kind} %v{self.name} in {size} = {self.binding}"


class _Drawing:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.symbols: dict[str, int] = {}

    def axis(self, kind: str, name: str, extent: int, symbol: str | None) -> Axis:
        """An axis bound so that each value of its domain comes once."""
        shape = self.random.choice(
            ("plain", "plain", "falling", "wrapped", "split", "tail", "unit")
        )
        size = str(extent) if symbol is None else f"%{symbol}"

        def bound(loops: list[tuple[str, str]], binding: str, condition: str = "") -> Axis:
            return Axis(kind, name, extent, symbol, tuple(loops), binding, condition)

        i = f"%{name}"
        if shape == "unit":
            return bound([(name, size), (f"{name}u", "1")], f"{i} + %{name}u")
        if symbol is not None or extent < 2:
            if shape == "falling":
                last = f"{size} - 1" if symbol is not None else str(extent - 1)
                return bound([(name, size)], f"{last} - {i}")
            return bound([(name, size)], i)
        if shape == "falling":
            return bound([(name, size)], f"{extent - 1} - {i}")
        if shape == "wrapped":
            turn = self.random.randint(1, extent - 1)
            return bound([(name, size)], f"({i} + {turn}) mod {extent}")
        factor = self.random.randint(1, extent)
        outer, inner = f"%{name}o", f"%{name}i"
        if shape == "split" and extent % factor == 0:
            loops = [(f"{name}o", str(extent // factor)), (f"{name}i", str(factor))]
            if self.random.random() < 0.4:
                loops.reverse()
            if self.random.random() < 0.3:
                return bound(loops, f"{extent - 1} - ({outer} * {factor} + {inner})")
            return bound(loops, f"{outer} * {factor} + {inner}")
        if shape == "tail":
            loops = [(f"{name}o", str(-(-extent // factor))), (f"{name}i", str(factor))]
            whole = f"{outer} * {factor} + {inner}"
            return bound(loops, whole, f"{whole} < {extent}")
        return bound([(name, size)], i)

    def size(self) -> tuple[int, str | None]:
        """A size, and the symbol that it is the value of."""
        extent = self.random.choice((0, 1, 1, 2, 3, 4, 5, 6, 8))
        if self.random.random() < 0.25:
            symbol = f"n{len(self.symbols)}"
            self.symbols[symbol] = extent
            return extent, symbol
        return extent, None

    def order(self, axes: list[Axis]) -> list[tuple[str, str]]:
        """The loops of ``axes``, outermost first: any order that keeps that of each axis."""
        chains = {axis.name: list(axis.loops) for axis in axes}
        order: list[tuple[str, str]] = []
        while any(chains.values()):
            name = self.random.choice([name for name, chain in chains.items() if chain])
            order.append(chains[name].pop(0))
        return order

    def iterations(self, axes: list[Axis], order: list[tuple[str, str]]) -> Iterator[list[int]]:
        """The values of ``axes`` in each iteration of the loops, where the conditions hold."""
        sizes = [self.symbols[text[1:]] if text[0] == "%" else int(text) for _, text in order]
        bindings = [_python(axis.binding) for axis in axes]
        conditions = [_python(axis.condition) for axis in axes if axis.condition]
        for at in product(*(range(size) for size in sizes)):
            known = dict(zip((name for name, _ in order), at, strict=True)) | self.symbols
            if all(eval(condition, {}, known) for condition in conditions):
                yield [eval(binding, {}, known) for binding in bindings]

    def nest(self, order: list[tuple[str, str]], body: str) -> list[str]:
        """Loops around ``body``."""
        indent = "  "
        lines: list[str] = []
        for name, extent in order:
            lines.append(f"{indent}tir.for %{name} in {extent} {{")
            indent += "  "
        lines += [f"{indent}{line}" for line in body.splitlines()]
        for _ in order:
            indent = indent[2:]
            lines.append(f"{indent}}}")
        return lines


def draw(random: Random, keep: int | None = None) -> Fixed:
    """A program of one reduction, and perhaps a block before and one after it."""
    drawing = _Drawing(random)
    sizes = [drawing.size() for _ in range(random.choice((1, 1, 2)))]
    reduces = [drawing.size() for _ in range(random.choice((1, 1, 2)))]
    spatial = [extent for extent, _ in sizes]
    summed = [extent for extent, _ in reduces]
    names = [f"s{n}" for n in range(len(sizes))]
    reduce_names = [f"r{n}" for n in range(len(reduces))]
    axes = [
        drawing.axis("spatial", name, *size) for name, size in zip(names, sizes, strict=True)
    ] + [
        drawing.axis("reduce", name, *size)
        for name, size in zip(reduce_names, reduces, strict=True)
    ]
    operation = random.choice(list(OPERATIONS))
    values = np.random.default_rng(random.randrange(2**32))
    shape, whole = tuple(spatial), (*spatial, *summed)
    given = values.integers(-4, 5, whole).astype(np.int32)
    start = values.integers(-4, 5, shape).astype(np.int32)
    own_start = random.random() < 0.4
    stages = keep if keep is not None else random.randint(1, 3)

    first = start.astype(np.int64) if own_start else np.full(shape, START[operation], np.int64)
    # Where there is nothing to reduce, each element has its initial value.
    wanted = first.copy() if 0 in summed else np.full(shape, -1)
    source = given.astype(np.int64)
    if stages > 1:
        source = source * 2 - 1
    order = drawing.order(axes)
    for at in map(tuple, drawing.iterations(axes, order)):
        element, over = at[: len(spatial)], at[len(spatial) :]
        if not any(over):
            wanted[element] = first[element]
        value = OPERATIONS[operation](int(wanted[element]), int(source[at]))
        wanted[element] = (value + 2**31) % 2**32 - 2**31
    final = wanted * 3 if stages > 2 else wanted
    final = (final + 2**31) % 2**32 - 2**31

    def type_of(sizes: list[tuple[int, str | None]]) -> str:
        dims = "".join(f"{'?' if symbol else extent}x" for extent, symbol in sizes)
        return f"memref<{dims}i32>"

    def dynamic(sizes: list[tuple[int, str | None]]) -> str:
        chosen = ", ".join(f"%{symbol}" for _, symbol in sizes if symbol)
        return f"({chosen})" if chosen else ""

    every, whole_type, out_type = [*sizes, *reduces], type_of([*sizes, *reduces]), type_of(sizes)
    place = ", ".join(f"%v{name}" for name in names)
    element = ", ".join(f"%v{name}" for name in [*names, *reduce_names])
    lines: list[str] = []
    read, written = "%A", "%C"
    if stages > 1:
        read = "%T"
        lines.append(f'  %T = tir.alloc "T" {dynamic(every)} : {whole_type}')
        plain = [drawing.axis("spatial", axis.name, axis.extent, axis.symbol) for axis in axes]
        lines += drawing.nest(
            drawing.order(plain),
            f'tir.block "T" ({", ".join(axis.text for axis in plain)}){_where(plain)} do {{\n'
            f"  %x = tir.load %A[{element}] : {whole_type}\n"
            f"  %two = arith.constant 2 : i32\n  %one = arith.constant 1 : i32\n"
            f"  %y = arith.muli %x, %two : i32\n  %z = arith.subi %y, %one : i32\n"
            f"  tir.store %z, %T[{element}] : {whole_type}\n}}",
        )
    if stages > 2:
        written = "%R"
        lines.append(f'  %R = tir.alloc "R" {dynamic(sizes)} : {out_type}')
    begin = (
        f"  %b = tir.load %B[{place}] : {out_type}\n"
        if own_start
        else f"  %b = arith.constant {START[operation]} : i32\n"
    )
    lines += drawing.nest(
        order,
        f'tir.block "C" ({", ".join(axis.text for axis in axes)}){_where(axes)} init {{\n'
        f"{begin}  tir.store %b, {written}[{place}] : {out_type}\n}} do {{\n"
        f"  %old = tir.load {written}[{place}] : {out_type}\n"
        f"  %x = tir.load {read}[{element}] : {whole_type}\n"
        f"  %new = {operation} %old, %x : i32\n"
        f"  tir.store %new, {written}[{place}] : {out_type}\n}}",
    )
    if stages > 2:
        last = [drawing.axis("spatial", axis.name, axis.extent, axis.symbol) for axis in axes]
        last = last[: len(sizes)]
        lines += drawing.nest(
            drawing.order(last),
            f'tir.block "D" ({", ".join(axis.text for axis in last)}){_where(last)} do {{\n'
            f"  %x = tir.load %R[{place}] : {out_type}\n"
            f"  %three = arith.constant 3 : i32\n  %y = arith.muli %x, %three : i32\n"
            f"  tir.store %y, %C[{place}] : {out_type}\n}}",
        )
    symbols = list(drawing.symbols)
    heads = [
        _argument("A", every, symbols, whole_type),
        _argument("B", sizes, symbols, out_type),
        _argument("C", sizes, symbols, out_type),
    ]
    attributes = ""
    if symbols:
        attributes = f" attributes {{kc.symbols = [{', '.join(map(_quoted, symbols))}]}}"
        lines[:0] = [f'  %{name} = tir.symbol "{name}"' for name in symbols]
    text = "\n".join([f"func.func @main({', '.join(heads)}){attributes} {{", *lines])
    text += "\n  func.return\n}\n"
    garbage = np.full(shape, 0x5A5A5A5A, np.int32)
    module = kc.IRModule.parse(text)
    return Fixed(
        module, [given, start, garbage], {2: final.astype(np.int32)}, dict(drawing.symbols)
    )


def _where(axes: list[Axis]) -> str:
    conditions = [axis.condition for axis in axes if axis.condition]
    return f" where ({', '.join(conditions)})" if conditions else ""


def _argument(
    name: str, sizes: list[tuple[int, str | None]], symbols: list[str], type_: str
) -> str:
    note = f'kc.name = "{name}"'
    if any(symbol for _, symbol in sizes):
        dims = ", ".join(symbol or str(extent) for extent, symbol in sizes)
        note += f", kc.shape = affine_map<()[{', '.join(symbols)}] -> ({dims})>"
    return f"%{name}: {type_} {{{note}}}"


def _python(expression: str) -> str:
    """An index expression of the IR as Python writes it."""
    return expression.replace("%", "").replace(" mod ", " % ")


def _quoted(name: str) -> str:
    return f'"{name}"'
