"""version_loops: create two versions of a block's loops, of which the values of the read elements
select one.

Before, ``version-loops block=C exponent=-55``::

    tir.for %i in 64 {
      tir.block "C" (spatial %v_i in 64 = %i) do { reads %A[%v_i] : memref<64xbf16> }

After::

    %A_least = tir.alloc "A_least" : memref<i16>
    tir.for %ax0 in 64 {
      tir.block "A_least" (reduce %v0 in 64 = %ax0) init { A_least = 32767 } do {
        A_least = min(A_least, (the bits of A[v0] without the sign, 32767 for a zero)) }
    %least = tir.load %A_least[] : memref<i16>
    %least_1 = arith.index_cast %least : i16 to index
    tir.if (%least_1 >= 9216) {
      tir.for %i in 64 {
        tir.block "C" ...
    } else {
      tir.for %i in 64 {
        tir.block "C_1" ...

With ``of_products``, the condition is on products of elements of two buffers: the exponents of the
smallest elements add up to at least ``exponent``, and all elements are normal numbers. The factors
may then differ in magnitude.

The first version keeps the names. It runs if every element of the arguments that the block reads is
zero, infinite, NaN or at least 2^exponent in magnitude; otherwise the second version runs. With
``through=D``, a version extends to the loops of the later block ``D``, with all operations in
between; buffers without other uses become local to a version. For a buffer that is a copy of
arguments, for instance with zeros around them, the condition is on the arguments.

Both versions compute the same results, and are scheduled separately afterwards: the first may use
an instruction that is correct only for such numbers. x86's ``vdpbf16ps`` treats subnormal numbers
as zero. A product of two bf16 numbers of at least 2^-55 is a multiple of 2^-124, and so are all
sums of such products: none is subnormal.

*Legal when*

1. KC3623: the block loads floating-point elements only of arguments, of constants, of copies of
   these, or of buffers that one earlier block writes completely; a version does not write them.
2. KC3624: a version has no bound loops and no results; the ``through`` block follows the block.
3. KC3625: the exponent is that of a normal number of each loaded type.

GCC, LLVM: loop versioning. Halide: ``specialize``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerType,
    MemRefType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
)

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import base_buffer
from kc.analysis.loop_tree import buffer_name
from kc.analysis.module_copy import copy_operation
from kc.dialects.tir import INDEX, AllocOp, BlockOp, ForOp, IfOp, LoadOp, StoreOp
from kc.transforms.schedule._buffers import FreshNames, name_apart
from kc.transforms.schedule._copies import new_alloc
from kc.transforms.schedule._float_bits import FRACTION_BITS
from kc.transforms.schedule._magnitudes import reduce_magnitudes
from kc.transforms.schedule._sizes import size_value, sizes_of
from kc.transforms.schedule.base import BlockRef, Gives, Primitive, Rewritten, Site


@dataclass(frozen=True)
class Plan:
    """The block, the operations of the function's body that become a version (the first contains
    the block), and the buffers whose elements are examined.
    """

    block: BlockOp
    nests: list[Operation]
    buffers: list[SSAValue]
    allocs: list[AllocOp]
    """The buffers without uses outside the version."""


@dataclass(frozen=True)
class VersionLoops(Primitive):
    """Create two versions of loops, selected by the smallest magnitude that is read."""

    name: ClassVar[str] = "version-loops"
    gives: ClassVar[Gives] = "block"

    block: BlockRef = field(metadata={"help": "the block"})
    exponent: int = field(
        default=-55,
        metadata={"help": "exponent of the smallest nonzero magnitude of version 1"},
    )
    through: BlockRef | None = field(
        default=None, metadata={"help": "a later block; its loops are the last ones of a version"}
    )
    of_products: bool = field(
        default=False,
        metadata={"help": "apply the exponent to products of normal numbers of two buffers"},
    )

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        nest = site.nest_of(block)
        assert nest is not None
        nests = self._nests(site, block, nest)
        for op in nests:
            if op is nest or op.regions:
                self._require_plain(site, block, op)
        allocs = self._own_allocs(site, block, nests)
        buffers = _operands(block, nests)
        if not buffers:
            raise site.refuse(
                "KC3623",
                f"block {block.label} loads no floating-point numbers from outside its loops",
                at=block,
                why="the numbers that the block loads select the version",
                hints=["name a block that reads arguments of bf16, f16, f32 or f64"],
            )
        for buffer in buffers:
            if not _is_whole(buffer) and not _is_written(buffer, nests[0]):
                raise site.refuse(
                    "KC3623",
                    f"block {block.label} loads {buffer_name(buffer)}, which is not an argument",
                    at=block,
                    why="the condition reads all elements, and some of a buffer may be unwritten "
                    "unless it is a copy of an argument or one earlier block writes all of it",
                    hints=[f"make {buffer_name(buffer)} an argument, or inline its producer"],
                )
        types = {_element(buffer) for buffer in buffers}
        if self.of_products and (len(buffers) > 2 or len(types) > 1):
            loaded = ", ".join(
                f"{buffer_name(operand)} of {_element(operand)}" for operand in buffers
            )
            raise site.refuse(
                "KC3623",
                f"block {block.label} does not multiply numbers of two buffers of one type",
                at=block,
                why=f"it loads {loaded}",
                hints=["of_products=False: the exponent then applies to each buffer"],
            )
        factors = 2 if self.of_products else 1
        for buffer in buffers:
            least, most = (factors * limit for limit in _normal_exponents(_element(buffer)))
            if not least <= self.exponent <= most:
                raise site.refuse(
                    "KC3625",
                    f"exponent {self.exponent} for {buffer_name(buffer)}",
                    at=block,
                    why=f"{'products of ' if self.of_products else ''}normal numbers of "
                    f"{_element(buffer)} are from 2^{least} to less than 2^{most + factors}",
                    hints=[f"exponent={min(max(self.exponent, least), most)}"],
                )
        return Plan(block, nests, buffers, allocs)

    def _nests(self, site: Site, block: BlockOp, nest: Operation) -> list[Operation]:
        """The operations of a version. Raises ScheduleError KC3624 if the ``through`` block does
        not follow.
        """
        if self.through is None:
            return [nest]
        last = site.resolve_block(self.through)
        end, nests = site.nest_of(last), [nest]
        while nests[-1] is not end:
            following = nests[-1].next_op
            if following is None or following.next_op is None:
                raise site.refuse(
                    "KC3624",
                    f"the loops of block {last.label} do not follow those of {block.label}",
                    at=last,
                    why="a version extends from the loops of one block to those of the other",
                    hints=[f"version_loops of {last.label}, through {block.label}"],
                )
            nests.append(following)
        return nests

    def _own_allocs(self, site: Site, block: BlockOp, nests: list[Operation]) -> list[AllocOp]:
        """The buffers that only a version uses. Raises ScheduleError KC3624 for a result that is
        computed in the version and used after it.
        """
        inside = {inner for op in nests for inner in op.walk()}
        home = nests[0].parent
        assert home is not None
        allocs = [
            op
            for op in home.ops
            if isinstance(op, AllocOp)
            and op.buffer.uses
            and all(use.operation in inside for use in op.buffer.uses)
        ]
        for op in nests:
            if isinstance(op, AllocOp) and not any(
                operand.owner in inside for operand in op.operands
            ):
                continue  # the allocation moves before the version
            for result in op.results:
                if any(use.operation not in inside for use in result.uses):
                    name = result.name_hint or op.name
                    raise site.refuse(
                        "KC3624",
                        f"the loops of block {block.label} cannot have two versions",
                        at=block,
                        why=f"{name} is computed among them and used after them, where it would "
                        "have two sources",
                        hints=["name a later block in through="],
                    )
        return [op for op in allocs if op not in nests]

    @staticmethod
    def _made_before(nests: list[Operation]) -> list[Operation]:
        """The allocations in a version with uses after it, which move before the version."""
        inside = {inner for op in nests for inner in op.walk()}
        return [
            op
            for op in nests
            if isinstance(op, AllocOp)
            and not all(use.operation in inside for use in op.buffer.uses)
        ]

    def _require_plain(self, site: Site, block: BlockOp, nest: Operation) -> None:
        bound = [loop for loop in loop_tree.loops(nest) if loop.axis is not None]
        if not bound and not nest.results:
            return
        if bound:
            why = "a version is chosen on the CPU, before the threads of a kernel run"
            hint = "use version_loops in a schedule for a CPU"
        else:
            why = f"{nest.name} is around it, and its results would have two sources"
            hint = f"store the results of {nest.name} to a buffer"
        raise site.refuse(
            "KC3624",
            f"the loops of block {block.label} cannot have two versions",
            at=block,
            mark={loop: "is bound" for loop in bound[:1]},
            why=why,
            hints=[hint],
        )

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            for exponent in (-55, -10):
                yield cls(BlockRef(block), exponent)
            for last in loop_tree.blocks(site.function):
                if last is not block:
                    yield cls(BlockRef(block), -10, BlockRef(last))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        nest = plan.nests[0]
        before = self._made_before(plan.nests)
        for op in before:
            op.detach()
            assert nest.parent is not None
            nest.parent.insert_op_before(op, nest)
        ops = [*plan.allocs, *(op for op in plan.nests if op not in before)]
        twins: dict[SSAValue, SSAValue] = {}
        again = [copy_operation(op, twins) for op in ops]
        position = [inner for op in ops for inner in op.walk()].index(plan.block)
        second = [inner for op in again for inner in op.walk()][position]
        assert isinstance(second, BlockOp)
        otherwise = Region(Block(again))
        name_apart(site, [otherwise])
        home = nest.parent
        assert home is not None
        least: list[SSAValue] = []
        names = FreshNames(site)
        for buffer in plan.buffers:
            looked, value = _least_magnitude(site, buffer, names, nest)
            home.insert_ops_before(looked, nest)
            least.append(value)
        types = [_element(buffer) for buffer in plan.buffers]
        if self.of_products:
            are_large = _product_at_least(types[0], self.exponent, len(types))
        else:
            are_large = _all_at_least([_bits_of_power(type_, self.exponent) for type_ in types])
        branch = IfOp(are_large, least, Region(Block()), otherwise)
        branch.location = nest.location
        home.insert_op_before(branch, nest)
        for op in ops:
            op.detach()
            branch.then.block.add_op(op)
        return Rewritten(blocks=(second,))


# Examined buffers ---------------------------------------------------------------------------


def _operands(block: BlockOp, nests: Sequence[Operation]) -> list[SSAValue]:
    """The buffers with floating-point elements that the block loads and a version does not write,
    in the order of the loads. A copy of arguments is replaced by the arguments.
    """
    ops = [inner for op in nests for inner in op.walk()]
    written = {base_buffer(op.buffer) for op in ops if isinstance(op, StoreOp)}
    # An operation other than a load may write through any operand.
    written |= {
        base_buffer(value)
        for op in ops
        if not isinstance(op, LoadOp | StoreOp)
        for value in op.operands
        if isinstance(value.type, MemRefType)
    }
    if None in written:
        return []  # any buffer may be written
    loads = [op.buffer for op in block.body.walk() if isinstance(op, LoadOp)]
    read = dict.fromkeys(base_buffer(buffer) or buffer for buffer in loads)
    own = [
        buffer
        for buffer in read
        if buffer not in written and type(_element(buffer)) in FRACTION_BITS
    ]
    sources: dict[SSAValue, None] = {}
    for buffer in own:
        copied = _copied(buffer, [])
        is_copy = copied is not None and not written.intersection(copied)
        sources.update(dict.fromkeys(copied if is_copy and copied else [buffer]))
    return list(sources)


def _copied(buffer: SSAValue, around: list[SSAValue]) -> list[SSAValue] | None:
    """The arguments that contain all nonzero elements of a buffer; None if the buffer may have
    other elements.
    """
    if _is_whole(buffer):
        return [buffer]
    if not isinstance(buffer.owner, AllocOp) or buffer in around:
        return None
    sources: dict[SSAValue, None] = {}
    for use in buffer.uses:
        op = use.operation
        if isinstance(op, LoadOp):
            continue
        if not isinstance(op, StoreOp) or op.buffer is not buffer:
            return None
        for value in _selected(op.value):
            if isinstance(value.owner, arith.ConstantOp):
                number = value.owner.value
                if not isinstance(number, FloatAttr) or number.value.data != 0:
                    return None
                continue
            if not isinstance(value.owner, LoadOp):
                return None
            base = base_buffer(value.owner.buffer)
            copied = None if base is None else _copied(base, [*around, buffer])
            if copied is None or not all(map(_is_only_read, copied)):
                return None
            sources.update(dict.fromkeys(copied))
    return list(sources)


def _is_only_read(argument: SSAValue) -> bool:
    """True if an argument is never written, so that a copy of it has the same elements."""
    return all(isinstance(use.operation, LoadOp) for use in argument.uses)


def _selected(value: SSAValue) -> Iterator[SSAValue]:
    """The possible values of ``value`` over all branches."""
    op = value.owner
    if isinstance(op, arith.SelectOp):
        yield from _selected(op.lhs)
        yield from _selected(op.rhs)
    elif isinstance(op, scf.IfOp):
        number = list(op.results).index(value)  # pyright: ignore[reportArgumentType]
        for region in op.regions:
            last = region.block.last_op
            assert last is not None
            yield from _selected(last.operands[number])
    else:
        yield value


def _is_whole(buffer: SSAValue) -> bool:
    """True if each element of the buffer has a value on entry, as for arguments and constants."""
    if isinstance(buffer, BlockArgument):
        return isinstance(buffer.block.parent_op(), FuncOp)
    return isinstance(buffer.owner, memref.GetGlobalOp)


def _is_written(buffer: SSAValue, nest: Operation) -> bool:
    """True if a single block writes the buffer, before ``nest``, and writes each element."""
    if not isinstance(buffer.owner, AllocOp):
        return False
    stores: list[StoreOp] = []
    for use in buffer.uses:
        op = use.operation
        if isinstance(op, StoreOp) and op.buffer is buffer:
            stores.append(op)
        elif not isinstance(op, LoadOp):
            return False
    if len(stores) != 1 or nest.parent is None:
        return False
    block = stores[0].parent_op()
    if not isinstance(block, BlockOp) or block.predicate.data.constraints:
        return False
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    variables: list[SSAValue] = list(block.body.block.args)
    sizes: list[int | SSAValue] = []
    for expr in stores[0].indices.data.results:
        if not isinstance(expr, AffineDimExpr):
            return False
        variable = stores[0].operands_of_map[expr.position]
        if variable not in variables:
            return False
        sizes.append(block.extents[variables.index(variable)])
    first: Operation = block
    while first.parent is not nest.parent:
        outer = first.parent_op()
        if not isinstance(outer, ForOp):
            return False
        first = outer
    at = nest.parent.get_operation_index
    loops = loop_tree.loops_around(block)
    is_each = len(block.extents) == len(loops) and all(
        loop.static_extent == extent for loop, extent in zip(loops, block.extents, strict=True)
    )
    return (
        is_each
        and tuple(sizes) == tuple(type_.get_shape())
        and len(set(stores[0].indices.data.results)) == len(sizes)
        and at(first) < at(nest)
    )


def _element(buffer: SSAValue) -> AnyFloat:
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    return type_.element_type


def _normal_exponents(type_: AnyFloat) -> tuple[int, int]:
    """The smallest and the largest exponent of normal numbers."""
    most = (1 << (type_.bitwidth - 2 - FRACTION_BITS[type(type_)])) - 1
    return 1 - most, most


def _bits_of_power(type_: AnyFloat, exponent: int) -> int:
    """The bit pattern of 2^exponent as an integer; larger magnitudes have larger patterns."""
    _, bias = _normal_exponents(type_)
    return (exponent + bias) << FRACTION_BITS[type(type_)]


# Generated code -----------------------------------------------------------------------------


def _least_magnitude(
    site: Site, buffer: SSAValue, names: FreshNames, like: Operation
) -> tuple[list[Operation], SSAValue]:
    """The operations that compute the smallest bit pattern, without the sign, of the nonzero
    elements, and this pattern as an index.
    """
    element = _element(buffer)
    bits = IntegerType(element.bitwidth)
    extents = [size_value(site, size, like) for size in sizes_of(site, buffer)]
    name = names.take(f"{buffer_name(buffer)}_least")
    alloc = new_alloc(name, MemRefType(bits, []), [], like)
    nest = reduce_magnitudes(site, name, buffer, alloc.buffer, extents, like, "least")
    load = LoadOp(alloc.buffer, AffineMap(0, 0, ()), [])
    index = arith.IndexCastOp(load.result, INDEX)
    load.result.name_hint = index.result.name_hint = "least"
    for op in (load, index):
        op.location = like.location
    return [alloc, nest.top, load, index], index.result


def _product_at_least(type_: AnyFloat, exponent: int, count: int) -> AffineSet:
    """The condition on bit patterns that each dimension is a normal number, and that both exponents
    (or twice the exponent of the only dimension) add up to at least ``exponent``.
    """
    unit = 1 << FRACTION_BITS[type(type_)]  # the distance of two exponents in the bit pattern
    _, bias = _normal_exponents(type_)
    dims = [AffineExpr.dimension(n) for n in range(count)]
    both = dims if count == 2 else [dims[0], dims[0]]
    total = both[0] // unit + both[1] // unit
    ge = AffineConstraintKind.ge
    constraints = [AffineConstraintExpr(ge, dim, AffineExpr.constant(unit)) for dim in dims]
    constraints.append(AffineConstraintExpr(ge, total, AffineExpr.constant(exponent + 2 * bias)))
    return AffineSet(count, 0, tuple(constraints))


def _all_at_least(bounds: Sequence[int]) -> AffineSet:
    """The condition that each dimension is at least its bound."""
    constraints = tuple(
        AffineConstraintExpr(
            AffineConstraintKind.ge, AffineExpr.dimension(n), AffineExpr.constant(bound)
        )
        for n, bound in enumerate(bounds)
    )
    return AffineSet(len(bounds), 0, constraints)
