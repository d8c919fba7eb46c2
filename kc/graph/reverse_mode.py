"""Reverse-mode differentiation of graphs: the gradient of a function, as a function.

The gradient computes the value as the function does, and then goes back over its operations: each
has the gradient that comes to its result, and gives one to each of its operands by the rules of
:mod:`kc.graph.gradients`. What comes to one value from several uses is added; what is zero is not
computed.

* An ``if`` goes back through the branch that was taken, whose values it computes again.
* A call of ``@f`` becomes a call of ``@f_vjp``: a function of the arguments and of the gradient
  that comes to the result, which computes ``@f`` again. It may call itself, as ``@f`` does.
* A call of a function that is a value is followed into the body, where it is known which one it
  is.
* A loop becomes a function that calls itself for the rest of the loop, and goes back through one
  turn after that. Only the interpreter runs this; ``partial-evaluate`` unrolls loops of a constant
  number of turns before.
* A scan becomes one that keeps what each slice gets, and a scan back over the slices.

Tensors of floats have gradients. Those of integers and booleans are zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any, TypeAlias

from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, TupleType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from kc.dialects.graph.control import IfOp, ScanOp, WhileOp, YieldOp, sliced_type
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
from kc.dialects.graph.types import TensorSpec, dtype_of, spec_of, tuple_type
from kc.dialects.graph.values import ConstantOp, LetOp, TupleGetItemOp, TupleOp
from kc.expr.dtypes import is_float
from kc.graph.gradients import Emitter, rule_of
from kc.graph.gradients.differentiation import vjp_of
from kc.graph.interpreter import graph_functions
from kc.support.diagnostics import GraphError
from kc.support.locations import location_of

Adjoint: TypeAlias = "SSAValue | tuple[Adjoint, ...] | None"
"""The gradient that comes to a value: None for zero, a tuple for a tuple."""

_MOST_INLINED = 64
"""Functions that are values are followed into each other that deep."""


def gradient_function(
    module: ModuleOp, function: FuncOp, name: str, wrt: Sequence[str] | None = None
) -> FuncOp:
    """The function ``name`` of the arguments of ``function`` that gives ``(value, gradients)``.

    The gradients are a tuple with that of each argument, or of those named in ``wrt``: the
    derivative of the sum of all elements of the value. Functions that it calls are added to the
    module; it is not.

    Raises GraphError: KC2480 for an operator without a gradient, KC2481 for a function that is not
    known before it is called, and for values that are no tensors.
    """
    return _Gradients(module).whole(function, name, wrt)


class _Gradients:
    """The functions of a module, and those that compute their gradients."""

    def __init__(self, module: ModuleOp) -> None:
        self.module = module
        self.functions = {each.sym_name.data: each for each in graph_functions(module)}
        self.names: dict[tuple[str, tuple[bool, ...]], str] = {}
        self.added: list[FuncOp] = []

    def whole(self, function: FuncOp, name: str, wrt: Sequence[str] | None) -> FuncOp:
        for argument, label in zip(function.body.block.args, function.arg_names, strict=True):
            _require_tensors(argument.type, function, f"the argument {label}")
        block = Block(arg_types=[each.type for each in function.body.block.args])
        body = _Body(self, block)
        is_chosen = [wrt is None or label in wrt for label in function.arg_names]
        active = [
            is_wanted and has_floats(each.type)
            for each, is_wanted in zip(block.args, is_chosen, strict=True)
        ]
        value = body.forward(function.body.block, block.args, active)
        _require_tensors(value.type, function.return_op, "the result")
        at = body.at
        heads = [at("ones_like", leaf) for leaf in body.float_leaves(value)]
        body.pull([(value, tree_of(value.type, iter(heads)))])
        gradients = [
            body.materialized(body.adjoints.get(argument), argument)
            for argument, is_wanted in zip(block.args, is_chosen, strict=True)
            if is_wanted
        ]
        block.add_op(ReturnOp(at.tuple([value, at.tuple(gradients)])))
        return self.finish(name, block, function, function.arg_names)

    def vjp(self, name: str, active: Sequence[bool]) -> str:
        """The function that gives the gradients of the float tensors of the ``active`` arguments of
        ``@name``, of its arguments and of the gradients of the float tensors of its result."""
        key = (name, tuple(active))
        if key in self.names:
            return self.names[key]
        function = self.functions[name]
        own = self.names[key] = self.new_name(f"{name}_vjp")
        block = Block(arg_types=[each.type for each in function.body.block.args])
        heads = [
            block.insert_arg(type_, len(block.args))
            for type_ in float_types(function.function_type.outputs.data[0])
        ]
        arguments = block.args[: len(function.body.block.args)]
        body = _Body(self, block)
        value = body.forward(function.body.block, arguments, active)
        body.pull([(value, tree_of(value.type, iter(heads)))])
        results = [
            leaf
            for argument, is_active in zip(arguments, active, strict=True)
            if is_active
            for leaf in body.leaves(body.adjoints.get(argument), argument)
        ]
        block.add_op(ReturnOp(body.at.tuple(results)))
        self.added.append(self.finish(own, block, function, None, "private"))
        self.module.body.block.add_op(self.added[-1])
        return own

    def new_name(self, base: str) -> str:
        taken = {
            str(getattr(each.get_attr_or_prop("sym_name"), "data", ""))
            for each in self.module.body.ops
        } | set(self.names.values())
        return next(n for n in (base, *(f"{base}_{i}" for i in range(1, 10**6))) if n not in taken)

    def finish(
        self,
        name: str,
        block: Block,
        origin: Operation,
        names: Sequence[str] | None,
        visibility: str | None = None,
    ) -> FuncOp:
        last = block.last_op
        assert isinstance(last, ReturnOp)
        type_ = FunctionType.from_lists([each.type for each in block.args], [last.value.type])
        function = FuncOp(name, type_, Region(block), names, visibility)
        function.location = origin.location
        return function


class _Body:
    """A function while it is differentiated: values forward, gradients back."""

    def __init__(self, gradients: _Gradients, block: Block) -> None:
        self.gradients = gradients
        self.at = Emitter(block)
        self.active: set[SSAValue] = set()
        self.adjoints: dict[SSAValue, Adjoint] = {}
        self.tape: list[Operation] = []
        self.makers: dict[SSAValue, Operation] = {}
        """The operations that make the functions that are values."""
        self.values: dict[SSAValue, SSAValue] = _Values()
        self.depth = 0

    # Forward.

    def forward(
        self, block: Block, arguments: Sequence[SSAValue], active: Iterable[bool]
    ) -> SSAValue:
        """Compute what a block does, of these arguments; the value that it ends with."""
        return self.ends(block, arguments, active)[0]

    def ends(
        self, block: Block, arguments: Sequence[SSAValue], active: Iterable[bool]
    ) -> list[SSAValue]:
        """Compute what a block does, of these arguments; the values that it ends with."""
        for argument, value, is_active in zip(block.args, arguments, active, strict=True):
            self.values[argument] = value
            if is_active:
                self.active.add(value)
        for op in block.ops:
            if isinstance(op, ReturnOp | YieldOp):
                return [self.values[value] for value in op.operands]
            self.step(op)
        raise AssertionError("a block without a terminator")

    def step(self, op: Operation) -> None:
        self.at.location = op.location
        match op:
            case FnOp() | FunctionRefOp() | ClosureOp():
                copy = self.copy(op)
                self.makers[copy.results[0]] = copy
                if any(value in self.active for value in self.captured(copy)):
                    self.active.add(copy.results[0])
            case LetOp() if self.values[op.value] in self.makers:
                self.values[op.result] = self.values[op.value]
            case CallIndirectOp():
                self.indirect(op)
            case CallOp():
                self.call(op.callee.string_value(), [self.values[v] for v in op.arguments], op)
            case OperatorOp() | ConstantOp() | TupleOp() | TupleGetItemOp() | LetOp():
                self.note(op, self.copy(op), ())
            case IfOp() | WhileOp() | ScanOp():
                copy = self.copy(op)
                self.note(op, copy, outer_values(copy))
            case _:
                raise _refused(op, f"{op.name} has no gradient")

    def copy(self, op: Operation) -> Operation:
        """The operation, of the values here."""
        copy = op.clone(self.values)
        self.at.insert(copy)
        copy.results[0].name_hint = op.results[0].name_hint
        self.values[op.results[0]] = copy.results[0]
        return copy

    def captured(self, op: Operation) -> list[SSAValue]:
        """The values that a function, which is a value, uses from outside; those of functions that
        it uses."""
        own = list(op.operands) if isinstance(op, ClosureOp) else list(outer_values(op))
        return [each for value in own for each in self.sources(value)]

    def sources(self, value: SSAValue) -> list[SSAValue]:
        """The value; for a function what it captures."""
        return self.captured(self.makers[value]) if value in self.makers else [value]

    def note(self, op: Operation, copy: Operation, outer: Iterable[SSAValue]) -> None:
        """Note a copied operation on the tape, if what it gives depends on the arguments."""
        (value,) = copy.results
        for each in (*copy.operands, value):
            if not _is_data(each.type):
                raise _refused(op, f"{op.name} is given or gives {each.type}")
        if has_floats(value.type) and any(each in self.active for each in (*copy.operands, *outer)):
            self.active.add(value)
            self.tape.append(copy)

    def call(self, name: str, arguments: Sequence[SSAValue], op: Operation) -> None:
        (result,) = op.results
        copy = CallOp(name, arguments, result.type)
        self.values[result] = self.at.insert(copy)
        self.note(op, copy, ())

    def indirect(self, op: CallIndirectOp) -> None:
        callee = self.makers.get(self.values[op.callee])
        arguments = [self.values[value] for value in op.arguments]
        match callee:
            case FunctionRefOp():
                self.call(callee.callee.string_value(), arguments, op)
            case ClosureOp():
                self.call(callee.callee.string_value(), [*callee.captured, *arguments], op)
            case FnOp():
                if self.depth == _MOST_INLINED:
                    raise _refused(op, "functions that are values call each other without end")
                self.depth += 1
                active = [each in self.active for each in arguments]
                self.values[op.result] = self.forward(callee.body.block, arguments, active)
                self.depth -= 1
            case _:
                raise _refused(op, "which function is called is known when it runs")

    # Back.

    def pull(self, heads: Iterable[tuple[SSAValue, Adjoint]]) -> None:
        """Go back over operations, with the gradients that come to the values at their end."""
        for value, head in heads:
            self.add(value, head)
        for op in reversed(self.tape):
            (result,) = op.results
            head = self.adjoints.pop(result, None)
            if is_zero(head):
                continue
            self.at.location = op.location
            match op:
                case OperatorOp():
                    self.pull_operator(op, head)
                case TupleOp():
                    assert isinstance(head, tuple)
                    for field, part in zip(op.fields, head, strict=True):
                        self.add(field, part)
                case TupleGetItemOp():
                    count = len(_fields(op.tuple.type))
                    index = op.index.value.data
                    self.add(op.tuple, tuple(head if n == index else None for n in range(count)))
                case LetOp():
                    self.add(op.value, head)
                case CallOp():
                    self.pull_call(op, head)
                case IfOp():
                    self.pull_if(op, head)
                case WhileOp():
                    self.pull_while(op, head)
                case ScanOp():
                    self.pull_scan(op, head)
                case _:
                    raise AssertionError(op.name)

    def add(self, value: SSAValue, head: Adjoint) -> None:
        """Add what comes to a value from a use."""
        if value in self.active and not is_zero(head):
            self.adjoints[value] = self.sum(self.adjoints.get(value), head)

    def sum(self, left: Adjoint, right: Adjoint) -> Adjoint:
        if left is None or right is None:
            return right if left is None else left
        if isinstance(left, tuple) and isinstance(right, tuple):
            return tuple(self.sum(a, b) for a, b in zip(left, right, strict=True))
        assert isinstance(left, SSAValue)
        assert isinstance(right, SSAValue)
        return self.at("add", left, right)

    def pull_operator(self, op: OperatorOp, head: Adjoint) -> None:
        positions = [
            n
            for n, (value, spec) in enumerate(zip(op.inputs, op.specs(), strict=True))
            if value in self.active and spec is not None and is_float(spec.dtype)
        ]
        if not positions:
            return
        rule = rule_of(op.OPERATOR)
        parts: Any = NotImplemented
        if rule is not None:
            before = self.at.block.last_op
            parts = rule(self.at, op, head)
            if parts is NotImplemented:
                _erase_after(self.at.block, before)
        if parts is NotImplemented:
            heads = list(head) if isinstance(head, tuple) else [head]
            gradients = vjp_of(self.at, op, heads, positions)  # pyright: ignore[reportArgumentType]
            parts = dict(zip(positions, gradients, strict=True))
        else:
            parts = dict(enumerate(parts))
        for n in positions:
            self.add(op.inputs[n], parts[n])

    def pull_call(self, op: CallOp, head: Adjoint) -> None:
        active = [value in self.active for value in op.arguments]
        name = self.gradients.vjp(op.callee.string_value(), active)
        operands = [*op.arguments, *self.leaves(head, op.result)]
        targets = [value for value in op.arguments if value in self.active]
        self.spread(self.at, CallOp(name, operands, _tuple_of_leaves(targets)), targets)

    def spread(self, at: Emitter, op: Operation, targets: Sequence[SSAValue]) -> None:
        """Add the fields of a result, which are the float tensors of values, to their gradients."""
        result = at.insert(op)
        fields = (at.field(result, n) for n in count())
        for target in targets:
            self.add(target, tree_of(target.type, fields))

    def pull_if(self, op: IfOp, head: Adjoint) -> None:
        sources = [each for value in outer_values(op) for each in self.sources(value)]
        targets = [value for value in dict.fromkeys(sources) if value in self.active]
        kinds = self.leaves(head, op.result)
        regions: list[Region] = []
        for region in (op.then, op.otherwise):
            block = Block()
            inner = self.inner(block, targets)
            value = inner.forward(region.block, [], [])
            inner.pull([(value, tree_of(value.type, iter(kinds)))])
            block.add_op(YieldOp(inner.at.tuple(inner.gradients_of(targets))))
            regions.append(Region(block))
        type_ = _tuple_of_leaves(targets)
        self.spread(self.at, IfOp(op.condition, regions[0], regions[1], type_), targets)

    def inner(self, block: Block, targets: Sequence[SSAValue]) -> _Body:
        """The work in a block inside this one, for whose values from outside it gives gradients."""
        inner = _Body(self.gradients, block)
        inner.active = {*targets, *(value for value in self.active if value in self.makers)}
        inner.makers = dict(self.makers)
        inner.depth = self.depth
        inner.at.location = self.at.location
        return inner

    def gradients_of(self, targets: Sequence[SSAValue]) -> list[SSAValue]:
        """The gradients of the float tensors of values, as values."""
        return [leaf for each in targets for leaf in self.leaves(self.adjoints.get(each), each)]

    def pull_while(self, op: WhileOp, head: Adjoint) -> None:
        outer = list(outer_values(op))
        if any(value in self.makers for value in outer):
            raise _refused(op, "a loop calls a function that is a value from outside")
        targets = [value for value in outer if value in self.active]
        name = self.gradients.new_name("while_vjp")
        self.gradients.names[(name, ())] = name
        operands = [op.start, *outer, *self.leaves(head, op.result)]
        type_ = _tuple_of_leaves([op.start, *targets])
        block = Block(arg_types=[value.type for value in operands])
        first, *rest = block.args
        captured, passed = rest[: len(outer)], rest[len(outer) :]
        own = [captured[outer.index(value)] for value in targets]

        def body_in(block: Block) -> _Body:
            body = self.inner(block, own)
            body.values.update(zip(outer, captured, strict=True))
            body.at.location = op.location
            return body

        whole = body_in(block)
        condition = whole.forward(op.condition.block, [first], [True])
        turn = body_in(Block())
        following = turn.forward(op.body.block, [first], [True])
        call = turn.at.insert(CallOp(name, [following, *captured, *passed], type_))
        fields = iter([turn.at.field(call, n) for n in range(len(type_.types))])
        heads = [tree_of(value.type, fields) for value in (following, *own)]
        turn.active.add(following)
        turn.pull([*zip((following, *own), heads, strict=True)])
        turn.at.block.add_op(YieldOp(turn.at.tuple(turn.gradients_of([first, *own]))))
        end = body_in(Block())
        end.at.block.add_op(YieldOp(end.at.tuple([*passed, *end.gradients_of(own)])))
        branches = Region(turn.at.block), Region(end.at.block)
        block.add_op(ReturnOp(whole.at.insert(IfOp(condition, *branches, type_))))
        function = self.gradients.finish(name, block, op, None, "private")
        self.gradients.module.body.block.add_op(function)
        self.spread(self.at, CallOp(name, operands, type_), [op.start, *targets])

    def pull_scan(self, op: ScanOp, head: Adjoint) -> None:
        outer = list(outer_values(op))
        if any(value in self.makers for value in outer):
            raise _refused(op, "a scan calls a function that is a value from outside")
        targets = [value for value in outer if value in self.active]
        carried, part = op.body.block.args
        # What each slice gets from the one before it.
        first = Block(arg_types=[carried.type, part.type])
        before = self.inner(first, [])
        following = before.forward(op.body.block, first.args, [False, False])
        received = before.at.tuple(before.all_leaves(first.args[0]))
        first.add_op(YieldOp(following, received))
        scanned = self.at.insert(ScanOp(op.init, op.xs, Region(first), op.reverse is not None))
        # Back over the slices.
        heads = self.leaves(head, op.result)
        count_carried = len(float_types(carried.type))
        zeros = [leaf for value in targets for leaf in self.leaves(None, value)]
        init = self.at.tuple([*heads[:count_carried], *zeros])
        rows = [*self.all_leaves(op.xs), *self.all_leaves(self.at.field(scanned, 1))]
        whole = self.at.tuple([*rows, *heads[count_carried:]])
        second = Block(arg_types=[init.type, sliced_type(whole.type)])
        body = self.inner(second, targets)
        adjoint = (body.at.field(second.args[0], n) for n in count())
        slices = (body.at.field(second.args[1], n) for n in count())
        row, carried_value = body.of_leaves(part.type, slices), body.of_leaves(carried.type, slices)
        is_active = [True, op.xs in self.active]
        following, value = body.ends(op.body.block, [carried_value, row], is_active)
        comes = [(following, tree_of(following.type, adjoint))]
        comes += [(each, tree_of(each.type, adjoint)) for each in targets]
        comes.append((value, tree_of(value.type, slices)))
        for each, _ in comes:
            body.active.add(each)
        body.pull(comes)
        of_row = body.gradients_of([row]) if is_active[1] else []
        of_row = of_row or [body.at("zeros", shape=(), dtype="float32")]  # a scan stacks something
        of_carried = body.at.tuple(body.gradients_of([carried_value, *targets]))
        second.add_op(YieldOp(of_carried, body.at.tuple(of_row)))
        result = self.at.insert(ScanOp(init, whole, Region(second), op.reverse is None))
        ended, stacked = self.at.field(result, 0), self.at.field(result, 1)
        fields = (self.at.field(ended, n) for n in count())
        for each in (op.init, *targets):
            self.add(each, tree_of(each.type, fields))
        if is_active[1]:
            fields = (self.at.field(stacked, n) for n in count())
            self.add(op.xs, tree_of(op.xs.type, fields))

    # Values of gradients.

    def all_leaves(self, value: SSAValue) -> list[SSAValue]:
        """The tensors that a value has."""
        if not isinstance(value.type, TupleType):
            return [value]
        fields = [self.at.field(value, n) for n in range(len(value.type.types))]
        return [leaf for field in fields for leaf in self.all_leaves(field)]

    def of_leaves(self, type_: Attribute, leaves: Iterator[SSAValue]) -> SSAValue:
        """A value of a type, of the tensors that it has."""
        if not isinstance(type_, TupleType):
            return next(leaves)
        return self.at.tuple([self.of_leaves(part, leaves) for part in type_.types])

    def float_leaves(self, value: SSAValue) -> list[SSAValue]:
        """The tensors of floats that a value has."""
        if isinstance(value.type, TupleType):
            fields = _fields(value.type)
            return [
                leaf
                for n, type_ in enumerate(fields)
                if has_floats(type_)
                for leaf in self.float_leaves(self.at.field(value, n))
            ]
        return [value] if has_floats(value.type) else []

    def leaves(self, head: Adjoint, value: SSAValue) -> list[SSAValue]:
        """The gradients of the float tensors of a value; zeros where nothing comes."""
        if isinstance(value.type, TupleType):
            fields = _fields(value.type)
            parts = head if isinstance(head, tuple) else [None] * len(fields)
            return [
                leaf
                for n, (type_, part) in enumerate(zip(fields, parts, strict=True))
                if has_floats(type_)
                for leaf in self._leaves_of_field(part, value, n, type_)
            ]
        if not has_floats(value.type):
            return []
        return [head if isinstance(head, SSAValue) else self.zeros(value)]

    def _leaves_of_field(
        self, part: Adjoint, value: SSAValue, index: int, type_: Attribute
    ) -> list[SSAValue]:
        if isinstance(part, SSAValue):
            return [part]
        spec = spec_of(type_)
        if isinstance(spec, TensorSpec) and spec.is_static:
            return [self.at("zeros", shape=spec.shape, dtype=spec.dtype)]
        return self.leaves(part, self.at.field(value, index))

    def zeros(self, value: SSAValue) -> SSAValue:
        """Zeros of the type of a tensor; of the value itself only where a size is not known."""
        spec = spec_of(value.type)
        assert isinstance(spec, TensorSpec)
        if spec.is_static:
            return self.at("zeros", shape=spec.shape, dtype=spec.dtype)
        return self.at.zeros(value)

    def materialized(self, head: Adjoint, value: SSAValue) -> SSAValue:
        """The gradient of a value as a value of the same type."""
        if isinstance(value.type, TupleType):
            fields = _fields(value.type)
            parts = head if isinstance(head, tuple) else [None] * len(fields)
            return self.at.tuple(
                [self.materialized(part, self.at.field(value, n)) for n, part in enumerate(parts)]
            )
        return head if isinstance(head, SSAValue) else self.zeros(value)


class _Values(dict[SSAValue, SSAValue]):
    """The values that stand for those of a function; values from outside stand for themselves."""

    def __missing__(self, value: SSAValue) -> SSAValue:
        return value


def outer_values(op: Operation) -> Iterator[SSAValue]:
    """The values from outside that the regions of an operation use, in order."""
    inside: set[SSAValue] = set()
    for each in op.walk():
        inside.update(*(region.block.args for region in each.regions))
        if each is not op:
            inside.update(each.results)
    seen: set[SSAValue] = set()
    for each in op.walk():
        if each is op:
            continue
        for operand in each.operands:
            if operand not in inside and operand not in seen:
                seen.add(operand)
                yield operand


def has_floats(type_: Attribute) -> bool:
    """True for a tensor of floats, and for a tuple that has some."""
    if isinstance(type_, TupleType):
        return any(map(has_floats, type_.types))
    if isinstance(type_, TensorType):
        dtype = dtype_of(type_.element_type)
        return dtype is not None and is_float(dtype)
    return False


def float_types(type_: Attribute) -> list[Attribute]:
    """The types of the float tensors of a type."""
    if isinstance(type_, TupleType):
        return [leaf for part in type_.types for leaf in float_types(part)]
    return [type_] if has_floats(type_) else []


def tree_of(type_: Attribute, leaves: Iterator[SSAValue]) -> Adjoint:
    """The gradient of a value of a type, of those of its float tensors."""
    if isinstance(type_, TupleType):
        return tuple(tree_of(part, leaves) for part in type_.types)
    return next(leaves) if has_floats(type_) else None


def is_zero(head: Adjoint) -> bool:
    """True if nothing comes to a value."""
    return all(map(is_zero, head)) if isinstance(head, tuple) else head is None


def _is_data(type_: Attribute) -> bool:
    """True for tensors and tuples of them."""
    return spec_of(type_) is not None


def _fields(type_: Attribute) -> tuple[Attribute, ...]:
    assert isinstance(type_, TupleType)
    return tuple(type_.types)


def _tuple_of_leaves(values: Sequence[SSAValue]) -> TupleType:
    return tuple_type([leaf for value in values for leaf in float_types(value.type)])


def _erase_after(block: Block, before: Operation | None) -> None:
    """Remove the operations after one, which nothing uses."""
    while block.last_op is not None and block.last_op is not before:
        last = block.last_op
        last.detach()
        last.erase()


def _require_tensors(type_: Attribute, op: Operation, what: str) -> None:
    if spec_of(type_) is None:
        raise _refused(op, f"{what} is {type_}, which is not a tensor")


def _refused(op: Operation, reason: str) -> GraphError:
    return GraphError(
        "KC2481",
        "gradient: a function that is not differentiated",
        location=location_of(op),
        why=reason,
        hints=["--inline or --partial-evaluate may make it one of tensors"],
    )
