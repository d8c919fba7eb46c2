"""Modules as data, by the names of ``tvm.ir``: JSON both ways, comparison, ranges."""

from __future__ import annotations

import json
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

import kc
from kc import instrument, tir, transform
from kc.analysis.structural_equality import difference
from kc.analysis.structural_equality import structural_hash as hash_of
from kc.dialects.graph.functions import FuncOp as GraphFunction
from kc.dialects.tir import BlockOp, ForOp
from kc.expr.constructors import Domain, Operators, as_expr
from kc.expr.op_attributes import register_intrin_lowering, register_op_attr
from kc.expr.tensor import Operation, Tensor
from kc.support.absent_names import no_attribute
from kc.support.diagnostics import InputError, ParseError
from kc.support.ir_text import print_module
from kc.support.locations import caller_location
from kc.support.second_names import second_names
from kc.te.schedule import Schedule
from kc.tir.module import GlobalVar, IRModule
from kc.tir.prim_func import PrimFunc
from kc.tvm import json_form
from kc.tvm.equal_expressions import equal_expressions
from kc.tvm.nodes import container
from kc.tvm.nodes.node_objects import (
    Array,
    Attrs,
    BaseExpr,
    BaseFunc,
    CallingConv,
    DictAttrs,
    EnvFunc,
    FuncType,
    Map,
    Node,
    PointerType,
    PrimExpr,
    PrimType,
    RelayExpr,
    SequentialSpan,
    SourceName,
    Span,
    TupleType,
    Type,
    TypeKind,
    make_node,
)
from kc.tvm.nodes.op import Op
from kc.tvm.relay.expr import Expr as RelayExpression
from kc.tvm.relay.from_graph import function_of, is_literal
from kc.tvm.relay.structural_equality import difference_of, hash_of_expression

__all__ = [
    "Array",
    "Attrs",
    "BaseExpr",
    "BaseFunc",
    "CallingConv",
    "DictAttrs",
    "EnvFunc",
    "FuncType",
    "GlobalVar",
    "IRModule",
    "Map",
    "Node",
    "Op",
    "PointerType",
    "PrimExpr",
    "PrimType",
    "Range",
    "RelayExpr",
    "SequentialSpan",
    "SourceName",
    "Span",
    "StructuralDifference",
    "TupleType",
    "Type",
    "TypeKind",
    "assert_structural_equal",
    "instrument",
    "load_json",
    "make_node",
    "register_intrin_lowering",
    "register_op_attr",
    "save_json",
    "structural_equal",
    "structural_hash",
    "transform",
]


class Range(Domain):
    """The numbers from ``begin`` up to ``end``: the domain of an axis.

    ``Range(n)`` starts at 0; :meth:`from_min_extent` takes a size. It is the pair that
    ``te.reduce_axis`` and ``te.thread_axis`` take, with ``min`` and ``extent``.
    """

    def __new__(cls, begin: Any, end: Any = None) -> Range:
        return super().__new__(cls, (0, begin) if end is None else (begin, end))

    @classmethod
    def from_min_extent(cls, min_value: Any, extent: Any) -> Range:
        """The range of ``extent`` numbers that starts at ``min_value``."""
        numbers = cls(min_value, min_value + extent)
        numbers._count = extent
        return numbers

    _count: Any = None

    def __getnewargs__(self) -> tuple[Any, Any]:
        return self[0], self[1]

    @property
    def extent(self) -> Any:
        """The number of values."""
        return super().extent if self._count is None else self._count


def save_json(node: Any) -> str:
    """A module as JSON: its text and the version that wrote it; a ``tir.Schedule`` as the module
    that it began with and its trace; a trace; an expression, a tensor, an operation or a
    ``te.Schedule`` as its nodes (:mod:`kc.tvm.json_form`). Raises InputError KC0082 for anything
    else, and for expressions that hold code: statements of ``te.extern``, own rules of gradients.
    """
    written: dict[str, Any] = {"kc": kc.__version__}
    if isinstance(node, Operators | Operation | Schedule | Tensor):
        written["te"] = json_form.to_json(node)
    elif isinstance(node, tir.Schedule):
        written["schedule"] = node.as_json()
    elif isinstance(node, tir.Trace):
        written["trace"] = node.as_json()
    else:
        written["module"] = print_module(_module(node, "save_json"))
    return json.dumps(written)


def load_json(json_str: str) -> Any:
    """The object that :func:`save_json` wrote: a module, a schedule, a trace, or tensor
    expressions.

    The text is data: nothing in it is executed, and no file is opened for it. Raises ParseError:
    KC0083 for any other text, KC0097 for a text with a pickle, as early versions wrote them, and
    the errors of invalid IR; ScheduleError for a trace that is refused.
    """
    try:
        data = json.loads(json_str)
    except (ValueError, TypeError, RecursionError) as error:
        raise _not_ours(str(error)) from error
    if not isinstance(data, dict):
        raise _not_ours()
    if "pickle" in data:
        raise ParseError(
            "KC0097",
            "load_json: the text holds a pickle",
            location=caller_location(),
            why="reading a pickle can run any code, so tensor expressions are now saved as data",
            hints=["create the object again, and save it with this version: kc.ir.save_json(s)"],
        )
    try:
        if "te" in data:
            return json_form.from_json(data["te"])
        if "schedule" in data:
            return tir.Schedule.from_json(data["schedule"])
    except ValueError as error:
        raise _not_ours(str(error)) from error
    if "trace" in data:
        return tir.Trace.from_json(data["trace"], "<json>")
    if not isinstance(data.get("module"), str):
        raise _not_ours()
    return IRModule.parse(data["module"], "<json>")


def _not_ours(why: str = "") -> ParseError:
    return ParseError(
        "KC0083",
        "load_json: the text is not a module as JSON",
        location=caller_location(),
        why=why or 'the text must be an object with the keys "kc" and "module"',
        hints=["kc.IRModule.parse(text) reads textual IR"],
    )


def structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> bool:
    """True if two modules are the same program.

    The names of loops, blocks, buffers, arguments and sizes are ignored, as are the name of a
    single function, and the number and the order of the computations of a value
    (:mod:`kc.analysis.structural_equality`). In expressions, variables must match:
    :mod:`kc.tvm.equal_expressions`. Loops and blocks of a schedule are the same if they have the
    same text. Expressions and functions of Relay: :mod:`kc.tvm.relay.structural_equality`; modules
    with such functions are equal if these are, name by name. Raises InputError KC0082 for anything
    else.
    """
    if _is_graph(lhs) or _is_graph(rhs):
        return _graph_difference(lhs, rhs, map_free_vars) is None
    if isinstance(lhs, Operators) and isinstance(rhs, Operators):
        return equal_expressions(as_expr(lhs), as_expr(rhs), map_free_vars)
    if _are_statements(lhs, rhs):
        return _same_statement(lhs, rhs)
    # A function has no free variables.
    return difference(*_modules(lhs, rhs, "structural_equal")) is None


def structural_hash(node: Any, map_free_vars: bool = False) -> int:
    """A number that is the same for what is :func:`structural_equal`."""
    if isinstance(node, RelayExpression):
        return hash_of_expression(node, map_free_vars)
    if _is_graph(node):
        functions = sorted(_graph_functions(node).items())
        return hash(tuple((name, hash_of_expression(function)) for name, function in functions))
    return hash_of(_named(_module(node, "structural_hash"), "main"))


def assert_structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> None:
    """Raise :class:`StructuralDifference`, with the first statements that differ, unless
    :func:`structural_equal`."""
    if _is_graph(lhs) or _is_graph(rhs):
        parts = _graph_difference(lhs, rhs, map_free_vars)
        if parts is not None:
            raise StructuralDifference(f"{parts[0]} is not {parts[1]}")
        return
    if isinstance(lhs, Operators) and isinstance(rhs, Operators):
        if not structural_equal(lhs, rhs, map_free_vars):
            raise StructuralDifference(f"{as_expr(lhs)!r} is not {as_expr(rhs)!r}")
        return
    if _are_statements(lhs, rhs):
        if not _same_statement(lhs, rhs):
            raise StructuralDifference(f"{lhs} is not {rhs}")
        return
    place = difference(*_modules(lhs, rhs, "assert_structural_equal"))
    if place is not None:
        raise StructuralDifference(f"the modules differ {place}")


def _is_graph(node: Any) -> bool:
    """True for an expression of Relay, and for a module with graph functions."""
    if isinstance(node, RelayExpression):
        return True
    module = getattr(node, "op", node)
    return isinstance(module, ModuleOp) and any(
        isinstance(op, GraphFunction) for op in module.body.block.ops
    )


def _graph_functions(node: Any) -> dict[str, RelayExpression]:
    """The functions of a module as expressions, but groups, which stand where they are called."""
    module = getattr(node, "op", node)
    functions: dict[str, RelayExpression] = {}
    for op in module.body.block.ops:
        if isinstance(op, GraphFunction) and not is_literal(op):
            functions[op.sym_name.data] = function_of(op)
    return functions


def _graph_difference(lhs: Any, rhs: Any, map_free_vars: bool) -> tuple[Any, Any] | None:
    """The first parts of two graphs that differ; None for equal ones."""
    if isinstance(lhs, RelayExpression) and isinstance(rhs, RelayExpression):
        return difference_of(lhs, rhs, map_free_vars)
    if isinstance(lhs, RelayExpression) or isinstance(rhs, RelayExpression):
        return lhs, rhs
    if not (_is_graph(lhs) and _is_graph(rhs)):
        return lhs, rhs
    left, right = _graph_functions(lhs), _graph_functions(rhs)
    if left.keys() != right.keys():
        return sorted(left), sorted(right)
    for name, function in left.items():
        parts = difference_of(function, right[name])
        if parts is not None:
            return parts
    return None


class StructuralDifference(AssertionError, ValueError):
    """Two modules are not the same program (TVM raises a ValueError)."""


def _are_statements(lhs: Any, rhs: Any) -> bool:
    return isinstance(lhs, BlockOp | ForOp) and isinstance(rhs, BlockOp | ForOp)


def _same_statement(lhs: Any, rhs: Any) -> bool:
    """True if two loops or blocks, of any functions, have the same text."""
    return lhs is rhs or str(lhs) == str(rhs)


def _modules(lhs: Any, rhs: Any, what: str) -> tuple[ModuleOp, ModuleOp]:
    """Both arguments as modules. If one is a function, both functions get the same name."""
    left, right = _module(lhs, what), _module(rhs, what)
    if any(isinstance(node, PrimFunc | FuncOp) for node in (lhs, rhs)):
        function = left.body.block.first_op
        if isinstance(function, FuncOp):
            right = _named(right, function.sym_name.data)
    return left, right


def _named(module: ModuleOp, name: str) -> ModuleOp:
    """The module with its only function under a name; one of several as it is."""
    functions = list(module.body.block.ops)
    if len(functions) != 1 or not isinstance(functions[0], FuncOp):
        return module
    copied = functions[0].clone()
    copied.sym_name = StringAttr(name)
    return ModuleOp([copied])


def _module(node: Any, what: str) -> Any:
    module = getattr(node, "module", None) or getattr(node, "op", node)
    if isinstance(module, FuncOp):
        return ModuleOp([module.clone()])
    if isinstance(module, ModuleOp):
        return module
    raise InputError(
        "KC0082",
        f"{what}: {type(node).__name__} is not a module",
        location=caller_location(),
        hints=["kc.lower(s, args) makes a module of a schedule, te.create_prim_func of tensors"],
    )


second_names(__name__, "base", "expr", "module", container=container, transform=transform)


def __getattr__(name: str) -> Any:
    raise no_attribute("ir", name)


def __dir__() -> list[str]:
    return sorted([*__all__, "container"])
