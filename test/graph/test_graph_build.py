"""Graphs as native functions: against numpy and the interpreter, in files, and what is refused."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import graph_programs as programs
import numpy as np
import pytest
from graph_programs import parsed

import kc
from kc.building import compile_cache
from kc.building.graphs import kernels
from kc.graph import Interpreter
from kc.support.diagnostics import CallError, GraphError

RNG = np.random.default_rng(0)


@pytest.fixture
def each_operator_alone() -> Iterator[None]:
    """Each operator is a kernel: nothing is fused."""
    with kc.transform.PassContext(disabled_pass=["FuseOps"]):
        yield


def array(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def network(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    """What :data:`programs.NETWORK` computes, in double precision."""
    scores = np.maximum(x.astype(float) @ w.T + b, 0)
    powers = np.exp(scores)
    return powers / powers.sum(-1, keepdims=True)


def outputs_of(function: object, *arrays: np.ndarray) -> list[np.ndarray]:
    result = function(*arrays)  # pyright: ignore
    return list(result) if isinstance(result, tuple) else [result]


TARGETS = ["llvm", "c"]


@pytest.mark.usefixtures("each_operator_alone")
@pytest.mark.parametrize("target", TARGETS)
def test_a_network_with_parameters(target: str) -> None:
    x, w, b = array(4, 8), array(16, 8), array(16)
    f = kc.graph.build(parsed(programs.NETWORK), target, params={"w": w, "b": b})
    np.testing.assert_allclose(f(x), network(x, w, b), rtol=1e-5)
    written = np.empty((4, 16), np.float32)
    f(x, written)
    np.testing.assert_array_equal(written, f(x))
    assert [kernel.operators for kernel in f.kernels.values()] == [
        ("nn.dense",), ("nn.bias_add",), ("nn.relu",), ("nn.softmax",),
    ]  # fmt: skip
    # bias_add and relu write in place, and softmax to the output.
    assert f.memory_plan.arena_bytes == f.memory_plan.live_peak_bytes == 4 * 16 * 4


def test_operators_are_fused() -> None:
    x, w, b = array(4, 8), array(16, 8), array(16)
    f = kc.graph.build(parsed(programs.NETWORK), params={"w": w, "b": b})
    np.testing.assert_allclose(f(x), network(x, w, b), rtol=1e-5)
    assert [kernel.operators for kernel in f.kernels.values()] == [
        ("nn.dense", "add", "nn.relu"), ("nn.softmax",),
    ]  # fmt: skip


def test_parameters_may_be_passed() -> None:
    x, w, b = array(4, 8), array(16, 8), array(16)
    f = kc.build(parsed(programs.NETWORK))
    np.testing.assert_allclose(f(x, w, b), network(x, w, b), rtol=1e-5)


def test_the_elements_of_parameters_are_no_text() -> None:
    w = array(16, 8)
    f = kc.graph.build(parsed(programs.NETWORK), params={"w": w})
    first = repr(float(w[0, 0]))[:6]
    assert first not in f.get_source("tir")
    assert "external constant [16 x [8 x float]]" in f.get_source("ll")
    assert "graph.nn.dense" in f.get_source("graph")


MODULE_OF_NETWORK = """
import sys
import numpy as np
from kc.runtime import load_module
assert "kc.building.graphs.compiled_graph" not in sys.modules
f = load_module(sys.argv[1])
np.save(sys.argv[3], f(np.load(sys.argv[2])))
assert "kc.driver" not in sys.modules and "kc.graph" not in sys.modules
"""


def test_files_are_loaded_by_another_process(tmp_path: Path) -> None:
    x, w, b = array(4, 8), array(16, 8), array(16)
    f = kc.graph.build(parsed(programs.NETWORK), params={"w": w, "b": b})
    f.save(tmp_path / "net.o")
    f.export_library(tmp_path / "net.so")
    np.save(tmp_path / "x.npy", x)
    for name in ("net.o", "net.so"):
        arguments = [str(tmp_path / each) for each in (name, "x.npy", "y.npy")]
        subprocess.run([sys.executable, "-c", MODULE_OF_NETWORK, *arguments], check=True)
        np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), f(x))


def test_c_compiles_without_warnings(tmp_path: Path) -> None:
    w, b = array(16, 8), array(16)
    for text in (programs.NETWORK, programs.TUPLES, programs.LOOP, SLICES):
        params = {"w": w, "b": b} if text is programs.NETWORK else {}
        f = kc.graph.build(parsed(text), "c", params=params)
        f.save(tmp_path / "net.c")
        f.save_header(tmp_path / "net.h")
        flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"]
        source = ["-c", str(tmp_path / "net.c"), "-o", str(tmp_path / "net.o")]
        subprocess.run([os.environ.get("CC", "cc"), *flags, *source], check=True)


SLICES = """
graph.func @main(%x: tensor<4x16xf32>, %y: tensor<2x16xf32>) -> tuple<tensor<6x16xf32>, tensor<16x4xf32>, tensor<2x16xf32>> {
  %0 = graph.exp(%x) : (MAT) -> MAT
  %1 = graph.tanh(%y) : (tensor<2x16xf32>) -> tensor<2x16xf32>
  %2 = graph.concatenate(%0, %1) <axis = 0> : (MAT, tensor<2x16xf32>) -> tensor<6x16xf32>
  %3 = graph.reshape(%x) <newshape = [16, 4]> : (MAT) -> tensor<16x4xf32>
  %4 = graph.negative(%3) : (tensor<16x4xf32>) -> tensor<16x4xf32>
  %p = graph.split(%2) <indices_or_sections = [3, 5], axis = 0> : (tensor<6x16xf32>) -> tuple<tensor<3x16xf32>, tensor<2x16xf32>, tensor<1x16xf32>>
  %5 = graph.tuple_get_item %p[1] : tuple<tensor<3x16xf32>, tensor<2x16xf32>, tensor<1x16xf32>>
  %6 = graph.sqrt(%5) : (tensor<2x16xf32>) -> tensor<2x16xf32>
  %t = graph.tuple(%2, %4, %6) : tensor<6x16xf32>, tensor<16x4xf32>, tensor<2x16xf32>
  graph.return %t : tuple<tensor<6x16xf32>, tensor<16x4xf32>, tensor<2x16xf32>>
}
"""  # noqa: E501


@pytest.mark.usefixtures("each_operator_alone")
@pytest.mark.parametrize("target", TARGETS)
def test_views_and_parts_cost_no_kernel(target: str) -> None:
    x, y = np.abs(array(4, 16)), np.abs(array(2, 16))
    f = kc.graph.build(parsed(SLICES), target)
    assert sorted(kernel.operators for kernel in f.kernels.values()) == [
        ("exp",), ("negative",), ("sqrt",), ("tanh",),
    ]  # fmt: skip
    assert f.memory_plan.arena_bytes == 0
    joined, turned, part = f(x, y)
    expected = np.concatenate([np.exp(x.astype(float)), np.tanh(y.astype(float))])
    np.testing.assert_allclose(joined, expected, rtol=1e-5)
    np.testing.assert_array_equal(turned, -x.reshape(16, 4))
    np.testing.assert_allclose(part, np.sqrt(expected[3:5]), rtol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("condition", [True, False])
def test_branches(target: str, condition: bool) -> None:
    a, b = array(2), array(2)
    f = kc.graph.build(parsed(programs.TUPLES), target)
    first, second = f(a, b, np.array(condition))
    np.testing.assert_array_equal(first, a)
    np.testing.assert_array_equal(second, a - b if condition else b)


@pytest.mark.parametrize("target", TARGETS)
def test_loops(target: str) -> None:
    f = kc.graph.build(parsed(programs.LOOP), target)
    for count in (0, 1, 7):
        doubled, left = f(np.array(1.5, np.float32), np.array(count, np.int32))
        assert (float(doubled), int(left)) == (1.5 * 2**count, 0)


SWAP = """
graph.func @main(%a: VEC, %b: VEC, %n: tensor<si32>) -> tuple<VEC, VEC, tensor<si32>> {
  %e = graph.exp(%a) : (VEC) -> VEC
  %s = graph.tuple(%e, %b, %n) : VEC, VEC, tensor<si32>
  %r = graph.while (%t = %s) -> tuple<VEC, VEC, tensor<si32>> {
    %i = graph.tuple_get_item %t[2] : tuple<VEC, VEC, tensor<si32>>
    %zero = graph.constant dense<0> : tensor<si32>
    %more = graph.greater(%i, %zero) : (tensor<si32>, tensor<si32>) -> tensor<i1>
    graph.yield %more : tensor<i1>
  } do (%u) {
    %p = graph.tuple_get_item %u[0] : tuple<VEC, VEC, tensor<si32>>
    %q = graph.tuple_get_item %u[1] : tuple<VEC, VEC, tensor<si32>>
    %j = graph.tuple_get_item %u[2] : tuple<VEC, VEC, tensor<si32>>
    %one = graph.constant dense<1> : tensor<si32>
    %k = graph.subtract(%j, %one) : (tensor<si32>, tensor<si32>) -> tensor<si32>
    %f = graph.add(%p, %e) : (VEC, VEC) -> VEC
    %v = graph.tuple(%q, %f, %k) : VEC, VEC, tensor<si32>
    graph.yield %v : tuple<VEC, VEC, tensor<si32>>
  }
  graph.return %r : tuple<VEC, VEC, tensor<si32>>
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_what_a_loop_carries_may_change_places(target: str) -> None:
    a, b = array(2), array(2)
    f = kc.graph.build(parsed(SWAP), target)
    first, second, _ = f(a, b, np.array(3, np.int32))
    e = np.exp(a.astype(float))
    p, q = e, b.astype(float)
    for _ in range(3):
        p, q = q, p + e
    np.testing.assert_allclose(first, p, rtol=1e-5)
    np.testing.assert_allclose(second, q, rtol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
def test_functions_that_are_values_are_followed(target: str) -> None:
    x, z = array(2), array(2)
    f = kc.graph.build(parsed(programs.FUNCTIONS), target)
    np.testing.assert_allclose(f(x, z), -(x - (x - x * z * z)), rtol=1e-5, atol=1e-6)


NAMED = """
graph.func @main(%x: INTO, %w: tensor<16x8xf32>) -> tuple<TALL, ROWS> {
  %0 = graph.nn.dense(%x, %w) : (INTO, tensor<16x8xf32>) -> ROWS
  %1 = graph.exp(%0) : (ROWS) -> ROWS
  %2 = graph.nn.softmax(%1) : (ROWS) -> ROWS
  %3 = graph.concatenate(%0, %2) <axis = 0> : (ROWS, ROWS) -> TALL
  %t = graph.tuple(%3, %1) : TALL, ROWS
  graph.return %t : tuple<TALL, ROWS>
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_sizes_with_names(target: str) -> None:
    f = kc.graph.build(parsed(NAMED), target)
    for rows in (1, 3, 17):
        x, w = array(rows, 8) / 4, array(16, 8) / 4
        product = x.astype(float) @ w.T
        powers = np.exp(product)
        soft = np.exp(powers) / np.exp(powers).sum(-1, keepdims=True)
        whole, part = f(x, w)
        np.testing.assert_allclose(part, powers, rtol=1e-5)
        np.testing.assert_allclose(whole, np.concatenate([product, soft]), rtol=1e-5, atol=1e-6)


@pytest.mark.usefixtures("each_operator_alone")
def test_offsets_are_expressions_of_the_names() -> None:
    f = kc.graph.build(parsed(programs.DEEP))
    assert str(f.memory_plan.arena_bytes) == "128 * n"
    assert f.memory_plan.at({"n": 5}).arena_bytes == 640
    x = array(5, 16)
    np.testing.assert_allclose(f(x), Interpreter(parsed(programs.DEEP)).run(x), rtol=1e-5)
    # Softmax is one kernel, however often it is called.
    assert [kernel.operators for kernel in f.kernels.values()] == [("nn.softmax",), ("add",)]


GROUPED = """
graph.func @main(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>) -> MAT {
  %0 = graph.call @dense_bias_relu(%x, %w, %b) : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> MAT
  %1 = graph.call @scaled(%0) : (MAT) -> MAT
  %2 = graph.call @again(%1) : (MAT) -> MAT
  %3 = graph.call @softmax(%2) : (MAT) -> MAT
  graph.return %3 : MAT
}
graph.func private @dense_bias_relu(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>) -> MAT attributes {primitive} {
  %0 = graph.nn.dense(%x, %w) : (tensor<4x8xf32>, tensor<16x8xf32>) -> MAT
  %1 = graph.nn.bias_add(%0, %b) <axis = -1> : (MAT, tensor<16xf32>) -> MAT
  %2 = graph.nn.relu(%1) : (MAT) -> MAT
  graph.return %2 : MAT
}
graph.func private @scaled(%x: MAT) -> MAT attributes {primitive} {
  %c = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.multiply(%x, %c) : (MAT, tensor<f32>) -> MAT
  graph.return %0 : MAT
}
graph.func private @again(%y: MAT) -> MAT attributes {primitive} {
  %d = graph.constant dense<0.5> : tensor<f32>
  %z = graph.multiply(%y, %d) : (MAT, tensor<f32>) -> MAT
  graph.return %z : MAT
}
graph.func private @softmax(%x: MAT) -> MAT attributes {primitive} {
  %0 = graph.nn.softmax(%x) : (MAT) -> MAT
  graph.return %0 : MAT
}
"""  # noqa: E501


@pytest.mark.parametrize("target", TARGETS)
def test_groups_are_kernels_and_equal_ones_are_one(target: str) -> None:
    x, w, b = array(4, 8), array(16, 8), array(16)
    f = kc.graph.build(parsed(GROUPED), target)
    assert [kernel.operators for kernel in f.kernels.values()] == [
        ("nn.dense", "add", "nn.relu"), ("multiply",), ("nn.softmax",),
    ]  # fmt: skip
    scores = np.maximum(x.astype(float) @ w.T + b, 0) / 4
    powers = np.exp(scores)
    np.testing.assert_allclose(f(x, w, b), powers / powers.sum(-1, keepdims=True), rtol=1e-5)


def test_calls_at_the_same_time_share_no_memory() -> None:
    text = (
        programs.NETWORK.replace("4x", "64x")
        .replace("16x8", "64x8")
        .replace("MAT", "tensor<64x64xf32>")
        .replace("tensor<16xf32>", "tensor<64xf32>")
    )
    f = kc.graph.build(parsed(text))
    w, b = array(64, 8), array(64)
    inputs = [array(64, 8) for _ in range(8)]
    expected = [f(x, w, b) for x in inputs]
    assert int(f.memory_plan.arena_bytes) >= 4096  # pyright: ignore  # it is kept from call to call

    def calls(n: int) -> bool:
        return all(np.array_equal(f(inputs[n], w, b), expected[n]) for _ in range(300))

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(calls, range(8)))


SHARED_VALUES = """
graph.func @main(%x: VEC) -> tuple<VEC, VEC, VEC, VEC> {
  %c = graph.constant dense<[1.0, 2.0]> : VEC
  %0 = graph.exp(%x) : (VEC) -> VEC
  %t = graph.tuple(%0, %0, %x, %c) : VEC, VEC, VEC, VEC
  graph.return %t : tuple<VEC, VEC, VEC, VEC>
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_results_that_no_kernel_computes_are_copied(target: str) -> None:
    x = array(2)
    first, second, same, constant = kc.graph.build(parsed(SHARED_VALUES), target)(x)
    np.testing.assert_allclose(first, np.exp(x), rtol=1e-6)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(same, x)
    np.testing.assert_array_equal(constant, [1, 2])


def test_a_wrong_shape_names_the_input_and_both_shapes() -> None:
    f = kc.graph.build(parsed(programs.NETWORK))
    with pytest.raises(CallError) as caught:
        f(array(4, 8), array(16, 9), array(16))
    assert str(caught.value) == (
        "error[KC5108]: main: argument 2 'w' has size 9 in dimension 1, expected 8\n"
        "   |  came: numpy.ndarray float32[16, 9]\n"
        "   |  expected: w: float32[16, 8]"
    )


REFUSED = [
    ({"W": array(16, 8)}, "KC2450", "@main has no argument W for the parameter of this name"),
    (
        {"w": array(8, 16)},
        "KC2450",
        "the parameter w is float32[8, 16], but @main takes float32[16, 8]",
    ),
    (
        {"b": np.zeros(16)},
        "KC2450",
        "the parameter b is float64[16], but @main takes float32[16]",
    ),
]


@pytest.mark.parametrize(("params", "code", "message"), REFUSED)
def test_parameters_that_do_not_fit(params: dict[str, object], code: str, message: str) -> None:
    with pytest.raises(GraphError) as caught:
        kc.graph.build(parsed(programs.NETWORK), params=params)
    assert (caught.value.code, caught.value.message) == (code, message)


def test_recursion_has_no_static_order() -> None:
    with pytest.raises(GraphError) as caught:
        kc.graph.build(parsed(programs.RECURSION))
    assert caught.value.code == "KC2448"
    assert caught.value.message == "@main calls itself, so it has no static order"


def test_graphs_are_for_cpus() -> None:
    with pytest.raises(GraphError, match="KC2451.*built for cuda"):
        kc.graph.build(parsed(programs.NETWORK), "cuda")


def test_a_size_without_a_name() -> None:
    text = """
graph.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = graph.exp(%x) : (tensor<?xf32>) -> tensor<?xf32>
  graph.return %0 : tensor<?xf32>
}
"""
    with pytest.raises(GraphError, match="KC2447.*cannot be compiled: a value is"):
        kc.graph.build(parsed(text))


def test_a_product_of_names_as_an_argument() -> None:
    text = """
graph.func @main(%x: tensor<?xf32, #graph.dims<"n * m">>) -> tensor<?xf32, #graph.dims<"n * m">> {
  %0 = graph.exp(%x) : (tensor<?xf32, #graph.dims<"n * m">>) -> tensor<?xf32, #graph.dims<"n * m">>
  graph.return %0 : tensor<?xf32, #graph.dims<"n * m">>
}
"""
    with pytest.raises(GraphError, match="KC2449.*x has the size"):
        kc.graph.build(parsed(text))


def test_a_second_build_takes_kernels_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compile_cache, "source_state", lambda: "as it was")
    x, w, b = array(4, 8), array(16, 8), array(16)
    first = kc.graph.build(parsed(GROUPED))

    def refuse(*_: object) -> object:
        raise AssertionError("a group is scheduled again")

    with monkeypatch.context() as patched:
        patched.setattr(kernels, "_scheduled", refuse)
        patched.setattr(kernels, "group_tensors", refuse)
        second = kc.graph.build(parsed(GROUPED), params={"b": b})
        assert second.memory_plan.arena_bytes == first.memory_plan.arena_bytes
        np.testing.assert_array_equal(second(x, w), first(x, w, b))
        second.export_library(tmp_path / "net.so")
        with pytest.raises(AssertionError, match="scheduled again"):  # another group
            kc.graph.build(parsed(GROUPED.replace("0.5", "0.25")))
    np.testing.assert_array_equal(
        kc.runtime.load_module(tmp_path / "net.so")(x, w),  # pyright: ignore
        first(x, w, b),
    )
    # Loops are made again where they are asked for.
    assert "tir.for" in second.get_source("tir")
    # A kernel without a schedule is another one.
    monkeypatch.setattr(kernels, "_scheduled", refuse)
    with kc.transform.PassContext(disabled_pass=["auto-schedule"]):
        with pytest.raises(AssertionError, match="scheduled again"):
            kc.graph.build(parsed(GROUPED))


def test_kernels_with_the_names_of_library_functions() -> None:
    text = GROUPED.replace("@softmax", "@exp").replace("@scaled", "@kc_alloc")
    x, w, b = array(4, 8), array(16, 8), array(16)
    expected = kc.graph.build(parsed(GROUPED))(x, w, b)
    for target in TARGETS:
        f = kc.graph.build(parsed(text), target)
        np.testing.assert_allclose(f(x, w, b), expected, rtol=1e-5)


def _killed(process: subprocess.Popen[str]) -> list[None]:
    process.kill()
    process.communicate()
    return []


@pytest.mark.slow
def test_groups_are_compiled_in_several_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    x, w, b = array(4, 8), array(16, 8), array(16)
    expected = kc.graph.build(parsed(GROUPED))(x, w, b)
    lowered: list[str] = []
    scheduled = kernels._scheduled  # pyright: ignore[reportPrivateUsage]

    def noting(tensors: kernels.GroupTensors, target: object) -> object:
        lowered.append(tensors.outputs[0].name)
        return scheduled(tensors, target)  # pyright: ignore

    monkeypatch.setattr(kernels, "_scheduled", noting)
    monkeypatch.setattr(kernels.kernel_worker, "FEWEST", 1)
    monkeypatch.setattr(kernels.os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    f = kc.graph.build(parsed(GROUPED))
    np.testing.assert_array_equal(f(x, w, b), expected)
    # Of the dense layer and softmax, the worker has one; the product by 0.5 is elementwise.
    assert len(lowered) == 2
    # What a worker cannot do is done here.
    monkeypatch.setattr(kernels.kernel_worker, "finish", _killed)
    g = kc.graph.build(parsed(GROUPED))
    np.testing.assert_array_equal(g(x, w, b), expected)
    assert len(lowered) == 2 + 3


def test_names_that_a_kernel_takes_as_equal_are_checked_at_the_call() -> None:
    n, m = ('tensor<?xf32, #graph.dims<"n">>', 'tensor<?xf32, #graph.dims<"m">>')
    text = f"""
    graph.func @main(%x: {n}, %y: {m}) -> {n} {{
      %s = graph.nn.softmax(%x) : ({n}) -> {n}
      %r = graph.add(%s, %y) : ({n}, {m}) -> {n}
      graph.return %r : {n}
    }}
    """
    compiled = kc.graph.build(parsed(text))
    x, y = np.zeros(4, "f"), np.arange(4, dtype="f")
    np.testing.assert_allclose(compiled(x, y), y + 0.25)
    for count in (3, 5):
        with pytest.raises(CallError, match="takes m to be n"):
            compiled(x, np.zeros(count, "f"))


def test_what_a_kernel_requires_is_in_the_names_of_the_function() -> None:
    """2 * n and n are equal for n = 0 alone."""
    twice, n = (f'tensor<?xf32, #graph.dims<"{size}">>' for size in ("2 * n", "n"))
    text = f"""
    graph.func private @sum(%x: {twice}, %y: {n}) -> {twice} {{
      %r = graph.add(%x, %y) : ({twice}, {n}) -> {twice}
      graph.return %r : {twice}
    }}
    graph.func @main(%x: {twice}, %y: {n}) -> {twice} {{
      %r = graph.call @sum(%x, %y) : ({twice}, {n}) -> {twice}
      graph.return %r : {twice}
    }}
    """
    compiled = kc.graph.build(parsed(text))
    assert compiled(np.zeros(0, "f"), np.zeros(0, "f")).shape == (0,)
    with pytest.raises(CallError, match="KC5132"):
        compiled(np.zeros(4, "f"), np.zeros(2, "f"))


def test_a_product_of_names_inside_of_a_function() -> None:
    """The size n * n of a kernel's result is told by the result alone, so it is not in place."""
    square = 'tensor<?x?xf32, #graph.dims<"n", "n">>'
    flat = 'tensor<?xf32, #graph.dims<"n * n">>'
    text = f"""
    graph.func @main(%x: {square}) -> {square} {{
      %0 = graph.nn.softmax(%x) : ({square}) -> {square}
      %1 = graph.reshape(%0) <newshape = [-1]> : ({square}) -> {flat}
      %2 = graph.cos(%1) : ({flat}) -> {flat}
      %3 = graph.nn.softmax(%2) : ({flat}) -> {flat}
      %4 = graph.add(%3, %2) : ({flat}, {flat}) -> {flat}
      %5 = graph.reshape_like(%4, %x) : ({flat}, {square}) -> {square}
      graph.return %5 : {square}
    }}
    """
    x = np.linspace(0, 1, 9, dtype="f").reshape(3, 3)
    with kc.transform.PassContext(opt_level=0):
        compiled = kc.graph.build(parsed(text))
    np.testing.assert_allclose(compiled(x), Interpreter(parsed(text)).run(x), rtol=1e-5)
