"""Queries on the loop tree of a function: loops, blocks, chains, and its rendering as text."""

from __future__ import annotations

import functools
from collections.abc import Container, Iterator, Mapping, Sequence

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import (
    IsTerminator,
    NoMemoryEffect,
    RecursiveMemoryEffect,
    is_side_effect_free,
)

from kc.dialects.tir import (
    AllocOp,
    BlockOp,
    CombineOp,
    ConditionOp,
    ForKind,
    ForOp,
    IfOp,
    IterType,
    LoadOp,
    PrefetchOp,
    StoreOp,
    YieldOp,
)


def functions(module: ModuleOp) -> list[func.FuncOp]:
    """The function definitions of a module, in order."""
    return [op for op in module.body.ops if isinstance(op, func.FuncOp) and op.body.blocks]


def kernels(module: ModuleOp) -> list[func.FuncOp]:
    """The functions to schedule: all public functions, or all functions if none is public."""
    defined = functions(module)
    public = [
        function
        for function in defined
        if function.sym_visibility is None or function.sym_visibility.data != "private"
    ]
    return public or defined


def preorder(root: Operation) -> Iterator[Operation]:
    """``root`` and all ops below it in program order, several times as fast as ``root.walk()``.

    The caller must not move or erase ops during the iteration.
    """
    stack = [root]
    while stack:
        op: Operation | None = stack.pop()
        is_root = op is root
        while op is not None:
            yield op
            following = None if is_root else op._next_op  # pyright: ignore[reportPrivateUsage]
            if op.regions:
                if following is not None:
                    stack.append(following)
                for region in reversed(op.regions):
                    block = region._last_block  # pyright: ignore[reportPrivateUsage]
                    while block is not None:  # reversed: the first region ends on top of the stack
                        first = block._first_op  # pyright: ignore[reportPrivateUsage]
                        if first is not None:
                            stack.append(first)
                        block = block._prev_block  # pyright: ignore[reportPrivateUsage]
                break
            op = following


def blocks(root: Operation) -> list[BlockOp]:
    """All blocks below ``root``, in program order, blocks inside blocks included."""
    return [op for op in preorder(root) if type(op) is BlockOp]


def loops(root: Operation) -> list[ForOp]:
    """All loops below ``root`` (and ``root`` itself), in program order."""
    return [op for op in preorder(root) if type(op) is ForOp]  # isinstance takes twice the time


def marked_buffers(root: Operation, mark: str) -> list[AllocOp]:
    """The buffers allocated below ``root`` with the attribute ``mark``, in program order."""
    return [op for op in preorder(root) if type(op) is AllocOp and mark in op.attributes]


def loops_around(op: Operation) -> list[ForOp]:
    """The loops around ``op``, outermost first, up to an enclosing block or function."""
    around: list[ForOp] = []
    parent = parent_of(op)
    while parent is not None and not _ends_nest(type(parent)):
        if type(parent) is ForOp:
            around.append(parent)
        parent = parent_of(parent)
    return around[::-1]


@functools.cache
def _ends_nest(kind: type[Operation]) -> bool:
    """True if a nest of loops ends at operations of this class."""
    return issubclass(kind, (BlockOp, func.FuncOp))


def all_loops_around(op: Operation) -> list[ForOp]:
    """The loops around ``op`` up to the function, outermost first, across enclosing blocks."""
    around: list[ForOp] = []
    parent = parent_of(op)
    while parent is not None:
        if type(parent) is ForOp:
            around.append(parent)
        parent = parent_of(parent)
    return around[::-1]


def enclosing_function(op: Operation) -> func.FuncOp | None:
    """The function that contains ``op``; None if ``op`` is outside of functions."""
    while op is not None and not isinstance(op, func.FuncOp):
        parent = op.parent_op()
        if parent is None:
            return None
        op = parent
    return op


def has_work(op: Operation) -> bool:
    """True if ``op`` is part of the loop tree. Index arithmetic and constants are not."""
    return type(op) in _NODES or has_effects(op)


def is_size(op: Operation) -> bool:
    """True if ``op`` is a load whose value only determines extents of loops and reductions."""
    if not isinstance(op, LoadOp):
        return False
    for value in derived_values(op.result):
        for use in value.uses:
            user = use.operation
            extents: Sequence[SSAValue] = user.operands if isinstance(user, ForOp) else ()
            if isinstance(user, BlockOp):
                extents = [*user.dynamic_extents, *user.predicate_operands]
            # (A block may also bind a variable to the value.)
            if user.regions and list(user.operands).count(value) != list(extents).count(value):
                return False
            if not user.regions and has_effects(user) and not isinstance(user, LoadOp):
                return False
    return True


_NODES = frozenset((ForOp, BlockOp, IfOp, LoadOp, StoreOp, AllocOp))


def has_effects(op: Operation) -> bool:
    """True if ``op`` may do more than compute its results from its operands."""
    kind = type(op)
    if kind is CombineOp or kind is YieldOp:
        return False
    if op.regions or not op.results:
        return True
    if _is_pure(kind):
        return False
    if op.name == "llvm.call_intrinsic":
        # An intrinsic without pointer operands only computes its results.
        return any(operand.type.name == "llvm.ptr" for operand in op.operands)
    return op.name not in _PURE and not is_side_effect_free(op)


@functools.cache
def _is_pure(kind: type[Operation]) -> bool:
    """True if no operation of this class has effects."""
    return kind.has_trait(NoMemoryEffect, value_if_unregistered=False)


def touches_memory(op: Operation) -> bool:
    """True if ``op`` itself, apart from its regions, may read or write memory."""
    return not _has_no_effect_itself(type(op)) and has_effects(op)


@functools.cache
def _has_no_effect_itself(kind: type[Operation]) -> bool:
    """True if operations of this class access no memory themselves: their regions have the effects,
    or they are terminators, allocations or hints.
    """
    if issubclass(kind, (*ALLOCATIONS, PrefetchOp, ConditionOp)):
        return True
    traits = (IsTerminator, RecursiveMemoryEffect)
    return any(kind.has_trait(trait, value_if_unregistered=False) for trait in traits)


ALLOCATIONS = (AllocOp, memref.AllocOp, memref.AllocaOp)
"""Operations that allocate buffers."""


# Pure ops that xDSL does not declare pure.
_PURE = {
    *("arith.extsi", "arith.divsi", "arith.divui", "arith.ceildivui", "arith.remui"),
    *("vector.bitcast", "vector.create_mask", "vector.reduction"),
}


def only_child(loop: ForOp) -> Operation | None:
    """The only op of the loop tree in the body of ``loop``; None if the body has no op or
    several.
    """
    nodes = filter(has_work, loop.body.block.ops)
    first = next(nodes, None)
    return first if next(nodes, None) is None else None


def is_inside(op: Operation, root: Operation) -> bool:
    """True if ``op`` is ``root`` or inside it."""
    current: Operation | None = op
    while current is not None:
        if current is root:
            return True
        current = parent_of(current)
    return False


def parent_of(op: Operation) -> Operation | None:
    """``op.parent_op()``, three times as fast."""
    block = op.parent
    region = block.parent if block is not None else None
    return region.parent if region is not None else None


def path_to(op: Operation) -> Iterator[Operation]:
    """``op`` and the ops around it, from the inside out."""
    current: Operation | None = op
    while current is not None:
        yield current
        current = current.parent_op()


def defined_inside(value: SSAValue, root: Operation) -> bool:
    """True if ``value`` is defined in a region of ``root``."""
    owner = value.owner
    parent = owner.parent_op() if isinstance(owner, Block) else owner.parent_op()
    return parent is not None and is_inside(parent, root)


def buffer_name(buffer: SSAValue) -> str:
    """The name of a buffer in messages."""
    if isinstance(buffer.owner, AllocOp):
        return buffer.owner.label
    return buffer.name_hint or "buffer"


def memory_scope(buffer: SSAValue) -> str:
    """The memory scope of a buffer, by default ``global``."""
    type_ = buffer.type
    space = type_.memory_space if isinstance(type_, MemRefType) else None
    return space.data if isinstance(space, StringAttr) else "global"


def extent_text(extent: int | SSAValue) -> str:
    """An extent as text: a number, or the name of the value."""
    return str(extent) if isinstance(extent, int) else (extent.name_hint or "?")


def describe_loop(loop: ForOp) -> str:
    """A loop as text: ``for i in 64 parallel``, ``for i in 64 threadIdx.x``."""
    kind = "" if loop.kind.data is ForKind.SERIAL else f" {loop.kind_text}"
    return f"for {loop.label} in {extent_text(loop.extent_value)}{kind}"


def render(
    root: Operation | Sequence[Operation], marks: Mapping[Operation, str] | None = None
) -> list[str]:
    """The loop tree below ``root`` as indented lines, marked ops with an arrow and a note."""
    marks = marks or {}
    return [
        f"{text}    <-- {marks[op]}" if op is not None and op in marks else text
        for text, op in lines(root, marks)
    ]


def lines(
    root: Operation | Sequence[Operation], named: Container[Operation] = ()
) -> list[tuple[str, Operation | None]]:
    """The loop tree below ``root`` as indented lines, each with its op.

    Ops in ``named`` always get a line, even if ops of their kind are usually omitted.
    """
    shown: list[tuple[str, Operation | None]] = []

    def visit(op: Operation, depth: int) -> None:
        if isinstance(op, ForOp):
            text = describe_loop(op) + ":"
        elif isinstance(op, BlockOp):
            text = f"block {op.label}"
        elif isinstance(op, IfOp):
            text = "if ...:"
        elif isinstance(op, AllocOp):
            text = f"alloc {op.label}"
        elif isinstance(op, StoreOp):
            text = f"store to {buffer_name(op.buffer)}"
        elif op in named:
            text = op.name
        else:
            return
        shown.append(("  " * depth + text, op))
        if not isinstance(op, BlockOp):
            for child in children(op):
                visit(child, depth + 1)
            return
        for region, title in ((op.init, "init:"), (op.body, "")):
            nested = [op for block in region.blocks for op in block.ops]
            if any(isinstance(op, ForOp | BlockOp) for op in nested):
                if title:
                    shown.append(("  " * (depth + 1) + title, None))
                for child in nested:
                    if not isinstance(child, StoreOp) or child in named:
                        visit(child, depth + 1 + bool(title))

    tops = [root] if isinstance(root, Operation) else list(root)
    for top in tops:
        if isinstance(top, func.FuncOp):
            for child in children(top):
                visit(child, 0)
        else:
            visit(top, 0)
    return shown


def children(op: Operation) -> Iterator[Operation]:
    """The ops directly in the regions of ``op``."""
    for region in op.regions:
        for block in region.blocks:
            yield from block.ops


def derived_values(value: SSAValue) -> set[SSAValue]:
    """``value`` and every result computed from it by ops without regions."""
    derived: set[SSAValue] = {value}
    pending = [value]
    while pending:
        for use in pending.pop().uses:
            if not use.operation.regions:
                for result in use.operation.results:
                    if result not in derived:
                        derived.add(result)
                        pending.append(result)
    return derived


def iter_types(loop: ForOp, block: BlockOp) -> set[IterType]:
    """The types of the block variables that ``loop`` drives."""
    # Search backwards from the bindings: they depend on few operations, while the loop has any
    # number of uses.
    moves = [_is_derived(operand, loop.var) for operand in block.binding_operands]
    return {
        kind
        for expr, kind in zip(block.binding_exprs, block.types, strict=True)
        if any(moves[n] for n in expr.used_dims())
    }


def reduce_extents(block: BlockOp) -> list[int | SSAValue]:
    """The extent of each reduce variable of ``block``."""
    return [extent for kind, _, extent in block.iters if kind is IterType.REDUCE]


def reduce_loops(block: BlockOp) -> list[ForOp]:
    """The loops around ``block`` that drive its reduction, outermost first."""
    return [loop for loop in all_loops_around(block) if IterType.REDUCE in iter_types(loop, block)]


def known_of_nothing(block: BlockOp, values: Sequence[SSAValue]) -> list[bool]:
    """For each of ``values``: True if it is defined even if the reduction of ``block`` is empty,
    that is, if it does not depend on the reduction's loops.
    """
    variables = [loop.var for loop in reduce_loops(block)]
    return [not any(_is_derived(value, variable) for variable in variables) for value in values]


def _is_derived(value: SSAValue, source: SSAValue) -> bool:
    """True if ``value`` is one of the :func:`derived_values` of ``source``."""
    met, pending = {value}, [value]
    while pending:
        behind = pending.pop()
        if behind is source:
            return True
        owner = behind.owner
        if isinstance(owner, Operation) and not owner.regions:
            new = [operand for operand in owner.operands if operand not in met]
            met.update(new)
            pending += new
    return False


def spatial_loops(block: BlockOp) -> list[ForOp]:
    """The loops around ``block`` that drive only spatial variables, outermost first."""
    return [loop for loop in loops_around(block) if iter_types(loop, block) == {IterType.SPATIAL}]
