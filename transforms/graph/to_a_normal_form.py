"""``to-a-normal-form``: bind each computed value to a variable.

Before::

    %0 = graph.log(%x) : ...
    %1 = graph.add(%0, %0) : ...
    graph.return %1

After::

    %0 = graph.log(%x) : ...
    %v0 = graph.let "v0" = %0 : ...
    %1 = graph.add(%v0, %v0) : ...
    %v1 = graph.let "v1" = %1 : ...
    graph.return %v1

Relay's pass of this name (administrative normal form): operands are variables, constants, or
functions of the module. The scope of a binding is the innermost block that has all uses of the
value, as in ``to-basic-block-normal-form``; bindings that the user wrote stay where they are.

The scopes of all values are found before any is bound, so this is no rewrite pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from kc.dialects.graph.functions import FuncOp, FunctionRefOp
from kc.dialects.graph.values import ConstantOp, LetOp
from kc.transforms.graph._purity import Purity
from kc.transforms.graph._scopes import open_functions, sink
from kc.transforms.graph._symbols import functions_of


@dataclass(frozen=True)
class ToANormalFormPass(ModulePass):
    """Bind each computed value of a graph to a variable."""

    name = "to-a-normal-form"
    opt_level: ClassVar[int] = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        purity = Purity(functions_of(op))
        for function in open_functions(op):
            sink(function.body.block, purity)
            names = _free_names(function)
            for each in [inner for inner in function.walk() if inner is not function]:
                if not isinstance(each, ConstantOp | FunctionRefOp | LetOp):
                    _bind(each, names)


def _free_names(function: FuncOp) -> Iterator[str]:
    taken = {op.variable.data for op in function.walk() if isinstance(op, LetOp)}
    taken.update(function.arg_names)
    return (name for name in (f"v{n}" for n in count()) if name not in taken)


def _bind(op: Operation, names: Iterator[str]) -> None:
    users = [use.operation for result in op.results for use in result.uses]
    if not users or (len(users) == 1 and isinstance(users[0], LetOp)):
        return
    variable = next(names)
    binding = LetOp(variable, op.results[0])
    binding.location = op.location
    block = op.parent_block()
    assert block is not None
    block.insert_op_after(binding, op)
    binding.result.name_hint = variable
    op.results[0].replace_uses_with_if(binding.result, lambda use: use.operation is not binding)
