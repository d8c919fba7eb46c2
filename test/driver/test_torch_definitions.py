"""Quotients, powers and the like of torch on special values, imported, against torch itself.

``test/te/test_definitions.py`` compares the rules without torch. Signs of zero are not compared:
torch's differ between the vectors and the rest of an array.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc

torch: Any = pytest.importorskip("torch", reason="compares with torch: pip install torch")

VALUES = [0.0, -0.0, 1.0, -1.0, 0.1, 0.3, 0.5, -0.5, 1.5, 2.5, -7.0, math.inf, -math.inf, math.nan]
"""No numbers whose quotient has more digits than the type: torch's vectors lose the remainder."""

OF_FLOATS: dict[str, Callable[..., Any]] = {
    "floor_divide": lambda a, b: a // b,
    "remainder": lambda a, b: a % b,
    "div floor": lambda a, b: torch.div(a, b, rounding_mode="floor"),
    "div trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
    "fmod": lambda a, b: torch.fmod(a, b),
    "maximum": lambda a, b: torch.maximum(a, b),
    "fmax": lambda a, b: torch.fmax(a, b),
    "fmin": lambda a, b: torch.fmin(a, b),
    "sign": lambda a, b: torch.sign(a),
    "round": lambda a, b: torch.round(a),
    "round to 1": lambda a, b: torch.round(a, decimals=1),
    "round to -1": lambda a, b: torch.round(a * 10, decimals=-1),
    "pow": lambda a, b: torch.pow(a, b),
    "** 0.5": lambda a, b: a**0.5,
    "** -0.5": lambda a, b: a**-0.5,
    "to bool": lambda a, b: a.to(torch.bool),
}
OF_INTEGERS: dict[str, Callable[..., Any]] = {
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "<< 3": lambda a, b: a << 3,
    "pow": lambda a, b: torch.pow(a, b),
    "** 5": lambda a, b: a**5,
    "sign": lambda a, b: torch.sign(a),
    "fmax": lambda a, b: torch.fmax(a, b),
}


class All(torch.nn.Module):
    """All functions of a table."""

    def __init__(self, functions: dict[str, Callable[..., Any]]) -> None:
        super().__init__()
        self.functions = list(functions.values())

    def forward(self, a: Any, b: Any) -> Any:
        return tuple(function(a, b) for function in self.functions)


def compare(functions: dict[str, Callable[..., Any]], values: Any, close: float) -> None:
    a, b = (grid.flatten().contiguous() for grid in torch.meshgrid(values, values, indexing="ij"))
    module = All(functions)
    wanted = module(a, b)
    results = [torch.zeros_like(want) for want in wanted]
    kc.build(kc.from_torch(module, a, b))(a, b, *results)
    for name, result, want in zip(functions, results, wanted, strict=True):
        result, want = (it.double().numpy() for it in (result, want))
        np.testing.assert_allclose(result, want, rtol=close, atol=0, err_msg=name)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_floats(dtype: str):
    kind = getattr(torch, dtype)
    functions = dict(OF_FLOATS)
    if dtype == "bfloat16":  # torch's own vectors and single numbers differ: 10 and 9 for 1 / 0.1
        del functions["div trunc"]
    compare(functions, torch.tensor(VALUES).to(kind), 4 * torch.finfo(kind).eps)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32"])
def test_integers(dtype: str):
    info = torch.iinfo(getattr(torch, dtype))
    values = [0, 1, 2, 3, 7, 8, info.max, info.max - 1, info.min]
    values += [-1, -2, -7] if info.min else []
    compare(OF_INTEGERS, torch.tensor(values, dtype=getattr(torch, dtype)), 0)
