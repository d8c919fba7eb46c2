"""Blocks of a cluster, and the boxes that they bring each other.

``sch.annotate(by, "cluster_dim", 2)`` of a loop that is bound to an axis of blocks lets two of them
that follow one another be a cluster: they run at the same time, on neighbouring multiprocessors.
What all of them copy in the same step is read from global memory once: each block copies a part of
the rows to all of them (multicast)::

    block 0                                  block 1
    A: its own tile                          A: its own tile
    B: rows 0 to 63 to blocks 0 and 1        B: rows 64 to 127 to blocks 0 and 1
    wait for 3 copies                        wait for 3 copies

An mbarrier of a block counts all the bytes that come to it, from whichever block. A producer
overwrites memory of all blocks, so it waits for the consumers of all: each of their warps arrives
in every block (``mapa``). Blocks wait for each other when the mbarriers are made, and at the end.

A part of ``lower-tensor-copies``, which is where rewriting is, so there is no rewrite pattern here.
Source: NVIDIA, "CUDA C++ programming guide", thread block clusters; CUTLASS's
``SM90_TMA_LOAD_MULTICAST``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from kc.analysis.instances import Space
from kc.analysis.loop_tree import path_to
from kc.analysis.terms import any_of
from kc.dialects.tir import ForOp, IfOp, ViewOp
from kc.dialects.tir.threads import BLOCK_AXES
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.support.nvidia import architecture_of
from kc.support.target import Target
from kc.transforms.tir.specialize_warps import ROLE
from kc.transforms.tir.unify_thread_binding import launch_loops

CLUSTER_DIM = "cluster_dim"
"""The annotation of a loop of blocks that says how many of them are a cluster."""

MOST = 8
"""Blocks of a cluster that every GPU with clusters has room for (CUDA C++ programming guide)."""

FIRST = 90
"""The architecture from which on there are clusters."""


@dataclass(frozen=True)
class Cluster:
    """So many blocks along an axis."""

    loop: ForOp
    size: int

    def is_common(self, op: Operation, views: Sequence[ViewOp], root: ForOp) -> bool:
        """Whether all blocks of a cluster do ``op`` as often, with the same parts of buffers each
        time."""
        for outer in path_to(op):
            if outer is root:
                break
            is_counted = not isinstance(outer, ForOp) or outer.static_extent is not None
            if not is_counted or (isinstance(outer, IfOp) and ROLE not in outer.attributes):
                return False
        space = Space()
        here, there = (space.place(op) for _ in range(2))
        shared = [loop for loop in here.loops if loop is not self.loop]
        constraints = [here.loops[loop].equals(there.loops[loop]) for loop in shared]
        block, peer = (at.loops[self.loop] for at in (here, there))
        constraints.append((block // self.size).equals(peer // self.size))
        places = [
            [
                space.expr(expr, view.operands_of_map, at)
                for view in views
                for expr in view.indices.data.results
            ]
            for at in (here, there)
        ]
        differs = any_of([mine.differs(its) for mine, its in zip(*places, strict=True)])
        return space.find([here, there], [*constraints, differs]) is None


def cluster_of(root: ForOp, target: Target) -> Cluster | None:
    """The clusters of a kernel; None if it has none. Raises KC4252 for what are none."""
    said = [
        (loop, value)
        for loop in launch_loops(root)
        if loop.annotations is not None
        and (value := loop.annotations.data.get(CLUSTER_DIM)) is not None
    ]
    if not said:
        return None
    loop, value = said[0]
    size = value.value.data if isinstance(value, IntegerAttr) else None
    why = None
    hint = f'sch.annotate(loop, "{CLUSTER_DIM}", 2), of a loop that is bound to blockIdx.x'
    if loop.axis not in BLOCK_AXES:
        why = f"it is bound to {loop.axis}, and a cluster consists of blocks"
    elif len(said) > 1:
        why = (
            f"loop {said[1][0].label} has one, too, and the blocks of a cluster lie along one axis"
        )
    elif size is None or not 1 <= size <= MOST:
        why = f"it is {value if size is None else size}, and a cluster has 1 to {MOST} blocks"
    elif loop.static_extent is None or loop.static_extent % size:
        extent = "an unknown number of" if loop.static_extent is None else loop.static_extent
        why = f"there are {extent} blocks along {loop.axis}, no multiple of {size}"
        hint = "split the loop by the number of blocks of a cluster, and bind both parts fused"
    elif (architecture := architecture_of(target)).number < FIRST:
        why = f"the target is {architecture.name}, and GPUs have clusters from sm_{FIRST} on"
        hint = "leave it out"
    if why is not None or size is None:
        raise CodegenError(
            "KC4252",
            f"lower-tensor-copies: {CLUSTER_DIM} of loop {loop.label} does not make clusters",
            location=location_of(loop),
            why=why,
            hints=[hint],
        )
    return Cluster(loop, size) if size > 1 else None
