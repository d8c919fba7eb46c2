"""gpu-rows: one kernel for stages that share rows, such as softmax and normalizations.

The producers of a block move into the loops that all stages share, such as the loop over rows. Each
iteration becomes one block of the grid. The intermediate results of a row stay in shared memory,
and the threads of the block take the elements of each stage, or reduce them together.
"""

from __future__ import annotations

from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.rule import GpuRule
from kc.transforms.auto_schedule.gpu.threads import WARP, fused, threads_for, to_blocks
from kc.transforms.auto_schedule.nests import Nest, is_untouched, iterations
from kc.transforms.auto_schedule.rows import Group, group_of

SHARED = 48 * 1024
"""The bytes of shared memory that a block has by default."""


class GpuRows(GpuRule):
    """Compute stages that share rows with a block for each row."""

    name = "gpu-rows"

    def schedule(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if not is_untouched(nest.block) or not nest.is_plain or not nest.spatial:
            return False
        group = group_of(draft, nest)
        stages = (nest, *group.members)
        if not group.members or not any(stage.block.is_reduction for stage in stages):
            return False
        if _shared_bytes(group) > SHARED:
            return False
        _perform(draft, group)
        return True


def _shared_bytes(group: Group) -> int:
    return sum(
        iterations(loop for loop in member.spatial if loop not in group.shared_by(member))
        * store.bits
        // 8
        for member in group.members
        for store in member.stores
    )


def _perform(draft: Draft, group: Group) -> None:
    root = group.root
    inner = [
        iterations(loop for loop in stage.loops if loop not in group.shared_by(stage))
        for stage in (root, *group.members)
    ]
    if max(inner) < WARP:
        raise ScheduleError("KC3040", "a row has fewer elements than a warp has threads")
    threads = threads_for(max(inner))
    handles = draft.loops(root.name)
    shared = [handles[loop] for loop in root.loops if loop in group.shared]
    rest = [handles[loop] for loop in root.loops if loop not in group.shared]
    draft.put_in_order([*shared, *rest])
    place = to_blocks(draft, shared)
    names = [member.name for member in group.members]
    for name in names:
        for number in range(len(draft.nest(name).stores)):
            draft.set_scope(draft.block(name), number, "shared")
        draft.compute_at(draft.block(name), place)
    for name in (root.name, *names):
        _share(draft, draft.nest(name), threads)
        draft.settled.add(name)


def _share(draft: Draft, nest: Nest, threads: int) -> None:
    """Distribute the elements or the terms of a stage over the threads of a block."""
    handles = draft.loops(nest.name)
    own = [loop for loop in nest.spatial if loop.axis is None]
    terms = [loop for loop in nest.reduce if loop.axis is None]
    loops = own if not terms or iterations(own) >= WARP else terms
    if not loops:
        loop = draft.add_unit_loop(draft.block(nest.name))
        _, thread = draft.split(loop, [None, threads])  # only the first thread runs it
        draft.bind(thread, "threadIdx.x")
        return
    draft.put_in_order([handles[loop] for loop in (*own, *terms)])
    _, thread = draft.split(fused(draft, [handles[loop] for loop in loops]), [None, threads])
    draft.bind(thread, "threadIdx.x")
