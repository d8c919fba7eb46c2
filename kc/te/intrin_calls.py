"""Calls of tensor intrinsics in computes: ``lambda i: vadd(A[i, 0:16], B[i, 0:16])``.

The function of such a compute takes only its first axes: the intrinsic computes a tile along the
other dimensions from parts of tensors. The compute is that of the intrinsic's description, over all
axes. A schedule keeps the loops of the tile innermost and replaces them by the intrinsic. (TVM has
a separate operation, ``TensorComputeOp``.)
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from kc.expr.buffers import Buffer
from kc.expr.constructors import Const, Element, Expr, IterVar, Operators, Reduce, as_expr, binary
from kc.expr.indices import difference
from kc.expr.rewrite import Substitution
from kc.expr.slices import REGIONS, TensorSlice
from kc.expr.tensor import ComputeOp, Dim, Tensor, TileCall, make_axis, shape_text
from kc.support.diagnostics import Location, TEError, counted
from kc.support.fresh_names import fresh_name
from kc.support.locations import caller_location

if TYPE_CHECKING:
    from kc.te.stage import Stage


@dataclass(frozen=True, eq=False)
class Region:
    """A part of a tensor: its start, and the dimensions along which it extends."""

    tensor: Tensor
    starts: tuple[Expr, ...]
    along: tuple[int, ...]
    """The dimensions with several elements; along the others the part has one element."""

    def element(self, indices: Sequence[Expr]) -> Expr:
        """An element of the part."""
        full = list(self.starts)
        for dim, index in zip(self.along, indices, strict=True):
            start = full[dim]
            at_start = isinstance(start, Const) and start.value == 0
            full[dim] = index if at_start else binary("add", start, index)
        return self.tensor(*full)


@dataclass(frozen=True, eq=False)
class Box:
    """The start of a part of a tensor, its dimensions, its sizes, and its step if it is not 1."""

    starts: tuple[Expr, ...]
    along: tuple[int, ...]
    sizes: tuple[int | None, ...]
    """The sizes; None for a size that is not constant."""
    step: Any = None


def box_of(operand: Tensor | TensorSlice, location: Location | None) -> Box:
    """The box of a part of a tensor."""
    part = TensorSlice(operand, (), location) if isinstance(operand, Tensor) else operand
    tensor, step = part.tensor, None
    indices = [*part.indices, *[slice(None)] * (tensor.ndim - len(part.indices))]
    starts, along, sizes = [], [], []
    for dim, index in enumerate(indices):
        if not isinstance(index, slice):
            starts.append(as_expr(index))
            continue
        step = index.step if index.step not in (None, 1) else step
        start = as_expr(0 if index.start is None else index.start)
        stop = tensor.shape[dim] if index.stop is None else index.stop
        starts.append(start)
        along.append(dim)
        sizes.append(difference(as_expr(stop), start))
    return Box(tuple(starts), tuple(along), tuple(sizes), step)


@dataclass(frozen=True, eq=False)
class DeclaredIntrin:
    """A tensor intrinsic for ``s[C].tensorize(axis, intrin)``, registered as ``name``."""

    name: str
    op: ComputeOp
    inputs: tuple[Tensor, ...]
    buffers: tuple[Buffer, ...]
    """The buffers of the inputs, followed by those of the outputs."""
    body: Any
    reduce_init: Any
    reduce_update: Any

    def __eq__(self, other: object) -> bool:
        """True if ``other`` is the same intrinsic, or its name."""
        return self is other or (isinstance(other, str) and other == self.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __call__(self, *args: Any, reduce_axis: IterVar | Sequence[IterVar] = ()) -> IntrinCall:
        """A tile of a compute, from parts of tensors: ``vadd(A[i, 0:16], B[i, 0:16])``.

        The function of the compute takes the axes that precede those of the tile. Tiles are
        combined over ``reduce_axis``. Raises TEError KC2221 to KC2224 for invalid parts, KC2214 if
        the call is used as an element.
        """
        return IntrinCall(self, args, reduce_axis, caller_location())


class IntrinCall(Operators):
    """A call of an intrinsic: a tile of the result of a compute."""

    def __init__(
        self, intrin: DeclaredIntrin, args: Sequence[Any], reduce_axis: Any, location: Any
    ) -> None:
        """Raises TEError KC2222 to KC2224 for arguments that do not match the intrinsic's."""
        self.intrin = intrin
        self.location: Location | None = location
        inputs = intrin.inputs
        if len(args) != len(inputs):
            raise TEError(
                "KC2222",
                f"{intrin.name} is called with {counted(len(args), 'argument')}",
                location=location,
                why=f"its inputs are {' and '.join(map(_declared, inputs)) or 'none'}",
            )
        pairs = enumerate(zip(args, inputs, strict=True))
        self.regions = {declared: self._region(n, arg, declared) for n, (arg, declared) in pairs}
        several = isinstance(reduce_axis, list | tuple)
        axes = list(reduce_axis) if several else [reduce_axis]
        self.reduce_axis = tuple(axes)
        for axis in axes:
            if not isinstance(axis, IterVar) or axis.kind != "reduce":
                raise TEError(
                    "KC2224",
                    f"{intrin.name} is called with reduce_axis={axis}",
                    location=location,
                    why="reduce_axis must be a result of te.reduce_axis; tiles are combined "
                    "over it",
                    hints=['k = te.reduce_axis((0, n), name="k")'],
                )
        if axes and not isinstance(intrin.op.bodies[0], Reduce):
            raise TEError(
                "KC2224",
                f"{intrin.name} is called with reduce_axis={axes[0].name}, but reduces nothing",
                location=location,
                why="the intrinsic's own reduction combines the tiles",
            )

    def _region(self, n: int, operand: Any, declared: Tensor) -> Region:
        """The part of a tensor that argument ``n`` denotes. Raises KC2223 if it does not match the
        input.
        """
        part = TensorSlice(operand, (), self.location) if isinstance(operand, Tensor) else operand
        if not isinstance(part, TensorSlice):
            what = f"a value of {operand.dtype}" if isinstance(operand, Expr) else repr(operand)
            raise self._refuse(n, declared, f"{what}, not a part of a tensor")
        tensor = part.tensor
        if len(part.indices) > tensor.ndim:
            raise self._refuse(n, declared, f"{part}, of a tensor of {tensor.ndim} dimensions")
        box = box_of(part, self.location)
        if box.step not in (None, 1):
            raise self._refuse(n, declared, f"{part}, with steps of {box.step}")
        if box.sizes != tuple(declared.shape) or tensor.dtype != declared.dtype:
            shape = shape_text(tuple("?" if size is None else size for size in box.sizes))
            raise self._refuse(n, declared, f"{part}, {shape} of {tensor.dtype}")
        return Region(tensor, box.starts, box.along)

    def _refuse(self, n: int, declared: Tensor, what: str) -> TEError:
        slices = ", ".join(f"0:{size}" for size in declared.shape)
        return TEError(
            "KC2223",
            f"{self.intrin.name}: argument {n} is {what}",
            location=self.location,
            why=f"the input is {_declared(declared)}",
            hints=[f"A[i, {slices}]"],
        )

    def __kc_scalar__(self) -> NoReturn:
        shape = self.intrin.op.shape
        rank = len(shape)
        raise TEError(
            "KC2214",
            f"a call of {self.intrin.name} is used as one element",
            location=self.location,
            why=f"it makes a tile of {shape_text(shape)}: the last "
            f"{'dimension' if rank == 1 else f'{rank} dimensions'} of a compute, whose function "
            "takes the axes of the others, and returns the call",
            hints=[
                f"te.compute((n, {', '.join(map(str, shape))}), lambda i: {self.intrin.name}(...))"
            ],
        )

    def tile(
        self, outer: Sequence[IterVar], dims: Sequence[Dim], name: str
    ) -> tuple[list[IterVar], tuple[Expr, ...], TileCall]:
        """All axes of compute ``name``, which start with ``outer``, and its bodies over them.

        Raises KC2221 if its other dimensions are not those of the tile.
        """
        op = self.intrin.op
        rest = tuple(dims[len(outer) :])
        if rest != tuple(op.shape):
            raise TEError(
                "KC2221",
                f"compute {name}: {self.intrin.name} makes tiles of {shape_text(op.shape)}, the "
                f"last dimensions of {name} are {shape_text(rest)}",
                location=self.location,
                why="a tile must have the shape of the dimensions that the function of the "
                "compute does not take",
            )
        taken = {axis.name for axis in (*outer, *self.reduce_axis)}
        renamed = {
            axis: dataclasses.replace(axis, name=fresh_name(axis.name, taken))
            for axis in (*op.axis, *op.reduce_axis)
        }
        bodies = tuple(map(_Tile(renamed, self.regions, self.reduce_axis), op.bodies))
        inner = (*self.reduce_axis, *renamed.values())
        call = TileCall(self.intrin.name, inner, len(self.reduce_axis), self.location)
        return [*outer, *(renamed[axis] for axis in op.axis)], bodies, call


def _declared(tensor: Tensor) -> str:
    return f"{tensor.name}, {shape_text(tensor.shape)} of {tensor.dtype}"


class _Tile(Substitution):
    """Descriptions of intrinsics as computes of parts of tensors."""

    def __init__(
        self,
        axes: Mapping[IterVar, IterVar],
        regions: Mapping[Tensor, Region],
        reduce_axis: Sequence[IterVar],
    ) -> None:
        super().__init__(axes)
        self._axes, self._regions, self._reduce = axes, regions, reduce_axis

    def _copy(self, expr: Expr) -> Expr:
        copy = super()._copy(expr)
        if isinstance(copy, Element) and copy.tensor in self._regions:
            return self._regions[copy.tensor].element(copy.indices)
        if isinstance(copy, Reduce):
            axes = (*self._reduce, *(self._axes[axis] for axis in copy.axes))
            return dataclasses.replace(copy, axes=axes)
        return copy


def called_tile(
    fcompute: Callable[..., Any], dims: Sequence[Dim], name: str, location: Location | None
) -> tuple[list[IterVar], tuple[Expr, ...], TileCall] | None:
    """The axes, bodies and call of a compute whose function takes only the first axes and calls
    an intrinsic. None for any other function.
    """
    try:
        parameters = list(inspect.signature(fcompute).parameters.values())
    except (TypeError, ValueError):
        return None
    if len(parameters) >= len(dims) or any(
        parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        or parameter.default is not parameter.empty
        for parameter in parameters
    ):
        return None
    outer = [
        make_axis(parameter.name, dim, "spatial", location)
        for parameter, dim in zip(parameters, dims, strict=False)
    ]
    token = REGIONS.set(True)
    try:
        result = fcompute(*outer)
    except TEError as error:
        if error.code == "KC2010":  # of an element: the function takes too few axes
            return None
        raise
    finally:
        REGIONS.reset(token)
    several = result if isinstance(result, list | tuple) else ()
    for value in several:
        if isinstance(value, IntrinCall):
            value.__kc_scalar__()
    return result.tile(outer, dims, name) if isinstance(result, IntrinCall) else None


def tensorize_call(stage: Stage) -> None:
    """Give the tiles of a compute that calls an intrinsic to the intrinsic."""
    call = stage.op.call if isinstance(stage.op, ComputeOp) else None
    if call is None or any(axis not in stage.leaf_iter_vars for axis in call.axes):
        return  # a rewritten operation has axes of its own
    if len(call.axes) > 1:
        stage.reorder(*call.axes)
    stage.tensorize(call.axes[call.outer], call.intrin)
    stage.records[:] = [
        dataclasses.replace(record, location=call.location) for record in stage.records
    ]


def forget_call(stage: Stage) -> None:
    """Leave the tiles of ``stage`` to loops again."""
    call = stage.op.call if isinstance(stage.op, ComputeOp) else None
    if call is not None:
        stage.records[:] = [
            record for record in stage.records if record.location is not call.location
        ]
