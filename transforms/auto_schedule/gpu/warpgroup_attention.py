"""gpu-warpgroup-attention: an attention by four warps together (``wgmma``), on sm_90a.

The rule schedules the same attentions as :mod:`kc.transforms.auto_schedule.gpu.online_attention`.
Instead of warps with 16 rows each, it uses groups of four warps with 64 rows each::

    for blocks of rows:                       # a group of four warps has 64
      Q of these rows                         # shared, by the copy unit
      for parts of the keys:
        K and V of these keys                 # shared, ahead by other warps and the copy unit
        scores = Q * K                        # wgmma; fragments of C
        maximum, weights, rescaled sums       # registers, as there
        weights                               # rounded, to swizzled shared memory (stmatrix)
        sums += weights * V                   # wgmma
      result = sums / sum of weights

Sources: Dao, "FlashAttention-2", 2023; Shah et al., "FlashAttention-3", 2024, for the warps that
only copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects.builtin import MemRefType

from kc.analysis import loop_tree
from kc.dialects.tir import BlockOp, ForOp
from kc.support.nvidia import architecture_of
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.online_attention import (
    Place,
    Plan,
    begin,
    schedule_attention,
)
from kc.transforms.auto_schedule.gpu.rule import GpuRule
from kc.transforms.auto_schedule.gpu.tensor_cores import tensorize, type_name
from kc.transforms.auto_schedule.gpu.threads import GRID, NVIDIA
from kc.transforms.auto_schedule.gpu.warpgroups import (
    HALF,
    RINGS,
    ROW_BYTES,
    ROWS,
    copy_panels,
    has_boxes,
    lay_out,
)
from kc.transforms.auto_schedule.nests import extent, iterations
from kc.transforms.trace.handles import BlockRV, LoopRV

K = 16
"""The number of terms of an instruction."""

GROUPS = (2, 1)
"""The possible numbers of groups of four warps in a block."""

KEYS = (64, 32, 16)
"""The possible numbers of keys in shared memory at a time: the weights of a row have up to 128
bytes.
"""

WIDTHS = (16, 32, 64, 128)
"""The possible numbers of columns of the result, and of elements of a query: one or two panels of
rows in shared memory.
"""

VERSIONS = 2
"""The minimum number of versions of keys and values in shared memory."""

MOST_VERSIONS = 4
"""The maximum number of these versions: a step takes longer than a copy."""


class GpuWarpgroupAttention(GpuRule):
    """Compute an attention by four warps together, with a running maximum and sum for each row."""

    name = "gpu-warpgroup-attention"
    kinds = NVIDIA

    def schedule(self, draft: Draft, block: str) -> bool:
        if architecture_of(draft.session.target).name != "sm_90a":
            return False
        return schedule_attention(draft, block, _tile, _perform)


def _tile(draft: Draft, plan: Plan) -> Plan | None:
    """The plan with the tile that leaves a GPU enough blocks; None if no tile fits."""
    attention = plan.attention
    rows, keys = extent(attention.rows), attention.keys
    operands = (attention.queries, attention.key, attention.values)
    if not all(has_boxes(access.buffer.type, HALF) for access in operands):
        return None
    if _elements(plan) not in WIDTHS or attention.width not in WIDTHS:
        return None
    batch = iterations(attention.product.spatial) // rows // attention.width
    choices = [
        replace(plan, warps=groups, keys=together)
        for groups in GROUPS
        for together in KEYS
        if rows % (groups * ROWS) == 0 and keys % together == 0
    ]
    return max(
        (choice for choice in choices if _versions(draft, choice) >= VERSIONS),
        default=None,
        key=lambda choice: (
            min(rows // (choice.warps * ROWS) * batch, GRID),
            choice.warps,
            choice.keys,
        ),
    )


def _elements(plan: Plan) -> int:
    """The number of elements of a query, and of a key."""
    return extent(plan.attention.scores.reduce[0])


def _versions(draft: Draft, plan: Plan) -> int:
    """The number of versions of keys and values that fit in shared memory."""
    room = draft.session.target.limits["max_shared_memory_per_block"] - RINGS
    rows = plan.warps * ROWS
    room -= rows * (_elements(plan) + plan.keys) * HALF
    return min(room // (plan.keys * (_elements(plan) + plan.attention.width) * HALF), MOST_VERSIONS)


# The schedule -------------------------------------------------------------------------------


def _perform(draft: Draft, plan: Plan) -> None:
    attention = plan.attention
    scores, product = attention.scores.name, attention.product.name
    weights = attention.members[0].name
    element, rows = plan.element, plan.warps * ROWS
    shape, result_shape = (f"m{ROWS}n{n}k{K}" for n in (plan.keys, attention.width))
    numbers = [
        attention.scores.read_number(access.buffer) for access in (attention.queries, attention.key)
    ]
    place = begin(draft, plan, ROWS, shape)
    for name in (plan.powers.name, weights, scores):
        draft.set_scope(draft.block(name), 0, f"{shape}.matrixC")
    draft.set_scope(draft.block(product), 0, f"{result_shape}.matrixC")

    draft.compute_at(draft.block(scores), place.step)
    inner = _terms_outside(draft, scores)
    _copy(draft, plan, scores, numbers[0], (place, False), (rows, _elements(plan)))
    copies = [_copy(draft, plan, scores, numbers[1], (place, True), (plan.keys, _elements(plan)))]
    zeros = draft.decompose_reduction(draft.block(scores), inner[0])
    label = draft.session.block(zeros).label
    draft.tensorize(list(draft.loops(label).values())[-2], f"wgmma_fill_{shape}_f32")
    types = f"{element}{element}f32"
    draft.tensorize(inner[1], f"wgmma_sync_{shape}{_times(_elements(plan))}_{types}_trans")
    draft.settled.update((label, f"{label}_o", f"{scores}_o"))

    nest = draft.nest(product)
    number = nest.read_number(attention.values.buffer)
    inner = _terms_outside(draft, product)
    size = (plan.keys, attention.width)
    copies.append(_copy(draft, plan, product, number, (place, True), size))
    held = draft.cache_read(draft.block(product), 1 - number, "shared")
    lay_out(draft, held, _rank(draft, held), plan.keys, HALF)
    tensorize(draft, held, (ROWS, plan.keys), f"wgmma_stmatrix_{shape}_{element}_shared")
    draft.tensorize(inner[1], f"wgmma_sync_{result_shape}{_times(plan.keys)}_{types}")
    draft.settled.add(f"{product}_o")

    sums = draft.cache_write(draft.block(place.last), 0, f"{result_shape}.matrixC")
    draft.reverse_compute_at(sums, place.warp)
    type_ = type_name(plan.result.stores[0].buffer.type)
    tensorize(draft, sums, (ROWS, attention.width), f"wgmma_store_{result_shape}_{type_}_global")
    _pipeline(draft, plan, place, copies)


def _times(terms: int) -> str:
    """The suffix of a product's name for its number of terms, of at most a row of 128 bytes."""
    count = min(terms, ROW_BYTES // HALF) // K
    return f"x{count}" if count > 1 else ""


def _terms_outside(draft: Draft, name: str) -> list[LoopRV]:
    """The loops of a product of a group: over rows of 128 bytes of terms, and a tile."""
    i, j, terms = list(draft.loops(name).values())[-3:]
    count = draft.session.loop(terms).static_extent or 1
    outer, k = draft.split(terms, [None, min(count, ROW_BYTES // HALF)])
    draft.reorder(outer, i, j, k)
    return [outer, i, j, k]


def _rank(draft: Draft, writer: BlockRV) -> int:
    type_ = draft.nest(draft.session.block(writer).label).stores[0].buffer.type
    assert isinstance(type_, MemRefType)
    return type_.get_num_dims()


def _copy(
    draft: Draft,
    plan: Plan,
    name: str,
    number: int,
    where: tuple[Place, bool],
    size: tuple[int, int],
) -> str:
    """Copy an operand to shared memory by the copy unit, in each step or before all steps."""
    place, is_in_step = where
    shared = draft.cache_read(draft.block(name), number, "shared")
    draft.compute_at(shared, place.step if is_in_step else place.block)
    lay_out(draft, shared, _rank(draft, shared), size[1], HALF)
    label = draft.session.block(shared).label
    copy_panels(draft, label, *size, "load", plan.element)
    draft.settled.add(label)
    return label


def _pipeline(draft: Draft, plan: Plan, place: Place, copies: Sequence[str]) -> None:
    """Copy keys and values ahead by additional warps if there are more steps than versions."""
    steps = plan.attention.keys // plan.keys
    if steps <= VERSIONS:
        return
    versions = min(_versions(draft, plan), steps)
    loop = draft.session.loop(place.step)
    stages: list[int] = []
    for op in loop.body.block.ops:
        if isinstance(op, ForOp | BlockOp):
            labels = {inner.label for inner in loop_tree.blocks(op)}
            is_copy = any(name.removesuffix("_o") in copies for name in labels)
            stages.append(0 if is_copy else versions - 1)
    draft.annotate(place.step, "software_pipeline_stage", stages)
    draft.annotate(place.step, "software_pipeline_async_stages", [0])
    draft.annotate(place.step, "software_pipeline_warp_specialize", True)
