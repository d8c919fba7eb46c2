"""InferBound, ScheduleOps, normalize and automatic inlining, as TVM programs use them."""

# Ranges are expressions, here constants.
# pyright: reportAttributeAccessIssue=false

from te_checks import lines_of, matmul

from kc import te
from kc.expr.constructors import Const


def ranges(s):
    """The constant extents by the axis's name; starts where they are constants too."""
    extents = {}
    for axis, bounds in te.schedule.InferBound(s).items():
        assert isinstance(bounds.extent, Const)
        start = bounds.min.value if isinstance(bounds.min, Const) else None
        extents[axis.name] = (start, bounds.extent.value)
    return extents


def stencil(extent: int = 64):
    a = te.placeholder((extent + 2,), name="A")
    b = te.compute((extent + 2,), lambda i: a[i] * 2.0, name="B")
    c = te.compute((extent,), lambda j: b[j] + b[j + 2], name="C")
    return a, b, c, te.create_schedule(c.op)


def test_of_a_producer_at_its_consumers_axis():
    _, b, c, s = stencil()
    outer, inner = s[c].split(c.op.axis[0], factor=16)
    s[b].compute_at(s[c], outer)
    first, second = s[b].split(b.op.axis[0], nparts=4)
    bounds = te.schedule.InferBound(s)
    assert ranges(s) == {
        "j": (0, 64),
        "j_o": (0, 4),
        "j_i": (0, 16),
        "i": (None, 18),
        "i_o": (0, 4),
        "i_i": (0, 5),
    }
    # The start of B's axis, in terms of C's.
    low = bounds[b.op.axis[0]].min
    assert (low.op, low.lhs, low.rhs.value) == ("mul", outer, 16)
    assert set(bounds) == {c.op.axis[0], outer, inner, b.op.axis[0], first, second}


def test_of_an_attach_axis_that_was_split_later():
    _, b, c, s = stencil()
    s[b].compute_at(s[c], c.op.axis[0])
    s[c].split(c.op.axis[0], factor=16)
    assert ranges(s)["i"] == (None, 3)
    normalized = s.normalize()
    assert normalized[b].attach_ivar is s[c].leaf_iter_vars[1]
    assert te.schedule.InferBound(normalized)[b.op.axis[0]].extent.value == 3


def test_of_fusions_tails_and_reductions_that_start_later():
    a = te.placeholder((7, 9), name="A")
    k = te.reduce_axis((2, 9), name="k")
    c = te.compute((7,), lambda i: te.sum(a[i, k], axis=k), name="C")
    s = te.create_schedule(c.op)
    ko, _ = s[c].split(k, factor=3)
    s[c].fuse(c.op.axis[0], ko)
    assert ranges(s) == {
        "i": (0, 7),
        "k": (2, 7),
        "k_o": (0, 3),
        "k_i": (0, 3),
        "i_k_o_fused": (0, 21),
    }


def test_of_symbolic_sizes():
    n = te.var("n")
    a = te.placeholder((n,), name="A")
    b = te.compute((n,), lambda i: a[i] * 2.0, name="B")
    c = te.compute((n,), lambda j: b[j] + 1.0, name="C")
    s = te.create_schedule(c.op)
    outer, inner = s[c].split(c.op.axis[0], factor=8)
    s[b].compute_at(s[c], outer)
    bounds = te.schedule.InferBound(s)
    assert bounds[c.op.axis[0]].extent is n
    assert bounds[inner].extent.value == 8
    assert bounds[b.op.axis[0]].extent.value == 8
    parts = bounds[outer].extent
    assert (parts.op, parts.lhs.op, parts.rhs.value) == ("floordiv", "add", 8)


def test_of_threads_that_relax_a_shared_tensor():
    _, b, c, s = stencil()
    s[b].set_scope("shared")
    outer, inner = s[c].split(c.op.axis[0], factor=16)
    s[c].bind(outer, te.thread_axis("blockIdx.x"))
    s[c].bind(inner, te.thread_axis("threadIdx.x"))
    s[b].compute_at(s[c], inner)
    assert ranges(s)["i"] == (None, 18)  # what the threads of a block need together
    s[b].set_scope("local")
    assert ranges(s)["i"] == (None, 3)  # what a thread needs


def test_schedule_ops_gives_the_loops():
    _, _, c, _ = matmul()
    s = te.create_schedule(c.op)
    s = s.normalize()
    bounds = te.schedule.InferBound(s)
    assert lines_of(te.schedule.ScheduleOps(s, bounds)) == [
        "for i in 12",
        "  for j in 10",
        "    for k in 7",
        "      block C",
    ]


def several():
    a = te.placeholder((4, 6), name="A")
    v = te.placeholder((6,), name="V")
    added = te.compute((4, 6), lambda i, j: a[i, j] + 1.0, name="added")
    row = te.compute((4, 6), lambda i, j: added[i, j] * v[j], name="row")
    turned = te.compute((6, 4), lambda i, j: row[j, i] - 2.0, name="turned")
    k = te.reduce_axis((0, 4), name="k")
    summed = te.compute((6,), lambda i: te.sum(turned[i, k], axis=k), name="summed")
    out = te.compute((6,), lambda i: summed[i] * 2.0, name="out")
    return te.create_schedule(out.op)


def inlined(s):
    return [stage.op.name for stage in s.stages if stage.attach is not None]


def test_automatic_inlining():
    for pass_, expected in (
        (te.schedule.AutoInlineElemWise, ["added"]),
        (te.schedule.AutoInlineBroadcast, ["added", "row"]),
        (te.schedule.AutoInlineInjective, ["added", "row", "turned"]),
    ):
        s = several()
        pass_(s)
        assert inlined(s) == expected
        te.schedule.ScheduleOps(s)
    s = several()
    added = next(stage for stage in s.stages if stage.op.name == "added")
    added.parallel(added.leaf_iter_vars[0])
    te.schedule.AutoInlineInjective(s)
    assert "added" not in inlined(s)  # it is scheduled already


def test_a_copy_goes_its_own_way():
    _, b, c, s = stencil()
    outer, _ = s[c].split(c.op.axis[0], factor=16)
    s[b].compute_at(s[c], outer)
    copy = s.copy()
    assert ranges(copy) == ranges(s)
    copy[b].compute_root()
    copy[c].parallel(outer)
    assert s[b].attach is not None
    assert [record.primitive for record in s[c].records] == ["split"]
    assert inlined(s.without_schedule()) == []
    assert s.without_schedule()[c].leaf_iter_vars == list(c.op.axis)


def test_the_domain_of_an_axis():
    n = te.var("n")
    a = te.placeholder((n, 9), name="A")
    k = te.reduce_axis((2, 9), name="k")
    c = te.compute((n,), lambda i: te.sum(a[i, k], axis=k), name="C")
    assert (k.dom, k.dom.min, k.dom.extent, k.dom.extent.value) == ((2, 9), 2, 7, 7)
    assert c.op.axis[0].dom.extent is n
    assert te.reduce_axis(k.dom, name="r").dom == k.dom
