"""Values that threads exchange in divergent branches, where they cannot wait for each other.

A barrier waits for all threads of a block, or of a warp for the memory of warps. A branch that some
threads do not take cannot contain a barrier, nor can a loop that some threads have left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from xdsl.ir import Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Instance, Space, Supply, Witness, touched
from kc.analysis.accesses.regions import scope_of, unit_of
from kc.analysis.affine.terms import Condition, Term, equal
from kc.analysis.loop_tree import all_loops_around, buffer_name, memory_scope
from kc.analysis.reductions.reductions import updates_of
from kc.dialects.tir import BlockOp, ForOp, IfOp, LoadOp, StoreOp
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES, is_shared
from kc.transforms.schedule._blocks import describe, witness_text
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.threads._threads import Kernel

Branch = IfOp | BlockOp | ForOp


def require_convergence(site: Site, kernel: Kernel) -> None:
    """Refuse (KC3418) a read of another thread's value in a branch that not all threads of the
    block, or of the warp, take together.
    """
    lanes = {axis for _, axis in kernel.loops()} & set(LANE_AXES)
    for branch in loop_tree.preorder(kernel.root) if lanes else ():
        if _is_branch(branch):
            for load, store in _exchanges(branch):
                for axis in LANE_AXES:
                    if axis in lanes and is_shared(memory_scope(load.buffer), axis):
                        question = _Question(kernel, branch, axis, load, store)
                        witness = question.ask()
                        if witness is not None:
                            raise _refuse(site, question, witness)


def _is_branch(op: Operation) -> TypeGuard[Branch]:
    """True if some threads may enter ``op`` and others not."""
    if isinstance(op, BlockOp):
        return bool(op.predicate.data.constraints)
    return isinstance(op, IfOp) or (isinstance(op, ForOp) and op.static_extent is None)


def _exchanges(branch: Operation) -> Iterator[tuple[LoadOp, StoreOp]]:
    """The loads in a branch, each with the stores to its buffer in the branch.

    The loads of a reduction's init and updates are excluded. Threads combine these values around
    the block, and threads outside the block contribute nothing.
    """
    reduction = updates_of(branch) if isinstance(branch, BlockOp) else None
    updates = {(update.load, update.store) for update in reduction.updates} if reduction else set()
    parts = [[region] for region in branch.regions]
    if isinstance(branch, BlockOp):  # its init is under the same condition
        parts = [list(branch.regions)]
        starts = [op for op in branch.init.walk() if isinstance(op, StoreOp)] if reduction else []
        updates |= {(load, start) for load, _ in updates for start in starts}
    for regions in parts:
        blocks = [block for region in regions for block in region.blocks]
        ops = [op for block in blocks for top in block.ops for op in loop_tree.preorder(top)]
        stores: dict[SSAValue, list[StoreOp]] = {}
        for op in ops:
            if isinstance(op, StoreOp):
                stores.setdefault(op.buffer, []).append(op)
        for op in ops:
            if isinstance(op, LoadOp):
                for store in stores.get(op.buffer, ()):
                    if (op, store) not in updates:
                        yield op, store


@dataclass
class _Question:
    """A query for a read by ``load`` of a value that ``store`` has written in another thread along
    ``axis``, while a third thread is outside the branch.
    """

    kernel: Kernel
    branch: Branch
    axis: str
    load: LoadOp
    store: StoreOp

    def ask(self) -> Witness | None:
        """A witness with a reader, a writer and an absent thread; None if there is none."""
        kernel = self.kernel
        if not kernel.around(self.store, self.axis):
            return None  # all threads along it write
        self.space = space = Space({kernel.loop: kernel.axis})
        self.read, self.write = space.instance(self.load), space.instance(self.store)
        self.absent = space.place(self.branch)
        self.reader = self._number(self.read, self.load)
        self.writer = self._number(self.write, self.store)
        names = touched(len(self.load.indices.data.results))
        return space.find(
            [self.read, self.write, self.absent],
            [
                *equal(names, space.element(self.load, self.read)),
                *equal(names, space.element(self.store, self.write)),
                *space.same_buffer(self.load.buffer, self.read, self.write),
                *self._together(self.read, self.write),
                *self._together(self.read, self.absent),
                self._is_absent(),
                space.may_precede(self.write, self.read),
                self.reader.differs(self.writer),
            ],
            names,
            self._own_stores(),
        )

    def _number(self, instance: Instance, op: Operation) -> Term:
        around = self.kernel.around(op, self.axis)
        if around:
            return instance.loops[around[0]]
        dim = self.space.dim(instance)
        size = self.space.size(self.kernel.extent(self.axis), instance)
        instance.constraints.append(dim.within(size))
        return dim

    def _together(self, first: Instance, second: Instance) -> Iterator[Condition]:
        """The conditions that both instances run in one execution of the branch, in threads that
        can wait there for each other.
        """
        waiting = {"threadIdx.x"} if memory_scope(self.load.buffer) == "warp" else set(LANE_AXES)
        branch = self.branch
        loops = all_loops_around(branch)
        if isinstance(branch, ForOp) and branch in first.loops and branch in second.loops:
            loops.append(branch)
        for loop in loops:
            if self.kernel.axis_of(loop) not in waiting:
                yield first.loops[loop].equals(second.loops[loop])
        for axis in BLOCK_AXES:
            here, there = (
                [dim for loop, dim in instance.loops.items() if self.kernel.axis_of(loop) == axis]
                for instance in (first, second)
            )
            if here and there:
                yield here[0].equals(there[0])

    def _is_absent(self) -> Condition:
        space, branch, absent = self.space, self.branch, self.absent
        if isinstance(branch, ForOp):
            assert isinstance(branch.extent_value, SSAValue)
            return space.value(branch.extent_value, absent) <= self.read.loops[branch]
        if isinstance(branch, BlockOp):
            operands = branch.predicate_operands
            return ~space.condition(branch.predicate.data, operands, absent)
        holds = space.condition(branch.condition.data, branch.operands_of_set, absent)
        return ~holds if branch.then.is_ancestor(self.load) else holds

    def _own_stores(self) -> Sequence[Supply]:
        """The stores in the reader's own thread between the write and the read."""
        space, read = self.space, self.read
        supplies: list[Supply] = []
        for use in self.load.buffer.uses:
            op = use.operation
            if not isinstance(op, StoreOp) or not loop_tree.is_inside(op, self.kernel.root):
                continue
            own = space.instance(op)
            around = self.kernel.around(op, self.axis)
            supplies.append(
                Supply(
                    own,
                    space.element(op, own),
                    [
                        *([own.loops[around[0]].equals(self.reader)] if around else []),
                        *(
                            own.loops[loop].equals(read.loops[loop])
                            for loop in all_loops_around(self.kernel.root)
                        ),
                        *space.same_buffer(self.load.buffer, own, read),
                        space.before(own, read),
                        ~space.before(own, self.write),
                    ],
                )
            )
        return supplies

    def absent_thread(self, witness: Witness) -> str:
        """The coordinates of the absent thread."""
        axes = {
            axis: witness[self.absent.loops[loop]]
            for loop in all_loops_around(self.branch)
            if (axis := self.kernel.axis_of(loop)) in LANE_AXES
        }
        return ", ".join(f"{axis} {number}" for axis, number in axes.items())


def _refuse(site: Site, question: _Question, witness: Witness) -> Exception:
    load, store, axis = question.load, question.store, question.axis
    scope = scope_of(question.kernel.root)
    reader, writer = unit_of(load, scope), unit_of(store, scope)
    name = buffer_name(load.buffer)
    memory = memory_scope(load.buffer)
    why = witness.undecided
    if why is None:
        why = (
            f"{axis} {witness[question.reader]} reads {name}"
            f"{witness_text(question.space, witness)}, which {axis} "
            f"{witness[question.writer]} writes; {question.absent_thread(witness)} does not "
            f"reach it, and all threads of a {'warp' if memory == 'warp' else 'block'} wait "
            "together"
        )
    return site.refuse(
        "KC3418",
        f"{describe(reader)} "
        + ("may read" if witness.undecided else "reads")
        + f" a value that another thread writes to {name}, in a branch that not all threads take",
        at=reader,
        mark={
            writer: f"writes {name}",
            reader: f"reads {name}",
            question.branch: "not in all threads",
        },
        why=why,
        hints=[
            "guard each access by a condition of its own, so that all threads can wait in between"
        ],
        beside=[writer],
    )
