"""``kc.IRModule``: a module of functions, as text and as a value."""

from __future__ import annotations

import sys
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from kc.analysis.dominance import check_dominance
from kc.support.diagnostics import ParseError, source_text, suggest, wants_color
from kc.support.ir_text import parse_module, print_module, verify_module
from kc.support.registry import context
from kc.tir.display import to_html, to_terminal


class IRModule:
    """A module of IR: ``str(mod)`` is its text, :meth:`parse` reads it back."""

    def __init__(self, op: ModuleOp) -> None:
        self.op = op

    @classmethod
    def parse(cls, text: str, name: str = "<string>") -> IRModule:
        """Read textual IR; ``name`` is the file name in diagnostics. Raises ParseError."""
        with source_text(name, text):
            module = parse_module(text, name, context())
            verify_module(module)
            check_dominance(module)
        return cls(module)

    def script(self) -> str:
        """The textual IR."""
        return print_module(self.op)

    def show(self) -> None:
        """Print the textual IR, in colour on a terminal."""
        text = self.script()
        print(to_terminal(text) if wants_color(sys.stdout) else text)

    def __str__(self) -> str:
        return self.script()

    def _repr_html_(self) -> str:
        return to_html(self.script())

    @property
    def functions(self) -> dict[str, Any]:
        """The function ops by name."""
        found: dict[str, Any] = {}
        for op in self.op.body.ops:
            name = op.get_attr_or_prop("sym_name")
            if name is not None:
                found[getattr(name, "data", str(name))] = op
        return found

    def __getitem__(self, name: str) -> Any:
        functions = self.functions
        if name not in functions:
            raise ParseError(
                "KC1011",
                f"the module has no function '{name}'",
                hints=suggest(name, functions, "the functions are"),
            )
        return functions[name]
