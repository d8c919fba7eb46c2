"""Tensors as Python objects: ranks, parts, arithmetic, names of axes, tags."""

# Wrong arguments are what is tested.
# pyright: reportArgumentType=false, reportOperatorIssue=false

import numpy as np
import pytest
from te_checks import refusal

import kc
from kc import te

SHAPE = (2, 3, 1, 2, 2, 1, 3, 2)


def built(tensors, *arrays):
    return kc.build(te.create_schedule(tensors[-1].op), tensors)(*arrays)


# Ranks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", range(9))
def test_every_rank_is_computed_reduced_scheduled_and_called(rank):
    shape = SHAPE[:rank]
    a = te.placeholder(shape, name="A")
    assert a.ndim == rank
    assert a.shape == shape
    b = te.compute(shape, lambda *axes: a(*axes) * 2.0 + 1.0, name="B")
    assert [axis.name for axis in b.op.axis] == [f"i{n}" for n in range(rank)]
    axes = [te.reduce_axis((0, dim), name=f"k{n}") for n, dim in enumerate(shape)]
    total = te.compute((), lambda: te.sum(b(*axes), axis=axes) if axes else b() + 0.0, name="T")
    s = te.create_schedule([b.op, total.op])
    if rank > 1:
        fused = s[b].fuse(*b.op.axis)
        outer, inner = s[b].split(fused, factor=4)
        s[b].parallel(outer)
        s[b].vectorize(inner)
    given = np.arange(np.prod(shape, dtype=int), dtype="float32").reshape(shape)
    f = kc.build(s, [a, b, total])
    doubled, summed = f(given)
    np.testing.assert_array_equal(doubled, given * 2 + 1)
    np.testing.assert_array_equal(summed, (given * 2 + 1).sum())


def test_a_tensor_without_dimensions_is_a_scalar_among_scalars():
    a, t = te.placeholder((4,), name="A"), te.placeholder((), name="T")
    b = te.compute((4,), lambda i: t * a[i] + t - (1.0 + t), name="B")
    x, y = np.float32([1, 2, 3, 4]), np.float32(3)
    np.testing.assert_array_equal(built([a, t, b], x, np.array(y)), x * 3 - 1)
    assert te.placeholder(3, name="B").shape == (3,)


# Parts --------------------------------------------------------------------------------------------


def test_parts_of_tensors():
    a = te.placeholder((2, 3, 4), name="A")
    b = te.compute((2, 3, 4), lambda i, j, k: a[i][j][k] + a[i, j][k] - a[i][j, k], name="B")
    part = a[0]
    assert (part.dtype, part.indices, repr(part)) == ("float32", (0,), "A[0]")
    assert part.tensor is a
    x = np.arange(24, dtype="float32").reshape(2, 3, 4)
    np.testing.assert_array_equal(built([a, b], x), x)


PARTS = [
    (
        lambda a: te.compute((4,), lambda i: a[i]),
        "error[KC2010]: A has 2 dimensions, indexed with 1\n  why: A has the shape (4, 4)",
    ),
    (
        lambda a: a[0] + 1,
        "error[KC2010]: A has 2 dimensions, indexed with 1\n  why: A has the shape (4, 4)",
    ),
    (
        lambda a: a[0][1, 2],
        "error[KC2010]: A has 2 dimensions, indexed with 3\n  why: A has the shape (4, 4)",
    ),
    (
        lambda a: a[0, :],
        "error[KC2173]: A is indexed with a slice\n"
        "  why: the elements of a tensor are named one by one\n"
        "  try: te.compute makes a tensor of a part: ... A[i, j]\n"
        "  try: fewer indices than dimensions are completed later: A[i][j]\n"
        "  try: a tensor intrinsic takes slices: te.compute((n, 4), lambda i: "
        "vadd(A[i, 0:4], ...))",
    ),
    (
        lambda a: a[..., 0],
        "error[KC2173]: A is indexed with ...\n"
        "  why: the elements of a tensor are named one by one\n"
        "  try: te.compute makes a tensor of a part: ... A[i, j]\n"
        "  try: fewer indices than dimensions are completed later: A[i][j]",
    ),
    (
        lambda a: list(a[0]),
        "error[KC2004]: the elements of A cannot be listed while the program is built\n"
        "  why: its elements are known only when the kernel runs\n"
        "  try: te.compute and te.sum run over the elements",
    ),
    (
        lambda a: a + te.placeholder((3,), name="B"),
        "error[KC2174]: A of the shape (4, 4) and B of the shape (3,) in one operation\n"
        "  why: 4 and 3 are neither equal, nor is one of them 1\n"
        "  try: te.compute can combine other elements",
    ),
    (
        lambda a: te.compute((4, 4), lambda i, j: a + a[i, j]),
        "error[KC2010]: A is a tensor, not a scalar\n  try: index it: A[i, j]",
    ),
    (
        lambda a: te.compute((4,), lambda i: a[i, i] & 1),
        "error[KC2006]: bitwise and of float32 values\n"
        "  why: bitwise operations are for integers and conditions",
    ),
    (
        lambda a: a + "text",
        "error[KC2004]: str is not a scalar expression\n"
        "  why: scalars are numbers, axes, te.var and elements of tensors such as A[i, j]",
    ),
]


@pytest.mark.parametrize(("make", "text"), PARTS)
def test_what_is_no_element(make, text):
    assert refusal(lambda: make(te.placeholder((4, 4), name="A")), __file__) == text


# Arithmetic ---------------------------------------------------------------------------------------

GENERATOR = np.random.default_rng(0)
FLOATS = GENERATOR.integers(1, 9, (3, 4)).astype("float32")
ROW = GENERATOR.integers(1, 9, (4,)).astype("float32")


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x + y,
        lambda x, y: y - x,
        lambda x, y: (x * y) / (x + 1),
        lambda x, y: 2 - x * 3,
        lambda x, y: -(x - 1.5),
        lambda x, y: abs(y - x),
        lambda x, y: 1 / y + np.float32(2) * y,
        lambda x, y: x // y,
    ],
)
def test_arithmetic_on_tensors_is_numpys(function):
    a, b = te.placeholder((3, 4), name="A"), te.placeholder((4,), name="B")
    c = function(a, b)
    expected = function(FLOATS, ROW)
    arrays = [(tensor, x) for tensor, x in ((a, FLOATS), (b, ROW)) if tensor in _inputs(c)]
    result = built([*(tensor for tensor, _ in arrays), c], *(x for _, x in arrays))
    assert c.dtype == "float32"
    np.testing.assert_allclose(result, expected, rtol=1e-6)


def _inputs(tensor):
    inputs, stack = set(), [tensor]
    while stack:
        current = stack.pop()
        inputs.add(current)
        stack += current.op.input_tensors
    return inputs


def test_arithmetic_on_integers_and_conditions():
    a, b = te.placeholder((5,), "int32", name="A"), te.placeholder((5,), "int32", name="B")
    x, y = np.int32([7, -7, 3, 0, 9]), np.int32([2, 2, -2, 5, 9])
    np.testing.assert_array_equal(built([a, b, a % b], x, y), x % y)
    np.testing.assert_array_equal(built([a, b, te.floordiv(a, b)], x, y), x // y)
    np.testing.assert_array_equal(built([a, b, a << (b & 3)], x, y), x << (y & 3))
    np.testing.assert_array_equal(built([a, b, ~a ^ b], x, y), ~x ^ y)
    inside = built([a, b, (a < b) | ~(a >= 3)], x, y)
    np.testing.assert_array_equal(inside, (x < y) | ~(x >= 3))
    wide = (a + b).astype("float64")
    assert (wide.dtype, wide.op.name, wide.op.tag) == ("float64", "T_cast", "elemwise")
    np.testing.assert_array_equal(built([a, b, wide], x, y), (x + y).astype("float64"))


def test_arithmetic_with_sizes_and_scalars():
    n, by = te.var("n"), te.var("by", "float32")
    a, b = te.placeholder((3, n), name="A"), te.placeholder((1, n), name="B")
    c = by * a + te.const(2.0) * b
    assert c.shape == (3, n)
    f = kc.build(te.create_schedule(c.op), [a, b, by, c])
    out = np.zeros((3, 4), "float32")
    f(FLOATS, ROW[None], 3.0, out)
    np.testing.assert_array_equal(out, 3 * FLOATS + 2 * ROW)


def test_what_tensors_are_called_and_whether_they_are_equal():
    a, b = te.placeholder((3, 4), name="A"), te.placeholder((4,), name="B")
    for tensor, name, tag in (
        (a + b, "T_add", "broadcast"),
        (a * 2, "T_multiply", "elemwise"),
        (-a, "T_negative", "elemwise"),
    ):
        assert (tensor.op.name, tensor.op.tag) == (name, tag)
    assert a == a.op.output(0)
    assert a != b
    assert len({a, b, a.op.output(0)}) == 2
    assert bool(a)
    assert a in [b, a]
    two = te.compute((4,), lambda i: (b[i], b[i] + 1), name="two")
    assert [tensor.value_index for tensor in two] == [0, 1]
    assert two[0].op is two[1].op
    assert two[0].op.num_outputs == 2
    assert two[0].op.output(1) is two[1]
    assert two[0].op.input_tensors == [b]


# Axes ---------------------------------------------------------------------------------------------


def test_names_of_axes():
    a = te.placeholder((2, 3, 4), name="A")
    b = te.compute((2, 3, 4), lambda x, *rest: a(x, *rest), name="B", varargs_names=["y", "z"])
    assert [axis.name for axis in b.op.axis] == ["x", "y", "z"]
    c = te.compute((2, 3, 4), lambda x, *rest: a(x, *rest), name="C")
    assert [axis.name for axis in c.op.axis] == ["x", "i0", "i1"]


# Tags ---------------------------------------------------------------------------------------------


def test_tags_and_attributes():
    a = te.placeholder((4,), name="A")
    assert (a.op.tag, a.op.attrs) == ("", {})
    b = te.compute((4,), lambda i: a[i], name="B", tag="injective", attrs={"layout": "N"})
    assert (b.op.tag, b.op.attrs) == ("injective", {"layout": "N"})
    with te.tag_scope("conv"):
        c = te.compute((4,), lambda i: b[i], name="C")
    with te.tag_scope(tag="conv"):
        d = te.compute((4,), lambda i: b[i], name="D", attrs={"x": 1})

    @te.tag_scope("pool")
    def pooled(x):
        "Documented."
        return te.compute((4,), lambda i: x[i] + 1, name="E")

    assert pooled.__doc__ == "Documented."
    e, again = pooled(c), pooled(d)
    assert [tensor.op.tag for tensor in (c, d, e, again)] == ["conv", "conv", "pool", "pool"]
    assert d.op.attrs == {"x": 1}
    assert te.compute((4,), lambda i: a[i]).op.tag == ""
    # A copy of an operation is one of the same kind.
    s = te.create_schedule(e.op)
    s.cache_read(b, "local", [c])
    assert s[c].op.tag == "conv"


def test_automatic_inlining_asks_for_tags():
    a = te.placeholder((4, 4), name="A")
    rolled = te.compute((4, 4), lambda i, j: a[j, i], name="R", tag="broadcast")
    plain = te.compute((4, 4), lambda i, j: a[j, i], name="P")
    out = te.compute((4, 4), lambda i, j: rolled[i, j] + plain[i, j], name="O")
    s = te.create_schedule(out.op)
    te.schedule.AutoInlineElemWise(s)
    assert (s[rolled].attach_type, s[plain].attach_type) == (1, 1)
    te.schedule.AutoInlineBroadcast(s)
    assert (s[rolled].attach_type, s[plain].attach_type) == (2, 1)
    te.schedule.AutoInlineInjective(s)
    assert (s[rolled].attach_type, s[plain].attach_type) == (2, 2)


def nested():
    with te.tag_scope("conv"), te.tag_scope("pad"):
        pass


def twice():
    with te.tag_scope("conv"):
        te.compute((4,), lambda i: i, name="C", tag="pad")


TAGS = [
    (
        nested,
        "error[KC2170]: tag_scope 'pad' inside of tag_scope 'conv'\n"
        "  why: an operation can have only one tag\n"
        "  try: close the outer one first",
    ),
    (
        twice,
        "error[KC2171]: C has the tag 'pad' in tag_scope 'conv'\n"
        "  why: an operation can have only one tag\n"
        "  try: omit the tag, or create the operation outside of the scope",
    ),
    (
        lambda: te.compute((4,), lambda i: i, name="C", tag=3),
        'error[KC2172]: the tag 3 is not text\n  try: tag="elemwise"',
    ),
    (
        lambda: te.compute((4,), lambda i: i, name="C", attrs=["NCHW"]),
        "error[KC2172]: the attributes of C are ['NCHW']\n"
        "  why: attributes must be a dict of values by name\n"
        '  try: attrs={"layout": "NCHW"}',
    ),
]


@pytest.mark.parametrize(("make", "text"), TAGS)
def test_wrong_tags(make, text):
    assert refusal(lambda: make(), __file__) == text
    assert te.compute((4,), lambda i: i).op.tag == ""
