"""fill-slack: initialise unused elements of buffers, so that vectors may compute on them.

Before::

    %B = tir.alloc "B" : memref<333x16xf32>
    ... a loop of %k and %j with
      tir.if (%j < 4) { tir.store %x, %B[%k, %j] : memref<333x16xf32> }
    %C = tir.alloc "C" : memref<16xf32, "local">
    tir.for %j in 16 vectorized {
      tir.if (%j < 4) { tir.store %zero, %C[%j] : memref<16xf32, "local"> }
    }
    tir.for %k in 333 {
      tir.for %j in 16 vectorized {
        tir.if (%j < 4) {
          ... %C[%j] = %C[%j] + %A[%k] * %B[%k, %j]
        }
      }
    }

After::

    %B = tir.alloc "B" {kc.whole_rows} : memref<333x16xf32>
    ... a nest that stores 0 to all of %B
    ... a loop of %k and %j with
      tir.if (%j < 4) { tir.store %x, %B[%k, %j] : memref<333x16xf32> }
    %C = tir.alloc "C" {kc.whole_rows} : memref<16xf32, "local">
    tir.for %j in 16 vectorized { tir.store %zero, %C[%j] : memref<16xf32, "local"> }
    tir.for %k in 333 {
      tir.for %j in 16 vectorized { ... %C[%j] = %C[%j] + %A[%k] * %B[%k, %j] }
    }

The *slack* of a buffer consists of the elements behind a bound in one of its dimensions that all
accesses stay below, here the columns from 4 on. A vector that reads the slack computes on
uninitialized memory. If this memory contains subnormal numbers, each operation takes a microcode
assist on many processors, some 150 cycles. Memory of floats that a vector may read is therefore
written first:

1. A condition on the lanes of a vectorized loop is dropped if its only effect is to protect the
   slack of buffers that the current iteration of the parallel loops allocates, and if all loads
   stay inside their buffers without it. The lanes beyond the bound then compute on the slack, and
   no masks are needed. In a loop that fits one vector, a load that needs the condition retains it
   and yields 0 elsewhere, if the target has masks: otherwise each operation of a maximum would have
   a mask, and a loaded value is often used in several sums.
2. A buffer whose slack is read, and not written by such stores, is filled with zeros at its
   allocation. If the bound is known only at run time, a ``tir.if`` tests whether the slack is
   empty.
3. These buffers, and buffers that are completely written before, get the attribute
   ``kc.whole_rows``. ``vectorize-loop`` reads a part of a row of any other buffer under a mask.

The slack depends on all accesses of a buffer, so a function is rewritten as a whole, not by a
rewrite pattern.

Requires: blocks were lowered (``lower-blocks``). Runs after the passes that shrink buffers, and
before ``storage-rewrite``, after which an allocation is no longer the beginning of a buffer's live
range.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    AffineSetAttr,
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    UnitAttr,
    VectorType,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
)
from xdsl.passes import ModulePass
from xdsl.traits import Pure

from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.index_values import dimensions as roots_in
from kc.analysis.loop_tree import functions, preorder
from kc.dialects.affine_assembly import at_least_zero, linear_terms
from kc.dialects.arith import CmpiOp
from kc.dialects.tir import (
    AllocOp,
    ApplyOp,
    BlockOp,
    ForKind,
    ForOp,
    IfOp,
    LinearizeOp,
    LoadOp,
    StoreOp,
)
from kc.support.target import target_of

WHOLE_ROWS = "kc.whole_rows"
"""The attribute of an allocation whose memory is initialised wherever a row may be read."""

_DIVISIONS = (
    arith.DivSIOp,
    arith.DivUIOp,
    arith.RemSIOp,
    arith.RemUIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    arith.FloorDivSIOp,
)


@dataclass(frozen=True)
class FillSlackPass(ModulePass):
    """Initialise the unused elements of buffers that vectors may read and compute on."""

    name = "fill-slack"

    vector_bits: int | None = None
    """The width of a native vector in bits; by default the target's."""

    def is_needed(self, module: ModuleOp) -> bool:
        """True if the module has allocations and loops."""
        ops = {type(op) for op in preorder(module)}
        return AllocOp in ops and ForOp in ops

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        bits = target_of(op).vector_bits if self.vector_bits is None else self.vector_bits
        for function in functions(op):
            if not any(isinstance(inner, BlockOp) for inner in preorder(function)):
                _Function(function, bits).rewrite()


@dataclass(frozen=True)
class _Bound:
    """The bound ``end`` (over the roots), below which all accesses stay in ``dimension``."""

    dimension: int
    end: AffineExpr


@dataclass
class _Access:
    op: LoadOp | StoreOp
    place: tuple[AffineExpr, ...]
    """The indices over the roots; for a vector access, the indices of the last lane."""
    conditions: list[AffineExpr]
    """The expressions that are at least 0 when the access runs."""
    vectorized: set[int]
    """The roots that are variables of vectorized loops around the access."""
    is_partial: bool
    """True if the access is in a branch of a vectorized loop, or if the trip count of that loop may
    not be a multiple of a vector.
    """
    is_lazy: bool
    """True if the access is in a branch of a vectorized loop whose condition is not in
    ``conditions``.
    """


@dataclass
class _Buffer:
    alloc: AllocOp
    accesses: list[_Access]
    bounds: list[_Bound] = field(default_factory=list)

    @property
    def shape(self) -> tuple[int, ...]:
        type_ = self.alloc.buffer.type
        assert isinstance(type_, MemRefType)
        return type_.get_shape()

    @property
    def is_float(self) -> bool:
        type_ = self.alloc.buffer.type
        assert isinstance(type_, MemRefType)
        return isinstance(type_.element_type, AnyFloat)


class _Function:
    def __init__(self, function: Operation, vector_bits: int) -> None:
        self.function = function
        self.vector_bits = vector_bits
        self.index = IndexValues()
        self.buffers: dict[SSAValue, _Buffer] = {}

    def rewrite(self) -> None:
        for op in preorder(self.function):
            if isinstance(op, AllocOp) and (buffer := self._buffer(op)) is not None:
                self.buffers[op.buffer] = buffer
        if not self.buffers:
            return
        for op in [op for op in preorder(self.function) if isinstance(op, IfOp)]:
            self._drop_conditions(op)
        for buffer in self.buffers.values():
            if buffer.is_float:
                self._fill(buffer)

    def _buffer(self, alloc: AllocOp) -> _Buffer | None:
        """The buffer of ``alloc`` with the bounds of its accesses; None if it has uses other than
        loads and stores.
        """
        users = [use.operation for use in alloc.buffer.uses]
        accesses = [self._access(op) for op in users if isinstance(op, LoadOp | StoreOp)]
        if not users or len(accesses) < len(users):
            return None
        buffer = _Buffer(alloc, accesses)
        self._find_bounds(buffer)
        return buffer

    # Slack

    def _find_bounds(self, buffer: _Buffer) -> None:
        candidates: list[_Bound] = []
        for access in buffer.accesses:
            for bound in self._bounds(access, buffer):
                if bound not in candidates:
                    candidates.append(bound)
        buffer.bounds = [
            bound
            for bound in candidates
            if all(self._is_below(access, bound) for access in buffer.accesses)
        ]

    def _access(self, op: LoadOp | StoreOp) -> _Access:
        index = self.index
        place = [index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]
        value = op.value.type if isinstance(op, StoreOp) else op.results[0].type
        if isinstance(value, VectorType):
            place[-1] = index.simplify(place[-1] + (value.get_shape()[0] - 1))
        lanes = [
            loop
            for loop in _loops_around(op)
            if loop.kind.data is ForKind.VECTORIZED and loop.static_extent != 1
        ]
        vectorized = set[int]().union(*(_roots(index.expr(loop.var)) for loop in lanes))
        conditions = self._conditions(op)
        is_lazy = any(_has_branch(op, loop) for loop in lanes)
        is_partial = (
            is_lazy
            or any(_roots(condition) & vectorized for condition in conditions)
            or any(
                (extent := loop.static_extent) is None or extent & (extent - 1) for loop in lanes
            )
        )
        return _Access(op, tuple(place), conditions, vectorized, is_partial, is_lazy)

    def _conditions(self, op: Operation) -> list[AffineExpr]:
        """The expressions that are at least 0 when ``op`` runs, without the ranges of the roots."""
        conditions: list[AffineExpr] = []
        inner, outer = op, op.parent_op()
        while outer is not None and outer is not self.function:
            if isinstance(outer, IfOp) and inner.parent is outer.then.blocks.first:
                conditions += self._exprs(outer)
            elif isinstance(outer, ForOp) and isinstance(outer.extent_value, SSAValue):
                extent, var = self.index.expr(outer.extent_value), self.index.expr(outer.var)
                conditions.append(self.index.simplify(extent - var - 1))
            inner, outer = outer, outer.parent_op()
        return conditions

    def _exprs(self, op: IfOp) -> list[AffineExpr]:
        """The inequalities of a condition."""
        return [expr for expr in self._exprs_of_all(op) if expr is not None]

    def _exprs_of_all(self, op: IfOp) -> list[AffineExpr | None]:
        exprs: list[AffineExpr | None] = []
        dims = [self.index.expr(operand) for operand in op.operands_of_set]
        for constraint in op.condition.data.constraints:
            expr = (constraint.lhs - constraint.rhs).replace_dims_and_symbols(dims, ())
            if constraint.kind is AffineConstraintKind.le:
                expr = expr * -1
            is_equation = constraint.kind is AffineConstraintKind.eq
            exprs.append(None if is_equation else self.index.simplify(expr))
        return exprs

    def _bounds(self, access: _Access, buffer: _Buffer) -> Iterator[_Bound]:
        """The bounds on the indices of an access that its conditions state."""
        for condition in access.conditions:
            for dimension, (place, size) in enumerate(zip(access.place, buffer.shape, strict=True)):
                if size < 0 or not _roots(place) & _roots(condition):
                    continue
                end = self.index.simplify(condition + place + 1)
                if self._is_known_at(end, buffer.alloc) and not self._holds(end - size):
                    yield _Bound(dimension, end)

    def _is_below(self, access: _Access, bound: _Bound) -> bool:
        expr = bound.end - access.place[bound.dimension] - 1
        return self._holds(expr, access.conditions)

    def _holds(self, expr: AffineExpr, conditions: Sequence[AffineExpr] = ()) -> bool:
        """True if ``expr`` is at least 0 whenever all ``conditions`` are."""
        index = self.index
        return index.is_natural(index.simplify(expr)) or any(
            index.is_natural(index.simplify(expr - condition)) for condition in conditions
        )

    def _is_known_at(self, expr: AffineExpr, alloc: AllocOp) -> bool:
        """True if all values on which ``expr`` depends are defined before ``alloc``."""
        return all(_is_before(self.index.roots[root], alloc) for root in _roots(expr))

    # Conditions that keep lanes out of the slack

    def _drop_conditions(self, op: IfOp) -> None:
        if op.orelse.blocks:
            return
        vectorized = {
            next(iter(_roots(self.index.expr(loop.var))))
            for loop in _loops_around(op)
            if loop.kind.data is ForKind.VECTORIZED
        }
        exprs = self._exprs_of_all(op)
        lanes = [
            n for n, expr in enumerate(exprs) if expr is not None and _roots(expr) & vectorized
        ]
        if not lanes or (accesses := self._accesses_of_plain_code(op)) is None:
            return
        around = self._conditions(op)
        may_guard = bool(accesses) and self._is_of_masked_vectors(op, accesses)
        dropped: set[int] = set()
        guarded: dict[LoadOp | StoreOp, list[AffineExpr]] = {}
        for n in lanes:
            remaining = [
                *around,
                *(
                    expr
                    for m, expr in enumerate(exprs)
                    if m != n and m not in dropped and expr is not None
                ),
            ]
            condition = exprs[n]
            assert condition is not None
            harmful = [
                access for access in accesses if not self._is_harmless(access, condition, remaining)
            ]
            loads = [access.op for access in harmful if _is_scalar_load(access.op)]
            if not harmful or (may_guard and len(loads) == len(harmful)):
                dropped.add(n)
                for load in loads:
                    guarded.setdefault(load, []).append(condition)
        if not dropped:
            return
        for access in accesses:
            gone = [exprs[n] for n in dropped if exprs[n] not in guarded.get(access.op, ())]
            access.conditions = [expr for expr in access.conditions if expr not in gone]
            if access.op.buffer in self.buffers:
                stored = self.buffers[access.op.buffer].accesses
                for kept_access in stored:
                    if kept_access.op is access.op:
                        kept_access.conditions = access.conditions
        for load, conditions in guarded.items():
            assert isinstance(load, LoadOp)
            self._guard(load, conditions)
        space = op.condition.data
        left = tuple(c for n, c in enumerate(space.constraints) if n not in dropped)
        if left:
            op.condition = AffineSetAttr(AffineSet(space.num_dims, 0, left))
            return
        block = op.parent
        assert block is not None
        for inner in list(op.then.block.ops):
            inner.detach()
            block.insert_op_before(inner, op)
        op.detach()
        op.erase()

    def _is_of_masked_vectors(self, op: IfOp, accesses: Sequence[_Access]) -> bool:
        """True if the lanes around ``op`` fill at most one vector and the target has masks. With
        several vectors, vectors without a needed iteration would be computed, too.
        """
        widths = [_element_bits(access.op) for access in accesses]
        lanes = math.prod(
            loop.static_extent or self.vector_bits
            for loop in _loops_around(op)
            if loop.kind.data is ForKind.VECTORIZED
        )
        has_masks = self.vector_bits >= 512 or (self.vector_bits > 128 and min(widths) >= 32)
        return has_masks and lanes * max(widths) <= self.vector_bits

    def _guard(self, load: LoadOp, conditions: Sequence[AffineExpr]) -> None:
        """Guard ``load`` by ``conditions`` (each at least 0). Where a condition fails, the result
        is 0 and memory is not accessed.
        """
        ops: list[Operation] = [zero := arith.ConstantOp(IntegerAttr.from_index_int_value(0))]
        holds: SSAValue | None = None
        for condition in conditions:
            map_, operands = self.index.to_map([condition])
            value = ApplyOp(map_.results[0], operands)
            ops += [value, test := CmpiOp(value.results[0], zero.result, "sge")]
            if holds is not None:
                ops.append(test := arith.AndIOp(holds, test.results[0]))
            holds = test.results[0]
        assert holds is not None
        block = load.parent
        assert block is not None
        element = load.results[0].type
        inside = load.clone()
        if isinstance(element, IntegerType):
            nothing = arith.ConstantOp(IntegerAttr(0, element))
        else:
            assert isinstance(element, AnyFloat)
            nothing = arith.ConstantOp(FloatAttr(0.0, element))
        branch = scf.IfOp(
            holds,
            [element],
            Region(Block([inside, scf.YieldOp(inside.results[0])])),
            Region(Block([nothing, scf.YieldOp(nothing.result)])),
        )
        ops.append(branch)
        for new in (*ops, nothing):
            new.location = load.location
        block.insert_ops_before(ops, load)
        load.results[0].replace_all_uses_with(branch.results[0])
        for buffer in self.buffers.values():
            for access in buffer.accesses:
                if access.op is load:
                    access.op = inside
        load.detach()
        load.erase()

    def _accesses_of_plain_code(self, op: IfOp) -> list[_Access] | None:
        """The accesses in a branch that consists of loops, arithmetic, loads and stores; None for
        other branches.
        """
        accesses: list[_Access] = []
        for inner in preorder(op):
            if inner is op or isinstance(inner, ForOp | IfOp | ApplyOp | LinearizeOp):
                continue
            if isinstance(inner, LoadOp | StoreOp):
                accesses.append(self._access(inner))
            elif isinstance(inner, _DIVISIONS) or inner.regions or not inner.has_trait(Pure):
                return None
        return accesses

    def _is_harmless(
        self, access: _Access, condition: AffineExpr, remaining: Sequence[AffineExpr]
    ) -> bool:
        """True if lanes for which ``condition`` fails may execute the access."""
        type_ = access.op.buffer.type
        assert isinstance(type_, MemRefType)
        conditions = [*remaining, *(c for c in access.conditions if c != condition)]
        for place, size in zip(access.place, type_.get_shape(), strict=True):
            if not self._holds(place, conditions):
                return False
            if size < 0 or not self._holds(place * -1 + (size - 1), conditions):
                return False
        buffer = self.buffers.get(access.op.buffer)
        if isinstance(access.op, LoadOp):
            if not isinstance(access.op.buffer.owner, AllocOp):
                return True
            used = set[int]().union(*map(_roots, access.place))
            if not used & _roots(condition):
                return True
            return buffer is not None and (
                self._makes_slack(condition, access, buffer) or self._is_written(access, buffer)
            )
        return (
            buffer is not None
            and _is_own(buffer.alloc, access.op)
            and not isinstance(access.op.value.type, VectorType)
            and self._makes_slack(condition, access, buffer)
        )

    def _makes_slack(self, condition: AffineExpr, access: _Access, buffer: _Buffer) -> bool:
        """True if the accesses that ``condition`` excludes are exactly the accesses to the
        slack.
        """
        return any(
            self.index.simplify(condition + access.place[bound.dimension] + 1 - bound.end)
            == AffineExpr.constant(0)
            for bound in buffer.bounds
        )

    def _is_written(self, load: _Access, buffer: _Buffer) -> bool:
        """True if the whole buffer is written before the nest that contains the load begins."""
        reader = _child(load.op, buffer.alloc)
        return reader is not None and any(
            isinstance(store.op, StoreOp)
            and (writer := _child(store.op, buffer.alloc)) is not None
            and writer is not reader
            and _precedes(writer, reader)
            and self._covers(store, buffer)
            for store in buffer.accesses
        )

    def _covers(self, store: _Access, buffer: _Buffer) -> bool:
        """True if a store in loops behind the allocation writes every element."""
        if store.conditions or isinstance(store.op.operands[0].type, VectorType):
            return False
        used: set[int] = set()
        for place, size in zip(store.place, buffer.shape, strict=True):
            terms, constant = linear_terms(place)
            roots = _roots(place)
            if constant or size < 0 or used & roots or len(roots) != len(terms):
                return False
            used |= roots
            covered = 1
            for atom, factor in sorted(terms.items(), key=lambda term: term[1]):
                if not isinstance(atom, AffineDimExpr) or not 0 < factor <= covered:
                    return False
                low, high = self.index.bounds(atom)
                value = self.index.roots[atom.position]
                if low != 0 or high is None or _is_before(value, buffer.alloc):
                    return False
                covered += factor * high
            if covered < size:
                return False
        return True

    # Zeros

    def _fill(self, buffer: _Buffer) -> None:
        """Fill the slack that vectors read with zeros, unless stores initialise it."""
        loads = [access for access in buffer.accesses if isinstance(access.op, LoadOp)]
        of_vectors = [access for access in loads if self._is_of_vector(access)]
        if not of_vectors:
            return
        if all(self._is_written(access, buffer) for access in of_vectors):
            buffer.alloc.attributes[WHOLE_ROWS] = UnitAttr()
        elif buffer.bounds:
            self._fill_slack(buffer, of_vectors)

    def _fill_slack(self, buffer: _Buffer, loads: Sequence[_Access]) -> None:
        buffer.alloc.attributes[WHOLE_ROWS] = UnitAttr()
        limited = [
            bound
            for bound in buffer.bounds
            if any(
                isinstance(access.op, StoreOp) and self._is_below(access, bound)
                for access in buffer.accesses
            )
        ]
        is_foreign = not all(
            self._is_written(access, buffer)
            or all(
                not access.is_lazy and self._makes_slack(condition, access, buffer)
                for condition in access.conditions
                if _roots(condition) & access.vectorized
            )
            for access in loads
        )
        if limited or is_foreign:
            fill = _zeros(buffer.alloc)
            if len(limited) == 1 and not is_foreign:
                fill = self._where_there_is_slack(fill, limited[0], buffer)
            block = buffer.alloc.parent
            assert block is not None
            block.insert_ops_after(fill, buffer.alloc)

    def _is_of_vector(self, access: _Access) -> bool:
        """True if a load reads several elements, some of which may be unused."""
        return access.is_partial and bool(
            set[int]().union(*map(_roots, access.place)) & access.vectorized
        )

    def _where_there_is_slack(
        self, fill: list[Operation], bound: _Bound, buffer: _Buffer
    ) -> list[Operation]:
        expr = self.index.simplify(bound.end * -1 + (buffer.shape[bound.dimension] - 1))
        if isinstance(expr, AffineConstantExpr):
            return fill
        map_, operands = self.index.to_map([expr])
        condition = AffineSet(len(operands), 0, (at_least_zero(map_.results[0]),))
        return [IfOp(condition, operands, Region(Block(fill)))]


def _zeros(alloc: AllocOp) -> list[Operation]:
    """A nest that stores 0 to all elements of a buffer."""
    type_ = alloc.buffer.type
    assert isinstance(type_, MemRefType)
    element = type_.element_type
    zero = arith.ConstantOp(FloatAttr(0.0, element))  # pyright: ignore
    sizes = iter(alloc.dynamic_sizes)
    extents = [size if size >= 0 else next(sizes) for size in type_.get_shape()]
    loops: list[ForOp] = []
    for n, extent in enumerate(extents):
        is_last = n == len(extents) - 1 and extent != 1
        kind = ForKind.VECTORIZED if is_last else ForKind.SERIAL
        loops.append(ForOp(f"z{n}", extent, kind=kind))
    rank = len(loops)
    store = StoreOp(
        zero.result, alloc.buffer, AffineMap.identity(rank), [loop.var for loop in loops]
    )
    body: Operation = store
    for loop in reversed(loops):
        loop.body.block.add_op(body)
        body = loop
    return [zero, body]


def _is_scalar_load(op: Operation) -> bool:
    """True if an operation loads a scalar."""
    return isinstance(op, LoadOp) and isinstance(op.results[0].type, AnyFloat | IntegerType)


def _element_bits(op: LoadOp | StoreOp) -> int:
    """The bits of an element in memory."""
    type_ = op.buffer.type
    assert isinstance(type_, MemRefType)
    return max(8, getattr(type_.element_type, "bitwidth", 64))


def _loops_around(op: Operation) -> Iterator[ForOp]:
    outer = op.parent_op()
    while outer is not None:
        if isinstance(outer, ForOp):
            yield outer
        outer = outer.parent_op()


def _has_branch(op: Operation, loop: ForOp) -> bool:
    """True if ``op`` is in the else branch of a ``tir.if`` within ``loop``, or in another kind of
    branch."""
    inner, outer = op, op.parent_op()
    while outer is not None and outer is not loop:
        if isinstance(outer, IfOp):
            if inner.parent is not outer.then.blocks.first:
                return True
        elif not isinstance(outer, ForOp):
            return True
        inner, outer = outer, outer.parent_op()
    return False


def _roots(expr: AffineExpr) -> set[int]:
    """The roots in an expression."""
    return set(roots_in(expr))


def _child(op: Operation, alloc: AllocOp) -> Operation | None:
    """The operation in the block of ``alloc`` that is or encloses ``op``; None if ``op`` is
    elsewhere.
    """
    inner: Operation | None = op
    while inner is not None and inner.parent is not alloc.parent:
        inner = inner.parent_op()
    return inner


def _precedes(first: Operation, second: Operation) -> bool:
    """True if ``first`` precedes ``second`` in the same block."""
    following = first.next_op
    while following is not None and following is not second:
        following = following.next_op
    return following is second


def _is_own(alloc: AllocOp, op: Operation) -> bool:
    """True if no parallel loop is between an allocation and an access."""
    home = alloc.parent_op()
    outer = op.parent_op()
    while outer is not None and outer is not home:
        if isinstance(outer, ForOp) and outer.kind.data in (ForKind.PARALLEL, ForKind.THREAD):
            return False
        outer = outer.parent_op()
    return outer is home


def _is_before(value: SSAValue | None, place: Operation) -> bool:
    """True if ``value`` is defined before ``place`` and visible at it."""
    if value is None:
        return False
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    inner: Operation | None = place
    while inner is not None and inner.parent is not block:
        inner = inner.parent_op()
    if inner is None:
        return False
    if isinstance(owner, Block):
        return True
    return _precedes(owner, inner)
