"""``tir.ir_builder``: loops, conditions and stores, one statement after another, as in TVM.

::

    ib = tir.ir_builder.create()
    A, B = ib.buffer_ptr(a), ib.buffer_ptr(b)
    with ib.for_range(0, n, name="i", kind="parallel") as i:
        with ib.if_scope(i < 10):
            B[i] = A[i] * 2.0
    mod = tir.PrimFunc([a, b], ib.get())
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from kc.expr.buffers import Buffer
from kc.expr.constructors import (
    Const,
    Element,
    Expr,
    ExprLike,
    IterVar,
    Var,
    as_expr,
    cast,
    condition_of,
    walk,
)
from kc.expr.dtypes import check_dtype, lanes, scalar
from kc.expr.intrinsics import likely
from kc.expr.tensor import check_name, shape_text
from kc.expr.threads import ThreadAxis
from kc.support.diagnostics import TEError, suggest
from kc.support.files import use_code_files
from kc.support.locations import caller_location
from kc.tir.calls import as_statement
from kc.tir.checked import LOOP_KINDS, counting_loop, store, while_loop
from kc.tir.stmt import Allocate, For, If, Let, Seq, Stmt, Value
from kc.transforms.schedule.notes._annotations import Value as Annotation


class BufferVar:
    """A buffer in the statements of a builder: ``A[i, j]`` loads, ``A[i, j] = x`` stores."""

    def __init__(self, builder: IRBuilder, buffer: Buffer) -> None:
        self._builder = builder
        self.buffer = buffer

    def __repr__(self) -> str:
        return f"BufferVar({self.buffer})"

    def asobject(self) -> Buffer:
        """The buffer."""
        return self.buffer

    @property
    def dtype(self) -> str:
        """The element type."""
        return self.buffer.dtype

    def __getitem__(self, index: ExprLike | tuple[ExprLike, ...]) -> Expr:
        return self.buffer[index]

    def __setitem__(self, index: ExprLike | tuple[ExprLike, ...], value: ExprLike) -> None:
        self._builder.emit(store(self.buffer, index, value, caller_location()))


class VectorVar(BufferVar):
    """A buffer of vectors, which are its rows: ``A[i]`` loads one, ``A[i] = v`` stores one."""

    @property
    def dtype(self) -> str:
        """The type of a vector."""
        return f"{self.buffer.dtype}x{self.buffer.shape[-1]}"

    def __getitem__(self, index: ExprLike | tuple[ExprLike, ...]) -> Expr:
        return self.buffer.vload([index, 0], self.dtype)

    def __setitem__(self, index: ExprLike | tuple[ExprLike, ...], value: ExprLike) -> None:
        vector = cast(as_expr(value, self.buffer.dtype), self.dtype)
        self._builder.emit(self.buffer.vstore([index, 0], vector))


class IRBuilder:
    """Collects statements: see :mod:`kc.tir.ir_builder`."""

    def __init__(self) -> None:
        self._open: list[list[Stmt]] = [[]]
        self._scopes = 0
        self._names: dict[str, int] = {}

    def __repr__(self) -> str:
        return f"IRBuilder({self._open})"

    # Statements ----------------------------------------------------------------------------

    def emit(self, stmt: Any) -> None:
        """Add a statement: the result of another builder, or a call for its side effect."""
        statement = as_statement(stmt, caller_location())
        if statement is None:
            raise TEError(
                "KC2102",
                f"ir_builder: emit of {type(stmt).__name__}, which is not a statement",
                location=caller_location(),
                hints=["ib.emit(other.get())", "A[i] = x stores a value"],
            )
        self._open[-1].append(statement)

    def get(self) -> Stmt:
        """The statement that was built; the builder is empty afterwards."""
        if self._scopes:
            raise TEError(
                "KC2104",
                "ir_builder: get() inside a scope",
                location=caller_location(),
                why="the statement is complete only after every scope is closed",
                hints=["call get() after the with statements"],
            )
        body = self._open[0]
        self._open = [[]]
        return body[0] if len(body) == 1 else Seq(caller_location(), body)

    @contextlib.contextmanager
    def _scope(self, body: list[Stmt], value: Any = None) -> Iterator[Any]:
        depth = len(self._open)
        self._open.append(body)
        self._scopes += 1
        yield value
        self._scopes -= 1
        # The statements opened by scope_attr end with the enclosing scope.
        del self._open[depth:]

    def _fresh(self, name: str) -> str:
        name = check_name(name, caller_location())
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return name if count == 0 else f"{name}_{count}"

    # Loops and conditions ------------------------------------------------------------------

    def for_range(
        self,
        begin: ExprLike,
        end: ExprLike,
        name: str = "i",
        dtype: str | None = None,
        kind: str = "serial",
        *,
        unsafe: bool = False,
    ) -> contextlib.AbstractContextManager[Expr]:
        """A loop over ``begin <= i < end``; ``with`` returns the variable.

        ``kind`` is "serial", "parallel", "vectorize" or "unroll". The independence of the
        iterations of a parallel or vectorized loop is proven when the function is created (KC3041);
        with ``unsafe`` undecided cases are accepted. Raises KC2105 for another kind.
        """
        location = caller_location()
        if kind not in LOOP_KINDS:
            raise TEError(
                "KC2105",
                f"for_range: no loop has the kind {kind!r}",
                location=location,
                hints=suggest(str(kind), LOOP_KINDS, "the kinds are"),
            )
        begin, end = (self._computed(bound) for bound in (begin, end))
        loop, variable = counting_loop(self._fresh(name), begin, end, LOOP_KINDS[kind], location)
        loop.unsafe = unsafe
        self.emit(loop)
        return self._scope(loop.body, variable if dtype is None else cast(variable, dtype))

    def _computed(self, bound: ExprLike) -> ExprLike:
        """A bound that is the same in all iterations: it is computed before the loop if it reads
        memory.
        """
        expr = as_expr(bound)
        reads = any(isinstance(part, Element) for part in walk(expr))
        return self.let("bound", expr) if reads else expr

    def while_loop(self, condition: ExprLike) -> contextlib.AbstractContextManager[None]:
        """A loop that executes the statements of the ``with`` while ``condition`` holds.

        Raises KC2106 for a condition that reads no memory, because nothing could change it.
        """
        location = caller_location()
        loop_condition = condition_of(condition, "a while", example="x[0] != 0")
        loop = while_loop("while_loop", loop_condition, location)
        self.emit(loop)
        return self._scope(loop.body)

    def if_scope(self, cond: ExprLike) -> contextlib.AbstractContextManager[None]:
        """The statements of the ``with``, guarded by ``cond``."""
        branch = If(caller_location(), condition_of(cond, "an if", example="x != 0"), [], [])
        self.emit(branch)
        return self._scope(branch.then)

    def else_scope(self) -> contextlib.AbstractContextManager[None]:
        """The statements executed otherwise, after an ``if_scope``. Raises KC2104 elsewhere."""
        body = self._open[-1]
        last = body[-1] if body else None
        if not isinstance(last, If) or last.orelse:
            raise TEError(
                "KC2104",
                "ir_builder: else_scope without an if_scope before it",
                location=caller_location(),
                why="an else_scope must directly follow the if_scope that it belongs to",
            )
        return self._scope(last.orelse)

    def scope_attr(self, node: Any, attr_key: str, value: Any) -> None:
        """Set an attribute of the statements from here to the end of the scope.

        ``thread_extent`` of a ``te.thread_axis`` executes them in ``value`` threads; a
        ``pragma_...`` of a loop variable is an annotation of its loop. Raises KC2107 for other
        attributes.
        """
        location = caller_location()
        if attr_key in ("thread_extent", "virtual_thread") and isinstance(node, ThreadAxis):
            extent = value if isinstance(value, int) else _number(value)
            loop = For(location, node, extent, [], thread=node.thread_tag)
            self.emit(loop)
            self._open.append(loop.body)
            return
        loop = self._loop_of(node)
        if attr_key.startswith("pragma") and loop is not None:
            use_code_files(value)
            plain = value.value if isinstance(value, Const) else value
            loop.annotations[attr_key] = Annotation.of(plain).attr
            return
        raise TEError(
            "KC2107",
            f"scope_attr: '{attr_key}' of {getattr(node, 'name', node)!s}",
            location=location,
            why="thread_extent applies to a te.thread_axis, pragma_... to the variable of an "
            "enclosing loop",
            hints=['ib.scope_attr(te.thread_axis("threadIdx.x"), "thread_extent", 64)'],
        )

    def _loop_of(self, node: Any) -> For | None:
        parts = _variables(node)
        for body in self._open:
            for last in body[-1:]:
                if isinstance(last, For) and any(last.axis is part for part in parts):
                    return last
        return None

    # Memory --------------------------------------------------------------------------------

    def allocate(
        self,
        dtype: str,
        shape: Any,
        name: str = "buf",
        axis_separators: Any = None,
        scope: str | None = None,
    ) -> BufferVar:
        """Allocate memory for the statements from here to the end of the scope."""
        del axis_separators
        buffer = Buffer(shape, dtype, self._fresh(name), scope or "")
        self.emit(Allocate(caller_location(), buffer))
        return BufferVar(self, buffer)

    def pointer(self, content_type: str, name: str = "ptr", scope: str = "") -> BufferVar:
        """An array whose size is known at the call; ``asobject()`` is the parameter.

        For a vector dtype the array has an additional dimension for the lanes: ``A[i]`` is a
        vector.
        """
        location = caller_location()
        size = Var(f"{check_name(name, location)}_size", "int32", location)
        dtype = check_dtype(content_type, vectors=True)
        if lanes(dtype) == 1:
            return BufferVar(self, Buffer((size,), dtype, name, scope))
        return VectorVar(self, Buffer((size, lanes(dtype)), scalar(dtype), name, scope))

    def buffer_ptr(self, buf: Any, shape: Any = None) -> BufferVar:
        """A declared buffer, to be loaded from and stored to. Raises KC2108 for anything else."""
        if not isinstance(buf, Buffer):
            raise TEError(
                "KC2108",
                f"buffer_ptr: {type(buf).__name__} is not a buffer",
                location=caller_location(),
                hints=["tir.decl_buffer((n, 128), name='A')"],
            )
        if shape is not None:
            raise TEError(
                "KC2108",
                f"buffer_ptr: {buf.name} in the shape {shape_text(tuple(shape))}",
                location=caller_location(),
                why="a buffer can be indexed only in its declared shape",
                hints=["declare the buffer with this shape"],
            )
        return BufferVar(self, buf)

    # Scalars -------------------------------------------------------------------------------

    def let(self, var_name: str, value: ExprLike) -> Expr:
        """A name for ``value``, which is computed once, at this position."""
        expr = as_expr(value)
        name = Value(self._fresh(var_name), expr.dtype, caller_location())
        self.emit(Let(caller_location(), name, expr))
        return name

    def likely(self, expr: ExprLike) -> Expr:
        """The condition itself. TVM's hint has no effect in kc."""
        return likely(expr)


def create() -> IRBuilder:
    """A builder without statements."""
    return IRBuilder()


def _number(value: Any) -> Any:
    expr = as_expr(value)
    return int(expr.value) if isinstance(expr, Const) else expr


def _variables(node: Any) -> list[IterVar]:
    if not isinstance(node, Expr):
        return []
    return [part for part in walk(node) if isinstance(part, IterVar)]


__all__ = ["BufferVar", "IRBuilder", "create"]


def __dir__() -> list[str]:
    return __all__
