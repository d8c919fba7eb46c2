"""Annotations of loops and blocks: their operations and their values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute

from kc.dialects.tir import BlockOp, ForOp
from kc.support.diagnostics import ScheduleError
from kc.support.locations import location_of
from kc.transforms.schedule._blocks import describe
from kc.transforms.schedule.base import CALL_SITE, BlockRef, LoopRef, Site

Annotated = ForOp | BlockOp

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Value:
    """The value of an annotation, or an element of it."""

    attr: Attribute

    @classmethod
    def from_option(cls, text: str) -> Self:
        """The value of a text: an integer, a number, true or false, or otherwise a string."""
        if text.lstrip("+-").isdecimal():
            return cls(IntegerAttr(int(text), i64))
        if _NUMBER.fullmatch(text):
            return cls(FloatAttr(float(text), f64))
        if text in ("true", "false"):
            return cls(BoolAttr.from_bool(text == "true"))
        return cls(StringAttr(text))

    @classmethod
    def of(cls, value: Any) -> Self:
        """The annotation value for a Python value: None, bool, int, float, str, and sequences and
        dicts.

        Raises ScheduleError KC3343 for any other value.
        """
        return cls(_attribute(value))

    @classmethod
    def tuple_of(cls, value: Any) -> tuple[Self, ...]:
        """The values of an option for a Python value."""
        return (cls.of(value),)

    def __str__(self) -> str:
        attr = self.attr
        if isinstance(attr, StringAttr):
            return attr.data
        if isinstance(attr, IntegerAttr | FloatAttr):
            is_bool = isinstance(attr, IntegerAttr) and attr.type != i64
            return str(bool(attr.value.data)).lower() if is_bool else str(attr.value.data)
        return str(attr)


def _attribute(value: Any) -> Attribute:
    if isinstance(value, Attribute):
        return value
    if value is None:
        return UnitAttr()
    number = getattr(value, "value", None)  # of a constant, such as tir.IntImm("int32", 4)
    if isinstance(number, bool | int | float) and hasattr(value, "dtype"):
        value = bool(number) if value.dtype == "bool" else number
    if isinstance(value, bool):
        return BoolAttr.from_bool(value)
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return IntegerAttr(value, i64)
    if isinstance(value, float):
        return FloatAttr(value, f64)
    if isinstance(value, str) and _is_text(value):
        return StringAttr(value)
    if isinstance(value, Mapping) and all(isinstance(key, str) and _is_text(key) for key in value):
        return DictionaryAttr({key: _attribute(item) for key, item in value.items()})
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return ArrayAttr([_attribute(item) for item in value])
    raise ScheduleError(
        "KC3343",
        f"annotate: {value!r} cannot be the value of an annotation",
        location=CALL_SITE.get(),
        why="a value is None, a bool, an int (64 bits), a float, a str, or a list or dict of these",
    )


def _is_text(value: str) -> bool:
    """True if a string can be printed: it has no unpaired surrogate."""
    return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)


def joined(values: Sequence[Value]) -> Attribute:
    """The annotation value of an option: a unit attribute without values, a single value, or a list
    of several values.
    """
    if len(values) == 1:
        return values[0].attr
    return ArrayAttr([word.attr for word in values]) if values else UnitAttr()


def find_annotated(site: Site, loop: LoopRef | None, block: BlockRef | None) -> Annotated:
    """The loop if one is named (a loop around ``block``, if both are named), else the block.

    Raises ScheduleError KC3342 if neither is named.
    """
    if loop is not None:
        return Site(site.function, site.target, block).resolve_loop(loop)
    if block is not None:
        return site.resolve_block(block)
    raise ScheduleError(
        "KC3342",
        f"{site.primitive}: neither a loop nor a block is named",
        location=CALL_SITE.get() or location_of(site.function),
        hints=["block=NAME", "loop=NAME", "block=NAME loop=NAME"],
    )


def annotations_of(op: Annotated) -> dict[str, Attribute]:
    """The annotations of a loop or block, as a copy."""
    return dict(op.annotations.data) if op.annotations is not None else {}


def set_annotations(op: Annotated, annotations: Mapping[str, Attribute]) -> None:
    """Replace the annotations of a loop or block."""
    if annotations:
        op.properties["annotations"] = DictionaryAttr(dict(annotations))
    else:
        op.properties.pop("annotations", None)


def require_new(site: Site, op: Annotated, key: str, value: Attribute) -> None:
    """Refuse (KC3340) another value for an existing key, and (KC3343) a key that cannot
    be printed.
    """
    if not _is_text(key):
        raise site.refuse(
            "KC3343",
            f"{key!r} cannot be the name of an annotation",
            at=op,
            why="it must be printable with the IR, and has an unpaired surrogate",
        )
    old = annotations_of(op).get(key)
    if old is None or old == value:
        return
    raise site.refuse(
        "KC3340",
        f"{describe(op)} already has the annotation '{key}'",
        at=op,
        why=f"its value is {old}, not {value}",
        hints=[f"unannotate {key} first"],
    )
