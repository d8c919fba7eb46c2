"""The refusals of te.gradient, with their whole messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from kc import te, tir
from kc.error import KCError
from kc.expr.tensor import Tensor


def refusal(call: Callable[[], Any]) -> str:
    """The text of a refusal, without its place, which is in this file."""
    with pytest.raises(KCError) as caught:
        call()
    assert caught.value.location is not None
    assert caught.value.location.file == __file__
    return re.sub(r"\n  -->.*", "", str(caught.value))


def products() -> tuple[Tensor, Tensor, Tensor]:
    a, b = te.placeholder((4, 8), name="A"), te.placeholder((8,), name="B")
    return a, b, te.compute((4, 8), lambda i, j: a[i, j] * b[j], name="C")


def test_what_is_no_tensor():
    a, _, c = products()
    wrong: Any = ("C", 1.0)
    assert refusal(lambda: te.gradient(c, [a, 3])) == (
        "error[KC2200]: te.gradient: the input 3 is not a tensor\n"
        "  try: te.gradient(C, [A, B]) of tensors made by te.compute and te.placeholder"
    )
    assert refusal(lambda: te.gradient(wrong[0], [a])) == (
        "error[KC2200]: te.gradient: the output 'C' is not a tensor\n"
        "  try: te.gradient(C, [A, B]) of tensors made by te.compute and te.placeholder"
    )
    assert refusal(lambda: te.gradient(c, [a], wrong[1])) == (
        "error[KC2200]: te.gradient: the head 1.0 is not a tensor\n"
        "  try: leave it out for the Jacobian"
    )


def test_integers():
    a, _, c = products()
    index = te.placeholder((4,), "int32", name="index")
    d = te.compute((4,), lambda i: a[i, index[i]], name="D")
    assert refusal(lambda: te.gradient(d, [a, index])) == (
        "error[KC2201]: te.gradient: the input index has elements of type int32\n"
        "  why: functions of integers have no derivative\n"
        "  try: leave it out of the inputs"
    )
    e = te.compute((4, 8), lambda i, j: c[i, j].astype("int32"), name="E")
    assert refusal(lambda: te.gradient(e, [a])) == (
        "error[KC2201]: te.gradient: the output E has elements of type int32\n"
        "  why: functions of integers have no derivative\n"
        '  try: convert it where it is used: x.astype("float32")'
    )


def test_a_head_that_does_not_fit():
    a, _, c = products()
    head = te.placeholder((8, 4), name="head")
    assert refusal(lambda: te.gradient(c, [a], head)) == (
        "error[KC2202]: te.gradient: the head head has the shape (8, 4), C has (4, 8)\n"
        "  why: the last dimensions of the head are those of the output\n"
        "  try: a head of shape (4, 8) gives the gradient of one number"
    )
    short = te.placeholder((8,), name="short")
    assert refusal(lambda: te.gradient(c, [a], short)).startswith(
        "error[KC2202]: te.gradient: the head short has the shape (8,), C has (4, 8)"
    )
    misfit = te.placeholder((4, 8), "float64", name="other")
    assert refusal(lambda: te.gradient(c, [a], misfit)) == (
        "error[KC2202]: te.gradient: the head other has elements of type float64, C of float32\n"
        '  try: a head of type "float32"'
    )


def test_a_scan():
    m = 5
    x = te.placeholder((m, 4), name="X")
    state = te.placeholder((m, 4), name="state")
    init = te.compute((1, 4), lambda _, i: x[0, i], name="init")
    update = te.compute((m, 4), lambda t, i: state[t - 1, i] + x[t, i], name="update")
    result = te.scan(init, update, state, inputs=[x], name="S")
    y = te.compute((m, 4), lambda i, j: result[i, j] * 2, name="Y")
    assert refusal(lambda: te.gradient(y, [x])) == (
        "error[KC2203]: te.gradient: S is the result of a te.scan, which has no derivative\n"
        "  why: only results of te.compute are differentiated\n"
        "  try: te.gradient(T, ...) of a tensor T that S reads"
    )
    factor = te.placeholder((m, 4), name="other")
    z = te.compute((m, 4), lambda i, j: result[i, j] * factor[i, j], name="Z")
    assert te.gradient(z, [factor])[0].shape == (m, 4, m, 4)


def test_an_extern():
    a, _, c = products()
    d = te.extern((4, 8), [c], lambda ins, outs: tir.call_packed("f", ins[0], outs[0]), name="D")
    assert refusal(lambda: te.gradient(d, [a])) == (
        "error[KC2203]: te.gradient: D is the result of a te.extern, which has no derivative\n"
        "  why: only results of te.compute are differentiated\n"
        "  try: te.gradient(T, ...) of a tensor T that D reads"
    )
    root = te.compute(
        (4, 8), lambda i, j: tir.call_pure_extern("float32", "cbrtf", c[i, j]), name="R"
    )
    assert refusal(lambda: te.gradient(root, [a])) == (
        "error[KC2203]: te.gradient: cbrtf of C has no derivative\n"
        "  why: kc knows only the type of its result\n"
        "  try: te.gradient(T, ...) of the tensors T from which cbrtf computes"
    )


def test_bits():
    a, b, _ = products()
    d = te.compute((8,), lambda i: te.nextafter(a[0, i], b[i]), name="D")
    assert refusal(lambda: te.gradient(d, [a])) == (
        "error[KC2203]: te.gradient: reinterpret of A has no derivative\n"
        "  why: it operates on the bits of a value\n"
        "  try: te.gradient(T, ...) of the tensors T from which reinterpret computes"
    )


def test_combiners():
    a, _, _ = products()
    argmax = te.comm_reducer(
        lambda x, y: (te.Select(x[1] >= y[1], x[0], y[0]), te.max(x[1], y[1])),
        lambda i, v: (te.const(-1, i), te.min_value(v)),
        name="argmax",
    )
    k = te.reduce_axis((0, 8), name="k")
    place, top = te.compute((4,), lambda i: argmax((k.var, a[i, k]), axis=k), name="M")
    # The maximum is one; its place is an integer, through which nothing flows.
    y = te.compute((4,), lambda i: top[i] * place[i].astype("float32"), name="Y")
    assert te.gradient(y, [a])[0].shape == (4, 4, 8)
    halves = te.comm_reducer(lambda x, y: (x + y) * 1.0, lambda t: te.const(0, t), name="halves")
    h = te.reduce_axis((0, 8), name="h")
    z = te.compute((4,), lambda i: halves(a[i, h], axis=h), name="Z")
    assert refusal(lambda: te.gradient(z, [a])) == (
        "error[KC2204]: te.gradient: Z is a reduction with halves, which has no rule\n"
        "  why: gradients of terms are known for sums, products, minima and maxima\n"
        "  try: compute it by several reductions with te.sum, te.max or te.min"
    )
    mixed = te.comm_reducer(
        lambda x, y: (x[0] + y[0], x[1] + y[1] + x[0] * y[0]),
        lambda t, u: (te.const(0, t), te.const(0, u)),
        name="mixed",
    )
    m = te.reduce_axis((0, 8), name="m")
    _, w = te.compute((4,), lambda i: mixed((a[i, m], a[i, m] * 0), axis=m), name="W")
    assert refusal(lambda: te.gradient(w, [a])) == (
        "error[KC2204]: te.gradient: W_v1 is a reduction with mixed, which has no rule\n"
        "  why: its results depend on each other\n"
        "  try: compute it by several reductions with te.sum, te.max or te.min"
    )


def test_loops_that_are_not_those_of_one_sum():
    x, w = te.placeholder((5, 5), name="X"), te.placeholder((2,), name="W")

    def row(i: Any) -> Any:
        k = te.reduce_axis((0, i + 1), name="k")
        return te.sum(x[i, k] * w[0], axis=k)

    y = te.compute((5,), row, name="Y")
    assert refusal(lambda: te.gradient(y, [w], te.placeholder((5,), name="head"))) == (
        "error[KC2205]: te.gradient: the extent of loop k of Y depends on i, and both are summed "
        "over\n"
        "  why: the gradient of W sums over the iterations of Y that read an element, and the "
        "extents of one sum are fixed\n"
        "  try: give k its largest extent, and a condition: where=k < ..."
    )
