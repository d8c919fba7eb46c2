"""Relay's expressions as functions of the dialect ``graph``.

An expression that is used more than once is computed once, in the innermost block that has all its
uses: the branch of an ``if``, the body of a function, or what is around them. This is the scope
that Relay's basic block normal form gives it; ``let`` says another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import (
    BoolAttr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    TupleType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue

from kc.dialects.graph.control import IfOp, YieldOp
from kc.dialects.graph.data_types import ConstructOp, ConstructorOp, MatchOp, Pattern
from kc.dialects.graph.declaration import RelationError, operator_op
from kc.dialects.graph.functions import (
    CallIndirectOp,
    CallOp,
    FnOp,
    FuncOp,
    FunctionRefOp,
    ReturnOp,
)
from kc.dialects.graph.references import RefCreateOp, RefReadOp, RefWriteOp
from kc.dialects.graph.types import FnType, UnknownType, merged_type, tuple_type
from kc.dialects.graph.values import ConstantOp, LetOp, TupleGetItemOp, TupleOp
from kc.support.deep import run_deep
from kc.support.diagnostics import GraphError
from kc.support.locations import loc_attr
from kc.tvm.relay.adt import Constructor, Match, TypeData, constructors_of
from kc.tvm.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from kc.tvm.relay.types import to_ir

_ATTRIBUTES = {"Primitive": "primitive", "Inline": "inline", "Compiler": "compiler"}
"""Names of attributes of functions in Relay, and in IR."""


def functions_of(name: str, function: Function) -> list[Operation]:
    """The function of a module, the private ones that it calls as literals, and the data types
    whose constructors it has.

    Raises GraphError: KC2400 for operands that do not fit, KC2406 for a free variable.
    """
    return graph_of(name, function)[0]


def _constructors_in(expr: Expr) -> list[Constructor]:
    match expr:
        case Constructor():
            return [expr]
        case Call(op=Constructor() as constructor):
            return [constructor]
        case Match():
            return [each for clause in expr.clauses for each in constructors_of(clause.lhs)]
        case _:
            return []


def graph_of(name: str, function: Function) -> tuple[list[Operation], dict[int, Place]]:
    """:func:`functions_of`, and the place of the value of each expression in them."""
    module = _Module()
    order = order_of(function.body)
    types: dict[str, TypeData] = {}
    for expr in order:
        for constructor in _constructors_in(expr):
            types.setdefault(str(constructor.belong_to), constructor.declared)
    functions = run_deep(lambda: module.function(name, function), 10 * len(order))
    return [*(data.to_ir() for data in types.values()), *functions], module.places


Place = tuple[Operation | Block, int]
"""An operation and the number of a result of it, or a block and the number of an argument."""


@dataclass
class _Scope:
    """A block that values are computed in."""

    block: Block
    parent: _Scope | None = None
    depth: int = 0
    values: dict[int, SSAValue] = field(default_factory=dict)

    def inner(self, block: Block) -> _Scope:
        return _Scope(block, self, self.depth + 1)


class _Module:
    """The functions of a module while they are made."""

    def __init__(self) -> None:
        self.functions: list[FuncOp] = []
        self.places: dict[int, Place] = {}
        """The places of the values of expressions, by their identity."""

    def place(self, expr: Expr, value: SSAValue) -> None:
        """Note where the value of an expression is."""
        if isinstance(value, OpResult | BlockArgument):
            self.places[id(expr)] = (value.owner, value.index)

    def function(self, name: str, function: Function) -> list[FuncOp]:
        types = [to_ir(param.type_annotation) for param in function.params]
        output = to_ir(function.ret_type)
        body = Region(Block(arg_types=types))
        names = [param.name_hint for param in function.params]
        function_op = FuncOp(name, FunctionType.from_lists(types, [output]), body, names)
        function_op.location = loc_attr(function.span)
        for key, value in function.attrs.items():
            if key not in ("global_symbol",):
                function_op.attributes[_ATTRIBUTES.get(key, key)] = _attribute(value)
        self.functions.append(function_op)
        _Body(self, function, body.block).emit()
        returned = function_op.return_op.value.type
        if isinstance(output, UnknownType):
            function_op.function_type = FunctionType.from_lists(types, [returned])
        return self.functions

    def primitive(self, function: Function) -> str:
        """The name of a private function for a literal that is called."""
        base = str(function.attrs.get("hash", "")) or "primitive"
        name = f"{self.functions[0].sym_name.data}_{base}_{len(self.functions)}"
        before = len(self.functions)
        self.function(name, function)
        self.functions[before].sym_visibility = StringAttr("private")
        return name


def _attribute(value: Any) -> Attribute:
    match value:
        case bool():
            return UnitAttr() if value else BoolAttr.from_bool(False)
        case 1:
            return UnitAttr()
        case int():
            return IntegerAttr(value, i64)
        case _:
            return StringAttr(str(value))


class _Body:
    """The body of a function of the module."""

    def __init__(self, module: _Module, function: Function, block: Block) -> None:
        self.module = module
        self.root = _Scope(block)
        self.function = function
        self.scopes = scopes_of(function)
        self.arguments: dict[int, list[Attribute]] = {}
        """The types of the arguments of literals that are called, by the literals' identity."""

    def emit(self) -> None:
        for param, argument in zip(self.function.params, self.root.block.args, strict=True):
            self.root.values[id(param)] = argument
            self.module.place(param, argument)
        value = self.value(self.function.body, self.root)
        self.root.block.add_op(ReturnOp(value))

    def value(self, expr: Expr, scope: _Scope) -> SSAValue:
        """The value of an expression, computed in the scope of its uses."""
        place: _Scope | None = scope
        while place is not None:
            if id(expr) in place.values:
                return place.values[id(expr)]
            place = place.parent
        if isinstance(expr, Var):
            raise GraphError(
                "KC2406",
                f"the variable {expr.name_hint} is free",
                location=expr.span,
                why="it is not a parameter of the enclosing function, and no let binds it there",
                hints=[f"relay.Function([{expr.name_hint}, ...], body)"],
            )
        place = scope
        while place.depth > self.scopes.get(id(expr), place.depth) and place.parent is not None:
            place = place.parent
        value = self.compute(expr, place)
        place.values[id(expr)] = value
        self.module.place(expr, value)
        return value

    def add(self, op: Operation, expr: Expr, scope: _Scope) -> SSAValue:
        op.location = loc_attr(expr.span)
        scope.block.add_op(op)
        return op.results[0]

    def compute(self, expr: Expr, scope: _Scope) -> SSAValue:
        match expr:
            case Constant():
                array = expr.data.__array__() if hasattr(expr.data, "__array__") else expr.data
                return self.add(ConstantOp.of(array, expr.dtype), expr, scope)
            case Tuple():
                fields = [self.value(each, scope) for each in expr.fields]
                return self.add(TupleOp(fields), expr, scope)
            case TupleGetItem():
                return self.add(
                    TupleGetItemOp(self.value(expr.tuple_value, scope), expr.index), expr, scope
                )
            case Call():
                return self.call(expr, scope)
            case Let():
                return self.let(expr, scope)
            case If():
                return self.branch(expr, scope)
            case Function():
                return self.literal(expr, scope)
            case Match():
                return self.match(expr, scope)
            case Constructor():
                op = ConstructorOp(str(expr.belong_to), expr.name_hint, UnknownType())
                return self.add(op, expr, scope)
            case RefCreate():
                return self.add(RefCreateOp(self.value(expr.value, scope)), expr, scope)
            case RefRead():
                return self.add(RefReadOp(self.value(expr.ref, scope)), expr, scope)
            case RefWrite():
                ref = self.value(expr.ref, scope)
                return self.add(RefWriteOp(ref, self.value(expr.value, scope)), expr, scope)
            case GlobalVar():
                return self.add(FunctionRefOp(expr.name_hint, UnknownType()), expr, scope)
            case Op():
                raise GraphError(
                    "KC2406",
                    f"the operator {expr.name} is a value",
                    location=expr.span,
                    why="operators are called; a function that calls one is a value",
                )
            case _:
                compute = getattr(expr, "compute", None)
                if compute is None:
                    raise GraphError(
                        "KC2403", f"{type(expr).__name__} is not an expression", location=expr.span
                    )
                return compute(self, scope)

    def let(self, expr: Let, scope: _Scope) -> SSAValue:
        while True:
            if isinstance(expr.value, Function):  # may be recursive
                value = self.literal(expr.value, scope, expr.var)
            else:
                value = self.value(expr.value, scope)
            binding = LetOp(expr.var.name_hint, value)
            scope.values[id(expr.var)] = self.add(binding, expr, scope)
            self.module.place(expr.var, binding.result)
            if not isinstance(expr.body, Let):
                return self.value(expr.body, scope)
            expr = expr.body

    def branch(self, expr: If, scope: _Scope) -> SSAValue:
        condition = self.value(expr.cond, scope)
        regions: list[Region] = []
        type_: Attribute = UnknownType()
        for branch in (expr.true_branch, expr.false_branch):
            block = Block()
            value = self.value(branch, scope.inner(block))
            block.add_op(YieldOp(value))
            regions.append(Region(block))
            if isinstance(type_, UnknownType):
                type_ = value.type
        return self.add(IfOp(condition, regions[0], regions[1], type_), expr, scope)

    def match(self, expr: Match, scope: _Scope) -> SSAValue:
        data = self.value(expr.data, scope)
        cases: list[tuple[Pattern, Region]] = []
        type_: Attribute = UnknownType()
        for clause in expr.clauses:
            variables = list(clause.lhs.variables())
            block = Block(arg_types=[to_ir(each.type_annotation) for each in variables])
            inner = scope.inner(block)
            for variable, argument in zip(variables, block.args, strict=True):
                name = variable.name_hint
                argument.name_hint = name if name.isidentifier() else None
                inner.values[id(variable)] = argument
                self.module.place(variable, argument)
            value = self.value(clause.rhs, inner)
            block.add_op(YieldOp(value))
            cases.append((clause.lhs.to_ir(), Region(block)))
            if isinstance(type_, UnknownType):
                type_ = value.type
        return self.add(MatchOp(data, cases, type_, not expr.complete), expr, scope)

    def literal(self, expr: Function, scope: _Scope, name: Var | None = None) -> SSAValue:
        """The value of a function; ``name`` is the variable that it has in its own body."""
        types = [to_ir(param.type_annotation) for param in expr.params]
        arguments = self.arguments.get(id(expr), [])
        if len(arguments) == len(types):
            types = [
                argument if isinstance(type_, UnknownType) else type_
                for type_, argument in zip(types, arguments, strict=True)
            ]
        is_recursive = name is not None and uses(expr, name)
        output = to_ir(expr.ret_type)
        block = Block(arg_types=types)
        inner = scope.inner(block)
        for param, argument in zip(expr.params, block.args, strict=True):
            argument.name_hint = param.name_hint if param.name_hint.isidentifier() else None
            inner.values[id(param)] = argument
            self.module.place(param, argument)
        if name is not None and is_recursive:
            declared = to_ir(name.type_annotation)
            if isinstance(declared, UnknownType):
                declared = FnType(tuple_type(types), output)
            itself = block.insert_arg(declared, 0)
            itself.name_hint = name.name_hint if name.name_hint.isidentifier() else None
            inner.values[id(name)] = itself
        value = self.value(expr.body, inner)
        block.add_op(ReturnOp(value))
        own_type = FnType(tuple_type(types), value.type)
        merged = merged_type(own_type, FnType(tuple_type(types), output))
        operation = FnOp(Region(block), merged or own_type, is_recursive)
        for key, value in expr.attrs.items():
            operation.attributes[_ATTRIBUTES.get(key, key)] = _attribute(value)
        return self.add(operation, expr, scope)

    def call(self, expr: Call, scope: _Scope) -> SSAValue:
        operands = [self.value(arg, scope) for arg in expr.args]
        match expr.op:
            case Op():
                return self.call_operator(expr, operands, scope)
            case Constructor():
                data, tag = str(expr.op.belong_to), expr.op.name_hint
                return self.add(ConstructOp(data, tag, operands, UnknownType()), expr, scope)
            case GlobalVar():
                op = CallOp(expr.op.name_hint, operands, UnknownType())
                return self.add(op, expr, scope)
            case Function() if expr.op.attrs.get("Primitive") and not _free(expr.op):
                name = self.module.primitive(expr.op)
                callee = next(f for f in self.module.functions if f.sym_name.data == name)
                output = callee.function_type.outputs.data[0]
                return self.add(CallOp(name, operands, output), expr, scope)
            case _:
                if isinstance(expr.op, Function):
                    self.arguments[id(expr.op)] = [operand.type for operand in operands]
                callee = self.value(expr.op, scope)
                output = getattr(callee.type, "output", UnknownType())
                return self.add(CallIndirectOp(callee, operands, output), expr, scope)

    def call_operator(self, expr: Call, operands: Sequence[SSAValue], scope: _Scope) -> SSAValue:
        assert isinstance(expr.op, Op)
        attributes = expr.attrs.attributes()
        operation = operator_op(expr.op.name)
        if operation.OPERATOR.takes_tuple and len(operands) == 1:
            operands = self.fields(expr, operands[0], scope)
        elif operation.OPERATOR.tuple_parameters:
            operands = [
                field
                for operand in operands
                for field in (
                    self.fields(expr, operand, scope)
                    if isinstance(operand.type, TupleType)
                    else [operand]
                )
            ]
        try:
            op = operation.create_from(operands, attributes)
        except RelationError as error:
            types = ", ".join(str(operand.type) for operand in operands)
            raise GraphError(
                "KC2400",
                f"{expr.op.name}: the operands do not fit",
                location=expr.span,
                why=str(error),
                facts=[f"the operands are {types}"],
            ) from error
        return self.add(op, expr, scope)

    def fields(self, expr: Call, value: SSAValue, scope: _Scope) -> list[SSAValue]:
        """The fields of the tuple that an operator takes."""
        if isinstance(value.owner, TupleOp):
            fields = list(value.owner.fields)
            if not list(value.uses):
                value.owner.detach()
                value.owner.erase()
                for part in _chain(scope):
                    part.values = {k: v for k, v in part.values.items() if v is not value}
            return fields
        if not isinstance(value.type, TupleType):
            raise GraphError(
                "KC2400",
                f"{expr.op}: the number of its operands is not known",
                location=expr.span,
                why="it takes a tuple, and the type of this one is not known here",
                hints=["relay.Tuple([a, b]) has known fields; a variable may have a type"],
            )
        return [
            self.add(TupleGetItemOp(value, index), expr, scope)
            for index in range(len(value.type.types))
        ]


def _chain(scope: _Scope | None) -> Iterator[_Scope]:
    while scope is not None:
        yield scope
        scope = scope.parent


def parts_of(expr: Expr) -> list[tuple[Expr, bool]]:
    """The expressions that an expression uses, and whether each stands in a block of its own."""
    match expr:
        case Call():
            callee = [] if isinstance(expr.op, Op | GlobalVar | Constructor) else [(expr.op, False)]
            return [*callee, *((arg, False) for arg in expr.args)]
        case Tuple():
            return [(each, False) for each in expr.fields]
        case TupleGetItem():
            return [(expr.tuple_value, False)]
        case Let():
            return [(expr.value, False), (expr.body, False)]
        case If():
            return [(expr.cond, False), (expr.true_branch, True), (expr.false_branch, True)]
        case Function():
            return [(expr.body, True)]
        case Match():
            return [(expr.data, False), *((clause.rhs, True) for clause in expr.clauses)]
        case RefCreate():
            return [(expr.value, False)]
        case RefRead():
            return [(expr.ref, False)]
        case RefWrite():
            return [(expr.ref, False), (expr.value, False)]
        case _:
            parts = getattr(expr, "parts", None)
            return [] if parts is None else parts()


def scopes_of(function: Function) -> dict[int, int]:
    """The depth of the block that each expression is computed in, by its identity.

    The block is the innermost one around all uses: along the way from the root to a use, blocks are
    entered; of two ways the common beginning counts.
    """
    order = order_of(function.body)
    ways: dict[int, tuple[int, ...]] = {id(function.body): ()}
    entered = 0
    for expr in order:  # each after all its uses
        way = ways[id(expr)]
        for part, has_block in parts_of(expr):
            entered += 1
            inner = (*way, entered) if has_block else way
            before = ways.get(id(part))
            ways[id(part)] = inner if before is None else _common(before, inner)
    return {key: len(way) for key, way in ways.items()}


def _common(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    length = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        length += 1
    return left[:length]


def order_of(root: Expr) -> list[Expr]:
    """The expressions below a root, each after all that use it.

    Raises GraphError KC2498 for an expression that contains itself.
    """
    done: set[int] = set()
    entered: set[int] = set()
    order: list[Expr] = []
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        expr, is_left = stack.pop()
        if is_left:
            order.append(expr)
            entered.discard(id(expr))
            continue
        if id(expr) in done:
            continue
        done.add(id(expr))
        entered.add(id(expr))
        stack.append((expr, True))
        for part, _ in parts_of(expr):
            if id(part) not in done:
                stack.append((part, False))
            elif id(part) in entered:
                raise GraphError(
                    "KC2498",
                    f"an expression contains itself: {type(part).__name__}",
                    location=part.span,
                    why="expressions are made of those before them, and do not change",
                    hints=["a loop is a function that calls itself: relay.while_loop"],
                )
    return order[::-1]


def uses(function: Function, variable: Var) -> bool:
    """True if a function uses a variable from outside."""
    return any(expr is variable for expr in order_of(function.body))


def _free(function: Function) -> bool:
    """True if a function uses a variable from outside."""
    bound = {id(param) for param in function.params}
    exprs = order_of(function.body)
    for expr in exprs:
        if isinstance(expr, Let):
            bound.add(id(expr.var))
        elif isinstance(expr, Function):
            bound |= {id(param) for param in expr.params}
        elif isinstance(expr, Match):
            bound |= {id(each) for clause in expr.clauses for each in clause.lhs.variables()}
    return any(isinstance(expr, Var) and id(expr) not in bound for expr in exprs)
