"""Kernels on the GPU of this machine, beside the emulator: `pytest --on-gpu`.

With this option each call of `kc.gpu.check` that reports nothing is repeated on the GPU, with the
same arguments, and both have to agree. Kernels for an architecture that the GPU lacks stay where
they are.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

import kc
from kc.runtime.gpu import driver
from kc.runtime.module import Module
from kc.target import Target


def architecture() -> str | None:
    """The architecture of this machine's GPU, such as ``sm_90``; None without one."""
    driver.forget()
    if driver.search().driver is None:
        return None
    return f"sm_{(kc.cuda(0).compute_version or '').replace('.', '')}"


def on_device(module: Any, arrays: Any) -> list[Any]:
    """The arguments after a call on the device; scalars are unchanged."""
    device = kc.cuda(0)
    on_gpu = [
        kc.nd.array(value, device) if isinstance(value, np.ndarray) else value for value in arrays
    ]
    module(*on_gpu)
    assert not any(isinstance(value, np.ndarray) for value in on_gpu)
    return [value.numpy() if isinstance(value, kc.nd.NDArray) else value for value in on_gpu]


def compare(expected: Any, result: Any) -> None:
    """Integers are equal; floats may be rounded otherwise, as a GPU fuses other products."""
    expected, result = np.asarray(expected), np.asarray(result)
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(result, expected)
        return
    epsilon = _epsilon(expected.dtype)
    expected, result = expected.astype("float64"), result.astype("float64")
    finite = np.abs(expected[np.isfinite(expected)])
    scale = float(finite.max()) if finite.size else 0.0
    np.testing.assert_allclose(
        *(result, expected),
        rtol=max(1e-3, 4 * epsilon),
        # What is rounded on the way is as large as the largest values.
        atol=max(1e-5, epsilon / 4) * scale,
        equal_nan=True,
    )


def _epsilon(dtype: np.dtype[Any]) -> float:
    """The distance from 1 to the next number of a type of floats, ml_dtypes' included."""
    import ml_dtypes

    return float(ml_dtypes.finfo(dtype).eps)


def target_on(arch: str, target: Any) -> str | None:
    """The target of the same kernels on a GPU of an architecture; None where it cannot run them."""
    target = Target(target) if isinstance(target, str) else target
    if target.kind.name not in ("cuda", "cuda-emu"):
        return None
    text = str(target).replace("cuda-emu", "cuda")
    wanted = target.attrs.get("arch") if " -arch" in text else None
    if wanted is None:
        return f"{text} -arch={arch}"
    number = int("".join(filter(str.isdigit, wanted)))
    own = int("".join(filter(str.isdigit, arch)))
    is_specific = wanted[-1].isalpha()
    return text if (number == own if is_specific else number <= own) else None


class Repeated:
    """Checks that are repeated on a GPU: ``count`` of them so far."""

    def __init__(self, arch: str, patch: pytest.MonkeyPatch) -> None:
        self.arch = arch
        self.count = 0
        self._builds: weakref.WeakKeyDictionary[Module, tuple[Any, Any]] = (
            weakref.WeakKeyDictionary()
        )
        self._build, self._check = kc.build, kc.gpu.check
        patch.setattr(kc, "build", self._recorded)
        patch.setattr(kc.gpu, "check", self._both)

    def _recorded(self, *args: Any, **options: Any) -> Any:
        module = self._build(*args, **options)
        self._builds[module] = args, options
        return module

    def _for_device(self, module: Any, options: dict[str, Any]) -> Any:
        """The same program for this GPU, or None."""
        if not isinstance(module, Module):
            target = target_on(self.arch, options.get("target", "cuda-emu"))
            module = kc.IRModule.parse(module) if isinstance(module, str) else module
            return target and self._build(module, target=target)
        if module not in self._builds:
            return None
        args, given = self._builds[module]
        target = target_on(self.arch, given.get("target", "llvm"))
        return target and self._build(*args, **{**given, "target": target})

    def _both(self, module: Any, *arrays: Any, **options: Any) -> Any:
        before = [np.array(it) if isinstance(it, np.ndarray) else it for it in arrays]
        report = self._check(module, *arrays, **options)
        dense = all(
            it.flags.c_contiguous or it.size == 0 for it in arrays if isinstance(it, np.ndarray)
        )
        if report.ok and dense and (device := self._for_device(module, options)):
            name = options.get("name")
            results = on_device(device if name is None else device[name], before)
            for array, result in zip(arrays, results, strict=True):
                if isinstance(array, np.ndarray):
                    compare(array, result)
            self.count += 1
        return report
