"""inject-virtual-thread: virtual threads run interleaved in one thread, operation by operation.

Before::

    tir.for %v in 2 thread "vthread" {
      %C = tir.alloc "C" : memref<1xf32, "local">
      tir.for %k in 8 {
        %x = tir.load %A[%v * 8 + %k] : memref<16xf32>
        %c = tir.load %C[0] : memref<1xf32, "local">
        ...

After::

    %C = tir.alloc "C" : memref<1xf32, "local">
    %C_1 = tir.alloc "C_1" : memref<1xf32, "local">
    tir.for %k in 8 {
      %x = tir.load %A[%k] : memref<16xf32>
      %x_1 = tir.load %A[8 + %k] : memref<16xf32>
      %c = tir.load %C[0] : memref<1xf32, "local">
      %c_1 = tir.load %C_1[0] : memref<1xf32, "local">
      ...

Virtual threads are in lockstep (:mod:`kc.dialects.tir.threads`): each operation runs for all
virtual threads before the next operation. A serial loop stays one loop for all virtual threads.
Operations that do not depend on the virtual thread run once. Each virtual thread has its own
registers. The result is therefore exact for any exchange between virtual threads.

*Legal when*

1. KC4224: the number of virtual threads is a constant, at most 256 in all, as each becomes code.
2. KC4224: in a branch or loop that depends on the virtual thread, which each virtual thread runs
   alone, no two touch one element of shared memory in an order that differs from lockstep.

TVM: ``InjectVirtualThread``, which adds a dimension to the buffers and unrolls or loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import Access, Conflict, Scope, Statement
from kc.analysis.affine.terms import Condition, all_of, any_of
from kc.analysis.captures import captured_values
from kc.analysis.loop_tree import all_loops_around, memory_scope
from kc.dialects.tir import INDEX, AllocOp, ForOp, IfOp
from kc.dialects.tir.threads import VIRTUAL_AXES, is_same_axis, is_shared
from kc.support.diagnostics import CodegenError
from kc.support.fresh_names import fresh_name
from kc.support.locations import location_of

LIMIT = 256
"""The most virtual threads of one real thread."""

Values = dict[SSAValue, SSAValue]
"""The copy of each value for one virtual thread."""


@dataclass(frozen=True)
class InjectVirtualThreadPass(ModulePass):
    """Run the virtual threads of a thread together, each operation for all of them."""

    name = "inject-virtual-thread"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        for function in loop_tree.functions(op):
            outermost = [
                loop
                for loop in loop_tree.loops(function)
                if loop.axis in VIRTUAL_AXES
                and not any(outer.axis in VIRTUAL_AXES for outer in all_loops_around(loop))
            ]
            for loop in outermost:
                _require_interleaving(loop)
            names = {op.label for op in loop_tree.preorder(function) if isinstance(op, AllocOp)}
            for loop in outermost:
                Rewriter.replace_op(loop, _Interleaving(names).run(loop), [])


def _require_interleaving(root: ForOp) -> None:
    """Refuse (KC4224) virtual threads that cannot be interleaved."""
    dependent: set[SSAValue] = set()
    for loop in loop_tree.loops(root):
        if loop.axis not in VIRTUAL_AXES:
            continue
        dependent |= loop_tree.derived_values(loop.var)
        count = 1
        for outer in [*all_loops_around(loop), loop]:
            is_virtual = outer.axis in VIRTUAL_AXES
            if outer is not loop and is_same_axis(outer.axis, loop.axis):
                is_virtual = False
            if is_virtual and outer.static_extent is None:
                assert outer.dynamic_extent is not None
                raise _refuse(
                    outer,
                    f"the number of virtual threads of loop {outer.label} is not constant",
                    f"it is {outer.dynamic_extent.name_hint or 'computed'}, but each virtual "
                    "thread becomes separate code",
                    "split the loop by a constant factor, and bind that part",
                )
            count *= outer.static_extent or 1 if is_virtual else 1
        if count > LIMIT:
            raise _refuse(
                loop,
                f"{count} virtual threads run in one thread",
                f"each of them becomes separate code, so at most {LIMIT} are allowed",
                'bind the outer part to "blockIdx" or leave it serial',
            )
    branches = [
        op
        for op in loop_tree.preorder(root)
        if isinstance(op, IfOp | ForOp) and dependent.intersection(op.operands)
    ]
    if branches:
        scope = Scope(root, axis="vthread", apart=True)
        for op in branches:
            conflict = _exchange(scope, root, op)
            if conflict is not None:
                buffer = conflict.source_access.buffer or conflict.sink_access.buffer
                name = "memory" if buffer is None else loop_tree.buffer_name(buffer)
                raise _refuse(
                    op,
                    f"virtual threads may exchange values in {name} at a place that not all of "
                    "them reach",
                    "virtual threads run in lockstep, and the condition depends on the virtual "
                    "thread",
                    "fuse the loops of virtual threads into one"
                    if _is_moved(conflict.source, conflict.sink, op)
                    else "put a condition around the store and another one around the load",
                    [
                        str(conflict.explain()),
                        *(
                            f"{access.verb} {name}: {location_of(access.op)}"
                            for access in (conflict.source_access, conflict.sink_access)
                        ),
                    ],
                )


def _refuse(
    op: Operation, what: str, why: str, hint: str, facts: Sequence[str] = ()
) -> CodegenError:
    return CodegenError(
        "KC4224",
        f"inject-virtual-thread: {what}",
        location=location_of(op),
        facts=facts,
        why=why,
        hints=[hint],
    )


def _is_moved(source: Statement, sink: Statement, branch: Operation) -> bool:
    """True if both statements are the same operation, which each thread executes once in a branch.
    The branch then only reorders threads.
    """
    return (
        source.op is sink.op
        and source.block is None
        and not any(isinstance(op, ForOp) for op in loop_tree.preorder(branch))
    )


def _exchange(scope: Scope, root: ForOp, branch: Operation) -> Conflict | None:
    """A pair of accesses to one shared element, by different virtual threads in a branch, whose
    order changes if each thread runs the branch alone; None if there is no such pair.

    Both accesses are in the same iteration of the loops around the branch.
    """
    members = set(loop_tree.preorder(branch))
    around = [loop for loop in all_loops_around(branch) if loop_tree.is_inside(loop, root)]

    def breaks(source: Statement, sink: Statement) -> Condition | None:
        if source.op not in members or sink.op not in members:
            return None
        pairs = list(zip(around, source.times("s"), sink.times("t"), strict=False))
        common = [s.equals(t) for loop, s, t in pairs if loop.axis not in VIRTUAL_AXES]
        virtual = [(s, t) for loop, s, t in pairs if loop.axis in VIRTUAL_AXES]
        if _is_moved(source, sink, branch):
            # Threads that take the branch in the same way run it together. A thread may therefore
            # run before another one that is earlier along an outer loop and later along an inner
            # loop.
            moved = [
                all_of([outer[0] < outer[1], inner[0] > inner[1]])
                for n, outer in enumerate(virtual)
                for inner in virtual[n + 1 :]
            ]
            return all_of([*common, any_of(moved)]) if moved else None
        apart = any_of([order for s, t in virtual for order in (s < t, s > t)])
        return all_of([*common, apart])

    def concerns(a: Access, b: Access) -> bool:
        return all(
            access.buffer is None or is_shared(memory_scope(access.buffer), "vthread")
            for access in (a, b)
        )

    return scope.find(breaks, ignore_reductions=False, concerns=concerns, threads=False)


@dataclass
class _Interleaving:
    """Builds the code of all virtual threads."""

    names: set[str]
    """The names of buffers in use."""
    at: list[Operation] = field(default_factory=list)
    """The operations of the block under construction."""

    def run(self, loop: ForOp) -> list[Operation]:
        """The operations that replace a loop of virtual threads."""
        self._loop(loop, [{}])
        return self.at

    def _ops(self, ops: Iterable[Operation], threads: list[Values]) -> None:
        for op in ops:
            if isinstance(op, ForOp) and op.axis in VIRTUAL_AXES:
                self._loop(op, threads)
            elif isinstance(op, AllocOp):
                self._alloc(op, threads)
            else:
                for alike in self._alike(op, threads):
                    self._together(op, alike)

    def _loop(self, loop: ForOp, threads: list[Values]) -> None:
        same = [outer for outer in all_loops_around(loop) if is_same_axis(outer.axis, loop.axis)]
        if same:  # each runs its own iteration
            inner = [{**values, loop.var: values[same[0].var]} for values in threads]
            self._ops(loop.body.block.ops, inner)
            return
        extent = loop.static_extent
        assert extent is not None
        numbers: list[SSAValue] = []
        for number in range(extent):
            constant = arith.ConstantOp.from_int_and_width(number, INDEX)
            constant.location = loop.location
            self.at.append(constant)
            numbers.append(constant.result)
        inner = [{**values, loop.var: number} for values in threads for number in numbers]
        self._ops(loop.body.block.ops, inner)

    def _alloc(self, op: AllocOp, threads: list[Values]) -> None:
        if is_shared(memory_scope(op.buffer), "vthread"):
            self._clone(op, threads)
            return
        for n, values in enumerate(threads):
            alloc = self._clone(op, [values])
            assert isinstance(alloc, AllocOp)
            if n:
                alloc.buffer_name = StringAttr(fresh_name(op.label, self.names))

    def _alike(self, op: Operation, threads: list[Values]) -> Iterable[list[Values]]:
        """The threads in groups for which an operation has the same operands. The regions of loops
        and branches are ignored.
        """
        used = op.operands if isinstance(op, ForOp | IfOp) else captured_values(op)
        alike: dict[tuple[SSAValue, ...], list[Values]] = {}
        for values in threads:
            key = tuple(values.get(value, value) for value in used)
            alike.setdefault(key, []).append(values)
        return alike.values()

    def _together(self, op: Operation, threads: list[Values]) -> None:
        if not isinstance(op, ForOp | IfOp):
            self._clone(op, threads)
            return
        regions: list[Region] = []
        outer = self.at
        for region in op.regions:
            blocks: list[Block] = []
            for block in region.blocks:
                new = Block(arg_types=[arg.type for arg in block.args])
                for old, arg in zip(block.args, new.args, strict=True):
                    arg.name_hint = old.name_hint
                inner = [
                    {**values, **dict(zip(block.args, new.args, strict=True))} for values in threads
                ]
                self.at = []
                self._ops(block.ops, inner)
                new.add_ops(self.at)
                blocks.append(new)
            regions.append(Region(blocks))
        self.at = outer
        shell = op.clone_without_regions(threads[0])
        for n, region in enumerate(regions):
            region.move_blocks(shell.regions[n])
        shell.location = op.location
        self.at.append(shell)

    def _clone(self, op: Operation, threads: list[Values]) -> Operation:
        """Emit one copy of an operation for a group of threads."""
        mapper = dict(threads[0])
        new = op.clone(mapper)
        for old, copy in zip(op.walk(), new.walk(), strict=True):
            copy.location = old.location
        for values in threads:
            values.update(zip(op.results, new.results, strict=True))
        self.at.append(new)
        return new
