"""Buffers that are parts of another buffer, or its memory in another shape.

An access to such a buffer is an access to its base, so that analyses see one memory. The IR has a
``tir.view`` of a part only where opaque code receives the part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import MemRefType, StridedLayoutAttr
from xdsl.ir.affine import AffineMap

from kc.dialects.tir import ViewOp
from kc.dialects.tir.views import strides_of
from kc.expr.buffers import Buffer
from kc.expr.constructors import BufferAccess, Const, Element, Expr, Ramp, as_expr, binary
from kc.expr.indices import difference
from kc.expr.slices import check_indices
from kc.expr.tensor import Tensor
from kc.support.diagnostics import TEError, counted
from kc.support.locations import caller_location
from kc.tir.stmt import Stmt

if TYPE_CHECKING:
    from kc.tir.emit import Emitter


class DerivedBuffer(Buffer):
    """A buffer whose elements are elements of ``base``."""

    base: Buffer

    def place_of(self, indices: Sequence[Any]) -> tuple[Any, ...]:
        """The indices in ``base`` of the element at ``indices``."""
        raise NotImplementedError

    def __call__(self, *indices: Any) -> Expr:
        check_indices(self, indices)
        if len(indices) != self.ndim:
            return Tensor.__call__(self, *indices)  # raises the refusal
        return self.base(*self.place_of(indices))

    def element(self, indices: Sequence[Any]) -> Element:
        """See :meth:`kc.expr.buffers.Buffer.element`."""
        check_indices(self, indices)
        element = self(*indices)
        assert isinstance(element, Element)
        return element


class PartOfBuffer(DerivedBuffer):
    """The box of ``base`` from ``starts`` on along the dimensions ``along``."""

    def __init__(
        self,
        base: Buffer,
        starts: Sequence[Any],
        along: Sequence[int],
        shape: Sequence[Any],
        name: str,
    ) -> None:
        super().__init__(tuple(shape), base.dtype, name, base.scope())
        self.base = base
        self.starts = tuple(starts)
        self.along = tuple(along)
        self.memory: PartMemory | None = None
        """The memory that calls receive; None until a call takes the part."""
        self.is_offset_used = False
        """True if the program uses the offset of the part."""

    def place_of(self, indices: Sequence[Any]) -> tuple[Any, ...]:
        """The indices in ``base`` of the element at ``indices``."""
        place = list(self.starts)
        for dim, index in zip(self.along, indices, strict=True):
            place[dim] = _shifted(index, place[dim])
        return tuple(place)

    @property
    def strides(self) -> tuple[Any, ...]:
        """The distance of neighbours along each dimension, in elements."""
        strides = self.base.strides
        return tuple(strides[dim] for dim in self.along)

    @property
    def elem_offset(self) -> Any:
        """The offset of the first element in the memory of ``base``, in elements."""
        self.is_offset_used = True
        offset = self.base.elem_offset
        for start, stride in zip(self.starts, self.base.strides, strict=True):
            offset = _sum(offset, _product(start, stride))
        return offset

    def access_ptr(
        self,
        access_mask: str | int,
        ptr_type: str = "handle",
        content_lanes: int = 1,
        offset: Any = 0,
        extent: Any = None,
    ) -> BufferAccess:
        """See :meth:`kc.expr.buffers.Buffer.access_ptr`."""
        del extent
        # Neighbouring elements of a part may be any distance apart, so an offset is computed from
        # indices.
        whole = isinstance(offset, int | list | tuple) or _number(offset) == 0
        lanes = content_lanes if whole and not (isinstance(offset, int) and offset) else 0
        return self.pointed.access_ptr(access_mask, ptr_type, lanes, offset)

    @property
    def data(self) -> Buffer:
        """The part as an argument of a call."""
        return self.pointed

    @property
    def pointed(self) -> Buffer:
        """The buffer that calls receive: a view of this part."""
        if self.memory is None:
            self.memory = PartMemory(self)
        return self.memory


class PartMemory(Buffer):
    """The memory of a part of a buffer, as an argument of calls."""

    def __init__(self, part: PartOfBuffer) -> None:
        super().__init__(part.shape, part.dtype, part.name, part.scope())
        self.part = part

    def array(self, mode: str) -> BufferAccess:
        """The part as an argument of a packed function. KC2130 for one of a symbolic size."""
        if element_count(self.shape) is None:
            name, base = self.name, self.part.base.name
            raise TEError(
                "KC2130",
                f"match_buffer: {name} of shape {_shape(self.shape)} is passed to a packed "
                "function",
                location=caller_location(),
                why="a part of a buffer can be passed as an array only if its shape is constant",
                hints=[
                    f"{name} = T.match_buffer({base}[i * 16 : i * 16 + 16], (16,))",
                    f'T.call_extern("int32", "f", {name}.access_ptr("rw"))',
                ],
            )
        return BufferAccess(self, mode, ())

    def pointer(self, mode: str) -> BufferAccess:
        """The argument for ``P.data`` in a call of a C function: the first element of the part. If
        the program also uses ``P.elem_offset``, which counts from the start of the whole buffer, it
        is the first element of the whole.
        """
        if not self.part.is_offset_used:
            return self.pointer_to(BufferAccess(self, mode, ()))
        return _whole(self.part.base, ())

    def pointer_to(self, access: BufferAccess) -> BufferAccess:
        """An address as an argument of a C function. A part whose element count is not constant is
        passed as the whole buffer.
        """
        if element_count(self.shape) is not None:
            return access
        return _whole(self.part, access.starts or (as_expr(0),) * self.ndim)


def _whole(buffer: Buffer, starts: Sequence[Any]) -> BufferAccess:
    """The memory of the root buffer of ``buffer``, from the element at ``starts`` on."""
    while isinstance(buffer, DerivedBuffer):
        starts = buffer.place_of(starts) if starts else ()
        buffer = buffer.base
    return BufferAccess(buffer, "update", tuple(map(as_expr, starts)))


class ReshapedBuffer(DerivedBuffer):
    """The memory of ``base``, which is dense, in another shape: ``A_flat[i * 64 + j]``."""

    def __init__(self, base: Buffer, shape: Any, name: str) -> None:
        super().__init__(shape, base.dtype, name, base.scope())
        self.base = base

    def place_of(self, indices: Sequence[Any]) -> tuple[Any, ...]:
        """The indices in ``base`` of the element at ``indices``."""
        if len(self.shape) == len(self.base.shape) and all(
            isinstance(mine, int) and mine == theirs
            for mine, theirs in zip(self.shape, self.base.shape, strict=True)
        ):
            return tuple(indices)
        flat: Any = 0
        for index, size in zip(indices, self.shape, strict=True):
            flat = _sum(_product(flat, size), index)
        if self.base.ndim == 1:
            return (flat,)
        if isinstance(flat, Ramp):
            return self._row_of(flat)
        place: list[Any] = []
        for n, size in enumerate(self.base.shape):
            inner = math.prod(self.base.shape[n + 1 :])
            index = flat if isinstance(inner, int) and inner == 1 else as_expr(flat) // inner
            place.append(as_expr(index) % size if n else index)
        return tuple(place)

    def _row_of(self, flat: Ramp) -> tuple[Any, ...]:
        """The indices in ``base`` of the vector at the flat indices ``flat``. All lanes lie in the
        row of the first lane.
        """
        *outer, first = self.place_of_start(flat.base)
        return (*outer, Ramp(as_expr(first), flat.stride, flat.dtype, flat.location))

    def place_of_start(self, start: Expr) -> tuple[Any, ...]:
        """The indices in ``base`` of an element by its number."""
        return ReshapedBuffer(self.base, (math.prod(self.shape),), self.name).place_of((start,))

    def access_ptr(
        self,
        access_mask: str | int,
        ptr_type: str = "handle",
        content_lanes: int = 1,
        offset: Any = 0,
        extent: Any = None,
    ) -> BufferAccess:
        """See :meth:`kc.expr.buffers.Buffer.access_ptr`."""
        return self.base.access_ptr(access_mask, ptr_type, content_lanes, offset, extent)

    @property
    def data(self) -> Buffer:
        """The memory."""
        return self.base.data


def _shifted(index: Any, start: Any) -> Any:
    if isinstance(index, Ramp):
        return Ramp(as_expr(_sum(start, index.base)), index.stride, index.dtype, index.location)
    return _sum(start, index)


def _number(value: Any) -> int | None:
    plain = value.value if isinstance(value, Const) else value
    return int(plain) if isinstance(plain, int) else None


def _sum(a: Any, b: Any) -> Any:
    if isinstance(b, Ramp):
        return _shifted(b, a)
    x, y = _number(a), _number(b)
    if x is not None and y is not None:
        return x + y
    return b if x == 0 else a if y == 0 else binary("add", a, b)


def _product(a: Any, b: Any) -> Any:
    x, y = _number(a), _number(b)
    if x is not None and y is not None:
        return x * y
    if 0 in (x, y):
        return 0
    return b if x == 1 else a if y == 1 else binary("mul", a, b)


def part_of(base: Any, region: Sequence[tuple[Any, Any]], shape: Any, name: str) -> PartOfBuffer:
    """The buffer of ``shape`` that is the box ``region`` of ``base``, one (start, extent) for each
    dimension. Raises KC2130 if the box has another shape.
    """
    location = caller_location()
    if isinstance(base, PartOfBuffer):
        # A part of a part is a part of the whole buffer.
        starts = list(base.starts)
        sizes: list[Any] = [1] * len(starts)
        for dim, (start, extent) in zip(base.along, region, strict=True):
            starts[dim] = _sum(starts[dim], start)
            sizes[dim] = extent
        return part_of(base.base, list(zip(starts, sizes, strict=True)), shape, name)
    extents = [_size(extent) for _, extent in region]
    part_shape = [_size(size) for size in (shape if isinstance(shape, tuple | list) else (shape,))]
    along, rest = [], list(part_shape)
    for dim in range(len(extents) - 1, -1, -1):
        if rest and _same(extents[dim], rest[-1]):
            rest.pop()
            along.insert(0, dim)
        elif not _same(extents[dim], 1):
            rest = [None]
            break
    if rest:
        raise TEError(
            "KC2130",
            f"match_buffer: {name} of shape {_shape(part_shape)} is a part of {base.name} of shape "
            f"{_shape(extents)}",
            location=location,
            why="the buffer must have the shape of the part; only dimensions of extent 1 may be "
            "omitted",
        )
    for dim, (start, extent) in enumerate(region):
        first, size, whole = (_number(value) for value in (start, extent, base.shape[dim]))
        low = first or 0
        if size is not None and whole is not None and not 0 <= low <= low + size <= whole:
            raise TEError(
                "KC2130",
                f"match_buffer: {name} is {base.name}[{low}:{low + size}] along dimension {dim}",
                location=location,
                why=f"{base.name} has {counted(whole, 'element')} there",
            )
    return PartOfBuffer(base, [start for start, _ in region], along, part_shape, name)


def in_memory_of(data: Buffer, declared: Buffer, starts: Sequence[Any]) -> Buffer:
    """The buffer of the shape of ``declared`` in the memory of ``data``. Its first element is the
    element of ``data`` at the indices ``starts``; its elements are contiguous in that memory.

    Raises KC2129 if the buffer is not proven to lie in the memory of ``data``.
    """
    size, whole = element_count(declared.shape), element_count(data.shape)
    strided = data.declared_strides is not None or isinstance(data, PartOfBuffer)
    if declared.dtype != data.dtype or size is None or whole is None or size > whole or strided:
        raise TEError(
            "KC2129",
            f"{declared.name}, {declared.dtype} of shape {declared.shape}, is declared in the "
            f"memory of {data.name}, {data.dtype} of shape {data.shape}",
            location=caller_location(),
            why="a buffer in the memory of another must have its element type and a constant "
            "shape of "
            "which it is not the larger one",
        )
    box = _rows(data, declared, starts)
    if box is not None:
        return part_of(data, box, declared.shape, declared.name)
    flat = data if data.ndim == 1 else ReshapedBuffer(data, (whole,), data.name)
    offset: Any = 0
    for start, extent in zip(starts, data.shape, strict=False):
        offset = _sum(_product(offset, extent), start)
    if _number(offset) != 0 or size != whole:
        flat = PartOfBuffer(flat, [offset], [0], [size], declared.name)
    return flat if declared.ndim == 1 else ReshapedBuffer(flat, declared.shape, declared.name)


def _rows(data: Buffer, declared: Buffer, starts: Sequence[Any]) -> list[tuple[Any, Any]] | None:
    """The box of ``data`` that ``declared`` covers: whole rows, or the beginning of a single
    row.
    """
    rank, inner = declared.ndim, data.ndim - declared.ndim
    if len(starts) != data.ndim or inner < 0:
        return None
    at_row = all(_number(start) == 0 for start in starts[inner + 1 :])
    if not at_row or tuple(declared.shape[1:]) != tuple(data.shape[inner + 1 :]):
        return None
    if _number(starts[inner]) != 0 or not _fits(declared.shape[0], data.shape[inner]):
        if inner:
            return None
    return [
        *((start, 1) for start in starts[:inner]),
        *zip(starts[inner:], declared.shape, strict=True),
    ][: inner + rank]


def _fits(size: Any, extent: Any) -> bool:
    return isinstance(size, int) and isinstance(extent, int) and size <= extent


def element_count(shape: Sequence[Any]) -> int | None:
    """The number of elements. None if it is not constant."""
    sizes = [size for size in shape if isinstance(size, int)]
    return math.prod(sizes) if len(sizes) == len(shape) else None


def _size(value: Any) -> Any:
    """A size, as an int if it is constant."""
    number = _number(value)
    return value if number is None else number


def _same(a: Any, b: Any) -> bool:
    """True if two sizes are equal for all values of the variables in them."""
    if isinstance(a, int) or isinstance(b, int):
        return isinstance(a, int) and isinstance(b, int) and a == b
    return difference(as_expr(a), as_expr(b)) == 0


def _shape(sizes: Sequence[Any]) -> str:
    return f"({', '.join(map(str, sizes))}{',' * (len(sizes) == 1)})"


@dataclass(eq=False)
class ViewStmt(Stmt):
    """Give the calls in a statement the memory of a part of a buffer, if a call takes that part."""

    names_memory = True

    part: PartOfBuffer

    def emit(self, emitter: Emitter) -> None:
        part = self.part
        shape = [size for size in part.shape if isinstance(size, int)]
        if part.memory is None or len(shape) != part.ndim:
            return
        base = emitter.values[part.base]
        kind = base.type
        assert isinstance(kind, MemRefType)
        operands: list[Any] = []
        exprs = [emitter.affine(as_expr(start), operands) for start in part.starts]
        strides = strides_of(kind)
        layout = StridedLayoutAttr([strides[dim] for dim in part.along], None)
        part_type = MemRefType(kind.element_type, shape, layout, kind.memory_space)
        view = ViewOp(
            base, AffineMap(len(operands), 0, tuple(exprs)), operands, part_type, part.along
        )
        emitter.values[part.memory] = emitter.add(view, self.location)
        emitter.values[part.memory].name_hint = part.name
