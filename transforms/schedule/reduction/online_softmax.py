"""online_softmax: the maximum, the powers and the sums of a softmax in one loop over a row.

Before, ``online-softmax block=M loop=j_0``::

    tir.for %i in 16 {
      tir.for %j_0 in 4 {
        tir.for %j_1 in 8 {
          tir.block "M" ... init { %M[%v_i] = -inf } do { %M[%v_i] max= %X[%v_i, %v_j] }
    tir.for %i, %j:       tir.block "E" ... do { %E[%v_i, %v_j] = exp(%X[%v_i, %v_j] - %M[%v_i]) }
    tir.for %i, %j:       tir.block "T" ... do { %T[%v_i] += %E[%v_i, %v_j] }
    tir.for %i, %j:       tir.block "P" ... do { %P[%v_i, %v_j] = %E[%v_i, %v_j] / %T[%v_i] }
    tir.for %i, %d, %j:   tir.block "O" ... do { %O[%v_i, %v_d] += %P[%v_i, %v_j] * %V[%v_j, %v_d] }

After::

    tir.for %i in 16 {
      "M_init": %M[%v_i] = lowest;  "T_init": %T[%v_i] = 0;  "O_init": %O_sum[%v_i, %v_d] = 0
      tir.for %j_0 in 4 {
        "M_previous":  %M_previous[%v_i] = %M[%v_i]
        "M":           %M[%v_i] max= %X[%v_i, %v_j]                    # the terms of j_0 alone
        "M_rescale":   %M_rescale[%v_i] = exp(%M_previous[%v_i] - %M[%v_i])
        "E":           %E[%v_i, %v_j] = exp(%X[%v_i, %v_j] - %M[%v_i])
        "T_rescale":   %T[%v_i] *= %M_rescale[%v_i]
        "T":           %T[%v_i] += %E[%v_i, %v_j]
        "P":           %P[%v_i, %v_j] = %E[%v_i, %v_j]
        "O_rescale":   %O_sum[%v_i, %v_d] *= %M_rescale[%v_i]
        "O":           %O_sum[%v_i, %v_d] += %P[%v_i, %v_j] * %V[%v_j, %v_d]
    tir.for %i, %d:  "O_quotient": %O[%v_i, %v_d] = %O_sum[%v_i, %v_d] / %T[%v_i]

An iteration processes some terms of a row. If it raises the maximum, the sums relative to the old
maximum are multiplied by ``exp(old - new)``, since ``exp(x - new) = exp(x - old) * exp(old -
new)``. A row stores a maximum, a sum, and a weighted sum for each column of V. The division by the
sum of the row is deferred until the sum is complete.

The result is that of the program, rounded in another order, also for rows with infinities, with NaN
and without a finite term. There are two limits. The weighted sums before the division are larger by
the factor T, at most the number of terms of a row. An infinite element of V whose weight underflows
its type yields an infinity or NaN, instead of always NaN.

*Legal when*

1. KC3620: the block computes the maximum of a softmax: its reader computes powers of the same terms
   minus the maximum; sums, in f32 or f64, are of these powers, of products with them, or of
   products with the powers divided by their sum, with optional casts.
2. KC3621: no other operation reads the powers, or sums that are not divided by the sum of the row.
3. KC3200, KC3202, KC3205: the blocks compute each element of a separate buffer independently, or
   are reductions with their init.
4. KC3602, KC3622: the loop is around the maximum and takes a part of the terms; all loops of the
   blocks are serial, complete and separate.
5. KC3253: the maximum may be initialised before the loop.
6. KC3207, KC3208: the inputs of the blocks are available and unchanged at the maximum.

Source: Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018; Dao et al.,
"FlashAttention", 2022. TVM has no such primitive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, MemRefType, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import base_buffer
from kc.analysis.accesses.regions import buffers_read, buffers_written
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import INDEX, AllocOp, BlockOp, ForOp, IterType, LoadOp, StoreOp
from kc.transforms.affine_rewrite import compact, set_block_spaces
from kc.transforms.known_values import is_available
from kc.transforms.schedule._blocks import captured, erase_empty
from kc.transforms.schedule._buffers import FreshNames
from kc.transforms.schedule._nests import loop_around
from kc.transforms.schedule.base import (
    BlockRef,
    Gives,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
    require_serial,
)
from kc.transforms.schedule.reduction._softmax_rows import LOWEST, Member, SoftmaxRows, softmax_rows
from kc.transforms.tir.blocks.lower_init_block import Decomposition


@dataclass(frozen=True)
class Plan:
    """The blocks, the loop over parts of a row, and the initialisation of the maximum."""

    rows: SoftmaxRows
    loop: ForOp
    top: Operation
    """The outermost operation of the nest of the maximum."""
    init: Decomposition

    @property
    def inner(self) -> list[ForOp]:
        """The loops of the maximum inside the loop."""
        around = loop_tree.loops_around(self.rows.maximum.block)
        return around[around.index(self.loop) + 1 :]


@dataclass(frozen=True)
class OnlineSoftmax(Primitive):
    """Compute the maximum, the powers and the sums of a softmax in one loop over a row."""

    name: ClassVar[str] = "online-softmax"
    gives: ClassVar[Gives] = "blocks"

    block: BlockRef = field(metadata={"help": "the block that computes the maximum of a row"})
    loop: LoopRef = field(metadata={"help": "its loop over groups of terms of a row"})

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        loop = loop_around(site, self.loop, block, "the sums of a part of a row go into it")
        rows = softmax_rows(site, block)
        top = self._require_nests(site, rows, loop)
        _require_order(site, rows, top)
        init = Decomposition.of(block, loop, site.blocks)
        if isinstance(init, str):
            raise site.refuse(
                "KC3253",
                f"the init of block {block.label} cannot be proven to do the same before loop "
                f"{loop.label}",
                at=block,
                mark={loop: "the loop", block: "here"},
                why=init,
            )
        return Plan(rows, loop, top, init)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            if block.has_init and any(isinstance(op, arith.MaximumfOp) for op in block.body.ops):
                for loop in loop_tree.loops_around(block):
                    yield cls(BlockRef(block), LoopRef(loop))

    def _require_nests(self, site: Site, rows: SoftmaxRows, loop: ForOp) -> Operation:
        """The outermost operation of the nest of the maximum. Refuses (KC3010, KC3011, KC3622)
        nests that cannot be joined.
        """
        block = rows.maximum.block
        around = loop_tree.loops_around(block)
        place = around.index(loop)

        def refuse(why: str, at: Operation) -> Exception:
            return site.refuse(
                "KC3622",
                f"the parts of a row in loop {loop.label} cannot be combined",
                at=at,
                mark={loop: "the loop", at: "here"},
                why=why,
            )

        for outer, inner in zip(around, [*around[1:], block], strict=True):
            if loop_tree.only_child(outer) is not inner:
                raise refuse(f"loop {outer.label} contains more than the maximum", outer)
            if outer in around[place:]:
                require_serial(site, outer)
        for number, inner in enumerate(around):
            kinds = loop_tree.iter_types(inner, block)
            if number < place and IterType.REDUCE in kinds:
                raise refuse(f"the outer loop {inner.label} also takes a part of a row", inner)
            if inner is loop and kinds != {IterType.REDUCE}:
                raise refuse("it does not run over the terms of a row alone", loop)
            if len(kinds) > 1:
                raise refuse(f"loop {inner.label} runs over rows and their terms", inner)
        if block.predicate.data.constraints:
            raise refuse(
                f"block {block.label} leaves out terms that its loops do not divide", block
            )
        top: Operation = around[0]
        for member in rows.members:
            own = member.block
            loops = loop_tree.loops_around(own)
            outermost: Operation = loops[0] if loops else own
            if outermost.parent is not top.parent:
                raise refuse(f"block {own.label} is in another place than {block.label}", own)
            for inner in loops:
                require_serial(site, inner)
            if not _is_untouched(own, loops):
                raise refuse(f"block {own.label} is not in one loop for each of its variables", own)
        return top

    def _touched(self, site: Site) -> set[Operation] | None:
        return None  # the blocks are identified by their inputs

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        return Rewritten(blocks=tuple(_Rewriting(site, plan).run()))


def _is_untouched(block: BlockOp, loops: Sequence[ForOp]) -> bool:
    """True if a block is alone in loops of constant extents, one for each variable."""
    if len(loops) != len(block.types) or block.predicate.data.constraints:
        return False
    by_variable = []
    for expr, size in zip(block.binding_exprs, block.extents, strict=True):
        if not isinstance(expr, AffineDimExpr) or not isinstance(size, int):
            return False
        by_variable.append((block.binding_operands[expr.position], size))
    chain = zip(loops, [*loops[1:], block], strict=True)
    return all(loop_tree.only_child(outer) is inner for outer, inner in chain) and {
        (loop.var, loop.static_extent) for loop in loops
    } == set(by_variable)


def _outermost(block: BlockOp) -> Operation:
    loops = loop_tree.loops_around(block)
    return loops[0] if loops else block


def _require_order(site: Site, rows: SoftmaxRows, top: Operation) -> None:
    """Require that the inputs of the blocks are available before the maximum, and that the uses of
    their outputs come after it.
    """
    blocks = [member.block for member in rows.members]
    tops = {_outermost(block): block for block in blocks}
    own = {base_buffer(buffer) for block in blocks for buffer in buffers_written(block)}
    inputs = {base_buffer(buffer) for block in blocks for buffer in buffers_read(block)} - own
    allocs = {buffer.owner for block in blocks for buffer in buffers_written(block)}
    for block in blocks:
        for value in captured(block):
            if value.owner in allocs or is_available(value, top):
                continue
            what = value.name_hint or "a value"
            raise site.refuse(
                "KC3208",
                f"block {block.label} cannot be computed with {rows.maximum.block.label}",
                at=block,
                why=f"it uses {what}, which is not available there",
            )
    place = top.next_op
    waiting = set(tops)
    while place is not None and waiting:
        if place in waiting:
            waiting.remove(place)
        else:
            _require_apart(site, place, own, inputs, rows)
        place = place.next_op
    if waiting:
        block = tops[next(iter(waiting))]
        raise site.refuse(
            "KC3622",
            f"block {block.label} comes before block {rows.maximum.block.label}",
            at=block,
            mark={block: "here", rows.maximum.block: "the maximum"},
            why="it reads values of an earlier iteration",
        )


def _require_apart(
    site: Site,
    place: Operation,
    own: set[SSAValue | None],
    inputs: set[SSAValue | None],
    rows: SoftmaxRows,
) -> None:
    """Refuse (KC3207) an operation between the blocks that changes their inputs or outputs."""
    if isinstance(place, AllocOp):
        return
    for op in place.walk():
        for value in op.operands:
            if not isinstance(value.type, MemRefType):
                continue
            buffer = base_buffer(value)
            if isinstance(op, LoadOp) or buffer not in own | inputs | {None}:
                continue
            raise site.refuse(
                "KC3207",
                f"{buffer_name(value)} may be written between the blocks of the softmax",
                at=op,
                mark={op: "here", rows.maximum.block: "the maximum"},
                why="all of them are computed with the maximum",
            )


@dataclass
class _Rewriting:
    """The construction of the new loop over parts of a row."""

    site: Site
    plan: Plan
    names: FreshNames = field(init=False)
    new_blocks: list[BlockOp] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names = FreshNames(self.site)

    @property
    def maximum(self) -> BlockOp:
        """The block of the maximum."""
        return self.plan.rows.maximum.block

    def run(self) -> list[BlockOp]:
        rows, loop = self.plan.rows, self.plan.loop
        around = loop_tree.loops_around(self.maximum)
        inner_top = around[around.index(loop) + 1] if self.plan.inner else self.maximum
        buffer = rows.maximum.buffer
        previous = self._buffer(f"{buffer_name(buffer)}_previous", buffer)
        factor = self._buffer(f"{buffer_name(buffer)}_rescale", buffer)
        self._defer_divisions()
        for member in rows.members:
            self._bring_forward(member.definition.buffer)
        init = self.plan.init.build()
        if init is not None:
            self._begin_low(init)
            self.new_blocks.append(init)
        for member in rows.members:
            if member.is_sum:
                self._put(self._init(member), member, before=loop)
        loop.body.block.insert_op_before(self._rows(previous, self._copy), inner_top)
        place: Operation = inner_top
        place = self._behind(self._rows(factor, self._factor(previous)), place)
        for member in rows.members:
            if member.is_sum:
                place = self._behind(self._rescaled(member, factor), place)
            place = self._behind(self._moved(member), place)
        return self.new_blocks

    # Buffers -------------------------------------------------------------------------------

    def _buffer(self, name: str, like: SSAValue) -> SSAValue:
        assert isinstance(like.type, MemRefType)
        alloc = AllocOp(self.names.take(name), like.type, [])
        alloc.location = self.maximum.location
        alloc.buffer.name_hint = alloc.label
        self._before(self.plan.top, alloc)
        return alloc.buffer

    @staticmethod
    def _before(place: Operation, op: Operation) -> None:
        block = place.parent
        assert block is not None
        block.insert_op_before(op, place)

    def _behind(self, op: Operation, place: Operation) -> Operation:
        self.plan.loop.body.block.insert_op_after(op, place)
        return op

    def _bring_forward(self, buffer: SSAValue) -> None:
        alloc = buffer.owner
        if isinstance(alloc, AllocOp) and not is_available(buffer, self.plan.top):
            alloc.detach()
            self._before(self.plan.top, alloc)

    # Blocks --------------------------------------------------------------------------------

    def _nest(
        self, block: BlockOp, sources: Sequence[SSAValue | None], near: Operation
    ) -> Operation:
        """``block`` in copies of the maximum's loops inside the loop for variables that it shares
        with the maximum (``sources``), and in new loops for its other variables.
        """
        operands = list(self.maximum.binding_operands)
        exprs: list[AffineExpr] = []
        spatial: list[ForOp] = []
        extra: list[ForOp] = []
        terms: list[ForOp] = []
        copies: dict[SSAValue, ForOp] = {}
        used = {
            self.maximum.binding_operands[dim]
            for source in sources
            if source is not None
            for dim in self.maximum.binding_exprs[source.index].used_dims()  # pyright: ignore
        }
        for loop in self.plan.inner:
            if loop.var in used:
                copies[loop.var] = copy = ForOp(loop.label, loop.static_extent or loop.extent)
                is_term = IterType.REDUCE in loop_tree.iter_types(loop, self.maximum)
                (terms if is_term else spatial).append(copy)
        for source, name, size in zip(sources, block.names, block.extents, strict=True):
            if source is not None:
                exprs.append(self.maximum.binding_exprs[source.index])  # pyright: ignore
                continue
            extra.append(ForOp(name.removeprefix("v_"), size))
            exprs.append(AffineExpr.dimension(len(operands)))
            operands.append(extra[-1].var)
        operands = [copies[operand].var if operand in copies else operand for operand in operands]
        loops = [*spatial, *extra, *terms]
        map_, operands = compact(AffineMap(len(operands), 0, tuple(exprs)), operands)
        set_block_spaces(block, bindings=(map_, operands))
        labels = self.site.fresh_names([loop.label for loop in loops], self.plan.loop, [])
        top: Operation = block
        for loop, label in reversed(list(zip(loops, labels, strict=True))):
            loop.properties["loop_name"] = StringAttr(label)
            loop.body.block.add_op(top)
            loop.location = near.location
            top = loop
        return top

    def _block(
        self,
        name: str,
        iters: Sequence[tuple[IterType, str, int | SSAValue]],
        body: Block,
    ) -> BlockOp:
        unbound = AffineMap(0, 0, tuple(AffineExpr.constant(0) for _ in iters))
        block = BlockOp(name, iters, unbound, [], Region(body))
        self.new_blocks.append(block)
        return block

    def _spatial(self, member: Member) -> tuple[list[int], list[SSAValue | None]]:
        """The numbers of the spatial variables of a block, with the variables of the maximum that
        they equal.
        """
        numbers = [n for n, kind in enumerate(member.block.types) if kind is IterType.SPATIAL]
        arguments = member.block.body.block.args
        return numbers, [member.names.get(arguments[n]) for n in numbers]

    def _put(self, block: BlockOp, member: Member, before: Operation) -> None:
        _, sources = self._spatial(member)
        self._before(before, self._nest(block, sources, member.block))

    def _init(self, member: Member) -> BlockOp:
        """The init of a sum as a block."""
        block = member.block
        numbers, _ = self._spatial(member)
        inits = block.init.detach_block(0)
        body = Block(arg_types=[INDEX] * len(numbers))
        for new, n in zip(body.args, numbers, strict=True):
            inits.args[n].replace_all_uses_with(new)
            new.name_hint = block.body.block.args[n].name_hint
        for op in list(inits.ops):
            op.detach()
            body.add_op(op)
        return self._block(
            self.names.take(f"{block.label}_init"), [block.iters[n] for n in numbers], body
        )

    def _rows(self, buffer: SSAValue, value: RowValue) -> Operation:
        """A block that computes an element of ``buffer`` for each row."""
        store = self.plan.rows.maximum.store
        arguments = self.maximum.body.block.args
        numbers = [n for n, kind in enumerate(self.maximum.types) if kind is IterType.SPATIAL]
        body = Block(arg_types=[INDEX] * len(numbers))
        values: dict[SSAValue, SSAValue] = {}
        for new, n in zip(body.args, numbers, strict=True):
            values[arguments[n]] = new
            new.name_hint = arguments[n].name_hint
        place = [values[operand] for operand in store.operands_of_map]
        loads = [
            LoadOp(buffer, store.indices.data, place)
            for buffer in (self.plan.rows.maximum.buffer, *value.more)
        ]
        body.add_ops(loads)
        ops = value.compute([load.result for load in loads])
        body.add_ops(ops)
        result = ops[-1].results[0] if ops else loads[0].result
        body.add_op(StoreOp(result, buffer, store.indices.data, place))
        iters = [self.maximum.iters[n] for n in numbers]
        block = self._block(buffer_name(buffer), iters, body)
        return self._nest_located(block, [arguments[n] for n in numbers], self.maximum)

    def _nest_located(
        self, block: BlockOp, sources: Sequence[SSAValue | None], like: BlockOp
    ) -> Operation:
        top = self._nest(block, sources, like)
        for op in block.walk():
            op.location = like.location
        return top

    @property
    def _copy(self) -> RowValue:
        return RowValue((), lambda values: [])

    def _factor(self, previous: SSAValue) -> RowValue:
        """The value ``exp(previous - maximum)``."""

        def compute(values: Sequence[SSAValue]) -> list[Operation]:
            maximum, before = values
            difference = arith.SubfOp(before, maximum)
            return [difference, self.plan.rows.function(difference.result)]

        return RowValue((previous,), compute)

    def _rescaled(self, member: Member, factor: SSAValue) -> Operation:
        """A block that multiplies the elements of a sum by the rescaling factor of their row."""
        store = member.definition.store
        arguments = member.block.body.block.args
        numbers, sources = self._spatial(member)
        body = Block(arg_types=[INDEX] * len(numbers))
        values: dict[SSAValue, SSAValue] = {}
        rows: dict[SSAValue, SSAValue] = {}
        for new, n, source in zip(body.args, numbers, sources, strict=True):
            values[arguments[n]] = new
            new.name_hint = arguments[n].name_hint
            if source is not None:
                rows[source] = new
        maximum = self.plan.rows.maximum.store
        load = LoadOp(
            member.definition.buffer,
            store.indices.data,
            [values[operand] for operand in store.operands_of_map],
        )
        by = LoadOp(
            factor, maximum.indices.data, [rows[operand] for operand in maximum.operands_of_map]
        )
        scaled = arith.MulfOp(load.result, by.result)
        body.add_ops(
            [
                load,
                by,
                scaled,
                StoreOp(scaled.result, load.buffer, load.indices.data, load.operands_of_map),
            ]
        )
        iters = [member.block.iters[n] for n in numbers]
        block = self._block(self.names.take(f"{member.block.label}_rescale"), iters, body)
        return self._nest_located(block, sources, member.block)

    def _moved(self, member: Member) -> Operation:
        """The block itself, in loops over the part of the row."""
        block = member.block
        parent = block.parent_op()
        block.detach()
        erase_empty(parent)
        sources = [member.names.get(argument) for argument in block.body.block.args]
        return self._nest(block, sources, block)

    def _begin_low(self, init: BlockOp) -> None:
        """Initialise the maximum with the lowest finite number, so that differences stay
        defined.
        """
        (store,) = (op for op in init.body.walk() if isinstance(op, StoreOp))
        type_ = store.value.type
        assert isinstance(type_, AnyFloat)
        lowest = arith.ConstantOp(FloatAttr(LOWEST[type_], type_))
        lowest.location = store.location
        old = store.value.owner
        self._before(store, lowest)
        store.operands[0] = lowest.result
        if isinstance(old, Operation) and not old.results[0].uses:
            old.detach()
            old.erase()

    def _defer_divisions(self) -> None:
        """Divide the complete sums, instead of their terms."""
        rows = self.plan.rows
        divided = [member for member in rows.sums if rows.is_divided(member)]
        for member in (*rows.weights, *rows.sums):
            if (division := member.division) is not None:
                load = division.denominator.owner
                division.result.replace_all_uses_with(division.numerator)
                assert isinstance(load, LoadOp)
                for op in (*division.ops, load):
                    if not op.results[0].uses:
                        op.detach()
                        op.erase()
        for member in divided:
            self._divide(member)

    def _divide(self, member: Member) -> None:
        """Store a sum to a new buffer, and its quotients to the old buffer."""
        rows, store, block = self.plan.rows, member.definition.store, member.block
        total = rows.total
        assert total is not None
        result = store.buffer
        alloc = AllocOp(
            self.names.take(f"{buffer_name(result)}_sum"),
            MemRefType(result.type.element_type, result.type.shape),  # pyright: ignore
            [],
        )
        alloc.location = block.location
        alloc.buffer.name_hint = alloc.label
        self._before(self.plan.top, alloc)
        place = _outermost(block)
        arguments = block.body.block.args
        numbers, sources = self._spatial(member)
        body = Block(arg_types=[INDEX] * len(numbers))
        values: dict[SSAValue, SSAValue] = {}
        values.update(zip((arguments[n] for n in numbers), body.args, strict=True))
        by_row = {source: values[arguments[n]] for n, source in zip(numbers, sources, strict=True)}
        where = [values[operand] for operand in store.operands_of_map]
        top = LoadOp(alloc.buffer, store.indices.data, where)
        of_total = total.definition.store
        row = [by_row[total.names[operand]] for operand in of_total.operands_of_map]
        by = LoadOp(total.definition.buffer, of_total.indices.data, row)
        quotient = arith.DivfOp(top.result, by.result)
        last = StoreOp(quotient.result, result, store.indices.data, where)
        body.add_ops([top, by, quotient, last])
        iters = [block.iters[n] for n in numbers]
        loops = [ForOp(name.removeprefix("v_"), size) for _, name, size in iters]
        new = self._block(self.names.take(f"{block.label}_quotient"), iters, body)
        identity = AffineMap.identity(len(loops))
        set_block_spaces(new, bindings=(identity, [loop.var for loop in loops]))
        for arg, n in zip(body.args, numbers, strict=True):
            arg.name_hint = arguments[n].name_hint
        outer: Operation = new
        for loop in reversed(loops):
            loop.body.block.add_op(outer)
            outer = loop
        for op in outer.walk():
            op.location = block.location
        parent = place.parent
        assert parent is not None
        parent.insert_op_after(outer, place)
        for op in block.walk():
            if isinstance(op, StoreOp) and op.buffer is result:
                op.operands[1] = alloc.buffer
            elif isinstance(op, LoadOp) and op.buffer is result:
                op.operands[0] = alloc.buffer


@dataclass(frozen=True)
class RowValue:
    """A value computed from the maximum of a row and from elements of buffers with the same
    shape.
    """

    more: tuple[SSAValue, ...]
    compute: Callable[[Sequence[SSAValue]], list[Operation]]
