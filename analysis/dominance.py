"""Dominance: every SSA value is defined wherever it is used (xDSL's verifier does not check it).

One pass over the IR carries the set of values visible at the current op. Blocks of a region
with control flow are visited along its dominator tree (Cooper, Harvey and Kennedy, "A Simple,
Fast Dominance Algorithm", 2001). Unreachable blocks are not checked, as in MLIR.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.traits import IsolatedFromAbove

from kc.support.diagnostics import ParseError
from kc.support.locations import location_of

# A visit yields the visits of nested regions. A stack of visits replaces recursion, whose depth
# Python limits.
_Visit = Generator["_Visit", None, None]


def check_dominance(op: Operation) -> None:
    """Check all uses inside ``op``.

    Values from outside ``op`` are taken to be defined there, unless ``op`` is isolated from above.

    Raises :class:`~kc.support.diagnostics.ParseError` KC1201 for the first use, in program
    order, that its definition does not dominate.
    """
    stack: list[_Visit] = [_Checker(op).regions(op)]
    while stack:
        for nested in stack[-1]:
            stack.append(nested)
            break
        else:
            stack.pop()


class _Checker:
    def __init__(self, root: Operation) -> None:
        self.root = root
        self.visible: set[SSAValue] = set()

    def regions(self, op: Operation) -> _Visit:
        outer = self.visible
        if op.has_trait(IsolatedFromAbove):
            self.visible = set()
        for region in op.regions:
            entry = region.blocks.first
            if entry is not None:
                yield self.block(entry, {} if entry.next_block is None else dominator_tree(region))
        self.visible = outer

    def block(self, block: Block, tree: dict[Block, list[Block]]) -> _Visit:
        visible = self.visible
        defined: list[SSAValue] = list(block.args)
        visible.update(defined)
        for op in block.ops:
            for operand in op.operands:
                if operand not in visible:
                    self.undefined(op, operand)
            if op.regions:
                yield self.regions(op)
            defined.extend(op.results)
            visible.update(op.results)
        for child in tree.get(block, ()):
            yield self.block(child, tree)
        visible.difference_update(defined)

    def undefined(self, op: Operation, value: SSAValue) -> None:
        """Raise KC1201 unless ``value`` comes from outside the checked op and may be used there."""
        name = value_text(value)
        problem = _problem(op, value)
        if problem is None:
            if not self.root.has_trait(IsolatedFromAbove) and not _is_inside(value, self.root):
                return
            problem = (
                "where its definition does not reach",
                f"{_owner_text(value)} is in {_block_text(value.owner)}, and control can reach "
                f"{_block_text(op)} without passing it",
            )
        title, why = problem
        facts = [f"operand {list(op.operands).index(value)} of {op_text(op)} is {name}"]
        owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
        place = location_of(owner)
        facts.append(f"{name} is {_definition_text(value)}" + (f" at {place}" if place else ""))
        raise ParseError(
            "KC1201",
            f"{op.name}: {name} is used {title}",
            location=location_of(op),
            facts=facts,
            why=why,
        )


def dominator_tree(region: Region) -> dict[Block, list[Block]]:
    """The children of each reachable block of ``region`` in its dominator tree."""
    entry = region.blocks.first
    if entry is None:
        return {}
    order = _postorder(entry)
    number = {block: n for n, block in enumerate(order)}
    predecessors: dict[Block, list[int]] = {block: [] for block in order}
    for block in order:
        for successor in _successors(block):
            predecessors[successor].append(number[block])
    root = len(order) - 1
    idom = [-1] * root + [root]
    changed = True
    while changed:
        changed = False
        for n in range(root - 1, -1, -1):
            new = -1
            for predecessor in predecessors[order[n]]:
                if idom[predecessor] < 0:
                    continue
                while new >= 0 and new != predecessor:
                    if new < predecessor:
                        new = idom[new]
                    else:
                        predecessor = idom[predecessor]
                new = predecessor
            if idom[n] != new:
                idom[n] = new
                changed = True
    children: dict[Block, list[Block]] = {block: [] for block in reversed(order)}
    for n in range(root - 1, -1, -1):
        children[order[idom[n]]].append(order[n])
    return children


def _successors(block: Block) -> Iterator[Block]:
    last = block.last_op
    return iter(last.successors) if last is not None else iter(())


def _postorder(entry: Block) -> list[Block]:
    order: list[Block] = []
    seen = {entry}
    stack = [(entry, _successors(entry))]
    while stack:
        block, rest = stack[-1]
        for successor in rest:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, _successors(successor)))
                break
        else:
            order.append(block)
            stack.pop()
    return order


def _problem(op: Operation, value: SSAValue) -> tuple[str, str] | None:
    """The place and the cause of the invalid use, as text; None if control flow between blocks
    decides.
    """
    owner = value.owner
    block = owner.parent if isinstance(owner, Operation) else owner
    if block is None or block.parent is None or _top(block) is not _top(op):
        return (
            "after its definition was removed",
            f"{_owner_text(value)} is not part of this program",
        )
    isolated: Operation | None = None
    around: Operation | None = op
    while around is not None and around.parent_region() is not block.parent:
        around = around.parent_op()
        if isolated is None and around is not None and around.has_trait(IsolatedFromAbove):
            isolated = around
    if around is None:
        outer = block.parent_op()
        return (
            "outside the region that defines it",
            f"it is defined inside {op_text(outer) if outer else 'a region'}, "
            "which does not enclose the use",
        )
    if around is owner:
        return (
            "by the op that defines it",
            f"the results of {op_text(around)} exist only after it",
        )
    if isolated is not None:
        return (
            "across the boundary of an isolated op",
            f"{op_text(isolated)} is isolated from above: it may use only its own values",
        )
    if around.parent is block and isinstance(owner, Operation) and _is_before(around, owner):
        return "before it is defined", f"{op_text(owner)} comes later in the same block"
    return None


def _is_before(first: Operation, second: Operation) -> bool:
    op = first.next_op
    while op is not None and op is not second:
        op = op.next_op
    return op is second


def _top(node: Block | Operation) -> Operation | None:
    op = node if isinstance(node, Operation) else node.parent_op()
    while op is not None and (parent := op.parent_op()) is not None:
        op = parent
    return op


def _is_inside(value: SSAValue, root: Operation) -> bool:
    op = value.owner.parent_op()
    while op is not None and op is not root:
        op = op.parent_op()
    return op is root


def value_text(value: SSAValue) -> str:
    """``value`` as a message names it: ``%x``, or its definition if it has no name."""
    if value.name_hint is not None:
        return f"%{value.name_hint}"
    if isinstance(value, OpResult):
        return f"result {value.index} of {op_text(value.op)}"
    return _definition_text(value)


def op_text(op: Operation) -> str:
    """``op`` as a message names it: its name and its label or symbol."""
    label = getattr(op, "label", None)
    if isinstance(label, str):
        return f'{op.name} "{label}"'
    symbol = op.get_attr_or_prop("sym_name")
    return op.name if symbol is None else f"{op.name} @{getattr(symbol, 'data', symbol)}"


def _owner_text(value: SSAValue) -> str:
    owner = value.owner
    return op_text(owner) if isinstance(owner, Operation) else _definition_text(value)


def _definition_text(value: SSAValue) -> str:
    owner = value.owner
    if isinstance(owner, Operation):
        return f"defined by {op_text(owner)}"
    parent = owner.parent_op()
    index = owner.args.index(value)  # pyright: ignore[reportArgumentType]
    return f"argument {index} of {op_text(parent) if parent is not None else 'a block'}"


def _block_text(node: Block | Operation) -> str:
    """The position of the block of ``node`` in its region, as ``block 2``."""
    block = node if isinstance(node, Block) else node.parent
    region = block.parent if block is not None else None
    if region is None:
        return "a block"
    return f"block {next(n for n, candidate in enumerate(region.blocks) if candidate is block)}"
