"""``relay.op.register_mixed_precision_conversion``: kinds of operators for ``ToMixedPrecision``."""

from __future__ import annotations

from typing import Any

from kc.expr.op_attributes import register_op_attr
from kc.graph.passes.to_mixed_precision import KEY
from kc.tvm.relay.operator_functions import declaration_of


def register_mixed_precision_conversion(op_name: str, func: Any = None, level: int = 10) -> Any:
    """Register the kind of an operator; without ``func``, a decorator.

    ``func(call_node, mixed_precision_type)`` returns the kind (0: always narrow, 1: follows its
    operands, 2: never), the type that products are summed in, and that of the result. It may read
    ``call_node.op.name`` and ``call_node.attrs``. Raises KC2404 for an unknown operator, KC2179 for
    two functions of one level.
    """
    declaration_of(op_name)
    return register_op_attr(op_name, KEY, func, level)
