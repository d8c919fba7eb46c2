"""Types, attributes and source locations by the names of ``tvm.ir`` and ``tvm.runtime``.

Lists, dicts, strings and functions are Python's own; the classes here only answer ``isinstance``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from types import FunctionType
from typing import Any, Self

from kc.expr.constructors import Expr
from kc.expr.tensor import Operation, Tensor
from kc.support.diagnostics import InputError, suggest
from kc.support.global_functions import get_global_func
from kc.support.locations import caller_location
from kc.tir.module import GlobalVar, IRModule
from kc.tir.prim_func import PrimFunc
from kc.tir.stmt import Stmt
from kc.tvm.nodes.expression_classes import PrimExpr
from kc.tvm.nodes.node_class import Node as NodeOf

__all__ = [
    "Array",
    "Attrs",
    "BaseExpr",
    "BaseFunc",
    "CallingConv",
    "DictAttrs",
    "EnvFunc",
    "FuncType",
    "Map",
    "Node",
    "Object",
    "PackedFunc",
    "PointerType",
    "PrimExpr",
    "PrimType",
    "RelayExpr",
    "SequentialSpan",
    "SourceName",
    "Span",
    "String",
    "TupleType",
    "Type",
    "TypeKind",
    "make_node",
]

# Types --------------------------------------------------------------------------------------------


class TypeKind(IntEnum):
    """The kinds of type variables."""

    Type = 0
    ShapeVar = 1
    BaseType = 2
    Shape = 3
    Constraint = 4
    AdtHandle = 5
    TypeData = 6


@dataclass(frozen=True)
class Type:
    """The type of a value of a program; types with the same content are equal."""


@dataclass(frozen=True)
class PrimType(Type):
    """Scalars and vectors of a dtype."""

    dtype: str


@dataclass(frozen=True)
class PointerType(Type):
    """A pointer to elements in a memory scope. A ``tir.Var`` of this type is a "handle"."""

    element_type: Type
    storage_scope: str = ""

    @property
    def dtype(self) -> str:
        """The dtype of such a variable."""
        return "handle"


@dataclass(frozen=True, init=False)
class TupleType(Type):
    """Several values."""

    fields: tuple[Type, ...]

    def __init__(self, fields: Sequence[Type]) -> None:
        object.__setattr__(self, "fields", tuple(fields))


@dataclass(frozen=True, init=False)
class FuncType(Type):
    """Functions of arguments of some types."""

    arg_types: tuple[Type, ...]
    ret_type: Type

    def __init__(
        self,
        arg_types: Sequence[Type],
        ret_type: Type,
        type_params: Any = None,
        type_constraints: Any = None,
    ) -> None:
        del type_params, type_constraints  # of graphs
        object.__setattr__(self, "arg_types", tuple(arg_types))
        object.__setattr__(self, "ret_type", ret_type)


# Places -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SourceName:
    """The name of a text that a program comes from."""

    name: str


@dataclass(frozen=True)
class Span:
    """A part of such a text, by lines and columns."""

    source_name: SourceName
    line: int
    end_line: int
    column: int
    end_column: int


@dataclass(frozen=True)
class SequentialSpan:
    """Several parts."""

    spans: Sequence[Span]


# Objects ------------------------------------------------------------------------------------------


class Object(NodeOf):
    """A part of a program: an expression, statement, tensor, function, module or type."""

    comes_from = "te.compute, tir.ir_builder, kc.lower"
    classes: Any = (Expr, Stmt, Tensor, Operation, IRModule, Type)

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, cls.classes)


class Node(Object):
    """The same as :class:`Object`: an object with structural equality."""


class BaseExpr(Object):
    """Expressions, and references to functions."""

    classes = (Expr, PrimFunc, GlobalVar)


class RelayExpr(Object):
    """References to functions; kc has no graph functions, hence no other instances."""

    classes = (PrimFunc, GlobalVar)


class BaseFunc(Object):
    """Functions."""

    comes_from = "te.create_prim_func, tir.PrimFunc"
    classes = PrimFunc


class Array(Object):
    """Lists and tuples, which are Python's."""

    classes = (list, tuple)

    @classmethod
    def make(cls, input_list: Sequence[Any] = ()) -> list[Any]:
        return list(input_list)


class Map(Object):
    """Dicts, which are Python's."""

    classes = dict

    @classmethod
    def make(cls, input_dict: Mapping[Any, Any] | None = None) -> dict[Any, Any]:
        return dict(input_dict or {})


class String(Object):
    """Text, which is Python's."""

    classes = str

    @classmethod
    def make(cls, content: str = "") -> str:
        return str(content)


class Attrs(Object):
    """Attributes by their names: a dict."""

    comes_from = 'make_node("DictAttrs", name=value)'
    classes = dict


class DictAttrs(Attrs):
    """Attributes by their names: a dict."""


class CallingConv(IntEnum):
    """The calling conventions of compiled functions, by TVM's numbers."""

    DEFAULT = 0
    C_PACKED_FUNC = 1
    DEVICE_KERNEL_LAUNCH = 2


class PackedFunc(Object):
    """Functions that have global names, or could have: Python's, and compiled ones."""

    comes_from = "kc.register_func, kc.get_global_func, f.get_function(name)"

    @classmethod
    def holds(cls, value: Any) -> bool:
        from kc.runtime import CompiledFunction, PythonFunction

        return isinstance(value, FunctionType | CompiledFunction | PythonFunction)


class EnvFunc:
    """A registered function as a callable value, created by ``EnvFunc.get(name)``."""

    def __init__(self, name: str, function: Any) -> None:
        self.name = name
        self.func = function

    @classmethod
    def get(cls, name: str) -> Self:
        """The registered function ``name``. Raises CallError KC5148 if no such function exists."""
        return cls(name, get_global_func(name))

    def __call__(self, *args: Any) -> Any:
        return self.func(*args)

    def __repr__(self) -> str:
        return f"EnvFunc({self.name})"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        del memo
        return self

    def __reduce__(self) -> Any:
        return EnvFunc.get, (self.name,)


def make_node(type_key: str, **kwargs: Any) -> Any:
    """An instance of the class ``type_key`` from named arguments: ``make_node("IntImm",
    dtype="int32", value=3)``; a dict for "DictAttrs". Raises InputError KC0092 for an unknown
    class.
    """
    from kc import tir

    name = type_key.rsplit(".", 1)[-1]
    if name in ("DictAttrs", "Map"):
        return dict(kwargs)
    classes = {
        key: value
        for key in tir.__all__
        if isinstance(value := getattr(tir, key), type) and issubclass(value, NodeOf)
    }
    classes |= {part.__name__: part for part in (PrimType, PointerType, TupleType, FuncType)}
    if name not in classes:
        raise InputError(
            "KC0092",
            f"make_node: there is no class '{type_key}'",
            location=caller_location(),
            hints=suggest(name, classes, "the classes are"),
        )
    return classes[name](**kwargs)
