"""Caches that a block indexes by its own variables: ``reindex``, ``reindex_cache_read/write``.

The block accesses the buffer at ``f(v)``, a function of its variables ``v``. It gets a new buffer,
accessed at ``h(v)``, and a copy runs over the values of the variables on which ``f`` or ``h``
depends: ``cache[h(v)] = buffer[f(v)]`` before reads, and the reverse after writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.ir import Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineConstraintExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint

from kc.analysis.accesses.instances import Instance, Space
from kc.analysis.accesses.regions import WHOLE, BoundIndexValues, Interval, interval
from kc.analysis.affine.affine_relations import collision, extent, outside
from kc.analysis.affine.index_facts import in_range
from kc.analysis.affine.index_values import IndexValues, dimensions, substitute
from kc.analysis.affine.terms import Condition, Term, term_of
from kc.analysis.loop_tree import buffer_name, reduce_loops
from kc.analysis.trust import Undecided
from kc.dialects.affine_assembly import at_least_zero
from kc.dialects.tir import DYNAMIC, BlockOp, IterType, LoadOp, StoreOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.known_values import is_available
from kc.transforms.schedule._buffers import fresh_name, legal_caches, scope_attr, warn_of_scope
from kc.transforms.schedule._copies import Part, new_alloc
from kc.transforms.schedule._index_map import IndexMap, depends_on
from kc.transforms.schedule._nests import Nest, new_body, new_loops, spatial_iters, wrap
from kc.transforms.schedule._sizes import Shape, realize_size, shape_from, size_value, sizes_of
from kc.transforms.schedule.base import Rewritten, Site
from kc.transforms.schedule.caching._cached_reads import CachedReads
from kc.transforms.schedule.caching._cached_writes import CachedWrites
from kc.transforms.schedule.caching._caching import Place, outermost_place
from kc.transforms.schedule.layout._layouts import (
    point_text,
    require_movable,
    require_rank,
    set_indices,
)


@dataclass(frozen=True)
class _Instances(Part):
    """The copied elements: the elements at ``exprs``, over the variables ``of`` of the copy."""

    of: tuple[int, ...]
    exprs: tuple[AffineExpr, ...]
    block: BlockOp

    def enter(self, site: Site, space: Space, copy: Instance) -> list[Term]:
        element = self._element(space, copy)
        for n, index in enumerate(element):
            copy.constraints += [index >= 0, *self._below(n, index, space, copy)]
        return element

    def _element(self, space: Space, copy: Instance) -> list[Term]:
        """The element for one value of the variables, which are new coordinates of ``copy``."""
        values: list[Term] = []
        for n, span in zip(self.of, self.intervals, strict=True):
            dim = space.dim(copy)
            values.append(dim)
            size = space.size(self.block.extents[n], copy)
            copy.constraints.append(dim.within(size))
            if span.size is not None:
                map_, operands = self.index.to_map([span.base])
                base = space.expr(map_.results[0], operands, copy)
                copy.constraints += [base <= dim, dim < base + span.size]
        return [term_of(expr, values.__getitem__) for expr in self.exprs]

    def _below(self, n: int, index: Term, space: Space, copy: Instance) -> list[Condition]:
        """The condition that ``index`` is less than size ``n`` of the buffer, if this size has a
        value in the function.
        """
        size = self.sizes[n]
        if not isinstance(size, int | SSAValue):
            return []
        return [index < space.buffer_size(size, copy)]

    def may_leave(self, place: Place) -> list[tuple[bool, bool]]:
        """For each dimension, True if elements may be before its start, and True if they may be
        beyond its end.
        """
        sides: list[tuple[bool, bool]] = []
        for n in range(len(self.exprs)):
            space = Space()
            copy = space.place(place.anchor)
            index = self._element(space, copy)[n]
            below = self._below(n, index, space, copy)
            sides.append(
                (
                    space.find([copy], [index < 0]) is not None,
                    not below or space.find([copy], [~below[0]]) is not None,
                )
            )
        return sides


@dataclass
class _Reads(CachedReads):
    part: Callable[[Place], Part] = field(kw_only=True)

    def copied(self, place: Place) -> Part:
        return self.part(place)


@dataclass
class _Writes(CachedWrites):
    part: Callable[[Place], Part] = field(kw_only=True)

    def copied(self, place: Place) -> Part:
        return self.part(place)


@dataclass(frozen=True)
class Reindexing:
    """A cache that is filled, or written back, at ``place``."""

    pattern: Pattern
    accesses: Sequence[Access]
    place: Place
    part: _Instances
    exprs: tuple[AffineExpr, ...]
    """The element of the cache, over the variables of the copy."""
    shape: Shape
    name: str
    may_leave: Sequence[tuple[bool, bool]]
    """For each dimension of the buffer, True if the copy needs a guard at its start, and True if it
    needs one at its end.
    """
    is_read: bool

    def build(self, site: Site, scope: str) -> Rewritten:
        """Create the cache and the copy, and redirect the accesses of the block."""
        block, buffer, anchor = self.pattern.block, self.pattern.buffer, self.place.anchor
        warn_of_scope(site, scope, block)
        home = anchor.parent
        assert home is not None
        old = buffer.type
        assert isinstance(old, MemRefType)
        point = InsertPoint.before(anchor)
        sizes = [realize_size(site, size, self.shape, point, block) for size in self.shape.sizes]
        shape = [
            size.value if isinstance(size, AffineConstantExpr) else DYNAMIC
            for size in self.shape.sizes
        ]
        type_ = MemRefType(old.element_type, shape, NoneAttr(), scope_attr(scope))
        alloc = new_alloc(self.name, type_, sizes, block)
        home.insert_op_before(alloc, anchor)
        copy = self._copy(site, alloc.buffer)
        if self.is_read:
            home.insert_op_before(copy.top, anchor)
        else:
            home.insert_op_after(copy.top, anchor)
        self._redirect(alloc.buffer)
        return Rewritten(tuple(copy.loops), blocks=(copy.block,))

    def _copy(self, site: Site, cache: SSAValue) -> Nest:
        block, part = self.pattern.block, self.part
        index = part.index
        sizes = [block.extents[n] for n in part.of]
        lengths = [
            size if span.size is None else span.size
            for size, span in zip(sizes, part.intervals, strict=True)
        ]
        loops = new_loops(site, lengths, self.place.anchor)
        bindings: list[AffineExpr] = []
        conditions: list[AffineConstraintExpr] = []
        for loop, span, size in zip(loops, part.intervals, sizes, strict=True):
            expr = index.expr(loop.var)
            if span.size is not None:
                expr = index.simplify(span.base + expr)
                both = [at_least_zero(expr), _less(expr, size, index)]
                conditions += [
                    constraint for constraint in both if not index.is_natural(constraint.lhs)
                ]
            bindings.append(expr)
        values = dict(enumerate(bindings))
        for expr, size, (before, beyond) in zip(
            part.exprs, part.sizes, self.may_leave, strict=True
        ):
            where = index.simplify(substitute(expr, values))
            if before:
                conditions.append(at_least_zero(where))
            if beyond:
                conditions.append(_less(where, size_value(site, size, block), index))
        rank = len(part.of)
        body = new_body(rank)
        outer, inner = (AffineMap(rank, 0, tuple(exprs)) for exprs in (part.exprs, self.exprs))
        if self.is_read:
            load = LoadOp(part.buffer, outer, body.args)
            store = StoreOp(load.result, cache, inner, body.args)
        else:
            load = LoadOp(cache, inner, body.args)
            store = StoreOp(load.result, part.buffer, outer, body.args)
        load.result.name_hint = "value"
        body.add_ops([load, store])
        copy = BlockOp(
            self.name,
            spatial_iters(sizes),
            *index.to_map(bindings),
            Region(body),
            None,
            *index.to_set([*conditions, *in_range(bindings, index)]),
        )
        return wrap(loops, copy, block)

    def _redirect(self, cache: SSAValue) -> None:
        block = self.pattern.block
        for op in self.accesses:
            values = IndexValues()
            body = op.parent
            while body is not None and body.parent_op() is not block:
                above = body.parent_op()
                body = above.parent if above is not None else None
            assert body is not None, "the accesses are inside of the block"
            in_init = block.has_init and body is block.init.block
            own = {
                k: AffineExpr.constant(0)  # the value of a reduce variable in the init
                if in_init and block.types[n] is IterType.REDUCE
                else values.expr(body.args[n])
                for k, n in enumerate(self.part.of)
            }
            op.operands[0 if isinstance(op, LoadOp) else 1] = cache
            set_indices(op, [values.simplify(substitute(expr, own)) for expr in self.exprs], values)


def _less(expr: AffineExpr, size: int | SSAValue, index: IndexValues) -> AffineConstraintExpr:
    end = AffineExpr.constant(size) if isinstance(size, int) else index.expr(size)
    return at_least_zero(index.simplify(end - expr - 1))


def plan_reindexing(
    site: Site,
    block: BlockOp,
    buffer: SSAValue,
    map_: IndexMap | None,
    name: str,
    scope: str,
    *,
    is_read: bool,
) -> Reindexing:
    """The cache ``name``, in ``scope``, for the reads or writes of ``buffer`` by ``block``.

    Its index is ``map_``; without a map, the variables on which the index depends. Refuses KC3501,
    KC3503, KC3504, KC3530 to KC3532, and the objections of :class:`CachedReads` and
    :class:`CachedWrites`.
    """
    require_movable(site, block, buffer)
    own = [op for op in block.walk() if isinstance(op, LoadOp | StoreOp) and op.buffer is buffer]
    pattern = require_pattern(
        site, block, buffer, [op for op in own if isinstance(op, LoadOp) is is_read]
    )
    of = pattern.used()
    exprs = [AffineExpr.dimension(n) for n in range(len(of))]
    if map_ is not None:
        what = f"block {block.label} has the variables {', '.join(block.names) or '(none)'}"
        require_rank(site, block, map_, len(block.types), what)
        of = sorted({*of, *(n for expr in map_.results for n in depends_on(expr))})
        position = {n: AffineExpr.dimension(k) for k, n in enumerate(of)}
        exprs = [substitute(expr, position) for expr in map_.results]
    _require_elements(site, pattern, of, own)
    shape = _require_cache(site, pattern, of, exprs, map_, is_read)
    elements = tuple(pattern.over_variables(of))
    sizes = sizes_of(site, buffer)

    def part(place: Place) -> _Instances:
        bound = BoundIndexValues(level=place.level)
        intervals = [_interval(block, n, place, bound) for n in of]
        return _Instances(buffer, intervals, sizes, bound, tuple(of), elements, block)

    cached = (
        _Reads(site, block, buffer, scope, [block], part=part)
        if is_read
        else _Writes(site, block, buffer, scope, part=part)
    )

    def objection(place: Place) -> ScheduleError | None:
        for n in of:
            size = block.extents[n]
            if not isinstance(size, int) and not is_available(size, place.anchor):
                return site.refuse(
                    "KC3532",
                    f"the extent of {block.names[n]} of block {block.label} is not "
                    "available at the place of the copy",
                    at=block,
                    why="the new buffer has a dimension of this size",
                )
        return cached.objection(place)

    place = outermost_place(site, block, buffer, [block], objection)
    accesses = cached.caching(place).accesses
    require_pattern(site, block, buffer, accesses)
    region = part(place)
    return Reindexing(
        pattern,
        accesses,
        place,
        region,
        tuple(exprs),
        shape,
        fresh_name(site, name),
        region.may_leave(place),
        is_read,
    )


def _interval(block: BlockOp, n: int, place: Place, bound: IndexValues) -> Interval:
    """The values that variable ``n`` of the block takes in one execution of the place."""
    binding = bound.compose(block.binding_exprs[n], block.binding_operands)
    covered = interval(binding, place.level, bound)
    size = block.extents[n]
    if covered.size is None or (isinstance(size, int) and covered.size >= size):
        return WHOLE
    return covered


def _require_elements(
    site: Site, pattern: Pattern, of: Sequence[int], accesses: Sequence[Access]
) -> None:
    """Refuse (KC3530) a cache without elements if an empty reduction still initialises an
    element.
    """
    block = pattern.block
    if not block.has_init or not any(block.init.is_ancestor(op) for op in accesses):
        return
    for n in of:
        if block.types[n] is not IterType.REDUCE:
            continue
        space = Space()
        # The place is outside the loops of the reduction, since inside them the reduction cannot be
        # empty.
        place = space.place(next(iter(reduce_loops(block)), block))
        size = block.extents[n]
        if isinstance(size, int):
            is_empty = size == 0
        else:
            is_empty = space.find([place], [space.size(size, place) <= 0]) is not None
        if is_empty:
            raise site.refuse(
                "KC3530",
                f"the init of block {block.label} accesses "
                f"{buffer_name(pattern.buffer)} for no value of {block.names[n]}",
                at=block,
                why=f"{block.names[n]} {'has' if size == 0 else 'may have'} no values; init runs "
                "even so, and the new buffer would have no element",
                hints=[f"use a map without {block.names[n]}"],
            )


def _require_cache(
    site: Site,
    pattern: Pattern,
    of: Sequence[int],
    exprs: Sequence[AffineExpr],
    map_: IndexMap | None,
    is_read: bool,
) -> Shape:
    """The shape of the cache. Refuses a negative index (KC3503) and elements that mix (KC3531)."""
    block = pattern.block
    name = buffer_name(pattern.buffer)
    domain = shape_from(site, [block.extents[n] for n in of])
    shape = Shape(tuple(extent(expr, domain.box) for expr in exprs), domain.parameters)
    labels = [block.names[n] for n in of]
    left = outside(exprs, domain.box, shape.sizes)
    if left is not None:
        raise site.refuse(
            "KC3503",
            f"{map_} maps block {block.label} to indices outside any buffer",
            at=block,
            why=left.reason
            if isinstance(left, Undecided)
            else f"{_values(labels, left[0])}{domain.at(left[1])} would be at "
            f"{point_text([expr.eval(left[0], ()) for expr in exprs])}",
            hints=["add an offset that makes the smallest index 0"],
        )
    elements = pattern.over_variables(of)
    rules: list[tuple[Sequence[AffineExpr], Sequence[AffineExpr], str]] = []
    rules.append(
        (exprs, elements, f"two elements of {name} would share one element of the new buffer")
    )
    if not is_read:  # a copy that is only read may contain an element several times
        rules.append(
            (elements, exprs, f"two elements of the new buffer would share one element of {name}")
        )
    for index, told_apart, what in rules:
        clash = collision(index, domain.box, told_apart)
        if clash is None:
            continue
        used = ", ".join(block.names[n] for n in pattern.used())
        raise site.refuse(
            "KC3531",
            ""
            + (f"{map_}" if map_ is not None else f"the index of {name} in block {block.label}")
            + (" may mix elements" if isinstance(clash, Undecided) else " mixes elements"),
            at=block,
            why=clash.reason
            if isinstance(clash, Undecided)
            else f"{what}: those of {_values(labels, clash.first)} and "
            f"{_values(labels, clash.second)}{domain.at(clash.parameters)}",
            hints=[f"use a map that depends on exactly {used}"] if map_ is not None else [],
        )
    return shape


def _values(names: Sequence[str], values: Sequence[int]) -> str:
    return f"({', '.join(f'{name}={value}' for name, value in zip(names, values, strict=True))})"


# Accesses at one index, a function of the block's variables -----------------------------------


Access = LoadOp | StoreOp


@dataclass(frozen=True)
class Pattern:
    """The access pattern of a block to a buffer: ``index``, over the roots of ``values``.

    ``variables`` are the variables of the block, over these roots.
    """

    block: BlockOp
    buffer: SSAValue
    index: list[AffineExpr]
    variables: list[AffineExpr]

    def used(self) -> list[int]:
        """The variables on which the index depends."""
        dims = {dim for expr in self.index for dim in depends_on(expr)}
        return [n for n, variable in enumerate(self.variables) if dims & set(dimensions(variable))]

    def over_variables(self, numbers: Sequence[int]) -> list[AffineExpr]:
        """The index, with dimension ``k`` for variable ``numbers[k]``."""
        position = {
            dim: AffineExpr.dimension(k)
            for k, n in enumerate(numbers)
            for dim in dimensions(self.variables[n])
        }
        return [substitute(expr, position) for expr in self.index]


def _copies(site: Site, block: BlockOp, buffer: SSAValue) -> list[str]:
    """Hints for copies of ``buffer`` with a free layout that the block may access instead."""
    caches = ("cache_read", "cache_write", "cache_inplace")
    legal = legal_caches(site, block, buffer, caches)
    return [f"{cache} of {buffer_name(buffer)}, and then transform_layout" for cache in legal]


def require_pattern(
    site: Site, block: BlockOp, buffer: SSAValue, accesses: Sequence[Access]
) -> Pattern:
    """The access pattern of ``block`` to ``buffer``. Refuses (KC3530) accesses at different
    indices, and an index that depends on more than the block's variables.
    """
    values = IndexValues()
    variables = [values.expr(argument) for argument in block.body.block.args]
    if block.has_init:
        for twin, expr in zip(block.init.block.args, variables, strict=True):
            values.define(twin, expr)
    name = buffer_name(buffer)
    common: list[AffineExpr] | None = None
    for op in accesses:
        index = [values.compose(expr, op.operands_of_map) for expr in op.indices.data.results]
        if common is not None and common != index:
            raise site.refuse(
                "KC3530",
                f"block {block.label} accesses {name} at several indices",
                at=block,
                why="the new buffer has one element for each value of the block's variables",
                hints=_copies(site, block, buffer),
            )
        common = index
    assert common is not None
    for dim in sorted({dim for expr in common for dim in depends_on(expr)}):
        value = values.roots[dim]
        if AffineExpr.dimension(dim) not in variables:
            label = value.name_hint if value is not None and value.name_hint else "a value"
            raise site.refuse(
                "KC3530",
                f"the index of {name} in block {block.label} does not depend on its "
                "variables alone",
                at=block,
                why=f"it contains {label}, for which the new buffer would have no dimension",
            )
    return Pattern(block, buffer, common, variables)
