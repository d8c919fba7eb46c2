"""Storage of the tensors of a TE schedule, and the other statements in their loops."""

# Wrong arguments are what is tested.
# pyright: reportArgumentType=false, reportOptionalIterable=false
# pyright: reportGeneralTypeIssues=false, reportAttributeAccessIssue=false

import numpy as np
import pytest
from te_checks import check, matmul, nest, refusal

import kc
from kc import te


def pair():
    a = te.placeholder((16, 8), name="A")
    b = te.compute((16, 8), lambda i, j: a[i, j] + 1.0, name="B")
    c = te.compute((16, 8), lambda i, j: b[i, j] * 2.0, name="C")
    s = te.create_schedule(c.op)
    return a, b, c, s


def reference(x):
    return (x + 1) * 2


def test_scope_alignment_and_two_buffers():
    a, b, c, s = pair()
    outer, _ = s[c].split(c.op.axis[0], factor=4)
    s[b].compute_at(s[c], outer)
    s[b].double_buffer()
    s[b].set_scope("local")
    # The axis is a dimension of the tensor, whatever became of its loop.
    s[b].split(b.op.axis[0], factor=2)
    s[b].storage_align(b.op.axis[0], 16, 4)
    text = check(s, [a, c], reference)
    assert (
        '%B = tir.alloc "B" {tir.double_buffer, tir.storage_align = [array<i64: 0, 16, 4>]} : '
        'memref<16x8xf32, "local">' in text
    )


def test_prefetch_some_iterations_ahead():
    a, b, c, s = pair()
    s[b].compute_inline()
    outer, _ = s[c].split(c.op.axis[0], factor=4)
    s[c].prefetch(a, outer, 1)
    text = check(s, [a, c], reference)
    assert "tir.prefetch %A[%i_o * 4 + " in text
    assert refusal(lambda: s[c].prefetch(c, outer, 1), __file__) == (
        "error[KC3130]: prefetch: C does not read C\n  why: C reads B"
    )


def test_pragmas():
    a, b, c, s = pair()
    i, j = c.op.axis
    s[c].pragma(i, "auto_unroll_max_step", 16)
    s[c].pragma(j, "vectorize")
    text = check(s, [a, c], reference)
    assert (
        '"pragma_auto_unroll_max_step" = 16' in text or "pragma_auto_unroll_max_step = 16" in text
    )
    assert nest(s, [a, c])[4].startswith("  for j in 8 vectorized")
    k = te.reduce_axis((0, 4), name="k")
    d = te.compute((4,), lambda i: te.sum(a[i, k], axis=k), name="D")
    t = te.create_schedule(d.op)
    t[d].pragma(k, "vectorize")
    check(t, [a, d], lambda x: x[:4, :4].sum(axis=1))
    assert any(line.strip().startswith("for k in 4 vectorized") for line in nest(t, [a, d]))


def test_tensorize_of_a_tile_in_a_cache():
    a = te.placeholder((8, 16), name="A")
    x = te.placeholder((16,), name="X")
    k = te.reduce_axis((0, 16), name="k")
    y = te.compute((8,), lambda i: te.sum(a[i, k] * x[k], axis=k), name="Y")
    s = te.create_schedule(y.op)
    cache = s.cache_write(y, "global")
    outer, _ = s[y].split(y.op.axis[0], factor=2)
    _, ki = s[cache].split(k, factor=4)
    s[cache].tensorize(ki, "dot_f32_4")
    s[cache].compute_at(s[y], outer)
    text = check(s, [a, x, y], lambda a, x: a @ x)
    assert "vector.reduction <add>" in text


def test_tensorize_is_refused():
    a, b, c, k = matmul(8, 8, 16)
    s = te.create_schedule(c.op)
    _, ki = s[c].split(k, factor=4)
    s[c].tensorize(ki, "no_such_intrinsic")
    text = refusal(lambda: nest(s, [a, b, c]), __file__)
    assert text.startswith("error[KC3560]: tensorize: ")
    assert refusal(lambda: s[c].tensorize(c.op.axis[0], 4), __file__) == (
        "error[KC3151]: tensorize: int is not a tensor intrinsic\n"
        "  why: an intrinsic is registered by a name\n"
        '  try: s[C].tensorize(axis, "dot_f32_4")'
    )


# Layouts ---------------------------------------------------------------------------------------


def test_an_intermediate_in_another_layout():
    a, b, c, s = pair()
    rows, columns, lanes = s[b].transform_layout(lambda i, j: [j // 4, i, j % 4])
    assert s[b].leaf_iter_vars == [rows, columns, lanes]
    s[b].parallel(rows)
    s[b].vectorize(lanes)
    assert nest(s, [a, c])[:4] == [
        "for ax0 in 2 parallel",
        "  for ax1 in 16",
        "    for ax2 in 4 vectorized",
        "      block B",
    ]
    text = check(s, [a, c], reference)
    assert "memref<2x16x4xf32>" in text
    bounds = te.schedule.InferBound(s)
    assert [bounds[axis].extent.value for axis in (rows, columns, lanes)] == [2, 16, 4]


def test_a_reduction_in_another_layout():
    a, b, c, _ = matmul(8, 8, 6)
    d = te.compute((8, 8), lambda i, j: c[i, j] + 1.0, name="D")
    s = te.create_schedule(d.op)
    axes = s[c].transform_layout(lambda i, j: [j, i])
    (k,) = s[c].op.reduce_axis
    ko, ki = s[c].split(k, factor=2)
    s[c].reorder(ko, *axes, ki)
    check(s, [a, b, d], lambda x, y: x @ y + 1)


def test_arguments_in_another_layout():
    a, b, c, s = pair()
    assert s[a].transform_layout(lambda i, j: [j, i]) is None
    s[c].transform_layout(lambda i, j: [i * 8 + j])
    x = np.random.default_rng(0).random((16, 8), dtype=np.float32)
    out = np.zeros(128, np.float32)
    kc.build(s, [a, c])(np.ascontiguousarray(x.T), out)
    np.testing.assert_array_equal(out.reshape(16, 8), reference(x))


def test_axes_of_physical_memory():
    a, b, c, s = pair()
    s[b].transform_layout(lambda i, j: [i, te.AXIS_SEPARATOR, j])
    assert "separators" in str(kc.lower(s, [a, c]))


def test_layouts_are_refused_where_axes_are_gone_or_moved():
    a, b, c, s = pair()
    i, j = b.op.axis
    assert refusal(lambda: s[b].transform_layout(lambda i: [i]), __file__) == (
        "error[KC3150]: transform_layout: the map takes 1 index, B has 2\n"
        "  why: the map must take one index for each dimension"
    )
    s[b].reorder(j, i)
    assert refusal(lambda: s[b].transform_layout(lambda i, j: [j, i]), __file__) == (
        "error[KC3150]: transform_layout: the axes of B are reordered\n"
        "  why: the map is about i, j, side by side; the order is j, i\n"
        "  try: transform_layout first, then reorder"
    )
    s[c].split(c.op.axis[0], factor=2)
    assert refusal(lambda: s[c].transform_layout(lambda i, j: [j, i]), __file__).startswith(
        "error[KC3104]: transform_layout: axis i of C is gone\n"
    )
    a, b, c, s = pair()
    s[b].transform_layout(lambda i, j: [j, i])
    for call, name in (
        (lambda: s.cache_write(b, "local"), "cache_write"),
        (lambda: s[b].split(i, factor=2), "split"),
    ):
        if name == "cache_write":
            assert refusal(call, __file__) == (
                "error[KC3150]: cache_write: the layout of B is transformed\n"
                "  why: its axes belong to the new layout, but its expression uses the old "
                "layout\n"
                "  try: cache_write first, then transform_layout"
            )
        else:
            refusal(call, __file__)


def test_refused_at_the_call():
    a, b, c, s = pair()
    assert refusal(lambda: s[a].set_scope("shared"), __file__).startswith(
        "error[KC3134]: set_scope: A is an input\n"
    )
    outer, _ = s[b].split(b.op.axis[1], factor=2)
    assert refusal(lambda: s[b].storage_align(outer, 16, 0), __file__) == (
        "error[KC3148]: storage_align: j_o is not a dimension of B\n"
        "  why: the dimensions are i, j, also after a split\n"
        "  try: s[B].op.axis gives them"
    )
    s[c].set_scope("shared")
    text = refusal(lambda: nest(s, [a, c]), __file__)
    assert text.startswith("error[KC3320]: set_scope: ")


@pytest.mark.parametrize("primitive", ["double_buffer", "rolling_buffer"])
def test_inputs_have_no_buffers_of_ours(primitive: str):
    a, _, _, s = pair()
    assert refusal(lambda: getattr(s[a], primitive)(), __file__).startswith(
        f"error[KC3134]: {primitive}: A is an input\n"
    )
