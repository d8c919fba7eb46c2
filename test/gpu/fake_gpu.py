"""A GPU for tests: `fake_libcuda.c` as the driver, and kernels that the emulator runs."""

from __future__ import annotations

import ctypes
import functools
import gc
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import kc
from kc.runtime.emulator import ensure_emulator
from kc.runtime.gpu import driver
from kc.runtime.gpu.code import DeviceCode
from kc.runtime.gpu.emulated import EmulatedDriver

SOURCE = Path(__file__).with_name("fake_libcuda.c")
LAUNCHES, ALLOCS, FREES, STREAMS, EVENTS, SYNCHRONIZATIONS, LOADS, MAPS = range(8)
INVALID_PTX, ILLEGAL_ADDRESS = 218, 700

_LoadHook = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char), ctypes.c_int
)
_LaunchHook = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_uint),
    ctypes.POINTER(ctypes.c_void_p),
)


_folders: list[tempfile.TemporaryDirectory[str]] = []


@functools.cache
def compiled() -> str:
    """The path of the compiled library, in a folder that ends with the process; "" without a C
    compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return ""
    _folders.append(tempfile.TemporaryDirectory())
    path = os.path.join(_folders[0].name, "libcuda.so.1")
    options = ["-O1", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", path]
    subprocess.run([compiler, *options, str(SOURCE), "-ldl"], check=True)
    return path


class FakeGpu:
    """The driver of a test: what was asked of it, and how it is."""

    def __init__(self, path: str) -> None:
        # It is found by its name from now on, as the driver's library is.
        self.library = ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
        self.library.fake_configure.argtypes = [*[ctypes.c_int] * 4, ctypes.c_size_t]
        self.codes: dict[str, DeviceCode] = {}
        self.refuses = ""
        self.launch_result = 0
        self._emulator = EmulatedDriver()
        self._functions: dict[tuple[str, str], int] = {}
        self._hooks = _LoadHook(self._load), _LaunchHook(self._launch)
        self.library.fake_hooks(*self._hooks)
        self.library.fake_encoder(ctypes.c_void_p(ensure_emulator()["kc_emu_encode"]))
        self.configure()
        self.library.fake_kernels(1024, 32)
        self._before = [self.library.fake_count(which) for which in range(8)]

    def configure(
        self,
        devices: int = 1,
        version: int = 12040,
        capability: int = 90,
        pools: bool = True,
        memory: int = 1 << 30,
    ) -> None:
        """Set the number of devices, the version of CUDA that they serve, and their
        capabilities.
        """
        self.library.fake_configure(devices, version, capability, pools, memory)
        driver.forget()

    def finish(self) -> None:
        """Run what is queued, and give back what the test left."""
        self.configure()
        gc.collect()
        kc.cuda(0).sync()

    def count(self, which: int) -> int:
        """The number of calls of a function since the test began."""
        return self.library.fake_count(which) - self._before[which]

    def register(self, module: Any) -> Any:
        """Let the emulator run the kernels of a module."""
        for function in module.functions.values():
            self.codes[function.code.ptx] = function.code
        return module

    def build(self, *args: Any, **keywords: Any) -> Any:
        """``kc.build``, whose kernels the emulator runs."""
        return self.register(kc.build(*args, **{"target": "cuda -arch=sm_80", **keywords}))

    def _load(self, ptx: bytes, error: Any, size: int) -> int:
        if not self.refuses:
            return 0
        said = self.refuses.encode()[: size - 1] + b"\0"
        ctypes.memmove(error, said, len(said))
        return INVALID_PTX

    def _launch(self, ptx: bytes, kernel: bytes, sizes: Any, parameters: Any) -> int:
        if self.launch_result:
            return self.launch_result
        key = ptx.decode(), kernel.decode()
        if key not in self._functions:
            module, _ = self._emulator.load(self.codes[key[0]])
            for name in self.codes[key[0]].kernels:
                self._functions[key[0], name] = self._emulator.function(module, name)
        self._emulator.run(self._functions[key], tuple(sizes[n] for n in range(7)), parameters)
        return 0
