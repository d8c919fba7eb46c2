"""The loops of scripts: counted loops, and loops whose statements are repeated at compile time."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kc.dialects.tir.threads import THREAD_AXES
from kc.expr.constructors import all_of, const, if_then_else
from kc.expr.tensor import check_name
from kc.expr.threads import thread_axis
from kc.support.diagnostics import Location, TEError, suggest
from kc.tir.checked import counting_loop, integer, while_loop
from kc.tir.script.expressions import is_symbolic, loads, python, refuse, truth
from kc.tir.script.names import COUNTING_LOOPS, Word
from kc.tir.stmt import For

if TYPE_CHECKING:
    from kc.tir.script.statements import Statements

MAX_COPIES = 4096
"""The largest number of copies of a loop's statements."""


class Loops:
    """Reads loops for ``reader``."""

    def __init__(self, reader: Statements) -> None:
        self.reader = reader
        self.expressions = reader.expressions

    def for_(self, node: ast.For, at: Location) -> None:
        if node.orelse:
            raise refuse(
                "the else of a for",
                self.expressions.at(node.orelse[0]),
                "statements after the loop",
            )
        call = node.iter
        if isinstance(call, ast.Call):
            function = self.expressions.eval(call.func)
            if function is range or (isinstance(function, Word) and function.family == "loop"):
                self._counted(node, call, "range" if function is range else function.name, at)
                return
        iterable = self.expressions.eval(call)
        if isinstance(iterable, range | tuple | list):
            self._repeated(node, iterable, at)
            return
        raise TEError(
            "KC2113",
            f"a for over {ast.unparse(call)}",
            location=self.expressions.at(call),
            why="a for loop iterates over range, serial, parallel, vectorized, unroll, grid, "
            "thread_binding or const_range, or over a Python tuple",
            hints=[f"for {ast.unparse(node.target)} in range(n):"],
        )

    def while_(self, node: ast.While, at: Location) -> None:
        """Read a while loop: the statements run as long as the condition holds."""
        if node.orelse:
            raise refuse(
                "the else of a while",
                self.expressions.at(node.orelse[0]),
                "statements after the loop",
            )
        condition = self._lazy(node.test)
        if not is_symbolic(condition) and not condition:
            return
        loop = while_loop(f"while {ast.unparse(node.test)}", truth(condition), at)
        self.reader.body.append(loop)
        with self.reader.inside(f"the while in line {at.line}", loop.body, at):
            self.reader.run(node.body)

    def _lazy(self, test: ast.expr) -> Any:
        """A condition; the right operand of ``and`` is evaluated only under the left one."""
        if not (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)):
            return self.expressions.eval(test)
        result = self._lazy(test.values[0])
        for part in test.values[1:]:
            if not is_symbolic(result):
                if not result:
                    return result  # the remaining operands are not evaluated
                result = self._lazy(part)
                continue
            first, second = truth(result), truth(self._lazy(part))
            if loads(second):
                result = if_then_else(first, second, const(False, "bool"))
            else:
                result = all_of(first, second)
        return result

    def _counted(self, node: ast.For, call: ast.Call, kind: str, at: Location) -> None:
        values = self.expressions.eval_each(call.args)
        named = {
            keyword.arg or "**": self.expressions.eval(keyword.value) for keyword in call.keywords
        }
        if kind == "const_range":
            bounds = [self._constant(value, call) for value in values]
            counter = python(lambda: range(*bounds), "const_range", at)
            self._repeated(node, counter, at)
            return
        if kind == "grid":
            self._grid(node, values, at)
            return
        if kind in ("thread_binding", "bind"):
            self._threads(node, call, values, named, at)
            return
        if "step" in named and len(values) in (1, 2):
            values = [0] * (2 - len(values)) + [*values, named.pop("step")]
        unsafe = bool(named.pop("unsafe", False))
        annotations = named.pop("annotations", None) or {}
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
                f"{kind} takes 1 to 3 numbers, but the call has {len(values)}",
                location=at,
                hints=[f"{kind}(n)", f"{kind}(start, stop)", f"{kind}(start, stop, step)"],
            )
        begin, end = (0, values[0]) if len(values) == 1 else values[:2]
        begin, end = (
            self.reader.assignments.let_value(bound, "bound", at) for bound in (begin, end)
        )
        step = self._constant(values[2], call) if len(values) == 3 else 1
        if step == 0:
            raise TEError("KC2113", f"{kind} in steps of 0", location=at)
        loop, variable = counting_loop(
            self._loop_name(node), begin, end, COUNTING_LOOPS[kind], at, step
        )
        loop.unsafe = unsafe
        loop.annotations.update(self.reader.blocks.annotations(annotations, at))
        self._loop(node, loop, [(node.target, variable)], at)

    def _loop_name(self, node: ast.For, target: ast.expr | None = None) -> str:
        target = node.target if target is None else target
        if not isinstance(target, ast.Name):
            raise TEError(
                "KC2113",
                f"the loop counts {ast.unparse(target)}",
                location=self.expressions.at(target),
                why="a loop has one variable; grid has a variable for each of its loops",
            )
        return check_name(target.id, self.expressions.at(target)) if target.id != "_" else "i"

    def _loop(
        self, node: ast.For, loop: For, targets: Sequence[tuple[ast.expr, Any]], at: Location
    ) -> None:
        """Read the statements of a loop that was made."""
        self.reader.body.append(loop)
        self.reader.extents[loop.axis] = loop.extent
        loop.annotations.update(self.reader.take_pragmas())
        with self.reader.inside(f"the loop over {ast.unparse(node.target)}", loop.body, at):
            for target, variable in targets:
                assert isinstance(target, ast.Name)
                self.reader.scope.names[target.id] = variable
            self.reader.run(node.body)

    def _grid(self, node: ast.For, extents: Sequence[Any], at: Location) -> None:
        """Read ``for i, j in grid(n, m)``: nested loops."""
        written = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        groups = spread([ast.unparse(target) for target in written], len(extents))
        if groups is None:
            raise TEError(
                "KC2116",
                f"grid has {len(extents)} loops, but {len(written)} variables are assigned",
                location=at,
                hints=["for i, j in grid(n, m):"],
            )
        targets: list[ast.expr] = []
        for target, names in zip(written, groups, strict=True):
            several = isinstance(target, ast.Starred) or len(names) > 1
            named = [ast.copy_location(ast.Name(name), target) for name in names]
            targets += named if several else [target]
        outer = self.reader.body
        variables: list[tuple[ast.expr, Any]] = []
        for target, extent in zip(targets, extents, strict=True):
            loop, variable = counting_loop(
                self._loop_name(node, target),
                0,
                extent,
                "serial",
                self.expressions.at(target),
            )
            self.reader.extents[loop.axis] = loop.extent
            variables.append((target, variable))
            if target is targets[-1]:
                counts = iter([value for _, value in variables])
                for target, names in zip(written, groups, strict=True):
                    parts = tuple(next(counts) for _ in names)
                    if isinstance(target, ast.Starred):
                        variables.append((target.value, parts))
                    elif len(names) > 1:
                        variables.append((target, parts))
                self._loop(node, loop, variables, at)
            else:
                self.reader.body.append(loop)
                self.reader.body = loop.body
        self.reader.body = outer

    def _threads(
        self,
        node: ast.For,
        call: ast.Call,
        values: list[Any],
        named: dict[str, Any],
        at: Location,
    ) -> None:
        """``thread_binding(n, "threadIdx.x")``, ``bind("threadIdx.x", n)``."""
        annotations = named.pop("annotations", None) or {}
        arguments = [*values, *named.values()]
        tags = [item for item in arguments if isinstance(item, str)]
        sizes = [item for item in arguments if not isinstance(item, str)]
        if len(tags) != 1 or not 1 <= len(sizes) <= 2 or tags[0] not in THREAD_AXES:
            raise TEError(
                "KC2113",
                f"{ast.unparse(call)} is not a thread axis",
                location=at,
                why=f"the thread axes are {', '.join(THREAD_AXES)}",
                hints=['for tx in thread_binding(64, "threadIdx.x"):'],
            )
        extent = integer(sizes[-1], "the number of threads", at)
        axis = thread_axis((0, extent) if isinstance(extent, int) else None, tags[0])
        axis.name = self._loop_name(node)
        loop = For(at, axis, extent, [], thread=tags[0])
        loop.annotations.update(self.reader.blocks.annotations(annotations, at))
        self._loop(node, loop, [(node.target, axis)], at)

    def _repeated(self, node: ast.For, values: Any, at: Location) -> None:
        """Repeat the statements for each value, which is known at compile time."""
        if len(values) > MAX_COPIES:
            raise TEError(
                "KC2113",
                f"{len(values)} copies of the statements of a loop",
                location=at,
                why="the values are known at compile time, so the statements are repeated, at "
                "most "
                f"{MAX_COPIES} times",
                hints=["range is a loop without copies"],
            )
        for value in values:
            with self.reader.inside(
                f"the loop over {ast.unparse(node.target)}", self.reader.body, at
            ):
                self.unpack(node.target, value, at)
                self.reader.run(node.body)

    def unpack(self, target: ast.expr, value: Any, at: Location) -> None:
        """Assign the parts of ``value`` to the names of ``target``."""
        if isinstance(target, ast.Name):
            self.reader.scope.names[target.id] = value
            return
        parts = target.elts if isinstance(target, ast.Tuple) else []
        if not isinstance(value, tuple | list) or len(value) != len(parts):
            raise TEError("KC2116", f"{value!r} is not {len(parts)} values", location=at)
        for element, part in zip(parts, value, strict=True):
            self.unpack(element, part, at)

    def _constant(self, value: Any, node: ast.AST) -> int:
        """A number that is known at compile time. Raises KC2126 for other values."""
        number = (
            value
            if not is_symbolic(value)
            else integer(value, "the bound", self.expressions.at(node))
        )
        if isinstance(number, bool) or not isinstance(number, int):
            raise TEError(
                "KC2126",
                f"{ast.unparse(node)} needs a number that is known while the script is compiled",
                location=self.expressions.at(node),
                why="the statements are repeated at compile time, or the step is part of the "
                "indices",
                hints=["range is a loop of any length"],
            )
        return number


def spread(names: Sequence[str], count: int) -> list[list[str]] | None:
    """``count`` names, grouped by the target in ``names`` that they are assigned to. A starred or a
    single target takes all values that the other targets leave. None if the counts do not match.
    """
    stars = [n for n, name in enumerate(names) if name.startswith("*")]
    if not count or len(stars) > 1 or len(names) - len(stars) > count:
        return None
    if len(names) == 1 and not stars and count > 1:
        stars = [0]
    if not stars and len(names) != count:
        return None
    groups = [[name] for name in names]
    for n in stars:
        base = names[n].removeprefix("*")
        groups[n] = [f"{base}_{k}" for k in range(count - len(names) + 1)]
    return groups
