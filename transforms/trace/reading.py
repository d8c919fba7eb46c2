"""Reading of a trace from text: the common part of the Python, JSON and ``sched`` forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc.support.declarations import REQUIRED, Slot, result_count, slots
from kc.support.diagnostics import Location, ScheduleError, suggest
from kc.support.registry import current
from kc.transforms.schedule.base import CALL_SITE
from kc.transforms.trace.handles import BlockRV, ExprRV, Handle, LoopRV, Variable
from kc.transforms.trace.instruction import Instruction
from kc.transforms.trace.queries import GetBlock
from kc.transforms.trace.session import Step
from kc.transforms.trace.values import Mismatch, accept, check_type, is_default


def find_step(name: str) -> Step:
    """The primitive, query or sampling with a name, in which words are separated by ``_`` or ``-``.
    Raises KC3711.
    """
    steps = current().steps
    entry = steps.get(name.replace("_", "-"))
    if entry is None:
        names = [key.replace("-", "_") for key in steps]
        raise error("KC3711", f"there is no step '{name}'", suggest(name, names))
    return entry.load()


def error(code: str, message: str, hints: Sequence[str] = (), why: str | None = None):
    """A diagnostic at the position of the text that is being read."""
    return ScheduleError(code, message, location=CALL_SITE.get(), hints=hints, why=why)


class Reader:
    """A collector of the instructions that are read, and of the variables that they define."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self.variables: dict[str, Variable] = {}

    def variable(self, name: str) -> Variable:
        """The variable with a name. Raises KC3712."""
        variable = self.variables.get(name)
        if variable is None:
            hints = suggest(name, self.variables, "the variables are")
            raise error("KC3712", f"there is no variable '{name}'", hints)
        return variable

    def resolve(self, slot: Slot, value: Any) -> Handle:
        """The handle for an argument. Instead of a handle, the name of a block is accepted, as in
        ``get_block``.
        """
        if isinstance(value, str) and slot.handle == "block":
            block = BlockRV(value)
            self.instructions.append(
                Instruction(GetBlock, {"block": value}, (block,), location=CALL_SITE.get())
            )
            return block
        kind = LoopRV if slot.handle == "loop" else BlockRV
        if not isinstance(value, kind):
            raise error("KC3702", f"'{slot.name}' takes a {slot.handle}, not {check_type(value)}")
        return value

    def add(
        self,
        step: Step,
        arguments: dict[str, Any],
        names: Sequence[str] | None,
        decision: Any = None,
        unsafe: bool = False,
        location: Location | None = None,
    ) -> Instruction:
        """Add a step whose results are bound to the variables ``names``; None stands for results
        without names. Raises KC3713 if the number of names is wrong.
        """
        count = result_count(step, arguments)
        if names is not None and count is not None and len(names) != count:
            raise error(
                "KC3713",
                f"{step.name.replace('-', '_')} gives {_results(count)}, "
                f"{len(names)} {'is' if len(names) == 1 else 'are'} named",
            )
        outputs = [_variable(step, name) for name in names or ()]
        self.variables.update(zip(names or (), outputs, strict=True))
        instruction = Instruction(step, arguments, tuple(outputs), decision, location, unsafe)
        self.instructions.append(instruction)
        return instruction


def _results(count: int) -> str:
    return f"{count or 'no'} result{'' if count == 1 else 's'}"


def _variable(step: Step, name: str) -> Variable:
    if step.gives in ("param", "params"):
        return ExprRV(0)
    return (LoopRV if step.gives in ("loop", "loops") else BlockRV)(name)


def from_fields(
    step: Step, fields: dict[str, Any], reader: Reader, *, unsafe: bool
) -> dict[str, Any]:
    """The checked arguments of a step by field. Raises KC3701, KC3702 and KC3703."""
    method = step.name.replace("-", "_")
    declared = {slot.name: slot for slot in slots(step)}
    checked: dict[str, Any] = {}
    if unsafe and not getattr(step, "undecidable", False):
        raise error(
            "KC3701",
            f"{method}: there is no argument 'unsafe'",
            why=f"{method} makes no check that could be undecidable",
        )
    for name, value in fields.items():
        slot = declared.get(name)
        if slot is None:
            raise error(
                "KC3701",
                f"{method}: there is no argument '{name}'",
                suggest(name, declared, "the arguments are"),
            )
        if slot.handle is not None:
            if value is None and slot.optional:
                continue
            if slot.many:
                many = value if isinstance(value, list) else [value]
                value = [reader.resolve(slot, item) for item in many]
            else:
                value = reader.resolve(slot, value)
        else:
            try:
                value = accept(slot, value)
            except Mismatch as problem:
                raise error(
                    "KC3702",
                    f"{method}: {name} is {problem.expected}, not {check_type(value)}",
                    problem.hints,
                ) from None
        if not is_default(slot, value):
            checked[name] = value
    for slot in declared.values():
        if slot.default is REQUIRED and slot.name not in checked:
            raise error("KC3703", f"{method}: the argument '{slot.name}' is missing")
    return checked
