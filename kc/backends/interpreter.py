"""Modules that the interpreter runs: slow, exact, and with every access checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from kc.analysis.interpreter import ExecutionError, run
from kc.building.signatures import signatures_of
from kc.runtime.module import Module
from kc.runtime.python_function import PythonFunction
from kc.support.diagnostics import CallError


def interpreted(loops: ModuleOp, name: str = "main") -> Module:
    """Scheduled loops (``kc.lower(...).op``) as a callable module, without compilation.

    ``name`` is the function that a call of the module calls, if it exists. A call raises CallError
    KC5280 for an operation without a defined result: an access out of bounds, a division by zero, a
    use of uninitialised memory.
    """
    signatures = signatures_of(loops)
    names = [signature.name for signature in signatures]
    functions = {
        signature.name: PythonFunction(signature, _running(loops, signature.name))
        for signature in signatures
    }
    return Module(functions, name if name in names else names[0])


def _running(loops: ModuleOp, name: str) -> Callable[..., None]:
    def work(*arguments: Any) -> None:
        try:
            run(loops, name, arguments)
        except ExecutionError as error:
            raise refusal(name, error) from error

    return work


def refusal(name: str, error: ExecutionError) -> CallError:
    """The diagnostic (KC5280) for an error of the interpreter in the function ``name``."""
    op = f"{error.op.name}: " if error.op is not None else ""
    frames: Sequence[str] = [f"in {', '.join(reversed(error.frames))}"] if error.frames else []
    return CallError(
        "KC5280",
        f"{name}: {op}{error.text}",
        location=error.location,
        facts=frames,
    )
