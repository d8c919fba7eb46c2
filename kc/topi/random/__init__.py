"""Random numbers from generators, which are tensors with counters."""

from kc.topi.random.threefry import (
    multinomial,
    normal,
    threefry2x32,
    threefry_generate,
    threefry_split,
    uniform,
)

__all__ = [
    "multinomial", "normal", "threefry2x32", "threefry_generate", "threefry_split", "uniform",
]  # fmt: skip
