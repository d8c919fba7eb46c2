"""Recurrences: tensors whose rows are computed from rows before."""

from __future__ import annotations

from typing import Any

from kc.expr.constructors import Element, walk
from kc.expr.indices import same_dim
from kc.expr.tags import tag_of
from kc.expr.tensor import (
    ComputeOp,
    PlaceholderOp,
    ScanOp,
    Tensor,
    check_name,
    check_tensors,
    make_axis,
    require_scalars,
    shape_text,
)
from kc.support.diagnostics import Location, TEError
from kc.support.locations import caller_location

_USAGE = "te.scan(init, update, state_placeholder, inputs=[X])"


def scan(
    init: Any,
    update: Any,
    state_placeholder: Any,
    inputs: Any = (),
    name: str = "scan",
    tag: str = "",
    attrs: dict[str, Any] | None = None,
) -> Any:
    """A recurrence along the first dimension, time, with one or several states.

    The first rows of a state are ``init``. A later row ``t`` is row ``t`` of ``update``, a compute
    that reads earlier rows of the states through ``state_placeholder``. All of these have the shape
    of the result. ``inputs`` may list the other tensors that are read::

        state = te.placeholder((m, n))
        first = te.compute((1, n), lambda _, i: X[0, i])
        update = te.compute((m, n), lambda t, i: state[t - 1, i] + X[t, i])
        sums = te.scan(first, update, state, inputs=[X])

    The result is the tensor, or a tuple with a tensor for each state. Raises KC2051 to KC2057 for
    an invalid recurrence. The lowering checks that rows are computed before they are read (KC2050).
    """
    location = caller_location()
    name = check_name(name, location)
    parts = [
        check_tensors(argument, f"scan {name}", "KC2051", _USAGE, location)
        for argument in (init, update, state_placeholder)
    ]
    inits, updates, states = parts
    tensors = check_tensors(inputs, f"scan {name}", "KC2051", _USAGE, location)
    if not len(inits) == len(updates) == len(states) or not inits:
        raise TEError(
            "KC2051",
            f"scan {name} has {len(inits)} initial tensors, {len(updates)} updates and "
            f"{len(states)} states",
            location=location,
            why="each state needs exactly one of each",
        )
    require_scalars(f"scan {name}", [*inits, *updates, *states])
    for what, group in (("update", updates), ("state", states)):
        if len(set(group)) != len(group):
            raise TEError(
                "KC2051",
                f"scan {name} has one {what} twice",
                location=location,
                why="each state has a placeholder and an update of its own",
            )
    for state in states:
        if not isinstance(state.op, PlaceholderOp):
            raise TEError(
                "KC2052",
                f"the state {state.name} of scan {name} is not a placeholder",
                location=location,
                why="the scan computes the state; the placeholder is how the update reads it",
                hints=[f"state = te.placeholder({shape_text(state.shape)}, {state.dtype!r})"],
            )
    for first, new, state in zip(inits, updates, states, strict=True):
        _check_state(name, first, new, state, states[0], inits[0], location)
    rows, start = states[0].shape[0], inits[0].shape[0]
    assert isinstance(start, int)
    time = make_axis(f"{name}_idx", rows - start, "ordered", location, start)
    spatial = [
        make_axis(f"{name}_out{n}_i{k}", dim, "opaque", location)
        for n, state in enumerate(states)
        for k, dim in enumerate(state.shape[1:], 1)
    ]
    op = ScanOp(
        name,
        states[0].shape,
        states[0].dtype,
        location,
        init=inits,
        update=updates,
        state_placeholder=states,
        inputs=tensors,
        scan_axis=time,
        spatial_axis_=spatial,
    )
    _check_steps(op)
    tag_of(op, tag, attrs)
    return op.outputs if len(states) > 1 else op.output(0)


def _check_state(
    name: str,
    init: Tensor,
    update: Tensor,
    state: Tensor,
    first_state: Tensor,
    first_init: Tensor,
    location: Location | None,
) -> None:
    for what, tensor in (("initial tensor", init), ("update", update)):
        if tensor.dtype != state.dtype:
            raise TEError(
                "KC2053",
                f"the {what} {tensor.name} of scan {name} has type {tensor.dtype}, its state has "
                f"{state.dtype}",
                location=location,
                hints=[f'convert: .astype("{state.dtype}")'],
            )
        if tensor.ndim != state.ndim or not state.ndim:
            raise TEError(
                "KC2054",
                f"the {what} {tensor.name} of scan {name} has {tensor.ndim} dimensions, its state "
                f"has {state.ndim}",
                location=location,
                why="all have time as their first dimension, and the others are those of a row",
            )
        start = 0 if tensor is update else 1
        pairs = zip(tensor.shape[start:], state.shape[start:], strict=True)
        if not all(same_dim(a, b) for a, b in pairs):
            raise TEError(
                "KC2055",
                f"the {what} {tensor.name} of scan {name} has the shape "
                f"{shape_text(tensor.shape)}, its state has {shape_text(state.shape)}",
                location=location,
                why="they agree in all dimensions"
                + (" but the first, time" if tensor is init else ""),
            )
    if not same_dim(state.shape[0], first_state.shape[0]):
        raise TEError(
            "KC2055",
            f"the states {first_state.name} and {state.name} of scan {name} have "
            f"{first_state.shape[0]} and {state.shape[0]} rows",
            location=location,
            why="all states share one time axis",
        )
    count, rows = init.shape[0], state.shape[0]
    if not isinstance(count, int) or count < 1 or count != first_init.shape[0]:
        raise TEError(
            "KC2056",
            f"the initial tensor {init.name} of scan {name} has the shape {shape_text(init.shape)}",
            location=location,
            why="initial tensors have one constant number of rows, at least 1",
        )
    if isinstance(rows, int) and rows < count:
        raise TEError(
            "KC2056",
            f"scan {name} has {rows} rows, of which {count} are initial ones",
            location=location,
        )


def _check_steps(scan_op: ScanOp) -> None:
    """Refuse a step that does not consist of computes of a single row."""
    name, order, states = scan_op.name, scan_op.steps, scan_op.state_placeholder
    location = scan_op.location
    for op in order:
        if not isinstance(op, ComputeOp) or not op.axis:
            raise TEError(
                "KC2057",
                f"{op.name} in a step of scan {name} is not a compute with time as its first axis",
                location=op.location or location,
                why="it depends on a state, so it has a row for each time",
            )
        if not same_dim(op.shape[0], states[0].shape[0]):
            raise TEError(
                "KC2057",
                f"{op.name} in a step of scan {name} has {op.shape[0]} rows, the states have "
                f"{states[0].shape[0]}",
                location=op.location or location,
                why="it depends on a state, so it has a row for each time, in the first dimension",
            )
    for op in order:
        assert isinstance(op, ComputeOp)
        for part in walk(*op.bodies):
            if isinstance(part, Element) and part.tensor.op in order:
                if part.indices[0] is not op.axis[0]:
                    raise TEError(
                        "KC2057",
                        f"{op.name} in a step of scan {name} reads another row of "
                        f"{part.tensor.name} than its own",
                        location=part.location or op.location or location,
                        why="only the rows of states are kept from one step to the next",
                        hints=[f"{part.tensor.name}[{op.axis[0].name}, ...]"],
                    )
