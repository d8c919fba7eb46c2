"""The blocks and the memory of scripts: ``with block("C"):``, ``axis.remap``, ``alloc_buffer``."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xdsl.ir import Attribute

from kc.dialects.tir import IterType, is_name
from kc.expr.buffers import Buffer
from kc.expr.constructors import Expr, IterVar, as_expr, walk
from kc.expr.dtypes import is_float
from kc.expr.tensor import make_axis
from kc.support.diagnostics import KCError, Location, TEError, suggest
from kc.tir.script.expressions import python, refuse, truth
from kc.tir.script.loops import spread
from kc.tir.script.names import Word
from kc.tir.stmt import Allocate, BlockStmt, Iter, Stmt
from kc.transforms.schedule.notes._annotations import Value as Annotation

if TYPE_CHECKING:
    from kc.tir.script.statements import Statements

_KINDS = {
    "axis.spatial": IterType.SPATIAL,
    "axis.reduce": IterType.REDUCE,
    "axis.opaque": IterType.OPAQUE,
    "axis.scan": IterType.OPAQUE,
}
_LETTERS = {"S": IterType.SPATIAL, "R": IterType.REDUCE, "O": IterType.OPAQUE}


@dataclass
class _Open:
    """A block whose statements are being read."""

    stmt: BlockStmt
    begun: bool = False
    """True after the first statement of the block that is no declaration."""
    names: list[str] = field(default_factory=list)


class Blocks:
    """Reads blocks, and the words within them, for ``reader``."""

    def __init__(self, reader: Statements) -> None:
        self.reader = reader
        self.expressions = reader.expressions

    # Blocks --------------------------------------------------------------------------------

    def with_(self, node: ast.With, at: Location) -> None:
        """``with block("C"):`` and ``with init():``."""
        for item in node.items:
            call = item.context_expr
            word = self.expressions.eval(call.func) if isinstance(call, ast.Call) else None
            if isinstance(word, Word) and self.reader.with_word(word, node, at):
                return
            if not isinstance(word, Word) or word.name not in ("block", "init"):
                raise refuse(
                    f"with {ast.unparse(call)}",
                    self.expressions.at(call),
                    'with block("C"):, with init():',
                )
        if len(node.items) != 1:
            raise refuse("several blocks in one with", at, "one with in another")
        item = node.items[0]
        call = item.context_expr
        assert isinstance(call, ast.Call)
        word = self.expressions.eval(call.func)
        values = self.expressions.eval_each(call.args)
        named = {
            keyword.arg or "**": self.expressions.eval(keyword.value) for keyword in call.keywords
        }
        if item.optional_vars is not None:
            raise refuse("with ... as", at, "axis.remap and axis.spatial return the variables")
        if word.name == "block":
            self._block(node, values, named, at)
        else:
            self._init(node, values, at)

    def _block(
        self, node: ast.With, values: list[Any], named: Mapping[str, Any], at: Location
    ) -> None:
        name = (values[0] if values else named.get("name_hint", "")) or "root"
        unknown = [key for key in named if key not in ("name_hint", "annotations", "no_realize")]
        if self.reader.is_root(node, name):
            self.reader.run(node.body, self.reader.following)
            return
        if len(values) > 1 or unknown or not isinstance(name, str) or not is_name(name):
            raise TEError(
                "KC2119",
                f"{ast.unparse(node.items[0].context_expr)} names no block",
                location=at,
                why="a block needs a name, which is an identifier, and may have annotations",
                hints=['with block("C"):'],
            )
        stmt = BlockStmt(at, name, [], [], None, [])
        stmt.annotations.update(self.annotations(named.get("annotations", {}), at))
        self.reader.body.append(stmt)
        self.reader.open_blocks.append(_Open(stmt))
        with self.reader.inside(f"block {name}", stmt.body, at):
            self.reader.run(node.body)
        self.reader.open_blocks.pop()

    def _init(self, node: ast.With, values: list[Any], at: Location) -> None:
        block = self.current("init", at).stmt
        if values:
            raise TEError("KC2116", "init takes no arguments", location=at)
        if block.init is not None:
            raise TEError("KC2119", f"block {block.name} has two inits", location=at)
        if not all(statement.names_memory for statement in block.body):
            raise TEError(
                "KC2119",
                f"the init of block {block.name} comes after other statements",
                location=at,
                why="the init must precede the block's other statements",
                hints=["with init(): right after the variables of the block"],
            )
        block.init = []
        with self.reader.inside(f"the init of block {block.name}", block.init, at):
            self.reader.run(node.body)
        reduce = {iter_var.axis for iter_var in block.iters if iter_var.kind is IterType.REDUCE}
        for expr in _scalars(block.init):
            if isinstance(expr, IterVar) and expr in reduce:
                raise TEError(
                    "KC2119",
                    f"the init of block {block.name} uses the reduce variable {expr.name}",
                    location=at,
                    why="the init runs once for all values of the variable",
                )

    def current(self, word: str, at: Location) -> _Open:
        """The innermost block that is being read. Raises KC2119 outside of all blocks."""
        if not self.reader.open_blocks:
            raise TEError(
                "KC2119",
                f"{word} outside of a block",
                location=at,
                hints=['with block("C"):'],
            )
        return self.reader.open_blocks[-1]

    # Words ---------------------------------------------------------------------------------

    def call_word(self, word: Word, node: ast.Call, name: str = "") -> Any:
        """The value of a call of a word in an expression, to be assigned to ``name``."""
        at = self.expressions.at(node)
        if word.family == "tvmscript":
            return self.reader.tvmscript_word(word, node, name, at)
        if word.family in ("loop", "block") and word.name != "where":
            place = "with" if word.family == "block" else "for"
            example = f"with {word.name}():" if place == "with" else f"for i in {word.name}(n):"
            raise TEError(
                "KC2110",
                f"{word.name} is allowed in a {place} only",
                location=at,
                hints=[example],
            )
        values = self.expressions.eval_each(node.args)
        named = {
            keyword.arg or "**": self.expressions.eval(keyword.value) for keyword in node.keywords
        }
        if word.name == "where":
            return self._where(values, at)
        if word.family == "axis":
            named.pop("dtype", None)
            block = self.current(word.name, at)
            if block.stmt.body or block.stmt.init is not None:
                raise TEError(
                    "KC2119",
                    f"{word.name} after statements of block {block.stmt.name}",
                    location=at,
                    why="the variables of a block must precede its statements",
                )
            if word.name == "axis.remap":
                return self._remap(block, values, name, node, at)
            return self._axis(block, word, values, name, at)
        return self.reader.allocate(word, values, named, name, at)

    def _where(self, values: list[Any], at: Location) -> None:
        block = self.current("where", at).stmt
        if len(values) != 1:
            raise TEError("KC2116", f"where takes 1 condition, not {len(values)}", location=at)
        block.where.append(truth(values[0]))

    def _axis(
        self, block: _Open, word: Word, values: list[Any], name: str, at: Location
    ) -> IterVar:
        """``vi = axis.spatial(n, i * 4 + j)``."""
        if len(values) != 2:
            raise TEError(
                "KC2116",
                f"{word.name} takes the number of values and the value, but the call has "
                f"{len(values)} arguments",
                location=at,
                hints=[f"vi = {word.name}(n, i)"],
            )
        extent, binding = values
        start = 0
        if isinstance(extent, tuple) and len(extent) == 2 and isinstance(extent[0], int):
            start = extent[0]
            extent = extent[1] - start
        return self._declare_axis(block, _KINDS[word.name], name, extent, start, binding, at)

    def _declare_axis(
        self,
        block: _Open,
        kind: IterType,
        name: str,
        extent: Any,
        start: int,
        binding: Any,
        at: Location,
    ) -> IterVar:
        if not name:
            raise TEError(
                "KC2119",
                f"a variable of block {block.stmt.name} has no name",
                location=at,
                hints=["vi = axis.spatial(n, i)", 'vi, vk = axis.remap("SR", [i, k])'],
            )
        value = as_expr(binding)
        for what, expr in (("the variable", value), ("the extent of", as_expr(extent))):
            if is_float(expr.dtype) or expr.dtype == "bool":
                raise TEError(
                    "KC2119",
                    f"{what} {name} of block {block.stmt.name} is a {expr.dtype}",
                    location=at,
                    why="the variables of a block must be integers",
                )
        axis = make_axis(name, extent, "spatial", at, start)
        if name in block.names:
            raise TEError(
                "KC2119", f"block {block.stmt.name} has two variables {name}", location=at
            )
        block.names.append(name)
        block.stmt.iters.append(Iter(kind, axis, value - start if start else value))
        return axis

    def _remap(
        self, block: _Open, values: list[Any], name: str, node: ast.Call, at: Location
    ) -> Any:
        """``vi, vk = axis.remap("SR", [i, k])``: block variables bound to loop variables."""
        kinds, loops = values if len(values) == 2 else ("", ())
        loops = loops if isinstance(loops, tuple) else (loops,)
        if not isinstance(kinds, str) or len(kinds) != len(loops) or set(kinds) - set(_LETTERS):
            raise TEError(
                "KC2119",
                f"{ast.unparse(node)}: each loop needs one letter",
                location=at,
                why="S is a spatial variable, R a reduction variable, O an opaque variable",
                hints=['vi, vj, vk = axis.remap("SSR", [i, j, k])'],
            )
        targets = self.reader.assignments.targets
        groups = spread([name] if targets is None else targets, len(loops))
        if groups is None:
            raise TEError(
                "KC2116",
                f"{len(loops)} variables are assigned to {len(targets or [name])} names",
                location=at,
                hints=['vi, vj, vk = axis.remap("SSR", [i, j, k])'],
            )
        names = [axis_name if name or targets else "" for group in groups for axis_name in group]
        variables = []
        for axis_name, letter, loop in zip(names, kinds, loops, strict=True):
            if not isinstance(loop, IterVar) or loop not in self.reader.extents:
                raise TEError(
                    "KC2119",
                    f"{axis_name} is remapped from a value that is not a loop variable",
                    location=at,
                    why="a remapped variable takes all values of a loop that starts at a constant",
                    hints=[f"{axis_name} = axis.spatial(number of values, value)"],
                )
            extent = self.reader.extents[loop]
            variables.append(
                self._declare_axis(block, _LETTERS[letter], axis_name, extent, loop.start, loop, at)
            )
        return variables[0] if targets is None and len(variables) == 1 else tuple(variables)

    # Memory --------------------------------------------------------------------------------

    def allocate(
        self, word: Word, values: list[Any], named: Mapping[str, Any], name: str, at: Location
    ) -> Buffer:
        """``B = alloc_buffer(shape, dtype, scope)``."""
        memory = self.memory(word, values, named, at)
        buffer = Buffer(memory["shape"], memory["dtype"], name or "buf", memory["scope"])
        self.reader.body.append(Allocate(at, buffer))
        return buffer

    @staticmethod
    def memory(
        word: Word, values: list[Any], named: Mapping[str, Any], at: Location
    ) -> dict[str, Any]:
        """Shape, type and scope."""
        fields = ("shape", "dtype", "scope")
        arguments: dict[str, Any] = dict(zip(fields, values, strict=False))
        unknown = [key for key in named if key not in fields or key in arguments]
        arguments.update(named)
        if len(values) > len(fields) or unknown or "shape" not in arguments:
            raise TEError(
                "KC2116",
                f"{word.name} takes a shape, a type and a memory scope",
                location=at,
                hints=[
                    *(suggest(unknown[0], fields) if unknown else []),
                    f'B = {word.name}((n, 128), "float32")',
                ],
            )
        return {"dtype": "float32", "scope": "", **arguments}

    def annotations(self, annotations: Any, at: Location) -> dict[str, Attribute]:
        """Annotations of a loop or a block."""
        named = python(lambda: dict(annotations), "annotations", at)
        try:
            return {str(key): Annotation.of(value).attr for key, value in named.items()}
        except KCError as error:
            raise error.with_location(at) from None


def _scalars(statements: Sequence[Stmt]) -> list[Expr]:
    """All expressions in statements."""
    exprs: list[Expr] = []
    for statement in statements:
        for value in vars(statement).values():
            if isinstance(value, Expr):
                exprs += walk(value)
            elif isinstance(value, list):
                exprs += _scalars([part for part in value if isinstance(part, Stmt)])
    return exprs
