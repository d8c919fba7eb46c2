"""Checks that parsed data match the annotations of fields."""

from __future__ import annotations

import dataclasses
from collections import abc
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


def is_of(value: Any, hint: Any) -> bool:
    """True if a value is of an annotated type, including the elements of containers.

    No value matches the type ``Callable``, because data cannot contain functions.
    """
    if hint is Any:
        return True
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(is_of(value, part) for part in parts)
    if origin is Literal:
        return any(value == part and type(value) is type(part) for part in parts)
    if origin is None:
        if hint is float:
            return isinstance(value, float | int)
        return isinstance(value, NoneType if hint is None else hint)
    if origin is abc.Callable:
        return False
    if origin in (dict, abc.Mapping):
        return type(value) is dict and all(
            is_of(key, parts[0]) and is_of(entry, parts[1]) for key, entry in value.items()
        )
    if origin is tuple and parts[-1] is not Ellipsis:
        same = type(value) is tuple and len(value) == len(parts)
        return same and all(map(is_of, value, parts))
    allowed = (tuple, list) if origin is abc.Sequence else (origin,)
    return type(value) in allowed and all(is_of(entry, parts[0]) for entry in value)


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def check_fields(node: Any) -> None:
    """Raise ValueError if a field of a dataclass, or of a nested dataclass, has a value of another
    type.
    """
    for name, hint in _hints(type(node)).items():
        value = getattr(node, name)
        if not is_of(value, hint):
            raise ValueError(f"{name} is {value!r:.60}")
        for part in value if isinstance(value, tuple) else (value,):
            if dataclasses.is_dataclass(part) and not isinstance(part, type):
                check_fields(part)
