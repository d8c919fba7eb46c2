"""The expressions of scripts: numbers and Python values are computed, the rest is built."""

from __future__ import annotations

import ast
import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kc import te
from kc.expr.buffers import same_expr
from kc.expr.constructors import (
    Element,
    Expr,
    IfThenElse,
    Operators,
    as_expr,
    binary,
    children,
    compare,
    const,
    ramp,
    select,
    walk,
)
from kc.expr.dtypes import is_float
from kc.expr.indices import difference
from kc.expr.slices import TensorSlice
from kc.expr.tensor import Tensor
from kc.support.diagnostics import KCError, Location, TEError
from kc.support.locations import caller_location, reading
from kc.tir.script import limits
from kc.tir.script.functions import for_expressions
from kc.tir.script.names import Word
from kc.tir.script.scope import Local, lookup
from kc.tir.script.source import is_builtin

if TYPE_CHECKING:
    from kc.tir.script.statements import Statements

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.MatMult: operator.matmul,
}
_COMPARE: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("lt", operator.lt),
    ast.LtE: ("le", operator.le),
    ast.Gt: ("gt", operator.gt),
    ast.GtE: ("ge", operator.ge),
    ast.Eq: ("eq", operator.eq),
    ast.NotEq: ("ne", operator.ne),
}
_NOT_HERE: dict[type[ast.expr], tuple[str, str]] = {
    ast.Lambda: ("a lambda", "a def outside of the script can be called in it"),
    ast.SetComp: ("a comprehension", "a for loop that stores the elements of a buffer"),
    ast.DictComp: ("a comprehension", "a for loop that stores the elements of a buffer"),
    ast.GeneratorExp: ("a generator", "a for adds to a local: acc = acc + A[i]"),
    ast.Await: ("await", "a kernel runs to its end"),
    ast.Yield: ("yield", "store the value to a buffer"),
    ast.YieldFrom: ("yield from", "store the values to a buffer"),
    ast.JoinedStr: ("a formatted string", "a kernel knows numbers only"),
    ast.NamedExpr: (":=", "assign in a statement of its own"),
    ast.Set: ("a set", "a kernel knows numbers and buffers; build it outside"),
    ast.Starred: ("*", "write the arguments one by one"),
    ast.Slice: ("a slice", "a for loop over the elements"),
}

_OF_PARTS = (ast.Name, ast.Attribute, ast.Tuple, ast.List)
"""Syntax that computes nothing, hence needs no source location for diagnostics."""

_NUMBERS = ("math", "cmath", "numpy", None)
"""The modules whose functions compute numbers, not expressions (ufuncs of numpy have none)."""

_ATTRIBUTES = (
    "shape", "dtype", "ndim", "name", "astype", "equal", "access_ptr", "data", "strides",
    "elem_offset", "vload", "vstore", "scope",
)  # fmt: skip
"""The attributes of buffers and scalars."""


def refuse(what: str, at: Location, hint: str | None) -> TEError:
    """The diagnostic for a Python construct that scripts do not support."""
    return TEError(
        "KC2110",
        f"kc.script does not have {what}",
        location=at,
        hints=[hint] if hint else (),
    )


def is_symbolic(value: Any) -> bool:
    """True if a value is known only when the kernel runs."""
    return isinstance(value, Operators | Tensor | Local)


class Expressions:
    """Evaluates the expressions of the function that ``reader`` reads."""

    def __init__(self, reader: Statements) -> None:
        self.reader = reader
        self.weights = limits.Weights()

    def at(self, node: ast.AST) -> Location:
        """The place of a node in the user's file."""
        return self.reader.source.at(node)

    def eval(self, node: ast.expr) -> Any:
        """The value of an expression: of Python, or an expression of the kernel."""
        if isinstance(node, ast.Constant):
            if isinstance(node.value, int):
                limits.check_value(node.value, self.at(node))
            return node.value
        limits.count_step(lambda: self.at(node))
        if isinstance(node, ast.Name):
            is_known, value = self.reader.scope.find(node.id)
            if is_known:
                return value.buffer() if isinstance(value, Local) else value
        at = self.at(node)
        if isinstance(node, _OF_PARTS):
            return self._eval(node, at)
        with reading(at):
            return self._eval(node, at)

    def eval_each(self, nodes: Sequence[ast.expr]) -> list[Any]:
        """The values of arguments or elements; ``*shape`` expands to the elements of a Python
        tuple.
        """
        values: list[Any] = []
        for node in nodes:
            if not isinstance(node, ast.Starred):
                values.append(self.eval(node))
                continue
            several = self.eval(node.value)
            if not isinstance(several, tuple | list):
                raise refuse(
                    f"*{ast.unparse(node.value)}", self.at(node), "write the arguments one by one"
                )
            values += several
        return values

    def scalar(self, node: ast.expr) -> Expr:
        """An expression as a scalar of the kernel."""
        value = self.eval(node)
        with reading(self.at(node)):
            return as_scalar(value)

    def _eval(self, node: ast.expr, at: Location) -> Any:
        match node:
            case ast.Name():
                value = lookup(self.reader.source, self.reader.scope, node.id, at)
                return value.buffer() if isinstance(value, Local) else value
            case ast.Tuple() | ast.List():
                return self.weights.check(tuple(self.eval_each(node.elts)), at)
            case ast.Dict(keys=keys) if None not in keys:
                pairs = zip((key for key in keys if key is not None), node.values, strict=True)
                return {self.eval(key): self.eval(value) for key, value in pairs}
            case ast.ListComp():
                return self._comprehension(node)
            case ast.BinOp():
                return self._binary(node, at)
            case ast.UnaryOp():
                return self._unary(node, at)
            case ast.Compare():
                return self._compare(node, at)
            case ast.BoolOp():
                return self._connect(node, at)
            case ast.IfExp():
                return self._choose(node, at)
            case ast.Subscript():
                return self._subscript(node, at)
            case ast.Attribute():
                return self._attribute(node, at)
            case ast.Call():
                return self._call(node, at)
            case _:
                what, hint = _NOT_HERE.get(type(node), (f"a {type(node).__name__}", None))
                raise refuse(what, at, hint)

    # Operators -----------------------------------------------------------------------------

    def _binary(self, node: ast.BinOp, at: Location) -> Any:
        lhs, rhs = self.eval(node.left), self.eval(node.right)
        return self.combine(node.op, lhs, rhs, at)

    def combine(self, op: ast.operator, lhs: Any, rhs: Any, at: Location) -> Any:
        """``lhs op rhs``."""
        if is_symbolic(lhs) or is_symbolic(rhs):
            lhs, rhs = as_scalar(lhs, rhs), as_scalar(rhs, lhs)
        if type(op) is ast.MatMult:
            raise refuse("@", at, "loops over rows, columns and the sum")
        limits.check_operands(type(op), lhs, rhs, at)
        result = python(lambda: _BINARY[type(op)](lhs, rhs), type(op).__name__, at)
        return self.weights.check(limits.check_value(result, at), at)

    def _unary(self, node: ast.UnaryOp, at: Location) -> Any:
        value = self.eval(node.operand)
        if isinstance(node.op, ast.Not):
            return ~truth(value) if is_symbolic(value) else not value
        if is_symbolic(value):
            value = as_scalar(value)
        if isinstance(node.op, ast.UAdd):
            return value
        call = operator.neg if isinstance(node.op, ast.USub) else operator.invert
        return python(lambda: call(value), type(node.op).__name__, at)

    def _compare(self, node: ast.Compare, at: Location) -> Any:
        values = [self.eval(operand) for operand in (node.left, *node.comparators)]
        result: Any = True
        for op, lhs, rhs in zip(node.ops, values, values[1:], strict=False):
            compared = self._compare_two(op, lhs, rhs, at)
            result = compared if result is True else self._and(result, compared)
        return result

    def _compare_two(self, op: ast.cmpop, lhs: Any, rhs: Any, at: Location) -> Any:
        if type(op) not in _COMPARE:
            if not is_symbolic(lhs) and not is_symbolic(rhs):
                if isinstance(op, ast.Is | ast.IsNot):
                    return (lhs is rhs) is isinstance(op, ast.Is)
                if not (isinstance(rhs, range) and isinstance(lhs, int)):
                    limits.check_range(rhs, at)
                    limits.count_step(lambda: at, rhs)
                return python(lambda: (lhs in rhs) is isinstance(op, ast.In), "in", at)
            raise refuse(
                "in and is of values that are known only when the kernel runs",
                at,
                "compare with ==",
            )
        name, compute = _COMPARE[type(op)]
        if is_symbolic(lhs) or is_symbolic(rhs):
            return compare(name, as_scalar(lhs, rhs), as_scalar(rhs, lhs))
        limits.count_step(lambda: at, lhs, rhs)
        return python(lambda: compute(lhs, rhs), name, at)

    @staticmethod
    def _and(lhs: Any, rhs: Any) -> Any:
        if not is_symbolic(lhs):
            return rhs if lhs else lhs
        if not is_symbolic(rhs) and rhs:
            return lhs
        a, b = condition(lhs, "and"), condition(rhs, "and")
        return te.if_then_else(a, b, const(False)) if loads(b) else binary("and", a, b)

    @staticmethod
    def _or(lhs: Any, rhs: Any) -> Any:
        if not is_symbolic(lhs):
            return lhs if lhs else rhs
        if not is_symbolic(rhs) and not rhs:
            return lhs
        a, b = condition(lhs, "or"), condition(rhs, "or")
        return te.if_then_else(a, const(True), b) if loads(b) else binary("or", a, b)

    def _connect(self, node: ast.BoolOp, at: Location) -> Any:
        join = self._and if isinstance(node.op, ast.And) else self._or
        result = self.eval(node.values[0])
        for operand in node.values[1:]:
            if not is_symbolic(result) and bool(result) is isinstance(node.op, ast.Or):
                return result  # the remaining operands are not evaluated
            result = join(result, self.eval(operand))
        return result

    def _choose(self, node: ast.IfExp, at: Location) -> Any:
        condition = self.eval(node.test)
        if not is_symbolic(condition):
            return self.eval(node.body if condition else node.orelse)
        a, b = self.eval(node.body), self.eval(node.orelse)
        test, a, b = truth(condition), as_scalar(a, b), as_scalar(b, a)
        # Elements that the condition has already read may be read again, whatever its value.
        safe = all(_is_read(part, test) for part in walk(a, b) if isinstance(part, Element))
        return (select if safe else te.if_then_else)(test, a, b)

    # Elements, attributes and calls ----------------------------------------------------------

    def _subscript(self, node: ast.Subscript, at: Location) -> Any:
        value = self.eval(node.value)
        if isinstance(value, Tensor | TensorSlice):
            return value[self.indices(node)]
        if is_symbolic(value):
            raise TEError(
                "KC2121",
                "a scalar is indexed",
                location=at,
                why="only buffers have elements; the value is a number",
            )
        index = self.eval(node.slice)
        # A list of lists is indexed as a buffer is: x[i, j].
        nested = isinstance(value, list | tuple) and isinstance(index, tuple)
        parts = index if nested else (index,)
        if any(is_symbolic(part) for part in parts):
            raise TEError(
                "KC2126",
                f"a Python {type(value).__name__} is indexed with a value that is known only "
                "when the "
                "kernel runs",
                location=at,
                why="it is not memory of the kernel",
                hints=["an index of const_range", "pass it as a buffer"],
            )
        return python(lambda: _item(value, parts), "the index", at)

    def indices(self, node: ast.Subscript) -> tuple[Any, ...]:
        """The indices of an element."""
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        indices: list[Any] = []
        for part in parts:
            if isinstance(part, ast.Slice):
                indices.append(self._slice(part))
                continue
            for value in self.eval_each([part]):
                indices += value if isinstance(value, tuple) else [value]
        return tuple(indices)

    def _slice(self, node: ast.Slice) -> Any:
        """``i : i + 4``: the lanes of a vector, as T.Ramp gives them."""
        at = self.at(node)
        if node.upper is None:
            raise refuse("a slice without an end", at, "A[i : i + 4] is a vector of 4 elements")
        start = 0 if node.lower is None else self.eval(node.lower)
        step = 1 if node.step is None else self.eval(node.step)
        count = difference(as_expr(self.eval(node.upper)), as_expr(start))
        if count is None or count < 1 or not isinstance(step, int):
            raise refuse("a slice of symbolic length", at, "a for loop over the elements")
        lanes = -(-count // step)
        return start if lanes == 1 else ramp(start, step, lanes)

    def _comprehension(self, node: ast.ListComp) -> tuple[Any, ...]:
        """``[x * x for x in (1, 2)]``: values over a sequence that is known at compile time."""
        values: list[Any] = []

        def over(rest: list[ast.comprehension]) -> None:
            if not rest:
                values.append(self.eval(node.elt))
                return
            source = self.eval(rest[0].iter)
            at = self.at(rest[0].iter)
            if is_symbolic(source):
                raise refuse(
                    "a comprehension over a buffer", at, "a for loop that stores the elements"
                )
            limits.check_range(source, at)
            for value in python(lambda: list(source), "the iteration", at):
                limits.count_step(lambda: at)
                with self.reader.inside("a comprehension", self.reader.body, at):
                    self.reader.loops.unpack(rest[0].target, value, at)
                    if all(self._known_condition(test) for test in rest[0].ifs):
                        over(rest[1:])

        over(node.generators)
        return self.weights.check(tuple(values), self.at(node))

    def _known_condition(self, node: ast.expr) -> bool:
        condition = self.eval(node)
        if is_symbolic(condition):
            raise refuse(
                "a condition in a comprehension that is known only when the kernel runs",
                self.at(node),
                None,
            )
        return bool(condition)

    def _attribute(self, node: ast.Attribute, at: Location) -> Any:
        value = self.eval(node.value)
        if is_symbolic(value) and node.attr not in _ATTRIBUTES:
            raise TEError(
                "KC2121",
                f"a {'buffer' if isinstance(value, Tensor) else 'scalar'} has no attribute "
                f"{node.attr}",
                location=at,
                hints=[f"the attributes are {', '.join(_ATTRIBUTES)}"],
            )
        self.reader.source.check_attribute(value, node.attr, at)
        return python(lambda: getattr(value, node.attr), f".{node.attr}", at)

    def _call(self, node: ast.Call, at: Location) -> Any:
        function = self.eval(node.func)
        if isinstance(function, Word):
            return self.reader.blocks.call_word(function, node)
        if hasattr(function, "__kc_script__"):
            return self.reader.call_script(function, node, self.reader.script_arguments(node))
        values = self.eval_each(node.args)
        named = {
            keyword.arg: self.eval(keyword.value)
            for keyword in node.keywords
            if keyword.arg is not None
        }
        if len(named) != len(node.keywords):
            raise refuse("**", at, "write the arguments one by one")
        return self._call_python(function, values, named, node, at)

    def _call_python(
        self,
        function: Any,
        values: list[Any],
        named: Mapping[str, Any],
        node: ast.Call,
        at: Location,
    ) -> Any:
        text = ast.unparse(node.func)
        if not callable(function):
            raise TEError(
                "KC2118",
                f"{text} is called, but has the type {type(function).__name__}",
                location=at,
            )
        symbolic = any(is_symbolic(value) for value in (*values, *named.values()))
        if (
            symbolic
            and not is_builtin(function)
            and getattr(function, "__module__", "") in _NUMBERS
        ):
            own = getattr(function, "__name__", "")
            instead = f"te.{own}" if own in dir(te) else "a function of te"
            raise refuse(f"{text} of values of the kernel", at, f"{instead} computes in a kernel")
        function = for_expressions(function)
        if not symbolic:
            limits.check_arguments(function, values, named, at)
        try:
            inspect.signature(function).bind(*values, **named)
        except ValueError:
            pass  # a C function without a signature
        except TypeError as error:
            raise TEError(
                "KC2116",
                f"{text} cannot be called with these arguments: {error}",
                location=at,
                why=f"its parameters are {inspect.signature(function)}",
            ) from None
        return python(lambda: function(*values, **named), f"the call of {text}", at)


def as_scalar(value: Any, like: Any = None) -> Expr:
    """``value`` as a scalar. A Python number takes the type of ``like`` if the type can hold it."""
    if is_symbolic(like) and not is_symbolic(value):
        return as_expr(value, as_expr(like).dtype)
    return as_expr(value)


def truth(value: Any) -> Expr:
    """``value`` as a condition. As in Python, a number is true if it is not 0."""
    scalar = as_scalar(value)
    if scalar.dtype == "bool":
        return scalar
    return compare("ne", scalar, const(0.0 if is_float(scalar.dtype) else 0, scalar.dtype))


def condition(value: Any, joined: str) -> Expr:
    """``value`` as an operand of ``and`` or ``or``. Raises KC2006 for a number, because Python
    would return one of the numbers.
    """
    scalar = as_scalar(value)
    if scalar.dtype != "bool":
        raise TEError(
            "KC2006",
            f"{joined} of a value of type {scalar.dtype}",
            location=caller_location(),
            why=f"Python's {joined} of numbers returns a number, in a kernel it is a condition",
            hints=["compare it: x != 0"],
        )
    return scalar


def _is_read(element: Element, expr: Expr) -> bool:
    """True if every evaluation of ``expr`` reads the element. A scalar of the script is always
    readable.
    """
    if not element.indices:
        return True
    waiting = [expr]
    while waiting:
        current = waiting.pop()
        if isinstance(current, Element) and current.tensor is element.tensor:
            if all(map(same_expr, current.indices, element.indices)):
                return True
        waiting += [current.condition] if isinstance(current, IfThenElse) else children(current)
    return False


def loads(expr: Expr) -> bool:
    """True if ``expr`` reads memory."""
    return any(isinstance(part, Element) for part in walk(expr))


def python(compute: Callable[[], Any], what: str, at: Location) -> Any:
    """The result of ``compute``. A Python exception becomes a diagnostic (KC2118)."""
    try:
        return compute()
    except KCError as error:
        raise error.with_location(at) from None
    except Exception as error:
        raise TEError(
            "KC2118",
            f"{what} fails: {error}",
            location=at,
            why=f"it is computed while the script is compiled, and raises {type(error).__name__}",
        ) from error


def _item(value: Any, indices: tuple[Any, ...]) -> Any:
    """``value[i][j]...``."""
    for index in indices:
        value = value[index]
    return value
