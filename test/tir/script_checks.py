"""Shared by the tests of statements in Python: both ways to run a kernel, and refusals."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc
from kc.analysis.dominance import check_dominance
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.support.diagnostics import diagnostic_handler


def execute(kernel: Any, *args: Any, native: bool = True) -> list[Any]:
    """The arguments after a call by the interpreter, and natively if that is asked for: both must
    agree. ``kernel`` is a module of one function, or a schedule of one."""
    module = kernel if isinstance(kernel, kc.IRModule) else kernel.mod
    module.op.verify()
    check_dominance(module.op)
    (name,) = module.functions
    interpreted = [np.copy(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    run(module.op, name, interpreted)
    if native:
        native_args = [np.copy(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
        with diagnostic_handler(lambda _: None):
            kc.build(module)(*native_args)
        for expected, result in zip(interpreted, native_args, strict=True):
            np.testing.assert_allclose(expected, result, rtol=1e-5, atol=1e-6)
    return interpreted


def floats(*shape: int) -> np.ndarray:
    """Small integers as float32: sums of them are exact."""
    generator = np.random.default_rng(sum(shape))
    return generator.integers(-9, 10, shape).astype(np.float32)


def refused(make: Callable[[], Any]) -> str:
    """The refusal, with the file's name as HERE and lines counted from that of ``make``."""
    with pytest.raises(KCError) as caught, diagnostic_handler(lambda _: None):
        make()
    error = caught.value
    assert error.location is not None
    first = make.__code__.co_firstlineno
    assert error.location.file == make.__code__.co_filename, error

    shift = 0

    def relative(match: re.Match[str]) -> str:
        nonlocal shift
        text = f"HERE:{int(match[1]) - first}"
        shift = len(match[0]) - len(text)
        return text

    file = re.escape(make.__code__.co_filename)
    lines: list[str] = []
    for line in str(error).split("\n"):
        if line.strip() == "^":
            lines.append(line[shift:])
        else:
            text = re.sub(rf"{file}:(\d+)", relative, line)
            lines.append(re.sub(r"in line (\d+)", lambda n: f"in line {int(n[1]) - first}", text))
    return "\n".join(lines)
