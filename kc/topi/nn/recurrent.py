"""Recurrent networks: a scan over time, and what is kept of it."""

from __future__ import annotations

from typing import Any

from kc.te import functions as scalar
from kc.te.computes import compute
from kc.te.expr import Expr, const, if_then_else
from kc.te.scan import scan
from kc.te.tags import INJECTIVE
from kc.te.tensor import Tensor, placeholder, reduce_axis, shape_text
from kc.topi.arguments import agree, axis_of, constant, same_size, tensor
from kc.topi.elementwise import FLOAT, sigmoid, tanh
from kc.topi.shape import flip
from kc.topi.slicing import strided_slice
from kc.topi.table import ANY, operator, refuse


def _fitting(value: Tensor | None, what: str, dtype: str, *shape: Any) -> None:
    """Raise KC2301 to KC2303 unless a tensor, if there is one, has the shape."""
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
    gradient="none",
)  # fmt: skip
def lstm(
    Xs: Tensor, Wi: Tensor, Wh: Tensor, Bi: Tensor | None = None, Bh: Tensor | None = None,
    h_init: Tensor | None = None, c_init: Tensor | None = None, proj: Tensor | None = None,
    p_i: Tensor | None = None, p_f: Tensor | None = None, p_o: Tensor | None = None,
    f_act: Any = None, g_act: Any = None,
    h_act: Any = None, reverse: bool = False, weight_layout: str = "IFGO",
) -> list[Tensor]:  # fmt: skip
    """The hidden states (T, N, H) and the cells (T, N, H) of a long short-term memory.

    Of inputs (T, N, K), weights (4 H, K) and (4 H, H), and biases (4 H,), whose four parts have
    the order of ``weight_layout``: input, forget, cell (G) and output gate. ``proj`` (P, H) makes
    the hidden states (T, N, P), and the weights of them (4 H, P). ``p_i``, ``p_f`` and ``p_o``
    (H,) add the cell to the gates. States begin with ``h_init`` (N, H or P) and ``c_init`` (N, H),
    0 by default. ``reverse`` runs from the last input to the first; results stay with their
    inputs. ``f_act``, ``g_act`` and ``h_act`` are operators (sigmoid, tanh, tanh).
    Raises KC2302 and KC2303 for ranks and sizes, KC2312 for a layout that is no order of
    the gates.
    """
    f_act = sigmoid if f_act is None else f_act
    g_act, h_act = (tanh if act is None else act for act in (g_act, h_act))
    tensor(Xs, "Xs", 3)
    if not isinstance(weight_layout, str) or sorted(weight_layout) != sorted("IFGO"):
        raise refuse("KC2312", f"weight_layout is {weight_layout!r}", "it names I, F, G and O once")
    dtype = Xs.dtype
    tensor(Wi, "Wi", 2, (dtype,))
    steps, batch, width = constant(Xs.shape[0], "the number of steps"), Xs.shape[1], Xs.shape[2]
    rows = constant(Wi.shape[0], "the rows of Wi")
    if steps < 1 or rows < 4 or rows % 4:
        raise refuse(
            "KC2303",
            f"Xs {Xs.name} of the shape {shape_text(Xs.shape)} and Wi {Wi.name} of the shape "
            f"{shape_text(Wi.shape)}",
            "there is one step or more, and 4 rows of Wi for each hidden element",
        )
    hidden = rows // 4
    _fitting(proj, "proj", dtype, proj.shape[0] if proj is not None else 0, hidden)
    seen = constant(proj.shape[0], "the rows of proj") if proj is not None else hidden
    _fitting(Wi, "Wi", dtype, rows, width)
    _fitting(Wh, "Wh", dtype, rows, seen)
    for value, what in ((Bi, "Bi"), (Bh, "Bh")):
        _fitting(value, what, dtype, rows)
    for value, what in ((p_i, "p_i"), (p_f, "p_f"), (p_o, "p_o")):
        _fitting(value, what, dtype, hidden)
    _fitting(h_init, "h_init", dtype, batch, seen)
    _fitting(c_init, "c_init", dtype, batch, hidden)

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

    i, f = f_act(gate("I", p_i, cells)), f_act(gate("F", p_f, cells))
    g = g_act(gate("G", None, cells))
    shape = (steps + 1, batch, hidden)
    cell = compute(
        shape,
        lambda t, n, h: f(t, n, h) * cells(t - 1, n, h) + i(t, n, h) * g(t, n, h),
        "lstm_cell",
    )
    o, seen_cell = f_act(gate("O", p_o, cell)), h_act(cell)
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
    results = [strided_slice(state, (1,), (steps + 1,)) for state in states]
    return [flip(result, 0) for result in results] if reverse else results


@operator(INJECTIVE, ANY, "nn.fifo_buffer(T(2, 3), T(2, 5), 1)")
def fifo_buffer(data: Tensor, buffer: Tensor, axis: int) -> Tensor:
    """The buffer with the data behind it, of which the end along ``axis`` is kept.

    The result has the shape of the buffer. Raises KC2301 and KC2302 for another type or rank,
    KC2303 for other dimensions that are not equal, and for data that is longer than the buffer.
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
            f"the data is at most as long as the buffer along axis {axis}",
        )

    def body(*at: Any) -> Expr:
        own = at[axis]
        old = buffer(*at[:axis], own + new, *at[axis + 1 :])
        return if_then_else(
            own < length - new, old, data(*at[:axis], own - (length - new), *at[axis + 1 :])
        )

    return compute(buffer.shape, body, "fifo_buffer", tag=INJECTIVE)
