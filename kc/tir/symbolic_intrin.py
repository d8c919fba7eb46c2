"""Tensor intrinsics of symbolic size: a separate intrinsic for each size in use.

The description has symbolic dimensions, or scalars (``scalar_params``). Each use gives them values:
the loops in ``s[C].tensorize(axis, intrin)``, or the parts of tensors in a call. The description
and the statements with these values are a regular intrinsic. A scalar that differs from tile to
tile is an additional input, a tensor with an element for each tile.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kc.expr.buffers import Buffer, decl_buffer
from kc.expr.constructors import Const, Expr, IterVar, Reduce, Var, as_expr, cast, const, walk
from kc.expr.indices import difference
from kc.expr.relations import Rebase
from kc.expr.rewrite import Substitution
from kc.expr.slices import TensorSlice
from kc.expr.tensor import ComputeOp, PlaceholderOp, Tensor, make_axis
from kc.support.diagnostics import Location, TEError
from kc.support.fresh_names import fresh_name
from kc.support.locations import caller_location
from kc.te.intrin_calls import DeclaredIntrin, IntrinCall, box_of
from kc.tir.calls import as_statement
from kc.tir.substitution import substitute

if TYPE_CHECKING:
    from kc.te.axes import Axes


@dataclass(frozen=True, eq=False)
class SymbolicIntrin:
    """The result of ``te.decl_tensor_intrin`` for a description with sizes or scalars."""

    name: str
    op: ComputeOp
    inputs: tuple[Tensor, ...]
    buffers: tuple[Buffer, ...]
    """The buffers of the inputs, followed by those of the outputs."""
    scalar_params: tuple[Var, ...]
    body: Any
    reduce_init: Any
    reduce_update: Any
    declare: Callable[[ComputeOp, Mapping[Tensor, Buffer], Mapping[Var, Const | Tensor]], Any]
    """A function that declares the intrinsic for given values; a scalar that differs from tile to
    tile maps to a tensor.
    """
    location: Location | None = None
    declared: dict[tuple[Any, ...], DeclaredIntrin] = field(default_factory=dict)
    read_from: dict[Tensor, Var] = field(default_factory=dict)
    """The inputs of :attr:`declared` that scalars are read from."""

    @property
    def variables(self) -> list[Var]:
        """The sizes, then the scalars."""
        dims = [dim for tensor in (*self.inputs, *self.op.outputs) for dim in tensor.shape]
        dims += [axis.extent for axis in self.op.reduce_axis]  # pyright: ignore
        sizes = [part for dim in dims for part in walk(as_expr(dim)) if isinstance(part, Var)]
        return list(dict.fromkeys([*sizes, *self.scalar_params]))

    def of(self, values: Mapping[Var, Any]) -> DeclaredIntrin:
        """The intrinsic with ``values`` for its sizes and scalars. None as a value means that the
        scalar is read from an input of one element.
        """
        key = tuple(values[variable] for variable in self.variables)
        if key not in self.declared:
            value_of: dict[Var, Const | Tensor] = {}
            for variable in self.variables:
                if values[variable] is not None:
                    value_of[variable] = const(values[variable], variable.dtype)
                    continue
                source = PlaceholderOp(variable.name, (1,), variable.dtype, self.location)
                value_of[variable] = source.output(0)
                self.read_from[source.output(0)] = variable
            op, tensors = _with_values(self.op, value_of)
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
            self.declared[key] = self.declare(op, binds, value_of)
        return self.declared[key]

    def __call__(self, *args: Any, reduce_axis: IterVar | Sequence[IterVar] = ()) -> IntrinCall:
        """A tile of a compute, as :meth:`kc.te.intrin_calls.DeclaredIntrin.__call__` creates it.

        Arguments that are parts of tensors become the inputs, in order; the others become the
        ``scalar_params``. A scalar is a constant, or an expression of axes and elements, which is
        first computed into a tensor.
        Raises TEError KC2213 for a wrong number of scalars, or for a scalar that differs from tile
        to tile and is unused in the description.
        """
        location = caller_location()
        parts = [arg for arg in args if isinstance(arg, Tensor | TensorSlice)]
        scalars = [as_expr(arg) for arg in args if not isinstance(arg, Tensor | TensorSlice)]
        if len(scalars) != len(self.scalar_params):
            raise TEError(
                "KC2213",
                f"{self.name} is called with {len(scalars)} scalars",
                location=location,
                why=f"its scalar parameters are {', '.join(map(str, self.scalar_params))}",
            )
        values: dict[Var, Any] = {}
        varying: dict[Var, TensorSlice] = {}
        used = {part for body in self.op.bodies for part in walk(body)}
        for param, scalar in zip(self.scalar_params, scalars, strict=True):
            values[param] = scalar.value if isinstance(scalar, Const) else None
            if isinstance(scalar, Const):
                continue
            if param not in used:
                raise TEError(
                    "KC2213",
                    f"{self.name} is called with the scalar {scalar}",
                    location=location,
                    why=f"{param.name} differs from tile to tile, and the description of "
                    f"{self.name} "
                    "does not use it",
                    hints=["a constant", f"use {param.name} in the description"],
                )
            varying[param] = _per_tile(scalar, param, location)
        for part, declared in zip(parts, self.inputs, strict=False):
            for dim, size in zip(declared.shape, box_of(part, location).sizes, strict=False):
                if isinstance(dim, Var) and isinstance(size, int):
                    values.setdefault(dim, size)
        self._require(values, location)
        intrin = self.of(values)
        if varying and len(parts) == len(self.inputs):
            rest = iter(parts)
            sources = [self.read_from.get(tensor) for tensor in intrin.inputs]
            parts = [next(rest) if source is None else varying[source] for source in sources]
        return IntrinCall(intrin, parts, reduce_axis, location)

    def in_loops(self, stage: Axes, axis: IterVar) -> DeclaredIntrin:
        """The intrinsic whose sizes are those of the loops of ``stage`` from ``axis`` inwards.

        Raises TEError KC2213 if the loops do not determine the sizes.
        """
        location = caller_location()
        order = stage.leaf_iter_vars
        inside = order[[leaf is axis for leaf in order].index(True) :]
        extents = Rebase(stage.relations, stage.roots, stage.op.extent_of).extents
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
                f"{self.name}: the size or scalar {missing[0].name} has no value here",
                location=location,
                why="sizes come from loops of constant extents, or from the parts of tensors of a "
                "call; scalars are arguments of a call",
                hints=["split the axis by a number", f"{self.name}(2, A[i, 0:16])"],
            )


def _per_tile(scalar: Expr, param: Var, location: Location | None) -> TensorSlice:
    """The element for one tile in a new tensor of the values of ``scalar``."""
    axes = [part for part in walk(scalar) if isinstance(part, IterVar)]
    axes = list(dict.fromkeys(axes))
    sizes: list[Any] = [axis.extent for axis in axes]
    own = [
        make_axis(axis.name, size, "spatial", location)
        for axis, size in zip(axes, sizes, strict=True)
    ]
    body = cast(Substitution(dict(zip(axes, own, strict=True)))(scalar), param.dtype)
    single = make_axis(fresh_name("one", {axis.name for axis in axes}), 1, "spatial", location)
    shape = (*sizes, 1)
    op = ComputeOp(param.name, shape, param.dtype, location, [*own, single], [], body=(body,))
    return TensorSlice(op.output(0), (*axes, slice(0, 1)), location)


def _with_values(
    op: ComputeOp, values: Mapping[Var, Const | Tensor]
) -> tuple[ComputeOp, dict[Tensor, Tensor]]:
    """A description with values for its sizes and scalars, and a map from the inputs of ``op`` to
    the new inputs.
    """
    element_of = elements_of(values)

    def size(dim: Any) -> Any:
        whole = Substitution(element_of)(as_expr(dim))
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
    substitution = _Described({**element_of, **axes}, tensors, axes)
    replaced = dataclasses.replace(
        op,
        shape=tuple(map(size, op.shape)),
        axis=[axes[axis] for axis in op.axis],
        reduce_axis=[axes[axis] for axis in op.reduce_axis],
        body=tuple(map(substitution, op.bodies)),
    )
    return replaced, tensors


def difference_from_zero(expr: Expr) -> int | None:
    """The value of a constant integer expression. None if it is not constant."""
    return difference(expr, const(0, expr.dtype))


class _Described(Substitution):
    def __init__(
        self,
        expressions: Mapping[Any, Expr],
        tensors: Mapping[Tensor, Tensor],
        axes: Mapping[IterVar, IterVar],
    ) -> None:
        super().__init__(expressions, tensors)
        self._axes = axes

    def _copy(self, expr: Expr) -> Expr:
        copy = super()._copy(expr)
        if isinstance(copy, Reduce):
            return dataclasses.replace(copy, axes=tuple(self._axes[axis] for axis in copy.axes))
        return copy


def elements_of(values: Mapping[Var, Const | Tensor]) -> dict[Any, Expr]:
    """The values of sizes and scalars as expressions; a tensor becomes its element 0."""
    return {
        variable: value(0) if isinstance(value, Tensor) else value
        for variable, value in values.items()
    }


def with_values(returned: Any, values: Mapping[Var, Expr]) -> Any:
    """The statements of an intrinsic, with values for its sizes and scalars."""
    if isinstance(returned, list | tuple):
        return tuple(with_values(part, values) for part in returned)
    statement = as_statement(returned, None) if returned is not None else None
    return returned if statement is None else substitute(statement, values)
