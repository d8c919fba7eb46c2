"""The parameters of operators are those of TVM 0.9's functions, in order, with their defaults."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from kc import relay

ROWS = Path(__file__).with_name("tvm_signatures.txt").read_text(encoding="utf-8").splitlines()


def table() -> dict[str, list[tuple[str, Any]]]:
    """Name -> the parameters with their defaults; REQUIRED for none."""
    functions: dict[str, list[tuple[str, Any]]] = {}
    for row in ROWS:
        name, _, rest = row.partition("(")
        scope: dict[str, Any] = {}
        exec(f"def function({rest}: pass", scope)
        functions[name] = parameters(scope["function"])
    return functions


REQUIRED = "required"


def parameters(function: Any) -> list[tuple[str, Any]]:
    return [
        (name, REQUIRED if p.default is inspect.Parameter.empty else p.default)
        for name, p in inspect.signature(function).parameters.items()
    ]


def function_of(name: str) -> Any:
    value: Any = relay
    for part in name.split("."):
        value = getattr(value, part)
    return value


EQUAL: dict[tuple[str, str], Any] = {
    ("cumprod", "exclusive"): False,
    ("cumsum", "exclusive"): False,
    ("nn.pad", "pad_value"): None,
    ("sparse_to_dense", "default_value"): None,
    ("qnn.requantize", "rounding"): "UPWARD",
    ("qnn.requantize", "compute_dtype"): "int64",
    # TVM's default is OIW, but its kernels have the channels of the data first all the same.
    ("nn.conv1d_transpose", "kernel_layout"): "IOW",
    ("nn.conv3d_transpose", "kernel_layout"): "IODHW",
}
"""Defaults that are written otherwise and mean the same as TVM's."""


def is_same(name: str, parameter: str, own: Any, default: Any) -> bool:
    """True if kc's default is TVM's, or TVM has none."""
    if default is REQUIRED or (own in (None, "") and default in (None, "")):
        return True
    if (name, parameter) in EQUAL:
        return own == EQUAL[name, parameter]
    numbers = own if isinstance(own, tuple) and not isinstance(default, tuple) else (own,)
    return all(number == default for number in numbers)


@pytest.mark.parametrize("name", table())
def test_parameters(name: str):
    expected, own = table()[name], parameters(function_of(name))
    assert [word for word, _ in own[: len(expected)]] == [word for word, _ in expected]
    # What kc adds comes last, and need not be passed.
    assert all(default is not REQUIRED for _, default in own[len(expected) :])
    for (word, default), (_, mine) in zip(expected, own, strict=False):
        assert is_same(name, word, mine, default), f"{word}: {mine!r}, but TVM has {default!r}"


def test_the_table_is_large():
    assert len(table()) > 170
