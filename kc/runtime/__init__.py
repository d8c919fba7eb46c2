"""Running compiled kernels: arrays, devices, calls and modules. Knows no IR."""

from importlib import import_module as _import_module
from typing import Any as _Any

# Public name -> the module that defines it; loaded at first use.
_LAZY = {
    "ArgSpec": "kc.runtime.signature",
    "BenchmarkResult": "kc.runtime.timing",
    "CompiledFunction": "kc.runtime.function",
    "Device": "kc.runtime.device",
    "Module": "kc.runtime.module",
    "NDArray": "kc.runtime.array",
    "Signature": "kc.runtime.signature",
    "cpu": "kc.runtime.device",
    "cuda": "kc.runtime.device",
}


def __getattr__(name: str) -> _Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'kc.runtime' has no attribute '{name}'")
    value = getattr(_import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
