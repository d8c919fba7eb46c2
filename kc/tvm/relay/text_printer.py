"""Expressions and modules as Relay's text.

::

    #[version = "0.0.5"]
    def @main(%x: Tensor[(1, 32), float32]) -> Tensor[(1, 32), float32] {
      %0 = nn.relu(%x) /* ty=Tensor[(1, 32), float32] */;
      nn.softmax(%0) /* ty=Tensor[(1, 32), float32] */
    }

Each call that is not the result stands on a line of its own, with a number, as does every
expression that is used more than once; the line is in the innermost scope that has all its uses
(:mod:`kc.tvm.relay.to_graph`), so that the text is read as the same graph. Constants that are no
scalars are ``meta[relay.Constant][i]``.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from kc.dialects.graph.data_types import DataOp
from kc.dialects.graph.functions import FuncOp
from kc.dialects.graph.sizes import SizeExpr
from kc.support.deep import run_deep
from kc.support.diagnostics import GraphError
from kc.support.locations import caller_location
from kc.tvm.nodes.node_objects import FuncType, TupleType, Type
from kc.tvm.relay import expr as relay
from kc.tvm.relay.adt import (
    Constructor,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    TypeData,
)
from kc.tvm.relay.types import RelayRefType, TensorType, TypeCall, TypeVar

VERSION = '#[version = "0.0.5"]'
_SUFFIXES = {"float32": "f", "float64": "f64", "float16": "f16", "int32": "", "int64": "i64"}


def text_of(
    expr: relay.Expr, show_meta_data: bool = True, annotate: Callable[..., str] | None = None
) -> str:
    """The text of an expression. ``annotate`` gives a comment for a call, instead of its type."""
    from kc.tvm.relay.to_graph import order_of

    depth = 10 * len(order_of(expr))
    return run_deep(lambda: _Printer(annotate).program(expr, show_meta_data), depth)


def type_definition(data: TypeData) -> str:
    """A data type as Relay's text."""
    parameters = ", ".join(each.name for each in data.type_vars)
    lines = [f"type {data.header}{f'[{parameters}]' if parameters else ''} {{"]
    for constructor in data.constructors:
        fields = ", ".join(map(type_text, constructor.inputs))
        lines.append(f"  {constructor.name_hint}{f'({fields})' if fields else ''},")
    return "\n".join([*lines, "}\n"])


def text_of_module(
    functions: Mapping[str, relay.Function | TypeData], show_meta_data: bool = True
) -> str:
    """The text of a module of functions."""
    from kc.tvm.relay.to_graph import order_of

    printer = _Printer(None)
    parts = [VERSION]
    for data in (each for each in functions.values() if isinstance(each, TypeData)):
        parts.append(type_definition(data))
    for name, function in functions.items():
        if isinstance(function, TypeData):
            continue
        depth = 10 * len(order_of(function))
        written = run_deep(lambda function=function: printer.root(function), depth)
        parts.append(f"def @{name}{written}\n")
    if show_meta_data and printer.constants:
        parts.append(printer.metadata())
    return "\n".join(parts)


def relay_text(module: ModuleOp) -> str:
    """The functions of graphs of a module as Relay's text.

    Raises GraphError KC2408 for a module without such functions, or operations without a form.
    """
    from kc.tvm.relay.from_graph import function_of, type_data_of

    functions = [op for op in module.body.ops if isinstance(op, FuncOp)]
    if not functions:
        raise GraphError(
            "KC2408",
            "the module has no function of a graph",
            location=caller_location(),
            why="Relay's text is that of graphs; script('tvmscript') shows loops",
        )
    shown = [op for op in functions if not _is_literal(op)]
    types = {op.sym_name.data: type_data_of(op) for op in module.body.ops if isinstance(op, DataOp)}
    return text_of_module(types | {op.sym_name.data: function_of(op) for op in shown})


def _is_literal(op: FuncOp) -> bool:
    """True for a function that stands as a literal where it is called."""
    visibility = op.sym_visibility
    return "primitive" in op.attributes and visibility is not None and visibility.data == "private"


class _Printer:
    def __init__(self, annotate: Callable[..., str] | None) -> None:
        self.annotate = annotate
        self.variables: dict[int, str] = {}
        self.taken: set[str] = set()
        self.constants: list[relay.Constant] = []
        self.count = 0
        self.depths: dict[int, int] = {}
        self.uses: Counter[int] = Counter()
        self.scopes: list[tuple[list[str], dict[int, str]]] = []
        self.base = 0

    def program(self, expr: relay.Expr, show_meta_data: bool) -> str:
        if isinstance(expr, relay.Function):
            text = f"fn {self.root(expr)}"
        else:
            self.measure(relay.Function([], expr))
            lines: list[str] = []
            text = self.scope(expr, lines)
            text = "\n".join([*lines, text])
        if show_meta_data and self.constants:
            text += "\n\n" + self.metadata()
        return text

    def root(self, function: relay.Function) -> str:
        """A function that is in no other one."""
        self.count = 0
        self.taken = set()
        self.base = 1
        self.measure(function)
        return self.function(function)

    def measure(self, function: relay.Function) -> None:
        """Find the scope and the number of the uses of each expression."""
        from kc.tvm.relay.to_graph import order_of, parts_of, scopes_of

        self.depths = scopes_of(function)
        self.uses = Counter(
            id(part) for expr in order_of(function.body) for part, _ in parts_of(expr)
        )

    @property
    def indent(self) -> int:
        """The indentation of the lines of the scope."""
        return self.base + len(self.scopes) - 1

    def function(self, function: relay.Function) -> str:
        params = ", ".join(self.parameter(param) for param in function.params)
        attrs = [f"{key}={_attr(value)}" for key, value in function.attrs.items()]
        written = ", ".join([params, *attrs] if params else attrs)
        result = "" if function.ret_type is None else f" -> {type_text(function.ret_type)}"
        types = ""
        if function.type_params:
            types = "[" + ", ".join(each.name for each in function.type_params) + "]"
        return f"{types}({written}){result} {self.block(function.body)}"

    def parameter(self, param: relay.Var) -> str:
        name = self.variable(param)
        type_ = param.type_annotation or param._checked_type
        return name if type_ is None else f"{name}: {type_text(type_)}"

    def variable(self, variable: relay.Var) -> str:
        if id(variable) not in self.variables:
            first = re.sub(r"[^A-Za-z_0-9]", "_", variable.name_hint) or "v"
            first = first if first[0].isalpha() or first[0] == "_" else f"v{first}"
            name, number = first, 1
            while name in self.taken:
                name, number = f"{first}_{number}", number + 1
            self.taken.add(name)
            self.variables[id(variable)] = f"%{name}"
        return self.variables[id(variable)]

    def block(self, body: relay.Expr) -> str:
        lines: list[str] = []
        last = self.scope(body, lines)
        pad = "  " * (self.indent + 1)
        text = "\n".join(pad + line for line in [*lines, last])
        return "{\n" + text + "\n" + "  " * self.indent + "}"

    def scope(self, body: relay.Expr, lines: list[str]) -> str:
        """The lines of a block, and its value."""
        self.scopes.append((lines, {}))
        last = self.value(self.below_bindings(body))
        self.scopes.pop()
        return last

    def below_bindings(self, body: relay.Expr) -> relay.Expr:
        """The expression below ``let`` bindings, which are printed as lines."""
        while isinstance(body, relay.Let):
            if self.named(body) is not None:
                break
            value = self.value(body.value)
            self.scopes[-1][0].append(f"let {self.parameter(body.var)} = {value};")
            body = body.body
        return body

    def named(self, expr: relay.Expr) -> str | None:
        """The name of an expression that has been printed in a scope around here."""
        for _, names in reversed(self.scopes):
            if id(expr) in names:
                return names[id(expr)]
        return None

    def value(self, expr: relay.Expr) -> str:
        """The text of an expression that stands alone: a call stays a call."""
        is_shared = self.uses[id(expr)] > 1 or self.is_outside(expr)
        if is_shared and not isinstance(expr, relay.Var):
            return self.operand(expr)
        return self.named(expr) or self.written(expr) + self.comment(expr)

    def is_outside(self, expr: relay.Expr) -> bool:
        """True if the line of an expression is in a scope around the present one."""
        return self.depths.get(id(expr), len(self.scopes) - 1) < len(self.scopes) - 1

    def operand(self, expr: relay.Expr) -> str:
        """The text of an expression inside of another one: a call is a number."""
        name = self.named(expr)
        if name is not None:
            return name
        if isinstance(expr, relay.Var):
            return self.variable(expr)
        is_short = isinstance(
            expr,
            relay.Constant
            | relay.GlobalVar
            | relay.Op
            | relay.TupleGetItem
            | relay.Tuple
            | Constructor,
        )
        is_meta = isinstance(expr, relay.Constant) and self.constant(expr).startswith("meta")
        if is_short and (
            self.uses[id(expr)] <= 1 or is_meta or isinstance(expr, relay.Op | Constructor)
        ):
            note = self.comment(expr) if isinstance(expr, relay.Constant) else ""
            return self.written(expr) + note
        depth = min(self.depths.get(id(expr), len(self.scopes) - 1), len(self.scopes) - 1)
        inner = self.scopes[depth + 1 :]
        del self.scopes[depth + 1 :]
        lines, names = self.scopes[-1]
        last = self.below_bindings(expr)
        if last is not expr:  # the let has become lines of this scope
            text = self.operand(last)
            names[id(expr)] = text
        else:
            text = self.written(expr) + self.comment(expr)
            names[id(expr)] = f"%{self.count}"
            self.count += 1
            lines.append(f"{names[id(expr)]} = {text};")
        self.scopes.extend(inner)
        return names[id(expr)]

    def written(self, expr: relay.Expr) -> str:
        match expr:
            case relay.Var():
                return self.variable(expr)
            case relay.GlobalVar():
                return f"@{expr.name_hint}"
            case relay.Op():
                return expr.name
            case relay.Constant():
                return self.constant(expr)
            case relay.Tuple():
                fields = [self.operand(each) for each in expr.fields]
                return f"({', '.join(fields)}{',' if len(fields) == 1 else ''})"
            case relay.TupleGetItem():
                return f"{self.operand(expr.tuple_value)}.{expr.index}"
            case relay.Call():
                callee = self.operand(expr.op)
                if isinstance(expr.op, Constructor) and not expr.args:
                    return callee
                args = [self.operand(each) for each in expr.args]
                if isinstance(expr.op, relay.Op) and expr.attrs is not None:
                    args += [
                        f"{key}={_attr(value)}" for key, value in expr.attrs.attributes().items()
                    ]
                return f"{callee}({', '.join(args)})"
            case relay.If():
                condition = self.operand(expr.cond)
                then = self.block(expr.true_branch)
                return f"if ({condition}) {then} else {self.block(expr.false_branch)}"
            case relay.Function():
                return f"fn {self.function(expr)}"
            case Constructor():
                return expr.name_hint
            case Match():
                return self.match(expr)
            case relay.RefCreate():
                return f"ref({self.operand(expr.value)})"
            case relay.RefRead():
                return f"ref_read({self.operand(expr.ref)})"
            case relay.RefWrite():
                ref = self.operand(expr.ref)
                return f"ref_write({ref}, {self.operand(expr.value)})"
            case _:
                write = getattr(expr, "relay_text", None)
                assert write is not None, type(expr)
                return write(self)

    def match(self, expr: Match) -> str:
        data = self.operand(expr.data)
        lines = [f"match{'' if expr.complete else '?'} ({data}) {{"]
        pad = "  " * (self.indent + 1)
        for clause in expr.clauses:
            pattern = self.pattern(clause.lhs)
            self.base += 1
            lines.append(f"{pad}{pattern} => {self.block(clause.rhs)},")
            self.base -= 1
        return "\n".join([*lines, "  " * self.indent + "}"])

    def pattern(self, pattern: Pattern) -> str:
        match pattern:
            case PatternVar():
                return self.parameter(pattern.var)
            case PatternTuple() | PatternConstructor():
                fields = [self.pattern(field) for field in pattern.patterns]
                if isinstance(pattern, PatternTuple):
                    return f"({', '.join(fields)}{',' if len(fields) == 1 else ''})"
                name = pattern.constructor.name_hint
                return f"{name}({', '.join(fields)})" if fields else name
            case _:
                return "_"

    def comment(self, expr: relay.Expr) -> str:
        if self.annotate is not None:
            note = self.annotate(expr)
            return f" /* {note} */" if note else ""
        if isinstance(expr, relay.Var) or expr._checked_type is None:
            return ""
        if isinstance(expr, relay.Call | relay.Constant | relay.TupleGetItem):
            return f" /* ty={type_text(expr._checked_type)} */"
        return ""

    def constant(self, expr: relay.Constant) -> str:
        array = np.asarray(expr.data.numpy())
        suffix = _SUFFIXES.get(expr.dtype)
        if array.ndim == 0 and expr.dtype == "bool":
            return "True" if array else "False"
        if array.ndim == 0 and suffix is not None and np.isfinite(array):
            number = repr(array.item()) if expr.dtype == "float64" else _shortest(array)
            return f"{number}{suffix}"
        for index, constant in enumerate(self.constants):
            if constant is expr:
                return f"meta[relay.Constant][{index}]"
        self.constants.append(expr)
        return f"meta[relay.Constant][{len(self.constants) - 1}]"

    def metadata(self) -> str:
        """The elements of the constants, as a part of the text."""
        from kc.tvm.relay.text_metadata import written

        return written(self.constants)


def _shortest(array: Any) -> str:
    """The shortest decimal number that is read as the element of a scalar."""
    if array.dtype.kind != "f":
        return str(array.item())
    text = np.format_float_positional(array[()], unique=True, trim="0")
    if len(text) > 20:
        text = np.format_float_scientific(array[()], unique=True, trim="0")
    return text.removesuffix(".0") if text.endswith(".0") else text


def _attr(value: Any) -> str:
    match value:
        case None:
            return "None"
        case bool():
            return "True" if value else "False"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case float():
            return repr(value) if value - value != 0 else repr(value) + "f64"
        case SizeExpr():
            return size_text(value)
        case tuple() | list():
            return "[" + ", ".join(map(_attr, value)) + "]"
        case _:
            return str(value)


def type_text(type_: Type | None) -> str:
    """A type as Relay's text."""
    match type_:
        case TupleType():
            fields = [type_text(field) for field in type_.fields]
            return f"({', '.join(fields)}{',' if len(fields) == 1 else ''})"
        case FuncType():
            arguments = ", ".join(type_text(each) for each in type_.arg_types)
            return f"fn ({arguments}) -> {type_text(type_.ret_type)}"
        case RelayRefType():
            return f"ref({type_text(type_.value)})"
        case TypeVar():
            return type_.name
        case TypeCall():
            arguments = ", ".join(map(type_text, type_.args))
            return f"{type_.func}[{arguments}]" if type_.args else str(type_.func)
        case TensorType() if type_.shape:
            sizes = ", ".join(size_text(size) for size in type_.shape)
            return f"Tensor[({sizes}{',' if len(type_.shape) == 1 else ''}), {type_.dtype}]"
        case _:
            return "_" if type_ is None else str(type_)


def size_text(size: Any) -> str:
    """A size as Relay's text, in which ``//`` begins a comment."""
    if size is None:
        return "?"
    text = str(size)
    if "//" not in text and "%" not in text:
        return text
    return ast.unparse(_Quotients().visit(ast.parse(text, mode="eval")))


class _Quotients(ast.NodeTransformer):
    """Quotients and remainders as calls."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        names = {ast.FloorDiv: "floordiv", ast.Mod: "floormod"}
        name = names.get(type(node.op))  # pyright: ignore[reportArgumentType, reportCallIssue]
        if name is None:
            return node
        return ast.Call(ast.Name(name), [node.left, node.right], [])
