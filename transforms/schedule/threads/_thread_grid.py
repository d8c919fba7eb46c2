"""Thread blocks: work that all blocks repeat, and values that no block may read from another
block.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation, SSAValue

from kc.analysis.accesses.regions import buffers_read, buffers_written, scope_of, unit_of
from kc.analysis.loop_tree import all_loops_around, buffer_name, is_inside, memory_scope
from kc.analysis.trust import Undecided
from kc.dialects.tir import AllocOp, BlockOp, ForOp, StoreOp
from kc.dialects.tir.threads import BLOCK_AXES, is_shared
from kc.support.diagnostics import ScheduleError, warn
from kc.support.locations import location_of
from kc.transforms.schedule._blocks import describe
from kc.transforms.schedule.base import CALL_SITE, Site
from kc.transforms.schedule.threads._foreign_values import refuse_writer
from kc.transforms.schedule.threads._threads import Kernel


def _refuse_reader(
    site: Site,
    reader: Operation,
    writer: Operation,
    buffer: SSAValue,
    axis: str,
    undecided: Undecided | None = None,
) -> Exception:
    name = buffer_name(buffer)
    return site.refuse(
        "KC3408",
        f"{describe(reader)} {'may read' if undecided else 'reads'} a value that another "
        f"thread block writes to {name}",
        at=reader,
        mark={writer: f"writes {name}", reader: f"reads {name}"},
        why=undecided
        or f"{describe(reader)} is in no loop of {axis}, so it would run in all of these blocks, "
        "which run in any order",
        beside=[writer],
    )


def copy_in_grid(
    site: Site,
    block: BlockOp,
    anchor: Operation,
    what: str,
    target: tuple[str, str],
    stores: Iterable[Operation] = (),
) -> ScheduleError | None:
    """The refusal (KC3409, KC3408) of ``what`` for ``block`` beside ``anchor``; None if it is
    legal.

    All thread blocks along an axis must neither write its ``target``, a name and a memory scope,
    nor read the values that ``stores`` write in one of them.
    """
    threads = [loop for loop in all_loops_around(anchor) if loop.axis is not None]
    if not threads:
        return None
    kernel = Kernel(threads[0], threads[-1], threads[-1].axis or "")
    for loop, axis in kernel.loops():
        if axis not in BLOCK_AXES or kernel.around(anchor, axis):
            continue
        written, scope = target
        why = None
        if is_shared(scope, axis):
            why = f"every block along {axis} would write {written}, which is in {scope} memory"
        elif any(is_inside(store, kernel.root) and kernel.around(store, axis) for store in stores):
            why = f"every block along {axis} would read values of other blocks, in any order"
        if why is not None:
            return site.refuse(
                "KC3409" if is_shared(scope, axis) else "KC3408",
                f"{what} would be in the kernel, but in no loop of {axis}",
                at=block,
                mark={threads[0]: str(threads[0].axis), loop: axis, block: "here"},
                why=why,
            )
    return None


def warn_of_global(site: Site, allocs: Iterable[AllocOp], loop: ForOp) -> None:
    """Warn (KC3413) of global buffers that each thread would compute as a whole."""
    threads = [outer for outer in [*all_loops_around(loop), loop] if outer.axis is not None]
    for alloc in allocs:
        if threads and memory_scope(alloc.buffer) == "global":
            warn(
                "KC3413",
                f"{site.primitive}: each {threads[-1].axis} computes the elements of "
                f"{alloc.label} that all threads read",
                location=CALL_SITE.get() or location_of(alloc),
                why=f"{alloc.label} is in global memory, which all threads share",
                hints=[
                    "use set_scope first: a thread has local memory, its block has shared memory"
                ],
            )


def require_place_in_grid(site: Site, block: BlockOp, loop: ForOp, *, is_repeated: bool) -> None:
    """Refuse (KC3408, KC3409) to compute ``block`` in ``loop`` if all thread blocks would run it.

    If the computation ``is_repeated``, each thread block computes the elements that it reads. The
    block must then not be a reduction into global memory (KC3414).
    """
    around = [*all_loops_around(loop), loop]
    threads = [outer for outer in around if outer.axis is not None]
    if not threads:
        return
    kernel = Kernel(threads[0], threads[-1], threads[-1].axis or "")
    written = buffers_written(block)
    for axis in sorted({axis for _, axis in kernel.loops() if axis in BLOCK_AXES}):
        shared = next((buffer for buffer in written if is_shared(memory_scope(buffer), axis)), None)
        if any(outer.axis == axis for outer in around):
            if shared is not None and is_repeated and block.is_reduction:
                name = buffer_name(shared)
                raise site.refuse(
                    "KC3414",
                    f"every block along {axis} would accumulate {name}",
                    at=block,
                    mark={block: f"a reduction into {name}", loop: "the loop"},
                    why=f"{name} is in {memory_scope(shared)} memory, which all blocks share, and "
                    "blocks do not wait for each other",
                    hints=[f"set_scope puts {name} into shared or local memory"],
                    beside=[loop],
                )
            continue
        if shared is not None:
            raise refuse_writer(site, block, shared, axis, kernel)
        for buffer in buffers_read(block):
            for op in kernel.root.walk():
                if isinstance(op, StoreOp) and op.buffer is buffer and kernel.around(op, axis):
                    unit = unit_of(op, scope_of(kernel.root))
                    raise _refuse_reader(site, block, unit, buffer, axis)
