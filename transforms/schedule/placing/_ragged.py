"""Reductions whose extents differ between elements, at another place.

::

    tir.for %n in 10 {
      %0 = tir.apply (%n + 1)
      tir.for %r in %0 {
        tir.block "Y" (spatial %v_n in 10 = %n, reduce %v_r in %0 = %r) ...

Such an extent is a function of the block's spatial variables, expressed by the loops around it. At
another place the loops are different, and the extent is recomputed from the new values of the
variables, before the loop that uses it. All queries about the place then apply to the outermost of
these loops (``top``), which determines the computed elements. Each element is reduced over the same
terms in the same order, so no facts about the extents are needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr
from xdsl.traits import Pure

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Instance, Space
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.terms import Term
from kc.dialects.tir import INDEX, ApplyOp, BlockOp, ForOp, IterType, LoadOp
from kc.transforms.known_values import can_rebuild, is_available


@dataclass
class Ragged:
    """The reduction variables of a block whose extents differ between elements."""

    block: BlockOp
    top: ForOp
    """The outermost loop of such a variable; it contains only loops of reduction variables."""
    variables: tuple[int, ...]
    """The variables with recomputed extents."""
    inner: tuple[int, ...]
    """All variables that ``top`` and the loops in it count."""
    outer: tuple[int, ...]
    """The other variables, which select the element and a part of its terms."""
    sources: Mapping[SSAValue, int]
    """The variables of loops around ``top``, each with its variable of the block."""

    def instance(self, space: Space, shared: Mapping[ForOp, Term]) -> Instance:
        """The moment at which the reduction of one element begins."""
        place = space.place(self.top, shared)
        predicate = self.block.predicate.data
        if predicate.constraints:
            operands = self.block.predicate_operands
            place.constraints.append(space.condition(predicate, operands, place))
        return place

    def values(self, space: Space, instance: Instance) -> list[Term]:
        """The outer variables in an :meth:`instance`."""
        exprs, operands = self.block.binding_exprs, self.block.binding_operands
        return [space.expr(exprs[n], operands, instance) for n in self.outer]

    def rebuild(
        self,
        loops: Mapping[int, ForOp],
        exprs: Sequence[AffineExpr],
        guarded: Sequence[bool],
        index: IndexValues,
    ) -> None:
        """Set the extents of the block and of its new ``loops``, which are keyed by variable.

        ``exprs`` over ``index`` are the variables. A ``guarded`` variable may leave its domain
        where the block does not run.
        """
        for n in self.variables:
            copies: dict[SSAValue, SSAValue] = {}
            anchor = loops[n]
            for source in self.sources:
                number = self.sources[source]
                if self._is_used(source, self.block.extents[n]):
                    copies[source] = _variable(
                        anchor, exprs[number], index, self.block.extents[number], guarded[number]
                    )
            value = _copy(self.block.extents[n], anchor, copies)
            anchor.operands[0] = value
            position = sum(not isinstance(extent, int) for extent in self.block.extents[:n])
            operand = self.block.dynamic_extents[position]
            place = list(self.block.operands).index(operand)
            self.block.operands[place] = value

    def _is_used(self, source: SSAValue, value: int | SSAValue) -> bool:
        if value is source:
            return True
        owner = value.owner if isinstance(value, SSAValue) else None
        return isinstance(owner, Operation) and any(
            self._is_used(source, operand) for operand in owner.operands
        )


def ragged_of(block: BlockOp, anchor: Operation, loose: Sequence[ForOp]) -> Ragged | None:
    """The variables of ``block`` whose extents must be recomputed at ``anchor``, outside the loops
    ``loose``; None if there are none, or if recomputation is impossible.
    """
    extents = block.extents
    variables = [
        n
        for n, extent in enumerate(extents)
        if isinstance(extent, SSAValue) and not can_rebuild(extent, anchor)
    ]
    index = IndexValues()
    exprs = [index.compose(expr, block.binding_operands) for expr in block.binding_exprs]
    loop_of: dict[int, ForOp] = {}
    for n, expr in enumerate(exprs):
        loop = _loop(expr, index)
        if loop is not None:
            loop_of[n] = loop
    if not variables or any(
        block.types[n] is not IterType.REDUCE or loop_of.get(n) not in loose for n in variables
    ):
        return None
    top = next(loop for loop in loose if loop in [loop_of[n] for n in variables])
    inside = list(loose[loose.index(top) :])
    inner = [n for n, loop in loop_of.items() if loop in inside]
    is_simple = (
        len(inner) == len(inside)
        and all(block.types[n] is IterType.REDUCE for n in inner)
        and all(_same(extents[n], loop_of[n].extent_value) for n in inner)
        and [loop.parent_op() for loop in inside[1:]] == inside[:-1]
        and block.parent_op() is inside[-1]
    )
    outer = [n for n in range(len(exprs)) if n not in inner]
    used = index.to_map([exprs[n] for n in outer])[1] + list(block.predicate_operands)
    counters = {loop.var for loop in inside}
    if not is_simple or any(counters & _roots(value) for value in used):
        return None
    sources: dict[SSAValue, int] = {
        loop.var: n
        for n, loop in loop_of.items()
        if n in outer and block.types[n] is IterType.SPATIAL
    }
    ragged = Ragged(block, top, tuple(variables), tuple(inner), tuple(outer), sources)
    for n in variables:
        before = {source for source, number in sources.items() if number < n}
        if not _can_copy(extents[n], anchor, block, before):
            return None
    return ragged


def _same(extent: int | SSAValue, second: int | SSAValue) -> bool:
    return extent is second or (isinstance(extent, int) and extent == second)


def _loop(expr: AffineExpr, index: IndexValues) -> ForOp | None:
    """The loop whose counter is the variable; None if the variable is no loop counter."""
    root = index.roots[expr.position] if isinstance(expr, AffineDimExpr) else None
    owner = root.owner if root is not None else None
    loop = owner.parent_op() if isinstance(owner, Block) else None
    return loop if isinstance(loop, ForOp) else None


def _roots(value: SSAValue) -> set[SSAValue]:
    """The values without operands from which ``value`` is computed."""
    owner = value.owner
    if isinstance(owner, Block) or not owner.operands:
        return {value}
    return {root for operand in owner.operands for root in _roots(operand)}


def _can_copy(
    value: int | SSAValue, anchor: Operation, block: BlockOp, sources: set[SSAValue]
) -> bool:
    """True if ``value`` can be recomputed at ``anchor`` from new values of ``sources``."""
    if isinstance(value, int) or value in sources or can_rebuild(value, anchor):
        return True
    owner = value.owner
    if isinstance(owner, Block) or owner.regions:
        return False
    if isinstance(owner, LoadOp):
        if not is_available(owner.buffer, anchor) or not _is_settled(owner.buffer, block, anchor):
            return False
        operands: Sequence[SSAValue] = owner.operands_of_map
    elif owner.has_trait(Pure):
        operands = owner.operands
    else:
        return False
    return all(_can_copy(operand, anchor, block, sources) for operand in operands)


def _is_settled(buffer: SSAValue, block: BlockOp, anchor: Operation) -> bool:
    """True if a buffer has its final contents before the nests of ``block`` and ``anchor``."""
    nests = [_nest(block), _nest(anchor)]
    for use in buffer.uses:
        user = use.operation
        if isinstance(user, LoadOp):
            continue
        writer = _nest(user)
        if any(writer is nest or not writer.is_before_in_block(nest) for nest in nests):
            return False
        if user.results:
            return False  # an alias of the buffer
    return True


def _nest(op: Operation) -> Operation:
    """The operation of the function's body around ``op``."""
    function = loop_tree.enclosing_function(op)
    while op.parent_op() is not function:
        above = op.parent_op()
        assert above is not None
        op = above
    return op


def _copy(value: int | SSAValue, anchor: Operation, copies: dict[SSAValue, SSAValue]) -> SSAValue:
    """A copy of ``value`` before ``anchor``, computed from the values ``copies``."""
    assert isinstance(value, SSAValue)
    if value in copies or is_available(value, anchor):
        return copies.get(value, value)
    owner = value.owner
    assert isinstance(owner, Operation)
    for operand in owner.operands:
        _copy(operand, anchor, copies)
    copy = owner.clone(copies)
    copy.location = owner.location
    _put(anchor, copy)
    copies.update(zip(owner.results, copy.results, strict=True))
    return copies[value]


def _variable(
    anchor: Operation,
    expr: AffineExpr,
    index: IndexValues,
    extent: int | SSAValue,
    guarded: bool,
) -> SSAValue:
    """A variable before ``anchor``. A guarded variable is clamped to its domain."""
    map_, operands = index.to_map([expr])
    apply = ApplyOp(map_.results[0], operands)
    _put(anchor, apply)
    if not guarded:
        return apply.result
    zero, unit = (arith.ConstantOp(IntegerAttr(number, INDEX)) for number in (0, 1))
    size: SSAValue
    if isinstance(extent, int):
        constant = arith.ConstantOp(IntegerAttr(extent, INDEX))
        _put(anchor, constant)
        size = constant.result
    else:
        size = extent
    last = arith.SubiOp(size, unit.result)
    low = arith.MaxSIOp(apply.result, zero.result)
    high = arith.MinSIOp(low.result, last.result)
    for op in (zero, unit, last, low, high):
        _put(anchor, op)
    return high.result


def _put(anchor: Operation, op: Operation) -> None:
    home = anchor.parent
    assert home is not None
    if not op.location:
        op.location = anchor.location
    home.insert_op_before(op, anchor)
