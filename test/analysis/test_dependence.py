"""Dependences against an exhaustive search over all pairs of instances, and by hand.

The search below knows nothing of isl or of the analysis: it lists what each instance of a small
nest accesses, in order, and looks for two that an answer would have to name.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interpreter_support import parse

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import (
    Conflict,
    carried_conflict,
    lane_conflict,
    reorder_conflict,
)
from kc.analysis.affine.isl_sets import first_point
from kc.analysis.affine.terms import all_of, dim
from kc.dialects.tir import ForOp

Point = tuple[int, ...]
Index = Callable[[Point], int]

# The search ------------------------------------------------------------------------------------


@dataclass
class Instance:
    """One execution of a statement: where, what it accesses, and whether it is an update."""

    point: Point
    accesses: list[tuple[str, Point, bool]]
    update_of: str | None = None
    """The block whose reduction this is a step of: such steps commute."""
    term: list[tuple[str, Point, bool]] = field(default_factory=list)
    """The elements that a step reads beside the one that it updates."""


def conflicts(
    a: Instance, b: Instance, *, updates_commute: bool = False
) -> Iterator[tuple[str, Point]]:
    """The elements that both access and one of them writes."""
    are_steps = updates_commute and a.update_of is not None and a.update_of == b.update_of
    pairs = [*itertools.product(a.term, b.accesses), *itertools.product(a.accesses, b.term)]
    if not are_steps:
        pairs += itertools.product(a.accesses, b.accesses)
    for first, second in pairs:
        if first[:2] == second[:2] and (first[2] or second[2]):
            yield first[:2]


def reversed_pairs(
    instances: Sequence[Instance], first: int, order: Sequence[int]
) -> list[tuple[Instance, Instance]]:
    """Pairs whose order changes when the loops from ``first`` on run in ``order``."""
    swapped = []
    for a, b in itertools.combinations(instances, 2):
        if a.point[:first] != b.point[:first]:
            continue
        s, t = a.point[first : first + len(order)], b.point[first : first + len(order)]
        is_reversed = s < t and [t[n] for n in order] < [s[n] for n in order]
        if is_reversed and any(conflicts(a, b, updates_commute=True)):
            swapped.append((a, b))
    return swapped


def carried_pairs(instances: Sequence[Instance], loop: int) -> list[tuple[Instance, Instance]]:
    """Pairs in different iterations of a loop that conflict."""
    return [
        (a, b)
        for a, b in itertools.combinations(instances, 2)
        if a.point[:loop] == b.point[:loop] and a.point[loop] != b.point[loop]
        if any(conflicts(a, b))
    ]


# Random nests ----------------------------------------------------------------------------------

LABELS = "ijk"


@dataclass
class Nest:
    """Statements in a perfect nest, as text and as a list of instances."""

    extents: list[int]
    sizes: list[str | None]
    """The symbol that stands for an extent, or None."""
    lines: list[str] = field(default_factory=list)
    statements: list[Callable[[Point], list[Instance]]] = field(default_factory=list)

    def text(self) -> str:
        names = [size for size in self.sizes if size is not None]
        symbols = "".join(f'%{name} = tir.symbol "{name}"\n' for name in dict.fromkeys(names))
        head, tail = "", ""
        for label, extent, size in zip(LABELS, self.extents, self.sizes, strict=False):
            head += f"tir.for %{label} in {extent if size is None else '%' + size} {{\n"
            tail += "}\n"
        return (
            "func.func @f(%A: memref<99xf32>, %B: memref<99x99xf32>, %x: f32) "
            f"attributes {{kc.symbols = {list(dict.fromkeys(names))}}} {{\n".replace("'", '"')
            + f"{symbols}{head}{''.join(self.lines)}{tail}func.return\n}}"
        )

    def instances(self, extents: Sequence[int]) -> list[Instance]:
        points = itertools.product(*(range(extent) for extent in extents))
        return [
            instance
            for point in points
            for statement in self.statements
            for instance in statement(point)
        ]

    def concrete(self) -> Iterator[list[int]]:
        """The extents for every choice of the symbols from 0 to 3."""
        names = list(dict.fromkeys(size for size in self.sizes if size is not None))
        for values in itertools.product(range(4), repeat=len(names)):
            given_ = dict(zip(names, values, strict=True))
            yield [
                extent if size is None else given_[size]
                for extent, size in zip(self.extents, self.sizes, strict=True)
            ]


class Draw:
    """Draws a nest."""

    def __init__(self, random: Random, symbolic: bool) -> None:
        self.random = random
        depth = random.choice((2, 2, 3))
        self.nest = Nest(
            [random.randint(1, 4) for _ in range(depth)],
            [
                random.choice("nm") if symbolic and random.random() < 0.7 else None
                for _ in range(depth)
            ],
        )
        if random.random() < 0.3:
            self._owner()
            return
        for _ in range(random.choice((1, 1, 2, 3))):
            random.choice((self._access, self._access, self._block, self._reduction))()

    def _affine(self) -> tuple[str, Index]:
        """An index from 0 to 98 (coefficients of up to 2, a division or remainder at times)."""
        factors = [self.random.choice((0, 0, 1, 1, -1, 2)) for _ in self.nest.extents]
        constant = self.random.randint(0, 2)
        terms = [
            f"%{label} * {factor}" for label, factor in zip(LABELS, factors, strict=False) if factor
        ]
        text = " + ".join([*terms, str(constant + 24)])

        def value(point: Point) -> int:
            return sum(f * p for f, p in zip(factors, point, strict=True)) + constant + 24

        kind = self.random.choice(("", "", "", "floordiv", "mod"))
        by = self.random.randint(2, 3)
        if kind == "floordiv":
            return f"({text}) floordiv {by}", lambda point: value(point) // by
        if kind == "mod":
            return f"({text}) mod {by}", lambda point: value(point) % by
        return text, value

    def _place(self) -> tuple[str, str, str, list[Index]]:
        buffer = self.random.choice("AB")
        indices = [self._affine() for _ in range("AB".index(buffer) + 1)]
        type_ = "memref<99xf32>" if buffer == "A" else "memref<99x99xf32>"
        return (
            buffer,
            ", ".join(index[0] for index in indices),
            type_,
            [index[1] for index in indices],
        )

    def _access(self) -> None:
        """A load or store, at times under a condition or in its else."""
        buffer, text, type_, indices = self._place()
        writes = self.random.random() < 0.6
        op = f"tir.store %x, %{buffer}[{text}]" if writes else f"tir.load %{buffer}[{text}]"
        result = "" if writes else f"%r{len(self.nest.lines)} = "
        line = f"{result}{op} : {type_}\n"
        guard = None
        limit, holds = self.random.randint(23, 28), self.random.random() < 0.5
        if self.random.random() < 0.3:
            condition, guard = self._affine()
            inside = f"{{\n{line}}}" if holds else f"{{\n}} else {{\n{line}}}"
            line = f"tir.if ({condition} < {limit}) {inside}\n"
        self.nest.lines.append(line)

        def run(point: Point) -> list[Instance]:
            if guard is not None and (guard(point) < limit) != holds:
                return []
            return [Instance(point, [(buffer, tuple(index(point) for index in indices), writes)])]

        self.nest.statements.append(run)

    def _block(self) -> None:
        """A block over all loops in some order that reads one place and writes another."""
        depth = len(self.nest.extents)
        order = self.random.sample(range(depth), depth)
        read, read_text, read_type, read_at = self._place()
        write, write_text, write_type, write_at = self._place()
        iters = ", ".join(f"opaque %v_{LABELS[n]} in {self._size(n)} = %{LABELS[n]}" for n in order)
        name = f"block{len(self.nest.lines)}"
        for n in range(depth):
            read_text = read_text.replace(f"%{LABELS[n]}", f"%v_{LABELS[n]}")
            write_text = write_text.replace(f"%{LABELS[n]}", f"%v_{LABELS[n]}")
        self.nest.lines.append(
            f'tir.block "{name}" ({iters}) do {{\n'
            f"  %r = tir.load %{read}[{read_text}] : {read_type}\n"
            f"  tir.store %r, %{write}[{write_text}] : {write_type}\n}}\n"
        )
        self.nest.statements.append(
            lambda point: [
                Instance(
                    point,
                    [
                        (read, tuple(index(point) for index in read_at), False),
                        (write, tuple(index(point) for index in write_at), True),
                    ],
                )
            ]
        )

    def _size(self, loop: int) -> str:
        size = self.nest.sizes[loop]
        return str(self.nest.extents[loop]) if size is None else f"%{size}"

    def _reduction(self) -> None:
        """A sum whose variables are parts of one fused index, so that init is anywhere."""
        if any(self.nest.sizes):
            return self._access()
        by = self.random.randint(1, 4)
        strides = [1] * len(self.nest.extents)
        for n in range(len(strides) - 1, 0, -1):
            strides[n - 1] = strides[n] * self.nest.extents[n]
        total = strides[0] * self.nest.extents[0]
        limit = self.random.choice((total, total, max(total - 2, 1)))
        fused = " + ".join(
            f"%{label} * {stride}" for label, stride in zip(LABELS, strides, strict=False)
        )
        spatial, reduce = f"({fused}) floordiv {by}", f"({fused}) mod {by}"
        swap = self.random.random() < 0.3
        if swap:
            spatial, reduce = reduce, spatial
        most = -(-total // by)
        iters = (
            f"spatial %v in {by if swap else most} = {spatial}, "
            f"reduce %w in {most if swap else by} = {reduce}"
        )
        name = f"sum{len(self.nest.lines)}"
        self.nest.lines.append(
            f'tir.block "{name}" ({iters}) where ({fused} < {limit}) init {{\n'
            "  tir.store %x, %A[%v] : memref<99xf32>\n} do {\n"
            "  %old = tir.load %A[%v] : memref<99xf32>\n"
            "  %new = arith.addf %old, %x : f32\n"
            "  tir.store %new, %A[%v] : memref<99xf32>\n}\n"
        )

        def run(point: Point) -> list[Instance]:
            index = sum(s * p for s, p in zip(strides, point, strict=True))
            v, w = divmod(index, by)
            if swap:
                v, w = w, v
            if index >= limit:
                return []
            update = Instance(point, [("A", (v,), False), ("A", (v,), True)], name)
            return [Instance(point, [("A", (v,), True)]), update] if w == 0 else [update]

        self.nest.statements.append(run)

    def _owner(self) -> None:
        """One block that writes at its spatial variables, which count the loops in some way."""
        loops = list(range(len(self.nest.extents)))
        self.random.shuffle(loops)
        rank = self.random.randint(1, min(2, len(loops)))
        parts = [loops[n::rank] for n in range(rank)]
        reduced = [self.random.random() < 0.4 for _ in parts]
        if all(reduced):
            reduced[0] = False
        iters, values = [], []
        for n, (part, is_reduce) in enumerate(zip(parts, reduced, strict=True)):
            stride, factors = 1, {}
            for loop in part:
                # Mostly as digits of a number, at times such that numbers come up twice.
                factors[loop] = stride if self.random.random() < 0.8 else self.random.choice((1, 2))
                stride *= 4
            start = 0 if self.random.random() < 0.8 else 1
            text = " + ".join(f"%{LABELS[loop]} * {factor}" for loop, factor in factors.items())
            kind = "reduce" if is_reduce else "spatial"
            iters.append(f"{kind} %v{n} in 99 = {text} + {start}")
            values.append(
                lambda point, factors=factors, start=start: (
                    sum(point[loop] * factor for loop, factor in factors.items()) + start
                )
            )
        spatial = [n for n, is_reduced in enumerate(reduced) if not is_reduced]
        self.random.shuffle(spatial)
        if self.random.random() < 0.2:
            del spatial[1:]  # then instances of different spatial variables meet
        buffer, type_ = ("A", "memref<99xf32>") if len(spatial) == 1 else ("B", "memref<99x99xf32>")
        at = f"%{buffer}[{', '.join(f'%v{n}' for n in spatial)}] : {type_}"
        body = f"tir.store %x, {at}\n"
        read, read_at = buffer, None
        if any(reduced):
            term, load = "%x", ""
            if self.random.random() < 0.4:
                # The element of another instance, say: of a row of a scan that is complete.
                read, text, read_type, read_at = self._place()
                term, load = "%r", f"%r = tir.load %{read}[{text}] : {read_type}\n"
            body = f"{load}%o = tir.load {at}\n%s = arith.addf %o, {term} : f32\n"
            body += f"tir.store %s, {at}\n"
        init = f"init {{\ntir.store %x, {at}\n}} " if any(reduced) else ""
        self.nest.lines.append(f'tir.block "C" ({", ".join(iters)}) {init}do {{\n{body}}}\n')

        def run(point: Point) -> list[Instance]:
            place = tuple(values[n](point) for n in spatial)
            if not any(reduced):
                return [Instance(point, [(buffer, place, True)])]
            term = (
                [] if read_at is None else [(read, tuple(index(point) for index in read_at), False)]
            )
            update = Instance(point, [(buffer, place, False), (buffer, place, True)], "C", term)
            first = all(values[n](point) == 0 for n, is_reduced in enumerate(reduced) if is_reduced)
            return [Instance(point, [(buffer, place, True)]), update] if first else [update]

        self.nest.statements.append(run)


def loops_of(text: str) -> list[ForOp]:
    return loop_tree.loops(parse(text))


def check_witness(conflict: Conflict, nest: Nest, pairs: dict[Point, list], text: str) -> None:
    """The two iterations that a decided conflict names do conflict, for the sizes it names."""
    named = [conflict.parameters.get(name) if name else None for name in nest.sizes]
    for extents, conflicting in pairs.items():
        if any(size is not None and size != extents[n] for n, size in enumerate(named)):
            continue
        for a, b in conflicting:
            inner = len(conflict.source_point)
            ends = {(a.point[-inner:], b.point[-inner:]), (b.point[-inner:], a.point[-inner:])}
            s, t = tuple(conflict.source_point.values()), tuple(conflict.sink_point.values())
            if (s, t) in ends and any(place == conflict.element for _, place in conflicts(a, b)):
                return
    sizes_searched = all(size is None or size < 4 for size in named)
    assert not sizes_searched, f"{conflict.explain()}\nis not so in\n{text}"


def compare(conflict: Conflict | None, nest: Nest, pairs: dict[Point, list], text: str) -> None:
    """The answer is exact: these nests are affine."""
    if conflict is None:
        wrong = [pair for conflicting in pairs.values() for pair in conflicting]
        assert not wrong, f"{wrong[0]}\nwas not found in\n{text}"
        return
    assert conflict.undecided is None
    check_witness(conflict, nest, pairs, text)
    if not any(nest.sizes):
        assert any(pairs.values()), f"{conflict.explain()}\nis not so in\n{text}"


SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.slow
@pytest.mark.parametrize("symbolic", [False, True], ids=["constant", "symbolic"])
@given(SEEDS)
def test_reorder_agrees_with_the_search(symbolic: bool, seed: int):
    random = Random(seed)
    nest = Draw(random, symbolic).nest
    text = nest.text()
    loops = loops_of(text)
    first = random.randrange(len(loops) - 1)
    order = list(range(len(loops) - first))
    random.shuffle(order)
    chain = loops[first:]
    conflict = reorder_conflict(chain, [chain[n] for n in order])
    pairs = {
        tuple(extents): reversed_pairs(nest.instances(extents), first, order)
        for extents in nest.concrete()
    }
    compare(conflict, nest, pairs, text)


@pytest.mark.slow
@pytest.mark.parametrize("symbolic", [False, True], ids=["constant", "symbolic"])
@given(SEEDS)
def test_carried_agrees_with_the_search(symbolic: bool, seed: int):
    random = Random(seed)
    nest = Draw(random, symbolic).nest
    text = nest.text()
    loop = random.randrange(len(nest.extents))
    conflict = carried_conflict(loops_of(text)[loop])
    pairs = {
        tuple(extents): carried_pairs(nest.instances(extents), loop) for extents in nest.concrete()
    }
    compare(conflict, nest, pairs, text)


def reversed_lanes(nest: Nest, extents: Sequence[int]) -> list[tuple[Instance, Instance]]:
    """Pairs in different iterations of the innermost loop that conflict, the op of the later one
    not being behind the op of the earlier one."""
    ops: list[tuple[tuple[int, int, int], Instance]] = []
    for point in itertools.product(*(range(extent) for extent in extents)):
        for n, statement in enumerate(nest.statements):
            for instance in statement(point):
                parts = [*instance.term, *instance.accesses]
                is_update = int(instance.update_of is not None)  # behind the init
                ops += [
                    ((n, is_update, k), Instance(point, [access])) for k, access in enumerate(parts)
                ]
    return [
        (a, b)
        for (p, a), (q, b) in itertools.combinations(ops, 2)
        if a.point[:-1] == b.point[:-1] and a.point[-1] < b.point[-1]
        if q <= p and any(conflicts(a, b))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("symbolic", [False, True], ids=["constant", "symbolic"])
@given(SEEDS)
def test_lanes_agree_with_the_search(symbolic: bool, seed: int):
    nest = Draw(Random(seed), symbolic).nest
    text = nest.text()
    conflict = lane_conflict(loops_of(text)[-1])
    pairs = {tuple(extents): reversed_lanes(nest, extents) for extents in nest.concrete()}
    if conflict is None:
        compare(None, nest, pairs, text)
    else:
        assert conflict.undecided is None
        assert any(nest.sizes) or any(pairs.values()), text


# By hand ---------------------------------------------------------------------------------------


def nest(body: str, extents: str = "4 4", before: str = "") -> list[ForOp]:
    """The loops i, j, ... of a function on some buffers, with ``body`` inside all of them."""
    head = "".join(
        f"tir.for %{label} in {size} {{\n"
        for label, size in zip(LABELS, extents.split(), strict=False)
    )
    arguments = "%A: memref<99xf32>, %B: memref<99x99xf32>, %I: memref<99xindex>, %x: f32, %p: f32"
    text = f"""
      func.func private @unknown()
      func.func private @touch(memref<99xf32>)
      func.func @f({arguments}) attributes {{kc.symbols = ["n", "m"]}} {{
        %n = tir.symbol "n"
        %m = tir.symbol "m"
        {before}
        {head}{body}
        {"}" * len(extents.split())}
        func.return
      }}"""
    return loops_of(text)


def parallel(body: str, extents: str = "4 4", before: str = "") -> str:
    """The conflict that keeps the outermost loop from running in parallel, "" if there is none."""
    conflict = carried_conflict(nest(body, extents, before)[0])
    return str(conflict.explain()) if conflict is not None else ""


def exchange(body: str, extents: str = "4 4", before: str = "") -> str:
    """The conflict that keeps the two outermost loops from being exchanged, "" if there is none."""
    loops = nest(body, extents, before)
    conflict = reorder_conflict(loops, [loops[1], loops[0], *loops[2:]])
    return str(conflict.explain()) if conflict is not None else ""


def update(target: str, source: str) -> str:
    return (
        f"%v = tir.load %B[{source}] : memref<99x99xf32>\n"
        f"tir.store %v, %B[{target}] : memref<99x99xf32>"
    )


def test_stencils():
    # Up and to the left: both orders run sources before sinks, neither loop is parallel.
    assert exchange(update("%i + 1, %j + 1", "%i, %j")) == ""
    # Down and to the left: the exchange turns the dependence around.
    assert exchange(update("%i + 1, %j", "%i, %j + 1")) == (
        "the statement at (i=0, j=1) writes B[1, 1], which the statement at (i=1, j=0) reads"
    )
    assert parallel(update("%i, %j + 1", "%i, %j")) == ""
    assert parallel(update("%i + 1, %j", "%i, %j")) == (
        "the statement at (i=0, j=0) writes B[1, 0], which the statement at (i=1, j=0) reads"
    )


def test_wavefronts_and_skewed_accesses():
    # Along i + j all elements are one: no exchange problem for stores alone but no parallelism.
    assert "writes A" in parallel("tir.store %x, %A[%i + %j] : memref<99xf32>")
    assert "writes A" in exchange("tir.store %x, %A[%i + %j] : memref<99xf32>")
    # After skewing (j is i + j of before) the inner loop carries nothing.
    skewed = update("%i + 1, %j - %i + 20", "%i, %j - %i + 20")
    loops = nest(skewed)
    assert carried_conflict(loops[1]) is None
    assert carried_conflict(loops[0]) is not None


def test_guards_hide_conflicts():
    guarded = "tir.if (%i == %j) {{ {} }}"
    store = "tir.store %x, %A[%j] : memref<99xf32>"
    assert parallel(store) != ""
    assert parallel(guarded.format(store)) == ""
    only_else = f"tir.if (%i < 3) {{}} else {{ {store} }}"
    assert parallel(only_else) == ""


def test_several_statements():
    # The first writes what the second reads in the next iteration of i.
    two = (
        "tir.store %x, %A[%i] : memref<99xf32>\n"
        "%v = tir.load %A[%i - 1 + 8] : memref<99xf32>\n"
        "tir.store %v, %B[%i, %j] : memref<99x99xf32>"
    )
    assert parallel(two, "4 1") == ""
    assert parallel(two.replace("%i - 1 + 8", "%i + 1"), "4 1") != ""


REDUCTION = """
  tir.block "C" ({iters}) init {{
    tir.store %x, %A[%v] : memref<99xf32>
  }} do {{
    %old = tir.load %A[%v] : memref<99xf32>
    %new = {total}
    tir.store %new, %A[%v] : memref<99xf32>
  }}"""


def test_reductions():
    plain = "spatial %v in 4 = %i, reduce %w in 4 = %j"
    backwards = "spatial %v in 4 = %i, reduce %w in 4 = 3 - %j"
    add, minus = "arith.addf %old, %x : f32", "arith.subf %old, %x : f32"
    assert exchange(REDUCTION.format(iters=plain, total=add)) == ""
    assert parallel(REDUCTION.format(iters=plain, total=add)) == ""
    # 3 - j: the initialisation is in the last iteration. That is wrong already, but moving i in
    # does not change which iterations come after it.
    assert exchange(REDUCTION.format(iters=backwards, total=add)) == ""
    # A difference is no combiner: its steps keep their order, along j they have one.
    assert exchange(REDUCTION.format(iters=plain, total=minus)) == ""
    inner = nest(REDUCTION.format(iters=plain, total=add))[1]
    conflict = carried_conflict(inner)
    assert conflict is not None
    assert conflict.reduction


def test_init_stays_before_the_updates():
    """Reduction and space in one loop: o and i give f = 4 o + i, of which v = f / 6, w = f mod 6.

    Exchanging o and i would run o=1, i=0 (f = 4: v=0, w=4) before o=0, i=1 (w=1), which is legal;
    but also f = 6 (o=1, i=2), the initialisation of v=1, after f = 8 (o=2, i=0), its update.
    """
    fused = "spatial %v in 2 = (%i * 4 + %j) floordiv 6, reduce %w in 6 = (%i * 4 + %j) mod 6"
    add = "arith.addf %old, %x : f32"
    assert exchange(REDUCTION.format(iters=fused, total=add), "3 4") == (
        "C at (i=1, j=2) writes A[1], which C at (i=2, j=0) updates"
    )


def test_not_every_update_is_a_reduction():
    iters = "spatial %v in 1 = 0 * %i, reduce %w in 4 = %i, reduce %u in 4 = %j"
    # Exchanging steps of x + (x * p), or of a sum that reads its own result, changes it.
    square = "arith.mulf %old, %old : f32"
    assert exchange(REDUCTION.format(iters=iters, total=square)) != ""
    own = (
        'tir.block "C" (reduce %w in 4 = %i, reduce %u in 4 = %j) do {\n'
        "%old = tir.load %A[0] : memref<99xf32>\n"
        "%own = tir.load %A[%w] : memref<99xf32>\n"
        "%new = arith.addf %old, %own : f32\n"
        "tir.store %new, %A[0] : memref<99xf32>\n}"
    )
    assert exchange(own) == "C at (i=0, j=1) reads A[0], which C at (i=1, j=0) updates"
    assert exchange(own.replace("%A[%w]", "%A[0]")) != ""
    hidden = own.replace(
        "%own = tir.load %A[%w] : memref<99xf32>", "%own = memref.load %A[%w] : memref<99xf32>"
    )
    assert exchange(hidden) != ""


def test_a_reduction_that_reads_its_buffer_elsewhere():
    """A scan's update: a row from the rows before it. Only the rows have an order."""
    scan = (
        'tir.block "C" (opaque %t in 5 = %i + 1, spatial %v in 4 = %j, reduce %w in 4 = %k)\n'
        "init {\ntir.store %x, %B[%t, %v] : memref<99x99xf32>\n} do {\n"
        "%old = tir.load %B[%t, %v] : memref<99x99xf32>\n"
        "%row = tir.load %B[%t - 1, %w] : memref<99x99xf32>\n"
        "%new = arith.maximumf %old, %row : f32\n"
        "tir.store %new, %B[%t, %v] : memref<99x99xf32>\n}"
    )
    i, j, k = nest(scan, "4 4 4")
    assert reorder_conflict([i, j, k], [i, k, j]) is None
    assert (
        exchange(scan, "4 4 4")
        == "C at (i=0, j=1, k=0) writes B[1, 1], which C at (i=1, j=0, k=1) reads"
    )
    spatial, reduced = carried_conflict(j), carried_conflict(k)
    assert spatial is None
    assert reduced is not None
    assert reduced.reduction
    itself = nest(scan.replace("%B[%t - 1, %w]", "%B[%t, 3 - %w]"), "4 4 4")
    assert reorder_conflict(itself, [itself[0], itself[2], itself[1]]) is not None


def test_what_is_no_reduction_is_named_first_where_nothing_is_decided():
    """Commuting updates of one element do not help if another statement may conflict."""
    step = (
        "%k = tir.load %I[%i] : memref<99xindex>\n"
        'tir.block "C" (reduce %w in 4 = %i) do {\n'
        "%old = tir.load %A[%k] : memref<99xf32>\n"
        "%new = arith.addf %old, %x : f32\n"
        "tir.store %new, %A[%k] : memref<99xf32>\n}\n"
    )
    conflict = carried_conflict(nest(step, "4")[0])
    assert conflict is not None
    assert conflict.reduction
    scatter = "tir.store %x, %B[%k, 0] : memref<99x99xf32>"
    conflict = carried_conflict(nest(step + scatter, "4")[0])
    assert conflict is not None
    assert not conflict.reduction
    assert parallel(step + scatter, "4") == (
        "cannot prove that iterations touch different elements of B: k is not affine"
    )


def test_two_reductions_into_one_buffer():
    def step(name: str, total: str) -> str:
        return (
            f'tir.block "{name}" (reduce %w in 4 = %i, reduce %u in 4 = %j) do {{\n'
            "%old = tir.load %A[0] : memref<99xf32>\n"
            f"%new = {total} %old, %x : f32\n"
            "tir.store %new, %A[0] : memref<99xf32>\n}\n"
        )

    # a + then a *: no step of one may pass a step of the other.
    assert exchange(step("add", "arith.addf")) == ""
    assert exchange(step("add", "arith.addf") + step("scale", "arith.mulf")) != ""


def test_private_buffers():
    private = (
        '%t = tir.alloc "t" : memref<4xf32>\n'
        "tir.store %x, %t[0] : memref<4xf32>\n"
        "%v = tir.load %t[0] : memref<4xf32>\n"
        "tir.store %v, %B[%i, %j] : memref<99x99xf32>"
    )
    assert parallel(private) == ""
    # The same buffer made outside is one for all iterations.
    shared = private.replace('%t = tir.alloc "t" : memref<4xf32>\n', "")
    assert "t[0]" in parallel(shared, before='%t = tir.alloc "t" : memref<4xf32>')


def test_indices_that_are_data_are_undecided():
    scatter = "%k = tir.load %I[%i] : memref<99xindex>\ntir.store %x, %A[%k] : memref<99xf32>"
    assert parallel(scatter, "4") == (
        "cannot prove that iterations touch different elements of A: k is not affine"
    )
    gather = (
        "%k = tir.load %I[%i] : memref<99xindex>\n"
        "%v = tir.load %B[%k, 0] : memref<99x99xf32>\n"
        "tir.store %v, %A[%i] : memref<99xf32>"
    )
    assert parallel(gather, "4") == ""


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("func.call @unknown() : () -> ()", "func.call may access any memory"),
        ("func.call @touch(%A) : (memref<99xf32>) -> ()", "func.call may touch it"),
        (
            "%v = memref.load %A[%j] : memref<99xf32>\ntir.store %v, %A[%j + 1] : memref<99xf32>",
            "the statement at (i=",
        ),
        (
            "%k = arith.addi %i, %j : index\nmemref.store %x, %A[%k] : memref<99xf32>",
            "the statement at (i=",
        ),
        (
            '%V = "memref.cast"(%A) : (memref<99xf32>) -> memref<?xf32>\n'
            "tir.store %x, %V[%i * 4 + %j] : memref<?xf32>",
            "V is a view of it",
        ),
    ],
)
def test_what_other_operations_touch(body: str, why: str):
    assert why in parallel(body)
    assert exchange(body) != ""


def test_other_operations_that_do_not_conflict():
    assert parallel("memref.store %x, %B[%i, %j] : memref<99x99xf32>") == ""
    private = (
        "%t = memref.alloc() : memref<99xf32>\n"
        "func.call @touch(%t) : (memref<99xf32>) -> ()\n"
        "memref.dealloc %t : memref<99xf32>"
    )
    # What the callee does besides is not known.
    assert "may access any memory" in parallel(private)
    size = (
        "%c = arith.constant 4 : index\n%w = arith.muli %i, %c : index\n"
        "%k = arith.addi %w, %j : index\n"
        "tir.store %x, %A[%k] : memref<99xf32>"
    )
    assert parallel(size) == ""


def test_vectors_touch_all_their_elements():
    store = (
        "%v = tir.load %B[0, 0] : memref<99x99xf32>, vector<4xf32>\n"
        "tir.store %v, %A[%i * {}] : memref<99xf32>, vector<4xf32>"
    )
    assert parallel(store.format(4), "4") == ""
    assert "A[3]" in parallel(store.format(3), "4")


def test_symbolic_sizes_in_order():
    """Of o and i with i < m, o * m + i is never the same twice."""
    part = "%f = tir.linearize [%i, %j] by [%n, %m]\n"
    store = "tir.store %x, %A[%f] : memref<99xf32>"
    assert parallel(part + store, "%n %m") == ""
    assert exchange(part + store, "%n %m") == ""
    both = "%d, %e = tir.delinearize %i by [%n, %m]\ntir.store %x, %B[%d, %e] : memref<99x99xf32>"
    assert parallel(both, "%n") == ""
    digits = "%d, %e = tir.delinearize %i by [%n, %m]\ntir.store %x, %B[%d, 0] : memref<99x99xf32>"
    assert parallel(digits, "%n") == (
        "cannot prove that iterations touch different elements of B: the sizes are symbolic"
    )
    # Parts of different shapes say nothing of each other.
    reshaped = (
        "%f = tir.linearize [%i, %j] by [%n, %m]\n%g = tir.linearize [%i, %j] by [%m, %n]\n"
        "tir.store %x, %A[%f] : memref<99xf32>\ntir.store %x, %A[%g] : memref<99xf32>"
    )
    assert "the sizes are symbolic" in parallel(reshaped, "%n %m")


def test_triangles():
    body = "tir.store %x, %B[%i, %k] : memref<99x99xf32>"
    triangle = f"%size = tir.apply (%i + 1)\ntir.for %k in %size {{ {body} }}"
    loops = nest(triangle, "4")
    assert carried_conflict(loops[0]) is None
    assert carried_conflict(loops[1]) is None
    lower = nest(triangle.replace("[%i, %k]", "[0, %k]"), "4")
    conflict = carried_conflict(lower[0])
    assert conflict is not None
    # i=0 has k=0 only.
    assert conflict.explain() == (
        "the statement at (i=0, k=0) writes B[0, 0], which the statement at (i=1, k=0) writes"
    )


def test_a_point_is_found_where_isl_has_no_first_one():
    """isl's lexmin gives an empty set for this one, of which (0, 1, 2, 0, 1) is a point."""
    a, b, c, d, v = map(dim, "abcdv")
    box = [a.within(3), b.within(2), c.within(3), d.within(2)]
    whole = c * 2 + d
    ties = [v.equals(whole // 4), (whole % 4).equals(0), ((b * 2 + 26) % 3).equals(v)]
    point = first_point(all_of([*box, *ties, 5 - whole >= 0, a < c, d < b]), list("abcdv"))
    assert isinstance(point, dict)
    a, b, c, d, v = point.values()
    assert (c * 2 + d) % 4 == 0
    assert (c * 2 + d) // 4 == v == (b * 2 + 26) % 3
    assert a < c
    assert d < b


def test_a_transposition_in_place():
    swap = (
        'tir.block "T" (spatial %v in 4 = %i, spatial %w in 4 = %j) do {\n'
        "%r = tir.load %B[%w, %v] : memref<99x99xf32>\n"
        "tir.store %r, %B[%v, %w] : memref<99x99xf32>\n}"
    )
    assert parallel(swap) == "T at (i=0, j=1) reads B[1, 0], which T at (i=1, j=0) writes"
    # (0, 1) reads what (1, 0) writes later; after the exchange it would be written before.
    assert exchange(swap) == "T at (i=0, j=1) reads B[1, 0], which T at (i=1, j=0) writes"
