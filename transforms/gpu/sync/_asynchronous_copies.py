"""Asynchronous copies to shared memory, and the statements that must wait for them.

A thread of an NVIDIA GPU from sm_80 on copies 4, 8 or 16 bytes from global to shared memory by
``cp.async`` and continues at once. Later it waits until at most a specified number of the groups of
copies that it has committed are in flight. This number follows from the pipeline: in each step the
copies of an asynchronous stage are a group, so the groups that are newer than those of an iteration
can be counted. A copy may store zeros where a condition does not hold, as in a tile that extends
beyond the last row of its matrix; it then reads no bytes.

From sm_90 on a thread also starts copies of whole boxes (TMA), whose bytes an mbarrier counts. A
ring of mbarriers has one for each version of the copied data (:mod:`._mbarrier_rings`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from kc.analysis.accesses.dependence import base_buffer
from kc.analysis.accesses.instances import Space
from kc.analysis.accesses.padded_copies import copied_load
from kc.analysis.affine.terms import any_of, equal
from kc.analysis.loop_tree import all_loops_around, buffer_name, memory_scope
from kc.dialects.tir import AllocOp, LoadOp, StoreOp
from kc.dialects.tir.threads import BLOCK_AXES
from kc.support.diagnostics import CodegenError, warn
from kc.support.locations import location_of
from kc.support.nvidia import architecture_of
from kc.support.target import Target
from kc.transforms.gpu.tensor_copies._mbarrier_rings import box_copies, bytes_of, target_of_copy
from kc.transforms.tir.pipeline._pipeline_notes import WARP_SPECIALIZE, is_pipelined
from kc.transforms.tir.pipeline._software_pipelining import Pipeline, Statement

_KINDS = ("cuda", "nvptx", "cuda-emu")
_SHARED = ("shared", "shared.dyn")


@dataclass(frozen=True)
class Group:
    """Statements of one stage that follow one another in a step; their copies are committed
    together."""

    statements: tuple[Statement, ...]

    @property
    def stage(self) -> int:
        return self.statements[0].stage

    @property
    def order(self) -> int:
        """The position in a step after which the group is committed."""
        return self.statements[-1].order


@dataclass(frozen=True)
class BoxGroup:
    """Statements of one stage that follow one another in a step and copy boxes. One mbarrier counts
    all their bytes, and the first statement that reads these bytes waits at it.
    """

    statements: tuple[Statement, ...]
    consumer: Statement
    count: int
    """The number of iterations in flight."""
    bytes: int
    """The number of bytes of an iteration."""


@dataclass
class AsynchronousCopies:
    """The asynchronous copies of a pipeline."""

    pipeline: Pipeline
    stores: list[StoreOp] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    consumers: dict[Statement, list[Group]] = field(default_factory=dict)
    """The groups for which each statement has to wait."""
    boxes: list[BoxGroup] = field(default_factory=list)
    is_specialized: bool = False
    """True if separate warps start the copies of boxes (``specialize-warps``)."""

    def ends_group(self, statement: Statement) -> bool:
        """True if the copies since the last group are committed as a group after ``statement``."""
        return any(group.statements[-1] is statement for group in self.groups)

    def pending(
        self,
        consumers: list[Statement],
        is_committed: Callable[[Group, int], bool],
        *,
        at_start: bool,
    ) -> int | None:
        """The number of groups that may be in flight when ``consumers`` begin; None if they need no
        group.

        This is the number of groups that are committed after the groups that the consumers need.
        ``is_committed(group, k)`` is true if a group was committed ``k`` steps before this step.
        With ``at_start`` the consumers wait at the start of a step, for the copies of earlier
        steps.
        """
        counts = [
            sum(
                is_committed(later, back)
                for back in range(lag + 1)
                for later in self.groups
                if (back < lag or later.order > group.order)
                and (back > 0 or (not at_start and later.order < consumer.order))
            )
            for consumer in consumers
            for group in self.consumers.get(consumer, ())
            if ((lag := consumer.stage - group.stage) > 0) == at_start
        ]
        return min(counts, default=None)


def plan_copies(pipeline: Pipeline, target: Target) -> AsynchronousCopies:
    """The copies of the asynchronous stages that can be asynchronous.

    Warns (KC4237) for each stage without such a copy, with the reasons. Raises CodegenError KC4251
    if separate warps are requested for a copy that the copy unit cannot perform.
    """
    plan = AsynchronousCopies(pipeline)
    is_possible = has_asynchronous_copies(target)
    all_reasons: list[str] = []
    commits = [op for op in pipeline.loop.walk() if op.name == "nvvm.cp.async.commit.group"]
    for stage in sorted(pipeline.notes.asynchronous):
        reasons: list[str] = []
        if not is_possible:
            reasons.append("only NVIDIA's GPUs from sm_80 on have asynchronous copies")
        elif commits:
            is_possible = False
            reasons.append("it contains groups of copies already, and groups are counted together")
        stores: list[StoreOp] = []
        boxes = list(_box_groups(pipeline, stage, reasons))
        for statement in pipeline.statements if is_possible else ():
            for access in pipeline.accesses:
                if access.statement is not statement or statement.stage != stage:
                    continue
                if isinstance(access.op, StoreOp):
                    reason = _obstacle(pipeline, statement, access.op)
                    if reason is None:
                        stores.append(access.op)
                    else:
                        reasons.append(reason)
        all_reasons += reasons
        if not stores and not boxes and not pipeline.notes.is_specialized:
            warn(
                "KC4237",
                f"inject-software-pipeline: nothing is copied asynchronously in stage {stage} of "
                f"loop {pipeline.loop.label}",
                location=location_of(pipeline.loop),
                why="; ".join(dict.fromkeys(reasons)) or "it stores nothing",
                hints=["its statements run like statements of other stages"],
            )
        plan.stores += stores
        plan.boxes += boxes
    if pipeline.notes.is_specialized:
        _require_boxes(plan, all_reasons)
        plan.is_specialized = True
        return plan
    plan.groups = list(_groups(plan))
    for statement in pipeline.statements:
        needed = [group for group in plan.groups if _needs(plan, statement, group)]
        if needed:
            plan.consumers[statement] = needed
    return plan


def _require_boxes(plan: AsynchronousCopies, reasons: list[str]) -> None:
    """Refuse (KC4251) a pipeline in which computing threads also copy."""
    loop = plan.pipeline.loop
    why = None
    if not plan.boxes:
        why = "; ".join(dict.fromkeys(reasons)) or "nothing is copied by tma_load"
    elif plan.stores:
        why = f"threads copy {buffer_name(plan.stores[0].buffer)}, element by element"
    elif any(outer.axis is None and is_pipelined(outer) for outer in all_loops_around(loop)):
        why = "it is in a loop with a pipeline of its own"
    if why is not None:
        raise CodegenError(
            "KC4251",
            f"inject-software-pipeline: separate warps cannot do the copies of loop {loop.label}",
            location=location_of(loop),
            why=f"{why}; one thread must start copies of whole tiles for the warps that compute",
            hints=[
                "tensorize the copies of tiles in an asynchronous stage by tma_load_..._shared",
                f"remove {WARP_SPECIALIZE}",
            ],
        )


def _groups(plan: AsynchronousCopies) -> Iterator[Group]:
    steps = plan.pipeline.steps
    copying = {
        access.statement for access in plan.pipeline.accesses if access.op in set(plan.stores)
    }
    run: list[Statement] = []
    for statement in steps:
        if run and not (statement in copying and statement.stage == run[0].stage):
            yield Group(tuple(run))
            run = []
        if statement in copying:
            run.append(statement)
    if run:
        yield Group(tuple(run))


def _box_groups(pipeline: Pipeline, stage: int, reasons: list[str]) -> Iterator[BoxGroup]:
    """The copies of boxes of a stage. The reasons why other copies do not qualify are appended to
    ``reasons``.
    """
    run: list[Statement] = []
    for statement in [*_in_order(pipeline), None]:
        is_next = False
        if statement is not None and statement.stage == stage and _copies_boxes(statement):
            reason = _box_obstacle(pipeline, statement)
            is_next = reason is None
            if reason is not None:
                reasons.append(reason)
        if is_next and statement is not None:
            run.append(statement)
            continue
        if run:
            yield _box_group(pipeline, run)
        run = []


def _in_order(pipeline: Pipeline) -> list[Statement]:
    """The statements in their order within a step, or in program order if the loop is not
    reordered.
    """
    return pipeline.statements if pipeline.notes.is_specialized else pipeline.steps


def _copies_boxes(statement: Statement) -> bool:
    return any(box_copies(child) for child in statement.children)


def _box_group(pipeline: Pipeline, run: list[Statement]) -> BoxGroup:
    targets = [target for statement in run for target in _targets(statement)]
    readers = [
        access.statement
        for access in pipeline.accesses
        if access.buffer in targets and access.reads
    ]
    order = _in_order(pipeline)
    first = 0 if pipeline.notes.is_specialized else 1
    consumer = min(readers, key=lambda reader: (first * reader.stage, order.index(reader)))
    count = max(pipeline.versions[target] for target in targets)
    bytes_ = sum(bytes_of(child) or 0 for statement in run for child in statement.children)
    return BoxGroup(tuple(run), consumer, count, bytes_)


def _targets(statement: Statement) -> list[SSAValue]:
    targets = [target_of_copy(call) for child in statement.children for call in box_copies(child)]
    return [target for target in targets if target is not None]


def _box_obstacle(pipeline: Pipeline, statement: Statement) -> str | None:
    """The reason why the copies of boxes of a statement cannot be asynchronous; None if they
    can.
    """
    calls = {call for child in statement.children for call in box_copies(child)}
    own = [access for access in pipeline.accesses if access.statement is statement]
    if any(access.op not in calls for access in own):
        return f"{statement.name} does more than copy boxes"
    if any(bytes_of(child) is None for child in statement.children):
        return f"the number of boxes of {statement.name} is not constant"
    for access in own:
        around = [
            near
            for near in pipeline.accesses
            if near.buffer in (None, access.buffer) and near.op not in calls
        ]
        name = "memory" if access.buffer is None else buffer_name(access.buffer)
        if not access.writes:
            if any(near.writes for near in around):
                return f"{name}, which is copied, is written in the loop"
        elif access.buffer is None or access.buffer not in pipeline.versions:
            return f"{name} is not shared memory of an iteration"
        elif any(near.writes for near in around):
            return f"there are other stores to {name}"
        elif not any(near.reads for near in around):
            return f"nothing in the loop reads {name}"
    return None


def _needs(plan: AsynchronousCopies, statement: Statement, group: Group) -> bool:
    copied = {store.buffer for store in plan.stores}
    theirs = {
        access.buffer
        for access in plan.pipeline.accesses
        if access.statement in group.statements and access.writes and access.buffer in copied
    }
    return statement not in group.statements and any(
        access.statement is statement and (access.buffer is None or access.buffer in theirs)
        for access in plan.pipeline.accesses
    )


def _obstacle(pipeline: Pipeline, statement: Statement, store: StoreOp) -> str | None:
    """The reason why a store cannot be an asynchronous copy; None if it can."""
    buffer = store.buffer
    name = buffer.owner.label if isinstance(buffer.owner, AllocOp) else "an argument"
    if memory_scope(buffer) not in _SHARED or buffer not in pipeline.versions:
        return f"{name} is not shared memory of an iteration"
    load = copied_load(store.value)
    if load is None or memory_scope(load.buffer) != "global":
        return f"the value stored to {name} is not an unchanged element of global memory"
    source = base_buffer(load.buffer)
    if source is None or any(
        access.writes and access.buffer in (None, source) for access in pipeline.accesses
    ):
        return f"the source of the copy to {name} is written in the loop"
    if not (load.result.has_one_use() and store.value.has_one_use()):
        return f"the value copied to {name} has other uses"
    around = pipeline.touching(buffer)
    if any(access.op is not store and access.writes for access in around):
        return f"there are other stores to {name}"
    if any(access.statement is statement and access.reads for access in around):
        return f"the statement reads {name} itself"
    if not any(access.reads for access in around):
        return f"nothing in the loop reads {name}"
    if _overwrites(pipeline, load, store):
        return f"an element of {name} is stored more than once in an iteration"
    return None


def _overwrites(pipeline: Pipeline, load: LoadOp, store: StoreOp) -> bool:
    """True if an iteration copies different elements to one place, so that their order matters."""
    space = Space()
    here = space.place(store)
    shared = {
        loop: here.loops[loop]
        for loop in (*all_loops_around(pipeline.loop), pipeline.loop)
        if loop.axis is None or loop.axis in BLOCK_AXES
    }
    there = space.place(store, shared)
    apart = [
        lhs.differs(rhs)
        for lhs, rhs in zip(space.element(load, here), space.element(load, there), strict=True)
    ]
    if load is not store.value.owner:  # an element, or zero
        apart = [
            number.differs(there.loops[loop])
            for loop, number in here.loops.items()
            if loop not in shared
        ]
    if not apart:
        return False
    constraints = equal(space.element(store, here), space.element(store, there))
    constraints += space.same_buffer(store.buffer, here, there)
    return space.find([here, there], [*constraints, any_of(apart)]) is not None


def has_asynchronous_copies(target: Target) -> bool:
    """True if kernels for a target can copy by ``cp.async``: on NVIDIA's GPUs from sm_80 on."""
    return str(target.kind) in _KINDS and architecture_of(target).number >= 80
