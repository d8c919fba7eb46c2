"""Buffers: the memory of loads and stores, declared by ``tir.decl_buffer``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from kc.expr.access_pointers import access_of
from kc.expr.constructors import BufferAccess, Const, Element, Expr, Var, as_expr
from kc.expr.dtypes import check_dtype, vector_of
from kc.expr.slices import check_indices
from kc.expr.tensor import PlaceholderOp, Tensor, check_name, check_shape, shape_text
from kc.expr.vectors import place, ramp_of
from kc.support.diagnostics import Location, TEError, suggest
from kc.support.locations import caller_location
from kc.support.target_data import kinds


class Buffer(Tensor):
    """A buffer of ``shape`` (integers or sizes), dense and row-major: ``B[i, j]`` is an element.

    A buffer is only declared. It gets memory as an argument of a function, or by an allocation. As
    an annotation it declares a parameter of a :func:`kc.script`.
    """

    declared_strides: tuple[int | Var, ...] | None = None
    """The strides of an argument that may be non-dense: numbers, or variables that the call
    determines.
    """

    is_input = False
    """True for an input of ``te.extern``: a call without an access mask reads it."""

    def __init__(
        self, shape: Any, dtype: str = "float32", name: str = "buffer", scope: str = ""
    ) -> None:
        location = caller_location()
        checked = check_shape(shape, f"buffer {name}", location)
        op = PlaceholderOp(check_name(name, location), checked, check_dtype(dtype), location)
        super().__init__(op)
        op.__dict__["_tensors"] = {0: self}
        self._scope = buffer_scope(scope, name)

    def scope(self) -> str:
        """The memory scope; "global" is ordinary memory."""
        return self._scope

    @property
    def data(self) -> Buffer:
        """The buffer (in TVM, the variable of its address)."""
        return self

    @property
    def strides(self) -> tuple[Any, ...]:
        """The distance of neighbours along each dimension, in elements."""
        if self.declared_strides is not None:
            return self.declared_strides
        strides: list[Any] = []
        distance: Any = 1
        for dim in reversed(self.shape):
            strides.append(distance)
            distance = dim if type(distance) is int and distance == 1 else dim * distance
        return tuple(reversed(strides))

    @property
    def elem_offset(self) -> int:
        """The offset of the first element, in elements: always 0."""
        return 0

    def access_ptr(
        self,
        access_mask: str | int,
        ptr_type: str = "handle",
        content_lanes: int = 1,
        offset: Any = 0,
        extent: Any = None,
    ) -> BufferAccess:
        """The buffer as an argument of a call, which reads it ("r", 1), writes all of it without
        reading it ("w", 2), or both ("rw", 3).

        A C function receives the address of the element ``offset``: a flat index into a dense
        buffer, or a list of indices. ``extent``, the size of the accessed part, is ignored. Raises
        TEError KC2154 for another mask or offset.
        """
        del ptr_type, extent
        return access_of(self, access_mask, content_lanes, offset)

    def __call__(self, *indices: Any) -> Expr:
        vector = ramp_of(self, indices)
        return super().__call__(*indices) if vector is None else vector

    def element(self, indices: Sequence[Any]) -> Element:
        """The element at ``indices``, one for each dimension. Raises KC2010, KC2011, KC2173 for
        invalid indices.
        """
        check_indices(self, indices)
        element = super().__call__(*indices)
        assert isinstance(element, Element)
        return element

    def vload(self, begin: Any, dtype: str | None = None) -> Expr:
        """A vector of consecutive elements from ``begin`` on, which has one index for each
        dimension: "int8x16" has 16 elements.

        The vector may continue in the next row if it consists of whole rows. It is a value in
        statements. Raises TEError KC2010, KC2215, KC2216.
        """
        return place(self, begin, self.dtype if dtype is None else dtype, "vload")

    def vstore(self, begin: Any, value: Any) -> Any:
        """The statement that stores the lanes of ``value`` to the elements from ``begin`` on.

        Raises TEError KC2010, KC2216, and KC2103 for a value of a type that the elements do not
        have.
        """
        vector = as_expr(value, self.dtype)
        dtype = vector_of(self.dtype, vector.dtype)
        return self.store_to(place(self, begin, dtype, "vstore"), vector, caller_location())

    store_to: ClassVar[staticmethod[[Any, Expr, Location | None], Any]]
    """The constructor of the statement of :meth:`vstore`, which :mod:`kc.tir.checked` installs."""

    def named(self, name: str) -> Buffer:
        """Another buffer of the same shape, type and strides."""
        buffer = Buffer(self.shape, self.dtype, name, self._scope)
        buffer.declared_strides = self.declared_strides
        return buffer

    def __repr__(self) -> str:
        return f"Buffer({shape_text(self.shape)}, {self.dtype}, name={self.name})"


def decl_buffer(
    shape: Any,
    dtype: str = "float32",
    name: str = "buffer",
    data: Any = None,
    strides: Sequence[Any] | None = None,
    elem_offset: Any = None,
    scope: str = "",
    data_alignment: int = -1,
    offset_factor: int = 0,
    buffer_type: str = "",
    axis_separators: Sequence[int] | None = None,
) -> Buffer:
    """Declare a buffer, with TVM's arguments.

    Buffers are dense and row-major, start with their first element and share their memory with no
    other buffer. Other values of ``elem_offset``, ``data`` and ``buffer_type`` are refused
    (KC2101). ``elem_offset`` may be a ``te.var``: the caller's array may start anywhere in its
    memory, and the offset from its first element is 0. Arguments of functions may have ``strides``,
    in elements: each is a number, or a ``te.var`` whose value is that of the array at the call.
    ``data_alignment`` and ``offset_factor`` are promises about addresses, which kc ignores. Raises
    TEError.
    """
    del data_alignment, offset_factor
    buffer = Buffer(shape, dtype, name, scope)
    if strides is not None and len(strides) and not _same(strides, buffer.strides):
        buffer.declared_strides = _check_strides(buffer, strides)
    anywhere = elem_offset is None or isinstance(elem_offset, Var)
    if not anywhere and not _same([elem_offset], [0]):
        why = "a buffer starts with its first element"
        raise _refuse(buffer, f"elem_offset {elem_offset}", why, ["add the offset to the indices"])
    if data is not None:
        why = "two names for one memory would hide that one writes what the other reads"
        raise _refuse(buffer, "the memory of another buffer", why, ["index the other buffer"])
    if buffer_type not in ("", "default"):
        why = "broadcasting is an index of 0 along a dimension"
        raise _refuse(
            buffer, f"buffer_type '{buffer_type}'", why, ["give it the shape that it has"]
        )
    if axis_separators:
        why = "how a buffer is laid out is a matter of its schedule"
        hints = ["sch.set_axis_separator(block, buffer, axis_separators)"]
        raise _refuse(buffer, f"axis_separators {list(axis_separators)}", why, hints)
    return buffer


def _check_strides(buffer: Buffer, strides: Sequence[Any]) -> tuple[int | Var, ...]:
    checked: list[Any] = [
        stride.value if isinstance(stride, Const) else stride for stride in strides
    ]
    if len(checked) != len(buffer.shape):
        raise _refuse(
            buffer,
            f"{len(checked)} strides for {len(buffer.shape)} dimensions",
            "a stride is the distance of neighbours along a dimension",
            [f"leave strides out: a dense buffer has {shape_text(buffer.strides)}"],
        )
    for stride in checked:
        if type(stride) is not int and not isinstance(stride, Var):
            raise _refuse(
                buffer,
                f"the strides {shape_text(strides)}",
                "a stride must be a number, or a variable that is read from the array at the call",
                ['te.var("stride"), or a number of elements'],
            )
    return tuple(checked)


def require_dense(buffer: Buffer, what: str) -> None:
    """Refuse (KC2101) a buffer with declared strides that is not an argument."""
    if buffer.declared_strides is not None:
        raise _refuse(
            buffer,
            f"the strides {shape_text(buffer.declared_strides)}, as {what}",
            "only arguments of functions can have strides",
            ["leave strides out"],
        )


def _refuse(buffer: Buffer, what: str, why: str, hints: Sequence[str]) -> TEError:
    return TEError(
        "KC2101",
        f"decl_buffer: {buffer.name} with {what}",
        location=caller_location(),
        why=why,
        hints=hints,
    )


def buffer_scope(scope: Any, name: str) -> str:
    """The memory scope of the buffer ``name``.

    Raises TEError KC2101 for a scope that no target has. The scopes of the build's target are
    checked when the buffer is lowered.
    """
    if isinstance(scope, str) and scope not in ("", "global"):
        scopes = dict.fromkeys(scope for kind in kinds().values() for scope in kind.scopes)
        if scope not in scopes:
            raise TEError(
                "KC2101",
                f"decl_buffer: {name} with the scope '{scope}'",
                location=caller_location(),
                why="no target has this memory; scopes have no tags",
                hints=suggest(scope, scopes, "the scopes are"),
            )
    if scope is not None and not isinstance(scope, str):
        raise TEError(
            "KC2101",
            f"decl_buffer: {name} with the scope {scope!r}",
            location=caller_location(),
            why='a memory scope must be a name: "global", "shared", "local", ...',
        )
    return scope or "global"


def _same(left: Sequence[Any], right: Sequence[Any]) -> bool:
    return len(left) == len(right) and all(map(same_expr, left, right))


def same_expr(left: Any, right: Any) -> bool:
    """True if two sizes have the same structure."""
    a, b = as_expr(left), as_expr(right)
    if isinstance(a, Const) and isinstance(b, Const):
        return a.value == b.value
    if a is b:
        return True
    lhs, rhs = getattr(a, "lhs", None), getattr(b, "lhs", None)
    return (
        type(a) is type(b)
        and isinstance(lhs, Expr)
        and isinstance(rhs, Expr)
        and getattr(a, "op", None) == getattr(b, "op", None)
        and same_expr(lhs, rhs)
        and same_expr(getattr(a, "rhs", None), getattr(b, "rhs", None))
    )
