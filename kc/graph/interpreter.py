"""The interpreter of graphs: it runs any function of a module on numpy arrays.

It is the oracle of the passes and of the build. It follows the text: each operation is run where it
stands, operators by their computation alone (:mod:`kc.graph.operator_calls`), without a plan of
memory, fusion, or a schedule. Functions that are values, recursion, and sizes that depend on
elements are no exception. Values are arrays, tuples of values, and functions.

The shapes of all values are checked against the sizes of their types: ``n`` is the same number
wherever a function has that name.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from kc.dialects.graph.control import IfOp, ScanOp, WhileOp, YieldOp
from kc.dialects.graph.data_types import (
    ConstructOp,
    ConstructorOp,
    ConstructorPattern,
    MatchOp,
    Pattern,
    TuplePattern,
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
from kc.dialects.graph.references import RefCreateOp, RefReadOp, RefWriteOp
from kc.dialects.graph.sizes import SizeExpr, dimension, evaluate, substitute
from kc.dialects.graph.types import Spec, TensorSpec, spec_of
from kc.dialects.graph.values import ConstantOp, LetOp, TupleGetItemOp, TupleOp, numpy_dtype
from kc.graph.operator_calls import Way, call_operator, resolved
from kc.graph.signature import flattened, signature_of, unflattened
from kc.runtime.python_function import PythonFunction
from kc.support.diagnostics import GraphError, counted, suggest
from kc.support.locations import location_of

MOST_CALLS = 10_000
"""The calls that may be open at once: recursion that goes deeper is refused."""


@dataclass(frozen=True)
class FunctionValue:
    """A function that is a value: a block with what it has captured."""

    block: Block
    name: str
    bound: tuple[Any, ...] = ()
    """The values of its first arguments."""
    captured: dict[SSAValue, Any] = field(default_factory=dict, repr=False)
    sizes: dict[str, int] = field(default_factory=dict, repr=False)
    """The sizes of names where it was made, for a body that uses them too."""
    outer_sizes: dict[str, int] = field(default_factory=dict, repr=False)
    """The sizes of the caller's names, for names in its body that no argument has, such as that of
    a group of ``graph.zeros``."""
    has_itself: bool = False
    """True if its first argument is itself."""


@dataclass(frozen=True)
class DataValue:
    """A value of a data type: a constructor and its fields."""

    tag: str
    fields: tuple[Any, ...] = ()


@dataclass(eq=False)
class Reference:
    """A mutable reference."""

    value: Any


Value: TypeAlias = Any
"""An array, a tuple of values, a :class:`DataValue`, a :class:`Reference`, a
:class:`FunctionValue`, or the name of a constructor, which is a function."""

_Steps: TypeAlias = "Generator[tuple[FunctionValue, Sequence[Value], Operation], Value, Value]"
"""The work on a block: it yields the calls to make, and gets their results."""


class Interpreter:
    """Runs the functions of a module of graphs.

    ``way`` says how operators are run: ``"compiled"``, or ``"interpreter"`` for the interpreter of
    tensor expressions, which is slow and checks each access.
    """

    def __init__(self, module: Any, way: Way = "compiled") -> None:
        """``module`` is an IRModule or a ``builtin.module``, which must not be changed meanwhile.

        Raises GraphError KC2441 for a module without a function of a graph.
        """
        op = getattr(module, "op", module)
        assert isinstance(op, ModuleOp)
        self.module = op
        self.way: Way = way
        self.functions = {each.sym_name.data: each for each in graph_functions(op)}
        if not self.functions:
            raise GraphError(
                "KC2441", "the module has no function of a graph", location=location_of(op)
            )

    def function(self, name: str = "main") -> FuncOp:
        """The function of a name. Raises GraphError KC2441 if there is none."""
        if name not in self.functions:
            raise GraphError(
                "KC2441",
                f"the module has no function @{name}",
                location=location_of(self.module),
                hints=suggest(name, self.functions, "the functions are"),
            )
        return self.functions[name]

    def run(self, *arguments: Value, name: str = "main") -> Value:
        """The result of a function: an array, or a tuple of values.

        Arguments are arrays, tuples of these, or functions that a call has returned. Raises
        GraphError: KC2442 for arguments that do not fit, KC2443 for shapes that do not agree while
        it runs, KC2444 for recursion that is too deep, KC2445 for an operator without a
        computation, KC2446 for a constant whose elements are not known.
        """
        function = self.function(name)
        block = function.body.block
        names = function.arg_names
        if len(arguments) != len(block.args):
            raise GraphError(
                "KC2442",
                f"@{name} takes {counted(len(block.args), 'argument')}, "
                f"{counted(len(arguments), 'argument')} came",
                location=location_of(function),
                facts=[f"the arguments: {', '.join(names) or 'none'}"],
            )
        values = [
            _array_value(value, argument.type, f"@{name}: the argument {label}")
            for value, argument, label in zip(arguments, block.args, names, strict=True)
        ]
        return self._run(FunctionValue(block, name), values, function)

    def callable(self, name: str = "main") -> PythonFunction:
        """A function as one of a compiled module: arrays for inputs, then for outputs.

        Raises GraphError KC2440 for arguments or results that are no tensors.
        """
        function = self.function(name)
        signature = signature_of(function)
        inputs = [spec.name for spec in signature.args if spec.role == "in"]

        def run(*arrays: Any) -> None:
            rest = iter(arrays[: len(inputs)])
            arguments = [unflattened(argument.type, rest) for argument in function.body.block.args]
            results = flattened(self.run(*arguments, name=name))
            for output, result in zip(arrays[len(inputs) :], results, strict=True):
                output[...] = result

        return PythonFunction(signature, run)

    def _run(self, function: FunctionValue, values: Sequence[Value], caller: Operation) -> Value:
        """Run a function. Calls are kept on a list, so that recursion is none of Python's."""
        frames = [_Frame(self, function, values, caller).steps()]
        result: Value = None
        while frames:
            try:
                called, arguments, call = frames[-1].send(result)
            except StopIteration as ended:
                frames.pop()
                result = ended.value
                continue
            if len(frames) == MOST_CALLS:
                raise GraphError(
                    "KC2444",
                    f"{called.name} is called {MOST_CALLS} calls deep",
                    location=location_of(call),
                    why="a recursive function must come to an end, as by graph.if",
                )
            frames.append(_Frame(self, called, arguments, call).steps())
            result = None
        return result


class _Frame:
    """A call of a function: its values, and the sizes of its names."""

    def __init__(
        self,
        interpreter: Interpreter,
        function: FunctionValue,
        arguments: Sequence[Value],
        call: Operation,
    ) -> None:
        self.interpreter = interpreter
        self.function = function
        self.values = dict(function.captured)
        self.sizes = dict(function.sizes)
        itself = (function,) if function.has_itself else ()
        values = (*itself, *function.bound, *arguments)
        for argument, value in zip(function.block.args, values, strict=True):
            self._define(argument, value, call)
        self.sizes = {**function.outer_sizes, **self.sizes}

    def steps(self) -> _Steps:
        return self._block(self.function.block)

    def _define(self, target: SSAValue, value: Value, op: Operation) -> None:
        """Give a value to an SSA value, whose type must have its shape."""
        self._check(target.type, value, op)
        self.values[target] = value

    def _check(self, type_: Attribute, value: Value, op: Operation) -> None:
        if isinstance(type_, TupleType):
            for part, each in zip(type_.types, value, strict=True):
                self._check(part, each, op)
            return
        spec = spec_of(type_)
        if not isinstance(spec, TensorSpec):
            return
        if len(spec.shape) != value.ndim:
            raise self._disagreement(spec, value, "", op)
        for size, actual in zip(spec.shape, value.shape, strict=True):
            if isinstance(size, SizeExpr):
                self.sizes.update(solved(size, actual, self.sizes))
                if size.names <= self.sizes.keys():
                    expected = evaluate(size, self.sizes)
                    if expected != actual:
                        raise self._disagreement(spec, value, f"{size} is {expected}", op)
            elif size is not None and size != actual:
                raise self._disagreement(spec, value, "", op)

    def _disagreement(self, spec: TensorSpec, value: Value, why: str, op: Operation) -> GraphError:
        return GraphError(
            "KC2443",
            f"{_what(op)}: an array of shape {list(value.shape)} for {spec}",
            location=location_of(op),
            why=why or None,
            facts=[f"{name} is {size}" for name, size in sorted(self.sizes.items())],
        )

    def _block(self, block: Block) -> _Steps:
        """Run a block; the result is that of a function, or the list of what a region yields."""
        values = self.values
        for op in block.ops:
            match op:
                case OperatorOp():
                    self._define(op.result, self._operator(op), op)
                case ConstantOp():
                    values[op.result] = _elements(op)
                case TupleOp():
                    values[op.result] = tuple(values[part] for part in op.fields)
                case TupleGetItemOp():
                    values[op.result] = values[op.tuple][op.index.value.data]
                case LetOp():
                    values[op.result] = values[op.value]
                case CallOp():
                    callee = self._named(op.callee.string_value())
                    result = yield callee, [values[part] for part in op.arguments], op
                    self._define(op.result, result, op)
                case CallIndirectOp():
                    arguments = [values[part] for part in op.arguments]
                    callee = values[op.callee]
                    if isinstance(callee, str):
                        values[op.result] = DataValue(callee, tuple(arguments))
                        continue
                    result = yield callee, arguments, op
                    self._define(op.result, result, op)
                case ConstructOp():
                    fields = tuple(values[part] for part in op.fields)
                    values[op.result] = DataValue(op.tag.data, fields)
                case ConstructorOp():
                    values[op.result] = op.tag.data
                case RefCreateOp():
                    values[op.result] = Reference(values[op.value])
                case RefReadOp():
                    self._define(op.result, values[op.ref].value, op)
                case RefWriteOp():
                    values[op.ref].value = values[op.value]
                    values[op.result] = ()
                case FunctionRefOp():
                    values[op.result] = self._named(op.callee.string_value())
                case ClosureOp():
                    bound = tuple(values[part] for part in op.captured)
                    values[op.result] = self._named(op.callee.string_value(), bound)
                case FnOp():
                    captured = {
                        value: values[value] for value in captured_values(op) if value in values
                    }
                    sizes = dict(self.sizes)
                    is_recursive = op.itself is not None
                    values[op.result] = FunctionValue(
                        op.body.block, "a function", (), captured, sizes, has_itself=is_recursive
                    )
                case IfOp():
                    chosen = op.then if bool(values[op.condition]) else op.otherwise
                    (result,) = yield from self._block(chosen.block)
                    self._define(op.result, result, op)
                case WhileOp():
                    result = yield from self._loop(op)
                    self._define(op.result, result, op)
                case MatchOp():
                    chosen = self._case(op)
                    (result,) = yield from self._block(chosen)
                    self._define(op.result, result, op)
                case ScanOp():
                    result = yield from self._scan(op)
                    self._define(op.result, result, op)
                case ReturnOp():
                    return values[op.value]
                case YieldOp():
                    return [values[part] for part in op.values]
                case _:
                    raise GraphError(
                        "KC2445",
                        f"{op.name} is not a graph operation that can be run",
                        location=location_of(op),
                        why="graphs consist of operators, calls, tuples, and control flow",
                    )
        raise AssertionError("a block without a terminator")

    def _loop(self, op: WhileOp) -> _Steps:
        carried = self.values[op.start]
        while True:
            self._define(op.condition.block.args[0], carried, op)
            (condition,) = yield from self._block(op.condition.block)
            if not bool(condition):
                return carried
            self._define(op.body.block.args[0], carried, op)
            (carried,) = yield from self._block(op.body.block)

    def _case(self, op: MatchOp) -> Block:
        """The block of the first case whose pattern the value has, with its arguments defined."""
        value = self.values[op.data]
        for pattern, region in zip(op.patterns, op.cases, strict=True):
            parts = matched(pattern.data, value)
            if parts is not None:
                for argument, part in zip(region.block.args, parts, strict=True):
                    self._define(argument, part, op)
                return region.block
        raise GraphError(
            "KC2483",
            f"graph.match: no case is that of {_described(value)}",
            location=location_of(op),
            facts=[f"the cases: {', '.join(str(each) for each in op.patterns)}"],
            why="a match that is partial must have a case for each value that comes",
        )

    def _scan(self, op: ScanOp) -> _Steps:
        import numpy as np

        carried, whole = self.values[op.init], self.values[op.xs]
        parts = whole if isinstance(whole, tuple) else (whole,)
        lengths = {len(part) for part in parts}
        if len(lengths) != 1:
            raise GraphError(
                "KC2443",
                f"graph.scan: the tensors have {' and '.join(map(str, sorted(lengths)))} slices",
                location=location_of(op),
            )
        (length,) = lengths
        order = range(length)[::-1] if op.reverse is not None else range(length)
        rows: dict[int, Any] = {}
        first, second = op.body.block.args
        for n in order:
            row = tuple(np.ascontiguousarray(part[n]) for part in parts)
            self._define(first, carried, op)
            self._define(second, row if isinstance(whole, tuple) else row[0], op)
            carried, rows[n] = yield from self._block(op.body.block)
        last = op.body.block.last_op
        assert isinstance(last, YieldOp)
        type_ = last.values[1].type
        if isinstance(type_, TupleType):
            columns = [[rows[n][field] for n in range(length)] for field in range(len(type_.types))]
            return carried, tuple(
                _stacked(column, part) for column, part in zip(columns, type_.types, strict=True)
            )
        return carried, _stacked([rows[n] for n in range(length)], type_)

    def _named(self, name: str, bound: tuple[Value, ...] = ()) -> FunctionValue:
        function = self.interpreter.function(name)
        block = function.body.block
        return FunctionValue(block, f"@{name}", bound, outer_sizes=dict(self.sizes))

    def _operator(self, op: OperatorOp) -> Value:
        arrays = [self.values[operand] for operand in op.inputs]
        dtypes = [spec.dtype for spec in op.specs() if spec is not None]
        try:
            operator = resolved(op.operator, self.sizes)
            declared = _with_sizes(spec_of(op.result.type), self.sizes)
            results = call_operator(operator, arrays, dtypes, self.interpreter.way, declared)
        except RelationError as error:
            raise GraphError(
                "KC2400",
                f"{op.name}: {error}",
                location=location_of(op),
                facts=[f"{name} is {size}" for name, size in sorted(self.sizes.items())],
            ) from error
        except KeyError as error:
            if error.args != (op.OPERATOR.name,):
                raise
            raise no_computation(op) from error
        if isinstance(op.result.type, TupleType):
            return unflattened(op.result.type, iter(results))
        (result,) = results
        return result


def _with_sizes(spec: Spec | None, sizes: Mapping[str, int]) -> Spec | None:
    """A type with its sizes replaced by their values."""
    if isinstance(spec, tuple):
        parts = [_with_sizes(part, sizes) for part in spec]
        return tuple(part for part in parts if part is not None)
    if spec is None:
        return None
    return TensorSpec(tuple(substitute(size, sizes) for size in spec.shape), spec.dtype)


def solved(size: SizeExpr, actual: int, values: Mapping[str, int]) -> dict[str, int]:
    """The value of the only unknown name in a size, where it stands in a multiple of it alone."""
    missing = size.names - values.keys()
    if len(missing) != 1:
        return {}
    (name,) = missing
    factor = dict(size.terms).get((name,))
    if factor is None:
        return {}
    rest = size - factor * dimension(name)
    if isinstance(rest, SizeExpr) and name in rest.names:
        return {}
    multiple = actual - evaluate(rest, values)
    return {} if multiple % factor else {name: multiple // factor}


def no_computation(op: OperatorOp) -> GraphError:
    """The refusal (KC2445) of an operator that no computation is known for."""
    return GraphError(
        "KC2445",
        f"{op.name} has no computation",
        location=location_of(op),
        why="a pass is to replace it, or a plugin is to compute it (operator_lowerings)",
    )


def graph_functions(module: ModuleOp) -> list[FuncOp]:
    """The functions of graphs in a module, in their order."""
    return [op for op in module.body.ops if isinstance(op, FuncOp)]


def captured_values(op: FnOp) -> Iterator[SSAValue]:
    """The values from outside that the body of a function uses."""
    for inner in op.body.walk():
        for operand in inner.operands:
            if not _is_inside(operand, op.body):
                yield operand


def _is_inside(value: SSAValue, region: Region) -> bool:
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while block is not None:
        if block.parent is region:
            return True
        above = block.parent_op()
        block = None if above is None else above.parent
    return False


def _elements(op: ConstantOp) -> Any:
    if op.is_elided:
        raise elided(op)
    return op.array


def elided(op: ConstantOp) -> GraphError:
    """The refusal (KC2446) of a constant whose elements a text left out."""
    return GraphError(
        "KC2446",
        f"the elements of a constant are not known: it is {op.result.type}",
        location=location_of(op),
        why="the text gives a hash and a size in their place (--elide)",
        hints=["--params=FILE brings the elements"],
    )


def _array_value(value: Value, type_: Attribute, label: str) -> Value:
    """An argument of a call from outside as a value. Raises GraphError KC2442."""
    import numpy as np

    if isinstance(type_, TupleType):
        if not isinstance(value, tuple | list) or len(value) != len(type_.types):
            raise GraphError(
                "KC2442",
                f"{label} is {type(value).__name__}, but must be a tuple of "
                f"{counted(len(type_.types), 'value')}",
            )
        return tuple(
            _array_value(each, part, f"{label}[{n}]")
            for n, (each, part) in enumerate(zip(value, type_.types, strict=True))
        )
    spec = spec_of(type_)
    if not isinstance(spec, TensorSpec):
        return _with_arrays(value)
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    kind = numpy_dtype(spec.dtype)
    if array.dtype != kind:
        if not isinstance(value, bool | int | float):
            raise GraphError(
                "KC2442", f"{label} has elements of {array.dtype}, but must have {spec.dtype}"
            )
        array = array.astype(kind)
    fits = array.ndim == spec.rank and all(
        not isinstance(size, int) or size == actual
        for size, actual in zip(spec.shape, array.shape, strict=True)
    )
    if not fits:
        raise GraphError("KC2442", f"{label} has the shape {list(array.shape)}, but must be {spec}")
    return array


def matched(pattern: Pattern, value: Value) -> list[Value] | None:
    """The parts of a value that a pattern names; None if the value does not have the pattern."""
    match pattern:
        case Wildcard():
            return []
        case ConstructorPattern() | TuplePattern():
            if isinstance(pattern, ConstructorPattern):
                if value.tag != pattern.tag:
                    return None
                fields = value.fields
            else:
                fields = value
            parts: list[Value] = []
            for own, each in zip(pattern.fields, fields, strict=True):
                inner = matched(own, each)
                if inner is None:
                    return None
                parts += inner
            return parts
        case _:
            return [value]


def _described(value: Value) -> str:
    """A value in a diagnostic: constructors alone, as tensors may be large."""
    match value:
        case DataValue():
            return f"{value.tag}({', '.join(map(_described, value.fields))})"
        case tuple():
            return f"({', '.join(map(_described, value))})"
        case _:
            return "_"


def _stacked(rows: Sequence[Value], type_: Attribute) -> Value:
    """Arrays as the slices of one; of none of them, the array without slices."""
    import numpy as np

    if rows:
        return np.stack(rows)
    spec = spec_of(type_)
    assert isinstance(spec, TensorSpec)
    shape = tuple(size if isinstance(size, int) else 0 for size in spec.shape)
    return np.zeros((0, *shape), numpy_dtype(spec.dtype))


def _with_arrays(value: Value) -> Value:
    """A value of a data type whose fields are arrays, where they may be numbers of numpy."""
    import numpy as np

    match value:
        case DataValue():
            return DataValue(value.tag, tuple(map(_with_arrays, value.fields)))
        case tuple():
            return tuple(map(_with_arrays, value))
        case np.generic():
            return np.asarray(value)
        case _:
            return value


def _what(op: Operation) -> str:
    return f"@{op.sym_name.data}" if isinstance(op, FuncOp) else op.name
