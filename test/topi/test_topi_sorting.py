"""Sorting in all ways, by networks, digits and merges, against numpy: short lines of all types.

Lines that are longer than the registers of a network are sorted natively: many steps for the
interpreter.
"""

from __future__ import annotations

import numpy as np
import pytest
from topi_cases import Program, np_dtype

import kc
from kc import te, tir, topi
from kc.analysis import loop_tree
from kc.dialects.unscheduled import unmark
from kc.expr.dtypes import FLOATS
from kc.ir import structural_equal
from kc.target import Target
from kc.topi import sorting
from kc.topi.sorting import NUMBERS

EDGES = [np.nan, 0.0, -0.0, np.inf, -np.inf, 1.5, -1.5, np.nan, -0.0, 0.0, 1e-40, -1e-40]


WAYS = ("network", "digits", "merges")


@pytest.fixture(autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of every size are sorted in one way: by default by digits."""
    given = getattr(request, "param", "digits")
    monkeypatch.setattr(sorting, "network_is_faster", lambda order: given == "network")
    monkeypatch.setattr(sorting, "LEAST_COUNTED", 1 if given == "digits" else 1 << 30)


def line_of(dtype: str) -> np.ndarray:
    generator = np.random.default_rng(3)
    if dtype in FLOATS:
        with np.errstate(all="ignore"):
            return np.append(generator.normal(0, 40, 14), EDGES).astype(np_dtype(dtype))
    info = np.iinfo(dtype)
    drawn = generator.integers(info.min, info.max, 14, dtype, endpoint=True)
    return np.append(drawn, np.array([0, 1, 1, info.min, info.max, info.max], dtype))


def order(line: np.ndarray, ascending: bool) -> np.ndarray:
    """Stable, NaN last."""
    if line.dtype.kind in "iu":
        return np.argsort(line if ascending else ~line, kind="stable")
    wide = line.astype("float64")
    return np.argsort(wide if ascending else -wide, kind="stable")


def bits(array: np.ndarray) -> np.ndarray:
    return array.view(f"u{array.dtype.itemsize}")


@pytest.mark.parametrize("way", WAYS, indirect=True)
@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize(
    "dtype",
    [
        pytest.param(
            dtype, marks=() if dtype in ("float32", "int8", "uint8") else pytest.mark.sweep
        )
        for dtype in NUMBERS
    ],
)
def test_lines(dtype: str, ascending: bool):
    """The elements to the bit: signs of zeros and the bits of NaN stay in the order they had."""
    line = line_of(dtype)
    x = te.placeholder(line.shape, dtype, "X")
    outputs = [
        topi.sort(x, is_ascend=ascending),
        topi.argsort(x, is_ascend=ascending, dtype="int32"),
    ]
    values, places = Program([x], [line], outputs).interpreted()
    wanted = order(line, ascending)
    np.testing.assert_array_equal(places, wanted)
    np.testing.assert_array_equal(bits(values), bits(line[wanted]))


@pytest.mark.parametrize("way", WAYS, indirect=True)
@pytest.mark.parametrize("axis", [0, 1])
def test_along_an_axis(axis: int):
    data = np.random.default_rng(0).integers(-5, 6, (7, 5)).astype("float32") / 2
    x = te.placeholder(data.shape, name="X")
    values, places = topi.topk(x, 4, axis, dtype="int32")
    both = Program([x], [data], [values, places]).interpreted()
    wanted = np.take(np.argsort(-data, axis, kind="stable"), range(4), axis)
    np.testing.assert_array_equal(both[1], wanted)
    np.testing.assert_array_equal(both[0], np.take_along_axis(data, wanted, axis))


def check(x: te.Tensor, data: np.ndarray, axis: int, ascending: bool, native: bool) -> None:
    """Sort and argsort of ``data``, to the bit."""
    outputs = [topi.sort(x, axis, ascending), topi.argsort(x, None, axis, ascending, "int64")]
    program = Program([x], [data], outputs)
    values, places = program.native() if native else program.interpreted()
    wide = data if data.dtype.kind in "iu" else data.astype("float64")
    wanted = np.argsort(wide if ascending else -wide, axis, kind="stable")
    np.testing.assert_array_equal(places, wanted)
    np.testing.assert_array_equal(bits(values), bits(np.take_along_axis(data, wanted, axis)))


def lines_of(dtype: str, *shape: int) -> np.ndarray:
    """Lines with equal elements; of floats, with zeros of both signs and NaN."""
    generator = np.random.default_rng(5)
    if dtype not in FLOATS:
        return generator.integers(-100, 100, shape).astype(dtype)
    drawn = generator.normal(0, 4, shape).round(1)
    special = generator.choice(EDGES, shape)
    return np.where(generator.random(shape) < 0.1, special, drawn).astype(np_dtype(dtype))


@pytest.mark.parametrize("way", ["network"], indirect=True)
@pytest.mark.parametrize(
    ("dtype", "size"),
    [
        ("float32", 300),  # a matrix of 32 rows in two passes, for the places of 64
        pytest.param("float16", 1500, marks=pytest.mark.sweep),
        pytest.param("int64", 700, marks=pytest.mark.sweep),  # places are parts of their own
        pytest.param("uint8", 5000, marks=pytest.mark.sweep),
        pytest.param("float64", 3000, marks=pytest.mark.sweep),
        pytest.param("float32", 9000, marks=pytest.mark.sweep),
    ],
)
def test_long_lines_by_a_network(dtype: str, size: int):
    data = lines_of(dtype, 2, size)
    check(te.placeholder(data.shape, dtype, "X"), data, 1, size % 2 == 0, native=True)


@pytest.mark.parametrize("way", ["network"], indirect=True)
@pytest.mark.parametrize("size", [2, 3, 7, 16, 17, 31, 40])
def test_short_lines_by_a_network(size: int):
    """Lines that fill vectors of fewer lanes, and vectors that overlap."""
    data = lines_of("float32", 2, size)
    check(te.placeholder(data.shape, "float32", "X"), data, 1, True, native=False)


@pytest.mark.parametrize("way", ["network"], indirect=True)
@pytest.mark.parametrize(
    ("dtype", "shape"),
    [
        ("float32", (11, 19)),
        pytest.param("float32", (40, 2, 19), marks=pytest.mark.sweep),
        pytest.param("int16", (13, 70), marks=pytest.mark.sweep),
    ],
)
def test_lines_side_by_side(dtype: str, shape: tuple[int, ...]):
    """As many as a vector has lanes, and the rest one after another."""
    data = lines_of(dtype, *shape)
    check(te.placeholder(shape, dtype, "X"), data, 0, False, native=True)


def test_sizes_that_the_call_tells(monkeypatch: pytest.MonkeyPatch):
    """Short lines are sorted by a network, longer ones by digits, in one program."""
    monkeypatch.setattr(sorting, "MOST_AT_CALL", 600)
    rows, size = te.var("rows"), te.var("size")
    x = te.placeholder((rows, size), name="X")
    sort = kc.build([x, topi.sort(x)])
    for length in (0, 1, 2, 15, 16, 17, 100, 256, 257, 600, 601, 3000):
        data = lines_of("float32", 2, length)
        values = np.empty_like(data)
        sort(data, values)
        wanted = np.take_along_axis(data, np.argsort(data, 1, kind="stable"), 1)
        np.testing.assert_array_equal(bits(values), bits(wanted))


@pytest.mark.parametrize("way", ["network"], indirect=True)
@pytest.mark.parametrize("selected", [False, True])
def test_few_of_a_long_line(selected: bool, monkeypatch: pytest.MonkeyPatch):
    """Fewer than a vector has lanes: of a network, or selected."""
    monkeypatch.setattr(sorting, "selection_is_faster", lambda order, keep: selected)
    data = lines_of("float32", 2, 300)
    x = te.placeholder(data.shape, name="X")
    values, places = Program([x], [data], topi.topk(x, 5, 1, dtype="int32")).native()
    wanted = np.argsort(-data, 1, kind="stable")[:, :5]
    np.testing.assert_array_equal(places, wanted)
    np.testing.assert_array_equal(bits(values), bits(np.take_along_axis(data, wanted, 1)))


@pytest.mark.parametrize("right", [False, True])
def test_searchsorted_in_sequences_of_all_sizes(right: bool):
    """With equal elements and NaN; the steps are the same for all values."""
    size = te.var("size")
    rows, x = te.placeholder((size,), name="rows"), te.placeholder((40,), name="x")
    search = kc.build([rows, x, topi.searchsorted(rows, x, right)])
    for length in (0, 1, 2, 3, 4, 5, 8, 9, 31, 32, 33):
        given = np.sort(lines_of("float32", length))
        values = lines_of("float32", 40)
        values[:length] = given[:40]
        wanted = np.searchsorted(given, values, "right" if right else "left")
        places = np.zeros(40, "int64")
        search(given, values, places)
        np.testing.assert_array_equal(places, wanted)
        fixed = te.placeholder((length,), name="rows")
        program = Program([fixed, x], [given, values], [topi.searchsorted(fixed, x, right)])
        np.testing.assert_array_equal(program.interpreted()[0], wanted)


@pytest.mark.parametrize("way", ["network"], indirect=True)
def test_targets_without_vectors_merge():
    """Statements of vectors are for CPUs, through LLVM; a module has both forms until it is built
    for one of them."""
    x = te.placeholder((3, 20), name="X")
    module = te.create_prim_func([x, topi.sort(x)])
    assert "vector<16xi32>" in str(module)
    assert "%width" not in kc.build(module, target="llvm").get_source("tir")
    source = kc.build(module, target="c").get_source()
    assert "takes_vectors" not in source
    assert "width" in source


@pytest.mark.parametrize("way", ["network"], indirect=True)
@pytest.mark.parametrize(("target", "steps"), [("llvm", True), ("c", False)])
def test_traces_of_default_schedules_give_the_same_loops(target: str, steps: bool):
    """They fit the form for the target: a schedule that is told which begins with it."""
    x = te.placeholder((300, 20), name="X")
    module = te.create_prim_func([x, topi.sort(topi.add(x, 1.0))])
    chosen = kc.auto_schedule(module, target)
    again = tir.Schedule(module, target=target)
    assert (len(chosen.trace) > 0) == steps
    trace = tir.Trace.from_python(chosen.trace.as_python())
    trace.apply_to(again)
    with Target(target):
        current = tir.Schedule(module)
        trace.apply_to(current)
        in_place = module.op.clone()
        trace.apply_to(in_place)
    assert str(again.mod) == str(current.mod) == str(chosen.mod)
    unmark(loop_tree.functions(in_place))
    assert str(kc.IRModule(in_place)) == str(chosen.mod)
    if steps:
        chosen.undo()
    assert "kc.takes_vectors" not in str(chosen.mod)
    assert "kc.takes_vectors" in str(tir.Schedule(module).mod)  # who knows what it is for


def test_natively_with_a_digit_that_all_share():
    """The upper digits of small numbers are one; those passes are left out."""
    data = np.random.default_rng(1).permutation(3000).astype("int64")
    x = te.placeholder(data.shape, "int64", "X")
    (values,) = Program([x], [data], [topi.sort(x)]).native()
    np.testing.assert_array_equal(values, np.arange(3000))


def test_values_of_topk_have_signs_and_nan_in_place():
    line = np.array([-0.0, 0.0, np.nan, 1.0, -0.0], "float32")
    x = te.placeholder(line.shape, name="X")
    values = topi.topk(x, 3, ret_type="values")
    (result,) = Program([x], [line], [values]).interpreted()
    np.testing.assert_array_equal(bits(result), bits(line[[3, 0, 1]]))


@pytest.mark.parametrize("way", ["network"], indirect=True)
def test_networks_as_text():
    """Of vectors, with lanes that are chosen and lanes that count: read back, the module is the
    same."""
    x = te.placeholder((2, 20), name="X")
    module = te.create_prim_func([x, topi.sort(x)])
    text = module.script(style="tvmscript")
    assert "T.Shuffle(" in text
    assert "T.Ramp(T.int32(0), T.int32(1), 16)" in text
    assert structural_equal(kc.script.from_source(text), module)
    shown = module.script(style="tvm")
    assert "shuffle([" in shown
    assert "reinterpret(" in shown
