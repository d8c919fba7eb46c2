"""How a block accesses a buffer: at one index, a function of its variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from kc.analysis.index_values import IndexValues, dimensions, substitute
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import BlockOp, LoadOp, StoreOp
from kc.transforms.schedule._buffers import legal_caches
from kc.transforms.schedule._index_map import depends_on
from kc.transforms.schedule.base import Site

Access = LoadOp | StoreOp


@dataclass(frozen=True)
class Pattern:
    """How a block accesses a buffer: ``index``, over the roots of ``values``.

    ``variables`` are the variables of the block, over these roots.
    """

    block: BlockOp
    buffer: SSAValue
    index: list[AffineExpr]
    variables: list[AffineExpr]

    def used(self) -> list[int]:
        """The variables that the index depends on."""
        dims = {dim for expr in self.index for dim in depends_on(expr)}
        return [n for n, one in enumerate(self.variables) if dims & set(dimensions(one))]

    def over_variables(self, numbers: Sequence[int]) -> list[AffineExpr]:
        """The index, where variable ``numbers[k]`` is dimension ``k``."""
        position = {
            dim: AffineExpr.dimension(k)
            for k, n in enumerate(numbers)
            for dim in dimensions(self.variables[n])
        }
        return [substitute(one, position) for one in self.index]


def _copies(site: Site, block: BlockOp, buffer: SSAValue) -> list[str]:
    """Copies of ``buffer`` that the block may access instead, whose layout is free."""
    caches = ("cache_read", "cache_write", "cache_inplace")
    found = legal_caches(site, block, buffer, caches)
    return [f"{one} of {buffer_name(buffer)}, and then transform_layout" for one in found]


def require_pattern(
    site: Site, primitive: str, block: BlockOp, buffer: SSAValue, accesses: Sequence[Access]
) -> Pattern:
    """How ``block`` accesses ``buffer``: always at one index, of its variables (KC3530)."""
    values = IndexValues()
    variables = [values.expr(one) for one in block.body.block.args]
    if block.has_init:
        for twin, expr in zip(block.init.block.args, variables, strict=True):
            values.define(twin, expr)
    name = buffer_name(buffer)
    found: list[AffineExpr] | None = None
    for op in accesses:
        index = [values.compose(one, op.operands_of_map) for one in op.indices.data.results]
        if found is not None and found != index:
            raise site.refuse(
                "KC3530",
                f"{primitive}: block {block.label} accesses {name} at several indices",
                at=block,
                why="the new buffer has one element for each value of the block's variables",
                hints=_copies(site, block, buffer),
            )
        found = index
    assert found is not None
    for dim in sorted({dim for expr in found for dim in depends_on(expr)}):
        value = values.roots[dim]
        if AffineExpr.dimension(dim) not in variables:
            label = value.name_hint if value is not None and value.name_hint else "a value"
            raise site.refuse(
                "KC3530",
                f"{primitive}: the index of {name} in block {block.label} is not of its variables "
                "alone",
                at=block,
                why=f"it has {label} in it, for which the new buffer would have no dimension",
            )
    return Pattern(block, buffer, found, variables)
