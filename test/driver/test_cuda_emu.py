"""target="cuda-emu": kernels run on this CPU, and compute what numpy does."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import kc
from kc import te, tir
from kc.runtime import load_module

TARGET = "cuda-emu -arch=sm_80"


def axis(name: str) -> Any:
    return te.thread_axis(name)


def product(n: int, tile: int = 16, threads: int = 4, dtype: str = "float32") -> tuple[Any, Any]:
    """A product of matrices by tiles in shared memory."""
    A, B = (te.placeholder((n, n), dtype, name=name) for name in "AB")
    k = te.reduce_axis((0, n), name="k")
    C = te.compute((n, n), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C.op)
    shared = [s.cache_read(tensor, "shared", [C]) for tensor in (A, B)]
    local = s.cache_write(C, "local")
    by, yi = s[C].split(s[C].op.axis[0], tile)
    bx, xi = s[C].split(s[C].op.axis[1], tile)
    ty, yi = s[C].split(yi, nparts=threads)
    tx, xi = s[C].split(xi, nparts=threads)
    s[C].reorder(by, bx, ty, tx, yi, xi)
    names = ("blockIdx.y", "blockIdx.x", "threadIdx.y", "threadIdx.x")
    for loop, name in zip((by, bx, ty, tx), names, strict=True):
        s[C].bind(loop, axis(name))
    s[local].compute_at(s[C], tx)
    ko, ki = s[local].split(s[local].op.reduce_axis[0], 8)
    s[local].reorder(ko, ki, *s[local].op.axis)
    for stage in shared:
        s[stage].compute_at(s[local], ko)
        fused = s[stage].fuse(*s[stage].op.axis)
        _, part = s[stage].split(fused, threads * threads)
        ty, tx = s[stage].split(part, threads)
        s[stage].bind(ty, axis("threadIdx.y"))
        s[stage].bind(tx, axis("threadIdx.x"))
    return s, [A, B, C]


def sums(rows: int, columns: int, threads: int) -> tuple[Any, Any]:
    """Each block sums a row."""
    A = te.placeholder((rows, columns), name="A")
    k = te.reduce_axis((0, columns), name="k")
    B = te.compute((rows,), lambda i: te.sum(A[i, k], axis=k), name="B")
    s = te.create_schedule(B.op)
    _, inner = s[B].split(B.op.reduce_axis[0], threads)
    s[B].bind(B.op.axis[0], axis("blockIdx.x"))
    s[B].bind(inner, axis("threadIdx.x"))
    return s, [A, B]


def random(*shape: int, dtype: str = "float32") -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("n", [16, 40, 64])
def test_a_product_by_tiles(n: int):
    s, args = product(n)
    module = kc.build(s, args, target=TARGET)
    a, b, c = random(n, n), random(n, n), np.zeros((n, n), "float32")
    module(a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)
    report = kc.gpu.check(module, a, b, c)
    assert report.ok, str(report)
    # Two barriers for each part of k, but one less at the end or the start.
    blocks = -((-n // 16) ** 2)
    assert report.barriers % blocks == 0


@pytest.mark.parametrize("threads", [8, 32, 48, 128])
def test_reductions_over_threads(threads: int):
    """Parts of a warp, a warp, and several, the last of them with lanes that do not exist."""
    s, args = sums(5, 300, threads)
    module = kc.build(s, args, target=TARGET)
    a, b = random(5, 300), np.zeros(5, "float32")
    report = kc.gpu.check(module, a, b)
    assert report.ok, str(report)
    np.testing.assert_allclose(b, a.sum(axis=1), rtol=1e-4, atol=1e-5)
    b[:] = 0
    module(a, b)
    np.testing.assert_allclose(b, a.sum(axis=1), rtol=1e-4, atol=1e-5)


def test_reductions_over_numbers_of_threads_that_a_call_gives():
    """The greatest of a matrix with its place, over threads along y and x: of ties any place."""
    rows, columns = te.var("rows"), te.var("columns")
    A = te.placeholder((rows, columns), name="A")
    i, j = te.reduce_axis((0, rows), name="i"), te.reduce_axis((0, columns), name="j")
    greatest = te.comm_reducer(
        lambda x, y: tuple(tir.Select(x[1] >= y[1], x[n], y[n]) for n in (0, 1)),
        lambda place, value: (tir.const(-1, place), te.min_value(value)),
    )
    place, value = te.compute(
        (1,), lambda _: greatest((i.var * 100 + j.var, A[i, j]), axis=[i, j]), name="greatest"
    )
    s = te.create_schedule(place.op)
    s[place].bind(i, te.thread_axis("threadIdx.y"))
    s[place].bind(j, te.thread_axis("threadIdx.x"))
    function = kc.build(s, [A, place, value], target="cuda-emu")
    for shape in ((1, 1), (3, 5), (7, 33)):
        numbers = np.random.default_rng(1).permutation(np.prod(shape)).reshape(shape)
        at, largest = np.zeros(1, "int32"), np.zeros(1, "float32")
        report = kc.gpu.check(function, numbers.astype("float32"), at, largest)
        assert report.ok, str(report)
        row, column = divmod(numbers.argmax(), shape[1])
        assert (at[0], largest[0]) == (row * 100 + column, numbers.max())


def test_halves_are_computed_as_a_gpu_does():
    s, args = product(16, dtype="float16")
    a, b = random(16, 16, dtype="float16"), random(16, 16, dtype="float16")
    c = np.zeros((16, 16), "float16")
    kc.build(s, args, target=TARGET)(a, b, c)
    expected = (a.astype("float32") @ b.astype("float32")).astype("float16")
    np.testing.assert_allclose(c, expected, rtol=2e-2, atol=2e-2)


def test_sizes_that_are_arguments():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    block, thread = s[B].split(B.op.axis[0], 32)
    s[B].bind(block, axis("blockIdx.x"))
    s[B].bind(thread, axis("threadIdx.x"))
    module = kc.build(s, [A, B], target=TARGET)
    for size in (0, 1, 31, 32, 100):
        a, b = random(size), np.zeros(size, "float32")
        report = kc.gpu.check(module, a, b)
        assert report.ok
        np.testing.assert_array_equal(b, a + 1)


def test_kernels_get_copies_of_constant_tables(monkeypatch: pytest.MonkeyPatch):
    numbers = np.arange(100, dtype="float32") ** 2
    text = f"""
      func.func @f(%x: tensor<100xf32>) -> tensor<100xf32> {{
        %c = arith.constant dense<{numbers.tolist()}> : tensor<100xf32>
        %y = arith.addf %x, %c : tensor<100xf32>
        return %y : tensor<100xf32>
      }}
    """
    target = "cuda -arch=sm_80"
    module = kc.build(kc.auto_schedule(kc.IRModule.parse(text), target=target), target=target)
    monkeypatch.setenv("KC_CUDA", "emu")
    x = random(100)
    for _ in range(2):
        y = module(kc.nd.array(x, kc.cuda(0)))
        np.testing.assert_array_equal(y.numpy(), x + numbers)


def test_programs_that_say_cuda(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KC_CUDA", "emu")
    s, args = sums(3, 64, 32)
    module = kc.build(s, args, target="cuda -arch=sm_80")
    a = random(3, 64)
    sums_of_rows = module(kc.nd.array(a, kc.cuda(0)))
    np.testing.assert_allclose(sums_of_rows.numpy(), a.sum(axis=1), rtol=1e-5, atol=1e-5)
    (kernels,) = module.imported_modules
    monkeypatch.delenv("KC_CUDA")
    on_device = kc.build(s, args, target="cuda -arch=sm_80")
    assert kernels.get_source() == on_device.imported_modules[0].get_source()
    assert module.get_source("cuda") == on_device.get_source("cuda")
    emulated = kc.build(s, args, target=TARGET)  # has the same code to be read
    assert emulated.imported_modules[0].get_source() == kernels.get_source()
    assert emulated.get_source("ptx") == kernels.get_source()


@pytest.mark.parametrize(
    "kind",
    [
        "o",
        "ll",
        "mlir",
        pytest.param("so", marks=pytest.mark.skipif(not shutil.which("cc"), reason="no cc")),
    ],
)
def test_files_have_the_emulator_in_them(kind: str, tmp_path: Path):
    s, args = sums(3, 64, 32)
    module = kc.build(s, args, target=TARGET)
    path = tmp_path / f"sums.{kind}"
    module.export_library(path) if kind == "so" else module.save(path)
    a, b = random(3, 64), np.zeros(3, "float32")
    load_module(path)(a, b)
    np.testing.assert_allclose(b, a.sum(axis=1), rtol=1e-5, atol=1e-5)


def test_every_barrier_of_a_product_is_needed():
    """Without any one of its barriers the kernel has a race, and with all of them none."""
    from kc.conversion.pipelines import TO_EMULATOR
    from kc.support.registry import context, get_pass

    s, args = product(32)
    with kc.target.Target(TARGET):
        module = kc.lower(s, args)
        for name in TO_EMULATOR[: TO_EMULATOR.index("gpu-serialize-threads")]:
            if isinstance(name, str):
                get_pass(name).apply(context(), module.op)
    lines = str(module).splitlines()
    barriers = [n for n, line in enumerate(lines) if line.strip() == "gpu.barrier"]
    assert len(barriers) == 2
    a, b, c = random(32, 32), random(32, 32), np.zeros((32, 32), "float32")
    assert kc.gpu.check("\n".join(lines), a, b, c).ok
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)
    for barrier in barriers:
        report = kc.gpu.check("\n".join([*lines[:barrier], *lines[barrier + 1 :]]), a, b, c)
        assert "race" in {finding.kind for finding in report.findings}


VECTORS = """
func.func @main(%A: memref<2x64xf32>, %B: memref<2x64xf32>) {
  tir.for %b in 1 thread "blockIdx.x" {
    %S = tir.alloc "S" : memref<2x64xf32, "shared">
    tir.for %t in 2 thread "threadIdx.x" {
      %L = tir.alloc "L" : memref<64xf32, "local">
      tir.for %i in 64 {
        %0 = tir.load %A[%t, %i] : memref<2x64xf32>
        tir.store %0, %L[%i] : memref<64xf32, "local">
      }
      tir.for %i in 64 {
        %1 = tir.load %L[63 - %i] : memref<64xf32, "local">
        tir.store %1, %S[%t, %i] : memref<2x64xf32, "shared">
      }
      tir.for %i in 64 {
        %2 = tir.load %S[1 - %t, %i] : memref<2x64xf32, "shared">
        %3 = tir.load %L[%i] : memref<64xf32, "local">
        %4 = arith.addf %2, %3 : f32
        tir.store %4, %B[%t, %i] : memref<2x64xf32>
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("level", range(4))
def test_memory_of_a_thread_is_aligned_for_vectors(level: int):
    """It is in the coroutine, and LLVM stores vectors of 64 bytes to it."""
    with kc.transform.PassContext(opt_level=level):
        module = kc.build(kc.IRModule.parse(VECTORS), target=TARGET)
    a = random(2, 64)
    for _ in range(8):
        b = np.zeros((2, 64), "float32")
        module(a, b)
        np.testing.assert_array_equal(b, a[::-1, ::-1] + a)


def test_arrays_and_timing_on_the_device():
    """Its memory is that of the CPU: host arrays are taken as they are."""
    device = kc.device("cuda-emu", 0)
    assert kc.runtime.enabled(TARGET)
    s, args = sums(4, 64, 32)
    module = kc.build(s, args, target=TARGET)
    a, b = random(4, 64), kc.nd.empty((4,), "float32", device)
    module(kc.nd.array(a, device), b)
    np.testing.assert_allclose(b.numpy(), a.sum(axis=1), rtol=1e-5, atol=1e-5)
    assert module.time_evaluator("main", device, number=2)(a, np.zeros(4, "float32")).mean > 0


def test_memory_of_a_warp():
    """Each row of threads has its own."""
    text = """
    func.func @main(%A: memref<3x40xf32>) {
      tir.for %b in 1 thread "blockIdx.x" {
        tir.for %y in 3 thread "threadIdx.y" {
          %W = tir.alloc "W" : memref<8xf32, "warp">
          tir.for %k in 5 {
            tir.for %x in 8 thread "threadIdx.x" {
              %0 = tir.load %A[%y, %k * 8 + %x] : memref<3x40xf32>
              tir.store %0, %W[%x] : memref<8xf32, "warp">
            }
            tir.for %x in 8 thread "threadIdx.x" {
              %1 = tir.load %W[7 - %x] : memref<8xf32, "warp">
              tir.store %1, %A[%y, %k * 8 + %x] : memref<3x40xf32>
            }
          }
        }
      }
      func.return
    }
    """
    module = kc.build(kc.IRModule.parse(text), target=TARGET)
    a = random(3, 40)
    expected = a.reshape(3, 5, 8)[:, :, ::-1].reshape(3, 40)
    report = kc.gpu.check(module, a)
    assert report.ok, str(report)
    np.testing.assert_array_equal(a, expected)


def staged(dtype: str, n: Any) -> tuple[Any, Any]:
    """A sum of two vectors, one of them by way of shared memory."""
    A, B = (te.placeholder((n,), dtype, name=name) for name in "AB")
    if dtype == "bool":
        C = te.compute((n,), lambda i: te.all(A[i], B[i]), name="C")
    else:
        C = te.compute((n,), lambda i: A[i] + B[i], name="C")
    s = te.create_schedule(C.op)
    S = s.cache_read(A, "shared", [C])
    block, thread = s[C].split(C.op.axis[0], 32)
    s[S].compute_at(s[C], block)
    _, inner = s[S].split(S.op.axis[0], 32)
    s[C].bind(block, axis("blockIdx.x"))
    s[C].bind(thread, axis("threadIdx.x"))
    s[S].bind(inner, axis("threadIdx.x"))
    return s, [A, B, C]


@pytest.mark.parametrize(
    "dtype",
    ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float64", "int8", "uint8", "bool"],
)
def test_types_of_elements(dtype: str):
    """With sizes that are known at the call, and tails."""
    s, args = staged(dtype, te.var("n"))
    module = kc.build(s, args, target=TARGET)
    kind = getattr(ml_dtypes, dtype, dtype)
    for size in (1, 33):
        draw = np.random.default_rng(size)
        a, b = (draw.integers(0, 2 if dtype == "bool" else 4, size).astype(kind) for _ in range(2))
        expected = a & b if dtype == "bool" else (a.astype("float64") + b.astype("float64"))
        for run in (module, lambda *arrays: kc.gpu.check(module, *arrays)):
            c = np.zeros(size, kind)
            report = run(a, b, c)
            assert report is None or report.ok, str(report)
            np.testing.assert_array_equal(c.astype("float64"), expected.astype("float64"))


def test_arrays_with_strides_are_watched():
    """An element is where the strides say, and the last one is inside."""
    A = te.placeholder((8, 32), name="A")
    B = te.compute((8, 32), lambda i, j: A[i, j] + 1.0, name="B")
    s = te.create_schedule(B.op)
    s[B].bind(B.op.axis[0], axis("blockIdx.x"))
    s[B].bind(B.op.axis[1], axis("threadIdx.x"))
    rows = kc.tir.decl_buffer((8, 32), "float32", name="A", strides=[40, 1])
    module = kc.build(s, [A, B], target=TARGET, binds={A: rows})
    a, b = random(8, 40)[:, :32], np.zeros((8, 32), "float32")
    report = kc.gpu.check(module, a, b)
    assert report.ok, str(report)
    np.testing.assert_array_equal(b, a + 1)
    # Rows of 32 numbers are four sectors, in both arrays.
    assert [site.transactions for site in report.sites] == [32, 32]


ATOMICS = """
func.func @main(%A: memref<128xi32>, %H: memref<8xi32>, %M: memref<1xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %first = arith.muli %bx, %sx : index
    %i = arith.addi %first, %tx : index
    %x = memref.load %A[%i] : memref<128xi32>
    %k = arith.index_cast %x : i32 to index
    %0 = memref.atomic_rmw addi %one, %H[%k] : (i32, memref<8xi32>) -> i32
    %1 = memref.atomic_rmw maxs %x, %M[%c0] : (i32, memref<1xi32>) -> i32
    gpu.terminator
  }
  return
}
"""


def test_atomic_updates():
    """Threads and blocks count and compare in the same elements; a plain update would be a race."""
    module = kc.build(kc.IRModule.parse(ATOMICS), target=TARGET)
    a = np.random.default_rng(0).integers(0, 8, 128).astype("int32")
    for run in (module, lambda *arrays: kc.gpu.check(module, *arrays)):
        counts, most = np.zeros(8, "int32"), np.full(1, -1, "int32")
        report = run(a, counts, most)
        assert report is None or report.ok, str(report)
        np.testing.assert_array_equal(counts, np.bincount(a, minlength=8))
        assert most[0] == a.max()
    compiled = kc.build(kc.IRModule.parse(ATOMICS), target="cuda -arch=sm_80")
    ptx = compiled.imported_modules[0].get_source()
    assert ptx.count("atom.") + ptx.count("red.") == 2


DIVISIONS = ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui")


@pytest.mark.parametrize("type_", ["i32", "vector<2xi32>"])
def test_divisions_that_have_no_result(type_: str):
    """Of zero and of the lowest number by -1, which end a process on this CPU."""
    element, lanes = "memref<7x8xi32>", 2 if type_.startswith("vector") else 1
    arrays = "%A: memref<8xi32>, %B: memref<8xi32>, %Q: memref<7x8xi32>"
    load, store = ("vector.load", "vector.store") if lanes == 2 else ("memref.load", "memref.store")
    source = f" : memref<8xi32>, {type_}" if lanes == 2 else " : memref<8xi32>"
    target = f" : {element}, {type_}" if lanes == 2 else f" : {element}"
    steps = "\n".join(
        f"""%n{n} = arith.constant {n} : index
        %q{n} = arith.{name} %a, %b : {type_}
        {store} %q{n}, %Q[%n{n}, %i]{target}"""
        for n, name in enumerate(DIVISIONS)
    )
    text = f"""func.func @main({arrays}) {{
      %one = arith.constant 1 : index
      %lanes = arith.constant {lanes} : index
      %threads = arith.constant {8 // lanes} : index
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
          threads(%t, %ty, %tz) in (%sx = %threads, %sy = %one, %sz = %one) {{
        %i = arith.muli %t, %lanes : index
        %a = {load} %A[%i]{source}
        %b = {load} %B[%i]{source}
        {steps}
        gpu.terminator
      }}
      return
    }}"""
    low = np.iinfo(np.int32).min
    a = np.array([7, -7, low, low, 0, 100, -100, 5], "int32")
    b = np.array([0, 0, -1, 0, 0, 7, 7, -3], "int32")
    q = np.zeros((7, 8), "int32")
    kc.build(kc.IRModule.parse(text), target=TARGET)(a, b, q)
    x, y = (array[5:].astype("int64") for array in (a, b))
    ux, uy = (array[5:].view("uint32").astype("int64") for array in (a, b))
    truncated = np.trunc(x / y).astype("int64")
    expected = [truncated, ux // uy, x - truncated * y, ux % uy, x // y, -(-x // y), -(-ux // uy)]
    np.testing.assert_array_equal(q[:, 5:], np.array(expected).astype("int32"))


def test_kernels_one_after_the_other():
    """A loop of the host launches a kernel for each row, which reads what the one before it wrote;
    what another kernel leaves in between is in memory of the device."""
    steps, n = 6, te.var("n")
    X = te.placeholder((steps, n), name="X")
    doubled = te.compute((steps, n), lambda t, i: X[t, i] * 2.0, name="doubled")
    total = te.compute((n,), lambda i: doubled[0, i] + doubled[steps - 1, i], name="total")
    Y = te.compute((n,), lambda i: total[n - 1 - i] - X[0, i], name="Y")
    s = te.create_schedule(Y.op)
    for stage in (doubled, total, Y):
        block, thread = s[stage].split(stage.op.axis[-1], 32)
        s[stage].bind(block, axis("blockIdx.x"))
        s[stage].bind(thread, axis("threadIdx.x"))
    module = kc.build(s, [X, Y], target=TARGET)
    x, y = random(steps, 50), np.zeros(50, "float32")
    report = kc.gpu.check(module, x, y)
    assert report.ok, str(report)
    # doubled: six launches of two blocks with two warps; a warp of the last has no element.
    written = next(site for site in report.sites if (site.buffer, site.access) == ("X", "read"))
    assert written.executions == steps * 2
    np.testing.assert_allclose(y, (2 * x[0] + 2 * x[-1])[::-1] - x[0], rtol=1e-5)


VIEW = """
#part = strided<[16, 1], offset: ?>
#rows = strided<[16, 1], offset: 16>
module attributes {gpu.container_module} {
gpu.module @m {
  gpu.func @k(%A: memref<4x8xf32, #part>, %B: memref<4x8xf32>) kernel {
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %x = memref.load %A[%b, %t] : memref<4x8xf32, #part>
    memref.store %x, %B[%b, %t] : memref<4x8xf32>
    gpu.return
  }
}
func.func @main(%A: memref<8x16xf32>, %B: memref<4x8xf32>, %i: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %R = memref.subview %A[1, 0] [6, 16] [1, 1] : memref<8x16xf32> to memref<6x16xf32, #rows>
  %S = memref.subview %R[1, %i] [4, 8] [1, 1]
      : memref<6x16xf32, #rows> to memref<4x8xf32, #part>
  gpu.launch_func @m::@k blocks in (%c4, %c1, %c1) threads in (%c8, %c1, %c1)
      args(%S : memref<4x8xf32, #part>, %B : memref<4x8xf32>)
  func.return
}
}
"""


@pytest.mark.parametrize("part", ["[16, 1], offset: ?", "[?, ?], offset: ?"])
def test_kernels_take_parts_of_arrays(part: str):
    """A part of a part, whose place the call gives: the kernel has its strides."""
    a, b = np.arange(128, dtype="float32").reshape(8, 16), np.zeros((4, 8), "float32")
    text = VIEW.replace("strided<[16, 1], offset: ?>", f"strided<{part}>")
    function = kc.build(kc.IRModule.parse(text), target="cuda-emu")
    function(a, b, 3)
    np.testing.assert_array_equal(b, a[2:6, 3:11])


ALIASES = """
module attributes {gpu.container_module} {
gpu.module @m {
  gpu.func @k(%A: memref<64xf32>, %P: memref<32xf32, #part>) kernel {
    %c31 = arith.constant 31 : index
    %t = gpu.thread_id x
    %r = arith.subi %c31, %t : index
    %x = memref.load %A[%r] : memref<64xf32>
    BARRIER
    memref.store %x, %P[%t] : memref<32xf32, #part>
    gpu.return
  }
}
func.func @main(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %P = memref.subview %A[FIRST] [32] [STEP] : memref<64xf32> to memref<32xf32, #part>
  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%A : memref<64xf32>, %P : memref<32xf32, #part>)
  func.return
}
}
"""


@pytest.mark.parametrize(
    ("first", "step", "barrier", "seen"),
    [(0, 1, "", True), (0, 1, "gpu.barrier", False), (32, 1, "", False), (1, 2, "", True)],
)
def test_arguments_that_share_memory(first: int, step: int, barrier: str, seen: bool):
    """Races between two arguments are seen where they have an element in common, and the code for
    a GPU does not take one of them to be read alone."""
    text = ALIASES.replace("BARRIER", barrier).replace("STEP", str(step))
    text = text.replace("FIRST", str(first)).replace("#part", f"strided<[{step}], offset: {first}>")
    a = np.arange(64, dtype="float32")
    report = kc.gpu.check(text, a)
    assert report.ok is not seen, str(report)
    assert {finding.kind for finding in report.findings} == ({"race"} if seen else set())
    if not seen:
        expected = np.arange(64, dtype="float32")
        expected[first : first + 32] = np.arange(31, -1, -1)
        np.testing.assert_array_equal(a, expected)
    (verdict,) = (v for v in report.verdicts[0].safety if v.kind == "race")
    assert verdict.is_clean is None
    assert verdict.message == "A and P are parts of one array"
    ptx = kc.build(kc.IRModule.parse(text), target="cuda -arch=sm_80").get_source("ptx")
    assert "ld.global.b32" in ptx
    assert "ld.global.nc" not in ptx


def test_threads_by_a_factor_that_a_call_gives():
    """Two stages of a kernel are split by the same factor, and all its threads combine values."""
    n, m, b = te.var("n"), te.var("m"), te.var("b")
    A = te.placeholder((n, m), "int32", name="A")
    W = te.placeholder((b,), "int32", name="W")
    k = te.reduce_axis((0, m), name="k")
    M = te.compute((n,), lambda i: te.max(A[i, k] * W[0], axis=k), name="M")
    B = te.compute((n, m), lambda i, j: A[i, j] - M[i], name="B")
    s = te.create_schedule(B.op)
    row, column = B.op.axis
    _, thread = s[B].split(column, b)
    s[B].bind(row, te.thread_axis("blockIdx.x"))
    s[B].bind(thread, te.thread_axis("threadIdx.x"))
    s[M].set_scope("shared")
    s[M].compute_at(s[B], row)
    _, thread = s[M].split(s[M].op.reduce_axis[0], b)
    s[M].bind(thread, te.thread_axis("threadIdx.x"))
    function = kc.build(s, [A, W, B], target=TARGET)
    a = np.random.default_rng(0).integers(-99, 99, (5, 37)).astype("int32")
    for threads in (1, 8, 40):
        result = np.zeros_like(a)
        function(a, np.ones(threads, "int32"), result)
        np.testing.assert_array_equal(result, a - a.max(axis=1, keepdims=True))
