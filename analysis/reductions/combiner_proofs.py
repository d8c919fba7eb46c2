"""Proofs of the laws of combiners (:mod:`kc.analysis.reductions.combiner_laws`), from their
operations.

The laws are proven for a combiner with one operation of :data:`_NEUTRAL` per component, and for a
choice between two tuples by the value of a component, as in ``argmax``.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, Region, SSAValue

from kc.support.float_formats import NARROW_IR_FLOATS, largest_float


def satisfies_laws(region: Region, identity: ArrayAttr) -> bool:
    """True if the combiner ``region`` with ``identity`` is proven to satisfy all laws."""
    return _is_known(region, identity) or _is_choice(region, identity)


_FLOATS = ("f32", "f64", *NARROW_IR_FLOATS)


def _is_bound(attr: Attribute, sign: int) -> bool:
    """True if the constant is an extreme value of its float type: the lowest (-1) or largest finite
    number, or the infinity of that sign.
    """
    if not isinstance(attr, FloatAttr) or str(attr.type) not in _FLOATS:
        return False
    return sign * attr.value.data >= largest_float(str(attr.type))


def _number(attr: Attribute) -> int | None:
    """The value of an integer constant, read as an unsigned number of the same width."""
    if not isinstance(attr, IntegerAttr):
        return None
    return attr.value.data & ((1 << width(attr.type)) - 1)


def width(type_: Attribute) -> int:
    """The width in bits of an integer or index type."""
    return type_.width.data if isinstance(type_, IntegerType) else 64


_NEUTRAL: dict[str, Callable[[Attribute], bool]] = {
    "arith.addi": lambda e: _number(e) == 0,
    "arith.ori": lambda e: _number(e) == 0,
    "arith.xori": lambda e: _number(e) == 0,
    "arith.maxui": lambda e: _number(e) == 0,
    "arith.muli": lambda e: _number(e) == 1,
    "arith.andi": lambda e: _number(e) == (1 << width(e.type)) - 1,  # pyright: ignore
    "arith.minui": lambda e: _number(e) == (1 << width(e.type)) - 1,  # pyright: ignore
    "arith.maxsi": lambda e: _number(e) == 1 << (width(e.type) - 1),  # pyright: ignore
    "arith.minsi": lambda e: _number(e) == (1 << (width(e.type) - 1)) - 1,  # pyright: ignore
    "arith.addf": lambda e: isinstance(e, FloatAttr) and e.value.data == 0,
    "arith.mulf": lambda e: isinstance(e, FloatAttr) and e.value.data == 1,
    "arith.maximumf": lambda e: _is_bound(e, -1),
    "arith.maxnumf": lambda e: _is_bound(e, -1),
    "arith.minimumf": lambda e: _is_bound(e, 1),
    "arith.minnumf": lambda e: _is_bound(e, 1),
}
"""Associative and commutative operations, each with a test that a constant is its neutral element.
Sums and products of floats count up to rounding, maxima of floats among finite numbers.
"""


def _is_known(region: Region, identity: ArrayAttr) -> bool:
    """True if each component is combined by one operation of :data:`_NEUTRAL` from its neutral
    element.
    """
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
    """True if the combiner is an ``argmax`` or ``argmin``: it chooses one of two tuples by the
    value of one component, and breaks ties by another component. The identity must have the worst
    value of all.
    """
    count = len(identity)
    end = region.block.last_op
    assert end is not None
    reader = _Choices(region, count)
    chosen = [reader.choice(value, n) for n, value in enumerate(end.operands[:count])]
    keys = {choice[:2] for choice in chosen if choice is not None}
    if None in chosen or len(keys) != 1:
        return False
    ((key, sign),) = keys
    # All components must break ties in the same way; with equal keys, the values are equal, too.
    if len({choice for n, choice in enumerate(chosen) if n != key}) > 1:
        return False
    worst = identity.data[key]
    if isinstance(worst, FloatAttr):
        return _is_bound(worst, -sign)
    return sum(1 for test in reader.worst if _NEUTRAL[test](worst)) == len(reader.worst)


class _Choices:
    """Determines which of two tuples a combiner chooses."""

    def __init__(self, region: Region, count: int) -> None:
        args = region.block.args
        self.left: dict[SSAValue, int] = {arg: n for n, arg in enumerate(args[:count])}
        self.right: dict[SSAValue, int] = {arg: n for n, arg in enumerate(args[count : 2 * count])}
        self.worst: set[str] = set()
        """Operations whose neutral element is the worst value of the integer that decides."""

    def choice(self, value: SSAValue, n: int) -> tuple[int, int, int, int] | None:
        """The component that decides whether component ``n`` comes from the left tuple, and its
        sign: 1 if the larger value wins, -1 if the smaller does. Then the same two numbers for
        ties, or -1 and 0.
        """
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
        """The component ``n`` for which ``x`` is ``left[n]`` and ``y`` is ``right[n]``; None if
        ``x`` and ``y`` are no such pair.
        """
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
        """The predicate and the component of a comparison of ``left[n]`` with ``right[n]``."""
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
