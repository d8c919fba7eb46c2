"""Relay's expressions: Python objects that stand for a graph, and become one.

::

    x = relay.var("x", shape=(1, 32))
    f = relay.Function([x], relay.nn.relu(relay.add(x, relay.const(1.0))))
    mod = kc.IRModule.from_expr(f)

An expression is immutable, and may be part of several others: it is computed once, in the
innermost scope that has all its uses (:mod:`kc.tvm.relay.to_graph`). :mod:`kc.tvm.relay.from_graph`
makes expressions of IR.
"""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from kc.dialects.graph.declaration import Operator, all_operators
from kc.expr import op_attributes
from kc.runtime.ndarray import NDArray, cpu
from kc.support.diagnostics import GraphError, Location
from kc.support.locations import caller_location
from kc.tir.module import GlobalVar as ModuleGlobalVar
from kc.tvm.nodes.node_objects import Type
from kc.tvm.relay.types import TensorType


class Expr:
    """An expression; ``+ - * /``, comparisons and calls make calls of operators and functions."""

    __slots__ = ("_checked_type", "span")

    def __init__(self, span: Location | None = None) -> None:
        self.span: Location | None = caller_location() if span is None else span
        self._checked_type: Type | None = None

    @property
    def checked_type(self) -> Type:
        """The type that ``InferType`` found. Raises ValueError before it has run."""
        if self._checked_type is None:
            raise ValueError(
                "the type of the expression is not known yet: "
                "mod = relay.transform.InferType()(mod), then mod['main'] has it"
            )
        return self._checked_type

    def __add__(self, other: Any) -> Call:
        return _operation("add", self, other)

    def __radd__(self, other: Any) -> Call:
        return _operation("add", other, self)

    def __sub__(self, other: Any) -> Call:
        return _operation("subtract", self, other)

    def __rsub__(self, other: Any) -> Call:
        return _operation("subtract", other, self)

    def __mul__(self, other: Any) -> Call:
        return _operation("multiply", self, other)

    def __rmul__(self, other: Any) -> Call:
        return _operation("multiply", other, self)

    def __truediv__(self, other: Any) -> Call:
        return _operation("divide", self, other)

    def __rtruediv__(self, other: Any) -> Call:
        return _operation("divide", other, self)

    def __neg__(self) -> Call:
        return _operation("negative", self)

    def __lt__(self, other: Any) -> Call:
        return _operation("less", self, other)

    def __gt__(self, other: Any) -> Call:
        return _operation("greater", self, other)

    def __le__(self, other: Any) -> Call:
        return _operation("less_equal", self, other)

    def __ge__(self, other: Any) -> Call:
        return _operation("greater_equal", self, other)

    def __call__(self, *args: Any) -> Call:
        return Call(self, [as_expr(arg) for arg in args])

    def __getitem__(self, index: int) -> Expr:
        if isinstance(self, Tuple):
            return self.fields[index]
        if index < 0:
            index += len(self)
        return TupleGetItem(self, index)

    def __len__(self) -> int:
        from kc.tvm.relay.traversal import number_of_fields

        return number_of_fields(self)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Expr]:
        return iter([self[index] for index in range(len(self))])

    def graph_function(self, name: str) -> list[Any]:
        """The operations of a module whose function of this name has the free variables of the
        expression as its parameters (see :class:`kc.IRModule`)."""
        from kc.tvm.relay.traversal import free_vars

        return Function(free_vars(self), self).graph_function(name)

    def astype(self, dtype: str) -> Call:
        """The expression with elements of another type."""
        return _operation("cast", self, dtype=str(dtype))

    def astext(self, show_meta_data: bool = True, annotate: Any = None) -> str:
        """The expression as Relay's text."""
        from kc.tvm.relay.text_printer import text_of

        return text_of(self, show_meta_data, annotate)

    def __str__(self) -> str:
        return self.astext(show_meta_data=False)

    def __repr__(self) -> str:
        return self.astext(show_meta_data=False)


class Var(Expr):
    """A variable: an argument of a function, or bound by ``let`` or a pattern."""

    __slots__ = ("name_hint", "type_annotation")

    def __init__(
        self, name_hint: str, type_annotation: Type | None = None, span: Location | None = None
    ) -> None:
        super().__init__(span)
        self.name_hint = name_hint
        self.type_annotation = type_annotation
        self._checked_type = type_annotation

    @property
    def vid(self) -> Any:
        """The identity of the variable (TVM: ``var.vid.name_hint``)."""
        return self


class GlobalVar(Expr):
    """A function of the module, by its name."""

    __slots__ = ("name_hint",)

    def __init__(self, name_hint: str) -> None:
        super().__init__()
        self.name_hint = str(name_hint)

    def __eq__(self, other: object) -> bool:
        return str(getattr(other, "name_hint", other)) == self.name_hint

    def __hash__(self) -> int:
        return hash(self.name_hint)


class Constant(Expr):
    """A tensor of known elements."""

    __slots__ = ("data", "dtype")

    def __init__(self, data: Any, dtype: str | None = None, span: Location | None = None) -> None:
        super().__init__(span)
        array = data.numpy() if hasattr(data, "numpy") else np.asarray(data)
        self.data = data if isinstance(data, NDArray) else NDArray(array, cpu(), dtype)
        self.dtype = dtype or str(array.dtype)
        self._checked_type = TensorType(array.shape, self.dtype)


class Tuple(Expr):
    """Several values as one."""

    __slots__ = ("fields",)

    def __init__(self, fields: Sequence[Any], span: Location | None = None) -> None:
        super().__init__(span)
        self.fields: tuple[Expr, ...] = tuple(as_expr(field) for field in fields)

    def __len__(self) -> int:
        return len(self.fields)


class TupleGetItem(Expr):
    """A field of a tuple."""

    __slots__ = ("index", "tuple_value")

    def __init__(self, tuple_value: Expr, index: int, span: Location | None = None) -> None:
        super().__init__(span)
        self.tuple_value = (
            getattr(tuple_value, "tuple_value", tuple_value)
            if isinstance(tuple_value, TupleWrapper)
            else tuple_value
        )
        self.index = index


class Op(Expr):
    """An operator as a value: ``relay.op.get("nn.conv2d")``."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    @staticmethod
    def get(op_name: str) -> Op:
        """An operator by its name. Raises GraphError KC2404 for an unknown one."""
        from kc.tvm.relay.operator_functions import declaration_of

        declaration_of(op_name)
        return Op(op_name)

    @staticmethod
    def list_op_names() -> list[str]:
        """The names of all operators."""
        return sorted(all_operators())

    def get_attr(self, attr_name: str) -> Any:
        """An attribute of the operator: ``TOpPattern``, or one of ``kc.ir.register_op_attr``; None
        if there is none."""
        if attr_name == "TOpPattern":
            return int(all_operators()[self.name].pattern)
        return op_attributes.attribute_of(self.name, attr_name)

    def has_attr(self, attr_name: str) -> bool:
        """True if the operator has an attribute."""
        return self.get_attr(attr_name) is not None

    def set_attr(self, attr_name: str, value: Any, plevel: int = 10) -> None:
        """Register an attribute of the operator: ``kc.ir.register_op_attr``."""
        op_attributes.register_op_attr(self.name, attr_name, value, plevel)

    def reset_attr(self, attr_name: str) -> None:
        """Forget a registered attribute, such as a strategy."""
        op_attributes.forget(self.name, attr_name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Op) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


class Call(Expr):
    """A call of an operator (``op`` is an :class:`Op`), or of a function.

    ``attrs`` of a call of an operator is its declaration with the attributes as fields.
    """

    __slots__ = ("args", "attrs", "op", "type_args")

    def __init__(
        self,
        op: Expr,
        args: Sequence[Any],
        attrs: Operator | Mapping[str, Any] | None = None,
        type_args: Any = None,
        span: Location | None = None,
    ) -> None:
        super().__init__(span)
        if isinstance(op, ModuleGlobalVar):
            op = GlobalVar(op)
        if not isinstance(op, Expr):
            raise GraphError(
                "KC2403",
                f"relay.Call: the callee is a {type(op).__name__}",
                location=caller_location(),
                why="an operator (relay.op.get), a function, a variable or a GlobalVar is called",
            )
        self.op = op
        self.args: tuple[Expr, ...] = tuple(as_expr(arg) for arg in args)
        if isinstance(op, Op) and not isinstance(attrs, Operator):
            from kc.tvm.relay.operator_functions import attributes_of

            attrs = attributes_of(op.name, dict(attrs or {}))
        self.attrs: Any = attrs
        self.type_args = type_args


class Let(Expr):
    """``let var = value; body``: the value is computed once, where the binding stands."""

    __slots__ = ("body", "value", "var")

    def __init__(self, variable: Var, value: Any, body: Any, span: Location | None = None) -> None:
        super().__init__(span)
        self.var = variable
        self.value = as_expr(value)
        self.body = as_expr(body)


class If(Expr):
    """One of two expressions, of which only the chosen one is computed."""

    __slots__ = ("cond", "false_branch", "true_branch")

    def __init__(
        self, cond: Any, true_branch: Any, false_branch: Any, span: Location | None = None
    ) -> None:
        super().__init__(span)
        self.cond = as_expr(cond)
        self.true_branch = as_expr(true_branch)
        self.false_branch = as_expr(false_branch)


class Function(Expr):
    """A function of variables; ``attrs`` may have ``Primitive``, ``Inline``, ``Compiler``, ..."""

    __slots__ = ("attrs", "body", "params", "ret_type", "type_params")

    def __init__(
        self,
        params: Sequence[Var],
        body: Any,
        ret_type: Type | None = None,
        type_params: Sequence[Any] | None = None,
        attrs: Mapping[str, Any] | None = None,
        span: Location | None = None,
    ) -> None:
        super().__init__(span)
        strangers = [param for param in params if not isinstance(param, Var)]
        if strangers:
            raise GraphError(
                "KC2403",
                f"relay.Function: a parameter is a {type(strangers[0]).__name__}",
                location=caller_location(),
                why="parameters are variables",
                hints=['relay.var("x", shape=(1, 8)) makes one'],
            )
        uses = Counter(id(param) for param in params)
        twice = next((param for param in params if uses[id(param)] > 1), None)
        if twice is not None:
            raise GraphError(
                "KC2403",
                f"relay.Function: the parameter {twice.name_hint} stands twice",
                location=caller_location(),
                why="an argument of a call would have two values",
            )
        self.params: tuple[Var, ...] = tuple(params)
        self.body = as_expr(body)
        self.ret_type = ret_type
        self.type_params = tuple(type_params or ())
        self.attrs: dict[str, Any] = dict(attrs or {})

    def with_attr(self, attr_key_or_dict: Any, attr_value: Any = None) -> Function:
        """The function with attributes added."""
        added = (
            attr_key_or_dict
            if isinstance(attr_key_or_dict, Mapping)
            else {attr_key_or_dict: attr_value}
        )
        attrs = {**self.attrs, **added}
        changed = Function(
            self.params, self.body, self.ret_type, self.type_params, attrs, self.span
        )
        changed._checked_type = self._checked_type
        return changed

    def graph_function(self, name: str) -> list[Any]:
        """The operations of a module that are this function (see :class:`kc.IRModule`)."""
        from kc.tvm.relay.to_graph import functions_of

        return functions_of(name, self)


class RefCreate(Expr):
    """A mutable reference with a first value."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = as_expr(value)


class RefRead(Expr):
    """The value that a reference has now."""

    __slots__ = ("ref",)

    def __init__(self, ref: Expr) -> None:
        super().__init__()
        self.ref = ref


class RefWrite(Expr):
    """Give a reference another value; the result is the empty tuple."""

    __slots__ = ("ref", "value")

    def __init__(self, ref: Expr, value: Any) -> None:
        super().__init__()
        self.ref = ref
        self.value = as_expr(value)


class TupleWrapper:
    """A call whose result is a tuple of a known number of fields, to be indexed and iterated."""

    def __init__(self, tuple_value: Expr, size: int) -> None:
        self.tuple_value = tuple_value
        self.size = size

    def astuple(self) -> Expr:
        """The tuple as an expression."""
        return self.tuple_value

    def astext(self, show_meta_data: bool = True) -> str:
        """The tuple as Relay's text."""
        return self.tuple_value.astext(show_meta_data)

    def __getitem__(self, index: int) -> Expr:
        if not -self.size <= index < self.size:
            raise IndexError(f"the tuple has {self.size} fields, there is no field {index}")
        return TupleGetItem(self.tuple_value, index % self.size)

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Expr]:
        return iter([self[index] for index in range(self.size)])


def as_expr(value: Any) -> Expr:
    """``value`` as an expression: numbers and arrays are constants, lists are tuples.

    Raises GraphError KC2403 for anything else.
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, TupleWrapper):
        return value.tuple_value
    if isinstance(value, ModuleGlobalVar):
        return GlobalVar(value)
    if isinstance(value, list | tuple):
        return Tuple(value)
    if isinstance(value, bool | numbers.Number | np.ndarray | np.generic | NDArray):
        return const(value)
    raise GraphError(
        "KC2403",
        f"{type(value).__name__} is not an expression of Relay",
        location=caller_location(),
        why="expressions are made by relay.var, relay.const and the operators",
    )


def var(
    name_hint: str,
    type_annotation: Type | str | None = None,
    shape: Sequence[Any] | None = None,
    dtype: str = "float32",
) -> Var:
    """A variable; without a type and a shape, its uses must tell its type.

    Raises GraphError KC2403 for both a type and a shape.
    """
    if type_annotation is not None and shape is not None:
        raise GraphError(
            "KC2403",
            f"relay.var: {name_hint} has a type and a shape",
            location=caller_location(),
            why="type_annotation and shape exclude each other",
        )
    if isinstance(type_annotation, str):
        type_annotation = TensorType((), type_annotation)
    if shape is not None:
        type_annotation = TensorType(shape, dtype)
    return Var(name_hint, type_annotation)


_NARROWED = {"float64": "float32", "int64": "int32"}
"""The dtypes of Python's numbers, as Relay's constants have them."""


def const(value: Any, dtype: str | None = None) -> Constant:
    """A constant of a number, list, numpy array or kc.nd array.

    Without ``dtype``, numbers of Python are float32, int32 or bool; arrays keep their dtype.
    """
    is_array = isinstance(value, np.generic | np.ndarray | NDArray)
    array: Any = value.numpy() if isinstance(value, NDArray) else np.asarray(value)
    if not is_array:
        dtype = dtype or _NARROWED.get(str(array.dtype), str(array.dtype))
    if dtype is not None and str(array.dtype) != dtype:
        from kc.dialects.graph.values import numpy_dtype

        array = array.astype(numpy_dtype(dtype))
    return Constant(array, dtype)


def _operation(name: str, *operands: Any, **attributes: Any) -> Call:
    """The call of an operator of expressions and numbers, which get the type of the others."""
    from kc.tvm.relay.operator_functions import call_operator

    return call_operator(name, operands, attributes)
