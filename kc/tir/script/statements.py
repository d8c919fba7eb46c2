"""The statements of scripts: Python's become those of :mod:`kc.tir.stmt`."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from xdsl.ir import Attribute

from kc.expr.buffers import Buffer
from kc.expr.constructors import IterVar
from kc.support.diagnostics import Location, TEError, suggest
from kc.support.locations import reading
from kc.tir.calls import as_statement, assertion
from kc.tir.script.assignments import Assignments
from kc.tir.script.blocks import Blocks
from kc.tir.script.expressions import Expressions, is_symbolic, refuse, truth
from kc.tir.script.loops import Loops
from kc.tir.script.names import Word
from kc.tir.script.scope import Scope
from kc.tir.script.source import Source
from kc.tir.stmt import If, Stmt

_NOT_HERE: dict[type[ast.AST], tuple[str, str | None]] = {
    ast.FunctionDef: ("a def inside", "a def outside of the script can be called in it"),
    ast.AsyncFunctionDef: ("async", None),
    ast.ClassDef: ("a class", "define it outside of the script"),
    ast.Delete: ("del", "a name lives to the end of its statements"),
    ast.AsyncFor: ("async", None),
    ast.AsyncWith: ("async", None),
    ast.Raise: ("raise", "a kernel runs to its end"),
    ast.Try: ("try", "a kernel raises nothing"),
    ast.Import: ("import", "import above the function"),
    ast.ImportFrom: ("import", "import above the function"),
    ast.Global: ("global", "a kernel assigns to its own names and to buffers"),
    ast.Nonlocal: ("nonlocal", "a kernel assigns to its own names and to buffers"),
    ast.Break: ("break", "an if around the rest of the statements"),
    ast.Continue: ("continue", "an if around the rest of the statements"),
    ast.Match: ("match", "if, elif, else"),
}


class Statements:
    """Reads the statements of one function into :attr:`body`."""

    results_are = "a kernel writes its results into its parameters"
    result_hint = "store to a buffer that is a parameter"

    def __init__(
        self, source: Source, outer: Statements | None = None, body: list[Stmt] | None = None
    ) -> None:
        self.expressions = Expressions(self)
        self.assignments = Assignments(self)
        self.blocks = Blocks(self)
        self.loops = Loops(self)
        self.source = source
        self.outer = outer
        """The script that calls this one."""
        self.scope = Scope(f"the function {source.name}")
        self.body: list[Stmt] = [] if body is None else body
        self.extents: dict[IterVar, Any] = {} if outer is None else outer.extents
        """Loop variables, and how many values they have."""
        self.depth = 0
        """The number of statements around the one that is read."""
        self.open_blocks = [] if outer is None else outer.open_blocks
        self.following: list[ast.stmt] = []
        """The statements that come after the one that is read, where its names live."""
        self.result: Any = None
        self.written: Callable[[Buffer, Location], None] = lambda buffer, at: None
        """Told of every buffer that is stored to."""

    # Lists of statements -------------------------------------------------------------------

    def run(self, statements: Sequence[ast.stmt], then: Sequence[ast.stmt] = ()) -> None:
        """Read statements in order; their definitions stay visible in the statements ``then``."""
        outer = self.following
        for n, statement in enumerate(statements):
            self.following = [*statements[n + 1 :], *then]
            self._run(statement)
        self.following = outer

    @contextlib.contextmanager
    def inside(self, what: str, body: list[Stmt], at: Location) -> Iterator[None]:
        """Read statements that have names of their own into ``body``."""
        outer = self.scope, self.body
        self.scope, self.body = Scope(what, self.scope), body
        self.depth += 1
        try:
            yield
        finally:
            self.scope.close(at)
            self.depth -= 1
            self.scope, self.body = outer

    def _run(self, node: ast.stmt) -> None:
        at = self.expressions.at(node)
        with reading(at):
            match node:
                case ast.Assign():
                    for target in node.targets:
                        self.assignments.assign(target, node.value, at)
                case ast.AnnAssign():
                    self.assignments.declare(node, at)
                case ast.AugAssign():
                    self.assignments.update(node, at)
                case ast.For():
                    self.loops.for_(node, at)
                case ast.If():
                    self._if(node, at)
                case ast.With():
                    self.blocks.with_(node, at)
                case ast.Expr():
                    self._expression(node, at)
                case ast.Assert():
                    self._assert(node, at)
                case ast.Return():
                    self._return(node, at)
                case ast.Pass():
                    pass
                case ast.While():
                    self.loops.while_(node, at)
                case _:
                    what, hint = _NOT_HERE.get(type(node), (f"a {type(node).__name__}", None))
                    raise refuse(what, at, hint)

    # What readers of TVMScript change ------------------------------------------------------

    rebinds = False
    """True if an assignment rebinds a name, False if it stores to a scalar."""

    def tvmscript_word(self, word: Word, node: ast.Call, name: str, at: Location) -> Any:
        """The value of a call of a word of TVMScript, to be assigned to ``name``."""
        del node, name
        raise refuse(f"T.{word.name}", at, "@T.prim_func reads TVMScript")

    def with_word(self, word: Word, node: ast.With, at: Location) -> bool:
        """Read a ``with`` of a word of TVMScript. True if the word is one that opens a ``with``."""
        del word, node, at
        return False

    def is_root(self, node: ast.With, name: Any) -> bool:
        """True if a block represents the whole function."""
        del node, name
        return False

    def is_pointer(self, annotation: Any) -> bool:
        """True if an annotation declares a pointer, which only TVMScript has."""
        del annotation
        return False

    def take_pragmas(self) -> Mapping[str, Attribute]:
        """The annotations that preceding statements set on a loop."""
        return {}

    def allocate(
        self, word: Word, values: list[Any], named: Mapping[str, Any], name: str, at: Location
    ) -> Buffer:
        """The buffer that ``name = alloc_buffer(...)`` allocates."""
        return self.blocks.allocate(word, values, named, name, at)

    # Conditions ----------------------------------------------------------------------------

    def _if(self, node: ast.If, at: Location) -> None:
        if not node.orelse and isinstance(node.test, ast.BoolOp):
            if isinstance(node.test.op, ast.And):
                # An if inside the other: the right operand is evaluated only if the left one holds.
                self._nested(node, node.test.values, at)
                return
        self._branch(node, self.expressions.eval(node.test), at)

    def _nested(self, node: ast.If, tests: Sequence[ast.expr], at: Location) -> None:
        condition = self.expressions.eval(tests[0])
        if len(tests) == 1:
            self._branch(node, condition, at)
            return
        if not is_symbolic(condition):
            if condition:
                self._nested(node, tests[1:], at)
            return
        branch = If(at, truth(condition), [], [])
        self.body.append(branch)
        outer = self.body
        self.body = branch.then
        self._nested(node, tests[1:], at)
        self.body = outer

    def _branch(self, node: ast.If, condition: Any, at: Location) -> None:
        if not is_symbolic(condition):
            # The condition is known at compile time: the statements share the scope of their
            # surroundings.
            self.run(node.body if condition else node.orelse, self.following)
            return
        branch = If(at, truth(condition), [], [])
        self.body.append(branch)
        with self.inside(f"a branch of the if in line {at.line}", branch.then, at):
            self.run(node.body)
        if node.orelse:
            with self.inside(f"a branch of the if in line {at.line}", branch.orelse, at):
                self.run(node.orelse)

    def _assert(self, node: ast.Assert, at: Location) -> None:
        condition = self.expressions.eval(node.test)
        if is_symbolic(condition):
            message = self.expressions.eval(node.msg) if node.msg is not None else ""
            self.body.append(assertion(truth(condition), f"{at}: {message}", at))
            return
        if not condition:
            shown_message = f": {self.expressions.eval(node.msg)}" if node.msg is not None else ""
            raise TEError(
                "KC2120",
                f"assert {ast.unparse(node.test)} does not hold{shown_message}",
                location=at,
            )

    # Calls and results ---------------------------------------------------------------------

    def _expression(self, node: ast.Expr, at: Location) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        value = self.expressions.eval(node.value)
        if value is None:
            return
        statement = as_statement(value, at)
        if statement is not None:
            self.body.append(statement)
            return
        raise TEError(
            "KC2123",
            f"{ast.unparse(node.value)} has no effect",
            location=at,
            why="its value is not used",
            hints=["store it: C[i] = ...", "assign it to a name: x = ..."],
        )

    def _return(self, node: ast.Return, at: Location) -> None:
        last = self.depth == 0 and not self.following
        if not last:
            raise TEError(
                "KC2114",
                f"{self.source.name} returns before its end",
                location=at,
                why="a return must be the last statement of a function: whether a return in a "
                "loop or an if "
                "is executed is known only when the kernel runs",
                hints=["an if around the statements after it"],
            )
        self.result = None if node.value is None else self.expressions.eval(node.value)
        if self.outer is None and not self.takes_result(self.result):
            raise TEError(
                "KC2114",
                f"{self.source.name} returns a value",
                location=at,
                why=self.results_are,
                hints=[self.result_hint],
            )

    def takes_result(self, value: Any) -> bool:
        """True if the function may return ``value``."""
        return value is None

    def script_arguments(self, node: ast.Call) -> list[Any]:
        """The arguments of a call of another script."""
        return self.expressions.eval_each(node.args)

    def call_script(self, function: Any, node: ast.Call, values: list[Any]) -> Any:
        """Inline a call of another script. The value is the script's result."""
        at = self.expressions.at(node)
        source: Source = function.__kc_script__
        callers: list[Source] = []
        reader: Statements | None = self
        while reader is not None:
            callers.append(reader.source)
            reader = reader.outer
        if any(source.tree is caller.tree for caller in callers):
            raise TEError(
                "KC2117",
                f"{source.name} calls itself",
                location=at,
                why="a call is replaced by the statements of the function, so recursion never ends",
                hints=["a for loop"],
            )
        named = {
            keyword.arg: self.expressions.eval(keyword.value)
            for keyword in node.keywords
            if keyword.arg is not None
        }
        inner = self.inner(source)
        inner.written = self.written
        inner.take(values, named, at)
        inner.scope.what = f"the function {source.name}"
        inner.run(source.tree.body)
        return inner.result

    def inner(self, source: Source) -> Statements:
        """A reader for a function that this one calls."""
        return Statements(source, self, self.body)

    def take(self, values: Sequence[Any], named: dict[str, Any], at: Location) -> None:
        """Define the parameters (of a call at ``at``)."""
        name, named_values = self.source.name, dict(named)
        names = parameter_names(self.source)
        if len(values) > len(names):
            raise self._arity(len(values), names, at)
        for parameter, value in zip(names, values, strict=False):
            if parameter in named_values:
                raise TEError("KC2116", f"{name} receives {parameter} twice", location=at)
            named_values[parameter] = value
        defaults = dict(
            zip(
                reversed(names),
                reversed(getattr(self.source.function, "__defaults__", None) or ()),
                strict=False,
            )
        )
        for unknown in [unknown for unknown in named_values if unknown not in names]:
            raise TEError(
                "KC2116",
                f"{name} has no parameter {unknown}",
                location=at,
                hints=suggest(unknown, names, "the parameters are"),
            )
        for parameter in names:
            if parameter not in named_values and parameter not in defaults:
                raise self._arity(len(named_values), names, at)
            self.following = self.source.tree.body
            value = named_values[parameter] if parameter in named_values else defaults[parameter]
            self.assignments.define(parameter, value, at)

    def _arity(self, count: int, names: Sequence[str], at: Location) -> TEError:
        return TEError(
            "KC2116",
            f"{self.source.name} takes {len(names)} arguments, but the call has {count}",
            location=at,
            why=f"its parameters are {', '.join(names)}" if names else "it has no parameters",
        )


def parameter_names(source: Source) -> list[str]:
    """The parameters of a function. Raises KC2115 for * and **."""
    arguments = source.tree.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
        raise TEError(
            "KC2115",
            f"{source.name} has parameters with * or /",
            location=source.at(source.tree),
            why="a script needs plain parameters, one for each argument",
        )
    return [argument.arg for argument in arguments.args]
