"""pad_einsum: the extents of an einsum become multiples of numbers, on padded buffers.

Before, ``pad-einsum block=C padding=16,16,16``::

    tir.for %i in 127 {
      tir.for %j in 127 {
        tir.for %k in 127 {
          tir.block "C" (spatial %v_i in 127 = %i, spatial %v_j in 127 = %j,
                         reduce %v_k in 127 = %k)
              init { %C[%v_i, %v_j] = 0 } do { %C[%v_i, %v_j] += %A[%v_i, %v_k] * %B[%v_k, %v_j] }

After::

    %A_pad = tir.alloc "A_pad" : memref<128x128xf32>
    ... a block "A_pad" that copies %A, and is 0 outside; the same for %B
    %C_pad = tir.alloc "C_pad" : memref<128x128xf32>
    tir.for %i in 128 {
      tir.for %j in 128 {
        tir.for %k in 128 {
          tir.block "C" (spatial %v_i in 128 = %i, spatial %v_j in 128 = %j,
                         reduce %v_k in 128 = %k)
              init { %C_pad[%v_i, %v_j] = 0 }
              do { %C_pad[%v_i, %v_j] += %A_pad[%v_i, %v_k] * %B_pad[%v_k, %v_j] }
    ... a block "C_crop" that copies the first 127 x 127 elements of %C_pad to %C

``padding`` has a number for each variable of the block, 1 where the extent does not change.
A buffer that is read at sums of variables, ``%X[%v_i * 2 + %v_k]``, gets as many elements as these
reach; a buffer that already has them is read directly.

*Legal when*

1. KC3200: the block computes each element of one buffer independently, or is a reduction.
2. KC3606: there is a number, at least 1, for each variable; and the number of iterations fits in 48
   bits.
3. KC3607: each variable is bound to a separate loop, and there is no predicate. Padded loops are
   not bound to threads; padded reduction loops are serial or unrolled.
4. KC3608: each index is a variable or a constant. Exceptions are elements whose position depends on
   no padded variable (the image of a convolution whose filters are padded), and loads at
   nonnegative sums of variables of known extents (the image of a convolution whose positions are
   padded) and of quotients of variables that are not padded (heads that share keys: ``%v_h floordiv
   4``). Each padded variable is an index of the result or reduced.
5. KC3609: in the padding of a reduction all terms are 0, which the combiner ignores: sums of
   products of padded elements that have the variable as an index. (Infinity times 0 is not 0.)
6. KC3610: no operation fails, or has an undefined result, on elements of the padding.

A block that needs no padding gets a warning (KC3611).

TVM: ``pad_einsum``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects.builtin import AffineMapAttr, DenseArrayBase, IntegerAttr, MemRefType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from kc.analysis import loop_tree
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.loop_tree import buffer_name
from kc.analysis.reductions.reductions import reduction_of
from kc.dialects.affine_assembly import linear_terms
from kc.dialects.tir import (
    DYNAMIC,
    ApplyOp,
    BlockOp,
    ForKind,
    ForOp,
    IterType,
    LoadOp,
    StoreOp,
)
from kc.support.diagnostics import warn
from kc.support.locations import location_of
from kc.transforms.affine_rewrite import set_block_spaces
from kc.transforms.schedule._blocks import own_loops, require_definition
from kc.transforms.schedule._buffers import FreshNames
from kc.transforms.schedule._combiners import neutral_element
from kc.transforms.schedule._copies import new_alloc
from kc.transforms.schedule._nests import Extent, new_body, plain_nest
from kc.transforms.schedule._sizes import size_value, sizes_of
from kc.transforms.schedule.base import (
    CALL_SITE,
    BlockRef,
    Gives,
    Primitive,
    Rewritten,
    Site,
)
from kc.transforms.schedule.layout._layouts import LIMIT
from kc.transforms.schedule.reduction._bindings import require_plain_bindings
from kc.transforms.schedule.reduction._padding import is_zero, load_or_zero, may_fail, zero_of

_IN_ORDER = (ForKind.SERIAL, ForKind.UNROLLED)


@dataclass(frozen=True)
class PadEinsum(Primitive):
    """Pad the extents of an einsum to multiples of numbers."""

    name: ClassVar[str] = "pad-einsum"
    gives: ClassVar[Gives] = "blocks"

    block: BlockRef = field(metadata={"help": "the einsum"})
    padding: tuple[int, ...] = field(
        metadata={
            "help": "for each variable of the block, a number of which its extent becomes a "
            "multiple"
        }
    )

    def check(self, site: Site) -> PaddedEinsum | BlockOp:
        block = site.resolve_block(self.block)
        definition = require_definition(site, block)
        self._require_numbers(site, block)
        drivers = require_plain_bindings(site, block)
        padded = [
            factor > 1 and (not isinstance(extent, int) or extent % factor > 0)
            for factor, extent in zip(self.padding, block.extents, strict=True)
        ]
        if not any(padded):
            return block
        for n, loop in enumerate(drivers):
            if padded[n] and loop is not None:
                _require_growing(site, block, n, loop)
        moved = _values_of(block, padded)
        extents = [
            extent if not is_padded else _multiple(extent, factor)
            for extent, is_padded, factor in zip(block.extents, padded, self.padding, strict=True)
        ]
        accesses = [
            _require_einsum(
                site,
                block,
                op,
                [extent if isinstance(extent, int) else None for extent in extents],
                padded,
            )
            for op in _accesses(block)
            if op.buffer is definition.buffer
            or op.parent_op() is not block  # the padding may meet conditions that no element meets
            or not moved.isdisjoint(op.operands_of_map)
        ]
        result = next(access for access in accesses if access.op is definition.store)
        for n, is_padded in enumerate(padded):
            if is_padded and block.types[n] is IterType.SPATIAL and n not in result.variables:
                raise site.refuse(
                    "KC3608",
                    f"{block.names[n]} of block {block.label} is not an index of "
                    f"{buffer_name(definition.buffer)}",
                    at=block,
                    why="values computed for the padding would overwrite the result",
                    hints=[_padding_text(self.padding, [n])],
                )
        for body in (body for region in block.regions for body in region.blocks):
            failure = may_fail(body)
            if failure is not None:
                op, why = failure
                raise site.refuse(
                    "KC3610",
                    f"{op.name} in block {block.label} may fail on padding",
                    at=block,
                    why=why,
                )
        _require_neutral(site, block, accesses, padded, self.padding)
        anchor = next(iter(own_loops(block)), block)
        return PaddedEinsum(block, list(self.padding), padded, drivers, anchor, accesses, result)

    def _require_numbers(self, site: Site, block: BlockOp) -> None:
        count = len(block.names)
        why: str | None = None
        if len(self.padding) != count or any(number < 1 for number in self.padding):
            names = ", ".join(block.names)
            why = f"it has {count} variables: {names}; each needs a number, at least 1"
        elif math.prod(self._least_extents(block)) > LIMIT:
            why = f"there would be more than {LIMIT} iterations"
        if why is None:
            return
        raise site.refuse(
            "KC3606",
            f"padding={','.join(map(str, self.padding))} for block {block.label}",
            at=block,
            why=why,
            hints=[f"padding={','.join(['16'] * count)}"] if count else [],
        )

    def _least_extents(self, block: BlockOp) -> list[int]:
        """The future extents, with the smallest nonzero values of symbolic sizes."""
        return [
            factor * (-(-extent // factor) if isinstance(extent, int) else 1)
            for factor, extent in zip(self.padding, block.extents, strict=True)
        ]

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            kinds = block.types
            for factor in (4, 16):
                yield cls(BlockRef(block), (factor,) * len(kinds))
                spatial = tuple(factor if kind is IterType.SPATIAL else 1 for kind in kinds)
                if block.is_reduction:
                    yield cls(BlockRef(block), spatial)

    def rewrite(self, site: Site, plan: PaddedEinsum | BlockOp) -> Rewritten:
        if isinstance(plan, PaddedEinsum):
            return Rewritten(blocks=tuple(plan.build(site)))
        warn(
            "KC3611",
            f"pad_einsum: block {plan.label} needs no padding",
            location=CALL_SITE.get() or location_of(plan),
            why="its extents are already multiples of the padding",
        )
        return Rewritten()


def _multiple(extent: Extent, factor: int) -> Extent:
    """The smallest multiple of ``factor`` that is at least ``extent``."""
    return -(-extent // factor) * factor if isinstance(extent, int) else extent


def _require_growing(site: Site, block: BlockOp, n: int, loop: ForOp) -> None:
    """Refuse (KC3607) a loop whose kind does not allow more iterations."""
    why: str | None = None
    if loop.axis is not None:
        why = f"it is bound to {loop.axis}, and would have more iterations than threads"
    elif block.types[n] is IterType.REDUCE and loop.kind.data not in _IN_ORDER:
        kind = loop.kind.data.value
        why = f"it is {kind}, and its iterations would all update one element"
    if why is not None:
        raise site.refuse(
            "KC3607",
            f"loop {loop.label} of block {block.label} cannot be padded",
            at=loop,
            why=why,
            hints=["pad before loops are vectorized, parallel or bound"],
        )


def _accesses(block: BlockOp) -> list[LoadOp | StoreOp]:
    return [op for op in block.walk() if isinstance(op, LoadOp | StoreOp)]


def _values_of(block: BlockOp, chosen: Sequence[bool]) -> set[SSAValue]:
    """The chosen variables of the block, and the values computed from them."""
    bodies = (body for region in block.regions for body in region.blocks)
    args = (
        arg
        for body in bodies
        for arg, is_chosen in zip(body.args, chosen, strict=True)
        if is_chosen
    )
    return {value for arg in args for value in (arg, *loop_tree.derived_values(arg))}


def _require_einsum(
    site: Site,
    block: BlockOp,
    op: LoadOp | StoreOp,
    extents: Sequence[int | None],
    padded: Sequence[bool],
) -> Access:
    """The access of ``op``. Refuses (KC3608) other indices.

    In each dimension its index is a variable of the block, a constant, or a sum of variables with
    ``extents`` and of quotients of variables that are not padded.
    """
    body = op.parent
    assert body is not None
    index = IndexValues()
    # Under a condition, values computed from a variable with one value may be arbitrary.
    computed = {
        value
        for region in (block.regions if op.parent_op() is not block else ())
        for inner in region.blocks
        for arg in inner.args
        for value in loop_tree.derived_values(arg)
    }
    dims: list[int | AffineExpr | None] = []
    constants: list[int] = []
    for expr in op.indices.data.results:
        composed = index.compose(expr, op.operands_of_map)
        used = {op.operands_of_map[n] for n in expr.used_dims()}
        if isinstance(composed, AffineConstantExpr) and used.isdisjoint(computed):
            dims.append(None)
            constants.append(composed.value)
            continue
        own: dict[int, int] = {}
        if body.parent_op() is block:
            roots = {dim: index.roots[dim] for dim in composed.used_dims()}
            args = list(body.args)
            own = {dim: args.index(root) for dim, root in roots.items() if root in args}  # pyright: ignore[reportArgumentType]
        if isinstance(composed, AffineDimExpr) and composed.position in own:
            dims.append(own[composed.position])
            constants.append(0)
            continue
        size = None
        if isinstance(op, LoadOp) and len(own) == len(composed.used_dims()):
            extent_of = {dim: extents[n] for dim, n in own.items()}
            size = _size_of_sum(composed, extent_of, {dim for dim, n in own.items() if padded[n]})
        if size is None:
            verb = "reads" if isinstance(op, LoadOp) else "writes"
            raise site.refuse(
                "KC3608",
                f"block {block.label} {verb} {buffer_name(op.buffer)} at an index that "
                "is not a variable",
                at=block,
                why="an einsum accesses elements whose indices are variables and constants",
            )
        renamed = [AffineExpr.dimension(own.get(dim, 0)) for dim in range(len(index.roots))]
        dims.append(composed.replace_dims_and_symbols(renamed, []))
        constants.append(size)
    return Access(op, tuple(dims), tuple(constants))


def _size_of_sum(
    expr: AffineExpr, extents: Mapping[int, int | None], padded: Collection[int]
) -> int | None:
    """The number of elements that indices ``expr``, of dimensions with ``extents``, reach.

    None if ``expr`` is not a sum of the dimensions and of quotients of those that are not
    ``padded``, or if it may be negative.
    """
    terms, least = linear_terms(expr)
    most = least
    for atom, factor in terms.items():
        dividend, divisor = _quotient(atom)
        dim = dividend.position if isinstance(dividend, AffineDimExpr) else None
        extent = None if dim is None else extents.get(dim)
        if extent is None or (divisor > 1 and dim in padded):
            return None
        last = (extent - 1) // divisor
        least += min(0, factor * last)
        most += max(0, factor * last)
    return most + 1 if least >= 0 else None


def _quotient(expr: AffineExpr) -> tuple[AffineExpr, int]:
    """The dividend and the divisor of a division by a constant; otherwise the expression and 1."""
    if isinstance(expr, AffineBinaryOpExpr) and expr.kind is AffineBinaryOpKind.FloorDiv:
        if isinstance(expr.rhs, AffineConstantExpr) and expr.rhs.value > 0:
            return expr.lhs, expr.rhs.value
    return expr, 1


def _require_neutral(
    site: Site,
    block: BlockOp,
    accesses: Sequence[Access],
    padded: Sequence[bool],
    padding: Sequence[int],
) -> None:
    reduced = [
        n for n, is_padded in enumerate(padded) if is_padded and block.types[n] is IterType.REDUCE
    ]
    if not reduced:
        return
    refusal = _not_neutral(block, accesses, reduced)
    if refusal is not None:
        name, why = refusal
        raise site.refuse(
            "KC3609",
            f"{name} of block {block.label} cannot be padded with 0",
            at=block,
            why=why,
            hints=[_padding_text(padding, reduced)],
        )


def _not_neutral(
    block: BlockOp, accesses: Sequence[Access], reduced: Sequence[int]
) -> tuple[str, str] | None:
    """A padded reduction whose padding affects the result, and the reason; None if no padding
    does.
    """
    reduction = reduction_of(block)
    assert reduction is not None, "a definition with reduce variables is an update"
    update = reduction.updates[0]
    step = update.step
    element = update.store.value.type
    names = ", ".join(block.names[n] for n in reduced)
    try:
        neutral = neutral_element(type(step), element)
    except KeyError:
        return names, f"it is reduced by {step.name}, whose neutral element is not 0"
    if neutral != zero_of(element):
        return names, f"it is reduced by {step.name}, whose neutral element is not 0"
    for n in reduced:
        zeros = [
            access.op
            for access in accesses
            if isinstance(access.op, LoadOp) and n in access.variables
        ]
        if not is_zero(update.term, zeros):
            return block.names[n], (
                "the summands are not products of elements that are 0 in the padding: those with "
                f"the index {block.names[n]}"
            )
    return None


def _padding_text(padding: Sequence[int], without: Sequence[int]) -> str:
    numbers = [1 if n in without else number for n, number in enumerate(padding)]
    return f"padding={','.join(map(str, numbers))}"


# The rewrite ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Access:
    """A load or store. In each dimension its index is a variable of the block, a constant, or a sum
    of variables.
    """

    op: LoadOp | StoreOp
    dims: tuple[int | AffineExpr | None, ...]
    """The variable of each dimension, or the sum, over all variables; None for a constant."""
    constants: tuple[int, ...]
    """For each dimension: the constant; 0 for a variable; the number of reached elements for a
    sum.
    """

    @property
    def variables(self) -> list[int]:
        """The variables that are an index by themselves, without duplicates, in order."""
        return list(dict.fromkeys(dim for dim in self.dims if isinstance(dim, int)))

    @property
    def slots(self) -> list[int | AffineExpr]:
        """The dimensions of the padded buffer: variables and sums, without duplicates, in order."""
        return list(dict.fromkeys(dim for dim in self.dims if dim is not None))

    def size_of(self, slot: int | AffineExpr) -> int:
        """The number of elements that a sum reaches."""
        return self.constants[self.dims.index(slot)]

    def map(self) -> AffineMap:
        """The index over :attr:`slots`."""
        slots = self.slots
        exprs = [
            AffineExpr.constant(constant) if dim is None else AffineExpr.dimension(slots.index(dim))
            for dim, constant in zip(self.dims, self.constants, strict=True)
        ]
        return AffineMap(len(slots), 0, tuple(exprs))

    def move(self, buffer: SSAValue) -> None:
        """Redirect the access to ``buffer``, which has a dimension for each of :attr:`slots`."""
        self._set(buffer, AffineMap.identity(len(self.slots)))

    def settle(self) -> None:
        """Rewrite the index in the form in which it was analysed: ``v + 1`` is 1 until the extent
        of v grows from 1.
        """
        self._set(self.op.buffer, self.map())

    def _set(self, buffer: SSAValue, indices: AffineMap) -> None:
        """Redirect the access to ``buffer`` at ``indices`` over :attr:`slots`."""
        op = self.op
        block = op.parent
        assert block is not None
        before = [op.value] if isinstance(op, StoreOp) else []
        used: dict[int, int] = {}
        slots: list[AffineExpr] = []
        for slot in self.slots:
            dims = [slot] if isinstance(slot, int) else sorted(slot.used_dims())
            for dim in dims:
                used.setdefault(dim, len(used))
            places = [AffineExpr.dimension(used.get(n, 0)) for n in range(len(block.args))]
            is_sum = isinstance(slot, AffineExpr)
            slots.append(slot.replace_dims_and_symbols(places, []) if is_sum else places[slot])
        op.operands = [*before, buffer, *(block.args[n] for n in used)]
        exprs = [expr.replace_dims_and_symbols(slots, []) for expr in indices.results]
        op.properties["indices"] = AffineMapAttr(AffineMap(len(used), 0, tuple(exprs)))


@dataclass(frozen=True)
class PaddedEinsum:
    """A block with padded extents, and its padded buffers."""

    block: BlockOp
    padding: list[int]
    padded: list[bool]
    """For each variable, True if its extent changes."""
    drivers: list[ForOp | None]
    """The loop of each variable; None for a variable that is always 0."""
    anchor: Operation
    """The outermost of the block's own loops, or the block."""
    accesses: Sequence[Access]
    result: Access

    def build(self, site: Site) -> list[BlockOp]:
        """Pad the einsum; return the new blocks, in order."""
        old = self.block.extents
        new = [self._padded_extent(n) for n in range(len(old))]
        names = FreshNames(site)
        blocks: list[BlockOp] = []
        buffers: dict[tuple[object, ...], SSAValue] = {}
        own = self.result.op.buffer
        for access in self.accesses:
            access.settle()
        for access in self.accesses:
            if access.op.buffer is own or not self._grows(site, access):
                continue
            key = (access.op.buffer, access.dims, access.constants)
            if key not in buffers:
                buffers[key], block = self._pad(site, names, access, old, new)
                blocks.append(block)
            access.move(buffers[key])
        if any(self.padded[n] for n in self.result.variables):
            blocks.append(self._crop(site, names, own, old, new))
        self._resize(new)
        return blocks

    def _grows(self, site: Site, access: Access) -> bool:
        """True if the padded block reads elements that the buffer does not have, or that must
        be 0.
        """
        if any(self.padded[n] for n in access.variables):
            return True
        sizes = sizes_of(site, access.op.buffer)
        sums = [n for n, dim in enumerate(access.dims) if isinstance(dim, AffineExpr)]
        for n in sums:
            size = sizes[n]
            if not isinstance(size, int) or size < access.constants[n]:
                return True
        return False

    def _padded_extent(self, n: int) -> Extent:
        extent, factor = self.block.extents[n], self.padding[n]
        if not self.padded[n]:
            return extent
        if isinstance(extent, int):
            return -(-extent // factor) * factor
        apply = ApplyOp(AffineExpr.dimension(0).ceil_div(factor) * factor, [extent])
        apply.location = self.block.location
        apply.result.name_hint = f"{extent.name_hint or 'size'}_padded"
        self._insert(apply)
        return apply.result

    def _insert(self, *ops: Operation) -> None:
        home = self.anchor.parent
        assert home is not None
        home.insert_ops_before(list(ops), self.anchor)

    def _new_buffer(self, names: FreshNames, access: Access, new: Sequence[Extent]) -> SSAValue:
        """A padded buffer, allocated before the loops."""
        buffer = access.op.buffer
        assert isinstance(buffer.type, MemRefType)
        extents = self._extents(access, new)
        shape = [extent if isinstance(extent, int) else DYNAMIC for extent in extents]
        type_ = MemRefType(buffer.type.element_type, shape, memory_space=buffer.type.memory_space)
        name = names.take(f"{buffer_name(buffer)}_pad")
        alloc = new_alloc(name, type_, extents, self.block)
        self._insert(alloc)
        return alloc.buffer

    def _extents(self, access: Access, new: Sequence[Extent]) -> list[Extent]:
        """The extents of the dimensions of the padded buffer."""
        return [
            new[slot] if isinstance(slot, int) else access.size_of(slot) for slot in access.slots
        ]

    def _pad(
        self,
        site: Site,
        names: FreshNames,
        access: Access,
        old: Sequence[Extent],
        new: Sequence[Extent],
    ) -> tuple[SSAValue, BlockOp]:
        """A copy of the elements of ``access``, with zeros around them."""
        source = access.op.buffer
        target = self._new_buffer(names, access, new)
        slots, sizes = access.slots, sizes_of(site, source)
        body = new_body(len(slots))
        limits: list[tuple[int | SSAValue, Extent]] = []
        for k, slot in enumerate(slots):
            if isinstance(slot, int):
                limits += [(body.args[k], old[slot])] if self.padded[slot] else []
                continue
            size = sizes[access.dims.index(slot)]
            if not isinstance(size, int) or size < access.size_of(slot):
                limits.append((body.args[k], size_value(site, size, self.anchor)))
        if not self._is_inside(site, access, old):
            # An empty einsum reads no elements.
            unused = [extent for n, extent in enumerate(old) if n not in access.variables]
            limits += [
                (0, extent) for extent in unused if extent == 0 or not isinstance(extent, int)
            ]
        ops, value = load_or_zero(source, access.map(), body.args, limits)
        body.add_ops([*ops, StoreOp(value, target, AffineMap.identity(len(slots)), body.args)])
        name = buffer_name(target)
        extents = self._extents(access, new)
        nest = plain_nest(site, name, body, extents, self.anchor, self.block)
        self._insert(nest.top)
        return target, nest.block

    def _is_inside(self, site: Site, access: Access, old: Sequence[Extent]) -> bool:
        """True if the buffer provably has all elements at the indices of the variables and
        constants.
        """
        sizes = sizes_of(site, access.op.buffer)
        for n, constant, size in zip(access.dims, access.constants, sizes, strict=True):
            if isinstance(n, AffineExpr):
                continue
            extent = constant + 1 if n is None else old[n]
            if isinstance(size, int) and isinstance(extent, int):
                if size < extent:
                    return False
            elif size is not extent:
                return False
        return True

    def _crop(
        self,
        site: Site,
        names: FreshNames,
        own: SSAValue,
        old: Sequence[Extent],
        new: Sequence[Extent],
    ) -> BlockOp:
        """Compute the result into a padded buffer, and copy its unpadded part."""
        result = self.result
        target = self._new_buffer(names, result, new)
        variables = result.variables
        body = new_body(len(variables))
        identity = AffineMap.identity(len(variables))
        load = LoadOp(target, identity, body.args)
        load.result.name_hint = "value"
        body.add_ops([load, StoreOp(load.result, own, result.map(), body.args)])
        name = names.take(f"{buffer_name(own)}_crop")
        extents = [old[n] for n in variables]
        nest = plain_nest(site, name, body, extents, self.anchor, self.block)
        home = self.anchor.parent
        assert home is not None
        home.insert_op_after(nest.top, self.anchor)
        for access in self.accesses:
            if access.op.buffer is own:
                access.move(target)
        return nest.block

    def _resize(self, new: Sequence[Extent]) -> None:
        """Set the new extents of the block and of its loops.

        The bindings are rewritten in the form in which they were analysed, since loops of one
        iteration may occur in them.
        """
        block = self.block
        for loop, is_padded, extent in zip(self.drivers, self.padded, new, strict=True):
            if loop is None or not is_padded:
                continue
            if isinstance(extent, int):
                loop.properties["extent"] = IntegerAttr(extent, i64)
            else:
                loop.operands = [extent]
        block.properties["static_extents"] = DenseArrayBase.from_list(
            i64, [extent if isinstance(extent, int) else DYNAMIC for extent in new]
        )
        variables = [loop.var for loop in self.drivers if loop is not None]
        dims = iter(range(len(variables)))
        exprs = [
            AffineExpr.constant(0) if loop is None else AffineExpr.dimension(next(dims))
            for loop in self.drivers
        ]
        set_block_spaces(
            block,
            bindings=(AffineMap(len(variables), 0, tuple(exprs)), variables),
            extents=[extent for extent in new if not isinstance(extent, int)],
        )
