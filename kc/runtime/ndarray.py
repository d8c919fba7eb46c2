"""Arrays for kernels: ``kc.nd.array(x)``, ``kc.nd.empty(shape, dtype)`` and devices."""

from kc.runtime.array import NDArray, array, empty, from_dlpack
from kc.runtime.device import cpu, cuda, device

__all__ = ["NDArray", "array", "cpu", "cuda", "device", "empty", "from_dlpack"]


def __dir__() -> list[str]:
    return sorted(__all__)
