"""auto-schedule: choose a schedule for the functions of a module, and perform it.

Before::

    tir.for %i in 64 { tir.for %j in 64 { tir.for %k in 64 { tir.block "C" ... } } }

After: the same blocks in loops that are tiled, vectorized and parallel, by primitives that a user
could have called; ``kc.auto_schedule`` returns them as a trace. The rules of this package process
one block after another. Rules that prepare the program come first: for one block at a time, in
program order (``inline``), and for the whole program (``fusing``). The other rules follow, from the
outputs to the inputs, so that a block can move its producers into its loops. If a primitive of a
rule is refused, the rule leaves the program unchanged, and the next rule is tried. At the end,
there are rules for a function as a whole (``whole``), and for unscheduled outermost loops
(``leftover``), because all code on a GPU must be in threads. Blocks that no rule accepts, such as
blocks that call functions, are unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.analysis.module_copy import copy_module, take_contents
from kc.dialects.tir import BlockOp, IfOp
from kc.dialects.unscheduled import unmark
from kc.support import progress, registry
from kc.support.diagnostics import ScheduleError, diagnostic_handler, tell
from kc.support.target import Target, target_of
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.rule import Rule
from kc.transforms.schedule.base import without_suggestions
from kc.transforms.tir.vectorize.choose_vector_form import choose_vector_form
from kc.transforms.to_tir import to_tir
from kc.transforms.trace.session import Session, is_rewrite


@dataclass(frozen=True)
class AutoSchedulePass(ModulePass):
    """Choose a schedule by the rules for the target."""

    name = "auto-schedule"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        to_tir(op)
        choose_in_place(op, target_of(op))


def choose_in_place(
    module: ModuleOp, target: Target, functions: Iterable[str] | None = None
) -> dict[str, int]:
    """Choose a schedule for ``functions`` (default: all that are scheduled) of a module of tir.

    Returns the number of primitives applied to each function.
    """
    copy = copy_module(module)
    choose_vector_form(copy, target)
    session = Session(copy, target)
    counts = choose(session, functions)
    take_contents(module, session.module)
    return counts


def choose(session: Session, functions: Iterable[str] | None = None) -> dict[str, int]:
    """Choose a schedule for ``functions`` (default: all that are scheduled) of a session.

    Returns the number of primitives applied to each function. Afterwards no function is marked as
    unscheduled. Functions with branches (``cf``) are not changed, as the rules are for loops.
    """
    rules = load_rules(session.target)
    names = [function.sym_name.data for function in loop_tree.kernels(session.module)]
    working = session.working
    counts: dict[str, int] = {}
    selected = list(names if functions is None else functions)
    for number, name in enumerate(selected):
        noted = partial(_note, name, number, len(selected))
        before = len(session.trace)
        if len(session.function(name).body.blocks) == 1:
            draft = Draft(session, name)
            try:
                _choose(draft, rules, noted)
            finally:
                draft.close()
        counts[name] = sum(map(is_rewrite, session.trace[before:]))
        unmark([session.function(name)])
    session.working = working
    return counts


def has_rules(target: Target) -> bool:
    """True if default schedules exist for this kind of target."""
    return bool(load_rules(target))


def load_rules(target: Target) -> list[Rule]:
    """The rules for a target in the order of application: rules of plugins first.

    kc's rules for GPUs, whose names begin with ``gpu-``, are imported only for GPUs: the dialects
    that they import take a quarter of the time of a first build.
    """
    entries = [
        entry
        for entry in registry.current().rules.values()
        if entry.origin != "kc" or "gpu" in target.keys or not entry.name.startswith("gpu-")
    ]
    ordered = sorted(entries, key=lambda entry: entry.origin == "kc")
    rules: list[Rule] = [entry.load()() for entry in ordered]
    return [rule for rule in rules if target.kind in rule.kinds]


def _note(function: str, number: int, count: int, part: float) -> None:
    """Report the progress: ``part`` of the schedule of function ``number``, counted from 0."""
    progress.note(
        "schedule", (number + part) / count, "schedule", function, number=number + 1, count=count
    )


def _choose(draft: Draft, rules: list[Rule], noted: Callable[[float], None]) -> None:
    # A default schedule is implicit, so remarks about its loops are suppressed.
    by_block = [rule for rule in rules if not (rule.leftover or rule.whole or rule.prepares)]
    with diagnostic_handler(lambda _: None), without_suggestions():
        for downward in (True, False):
            matching = [rule for rule in by_block if rule.downward is downward]
            blocks = draft.blocks()
            names = [block.label for block in (blocks if downward else _upward(blocks))]
            for n, name in enumerate(names):
                noted(n / len(names) * 0.2 if downward else 0.2 + n / len(names) * 0.8)
                for rule in matching:
                    if name in draft.settled or _attempt(draft, rule, name):
                        break
            for rule in rules if downward else ():
                if rule.prepares:
                    _attempt(draft, rule, draft.function_name)
        for rule in rules:
            if rule.whole:
                _attempt(draft, rule, draft.function_name)
        for rule in rules:
            if rule.leftover:
                for name in [loop.label for loop in draft.untouched_loops()]:
                    _attempt(draft, rule, name)
    for diagnostic in draft.remarks:
        tell(diagnostic)


def _upward(blocks: Sequence[BlockOp]) -> list[BlockOp]:
    """The blocks from the last to the first, except that the blocks of the first version of loops
    precede those of the second version: a change to a buffer that both write may prevent the other
    version from using its instruction, and the second version runs rarely.
    """
    branches = {block: list(_branches(block)) for block in blocks}
    last = {branch: n for n, block in enumerate(blocks) for branch, _ in branches[block]}
    keys: dict[BlockOp, list[int]] = {}
    for n, block in enumerate(blocks):
        around = [part for branch, region in branches[block] for part in (-last[branch], region)]
        keys[block] = [*around, -n]
    return sorted(blocks, key=keys.__getitem__)


def _branches(block: BlockOp) -> Iterator[tuple[IfOp, int]]:
    """The branches around a block, outermost first, each with the number of its region."""
    op: Operation = block
    around: list[tuple[IfOp, int]] = []
    while (parent := op.parent_op()) is not None:
        if isinstance(parent, IfOp):
            number = next(
                n for n, region in enumerate(parent.regions) if region is op.parent_region()
            )
            around.append((parent, number))
        op = parent
    yield from reversed(around)


def _attempt(draft: Draft, rule: Rule, block: str) -> bool:
    mark = draft.mark(changes=not rule.single)
    try:
        if rule.apply(draft, block):
            return True
        draft.return_to(mark)
    except ScheduleError:
        draft.return_to(mark)
    finally:
        draft.forget_marks()
    return False
