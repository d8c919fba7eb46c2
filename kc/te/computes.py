"""Computes: tensors defined element by element."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from kc.expr.constructors import Expr, IterVar, Reduce, as_expr, walk
from kc.expr.dtypes import lanes
from kc.expr.tags import tag_of
from kc.expr.tensor import ComputeOp, Dim, TileCall, check_name, check_shape, make_axis
from kc.expr.vectors import refuse_whole_vectors
from kc.support.diagnostics import Location, TEError, counted
from kc.support.fresh_names import fresh_name
from kc.support.locations import caller_location
from kc.te.intrin_calls import called_tile


class _OfAllAxes(Protocol):
    """A function of any number of axes."""

    def __call__(self, *axes: IterVar) -> Any: ...


_I = IterVar
ElementFunction = (
    Callable[[], Any]
    | Callable[[_I], Any]
    | Callable[[_I, _I], Any]
    | Callable[[_I, _I, _I], Any]
    | Callable[[_I, _I, _I, _I], Any]
    | Callable[[_I, _I, _I, _I, _I], Any]
    | Callable[[_I, _I, _I, _I, _I, _I], Any]
    | _OfAllAxes
)
"""A function of the axes. The union gives type checkers the parameters of a lambda, which
``Callable[..., Any]`` would hide.
"""


def described(name: str) -> str:
    """The name of a compute in messages, also for an unnamed one."""
    return "te.compute" if name == "compute" else f"compute {name}"


def compute(
    shape: Any,
    fcompute: ElementFunction,
    name: str = "compute",
    tag: str = "",
    attrs: dict[str, Any] | None = None,
    varargs_names: Sequence[str] | None = None,
) -> Any:
    """A tensor of ``shape`` whose element at ``(i, j, ...)`` is ``fcompute(i, j, ...)``.

    A function that returns several expressions creates a tuple of tensors, which are computed
    together. A function of only the first axes returns a value for all elements along the other
    axes, or calls a tensor intrinsic with parts of tensors, such as ``A[i, 0:16]``, for a tile of
    them. Raises KC2015 if the lambda takes more arguments than there are dimensions, KC2016 for a
    reduction below the top of the body, KC2044 if several values are not all results of one
    reduction.
    """
    location = caller_location()
    name = check_name(name, location)
    dims = check_shape(shape, described(name), location)
    axis, bodies, call = _body(fcompute, dims, varargs_names, name, location)
    if not bodies:
        raise TEError(
            "KC2018",
            f"{described(name)} returns no value",
            location=location,
            why="the function must return at least one expression; each becomes a tensor",
        )
    refuse_whole_vectors(bodies, described(name), location)
    counts = list(dict.fromkeys(lanes(body.dtype) for body in bodies))
    if len(counts) > 1:
        raise TEError(
            "KC2243",
            f"the values of compute {name} have {' and '.join(map(str, counts))} lanes",
            location=location,
            why="they are computed in one loop nest, lane by lane",
        )
    reduce_axes = _reduce_axes(bodies, name, location)
    _check_axes(bodies, [*axis, *reduce_axes], name, location)
    extents = [
        reduce_axis.extent for reduce_axis in reduce_axes if isinstance(reduce_axis.extent, Expr)
    ]
    _check_axes(extents, axis, name, location)
    if len({iter_var.name for iter_var in (*axis, *reduce_axes)}) != len(axis) + len(reduce_axes):
        taken = {iter_var.name for iter_var in axis}
        for reduce_axis in reduce_axes:
            reduce_axis.name = fresh_name(reduce_axis.name, taken)
    first = bodies[0]
    op = ComputeOp(name, dims, first.dtype, location, axis, reduce_axes, body=bodies, call=call)
    tag_of(op, tag, attrs)
    return op.outputs if len(bodies) > 1 else op.output(0)


def _body(
    fcompute: Callable[..., Any],
    dims: Sequence[Dim],
    varargs_names: Sequence[str] | None,
    name: str,
    location: Location | None,
) -> tuple[list[IterVar], tuple[Expr, ...], TileCall | None]:
    """The axes of a compute, its expressions, and its call of an intrinsic, if any."""
    tile = called_tile(fcompute, dims, name, location)
    if tile is not None:
        return tile
    names = _axis_names(fcompute, len(dims), varargs_names, name, location)
    axis = [
        make_axis(axis_name, dim, "spatial", location)
        for axis_name, dim in zip(names, dims, strict=True)
    ]
    result = fcompute(*axis[: _axes_taken(fcompute, len(dims))])
    several = isinstance(result, tuple | list)
    return axis, tuple(map(as_expr, result if several else (result,))), None


def _reduce_axes(bodies: Sequence[Expr], name: str, location: Location | None) -> list[IterVar]:
    """The reduction axes of ``bodies``. Refuses anything but a single reduction at the top."""
    for body in bodies:
        for part in walk(body):
            if isinstance(part, Reduce) and part is not body:
                raise TEError(
                    "KC2016",
                    f"a reduction inside the expression of compute {name}",
                    location=part.location or location,
                    why="a reduction is allowed only at the top of a compute's body",
                    hints=[f"make the reduction a compute of its own, and read it in {name}"],
                )
    reductions = [body for body in bodies if isinstance(body, Reduce)]
    if not reductions:
        return []
    first = reductions[0]
    if len(reductions) != len(bodies) or not all(
        _is_same(first, reduction) for reduction in reductions
    ):
        raise TEError(
            "KC2044",
            f"the values of compute {name} are not results of one reduction",
            location=location,
            why="they are computed in one loop nest, in the order in which they are combined",
            hints=[
                "make one compute a reduction",
                "te.comm_reducer reduces a tuple of expressions over one set of axes",
            ],
        )
    if [reduction.value_index for reduction in reductions] != list(range(len(first.values))):
        raise TEError(
            "KC2044",
            f"{described(name)} returns {len(bodies)} of the {len(first.values)} results of a "
            "reduction, or in another order",
            location=location,
            why="the results are computed together, so all are needed",
            hints=["return all results of the reducer, and use the tensor you need"],
        )
    return list(first.axes)


def _is_same(left: Reduce, right: Reduce) -> bool:
    """True if two results belong to the same reduction."""
    return (
        left.combiner is right.combiner
        and left.condition is right.condition
        and all(
            len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))
            for a, b in (
                (left.values, right.values),
                (left.axes, right.axes),
                (left.init or (), right.init or ()),
            )
        )
    )


def _check_axes(
    bodies: Sequence[Expr], own: Sequence[IterVar], name: str, location: Location | None
) -> None:
    for part in walk(*bodies):
        if isinstance(part, IterVar) and not any(part is own_axis for own_axis in own):
            why = (
                "a reduction axis is used without a reduction over it"
                if part.kind == "reduce"
                else "the axis belongs to another compute"
            )
            raise TEError(
                "KC2019",
                f"{described(name)} uses the axis {part.name}, which is not one of its axes",
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
            f"{described(name)} is given {type(fcompute).__name__} {fcompute!r} for its function",
            location=location,
            why="the function must accept the axes and return an expression",
            hints=["te.compute((64,), lambda i: A[i] + 1)"],
        ) from None
    plain = [
        parameter
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        and parameter.default is parameter.empty
    ]
    star = [parameter for parameter in parameters if parameter.kind is parameter.VAR_POSITIONAL]
    # lambda i, j, q=q: ... binds the variable of a loop around: Python's way, and no axis.
    bound = [
        parameter
        for parameter in parameters
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter not in plain
    ]
    if len(plain) + len(star) + len(bound) != len(parameters):
        raise TEError(
            "KC2015",
            f"the function of {described(name)} has keyword arguments",
            location=location,
            why="its arguments are the axes",
        )
    if len(plain) > rank:
        raise TEError(
            "KC2015",
            f"{described(name)} has {counted(rank, 'dimension')}, its function takes "
            f"{counted(len(plain), 'argument')}",
            location=location,
            why="the function must take an axis for each dimension, or only the first axes",
            hints=[f"lambda {', '.join('ijklmnop'[:rank])}: ..." if rank <= 8 else "lambda *i"],
        )
    names = [check_name(parameter.name, location) for parameter in plain]
    extra = rank - len(names)
    if varargs_names is not None:
        if len(varargs_names) != extra:
            raise TEError(
                "KC2015",
                f"{described(name)}: {len(varargs_names)} varargs_names for "
                f"{counted(extra, 'axis', 'axes')}",
                location=location,
            )
        return [*names, *(check_name(axis_name, location) for axis_name in varargs_names)]
    taken = set(names)
    return [*names, *(fresh_name(f"i{n}", taken) for n in range(extra))]


def _axes_taken(fcompute: Callable[..., Any], rank: int) -> int:
    """The number of axes that the function takes: all axes, or only the first ones."""
    parameters = inspect.signature(fcompute).parameters.values()
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return rank
    return sum(parameter.default is parameter.empty for parameter in parameters)
