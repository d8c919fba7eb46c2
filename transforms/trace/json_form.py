"""A trace as JSON: ``{"version": 1, "instructions": [{"kind": "split", ...}]}``.

A variable is ``{"var": name}``, a dict is ``{"dict": {...}}``, and a float that JSON cannot
represent is ``{"float": "inf"}``. All other values are as in JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from kc.support.diagnostics import Location, ScheduleError
from kc.transforms.schedule.base import called_from
from kc.transforms.trace.handles import Variable
from kc.transforms.trace.instruction import Instruction
from kc.transforms.trace.naming import name_variables
from kc.transforms.trace.reading import Reader, error, find_step, from_fields

VERSION = 1
_KEYS = ("kind", "arguments", "outputs", "decision", "unsafe", "location")


def to_json(instructions: Sequence[Instruction]) -> dict[str, Any]:
    """The trace as data for ``json.dumps``."""
    names = name_variables(instructions)
    return {
        "version": VERSION,
        "instructions": [_encode(instruction, names) for instruction in instructions],
    }


def _encode(instruction: Instruction, names: dict[int, str]) -> dict[str, Any]:
    encoded: dict[str, Any] = {
        "kind": instruction.kind,
        "arguments": {key: _value(value, names) for key, value in instruction.arguments.items()},
    }
    if instruction.outputs:
        encoded["outputs"] = [names[id(output)] for output in instruction.outputs]
    if instruction.decision is not None:
        encoded["decision"] = _value(instruction.decision, names)
    if instruction.unsafe:
        encoded["unsafe"] = True
    if instruction.location is not None:
        encoded["location"] = [
            instruction.location.file,
            instruction.location.line,
            instruction.location.column,
        ]
    return encoded


def _value(value: Any, names: dict[int, str]) -> Any:
    if isinstance(value, Variable):
        return {"var": names[id(value)]}
    if isinstance(value, list | tuple):
        return [_value(item, names) for item in value]
    if isinstance(value, dict):
        return {"dict": {key: _value(item, names) for key, item in value.items()}}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def from_json(data: Any, name: str = "<trace>") -> list[Instruction]:
    """The instructions in ``data``, which may be JSON text. Raises KC3714 and the errors of reading
    steps.
    """
    if isinstance(data, str | bytes):
        try:
            data = json.loads(data)
        except ValueError as problem:
            line = getattr(problem, "lineno", 1)
            raise ScheduleError(
                "KC3714", f"not JSON: {problem}", location=Location(name, line)
            ) from None
        except RecursionError:
            raise _too_deep(name) from None
    try:
        with called_from(Location(name, 1)):
            return _JsonReader(name).read(data)
    except RecursionError:
        raise _too_deep(name) from None


def _too_deep(name: str) -> ScheduleError:
    return ScheduleError("KC3714", "this is nested too deeply", location=Location(name, 1))


class _JsonReader(Reader):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def read(self, data: Any) -> list[Instruction]:
        whole = self._dict(data, "the trace", ("version", "instructions"))
        if whole.get("version") != VERSION:
            raise error(
                "KC3714",
                f"the trace has version {whole.get('version')!r}",
                why=f"this kc reads version {VERSION}",
            )
        for number, entry in enumerate(self._list(whole.get("instructions"), "instructions")):
            with called_from(Location(f"{self.name}, instruction", number + 1)):
                self._instruction(entry)
        return self.instructions

    def _instruction(self, data: Any) -> None:
        entry = self._dict(data, "an instruction", _KEYS)
        step = find_step(self._text(entry.get("kind"), "kind"))
        arguments = entry.get("arguments", {})
        if not isinstance(arguments, dict):
            raise error("KC3714", f"arguments is an object, not {arguments!r}")
        fields = {key: self._value(value) for key, value in arguments.items()}
        outputs = [
            self._text(output, "an output") for output in self._list(entry.get("outputs", []), "")
        ]
        if "decision" in entry:
            fields["decision"] = self._value(entry["decision"])
        place = entry.get("location")
        location = None
        if place is not None:
            match place:
                case [str(file), int(line), int(column)]:
                    location = Location(file, line, column)
                case _:
                    raise error("KC3714", f"location is [file, line, column], not {place!r}")
        unsafe = entry.get("unsafe") is True
        checked = from_fields(step, fields, self, unsafe=unsafe)
        decision = checked.pop("decision", None)
        names = outputs if outputs or step.gives == "nothing" else None
        self.add(step, checked, names, decision, unsafe, location)

    def _value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if not isinstance(value, dict):
            return value
        if set(value) == {"var"}:
            return self.variable(self._text(value["var"], "var"))
        if set(value) == {"dict"} and isinstance(value["dict"], dict):
            return {key: self._value(item) for key, item in value["dict"].items()}
        if set(value) == {"float"} and value["float"] in ("inf", "-inf", "nan"):
            return float(value["float"])
        raise error("KC3714", f"{value!r} is not a value", ['{"var": NAME}', '{"dict": {...}}'])

    def _dict(self, data: Any, what: str, keys: Sequence[str]) -> dict[str, Any]:
        if not isinstance(data, dict) or not set(data) <= set(keys):
            raise error("KC3714", f"{what} is an object with the keys {', '.join(keys)}")
        return data

    def _list(self, data: Any, what: str) -> list[Any]:
        if not isinstance(data, list):
            raise error("KC3714", f"{what or 'outputs'} is a list, not {data!r}")
        return data

    def _text(self, data: Any, what: str) -> str:
        if not isinstance(data, str):
            raise error("KC3714", f"{what} is a string, not {data!r}")
        return data
