"""The vector code of a chunk of a loop: the iterations that fill the lanes of one vector.

Ops on uniform values stay scalar; elementwise ops on other values become vector ops. Loads and
stores whose last index increases by one from lane to lane access whole vectors, and so do accesses
whose last index decreases by one, if no lane is masked. Loads whose last index increases by a small
stride load the row including its gaps, and select the elements. All other accesses are done lane by
lane.

Inner loops stay loops, and uniform branches stay branches. A guard that differs from lane to lane
is assumed to hold in all lanes if this can be checked before the loop's body. Otherwise it is
checked in place; if it does not hold in all lanes, its body runs under a mask
(:mod:`kc.transforms.tir.vectorize._vector_masks`) or lane by lane. The results of a branch are
always computed under a mask, and selected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, VectorType, i64
from xdsl.dialects.vector import ShuffleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)
from xdsl.traits import Pure

from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.simplify_affine import simplify_constraint
from kc.analysis.loop_tree import has_effects
from kc.analysis.module_copy import copy_operation
from kc.dialects.arith import CmpiOp, vector_class
from kc.dialects.llvm.call import CallIntrinsicOp
from kc.dialects.tir import (
    INDEX,
    AllocOp,
    ApplyOp,
    DelinearizeOp,
    ForOp,
    IfOp,
    LinearizeOp,
    LoadOp,
    PrefetchOp,
    StoreOp,
)
from kc.dialects.tir.calls import CallExternOp
from kc.dialects.tir.memory import has_rows
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.tir.vectorize._vector_branches import Branches, CannotVectorizeError, Masking
from kc.transforms.tir.vectorize._vector_masks import DIVISIONS, Masks
from kc.transforms.tir.vectorize._vector_values import LaneValues, Linear

WIDEST_GAP = 4
"""The largest stride between lanes for which a row is loaded as a whole. With this stride, a vector
of lanes takes as many loads and almost as many shuffles as with separate loads.
"""


class Chunk:
    """Vector code for ``width`` iterations of ``loop``, from iteration ``base`` on.

    ``base`` is over the roots of ``index``. :attr:`prologue` must run first, unconditionally; then
    :attr:`code` may run if all assumptions of :attr:`values` hold. Raises
    :class:`CannotVectorizeError`, and CodegenError KC4205 if all lanes store to one element; both
    remove the code emitted so far.
    """

    def __init__(
        self, loop: ForOp, width: int, base: AffineExpr, index: IndexValues, masking: Masking
    ) -> None:
        self.loop = loop
        self.values = LaneValues(width, index, loop)
        self.masks = Masks(self.values, masking.element_bits)
        self.shuffles = masking.shuffles
        self.branches = Branches(loop, self.values, self.masks, masking, self.rewrite)
        self.prologue: list[Operation] = []
        self.code = self.values.scopes[0].block
        self.values.define_expr(loop.var, index.simplify(base + self.values.lane_expr))
        try:
            self.rewrite(loop.body.block.ops)
            if self.branches.sweeps:
                _sweep(self.code)
        except (CannotVectorizeError, CodegenError):
            self.discard()
            raise

    def take(self) -> list[Operation]:
        """The code, detached from its block. The chunk must have no assumptions."""
        ops = list(self.code.ops)
        for op in ops:
            op.detach()
        return [*self.prologue, *ops]

    def discard(self) -> None:
        """Remove the references of the emitted code, so that it can be dropped."""
        for op in (*self.prologue, *self.code.ops):
            op.drop_all_references()

    def rewrite(self, ops: Iterable[Operation]) -> None:
        """Emit vector code for ``ops`` at the end of the innermost scope."""
        for op in ops:
            self.values.source = op
            if any(isinstance(value.type, VectorType) for value in (*op.operands, *op.results)):
                raise CannotVectorizeError(f"it contains {op.name} of vectors", op)
            rewrite = _REWRITES.get(type(op), Chunk._computation)
            rewrite(self, op)

    # Computation

    def _computation(self, op: Operation) -> None:
        elementwise = op.name.startswith(("arith.", "math."))
        if op.regions or not (elementwise or op.has_trait(Pure)):
            raise CannotVectorizeError(f"it contains {op.name}", op)
        if isinstance(op, arith.ConstantOp):
            self.values.define_constant(op)
        elif not any(map(self.values.is_varying, op.operands)):
            self._uniform(op)
        elif not elementwise:
            raise CannotVectorizeError(f"it contains {op.name}", op)
        elif not self._index_arithmetic(op):
            self._elementwise(op)

    def _compare(self, op: arith.CmpiOp) -> None:
        if not self.masks.compare_indices(op):
            self._computation(op)

    def _uniform(self, op: Operation) -> None:
        operands = {operand: self.values.scalar(operand) for operand in op.operands}
        if isinstance(op, DIVISIONS):
            operands[op.rhs] = self.masks.safe_divisor(op.rhs, varying=False)
        new = self.values.emit(copy_operation(op, operands))
        for old, result in zip(op.results, new.results, strict=True):
            self.values.define_scalar(old, result)

    def _index_arithmetic(self, op: Operation) -> bool:
        """Record ``op`` as an expression and return True if it is affine index arithmetic."""
        if not isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp):
            return False
        if op.result.type != INDEX:
            return False
        lhs, rhs = self.values.expr(op.lhs), self.values.expr(op.rhs)
        if lhs is None or rhs is None:
            return False
        if isinstance(op, arith.MuliOp):
            if not isinstance(lhs, AffineConstantExpr) and not isinstance(rhs, AffineConstantExpr):
                return False
            expr = lhs * rhs
        else:
            expr = lhs + rhs if isinstance(op, arith.AddiOp) else lhs - rhs
        self.values.define_expr(op.result, self.values.index.simplify(expr))
        return True

    def _elementwise(self, op: Operation) -> None:
        operands = []
        for n, operand in enumerate(op.operands):
            condition = isinstance(op, arith.SelectOp) and n == 0
            stays = condition and not self.values.is_varying(operand)
            operands.append(self.values.scalar(operand) if stays else self.values.vector(operand))
        if isinstance(op, DIVISIONS):
            operands[1] = self.masks.safe_divisor(op.rhs, varying=True)
        new = vector_class(type(op)).create(
            operands=operands,
            result_types=[self.values.vector_type(result.type) for result in op.results],
            properties=op.properties.copy(),
            attributes=op.attributes.copy(),
        )
        self.values.emit(new)
        for old, result in zip(op.results, new.results, strict=True):
            self.values.define_vector(old, result)

    def _per_lane(self, op: Operation) -> None:
        """Emit a scalar copy of ``op`` for each lane."""
        operands = {operand: self.values.lanes(operand) for operand in op.operands}
        copies = [
            self.values.emit(
                copy_operation(op, {operand: values[n] for operand, values in operands.items()})
            )
            for n in range(self.values.width)
        ]
        for n, old in enumerate(op.results):
            self.values.define_lanes(old, [copy.results[n] for copy in copies])

    def _access_per_lane(self, op: LoadOp | StoreOp) -> None:
        """Emit a scalar access of ``op`` for each active lane."""
        place = self.values.exprs(op.indices.data.results, op.operands_of_map)
        operands = (
            {operand: self.values.lanes(operand) for operand in op.operands}
            if place is None
            else {}
        )
        buffer = self.values.scalar(op.buffer)
        values = self.values.lanes(op.value) if isinstance(op, StoreOp) else []

        def access(n: int) -> SSAValue | None:
            if place is None:
                new = copy_operation(
                    op, {operand: values[n] for operand, values in operands.items()}
                )
            else:
                map_, used = self.values.index.to_map(
                    [self.values.at_lane(expr, n) for expr in place]
                )
                new = (
                    StoreOp(values[n], buffer, map_, used)
                    if isinstance(op, StoreOp)
                    else LoadOp(buffer, map_, used)
                )
            if isinstance(op, StoreOp):
                new.attributes.update(op.attributes)
            self.values.emit(new)
            return new.results[0] if new.results else None

        type_ = op.result.type if isinstance(op, LoadOp) else None
        results = [
            self.masks.in_lane(n, lambda n=n: access(n), type_) for n in range(self.values.width)
        ]
        if isinstance(op, LoadOp):
            self.values.define_lanes(
                op.result, [result for result in results if result is not None]
            )

    def _call(self, op: CallExternOp | CallIntrinsicOp) -> None:
        if has_effects(op):
            name = op.label if isinstance(op, CallExternOp) else op.intrin.data
            raise CannotVectorizeError(f"it calls {name}, which is not pure", op)
        if any(map(self.values.is_varying, op.operands)):
            self._per_lane(op)
        else:
            self._uniform(op)

    # Indices

    def _apply_op(self, op: ApplyOp) -> None:
        exprs = self.values.exprs(op.map.data.results, op.operands_of_map)
        if exprs is not None and op.expr is not None:
            self.values.define_expr(op.result, exprs[0])
        elif any(map(self.values.is_varying, op.operands)):
            self._per_lane(op)
        else:
            self._uniform(op)

    def _linearize(self, op: LinearizeOp) -> None:
        if not any(map(self.values.is_varying, op.operands)):
            self._uniform(op)
            return
        last = self.values.expr(op.indices[-1])
        linear = self.values.linear(last) if last is not None else None
        rest = [*op.indices[:-1], *op.sizes]
        if linear is None or linear.assumptions or any(map(self.values.is_varying, rest)):
            self._per_lane(op)
            return
        first = LinearizeOp(
            [
                *(self.values.scalar(index) for index in op.indices[:-1]),
                self.values.apply(linear.base),
            ],
            [self.values.scalar(size) for size in op.sizes],
        )
        base = self.values.index.expr(self.values.emit(first).results[0])
        self.values.define_expr(
            op.result, self.values.index.simplify(base + self.values.lane_expr * linear.stride)
        )

    def _delinearize(self, op: DelinearizeOp) -> None:
        if not any(map(self.values.is_varying, op.operands)):
            self._uniform(op)
            return
        sizes = [self.values.expr(size) for size in op.sizes]
        whole = self.values.expr(op.index)
        linear = self.values.linear(whole) if whole is not None else None
        if linear is None or not self._delinearize_row(op, sizes, linear):
            self._per_lane(op)

    def _delinearize_row(
        self, op: DelinearizeOp, sizes: list[AffineExpr | None], linear: Linear
    ) -> bool:
        """Delinearize the first lane's index, under the assumption that all lanes are in one row.
        Returns False if this assumption cannot be checked before the loop.
        """
        static = [size for size in sizes if size is not None and self.values.is_outside(size)]
        if (
            len(static) != len(sizes)
            or not self.values.is_outside(linear.base)
            or linear.stride < 0
        ):
            return False
        if op.parent is not self.loop.body.block:
            return False  # a guard may keep it from dividing by 0
        ops: list[Operation] = []
        index, *values = [_value(expr, self.values.index, ops) for expr in (linear.base, *static)]
        first = DelinearizeOp(index, values)
        ops.append(first)
        *outer, start = [self.values.index.expr(part) for part in first.indices]
        check = simplify_constraint(
            self.values.in_range(start, linear.stride, static[-1]), self.values.index.ranges
        )
        if check is False:
            return False
        for new_op in ops:
            new_op.location = op.location
        self.prologue += ops
        self.values.assume(linear.assumptions if check is True else (*linear.assumptions, check))
        for old, expr in zip(op.indices, outer, strict=False):
            self.values.define_expr(old, expr)
        expr = self.values.index.simplify(start + self.values.lane_expr * linear.stride)
        self.values.define_expr(op.indices[-1], expr)
        return True

    # Memory

    def _load(self, op: LoadOp) -> None:
        place = self.values.exprs(op.indices.data.results, op.operands_of_map)
        lines = self._lines(place)
        strides = _strides(lines)
        buffer = self.values.scalar(op.buffer)
        if strides is not None and not any(strides):
            self.values.define_scalar(op.result, self._load_one(buffer, self._assumed(lines)))
        elif strides is None or not self._is_row(op.buffer, strides):
            if self._is_backward(op.buffer, strides):
                row = self.masks.whole_row(buffer, self._last(lines))
                self.values.define_vector(op.result, self._reversed(row))
            elif self._has_gaps(op.buffer, strides):
                assert strides is not None
                row = self._every(strides[-1], buffer, self._assumed(lines))
                self.values.define_vector(op.result, row)
            else:
                self._access_per_lane(op)
        elif self.masks.mask is not None:
            self.values.define_vector(
                op.result, self.masks.masked_row(buffer, self._assumed(lines))
            )
        else:
            row = self.masks.whole_row(buffer, self._assumed(lines))
            self.values.define_vector(op.result, row)

    def _load_one(self, buffer: SSAValue, place: list[AffineExpr]) -> SSAValue:
        """The element that all active lanes load."""

        def load() -> SSAValue:
            map_, operands = self.values.index.to_map(place)
            return self.values.emit(LoadOp(buffer, map_, operands)).results[0]

        return load() if self.masks.is_inside(buffer, place) else self.masks.in_any_lane(load)

    def _lines(self, place: list[AffineExpr] | None) -> list[Linear | None]:
        """The indices as linear functions of the lane; None for an index that is not linear."""
        return [None] if place is None else [self.values.linear(expr) for expr in place]

    def _is_row(self, buffer: SSAValue, strides: list[int]) -> bool:
        """True if the lanes access consecutive elements of a row that one vector access can
        reach.
        """
        return _is_row(buffer.type, strides) and (
            self.masks.mask is None or self.masks.can_mask_rows(buffer)
        )

    def _is_backward(self, buffer: SSAValue, strides: list[int] | None) -> bool:
        """True if all lanes access a row from its end to its beginning."""
        if strides is None or self.masks.mask is not None:
            return False
        return has_rows(buffer.type) and strides[-1:] == [-1] and not any(strides[:-1])

    def _has_gaps(self, buffer: SSAValue, strides: list[int] | None) -> bool:
        """True if the lanes load elements of a row with a small stride, so that loading the whole
        row and selecting the elements is faster than one load per lane.
        """
        if strides is None or not self.shuffles:
            return False
        if self.masks.mask is not None and not self.masks.can_mask_rows(buffer):
            return False
        most = min(WIDEST_GAP, self.values.width)
        return has_rows(buffer.type) and 1 < strides[-1] <= most and not any(strides[:-1])

    def _every(self, step: int, buffer: SSAValue, first: list[AffineExpr]) -> SSAValue:
        """The elements of a row at the distance ``step``, starting at ``first``: one element for
        each lane. Shuffles select them from ``step`` loaded vectors. The last loaded vector ends at
        the element of the last lane, because the row may end there.
        """
        width, simplify = self.values.width, self.values.index.simplify
        *rows, column = first
        starts = [width * n for n in range(step - 1)] + [(step - 1) * (width - 1)]
        vectors = []
        for start in starts:
            place = [*rows, simplify(column + start)]
            if self.masks.mask is None:
                vectors.append(self.masks.whole_row(buffer, place))
                continue
            active = [divmod(start + n, step) for n in range(width)]
            lanes = [lane if gap == 0 and lane < width else None for lane, gap in active]
            vectors.append(self.masks.chosen_row(buffer, place, lanes))
        row = vectors[0]
        assert isinstance(row.type, VectorType)
        type_ = row.type
        at = [n * step if n * step < width else None for n in range(width)]
        for start, vector in zip(starts[1:], vectors[1:], strict=True):
            # A lane that none of the vectors so far contains is selected later; until then any lane
            # will do.
            inside = [0 <= n * step - start < width for n in range(width)]
            chosen = [
                place if place is not None else width + n * step - start if here else n
                for n, (place, here) in enumerate(zip(at, inside, strict=True))
            ]
            at = [
                n if here or place is not None else None
                for n, (place, here) in enumerate(zip(at, inside, strict=True))
            ]
            lanes = DenseArrayBase.from_list(i64, chosen)
            row = self.values.emit(ShuffleOp(row, vector, lanes, result_type=type_)).results[0]
        return row

    def _last(self, lines: Iterable[Linear | None]) -> list[AffineExpr]:
        """The indices of the last lane of a backward row."""
        *rows, column = self._assumed(lines)
        return [*rows, self.values.index.simplify(column - (self.values.width - 1))]

    def _reversed(self, row: SSAValue) -> SSAValue:
        assert isinstance(row.type, VectorType)
        lanes = DenseArrayBase.from_list(i64, list(reversed(range(self.values.width))))
        return self.values.emit(ShuffleOp(row, row, lanes, result_type=row.type)).results[0]

    def _store(self, op: StoreOp) -> None:
        place = self.values.exprs(op.indices.data.results, op.operands_of_map)
        if (
            place is not None
            and self.masks.mask is None
            and not any(map(self.values.has_lane, place))
        ):
            if self._is_conditional(op):
                why = "where a condition holds, all lanes write the same element"
                raise CannotVectorizeError(why, op)
            raise CodegenError(
                "KC4205",
                f"vectorize-loop: all lanes of {self.loop.label} write the same element",
                location=location_of(op),
                why="the lanes of a vector are written at once, so only one value could remain",
                hints=["vectorize a loop whose iterations write different elements"],
            )
        lines = self._lines(place)
        strides = _strides(lines)
        is_backward = self._is_backward(op.buffer, strides)
        if not is_backward and (strides is None or not self._is_row(op.buffer, strides)):
            self._access_per_lane(op)
            return
        buffer, value = self.values.scalar(op.buffer), self.values.vector(op.value)
        first = self._last(lines) if is_backward else self._assumed(lines)
        if is_backward:
            value = self._reversed(value)
        if self.masks.mask is not None:
            self.masks.store_masked_row(value, buffer, first)
        else:
            map_, operands = self.values.index.to_map(first)
            row = StoreOp(value, buffer, map_, operands)
            row.attributes.update(op.attributes)
            self.values.emit(row)

    def _is_conditional(self, op: Operation) -> bool:
        """True if ``op`` is in a branch, which a single lane may take."""
        if self.branches.masking.conditional:
            return True
        parent = op.parent_op()
        while isinstance(parent, ForOp) and parent is not self.loop:
            parent = parent.parent_op()
        return parent is not self.loop

    def _prefetch(self, op: PrefetchOp) -> None:
        """Emit a prefetch: for a row of elements, only of the first one. Prefetches whose index is
        not affine, or that are masked, are dropped.
        """
        place = self.values.exprs(op.indices.data.results, op.operands_of_map)
        if place is None or self.masks.mask is not None:
            return
        strides = _strides([self.values.linear(expr) for expr in place])
        is_row = strides is not None and _is_row(op.buffer.type, strides)
        lanes = (
            range(self.values.width)
            if any(map(self.values.has_lane, place)) and not is_row
            else range(1)
        )
        for n in lanes:
            map_, operands = self.values.index.to_map(
                [self.values.at_lane(expr, n) for expr in place]
            )
            self.values.emit(PrefetchOp(self.values.scalar(op.buffer), map_, operands))

    def _assumed(self, lines: Iterable[Linear | None]) -> list[AffineExpr]:
        """The indices of the first lane. Adds the conditions under which ``lines`` are linear to
        the assumptions.
        """
        bases = []
        for line in lines:
            assert line is not None
            self.values.assume(line.assumptions)
            bases.append(line.base)
        return bases

    def _alloc(self, op: AllocOp) -> None:
        raise CannotVectorizeError(f"each iteration has its own buffer {op.label}", op)


def _sweep(block: Block) -> None:
    """Remove pure operations without uses, such as the parts of a split condition."""
    for op in reversed(list(block.walk())):
        if op.results and op.has_trait(Pure) and not any(result.first_use for result in op.results):
            op.detach()
            op.erase()


def _value(expr: AffineExpr, index: IndexValues, ops: list[Operation]) -> SSAValue:
    """``expr`` (over the roots) as a value; new operations are appended to ``ops``."""
    map_, operands = index.to_map([expr])
    (local,) = map_.results
    if isinstance(local, AffineDimExpr):
        return operands[0]
    if isinstance(local, AffineConstantExpr):
        op: Operation = arith.ConstantOp(IntegerAttr(local.value, INDEX))
    else:
        op = ApplyOp(local, operands)
    ops.append(op)
    return op.results[0]


def _strides(lines: list[Linear | None]) -> list[int] | None:
    strides = [line.stride for line in lines if line is not None]
    return strides if len(strides) == len(lines) else None


def _is_row(buffer: Attribute, strides: list[int]) -> bool:
    """True if lanes with ``strides`` access consecutive elements of a row of ``buffer``."""
    return has_rows(buffer) and strides[-1:] == [1] and not any(strides[:-1])


_REWRITES: dict[type[Operation], Callable[[Chunk, Any], None]] = {
    arith.CmpiOp: Chunk._compare,
    CmpiOp: Chunk._compare,
    scf.IfOp: lambda chunk, op: chunk.branches.branch(op),
    AllocOp: Chunk._alloc,
    ApplyOp: Chunk._apply_op,
    CallExternOp: Chunk._call,
    CallIntrinsicOp: Chunk._call,
    DelinearizeOp: Chunk._delinearize,
    ForOp: lambda chunk, op: chunk.branches.inner_loop(op),
    IfOp: lambda chunk, op: chunk.branches.guard(op),
    LinearizeOp: Chunk._linearize,
    LoadOp: Chunk._load,
    StoreOp: Chunk._store,
    PrefetchOp: Chunk._prefetch,
}
