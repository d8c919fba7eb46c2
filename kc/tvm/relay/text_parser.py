"""Relay's text as modules and expressions: ``relay.fromtext``, ``tvm.parser``.

The grammar is that of TVM 0.9. A number ``%0`` names an expression, which all its uses share; a
``let`` computes a value where it stands. Sizes may have names, as in kc's types:
``Tensor[(n, 32), float32]``.
"""

from __future__ import annotations

import ast
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from kc.dialects.graph.declaration import all_operators
from kc.dialects.graph.sizes import dimension
from kc.dialects.graph.values import numpy_dtype
from kc.expr.dtypes import check_dtype
from kc.support.deep import run_deep
from kc.support.diagnostics import GraphError, KCError, counted, source_text, suggest
from kc.tir.module import IRModule
from kc.tvm.nodes.node_objects import FuncType, TupleType, Type
from kc.tvm.relay import adt, types
from kc.tvm.relay import expr as relay
from kc.tvm.relay.text_metadata import constants_of
from kc.tvm.relay.text_tokens import Source, Token, tokens_of

_T = TypeVar("_T")

_PRECEDENCE: list[dict[str, str]] = [
    {
        "==": "equal",
        "!=": "not_equal",
        "<": "less",
        ">": "greater",
        "<=": "less_equal",
        ">=": "greater_equal",
    },
    {"+": "add", "-": "subtract"},
    {"*": "multiply", "/": "divide"},
]
"""The signs between expressions and their operators, the loosest first."""

_REFERENCES: dict[str, tuple[type[relay.Expr], int]] = {
    "ref": (relay.RefCreate, 1),
    "ref_read": (relay.RefRead, 1),
    "ref_write": (relay.RefWrite, 2),
}
_QUOTIENTS = {"floordiv": operator.floordiv, "floormod": operator.mod}
_SIZES = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def parse(source: str, source_name: str = "from_string") -> IRModule:
    """The module of a text: functions, or an expression, which becomes ``main``.

    Raises GraphError: KC2465 for a text that does not follow the grammar, KC2466 for a name that
    is unknown or defined twice, and the errors of the expressions (KC2400 to KC2405).
    """
    return _read(source, source_name, lambda parser: _module(parser.module()))


def parse_expr(source: str, source_name: str = "from_string") -> relay.Expr:
    """The expression that a text is; the text may begin with functions. Raises as :func:`parse`."""
    return _read(source, source_name, lambda parser: parser.lone_expression())


def fromtext(data: str, source_name: str | None = None) -> IRModule:
    """The module of a text. Raises as :func:`parse`."""
    return parse(data, source_name or "from_string")


def _module(functions: Mapping[str, relay.Function | adt.TypeData]) -> IRModule:
    return IRModule(dict(functions))


def _read(text: str, name: str, read: Callable[[_Parser], _T]) -> _T:
    if not isinstance(text, str):
        raise GraphError(
            "KC2465",
            f"{type(text).__name__} is not text of Relay",
            hints=["relay.fromtext(open(file).read()) reads a file"],
        )
    source = Source(text, name)
    with source_text(name, text):
        try:
            parser = _Parser(source)
            return run_deep(lambda: read(parser), 20 * (1 + len(parser.tokens)))
        except KCError as error:
            if error.location is not None and error.location.file == name:
                error.location = source.with_line(error.location)
            raise


class _Parser:
    """A text while it is read."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = tokens_of(source)
        self.at = 0
        self.variables: list[dict[str, relay.Expr]] = [{}]
        self.type_names: list[set[str]] = [set()]
        self.callees: list[Token] = []
        self.types: dict[str, adt.TypeData] = {}
        self.headers: dict[str, int] = {}
        """The data types whose definition has begun, and the number of their parameters."""
        self.constructors: dict[str, adt.Constructor] = {}
        self.constants: list[relay.Constant] = []
        last = self.tokens[-2] if len(self.tokens) > 1 else None
        if last is not None and last.kind == "metadata":
            arrays = constants_of(source, last.start + len(last.text))
            self.constants = [relay.Constant(array, dtype) for array, dtype in arrays]
            del self.tokens[-2]

    # Tokens.

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def ahead(self, count: int = 1) -> Token:
        return self.tokens[min(self.at + count, len(self.tokens) - 1)]

    def next(self) -> Token:
        token = self.token
        if token.kind != "end":
            self.at += 1
        return token

    def is_at(self, text: str) -> bool:
        return self.token.kind in ("sign", "name") and self.token.text == text

    def accept(self, text: str) -> bool:
        if not self.is_at(text):
            return False
        self.at += 1
        return True

    def expect(self, text: str, purpose: str) -> Token:
        if not self.is_at(text):
            self.refuse(f"'{text}' is missing {purpose}; here is {self.token}")
        return self.next()

    def expect_kind(self, kind: str, noun: str) -> Token:
        if self.token.kind != kind:
            self.refuse(f"{noun} is missing; here is {self.token}")
        return self.next()

    def refuse(self, message: str, token: Token | None = None, code: str = "KC2465") -> Any:
        self.source.refuse(code, message, (token or self.token).start)

    @contextmanager
    def errors_at(self, token: Token) -> Iterator[None]:
        """Give the errors of expressions and types the place of a token."""
        try:
            yield
        except GraphError as error:
            if error.location is None or error.location.file != self.source.name:
                error.location = self.source.location(token.start)
            raise

    def placed(self, token: Token, make: Callable[..., _T], *args: Any) -> _T:
        """An expression whose place is a token."""
        with self.errors_at(token):
            expr = make(*args)
        if isinstance(expr, relay.Expr):
            expr.span = self.source.location(token.start)
        return expr

    def separated(self, end: str, read: Callable[[], None], noun: str) -> None:
        """Items with commas between them, and maybe after them, up to a sign."""
        while not self.accept(end):
            read()
            if not self.accept(","):
                self.expect(end, f"after {noun}")
                return

    # Modules.

    def module(self) -> dict[str, relay.Function | adt.TypeData]:
        functions: dict[str, Any] = self.functions()
        if self.token.kind != "end":
            body = self.sequence()
            if "main" in functions:
                self.refuse("an expression follows functions of which main is one")
            functions["main"] = (
                body if isinstance(body, relay.Function) else relay.Function([], body)
            )
        self.end(functions)
        return {**self.types, **functions}

    def lone_expression(self) -> relay.Expr:
        functions = self.functions()
        if self.token.kind == "end":
            self.refuse("the text has no expression")
        body = self.sequence()
        self.end(functions)
        return body

    def end(self, functions: Mapping[str, relay.Function]) -> None:
        if self.token.kind != "end":
            self.refuse(f"{self.token} follows the end of an expression")
        for token in self.callees:
            if token.text[1:] not in functions:
                self.source.refuse(
                    "KC2466",
                    f"there is no function {token.text}",
                    token.start,
                    hint=_nearest(token.text[1:], functions, "the functions are"),
                )

    def functions(self) -> dict[str, relay.Function]:
        functions: dict[str, relay.Function] = {}
        if self.token.kind == "version":
            self.next()
        while self.is_at("def") or self.is_at("type") or self.is_at("extern"):
            if self.accept("type"):
                self.type_definition()
                continue
            if not self.is_at("def"):
                self.refuse("types of other programs (extern) are not read", code="KC2408")
            self.next()
            name = self.expect_kind("global", "the name of the function (@name)")
            if name.text[1:] in functions:
                self.refuse(f"the function {name.text} is defined twice", name, "KC2466")
            functions[name.text[1:]] = self.function(name)
        return functions

    def type_definition(self) -> None:
        """A data type: ``List[A] { Cons(A, List[A]), Nil, }``."""
        name = self.expect_kind("name", "the name of the data type")
        if name.text in self.headers or name.text in _TYPE_WORDS:
            self.refuse(f"the type {name.text} is defined twice", name, "KC2466")
        header = adt.GlobalTypeVar(name.text)
        parameters: list[types.TypeVar] = []
        self.type_names.append(set())
        if self.accept("["):

            def read_parameter() -> None:
                parameter = self.expect_kind("name", "the name of a type").text
                parameters.append(types.TypeVar(parameter))
                self.type_names[-1].add(parameter)

            self.separated("]", read_parameter, "the parameters of a type")
        self.headers[name.text] = len(parameters)
        constructors: list[adt.Constructor] = []

        def read_constructor() -> None:
            tag = self.expect_kind("name", "the name of a constructor")
            if tag.text in self.constructors:
                self.refuse(f"the constructor {tag.text} is defined twice", tag, "KC2466")
            fields: list[Any] = []
            if self.accept("("):
                self.separated(")", lambda: fields.append(self.type()), "the fields")
            if None in fields:
                self.refuse(f"the type of a field of {tag.text} is missing", tag)
            constructor = self.placed(tag, adt.Constructor, tag.text, fields, header)
            constructors.append(constructor)
            self.constructors[tag.text] = constructor

        self.expect("{", "before the constructors")
        self.separated("}", read_constructor, "the constructors")
        self.type_names.pop()
        self.types[name.text] = adt.TypeData(header, parameters, constructors)

    def function(self, start: Token) -> relay.Function:
        """The rest of a function: type parameters, parameters, type of the result, body."""
        type_params: list[types.TypeVar] = []
        self.variables.append({})
        self.type_names.append(set())
        if self.accept("["):

            def read_type_name() -> None:
                name = self.expect_kind("name", "the name of a type").text
                type_params.append(types.TypeVar(name))
                self.type_names[-1].add(name)

            self.separated("]", read_type_name, "the types")
        params: list[relay.Var] = []
        attrs: dict[str, Any] = {}

        def read_param() -> None:
            if self.token.kind == "name" and self.ahead().text == "=":
                self.attribute(attrs)
                return
            params.append(self.variable())

        self.expect("(", "before the parameters")
        self.separated(")", read_param, "the parameters")
        result = self.type() if self.accept("->") else None
        body = self.block()
        self.variables.pop()
        self.type_names.pop()
        return self.placed(start, relay.Function, params, body, result, type_params, attrs)

    def variable(self) -> relay.Var:
        """A variable with its type, which is known from here on."""
        token = self.expect_kind("local", "a variable (%name)")
        if token.text in self.variables[-1]:
            self.refuse(f"{token.text} is defined twice", token, "KC2466")
        type_ = self.type() if self.accept(":") else None
        variable = self.placed(token, relay.Var, token.text[1:], type_)
        self.variables[-1][token.text] = variable
        return variable

    # Expressions.

    def block(self) -> relay.Expr:
        self.expect("{", "before a body")
        self.variables.append({})
        body = self.sequence()
        self.variables.pop()
        self.expect("}", "after a body")
        return body

    def sequence(self) -> relay.Expr:
        """Definitions, and the expression that follows them."""
        bindings: list[tuple[Token, relay.Var, relay.Expr]] = []
        opened = 0
        while True:
            token = self.token
            if token.kind == "graph" and self.ahead().text == "=":
                self.at += 2
                value = self.expression()
                self.expect(";", f"after the value of {token.text}")
                if token.text in self.variables[-1]:
                    self.refuse(f"{token.text} is defined twice", token, "KC2466")
                self.variables[-1][token.text] = value
            elif self.accept("let"):
                self.variables.append({})  # a name may be bound again
                opened += 1
                variable = self.variable()
                self.expect("=", "after the variable")
                hidden = self.variables.pop()
                if self.is_at("fn"):  # a function may call itself
                    self.variables.append(hidden)
                value = self.expression()  # another value does not see the variable
                if self.variables[-1] is not hidden:
                    self.variables.append(hidden)
                self.expect(";", f"after the value of %{variable.name_hint}")
                bindings.append((token, variable, value))
            else:
                value = self.expression()
                if not self.accept(";"):
                    break
                bindings.append((token, relay.Var("_"), value))
        del self.variables[len(self.variables) - opened :]
        for token, variable, bound in reversed(bindings):
            value = self.placed(token, relay.Let, variable, bound, value)
        return value

    def expression(self, level: int = 0) -> relay.Expr:
        if level == len(_PRECEDENCE):
            return self.postfix()
        value = self.expression(level + 1)
        signs = _PRECEDENCE[level]
        while self.token.kind == "sign" and self.token.text in signs:
            token = self.next()
            right = self.expression(level + 1)
            value = self.placed(token, relay.Call, relay.Op(signs[token.text]), [value, right])
        return value

    def postfix(self) -> relay.Expr:
        value = self.atom()
        while True:
            token = self.token
            if token.kind == "projection":
                self.next()
                value = self.placed(token, relay.TupleGetItem, value, int(token.text[1:]))
            elif self.is_at("("):
                value = self.call(value, token)
            else:
                return value

    def call(self, callee: relay.Expr, token: Token) -> relay.Expr:
        args: list[relay.Expr] = []
        attrs: dict[str, Any] = {}
        if isinstance(callee, relay.Op):
            token = self.tokens[self.at - 1]

        def read() -> None:
            if self.token.kind == "name" and self.ahead().text == "=":
                if not isinstance(callee, relay.Op):
                    self.refuse("a function has no attributes when it is called")
                self.attribute(attrs)
                return
            args.append(self.expression())

        self.expect("(", "before the arguments")
        self.separated(")", read, "the arguments")
        return self.placed(
            token, relay.Call, callee, args, attrs if isinstance(callee, relay.Op) else None
        )

    def attribute(self, attrs: dict[str, Any]) -> None:
        name = self.next()
        self.expect("=", "after the name of an attribute")
        if name.text in attrs:
            self.refuse(f"the attribute {name.text} is written twice", name, "KC2466")
        attrs[name.text] = self.attribute_value()

    def attribute_value(self) -> Any:
        token = self.token
        if token.kind == "string":
            return self.string()
        if self.is_at("[") or self.is_at("("):
            end = "]" if self.next().text == "[" else ")"
            values: list[Any] = []
            self.separated(end, lambda: values.append(self.attribute_value()), "the values")
            return tuple(values)
        if token.kind == "name" and token.text in _WORDS:
            return _WORDS[self.next().text]
        if token.kind == "name" and token.text in _DTYPES:
            return self.next().text
        if self.is_at("-") and self.ahead().text in ("inf", "nan"):
            self.at += 2
            return -float(self.tokens[self.at - 1].text)
        if (
            token.kind == "number"
            and not token.text.isdigit()
            or (
                self.is_at("-")
                and self.ahead().kind == "number"
                and not self.ahead().text.isdigit()
            )
        ):
            sign = -1 if self.accept("-") else 1
            number = self.next()
            value, dtype = _number(number.text)
            return sign * (float(value) if dtype.startswith("float") else int(value))
        return self.size()

    def string(self) -> str:
        token = self.next()
        try:
            return str(ast.literal_eval(token.text))
        except (SyntaxError, ValueError):
            return self.refuse("the string has a character that is not written so", token)

    def atom(self) -> relay.Expr:
        token = self.token
        match token.kind:
            case "local" | "graph":
                return self.declared_variable(self.next())
            case "global":
                self.callees.append(self.next())
                return self.placed(token, relay.GlobalVar, token.text[1:])
            case "number":
                return self.number()
            case "name":
                return self.word()
            case "sign" if token.text == "(":
                return self.tuple()
            case "sign" if token.text == "{":
                return self.block()
            case "sign" if token.text == "-" and self.ahead().kind == "number":
                self.next()
                return self.number(-1)
            case _:
                return self.refuse(f"an expression is missing; here is {token}")

    def declared_variable(self, token: Token) -> relay.Expr:
        for names in reversed(self.variables):
            if token.text in names:
                return names[token.text]
        visible = sorted({name for names in self.variables for name in names})
        return self.source.refuse(
            "KC2466",
            f"{token.text} is not defined here",
            token.start,
            hint=_nearest(token.text, visible, "the names are"),
        )

    def number(self, sign: int = 1) -> relay.Expr:
        token = self.next()
        text, dtype = _number(token.text)
        try:
            value = float(text) if dtype.startswith("float") else int(text)
            array = np.array(sign * value, numpy_dtype(dtype))
        except (OverflowError, ValueError):
            return self.refuse(f"{token.text} is not a number of {dtype}", token)
        return self.placed(token, relay.Constant, array, dtype)

    def word(self) -> relay.Expr:
        token = self.next()
        if token.text in ("True", "False"):
            return self.placed(token, relay.Constant, np.array(token.text == "True"), "bool")
        if token.text == "if":
            return self.branch(token)
        if token.text == "fn":
            return self.function(token)
        if token.text == "meta":
            return self.meta(token)
        if token.text in _REFERENCES and self.is_at("("):
            kind, count = _REFERENCES[token.text]
            args: list[relay.Expr] = []
            self.next()
            self.separated(")", lambda: args.append(self.expression()), "the arguments")
            if len(args) != count:
                self.refuse(f"{token.text} has {len(args)} arguments, not {count}", token)
            return self.placed(token, kind, *args)
        if token.text == "match" and (self.is_at("(") or self.is_at("?")):
            return self.match(token)
        if token.text in self.constructors:
            constructor = self.constructors[token.text]
            if constructor.inputs or self.is_at("("):
                return constructor
            return self.placed(token, relay.Call, constructor, [])
        if token.text in _WORDS_OF_STATEMENTS:
            self.refuse(f"an expression is missing; here is {token}", token)
        if token.text not in all_operators():
            self.source.refuse(
                "KC2404",
                f"there is no operator '{token.text}'",
                token.start,
                why=self.unknown_operators(),
                hint=_nearest(token.text, all_operators(), "the operators are"),
            )
        return self.placed(token, relay.Op, token.text)

    def unknown_operators(self) -> str | None:
        """All operators of the text that there are not, with their numbers of calls; None for one
        call of one operator."""
        words = {*all_operators(), *self.constructors, *_REFERENCES, *_WORDS_OF_STATEMENTS}
        words |= {"fn", "if", "match", "meta"}
        unknown = Counter(
            token.text
            for token, following in zip(self.tokens, self.tokens[1:], strict=False)
            if token.kind == "name" and following.text == "(" and token.text not in words
        )
        if sum(unknown.values()) < 2:
            return None
        calls = (f"{name} ({counted(count, 'call')})" for name, count in unknown.items())
        return f"the text has {counted(len(unknown), 'unknown operator')}: {', '.join(calls)}"

    def branch(self, token: Token) -> relay.Expr:
        self.expect("(", "before the condition")
        condition = self.expression()
        self.expect(")", "after the condition")
        then = self.block()
        self.expect("else", "after the first body")
        otherwise = self.branch(self.next()) if self.is_at("if") else self.block()
        return self.placed(token, relay.If, condition, then, otherwise)

    def match(self, token: Token) -> relay.Expr:
        complete = not self.accept("?")
        self.expect("(", "before the value")
        data = self.expression()
        self.expect(")", "after the value")
        clauses: list[adt.Clause] = []

        def read_clause() -> None:
            self.variables.append({})
            pattern = self.pattern()
            self.expect("=>", "after the pattern")
            value = self.block() if self.is_at("{") else self.expression()
            self.variables.pop()
            clauses.append(adt.Clause(pattern, value))
            if self.tokens[self.at - 1].text == "}" and self.token.kind in ("name", "local"):
                return  # Relay's text may leave the comma after a body out
            if not self.is_at("}"):
                self.expect(",", "after a clause")

        self.expect("{", "before the clauses")
        while not self.accept("}"):
            read_clause()
        return self.placed(token, adt.Match, data, clauses, complete)

    def pattern(self) -> adt.Pattern:
        token = self.token
        if self.accept("("):
            fields: list[adt.Pattern] = []
            self.separated(")", lambda: fields.append(self.pattern()), "the patterns")
            return adt.PatternTuple(fields)
        if token.kind == "local":
            return adt.PatternVar(self.variable())
        name = self.expect_kind("name", "a pattern")
        if name.text == "_":
            return adt.PatternWildcard()
        constructor = self.constructors.get(name.text)
        if constructor is None:
            self.source.refuse(
                "KC2466",
                f"there is no constructor {name.text}",
                name.start,
                hint=_nearest(name.text, self.constructors, "the constructors are"),
            )
        patterns: list[adt.Pattern] = []
        if self.accept("("):
            self.separated(")", lambda: patterns.append(self.pattern()), "the patterns")
        return adt.PatternConstructor(constructor, patterns)

    def tuple(self) -> relay.Expr:
        token = self.next()
        fields: list[relay.Expr] = []
        self.separated(")", lambda: fields.append(self.expression()), "the fields of a tuple")
        has_comma = self.tokens[self.at - 2].text == ","
        if len(fields) == 1 and not has_comma:
            return fields[0]
        return self.placed(token, relay.Tuple, fields)

    def meta(self, token: Token) -> relay.Expr:
        self.expect("[", "after meta")
        kind = self.expect_kind("name", "the kind of metadata")
        self.expect("]", "after the kind of metadata")
        self.expect("[", "before the number of the constant")
        number = self.expect_kind("number", "the number of the constant")
        self.expect("]", "after the number of the constant")
        if kind.text not in ("relay.Constant", "Constant"):
            self.refuse(f"metadata of the kind {kind.text} is not read", kind)
        if not number.text.isdigit() or int(number.text) >= len(self.constants):
            self.refuse(
                f"the section #[metadata] has {len(self.constants)} constants, not number "
                f"{number.text}",
                number,
                "KC2466",
            )
        del token
        return self.constants[int(number.text)]

    # Types.

    def type(self) -> Type | None:
        token = self.token
        if self.accept("("):
            fields: list[Any] = []
            self.separated(")", lambda: fields.append(self.type()), "the fields of a type")
            has_comma = self.tokens[self.at - 2].text == ","
            if len(fields) == 1 and not has_comma:
                return fields[0]
            return TupleType(fields)
        name = self.expect_kind("name", "a type").text
        if name == "_":
            return None
        if name == "Tensor":
            return self.tensor_type(token)
        if name == "fn":
            arguments: list[Any] = []
            self.expect("(", "before the types of the arguments")
            self.separated(")", lambda: arguments.append(self.type()), "the types")
            self.expect("->", "before the type of the result")
            result: Any = self.type()
            return FuncType(arguments, result)
        if name == "ref":
            self.expect("(", "before the type of the value")
            value = self.type()
            self.expect(")", "after the type of the value")
            if value is None:
                self.refuse("the type of the value of a reference is missing", token)
            return types.RelayRefType(value)  # pyright: ignore[reportArgumentType]
        if any(name in names for names in self.type_names):
            return types.TypeVar(name)
        if name in self.headers:
            return self.type_call(token)
        with self.errors_at(token):
            return types.TensorType((), self.dtype(token))

    def type_call(self, token: Token) -> Type:
        arguments: list[Any] = []
        if self.accept("["):
            self.separated("]", lambda: arguments.append(self.type()), "the types")
        count = self.headers[token.text]
        if len(arguments) != count or None in arguments:
            self.refuse(f"{token.text} has {count} parameters that are types", token)
        return types.TypeCall(token.text, arguments)

    def tensor_type(self, token: Token) -> Type:
        sizes: list[Any] = []
        self.expect("[", "after Tensor")
        self.expect("(", "before the sizes")
        self.separated(")", lambda: sizes.append(self.size()), "the sizes")
        self.expect(",", "after the sizes")
        dtype = self.dtype(self.expect_kind("name", "the type of the elements"))
        self.expect("]", "after the type of the elements")
        return self.placed(token, types.TensorType, sizes, dtype)

    def dtype(self, token: Token) -> str:
        try:
            numpy_dtype(check_dtype(token.text))
        except (AttributeError, KCError, KeyError, TypeError, ValueError):
            self.refuse(f"there is no type '{token.text}'", token, "KC2466")
        return token.text

    def size(self, level: int = 0) -> Any:
        """A size: a number, a name, ``?``, or sums and products of these."""
        if level == 2:
            return self.size_atom()
        value = self.size(level + 1)
        signs = ("+", "-") if level == 0 else ("*",)
        while self.token.kind == "sign" and self.token.text in signs:
            token = self.next()
            right = self.size(level + 1)
            try:
                value = _SIZES[token.text](value, right)
            except (TypeError, ValueError, KCError):
                self.refuse(f"'{token.text}' does not combine these sizes", token)
        return value

    def size_atom(self) -> Any:
        token = self.next()
        if token.kind == "number" and token.text.isdigit() and len(token.text) < 20:
            return int(token.text)
        if token.text in _QUOTIENTS and self.accept("("):
            dividend = self.size()
            self.expect(",", "after the dividend")
            divisor = self.size()
            self.expect(")", "after the divisor")
            try:
                return _QUOTIENTS[token.text](dividend, divisor)
            except (TypeError, ValueError, ZeroDivisionError, KCError):
                self.refuse(f"{token.text} has no value for these sizes", token)
        if token.kind == "name" and "." not in token.text:
            return self.placed(token, dimension, token.text)
        if token.text == "?":
            return types.Any().size
        if token.text == "-":
            return -self.size_atom()
        if token.text == "(":
            value = self.size()
            self.expect(")", "after a size")
            return value
        return self.refuse(f"a value is missing; here is {token}", token)


_WORDS = {
    "True": True,
    "False": False,
    "None": None,
    "inf": float("inf"),
    "nan": float("nan"),
}
_TYPE_WORDS = ("Tensor", "fn", "ref", "_")
_WORDS_OF_STATEMENTS = ("let", "else", "def", "type", "extern")
_DTYPES = frozenset(
    [
        "bool",
        *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (1, 4, 8, 16, 32, 64)),
        *("float16", "float32", "float64", "bfloat16"),
    ]
)


def _nearest(name: str, names: Iterable[str], title: str) -> str | None:
    """The hint that has the nearest names."""
    return next(iter(suggest(name, names, title)), None)


def _number(text: str) -> tuple[str, str]:
    """The digits of a number, and its dtype: float32 or int32 without a suffix."""
    for at, letter in enumerate(text):
        if letter in "fiu":
            kind = {"f": "float", "i": "int", "u": "uint"}[letter]
            return text[:at], kind + (text[at + 1 :] or "32")
    return text, "float32" if any(each in text for each in ".eE") else "int32"
