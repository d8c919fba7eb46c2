"""A graph as a static order of kernels over buffers: what the memory plan and the build work on.

:func:`program_of` follows a function from its first operation to its last. Each group of operators
(:mod:`kc.graph.group`) is a :class:`Launch`; an operator outside of a group is a group of its own.
Calls of other functions, also of functions that are values, are followed where they stand, so that
what is left is kernels, copies, branches and loops.

A result whose size depends on elements has a buffer for the largest size, and one for the size. It
can only be a result of the function, which then gives both: whoever calls it cuts.

A value is a :class:`View` of a buffer. Operators that only give elements another shape
(:mod:`kc.building.graphs.views`) make views, concatenation along the outermost dimension lets the
kernels of its parts write where the parts belong, and results of the function are written by the
kernels that compute them. Copies remain where none of this is possible.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, Operation, SSAValue

from kc.building.graphs import views
from kc.dialects.graph.control import IfOp, ScanOp, WhileOp, YieldOp
from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.functions import (
    CallIndirectOp,
    CallOp,
    ClosureOp,
    FnOp,
    FuncOp,
    FunctionRefOp,
    ReturnOp,
)
from kc.dialects.graph.sizes import Size, product_of
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.dialects.graph.values import ConstantOp, LetOp, TupleGetItemOp, TupleOp
from kc.graph.group import bound_of, depends_on_elements, group_of_operator, is_group, type_leaves
from kc.graph.interpreter import FunctionValue, captured_values, elided
from kc.graph.signature import argument_leaves, flattened, result_leaves, unflattened
from kc.runtime.signature import DTYPES
from kc.support.diagnostics import GraphError
from kc.support.fresh_names import fresh_name
from kc.support.locations import location_of

MOST_SLICES = 4096
"""The slices of a scan that is compiled."""


class Place(enum.Enum):
    """The kind of memory that holds a buffer."""

    INPUT = "input"
    OUTPUT = "output"
    CONSTANT = "constant"
    ARENA = "arena"


@dataclass(eq=False)
class Buffer:
    """Memory of dense elements, or a part of other memory if ``into`` is set."""

    name: str
    spec: TensorSpec
    place: Place
    position: int = 0
    """Among the inputs, outputs or constants."""
    into: View | None = None
    count: View | None = None
    """The number of the slices that are the value, if the memory is for the largest number."""
    is_fixed: bool = False
    """True for memory that is written more than once: what a loop carries."""

    @property
    def bytes(self) -> Size:
        """The size, without the gap behind it."""
        return bytes_of(self.spec)

    def __repr__(self) -> str:
        return f"<{self.place.value} {self.name}: {self.spec}>"


@dataclass(frozen=True)
class View:
    """A dense tensor in a buffer, from a byte on."""

    buffer: Buffer
    offset: Size
    spec: TensorSpec

    @property
    def resolved(self) -> View:
        """The view of memory of its own."""
        view = self
        while view.buffer.into is not None:
            outer = view.buffer.into
            view = View(outer.buffer, outer.offset + view.offset, self.spec)
        return view

    @property
    def is_whole(self) -> bool:
        """True if it is all of its buffer."""
        return self.offset == 0 and bytes_of(self.spec) == self.buffer.bytes


@dataclass(eq=False)
class Launch:
    """A call of the kernel of a group."""

    group: FuncOp
    inputs: list[View]
    outputs: list[View]
    op: Operation
    in_place: dict[int, int] = field(default_factory=dict)
    """Output -> the input whose memory it takes."""
    workspace: Buffer | None = None
    """The memory that the kernel needs besides."""


@dataclass(eq=False)
class Copy:
    """A copy of all elements of one view to another."""

    source: View
    target: View
    op: Operation


@dataclass(eq=False)
class Branch:
    """The steps of one of two regions."""

    condition: View
    then: list[Step]
    otherwise: list[Step]


@dataclass(eq=False)
class Loop:
    """The steps of the condition, then those of the body, until the condition is false."""

    condition: View
    test: list[Step]
    body: list[Step]


Step = Launch | Copy | Branch | Loop


@dataclass
class Program:
    """The steps of a function, and its buffers."""

    function: FuncOp
    inputs: list[Buffer]
    outputs: list[Buffer]
    constants: list[Buffer] = field(default_factory=list)
    elements: list[ConstantOp] = field(default_factory=list)
    """The constants that ``constants`` hold."""
    steps: list[Step] = field(default_factory=list)
    counts: dict[int, int] = field(default_factory=dict)
    """Output of which a part is the result -> output that is the number of slices in that."""
    buffers: list[Buffer] = field(default_factory=list)
    """The buffers in the arena, those too that became parts of others."""


def bytes_of(spec: TensorSpec) -> Size:
    """The bytes of a tensor."""
    elements = product_of(spec.shape)
    assert elements is not None
    return elements * DTYPES[spec.dtype].size


def all_steps(steps: Sequence[Step]) -> Iterator[Launch | Copy]:
    """The launches and copies, in order, also those in branches and loops."""
    for step in steps:
        if isinstance(step, Branch):
            yield from all_steps(step.then)
            yield from all_steps(step.otherwise)
        elif isinstance(step, Loop):
            yield from all_steps(step.test)
            yield from all_steps(step.body)
        else:
            yield step


def program_of(function: FuncOp, functions: dict[str, FuncOp]) -> Program:
    """The program of a function of a module that has these functions.

    Raises GraphError: KC2440 for arguments or results that are no tensors, KC2446 for a constant
    without elements, KC2448 for recursion or a function that is known at run time only; and the
    errors of :func:`kc.graph.group.group_tensors` later.
    """
    inputs = [
        Buffer(name, spec, Place.INPUT, n)
        for n, (name, spec) in enumerate(argument_leaves(function))
    ]
    taken = [buffer.name for buffer in inputs]
    outputs = [
        Buffer(name, spec, Place.OUTPUT, n)
        for n, (name, spec) in enumerate(result_leaves(function, taken))
    ]
    program = Program(function, inputs, outputs)
    builder = _Builder(program, functions)
    rest = (View(buffer, 0, buffer.spec) for buffer in inputs)
    arguments = [unflattened(argument.type, rest) for argument in function.body.block.args]
    result = builder.call(
        FunctionValue(function.body.block, function.sym_name.data), arguments, function
    )
    for view, buffer in zip(flattened(result), list(outputs), strict=True):
        count = view.buffer.count
        if count is not None:
            names = {each.name for each in (*inputs, *outputs)}
            name = fresh_name(f"{buffer.name}_count", names)
            number = Buffer(name, count.spec, Place.OUTPUT, len(outputs))
            outputs.append(number)
            program.counts[buffer.position] = number.position
            builder.deliver(count, View(number, 0, number.spec), function.return_op)
        elif None in buffer.spec.shape:
            raise depends_on_elements(function, f"the result {buffer.name} is {buffer.spec}")
        buffer.spec = view.spec
        builder.deliver(view, View(buffer, 0, buffer.spec), function.return_op)
    return program


COUNT = TensorSpec((1,), "int32")
"""The type of the number of slices of a result whose size depends on elements."""


def _require_whole(arguments: Sequence[Any], op: Operation) -> None:
    """Refuse operands of which only a part is the value (KC2447)."""
    if any(view.buffer.count is not None for value in arguments for view in flattened(value)):
        raise depends_on_elements(op, "the size of an operand depends on elements")


class _Builder:
    def __init__(self, program: Program, functions: dict[str, FuncOp]) -> None:
        self.program = program
        self.functions = functions
        self.steps = program.steps
        self.values: dict[SSAValue, Any] = {}
        self.open: list[str] = []
        """The functions that are being followed."""
        self.writers: dict[Buffer, list[Step]] = {}
        """The list of steps in which a buffer is written, by a kernel and once."""
        self.constants: dict[Any, Buffer] = {}

    def call(self, function: FunctionValue, arguments: Sequence[Any], op: Operation) -> Any:
        if function.name in self.open or len(self.open) > 200:
            raise GraphError(
                "KC2448",
                f"{function.name} calls itself, so it has no static order",
                location=location_of(op),
                facts=[f"the calls: {' -> '.join([*self.open[-6:], function.name])}"],
                why="compiled graphs have loops, and no recursion",
                hints=["graph.while", "the interpreter runs recursive functions"],
            )
        self.open.append(function.name)
        outer = self.values
        self.values = dict(function.captured)
        values = (*function.bound, *arguments)
        self.values.update(zip(function.block.args, values, strict=True))
        (result,) = self.block(function.block)
        self.values = outer
        self.open.pop()
        return result

    def block(self, block: Block) -> list[Any]:
        """Follow a block; the values that it ends with."""
        values = self.values
        for op in block.ops:
            match op:
                case OperatorOp():
                    values[op.result] = self.operator(op)
                case ConstantOp():
                    values[op.result] = self.constant(op)
                case TupleOp():
                    values[op.result] = tuple(values[part] for part in op.fields)
                case TupleGetItemOp():
                    values[op.result] = values[op.tuple][op.index.value.data]
                case LetOp():
                    values[op.result] = values[op.value]
                case CallOp():
                    name = op.callee.string_value()
                    arguments = [values[part] for part in op.arguments]
                    if is_group(self.functions[name]):
                        values[op.result] = self.launch(self.functions[name], arguments, op)
                    else:
                        values[op.result] = self.call(self.named(name), arguments, op)
                case FunctionRefOp():
                    values[op.result] = self.named(op.callee.string_value())
                case ClosureOp():
                    bound = tuple(values[part] for part in op.captured)
                    values[op.result] = self.named(op.callee.string_value(), bound)
                case FnOp():
                    captured = {v: values[v] for v in captured_values(op) if v in values}
                    name = f"the function of {location_of(op) or op.name}"
                    values[op.result] = FunctionValue(op.body.block, name, (), captured)
                case CallIndirectOp():
                    callee = values[op.callee]
                    arguments = [values[part] for part in op.arguments]
                    group = self.functions.get(callee.name.removeprefix("@"))
                    if group is not None and is_group(group):
                        operands = [*callee.bound, *arguments]
                        values[op.result] = self.launch(group, operands, op)
                    else:
                        values[op.result] = self.call(callee, arguments, op)
                case IfOp():
                    values[op.result] = self.branch(op)
                case WhileOp():
                    values[op.result] = self.loop(op)
                case ScanOp():
                    values[op.result] = self.scan(op)
                case ReturnOp():
                    return [values[op.value]]
                case YieldOp():
                    return [values[part] for part in op.values]
                case _:
                    raise GraphError(
                        "KC2445",
                        f"{op.name} is not a graph operation that can be compiled",
                        location=location_of(op),
                        why="only the interpreter runs data types, references, and functions that "
                        "are known when they are called",
                        hints=[
                            "--partial-evaluate may leave tensors alone",
                            "kc.graph.Interpreter(mod).run(...), relay.create_executor",
                        ],
                    )
        raise AssertionError("a block without a terminator")

    def named(self, name: str, bound: tuple[Any, ...] = ()) -> FunctionValue:
        return FunctionValue(self.functions[name].body.block, f"@{name}", bound)

    def arena(self, spec: TensorSpec, name: str) -> Buffer:
        if None in spec.shape:
            raise depends_on_elements(self.program.function, f"a value is {spec}")
        buffer = Buffer(f"{name}_{len(self.program.buffers)}", spec, Place.ARENA)
        self.program.buffers.append(buffer)
        return buffer

    def constant(self, op: ConstantOp) -> View:
        if op.is_elided:
            raise elided(op)
        buffer = self.constants.get(op.value)
        if buffer is None:
            (spec,) = type_leaves(op.result.type)
            number = len(self.program.constants)
            buffer = Buffer(f"constant_{number}", spec, Place.CONSTANT, number)
            self.constants[op.value] = buffer
            self.program.constants.append(buffer)
            self.program.elements.append(op)
        return View(buffer, 0, buffer.spec)

    def operator(self, op: OperatorOp) -> Any:
        inputs = [self.values[operand] for operand in op.inputs]
        _require_whole(inputs, op)
        view = views.view_of(op, inputs)
        if view is not None:
            return view
        if views.joins_outermost(op):
            return self.joined(op, inputs)
        group, arguments = group_of_operator(op)
        return self.launch(group, [self.values[value] for value in arguments], op)

    def launch(self, group: FuncOp, arguments: Sequence[Any], op: Operation) -> Any:
        """The result of a group: views where it computes nothing, else that of its kernel."""
        block = group.body.block
        _require_whole(arguments, op)
        values: dict[SSAValue, Any] = dict(zip(block.args, arguments, strict=True))
        for inner in block.ops:
            match inner:
                case OperatorOp():
                    view = views.view_of(inner, [values.get(part) for part in inner.inputs])
                    if view is None:
                        break
                    values[inner.result] = view
                case TupleOp():
                    values[inner.result] = tuple(values[part] for part in inner.fields)
                case TupleGetItemOp():
                    values[inner.result] = values[inner.tuple][inner.index.value.data]
                case LetOp():
                    values[inner.result] = values[inner.value]
                case ReturnOp():
                    return values[inner.value]
                case _:
                    break
        (result,) = group.function_type.outputs.data
        leaves = type_leaves(result)
        bound = bound_of(group)
        outputs: list[View] = []
        counts: list[View] = []
        for declared, spec in zip(
            leaves, leaves if bound is None else flattened(bound), strict=True
        ):
            buffer = self.arena(spec, group.sym_name.data)
            self.writers[buffer] = self.steps
            outputs.append(View(buffer, 0, spec))
            if spec != declared:
                count = self.arena(COUNT, f"{group.sym_name.data}_count")
                self.writers[count] = self.steps
                buffer.count = View(count, 0, COUNT)
                counts.append(buffer.count)
        inputs = [view for value in arguments for view in flattened(value)]
        self.steps.append(Launch(group, inputs, [*outputs, *counts], op))
        return unflattened(result, iter(outputs)) if isinstance(result, TupleType) else outputs[0]

    def joined(self, op: OperatorOp, parts: Sequence[View]) -> View:
        """A concatenation whose parts are written in place."""
        (spec,) = type_leaves(op.result.type)
        whole = View(self.arena(spec, "concatenate"), 0, spec)
        offset: Size = 0
        for part in parts:
            self.deliver(part, View(whole.buffer, offset, part.spec), op)
            offset = offset + bytes_of(part.spec)
        self.writers[whole.buffer] = self.steps
        return whole

    def deliver(self, view: View, target: View, op: Operation) -> None:
        """Have a value in a certain place: its kernel writes it there, or it is copied."""
        source = view.resolved
        buffer = view.buffer
        is_movable = (
            view.is_whole
            and buffer.into is None
            and not buffer.is_fixed
            and self.writers.get(buffer) is self.steps
        )
        if is_movable:
            buffer.into = View(target.buffer, target.offset, buffer.spec)
        elif source != target.resolved:
            self.steps.append(Copy(view, target, op))

    def _region(self, block: Block, steps: list[Step]) -> list[Any]:
        outer, self.steps = self.steps, steps
        result = self.block(block)
        self.steps = outer
        return result

    def branch(self, op: IfOp) -> Any:
        specs = self._tensors(op)
        results = [View(self.arena(spec, "if"), 0, spec) for spec in specs]
        for view in results:
            view.buffer.is_fixed = True
        branch = Branch(self.values[op.condition], [], [])
        for region, steps in ((op.then, branch.then), (op.otherwise, branch.otherwise)):
            (value,) = self._region(region.block, steps)
            outer, self.steps = self.steps, steps
            for view, target in zip(flattened(value), results, strict=True):
                self.deliver(view, target, op)
            self.steps = outer
        self.steps.append(branch)
        return unflattened(op.result.type, iter(results))

    def loop(self, op: WhileOp) -> Any:
        carried = [View(self.arena(spec, "carried"), 0, spec) for spec in self._tensors(op)]
        for view, target in zip(flattened(self.values[op.start]), carried, strict=True):
            # Copied and not moved, because the loop overwrites the carried value, which may have
            # other uses.
            self.steps.append(Copy(view, target, op))
        for view in carried:
            view.buffer.is_fixed = True
        value = unflattened(op.result.type, iter(carried))
        self.values[op.condition.block.args[0]] = value
        self.values[op.body.block.args[0]] = value
        loop = Loop(carried[0], [], [])
        (loop.condition,) = self._region(op.condition.block, loop.test)
        (following,) = self._region(op.body.block, loop.body)
        outer, self.steps = self.steps, loop.body
        moves = [
            (view, target)
            for view, target in zip(flattened(following), carried, strict=True)
            if view.resolved != target
        ]
        # A value that another move overwrites is saved first.
        roots = [target.buffer for _, target in moves]
        for n, (view, target) in enumerate(moves):
            if view.resolved.buffer in roots:
                new_value = View(self.arena(view.spec, "next"), 0, view.spec)
                self.steps.append(Copy(view, new_value, op))
                moves[n] = (new_value, target)
        for view, target in moves:
            self.steps.append(Copy(view, target, op))
        self.steps = outer
        self.steps.append(loop)
        return value

    def scan(self, op: ScanOp) -> Any:
        """The slices one after the other: each reads and writes parts of whole tensors."""
        length = op.length
        if not isinstance(length, int) or length > MOST_SLICES:
            raise GraphError(
                "KC2448",
                f"graph.scan has {length or 'an unknown number of'} slices",
                location=location_of(op),
                why=f"a compiled scan is written out; it has a known number of at most "
                f"{MOST_SLICES} slices",
                hints=["graph.while", "the interpreter runs scans of any length"],
            )
        whole = list(flattened(self.values[op.xs]))
        rows = [View(self.arena(spec, "scan"), 0, spec) for spec in self._tensors(op)]
        rows = rows[len(type_leaves(op.init.type)) :]
        for view in rows:
            self.writers[view.buffer] = self.steps
        first, second = op.body.block.args
        carried = self.values[op.init]
        for n in range(length)[::-1] if op.reverse is not None else range(length):
            self.values[first] = carried
            self.values[second] = unflattened(second.type, iter([_row(v, n) for v in whole]))
            carried, value = self.block(op.body.block)
            for view, row in zip(flattened(value), rows, strict=True):
                self.deliver(view, _row(row, n), op)
        assert isinstance(op.result.type, TupleType)
        return carried, unflattened(op.result.type.types.data[1], iter(rows))

    def _tensors(self, op: IfOp | WhileOp | ScanOp) -> list[TensorSpec]:
        """The tensors of a result. Raises GraphError KC2448 if it has other parts."""
        specs = type_leaves(op.result.type) if _is_data(op.result.type) else None
        if specs is None:
            raise GraphError(
                "KC2448",
                f"{op.name} gives {op.result.type}",
                location=location_of(op),
                why="which function is called must be known before the graph runs",
                hints=["call the function in the region", "the interpreter runs such graphs"],
            )
        return list(specs)


def _row(view: View, index: int) -> View:
    """A slice of a tensor along its first dimension."""
    spec = TensorSpec(view.spec.shape[1:], view.spec.dtype)
    return View(view.buffer, view.offset + bytes_of(spec) * index, spec)


def _is_data(type_: Any) -> bool:
    """True for tensors and tuples of them."""
    return spec_of(type_) is not None
