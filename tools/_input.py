"""Reading a module for the commands that go on from a valid one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr

from kc.support import registry
from kc.support.deep import nesting, run_deep
from kc.support.diagnostics import source_text
from kc.support.files import read_text
from kc.support.ir_text import parse_module
from kc.support.target import Target
from kc.tools._pipeline import verify

T = TypeVar("T")


@dataclass(frozen=True)
class Input:
    """A module that was read from a file, verified, with its context and text."""

    module: ModuleOp
    context: Context
    text: str

    def target(self, given: str | None, default: Callable[[], Target]) -> Target:
        """The target: the module's own, else the one of the flag, else the default."""
        own = self.module.attributes.get("kc.target")
        if isinstance(own, StringAttr):
            return Target(own.data)
        return Target(given) if given is not None else default()


def with_input(path: str, body: Callable[[Input], T]) -> T:
    """``body`` applied to the module in the file ``path`` (``-``: standard input).

    Diagnostics show the lines of the file; there is room for deep nesting.
    """
    name = "<stdin>" if path == "-" else path
    text = read_text(path)

    def work() -> T:
        context = registry.context()
        module = parse_module(text, name, context)
        verify(module)
        return body(Input(module, context, text))

    with source_text(name, text):
        return run_deep(work, nesting(text))
