"""The overlap of the iterations of a loop, and its legality.

Statement ``c`` of iteration ``t`` runs in step ``t + stage(c)``; the statements of a step run in
the order of their annotation. Two instances are therefore reordered if the later one has the
smaller stage and follows by no more iterations than the difference of the stages
(:func:`_overtaken`). A dependence between such instances is refused. A buffer that belongs to an
iteration has one version for each iteration that has live values in it at the same time, and
carries no dependence between iterations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import base_buffer
from kc.analysis.accesses.instances import Instance, Space, Witness
from kc.analysis.affine.terms import Condition, equal
from kc.analysis.captures import captured_values
from kc.analysis.loop_tree import (
    all_loops_around,
    buffer_name,
    is_inside,
    memory_scope,
    touches_memory,
)
from kc.analysis.trust import Undecided
from kc.dialects.tir import AllocOp, CallOp, ForKind, ForOp, LoadOp, StoreOp, ViewOp
from kc.dialects.tir.calls import CallExternOp
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.tir.pipeline._pipeline_notes import (
    ORDER,
    STAGE,
    Notes,
    name_of,
    read_notes,
    statements,
)
from kc.transforms.tir.storage.compact_buffer_allocation import carries_values, is_passed_on

PASS = "inject-software-pipeline"


@dataclass(eq=False)
class Statement:
    """A statement of a pipelined loop, and its stage and order."""

    op: Operation
    """The child of the loop."""
    name: str
    stage: int
    order: int
    values: list[Operation]
    """The children of the loop that compute the operands of the statement, in order: indices, and
    loads."""
    parts: list[Operation] = field(default_factory=list)
    """The parts of the statement: the child, or the operations that a loop of one iteration
    groups."""

    def __post_init__(self) -> None:
        self.parts = self.parts or [self.op]

    @property
    def children(self) -> list[Operation]:
        """The children of the loop that belong to the statement, in order."""
        return [*self.values, *self.parts]


@dataclass(eq=False)
class Access:
    """An access to a buffer by an operation of a statement."""

    statement: Statement
    op: Operation
    child: Operation
    """The child of the loop that is or contains the operation."""
    buffer: SSAValue | None
    """The buffer; None if it may be any buffer."""
    writes: bool
    reads: bool

    @property
    def is_exact(self) -> bool:
        """True if the accessed element is known."""
        return isinstance(self.op, LoadOp | StoreOp) and self.op.buffer is self.buffer

    @property
    def verb(self) -> str:
        return "writes" if self.writes else "reads"


@dataclass(eq=False)
class Pipeline:
    """A pipelined loop."""

    loop: ForOp
    notes: Notes
    statements: list[Statement]
    accesses: list[Access] = field(default_factory=list)
    versions: dict[SSAValue, int] = field(default_factory=dict)
    """The buffers that belong to an iteration, each with the number of versions alive at the same
    time."""

    @property
    def steps(self) -> list[Statement]:
        """The statements in their order within a step."""
        return sorted(self.statements, key=lambda statement: statement.order)

    def touching(self, buffer: SSAValue) -> list[Access]:
        """The accesses of a buffer."""
        return [access for access in self.accesses if access.buffer is buffer]


def plan_pipeline(loop: ForOp) -> Pipeline:
    """The overlap of the iterations of ``loop``.

    Raises CodegenError: the errors of :func:`read_notes`; KC4233 for a value that one statement
    computes and another one uses; KC4234 if the pipeline would change the result; KC4235 for a
    buffer that cannot have versions.
    """
    ops = statements(loop)
    notes = read_notes(loop, [name_of(op) for op in ops], PASS)
    pipeline = Pipeline(loop, notes, _statements(loop, notes, ops))
    pipeline.accesses = list(_accesses(pipeline))
    for buffer in _own_buffers(pipeline):
        pipeline.versions[buffer] = _versions(pipeline, buffer)
    _require_order(pipeline)
    _require_versions(pipeline)
    return pipeline


# Statements ------------------------------------------------------------------------------------


def _statements(loop: ForOp, notes: Notes, ops: Sequence[Operation]) -> list[Statement]:
    users: dict[Operation, Operation] = {}
    result: list[Statement] = []
    for op, stage, order in zip(ops, notes.stages, notes.order, strict=True):
        needed: dict[Operation, None] = {}
        pending = captured_values(op)
        while pending:
            value = pending.pop()
            owner = value.owner
            if not isinstance(owner, Operation) or owner.parent is not loop.body.block:
                continue
            if owner in needed or isinstance(owner, AllocOp):
                continue
            if owner in ops or (
                isinstance(owner, LoadOp) and users.setdefault(owner, op) is not op
            ):
                raise _shared(loop, value, users.get(owner, owner), op)
            needed[owner] = None
            pending += captured_values(owner)
        values = [child for child in loop.body.block.ops if child in needed]
        result.append(Statement(op, name_of(op), stage, order, values))
    return result


def _shared(loop: ForOp, value: SSAValue, first: Operation, second: Operation) -> CodegenError:
    name = value.name_hint or "a value"
    return CodegenError(
        "KC4233",
        f"{PASS}: statements of loop {loop.label} share {name}, "
        "which is not an element of a buffer",
        location=location_of(second),
        facts=loop_tree.render(loop, {first: f"has {name}", second: f"uses {name}"}),
        why="two statements may run in different steps, and only buffers keep values between steps",
        hints=[f"store {name} in a buffer that is allocated in the loop, or load it twice"],
    )


def _accesses(pipeline: Pipeline) -> Iterator[Access]:
    for statement in pipeline.statements:
        for child in statement.children:
            for op in child.walk():
                if isinstance(op, LoadOp | StoreOp):
                    is_store = isinstance(op, StoreOp)
                    base = base_buffer(op.buffer)
                    yield Access(statement, op, child, base, is_store, not is_store)
                elif isinstance(op, CallExternOp | CallOp):
                    for value, reads, writes in op.accesses:
                        yield Access(statement, op, child, base_buffer(value), writes, reads)
                elif touches_memory(op):
                    yield from _unknown_accesses(statement, op, child)


def _unknown_accesses(statement: Statement, op: Operation, child: Operation) -> Iterator[Access]:
    buffers = [value for value in op.operands if isinstance(value.type, MemRefType)]
    for buffer in buffers:
        yield Access(statement, op, child, base_buffer(buffer), writes=True, reads=True)
    if not buffers:
        yield Access(statement, op, child, None, writes=True, reads=True)


# Buffers ---------------------------------------------------------------------------------------


def _own_buffers(pipeline: Pipeline) -> Iterator[SSAValue]:
    """The buffers that belong to an iteration: buffers allocated in it, and buffers that only the
    loop uses and of which an iteration reads only elements that it has written.
    """
    loop = pipeline.loop
    for buffer in dict.fromkeys(access.buffer for access in pipeline.accesses):
        if buffer is None or not isinstance(buffer.owner, AllocOp):
            continue
        if buffer.owner.parent is loop.body.block:
            yield buffer
        elif not is_inside(buffer.owner, loop) and _is_private(pipeline, buffer):
            yield buffer


def _is_private(pipeline: Pipeline, buffer: SSAValue) -> bool:
    """True if each iteration could have a private copy of a buffer from outside the loop."""
    accesses = pipeline.touching(buffer)
    ops = [access.op for access in accesses if isinstance(access.op, LoadOp | StoreOp)]
    ops += [
        use.operation
        for use in buffer.uses
        if isinstance(use.operation, ViewOp) and is_passed_on(use.operation)
    ]
    if {use.operation for use in buffer.uses} != set(ops):
        return False
    crossed = any(
        1 in _overtaken(first, second)
        for first in accesses
        for second in accesses
        if first.writes or second.writes
    )
    return crossed and not carries_values(ops, pipeline.loop)


def _versions(pipeline: Pipeline, buffer: SSAValue) -> int:
    """The number of iterations that have live values in a buffer at the same time.

    The writes of iteration ``t + n`` must come after all uses of the buffer in iteration ``t``.
    """
    count = 1
    accesses = pipeline.touching(buffer)
    for writer in (access.statement for access in accesses if access.writes):
        for user in (access.statement for access in accesses):
            count = max(count, user.stage - writer.stage + (user.order > writer.order))
    return count


def _require_versions(pipeline: Pipeline) -> None:
    """Require that a buffer with versions is only used by loads and stores, and has a known
    size."""
    loop = pipeline.loop
    for buffer, count in pipeline.versions.items():
        alloc = buffer.owner
        assert isinstance(alloc, AllocOp)
        if alloc.parent is not loop.body.block:
            continue
        if memory_scope(buffer) == "global" and _is_in_kernel(loop):
            raise _global_in_kernel(pipeline, alloc)
        for use in buffer.uses:
            op = use.operation
            if isinstance(op, ViewOp) and is_passed_on(op):
                continue
            if count > 1 and not (isinstance(op, LoadOp | StoreOp) and op.buffer is buffer):
                raise _no_versions(pipeline, buffer, op, f"{op.name} uses the whole buffer")
        for size in alloc.dynamic_sizes:
            if loop_tree.defined_inside(size, loop):
                name = size.name_hint or "a size"
                raise _no_versions(pipeline, buffer, alloc, f"{name} is computed in an iteration")


def _no_versions(pipeline: Pipeline, buffer: SSAValue, at: Operation, why: str) -> CodegenError:
    name, count = buffer_name(buffer), pipeline.versions[buffer]
    return CodegenError(
        "KC4235",
        f"{PASS}: {name} cannot be allocated {count} times in front of loop {pipeline.loop.label}",
        location=location_of(at),
        why=f"{why}, and {count} iterations have values in {name} at the same time"
        if count > 1
        else why,
        hints=["give the statements that use it the same stage"]
        if count > 1
        else [f"allocate {name} outside of the loop"],
    )


def _is_in_kernel(loop: ForOp) -> bool:
    axes = {around.axis for around in all_loops_around(loop)}
    return not axes.isdisjoint((*BLOCK_AXES, *LANE_AXES))


def _global_in_kernel(pipeline: Pipeline, alloc: AllocOp) -> CodegenError:
    name = buffer_name(alloc.buffer)
    return CodegenError(
        "KC4235",
        f"{PASS}: {name} cannot be allocated in front of loop {pipeline.loop.label}",
        location=location_of(alloc),
        why="it is global memory, which all blocks of a kernel would share, and the blocks are in "
        "different iterations at the same time",
        hints=[f'give {name} the scope "local" or "shared"'],
    )


# Legality --------------------------------------------------------------------------------------


def _overtaken(first: Access, second: Access) -> range:
    """The distances in iterations by which ``second`` may follow ``first`` and yet run before
    it.
    """
    earlier, later = first.statement, second.statement
    if earlier is later:
        return range(0)
    least = 0 if first.child.is_before_in_block(second.child) else 1
    return range(least, earlier.stage - later.stage + (earlier.order > later.order))


def _require_order(pipeline: Pipeline) -> None:
    """Require that no instance runs before an instance on which it depends."""
    possible: CodegenError | None = None
    for first in pipeline.accesses:
        for second in pipeline.accesses:
            if not (first.writes or second.writes):
                continue
            access_buffers = first.buffer is not None and second.buffer is not None
            if access_buffers and first.buffer is not second.buffer:
                continue
            distances = _overtaken(first, second)
            if first.buffer in pipeline.versions and access_buffers:
                distances = distances[: distances.count(0)]  # 0 comes first, if at all
            if not distances:
                continue
            witness = _conflict(pipeline.loop, first, second, distances)
            if witness is None:
                continue
            error = _refusal(pipeline, first, second, distances, *witness)
            if witness[0].undecided is None:
                raise error
            possible = possible or error
    if possible is not None:
        raise possible


def _conflict(
    loop: ForOp, first: Access, second: Access, distances: range
) -> tuple[Witness, Instance, Instance] | None:
    """Instances of two accesses that touch the same memory, the second one ``distances`` iterations
    later; None if there are no such instances.
    """
    space = Space()
    here = space.place(first.op)
    ordered = {
        around: here.loops[around]
        for around in all_loops_around(loop)
        if around.axis in BLOCK_AXES
        or (around.axis is None and around.kind.data is not ForKind.VECTORIZED)
    }
    there = space.place(second.op, ordered)
    if here.empty or there.empty:
        return None
    at, later = here.loops[loop], there.loops[loop]
    constraints: list[Condition] = [at + distances[0] <= later, later <= at + distances[-1]]
    if first.buffer is not None:
        constraints += space.same_buffer(first.buffer, here, there)
    if first.is_exact and second.is_exact:
        assert isinstance(first.op, LoadOp | StoreOp)
        assert isinstance(second.op, LoadOp | StoreOp)
        constraints += equal(space.element(first.op, here), space.element(second.op, there))
    witness = space.find([here, there], constraints)
    if witness is not None and not (first.is_exact and second.is_exact):
        unknown = second if first.is_exact else first
        reason = Undecided(f"the elements that {unknown.op.name} accesses are unknown")
        witness = Witness(witness.point, reason)
    return None if witness is None else (witness, here, there)


def _refusal(
    pipeline: Pipeline,
    first: Access,
    second: Access,
    distances: range,
    witness: Witness,
    here: Instance,
    there: Instance,
) -> CodegenError:
    loop = pipeline.loop
    earlier, later = first.statement, second.statement
    buffer = first.buffer if first.buffer is not None else second.buffer
    name = "memory" if buffer is None else buffer_name(buffer)
    if witness.undecided is None:
        by = witness[there.loops[loop]] - witness[here.loops[loop]]
        why = (
            f"{earlier.name} {first.verb} {name}{here.at(witness)}, which {later.name} "
            f"{second.verb}{there.at(witness)} and would do so before"
        )
        message = f"the pipeline of loop {loop.label} changes the result"
    else:
        by = distances[0]
        why = witness.undecided.reason
        message = f"the pipeline of loop {loop.label} is not proven to keep the result"
    least = earlier.stage - by + (earlier.order > later.order)
    numbered = {statement: n for n, statement in enumerate(pipeline.statements)}
    facts = [
        f"{numbered[statement]}: {statement.name}: stage {statement.stage}, order {statement.order}"
        for statement in (earlier, later)
    ]
    hints = [f"{STAGE}: at least {least} for statement {numbered[later]}"]
    if by == earlier.stage - later.stage:
        hints.append(f"{ORDER}: statement {numbered[later]} after statement {numbered[earlier]}")
    return CodegenError(
        "KC4234",
        f"{PASS}: {message}",
        location=location_of(loop),
        facts=facts,
        why=why,
        hints=hints,
    )
