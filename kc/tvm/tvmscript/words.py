"""The effects of TVMScript's words on the reader: see :mod:`kc.tvm.tvmscript.reader`."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.ir.affine import AffineExpr

from kc.dialects.tir import INDEX, ApplyOp, DelinearizeOp, ExtremeKind, LinearizeOp
from kc.expr.buffers import Buffer, decl_buffer
from kc.expr.calls import address_of
from kc.expr.constructors import (
    BufferAccess,
    Const,
    Element,
    Expr,
    ExternCall,
    IterVar,
    Var,
    as_expr,
)
from kc.expr.dtypes import check_dtype
from kc.expr.raw_operations import is_raw, raw_operation
from kc.expr.slices import TensorSlice
from kc.expr.tensor import Tensor, make_axis, var
from kc.expr.threads import ThreadAxis, thread_axis
from kc.support.diagnostics import KCError, Location, TEError
from kc.support.locations import reading
from kc.tir.calls import as_statement, assertion
from kc.tir.checked import integer, store, stores_of
from kc.tir.declared_regions import DeclaredRegion
from kc.tir.script.expressions import is_symbolic, refuse, truth
from kc.tir.script.limits import count_step
from kc.tir.script.names import Word
from kc.tir.stmt import Allocate, For, Prefetch, Value, attributes_of
from kc.transforms.schedule.notes._annotations import Value as Annotation
from kc.tvm.buffer_views import (
    PartOfBuffer,
    ReshapedBuffer,
    ViewStmt,
    element_count,
    in_memory_of,
    part_of,
)
from kc.tvm.tvmscript.combine_statements import CombineStmt
from kc.tvm.tvmscript.function_calls import seen_as
from kc.tvm.tvmscript.index_statements import IndexStmt
from kc.tvm.tvmscript.missing_words import MissingWord
from kc.tvm.tvmscript.names import (
    BufferType,
    BufferWord,
    HandleType,
    TypeWord,
    dtype_name,
    refused,
)

if TYPE_CHECKING:
    from kc.tvm.tvmscript.reader import TvmStatements


_NO_CODE = ("pragma_", "buffer_bind_scope", "storage_scope", "realize_scope", "double_buffer")


@dataclass(frozen=True)
class EnvThread:
    """``T.env_thread("threadIdx.x")``: threads that ``T.launch_thread`` gives a number."""

    tag: str


class Handle:
    """A pointer parameter, until ``T.match_buffer`` declares its buffer."""

    def __init__(self, name: str, at: Location) -> None:
        self.name = name
        self.at = at
        self.buffer: Buffer | None = None
        self.argument: Buffer | BufferAccess | None = None
        """The argument that a call passes for the pointer, if the function's statements are inlined
        at the call.
        """


class TvmWords:
    """Reads the words for ``reader``."""

    def __init__(self, reader: TvmStatements) -> None:
        self.reader = reader
        self.expressions = reader.expressions
        self.strings: dict[str, Var] = {}
        """The sizes that are named by text, ``T.Buffer(("n",))``."""

    # Calls ---------------------------------------------------------------------------------

    def call(self, word: Word, node: ast.Call, name: str, at: Location) -> Any:
        """The value of ``word(...)``, which is assigned to ``name`` if that is not empty."""
        if isinstance(word, BufferWord):
            return self._buffer(node, name, at)
        if isinstance(word, TypeWord):
            return self._type(word, node, name)
        if isinstance(word, MissingWord):
            with reading(at):
                word()
        method: Callable[[ast.Call, str, Location], Any] | None = getattr(
            self, f"_{word.name}", None
        )
        if method is None:
            raise refuse(f"T.{word.name} as a value", at, None)
        return method(node, name, at)

    def arguments(
        self, node: ast.Call, names: Sequence[str], at: Location, needed: int = 0
    ) -> dict[str, Any]:
        """The arguments of a word by name. Raises KC2116 for wrong arguments."""
        text = ast.unparse(node.func)
        values = self.expressions.eval_each(node.args)
        bound: dict[str, Any] = dict(zip(names, values, strict=False))
        unknown = ""
        for keyword in node.keywords:
            key = keyword.arg or "**"
            if key not in names or key in bound:
                unknown = key
            bound[key] = self.expressions.eval(keyword.value)
        missing = [name for name in names[:needed] if name not in bound]
        if len(values) > len(names) or unknown or missing:
            what = f"is given {len(values)} arguments"
            if unknown:
                what = f"has no argument '{unknown}', or it is given twice"
            elif missing:
                what = f"is not given {', '.join(missing)}"
            raise TEError(
                "KC2116",
                f"{text} {what}",
                location=at,
                why=f"its arguments are {', '.join(names)}",
            )
        return bound

    def _type(self, word: TypeWord, node: ast.Call, name: str) -> Any:
        words = self.arguments(node, ("value", "scope", "is_size_var"), self.expressions.at(node))
        value = words.get("value")
        if isinstance(value, TypeWord):
            value = value.name
        if word.name != "handle" and value is None:
            return var(name or "v", word.name)
        return word(value)

    def _var(self, node: ast.Call, name: str, at: Location) -> Any:
        """``n = T.var("int32")``."""
        text = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
        words = self.arguments(node, ("first", "dtype"), at)
        dtype = dtype_name(words.get("dtype") or words.get("first") or "int32")
        if len(text) == 2:  # T.Var("n", "int32")
            return var(str(words["first"]), dtype)
        return HandleType() if dtype == "handle" else var(name or "v", dtype)

    # Buffers -------------------------------------------------------------------------------

    _FIELDS = (
        "shape", "dtype", "data", "strides", "elem_offset", "scope", "align", "offset_factor",
        "buffer_type", "axis_separators",
    )  # fmt: skip

    def shape(self, shape: Any) -> tuple[Any, ...]:
        """The dimensions; text is the name of a size."""
        dims = shape if isinstance(shape, tuple | list) else (shape,)
        return tuple(self._dim(dim) for dim in dims)

    def _dim(self, dim: Any) -> Any:
        if not isinstance(dim, str):
            return dim
        if dim not in self.strings:
            self.strings[dim] = var(dim)
            self.reader.scope.names.setdefault(dim, self.strings[dim])
        return self.strings[dim]

    def declared(self, fields: Mapping[str, Any], name: str) -> Buffer:
        """The buffer that a declaration describes, with memory of its own."""
        dtype = check_dtype(dtype_name(fields.get("dtype", "float32")), vectors=False)
        strides = fields.get("strides")
        offset = fields.get("elem_offset")
        if isinstance(offset, Var):
            # An argument starts with its first element, wherever that is in the caller's memory.
            self.bind(offset, 0)
            offset = None
        checked = None
        if strides is not None and len(strides):
            checked = [self._dim(stride) for stride in strides]
        return decl_buffer(
            self.shape(fields["shape"]),
            dtype,
            name,
            strides=checked,
            elem_offset=offset,
            scope=fields.get("scope") or "",
            axis_separators=fields.get("axis_separators"),
        )

    def bind(self, variable: Var, value: Any) -> None:
        """Rebind the names of ``variable`` to ``value`` from here on."""
        scope = self.reader.scope
        while scope is not None:
            for name, meaning in scope.names.items():
                if meaning is variable:
                    scope.names[name] = value
            scope = scope.outer

    def _buffer(self, node: ast.Call, name: str, at: Location) -> Any:
        fields = self.arguments(node, self._FIELDS, at, needed=1)
        if not name:
            return BufferType(fields.pop("shape"), fields.pop("dtype", "float32"), fields)
        return self._declare(fields, name, at)

    def _decl_buffer(self, node: ast.Call, name: str, at: Location) -> Buffer:
        return self._declare(self.arguments(node, self._FIELDS, at, needed=1), name, at)

    def _alloc_buffer(self, node: ast.Call, name: str, at: Location) -> Buffer:
        fields = self.arguments(node, (*self._FIELDS, "annotations"), at, needed=1)
        fields.pop("data", None)
        buffer = self.declared(fields, name or "buf")
        notes = self.reader.blocks.annotations(fields.get("annotations") or {}, at)
        self.reader.body.append(Allocate(at, buffer, attributes_of(notes)[1]))
        return buffer

    def _allocate(self, node: ast.Call, name: str, at: Location) -> Buffer:
        """``A = T.allocate([128], "float32", "global")``."""
        fields = ("extents", "dtype", "scope", "condition", "annotations")
        words = self.arguments(node, fields, at, needed=1)
        shape = words.pop("extents")
        return self._allocated(self.declared({"shape": shape, **words}, name or "buf"), at)

    def _declare(self, fields: dict[str, Any], name: str, at: Location) -> Buffer:
        data = fields.pop("data", None)
        if data is None:
            fields["elem_offset"] = None
            return self._allocated(self.declared(fields, name), at)
        if isinstance(data, Handle):
            if data.buffer is None:
                return self._pointed(data, fields, name, at)
            data = data.buffer
        if not isinstance(data, Buffer):
            raise refused(
                f"{name} is declared with data of type {type(data).__name__}",
                "data must be the data of a buffer",
                ("data=A.data",),
            )
        data = self.reader.derived_from(data)
        offset = fields.pop("elem_offset", None)
        declared = self.declared({**fields, "strides": None}, name)
        first = offset is None or (isinstance(offset, int) and offset == 0)
        if first and declared.shape == data.shape and declared.dtype == data.dtype:
            return data
        if first:
            return in_memory_of(data, declared, ())
        count = element_count(data.shape) or 0
        flat = data if data.ndim == 1 else ReshapedBuffer(data, (count,), data.name)
        return in_memory_of(flat, declared, (offset,))

    def _allocated(self, buffer: Buffer, at: Location) -> Buffer:
        self.reader.body.append(Allocate(at, buffer))
        return buffer

    def _preflattened_buffer(self, node: ast.Call, name: str, at: Location) -> None:
        """TVM 0.9's declaration of a buffer before flattening; kc ignores it."""
        del node, name, at

    def _allocate_const(self, node: ast.Call, name: str, at: Location) -> Buffer:
        """``T.allocate_const([1, 2, 3], "int32", [3])``: memory that holds numbers."""
        words = self.arguments(node, ("data", "dtype", "extents", "annotations"), at, needed=3)
        shape = self.shape(words["extents"])
        buffer = Buffer(shape, dtype_name(words["dtype"]), name or "constant")
        values = _flat(words["data"])
        count = element_count(shape)
        if count != len(values):
            raise refused(
                f"allocate_const: {len(values)} numbers for the shape {shape}",
                "each element needs exactly one number",
            )
        self._allocated(buffer, at)
        for _ in values:
            count_step(lambda: at)
        self.reader.body += stores_of(buffer, values, at)
        return buffer

    def _match_buffer(self, node: ast.Call, name: str, at: Location) -> Buffer:
        """A parameter, or a part of a buffer."""
        if not node.args:
            raise _without_buffer(node, at, 'A = T.match_buffer(a, (16,), "float32")')
        source = node.args[0]
        if isinstance(source, ast.Subscript):
            base, region = self.region(source)
        else:
            base = self.expressions.eval(source)
            region = None
        rest = ast.Call(node.func, node.args[1:], node.keywords)
        ast.copy_location(rest, node)
        fields = tuple(field for field in self._FIELDS if field != "data")
        if region is None and not isinstance(base, Handle | Buffer):
            raise refused(
                f"match_buffer: {ast.unparse(source)} is {type(base).__name__}",
                "the source must be a parameter of type T.handle, or a part of a buffer",
                (
                    "A = T.match_buffer(a, (128, 128))",
                    "B = T.match_buffer(A[0:16, 0:16], (16, 16))",
                ),
            )
        if isinstance(base, Handle):
            words = self.arguments(rest, fields, at, needed=1)
            if base.buffer is not None:
                raise refused(
                    f"match_buffer: {base.name} is already matched with the buffer "
                    f"{base.buffer.name}",
                    "a parameter can be matched once",
                )
            return self._pointed(base, words, name, at)
        if region is None:
            region = [(0, size) for size in base.shape]
        words = self.arguments(rest, fields, at)
        part = part_of(
            base, region, words.get("shape", [size for _, size in region]), name or "part"
        )
        self._check_part(part, words)
        # The declaration binds the variables in the dimensions of a part to the part's sizes.
        strides = words.get("strides") or ()
        for stride, value in zip(strides, part.strides, strict=False):
            if isinstance(stride, Var):
                self.bind(stride, value)
        if isinstance(words.get("elem_offset"), Var):
            self.bind(words["elem_offset"], part.elem_offset)
        self.reader.body.append(ViewStmt(at, part))
        return part

    def _pointed(
        self, handle: Handle, fields: Mapping[str, Any], name: str, at: Location
    ) -> Buffer:
        """The buffer of a pointer parameter: declared by the function, or taken from a call's
        argument.
        """
        declared = self.declared(fields, name or handle.name)
        if handle.argument is None:
            handle.buffer = declared
        else:
            handle.buffer = seen_as(self.reader, handle.argument, declared, at)
        return handle.buffer

    def _check_part(self, part: PartOfBuffer, fields: Mapping[str, Any]) -> None:
        dtype = dtype_name(fields.get("dtype", part.dtype))
        if dtype != part.dtype:
            raise refused(
                f"match_buffer: {part.name} is {dtype}, and {part.base.name} is {part.dtype}",
                "a part must have the element type of the buffer",
            )
        scope = fields.get("scope") or "global"
        if scope != part.scope():
            raise refused(
                f"match_buffer: {part.name} is {scope} memory, and {part.base.name} is "
                f"{part.scope()}",
                "a part must be in the memory of the buffer",
            )
        strides = fields.get("strides") or ()
        for dim, (stride, own) in enumerate(zip(strides, part.strides, strict=False)):
            is_static = isinstance(stride, int) and isinstance(own, int)
            if is_static and stride != own and part.shape[dim] != 1:
                raise refused(
                    f"match_buffer: neighbours of {part.name} along dimension {dim} are {stride} "
                    f"elements apart, and {own} in {part.base.name}",
                    "a part must have the strides of the buffer",
                    ("s0 = T.int32(); ... strides=[s0, 1]",),
                )

    def region(self, node: ast.expr) -> tuple[Any, list[tuple[Any, Any]]]:
        """``A[i : i + 16, j]``: a buffer, and (start, extent) along each dimension."""
        at = self.expressions.at(node)
        base = self.expressions.eval(node.value if isinstance(node, ast.Subscript) else node)
        if isinstance(base, Element) and not base.indices:
            base = base.tensor
        if not isinstance(base, Buffer):
            raise refused(
                f"{ast.unparse(node)} is not a part of a buffer", f"it is {type(base).__name__}"
            )
        if not isinstance(node, ast.Subscript):
            return base, [(0, size) for size in base.shape]
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        region: list[tuple[Any, Any]] = []
        for dim, part in enumerate(parts[: base.ndim]):
            if not isinstance(part, ast.Slice):
                region.append((self.expressions.eval(part), 1))
                continue
            start = 0 if part.lower is None else self.expressions.eval(part.lower)
            stop = base.shape[dim] if part.upper is None else self.expressions.eval(part.upper)
            region.append((start, _extent(start, stop)))
        if len(parts) != base.ndim:
            raise TEError(
                "KC2010",
                f"{base.name} has {base.ndim} dimensions, indexed with {len(parts)}",
                location=at,
                why=f"{base.name} has the shape {tuple(base.shape)}",
            )
        return base, region

    # Blocks --------------------------------------------------------------------------------

    def _regions(self, node: ast.Call) -> list[DeclaredRegion]:
        parts: list[ast.expr] = []
        for arg in node.args:
            parts += arg.elts if isinstance(arg, ast.List | ast.Tuple) else [arg]
        regions: list[DeclaredRegion] = []
        for part in parts:
            at = self.expressions.at(part)
            buffer, region = self.region(part)
            while isinstance(buffer, PartOfBuffer):
                wide = [(start, 1) for start in buffer.starts]
                for dim, (start, extent) in zip(buffer.along, region, strict=True):
                    wide[dim] = (as_expr(buffer.starts[dim]) + start, extent)
                buffer, region = buffer.base, wide
            if isinstance(buffer, ReshapedBuffer):
                buffer, region = buffer.base, [(0, size) for size in buffer.base.shape]
            regions.append(
                DeclaredRegion(
                    at, buffer, [(as_expr(start), as_expr(size)) for start, size in region]
                )
            )
        return regions

    def _of_root(self) -> bool:
        """True outside of all blocks and loops, where the accesses of the whole function are
        known.
        """
        return not self.reader.open_blocks and not self.reader.depth

    def _reads(self, node: ast.Call, name: str, at: Location) -> None:
        del name
        if self._of_root():
            return
        block = self.reader.blocks.current("T.reads", at).stmt
        block.reads = [*(block.reads or []), *self._regions(node)]

    def _writes(self, node: ast.Call, name: str, at: Location) -> None:
        del name
        if self._of_root():
            return
        block = self.reader.blocks.current("T.writes", at).stmt
        block.writes = [*(block.writes or []), *self._regions(node)]

    def _block_attr(self, node: ast.Call, name: str, at: Location) -> None:
        del name
        attributes = self.arguments(node, ("attrs",), at, needed=1)["attrs"]
        if self._of_root():
            return
        block = self.reader.blocks.current("T.block_attr", at).stmt
        block.annotations.update(self.reader.blocks.annotations(attributes, at))

    def _func_attr(self, node: ast.Call, name: str, at: Location) -> None:
        del name
        attributes = self.arguments(node, ("attrs",), at, needed=1)["attrs"]
        if not isinstance(attributes, dict):
            raise refused(
                "func_attr takes a dictionary", "", ('T.func_attr({"global_symbol": "f"})',)
            )
        self.reader.attributes.update(attributes)

    # Threads and attributes ----------------------------------------------------------------

    def _env_thread(self, node: ast.Call, name: str, at: Location) -> EnvThread:
        del name
        return EnvThread(str(self.arguments(node, ("tag",), at, needed=1)["tag"]))

    def _iter_var(self, node: ast.Call, name: str, at: Location) -> EnvThread:
        """``T.iter_var(tx, None, "ThreadIndex", "threadIdx.x")``: threads, for T.attr."""
        del name
        fields = ("v", "dom", "iter_type", "thread_tag")
        first = ast.Constant(None) if node.args else None
        rest = ast.Call(node.func, [*([first] if first else []), *node.args[1:]], node.keywords)
        ast.copy_location(rest, node)
        tag = str(self.arguments(rest, fields, at, needed=3).get("thread_tag") or "")
        return EnvThread(tag)

    def _launch_thread(self, node: ast.Call, name: str, at: Location) -> IterVar | None:
        """``tx = T.launch_thread("threadIdx.x", 32)``: the rest of the statements, in threads."""
        words = self.arguments(node, ("thread", "extent"), at, needed=2)
        thread = words["thread"]
        tag = thread.tag if isinstance(thread, EnvThread) else thread
        extent = integer(words["extent"], "the number of threads", at)
        axis = thread_axis((0, extent) if isinstance(extent, int) else None, tag)
        first = node.args[0] if node.args else None
        axis.name = name or (
            first.id if isinstance(first, ast.Name) else str(tag).replace(".", "_")
        )
        self._open_threads(axis, extent, at)
        if isinstance(first, ast.Name):
            self.reader.rebind(first.id, axis)
        return axis if name else None

    def _open_threads(self, axis: ThreadAxis, extent: Any, at: Location) -> None:
        loop = For(at, axis, extent, [], thread=axis.thread_tag)
        self.reader.body.append(loop)
        self.reader.extents[axis] = extent
        self.reader.body = loop.body

    def _attr(self, node: ast.Call, name: str, at: Location) -> None:
        """``T.attr(node, key, value)``: of the statements that follow."""
        del name
        words = self.arguments(node, ("node", "attr_key", "value"), at, needed=3)
        key, of = str(words["attr_key"]), words["node"]
        if key in ("thread_extent", "virtual_thread") and isinstance(of, EnvThread | str):
            tag = of if isinstance(of, str) else of.tag
            extent = integer(words["value"], "the number of threads", at)
            axis = thread_axis((0, extent) if isinstance(extent, int) else None, tag)
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Call) and first.args:
                first = first.args[0]  # T.iter_var(tx, ...)
            if isinstance(first, ast.Name):
                axis.name = first.id
                self.reader.rebind(first.id, axis)
            self._open_threads(axis, extent, at)
            return
        if key.startswith(_NO_CODE):
            value = words["value"]
            number = value.value if isinstance(value, Const) else value
            with contextlib.suppress(KCError):
                self.reader.pragmas[key] = Annotation.of(number).attr
            return
        raise refused(
            f"attr: {key} of {ast.unparse(node.args[0]) if node.args else 'nothing'}",
            "thread_extent and virtual_thread apply to threads, pragma_... to the next loop",
            ('with T.attr(T.env_thread("threadIdx.x"), "thread_extent", 64):',),
        )

    # Statements ----------------------------------------------------------------------------

    def _evaluate(self, node: ast.Call, name: str, at: Location) -> Any:
        del name
        value = self.arguments(node, ("value",), at, needed=1)["value"]
        if value is None:
            return
        statement = as_statement(value, at)
        if statement is not None:
            self.reader.body.append(statement)
            return
        for part in _parts(value):
            if isinstance(part, ExternCall):
                self.reader.assignments.let_value(value, "value", at)
                return

    def _tvm_storage_sync(self, node: ast.Call, name: str, at: Location) -> None:
        """``T.tvm_storage_sync("shared")``: no statement, because ``thread-sync`` inserts a barrier
        wherever a thread reads a value of another thread.
        """
        del name
        scope = self.arguments(node, ("scope", "dtype"), at, needed=1)["scope"]
        if scope not in ("shared", "shared.dyn", "warp", "local"):
            raise refused(
                f"tvm_storage_sync of {scope!r}",
                "the threads of one block wait for each other; blocks do not",
                ('T.tvm_storage_sync("shared")', "two kernels"),
            )

    def _assume(self, node: ast.Call, name: str, at: Location) -> None:
        """``T.assume(A[i] == 0)``: TVM's assumption becomes a check at run time."""
        del name
        condition = self.arguments(node, ("condition",), at, needed=1)["condition"]
        self.check(condition, f"{ast.unparse(node)} does not hold", at)

    def _prefetch(self, node: ast.Call, name: str, at: Location) -> None:
        """``T.prefetch(A[i : i + 4, 0:8])``, ``T.prefetch(A, [T.Range(0, 4), 0])``."""
        del name
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Subscript) and len(node.args) == 1:
            buffer, region = self.region(first)
            parts = [(as_expr(start), as_expr(size)) for start, size in region]
        else:
            words = self.arguments(node, ("buffer", "bounds"), at, needed=2)
            buffer, parts = words["buffer"], []
            for bound in words["bounds"]:
                start, stop = bound if isinstance(bound, tuple) else (bound, as_expr(bound) + 1)
                parts.append((as_expr(start), as_expr(_extent(start, stop))))
        if not isinstance(buffer, Buffer) or len(parts) != buffer.ndim:
            raise refused(
                f"{ast.unparse(node)} is not a part of a buffer",
                "",
                ("T.prefetch(A[i : i + 4, 0:8])",),
            )
        while isinstance(buffer, PartOfBuffer):
            wide = [(as_expr(start), as_expr(1)) for start in buffer.starts]
            for dim, (start, extent) in zip(buffer.along, parts, strict=True):
                wide[dim] = (as_expr(buffer.starts[dim]) + start, extent)
            buffer, parts = buffer.base, wide
        self.reader.body.append(Prefetch(at, buffer, parts))

    def _realize(self, node: ast.Call, name: str, at: Location) -> None:
        """``with T.realize(A[0:16], "global"):`` of TVM 0.9: a declared buffer has memory."""
        del name
        if not node.args:
            raise _without_buffer(node, at, 'with T.realize(A[0:16], "global"):')
        self.region(node.args[0])

    def _buffer_store(self, node: ast.Call, name: str, at: Location) -> None:
        del name
        words = self.arguments(node, ("buffer", "value", "indices", "predicate"), at, needed=3)
        place = words["indices"]
        indices = tuple(place) if isinstance(place, tuple | list) else (place,)
        self.reader.body.append(store(words["buffer"], indices, words["value"], at))

    def _load(self, node: ast.Call, name: str, at: Location) -> Any:
        """``T.load("float32", A.data, i)``: an element by its number in memory."""
        del name
        words = self.arguments(node, ("dtype", "data", "index", "predicate"), at, needed=3)
        return self._flattened(words["data"], at)[words["index"]]

    def _store(self, node: ast.Call, name: str, at: Location) -> None:
        """``T.store(A.data, i, value)``."""
        del name
        words = self.arguments(node, ("data", "index", "value", "predicate"), at, needed=3)
        place = self._flattened(words["data"], at)
        self.reader.body.append(store(place, words["index"], words["value"], at))

    def _flattened(self, data: Any, at: Location) -> Buffer:
        if not isinstance(data, Buffer) or element_count(data.shape) is None:
            raise refused(
                "load and store by a flat index need a buffer of constant shape",
                "A[i, j] names an element of any buffer",
            )
        base = self.reader.derived_from(data)
        return (
            base
            if base.ndim == 1
            else ReshapedBuffer(base, (element_count(base.shape),), base.name)
        )

    def _Assert(self, node: ast.Call, name: str, at: Location) -> None:
        del name
        words = self.arguments(node, ("condition", "message"), at, needed=1)
        self.check(words["condition"], str(words.get("message", "")), at)

    def check(self, condition: Any, message: str, at: Location) -> None:
        """Check a condition at run time: the call raises an error if the condition is false."""
        if not is_symbolic(condition):
            if not condition:
                raise TEError("KC2120", f"assert does not hold: {message}", location=at)
            return
        self.reader.body.append(assertion(truth(condition), f"{at}: {message}", at))

    def _ret(self, node: ast.Call, name: str, at: Location) -> None:
        """``T.ret(x)``: the value of a function that others call, at its end."""
        del name
        value = self.arguments(node, ("value",), at, needed=1)["value"]
        if self.reader.outer is None or self.reader.depth or self.reader.following:
            inside = self.reader.outer is not None
            raise TEError(
                "KC2114",
                f"{self.reader.source.name} returns " + ("before its end" if inside else "a value"),
                location=at,
                why="a call is replaced by the statements of the function, and its value is that "
                "of the last statement"
                if inside
                else self.reader.results_are,
                hints=[
                    "an if around the statements after it" if inside else self.reader.result_hint
                ],
            )
        self.reader.result = self.reader.assignments.let_value(value, "result", at)

    def _let(self, node: ast.Call, name: str, at: Location) -> Any:
        """``with T.let(x, value):``."""
        del name
        first = node.args[0] if node.args else None
        if not isinstance(first, ast.Name) or len(node.args) != 2:
            raise refused(
                f"{ast.unparse(node)} assigns no variable",
                "",
                ("with T.let(x, A[i] + 1.0):",),
            )
        value = self.reader.assignments.let_value(self.expressions.eval(node.args[1]), first.id, at)
        self.reader.rebind(first.id, value)

    def _LetStmt(self, node: ast.Call, name: str, at: Location) -> Any:
        words = self.arguments(node, ("value", "type_annotation", "var"), at, needed=1)
        value = self.reader.assignments.let_value(words["value"], name or "x", at)
        if isinstance(words.get("var"), Var):
            self.bind(words["var"], value)
        return value

    # Indices -------------------------------------------------------------------------------

    def _indices(
        self, node: ast.Call, name: str, at: Location, make: Callable[..., Any], count: int
    ) -> Any:
        """The names of the results of an operation on indices."""
        values = [as_expr(self.expressions.eval(arg)) for arg in node.args]
        names = self.reader.assignments.targets or [name or "index"]
        results = [make_axis(axis_name, 1, "spatial", at) for axis_name in names]
        if len(results) != count or node.keywords:
            raise TEError(
                "KC2116",
                f"{ast.unparse(node.func)} gives {count} indices, for {len(results)} names",
                location=at,
            )
        self.reader.body.append(IndexStmt(at, make, values, results))
        return results[0] if self.reader.assignments.targets is None else tuple(results)

    def _index_op(self, node: ast.Call, name: str, at: Location) -> Any:
        first = node.args[0] if node.args else None
        operation = first.value if isinstance(first, ast.Constant) else ""
        if not is_raw(str(operation)):
            raise refused(f"{ast.unparse(node)}: no operation has this name")
        rest = ast.copy_location(ast.Call(node.func, node.args[1:], node.keywords), node)

        def make(operands: Sequence[Any]) -> Any:
            return raw_operation(str(operation), operands, INDEX, at)

        return self._indices(rest, name, at, make, 1)

    def _index_min(self, node: ast.Call, name: str, at: Location) -> Any:
        return self._index_extreme("min", "max", node, name, at)

    def _index_max(self, node: ast.Call, name: str, at: Location) -> Any:
        return self._index_extreme("max", "min", node, name, at)

    def _index_extreme(
        self, extreme: ExtremeKind, nested: str, node: ast.Call, name: str, at: Location
    ) -> Any:
        """``T.index_max(T.index_min(n, m), 0)``: one operation, over expressions of indices."""
        groups = [
            part.args
            if isinstance(part, ast.Call)
            and isinstance(part.func, ast.Attribute)
            and part.func.attr == f"index_{nested}"
            else [part]
            for part in node.args
        ]
        if len(groups) < 2 or not all(groups):
            raise refused(f"{ast.unparse(node)}: the {extreme} of at least two indices is needed")
        flat = [part for group in groups for part in group]
        call = ast.copy_location(ast.Call(node.func, flat, node.keywords), node)

        def make(operands: Sequence[Any]) -> Any:
            dims = iter(range(len(flat)))
            exprs = [[AffineExpr.dimension(next(dims)) for _ in group] for group in groups]
            return ApplyOp.of_groups(extreme, exprs, operands)

        return self._indices(call, name, at, make, 1)

    def _delinearize(self, node: ast.Call, name: str, at: Location) -> Any:
        def make(operands: Sequence[Any]) -> Any:
            return DelinearizeOp(operands[0], operands[1:])

        return self._indices(node, name, at, make, len(node.args) - 1)

    def _linearize(self, node: ast.Call, name: str, at: Location) -> Any:
        def make(operands: Sequence[Any]) -> Any:
            half = len(operands) // 2
            return LinearizeOp(operands[:half], operands[half:])

        return self._indices(node, name, at, make, 1)

    def _combine(self, node: ast.Call, name: str, at: Location) -> Any:
        """``T.combine("argmax", (i0, v0), (i1, v1), lambda ...: (...), identity=[...])``."""
        function = node.args[-1] if len(node.args) in (4, 5) else None
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        if not isinstance(function, ast.Lambda) or set(keywords) - {"unsafe"} != {"identity"}:
            raise refused(
                f"{ast.unparse(node.func)} combines two tuples by a lambda",
                "",
                ("i, v = T.combine(name, (i, v), (j, w), lambda a, b, c, d: ..., identity=[...])",),
            )
        label, *groups = (self.expressions.eval(arg) for arg in node.args[:-1])
        lhs, rhs, *more = ([as_expr(value) for value in group] for group in groups)
        captured = [value for group in more for value in group]
        params = [
            Value(arg.arg, value.dtype, at)
            for arg, value in zip(function.args.args, [*lhs, *rhs, *captured], strict=True)
        ]
        with self.reader.inside("a combiner", self.reader.body, at):
            self.reader.scope.names.update({param.name: param for param in params})
            bodies = [as_expr(value) for value in self.expressions.eval(function.body)]
        identity = [as_expr(value) for value in self.expressions.eval(keywords["identity"])]
        unsafe = "unsafe" in keywords and self.expressions.eval(keywords["unsafe"]) is True
        names = self.reader.assignments.targets or [name or "combined"]
        results = [
            Value(result_name, value.dtype, at)
            for result_name, value in zip(names, lhs, strict=True)
        ]
        self.reader.body.append(
            CombineStmt(
                at, str(label), lhs, rhs, captured, params, bodies, identity, results, unsafe
            )
        )
        return tuple(results) if self.reader.assignments.targets is not None else results[0]

    # Pointers ------------------------------------------------------------------------------

    def _address_of(self, node: ast.Call, name: str, at: Location) -> BufferAccess:
        """``T.address_of(A[0, 0])``: the buffer as an argument of a call."""
        del name
        target = self.arguments(node, ("element", "dtype"), at, needed=1)["element"]
        element = as_expr(target) if not isinstance(target, Tensor | TensorSlice) else target
        if isinstance(element, Element) and isinstance(element.tensor, Buffer):
            return address_of(element)
        raise refused(
            "address_of: the argument must be an element of a buffer",
            "",
            ("T.address_of(A[0, 0])",),
        )

    # with ----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def statements_of(self, node: ast.With, at: Location) -> Iterator[None]:
        """Open ``with T.launch_thread(...) as tx:``, around the statements of its body."""
        with self.reader.inside(f"the with in line {at.line}", self.reader.body, at):
            for item in node.items:
                call, target = item.context_expr, item.optional_vars
                assert isinstance(call, ast.Call)
                word = self.expressions.eval(call.func)
                name = target.id if isinstance(target, ast.Name) else ""
                if not isinstance(word, Word) or word.name not in _WITH:
                    raise refuse(f"with {ast.unparse(call)}", at, 'with T.block("C"):')
                value = self.reader.blocks.call_word(word, call, name)
                if name:
                    self.reader.scope.names[name] = value
            yield


def _without_buffer(node: ast.Call, at: Location, example: str) -> TEError:
    return TEError(
        "KC2116",
        f"{ast.unparse(node)} names no buffer",
        location=at,
        why="the first argument must be a buffer, or a part of a buffer",
        hints=[example],
    )


_WITH = (
    "launch_thread", "attr", "let", "LetStmt", "Assert", "alloc_buffer", "allocate",
    "allocate_const", "decl_buffer", "realize",
)  # fmt: skip


def _parts(value: Any) -> Sequence[Expr]:
    from kc.expr.constructors import walk

    return list(walk(value)) if isinstance(value, Expr) else []


def _flat(data: Any) -> list[Any]:
    if hasattr(data, "tolist"):
        data = data.tolist()
    if not isinstance(data, list | tuple):
        return [data]
    return [value for part in data for value in _flat(part)]


def _extent(start: Any, stop: Any) -> Any:
    from kc.expr.indices import difference

    if isinstance(start, int) and isinstance(stop, int):
        return stop - start
    if isinstance(start, int) and start == 0:
        return stop
    exact = difference(as_expr(stop), as_expr(start))
    return exact if exact is not None else as_expr(stop) - start
