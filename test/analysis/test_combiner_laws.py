"""Combiners of reductions: which satisfy the laws that schedules rely on, at every door."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc
from kc import script, te, tir

F, I8, I32 = "float32", "int8", "int32"
const = te.const


def zeros(*types: str) -> Any:
    return tuple(const(0, type_) for type_ in types)


def product(
    combine: Callable[..., Any],
    identity: Callable[..., Any],
    *types: str,
    init: Any = None,
    unsafe: bool = False,
) -> list[Any]:
    """The tensors of a reduction of eight terms."""
    given = [te.placeholder((4, 8), type_, name=f"A{n}") for n, type_ in enumerate(types)]
    k = te.reduce_axis((0, 8), name="k")
    reducer = te.comm_reducer(combine, identity, name="r", unsafe=unsafe)

    def element(i: Any) -> Any:
        terms = tuple(tensor[i, k] for tensor in given)
        return reducer(terms if len(types) > 1 else terms[0], axis=k, init=init)

    results = te.compute((4,), element, name="C")
    return [*given, *(results if isinstance(results, tuple | list) else [results])]


def refusal(action: Callable[[], Any]) -> str:
    with pytest.raises(kc.KCError) as caught:
        action()
    assert caught.value.code == "KC2046"
    return str(caught.value)


def log_add(x: Any, y: Any) -> Any:
    top = te.max(x, y)
    return top + te.log(te.exp(x - top) + te.exp(y - top))


def softmax(x: Any, y: Any) -> Any:
    top = te.max(x[0], y[0])
    return top, x[1] * te.exp(x[0] - top) + y[1] * te.exp(y[0] - top)


def welford(x: Any, y: Any) -> Any:
    count, delta = x[0] + y[0], y[1] - x[1]
    share = y[0].astype(F) / te.max(count, const(1, x[0].dtype)).astype(F)
    return (
        count,
        x[1] + delta * share,
        x[2] + y[2] + delta * delta * x[0].astype(F) * share,
    )


def first_largest(x: Any, y: Any) -> Any:
    """TVM's tutorials: of equal values, the one that comes first."""
    return te.Select(x[1] >= y[1], x[0], y[0]), te.Select(x[1] >= y[1], x[1], y[1])


def lowest_index(x: Any, y: Any) -> Any:
    better = te.any(x[1] > y[1], te.all(x[1] == y[1], x[0] < y[0]))
    return te.Select(better, x[0], y[0]), te.Select(better, x[1], y[1])


def plain_welford(x: Any, y: Any) -> Any:
    """Without a guard against parts of no number: 0 / 0."""
    count, delta = x[0] + y[0], y[1] - x[1]
    share = y[0] / count
    return count, x[1] + delta * share, x[2] + y[2] + delta * delta * x[0] * share


def best_two(x: Any, y: Any) -> Any:
    """The two largest values."""
    return te.max(x[0], y[0]), te.max(te.min(x[0], y[0]), te.max(x[1], y[1]))


def nowhere(index: str, value: str) -> Any:
    return const(-1, index), te.min_value(value)


LAWFUL: dict[str, tuple[Any, ...]] = {
    "sum": (lambda x, y: x + y, zeros, F),
    "bits": (lambda x, y: x ^ y, zeros, "uint8"),
    "parity": (lambda x, y: te.any(te.all(x, ~y), te.all(~x, y)), zeros, "bool"),
    "product of integers that wrap": (lambda x, y: x * y, lambda t: const(1, t), I8),
    # Exact in real numbers: (1 - (1-x)(1-y)).
    "either": (lambda x, y: x + y - x * y, zeros, F),
    "either of bf16": (lambda x, y: x + y - x * y, zeros, "bfloat16"),
    "norm": (lambda x, y: te.sqrt(x * x + y * y), zeros, F),
    "logarithm of a sum": (log_add, te.min_value, F),
    "logarithm of a sum of f16": (log_add, te.min_value, "float16"),
    "logarithm of a sum of f8": (log_add, te.min_value, "float8_e5m2"),
    "a maximum from 0": (lambda x, y: te.max(x, y), zeros, F),
    "a sum that stops at 255": (
        lambda x, y: te.min(x.astype("uint32") + y.astype("uint32"), 255).astype("uint8"),
        zeros,
        "uint8",
    ),
    "complex product": (
        lambda x, y: (x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]),
        lambda s, t: (const(1, s), const(0, t)),
        F,
        F,
    ),
    "argmax": (first_largest, nowhere, I32, F),
    "argmax of integers": (first_largest, nowhere, I32, I8),
    "argmax, lowest index": (lowest_index, nowhere, I32, F),
    "two largest": (best_two, lambda *t: tuple(map(te.min_value, t)), F, F),
    "softmax": (softmax, lambda s, t: (te.min_value(s), const(0, t)), F, F),
    "softmax from -inf": (softmax, lambda s, t: (const(-math.inf, s), const(0, t)), F, F),
    "logarithm of a sum from -inf": (log_add, lambda t: const(-math.inf, t), "float16"),
    "plain Welford": (plain_welford, zeros, F, F, F),
    "Welford": (welford, zeros, F, F, F),
    "Welford with integers": (welford, zeros, I32, F, F),
}


@pytest.mark.parametrize("name", LAWFUL)
def test_lawful_combiners_are_accepted(name: str):
    combine, identity, *types = LAWFUL[name]
    mod = te.create_prim_func(product(combine, identity, *types))
    assert "kc.unsafe" not in str(mod)
    kc.IRModule.parse(str(mod))


UNLAWFUL: dict[str, tuple[Any, ...]] = {
    # name: combiner, identity, types, what is wrong, the values that show it
    "difference": (
        lambda x, y: x - y, zeros, [F],
        "has an identity, 0, that changes values", "f(0, 3) = -3, not 3",
    ),
    "mean": (
        lambda x, y: (x + y) * 0.5, zeros, [F],
        "has an identity, 0, that changes values", "f(0, 3) = 1.5, not 3",
    ),
    "sum from 1": (
        lambda x, y: x + y, lambda t: const(1, t), [I8],
        "has an identity, 1, that changes values", "f(1, 3) = 4, not 3",
    ),
    "product from 0": (
        lambda x, y: x * y, zeros, [F],
        "has an identity, 0, that changes values", "f(0, 3) = 0, not 3",
    ),
    "sum of squares": (
        lambda x, y: x + y * y, zeros, [I32],
        "is not commutative", "f(3, 1) = 4, f(1, 3) = 10",
    ),
    "quotient": (
        lambda x, y: x / y, lambda t: const(1, t), ["float64"],
        "is not commutative", "f(3, -0.5) = -6, f(-0.5, 3) = -0.166667",
    ),
    "mean, rounded up": (
        lambda x, y: te.floordiv(x + y + 1, 2), zeros, [I32],
        "is not associative", "f(f(3, 1), 12) = 7, f(3, f(1, 12)) = 5",
    ),
    "the last that is not 0": (
        lambda x, y: te.Select(y != 0, y, x), zeros, [F],
        "is not commutative", "f(3, -0.5) = -0.5, f(-0.5, 3) = 3",
    ),
    "both means": (
        lambda x, y: ((x[0] + y[0]) / 2, x[1] + y[1]), zeros, [F, F],
        "has an identity, (0, 0), that changes values", "f((0, 0), (3, 3)) = (1.5, 3), not (3, 3)",
    ),
    "subtracted bytes": (
        lambda x, y: x - y, zeros, ["uint8"],
        "has an identity, 0, that changes values", "f(0, 3) = 253, not 3",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNLAWFUL)
def test_unlawful_combiners_are_refused_with_values_that_show_it(name: str):
    combine, identity, types, title, witness = UNLAWFUL[name]
    text = refusal(lambda: te.create_prim_func(product(combine, identity, *types))).splitlines()
    assert text[0] == f"error[KC2046]: the reducer r {title}"
    assert text[1].startswith(f"  --> {__file__}:")
    assert text[2:] == [
        f"  why: {witness}; schedules combine terms in any order, and in parts that start from the "
        "identity",
        "  try: unsafe=True if such values are never combined",
    ]


def test_integers_are_tried_at_their_limits():
    """A sum that stops at 100 and -100 is associative between them alone."""

    def stopping(x: Any, y: Any) -> Any:
        wide = x.astype("int64") + y.astype("int64")
        return te.max(te.min(wide, const(100, "int64")), const(-100, "int64")).astype(I32)

    assert "r is not associative" in refusal(
        lambda: te.create_prim_func(product(stopping, zeros, I32))
    )
    assert "r is not associative" in refusal(
        lambda: te.create_prim_func(
            product(lambda x, y: te.floormod(x + y, const(1000003, I32)), zeros, I32)
        )
    )


def test_an_identity_of_some_values_is_for_reductions_that_start_from_it():
    """The parts of a maximum from -5 would start from 0."""
    tensors = product(lambda x, y: te.max(x, y), zeros, F, init=const(-5.0, F))
    assert "f(0, -0.5) = 0, not -0.5" in refusal(lambda: te.create_prim_func(tensors))

    for way in ("plain", "rfactor", "vectorize"):
        a, c = product(lambda x, y: te.max(x, y), zeros, F)
        s = te.create_schedule(c.op)
        _, inner = s[c].split(c.op.reduce_axis[0], 4)
        if way == "rfactor":
            s.rfactor(c, inner)
        elif way == "vectorize":
            s[c].vectorize(inner)
        x = np.arange(-12, 20, dtype=F).reshape(4, 8)
        result = np.zeros(4, F)
        kc.build(s, [a, c])(x, result)
        np.testing.assert_array_equal(result, np.maximum(x.max(1), 0))


def softmax_from_infinity(terms: int, where: Any = None, unsafe: bool = False) -> list[Any]:
    """An online softmax whose identity combined with itself is NaN: rows, maxima, sums."""
    rows = te.placeholder((4, terms), F, name="A")
    k = te.reduce_axis((0, terms), name="k")
    reducer = te.comm_reducer(
        softmax, lambda s, t: (const(-math.inf, s), const(0, t)), name="r", unsafe=unsafe
    )
    results = te.compute(
        (4,), lambda i: reducer((rows[i, k], const(1.0, F)), axis=k, where=where and where(k))
    )
    return [rows, *results]


def check_softmax(built: Any, terms: int) -> None:
    rows = np.random.default_rng(0).standard_normal((4, terms)).astype(F)
    largest, total = np.zeros(4, F), np.zeros(4, F)
    built(rows, largest, total)
    np.testing.assert_array_equal(largest, rows.max(1))
    exact = np.exp(np.float64(rows) - rows.max(1, keepdims=True)).sum(1)
    np.testing.assert_allclose(total, exact, rtol=1e-5)


def test_parts_that_have_a_term_start_from_any_identity():
    """Also 5 terms in 3 parts: each has at least one."""
    for terms, parts in ((8, 1), (8, 4), (5, 3)):
        tensors = softmax_from_infinity(terms)
        sch = tir.Schedule(te.create_prim_func(tensors))
        block = sch.get_block(tensors[1].op.name)
        _, k = sch.get_loops(block)
        outer, inner = sch.split(k, [parts, None])
        if parts > 1:
            sch.rfactor(outer, 0)
        else:
            sch.reorder(inner, outer)
        check_softmax(kc.build(sch), terms)
    # What is chosen: on a GPU, no threads without terms either.
    for target in ("llvm", "cuda-emu"):
        check_softmax(kc.build(softmax_from_infinity(40), target=target), 40)
    s = te.create_schedule((tensors := softmax_from_infinity(8))[1].op)
    s.rfactor(tensors[1], s[tensors[1]].split(tensors[1].op.reduce_axis[0], 4)[0])
    check_softmax(kc.build(s, tensors), 8)


def test_parts_without_a_term_are_refused_where_they_are_not_defined():
    """Threads, lanes, and partial results: -inf - -inf is NaN."""
    nan = "f((-inf, 0), (-inf, 0)) = no number: parts of a reduction may be empty"
    finite = "te.min_value(dtype) instead of -inf"

    def scheduled(terms: int, where: Any = None) -> tuple[Any, ...]:
        tensors = softmax_from_infinity(terms, where)
        sch = tir.Schedule(te.create_prim_func(tensors))
        return sch, *sch.get_loops(sch.get_block(tensors[1].op.name))

    def refused(code: str, action: Callable[[], Any]) -> str:
        with pytest.raises(kc.KCError) as caught:
            action()
        assert caught.value.code == code
        assert nan in str(caught.value)
        return str(caught.value)

    sch, i, k = scheduled(8)
    sch.bind(i, "blockIdx.x")
    before = str(sch.mod)
    text = refused("KC3407", lambda: sch.bind(k, "threadIdx.x"))
    assert finite in text
    assert str(sch.mod) == before
    sch, _, k = scheduled(8)
    refused("KC3040", lambda: sch.vectorize(k))
    sch, _, k = scheduled(8, lambda k: k.var % 3 != 0)
    assert finite in refused("KC3331", lambda: sch.rfactor(k, 0))

    # Of 5 terms in 4 parts of 2, the last part has none.
    for where, terms in ((None, 5), (lambda k: k.var % 3 != 0, 8)):
        tensors = softmax_from_infinity(terms, where)
        s = te.create_schedule(tensors[1].op)
        s.rfactor(tensors[1], s[tensors[1]].split(tensors[1].op.reduce_axis[0], nparts=4)[0])
        text = refused("KC2046", lambda s=s, tensors=tensors: kc.lower(s, tensors))
        assert finite in text

    # Whoever vouches for it gets what was asked for.
    tensors = softmax_from_infinity(8, unsafe=True)
    sch = tir.Schedule(te.create_prim_func(tensors))
    i, k = sch.get_loops(sch.get_block(tensors[1].op.name))
    sch.bind(i, "blockIdx.x")
    sch.bind(k, "threadIdx.x")


def test_bound_threads_in_text_have_defined_empty_parts():
    """Threads that no primitive bound are refused if they are to combine their values."""
    sch = tir.Schedule(te.create_prim_func(softmax_from_infinity(8, unsafe=True)))
    i, k = sch.get_loops(next(iter(sch.get_child_blocks(sch.get_block("root")))))
    sch.bind(i, "blockIdx.x")
    sch.bind(k, "threadIdx.x")
    mark = ' {kc.unsafe = "the laws of r"}'
    assert mark in str(sch.mod)
    mod = kc.IRModule.parse(str(sch.mod).replace(mark, ""))
    with pytest.raises(kc.KCError) as caught:
        kc.build(mod, target="cuda-emu")
    assert caught.value.code == "KC4227"
    assert "f((-inf, 0), (-inf, 0)) = no number" in str(caught.value)


def test_what_the_user_vouches_for_is_marked_and_stays_so():
    mod = te.create_prim_func(product(lambda x, y: x - y, zeros, F, unsafe=True))
    mark = '{kc.unsafe = "the laws of r"}'
    assert mark in str(mod)
    again = kc.IRModule.parse(str(mod))
    assert str(again) == str(mod)
    assert "unsafe=True)" in mod.script(style="tvmscript")
    read = script.from_source(mod.script(style="tvmscript"))
    assert mark in str(read)
    # A combiner that needs no trust has no mark.
    mod = te.create_prim_func(product(lambda x, y: x + y, zeros, F, unsafe=True))
    assert "unsafe" not in str(mod)


def test_text_is_checked_where_it_is_read():
    """tir, and the same as TVMScript and as operations in their generic form; te."""
    mod = te.create_prim_func(product(lambda x, y: x - y, zeros, F, unsafe=True))
    mark = ' {kc.unsafe = "the laws of r"}'
    assert mark in str(mod)
    text = str(mod).replace(mark, "")
    assert "f(0, 3) = -3, not 3" in refusal(lambda: kc.IRModule.parse(text))
    scripted = mod.script(style="tvmscript").replace(", unsafe=True", "")
    assert "f(0, 3) = -3, not 3" in refusal(lambda: script.from_source(scripted))
    compute = """
te.func @f(%A: tensor<4x8xf32>) -> tensor<4xf32> {
  %C = te.compute "C" [%i = 4] reduce "r" [%k = 8] (%x: f32) (%y: f32) identity [0.0 : f32] {
    %z = arith.SUM %x, %y : f32
    te.yield %z : f32
  } do {
    %a = te.read %A[%i, %k] : tensor<4x8xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}
"""
    kc.IRModule.parse(compute.replace("SUM", "addf"))
    assert "f(0, 3) = -3, not 3" in refusal(
        lambda: kc.IRModule.parse(compute.replace("SUM", "subf"))
    )
    vouched = compute.replace("SUM", "subf").replace(
        "} do {", '} attributes {kc.unsafe = "so"} do {'
    )
    assert 'kc.unsafe = "so"' in str(kc.IRModule.parse(vouched))


def test_reducers_made_as_nodes_are_checked():
    x, y = te.var("x", F), te.var("y", F)
    a = te.placeholder((4, 8), name="A")
    k = te.reduce_axis((0, 8), name="k")
    reducer = tir.CommReducer([x], [y], [x - y], [const(0, F)])
    c = te.compute((4,), lambda i: tir.Reduce(reducer, [a[i, k]], [k], True, 0), name="C")
    assert "f(0, 3) = -3, not 3" in refusal(lambda: te.create_prim_func([a, c]))


def test_axes_and_sizes_that_a_combiner_uses_are_shown():
    a = te.placeholder((4, 8), name="A")
    k = te.reduce_axis((0, 8), name="k")
    c = te.compute(
        (4,),
        lambda i: te.comm_reducer(lambda x, y: te.max(x + y, i.astype(F)), zeros, name="r")(
            a[i, k], axis=k
        ),
    )
    assert " for i = " in refusal(lambda: te.create_prim_func([a, c]))


def test_ties_are_left_to_the_schedule_and_nothing_else():
    """The position of either of two equal maxima; the maximum itself is the same."""
    given = product(first_largest, nowhere, I32, F)
    values = np.tile(np.array([1, 5, 2, 5, 5, 0, 5, 3], F), (4, 1))
    places = np.tile(np.arange(8, dtype=I32), (4, 1))
    for inner_first in (False, True):
        s = te.create_schedule(given[2].op)
        outer, inner = s[given[2]].split(given[2].op.reduce_axis[0], 4)
        if inner_first:
            s[given[2]].reorder(inner, outer)
        index, value = np.zeros(4, I32), np.zeros(4, F)
        kc.build(s, given)(places, values, index, value)
        np.testing.assert_array_equal(value, np.full(4, 5, F))
        np.testing.assert_array_equal(values[np.arange(4), index], value)
        if not inner_first:
            np.testing.assert_array_equal(index, np.ones(4, I32))


def test_combiners_of_one_operation_and_choices_are_proven_without_values(
    monkeypatch: pytest.MonkeyPatch,
):
    from kc.analysis.reductions import combiner_laws

    monkeypatch.setattr(combiner_laws, "Trial", None)
    monkeypatch.setattr(combiner_laws, "_KNOWN", {})
    for name in ("sum", "bits", "product of integers that wrap", "argmax", "argmax of integers"):
        combine, identity, *types = LAWFUL[name]
        te.create_prim_func(product(combine, identity, *types))
    # The identity is a part of the proof.
    with pytest.raises(TypeError):
        te.create_prim_func(product(lambda x, y: x + y, lambda t: const(1, t), F))
    with pytest.raises(TypeError):
        te.create_prim_func(product(first_largest, zeros, I32, F))
