"""Recurrent networks: a scan over time, and buffers of past inputs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, const, if_then_else, select
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import ScanOp, Tensor, placeholder, reduce_axis, shape_text
from kc.te.autodiff.own_rules import with_rules
from kc.te.computes import compute
from kc.te.scan import scan
from kc.topi.arguments import agree, axis_of, called, constant, same_size, tensor
from kc.topi.broadcast import add
from kc.topi.elementwise import FLOAT, as_wide, cast, is_narrow, sigmoid, tanh
from kc.topi.kinds import shown
from kc.topi.shape import flip
from kc.topi.slicing import strided_slice
from kc.topi.table import ANY, operator, refuse


def _fitting(value: Tensor | None, what: str, dtype: str, *shape: Any) -> None:
    """Raise KC2301 to KC2303 if an optional tensor does not have the type and the shape."""
    if value is None:
        return
    tensor(value, what, len(shape), (dtype,))
    if not all(map(agree, value.shape, shape)):
        raise refuse(
            "KC2303",
            f"{what} {value.name} of the shape {shape_text(value.shape)}",
            f"it is {shape_text(shape)}",
        )


@operator(
    "", FLOAT, "nn.lstm(T(3, 2, 4), T(20, 4), T(20, 5))", onnx="LSTM", torch="nn.LSTM",
    gradient="own",
)  # fmt: skip
def lstm(
    Xs: Tensor, Wi: Tensor, Wh: Tensor, Bi: Tensor | None = None, Bh: Tensor | None = None,
    h_init: Tensor | None = None, c_init: Tensor | None = None, proj: Tensor | None = None,
    p_i: Tensor | None = None, p_f: Tensor | None = None, p_o: Tensor | None = None,
    f_act: Any = None, g_act: Any = None,
    h_act: Any = None, reverse: bool = False, weight_layout: str = "IFGO",
) -> list[Tensor]:  # fmt: skip
    """The hidden states (T, N, H) and the cells (T, N, H) of a long short-term memory.

    The inputs are (T, N, K), the weights (4 H, K) and (4 H, H), and the biases (4 H,); their four
    parts have the order of ``weight_layout``: input, forget, cell (G) and output gate. With
    ``proj`` (P, H) the hidden states are (T, N, P), and their weights (4 H, P). ``p_i``, ``p_f``
    and ``p_o`` (H,) add the cell to the gates. States begin with ``h_init`` (N, H or P) and
    ``c_init`` (N, H), 0 by default. ``reverse`` runs from the last input to the first; each result
    stays at the index of its input. ``f_act``, ``g_act`` and ``h_act`` are operators (sigmoid,
    tanh, tanh). Narrow floats, including the states, are computed in float32, and rounded once.
    Raises KC2302 and KC2303 for ranks and sizes, KC2312 for an invalid order of the gates.
    """
    f_act = sigmoid if f_act is None else f_act
    g_act, h_act = (tanh if act is None else act for act in (g_act, h_act))

    def activated(act: Callable[[Tensor], Any], what: str, value: Tensor) -> Tensor:
        result = called(act, what, value)
        if not isinstance(result, Tensor) or result.ndim != value.ndim:
            raise refuse("KC2300", f"{what} gives {shown(result)}",
                         "it must be an operator that keeps the shape of its tensor",
                         f"topi.nn.lstm(..., {what}=topi.tanh)")  # fmt: skip
        return result

    tensor(Xs, "Xs", 3)
    if not isinstance(weight_layout, str) or sorted(weight_layout) != sorted("IFGO"):
        raise refuse(
            "KC2312", f"weight_layout is {weight_layout!r}", "it must name I, F, G and O once each"
        )
    dtype = Xs.dtype
    tensor(Wi, "Wi", 2, (dtype,))
    steps, batch, width = constant(Xs.shape[0], "the number of steps"), Xs.shape[1], Xs.shape[2]
    rows = constant(Wi.shape[0], "the rows of Wi")
    if steps < 1 or rows < 4 or rows % 4:
        raise refuse(
            "KC2303",
            f"Xs {Xs.name} of the shape {shape_text(Xs.shape)} and Wi {Wi.name} of the shape "
            f"{shape_text(Wi.shape)}",
            "there must be at least one step, and 4 rows of Wi for each hidden element",
        )
    hidden = rows // 4
    if proj is not None:
        tensor(proj, "proj", 2, (dtype,))
        _fitting(proj, "proj", dtype, proj.shape[0], hidden)
    seen = constant(proj.shape[0], "the rows of proj") if proj is not None else hidden
    _fitting(Wi, "Wi", dtype, rows, width)
    _fitting(Wh, "Wh", dtype, rows, seen)
    for value, what in ((Bi, "Bi"), (Bh, "Bh")):
        _fitting(value, what, dtype, rows)
    for value, what in ((p_i, "p_i"), (p_f, "p_f"), (p_o, "p_o")):
        _fitting(value, what, dtype, hidden)
    _fitting(h_init, "h_init", dtype, batch, seen)
    _fitting(c_init, "c_init", dtype, batch, hidden)

    if is_narrow(dtype):
        # Absent operands stay None.
        states = lstm(
            *(part if part is None else as_wide(part) for part in (
                Xs, Wi, Wh, Bi, Bh, h_init, c_init, proj, p_i, p_f, p_o
            )),  # pyright: ignore
            f_act=f_act, g_act=g_act, h_act=h_act, reverse=reverse, weight_layout=weight_layout,
        )  # fmt: skip
        return [cast(state, dtype) for state in states]
    source = flip(Xs, 0) if reverse else Xs
    k = reduce_axis((0, width), name="k")
    inputs = compute(
        (steps, batch, rows),
        lambda t, n, r: scalar.sum(source(t, n, k) * Wi(r, k), axis=k),
        "lstm_inputs",
        tag="dense",
    )
    zero = const(0, dtype)

    def first(value: Tensor | None, size: int, name: str) -> Tensor:
        return compute((1, batch, size), lambda _, n, h: zero if value is None else value(n, h),
                       name)  # fmt: skip

    hiddens = placeholder((steps + 1, batch, seen), dtype, "lstm_h")
    cells = placeholder((steps + 1, batch, hidden), dtype, "lstm_c")
    j = reduce_axis((0, seen), name="j")
    products = compute(
        (steps + 1, batch, rows),
        lambda t, n, r: scalar.sum(hiddens(t - 1, n, j) * Wh(r, j), axis=j),
        "lstm_products",
    )

    def gate(letter: str, peephole: Tensor | None, of: Tensor) -> Tensor:
        begin = weight_layout.index(letter) * hidden

        def body(t: Any, n: Any, h: Any) -> Any:
            value = inputs(t - 1, n, begin + h) + products(t, n, begin + h)
            for bias in (Bi, Bh):
                value = value if bias is None else value + bias(begin + h)
            return (
                value
                if peephole is None
                else value + peephole(h) * of(t if of is not cells else t - 1, n, h)
            )

        return compute((steps + 1, batch, hidden), body, f"lstm_{letter.lower()}")

    i, f = (activated(f_act, "f_act", gate(letter, weight, cells))
            for letter, weight in (("I", p_i), ("F", p_f)))  # fmt: skip
    g = activated(g_act, "g_act", gate("G", None, cells))
    shape = (steps + 1, batch, hidden)
    cell = compute(
        shape,
        lambda t, n, h: f(t, n, h) * cells(t - 1, n, h) + i(t, n, h) * g(t, n, h),
        "lstm_cell",
    )
    o = activated(f_act, "f_act", gate("O", p_o, cell))
    seen_cell = activated(h_act, "h_act", cell)
    out = compute(shape, lambda t, n, h: o(t, n, h) * seen_cell(t, n, h), "lstm_out")
    if proj is not None:
        m = reduce_axis((0, hidden), name="m")
        whole_out = out
        out = compute(
            (steps + 1, batch, seen),
            lambda t, n, p: scalar.sum(whole_out(t, n, m) * proj(p, m), axis=m),
            "lstm_projected",
        )
    states = scan(
        [first(h_init, seen, "lstm_h_init"), first(c_init, hidden, "lstm_c_init")],
        [out, cell],
        [hiddens, cells],
        inputs=[inputs],
        name="lstm",
    )
    cell_weights = {"I": p_i, "F": p_f, "O": p_o}
    biases = [bias for bias in (Bi, Bh) if bias is not None]
    back = _Backwards(
        states, inputs, Wh, biases, cell_weights, proj, (f_act, g_act, h_act), weight_layout
    )
    for number, state in enumerate(states):
        with_rules(state, {**back.rules(number), out: None, cell: None})
    results = [strided_slice(state, (1,), (steps + 1,)) for state in states]
    return [flip(result, 0) for result in results] if reverse else results


class _Backwards:
    """The adjoints of the operands of a long short-term memory, through time.

    Everything except the recurrence is computed from all states at once: the gates (T, N, H) and
    their slopes. The recurrence runs from the last step to the first: its row ``s`` is the adjoint
    of the states before step ``T - s``. Sources: Hochreiter and Schmidhuber, 1997; Gers and
    Schmidhuber, 2000 (cells in the gates); Sak, Senior and Beaufays, 2014 (projections).
    """

    def __init__(
        self, states: Sequence[Tensor], inputs: Tensor, weights: Tensor, biases: Sequence[Tensor],
        cell_weights: Mapping[str, Tensor | None], projection: Tensor | None, acts: Sequence[Any],
        order: str,
    ) -> None:  # fmt: skip
        self.hiddens, self.cells = states
        self.inputs, self.weights, self.biases = inputs, weights, biases
        self.cell_weights, self.projection, self.order = cell_weights, projection, order
        f_act, g_act, h_act = acts
        self.acts = {"I": f_act, "F": f_act, "G": g_act, "O": f_act, "H": h_act}
        self.steps, self.batch = constant(inputs.shape[0], "the number of steps"), inputs.shape[1]
        self.width, self.seen = self.cells.shape[2], self.hiddens.shape[2]
        self.dtype = inputs.dtype

    def rules(self, output: int) -> dict[Tensor, Any]:
        """The rules of the hidden states (0) or the cells (1), by operand."""

        @functools.cache
        def flows(head: Tensor) -> Mapping[Tensor, Tensor]:
            zero = const(0, self.dtype)
            heads: list[Callable[..., Expr]] = [lambda *_: zero, lambda *_: zero]
            heads[output] = head
            return self._flows(*heads)

        scan_op = self.hiddens.op
        assert isinstance(scan_op, ScanOp)
        operands = [self.inputs, self.weights, *self.biases, *scan_op.init]
        operands += [weight for weight in self.cell_weights.values() if weight is not None]
        operands += [self.projection] if self.projection is not None else []
        return {operand: lambda head, operand=operand: flows(head)[operand] for operand in operands}

    def _gates(self) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """The gates, and as "H" the activated cells; and the slopes of their activations."""
        from kc.te.gradient import gradient  # imported only for gradients

        shape = (self.steps, self.batch, self.width)
        j = reduce_axis((0, self.seen), name="j")
        products = compute(
            self.inputs.shape,
            lambda t, n, r: scalar.sum(self.hiddens(t, n, j) * self.weights(r, j), axis=j),
            "lstm_products",
            tag="dense",
        )

        def before(letter: str) -> Tensor:
            begin, weight = self.order.index(letter) * self.width, self.cell_weights.get(letter)

            def body(t: Any, n: Any, h: Any) -> Expr:
                value = self.inputs(t, n, begin + h) + products(t, n, begin + h)
                for bias in self.biases:
                    value = value + bias(begin + h)
                if weight is None:
                    return value
                return value + weight(h) * self.cells(t + 1 if letter == "O" else t, n, h)

            return compute(shape, body, f"lstm_{letter.lower()}")

        inputs = {letter: before(letter) for letter in "IFGO"}
        inputs["H"] = compute(shape, lambda t, n, h: self.cells(t + 1, n, h), "lstm_cell")
        ones = compute(shape, lambda *_: const(1, self.dtype), "lstm_ones")
        gates = {letter: self.acts[letter](value) for letter, value in inputs.items()}
        slopes = {letter: gradient(gates[letter], [inputs[letter]], ones)[0] for letter in inputs}
        return gates, slopes

    def _step(
        self, rows: int, step: Callable[[Any], Any], to_hidden: Callable[..., Expr],
        to_cell: Callable[..., Expr], gates: Mapping[str, Tensor], slopes: Mapping[str, Tensor],
    ) -> dict[str, Tensor]:  # fmt: skip
        """The adjoints of the gates before their activations, and, as "C", of the cells.

        Each row belongs to a ``step``, whose results have the adjoints ``to_hidden`` and
        ``to_cell``.
        """
        shape, projection = (rows, self.batch, self.width), self.projection
        p = reduce_axis((0, self.seen), name="p")

        def to_out(s: Any, n: Any, h: Any) -> Expr:
            if projection is None:
                return to_hidden(s, n, h)
            return scalar.sum(to_hidden(s, n, p) * projection(p, h), axis=p)

        out = compute(shape, to_out, "lstm_out_grad")

        def flow(letter: str, body: Callable[..., Expr]) -> Tensor:
            def at_step(s: Any, n: Any, h: Any) -> Expr:
                return body((s, n, h), (step(s), n, h))

            return compute(shape, at_step, f"lstm_{letter.lower()}_grad")

        o = flow("O", lambda at, t: out(*at) * (gates["H"](*t) * slopes["O"](*t)))
        weight = self.cell_weights["O"]

        def to_own_cell(at: Any, t: Any) -> Expr:
            value = to_cell(*at) + out(*at) * (gates["O"](*t) * slopes["H"](*t))
            return value if weight is None else value + o(*at) * weight(at[2])

        c = flow("C", to_own_cell)
        i = flow("I", lambda at, t: c(*at) * (gates["G"](*t) * slopes["I"](*t)))
        f = flow("F", lambda at, t: c(*at) * (self.cells(*t) * slopes["F"](*t)))
        g = flow("G", lambda at, t: c(*at) * (gates["I"](*t) * slopes["G"](*t)))
        return {"I": i, "F": f, "G": g, "O": o, "C": c}

    def _flows(
        self, head_hidden: Callable[..., Expr], head_cell: Callable[..., Expr]
    ) -> Mapping[Tensor, Tensor]:
        last, (gates, slopes) = self.steps, self._gates()
        shapes = ((last + 1, self.batch, self.seen), (last + 1, self.batch, self.width))
        states = [
            placeholder(shape, self.dtype, name)
            for shape, name in zip(shapes, ("lstm_h_grad", "lstm_c_grad"), strict=True)
        ]
        flows = self._step(
            last + 1,
            lambda s: last - s,
            lambda s, n, p: head_hidden(last - s + 1, n, p) + states[0](s - 1, n, p),
            lambda s, n, h: head_cell(last - s + 1, n, h) + states[1](s - 1, n, h),
            gates,
            slopes,
        )
        k = reduce_axis((0, self.width), name="k")

        def to_hidden(s: Any, n: Any, j: Any) -> Expr:
            terms = [
                flows[letter](s, n, k) * self.weights(begin * self.width + k, j)
                for begin, letter in enumerate(self.order)
            ]
            return scalar.sum(terms[0] + terms[1] + terms[2] + terms[3], axis=k)

        def to_cell(s: Any, n: Any, h: Any) -> Expr:
            value = flows["C"](s, n, h) * gates["F"](last - s, n, h)
            for letter in "IF":
                weight = self.cell_weights[letter]
                value = value if weight is None else value + flows[letter](s, n, h) * weight(h)
            return value

        zero = const(0, self.dtype)
        starts = [compute((1, *shape[1:]), lambda *_: zero, "lstm_start") for shape in shapes]
        updates = [compute(shape, body, "lstm_back")
                   for shape, body in zip(shapes, (to_hidden, to_cell), strict=True)]  # fmt: skip
        before = scan(starts, updates, states, inputs=[*gates.values()], name="lstm_grad")
        return self._to_operands(head_hidden, head_cell, before, gates, slopes)

    def _to_operands(
        self, head_hidden: Callable[..., Expr], head_cell: Callable[..., Expr],
        before: Sequence[Tensor], gates: Mapping[str, Tensor], slopes: Mapping[str, Tensor],
    ) -> Mapping[Tensor, Tensor]:  # fmt: skip
        """The adjoint of each operand, from the adjoints of the states ``before`` the steps."""
        last, batch = self.steps, self.batch

        def hidden(t: Any, n: Any, p: Any) -> Expr:
            return head_hidden(t + 1, n, p) + before[0](last - t - 1, n, p)

        flows = self._step(
            last,
            lambda t: t,
            hidden,
            lambda t, n, h: head_cell(t + 1, n, h) + before[1](last - t - 1, n, h),
            gates,
            slopes,
        )

        def gate(t: Any, n: Any, r: Any) -> Expr:
            value = flows[self.order[3]](t, n, r % self.width)
            for begin in (2, 1, 0):
                own = flows[self.order[begin]](t, n, r % self.width)
                value = select(r < (begin + 1) * self.width, own, value)
            return value

        of_gates = compute(self.inputs.shape, gate, "lstm_inputs_grad")
        parts: list[tuple[Tensor, Tensor]] = [(self.inputs, of_gates)]

        def summed(operand: Tensor, term: Callable[..., Expr]) -> None:
            t, n = reduce_axis((0, last), name="t"), reduce_axis((0, batch), name="n")
            flow = compute(operand.shape, lambda *at: scalar.sum(term(t, n, *at), axis=[t, n]),
                           f"{operand.name}_grad")  # fmt: skip
            parts.append((operand, flow))

        summed(self.weights, lambda t, n, r, j: of_gates(t, n, r) * self.hiddens(t, n, j))
        for bias in self.biases:
            summed(bias, of_gates)
        for letter, weight in self.cell_weights.items():
            if weight is not None:
                later = 1 if letter == "O" else 0
                summed(weight, lambda t, n, h, letter=letter, later=later:
                       flows[letter](t, n, h) * self.cells(t + later, n, h))  # fmt: skip
        if self.projection is not None:
            summed(self.projection, lambda t, n, p, h:
                   hidden(t, n, p) * (gates["O"](t, n, h) * gates["H"](t, n, h)))  # fmt: skip
        scan_op = self.hiddens.op
        assert isinstance(scan_op, ScanOp)

        def started(first: Tensor, head: Callable[..., Expr], state: Tensor) -> None:
            flow = compute(first.shape, lambda t, n, h: head(t, n, h) + state(last - t, n, h),
                           f"{first.name}_grad")  # fmt: skip
            parts.append((first, flow))

        started(scan_op.init[0], head_hidden, before[0])
        started(scan_op.init[1], head_cell, before[1])
        result: dict[Tensor, Tensor] = {}
        for operand, flow in parts:  # a tensor may be several operands
            result[operand] = add(result[operand], flow) if operand in result else flow
        return result


@operator(INJECTIVE, ANY, "nn.fifo_buffer(T(2, 3), T(2, 5), 1)")
def fifo_buffer(data: Tensor, buffer: Tensor, axis: int) -> Tensor:
    """The last elements, along ``axis``, of the buffer followed by the data.

    The result has the shape of the buffer. Raises KC2301 and KC2302 for another type or rank,
    KC2303 if the other dimensions differ, or if the data is longer than the buffer.
    """
    tensor(buffer, "buffer", data.ndim, (data.dtype,))
    axis = axis_of(axis, data.ndim)
    for n in range(data.ndim):
        if n != axis:
            same_size(data, n, buffer, n, "all but the axis of time are equal")
    new = constant(data.shape[axis], "the axis of time")
    length = constant(buffer.shape[axis], "the axis of time")
    if new > length:
        raise refuse(
            "KC2303",
            f"{data.name} of the shape {shape_text(data.shape)} and {buffer.name} of the shape "
            f"{shape_text(buffer.shape)}",
            f"the data must be at most as long as the buffer along axis {axis}",
        )

    def body(*at: Any) -> Expr:
        own = at[axis]
        old = buffer(*at[:axis], own + new, *at[axis + 1 :])
        return if_then_else(
            own < length - new, old, data(*at[:axis], own - (length - new), *at[axis + 1 :])
        )

    return compute(buffer.shape, body, "fifo_buffer", tag=INJECTIVE)
