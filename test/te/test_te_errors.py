"""Every mistake in a tensor expression or a TE schedule: code, full text, the user's line."""

# Wrong arguments are what is tested.
# pyright: reportArgumentType=false, reportOperatorIssue=false, reportCallIssue=false

import math
from collections.abc import Callable

import numpy as np
import pytest

import kc
from kc import te, topi
from kc.error import KCError
from kc.expr.operators import TOPI_OPERATORS


def tensors():
    a = te.placeholder((8, 8), name="A")
    k = te.reduce_axis((0, 8), name="k")
    c = te.compute((8,), lambda i: te.sum(a[i, k], axis=k), name="C")
    return a, k, c


A = te.placeholder((8, 8), name="A")
S = te.placeholder((8,), "int8", name="S")
U = te.placeholder((8,), "uint8", name="U")
B = te.placeholder((8,), "bool", name="B")

CASES: list[tuple[Callable[[], object], str]] = [
    (
        lambda: te.placeholder((8,), "floating"),
        "error[KC2001]: unknown element type 'floating'\n"
        "  try: did you mean 'float64' or 'float32' or 'float16'?",
    ),
    (
        lambda: te.compute((8,), lambda i: A[i, 0] if A[i, 0] > 0 else 0.0),
        "error[KC2002]: an expression has no truth value while the program is built\n"
        "  why: its value is known only when the kernel runs\n"
        "  try: use te.Select(condition, a, b), or & and | on conditions",
    ),
    (
        lambda: te.compute((8,), lambda i: max(A[i, 0], 0.0)),
        "error[KC2002]: an expression has no truth value while the program is built\n"
        "  why: its value is known only when the kernel runs\n"
        "  try: te.max(a, b) is the expression that Python's max(a, b) cannot make",
    ),
    (
        lambda: te.compute((8,), lambda i: np.exp(A[i, 0])),
        "error[KC2009]: np.exp of an expression\n"
        "  why: the function needs numbers, but the value is known only when the kernel runs\n"
        "  try: te.exp makes the expression",
    ),
    (
        lambda: te.compute((8,), lambda i: np.maximum(0.0, A[i, 0])),
        "error[KC2009]: np.maximum of an expression\n"
        "  why: the function needs numbers, but the value is known only when the kernel runs\n"
        "  try: te.max makes the expression",
    ),
    (
        lambda: te.compute((8,), lambda i: math.tanh(A[i, 0])),
        "error[KC2009]: math.tanh of an expression\n"
        "  why: the function needs numbers, but the value is known only when the kernel runs\n"
        "  try: te.tanh makes the expression",
    ),
    (
        lambda: np.exp(A),
        "error[KC2009]: np.exp of the tensor A\n"
        "  why: the function needs numbers, but the value is known only when the kernel runs\n"
        "  try: te.compute(A.shape, lambda *i: te.exp(A(*i)))",
    ),
    (
        lambda: np.spacing(S),
        "error[KC2009]: np.spacing of the tensor S\n"
        "  why: the function needs numbers, but the value is known only when the kernel runs\n"
        "  try: the functions of te take expressions",
    ),
    (
        lambda: te.compute((8,), lambda i: U[i] + 256),
        "error[KC2003]: the constant 256 is not a value of uint8\n"
        '  try: give it a wider type: te.const(value, "int64")',
    ),
    (
        lambda: te.compute((8,), lambda i: A[i, 0] + [1]),
        "error[KC2004]: list is not a scalar expression\n"
        "  why: scalars are numbers, axes, te.var and elements of tensors such as A[i, j]",
    ),
    (
        lambda: te.compute((8,), lambda i: S[i] + U[i]),
        "error[KC2005]: int8 and uint8 in one operation\n"
        "  why: signed and unsigned integers have no common type of their width\n"
        '  try: convert one: x.astype("int32")',
    ),
    (
        lambda: te.compute((8,), lambda i: B[i] + B[i]),
        "error[KC2006]: add of bool values\n"
        "  why: conditions are combined with &, | and ^\n"
        '  try: convert to a number: x.astype("int32")',
    ),
    (
        lambda: te.compute((8,), lambda i: te.exp(S[i])),
        "error[KC2006]: exp of int8 values\n"
        "  why: exp is for floating-point values\n"
        '  try: convert: x.astype("float32")',
    ),
    (
        lambda: te.compute((8,), lambda i: S[i] / 2),
        "error[KC2007]: / of int8 values\n"
        "  why: integer division can round in three ways, and / does not specify one\n"
        "  try: a // b rounds down\n"
        "  try: te.truncdiv(a, b) rounds towards zero as C does",
    ),
    (
        lambda: te.compute((8,), lambda i: te.sum(A[i, 0], axis=i)),
        "error[KC2008]: te.sum: axis i is not a reduction axis\n"
        "  why: a reduction runs over axes made with te.reduce_axis\n"
        '  try: k = te.reduce_axis((0, 64), name="k")',
    ),
    (
        lambda: te.compute((8,), lambda i: A[i]),
        "error[KC2010]: A has 2 dimensions, indexed with 1\n  why: A has the shape (8, 8)",
    ),
    (
        lambda: te.compute((8,), lambda i: A[i, 0.5]),
        "error[KC2011]: A is indexed with a value of type float32\n  why: indices must be integers",
    ),
    (
        lambda: te.placeholder((-1,), name="N"),
        "error[KC2012]: placeholder N has the dimension -1\n"
        "  why: a dimension must be an integer from 0 to 2^63 - 1, or a size made with te.var",
    ),
    (
        lambda: te.placeholder((8,), name="my tensor"),
        "error[KC2013]: the name 'my tensor' is not an identifier\n"
        "  try: ASCII letters, digits and _, not starting with a digit",
    ),
    (
        lambda: te.reduce_axis(8, name="k"),
        "error[KC2014]: the domain of reduction axis k is 8\n"
        "  why: the domain must be a pair of bounds, of which the second is excluded\n"
        '  try: te.reduce_axis((0, 8), name="k")',
    ),
    (
        lambda: te.compute((8,), lambda i, j: A[i, j]),
        "error[KC2015]: te.compute has 1 dimension, its function takes 2 arguments\n"
        "  why: the function must take an axis for each dimension, or only the first axes\n"
        "  try: lambda i: ...",
    ),
    (
        lambda: te.placeholder((4.5,)),
        "error[KC2012]: te.placeholder has the dimension 4.5\n"
        "  why: a dimension must be an integer from 0 to 2^63 - 1, or a size made with te.var",
    ),
    (
        lambda: te.sum(A, axis=0),
        "error[KC2008]: te.sum: axis 0 is not a reduction axis\n"
        "  why: a reduction runs over axes made with te.reduce_axis\n"
        "  try: topi.sum(A, axis=0) reduces a dimension of a tensor",
    ),
    (
        lambda: A @ A,
        "error[KC2006]: @ is not defined for tensors\n"
        "  why: operators of tensors work element by element\n"
        "  try: topi.matmul(A, B) is the product of matrices",
    ),
    (
        lambda: np.sum(A),
        "error[KC2009]: np.sum of the tensor A\n"
        "  why: the function needs numbers, but the value is known only when the kernel runs\n"
        "  try: use topi.sum(A, ...)",
    ),
    (
        lambda: np.add.reduce(A),
        "error[KC2009]: np.sum of the tensor A\n"
        "  why: the function needs numbers, but the value is known only when the kernel runs\n"
        "  try: use topi.sum(A, ...)",
    ),
    (
        lambda: np.concatenate([A, A]),
        "error[KC2009]: np.concatenate of the tensor A\n"
        "  why: the function needs numbers, but the value is known only when the kernel runs\n"
        "  try: use topi.concatenate(A, ...)",
    ),
    (
        lambda: np.dot(A, A),
        "error[KC2009]: np.dot of the tensor A\n"
        "  why: the function needs numbers, but the value is known only when the kernel runs\n"
        "  try: use topi.matmul(A, ...)",
    ),
    (
        lambda: te.create_schedule(tensors()[2].op)["C"],
        "error[KC3102]: 'C' is not part of the schedule\n"
        "  why: the schedule computes A, C\n"
        "  try: s[C] takes the tensor, not its name",
    ),
    (
        lambda: kc.lower(A),
        "error[KC2020]: a tensor is lowered without its arguments\n"
        "  why: their order is the order of the function's arguments\n"
        "  try: kc.build([A, B, C])",
    ),
    (
        lambda: kc.build("matmul.mlir"),
        "error[KC2027]: str cannot be lowered\n"
        "  why: a te schedule, a kc.tir.Schedule, a kc.IRModule or a list of modules can\n"
        "  try: kc.IRModule.parse(open('matmul.mlir').read()) reads the file",
    ),
    (
        lambda: kc.tir.Schedule(A),
        "error[KC3121]: tir.Schedule: a te.Tensor is not a module\n"
        "  try: te.create_prim_func([A, B, C]) makes one of tensors, the arguments",
    ),
    (
        lambda: kc.tir.Schedule(te.create_schedule(tensors()[2].op)),
        "error[KC3121]: tir.Schedule: a te.Schedule is not a module\n"
        "  try: kc.lower(s, [A, B, C]) makes one of a schedule of te",
    ),
    (
        lambda: kc.tir.Schedule("builtin.module {}"),
        "error[KC3121]: tir.Schedule: a str is not a module\n"
        "  try: kc.IRModule.parse(text) reads the text of a module",
    ),
    (
        lambda: te.placeholder("n"),
        "error[KC2012]: te.placeholder has the dimension 'n'\n"
        "  why: a dimension must be an integer from 0 to 2^63 - 1, or a size made with te.var\n"
        "  try: te.var('n')",
    ),
    (
        lambda: te.compute((8,), lambda i, j: A[i, j], name="C"),
        "error[KC2015]: compute C has 1 dimension, its function takes 2 arguments\n"
        "  why: the function must take an axis for each dimension, or only the first axes\n"
        "  try: lambda i: ...",
    ),
    (
        lambda: te.compute((8,), lambda i: te.sum(A[i, k()], axis=k.axis) + 1.0, name="C"),
        "error[KC2016]: a reduction inside the expression of compute C\n"
        "  why: a reduction is allowed only at the top of a compute's body\n"
        "  try: make the reduction a compute of its own, and read it in C",
    ),
    (
        lambda: te.compute((8,), lambda i: (), name="C"),
        "error[KC2018]: compute C returns no value\n"
        "  why: the function must return at least one expression; each becomes a tensor",
    ),
    (
        lambda: te.compute((8,), lambda i: A[i, k()], name="C"),
        "error[KC2019]: compute C uses the axis k, which is not one of its axes\n"
        "  why: a reduction axis is used without a reduction over it\n"
        "  try: te.sum(..., axis=k)",
    ),
]


class k:  # noqa: N801 - a fresh reduction axis each time it is called
    """``k()`` makes an axis, ``k.axis`` is the last one made."""

    axis: object = None

    def __new__(cls):
        cls.axis = te.reduce_axis((0, 8), name="k")
        return cls.axis


def text_without_place(error: KCError) -> str:
    """The rendered text, after a check that the place is a line of this file."""
    assert error.location is not None
    assert error.location.file == __file__
    return "\n".join(
        line for line in str(error).split("\n") if not line.lstrip().startswith(("-->", "^"))
    )


@pytest.mark.parametrize(("wrong", "text"), CASES, ids=[text[6:12] for _, text in CASES])
def test_expressions(wrong: Callable[[], object], text: str):
    with pytest.raises((te.TEError, kc.error.ScheduleError)) as caught:
        wrong()
    assert text_without_place(caught.value) == text


def test_the_line_is_shown():
    with pytest.raises(te.TEError) as caught:
        te.compute((8,), lambda i: S[i] / 2)
    place = str(caught.value).split("\n")[1]
    assert place.startswith(f"  --> {__file__}:")
    assert place.endswith("te.compute((8,), lambda i: S[i] / 2)")


def test_an_axis_belongs_to_one_compute():
    a, axis, first = tensors()
    second = te.compute((8,), lambda i: te.sum(a[0, axis], axis=axis), name="D")
    with pytest.raises(te.TEError) as caught:
        te.create_schedule([first.op, second.op])
    lines = text_without_place(caught.value).split("\n")
    assert lines == [
        "error[KC2017]: reduction axis k belongs to C already",
        f"   |  C is computed at {first.op.location}",
        "  why: an axis is one loop, and a loop belongs to one compute",
        "  try: make another: te.reduce_axis((0, 8), name='k')",
    ]


ARRAY_ATTRIBUTES = {
    "sum": "; use topi.sum(A, ...)",
    "T": "; use topi.transpose(A, ...)",
    "nothing": "",
}


@pytest.mark.parametrize("name", ARRAY_ATTRIBUTES)
def test_attributes_of_arrays(name: str):
    """Tensors do not have what numpy's arrays have; topi does it."""
    with pytest.raises(AttributeError) as caught:
        getattr(A, name)
    text = f"'Tensor' object has no attribute '{name}'{ARRAY_ATTRIBUTES[name]}"
    assert str(caught.value) == text


def test_named_operators_are_there():
    operators = set(TOPI_OPERATORS.values())
    assert {name for name in operators if not callable(getattr(topi, name, None))} == set()


def test_numpy_looks_at_tensors():
    """Functions that ask only for the rank or the shape are not functions of numbers."""
    assert (np.ndim(A), np.shape(A)) == (2, (8, 8))


def lowering_errors():
    a, _, c = tensors()
    n = te.var("n")
    x = te.placeholder((n,), name="X")
    y = te.compute((n,), lambda i: x[i], name="Y")
    stranger = te.placeholder((4,), name="other")
    m = te.var("m")
    axis = te.reduce_axis((0, m), name="r")
    hidden = te.compute((), lambda: te.sum(a[0, axis], axis=axis), name="H")
    unaffine = te.compute((n % m,), lambda i: te.const(0.0), name="P")
    beyond = te.compute((8,), lambda i: a[i, 0] + a[i + 1, 0], name="E")
    return [
        ((c, None), "KC2020", "a schedule is lowered without its arguments"),
        ((c, [a, a, c]), "KC2020", "A is listed twice in the arguments of main"),
        ((c, [a, 3, c]), "KC2020", "argument 3 of main is neither a tensor nor a te.var"),
        ((c, [a, c, y]), "KC2021", "argument Y is not computed by this schedule"),
        ((c, [c]), "KC2023", "input A is missing from the arguments of main"),
        ((hidden, [a, hidden]), "KC2024", "the value of m is not known at the call"),
        (
            (unaffine, [unaffine, n, m]),
            "KC2026",
            "a dimension of P is not an affine function of sizes",
        ),
        (
            (beyond, [a, beyond]),
            "KC2030",
            "E reads outside A: index 8 of dimension 0, which has the size 8",
        ),
        ((y, [x, stranger, y]), None, ""),
    ]


@pytest.mark.parametrize("case", lowering_errors(), ids=lambda case: str(case[1]))
def test_lowering(case: tuple[tuple[te.Tensor, list | None], str | None, str]):
    (output, args), code, message = case
    schedule = te.create_schedule(output.op)
    if code is None:
        kc.lower(schedule, args)
        return
    with pytest.raises(te.TEError) as caught:
        kc.lower(schedule, args)
    assert (caught.value.code, caught.value.message) == (code, message)


def test_two_sizes_of_one_name():
    n, n_again = te.var("n"), te.var("n")
    a = te.placeholder((n,), name="A")
    b = te.placeholder((n_again,), name="B")
    c = te.compute((n,), lambda i: a[i] + b[i], name="C")
    with pytest.raises(te.TEError, match="KC2025.*two sizes are called n"):
        kc.lower(te.create_schedule(c.op), [a, b, c])
