"""Graphs of ``torch.export`` as functions of the dialect ``graph``.

Each call of an operator of ATen becomes an operation of the family ``aten``, whose computation is
its rule in :mod:`kc.frontend.torch.operators`. Parameters become constants.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FunctionType,
    ModuleOp,
    TupleType,
)
from xdsl.ir import Block, Operation, Region, SSAValue

from kc.dialects.graph.declaration import all_operators, operation_class
from kc.dialects.graph.functions import FuncOp, ReturnOp
from kc.dialects.graph.operators.aten import Aten
from kc.dialects.graph.sizes import Size, dimension
from kc.dialects.graph.types import TensorSpec, spec_of, type_of
from kc.dialects.graph.values import ConstantOp, TupleGetItemOp, TupleOp
from kc.frontend.torch.aten import computed_results
from kc.frontend.torch.operators import OPERATORS
from kc.frontend.torch.reader import Reader
from kc.frontend.torch.rules import Unsupported, check_memory
from kc.frontend.torch.sizes import size_of
from kc.support.diagnostics import KCError, Location
from kc.support.locations import loc_attr
from kc.tir.module import IRModule

_IGNORED = ("dtype", "layout", "device", "pin_memory", "memory_format", "non_blocking")
"""Options that the type of the result tells, or that say nothing about elements."""
_FRAME = re.compile(r'File "(.+)", line (\d+)')


def import_graph(program: Any, name: str, at: Location | None) -> IRModule:
    """The function ``name`` of a ``torch.export.ExportedProgram``: its inputs, then its results.

    Sizes that the export leaves open are named dimensions. Raises InputError KC0091 for operators
    that have no rule, all at once with their numbers, and for a program that changes its state.
    """
    return _GraphImport(program.run_decompositions(), at).module(name)


class _GraphImport(Reader):
    """One program while it is imported."""

    def __init__(self, program: Any, at: Location | None) -> None:
        super().__init__(program, at)
        self.block = Block()
        self.graph_values: dict[Any, Any] = {}
        """The value of each node: an SSA value, a size, a number, a list of these."""
        self.dimensions: dict[str, Size] = {}

    def module(self, name: str) -> IRModule:
        held = self.held()
        self.require_rules()
        names: list[str] = []
        results: Sequence[Any] = ()
        for node in self.program.graph.nodes:
            if node.op == "placeholder":
                value = node.meta.get("val")
                if node.name in held:
                    if node.users:
                        self.graph_values[node] = self.constant(held[node.name], self.spec(value))
                elif hasattr(value, "dtype"):
                    names.append(node.name)
                    kind = type_of(self.spec(value))
                    self.graph_values[node] = self.block.insert_arg(kind, len(self.block.args))
                else:
                    self.graph_values[node] = value
            elif node.op == "call_function":
                self.graph_values[node] = self.call(node)
            elif node.op == "output":
                results = node.args[0]
        values = [self.result(node) for node in results]
        if len(values) == 1:
            returned = values[0]
        else:
            returned = self.add(TupleOp(values), None).results[0]
        self.block.add_op(ReturnOp(returned))
        kinds = [argument.type for argument in self.block.args]
        function = FuncOp(
            name, FunctionType.from_lists(kinds, [returned.type]), Region(self.block), names
        )
        function.location = loc_attr(self.at)
        return IRModule(ModuleOp([function]))

    def require_rules(self) -> None:
        """Refuse operators without a rule, all at once (KC0091)."""
        missing: dict[str, list[Any]] = {}
        for node in self.program.graph.nodes:
            target = str(node.target)
            if node.op != "call_function" or _is_size(node) or _is_field(node):
                continue
            if target not in all_operators() or target not in OPERATORS:
                missing.setdefault(target, []).append(node)
        if missing:
            counts = ", ".join(f"{target} ({len(nodes)})" for target, nodes in missing.items())
            first = next(iter(missing.values()))[0]
            raise self.refused(f"there is no rule for {counts}", *self.place(first))

    def add(self, op: Operation, node: Any) -> Operation:
        """Append an operation, at the line of the module that its node comes from."""
        op.location = loc_attr(self.line(node) or self.at)
        self.block.add_op(op)
        return op

    def line(self, node: Any) -> Location | None:
        """The line of the user's module that a node comes from."""
        trace = (node.meta.get("stack_trace") or "") if node is not None else ""
        frames = _FRAME.findall(trace)
        return Location(frames[-1][0], int(frames[-1][1])) if frames else None

    def constant(self, target: str, spec: TensorSpec) -> SSAValue:
        data = BytesAttr(self.elements(target))
        kind: Any = spec.type
        return self.add(ConstantOp(DenseIntOrFPElementsAttr(kind, data)), None).results[0]

    def spec(self, value: Any) -> Any:
        """The type of a fake tensor; a tuple of these for several."""
        if isinstance(value, list | tuple):
            return tuple(self.spec(part) for part in value)
        dtype = str(value.dtype).removeprefix("torch.")
        return TensorSpec(tuple(map(self.dimension, value.shape)), dtype)

    def dimension(self, value: Any) -> Size:
        """A size: a number, or an expression of named dimensions."""
        if isinstance(value, int):
            return int(value)
        expression = value.node.expr
        for symbol in {str(symbol) for symbol in expression.free_symbols}:
            self.dimensions.setdefault(symbol, dimension(symbol))
        try:
            size = size_of(str(expression), self.dimensions)
        except ValueError as error:
            raise self.refused(
                f"the size {value} is no sum or product of sizes: {error}"
            ) from error
        return size if not isinstance(size, bool) else int(size)

    def call(self, node: Any) -> Any:
        target = str(node.target)
        if _is_size(node):
            return self.dimension(node.meta["val"])
        if _is_field(node):
            source, index = self.graph_values[node.args[0]], node.args[1]
            if isinstance(source, list | tuple):
                return source[index]
            if not isinstance(source.type, TupleType):
                return source  # the first of several
            fields = source.type.types if isinstance(source.type, TupleType) else ()
            if index >= len(fields):
                raise self.refused(
                    f"result {index} of {node.args[0].target} is used, kc computes {len(fields)}",
                    *self.place(node),
                )
            return self.add(TupleGetItemOp(source, index), node).results[0]
        try:
            check_memory(target, node)
        except Unsupported as error:
            raise self.refused(f"{target}: {error}", *self.place(node)) from error
        operands: list[SSAValue] = []
        arguments = tuple(self.argument_of(value, operands) for value in node.args)
        options = tuple(
            (key, self.argument_of(value, operands))
            for key, value in node.kwargs.items()
            if key not in _IGNORED
        )
        result = self.spec(node.meta.get("val"))
        attributes = {
            key: value for key, value in (("arguments", arguments), ("options", options)) if value
        }
        operation = operation_class(all_operators()[target])
        declaration = operation.OPERATOR(**attributes)
        assert isinstance(declaration, Aten)
        specs = [spec_of(operand.type) for operand in operands]
        try:
            count = computed_results(
                declaration, tuple(s for s in specs if isinstance(s, TensorSpec)), result
            )
        except KCError as error:
            why = error.why or str(error)
            raise self.refused(f"{target}: {why}", *self.place(node)) from error
        used = {user.args[1] if _is_field(user) else None for user in node.users}
        if not isinstance(result, TensorSpec):
            result = result[:count]
            if used == {0}:
                result, attributes = result[0], {**attributes, "is_first": True}
        called = operation.create_from(operands, attributes, type_of(result))
        return self.add(called, node).results[0]

    def argument_of(self, value: Any, operands: list[SSAValue]) -> Any:
        """An argument as an attribute; tensors become operands."""
        if isinstance(value, list | tuple):
            return tuple(self.argument_of(part, operands) for part in value)
        if hasattr(value, "op") and hasattr(value, "graph"):
            value = self.graph_values[value]
            if isinstance(value, list | tuple):
                return tuple(self.argument_of(part, operands) for part in value)
        if isinstance(value, SSAValue):
            if isinstance(value.type, TupleType):
                fields = range(len(value.type.types))
                parts = [self.add(TupleGetItemOp(value, n), None).results[0] for n in fields]
                return tuple(self.argument_of(part, operands) for part in parts)
            if value not in operands:
                operands.append(value)
            return f"%{operands.index(value)}"
        if type(value).__module__ == "torch":  # a dtype, a layout, a device
            return str(value)
        return self.dimension(value) if hasattr(value, "node") else value

    def result(self, node: Any) -> SSAValue:
        value = self.graph_values.get(node)
        if not isinstance(value, SSAValue):
            raise self.refused("a result is no tensor")
        return value


def _is_field(node: Any) -> bool:
    """True for one of several results."""
    return str(node.target) == "<built-in function getitem>"


def _is_size(node: Any) -> bool:
    """True if the value of a node is a size, or a number, that the export tells."""
    value = node.meta.get("val")
    return node.op == "call_function" and (
        hasattr(value, "node") or isinstance(value, int) or str(node.target) == "aten.sym_size.int"
    )
