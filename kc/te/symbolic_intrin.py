"""Tensor intrinsics of symbolic size: an intrinsic for each size that they are used with.

The description has dimensions that are variables, or uses scalars (``scalar_params``). A use gives
them values, the loops in ``s[C].tensorize(axis, intrin)`` or the parts of tensors in a call; then
the description and the statements with these values are an intrinsic like any other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kc.support.diagnostics import Location, TEError
from kc.support.locations import caller_location
from kc.te.buffers import Buffer, decl_buffer
from kc.te.expr import Const, Expr, IterVar, Reduce, Var, as_expr, const, walk
from kc.te.intrin_calls import IntrinCall, box_of
from kc.te.relations import Rebase
from kc.te.rewrite import Substitution
from kc.te.slices import TensorSlice
from kc.te.tensor import ComputeOp, PlaceholderOp, Tensor
from kc.tir.calls import as_statement
from kc.tir.stmt_functor import substitute

if TYPE_CHECKING:
    from kc.te.axes import Axes
    from kc.te.tensor_intrin import DeclaredIntrin


@dataclass(frozen=True, eq=False)
class SymbolicIntrin:
    """What ``te.decl_tensor_intrin`` gives for a description with sizes or scalars."""

    name: str
    op: ComputeOp
    inputs: tuple[Tensor, ...]
    buffers: tuple[Buffer, ...]
    """Of the inputs, then of the outputs."""
    scalar_params: tuple[Var, ...]
    body: Any
    reduce_init: Any
    reduce_update: Any
    declare: Callable[[ComputeOp, Mapping[Tensor, Buffer], Mapping[Var, Const]], DeclaredIntrin]
    """Declares the intrinsic of some values."""
    location: Location | None = None
    declared: dict[tuple[Any, ...], DeclaredIntrin] = field(default_factory=dict)

    @property
    def variables(self) -> list[Var]:
        """The sizes, then the scalars."""
        dims = [dim for tensor in (*self.inputs, *self.op.outputs) for dim in tensor.shape]
        dims += [axis.extent for axis in self.op.reduce_axis]  # pyright: ignore
        sizes = [part for dim in dims for part in walk(as_expr(dim)) if isinstance(part, Var)]
        return list(dict.fromkeys([*sizes, *self.scalar_params]))

    def of(self, values: Mapping[Var, Any]) -> DeclaredIntrin:
        """The intrinsic with ``values`` for its sizes and scalars."""
        given = {variable: const(values[variable], variable.dtype) for variable in self.variables}
        key = tuple(value.value for value in given.values())
        if key not in self.declared:
            op, tensors = _with_values(self.op, given)
            pairs = zip((*self.inputs, *self.op.outputs), self.buffers, strict=True)
            tensors.update(zip(self.op.outputs, op.outputs, strict=True))
            binds = {
                tensors[tensor]: decl_buffer(
                    tensors[tensor].shape,
                    buffer.dtype,
                    buffer.name,
                    strides=buffer.declared_strides,
                    scope=buffer.scope(),
                )
                for tensor, buffer in pairs
            }
            self.declared[key] = self.declare(op, binds, given)
        return self.declared[key]

    def __call__(self, *args: Any, reduce_axis: IterVar | Sequence[IterVar] = ()) -> IntrinCall:
        """A tile of a compute, as :meth:`kc.te.tensor_intrin.DeclaredIntrin.__call__` makes it.

        Parts of tensors are the inputs in order, other arguments the ``scalar_params``. Raises
        TEError KC2213 for a scalar that is no constant, or another number of them.
        """
        location = caller_location()
        parts = [arg for arg in args if isinstance(arg, Tensor | TensorSlice)]
        scalars = [as_expr(arg) for arg in args if not isinstance(arg, Tensor | TensorSlice)]
        constants = [scalar.value for scalar in scalars if isinstance(scalar, Const)]
        if len(constants) != len(self.scalar_params) or len(scalars) != len(constants):
            varying = [scalar for scalar in scalars if not isinstance(scalar, Const)]
            raise TEError(
                "KC2213",
                f"{self.name} is called with "
                + (f"the scalar {varying[0]}" if varying else f"{len(scalars)} scalars"),
                location=location,
                why="each value of its scalar parameters is an intrinsic of its own"
                if varying
                else f"its scalar parameters are {', '.join(map(str, self.scalar_params))}",
                hints=["a constant", "read the value from a buffer"] if varying else (),
            )
        values: dict[Var, Any] = dict(zip(self.scalar_params, constants, strict=True))
        for part, declared in zip(parts, self.inputs, strict=False):
            for dim, size in zip(declared.shape, box_of(part, location).sizes, strict=False):
                if isinstance(dim, Var) and isinstance(size, int):
                    values.setdefault(dim, size)
        self._require(values, location)
        return IntrinCall(self.of(values), parts, reduce_axis, location)

    def in_loops(self, stage: Axes, axis: IterVar) -> DeclaredIntrin:
        """The intrinsic of the size of the loops of ``stage`` from ``axis`` inwards.

        Raises TEError KC2213 where these do not say it.
        """
        location = caller_location()
        order = stage.leaf_iter_vars
        inside = order[[leaf is axis for leaf in order].index(True) :]
        extents = Rebase(stage.relations, stage.roots).extents
        values: dict[Var, Any] = {}
        for kind, axes in (("spatial", self.op.axis), ("reduce", self.op.reduce_axis)):
            loops = [leaf for leaf in inside if (leaf.kind == "reduce") is (kind == "reduce")]
            for own, loop in zip(reversed(axes), reversed(loops), strict=False):
                if isinstance(own.extent, Var) and isinstance(extents.get(loop), int):
                    values.setdefault(own.extent, extents[loop])
        self._require(values, location)
        return self.of(values)

    def _require(self, values: Mapping[Var, Any], location: Location | None) -> None:
        missing = [variable for variable in self.variables if variable not in values]
        if missing:
            raise TEError(
                "KC2213",
                f"{self.name}: nothing gives {missing[0].name} a value here",
                location=location,
                why="sizes are those of loops of constant extents, or of the parts of tensors of a "
                "call; scalars are arguments of a call",
                hints=["split the axis by a number", f"{self.name}(2, A[i, 0:16])"],
            )


def _with_values(
    op: ComputeOp, values: Mapping[Var, Const]
) -> tuple[ComputeOp, dict[Tensor, Tensor]]:
    """A description with values for its sizes and scalars, and the inputs by those of ``op``."""
    known: dict[Any, Expr] = dict(values)

    def size(dim: Any) -> Any:
        whole = Substitution(known)(as_expr(dim))
        number = difference_from_zero(whole)
        return whole if number is None else number

    tensors = {
        tensor: PlaceholderOp(
            tensor.name, tuple(map(size, tensor.shape)), tensor.dtype, tensor.op.location
        ).output(0)
        for tensor in op.input_tensors
    }
    axes = {
        axis: dataclasses.replace(axis, extent=size(axis.extent))
        for axis in (*op.axis, *op.reduce_axis)
    }
    substitution = _Described({**known, **axes}, tensors, axes)
    replaced = dataclasses.replace(
        op,
        shape=tuple(map(size, op.shape)),
        axis=[axes[axis] for axis in op.axis],
        reduce_axis=[axes[axis] for axis in op.reduce_axis],
        body=tuple(map(substitution, op.bodies)),
    )
    return replaced, tensors


def difference_from_zero(expr: Expr) -> int | None:
    """The value of an integer expression that is a constant."""
    from kc.te.indices import difference

    return difference(expr, const(0, expr.dtype))


class _Described(Substitution):
    def __init__(
        self,
        known: Mapping[Any, Expr],
        tensors: Mapping[Tensor, Tensor],
        axes: Mapping[IterVar, IterVar],
    ) -> None:
        super().__init__(known, tensors)
        self._axes = axes

    def _copy(self, expr: Expr) -> Expr:
        copy = super()._copy(expr)
        if isinstance(copy, Reduce):
            return dataclasses.replace(copy, axes=tuple(self._axes[axis] for axis in copy.axes))
        return copy


def with_constants(returned: Any, values: Mapping[Var, Const]) -> Any:
    """What the function of an intrinsic returned, with values for its sizes and scalars."""
    if isinstance(returned, list | tuple):
        return tuple(with_constants(part, values) for part in returned)
    statement = as_statement(returned, None) if returned is not None else None
    return returned if statement is None else substitute(statement, values)
