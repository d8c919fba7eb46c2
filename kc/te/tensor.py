"""Tensors and the operations that make them: placeholders and computes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kc.support.diagnostics import Location, TEError
from kc.support.locations import caller_location
from kc.te.expr import (
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Element,
    Expr,
    ExprLike,
    IterVar,
    Reduce,
    SelectExpr,
    Var,
    as_expr,
    check_dtype,
    is_float,
)

Dim = int | Expr


@dataclass(eq=False)
class Operation:
    """What makes a tensor."""

    name: str
    shape: tuple[Dim, ...]
    dtype: str
    location: Location | None = field(repr=False)
    axis: list[IterVar] = field(default_factory=list)
    reduce_axis: list[IterVar] = field(default_factory=list)

    @property
    def input_tensors(self) -> list[Tensor]:
        """The tensors read, each once, in order of first use."""
        return []

    @property
    def num_outputs(self) -> int:
        """The number of tensors made."""
        return 1

    def output(self, index: int = 0) -> Tensor:
        """The tensor made."""
        del index
        return self.tensor

    @property
    def tensor(self) -> Tensor:
        """The tensor made; always the same object."""
        made = self.__dict__.get("_tensor")
        if made is None:
            made = self.__dict__["_tensor"] = Tensor(self)
        return made


@dataclass(eq=False)
class PlaceholderOp(Operation):
    """An input."""


@dataclass(eq=False)
class ComputeOp(Operation):
    """A tensor given element by element."""

    body: Expr = field(kw_only=True)

    @property
    def input_tensors(self) -> list[Tensor]:
        """The tensors read, each once, in order of first use."""
        found: dict[Tensor, None] = {}
        for part in walk(self.body):
            if isinstance(part, Element):
                found.setdefault(part.tensor)
        return list(found)


class Tensor:
    """The result of an operation: ``T[i, j]`` is an element."""

    def __init__(self, op: Operation) -> None:
        self.op = op

    @property
    def name(self) -> str:
        """The operation's name."""
        return self.op.name

    @property
    def shape(self) -> tuple[Dim, ...]:
        """The dimensions: integers or expressions of sizes."""
        return self.op.shape

    @property
    def dtype(self) -> str:
        """The element type."""
        return self.op.dtype

    @property
    def ndim(self) -> int:
        """The rank."""
        return len(self.shape)

    @property
    def value_index(self) -> int:
        """Which output of its operation this is."""
        return 0

    def __repr__(self) -> str:
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, op.name={self.name})"

    def __getitem__(self, indices: ExprLike | tuple[ExprLike, ...]) -> Expr:
        given = indices if isinstance(indices, tuple) else (indices,)
        return self(*given)

    def __call__(self, *indices: ExprLike) -> Expr:
        location = caller_location()
        if len(indices) != self.ndim:
            raise TEError(
                "KC2010",
                f"{self.name} has {self.ndim} dimensions, indexed with {len(indices)}",
                location=location,
                why=f"{self.name} has the shape {_shape_text(self.shape)}",
            )
        exprs = []
        for index in indices:
            expr = as_expr(index)
            if is_float(expr.dtype) or expr.dtype == "bool":
                raise TEError(
                    "KC2011",
                    f"{self.name} is indexed with a value of type {expr.dtype}",
                    location=location,
                    why="indices are integers",
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


def walk(expr: Expr) -> Iterator[Expr]:
    """``expr`` and every expression in it, each once, indices of elements included."""
    seen: set[Expr] = set()
    stack = [expr]
    while stack:
        one = stack.pop()
        if one not in seen:
            seen.add(one)
            yield one
            stack.extend(reversed(children(one)))


def children(expr: Expr) -> Sequence[Expr]:
    """The expressions directly in ``expr``."""
    if isinstance(expr, Binary | Compare):
        return (expr.lhs, expr.rhs)
    if isinstance(expr, Call):
        return expr.args
    if isinstance(expr, Cast | Reduce):
        return (expr.value,)
    if isinstance(expr, SelectExpr):
        return (expr.condition, expr.on_true, expr.on_false)
    if isinstance(expr, Element):
        return expr.indices
    return ()


def _shape_text(shape: Sequence[Any]) -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def _check_shape(shape: Any, what: str, location: Location | None) -> tuple[Dim, ...]:
    dims = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
    checked: list[Dim] = []
    for dim in dims:
        if isinstance(dim, Const) and isinstance(dim.value, int):
            dim = dim.value
        if not isinstance(dim, Expr) and hasattr(dim, "__index__"):
            dim = dim.__index__()
        if isinstance(dim, int) and 0 <= dim < 2**63:
            checked.append(dim)
        elif isinstance(dim, Expr) and not is_float(dim.dtype) and dim.dtype != "bool":
            checked.append(dim)
        else:
            raise TEError(
                "KC2012",
                f"{what} has the dimension {dim!r}",
                location=location,
                why="a dimension is an integer from 0 to 2^63 - 1, or a size made with te.var",
            )
    return tuple(checked)


def _check_name(name: str, location: Location | None) -> str:
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

    As a dimension, its value is read off the arrays at the call and checked to agree among them.
    """
    location = caller_location()
    return Var(_check_name(name, location), check_dtype(dtype), location)


def size_var(name: str = "n", dtype: str = "int32") -> Var:
    """A symbolic size, which is never negative; here all sizes are (see :func:`var`)."""
    location = caller_location()
    return Var(_check_name(name, location), check_dtype(dtype), location)


def placeholder(shape: Any, dtype: str = "float32", name: str = "placeholder") -> Tensor:
    """An input tensor of ``shape`` (integers or sizes)."""
    location = caller_location()
    name = _check_name(name, location)
    dims = _check_shape(shape, f"placeholder {name}", location)
    return PlaceholderOp(name, dims, check_dtype(dtype), location).tensor


def reduce_axis(dom: Any, name: str = "rv") -> IterVar:
    """A reduction axis over ``(start, stop)``: ``start <= k < stop``, as in TVM."""
    location = caller_location()
    name = _check_name(name, location)
    if not isinstance(dom, tuple | list) or len(dom) != 2:
        raise TEError(
            "KC2014",
            f"the domain of reduction axis {name} is {dom!r}",
            location=location,
            hints=['te.reduce_axis((0, 64), name="k")'],
        )
    start, stop = dom
    if hasattr(start, "__index__"):
        start = start.__index__()
    if not isinstance(start, int):
        raise TEError(
            "KC2014",
            f"reduction axis {name} starts at {start!r}",
            location=location,
            why="the start is an integer; a symbolic one is added where the axis is used",
        )
    if start and hasattr(stop, "__index__") and not isinstance(stop, Expr):
        stop = stop.__index__()
    extent = stop - start if start and isinstance(stop, int | Expr) else stop
    (size,) = _check_shape((extent,), f"reduction axis {name}", location)
    return _axis(name, size, "reduce", location, start)


def _axis(name: str, extent: Dim, kind: str, location: Location | None, start: int = 0) -> IterVar:
    """An axis whose values its type can hold."""
    last = start + extent - 1 if isinstance(extent, int) else start
    small = -(2**31) <= start and last < 2**31
    return IterVar(name, extent, kind, start, location, "int32" if small else "int64")


def compute(
    shape: Any,
    fcompute: Callable[..., ExprLike],
    name: str = "compute",
    tag: str = "",
    attrs: dict[str, Any] | None = None,
    varargs_names: Sequence[str] | None = None,
) -> Tensor:
    """A tensor of ``shape`` whose element at ``(i, j, ...)`` is ``fcompute(i, j, ...)``.

    Raises KC2015 when the lambda does not take one argument a dimension, KC2016 when a reduction
    is not at the top of the body, KC2017 when a reduction axis belongs to another compute.
    """
    del tag, attrs
    location = caller_location()
    name = _check_name(name, location)
    dims = _check_shape(shape, f"compute {name}", location)
    names = _axis_names(fcompute, len(dims), varargs_names, name, location)
    axis = [_axis(one, dim, "spatial", location) for one, dim in zip(names, dims, strict=True)]
    result = fcompute(*axis)
    if isinstance(result, tuple | list):
        raise TEError(
            "KC2018",
            f"compute {name} returns {len(result)} values",
            location=location,
            why="a compute gives one tensor; make one compute a value",
        )
    body = as_expr(result)
    reduce_axes: list[IterVar] = []
    for part in walk(body):
        if isinstance(part, Reduce):
            if part is not body:
                raise TEError(
                    "KC2016",
                    f"a reduction inside the expression of compute {name}",
                    location=part.location or location,
                    why="reductions stand only at the top of a compute's body",
                    hints=[f"make the reduction a compute of its own, and read it in {name}"],
                )
            reduce_axes = list(part.axes)
    for one in reduce_axes:
        owner = one.__dict__.get("_owner")
        if owner is not None:
            raise TEError(
                "KC2017",
                f"reduction axis {one.name} belongs to {owner.name} already",
                location=location,
                facts=[f"{owner.name} is computed at {owner.location}"],
                why="an axis is one loop, and a loop belongs to one compute",
                hints=[f"make another: te.reduce_axis({one.dom!r}, name={one.name!r})"],
            )
    _check_axes(body, [*axis, *reduce_axes], name, location)
    if len({one.name for one in (*axis, *reduce_axes)}) != len(axis) + len(reduce_axes):
        taken = {one.name for one in axis}
        for one in reduce_axes:
            base, n = one.name, 0
            while one.name in taken:
                n += 1
                one.name = f"{base}_{n}"
            taken.add(one.name)
    op = ComputeOp(name, dims, body.dtype, location, axis, reduce_axes, body=body)
    for one in reduce_axes:
        one.__dict__["_owner"] = op
    return op.tensor


def _check_axes(body: Expr, own: Sequence[IterVar], name: str, location: Location | None) -> None:
    for part in walk(body):
        if isinstance(part, IterVar) and not any(part is one for one in own):
            why = (
                "a reduction axis is used without a reduction over it"
                if part.kind == "reduce"
                else "the axis belongs to another compute"
            )
            raise TEError(
                "KC2019",
                f"compute {name} uses the axis {part.name}, which is not one of its axes",
                location=location,
                why=why,
                hints=[f"te.sum(..., axis={part.name})"] if part.kind == "reduce" else (),
            )


def _axis_names(
    fcompute: Callable[..., Any],
    rank: int,
    varargs_names: Sequence[str] | None,
    name: str,
    location: Location | None,
) -> list[str]:
    try:
        parameters = list(inspect.signature(fcompute).parameters.values())
    except (TypeError, ValueError):
        raise TEError(
            "KC2015",
            f"compute {name} is given {type(fcompute).__name__} {fcompute!r} for its function",
            location=location,
            why="the function takes the axes and gives an expression",
            hints=["te.compute((64,), lambda i: A[i] + 1)"],
        ) from None
    plain = [
        one
        for one in parameters
        if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) and one.default is one.empty
    ]
    star = [one for one in parameters if one.kind is one.VAR_POSITIONAL]
    if len(plain) + len(star) != len(parameters):
        raise TEError(
            "KC2015",
            f"the function of compute {name} has keyword or default arguments",
            location=location,
            why="its arguments are the axes",
        )
    if len(plain) != rank and not (star and len(plain) < rank):
        raise TEError(
            "KC2015",
            f"compute {name} has {rank} dimensions, its function takes {len(plain)} arguments",
            location=location,
            why="the function is called with one axis a dimension",
            hints=[f"lambda {', '.join('ijklmnop'[:rank])}: ..." if 0 < rank <= 8 else "lambda *i"],
        )
    names = [_check_name(one.name, location) for one in plain]
    extra = rank - len(names)
    if varargs_names is not None:
        if len(varargs_names) != extra:
            raise TEError(
                "KC2015",
                f"compute {name}: {len(varargs_names)} varargs_names for {extra} axes",
                location=location,
            )
        return [*names, *(_check_name(one, location) for one in varargs_names)]
    return [*names, *(f"i{n}" for n in range(extra))]
