"""Settings of all tests: properties use the same examples every time, interrupts work as in a
terminal, the machine seems to have no GPU, and kernels also run on one beside the emulator.
"""

import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from property_tests import leave_products_to_sweeps

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
os.environ.setdefault("KC_CACHE_DIR", "none")  # what is built is built in each run
os.environ["KC_RATES"] = "none"  # and schedules where this machine was measured

signal.signal(signal.SIGINT, signal.default_int_handler)


COLLECTED = 20_000
"""New objects after which garbage is collected."""


@pytest.hookimpl(tryfirst=True)  # before those are left out that `-m` does not choose
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    leave_products_to_sweeps(items)


def pytest_collection_finish() -> None:
    """Exclude imported objects from garbage collection, and set the interval between collections.

    IR is full of cycles, so collections are frequent by default.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECTED)


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "repeat on this machine's GPU what kc.gpu.check runs in the emulator"
    parser.addoption("--on-gpu", action="store_true", help=text)


@pytest.fixture(autouse=True)
def on_gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """``--on-gpu``: see gpu_runs.py. Tests of other drivers keep theirs."""
    if not request.config.getoption("--on-gpu") or {"fake", "no_driver"} & {*request.fixturenames}:
        yield
        return
    import gpu_runs

    arch = gpu_runs.architecture()
    if arch is None:
        pytest.fail("--on-gpu: no NVIDIA GPU")
    repeated = gpu_runs.Repeated(arch, monkeypatch)
    yield
    request.node.user_properties.append(("on_gpu", repeated.count))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not terminalreporter.config.getoption("--on-gpu"):
        return
    ended = [it for it in terminalreporter.getreports("") if it.when == "teardown"]
    count = sum(n for it in ended for name, n in it.user_properties if name == "on_gpu")
    terminalreporter.write_line(f"{count} kernels ran on the GPU and agreed with the emulator")


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
