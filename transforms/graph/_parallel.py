"""Operators that share their data, computed as one: what the passes ``combine-parallel-*`` share.

After ``ParallelOpCombiner`` of TVM 0.9. A branch is an operator and the elementwise operators that
follow it, each the only consumer of the one before. Branches are combined as far as they have the
same operators with the same attributes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.dialects.graph.declaration import OperatorOp, Pattern
from kc.dialects.graph.operators.broadcast import Binary
from kc.dialects.graph.types import TensorSpec
from kc.dialects.graph.values import ConstantOp, TupleGetItemOp, TupleOp
from kc.support.diagnostics import GraphError
from kc.transforms.graph._building import Builder, tensor_spec
from kc.transforms.graph._rewriting import is_operator, rewrite, tensor_of
from kc.transforms.graph._scaling import is_known

Branch = list[OperatorOp]
_BORDERS = ("annotation.", "on_device", "device_copy")
"""The operators that end a branch, by the beginnings of their names."""


class Combination(RewritePattern):
    """Combines operators of one name that have the same first operand."""

    operator: ClassVar[str]

    def __init__(self, least: int, constants_only: bool) -> None:
        self.least = least
        self.constants_only = constants_only

    def apply(self, module: ModuleOp, flag: str) -> None:
        """Combine in all graphs of a module. Raises GraphError KC2460."""
        if self.least < 2:
            raise GraphError(
                "KC2460",
                f"{flag}: min_num_branches is {self.least}",
                why="at least 2 branches are combined",
            )
        rewrite(module, flag, [self])

    def kind(self, op: OperatorOp) -> Hashable | None:
        """The key that operators to combine have in common; None for an operator that stays."""
        raise NotImplementedError

    def combined(self, roots: Branch, build: Builder) -> SSAValue:
        """The operators as one."""
        raise NotImplementedError

    def joint(self, branches: list[Branch], level: int, place: int) -> bool:
        """True if the operands at a place of elementwise operators can be one operand."""
        raise NotImplementedError

    def joined(self, branches: list[Branch], level: int, place: int, build: Builder) -> SSAValue:
        """These operands as one."""
        raise NotImplementedError

    def applied(self, op: OperatorOp, operands: list[SSAValue], build: Builder) -> SSAValue:
        """An elementwise operator of the combined operands."""
        return build(op.OPERATOR.name, *operands, **op.operator.attributes())

    def part(self, branches: list[Branch], index: int, value: SSAValue, build: Builder) -> SSAValue:
        """The result of a branch, of the combined value."""
        raise NotImplementedError

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        if not is_operator(op, self.operator) or op.parent is None:
            return
        kind = self.kind(op)
        if kind is None:
            return
        roots = self._siblings(op, kind, op.parent)
        if len(roots) < self.least or roots[0] is not op:
            return
        branches = [_branch(root) for root in roots]
        depth = 1
        while depth < min(map(len, branches)) and self._is_level(branches, depth):
            depth += 1
        branches = [branch[:depth] for branch in branches]
        _hoist(_operands(branches), op)
        build = Builder(op, rewriter)
        value = self.combined(roots, build)
        for level in range(1, depth):
            op = branches[0][level]
            own = _place(branches[0], level)
            operands = [
                value if place == own else self.joined(branches, level, place, build)
                for place in range(len(op.inputs))
            ]
            value = self.applied(op, operands, build)
        for index, branch in enumerate(branches):
            branch[-1].result.replace_all_uses_with(self.part(branches, index, value, build))
        for branch in branches:
            for each in reversed(branch):
                rewriter.erase(each)

    def _siblings(self, op: OperatorOp, kind: Hashable, block: Block) -> Branch:
        """The operators to combine with one, in their order: none needs another's result."""
        users = {use.operation for use in op.inputs[0].uses if use.index == 0}
        roots: Branch = []
        for user in block.ops:
            if user not in users or not isinstance(user, OperatorOp):
                continue
            if not is_operator(user, self.operator) or self.kind(user) != kind:
                continue
            if self.constants_only and not all(map(is_known, user.inputs[1:])):
                continue
            if _can_stand_before(user.inputs, op, [*roots, user]):
                roots.append(user)
        return roots

    def _is_level(self, branches: list[Branch], level: int) -> bool:
        ops = [branch[level] for branch in branches]
        first = ops[0]
        if any(
            each.name != first.name
            or each.properties != first.properties
            or tensor_spec(each.result).dtype != tensor_spec(first.result).dtype
            for each in ops
        ):
            return False
        places = [_place(branch, level) for branch in branches]
        partners_at = [place for place in range(len(first.inputs)) if place != places[0]]
        if len(set(places)) != 1 or len(partners_at) != len(first.inputs) - 1:
            return False
        if not all(self.joint(branches, level, place) for place in partners_at):
            return False
        partners = [each.inputs[place] for each in ops for place in partners_at]
        if self.constants_only and not all(map(is_known, partners)):
            return False
        return _can_stand_before(partners, branches[0][0], [op for each in branches for op in each])


def _place(branch: Branch, level: int) -> int:
    """The position of the operand of an operator that is the one before it in its branch."""
    return list(branch[level].inputs).index(branch[level - 1].result)


def _branch(root: OperatorOp) -> Branch:
    """An operator and the elementwise ones behind it."""
    branch = [root]
    while True:
        value = branch[-1].result
        uses = list(value.uses)
        user = uses[0].operation if len(uses) == 1 else None
        if not isinstance(user, OperatorOp) or user.parent is not root.parent:
            return branch
        if not _is_elementwise(user) or tensor_of(user.result) is None:
            return branch
        if tensor_spec(user.result).shape != tensor_spec(value).shape:
            return branch
        branch.append(user)


def _is_elementwise(op: OperatorOp) -> bool:
    """True if each element of the result is computed of those at its place."""
    if op.OPERATOR.name.startswith(_BORDERS):
        return False
    if len(op.inputs) == 1:
        return op.OPERATOR.pattern == Pattern.ELEMWISE and op.OPERATOR.is_pure
    return issubclass(op.OPERATOR, Binary) or is_operator(op, "nn.bias_add")


def _operands(branches: list[Branch]) -> list[SSAValue]:
    inner = {op.result for branch in branches for op in branch}
    return [
        operand
        for branch in branches
        for op in branch
        for operand in op.inputs
        if operand not in inner
    ]


def _slice(values: Sequence[SSAValue], before: Operation) -> list[Operation] | None:
    """The operations of a block, behind ``before`` or it, that values are computed by; None if one
    of them may not be moved."""
    needed: set[Operation] = set()
    work = list(values)
    while work:
        owner = work.pop().owner
        if isinstance(owner, Operation) and owner not in needed and owner.parent is before.parent:
            needed.add(owner)
            work.extend(owner.operands)
    behind: list[Operation] = []
    op: Operation | None = before
    while op is not None:
        if op in needed:
            is_value = isinstance(op, ConstantOp | TupleOp | TupleGetItemOp)
            if not is_value and not (isinstance(op, OperatorOp) and op.OPERATOR.is_pure):
                return None
            behind.append(op)
        op = op.next_op
    return behind


def _can_stand_before(
    values: Sequence[SSAValue], op: Operation, branches: Sequence[OperatorOp]
) -> bool:
    """True if values can be computed before ``op``, without the results of the branches."""
    moved = _slice(values, op)
    return moved is not None and not any(each in branches for each in moved)


def _hoist(values: Sequence[SSAValue], op: Operation) -> None:
    """Move what computes values before ``op``."""
    moved = _slice(values, op)
    assert moved is not None
    assert op.parent is not None
    for each in moved:
        each.detach()
        op.parent.insert_op_before(each, op)


def are_one(values: Sequence[SSAValue]) -> bool:
    """True if values are the same one, or constants of equal elements."""
    first = values[0]
    if all(value is first for value in values):
        return True
    return all(
        isinstance(value.owner, ConstantOp)
        and isinstance(first.owner, ConstantOp)
        and value.owner.value == first.owner.value
        for value in values
    )


class Concatenation(Combination):
    """Combines operators by their weights, concatenated along the outputs."""

    def result_axis(self, op: OperatorOp) -> int:
        """The axis of the result that the outputs of the weight are."""
        raise NotImplementedError

    def joint(self, branches: list[Branch], level: int, place: int) -> bool:
        return self._joint_axis(branches, level, place) is not None

    def joined(self, branches: list[Branch], level: int, place: int, build: Builder) -> SSAValue:
        values = [branch[level].inputs[place] for branch in branches]
        axis = self._joint_axis(branches, level, place)
        assert axis is not None
        return values[0] if axis < 0 else build("concatenate", *values, axis=axis)

    def _joint_axis(self, branches: list[Branch], level: int, place: int) -> int | None:
        """The axis along which operands are concatenated, -1 if one is that of all branches; None
        if they cannot be one operand."""
        op, root = branches[0][level], branches[0][0]
        values = [branch[level].inputs[place] for branch in branches]
        specs = [tensor_of(value) for value in values]
        first = specs[0]
        rank = tensor_spec(root.result).rank
        if first is None:
            return None
        axis = self.result_axis(root) - rank + first.rank
        if is_operator(op, "nn.bias_add"):
            along = op.operator.attributes().get("axis", 1) % rank
            axis = 0 if along == self.result_axis(root) else -1
        if are_one(values) and (axis < 0 or first.shape[axis] == 1):
            return -1
        sizes = self._sizes(branches)
        for spec, size in zip(specs, sizes, strict=True):
            if spec is None or axis < 0 or spec.rank != first.rank or spec.shape[axis] != size:
                return None
            if None in spec.shape or _without(spec, axis) != _without(first, axis):
                return None
        return axis

    def _sizes(self, branches: list[Branch]) -> list[int]:
        """The numbers of outputs of the branches, which :meth:`kind` requires to be known."""
        axis = self.result_axis(branches[0][0])
        sizes = [tensor_spec(branch[0].result).shape[axis] for branch in branches]
        return [size for size in sizes if isinstance(size, int)]

    def part(self, branches: list[Branch], index: int, value: SSAValue, build: Builder) -> SSAValue:
        sizes = self._sizes(branches)
        start = sum(sizes[:index])
        axes = (self.result_axis(branches[0][0]),)
        end = (start + sizes[index],)
        return build("strided_slice", value, begin=(start,), end=end, axes=axes)


def _without(spec: TensorSpec, axis: int) -> tuple[object, ...]:
    return (*spec.shape[:axis], *spec.shape[axis + 1 :])
