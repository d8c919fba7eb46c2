"""``remove-unused-functions``: remove the functions that no entry function reaches.

Before::

    graph.func @main(%x: ...) { %0 = graph.call @f(%x) ... }
    graph.func @f(...)
    graph.func @g(...)

After::

    graph.func @main(%x: ...) { %0 = graph.call @f(%x) ... }
    graph.func @f(...)

Relay's pass of this name. A function is reached by calls, by references and by closures.

What is reached is a property of the whole module, so this is no rewrite pattern.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.support.diagnostics import GraphError, suggest
from kc.transforms.graph._symbols import functions_of, reachable


@dataclass(frozen=True)
class RemoveUnusedFunctionsPass(ModulePass):
    """Remove the functions of graphs that no entry function reaches."""

    name = "remove-unused-functions"
    opt_level: ClassVar[int] = 1

    entry_functions: tuple[str, ...] = ("main",)
    """The functions that callers outside of the module know."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        functions = functions_of(op)
        missing = [name for name in self.entry_functions if name not in functions]
        if missing and (functions or self.entry_functions != ("main",)):
            raise GraphError(
                "KC2410",
                f"remove-unused-functions: the module has no function '{missing[0]}'",
                why="all functions that no entry function reaches would be removed",
                hints=suggest(missing[0], functions, "the functions are"),
            )
        reached = reachable(op, self.entry_functions)
        for name, function in functions.items():
            if name not in reached:
                function.detach()
                function.erase(safe_erase=False)
