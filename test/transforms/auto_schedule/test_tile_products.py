"""Default schedules by tile registers (AMX): results on emulated registers, and the code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tile_emulator import Emulator, emulated_target, emulated_tiles, has_emulation

import kc
from kc import te
from kc.target import Target

needs_emulation = pytest.mark.skipif(not has_emulation(), reason="this CPU is none of x86-64")
GENERATOR = np.random.default_rng(5)
SAPPHIRE_RAPIDS = "llvm -mcpu=sapphirerapids -num-cores=1"


@pytest.fixture
def emulator(monkeypatch: pytest.MonkeyPatch) -> Iterator[Emulator]:
    with emulated_tiles(monkeypatch) as registers:
        yield registers


def numbers(dtype: str, *shape: int) -> np.ndarray:
    """Bytes, or small multiples of 1/8, whose sums of products are exact in any order."""
    if dtype == "bfloat16":
        return (GENERATOR.integers(-32, 32, shape) / 8).astype(ml_dtypes.bfloat16)
    low, high = (0, 256) if dtype == "uint8" else (-128, 128)
    return GENERATOR.integers(low, high, shape).astype(dtype)


def sums_of(dtype: str) -> str:
    return "float32" if dtype == "bfloat16" else "int32"


def product(
    shape: tuple[Any, Any, Any], a: str, b: str, *, columns: bool = False, batch: Any = 0
) -> list[Any]:
    """The tensors of C = A B, or A B^T where B is stored by ``columns``, perhaps of a batch."""
    m, n, k = shape
    outer = () if isinstance(batch, int) and not batch else (batch,)
    A = te.placeholder((*outer, m, k), a, name="A")
    B = te.placeholder((*outer, *((n, k) if columns else (k, n))), b, name="B")
    r, total = te.reduce_axis((0, k), name="k"), sums_of(a)

    def element(*index: Any) -> Any:
        *z, i, j = index
        right = B[(*z, j, r)] if columns else B[(*z, r, j)]
        return te.sum(A[(*z, i, r)].astype(total) * right.astype(total), axis=r)

    return [A, B, te.compute((*outer, m, n), element, name="C")]


def expected_product(a: np.ndarray, b: np.ndarray, *, columns: bool = False) -> np.ndarray:
    total = sums_of(str(a.dtype))
    right = np.swapaxes(b, -1, -2) if columns else b
    return a.astype(total) @ right.astype(total)


PRODUCTS = {
    "u8i8": ((64, 64, 128), "uint8", "int8", {}, "tdpbusd"),
    "i8u8": ((64, 64, 128), "int8", "uint8", {"columns": True}, "tdpbsud"),
    "u8u8": ((48, 96, 64), "uint8", "uint8", {}, "tdpbuud"),
    "i8i8-odd": ((100, 90, 100), "int8", "int8", {"columns": True}, "tdpbssd"),
    "i8i8-batch": ((50, 60, 70), "int8", "int8", {"batch": 3}, "tdpbssd"),
    "bf16": ((64, 64, 128), "bfloat16", "bfloat16", {}, "tdpbf16ps"),
    "bf16-odd": ((37, 61, 129), "bfloat16", "bfloat16", {"columns": True}, "tdpbf16ps"),
}


@needs_emulation
@pytest.mark.parametrize("name", PRODUCTS)
def test_product(name: str, emulator: Emulator):
    shape, a, b, layout, instruction = PRODUCTS[name]
    args = product(shape, a, b, **layout)
    f = kc.build(args, target=emulated_target())
    arrays = [
        numbers(dtype, *map(int, arg.shape)) for dtype, arg in zip((a, b), args, strict=False)
    ]
    expected = expected_product(*arrays, columns=layout.get("columns", False))
    result = np.zeros_like(expected)
    f(*arrays, result)
    np.testing.assert_array_equal(result, expected)
    assert emulator.counts[instruction] > 0
    assert emulator.counts["tilezero"] == emulator.counts["tilestored64"]
    # Once; threads that are the first ones at the same time may each ask.
    assert set(emulator.requests) == {(158, 0x1023, 18)}
    assert len(emulator.requests) <= emulator.threads


SYMBOLIC = {
    "u8i8-all": ("mnk", "uint8", "int8", {}, 1),
    "i8i8-all-columns": ("mnk", "int8", "int8", {"columns": True}, 2),
    "bf16-all": ("mnk", "bfloat16", "bfloat16", {"columns": True}, 2),
    "bf16-rows": ("m", "bfloat16", "bfloat16", {}, 1),
    "i8u8-columns": ("n", "int8", "uint8", {}, 2),
    "bf16-terms": ("k", "bfloat16", "bfloat16", {}, 1),
    "u8u8-batch": ("zm", "uint8", "uint8", {"batch": 3}, 2),
}
"""The sizes that are symbols, the types of A and B, their layout, the number of cores."""
SIZES = [(64, 64, 128), (37, 61, 129), (5, 90, 1), (1, 1, 70), (33, 7, 0)]


@needs_emulation
@pytest.mark.parametrize("name", SYMBOLIC)
def test_sizes_that_are_known_at_the_call_alone(name: str, emulator: Emulator):
    symbols, a, b, layout, cores = SYMBOLIC[name]
    known = dict(zip("mnk", SIZES[0], strict=True))
    m, n, k = (te.var(it) if it in symbols else known[it] for it in "mnk")
    batch = te.var("z") if "z" in symbols else 0
    args = product((m, n, k), a, b, **{**layout, "batch": batch})
    f = kc.build(args, target=emulated_target(cores))
    for sizes in SIZES:
        given = {**known, **{it: s for it, s in zip("mnk", sizes, strict=True) if it in symbols}}
        m, n, k = given.values()
        outer = (layout["batch"],) if "batch" in layout else ()
        columns = layout.get("columns", False)
        x, y = numbers(a, *outer, m, k), numbers(b, *outer, *((n, k) if columns else (k, n)))
        expected = expected_product(x, y, columns=columns)
        result = np.full_like(expected, 7)
        f(x, y, result)
        np.testing.assert_array_equal(result, expected)
    ran = sum(count for instruction, count in emulator.counts.items() if instruction[:3] == "tdp")
    assert ran > 4 * len(SIZES)


@needs_emulation
def test_registers_are_configured_once_for_a_chunk(emulator: Emulator):
    """A parallel loop has a configuration for each row of iterations that a thread runs, whatever
    the number of tiles; the iterations of a call are in about four such rows a thread."""
    target = emulated_target(cores=2)
    args = product((256, 640, 64), "int8", "int8")
    f = kc.build(args, target=target)
    assert "parallel" in f.get_source("tir")
    a, b = numbers("int8", 256, 64), numbers("int8", 64, 640)
    result = np.zeros((256, 640), "int32")
    for calls in (1, 2):
        f(a, b, result)
        np.testing.assert_array_equal(result, expected_product(a, b))
        assert calls <= emulator.counts["ldtilecfg"] <= calls * (4 * kc.runtime.num_threads() + 1)
    assert emulator.counts["tilerelease"] == emulator.counts["ldtilecfg"]
    assert emulator.counts["tilestored64"] == 2 * 16 * 40


@needs_emulation
def test_epilogue_is_done_with_the_tile(emulator: Emulator):
    """A bias, a shift, the rounding and the limits of bytes, on sums that no array has."""
    m, n, k = 64, 96, 256
    A, W, C = product((m, n, k), "uint8", "int8", columns=True)
    bias = te.placeholder((n,), "int32", name="bias")

    def finish(i: Any, j: Any) -> Any:
        scaled = (C[i, j] + bias[j]) >> 10
        return kc.tir.max(kc.tir.min(scaled, 127), -128).astype("int8")

    D = te.compute((m, n), finish, name="D")
    f = kc.build([A, W, bias, D], target=emulated_target())
    a, w = numbers("uint8", m, k), numbers("int8", n, k)
    b = GENERATOR.integers(-9999, 9999, n).astype("int32")
    result = np.zeros((m, n), "int8")
    f(a, w, b, result)
    sums = expected_product(a, w, columns=True) + b
    np.testing.assert_array_equal(result, np.clip(sums >> 10, -128, 127).astype("int8"))
    assert emulator.counts["tdpbusd"] == (m // 16) * (n // 16) * (k // 64)
    loops = f.get_source("tir")
    assert 'block "D"' in loops
    assert loops.index('block "D"') > loops.index("amx_store_16x16_i32_local")
    assert not re.search(rf'alloc "C" : memref<{m}x{n}xi32>', loops)  # sums of a tile alone


@needs_emulation
@pytest.mark.parametrize(
    ("shape", "layout", "cores"),
    [
        ((64, 128, 64), {}, 2),
        ((64, 96, 128), {"columns": True}, 1),
        ((32, 32, 32), {"batch": 4}, 2),
    ],
)
def test_operands_are_looked_at_while_they_are_packed(
    shape: tuple[int, int, int], layout: dict[str, Any], cores: int, emulator: Emulator
):
    """B comes from memory once: a loop looks at a tile and packs it. Each element counts."""
    args = product(shape, "bfloat16", "bfloat16", **layout)
    f = kc.build(args, target=emulated_target(cores))
    lines = f.get_source("tir").splitlines()
    looks = next(n for n, line in enumerate(lines) if 'tir.block "B_least_rf"' in line)
    packs = next(n for n, line in enumerate(lines) if 'tir.block "B_global' in line)
    assert packs > looks
    depth = min(len(line) - len(line.lstrip()) for line in lines[looks:packs] if line.strip())
    outside = [line for line in lines[:looks] if line.lstrip().startswith("tir.for")]
    assert depth > min(len(it) - len(it.lstrip()) for it in outside)  # a loop is around both
    a, b = (numbers("bfloat16", *map(int, arg.shape)) for arg in args[:2])
    a[a == 0], b[b == 0] = 1, 1
    result = np.zeros([int(it) for it in args[2].shape], np.float32)
    for place in (0, b.size // 2 + 1, b.size - 1, None):
        given = b.copy()
        if place is not None:
            given.reshape(-1)[place] = 1e-39
        emulator.counts.clear()
        f(a, given, result)
        expected = expected_product(a, given, columns=layout.get("columns", False))
        np.testing.assert_array_equal(result, expected)
        assert ("tdpbf16ps" in emulator.counts) is (place is None)


def by_constant_weights(dtype: str, rows: int, weights: np.ndarray) -> kc.IRModule:
    """C = A W^T of weights that are a constant of the module."""
    element, extended = ("bf16", "extf") if dtype == "bfloat16" else ("i8", "extsi")
    total, zero, kind = ("f32", "0.0", "f") if dtype == "bfloat16" else ("i32", "0", "i")
    n, k = weights.shape
    W, C = f"memref<{n}x{k}x{element}>", f"memref<{rows}x{n}x{total}>"
    return kc.IRModule.parse(f"""
    memref.global "private" constant @weights : {W} = dense<"0x{weights.tobytes().hex()}">
    func.func @main(%A: memref<{rows}x{k}x{element}>, %C: {C}) {{
      %W = memref.get_global @weights : {W}
      tir.for %i in {rows} {{ tir.for %j in {n} {{ tir.for %k in {k} {{
        tir.block "C" (spatial %v_i in {rows} = %i, spatial %v_j in {n} = %j,
                       reduce %v_k in {k} = %k) init {{
          %zero = arith.constant {zero} : {total}
          tir.store %zero, %C[%v_i, %v_j] : {C}
        }} do {{
          %a = tir.load %A[%v_i, %v_k] : memref<{rows}x{k}x{element}>
          %w = tir.load %W[%v_j, %v_k] : {W}
          %x = arith.{extended} %a : {element} to {total}
          %y = arith.{extended} %w : {element} to {total}
          %p = arith.mul{kind} %x, %y : {total}
          %c = tir.load %C[%v_i, %v_j] : {C}
          %s = arith.add{kind} %c, %p : {total}
          tir.store %s, %C[%v_i, %v_j] : {C}
        }}
      }} }} }}
      func.return
    }}""")


@needs_emulation
@pytest.mark.parametrize(
    ("dtype", "shape"), [("int8", (48, 64)), ("int8", (40, 100)), ("bfloat16", (40, 100))]
)
def test_constant_weights_are_packed_and_checked_when_building(
    dtype: str, shape: tuple[int, int], emulator: Emulator
):
    target, weights = emulated_target(), numbers(dtype, *shape)
    f = kc.build(
        kc.auto_schedule(by_constant_weights(dtype, 32, weights), target).mod, target=target
    )
    code = f.get_source("mlir")
    a = numbers(dtype, 32, shape[1])
    result = np.zeros((32, shape[0]), sums_of(dtype))
    f(a, result)
    np.testing.assert_array_equal(result, expected_product(a, weights, columns=True))
    words = 4 if dtype == "int8" else 2
    depth = 16 * words
    packed = f"x16x{words}x{'i8' if dtype == 'int8' else 'bf16'}>"
    columns, terms = -(-shape[0] // 16), -(-shape[1] // depth) * 16
    assert re.search(rf'"private" constant @\w+ : memref<{columns}x{terms}{packed}', code)
    assert not re.search(rf"memref.alloc\S* .*{packed}", code)
    if dtype == "int8":
        assert "@weights" not in code  # nothing reads them as they were
    else:
        assert re.search(r"constant @main_W_least : memref<i16> = dense<\d+>", code)
    assert sum(n for name, n in emulator.counts.items() if name.startswith("tdp")) > 0


@needs_emulation
def test_constant_weights_with_a_subnormal_number(emulator: Emulator):
    """A subnormal number found in the weights at build time sends every call to the second
    version.
    """
    weights = np.ones((64, 128), ml_dtypes.bfloat16)
    weights[3, 5] = 1e-39
    target = emulated_target()
    f = kc.build(
        kc.auto_schedule(by_constant_weights("bfloat16", 64, weights), target).mod, target=target
    )
    a = np.zeros((64, 128), ml_dtypes.bfloat16)
    a[:, 5] = 2.0**100
    result = np.zeros((64, 64), np.float32)
    f(a, result)
    np.testing.assert_array_equal(result, expected_product(a, weights, columns=True))
    assert result[0, 3] > 0
    assert "tdpbf16ps" not in emulator.counts


@pytest.mark.parametrize("cpu", ["sapphirerapids", "znver5"])
def test_the_first_version_is_scheduled_before_the_second(cpu: str):
    """The second one turns its sums by masked stores to C, of which nothing is then cached."""
    args = product((64, 512, 512), "bfloat16", "bfloat16", columns=True)
    chosen = kc.auto_schedule(args, target=Target(f"llvm -mcpu={cpu} -num-cores=2"))
    expected = "amx_sync_16x16x32_bf16" if cpu == "sapphirerapids" else "avx512_bf16_dot_16x2"
    assert expected in chosen.trace.as_python()


def convolution(
    layout: str, stride: int, padding: int, dtype: str
) -> tuple[list[Any], list[np.ndarray], np.ndarray]:
    """A 3 x 3 convolution of 14 x 14 pixels, 64 channels to 32: tensors, arrays, result."""
    size, channels, filters = 14 * stride, 64, 32
    whole = size + 2
    given = whole - 2 * padding
    total = sums_of(dtype)
    by_channels = layout == "NHWC"

    def at(n: Any, c: Any, y: Any, x: Any) -> Any:
        return (n, y, x, c) if by_channels else (n, c, y, x)

    X = te.placeholder(at(1, channels, given, given), dtype, name="X")
    shape = (3, 3, channels, filters) if by_channels else (filters, channels, 3, 3)
    W = te.placeholder(shape, dtype, name="W")
    P = X
    if padding:

        def padded(*index: Any) -> Any:
            n, y, x, c = index if by_channels else (index[0], index[2], index[3], index[1])
            inside = te.all(y >= 1, y < given + 1, x >= 1, x < given + 1)
            return te.if_then_else(inside, X[at(n, c, y - 1, x - 1)], te.const(0, dtype))

        P = te.compute(at(1, channels, whole, whole), padded, name="P")
    ry, rx, rc = (te.reduce_axis((0, n), name=f"r{n}") for n in (3, 3, channels))
    ry, rx = te.reduce_axis((0, 3), name="ry"), te.reduce_axis((0, 3), name="rx")

    def sums(*index: Any) -> Any:
        n, y, x, f = index if by_channels else (index[0], index[2], index[3], index[1])
        pixel = P[at(n, rc, y * stride + ry, x * stride + rx)]
        weight = W[ry, rx, rc, f] if by_channels else W[f, rc, ry, rx]
        return te.sum(pixel.astype(total) * weight.astype(total), axis=[rc, ry, rx])

    C = te.compute(at(1, filters, 14, 14), sums, name="C")
    x, w = numbers(dtype, *map(int, X.shape)), numbers(dtype, *shape)
    pixels = x.astype(total) if by_channels else x.transpose(0, 2, 3, 1).astype(total)
    if padding:
        pixels = np.pad(pixels, ((0, 0), (1, 1), (1, 1), (0, 0)))
    weights = (w if by_channels else w.transpose(2, 3, 1, 0)).astype(total)
    rows = range(0, size, stride)
    expected = sum(
        pixels[:, dy:][:, rows][:, :, dx:][:, :, rows] @ weights[dy, dx]
        for dy in range(3)
        for dx in range(3)
    )
    assert isinstance(expected, np.ndarray)
    return [X, W, C], [x, w], expected if by_channels else expected.transpose(0, 3, 1, 2)


@needs_emulation
@pytest.mark.parametrize(
    ("layout", "stride", "padding", "dtype"),
    [
        ("NHWC", 1, 0, "int8"),
        ("NHWC", 1, 1, "bfloat16"),
        ("NHWC", 2, 0, "uint8"),
        ("NCHW", 1, 1, "int8"),
        ("NCHW", 2, 0, "int8"),
    ],
)
def test_convolution(layout: str, stride: int, padding: int, dtype: str, emulator: Emulator):
    args, arrays, expected = convolution(layout, stride, padding, dtype)
    f = kc.build(args, target=emulated_target())
    result = np.zeros(expected.shape, expected.dtype)
    f(*arrays, result)
    np.testing.assert_array_equal(result, expected)
    products = sum(count for name, count in emulator.counts.items() if name.startswith("tdp"))
    depth = 64 if dtype == "bfloat16" else 32
    # Tiles of 14 or 7 pixels of a row: no multiplication is by zeros that were put in.
    assert products * 32 // depth * 14 // (14 * 14 * 9) in (2, 4)


@needs_emulation
def test_subnormal_numbers_are_multiplied_without_tiles(emulator: Emulator):
    """``tdpbf16ps`` takes them to be zero: 1e-39 times 2^100 would be lost."""
    shape = (64, 64, 128)
    f = kc.build(product(shape, "bfloat16", "bfloat16"), target=emulated_target())
    a, b = np.zeros((64, 128), ml_dtypes.bfloat16), np.ones((128, 64), ml_dtypes.bfloat16)
    a[3, 4], b[4] = 1e-39, 2.0**100
    result = np.zeros((64, 64), np.float32)
    f(a, b, result)
    assert float(a[3, 4]) > 0
    np.testing.assert_array_equal(result, expected_product(a, b))
    assert "tdpbf16ps" not in emulator.counts
    a[3, 4] = 1.0
    f(a, b, result)
    np.testing.assert_array_equal(result, expected_product(a, b))
    assert emulator.counts["tdpbf16ps"] == 64
    # What counts is the size of products.
    a[:], a[3, 4], b[:] = 0, 2.0**-100, 4.0
    f(a, b, result)
    np.testing.assert_array_equal(result, expected_product(a, b))
    assert emulator.counts["tdpbf16ps"] == 128
    b[:] = 2.0**-11
    f(a, b, result)
    np.testing.assert_array_equal(result, expected_product(a, b))
    assert emulator.counts["tdpbf16ps"] == 128


@needs_emulation
def test_saved_code_asks_for_the_registers_itself(emulator: Emulator, tmp_path: Path):
    args = product((64, 64, 128), "uint8", "int8")
    kc.build(args, target=emulated_target()).save(tmp_path / "product.o")
    f = kc.runtime.load_module(tmp_path / "product.o")
    a, b = numbers("uint8", 64, 128), numbers("int8", 128, 64)
    result = np.zeros((64, 64), "int32")
    f(a, b, result)
    np.testing.assert_array_equal(result, expected_product(a, b))
    assert emulator.requests == [(158, 0x1023, 18)]


def test_saved_code_is_refused_where_the_registers_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    from kc.backends import libraries, llvm_files
    from kc.codegen import native_target

    args = product((64, 64, 128), "uint8", "int8")
    kc.build(args, target=Target(SAPPHIRE_RAPIDS)).save(tmp_path / "product.o")
    monkeypatch.setattr(native_target, "tile_refusal", lambda: "the kernel is too old")
    for module in (libraries, llvm_files):
        monkeypatch.setattr(module, "check_machine_of", lambda records: None)
    with pytest.raises(kc.error.TargetError) as refusal:
        kc.runtime.load_module(tmp_path / "product.o")
    assert str(refusal.value) == (
        "error[KC6105]: this machine cannot run code with tile registers (AMX)\n"
        "  why: the kernel is too old\n"
        "  try: -mattr=-amx-tile compiles without them\n"
        "  try: compile it to assembly or to an object instead"
    )


REFUSED = """
import numpy as np, sys
sys.path.insert(0, {tests!r})
import kc, tile_emulator
from kc.codegen import native_target
from test_tile_products import product
native_target.check_runs_here = lambda machine: None
native_target.permit_tiles = lambda: None
f = kc.build(product((64, 64, 128), "uint8", "int8"), target=tile_emulator.emulated_target())
f(np.zeros((64, 128), "uint8"), np.zeros((128, 64), "int8"), np.zeros((64, 64), "int32"))
"""


@needs_emulation
@pytest.mark.skipif(
    Target.host_cpu().has_feature("amx-tile") or not sys.platform.startswith("linux"),
    reason="this machine gives tile registers, or is not asked for them",
)
def test_code_outside_of_python_says_that_it_is_refused():
    """The code itself asks, as it does in a C program, and ends the process with a line."""
    here = Path(__file__).resolve()
    code = REFUSED.format(tests=str(here.parents[2]))
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(here.parent)!r})\n{code}"],
        capture_output=True,
        text=True,
        env={**os.environ, "KC_NUM_THREADS": "1"},  # each thread that is refused has a line
    )
    assert done.returncode == -6
    assert done.stderr == "kc: the operating system gives this process no tile registers (AMX)\n"


def loops_with_tiles(assembly: str) -> list[list[str]]:
    """The instructions of the loops, from label to branch back, that multiply tiles."""
    bodies: list[list[str]] = []
    lines = [line.strip() for line in assembly.splitlines()]
    for at, line in enumerate(lines):
        branch = re.fullmatch(r"j\w+\s+(\.LBB\w+)", line)
        if branch is None or f"{branch[1]}:" not in lines[:at]:
            continue
        body = lines[lines.index(f"{branch[1]}:") : at]
        inner = any(re.match(r"j\w+\s", it) for it in body)
        if not inner and any(it.startswith("tdp") for it in body):
            bodies.append(body)
    return bodies


@pytest.mark.parametrize(("dtype", "instruction"), [("bfloat16", "tdpbf16ps"), ("int8", "tdpbssd")])
def test_sums_stay_in_registers_over_the_reduction(dtype: str, instruction: str):
    args = product((512, 512, 1024), dtype, dtype, columns=True)
    assembly = kc.build(args, target=Target(SAPPHIRE_RAPIDS)).get_source("asm")
    (body,) = loops_with_tiles(assembly)
    used = [line for line in body if "tmm" in line]
    names = [line.split()[0] for line in used]
    steps = names.count(instruction) // 4
    assert names.count(instruction) == 4 * steps > 0
    assert names.count("tileloadd") == 4 * steps  # two tiles of each operand
    assert len(names) == 8 * steps  # no sum is loaded, stored or moved
    sums = {line.rsplit("%", 1)[1] for line in used if line.startswith("tdp")}
    loaded = {line.rsplit("%", 1)[1] for line in used if line.startswith("tileloadd")}
    assert len(sums) == 4
    assert not sums & loaded
    between = assembly[assembly.index("ldtilecfg") : assembly.index("tilerelease")]
    assert "call" not in between


@pytest.mark.parametrize("features", ["-amx-tile", "-amx-bf16,-amx-int8"])
def test_features_are_switched_off(features: str):
    for dtype in ("int8", "bfloat16"):
        args = product((64, 64, 128), dtype, dtype)
        target = Target(f"llvm -mcpu=sapphirerapids -mattr={features}")
        assert "tmm" not in kc.build(args, target=target).get_source("asm")


@pytest.mark.parametrize("shape", [(1, 4096, 4096), (512, 3, 512), (8, 8, 8)])
def test_small_products_are_left_to_vectors(shape: tuple[int, int, int]):
    args = product(shape, "int8", "int8", columns=True)
    sch = kc.auto_schedule(args, target=Target(SAPPHIRE_RAPIDS))
    assert "amx_" not in sch.trace.as_python()


@needs_emulation
def test_both_products_of_an_attention(emulator: Emulator):
    """The second one multiplies what is computed of the first, rounded to bf16."""
    batch, queries, keys, width = 2, 64, 128, 64
    shapes = ((batch, queries, width), (batch, keys, width), (batch, keys, width))
    Q, K, V = (te.placeholder(it, "bfloat16", name=n) for n, it in zip("QKV", shapes, strict=True))
    d, j = te.reduce_axis((0, width), name="d"), te.reduce_axis((0, keys), name="j")
    f32, bf16 = "float32", "bfloat16"
    S = te.compute(
        (batch, queries, keys),
        lambda z, i, j: te.sum(Q[z, i, d].astype(f32) * K[z, j, d].astype(f32), axis=d),
        name="S",
    )
    scaled = te.compute(S.shape, lambda *i: S(*i) * te.const(width**-0.5, f32), name="scaled")
    P = kc.topi.nn.softmax(scaled, axis=-1)
    H = te.compute(S.shape, lambda *i: P(*i).astype(bf16), name="H")
    summed = te.compute(
        shapes[0],
        lambda z, i, e: te.sum(H[z, i, j].astype(f32) * V[z, j, e].astype(f32), axis=j),
        name="summed",
    )
    R = te.compute(shapes[0], lambda *i: summed(*i).astype(bf16), name="R")
    f = kc.build([Q, K, V, R], target=emulated_target())
    q, k, v = (GENERATOR.standard_normal(it).astype(ml_dtypes.bfloat16) for it in shapes)
    result = np.zeros(shapes[0], ml_dtypes.bfloat16)
    f(q, k, v, result)
    scores = q.astype(f32) @ k.astype(f32).transpose(0, 2, 1) * np.float32(width**-0.5)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    expected = weights.astype(ml_dtypes.bfloat16).astype(f32) @ v.astype(f32)
    np.testing.assert_allclose(result.astype(f32), expected, rtol=0, atol=2e-2)
    terms = batch * queries * keys * width * 2
    assert emulator.counts["tdpbf16ps"] == terms // (16 * 16 * 32)
