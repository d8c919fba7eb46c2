"""Graphs of ``torch.export`` as functions: a :class:`kc.te` expression for each operator.

:mod:`kc.frontend.torch.operators` has the operators. Parameters become constants that stand beside
the function, as ``memref.global``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FunctionType,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from kc import te, topi
from kc.dialects.memref_views import GlobalOp
from kc.expr.tensor import Tensor
from kc.frontend.torch.numerics import Output
from kc.frontend.torch.operators import OPERATORS
from kc.frontend.torch.reader import Reader
from kc.frontend.torch.rules import SIZES, Unsupported, check_memory
from kc.frontend.torch.sizes import size_of
from kc.support.diagnostics import KCError, Location
from kc.tir.module import IRModule


def import_exported(program: Any, name: str, at: Location | None) -> IRModule:
    """The function ``name`` of a ``torch.export.ExportedProgram``: its inputs, then its results.

    Sizes that the export leaves open are symbols. Raises InputError KC0091 for an operator that
    is not in :data:`kc.frontend.torch.operators.OPERATORS`, and for a program that changes its
    state.
    """
    return _Import(program.run_decompositions(), at).module(name)


class _Import(Reader):
    """The state of the import of one program."""

    def __init__(self, program: Any, at: Location | None) -> None:
        super().__init__(program, at)
        self.values: dict[Any, Any] = {}
        """The value of each node of the graph: a tensor, several tensors, a size or a number."""
        self.sizes: dict[str, Any] = {}
        """The variable of each symbol."""
        self.constants: dict[str, bytes] = {}
        """The elements of each placeholder that is a constant."""

    def module(self, name: str) -> IRModule:
        held = self.held()
        inputs: list[Tensor] = []
        parameters: list[Tensor] = []
        results: list[Tensor] = []
        for node in self.program.graph.nodes:
            if node.op == "placeholder":
                value = self.placeholder(node)
                self.values[node] = value
                if node.name in held and not node.users:
                    continue  # as the number of batches that a norm has seen
                if node.name in held:
                    self.constants[node.name] = self.elements(held[node.name])
                    parameters.append(value)
                elif isinstance(value, Tensor):
                    inputs.append(value)
            elif node.op == "call_function":
                self.values[node] = self.computed(node)
            elif node.op == "output":
                results = [self.result(value, [*inputs, *parameters]) for value in node.args[0]]
        distinct: list[Tensor] = []
        for result in results:
            distinct.append(topi.identity(result) if result in distinct else result)
        function = te.create_prim_func([*inputs, *parameters, *distinct])
        op = IRModule({name: function}).op
        _bind(op, name, {tensor.name: self.constants[tensor.name] for tensor in parameters})
        return IRModule(op)

    def placeholder(self, node: Any) -> Any:
        value = node.meta.get("val")
        if not hasattr(value, "dtype"):
            return value
        kind = self.output(value)
        return te.placeholder(kind.shape, dtype=kind.dtype, name=node.name)

    def output(self, value: Any) -> Any:
        """The type of a fake tensor, or of each of several."""
        if isinstance(value, list | tuple):
            return [self.output(part) for part in value]
        if not hasattr(value, "dtype"):
            return value
        dtype = str(value.dtype).removeprefix("torch.")
        return Output(tuple(self.size(size) for size in value.shape), dtype)

    def size(self, value: Any) -> Any:
        """A size: a number, or an expression of variables."""
        if isinstance(value, int):
            return value
        names = {str(symbol) for symbol in value.node.expr.free_symbols}
        for symbol in names:
            if symbol not in self.sizes:
                self.sizes[symbol] = te.var(symbol)
        try:
            return size_of(str(value.node.expr), self.sizes)
        except ValueError as error:
            raise self.refused(
                f"the size {value} is no sum or product of sizes: {error}"
            ) from error

    def computed(self, node: Any) -> Any:
        name = str(node.target)
        if name in SIZES:  # the export knows it, as a number or an expression of symbols
            return self.size(node.meta["val"])
        operator = OPERATORS.get(name)
        if operator is None:
            raise self.refused(f"there is no rule for {name}", *self.place(node))
        kind = self.output(node.meta.get("val"))
        options = {
            key: self.argument(value)
            for key, value in node.kwargs.items()
            if key
            not in ("dtype", "layout", "device", "pin_memory", "memory_format", "non_blocking")
        }
        try:
            check_memory(name, node)
            return operator(*map(self.argument, node.args), node=kind, **options)
        except Unsupported as error:
            raise self.refused(f"{name}: {error}", *self.place(node)) from error
        except KCError as error:  # of an operator of topi, whose caller is the rule
            why = error.message if error.why is None else f"{error.message}: {error.why}"
            raise self.refused(f"{name} ({node.name}): {why}", *self.place(node)) from error

    def argument(self, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [self.argument(part) for part in value]
        if hasattr(value, "op") and hasattr(value, "graph"):
            return self.values[value]
        if type(value).__module__ == "torch":  # a dtype, a layout, a device
            return str(value)
        return self.size(value) if hasattr(value, "node") else value

    def result(self, node: Any, given: list[Tensor]) -> Tensor:
        value = self.values.get(node)
        if not isinstance(value, Tensor):
            raise self.refused("a result is no tensor")
        # What is returned as it was given is copied.
        return topi.identity(value) if value in given else value


def _bind(module: Any, name: str, constants: Mapping[str, bytes]) -> None:
    """Turn arguments of a function into constants with the elements ``constants``."""
    (function,) = (
        op for op in module.walk() if isinstance(op, FuncOp) and op.sym_name.data == name
    )
    body: Block = function.body.block
    attrs = list(function.arg_attrs.data if function.arg_attrs is not None else ())
    for argument in reversed(body.args):
        noted = attrs[argument.index].data.get("kc.name")
        data = constants.get(noted.data) if isinstance(noted, StringAttr) else None
        if data is None:
            continue
        type_ = argument.type
        assert isinstance(noted, StringAttr)
        assert isinstance(type_, MemRefType)
        symbol = f"{name}_{noted.data}"
        tensor = TensorType(type_.element_type, type_.get_shape())
        table = GlobalOp.build(
            properties={
                "sym_name": StringAttr(symbol),
                "type": type_,
                "initial_value": DenseIntOrFPElementsAttr(tensor, BytesAttr(data)),
                "constant": UnitAttr(),
            }
        )
        module.body.block.insert_op_before(table, function)
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
