"""Sorting: stable, and deterministic for all values. NaN sorts last.

Lines are sorted by a network if the target has vectors (:mod:`kc.topi.sorting_network`), by digits,
or by merging.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, Shuffle, all_of, any_of, as_expr, compare, const, select
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import bits as bits_of
from kc.expr.dtypes import check_dtype, is_float
from kc.expr.intrinsics import isnan, reinterpret
from kc.expr.tensor import Tensor
from kc.te.autodiff.own_rules import with_rules
from kc.te.computes import compute
from kc.topi.arguments import (
    axis_of,
    constant,
    flag,
    index_tensor,
    is_size,
    length_of,
    rank,
    tensor,
    whole,
    word,
)
from kc.topi.loops import written
from kc.topi.scattering import scatter_add
from kc.topi.sorting_network import Line, Network, Order, vector_of
from kc.topi.table import NUMBERS, OF_PLACES, check_tensor, operator, refuse

Place = Callable[[Any], tuple[Any, ...]]
"""The indices of an element by its place in a line."""


def _before(a: Expr, b: Expr, ascending: bool) -> Expr:
    """True if ``a`` comes strictly before ``b``; NaN comes after all numbers."""
    first = compare("lt" if ascending else "gt", a, b)
    if not is_float(a.dtype):
        return first
    return any_of(first, all_of(~isnan(a), isnan(b)))


def _rounds(size: Any) -> int:
    """The number of rounds that merge all runs into one."""
    return max(0, (size - 1).bit_length()) if isinstance(size, int) else 30


def _merge_lines(
    loops: Any, data: Tensor, axis: int, ascending: bool, kinds: tuple[str | None, str | None],
    keep: Any, lengths: Tensor | None = None,
) -> None:  # fmt: skip
    """Sort lines by merging: the values and the places, each if its type is not None."""
    size, dtype = data.shape[axis], data.dtype
    rounds = _rounds(size)
    ib, source = loops.ib, loops.ins[0]
    # The values and places of a line, twice: runs are merged from one half into the other.
    values = ib.allocate(dtype, (2, size), name="values")
    places = ib.allocate("int32", (2, size), name="places")

    def line(place: Callable[[Any], Any]) -> None:
        with ib.for_range(0, size, name="k") as k:
            values[0, k] = source[place(k)]
            places[0, k] = convert(as_expr(k), "int32")
        count = convert(as_expr(size), "int32")
        if lengths is not None:
            at = place(0)
            valid = loops.ins[1][tuple(at[:axis]) + tuple(at[axis + 1 :])]
            count = ib.let("count", convert(length_of(valid, size), "int32"))
        left, right = loops.variable("int32", "left"), loops.variable("int32", "right")
        with ib.for_range(0, rounds, name="round") as n:
            width = ib.let("width", const(1) << convert(as_expr(n), "int32"))
            both = ib.let("both", 2 * width)
            old, new = n % 2, (n + 1) % 2
            with ib.for_range(0, (size + both - 1) // both, name="run") as run:
                begin = ib.let("begin", convert(as_expr(run), "int32") * both)
                middle = ib.let("middle", scalar.min(begin + width, count))
                end = ib.let("end", scalar.min(begin + both, count))
                left[0] = begin
                right[0] = scalar.max(middle, begin)
                with ib.for_range(0, scalar.min(size, both), name="k") as k:
                    target = ib.let("target", begin + convert(as_expr(k), "int32"))
                    with ib.if_scope(target < end):
                        # The position is clamped to the run, because elements beyond it must not be
                        # read.
                        a = ib.let("a", scalar.min(left[0], count - 1))
                        b = ib.let("b", scalar.min(right[0], count - 1))
                        first, second = values[old, a], values[old, b]
                        takes_right = all_of(
                            right[0] < end,
                            any_of(left[0] >= middle, _before(second, first, ascending)),
                        )
                        with ib.if_scope(takes_right):
                            values[new, target] = second
                            places[new, target] = places[old, b]
                            right[0] = right[0] + 1
                        with ib.else_scope():
                            values[new, target] = first
                            places[new, target] = places[old, a]
                            left[0] = left[0] + 1
                    with ib.else_scope(), ib.if_scope(target < size):
                        values[new, target] = values[old, target]
                        places[new, target] = places[old, target]
        last = rounds % 2
        outs = iter(loops.outs)
        with ib.for_range(0, keep, name="k") as k:
            if kinds[0] is not None:
                next_out = next(outs)
                next_out[place(k)] = values[last, k]
            if kinds[1] is not None:
                next_out = next(outs)
                next_out[place(k)] = convert(places[last, k], kinds[1])

    loops.along(data.shape, axis, line)


DIGIT = 11
"""Bits of a digit: its counts fit the first cache, and 32 bits have three."""
LEAST_COUNTED = 2048
"""The shortest line that is sorted by digits; merging is faster for shorter lines."""


def _key(x: Expr, ascending: bool, of_places: bool) -> Expr:
    """Unsigned integers of the same width in the order of the elements.

    The bits of a non-negative float are in its order; those of a negative float are inverted. NaN
    has the last key. ``of_places``: both zeros have the same key.
    """
    width = bits_of(x.dtype)
    kind = f"uint{width}"
    top = const(1 << (width - 1), kind)
    if not is_float(x.dtype):
        key = convert(x, kind)
        if x.dtype.startswith("int"):
            key = key ^ top
        return key if ascending else ~key
    bits = reinterpret(kind, x)
    if of_places:
        bits = select(compare("eq", x, const(0, x.dtype)), const(0, kind), bits)
    key = select(compare("ge", bits, top), ~bits, bits | top)
    return select(isnan(x), const((1 << width) - 1, kind), key if ascending else ~key)


def _element(key: Expr, dtype: str, ascending: bool) -> Expr:
    """The element of a key; NaN for the last key."""
    width = bits_of(dtype)
    top = const(1 << (width - 1), f"uint{width}")
    key = key if ascending else ~key
    if is_float(dtype):
        return reinterpret(dtype, select(compare("ge", key, top), key ^ top, ~key))
    return convert(key ^ top if dtype.startswith("int") else key, dtype)


MOST_AT_CALL = 1 << 13
"""The largest symbolic size of a line that a network sorts."""
REACH = 1 << 23
"""The bytes of scattered writes without misses of the address translation, on common processors."""


def _network_time(order: Order) -> float:
    """The measured time of a network for an element, in ns: for each byte of a key in each of its
    steps, and more outside of the second-level cache.
    """
    assert order.size is not None
    bits = max(1, (order.size - 1).bit_length())
    key = sum(bits_of(part) // 8 for part in order.parts)
    outside = 1.4 if key << bits > 1 << 20 else 1
    time = 0.003 * key * bits * (bits + 1) / 2 * len(order.parts) * outside
    return time * (1 << bits) / order.size


def network_is_faster(order: Order) -> bool:
    """True if a network sorts lines of this order and constant size faster than digits do.

    Sorting by digits takes a time for each pass over the keys and places, more if these are
    scattered over many pages, and a time for each count.
    """
    assert order.size is not None
    width = bits_of(order.dtype)
    digit = DIGIT if width > 16 else 8
    passes = -(-width // digit) + 1
    moved = width // 8 + 4 * order.of_places
    outside = 3 if 2 * order.size * moved > REACH else 1
    digits = passes * ((0.45 + 0.07 * moved) * outside + (1 << digit) / order.size)
    return _network_time(order) < digits


def selection_is_faster(order: Order, keep: int) -> bool:
    """True if selecting the first ``keep`` elements is faster than sorting lines of constant size
    by a network. Selection reads all elements and, in a random order, inserts some of them.
    """
    assert order.size is not None
    inserted = keep * (1 + math.log(order.size / keep))
    return 0.4 * order.size + 40 * inserted < _network_time(order) * order.size


class _Sorted:
    """The sorting of the lines of ``source``: the requested results, and their buffers."""

    def __init__(
        self,
        loops: Any,
        data: Tensor,
        axis: int,
        ascending: bool,
        kinds: tuple[str | None, str | None],
        keep: Any,
    ) -> None:
        self.loops, self.data, self.axis, self.ascending = loops, data, axis, ascending
        self.kinds, self.keep = kinds, keep
        self.ib, self.source = self.loops.ib, self.loops.ins[0]
        self.size, self.dtype = self.data.shape[self.axis], self.data.dtype
        outs = iter(self.loops.outs)
        self.values: Any = next(outs) if self.kinds[0] is not None else None
        self.numbers: Any = next(outs) if self.kinds[1] is not None else None
        constant_size = self.size if isinstance(self.size, int) else None
        of_places = self.numbers is not None
        self.order = Order(self.dtype, self.ascending, of_places, constant_size)

    @property
    def _selects(self) -> bool:
        """True if few enough elements are kept to select them in one pass."""
        few = isinstance(self.size, int) and 8 * self.keep <= self.size
        return few and 0 < self.keep <= MOST_SELECTED

    def _select(self) -> None:
        _select_first(self.loops, self.data, self.axis, self.ascending, self.kinds, self.keep)

    def on_scalars(self) -> None:
        """Sort all lines: short ones by merging, long ones by digits."""
        if self._selects:
            self._select()
            return
        if isinstance(self.size, int) and self.size >= LEAST_COUNTED:
            memory = self._memory_of_digits()
            self.loops.along(
                self.data.shape, self.axis, lambda place: self.by_digits(place, memory)
            )
            return
        _merge_lines(self.loops, self.data, self.axis, self.ascending, self.kinds, self.keep)

    def on_vectors(self) -> None:
        """Sort all lines: short ones by a network, long ones by digits."""
        loops, size, count = self.loops, self.size, self.order.lanes
        shape, axis = list(self.data.shape), self.axis
        if not isinstance(size, int):
            loops.along(shape, axis, self._line_of_unknown_size)
            return
        if size <= 1:
            loops.along(shape, axis, self._copy)
            return
        if self._selects and selection_is_faster(self.order, self.keep):
            self._select()
            return
        if not network_is_faster(self.order):
            self.on_scalars()
            return
        if axis == len(shape) - 1:
            loops.along(shape, axis, lambda place: self.by_network(place, size))
            return
        outer = [n for n in range(len(shape) - 1) if n != axis]
        blocks, rest = shape[-1] // count, shape[-1] % count

        def at(around: tuple[Any, ...], column: Any) -> Place:
            return lambda k: (*around[:axis], k, *around[axis:], column)

        if not is_size(blocks, 0):
            loops.nest(
                [*(shape[n] for n in outer), blocks],
                lambda *n: self.side_by_side(lambda lane: at(n[:-1], n[-1] * count + lane)),
            )
        if not is_size(rest, 0):
            loops.nest(
                [*(shape[n] for n in outer), rest],
                lambda *n: self.by_network(at(n[:-1], blocks * count + n[-1]), size),
                "r",
            )

    def _copy(self, place: Place) -> None:
        with self.ib.for_range(0, self.keep, name="k") as k:
            self._give(place, k, const(0))

    def _line_of_unknown_size(self, place: Place) -> None:
        with self.ib.if_scope(self.size <= MOST_AT_CALL):
            self.by_network(place, MOST_AT_CALL)
        with self.ib.else_scope():
            self.by_digits(place, self._memory_of_digits())

    @property
    def _digit_bits(self) -> int:
        return DIGIT if bits_of(self.dtype) > 16 else 8

    def _memory_of_digits(self) -> tuple[Any, Any, Any]:
        """Counts of digits; two buffers of keys; and places, if they are requested."""
        ib, width = self.ib, bits_of(self.dtype)
        digits = -(-width // self._digit_bits)
        counts = ib.allocate("int32", (digits, 1 << self._digit_bits), name="counts")
        keys = ib.allocate(f"uint{width}", (2, self.size), name="keys")
        of_places = self.numbers is not None
        places = ib.allocate("int32", (2, self.size), name="places") if of_places else None
        return counts, keys, places

    def by_digits(self, place: Place, memory: tuple[Any, Any, Any]) -> None:
        """Sort a line by the digits of its keys, the last digit first.

        One pass counts the occurrences of all digits; a digit that all keys share is skipped. If no
        places are requested, only the keys are moved. Keys do not distinguish zeros with and
        without sign, or NaN, in the order of the data; a last pass puts these elements in place.
        """
        ib, source, size = self.ib, self.source, self.size
        width = bits_of(self.dtype)
        bits = self._digit_bits
        digits, mask = -(-width // bits), (1 << bits) - 1
        kind, of_places = f"uint{width}", self.numbers is not None
        counts, keys, places = memory
        half, total = self.loops.variable("int32", "half"), self.loops.variable("int32", "total")

        def digit(key: Expr, number: Any) -> Expr:
            moved = key >> convert(as_expr(number) * bits, kind)
            return convert(moved & const(mask, kind), "int32")

        with ib.for_range(0, digits, name="d") as d, ib.for_range(0, mask + 1, name="b") as b:
            counts[d, b] = const(0)
        with ib.for_range(0, size, name="k") as k:
            key = ib.let("key", _key(source[place(k)], self.ascending, of_places))
            keys[0, k] = key
            if places is not None:
                places[0, k] = convert(as_expr(k), "int32")
            for d in range(digits):
                at = ib.let("at", digit(key, d))
                counts[d, at] = counts[d, at] + 1
        half[0] = const(0)
        with ib.for_range(0, digits, name="d") as d:
            shared = counts[d, digit(keys[half[0], 0], d)]
            with ib.if_scope(shared < size):
                total[0] = const(0)
                with ib.for_range(0, mask + 1, name="b") as b:
                    count = ib.let("count", counts[d, b])
                    counts[d, b] = total[0]
                    total[0] = total[0] + count
                old = ib.let("old", half[0])
                with ib.for_range(0, size, name="k") as k:
                    key = ib.let("key", keys[old, k])
                    at = ib.let("at", digit(key, d))
                    target = ib.let("target", counts[d, at])
                    counts[d, at] = target + 1
                    keys[1 - old, target] = key
                    if places is not None:
                        places[1 - old, target] = places[old, k]
                half[0] = 1 - old
        last = ib.let("last", half[0])
        with ib.for_range(0, self.keep, name="k") as k:
            if places is not None:
                self._give(place, k, places[last, k])
            elif self.values is not None:
                self.values[place(k)] = _element(keys[last, k], self.dtype, self.ascending)
        if places is None and is_float(self.dtype):
            self._put_in_place(place)

    def _give(self, place: Place, k: Any, source: Expr) -> None:
        """Write the results of rank ``k``: the index ``source`` and the element at this index."""
        if self.numbers is not None:
            assert self.kinds[1] is not None
            self.numbers[place(k)] = convert(source, self.kinds[1])
        if self.values is not None:
            self.values[place(k)] = self.source[place(source)]

    def _put_in_place(self, place: Place) -> None:
        """Put the zeros and the NaN of a sorted line into the order of the data."""
        ib, source, values, dtype = self.ib, self.source, self.values, self.dtype
        assert values is not None
        zeros = self.loops.variable("int32", "zeros")
        numbers = self.loops.variable("int32", "numbers")
        special = self.loops.variable("int32", "special")
        zeros[0], numbers[0], special[0] = const(0), const(0), const(0)
        zero = const(0, dtype)
        kind = f"uint{bits_of(dtype)}"
        with ib.for_range(0, self.size, name="k") as k:
            x = ib.let("x", source[place(k)])
            before = compare("lt" if self.ascending else "gt", x, zero)
            signed = all_of(compare("eq", x, zero),
                            compare("ne", reinterpret(kind, x), const(0, kind)))  # fmt: skip
            zeros[0] = zeros[0] + convert(before, "int32")
            numbers[0] = numbers[0] + convert(~isnan(x), "int32")
            special[0] = special[0] + convert(signed, "int32")
        with ib.if_scope(any_of(special[0] > 0, numbers[0] < self.size)):
            with ib.for_range(0, self.size, name="k") as k:
                x = ib.let("x", source[place(k)])
                with ib.if_scope(compare("eq", x, zero)):
                    with ib.if_scope(zeros[0] < self.keep):
                        values[place(zeros[0])] = x
                    zeros[0] = zeros[0] + 1
                with ib.if_scope(isnan(x)):
                    with ib.if_scope(numbers[0] < self.keep):
                        values[place(numbers[0])] = x
                    numbers[0] = numbers[0] + 1

    def by_network(self, place: Place, most: int) -> None:
        """Sort a line of at most ``most`` elements by compare-exchange steps of vectors."""
        ib, count, order = self.ib, self.order.lanes, self.order
        network, special = Network(ib, order), self._special()
        neighbours = self.axis == self.data.ndim - 1
        whole = self._whole(place, special) if neighbours else None

        def element(k: Any) -> Expr:
            x = ib.let("x", self.source[place(k)])
            if special is not None:
                special[0] = special[0] | self._marks(x)
            return x

        results, kind = self._results
        scratch = None
        if not neighbours or None not in self.kinds:
            # Results that are not adjacent in memory, or that determine other results, are first
            # stored in scratch memory.
            kind = "int32" if order.of_places else self.dtype
            results = scratch = ib.allocate(kind, (-(-most // count) * count,), "sorted")

        def at(k: Any) -> tuple[Any, ...]:
            return place(k) if scratch is None else (k,)

        def write(k: Any, result: Expr) -> None:
            vector = convert(result, vector_of(kind, count))
            ib.emit(results.buffer.vstore(list(at(k)), vector))

        def put(k: Any, result: Expr) -> None:
            results[at(k)] = convert(result, kind)

        line = Line(self.size, self.keep, element, whole, write, put)
        if isinstance(self.size, int):
            network.sort(line)
        else:
            network.sort_up_to(most, line)
        if scratch is not None:
            with ib.for_range(0, self.keep, name="k") as k:
                if order.of_places:
                    self._give(place, k, scratch[k])
                else:
                    self._results[0][place(k)] = scratch[k]
        self._put_special(special, lambda _: place, 1)

    @property
    def _results(self) -> tuple[Any, str]:
        """The tensor that a network writes, and its type: of the places, if they are wanted."""
        number = 0 if self.kinds[1] is None else 1
        kind = self.kinds[number]
        assert kind is not None
        return (self.values, self.numbers)[number], kind

    def side_by_side(self, places: Callable[[Any], Place]) -> None:
        """Sort adjacent lines, one in each lane of a vector; ``places`` maps a lane to its
        place.
        """
        ib, order, count = self.ib, self.order, self.order.lanes
        special, place = self._special(), places(0)
        results, kind = self._results
        size = self.size
        assert isinstance(size, int)
        # If the values are results, too, they are gathered by the sorted positions.
        both = None not in self.kinds
        scratch = ib.allocate("int32", (self.keep, count), "sorted") if both else None

        def write(k: Any, result: Expr) -> None:
            target, at = (results, list(place(k))) if scratch is None else (scratch, [k, 0])
            vector = convert(result, vector_of("int32" if both else kind, count))
            ib.emit(target.buffer.vstore(at, vector))

        network = Network(ib, order)
        network.sort_side_by_side(size, self.keep, self._whole(place, special), write)
        if scratch is not None:
            with (
                ib.for_range(0, self.keep, name="k") as k,
                ib.for_range(0, count, name="lane") as lane,
            ):
                own = places(lane)
                self._give(own, k, scratch[k, lane])
        self._put_special(special, places, count)

    def _special(self) -> Any:
        """Memory for marks of elements that keys do not distinguish. None if keys suffice."""
        if self.order.of_places or not is_float(self.dtype):
            return None
        kind = f"int{bits_of(self.dtype)}"
        count = self.order.lanes
        special = self.ib.allocate(kind, (count,), "special", scope="local")
        self.ib.emit(special.buffer.vstore([0], convert(const(0, kind), vector_of(kind, count))))
        return special

    def _marks(self, x: Expr) -> Expr:
        kind = f"int{bits_of(self.dtype)}"
        return select(self.order.is_special(x), const(-1, kind), const(0, kind))

    def _whole(self, place: Place, special: Any) -> Callable[[Any], Expr]:
        ib, count = self.ib, self.order.lanes

        def load(k: Any) -> Expr:
            vector = self.source.buffer.vload(list(place(k)), vector_of(self.dtype, count))
            x = ib.let("x", vector)
            if special is not None:
                marks = special.buffer.vload([0], vector_of(special.dtype, count))
                ib.emit(special.buffer.vstore([0], marks | self._marks(x)))
            return x

        return load

    def _put_special(self, special: Any, places: Callable[[Any], Place], lines: int) -> None:
        if special is None:
            return
        ib, count = self.ib, self.order.lanes
        marks = special.buffer.vload([0], vector_of(special.dtype, count))
        distance = count // 2
        while distance:
            marks = ib.let("marks", marks)
            turned = tuple(n ^ distance for n in range(count))
            marks = marks | Shuffle((marks,), turned, marks.dtype)
            distance //= 2
        ib.emit(special.buffer.vstore([0], marks))
        with ib.if_scope(compare("ne", special[0], const(0, special.dtype))):
            with ib.for_range(0, lines, name="lane") as lane:
                self._put_in_place(places(lane))


def _sorted(
    data: Tensor, axis: int, ascending: bool, name: str, kinds: tuple[str | None, str | None],
    keep: int | None = None,
) -> list[Tensor]:  # fmt: skip
    """The first ``keep`` sorted values and their places, each if its type is not None."""
    size = data.shape[axis]
    shape = list(data.shape)
    shape[axis] = size if keep is None else keep
    result_types = [kind for kind in kinds if kind is not None]

    def body(loops: Any) -> None:
        lines = _Sorted(loops, data, axis, ascending, kinds, shape[axis])
        loops.in_forms(lines.on_vectors, lines.on_scalars)

    return written(name, [shape] * len(result_types), result_types, [data], body)


MOST_SELECTED = 128
"""The largest number of elements that are selected from longer lines in one pass, which is
faster.
"""
BLOCK = 64
"""The number of elements that are compared at once with the last selected element."""


def _select_first(
    loops: Any, data: Tensor, axis: int, ascending: bool, kinds: tuple[str | None, str | None],
    keep: int,
) -> None:  # fmt: skip
    """Select the first ``keep`` sorted values and their positions in one pass, by insertion.

    Most elements of a long line are compared with the last of the kept ones, and no more.
    """
    size, dtype = data.shape[axis], data.dtype
    ib, source = loops.ib, loops.ins[0]
    values = ib.allocate(dtype, (keep,), name="values")
    places = ib.allocate("int32", (keep,), name="places")

    def line(place: Callable[[Any], Any]) -> None:
        slot, new = loops.variable("int32", "slot"), loops.variable(dtype, "new")

        def insert(n: Any, last: Any) -> None:
            slot[0] = const(0)
            with ib.for_range(0, last, name="s") as s:
                stays = ~_before(new[0], values[s], ascending)
                slot[0] = slot[0] + convert(stays, "int32")
            moved = ib.let("moved", convert(as_expr(last), "int32") - slot[0])
            with ib.for_range(0, moved, name="s") as s:
                to = ib.let("to", last - s)
                values[to], places[to] = values[to - 1], places[to - 1]
            values[slot[0]], places[slot[0]] = new[0], convert(as_expr(n), "int32")

        def consider(n: Any) -> None:
            new[0] = source[place(n)]
            with ib.if_scope(_before(new[0], values[keep - 1], ascending)):
                insert(n, keep - 1)

        with ib.for_range(0, keep, name="n") as n:
            new[0] = source[place(n)]
            insert(n, n)
        # A block whose elements all come after the selected ones is skipped at once.
        blocks = (size - keep) // BLOCK
        better = loops.variable("int32", "better")
        with ib.for_range(0, blocks, name="block") as block:
            begin = ib.let("begin", keep + block * BLOCK)
            least = ib.let("least", values[keep - 1])
            better[0] = const(0)
            with ib.for_range(0, BLOCK, name="n") as n:
                ahead = _before(source[place(begin + n)], least, ascending)
                better[0] = better[0] | convert(ahead, "int32")
            with ib.if_scope(better[0] > 0), ib.for_range(0, BLOCK, name="n") as n:
                consider(begin + n)
        with ib.for_range(keep + blocks * BLOCK, size, name="n") as n:
            consider(n)
        outs = iter(loops.outs)
        with ib.for_range(0, keep, name="k") as k:
            if kinds[0] is not None:
                next_out = next(outs)
                next_out[place(k)] = values[k]
            if kinds[1] is not None:
                next_out = next(outs)
                next_out[place(k)] = convert(places[k], kinds[1])

    loops.along(data.shape, axis, line)


def _lengths(data: Tensor, valid_count: Any, axis: int) -> Tensor | None:
    if valid_count is None:
        return None
    index_tensor(valid_count, "valid_count", data.ndim - 1)
    return valid_count


@operator("sort", NUMBERS, "sort(T(3, 6), axis=1)", numpy="sort", torch="sort", gradient="own")
def sort(data: Tensor, axis: int = -1, is_ascend: int = 1) -> Tensor:
    """The elements in order along an axis; of equal ones the first is first."""
    axis, ascending = axis_of(axis, data.ndim), flag(is_ascend, "is_ascend")
    result = _sorted(data, axis, ascending, "sort", (data.dtype, None))[0]
    return _put_back(result, data, axis, lambda: argsort(data, None, axis, ascending, "int64"))


def _put_back(result: Tensor, data: Tensor, axis: int, places: Callable[[], Tensor]) -> Tensor:
    """``result``, elements of ``data``: the adjoint of each is added at its place."""

    def rule(head: Tensor) -> Tensor:
        zeros = compute(data.shape, lambda *_: const(0, data.dtype), f"{data.name}_zeros")
        return scatter_add(zeros, places(), head, axis)

    return with_rules(result, {data: rule}) if is_float(data.dtype) else result


@operator(
    "sort",
    NUMBERS,
    "argsort(T(3, 6), axis=1)",
    numpy="argsort",
    torch="argsort",
    gradient=OF_PLACES,
)
def argsort(
    data: Tensor, valid_count: Tensor | None = None, axis: int = -1, is_ascend: int = 1,
    dtype: str = "float32",
) -> Tensor:  # fmt: skip
    """The indices of the elements in sorted order along an axis; equal elements keep their order.

    ``valid_count`` has the shape of ``data`` without the axis. It limits the sort to the first
    elements of each line; the other elements keep their positions. The result has ``dtype``
    (float32 by default, as in TVM).
    """
    axis = axis_of(axis, data.ndim)
    lengths = _lengths(data, valid_count, axis)
    kinds = (None, check_dtype(dtype))
    if lengths is not None:
        ascending, size = flag(is_ascend, "is_ascend"), data.shape[axis]

        def body(loops: Any) -> None:
            _merge_lines(loops, data, axis, ascending, kinds, size, lengths)

        return written("argsort", [data.shape], [dtype], [data, lengths], body)[0]
    return _sorted(data, axis, flag(is_ascend, "is_ascend"), "argsort", kinds)[0]


@operator(
    "sort",
    NUMBERS,
    'topk(T(3, 6), 2, ret_type="values")',
    onnx="TopK",
    torch="topk",
    gradient="own",
)
def topk(
    data: Tensor, k: int = 1, axis: int = -1, ret_type: str = "both", is_ascend: bool = False,
    dtype: str = "int64",
) -> Any:  # fmt: skip
    """The ``k`` largest (with ``is_ascend`` smallest) elements along an axis, in order; 0 means
    all.

    ``ret_type`` is "both", for a list of the values and their places, or the name of one of these.
    Raises KC2313 for an axis of symbolic length, KC2317 for a ``k`` that is larger than the axis.
    """
    word(ret_type, ("both", "values", "indices"), "ret_type")
    axis, count = axis_of(axis, data.ndim), whole(k, "k")
    size = constant(data.shape[axis], "the axis that is sorted")
    if not 0 <= count <= size:
        raise refuse(
            "KC2317",
            f"k is {k}, axis {axis} is {size} long",
            "k must be from 1 to the length of the axis, or 0 for all elements",
        )
    kind = check_dtype(dtype)
    kinds = (
        data.dtype if ret_type != "indices" else None,
        kind if ret_type != "values" else None,
    )
    results = _sorted(data, axis, is_ascend, "topk", kinds, count or size)
    if ret_type != "indices":
        _put_back(
            results[0], data, axis, lambda: topk(data, k, axis, "indices", is_ascend, "int64")
        )
    return results if ret_type == "both" else results[0]


@operator(
    "sort",
    NUMBERS,
    "searchsorted(T(6), T(4))",
    numpy="searchsorted",
    torch="searchsorted",
    gradient=OF_PLACES,
)
def searchsorted(
    sorted_sequence: Tensor, values: Tensor, right: bool = False, out_dtype: str = "int64"
) -> Tensor:
    """The insertion positions of values in sorted rows: before equal elements, or after them.

    The sequence has one dimension, or those of the values except the last.
    """
    check_tensor(values, "values", (sorted_sequence.dtype,))
    flat = sorted_sequence.ndim == 1
    if not flat:
        rank(values, "values", sorted_sequence.ndim)
    elif not values.ndim:
        rank(values, "values", 1, 2, 3)
    size = sorted_sequence.shape[-1]
    kind = check_dtype(out_dtype)

    def body(loops: Any) -> None:
        rows, keys = loops.ins
        (result,) = loops.outs
        ib = loops.ib
        total = halvings = convert(as_expr(size), "int32")
        if not isinstance(size, int):
            halvings = sum((convert(total > 1 << n, "int32") for n in range(31)), const(0))
            halvings = ib.let("halvings", halvings)

        def find(*at: Any) -> None:
            mine = ib.let("mine", keys[at])

            def comes_before(place: Any) -> Expr:
                there = ib.let("there", rows[place] if flat else rows[(*at[:-1], place)])
                before = ~_before(mine, there, True) if right else _before(there, mine, True)
                return convert(before, "int32")

            # The position is among the ``left`` elements from ``low`` on, or after them. Every step
            # halves ``left``, whatever the values are, so all searches take the same steps.
            if isinstance(size, int):
                low, left = const(0), size
                while left > 1:
                    half = left // 2
                    low = ib.let("low", low + half * comes_before(low + (half - 1)))
                    left -= half
                result[at] = convert(low + comes_before(low), kind)
                return
            first, count = loops.variable("int32", "low"), loops.variable("int32", "left")
            first[0], count[0] = const(0), total
            with ib.for_range(0, halvings, name="step"):
                half = ib.let("half", count[0] // 2)
                first[0] = first[0] + half * comes_before(first[0] + half - 1)
                count[0] = count[0] - half
            result[at] = convert(first[0], kind)
            with ib.if_scope(total > 0):
                result[at] = convert(first[0] + comes_before(first[0]), kind)

        loops.nest(values.shape, find)

    if is_size(size, 0):
        from kc.topi.elementwise import full

        return full(values.shape, kind, 0)
    return written("searchsorted", [values.shape], [kind], [sorted_sequence, values], body)[0]


def _flat_row(data: Tensor) -> Tensor:
    tensor(data, "data", 1, NUMBERS)
    return data


@operator(
    "sort",
    NUMBERS,
    'unique(T(6, dtype="int32"))',
    numpy="unique",
    onnx="Unique",
    torch="unique",
    gradient="equal elements share a result; how many there are depends on the data",
)
def unique(data: Tensor, is_sorted: bool = True, return_counts: bool = False) -> list[Tensor]:
    """The distinct elements of a 1-d tensor, in order, and their number.

    The results are [values, indices of first occurrences, inverse, number of values] and, with
    ``return_counts``, the counts. The number has the shape (1,); the other results are as long as
    the data. Values, indices and counts are 0 after the first ``number`` entries. Without
    ``is_sorted``, the values are in the order of their first occurrences.
    """
    source = _flat_row(data)
    size = source.shape[0]
    order = argsort(source, dtype="int32")
    kinds = [data.dtype, "int32", "int32", "int32"] + ["int32"] * return_counts
    shapes = [(size,), (size,), (size,), (1,)] + [(size,)] * return_counts

    def body(loops: Any) -> None:
        ib, (source, sorted_places) = loops.ib, loops.ins
        values, firsts, inverse, number = loops.outs[:4]
        rank_of = ib.allocate("int32", (size,), name="rank")
        with ib.for_range(0, size, name="k") as k:
            values[k] = const(0, data.dtype)
            firsts[k] = const(0)
            if return_counts:
                loops.outs[4][k] = const(0)
        number[0] = const(0)
        # The group of each element: equal elements are neighbours in the order.
        with ib.for_range(0, size, name="k") as k:
            own = sorted_places[k]
            new = loops.variable("int32", "new")
            new[0] = const(1)
            with ib.if_scope(k > 0):
                before = source[sorted_places[scalar.max(k - 1, 0)]]
                with ib.if_scope(compare("eq", before, source[own])):
                    new[0] = const(0)
            with ib.if_scope(new[0].equal(1)):
                values[number[0]] = source[own]
                firsts[number[0]] = own
                number[0] = number[0] + 1
            inverse[own] = number[0] - 1
            if return_counts:
                loops.outs[4][number[0] - 1] = loops.outs[4][number[0] - 1] + 1
        if is_sorted:
            return
        # In the order of the first places: count the groups that begin earlier.
        moved = ib.allocate(data.dtype, (size,), name="moved")
        starts = ib.allocate("int32", (size,), name="starts")
        tally = ib.allocate("int32", (size,), name="tally")
        with ib.for_range(0, size, name="g") as g, ib.if_scope(g < number[0]):
            rank_of[g] = const(0)
            with ib.for_range(0, size, name="h") as h, ib.if_scope(h < number[0]):
                with ib.if_scope(firsts[h] < firsts[g]):
                    rank_of[g] = rank_of[g] + 1
        with ib.for_range(0, size, name="g") as g, ib.if_scope(g < number[0]):
            moved[rank_of[g]], starts[rank_of[g]] = values[g], firsts[g]
            if return_counts:
                tally[rank_of[g]] = loops.outs[4][g]
        with ib.for_range(0, size, name="g") as g, ib.if_scope(g < number[0]):
            values[g], firsts[g] = moved[g], starts[g]
            if return_counts:
                loops.outs[4][g] = tally[g]
        with ib.for_range(0, size, name="k") as k:
            inverse[k] = rank_of[inverse[k]]

    return written("unique", shapes, kinds, [source, order], body)


@operator(
    "sort",
    (*NUMBERS, "bool"),
    "argwhere(T(3, 4))",
    numpy="argwhere",
    onnx="NonZero",
    torch="argwhere",
    gradient=OF_PLACES,
)
def argwhere(condition: Tensor) -> list[Tensor]:
    """The indices of the elements that are not 0, row-major, and their number.

    [indices (size, rank), number (1,)] of int32: only the first ``number`` rows are valid, the
    others are 0.
    """
    from kc.topi.arguments import product

    size = product(condition.shape)

    def body(loops: Any) -> None:
        (mask,), (places, number) = loops.ins, loops.outs
        loops.nest([size, condition.ndim], lambda k, n: places.__setitem__((k, n), const(0)))
        number[0] = const(0)

        def visit(*at: Any) -> None:
            value = mask[at]
            holds = value if value.dtype == "bool" else compare("ne", value, const(0, value.dtype))
            with loops.ib.if_scope(holds):
                for n, index in enumerate(at):
                    places[number[0], n] = convert(as_expr(index), "int32")
                number[0] = number[0] + 1

        loops.nest(condition.shape, visit, "a")

    return written("argwhere", [(size, condition.ndim), (1,)], ["int32"] * 2, [condition], body)
