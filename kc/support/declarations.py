"""The parameters of a step of a schedule, derived from the fields of its class.

A step (a schedule primitive, a query such as ``get_loops``, or a sampling) is a dataclass. Its
fields are the single declaration from which every surface is derived: the flag of kc-opt, the
method of ``kc.tir.Schedule``, the operation of the dialect ``sched``, and the record in a trace.

A field whose type has a class attribute ``handle`` (``"loop"``, ``"block"``) names IR. Its metadata
may say

* ``help``: what it means;
* ``python``: its name in Python where that is TVM's and another one. Fields of one name are one
  Python parameter, and the kind of the value decides which of them is meant; it comes first, as
  TVM's ``block_or_loop`` does. Several names are one parameter for each element of the field's
  tuple. ``"*loops"`` takes any number of values, or one list;
* ``leading``: in ``sched``, its value follows the operands and has no keyword before it;
* ``keyword``: its keyword in ``sched``, where that is not the field's name;
* ``symbol``: in ``sched`` it is a symbol name, ``@f``.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

REQUIRED: Any = dataclasses.MISSING
"""The default of a required parameter."""


@dataclass(frozen=True)
class Slot:
    """A field of a step."""

    name: str
    types: tuple[Any, ...]
    """Its type, or the members of its union; None is not among them."""
    optional: bool
    """True if the value may be None."""
    default: Any
    handle: str | None
    """``"loop"`` or ``"block"`` if the field refers to IR."""
    many: bool
    """True if the value is a tuple of handles."""
    metadata: Mapping[str, Any]

    @property
    def help(self) -> str:
        """The meaning of the field."""
        return self.metadata.get("help", "")

    @property
    def keyword(self) -> str:
        """The keyword of the field in ``sched``."""
        return self.metadata.get("keyword", self.name)

    @property
    def leading(self) -> bool:
        """True if the value has no keyword in ``sched``."""
        return bool(self.metadata.get("leading"))


@dataclass(frozen=True)
class Parameter:
    """A parameter of the Python method: one field, one of several fields, or a part of a field."""

    name: str
    slots: tuple[Slot, ...]
    element: int | None = None
    """The index of the parameter in the tuple of its field."""
    variadic: bool = False

    @property
    def default(self) -> Any:
        """The default value, or :data:`REQUIRED`."""
        slot, *rest = self.slots
        if rest:
            return REQUIRED
        if self.element is not None and isinstance(slot.default, tuple):
            return slot.default[self.element] if slot.default else REQUIRED
        return slot.default

    @property
    def help(self) -> str:
        """The meaning of the parameter."""
        return self.slots[0].help

    @property
    def names_ir(self) -> bool:
        """True if the parameter takes handles."""
        return any(slot.handle for slot in self.slots)


@cache
def slots(step: type) -> tuple[Slot, ...]:
    """The fields of a step, in order."""
    hints = typing.get_type_hints(step)
    return tuple(
        _slot(field, hints[field.name]) for field in dataclasses.fields(step) if field.init
    )


def _slot(field: dataclasses.Field[Any], annotation: Any) -> Slot:
    is_union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    members = typing.get_args(annotation) if is_union else (annotation,)
    kinds = tuple(kind for kind in members if kind is not type(None))
    handle, many = None, False
    for kind in kinds:
        element = kind
        if typing.get_origin(kind) is tuple:
            element = typing.get_args(kind)[0]
        element_handle = getattr(element, "handle", None)
        if element_handle is not None:
            handle, many = element_handle, element is not kind
    default = field.default
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    return Slot(field.name, kinds, len(kinds) < len(members), default, handle, many, field.metadata)


def result_count(step: Any, arguments: Mapping[str, Any]) -> int | None:
    """The number of results of a step; None if it is only known after the step has run."""
    if step.gives == "nothing":
        return 0
    if not step.gives.endswith("s"):
        return 1
    if not isinstance(step.count, str):
        return step.count
    value = arguments.get(step.count)
    if value is None:
        value = next(slot.default for slot in slots(step) if slot.name == step.count)
    if isinstance(value, int):
        return int(value)
    return len(value) if isinstance(value, list | tuple) else None


@cache
def parameters(step: type) -> tuple[Parameter, ...]:
    """The parameters of the Python method of a step, in order."""
    merged: dict[str, list[Slot]] = {}
    for slot in slots(step):
        names = slot.metadata.get("python", slot.name)
        if isinstance(names, str):
            merged.setdefault(names, []).append(slot)
    ordered: list[Parameter] = []
    for slot in slots(step):
        names = slot.metadata.get("python", slot.name)
        if not isinstance(names, str):
            ordered += [Parameter(name, (slot,), n) for n, name in enumerate(names)]
            continue
        same = merged[names]
        if len(same) == 1:
            ordered.append(Parameter(names.lstrip("*"), (slot,), variadic=names.startswith("*")))
        elif slot is same[0]:
            ordered.append(Parameter(names, tuple(same)))
    # Python requires mandatory parameters first; TVM has loops and blocks first.
    chosen = [parameter for parameter in ordered if len(parameter.slots) > 1]
    return tuple(chosen + [parameter for parameter in ordered if len(parameter.slots) == 1])
