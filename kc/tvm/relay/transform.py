"""``relay.transform``: passes on graphs by Relay's names: ``relay.transform.InferType()(mod)``.

A name is a pass of kc's family "graph": ``FuseOps`` is ``fuse-ops``, whose options are the
arguments.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.passes import ModulePass

from kc.dialects.graph.functions import FuncOp
from kc.support import registry
from kc.support.diagnostics import CodegenError, GraphError, UnknownName, counted, nearest
from kc.support.locations import caller_location
from kc.support.plugins import camel_case
from kc.tir.module import IRModule
from kc.transform import (
    PassContext,
    PassInfo,
    Sequential,
    UserPass,
    module_pass,
    pass_of_class,
)
from kc.tvm.pass_config import flag_of
from kc.tvm.relay.later_passes import LATER, later

__all__ = [
    "BatchingOps",
    "FoldConstantExpr",
    "FunctionPass",
    "Sequential",
    "ToANormalFormExpr",
    "build_config",
    "function_pass",
    "gradient",
    "module_pass",
    "to_cps",
    "un_cps",
]

MODES = ("higher_order", "first_order")
"""The modes of Relay's ``gradient``."""


@dataclass(frozen=True)
class _Run:
    """A pass of kc as a function of a module and the context."""

    pass_: ModulePass

    def __call__(self, mod: Any, ctx: Any) -> None:
        del ctx
        self.pass_.apply(registry.context(), mod.op)


def _maker(name: str, flag: str) -> Callable[..., UserPass]:
    kind = registry.pass_class(flag)
    fields = [field for field in dataclasses.fields(kind) if field.init]

    def make(*args: Any, **options: Any) -> UserPass:
        names = [field.name for field in fields]
        if len(args) > len(names):
            raise GraphError(
                "KC2409",
                f"relay.transform.{name} is given {counted(len(args), 'argument')}",
                location=caller_location(),
                why=f"its parameters are {', '.join(names) or 'none'}",
            )
        values = {**dict(zip(names, args, strict=False)), **options}
        unknown = [key for key in values if key not in names]
        if unknown:
            raise GraphError(
                "KC2409",
                f"relay.transform.{name} has no parameter {unknown[0]}",
                location=caller_location(),
                why=f"its parameters are {', '.join(names) or 'none'}",
            )
        values = {
            key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
        }
        return UserPass(_Run(kind(**values)), PassInfo(name, getattr(kind, "opt_level", 0)))

    make.__name__ = make.__qualname__ = name
    make.__doc__ = kind.__doc__
    return make


def BatchingOps() -> Sequential:
    """The three passes that compute operators of the same data as one."""
    return Sequential(
        [pass_maker(f"CombineParallel{name}")() for name in ("Conv2D", "Dense", "BatchMatmul")],
        name="BatchingOps",
    )


def gradient(expr: Any, mod: Any = None, mode: str = "higher_order") -> Any:
    """The function of the parameters of ``expr`` that gives ``(value, (gradient, ...))``.

    ``mod`` has the functions that ``expr`` calls; those that compute their gradients are added to
    it. Both modes of Relay are served by :mod:`kc.graph.reverse_mode`: functions that are values
    are differentiated where it is known which is called. ``expr`` may be a name in ``mod``.

    Raises GraphError: KC2409 for another mode, KC2480 for an operator without a gradient, KC2481
    for functions that are known only when they run.
    """
    from kc.graph.passes.first_order_gradient import differentiate
    from kc.tvm.relay.from_graph import function_of

    if mode not in MODES:
        raise GraphError(
            "KC2409",
            f"relay.transform.gradient: the mode is {mode!r}",
            location=caller_location(),
            hints=[f"the modes are {' and '.join(MODES)}"],
        )
    whole, name = _with_function("gradient", expr, mod)
    differentiate(whole.op, [name])
    _add_functions(mod, whole, name)
    return function_of(whole.functions[name])


def to_cps(func: Any, mod: Any = None) -> Any:
    """The form of a function that takes a continuation (:mod:`kc.transforms.graph.to_cps`).

    Its last parameter is a function of the result of ``func`` that gives the answer, whose type is
    a parameter of the form. ``mod`` has the functions that ``func`` calls; their forms are added to
    it as ``f_cps``. ``func`` may be a name in ``mod``.

    Raises GraphError: KC2409 for what is not a function, KC2487 for a function without such a form.
    """
    from kc.transforms.graph.infer_type import infer_types
    from kc.transforms.graph.to_cps import add_forms
    from kc.tvm.relay.from_graph import function_of

    whole, name = _with_function("to_cps", func, mod)
    infer_types(whole.op)
    form = add_forms(whole.op, [name])[name]
    _add_functions(mod, whole, name, form)
    return function_of(whole.functions[form])


def un_cps(func: Any) -> Any:
    """The function that calls one that takes a continuation with the identity.

    ``un_cps(to_cps(f))`` computes what ``f`` does. Raises GraphError: KC2409 for what is not a
    function, KC2487 for a function whose last parameter is not a continuation.
    """
    from xdsl.dialects.builtin import ModuleOp

    from kc.transforms.graph.to_cps import without_continuation
    from kc.tvm.relay.expr import Function
    from kc.tvm.relay.from_graph import function_of
    from kc.tvm.relay.to_graph import functions_of

    if not isinstance(func, Function):
        raise _no_function("un_cps", func)
    module = ModuleOp(functions_of("main", func))
    (function,) = (
        op for op in module.body.ops if isinstance(op, FuncOp) and op.sym_name.data == "main"
    )
    result = without_continuation(function)
    function.detach()
    module.body.block.add_op(result)
    return function_of(result)


def _with_function(name: str, expr: Any, mod: Any) -> tuple[IRModule, str]:
    """A module with a function, and with copies of those of ``mod``; the name of the function."""
    from kc.tvm.relay.expr import Function

    functions = {} if mod is None else dict(mod.functions)
    if not isinstance(expr, Function):
        expr = mod[str(getattr(expr, "name_hint", expr))] if mod is not None else expr
    if not isinstance(expr, Function):
        raise _no_function(name, expr)
    own = next(n for n in ("main", *(f"main_{i}" for i in range(10**6))) if n not in functions)
    return IRModule({**{key: op.clone() for key, op in functions.items()}, own: expr}), own


def _add_functions(mod: Any, whole: IRModule, *names: str) -> None:
    """Add to ``mod`` the functions that a pass has made, but those of these names."""
    if mod is not None:
        present = mod.functions
        for key, op in whole.functions.items():
            if key not in names and key not in present:
                mod.op.body.block.add_op(op.clone())


def _no_function(name: str, expr: Any) -> GraphError:
    return GraphError(
        "KC2409",
        f"relay.transform.{name}: a {type(expr).__name__} is given",
        location=caller_location(),
        why=f"{name} takes a function",
        hints=["relay.Function([x], body)"],
    )


def function_pass(
    pass_func: Any = None,
    opt_level: int = 0,
    name: str | None = None,
    required: Sequence[str] = (),
) -> Any:
    """Make a pass of a function of a Relay function, the module and the context; a decorator too.

    It returns the function that takes the place of the first. A class with a method
    ``transform_function`` becomes a function of the class's arguments that gives the pass. Types
    are inferred afterwards. The pass raises CodegenError KC4505 if it returns anything else.
    """

    def make(function: Any) -> Any:
        if isinstance(function, type):
            return pass_of_class(function, "transform_function", make)
        title = name or getattr(function, "__name__", type(function).__name__)

        def apply(mod: IRModule, ctx: PassContext) -> IRModule:
            return _each_function(function, title, mod, ctx)

        return UserPass(apply, PassInfo(title, opt_level, required))

    return make if pass_func is None else make(pass_func)


FunctionPass = function_pass


def _each_function(function: Any, title: str, mod: IRModule, ctx: PassContext) -> IRModule:
    """The module with a function called on each function of a graph, but groups."""
    from kc.tvm.relay.expr import Function
    from kc.tvm.relay.from_graph import function_of, is_literal

    changed: dict[str, Any] = {}
    for key, op in mod.functions.items():
        if not isinstance(op, FuncOp) or is_literal(op):
            if not isinstance(op, FuncOp):
                changed[key] = op
            continue
        before = function_of(op)
        after = function(before, mod, ctx)
        if not isinstance(after, Function):
            raise CodegenError(
                "KC4505",
                f"pass '{title}' returned {type(after).__name__} for the function {key}",
                why="a pass of functions must return a relay.Function",
            )
        changed[key] = after
    return IRModule(changed)


def build_config(
    opt_level: int = 2,
    required_pass: Any = None,
    disabled_pass: Any = None,
    trace: Any = None,
) -> PassContext:
    """The context of passes with these settings: an older name of ``PassContext``."""
    del trace
    return PassContext(
        opt_level=opt_level,
        required_pass=required_pass or (),
        disabled_pass=disabled_pass or (),
    )


def FoldConstantExpr(expr: Any, mod: Any = None, fold_qnn: bool = False) -> Any:
    """``FoldConstant`` of an expression, which may call functions of a module."""
    del fold_qnn
    return _of_expression("FoldConstant", expr, mod)


def ToANormalFormExpr(e: Any) -> Any:
    """``ToANormalForm`` of an expression."""
    return _of_expression("ToANormalForm", e, None)


def _of_expression(name: str, expr: Any, mod: Any) -> Any:
    """The result of a pass on an expression, whose free variables have types."""
    from kc.tvm.relay.expr import Function
    from kc.tvm.relay.traversal import free_vars

    variables = free_vars(expr)
    function = expr if isinstance(expr, Function) else Function(variables, expr)
    rest = {} if mod is None else {k: v for k, v in mod.functions.items() if k != "main"}
    pass_ = __getattr__(name)()
    after = pass_(IRModule({"main": function, **rest}))["main"]
    if isinstance(expr, Function):
        return after
    from kc.tvm.relay.build_module import bind

    return bind(after.body, dict(zip(after.params, variables, strict=True)))


def _flags() -> dict[str, Any]:
    return {
        flag: entry for flag, entry in registry.current().passes.items() if entry.family == "graph"
    }


def pass_maker(name: str) -> Callable[..., UserPass]:
    """The function that makes a pass of this name. Raises KeyError if there is none."""
    return _maker(name, flag_of(name))


def __getattr__(name: str) -> Any:
    flag = flag_of(name)
    if name[:1].isupper() and flag in _flags():
        return _maker(name, flag)
    if name in LATER:
        return later("relay.transform", name)
    close = [] if name.startswith("_") else nearest(name, __dir__())
    hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
    raise UnknownName(f"module 'kc.relay.transform' has no attribute '{name}'{hint}", name=name)


def __dir__() -> list[str]:
    names = (
        camel_case(flag).replace("Conv2d", "Conv2D").replace("Cps", "CPS") for flag in _flags()
    )
    return sorted({*__all__, *names, *LATER})
