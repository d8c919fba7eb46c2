"""A group of operators as one function of tensor expressions: what becomes a kernel.

A group is a function of the graph that has operators alone, as FuseOps makes them
(``graph.func private @fused_add_relu(...) attributes {primitive}``), or one operator
(:func:`group_of_operator`). Its arguments are the tensors of the function's arguments, then those
of its result, then the sizes that no shape gives. Constants of one element are parts of the
expressions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from xdsl.dialects.builtin import FunctionType, TupleType
from xdsl.ir import Attribute, Operation, SSAValue

from kc import te
from kc.dialects.graph.declaration import Operator, OperatorOp, RelationError
from kc.dialects.graph.functions import FuncOp, ReturnOp
from kc.dialects.graph.sizes import Quotient, SizeExpr
from kc.dialects.graph.types import Spec, TensorSpec, spec_of
from kc.dialects.graph.values import ConstantOp, LetOp, TupleGetItemOp, TupleOp
from kc.expr.constructors import Var
from kc.expr.tensor import Tensor
from kc.graph import strategies
from kc.graph.interpreter import elided, no_computation
from kc.graph.lowering import Bounded, compute
from kc.graph.operator_calls import sorted_results
from kc.graph.signature import argument_leaves, flattened, result_leaves, unflattened
from kc.support.c_names import machine_symbol
from kc.support.diagnostics import GraphError
from kc.support.locations import location_of
from kc.support.target import Target

PRIMITIVE = "primitive"
"""The attribute of a function that becomes one kernel."""


@dataclass(frozen=True)
class GroupTensors:
    """A group as tensor expressions."""

    inputs: list[Tensor]
    """One for each tensor of the arguments; the group may not read all."""
    outputs: list[Tensor]
    """The tensors to compute, each once."""
    results: list[int]
    """For each tensor of the result, and then for each count of :class:`Bounded`: its position in
    ``outputs``, or ``~n`` for input n."""
    sizes: list[Var]
    """The sizes that are arguments, as the shape of no input gives them."""
    schedule: Callable[[], Any] | None = None
    """Makes the user's schedule of the outputs, if an operator has one (None: kc chooses)."""

    @property
    def arguments(self) -> list[Tensor | Var]:
        """The arguments of the kernel."""
        return [*self.inputs, *self.outputs, *self.sizes]


def is_group(function: FuncOp) -> bool:
    """True if a function becomes one kernel."""
    return PRIMITIVE in function.attributes


def group_of_operator(op: OperatorOp) -> tuple[FuncOp, list[SSAValue]]:
    """A group of a copy of one operator, and the values that are its arguments.

    Constants of one element become part of it.
    """
    operands = list(dict.fromkeys(op.inputs))
    constants = [value for value in operands if is_scalar_constant(value)]
    arguments = [value for value in operands if value not in constants]
    name = kernel_name(op.OPERATOR.name)
    type_ = FunctionType.from_lists([value.type for value in arguments], [op.result.type])
    function = FuncOp(name, type_, arg_names=[f"p{n}" for n in range(len(arguments))])
    block = function.body.block
    mapping: dict[SSAValue, SSAValue] = dict(zip(arguments, block.args, strict=True))
    for value in constants:
        assert isinstance(value.owner, ConstantOp)
        copy = value.owner.clone()
        block.add_op(copy)
        mapping[value] = copy.result
    copy = op.clone(value_mapper=mapping)
    block.add_ops([copy, ReturnOp(copy.results[0])])
    function.location = op.location
    return function, arguments


def kernel_name(name: str) -> str:
    """The name of a kernel for a group of a name: an identifier that no library function has."""
    plain = re.sub(r"\W", "_", name)
    return plain if machine_symbol(plain) == plain else f"{plain}_kernel"


def is_scalar_constant(value: SSAValue) -> bool:
    """True for a constant of one element that is known."""
    op = value.owner
    if not isinstance(op, ConstantOp) or op.is_elided:
        return False
    spec = spec_of(op.result.type)
    return isinstance(spec, TensorSpec) and all(size == 1 for size in spec.shape)


def bound_of(group: FuncOp) -> Spec | None:
    """The largest result of a group of one operator that computes how much of it there is
    (:class:`~kc.graph.lowering.Bounded`); None for all other groups."""
    operators = [op for op in group.body.block.ops if isinstance(op, OperatorOp)]
    if len(operators) != 1 or group.return_op.value is not operators[0].result:
        return None
    (op,) = operators
    specs = op.specs()
    if all(None not in leaf.shape for leaf in type_leaves(op.result.type)) or None in specs:
        return None
    bound = op.operator.bound(*specs)
    is_known = bound is not None and all(None not in leaf.shape for leaf in flattened(bound))
    return bound if is_known else None


def group_tensors(function: FuncOp, target: Target | None = None) -> GroupTensors:
    """The tensor expressions of a group; for a target by the user's strategies, if there are any.

    Raises GraphError: KC2445 for an operator without a computation or another operation, KC2447 for
    a size that depends on elements.
    """
    block = function.body.block
    inputs = argument_leaves(function)
    specs = [spec for _, spec in inputs]
    bound = bound_of(function)
    for _, spec in (*inputs, *(result_leaves(function) if bound is None else ())):
        _require_sizes(spec, function)
    counts: list[Tensor] = []
    variables: dict[str, Var] = {}
    placeholders = [
        te.placeholder(_shape(spec, variables), spec.dtype, name=name) for name, spec in inputs
    ]
    rest = iter(placeholders)
    values: dict[SSAValue, Any] = {
        argument: unflattened(argument.type, rest) for argument in block.args
    }
    tensors: list[Tensor] = []
    anchor: tuple[int, Operator, strategies.Implementation | None] | None = None
    for op in block.ops:
        match op:
            case OperatorOp():
                implementation = _implementation(op, values, target)
                counted = None if bound is None else counts
                values[op.result] = _computed(op, values, variables, implementation, counted)
                if anchor is None or op.OPERATOR.pattern >= anchor[0]:
                    anchor = op.OPERATOR.pattern, op.operator, implementation
            case ConstantOp():
                values[op.result] = _constant(op)
            case TupleOp():
                values[op.result] = tuple(values[part] for part in op.fields)
            case TupleGetItemOp():
                values[op.result] = values[op.tuple][op.index.value.data]
            case LetOp():
                values[op.result] = values[op.value]
            case ReturnOp():
                tensors = [*flattened(values[op.value]), *counts]
            case _:
                raise GraphError(
                    "KC2445",
                    f"@{function.sym_name.data}: {op.name} in a group",
                    location=location_of(op),
                    why="a function with the attribute primitive has operators alone",
                )
    outputs, results = sorted_results(tensors, placeholders)
    declared = {str(size) for spec in specs for size in spec.shape if isinstance(size, SizeExpr)}
    sizes = [variable for name, variable in variables.items() if name not in declared]
    schedule: Callable[[], Any] | None = None
    if anchor is not None and target is not None and outputs:
        _, attrs, implementation = anchor
        if implementation is not None and implementation.schedule is not None:
            schedule = partial(implementation.schedule, attrs, list(outputs), target)
    return GroupTensors(placeholders, outputs, results, sizes, schedule)


def _implementation(
    op: OperatorOp, values: Mapping[SSAValue, Any], target: Target | None
) -> strategies.Implementation | None:
    """The user's implementation of an operator, if there is one."""
    spec = spec_of(op.result.type)
    if target is None or spec is None:
        return None
    inputs = [values[operand] for operand in op.inputs]
    return strategies.implementation_of(op.operator, inputs, spec, target)


def _computed(
    op: OperatorOp,
    values: Mapping[SSAValue, Any],
    variables: dict[str, Var],
    implementation: strategies.Implementation | None,
    counts: list[Tensor] | None,
) -> Any:
    """The tensors of an operator. ``counts`` takes the numbers of those whose size depends on
    elements; None where that is refused."""
    spec = spec_of(op.result.type)
    if counts is None:
        _require_sizes(spec, op)
    operands = [values[operand] for operand in op.inputs]
    for leaf in flattened(spec):
        for size in leaf.shape:
            if isinstance(size, SizeExpr):
                expression_of(size, variables)
    try:
        if implementation is not None and implementation.compute is not None:
            assert spec is not None
            tensors = strategies.computed(implementation, op.operator, operands, spec)
        else:
            tensors = compute(op.operator, operands, spec, variables)
    except RelationError as error:
        raise GraphError("KC2400", f"{op.name}: {error}", location=location_of(op)) from error
    except KeyError as error:
        if error.args != (op.OPERATOR.name,):
            raise
        raise no_computation(op) from error
    if counts is None and any(isinstance(tensor, Bounded) for tensor in tensors):
        raise depends_on_elements(op, "its size depends on elements")
    for tensor in tensors:
        if isinstance(tensor, Bounded) and counts is not None:
            counts.append(tensor.count)
    tensors = [tensor.tensor if isinstance(tensor, Bounded) else tensor for tensor in tensors]
    if isinstance(op.result.type, TupleType):
        return unflattened(op.result.type, iter(tensors))
    (tensor,) = tensors
    return tensor


def _require_sizes(spec: Any, op: Any) -> None:
    """Refuse a size that is known when the elements are (KC2447)."""
    for leaf in flattened(spec):
        if isinstance(leaf, TensorSpec) and None in leaf.shape:
            raise depends_on_elements(op, f"a value is {leaf}")


def depends_on_elements(op: Operation, title: str) -> GraphError:
    """The refusal (KC2447) of a size that is known only when the graph runs."""
    return GraphError(
        "KC2447",
        f"{op.name} cannot be compiled: {title}",
        location=location_of(op),
        why="the plan of memory needs each size, as a number or by the names of dimensions",
        hints=[
            "infer-type finds sizes",
            "the interpreter runs graphs whose sizes depend on elements",
        ],
    )


def _shape(spec: TensorSpec, variables: dict[str, Var]) -> list[Any]:
    return [
        expression_of(size, variables) if isinstance(size, SizeExpr) else size
        for size in spec.shape
    ]


def expression_of(size: SizeExpr, variables: dict[str, Var]) -> Any:
    """A size as an expression of te, whose variables are made by their names."""
    total: Any = 0
    for factors, coefficient in size.terms:
        product: Any = coefficient
        for factor in factors:
            if isinstance(factor, Quotient):
                dividend = expression_of(factor.dividend, variables)
                divided = te.floormod if factor.is_remainder else te.floordiv
                part = divided(dividend, factor.divisor)
            else:
                part = variables.setdefault(factor, te.var(factor))
            product = part if isinstance(product, int) and product == 1 else part * product
        total = product if isinstance(total, int) and total == 0 else total + product
    return total


def _constant(op: ConstantOp) -> Tensor:
    if op.is_elided:
        raise elided(op)
    spec = spec_of(op.result.type)
    assert isinstance(spec, TensorSpec)
    if not is_scalar_constant(op.result):
        raise GraphError(
            "KC2445",
            f"a constant of {spec} in a group",
            location=location_of(op),
            why="constants of several elements are arguments of a group",
        )
    value = op.array.reshape(()).item()
    return te.compute(
        spec.shape, lambda *_: te.const(value, spec.dtype), name="constant", tag="constant"
    )


def type_leaves(type_: Attribute) -> Sequence[TensorSpec]:
    """The tensors of a type, in order."""
    spec = spec_of(type_)
    return [leaf for leaf in flattened(spec) if isinstance(leaf, TensorSpec)]
