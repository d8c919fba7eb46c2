"""The laws that schedules rely on where a reduction has a combiner of the user's.

Schedules combine the terms of an element in any order, in parts, and each part begins with the
identity. All of them give the same result if the combiner ``f`` with its identity ``e`` satisfies

* ``f(f(a, b), c) == f(a, f(b, c))`` and ``f(a, b) == f(b, a)``;
* ``f(e, x) == x == f(x, e)``, and ``f(e, e) == e``, since parts may be empty. Where a reduction
  starts from ``e`` anyway, ``f(e, e) == e`` alone is enough (a maximum that starts from 0): ``e``
  takes part once or several times. A combiner that ``e`` is neutral to for no value at all (a
  product that starts from 0) is a mistake nevertheless.

Combiners that apply one operation to each component are known to satisfy them. Others are evaluated
by the interpreter on some dozens of values: integers wrap and come from all of their range, floats
are computed as doubles and compared up to the rounding of their own type. Two exceptions make room
for what reducers of tuples mean:

* the values that are combined differ in every component, so a combiner may leave it to the order
  which of two equal maxima it keeps the position of, as TVM's ``argmax`` does;
* if a law fails, the components that start from 0 are taken to be counts or weights, which are
  whole and positive, and so are integers: Welford's parts count at least one number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    f64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from kc.analysis.trust import UNSAFE_ATTRIBUTE
from kc.dialects import te, tir
from kc.support.diagnostics import KCError, Location, ParseError
from kc.support.float_formats import NARROW_IR_FLOATS
from kc.support.locations import location_of

_TRIPLES = 24
_FLOATS = (3.0, -0.5, 8.0, 1.25, -21.0, 0.75, 40.0, -2.5, 5.5, -7.0, 0.0, 100.0, -60.0)
_INTEGERS = (3, 1, 12, -5, 2, 7, -1, 0, 5, -18, 31, 4)
_WHOLE = (3, 1, 12, 5, 2, 7, 4, 31, 9, 18)
_SIZES = (4, 1, 7, 2, 9, 3)
"""Values of axes and sizes that a combiner uses."""
_EPSILONS = {"f64": 2.0**-26, "f32": 2.0**-20, "f16": 2.0**-9, "bf16": 2.0**-6}
"""How far apart results of a type may be, relative to the largest number in them: some roundings.
(They are computed as doubles. An identity may be absorbed in the type itself alone: a lowest
number of f16 and a logarithm of 2.)"""

Values = tuple[Any, ...]


@dataclass(frozen=True)
class BrokenLaw:
    """A law that a combiner does not satisfy, or cannot be shown to."""

    title: str
    """What is wrong, as the end of a sentence that begins with the combiner."""
    why: str
    """The values, and what is made of them; or the reason that there are none."""


def require_laws(
    op: te.ComputeOp | tir.CombineOp | tir.ThreadAllreduceOp,
    *,
    unsafe: bool = False,
    error: type[KCError] = ParseError,
    unsigned: Sequence[bool] = (),
    location: Location | None = None,
) -> None:
    """Refuse (``error`` KC2046) a reduction whose combiner breaks a law.

    With ``unsafe``, or where the operation is marked with ``kc.unsafe``, the user vouches for the
    combiner, as for the values that it meets; the operation is then marked. ``unsigned`` says of
    which components the numbers are to be shown without a sign, ``location`` where the user wrote
    the reduction, if not where the operation is from.
    """
    if UNSAFE_ATTRIBUTE in op.attributes:
        return
    if isinstance(op, te.ComputeOp):
        if not op.has_combine or op.identity is None or op.combiner_name is None:
            return
        region, identity, name = op.combine, op.identity, op.combiner_name.data
        starts_from_identity = not op.has_init
    else:
        region, identity, name = op.combiner, op.identity, op.label
        starts_from_identity = _starts_from_identity(op)
    broken = broken_law(region, identity, starts_from_identity, unsigned)
    if broken is None:
        return
    if unsafe:
        vouch_for(op, name)
        return
    mark = "unsafe=True" if error is not ParseError else f'{{{UNSAFE_ATTRIBUTE} = "why"}}'
    raise error(
        "KC2046",
        f"the reducer {name} {broken.title}",
        location=location or location_of(op),
        why=f"{broken.why}; schedules combine terms in any order, and in parts that start from the "
        "identity",
        hints=[f"{mark} if such values are never combined"],
    )


def vouch_for(op: Operation, name: str) -> None:
    """Mark a reduction whose combiner, called ``name``, is taken on trust."""
    op.attributes[UNSAFE_ATTRIBUTE] = StringAttr(f"the laws of {name}")


def require_laws_in(module: Operation) -> None:
    """Refuse (ParseError KC2046) combiners below ``module`` that break a law."""
    for op in module.walk():
        if isinstance(op, te.ComputeOp | tir.CombineOp | tir.ThreadAllreduceOp):
            require_laws(op)


def _starts_from_identity(op: tir.CombineOp | tir.ThreadAllreduceOp) -> bool:
    """Whether nothing else is known to be what the reduction starts from."""
    block = op.parent_op()
    while block is not None and not isinstance(block, tir.BlockOp):
        block = block.parent_op()
    if block is None or not block.init.blocks:
        return True
    stores = [init for init in block.init.walk() if isinstance(init, tir.StoreOp)]
    starts = [store.value.owner for store in stores]
    return all(
        isinstance(start, arith.ConstantOp) and start.value in op.identity.data for start in starts
    )


# Proofs -------------------------------------------------------------------------------------------


_LARGEST = {
    "f64": math.ldexp(2 - 2**-52, 1023),
    "f32": math.ldexp(2 - 2**-23, 127),
    **{name: form.largest for name, form in NARROW_IR_FLOATS.items()},
}


def _is_bound(attr: Attribute, sign: int) -> bool:
    """Whether it is the lowest (-1) or the largest finite number of a type, or the infinity."""
    largest = _LARGEST.get(str(attr.type)) if isinstance(attr, FloatAttr) else None
    return largest is not None and sign * attr.value.data >= largest  # pyright: ignore


def _number(attr: Attribute) -> int | None:
    """An integer as one of its width without a sign."""
    if not isinstance(attr, IntegerAttr):
        return None
    return attr.value.data & ((1 << _width(attr.type)) - 1)


def _width(type_: Attribute) -> int:
    return type_.width.data if isinstance(type_, IntegerType) else 64


_NEUTRAL: dict[str, Callable[[Attribute], bool]] = {
    "arith.addi": lambda e: _number(e) == 0,
    "arith.ori": lambda e: _number(e) == 0,
    "arith.xori": lambda e: _number(e) == 0,
    "arith.maxui": lambda e: _number(e) == 0,
    "arith.muli": lambda e: _number(e) == 1,
    "arith.andi": lambda e: _number(e) == (1 << _width(e.type)) - 1,  # pyright: ignore
    "arith.minui": lambda e: _number(e) == (1 << _width(e.type)) - 1,  # pyright: ignore
    "arith.maxsi": lambda e: _number(e) == 1 << (_width(e.type) - 1),  # pyright: ignore
    "arith.minsi": lambda e: _number(e) == (1 << (_width(e.type) - 1)) - 1,  # pyright: ignore
    "arith.addf": lambda e: isinstance(e, FloatAttr) and e.value.data == 0,
    "arith.mulf": lambda e: isinstance(e, FloatAttr) and e.value.data == 1,
    "arith.maximumf": lambda e: _is_bound(e, -1),
    "arith.maxnumf": lambda e: _is_bound(e, -1),
    "arith.minimumf": lambda e: _is_bound(e, 1),
    "arith.minnumf": lambda e: _is_bound(e, 1),
}
"""Operations that are associative and commutative, and whether a constant is neutral to them. (To
sums and products of floats up to rounding, to maxima of them among finite numbers.)"""


def _is_known(region: Region, identity: ArrayAttr) -> bool:
    """Whether each component is combined by one operation that is known, from its identity."""
    args, count = region.block.args, len(identity)
    end = region.block.last_op
    assert end is not None
    for n, value in enumerate(end.operands[:count]):
        step = value.owner
        if (
            not isinstance(step, Operation)
            or step.name not in _NEUTRAL
            or {*step.operands} != {args[n], args[count + n]}
            or not _NEUTRAL[step.name](identity.data[n])
        ):
            return False
    return True


_ORDERS = {"gt": 1, "ge": 1, "lt": -1, "le": -1}
_EXTREMES = {
    "arith.maximumf": 1, "arith.maxnumf": 1, "arith.maxsi": 1, "arith.maxui": 1,
    "arith.minimumf": -1, "arith.minnumf": -1, "arith.minsi": -1, "arith.minui": -1,
}  # fmt: skip


def _is_choice(region: Region, identity: ArrayAttr) -> bool:
    """Whether one of two tuples is chosen by the larger or smaller value of one component, and by
    another one where these are equal: an ``argmax``. The identity has the worst value of all."""
    count = len(identity)
    end = region.block.last_op
    assert end is not None
    reader = _Choices(region, count)
    chosen = [reader.choice(value, n) for n, value in enumerate(end.operands[:count])]
    keys = {choice[:2] for choice in chosen if choice is not None}
    if None in chosen or len(keys) != 1:
        return False
    ((key, sign),) = keys
    # What ties are broken by is the same for all components; equal keys are the same value.
    if len({choice for n, choice in enumerate(chosen) if n != key}) > 1:
        return False
    worst = identity.data[key]
    if isinstance(worst, FloatAttr):
        return _is_bound(worst, -sign)
    return sum(1 for test in reader.worst if _NEUTRAL[test](worst)) == len(reader.worst)


class _Choices:
    """Reads which of two tuples a combiner takes."""

    def __init__(self, region: Region, count: int) -> None:
        args = region.block.args
        self.left: dict[SSAValue, int] = {arg: n for n, arg in enumerate(args[:count])}
        self.right: dict[SSAValue, int] = {arg: n for n, arg in enumerate(args[count : 2 * count])}
        self.worst: set[str] = set()
        """Operations whose neutral element is the worst value of the integer that decides."""

    def choice(self, value: SSAValue, n: int) -> tuple[int, int, int, int] | None:
        """The component that decides how component ``n`` is chosen, and whether the larger (1) or
        the smaller (-1) one is; then that for ties likewise, or -1 and 0."""
        step = value.owner
        if not isinstance(step, Operation):
            return None
        if step.name in _EXTREMES and self._pair(*step.operands) == n:
            if not step.name.endswith("f"):
                self.worst.add(step.name)
            return (n, _EXTREMES[step.name], -1, 0)
        if step.name != "arith.select" or self._pair(*step.operands[1:]) != n:
            return None
        return self._condition(step.operands[0])

    def _pair(self, x: SSAValue, y: SSAValue) -> int | None:
        """The component that ``x`` is of the left tuple and ``y`` of the right one."""
        n = self.left.get(x)
        return n if n is not None and self.right.get(y) == n else None

    def _condition(self, value: SSAValue) -> tuple[int, int, int, int] | None:
        key = self._order(value)
        if key is not None:
            return (*key, -1, 0)
        parts = self._operands(value, "arith.ori")
        for better, tie in (parts, parts[::-1]) if parts else ():
            key = self._order(better)
            equal = self._operands(tie, "arith.andi")
            for same, order in (equal, equal[::-1]) if key and equal else ():
                second = self._order(order, decides=False)
                if key and second and self._equals(same) == key[0]:
                    return (*key, *second)
        return None

    def _operands(self, value: SSAValue, name: str) -> tuple[SSAValue, ...] | None:
        step = value.owner
        return tuple(step.operands) if isinstance(step, Operation) and step.name == name else None

    def _compared(self, value: SSAValue) -> tuple[str, int] | None:
        """The word of a comparison of a component of the left tuple with the right one's."""
        step = value.owner
        if not isinstance(step, arith.CmpfOp | arith.CmpiOp):
            return None
        n = self._pair(*step.operands)
        number = step.predicate.value.data
        if isinstance(step, arith.CmpfOp):
            word = arith.CMPF_COMPARISON_OPERATIONS[number]
        else:
            word = arith.CMPI_COMPARISON_OPERATIONS[number]
        return None if n is None else (word, n)

    def _equals(self, value: SSAValue) -> int | None:
        compared = self._compared(value)
        return compared[1] if compared and compared[0] in ("eq", "oeq") else None

    def _order(self, value: SSAValue, *, decides: bool = True) -> tuple[int, int] | None:
        compared = self._compared(value)
        if compared is None or compared[0][-2:] not in _ORDERS:
            return None
        word, n = compared
        sign = _ORDERS[word[-2:]]
        if decides and isinstance(value.owner, arith.CmpiOp):
            self.worst.add(f"arith.{'max' if sign > 0 else 'min'}{word[0]}i")
        return n, sign


# Samples ------------------------------------------------------------------------------------------

_KNOWN: dict[Any, BrokenLaw | None] = {}
"""What was found out, by the text of combiners."""
_MEMO_SIZE = 1024


def broken_law(
    region: Region,
    identity: ArrayAttr,
    starts_from_identity: bool = True,
    unsigned: Sequence[bool] = (),
) -> BrokenLaw | None:
    """A law that the combiner ``region`` with ``identity`` breaks, or None.

    ``starts_from_identity``: the reduction has no other initial value.
    """
    if _is_known(region, identity) or _is_choice(region, identity):
        return None
    key = (*_text(region, 2 * len(identity)), identity, starts_from_identity, _shown(unsigned))
    if key not in _KNOWN:
        if len(_KNOWN) >= _MEMO_SIZE:
            _KNOWN.clear()
        _KNOWN[key] = _Trial(region, identity, starts_from_identity, unsigned).broken_law()
    return _KNOWN[key]


def _shown(unsigned: Sequence[bool]) -> tuple[bool, ...]:
    return tuple(unsigned) if any(unsigned) else ()


def _text(region: Region, operands: int) -> Iterator[Any]:
    """What a combiner of so many ``operands`` computes, as values that can be compared."""
    numbers: dict[SSAValue, int] = {}
    for n, arg in enumerate(region.block.args):
        numbers[arg] = n
        yield arg.type, arg.name_hint if n >= operands else None
    for op in region.walk():
        if op.parent is not region.block:  # nested: as text
            continue
        nested = tuple(str(inner) for inner in op.regions)
        yield (
            op.name if op is not region.block.last_op else None,
            tuple(numbers.get(operand, -1) for operand in op.operands),
            tuple(op.result_types),
            tuple(sorted(op.properties.items(), key=lambda item: item[0])),
            nested,
        )
        for result in op.results:
            numbers[result] = len(numbers)


class _Undecided(Exception):
    """There is no value to compare."""


class _Trial:
    """One combiner, evaluated on values of its types."""

    def __init__(
        self,
        region: Region,
        identity: ArrayAttr,
        starts_from_identity: bool,
        unsigned: Sequence[bool],
    ) -> None:
        # Most builds do not need the interpreter.
        from kc.analysis.interpreter.errors import ExecutionError, UninterpretableError
        from kc.analysis.interpreter.scalars import scalar_runner
        from kc.analysis.interpreter.values import Poison

        self.error: type[Exception] = ExecutionError
        self.unknown = UninterpretableError
        self.poison = Poison
        self.count = len(identity)
        self.types = [arg.type for arg in region.block.args]
        self.names = [arg.name_hint or f"z{n}" for n, arg in enumerate(region.block.args)]
        self.unsigned = [*unsigned, *[False] * (self.count - len(unsigned))]
        self.starts_from_identity = starts_from_identity
        copy, self.is_double = _in_doubles(region)
        self.run = scalar_runner(copy)
        self.neutral = tuple(
            self._value(attr.value.data, type_)
            for attr, type_ in zip(identity.data, self.types, strict=False)
            if isinstance(attr, IntegerAttr | FloatAttr)
        )

    def broken_law(self) -> BrokenLaw | None:
        """A law that fails for all values, and for tuples also where they count something."""
        try:
            first = self._broken(restricted=False)
            if first is None or self.count == 1 or self._broken(restricted=True) is not None:
                return first
        except (self.error, _Undecided) as error:
            return BrokenLaw("cannot be evaluated", str(error).splitlines()[0])
        return None

    def _broken(self, *, restricted: bool) -> BrokenLaw | None:
        pools = [self._pool(n, restricted) for n in range(self.count)]
        return self._broken_identity(pools) or self._broken_order(pools, restricted)

    # The identity

    def _broken_identity(self, pools: Sequence[Sequence[Any]]) -> BrokenLaw | None:
        e, captured = self.neutral, self._captured(0)
        e_text, at = self._show(e), self._at(captured)
        twice = self._apply(e, e, captured)
        is_start = twice is not None and self._same(twice, e, [e])
        witnesses: list[str] = []
        is_neutral = False
        for n in range(max(map(len, pools))):
            x = tuple(pool[n % len(pool)] for pool in pools)
            if x == e or any(a == b for a, b in zip(x, e, strict=True) if type(a) is not bool):
                continue
            x_text = self._show(x)
            left, right = self._apply(e, x, captured), self._apply(x, e, captured)
            if left is None or not self._same(left, x, [x]):
                witnesses.append(f"f({e_text}, {x_text}) = {self._show_result(left)}")
            elif right is None or not self._same(right, x, [x]):
                witnesses.append(f"f({x_text}, {e_text}) = {self._show_result(right)}")
            else:
                is_neutral = True
                continue
            witnesses[-1] += f", not {x_text}"
        if is_start and (not witnesses or (self.starts_from_identity and is_neutral)):
            return None
        if is_start or (witnesses and not is_neutral):
            return BrokenLaw(f"has an identity, {e_text}, that changes values", witnesses[0] + at)
        return BrokenLaw(
            f"has an identity, {e_text}, that changes itself",
            f"f({e_text}, {e_text}) = {self._show_result(twice)}: parts of a reduction may be "
            f"empty{at}",
        )

    # The order

    def _broken_order(self, pools: Sequence[Sequence[Any]], restricted: bool) -> BrokenLaw | None:
        f, compared = self._apply, 0
        for a, b, c, captured in self._triples(pools, restricted):
            ab, ba, bc = f(a, b, captured), f(b, a, captured), f(b, c, captured)
            if ab is None or ba is None or bc is None:
                continue
            at = self._at(captured)
            a_text, b_text, c_text = map(self._show, (a, b, c))
            if not self._same(ab, ba, [a, b]):
                return BrokenLaw(
                    "is not commutative",
                    f"f({a_text}, {b_text}) = {self._show(ab)}, "
                    f"f({b_text}, {a_text}) = {self._show(ba)}{at}",
                )
            left, right = f(ab, c, captured), f(a, bc, captured)
            if left is None or right is None:
                continue
            compared += 1
            if not self._same(left, right, [a, b, c, ab, bc]):
                return BrokenLaw(
                    "is not associative",
                    f"f(f({a_text}, {b_text}), {c_text}) = {self._show(left)}, "
                    f"f({a_text}, f({b_text}, {c_text})) = {self._show(right)}{at}",
                )
        if not compared:
            raise _Undecided("it gives no finite number for any of the values that were tried")
        return None

    def _triples(
        self, pools: Sequence[Sequence[Any]], restricted: bool
    ) -> Iterator[tuple[Values, Values, Values, Values]]:
        """Three tuples of values that differ in every component, and what the combiner captures."""
        random = Random(0)
        pools = [
            [*pool, *([] if restricted else _limits(type_))]
            for pool, type_ in zip(pools, self.types, strict=False)
        ]
        for n in range(_TRIPLES):
            columns: list[Sequence[Any]] = []
            for m, pool in enumerate(pools):
                if len(pool) < 3:
                    columns.append([random.choice(pool) for _ in range(3)])
                elif n == 0:
                    columns.append([pool[(m + k) % len(pool)] for k in range(3)])
                else:
                    columns.append(random.sample(pool, 3))
            a, b, c = zip(*columns, strict=True)
            yield a, b, c, self._captured(n)

    # Values

    def _pool(self, n: int, restricted: bool) -> Sequence[Any]:
        """Ordinary values of a component."""
        type_ = self.types[n]
        if isinstance(type_, IntegerType) and type_.width.data == 1:
            return (False, True)
        is_float = isinstance(type_, AnyFloat)
        if restricted and (not is_float or self.neutral[n] == 0):
            given: Sequence[Any] = _WHOLE
        else:
            given = _FLOATS if is_float else _INTEGERS
        values = (self._value(number, type_) for number in given)
        return tuple(dict.fromkeys(values))

    def _captured(self, n: int) -> Values:
        return tuple(
            self._value(_SIZES[(n + m) % len(_SIZES)], type_)
            for m, type_ in enumerate(self.types[2 * self.count :])
        )

    def _value(self, number: Any, type_: Attribute) -> Any:
        """A number as the interpreter has values of a type."""
        if isinstance(type_, IntegerType | IndexType):
            from kc.analysis.interpreter.values import wrapper

            return wrapper(_width(type_))(int(number))
        if self.is_double:
            import numpy as np

            return np.float64(number)
        from kc.analysis.interpreter.values import float_type

        return float_type(None, type_)(number)  # pyright: ignore[reportArgumentType]

    def _apply(self, x: Values, y: Values, captured: Values) -> Values | None:
        """What the combiner gives, or None where that is no number or nothing that is defined."""
        try:
            values = tuple(self.run(*x, *y, *captured))
        except self.error as error:
            if isinstance(error, self.unknown):
                raise
            return None
        for value in values:
            if type(value) is self.poison or value != value:
                return None
        return values

    def _same(self, left: Values, right: Values, operands: Sequence[Values]) -> bool:
        """Whether two results are equal, floats up to rounding."""
        for n, (a, b) in enumerate(zip(left, right, strict=True)):
            if a == b:
                continue
            if not isinstance(self.types[n], AnyFloat):
                return False
            x, y = float(a), float(b)
            known = (abs(float(values[n])) for values in operands)
            scale = max(abs(x), abs(y), *(value for value in known if math.isfinite(value)))
            epsilon = _EPSILONS.get(str(self.types[n]), 2.0**-2)
            if not abs(x - y) <= epsilon * scale:
                return False
        return True

    # Text

    def _show(self, values: Values) -> str:
        shown = ", ".join(self._show_number(n, value) for n, value in enumerate(values))
        return shown if self.count == 1 else f"({shown})"

    def _show_number(self, n: int, value: Any) -> str:
        if isinstance(value, bool):
            return str(value)
        if isinstance(value, int):
            return str(value & ((1 << _width(self.types[n])) - 1) if self.unsigned[n] else value)
        return f"{float(value):.6g}"

    def _show_result(self, values: Values | None) -> str:
        return "no number" if values is None else self._show(values)

    def _at(self, captured: Values) -> str:
        names = self.names[2 * self.count :]
        pairs = [f"{name} = {value}" for name, value in zip(names, captured, strict=True)]
        return f" for {', '.join(pairs)}" if pairs else ""


def _limits(type_: Attribute) -> Sequence[int]:
    """The ends of the range of an integer type; floats near their limits overflow."""
    if not isinstance(type_, IntegerType | IndexType) or _width(type_) == 1:
        return ()
    top = 1 << (_width(type_) - 1)
    return (-top, top - 1, top - 2, 1 - top)


def _in_doubles(region: Region) -> tuple[Region, bool]:
    """A copy of a combiner that computes floats as doubles, and whether there is such a copy.

    There is none where the bits of floats are looked at, or operations contain others.
    """
    source = region.block
    ops = list(source.ops)
    is_double = not any(op.regions or isinstance(op, arith.BitcastOp) for op in ops)

    def widened(type_: Attribute) -> Attribute:
        return f64 if is_double and isinstance(type_, AnyFloat) else type_

    block = Block(arg_types=[widened(arg.type) for arg in source.args])
    values: dict[SSAValue, SSAValue] = dict(zip(source.args, block.args, strict=True))
    for op in ops:
        operands = [values[operand] for operand in op.operands]
        if op is ops[-1]:
            block.add_op(tir.YieldOp(*operands))
        elif not is_double:
            block.add_op(op.clone(values))
            values.update(zip(op.results, block.last_op.results, strict=True))  # pyright: ignore
        elif isinstance(op, arith.ExtFOp | arith.TruncFOp):
            values[op.results[0]] = operands[0]
        else:
            properties = dict(op.properties)
            value = properties.get("value")
            if isinstance(value, FloatAttr):
                properties["value"] = FloatAttr(value.value.data, f64)
            copy = type(op).create(
                operands=operands,
                result_types=[widened(result.type) for result in op.results],
                properties=properties,
                attributes=dict(op.attributes),
            )
            block.add_op(copy)
            values.update(zip(op.results, copy.results, strict=True))
    return Region(block), is_double
