"""``infer-type``: find the types of values of graphs, from operands to results and back.

Before::

    graph.func @main(%x: tensor<4x8xf32>, %w: !graph.unknown) -> !graph.unknown {
      %0 = graph.nn.dense(%x, %w) <units = 16> : (tensor<4x8xf32>, !graph.unknown) -> !graph.unknown

After::

    graph.func @main(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> tensor<4x16xf32> {
      %0 = graph.nn.dense(%x, %w) <units = 16> : (tensor<4x8xf32>, ...) -> tensor<4x16xf32>

After Relay's pass of this name. Types go from operands to results by the relation of each operator,
and to operands without a type where the relation tells them (``infer_inputs``): a weight of
``channels`` and ``kernel_size``, a bias, the arguments of a function that is called.

Types go both ways until none changes, so this is no rewrite pattern.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from kc.dialects.graph.control import CONDITION, IfOp, ScanOp, WhileOp, YieldOp, sliced_type
from kc.dialects.graph.data_types import (
    ConstructOp,
    ConstructorOp,
    ConstructorPattern,
    DataOp,
    MatchOp,
    data_op,
    missing_case,
    pattern_types,
)
from kc.dialects.graph.declaration import OperatorOp, RelationError
from kc.dialects.graph.functions import (
    CallIndirectOp,
    CallOp,
    ClosureOp,
    FnOp,
    FuncOp,
    FunctionRefOp,
    ReturnOp,
)
from kc.dialects.graph.references import RefCreateOp, RefReadOp, RefWriteOp
from kc.dialects.graph.type_variables import solve, substitute_types, variables_of
from kc.dialects.graph.types import (
    AdtType,
    FnType,
    RefType,
    TensorSpec,
    UnknownType,
    merged_type,
    tuple_type,
    type_of,
)
from kc.dialects.graph.values import LetOp, TupleGetItemOp, TupleOp
from kc.support.diagnostics import GraphError, counted
from kc.support.locations import location_of

_UNKNOWN = UnknownType()


@dataclass(frozen=True)
class InferTypePass(ModulePass):
    """Infer the types of the values of graphs, from operands to results and back."""

    name = "infer-type"
    opt_level: ClassVar[int] = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        infer_types(op)


def infer_types(module: ModuleOp) -> None:
    """Find the types of all values of the module's graph functions.

    Raises GraphError: KC2400 for operands that do not fit an operator, KC2401 for a type that
    nothing tells, KC2402 for a call that does not fit its function, KC2482 for a match that lacks
    a case. The module is unchanged then.
    """
    # The pass runs on a copy first, so that a refusal leaves the module unchanged.
    for each in (module.clone(), module):
        functions = {op.sym_name.data: op for op in each.body.ops if isinstance(op, FuncOp)}
        _Inference(functions).run()
        for function in functions.values():
            _require_known(function)


class _Inference:
    """One walk after the other, until no type changes."""

    def __init__(self, functions: dict[str, FuncOp]) -> None:
        self.functions = functions
        self.has_changed = False

    def run(self) -> None:
        """Walk the functions until no type changes."""
        while True:
            self.has_changed = False
            for function in self.functions.values():
                self.visit(function)
            if not self.has_changed:
                break

    def refine(self, value: SSAValue, type_: Attribute, at: Operation) -> None:
        """Give a value a type that says more than its own. Raises KC2400 for another type."""
        merged = merged_type(value.type, type_)
        if merged is None:
            raise GraphError(
                "KC2400",
                f"{_title(at)}: a value has two types",
                location=location_of(at),
                why=f"it is {value.type} by its declaration or a use, and {type_} here",
            )
        if merged != value.type:
            self.has_changed = True
            Rewriter.replace_value_with_new_type(value, merged)

    def visit(self, function: FuncOp) -> None:
        """Walk a function, and make its signature that of its values."""
        declared = function.function_type.outputs.data[0]
        for op in function.body.block.ops:
            self.infer(op)
        self.refine(function.return_op.value, declared, function.return_op)
        before = function.function_type
        function.update_type()
        if function.function_type != before:
            self.has_changed = True

    def infer(self, op: Operation) -> None:
        """Refine the types of the results and the operands of an operation."""
        match op:
            case OperatorOp():
                self.infer_operator(op)
            case TupleOp():
                self.refine(op.result, tuple_type([field.type for field in op.fields]), op)
                self.refine_fields(op)
            case TupleGetItemOp():
                self.infer_field(op)
            case LetOp():
                self.refine(op.result, op.value.type, op)
                self.refine(op.value, op.result.type, op)
            case IfOp():
                self.infer_if(op)
            case WhileOp():
                self.infer_while(op)
            case FnOp():
                self.infer_fn(op)
            case CallOp():
                self.infer_call(op)
            case CallIndirectOp():
                self.infer_indirect(op)
            case FunctionRefOp():
                self.infer_value(op, ())
            case ClosureOp():
                self.infer_value(op, op.captured)
            case ConstructOp():
                self.infer_construct(op)
            case ConstructorOp():
                data = self.data_of(op, op.data.string_value())
                fields = data.fields_of(op.tag.data)
                if fields is None:
                    raise not_fitting(op, f"there is no constructor {op.tag.data}")
                self.infer_instance(op, FnType(tuple_type(fields), data.type), {})
            case MatchOp():
                self.infer_match(op)
            case RefCreateOp():
                self.refine(op.result, RefType(op.value.type), op)
                if isinstance(op.result.type, RefType):
                    self.refine(op.value, op.result.type.value, op)
            case RefReadOp() | RefWriteOp():
                value = op.result if isinstance(op, RefReadOp) else op.value
                self.refine(op.ref, RefType(value.type), op)
                if isinstance(op.ref.type, RefType):
                    self.refine(value, op.ref.type.value, op)
            case ScanOp():
                self.infer_scan(op)
            case _:
                for region in op.regions:
                    for inner in region.block.ops:
                        self.infer(inner)

    def infer_operator(self, op: OperatorOp) -> None:
        try:
            specs = op.specs()
            if any(spec is None for spec in specs):
                self.infer_operands(op, specs)
            inferred = op.inferred()
        except RelationError as error:
            raise not_fitting(op, str(error)) from error
        if inferred is not None:
            self.refine(op.result, type_of(inferred), op)

    def infer_operands(self, op: OperatorOp, specs: list[TensorSpec | None]) -> None:
        absent = len([name for name in op.OPERATOR.inputs if not name.startswith("*")]) - len(specs)
        inferred = op.operator.infer_inputs(*specs, *([None] * absent))
        for operand, spec in zip(op.inputs, inferred, strict=False):
            if spec is not None:
                self.refine(operand, spec.type, op)

    def refine_fields(self, op: TupleOp) -> None:
        if isinstance(op.result.type, TupleType):
            for field, type_ in zip(op.fields, op.result.type.types, strict=True):
                self.refine(field, type_, op)

    def infer_field(self, op: TupleGetItemOp) -> None:
        type_ = op.tuple.type
        if not isinstance(type_, TupleType):
            if not isinstance(type_, UnknownType):
                raise not_fitting(op, f"{type_} is not a tuple")
            return
        index = op.index.value.data
        if not 0 <= index < len(type_.types):
            raise not_fitting(op, f"{type_} has no field {index}")
        self.refine(op.result, type_.types.data[index], op)

    def infer_if(self, op: IfOp) -> None:
        self.refine(op.condition, CONDITION, op)
        for region in (op.then, op.otherwise):
            for inner in region.block.ops:
                self.infer(inner)
            last = region.block.last_op
            if isinstance(last, YieldOp):
                self.refine(op.result, last.values[0].type, op)
                self.refine(last.values[0], op.result.type, op)

    def infer_while(self, op: WhileOp) -> None:
        for region, type_ in ((op.condition, CONDITION), (op.body, op.start.type)):
            self.refine(region.block.args[0], op.start.type, op)
            for inner in region.block.ops:
                self.infer(inner)
            last = region.block.last_op
            if isinstance(last, YieldOp):
                self.refine(last.values[0], type_, op)
        self.refine(op.result, op.start.type, op)

    def infer_fn(self, op: FnOp) -> None:
        type_ = op.result.type
        if isinstance(type_, FnType):
            for argument, operand_type in zip(op.arguments, type_.inputs.types, strict=True):
                self.refine(argument, operand_type, op)
        if op.itself is not None:
            self.refine(op.itself, type_, op)
        for inner in op.body.block.ops:
            self.infer(inner)
        last = op.body.block.last_op
        assert isinstance(last, ReturnOp)
        if isinstance(type_, FnType):
            self.refine(last.value, type_.output, op)
        inputs = tuple_type([argument.type for argument in op.arguments])
        self.refine(op.result, FnType(inputs, last.value.type), op)
        if op.itself is not None:
            self.refine(op.result, op.itself.type, op)

    def infer_call(self, op: CallOp) -> None:
        callee = self.functions.get(op.callee.string_value())
        if callee is None:
            raise GraphError(
                "KC2402",
                f"graph.call: there is no function {op.callee.string_value()}",
                location=location_of(op),
            )
        arguments = callee.body.block.args
        _require_count(op, len(op.arguments), len(arguments), callee.sym_name.data)
        declared = callee.function_type
        if variables_of(declared):
            values: dict[str, Attribute] = {}
            operands = [*op.arguments, op.result]
            for type_, operand in zip((*declared.inputs, *declared.outputs), operands, strict=True):
                self.solve(op, type_, operand, values)
            for type_, operand in zip((*declared.inputs, *declared.outputs), operands, strict=True):
                self.refine(operand, substitute_types(type_, values), op)
            return
        for operand, argument in zip(op.arguments, arguments, strict=True):
            self.refine(argument, operand.type, op)
            self.refine(operand, argument.type, op)
        self.refine(op.result, callee.function_type.outputs.data[0], op)

    def infer_indirect(self, op: CallIndirectOp) -> None:
        type_ = op.callee.type
        if isinstance(type_, UnknownType):
            inputs = tuple_type([operand.type for operand in op.arguments])
            self.refine(op.callee, FnType(inputs, op.result.type), op)
            return
        if not isinstance(type_, FnType):
            raise not_fitting(op, f"{type_} is not a function")
        _require_count(op, len(op.arguments), len(type_.inputs.types), "")
        for operand, operand_type in zip(op.arguments, type_.inputs.types, strict=True):
            self.refine(operand, operand_type, op)
        inputs = tuple_type([operand.type for operand in op.arguments])
        self.refine(op.callee, FnType(inputs, type_.output), op)
        self.refine(op.result, type_.output, op)

    def solve(
        self, op: Operation, declared: Attribute, value: SSAValue, values: dict[str, Attribute]
    ) -> None:
        """Find type parameters. Raises KC2400 for a value that is of another type."""
        if not solve(declared, value.type, values):
            raise GraphError(
                "KC2400",
                f"{_title(op)}: a value has two types",
                location=location_of(op),
                why=f"it is {value.type}, and {substitute_types(declared, values)} here",
            )

    def infer_value(self, op: FunctionRefOp | ClosureOp, captured: Sequence[SSAValue]) -> None:
        callee = self.functions.get(op.callee.string_value())
        if callee is None:
            return
        declared = callee.function_type
        values: dict[str, Attribute] = {}
        for type_, value in zip(declared.inputs, captured, strict=False):
            self.solve(op, type_, value, values)
        rest = tuple_type(declared.inputs.data[len(captured) :])
        self.infer_instance(op, FnType(rest, declared.outputs.data[0]), values)

    def infer_instance(self, op: Operation, declared: FnType, values: dict[str, Attribute]) -> None:
        """Refine a result that is an instance of a type with parameters."""
        (result,) = op.results
        self.solve(op, declared, result, values)
        self.refine(result, substitute_types(declared, values), op)

    def data_of(self, op: Operation, name: str) -> DataOp:
        data = data_op(op, name)
        if data is None:
            raise GraphError(
                "KC2402", f"{_title(op)}: there is no data type {name}", location=location_of(op)
            )
        return data

    def infer_construct(self, op: ConstructOp) -> None:
        data = self.data_of(op, op.data.string_value())
        fields = data.fields_of(op.tag.data)
        if fields is None:
            raise not_fitting(op, f"there is no constructor {op.tag.data}")
        _require_count(op, len(op.fields), len(fields), "", op.tag.data)
        values: dict[str, Attribute] = {}
        operands = [*op.fields, op.result]
        for type_, operand in zip((*fields, data.type), operands, strict=True):
            self.solve(op, type_, operand, values)
        for type_, operand in zip((*fields, data.type), operands, strict=True):
            self.refine(operand, substitute_types(type_, values), op)

    def infer_match(self, op: MatchOp) -> None:
        for pattern, region in zip(op.patterns, op.cases, strict=True):
            if isinstance(op.data.type, UnknownType):
                self.refine(op.data, self.type_of_pattern(op, pattern.data), op)
            try:
                types = pattern_types(op, pattern.data, op.data.type)
            except VerifyException as error:
                raise not_fitting(op, str(error)) from error
            for argument, type_ in zip(region.block.args, types, strict=True):
                self.refine(argument, type_, op)
            for inner in region.block.ops:
                self.infer(inner)
            last = region.block.last_op
            if isinstance(last, YieldOp):
                self.refine(op.result, last.values[0].type, op)
                self.refine(last.values[0], op.result.type, op)

    def type_of_pattern(self, op: MatchOp, pattern: object) -> Attribute:
        """The data type that has the constructor of a pattern, of unknown types."""
        module = op.parent_op()
        while module is not None and not isinstance(module, ModuleOp):
            module = module.parent_op()
        if isinstance(pattern, ConstructorPattern) and module is not None:
            for data in module.body.ops:
                if isinstance(data, DataOp) and pattern.tag in data.tags:
                    count = len(data.parameters)
                    return AdtType(data.sym_name, tuple_type([_UNKNOWN] * count))
        return _UNKNOWN

    def infer_scan(self, op: ScanOp) -> None:
        carried, part = op.body.block.args
        self.refine(carried, op.init.type, op)
        try:
            if not _is_unknown(op.xs.type):
                self.refine(part, sliced_type(op.xs.type), op)
            for inner in op.body.block.ops:
                self.infer(inner)
            last = op.body.block.last_op
            if isinstance(last, YieldOp):
                self.refine(last.values[0], op.init.type, op)
                self.refine(op.result, op.inferred(), op)
        except VerifyException as error:
            raise not_fitting(op, str(error)) from error


def not_fitting(op: Operation, why: str) -> GraphError:
    """The error of an operation whose operands do not fit (KC2400), with their types."""
    operands = ", ".join(str(operand.type) for operand in op.operands)
    return GraphError(
        "KC2400",
        f"{_title(op)}: the operands do not fit",
        location=location_of(op),
        why=why,
        facts=[f"the operands are {operands}"] if operands else [],
    )


def _require_count(
    op: Operation, passed: int, expected: int, name: str, constructor: str = ""
) -> None:
    if passed != expected:
        callee = f"@{name}" if name else constructor or "the function"
        raise GraphError(
            "KC2402",
            f"{op.name}: {counted(passed, 'operand')} for {counted(expected, 'argument')}",
            location=location_of(op),
            why=f"{callee} has {counted(expected, 'argument')}",
        )


def _require_known(function: FuncOp) -> None:
    """Refuse a value whose type nothing tells (KC2401)."""
    for index, argument in enumerate(function.body.block.args):
        if _is_unknown(argument.type):
            raise GraphError(
                "KC2401",
                f"@{function.sym_name.data}: the type of {function.arg_names[index]} is not known",
                location=location_of(function),
                why="it is an argument without a type, and no use tells the type",
                hints=['relay.var("x", shape=(1, 8), dtype="float32") declares one'],
            )
    for op in function.walk():
        if isinstance(op, MatchOp) and op.partial is None:
            _require_cases(op)
        for result in op.results:
            if _is_unknown(result.type):
                raise GraphError(
                    "KC2401",
                    f"{_title(op)}: the type of its result is not known",
                    location=location_of(op),
                    why="the types of its operands do not tell it",
                    hints=["a recursive function declares the type of its result"],
                )


def _require_cases(op: MatchOp) -> None:
    """Refuse a match that lacks a case (KC2482)."""
    missing = missing_case(op, [pattern.data for pattern in op.patterns], op.data.type)
    if missing is not None:
        raise GraphError(
            "KC2482",
            f"graph.match: no case is that of {missing}",
            location=location_of(op),
            facts=[f"the cases: {', '.join(str(each) for each in op.patterns)}"],
            why=f"the value is {op.data.type}",
            hints=[
                "a case _",
                "partial (match? in Relay): another value is an error",
            ],
        )


def _is_unknown(type_: Attribute) -> bool:
    match type_:
        case UnknownType():
            return True
        case TupleType():
            return any(map(_is_unknown, type_.types))
        case FnType():
            return _is_unknown(type_.inputs) or _is_unknown(type_.output)
        case AdtType():
            return _is_unknown(type_.arguments)
        case RefType():
            return _is_unknown(type_.value)
        case _:
            return False


def _title(op: Operation) -> str:
    return op.name.removeprefix("graph.")
