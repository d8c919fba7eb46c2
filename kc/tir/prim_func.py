"""``tir.PrimFunc``: a function made of parameters and a statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.te.tensor import check_name
from kc.tir.emit import build_function
from kc.tir.module import IRModule
from kc.tir.stmt import Stmt

AS_WRITTEN = "kc.as_written"
"""The attribute of a function whose stores that stand in no block stay so."""


class PrimFunc(IRModule):
    """A module of one function, which executes a statement.

    ``params`` are buffers (``tir.decl_buffer``) and scalars (``te.var``), in the order of the
    arguments; ``body`` is what ``tir.ir_builder`` gives. ``kc.lower``, ``kc.build`` and
    ``kc.tir.Schedule`` take it. Raises as :func:`kc.tir.emit.build_function` does, and KC2102 for a
    body that is no statement.
    """

    def __init__(
        self,
        params: Sequence[Any],
        body: Any,
        name: str = "main",
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        location = caller_location()
        if not isinstance(body, Stmt):
            raise TEError(
                "KC2102",
                f"PrimFunc: the body is {type(body).__name__}, not a statement",
                location=location,
                hints=["ib = tir.ir_builder.create(); ...; tir.PrimFunc([A, B], ib.get())"],
            )
        self.params = tuple(params)
        self.body = body
        self.name = check_name(name, location)
        self.given_attributes = dict(attributes or {})
        blocks = not self.given_attributes.get(AS_WRITTEN)
        function = build_function(self.params, body, self.name, location, blocks=blocks)
        super().__init__(ModuleOp([function]))

    def with_attr(self, attr_key: str, value: Any) -> PrimFunc:
        """The function with an attribute: ``global_symbol`` is its name, ``tir.noalias`` holds.

        Raises KC2102 for others.
        """
        if attr_key == "global_symbol":
            return PrimFunc(self.params, self.body, str(value))
        if attr_key == "tir.noalias" and value:
            return self
        raise TEError(
            "KC2102",
            f"PrimFunc: the attribute {attr_key} = {value!r}",
            location=caller_location(),
            why="a function has a name, global_symbol; its buffers never alias",
        )
