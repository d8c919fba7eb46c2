"""gpu-online-attention: an attention by tensor cores, whose scores stay in registers.

For softmax(Q * K) * V, as in :mod:`kc.transforms.auto_schedule.gpu.attention`, of f16 or bf16 with
weights that are rounded to that type. A warp has 16 rows, and some keys at a time::

    for blocks of rows:                       # a warp of each block has 16
      Q of these rows                         # shared
      for parts of the keys:
        K and V of these keys                 # shared, ahead by cp.async
        scores = Q * K                        # mma.sync; fragments of C
        maximum = max(maximum, scores)        # rows of C: registers of four lanes each
        weights = exp(scores - maximum)       # fragments of C, and rounded to one of A
        sums *= exp(old maximum - maximum)    # online_softmax
        sums += weights * V                   # mma.sync; fragments of C
      result = sums / sum of weights

Only Q, K and V pass through shared memory, and rows may have any length. NVIDIA GPUs from sm_80 on.
Source: Dao, "FlashAttention-2", 2023.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from kc.analysis import loop_tree
from kc.dialects.tir import BlockOp, ForOp, StoreOp
from kc.support.nvidia import architecture_of
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.attention import Attention, attention_of
from kc.transforms.auto_schedule.gpu.rule import GpuRule
from kc.transforms.auto_schedule.gpu.tensor_cores import (
    M,
    N,
    depth_of,
    size_of,
    swizzle,
    tensorize,
    type_name,
)
from kc.transforms.auto_schedule.gpu.threads import GRID, NVIDIA, WARP, copy_together, fused
from kc.transforms.auto_schedule.nests import FAR, Access, Nest, extent, iterations, readers
from kc.transforms.trace.handles import BlockRV, LoopRV

K = 16
"""The number of terms of an instruction."""

SHAPE = f"m{M}n{N}k{K}"

WARPS = (8, 4, 2, 1)
"""The numbers of warps that a block may have."""

KEYS = (64, 32, 16)
"""The numbers of keys that may be in shared memory at a time."""

WIDEST = 128
"""The most columns of the result, and elements of a query, that fit the registers of a warp."""

VERSIONS = 2
"""The versions of keys and values in shared memory: the next step's are copied ahead."""


@dataclass(frozen=True)
class Plan:
    """The blocks by their role in the attention, and the tile."""

    attention: Attention
    element: str
    """The type of queries, keys, values and weights, by PTX's name."""
    maximum: Nest
    powers: Nest
    total: Nest
    warps: int
    keys: int

    @property
    def result(self) -> Nest:
        """The elementwise block that computes the result of the kernel; the product if no block
        follows it.
        """
        return self.attention.after or self.attention.product


class GpuOnlineAttention(GpuRule):
    """Compute an attention by tensor cores, with a running maximum and sum for each row."""

    name = "gpu-online-attention"
    kinds = NVIDIA

    def schedule(self, draft: Draft, block: str) -> bool:
        if architecture_of(draft.session.target).number < 80:
            return False
        return schedule_attention(draft, block, _tile, _perform)


def schedule_attention(
    draft: Draft,
    block: str,
    tile: Callable[[Draft, Plan], Plan | None],
    perform: Callable[[Draft, Plan], None],
) -> bool:
    """Schedule the attention that ends in a block, with the tile that ``tile`` chooses. Returns
    False, without a change, if no attention ends in the block.
    """
    plan = plan_of(draft, block)
    plan = None if plan is None else tile(draft, plan)
    if plan is None:
        return False
    names = [nest.name for nest in (plan.attention.product, *plan.attention.members)]
    perform(draft, plan)
    draft.settled.update((*names, block))
    return True


# What fits -----------------------------------------------------------------------------------


def plan_of(draft: Draft, block: str) -> Plan | None:
    """The attention that ends in a block, without a tile; None if it does not fit the registers of
    warps.
    """
    attention = attention_of(draft, block)
    if attention is None:
        return None
    scores, product, weights = attention.scores, attention.product, attention.members[0]
    operands = (attention.queries, attention.key, attention.values)
    element = type_name(attention.values.buffer.type)
    is_typed = element in ("f16", "bf16") and all(
        type_name(access.buffer.type) == element
        for access in (attention.queries, attention.key, weights.stores[0])
    )
    sums = (scores.stores[0], product.stores[0])
    if not is_typed or any(type_name(buffer_access.buffer.type) != "f32" for buffer_access in sums):
        return None
    loops = {*scores.spatial[-2:], *scores.reduce, attention.columns, *product.reduce}
    if not all(_is_contiguous(access) and _is_exact(access, loops) for access in operands):
        return None
    elements = extent(scores.reduce[0])
    if elements % K or elements > WIDEST or attention.width % K or attention.width > WIDEST:
        return None
    terms, keys = scores.reduce[0], scores.spatial[-1]
    is_laid_out = (
        attention.queries.stride(terms) == attention.key.stride(terms) == 1
        and attention.values.stride(attention.columns) == 1
        and attention.key.stride(keys) != 0
    )
    if not is_laid_out:
        return None
    maximum, powers, total = _softmax(attention)
    if maximum is None or powers is None or total is None:
        return None
    if not all(map(_is_for_lanes, (maximum, powers, total, weights))):
        return None
    after = attention.after
    if after is not None and not (_is_for_lanes(after) and _is_in_order(after)):
        return None
    result = (after or product).stores[0]
    if type_name(result.buffer.type) not in ("f16", "bf16", "f32") or not result.affine:
        return None
    return Plan(attention, element or "", maximum, powers, total, 0, 0)


def is_power_for_tensor_cores(draft: Draft, nest: Nest) -> bool:
    """True if a block computes the exponentials of an attention that tensor cores may multiply.
    They are computed once, because the sum of a row and the weights take them from the same
    registers.
    """
    target = draft.session.target
    if target.kind not in NVIDIA or architecture_of(target).number < 80:
        return False
    power = nest.stores[0].op
    assert isinstance(power, StoreOp)
    if not isinstance(power.value.owner, math.ExpOp | math.Exp2Op):
        return False
    users = [draft.nest(reader.label) for reader in readers(nest.stores[0].buffer) or ()]
    weights = [user for user in users if not user.reduce]
    if len(users) != 2 or len(weights) != 1 or not all(_has(user) for user in users if user.reduce):
        return False
    (last,) = weights
    for _ in range(3):
        if not last.stores or type_name(last.stores[0].buffer.type) in ("f16", "bf16"):
            break
        further = readers(last.stores[0].buffer) or []
        if len(further) != 1 or draft.nest(further[0].label).reduce:
            break
        last = draft.nest(further[0].label)
    products = readers(last.stores[0].buffer) if last.stores else None
    return (
        bool(products)
        and type_name(last.stores[0].buffer.type) in ("f16", "bf16")
        and all(len(draft.nest(product.label).reduce) == 1 for product in products or ())
    )


def _is_contiguous(access: Access) -> bool:
    """True if rows of an operand begin at multiples of 16 bytes."""
    type_ = access.buffer.type
    assert isinstance(type_, MemRefType)
    return type_.get_shape()[-1] * size_of(type_) % 16 == 0


def _is_exact(access: Access, loops: Iterable[ForOp]) -> bool:
    """True if the strides of the access along these loops are exact. Several heads may share the
    keys of one head, by a division of the head's number.
    """
    return access.affine or all(
        abs(access.stride(loop)) != FAR and loop not in access.divided for loop in loops
    )


def _softmax(attention: Attention) -> tuple[Nest | None, Nest | None, Nest | None]:
    """The blocks of the maxima of the rows, of the powers, and of their sums; None for each if
    there are other blocks.
    """
    between = attention.members[1:-1]
    reductions = [nest for nest in between if nest.reduce]
    maxima = [nest for nest in reductions if _has(nest, arith.MaximumfOp)]
    sums = [nest for nest in reductions if _has(nest, arith.AddfOp)]
    powers = [nest for nest in between if not nest.reduce]
    if len(maxima) != 1 or len(sums) != 1 or len(powers) != 1 or len(between) != 3:
        return None, None, None
    return maxima[0], powers[0], sums[0]


def _has(nest: Nest, kind: type = arith.AddfOp) -> bool:
    step = nest.reduction.updates[0].step if nest.reduction is not None else None
    return isinstance(step, kind)


def _is_for_lanes(nest: Nest) -> bool:
    """True if each lane can run the block on its own elements: it has no branches."""
    return not any(op.regions for op in nest.body_ops)


def _is_in_order(after: Nest) -> bool:
    """True if the results lie in the order of the loops, so that tiles of them are tiles of the
    sums.
    """
    strides = [after.stores[0].stride(loop) for loop in after.spatial]
    return strides[-1] == 1 and all(
        outer >= inner for outer, inner in zip(strides, strides[1:], strict=False)
    )


def _tile(draft: Draft, plan: Plan) -> Plan | None:
    """The plan with the tile that leaves a GPU enough blocks."""
    attention = plan.attention
    rows, keys = extent(attention.rows), attention.keys
    batch = iterations(attention.product.spatial) // rows // attention.width
    room = draft.session.target.limits["max_shared_memory_per_block"]
    choices = [
        Plan(attention, plan.element, plan.maximum, plan.powers, plan.total, warps, together)
        for warps in WARPS
        for together in KEYS
        if rows % (warps * M) == 0
        and keys % together == 0
        and _fits(attention, warps, together, room)
    ]
    return max(
        choices,
        default=None,
        key=lambda choice: (
            min(rows // (choice.warps * M) * batch, GRID),
            choice.warps,
            choice.keys,
        ),
    )


def _fits(attention: Attention, warps: int, keys: int, room: int) -> bool:
    """True if the tiles fit in shared memory, and all threads copy the same number of elements."""
    elements, width = extent(attention.scores.reduce[0]), attention.width
    each = WARP * warps * 8
    copies = (warps * M * elements, keys * elements, keys * width)
    size = 2 * (copies[0] + VERSIONS * (copies[1] + copies[2]))
    return size <= room and all(count % each == 0 for count in copies)


# The schedule -------------------------------------------------------------------------------


def _perform(draft: Draft, plan: Plan) -> None:
    attention = plan.attention
    weights = attention.members[0].name
    numbers = [
        attention.scores.read_number(attention.queries.buffer),
        attention.scores.read_number(attention.key.buffer),
    ]
    place = begin(draft, plan, M)
    for nest in (plan.powers, attention.product):
        draft.set_scope(draft.block(nest.name), 0, f"{SHAPE}.matrixC")
    draft.set_scope(draft.block(weights), 0, f"{SHAPE}.matrixA")
    _scores(draft, plan, numbers, (place.block, place.warp, place.step))
    _sums(draft, plan, place.step)
    held = draft.cache_write(draft.block(place.last), 0, f"{SHAPE}.matrixC")
    draft.reverse_compute_at(held, place.warp)
    type_ = type_name(plan.result.stores[0].buffer.type)
    tensorize(draft, held, (M, N), f"mma_store_{SHAPE}_{type_}_global")
    _pipeline(draft, plan, place.step)


@dataclass(frozen=True)
class Place:
    """The loops of a kernel, and the block that computes its result."""

    block: LoopRV
    warp: LoopRV
    """The loop over the units that share rows: warps, or groups of four warps."""
    step: LoopRV
    last: str


def begin(draft: Draft, plan: Plan, height: int, shape: str = SHAPE) -> Place:
    """Tile the rows and the keys, with a running maximum and sum for each row in registers. A unit
    has ``height`` rows.
    """
    maximum = draft.block(plan.maximum.name)
    *batch, rows, keys = draft.loops(plan.maximum.name).values()
    block, warp, row = draft.split(rows, [None, plan.warps, height])
    step, key = draft.split(keys, [None, plan.keys])
    draft.reorder(*batch, block, warp, step, row, key)
    blocks = draft.online_softmax(maximum, step)
    labels = [draft.session.block(handle).label for handle in blocks]
    draft.settled.update(labels)
    quotient = next(label for label in labels if label.endswith("_quotient"))
    last = quotient
    if plan.attention.after is not None:
        draft.compute_inline(draft.block(quotient))
        last = plan.result.name
    draft.reverse_compute_at(draft.block(last), warp)
    if batch:
        draft.bind(fused(draft, batch), "blockIdx.y")
    draft.bind(block, "blockIdx.x")
    draft.bind(warp, "threadIdx.y")
    for label in labels:
        if label.endswith(("_previous", "_rescale")) and _is_of(label, plan.maximum):
            draft.set_scope(draft.block(label), 0, f"{shape}.rowsC")
    for nest in (plan.maximum, plan.total):
        draft.set_scope(draft.block(nest.name), 0, f"{shape}.rowsC")
    return Place(block, warp, step, last)


def _is_of(label: str, nest: Nest) -> bool:
    """True if a block belongs to the maximum of the rows."""
    return label.startswith(nest.name)


def _scores(
    draft: Draft, plan: Plan, numbers: list[int], places: tuple[LoopRV, LoopRV, LoopRV]
) -> None:
    """The first product: a warp multiplies its queries, in registers, by the keys."""
    block, warp, step = places
    name = plan.attention.scores.name
    draft.set_scope(draft.block(name), 0, f"{SHAPE}.matrixC")
    draft.compute_at(draft.block(name), step)
    rows, keys, terms = list(draft.loops(name).values())[-3:]
    io, i = draft.split(rows, [None, M])
    jo, j = draft.split(keys, [None, N])
    ko, k = draft.split(terms, [None, K])
    draft.reorder(ko, io, jo, i, j, k)
    elements = extent(plan.attention.scores.reduce[0])
    for number, place, held_at, tile, spelled in (
        (numbers[0], block, warp, (M, K), "a"),
        (numbers[1], step, ko, (N, K), "b_trans"),
    ):
        matrix = spelled[0].upper()
        shared, held = _operand(draft, name, number, place, held_at, matrix, elements)
        tensorize(draft, held, tile, f"mma_load_{SHAPE}_{plan.element}_{spelled}_shared")
        _copy(draft, plan, shared, place)
    zeros = draft.decompose_reduction(draft.block(name), ko)
    label = draft.session.block(zeros).label
    draft.tensorize(list(draft.loops(label).values())[-2], f"mma_fill_{SHAPE}_f32")
    draft.tensorize(i, f"mma_sync_{SHAPE}_{plan.element}{plan.element}f32_trans")
    draft.settled.update((label, f"{label}_o", f"{name}_o"))


def _sums(draft: Draft, plan: Plan, step: LoopRV) -> None:
    """The second product: weights in registers by the values."""
    name, width = plan.attention.product.name, plan.attention.width
    number = draft.nest(name).read_number(plan.attention.values.buffer)
    rows, columns, terms = list(draft.loops(name).values())[-3:]
    io, i = draft.split(rows, [None, M])
    jo, j = draft.split(columns, [None, N])
    ko, k = draft.split(terms, [None, K])
    draft.reorder(ko, io, jo, i, j, k)
    shared, held = _operand(draft, name, number, step, ko, "B", width)
    tensorize(draft, held, (K, N), f"mma_load_{SHAPE}_{plan.element}_b_shared")
    _copy(draft, plan, shared, step)
    draft.tensorize(i, f"mma_sync_{SHAPE}_{plan.element}{plan.element}f32")
    draft.settled.add(f"{name}_o")


def _operand(
    draft: Draft,
    name: str,
    number: int,
    place: LoopRV,
    held_at: LoopRV,
    matrix: str,
    width: int,
) -> tuple[BlockRV, BlockRV]:
    """Copy an operand to shared memory, swizzled, and from there to registers."""
    shared = draft.cache_read(draft.block(name), number, "shared")
    held = draft.cache_read(draft.block(name), number, f"{SHAPE}.matrix{matrix}")
    draft.compute_at(held, held_at)
    draft.compute_at(shared, place)
    buffer = draft.nest(draft.session.block(shared).label).stores[0].buffer
    draft.transform_layout(shared, 0, swizzle(_rank(buffer), width))
    return shared, held


def _rank(buffer: SSAValue) -> int:
    assert isinstance(buffer.type, MemRefType)
    return buffer.type.get_num_dims()


def _copy(draft: Draft, plan: Plan, shared: BlockRV, place: LoopRV) -> None:
    name = draft.session.block(shared).label
    copy_together(draft, name, depth_of(draft, shared, place), (plan.warps, WARP), 8)
    draft.settled.add(name)


def _pipeline(draft: Draft, plan: Plan, step: LoopRV) -> None:
    """Copy the keys and values of the next step ahead if there is more than one step."""
    if plan.attention.keys // plan.keys <= VERSIONS:
        return
    loop = draft.session.loop(step)
    stages: list[int] = []
    for op in loop.body.block.ops:
        if isinstance(op, ForOp | BlockOp):
            blocks = [inner.label for inner in loop_tree.blocks(op)]
            stages.append(0 if blocks and blocks[0].endswith("_shared") else VERSIONS - 1)
    draft.annotate(step, "software_pipeline_stage", stages)
    draft.annotate(step, "software_pipeline_async_stages", [0])
