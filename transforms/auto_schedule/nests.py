"""The loop nest around a block for the rules: loops, accesses and their strides.

All properties are read from the IR on demand, so that a rule sees the result of the previous
primitives without knowing the rules that called them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import is_table
from kc.analysis.accesses.regions import BoundIndexValues, buffers_read, buffers_written
from kc.analysis.affine.merged_dimensions import merged
from kc.analysis.reductions.reductions import reduction_of
from kc.dialects.affine_assembly import linear_terms
from kc.dialects.tir import (
    AllocOp,
    BlockOp,
    CombineOp,
    ForKind,
    ForOp,
    IfOp,
    IterType,
    LoadOp,
    StoreOp,
    YieldOp,
)

ASSUMED = 256
"""The assumed extent of a loop whose extent is not a constant."""

FAR = 1 << 20
"""The stride, in elements, along a dimension with rows of unknown length between its elements."""

COSTLY = 20
"""The cost of a call of a mathematical function, in additions."""


@dataclass(frozen=True)
class Access:
    """A load or a store, with its stride along each loop."""

    op: LoadOp | StoreOp
    strides: dict[ForOp, int]
    """The strides in elements; 0 along a loop that is not a key."""
    irregular: frozenset[ForOp]
    """The loops whose strides are not exact: an index is a quotient of the loop's variable, or a
    value computed from it.
    """
    divided: frozenset[ForOp]
    """The loops whose quotients and remainders are the indices of several dimensions. Their strides
    are exact, as the dimensions together form one number.
    """
    bits: int
    groups: dict[ForOp, int]
    """The loops along which consecutive iterations access the same element, with the number of such
    iterations. For example, the channels of a group of a grouped convolution read the same
    channels.
    """

    @property
    def regular(self) -> bool:
        """True if all strides are exact: indices are sums of loop variables with coefficients, or
        digits of such sums.
        """
        return not self.irregular

    @property
    def affine(self) -> bool:
        """True if each index is a sum of loop variables with coefficients, so that tiles of the
        loops access boxes of the array.
        """
        return not self.irregular and not self.divided

    def stride(self, loop: ForOp) -> int:
        """The distance in elements between the accesses of two consecutive iterations of
        ``loop``.
        """
        return self.strides.get(loop, 0)

    @property
    def buffer(self) -> SSAValue:
        """The accessed buffer."""
        return self.op.buffer


class Nest:
    """The loops around one block and the accesses of the block, at the time of construction."""

    def __init__(self, block: BlockOp, outer: int = 0) -> None:
        """Analyze a block without its ``outer`` outermost loops, whose variables count as fixed."""
        self.block = block
        self.name = block.label
        loops = loop_tree.loops_around(block)
        self.loops = loops[outer:]
        """The loops around the block, outermost first."""
        self.kinds = {loop: loop_tree.iter_types(loop, block) for loop in self.loops}
        """The types of the variables that each loop drives."""
        self.spatial = [loop for loop in self.loops if self.kinds[loop] <= {IterType.SPATIAL}]
        """The loops that drive nothing but spatial variables, outermost first."""
        self.reduce = [loop for loop in self.loops if IterType.REDUCE in self.kinds[loop]]
        """The loops that drive reduce variables, outermost first."""
        self.reduction = reduction_of(block)
        """The step of the reduction; None if the block does more than reduce."""
        self.body_ops = operations_of(block)
        """The operations of the body, without those of an init."""
        self.is_plain = all(map(is_plain_op, self.body_ops)) and all(self.kinds.values())
        """True if the block has only loads, arithmetic and stores: no loop, call or inner block."""
        self.operations = sum(map(_work, self.body_ops))
        """The work of one instance in additions; loads and stores are not counted."""
        self._index = BoundIndexValues()
        self._by_var: dict[SSAValue, ForOp] = {loop.var: loop for loop in self.loops}
        self._fixed: set[SSAValue | None] = {loop.var for loop in loops[:outer]}
        own = set(self.reduction.accesses) if self.reduction is not None else set()
        self.stores = [self._access(op) for op in self.body_ops if type(op) is StoreOp]
        self.loads = [
            self._access(op) for op in self.body_ops if type(op) is LoadOp and op not in own
        ]
        """The loads of the body, without the load of a reduction's previous result."""
        self.results: dict[str, Any] = {}
        """The cached results of analyses that rules share."""
        self.bits = max((access.bits for access in (*self.stores, *self.loads)), default=32)
        """The bits of the widest accessed element, which determines the lanes of a vector."""

    def read_number(self, buffer: SSAValue) -> int:
        """The position of a buffer in the list of the buffers that the block reads, as primitives
        count them.
        """
        written = buffers_written(self.block)
        read = buffers_read(self.block)
        return [buffer_read for buffer_read in read if buffer_read not in written].index(buffer)

    def _access(self, op: LoadOp | StoreOp) -> Access:
        buffer = op.buffer.type
        assert isinstance(buffer, MemRefType)
        shape = buffer.get_shape()
        strides: dict[ForOp, int] = {}
        irregular: set[ForOp] = set()
        divided: set[ForOp] = set()
        groups: dict[ForOp, int] = {}
        moves: set[ForOp] = set()
        """The loops that change the index by other terms than those of a group."""
        exprs = [self._index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]
        for dims, expr in merged(exprs, shape, self._index):
            rows = shape[dims[-1] + 1 :]
            scale = math.prod(rows) if all(size >= 0 for size in rows) else FAR
            terms, _ = linear_terms(expr)
            if len(dims) > 1:
                divided.update(loop for dim in dims for loop in self._divided(exprs[dim]))
            for atom, factor in terms.items():
                loop = self.loop_of(atom)
                if loop is not None:
                    strides[loop] = strides.get(loop, 0) + factor * scale
                    moves.add(loop)
                    continue
                group = self.group(atom)
                # The atom is a division or a value of the program, so the index may change by any
                # amount.
                for dim in atom.used_dims():
                    for moved in self._loops_behind(self._root(dim)):
                        strides[moved] = FAR
                        irregular.add(moved)
                        if group is not None and group[0] is moved:
                            groups[moved] = math.gcd(groups.get(moved, 0), group[1])
                        else:
                            moves.add(moved)
        groups = {loop: size for loop, size in groups.items() if loop not in moves}
        bits = element_bits(buffer)
        return Access(op, strides, frozenset(irregular), frozenset(divided), bits, groups)

    def _divided(self, expr: AffineExpr) -> Iterator[ForOp]:
        """The loops whose variables occur in quotients or remainders of an index."""
        for atom in linear_terms(expr)[0]:
            if self.loop_of(atom) is None:
                for dim in atom.used_dims():
                    yield from self._loops_behind(self._root(dim))

    def indices(self, access: Access) -> list[AffineExpr]:
        """The indices of an access; :meth:`loop_of` maps their variables to loops."""
        op = access.op
        return [self._index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]

    def loop_of(self, expr: AffineExpr) -> ForOp | None:
        """The loop of the variable that forms an expression alone; None for other expressions."""
        if not isinstance(expr, AffineDimExpr):
            return None
        root = self._root(expr.position)
        return self._by_var.get(root) if root is not None else None

    def depends_on(self, expr: AffineExpr, loops: Iterable[ForOp]) -> bool:
        """True if the variable of one of ``loops`` changes an index."""
        behind = {loop for dim in expr.used_dims() for loop in self._loops_behind(self._root(dim))}
        return not behind.isdisjoint(loops)

    def merged_indices(self, access: Access) -> list[tuple[tuple[int, ...], AffineExpr]]:
        """The indices of an access, with the dimensions grouped so that the indices of a group are
        the digits of one number.
        """
        shape = access.buffer.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
        return merged(self.indices(access), shape, self._index)

    def is_fixed(self, expr: AffineExpr) -> bool:
        """True if an index depends only on the loops that the nest leaves out."""
        dims = expr.used_dims()
        return bool(dims) and self._fixed.issuperset(map(self._root, dims))

    def group(self, atom: AffineExpr) -> tuple[ForOp, int] | None:
        """The loop and the divisor of ``loop floordiv constant``; None for other expressions."""
        if not isinstance(atom, AffineBinaryOpExpr) or atom.kind != AffineBinaryOpKind.FloorDiv:
            return None
        size, loop = atom.rhs, self.loop_of(atom.lhs)
        if not isinstance(size, AffineConstantExpr):
            return None
        return None if loop is None else (loop, size.value)

    def _root(self, dim: int) -> SSAValue | None:
        return self._index.roots[dim]

    def _loops_behind(self, value: SSAValue | None) -> Iterator[ForOp]:
        """The loops of the nest from whose variables ``value`` is computed."""
        seen: set[SSAValue] = set()
        pending = [] if value is None else [value]
        while pending:
            value = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            if value in self._by_var:
                yield self._by_var[value]
            elif isinstance(value, BlockArgument):
                owner = value.block.parent_op()
                if isinstance(owner, BlockOp):
                    expr = owner.binding_exprs[value.index]
                    pending += [owner.binding_operands[dim] for dim in expr.used_dims()]
            else:
                assert isinstance(value.owner, Operation)
                pending += value.owner.operands


def is_plain_op(op: Operation) -> bool:
    """True if an operation of a block is a load, a store, a condition or arithmetic."""
    if type(op) in _PLAIN:
        return True
    return not op.regions and not loop_tree.has_effects(op)


_PLAIN = frozenset((LoadOp, StoreOp, IfOp, scf.IfOp, CombineOp, scf.YieldOp, YieldOp))


def operations_of(block: BlockOp) -> list[Operation]:
    """The operations of the body of a block, without those of an init, in program order."""
    return [inner for op in block.body.block.ops for inner in loop_tree.preorder(op)]


def loop_of_dimension(nest: Nest, access: Access) -> list[ForOp | None]:
    """For each dimension, the loop whose variable alone is its index; None for other indices."""
    by_var: dict[SSAValue, ForOp] = {loop.var: loop for loop in nest.loops}
    operands = nest.block.binding_operands
    bound: dict[SSAValue, SSAValue] = {
        variable: operands[expr.position]
        for variable, expr in zip(nest.block.body.block.args, nest.block.binding_exprs, strict=True)
        if isinstance(expr, AffineDimExpr)
    }
    dims: list[ForOp | None] = []
    for expr in access.op.indices.data.results:
        at = expr.position if isinstance(expr, AffineDimExpr) else None
        value = bound.get(access.op.operands_of_map[at]) if at is not None else None
        dims.append(by_var.get(value) if value is not None else None)
    return dims


def element_bits(type_: MemRefType) -> int:
    """The bits that an element occupies in memory."""
    return max(8, getattr(type_.element_type, "bitwidth", 64))


def extent(loop: ForOp) -> int:
    """The extent of a loop; the assumed extent if it is not a constant."""
    static = loop.static_extent
    return ASSUMED if static is None or loop.kind.data is ForKind.WHILE else static


def iterations(loops: Iterable[ForOp]) -> int:
    """The product of the extents of ``loops``."""
    return math.prod(max(1, extent(loop)) for loop in loops)


def _work(op: Operation) -> int:
    if op.name.startswith("math."):
        return 1 if op.name in _CHEAP else COSTLY
    if op.name in ("arith.divf", "arith.divsi", "arith.divui", "arith.remsi", "arith.remui"):
        return 5
    if op.name.startswith("arith.") and op.name != "arith.constant":
        return 0 if isinstance(op.results[0].type, IndexType) else 1
    return 2 if type(op) in (scf.IfOp, IfOp) else 0


_CHEAP = {"math.absf", "math.absi", "math.fma", "math.floor", "math.ceil", "math.copysign"}


def is_own(buffer: SSAValue) -> bool:
    """True if the function allocates the buffer, so that no other code sees it."""
    return isinstance(buffer.owner, AllocOp)


def is_constant(buffer: SSAValue) -> bool:
    """True if the elements of a buffer are constants at compile time, so that a block at the root
    that computes with them runs during compilation (``lift-constant-blocks``).
    """
    return isinstance(buffer.owner, memref.GetGlobalOp) and is_table(buffer.owner)


def readers(buffer: SSAValue) -> list[BlockOp] | None:
    """The blocks that load from a buffer, without duplicates; None if the buffer has uses other
    than loads in blocks and stores.
    """
    blocks: dict[BlockOp, None] = {}
    for use in buffer.uses:
        op = use.operation
        if isinstance(op, StoreOp) and op.buffer is buffer:
            continue
        around = _block_around(op) if isinstance(op, LoadOp) else None
        if around is None:
            return None
        blocks[around] = None
    return list(blocks)


def _block_around(op: Operation) -> BlockOp | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, BlockOp):
        parent = parent.parent_op()
    return parent


def is_untouched(block: BlockOp) -> bool:
    """True if no primitive has changed the block: it is alone in serial loops, one for each
    variable, as in the lowering of tensor expressions.
    """
    loops = loop_tree.loops_around(block)
    if len(loops) != len(block.types) or block.predicate.data.constraints:
        return False
    operands = block.binding_operands
    for n, (loop, expr) in enumerate(zip(loops, block.binding_exprs, strict=True)):
        if loop.kind.data is not ForKind.SERIAL or loop.annotations is not None:
            return False
        if not isinstance(expr, AffineDimExpr) or operands[expr.position] is not loop.var:
            return False
        inner = loops[n + 1] if n + 1 < len(loops) else block
        if loop_tree.only_child(loop) is not inner:
            return False
    outermost = loops[0] if loops else block
    return isinstance(outermost.parent, Block) and _in_function(outermost)


def is_begun(block: BlockOp) -> bool:
    """True if primitives have begun to schedule the block: it has loops with a kind or an
    annotation, a condition, or variables composed of several loops, as after ``split`` and
    ``fuse``.
    """
    for loop in loop_tree.loops_around(block):
        if loop.kind.data is not ForKind.SERIAL or loop.annotations is not None:
            return True
    if block.predicate.data.constraints:
        return True
    for expr in block.binding_exprs:
        terms, _ = linear_terms(expr)
        if any(not isinstance(atom, AffineDimExpr) for atom in terms):
            return True
        if len(terms) > 1 and any(factor != 1 for factor in terms.values()):
            return True
    return False


def _in_function(op: Operation) -> bool:
    """True if ``op`` is in the body of a function, or in a branch of the body (a version of
    loops).
    """
    parent = op.parent_op()
    if isinstance(parent, IfOp):
        parent = parent.parent_op()
    return parent is not None and parent.name == "func.func"
