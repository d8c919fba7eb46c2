"""A nest of loops around a block in a few words: ``C[i, j] = C[i, j] + A[i, k] * B[k, j]``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.index_values import IndexValues
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import BlockOp, ForOp, LoadOp, StoreOp

_SIGNS = {
    arith.AddfOp: "+",
    arith.AddiOp: "+",
    arith.SubfOp: "-",
    arith.SubiOp: "-",
    arith.MulfOp: "*",
    arith.MuliOp: "*",
    arith.DivfOp: "/",
}
_DIMENSION = re.compile(r"\bd(\d+)\b")
_LENGTH = 90


def sketch(body: Block) -> list[str]:
    """The loops of a nest in one line, and a line for each store."""
    loops: list[str] = []
    lines: list[str] = []
    index = IndexValues()

    def visit(block: Block) -> None:
        for op in block.ops:
            if isinstance(op, ForOp):
                loops.append(f"{op.label} in {loop_tree.extent_text(op.extent_value)}")
                visit(op.body.block)
            elif isinstance(op, BlockOp):
                exprs = [index.compose(one, op.binding_operands) for one in op.binding_exprs]
                for region in op.regions:
                    for inner in region.blocks:
                        for arg, expr in zip(inner.args, exprs, strict=True):
                            index.define(arg, expr)
                lines.extend(_stores(op, index))
            elif isinstance(op, StoreOp):
                lines.append(_cut(store_text(op, index)))

    visit(body)
    return [f"  for {', '.join(loops)}:" if loops else "  without loops:", *lines[:3]]


def _stores(op: BlockOp, index: IndexValues) -> Iterator[str]:
    for region, title in ((op.init, "init "), (op.body, "")):
        for block in region.blocks:
            for one in block.walk():
                if isinstance(one, StoreOp):
                    yield _cut(title + store_text(one, index))


def _cut(text: str) -> str:
    text = f"    {text}"
    return text if len(text) <= _LENGTH else text[: _LENGTH - 3] + "..."


def store_text(op: StoreOp, index: IndexValues) -> str:
    """``C[i] = ...``."""
    return f"{access_text(op, index)} = {value_text(op.value, index)}"


def access_text(op: LoadOp | StoreOp, index: IndexValues) -> str:
    """``C[i, j * 4]``."""
    exprs = [index.compose(one, op.operands_of_map) for one in op.indices.data.results]

    def name(found: re.Match[str]) -> str:
        value = index.roots[int(found[1])]
        return value.name_hint or "?" if value is not None else "?"

    inner = ", ".join(_DIMENSION.sub(name, _plain(str(one))) for one in exprs)
    return f"{buffer_name(op.buffer)}[{inner}]"


def _plain(text: str) -> str:
    """An affine expression without the brackets around all of it."""
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def value_text(value: SSAValue, index: IndexValues, depth: int = 0) -> str:
    """A value as an expression of loads."""
    op = value.owner
    if not isinstance(op, Operation):
        return value.name_hint or "?"
    if isinstance(op, LoadOp):
        return access_text(op, index)
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr | FloatAttr):
        number = op.value.value.data
        return f"{number:g}" if isinstance(number, float) else str(number)
    parts = [value_text(one, index, depth + 1) for one in op.operands]
    sign = _SIGNS.get(type(op))
    if sign is None:
        return f"{op.name.partition('.')[2]}({', '.join(parts)})"
    text = f" {sign} ".join(parts)
    return f"({text})" if depth and sign in "+-" else text
