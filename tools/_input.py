"""The input of commands that need a valid module."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from kc.analysis.verify_changes import verify_all
from kc.support import registry
from kc.support.deep import nesting, run_deep
from kc.support.diagnostics import KCError, source_text
from kc.support.files import read_text
from kc.support.ir_text import parse_module
from kc.support.target import Target, target_of
from kc.tools._reporter import Reporter
from kc.tools._tool import status_of


@dataclass(frozen=True)
class Input:
    """A module that was read from a file and verified."""

    module: ModuleOp

    def target(self, text: str | None, default: Callable[[], Target]) -> Target:
        """The target: that of the module, else that of the flag, else the default."""
        if "kc.target" in self.module.attributes:
            return target_of(self.module)
        return Target(text) if text is not None else default()


def with_input(path: str, body: Callable[[Input], int], reporter: Reporter) -> int:
    """Run ``body`` on the module in the file ``path`` (``-``: standard input); the exit status.

    Diagnostics show the lines of the file. The stack has room for deep nesting.
    """
    name = "<stdin>" if path == "-" else path
    text = read_text(path)

    def work() -> int:
        module = parse_module(text, name, registry.context())
        verify_all(module)
        return body(Input(module))

    with source_text(name, text):
        try:
            return run_deep(work, nesting(text))
        except KCError as error:
            reporter.report(error)  # here, where the text is known
            return status_of(error)
