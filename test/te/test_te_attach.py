"""Places of stages: in any order of the calls, at axes that change, in groups."""

# pyright: reportAttributeAccessIssue=false, reportCallIssue=false

import itertools

import pytest
from te_checks import check, matmul, nest, refusal, warnings_of

import kc
from kc import te
from kc.te.stage import GROUP_ROOT, INLINE, SCOPE


def chain():
    a = te.placeholder((16, 8), name="A")
    b = te.compute((16, 8), lambda i, j: a[i, j] + 1.0, name="B")
    c = te.compute((16, 8), lambda i, j: b[i, j] * 2.0, name="C")
    d = te.compute((14, 8), lambda i, j: c[i, j] + c[i + 2, j], name="D")
    return a, b, c, d, te.create_schedule(d.op)


def reference(x):
    y = (x + 1) * 2
    return y[:-2] + y[2:]


def test_the_order_of_the_calls_does_not_matter():
    def calls(s, b, c, d):
        def attach_b():
            s[b].compute_at(s[c], c.op.axis[1])

        def attach_c():
            s[c].compute_at(s[d], d.op.axis[0])

        def tile():
            i, j = d.op.axis
            s[d].split(i, factor=4)
            s[d].split(j, factor=4)

        def split_c():
            s[c].split(c.op.axis[1], factor=2)

        return [attach_b, attach_c, tile, split_c]

    texts = set()
    for order in itertools.permutations(range(4)):
        a, b, c, d, s = chain()
        steps = calls(s, b, c, d)
        for n in order:
            # An axis is named before it is split; the rest is free.
            if n == 2 and order.index(2) < order.index(1):
                continue
            if n == 3 and order.index(3) < order.index(0):
                continue
            steps[n]()
        if order.index(2) > order.index(1) and order.index(3) > order.index(0):
            texts.add("\n".join(nest(s, [a, d])))
            if len(texts) == 1:
                check(s, [a, d], reference)
    assert texts == {
        "\n".join(
            [
                "for i_o in 4",
                "  for i_i in 4",
                "    for i in 3",
                "      for j_o_1 in 4",
                "        for j_i_1 in 2",
                "          for i_1 in 1",
                "            for j in 1",
                "              block B",
                "          block C",
                "    for j_o in 2",
                "      for j_i in 4",
                "        block D",
            ]
        )
    }


def test_the_extent_of_a_producers_axis_is_what_is_needed():
    a, _, c, d, s = chain()
    outer, inner = s[d].split(d.op.axis[0], factor=7)
    s[c].compute_at(s[d], outer)
    # Nine rows of C for seven of D: the split is one of nine.
    s[c].split(c.op.axis[0], nparts=3)
    assert nest(s, [a, d])[3:8] == [
        "for i_o in 2",
        "  for i_o_1 in 3",
        "    for i_i_1 in 3",
        "      for j_1 in 8",
        "        block C",
    ]
    check(s, [a, d], reference)
    del inner


def test_a_fused_attach_axis():
    a, _, c, d, s = chain()
    i, j = d.op.axis
    s[c].compute_at(s[d], j)
    fused = s[d].fuse(i, j)
    assert s[d].leaf_of(j) is fused
    check(s, [a, d], reference)
    _, inner = s[d].split(fused, factor=4)
    assert s.normalize()[c].attach_ivar is inner
    check(s, [a, d], reference)


def test_inlined_in_a_chain():
    a, b, c, d, s = chain()
    s[c].compute_inline()
    s[b].compute_at(s[d], d.op.axis[1])
    assert nest(s, [a, d]) == [
        "for i in 14",
        "  for j in 8",
        "    for i_1 in 3",
        "      for j_1 in 1",
        "        block B",
        "    block D",
    ]
    check(s, [a, d], reference)


def test_attributes_that_tvm_programs_read():
    _, b, c, d, s = chain()
    s[c].compute_at(s[d], d.op.axis[0])
    s[b].compute_inline()
    assert (s[b].attach_type, s[c].attach_type, s[d].attach_type) == (INLINE, SCOPE, GROUP_ROOT)
    assert s[c].attach_ivar is d.op.axis[0]
    assert s[c].attach_stage is s[d]
    assert (s[d].is_output, s[c].is_output) == (True, False)
    outer, inner = s[d].split(d.op.axis[1], nparts=2)
    (relation,) = s[d].relations
    assert (relation.parent, relation.outer, relation.inner) == (d.op.axis[1], outer, inner)
    assert (relation.factor, relation.nparts) == (None, 2)
    fused = s[d].fuse(outer, inner)
    assert (s[d].relations[1].outer, s[d].relations[1].fused) == (outer, fused)
    assert s[d].all_iter_vars == [*d.op.axis, outer, inner, fused]
    assert s[d].leaf_iter_vars == [d.op.axis[0], fused]
    assert [stage.op.name for stage in s.stages] == ["A", "B", "C", "D"]


def test_a_fusion_of_no_axes_is_an_outermost_loop_of_one_iteration():
    a, _, c, d, s = chain()
    unit = s[d].fuse()
    s[c].compute_at(s[d], unit)
    assert s[d].leaf_iter_vars[0] is unit
    s[d].parallel(unit)
    lines = nest(s, [a, d])
    assert lines[3] == "for u in 1 parallel"
    check(s, [a, d], reference)
    # The loop that it is put around stays what it was.
    i = d.op.axis[0]
    assert s[d].leaf_of(i) is i
    outer, inner = s[d].split(i, factor=2)
    assert s[d].leaf_of(i) is inner
    assert refusal(lambda: s[d].split(i, factor=2), __file__) == (
        "error[KC3104]: split: axis i of D is gone\n"
        "  why: i was split into i_o, i_i at test_te_attach.py\n"
        "  try: use i_o, i_i"
    )
    del outer
    a = te.placeholder((), name="A")
    b = te.compute((), lambda: a() * 2.0, name="B")
    s = te.create_schedule(b.op)
    unit = s[b].fuse()
    assert s[b].fuse(unit) is unit
    assert nest(s, [a, b]) == ["for u in 1", "  block B"]


def test_two_outputs():
    a = te.placeholder((8, 8), name="A")
    b = te.compute((8, 8), lambda i, j: a[i, j] + 1.0, name="B")
    c = te.compute((8, 8), lambda i, j: b[i, j] * 2.0, name="C")
    d = te.compute((8, 8), lambda i, j: b[j, i] * 3.0, name="D")
    s = te.create_schedule([c.op, d.op])
    s[c].parallel(c.op.axis[0])
    s[d].vectorize(d.op.axis[1])
    check(s, [a, c, d], lambda x: ((x + 1) * 2, (x + 1).T * 3), outputs=2)
    s[b].compute_inline()
    check(s, [a, c, d], lambda x: ((x + 1) * 2, (x + 1).T * 3), outputs=2)
    assert refusal(lambda: s[c].compute_at(s[d], d.op.axis[0]), __file__) == (
        "error[KC3133]: compute_at: C is an output\n"
        "  why: the caller gets all of an output, so it is computed at the root\n"
        "  try: s.cache_write(C, scope) gives a tensor that can be moved"
    )
    s[b].compute_at(s[d], d.op.axis[0])
    text = refusal(lambda: nest(s, [a, c, d]), __file__)
    assert text.startswith("error[KC3204]: compute_at: block C reads B outside loop i")


# Groups ----------------------------------------------------------------------------------------


def test_a_group_is_computed_at_one_place():
    a, b, c, d, s = chain()
    group = s.create_group(outputs=c, inputs=a)
    assert [op.name for op in group.ops] == ["B", "C"]
    i, _ = d.op.axis
    assert (group.attach_type, group.attach_stage, group.attach_ivar) == (1, None, None)
    group.compute_at(s[d], i)
    assert (group.attach_type, group.attach_stage, group.attach_ivar) == (4, s[d], i)
    outer, inner = s[d].split(i, factor=7)
    check(s, [a, d], reference)
    lines = nest(s, [a, d])
    assert [line.strip() for line in lines if "block" in line] == [
        "block B",
        "block C",
        "block D",
    ]
    assert lines[0] == "for i_o in 2"
    assert all(line.startswith("  ") for line in lines[1:])
    # In the group, a stage can be at an axis of another one.
    s[b].compute_at(s[c], c.op.axis[0])
    check(s, [a, d], reference)
    group.compute_root()
    group.compute_at(s[d], outer)
    check(s, [a, d], reference)
    del inner


def test_groups_in_groups_and_caches_in_groups():
    a, b, c, d, s = chain()
    inner = s.create_group(outputs=b, inputs=a)
    outer = s.create_group(outputs=c, inputs=a, include_inputs=False)
    assert inner.group is outer
    assert s[b].group is inner
    outer.compute_at(s[d], d.op.axis[0])
    inner.compute_at(s[c], c.op.axis[1])
    cache = s.cache_write(c, "global")
    assert s[cache].group is outer
    inner.compute_at(s[cache], cache.op.axis[1])
    check(s, [a, d], reference)


def test_groups_are_refused_where_they_make_no_sense():
    a, b, c, d, s = chain()
    assert refusal(lambda: s.create_group(outputs=b, inputs=d), __file__) == (
        "error[KC3146]: create_group: there is nothing to group\n"
        "  why: no computation leads from D to B\n"
        "  try: create_group(outputs=C, inputs=A) groups the stages from A to C"
    )
    group = s.create_group(outputs=c, inputs=a)
    assert refusal(lambda: s[b].compute_at(s[d], d.op.axis[0]), __file__) == (
        "error[KC3137]: compute_at: B and D are not in one group\n"
        "  why: B is in the group of B, C, and must be computed at its place, or inside it\n"
        "  try: compute the group there: group.compute_at(...)"
    )
    assert refusal(lambda: group.compute_at(s[c], c.op.axis[0]), __file__) == (
        "error[KC3137]: compute_at: the group of B, C at an axis of C\n"
        "  why: C is in the group itself"
    )
    assert refusal(lambda: s.create_group(outputs=d, inputs=b), __file__) == (
        "error[KC3146]: create_group: the stages of C, D are in different groups\n"
        "  why: there are C in the group of B, C and D in no group; "
        "a group must contain another group completely or not at all\n"
        "  try: group all stages of the other group, or make the groups inside of it"
    )


# Refusals --------------------------------------------------------------------------------------


def test_refused_at_the_call():
    a, b, c, k = matmul()
    s = te.create_schedule(c.op)
    cl = s.cache_write(c, "local")
    # The axis is of C, the cache has axes of its own.
    i, _ = c.op.axis
    assert refusal(lambda: s[a].compute_at(s[cl], i), __file__) == (
        "error[KC3134]: compute_at: A is an input\n"
        "  why: only computed tensors have a schedule\n"
        "  try: s.cache_read(A, scope, readers) makes a copy, which has one"
    )
    al = s.cache_read(a, "shared", cl)
    assert refusal(lambda: s[al].compute_at(s[cl], i), __file__) == (
        "error[KC3105]: compute_at: i is not an axis of C_local\n"
        "  why: i is an axis of C; C_local has the axes i_c, j_c, k\n"
        "  try: s[C] has i"
    )
    assert refusal(lambda: s[c].split(k, factor=2), __file__) == (
        "error[KC3104]: split: axis k of C is gone\n"
        "  why: C is now the copy of C_local, by cache_write at test_te_attach.py; C has the axes "
        "i, j\n"
        "  try: use i, j"
    )
    assert refusal(lambda: s[cl].compute_at(c, i), __file__) == (
        "error[KC3132]: compute_at: C_local is to be computed at an axis of a Tensor\n"
        "  why: a tensor can be computed only inside a loop of its reader\n"
        "  try: s[C_local].compute_at(s[consumer], axis)"
    )
    assert refusal(lambda: s[cl].compute_at(s[cl], k), __file__).startswith(
        "error[KC3132]: compute_at: C_local is to be computed at an axis of itself\n"
    )
    second = te.create_schedule(c.op)
    assert refusal(lambda: s[cl].compute_at(second[c], i), __file__).startswith(
        "error[KC3132]: compute_at: C_local is to be computed at an axis of a stage of another "
        "schedule\n"
    )


def test_the_wrong_order_of_a_chain_of_caches():
    """The loops where a cache could be computed are named, and the place is marked."""
    a, b, c, k = matmul(16, 16, 16)
    s = te.create_schedule(c.op)
    cl = s.cache_write(c, "local")
    aa = s.cache_read(a, "shared", [cl])
    al = s.cache_read(aa, "local", [cl])
    io, jo, _, _ = s[c].tile(*c.op.axis, 4, 4)
    s[cl].compute_at(s[c], jo)
    ko, ki = s[cl].split(k, factor=4)
    s[cl].reorder(ko, ki, *cl.op.axis)
    s[al].compute_at(s[cl], ko)
    s[aa].compute_at(s[cl], ki)
    assert refusal(lambda: nest(s, [a, b, c]), __file__) == (
        "error[KC3204]: compute_at: block A_shared_local reads A_shared outside loop k_i\n"
        "   |  ...\n"
        "   |          for ax1 in 4:\n"
        "   |            block A_shared_local    <-- reads A_shared (from test_te_attach.py)\n"
        "   |        for k_i in 4:    <-- the loop\n"
        "   |          for i_c in 4:\n"
        "   |            for j_c in 4:\n"
        "   |              block C_local\n"
        "   |  ...\n"
        "  why: all consumers of block A_shared must be in the loop at which it is computed\n"
        "  try: legal: loop=i_o or loop=j_o or loop=k_o or loop=ax0 or loop=ax1"
    )
    del io


def test_refused_at_lowering():
    a, b, c, d, s = chain()
    s[c].compute_at(s[d], d.op.axis[0])
    s[b].compute_at(s[d], d.op.axis[1])
    assert refusal(lambda: nest(s, [a, d]), __file__).startswith(
        "error[KC3204]: compute_at: block C reads B outside loop j\n"
    )
    a, b, c, d, s = chain()
    s[c].compute_at(s[b], b.op.axis[0])
    assert refusal(lambda: nest(s, [a, d]), __file__) == (
        "error[KC3138]: compute_at: C at axis i of B, which does not read it\n"
        "  why: B is computed before C, which it needs\n"
        "  try: an axis of D"
    )
    a, b, c, d, s = chain()
    s[c].compute_inline()
    s[b].compute_at(s[c], c.op.axis[0])
    assert refusal(lambda: nest(s, [a, d]), __file__) == (
        "error[KC3138]: compute_at: B at axis i of C, which has no loops\n"
        "  why: C is computed inline by the call at test_te_attach.py\n"
        "  try: compute B at an axis of what reads C"
    )
    s[b].compute_root()
    s[c].split(c.op.axis[0], factor=2)
    assert warnings_of(lambda: kc.lower(s, [a, d])) == [
        "KC3153: compute_inline: C has a schedule of its own, which has no effect"
    ]
    check(s, [a, d], reference)
    a, b, c, d, s = chain()
    outer, _ = s[c].split(c.op.axis[0], factor=2)
    s[b].compute_at(s[c], outer)
    s.cache_write(c, "local")
    assert refusal(lambda: nest(s, [a, d]), __file__) == (
        "error[KC3131]: compute_at: axis i_o of C, where B is to be computed, is gone\n"
        "  why: C is now the copy of C_local, by cache_write at test_te_attach.py\n"
        "  try: C has the axes i, j"
    )


@pytest.mark.parametrize("method", ["double_buffer", "rolling_buffer", "compute_inline"])
def test_outputs_stay_where_they_are(method: str):
    *_, d, s = chain()
    assert refusal(lambda: getattr(s[d], method)(), __file__) == (
        f"error[KC3133]: {method}: D is an output\n"
        "  why: the caller gets all of an output, so it is computed at the root\n"
        "  try: s.cache_write(D, scope) gives a tensor that can be moved"
    )
