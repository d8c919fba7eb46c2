"""Functions of the dialect ``graph`` as Relay's expressions.

``graph.let`` becomes ``Let``, every other value an expression that all its uses share. A call of a
private ``primitive`` function becomes a call of this function as a literal, as after Relay's
FuseOps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, TupleType, UnitAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from kc.dialects.graph.control import IfOp, YieldOp
from kc.dialects.graph.data_types import (
    ConstructOp,
    ConstructorOp,
    ConstructorPattern,
    DataOp,
    MatchOp,
    Pattern,
    TuplePattern,
    Wildcard,
    data_op,
    instance_fields,
)
from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.functions import (
    CallIndirectOp,
    CallOp,
    FnOp,
    FuncOp,
    FunctionRefOp,
    ReturnOp,
)
from kc.dialects.graph.references import RefCreateOp, RefReadOp, RefWriteOp
from kc.dialects.graph.type_variables import variables_of
from kc.dialects.graph.types import AdtType
from kc.dialects.graph.values import ConstantOp, LetOp, TupleGetItemOp, TupleOp
from kc.support.deep import run_deep
from kc.support.diagnostics import GraphError
from kc.support.locations import location_of
from kc.tvm.relay import adt
from kc.tvm.relay import expr as relay
from kc.tvm.relay.types import TypeVar, from_ir

_NAMES = {"primitive": "Primitive", "inline": "Inline", "compiler": "Compiler"}


def function_of(function: FuncOp) -> relay.Function:
    """The function as an expression, whose parts know their types."""
    depth = 10 * sum(1 for _ in function.body.walk())
    return run_deep(lambda: _Reader(function).function(), depth)


def is_literal(function: FuncOp) -> bool:
    """True for a group, which is a private function: it stands where it is called, as a literal."""
    visibility = function.sym_visibility
    is_private = visibility is not None and visibility.data == "private"
    return is_private and "primitive" in function.attributes


class _Reader:
    """A function while it is read."""

    def __init__(self, function: FuncOp) -> None:
        self.op = function
        self.exprs: dict[SSAValue, relay.Expr] = {}
        self.literals: dict[str, relay.Function] = {}
        self.types: dict[str, adt.TypeData] = {}
        self.variables: set[SSAValue] = set()
        """The functions that are bound to variables as they call themselves."""

    def function(self) -> relay.Function:
        names = self.op.arg_names
        for argument, name in zip(self.op.body.block.args, names, strict=True):
            self.exprs[argument] = relay.Var(name, from_ir(argument.type))
        params = [self.exprs[argument] for argument in self.op.body.block.args]
        function = relay.Function(
            params,  # pyright: ignore[reportArgumentType]
            self.body(self.op.body.block),
            from_ir(self.op.function_type.outputs.data[0]),
            [TypeVar(name) for name in variables_of(self.op.function_type)],
            attrs=_attributes(self.op.attributes),
        )
        function.span = location_of(self.op)
        return function

    def body(self, block: Block) -> relay.Expr:
        """The value that a block ends with, below its ``let`` bindings."""
        bindings: list[tuple[relay.Var, relay.Expr]] = []
        for op in block.ops:
            if isinstance(op, ReturnOp | YieldOp):
                break
            if isinstance(op, LetOp) and op.value in self.variables:
                self.exprs[op.result] = self.exprs[op.value]  # the variable of a recursive function
                continue
            variable = self.own_variable(op)
            expr = self.expression(op)
            expr.span = location_of(op)
            if variable is not None:
                bindings.append((variable, expr))
                expr = variable
            elif isinstance(op, LetOp):
                variable = relay.Var(op.variable.data, from_ir(op.result.type))
                bindings.append((variable, expr))
                expr = variable
            expr._checked_type = from_ir(op.results[0].type)
            self.exprs[op.results[0]] = expr
        last = block.last_op
        assert isinstance(last, ReturnOp | YieldOp)
        body = self.exprs[last.operands[0]]
        for variable, value in reversed(bindings):
            type_ = body._checked_type
            body = relay.Let(variable, value, body)
            body._checked_type = type_
        return body

    def own_variable(self, op: Operation) -> relay.Var | None:
        """The variable that an operation is bound to because it calls itself, or because its place
        matters: that of reads and writes of references."""
        if isinstance(op, FnOp) and op.itself is not None:
            names = [
                use.operation.variable.data
                for use in op.result.uses
                if isinstance(use.operation, LetOp)
            ]
            variable = relay.Var((names or [op.itself.name_hint or "f"])[0], None)
            self.exprs[op.itself] = variable
            self.variables.add(op.result)
            return variable
        uses = list(op.results[0].uses) if op.results else []
        is_bound = len(uses) == 1 and isinstance(uses[0].operation, LetOp)
        if not _is_in_order(op) or (is_bound and op.next_op is uses[0].operation):
            return None
        return relay.Var("_" if not uses else "v", from_ir(op.results[0].type))

    def operands(self, op: Operation) -> list[relay.Expr]:
        return [self.exprs[operand] for operand in op.operands]

    def expression(self, op: Operation) -> relay.Expr:
        match op:
            case OperatorOp():
                operands = self.operands(op)
                if op.OPERATOR.takes_tuple:
                    operands = [_tuple_of(operands)]
                return relay.Call(relay.Op(op.OPERATOR.name), operands, op.operator)
            case LetOp():
                return self.exprs[op.value]
            case ConstantOp():
                if op.is_elided:
                    raise GraphError(
                        "KC2407",
                        "the elements of a constant are elided",
                        location=location_of(op),
                        hints=["--params=FILE reads them"],
                    )
                return relay.Constant(op.array, _dtype(op))
            case TupleOp():
                return relay.Tuple(self.operands(op))
            case TupleGetItemOp():
                return relay.TupleGetItem(self.exprs[op.tuple], op.index.value.data)
            case IfOp():
                return relay.If(
                    self.exprs[op.condition],
                    self.body(op.then.block),
                    self.body(op.otherwise.block),
                )
            case FnOp():
                return self.literal(op)
            case FunctionRefOp():
                return relay.GlobalVar(op.callee.string_value())
            case ConstructOp() | ConstructorOp():
                data = self.type_data(op, op.data.string_value())
                constructor = next(c for c in data.constructors if c.name_hint == op.tag.data)
                if isinstance(op, ConstructorOp):
                    return constructor
                return relay.Call(constructor, self.operands(op))
            case MatchOp():
                return self.match(op)
            case RefCreateOp():
                return relay.RefCreate(self.exprs[op.value])
            case RefReadOp():
                return relay.RefRead(self.exprs[op.ref])
            case RefWriteOp():
                return relay.RefWrite(self.exprs[op.ref], self.exprs[op.value])
            case CallOp():
                return relay.Call(self.callee(op), self.operands(op))
            case CallIndirectOp():
                callee, *arguments = self.operands(op)
                return relay.Call(callee, arguments)
            case _:
                read = _READERS.get(type(op))
                if read is None:
                    raise GraphError(
                        "KC2408",
                        f"{op.name} has no form in Relay",
                        location=location_of(op),
                        why="Relay has no such expression; the IR is shown by print(mod)",
                    )
                return read(self, op)

    def type_data(self, op: Operation, name: str) -> adt.TypeData:
        if name not in self.types:
            data = data_op(op, name)
            assert data is not None
            self.types[name] = type_data_of(data)
        return self.types[name]

    def match(self, op: MatchOp) -> relay.Expr:
        constructors = {
            constructor.name_hint: constructor
            for name in _data_types_in(op)
            for constructor in self.type_data(op, name).constructors
        }
        clauses: list[adt.Clause] = []
        for pattern, region in zip(op.patterns, op.cases, strict=True):
            variables: list[relay.Var] = []
            for argument in region.block.args:
                name = argument.name_hint or f"p{argument.index}"
                variables.append(relay.Var(name, from_ir(argument.type)))
                self.exprs[argument] = variables[-1]
            lhs = _pattern(pattern.data, iter(variables), constructors)
            clauses.append(adt.Clause(lhs, self.body(region.block)))
        return adt.Match(self.exprs[op.data], clauses, op.partial is None)

    def literal(self, op: FnOp) -> relay.Function:
        for argument in op.arguments:
            name = argument.name_hint or f"p{argument.index}"
            self.exprs[argument] = relay.Var(name, from_ir(argument.type))
        last = op.body.block.last_op
        assert isinstance(last, ReturnOp)
        params = [self.exprs[argument] for argument in op.arguments]
        return relay.Function(
            params,  # pyright: ignore[reportArgumentType]
            self.body(op.body.block),
            from_ir(last.value.type),
            attrs=_attributes(op.attributes),
        )

    def callee(self, op: CallOp) -> relay.Expr:
        """The function that is called: a literal if it is a private group."""
        name = op.callee.string_value()
        module = op
        while module is not None and not isinstance(module, ModuleOp):
            module = module.parent_op()
        callee = next(
            (
                function
                for function in (module.body.ops if module is not None else ())
                if isinstance(function, FuncOp) and function.sym_name.data == name
            ),
            None,
        )
        if callee is None or not is_literal(callee):
            return relay.GlobalVar(name)
        if name not in self.literals:
            self.literals[name] = _Reader(callee).function()
        return self.literals[name]


_READERS: dict[type[Operation], Any] = {}
"""The readers of operations of other modules, by their classes."""


def type_data_of(op: DataOp) -> adt.TypeData:
    """The data type as Relay's."""
    header = adt.GlobalTypeVar(op.sym_name.data)
    constructors: list[adt.Constructor] = []
    for each in op.constructors:
        fields = [from_ir(field) for field in each.fields.types]
        inputs = [field for field in fields if field is not None]
        constructors.append(adt.Constructor(each.tag.data, inputs, header))
    return adt.TypeData(header, [TypeVar(each.data) for each in op.parameters], constructors)


def _data_types_in(op: MatchOp) -> list[str]:
    """The data types that the value of a match has parts of, as far as its patterns look."""
    names: dict[str, None] = {}
    stack: list[tuple[Pattern, Attribute]] = [(each.data, op.data.type) for each in op.patterns]
    while stack:
        pattern, type_ = stack.pop()
        if isinstance(pattern, TuplePattern):
            assert isinstance(type_, TupleType)
            stack += zip(pattern.fields, type_.types, strict=True)
        elif isinstance(pattern, ConstructorPattern):
            assert isinstance(type_, AdtType)
            names[type_.symbol.data] = None
            data = data_op(op, type_)
            assert data is not None
            fields = instance_fields(data, pattern.tag, type_)
            assert fields is not None
            stack += zip(pattern.fields, fields, strict=True)
    return list(names)


def _pattern(
    pattern: Pattern, variables: Iterator[relay.Var], constructors: Mapping[str, adt.Constructor]
) -> adt.Pattern:
    match pattern:
        case Wildcard():
            return adt.PatternWildcard()
        case ConstructorPattern() | TuplePattern():
            fields = [_pattern(field, variables, constructors) for field in pattern.fields]
            if isinstance(pattern, TuplePattern):
                return adt.PatternTuple(fields)
            return adt.PatternConstructor(constructors[pattern.tag], fields)
        case _:
            return adt.PatternVar(next(variables))


def _is_in_order(op: Operation) -> bool:
    """True for an operation that must stay where it stands."""
    return any(
        isinstance(each, RefCreateOp | RefReadOp | RefWriteOp)
        for each in ([op] if isinstance(op, FnOp) else op.walk())
    )


def _tuple_of(fields: list[relay.Expr]) -> relay.Expr:
    """The operands of an operator as a tuple: the tuple whose fields they all are, or a new one."""
    first = fields[0] if fields else None
    if isinstance(first, relay.TupleGetItem):
        source = first.tuple_value
        if all(
            isinstance(each, relay.TupleGetItem)
            and each.tuple_value is source
            and each.index == index
            for index, each in enumerate(fields)
        ) and len(getattr(source._checked_type, "fields", ())) == len(fields):
            return source
    gathered = relay.Tuple(fields)
    types = [each._checked_type for each in fields]
    if None not in types:
        from kc.tvm.nodes.node_objects import TupleType

        gathered._checked_type = TupleType([type_ for type_ in types if type_ is not None])
    return gathered


def _dtype(op: ConstantOp) -> str:
    from kc.dialects.graph.types import TensorSpec, spec_of

    spec = spec_of(op.result.type)
    assert isinstance(spec, TensorSpec)
    return spec.dtype


def _attributes(attributes: dict[str, Attribute]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, attr in attributes.items():
        match attr:
            case UnitAttr():
                value: Any = 1
            case IntegerAttr():
                value = attr.value.data
            case StringAttr():
                value = attr.data
            case _:
                continue
        values[_NAMES.get(key, key)] = value
    return values
