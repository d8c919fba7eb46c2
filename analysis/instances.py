"""Executions of loads, stores and blocks as isl sets: what is covered, and what runs in between.

An :class:`Instance` is one execution of an op, with every loop around it, up to the function, as a
coordinate. Questions are about several instances at once: is there a read that no write covers, is
there a write between two executions? No point is a proof; a point is a witness, unless something
that is not affine takes part, in which case the answer is undecided.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineConstraintKind, AffineExpr, AffineSet

from kc.analysis.array_sizes import is_array_size
from kc.analysis.conditions import conjunction
from kc.analysis.index_values import IndexValues
from kc.analysis.isl import expr_text, first_point
from kc.analysis.loop_tree import has_effects, is_inside, iter_types, memory_scope
from kc.analysis.trust import is_trusted
from kc.dialects.tir import (
    DYNAMIC,
    AllocOp,
    ApplyOp,
    BlockOp,
    DelinearizeOp,
    ForKind,
    ForOp,
    IfOp,
    IterType,
    LinearizeOp,
    LoadOp,
    StoreOp,
    SymbolOp,
)
from kc.dialects.tir.threads import BLOCK_AXES, is_in_lockstep, is_same_axis, is_shared

UNORDERED = (ForKind.PARALLEL, ForKind.VECTORIZED)
"""The kinds of loops whose iterations come in any order."""


@dataclass(frozen=True)
class Witness:
    """A point of a set that should be empty, or the reason why that is not decided."""

    point: Mapping[str, int]
    undecided: str | None

    def __getitem__(self, name: str) -> int:
        return self.point[name]


@dataclass(eq=False)
class Instance:
    """One execution of ``op`` as isl text over ``dims``."""

    op: Operation
    tag: str
    loops: dict[ForOp, str] = field(default_factory=dict)
    """The coordinate of each loop around ``op``, outermost first."""
    dims: list[str] = field(default_factory=list)
    """The coordinates that are its own (not shared with another instance)."""
    constraints: list[str] = field(default_factory=list)
    opaque: list[str] = field(default_factory=list)
    """Why ``dims`` and ``constraints`` may describe more than there is."""
    values: dict[SSAValue, str] = field(default_factory=dict)
    empty: list[ForOp] = field(default_factory=list)
    """The loops around ``op`` that have no iteration, so that it is never executed; ``dims`` and
    ``constraints`` tell of one."""
    at_start: bool = False
    """Whether it is the time before all that is in ``op``."""

    def at(self, witness: Witness) -> str:
        """The loops around ``op`` at a witness: `` at (i=1, j=0)``, nothing without loops."""
        found = [f"{loop.label}={witness[dim]}" for loop, dim in self.loops.items()]
        return f" at ({', '.join(found)})" if found else ""


@dataclass(frozen=True)
class Supply:
    """Elements that are there: those of ``instance`` where also ``constraints`` hold."""

    instance: Instance
    element: Sequence[str]
    constraints: Sequence[str] = ()


class Space:
    """What the instances of one question share: the symbolic sizes, as parameters.

    ``bound`` loops are taken to be bound to the axes given there.
    """

    def __init__(self, bound: Mapping[ForOp, str] | None = None) -> None:
        self.bound = bound or {}
        self.parameters: dict[str, str] = {}
        self.facts: list[str] = []
        self._keys: dict[SSAValue, str] = {}
        self._computed: dict[tuple[object, ...], str] = {}
        self._fresh = 0

    # Instances -----------------------------------------------------------------------------

    def instance(self, op: Operation, shared: Mapping[ForOp, str] | None = None) -> Instance:
        """An execution of ``op``; loops in ``shared`` have the coordinate given there."""
        made = self.place(op, shared)
        if isinstance(op, BlockOp):
            self._enter_block(op, op.body.block, made)
            if op.has_init:
                for twin, arg in zip(op.init.block.args, op.body.block.args, strict=True):
                    made.values[twin] = made.values[arg]
        return made

    def place(self, op: Operation, shared: Mapping[ForOp, str] | None = None) -> Instance:
        """A time at which control comes to ``op``, before anything of ``op`` is executed."""
        self._fresh += 1
        made = Instance(op, f"q{self._fresh}")
        path: list[tuple[Operation, Operation]] = []
        child, parent = op, op.parent_op()
        while parent is not None and not isinstance(parent, FuncOp):
            path.append((parent, child))
            child, parent = parent, parent.parent_op()
        for parent, child in reversed(path):
            self._enter(parent, child, made, shared or {})
        return made

    def _enter(
        self, parent: Operation, child: Operation, made: Instance, shared: Mapping[ForOp, str]
    ) -> None:
        if isinstance(parent, ForOp):
            self.enter_loop(parent, made, shared.get(parent))
        elif isinstance(parent, IfOp):
            text = self.condition(parent.condition.data, parent.operands_of_set, made)
            holds = child.parent_region() is parent.then
            made.constraints.append(f"({text})" if holds else f"not ({text})")
        elif isinstance(parent, scf.IfOp) and (text := self._truth(parent.cond, made)):
            holds = child.parent_region() is parent.true_region
            made.constraints.append(f"({text})" if holds else f"not ({text})")
        elif isinstance(parent, BlockOp):
            block = child.parent
            assert block is not None
            self._enter_block(parent, block, made)
        else:
            made.opaque.append(f"{parent.name} is not understood")

    def _truth(self, condition: SSAValue, made: Instance) -> str | None:
        """A computed condition as isl text, if it is affine."""
        index = IndexValues()
        for holds, form in ((True, "({})"), (False, "not ({})")):
            found = conjunction(condition, index, holds=holds)
            if found is not None:
                return form.format(self.condition(*index.to_set(found), made))
        return None

    def enter_loop(self, loop: ForOp, made: Instance, shared: str | None = None) -> None:
        """Put ``made`` into an iteration of ``loop``."""
        dim = shared if shared is not None else self.dim(made)
        for outer, other in made.loops.items():
            if is_same_axis(self.axis(outer), self.axis(loop)):
                made.constraints.append(f"{dim} = {other}")  # each thread runs its own iteration
        made.loops[loop] = dim
        made.values[loop.var] = dim
        if loop.static_extent == 0 and not _initialises(made.op, loop):
            made.empty.append(loop)
        made.constraints.append(f"0 <= {dim} and {dim} < {self.size(loop.extent_value, made)}")

    def axis(self, loop: ForOp) -> str | None:
        """The thread axis of a loop."""
        return self.bound.get(loop, loop.axis)

    def _enter_block(self, block: BlockOp, body: Block, made: Instance) -> None:
        in_init = body is not block.body.block
        for n, expr in enumerate(block.binding_exprs):
            is_reduced = block.types[n] is IterType.REDUCE
            if is_reduced and block.has_init and block.extents[n] == 0:
                # There is an initial value, whatever an iteration would bind the variable to.
                made.values[body.args[n]] = "0"
                continue
            text = self.expr(expr, block.binding_operands, made)
            made.values[body.args[n]] = text
            extent = self.size(block.extents[n], made)
            made.constraints.append(f"0 <= {text} and {text} < {extent}")
            if in_init and is_reduced:
                made.constraints.append(f"{text} = 0")
        text = self.condition(block.predicate.data, block.predicate_operands, made)
        made.constraints.append(text)

    def dim(self, made: Instance) -> str:
        """A new coordinate of ``made``."""
        name = f"{made.tag}_{len(made.dims)}"
        made.dims.append(name)
        return name

    def element(self, op: LoadOp | StoreOp, made: Instance) -> list[str]:
        """The indices of an access, where ``made`` is an execution of it.

        Those of a vector are of any of its lanes, which is a new coordinate of ``made``.
        """
        found = [self.expr(one, op.operands_of_map, made) for one in op.indices.data.results]
        type_ = op.result.type if isinstance(op, LoadOp) else op.value.type
        if isinstance(type_, VectorType):
            lane = self.dim(made)
            made.constraints.append(f"0 <= {lane} and {lane} < {type_.get_shape()[-1]}")
            found[-1] = f"({found[-1]} + {lane})"
        return found

    def in_bounds(self, op: LoadOp | StoreOp, element: Sequence[str], made: Instance) -> list[str]:
        """That an access stays inside its buffer, as every access does."""
        type_ = op.buffer.type
        assert isinstance(type_, MemRefType)
        owner = op.buffer.owner
        sizes: list[int | SSAValue | None] = []
        dynamic = iter(owner.dynamic_sizes if isinstance(owner, AllocOp) else ())
        for size in type_.get_shape():
            sizes.append(next(dynamic, None) if size == DYNAMIC else size)
        facts = [f"0 <= {one}" for one in element]
        for one, size in zip(element, sizes, strict=True):
            if size is not None:
                facts.append(f"{one} < {self.size(size, made)}")
        return facts

    # Text ----------------------------------------------------------------------------------

    def size(self, extent: int | SSAValue, made: Instance) -> str:
        """An extent as isl text; 0 counts as 1, as an empty reduction stores its initial value."""
        return str(max(extent, 1)) if isinstance(extent, int) else self.value(extent, made)

    def expr(self, expr: AffineExpr, operands: Sequence[SSAValue], made: Instance) -> str:
        """An affine expression over ``operands`` as isl text."""
        return expr_text(
            expr,
            lambda n: self.value(operands[n], made),
            lambda: self._opaque("an index is not affine", made),
        )

    def condition(self, condition: AffineSet, operands: Sequence[SSAValue], made: Instance) -> str:
        """A conjunction over ``operands`` as isl text."""
        parts = ["1 = 1"] if not condition.constraints else []
        for one in condition.constraints:
            sign = "=" if one.kind is AffineConstraintKind.eq else one.kind.value
            lhs, rhs = self.expr(one.lhs, operands, made), self.expr(one.rhs, operands, made)
            parts.append(f"{lhs} {sign} {rhs}")
        return " and ".join(parts)

    def value(self, value: SSAValue, made: Instance) -> str:
        """An index value as isl text."""
        known = made.values.get(value)
        if known is None:
            known = made.values[value] = self._compute(value, made)
        return known

    def _compute(self, value: SSAValue, made: Instance) -> str:
        owner = value.owner
        if isinstance(owner, ApplyOp):
            return self.expr(owner.expr, owner.operands_of_map, made)
        if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
            return str(owner.value.value.data)
        if isinstance(owner, arith.AddiOp | arith.SubiOp):
            sign = "+" if isinstance(owner, arith.AddiOp) else "-"
            return f"({self.value(owner.lhs, made)} {sign} {self.value(owner.rhs, made)})"
        if isinstance(owner, arith.MinSIOp | arith.MaxSIOp):
            which = "min" if isinstance(owner, arith.MinSIOp) else "max"
            return f"{which}({self.value(owner.lhs, made)}, {self.value(owner.rhs, made)})"
        if isinstance(owner, LinearizeOp):
            sizes = [self._constant(one) for one in owner.sizes[1:]]
            if None not in sizes:
                text = self.value(owner.indices[0], made)
                for index, size in zip(owner.indices[1:], sizes, strict=True):
                    text = f"({text} * {size} + {self.value(index, made)})"
                return text
        if isinstance(owner, DelinearizeOp):
            sizes = [self._constant(one) for one in owner.sizes[1:]]
            if None not in sizes:
                text = self.value(owner.index, made)
                for result, size in zip(reversed(owner.indices[1:]), reversed(sizes), strict=True):
                    made.values[result] = f"(({text}) mod {size})"
                    text = f"floor(({text})/{size})"
                made.values[owner.indices[0]] = text
                return made.values[value]
        if _is_invariant(value):
            return self._parameter(value)
        return self._opaque(f"{value.name_hint or 'an index'} is not affine", made)

    def _constant(self, value: SSAValue) -> int | None:
        owner = value.owner
        if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
            return owner.value.value.data if owner.value.value.data > 0 else None
        return None

    def _parameter(self, value: SSAValue) -> str:
        owner = value.owner
        key = self._keys.get(value)
        if key is None:
            name = value.name_hint or "value"
            if isinstance(owner, SymbolOp):
                key = name = owner.symbol.data
            else:
                key = f"{name} #{len(self._keys)}"
                if isinstance(value, OpResult) and not has_effects(value.op):
                    # The same computation gives the same value.
                    op = value.op
                    operands = [self._parameter(one) for one in op.operands]
                    attributes = *op.properties.items(), *op.attributes.items()
                    same = (op.name, value.index, *operands, *attributes)
                    key = self._computed.setdefault(same, key)
            self._keys[value] = key
            if key not in self.parameters:
                text = self.parameters[key] = f"p{len(self.parameters)}"
                if is_array_size(value):
                    self.facts.append(f"{text} >= 0")
        return self.parameters[key]

    def _opaque(self, reason: str, made: Instance) -> str:
        made.opaque.append(reason)
        return self.dim(made)

    # Order ---------------------------------------------------------------------------------

    def before(self, first: Instance, second: Instance) -> str:
        """That ``first`` is executed before ``second`` whatever the threads do, as isl text."""
        return self._ordered(first, second, may=False)

    def may_precede(self, first: Instance, second: Instance) -> str:
        """That ``first`` may be executed before ``second``, as isl text.

        Different iterations of a parallel or vectorized loop, and blocks of threads, come in any
        order; the threads of a block are in lockstep.
        """
        return self._ordered(first, second, may=True)

    def _ordered(self, first: Instance, second: Instance, *, may: bool) -> str:
        common = [loop for loop in first.loops if loop in second.loops]
        cases: list[str] = []
        same: list[str] = []
        apart: list[str] = []
        for loop in common:
            lhs, rhs = first.loops[loop], second.loops[loop]
            if lhs == rhs:
                continue  # shared: one iteration
            axis = self.axis(loop)
            if is_in_lockstep(axis) and not _combines(loop, first.op, second.op):
                apart.append(f"{lhs} != {rhs}")
                continue
            if axis is None and not is_unordered(loop):
                cases.append(" and ".join([*same, f"{lhs} < {rhs}"]))
            elif may:
                cases.append(" and ".join([*same, f"{lhs} != {rhs}"]))
            same.append(f"{lhs} = {rhs}")
        starts = first.at_start and is_inside(second.op, first.op)
        if starts or is_before(first.op, second.op):
            cases.append(" and ".join(same) or "1 = 1")
        if may and apart and first.op is second.op:
            cases.append(" and ".join([*same, f"({' or '.join(apart)})"]))
        return " or ".join(f"({one})" for one in cases) or "1 = 0"

    def same_buffer(self, buffer: SSAValue, first: Instance, second: Instance) -> list[str]:
        """That two instances use the same allocation of ``buffer``."""
        return [
            f"{dim} = {second.loops[loop]}"
            for loop, dim in first.loops.items()
            if loop in second.loops
            and _inside(buffer, loop)
            and not is_shared(memory_scope(buffer), self.axis(loop))
        ]

    # Questions -----------------------------------------------------------------------------

    def find(
        self,
        instances: Sequence[Instance],
        constraints: Iterable[str],
        extra_dims: Sequence[str] = (),
        missing: Sequence[Supply] = (),
    ) -> Witness | None:
        """A point of all ``instances`` where ``constraints`` hold, and none of ``missing`` does.

        The elements of ``missing`` are compared with ``extra_dims``. Shared coordinates are
        those of the instances' loops.
        """
        names: dict[str, None] = {}
        for one in instances:
            names.update(dict.fromkeys(one.loops.values()))
            names.update(dict.fromkeys(one.dims))
        names.update(dict.fromkeys(extra_dims))
        parts = [text for one in instances for text in one.constraints]
        parts += [*constraints, *self.facts]
        undecided = [reason for one in instances for reason in one.opaque]
        absent: list[str] = []
        demanded = {loop for one in instances for loop in one.loops}
        for supply in missing:
            if not demanded.issuperset(supply.instance.empty):
                continue  # there is none
            if supply.instance.opaque:
                undecided += supply.instance.opaque
                continue
            inner = [*supply.instance.constraints, *supply.constraints]
            inner += [f"{x} = {y}" for x, y in zip(extra_dims, supply.element, strict=True)]
            body = " and ".join(f"({one})" for one in inner) or "1 = 1"
            bound = [one for one in supply.instance.dims if one not in names]
            absent.append(
                f"not (exists ({', '.join(bound)} : {body}))" if bound else f"not ({body})"
            )
        body = " and ".join([*(f"({one})" for one in parts), *absent]) or "1 = 1"
        parameters = list(self.parameters.values())
        text = f"[{', '.join(parameters)}] -> {{ [{', '.join(names)}] : {body} }}"
        found = first_point(text, [*parameters, *names])
        if found is None:
            return None
        if isinstance(found, str):
            undecided, found = [found], {}
        reason = undecided[0] if undecided else None
        if reason is not None and is_trusted(reason):
            return None
        return Witness(found, reason)

    def uncovered(
        self,
        demand: Instance,
        element: Sequence[str],
        supplies: Sequence[Supply],
        constraints: Iterable[str] = (),
    ) -> Witness | None:
        """An element that ``demand`` touches and no supply has; its indices are ``e0``, ..."""
        names = [f"e{n}" for n in range(len(element))]
        same = [f"{x} = {y}" for x, y in zip(names, element, strict=True)]
        return self.find([demand], [*same, *constraints], names, supplies)

    def sizes(self, witness: Witness) -> dict[str, int]:
        """The symbolic sizes at a witness."""
        return {
            name.partition(" #")[0]: witness[text]
            for name, text in self.parameters.items()
            if text in witness.point
        }


def _initialises(op: Operation, loop: ForOp) -> bool:
    """Whether ``op`` is in the init of a block whose reduction ``loop`` is of: that is executed
    once where the reduction is over nothing."""
    region, parent = op.parent_region(), op.parent_op()
    while parent is not None and parent is not loop:
        if isinstance(parent, BlockOp) and parent.has_init and region is parent.init:
            return IterType.REDUCE in iter_types(loop, parent)
        region, parent = parent.parent_region(), parent.parent_op()
    return False


def is_unordered(loop: ForOp) -> bool:
    """Whether the iterations of ``loop`` come in any order."""
    return loop.kind.data in UNORDERED or loop.axis in BLOCK_AXES


def _combines(loop: ForOp, first: Operation, second: Operation) -> bool:
    """Whether two ops are of one reduction over the threads of ``loop``, which are not in lockstep
    there: they combine their values one after the other."""
    op: Operation | None = first
    while op is not None and op is not loop:
        if isinstance(op, BlockOp) and is_inside(second, op):
            return IterType.REDUCE in iter_types(loop, op)
        op = op.parent_op()
    return False


def is_before(first: Operation, second: Operation) -> bool:
    """Whether ``first`` stands before ``second`` in the text, neither holding the other."""
    above = [first]
    while (parent := above[-1].parent_op()) is not None:
        above.append(parent)
    other: Operation | None = second
    below: Operation | None = None
    while other is not None and other not in above:
        below, other = other, other.parent_op()
    if other is None or below is None or other is first:
        return False
    mine = above[above.index(other) - 1]
    if mine.parent is below.parent:
        return mine.is_before_in_block(below)
    regions = list(other.regions)
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


def _is_invariant(value: SSAValue) -> bool:
    """Whether ``value`` is the same in every iteration of every loop."""
    if isinstance(value, BlockArgument):
        return isinstance(value.block.parent_op(), FuncOp)
    owner = value.owner
    if isinstance(owner, LoadOp) or not isinstance(owner, Operation) or owner.regions:
        return False
    return all(_is_invariant(one) for one in owner.operands)
