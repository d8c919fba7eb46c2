"""Types of Relay's expressions, and their types in IR."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any as AnyValue

from xdsl.dialects.builtin import TensorType as IRTensorType
from xdsl.dialects.builtin import TupleType as IRTupleType
from xdsl.ir import Attribute

from kc.dialects.graph.sizes import MaybeSize, SizeExpr, dimension
from kc.dialects.graph.types import (
    AdtType,
    FnType,
    RefType,
    TensorSpec,
    TypeVarType,
    UnknownType,
    spec_of,
    tuple_type,
)
from kc.expr.dtypes import check_dtype
from kc.support.diagnostics import GraphError
from kc.support.locations import caller_location
from kc.tvm.nodes.node_objects import FuncType, TupleType, Type


class Any:
    """A size that is not known: each instance is a size of its own."""

    _count = 0

    def __init__(self) -> None:
        Any._count += 1
        self.size = dimension(f"any_{Any._count}")

    def __repr__(self) -> str:
        return "?"


@dataclass(frozen=True, init=False)
class TensorType(Type):
    """The type of tensors of a shape and a dtype.

    A size is a number, :class:`Any`, a name (``"batch"``) or an expression of these
    (:class:`kc.dialects.graph.sizes.SizeExpr`); equal names are equal sizes.
    """

    shape: tuple[AnyValue, ...]
    dtype: str

    def __init__(self, shape: Sequence[AnyValue] = (), dtype: str = "float32") -> None:
        sizes = shape if isinstance(shape, Sequence) and not isinstance(shape, str) else (shape,)
        object.__setattr__(self, "shape", tuple(map(_size, sizes)))
        object.__setattr__(self, "dtype", check_dtype(dtype))

    @property
    def concrete_shape(self) -> tuple[int, ...]:
        """The sizes, all of which are numbers. Raises ValueError for another one."""
        if not all(isinstance(size, int) for size in self.shape):
            raise ValueError(f"{self} has sizes that are not numbers")
        return self.shape

    def __str__(self) -> str:
        sizes = ", ".join("?" if size is None else str(size) for size in self.shape)
        sizes += "," if len(self.shape) == 1 else ""
        return f"Tensor[({sizes}), {self.dtype}]" if self.shape else f"{self.dtype}"

    __repr__ = __str__


def scalar_type(dtype: str) -> TensorType:
    """The type of tensors without dimensions."""
    return TensorType((), dtype)


def _size(size: AnyValue) -> MaybeSize:
    if isinstance(size, Any):
        return size.size
    if size is None or isinstance(size, SizeExpr):
        return size
    if isinstance(size, str):
        if size == "?":
            return Any().size
        return dimension(size)
    name = getattr(size, "name", None)
    if isinstance(name, str):  # te.var, tir.Var
        return dimension(name)
    value = getattr(size, "value", size)
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = -1
    if number < 0:
        raise GraphError(
            "KC2403",
            f"relay.TensorType: the size {size!r}",
            location=caller_location(),
            why="a size is a number of at least 0, relay.Any(), or a name",
        )
    return number


def to_ir(type_: Type | None) -> Attribute:
    """The type in IR of a type of Relay; that of an unknown type for None."""
    match type_:
        case None:
            return UnknownType()
        case TensorType():
            return TensorSpec(type_.shape, type_.dtype).type
        case TupleType():
            return tuple_type([to_ir(field) for field in type_.fields])
        case FuncType():
            return FnType(
                tuple_type([to_ir(arg) for arg in type_.arg_types]), to_ir(type_.ret_type)
            )
        case _:
            convert = getattr(type_, "to_ir", None)
            if convert is None:
                raise GraphError(
                    "KC2403",
                    f"{type(type_).__name__} is not a type of a graph",
                    location=caller_location(),
                    why="values are tensors, tuples, functions and data types",
                )
            return convert()


def from_ir(type_: Attribute) -> Type | None:
    """The type of Relay for one of IR; None for one that is unknown, or that has unknown parts."""
    match type_:
        case IRTupleType():
            fields = _parts_from_ir(type_.types)
            return None if fields is None else TupleType(fields)
        case FnType():
            parts = _parts_from_ir([*type_.inputs.types, type_.output])
            return None if parts is None else FuncType(parts[:-1], parts[-1])
        case IRTensorType():
            spec = spec_of(type_)
            assert isinstance(spec, TensorSpec)
            return TensorType(spec.shape, spec.dtype)
        case RefType():
            value = from_ir(type_.value)
            return None if value is None else RelayRefType(value)
        case AdtType():
            arguments = _parts_from_ir(type_.arguments.types)
            return None if arguments is None else TypeCall(type_.symbol.data, arguments)
        case TypeVarType():
            return TypeVar(type_.symbol.data)
        case _:
            return None


def _parts_from_ir(types: Iterable[Attribute]) -> list[Type] | None:
    parts: list[Type] = []
    for type_ in types:
        part = from_ir(type_)
        if part is None:
            return None
        parts.append(part)
    return parts


@dataclass(frozen=True)
class RelayRefType(Type):
    """The type of mutable references to values of a type."""

    value: Type

    def to_ir(self) -> Attribute:
        """The type in IR."""
        return RefType(to_ir(self.value))


@dataclass(frozen=True)
class TypeVar(Type):
    """A type parameter of a function or of a data type."""

    name: str
    kind: AnyValue = None

    def to_ir(self) -> Attribute:
        """The type in IR."""
        from xdsl.dialects.builtin import StringAttr

        return TypeVarType(StringAttr(self.name))


@dataclass(frozen=True, init=False)
class TypeCall(Type):
    """A data type with its type arguments: ``List[Tensor[(4,), float32]]``."""

    func: str
    args: tuple[Type, ...]

    def __init__(self, func: AnyValue, args: Sequence[Type] = ()) -> None:
        object.__setattr__(self, "func", getattr(func, "name_hint", func))
        object.__setattr__(self, "args", tuple(args))

    def to_ir(self) -> Attribute:
        """The type in IR."""
        from xdsl.dialects.builtin import StringAttr

        return AdtType(StringAttr(self.func), tuple_type([to_ir(arg) for arg in self.args]))
