"""The record of a call: the step, its arguments, its results and its decision."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator, Sequence
from typing import Any

from kc.support.declarations import slots
from kc.support.diagnostics import Location
from kc.transforms.trace.handles import Handle, Variable


class InstructionKind(str):
    """The kind of an instruction: the name of a schedule's method, such as "get_block".

    ``InstructionKind.get("GetBlock")`` returns the kind for TVM's name, which is its ``name``.
    """

    step: Any
    """The class of the primitive or query."""

    def __new__(cls, step: Any) -> InstructionKind:
        kind = super().__new__(cls, step.name.replace("-", "_"))
        kind.step = step
        return kind

    def __getnewargs__(self) -> tuple[Any]:
        return (self.step,)

    @classmethod
    def get(cls, name: str) -> InstructionKind:
        """The kind for a name such as "GetBlock" or "ComputeAt". Raises KC3711 for an unknown
        name.
        """
        from kc.transforms.trace.reading import find_step

        return cls(find_step(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()))

    @property
    def name(self) -> str:
        """The name of the kind in TVM."""
        return "".join(word.capitalize() for word in self.step.name.split("-"))

    @property
    def is_pure(self) -> bool:
        """True if the instruction leaves the program unchanged."""
        from kc.transforms.trace.query import Query

        return issubclass(self.step, Query) and self.step.name != "enter-postproc"

    def arguments(self, inputs: Sequence[Any], attrs: Sequence[Any]) -> dict[str, Any]:
        """The arguments by field, from the variables and the other arguments in TVM's order."""
        handles, values = list(inputs), list(attrs)
        arguments: dict[str, Any] = {}
        is_note = self in ("annotate", "unannotate")
        if is_note and len(handles) == 2:  # in TVM's trace, the value is an input
            values.append(handles.pop())
        for slot in slots(self.step):
            if slot.name == "decision":
                continue
            if slot.handle is not None and slot.many:
                arguments[slot.name] = [item for item in handles if isinstance(item, Handle)]
                handles = [item for item in handles if not isinstance(item, Handle)]
            elif slot.handle is not None:
                if handles and getattr(handles[0], "kind", None) == slot.handle:
                    arguments[slot.name] = handles.pop(0)
            elif slot.name == "factors" and len(handles) > 1:
                arguments[slot.name] = [
                    handle if isinstance(handle, Variable) else getattr(handle, "value", handle)
                    for handle in handles
                ]
                handles = []
            elif is_note and values:
                arguments[slot.name] = values.pop(0)
            elif len(slot.types) == 1 and typing.get_origin(slot.types[0]) is tuple and handles:
                arguments[slot.name], handles = handles, []
            elif handles or values:
                arguments[slot.name] = handles.pop(0) if handles else values.pop(0)
        return arguments


class Instruction:
    """A recorded call of a schedule's method.

    ``arguments`` maps fields to values in the form of :mod:`kc.transforms.trace.values`, without
    the fields that have their default. ``outputs`` are the variables of its results, and
    ``decision`` is the choice of a sampling. As in TVM, an instruction can also be created from an
    :class:`InstructionKind`, the variables ``inputs``, the other arguments ``attrs`` in order, and
    ``outputs``.
    """

    __slots__ = ("arguments", "decision", "location", "outputs", "step", "unsafe")

    def __init__(
        self,
        step: Any = None,
        arguments: Any = None,
        outputs: Sequence[Any] = (),
        decision: Any = None,
        location: Location | None = None,
        unsafe: bool = False,
        *,
        kind: InstructionKind | None = None,
        inputs: Sequence[Any] = (),
        attrs: Sequence[Any] = (),
    ) -> None:
        if isinstance(step, InstructionKind):  # in TVM's order
            kind, inputs, attrs = step, arguments or (), outputs
            outputs, decision = decision or (), None
        if kind is not None:
            step, arguments = kind.step, kind.arguments(inputs, attrs)
        self.step: Any = step
        """The class of the primitive or query."""
        self.arguments = arguments or {}
        self.outputs = tuple(outputs)
        self.decision = decision
        self.location = location
        self.unsafe = unsafe
        """True if the call proceeds even if its legality cannot be decided."""

    @property
    def kind(self) -> InstructionKind:
        """The kind, whose value is the name of the schedule's method; ``kind.name`` is TVM's
        name.
        """
        return InstructionKind(self.step)

    @property
    def inputs(self) -> list[Variable]:
        """The variables among the arguments."""
        return [variable for value in self.arguments.values() for variable in variables_in(value)]

    @property
    def attrs(self) -> list[Any]:
        """The other arguments, in order, without those that have their default."""
        return [
            value for value in self.arguments.values() if next(variables_in(value), None) is None
        ]

    def with_decision(self, decision: Any) -> Instruction:
        """The same call with another decision."""
        return Instruction(
            self.step, self.arguments, self.outputs, decision, self.location, self.unsafe
        )

    def __str__(self) -> str:
        """The call as Python text, with ``_`` for each variable."""
        from kc.transforms.trace.python_form import call_text

        own: Any = self
        return call_text(own, {id(value): "_" for value in (*self.inputs, *self.outputs)})

    def __repr__(self) -> str:
        return f"Instruction({self.kind})"


def samples(step: Any) -> bool:
    """True if a step makes a random choice."""
    return any(slot.name == "decision" for slot in slots(step))


def variables_in(value: Any) -> Iterator[Variable]:
    """The variables in a recorded value."""
    if isinstance(value, Variable):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from variables_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from variables_in(item)


def replaced(value: Any, mapping: dict[int, Variable]) -> Any:
    """A recorded value with its variables replaced, by ``id``."""
    if isinstance(value, Handle) or type(value) is not int and isinstance(value, Variable):
        return mapping.get(id(value), value)
    if isinstance(value, list):
        return [replaced(item, mapping) for item in value]
    if isinstance(value, dict):
        return {key: replaced(item, mapping) for key, item in value.items()}
    return value
