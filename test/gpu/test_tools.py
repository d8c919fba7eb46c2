"""kc-run, the compile cache and `kc doctor` where there is a GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gpu_schedules
import numpy as np
import pytest
from fake_gpu import LAUNCHES, FakeGpu

import kc
from kc.building import compile_cache
from kc.runtime.gpu.code import DeviceCode
from kc.tools import kc_run
from kc.tools._doctor import doctor

ADD = """
func.func @main(%A: memref<100xf32>, %B: memref<100xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %t in 25 thread "threadIdx.x" {
      %0 = tir.load %A[%b * 25 + %t] : memref<100xf32>
      %1 = arith.addf %0, %0 : f32
      tir.store %1, %B[%b * 25 + %t] : memref<100xf32>
    }
  }
  func.return
}
"""


@pytest.fixture
def registered(fake: FakeGpu, monkeypatch: pytest.MonkeyPatch) -> FakeGpu:
    """Code is known to the fake GPU when it is loaded there."""
    load = DeviceCode.on

    def known(code: DeviceCode, gpu: Any) -> Any:
        fake.codes[code.ptx] = code
        return load(code, gpu)

    monkeypatch.setattr(DeviceCode, "on", known)
    return fake


def test_kc_run(registered: FakeGpu, tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    file, a, b = tmp_path / "add.mlir", tmp_path / "a.npy", tmp_path / "b.npy"
    file.write_text(ADD)
    source = gpu_schedules.random(100)
    np.save(a, source)
    np.save(b, source + source)
    arguments = [str(file), "--target=cuda", f"--args={a},{a}", f"--check={b}", "--time"]
    status = kc_run.main([*arguments, f"-o={tmp_path / 'out.npy'}"])
    assert status == 0, capfd.readouterr().err
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), source + source)
    assert registered.count(LAUNCHES) > 5
    assert "Execution time summary" in capfd.readouterr().err


def test_the_compile_cache(registered: FakeGpu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """PTX, host code and kernels come from the cache, by the architecture."""
    from kc.backends import cuda

    monkeypatch.setenv("KC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compile_cache, "source_state", lambda: "state 1")
    compiled: list[int] = []
    compile_ = cuda._compile

    def counted(build: Any) -> Any:
        compiled.append(1)
        return compile_(build)

    monkeypatch.setattr(cuda, "_compile", counted)
    a = gpu_schedules.random(70)
    modules: list[Any] = []
    for arch in ("sm_80", "sm_80", "sm_90"):
        module = kc.build(*gpu_schedules.two_kernels(), target=f"cuda -arch={arch}")
        x = kc.nd.array(a, kc.cuda(0))
        np.testing.assert_allclose(module(x, x, 1.0).numpy(), 4 * a + 1, rtol=1e-6)
        modules.append(module)
    assert len(compiled) == 2
    texts = [entry.content.text for entry in compile_cache.entries() if entry.content is not None]
    assert sum(".target sm_" in text for text in texts) == 2  # beside those of the emulator
    for kind in ("te", "tir", "gpu", "mlir", "ll", "ptx"):
        assert modules[0].get_source(kind) == modules[1].get_source(kind), kind
    assert ".target sm_90" in modules[2].get_source("ptx")
    module = kc.build(*gpu_schedules.add(), target="cuda -arch=sm_80")
    assert len(compiled) == 3


def test_the_doctor(fake: FakeGpu):
    fake.configure(devices=2)
    text = doctor()
    assert (
        "  cuda(0)         a fake GPU, number 0, sm_90; CUDA 12.4, by ctypes\n"
        "  cuda(1)         a fake GPU, number 1, sm_90; CUDA 12.4, by ctypes\n"
    ) in text
    fake.configure(devices=0)
    assert (
        "  cuda            the driver's library: cuInit: CUDA_ERROR_NO_DEVICE (no CUDA-capable "
        "device is detected)\n"
    ) in doctor()
