"""``eliminate-common-subexpr``: compute equal values once.

Before::

    %0 = graph.exp(%x) : ...
    %1 = graph.exp(%x) : ...
    %2 = graph.add(%0, %1) : ...

After::

    %0 = graph.exp(%x) : ...
    %2 = graph.add(%0, %0) : ...

Relay's pass of this name. Two values are equal if their operators, attributes, types and operands
are, and the operator is pure. A value is reused in branches and loops, but not in the body of a
function that is a value, which would capture it. Bindings (``graph.let``) stay.

Values are compared with all before them in scope, in one walk from the start, so this is no rewrite
pattern.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.functions import CallOp, ClosureOp, FnOp, FunctionRefOp
from kc.dialects.graph.values import ConstantOp, TupleGetItemOp, TupleOp
from kc.transforms.graph._purity import Purity
from kc.transforms.graph._symbols import functions_of

_COMPARED = (
    OperatorOp,
    ConstantOp,
    TupleOp,
    TupleGetItemOp,
    FunctionRefOp,
    ClosureOp,
    CallOp,
)


@dataclass(frozen=True)
class EliminateCommonSubexprPass(ModulePass):
    """Merge equal values of graphs."""

    name = "eliminate-common-subexpr"
    opt_level: ClassVar[int] = 3

    fskip: tuple[str, ...] = ()
    """The operators that stay as they are, by name. From Python also a function of an operation
    that returns True for one that stays."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        functions = functions_of(op)
        purity = Purity(functions)
        for function in functions.values():
            self._visit(function.body.block, {}, purity)

    def _visit(self, block: Block, first_of: dict[Hashable, Operation], purity: Purity) -> None:
        for op in list(block.ops):
            if isinstance(op, _COMPARED) and purity.is_pure(op) and not self._is_skipped(op):
                first = first_of.setdefault(_key(op), op)
                if first is not op:
                    op.results[0].replace_all_uses_with(first.results[0])
                    op.detach()
                    op.erase()
                    continue
            for region in op.regions:
                self._visit(region.block, {} if isinstance(op, FnOp) else dict(first_of), purity)

    def _is_skipped(self, op: Operation) -> bool:
        if callable(self.fskip):
            return bool(self.fskip(op))
        return op.name.removeprefix("graph.") in self.fskip


def _key(op: Operation) -> Hashable:
    return (
        op.name,
        tuple(op.operands),
        frozenset(op.properties.items()),
        frozenset(op.attributes.items()),
        op.results[0].type,
    )
