"""Raised programs of upstream's dialects compute what numpy does: in the interpreter, natively, and
after the schedules that bare flags make; and upstream's own tool accepts every input."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import optional_tools
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import kc
from kc.analysis.dominance import check_dominance
from kc.analysis.interpreter import run
from kc.conversion.raise_to_tir import RaiseToTirPass
from kc.dialects.linalg.definitions import DENSE_WINDOWS, NAMED
from kc.support import registry
from kc.support.diagnostics import KCError
from kc.support.locations import LocationParser

INPUTS = Path(__file__).parent / "raise_to_tir" / "Inputs"


def raised(text: str) -> ModuleOp:
    module = LocationParser(registry.context(), text, "k.mlir").parse_module()
    module.verify()
    RaiseToTirPass().apply(Context(), module)
    module.verify()
    check_dominance(module)
    left = {op.name.partition(".")[0] for op in module.walk()}
    assert not left & {"linalg", "affine", "tensor"}
    return module


def scheduled(module: ModuleOp) -> ModuleOp:
    copy = module.clone()
    for flag in ("split", "vectorize"):
        registry.get_pass(flag).apply(Context(), copy)
        copy.verify()
    return copy


def check(text: str, arguments: list[Any], expected: dict[int, Any], rtol: float = 1e-5) -> None:
    """Arguments after the call are ``expected``, by their numbers, at every level."""
    module = raised(text)
    symbol = next(op for op in module.body.ops).properties["sym_name"].data  # pyright: ignore
    levels: list[Callable[[list[Any]], Any]] = [
        lambda args: run(module, symbol, args),
        lambda args: kc.build(module)[symbol](*args),
        lambda args: kc.build(scheduled(module))[symbol](*args),
    ]
    for call in levels:
        args = [
            np.array(argument) if isinstance(argument, np.ndarray) else argument
            for argument in arguments
        ]
        call(args)
        for n, value in expected.items():
            np.testing.assert_allclose(args[n], value, rtol=rtol, atol=1e-5)


def out(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.full(shape, 77, dtype)


@pytest.fixture
def floats() -> Callable[..., np.ndarray]:
    random = np.random.default_rng(0)
    return lambda *shape: random.standard_normal(shape).astype(np.float32)


def read(name: str) -> str:
    return (INPUTS / f"{name}.mlir").read_text()


def test_mlp(floats: Any):
    x, w, b = floats(4, 8), floats(8, 16), floats(16)
    check(read("mlp"), [x, w, b, out(4, 16)], {3: np.maximum(x @ w + b, 0)})


def test_softmax(floats: Any):
    x = floats(5, 12)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    check(read("softmax"), [x, out(5, 12)], {1: e / e.sum(axis=1, keepdims=True)})


def convolved(x: np.ndarray, w: np.ndarray, stride: int, size: int) -> np.ndarray:
    y = np.zeros((x.shape[0], w.shape[0], size, size), np.float64)
    for i in range(size):
        for j in range(size):
            part = x[
                :, :, i * stride : i * stride + w.shape[2], j * stride : j * stride + w.shape[3]
            ]
            y[:, :, i, j] = np.einsum("nchw,fchw->nf", part, w)
    return y


def test_conv_bias_relu(floats: Any):
    x, w, b = floats(1, 3, 8, 8), floats(4, 3, 3, 3), floats(4)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    y = np.maximum(convolved(padded, w, 2, 4) + b[:, None, None], 0)
    check(read("conv_bias_relu"), [x, w, b, out(1, 4, 4, 4)], {3: y})


def test_layernorm(floats: Any):
    x, gamma, beta = floats(6, 16), floats(16), floats(16)
    mean, var = x.mean(axis=1, keepdims=True), x.var(axis=1, keepdims=True)
    y = (x - mean) / np.sqrt(var + 1e-5) * gamma + beta
    check(read("layernorm"), [x, gamma, beta, out(6, 16)], {3: y}, rtol=1e-4)


def test_attention(floats: Any):
    q, k = floats(7, 8), floats(7, 8)
    y = 0.5 * np.einsum("ihd,jhd->hij", q.reshape(7, 2, 4), k.reshape(7, 2, 4))
    check(read("attention"), [q, k, out(2, 7, 7)], {2: y})


@pytest.mark.parametrize(("n", "m", "k", "j"), [(2, 3, 4, 5), (1, 9, 17, 8), (3, 1, 0, 2)])
def test_batch_matmul_of_any_size(n: int, m: int, k: int, j: int, floats: Any):
    a, b = floats(n, m, k), floats(n, k, j)
    module = raised(read("batch_matmul_dynamic"))
    for stage in (module, scheduled(module)):
        y = out(n, m, j)
        kc.build(stage)["bmm"](a, b, y)
        np.testing.assert_allclose(y, a @ b, rtol=1e-5, atol=1e-5)


def test_sizes_must_agree(floats: Any):
    with pytest.raises(KCError, match="a_2"):
        kc.build(raised(read("batch_matmul_dynamic")))["bmm"](
            floats(2, 3, 4), floats(2, 5, 6), out(2, 3, 6)
        )


def test_quantized_convolution_and_pooling():
    random = np.random.default_rng(1)
    x = random.integers(-128, 128, (1, 6, 6, 2)).astype(np.int8)
    w = random.integers(-128, 128, (3, 3, 2, 4)).astype(np.int8)
    wide = x.astype(np.int32).transpose(0, 3, 1, 2), w.astype(np.int32).transpose(3, 2, 0, 1)
    t = convolved(*wide, 1, 4).transpose(0, 2, 3, 1).astype(np.int32)
    y = t.reshape(1, 2, 2, 2, 2, 4).sum(axis=(2, 4))
    window = np.zeros((2, 2), np.int32)
    t_out, y_out = out(1, 4, 4, 4, dtype=np.int32), out(1, 2, 2, 4, dtype=np.int32)
    check(read("pooling_quantized"), [x, w, t_out, window, y_out], {2: t, 4: y})


def test_affine_loops(floats: Any):
    a, b = floats(10, 12), floats(12, 9)
    c = a @ b
    check(read("affine_loops"), [a, b, out(10, 9), out(10)], {2: c, 3: c.sum(axis=1)}, 1e-4)


def test_affine_guards(floats: Any):
    a = floats(8, 8)
    b, d = out(8, 8), out(8)
    b[:, ::2] = a[:, ::2]
    b[0, ::2] = 0
    c = np.tril(a)
    c[7] = 0
    for i in range(1, 8, 3):
        d[i] = a[max(i - 2, 0), i // 2]
    check(read("affine_guards"), [a, out(8, 8), out(8, 8), out(8)], {1: b, 2: c, 3: d})


@pytest.mark.parametrize("n", [3, 12])
def test_scf_stencil(n: int, floats: Any):
    a, b, t = floats(n), floats(n), floats(8, 8)
    a2, b2, t2 = a.copy(), b.copy(), t.copy()
    b2[1:-1] = (a[:-2] + a[1:-1] + a[2:]) * np.float32(0.25)
    for i in range(8):
        for j in range(i):
            t2[i, j] = t2[j, i]
    for i in range(1, n):
        if i >= 8:
            b2[i] = b2[i - 1] + b2[i]
        else:
            a2[i] = 0.25
    check(read("scf_stencil"), [n, a, b, t], {1: a2, 2: b2, 3: t2})


def test_slices_gather_and_argmax(floats: Any):
    x, table = floats(4, 6), floats(10, 3)
    at = np.array([3, 0, 9, 3], np.int32)
    y = x.copy()
    y[0:4:2, 0:2] = x[1:3, 2:6:2] + np.array([1, 2], np.float32)
    outs = [out(4, 6), out(4, 3), out(24), out(4), out(4, dtype=np.int64)]
    expected = [y, table[at], x.ravel(), x.max(axis=1), x.argmax(axis=1)]
    check(read("slices_gather_argmax"), [x, table, at, *outs], dict(enumerate(expected, 3)))


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize(("low", "high"), [(-2, 2), (-1, 0), (-2, -1), (-1, 1), (0, 2)])
def test_loops_that_start_below_zero(low: int, high: int, step: int):
    """Variables of blocks do not: their domains begin at 0."""
    text = f"""
    func.func @f(%A: memref<4xf32>, %B: memref<6x6xf32>, %n: index) {{
      %x = arith.constant 3.0 : f32
      affine.for %i = {low} to {high} step {step} {{
        affine.store %x, %A[%i + 2] : memref<4xf32>
      }}
      affine.for %i = {low} to 2 {{
        affine.for %j = affine_map<(d0) -> (d0)>(%i) to 3 {{
          affine.store %x, %B[%i + 2, %j + 2] : memref<6x6xf32>
        }}
      }}
      affine.for %i = affine_map<(d0) -> (d0)>(%n) to {high} {{
        affine.store %x, %B[5, %i + 2] : memref<6x6xf32>
      }}
      return
    }}"""
    a, b = np.zeros(4, np.float32), np.zeros((6, 6), np.float32)
    a[[i + 2 for i in range(low, high, step)]] = 3
    for i in range(low, 2):
        b[i + 2, i + 2 : 5] = 3
    b[5, low + 2 : high + 2] = 3
    arguments = [np.zeros(4, np.float32), np.zeros((6, 6), np.float32), low]
    check(text, arguments, {0: a, 1: b})


def test_a_reduction_that_starts_anew(floats: Any):
    """A fill in a loop over parts of a reduction is for each part: the last one stays."""
    a = floats(8, 12)
    text = """
    func.func @f(%A: memref<8x12xf32>, %C: memref<8xf32>) {
      %zero = arith.constant 0.0 : f32
      affine.for %i = 0 to 8 {
        affine.for %o = 0 to 3 {
          affine.store %zero, %C[%i] : memref<8xf32>
          affine.for %k = affine_map<(d) -> (d * 4)>(%o) to affine_map<(d) -> (d * 4 + 4)>(%o) {
            %a = affine.load %A[%i, %k] : memref<8x12xf32>
            %c = affine.load %C[%i] : memref<8xf32>
            %s = arith.addf %a, %c : f32
            affine.store %s, %C[%i] : memref<8xf32>
          }
        }
      }
      return
    }"""
    check(text, [a, out(8)], {1: a[:, 8:].sum(axis=1)}, 1e-4)


@pytest.mark.parametrize("path", sorted(INPUTS.glob("*.mlir")), ids=lambda path: path.stem)
def test_upstream_accepts_the_inputs(path: Path):
    tool = optional_tools.find("mlir-opt")
    if tool is None:
        pytest.skip("no mlir-opt")
    for flag in ("-verify-each", "-mlir-print-op-generic"):
        done = subprocess.run([tool, flag, str(path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert str(raised(done.stdout)).count("tir.block") == str(raised(path.read_text())).count(
        "tir.block"
    )


# Named ops ------------------------------------------------------------------------------------

EXTENTS = dict(zip("bmnkacgfxyzijnc", (2, 3, 4, 5, 2, 3, 2, 3, 2, 3, 2, 2, 3, 4, 3), strict=True))


def named(name: str) -> tuple[str, list[tuple[int, ...]]]:
    """A function of a named op on i32 memrefs with strides and dilations, and its shapes."""
    definition = NAMED[name]
    windows = definition.window_letters
    count = len(windows)
    strides, dilations = [2, 1, 1][:count], [1, 2, 1][:count]
    if name in DENSE_WINDOWS:
        strides = dilations = [1] * count
    maps = definition.maps(strides, dilations)
    sizes = [EXTENTS[letter] for letter in definition.loops]
    ends = [size - 1 for size in sizes]
    shapes = [tuple(n + 1 for n in space.eval(ends, [])) for space in maps]
    types = [f"memref<{''.join(f'{n}x' for n in shape)}i32>" for shape in shapes]
    given = ", ".join(
        f"{key} = dense<{value}> : tensor<{count}xi64>"
        for key, value in (("dilations", dilations), ("strides", strides))
    )
    text = f"func.func @f(%a: {types[0]}, %b: {types[1]}, %c: {types[2]}) {{\n linalg.{name} "
    text += f"{{{given}}} " if count else ""
    text += f"ins(%a, %b : {types[0]}, {types[1]}) outs(%c : {types[2]})\n return\n}}"
    return text, shapes


@cache
def generalized(texts: tuple[str, ...]) -> dict[str, str]:
    """The output of one run of mlir-opt for each text; empty if mlir-opt does not read the text."""
    tool = optional_tools.find("mlir-opt")
    if tool is None:
        pytest.skip("no mlir-opt")
    command = [tool, "-linalg-generalize-named-ops", "-split-input-file"]
    done = subprocess.run(command, input="\n// -----\n".join(texts), capture_output=True, text=True)
    return dict(zip(texts, done.stdout.split("// -----\n"), strict=True))


@pytest.mark.parametrize("name", sorted(NAMED))
def test_named_ops_mean_what_upstream_says(name: str):
    """Upstream's own definition, generalized, computes the same."""
    text, shapes = named(name)
    theirs = generalized(tuple(named(op)[0] for op in sorted(NAMED)))[text]
    if not theirs.strip():
        pytest.skip("this mlir-opt has no such op")
    assert "linalg.generic" in theirs
    random = np.random.default_rng(0)
    arrays = [random.integers(-9, 9, shape).astype(np.int32) for shape in shapes]
    results = []
    for source in (text, theirs):
        args = [array.copy() for array in arrays]
        run(raised(source), "f", args)
        results.append(args[2])
    np.testing.assert_array_equal(results[0], results[1])
    assert (results[0] != arrays[2]).any()


ELEMENTWISE_CASES = [
    *((name, "f32", 1) for name in ("exp", "log", "abs", "ceil", "floor", "negf", "round", "sqrt")),
    *((name, "f32", 1) for name in ("rsqrt", "tanh", "erf", "reciprocal", "square", "copy")),
    *((name, "f32", 2) for name in ("add", "sub", "mul", "div", "max", "min", "powf")),
    *((name, "i32", 2) for name in ("add", "sub", "mul", "div", "div_unsigned", "max", "min")),
]


def elementwise(name: str, element: str, count: int) -> str:
    type_ = f"memref<3x4x{element}>"
    operands, types = ", ".join(["%a", "%b"][:count]), ", ".join([type_] * count)
    return (
        f"func.func @f(%a: {type_}, %b: {type_}, %c: {type_}) {{\n linalg.{name} "
        f"ins({operands} : {types}) outs(%c : {type_})\n return\n}}"
    )


@pytest.mark.parametrize(("name", "element", "count"), ELEMENTWISE_CASES)
def test_elementwise_ops_mean_what_upstream_says(name: str, element: str, count: int):
    text = elementwise(name, element, count)
    theirs = generalized(tuple(elementwise(*case) for case in ELEMENTWISE_CASES))[text]
    assert "linalg.generic" in theirs
    random = np.random.default_rng(0)
    dtype = np.float32 if element == "f32" else np.int32
    a, b = ((random.random((3, 4)) * 9 + 1).astype(dtype) for _ in range(2))
    results = []
    for source in (text, theirs):
        c = np.zeros((3, 4), dtype)
        run(raised(source), "f", [a, b, c])
        results.append(c)
    np.testing.assert_array_equal(results[0], results[1])
    assert results[0].any()


# Random linalg.generic ------------------------------------------------------------------------


@st.composite
def generics(draw: Any) -> tuple[str, list[np.ndarray], Any]:
    """A ``linalg.generic`` of up to three loops on integers, its arrays, and its meaning."""
    rank = draw(st.integers(1, 3))
    sizes = draw(st.lists(st.integers(1, 5), min_size=rank, max_size=rank))
    reduced = draw(st.lists(st.booleans(), min_size=rank, max_size=rank))
    loops = [f"d{n}" for n in range(rank)]
    order = draw(st.permutations(range(rank)))
    shapes, maps = [[sizes[n] for n in order]], [[loops[n] for n in order]]
    if draw(st.booleans()):
        some = [n for n in range(rank) if draw(st.booleans())]
        shapes.append([sizes[n] + (sizes[0] - 1 if n else 0) for n in some])
        maps.append([f"d{n} + d0" if n else "d0" for n in some])
    kept = draw(st.permutations([n for n in range(rank) if not reduced[n]]))
    shapes.append([sizes[n] for n in kept])
    maps.append([loops[n] for n in kept])
    seed = draw(st.integers(0, 99))
    random = np.random.default_rng(seed)
    arrays = [random.integers(-9, 9, shape).astype(np.int64) for shape in shapes]
    combine = draw(st.sampled_from(["addi", "muli", "maxsi", "subi"]))
    tensors = draw(st.booleans())
    fills = draw(st.booleans())
    kind = "tensor" if tensors else "memref"
    types = [f"{kind}<{''.join(f'{n}x' for n in shape)}i64>" for shape in shapes]
    space = ", ".join(loops)
    text_maps = ", ".join(f"affine_map<({space}) -> ({', '.join(indices)})>" for indices in maps)
    kinds = ", ".join('"reduction"' if is_reduced else '"parallel"' for is_reduced in reduced)
    names = [f"%a{n}" for n in range(len(shapes))]
    args = ", ".join(f"%x{n}: i64" for n in range(len(shapes)))
    last = len(shapes) - 1
    term = "%x0" if last == 1 else "%p"
    lines = [f"^bb0({args}):"]
    if last == 2:
        lines.append("%p = arith.muli %x0, %x1 : i64")
    lines += [f"%r = arith.{combine} %x{last}, {term} : i64", "linalg.yield %r : i64"]
    start = names[-1]
    before = ""
    if fills:
        before = "%c = arith.constant 2 : i64\n"
        result = f"%f = linalg.fill ins(%c : i64) outs({start} : {types[-1]}) -> {types[-1]}"
        before += result if tensors else f"linalg.fill ins(%c : i64) outs({start} : {types[-1]})"
        start = "%f" if tensors else start
    ins = f"ins({', '.join(names[:-1])} : {', '.join(types[:-1])}) outs({start} : {types[-1]})"
    generic = (
        f"linalg.generic {{indexing_maps = [{text_maps}], iterator_types = [{kinds}]}} {ins} {{\n"
        + "\n".join(lines)
        + "\n}"
    )
    signature = ", ".join(f"{name}: {type_}" for name, type_ in zip(names, types, strict=True))
    if tensors:
        text = (
            f"func.func @f({signature}) -> {types[-1]} {{\n{before}\n%y = {generic} -> {types[-1]}"
        )
        text += f"\nreturn %y : {types[-1]}\n}}"
    else:
        text = f"func.func @f({signature}) {{\n{before}\n{generic}\nreturn\n}}"
    expected = np.full_like(arrays[-1], 2) if fills else arrays[-1].copy()
    functions = {"addi": np.add, "muli": np.multiply, "maxsi": np.maximum, "subi": np.subtract}
    for point in np.ndindex(*sizes):
        values = dict(zip(loops, point, strict=True))
        places = [
            tuple(sum(values[part] for part in index.split(" + ")) for index in space_)
            for space_ in maps
        ]
        value = arrays[0][places[0]]
        if last == 2:
            value = value * arrays[1][places[1]]
        expected[places[-1]] = functions[combine](expected[places[-1]], value)
    if tensors:
        arrays.append(np.full_like(arrays[-1], 77))
    return text, arrays, expected


@examples(25)
@given(generics())
def test_random_generics(program: tuple[str, list[np.ndarray], Any]):
    text, arrays, expected = program
    check(text, arrays, {len(arrays) - 1: expected})
    tool = optional_tools.find("mlir-opt")
    if tool is not None:
        done = subprocess.run([tool], input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
