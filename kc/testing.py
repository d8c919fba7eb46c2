"""Helpers for tests of kernels, by the names of ``tvm.testing``."""

from __future__ import annotations

from typing import Any

__all__ = ["assert_allclose", "device_enabled"]


def assert_allclose(actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 1e-7) -> None:
    """Raise AssertionError if two arrays differ by more than ``atol + rtol * abs(desired)``.

    They are arrays of numpy or of ``kc.nd``, or numbers, of one shape: unlike numpy's function of
    this name it does not broadcast. NaN equals NaN.
    """
    import numpy as np

    actual, desired = np.asarray(actual), np.asarray(desired)
    np.testing.assert_equal(actual.shape, desired.shape, "the shapes differ")
    np.testing.assert_allclose(actual, desired, rtol=rtol, atol=atol, verbose=True)


def device_enabled(target: Any) -> bool:
    """True if kernels for the target can run here."""
    from kc.runtime.device import enabled

    return enabled(str(target))


def __dir__() -> list[str]:
    return sorted(__all__)
