"""The arguments and results of a function of a graph, as the runtime checks them at a call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from kc.dialects.graph.functions import FuncOp
from kc.dialects.graph.sizes import MaybeSize, Quotient, SizeExpr
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.runtime.signature import AffineDim, ArgSpec, Dim, Signature, symbols_of
from kc.support.diagnostics import GraphError
from kc.support.fresh_names import fresh_name
from kc.support.locations import location_of


def leaves(type_: Attribute, name: str) -> Iterator[tuple[str, TensorSpec | None]]:
    """The tensors of a type, with their names: the fields of a tuple ``t`` are ``t_0``, ``t_1``.

    The spec is None for what is no tensor.
    """
    if isinstance(type_, TupleType):
        for position, part in enumerate(type_.types):
            yield from leaves(part, f"{name}_{position}")
        return
    spec = spec_of(type_)
    yield name, spec if isinstance(spec, TensorSpec) else None


def to_dim(size: SizeExpr | int) -> Dim:
    """A size as the runtime evaluates it."""
    if isinstance(size, int):
        return size
    total: Dim | None = None
    for factors, coefficient in size.terms:
        product: Dim | None = None
        for factor in factors:
            part = factor if isinstance(factor, str) else _quotient(factor)
            product = part if product is None else AffineDim.mul(product, part)
        if product is None:
            product = coefficient
        elif coefficient != 1:
            product = AffineDim.mul(coefficient, product)
        total = product if total is None else AffineDim.add(total, product)
    return 0 if total is None else total


def _quotient(quotient: Quotient) -> Dim:
    make = AffineDim.mod if quotient.is_remainder else AffineDim.floordiv
    return make(to_dim(quotient.dividend), quotient.divisor)


def argument_leaves(function: FuncOp) -> list[tuple[str, TensorSpec]]:
    """The tensors among the arguments of a function, with distinct names.

    Raises GraphError KC2440 for an argument that is no tensor, nor a tuple of tensors.
    """
    taken: set[str] = set()
    named_specs: list[tuple[str, TensorSpec]] = []
    for argument, name in zip(function.body.block.args, function.arg_names, strict=True):
        for leaf, spec in leaves(argument.type, name):
            if spec is None:
                raise no_tensor(function, f"the argument {name} is {argument.type}")
            named_specs.append((fresh_name(leaf, taken), spec))
    return named_specs


def result_leaves(function: FuncOp, taken: Sequence[str] = ()) -> list[tuple[str, TensorSpec]]:
    """The tensors of the result of a function, named ``output``, or ``output_0``, ``output_1``.

    Raises GraphError KC2440 for a result that is no tensor, nor a tuple of tensors.
    """
    names = set(taken)
    type_ = function.function_type.outputs.data[0]
    results: list[tuple[str, TensorSpec]] = []
    for leaf, spec in leaves(type_, "output"):
        if spec is None:
            raise no_tensor(function, f"its result is {type_}")
        results.append((fresh_name(leaf, names), spec))
    return results


def no_tensor(function: FuncOp, title: str) -> GraphError:
    """The refusal of a function that is called with arrays and takes or gives something else."""
    return GraphError(
        "KC2440",
        f"@{function.sym_name.data} cannot be called with arrays: {title}",
        location=location_of(function),
        why="arrays are passed for tensors, and for each tensor of a tuple",
        hints=[
            "infer-type finds types that are unknown; a function of it may be called by another"
        ],
    )


def signature_of(function: FuncOp) -> Signature:
    """Inputs, then outputs, of a function; each tensor of a tuple is an array of its own.

    A size without a name has a symbol of its own, which the array at the call gives.

    Raises GraphError KC2440 for arguments or results that are no tensors.
    """
    inputs = argument_leaves(function)
    outputs = result_leaves(function, [name for name, _ in inputs])
    return _signature(function, inputs, outputs)


def input_signature(function: FuncOp) -> Signature:
    """The signature of a function whose results are not arguments.

    Raises GraphError KC2440 for arguments that are no tensors.
    """
    return _signature(function, argument_leaves(function), [])


def _signature(
    function: FuncOp,
    inputs: Sequence[tuple[str, TensorSpec]],
    outputs: Sequence[tuple[str, TensorSpec]],
) -> Signature:
    named = [
        *((name, spec, "in") for name, spec in inputs),
        *((name, spec, "out") for name, spec in outputs),
    ]
    args: list[ArgSpec] = []
    for name, spec, role in named:
        shape = tuple(_dim(size, f"{name}_{axis}") for axis, size in enumerate(spec.shape))
        args.append(ArgSpec(name, "array", spec.dtype, shape, role))  # pyright: ignore[reportArgumentType]
    symbols = dict.fromkeys(
        symbol for arg in args for size in arg.shape for symbol in symbols_of(size)
    )
    return Signature(function.sym_name.data, tuple(args), tuple(symbols))


def _dim(size: MaybeSize, name: str) -> Dim:
    return name if size is None else to_dim(size)


def unflattened(type_: Attribute, arrays: Iterator[Any]) -> Any:
    """The value of a type from the arrays of its tensors."""
    if isinstance(type_, TupleType):
        return tuple(unflattened(part, arrays) for part in type_.types)
    return next(arrays)


def flattened(value: Any) -> Iterator[Any]:
    """The arrays of a value: the inverse of :func:`unflattened`."""
    if isinstance(value, tuple):
        for part in value:
            yield from flattened(part)
    else:
        yield value
