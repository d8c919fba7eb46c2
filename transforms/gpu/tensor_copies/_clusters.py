"""Blocks of a cluster, and the boxes that they multicast to each other.

``sch.annotate(by, "cluster_dim", 2)`` on a loop that is bound to an axis of blocks makes two
consecutive blocks a cluster: they run at the same time, on neighbouring multiprocessors. Data that
all of them copy in the same step is read from global memory once: each block copies a part of the
rows to all blocks (multicast)::

    block 0                                  block 1
    A: its own tile                          A: its own tile
    B: rows 0 to 63 to blocks 0 and 1        B: rows 64 to 127 to blocks 0 and 1
    wait for 3 copies                        wait for 3 copies

An mbarrier of a block counts all bytes that the block receives, from any block. A producer
overwrites memory of all blocks, so it waits for the consumers of all blocks: each of their warps
arrives in every block (``mapa``). Blocks wait for each other after the mbarriers are initialized,
and at the end.

With the annotation on two loops, a cluster has two axes: the blocks of a column copy B together,
the blocks of a row A. Consumers arrive in the blocks of their row and of their column.

A part of ``lower-tensor-copies``, which does the rewriting, so there is no rewrite pattern here.
Source: NVIDIA, "CUDA C++ programming guide", thread block clusters; CUTLASS's
``SM90_TMA_LOAD_MULTICAST``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr

from kc.analysis.accesses.instances import Space
from kc.analysis.affine.terms import any_of
from kc.analysis.loop_tree import path_to
from kc.dialects.tir import ForOp, IfOp, ViewOp
from kc.dialects.tir.threads import BLOCK_AXES
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.support.nvidia import architecture_of
from kc.support.target import Target
from kc.transforms.gpu.binding.unify_thread_binding import launch_loops
from kc.transforms.gpu.sync.specialize_warps import ROLE

CLUSTER_DIM = "cluster_dim"
"""The annotation of a loop of blocks with the number of blocks of a cluster along it."""

MOST = 8
"""The cluster size that every GPU with clusters supports (CUDA C++ programming guide)."""

FIRST = 90
"""The first architecture with clusters."""


@dataclass(frozen=True)
class Cluster:
    """A cluster: a number of blocks along each of some axes. Blocks are counted along x first."""

    sizes: dict[ForOp, int]

    @property
    def size(self) -> int:
        """The number of blocks of the cluster."""
        return math.prod(self.sizes.values())

    def rank(self, apart: dict[ForOp, int], loops: Collection[ForOp]) -> AffineExpr:
        """The number, among the blocks along ``loops``, of the block at the offset ``apart`` from
        the current block.
        """
        number, stride = AffineExpr.constant(0), 1
        for n, (loop, size) in enumerate(self.sizes.items()):
            if loop in loops:
                number += (AffineExpr.dimension(n) + apart.get(loop, 0)) % size * stride
                stride *= size
        return number

    def peers(
        self, op: Operation, views: Sequence[ViewOp], root: ForOp, *, pieces: int
    ) -> Peers | None:
        """The largest group of blocks of a cluster that can execute ``op`` together, each block for
        an equal share of its ``pieces``. None if each block executes it alone.
        """
        axes = [loop for loop in self.sizes if self._is_common(op, views, root, loop)]
        choices = [
            Peers(self, loops)
            for count in range(len(axes), 0, -1)
            for loops in itertools.combinations(axes, count)
        ]
        fitting = (choice for choice in choices if pieces % choice.size == 0)
        return max(fitting, default=None, key=lambda choice: choice.size)

    def _is_common(self, op: Operation, views: Sequence[ViewOp], root: ForOp, along: ForOp) -> bool:
        """True if the blocks of a cluster along an axis execute ``op`` equally often, each time for
        the same parts of buffers.
        """
        for outer in path_to(op):
            if outer is root:
                break
            is_counted = not isinstance(outer, ForOp) or outer.static_extent is not None
            if not is_counted or (isinstance(outer, IfOp) and ROLE not in outer.attributes):
                return False
        space = Space()
        here, there = (space.place(op) for _ in range(2))
        shared = [loop for loop in here.loops if loop is not along]
        constraints = [here.loops[loop].equals(there.loops[loop]) for loop in shared]
        block, peer = (at.loops[along] for at in (here, there))
        constraints.append((block // self.sizes[along]).equals(peer // self.sizes[along]))
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


@dataclass(frozen=True)
class Peers:
    """The blocks of a cluster along some of its axes."""

    cluster: Cluster
    loops: tuple[ForOp, ...]

    @property
    def size(self) -> int:
        """The number of blocks in the group."""
        return math.prod(self.cluster.sizes[loop] for loop in self.loops)

    @property
    def number(self) -> AffineExpr:
        """The number of the current block in the group."""
        return self.cluster.rank({}, self.loops)

    @property
    def first(self) -> AffineExpr:
        """The number of the group's first block in the cluster."""
        number, stride = AffineExpr.constant(0), 1
        for n, (loop, size) in enumerate(self.cluster.sizes.items()):
            if loop not in self.loops:
                number += AffineExpr.dimension(n) % size * stride
            stride *= size
        return number

    @property
    def mask(self) -> int:
        """The bit mask of the group's blocks, if its first block has number 0."""
        numbers, stride = [0], 1
        for loop, size in self.cluster.sizes.items():
            if loop in self.loops:
                numbers = [number + n * stride for n in range(size) for number in numbers]
            stride *= size
        return sum(1 << number for number in numbers)

    def apart(self) -> list[dict[ForOp, int]]:
        """The offset of each block of the group from its first block, along each axis of the
        cluster.
        """
        counts = [range(self.cluster.sizes[loop]) for loop in self.loops]
        return [dict(zip(self.loops, at, strict=True)) for at in itertools.product(*counts)]


def cluster_of(root: ForOp, target: Target) -> Cluster | None:
    """The cluster of a kernel; None if the kernel has no cluster. Raises CodegenError KC4252 for
    invalid clusters.
    """
    annotated = [
        (loop, value)
        for loop in launch_loops(root)
        if loop.annotations is not None
        and (value := loop.annotations.data.get(CLUSTER_DIM)) is not None
    ]
    sizes: dict[ForOp, int] = {}
    for loop, value in annotated:
        size = value.value.data if isinstance(value, IntegerAttr) else None
        why = None
        hint = f'sch.annotate(loop, "{CLUSTER_DIM}", 2), of a loop that is bound to blockIdx.x'
        if loop.axis not in BLOCK_AXES:
            why = f"the loop is bound to {loop.axis}, but a cluster consists of blocks"
        elif size is None or not 1 <= size <= MOST:
            why = f"it is {value if size is None else size}, but a cluster has 1 to {MOST} blocks"
        elif loop.static_extent is None or loop.static_extent % size:
            extent = "an unknown number of" if loop.static_extent is None else loop.static_extent
            why = f"there are {extent} blocks along {loop.axis}, no multiple of {size}"
            hint = (
                "split the loop by the number of blocks of a cluster, and bind the fusion "
                "of both parts"
            )
        elif size * math.prod(sizes.values()) > MOST:
            why = (
                f"a cluster would have {size * math.prod(sizes.values())} blocks over all axes, at "
                f"most {MOST} are allowed"
            )
            hint = "use fewer blocks along an axis: their product is the size of a cluster"
        elif (architecture := architecture_of(target)).number < FIRST:
            why = f"the target is {architecture.name}, but clusters need sm_{FIRST} or newer"
            hint = "remove the annotation"
        if why is not None or size is None:
            raise CodegenError(
                "KC4252",
                f"lower-tensor-copies: {CLUSTER_DIM} of loop {loop.label} cannot form clusters",
                location=location_of(loop),
                why=why,
                hints=[hint],
            )
        sizes[loop] = size
    ordered = sorted(sizes, key=lambda loop: BLOCK_AXES.index(str(loop.axis)))
    cluster = Cluster({loop: sizes[loop] for loop in ordered if sizes[loop] > 1})
    return cluster if cluster.sizes else None
