"""``eta-expand``: write a function of the module, or a constructor, that is a value as a function.

Before, with ``expand_global_var``::

    %f = graph.function_ref @g : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>

After::

    %f = graph.fn (%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = graph.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
      graph.return %0 : tensor<4xf32>
    }

and with ``expand_constructor``, which is the default, ``graph.constructor`` as a function that
constructs. Relay's pass of this name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.dialects.graph.data_types import ConstructOp, ConstructorOp
from kc.dialects.graph.functions import CallOp, FnOp, FunctionRefOp, ReturnOp
from kc.dialects.graph.types import FnType
from kc.transforms.graph._rewriting import rewrite


@dataclass(frozen=True)
class EtaExpandPass(ModulePass):
    """Wrap functions of a module that are used as values in functions that call them."""

    name = "eta-expand"
    opt_level: ClassVar[int] = 1

    expand_constructor: bool = True
    """Expand constructors of data types."""
    expand_global_var: bool = False
    """Expand names of functions."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        patterns: list[RewritePattern] = []
        if self.expand_constructor:
            patterns.append(ExpandConstructor())
        if self.expand_global_var:
            patterns.append(ExpandName())
        rewrite(op, self.name, patterns)


class ExpandConstructor(RewritePattern):
    """A constructor is a function that constructs."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConstructorOp, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op.result.type, FnType):
            return
        type_ = op.result.type
        block = Block(arg_types=type_.inputs.types.data)
        value = ConstructOp(op.data.string_value(), op.tag.data, block.args, type_.output)
        block.add_ops([value, ReturnOp(value.result)])
        rewriter.replace(op, FnOp(Region(block), type_))


class ExpandName(RewritePattern):
    """A name of a function is a function that calls it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FunctionRefOp, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op.result.type, FnType):
            return
        type_ = op.result.type
        block = Block(arg_types=type_.inputs.types.data)
        called = CallOp(op.callee.string_value(), block.args, type_.output)
        block.add_ops([called, ReturnOp(called.result)])
        rewriter.replace(op, FnOp(Region(block), type_))
