"""``te.decl_tensor_intrin``: tensor intrinsics that a tensor expression describes.

The description is a compute of small placeholders. The implementation consists of statements on
buffers, from ``tir.ir_builder`` or calls. Both become functions of tir, which make a regular tensor
intrinsic (:mod:`kc.transforms.intrinsics.tensor_intrin`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    StringAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from kc.dialects.tir.calls import CallExternOp
from kc.expr.buffers import Buffer, decl_buffer
from kc.expr.constructors import Const, Var
from kc.expr.tensor import ComputeOp, PlaceholderOp, Tensor, check_name, shape_text
from kc.support.diagnostics import Location, TEError
from kc.support.fresh_names import free_name
from kc.support.locations import caller_location
from kc.te.intrin_calls import DeclaredIntrin
from kc.te.to_ir import create_func
from kc.tir.emit import build_function
from kc.tir.extern import statement_of
from kc.tir.symbolic_intrin import SymbolicIntrin, elements_of, with_values
from kc.transforms.intrinsics.tensor_intrin import ROLES, TensorIntrin, names


def decl_tensor_intrin(
    op: Any,
    fcompute: Callable[..., Any],
    name: str = "tensor_intrin",
    binds: Mapping[Tensor, Buffer] | None = None,
    scalar_params: Any = None,
    default_buffer_params: Mapping[str, Any] | None = None,
    *,
    features: Sequence[str] = (),
) -> Any:
    """Declare an implementation of ``op``, a compute of placeholders.

    ``fcompute(ins, outs)`` receives buffers and returns a statement (of ``tir.ir_builder``, or a
    call) that computes ``op``; or three statements, ``(body, reset, update)``, for a reduction that
    continues outside of the tile: ``reset`` sets the initial values (None: loops set them), and
    ``update`` combines with the values in the outputs. The buffers are those in ``binds``, or
    created with ``default_buffer_params``, arguments of ``tir.decl_buffer``. A buffer that is
    passed to a function is dense unless it is declared with strides; ``strides=[te.var("ld"), 1]``
    accepts rows at any distance, which is the value of ``buffer.strides[0]``. ``features`` are the
    required features of the target, as ``-mattr`` names them.

    Dimensions may be variables, and ``scalar_params`` are variables of the description, which
    ``fcompute(ins, outs, scalars)`` receives too. Each use binds them to values
    (:mod:`kc.tir.symbolic_intrin`).

    The intrinsic is registered as ``name``, so that ``sch.tensorize`` finds it. If the name is
    taken, the first free name of ``name_1``, ... becomes its ``name``. Raises TEError KC2210 to
    KC2213 for an invalid declaration, and ScheduleError KC3570 as
    :meth:`kc.tir.TensorIntrin.register`.
    """
    location = caller_location()
    name = check_name(name, location)
    compute = _described(op, name, location)
    inputs = compute.input_tensors
    tensors = [*inputs, *compute.outputs]
    buffer_of = dict(binds or {})
    for tensor, buffer in buffer_of.items():
        _check_bind(name, tensor, buffer, tensors, location)
    params = dict(default_buffer_params or {})
    buffers = [
        buffer_of[tensor]
        if tensor in buffer_of
        else decl_buffer(tensor.shape, tensor.dtype, tensor.name, **params)
        for tensor in tensors
    ]
    ins, outs = buffers[: len(inputs)], buffers[len(inputs) :]
    scalars = tuple(scalar_params or ())
    returned = (
        fcompute(list(ins), list(outs), list(scalars))
        if scalars
        else fcompute(list(ins), list(outs))
    )
    parts = list(returned) if isinstance(returned, list | tuple) else [returned]
    if not 1 <= len(parts) <= 3:
        raise TEError(
            "KC2212",
            f"{name}: the function returns {len(parts)} statements",
            location=location,
            why="it must return body, or (body, reset, update)",
        )
    parts += [None] * (3 - len(parts))
    if scalars or any(not isinstance(dim, int) for tensor in tensors for dim in tensor.shape):

        def declare(
            op: ComputeOp, bound: Mapping[Tensor, Buffer], values: Mapping[Var, Const | Tensor]
        ) -> DeclaredIntrin:
            inputs_of = op.input_tensors
            sources = {tensor: n for n, tensor in enumerate(inputs_of)}

            def statements(ins: Any, outs: Any) -> Any:
                read = {
                    variable: ins[sources[value]] if isinstance(value, Tensor) else value
                    for variable, value in values.items()
                }
                per_tile = [value for value in values.values() if isinstance(value, Tensor)]
                own = [buffer for n, buffer in enumerate(ins) if inputs_of[n] not in per_tile]
                element_of = elements_of(read)
                scalar_values = [element_of[scalar] for scalar in scalars]
                returned = fcompute(own, outs, scalar_values) if scalars else fcompute(own, outs)
                return with_values(returned, element_of)

            return decl_tensor_intrin(op, statements, name, bound, features=features)

        return SymbolicIntrin(
            name,
            compute,
            tuple(inputs),
            tuple(buffers),
            scalars,
            body=parts[0],
            reduce_init=parts[1],
            reduce_update=parts[2],
            declare=declare,
            location=location,
        )
    implementation, init, update = (
        None if statement is None else _function(name, role, statement, ins, outs, location)
        for role, statement in zip(ROLES[1:], parts, strict=True)
    )
    from kc.conversion.convert_te_to_tir import convert_function

    declared, _ = create_func(tensors, [compute], ROLES[0])
    chosen = free_name(name, names())
    description = convert_function(declared)
    TensorIntrin.register(chosen, description, implementation, init, update, features)
    return DeclaredIntrin(chosen, compute, tuple(inputs), tuple(buffers), *parts)


def _described(op: Any, name: str, location: Location | None) -> ComputeOp:
    """The compute that describes an intrinsic. Raises KC2210 for any other description."""
    compute = op.op if isinstance(op, Tensor) else op
    if not isinstance(compute, ComputeOp):
        raise TEError(
            "KC2210",
            f"{name}: {type(compute).__name__} does not describe a tensor intrinsic",
            location=location,
            why="the description must be a te.compute of placeholders",
            hints=["te.decl_tensor_intrin(c.op, ...)"],
        )
    for tensor in compute.input_tensors:
        if not isinstance(tensor.op, PlaceholderOp):
            raise TEError(
                "KC2210",
                f"{name}: {compute.name} reads {tensor.name}, which is also computed",
                location=compute.location,
                why="the description must be a single compute whose inputs are placeholders",
                hints=[f"write {tensor.name} into the expression of {compute.name}"],
            )
    return compute


def _check_bind(
    name: str, tensor: Any, buffer: Any, tensors: Sequence[Tensor], location: Location | None
) -> None:
    if tensor not in tensors:
        raise TEError(
            "KC2211",
            f"{name}: binds has {getattr(tensor, 'name', tensor)}, which is neither an "
            "input nor an output",
            location=location,
            hints=[f"the inputs and outputs are {', '.join(operand.name for operand in tensors)}"],
        )
    same = isinstance(buffer, Buffer) and (buffer.shape, buffer.dtype) == (
        tensor.shape,
        tensor.dtype,
    )
    if not same:
        what = (
            f"a buffer of shape {shape_text(buffer.shape)} and type {buffer.dtype}"
            if isinstance(buffer, Buffer)
            else type(buffer).__name__
        )
        raise TEError(
            "KC2211",
            f"{name}: {tensor.name} is bound to {what}",
            location=location,
            why=f"{tensor.name} has the shape {shape_text(tensor.shape)} and the type "
            f"{tensor.dtype}",
            hints=[f"tir.decl_buffer({tensor.name}.shape, {tensor.name}.dtype, ...)"],
        )


# Functions --------------------------------------------------------------------------------------


def _function(
    name: str,
    role: str,
    statement: Any,
    ins: Sequence[Buffer],
    outs: Sequence[Buffer],
    location: Location | None,
) -> FuncOp:
    """The function of buffers that executes ``statement``."""
    checked = statement_of(f"{name}, {role}", statement, location)
    buffers = [*ins, *outs]
    function = build_function(buffers, checked, role, location)
    function.attributes.pop("kc.symbols", None)
    function.attributes.pop("kc.arg_order", None)
    if role == "update":
        _let_update(function.body.block, len(ins))
    return function


def _let_update(block: Block, first: int) -> None:
    """Declare that an update also reads its outputs: it combines with their values."""
    outs = block.args[first:]
    for op in block.walk():
        if isinstance(op, CallExternOp):
            modes = [
                "update" if value in outs and mode.data == "write" else mode.data
                for value, mode in zip(op.arguments, op.modes, strict=True)
            ]
            op.modes = ArrayAttr([StringAttr(mode) for mode in modes])
