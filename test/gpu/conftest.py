"""The fake GPU as a fixture, and tests on a real one, which are skipped where there is none."""

import gc
import os
from collections.abc import Iterator

import fake_gpu
import pytest

from kc.runtime.gpu import driver, libcuda


@pytest.fixture(scope="module", autouse=True)
def collected() -> None:
    """Exclude the objects of earlier tests from garbage collections in a test."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[fake_gpu.FakeGpu]:
    """A GPU that is found as a real one is, by the library of its driver."""
    path = fake_gpu.compiled()
    if not path:
        pytest.skip("no cc, which compiles the fake driver")
    monkeypatch.setenv("KC_CUDA", "ctypes")
    # Many tests compile the same kernels, for the driver and for the emulator.
    monkeypatch.setenv("KC_CACHE_DIR", os.path.join(os.path.dirname(path), "cache"))
    monkeypatch.setattr(libcuda, "LIBRARIES", (path,))
    driver.forget()
    gpu = fake_gpu.FakeGpu(path)
    yield gpu
    monkeypatch.setenv("KC_CUDA", "ctypes")
    gpu.finish()
    driver.forget()
