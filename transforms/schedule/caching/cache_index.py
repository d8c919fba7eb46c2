"""cache_index: index expressions of a block are computed in advance, into buffers that the block
reads.

Before, ``cache-index block=B``::

    tir.for %i in 80 {
      tir.for %j in 80 {
        tir.block "B" (spatial %v_i in 80 = %i, spatial %v_j in 80 = %j) do {
          %x = tir.load %A[%v_i floordiv 4 + %v_j floordiv 4, %v_j floordiv 2]
          tir.store %x, %B[%v_i, %v_j]

After::

    %index_0 = tir.alloc "index_0" : memref<80x80xindex>
    tir.for %ax0 in 80 {
      tir.for %ax1 in 80 {
        tir.block "index_0" (spatial %v0 in 80 = %ax0, spatial %v1 in 80 = %ax1) do {
          %0 = tir.apply (%v0 floordiv 4 + %v1 floordiv 4)
          tir.store %0, %index_0[%v0, %v1]
    %index_1 = tir.alloc "index_1" : memref<80xindex>
    ...
    tir.for %i in 80 {
      tir.for %j in 80 {
        tir.block "B" (spatial %v_i in 80 = %i, spatial %v_j in 80 = %j) do {
          %n0 = tir.load %index_0[%v_i, %v_j]
          %n1 = tir.load %index_1[%v_j]
          %x = tir.load %A[%n0, %n1]
          tir.store %x, %B[%v_i, %v_j]

The cached indices are indices of loads that are more than a variable plus a constant, and occur
more than ``cse_thresh`` times; equal indices share a buffer. A buffer has a dimension for each
variable of the block on which the index depends. Loads inside an index (``%A[%I[%v_i]]``) are
computed with it. Indices of stores are not cached, so the written elements stay known.

*Legal when*

1. KC3301: the target has the scope. A scope without benefit there gets a warning (KC3302).
2. KC3604: there is such an index, computed from variables and loads of the block by operations that
   cannot fail.
3. KC3303, KC3605: the buffers of its loads are used only by loads and stores, and have elements for
   all values of the variables.
4. KC3305: it does not change between its computation and the block.
5. KC3310: this place is not in a vectorized loop.
6. KC3409: the computation is in all loops of a kernel over thread blocks, if the buffer is global.

TVM: ``cache_index``. Halide: ``compute_root`` of a ``Func`` for the index.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, MemRefType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space
from kc.analysis.accesses.regions import scope_of
from kc.analysis.affine.terms import Term, all_of
from kc.analysis.loop_tree import buffer_name
from kc.dialects.affine_assembly import linear_terms
from kc.dialects.tir import (
    DYNAMIC,
    INDEX,
    ApplyOp,
    BlockOp,
    DelinearizeOp,
    LinearizeOp,
    LoadOp,
    StoreOp,
)
from kc.support.diagnostics import ScheduleError
from kc.transforms.affine_rewrite import compact
from kc.transforms.known_values import is_available
from kc.transforms.schedule._buffers import (
    fresh_name,
    require_plain_uses,
    require_scope,
    scope_attr,
    scopes_of,
    warn_of_scope,
)
from kc.transforms.schedule._copies import Part, first_of, levels_of, new_alloc, whole_of
from kc.transforms.schedule._nests import Nest, new_body, plain_nest
from kc.transforms.schedule.base import BlockRef, Gives, Primitive, Rewritten, Site
from kc.transforms.schedule.caching._cached_reads import CachedReads
from kc.transforms.schedule.caching._caching import Place
from kc.transforms.schedule.threads._thread_grid import copy_in_grid


@dataclass(frozen=True)
class Plan:
    """The index expressions, each with the operation before which it is computed."""

    block: BlockOp
    places: list[tuple[Index, Operation]]


@dataclass(frozen=True)
class CacheIndex(Primitive):
    """Compute index expressions of a block in advance, into buffers that the block reads."""

    name: ClassVar[str] = "cache-index"
    gives: ClassVar[Gives] = "blocks"

    block: BlockRef = field(metadata={"help": "the block"})
    scope: str = field(
        default="global",
        metadata={"help": "the memory scope of the new buffers", "python": "storage_scope"},
    )
    cse_thresh: int = field(
        default=0, metadata={"help": "cache an index that occurs more often than this"}
    )

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        require_scope(site, self.scope)
        indices = indices_of(block)
        taken = _with_readers([index for index in indices if len(index.uses) > self.cse_thresh])
        if not taken:
            most = max((len(index.uses) for index in indices), default=0)
            raise site.refuse(
                "KC3604",
                f"block {block.label} has no index worth a buffer",
                at=block,
                why=f"its indices occur at most {most} times"
                if indices
                else "each index of its loads is a variable plus a constant, or cannot be computed "
                "elsewhere",
                hints=[f"cse_thresh={most - 1}"] if indices else (),
            )
        for index in taken:
            _require_domain(site, block, index)
        return Plan(
            block, [(index, _place(site, block, index, self.scope).anchor) for index in taken]
        )

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            for scope, useless in scopes_of(site.target).items():
                if not useless:
                    yield cls(BlockRef(block), scope)

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        warn_of_scope(site, self.scope, plan.block)
        start = plan.block.body.block.first_op
        assert start is not None
        nests = [
            _build(site, plan.block, index, anchor, start, self.scope, n)
            for n, (index, anchor) in enumerate(plan.places)
        ]
        for n, ((index, _), nest) in enumerate(zip(plan.places, nests, strict=True)):
            _load_index(plan.block, index, nest, start, n)
        _erase_unused(plan.block, {op for index, _ in plan.places for op in index.slice})
        return Rewritten(
            tuple(loop for nest in nests for loop in nest.loops),
            blocks=tuple(nest.block for nest in nests),
        )


# Where ----------------------------------------------------------------------------------------


def _require_domain(site: Site, block: BlockOp, index: Index) -> None:
    """Refuse (KC3605) an index that is loaded from elements that may not exist."""
    for load in index.gathers:
        space = Space()
        instance = space.place(block)
        point: dict[str, Term] = {}
        for n in index.variables:
            dim = space.dim(instance)
            point[block.names[n]] = dim
            instance.values[block.body.block.args[n]] = dim
            instance.constraints.append(dim.within(space.size(block.extents[n], instance)))
        element = space.element(load, instance)
        inside = all_of(space.in_bounds(load, element, instance))
        witness = space.find([instance], [~inside])
        if witness is None:
            continue
        name = buffer_name(load.buffer)
        at = ", ".join(f"{label}={witness[dim]}" for label, dim in point.items() if witness.point)
        raise site.refuse(
            "KC3605",
            f"an index of block {block.label} is read from {name}, "
            + ("possibly out of bounds" if witness.undecided else "and out of bounds"),
            at=block,
            why=witness.undecided
            or f"it would be computed for all values of the variables, including {at}",
        )


def _place(site: Site, block: BlockOp, index: Index, scope: str) -> Place:
    """The outermost place at which the index can be computed."""
    refusal: ScheduleError | None = None
    for level in levels_of(scope_of(block), [block], every=True):
        place = Place(level, first_of(level, [block]))
        if not all(is_available(value, place.anchor) for value in index.outside):
            continue
        refusal = _objection(site, block, index, scope, place)
        if refusal is None:
            return place
    raise refusal or site.refuse(
        "KC3310",
        f"a buffer of the indices of block {block.label} cannot be placed",
        at=block,
        why="their operands exist only in a vectorized loop, whose lanes would share the buffer",
        hints=["cache_index first, then vectorize"],
    )


def _objection(
    site: Site, block: BlockOp, index: Index, scope: str, place: Place
) -> ScheduleError | None:
    """The refusal of an index whose sources change, or that several thread blocks would compute;
    None if the place is legal.
    """
    for buffer in dict.fromkeys(load.buffer for load in index.gathers):
        require_plain_uses(site, block, buffer)
        reads = _Gathered(site, block, buffer, scope, [block], index)
        refusal = reads.objection(place)
        if refusal is not None:
            return refusal
    return copy_in_grid(site, block, place.anchor, "the index", ("it", scope))


@dataclass
class _Gathered(CachedReads):
    """The loads from which an index is computed. They may access the whole buffer."""

    index: Index

    def __post_init__(self) -> None:
        self.loads = [load for load in self.index.gathers if load.buffer is self.buffer]

    def copied(self, place: Place) -> Part:
        return whole_of(self.site, self.buffer)


# Building -------------------------------------------------------------------------------------


def _build(
    site: Site,
    block: BlockOp,
    index: Index,
    anchor: Operation,
    start: Operation,
    scope: str,
    number: int,
) -> Nest:
    """Compute ``index`` before ``anchor``."""
    name = fresh_name(site, f"index_{number}")
    extents = [block.extents[n] for n in index.variables]
    shape = [extent if isinstance(extent, int) else DYNAMIC for extent in extents]
    alloc = new_alloc(
        name, MemRefType(INDEX, shape, memory_space=scope_attr(scope)), extents, block
    )
    identity = AffineMap.identity(len(extents))
    body = new_body(len(extents))
    arguments = [block.body.block.args[n] for n in index.variables]
    values: dict[SSAValue, SSAValue] = dict(zip(arguments, body.args, strict=True))
    for op in index.slice:
        copy = op.clone(values)
        values.update(zip(op.results, copy.results, strict=True))
        body.add_op(copy)
    apply = ApplyOp(index.expr, [values.get(operand, operand) for operand in index.operands])
    body.add_ops([apply, StoreOp(apply.result, alloc.buffer, identity, body.args)])
    nest = plain_nest(site, name, body, extents, anchor, block)
    for op, copy in zip(index.slice, body.ops, strict=False):
        copy.location = op.location
    home = anchor.parent
    assert home is not None
    home.insert_ops_before([alloc, nest.top], anchor)
    return nest


def _load_index(block: BlockOp, index: Index, nest: Nest, start: Operation, number: int) -> None:
    """Load ``index`` in the block before ``start``, from the buffer of ``nest``.

    Called after all indices are computed, since they may depend on loads with an index.
    """
    store = nest.block.body.block.last_op
    assert isinstance(store, StoreOp)
    arguments = [block.body.block.args[n] for n in index.variables]
    load = LoadOp(store.buffer, AffineMap.identity(len(arguments)), arguments)
    load.location = block.location
    load.result.name_hint = f"n{number}"
    block.body.block.insert_op_before(load, start)
    for user, dim in index.uses:
        set_index(user, dim, load.result)


def _erase_unused(block: BlockOp, ops: Collection[Operation]) -> None:
    """Erase the operations of ``ops`` in the body of ``block`` that are unused."""
    for op in [op for op in reversed(list(block.body.block.ops)) if op in ops]:
        if not any(result.first_use for result in op.results):
            op.detach()
            op.erase()


# Index expressions with the ops that compute them ---------------------------------------------


_CHEAP = (
    *(ApplyOp, LinearizeOp, DelinearizeOp, arith.ConstantOp, arith.IndexCastOp),
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp),
    *(arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp),
    *(arith.AndIOp, arith.OrIOp, arith.XOrIOp, arith.CmpiOp, arith.SelectOp),
)
"""The operations of which an index may consist: none fails, whatever its operands."""


@dataclass(frozen=True)
class Index:
    """An index expression, its uses, and the operations that compute it."""

    expr: AffineExpr
    operands: tuple[SSAValue, ...]
    uses: list[tuple[LoadOp, int]]
    """Loads, each with the dimension that uses the index."""
    slice: list[Operation]
    """The operations of the body that compute the operands, in order."""
    variables: list[int]
    """The numbers of the block's variables on which the index depends."""
    outside: list[SSAValue]
    """The values from outside the block that the index uses."""

    @property
    def gathers(self) -> list[LoadOp]:
        """The loads from which the index is computed."""
        return [load for load in self.slice if isinstance(load, LoadOp)]


def _with_readers(indices: Sequence[Index]) -> list[Index]:
    """The members of ``indices`` that are still needed after the others are loaded. Indices of
    loads that only compute other indices are left out.
    """
    sliced = {op for index in indices for op in index.slice}
    loads = {load for index in indices for load, _ in index.uses}

    def goes(load: LoadOp) -> bool:
        users = {use.operation for use in load.result.uses}
        return load in sliced and all(user in sliced or user in loads for user in users)

    return [index for index in indices if not all(goes(load) for load, _ in index.uses)]


def indices_of(block: BlockOp) -> list[Index]:
    """The index expressions of ``block`` that can be computed in advance, in order."""
    indices: dict[tuple[AffineExpr, tuple[SSAValue, ...]], Index] = {}
    for load in block.body.walk():
        if not isinstance(load, LoadOp):
            continue
        for dim, expr in enumerate(load.indices.data.results):
            map_, operands = compact(
                AffineMap(len(load.operands_of_map), 0, (expr,)), load.operands_of_map
            )
            assert isinstance(map_, AffineMap)
            key = (map_.results[0], tuple(operands))
            if key in indices:
                indices[key].uses.append((load, dim))
                continue
            index = _index(block, *key)
            if index is not None:
                index.uses.append((load, dim))
                indices[key] = index
    return list(indices.values())


def _index(block: BlockOp, expr: AffineExpr, operands: tuple[SSAValue, ...]) -> Index | None:
    body = block.body.block
    ops: set[Operation] = set()
    leaves: dict[SSAValue, None] = {}
    pending = list(operands)
    while pending:
        value = pending.pop()
        owner = value.owner
        if isinstance(owner, Block) or not loop_tree.is_inside(owner, block):
            leaves[value] = None
        elif owner.parent is not body or not isinstance(owner, (LoadOp, *_CHEAP)):
            return None
        elif owner not in ops:
            ops.add(owner)
            reads = owner.operands_of_map if isinstance(owner, LoadOp) else owner.operands
            pending.extend(reads)
    own = [leaf for leaf in leaves if isinstance(leaf, BlockArgument) and leaf.block is body]
    outside = [leaf for leaf in leaves if leaf not in own]
    if any(loop_tree.defined_inside(leaf, block) for leaf in outside):
        return None
    variables = sorted(argument.index for argument in own)
    if not variables or (not ops and _is_plain(expr)):
        return None
    extents = [block.extents[n] for n in variables]
    outside += [extent for extent in extents if not isinstance(extent, int)]
    outside += [op.buffer for op in ops if isinstance(op, LoadOp)]
    ordered = [op for op in body.ops if op in ops]
    return Index(expr, operands, [], ordered, variables, list(dict.fromkeys(outside)))


def _is_plain(expr: AffineExpr) -> bool:
    """True if ``expr`` is a constant, or a variable plus a constant."""
    if isinstance(expr, AffineConstantExpr):
        return True
    terms, _ = linear_terms(expr)
    return len(terms) == 1 and all(
        isinstance(atom, AffineDimExpr) and factor == 1 for atom, factor in terms.items()
    )


def set_index(load: LoadOp, dim: int, value: SSAValue) -> None:
    """Replace the index of ``load`` in dimension ``dim`` by ``value``."""
    exprs = list(load.indices.data.results)
    count = len(load.operands_of_map)
    exprs[dim] = AffineExpr.dimension(count)
    map_, operands = compact(AffineMap(count + 1, 0, tuple(exprs)), [*load.operands_of_map, value])
    assert isinstance(map_, AffineMap)
    load.operands = [load.buffer, *operands]
    load.properties["indices"] = AffineMapAttr(map_)
