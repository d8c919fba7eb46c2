"""Shared by the tests of te: running a schedule, and reading refusals."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from guarded_arrays import all_guarded, checked_build
from property_tests import is_in_slice

import kc
from kc import te, tir
from kc.analysis.dominance import check_dominance
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.support.diagnostics import diagnostic_handler


def lines_of(module: Any) -> list[str]:
    """The loops and blocks of a module by their names, a line each, without bindings."""
    lines = []
    for line in module.script().split("\n"):
        text = line.strip()
        if text.startswith(("tir.for ", "tir.block ")):
            kind, _, rest = text.removeprefix("tir.").partition(" ")
            rest = rest.split(" (")[0].removesuffix(" {")
            name, _, more = rest.partition(" ")
            if more.startswith('"'):
                name, _, more = more.partition(" ")
            depth = (len(line) - len(line.lstrip()) - 4) // 2
            label = name.strip('%"')
            lines.append("  " * depth + f"{kind} {label} {more}".rstrip())
    return lines


def nest(s: te.Schedule, args: Sequence[Any]) -> list[str]:
    """The loops and blocks that a schedule is lowered to."""
    with diagnostic_handler(lambda _: None):
        return lines_of(kc.lower(s, args))


def check(
    s: te.Schedule,
    args: Sequence[Any],
    reference: Callable[..., Any],
    *,
    outputs: int = 1,
    native: bool = True,
    sizes: dict[str, int] | Sequence[dict[str, int]] = (),
    target: str | None = None,
) -> str:
    """Run ``s`` and compare it with numpy; its script must give the same IR, which is returned.

    It is run with each of the ``sizes``, where some are symbolic: in the interpreter, which knows
    every buffer's bounds, and compiled, on arrays that end where memory ends. One program in three
    is also compiled with bound checks, and all are in a sweep.
    """
    with diagnostic_handler(lambda _: None):
        module = kc.lower(s, args, target=target)
        module.op.verify()
        check_dominance(module.op)
        generator = np.random.default_rng(0)

        def array(tensor: Any, values: dict[str, int]) -> Any:
            dims = [dim if isinstance(dim, int) else values[dim.name] for dim in tensor.shape]
            return generator.integers(-4, 5, dims).astype(tensor.dtype)

        runs: list[Callable[..., Any]] = [lambda *arrays: run(module.op, "main", list(arrays))]
        if native and is_in_slice(str(module), 3):
            runs.append(checked_build(module, target=target))
        if native:
            runs.append(_on_guarded(kc.build(module, target=target)))
        for values in [sizes] if isinstance(sizes, dict) else sizes or [{}]:
            inputs = [array(arg, values) for arg in args[: len(args) - outputs]]
            wanted = reference(*inputs)
            for call in runs:
                results = [array(arg, values) for arg in args[len(args) - outputs :]]
                call(*inputs, *results)
                for result, expected in zip(
                    results, wanted if outputs > 1 else [wanted], strict=True
                ):
                    np.testing.assert_array_equal(result, expected)
        sch = tir.Schedule(kc.lower(s.without_schedule(), args, target=target))
        exec(s.to_tir_script(), {"sch": sch})
        assert str(sch.mod) == str(module), s.to_tir_script()
    return str(module)


def _on_guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arrays: np.ndarray) -> None:
        copies = all_guarded(arrays, "end")
        function(*copies)
        for array, copy in zip(arrays, copies, strict=True):
            array[...] = copy

    return call


def refusal(call: Callable[[], Any], file: str) -> str:
    """The text of a refusal in ``file``, without its place."""
    with pytest.raises(KCError) as caught, diagnostic_handler(lambda _: None):
        call()
    error = caught.value
    assert error.location is not None
    assert error.location.file == file, error
    text = re.sub(r"at [^ ;]*?([A-Za-z_0-9]+\.py):\d+", r"at \1", str(error))
    text = re.sub(r"\(from [^ ;]*?([A-Za-z_0-9]+\.py):\d+\)", r"(from \1)", text)
    return "\n".join(line for line in text.split("\n") if not line.startswith("  -->"))


def warnings_of(call: Callable[[], Any]) -> list[str]:
    """The titles of the warnings that a call gives."""
    warnings: list[str] = []
    with diagnostic_handler(lambda warning: warnings.append(f"{warning.code}: {warning.message}")):
        call()
    return warnings


def matmul(m: int = 12, n: int = 10, k: int = 7) -> tuple[Any, Any, Any, Any]:
    """A, B, their product C, and its reduction axis."""
    a = te.placeholder((m, k), name="A")
    b = te.placeholder((k, n), name="B")
    axis = te.reduce_axis((0, k), name="k")
    c = te.compute((m, n), lambda i, j: te.sum(a[i, axis] * b[axis, j], axis=axis), name="C")
    return a, b, c, axis
