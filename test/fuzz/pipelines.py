"""Loops of a schedule become software pipelines, as a last step: annotations as lines of Python.

Stages mostly grow with the text, as those of a pipeline that works; the order within a step is any.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from random import Random
from typing import Any

from schedules import line_of

from kc import tir
from kc.analysis import loop_tree
from kc.dialects.tir import ForKind
from kc.support.registry import pass_class
from kc.transforms.schedule.base import LoopRef
from kc.transforms.tir.pipeline._pipeline_notes import ASYNC, ORDER, STAGE, statements

SHARE = 0.1
"""Of the schedules, so many end with pipelines."""
GROWING = 0.7
"""Of the pipelines, so many have stages that grow."""
KINDS = (ForKind.SERIAL, ForKind.UNROLLED)
REFUSED = frozenset(("KC4230", "KC4233", "KC4234", "KC4235", "KC4236"))
"""The refusals of a build for a pipeline that would change the result, or whose statements earlier
passes merged.
"""


def pipelines(random: Random, sch: tir.Schedule) -> Iterator[str]:
    """Annotations of up to three loops, if the schedule is among those that get some."""
    if random.random() >= SHARE:
        return
    annotate: Any = pass_class("annotate")
    loops = [
        loop
        for function in loop_tree.kernels(sch.module)
        for loop in loop_tree.loops(function)
        if loop.kind.data in KINDS and len(statements(loop)) > 1
    ]
    random.shuffle(loops)
    for loop in loops[: random.choice((1, 1, 1, 2, 3))]:
        count = len(statements(loop))
        stages = [random.randint(0, 3) for _ in range(count)]
        if random.random() < GROWING:
            steps = [0, *(random.choice((0, 0, 1, 1, 2)) for _ in stages[1:])]
            stages = list(accumulate(steps))
        notes: dict[str, list[int]] = {STAGE: stages}
        if random.random() < 0.5:
            notes[ORDER] = random.sample(range(count), count)
        if random.random() < 0.4:
            notes[ASYNC] = [random.choice(stages)]
        for key, numbers in notes.items():
            yield line_of(annotate(key, numbers, LoopRef(loop)))
