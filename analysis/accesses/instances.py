"""Executions of loads, stores and blocks as sets: coverage, and order of execution.

An :class:`Instance` is one execution of an op, with a coordinate for every loop around it up to the
function. Questions concern several instances: is there a read that no write covers, or a write
between two executions? An empty set is a proof. A point is a witness, unless a non-affine value is
involved; then the answer is undecided.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineExpr, AffineSet

from kc.analysis.affine.array_sizes import is_array_size
from kc.analysis.affine.conditions import conjunction
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.isl_sets import first_point
from kc.analysis.affine.term_reader import TermReader
from kc.analysis.affine.terms import (
    ZERO_TERM,
    Condition,
    Term,
    all_of,
    any_of,
    dim,
    equal,
    exists,
    number,
)
from kc.analysis.loop_tree import (
    blocks,
    defined_inside,
    has_effects,
    is_inside,
    iter_types,
    known_of_nothing,
    memory_scope,
    reduce_extents,
)
from kc.analysis.trust import Undecided, is_trusted
from kc.dialects.tir import (
    DYNAMIC,
    AllocOp,
    BlockOp,
    ForKind,
    ForOp,
    IfOp,
    IterType,
    LoadOp,
    StoreOp,
    SymbolOp,
    ViewOp,
)
from kc.dialects.tir.threads import BLOCK_AXES, is_in_lockstep, is_same_axis, is_shared

RUN_ONCE = (scf.IfOp, scf.IndexSwitchOp, scf.ExecuteRegionOp)
"""Operations that run each of their regions at most once."""

UNORDERED = (ForKind.PARALLEL, ForKind.VECTORIZED)
"""Kinds of loops whose iterations run in any order."""


@dataclass(frozen=True)
class Witness:
    """A point of a set that should be empty, or the reason why emptiness is undecided."""

    point: Mapping[str, int]
    undecided: Undecided | None

    def __getitem__(self, term: Term) -> int:
        return term.at(self.point)

    @property
    def element(self) -> list[int]:
        """The indices of the failing element (:func:`touched`); empty if unknown."""
        names = (f"e{n}" for n in itertools.count())
        return [self.point[name] for name in itertools.takewhile(self.point.__contains__, names)]


@dataclass(eq=False)
class Instance:
    """One execution of ``op``: coordinates and the conditions on them."""

    op: Operation
    tag: str
    loops: dict[ForOp, Term] = field(default_factory=dict)
    """The coordinate of each loop around ``op``, outermost first."""
    dims: list[str] = field(default_factory=list)
    """The coordinates of this instance alone, not shared with other instances."""
    constraints: list[Condition] = field(default_factory=list)
    opaque: list[Undecided] = field(default_factory=list)
    """Reasons why ``dims`` and ``constraints`` may describe a superset of the executions."""
    values: dict[SSAValue, Term] = field(default_factory=dict)
    empty: list[ForOp] = field(default_factory=list)
    """Loops around ``op`` without iterations: ``op`` never runs, and ``dims`` and ``constraints``
    describe an imaginary iteration.
    """
    for_inits: bool = False
    """True if the instance also covers the execution of the inits in ``op`` when a loop of their
    empty reduction has no iteration.
    """
    at_start: bool = False
    """True if the instance is the moment at which ``op`` begins, before any part of it runs."""
    init_of: BlockOp | None = None
    """The innermost block whose init ``op`` is in."""
    repeats: list[Operation] = field(default_factory=list)
    """Operations around ``op``, outermost first, that repeat it and are not tir loops, such as
    ``scf.while``.
    """
    is_copy: bool = False
    """True if questions may concern the original instance without this copy."""

    def copy(self) -> Instance:
        """A copy, to which a question can add constraints."""
        return replace(
            self,
            loops=dict(self.loops),
            dims=list(self.dims),
            constraints=list(self.constraints),
            opaque=list(self.opaque),
            values=dict(self.values),
            empty=list(self.empty),
            repeats=list(self.repeats),
            is_copy=True,
        )

    def at(self, witness: Witness) -> str:
        """The iterations of the loops around ``op`` at a witness, as `` at (i=1, j=0)``; empty
        without loops.
        """
        counts = [f"{loop.label}={witness[at]}" for loop, at in self.loops.items()]
        return f" at ({', '.join(counts)})" if counts else ""


@dataclass(frozen=True)
class Supply:
    """Available elements: the elements that ``instance`` touches where ``constraints`` hold."""

    instance: Instance
    element: Sequence[Term]
    constraints: Sequence[Condition] = ()


class Space:
    """The context that the instances of one question share: symbolic sizes as parameters.

    ``bound`` assigns thread axes to loops. With ``within``, the question concerns a single
    execution of that op, and therefore one iteration of each surrounding repeated operation that is
    not a tir loop.
    """

    def __init__(
        self, bound: Mapping[ForOp, str] | None = None, *, within: Operation | None = None
    ) -> None:
        self.bound = bound or {}
        self.within = within
        self.parameters: dict[str, str] = {}
        self.facts: list[Condition] = []
        self._keys: dict[SSAValue, str] = {}
        self._computed: dict[tuple[object, ...], str] = {}
        self._contents: dict[tuple[object, ...], Term] = {}
        """Terms for elements of inputs that were loaded in some instance."""
        self._fresh = 0

    # Instances -----------------------------------------------------------------------------

    def instance(self, op: Operation, shared: Mapping[ForOp, Term] | None = None) -> Instance:
        """An execution of ``op``; loops in ``shared`` take their coordinates from ``shared``."""
        instance = self.place(op, shared)
        if isinstance(op, BlockOp):
            self._enter_block(op, op.body.block, instance)
            if op.has_init:
                for twin, arg in zip(op.init.block.args, op.body.block.args, strict=True):
                    instance.values[twin] = instance.values[arg]
        return instance

    def place(
        self,
        op: Operation,
        shared: Mapping[ForOp, Term] | None = None,
        *,
        for_inits: bool = False,
    ) -> Instance:
        """A moment at which control reaches ``op``, before anything in ``op`` runs.

        With ``for_inits``, this includes moments at which only the inits in ``op`` run, as their
        reductions are empty.
        """
        self._fresh += 1
        instance = Instance(op, f"q{self._fresh}", for_inits=for_inits, init_of=init_around(op))
        path: list[tuple[Operation, Operation]] = []
        child, parent = op, op.parent_op()
        while parent is not None and not isinstance(parent, FuncOp):
            path.append((parent, child))
            child, parent = parent, parent.parent_op()
        for parent, child in reversed(path):
            self._enter(parent, child, instance, shared or {})
        if for_inits:
            self._require_nothing(_inits(op), instance)
        return instance

    def inside(self, instance: Instance, block: BlockOp, op: Operation) -> Instance:
        """An execution of ``op``, which is in the body of ``block``. ``instance`` gives the
        variables of ``block``; the loops in between get new coordinates.
        """
        inner = instance.copy()
        inner.init_of = init_around(op)
        path: list[tuple[Operation, Operation]] = []
        child, parent = op, op.parent_op()
        while parent is not block:
            assert parent is not None
            path.append((parent, child))
            child, parent = parent, parent.parent_op()
        for parent, child in reversed(path):
            self._enter(parent, child, inner, {})
        return inner

    def _enter(
        self, parent: Operation, child: Operation, instance: Instance, shared: Mapping[ForOp, Term]
    ) -> None:
        if isinstance(parent, ForOp):
            self.enter_loop(parent, instance, shared.get(parent))
        elif isinstance(parent, IfOp):
            condition = self.condition(parent.condition.data, parent.operands_of_set, instance)
            holds = child.parent_region() is parent.then
            instance.constraints.append(condition if holds else ~condition)
        elif isinstance(parent, scf.IfOp) and (condition := self._truth(parent.cond, instance)):
            holds = child.parent_region() is parent.true_region
            instance.constraints.append(condition if holds else ~condition)
        elif isinstance(parent, BlockOp):
            block = child.parent
            assert block is not None
            self._enter_block(parent, block, instance)
        else:
            instance.opaque.append(Undecided(f"{parent.name} is not understood"))
            if not isinstance(parent, RUN_ONCE):
                instance.repeats.append(parent)

    def _truth(self, value: SSAValue, instance: Instance) -> Condition | None:
        """The condition under which a computed i1 is true; None if the condition is not affine."""
        index = IndexValues()
        for holds in (True, False):
            parts = conjunction(value, index, holds=holds)
            if parts is not None:
                condition = self.condition(*index.to_set(parts), instance)
                return condition if holds else ~condition
        return None

    def enter_loop(self, loop: ForOp, instance: Instance, shared: Term | None = None) -> None:
        """Place ``instance`` in an iteration of ``loop``."""
        at = shared if shared is not None else self.dim(instance)
        axis = self.axis(loop)
        if axis is not None:
            for outer, outer_at in instance.loops.items():
                if is_same_axis(self.axis(outer), axis):
                    instance.constraints.append(
                        at.equals(outer_at)
                    )  # each thread runs its own iteration
        instance.loops[loop] = at
        instance.values[loop.var] = at
        init_of = instance.init_of
        # The init of an empty reduction runs once: see _require_nothing.
        initialises = (init_of is not None and _carries(loop, init_of)) or (
            instance.for_inits and any(_carries(loop, block) for block in _inits(instance.op))
        )
        if loop.static_extent == 0 and not initialises:
            instance.empty.append(loop)
        size = self.size(loop.extent_value, instance)
        runs = at.within(size)
        if loop.static_extent is None and initialises:
            runs = any_of([runs, all_of([at.equals(0), size <= 0])])
        instance.constraints.append(runs)

    def _require_nothing(self, initialised: Sequence[BlockOp], instance: Instance) -> None:
        """Require that a loop of the reduction of a block in ``initialised`` is empty only if this
        reduction, or another reduction of the loop, is empty.
        """
        for loop, at in instance.loops.items():
            carried = [block for block in initialised if _carries(loop, block)]
            sizes = [size for block in carried for size in reduce_extents(block)]
            extent = loop.extent_value
            if not carried or 0 in sizes or extent in sizes or isinstance(extent, int) and extent:
                continue
            computed = [value for value in sizes if not isinstance(value, int)]
            if any(defined_inside(value, instance.op) for value in computed):
                continue  # the extent is computed later
            nothing = [self.size(value, instance) <= 0 for value in computed]
            if not isinstance(extent, int):
                nothing.append(at.within(self.size(extent, instance)))
            elif not nothing:
                instance.empty.append(loop)
            if nothing:
                instance.constraints.append(any_of(nothing))

    def axis(self, loop: ForOp) -> str | None:
        """The thread axis of ``loop``; None if the loop is not bound."""
        return self.bound.get(loop, loop.axis)

    def _enter_block(self, block: BlockOp, body: Block, instance: Instance) -> None:
        in_init = body is not block.body.block
        if in_init and block is instance.init_of:
            self._require_nothing([block], instance)
        iters = zip(block.types, block.extents, block.binding_exprs, strict=True)
        operands = block.binding_operands
        for n, (kind, extent, expr) in enumerate(iters):
            is_reduced = kind is IterType.REDUCE
            if is_reduced and block.has_init and extent == 0:
                # The initial value exists, whatever value an iteration would bind to the variable.
                instance.values[body.args[n]] = ZERO_TERM
                continue
            value = self.expr(expr, operands, instance)
            size = self.size(extent, instance)
            if in_init and is_reduced:
                instance.values[body.args[n]] = ZERO_TERM
                # An empty loop has no first iteration to define the binding.
                loops = [
                    loop
                    for dim in expr.used_dims()
                    if isinstance(operands[dim].owner, Block)
                    and isinstance(loop := operands[dim].owner.parent_op(), ForOp)
                ]
                if all(loop.static_extent != 0 for loop in loops):
                    empty = [
                        self.size(loop.extent_value, instance) <= 0
                        for loop in loops
                        if loop.static_extent is None
                    ]
                    starts = any_of([value.equals(0), size <= 0, *empty])
                    instance.constraints.append(starts)
                continue
            instance.values[body.args[n]] = value
            instance.constraints.append(value.within(size))
        instance.constraints.append(self._runs(block, instance, in_init=in_init))

    def _runs(self, block: BlockOp, instance: Instance, *, in_init: bool) -> Condition:
        """The condition that the predicate of a block holds. For the init of an empty reduction,
        constraints on the missing terms are dropped.
        """
        predicate, operands = block.predicate.data, block.predicate_operands
        sizes = reduce_extents(block)
        if not in_init or all(isinstance(size, int) and size > 0 for size in sizes):
            return self.condition(predicate, operands, instance)
        of_nothing = known_of_nothing(block, operands)
        parts: list[Condition] = []
        for constraint in predicate.constraints:
            alone = AffineSet(predicate.num_dims, predicate.num_symbols, (constraint,))
            holds = self.condition(alone, operands, instance)
            if all(of_nothing[used] for used in constraint.lhs.used_dims()):
                parts.append(holds)
            elif 0 not in sizes:
                empty = (
                    self.size(size, instance) <= 0 for size in sizes if not isinstance(size, int)
                )
                parts.append(any_of([holds, *empty]))
        return all_of(parts)

    def dim(self, instance: Instance) -> Term:
        """Add a coordinate to ``instance``."""
        name = f"{instance.tag}_{len(instance.dims)}"
        instance.dims.append(name)
        return dim(name)

    def element(self, op: LoadOp | StoreOp | ViewOp, instance: Instance) -> list[Term]:
        """The indices of an access in its execution ``instance``.

        For a vector, the element is in any of its lanes, numbered by a new coordinate of
        ``instance``; for a view, the element is any element of the viewed box.
        """
        element = [
            self.expr(expr, op.operands_of_map, instance) for expr in op.indices.data.results
        ]
        if isinstance(op, ViewOp):
            for position, size in zip(op.positions, op.result.type.get_shape(), strict=True):  # pyright: ignore[reportAttributeAccessIssue]
                inside = self.dim(instance)
                instance.constraints.append(inside.within(size))
                element[position] += inside
            return element
        type_ = op.result.type if isinstance(op, LoadOp) else op.value.type
        if isinstance(type_, VectorType):
            lane = self.dim(instance)
            instance.constraints.append(lane.within(type_.get_shape()[-1]))
            element[-1] += lane
        return element

    def in_bounds(
        self, op: LoadOp | StoreOp | ViewOp, element: Sequence[Term], instance: Instance
    ) -> list[Condition]:
        """The conditions that an access stays inside its buffer, as every access must."""
        type_ = op.buffer.type
        assert isinstance(type_, MemRefType)
        owner = op.buffer.owner
        sizes: list[int | SSAValue | None] = []
        dynamic = iter(owner.dynamic_sizes if isinstance(owner, AllocOp) else ())
        for size in type_.get_shape():
            sizes.append(next(dynamic, None) if size == DYNAMIC else size)
        facts = [index >= 0 for index in element]
        for index, size in zip(element, sizes, strict=True):
            if size is not None:
                facts.append(index < self.buffer_size(size, instance))
        return facts

    # Values --------------------------------------------------------------------------------

    def size(self, extent: int | SSAValue, instance: Instance) -> Term:
        """An extent as a term. A constant 0 counts as 1, as an empty reduction stores its initial
        value.
        """
        return number(max(extent, 1)) if isinstance(extent, int) else self.value(extent, instance)

    def buffer_size(self, size: int | SSAValue, instance: Instance) -> Term:
        """A size of a buffer as a term; it may be 0."""
        return number(size) if isinstance(size, int) else self.value(size, instance)

    def expr(self, expr: AffineExpr, operands: Sequence[SSAValue], instance: Instance) -> Term:
        """An affine expression over ``operands`` as a term."""
        return self._reader(instance).expr(expr, operands)

    def condition(
        self, condition: AffineSet, operands: Sequence[SSAValue], instance: Instance
    ) -> Condition:
        """A conjunction over ``operands`` as a condition."""
        return self._reader(instance).condition(condition, operands)

    def value(self, value: SSAValue, instance: Instance) -> Term:
        """An index value as a term."""
        return self._reader(instance).read(value)

    def _reader(self, instance: Instance) -> TermReader:
        def leaf(value: SSAValue) -> Term:
            if _is_invariant(value):
                return self._parameter(value)
            key = self._content(value, instance)
            content = self._contents.get(key) if key is not None else None
            if content is not None:
                return content
            term = self._opaque(f"{value.name_hint or 'an index'} is not affine", instance)
            # The new coordinate belongs to the instance that owns the coordinates of the index.
            used = {atom for part in key or () if isinstance(part, Term) for atom in part.atoms}
            if key is not None and used.issubset(instance.dims) and not instance.is_copy:
                self._contents[key] = term
            return term

        return TermReader(instance.values, leaf, lambda reason: self._opaque(reason, instance))

    def _content(self, value: SSAValue, instance: Instance) -> tuple[object, ...] | None:
        """A key for the element of an input that ``value`` loads, if nothing writes that input;
        else None.

        Instances that share the loops of the index have equal keys, and therefore equal values.
        """
        op = value.owner
        if not isinstance(op, Operation) or op.regions or len(op.results) != 1:
            return None
        if isinstance(op, LoadOp):
            buffer = op.buffer
            if not isinstance(buffer.owner, Block) or any(
                not isinstance(use.operation, LoadOp) for use in buffer.uses
            ):
                return None
            index = [
                self.expr(expr, op.operands_of_map, instance) for expr in op.indices.data.results
            ]
            # Without a loop coordinate, the index might belong to an instance that a question
            # omits.
            loops = {atom for at in instance.loops.values() for atom in at.atoms}
            if not any(loops.intersection(term.atoms) for term in index):
                return None
            return (op.name, buffer, *index)
        if len(op.operands) == 1 and not has_effects(op):
            source = self._content(op.operands[0], instance)
            attributes = *op.properties.items(), *op.attributes.items(), *op.result_types
            return None if source is None else (op.name, *attributes, *source)
        return None

    def _parameter(self, value: SSAValue) -> Term:
        owner = value.owner
        key = self._keys.get(value)
        if key is None:
            name = value.name_hint or "value"
            if isinstance(owner, SymbolOp):
                key = name = owner.symbol.data
            else:
                key = f"{name} #{len(self._keys)}"
                if isinstance(value, OpResult) and not has_effects(value.op):
                    # Equal computations give equal values.
                    op = value.op
                    operands = [self._parameter(operand) for operand in op.operands]
                    attributes = *op.properties.items(), *op.attributes.items()
                    same = (op.name, value.index, *operands, *attributes)
                    key = self._computed.setdefault(same, key)
            self._keys[value] = key
            if key not in self.parameters:
                name = self.parameters[key] = f"p{len(self.parameters)}"
                if is_array_size(value):
                    self.facts.append(dim(name) >= 0)
        return dim(self.parameters[key])

    def _opaque(self, reason: str, instance: Instance) -> Term:
        instance.opaque.append(Undecided(reason))
        return self.dim(instance)

    # Order ---------------------------------------------------------------------------------

    def before(self, first: Instance, second: Instance) -> Condition:
        """The condition that ``first`` always runs before ``second``, in any order of the
        threads.
        """
        return self._ordered(first, second, may=False)

    def may_precede(self, first: Instance, second: Instance) -> Condition:
        """The condition that ``first`` may run before ``second``.

        Iterations of a parallel or vectorized loop, and thread blocks, run in any order; the
        threads of a block run in lockstep. Two executions in an ``scf.while`` run in any order,
        too, as its iterations have no coordinates.
        """
        return self._ordered(first, second, may=True)

    def _ordered(self, first: Instance, second: Instance, *, may: bool) -> Condition:
        common = [loop for loop in first.loops if loop in second.loops]
        cases: list[Condition] = []
        same: list[Condition] = []
        apart: list[Condition] = []
        repeats = self._repeats(first, second) if may else []
        for loop in common:
            lhs, rhs = first.loops[loop], second.loops[loop]
            while repeats and is_inside(loop, repeats[0]):
                repeats.pop(0)
                cases.append(all_of(same))
            if lhs == rhs:
                continue  # shared coordinate: the same iteration
            axis = self.axis(loop)
            if is_in_lockstep(axis) and not _combines(loop, first.op, second.op):
                apart.append(lhs.differs(rhs))
                continue
            if axis is None and not is_unordered(loop):
                cases.append(all_of([*same, lhs < rhs]))
            elif may:
                cases.append(all_of([*same, lhs.differs(rhs)]))
            same.append(lhs.equals(rhs))
        if repeats:
            cases.append(all_of(same))
        starts = first.at_start and is_inside(second.op, first.op)
        if starts or is_before(first.op, second.op):
            cases.append(all_of(same))
        if may and apart and first.op is second.op:
            cases.append(all_of([*same, any_of(apart)]))
        return any_of(cases)

    def _repeats(self, first: Instance, second: Instance) -> list[Operation]:
        """The repeated operations around both instances that may be in different iterations,
        outermost first. Operations around a loop whose iteration both instances share are excluded,
        and so are operations around :attr:`within`.
        """
        shared = [loop for loop, at in first.loops.items() if second.loops.get(loop) == at]
        fixed = [*shared, self.within] if self.within is not None else shared
        return [
            op
            for op in first.repeats
            if op in second.repeats
            and not any(inner is not op and is_inside(inner, op) for inner in fixed)
        ]

    def same_buffer(self, buffer: SSAValue, first: Instance, second: Instance) -> list[Condition]:
        """The conditions that two instances use the same allocation of ``buffer``."""
        return [
            at.equals(second.loops[loop])
            for loop, at in first.loops.items()
            if loop in second.loops
            and _inside(buffer, loop)
            and not is_shared(memory_scope(buffer), self.axis(loop))
        ]

    # Questions -----------------------------------------------------------------------------

    def find(
        self,
        instances: Sequence[Instance],
        constraints: Iterable[Condition],
        extra_dims: Sequence[Term] = (),
        missing: Sequence[Supply] = (),
    ) -> Witness | None:
        """A point of all ``instances`` at which ``constraints`` hold and no supply in ``missing``
        provides the element ``extra_dims``. None if no such point exists.

        Instances of one loop share its coordinate if their ``loops`` do.
        """
        names: dict[str, None] = {}
        for instance in instances:
            for at in instance.loops.values():
                names.update(dict.fromkeys(at.names()))
            names.update(dict.fromkeys(instance.dims))
        for extra in extra_dims:
            names.update(dict.fromkeys(extra.names()))
        parts = [part for instance in instances for part in instance.constraints]
        parts += [*constraints, *self.facts]
        undecided = [reason for instance in instances for reason in instance.opaque]
        never = {loop for instance in instances for loop in instance.empty}
        for supply in missing:
            if not never.issuperset(supply.instance.empty):
                # there is no such instance; an init runs although a loop around it is empty
                continue
            if supply.instance.opaque:
                undecided += supply.instance.opaque
                continue
            inner = [*supply.instance.constraints, *supply.constraints]
            inner += equal(extra_dims, supply.element)
            bound = [name for name in supply.instance.dims if name not in names]
            parts.append(~exists(bound, all_of(inner)))
        answer = first_point(all_of(parts), list(names), list(self.parameters.values()))
        if answer is None:
            return None
        if isinstance(answer, Undecided):
            undecided, answer = [answer], {}
        reason = undecided[0] if undecided else None
        if reason is not None and is_trusted(reason):
            return None
        return Witness(answer, reason)

    def uncovered(
        self,
        demand: Instance,
        element: Sequence[Term],
        supplies: Sequence[Supply],
        constraints: Iterable[Condition] = (),
    ) -> Witness | None:
        """An element that ``demand`` touches and no supply provides; its indices are those of
        :func:`touched`. None if every element is provided.
        """
        names = touched(len(element))
        return self.find([demand], [*equal(names, element), *constraints], names, supplies)

    def sizes(self, witness: Witness) -> dict[str, int]:
        """The symbolic sizes at a witness, by name."""
        return {
            name.partition(" #")[0]: witness.point[parameter]
            for name, parameter in self.parameters.items()
            if parameter in witness.point
        }


def touched(rank: int) -> list[Term]:
    """The names of the indices of the element of a question."""
    return [dim(f"e{n}") for n in range(rank)]


def init_around(op: Operation) -> BlockOp | None:
    """The innermost block whose init contains ``op``; None if ``op`` is in no init."""
    region, parent = op.parent_region(), op.parent_op()
    while parent is not None:
        if isinstance(parent, BlockOp) and parent.has_init and region is parent.init:
            return parent
        region, parent = parent.parent_region(), parent.parent_op()
    return None


def _inits(op: Operation) -> list[BlockOp]:
    """The blocks with an init in ``op``, including ``op`` itself."""
    return [block for block in blocks(op) if block.has_init]


def _carries(loop: ForOp, block: BlockOp) -> bool:
    """True if ``loop`` contains ``block`` and belongs to its reduction."""
    return is_inside(block, loop) and IterType.REDUCE in iter_types(loop, block)


def is_unordered(loop: ForOp) -> bool:
    """True if the iterations of ``loop`` run in any order."""
    return loop.kind.data in UNORDERED or loop.axis in BLOCK_AXES


def _combines(loop: ForOp, first: Operation, second: Operation) -> bool:
    """True if both ops belong to one reduction over the threads of ``loop``. Such threads combine
    their values one after the other, not in lockstep.
    """
    op: Operation | None = first
    while op is not None and op is not loop:
        if isinstance(op, BlockOp) and is_inside(second, op):
            return IterType.REDUCE in iter_types(loop, op)
        op = op.parent_op()
    return False


def is_before(first: Operation, second: Operation) -> bool:
    """True if ``first`` precedes ``second`` in the text and neither contains the other."""
    above = [first]
    while (parent := above[-1].parent_op()) is not None:
        above.append(parent)
    outer: Operation | None = second
    below: Operation | None = None
    while outer is not None and outer not in above:
        below, outer = outer, outer.parent_op()
    if outer is None or below is None or outer is first:
        return False
    mine = above[above.index(outer) - 1]
    if mine.parent is below.parent:
        return mine.is_before_in_block(below)
    regions = list(outer.regions)
    mine_region, below_region = mine.parent_region(), below.parent_region()
    assert mine_region is not None
    assert below_region is not None
    return regions.index(mine_region) < regions.index(below_region)


def _inside(value: SSAValue, loop: ForOp) -> bool:
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    while block is not None:
        parent = block.parent_op()
        if parent is loop:
            return True
        block = parent.parent if parent is not None else None
    return False


def _runs_once(op: Operation) -> bool:
    """True if ``op`` is at the top level of a function without branches."""
    home = op.parent_op()
    return isinstance(home, FuncOp) and len(home.body.blocks) == 1


def _is_invariant(value: SSAValue) -> bool:
    """True if ``value`` is the same in every iteration of every loop."""
    if isinstance(value, BlockArgument):
        return isinstance(value.block.parent_op(), FuncOp)
    owner = value.owner
    if isinstance(owner, Operation) and _runs_once(owner):
        return True
    if isinstance(owner, LoadOp) or not isinstance(owner, Operation) or owner.regions:
        return False
    return all(_is_invariant(operand) for operand in owner.operands)
