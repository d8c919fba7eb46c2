"""A fill directly before a reduction into the same elements becomes the ``init`` of its block.

Requirements, without which both stay: a single value for all elements, defined before the fill; no
access of the buffer in between, under any name; the next nest that uses the buffer is one block
that reduces into it, and each run of its loops inside of those around the fill is a complete
reduction; and the filled elements are exactly the updated ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from kc.analysis.accesses.dependence import accesses_memory_of
from kc.analysis.loop_tree import has_effects, has_work, preorder
from kc.analysis.reductions.reductions import reduction_of
from kc.dialects import tir


def fuse_inits(function: func.FuncOp) -> None:
    """Merge fills into the following reductions, if nothing in between uses the buffer."""
    for fill in [op for op in preorder(function) if isinstance(op, tir.BlockOp)]:
        store = _filled(fill)
        if store is None:
            continue
        top, loops = _nest_of(fill)
        target = _next_use(top, store.buffer)
        if target is None:
            continue
        block = _reduction(target)
        if block is None:
            continue
        inner = _loops_between(target, block)
        if _begins_with(block, inner) and _fits(fill, store, loops, block, inner):
            _fuse(store, block, inner)
            if block.label.startswith(f"{fill.label}_"):
                block.block_name = fill.block_name  # the label differed only by a numeric suffix
            top.detach()
            top.erase()


def _filled(block: tir.BlockOp) -> tir.StoreOp | None:
    """The store of a block, if all its instances store the same value."""
    ops = list(block.body.block.ops)
    if block.has_init or block.predicate.data.constraints or not ops:
        return None
    last = ops[-1]
    if not isinstance(last, tir.StoreOp):
        return None
    if any(not isinstance(op, arith.ConstantOp) for op in ops[:-1]):
        return None
    if isinstance(last.value, BlockArgument) and last.value.owner is block.body.block:
        return None
    if any(kind is not tir.IterType.SPATIAL for kind in block.types):
        return None
    return last


def _nest_of(block: tir.BlockOp) -> tuple[Operation, list[tir.ForOp]]:
    """The outermost loop that contains only ``block``, and the loops from there inwards."""
    top: Operation = block
    loops: list[tir.ForOp] = []
    while isinstance(parent := top.parent_op(), tir.ForOp):
        if sum(1 for child in parent.body.block.ops if has_work(child)) != 1:
            break
        if any(child for child in parent.body.block.ops if child is not top):
            break
        top = parent
        loops.insert(0, parent)
    return top, loops


def _next_use(top: Operation, buffer: SSAValue) -> Operation | None:
    """The first op after ``top`` in its block that may use the memory of ``buffer``."""
    op = top.next_op
    while op is not None:
        if accesses_memory_of(op, buffer):
            return op
        if not isinstance(op, tir.ForOp | tir.BlockOp | tir.IfOp | tir.AllocOp) and (
            op.regions or (has_effects(op) and not isinstance(op, tir.LoadOp | tir.StoreOp))
        ):
            return None  # it may use the buffer under another name
        op = op.next_op
    return None


def _reduction(target: Operation) -> tir.BlockOp | None:
    """The block of a nest that is a single reduction; None for other nests."""
    op: Operation = target
    while isinstance(op, tir.ForOp):
        inside = [child for child in op.body.block.ops if has_work(child)]
        if len(inside) != 1:
            return None
        op = inside[0]
    if not isinstance(op, tir.BlockOp) or op.has_init or not op.is_reduction:
        return None
    if op.predicate.data.constraints:
        return None
    return op if reduction_of(op) is not None or _stores(op) else None


def _stores(block: tir.BlockOp) -> list[tir.StoreOp]:
    return [op for op in block.body.walk() if isinstance(op, tir.StoreOp)]


def _loops_between(target: Operation, block: tir.BlockOp) -> list[tir.ForOp]:
    """The loops from ``target``, included, to ``block``, from the outside in."""
    loops: list[tir.ForOp] = []
    op: Operation | None = block
    while op is not target:
        assert op is not None
        op = op.parent_op()
        assert isinstance(op, tir.ForOp)
        loops.insert(0, op)
    return loops


def _begins_with(block: tir.BlockOp, inner: Sequence[tir.ForOp]) -> bool:
    """True if each run of the loops ``inner`` is a complete reduction: some reduce variables are
    bound to them, and all others are constant during the run.
    """
    mine = {loop.var for loop in inner}
    counted = False
    for kind, used in zip(block.types, _bound_to(block), strict=True):
        own = mine.intersection(used)
        if kind is tir.IterType.OPAQUE and own:
            return False
        if kind is tir.IterType.REDUCE and own:
            if len(own) != len(used):
                return False
            counted = True
    return counted


def _bound_to(block: tir.BlockOp) -> list[list[SSAValue]]:
    """For each variable of a block, the values that its binding uses."""
    return [
        [block.binding_operands[n] for n in sorted(expr.used_dims())]
        for expr in block.binding_exprs
    ]


def _fits(
    fill: tir.BlockOp,
    store: tir.StoreOp,
    loops: Sequence[tir.ForOp],
    block: tir.BlockOp,
    inner: Sequence[tir.ForOp],
) -> bool:
    """True if ``block`` updates exactly the elements that ``fill`` fills."""
    stores = _stores(block)
    if len(stores) != 1 or stores[0].buffer is not store.buffer:
        return False
    return _elements(fill, store, loops) == _elements(block, stores[0], inner) is not None


Element = tuple[object, ...]


def _elements(
    block: tir.BlockOp, store: tir.StoreOp, loops: Sequence[tir.ForOp]
) -> list[Element] | None:
    """The element that a block stores to, index by index: the extent of a separate loop, or a value
    that is constant in the nest.
    """
    elements: list[Element] = []
    mine: dict[SSAValue, tir.ForOp] = {loop.var: loop for loop in loops}
    seen: set[tir.ForOp] = set()
    bound = _bound_to(block)
    for expr in store.indices.data.results:
        if not isinstance(expr, AffineDimExpr):
            elements.append(("constant", str(expr)))
            if expr.used_dims():
                return None
            continue
        operand = store.operands_of_map[expr.position]
        if not isinstance(operand, BlockArgument) or operand.owner is not block.body.block:
            return None
        if block.types[operand.index] is not tir.IterType.SPATIAL:
            return None
        binding, used = block.binding_exprs[operand.index], bound[operand.index]
        own = [mine[var] for var in used if var in mine]
        if not own:
            elements.append(("outer", str(_ordered(binding)), tuple(used)))
            continue
        if len(used) != 1 or own[0] in seen:
            return None
        seen.add(own[0])
        elements.append(("loop", str(_ordered(binding)), own[0].extent_value))
    return elements


def _ordered(expr: object) -> object:
    """A binding with its dimensions numbered in the order of their use."""
    dims = sorted(expr.used_dims())  # pyright: ignore
    if not dims:
        return expr
    new = [
        AffineDimExpr(dims.index(n)) if n in dims else AffineDimExpr(0)
        for n in range(max(dims) + 1)
    ]
    return expr.replace_dims_and_symbols(new, ())  # pyright: ignore


def _fuse(store: tir.StoreOp, block: tir.BlockOp, inner: Sequence[tir.ForOp]) -> None:
    """Add an ``init`` to the block that stores the fill's value where the block stores.

    The reduction belongs to the loops ``inner``. Variables bound to loops around them become
    opaque, as the reduction restarts in each of their iterations.
    """
    mine = {loop.var for loop in inner}
    kinds = [
        tir.IterType.OPAQUE
        if kind is tir.IterType.REDUCE and used and not mine.intersection(used)
        else kind
        for kind, used in zip(block.types, _bound_to(block), strict=True)
    ]
    block.iter_types = ArrayAttr([tir.IterTypeAttr(kind) for kind in kinds])
    (update,) = _stores(block)
    init = Block(arg_types=[tir.INDEX] * len(block.types))
    values: dict[SSAValue, SSAValue] = {}
    for old, new in zip(block.body.block.args, init.args, strict=True):
        new.name_hint = old.name_hint
        values[old] = new
    owner = store.value.owner
    value = store.value
    if isinstance(owner, arith.ConstantOp):
        constant = owner.clone()
        constant.location = store.location
        init.add_op(constant)
        value = constant.result
    at = [values[operand] for operand in update.operands_of_map]
    start = tir.StoreOp(value, store.buffer, update.indices.data, at)
    start.location = store.location
    init.add_op(start)
    block.init.add_block(init)
