"""The lessons and random schedules on a GPU, compared with the emulator: `pytest -m gpu test/gpu`.

Without a GPU the same comparisons run on the fake one, a few of each: kernels there are those of
the emulator, and what is tested is this file, and the host code of these programs.
"""

from __future__ import annotations

import contextlib
import io
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_gpu import FakeGpu
from gpu_runs import Repeated, compare, on_device

import kc
from kc import te
from kc.runtime.gpu import driver
from kc.support.diagnostics import KCError, diagnostic_handler

ROOT = Path(__file__).parents[2]
LESSONS = sorted(ROOT.glob("examples/lessons/*gpu*.py"))
CASES, PARTS = 300, 10
"""Random schedules that become kernels, and the tests that share them."""

sys.path[:0] = [str(ROOT / "test" / folder) for folder in ("fuzz", "te", "transforms/schedule")]

gpu = pytest.mark.gpu
Prepare = Callable[[Any], Any]


@pytest.fixture
def real_gpu(monkeypatch: pytest.MonkeyPatch) -> str:
    """The target of the GPU of this machine."""
    monkeypatch.delenv("KC_CUDA", raising=False)
    driver.forget()
    if driver.search().driver is None:
        pytest.skip("no NVIDIA GPU")
    if (kc.cuda(0).device_name or "").startswith("a fake GPU"):
        pytest.skip("other tests loaded the fake driver: pytest -m gpu test/gpu")
    version = kc.cuda(0).compute_version or ""
    return f"cuda -arch=sm_{version.replace('.', '')}"


def run_lesson(path: Path, prepare: Prepare, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a lesson, each of whose kernels runs on the device as well; how many did."""
    check = kc.gpu.check
    count = 0

    def both(module: Any, *arrays: Any, **options: Any) -> Any:
        nonlocal count
        before = [np.array(array) for array in arrays]
        report = check(module, *arrays, **options)
        if report.ok:
            for array, result in zip(arrays, on_device(prepare(module), before), strict=True):
                compare(array, result)
            count += 1
        return report

    monkeypatch.setattr(kc.gpu, "check", both)
    with contextlib.redirect_stdout(io.StringIO()), diagnostic_handler(lambda _: None):
        runpy.run_path(str(path))
    return count


def run_case(number: int, target: str, prepare: Prepare, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Run a random case of kernels; whether it came to a kernel, which ran on the device too."""
    import cases
    import launching

    emulate = launching.emulate
    launched = False

    def both(random: Any, mod: Any, arrays: list[Any], **options: Any) -> None:
        nonlocal launched
        before = [np.array(array) if hasattr(array, "shape") else array for array in arrays]
        emulate(random, mod, arrays, **options)
        module = prepare(kc.build(mod, target=target))
        signature = module[module.entry_name].signature
        if any(spec.strides is not None for spec in signature.args):
            return  # arrays of kc.nd on a device are dense
        for array, result in zip(arrays, on_device(module, before), strict=True):
            compare(array, result)
        launched = True

    monkeypatch.setattr(cases, "emulate", both)
    # That the interpreter agrees is tested elsewhere, and takes much longer.
    monkeypatch.setattr(cases, "check_interpreted", lambda *_, **__: None)
    outcome = cases.run_case(number, family="kernels", native=False)
    if outcome.error is not None:
        raise outcome.error
    return launched


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
@gpu
def test_lessons(lesson: Path, real_gpu: str, monkeypatch: pytest.MonkeyPatch):
    repeated = Repeated(real_gpu.rpartition("=")[2], monkeypatch)
    with contextlib.redirect_stdout(io.StringIO()), diagnostic_handler(lambda _: None):
        runpy.run_path(str(lesson))
    assert repeated.count > 0


@pytest.mark.parametrize("part", range(PARTS))
@gpu
def test_random_schedules(part: int, real_gpu: str, monkeypatch: pytest.MonkeyPatch):
    launched = 0
    for number in range(part, 100 * CASES, PARTS):
        launched += run_case(number, real_gpu, lambda module: module, monkeypatch)
        if launched == CASES // PARTS:
            return
    pytest.fail(f"{launched} kernels of {100 * CASES // PARTS} cases")


@gpu
def test_a_kernel_that_leaves_its_memory(real_gpu: str):
    """The driver says so, and kc says how to find it; the process has no context after it."""
    import subprocess

    program = """
import kc
text = '''
module attributes {gpu.container_module} {
  func.func @main(%A: memref<8xf32>, %i: index) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%A : memref<8xf32>, %i : index)
    func.return
  }
  gpu.module @k {
    gpu.func @f(%A: memref<8xf32>, %i: index) kernel {
      %x = arith.constant 1.0 : f32
      memref.store %x, %A[%i] : memref<8xf32>
      gpu.return
    }
  }
}'''
module = kc.build(kc.IRModule.parse(text), target="TARGET")
a = kc.nd.empty((8,), "float32", kc.cuda(0))
module(a, 1 << 44)
try:
    kc.cuda(0).sync()
except kc.KCError as error:
    print(error.code)
"""
    program = program.replace("TARGET", real_gpu)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "KC6031\n", done.stderr


# Arrays of other libraries ------------------------------------------------------------------------


def doubled(target: str) -> Any:
    """A kernel: B = 2 A, of any length."""
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] * 2.0, name="B")
    s = te.create_schedule(B.op)
    block, thread = s[B].split(B.op.axis[0], 256)
    s[B].bind(block, te.thread_axis("blockIdx.x"))
    s[B].bind(thread, te.thread_axis("threadIdx.x"))
    return kc.build(s, [A, B], target=target)


@gpu
def test_arrays_of_torch(real_gpu: str):
    """Kernels take them, in the order of torch's stream; memory is shared in both directions."""
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch has no GPU")
    module = doubled(real_gpu)
    x = torch.arange(1 << 20, dtype=torch.float32, device="cuda")
    y = torch.empty_like(x)
    stream = torch.cuda.Stream()
    for queue in (torch.cuda.current_stream(), stream):
        with torch.cuda.stream(queue):
            for _ in range(20):  # a chain: each kernel reads what torch has queued before it
                z = x + 1.0
                module(z, y)
                assert torch.equal(y, z * 2.0)
    shared = kc.nd.from_dlpack(x)
    shared[:] = np.zeros(1 << 20, "float32")
    kc.cuda(0).sync()
    assert not x.any()
    array = kc.nd.array(np.arange(8, dtype="float32"), kc.cuda(0))
    assert torch.equal(torch.from_dlpack(array).cpu(), torch.arange(8, dtype=torch.float32))
    with pytest.raises(KCError, match="KC5115"):
        module(x.cpu(), y)


@gpu
def test_arrays_of_cupy(real_gpu: str):
    cupy = pytest.importorskip("cupy")
    module = doubled(real_gpu)
    x = cupy.arange(1000, dtype="float32")
    y = cupy.empty_like(x)
    module(x + 1.0, y)
    np.testing.assert_array_equal(y.get(), 2.0 * (np.arange(1000) + 1))
    array = kc.nd.array(np.arange(8, dtype="float32"), kc.cuda(0))
    np.testing.assert_array_equal(cupy.asarray(array).get(), np.arange(8))


# Without a GPU -----------------------------------------------------------------------------------


LESSON = """
import numpy as np
import kc
from kc import te

A = te.placeholder((8, 100), name="A")
k = te.reduce_axis((0, 100), name="k")
S = te.compute((8,), lambda i: te.sum(A[i, k], axis=k), name="S")
s = te.create_schedule(S.op)
_, thread = s[S].split(S.op.reduce_axis[0], 64)
s[S].bind(S.op.axis[0], te.thread_axis("blockIdx.x"))
s[S].bind(thread, te.thread_axis("threadIdx.x"))
module = kc.build(s, [A, S], target="cuda -arch=sm_80")
for n in range(2):
    a, sums = np.random.rand(8, 100).astype("float32"), np.zeros(8, "float32")
    assert kc.gpu.check(module, a, sums).ok
    np.testing.assert_allclose(sums, a.sum(1), rtol=1e-5)
"""


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    path = tmp_path / "lesson.py"
    path.write_text(LESSON)
    return path


def test_a_lesson_without_a_gpu(lesson: Path, fake: FakeGpu, monkeypatch: pytest.MonkeyPatch):
    assert run_lesson(lesson, fake.register, monkeypatch) == 2


def test_a_wrong_result_is_told(lesson: Path, fake: FakeGpu, monkeypatch: pytest.MonkeyPatch):
    """The comparison fails where the device computes something else."""

    def wrong(module: Any) -> Any:
        return lambda *arrays: arrays[-1].copyfrom(np.ones(arrays[-1].shape, "float32"))

    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        run_lesson(lesson, wrong, monkeypatch)
    with pytest.raises(AssertionError):
        compare(np.arange(3), np.arange(3) + 1)


@pytest.mark.parametrize("number", [10, 14, 21, 24])
def test_random_schedules_without_a_gpu(
    number: int, fake: FakeGpu, monkeypatch: pytest.MonkeyPatch
):
    assert run_case(number, "cuda -arch=sm_80", fake.register, monkeypatch)


def test_no_gpu_is_no_device(no_driver: None):
    with pytest.raises(KCError, match="KC6201"):
        kc.cuda(0).require()
