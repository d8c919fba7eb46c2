"""``lower-te``: graph functions as loops, each by itself: one function of tensor expressions.

Before::

    graph.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %w = graph.constant dense_resource<...> : tensor<4xf32>
      %0 = graph.add(%x, %w) : ...
      graph.return %0 : tensor<4xf32>
    }

After::

    memref.global constant @main_w : memref<4xf32> = dense<...>
    func.func @main(%x: memref<4xf32>, %T_add: memref<4xf32>) {
      %w = memref.get_global @main_w : memref<4xf32>
      (the loops)
    }

``kc.tir.Schedule`` and ``kc.lower`` take a module with graphs by this pass, and ``kc.build`` for a
GPU does: a person, or a rule of schedules, sees the whole function. Groups are taken apart first.
Constants of several elements become ``memref.global``. The name is that of TVM's pass.

A function becomes loops as a whole, so this is no rewrite pattern.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FunctionType,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp as LoopsOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from kc import te, topi
from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.functions import ARGUMENT_NAME, FuncOp, ReturnOp
from kc.dialects.graph.values import ConstantOp, LetOp, TupleGetItemOp, TupleOp
from kc.dialects.memref_views import GlobalOp
from kc.expr.tensor import Tensor
from kc.graph.group import group_tensors, is_group, is_scalar_constant
from kc.graph.interpreter import elided
from kc.support import registry
from kc.support.diagnostics import GraphError
from kc.support.fresh_names import fresh_name
from kc.support.locations import location_of
from kc.tir.module import IRModule

_PARTS = (OperatorOp, ConstantOp, TupleOp, TupleGetItemOp, LetOp, ReturnOp)
"""The operations that a function of tensor expressions may consist of."""


@dataclass(frozen=True)
class LowerTePass(ModulePass):
    """Lower each graph function to one function of loops."""

    name = "lower-te"
    opt_level: ClassVar[int] = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_graphs(op, ctx)


def lower_graphs(module: ModuleOp, ctx: Context | None = None) -> None:
    """Replace the graph functions of a module by loops, in place.

    Raises GraphError: KC2467 for calls, branches and loops of graphs, KC2445 for an operator
    without a computation, KC2447 for a size that depends on elements; the module is unchanged then.
    """
    if any(isinstance(op, FuncOp) and is_group(op) for op in module.body.ops):
        copy = module.clone()  # so that a refusal leaves the groups of the module as they are
        defuse = registry.pass_class("defuse-ops")()
        defuse.apply(ctx or registry.context(), copy)
        _loops_of(copy)
        defuse.apply(ctx or registry.context(), module)
    for function, replacement in _loops_of(module):
        module.body.block.insert_ops_before(replacement, function)
        function.detach()
        function.erase()


def _loops_of(module: ModuleOp) -> list[tuple[FuncOp, list[Operation]]]:
    """The graph functions of a module without groups, each with its tables and loops."""
    functions = [op for op in module.body.ops if isinstance(op, FuncOp)]
    for function in functions:
        _require_operators(function)
    return [(function, _lowered(function)) for function in functions]


def _require_operators(function: FuncOp) -> None:
    """Refuse operations that need a function of their own (KC2467)."""
    for op in function.body.block.ops:
        if not isinstance(op, _PARTS):
            raise GraphError(
                "KC2467",
                f"lower-te: @{function.sym_name.data} has {op.name}",
                location=location_of(op),
                why="one function of tensor expressions has operators alone",
                hints=["--inline takes calls of functions apart", "kc.graph.build takes all"],
            )


def _lowered(function: FuncOp) -> list[Operation]:
    """The tables of the constants of a function, and its loops."""
    name = function.sym_name.data
    whole, constants = _with_arguments(function)
    tensors = group_tensors(whole)
    results: list[Tensor] = []
    for n, place in enumerate(tensors.results):
        tensor = tensors.inputs[~place] if place < 0 else tensors.outputs[place]
        is_copied = place < 0 or place in tensors.results[:n]
        results.append(topi.identity(tensor) if is_copied else tensor)
    function_of_loops = te.create_prim_func([*tensors.inputs, *results, *tensors.sizes])
    (loops,) = IRModule({name: function_of_loops}).op.body.ops
    assert isinstance(loops, LoopsOp)
    loops.detach()
    if function.sym_visibility is not None:
        loops.properties["sym_visibility"] = function.sym_visibility
    return [*_bound(loops, name, constants), loops]


def _with_arguments(function: FuncOp) -> tuple[FuncOp, dict[str, DenseIntOrFPElementsAttr]]:
    """A copy of a function that has arguments in the place of its constants, and their elements.

    Constants of one element stay.
    """
    copy = function.clone()
    block = copy.body.block
    names = copy.arg_names
    taken = set(names)
    constants: dict[str, DenseIntOrFPElementsAttr] = {}
    for op in list(block.ops):
        if not isinstance(op, ConstantOp) or is_scalar_constant(op.result):
            continue
        if not isinstance(op.value, DenseIntOrFPElementsAttr):
            raise elided(op)
        label = fresh_name(op.result.name_hint or "constant", taken)
        names.append(label)
        constants[label] = op.value
        op.result.replace_all_uses_with(block.insert_arg(op.result.type, len(block.args)))
        op.detach()
        op.erase()
    type_ = FunctionType.from_lists(
        [argument.type for argument in block.args], function.function_type.outputs.data
    )
    region = copy.detach_region(copy.body)
    whole = FuncOp(copy.sym_name.data, type_, region, names)
    whole.location = function.location
    return whole, constants


def _bound(
    function: LoopsOp, name: str, constants: Mapping[str, DenseIntOrFPElementsAttr]
) -> list[Operation]:
    """Make arguments of a function constants; their tables."""
    body = function.body.block
    attrs = list(function.arg_attrs.data if function.arg_attrs is not None else ())
    tables: list[Operation] = []
    for argument in reversed(body.args):
        noted = attrs[argument.index].data.get(ARGUMENT_NAME)
        value = constants.get(noted.data) if isinstance(noted, StringAttr) else None
        if value is None:
            continue
        type_ = argument.type
        assert isinstance(noted, StringAttr)
        assert isinstance(type_, MemRefType)
        symbol = f"{name}_{noted.data}"
        # Elements of graphs have signs, those of loops have none.
        tensor = TensorType(type_.element_type, type_.get_shape())
        table = GlobalOp.build(
            properties={
                "sym_name": StringAttr(symbol),
                "type": type_,
                "initial_value": DenseIntOrFPElementsAttr(tensor, value.data),
                "constant": UnitAttr(),
            }
        )
        tables.insert(0, table)
        read = memref.GetGlobalOp(SymbolRefAttr(symbol), type_)
        read.results[0].name_hint = noted.data
        first = body.first_op
        assert first is not None
        body.insert_op_before(read, first)
        argument.replace_all_uses_with(read.results[0])
        del attrs[argument.index]
        body.erase_arg(argument)
    function.arg_attrs = ArrayAttr(attrs)
    function.function_type = FunctionType.from_lists([value.type for value in body.args], [])
    return tables
