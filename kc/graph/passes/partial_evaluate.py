"""``partial-evaluate``: run a function as far as its values are known before.

Before::

    %n = graph.constant dense<2> : tensor<si32>
    %r = graph.call @repeat(%n, %x) : ...      // calls itself, until the number is 0

After::

    %0 = graph.exp(%x) : ...
    %r = graph.exp(%0) : ...

Relay's pass of this name. Constants, tuples, data types and functions that are values are followed
through calls, branches, matches and loops. A call is replaced by what the function does; a branch,
match or loop is left where its condition is not known; loops of a known number of turns are written
out. A function that calls itself is followed if some argument is known, and stays a call
if that does not come to an end within :data:`MOST_CALLS` calls. Reads and writes of references stay
as they are. ``@main`` is evaluated; in a module without it, the functions that no other one uses.

A function is evaluated in the order in which it runs, so this is no rewrite pattern.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from kc.dialects.graph.control import IfOp, WhileOp, YieldOp
from kc.dialects.graph.data_types import (
    Binding,
    ConstructOp,
    ConstructorOp,
    ConstructorPattern,
    MatchOp,
    Pattern,
    Wildcard,
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
from kc.dialects.graph.type_variables import solve, substitute_types, variables_of
from kc.dialects.graph.types import TensorSpec, spec_of, tuple_type
from kc.dialects.graph.values import ConstantOp, LetOp, TupleGetItemOp, TupleOp, numpy_dtype
from kc.graph.lowering import lowering_of
from kc.graph.operator_calls import call_operator, resolved
from kc.support.deep import run_deep
from kc.transforms.graph._purity import Purity
from kc.transforms.graph._symbols import functions_of, reachable, symbols_in
from kc.transforms.graph.infer_type import infer_types

MOST_CALLS = 400
"""The calls of functions that call themselves that are followed into each other."""
MOST_TURNS = 4096
"""The turns of a loop that are written out."""
MOST_BYTES = 1 << 16
"""The bytes of a constant that an operator is evaluated to."""


@dataclass(frozen=True)
class PartialEvaluatePass(ModulePass):
    """Run functions of graphs as far as their values are known before."""

    name = "partial-evaluate"
    opt_level: ClassVar[int] = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        functions = functions_of(op)
        used = {name for each in functions.values() for name in symbols_in(each)}
        entries = ["main"] if "main" in functions else [n for n in functions if n not in used]
        for function in (functions[name] for name in entries):
            if "primitive" not in function.attributes:
                run_deep(lambda function=function: _evaluate(op, function), 50 * MOST_CALLS)
        infer_types(op)


# Values -------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Dynamic:
    """A value that is known when the graph runs."""

    value: SSAValue


@dataclass(eq=False)
class Known:
    """A tensor of known elements."""

    array: Any
    dtype: str


@dataclass(eq=False)
class Fields:
    """A tuple, whose fields may be known."""

    fields: list[Value]


@dataclass(eq=False)
class Constructed:
    """A value of a data type, whose fields may be known."""

    op: ConstructOp | ConstructorOp
    fields: list[Value]
    type: Attribute


@dataclass(eq=False)
class Callee:
    """A function that is known: an operation that makes it, and the values there."""

    op: FnOp | FunctionRefOp | ClosureOp | ConstructorOp
    frame: _Frame


Value: TypeAlias = "Dynamic | Known | Fields | Constructed | Callee"


@dataclass(eq=False)
class _Frame:
    """A call that is followed: the values of the function, and its type arguments."""

    values: dict[SSAValue, Value] = field(default_factory=dict)
    types: dict[str, Attribute] = field(default_factory=dict)
    outer: _Frame | None = None

    def __getitem__(self, value: SSAValue) -> Value:
        frame: _Frame | None = self
        while frame is not None:
            if value in frame.values:
                return frame.values[value]
            frame = frame.outer
        raise KeyError(value)

    def type(self, type_: Attribute) -> Attribute:
        """A type with the type arguments."""
        values: dict[str, Attribute] = {}
        frame: _Frame | None = self
        while frame is not None:
            values = {**frame.types, **values}
            frame = frame.outer
        return substitute_types(type_, values) if values else type_


class _OutOfCallsError(Exception):
    """A function calls itself more often than is followed."""

    def __init__(self, key: object) -> None:
        super().__init__()
        self.key = key


def _evaluate(module: ModuleOp, function: FuncOp) -> None:
    block = function.body.block
    target = Block(arg_types=[argument.type for argument in block.args])
    evaluation = _Evaluation(module, target)
    frame = _Frame()
    for argument, new in zip(block.args, target.args, strict=True):
        new.name_hint = argument.name_hint
        frame.values[argument] = Dynamic(new)
    (result,) = evaluation.block(block, frame)
    target.add_op(ReturnOp(evaluation.value(result)))
    _remove_dead(target, Purity(functions_of(module)))
    function.body.detach_block(block)
    block.erase(safe_erase=False)
    function.body.add_block(target)


def _remove_dead(block: Block, purity: Purity) -> None:
    for op in reversed(list(block.ops)):
        if isinstance(op, ReturnOp | YieldOp):
            continue
        if not any(result.first_use for result in op.results) and purity.is_removable(op):
            op.detach()
            op.erase()
            continue
        for region in op.regions:
            _remove_dead(region.block, purity)


class _Evaluation:
    def __init__(self, module: ModuleOp, block: Block) -> None:
        self.functions = functions_of(module)
        self.recursive = {
            name
            for name, function in self.functions.items()
            if name in reachable(module, symbols_in(function))
        }
        self.blocks = [block]
        """The block that operations are added to, and those around it."""
        self.emitted: dict[tuple[int, Block], tuple[Value, SSAValue]] = {}
        """The values that known ones have been given in a block."""
        self.open: dict[object, int] = {}
        """The functions that call themselves that are followed, and how often."""
        self.location: Attribute | None = None

    # Operations.

    def block(self, block: Block, frame: _Frame) -> list[Value]:
        """Follow a block; the values that it ends with."""
        for op in block.ops:
            if isinstance(op, ReturnOp | YieldOp):
                return [frame[value] for value in op.operands]
            self.location = op.location
            frame.values[op.results[0]] = self.step(op, frame)
        raise AssertionError("a block without a terminator")

    def step(self, op: Operation, frame: _Frame) -> Value:
        match op:
            case ConstantOp():
                if op.is_elided:
                    return Dynamic(self.add(op.clone()))
                spec = spec_of(op.result.type)
                assert isinstance(spec, TensorSpec)
                return Known(op.array, spec.dtype)
            case OperatorOp():
                return self.operator(op, frame)
            case TupleOp():
                return Fields([frame[part] for part in op.fields])
            case TupleGetItemOp():
                whole = frame[op.tuple]
                if isinstance(whole, Fields):
                    return whole.fields[op.index.value.data]
                return Dynamic(self.add(TupleGetItemOp(self.value(whole), op.index.value.data)))
            case LetOp():
                return frame[op.value]
            case ConstructOp():
                fields = [frame[part] for part in op.fields]
                return Constructed(op, fields, frame.type(op.result.type))
            case FnOp() | FunctionRefOp() | ClosureOp() | ConstructorOp():
                return Callee(op, frame)
            case CallOp():
                arguments = [frame[part] for part in op.arguments]
                return self.call(op.callee.string_value(), arguments, op, frame)
            case CallIndirectOp():
                return self.indirect(op, frame)
            case IfOp():
                return self.branch(op, frame)
            case MatchOp():
                return self.match(op, frame)
            case WhileOp():
                return self.loop(op, frame)
            case _:
                return Dynamic(self.copy(op, frame))

    def copy(self, op: Operation, frame: _Frame) -> SSAValue:
        """The operation as it is, with the values here."""
        new = op.clone({operand: self.value(frame[operand]) for operand in op.operands})
        for region, own in zip(new.regions, op.regions, strict=True):
            self.fill(region.block, own.block, frame)
        (result,) = new.results
        Rewriter.replace_value_with_new_type(result, frame.type(result.type))
        return self.add(new)

    def fill(self, target: Block, source: Block, frame: _Frame) -> None:
        """Make a block do what another one does."""
        while target.last_op is not None:
            last = target.last_op
            last.detach()
            last.erase(safe_erase=False)
        inner = _Frame(outer=frame)
        for argument, new in zip(source.args, list(target.args), strict=True):
            new = Rewriter.replace_value_with_new_type(new, frame.type(argument.type))
            inner.values[argument] = Dynamic(new)
        self.blocks.append(target)
        values = [self.value(value) for value in self.block(source, inner)]
        last = source.last_op
        target.add_op(ReturnOp(values[0]) if isinstance(last, ReturnOp) else YieldOp(*values))
        self.blocks.pop()

    def operator(self, op: OperatorOp, frame: _Frame) -> Value:
        operands = [frame[part] for part in op.inputs]
        arrays = [each.array for each in operands if isinstance(each, Known)]
        takes = op.OPERATOR.is_pure and lowering_of(op.OPERATOR) is not None
        is_mark = op.OPERATOR.name.startswith(("on_device", "device_copy", "annotation."))
        if len(arrays) == len(operands) and takes and not is_mark:
            value = self.evaluated(op, arrays, [each.dtype for each in operands])  # pyright: ignore
            if value is not None:
                return value
        return Dynamic(self.copy(op, frame))

    def evaluated(
        self, op: OperatorOp, arrays: Sequence[Any], dtypes: Sequence[str]
    ) -> Value | None:
        """The result of an operator of constants; None if it is large."""
        specs = [
            TensorSpec(array.shape, dtype, array if op.OPERATOR.reads_value(n) else None)
            for n, (array, dtype) in enumerate(zip(arrays, dtypes, strict=True))
        ]
        try:
            operator = resolved(op.operator, {})
            absent = sum(not name.startswith("*") for name in operator.inputs) - len(specs)
            result = operator.infer(*specs, *([None] * absent))
        except RelationError:
            return None
        parts = result if isinstance(result, tuple) else (result,)
        total = 0
        for part in parts:
            if not isinstance(part, TensorSpec) or not part.is_static:
                return None
            size = numpy_dtype(part.dtype).itemsize
            for each in part.shape:
                size *= each if isinstance(each, int) else 1
            total += size
        if total > MOST_BYTES:
            return None
        computed = call_operator(operator, arrays, dtypes, "interpreter")
        values: list[Value] = [
            Known(array, part.dtype)
            for array, part in zip(computed, parts, strict=True)
            if isinstance(part, TensorSpec)
        ]
        return Fields(values) if isinstance(result, tuple) else values[0]

    # Calls.

    def call(self, name: str, arguments: Sequence[Value], op: Operation, frame: _Frame) -> Value:
        function = self.functions[name]
        if "primitive" in function.attributes or "compiler" in function.attributes:
            return self.left_call(name, arguments, op, frame)
        types: dict[str, Attribute] = {}
        if variables_of(function.function_type):
            for argument, value in zip(function.body.block.args, arguments, strict=True):
                solve(argument.type, self.type_of(value), types)
            solve(function.function_type.outputs.data[0], frame.type(op.results[0].type), types)
        inner = _Frame(types=types)
        inner.values.update(zip(function.body.block.args, arguments, strict=True))
        if name not in self.recursive:
            return self.block(function.body.block, inner)[0]
        followed = self.followed(name, function.body.block, inner, arguments)
        return self.left_call(name, arguments, op, frame) if followed is None else followed

    def left_call(
        self, name: str, arguments: Sequence[Value], op: Operation, frame: _Frame
    ) -> Value:
        values = [self.value(argument) for argument in arguments]
        return Dynamic(self.add(CallOp(name, values, frame.type(op.results[0].type))))

    def followed(
        self, key: object, block: Block, frame: _Frame, arguments: Sequence[Value]
    ) -> Value | None:
        """The result of a function that calls itself; None if it does not come to an end."""
        if not any(map(_is_known, arguments)) or self.open.get(key, 0) < 0:
            return None
        depth = self.open.get(key, 0)
        if depth == MOST_CALLS:
            raise _OutOfCallsError(key)
        before, emitted = self.blocks[-1].last_op, dict(self.emitted) if depth == 0 else {}
        around = list(self.blocks)
        self.open[key] = depth + 1
        try:
            return self.block(block, frame)[0]
        except _OutOfCallsError as error:
            if error.key != key or depth > 0:
                raise
            self.blocks[:] = around
            while self.blocks[-1].last_op is not before:
                last = self.blocks[-1].last_op
                assert last is not None
                last.detach()
                last.erase(safe_erase=False)
            self.emitted = emitted
            return None
        finally:
            self.open[key] = depth

    def indirect(self, op: CallIndirectOp, frame: _Frame) -> Value:
        callee = frame[op.callee]
        arguments = [frame[part] for part in op.arguments]
        if isinstance(callee, Callee):
            maker, there = callee.op, callee.frame
            match maker:
                case FunctionRefOp():
                    return self.call(maker.callee.string_value(), arguments, op, frame)
                case ClosureOp():
                    captured = [there[part] for part in maker.captured]
                    name = maker.callee.string_value()
                    return self.call(name, [*captured, *arguments], op, frame)
                case ConstructorOp():
                    return Constructed(maker, arguments, frame.type(op.result.type))
                case FnOp():
                    inner = _Frame(outer=there)
                    inner.values.update(zip(maker.arguments, arguments, strict=True))
                    if maker.itself is None:
                        return self.block(maker.body.block, inner)[0]
                    inner.values[maker.itself] = callee
                    followed = self.followed(maker, maker.body.block, inner, arguments)
                    if followed is not None:
                        return followed
        function = self.value(callee)
        values = [self.value(argument) for argument in arguments]
        return Dynamic(self.add(CallIndirectOp(function, values, frame.type(op.result.type))))

    # Control flow.

    def branch(self, op: IfOp, frame: _Frame) -> Value:
        condition = frame[op.condition]
        if isinstance(condition, Known):
            taken = op.then if bool(condition.array) else op.otherwise
            return self.block(taken.block, _Frame(outer=frame))[0]
        return Dynamic(self.copy(op, frame))

    def match(self, op: MatchOp, frame: _Frame) -> Value:
        data = frame[op.data]
        for pattern, region in zip(op.patterns, op.cases, strict=True):
            parts = _matched(pattern.data, data)
            if parts is None:
                break
            if parts is not False:
                inner = _Frame(outer=frame)
                inner.values.update(zip(region.block.args, parts, strict=True))
                return self.block(region.block, inner)[0]
        return Dynamic(self.copy(op, frame))

    def loop(self, op: WhileOp, frame: _Frame) -> Value:
        carried = frame[op.start]
        for _ in range(MOST_TURNS):
            before, emitted = self.blocks[-1].last_op, dict(self.emitted)
            test = _Frame({op.condition.block.args[0]: carried}, outer=frame)
            (condition,) = self.block(op.condition.block, test)
            if not isinstance(condition, Known):
                while self.blocks[-1].last_op is not before:
                    last = self.blocks[-1].last_op
                    assert last is not None
                    last.detach()
                    last.erase(safe_erase=False)
                self.emitted = emitted
                break
            if not bool(condition.array):
                return carried
            turn = _Frame({op.body.block.args[0]: carried}, outer=frame)
            (carried,) = self.block(op.body.block, turn)
        start = _Frame({op.start: carried}, outer=frame)
        return Dynamic(self.copy(op, start))

    # Values as operations.

    def add(self, op: Operation) -> SSAValue:
        if self.location is not None:
            op.location = self.location  # pyright: ignore[reportAttributeAccessIssue]
        self.blocks[-1].add_op(op)
        return op.results[0]

    def value(self, value: Value) -> SSAValue:
        """A value as one of the graph, maker in the block here if none around it has it."""
        if isinstance(value, Dynamic):
            return value.value
        for block in reversed(self.blocks):
            if (id(value), block) in self.emitted:
                return self.emitted[id(value), block][1]
        result = self.materialized(value)
        self.emitted[id(value), self.blocks[-1]] = (value, result)
        return result

    def materialized(self, value: Known | Fields | Constructed | Callee) -> SSAValue:
        match value:
            case Known():
                return self.add(ConstantOp.of(value.array, value.dtype))
            case Fields():
                return self.add(TupleOp([self.value(part) for part in value.fields]))
            case Constructed():
                data, tag = value.op.data.string_value(), value.op.tag.data
                fields = [self.value(part) for part in value.fields]
                return self.add(ConstructOp(data, tag, fields, value.type))
            case Callee():
                return self.function(value)

    def function(self, value: Callee) -> SSAValue:
        """A function that is passed on; its body is evaluated for any arguments."""
        if not isinstance(value.op, FnOp):
            return self.copy(value.op, value.frame)
        itself = value.op.itself
        if itself is not None:
            self.open[value.op] = -1  # within itself it is called, not followed
        result = self.copy(value.op, value.frame)
        if itself is not None:
            self.open[value.op] = 0
        return result

    def type_of(self, value: Value) -> Attribute:
        match value:
            case Known():
                return TensorSpec(value.array.shape, value.dtype).type
            case Fields():
                return tuple_type([self.type_of(part) for part in value.fields])
            case Constructed():
                return value.type
            case Callee():
                return value.frame.type(value.op.result.type)
            case Dynamic():
                return value.value.type


def _is_known(value: Value) -> bool:
    """True if some part of a value is known, so that it may bring a recursion to an end."""
    if isinstance(value, Fields):
        return any(map(_is_known, value.fields))
    return isinstance(value, Known | Constructed)


def _matched(pattern: Pattern, value: Value) -> list[Value] | Literal[False] | None:
    """The parts that a pattern names; False if the value does not have it, None if that is not
    known."""
    match pattern:
        case Wildcard():
            return []
        case Binding():
            return [value]
        case ConstructorPattern():
            if not isinstance(value, Constructed):
                return None
            if value.op.tag.data != pattern.tag:
                return False
        case _:
            if not isinstance(value, Fields):
                return None
    parts: list[Value] = []
    is_unknown = False
    for own, each in zip(pattern.fields, value.fields, strict=True):
        inner = _matched(own, each)
        if inner is False:
            return False
        is_unknown |= inner is None
        parts += inner if isinstance(inner, list) else []
    return None if is_unknown else parts
