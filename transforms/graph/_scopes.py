"""The blocks that values of graphs stand in, and bindings of names to values."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from kc.dialects.graph.control import IfOp
from kc.dialects.graph.data_types import MatchOp
from kc.dialects.graph.functions import FuncOp, FunctionRefOp
from kc.dialects.graph.values import ConstantOp, LetOp
from kc.transforms.graph._purity import Purity
from kc.transforms.graph._symbols import functions_of


def open_functions(module: ModuleOp) -> Iterator[FuncOp]:
    """The functions of a module that are no groups of ``fuse-ops``."""
    for function in functions_of(module).values():
        if "primitive" not in function.attributes:
            yield function


def dissolve_bindings(function: FuncOp) -> None:
    """Use values for the variables that they are bound to."""
    for op in [each for each in function.walk() if isinstance(each, LetOp)]:
        op.result.replace_all_uses_with(op.value)
        op.detach()
        op.erase()


def sink(block: Block, purity: Purity) -> None:
    """Move pure operations into the branches that alone use them, the innermost ones.

    Bodies of loops and of functions are no branches: what stands in them may run many times.
    Bindings, constants and names of functions stay.
    """
    for op in reversed(list(block.ops)):
        if isinstance(op, ConstantOp | FunctionRefOp | LetOp) or not purity.is_pure(op):
            continue
        ways = [_way(use.operation, block) for result in op.results for use in result.uses]
        if not ways:
            continue
        shared = ways[0]
        for way in ways[1:]:
            common = [a for a, b in zip(shared, way, strict=False) if a is b]
            shared = shared[: len(common)]
        if len(shared) < 2:
            continue
        target = shared[-1]
        users = {use.operation for result in op.results for use in result.uses}
        first = next(each for each in target.ops if any(map(each.is_ancestor, users)))
        op.detach()
        target.insert_op_before(op, first)
    for op in block.ops:
        for region in op.regions:
            sink(region.block, purity)


def _way(user: Operation, block: Block) -> list[Block]:
    """The blocks from ``block`` to the user that are its branches."""
    inner: list[Block] = []
    parent = user.parent_block()
    while parent is not None and parent is not block:
        inner.append(parent)
        around = parent.parent_op()
        parent = None if around is None else around.parent_block()
    way = [block]
    for each in reversed(inner):
        if not isinstance(each.parent_op(), IfOp | MatchOp):
            break
        way.append(each)
    return way
