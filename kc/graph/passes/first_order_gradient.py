"""``first-order-gradient``: functions become those that give their value and their gradients.

Before::

    graph.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
      graph.return %0
    }

After::

    graph.func @main(%x: tensor<4xf32>) -> tuple<tensor<4xf32>, tuple<tensor<4xf32>>> {
      %0 = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = graph.ones_like(%0) : ...
      %2 = graph.multiply(%1, %0) : ...
      %3 = graph.tuple(%2) : tensor<4xf32>
      %4 = graph.tuple(%0, %3) : ...
      graph.return %4
    }

Relay's pass of this name, by :mod:`kc.graph.reverse_mode`. The gradients are those of the sum of
all elements of the value, one for each argument. A function that the module calls stays, under a
new name, for the callers.

A gradient is made of a whole function, from its result back, so this is no rewrite pattern; the
rules of operators are what plugins add.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.passes import ModulePass

from kc.analysis.module_copy import copy_module
from kc.graph.interpreter import graph_functions
from kc.graph.reverse_mode import gradient_function
from kc.support.diagnostics import GraphError, suggest
from kc.support.locations import location_of
from kc.transforms.graph._symbols import symbols_in


@dataclass(frozen=True)
class FirstOrderGradientPass(ModulePass):
    """Replace functions of graphs by functions that return the value and the gradients."""

    name = "first-order-gradient"
    opt_level: ClassVar[int] = 1

    functions: tuple[str, ...] = ()
    """The functions; all that no function of the module uses if it is empty."""
    wrt: tuple[str, ...] = ()
    """The arguments whose gradients are given; all of them if it is empty."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        differentiate(op, self.functions, self.wrt)


def differentiate(
    module: ModuleOp, names: Sequence[str] = (), wrt: Sequence[str] | None = None
) -> None:
    """Replace functions of a module by those that give ``(value, gradients)``, with the gradients
    of the arguments ``wrt``, of all of them by default.

    Raises GraphError: KC2441 for a function that is not there, and as
    :func:`kc.graph.reverse_mode.gradient_function`; the module is unchanged then.
    """
    functions = {each.sym_name.data: each for each in graph_functions(module)}
    for name in names:
        if name not in functions:
            raise GraphError(
                "KC2441",
                f"first-order-gradient: the module has no function @{name}",
                location=location_of(module),
                hints=suggest(name, functions, "the functions are"),
            )
    used = {name for each in functions.values() for name in symbols_in(each)}
    chosen = list(names) or [
        name
        for name, each in functions.items()
        if name not in used and "primitive" not in each.attributes and each.sym_visibility is None
    ]
    for name in chosen:
        for argument in wrt or ():
            if argument not in functions[name].arg_names:
                raise GraphError(
                    "KC2441",
                    f"first-order-gradient: @{name} has no argument {argument}",
                    location=location_of(functions[name]),
                    hints=suggest(argument, functions[name].arg_names, "the arguments are"),
                )
    # Run on a copy first, so that a refusal leaves the module unchanged.
    _replace(copy_module(module), chosen, wrt)
    _replace(module, chosen, wrt)


def _replace(module: ModuleOp, names: Sequence[str], wrt: Sequence[str] | None) -> None:
    functions = {each.sym_name.data: each for each in graph_functions(module)}
    used = {name for each in functions.values() for name in symbols_in(each)}
    for name in names:
        function = functions[name]
        differentiated = gradient_function(module, function, name, wrt or None)
        block = function.parent_block()
        assert block is not None
        block.insert_op_after(differentiated, function)
        if name not in used:
            function.detach()
            function.erase()
            continue
        value_name = _free_name(module, f"{name}_value")
        function.sym_name = StringAttr(value_name)
        function.sym_visibility = StringAttr("private")
        _rename(module, name, value_name)


def _free_name(module: ModuleOp, base: str) -> str:
    taken = {each.sym_name.data for each in graph_functions(module)}
    return next(n for n in (base, *(f"{base}_{i}" for i in range(1, 10**6))) if n not in taken)


def _rename(module: ModuleOp, before: str, after: str) -> None:
    for op in module.walk():
        for key, attr in op.properties.items():
            if isinstance(attr, SymbolRefAttr) and attr.root_reference.data == before:
                op.properties[key] = SymbolRefAttr(after)


def gradient(mod: Any, name: str = "main", wrt: Sequence[str] | None = None) -> Any:
    """The module whose function ``name`` gives ``(value, (gradient, ...))``: the value, and the
    derivative of the sum of its elements with respect to each argument, or to those named in
    ``wrt``, in their order in the function.

    ``mod`` is an IRModule of graphs, which stays as it is. A tensor of integers has the gradient 0.
    The result can be optimised, built and run as any module of graphs, and differentiated again.

    Raises GraphError: KC2441 for a function or an argument that is not there, KC2480 for an
    operator without a gradient, KC2481 for functions that are known only when they run.
    """
    module = copy_module(getattr(mod, "op", mod))
    differentiate(module, [name], wrt)
    return type(mod)(module) if hasattr(mod, "op") and not isinstance(mod, ModuleOp) else module
