"""``relay.quantize``: TVM's names for quantization after training, which kc does not have yet."""

from __future__ import annotations

from typing import Any

from kc.support.diagnostics import UnknownName
from kc.tvm.relay.later_passes import LATER, later

_NAMES = ("quantize", "qconfig", "annotate", "calibrate", "realize", "partition", "QConfig")


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise UnknownName(f"module 'kc.relay.quantize' has no attribute '{name}'", name=name)
    return later("relay.quantize", name, LATER["quantize"])


def __dir__() -> list[str]:
    return sorted(_NAMES)
