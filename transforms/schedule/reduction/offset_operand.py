"""offset_operand: one factor of a sum of products is offset by half of its range.

Before, ``offset-operand block=C buffer=A``::

    %A = tir.alloc "A" : memref<8x32xi8>
    ... blocks that write %A
    tir.for %i in 8 {
      tir.for %j in 16 {
        tir.for %k in 32 {
          tir.block "C" (spatial %v_i in 8 = %i, spatial %v_j in 16 = %j, reduce %v_k in 32 = %k)
              init { %C[%v_i, %v_j] = 0 }
              do { %C[%v_i, %v_j] += extsi %A[%v_i, %v_k] * extsi %B[%v_j, %v_k] }

After::

    ... the blocks that write %A store its elements with the other sign bit
    %C_offset = tir.alloc "C_offset" : memref<16xi32>
    tir.for %ax0 in 16 {
      tir.for %ax1 in 32 {
        tir.block "C_offset" (spatial %v0 in 16 = %ax0, reduce %v1 in 32 = %ax1)
            init { %C_offset[%v0] = 0 } do { %C_offset[%v0] += 128 * extsi %B[%v0, %v1] }
    %C_sum = tir.alloc "C_sum" : memref<8x16xi32>
    ... the loops of "C", which compute
              %C_sum[%v_i, %v_j] += extui %A[%v_i, %v_k] * extsi %B[%v_j, %v_k]
    tir.for %ax0_1 in 8 {
      tir.for %ax1_1 in 16 {
        tir.block "C_result" (spatial %v0 in 8 = %ax0_1, spatial %v1 in 16 = %ax1_1) do {
          %C[%v0, %v1] = %C_sum[%v0, %v1] - %C_offset[%v1] }

Inverting the sign bit turns a number of i8 into an unsigned number that is larger by 128, and a
number of u8 into a signed number that is smaller by 128. The effect on a sum of products depends
only on the other factor. All sums are modulo 2^32, so the result is the same for all numbers. The
buffer holds the offset elements; other loads of the buffer invert the sign bit again. x86's
``vpdpbusd`` and similar instructions multiply only unsigned by signed bytes; after this rewrite
they apply to any bytes.

*Legal when*

1. KC3200: the block is a reduction.
2. KC3607: each variable is bound to a separate loop, and there is no predicate.
3. KC3640: it adds products of two loaded integers, both extended, to sums that start at 0.
4. KC3300, KC3303, KC3641: the buffer is one of the factors, the function allocates it, and only
   loads and stores of elements use it.

Quantized networks call the subtracted sums the compensation of a zero point (oneDNN).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, MemRefType
from xdsl.ir import BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.ir.affine import AffineMap

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_read
from kc.analysis.loop_tree import buffer_name
from kc.analysis.reductions.reductions import Update, reduction_of
from kc.dialects.tir import DYNAMIC, AllocOp, BlockOp, IterType, LoadOp, StoreOp
from kc.transforms.schedule._blocks import Definition, own_loops, require_definition
from kc.transforms.schedule._buffers import (
    BufferRef,
    FreshNames,
    find_buffer,
    redirect,
    require_plain_uses,
)
from kc.transforms.schedule._copies import new_alloc
from kc.transforms.schedule._nests import Extent, Nest, new_body, new_loops, plain_nest, wrap
from kc.transforms.schedule._sizes import size_value, sizes_of
from kc.transforms.schedule.base import BlockRef, Gives, Primitive, Rewritten, Site
from kc.transforms.schedule.reduction._bindings import require_plain_bindings

Extension = arith.ExtSIOp | arith.ExtUIOp


@dataclass(frozen=True)
class Plan:
    """The reduction, and the two factors of its products."""

    definition: Definition
    update: Update
    moved: Extension
    fixed: Extension


@dataclass(frozen=True)
class OffsetOperand(Primitive):
    """Offset a factor of a product by half of its range, from signed to unsigned or back."""

    name: ClassVar[str] = "offset-operand"
    gives: ClassVar[Gives] = "blocks"

    block: BlockRef = field(metadata={"help": "the sum of products"})
    buffer: BufferRef = field(
        metadata={
            "help": "the factor: its buffer's name, or its position among those that the block "
            "reads",
            "python": "read_buffer_index",
        }
    )

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        definition = require_definition(site, block)
        buffer = find_buffer(site, block, self.buffer, "reads")
        products = _products(block)
        if isinstance(products, str):
            raise site.refuse(
                "KC3640",
                f"block {block.label} is not a sum of products of integers",
                at=block,
                why=products,
                hints=["use a block like C[i, j] += int32(A[i, k]) * int32(B[k, j])"],
            )
        update, factors = products
        require_plain_bindings(site, block)
        moved = [factor for factor in factors if _load(factor).buffer is buffer]
        if len(moved) != 1:
            raise site.refuse(
                "KC3640",
                f"{buffer_name(buffer)} is not one factor of the products of block {block.label}",
                at=block,
                why="it is both factors" if moved else "another factor is multiplied",
            )
        require_plain_uses(site, block, buffer)
        if not isinstance(buffer.owner, AllocOp):
            raise site.refuse(
                "KC3641",
                f"the function does not allocate {buffer_name(buffer)} of block {block.label}",
                at=block,
                why="its owner would see the inverted sign bits of its elements",
                hints=[f"cache_read of {buffer_name(buffer)} first"],
            )
        (fixed,) = (factor for factor in factors if factor is not moved[0])
        return Plan(definition, update, moved[0], fixed)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            if not isinstance(_products(block), str):
                for buffer in buffers_read(block):
                    yield cls(BlockRef(block), BufferRef(buffer))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        block = plan.definition.block
        anchor = next(iter(own_loops(block)), block)
        home = anchor.parent
        assert home is not None
        names = FreshNames(site)
        result = plan.update.buffer
        label = buffer_name(result)

        variables, offset_nest, offsets = _offsets(site, plan, names, label, anchor)
        sums = new_alloc(
            names.take(f"{label}_sum"),
            _like(result),
            [size_value(site, size, anchor) for size in sizes_of(site, result)],
            block,
        )
        finish = _finish(site, plan, names.take(f"{label}_result"), variables, sums.buffer, offsets)
        home.insert_ops_before([*offset_nest, sums], anchor)
        home.insert_op_after(finish.top, anchor)
        own = (op for op in block.walk() if isinstance(op, LoadOp | StoreOp))
        redirect([op for op in own if op.buffer is result], sums.buffer)
        _turn_sign_bits(_load(plan.moved))
        other_sign = _opposite(plan.moved)
        body = plan.moved.parent
        assert body is not None
        body.insert_op_before(other_sign, plan.moved)
        plan.moved.result.replace_all_uses_with(other_sign.result)
        plan.moved.detach()
        plan.moved.erase()
        (offset_block,) = (
            op for top in offset_nest for op in top.walk() if isinstance(op, BlockOp)
        )
        return Rewritten(blocks=(offset_block, finish.block))


# What is asked --------------------------------------------------------------------------------


def _products(block: BlockOp) -> tuple[Update, tuple[Extension, Extension]] | str:
    """The update of a sum of products of extended integers, and the factors; or the reason why the
    block is not such a sum.
    """
    reduction = reduction_of(block)
    if reduction is None or reduction.guard is not None or len(reduction.updates) != 1:
        return "it is not an unconditional reduction of one buffer"
    update = reduction.updates[0]
    term = update.term.owner
    factors = [_extension(value) for value in getattr(term, "operands", ())]
    if not isinstance(update.step, arith.AddiOp):
        return f"it reduces by {update.step.name}"
    if not isinstance(term, arith.MuliOp) or None in factors:
        return "its terms are not products of two loaded integers that are extended"
    if not _begins_with_zero(block):
        return "its sums do not start at 0"
    first, second = (factor for factor in factors if factor is not None)
    return update, (first, second)


def _extension(value: SSAValue) -> Extension | None:
    """The only use of a loaded number if this use extends it to ``value``; None otherwise."""
    op = value.owner
    if not isinstance(op, Extension) or not isinstance(op.input.owner, LoadOp):
        return None
    load = op.input.owner
    is_alone = len(list(op.result.uses)) == 1 and len(list(load.result.uses)) == 1
    return op if is_alone and op.parent is load.parent else None


def _load(extension: Extension) -> LoadOp:
    load = extension.input.owner
    assert isinstance(load, LoadOp)
    return load


def _begins_with_zero(block: BlockOp) -> bool:
    if not block.has_init:
        return False
    stores = [op for op in block.init.walk() if isinstance(op, StoreOp)]
    for store in stores:
        constant = store.value.owner
        if not isinstance(constant, arith.ConstantOp):
            return False
        if not isinstance(constant.value, IntegerAttr) or constant.value.value.data != 0:
            return False
    return len(stores) == 1


# What is built --------------------------------------------------------------------------------


def _like(buffer: SSAValue) -> MemRefType:
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    return MemRefType(type_.element_type, type_.shape)


def _opposite(extension: Extension) -> Extension:
    kind = arith.ExtUIOp if isinstance(extension, arith.ExtSIOp) else arith.ExtSIOp
    op = kind(extension.input, extension.result.type)
    op.location = extension.location
    op.result.name_hint = extension.result.name_hint
    return op


def _turn_sign_bits(load: LoadOp) -> None:
    """Store the elements of the buffer of ``load`` with inverted sign bits; other loads invert them
    again.
    """
    element = load.result.type
    assert isinstance(element, IntegerType)
    buffer = load.buffer
    for user in {use.operation for use in buffer.uses}:
        home = user.parent
        assert home is not None
        bit = arith.ConstantOp(IntegerAttr(-(1 << (element.width.data - 1)), element))
        bit.location = user.location
        if isinstance(user, StoreOp) and user.buffer is buffer:
            turned = arith.XOrIOp(user.value, bit.result)
            home.insert_ops_before([bit, turned], user)
            user.operands[0] = turned.result
        elif isinstance(user, LoadOp) and user is not load:
            turned = arith.XOrIOp(user.result, bit.result)
            home.insert_ops_after([bit, turned], user)
            user.result.replace_uses_with_if(
                turned.result, lambda use, mine=turned: use.operation is not mine
            )
        else:
            continue
        turned.location = user.location


def _slice(value: SSAValue, block: BlockOp) -> list[Operation]:
    """The operations of the block's body that compute ``value``, in order."""
    body = block.body.block
    needed: set[Operation] = set()
    pending = [value]
    while pending:
        value = pending.pop()
        if not isinstance(value, OpResult) or value.op in needed or value.op.parent is not body:
            continue
        needed.add(value.op)
        pending += value.op.operands
    return [op for op in body.ops if op in needed]


def _variables_of(ops: Sequence[Operation], block: BlockOp) -> list[int]:
    """The variables of the block that ``ops`` use, in order."""
    args = block.body.block.args
    used = {operand for op in ops for operand in op.operands if isinstance(operand, BlockArgument)}
    return [n for n, arg in enumerate(args) if arg in used]


def _copy(
    ops: Sequence[Operation], values: dict[SSAValue, SSAValue]
) -> tuple[list[Operation], dict[SSAValue, SSAValue]]:
    copies: list[Operation] = []
    for op in ops:
        copy = op.clone(values)
        copy.location = op.location
        values.update(zip(op.results, copy.results, strict=True))
        copies.append(copy)
    return copies, values


def _offsets(
    site: Site, plan: Plan, names: FreshNames, label: str, anchor: Operation
) -> tuple[list[int], list[Operation], SSAValue]:
    """The sums of the unchanged factor, times half of the range of the offset factor.

    Returns the spatial variables on which they depend, the operations, and the buffer.
    """
    block = plan.definition.block
    ops = _slice(plan.fixed.result, block)
    used = _variables_of(ops, block)
    spatial = [n for n in used if block.types[n] is IterType.SPATIAL]
    # Each term is added as often as it is multiplied, so variables that do not move the factor
    # count, too.
    reduced = [n for n, kind in enumerate(block.types) if kind is IterType.REDUCE]
    order = [*spatial, *reduced]
    extents = [block.extents[n] for n in order]
    shape = [extent if isinstance(extent, int) else DYNAMIC for extent in extents[: len(spatial)]]
    sum_type = plan.fixed.result.type
    assert isinstance(sum_type, IntegerType)
    name = names.take(f"{label}_offset")
    sizes = extents[: len(spatial)]
    alloc = new_alloc(name, MemRefType(sum_type, shape), sizes, block)

    index, count = AffineMap.identity(len(spatial)), len(spatial)
    init = new_body(len(order))
    zero = arith.ConstantOp(IntegerAttr(0, sum_type))
    init.add_ops([zero, StoreOp(zero.result, alloc.buffer, index, init.args[:count])])
    body = new_body(len(order))
    args = block.body.block.args
    copies, values = _copy(ops, {args[n]: body.args[k] for k, n in enumerate(order)})
    width = plan.moved.input.type
    assert isinstance(width, IntegerType)
    half = arith.ConstantOp(IntegerAttr(1 << (width.width.data - 1), sum_type))
    term = arith.MuliOp(values[plan.fixed.result], half.result)
    before = LoadOp(alloc.buffer, index, body.args[:count])
    total = arith.AddiOp(before.result, term.result)
    store = StoreOp(total.result, alloc.buffer, index, body.args[:count])
    body.add_ops([*copies, half, term, before, total, store])
    kinds = [IterType.SPATIAL] * len(spatial) + [IterType.REDUCE] * len(reduced)
    loops = new_loops(site, extents, anchor)
    new_block = BlockOp(
        name,
        [
            (kind, f"v{n}", extent)
            for n, (kind, extent) in enumerate(zip(kinds, extents, strict=True))
        ],
        AffineMap.identity(len(order)),
        [loop.var for loop in loops],
        Region(body),
        Region(init),
    )
    return spatial, [alloc, wrap(loops, new_block, block).top], alloc.buffer


def _finish(
    site: Site,
    plan: Plan,
    name: str,
    offset_variables: Sequence[int],
    sums: SSAValue,
    offsets: SSAValue,
) -> Nest:
    """Loops that compute the results from the sums and their offsets."""
    block, store = plan.definition.block, plan.update.store
    order = [n for n, kind in enumerate(block.types) if kind is IterType.SPATIAL]
    extents: list[Extent] = [block.extents[n] for n in order]
    body = new_body(len(order))
    args = block.body.block.args
    index_ops = [
        op
        for op in block.body.block.ops
        if op in {sliced for value in store.operands_of_map for sliced in _slice(value, block)}
    ]
    copies, values = _copy(index_ops, {args[n]: body.args[k] for k, n in enumerate(order)})
    place = [values.get(value, value) for value in store.operands_of_map]
    index = store.indices.data
    load = LoadOp(sums, index, place)
    own = [body.args[order.index(n)] for n in offset_variables]
    offset = LoadOp(offsets, AffineMap.identity(len(own)), own)
    # A number of i8 is offset by 128, one of u8 by -128.
    is_signed = isinstance(plan.moved, arith.ExtSIOp)
    result = (arith.SubiOp if is_signed else arith.AddiOp)(load.result, offset.result)
    body.add_ops(
        [*copies, load, offset, result, StoreOp(result.result, store.buffer, index, place)]
    )
    anchor = next(iter(own_loops(block)), block)
    return plain_nest(site, name, body, extents, anchor, block)
