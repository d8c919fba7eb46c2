"""Tensor expressions that mean nothing: what is said of them, and of which line."""

# Wrong arguments are what is tested.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false

import pytest

import kc
from kc import te
from kc.error import KCError

N = 8


def inputs():
    return te.placeholder((N, N), name="A"), te.placeholder((N,), "int32", name="I")


# Each function makes one mistake, in the line that is marked.


def too_many_arguments():
    te.compute((N,), lambda i, j: 0.0, name="C")  # <-


def arguments_by_name():
    te.compute((N,), lambda i, *, j: 0.0, name="C")  # <-


def names_for_other_axes():
    te.compute((N, N), lambda i, *j: 0.0, name="C", varargs_names=["x", "y"])  # <-


def an_axis_in_two_computes():
    a, _ = inputs()
    k = te.reduce_axis((0, N), "k")
    c = te.compute((N,), lambda i: te.sum(a[i, k], axis=k), name="C")
    d = te.compute((N,), lambda i: te.max(a[k, i], axis=k), name="D")  # <-
    te.create_schedule([c.op, d.op])


def an_axis_without_a_reduction():
    a, _ = inputs()
    k = te.reduce_axis((0, N), "k")
    te.compute((N,), lambda i: a[i, k], name="C")  # <-


def an_axis_of_another_compute():
    a, _ = inputs()
    c = te.compute((N,), lambda i: a[i, 0], name="C")
    te.compute((N,), lambda j: a[j, c.op.axis[0]], name="D")  # <-


def a_reduction_in_an_expression():
    a, _ = inputs()
    k = te.reduce_axis((0, N), "k")
    te.compute((N,), lambda i: te.sum(a[i, k], axis=k) + 1.0, name="C")  # <-


def a_reduction_in_a_reduction():
    a, _ = inputs()
    k, r = te.reduce_axis((0, N), "k"), te.reduce_axis((0, N), "r")
    te.compute((), lambda: te.sum(te.max(a[r, k], axis=k), axis=r), name="C")  # <-


def reductions_over_different_axes():
    a, _ = inputs()
    k, r = te.reduce_axis((0, N), "k"), te.reduce_axis((0, N), "r")
    te.compute((N,), lambda i: (te.sum(a[i, k], k), te.sum(a[i, r], r)), name="C")  # <-


def a_reduction_beside_an_expression():
    a, _ = inputs()
    k = te.reduce_axis((0, N), "k")
    te.compute((N,), lambda i: (te.sum(a[i, k], axis=k), a[i, 0]), name="C")  # <-


def a_combiner_of_other_values():
    argmax = te.comm_reducer(
        lambda x, y: (te.Select(x[1] >= y[1], x[0], y[0]), te.Select(x[1] >= y[1], x[1], y[1])),
        lambda t0, t1: (te.const(-1, t0), te.min_value(t1)),
        name="argmax",
    )
    a, _ = inputs()
    k = te.reduce_axis((0, N), "k")
    te.compute((N,), lambda i: argmax(a[i, k], axis=k), name="C")  # <-


def two_types_in_one_operation():
    _, index = inputs()
    u = te.placeholder((N,), "uint32", name="U")
    te.compute((N,), lambda i: index[i] + u[i], name="C")  # <-


def an_index_that_is_no_integer():
    a, _ = inputs()
    te.compute((N,), lambda i: a[i, i * 0.5], name="C")  # <-


def an_unknown_type():
    te.placeholder((N,), "float33", name="A")  # <-


def a_row_of_another_shape():
    state, first = te.placeholder((N, 4), name="S"), te.placeholder((1, 5), name="F")
    update = te.compute((N, 4), lambda t, i: state[t - 1, i], name="U")
    te.scan(first, update, state, name="scan")  # <-


def a_tensor_from_itself():
    a, _ = inputs()
    b = te.compute((N,), lambda i: a[i, 0], name="B")
    c = te.compute((N,), lambda i: b[i] + 1.0, name="C")  # <-
    b.op.body = c(*b.op.axis)
    te.create_schedule(c.op)


def a_tensor_of_another_schedule():
    a, _ = inputs()
    c = te.compute((N,), lambda i: a[i, 0], name="C")
    d = te.compute((N,), lambda i: a[i, 1], name="D")
    s = te.create_schedule(c.op)
    s[d].parallel(d.op.axis[0])  # <-


def a_schedule_of_no_tensor():
    te.create_schedule("C")  # <-


def an_input_that_is_no_argument():
    a, _ = inputs()
    b = te.placeholder((N,), name="B")  # <-
    c = te.compute((N,), lambda i: a[i, 0] + b[i], name="C")
    kc.build(te.create_schedule(c.op), [a, c])


def an_argument_that_nothing_computes():
    a, _ = inputs()
    c = te.compute((N,), lambda i: a[i, 0], name="C")
    d = te.compute((N,), lambda i: a[i, 1], name="D")
    s = te.create_schedule(c.op)
    kc.build(s, [a, c, d])  # <-


def an_argument_twice():
    a, _ = inputs()
    c = te.compute((N,), lambda i: a[i, 0], name="C")
    kc.build(te.create_schedule(c.op), [a, a, c])  # <-


def a_size_that_nothing_gives():
    n = te.var("n")  # <-
    c = te.compute((N,), lambda i: n + i, name="C")
    kc.build(te.create_schedule(c.op), [c])


def an_element_outside():
    a, _ = inputs()
    c = te.compute((N,), lambda i: a[i + 1, 0], name="C")  # <-
    kc.build(te.create_schedule(c.op), [a, c])


CASES = [
    (
        too_many_arguments,
        "error[KC2015]: compute C has 1 dimension, its function takes 2 arguments\n"
        "  why: the function must take an axis for each dimension, or only the first axes\n"
        "  try: lambda i: ...",
    ),
    (
        arguments_by_name,
        "error[KC2015]: the function of compute C has keyword arguments\n"
        "  why: its arguments are the axes",
    ),
    (
        names_for_other_axes,
        "error[KC2015]: compute C: 2 varargs_names for 1 axis",
    ),
    (
        an_axis_in_two_computes,
        "error[KC2017]: reduction axis k belongs to C already\n"
        "   |  C is computed at test_bad_input.py:LINE\n"
        "  why: an axis is one loop, and a loop belongs to one compute\n"
        "  try: make another: te.reduce_axis((0, 8), name='k')",
    ),
    (
        an_axis_without_a_reduction,
        "error[KC2019]: compute C uses the axis k, which is not one of its axes\n"
        "  why: a reduction axis is used without a reduction over it\n"
        "  try: te.sum(..., axis=k)",
    ),
    (
        an_axis_of_another_compute,
        "error[KC2019]: compute D uses the axis i, which is not one of its axes\n"
        "  why: the axis belongs to another compute",
    ),
    (
        a_reduction_in_an_expression,
        "error[KC2016]: a reduction inside the expression of compute C\n"
        "  why: a reduction is allowed only at the top of a compute's body\n"
        "  try: make the reduction a compute of its own, and read it in C",
    ),
    (
        a_reduction_in_a_reduction,
        "error[KC2016]: a reduction inside the expression of compute C\n"
        "  why: a reduction is allowed only at the top of a compute's body\n"
        "  try: make the reduction a compute of its own, and read it in C",
    ),
    (
        reductions_over_different_axes,
        "error[KC2044]: the values of compute C are not results of one reduction\n"
        "  why: they are computed in one loop nest, in the order in which they are combined\n"
        "  try: make one compute a reduction\n"
        "  try: te.comm_reducer reduces a tuple of expressions over one set of axes",
    ),
    (
        a_reduction_beside_an_expression,
        "error[KC2044]: the values of compute C are not results of one reduction\n"
        "  why: they are computed in one loop nest, in the order in which they are combined\n"
        "  try: make one compute a reduction\n"
        "  try: te.comm_reducer reduces a tuple of expressions over one set of axes",
    ),
    (
        a_combiner_of_other_values,
        "error[KC2040]: the identity of argmax cannot be called with 1 argument\n"
        "  why: the combiner takes two values (two tuples, if tuples are reduced), the identity "
        "one dtype for each value\n"
        "  try: te.comm_reducer(lambda x, y: x + y, lambda dtype: te.const(0, dtype))",
    ),
    (
        two_types_in_one_operation,
        "error[KC2005]: int32 and uint32 in one operation\n"
        "  why: signed and unsigned integers have no common type of their width\n"
        '  try: convert one: x.astype("int32")',
    ),
    (
        an_index_that_is_no_integer,
        "error[KC2011]: A is indexed with a value of type float32\n  why: indices must be integers",
    ),
    (
        an_unknown_type,
        "error[KC2001]: unknown element type 'float33'\n"
        "  try: did you mean 'float32' or 'float64' or 'float16'?",
    ),
    (
        a_row_of_another_shape,
        "error[KC2055]: the initial tensor F of scan scan has the shape (1, 5), its state has "
        "(8, 4)\n  why: they agree in all dimensions but the first, time",
    ),
    (
        a_tensor_from_itself,
        "error[KC2175]: C is computed from itself\n"
        "   |  C needs B needs C\n"
        "  why: a tensor can depend only on tensors that are computed before it\n"
        "  try: te.scan computes rows of a tensor from rows before",
    ),
    (
        a_tensor_of_another_schedule,
        "error[KC3102]: 'D' is not part of the schedule\n"
        "  why: the schedule computes A, C\n"
        "  try: create the schedule from an operation that needs it",
    ),
    (
        a_schedule_of_no_tensor,
        "error[KC3101]: create_schedule: str is not an operation\n  try: te.create_schedule(C.op)",
    ),
    (
        an_input_that_is_no_argument,
        "error[KC2023]: input B is missing from the arguments of main\n"
        "  try: add B to the list of arguments",
    ),
    (
        an_argument_that_nothing_computes,
        "error[KC2021]: argument D is not computed by this schedule\n"
        "  try: create the schedule from the operation that reads it",
    ),
    (an_argument_twice, "error[KC2020]: A is listed twice in the arguments of main"),
    (
        a_size_that_nothing_gives,
        "error[KC2024]: the value of n is not known at the call\n"
        "  why: n is neither a dimension of an argument nor an argument\n"
        "  try: add n to the list of arguments",
    ),
    (
        an_element_outside,
        "error[KC2030]: C reads outside A: index 8 of dimension 0, which has the size 8\n"
        "  why: this happens at i=7\n"
        "  try: make the extents smaller, or read a larger (padded) tensor",
    ),
]


@pytest.mark.parametrize(("wrong", "text"), CASES, ids=[case.__name__ for case, _ in CASES])
def test_bad_input(wrong, text):
    with pytest.raises(KCError) as caught:
        wrong()
    lines = str(caught.value).split("\n")
    place = lines.pop(1)
    assert place.startswith(f"  --> {__file__}:")
    assert place.endswith("# <-")
    shown = [
        line.partition(" at ")[0] + " at test_bad_input.py:LINE" if __file__ in line else line
        for line in lines
    ]
    assert "\n".join(shown) == text
