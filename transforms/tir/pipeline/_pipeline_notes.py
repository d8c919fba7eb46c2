"""The annotations of a loop that describe its software pipeline, and the statements of the
pipeline.

Shared by ``plan-software-pipeline``, which groups the operations of each statement so that later
passes do not separate them, and ``inject-software-pipeline``, which overlaps the statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr
from xdsl.ir import Attribute, Operation

from kc.analysis import loop_tree
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import AllocOp, BlockOp, ForKind, ForOp, LoadOp, StoreOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

STAGE = "software_pipeline_stage"
"""The annotation with the stage of each statement of a loop."""
ORDER = "software_pipeline_order"
"""The annotation with the position of each statement in an iteration of the pipeline."""
ASYNC = "software_pipeline_async_stages"
"""The annotation with the stages whose copies are asynchronous."""
WARP_SPECIALIZE = "software_pipeline_warp_specialize"
"""The annotation of a loop whose copies of boxes are started by separate warps (a boolean)."""
STATEMENT = "software_pipeline_statement"
"""The annotation of a loop of one iteration around one statement of a pipeline."""

_KEYS = (STAGE, ORDER, ASYNC, WARP_SPECIALIZE)
_PIPELINED = (ForKind.SERIAL, ForKind.UNROLLED)


@dataclass(frozen=True)
class Notes:
    """The annotations of a pipelined loop, one entry per statement; the first stage is 0."""

    stages: tuple[int, ...]
    order: tuple[int, ...]
    asynchronous: frozenset[int]
    is_specialized: bool = False
    """True if separate warps start the copies of boxes."""

    @property
    def depth(self) -> int:
        """The number of iterations in flight besides the oldest one."""
        return max(self.stages, default=0)


def note(loop: ForOp, key: str) -> Attribute | None:
    """The annotation ``key`` of a loop, or its pragma of the same name; None if the loop has
    neither.
    """
    data = loop.annotations.data if loop.annotations is not None else {}
    return data.get(key, data.get(f"pragma_{key}"))


def is_pipelined(op: Operation) -> bool:
    """True if ``op`` is a loop whose annotations describe a pipeline."""
    return isinstance(op, ForOp) and any(note(op, key) is not None for key in _KEYS)


def is_grouped(op: Operation) -> bool:
    """True if ``op`` is a loop of one iteration around a statement."""
    return isinstance(op, ForOp) and note(op, STATEMENT) is not None


def other_notes(loop: ForOp) -> dict[str, Attribute]:
    """The annotations of a loop that do not belong to its pipeline."""
    mine = {name for key in _KEYS for name in (key, f"pragma_{key}")}
    data = loop.annotations.data if loop.annotations is not None else {}
    return {key: value for key, value in data.items() if key not in mine}


def statements(loop: ForOp) -> list[Operation]:
    """The statements of a loop, in order: the operations in its body that have an effect.

    The values and loads that a statement uses belong to the statement; allocations belong to the
    iteration.
    """
    return [
        op
        for op in loop.body.block.ops
        if loop_tree.has_work(op) and not isinstance(op, LoadOp | AllocOp)
    ]


def read_notes(loop: ForOp, names: Sequence[str], pass_name: str) -> Notes:
    """The annotations of ``loop`` for the statements called ``names``.

    Raises CodegenError KC4231 for a loop whose iterations do not run in order, KC4230 if the number
    of entries is not the number of statements, KC4232 for an invalid stage, order or asynchronous
    stage.
    """
    if loop.kind.data not in _PIPELINED:
        raise CodegenError(
            "KC4231",
            f"{pass_name}: loop {loop.label}, which has a software pipeline, is {loop.kind_text}",
            location=location_of(loop),
            why="a pipeline overlaps an iteration with the next ones, so iterations must run in "
            "order",
            hints=["annotate a serial loop"],
        )
    stage_note = note(loop, STAGE)
    if stage_note is None:
        key = next(key for key in _KEYS if note(loop, key) is not None)
        raise _wrong(pass_name, loop, key, f"stands without {STAGE}", "each statement has a stage")
    stages = _numbers(pass_name, loop, STAGE, names)
    order = _numbers(pass_name, loop, ORDER, names)
    if order is None:
        order = list(range(len(names)))
    assert stages is not None
    for key, numbers in ((STAGE, stages), (ORDER, order)):
        if len(numbers) != len(names):
            raise _wrong_count(pass_name, loop, key, numbers, names)
    if any(stage < 0 for stage in stages):
        raise _wrong(pass_name, loop, STAGE, f"is {stages}", "a stage is at least 0")
    if sorted(order) != list(range(len(names))):
        raise _wrong(
            pass_name, loop, ORDER, f"is {order}", f"it has each of 0 to {len(names) - 1} once"
        )
    asynchronous = _numbers(pass_name, loop, ASYNC, names) or []
    for stage in asynchronous:
        if stage not in stages:
            raise _wrong(
                pass_name,
                loop,
                ASYNC,
                f"has {stage}, which is the stage of no statement",
                f"the stages are {', '.join(map(str, sorted(set(stages))))}",
            )
    first = min(stages, default=0)
    return Notes(
        tuple(stage - first for stage in stages),
        tuple(order),
        frozenset(stage - first for stage in asynchronous),
        _is_specialized(pass_name, loop),
    )


def _is_specialized(pass_name: str, loop: ForOp) -> bool:
    value = note(loop, WARP_SPECIALIZE)
    if isinstance(value, IntegerAttr) and value.value.data in (0, 1, -1):
        return value.value.data != 0
    if value is None:
        return False
    raise _wrong(pass_name, loop, WARP_SPECIALIZE, f"is {value}", "it is true or false")


def _numbers(pass_name: str, loop: ForOp, key: str, names: Sequence[str]) -> list[int] | None:
    """The integers of an annotation; None if the loop does not have the annotation."""
    value = note(loop, key)
    if value is None:
        return None
    if isinstance(value, DenseArrayBase):
        numbers = value.get_values()
        if all(isinstance(number, int) for number in numbers):
            return [int(number) for number in numbers]
    entries = list(value) if isinstance(value, ArrayAttr) else [value]
    numbers = [entry.value.data for entry in entries if isinstance(entry, IntegerAttr)]
    if len(numbers) != len(entries):
        raise _wrong(pass_name, loop, key, f"is {value}", _example(names))
    return numbers


def _example(names: Sequence[str]) -> str:
    return f"it is a list of integers, such as {[int(n > 0) for n in range(len(names))]}"


def _wrong(pass_name: str, loop: ForOp, key: str, what: str, why: str) -> CodegenError:
    return CodegenError(
        "KC4232",
        f"{pass_name}: {key} of loop {loop.label} {what}",
        location=location_of(loop),
        why=why,
    )


def _wrong_count(
    pass_name: str, loop: ForOp, key: str, numbers: Sequence[int], names: Sequence[str]
) -> CodegenError:
    count = f"{len(names)} statement" + ("" if len(names) == 1 else "s")
    return CodegenError(
        "KC4230",
        f"{pass_name}: {key} of loop {loop.label} has {len(numbers)} "
        f"{'entry' if len(numbers) == 1 else 'entries'} for {count}",
        location=location_of(loop),
        facts=[f"{n}: {name}" for n, name in enumerate(names)],
        why=f"it is {list(numbers)}",
        hints=[f"give {len(names)} numbers, one per statement"],
    )


def name_of(op: Operation) -> str:
    """The name of a statement for users: its block, else the buffer that it writes."""
    inner = next((nested for nested in op.walk() if isinstance(nested, BlockOp)), None)
    if inner is not None:
        return f"block {inner.label}"
    store = next((nested for nested in op.walk() if isinstance(nested, StoreOp)), None)
    if store is not None:
        return f"the store to {buffer_name(store.buffer)}"
    return op.name
