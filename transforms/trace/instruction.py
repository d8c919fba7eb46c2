"""The record of a call: the step, its arguments, its results and its decision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kc.support.declarations import slots
from kc.support.diagnostics import Location
from kc.transforms.trace.handles import Handle, Variable


class Instruction:
    """One call of a schedule.

    ``arguments`` are by field, as :mod:`kc.transforms.trace.values` records them, without those
    that have their default; ``outputs`` the variables that it gave; ``decision`` what a sampling
    chose.
    """

    __slots__ = ("arguments", "decision", "location", "outputs", "step", "unsafe")

    def __init__(
        self,
        step: Any,
        arguments: dict[str, Any],
        outputs: tuple[Variable, ...] = (),
        decision: Any = None,
        location: Location | None = None,
        unsafe: bool = False,
    ) -> None:
        self.step = step
        """The class of the primitive or query."""
        self.arguments = arguments
        self.outputs = outputs
        self.decision = decision
        self.location = location
        self.unsafe = unsafe
        """Whether it was to go on where legality could not be decided."""

    @property
    def kind(self) -> str:
        """Its name, as the method of a schedule has it."""
        return self.step.name.replace("-", "_")

    def inputs(self) -> Iterator[Variable]:
        """The variables that it takes."""
        for value in self.arguments.values():
            yield from variables_in(value)

    def with_decision(self, decision: Any) -> Instruction:
        """The same call with another decision."""
        return Instruction(
            self.step, self.arguments, self.outputs, decision, self.location, self.unsafe
        )

    def __repr__(self) -> str:
        return f"Instruction({self.kind})"


def samples(step: Any) -> bool:
    """Whether a step chooses at random."""
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
