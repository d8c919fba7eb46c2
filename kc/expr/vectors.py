"""Vectors in statements: consecutive elements of buffers, their lanes and their bits.

``B.vload([0, 0], "int8x16")`` is a vector, whose operators work lane by lane, and ``C.vstore(0,
v)`` a statement. Names and arguments are TVM's. A vector may continue in the next rows of a buffer.
It is then loaded row by row, so that rows may be at any distance (in TVM they must be contiguous).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kc.expr.constructors import (
    Call,
    Const,
    Element,
    Expr,
    ExprLike,
    ExternCall,
    Ramp,
    Shuffle,
    VectorLoad,
    as_expr,
    binary,
    const,
    walk,
)
from kc.expr.dtypes import bits, check_dtype, is_bool, lanes, scalar, total_bits, with_lanes
from kc.support.diagnostics import Location, TEError
from kc.support.locations import caller_location

if TYPE_CHECKING:
    from kc.expr.buffers import Buffer


@dataclass(frozen=True)
class Row:
    """The part of a vector that lies in one row of its buffer: from ``element`` on."""

    element: Element
    lanes: int


def place(buffer: Buffer, begin: Any, dtype: str, what: str) -> Element | VectorLoad:
    """The elements of ``buffer`` from ``begin`` on that form a value of ``dtype``: the operand of a
    load or a store. A scalar dtype gives the element.

    Raises KC2010 for a wrong number of indices, KC2215 for another element type, KC2216 for
    elements that are not consecutive.
    """
    location = caller_location()
    element = buffer.element(begin if isinstance(begin, list | tuple) else [begin])
    dtype = check_dtype(dtype, vectors=True)
    if scalar(dtype) != buffer.dtype:
        raise TEError(
            "KC2215",
            f"{what}: {dtype} of {buffer.name}, whose elements are {buffer.dtype}",
            location=location,
            why="the lanes of a vector must have the element type of the buffer",
            hints=[_of_its_elements(buffer, dtype)],
        )
    if lanes(dtype) == 1:
        return element
    load = VectorLoad(element, dtype, location)
    strides = buffer.declared_strides
    if strides is not None and strides[-1] != 1:
        raise TEError(
            "KC2216",
            f"{what}: {dtype} of {buffer.name}, whose neighbours are {strides[-1]} elements apart",
            location=location,
            why="the elements of a vector must be adjacent in memory",
            hints=[f"declare {buffer.name} with the stride 1 along its last dimension"],
        )
    rows_of(load, what)
    return load


def _of_its_elements(buffer: Buffer, dtype: str) -> str:
    """A hint for a legal load instead of ``dtype``: the same bits as elements of ``buffer``."""
    count, rest = divmod(total_bits(dtype), bits(buffer.dtype))
    if rest or not count or is_bool(buffer.dtype) or is_bool(dtype):
        return f'{buffer.name}.vload(..., "{with_lanes(buffer.dtype, lanes(dtype))}")'
    loaded = f'{buffer.name}.vload(..., "{with_lanes(buffer.dtype, count)}")'
    return f'tir.reinterpret("{dtype}", {loaded})'


def rows_of(load: VectorLoad, what: str = "vload") -> list[Row]:
    """The rows of a vector: a part of one row, or several whole rows. Raises KC2216 for other
    vectors.
    """
    element, count = load.element, lanes(load.dtype)
    shape, indices = element.tensor.shape, element.indices
    row = shape[-1]
    if not isinstance(row, int) or count <= row or len(shape) == 1:
        return [Row(element, count)]
    starts = isinstance(indices[-1], Const) and indices[-1].value == 0
    if not starts or count % row:
        at = ", ".join(map(str, indices))
        raise TEError(
            "KC2216",
            f"{what}: {count} elements of {element.tensor.name} from [{at}] on, in rows of {row}",
            location=load.location,
            why="a vector that spans rows must consist of whole rows",
            hints=[
                f'"{scalar(load.dtype)}x{row}"'
                if row > 1
                else f"a buffer with more than {row} element in a row",
                f"a multiple of {row} elements, from the start of a row on",
            ],
        )
    return [
        Row(Element(element.tensor, at, element.dtype, element.location), row)
        for at in _row_starts(shape, indices, count // row)
    ]


def _row_starts(
    shape: Sequence[Any], indices: Sequence[Expr], count: int
) -> list[tuple[Expr, ...]]:
    """The first elements of ``count`` rows; the first row starts at ``indices``."""
    outer = [index.value if isinstance(index, Const) else None for index in indices[:-1]]
    sizes = shape[:-1]
    # Where the first indices are constants, rows go on in the next plane.
    level = len(outer)
    while level and outer[level - 1] is not None and isinstance(sizes[level - 1], int):
        level -= 1
    if level >= len(outer) - 1:  # at most one index counts the rows
        return [(*indices[:-2], _plus(indices[-2], n), indices[-1]) for n in range(count)]
    position = 0
    for size, index in zip(sizes[level:], outer[level:], strict=True):
        position = position * size + int(index or 0)
    starts = []
    for n in range(position, position + count):
        at: list[Expr] = []
        for size in reversed(sizes[level + 1 :]):
            n, index = divmod(n, size)
            at.append(const(index))
        # An index that exceeds the first dimension is out of bounds, which its access reports.
        starts.append((*indices[:level], const(n), *reversed(at), indices[-1]))
    return starts


def _plus(index: Expr, n: int) -> Expr:
    if isinstance(index, Const):
        return const(int(index.value) + n)
    return binary("add", index, const(n, index.dtype)) if n else index


def ramp_of(buffer: Buffer, indices: Sequence[Any]) -> Expr | None:
    """The vector of ``buffer[..., tir.Ramp(i, 1, 8)]``. None if the last index is no ramp. Raises
    KC2216 for a stride other than 1.
    """
    last = indices[-1] if indices else None
    if not isinstance(last, Ramp):
        return None
    if not isinstance(last.stride, Const) or last.stride.value != 1:
        raise TEError(
            "KC2216",
            f"{buffer.name} is indexed with a ramp of steps of {last.stride}",
            location=caller_location(),
            why="the elements of a vector must be adjacent in memory",
            hints=["tir.Ramp(i, 1, lanes)"],
        )
    dtype = f"{buffer.dtype}x{lanes(last.dtype)}"
    return place(buffer, [*indices[:-1], last.base], dtype, "a load")


def vectorlow(dtype: str, vec: ExprLike) -> Expr:
    """The first half of the lanes of a vector. TVM: the intrinsic ``tir.vectorlow``."""
    return _half("vectorlow", dtype, vec, 0)


def vectorhigh(dtype: str, vec: ExprLike) -> Expr:
    """The second half of the lanes of a vector. TVM: the intrinsic ``tir.vectorhigh``."""
    return _half("vectorhigh", dtype, vec, 1)


def _half(what: str, dtype: str, vec: ExprLike, half: int) -> Expr:
    value = as_expr(vec)
    count = lanes(value.dtype)
    size = count // 2
    _require(what, dtype, f"{scalar(value.dtype)}x{size}", count % 2 == 0 and count > 2, [value])
    return Shuffle(
        (value,), tuple(range(half * size, half * size + size)), dtype, caller_location()
    )


def vectorcombine(dtype: str, vec1: ExprLike, vec2: ExprLike) -> Expr:
    """The concatenated lanes of two vectors of the same type. TVM: ``tir.vectorcombine``."""
    a, b = as_expr(vec1), as_expr(vec2)
    count = 2 * lanes(a.dtype)
    good = lanes(a.dtype) > 1 and a.dtype == b.dtype
    _require("vectorcombine", dtype, f"{scalar(a.dtype)}x{count}", good, [a, b])
    return Shuffle((a, b), tuple(range(count)), dtype, caller_location())


def _require(what: str, dtype: str, result_type: str, good: bool, values: Sequence[Expr]) -> None:
    if good and check_dtype(dtype, vectors=True) == result_type:
        return
    raise TEError(
        "KC2219",
        f"{what}: {dtype} of {' and '.join(value.dtype for value in values)}",
        location=caller_location(),
        why="both vectors must have the same type; the result has twice the lanes"
        if what == "vectorcombine"
        else "a vector needs 4 lanes or more to have two halves",
        hints=[f'tir.{what}("{result_type}", ...)'] if good else (),
    )


def refuse_whole_vectors(bodies: Sequence[Expr], what: str, location: Location | None) -> None:
    """Refuse (KC2217) operations on vectors as a whole in a compute."""
    for expr in walk(*bodies):
        operation = _of_whole_vectors(expr)
        if operation is None:
            continue
        raise TEError(
            "KC2217",
            f"{operation} in {what}",
            location=expr.location or location,
            why="a compute defines its elements lane by lane; operations on whole vectors are "
            "for statements",
            hints=[
                "te.extern, te.decl_tensor_intrin and tir.ir_builder take statements",
                "s[...].vectorize(AXIS) computes elements in vectors",
            ],
        )


def _of_whole_vectors(expr: Expr) -> str | None:
    """A description of the operation of ``expr`` on whole vectors, for a diagnostic. None if
    ``expr`` computes each lane from the same lane of its operands.
    """
    if isinstance(expr, VectorLoad):
        return f"a vload of {expr.element.tensor.name}"
    if isinstance(expr, Shuffle):
        names = " and ".join(part.dtype for part in expr.args)
        return f"the lanes {', '.join(map(str, expr.lanes))} of {names}"
    parts = [part for part in getattr(expr, "args", ()) if isinstance(part, Expr)]
    if isinstance(expr, Call) and any(lanes(part.dtype) != lanes(expr.dtype) for part in parts):
        return f"{expr.op} of {', '.join(part.dtype for part in parts)} as {expr.dtype}"
    if isinstance(expr, ExternCall) and any(lanes(part.dtype) > 1 for part in (expr, *parts)):
        return f"a call of {expr.name} on vectors"
    return None
