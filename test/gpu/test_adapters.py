"""The ways to a driver: the same program by each, and what is said of those that are not there."""

from __future__ import annotations

import ctypes
import importlib.util
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import fake_gpu
import fake_pycuda
import gpu_schedules
import numpy as np
import pytest
from fake_gpu import ALLOCS, FREES, FakeGpu
from gpu_schedules import random

import kc
from kc import te
from kc.runtime.gpu import driver
from kc.support.diagnostics import KCError

HERE = str(Path(__file__).parent)


def program(fake: FakeGpu, name: str) -> None:
    """Kernels in a row, host code by hand, streams, times, shared memory, limits, errors."""
    device = kc.cuda(0)
    assert device.exist
    assert driver.require_driver("a test").name == name
    assert (device.compute_version, device.warp_size, device.max_thread_dimensions) == (
        "9.0",
        32,
        (1024, 1024, 64),
    )
    assert device.device_name == "a fake GPU, number 0"
    assert device.total_global_memory == 1 << 30
    module = fake.build(*gpu_schedules.two_kernels())
    a, b = random(300), random(300, seed=1)
    x, y = kc.nd.array(a, device), kc.nd.array(b, device)
    d = kc.nd.empty((300,), "float32", device)
    expected = 2 * (a + b) + np.float32(0.5)
    for _ in range(2):
        module(x, y, 0.5, d)
        np.testing.assert_allclose(d.numpy(), expected, rtol=1e-5, atol=1e-6)
    module["main"].prepare(x, y, 0.25, d)()
    np.testing.assert_allclose(d.numpy(), expected - 0.25, rtol=1e-5, atol=1e-6)
    assert module.time_evaluator("main", device, number=2)(x, y, 0.5, d).mean >= 0
    assert [each.registers for each in module["main"].loaded(device).resources] == [32, 32]
    assert module["main"].loaded(device).info_log == "ptxas info    : 0 bytes gmem"

    stream = device.create_raw_stream()
    device.sync_stream_to_stream(0, stream)
    device.set_raw_stream(stream)
    module(x, y, 1.5, d)
    device.set_raw_stream(0)
    device.sync_stream_to_stream(stream, 0)
    np.testing.assert_allclose(d.numpy(), expected + 1, rtol=1e-5, atol=1e-6)
    device.free_raw_stream(stream)

    wide = fake.build(*gpu_schedules.wide_shared())
    rows = random(3, 20_000)
    np.testing.assert_array_equal(wide(kc.nd.array(rows, device)).numpy(), rows[:, ::-1])

    half = fake.build(*gpu_schedules.add(dtype="float16"))
    short = random(50, dtype="float16")
    z = kc.nd.array(short, device)
    np.testing.assert_array_equal(half(z, z).numpy(), 2 * short)
    z[:] = 2.0
    z.copyto(half(z, z))
    with pytest.raises(KCError, match=r"KC6031\]: 8,589,934,592 bytes of memory on cuda\(0\): "):
        kc.nd.empty((1 << 31,), "float32", device)
    fake.refuses = "ptxas application ptx input, line 5; error   : no such instruction"
    with pytest.raises(KCError, match=r"KC6032\]: cuda\(0\) refuses the code: (?s:.*)PTX line 5"):
        fake.build(*gpu_schedules.add(64))(z, z)
    fake.refuses = ""
    assert fake.library.fake_depth() == 0


def test_ctypes(fake: FakeGpu):
    program(fake, "ctypes")


def test_the_emulator(fake: FakeGpu, monkeypatch: pytest.MonkeyPatch):
    """All but the limits and the errors of a driver."""
    monkeypatch.setenv("KC_CUDA", "ctypes")
    module = kc.build(*gpu_schedules.two_kernels(), target="cuda -arch=sm_80")
    monkeypatch.setenv("KC_CUDA", "emu")
    device = kc.cuda(0)
    a = random(300)
    x = kc.nd.array(a, device)
    stream = device.create_raw_stream()
    device.set_raw_stream(stream)
    device.sync_stream_to_stream(stream, 0)
    d = module(x, x, 1.0)
    np.testing.assert_allclose(d.numpy(), 4 * a + 1, rtol=1e-5, atol=1e-6)
    device.free_raw_stream(stream)
    device.sync()
    assert module.time_evaluator("main", device)(x, x, 1.0, d).mean > 0
    wide = kc.build(*gpu_schedules.wide_shared(), target="cuda -arch=sm_80")
    rows = random(3, 20_000)
    np.testing.assert_array_equal(wide(kc.nd.array(rows, device)).numpy(), rows[:, ::-1])


def test_programs_that_are_built_for_the_emulator(monkeypatch: pytest.MonkeyPatch):
    """KC_CUDA=emu is a device: what a GPU refuses is refused, in the same words."""
    monkeypatch.setenv("KC_CUDA", "emu")
    module = kc.build(*gpu_schedules.two_kernels(), target="cuda -arch=sm_80")
    device, a = kc.cuda(0), random(100)
    x, d = kc.nd.array(a, device), kc.nd.empty((100,), "float32", device)
    with pytest.raises(KCError) as caught:
        module(x, a, 1.0, d)
    assert str(caught.value) == (
        "error[KC5115]: main: argument 2 'B' is in host memory, the kernel runs on cuda(0)\n"
        "   |  expected: B: float32[n]\n"
        "  why: a GPU reads and writes its own memory\n"
        "  try: pass kc.nd.array(B, kc.cuda(0))"
    )
    module(x, x, 1.0, d)
    np.testing.assert_allclose(d.numpy(), 4 * a + 1, rtol=1e-5, atol=1e-6)
    result = module(x, x, 1.0)
    assert result.device == device
    np.testing.assert_allclose(result.numpy(), 4 * a + 1, rtol=1e-5, atol=1e-6)
    module["main"].prepare(x, x, 2.0, d)()
    np.testing.assert_allclose(d.numpy(), 4 * a + 2, rtol=1e-5, atol=1e-6)
    assert module.time_evaluator("main", device)(x, x, 1.0, d).mean > 0
    with pytest.raises(KCError) as caught:
        module.time_evaluator("main", kc.cpu(0))
    assert str(caught.value) == "error[KC6204]: main runs on cuda(0), not on cpu(0)"
    plain = kc.build(*_plain())
    with pytest.raises(
        KCError, match=r"KC5115\]: main: argument 1 'A' is on cuda\(0\), the kernel"
    ):
        plain(x, x)


TOO_NEW = """module attributes {gpu.container_module} {
gpu.module @m {
  gpu.func @k(%A: memref<64xf32>) kernel {
    %chosen = nvvm.elect.sync -> i1
    gpu.return
  }
}
func.func @main(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
    args(%A : memref<64xf32>)
  func.return
}
}
"""


@pytest.mark.parametrize("way", ["", "emu"])
@pytest.mark.parametrize(
    ("target", "arch"),
    [("cuda", "sm_75"), ("cuda -arch=sm_80", "sm_80"), ("cuda-emu -arch=sm_80", "sm_80")],
)
def test_an_operation_too_new_for_the_architecture(
    way: str, target: str, arch: str, monkeypatch: pytest.MonkeyPatch
):
    """Also where the emulator runs the kernel, and where it checks it."""
    monkeypatch.setenv("KC_CUDA", way)
    module = kc.IRModule.parse(TOO_NEW, "k.mlir")
    x = np.zeros(64, "float32")
    for use in (
        lambda: kc.build(module, target=target),
        lambda: kc.gpu.check(module, x, target=target),
    ):
        with pytest.raises(KCError) as caught:
            use()
        assert str(caught.value) == (
            f"error[KC4360]: nvvm.elect.sync: the target is {arch} with PTX 8.0, which does not "
            "have it\n"
            "  --> k.mlir:4:5\n"
            "  why: it needs sm_90 or later and PTX 8.0 or later"
        )
    kc.build(module, target="cuda-emu")(x)  # any GPU


DEADLOCK = TOO_NEW.replace(
    "%chosen = nvvm.elect.sync -> i1",
    """%t = gpu.thread_id x
    %c16 = arith.constant 16 : index
    %one = arith.constant 1 : i32
    %all = arith.constant 64 : i32
    %some = arith.cmpi ult, %t, %c16 : index
    scf.if %some {
      nvvm.barrier id = %one number_of_threads = %all
    }""",
)


def test_threads_that_wait_for_ever(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    """A GPU would hang. However the emulated one is asked, the call says it."""
    monkeypatch.setenv("KC_CUDA", "emu")
    module = kc.build(kc.IRModule.parse(DEADLOCK), target="cuda -arch=sm_80")
    device = kc.cuda(0)
    x = kc.nd.array(random(64), device)
    calls = (
        lambda: module(x),
        module["main"].prepare(x),
        lambda: module.time_evaluator("main", device)(x),
    )
    for call in calls:
        with pytest.raises(KCError) as caught:
            call()
        assert str(caught.value) == (
            "error[KC6308]: k: threads of 1 block wait for an event that never occurs\n"
            "  why: a barrier, an mbarrier or a copy that they wait for never completes; a GPU "
            "would hang. The emulator ended the threads: the output of the kernel is undefined\n"
            "  try: kc.gpu.check reports which threads wait, where, and for what"
        )
    assert capfd.readouterr().err == ""


def _plain() -> Any:
    A = te.placeholder((100,), name="A")
    B = te.compute((100,), lambda i: A[i] + 1.0, name="B")
    return te.create_schedule(B.op), [A, B]


class FakeBindings(types.ModuleType):
    """`cuda.bindings.driver`, whose functions return a tuple that begins with a CUresult."""

    def __init__(self, library: Any) -> None:
        super().__init__("cuda.bindings.driver")
        self.library = library

    def cuGetProcAddress(self, symbol: bytes, cudaVersion: int, flags: int) -> Any:  # noqa: N802, N803
        assert isinstance(symbol, bytes)
        address, status = ctypes.c_void_p(), ctypes.c_int()
        result = self.library.cuGetProcAddress_v2(
            symbol, ctypes.byref(address), cudaVersion, ctypes.c_uint64(flags), ctypes.byref(status)
        )
        return result, address.value or 0, status.value


def test_bindings(fake: FakeGpu, monkeypatch: pytest.MonkeyPatch):
    bindings = types.ModuleType("cuda.bindings")
    bindings.driver = FakeBindings(fake.library)  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "cuda", types.ModuleType("cuda"))
    monkeypatch.setitem(sys.modules, "cuda.bindings", bindings)
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", bindings.driver)
    monkeypatch.setenv("KC_CUDA", "bindings")
    driver.forget()
    program(fake, "bindings")
    assert driver.require_driver("a test").version() == 12040


def has_bindings() -> bool:
    try:
        return importlib.util.find_spec("cuda.bindings") is not None
    except ImportError:
        return False


needs_bindings = pytest.mark.skipif(not has_bindings(), reason="cuda-bindings is not installed")


@needs_bindings
def test_the_package_cuda_bindings():
    """NVIDIA's package itself, which finds the fake driver by its name."""
    if not fake_gpu.compiled():
        pytest.skip("no cc, which compiles the fake driver")
    text = f"""
import os, sys
sys.path[:0] = [{HERE!r}]
os.environ["KC_CUDA"] = "bindings"
import fake_gpu, test_adapters
test_adapters.program(fake_gpu.FakeGpu({fake_gpu.compiled()!r}), "bindings")
print("well")
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.stdout == "well\n", done.stderr


@needs_bindings
def test_the_package_cuda_bindings_without_a_driver():
    text = """
import ctypes, os
os.environ["KC_CUDA"] = "bindings"
import kc
try:
    ctypes.CDLL("libcuda.so.1")
    print("there is a driver")
except OSError:
    try:
        kc.cuda(0).require()
    except kc.KCError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    if done.stdout == "there is a driver\n":
        pytest.skip("this machine has a driver")
    first, second, *rest = done.stdout.splitlines()
    assert first == "error[KC6201]: there is no device cuda(0)"
    assert second.startswith("   |  cuda-bindings: it finds no driver: ")
    assert rest == [
        "  try: KC_CUDA=emu in the environment: an emulated one, on this CPU",
        "  try: NVIDIA's driver brings the library libcuda",
        "  try: kc.cpu(0)",
    ]


@pytest.fixture
def pycuda(fake: FakeGpu, monkeypatch: pytest.MonkeyPatch) -> FakeGpu:
    """A fake with pycuda's signatures as the way to the fake driver: pycuda's build takes CUDA's
    toolkit."""
    fake_pycuda.use(fake.library)
    package = types.ModuleType("pycuda")
    package.driver = fake_pycuda  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "pycuda", package)
    monkeypatch.setitem(sys.modules, "pycuda.driver", fake_pycuda)
    monkeypatch.setenv("KC_CUDA", "pycuda")
    driver.forget()
    return fake


def test_pycuda(pycuda: FakeGpu):
    before = pycuda.count(ALLOCS) - pycuda.count(FREES)
    program(pycuda, "pycuda")
    assert pycuda.count(ALLOCS) - pycuda.count(FREES) == before


class OnStream:
    """An array of another library, whose values another stream writes."""

    def __init__(self, array: Any, stream: int) -> None:
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "stream": stream}


def test_streams_of_pycuda(pycuda: FakeGpu):
    """They have the driver's numbers. Those of others are waited for, and nothing is queued in
    them: pycuda has no objects for them."""
    device, a = kc.cuda(0), random(100)
    module = pycuda.build(*gpu_schedules.add())
    stream = device.create_raw_stream()
    x = kc.nd.array(a, device)
    device.set_raw_stream(stream)
    assert x.__cuda_array_interface__["stream"] == stream  # pyright: ignore
    y = module(x, x)
    device.set_raw_stream(0)
    foreign = ctypes.c_void_p()
    assert device.gpu.driver.name == "pycuda"
    with device.gpu.active("a stream of another library"):
        assert pycuda.library.cuStreamCreate(ctypes.byref(foreign), 1) == 0
    for number in (stream, 1, 2, foreign.value):  # 1 and 2 are the default streams
        np.testing.assert_array_equal(module(OnStream(y, number or 0), x).numpy(), 3 * a)
    device.set_raw_stream(foreign.value or 0)
    with pytest.raises(KCError) as caught:
        module(x, x)
    assert str(caught.value) == (
        "error[KC6036]: the launch of main_kernel on cuda(0): CUDA_ERROR_INVALID_HANDLE\n"
        "   |  in the call of main\n"
        "   |  launched: grid (2, 1, 1), block (64, 1, 1), 0 bytes of dynamic shared memory\n"
        f"  why: stream {foreign.value} is of another library, and pycuda queues nothing in such "
        "streams"
    )
    device.set_raw_stream(0)
    np.testing.assert_array_equal(module(x, x).numpy(), 2 * a)
    device.free_raw_stream(stream)
    with device.gpu.active("a stream of another library"):
        pycuda.library.cuStreamDestroy_v2(foreign)


def test_what_pycuda_says_of_a_launch(pycuda: FakeGpu):
    module = pycuda.build(*gpu_schedules.add())
    x = kc.nd.array(random(100), kc.cuda(0))
    module(x, x)
    pycuda.library.fake_kernels(32, 255)
    with pytest.raises(KCError) as caught:
        module(x, x)
    assert str(caught.value) == (
        "error[KC6036]: the launch of main_kernel on cuda(0): LaunchError\n"
        "   |  in the call of main\n"
        "   |  launched: grid (2, 1, 1), block (64, 1, 1), 0 bytes of dynamic shared memory\n"
        "  why: cuLaunchKernel failed: too many resources requested for launch"
    )


def test_drivers_are_tried_in_turn(fake: FakeGpu, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("KC_CUDA")
    for package in ("cuda", "cuda.bindings", "cuda.bindings.driver"):
        monkeypatch.setitem(sys.modules, package, None)
    driver.forget()
    seen = driver.search()
    assert seen.driver is not None
    assert seen.driver.name == "ctypes"


def test_a_driver_without_devices(fake: FakeGpu):
    fake.configure(devices=0)
    with pytest.raises(KCError) as caught:
        kc.nd.empty((3,), "float32", kc.cuda(0))
    assert str(caught.value) == (
        "error[KC6201]: there is no device cuda(0)\n"
        "   |  the driver's library: cuInit: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is "
        "detected)\n"
        "  try: KC_CUDA=emu in the environment: an emulated one, on this CPU\n"
        "  try: kc.cpu(0)"
    )


def test_a_driver_that_is_too_old_for_the_ptx(fake: FakeGpu):
    fake.configure(version=11040, capability=80)
    module = fake.build(*gpu_schedules.add())
    a = kc.nd.array(random(10), kc.cuda(0))
    with pytest.raises(KCError) as caught:
        module(a, a)
    assert str(caught.value) == (
        "error[KC6033]: the code is PTX 8.0, and the driver reads up to 7.4\n"
        "   |  the driver serves CUDA 11.4\n"
        "  why: this PTX came with CUDA 12.0\n"
        "  try: a newer driver\n"
        "  try: an older architecture: -arch=sm_75 is PTX 8.0"
    )


@pytest.mark.parametrize(
    ("arch", "capability", "why"),
    [
        ("sm_90", 80, "PTX runs on its architecture and on later ones"),
        (
            "sm_90a",
            100,
            "PTX runs on its architecture and on later ones; with an a, on that one alone",
        ),
    ],
)
def test_code_for_another_architecture(fake: FakeGpu, arch: str, capability: int, why: str):
    fake.configure(capability=capability)
    module = fake.build(*gpu_schedules.add(), target=f"cuda -arch={arch}")
    a = kc.nd.array(random(10), kc.cuda(0))
    with pytest.raises(KCError) as caught:
        module(a, a)
    assert str(caught.value) == (
        f"error[KC6034]: the code is for {arch}, and cuda(0) is an sm_{capability}\n"
        "   |  cuda(0): a fake GPU, number 0\n"
        f"  why: {why}\n"
        f'  try: target="cuda -arch=sm_{capability}"'
    )


@pytest.mark.parametrize("debug_info", [False, True])
def test_ptx_that_the_driver_refuses(fake: FakeGpu, debug_info: bool):
    """The line of the program is named; without debug information it is looked for then."""
    s, args = gpu_schedules.add(100)
    with kc.transform.PassContext(config={"kc.debug_info": debug_info}):
        module = fake.build(s, args)
    lines = module.get_source("ptx").splitlines()
    number = next(n for n, line in enumerate(lines, 1) if "add.f32" in line)
    fake.refuses = f"ptxas application ptx input, line {number}; error   : Unknown modifier '.f32'"
    a = kc.nd.array(random(100), kc.cuda(0))
    with pytest.raises(KCError) as caught:
        module(a, a)
    source = Path(gpu_schedules.__file__).read_text().splitlines()
    line = next(n for n, text in enumerate(source, 1) if "A[i] + B[i]" in text)
    assert str(caught.value) == (
        "error[KC6032]: cuda(0) refuses the code: CUDA_ERROR_INVALID_PTX\n"
        f"  --> {gpu_schedules.__file__}:{line}  {source[line - 1].strip()}\n"
        f"   |  PTX line {number}: Unknown modifier '.f32'\n"
        f"   |    {lines[number - 1].strip()}\n"
        "  why: its driver serves CUDA 12.4 and compiles PTX when it is loaded\n"
        "  try: module.imported_modules[0].get_source() is the PTX"
    )
    fake.refuses = ""
    np.testing.assert_array_equal(module(a, a).numpy(), 2 * a.numpy())
