"""lower-init-block: the ``init`` of a reduction becomes a separate block.

Before::

    tir.for %i in 8 {
      tir.for %k in 4 {
        tir.for %j in 16 vectorized {
          tir.block "C" (spatial %v_i in 8 = %i, spatial %v_j in 16 = %j, reduce %v_k in 4 = %k)
              init { ... } do { ... }

After::

    tir.for %i in 8 {
      tir.for %j_init "j_init" in 16 vectorized {
        tir.block "C_init" (spatial %v_i in 8 = %i, spatial %v_j in 16 = %j_init) do { ... }
      }
      tir.for %k in 4 {
        tir.for %j in 16 vectorized {
          tir.block "C" (spatial %v_i in 8 = %i, spatial %v_j in 16 = %j, reduce %v_k in 4 = %k)
              do { ... }

The new block precedes the outermost loop that carries a reduce variable. Inner loops that carry
spatial variables are copied with their kind. The new block runs in exactly the instances in which
the block would have run its init, and also initialises an empty reduction (a symbolic extent that
is 0). If the reordering is not proven to preserve the result (another statement in between accesses
the buffer, an iteration is repeated, ...), the init stays in the block, guarded by ``tir.if`` on
the reduce variables.

Requires nothing. Afterwards no block has an init region.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr, AffineSet
from xdsl.passes import ModulePass
from xdsl.traits import Pure

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import late_init
from kc.analysis.accesses.instances import Instance, Space, Supply
from kc.analysis.affine.index_facts import determined, forced_to_zero
from kc.analysis.affine.index_values import IndexValues, dimensions, substitute
from kc.analysis.affine.simplify_affine import simplify_constraints
from kc.analysis.affine.terms import Term, any_of
from kc.analysis.captures import captured_values
from kc.analysis.loop_tree import reduce_extents
from kc.dialects.affine_assembly import ZERO, at_least_zero, linear_terms
from kc.dialects.tir import (
    INDEX,
    BlockOp,
    DelinearizeOp,
    ForOp,
    IfOp,
    IterType,
    LinearizeOp,
    LoadOp,
    PrefetchOp,
    StoreOp,
)
from kc.dialects.tir.views import ViewOp
from kc.support.fresh_names import fresh_name
from kc.transforms.tir.blocks._empty_reductions import (
    fill_if_empty,
    fill_instead,
    is_empty,
    may_not_begin,
    origins,
)


@dataclass(frozen=True)
class LowerInitBlockPass(ModulePass):
    """Move the init of a reduction into a block before the outermost reduction loop."""

    name = "lower-init-block"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in loop_tree.functions(op):
            blocks = loop_tree.blocks(function)
            lowering = _Lowering({block.label for block in blocks})
            for block in blocks:
                if not block.has_init:
                    continue
                if is_empty(block):
                    fill_instead(block, lowering.fresh_name)
                elif not lowering.hoist(block):
                    fill_if_empty(block, lowering.fresh_name)
                    guard_init(block)


class _Stay(Exception):
    """The init is not proven to have the same effect before the loops."""

    def __init__(
        self,
        why: str = "another statement in the loop uses the elements that it writes, an "
        "iteration is "
        "repeated, or its indices are not affine",
    ) -> None:
        super().__init__(why)


@dataclass
class _Users:
    """The blocks, or single ops outside of blocks, that read and write a buffer."""

    readers: set[Operation] = field(default_factory=set)
    writers: set[Operation] = field(default_factory=set)


class _Lowering:
    """The lowering of one function. All expressions are over the roots of one
    :class:`IndexValues`."""

    def __init__(self, names: set[str]) -> None:
        self.names = names
        self.index = IndexValues()
        self._users: dict[Operation, dict[SSAValue, _Users]] = {}
        self._dependences: dict[SSAValue, frozenset[SSAValue]] = {}

    def hoist(self, block: BlockOp) -> bool:
        """Decompose ``block``. Return False, without a change, if its init must stay inside."""
        try:
            plan = _Plan(self, block)
            plan.check_order(self.users_below(plan.place))
        except _Stay:
            return False
        if plan.misses_empty():
            fill_if_empty(block, self.fresh_name)
        plan.build()
        return True

    def fresh_name(self, name: str) -> str:
        """``name``, or ``name_<n>`` for the first n that is free among the block labels."""
        return fresh_name(name, self.names)

    def variables(self, exprs: Iterable[AffineExpr]) -> set[SSAValue]:
        """The loop and block variables that ``exprs`` depend on."""
        variables: set[SSAValue] = set()
        for expr in exprs:
            for dim in dimensions(expr):
                value = self.index.roots[dim]
                assert value is not None
                variables |= self.dependences(value)
        return variables

    def dependences(self, value: SSAValue) -> frozenset[SSAValue]:
        """The loop and block variables that ``value`` is computed from."""
        variables = self._dependences.get(value)
        if variables is None:
            owner = value.owner
            if isinstance(owner, Block):
                variables = frozenset(
                    [value] if isinstance(owner.parent_op(), ForOp | BlockOp) else []
                )
            else:
                variables = frozenset().union(
                    *(self.dependences(operand) for operand in owner.operands)
                )
            self._dependences[value] = variables
        return variables

    def users_below(self, place: Operation) -> dict[SSAValue, _Users]:
        """The readers and the writers of each buffer that is used in ``place``."""
        by_buffer = self._users.get(place)
        if by_buffer is None:
            by_buffer = self._users[place] = {}
            work: list[tuple[Operation, Operation]] = [(place, place)]
            while work:
                op, unit = work.pop()
                if isinstance(op, BlockOp):
                    unit = op
                for buffer, reads, writes in _accesses(op):
                    users = by_buffer.setdefault(buffer, _Users())
                    user = unit if isinstance(unit, BlockOp) else op
                    if reads:
                        users.readers.add(user)
                    if writes:
                        users.writers.add(user)
                work += [(inner, unit) for inner in loop_tree.children(op)]
        return by_buffer


class _Plan:
    """The nest that runs the init of a block before ``place``. Raises :class:`_Stay` if it is not
    legal."""

    def __init__(self, lowering: _Lowering, block: BlockOp, place: ForOp | None = None) -> None:
        """``place`` is a loop around the block; None means the outermost loop that drives the
        reduction."""
        self.lowering = lowering
        self.index = lowering.index
        self.block = block
        exprs = [self.index.compose(expr, block.binding_operands) for expr in block.binding_exprs]
        kinds = block.types
        reduce_exprs = [
            expr for expr, kind in zip(exprs, kinds, strict=True) if kind is IterType.REDUCE
        ]
        carriers = lowering.variables(reduce_exprs)
        loops = loop_tree.loops_around(block)
        if place is not None:
            first = loops.index(place)
        else:
            first = next((n for n, loop in enumerate(loops) if loop.var in carriers), len(loops))
        inner = loops[first:]
        inner_vars = {loop.var for loop in inner}
        self.place: Operation = inner[0] if inner else block
        if not carriers <= inner_vars:
            raise _Stay  # a variable of an enclosing block is part of the reduction
        self.zero = {loop.var for loop in inner if loop.static_extent == 1}
        self.zero |= forced_to_zero(reduce_exprs, self.index) & inner_vars
        self.free_loops = [loop for loop in inner if loop.var not in self.zero]
        self._roots_at_zero: dict[int, AffineExpr] = {}

        self.bindings: list[AffineExpr] = []
        self.open: list[bool] = []
        """For each binding, True if it is unconstrained when the reduction is empty."""
        for expr, kind in zip(exprs, kinds, strict=True):
            if kind is IterType.OPAQUE and lowering.variables([expr]) & inner_vars:
                raise _Stay
            if kind is not IterType.REDUCE:
                self.bindings.append(self.at_zero(expr))
                self.open.append(not lowering.variables([expr]).isdisjoint(carriers))
        rest = [self.at_zero(expr) for expr in reduce_exprs]
        if not {loop.var for loop in self.free_loops} <= determined(
            [*self.bindings, *rest], self.index
        ):
            raise _Stay  # some instance of the block is repeated
        tests = [*self._predicate(), *self._path()]
        extra = [*self._begun(inner), *(is_zero(expr) for expr in rest)]
        self.conditions = simplify_constraints(
            [*(new for _, new in tests), *extra], self.index.ranges
        )
        self.about_reduction = simplify_constraints(
            [*(new for old, new in tests if lowering.variables([old]) & carriers), *extra],
            self.index.ranges,
        )
        """The conditions that the elements of an empty reduction need not meet."""
        self.carriers = carriers
        if any(extent == 0 for kind, _, extent in block.iters if kind is not IterType.REDUCE):
            self.conditions = None  # loops that are not copied have no iteration either
        spatial = [e for e, kind in zip(exprs, kinds, strict=True) if kind is not IterType.REDUCE]
        starts_at_zero = carriers <= self.zero and not lowering.variables(spatial) & {
            loop.var for loop in inner if loop.var in self.zero and loop.static_extent != 1
        }
        if self.conditions is not None and not (starts_at_zero and _updates_in_place(block)):
            late = late_init(block, self.place)
            if late is not None:  # what comes before the init would come after it
                raise _Stay(str(late.explain()))
        self._check_values()

    def at_zero(self, expr: AffineExpr) -> AffineExpr:
        """``expr`` with the variables of the loops that are not copied set to 0."""
        for dim in dimensions(expr):
            if dim not in self._roots_at_zero:
                value = self.index.roots[dim]
                assert value is not None
                zero = value in self.zero or self._is_zero(value)
                self._roots_at_zero[dim] = ZERO if zero else AffineExpr.dimension(dim)
        return self.index.simplify(substitute(expr, self._roots_at_zero))

    def _is_zero(self, value: SSAValue) -> bool:
        """True if ``value``, an opaque value, is 0. Raises :class:`_Stay` if it depends on ``zero``
        in another way."""
        if not self.lowering.dependences(value) & self.zero:
            return False
        owner = value.owner
        parts = (
            owner.indices
            if isinstance(owner, LinearizeOp)
            else [owner.index]
            if isinstance(owner, DelinearizeOp)
            else []
        )
        if not parts or any(self.at_zero(self.index.expr(part)) != ZERO for part in parts):
            raise _Stay
        return True

    def _predicate(self) -> list[tuple[AffineExpr, AffineConstraintExpr]]:
        """The predicate without the conditions that bound the reduction. Each condition comes as
        the expression that is compared with 0, and as the same condition with 0 for the loops that
        are not copied.
        """
        tests = []
        for constraint in self._over_roots(
            self.block.predicate.data, self.block.predicate_operands
        ):
            rest = self.at_zero(constraint.lhs)
            gone, _ = linear_terms(self.index.simplify(rest - constraint.lhs))
            high = self.index.bounds(rest)[1]
            if (
                constraint.kind is AffineConstraintKind.ge
                and gone
                and all(factor > 0 for factor in gone.values())
                and all(self.index.is_natural(atom) for atom in gone)
                and not self.lowering.variables([rest])
                and (high is None or high >= 0)
            ):
                continue  # an upper bound of the reduction that does not depend on any loop
            tests.append((constraint.lhs, AffineConstraintExpr(constraint.kind, rest, ZERO)))
        return tests

    def _begun(self, inner: Sequence[ForOp]) -> list[AffineConstraintExpr]:
        """The conditions that the loops that are not copied run at least one iteration.

        A loop that runs none because the reduction is empty is exempt, as its elements are
        initialised.
        """
        return [
            at_least_zero(self._extent_at_zero(loop) - 1)
            for loop in inner
            if loop.var in self.zero and may_not_begin(self.block, loop)
        ]

    def _extent_at_zero(self, loop: ForOp) -> AffineExpr:
        if loop.dynamic_extent is None:
            return AffineExpr.constant(loop.static_extent or 0)
        return self.at_zero(self.index.expr(loop.dynamic_extent))

    def _path(self) -> list[tuple[AffineExpr, AffineConstraintExpr]]:
        """The conditions of each ``tir.if`` between ``place`` and the block, in the form of
        :meth:`_predicate`."""
        tests: list[tuple[AffineExpr, AffineConstraintExpr]] = []
        op: Operation = self.block
        while op is not self.place:
            parent = op.parent_op()
            assert parent is not None
            if isinstance(parent, IfOp):
                if op.parent_region() is not parent.then:
                    raise _Stay
                for constraint in self._over_roots(parent.condition.data, parent.operands_of_set):
                    at_zero = AffineConstraintExpr(
                        constraint.kind, self.at_zero(constraint.lhs), ZERO
                    )
                    tests.append((constraint.lhs, at_zero))
            elif not isinstance(parent, ForOp):
                raise _Stay
            op = parent
        return tests

    def _over_roots(
        self, space: AffineSet, operands: Sequence[SSAValue]
    ) -> list[AffineConstraintExpr]:
        return [
            AffineConstraintExpr(
                constraint.kind, self.index.compose(constraint.lhs, operands), ZERO
            )
            for constraint in space.constraints
        ]

    def _check_values(self) -> None:
        """Require that all values that the new nest uses exist, or are computable, before
        ``place``."""
        exprs = [*self.bindings, *(constraint.lhs for constraint in self.conditions or ())]
        for expr in exprs:
            for dim in dimensions(expr):
                value = self.index.roots[dim]
                assert value is not None
                self._check_value(value)
        for loop in self.free_loops:
            if loop.dynamic_extent is not None:
                if self.lowering.dependences(loop.dynamic_extent) & self.zero:
                    raise _Stay
                self._check_value(loop.dynamic_extent)
        for value in (*self.block.dynamic_extents, *captured_values(self.block.init.block)):
            self._check_value(value)

    def misses_empty(self) -> bool:
        """True if the new nest may skip stores, only because the reduction is empty."""
        sizes = [size for size in reduce_extents(self.block) if not isinstance(size, int)]
        if self.about_reduction is None:
            return bool(sizes)
        used: set[SSAValue] = set()
        for constraint in self.about_reduction:
            used |= {self.index.roots[dim] for dim in dimensions(constraint.lhs)}  # pyright: ignore
        for loop in self.free_loops:
            if loop.dynamic_extent is not None and loop.var in self.carriers:
                used.add(loop.dynamic_extent)
        if not origins(sizes).isdisjoint(origins(used)):
            return True
        return bool(sizes) and any(self.open) and self._leaves_elements(sizes)

    def _leaves_elements(self, sizes: Sequence[SSAValue]) -> bool:
        """True if, with one of ``sizes`` equal to 0, the new nest may leave elements unstored, as a
        skewed loop then has fewer iterations.
        """
        space = Space()
        demand = space.place(self.place)
        new = space.place(self.place, demand.loops)
        stored = self._stored(space, new)
        conditions, operands = self.index.to_set(self.conditions or [])
        supply = Supply(new, stored, [space.condition(conditions, operands, new)])
        needed = self._stored(space, demand)
        extents = [extent for kind, _, extent in self.block.iters if kind is not IterType.REDUCE]
        element: list[Term] = []
        for is_open, value, extent in zip(self.open, needed, extents, strict=True):
            at = space.dim(demand) if is_open else value
            demand.constraints.append(at.within(space.size(extent, demand)))
            element.append(at)
        nothing = any_of([space.size(size, demand) <= 0 for size in sizes])
        return space.uncovered(demand, element, [supply], [nothing]) is not None

    def _stored(self, space: Space, instance: Instance) -> list[Term]:
        """The variables of the block in an iteration of the new nest. The iteration is added to
        ``instance``, a moment at which control reaches the nest.
        """
        for loop in self.free_loops:
            at = instance.values[loop.var] = space.dim(instance)
            instance.constraints.append(at.within(space.size(loop.extent_value, instance)))
        bindings, operands = self.index.to_map(self.bindings)
        return [space.expr(expr, operands, instance) for expr in bindings.results]

    def _check_value(self, value: SSAValue) -> None:
        if not loop_tree.defined_inside(value, self.place):
            return
        owner = value.owner
        if isinstance(owner, Block):
            if not isinstance(owner.parent_op(), ForOp):
                raise _Stay
            return
        if owner.regions or not owner.has_trait(Pure):
            raise _Stay
        for operand in owner.operands:
            self._check_value(operand)

    def check_order(self, users: Mapping[SSAValue, _Users]) -> None:
        """Require that no other statement in ``place`` observes that the init runs earlier."""
        reads: set[SSAValue] = set()
        writes: set[SSAValue] = set()
        for op in self.block.init.walk():
            for buffer, reading, writing in _accesses(op):
                if reading:
                    reads.add(buffer)
                if writing:
                    writes.add(buffer)
        for op in self.block.body.walk():
            if any(writing and buffer in reads for buffer, _, writing in _accesses(op)):
                raise _Stay
        if reads & writes:
            raise _Stay
        statements: set[Operation] = set()
        for buffer in reads | writes:
            uses = users.get(buffer, _Users())
            statements |= uses.writers
            if buffer in writes:
                statements |= uses.readers
        if any(not loop_tree.is_inside(statement, self.block) for statement in statements):
            raise _Stay

    def build(self) -> BlockOp | None:
        """Build the nest in front of ``place``; return its block, None if the init never runs."""
        block = self.block
        if self.conditions is None:  # no instance of the block has only zeros
            _take_init(block).erase()
            return None
        values: dict[SSAValue, SSAValue] = {}
        outermost: Block | None = None
        nest: list[Operation] = []

        def rebuilt(value: SSAValue) -> SSAValue:
            """The copy of ``value`` in the new nest, computed at its first use."""
            if value in values or not loop_tree.defined_inside(value, self.place):
                return values.get(value, value)
            owner = value.owner
            if isinstance(owner, Block):
                op: Operation = arith.ConstantOp(IntegerAttr(0, INDEX))  # in self.zero
                values[value] = op.results[0]
            else:
                for operand in owner.operands:
                    rebuilt(operand)
                op = owner.clone(values)
            op.location = block.location
            emit(op)
            return values[value]

        def emit(op: Operation) -> None:
            if outermost is None:
                nest.append(op)
            else:
                outermost.add_op(op)

        for loop in self.free_loops:
            extent = loop.extent_value
            copy = ForOp(
                f"{loop.label}_init",
                extent if isinstance(extent, int) else rebuilt(extent),
                kind=loop.kind.data,
                annotations=loop.annotations.data if loop.annotations else None,
                axis=loop.axis,
            )
            copy.location = loop.location
            emit(copy)
            values[loop.var] = copy.var
            outermost = copy.body.block

        affine_map, binding_operands = self.index.to_map(self.bindings)
        affine_set, set_operands = self.index.to_set(self.conditions)
        iters = [
            (kind, name, extent if isinstance(extent, int) else rebuilt(extent))
            for kind, name, extent in block.iters
            if kind is not IterType.REDUCE
        ]
        captured = set(captured_values(block.init.block))
        for op in block.init.walk():
            for n, operand in enumerate(op.operands):
                if operand in captured:
                    op.operands[n] = rebuilt(operand)
        body = _take_init(block)
        for arg, kind in reversed(list(zip(body.args, block.types, strict=True))):
            if kind is IterType.REDUCE:
                body.erase_arg(arg)
        new = BlockOp(
            self.lowering.fresh_name(f"{block.label}_init"),
            iters,
            affine_map,
            [rebuilt(operand) for operand in binding_operands],
            Region(body),
            predicate=affine_set,
            predicate_operands=[rebuilt(operand) for operand in set_operands],
        )
        new.location = block.location
        emit(new)
        parent = self.place.parent
        assert parent is not None
        parent.insert_ops_before(nest, self.place)
        return new


class Decomposition:
    """The extraction of a reduction's init into a separate block before ``loop``, a loop around the
    block.
    """

    def __init__(self, plan: _Plan) -> None:
        self._plan = plan

    @classmethod
    def of(cls, block: BlockOp, loop: ForOp, names: Iterable[str]) -> Decomposition | str:
        """The decomposition of ``block`` at ``loop``, or the reason why it is not proven to be
        equivalent.

        ``names`` holds the labels of the function's blocks.
        """
        lowering = _Lowering(set(names))
        try:
            plan = _Plan(lowering, block, loop)
            plan.check_order(lowering.users_below(loop))
        except _Stay as reason:
            return str(reason)
        if is_empty(block):
            return "its reduction is empty"
        if plan.misses_empty():
            return (
                "the initial value would not be stored where a size is 0 and the reduction is empty"
            )
        return cls(plan)

    def build(self) -> BlockOp | None:
        """Perform the decomposition; return the new block, or None if the init never runs."""
        return self._plan.build()


def _updates_in_place(block: BlockOp) -> bool:
    """True if all accesses of ``block`` to the buffers of its init are to the elements that the
    init stores.
    """
    inits = {op.buffer: op for op in block.init.block.ops if isinstance(op, StoreOp)}
    if any(op.regions for op in block.init.block.ops):
        return False
    twin: dict[SSAValue, SSAValue] = {}
    twin.update(zip(block.init.block.args, block.body.block.args, strict=True))
    for op in block.body.walk():
        if not isinstance(op, LoadOp | StoreOp):
            if loop_tree.touches_memory(op):
                return False
        elif op.buffer in inits:
            init = inits[op.buffer]
            place = [twin.get(operand, operand) for operand in init.operands_of_map]
            if op.indices != init.indices or list(op.operands_of_map) != place:
                return False
    return True


def is_zero(expr: AffineExpr) -> AffineConstraintExpr:
    """The condition ``expr == 0``."""
    return AffineConstraintExpr(AffineConstraintKind.eq, expr, ZERO)


def guard_init(block: BlockOp) -> None:
    """Move the init of ``block`` into its body, under a ``tir.if`` on the reduce variables."""
    init = _take_init(block)
    body = block.body.block
    reduce_vars = []
    for old, new, kind in zip(init.args, body.args, block.types, strict=True):
        old.replace_all_uses_with(new)
        if kind is IterType.REDUCE:
            reduce_vars.append(new)
    while init.args:
        init.erase_arg(init.args[-1])
    conditions = tuple(is_zero(AffineExpr.dimension(n)) for n in range(len(reduce_vars)))
    guard = IfOp(AffineSet(len(reduce_vars), 0, conditions), reduce_vars, Region(init))
    guard.location = block.location
    first = body.first_op
    if first is None:
        body.add_op(guard)
    else:
        body.insert_op_before(guard, first)


def _take_init(block: BlockOp) -> Block:
    return block.init.detach_block(block.init.block)


def _accesses(op: Operation) -> Iterator[tuple[SSAValue, bool, bool]]:
    """The buffers that ``op`` itself uses, each with True if ``op`` reads it and True if ``op``
    writes it."""
    if isinstance(op, LoadOp):
        yield op.buffer, True, False
    elif isinstance(op, StoreOp):
        yield op.buffer, False, True
    elif not isinstance(op, PrefetchOp):
        for operand in op.operands:
            if isinstance(operand.type, MemRefType):
                while isinstance(operand.owner, ViewOp):
                    operand = operand.owner.buffer
                yield operand, True, True
