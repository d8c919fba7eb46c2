"""Regions with several blocks, and the branches of the cf dialect."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from xdsl.dialects import cf
from xdsl.ir import Block, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm.function import FunctionLowering, LlvmPattern
from kc.dialects import llvm


def reverse_post_order(region: Region) -> list[Block]:
    """The reachable blocks of ``region``, each after the blocks that dominate it."""
    entry = region.first_block
    if entry is None:
        return []
    if entry.next_block is None:
        return [entry]
    order: list[Block] = []
    seen = {entry}
    stack = [(entry, iter(_successors(entry)))]
    while stack:
        block, successors = stack[-1]
        successor = next((candidate for candidate in successors if candidate not in seen), None)
        if successor is None:
            stack.pop()
            order.append(block)
        else:
            seen.add(successor)
            stack.append((successor, iter(_successors(successor))))
    return order[::-1]


def _successors(block: Block) -> list[Block]:
    return list(block.last_op.successors) if block.last_op is not None else []


def place_blocks(s: FunctionLowering, region: Region) -> Generator[Block, None, None]:
    """Yield the blocks of ``region`` in order; the first one continues the current block.

    Definitions come before uses. Unreachable blocks are dropped.
    """
    order = reverse_post_order(region)
    for block in order[1:]:
        s.blocks[block] = s.new_block(block.args)
    for i, block in enumerate(order):
        if i:
            s.start(s.blocks[block])
        yield block


class LowerBranch(LlvmPattern):
    """An unconditional branch; a memref is passed as several values.

    ::

        cf.br ^b(%v : f32)    ->    llvm.br ^b(%v : f32)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: cf.BranchOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        (target,) = op.successors
        s.branch(s.blocks[target], s.flatten_all(op.operands, target.args))


class LowerCondBranch(LlvmPattern):
    """A branch to one of two blocks.

    ::

        cf.cond_br %c, ^a, ^b    ->    llvm.cond_br %c, ^a, ^b
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: cf.ConditionalBranchOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        condition, *operands = op.operands
        then, otherwise = op.successors
        count = len(then.args)
        s.insert(
            llvm.CondBrOp(
                s.value(condition),
                s.blocks[then],
                s.flatten_all(operands[:count], then.args),
                s.blocks[otherwise],
                s.flatten_all(operands[count:], otherwise.args),
            )
        )


class LowerSwitch(LlvmPattern):
    """A branch to one of several blocks.

    ::

        cf.switch %v : i32, [default: ^a, 1: ^b]    ->    llvm.switch %v : i32, ^a [1: ^b]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: cf.SwitchOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion

        def passed(block: Block, operands: Sequence[SSAValue]) -> list[SSAValue]:
            return s.flatten_all(operands, block.args)

        values: list[Any] = [] if op.case_values is None else list(op.case_values.get_values())
        cases = {
            value: (s.blocks[block], passed(block, operands))
            for value, block, operands in zip(values, op.case_blocks, op.case_operand, strict=True)
        }
        default = s.blocks[op.default_block], passed(op.default_block, op.default_operands)
        s.insert(llvm.SwitchOp(s.value(op.flag), *default, cases))


class LeaveUnless(LlvmPattern):
    """Leave the function, or this part of a parallel loop, if the condition is false.

    Upstream's ``cf.assert`` ends the process, which a kernel must not do. Only assertions of
    ``instrument-bound-checkers`` are lowered, whose callers check the report.

    ::

        cf.assert %c, "..." {leaves}    ->    llvm.cond_br %c, ^following, ^leaving
                                          ^leaving: llvm.return
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: cf.AssertOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        if "leaves" not in op.attributes:
            raise s.unsupported(op)
        following, leaving = s.new_block(), s.new_block()
        s.cond_branch(s.value(op.operands[0]), following, leaving)
        s.start(leaving)
        signature = s.module.signatures.get(s.name)
        returned = () if signature is None or not signature.results else (signature.type.output,)
        s.insert(llvm.ReturnOp(*(s.emit(llvm.PoisonOp, [], type_) for type_ in returned)))
        s.start(following)


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerBranch,
    LowerCondBranch,
    LowerSwitch,
    LeaveUnless,
)
