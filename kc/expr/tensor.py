"""Tensors and the operations that produce them: placeholders and computes."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from kc.expr.constructors import Const, Element, Expr, ExprLike, IterVar, Var, as_expr, walk
from kc.expr.dtypes import check_dtype, is_float, lanes, scalar
from kc.expr.nodes import Dim, Size
from kc.expr.nodes import shape_text as shape_text
from kc.expr.operators import TOPI_OPERATORS
from kc.expr.slices import REGIONS, TensorRegion, TensorSlice, check_indices, wrong_count
from kc.expr.tensor_operators import TensorOperators
from kc.support.diagnostics import Location, TEError, UnknownName
from kc.support.display import to_html
from kc.support.locations import caller_location

if TYPE_CHECKING:
    from xdsl.ir import Region

    from kc.expr.buffers import Buffer


@dataclass(eq=False)
class Operation:
    """An operation that produces tensors."""

    name: str
    shape: tuple[Dim, ...]
    dtype: str
    location: Location | None = field(repr=False)
    axis: list[IterVar] = field(default_factory=list)
    reduce_axis: list[IterVar] = field(default_factory=list)
    tag: str = ""
    """The kind of the operation; see :func:`kc.te.tag_scope`."""
    attrs: dict[str, Any] = field(default_factory=dict)
    """The user's annotations of the operation."""
    gradient_rules: dict[int, dict[Tensor, Callable[[Tensor], Tensor | None] | None]] = field(
        default_factory=dict, repr=False
    )
    """The author's gradient rules, by output and operand; see :mod:`kc.te.autodiff.own_rules`."""
    agreeing: list[tuple[Dim, Dim, bool]] = field(default_factory=list, repr=False)
    """Pairs of sizes that must be equal, which a call checks; the second may be 1 if the flag is
    set.
    """

    @property
    def input_tensors(self) -> list[Tensor]:
        """The tensors read, each once, in order of first use."""
        return []

    @property
    def num_outputs(self) -> int:
        """The number of result tensors."""
        return 1

    def output_shape(self, index: int) -> tuple[Dim, ...]:
        """The shape of an output; a compute's have one shape."""
        del index
        return self.shape

    def output_dtype(self, index: int) -> str:
        """The element type of an output."""
        del index
        return self.dtype

    def rebase(self, substitute: Callable[[Expr], Expr]) -> Operation:
        """A copy with its expressions rewritten by ``substitute``."""
        del substitute
        return self

    def extent_of(self, axis: IterVar) -> ExprLike:
        """The number of values of an axis, over the other axes and the inputs of this operation."""
        return axis.extent

    def output(self, index: int = 0) -> Tensor:
        """A result tensor; the same object at each call."""
        tensors = self.__dict__.setdefault("_tensors", {})
        if not -self.num_outputs <= index < self.num_outputs:
            raise TEError(
                "KC2031",
                f"{self.name} has no output {index}",
                location=caller_location(),
                why=f"it has {self.num_outputs}, counted from 0",
            )
        index %= self.num_outputs
        if index not in tensors:
            tensors[index] = Tensor(self, index)
        return tensors[index]

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """The result tensors."""
        return tuple(self.output(n) for n in range(self.num_outputs))

    @property
    def tensor(self) -> Tensor:
        """The first result tensor."""
        return self.output(0)


@dataclass(eq=False)
class PlaceholderOp(Operation):
    """An input."""


@dataclass(frozen=True, eq=False)
class TileCall:
    """The fact that a tensor intrinsic computes the tiles of a compute."""

    intrin: str
    """The name of the intrinsic."""
    axes: tuple[IterVar, ...]
    """The axes over which tiles are combined, followed by the axes of a tile."""
    outer: int
    """The number of axes over which tiles are combined."""
    location: Location | None

    def on(self, roots: Mapping[IterVar, Expr]) -> TileCall | None:
        """The call after the replacement of its axes by ``roots``. None if a replacement is not an
        axis.
        """
        mapped = tuple(roots.get(axis, axis) for axis in self.axes)
        axes = tuple(axis for axis in mapped if isinstance(axis, IterVar))
        return replace(self, axes=axes) if axes == mapped else None


@dataclass(eq=False)
class ComputeOp(Operation):
    """Tensors over the same axes, defined element by element; ``dtype`` is that of the first."""

    body: Sequence[Expr] = field(kw_only=True)
    """The expression of each output."""
    call: TileCall | None = field(kw_only=True, default=None)
    """The tensor intrinsic call that the compute's function returned."""
    rebased: dict[IterVar, Expr] = field(kw_only=True, default_factory=dict, repr=False)
    """The extents of reduction axes that this copy has replaced. The axes stay the same objects,
    because schedules refer to them.
    """

    @property
    def bodies(self) -> tuple[Expr, ...]:
        """The expression of each output; ``body`` may have been set to one expression."""
        return (self.body,) if isinstance(self.body, Expr) else tuple(self.body)

    @property
    def num_outputs(self) -> int:
        """The number of result tensors."""
        return len(self.bodies)

    def output_dtype(self, index: int) -> str:
        """The element type of an output."""
        return self.bodies[index].dtype

    @property
    def input_tensors(self) -> list[Tensor]:
        """The tensors read, each once, in order of first use."""
        tensors: dict[Tensor, None] = {}
        extents = map(self.extent_of, self.reduce_axis)
        for part in walk(*(extent for extent in extents if isinstance(extent, Expr)), *self.bodies):
            if isinstance(part, Element):
                tensors.setdefault(part.tensor)
        return list(tensors)

    def extent_of(self, axis: IterVar) -> ExprLike:
        """See :meth:`Operation.extent_of`."""
        return self.rebased.get(axis, axis.extent)

    def rebase(self, substitute: Callable[[Expr], Expr], **changes: Any) -> ComputeOp:
        """A copy with other inputs, or over other axes (``changes`` of fields): ``substitute``
        rewrites its body and the extents of its reduction axes.
        """
        rebased: dict[IterVar, Expr] = {}
        for axis in self.reduce_axis:
            extent = self.extent_of(axis)
            new = substitute(extent) if isinstance(extent, Expr) else extent
            if new is not axis.extent and isinstance(new, Expr):
                rebased[axis] = new
        fields: dict[str, Any] = {
            "axis": list(self.axis),
            "reduce_axis": list(self.reduce_axis),
            "body": tuple(substitute(body) for body in self.bodies),
            "rebased": rebased,
        }
        return replace(self, **{**fields, **changes})


@dataclass(eq=False)
class ScanOp(Operation):
    """A recurrence along the first dimension, with an output for each state: see
    :func:`kc.te.scan`.

    ``shape`` and ``dtype`` are those of the first state.
    """

    init: tuple[Tensor, ...] = field(kw_only=True)
    update: tuple[Tensor, ...] = field(kw_only=True)
    state_placeholder: tuple[Tensor, ...] = field(kw_only=True)
    inputs: tuple[Tensor, ...] = field(kw_only=True)
    scan_axis: IterVar = field(kw_only=True)
    """The axis of the computed rows; it starts after the initial rows."""
    spatial_axis_: list[IterVar] = field(kw_only=True)
    """The remaining dimensions of all states, in order."""

    @property
    def steps(self) -> tuple[Operation, ...]:
        """The operations of a step, producers first: the updates, and the operations that need a
        state.
        """
        depends = {tensor.op: True for tensor in self.state_placeholder}
        updates = {tensor.op for tensor in self.update}
        order: list[Operation] = []
        stack = [(tensor.op, False) for tensor in reversed(self.update)]
        while stack:
            op, ready = stack.pop()
            if op in depends:
                continue
            if not ready:
                stack.append((op, True))
                stack.extend((tensor.op, False) for tensor in reversed(op.input_tensors))
                continue
            depends[op] = any(depends[tensor.op] for tensor in op.input_tensors)
            if depends[op] or op in updates:
                order.append(op)
        return tuple(order)

    @property
    def num_outputs(self) -> int:
        """The number of states."""
        return len(self.state_placeholder)

    def output_shape(self, index: int) -> tuple[Dim, ...]:
        """The shape of a state."""
        return self.state_placeholder[index].shape

    def output_dtype(self, index: int) -> str:
        """The element type of a state."""
        return self.state_placeholder[index].dtype

    @property
    def input_tensors(self) -> list[Tensor]:
        """The initial values of the states, followed by their updates."""
        return list(dict.fromkeys([*self.init, *self.update]))


@dataclass(frozen=True, eq=False)
class ExternCode:
    """The operations of a statement, to be copied."""

    region: Region
    """Takes the buffers of inputs and outputs, then the scalars."""
    scalars: tuple[Var, ...]
    sizes: tuple[Var, ...]
    """The sizes that ``tir.symbol`` asks for."""


@dataclass(eq=False)
class ExternOp(Operation):
    """Tensors that a statement computes: see :func:`kc.te.extern`.

    ``shape`` and ``dtype`` are those of the first tensor.
    """

    inputs: tuple[Tensor, ...] = field(kw_only=True)
    input_placeholders: tuple[Buffer, ...] = field(kw_only=True)
    """The buffers of the inputs in the statement."""
    output_placeholders: tuple[Buffer, ...] = field(kw_only=True)
    """The buffers of the outputs in the statement."""
    body: Any = field(kw_only=True)
    """The statement, or the module whose function is spliced."""
    code: ExternCode = field(kw_only=True, repr=False)

    @property
    def num_outputs(self) -> int:
        """The number of result tensors."""
        return len(self.output_placeholders)

    def output_shape(self, index: int) -> tuple[Dim, ...]:
        """The shape of an output."""
        return self.output_placeholders[index].shape

    def output_dtype(self, index: int) -> str:
        """The element type of an output."""
        return self.output_placeholders[index].dtype

    @property
    def input_tensors(self) -> list[Tensor]:
        """The tensors read, each once."""
        return list(dict.fromkeys(self.inputs))

    def with_tensors(self, tensors: Mapping[Tensor, Tensor]) -> ExternOp:
        """The same statement on other tensors of the same shapes."""
        return replace(self, inputs=tuple(tensors.get(tensor, tensor) for tensor in self.inputs))


class Tensor(TensorOperators):
    """A result of an operation: ``T[i, j]`` is an element.

    ``T[i]`` is a part that takes the other indices later, ``T[i][j]``. Arithmetic on tensors
    creates tensors with broadcast shapes, as in numpy. Tensors are equal only if they are the same
    object.
    """

    def __init__(self, op: Operation, value_index: int = 0) -> None:
        self.op = op
        self.value_index = value_index
        """The number of this output of the operation."""

    @property
    def name(self) -> str:
        """The operation's name, with the number of the output if there are several."""
        return output_name(self.op.name, self.value_index, self.op.num_outputs)

    @property
    def shape(self) -> tuple[Dim, ...]:
        """The dimensions: integers or expressions of sizes."""
        return self.op.output_shape(self.value_index)

    @property
    def dtype(self) -> str:
        """The element type."""
        return self.op.output_dtype(self.value_index)

    @property
    def ndim(self) -> int:
        """The rank."""
        return len(self.shape)

    def __repr__(self) -> str:
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, op.name={self.name})"

    if not TYPE_CHECKING:  # type checkers must report unknown names

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError. For an attribute of numpy's arrays, the message names topi's
            operator.
            """
            operator = TOPI_OPERATORS.get("transpose" if name == "T" else name)
            op = vars(self).get("op")
            hint = f"; use topi.{operator}({op.name}, ...)" if operator and op else ""
            raise UnknownName(f"'Tensor' object has no attribute '{name}'{hint}", name=name)

    def _repr_html_(self) -> str:
        return to_html((self.formula_text(), "kc-loops"))

    formula_text: ClassVar[Callable[[Tensor], str]]
    """The formula that a notebook displays for a tensor, installed by :mod:`kc.te.stage_text`."""

    def __getitem__(self, indices: ExprLike | slice | tuple[ExprLike | slice, ...]) -> Any:
        positions = indices if isinstance(indices, tuple) else (indices,)
        if REGIONS.get() and any(isinstance(index, slice) for index in positions):
            return TensorRegion(self, positions, caller_location())
        check_indices(self, positions)
        if len(positions) < self.ndim:
            return TensorSlice(self, positions, caller_location())
        return self(*positions)  # pyright: ignore[reportArgumentType]

    def __call__(self, *indices: ExprLike) -> Expr:
        location = caller_location()
        if len(indices) != self.ndim:
            raise wrong_count(self, len(indices), location)
        exprs = []
        for index in indices:
            expr = as_expr(index)
            if is_float(expr.dtype) or expr.dtype == "bool" or lanes(expr.dtype) > 1:
                raise TEError(
                    "KC2011",
                    f"{self.name} is indexed with a value of type {expr.dtype}",
                    location=location,
                    why="indices must be integers",
                )
            exprs.append(expr)
        return Element(self, tuple(exprs), self.dtype, location)

    def __iter__(self) -> Iterator[Any]:
        raise TEError(
            "KC2004",
            f"the elements of {self.name} cannot be listed while the program is built",
            location=caller_location(),
            why="its elements are known only when the kernel runs",
            hints=["te.compute and te.sum run over the elements"],
        )

    def __kc_scalar__(self) -> Expr:
        if self.ndim:
            raise TEError(
                "KC2010",
                f"{self.name} is a tensor, not a scalar",
                location=caller_location(),
                hints=[f"index it: {self.name}[{', '.join('ijklmnop'[: self.ndim])}]"],
            )
        return self()


def output_name(name: str, index: int, count: int) -> str:
    """The name of output ``index`` of ``count`` of the operation ``name``."""
    return name if count == 1 else f"{name}_v{index}"


def check_shape(shape: Any, what: str, location: Location | None) -> tuple[Dim, ...]:
    """The dimensions of ``shape``. Raises KC2012 for an invalid shape."""
    if getattr(shape, "ndim", 0) == 1 and hasattr(shape, "tolist"):
        shape = shape.tolist()
    dims = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
    checked: list[Dim] = []
    for dim in dims:
        if isinstance(dim, Const) and isinstance(dim.value, int):
            dim = dim.value
        if not isinstance(dim, Expr | type) and hasattr(dim, "__index__"):
            with suppress(TypeError):  # an array with several numbers is not an index
                dim = dim.__index__()
        if isinstance(dim, float) and dim.is_integer():
            dim = int(dim)  # n / 32, where 32 divides n
        if isinstance(dim, int) and 0 <= dim < 2**63:
            checked.append(Size(dim))
        elif isinstance(dim, Expr) and not is_float(dim.dtype) and dim.dtype != "bool":
            checked.append(dim)
        else:
            raise TEError(
                "KC2012",
                f"{what} has the dimension {' '.join(reprlib.repr(dim).split())}",
                location=location,
                why="a dimension must be an integer from 0 to 2^63 - 1, or a size made with te.var",
                hints=[f"te.var({dim!r})"] if isinstance(dim, str) else [],
            )
    return tuple(checked)


def check_name(name: str, location: Location | None) -> str:
    """``name``. Raises KC2013 if it is not an identifier."""
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
        raise TEError(
            "KC2013",
            f"the name {name!r} is not an identifier",
            location=location,
            hints=["ASCII letters, digits and _, not starting with a digit"],
        )
    return name


def var(name: str = "n", dtype: str = "int32") -> Var:
    """A symbolic size or a scalar argument.

    The value of a dimension is read from the arrays at the call; all of them must agree.
    """
    location = caller_location()
    checked_dtype = dtype if dtype == "handle" else check_dtype(dtype)
    return Var(check_name(name, location), checked_dtype, location)


def size_var(name: str = "n", dtype: str = "int32") -> Var:
    """A symbolic size, which is never negative; all sizes of kc are non-negative (see
    :func:`var`).
    """
    location = caller_location()
    return Var(check_name(name, location), check_dtype(dtype), location, is_size=True)


def placeholder(shape: Any, dtype: str = "float32", name: str = "placeholder") -> Tensor:
    """An input tensor of ``shape`` (integers or sizes).

    With a vector dtype, such as ``float32x4``, the array of a call has an additional dimension for
    the lanes.
    """
    location = caller_location()
    name = check_name(name, location)
    what = "te.placeholder" if name == "placeholder" else f"placeholder {name}"
    dims = check_shape(shape, what, location)
    return PlaceholderOp(name, dims, check_dtype(dtype, vectors=True), location).tensor


def check_tensors(
    values: Any, what: str, code: str, usage: str, location: Location | None
) -> tuple[Tensor, ...]:
    """The tensor or tensors that ``what`` receives. Raises ``code`` for anything else."""
    tensors = tuple(values) if isinstance(values, list | tuple) else (values,)
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise TEError(
                code,
                f"{what} receives {type(tensor).__name__} {tensor!r} for a tensor",
                location=location,
                hints=[usage],
            )
    return tensors


def require_scalars(what: str, tensors: Sequence[Tensor]) -> None:
    """Refuse (KC2242) tensors of vectors, because ``what`` supports scalars only."""
    for tensor in tensors:
        if lanes(tensor.dtype) > 1:
            raise TEError(
                "KC2242",
                f"{what}: {tensor.name} has elements of type {tensor.dtype}",
                location=caller_location(),
                why="only te.placeholder, te.compute and reductions support vectors",
                hints=[f'"{scalar(tensor.dtype)}", with a dimension of {lanes(tensor.dtype)} more'],
            )


def reduce_axis(dom: Any, name: str = "rv") -> IterVar:
    """A reduction axis over ``(start, stop)``: ``start <= k < stop``, as in TVM."""
    location = caller_location()
    name = check_name(name, location)
    if not isinstance(dom, tuple | list) or len(dom) != 2:
        stop = 64 if isinstance(dom, tuple | list) else dom
        raise TEError(
            "KC2014",
            f"the domain of reduction axis {name} is {dom!r}",
            location=location,
            why="the domain must be a pair of bounds, of which the second is excluded",
            hints=[f'te.reduce_axis((0, {stop}), name="k")'],
        )
    start, stop = dom
    if hasattr(start, "__index__"):
        start = start.__index__()
    if not isinstance(start, int):
        raise TEError(
            "KC2014",
            f"reduction axis {name} starts at {start!r}",
            location=location,
            why="the start must be an integer; add a symbolic start where the axis is used",
        )
    if start and hasattr(stop, "__index__") and not isinstance(stop, Expr):
        stop = stop.__index__()
    extent = stop - start if start and isinstance(stop, int | Expr) else stop
    (size,) = check_shape((extent,), f"reduction axis {name}", location)
    return make_axis(name, size, "reduce", location, start)


def make_axis(
    name: str, extent: Dim, kind: str, location: Location | None, start: int = 0
) -> IterVar:
    """An axis of type int32, or int64 if int32 cannot hold all its values."""
    last = start + extent - 1 if isinstance(extent, int) else start
    small = -(2**31) <= start and last < 2**31
    return IterVar(name, extent, kind, start, location, "int32" if small else "int64")
