"""Exact dependences between the iterations of a loop nest, decided by isl, with a witness.

Two instances of statements depend on each other when they access the same element of a buffer and
at least one of them writes it. A rewrite that changes the order of instances is legal when no
dependence changes its direction. The question is put to isl as a set of pairs of instances. When
the set is empty the answer is exact; otherwise its lexicographically first point is the witness.

Two non-affine operations are modelled exactly: ``tir.linearize`` and ``tir.delinearize`` with
symbolic sizes become fresh dimensions, constrained by the fact that the linear order of the result
is the lexicographic order of the parts. Other opaque values are unconstrained, so a conflict that
involves them is "undecided", never "legal".

The approach is that of polyhedral compilation (Feautrier 1991; isl: Verdoolaege, ICMS 2010).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineSet
from xdsl.traits import Pure, SymbolTable, get_effects

from kc.analysis.accesses.replicated import is_replicated
from kc.analysis.accesses.simple_nest import simple_nest
from kc.analysis.affine.array_sizes import is_array_size
from kc.analysis.affine.isl_sets import first_point
from kc.analysis.affine.term_reader import TermReader
from kc.analysis.affine.terms import (
    Condition,
    Term,
    all_of,
    any_of,
    dim,
    equal,
    lexicographic,
    number,
    term_of,
)
from kc.analysis.loop_tree import (
    ALLOCATIONS,
    all_loops_around,
    buffer_name,
    defined_inside,
    is_inside,
    known_of_nothing,
    loops_around,
    memory_scope,
    path_to,
    preorder,
    reduce_extents,
    reduce_loops,
    touches_memory,
)
from kc.analysis.reductions.reductions import Reduction, reduction_of, updates_of
from kc.analysis.trust import Undecided, is_trusted
from kc.dialects.tir import (
    BlockOp,
    DelinearizeOp,
    ForOp,
    IfOp,
    IterType,
    LinearizeOp,
    LoadOp,
    StoreOp,
)
from kc.dialects.tir.calls import CallExternOp
from kc.dialects.tir.threads import is_in_lockstep, is_same_axis, is_shared
from kc.dialects.tir.views import CallOp, ViewOp


@dataclass(frozen=True)
class Access:
    """One load or store of a statement: the indices as terms over its instance."""

    op: Operation
    buffer: SSAValue | None
    """The accessed buffer; None for an op of unknown effects, which may touch any buffer."""
    indices: tuple[Term, ...]
    writes: bool
    reads: bool
    updates: bool = False
    """True for an update of a reduction, which may be reordered with its other updates."""

    @property
    def verb(self) -> str:
        """The effect on the element as a verb, for a message."""
        if self.writes and self.reads:
            return "updates"
        return "writes" if self.writes else "reads"


@dataclass(eq=False)
class Statement:
    """The accesses of one op in one iteration of the loops around it.

    ``dims`` are the instance's coordinates: the scope's loop variables first, then auxiliaries
    (opaque values and parts of structured ones).
    """

    op: Operation
    loops: list[ForOp]
    dims: list[str] = field(default_factory=list)
    constraints: list[Condition] = field(default_factory=list)
    lanes: dict[str, list[Condition]] = field(default_factory=dict)
    """Coordinates that number the lanes or elements of one access, with their bounds. They do not
    constrain other accesses, as a value within the bounds always exists.
    """
    accesses: list[Access] = field(default_factory=list)
    # (whole, parts, sizes): the order of whole is the lexicographic order of parts. The sizes
    # identify the relation.
    ordered: list[tuple[Term, tuple[Term, ...], tuple[SSAValue, ...]]] = field(default_factory=list)
    # (dim, reason): the coordinate is unknown; without a dim, the whole statement is.
    opaque: list[tuple[str | None, Undecided]] = field(default_factory=list)
    reduction: bool = False
    """True if the statement consists of updates by one commutative combiner."""
    threads: dict[ForOp, str] = field(default_factory=dict)
    """Coordinates that are thread numbers, by the thread loop outside of the scope."""
    block: BlockOp | None = None
    """The innermost block around the statement."""
    unit: BlockOp | None = None
    """The outermost block around the statement in the scope."""
    initialises: bool = False
    """True if the statement is in the init of ``unit``."""
    _sided: dict[str, list[Condition]] = field(default_factory=dict, repr=False)

    def doubts(self, access: Access) -> Iterator[Undecided]:
        """The reasons why the elements that ``access`` touches, or the iterations in which it runs,
        are unknown.
        """
        parts = (*self.conditions(access), *access.indices)
        used = {name for part in parts for name in part.names()}
        for name, why in self.opaque:
            if name is None or name in used:
                yield why

    def conditions(self, access: Access) -> list[Condition]:
        """The conditions on the coordinates of :meth:`coordinates`."""
        used = {name for index in access.indices for name in index.names()}
        bounds = [bound for lane, both in self.lanes.items() if lane in used for bound in both]
        return self.constraints + bounds

    def sided_conditions(
        self, side: str, access: Access, values: dict[str, Term]
    ) -> list[Condition]:
        """The :meth:`conditions` over ``values``, the :meth:`coordinates` of a side. The conditions
        that all accesses share are translated once, so the statement must be complete.
        """
        shared = self._sided.get(side)
        if shared is None:
            shared = self._sided[side] = [part.where(values) for part in self.constraints]
        own = self.conditions(access)[len(self.constraints) :]
        return shared + [bound.where(values) for bound in own]

    def coordinates(self, side: str, access: Access) -> dict[str, Term]:
        """The coordinates on which ``access`` depends, named for ``side`` of a pair of
        instances.
        """
        used = {name for index in access.indices for name in index.names()}
        return {
            name: dim(f"{side}_{name}")
            for name in self.dims
            if name not in self.lanes or name in used
        }

    def times(self, side: str) -> list[Term]:
        """The loop variables of the instance on ``side`` of a pair, outermost first."""
        return [dim(f"{side}_{name}") for name in self.loop_dims]

    @property
    def loop_dims(self) -> list[str]:
        """The coordinates that are loop variables, outermost first."""
        return self.dims[: len(self.loops)]


@dataclass(frozen=True)
class Conflict:
    """A dependence that a rewrite breaks, or may break."""

    source: Statement
    sink: Statement
    source_access: Access
    sink_access: Access
    reduction: bool
    """True if both accesses are updates of one reduction: then only their concurrency is a
    problem.
    """
    source_point: dict[str, int]
    sink_point: dict[str, int]
    element: tuple[int, ...] | None
    parameters: dict[str, int]
    undecided: Undecided | None
    """The reason why the answer is not exact; None if it is exact."""

    def explain(self) -> str | Undecided:
        """The witness in one sentence."""

        def place(statement: Statement, point: dict[str, int]) -> str:
            inner = ", ".join(f"{name}={value}" for name, value in point.items())
            label = statement.block.label if statement.block is not None else "the statement"
            return f"{label} at ({inner})"

        buffer = self.source_access.buffer
        if buffer is None or self.sink_access.buffer is None:
            return Undecided(f"cannot prove that iterations are independent: {self.undecided}")
        name = buffer_name(buffer)
        if self.undecided is not None:
            return Undecided(
                f"cannot prove that iterations touch different elements of {name}: {self.undecided}"
            )
        indices = "[" + ", ".join(map(str, self.element or ())) + "]"
        where = ""
        if self.parameters:
            sizes = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
            where = f" (for {sizes})"
        return (
            f"{place(self.source, self.source_point)} {self.source_access.verb} {name}{indices}, "
            f"which {place(self.sink, self.sink_point)} {self.sink_access.verb}{where}"
        )


_DETERMINED = ("arith", "math", "tir")
"""Dialects whose pure operations give equal results for equal operands, in all threads."""


def any_pair(source: Access, sink: Access) -> bool:
    """Accept every pair of accesses."""
    return True


class Scope:
    """The statements inside ``roots``, in one arbitrary iteration of every loop around the roots.

    Each iteration of a root has its own copy of a buffer allocated inside the root, except for
    ``merged`` and, with ``axis``, for buffers that the threads of ``axis`` share. With ``apart``, a
    load and a store of the same element stay two accesses.

    The threads of a loop around the roots run in lockstep, so the order of iterations in the scope
    also orders different threads. In a scope ``across`` threads, the two statements of a pair
    belong to different threads and touch memory that these threads share.
    """

    def __init__(
        self,
        *roots: Operation,
        axis: str | None = None,
        merged: SSAValue | None = None,
        apart: bool = False,
        across: bool = False,
    ) -> None:
        self.roots = dict.fromkeys(roots)
        self.axis = axis
        self.merged = merged
        self.apart = apart
        self._is_across = across
        self._across: Scope | None = None
        self._sharing: dict[tuple[SSAValue, bool], set[ForOp]] = {}
        self.parameters: dict[SSAValue, str] = {}
        self._computations: dict[Hashable, SSAValue] = {}
        self._representatives: dict[SSAValue, SSAValue | None] = {}
        self.facts: list[Condition] = []
        self.statements: list[Statement] = []
        self._collect()

    # Building statements -------------------------------------------------------------------

    def _collect(self) -> None:
        first = next(iter(self.roots))
        self._around = loops_around(first)
        self._threads = [loop for loop in all_loops_around(first) if is_in_lockstep(loop.axis)]
        outside = len(self._around)
        for op in (op for root in self.roots for op in preorder(root)):
            if isinstance(op, BlockOp):
                if self._block_around(op) is None:
                    self._add_block(op, loops_around(op)[outside:])
            elif touches_memory(op) and self._block_around(op) is None:
                statement = self._statement(op, loops_around(op)[outside:])
                self._add_accesses(statement, op)
                self.statements.append(statement)

    def _block_around(self, op: Operation) -> BlockOp | None:
        child, parent = op, op.parent_op()
        while parent is not None and child not in self.roots:
            if isinstance(parent, BlockOp):
                return parent
            child, parent = parent, parent.parent_op()
        return None

    def root_of(self, op: Operation) -> Operation | None:
        """The root that is or contains ``op``; None if no root does."""
        current: Operation | None = op
        while current is not None and current not in self.roots:
            current = current.parent_op()
        return current

    def _root_of_value(self, value: SSAValue) -> Operation | None:
        """The root in one of whose regions ``value`` is defined; None if no root defines it."""
        parent = value.owner.parent_op()
        return None if parent is None else self.root_of(parent)

    def _is_inside(self, value: SSAValue) -> bool:
        """True if ``value`` is defined in a region of a root."""
        return self._root_of_value(value) is not None

    def _statement(self, op: Operation, loops: list[ForOp]) -> Statement:
        statement = Statement(op, loops)
        statement.dims = [f"l{n}" for n in range(len(loops))]
        variables = list(map(dim, statement.dims))
        values: dict[SSAValue, Term] = {
            loop.var: variable for loop, variable in zip(loops, variables, strict=True)
        }
        self._values = values
        if self._is_across:
            self._enter_threads(statement)
        for n, (loop, variable) in enumerate(zip(loops, variables, strict=True)):
            statement.constraints.append(
                variable.within(self._extent(loop.extent_value, statement))
            )
            for outer in (*self._around, *loops[:n]):
                if is_same_axis(outer.axis, loop.axis):
                    statement.constraints.append(variable.equals(self._value(outer.var, statement)))
        for guard, holds in self._guards(op):
            self._add_guard(guard, statement, holds=holds)
        return statement

    def _enter_threads(self, statement: Statement) -> None:
        """Place ``statement`` in a separate thread: enter every op around the scope, from the
        outermost thread loop inwards.
        """
        first = next(iter(self.roots))
        path = list(path_to(first))[::-1]
        for op, inner in pairwise(path[path.index(self._threads[0]) :]):
            region = inner.parent_region()
            if op in self._threads:
                assert isinstance(op, ForOp)
                same = [loop for loop in statement.threads if is_same_axis(loop.axis, op.axis)]
                if same:
                    self._values[op.var] = dim(statement.threads[same[0]])
                    continue
                thread = self._values[op.var] = self._dim(statement, "t")
                statement.threads[op] = statement.dims[-1]
                extent = self._extent(op.extent_value, statement)
                statement.constraints.append(thread.within(extent))
            elif isinstance(op, IfOp):
                self._add_guard(op, statement, holds=region is op.then)
            elif isinstance(op, BlockOp):
                assert region is not None
                self._enter_block(statement, op, region)

    def _add_guard(self, guard: IfOp, statement: Statement, *, holds: bool) -> None:
        reader = self._reader(statement)
        condition = reader.condition(guard.condition.data, guard.operands_of_set)
        statement.constraints.append(condition if holds else ~condition)

    def _guards(self, op: Operation) -> list[tuple[IfOp, bool]]:
        guards: list[tuple[IfOp, bool]] = []
        child, parent = op, op.parent_op()
        while parent is not None and child not in self.roots:
            if isinstance(parent, IfOp):
                guards.append((parent, child.parent_region() is parent.then))
            child, parent = parent, parent.parent_op()
        return guards[::-1]

    def _add_block(self, block: BlockOp, loops: list[ForOp]) -> None:
        """Add the statements of a block, one for each nested body of its regions that accesses
        memory.
        """
        regions = [(block.body, False)]
        if block.has_init:
            regions.insert(0, (block.init, True))
        for region, is_init in regions:
            bodies: dict[Block, list[Operation]] = {region.block: []}
            for op in region.walk():
                if touches_memory(op):
                    assert op.parent is not None
                    bodies.setdefault(op.parent, []).append(op)
            for body, ops in bodies.items():
                statement = self._statement(block, loops)
                statement.block = statement.unit = block
                statement.initialises = is_init
                reductions = [] if is_init else [updates_of(block)]
                self._enter_block(statement, block, region)
                for inner, child in _path(body, region):
                    reductions.append(self._enter(statement, inner, child))
                around = [] if _in_init(body) else [step for step in reductions if step is not None]
                statement.reduction = any(not reduction.further_loads for reduction in around)
                updates = {op for reduction in around for op in reduction.accesses}
                for op in ops:
                    self._add_accesses(statement, op)
                if not self.apart:
                    _merge_accesses(statement, updates)
                self.statements.append(statement)

    def _enter_block(self, statement: Statement, block: BlockOp, region: Region) -> None:
        """Place ``statement`` in ``region`` of ``block``: bind the variables and add the
        predicate.
        """
        if region is block.init and 0 in reduce_extents(block):
            self._enter_init_of_nothing(statement, block)
            return
        for n, expr in enumerate(block.binding_exprs):
            value = self._reader(statement).expr(expr, block.binding_operands)
            variable = self._values[region.block.args[n]] = self._dim(statement, "v")
            statement.constraints.append(variable.equals(value))
            if region is block.init and block.types[n] is IterType.REDUCE:
                statement.constraints.append(variable.equals(0))
                statement.constraints += _all_zero(statement, value)
            # A block's variables lie in its domain, even where the loops do not show it.
            statement.constraints.append(variable.within(self._extent(block.extents[n], statement)))
        reader = self._reader(statement)
        statement.constraints.append(
            reader.condition(block.predicate.data, block.predicate_operands)
        )

    def _enter_init_of_nothing(self, statement: Statement, block: BlockOp) -> None:
        """Place ``statement`` in the init of a reduction without terms. The init runs at the start
        of the loops of the reduction, for every element of the reduction's result.
        """
        reader = self._reader(statement)
        carriers = set(reduce_loops(block))
        for loop, name in zip(statement.loops, statement.loop_dims, strict=True):
            if loop in carriers:
                statement.constraints.append(dim(name).equals(0))
        operands = block.binding_operands
        of_nothing = known_of_nothing(block, operands)
        for n, expr in enumerate(block.binding_exprs):
            variable = self._values[block.init.block.args[n]] = self._dim(statement, "v")
            if block.types[n] is IterType.REDUCE:
                statement.constraints.append(variable.equals(0))
                continue
            if all(of_nothing[used] for used in expr.used_dims()):
                statement.constraints.append(variable.equals(reader.expr(expr, operands)))
            statement.constraints.append(variable.within(self._extent(block.extents[n], statement)))
        predicate, operands = block.predicate.data, block.predicate_operands
        of_nothing = known_of_nothing(block, operands)
        constraints = [
            constraint
            for constraint in predicate.constraints
            if all(of_nothing[used] for used in constraint.lhs.used_dims())
        ]
        space = AffineSet(predicate.num_dims, predicate.num_symbols, tuple(constraints))
        statement.constraints.append(reader.condition(space, operands))

    def _enter(self, statement: Statement, op: Operation, child: Block) -> Reduction | None:
        """Place ``statement`` in ``child``, a body of ``op``, which is inside a block. Returns the
        reduction that ``child`` belongs to; None if it belongs to no reduction.
        """
        region = child.parent
        assert region is not None
        if isinstance(op, ForOp):
            variable = self._dim(statement, "l")
            statement.constraints.append(variable.within(self._extent(op.extent_value, statement)))
            self._values[op.var] = variable
        elif isinstance(op, IfOp):
            self._add_guard(op, statement, holds=region is op.then)
        elif isinstance(op, BlockOp):
            self._enter_block(statement, op, region)
            statement.block = op
            return updates_of(op) if region is op.body else None
        else:
            statement.opaque.append((None, Undecided(f"{op.name} is not understood")))
        return None

    def _add_accesses(self, statement: Statement, op: Operation) -> None:
        if isinstance(op, LoadOp | StoreOp):
            exprs, operands = op.indices.data.results, op.operands_of_map
            indices = [self._reader(statement).expr(expr, operands) for expr in exprs]
            value = op.value if isinstance(op, StoreOp) else op.result
            if isinstance(value.type, VectorType):
                indices[-1] = self._lane(indices[-1], value.type.get_shape()[-1], statement)
            self._add_access(statement, op, op.buffer, indices, isinstance(op, StoreOp))
        elif isinstance(op, CallExternOp | CallOp):
            for value, reads, writes in op.accesses:
                base, box = self._whole(value, statement)
                self._add_access(statement, op, base, box, writes, reads)
        elif isinstance(op, memref.LoadOp | memref.StoreOp):
            indices = [self._value(index, statement) for index in op.indices]
            self._add_access(statement, op, op.memref, indices, isinstance(op, memref.StoreOp))
        elif op.name in ("vector.maskedload", "vector.maskedstore"):
            from xdsl.dialects import vector  # few programs have any

            assert isinstance(op, vector.MaskedLoadOp | vector.MaskedStoreOp)
            indices = [self._value(index, statement) for index in op.indices]
            (lanes,) = op.mask.type.get_shape()  # pyright: ignore
            indices[-1] = self._lane(indices[-1], lanes, statement)
            masked = Undecided(f"{op.name} may mask any lane")
            statement.opaque.append((statement.dims[-1], masked))
            self._add_access(statement, op, op.base, indices, isinstance(op, vector.MaskedStoreOp))
        else:
            for operand in op.operands:
                if _is_buffer(operand):
                    self._add_access(statement, op, operand, None, True, True)
            if get_effects(op) is None:
                statement.opaque.append((None, Undecided(f"{op.name} may access any memory")))
                statement.accesses.append(Access(op, None, (), writes=True, reads=True))

    def _whole(self, buffer: SSAValue, statement: Statement) -> tuple[SSAValue, list[Term] | None]:
        """Any element of ``buffer``: the buffer that owns the memory, and the indices of the
        element; None instead of the indices if ``buffer`` is no view.
        """
        view = buffer.owner
        if not isinstance(view, ViewOp):
            return buffer, None
        reader = self._reader(statement)
        indices = [reader.expr(expr, view.operands_of_map) for expr in view.indices.data.results]
        shape = view.result.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
        for position, size in zip(view.positions, shape, strict=True):
            indices[position] = self._lane(indices[position], size, statement)
        return view.buffer, indices

    def _add_access(
        self,
        statement: Statement,
        op: Operation,
        buffer: SSAValue,
        indices: Sequence[Term] | None,
        writes: bool,
        reads: bool | None = None,
    ) -> None:
        """Add an access of ``buffer`` at ``indices``; without ``indices``, an access of any
        element.
        """
        base = base_buffer(buffer)
        if base is None:
            name = buffer.name_hint or "a buffer"
            statement.opaque.append((None, Undecided(f"{name} may be a part of any other")))
            indices = ()
        elif isinstance(base.owner, ALLOCATIONS) and self._is_private(base):
            return
        elif base is not buffer or indices is None:
            how = "is a view of it" if base is not buffer else "may touch it"
            rank = len(base.type.get_shape())  # pyright: ignore
            name = op.name if base is buffer else buffer.name_hint or "a buffer"
            indices = [self._opaque(statement, f"{name} {how}") for _ in range(rank)]
        assert indices is not None
        reads = not writes if reads is None else reads
        statement.accesses.append(Access(op, base, tuple(indices), writes, reads))

    def _is_private(self, buffer: SSAValue) -> bool:
        """True if each iteration of the scope has, or could have, a private copy of ``buffer``."""
        root = self._root_of_value(buffer)
        if buffer is self.merged:
            return False
        if root is None or self.axis is None or not is_shared(memory_scope(buffer), self.axis):
            return root is not None
        return isinstance(root, ForOp) and is_replicated(buffer, root, self.axis)

    def _is_of_thread(self, value: SSAValue) -> bool:
        """True if ``value``, defined outside of the scope, may differ between the threads of the
        question.
        """
        return self._is_across and defined_inside(value, self._threads[0])

    # Values --------------------------------------------------------------------------------

    def _dim(self, statement: Statement, letter: str) -> Term:
        """Add a coordinate to ``statement``."""
        name = f"{letter}{len(statement.dims)}"
        statement.dims.append(name)
        return dim(name)

    def _opaque(self, statement: Statement, reason: str) -> Term:
        coordinate = self._dim(statement, "x")
        statement.opaque.append((statement.dims[-1], Undecided(reason)))
        return coordinate

    def _lane(self, first: Term, count: int, statement: Statement) -> Term:
        """A new coordinate for one of ``count`` consecutive indices from ``first``."""
        lane = self._dim(statement, "x")
        statement.lanes[statement.dims[-1]] = [first <= lane, lane < first + count]
        return lane

    def _reader(self, statement: Statement) -> TermReader:
        return TermReader(
            self._values,
            lambda value: self._leaf(value, statement),
            lambda reason: self._opaque(statement, reason),
        )

    def _value(self, value: SSAValue, statement: Statement) -> Term:
        return self._reader(statement).read(value)

    def _leaf(self, value: SSAValue, statement: Statement) -> Term:
        """A term for a value that is not affine in other values."""
        if not self._is_inside(value):
            if self._is_of_thread(value) and not _is_loop_var(value):
                name = value.name_hint or "a value"
                return self._opaque(statement, f"{name} may differ from thread to thread")
            return self._parameter(value, statement)
        if not isinstance(value, OpResult):
            return self._opaque(statement, f"{value.name_hint or 'a value'} is not affine")
        op = value.op
        if isinstance(op, LinearizeOp):
            parts = tuple(self._value(index, statement) for index in op.indices)
            whole = self._dim(statement, "x")
            statement.constraints.append(whole >= 0)
            self._tie(statement, whole, parts, op.sizes)
            return whole
        if isinstance(op, DelinearizeOp):
            whole = self._value(op.index, statement)
            digits: list[Term] = []
            for result, size in zip(op.indices, op.sizes, strict=True):
                digit = self._values[result] = self._dim(statement, "x")
                statement.constraints.append(digit.within(self._extent(size, statement)))
                digits.append(digit)
            self._tie(statement, whole, tuple(digits), op.sizes)
            return self._values[value]
        alike = self._alike(value)
        if alike is not None:
            return self._parameter(alike, statement)
        return self._opaque(statement, f"{value.name_hint or op.name} is not affine")

    def _parameter(self, value: SSAValue, statement: Statement) -> Term:
        if value not in self.parameters:
            name = self.parameters[value] = f"p{len(self.parameters)}"
            if _is_size(value):
                self.facts.append(dim(name) >= 0)
            elif _is_loop_var(value):
                loop = value.owner.parent_op()  # pyright: ignore[reportAttributeAccessIssue]
                assert isinstance(loop, ForOp)
                extent = loop.extent_value
                if isinstance(extent, int) or not self._is_of_thread(extent):
                    self.facts.append(dim(name).within(self._extent(extent, statement)))
        return dim(self.parameters[value])

    def _alike(self, value: SSAValue) -> SSAValue | None:
        """The first value with the same computation as ``value``, from operands outside of the
        scope.

        Such a value is the same in all iterations. None if ``value`` depends on operands inside the
        scope.
        """
        if not self._is_inside(value):
            return None if self._is_of_thread(value) else value
        if value not in self._representatives:
            self._representatives[value] = self._first_alike(value)
        return self._representatives[value]

    def _first_alike(self, value: SSAValue) -> SSAValue | None:
        op = value.op if isinstance(value, OpResult) else None
        if isinstance(op, LoadOp):
            if not self._is_constant(op.buffer):
                return None
        elif op is None or op.dialect_name() not in _DETERMINED or not op.has_trait(Pure):
            return None
        operands = tuple(map(self._alike, op.operands))
        if op.regions or None in operands:
            return None
        notes = frozenset((op.properties | op.attributes).items())
        computation = (op.name, notes, op.results.index(value), operands)
        return self._computations.setdefault(computation, value)

    def _is_constant(self, buffer: SSAValue) -> bool:
        """True if nothing in the scope writes to ``buffer``."""
        return base_buffer(buffer) is buffer and all(
            isinstance(use.operation, LoadOp)
            for use in buffer.uses
            if any(is_inside(use.operation, root) for root in self.roots)
        )

    def _tie(
        self, statement: Statement, whole: Term, parts: tuple[Term, ...], sizes: Iterable[SSAValue]
    ) -> None:
        sizes = tuple(sizes)
        if not any(self._is_inside(size) for size in sizes):
            statement.ordered.append((whole, parts, sizes))

    def _extent(self, extent: int | SSAValue, statement: Statement) -> Term:
        # A reduction with extent 0 still stores its initial value, so its extent counts as 1.
        if isinstance(extent, int):
            return number(max(extent, 1))
        return self._value(extent, statement)

    # Questions -----------------------------------------------------------------------------

    def find(
        self,
        breaks: Callable[[Statement, Statement], Condition | None],
        *,
        ignore_reductions: bool,
        concerns: Callable[[Access, Access], bool] = any_pair,
        threads: bool = True,
    ) -> Conflict | None:
        """The first dependence between two instances for which ``breaks`` holds; None if no
        dependence is broken.

        A proven dependence takes precedence over an undecided one, and a dependence in one thread
        over one between threads. With ``threads=False``, dependences between threads are not
        considered.

        ``breaks(s, t)`` is the condition under which the order of an instance of ``s`` and one of
        ``t`` becomes wrong, over their coordinates as the sides "s" and "t"; None means never.
        ``concerns(a, b)`` selects the pairs of accesses to consider.
        """
        possible = self._find(breaks, ignore_reductions=ignore_reductions, concerns=concerns)
        if threads and (possible is None or possible.undecided is not None):
            for scope in self.scopes()[1:]:
                between = scope._find(
                    breaks, ignore_reductions=ignore_reductions, concerns=concerns
                )
                if between is not None and (possible is None or between.undecided is None):
                    possible = between
        if possible is not None:
            why = possible.explain()
            if isinstance(why, Undecided) and is_trusted(why):
                return None
        return possible

    def scopes(self) -> list[Scope]:
        """This scope, and the same scope across threads if several threads may run it."""
        if not self._threads or self._is_across:
            return [self]
        if self._across is None:
            self._across = Scope(
                *self.roots, axis=self.axis, merged=self.merged, apart=self.apart, across=True
            )
        return [self, self._across]

    def _find(
        self,
        breaks: Callable[[Statement, Statement], Condition | None],
        *,
        ignore_reductions: bool,
        concerns: Callable[[Access, Access], bool],
    ) -> Conflict | None:
        possible: Conflict | None = None
        for source in self.statements:
            for sink in self.statements:
                updates = ignore_reductions and source is sink
                pairs = [
                    (a, b)
                    for a in source.accesses
                    for b in sink.accesses
                    if (a.buffer is b.buffer or a.buffer is None or b.buffer is None)
                    and (a.writes or b.writes)
                    and not (updates and a.updates and b.updates)
                    and (not self._is_across or self._sharers(a, b))
                    and concerns(a, b)
                ]
                condition = breaks(source, sink) if pairs else None
                if condition is None:
                    continue
                block = source.unit if source.unit is sink.unit else None
                reduction = block is not None and _is_reduced(block)
                for a, b in pairs:
                    conflict = self._ask(source, a, sink, b, condition, reduction)
                    if conflict is not None and conflict.undecided is None:
                        return conflict
                    possible = possible or conflict
        return possible

    def _sharers(self, a: Access, b: Access) -> set[ForOp]:
        """The outer loops whose threads share memory touched by both accesses, and in which a
        thread may read a different value from this memory if the order changes.
        """
        sharers: set[ForOp] = set()
        for buffer in (a.buffer, b.buffer):
            if buffer is None:
                return set(self._threads)
            sharers |= self._shared_by(buffer, both_write=a.writes and b.writes)
        return sharers

    def _shared_by(self, buffer: SSAValue, *, both_write: bool) -> set[ForOp]:
        key = (buffer, both_write)
        if key not in self._sharing:
            self._sharing[key] = {
                loop
                for loop in self._threads
                if not defined_inside(buffer, loop)
                or (
                    is_shared(memory_scope(buffer), loop.axis)
                    # Threads that each write the same values, without dividing the work, may do so
                    # in any order.
                    and not (
                        (both_write or not self._share_work(loop))
                        and is_replicated(buffer, loop, str(loop.axis))
                    )
                )
            }
        return self._sharing[key]

    def _share_work(self, loop: ForOp) -> bool:
        """True if the threads of ``loop`` divide the iterations of a loop in the scope."""
        return any(
            isinstance(op, ForOp) and is_same_axis(loop.axis, op.axis)
            for root in self.roots
            for op in root.walk()
        )

    def _between_threads(
        self, source: Statement, a: Access, sink: Statement, b: Access
    ) -> Iterator[Condition]:
        """Conditions under which two accesses are in different threads that share the buffer."""
        sharers = self._sharers(a, b)
        numbers = {
            loop: (dim(f"s_{name}"), dim(f"t_{sink.threads[loop]}"))
            for loop, name in source.threads.items()
        }
        yield any_of(s.differs(t) for loop, (s, t) in numbers.items() if loop in sharers)
        for loop, (s, t) in numbers.items():
            if loop not in sharers:
                yield s.equals(t)

    def meeting(self, source: Statement, a: Access, sink: Statement, b: Access) -> Condition:
        """The condition that access ``a`` of an instance of ``source`` and access ``b`` of an
        instance of ``sink`` touch the same element, over their coordinates as the sides "s" and
        "t".
        """
        s, t = source.coordinates("s", a), sink.coordinates("t", b)
        parts = source.sided_conditions("s", a, s) + sink.sided_conditions("t", b, t)
        if a.buffer is b.buffer:
            parts += equal(
                [index.where(s) for index in a.indices], [index.where(t) for index in b.indices]
            )
        for whole, digits, sizes in source.ordered:
            for other_whole, other_digits, other_sizes in sink.ordered:
                if sizes == other_sizes:
                    parts.append(
                        _same_order(
                            whole.where(s),
                            [digit.where(s) for digit in digits],
                            other_whole.where(t),
                            [digit.where(t) for digit in other_digits],
                        )
                    )
        if self._is_across:
            parts += self._between_threads(source, a, sink, b)
        return all_of([*parts, *self.facts])

    def _ask(
        self,
        source: Statement,
        a: Access,
        sink: Statement,
        b: Access,
        condition: Condition,
        reduction: bool,
    ) -> Conflict | None:
        s, t = source.coordinates("s", a), sink.coordinates("t", b)
        indices = [index.where(s) for index in a.indices]
        names = coordinate_names(s, t)
        question = all_of([self.meeting(source, a, sink, b), condition])
        answer = first_point(question, names, list(self.parameters.values()))
        if answer is None:
            return None
        point = {} if isinstance(answer, Undecided) else answer
        undecided = answer if isinstance(answer, Undecided) else None
        doubt = next(
            (reason for access, on in ((source, a), (sink, b)) for reason in access.doubts(on)),
            None,
        )
        if undecided is None and doubt is not None:
            undecided = doubt
        elif undecided is None and (source.ordered or sink.ordered):
            undecided = Undecided("the sizes are symbolic")

        def loop_point(statement: Statement, coordinates: dict[str, Term]) -> dict[str, int]:
            if not point:
                return {}
            loops = zip(statement.loops, statement.loop_dims, strict=True)
            return {
                loop.label: coordinates[name].at(point)
                for loop, name in (*statement.threads.items(), *loops)
            }

        element = None
        if undecided is None:
            element = tuple(index.at(point) for index in indices)
        return Conflict(
            source,
            sink,
            a,
            b,
            reduction,
            loop_point(source, s),
            loop_point(sink, t),
            element,
            {
                (value.name_hint or name): point[name]
                for value, name in self.parameters.items()
                if name in point
            },
            undecided,
        )


def coordinate_names(*sides: dict[str, Term]) -> list[str]:
    """The names of the coordinates of all sides of a pair of instances."""
    return [name for values in sides for term in values.values() for name in term.names()]


def _all_zero(statement: Statement, value: Term) -> list[Condition]:
    """Conditions that follow from ``value == 0``: a linear index is 0 only if all its parts
    are 0.
    """
    return [
        part.equals(0) for whole, parts, _ in statement.ordered if whole == value for part in parts
    ]


def carried_conflict(
    loop: ForOp, axis: str | None = None, merged: SSAValue | None = None
) -> Conflict | None:
    """A dependence between two different iterations of ``loop``; None if there is none.

    With ``axis``, the iterations are the threads of that axis, which share some of the buffers
    allocated in the loop. ``merged`` is treated as a shared buffer.
    """
    simple = simple_nest(loop)
    if simple is not None and simple.drives[loop] is IterType.SPATIAL:
        return None
    scope = Scope(loop, axis=axis, merged=merged)

    def breaks(source: Statement, sink: Statement) -> Condition:
        return source.times("s")[0] < sink.times("t")[0]

    def are_updates(source: Access, sink: Access) -> bool:
        return source.updates and sink.updates

    first = scope.find(breaks, ignore_reductions=True)
    if first is not None and first.undecided is None:
        return first
    if not any(access.updates for statement in scope.statements for access in statement.accesses):
        return first
    # Only ignored pairs remain, or all of them where an answer was undecided.
    concerns = are_updates if first is None else any_pair
    second = scope.find(breaks, ignore_reductions=False, concerns=concerns)
    return first if first is not None and (second is None or second.undecided) else second


def lane_conflict(loop: ForOp, combined: Collection[BlockOp] = ()) -> Conflict | None:
    """A conflict that prevents the iterations of ``loop`` from becoming vector lanes; None if there
    is none.

    Each op runs for all lanes before the next op runs. A later iteration may therefore store to an
    element that an earlier iteration has loaded, if the store follows the load in the text. This
    exception applies only if ``loop`` contains no loop: inside such a loop, primitives exchange
    iterations of a lane without considering the other lanes. Lanes have separate results for the
    reduction blocks in ``combined``.
    """

    def is_apart(source: Statement, sink: Statement) -> bool:
        return source.unit is sink.unit and source.unit in combined

    def in_order(source: Statement, sink: Statement) -> Condition | None:
        if is_apart(source, sink):
            return None
        return source.times("s")[0] < sink.times("t")[0]

    if combined:
        conflict = Scope(loop).find(in_order, ignore_reductions=False)
    else:
        conflict = carried_conflict(loop)
    if conflict is None or any(isinstance(op, ForOp) for op in loop.body.walk()):
        return conflict
    scope = Scope(loop, apart=True)
    place = {op: n for n, op in enumerate(loop.body.walk())}
    late = scope.find(
        in_order, ignore_reductions=False, concerns=lambda a, b: place[b.op] <= place[a.op]
    )
    return conflict if late is not None and conflict.reduction else late


def combining_conflict(loop: ForOp, block: BlockOp, axis: str) -> Conflict | None:
    """A dependence between iterations of ``loop`` other than the combination of values by
    ``block``.

    The iterations are the threads of ``axis``, whose values are combined in any order, after the
    init of ``block`` for that element.
    """
    scope = Scope(loop, axis=axis)

    def breaks(source: Statement, sink: Statement) -> Condition | None:
        s, t = source.times("s"), sink.times("t")
        apart = s[0] < t[0]
        if source.unit is not block or sink.unit is not block or not sink.reduction:
            return apart
        if source.reduction:
            return None
        return all_of([apart, any_of(x > y for x, y in zip(s, t, strict=True))])

    return scope.find(breaks, ignore_reductions=False)


def late_init(block: BlockOp, place: Operation) -> Conflict | None:
    """An access of ``block`` to an element to which its init stores later, in one iteration of the
    loops around ``place``, which contains the block. None if there is none.
    """
    scope = Scope(place)

    def breaks(source: Statement, sink: Statement) -> Condition | None:
        if source.unit is not block or sink.unit is not block:
            return None
        if source.initialises or not sink.initialises:
            return None
        return lexicographic(source.times("s"), sink.times("t"))

    return scope.find(breaks, ignore_reductions=False, threads=False)


def reorder_conflict(chain: Sequence[ForOp], new_order: Sequence[ForOp]) -> Conflict | None:
    """A dependence that is reversed if ``chain`` (outermost first) runs in ``new_order``."""
    position = {loop: n for n, loop in enumerate(chain)}
    return retime_conflict(chain, [AffineExpr.dimension(position[loop]) for loop in new_order])


def retime_conflict(chain: Sequence[ForOp], times: Sequence[AffineExpr]) -> Conflict | None:
    """A dependence that is reversed if ``chain`` runs in the lexicographic order of ``times``.

    Dimension ``n`` of a time is the variable of loop ``n`` of the chain, outermost first.
    """
    simple = simple_nest(chain[0])
    if simple is not None and (
        not simple.block.is_reduction or reduction_of(simple.block) is not None
    ):
        # Instances of one element differ in reduce variables only. Their updates commute, and the
        # initialising instance, at 0 in all loops, comes first in every order.
        return None
    scope = Scope(chain[0])
    count = len(chain)

    def at(variables: Sequence[Term]) -> list[Term]:
        return [term_of(time, variables.__getitem__, lambda: number(0)) for time in times]

    def breaks(source: Statement, sink: Statement) -> Condition:
        s, t = source.times("s")[:count], sink.times("t")[:count]
        return all_of([lexicographic(s, t), lexicographic(at(t), at(s))])

    return scope.find(breaks, ignore_reductions=True)


def concurrent_conflict(chain: Sequence[ForOp], outermost: Sequence[ForOp]) -> Conflict | None:
    """A dependence between two iterations of the last loop of ``outermost``, in one iteration of
    the loops before it, when ``chain`` runs in an order that begins with ``outermost``.
    """
    simple = simple_nest(chain[0])
    if simple is not None and simple.drives[outermost[-1]] is IterType.SPATIAL:
        return None
    scope = Scope(chain[0])
    *outer, last = [list(chain).index(loop) for loop in outermost]

    def breaks(source: Statement, sink: Statement) -> Condition:
        s, t = source.times("s"), sink.times("t")
        return all_of([*(s[n].equals(t[n]) for n in outer), s[last] < t[last]])

    return scope.find(breaks, ignore_reductions=False)


def _same_order(lhs: Term, lhs_digits: list[Term], rhs: Term, rhs_digits: list[Term]) -> Condition:
    return any_of(
        [
            all_of([lhs < rhs, lexicographic(lhs_digits, rhs_digits)]),
            all_of([lhs > rhs, lexicographic(rhs_digits, lhs_digits)]),
            all_of([lhs.equals(rhs), *equal(lhs_digits, rhs_digits)]),
        ]
    )


def _merge_accesses(statement: Statement, updates: Container[Operation]) -> None:
    """Merge a load and a store of the same element into one update.

    Accesses of the ops in ``updates``, which belong to a reduction, are not merged with accesses of
    other ops.
    """
    merged: dict[tuple[SSAValue | None, tuple[Term, ...], bool], Access] = {}
    for access in statement.accesses:
        key = (access.buffer, access.indices, access.op in updates)
        old = merged.get(key, access)
        merged[key] = Access(
            access.op if access.writes else old.op,
            access.buffer,
            access.indices,
            old.writes or access.writes,
            old.reads or access.reads,
            access.op in updates,
        )
    statement.accesses = list(merged.values())


def _is_reduced(block: BlockOp) -> bool:
    """True if ``block`` is a reduction with recognized updates, in its body or in a nested
    block.
    """
    if updates_of(block) is not None:
        return True
    return block.is_reduction and any(
        updates_of(op) is not None for op in block.body.walk() if isinstance(op, BlockOp)
    )


def _path(body: Block, region: Region) -> list[tuple[Operation, Block]]:
    """The ops around ``body`` inside ``region``, outermost first, each with its block on the
    path.
    """
    path: list[tuple[Operation, Block]] = []
    block = body
    while block.parent is not region:
        op = block.parent_op()
        assert op is not None
        assert op.parent is not None
        path.append((op, block))
        block = op.parent
    return path[::-1]


def _in_init(body: Block) -> bool:
    """True if ``body`` is in the init of a block."""
    block: Block | None = body
    while block is not None:
        op = block.parent_op()
        if isinstance(op, BlockOp) and block.parent is op.init:
            return True
        block = op.parent if op is not None else None
    return False


def base_buffer(buffer: SSAValue) -> SSAValue | None:
    """The buffer whose memory ``buffer`` uses; None if unknown."""
    owner = buffer.owner
    if isinstance(owner, ALLOCATIONS):
        return buffer
    if isinstance(owner, Block):
        return buffer if isinstance(owner.parent_op(), FuncOp) else None
    if isinstance(owner, _VIEWS):
        return base_buffer(owner.operands[0])
    if isinstance(owner, memref.GetGlobalOp):
        return buffer if is_table(owner) else None
    return None


def may_share_memory(first: SSAValue, second: SSAValue) -> bool:
    """True if two buffers may share elements. Different arguments of a function never do."""
    bases = base_buffer(first), base_buffer(second)
    return None in bases or bases[0] is bases[1]


def accesses_memory_of(op: Operation, buffer: SSAValue) -> bool:
    """True if ``op`` or an op inside it takes a buffer that may share memory with ``buffer``."""
    return any(
        isinstance(operand.type, MemRefType) and may_share_memory(operand, buffer)
        for nested in op.walk()
        for operand in nested.operands
    )


def is_table(op: memref.GetGlobalOp) -> bool:
    """True if the global is a constant, which no operation may write."""
    root: Operation | None = op
    while root is not None and not isinstance(root, ModuleOp):
        root = root.parent_op()
    symbol = SymbolTable.lookup_symbol(root, op.name_) if root is not None else None
    return isinstance(symbol, memref.GlobalOp) and symbol.constant is not None


_VIEWS = (
    memref.CastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ReinterpretCastOp,
    memref.SubviewOp,
    ViewOp,
)


def _is_buffer(value: SSAValue) -> bool:
    return hasattr(value.type, "get_shape") and hasattr(value.type, "memory_space")


def _is_loop_var(value: SSAValue) -> bool:
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), ForOp)


def _is_size(value: SSAValue) -> bool:
    """True if ``value`` is computed from sizes by operations whose results are non-negative."""
    owner = value.owner
    if is_array_size(value):
        return True
    if isinstance(owner, arith.MuliOp | arith.AddiOp):
        return all(_is_size(operand) for operand in owner.operands)
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data >= 0
    return False
