"""Expressions and modules as Relay's text.

::

    #[version = "0.0.5"]
    def @main(%x: Tensor[(1, 32), float32]) -> Tensor[(1, 32), float32] {
      %0 = nn.relu(%x) /* ty=Tensor[(1, 32), float32] */;
      nn.softmax(%0) /* ty=Tensor[(1, 32), float32] */
    }

Each call that is not the result stands on a line of its own, with a number, in the scope that it is
printed in first. Constants that are no scalars are ``meta[relay.Constant][i]``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kc.support.deep import run_deep
from kc.tvm.nodes.node_objects import FuncType, TupleType, Type
from kc.tvm.relay import expr as relay

VERSION = '#[version = "0.0.5"]'
_SUFFIXES = {"float32": "f", "float64": "f64", "float16": "f16", "int32": "", "int64": "i64"}


def text_of(
    expr: relay.Expr, show_meta_data: bool = True, annotate: Callable[..., str] | None = None
) -> str:
    """The text of an expression. ``annotate`` gives a comment for a call, instead of its type."""
    from kc.tvm.relay.to_graph import order_of

    depth = 10 * len(order_of(expr))
    return run_deep(lambda: _Printer(annotate).program(expr, show_meta_data), depth)


def text_of_module(functions: Mapping[str, relay.Function], show_meta_data: bool = True) -> str:
    """The text of a module of functions."""
    printer = _Printer(None)
    parts = [VERSION]
    for name, function in functions.items():
        parts.append(f"def @{name}{printer.function(function, 0)}\n")
    if show_meta_data and printer.constants:
        parts.append(printer.metadata())
    return "\n".join(parts)


class _Printer:
    def __init__(self, annotate: Callable[..., str] | None) -> None:
        self.annotate = annotate
        self.names: dict[int, str] = {}
        self.taken: set[str] = set()
        self.constants: list[relay.Constant] = []
        self.count = 0
        self.kept: list[relay.Expr] = []

    def program(self, expr: relay.Expr, show_meta_data: bool) -> str:
        lines: list[str] = []
        if isinstance(expr, relay.Function):
            text = f"fn {self.function(expr, 0)}"
        else:
            text = self.value(expr, lines, 0)
        whole = "\n".join([*lines, text])
        if show_meta_data and self.constants:
            whole += "\n\n" + self.metadata()
        return whole

    def function(self, function: relay.Function, indent: int) -> str:
        params = ", ".join(self.parameter(param) for param in function.params)
        attrs = [f"{key}={_attr(value)}" for key, value in function.attrs.items()]
        written = ", ".join([params, *attrs] if params else attrs)
        result = "" if function.ret_type is None else f" -> {type_text(function.ret_type)}"
        types = ""
        if function.type_params:
            types = "[" + ", ".join(each.name for each in function.type_params) + "]"
        return f"{types}({written}){result} {self.block(function.body, indent)}"

    def parameter(self, param: relay.Var) -> str:
        name = self.variable(param)
        type_ = param.type_annotation or param._checked_type
        return name if type_ is None else f"{name}: {type_text(type_)}"

    def variable(self, variable: relay.Var) -> str:
        if id(variable) not in self.names:
            name, number = variable.name_hint, 1
            while name in self.taken:
                name, number = f"{variable.name_hint}_{number}", number + 1
            self.taken.add(name)
            self.names[id(variable)] = f"%{name}"
            self.kept.append(variable)
        return self.names[id(variable)]

    def block(self, body: relay.Expr, indent: int) -> str:
        lines: list[str] = []
        last = self.scope(body, lines, indent + 1)
        pad = "  " * (indent + 1)
        text = "\n".join(pad + line for line in [*lines, last])
        return "{\n" + text + "\n" + "  " * indent + "}"

    def scope(self, body: relay.Expr, lines: list[str], indent: int) -> str:
        names = dict(self.names)
        while isinstance(body, relay.Let):
            value = self.value(body.value, lines, indent)
            lines.append(f"let {self.parameter(body.var)} = {value};")
            body = body.body
        last = self.value(body, lines, indent)
        bound = {key: name for key, name in self.names.items() if not name[1:].isdigit()}
        self.names = {**bound, **names}
        return last

    def value(self, expr: relay.Expr, lines: list[str], indent: int) -> str:
        """The text of an expression that stands alone: a call stays a call."""
        if id(expr) in self.names:
            return self.names[id(expr)]
        text = self.written(expr, lines, indent)
        return text + self.comment(expr)

    def operand(self, expr: relay.Expr, lines: list[str], indent: int) -> str:
        """The text of an expression inside of another one: a call is a number."""
        if id(expr) in self.names:
            return self.names[id(expr)]
        if isinstance(expr, relay.Var):
            return self.variable(expr)
        if isinstance(
            expr, relay.Constant | relay.GlobalVar | relay.Op | relay.TupleGetItem | relay.Tuple
        ):
            return self.written(expr, lines, indent) + (
                self.comment(expr) if isinstance(expr, relay.Constant) else ""
            )
        text = self.value(expr, lines, indent)
        name = f"%{self.count}"
        self.count += 1
        self.names[id(expr)] = name
        self.kept.append(expr)
        lines.append(f"{name} = {text};")
        return name

    def written(self, expr: relay.Expr, lines: list[str], indent: int) -> str:
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
                fields = [self.operand(each, lines, indent) for each in expr.fields]
                return f"({', '.join(fields)}{',' if len(fields) == 1 else ''})"
            case relay.TupleGetItem():
                return f"{self.operand(expr.tuple_value, lines, indent)}.{expr.index}"
            case relay.Call():
                callee = self.operand(expr.op, lines, indent)
                args = [self.operand(each, lines, indent) for each in expr.args]
                if isinstance(expr.op, relay.Op) and expr.attrs is not None:
                    args += [
                        f"{key}={_attr(value)}" for key, value in expr.attrs.attributes().items()
                    ]
                return f"{callee}({', '.join(args)})"
            case relay.If():
                condition = self.operand(expr.cond, lines, indent)
                then = self.block(expr.true_branch, indent)
                return f"if ({condition}) {then} else {self.block(expr.false_branch, indent)}"
            case relay.Function():
                return f"fn {self.function(expr, indent)}"
            case relay.Let():
                return self.block(expr, indent)
            case relay.RefCreate():
                return f"ref({self.operand(expr.value, lines, indent)})"
            case relay.RefRead():
                return f"ref_read({self.operand(expr.ref, lines, indent)})"
            case relay.RefWrite():
                ref = self.operand(expr.ref, lines, indent)
                return f"ref_write({ref}, {self.operand(expr.value, lines, indent)})"
            case _:
                write = getattr(expr, "relay_text", None)
                assert write is not None, type(expr)
                return write(self, lines, indent)

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
        for index, known in enumerate(self.constants):
            if known is expr:
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
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case float():
            return repr(value) + ("f64" if value == value and abs(value) != float("inf") else "")
        case tuple() | list():
            return "[" + ", ".join(map(_attr, value)) + "]"
        case _:
            return str(value)


def type_text(type_: Type) -> str:
    """A type as Relay's text."""
    match type_:
        case TupleType():
            fields = [type_text(field) for field in type_.fields]
            return f"({', '.join(fields)}{',' if len(fields) == 1 else ''})"
        case FuncType():
            arguments = ", ".join(type_text(each) for each in type_.arg_types)
            return f"fn ({arguments}) -> {type_text(type_.ret_type)}"
        case _:
            return str(type_)
