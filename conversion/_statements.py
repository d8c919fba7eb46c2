"""Blocks around stores in plain loops: the classification of loops as spatial or reduce, and the
values that a block needs from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import func
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from kc.analysis.affine.index_values import IndexValues, dimensions, substitute
from kc.analysis.loop_tree import (
    buffer_name,
    has_effects,
    is_inside,
    loops_around,
    path_to,
    preorder,
)
from kc.analysis.module_copy import copy_operation
from kc.analysis.reductions.reductions import COMBINERS
from kc.dialects import tir
from kc.dialects.affine_assembly import linear_terms
from kc.support.fresh_names import fresh_name


def make_blocks(
    function: func.FuncOp,
    variables: Mapping[tir.ForOp, SSAValue],
    labels: set[str],
    accepts: Callable[[tir.StoreOp], bool] = lambda _: True,
) -> None:
    """Wrap each eligible store outside of blocks in a block, then remove unused ops.

    ``variables`` maps each loop to the value of the user's variable, if that is not the loop's own.
    ``accepts`` selects the stores.
    """
    stores = [
        op
        for op in preorder(function)
        if isinstance(op, tir.StoreOp)
        and loops_around(op)
        and not any(isinstance(ancestor, tir.BlockOp) for ancestor in path_to(op))
        and not any(loop.kind.data is tir.ForKind.WHILE for loop in loops_around(op))
        and accepts(op)
    ]
    plans = [(store, _Statement(store, variables)) for store in stores]
    for store, plan in plans:
        if plan.is_block:
            plan.rewrite(store, labels)
    drop_unused(function)


def drop_unused(function: func.FuncOp) -> None:
    """Erase ops without effects, and loads, that nobody uses."""
    for op in reversed(list(preorder(function))):
        if op.results and all(result.first_use is None for result in op.results):
            if isinstance(op, tir.LoadOp) or (not op.regions and not has_effects(op)):
                op.detach()
                op.erase()


class _Statement:
    """A store, the ops that compute the stored value, and the loops around it."""

    def __init__(self, store: tir.StoreOp, variables: Mapping[tir.ForOp, SSAValue]) -> None:
        self.store = store
        self.loops = loops_around(store)
        self.index = IndexValues()
        self.user = {loop: variables.get(loop, loop.var) for loop in self.loops}
        # The index over the user's variables, and a separate one over loop variables alone.
        self.own = IndexValues()
        for loop in self.loops:
            self.index.dimension(self.user[loop], (None, None))
        self.ops: list[Operation] = []
        self.is_block = self._collect() and self._is_in_loops()
        if self.is_block:
            self._classify()

    # The ops of the statement ------------------------------------------------------------------

    def _collect(self) -> bool:
        """Collect :attr:`ops` in order. False if one of them cannot move into the block."""
        root = self.loops[0]
        needed: set[Operation] = set()
        pending: list[Operation] = [self.store]
        users = set(self.user.values())
        while pending:
            for value in pending.pop().operands:
                owner = value.owner
                if value in users or isinstance(owner, Block) or owner in needed:
                    if isinstance(owner, Block) and value not in users:
                        parent = owner.parent_op()
                        if not isinstance(parent, func.FuncOp | tir.ForOp):
                            return False
                    continue
                if not is_inside(owner, root):
                    continue
                if owner.regions or (has_effects(owner) and not isinstance(owner, tir.LoadOp)):
                    return False
                if isinstance(owner, tir.LoadOp) and not self._can_move(owner):
                    return False
                needed.add(owner)
                pending.append(owner)
        self.ops = [op for op in preorder(root) if op in needed]
        return not any(isinstance(op, tir.AllocOp) for op in self.ops)

    def _can_move(self, load: tir.LoadOp) -> bool:
        """True if nothing writes the loaded element between ``load`` and the store."""
        home = load.parent
        at: Operation | None = self.store
        while at is not None and at.parent is not home:
            at = at.parent_op()
        if at is None:
            return False
        between: list[Operation] = []
        current = load.next_op
        while current is not None and current is not at:
            between.append(current)
            current = current.next_op
        if at is not self.store:
            # The store is in a loop of this block, so the whole loop runs between two instances.
            between.append(at)
        return current is at and not any(
            _writes(nested, load.buffer) for op in between for nested in op.walk()
        )

    def _is_in_loops(self) -> bool:
        """True if only tir loops and conditions are around the store."""
        around = self.store.parent_op()
        while around is not None and not isinstance(around, func.FuncOp):
            if not isinstance(around, tir.ForOp | tir.IfOp):
                return False
            around = around.parent_op()
        return True

    # What the loops are ----------------------------------------------------------------------

    def _over_loops(self, expr: AffineExpr) -> AffineExpr:
        """Convert an expression over the user's variables to one over the loop variables."""
        values = {}
        for n in dimensions(expr):
            root = self.index.roots[n]
            assert root is not None
            values[n] = self.own.expr(root)
        return self.own.simplify(substitute(expr, values))

    def _classify(self) -> None:
        store, index = self.store, self.index
        position = {loop: n for n, loop in enumerate(self.loops)}
        places = [index.compose(expr, store.operands_of_map) for expr in store.indices.data.results]
        used: set[int] = set()
        for op in (*self.ops, store):
            for value in op.operands:
                if value.type == tir.INDEX:
                    used.update(dimensions(index.expr(value)))
        loops_of = {
            loop: {self.own.roots[n] for n in dimensions(self._own_expr(loop))}
            for loop in self.loops
        }
        written = [
            n for n in range(len(self.loops)) if any(n in dimensions(place) for place in places)
        ]
        covered: set[SSAValue | None] = set()
        for n in written:
            covered |= loops_of[self.loops[n]]
        own_places = [self._over_loops(place) for place in places]
        vars_ = [loop.var for loop in self.loops]
        injective = self._is_injective(own_places, vars_)
        update = self._is_update()
        recurs = self._reads_elsewhere()
        rest = [loop for loop in self.loops if loop.var not in covered]
        # Block variables are at least 0. If the user's variable may be negative, or its range is
        # unknown, the block uses the loop's variable; this requires that the user's variable counts
        # only the iterations of this loop.
        below = [loop for loop in self.loops if not self.own.is_natural(self._own_expr(loop))]
        shifted = all(loops_of[loop].intersection(vars_) <= {loop.var} for loop in below)
        # The flag is true if the block variable is the user's variable and not the loop's.
        chosen: list[tuple[tir.IterType, tir.ForOp, bool]] = []
        if recurs or not injective or not shifted:
            for loop in self.loops:
                chosen.append((tir.IterType.OPAQUE, loop, False))
        else:
            for loop in self.loops:
                n = position[loop]
                if n in written or (n in used and loop.var in covered):
                    chosen.append((tir.IterType.SPATIAL, loop, loop not in below))
                elif loop in rest:
                    if update:
                        chosen.append((tir.IterType.REDUCE, loop, False))
                    elif n in used or self._uses_through(loop, used):
                        chosen.append((tir.IterType.OPAQUE, loop, False))
            if update:
                chosen = self._merged(chosen, used)
        self.chosen = chosen

    def _own_expr(self, loop: tir.ForOp) -> AffineExpr:
        """The user's variable of a loop, as an expression of the loop variables."""
        return self.own.expr(self.user[loop])

    def _is_varying(self, root: SSAValue | None) -> bool:
        """True if a value differs between instances in a non-affine way."""
        if root is None:
            return True
        owner = root.owner
        inside = owner if isinstance(owner, Operation) else owner.parent_op()
        return inside is not None and is_inside(inside, self.loops[0])

    def _is_injective(self, places: Sequence[AffineExpr], vars_: Sequence[SSAValue]) -> bool:
        """True if different values of the loop variables in ``places`` give different elements."""
        own = self.own
        extents = dict(zip(vars_, self.loops, strict=True))
        for place in places:
            for n in dimensions(place):
                root = own.roots[n]
                if root not in extents and self._is_varying(root):
                    return False
        pending = {n for place in places for n in dimensions(place) if own.roots[n] in extents}
        progress = True
        while pending and progress:
            progress = False
            for place in places:
                terms, _ = linear_terms(place)
                mine = {n for n in dimensions(place) if n in pending}
                factors: dict[int, int] = {}
                for atom, factor in terms.items():
                    if isinstance(atom, AffineDimExpr):
                        if atom.position in pending:
                            factors[atom.position] = factor
                    elif mine.intersection(dimensions(atom)):
                        factors = {}
                        break
                if mine and set(factors) == mine and self._is_radix(factors):
                    pending -= mine
                    progress = True
        return not pending

    def _is_radix(self, factors: Mapping[int, int]) -> bool:
        """True if a weighted sum of the variables has a different value for each combination of
        their values.
        """
        reach = 0
        ordered = sorted(factors.items(), key=lambda term: abs(term[1]))
        for n, (dim, factor) in enumerate(ordered):
            if abs(factor) <= reach:
                return False
            _, high = self.own.bounds(AffineDimExpr(dim))
            if high is None:
                return n == len(ordered) - 1
            reach += abs(factor) * high
        return True

    def _is_update(self) -> bool:
        """True if the store is an update ``C[i] = C[i] op x``, with ``x`` independent of C."""
        store = self.store
        step = store.value.owner
        loads = [op for op in self.ops if isinstance(op, tir.LoadOp) and op.buffer is store.buffer]
        if not isinstance(step, COMBINERS) or step not in self.ops or len(loads) != 1:
            return False
        (load,) = loads
        inside = [use for use in load.result.uses if use.operation in self.ops]
        return len(inside) == 1 and inside[0].operation is step and self._same_place(load)

    def _same_place(self, load: tir.LoadOp) -> bool:
        if load.result.type != self.store.value.type:
            return False  # a vector, for an element
        mine, loaded = (
            [self.index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]
            for op in (self.store, load)
        )
        return mine == loaded

    def _reads_elsewhere(self) -> bool:
        """True if other elements of the stored buffer are read."""
        return any(
            isinstance(op, tir.LoadOp)
            and op.buffer is self.store.buffer
            and not self._same_place(op)
            for op in self.ops
        )

    def _uses_through(self, loop: tir.ForOp, used: set[int]) -> bool:
        """True if a used variable starts from the variable of ``loop``."""
        dim = self.own.expr(loop.var)
        return any(
            isinstance(dim, AffineDimExpr)
            and dim.position in dimensions(self.own.expr(self.user[self.loops[n]]))
            for n in used
            if n < len(self.loops)
        )

    def _merged(
        self, chosen: list[tuple[tir.IterType, tir.ForOp, bool]], used: set[int]
    ) -> list[tuple[tir.IterType, tir.ForOp, bool]]:
        """Merge two reduce variables if the user's variable counts the iterations of both loops."""
        reduce = [loop for kind, loop, _ in chosen if kind is tir.IterType.REDUCE]
        gone: set[tir.ForOp] = set()
        whole: set[tir.ForOp] = set()
        for loop in reduce:
            n = self.loops.index(loop)
            expr = self.own.expr(self.user[loop])
            terms, constant = linear_terms(expr)
            if n not in used or constant or len(terms) < 2:
                continue
            factors = {
                atom.position: factor
                for atom, factor in terms.items()
                if isinstance(atom, AffineDimExpr)
            }
            partners = [
                partner
                for partner in reduce
                if self.own.expr(partner.var) in terms and partner is not loop
            ]
            free = all(
                self.loops.index(partner) not in used and partner not in gone
                for partner in partners
            )
            if (
                len(factors) == len(terms) == len(partners) + 1
                and free
                and all(factor > 0 for factor in factors.values())
                and self._is_radix(factors)
            ):
                gone.update(partners)
                whole.add(loop)
        return [
            (kind, loop, is_user or loop in whole)
            for kind, loop, is_user in chosen
            if loop not in gone
        ]

    # The block -------------------------------------------------------------------------------

    def rewrite(self, store: tir.StoreOp, labels: set[str]) -> None:
        """Put a block in the place of the store."""
        home = store.parent
        assert home is not None
        iters: list[tuple[tir.IterType, str, int | SSAValue]] = []
        exprs: list[AffineExpr] = []
        body = Block(arg_types=[tir.INDEX] * len(self.chosen))
        values: dict[SSAValue, SSAValue] = {}
        for n, (kind, loop, is_user) in enumerate(self.chosen):
            body.args[n].name_hint = f"v_{loop.label}"
            value = self.user[loop] if is_user else loop.var
            expr = self.own.expr(value)
            exprs.append(expr)
            iters.append((kind, f"v_{loop.label}", self._extent(loop, expr, store)))
            values[value] = body.args[n]
        space, operands = self.own.to_map(exprs)
        # The user's variables that are not block variables are computed from the block variables.
        for loop in self.loops:
            user = self.user[loop]
            if user in values:
                continue
            recomputed = self._recompute(user, values, body)
            if recomputed is not None:
                values[user] = recomputed
        for op in self.ops:
            if op.results and op.results[0] in values:
                continue
            body.add_op(copy_operation(op, values))
        body.add_op(copy_operation(store, values))
        _compose(body)
        label = fresh_name(buffer_name(store.buffer), labels)
        block = tir.BlockOp(label, iters, space, operands, Region(body))
        block.location = store.location
        home.insert_op_before(block, store)
        store.detach()
        store.erase()

    def _recompute(
        self, user: SSAValue, values: dict[SSAValue, SSAValue], body: Block
    ) -> SSAValue | None:
        """``start + step * variable`` from block variables."""
        owner = user.owner
        if not isinstance(owner, tir.ApplyOp):
            return None
        for operand in owner.operands_of_map:
            if operand not in values and isinstance(operand.owner, tir.ApplyOp):
                recomputed = self._recompute(operand, values, body)
                if recomputed is not None:
                    values[operand] = recomputed
        body.add_op(clone := copy_operation(owner, values))
        return clone.results[0]

    def _extent(self, loop: tir.ForOp, expr: AffineExpr, store: tir.StoreOp) -> int | SSAValue:
        """One more than the largest value of a binding."""
        if expr == self.own.expr(loop.var):
            return loop.extent_value
        _, high = self.own.bounds(expr)
        if high is not None:
            return high + 1
        # The bound is not a constant: in this iteration it is at most start + step * (extent - 1).
        extent = loop.extent_value
        user = self.user[loop].owner
        assert isinstance(user, tir.ApplyOp)
        assert user.expr is not None
        at = list(user.operands_of_map).index(loop.var)
        operands = [operand for n, operand in enumerate(user.operands_of_map) if n != at]
        dims = [AffineDimExpr(n - (n > at)) for n in range(len(user.operands_of_map))]
        if isinstance(extent, int):
            last: AffineExpr = AffineExpr.constant(extent - 1)
        else:
            last = AffineDimExpr(len(operands)) - 1
            operands.append(extent)
        dims[at] = last  # pyright: ignore[reportArgumentType, reportCallIssue]
        size = user.expr.replace_dims_and_symbols(dims, ()) + 1
        space, values = self._simplified(size, operands)
        if len(values) == 1 and space == AffineDimExpr(0):
            return values[0]
        apply = tir.ApplyOp(space, values)
        apply.location = loop.location
        home = loop.parent
        assert home is not None
        home.insert_op_before(apply, loop)
        return apply.result

    def _simplified(
        self, expr: AffineExpr, operands: Sequence[SSAValue]
    ) -> tuple[AffineExpr, list[SSAValue]]:
        index = IndexValues()
        composed = index.compose(expr, operands)
        space, values = index.to_map([composed])
        return space.results[0], values


def _writes(op: Operation, buffer: SSAValue) -> bool:
    """True if ``op`` may write to ``buffer``."""
    if isinstance(op, tir.StoreOp):
        return op.buffer is buffer
    if isinstance(op, tir.LoadOp | tir.AllocOp | tir.ForOp | tir.BlockOp | tir.IfOp):
        return False
    return not op.regions and has_effects(op) and bool(op.operands)


def _compose(body: Block) -> None:
    """Fold affine index arithmetic into the accesses."""
    index = IndexValues()
    for arg in body.args:
        index.dimension(arg, (0, None))
    for op in list(body.ops):
        if isinstance(op, tir.LoadOp | tir.StoreOp):
            indices = [index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]
            space, operands = index.to_map(indices)
            if isinstance(op, tir.LoadOp):
                new: Operation = tir.LoadOp(op.buffer, space, operands, op.result.type)
                new.results[0].name_hint = op.result.name_hint
            else:
                new = tir.StoreOp(op.value, op.buffer, space, operands)
            new.location = op.location
            body.insert_op_before(new, op)
            for old, result in zip(op.results, new.results, strict=True):
                old.replace_all_uses_with(result)
            op.detach()
            op.erase()
    for op in reversed(list(body.ops)):
        if op.results and all(result.first_use is None for result in op.results):
            if not op.regions and not has_effects(op):
                op.detach()
                op.erase()
