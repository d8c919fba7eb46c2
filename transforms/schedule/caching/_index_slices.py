"""Index expressions of a block, with the ops that compute them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from kc.analysis import loop_tree
from kc.dialects.affine_assembly import linear_terms
from kc.dialects.tir import ApplyOp, BlockOp, DelinearizeOp, LinearizeOp, LoadOp
from kc.transforms.affine_rewrite import compact

_CHEAP = (
    *(ApplyOp, LinearizeOp, DelinearizeOp, arith.ConstantOp, arith.IndexCastOp),
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp),
    *(arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp),
    *(arith.AndIOp, arith.OrIOp, arith.XOrIOp, arith.CmpiOp, arith.SelectOp),
)
"""What an index may be computed with: these ops do not fail, whatever their operands."""


@dataclass(frozen=True)
class Index:
    """An index expression, where it occurs, and what it is computed from."""

    expr: AffineExpr
    operands: tuple[SSAValue, ...]
    uses: list[tuple[LoadOp, int]]
    """Loads, and the dimension of each."""
    slice: list[Operation]
    """The ops of the body that compute the operands, in order."""
    variables: list[int]
    """The variables of the block that it depends on."""
    outside: list[SSAValue]
    """What it takes from outside of the block."""

    @property
    def gathers(self) -> list[LoadOp]:
        """The loads that it is computed from."""
        return [one for one in self.slice if isinstance(one, LoadOp)]


def indices_of(block: BlockOp) -> list[Index]:
    """The index expressions of ``block`` that can be computed before, in order."""
    found: dict[tuple[AffineExpr, tuple[SSAValue, ...]], Index] = {}
    for load in block.body.walk():
        if not isinstance(load, LoadOp):
            continue
        for dim, expr in enumerate(load.indices.data.results):
            map_, operands = compact(
                AffineMap(len(load.operands_of_map), 0, (expr,)), load.operands_of_map
            )
            assert isinstance(map_, AffineMap)
            key = (map_.results[0], tuple(operands))
            if key in found:
                found[key].uses.append((load, dim))
                continue
            index = _index(block, *key)
            if index is not None:
                index.uses.append((load, dim))
                found[key] = index
    return list(found.values())


def _index(block: BlockOp, expr: AffineExpr, operands: tuple[SSAValue, ...]) -> Index | None:
    body = block.body.block
    ops: set[Operation] = set()
    leaves: dict[SSAValue, None] = {}
    pending = list(operands)
    while pending:
        value = pending.pop()
        owner = value.owner
        if isinstance(owner, Block) or not loop_tree.is_inside(owner, block):
            leaves[value] = None
        elif owner.parent is not body or not isinstance(owner, (LoadOp, *_CHEAP)):
            return None
        elif owner not in ops:
            ops.add(owner)
            reads = owner.operands_of_map if isinstance(owner, LoadOp) else owner.operands
            pending.extend(reads)
    own = [one for one in leaves if isinstance(one, BlockArgument) and one.block is body]
    outside = [one for one in leaves if one not in own]
    if any(loop_tree.defined_inside(one, block) for one in outside):
        return None
    variables = sorted(one.index for one in own)
    if not variables or (not ops and _is_plain(expr)):
        return None
    extents = [block.extents[n] for n in variables]
    outside += [one for one in extents if not isinstance(one, int)]
    outside += [one.buffer for one in ops if isinstance(one, LoadOp)]
    ordered = [one for one in body.ops if one in ops]
    return Index(expr, operands, [], ordered, variables, list(dict.fromkeys(outside)))


def _is_plain(expr: AffineExpr) -> bool:
    """Whether ``expr`` is a constant, or a variable and a constant."""
    if isinstance(expr, AffineConstantExpr):
        return True
    terms, _ = linear_terms(expr)
    return len(terms) == 1 and all(
        isinstance(atom, AffineDimExpr) and factor == 1 for atom, factor in terms.items()
    )


def set_index(load: LoadOp, dim: int, value: SSAValue) -> None:
    """Let ``load`` use ``value`` as its index in dimension ``dim``."""
    exprs = list(load.indices.data.results)
    count = len(load.operands_of_map)
    exprs[dim] = AffineExpr.dimension(count)
    map_, operands = compact(AffineMap(count + 1, 0, tuple(exprs)), [*load.operands_of_map, value])
    assert isinstance(map_, AffineMap)
    load.operands = [load.buffer, *operands]
    load.properties["indices"] = AffineMapAttr(map_)
