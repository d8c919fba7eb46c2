"""How tests run: properties on the same examples every time, interrupts as in a terminal; and a
machine without a GPU."""

import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

settings.register_profile("kc", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("sweep", deadline=None, derandomize=True, max_examples=200)
settings.register_profile("fuzz", deadline=None, max_examples=2000)
settings.load_profile("kc")

# Hypothesis also draws constants of the modules that happen to be imported: examples would depend
# on which tests ran before, and every process would parse the sources of all of kc.
providers._get_local_constants = lambda: providers._local_constants

# A shell starts what runs in its background with interrupts ignored, which tests of them inherit.
# The help is as wide as it says.
os.environ.pop("COLUMNS", None)
os.environ["KC_PTXAS"] = "none"  # numbers are the same where it is installed

signal.signal(signal.SIGINT, signal.default_int_handler)


COLLECTED = 20_000
"""New objects after which garbage is collected."""


def pytest_collection_finish() -> None:
    """What is imported stays. Of IR, which is full of cycles, much is made."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECTED)


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
