"""Convert branches between blocks to ``scf.if`` and ``scf.while`` if they are structured.

Before::

    cf.br ^head(%c0 : index)
  ^head(%i: index):
    %more = arith.cmpi slt, %i, %n : index
    cf.cond_br %more, ^body, ^exit
  ^body:
    ...
    cf.br ^head(%next : index)

After::

    %r = scf.while (%i = %c0) : (index) -> index {
      %more = arith.cmpi slt, %i, %n : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      ...
      scf.yield %next : index
    }

Blocks are merged repeatedly, by three rules: a block with a single predecessor branch, the two ways
of a condition that meet again (or both return), and a loop whose only exit is at its head.
Remaining branches are refused as before. (MLIR: ``-lift-cf-to-scf``, which also converts
unstructured branches. The reductions are those of interval analysis; see Muchnick, "Advanced
Compiler Design and Implementation", chapter 7, structural analysis.)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, cf, func, scf
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Block, Operation, Region, SSAValue

from kc.analysis.loop_tree import preorder


def with_structured_branches(function: func.FuncOp) -> func.FuncOp:
    """A copy of a function with conditions and loops instead of branches, as far as they are
    structured; the function itself if it has none, also in an ``scf.execute_region``.
    """
    if not any(len(region.blocks) > 1 for region in _regions(function)):
        return function
    copy = function.clone()
    copy.location = function.location
    for region in _regions(copy):
        while any(reduce(block) for reduce in _REDUCTIONS for block in list(region.blocks)):
            pass
    return copy


def _regions(function: func.FuncOp) -> list[Region]:
    """The regions that may contain branches, inner ones first."""
    inner = [op.region for op in preorder(function) if isinstance(op, scf.ExecuteRegionOp)]
    return [*reversed(inner), function.body]


def _end(block: Block) -> Operation:
    end = block.last_op
    assert end is not None
    return end


def _ways_to(block: Block) -> list[Operation]:
    """The branches to a block, once for each edge, even if both edges of a condition lead there."""
    region = block.parent
    assert region is not None
    return [
        _end(source)
        for source in region.blocks
        for successor in _end(source).successors
        if successor is block
    ]


def _is_only_way(block: Block) -> bool:
    region = block.parent
    assert region is not None
    return block is not region.first_block and len(_ways_to(block)) == 1


def _choices(op: cf.ConditionalBranchOp) -> list[tuple[Block, list[SSAValue]]]:
    """The targets of a condition, with their operands."""
    return [
        (op.then_block, list(op.then_arguments)),
        (op.else_block, list(op.else_arguments)),
    ]


def _moved(source: Block, target: Block, arguments: Sequence[SSAValue]) -> None:
    """Move all operations but the last into another block, with values for the arguments."""
    for argument, value in zip(source.args, arguments, strict=True):
        argument.replace_all_uses_with(value)
    for op in list(source.ops)[:-1]:
        op.detach()
        target.add_op(op)


def _dropped(block: Block) -> None:
    region = block.parent
    assert region is not None
    end = _end(block)
    end.detach()
    end.erase()
    region.detach_block(block)
    block.erase()


def _added(block: Block, place: Operation, *ops: Operation) -> None:
    """Add operations to a block, with the location of another operation."""
    for op in ops:
        op.location = place.location
        block.add_op(op)


def _join(block: Block) -> bool:
    """Merge a block with its only successor, if that has no other predecessor. True if merged."""
    end = _end(block)
    if not isinstance(end, cf.BranchOp) or end.successor is block:
        return False
    following = end.successor
    if not _is_only_way(following):
        return False
    arguments = list(end.arguments)
    end.detach()
    end.erase()
    for argument, value in zip(following.args, arguments, strict=True):
        argument.replace_all_uses_with(value)
    for op in list(following.ops):
        op.detach()
        block.add_op(op)
    region = block.parent
    assert region is not None
    region.detach_block(following)
    following.erase()
    return True


def _if(block: Block) -> bool:
    """Convert two ways that meet again, or that both return, to an ``scf.if``. True if
    converted.
    """
    end = _end(block)
    if not isinstance(end, cf.ConditionalBranchOp) or block in end.successors:
        return False
    ways: list[Block | None] = []
    values: list[list[SSAValue]] = []
    targets: list[Block | None] = []
    choices = _choices(end)
    for n, (way, arguments) in enumerate(choices):
        last = _end(way)
        alone = choices[1 - n][0] is not way and _is_only_way(way)
        if alone and isinstance(last, cf.BranchOp) and last.successor is not way:
            ways.append(way)
            values.append(list(last.arguments))
            targets.append(last.successor)
        elif alone and isinstance(last, func.ReturnOp | scf.YieldOp):
            ways.append(way)
            values.append(list(last.operands))
            targets.append(None)
        else:
            ways.append(None)
            values.append(arguments)
            targets.append(way)
    if targets[0] is not targets[1] or block in targets:
        return False
    types = [value.type for value in values[0]]
    bodies = [Block(), Block()]
    for body, way, yielded, (_, arguments) in zip(bodies, ways, values, choices, strict=True):
        if way is not None:
            last = _end(way)
            _moved(way, body, arguments)
            # A yielded value may be an argument of the block.
            yielded = list(last.operands)
        _added(body, end, scf.YieldOp(*yielded))
    new = scf.IfOp(end.cond, types, Region(bodies[0]), Region(bodies[1]))
    end.detach()
    following: Operation
    if targets[0] is not None:
        following = cf.BranchOp(targets[0], *new.results)
    else:
        is_function = isinstance(block.parent_op(), func.FuncOp)
        following = (func.ReturnOp if is_function else scf.YieldOp)(*new.results)
    _added(block, end, new, following)
    end.erase()
    for way in ways:
        if way is not None:
            _dropped(way)
    return True


def _while(block: Block) -> bool:
    """Convert a block whose condition leads back to it, directly or through one block, to an
    ``scf.while``. True if converted.
    """
    end, region = _end(block), block.parent
    assert region is not None
    if not isinstance(end, cf.ConditionalBranchOp) or block is region.first_block:
        return False
    choices = _choices(end)
    inner = next((n for n, (way, _) in enumerate(choices) if _leads_back(way, block)), None)
    if inner is None or choices[1 - inner][0] in (block, choices[inner][0]):
        return False
    (body, body_arguments), (exit_, exit_arguments) = choices[inner], choices[1 - inner]
    if body is not block and not _is_only_way(body):
        return False
    types = [argument.type for argument in block.args]
    before = Block(arg_types=types)
    for argument, new in zip(block.args, before.args, strict=True):
        new.name_hint = argument.name_hint
        argument.replace_all_uses_with(new)
    body_arguments, exit_arguments = (
        [before.args[value.index] if value in block.args else value for value in values]  # pyright: ignore
        for values in (body_arguments, exit_arguments)
    )
    condition = end.cond
    for op in list(block.ops)[:-1]:
        op.detach()
        before.add_op(op)
    if inner == 1:
        true = arith.ConstantOp(IntegerAttr(1, i1))
        flipped = arith.XOrIOp(condition, true.result)
        _added(before, end, true, flipped)
        condition = flipped.result
    # The code after the loop, and its second half, receive values of the loop only as operands of
    # the condition.
    handed = [
        value
        for value in (*before.args, *(result for op in before.ops for result in op.results))
        if any(
            _block_of(use.operation, before) is None
            and not (use.operation is end and end.operands[use.index] is end.cond)
            for use in value.uses
        )
    ]
    if body is block:
        handed += [value for value in body_arguments if value not in handed]
    after = Block(arg_types=[value.type for value in handed])
    seen: dict[SSAValue, SSAValue] = dict(zip(handed, after.args, strict=True))
    if body is block:
        yielded = [seen[value] for value in body_arguments]
    else:
        _moved(body, after, body_arguments)
        yielded = list(_end(body).operands)
    loop = scf.WhileOp(list(block.args), [value.type for value in handed], [before], [after])
    left = dict(zip(handed, loop.results, strict=True))
    yield_ = scf.YieldOp(*yielded)
    end.detach()
    _added(after, end, yield_)
    following = cf.BranchOp(exit_, *exit_arguments)
    _added(block, end, loop, following)
    end.erase()
    if body is not block:
        _dropped(body)
    for value in handed:
        if value.name_hint is not None:
            seen[value].name_hint = value.name_hint
        for use in list(value.uses):
            if _block_of(use.operation, before) is not None:
                continue
            is_inside = _block_of(use.operation, after) is not None
            use.operation.operands[use.index] = (seen if is_inside else left)[value]
    _added(before, loop, scf.ConditionOp(condition, *handed))
    return True


def _leads_back(way: Block, head: Block) -> bool:
    end = _end(way)
    return way is head or (isinstance(end, cf.BranchOp) and end.successor is head)


def _block_of(op: Operation, block: Block) -> Operation | None:
    """The operation of a block that contains ``op``, or ``op`` itself."""
    around: Operation | None = op
    while around is not None and around.parent is not block:
        around = around.parent_op()
    return around


_REDUCTIONS = (_join, _if, _while)
