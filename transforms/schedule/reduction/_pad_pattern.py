"""Blocks that copy what is inside of some bounds, and store a constant outside of them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstraintExpr

from kc.analysis import loop_tree
from kc.analysis.conditions import conjunction
from kc.analysis.index_values import dimensions
from kc.analysis.regions import BoundIndexValues
from kc.analysis.simplify_affine import simplify_constraints
from kc.dialects.tir import StoreOp
from kc.transforms.schedule._blocks import Definition


@dataclass(frozen=True)
class Padding:
    """``value`` where ``conditions`` hold, else ``constant``."""

    store: StoreOp
    choice: Operation
    """The op that chooses."""
    constant: arith.ConstantOp
    value: SSAValue
    holds: bool
    """What the condition of ``choice`` is where ``value`` is chosen."""
    index: BoundIndexValues
    conditions: list[AffineConstraintExpr]
    """Over the roots of ``index``."""

    def build_value(self) -> None:
        """Store ``value`` whether the conditions hold or not, and erase what is left over."""
        choice = self.choice
        home = choice.parent
        assert home is not None
        if isinstance(choice, scf.IfOp):
            branch = (choice.true_region if self.holds else choice.false_region).block
            chosen = list(branch.last_op.operands)  # pyright: ignore[reportOptionalMemberAccess]
            if any(loop_tree.defined_inside(one, choice) for one in chosen):
                for op in [one for one in branch.ops if not isinstance(one, scf.YieldOp)]:
                    op.detach()
                    home.insert_op_before(op, choice)
        else:
            chosen = [self.value]
        for result, one in zip(choice.results, chosen, strict=True):
            result.replace_all_uses_with(one)
        choice.detach()
        choice.erase(safe_erase=False)
        erase_unused(home)


def erase_unused(block: Block) -> None:
    """Erase those ops of ``block`` that compute what nothing uses."""
    for op in reversed(list(block.ops)):
        if not loop_tree.has_effects(op) and not any(one.first_use for one in op.results):
            op.detach()
            op.erase()


def padding_of(made: Definition) -> Padding | str:
    """The padding that the block of ``made`` computes, or why it computes none."""
    store, block = made.store, made.block
    if block.is_reduction:
        return "it is a reduction"
    choice = store.value.owner
    if isinstance(choice, scf.IfOp):
        yielded = [
            region.block.last_op.operands[choice.results.index(store.value)]  # pyright: ignore
            for region in (choice.true_region, choice.false_region)
        ]
        condition = choice.cond
    elif isinstance(choice, arith.SelectOp):
        condition, *yielded = choice.operands
    else:
        return "what it stores is not chosen by a condition"
    constants = [isinstance(one.owner, arith.ConstantOp) for one in yielded]
    if not any(constants):
        return "what it stores is a constant in neither case"
    holds = not constants[0] if constants[0] is not constants[1] else True
    value, other = yielded if holds else yielded[::-1]
    constant = other.owner
    assert isinstance(constant, arith.ConstantOp)
    index = BoundIndexValues()
    conditions = conjunction(condition, index, holds=holds)
    roots = [index.roots[dim] for one in conditions or () for dim in dimensions(one.lhs)]
    if conditions is None or any(
        one is None or loop_tree.defined_inside(one, block) for one in roots
    ):
        return "its condition is not a conjunction of affine bounds of its variables"
    simple = simplify_constraints(conditions, index.ranges)
    conditions = conditions if simple is None else simple
    return Padding(store, choice, constant, value, holds, index, conditions)
