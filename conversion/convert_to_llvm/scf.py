"""Structured control flow: loops, conditionals and regions become blocks.

A loop tests at its head; LLVM's loop rotation converts it to the guarded, bottom-tested form. The
``llvm.loop_annotation`` of a loop is set on the branch that closes it, where LLVM expects it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1, i32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm.cfg import place_blocks
from kc.conversion.convert_to_llvm.function import FunctionLowering, LlvmPattern, Nested
from kc.dialects import llvm

EQ, SLT = IntegerAttr(0, i64), IntegerAttr(2, i64)
SMALL_STEP = 2**31
NO_SIGNED_WRAP: dict[str, Attribute] = {"overflowFlags": IntegerAttr(1, i32)}


@dataclass(frozen=True)
class Loop:
    """A loop under construction, from :func:`open_loop` to :func:`close_loop`."""

    header: Block
    exit: Block
    induction: SSAValue
    step: SSAValue
    saturates: bool
    """True if the induction variable may overflow in a step, which must end the loop."""


def open_loop(
    s: FunctionLowering,
    bounds: Sequence[SSAValue],
    carried: Sequence[SSAValue] = (),
    arguments: Sequence[SSAValue] = (),
    *,
    saturates: bool = False,
) -> Loop:
    """Emit the head of ``for induction = lower to upper step step`` (``bounds``), and continue in
    its body.

    ``carried`` are the old initial values of the old block arguments ``arguments``.
    """
    s.enter_loop()
    lower, upper, step = bounds
    header = s.new_block(arguments)
    induction = header.insert_arg(lower.type, 0)
    s.branch(header, [lower, *s.flatten_all(carried, arguments)])
    s.start(header)
    body, after = s.new_block(), s.new_block()
    more = s.emit(llvm.ICmpOp, [induction, upper], i1, {"predicate": SLT})
    s.cond_branch(more, body, after)
    s.start(body)
    return Loop(header, after, induction, step, saturates)


def close_loop(
    s: FunctionLowering,
    loop: Loop,
    carried: Sequence[SSAValue] = (),
    arguments: Sequence[SSAValue] = (),
    annotation: Attribute | None = None,
) -> None:
    """Emit the back edge, with the translations of ``carried`` for the next iteration, and continue
    after the loop.
    """
    type_ = loop.induction.type
    if loop.saturates:
        operands = [loop.induction, loop.step]
        call = llvm.CallIntrinsicOp(f"llvm.sadd.sat.{type_}", operands, [type_])
        (following,) = s.insert(call).results
    else:
        following = s.emit(llvm.AddOp, [loop.induction, loop.step], type_, NO_SIGNED_WRAP)
    s.branch(loop.header, [following, *s.flatten_all(carried, arguments)], annotation)
    _leave_loop(s, loop.exit)


def _leave_loop(s: FunctionLowering, following: Block) -> None:
    """Continue in ``following``, after the loop being translated."""
    s.start(following)
    s.leave_loop()
    if s.op in s.guarded_updates:
        s.insert(llvm.CallIntrinsicOp("llvm.sideeffect", ()))


def loop_annotation(op: Operation) -> Attribute | None:
    """The hints to LLVM about the loop ``op``."""
    return op.attributes.get("llvm.loop_annotation")


def terminator(block: Block) -> Operation:
    """The last operation of ``block``."""
    last = block.last_op
    assert last is not None
    return last


class LowerFor(LlvmPattern):
    """A loop that tests at its head.

    ::

        scf.for %i = %l to %u step %s { ... }

    becomes ::

        ^head(%i): llvm.cond_br (%i < %u), ^body, ^exit
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        self.conversion.nest(self.blocks(op))

    def blocks(self, op: scf.ForOp) -> Nested:
        """Translate the loop."""
        s = self.conversion
        bounds = [s.value(operand) for operand in op.operands[:3]]
        (block,) = op.regions[0].blocks
        induction, *arguments = block.args
        # An index counts elements of memory, so a small step past the end does not overflow it.
        step = s.index(op.operands[2])
        is_small = isinstance(step, int) and step < SMALL_STEP
        saturates = step != 1 and not (is_small and isinstance(induction.type, IndexType))
        loop = open_loop(s, bounds, op.operands[3:], arguments, saturates=saturates)
        s.define(induction, loop.induction)
        yield block
        close_loop(s, loop, terminator(block).operands, arguments, loop_annotation(op))
        for result, argument in zip(op.results, arguments, strict=True):
            s.define(result, s.lowered(argument))


class LowerWhile(LlvmPattern):
    """A loop whose condition is a region: the first region is the head, the second the body."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.WhileOp, rewriter: PatternRewriter, /) -> None:
        self.conversion.nest(self._blocks(op))

    def _blocks(self, op: scf.WhileOp) -> Nested:
        s = self.conversion
        s.enter_loop()
        (before,), (after,) = op.regions[0].blocks, op.regions[1].blocks
        header = s.new_block(before.args)
        s.branch(header, s.flatten_all(op.operands, before.args))
        s.start(header)
        yield before
        condition, *values = terminator(before).operands
        body, leave = s.new_block(), s.new_block()
        s.cond_branch(s.value(condition), body, leave)
        s.start(body)
        for argument, value in zip(after.args, values, strict=True):
            s.define(argument, s.lowered(value))
        yield after
        s.branch(
            header, s.flatten_all(terminator(after).operands, before.args), loop_annotation(op)
        )
        _leave_loop(s, leave)
        for result, value in zip(op.results, values, strict=True):
            s.define(result, s.lowered(value))


class LowerIf(LlvmPattern):
    """A branch around a conditional region; results are arguments of the block after it.

    ::

        scf.if %c { ... }    ->    llvm.cond_br %c, ^then, ^after
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /) -> None:
        self.conversion.nest(self._blocks(op))

    def _blocks(self, op: scf.IfOp) -> Nested:
        s = self.conversion
        condition = s.value(op.operands[0])
        after = s.new_block(op.results)
        then = s.new_block()
        has_else = op.regions[1].first_block is not None
        otherwise = s.new_block() if has_else else after
        s.cond_branch(condition, then, otherwise)
        for region, target in zip(op.regions, (then, otherwise), strict=True):
            if (block := region.first_block) is None:
                continue
            s.start(target)
            yield block
            s.branch(after, s.flatten_all(terminator(block).operands, op.results))
        s.start(after)


class LowerIndexSwitch(LlvmPattern):
    """A comparison with each case, then a branch; results are arguments of the block after it.

    ::

        scf.index_switch %i case 2 { ... } default { ... }

    becomes ::

        llvm.cond_br (llvm.icmp "eq" %i, 2), ^case, ^default
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IndexSwitchOp, rewriter: PatternRewriter, /) -> None:
        self.conversion.nest(self._blocks(op))

    def _blocks(self, op: scf.IndexSwitchOp) -> Nested:
        s = self.conversion
        chosen = s.value(op.arg)
        after = s.new_block(op.results)
        for number, region in zip(op.cases.iter_values(), op.case_regions, strict=True):
            case, otherwise = s.new_block(), s.new_block()
            value = s.int_constant(int(number))
            s.cond_branch(
                s.emit(llvm.ICmpOp, [chosen, value], i1, {"predicate": EQ}), case, otherwise
            )
            s.start(case)
            yield region.block
            s.branch(after, s.flatten_all(terminator(region.block).operands, op.results))
            s.start(otherwise)
        default = op.default_region.block
        yield default
        s.branch(after, s.flatten_all(terminator(default).operands, op.results))
        s.start(after)


class LowerExecuteRegion(LlvmPattern):
    """Inline the blocks of an operation; its results are arguments of the block after them."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ExecuteRegionOp, rewriter: PatternRewriter, /) -> None:
        self.conversion.nest(self._blocks(op))

    def _blocks(self, op: scf.ExecuteRegionOp) -> Nested:
        s = self.conversion
        after = s.new_block(op.results)
        for block in place_blocks(s, op.regions[0]):
            yield block
            last = terminator(block)
            if last.name == "scf.yield":
                s.branch(after, s.flatten_all(last.operands, op.results))
        s.start(after)


class LeaveToParent(LlvmPattern):
    """Leave a terminator to the operation around it, which reads its operands."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: scf.YieldOp | scf.ConditionOp | scf.ReduceOp, rewriter: PatternRewriter, /
    ) -> None:
        rewriter.has_done_action = True


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerFor,
    LowerWhile,
    LowerIf,
    LowerIndexSwitch,
    LowerExecuteRegion,
    LeaveToParent,
)
