"""Graphs of ``torch.export`` as functions of the dialect ``graph``.

A call of an operator of ATen becomes operators of Relay (:mod:`kc.frontend.torch.relay_operators`)
where these compute the same, else an operation of the family ``aten``, whose computation is its
rule in :mod:`kc.frontend.torch.operators`. Parameters become constants.
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
from kc.dialects.graph.types import ELEMENT_TYPES, TensorSpec, spec_of, type_of
from kc.dialects.graph.values import ConstantOp, TupleGetItemOp, TupleOp
from kc.frontend.torch.aten import computed_results
from kc.frontend.torch.decomposition import decomposed
from kc.frontend.torch.operators import OPERATORS
from kc.frontend.torch.reader import Reader
from kc.frontend.torch.relay_operators import FORMS, relay_form
from kc.frontend.torch.rules import Unsupported, check_memory
from kc.frontend.torch.sizes import size_of
from kc.support.diagnostics import KCError, Location
from kc.support.locations import loc_attr
from kc.tir.module import IRModule

_IGNORED = ("dtype", "layout", "device", "pin_memory", "memory_format", "non_blocking")
"""Options that the type of the result tells, or that say nothing about elements."""
_CHECKS = ("aten._assert_tensor_metadata.default", "aten.sym_constrain_range_for_size.default")
"""Calls without a result: the export has made sure of what they say."""
_FRAME = re.compile(r'File "(.+)", line (\d+)')


def import_graph(program: Any, name: str, at: Location | None) -> IRModule:
    """The function ``name`` of a ``torch.export.ExportedProgram``: its inputs, then its results.

    Sizes that the export leaves open are named dimensions. Raises InputError KC0091 for operators
    that have no rule, all at once with their numbers, and for a program that changes its state.
    """
    return _GraphImport(decomposed(program), at).module(name)


class _GraphImport(Reader):
    """One program while it is imported."""

    def __init__(self, program: Any, at: Location | None) -> None:
        super().__init__(program, at)
        self.block = Block()
        self.graph_values: dict[Any, Any] = {}
        """The value of each node: an SSA value, a size, a number, a list of these."""
        self.dimensions: dict[str, Size] = {}
        self.read: dict[Any, set[int | None]] = {}
        """The results of each node that are read; None for all."""

    def module(self, name: str) -> IRModule:
        held = self.held()
        self.require_rules()
        names: list[str] = []
        results: Sequence[Any] = ()
        for node in self.program.graph.nodes:
            if node.op == "placeholder":
                value = node.meta.get("val")
                if node.name in held:
                    if node in self.read:  # unlike the number of batches that a norm has seen
                        self.graph_values[node] = self.constant(node, held[node.name])
                elif hasattr(value, "dtype"):
                    names.append(node.name)
                    kind = type_of(self.spec(value))
                    self.graph_values[node] = self.block.insert_arg(kind, len(self.block.args))
                else:
                    self.graph_values[node] = value
            elif node.op == "call_function":
                if str(node.target) not in _CHECKS:
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
        """Refuse operators without a rule, all at once (KC0091), and note what is read."""
        missing: dict[str, list[Any]] = {}
        for node in self.program.graph.nodes:
            for source in _nodes([node.args, list(getattr(node, "kwargs", {}).values())]):
                place = node.args[1] if _is_field(node) else None
                self.read.setdefault(source, set()).add(place)
            if node.op != "call_function" or _is_size(node) or _is_field(node):
                continue
            target = str(node.target)
            if target not in FORMS and target not in OPERATORS:
                missing.setdefault(target, []).append(node)
        if missing:
            counts = ", ".join(
                f"{target} ({len(nodes)} times)" if len(nodes) > 1 else target
                for target, nodes in missing.items()
            )
            first = next(iter(missing.values()))[0]
            raise self.refused(f"there is no rule for {counts}", *self.place(first))

    def add(self, op: Operation, node: Any) -> Operation:
        """Append an operation, at the line of the module that its node comes from."""
        op.location = loc_attr(self.line(node) or self.at)
        self.block.add_op(op)
        if node is not None and len(op.results) == 1 and node.name.isidentifier():
            op.results[0].name_hint = node.name
        return op

    def line(self, node: Any) -> Location | None:
        """The line of the user's module that a node comes from."""
        trace = (node.meta.get("stack_trace") or "") if node is not None else ""
        frames = _FRAME.findall(trace)
        return Location(frames[-1][0], int(frames[-1][1])) if frames else None

    def constant(self, node: Any, target: str) -> SSAValue:
        data = BytesAttr(self.elements(target))
        kind: Any = self.spec(node.meta.get("val")).type
        return self.add(ConstantOp(DenseIntOrFPElementsAttr(kind, data)), node).results[0]

    def spec(self, value: Any) -> Any:
        """The type of a fake tensor; a tuple of these for several, without those that are None.

        Raises InputError KC0091 for elements of a type that kc lacks.
        """
        if isinstance(value, list | tuple):
            return tuple(self.spec(part) for part in value if part is not None)
        dtype = str(value.dtype).removeprefix("torch.")
        if dtype not in ELEMENT_TYPES:
            raise self.refused(f"there are elements of the type {dtype}, which kc lacks")
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
                f"the size {value} is not a sum or product of sizes: {error}"
            ) from error
        return size if not isinstance(size, bool) else int(size)

    def call(self, node: Any) -> Any:
        if _is_size(node):
            return self.dimension(node.meta["val"])
        if _is_field(node):
            return self.field(node)
        target = str(node.target)
        try:
            check_memory(target, node)
        except Unsupported as error:
            raise self.refused(f"{target}: {error}", *self.place(node)) from error
        value = node.meta.get("val")
        result = self.spec(value)
        read = self.read.get(node, set())
        formed = relay_form(
            target,
            [self.value_of(part) for part in node.args],
            {key: self.value_of(part) for key, part in self.options(node).items()},
            result,
            None if None in read else frozenset(place for place in read if place is not None),
        )
        if formed is not None:
            for op in formed[1]:
                self.add(op, node)
            return formed[0]
        if target not in OPERATORS:
            raise self.refused(f"{target}: there is no rule for these arguments", *self.place(node))
        return self.aten(node, target, result)

    def options(self, node: Any) -> dict[str, Any]:
        """The arguments with names that say something about elements."""
        return {key: value for key, value in node.kwargs.items() if key not in _IGNORED}

    def field(self, node: Any) -> Any:
        """One result of an operator with several."""
        source, place = node.args[0], node.args[1]
        value = self.graph_values[source]
        reported = source.meta.get("val")
        if isinstance(reported, list | tuple):
            place -= sum(1 for part in reported[:place] if part is None)
        count = len(value) if isinstance(value, list | tuple) else 1
        if isinstance(value, SSAValue) and isinstance(value.type, TupleType):
            count = len(value.type.types)
        if place >= count:
            raise self.refused(
                f"result {place} of {source.target} is used, kc computes {count}",
                *self.place(node),
            )
        if isinstance(value, list | tuple):
            return value[place]
        if not isinstance(value.type, TupleType):
            return value  # the first of several
        return self.add(TupleGetItemOp(value, place), node).results[0]

    def aten(self, node: Any, target: str, result: Any) -> Any:
        """The operation of the family ``aten`` for a call."""
        operands: list[SSAValue] = []
        arguments = tuple(self.argument_of(self.value_of(part), operands) for part in node.args)
        options = tuple(
            (key, self.argument_of(self.value_of(part), operands))
            for key, part in self.options(node).items()
        )
        attributes: dict[str, Any] = {"arguments": arguments, "options": options}
        reported = node.meta.get("val")
        if isinstance(reported, list | tuple):
            attributes["absent"] = tuple(n for n, part in enumerate(reported) if part is None)
        attributes = {key: value for key, value in attributes.items() if value}
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
        if not isinstance(result, TensorSpec):
            result = result[:count]
            if self.read.get(node) == {0} and not attributes.get("absent"):
                result, attributes = result[0], {**attributes, "is_first": True}
        called = operation.create_from(operands, attributes, type_of(result))
        return self.add(called, node).results[0]

    def value_of(self, value: Any) -> Any:
        """An argument: values of the graph for tensors, sizes and numbers; lists of these."""
        if isinstance(value, list | tuple):
            return [self.value_of(part) for part in value]
        if _is_node(value):
            value = self.graph_values[value]
            if isinstance(value, SSAValue) and isinstance(value.type, TupleType):
                fields = range(len(value.type.types))
                return [self.add(TupleGetItemOp(value, n), None).results[0] for n in fields]
            return value
        if type(value).__module__ == "torch":  # a dtype, a layout, a device
            return str(value)
        return self.dimension(value) if hasattr(value, "node") else value

    def argument_of(self, value: Any, operands: list[SSAValue]) -> Any:
        """An argument as an attribute; tensors become operands."""
        if isinstance(value, list | tuple):
            return tuple(self.argument_of(part, operands) for part in value)
        if not isinstance(value, SSAValue):
            return value
        if value not in operands:
            operands.append(value)
        return f"%{operands.index(value)}"

    def result(self, node: Any) -> SSAValue:
        value = self.graph_values.get(node) if _is_node(node) else None
        if not isinstance(value, SSAValue):
            raise self.refused("a result is not a tensor")
        return value


def _is_node(value: Any) -> bool:
    return hasattr(value, "op") and hasattr(value, "graph")


def _nodes(value: Any) -> Sequence[Any]:
    """The nodes in arguments."""
    if isinstance(value, list | tuple):
        return [node for part in value for node in _nodes(part)]
    return [value] if _is_node(value) else []


def _is_field(node: Any) -> bool:
    """True for one of several results."""
    return str(getattr(node, "target", "")) == "<built-in function getitem>"


def _is_size(node: Any) -> bool:
    """True if the value of a node is a size, or a number, that the export tells."""
    value = node.meta.get("val")
    return node.op == "call_function" and (
        hasattr(value, "node") or isinstance(value, int) or str(node.target) == "aten.sym_size.int"
    )
