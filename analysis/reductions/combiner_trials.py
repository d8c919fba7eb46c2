"""Trials of combiners: the laws of :mod:`kc.analysis.reductions.combiner_laws`, tested on sample
values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
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
    f64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from kc.analysis.reductions.combiner_proofs import width
from kc.dialects import tir

_TRIPLES = 24
_FLOATS = (3.0, -0.5, 8.0, 1.25, -21.0, 0.75, 40.0, -2.5, 5.5, -7.0, 0.0, 100.0, -60.0)
_INTEGERS = (3, 1, 12, -5, 2, 7, -1, 0, 5, -18, 31, 4)
_WHOLE = (3, 1, 12, 5, 2, 7, 4, 31, 9, 18)
_SIZES = (4, 1, 7, 2, 9, 3)
"""Sample values of axes and sizes that a combiner uses."""
_EPSILONS = {"f64": 2.0**-26, "f32": 2.0**-20, "f16": 2.0**-9, "bf16": 2.0**-6}
"""The largest allowed difference of two results of a type, relative to the largest operand: a few
roundings. (Results are computed as doubles, but an identity may be absorbed only in the type
itself: the lowest number of f16 and a logarithm of 2.)
"""

Values = tuple[Any, ...]


@dataclass(frozen=True)
class BrokenLaw:
    """A law that a combiner violates, or that cannot be shown to hold."""

    title: str
    """The fault, as the predicate of a sentence whose subject is the combiner."""
    why: str
    """The values and their results, or the reason why no values could be compared."""
    is_of_empty_parts: bool = False
    """True if the law matters only to parts without a term."""


class _Undecided(Exception):
    """No sample gives a value to compare."""


class Trial:
    """One combiner, evaluated on sample values of its types."""

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
        """A law that fails on samples; for tuples, a law that also fails if components are counts
        or weights. None if no law fails.
        """
        try:
            first = self._broken(restricted=False)
            if first is None or self.count == 1 or first.is_of_empty_parts:
                return first
            second = self._broken(restricted=True)
            return first if second is not None and not second.is_of_empty_parts else second
        except (self.error, _Undecided) as error:
            return BrokenLaw("cannot be evaluated", str(error).splitlines()[0])

    def _broken(self, *, restricted: bool) -> BrokenLaw | None:
        pools = [self._pool(n, restricted) for n in range(self.count)]
        start = self._broken_identity(pools)
        if start is not None and not start.is_of_empty_parts:
            return start
        return self._broken_order(pools, restricted) or start

    # Identity

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
            is_of_empty_parts=twice is None and not witnesses,
        )

    # Order of terms

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
        """Triples of values that differ in every component, with values for the combiner's
        captures.
        """
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

    # Sample values

    def _pool(self, n: int, restricted: bool) -> Sequence[Any]:
        """Ordinary sample values of a component."""
        type_ = self.types[n]
        if isinstance(type_, IntegerType) and type_.width.data == 1:
            return (False, True)
        is_float = isinstance(type_, AnyFloat)
        if restricted and (not is_float or self.neutral[n] == 0):
            samples: Sequence[Any] = _WHOLE
        else:
            samples = _FLOATS if is_float else _INTEGERS
        values = (self._value(number, type_) for number in samples)
        return tuple(dict.fromkeys(values))

    def _captured(self, n: int) -> Values:
        return tuple(
            self._value(_SIZES[(n + m) % len(_SIZES)], type_)
            for m, type_ in enumerate(self.types[2 * self.count :])
        )

    def _value(self, number: Any, type_: Attribute) -> Any:
        """A number in the interpreter's representation of a type."""
        if isinstance(type_, IntegerType | IndexType):
            from kc.analysis.interpreter.values import wrapper

            return wrapper(width(type_))(int(number))
        if self.is_double:
            import numpy as np

            return np.float64(number)
        from kc.analysis.interpreter.values import float_type

        return float_type(None, type_)(number)  # pyright: ignore[reportArgumentType]

    def _apply(self, x: Values, y: Values, captured: Values) -> Values | None:
        """The result of the combiner; None if it is undefined or NaN."""
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
        """True if two results are equal, floats up to rounding."""
        for n, (a, b) in enumerate(zip(left, right, strict=True)):
            if a == b:
                continue
            if not isinstance(self.types[n], AnyFloat):
                return False
            x, y = float(a), float(b)
            sizes = (abs(float(values[n])) for values in operands)
            scale = max(abs(x), abs(y), *(value for value in sizes if math.isfinite(value)))
            epsilon = _EPSILONS.get(str(self.types[n]), 2.0**-2)
            if not abs(x - y) <= epsilon * scale:
                return False
        return True

    # Text of values

    def _show(self, values: Values) -> str:
        shown = ", ".join(self._show_number(n, value) for n, value in enumerate(values))
        return shown if self.count == 1 else f"({shown})"

    def _show_number(self, n: int, value: Any) -> str:
        if isinstance(value, bool):
            return str(value)
        if isinstance(value, int):
            return str(value & ((1 << width(self.types[n])) - 1) if self.unsigned[n] else value)
        return f"{float(value):.6g}"

    def _show_result(self, values: Values | None) -> str:
        return "no number" if values is None else self._show(values)

    def _at(self, captured: Values) -> str:
        names = self.names[2 * self.count :]
        pairs = [f"{name} = {value}" for name, value in zip(names, captured, strict=True)]
        return f" for {', '.join(pairs)}" if pairs else ""


def _limits(type_: Attribute) -> Sequence[int]:
    """The extreme values of an integer type; empty for floats, which overflow near their limits."""
    if not isinstance(type_, IntegerType | IndexType) or width(type_) == 1:
        return ()
    top = 1 << (width(type_) - 1)
    return (-top, top - 1, top - 2, 1 - top)


def _in_doubles(region: Region) -> tuple[Region, bool]:
    """A copy of a combiner that computes floats as doubles, and True; or a copy with the same
    types, and False.

    The copy has the float types of the combiner if an operation reads the bits of floats or has
    regions.
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
