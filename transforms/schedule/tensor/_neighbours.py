"""Several blocks that stand next to each other, and what they have in common."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation
from xdsl.ir.affine import AffineConstraintExpr, AffineExpr

from kc.analysis import loop_tree
from kc.analysis.dependence import carried_conflict
from kc.analysis.index_values import IndexValues
from kc.dialects.tir import BlockOp, ForOp, IterType
from kc.transforms.schedule._blocks import describe
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.tensor._blockized import OuterVariable


def neighbours(site: Site, blocks: Sequence[BlockOp]) -> list[ForOp | BlockOp]:
    """The loops or blocks that stand next to each other, each with one of ``blocks`` in it."""
    chains = [_bodies(one) for one in dict.fromkeys(blocks)]
    common = [body for body in chains[0] if all(body in chain for chain in chains)]
    home = common[0]
    tops: set[Operation] = set()
    for one in blocks:
        top: Operation = one
        while top.parent is not home:
            parent = top.parent_op()
            assert parent is not None
            top = parent
        tops.add(top)
    work = [op for op in home.ops if loop_tree.has_work(op)]
    places = sorted(work.index(one) for one in tops)
    if places != list(range(places[0], places[0] + len(places))):
        between = next(n for n in range(places[0], places[-1]) if n not in places)
        raise site.refuse(
            "KC3556",
            "blockize: the blocks are not neighbours",
            at=work[places[0]],
            mark={
                work[between]: "in between",
                **{one: "here" for one in tops},
            },
            why=f"{describe(work[between])} comes between them",
        )
    found: list[ForOp | BlockOp] = []
    wanted = set(blocks)
    for n in places:
        top = work[n]
        inner = [one for one in loop_tree.blocks(top) if one in wanted]
        if not isinstance(top, ForOp | BlockOp) or len(inner) > 1:
            raise site.refuse(
                "KC3556",
                f"blockize: {describe(top)} does not hold just one of the blocks",
                at=top,
                why="each block comes with the loops that only it is in",
            )
        found.append(top)
    return found


def _bodies(op: Operation) -> list[Block]:
    """The bodies that ``op`` is in, innermost first."""
    found: list[Block] = []
    block = op.parent
    while block is not None:
        found.append(block)
        parent = block.parent_op()
        block = parent.parent if parent is not None else None
    return found


def same_variables(own: Sequence[OuterVariable], other: Sequence[OuterVariable]) -> bool:
    def keys(variables: Sequence[OuterVariable]) -> list[tuple[str, str, int]]:
        return sorted((str(one.binding), one.kind.value, hash(one.extent)) for one in variables)

    return keys(own) == keys(other)


def in_order_of(
    positions: Sequence[int | None],
    own: Sequence[OuterVariable],
    variables: Sequence[OuterVariable],
) -> list[int | None]:
    """``positions`` in ``own`` as those in ``variables``."""
    place = {one.binding: n for n, one in enumerate(variables)}
    return [None if n is None else place[own[n].binding] for n in positions]


def keys_of(conditions: Sequence[AffineConstraintExpr]) -> set[str]:
    return {str(one) for one in conditions}


def listed(variables: Sequence[OuterVariable]) -> str:
    names = [one.name.removesuffix("_o").removeprefix("v_") for one in variables]
    return f"has {', '.join(names)} outside" if names else "has none outside"


def weaken(variables: Sequence[OuterVariable], top: Operation, index: IndexValues) -> None:
    """A variable whose instances depend on each other, in several blocks, promises nothing."""
    for loop in loop_tree.loops_around(top):
        driven = [one for one in variables if index.expr(loop.var) in _atoms(one.binding)]
        if driven and carried_conflict(loop) is not None:
            for one in driven:
                one.kind = IterType.OPAQUE


def _atoms(expr: AffineExpr) -> list[AffineExpr]:
    return list(expr.dfs())
