"""Legal schedule steps at the loops of a text."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.support.diagnostics import KCError
from kc.support.locations import location_of
from kc.tools.lsp.document import Document, Part

STEPS = ("split", "parallel", "vectorize", "unroll", "bind", "decompose_reduction", "rfactor")
"""The primitives that are tried at a loop."""

_MOST_SHOWN = 6


@dataclass(frozen=True)
class LegalSteps:
    """A loop, and the legal calls of each primitive on it."""

    loop: str
    calls: dict[str, list[str]]

    @property
    def summary(self) -> str:
        """``split, parallel, vectorize``."""
        return ", ".join(self.calls)

    @property
    def details(self) -> str:
        """The calls, as methods of ``kc.tir.Schedule``."""
        lines: list[str] = []
        for calls in self.calls.values():
            lines += [f"sch.{call}" for call in calls[:_MOST_SHOWN]]
            if len(calls) > _MOST_SHOWN:
                lines.append(f"... {len(calls) - _MOST_SHOWN} more")
        return "\n".join(lines)


def legal_steps(document: Document, first: int, last: int) -> dict[int, list[LegalSteps]]:
    """The legal steps at the loops that lines ``first`` to ``last`` define, by line.

    Each function is analysed once, until it changes. A function that cannot be scheduled has no
    steps.
    """
    steps: dict[int, list[LegalSteps]] = {}
    for part in document.parts:
        lines = part.text.count("\n") + 1
        if part.failed or part.line > last or part.line + lines < first:
            continue
        if part.steps is None:
            part.steps = _steps_of(part)
        for line, legal in part.steps.items():
            if first <= part.line + line <= last:
                steps[part.line + line] = legal
    return steps


def _steps_of(part: Part) -> dict[int, list[LegalSteps]]:
    from kc.tir.schedule import Schedule

    steps: dict[int, list[LegalSteps]] = {}
    for op in part.ops:
        if op.name not in ("func.func", "te.func"):
            continue
        try:
            schedule = Schedule(ModuleOp([op.clone()]))
        except (KCError, ValueError):
            continue
        for function in loop_tree.functions(schedule.module):
            for loop in loop_tree.loops(function):
                place = location_of(loop)
                if place is None or place.file != part.file:
                    continue
                calls: dict[str, list[str]] = {}
                handle = schedule.session.handle(loop)
                for primitive in STEPS:
                    try:
                        choices = schedule.legal(primitive, loop=handle)
                    except KCError:
                        continue
                    if choices:
                        calls[primitive] = [repr(choice) for choice in choices]
                steps.setdefault(place.line - 1, []).append(LegalSteps(loop.label, calls))
    return steps
