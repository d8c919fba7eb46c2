"""Calls on a GPU: the driver is a fake one, whose kernels the emulator runs when they are due."""

from __future__ import annotations

import gc
import threading
import time
from typing import Any

import fake_gpu
import gpu_schedules
import numpy as np
import pytest
from fake_gpu import ALLOCS, FREES, LAUNCHES, LOADS, SYNCHRONIZATIONS, FakeGpu
from gpu_schedules import random

import kc
from kc import te
from kc.runtime import call_wrapper, native
from kc.support.diagnostics import CallError, DeviceError, KCError


def on_gpu(array: Any, number: int = 0) -> Any:
    return kc.nd.array(array, kc.cuda(number))


@pytest.mark.parametrize("n", [0, 1, 63, 64, 1000])
def test_kernels_in_a_row_with_memory_in_between(fake: FakeGpu, n: int):
    module = fake.build(*gpu_schedules.two_kernels())
    a, b = random(n), random(n, seed=1)
    d = kc.nd.empty((n,), "float32", kc.cuda(0))
    before = fake.count(ALLOCS) - fake.count(FREES)
    for _ in range(3):
        module(on_gpu(a), on_gpu(b), 0.5, d)
    np.testing.assert_allclose(d.numpy(), 2 * (a + b) + np.float32(0.5), rtol=1e-6)
    assert fake.count(LAUNCHES) == (6 if n else 0)
    kc.cuda(0).sync()
    gc.collect()
    assert fake.count(ALLOCS) - fake.count(FREES) == before
    assert fake.library.fake_depth() == 0, "the context is popped"


def test_a_function_over_nothing_launches_nothing(fake: FakeGpu):
    A = te.placeholder((0,), name="A")
    C = te.compute((0,), lambda i: A[i] + 1, name="C")
    s = te.create_schedule(C.op)
    s[C].bind(s[C].op.axis[0], te.thread_axis("threadIdx.x"))
    module = fake.build(s, [A, C])
    assert module.imported_modules == []
    assert ".entry" not in module.get_source("ptx")
    assert module(on_gpu(np.zeros(0, "float32"))).shape == (0,)
    assert fake.count(LAUNCHES) == 0


def test_a_call_only_queues(fake: FakeGpu):
    module = fake.build(*gpu_schedules.add())
    a = on_gpu(random(100))
    c = kc.nd.empty((100,), "float32", kc.cuda(0))
    waited = fake.count(SYNCHRONIZATIONS)
    for _ in range(5):
        module(a, a, c)
    assert fake.count(SYNCHRONIZATIONS) == waited
    assert fake.count(LAUNCHES) == 5


@pytest.mark.parametrize("dtype", ["float16", "float64", "int8", "uint8", "int32"])
def test_types_of_elements(fake: FakeGpu, dtype: str):
    module = fake.build(*gpu_schedules.add(dtype=dtype))
    a = (10 * random(100)).astype(dtype)
    c = module(on_gpu(a), on_gpu(a))
    assert c.device == kc.cuda(0)
    assert c.dtype == dtype
    np.testing.assert_array_equal(c.numpy(), a + a)


@pytest.mark.parametrize("dtype", ["float16", "int8", "int64", "float64"])
def test_scalars(fake: FakeGpu, dtype: str):
    n = 70
    x = te.var("x", dtype)
    C = te.compute((n,), lambda i: x, name="C")
    s = te.create_schedule(C.op)
    gpu_schedules.bind(s, C, 32)
    module = fake.build(s, [x, C])
    value = -3 if dtype.startswith("int") else 0.25
    c = module(value)
    np.testing.assert_array_equal(c.numpy(), np.full(n, value, dtype))


def test_more_shared_memory_than_is_static(fake: FakeGpu):
    s, args = gpu_schedules.wide_shared()
    module = fake.build(s, args)
    a = random(3, 20_000)
    np.testing.assert_array_equal(module(on_gpu(a)).numpy(), a[:, ::-1])


def test_shared_memory_of_a_size_that_a_call_gives(fake: FakeGpu):
    s, args = gpu_schedules.symbolic_shared()
    module = fake.build(s, args)

    def called(rows: int, n: int, where: Any, check: Any = None) -> np.ndarray:
        a, b = random(rows, n, dtype="float16"), random(rows, n, n)
        c = where(np.zeros((rows, n), "float32"))
        given = where(a), where(b), c
        report = module(*given) if check is None else kc.gpu.check(check, *given)
        assert report is None or report.ok, str(report)
        columns = np.arange(n)[::-1]
        result = c.numpy() if check is None else c
        np.testing.assert_array_equal(result, b[:, columns, columns] * a[:, columns])
        return result

    called(2, 37, on_gpu)
    called(1, 0, on_gpu)
    assert refused(lambda: called(1, 241, on_gpu)) == (
        "error[KC6035]: main: main_kernel on cuda(0) has 232,832 bytes of dynamic shared memory, "
        "and 232,448 are left for it\n"
        "   |  launched: grid (1, 1, 1), block (32, 1, 1), 232,832 bytes of dynamic shared memory\n"
        "  why: the sizes of a launch are computed from the sizes of the arguments\n"
        "  try: smaller tiles, or an element type of fewer bits"
    )
    emulated = kc.build(s, args, target="cuda-emu -arch=sm_90a")
    called(2, 37, np.asarray, emulated)
    assert refused(lambda: called(1, 241, np.asarray, emulated)) == (
        "error[KC5132]: main: the sizes of its arguments do not fit: 232448 >= (16 * (((n * 2) + "
        "15) floordiv 16)) + (16 * ((((n * n) * 4) + 15) floordiv 16)) does not hold\n"
        "   |  n is 241, from argument 1 'A'\n"
        "  why: sm_90a allows at most 232448 bytes of shared memory in a block"
    )


HOST_LOOP = """
func.func @main(%A: memref<8x64xf32>, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %m = gpu.alloc () : memref<64xf32>
  %x = arith.constant 0.5 : f32
  gpu.memset %m, %x : memref<64xf32>, f32
  scf.for %i = %c0 to %c8 step %c1 {
    gpu.launch_func @k::@step blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%A : memref<8x64xf32>, %m : memref<64xf32>, %i : index)
  }
  gpu.memcpy %B, %m : memref<64xf32>, memref<64xf32>
  gpu.dealloc %m : memref<64xf32>
  gpu.wait
  func.return
}
gpu.module @k {
  gpu.func @step(%A: memref<8x64xf32>, %m: memref<64xf32>, %i: index) kernel {
    %t = gpu.thread_id x
    %0 = memref.load %A[%i, %t] : memref<8x64xf32>
    %1 = memref.load %m[%t] : memref<64xf32>
    %2 = arith.addf %0, %1 : f32
    memref.store %2, %m[%t] : memref<64xf32>
    gpu.return
  }
}
"""


def test_host_code_by_hand(fake: FakeGpu):
    text = f"module attributes {{gpu.container_module}} {{ {HOST_LOOP} }}"
    module = fake.build(kc.IRModule.parse(text))
    a = random(8, 64)
    b = kc.nd.empty((64,), "float32", kc.cuda(0))
    waited = fake.count(SYNCHRONIZATIONS)
    module(on_gpu(a), b)
    assert fake.count(SYNCHRONIZATIONS) > waited
    np.testing.assert_allclose(b.numpy(), 0.5 + a.sum(axis=0), rtol=1e-5)
    assert fake.count(LAUNCHES) == 8


@pytest.mark.parametrize(("bits", "value"), [(8, "-3"), (16, "515"), (64, "81985529216486895")])
def test_fills_of_any_width(fake: FakeGpu, bits: int, value: str):
    text = f"""
module attributes {{gpu.container_module}} {{
  func.func @main(%A: memref<33xi{bits}>) {{
    %x = arith.constant {value} : i{bits}
    gpu.memset %A, %x : memref<33xi{bits}>, i{bits}
    func.return
  }}
  gpu.module @k {{
    gpu.func @nothing() kernel {{ gpu.return }}
  }}
}}"""
    module = fake.build(kc.IRModule.parse(text))
    a = on_gpu(np.zeros(33, f"int{bits}"))
    module(a)
    np.testing.assert_array_equal(a.numpy(), np.full(33, int(value), f"int{bits}"))


def test_prepared_calls_and_time(fake: FakeGpu):
    module = fake.build(*gpu_schedules.add())
    a, c = on_gpu(random(100)), on_gpu(np.zeros(100, "float32"))
    run = module["main"].prepare(a, a, c)
    for _ in range(4):
        run()
    np.testing.assert_array_equal(c.numpy(), 2 * a.numpy())
    assert fake.count(LAUNCHES) == 4
    result = module.time_evaluator("main", kc.cuda(0), number=3, repeat=2)(a, a, c)
    assert fake.count(LAUNCHES) == 4 + 1 + 2 * 3
    assert 0 <= result.min <= result.max
    with pytest.raises(CallError) as caught:
        run(a)  # pyright: ignore[reportCallIssue]
    assert str(caught.value) == (
        "error[KC5121]: main: a prepared call takes no arguments\n"
        "  why: the call passes the arguments of prepare()\n"
        "  try: main.prepare(...) for other arguments"
    )


def test_code_is_loaded_once(fake: FakeGpu):
    module = fake.build(*gpu_schedules.two_kernels())
    x = on_gpu(random(10))
    for _ in range(3):
        module(x, x, 1.0)
    assert fake.count(LOADS) == 1
    loaded = module["main"].loaded(kc.cuda(0))
    assert [each.registers for each in loaded.resources] == [32, 32]
    assert loaded.info_log == "ptxas info    : 0 bytes gmem"


def test_threads_call_at_once(fake: FakeGpu, monkeypatch: pytest.MonkeyPatch):
    """Code for the calls is generated once, as a thread may be in what another would replace."""
    functions: list[str] = []
    builtin, compile_text = native.builtin, call_wrapper.compile_text

    def noted(name: str, *rest: Any) -> Any:
        functions.append(name)
        return builtin(name, *rest)

    def slowly(*args: Any) -> Any:
        time.sleep(0.02)  # the others come here
        return compile_text(*args)

    monkeypatch.setattr(native, "builtin", noted)
    monkeypatch.setattr(call_wrapper, "compile_text", slowly)
    module = fake.build(*gpu_schedules.add())
    inputs = [on_gpu(random(200, seed=n)) for n in range(8)]
    results: dict[int, Any] = {}

    def work(n: int) -> None:
        for _ in range(20):
            results[n] = module(inputs[n], inputs[n])

    workers = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for n, result in results.items():
        np.testing.assert_array_equal(result.numpy(), 2 * inputs[n].numpy())
    assert len(functions) == 1


# Memory and order ---------------------------------------------------------------------------------


def test_an_array_that_is_gone_while_it_is_in_use(fake: FakeGpu):
    """Its memory is given back behind the kernel, which has not run yet."""
    module = fake.build(*gpu_schedules.add())
    host = random(1000)
    a, c = on_gpu(host), kc.nd.empty((1000,), "float32", kc.cuda(0))
    module(a, a, c)
    del a
    gc.collect()
    b = kc.nd.empty((1000,), "float32", kc.cuda(0))  # which could be the same memory
    b[:] = 7.0
    np.testing.assert_array_equal(c.numpy(), 2 * host)


def test_an_array_that_another_stream_uses(fake: FakeGpu):
    """It is given back behind what is queued in all streams."""
    device = kc.cuda(0)
    module = fake.build(*gpu_schedules.add())
    host = random(1000)
    a, c = on_gpu(host), kc.nd.empty((1000,), "float32", device)
    stream = device.create_raw_stream()
    device.sync_stream_to_stream(0, stream)
    device.set_raw_stream(stream)
    module(a, a, c)
    device.set_raw_stream(0)
    del a
    device.sync(0)  # runs the default stream, which gives the memory back, behind the other one
    device.sync(stream)
    np.testing.assert_array_equal(c.numpy(), 2 * host)
    device.free_raw_stream(stream)


def test_streams_do_not_wait_for_each_other(fake: FakeGpu):
    device = kc.cuda(0)
    module = fake.build(*gpu_schedules.add())
    a, c = on_gpu(random(10)), on_gpu(np.zeros(10, "float32"))
    stream = device.create_raw_stream()
    device.set_raw_stream(stream)
    module(a, a, c)
    device.set_raw_stream(0)
    np.testing.assert_array_equal(c.numpy(), np.zeros(10, "float32"))
    device.sync_stream_to_stream(stream, 0)
    np.testing.assert_array_equal(c.numpy(), 2 * a.numpy())
    device.free_raw_stream(stream)


def test_memory_is_there_for_all_streams(fake: FakeGpu):
    """Allocated in one stream, before or after another is known, and used in that one."""
    device = kc.cuda(0)
    module = fake.build(*gpu_schedules.add())
    host = random(100)
    a = on_gpu(host)
    c = kc.nd.empty((100,), "float32", device)
    stream = device.create_raw_stream()
    for _ in range(2):
        device.set_raw_stream(stream)
        module(a, a, c)
        np.testing.assert_array_equal(c.numpy(), 2 * host)
        device.set_raw_stream(0)
        device.sync(0)
        device.set_raw_stream(stream)
        np.testing.assert_array_equal(c.numpy(), 2 * host)
        device.set_raw_stream(0)
        c = kc.nd.empty((100,), "float32", device)
    device.free_raw_stream(stream)


def test_a_device_without_memory_pools(fake: FakeGpu):
    fake.configure(pools=False)
    module = fake.build(*gpu_schedules.two_kernels())
    a, b = random(100), random(100, seed=1)
    d = module(on_gpu(a), on_gpu(b), 1.0)
    np.testing.assert_allclose(d.numpy(), 2 * (a + b) + 1, rtol=1e-6)
    before = fake.count(FREES)
    del d
    assert fake.count(FREES) == before + 1


# Refused ------------------------------------------------------------------------------------------


def refused(act: Any) -> str:
    with pytest.raises(KCError) as caught:
        act()
    return str(caught.value)


def test_arrays_of_the_host(fake: FakeGpu):
    module = fake.build(*gpu_schedules.add())
    a = on_gpu(random(10))
    host = np.zeros(10, "float32")
    expected = (
        "error[KC5115]: main: argument {0} '{1}' is in host memory, the kernel runs on cuda(0)\n"
        "   |  expected: {1}: {2}float32[n]\n"
        "  why: a GPU reads and writes its own memory\n"
        "  try: pass {3}"
    )
    for _ in range(2):  # before and after the first call that works
        for position, name in enumerate("ABC"):
            values = [a, a, a]
            for array in (host, kc.nd.array(host)):
                values[position] = array
                role, hint = "", f"kc.nd.array({name}, kc.cuda(0))"
                if name == "C":
                    role = "out "
                    hint = 'kc.nd.empty(C.shape, "float32", kc.cuda(0)) and copy the result back'
                text = refused(lambda: module(*values))  # noqa: B023
                assert text == expected.format(position + 1, name, role, hint)
        module(a, on_gpu(host), on_gpu(host))


def test_arrays_of_another_device(fake: FakeGpu):
    fake.configure(devices=2)
    module = fake.build(*gpu_schedules.add())
    a, b = on_gpu(random(10)), on_gpu(random(10), 1)
    expected = (
        "error[KC5115]: main: argument 2 'B' is on {}, the kernel runs on {}\n"
        "   |  expected: B: float32[n]\n"
        "  why: a kernel reads and writes the memory of its own device\n"
        "  try: pass kc.nd.array(B, kc.{})"
    )
    for _ in range(2):
        assert refused(lambda: module(a, b, a)) == expected.format("cuda(1)", "cuda(0)", "cuda(0)")
        assert refused(lambda: module(b, a, b)) == expected.format("cuda(0)", "cuda(1)", "cuda(1)")
        np.testing.assert_array_equal(module(a, a).numpy(), 2 * a.numpy())
        second = module(b, b)
        assert second.device == kc.cuda(1)
        np.testing.assert_array_equal(second.numpy(), 2 * b.numpy())


def test_arrays_of_another_driver(fake: FakeGpu, monkeypatch: pytest.MonkeyPatch):
    module = fake.build(*gpu_schedules.add())
    a = on_gpu(random(10))
    module(a, a)
    monkeypatch.setenv("KC_CUDA", "emu")
    b = on_gpu(random(10))
    assert refused(lambda: module(a, b, a)) == (
        "error[KC5115]: main: argument 2 'B' is on cuda(0), the kernel runs on cuda(0)\n"
        "   |  expected: B: float32[n]\n"
        "  why: it was made by another driver (emu)\n"
        "  try: pass kc.nd.array(B, kc.cuda(0))"
    )
    np.testing.assert_array_equal(module(b, b).numpy(), 2 * b.numpy())


LAYOUTS = {
    "dtype": (
        lambda a: a(np.zeros(10, "float64")),
        "error[KC5106]: main: argument 1 'A' has dtype float64, expected float32\n"
        "   |  came: kc.NDArray float64[10]\n"
        "   |  expected: A: float32[n]\n"
        "  try: pass kc.nd.array(A.numpy().astype(np.float32), kc.cuda(0))",
    ),
    "rank": (
        lambda a: a(np.zeros((2, 5), "float32")),
        "error[KC5107]: main: argument 1 'A' has rank 2, expected 1\n"
        "   |  came: kc.NDArray float32[2, 5]\n"
        "   |  expected: A: float32[n]\n"
        "  try: pass kc.nd.array(A.numpy().reshape(-1), kc.cuda(0))",
    ),
    "no array": (
        lambda a: [1.0],
        "error[KC5103]: main: argument 1 'A' is list, expected an array on cuda(0)\n"
        "   |  expected: A: float32[n]\n"
        "  why: a kernel on a GPU takes kc.nd arrays, objects with __dlpack__ and objects with "
        "__cuda_array_interface__\n"
        "  try: pass kc.nd.array(A, kc.cuda(0))",
    ),
}


@pytest.mark.parametrize("case", LAYOUTS)
def test_arrays_that_do_not_fit(fake: FakeGpu, case: str):
    module = fake.build(*gpu_schedules.add())
    make, text = LAYOUTS[case]
    a = on_gpu(np.zeros(10, "float32"))
    for _ in range(2):
        assert refused(lambda: module(make(on_gpu), a, a)) == text
        module(a, a)


def test_an_output_that_is_an_input(fake: FakeGpu):
    module = fake.build(*gpu_schedules.add())
    a = on_gpu(np.zeros(10, "float32"))
    assert refused(lambda: module(a, a, a)) == (
        "error[KC5114]: main: argument 3 'C' is written and overlaps argument 1 'A'\n"
        "   |  C: kc.NDArray float32[10]\n"
        "   |  A: kc.NDArray float32[10]\n"
        "   |  shared: 40 bytes, from byte 0 of C and byte 0 of A\n"
        "  why: kernels are compiled with noalias: an array that is written may share no byte with "
        "another argument\n"
        '  try: pass kc.nd.empty(C.shape, "float32", kc.cuda(0)) as C'
    )


def test_a_grid_beyond_the_limits(fake: FakeGpu):
    n = te.var("n")
    A = te.placeholder((n, 8), name="A")
    B = te.compute((n, 8), lambda i, j: A[i, j] * 2.0, name="B")
    s = te.create_schedule(B.op)
    i, j = B.op.axis
    s[B].bind(i, gpu_schedules.axis("blockIdx.y"))
    s[B].bind(j, gpu_schedules.axis("threadIdx.x"))
    module = fake.build(s, [A, B])
    small = on_gpu(random(3, 8))
    large = kc.nd.empty((70_000, 8), "float32", kc.cuda(0))
    result = kc.nd.empty((70_000, 8), "float32", kc.cuda(0))
    text = (
        "error[KC6035]: main: main_kernel on cuda(0) has gridDim.y = 70,000, and it is 1 to "
        "65,535\n"
        "   |  launched: grid (1, 70000, 1), block (8, 1, 1), 0 bytes of dynamic shared memory\n"
        "  why: the sizes of a launch are computed from the sizes of the arguments\n"
        "  try: bind the long loop to blockIdx.x, or fuse it with that one"
    )
    for _ in range(2):  # checked by Python, and by generated code
        assert refused(lambda: module(large, result)) == text
        np.testing.assert_array_equal(module(small).numpy(), 2 * small.numpy())
    assert refused(module["main"].prepare(large, result)) == text
    assert refused(lambda: module.time_evaluator("main", kc.cuda(0))(large, result)) == text


def test_registers_of_a_kernel_limit_its_blocks(fake: FakeGpu):
    fake.library.fake_kernels(32, 255)
    module = fake.build(*gpu_schedules.add())
    a = on_gpu(random(10))
    assert refused(lambda: module(a, a)) == (
        "error[KC6035]: main: main_kernel on cuda(0) has blocks of 64 threads, and at most 32 are "
        "possible\n"
        "   |  launched: grid (1, 1, 1), block (64, 1, 1), 0 bytes of dynamic shared memory\n"
        "   |  the kernel takes 255 registers in each thread\n"
        "  why: the sizes of a launch are computed from the sizes of the arguments\n"
        "  try: a smaller factor of the loop that is bound to threadIdx"
    )


def test_dynamic_shared_memory_beyond_the_limits(fake: FakeGpu):
    text = """
module attributes {gpu.container_module} {
  func.func @main(%A: memref<?xf32>, %bytes: i32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@fill blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        dynamic_shared_memory_size %bytes args(%A : memref<?xf32>)
    func.return
  }
  gpu.module @k {
    gpu.func @fill(%A: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %m = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %v = memref.view %m[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
          to memref<4xf32, #gpu.address_space<workgroup>>
      %x = arith.constant 3.0 : f32
      memref.store %x, %v[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
      %y = memref.load %v[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
      memref.store %y, %A[%c0] : memref<?xf32>
      gpu.return
    }
  }
}"""
    module = fake.build(kc.IRModule.parse(text))
    a = on_gpu(np.zeros(1, "float32"))
    module(a, 200_000)
    assert a.numpy()[0] == 3.0
    assert refused(lambda: module(a, 300_000)) == (
        "error[KC6035]: main: fill on cuda(0) has 300,000 bytes of dynamic shared memory, and "
        "232,448 are left for it\n"
        "   |  launched: grid (1, 1, 1), block (1, 1, 1), 300,000 bytes of dynamic shared memory\n"
        "  why: the sizes of a launch are computed from the sizes of the arguments\n"
        "  try: smaller tiles, or an element type of fewer bits"
    )


def test_memory_that_is_not_there(fake: FakeGpu):
    fake.configure(memory=1 << 20)
    assert refused(lambda: kc.nd.empty((1 << 20,), "float32", kc.cuda(0))) == (
        "error[KC6031]: 4,194,304 bytes of memory on cuda(0): cuMemAllocAsync: "
        "CUDA_ERROR_OUT_OF_MEMORY\n"
        "   |  the device has 1 MiB, of which some is in use\n"
        "  why: out of memory\n"
        "  try: free arrays (del x), or take the memory that another library caches back"
    )
    module = fake.build(*gpu_schedules.two_kernels())
    a = on_gpu(random(100_000))
    d = kc.nd.empty((100_000,), "float32", kc.cuda(0))
    text = (
        "error[KC6036]: memory for a result in between on cuda(0): CUDA_ERROR_OUT_OF_MEMORY\n"
        "   |  in the call of main\n"
        "   |  asked for: 400,000 bytes\n"
        "   |  the device has 1 MiB, of which some is in use\n"
        "  why: out of memory\n"
        "  try: free arrays (del x), or take the memory that another library caches back"
    )
    assert refused(lambda: module(a, a, 1.0, d)) == text
    small = on_gpu(random(10))
    module(small, small, 1.0)
    assert refused(lambda: module(a, a, 1.0, d)) == text


def test_a_kernel_that_leaves_its_memory(fake: FakeGpu):
    """The error of an earlier kernel is told as such; every use of the context has it from then
    on, so this runs in a process of its own."""
    import subprocess
    import sys
    from pathlib import Path

    program = f"""
import sys; sys.path[:0] = [{str(Path(__file__).parent)!r}]
import fake_gpu, gpu_schedules, kc
fake = fake_gpu.FakeGpu({fake_gpu.compiled()!r})
module = fake.build(*gpu_schedules.add())
a = kc.nd.array(gpu_schedules.random(10), kc.cuda(0))
fake.launch_result = fake_gpu.ILLEGAL_ADDRESS
module(a, a)
for act in (kc.cuda(0).sync, lambda: module(a, a)):
    try:
        act()
    except kc.KCError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    hint = (
        "  why: an illegal memory access was encountered: a kernel that ran before did it, and the "
        "context is of no use from then on\n"
        "  try: kc.gpu.check(module, ...) with the same arguments finds the access: it runs the "
        "kernel on this CPU\n"
    )
    assert done.stdout == (
        "error[KC6031]: waiting on cuda(0): cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS\n"
        + hint
        + "error[KC6031]: 40 bytes of memory on cuda(0): cuMemAllocAsync: "
        "CUDA_ERROR_ILLEGAL_ADDRESS\n" + hint
    ), done.stderr


def test_kernels_are_not_called(fake: FakeGpu):
    module = fake.build(*gpu_schedules.add())
    kernel = module.imported_modules[0]["main_kernel"]
    assert refused(lambda: kernel(1)) == (
        "error[KC6023]: main_kernel is a kernel, which only host code can launch\n"
        "  why: the host code computes its grid, its blocks and its memory\n"
        '  try: call module["main"]'
    )


def test_device_and_times(fake: FakeGpu):
    module = fake.build(*gpu_schedules.add())
    a = on_gpu(random(10))
    assert refused(lambda: module.time_evaluator("main", kc.cpu(0))) == (
        "error[KC6204]: main runs on cuda(0), not on cpu(0)"
    )
    assert module.time_evaluator("main")(a, a, on_gpu(random(10))).mean >= 0
    with pytest.raises(DeviceError, match=r"KC6201\]: there is no device cuda\(3\)"):
        on_gpu(random(10), 3)
