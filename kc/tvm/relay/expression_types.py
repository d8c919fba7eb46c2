"""The types of all parts of an expression, found at once."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from kc.dialects.graph.functions import FuncOp
from kc.transforms.graph.infer_type import infer_types
from kc.tvm.nodes.node_objects import FuncType, TupleType, Type
from kc.tvm.relay.expr import Expr, Function, Let, Tuple
from kc.tvm.relay.to_graph import graph_of, order_of
from kc.tvm.relay.types import from_ir


def annotate_types(root: Expr, module: Any = None) -> None:
    """Give each part of an expression its ``checked_type``, where the graph has a type for it.

    ``module`` has the functions that it calls by name. The expressions stay the same objects.
    Raises GraphError: KC2400 for operands that do not fit, KC2401 for a type that nothing tells.
    """
    from kc.tvm.relay.traversal import free_vars

    function = root if isinstance(root, Function) else Function(free_vars(root), root)
    functions, places = graph_of("main", function)
    own = {each.sym_name.data: each for each in functions if isinstance(each, FuncOp)}
    if module is not None:
        functions += [
            each.clone()
            for name, each in module.functions.items()
            if isinstance(each, FuncOp) and name not in own
        ]
    infer_types(ModuleOp(list(functions)))
    for expr in [*reversed(order_of(function)), *function.params]:
        place = places.get(id(expr))
        if place is not None:
            block_or_op, index = place
            is_op = isinstance(block_or_op, Operation)
            values = block_or_op.results if is_op else block_or_op.args
            expr._checked_type = from_ir(values[index].type)
        elif isinstance(expr, Tuple):
            fields = [field._checked_type for field in expr.fields]
            field_types = [field for field in fields if field is not None]
            if len(field_types) == len(fields):
                expr._checked_type = TupleType(field_types)
        elif isinstance(expr, Let):  # only the first let of a chain remains here
            expr._checked_type = expr.body._checked_type
    function._checked_type = _type_of(own["main"])


def _type_of(function: FuncOp) -> Type | None:
    arguments = [from_ir(type_) for type_ in function.function_type.inputs.data]
    output = from_ir(function.function_type.outputs.data[0])
    argument_types = [argument for argument in arguments if argument is not None]
    return FuncType(argument_types, output) if output is not None else None
