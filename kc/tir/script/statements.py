"""The statements of scripts: Python's become those of :mod:`kc.tir.stmt`."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from kc.dialects.tir_threads import THREAD_AXES
from kc.support.diagnostics import Location, TEError, suggest
from kc.support.locations import reading
from kc.te.buffers import Buffer
from kc.te.expr import Element, Expr, IterVar, cast, check_dtype
from kc.te.tensor import Tensor
from kc.te.threads import thread_axis
from kc.tir.ir_builder import counting_loop, integer, no_while, store, stored_as
from kc.tir.script.blocks import Blocks
from kc.tir.script.expressions import as_scalar, is_symbolic, loads, python, refuse, truth
from kc.tir.script.names import LOOP_KINDS, Word
from kc.tir.script.scope import Local, Scope, assigned
from kc.tir.script.source import Source
from kc.tir.stmt import Allocate, For, If, Let, Stmt, Store, Value

SCALARS = {"int": "int32", "float": "float32", "bool": "bool"}
"""The element types of Python's numbers."""

MAX_COPIES = 4096
"""How often the statements of a loop may be repeated while a script is compiled."""

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


class Statements(Blocks):
    """Reads the statements of one function into :attr:`body`."""

    results_are = "a kernel writes its results into its parameters"
    result_hint = "store to a buffer that is a parameter"

    def __init__(
        self, source: Source, outer: Statements | None = None, body: list[Stmt] | None = None
    ) -> None:
        self.source = source
        self.outer = outer
        """The script that calls this one."""
        self.scope = Scope(f"the function {source.name}")
        self.body: list[Stmt] = [] if body is None else body
        self.extents: dict[IterVar, Any] = {} if outer is None else outer.extents
        """Loop variables, and how many values they have."""
        self.depth = 0
        """The number of statements around the one that is read."""
        self.blocks = [] if outer is None else outer.blocks
        self.following: list[ast.stmt] = []
        """The statements that come after the one that is read, where its names live."""
        self.result: Any = None
        self.written: Callable[[Buffer, Location], None] = lambda buffer, at: None
        """Told of every buffer that is stored to."""

    # Lists of statements -------------------------------------------------------------------

    def run(self, statements: Sequence[ast.stmt], then: Sequence[ast.stmt] = ()) -> None:
        """Read statements, one after another; their names live on in those of ``then``."""
        outer = self.following
        for n, one in enumerate(statements):
            self.following = [*statements[n + 1 :], *then]
            self._run(one)
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
        at = self.at(node)
        with reading(at):
            match node:
                case ast.Assign():
                    for target in node.targets:
                        self._assign(target, node.value, at)
                case ast.AnnAssign():
                    self._declare(node, at)
                case ast.AugAssign():
                    self._update(node, at)
                case ast.For():
                    self._for(node, at)
                case ast.If():
                    self._if(node, at)
                case ast.With():
                    self.with_(node, at)
                case ast.Expr():
                    self._expression(node, at)
                case ast.Assert():
                    self._assert(node, at)
                case ast.Return():
                    self._return(node, at)
                case ast.Pass():
                    pass
                case ast.While():
                    raise no_while("while", at)
                case _:
                    what, hint = _NOT_HERE.get(type(node), (f"a {type(node).__name__}", None))
                    raise refuse(what, at, hint)

    # Assignments ---------------------------------------------------------------------------

    def _assign(self, target: ast.expr, value: ast.expr, at: Location) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
                found = [self.eval(one) for one in value.elts]
            else:
                self._targets = [ast.unparse(one) for one in target.elts]
                given = self.eval(value)
                self._targets = None
                if not isinstance(given, tuple | list):
                    raise refuse("unpacking of what is no tuple", at, "assign to one name")
                found = list(given)
            if len(found) != len(target.elts):
                raise TEError(
                    "KC2116",
                    f"{len(found)} values are assigned to {len(target.elts)} names",
                    location=at,
                )
            if any(is_symbolic(one) for one in found):
                # All values are those of before, as in a swap.
                found = [self._kept(one, "value", at) for one in found]
            for one, part in zip(target.elts, found, strict=True):
                self._assign_value(one, part, at)
            return
        name = target.id if isinstance(target, ast.Name) else ""
        self._assign_value(target, self._named(value, name), at)

    def _named(self, value: ast.expr, name: str) -> Any:
        """The value of an expression; memory and block variables take the name of the target."""
        if name and isinstance(value, ast.Call):
            function = self.eval(value.func)
            if isinstance(function, Word):
                return self.call_word(function, value, name)
        return self.eval(value)

    def _assign_value(self, target: ast.expr, value: Any, at: Location) -> None:
        if isinstance(target, ast.Subscript):
            self._store(target, value, at)
        elif isinstance(target, ast.Name):
            self.define(target.id, value, at)
        else:
            what = "attributes" if isinstance(target, ast.Attribute) else "*"
            hint = "assign to a name, or to an element: A[i] = x"
            raise refuse(f"assignments to {what}", at, hint)

    def define(self, name: str, value: Any, at: Location, dtype: str | None = None) -> None:
        """``name = value``."""
        known, old = self.scope.find(name)
        if known and isinstance(old, Local):
            self.body.append(store(old.buffer, (), self._number(value, name, at), at))
            return
        again = name in assigned(self.following)
        if known and name not in self.scope.names:
            raise TEError(
                "KC2112",
                f"{name} is assigned to again, and is not a number of the kernel",
                location=at,
                why="a loop variable, a buffer and a Python value stay what they are",
                hints=["take another name"],
            )
        if isinstance(value, Buffer) or not (is_symbolic(value) or isinstance(value, int | float)):
            self.scope.names[name] = value
            return
        if again or dtype is not None:
            first = as_scalar(value)
            buffer = Buffer((), dtype or first.dtype, name)
            self.body.append(Allocate(at, buffer))
            self.body.append(store(buffer, (), self._number(value, name, at), at))
            self.scope.names[name] = Local(buffer)
            return
        self.scope.names[name] = self._kept(value, name, at)

    def _kept(self, value: Any, name: str, at: Location) -> Any:
        """A value that stays what it is when memory changes."""
        if not is_symbolic(value) or isinstance(value, Buffer):
            return value
        given = as_scalar(value)
        if not loads(given):
            return given
        made = Value(name, given.dtype, at)
        self.body.append(Let(at, made, given))
        return made

    def _number(self, value: Any, name: str, at: Location) -> Any:
        if is_symbolic(value) or isinstance(value, int | float):
            return value
        raise TEError(
            "KC2121",
            f"{name} is a number, and is given {type(value).__name__}",
            location=at,
            hints=["take another name"],
        )

    def _declare(self, node: ast.AnnAssign, at: Location) -> None:
        """``x: "float32" = 0.0``: a number of a type that is said."""
        if not isinstance(node.target, ast.Name) or node.value is None:
            raise refuse("a declaration without a value", at, 'x: "float32" = 0.0')
        dtype = check_dtype(self.declared(node.annotation))
        value = as_scalar(self.eval(node.value))
        self.define(node.target.id, cast(value, dtype), at, dtype)

    def declared(self, annotation: ast.expr) -> Any:
        """What an annotation says: Python's types are those of their numbers."""
        if isinstance(annotation, ast.Name) and annotation.id in SCALARS:
            return SCALARS[annotation.id]
        return self.eval(annotation)

    def _store(self, target: ast.Subscript, value: Any, at: Location) -> None:
        buffer = self.eval(target.value)
        if not isinstance(buffer, Tensor):
            raise TEError(
                "KC2121",
                f"{ast.unparse(target.value)} has no elements to store to",
                location=at,
                why=f"it is {type(buffer).__name__}, not a buffer",
            )
        assert isinstance(buffer, Buffer)
        self.written(buffer, at)
        indices = self.indices(target)
        if not is_symbolic(value) and not isinstance(value, int | float):
            raise TEError(
                "KC2121",
                f"the elements of {buffer.name} are numbers, and one is given "
                f"{type(value).__name__}",
                location=at,
            )
        self.body.append(store(buffer, indices, value, at))

    def _update(self, node: ast.AugAssign, at: Location) -> None:
        target = node.target
        if isinstance(target, ast.Subscript):
            place = ast.Subscript(target.value, target.slice, ast.Load())
            ast.copy_location(place, target)
            old = self.eval(place)
            value = self.combine(node.op, old, self.eval(node.value), at)
            if isinstance(old, Element) and isinstance(old.tensor, Buffer):
                self.written(old.tensor, at)
                given = as_scalar(value)
                if given.dtype != old.dtype:
                    given = stored_as(given, old.tensor, at)
                self.body.append(Store(at, old, given))
                return
            raise TEError("KC2121", "a Python value is updated", location=at)
        if not isinstance(target, ast.Name):
            raise refuse("assignments to attributes", at, "assign to a name, or to an element")
        known, old = self.scope.find(target.id)
        if known and not isinstance(old, Local):
            if name_is_number(old):
                # It was not known to change where it was defined: it is in a loop that repeats.
                raise self._stays(target.id, at)
            raise TEError("KC2121", f"{target.id} is updated, and is no number", location=at)
        old = self.eval(ast.copy_location(ast.Name(target.id, ast.Load()), target))
        value = self.combine(node.op, old, self.eval(node.value), at)
        self.define(target.id, value, at)

    def _stays(self, name: str, at: Location) -> TEError:
        return TEError(
            "KC2112",
            f"{name} is updated, and stays what it is",
            location=at,
            why="a loop variable and a parameter of another script are not assigned to",
            hints=[f"copy it to a name of its own: x = {name}"],
        )

    # Loops ---------------------------------------------------------------------------------

    def _for(self, node: ast.For, at: Location) -> None:
        if node.orelse:
            raise refuse("the else of a for", self.at(node.orelse[0]), "statements after the loop")
        call = node.iter
        if isinstance(call, ast.Call):
            function = self.eval(call.func)
            if function is range or (isinstance(function, Word) and function.family == "loop"):
                self._counted(node, call, "range" if function is range else function.name, at)
                return
        given = self.eval(call)
        if isinstance(given, range | tuple | list):
            self._repeated(node, given, at)
            return
        raise TEError(
            "KC2113",
            f"a for over {ast.unparse(call)}",
            location=self.at(call),
            why="a loop counts: it goes over range, serial, parallel, vectorized, unroll, grid, "
            "thread_binding or const_range, or over a Python tuple",
            hints=[f"for {ast.unparse(node.target)} in range(n):"],
        )

    def _counted(self, node: ast.For, call: ast.Call, kind: str, at: Location) -> None:
        values = [self.eval(one) for one in call.args]
        named = {one.arg or "**": self.eval(one.value) for one in call.keywords}
        if kind == "const_range":
            bounds = [self._constant(one, call) for one in values]
            given = python(lambda: range(*bounds), "const_range", at)
            self._repeated(node, given, at)
            return
        if kind == "grid":
            self._grid(node, values, at)
            return
        if kind in ("thread_binding", "bind"):
            self._threads(node, call, values, named, at)
            return
        unsafe = bool(named.pop("unsafe", False))
        annotations = named.pop("annotations", {})
        if named:
            raise TEError(
                "KC2116",
                f"{kind} has no argument '{next(iter(named))}'",
                location=at,
                hints=suggest(next(iter(named)), ["unsafe", "annotations"], "the arguments are"),
            )
        if not 1 <= len(values) <= 3:
            raise TEError(
                "KC2116",
                f"{kind} takes 1 to 3 numbers, and is given {len(values)}",
                location=at,
                hints=[f"{kind}(n)", f"{kind}(start, stop)", f"{kind}(start, stop, step)"],
            )
        begin, end = (0, values[0]) if len(values) == 1 else values[:2]
        begin, end = (self._kept(one, "bound", at) for one in (begin, end))
        step = self._constant(values[2], call) if len(values) == 3 else 1
        if step == 0:
            raise TEError("KC2113", f"{kind} in steps of 0", location=at)
        loop, variable = counting_loop(
            self._loop_name(node), begin, end, LOOP_KINDS[kind], at, step
        )
        loop.unsafe = unsafe
        loop.annotations.update(self.annotations(annotations, at))
        self._loop(node, loop, [(node.target, variable)], at)

    def _loop_name(self, node: ast.For, target: ast.expr | None = None) -> str:
        target = node.target if target is None else target
        if not isinstance(target, ast.Name):
            raise TEError(
                "KC2113",
                f"the loop counts {ast.unparse(target)}",
                location=self.at(target),
                why="a loop has one variable; grid has one for each of its loops",
            )
        return target.id if target.id != "_" else "i"

    def _loop(
        self, node: ast.For, loop: For, targets: Sequence[tuple[ast.expr, Expr]], at: Location
    ) -> None:
        """Read the statements of a loop that was made."""
        self.body.append(loop)
        self.extents[loop.axis] = loop.extent
        with self.inside(f"the loop over {ast.unparse(node.target)}", loop.body, at):
            for target, variable in targets:
                assert isinstance(target, ast.Name)
                self.scope.names[target.id] = variable
            self.run(node.body)

    def _grid(self, node: ast.For, extents: Sequence[Any], at: Location) -> None:
        """``for i, j in grid(n, m)``: a loop in a loop."""
        targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        if len(targets) != len(extents) or not extents:
            raise TEError(
                "KC2116",
                f"grid has {len(extents)} loops, and {len(targets)} variables are assigned",
                location=at,
                hints=["for i, j in grid(n, m):"],
            )
        outer = self.body
        variables: list[tuple[ast.expr, Expr]] = []
        for target, extent in zip(targets, extents, strict=True):
            loop, variable = counting_loop(
                self._loop_name(node, target), 0, extent, "serial", self.at(target)
            )
            self.extents[loop.axis] = loop.extent
            variables.append((target, variable))
            if target is targets[-1]:
                self._loop(node, loop, variables, at)
            else:
                self.body.append(loop)
                self.body = loop.body
        self.body = outer

    def _threads(
        self,
        node: ast.For,
        call: ast.Call,
        values: list[Any],
        named: dict[str, Any],
        at: Location,
    ) -> None:
        """``thread_binding(n, "threadIdx.x")``, ``bind("threadIdx.x", n)``."""
        given = [*values, *named.values()]
        tags = [one for one in given if isinstance(one, str)]
        sizes = [one for one in given if not isinstance(one, str)]
        if len(tags) != 1 or not 1 <= len(sizes) <= 2 or tags[0] not in THREAD_AXES:
            raise TEError(
                "KC2113",
                f"{ast.unparse(call)} names no threads",
                location=at,
                why=f"there are: {', '.join(THREAD_AXES)}",
                hints=['for tx in thread_binding(64, "threadIdx.x"):'],
            )
        extent = integer(sizes[-1], "the number of threads", at)
        axis = thread_axis((0, extent) if isinstance(extent, int) else None, tags[0])
        axis.name = self._loop_name(node)
        loop = For(at, axis, extent, [], thread=tags[0])
        self._loop(node, loop, [(node.target, axis)], at)

    def _repeated(self, node: ast.For, values: Any, at: Location) -> None:
        """The statements once for each value, which is known now."""
        if len(values) > MAX_COPIES:
            raise TEError(
                "KC2113",
                f"{len(values)} copies of the statements of a loop",
                location=at,
                why=f"the values are known now, so the statements are repeated, at most "
                f"{MAX_COPIES} times",
                hints=["range makes a loop"],
            )
        for one in values:
            with self.inside(f"the loop over {ast.unparse(node.target)}", self.body, at):
                self._unpack(node.target, one, at)
                self.run(node.body)

    def _unpack(self, target: ast.expr, value: Any, at: Location) -> None:
        if isinstance(target, ast.Name):
            self.scope.names[target.id] = value
            return
        parts = target.elts if isinstance(target, ast.Tuple) else []
        if not isinstance(value, tuple | list) or len(value) != len(parts):
            raise TEError("KC2116", f"{value!r} is not {len(parts)} values", location=at)
        for one, part in zip(parts, value, strict=True):
            self._unpack(one, part, at)

    def _constant(self, value: Any, node: ast.AST) -> int:
        """A number that is known now. Raises KC2126 for another."""
        found = value if not is_symbolic(value) else integer(value, "the bound", self.at(node))
        if isinstance(found, bool) or not isinstance(found, int):
            raise TEError(
                "KC2126",
                f"{ast.unparse(node)} needs a number that is known while the script is compiled",
                location=self.at(node),
                why="its statements are repeated, or its step is part of the indices",
                hints=["range makes a loop of any length"],
            )
        return found

    # Conditions ----------------------------------------------------------------------------

    def _if(self, node: ast.If, at: Location) -> None:
        if not node.orelse and isinstance(node.test, ast.BoolOp):
            if isinstance(node.test.op, ast.And):
                # One if in another: what the first condition guards is not read without it.
                self._nested(node, node.test.values, at)
                return
        self._branch(node, self.eval(node.test), at)

    def _nested(self, node: ast.If, tests: Sequence[ast.expr], at: Location) -> None:
        condition = self.eval(tests[0])
        if len(tests) == 1:
            self._branch(node, condition, at)
            return
        if not is_symbolic(condition):
            if condition:
                self._nested(node, tests[1:], at)
            return
        made = If(at, truth(condition), [], [])
        self.body.append(made)
        outer = self.body
        self.body = made.then
        self._nested(node, tests[1:], at)
        self.body = outer

    def _branch(self, node: ast.If, condition: Any, at: Location) -> None:
        if not is_symbolic(condition):
            # Decided now: no statements of their own, what they define lives on.
            self.run(node.body if condition else node.orelse, self.following)
            return
        made = If(at, truth(condition), [], [])
        self.body.append(made)
        with self.inside(f"a branch of the if in line {at.line}", made.then, at):
            self.run(node.body)
        if node.orelse:
            with self.inside(f"a branch of the if in line {at.line}", made.orelse, at):
                self.run(node.orelse)

    def _assert(self, node: ast.Assert, at: Location) -> None:
        condition = self.eval(node.test)
        if is_symbolic(condition):
            raise TEError(
                "KC2120",
                f"assert {ast.unparse(node.test)}: it is known only when the kernel runs",
                location=at,
                why="an assert is about what is known while the script is compiled",
                hints=["an if in the kernel", "sizes that must agree are one te.var"],
            )
        if not condition:
            said = f": {self.eval(node.msg)}" if node.msg is not None else ""
            raise TEError(
                "KC2120", f"assert {ast.unparse(node.test)} does not hold{said}", location=at
            )

    # Calls and results ---------------------------------------------------------------------

    def _expression(self, node: ast.Expr, at: Location) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        value = self.eval(node.value)
        if value is None:
            return
        made = getattr(value, "__kc_stmt__", None)
        if isinstance(value, Stmt) or made is not None:
            self.body.append(value if made is None else made(at))
            return
        raise TEError(
            "KC2123",
            f"{ast.unparse(node.value)} does nothing",
            location=at,
            why="its value is not used",
            hints=["store it: C[i] = ...", "give it a name: x = ..."],
        )

    def _return(self, node: ast.Return, at: Location) -> None:
        last = self.depth == 0 and not self.following
        if not last:
            raise TEError(
                "KC2114",
                f"{self.source.name} returns before its end",
                location=at,
                why="a return is the last statement of a function: whether one in a loop or an if "
                "is executed is known only when the kernel runs",
                hints=["an if around the statements after it"],
            )
        self.result = None if node.value is None else self.eval(node.value)
        if self.outer is None and not self.takes_result(self.result):
            raise TEError(
                "KC2114",
                f"{self.source.name} returns a value",
                location=at,
                why=self.results_are,
                hints=[self.result_hint],
            )

    def takes_result(self, value: Any) -> bool:
        """Whether the function may return ``value``."""
        return value is None

    def call_script(self, function: Any, node: ast.Call, values: list[Any]) -> Any:
        """Inline a call of another script; gives what it returns."""
        at = self.at(node)
        source: Source = function.__kc_script__
        callers: list[Source] = []
        one: Statements | None = self
        while one is not None:
            callers.append(one.source)
            one = one.outer
        if any(source.function is caller.function for caller in callers):
            raise TEError(
                "KC2117",
                f"{source.name} calls itself",
                location=at,
                why="a call is replaced by the statements that it executes",
                hints=["a for repeats statements"],
            )
        named = {one.arg: self.eval(one.value) for one in node.keywords if one.arg is not None}
        inner = Statements(source, self, self.body)
        inner.written = self.written
        inner.take(values, named, at)
        inner.scope.what = f"the function {source.name}"
        inner.run(source.tree.body)
        return inner.result

    def take(self, values: Sequence[Any], named: dict[str, Any], at: Location) -> None:
        """Define the parameters (of a call at ``at``)."""
        name, given = self.source.name, dict(named)
        names = parameter_names(self.source)
        if len(values) > len(names):
            raise self._arity(len(values), names, at)
        for parameter, value in zip(names, values, strict=False):
            if parameter in given:
                raise TEError("KC2116", f"{name} is given {parameter} twice", location=at)
            given[parameter] = value
        defaults = dict(
            zip(reversed(names), reversed(self.source.function.__defaults__ or ()), strict=False)
        )
        for one in [one for one in given if one not in names]:
            raise TEError(
                "KC2116",
                f"{name} has no parameter {one}",
                location=at,
                hints=suggest(one, names, "the parameters are"),
            )
        for parameter in names:
            if parameter not in given and parameter not in defaults:
                raise self._arity(len(given), names, at)
            self.following = self.source.tree.body
            value = given[parameter] if parameter in given else defaults[parameter]
            self.define(parameter, value, at)

    def _arity(self, count: int, names: Sequence[str], at: Location) -> TEError:
        return TEError(
            "KC2116",
            f"{self.source.name} takes {len(names)} arguments, and is given {count}",
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
            why="a script has plain parameters, one for each argument",
        )
    return [one.arg for one in arguments.args]


def name_is_number(value: Any) -> bool:
    """Whether a value is a scalar, of Python or of the kernel."""
    return isinstance(value, int | float) or (is_symbolic(value) and not isinstance(value, Tensor))
