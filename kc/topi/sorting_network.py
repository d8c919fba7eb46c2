"""Sorting by compare-exchange steps on vectors: bitonic networks, the same steps for all data.

The keys of a line lie in a matrix of ``rows`` vectors of ``lanes`` each, both powers of two, and
the order that is reached is down the lanes: position ``lane * rows + row``. Steps between positions
that differ in a bit of the row compare vector with vector (``min`` and ``max``); the few others,
between lanes, compare a vector with its own lanes shuffled. A matrix of up to ``GROUP`` rows stays
in registers. A longer one is passed over: each pass loads ``GROUP`` rows or fewer, takes all steps
that are among them, and stores them.

A bitonic merge of level k brings runs of 2^(k-1) into runs of 2^k, where every second run must be
in reverse. Instead of the order of the steps the keys are reversed, by complementing their bits:
level k is between keys that are complemented where bit k of their position is 1.

Lines that are neighbours in memory (an axis that is not the last) are sorted side by side, a line
in each lane: then all steps are between rows.

K. E. Batcher, Sorting networks and their applications (1968); the order of registers and lanes is
that of the column sorts of vectorized merge sorts (Inoue et al., 2007).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, Shuffle, all_of, as_expr, compare, const, ramp, select
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import bits as bits_of
from kc.expr.dtypes import is_float, lanes
from kc.expr.intrinsics import reinterpret
from kc.topi.loops import VECTOR

GROUP = 16
"""Vectors that a pass has in registers at once: half of 32, or all of 16."""

Parts = tuple[Expr, ...]
"""A key: a number; or two numbers, of which the second decides if the first ones are equal."""


def vector_of(dtype: str, count: int) -> str:
    """The type of ``count`` lanes of ``dtype``; a scalar for one."""
    return dtype if count == 1 else f"{dtype}x{count}"


def _greatest_magnitude(dtype: str) -> int:
    """The largest bit pattern, without the sign, of a float that is not NaN."""
    from kc.support.float_formats import NARROW_FLOATS

    if dtype in NARROW_FLOATS:
        form = NARROW_FLOATS[dtype]
        return form.beyond if form.infinities else form.beyond - 1
    width = bits_of(dtype)
    mantissa = {32: 23, 64: 52}[width]
    return ((1 << width - 1) - 1) >> mantissa << mantissa


@dataclass(frozen=True)
class Order:
    """The order of elements of ``dtype``, as an order of signed integers.

    ``of_places``: keys contain the places of their elements, so that all keys differ and equal
    elements keep the order of the data; both zeros are then equal. Otherwise keys determine the
    elements, except for NaN, which has a single key, and -0 is before 0.
    """

    dtype: str
    ascending: bool
    of_places: bool
    size: int | None
    """The length of a line. None if it is symbolic."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The types of the parts of a key."""
        width = bits_of(self.dtype)
        if not self.of_places:
            return (f"int{max(width, 16)}",)
        if width == 64:
            return ("int64", "int64")
        short = width <= 16 and self.size is not None and self.size <= 1 << 16
        return ("int32",) if short else ("int64",)

    @property
    def lanes(self) -> int:
        """The lanes of a vector of keys; shorter lines have narrower vectors."""
        most = VECTOR // bits_of(self.parts[0])
        return most if self.size is None else min(most, 1 << max(1, self.size).bit_length() - 1)

    @property
    def _shift(self) -> int:
        return bits_of(self.parts[0]) // 2

    def _whole(self, x: Expr) -> Expr:
        """The bits of elements as signed numbers in ascending order; NaN is not looked at."""
        width, count = bits_of(self.dtype), lanes(x.dtype)
        kind = vector_of(f"int{width}", count)
        if not is_float(self.dtype):
            number = convert(x, kind)
            least = const(-(1 << width - 1), f"int{width}")
            return number ^ least if self.dtype.startswith("uint") else number
        number = reinterpret(kind, x)
        return number ^ ((number >> const(width - 1, f"int{width}")) & self._magnitudes)

    @property
    def _magnitudes(self) -> Expr:
        width = bits_of(self.dtype)
        return const((1 << width - 1) - 1, f"int{width}")

    def _magnitude(self, x: Expr) -> Expr:
        width = bits_of(self.dtype)
        return reinterpret(vector_of(f"int{width}", lanes(x.dtype)), x) & self._magnitudes

    def is_nan(self, x: Expr) -> Expr:
        """The mask of the elements that are NaN."""
        greatest = const(_greatest_magnitude(self.dtype), f"int{bits_of(self.dtype)}")
        return compare("gt", self._magnitude(x), greatest)

    def is_special(self, x: Expr) -> Expr:
        """The mask of the elements whose bits or order keys without places do not determine: -0 and
        NaN.
        """
        width = bits_of(self.dtype)
        bits = reinterpret(vector_of(f"int{width}", lanes(x.dtype)), x)
        minus = compare("eq", bits, const(-(1 << width - 1), f"int{width}"))
        return self.is_nan(x) | minus

    def keys(self, x: Expr, place: Expr) -> Parts:
        """The keys of elements, a scalar or a vector, with the index ``place`` in their lines."""
        width, count = bits_of(self.dtype), lanes(x.dtype)
        number = self._whole(x)
        if is_float(self.dtype) and self.of_places:
            zero = const(0, f"int{width}")
            number = select(compare("eq", self._magnitude(x), zero), zero, number)
        number = number if self.ascending else ~number
        if is_float(self.dtype):
            number = select(self.is_nan(x), self._magnitudes, number)
        first = vector_of(self.parts[0], count)
        number = convert(number, first)
        place = convert(place, first)
        if not self.of_places:
            return (number,)
        if len(self.parts) == 2:
            return (number, place)
        return ((number << const(self._shift, self.parts[0])) | place,)

    def last(self, count: int) -> Parts:
        """Keys that come after the keys of all elements."""
        return tuple(
            convert(const((1 << bits_of(part) - 1) - 1, part), vector_of(part, count))
            for part in self.parts
        )

    def element(self, key: Parts) -> Expr:
        """The elements of keys without places."""
        width, count = bits_of(self.dtype), lanes(key[0].dtype)
        number = convert(key[0], vector_of(f"int{width}", count))
        number = number if self.ascending else ~number
        if is_float(self.dtype):
            turned = (number >> const(width - 1, f"int{width}")) & self._magnitudes
            return reinterpret(vector_of(self.dtype, count), number ^ turned)
        if self.dtype.startswith("uint"):
            number = number ^ const(-(1 << width - 1), f"int{width}")
        return convert(number, vector_of(self.dtype, count))

    def place(self, key: Parts) -> Expr:
        """The places that keys contain, as int32."""
        number = key[-1]
        if len(key) == 1:
            number = number & const((1 << self._shift) - 1, self.parts[0])
        return convert(number, vector_of("int32", lanes(number.dtype)))


def _comes_after(a: Parts, b: Parts) -> Expr:
    """The mask of the lanes in which ``a`` comes after ``b``."""
    after = compare("gt", a[0], b[0])
    if len(a) == 1:
        return after
    return after | (compare("eq", a[0], b[0]) & compare("gt", a[1], b[1]))


class Steps:
    """Compare-exchange steps among vectors of keys, which :attr:`keys` lists."""

    def __init__(self, ib: Any, keys: Sequence[Parts]) -> None:
        self._ib = ib
        self.keys = [self._named("key", key) for key in keys]
        self._lanes = lanes(self.keys[0][0].dtype)

    def _named(self, name: str, key: Parts) -> Parts:
        return tuple(self._ib.let(name, part) for part in key)

    def _exchange(self, low: int, high: int) -> None:
        a, b = self.keys[low], self.keys[high]
        if len(a) == 1:
            first, last = (scalar.min(a[0], b[0]),), (scalar.max(a[0], b[0]),)
        else:
            after = self._ib.let("after", _comes_after(a, b))
            first = tuple(select(after, y, x) for x, y in zip(a, b, strict=True))
            last = tuple(select(after, x, y) for x, y in zip(a, b, strict=True))
        self.keys[low], self.keys[high] = self._named("low", first), self._named("high", last)

    def sort(self) -> None:
        """Sort the columns, by odd-even merges: of any number of rows."""
        for low, high in odd_even_merges(len(self.keys)):
            self._exchange(low, high)

    def merge(self) -> None:
        """Half-cleaners of halving distances: the columns are sorted, if they were bitonic."""
        distance = len(self.keys) // 2
        while distance:
            for row in range(len(self.keys)):
                if not row & distance:
                    self._exchange(row, row + distance)
            distance //= 2

    def merge_lanes(self, level: int) -> None:
        """Half-cleaners between lanes, 2^(level - 1) apart and nearer."""
        for bit in reversed(range(level)):
            upper = self._ib.let("upper", compare("ne", self._lane & const(1 << bit), const(0)))
            for row, key in enumerate(self.keys):
                mate = self._named("mate", tuple(self._turned(part, 1 << bit) for part in key))
                if len(key) == 1:
                    chosen = (
                        select(upper, scalar.max(key[0], mate[0]), scalar.min(key[0], mate[0])),
                    )
                else:
                    takes = self._ib.let("takes", upper ^ _comes_after(key, mate))
                    chosen = tuple(select(takes, y, x) for x, y in zip(key, mate, strict=True))
                self.keys[row] = self._named("key", chosen)

    @property
    def _lane(self) -> Expr:
        return ramp(const(0), const(1), self._lanes)

    def _turned(self, part: Expr, distance: int) -> Expr:
        return Shuffle((part,), tuple(n ^ distance for n in range(self._lanes)), part.dtype)

    def complement(self, flips: Expr | None) -> None:
        """Complement the keys, or those of the lanes, where ``flips`` is odd."""
        if flips is None:
            return
        count = lanes(flips.dtype)
        kinds = {part.dtype for part in self.keys[0]}
        signs = {}
        for kind in kinds:
            own = kind if count > 1 else kind.partition("x")[0]
            zero = const(0, kind.partition("x")[0])
            signs[kind] = self._ib.let("sign", zero - convert(flips, own))
        for row, key in enumerate(self.keys):
            self.keys[row] = self._named("key", tuple(part ^ signs[part.dtype] for part in key))

    def lane_bit(self, bit: int) -> Expr:
        """A bit of the numbers of the lanes."""
        return (self._lane >> const(bit)) & const(1)

    def transpose(self) -> None:
        """Bring keys that are in order down the lanes into order along the rows.

        A matrix becomes as many vectors of neighbours, in order. Each step swaps a bit of the row
        with one of the lane.
        """
        rows, count = len(self.keys), self._lanes
        row_bits, lane_bits = rows.bit_length() - 1, count.bit_length() - 1
        # The bits of the position that the row number and the lane number represent.
        of_row, of_lane = list(range(row_bits)), list(range(row_bits, row_bits + lane_bits))
        for bit in range(min(row_bits, lane_bits)):
            lane = of_lane.index(max(row_bits, lane_bits) + bit)
            of_row[bit], of_lane[lane] = of_lane[lane], of_row[bit]
            for row in range(rows):
                if not row >> bit & 1:
                    self._swap(row, row | 1 << bit, 1 << lane)
        order = sorted(range(count), key=lambda lane: _spread(lane, of_lane))
        if order != list(range(count)):
            for row, key in enumerate(self.keys):
                moved = tuple(Shuffle((part,), tuple(order), part.dtype) for part in key)
                self.keys[row] = self._named("key", moved)
        in_order = sorted(range(rows), key=lambda row: _spread(row, of_row))
        self.keys = [self.keys[row] for row in in_order]

    def _swap(self, low: int, high: int, bit: int) -> None:
        count = self._lanes
        first = tuple(n if not n & bit else count + (n ^ bit) for n in range(count))
        last = tuple(n ^ bit if not n & bit else count + n for n in range(count))
        a, b = self.keys[low], self.keys[high]
        for row, chosen in ((low, first), (high, last)):
            moved = (Shuffle((x, y), chosen, x.dtype) for x, y in zip(a, b, strict=True))
            self.keys[row] = self._named("key", tuple(moved))


def _spread(number: int, places: Sequence[int]) -> int:
    """The bits of ``number``, moved to other positions."""
    return sum((number >> n & 1) << place for n, place in enumerate(places))


def odd_even_merges(count: int) -> Iterator[tuple[int, int]]:
    """The pairs of places that Batcher's odd-even merge sort of ``count`` numbers compares."""
    run = 1
    while run < count:
        distance = run
        while distance:
            for begin in range(distance % run, count - distance, 2 * distance):
                for n in range(begin, min(begin + distance, count - distance)):
                    if n // (2 * run) == (n + distance) // (2 * run):
                        yield n, n + distance
            distance //= 2
        run *= 2


LOW = GROUP.bit_length() - 1
"""The bits of the row in the last pass of each level."""
AT_ONCE = 3
"""The bits of the row in other passes; the remaining registers are for shuffles and compares."""


class Line(NamedTuple):
    """The source of a line's elements, and the destination of the first ``keep`` sorted ones.

    ``element(k)`` is element k. ``whole(k)`` is the vector of elements from k on, None if they are
    not contiguous. ``write(k, results)`` stores a vector of results from k on, ``put(k, result)`` a
    scalar.
    """

    size: Any
    keep: Any
    element: Callable[[Any], Expr]
    whole: Callable[[Any], Expr] | None
    write: Callable[[Any, Expr], None]
    put: Callable[[Any, Expr], None]


class Network:
    """The statements that sort a line, or lines side by side; memory is allocated in place."""

    def __init__(self, ib: Any, order: Order) -> None:
        self._ib = ib
        self.order = order
        self._lanes = order.lanes
        self._lane_bits = self._lanes.bit_length() - 1

    # Lines whose positions go down the lanes -------------------------------------------------

    def sort(self, line: Line) -> None:
        """Sort a line of constant size."""
        count = self._lanes
        row_bits = (-(-line.size // count) - 1).bit_length()
        rows = 1 << row_bits
        if rows > GROUP:
            matrix = self._matrix(rows)
            self._fill(matrix, line, rows)
            self._passes(matrix, row_bits, rows)
            self._drain(matrix, line, rows)
            return
        steps = Steps(self._ib, self._rows(line, rows))
        steps.complement(self._flips(0, row_bits, row_bits, None))
        steps.sort()
        for level in range(row_bits + 1, row_bits + self._lane_bits + 1):
            steps.complement(self._flips(0, row_bits, level - 1, level))
            steps.merge_lanes(level - row_bits)
            steps.merge()
        steps.transpose()
        self._write_rows(line, [self._result(key) for key in steps.keys])

    def sort_up_to(self, most: int, line: Line) -> None:
        """Sort a line of symbolic size, with at most ``most`` elements."""
        ib, count = self._ib, self._lanes
        least = max(LOW, self._lane_bits)  # a block that is transposed is square
        row_bits = as_expr(least)
        longest = count << least
        while longest < most:
            row_bits = row_bits + convert(compare("gt", line.size, longest), "int32")
            longest *= 2
        row_bits = ib.let("row_bits", row_bits)
        rows = ib.let("rows", const(1) << row_bits)
        matrix = self._matrix(longest // count)
        self._fill(matrix, line, rows)
        self._passes(matrix, row_bits, rows)
        self._drain(matrix, line, rows)

    def _rows(self, line: Line, rows: int) -> list[Parts]:
        """The rows of a matrix that stays in registers."""
        count, size = self._lanes, line.size
        if line.whole is None:
            matrix = self._matrix(rows)
            self._fill(matrix, line, rows)
            return [self._load(matrix, row) for row in range(rows)]
        keys = [self._keys(line, row * count) for row in range(size // count)]
        rest = size % count
        if rest:  # reload the last vector, without the elements of the vector before it
            lane = ramp(const(0), const(1), count)
            new = compare("ge", lane, const(count - rest))
            last = zip(self._keys(line, size - count), self.order.last(count), strict=True)
            keys.append(tuple(select(new, x, y) for x, y in last))
        return keys + [self.order.last(count)] * (rows - len(keys))

    def _keys(self, line: Line, begin: Any) -> Parts:
        assert line.whole is not None
        place = ramp(convert(as_expr(begin), "int32"), const(1), self._lanes)
        return self._named(self.order.keys(self._ib.let("x", line.whole(begin)), place))

    def _fill(self, matrix: Sequence[Any], line: Line, rows: Any) -> None:
        """Store the keys of a line, followed by keys that come last."""
        ib, count = self._ib, self._lanes
        whole = 0
        if line.whole is not None:
            whole = line.size // count
            with ib.for_range(0, whole, name="row") as row:
                self._store(matrix, row, self._keys(line, row * count))
        with ib.for_range(whole * count, line.size, name="k") as k:
            x = ib.let("x", line.element(k))
            self._store_one(matrix, k, self.order.keys(x, as_expr(k)))
        with ib.for_range(line.size, rows * count, name="k") as k:
            self._store_one(matrix, k, self.order.last(1))

    def _drain(self, matrix: Sequence[Any], line: Line, rows: Any) -> None:
        """Write the first results: blocks of the matrix are transposed."""
        ib, count, keep = self._ib, self._lanes, line.keep
        rest = keep % count
        kind = "int32" if self.order.of_places else self.order.dtype
        last = ib.allocate(kind, (count,), name="last")
        with ib.for_range(0, rows // count, name="block") as block:
            steps = Steps(ib, [self._load(matrix, block * count + n) for n in range(count)])
            steps.transpose()
            for n, key in enumerate(steps.keys):
                if isinstance(keep, int) and isinstance(rows, int) and n * rows >= keep:
                    break
                begin = ib.let("begin", convert(as_expr(block * count + n * rows), "int32"))
                if not isinstance(keep, int) or keep >= count:
                    with ib.if_scope(begin + count <= keep):
                        line.write(begin, self._result(key))
                with ib.if_scope(all_of(begin < keep, begin + count > keep)):
                    ib.emit(last.buffer.vstore([0], self._result(key)))
        with ib.for_range(0, rest, name="k") as k:
            line.put(keep - rest + k, last[k])

    def _write_rows(self, line: Line, results: Sequence[Expr]) -> None:
        """Write the first results, which are vectors of neighbours."""
        count, keep = self._lanes, line.keep
        for n in range(keep // count):
            line.write(n * count, results[n])
        rest = keep % count
        # Store the last vector so that it ends with the remaining elements.
        if rest and keep > count:
            n = keep // count
            lanes_of_both = tuple(range(rest, rest + count))
            both = Shuffle((results[n - 1], results[n]), lanes_of_both, results[n].dtype)
            line.write(keep - count, both)
        elif rest:
            last = self._ib.allocate(results[0].dtype.partition("x")[0], (count,), name="last")
            self._ib.emit(last.buffer.vstore([0], results[0]))
            for k in range(rest):
                line.put(k, last[k])

    # Lines side by side ----------------------------------------------------------------------

    def sort_side_by_side(
        self, size: int, keep: int, whole: Callable[[Any], Expr], write: Callable[[Any, Expr], None]
    ) -> None:
        """Sort lines of ``size`` elements, one in each lane: ``whole(k)`` is the vector of their
        elements k, and ``write(k, vector)`` stores results k, the first ``keep``.
        """
        ib, order = self._ib, self.order
        row_bits = (size - 1).bit_length()
        rows = 1 << row_bits

        def keys(k: Any) -> Parts:
            place = convert(as_expr(k), vector_of("int32", self._lanes))
            return self._named(order.keys(ib.let("x", whole(k)), place))

        if rows <= GROUP:
            steps = Steps(ib, [keys(k) for k in range(size)])
            steps.sort()
            for k in range(keep):
                write(k, self._result(steps.keys[k]))
            return
        matrix = self._matrix(rows)
        with ib.for_range(0, size, name="row") as row:
            self._store(matrix, row, keys(row))
        with ib.for_range(size, rows, name="row") as row:
            self._store(matrix, row, order.last(self._lanes))
        self._passes(matrix, row_bits, rows, across=False)
        with ib.for_range(0, keep, name="row") as row:
            write(row, self._result(self._load(matrix, row)))

    # Passes over a matrix --------------------------------------------------------------------

    def _passes(self, matrix: Sequence[Any], row_bits: Any, rows: Any, across: bool = True) -> None:
        """Sort a matrix of 2^row_bits rows: each column, or with ``across`` the whole matrix."""
        ib = self._ib
        with ib.for_range(0, rows // GROUP, name="group") as group:
            steps = Steps(ib, self._group(matrix, group))
            steps.complement(self._flips(group * GROUP, row_bits, LOW, None, across))
            steps.sort()
            steps.complement(self._flips(group * GROUP, row_bits, LOW, LOW + 1, across))
            self._store_group(matrix, group, steps)
        lane_levels = self._lane_bits if across else 0
        with ib.for_range(0, row_bits + lane_levels - LOW, name="level") as n:
            level = ib.let("level", convert(as_expr(n), "int32") + (LOW + 1))
            for lane_level in range(1, lane_levels + 1):
                with ib.if_scope(compare("eq", level, as_expr(row_bits + lane_level))):
                    self._merge_lanes(matrix, rows, lane_level)
            top = ib.let("top", scalar.min(level, as_expr(row_bits)))
            upper = ib.let("upper", top - LOW)
            first = ib.let("first", upper % AT_ONCE)
            for bits in range(1, AT_ONCE):
                with ib.if_scope(compare("eq", first, const(bits))):
                    self._butterflies(matrix, rows, top - bits, bits)
            with ib.for_range(0, upper // AT_ONCE, name="bits") as n:
                begin = top - first - AT_ONCE * (convert(as_expr(n), "int32") + 1)
                self._butterflies(matrix, rows, begin, AT_ONCE)
            with ib.for_range(0, rows // GROUP, name="group") as group:
                steps = Steps(ib, self._group(matrix, group))
                steps.merge()
                steps.complement(self._flips(group * GROUP, row_bits, level, level + 1, across))
                self._store_group(matrix, group, steps)

    def _merge_lanes(self, matrix: Sequence[Any], rows: Any, level: int) -> None:
        """The steps between lanes up to 2^(level - 1) apart."""
        with self._ib.for_range(0, rows, name="row") as row:
            steps = Steps(self._ib, [self._load(matrix, row)])
            steps.merge_lanes(level)
            self._store(matrix, row, steps.keys[0])

    def _butterflies(self, matrix: Sequence[Any], rows: Any, begin: Expr, bits: int) -> None:
        """The steps between rows that differ in ``bits`` bits from ``begin`` on."""
        ib = self._ib
        begin = ib.let("begin", begin)
        distance = ib.let("distance", const(1) << begin)
        count = ib.let("count", as_expr(rows) >> (begin + bits))
        with ib.for_range(0, count, name="high") as high:
            start = ib.let("start", convert(as_expr(high), "int32") << (begin + bits))
            with ib.for_range(0, distance, name="low") as low:
                row = ib.let("row", start + convert(as_expr(low), "int32"))
                at = [ib.let("at", row + n * distance) for n in range(1 << bits)]
                steps = Steps(ib, [self._load(matrix, place) for place in at])
                steps.merge()
                for place, key in zip(at, steps.keys, strict=True):
                    self._store(matrix, place, key)

    def _flips(
        self, row: Any, row_bits: Any, level: Any, following: Any, across: bool = True
    ) -> Expr:
        """1 where keys of a level are complemented, or where they change to the following."""
        position = convert(as_expr(row), "int32")
        if across:
            position = position | (ramp(const(0), const(1), self._lanes) << as_expr(row_bits))
        flips = position >> as_expr(level)
        if following is not None:
            flips = flips ^ (position >> as_expr(following))
        return self._ib.let("flips", flips & const(1))

    def _result(self, key: Parts) -> Expr:
        order = self.order
        return self._ib.let("result", order.place(key) if order.of_places else order.element(key))

    # Memory ----------------------------------------------------------------------------------

    def _matrix(self, rows: int) -> list[Any]:
        parts = self.order.parts
        return [self._ib.allocate(part, (rows, self._lanes), name="keys") for part in parts]

    def _named(self, key: Parts) -> Parts:
        return tuple(self._ib.let("key", part) for part in key)

    def _load(self, matrix: Sequence[Any], row: Any) -> Parts:
        kinds = (vector_of(part, self._lanes) for part in self.order.parts)
        pairs = zip(matrix, kinds, strict=True)
        return self._named(tuple(part.buffer.vload([row, 0], kind) for part, kind in pairs))

    def _store(self, matrix: Sequence[Any], row: Any, key: Parts) -> None:
        for part, value in zip(matrix, key, strict=True):
            self._ib.emit(part.buffer.vstore([row, 0], value))

    def _store_one(self, matrix: Sequence[Any], k: Any, key: Parts) -> None:
        for part, value in zip(matrix, key, strict=True):
            part[k // self._lanes, k % self._lanes] = value

    def _group(self, matrix: Sequence[Any], group: Any) -> list[Parts]:
        return [self._load(matrix, group * GROUP + n) for n in range(GROUP)]

    def _store_group(self, matrix: Sequence[Any], group: Any, steps: Steps) -> None:
        for n, key in enumerate(steps.keys):
            self._store(matrix, group * GROUP + n, key)
