"""``relay.build`` and ``relay.create_executor``: functions and modules, compiled or run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kc.building.graphs.compiled_graph import CompiledGraph
from kc.building.graphs.compiled_graph import build as build_graph
from kc.graph.interpreter import DataValue, Interpreter
from kc.runtime.ndarray import array
from kc.support.diagnostics import GraphError, suggest
from kc.support.locations import caller_location
from kc.support.target import Target
from kc.tir.module import IRModule
from kc.tvm.pass_config import DEFAULT_OPT_LEVEL
from kc.tvm.relay import transform
from kc.tvm.relay.expr import Constant, Expr, Function, GlobalVar, Var, as_expr, const
from kc.tvm.relay.traversal import free_vars
from kc.tvm.relay.types import TensorType
from kc.tvm.relay.visitors import ExprMutator

__all__ = ["Executor", "bind", "bind_params_by_name", "build", "create_executor", "optimize"]

KINDS = ("graph", "aot", "vm", "debug")
"""The kinds of executors: compiled ones, and those that the interpreter of graphs serves."""


def build(
    ir_mod: Any,
    target: Target | str | None = None,
    target_host: Target | str | None = None,
    executor: Any = None,
    runtime: Any = None,
    workspace_memory_pools: Any = None,
    constant_memory_pools: Any = None,
    params: Mapping[str, Any] | None = None,
    mod_name: str = "default",
) -> CompiledGraph:
    """Compile the function ``main`` of a module, or a function, for a CPU.

    ``params`` are arrays for its variables by name. The result is called with the rest of them, is
    wrapped by ``graph_executor.GraphModule(lib["default"](dev))``, and unpacks to ``(graph_json,
    lib, params)``. The arguments from ``target_host`` to ``constant_memory_pools``, and
    ``mod_name``, are accepted for programs written for TVM: kc has one executor and one runtime.

    Raises the errors of :func:`kc.graph.build`.
    """
    del target_host, executor, runtime, workspace_memory_pools, constant_memory_pools, mod_name
    if not hasattr(ir_mod, "op") or not isinstance(ir_mod, IRModule):
        ir_mod = IRModule.from_expr(ir_mod)
    return build_graph(ir_mod, target, params, opt_level=DEFAULT_OPT_LEVEL)


def bind_params_by_name(func: Function, params: Mapping[str, Any]) -> Function:
    """The function with constants for some of its variables, which are no parameters any more.

    ``params`` are arrays by the names of variables. Raises GraphError KC2450 for a name that is no
    parameter, or is that of several, and for an array that does not have its type.
    """
    by_name: dict[str, list[Var]] = {}
    for param in func.params:
        by_name.setdefault(param.name_hint, []).append(param)
    constants: dict[int, Constant] = {}
    for name, value in params.items():
        variables = by_name.get(name, [])
        if len(variables) != 1:
            raise GraphError(
                "KC2450",
                f"bind_params_by_name: the function has {len(variables)} parameters named {name}",
                location=caller_location(),
                hints=suggest(name, by_name, "the parameters are"),
            )
        constant = value if isinstance(value, Constant) else const(value)
        declared = variables[0].type_annotation
        if isinstance(declared, TensorType) and not _fits(declared, constant):
            raise GraphError(
                "KC2450",
                f"bind_params_by_name: the parameter {name} is {constant.checked_type}",
                location=caller_location(),
                why=f"the variable has the type {declared}",
            )
        constants[id(variables[0])] = constant
    body = _Binder(constants).visit(func.body)
    rest = [param for param in func.params if id(param) not in constants]
    return Function(rest, body, func.ret_type, func.type_params, func.attrs)


def _fits(declared: TensorType, constant: Constant) -> bool:
    shape = tuple(constant.data.shape)
    return (
        declared.dtype == constant.dtype
        and len(shape) == len(declared.shape)
        and all(
            own == size
            for own, size in zip(shape, declared.shape, strict=True)
            if isinstance(size, int)
        )
    )


def bind(expr: Expr, binds: Mapping[Var, Any]) -> Expr:
    """The expression with values in place of variables; a function loses these parameters."""
    values = {id(variable): as_expr(value) for variable, value in binds.items()}
    if isinstance(expr, Function):
        rest = [param for param in expr.params if id(param) not in values]
        body = _Binder(values).visit(expr.body)
        return Function(rest, body, None, expr.type_params, expr.attrs, expr.span)
    return _Binder(values).visit(expr)


def optimize(
    mod: Any, target: Target | str | None = None, params: Mapping[str, Any] | None = None
) -> tuple[IRModule, dict[str, Any]]:
    """The module after ``relay.build``'s passes on graphs, and the parameters that are left: none.

    Raises the errors of the passes, and GraphError KC2450 for parameters that do not fit.
    """
    del target
    module = mod if isinstance(mod, IRModule) else IRModule.from_expr(mod)
    if params:
        module = IRModule({**module.functions, "main": bind_params_by_name(module["main"], params)})
    return transform.GraphOptimize()(module), {}


class _Binder(ExprMutator):
    """Replaces variables by other expressions."""

    def __init__(self, constants: Mapping[int, Expr]) -> None:
        super().__init__()
        self.constants = constants

    def visit_var(self, var: Var) -> Expr:
        return self.constants.get(id(var), var)


class Executor:
    """Runs expressions with the functions of a module: see :func:`create_executor`."""

    def __init__(
        self, kind: str, mod: IRModule, target: Target | str | None, params: Mapping[str, Any]
    ) -> None:
        self.kind = kind
        self.mod = mod
        self.target = target
        self.params = params

    def evaluate(self, expr: Expr | None = None, binds: Mapping[Var, Any] | None = None) -> Any:
        """A function of Python for ``main``, or for a function; the value of any other expression.

        The function takes arrays in the order of the parameters, or by their names, and returns an
        array, or a list of values for a tuple. ``binds`` are values for free variables of ``expr``.
        Raises the errors of :func:`kc.graph.build` and of :class:`kc.graph.Interpreter`.
        """
        if expr is None:
            return self._callable(self.mod["main"])
        if binds:
            constants = {id(variable): const(value) for variable, value in binds.items()}
            bound: Expr = _Binder(constants).visit(expr)
            return self.evaluate(bound)
        if isinstance(expr, GlobalVar):
            return self._callable(self.mod[expr.name_hint])
        if isinstance(expr, Function):
            return self._callable(expr)
        free: Expr = expr
        return self._callable(Function(free_vars(free), free))()

    def _callable(self, function: Any) -> Any:
        parameter_names = {param.name_hint for param in function.params}
        params = {name: value for name, value in self.params.items() if name in parameter_names}
        if params:
            function = bind_params_by_name(function, params)
        rest = {name: op for name, op in self.mod.functions.items() if name != "main"}
        module = IRModule({"main": function, **rest})
        if self.kind in ("graph", "aot"):
            run = build_graph(module, self.target, opt_level=DEFAULT_OPT_LEVEL)
        else:
            run = Interpreter(module).run
        names = [param.name_hint for param in function.params]

        def call(*args: Any, **by_name: Any) -> Any:
            values = dict(zip(names, args, strict=False))
            unknown = [name for name in by_name if name not in names or name in values]
            values |= by_name
            missing = [name for name in names if name not in values]
            if unknown or missing or len(args) > len(names):
                why = (
                    f"{missing[0]} is missing"
                    if missing
                    else f"{unknown[0]} is passed twice, or is not a parameter"
                    if unknown
                    else f"{len(args)} arguments came"
                )
                raise GraphError(
                    "KC2442",
                    f"the function takes {', '.join(names) or 'no argument'}",
                    location=caller_location(),
                    why=why,
                )
            return _value(run(*(_array(values[name]) for name in names)))

        return call


def create_executor(
    kind: str = "debug",
    mod: Any = None,
    device: Any = None,
    target: Target | str | None = None,
    params: Mapping[str, Any] | None = None,
) -> Executor:
    """An executor of expressions: ``create_executor("graph", mod).evaluate()(x)``.

    "graph" and "aot" compile the function (:func:`kc.graph.build`); "debug" and "vm" run it by
    :class:`kc.graph.Interpreter`, which also has recursion, functions that are values, and sizes
    that depend on elements. Raises GraphError KC2403 for another kind.
    """
    del device
    if kind not in KINDS:
        raise GraphError(
            "KC2403",
            f"relay.create_executor: the kind {kind!r}",
            location=caller_location(),
            hints=suggest(str(kind), KINDS, "the kinds are"),
        )
    module = IRModule() if mod is None else mod
    if not isinstance(module, IRModule):
        module = IRModule.from_expr(module)
    return Executor(kind, module, target, params or {})


def _array(value: Any) -> Any:
    if isinstance(value, DataValue):
        return DataValue(value.tag, tuple(map(_array, value.fields)))
    if isinstance(value, tuple):
        return tuple(map(_array, value))
    return value.numpy() if hasattr(value, "numpy") else np.asarray(value)


def _value(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_value(part) for part in value]
    if isinstance(value, DataValue):
        return DataValue(value.tag, tuple(map(_value, value.fields)))
    return array(value) if isinstance(value, np.ndarray | np.generic) else value
