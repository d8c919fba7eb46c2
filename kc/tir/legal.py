"""The legal choices of a primitive's arguments, ready to be applied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from xdsl.dialects import func

from kc.analysis import loop_tree
from kc.dialects.tir import BlockOp, ForOp
from kc.support.declarations import parameters
from kc.support.diagnostics import ScheduleError
from kc.support.locations import caller_location
from kc.transforms.schedule.base import CALL_SITE, BlockRef, LoopRef, Primitive, Site
from kc.transforms.trace.handles import Handle
from kc.transforms.trace.instruction import variables_in
from kc.transforms.trace.queries import GetBlock, GetLoop, GetLoops
from kc.transforms.trace.session import Session
from kc.transforms.trace.values import is_default, recorded


class Choice:
    """A legal call of a primitive. Calling the object performs it.

    ``arguments`` are those of the method, by name, with handles for loops and blocks.
    """

    def __init__(self, schedule: Any, method: str, arguments: Mapping[str, Any]) -> None:
        self.schedule = schedule
        self.method = method
        self.arguments = dict(arguments)

    def __call__(self, schedule: Any = None) -> Any:
        """Perform the call on the schedule that offered it, or on a copy of that schedule."""
        on = schedule if schedule is not None else self.schedule
        for argument in self.arguments.values():
            for handle in variables_in(argument):
                define(on.session, handle)
        many = [
            parameter.name
            for parameter in parameters(on.step_of(self.method))
            if parameter.variadic and parameter.name in self.arguments
        ]
        named = {key: value for key, value in self.arguments.items() if key not in many}
        positional = [value for key in many for value in self.arguments[key]]
        return getattr(on, self.method)(*positional, **named)

    def __repr__(self) -> str:
        shown = (f"{key}={_shown(value)}" for key, value in self.arguments.items())
        return f"{self.method}({', '.join(shown)})"


def define(session: Session, handle: Any) -> None:
    """Define a handle that no call returned in the trace: look up its loop or block by name."""
    if any(handle is output for step in session.trace for output in step.outputs):
        return
    location = CALL_SITE.get() or caller_location()
    op = session.table[handle]
    assert isinstance(op, ForOp | BlockOp)
    function = loop_tree.enclosing_function(op)
    assert function is not None
    several = len(loop_tree.functions(session.module)) > 1
    place = {"func": function.sym_name.data} if several else {}
    if isinstance(op, BlockOp):
        session.perform(GetBlock, {"block": op.label, **place}, location, outputs=(handle,))
        return
    inside = [block for block in loop_tree.blocks(op) if op in loop_tree.loops_around(block)]
    if not inside:
        session.perform(GetLoop, {"loop": op.label, **place}, location, outputs=(handle,))
        return
    block = session.handle_of(inside[0])
    define(session, block)
    loops = loop_tree.loops_around(inside[0])
    outputs = tuple(handle if loop is op else session.handle(loop) for loop in loops)
    session.perform(GetLoops, {"block": block}, location, outputs=outputs)


def _shown(value: Any) -> str:
    if isinstance(value, Handle):
        return value.name
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    return repr(value) if isinstance(value, int | float | str | None) else str(value)


def legal_choices(
    schedule: Any, step: type[Primitive], fixed: Mapping[str, Any], functions: list[func.FuncOp]
) -> Iterator[Choice]:
    """The candidates of a primitive that have the ``fixed`` fields and pass its check."""
    session: Session = schedule.session
    handles: dict[Any, Handle] = {}
    for function in functions:
        site: Site = session.site(function)
        for candidate in step.candidates(site):
            if not all(_same(getattr(candidate, key), value, site) for key, value in fixed.items()):
                continue
            try:
                candidate.plan(site)
            except ScheduleError:
                continue
            yield Choice(
                schedule, step.name.replace("-", "_"), _arguments(candidate, session, handles)
            )


def _same(value: Any, choice: Any, site: Site) -> bool:
    if isinstance(value, BlockRef) and isinstance(choice, BlockRef):
        return site.resolve_block(value) is site.resolve_block(choice)
    if isinstance(value, LoopRef) and isinstance(choice, LoopRef):
        return site.resolve_loop(value) is site.resolve_loop(choice)
    if isinstance(value, tuple) and isinstance(choice, tuple):
        return len(value) == len(choice) and all(
            _same(a, b, site) for a, b in zip(value, choice, strict=True)
        )
    return value == choice


def _arguments(
    primitive: Primitive, session: Session, handles: dict[Any, Handle]
) -> dict[str, Any]:
    """The fields of a candidate as the arguments of the method."""
    site: Site | None = None

    def handle(ref: Any) -> Any:
        nonlocal site
        op = ref.target
        if isinstance(op, str):
            site = site or session.site(session.function(None))
            op = site.resolve_block(ref) if isinstance(ref, BlockRef) else site.resolve_loop(ref)
        assert isinstance(op, ForOp | BlockOp)
        if op not in handles:
            handles[op] = session.handle_of(op)
        return handles[op]

    arguments: dict[str, Any] = {}
    for parameter in parameters(type(primitive)):
        for slot in parameter.slots:
            value = getattr(primitive, slot.name)
            if slot.handle is not None and value is not None:
                value = [handle(op) for op in value] if slot.many else handle(value)
            else:
                value = recorded(value)
            if is_default(slot, value):
                continue
            arguments[parameter.name] = (
                value if parameter.element is None else value[parameter.element]
            )
            break
    return arguments


def function_of(ref: Any) -> func.FuncOp | None:
    """The function that contains the loop or block of a reference."""
    target = getattr(ref, "target", None)
    return loop_tree.enclosing_function(target) if isinstance(target, ForOp | BlockOp) else None


__all__ = ["Choice", "function_of", "legal_choices"]
