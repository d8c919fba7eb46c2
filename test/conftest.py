"""How tests run: properties on the same examples every time, interrupts as in a terminal; and a
machine without a GPU."""

import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("kc", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None, max_examples=2000)
settings.load_profile("kc")

# A shell starts what runs in its background with interrupts ignored, which tests of them inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def no_driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No way to a GPU, whatever this machine has."""
    from kc.runtime.gpu import driver, libcuda

    monkeypatch.delenv("KC_CUDA", raising=False)
    monkeypatch.setattr(libcuda, "_open_library", lambda name: None)
    for package in ("cuda", "cuda.bindings", "cuda.bindings.driver", "pycuda"):
        monkeypatch.setitem(sys.modules, package, None)
    driver.forget()
    yield
    driver.forget()
