"""Access regions: the readers and writers of a buffer, and the boxes that they touch.

A box has, for each dimension, a base that is affine over fixed values, and a constant size. It is
the hull of all accesses and ignores tails and guards, so that loops over it have constant extents.
:mod:`kc.analysis.accesses.instances` proves separately that it covers everything needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseArrayBase, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from kc.analysis.affine.index_values import IndexValues, dimensions
from kc.analysis.loop_tree import all_loops_around, preorder
from kc.dialects.affine_assembly import from_terms, linear_terms
from kc.dialects.tir import BlockOp, ForOp, LoadOp, StoreOp, ViewOp
from kc.dialects.tir.threads import is_shared


def scope_of(op: Operation) -> Operation:
    """The block or function within which ``op`` is scheduled."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, BlockOp | FuncOp):
        parent = parent.parent_op()
    assert parent is not None, f"{op.name} is in no function"
    return parent


def unit_of(op: Operation, scope: Operation) -> Operation:
    """The op that schedules move within ``scope``: the outermost block around ``op`` in ``scope``,
    or ``op`` if no block encloses it.
    """
    unit = op
    parent = op.parent_op()
    while parent is not None and parent is not scope:
        if isinstance(parent, BlockOp):
            unit = parent
        parent = parent.parent_op()
    return unit


def loads_of(buffer: SSAValue) -> list[LoadOp]:
    """The loads of a buffer."""
    return [use.operation for use in buffer.uses if isinstance(use.operation, LoadOp)]


def stores_to(buffer: SSAValue) -> list[StoreOp]:
    """The stores to a buffer."""
    return [
        use.operation
        for use in buffer.uses
        if isinstance(use.operation, StoreOp) and use.operation.buffer is buffer
    ]


def readers(buffer: SSAValue, scope: Operation) -> list[Operation]:
    """The blocks of ``scope`` (or loads outside of blocks) that read ``buffer``, in program
    order.
    """
    return in_order(scope, [unit_of(load, scope) for load in loads_of(buffer)])


def writers(buffer: SSAValue, scope: Operation) -> list[Operation]:
    """The blocks of ``scope`` (or stores outside of blocks) that write ``buffer``, in program
    order.
    """
    return in_order(scope, [unit_of(store, scope) for store in stores_to(buffer)])


def in_order(scope: Operation, ops: Iterable[Operation]) -> list[Operation]:
    """The distinct ops of ``ops`` that are in ``scope``, in program order."""
    members = set(ops)
    if len(members) < 2:
        return list(members)
    ordered: list[Operation] = []
    for op in preorder(scope):
        if op in members:
            ordered.append(op)
            if len(ordered) == len(members):
                break
    return ordered


def buffers_read(block: Operation) -> list[SSAValue]:
    """The buffers that ``block`` loads from, in order."""
    return list(dict.fromkeys(op.buffer for op in preorder(block) if type(op) is LoadOp))


def buffers_written(block: Operation) -> list[SSAValue]:
    """The buffers that ``block`` stores to, in order."""
    return list(dict.fromkeys(op.buffer for op in preorder(block) if type(op) is StoreOp))


READS_ORDER, WRITES_ORDER = "tir.reads_order", "tir.writes_order"
"""Attributes of a block that record the order in which a program lists its reads or writes, if it
differs from the order in the body: the positions, in the order of the list.
"""


def numbered_reads(block: BlockOp) -> list[SSAValue]:
    """The buffers that ``block`` reads, in the numbering of programs: in the order in which the
    program lists them, else by first use, with buffers that ``block`` also writes last.
    """
    read, written = buffers_read(block), buffers_written(block)
    buffers = [buffer for buffer in read if buffer not in written]
    buffers += [buffer for buffer in read if buffer in written]
    return _in_listed_order(block, READS_ORDER, buffers)


def numbered_writes(block: BlockOp) -> list[SSAValue]:
    """The buffers that ``block`` writes, in the numbering of programs."""
    return _in_listed_order(block, WRITES_ORDER, buffers_written(block))


def _in_listed_order(block: BlockOp, key: str, buffers: list[SSAValue]) -> list[SSAValue]:
    order = block.attributes.get(key)
    numbers = list(order.get_values()) if isinstance(order, DenseArrayBase) else []
    if sorted(numbers) != list(range(len(buffers))):
        return buffers  # the body has changed since
    return [buffers[int(n)] for n in numbers]


def producers(block: BlockOp) -> list[BlockOp]:
    """The blocks of the scope, other than ``block``, that write buffers read by ``block``, in
    program order.
    """
    scope = scope_of(block)
    units = [unit for buffer in buffers_read(block) for unit in writers(buffer, scope)]
    return [
        unit for unit in in_order(scope, units) if isinstance(unit, BlockOp) and unit is not block
    ]


def consumers(block: BlockOp) -> list[BlockOp]:
    """The blocks of the scope, other than ``block``, that read buffers written by ``block``, in
    program order.
    """
    scope = scope_of(block)
    units = [unit for buffer in buffers_written(block) for unit in readers(buffer, scope)]
    return [
        unit for unit in in_order(scope, units) if isinstance(unit, BlockOp) and unit is not block
    ]


@dataclass(frozen=True)
class Interval:
    """The range ``base <= index < base + size``; the whole dimension if ``size`` is None."""

    base: AffineExpr
    size: int | None


WHOLE = Interval(AffineExpr.constant(0), None)


class BoundIndexValues(IndexValues):
    """Index values with block variables replaced by their bindings.

    ``exprs`` maps further values to expressions. The variables of the blocks around ``level`` are
    not replaced, because code inside ``level`` depends on no loop outside of its block.
    """

    def __init__(
        self, exprs: Mapping[SSAValue, AffineExpr] | None = None, level: Block | None = None
    ) -> None:
        super().__init__()
        self._own: set[Block] = set()
        while level is not None:
            self._own.add(level)
            parent = level.parent_op()
            level = parent.parent if parent is not None else None
        for value, expr in (exprs or {}).items():
            self.define(value, expr)

    def _affine(self, value: SSAValue) -> AffineExpr | None:
        if isinstance(value, BlockArgument):
            block = value.block.parent_op()
            if isinstance(block, BlockOp) and value.block not in self._own:
                return self.compose(block.binding_exprs[value.index], block.binding_operands)
        return super()._affine(value)


def box(
    accesses: Iterable[LoadOp | StoreOp | ViewOp],
    inside: Block,
    index: IndexValues,
    scope: str | None = None,
) -> list[Interval] | None:
    """The box of one buffer that ``accesses`` touch during one execution of ``inside``.

    ``inside`` is the body of a loop (its variable is fixed), or of the function. With the memory
    scope ``scope``, the box covers all threads that share a buffer of that scope. Bases are over
    the roots of ``index``, a :class:`BoundIndexValues`. None if ``accesses`` is empty.
    """
    return Elements(accesses, index).box(inside, scope)


_Sum = tuple[dict[AffineExpr, int], int, int]
"""A linear expression: terms with their factors, a constant, and the number of further elements
touched.
"""


class Elements:
    """The elements of one buffer that accesses touch, for repeated queries of boxes."""

    def __init__(self, accesses: Iterable[LoadOp | StoreOp | ViewOp], index: IndexValues) -> None:
        self._index = index
        self._accesses = [self._sums(op) for op in accesses]

    def _sums(self, op: LoadOp | StoreOp | ViewOp) -> list[_Sum]:
        operands = op.operands_of_map
        exprs = [self._index.compose(expr, operands) for expr in op.indices.data.results]
        beyond = [0] * len(exprs)
        if isinstance(op, ViewOp):
            sizes = op.result.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
            for position, size in zip(op.positions, sizes, strict=True):
                beyond[position] = size - 1
        else:
            value = op.result if isinstance(op, LoadOp) else op.value
            if isinstance(value.type, VectorType):
                beyond[-1] = value.type.get_shape()[0] - 1
        return [(*linear_terms(expr), more) for expr, more in zip(exprs, beyond, strict=True)]

    def box(self, inside: Block, scope: str | None = None) -> list[Interval] | None:
        """The box inside ``inside``, as in :func:`box`."""
        hull: list[_Hull | None] | None = None
        for sums in self._accesses:
            hulls = [
                _widen(_hull(terms, constant, inside, self._index, scope), more)
                for terms, constant, more in sums
            ]
            hull = hulls if hull is None else [_join(*two) for two in zip(hull, hulls, strict=True)]
        if hull is None:
            return None
        return [WHOLE if dimension is None else dimension.interval() for dimension in hull]


def interval(expr: AffineExpr, inside: Block, index: IndexValues) -> Interval:
    """The range of ``expr`` (over the roots of ``index``) in one execution of ``inside``."""
    range_ = _hull(*linear_terms(expr), inside, index, None)
    return WHOLE if range_ is None else range_.interval()


@dataclass(frozen=True)
class _Hull:
    """The range ``fixed + low <= index <= fixed + high``."""

    fixed: dict[AffineExpr, int]
    low: int
    high: int

    def interval(self) -> Interval:
        return Interval(from_terms(self.fixed, self.low), self.high - self.low + 1)


def _hull(
    terms: dict[AffineExpr, int],
    constant: int,
    inside: Block,
    index: IndexValues,
    scope: str | None,
) -> _Hull | None:
    fixed: dict[AffineExpr, int] = {}
    moving: dict[AffineExpr, int] = {}
    for atom, factor in terms.items():
        values = [index.roots[dim] for dim in dimensions(atom)]
        is_fixed = all(
            value is not None and not varies(value, inside) and not _is_thread(value, scope)
            for value in values
        )
        (fixed if is_fixed else moving)[atom] = factor
    low, high = index.bounds_of_sum(moving, constant)
    return None if low is None or high is None else _Hull(fixed, low, high)


def _join(first: _Hull | None, second: _Hull | None) -> _Hull | None:
    if first is None or second is None or first.fixed != second.fixed:
        return None
    return _Hull(first.fixed, min(first.low, second.low), max(first.high, second.high))


def _widen(hull: _Hull | None, by: int) -> _Hull | None:
    return hull if hull is None or not by else _Hull(hull.fixed, hull.low, hull.high + by)


def _is_thread(value: SSAValue, scope: str | None) -> bool:
    """True if ``value`` may differ between threads that share buffers of ``scope``: ``value``
    depends on a thread number, or is loaded inside a thread loop.
    """
    if scope is None:
        return False
    pending, seen = [value], {value}
    while pending:
        owner = pending.pop().owner
        around = owner.parent_op() if isinstance(owner, Block) else owner
        if isinstance(around, ForOp) and is_shared(scope, around.axis):
            return True
        if isinstance(around, LoadOp) and any(
            is_shared(scope, loop.axis) for loop in all_loops_around(around)
        ):
            return True
        # Block variables depend on their bindings, variables of serial loops on nothing.
        if around is not None and not isinstance(around, ForOp):
            new = [operand for operand in around.operands if operand not in seen]
            pending += new
            seen.update(new)
    return False


def varies(value: SSAValue, inside: Block) -> bool:
    """True if ``value`` is defined within one execution of ``inside``, as a loop variable or a
    result.
    """
    owner = value.owner
    if owner is inside:
        return False
    block = owner if isinstance(owner, Block) else owner.parent
    while block is not None:
        if block is inside:
            return True
        parent = block.parent_op()
        block = parent.parent if parent is not None else None
    return False
