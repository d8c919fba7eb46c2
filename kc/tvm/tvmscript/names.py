"""The names of TVMScript: the words after ``T.`` in the language of TVM 0.9 to 0.18.

Loops, blocks and axes are the words of :mod:`kc.tir.script.names`; functions of scalars are those
of ``kc.tir``, with the ``dtype=`` of TVM 0.9; :mod:`kc.tvm.tvmscript.words` reads the other words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kc import tir
from kc.expr.buffers import Buffer
from kc.expr.calls import DEFAULT_TRACE
from kc.expr.constructors import (
    Call,
    Const,
    Expr,
    ExternCall,
    Shuffle,
    Var,
    as_expr,
    binary,
    cast,
    compare,
    const,
)
from kc.expr.dtypes import DTYPES, MAX_LANES, check_dtype, lanes, scalar, with_lanes
from kc.expr.raw_operations import is_raw
from kc.expr.rewrite import Substitution
from kc.expr.tensor import var
from kc.support.diagnostics import TEError, UnknownName, nearest, suggest
from kc.support.locations import caller_location
from kc.support.target import Target
from kc.tir.script import names
from kc.tir.script.names import Word
from kc.tvm.nodes.expression_classes import Cast
from kc.tvm.tvmscript.missing_words import MISSING


@dataclass(frozen=True)
class BufferType:
    """The annotation of a parameter: a buffer of a shape, whose name is the parameter's."""

    shape: Any
    dtype: Any = "float32"
    options: dict[str, Any] = field(default_factory=dict)


class BufferWord(Word):
    """``T.Buffer((n, 64), "float32")``, and ``T.Buffer[(n, 64), "float32"]`` of TVM 0.9."""

    def __call__(self, shape: Any, dtype: Any = "float32", **options: Any) -> BufferType:
        return BufferType(shape, dtype, options)

    def __getitem__(self, item: Any) -> BufferType:
        pair = isinstance(item, tuple) and len(item) == 2 and _is_type(item[1])
        return BufferType(*item) if pair else BufferType(item)


def _is_type(value: Any) -> bool:
    return isinstance(value, str | TypeWord)


class TypeWord(Word):
    """A type: ``T.int32`` as an annotation, ``T.int32(x)`` a conversion, ``T.int32()`` a size."""

    def __call__(self, value: Any = None, *rest: Any, name: str = "") -> Any:
        """``value`` as a number of the type; without one, a variable.

        Text names the numbers that have no literal: "inf", "-inf", "nan".
        """
        if self.name == "handle":
            return HandleType(value)
        if value is None:
            return var(name or "v", self.name)
        if isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                raise TEError(
                    "KC2003",
                    f"T.{self.name} of the text '{value}'",
                    location=caller_location(),
                    why="text is accepted only for a number without a literal",
                    hints=['T.float32("inf"), T.float32("-inf"), T.float32("nan")'],
                ) from None
        if isinstance(value, bool | int | float) and not (
            self.name == "bool" and value not in (0, 1)
        ):
            return const(bool(value) if self.name == "bool" else value, self.name)
        return cast(as_expr(value), self.name)


@dataclass(frozen=True)
class HandleType:
    """``T.handle("float32")``: a pointer, to elements of a type."""

    pointee: Any = None


class PointerWord(Word):
    """``T.Ptr[T.float32]`` of TVM 0.9, ``T.Ptr("float32", "global")``: as ``T.handle``."""

    def __call__(self, dtype: Any, scope: str = "") -> HandleType:
        del scope
        return HandleType(dtype)

    def __getitem__(self, dtype: Any) -> HandleType:
        return HandleType(dtype)


def unknown_word(name: str) -> AttributeError:
    """The error for ``T.name`` that does not exist."""
    near = suggest(name, nearest(name, [*NAMES, "prim_func", "macro"]))
    return UnknownName(f"TVMScript has no T.{name}" + (f"; {near[0]}" if near else ""))


def _typed(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` with an optional ``dtype`` for the type of the result, as in TVM 0.9."""

    def call(*args: Any, dtype: Any = None) -> Any:
        result = as_expr(function(*args))
        if dtype is None or result.dtype == check_dtype(dtype_name(dtype), vectors=True):
            return result
        return cast(result, dtype_name(dtype))

    call.__name__ = getattr(function, "__name__", "call")
    return call


def dtype_name(dtype: Any) -> Any:
    """The name of a type written as text or as ``T.int32``."""
    return dtype.name if isinstance(dtype, TypeWord) else dtype


def _of_two(op: str, make: Callable[[str, Any, Any], Expr] = binary) -> Callable[..., Any]:
    def call(a: Any, b: Any, span: Any = None) -> Any:
        del span
        return make(op, a, b)

    call.__name__ = op
    return call


def _cast(value: Any, dtype: Any) -> Expr:
    if _is_type(value) and not _is_type(dtype):  # T.Cast("int32", x)
        value, dtype = dtype, value
    return Cast(dtype_name(dtype), value)


def _reinterpret(*args: Any, dtype: Any = None) -> Expr:
    values = [arg for arg in args if not _is_type(arg)]
    named = [arg for arg in args if _is_type(arg)] if dtype is None else [dtype]
    return tir.reinterpret(dtype_name(named[0]), values[0])


def _call(function: Callable[..., Expr]) -> Callable[..., Expr]:
    """A call whose type is the first argument or, as in TVM 0.9, ``dtype=``."""

    def call(*args: Any, dtype: Any = None) -> Expr:
        arguments = args if dtype is None else (dtype, *args)
        return function(dtype_name(arguments[0]), *arguments[1:])

    call.__name__ = function.__name__
    return call


def _call_packed(name: str, *args: Any, dtype: Any = "int32") -> ExternCall:
    return tir.call_packed(name, *args, dtype=dtype_name(dtype))


def _bound(function: Callable[[str], Any]) -> Callable[[Any], Any]:
    def call(dtype: Any) -> Any:
        return function(dtype_name(dtype))

    call.__name__ = function.__name__
    return call


def _scalar_op(name: str, *args: Any, dtype: Any, operands: str = "") -> Expr:
    """``T.scalar_op("arith.divsi", a, b, dtype="int32")``: an operation of the IR itself."""
    if not is_raw(name):
        raise refused(
            f"scalar_op: {name} is not an operation on numbers",
            "the operation must be one of arith or math",
        )
    result_dtype = check_dtype(dtype_name(dtype), vectors=True)
    prefix = "ir_index" if operands == "index" else "ir"
    values = tuple(as_expr(arg) for arg in args)
    return Call(f"{prefix}.{name}", values, result_dtype, caller_location())


def _value(value: Any) -> Expr:
    """``T.value(x + 1)``: a number that is computed as it is written, for an index too."""
    expr = as_expr(value)
    return Call("ir.value", (expr,), expr.dtype, caller_location())


def _access_ptr(ptr_type: Any, data: Any, offset: Any, extent: Any, rw_mask: Any, **_: Any) -> Any:
    """``T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 16, 1)``: ``access_ptr`` of the
    buffer.
    """
    del ptr_type, extent
    if not isinstance(data, Buffer):
        raise refused(
            "tvm_access_ptr: the argument is not a buffer", "", ('A.access_ptr("r", offset=0)',)
        )
    mask = int(rw_mask.value) if isinstance(rw_mask, Const) else rw_mask
    return data.access_ptr(mask, offset=offset)


def _type_annotation(dtype: Any) -> Any:
    return dtype_name(dtype)


def _shuffle(vectors: Any, indices: Any) -> Expr:
    """``T.Shuffle([a, b], [0, 4, 1, 5])``: lanes of one or two vectors."""
    parts = tuple(as_expr(value) for value in vectors)
    chosen = tuple(int(index.value if isinstance(index, Const) else index) for index in indices)
    count = sum(lanes(value.dtype) for value in parts)
    if not 1 <= len(parts) <= 2 or any(not 0 <= index < count for index in chosen):
        raise refused(
            f"Shuffle of {len(parts)} vectors by {list(chosen)}",
            f"it selects lanes of one or two vectors, here from 0 to {count - 1}",
        )
    dtype = with_lanes(scalar(parts[0].dtype), len(chosen))
    return Shuffle(parts, chosen, dtype, caller_location())


def _let(body: Any, where: Mapping[Var, Any]) -> Expr:
    """``T.Let(x + 1, where={x: A[i]})``: an expression with values for its variables."""
    values = {name: cast(as_expr(value), name.dtype) for name, value in where.items()}
    return Substitution(values)(as_expr(body))


def _undef(*, dtype: Any = None) -> Expr:
    """``T.undef(dtype="float32")``: any value; here 0."""
    return const(0, dtype_name("float32" if dtype is None else dtype))


def _dp4a(a: Any, b: Any, c: Any = 0, dtype: Any = None) -> Expr:
    """``T.dp4a(a, b, c)``: ``c`` and the products of four lanes of 8 bits."""
    del dtype
    total = as_expr(c)
    for lane in range(4):
        x, y = (cast(_shuffle([vector], [lane]), total.dtype) for vector in (a, b))
        total = binary("add", total, binary("mul", x, y))
    return total


def _large_uint_imm(dtype: Any, low: int, high: int) -> Expr:
    return const((int(high) << 32) | int(low), dtype_name(dtype))


def _imm(dtype: Any, value: Any) -> Expr:
    return const(value, dtype_name(dtype))


def _same(value: Any, **_: Any) -> Any:
    """``T.tvm_thread_invariant(x)``: ``x``."""
    return value


def _truth(value: Any) -> Any:
    return ~as_expr(value)


def _range(start: Any, stop: Any = None) -> Any:
    return (0, start) if stop is None else (start, stop)


def _trace(args: Any, action: str = DEFAULT_TRACE, **_: Any) -> Any:
    return tir.trace(args, action)


_FUNCTIONS = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_not",
    "bitwise_or", "bitwise_xor", "ceil", "ceildiv", "clz", "copysign", "cos", "cosh", "div", "erf",
    "exp", "exp10", "exp2", "expm1", "floor", "floordiv", "floormod", "fmod", "hypot",
    "if_then_else", "indexdiv", "indexmod", "isfinite", "isinf", "isnan", "ldexp", "likely", "log",
    "log10", "log1p", "log2", "multiply", "nearbyint", "nextafter", "popcount", "pow", "power",
    "q_multiply_shift", "round", "rsqrt", "shift_left", "shift_right", "sigmoid", "sin", "sinh",
    "sqrt", "tan", "tanh", "trunc", "truncdiv", "truncmod",
)  # fmt: skip

_WORDS = (
    "Assert", "LetStmt", "allocate_const", "attr", "block_attr", "decl_buffer", "env_thread",
    "evaluate", "func_attr", "launch_thread", "let", "match_buffer", "preflattened_buffer", "reads",
    "writes", "address_of", "buffer_store", "load", "store", "index_op", "index_min", "index_max",
    "delinearize", "linearize", "combine", "ret",
    "tvm_storage_sync", "assume", "prefetch", "realize", "iter_var",
)  # fmt: skip


def _word(name: str) -> Word:
    return Word(name, "tvmscript")


NAMES: dict[str, Any] = {
    **MISSING,
    **{name: _typed(getattr(tir, name)) for name in _FUNCTIONS},
    **{name: _word(name) for name in _WORDS},
    **{dtype: TypeWord(dtype, "tvmscript") for dtype in DTYPES},
    **{
        f"{dtype}x{count}": TypeWord(f"{dtype}x{count}", "tvmscript")
        for dtype in DTYPES
        for count in (2, 4, 8, 16, 32, 64)
        if count <= MAX_LANES
    },
    "boolean": TypeWord("bool", "tvmscript"),
    "handle": TypeWord("handle", "tvmscript"),
    "void": TypeWord("void", "tvmscript"),
    "e4m3_float8": TypeWord("float8_e4m3fn", "tvmscript"),
    "e5m2_float8": TypeWord("float8_e5m2", "tvmscript"),
    "Ptr": PointerWord("Ptr", "tvmscript"),
    "ptr": PointerWord("ptr", "tvmscript"),
    "buffer_var": PointerWord("buffer_var", "tvmscript"),
    "Buffer": BufferWord("Buffer", "tvmscript"),
    "var": _word("var"),
    "Var": _word("var"),
    "SizeVar": _word("var"),
    "buffer_decl": _word("decl_buffer"),
    "allocate": _word("allocate"),
    "alloc_buffer": _word("alloc_buffer"),
    "sblock_alloc_buffer": _word("alloc_buffer"),
    "sblock_attr": _word("block_attr"),
    "tvm_call_packed": _call_packed,
    "call_packed": _call_packed,
    "call_cpacked": _call_packed,
    "call_extern": _call(tir.call_extern),
    "call_pure_extern": _call(tir.call_pure_extern),
    "call_intrin": _call(tir.call_intrin),
    "call_llvm_intrin": _call(tir.call_llvm_intrin),
    "call_llvm_pure_intrin": _call(tir.call_llvm_pure_intrin),
    "fabs": _typed(tir.abs),
    "undef": _undef,
    "dp4a": _dp4a,
    "IntImm": _imm,
    "FloatImm": _imm,
    "StringImm": _same,
    "large_uint_imm": _large_uint_imm,
    "tvm_thread_invariant": _same,
    "isnullptr": tir.isnullptr,
    "logical_and": _of_two("and"),
    "logical_or": _of_two("or"),
    "logical_not": _truth,
    "Cast": _cast,
    "cast": _cast,
    "reinterpret": _reinterpret,
    "Let": _let,
    "Select": tir.Select,
    "Ramp": tir.Ramp,
    "ramp": tir.Ramp,
    "Broadcast": tir.Broadcast,
    "broadcast": tir.Broadcast,
    "Shuffle": _shuffle,
    "tvm_access_ptr": _access_ptr,
    "type_annotation": _type_annotation,
    "target": Target,
    "vectorlow": tir.vectorlow,
    "vectorhigh": tir.vectorhigh,
    "vectorcombine": tir.vectorcombine,
    "all": tir.all,
    "any": tir.any,
    "comm_reducer": tir.comm_reducer,
    "trace": _trace,
    "min_value": _bound(tir.min_value),
    "max_value": _bound(tir.max_value),
    "infinity": _bound(tir.infinity),
    "min": _of_two("min"),
    "max": _of_two("max"),
    "Range": _range,
    "scalar_op": _scalar_op,
    "value": _value,
    "Add": _of_two("add"),
    "Sub": _of_two("sub"),
    "Mul": _of_two("mul"),
    "Div": _of_two("Div", lambda _, a, b: tir.Div(a, b)),
    "Mod": _of_two("truncmod"),
    "FloorDiv": _of_two("floordiv"),
    "FloorMod": _of_two("floormod"),
    "Min": _of_two("min"),
    "Max": _of_two("max"),
    "And": _of_two("and"),
    "Or": _of_two("or"),
    "Not": _truth,
    **{name.upper(): _of_two(name, compare) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "axis": names.axis,
    "block": names.block,
    "sblock": names.block,
    "init": names.init,
    "where": names.where,
    "grid": names.grid,
    "serial": names.serial,
    "parallel": names.parallel,
    "vectorized": names.vectorized,
    "unroll": names.unroll,
    "thread_binding": names.thread_binding,
}
"""The names after ``T.``, and their meanings."""


def refused(title: str, why: str = "", hints: tuple[str, ...] = ()) -> TEError:
    """The diagnostic for an invalid use of a word of TVMScript (KC2129)."""
    return TEError("KC2129", title, location=caller_location(), why=why, hints=hints)
