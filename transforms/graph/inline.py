"""``inline``: put the bodies of functions marked ``inline`` where they are called.

Before::

    graph.func @main(%x: ...) { %0 = graph.call @f(%x) ... }
    graph.func @f(%y: ...) attributes {inline} { %1 = graph.exp(%y) ... }

After::

    graph.func @main(%x: ...) { %0 = graph.exp(%x) ... }

Relay's pass of this name. A function that calls itself, directly or through others, stays, as
does one with the attribute ``compiler``, which another compiler gets. Inlined functions that
nothing refers to any more are removed, but for @main.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from kc.dialects.graph.functions import CallOp, FuncOp, ReturnOp
from kc.transforms.graph._symbols import functions_of, reachable, symbols_in


@dataclass(frozen=True)
class InlinePass(ModulePass):
    """Replace calls of graph functions marked ``inline`` by the functions' bodies."""

    name = "inline"
    opt_level: ClassVar[int] = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        functions = functions_of(op)
        inlined = {
            name: function
            for name, function in functions.items()
            if "inline" in function.attributes
            and "compiler" not in function.attributes
            and name not in reachable(op, symbols_in(function))
        }
        done: set[str] = set()

        def visit(name: str) -> None:
            """Inline into a function, after those that it calls."""
            if name in done:
                return
            done.add(name)
            for call in [each for each in functions[name].walk() if isinstance(each, CallOp)]:
                callee = call.callee.string_value()
                if callee in inlined:
                    visit(callee)
                    inline_call(call, inlined[callee])

        for name in functions:
            visit(name)
        used = {symbol for function in functions.values() for symbol in symbols_in(function)}
        for name, function in inlined.items():
            if name not in used and name != "main":
                function.detach()
                function.erase(safe_erase=False)


def inline_call(call: CallOp, callee: FuncOp) -> None:
    """Replace a call by a copy of the body of its function."""
    block = callee.body.block
    values: dict[SSAValue, SSAValue] = dict(zip(block.args, call.arguments, strict=True))
    parent = call.parent_block()
    assert parent is not None
    for op in block.ops:
        if isinstance(op, ReturnOp):
            call.result.replace_all_uses_with(values.get(op.value, op.value))
        else:
            parent.insert_op_before(op.clone(values), call)
    call.detach()
    call.erase()
