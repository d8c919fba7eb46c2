"""Arrays for kernels: ``kc.nd.array(x)``, ``kc.nd.empty(shape, dtype)`` and devices."""

from kc.runtime.ndarray import *  # noqa: F403
from kc.runtime.ndarray import __all__ as __all__
from kc.runtime.ndarray import __dir__ as __dir__
