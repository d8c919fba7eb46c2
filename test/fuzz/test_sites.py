"""The state that a site keeps of a function between two primitives, in random schedules.

Operations that the site did not verify again are unchanged, and its answers about blocks and names
are true of the module.
"""

from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from fuzzing import FAMILIES
from schedules import draw, perform
from xdsl.ir import Operation

import kc
from kc import tir
from kc.analysis import loop_tree
from kc.support.diagnostics import diagnostic_handler
from kc.transforms.schedule import base
from kc.transforms.schedule.base import Site

CALLS = 12


@pytest.mark.each_row
@pytest.mark.parametrize("family", ["programs", "bindings", "shapes", "scans"])
@pytest.mark.parametrize(
    "case", [*range(3), *(pytest.param(case, marks=pytest.mark.sweep) for case in range(3, 16))]
)
def test_what_a_primitive_does_not_touch(
    family: str, case: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(f"{family} {case}")
    with diagnostic_handler(lambda _: None):
        sch = tir.Schedule(FAMILIES[family].draw(random, None).module)
    function = loop_tree.kernels(sch.module)[0]
    verified: set[int] = set()
    verify = base.verify_changes

    def recording(
        root: Operation, within: Iterable[Operation] | None = None, **options: Any
    ) -> None:
        ops = root.regions[0].block.ops if within is None else list(within)
        verified.update(map(id, ops))
        verify(root, within=within, **options)

    monkeypatch.setattr(base, "verify_changes", recording)
    for _ in range(CALLS):
        before = texts_of(function)
        verified.clear()
        line = draw(random, sch, threads=False)
        if line is None or not perform(sch, line):
            continue
        for op, text in texts_of(function).items():
            if id(op) not in verified:
                assert text == before[op], line
        site = sch.session.site(function)
        fresh = Site(function, sch.target)
        assert site.blocks == fresh.blocks
        assert site.names() == fresh.names()


def texts_of(function: Operation) -> dict[Operation, str]:
    """The text of each operation of the function's body; what changed has another."""
    return {op: str(op) for op in function.regions[0].block.ops}


def test_what_costs_as_much_in_a_large_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second primitive has its nest verified, and those that use its buffers if it may change
    these."""
    stages = "".join(
        f"""
  tir.for %i in 8 {{
    tir.block "S{n}" (spatial %v in 8 = %i) do {{
      %x = tir.load %{"T" + str(n - 1) if n else "A"}[%v] : memref<8xf32>
      tir.store %x, %{f"T{n}"}[%v] : memref<8xf32>
    }}
  }}"""
        for n in range(9)
    )
    allocs = "".join(f'\n  %T{n} = tir.alloc "T{n}" : memref<8xf32>' for n in range(9))
    text = f"func.func @f(%A: memref<8xf32>) {{{allocs}{stages}\n  func.return\n}}"
    sch = tir.Schedule(kc.IRModule.parse(text))
    sch.unroll(sch.get_loops("S4")[0])
    verify, sizes = base.verify_changes, list[int]()

    def counting(
        root: Operation, within: Iterable[Operation] | None = None, **options: Any
    ) -> None:
        assert within is not None
        within = list(within)
        sizes.append(len(within))
        verify(root, within=within, **options)

    monkeypatch.setattr(base, "verify_changes", counting)
    sch.split(sch.get_loops("S5")[0], [None, 2])
    assert sizes == [1]
    sch.reindex("S5", ("write", 0))
    # Loops of S4, S5 and S6, two allocs, and what is new: an alloc and its copy.
    assert sizes == [1, 7]
