"""``tir.PrimFunc``: one function, made of parameters and a statement, or taken from a module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from xdsl.dialects.builtin import (
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    f64,
    i1,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from kc import tir
from kc.dialects.size_requirements import REQUIRES
from kc.dialects.unscheduled import UNSCHEDULED, mark_unscheduled
from kc.expr.buffers import Buffer
from kc.expr.constructors import Var
from kc.expr.tensor import check_name
from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.te.extern_function import parameters_of
from kc.tir.emit import build_function
from kc.tir.module import IRModule
from kc.tir.size_requirements_text import set_read_requirements
from kc.tir.stmt import Stmt

AS_WRITTEN = "kc.as_written"
"""The attribute of a function whose stores outside of blocks are not wrapped in blocks."""
NAME = "kc.name"
"""The attribute with a function's name, if the name is not a Python identifier."""


class PrimFunc(IRModule):
    """A module of one function, whose body is a statement.

    ``params`` are buffers (``tir.decl_buffer``), scalars (``te.var``) and keys of ``buffer_map``,
    which maps them to buffers, in the order of the arguments; ``body`` is a result of
    ``tir.ir_builder``. ``kc.lower``, ``kc.build`` and ``kc.tir.Schedule`` accept a PrimFunc;
    ``mod["main"]`` and ``te.create_prim_func`` return a PrimFunc. Raises the errors of
    :func:`kc.tir.emit.build_function`, and KC2102 if ``body`` is not a statement.
    """

    def __init__(
        self,
        params: Sequence[Any],
        body: Any,
        name: str | None = "main",
        attributes: Mapping[str, Any] | None = None,
        *,
        ret_type: Any = None,
        buffer_map: Mapping[Var, Buffer] | None = None,
        attrs: Mapping[str, Any] | None = None,
    ) -> None:
        del ret_type  # a function returns nothing
        location = caller_location()
        if not isinstance(body, Stmt):
            raise TEError(
                "KC2102",
                f"PrimFunc: the body is {type(body).__name__}, not a statement",
                location=location,
                hints=["ib = tir.ir_builder.create(); ...; tir.PrimFunc([A, B], ib.get())"],
            )
        own = dict(attrs or {})
        name = check_name(str(own.pop("global_symbol", name or "main")), location)
        entries = dict(attributes or {})
        buffers = dict(buffer_map or {})
        taken = [buffers.get(param, param) if isinstance(param, Var) else param for param in params]
        name = str(entries.get(NAME, name))
        function = build_function(taken, body, name, location, blocks=not entries.get(AS_WRITTEN))
        set_read_requirements(function, entries.pop(REQUIRES, ()))
        if entries.pop(UNSCHEDULED, False):
            mark_unscheduled(function)
        super().__init__(ModuleOp([function]))
        self.given_attributes = entries
        self._statement: Any = body
        for key, value in own.items():
            _set_attribute(function, key, value)

    def script(self, style: str = "mlir") -> str:
        """See :meth:`kc.IRModule.script`; as ``"tvmscript"`` the function alone."""
        if style == "tvmscript":
            return tir.function_text(self.function)[0]
        return super().script(style)

    def specialize(self, param_map: Mapping[Var, Any]) -> PrimFunc:
        """The function specialized for values of parameters (TVM). A buffer (``tir.decl_buffer``)
        fixes the sizes of the buffer parameter; a number or an expression of sizes replaces a
        scalar parameter.

        Raises TEError KC2134 for an invalid value of a parameter.
        """
        return tir.specialized(self, param_map)

    @classmethod
    def of(cls, function: FuncOp) -> Self:
        """The function ``function`` by itself, as a copy."""
        return cls._of(function.clone())

    @classmethod
    def _of(cls, function: FuncOp) -> Self:
        primfunc = object.__new__(cls)
        IRModule.__init__(primfunc, ModuleOp([function]))
        primfunc.given_attributes = {}
        primfunc._statement = None
        return primfunc

    @property
    def function(self) -> FuncOp:
        """The function as an op."""
        return next(op for op in self.op.body.ops if isinstance(op, FuncOp))

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.sym_name.data

    @property
    def params(self) -> list[Var]:
        """A variable for each parameter: the address of a buffer (a "handle"), or a scalar."""
        return list(self._parameters)

    @property
    def buffer_map(self) -> dict[Var, Buffer]:
        """The buffer of each buffer parameter."""
        return {
            param: value for param, value in self._parameters.items() if isinstance(value, Buffer)
        }

    @property
    def param_names(self) -> list[str]:
        """The names of the parameters."""
        return [value.name for value in self._parameters.values()]

    @property
    def _parameters(self) -> dict[Var, Buffer | Var]:
        mapping = self.__dict__.get("_known")
        if mapping is None:
            values = parameters_of(self.function)
            mapping = self.__dict__["_known"] = {
                Var(value.name, "handle") if isinstance(value, Buffer) else value: value
                for value in values
            }
        return mapping

    @property
    def body(self) -> Any:
        """The statement of the function. For a function that was not created from a statement, its
        block of operations, or its region if it has branches.
        """
        if self._statement is not None:
            return self._statement
        region = self.function.body
        return region if len(region.blocks) > 1 else region.block

    @property
    def ret_type(self) -> tuple[()]:
        """None: a function returns nothing, and writes its results to buffers."""
        return ()

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes of the function, with TVM's ``global_symbol`` and ``tir.noalias``."""
        own = {
            key.removeprefix("tvm."): value.data
            if isinstance(value, StringAttr)
            else _number(value)
            for key, value in self.function.attributes.items()
        }
        return {"global_symbol": self.name, "tir.noalias": True, **own}

    def with_attr(self, attr_key_or_dict: str | Mapping[str, Any], value: Any = None) -> Self:
        """A copy with attributes: ``global_symbol`` is the function's name, ``tir.noalias`` must be
        true.

        Values are numbers, bools and strings. Raises KC2102 for other values.
        """
        added = (
            {attr_key_or_dict: value}
            if isinstance(attr_key_or_dict, str)
            else dict(attr_key_or_dict)
        )
        changed = type(self).of(self.function)
        changed._statement, changed.given_attributes = self._statement, self.given_attributes
        for key, attribute in added.items():
            _set_attribute(changed.function, key, attribute)
        return changed

    def without_attr(self, attr_key: str) -> Self:
        """The function without an attribute."""
        changed = type(self).of(self.function)
        changed._statement, changed.given_attributes = self._statement, self.given_attributes
        changed.function.attributes.pop(_key(attr_key), None)
        return changed


def _set_attribute(function: FuncOp, key: str, value: Any) -> None:
    attribute: Attribute | None = None
    if key == "global_symbol":
        function.sym_name = StringAttr(check_name(str(value), caller_location()))
        return
    if key == "tir.noalias" and value:
        return
    if key == UNSCHEDULED and value is True:
        mark_unscheduled(function)
        return
    if key != "tir.noalias":
        if isinstance(value, bool):
            attribute = IntegerAttr(int(value), i1)
        elif isinstance(value, int):
            attribute = IntegerAttr(value, i64)
        elif isinstance(value, float):
            attribute = FloatAttr(value, f64)
        elif isinstance(value, str):
            attribute = StringAttr(value)
    if attribute is None:
        raise TEError(
            "KC2102",
            f"PrimFunc: the attribute {key} = {value!r}",
            location=caller_location(),
            why="global_symbol is a name, tir.noalias is true, other values are "
            "numbers, bools or strings",
        )
    function.attributes[_key(key)] = attribute


def _key(key: str) -> str:
    """The name of an attribute in the IR, with a dialect prefix if TVM's name has none."""
    return key if "." in key else f"tvm.{key}"


def _number(value: Attribute) -> Any:
    if isinstance(value, UnitAttr):
        return True
    if isinstance(value, IntegerAttr):
        number = value.value.data
        return bool(number) if value.type == i1 else number
    return value.value.data if isinstance(value, FloatAttr) else value
