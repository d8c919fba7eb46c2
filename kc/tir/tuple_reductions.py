"""The position of a largest or smallest element, in the explicit form of a TVMScript block.

The body of such a block updates two buffers, one by ``T.Select`` of the values and one by that of
the positions, under the same comparison. The ``reduce`` variables promise that the block combines
pairs; :func:`combine_pairs` turns the combination into one ``tir.combine``, which ``rfactor`` and
reductions across threads can split. The forms are those of TVM's registry of reducers: ``lhs >=
rhs``, and ``lhs > rhs or lhs == rhs and the first position < the second``, or with ``<=`` and
``<``. In the first form the position of equal elements depends on the order of evaluation, as the
sum of floats does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, ArrayAttr, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

from kc.analysis.loop_tree import has_effects
from kc.dialects.tir import BlockOp, CombineOp, IterType, LoadOp, StoreOp, YieldOp
from kc.support.float_formats import upper_limit

_LARGER = {"oge", "ogt", "sge", "sgt", "uge", "ugt"}
_SMALLER = {"ole", "olt", "sle", "slt", "ule", "ult"}
_EQUAL = {"oeq", "eq"}


def combine_pairs(block: BlockOp) -> None:
    """Replace the combination in a reduction block of that form by a ``tir.combine``; leave any
    other block unchanged.
    """
    ops = list(block.body.block.ops)
    stores = [op for op in ops if isinstance(op, StoreOp)]
    if IterType.REDUCE not in block.types or not block.has_init or len(stores) != 2:
        return
    if any(has_effects(op) and not isinstance(op, LoadOp | StoreOp | scf.IfOp) for op in ops):
        return
    for value, position in (stores, stores[::-1]):
        pairs = _Pairs.of(block, value, position)
        if pairs is not None:
            pairs.rewrite(stores)
            return


@dataclass(frozen=True)
class _Pairs:
    """The combination of a block: its terms, and the comparison that selects a pair."""

    value: StoreOp
    position: StoreOp
    term: SSAValue
    term_position: SSAValue
    predicate: str
    """The comparison of the values; if it holds, the accumulated pair is selected."""
    breaks_ties: bool
    """True if the smaller position is selected among equal values."""

    @classmethod
    def of(cls, block: BlockOp, value: StoreOp, position: StoreOp) -> _Pairs | None:
        """The pairs of a block that stores a value and its position. None for any other block."""
        written = (value.buffer, position.buffer)
        loads = [op for op in block.body.walk() if isinstance(op, LoadOp) and op.buffer in written]
        held = {store: _held(store, loads) for store in (value, position)}
        if value.buffer is position.buffer or sum(map(len, held.values())) != len(loads):
            return None
        chosen, at = value.value.owner, position.value.owner
        if not isinstance(chosen, arith.SelectOp) or not isinstance(at, arith.SelectOp):
            return None
        term, term_position = chosen.rhs, at.rhs
        if chosen.lhs not in held[value] or at.lhs not in held[position]:
            return None
        if not all(isinstance(part.type, AnyFloat | IntegerType) for part in (term, term_position)):
            return None

        def compares(holds: SSAValue, names: set[str]) -> str | None:
            comparison = _comparison(holds)
            if comparison is None:
                return None
            name, lhs, rhs = comparison
            return name if name in names and lhs in held[value] and _same(rhs, term) else None

        names = _LARGER if compares(chosen.cond, _LARGER) else _SMALLER
        if compares(chosen.cond, names) is None:
            return None
        predicate = compares(at.cond, {name for name in names if name.endswith("e")})
        if predicate is not None:
            return cls(value, position, term, term_position, predicate, breaks_ties=False)
        either = _either(at.cond)
        both = _both(either[1]) if either is not None else None
        if either is None or both is None or not isinstance(term_position.type, IntegerType):
            return None
        predicate = compares(either[0], {name for name in names if name.endswith("t")})
        earlier = _comparison(both[1])
        if predicate is None or compares(both[0], _EQUAL) is None or earlier is None:
            return None
        if earlier[0] != "slt" or earlier[1] not in held[position]:
            return None
        if not _same(earlier[2], term_position):
            return None
        return cls(value, position, term, term_position, predicate, breaks_ties=True)

    def rewrite(self, stores: Sequence[StoreOp]) -> None:
        """Put a ``tir.combine`` in front of ``stores``, the stores in order."""
        last = stores[-1]
        home = last.parent
        assert home is not None
        terms = {self.value: self.term, self.position: self.term_position}
        loads = [
            LoadOp(store.buffer, store.indices.data, store.operands_of_map) for store in stores
        ]
        types = [terms[store].type for store in stores]
        block = Block(arg_types=[*types, *types])
        lhs = dict(zip(stores, block.args, strict=False))
        rhs = dict(zip(stores, block.args[len(stores) :], strict=True))
        compare = _compare(self.predicate, lhs[self.value], rhs[self.value])
        ops: list[Operation] = [compare]
        holds: SSAValue = compare.results[0]
        if self.breaks_ties:
            is_float = isinstance(self.term.type, AnyFloat)
            equal = _compare("oeq" if is_float else "eq", lhs[self.value], rhs[self.value])
            earlier = _compare("slt", lhs[self.position], rhs[self.position])
            tie = arith.AndIOp(equal.results[0], earlier.results[0])
            either = arith.OrIOp(holds, tie.result)
            ops += [equal, earlier, tie, either]
            holds = either.result
        selects = [
            arith.SelectOp(
                compare.results[0] if store is self.value else holds, lhs[store], rhs[store]
            )
            for store in stores
        ]
        block.add_ops([*ops, *selects, YieldOp(*[select.result for select in selects])])
        largest = self.predicate in _LARGER
        neutral: dict[StoreOp, Attribute] = {
            self.value: _limit(self.term.type, unsigned=self.predicate[0] == "u", lowest=largest),
            # Greater than every position of an element that is as large as the neutral element.
            self.position: _limit(self.term_position.type, unsigned=False, lowest=False)
            if self.breaks_ties
            else _number(-1, self.term_position.type),
        }
        combine = CombineOp(
            "argmax" if largest else "argmin",
            [load.result for load in loads],
            [terms[store] for store in stores],
            Region(block),
            ArrayAttr([neutral[store] for store in stores]),
        )
        for op in (*loads, combine):
            op.location = last.location
            home.insert_op_before(op, last)
        for store, result in zip(stores, combine.combined, strict=True):
            result.name_hint = store.value.name_hint
            store.operands[0] = result
            if store is not last:
                store.detach()
                home.insert_op_before(store, last)
        for op in list(home.ops)[::-1]:
            if op.results and not any(result.first_use for result in op.results):
                op.detach()
                op.erase()


def _held(store: StoreOp, loads: Sequence[LoadOp]) -> list[SSAValue]:
    """The values that loads of the element read before ``store`` overwrites it."""
    return [
        load.result
        for load in loads
        if load.buffer is store.buffer
        and load.indices == store.indices
        and list(load.operands_of_map) == list(store.operands_of_map)
        and _top(load, store).is_before_in_block(store)
    ]


def _top(op: Operation, store: StoreOp) -> Operation:
    """The operation around ``op`` beside ``store``."""
    while op.parent is not store.parent:
        around = op.parent_op()
        assert around is not None
        op = around
    return op


def _comparison(value: SSAValue) -> tuple[str, SSAValue, SSAValue] | None:
    op = value.owner
    if isinstance(op, arith.CmpfOp):
        name = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
    elif isinstance(op, arith.CmpiOp):
        name = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
    else:
        return None
    return name, op.lhs, op.rhs


def _compare(name: str, lhs: SSAValue, rhs: SSAValue) -> Operation:
    kind = arith.CmpfOp if isinstance(lhs.type, AnyFloat) else arith.CmpiOp
    return kind(lhs, rhs, name)


def _either(value: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """``a`` and ``b`` of ``a or b``."""
    op = value.owner
    if isinstance(op, arith.OrIOp):
        return op.lhs, op.rhs
    parts = _branches(value)
    return (parts[0], parts[2]) if parts is not None and _is(parts[1], 1) else None


def _both(value: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """``a`` and ``b`` of ``a and b``."""
    op = value.owner
    if isinstance(op, arith.AndIOp):
        return op.lhs, op.rhs
    parts = _branches(value)
    return (parts[0], parts[1]) if parts is not None and _is(parts[2], 0) else None


def _branches(value: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue] | None:
    """The condition and the two values of a branch with one result. None for any other value."""
    op = value.owner
    if not isinstance(op, scf.IfOp) or len(op.results) != 1:
        return None
    ends = [region.block.last_op for region in op.regions]
    (first, second) = [end.arguments[0] for end in ends if isinstance(end, scf.YieldOp)]
    return op.cond, first, second


def _is(value: SSAValue, number: int) -> bool:
    op = value.owner
    constant = op.value if isinstance(op, arith.ConstantOp) else None
    return isinstance(constant, IntegerAttr) and bool(constant.value.data) is bool(number)


def _same(a: SSAValue, b: SSAValue) -> bool:
    """True if two values of a block have the same computation on the same memory."""
    if a is b:
        return True
    if not isinstance(a, OpResult) or not isinstance(b, OpResult) or a.index != b.index:
        return False
    first, second = a.op, b.op
    return (
        type(first) is type(second)
        and not first.regions
        and (isinstance(first, LoadOp) or not has_effects(first))
        and first.properties == second.properties
        and first.attributes == second.attributes
        and len(first.operands) == len(second.operands)
        and all(map(_same, first.operands, second.operands))
    )


def _number(value: int, kind: Attribute) -> Attribute:
    return FloatAttr(value, kind) if isinstance(kind, AnyFloat) else IntegerAttr(value, kind)  # pyright: ignore


def _limit(kind: Attribute, *, unsigned: bool, lowest: bool) -> Attribute:
    """The lowest or the highest number of a type."""
    if isinstance(kind, AnyFloat):
        top = upper_limit(str(kind))
        return FloatAttr(-top if lowest else top, kind)
    assert isinstance(kind, IntegerType)
    if unsigned:
        return IntegerAttr(0 if lowest else -1, kind)
    top = 1 << (kind.width.data - 1)
    return IntegerAttr(-top if lowest else top - 1, kind)
