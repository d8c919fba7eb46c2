"""index-to-arith: convert the ops of the ``index`` dialect to ops of ``arith``, which also supports
the type index.

Before::

    %q = index.ceildivs %a, %b
    %c = index.cmp slt(%q, %n)

After::

    %q = arith.ceildivsi %a, %b : index
    %c = arith.cmpi slt, %q, %n : index

Builds and schedules run this pass implicitly. (MLIR: ``-convert-index-to-llvm``.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern

from kc.dialects.arith import ARITH
from kc.dialects.index import BINARY, BoolConstantOp, CmpOp, ConstantOp, SizeOfOp

_ARITH = {op.name: op for op in ARITH.operations}
_INDEX_BITS = 64


@dataclass(frozen=True)
class IndexToArithPass(ModulePass):
    """Turn index.add and the like into ops of arith."""

    name = "index-to-arith"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        PatternRewriteWalker(IndexOpToArith(), apply_recursively=False).rewrite_module(op)


class IndexOpToArith(RewritePattern):
    """``index.add`` becomes ``arith.addi``, and so on."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not op.name.startswith("index."):
            return
        new = _converted(op)
        new.location = op.location
        new.attributes.update(op.attributes)
        new.results[0].name_hint = op.results[0].name_hint
        rewriter.replace(op, new)


def _converted(op: Operation) -> Operation:
    name = op.name.removeprefix("index.")
    if isinstance(op, ConstantOp | BoolConstantOp):
        value: Any = op.value
        return arith.ConstantOp(value)
    if isinstance(op, SizeOfOp):
        return arith.ConstantOp(IntegerAttr.from_index_int_value(_INDEX_BITS))
    if isinstance(op, CmpOp):
        return arith.CmpiOp(op.lhs, op.rhs, op.predicate)
    if name in BINARY:
        kind = f"arith.{BINARY[name]}"
    else:
        kind = "arith.index_cast" if name == "casts" else "arith.index_castui"
    return _ARITH[kind].create(
        operands=op.operands, result_types=[result.type for result in op.results]
    )
