"""compute_at and compute_inline of TE: where stages are computed, and that the numbers stay."""

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.error import ScheduleError


def chain():
    a = te.placeholder((32, 32), name="A")
    b = te.placeholder((32, 32), name="B")
    k = te.reduce_axis((0, 32), name="k")
    c = te.compute((32, 32), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    d = te.compute((32, 32), lambda i, j: te.max(c[i, j], 8.0) + 1.0, name="D")
    return a, b, c, d, te.create_schedule(d.op)


def check(a, b, d, s):
    rng = np.random.default_rng(0)
    x, y = (rng.random((32, 32), dtype=np.float32) for _ in range(2))
    out = np.empty((32, 32), np.float32)
    kc.build(s, [a, b, d])(x, y, out)
    np.testing.assert_allclose(out, np.maximum(x @ y, 8.0) + 1.0, rtol=1e-5)


def test_compute_at_a_tile():
    a, b, c, d, s = chain()
    x, y = d.op.axis
    i_o, j_o, _, j_i = s[d].tile(x, y, 8, 16)
    s[c].compute_at(s[d], j_o)
    # The producer's axes span what the tile needs: 8 x 16.
    i, j = c.op.axis
    (k,) = c.op.reduce_axis
    s[c].reorder(k, i, j)
    s[c].vectorize(j)
    s[d].vectorize(j_i)
    s[d].parallel(i_o)
    text = str(kc.lower(s, [a, b, d]))
    nest = [line.strip() for line in text.split("\n") if "tir.for" in line or "tir.block" in line]
    assert [line.split(" (")[0] for line in nest[:6]] == [
        "tir.for %i_o in 4 parallel {",
        "tir.for %j_o in 2 {",
        "tir.for %k in 32 {",
        "tir.for %i in 8 {",
        "tir.for %j in 16 vectorized {",
        'tir.block "C"',
    ]
    check(a, b, d, s)
    sch = tir.Schedule(kc.lower(te.create_schedule(d.op), [a, b, d]))
    exec(s.to_tir_script(), {"sch": sch})
    assert str(sch.mod) == text


def test_an_attach_axis_that_is_split_later():
    a, b, c, d, s = chain()
    i, _ = d.op.axis
    s[c].compute_at(s[d], i)
    _, inner = s[d].split(i, factor=4)
    assert s[d].leaf_of(i) is inner
    text = str(kc.lower(s, [a, b, d]))
    assert text.index("tir.for %i_i in 4") < text.index('tir.block "C"')
    check(a, b, d, s)


def test_compute_inline():
    a = te.placeholder((32, 32), name="A")
    b = te.compute((32, 32), lambda i, j: a[i, j] * 2.0, name="B")
    c = te.compute((32, 32), lambda i, j: b[j, i] + 1.0, name="C")
    s = te.create_schedule(c.op)
    s[b].compute_inline()
    assert '"B"' not in str(kc.lower(s, [a, c]))
    x = np.random.default_rng(0).random((32, 32), dtype=np.float32)
    out = np.empty_like(x)
    kc.build(s, [a, c])(x, out)
    np.testing.assert_array_equal(out, x.T * np.float32(2) + np.float32(1))


def test_compute_root_takes_it_back():
    a, b, c, d, s = chain()
    plain = str(kc.lower(s, [a, b, d]))
    s[c].compute_at(s[d], d.op.axis[0])
    assert str(kc.lower(s, [a, b, d])) != plain
    s[c].compute_root()
    assert str(kc.lower(s, [a, b, d])) == plain


def test_refusals():
    a, b, c, d, s = chain()
    with pytest.raises(ScheduleError, match="KC3105.*compute_at: i is not an axis of D"):
        s[c].compute_at(s[d], c.op.axis[0])
    s[c].compute_inline()  # a reduction: refused when it is replayed, at this line
    line = s[c].attach
    with pytest.raises(ScheduleError) as caught:
        kc.lower(s, [a, b, d])
    assert line is not None
    assert caught.value.location == line.location
    assert "C" in caught.value.message
