"""The assignments of scripts: names that stay, numbers that change, and elements of buffers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from kc.expr.buffers import Buffer
from kc.expr.constructors import Element, ExternCall, cast, walk
from kc.expr.dtypes import check_dtype
from kc.expr.slices import TensorSlice
from kc.expr.tensor import Tensor
from kc.support.diagnostics import Location, TEError
from kc.tir.checked import store, stored_as
from kc.tir.script.expressions import as_scalar, is_symbolic, loads, refuse
from kc.tir.script.loops import spread
from kc.tir.script.names import Word
from kc.tir.script.scope import Local, assigned
from kc.tir.stmt import Allocate, Let, Store, Value

if TYPE_CHECKING:
    from kc.tir.script.statements import Statements

SCALARS = {"int": "int32", "float": "float32", "bool": "bool"}
"""The element types of Python's numbers."""


class Assignments:
    """Reads assignments for ``reader``."""

    def __init__(self, reader: Statements) -> None:
        self.reader = reader
        self.expressions = reader.expressions
        self.targets: list[str] | None = None
        """The names that a tuple is assigned to, while its value is read."""

    def assign(self, target: ast.expr, value: ast.expr, at: Location) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
                values = [
                    self._named(item, name.id if isinstance(name, ast.Name) else "")
                    for name, item in zip(target.elts, value.elts, strict=True)
                ]
            else:
                self.targets = self._names_of(target)
                result = self.expressions.eval(value)
                self.targets = None
                if not isinstance(result, tuple | list):
                    raise refuse(
                        "unpacking of a value that is not a tuple", at, "assign to one name"
                    )
                values = list(result)
                groups = spread(self._names_of(target), len(values))
                if groups is not None and any(
                    isinstance(name, ast.Starred) for name in target.elts
                ):
                    parts = iter(values)
                    values = [
                        tuple(next(parts) for _ in group)
                        if isinstance(element, ast.Starred)
                        else next(parts)
                        for element, group in zip(target.elts, groups, strict=True)
                    ]
            if len(values) != len(target.elts):
                raise TEError(
                    "KC2116",
                    f"{len(values)} values are assigned to {len(target.elts)} names",
                    location=at,
                )
            if any(is_symbolic(item) for item in values):
                # As in a swap, all values are read before the first assignment.
                values = [self.let_value(item, "value", at) for item in values]
            for element, part in zip(target.elts, values, strict=True):
                name = element.value if isinstance(element, ast.Starred) else element
                self._assign_value(name, part, at)
            return
        name = target.id if isinstance(target, ast.Name) else ""
        self._assign_value(target, self._named(value, name), at)

    @staticmethod
    def _names_of(target: ast.Tuple | ast.List) -> list[str]:
        return [ast.unparse(item) for item in target.elts]

    def _named(self, value: ast.expr, name: str) -> Any:
        """The value of an expression; memory and block variables take the name of the target."""
        if name and isinstance(value, ast.Call):
            function = self.expressions.eval(value.func)
            if isinstance(function, Word):
                return self.reader.blocks.call_word(function, value, name)
        return self.expressions.eval(value)

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
        if self.reader.rebinds:
            self._rebind(name, value, at, dtype)
            return
        is_defined, old = self.reader.scope.find(name)
        if is_defined and isinstance(old, Local):
            self.reader.body.append(store(old.buffer, (), self._number(value, name, at), at))
            return
        if is_defined and isinstance(old, Buffer) and not isinstance(value, Buffer):
            raise TEError(
                "KC2121",
                f"{name} is a buffer, but a value is assigned to it",
                location=at,
                why="an assignment to a name does not store to memory",
                hints=[f"{name}[i] = ... stores to an element", "use another name"],
            )
        again = name in assigned(self.reader.following)
        if is_defined and name not in self.reader.scope.names:
            raise TEError(
                "KC2112",
                f"{name} is assigned to again, but is not a number of the kernel",
                location=at,
                why="loop variables, buffers and Python values cannot be reassigned",
                hints=["use another name"],
            )
        if isinstance(value, Buffer) or not (is_symbolic(value) or isinstance(value, int | float)):
            self.reader.scope.names[name] = value
            return
        if again or dtype is not None:
            first = as_scalar(value)
            buffer = Buffer((), dtype or first.dtype, name)
            self.reader.body.append(Allocate(at, buffer))
            self.reader.body.append(store(buffer, (), self._number(value, name, at), at))
            self.reader.scope.names[name] = Local(buffer)
            return
        self.reader.scope.names[name] = self.let_value(value, name, at)

    def _rebind(self, name: str, value: Any, at: Location, dtype: str | None) -> None:
        """Rebind ``name`` to ``value`` from here on."""
        if not is_symbolic(value) or isinstance(value, Buffer):
            if dtype is None:
                self.reader.scope.names[name] = value
                return
            value = as_scalar(value)
        self.reader.scope.names[name] = self.let_value(value, name, at)

    def let_value(self, value: Any, name: str, at: Location) -> Any:
        """A value that later writes to memory do not change: a value that reads memory is computed
        now.
        """
        if not is_symbolic(value) or isinstance(value, Buffer):
            return value
        scalar = as_scalar(value)
        if not loads(scalar) and not any(isinstance(part, ExternCall) for part in walk(scalar)):
            return scalar
        named = Value(name, scalar.dtype, at)
        self.reader.body.append(Let(at, named, scalar))
        return named

    def _number(self, value: Any, name: str, at: Location) -> Any:
        if is_symbolic(value) or isinstance(value, int | float):
            return value
        raise TEError(
            "KC2121",
            f"{name} is a number, but is assigned {type(value).__name__}",
            location=at,
            hints=["use another name"],
        )

    def declare(self, node: ast.AnnAssign, at: Location) -> None:
        """``x: "float32" = 0.0``: a number of a declared type."""
        if not isinstance(node.target, ast.Name) or node.value is None:
            raise refuse("a declaration without a value", at, 'x: "float32" = 0.0')
        declared = self.declared(node.annotation)
        if self.reader.is_pointer(declared):  # data: T.handle("float32") = T.allocate(...)
            self.assign(node.target, node.value, at)
            return
        dtype = check_dtype(declared)
        value = as_scalar(self.expressions.eval(node.value))
        self.define(node.target.id, cast(value, dtype), at, dtype)

    def declared(self, annotation: ast.expr) -> Any:
        """The element type of an annotation: Python's types denote the element types of their
        numbers.
        """
        if isinstance(annotation, ast.Name) and annotation.id in SCALARS:
            return SCALARS[annotation.id]
        value = self.expressions.eval(annotation)
        return value.name if isinstance(value, Word) else value

    def _store(self, target: ast.Subscript, value: Any, at: Location) -> None:
        place = self.expressions.eval(target.value)
        buffer = place.tensor if isinstance(place, TensorSlice) else place
        if not isinstance(buffer, Tensor):
            raise TEError(
                "KC2121",
                f"{ast.unparse(target.value)} is not a buffer to store to",
                location=at,
                why=f"it is {type(buffer).__name__}, not a buffer",
            )
        if not isinstance(buffer, Buffer):
            raise TEError(
                "KC2121",
                f"{buffer.name} is a tensor of te, but is stored to",
                location=at,
                why="a tensor never changes; statements store to buffers",
                hints=["a parameter, or B = alloc_buffer(shape, dtype)"],
            )
        self.reader.written(buffer, at)
        indices = self.expressions.indices(target)
        if not is_symbolic(value) and not isinstance(value, int | float):
            raise TEError(
                "KC2121",
                f"the elements of {buffer.name} are numbers, but one is assigned "
                f"{type(value).__name__}",
                location=at,
            )
        self.reader.body.append(store(place, indices, value, at))

    def update(self, node: ast.AugAssign, at: Location) -> None:
        target = node.target
        if isinstance(target, ast.Subscript):
            place = ast.Subscript(target.value, target.slice, ast.Load())
            ast.copy_location(place, target)
            old = self.expressions.eval(place)
            value = self.expressions.combine(node.op, old, self.expressions.eval(node.value), at)
            if isinstance(old, Element) and isinstance(old.tensor, Buffer):
                self.reader.written(old.tensor, at)
                stored = as_scalar(value)
                if stored.dtype != old.dtype:
                    stored = stored_as(stored, old.tensor, at)
                self.reader.body.append(Store(at, old, stored))
                return
            raise TEError("KC2121", "a Python value is updated", location=at)
        if not isinstance(target, ast.Name):
            raise refuse("assignments to attributes", at, "assign to a name, or to an element")
        is_defined, old = self.reader.scope.find(target.id)
        if is_defined and not isinstance(old, Local) and not self.reader.rebinds:
            if name_is_number(old):
                # The name is assigned in a loop that repeats, which was unknown at its definition.
                raise self._stays(target.id, at)
            raise TEError("KC2121", f"{target.id} is updated, but is not a number", location=at)
        old = self.expressions.eval(ast.copy_location(ast.Name(target.id, ast.Load()), target))
        value = self.expressions.combine(node.op, old, self.expressions.eval(node.value), at)
        self.define(target.id, value, at)

    def _stays(self, name: str, at: Location) -> TEError:
        return TEError(
            "KC2112",
            f"{name} is updated, but cannot change",
            location=at,
            why="loop variables and parameters of another script cannot be assigned",
            hints=[f"copy it to a new name: x = {name}"],
        )


def name_is_number(value: Any) -> bool:
    """True if a value is a scalar of Python or of the kernel."""
    return isinstance(value, int | float) or (is_symbolic(value) and not isinstance(value, Tensor))
