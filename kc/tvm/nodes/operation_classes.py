"""Classes of operations that only TVM has, for ``isinstance``."""

from __future__ import annotations

from typing import Any

from kc.expr.tensor import ComputeOp, ExternOp
from kc.tvm.nodes.node_class import Node


class BaseComputeOp(Node):
    """Computes, whether element by element or tile by tile."""

    __module__ = "kc.te"
    comes_from = "te.compute"

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, ComputeOp)


class TensorComputeOp(BaseComputeOp):
    """Computes whose function calls a tensor intrinsic that computes a tile."""

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, ComputeOp) and value.call is not None


class HybridOp(Node):
    """The operations that functions of ``te.hybrid.script`` create."""

    __module__ = "kc.te"
    comes_from = "te.hybrid.script"

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, ExternOp) and getattr(value.body, "of_hybrid", False)
