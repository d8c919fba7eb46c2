"""Arguments of steps: conversion from the user's values to recorded values, and from these to the
fields of a step.

Recorded values are None, bool, int, float, str, lists and dicts of these, variables (handles and
sampled numbers), and objects of the field's own type, whose ``str()`` its ``from_option`` can read.
"""

from __future__ import annotations

import contextlib
import enum
import math
import operator
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

from xdsl.ir import SSAValue

from kc.support.declarations import Slot
from kc.support.diagnostics import KCError, suggest
from kc.transforms.trace.handles import ExprRV, Handle, Variable

_PLAIN = {int: "an integer", float: "a number", bool: "True or False", str: "a string"}

_BOOLS = ("bool", "bool_")
"""The names of Python's and numpy's boolean types."""


class Mismatch(Exception):
    """The error for a value that a field does not accept; ``expected`` describes the accepted
    values.
    """

    def __init__(self, expected: str, hints: Iterable[str] = ()) -> None:
        super().__init__(expected)
        self.expected = expected
        self.hints = tuple(hints)


def accept(slot: Slot, value: Any) -> Any:
    """The recorded form of ``value`` for a field that does not name IR.

    Raises :class:`Mismatch`, or the diagnostic of the field's own type.
    """
    if value is None and slot.optional:
        return None
    problem: Mismatch | None = None
    for type_ in slot.types:
        try:
            return _accept(type_, value)
        except Mismatch as error:
            problem = problem or error
    assert problem is not None
    if len(slot.types) > 1:
        expected = dict.fromkeys(expected_of(kind) for kind in slot.types)
        raise Mismatch(" or ".join(expected))
    raise problem


def expected_of(type_: Any) -> str:
    """A description of the values of a type, for a diagnostic."""
    if type_ in _PLAIN:
        return _PLAIN[type_]
    if typing.get_origin(type_) is typing.Literal:
        return "one of " + ", ".join(map(repr, typing.get_args(type_)))
    if typing.get_origin(type_) is tuple:
        args = typing.get_args(type_)
        if len(args) == 2 and args[1] is Ellipsis:
            return f"a list, each {_element(args[0])}"
        return f"a list of {len(args)}"
    if isinstance(type_, type) and issubclass(type_, enum.Enum):
        return "one of " + ", ".join(repr(member.value) for member in type_)
    described = getattr(type_, "expected", None)
    if described is not None:
        return described
    noun = type_.__name__.removesuffix("Ref").lower()
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _element(type_: Any) -> str:
    members = [arg for arg in typing.get_args(type_) if arg is not type(None)] or [type_]
    return " or ".join(expected_of(member) for member in members)


def _accept(type_: Any, value: Any) -> Any:
    if type_ is bool:
        if type(value).__name__ in _BOOLS:
            return bool(value)
        raise Mismatch(expected_of(bool))
    if type_ is int:
        return _integer(value)
    if type_ is float:
        if isinstance(value, ExprRV):
            return value
        if isinstance(value, Real) and not isinstance(value, bool):
            return float(value)
        raise Mismatch(expected_of(float))
    if type_ is str:
        if isinstance(value, str):
            return str(value)
        raise Mismatch(expected_of(str))
    if typing.get_origin(type_) is typing.Literal:
        choices = typing.get_args(type_)
        if value in choices:
            return value
        raise Mismatch(expected_of(type_), suggest(str(value), map(str, choices)))
    if typing.get_origin(type_) is tuple:
        return _tuple(type_, value)
    if issubclass(type_, enum.Enum):
        return _enum(type_, value)
    return _object(type_, value)


def _integer(value: Any) -> int:
    if isinstance(value, ExprRV):
        return value
    if isinstance(value, bool):
        raise Mismatch(expected_of(int))
    try:
        return operator.index(value)
    except TypeError:
        raise Mismatch(expected_of(int)) from None


def _enum(type_: type[enum.Enum], value: Any) -> str:
    text = value.value if isinstance(value, type_) else value
    names = [str(member.value) for member in type_]
    if text not in names:
        raise Mismatch(expected_of(type_), suggest(str(text), names))
    return text


def _tuple(type_: Any, value: Any) -> Any:
    args = typing.get_args(type_)
    if hasattr(args[0], "tuple_of"):
        value = recorded(value)
        args[0].tuple_of(plain(value))  # raises an error for the invalid element
        return value
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise Mismatch(expected_of(type_))
    values = list(value)
    kinds = args[:1] * len(values) if len(args) == 2 and args[1] is Ellipsis else args
    if len(kinds) != len(values):
        raise Mismatch(expected_of(type_))
    return [_member(kind, item, type_) for kind, item in zip(kinds, values, strict=True)]


def _member(kind: Any, value: Any, whole: Any) -> Any:
    members = typing.get_args(kind) if not isinstance(kind, type) else ()
    if typing.get_origin(kind) in (tuple, typing.Literal):
        members = ()
    if value is None and type(None) in members:
        return None
    for member in [member for member in members if member is not type(None)] or [kind]:
        try:
            return _accept(member, value)
        except Mismatch:
            continue
    raise Mismatch(expected_of(whole))


def _object(type_: Any, value: Any) -> Any:
    """The value of a class with its own conversion: from an instance, from a value that its ``of``
    accepts, or from text.
    """
    if isinstance(value, type_):
        if not any(
            isinstance(attribute, SSAValue) for attribute in getattr(value, "__dict__", {}).values()
        ):
            return value
        value = str(value)  # a trace knows the names of values, not the values
    value = recorded(value) if isinstance(value, SSAValue) else value
    try:
        if hasattr(type_, "of"):
            converted = type_.of(plain(value))
        elif isinstance(value, str):
            converted = type_.from_option(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            converted = type_(int(value))
        else:
            raise Mismatch(expected_of(type_))
    except KCError:
        raise
    except (TypeError, ValueError) as error:
        raise Mismatch(expected_of(type_) + (f" ({error})" if str(error) else "")) from error
    # Lists and numbers are unchanged, and so are the variables in them.
    is_text = isinstance(value, int | float | str | list | tuple) and not isinstance(value, bool)
    return recorded(value) if is_text else converted


def recorded(value: Any) -> Any:
    """Free-form data in recorded form: sequences become lists, and values of the IR their names."""
    if isinstance(value, Mapping):
        return {key: recorded(item) for key, item in value.items()}
    if isinstance(value, SSAValue):
        return value.name_hint or "value"
    if isinstance(value, Variable | str | bytes | bytearray | bool) or value is None:
        return value
    if isinstance(value, Sequence):
        return [recorded(item) for item in value]
    if type(value).__name__ in _BOOLS:
        return bool(value)
    with contextlib.suppress(TypeError):
        return operator.index(value)
    return float(value) if isinstance(value, Real) else value


def plain(value: Any) -> Any:
    """``value`` with sampled numbers as integers and values of the IR by their names."""
    if isinstance(value, ExprRV):
        return int(value)
    if isinstance(value, SSAValue):
        return value.name_hint or "value"
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def build(slot: Slot, value: Any, handle: Callable[[Any], Any]) -> Any:
    """The value of a step's field, from its recorded form; ``handle`` returns the reference for a
    handle.
    """
    if value is None and slot.optional:
        return None
    if slot.handle is not None:
        return tuple(map(handle, value or ())) if slot.many else handle(value)
    return _build(_chosen(slot.types, value), plain(value))


def _chosen(types: Sequence[Any], value: Any) -> Any:
    """The type in a union that accepts a recorded value."""
    for type_ in types[:-1]:
        try:
            _accept(type_, value)
        except Mismatch:
            continue
        return type_
    return types[-1]


def _build(type_: Any, value: Any) -> Any:
    if typing.get_origin(type_) is tuple:
        args = typing.get_args(type_)
        if hasattr(args[0], "tuple_of"):
            return args[0].tuple_of(value)
        kinds = args[:1] * len(value) if len(args) == 2 and args[1] is Ellipsis else args
        return tuple(_build_member(kind, item) for kind, item in zip(kinds, value, strict=True))
    if not isinstance(type_, type) or type_ in _PLAIN or isinstance(value, type_):
        return value
    if issubclass(type_, enum.Enum):
        return type_(value)
    if hasattr(type_, "of"):
        return type_.of(value)
    return type_.from_option(value) if isinstance(value, str) else type_(value)


def _build_member(kind: Any, value: Any) -> Any:
    if value is None or isinstance(kind, type):
        return None if value is None else _build(kind, value)
    if typing.get_origin(kind) in (tuple, typing.Literal):
        return _build(kind, value)
    members = [member for member in typing.get_args(kind) if member is not type(None)]
    return _build(_chosen(members, value), value)


def is_default(slot: Slot, value: Any) -> bool:
    """True if a recorded value equals the default of its field."""
    default = slot.default
    if isinstance(default, tuple):
        default = list(default)
    if isinstance(value, ExprRV | Handle):
        return False
    same = type(value) is type(default) and value == default
    return same and not (isinstance(value, float) and math.isnan(value))


def check_type(value: Any) -> Any:
    """The name of a value's type in a diagnostic."""
    if isinstance(value, Handle):
        return {"loop": "a loop", "block": "a block"}[value.kind]
    if isinstance(value, ExprRV):
        return "a sampled number"
    if isinstance(value, SSAValue):
        return f"a value of type {value.type}"
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value) if not isinstance(value, str) or len(value) < 40 else "a string"
    return f"{type(value).__name__} {value!r}"[:60]
