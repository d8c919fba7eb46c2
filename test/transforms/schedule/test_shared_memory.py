"""Primitives that make more shared memory than a block can have say so at once."""

from __future__ import annotations

import re

from kc import te
from kc.support.diagnostics import Diagnostic, diagnostic_handler
from kc.target import Target
from kc.tir import Schedule


def turned(arch: str) -> Schedule:
    """Rows of 512 numbers, each reversed, in tiles of 64 rows; ``A_shared`` is a copy of A."""
    A = te.placeholder((2048, 512), name="A")
    B = te.compute(A.shape, lambda i, j: A[i, 511 - j] * 2.0, name="B")
    sch = Schedule(te.create_prim_func([A, B]), target=Target(f"cuda -arch={arch}"))
    block = sch.get_block("B")
    sch.split(sch.get_loops(block)[0], [None, 64])
    sch.cache_read(block, 0, "shared")
    return sch


WARNING = """warning[KC3445]: {}: a block of @main would use 128 KiB of shared memory, sm_75 \
allows 64 KiB
  --> HERE
   |  A_shared     128 KiB
  why: a build of the present schedule is refused (KC3440)
  try: split the loops of a block's tile by smaller factors
  try: compute_at A_shared at i_i, inside the loops of the tile"""


def place(sch: Schedule, loop: int, *, bound_before: bool) -> list[str]:
    """The diagnostics when the copy is placed at a loop of the tiles, whose loops are blocks."""
    said: list[Diagnostic] = []
    with diagnostic_handler(said.append):
        loops = sch.get_loops(sch.get_block("B"))
        if bound_before:
            sch.bind(loops[0], "blockIdx.x")
        sch.compute_at(sch.get_block("A_shared"), loops[loop])
        if not bound_before:
            sch.bind(loops[0], "blockIdx.x")
    return [
        re.sub(r"--> .*test_shared_memory\.py:.*", "--> HERE", warning.render()) for warning in said
    ]


def test_compute_at_goes_too_far():
    assert place(turned("sm_75"), 0, bound_before=True) == [WARNING.format("compute-at")]


def test_bind_makes_it_the_memory_of_a_block():
    assert place(turned("sm_75"), 0, bound_before=False) == [WARNING.format("bind")]


def test_a_smaller_place_is_fine():
    """A row at a time: 2 KiB."""
    assert place(turned("sm_75"), 1, bound_before=True) == []


def test_a_larger_gpu_is_fine():
    assert place(turned("sm_80"), 0, bound_before=True) == []
