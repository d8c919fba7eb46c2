"""Reverse-mode differentiation of tensor expressions: ``te.gradient``.

Each operation is differentiated separately, from the output to the inputs. The adjoint of an
element ``X[x]`` is a sum over the reads ``X[f(i)]`` of all operations: over the iterations with
``f(i) == x``, of the adjoint of the result times the derivative of the expression. These equations
are solved for the iterations (:mod:`kc.te.autodiff.solve`), so that no sum is longer than
necessary: the gradient of a matmul is a matmul, of a stencil a stencil, of a broadcast a sum.

The interface is that of TVM's ``te.gradient``, which builds Jacobians and simplifies them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from kc.expr.constructors import Expr, IterVar, Reduce, all_of, const, if_then_else, select
from kc.expr.dtypes import is_float
from kc.expr.indices import Space
from kc.expr.reducers import reduction
from kc.expr.relations import dim_of
from kc.expr.rewrite import Substitution
from kc.expr.tensor import ComputeOp, Dim, Operation, Tensor, make_axis, require_scalars, shape_text
from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.te.autodiff.factors import factored
from kc.te.autodiff.own_rules import rules_of
from kc.te.autodiff.reads import Flow, Nest, Read, adjoint, is_of_indices
from kc.te.autodiff.reductions import START, place_of, terms_of
from kc.te.autodiff.rules import exactly, reads
from kc.te.computes import compute
from kc.te.to_ir import post_order


def gradient(output: Tensor, inputs: Any, head: Tensor | None = None) -> list[Tensor]:
    """The derivatives of ``output`` with respect to ``inputs`` (tensors, or one tensor).

    ``head`` is the adjoint of the output, for each index of ``P``: its shape is ``P +
    output.shape``. The result for each input is the tensor of shape ``P + input.shape`` of::

        G[p, x] = sum over y of head[p, y] * d output[y] / d input[x]

    Without a head it is the Jacobian ``J[y, x] = d output[y] / d input[x]``, of shape
    ``output.shape + input.shape``.

    The results are computed from the inputs, the head and the intermediate tensors, and can be
    scheduled like any tensor. Rounding (``floor``, integers) has the derivative 0. Equal largest
    terms of a ``max`` or ``min`` share its adjoint. Raises KC2200 for anything but a tensor, KC2201
    for integers, KC2202 for a head of the wrong shape or type, KC2203 to KC2205 for operations that
    cannot be differentiated.
    """
    tensors = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    for what, tensor in (("output", output), *(("input", tensor) for tensor in tensors)):
        _check_tensor(what, tensor)
    if head is not None:
        _check_head(head, output)
    return _Gradient(output, tensors, head).results()


def _check_tensor(what: str, tensor: Any) -> None:
    if not isinstance(tensor, Tensor):
        raise TEError(
            "KC2200",
            f"te.gradient: the {what} {tensor!r} is not a tensor",
            location=caller_location(),
            hints=["te.gradient(C, [A, B]) of tensors made by te.compute and te.placeholder"],
        )
    require_scalars("te.gradient", [tensor])
    if not is_float(tensor.dtype):
        raise TEError(
            "KC2201",
            f"te.gradient: the {what} {tensor.name} has elements of type {tensor.dtype}",
            location=caller_location(),
            why="functions of integers have no derivative",
            hints=['convert it where it is used: x.astype("float32")']
            if what == "output"
            else ["leave it out of the inputs"],
        )


def _check_head(head: Any, output: Tensor) -> None:
    if not isinstance(head, Tensor):
        raise TEError(
            "KC2200",
            f"te.gradient: the head {head!r} is not a tensor",
            location=caller_location(),
            hints=["leave it out for the Jacobian"],
        )
    space = Space()
    rank = output.ndim
    tail = head.shape[head.ndim - rank :] if head.ndim >= rank else None
    if tail is None or [*map(space.affine, tail)] != [*map(space.affine, output.shape)]:
        raise TEError(
            "KC2202",
            f"te.gradient: the head {head.name} has the shape {shape_text(head.shape)}, "
            f"{output.name} has {shape_text(output.shape)}",
            location=caller_location(),
            why="the last dimensions of the head are those of the output",
            hints=[f"a head of shape {shape_text(output.shape)} gives the gradient of one number"],
        )
    if head.dtype != output.dtype:
        raise TEError(
            "KC2202",
            f"te.gradient: the head {head.name} has elements of type {head.dtype}, {output.name} "
            f"of {output.dtype}",
            location=caller_location(),
            hints=[f'a head of type "{output.dtype}"'],
        )


class _Gradient:
    def __init__(self, output: Tensor, inputs: list[Tensor], head: Tensor | None) -> None:
        self.output, self.inputs, self.head = output, inputs, head
        rank = output.ndim
        self.prefix: tuple[Dim, ...] = (
            output.shape if head is None else head.shape[: head.ndim - rank]
        )
        self.order = post_order([output.op])
        self.active: set[Tensor] = set(inputs)
        """The tensors that depend on the inputs."""
        for op in self.order:
            if any(tensor in self.active for tensor in op.input_tensors):
                self.active.update(tensor for tensor in op.outputs if is_float(tensor.dtype))
        self.flows: dict[Tensor, list[tuple[str, Flow]]] = {}
        """The flows to each tensor, and the tensors they come from."""
        self.pulled: dict[Tensor, list[Tensor]] = {}
        """The adjoint tensors that flow to each tensor by an operation's own gradient rule."""
        self.adjoints: dict[Tensor, Tensor] = {}

    def results(self) -> list[Tensor]:
        for op in reversed(self.order):
            for n, tensor in enumerate(op.outputs):
                if tensor is self.output:
                    if self.head is not None:
                        self.adjoints[tensor] = self.head
                elif tensor in self.flows or tensor in self.pulled:
                    self.adjoints[tensor] = self._sum(tensor)
                else:
                    continue
                if any(operand in self.active for operand in op.input_tensors):
                    self._pull_back(op, n)
        return [self._result(tensor) for tensor in self.inputs]

    def _result(self, tensor: Tensor) -> Tensor:
        if tensor in self.adjoints:
            return self.adjoints[tensor]
        shape = (*self.prefix, *tensor.shape)
        if tensor is self.output:
            rank = tensor.ndim

            def identity(*axes: IterVar) -> Expr:
                equal = [axes[n].equal(axes[rank + n]) for n in range(rank)]
                return select(all_of(*equal), unit, 0) if equal else unit

            unit = const(1.0, tensor.dtype)
            tensor_grad = compute(shape, lambda *axes: identity(*axes), name=f"{tensor.name}_grad")
        else:
            zero = const(0.0, tensor.dtype)
            tensor_grad = compute(shape, lambda *axes: zero, name=f"{tensor.name}_grad")
        self.adjoints[tensor] = tensor_grad
        return tensor_grad

    # One operation --------------------------------------------------------------------------

    def _pull_back(self, op: Operation, index: int) -> None:
        """Add the contributions of output ``index`` of ``op`` to the adjoints of its operands."""
        tensor = op.output(index)
        active = self._by_own_rules(tensor)
        if not any(operand in active for operand in op.input_tensors):
            return
        if not isinstance(op, ComputeOp):
            kind = type(op).__name__.removesuffix("Op").lower()
            raise TEError(
                "KC2203",
                f"te.gradient: {tensor.name} is the result of a te.{kind}, which has no derivative",
                location=op.location,
                **self._other_ways(tensor),
            )
        prefix = tuple(
            make_axis(f"p{n}", dim, "spatial", op.location) for n, dim in enumerate(self.prefix)
        )
        own = self.adjoints.get(tensor)
        ties: tuple[tuple[IterVar, IterVar], ...] = ()
        if own is None:
            flow: Expr = const(1.0, tensor.dtype)
            ties = tuple(zip(prefix, op.axis, strict=True))
        else:
            flow = own(*prefix, *op.axis)
        outer = Nest(op.name, tuple(op.axis), prefix, ties)
        body = op.bodies[index]
        if not isinstance(body, Reduce):
            self._add(tensor, outer, reads(body, flow, active, tensor(*op.axis)))
            return
        terms = terms_of(op, index)
        scaled = terms.scaled(flow)
        if scaled is not flow and own is not None:
            scaled = self._shared(tensor, scaled, prefix, op)
        inner = Nest(op.name, (*op.axis, *op.reduce_axis), prefix, ties)
        term = body.values[body.value_index]
        conditions = () if body.condition is None else (exactly(body.condition),)
        place = place_of(op.reduce_axis)
        term_reads = reads(term, terms.share(scaled, term, place), active, None, conditions)
        self._add(tensor, inner, term_reads)
        if body.init is not None:
            start = body.init[body.value_index]
            self._add(tensor, outer, reads(start, terms.share(scaled, start, START), active))

    def _other_ways(self, tensor: Tensor) -> dict[str, Any]:
        """The reason why a tensor of another operation has no derivative here, and the
        alternatives.
        """
        rules = rules_of(tensor)
        if rules and (self.prefix or tensor not in self.adjoints):
            return {
                "why": "its own rules are for what flows to one result; a Jacobian is derived from "
                "computes alone",
                "hints": [
                    f"te.gradient(Y, [X], head), with a head of the shape of {self.output.name}"
                ],
            }
        hint = f"te.gradient(T, ...) of a tensor T that {tensor.op.name} reads"
        if rules:
            names = ", ".join(operand.name for operand, rule in rules.items() if rule is not None)
            return {
                "why": f"it has own rules, for what flows to {names} alone",
                "hints": [hint],
            }
        return {"why": "only results of te.compute are differentiated", "hints": [hint]}

    def _by_own_rules(self, tensor: Tensor) -> set[Tensor]:
        """Apply the operation's own rules. The result is the active tensors without a rule."""
        rules, own = rules_of(tensor), self.adjoints.get(tensor)
        if not rules or own is None or self.prefix:
            return self.active
        left = set(self.active)
        for operand, rule in rules.items():
            if rule is None:
                left.discard(operand)
            elif operand in self.active and (flow := rule(own)) is not None:
                self.pulled.setdefault(operand, []).append(flow)
                left.discard(operand)
        return left

    def _shared(
        self, tensor: Tensor, scaled: Expr, prefix: Sequence[IterVar], op: ComputeOp
    ) -> Expr:
        """``scaled`` as a separate tensor, so that each element is computed once and not for each
        term.
        """
        axes = (*prefix, *op.axis)
        shared = compute(
            (*self.prefix, *tensor.shape),
            lambda *place: Substitution(dict(zip(axes, place, strict=True)))(scaled),
            name=f"{tensor.name}_share",
            varargs_names=_names(axes),
        )
        return shared(*axes)

    def _add(self, tensor: Tensor, nest: Nest, element_reads: Any) -> None:
        """Record the adjoints of ``element_reads``; reads of the same element are merged."""
        space = Space()
        merged: dict[Any, Read] = {}
        for read in element_reads:
            place = tuple(map(space.affine, read.element.indices))
            key = (read.element.tensor, place, read.conditions)
            if key in merged:
                read = Read(read.element, merged[key].flow + read.flow, read.conditions)
            merged[key] = read
        for read in merged.values():
            flow = adjoint(read, nest)
            if flow is not None:
                self.flows.setdefault(read.element.tensor, []).append((tensor.name, flow))

    # Tensors --------------------------------------------------------------------------------

    def _loops(self, flow: Flow, target: Tensor, name: str) -> Tensor:
        """The tensor of the sum in ``flow``."""

        def body(*axes: IterVar) -> Expr:
            at = dict(zip(flow.targets, axes, strict=True))
            place = Substitution(at)
            loops: dict[IterVar, IterVar] = {}
            for loop, extent in flow.loops:
                dim = dim_of(place(extent)) if isinstance(extent, Expr) else extent
                loops[loop] = make_axis(loop.name, dim, "reduce", target.op.location)
            where, term = _guarded(flow, Substitution({**at, **loops}))
            return reduction("sum")(term, axis=[*loops.values()], where=where)

        return self._compute(target, body, name)

    def _sum(self, target: Tensor) -> Tensor:
        """The adjoint of a tensor: the sum of all contributions."""
        flows, pulled = self.flows.get(target, []), self.pulled.get(target, [])
        name = f"{target.name}_grad"
        if len(pulled) == 1 and not flows:
            return pulled[0]
        if (
            not pulled
            and len(flows) == 1
            and flows[0][1].loops
            and factored(flows[0][1])[0] is flows[0][1]
        ):
            return self._loops(flows[0][1], target, name)
        parts: list[Flow] = []
        for source, flow in flows:
            if flow.loops:
                inner, outer = factored(flow)
                total = self._loops(inner, target, f"{name}_{source}")
                flow = Flow(flow.targets, outer(total(*flow.targets)), (), ())
            parts.append(flow)

        def body(*axes: IterVar) -> Expr:
            terms: list[Expr] = []
            for flow in parts:
                place = Substitution(dict(zip(flow.targets, axes, strict=True)))
                where, term = _guarded(flow, place)
                terms.append(term if where is None else if_then_else(where, term, 0))
            terms += [part(*axes) for part in pulled]
            return reduce(operator.add, terms)

        return self._compute(target, body, name)

    def _compute(self, target: Tensor, body: Callable[..., Expr], name: str) -> Tensor:
        """A tensor of the shape of a gradient; its axes have the names of those of ``target``."""
        own = [axis.name for axis in target.op.axis] if isinstance(target.op, ComputeOp) else []
        if len(own) != target.ndim:
            own = [f"i{n}" for n in range(target.ndim)]
        names: list[str] = []
        for n in range(len(self.prefix)):
            taken = f"p{n}"
            while taken in own:
                taken += "_"
            names.append(taken)
        shape = (*self.prefix, *target.shape)
        return compute(shape, lambda *axes: body(*axes), name=name, varargs_names=[*names, *own])


def _guarded(flow: Flow, place: Substitution) -> tuple[Expr | None, Expr]:
    """The condition by indices alone under which there is a term, and the term.

    Conditions on elements are evaluated only where the elements are read: inside the term.
    """
    conditions = [place(condition) for condition in flow.conditions]
    term = place(flow.term)
    for condition in reversed(conditions):
        if not is_of_indices(condition):
            term = if_then_else(condition, term, 0)
    indices = [condition for condition in conditions if is_of_indices(condition)]
    return (all_of(*indices) if indices else None), term


def _names(axes: Sequence[IterVar]) -> list[str]:
    return [f"i{n}" for n in range(len(axes))]


__all__ = ["gradient"]
