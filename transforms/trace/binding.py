"""Binding of the positional and named arguments of a Python call to the arguments of a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kc.support.declarations import REQUIRED, Parameter, Slot, parameters
from kc.support.diagnostics import ScheduleError, suggest
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.schedule.base import CALL_SITE
from kc.transforms.trace.handles import Handle, LoopRV
from kc.transforms.trace.session import Step
from kc.transforms.trace.values import Mismatch, accept, check_type, is_default

UNSAFE = "unsafe"
"""The argument that lets a primitive proceed if its legality cannot be decided."""
UNSAFE_HELP = "continue where legality cannot be decided; kc.unsafe in the IR records it"


class Binder:
    """A binder of the arguments of one call.

    ``resolve(slot, value)`` returns the handle for a value, or raises a diagnostic.
    ``indices(bound)`` returns the number of indices of an index map that follows the arguments
    ``bound``.
    """

    def __init__(
        self,
        step: Step,
        resolve: Callable[[Slot, Any], Handle],
        indices: Callable[[Mapping[str, Any]], int | None] = lambda bound: None,
    ) -> None:
        self.step = step
        self.resolve = resolve
        self.indices = indices
        self.method = step.name.replace("-", "_")
        self.parameters = parameters(step)
        self.unsafe = False

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by field, in the form that a trace records.

        Raises KC3700 (too many arguments), KC3701 (an unknown parameter, or one that is passed
        twice), KC3702 (a value of the wrong kind) and KC3703 (a missing argument).
        """
        arguments = self._arguments(args, kwargs)
        bound: dict[str, Any] = {}
        parts: dict[str, list[Any]] = {}
        for parameter in self.parameters:
            if parameter.name not in arguments:
                if parameter.default is REQUIRED:
                    raise self._missing(parameter)
                if parameter.element is None:
                    continue
            value = arguments.get(parameter.name, parameter.default)
            slot = self._slot(parameter, value)
            if parameter.element is not None:
                part = parts.setdefault(slot.name, [])
                part.append(self._part(parameter, slot, value))
                if slot.handle is not None:
                    bound[slot.name] = part
                elif len(part) == sum(slot in parameter.slots for parameter in self.parameters):
                    self._keep(bound, slot, self._accept(parameter, slot, part))
                continue
            if slot.types == (IndexMap,) and callable(value):
                value = IndexMap.from_func(value, ndim=self.indices(bound))
            self._keep(bound, slot, self._accept(parameter, slot, value))
        return bound

    def bind_some(self, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """As :meth:`bind`, but for the named arguments only."""
        bound: dict[str, Any] = {}
        for parameter in self.parameters:
            if parameter.name in kwargs and parameter.element is None:
                slot = self._slot(parameter, kwargs[parameter.name])
                bound[slot.name] = self._accept(parameter, slot, kwargs[parameter.name])
        return bound

    def _keep(self, bound: dict[str, Any], slot: Slot, value: Any) -> None:
        if not is_default(slot, value):
            bound[slot.name] = value

    def _arguments(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        values = list(args)
        for parameter in self.parameters:
            if not values:
                break
            if parameter.variadic:
                is_list = len(values) == 1 and isinstance(values[0], list | tuple)
                arguments[parameter.name] = list(values[0]) if is_list else values
                values = []
            else:
                arguments[parameter.name] = values.pop(0)
        if values:
            raise self._error(
                "KC3700",
                f"{self.method} takes {_count(len(self.parameters))}, {len(args)} are given",
                [
                    "the arguments are: "
                    f"{', '.join(parameter.name for parameter in self.parameters)}"
                ],
            )
        names = [parameter.name for parameter in self.parameters]
        # Flags and sched use the names of the declaration: scope for storage_scope.
        fields = {
            parameter.slots[0].name: parameter.name
            for parameter in self.parameters
            if parameter.element is None
        }
        for given_name, value in kwargs.items():
            name = given_name if given_name in names else fields.get(given_name, given_name)
            if name in arguments:
                raise self._error("KC3701", f"{self.method}: argument '{name}' is given twice")
            if name == UNSAFE and getattr(self.step, "undecidable", False):
                if not isinstance(value, bool):
                    raise self._mismatch(name, "True or False", value)
                self.unsafe = value
                continue
            if name not in names:
                raise self._error(
                    "KC3701",
                    f"{self.method}: there is no argument '{name}'",
                    suggest(name, names, "the arguments are"),
                )
            arguments[name] = value
        return arguments

    def _slot(self, parameter: Parameter, value: Any) -> Slot:
        """The field for a value: the first that accepts values of its kind."""
        if len(parameter.slots) == 1:
            return parameter.slots[0]
        many = isinstance(value, list | tuple)
        first = value[0] if many and value else value
        kind = "loop" if isinstance(first, LoopRV) else "block"
        for slot in parameter.slots:
            if slot.handle == kind and slot.many == many:
                return slot
        return parameter.slots[0]

    def _part(self, parameter: Parameter, slot: Slot, value: Any) -> Any:
        """One element of the value of a field."""
        if slot.handle is not None:
            return self.resolve(slot, value)
        try:
            return accept(slot, [value] * len(slot.default))[0]
        except Mismatch as error:
            raise self._mismatch(parameter.name, error.expected, value) from None

    def _accept(self, parameter: Parameter, slot: Slot, value: Any) -> Any:
        if slot.handle is None:
            try:
                return accept(slot, value)
            except Mismatch as error:
                raise self._mismatch(parameter.name, error.expected, value, error.hints) from None
        if value is None and slot.optional:
            return None
        if not slot.many:
            return self.resolve(slot, value)
        if isinstance(value, Handle | str):
            value = [value]
        if value is None or not isinstance(value, list | tuple):
            if value is None and slot.default == ():
                return []
            raise self._mismatch(parameter.name, f"a list of {slot.handle}s", value)
        return [self.resolve(slot, item) for item in value]

    def _missing(self, parameter: Parameter) -> ScheduleError:
        return self._error(
            "KC3703",
            f"{self.method}: the argument '{parameter.name}' is missing",
            [f"{parameter.name}: {parameter.help}"] if parameter.help else [],
        )

    def _mismatch(
        self, name: str, expected: str, value: Any, hints: Sequence[str] = ()
    ) -> ScheduleError:
        return self._error(
            "KC3702", f"{self.method}: {name} is {expected}, not {check_type(value)}", hints
        )

    def _error(self, code: str, message: str, hints: Sequence[str] = ()) -> ScheduleError:
        return ScheduleError(code, message, location=CALL_SITE.get(), hints=hints)


def _count(n: int) -> str:
    return f"{n or 'no'} argument{'' if n == 1 else 's'}"
