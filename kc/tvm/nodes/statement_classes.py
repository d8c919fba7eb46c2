"""The classes of statements by TVM's names: ``tir.For``, ``tir.BufferStore``, ``tir.SeqStmt``, ...

A call of a class, with TVM's arguments, creates the statement (:mod:`kc.tir.stmt`). ``isinstance``
tests for the kind of statement, and also accepts the equivalent operation of loops
(:mod:`kc.dialects.tir`).
"""

# Each class is made with TVM's arguments.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from kc.dialects import tir
from kc.expr import nodes
from kc.expr.buffers import Buffer
from kc.expr.constructors import Const, Expr, as_expr, condition_of, const, select
from kc.expr.constructors import IterVar as NodeIterVar
from kc.expr.indices import same_dim
from kc.expr.tensor import check_name, make_axis, shape_text
from kc.expr.threads import thread_axis
from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.te.iter_var_attrs import ITER_TYPES
from kc.tir import calls, stmt
from kc.tir.checked import LOOP_KINDS, counting_loop, store, store_to, stores_of, while_loop
from kc.tir.declared_regions import DeclaredRegion
from kc.tir.ir_builder import IRBuilder
from kc.tir.substitution import substitute
from kc.transforms.schedule.notes._annotations import Value as Annotation
from kc.tvm.buffer_views import PartOfBuffer, part_of
from kc.tvm.nodes.node_class import Node
from kc.tvm.nodes.stmt_functor import replace_buffers

__all__ = [
    "Allocate",
    "AllocateConst",
    "AssertStmt",
    "AttrStmt",
    "Block",
    "BlockRealize",
    "BufferRealize",
    "BufferRegion",
    "BufferStore",
    "Evaluate",
    "For",
    "ForKind",
    "IfThenElse",
    "IterVar",
    "LetStmt",
    "MatchBufferRegion",
    "Prefetch",
    "SeqStmt",
    "Stmt",
    "Store",
    "While",
    "stmt_list",
    "stmt_seq",
]


def _statement(body: Any, what: str) -> stmt.Stmt:
    """``body`` as a statement; a call becomes a statement for its side effect. Raises KC2102 for
    anything else.
    """
    location = caller_location()
    statement = calls.as_statement(body, location)
    if statement is None:
        raise TEError(
            "KC2102",
            f"{what}: the body is {type(body).__name__}, not a statement",
            location=location,
            hints=["tir.BufferStore(B, value, [i]), tir.SeqStmt([...]), ib.get()"],
        )
    return statement


class Stmt(Node):
    """Any statement, or operation of loops."""

    comes_from = "tir.For, tir.BufferStore, tir.ir_builder"
    statements: ClassVar[tuple[type, ...]] = (stmt.Stmt,)
    operations: ClassVar[tuple[type, ...]] = (
        *(tir.ForOp, tir.IfOp, tir.StoreOp, tir.BlockOp, tir.AllocOp),
    )

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, (*cls.statements, *cls.operations))


class ForKind(str):
    """The execution kind of a loop, as the text that the IR uses."""

    SERIAL: ForKind
    PARALLEL: ForKind
    VECTORIZED: ForKind
    UNROLLED: ForKind
    THREAD_BINDING: ForKind

    __slots__ = ()


ForKind.SERIAL = ForKind("serial")
ForKind.PARALLEL = ForKind("parallel")
ForKind.VECTORIZED = ForKind("vectorize")
ForKind.UNROLLED = ForKind("unroll")
ForKind.THREAD_BINDING = ForKind("thread_binding")
_KINDS = (
    *(ForKind.SERIAL, ForKind.PARALLEL, ForKind.VECTORIZED, ForKind.UNROLLED),
    ForKind.THREAD_BINDING,
)


class For(Stmt):
    """A loop of ``loop_var`` over ``extent`` values from ``min_val`` on."""

    statements = (stmt.For,)
    operations = (tir.ForOp,)

    @classmethod
    def make(
        cls,
        loop_var: nodes.Var,
        min_val: Any,
        extent: Any,
        kind: Any,
        body: Any,
        thread_binding: Any = None,
        annotations: Mapping[str, Any] | None = None,
        span: Any = None,
    ) -> stmt.For:
        """``kind`` is one of ``tir.ForKind``, its number in TVM, or text. Raises KC2105 for another
        kind, and for threads without an axis; KC2102 for a body that is no statement."""
        del span
        location = caller_location()
        kind = _KINDS[kind] if type(kind) is int and 0 <= kind < len(_KINDS) else kind
        threads = kind == ForKind.THREAD_BINDING
        tag = getattr(thread_binding, "thread_tag", thread_binding)
        if (not threads and kind not in LOOP_KINDS) or (threads and not isinstance(tag, str)):
            what = f"threads of {tag!r}" if threads else f"the kind {kind!r}"
            raise TEError(
                "KC2105",
                f"For: {loop_var} with {what}",
                location=location,
                hints=[
                    'thread_binding=te.thread_axis("threadIdx.x")'
                    if threads
                    else "tir.ForKind.SERIAL, PARALLEL, VECTORIZED, UNROLLED or THREAD_BINDING"
                ],
            )
        statement = _statement(body, "For")
        first, count = as_expr(min_val), as_expr(extent)
        end = count if isinstance(first, Const) and first.value == 0 else first + count
        if isinstance(first, Const) and isinstance(count, Const):
            end = const(int(first.value) + int(count.value))
        loop_kind = "serial" if threads else LOOP_KINDS[kind]
        loop, variable = counting_loop(loop_var.name, first, end, loop_kind, location)
        loop.thread = tag if threads else None
        loop.body = [substitute(statement, {loop_var: variable})]
        for key, value in (annotations or {}).items():
            loop.annotations[key] = Annotation.of(getattr(value, "value", value)).attr
        return loop


class IfThenElse(Stmt):
    """``then_case`` where ``condition`` holds, else ``else_case``."""

    statements = (stmt.If,)
    operations = (tir.IfOp,)

    @classmethod
    def make(
        cls, condition: Any, then_case: Any, else_case: Any = None, span: Any = None
    ) -> stmt.If:
        """An if statement. Raises KC2006 for an invalid condition, KC2102 for an invalid
        statement.
        """
        del span
        chosen = condition_of(condition, "an if", example="x != 0")
        orelse = [] if else_case is None else [_statement(else_case, "IfThenElse")]
        return stmt.If(caller_location(), chosen, [_statement(then_case, "IfThenElse")], orelse)


class While(Stmt):
    """A loop that runs ``body`` as long as ``condition`` holds."""

    statements = (stmt.While,)
    operations = ()

    @classmethod
    def make(cls, condition: Any, body: Any, span: Any = None) -> stmt.While:
        """A while loop. Raises KC2006 for an invalid condition, KC2102 for an invalid statement,
        and KC2106 for a condition that nothing can change.
        """
        del span
        checked = condition_of(condition, "a while", example="x[0] != 0")
        loop = while_loop("While", checked, caller_location())
        loop.body = [_statement(body, "While")]
        return loop


class BufferStore(Stmt):
    """``buffer[indices] = value``."""

    statements = (stmt.Store,)
    operations = (tir.StoreOp,)

    @classmethod
    def make(cls, buffer: Buffer, value: Any, indices: Sequence[Any], span: Any = None) -> Any:
        """Raises KC2103 for a value that the elements do not hold."""
        del span
        return store(buffer, tuple(indices), value, caller_location())


class Store(BufferStore):
    """A store to a buffer of one dimension by the variable of its address (TVM's older name)."""

    @classmethod
    def make(
        cls, buffer_var: Buffer, value: Any, index: Any, predicate: Any = None, span: Any = None
    ) -> Any:
        """Raises KC2103 for a value that the elements do not hold."""
        del span
        location = caller_location()
        target: Any = as_expr(buffer_var[index])
        stored = as_expr(value, buffer_var.dtype)
        if predicate is None or (isinstance(predicate, Const) and predicate.value):
            return store_to(target, stored, location)
        selected = select(predicate, stored, target)
        return store_to(target, selected, location)


class LetStmt(Stmt):
    """``body`` with ``value``, which is computed here and once, for the variable ``var``."""

    statements = (stmt.Let,)
    operations = ()

    @classmethod
    def make(cls, var: nodes.Var, value: Any, body: Any, span: Any = None) -> stmt.Seq:
        """A let statement. Raises KC2102 if the body is no statement."""
        del span
        location = caller_location()
        expr = as_expr(value).astype(var.dtype)
        name = stmt.Value(check_name(var.name, location), var.dtype, location)
        statement = substitute(_statement(body, "LetStmt"), {var: name})
        return stmt.Seq(location, [stmt.Let(location, name, expr), statement])


class SeqStmt(Stmt):
    """Statements, one after another: its ``seq``."""

    statements = (stmt.Seq,)
    operations = ()

    @classmethod
    def make(cls, seq: Sequence[Any], span: Any = None) -> stmt.Seq:
        """A sequence of statements. Raises KC2102 if an element is no statement."""
        del span
        return stmt.Seq(caller_location(), [_statement(part, "SeqStmt") for part in seq])


class Evaluate(Stmt):
    """A call for its side effect. Any other value has no effect and is dropped."""

    statements = (calls.Evaluate,)
    operations = ()

    @classmethod
    def make(cls, value: Any, span: Any = None) -> stmt.Stmt:
        del span
        location = caller_location()
        statement = calls.as_statement(value, location)
        return stmt.Seq(location, []) if statement is None else statement


class AttrStmt(Stmt):
    """``body`` in the threads of an axis: ``AttrStmt(tx, "thread_extent", 32, body)``."""

    statements = ()
    operations = ()

    @classmethod
    def make(cls, node: Any, attr_key: str, value: Any, body: Any, span: Any = None) -> stmt.Stmt:
        """Raises KC2107 for another attribute."""
        del span
        builder = IRBuilder()
        builder.scope_attr(node, attr_key, value)
        builder.emit(_statement(body, "AttrStmt"))
        return builder.get()


class Allocate(Stmt):
    """Memory for a declared buffer, within the statements of ``body``."""

    statements = (stmt.Allocate,)
    operations = (tir.AllocOp,)

    @classmethod
    def make(
        cls,
        buffer_var: Any,
        dtype: str,
        extents: Sequence[Any],
        condition: Any,
        body: Any,
        annotations: Mapping[str, Any] | None = None,
        span: Any = None,
    ) -> stmt.Stmt:
        """Allocate the memory of ``buffer_var``, which is ``buffer.data``. The shape and the type
        repeat the buffer's. Raises KC2108 for a variable without a declared buffer, or another
        shape.
        """
        del condition, annotations, span
        location = caller_location()
        sizes = tuple(extents)
        if (
            not isinstance(buffer_var, Buffer)
            or buffer_var.dtype != dtype
            or not _as_many(sizes, buffer_var.shape)
        ):
            raise TEError(
                "KC2108",
                f"Allocate: {getattr(buffer_var, 'name', buffer_var)} of shape "
                f"{shape_text(sizes)} and type {dtype}",
                location=location,
                why="a buffer must be declared with the same shape and type",
                hints=['B = tir.decl_buffer((16,), "float32", "B"); tir.Allocate(B.data, ...)'],
            )
        memory = stmt.Allocate(location, buffer_var)
        return stmt.Seq(location, [memory, _statement(body, "Allocate")])


class AllocateConst(Stmt):
    """Memory for a buffer that holds numbers, for the statements of ``body``."""

    statements = ()
    operations = ()

    @classmethod
    def make(
        cls,
        buffer_var: Any,
        dtype: str,
        extents: Sequence[Any],
        data_or_idx: Any,
        body: Any,
        annotations: Mapping[str, Any] | None = None,
        span: Any = None,
    ) -> stmt.Stmt:
        """``data_or_idx`` is an array of the numbers. Raises KC2108 as :class:`Allocate`, and for
        an array of another shape."""
        import numpy as np

        numbers = np.asarray(data_or_idx.numpy() if hasattr(data_or_idx, "numpy") else data_or_idx)
        if numbers.shape != tuple(extents):
            raise TEError(
                "KC2108",
                f"AllocateConst: the shape is {shape_text(tuple(extents))}, the numbers have "
                f"{shape_text(numbers.shape)}",
                location=caller_location(),
                why="each element needs exactly one number",
            )
        statement = _statement(body, "AllocateConst")
        filled = stores_of(buffer_var, numbers.ravel().tolist(), caller_location())
        return Allocate.make(
            buffer_var, dtype, extents, True, stmt.Seq(caller_location(), [*filled, statement])
        )


class BufferRealize(Stmt):
    """Memory for the region ``bounds`` of a buffer, which must be the whole buffer, within the
    statements of ``body``, under the predicate ``condition``.
    """

    statements = ()
    operations = ()

    @classmethod
    def make(
        cls, buffer: Buffer, bounds: Sequence[Any], condition: Any, body: Any, span: Any = None
    ) -> stmt.Stmt:
        """Raises KC2108 for a region that is not the whole buffer, KC2006 for an invalid condition,
        and KC2102 for an invalid statement.
        """
        del span
        location = caller_location()
        ranges = [part if isinstance(part, tuple) else (part.min, part.extent) for part in bounds]
        whole = len(ranges) == len(buffer.shape) and all(
            same_dim(as_expr(start), const(0)) and same_dim(as_expr(end), as_expr(size))
            for (start, end), size in zip(ranges, buffer.shape, strict=False)
        )
        if not whole:
            raise TEError(
                "KC2108",
                f"BufferRealize: {buffer.name} of shape {shape_text(buffer.shape)} from "
                f"{', '.join(f'{start} to {end}' for start, end in ranges)}",
                location=location,
                why="the bounds must cover the whole buffer",
                hints=["bounds=[(0, size) for size in buffer.shape]"],
            )
        chosen = condition_of(condition, "BufferRealize")
        statement = stmt.Seq(
            location, [stmt.Allocate(location, buffer), _statement(body, "BufferRealize")]
        )
        if isinstance(chosen, Const) and chosen.value:
            return statement
        return stmt.If(location, chosen, [statement], [])


class Prefetch(Stmt):
    """The hint that a part of a buffer, a range for each dimension, will be read soon."""

    statements = (stmt.Prefetch,)
    operations = (tir.PrefetchOp,)

    @classmethod
    def make(cls, buffer: Buffer, bounds: Sequence[Any], span: Any = None) -> stmt.Prefetch:
        """Raises KC2010 unless there is one range for each dimension."""
        del span
        parts = BufferRegion.make(buffer, bounds).region
        if len(parts) != buffer.ndim:
            raise TEError(
                "KC2010",
                f"{buffer.name} has {buffer.ndim} dimensions, indexed with {len(parts)}",
                location=caller_location(),
                why=f"{buffer.name} has the shape {shape_text(buffer.shape)}",
            )
        return stmt.Prefetch(caller_location(), buffer, parts)


class AssertStmt(Stmt):
    """``body``, after a check of a condition: if the condition is false at run time, the call
    raises CallError KC5250 with the message.
    """

    statements = ()
    operations = ()

    @classmethod
    def make(cls, condition: Any, message: Any, body: Any, span: Any = None) -> stmt.Stmt:
        """The check and the body. Raises KC2006 for an invalid condition."""
        location = caller_location()
        checked = calls.assertion(condition_of(condition, "AssertStmt"), str(message), location)
        return stmt.Seq(location, [checked, _statement(body, "AssertStmt")])


def _as_many(sizes: Sequence[Any], shape: Sequence[Any]) -> bool:
    """True if ``sizes`` and ``shape`` have the same number of elements."""
    static_sizes = [size for size in (*sizes, *shape) if isinstance(size, int | Const)]
    if len(static_sizes) < len(sizes) + len(shape):
        return len(sizes) == len(shape)
    elements = view_elements = 1
    for size in sizes:
        elements *= int(size)
    for size in shape:
        view_elements *= int(size)
    return elements == view_elements


# Blocks -------------------------------------------------------------------------------------------


class BufferRegion(Node):
    """A part of a buffer: a range for each dimension."""

    @classmethod
    def make(cls, buffer: Buffer, region: Sequence[Any]) -> DeclaredRegion:
        parts = [
            (as_expr(part.min), as_expr(part.extent))
            if hasattr(part, "extent")
            else (as_expr(part), as_expr(1))
            for part in region
        ]
        return DeclaredRegion(caller_location(), buffer, parts)

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, DeclaredRegion)


class MatchBufferRegion(Node):
    """The declaration that a buffer is a region of another one in the statements of a block."""

    @classmethod
    def make(cls, buffer: Buffer, source: DeclaredRegion) -> MatchedPart:
        """Raises KC2130 for a part of another shape."""
        part = part_of(source.buffer, source.region, buffer.shape, buffer.name)
        return MatchedPart(buffer, source, part)

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, MatchedPart)


@dataclass(frozen=True, eq=False)
class MatchedPart:
    """A buffer, and the region of another buffer that it refers to."""

    buffer: Buffer
    source: DeclaredRegion
    part: PartOfBuffer


@dataclass(frozen=True, eq=False)
class BlockParts:
    """A block without values for its variables: the result of ``tir.Block``."""

    iter_vars: tuple[NodeIterVar, ...]
    reads: tuple[DeclaredRegion, ...]
    writes: tuple[DeclaredRegion, ...]
    name_hint: str
    body: stmt.Stmt
    init: stmt.Stmt | None
    alloc_buffers: tuple[Buffer, ...]
    annotations: Mapping[str, Any]


class Block(Stmt):
    """A block over ``iter_vars`` (``tir.IterVar``); ``tir.BlockRealize`` binds them to values."""

    statements = (BlockParts,)
    operations = (tir.BlockOp,)

    @classmethod
    def make(
        cls,
        iter_vars: Sequence[NodeIterVar],
        reads: Sequence[DeclaredRegion],
        writes: Sequence[DeclaredRegion],
        name_hint: str,
        body: Any,
        init: Any = None,
        alloc_buffers: Sequence[Buffer] | None = None,
        match_buffers: Sequence[MatchedPart] | None = None,
        annotations: Mapping[str, Any] | None = None,
        span: Any = None,
    ) -> BlockParts:
        """The block without values. ``reads`` and ``writes``, if not empty, are checked against the
        body. Raises KC2102 for an invalid statement.
        """
        del span
        for match in match_buffers or ():
            if not isinstance(match, MatchedPart):
                raise TEError(
                    "KC2102",
                    f"Block: {type(match).__name__} in match_buffers of {name_hint}",
                    location=caller_location(),
                    why="each entry must state the region of a buffer that another buffer refers "
                    "to",
                    hints=["tir.MatchBufferRegion(row, tir.BufferRegion(A, [...]))"],
                )
        parts = {match.buffer: match.part for match in match_buffers or ()}
        statement = _statement(body, "Block")
        first = None if init is None else _statement(init, "Block")
        if parts:
            statement = replace_buffers(statement, parts)
            first = None if first is None else replace_buffers(first, parts)
        return BlockParts(
            tuple(iter_vars),
            tuple(reads),
            tuple(writes),
            check_name(name_hint or "root", caller_location()),
            statement,
            first,
            tuple(alloc_buffers or ()),
            dict(annotations or {}),
        )


class BlockRealize(Stmt):
    """A block whose variables are bound to ``iter_values``, under the guard ``predicate``."""

    statements = (stmt.BlockStmt,)
    operations = (tir.BlockOp,)

    @classmethod
    def make(
        cls,
        iter_values: Sequence[Any],
        predicate: Any,
        block: BlockParts,
        span: Any = None,
    ) -> stmt.Stmt:
        """Raises KC2178 for a wrong number of values, and KC2006 for an invalid condition."""
        del span
        location = caller_location()
        values = [as_expr(value) for value in iter_values]
        if not isinstance(block, BlockParts) or len(values) != len(block.iter_vars):
            variable_count = len(block.iter_vars) if isinstance(block, BlockParts) else 0
            raise TEError(
                "KC2178",
                f"BlockRealize: {len(values)} values for {variable_count} variables of a block",
                location=location,
                why="each of the iter_vars of a tir.Block needs exactly one value",
                hints=["tir.BlockRealize([i, j], True, tir.Block([vi, vj], ...))"],
            )
        condition = condition_of(predicate, "BlockRealize")
        where = [] if isinstance(condition, Const) and condition.value else [condition]
        memory: list[stmt.Stmt] = [
            stmt.Allocate(location, buffer) for buffer in block.alloc_buffers
        ]
        if not block.iter_vars and block.name_hint == "root":
            return stmt.Seq(location, [*memory, block.body])
        variables = {axis.variable: axis for axis in block.iter_vars if isinstance(axis, BlockAxis)}
        body, init = (
            None if part is None else substitute(part, variables)
            for part in (block.body, block.init)
        )
        assert body is not None
        return stmt.BlockStmt(
            location,
            block.name_hint,
            [
                stmt.Iter(tir.IterType(axis.kind), axis, value)
                for axis, value in zip(block.iter_vars, values, strict=True)
            ],
            where,
            None if init is None else [init],
            [*memory, body],
            {key: Annotation.of(value).attr for key, value in block.annotations.items()},
            [_region(region, variables) for region in block.reads] or None,
            [_region(region, variables) for region in block.writes] or None,
        )


def _region(region: DeclaredRegion, values: Mapping[Any, Expr]) -> DeclaredRegion:
    parts = [(substitute(start, values), substitute(size, values)) for start, size in region.region]
    return replace(region, region=parts)


@dataclass(eq=False, repr=False)
class BlockAxis(NodeIterVar):
    """A variable of a block, for which ``variable`` stands in its statements."""

    variable: nodes.Var = None  # pyright: ignore[reportAssignmentType]


class IterVar(Node):
    """An axis of a compute, a reduction, threads or a block.

    ``tir.IterVar((0, n), "i", iter_type)`` creates an axis; the types have TVM's numbers, as
    ``tir.IterVar.CommReduce``.
    """

    DataPar, ThreadIndex, CommReduce, Ordered, Opaque = range(5)
    Unrolled, Vectorized, Parallelized, Tensorized = (
        ITER_TYPES[name] for name in ("unroll", "vectorize", "parallel", "tensorize")
    )

    @classmethod
    def make(
        cls, dom: Any, var: Any, iter_type: int, thread_tag: str = "", span: Any = None
    ) -> NodeIterVar:
        """Raises KC2178 for another type or domain."""
        del span
        location = caller_location()
        if iter_type == cls.ThreadIndex:
            return thread_axis(dom, thread_tag, getattr(var, "name", var) or "")
        is_kind = isinstance(iter_type, int) and 0 <= iter_type < len(nodes.ITER_TYPES)
        kind = nodes.ITER_TYPES[iter_type] if is_kind else None
        ends = tuple(dom) if isinstance(dom, tuple | list) else ()
        if kind is None or len(ends) != 2 or not isinstance(var, str | nodes.Var):
            raise TEError(
                "KC2178",
                f"IterVar: {var!r} over {dom!r}, of type {iter_type!r}",
                location=location,
                why="an IterVar needs a domain (0, extent), a variable or its name, and a "
                "type: DataPar, "
                "ThreadIndex, CommReduce, Ordered or Opaque",
                hints=['tir.IterVar((0, 16), "i", tir.IterVar.DataPar)'],
            )
        start, stop = (int(end) if isinstance(end, Const) else end for end in ends)
        if not isinstance(start, int):
            raise TEError(
                "KC2178",
                f"IterVar: {var!r} from {start!r}",
                location=location,
                why="the start of an axis must be a constant integer",
            )
        name = var if isinstance(var, str) else var.name
        axis = make_axis(name, stop - start if start else stop, kind, location, start)
        if isinstance(var, str):
            return axis
        details = {field: getattr(axis, field) for field in ("extent", "start", "dtype")}
        return BlockAxis(axis.name, kind=kind, location=location, variable=var, **details)

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, NodeIterVar)


def stmt_seq(*args: Any) -> stmt.Stmt:
    """Statements, one after another; a single one is itself. Expressions are evaluated."""
    statements = [part if isinstance(part, stmt.Stmt) else Evaluate(part) for part in args]
    return statements[0] if len(statements) == 1 else stmt.Seq(caller_location(), statements)


def stmt_list(stmt_: Any) -> list[Any]:
    """The statements of a sequence, with nested sequences flattened; for another statement,
    itself.
    """
    if isinstance(stmt_, stmt.Seq):
        return [inner for part in stmt_.body for inner in stmt_list(part)]
    return [stmt_]
