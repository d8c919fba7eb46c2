"""Attributes of kc's own with other values: refused when they are read, or of no harm."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from property_tests import is_sweep

import kc
from kc import tir
from kc.error import KCError
from kc.support import own_attributes
from kc.support.diagnostics import diagnostic_handler
from kc.support.registry import context, pass_class

VALUES = (
    *("unit", "true", "-1 : i64", '"n"', '""', '"a\\00 b"', '["n"]', '["n", "n"]', '["m", 1]'),
    *(
        "[1]",
        "[[1]]",
        "[{}]",
        "{a = 1}",
        "f32",
        "@main",
        "affine_map<()[n] -> (n, 8)>",
        "1.5 : f64",
    ),
    *(
        "affine_map<()[n] -> (n - 5, n)>",
        "affine_map<(d) -> (d, d)>",
        "array<i64: 7, 7>",
        "[-1, 0]",
    ),
    *("affine_set<(d) : (d >= 0)>", "dense<1> : tensor<1xi64>", '"out"', '"bool"', '"uint32"'),
)
ARGUMENTS = (*own_attributes._OF_ARGUMENTS, "kc.shape", "kc.symbol", "kc.strides")
FUNCTIONS = (
    *own_attributes._OF_OPERATIONS,
    *("kc.lanes", "kc.unsafe", "kc.elements", "kc.library", "kc.coroutine", "kc.serial_threads"),
)

LOOPS = """
func.func @main(%A: memref<?x8xf32> {{{array}}}, %n: index {{{size}}}, %x: f32)
    attributes {{{function}}} {{
  tir.for %i in 4 {{
    tir.for %j in 8 {{
      tir.block "A" (spatial %v in 4 = %i, spatial %w in 8 = %j) do {{
        tir.store %x, %A[%v, %w] : memref<?x8xf32>
      }}
    }}
  }}
  func.return
}}
"""


def text(place: str, key: str, value: str) -> str:
    written = key if value == "unit" else f"{key} = {value}"
    parts = {
        "array": "kc.shape = affine_map<()[n] -> (n, 8)>",
        "size": 'kc.symbol = "n"',
        "function": 'kc.symbols = ["n"]',
    }
    kept = "" if key in parts[place] else f", {parts[place]}"
    return LOOPS.format(**{**parts, place: written + kept})


CASES = [
    *((place, key, value) for place in ("array", "size") for key in ARGUMENTS for value in VALUES),
    *(("function", key, value) for key in FUNCTIONS for value in VALUES),
]


def apply(name: str, module: kc.IRModule) -> None:
    pass_class(name)().apply(context(), module.op)


PASSES = (
    *("apply-strides", "canonicalize", "cse", "lower-init-block", "flatten-buffer", "unroll-loop"),
    *("convert-tir-to-scf", "raise-to-tir", "auto-schedule", "legal-directions", "verify-memory"),
)


USES: list[Callable[[str], Any]] = [
    lambda text: kc.lower(kc.IRModule.parse(text)),
    lambda text: kc.IRModule.parse(text).script("tvmscript"),
    lambda text: kc.IRModule.parse(text).script("tvm"),
    lambda text: str(tir.Schedule(kc.IRModule.parse(text)).cost()),
    lambda text: kc.ir.structural_equal(kc.IRModule.parse(text), kc.IRModule.parse(text)),
    lambda text: kc.build(kc.IRModule.parse(text), target="c"),
]


def allowed(use: Callable[[], Any]) -> Any:
    """The result; None where it is refused. Anything but a diagnostic is a bug."""
    try:
        return use()
    except KCError as error:
        return None if str(error).startswith("error[KC") else pytest.fail(str(error))


def test_other_values():
    """Each is parsed; with what is read, a use and a pass, of many, do what they can."""
    random = Random(1)
    read = 0
    with diagnostic_handler(lambda _: None):
        for place, key, value in CASES if is_sweep() else random.sample(CASES, 120):
            given = text(place, key, value)
            if allowed(lambda given=given: kc.IRModule.parse(given)) is None:
                continue
            read += 1
            use, name = random.choice(USES), random.choice(PASSES)
            allowed(lambda given=given, use=use: use(given))
            allowed(lambda given=given, name=name: apply(name, kc.IRModule.parse(given)))
    assert read > 10


@pytest.mark.parametrize("key", [*own_attributes._OF_ARGUMENTS, *own_attributes._OF_OPERATIONS])
def test_values_of_no_use_are_refused(key: str):
    place = "array" if key in own_attributes._OF_ARGUMENTS else "function"
    said: list[str] = []
    for value in ("1.5 : f64", "{a = 1}", "[[1]]", "affine_map<(d) -> (d, d)>"):
        with pytest.raises(KCError, match=rf"KC1101.*func.func: {key} .*; it is ") as error:
            kc.IRModule.parse(text(place, key, value))
        said.append(str(error.value))
    assert len({*said}) == len(said)
