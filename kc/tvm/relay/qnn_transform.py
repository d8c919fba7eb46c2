"""``relay.qnn.transform``: the passes of quantized operators by Relay's names."""

from __future__ import annotations

from typing import Any

from kc.tvm.relay.transform import pass_maker

_PASSES = {"CanonicalizeOps": "QnnCanonicalize", "Legalize": "QnnLegalize"}
"""The name in Relay -> that of the pass."""


def __getattr__(name: str) -> Any:
    if name not in _PASSES:
        raise AttributeError(f"module 'kc.relay.qnn.transform' has no attribute '{name}'")
    return pass_maker(_PASSES[name])


def __dir__() -> list[str]:
    return sorted(_PASSES)
