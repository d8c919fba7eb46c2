"""``annotate-memory-scope``: note the memory that values of operators are to be in.

With ``scopes=nn.conv2d:global.texture``, before::

    %0 = graph.nn.conv2d(%x, %w) : ...
    %1 = graph.nn.relu(%0) : ...
    %2 = graph.nn.conv2d(%1, %v) : ...

After::

    %0 = graph.nn.conv2d(%x, %w) : ...
    %1 = graph.nn.relu(%0) {memory_scope = "global.texture"} : ...
    %2 = graph.nn.conv2d(%1, %v) : ...

Relay's pass of this name, for devices that have memories of several kinds, such as textures: there
the target chooses, here the option does. A value is in a scope if it is a tensor, an operator
computes it, and all that use it are operators that read this scope. Values that the
function gives back stay where the caller expects them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.dialects.graph.declaration import OperatorOp, all_operators
from kc.support.diagnostics import GraphError, suggest
from kc.transforms.graph._rewriting import rewrite, tensor_of


@dataclass(frozen=True)
class AnnotateMemoryScopePass(ModulePass):
    """Note the memory that values of operators are to be in."""

    name = "annotate-memory-scope"
    opt_level: ClassVar[int] = 0

    scopes: tuple[str, ...] = ()
    """The operators that read a scope: ``nn.conv2d:global.texture``."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        table: dict[str, str] = {}
        for rule in self.scopes:
            operator, _, scope = rule.partition(":")
            if operator not in all_operators() or not scope:
                raise GraphError(
                    "KC2404",
                    f"annotate-memory-scope: {rule!r} is no operator with a scope",
                    hints=suggest(operator, all_operators(), "the operators are"),
                )
            table[operator] = scope
        if table:
            rewrite(op, self.name, [NoteScope(table)])


class NoteScope(RewritePattern):
    """A value whose users all read one scope is in it."""

    def __init__(self, scopes: dict[str, str]) -> None:
        super().__init__()
        self.scopes = scopes

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        if tensor_of(op.result) is None or "memory_scope" in op.attributes:
            return
        users = [use.operation for use in op.result.uses]
        scopes = {
            self.scopes.get(user.OPERATOR.name) if isinstance(user, OperatorOp) else None
            for user in users
        }
        if len(scopes) == 1 and None not in scopes:
            (scope,) = scopes
            op.attributes["memory_scope"] = StringAttr(str(scope))
            rewriter.handle_operation_modification(op)
