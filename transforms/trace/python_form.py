"""A trace as Python text, one call per line: ``i_o, i_i = sch.split(loop=i, factors=...)``.

Reading does not evaluate the text. It is parsed, and only calls of a schedule's methods with
literals and variables are accepted.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any

from kc.support.declarations import parameters
from kc.support.diagnostics import Location, ScheduleError
from kc.transforms.schedule.base import called_from
from kc.transforms.trace.binding import UNSAFE, Binder
from kc.transforms.trace.handles import Variable
from kc.transforms.trace.instruction import Instruction
from kc.transforms.trace.naming import name_variables
from kc.transforms.trace.reading import Reader, error, find_step

SCHEDULE = "sch"
"""The name of the schedule in the text."""


def to_python(instructions: Sequence[Instruction]) -> str:
    """The calls as text, one per line."""
    names = name_variables(instructions, [SCHEDULE])
    return "".join(f"{call_text(instruction, names)}\n" for instruction in instructions)


def call_text(instruction: Instruction, names: dict[int, str]) -> str:
    """The text of one call."""
    outputs = [names.get(id(output), "_") for output in instruction.outputs]
    left = f"{', '.join(outputs)} = " if outputs else ""
    if outputs and instruction.step.gives.endswith("s") and len(outputs) == 1:
        left = f"[{outputs[0]}] = "
    arguments: list[str] = []
    for parameter in parameters(instruction.step):
        slot = next((slot for slot in parameter.slots if slot.name in instruction.arguments), None)
        if slot is None:
            continue
        value = instruction.arguments[slot.name]
        if parameter.variadic:
            arguments += [value_text(item, names) for item in value]
            continue
        if parameter.element is not None:
            value = value[parameter.element]
        arguments.append(f"{parameter.name}={value_text(value, names)}")
    if instruction.decision is not None:
        arguments.append(f"decision={value_text(instruction.decision, names)}")
    if instruction.unsafe:
        arguments.append(f"{UNSAFE}=True")
    return f"{left}{SCHEDULE}.{instruction.kind}({', '.join(arguments)})"


def value_text(value: Any, names: dict[int, str]) -> str:
    """A recorded value as a Python expression."""
    if isinstance(value, Variable):
        return names.get(id(value), "?")
    if isinstance(value, list | tuple):
        return f"[{', '.join(value_text(item, names) for item in value)}]"
    if isinstance(value, dict):
        inner = (f"{key!r}: {value_text(item, names)}" for key, item in value.items())
        return f"{{{', '.join(inner)}}}"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    text = str(value)
    if '"' in text or "\\" in text or not text.isprintable():
        return repr(text)
    return f'"{text}"'


def from_python(text: str, name: str = "<trace>") -> list[Instruction]:
    """The instructions in ``text``. Raises KC3710 and the errors of
    :mod:`~kc.transforms.trace.reading`.
    """
    try:
        module = ast.parse(text, name)
    except SyntaxError as problem:
        place = Location(name, problem.lineno or 1, problem.offset or 0)
        raise ScheduleError("KC3710", f"not Python: {problem.msg}", location=place) from None
    except (RecursionError, MemoryError):
        raise _too_deep(Location(name, 1)) from None
    return _PythonReader(name).read(module)


def _too_deep(place: Location) -> ScheduleError:
    return ScheduleError("KC3710", "this is nested too deeply", location=place)


class _PythonReader(Reader):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.schedule: str | None = None

    def read(self, module: ast.Module) -> list[Instruction]:
        body = module.body
        if len(body) == 1 and isinstance(body[0], ast.FunctionDef):
            arguments = body[0].args.args
            self.schedule = arguments[0].arg if arguments else None
            body = body[0].body
        for statement in body:
            place = Location(self.name, statement.lineno, statement.col_offset + 1)
            with called_from(place):
                try:
                    self._statement(statement, place)
                except RecursionError:
                    raise _too_deep(place) from None
        return self.instructions

    def _statement(self, statement: ast.stmt, place: Location) -> None:
        if isinstance(statement, ast.Pass):
            return
        names: list[str] | None = None
        value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
        if isinstance(statement, ast.Expr) and isinstance(value, ast.Constant):
            return  # a docstring
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            names = self._targets(statement.targets[0])
        if not isinstance(value, ast.Call) or isinstance(statement, ast.Assign) and names is None:
            raise self._not_understood(statement)
        self._call(value, names, place)

    def _targets(self, target: ast.expr) -> list[str] | None:
        many = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        names = [node.id for node in many if isinstance(node, ast.Name)]
        return names if len(names) == len(many) else None

    def _call(self, call: ast.Call, names: list[str] | None, place: Location) -> None:
        function = call.func
        if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
            raise self._not_understood(call)
        owner = function.value.id
        if self.schedule is None:
            self.schedule = owner
        if owner != self.schedule:
            raise error("KC3710", f"'{owner}' is not the schedule '{self.schedule}'")
        step = find_step(function.attr)
        args = [self._value(argument) for argument in call.args]
        kwargs: dict[str, Any] = {}
        for keyword in call.keywords:
            if keyword.arg is None:
                raise self._not_understood(call)
            kwargs[keyword.arg] = self._value(keyword.value)
        binder = Binder(step, self.resolve)
        arguments = binder.bind(args, kwargs)
        decision = arguments.pop("decision", None)
        self.add(step, arguments, names, decision, binder.unsafe, place)

    def _value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Name):
            return self.variable(node.id)
        if isinstance(node, ast.Constant) and isinstance(
            node.value, str | int | float | bool | None
        ):
            return node.value
        if isinstance(node, ast.List | ast.Tuple):
            return [self._value(element) for element in node.elts]
        if isinstance(node, ast.Dict) and all(isinstance(key, ast.Constant) for key in node.keys):
            keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
            return dict(zip(keys, map(self._value, node.values), strict=True))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self._value(node.operand)
            if type(value) in (int, float):
                return -value
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "float" and len(node.args) == 1:
            value = self._value(node.args[0])
            if value in ("inf", "-inf", "nan"):
                return float(value)
        raise self._not_understood(node)

    def _not_understood(self, node: ast.AST) -> ScheduleError:
        text = ast.unparse(node)
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        hints = [f"i, j = {SCHEDULE}.get_loops(block=C)"]
        if isinstance(node, ast.Lambda):
            hints = ['an index map is a string here: "(i, j) -> (j, i)"']
        place = Location(self.name, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)
        with called_from(place):
            return error(
                "KC3710",
                f"this is not understood in a trace: {shown}",
                hints,
                "a trace consists of calls of a schedule's methods with variables and literals",
            )
