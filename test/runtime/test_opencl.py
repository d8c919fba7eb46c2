"""Kernels in OpenCL C on a device: their results are those of numpy."""

from __future__ import annotations

import math
import re

import gpu_programs
import ml_dtypes
import numpy as np
import pytest
from gpu_programs import GpuProgram

import kc
from kc import te, topi
from kc.error import KCError
from kc.runtime import opencl

needs_device = pytest.mark.skipif(
    opencl.find_device() is None,
    reason="there is no device of OpenCL (Debian: ocl-icd-libopencl1 pocl-opencl-icd)",
)


def run(program: GpuProgram, rtol: float = 0.0, target: str = "opencl") -> str:
    """Check the results of a program, and give its source."""
    module = kc.build(program.schedule, program.args, target=target)
    program.check(module, rtol)
    return module.get_source("opencl")


@needs_device
@pytest.mark.parametrize("size", [0, 1, 3, 255, 1003])
def test_a_vector_of_any_length(size: int):
    run(gpu_programs.add("float32", size))


@needs_device
@pytest.mark.parametrize("dtype", ["int64", "uint8", "float16", "float64"])
def test_vectors_of_every_type(dtype: str):
    """float16 is added in float32, which loses nothing, and rounded once."""
    source = run(gpu_programs.add(dtype))
    assert ("cl_khr_fp64" in source) == (dtype == "float64")
    assert ("vload_half" in source) == (dtype == "float16")


@needs_device
def test_shared_memory():
    assert "barrier(CLK_LOCAL_MEM_FENCE);" in run(gpu_programs.reverse())


@needs_device
def test_threads_reduce_by_shared_memory():
    """OpenCL does not say how many threads are a warp."""
    source = run(gpu_programs.row_sums(), rtol=1e-5)
    assert "shuffle" not in source
    assert source.count("barrier(") == 1 + int(math.log2(128))


@needs_device
def test_96_threads_reduce_integers():
    run(gpu_programs.row_sums(96, "int32"))


A = te.placeholder((9, 40), name="A")
B = te.placeholder((40, 21), name="B")
UNSCHEDULED = {
    "product": (topi.matmul(A, B), lambda a, b: a @ b),
    "rows": (topi.nn.softmax(A), lambda a, b: np.exp(a) / np.exp(a).sum(1, keepdims=True)),
    "sums": (topi.sum(A, 0), lambda a, b: a.sum(0)),
    "running sums": (topi.cumsum(A, 1), lambda a, b: a.cumsum(1)),
    "transpose": (topi.transpose(A), lambda a, b: a.T),
}


@needs_device
@pytest.mark.parametrize("name", UNSCHEDULED)
def test_programs_without_a_schedule(name: str):
    out, expected = UNSCHEDULED[name]
    numbers = np.random.default_rng(0)
    a, b = (numbers.random(shape, "float32") for shape in ((9, 40), (40, 21)))
    result = np.empty(out.shape, "float32")
    kc.build([A, B, out], target="opencl")(a, b, result)
    np.testing.assert_allclose(result, expected(a, b), rtol=2e-6)


@needs_device
def test_a_thread_reduces_by_vectors():
    """Each thread sums a row, four numbers at a time; the four sums are added lane by lane."""
    A = te.placeholder((48, 64), name="A")
    k = te.reduce_axis((0, 64), name="k")
    B = te.compute((48,), lambda i: te.sum(A[i, k], axis=k), name="B")
    s = te.create_schedule(B.op)
    s[B].bind(B.op.axis[0], te.thread_axis("threadIdx.x"))
    _, four = s[B].split(s[B].op.reduce_axis[0], 4)
    s[B].vectorize(four)
    program = GpuProgram(
        s,
        [A, B],
        lambda random: [gpu_programs.numbers(random, (48, 64), "float32"), np.zeros(48, "float32")],
        lambda a: a.sum(axis=1),
    )
    assert "(__global const float4 *)&A[" in run(program, rtol=1e-5)


@needs_device
def test_softmax():
    run(gpu_programs.softmax(), rtol=1e-6)


@needs_device
def test_a_product_of_matrices():
    source = run(gpu_programs.matmul(), rtol=1e-4)
    assert "*(__local float4 *)&" in source
    assert "__local float A_shared" in source


@needs_device
@pytest.mark.parametrize("dtype", ["int8", "int32", "uint16", "uint32", "int64"])
def test_integers_are_those_of_numpy(dtype: str):
    """Sums and products wrap around, quotients are rounded down, shifts and comparisons know the
    sign."""
    random = np.random.default_rng(1)
    a, b = (gpu_programs.numbers(random, 200, dtype) for _ in range(2))
    b[b == 0] = 3
    b[b == -1] = 5  # the quotient of the least number by it does not exist
    c = random.integers(0, np.dtype(dtype).itemsize * 8, 200).astype(dtype)

    def body(x, y, z):
        products = x * y + x - (y << z)
        quotients = te.floordiv(x, y) + te.floormod(x, y) * te.const(3, dtype)
        picked = te.if_then_else(x < y, te.max(x, y) >> z, te.min(x, y) ^ z)
        return products + quotients + picked

    def expected(x, y, z):
        picked = np.where(x < y, np.maximum(x, y) >> z, np.minimum(x, y) ^ z)
        return x * y + x - (y << z) + x // y + x % y * np.array(3, dtype) + picked

    with np.errstate(over="ignore"):
        run(gpu_programs.elementwise(body, expected, [a, b, c], dtype))


@needs_device
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_of_math(dtype: str):
    """OpenCL C has them, to 4 units in the last place and 16 for pow and erf (section 7.4)."""
    a = np.linspace(0.05, 0.95, 90).astype(dtype)
    b = np.linspace(-2, 3, 90).astype(dtype)

    def body(x, y):
        smooth = te.exp(x) + te.log(x) + te.sin(y) + te.tanh(y) + te.sqrt(x) + te.power(x, y)
        return smooth + te.erf(y) + te.atan2(x, y) + te.floor(y) + te.abs(y) + te.round(y)

    def expected(x, y):
        smooth = np.exp(x) + np.log(x) + np.sin(y) + np.tanh(y) + np.sqrt(x) + np.power(x, y)
        erf = np.array([math.erf(value) for value in y], dtype)
        return smooth + erf + np.arctan2(x, y) + np.floor(y) + np.abs(y) + np.round(y)

    rtol = 40 * float(np.finfo(dtype).eps)
    source = run(gpu_programs.elementwise(body, expected, [a, b], dtype), rtol)
    for name in ("exp(", "log(", "erf(", "atan2("):
        assert name in source


@needs_device
def test_narrow_floats_and_booleans():
    random = np.random.default_rng(2)
    a = random.normal(0, 8, 128).astype(ml_dtypes.bfloat16)
    b = random.normal(0, 8, 128).astype("float16")
    c = random.integers(0, 2, 128).astype(bool)

    def body(x, y, z):
        total = (x.astype("float32") + y.astype("float32")).astype("float16")
        return te.if_then_else(z, total, te.const(-1.5, "float16"))

    def expected(x, y, z):
        total = (x.astype("float32") + y.astype("float32")).astype("float16")
        return np.where(z, total, np.float16(-1.5))

    run(gpu_programs.elementwise(body, expected, [a, b, c], "float16"))


@needs_device
def test_outputs_are_allocated_and_memory_is_kept_between_kernels():
    """A call without its outputs returns them; what one kernel wrote, the next one reads."""
    A = te.placeholder((100,), name="A")
    B = te.compute((100,), lambda i: A[i] + 1.0, name="B")
    C = te.compute((100,), lambda i: B[99 - i] * 2.0, name="C")
    s = te.create_schedule(C.op)
    for stage in (B, C):
        s[stage].bind(stage.op.axis[0], te.thread_axis("threadIdx.x"))
    module = kc.build(s, [A, C], target="opencl")
    a = np.arange(100, dtype="float32")
    assert (module(a) == 2 * (a[::-1] + 1)).all()
    seconds = module.time_evaluator(module.entry_name, kc.cpu())(a, np.empty_like(a)).mean
    assert seconds > 0


LAUNCH = """
module attributes {gpu.container_module} {
  func.func @f(%A: memref<8xf32>, %threads: index) {
    %one = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%one, %one, %one) threads in (%threads, %one, %one)
        args(%A : memref<8xf32>)
    func.return
  }
  gpu.module @m {
    gpu.func @k(%A: memref<8xf32>)
        workgroup(%S : memref<SIZExf32, #gpu.address_space<workgroup>>) kernel {
      %t = gpu.thread_id x
      %x = memref.load %A[%t] : memref<8xf32>
      memref.store %x, %S[%t] : memref<SIZExf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %last = arith.constant 7 : index
      %r = arith.subi %last, %t : index
      %y = memref.load %S[%r] : memref<SIZExf32, #gpu.address_space<workgroup>>
      memref.store %y, %A[%t] : memref<8xf32>
      gpu.return
    }
  }
}
"""


def launch(threads: int, size: int) -> tuple[str, np.ndarray]:
    """The diagnostic of a call of the kernel in textual IR, with the device named DEVICE, and the
    array after the call.
    """
    text = LAUNCH.replace("SIZE", str(size))
    # A device may have less than the target, which constant sizes are compared with by the build.
    target = f"opencl -max_shared_memory_per_block={4 * size}"
    module = kc.build(kc.IRModule.parse(text), target=target)
    a, said = np.arange(8, dtype="float32"), ""
    try:
        module(a, threads)
    except KCError as error:
        said = str(error).replace(opencl.require_device("the test").name, "DEVICE")
    return said, a


def test_kernels_are_enabled_where_there_is_a_device(monkeypatch: pytest.MonkeyPatch):
    assert kc.runtime.enabled("opencl -thread_warp_size=1") == (opencl.find_device() is not None)
    monkeypatch.setattr(opencl, "find_device", lambda: None)
    assert not kc.runtime.enabled("opencl")


@needs_device
def test_a_kernel_of_textual_ir():
    said, a = launch(8, 8)
    assert not said
    assert (a == np.arange(8)[::-1]).all()


@needs_device
def test_operations_on_vectors():
    random = np.random.default_rng(4)
    a = random.integers(-9, 9, 64).astype("float32")
    b = gpu_programs.numbers(random, 64, "int8")
    z, wanted, bytes_ = np.zeros(64, "float32"), np.zeros(64, "float32"), b.copy()
    first, second = a[:4], a[13:17]
    fused = first * second + np.append(a[20:23], np.float32(10))
    wanted[:4] = fused
    wanted[4:8] = np.where(first < second, fused, 0)
    wanted[8:13] = 2 * np.concatenate([first, second])[[7, 0, 5, 2, 1]]
    wanted[20:24] = [a[2], *second[1:]]
    wanted[32], wanted[33] = first.sum() + 2, second.max()
    with np.errstate(over="ignore"):
        u, v = b[:16], b[13:29]
        picked = np.where((u.view("uint8") < v.view("uint8")) & (u > 3), u * v, 3)
    bytes_[40:56] = picked
    wanted[40] = picked.astype("float32").sum()
    wanted[50:54], wanted[56:60] = first, second
    module = kc.build(kc.IRModule.parse(gpu_programs.VECTORS), target="opencl")
    module(a, b, z)
    np.testing.assert_array_equal(z, wanted)
    np.testing.assert_array_equal(b, bytes_)
    source = module.get_source("opencl")
    assert "char16" in source
    assert "} kc_floatx5;" in source


@needs_device
def test_a_block_that_the_device_has_too_few_threads_for():
    device = opencl.require_device("the test")
    threads, most = device.max_threads * 2, device.max_threads
    said, a = launch(threads, 8)
    assert said == (
        f"error[KC6042]: k: a block of {threads} threads, but DEVICE runs at most {most}\n"
        f"   |  threads along x, y and z: {threads}, 1, 1\n"
        f"  why: along each axis the device has {', '.join(map(str, device.max_block))}\n"
        f"  try: -max_threads_per_block={most} of the target reports it while scheduling"
    )
    assert (a == np.arange(8)).all()


@needs_device
def test_more_shared_memory_than_the_device_has():
    most = opencl.require_device("the test").max_shared
    said, _ = launch(8, most)
    assert said == (
        f"error[KC6042]: k: {4 * most} bytes of shared memory, but DEVICE has {most}\n"
        "  why: a block has the memory of one compute unit\n"
        f"  try: -max_shared_memory_per_block={most} of the target reports it while scheduling"
    )


@needs_device
def test_source_that_the_device_refuses(monkeypatch: pytest.MonkeyPatch):
    program = gpu_programs.row_sums(64)
    module = kc.build(program.schedule, program.args, target="opencl -thread_warp_size=32")
    assert "sub_group_shuffle_xor(" in module.get_source("opencl")
    device = opencl.require_device("the test")
    arrays = program.inputs(np.random.default_rng(0))
    try:
        module(*arrays)
    except KCError as error:
        said = str(error).replace(device.name, "DEVICE").splitlines()
    else:
        pytest.skip("this device has shuffles")
    assert said[0] == "error[KC6041]: opencl: DEVICE refuses the source of the kernels"
    assert any("sub_group_shuffle_xor" in line for line in said[1:-2])
    assert said[-2:] == [
        "  why: clBuildProgram ended with error -11",
        '  try: module.get_source("opencl") is the source',
    ]


def test_no_device(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(opencl, "find_device", lambda: None)
    program = gpu_programs.add("float32")
    module = kc.build(program.schedule, program.args, target="opencl")
    assert "gpu.launch_func" in module.get_source("mlir")
    with pytest.raises(KCError) as caught:
        module(*program.inputs(np.random.default_rng(0)))
    assert str(caught.value) == (
        "error[KC6040]: a call of main needs an OpenCL device, but there is none\n"
        "  why: libOpenCL.so.1 is not installed, or knows no device\n"
        "  try: install the driver of the GPU, or PoCL, which runs kernels on the CPU (Debian: "
        "pocl-opencl-icd)\n"
        '  try: module.get_source("opencl") is the source, for a program that has a device'
    )


@needs_device
def test_a_call_that_the_library_refuses():
    library = opencl.require_device("the test").library
    with pytest.raises(KCError) as caught:
        library.make("clCreateBuffer", None, 1, 0, None)
    said = str(caught.value)
    assert re.fullmatch(
        r"error\[KC6043\]: clCreateBuffer of the OpenCL library failed: error -\d+ \(.*\)", said
    )


ATOMICS = """
#shared = #gpu.address_space<workgroup>
func.func @main(%A: memref<128xi32>, %H: memref<8xi32>, %M: memref<2xi32>, %F: memref<128xf32>,
    %S: memref<2xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1)
      workgroup(%W : memref<1xi32, #shared>) {
    %c0 = arith.constant 0 : index
    %c1_ = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %is_first = arith.cmpi eq, %tx, %c0 : index
    scf.if %is_first {
      memref.store %zero, %W[%c0] : memref<1xi32, #shared>
    }
    gpu.barrier
    %first = arith.muli %bx, %sx : index
    %i = arith.addi %first, %tx : index
    %x = memref.load %A[%i] : memref<128xi32>
    %k = arith.index_cast %x : i32 to index
    %0 = memref.atomic_rmw addi %one, %H[%k] : (i32, memref<8xi32>) -> i32
    %1 = memref.atomic_rmw maxs %x, %M[%c0] : (i32, memref<2xi32>) -> i32
    %w = memref.atomic_rmw addi %one, %W[%c0] : (i32, memref<1xi32, #shared>) -> i32
    %2 = memref.atomic_rmw maxu %w, %M[%c1_] : (i32, memref<2xi32>) -> i32
    %f = memref.load %F[%i] : memref<128xf32>
    %3 = memref.atomic_rmw addf %f, %S[%c0] : (f32, memref<2xf32>) -> f32
    %4 = memref.atomic_rmw maxnumf %f, %S[%c1_] : (f32, memref<2xf32>) -> f32
    gpu.terminator
  }
  func.return
}
"""


@needs_device
@pytest.mark.parametrize("width", [32, 64])
def test_atomic_updates(width: int):
    """Of integers by functions of the language, of floats by an exchange in a loop; of memory of
    the device and of a block."""
    text = ATOMICS.replace("i32", f"i{width}").replace("f32", f"f{width}")
    function = kc.build(kc.IRModule.parse(text), target="opencl")
    random, whole, real = np.random.default_rng(0), f"int{width}", f"float{width}"
    a, f = random.integers(0, 8, 128).astype(whole), random.integers(-9, 9, 128).astype(real)
    counts, most = np.zeros(8, whole), np.array([-5, 0], whole)
    sums = np.array([0, -100], real)
    function(a, counts, most, f, sums)
    np.testing.assert_array_equal(counts, np.bincount(a, minlength=8))
    assert most.tolist() == [a.max(), 63]
    assert sums.tolist() == [f.sum(), f.max()]


PARTS = """
#part = strided<[?, 2], offset: ?>
module attributes {gpu.container_module} {
gpu.module @m {
  gpu.func @fill(%P: memref<4x?xf32, #part>) kernel {
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %n = gpu.block_dim x
    %first = arith.muli %b, %n : index
    %i = arith.addi %first, %t : index
    %x = arith.index_cast %i : index to i32
    %y = arith.sitofp %x : i32 to f32
    memref.store %y, %P[%b, %t] : memref<4x?xf32, #part>
    gpu.return
  }
  gpu.func @whole(%A: memref<8x16xf32>, %P: memref<4x?xf32, #part>) kernel {
    %c1 = arith.constant 1 : index
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %x = memref.load %P[%b, %t] : memref<4x?xf32, #part>
    memref.store %x, %A[%b, %t] : memref<8x16xf32>
    gpu.return
  }
}
func.func @main(%A: memref<8x16xf32>, %i: index, %n: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %P = memref.subview %A[4, %i] [4, %n] [1, 2] : memref<8x16xf32> to memref<4x?xf32, #part>
  gpu.launch_func @m::@fill blocks in (%c4, %c1, %c1) threads in (%n, %c1, %c1)
      args(%P : memref<4x?xf32, #part>)
  gpu.launch_func @m::@whole blocks in (%c4, %c1, %c1) threads in (%n, %c1, %c1)
      args(%A : memref<8x16xf32>, %P : memref<4x?xf32, #part>)
  func.return
}
}
"""


@needs_device
def test_parts_of_arrays():
    """A launch reads the part that the previous launch wrote, and writes beside it."""
    function = kc.build(kc.IRModule.parse(PARTS), target="opencl")
    a = np.zeros((8, 16), "float32")
    function(a, 3, 5)
    expected = np.zeros((8, 16), "float32")
    expected[4:, 3:13:2] = expected[:4, :5] = np.arange(20).reshape(4, 5)
    np.testing.assert_array_equal(a, expected)


@needs_device
def test_arrays_with_strides():
    """Rows of the host that are apart are beside each other on the device."""
    n = te.var("n")
    A = te.placeholder((n, 8), name="A")
    B = te.compute((n, 8), lambda i, j: A[i, j] + 1, name="B")
    binds = {
        T: kc.tir.decl_buffer(T.shape, T.dtype, strides=[te.var(f"s{T.op.name}"), 1])
        for T in (A, B)
    }
    s = te.create_schedule(B.op)
    s[B].bind(B.op.axis[0], te.thread_axis("blockIdx.x"))
    s[B].bind(B.op.axis[1], te.thread_axis("threadIdx.x"))
    function = kc.build(s, [A, B], target="opencl", binds=binds)
    a, b = np.arange(96, dtype="float32").reshape(6, 16), np.zeros((9, 8), "float32")
    function(a[::2, :8], b[::3])
    np.testing.assert_array_equal(b[::3], a[::2, :8] + 1)
    assert not b[1::3].any()
    assert not b[2::3].any()
