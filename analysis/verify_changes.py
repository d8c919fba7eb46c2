"""Incremental verification: checks the parts of a module that changed since the last verification.

It runs after each schedule primitive and pass. A visit costs about a microsecond an operation, and
calls a verifier only for changes:

* values: every operand is defined where it is used, and regions that are isolated from above use no
outer values (the rules of :mod:`kc.analysis.dominance`);
* operations that are new, or have changed operands, attributes or blocks, pass their own verifier
(types, ranks of accesses, requirements of traits). The verdict on an operation without regions
depends on its class, types and attributes only, so equal operations are verified once;
* blocks (``tir.block``) that changed, or are inside a changed loop: no iteration takes a block
variable out of its domain.

Functions of the llvm dialect are left to LLVM, which verifies everything that it reads. The record
of an operation is stored on the operation itself, and is discarded with it.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineConstantExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
)
from xdsl.traits import (
    HasAncestor,
    IsolatedFromAbove,
    SymbolOpInterface,
    SymbolUserOpInterface,
)

from kc.analysis.accesses.instances import Space
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.isl_sets import first_point
from kc.analysis.affine.simplify_affine import bounds, simplify
from kc.analysis.affine.terms import Condition, Term, all_of, dim, term_of
from kc.analysis.dominance import check_dominance
from kc.analysis.loop_tree import preorder
from kc.analysis.reductions.combiner_laws import require_laws_in
from kc.dialects.tir import BlockOp, ForOp, IterType
from kc.support.diagnostics import ParseError
from kc.support.ir_text import verify_module, verify_operation
from kc.support.locations import location_of

_LOCAL_DIALECTS = frozenset(("arith", "math", "memref", "scf", "tensor", "tir", "vector"))
"""Dialects whose verifiers look only at the op and the ends of its blocks, except where traits
require more.
"""
_LOCAL = frozenset(("func.func", "func.return", "builtin.module"))

_NOTE = "_kc_verified"
"""The attribute of an operation's Python object that holds its verification record."""
_NONE: dict[str, Attribute] = {}
"""The empty attributes of most operations, shared by their records."""

_MEMO_SIZE = 1 << 14
_VERIFIED: set[Any] = set()
"""Keys (class, types, attributes) of operations without regions that passed their verifiers."""


_Note = tuple[Any, Any, dict[str, Attribute], dict[str, Attribute], tuple[Any, ...]]
"""The state of an operation when it was verified; identical parts mean no change.

The parts are its operands and results (replaced as a whole when one changes), its properties and
attributes, and :func:`_ends`.
"""


def _is_before(first: Operation, second: Operation) -> bool:
    return first.is_before_in_block(second)


def verify_changes(
    root: Operation,
    within: Iterable[Operation] | None = None,
    is_before: Callable[[Operation, Operation], bool] = _is_before,
) -> None:
    """Verify the operations of ``root`` that are new or changed since the last call.

    Values from outside ``root`` count as defined. With ``within``, only these operations of the
    body are visited, unless ``root`` itself changed: the caller guarantees that the others did not
    change. ``is_before`` decides the order of two operations of the body, for callers that know the
    order without a traversal. Raises ParseError: KC1101 (an invalid operation), KC1201 (a value is
    used where its definition does not dominate) and KC1202 (a block variable leaves its domain).
    """
    _Visit(within, is_before).run(root)


def verify_all(module: Operation) -> None:
    """Verify a whole module: each operation, dominance, domains of blocks, laws of combiners.

    The module is recorded as verified. Raises ParseError like :func:`verify_changes`, and KC2046.
    """
    verify_module(module)
    check_dominance(module)
    require_laws_in(module)
    _Visit(None, are_verified=True).run(module)


def require_domains(root: Operation) -> None:
    """Refuse (ParseError KC1202) blocks below ``root`` whose variables leave their domains."""
    _check_domains([op for op in root.walk() if isinstance(op, BlockOp)])


_Frame = tuple[Operation | None, list[int], set[int], bool]
"""The state of the visit of a block.

The parts are the next operation; the values that the block has defined so far, which go out of
scope with it; all visible values; and True if a loop or block around it changed.
"""


class _Visit:
    def __init__(
        self,
        within: Iterable[Operation] | None,
        is_before: Callable[[Operation, Operation], bool] = _is_before,
        *,
        are_verified: bool = False,
    ) -> None:
        """``are_verified``: the verifiers of all operations were called before."""
        self.within = within
        self.is_before = is_before
        self.part: Operation | None = None
        """The operation of the root's body that is visited, if only some operations are visited."""
        self.are_verified = are_verified
        self.changed_blocks: list[BlockOp] = []
        self.has_control_flow = False

    def run(self, root: Operation) -> None:
        """Visit ``root`` and everything below it."""
        changed = _verify(root, self.are_verified)
        # Dominance among several blocks of a region, and messages, are left to the complete check.
        if self.within is not None and not changed and _has_one_block(root):
            are_visible = all(map(self._part, self.within))
        else:
            are_visible = self._whole(root, changed)
        if not are_visible or self.has_control_flow:
            check_dominance(root)
        if self.changed_blocks:
            _check_domains(self.changed_blocks)

    def _whole(self, root: Operation, changed: bool) -> bool:
        """Visit the whole body. True if every operand is visible at its use."""
        visible = set() if _kind(type(root)).is_isolated else _from_outside(root)
        frames: list[_Frame] = []
        self._enter(frames, root, visible, changed)
        return self._regions(frames)

    def _part(self, op: Operation) -> bool:
        """Visit one operation of the body. True if every operand is visible at its use."""
        self.part = op
        return self._regions([(op, [], set(), False)])

    def _is_known(self, value: SSAValue) -> bool:
        """True if a value is defined in the body before the operation that is visited."""
        part, owner = self.part, value.owner
        if part is None:
            return False
        if isinstance(owner, Block):
            return owner is part.parent
        return owner.parent is part.parent and owner is not part and self.is_before(owner, part)

    def _regions(self, frames: list[_Frame]) -> bool:
        """Visit all regions. True if every operand is visible at its use."""
        # Inlined for speed: most operations are unchanged and have at most one block.
        last = self.part
        partly_known = None if last is None else frames[0][2]
        """The values seen so far that are visible in the visited part."""
        while frames:
            op, defined, visible, changed = frames.pop()
            while op is not None:
                state = op.__dict__
                results = state["results"]
                operands = state["_operands"]
                for operand in operands:
                    if id(operand) not in visible:
                        if visible is not partly_known or not self._is_known(operand):
                            return False
                        visible.add(id(operand))
                regions = state["regions"]
                first: Any = None
                """The block of an operation that has a single block."""
                blocks: tuple[Any, ...] = ()
                is_isolated = False
                if regions:
                    kind = _kind(type(op))
                    is_isolated = kind.is_isolated
                    if kind.is_llvm:
                        regions = ()
                    else:
                        first = regions[0]._first_block
                        if len(regions) == 1 and first is regions[0]._last_block is not None:
                            blocks = (first._args, first._last_op)
                        else:
                            first = None
                            blocks = _ends(op)
                note = (operands, results, state["properties"], state["attributes"], blocks)
                is_new = state.get(_NOTE) != note and _verify_new(op, blocks, self.are_verified)
                for result in results:
                    number = id(result)
                    defined.append(number)
                    visible.add(number)
                following = None if op is last else op._next_op  # pyright: ignore[reportPrivateUsage]
                if not regions:
                    op = following
                    continue
                if is_new or changed:
                    is_new = True
                    if isinstance(op, BlockOp):
                        self.changed_blocks.append(op)
                if first is None:
                    frames.append((following, defined, visible, changed))
                    self._enter(frames, op, set() if is_isolated else visible, is_new)
                    break
                if is_isolated or following is not None:
                    frames.append((following, defined, visible, changed))
                    defined = []
                    if is_isolated:
                        visible = set[int]()
                # Otherwise these values go out of scope with the enclosing block.
                for argument in blocks[0]:
                    number = id(argument)
                    defined.append(number)
                    visible.add(number)
                changed = is_new
                op = first._first_op
            else:
                visible.difference_update(defined)
        return True

    def _enter(
        self,
        frames: list[_Frame],
        op: Operation,
        visible: set[int],
        changed: bool,
    ) -> None:
        for region in op.regions:
            first = region._first_block  # pyright: ignore[reportPrivateUsage]
            if first is None:
                continue
            if first is region._last_block:  # pyright: ignore[reportPrivateUsage]
                arguments = [id(arg) for arg in first.args]
                visible.update(arguments)
                frames.append((first.first_op, arguments, visible, changed))
                continue
            self.has_control_flow = True
            around = visible.copy()
            for block in region.blocks:
                around.update(id(arg) for arg in block.args)
                around.update(id(value) for inner in block.ops for value in inner.results)
            frames += [(inner.first_op, [], around, changed) for inner in region.blocks]


def _has_one_block(root: Operation) -> bool:
    return len(root.regions) == 1 and len(root.regions[0].blocks) == 1


def _from_outside(root: Operation) -> set[int]:
    """The values used in ``root`` or its regions and defined outside of it."""
    inside: set[int] = set()
    used: set[int] = set()
    for op in root.walk():
        used.update(map(id, op.operands))
        inside.update(map(id, op.results))
        for region in op.regions:
            for block in region.blocks:
                inside.update(map(id, block.args))
    return used - inside


def _verify(op: Operation, is_verified: bool) -> bool:
    """Verify ``op`` unless its record is current. True if ``op`` was new or changed."""
    kind = _kind(type(op))
    if kind.is_llvm:
        return False
    blocks = _ends(op) if op.regions else ()
    if _holds(op.__dict__.get(_NOTE), op, blocks):
        return False
    return _verify_new(op, blocks, is_verified)


def _verify_new(op: Operation, blocks: tuple[Any, ...], is_verified: bool) -> bool:
    """Verify ``op``, whose record is not current, and record it. False for ops of llvm.

    With ``is_verified``, ``op`` is recorded without a call of its verifier.
    """
    kind = _kind(type(op))
    if kind.is_llvm:
        return False
    key = _key(op) if kind.is_local else None
    if key is None or key not in _VERIFIED:
        if not is_verified:
            verify_operation(op)
        if key is not None:
            if len(_VERIFIED) >= _MEMO_SIZE:
                _VERIFIED.clear()
            _VERIFIED.add(key)
    _note(op, blocks)
    return True


def _note(op: Any, blocks: tuple[Any, ...]) -> None:
    state = op.__dict__
    attributes = state["attributes"]
    state[_NOTE] = (
        state["_operands"],
        state["results"],
        state["properties"].copy(),
        attributes.copy() if attributes else _NONE,
        blocks,
    )


def _holds(note: _Note | None, op: Operation, blocks: tuple[Any, ...]) -> bool:
    """True if the record ``note`` of ``op`` is current."""
    return (
        note is not None
        and note[0] is op._operands  # pyright: ignore[reportPrivateUsage]
        and note[1] is op.results
        and note[2] == op.properties
        and note[3] == op.attributes
        and note[4] == blocks
    )


def states(root: Operation) -> tuple[object, ...] | None:
    """Tokens of the verified states of ``root`` and all ops in it.

    Equal tokens mean that nothing changed. None if an op has no current record.
    """
    tokens: list[object] = []
    for op in preorder(root):
        note: _Note | None = op.__dict__.get(_NOTE)
        if note is None or not _holds(note, op, _ends(op) if op.regions else ()):
            return None
        tokens.append(note)
    return tuple(tokens)


def note_copy(original: Operation, copy: Operation) -> None:
    """Record ``copy``, a clone of ``original``, as verified if the original is."""
    note: _Note | None = original.__dict__.get(_NOTE)
    if note is None:
        return
    blocks = _ends(original) if original.regions else ()
    if _holds(note, original, blocks):
        blocks = _ends(copy) if blocks else ()
        operands = copy._operands  # pyright: ignore[reportPrivateUsage]
        setattr(copy, _NOTE, (operands, copy.results, note[2], note[3], blocks))


def _ends(op: Operation) -> tuple[Any, ...]:
    """The arguments and the last operation of each block."""
    ends: list[Any] = []
    for region in op.regions:
        block = region._first_block  # pyright: ignore[reportPrivateUsage]
        while block is not None:
            ends += (block._args, block._last_op)  # pyright: ignore[reportPrivateUsage]
            block = block._next_block  # pyright: ignore[reportPrivateUsage]
    return tuple(ends)


def _key(op: Any) -> tuple[Any, ...] | None:
    """A key on which the verifier's verdict depends; None if the verdict depends on more."""
    kind = op.__class__
    block = op.parent
    around = block.parent.parent if block is not None and block.parent is not None else None
    further = None
    if kind is ModuleOp:
        further = _symbols(op)
        if further is None:
            return None
    elif kind is ReturnOp and isinstance(around, FuncOp):
        further = _number(around.function_type)
    operands, results = op._operands, op.results
    key: list[Any] = [kind, around.__class__, op._next_op is None, len(operands), further]
    for value in operands:
        key.append(_number(value._type))
    for value in results:
        key.append(_number(value._type))
    for name, attribute in op.properties.items():
        key += name, _number(attribute)
    key.append(None)  # a separator before the attributes
    for name, attribute in op.attributes.items():
        key += name, _number(attribute)
    for region in op.regions:
        key.append(_key_of_region(region))
    return tuple(key)


def _symbols(module: Operation) -> Any:
    """The operations of a module body by class and name; None if an operation has successors."""
    symbols: list[tuple[Any, ...]] = []
    for op in module.regions[0].block.ops:
        if op.successors:
            return None
        symbols.append((type(op), op.properties.get("sym_name"), op.attributes.get("sym_name")))
    return tuple(symbols)


def _key_of_region(region: Any) -> Any:
    first = region._first_block
    if first is region._last_block:
        return None if first is None else _key_of_block(first)
    return tuple(map(_key_of_block, region.blocks))


def _key_of_block(block: Any) -> Any:
    key: list[Any] = []
    for argument in block._args:
        key += _number(argument._type), argument.first_use is None
    last = block._last_op
    if last is not None:
        key += last.__class__, last._next_op is None
        for value in last._operands:
            key.append(_number(value._type))
    return tuple(key)


_NUMBERS: dict[Any, int] = {}
_next_number = itertools.count().__next__


def _number(kind: Attribute) -> int:
    """A number shared by exactly the attributes equal to ``kind``, stored on the attribute.

    The hash of an attribute takes longer than the rest of a key. The types of most operands are a
    few objects, as are the properties of copied operations.
    """
    number: int | None = getattr(kind, "_kc_number", None)
    if number is None:
        if len(_NUMBERS) >= _MEMO_SIZE:
            _NUMBERS.clear()  # numbers are never reused, so those stored on types stay valid
        equal: Any = kind
        if kind.__class__ is StringAttr:
            equal = StringAttr, kind.data  # pyright: ignore
        elif kind.__class__ is IntegerAttr:
            equal = IntegerAttr, kind.value.data, _number(kind.type)  # pyright: ignore
        elif kind.__class__ is AffineMapAttr:
            map_ = kind.data  # pyright: ignore
            equal = (AffineMapAttr, map_.num_dims, map_.num_symbols, *map(_tree, map_.results))
        number = _NUMBERS.setdefault(equal, _next_number())
        object.__setattr__(kind, "_kc_number", number)
    return number


def _tree(expr: AffineExpr) -> Any:
    """A key that only equal expressions share, with a cheaper hash than the expression's."""
    if isinstance(expr, AffineBinaryOpExpr):
        return id(expr.kind), _tree(expr.lhs), _tree(expr.rhs)
    if isinstance(expr, AffineDimExpr):
        return expr.position
    if isinstance(expr, AffineConstantExpr):
        return None, expr.value
    return expr


class _Kind(NamedTuple):
    """Properties of a class of operations that determine its verification."""

    is_llvm: bool
    is_isolated: bool
    is_local: bool
    """True if the verdict of its verifier depends only on :func:`_key`."""


@functools.cache
def _kind(kind: type[Operation]) -> _Kind:
    is_local = kind.name in _LOCAL or (
        kind.name.partition(".")[0] in _LOCAL_DIALECTS
        and not kind.has_trait(HasAncestor)
        and not kind.has_trait(SymbolUserOpInterface)
        and not kind.has_trait(SymbolOpInterface)
    )
    return _Kind(kind.name.startswith("llvm."), kind.has_trait(IsolatedFromAbove), is_local)


def _check_domains(blocks: Sequence[BlockOp]) -> None:
    """Refuse (KC1202) a block if some iteration of its loops, of constant extents, gives a block
    variable a value outside its domain.
    """
    undecided = [block for block in blocks if not _is_within_constant_loops(block)]
    if not undecided:
        return
    index = IndexValues()
    for block in undecided:
        extents = block.extents
        if 0 in extents:
            continue
        bindings = list(zip(block.binding_exprs, extents, strict=True))
        if all(_stays_inside(block, expr, extent, index) for expr, extent in bindings):
            continue
        space = Space()
        around = space.place(block)
        if any(loop.static_extent == 0 for loop in around.loops):
            continue
        holds = space.condition(block.predicate.data, block.predicate_operands, around)
        for n, (expr, extent) in enumerate(bindings):
            if not isinstance(extent, int):
                continue
            value = space.expr(expr, block.binding_operands, around)
            if around.opaque or space.parameters:
                _check_init_domain(block, bindings)
                break
            conditions = all_of([*around.constraints, holds, ~value.within(extent)])
            point = first_point(conditions, around.dims)
            if isinstance(point, dict):
                raise _outside(block, n, extent, value.at(point), around.loops, point)


def _check_init_domain(
    block: BlockOp, bindings: Sequence[tuple[AffineExpr, int | SSAValue]]
) -> None:
    """Refuse (KC1202) a block that leaves its domain where it initialises its elements.

    The init runs at least once, whatever the trip counts of the reduction's loops, which may be
    symbolic.
    """
    if not block.has_init or block.predicate.data.constraints:
        return
    loops = {
        n: loop
        for n, operand in enumerate(block.binding_operands)
        if isinstance(loop := _parent_of(operand), ForOp)
    }
    reduced = {
        loops.get(d)
        for (expr, _), kind in zip(bindings, block.types, strict=True)
        if kind is IterType.REDUCE
        for d in expr.used_dims()
    }
    around: list[ForOp] = []
    parent = block.parent_op()
    while parent is not None and not isinstance(parent, FuncOp):
        # Other ops around the block may guard it, as may an empty loop.
        if not isinstance(parent, ForOp) or (
            parent.static_extent is None and parent not in reduced
        ):
            return
        around.insert(0, parent)
        parent = parent.parent_op()
    at: dict[ForOp, Term] = {}
    ranges: list[Condition] = []
    for loop in around:
        if loop.static_extent is not None:
            at[loop] = dim(f"i{len(at)}")
            ranges.append(at[loop].within(loop.static_extent))
    names = [name for index in at.values() for name in index.names()]
    for n, (expr, extent) in enumerate(bindings):
        if not isinstance(extent, int) or any(loops.get(d) not in at for d in expr.used_dims()):
            continue
        value = term_of(expr, lambda d: at[loops[d]], lambda: dim("not affine"))
        if "not affine" in value.names():
            continue
        point = first_point(all_of([*ranges, ~value.within(extent)]), names)
        if isinstance(point, dict):
            raise _outside(block, n, extent, value.at(point), at, point)


def _outside(
    block: BlockOp,
    n: int,
    extent: int,
    value: int,
    places: Mapping[ForOp, Term],
    point: dict[str, int],
) -> ParseError:
    name = block.names[n]
    loops = ", ".join(f"{loop.label}={at.at(point)}" for loop, at in places.items())
    return ParseError(
        "KC1202",
        f"tir.block: block {block.label} runs for {name} = {value}, outside of its domain",
        location=location_of(block),
        facts=[f"{name} is in 0 <= {name} < {extent}"],
        why=f"the loops take it there at ({loops})" if loops else "it is bound to that value",
    )


def _parent_of(value: SSAValue) -> Operation | None:
    """The operation whose region has the argument ``value``; None for an operation's result."""
    return value.owner.parent_op() if isinstance(value.owner, Block) else None


def _is_within_constant_loops(block: BlockOp) -> bool:
    """True if the constant loops that drive a block, and conditions on their variables, bound its
    variables to their domains.

    This holds for most blocks, and is faster than :func:`_stays_inside`.
    """
    operands = block._operands  # pyright: ignore[reportPrivateUsage]
    bindings, predicate = block.bindings.data, block.predicate.data
    if len(operands) != bindings.num_dims + predicate.num_dims:
        return False  # some operands are extents
    loops: list[Operation] = []
    positions: list[int] = []
    """The loop of each operand. The operands of the predicate may also be operands of bindings."""
    for operand in operands:
        loop = _parent_of(operand)
        if not isinstance(loop, ForOp) or not loop.static_extent:
            return False
        if loop not in loops:
            loops.append(loop)
        positions.append(loops.index(loop))
    key = (
        _number(block.bindings),
        _number(block.static_extents),
        _number(block.predicate),
        tuple(positions),
        tuple(loop.static_extent for loop in loops if isinstance(loop, ForOp)),
    )
    is_within = _WITHIN.get(key)
    if is_within is None:
        if len(_WITHIN) >= _MEMO_SIZE:
            _WITHIN.clear()
        counts = [count for count in key[-1] if count is not None]
        is_within = _WITHIN[key] = _are_within(block, positions, counts)
    return is_within


_WITHIN: dict[tuple[Any, ...], bool] = {}
"""Results of :func:`_are_within`, by all its inputs."""


def _are_within(block: BlockOp, positions: Sequence[int], counts: Sequence[int]) -> bool:
    """True if bounds, or a single condition, limit the bindings to their domains. ``positions`` has
    the number of the loop of each operand, ``counts`` the trip counts.
    """
    extents = [int(extent) for extent in block.static_extents.iter_values()]
    if 0 in extents:
        return True
    bindings, predicate = block.bindings.data, block.predicate.data
    dims = [AffineExpr.dimension(n) for n in positions]
    ranges = [(0, count - 1) for count in counts]
    conditions = [
        (constraint.lhs - constraint.rhs).replace_dims_and_symbols(dims[bindings.num_dims :], ())
        for constraint in predicate.constraints
        if constraint.kind is AffineConstraintKind.ge
    ]
    for expr, extent in zip(bindings.results, extents, strict=True):
        value = expr.replace_dims_and_symbols(dims, ())
        low, high = bounds(value, ranges)
        if low is None or low < 0:
            return False
        if high is not None and high < extent:
            continue
        room = AffineExpr.constant(extent - 1) - value
        if not any(_is_never_negative(room - lhs, ranges) for lhs in conditions):
            return False
    return True


def _is_never_negative(expr: AffineExpr, ranges: Sequence[tuple[int, int]]) -> bool:
    low, _ = bounds(simplify(expr, ranges), ranges)
    return low is not None and low >= 0


def _stays_inside(
    block: BlockOp, expr: AffineExpr, extent: int | SSAValue, index: IndexValues
) -> bool:
    """True if bounds, or a single condition of the predicate, limit a binding to its domain."""
    if not isinstance(extent, int):
        return True
    value = index.compose(expr, block.binding_operands)
    low, high = index.bounds(value)
    if low is None or high is None:
        return True  # undecided
    if low >= 0 and high < extent:
        return True
    if low < 0:
        return False
    room = AffineExpr.constant(extent - 1) - value
    conditions = index.conditions(block.predicate.data, block.predicate_operands)
    for condition in conditions if conditions is not None else ():
        spare, _ = index.bounds(index.simplify(room - condition.lhs))
        if condition.kind is AffineConstraintKind.ge and spare is not None and spare >= 0:
            return True
    return conditions is None
