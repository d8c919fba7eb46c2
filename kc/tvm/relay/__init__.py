"""``relay``: graphs of operators by the names of TVM 0.9's Relay.

Read :mod:`kc.tvm.relay.expr` (expressions), then :mod:`kc.tvm.relay.to_graph` (an expression as IR)
and :mod:`kc.tvm.relay.from_graph` (IR as an expression). Functions of operators are made of the
declarations in ``dialects/graph/operators`` when they are asked for.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any as _AnyValue

from kc.support.absent_names import no_attribute as _no_attribute
from kc.support.second_names import second_names as _second_names
from kc.tvm.nodes.node_objects import FuncType, TupleType, Type, TypeKind
from kc.tvm.relay import adt, analysis, expr, op, prelude, transform, types
from kc.tvm.relay.adt import (
    Clause,
    Constructor,
    GlobalTypeVar,
    Match,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
    TypeData,
)
from kc.tvm.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    TupleWrapper,
    Var,
    const,
    var,
)
from kc.tvm.relay.types import Any, RelayRefType, TensorType, TypeCall, TypeVar, scalar_type

RelayExpr = Expr
RefType = RelayRefType

__all__ = [
    "Any",
    "Call",
    "Clause",
    "Constant",
    "Constructor",
    "Expr",
    "FuncType",
    "Function",
    "GlobalTypeVar",
    "GlobalVar",
    "If",
    "Let",
    "Match",
    "PatternConstructor",
    "PatternTuple",
    "PatternVar",
    "PatternWildcard",
    "Op",
    "RefCreate",
    "RefRead",
    "RefType",
    "RefWrite",
    "RelayExpr",
    "TensorType",
    "Tuple",
    "TupleGetItem",
    "TupleType",
    "TupleWrapper",
    "Type",
    "TypeCall",
    "TypeData",
    "TypeKind",
    "TypeVar",
    "Var",
    "adt",
    "analysis",
    "const",
    "expr",
    "op",
    "prelude",
    "scalar_type",
    "transform",
    "var",
]

_second_names(__name__, ty=types)


_FUNCTIONS = {
    "ExprFunctor": "kc.tvm.relay.visitors",
    "ExprMutator": "kc.tvm.relay.visitors",
    "ExprVisitor": "kc.tvm.relay.visitors",
    "Prelude": "kc.tvm.relay.prelude",
    "ScopeBuilder": "kc.tvm.relay.scope_builder",
    "bind": "kc.tvm.relay.build_module",
    "bind_params_by_name": "kc.tvm.relay.build_module",
    "build": "kc.tvm.relay.build_module",
    "build_config": "kc.tvm.relay.transform",
    "build_module": "kc.tvm.relay.build_module",
    "create_executor": "kc.tvm.relay.build_module",
    "dataflow_pattern": "kc.tvm.relay.dataflow_pattern",
    "expr_functor": "kc.tvm.relay.visitors",
    "feature": "kc.tvm.relay.feature",
    "fromtext": "kc.tvm.relay.text_parser",
    "load_param_dict": "kc.runtime.param_dict",
    "loops": "kc.tvm.relay.loops",
    "optimize": "kc.tvm.relay.build_module",
    "param_dict": "kc.runtime.param_dict",
    "parse": "kc.tvm.relay.text_parser",
    "parse_expr": "kc.tvm.relay.text_parser",
    "quantize": "kc.tvm.relay.quantize",
    "save_param_dict": "kc.runtime.param_dict",
    "scope_builder": "kc.tvm.relay.scope_builder",
    "testing": "kc.tvm.relay.testing",
    "while_loop": "kc.tvm.relay.loops",
}
"""The name of a function -> the module that has it, which is imported when it is first used."""
_MODULES = (
    "build_module",
    "dataflow_pattern",
    "expr_functor",
    "feature",
    "loops",
    "param_dict",
    "quantize",
    "scope_builder",
    "testing",
)
"""The names among these that are modules themselves."""


def __getattr__(name: str) -> _AnyValue:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _FUNCTIONS:
        module = _import_module(_FUNCTIONS[name])
        return getattr(module, name) if name not in _MODULES else module
    value = op._MODULES.get(name) or op.function_named(name)  # pyright: ignore
    if value is None:
        raise _no_attribute("relay", name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_FUNCTIONS, *dir(op)})
