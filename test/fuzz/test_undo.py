"""Going back to marks of a default schedule that is being chosen, in random schedules.

What is put back is what there was: the text, what handles mean, what is said of names that are
gone; and the schedule goes on from there as if nothing had been done.
"""

from random import Random

import pytest
from fuzzing import FAMILIES
from schedules import draw, forget_state, perform
from xdsl.ir import Operation

from kc import tir
from kc.analysis import loop_tree
from kc.support.diagnostics import diagnostic_handler
from kc.support.ir_text import verify_module
from kc.transforms.auto_schedule.undo import Mark, Undo
from kc.transforms.schedule import base
from kc.transforms.schedule.base import Site
from kc.transforms.trace.handles import Handle
from kc.transforms.trace.instruction import Instruction

CALLS = 14


@pytest.mark.each_row
@pytest.mark.parametrize("family", ["programs", "bindings", "shapes", "scans"])
@pytest.mark.parametrize(
    "case", [*range(4), *(pytest.param(case, marks=pytest.mark.sweep) for case in range(4, 40))]
)
def test_what_is_put_back_is_what_there_was(family: str, case: int) -> None:
    random = Random(f"undo {family} {case}")
    with diagnostic_handler(lambda _: None):
        sch = tir.Schedule(FAMILIES[family].draw(random, None).module)
    session, function = sch.session, loop_tree.kernels(sch.module)[0]
    undo = Undo(session, function)
    marks: list[tuple[Mark, State]] = []
    for _ in range(CALLS):
        choice = random.random()
        if choice < 0.3:
            marks.append((undo.mark([]), state(sch)))
        elif choice < 0.5 and marks:
            del marks[random.randrange(len(marks)) + 1 :]
            mark, before = marks[-1]
            undo.return_to(mark)
            forget_state(sch)
            require_state(sch, before)
            verify_module(sch.module)
            site, fresh = session.site(function), Site(function, sch.target)
            assert site.blocks == fresh.blocks
            assert site.names() == fresh.names()
        else:
            line = draw(random, sch, threads=False)
            if line is not None:
                perform(sch, line)
    if marks:
        undo.return_to(marks[0][0])
        require_state(sch, marks[0][1])
    undo.close()


State = tuple[str, dict[Handle, int], dict[Handle, str], list[Instruction], dict[str, str]]


def state(sch: tir.Schedule) -> State:
    """The text of a module, what handles mean, the trace, and what is said of names."""
    session = sch.session
    function = loop_tree.kernels(sch.module)[0]
    numbers = {op: number for number, op in enumerate(sch.module.walk())}
    meanings = {
        handle: numbers[op]
        for handle, op in session.table.items()
        if isinstance(op, Operation) and op in numbers
    }
    history = dict(base._HISTORY.get(function, {}))
    return str(sch.module), meanings, dict(session.gone), list(session.trace), history


def require_state(sch: tir.Schedule, before: State) -> None:
    """The state is as it was; there may be more handles, those that a refused call has made."""
    text, meanings, gone, trace, history = before
    now = state(sch)
    assert now[0] == text
    assert {handle: now[1].get(handle) for handle in meanings} == meanings
    assert {handle: now[2].get(handle) for handle in gone} == gone
    assert not gone.keys() & now[1].keys()
    assert now[3] == trace
    assert now[4] == history
