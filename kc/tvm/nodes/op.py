"""Operators by TVM's class ``Op``: ``Op.get("tir.exp")``, and the ``op`` of a call."""

from __future__ import annotations

from typing import Any

from kc.expr.calls import intrinsic_names
from kc.expr.nodes import OperatorName
from kc.expr.op_attributes import is_known, known_names
from kc.support.diagnostics import TEError, suggest
from kc.support.locations import caller_location
from kc.tvm.nodes.node_class import Node


class Op(Node):
    """Operators, which have names: ``Op.get("tir.exp")``, and the ``op`` of a call."""

    comes_from = 'Op.get("tir.exp")'

    @classmethod
    def get(cls, op_name: str) -> OperatorName:
        """The operator named ``op_name``. Raises KC2151 for an unknown name."""
        short = op_name.removeprefix("tir.")
        if not is_known(op_name) and short not in intrinsic_names():
            raise TEError(
                "KC2151",
                f"Op.get: there is no operator '{op_name}'",
                location=caller_location(),
                hints=suggest(short, intrinsic_names(), "the operators are"),
            )
        return OperatorName(short)

    @staticmethod
    def list_op_names() -> list[str]:
        """The names of all operators, sorted."""
        return sorted({*known_names(), *(f"tir.{name}" for name in intrinsic_names())})

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, OperatorName)
