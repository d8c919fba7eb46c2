"""The meaning of each diagnostic: ``kc-opt --explain=CODE``, from ``codes.toml``."""

from __future__ import annotations

import functools
import textwrap
from dataclasses import dataclass
from pathlib import Path

from kc.support.diagnostics import InputError, suggest

AREAS = {
    "0": "usage and files",
    "1": "parsing and verifying",
    "2": "tensor expressions",
    "3": "schedules",
    "4": "conversion and code generation",
    "5": "calls and the runtime",
    "6": "targets and devices",
    "7": "tuning",
}
"""The first digit of a code."""


@dataclass(frozen=True)
class Explanation:
    """The explanation of a code. ``wrong`` is a minimal input that raises it, ``right`` the
    correction.
    """

    code: str
    title: str
    cause: str
    wrong: str
    right: str

    def text(self) -> str:
        """The explanation as shown on a terminal."""
        parts = [f"{self.code}: {self.title}", "", textwrap.fill(self.cause.strip(), 90)]
        for label, program in (("Wrong", self.wrong), ("Right", self.right)):
            parts += ["", f"{label}:", "", textwrap.indent(program.strip("\n"), "  ")]
        return "\n".join([*parts, ""])


@functools.cache
def explanations() -> dict[str, Explanation]:
    """Every code with its explanation."""
    import tomllib

    text = (Path(__file__).parent / "codes.toml").read_text(encoding="utf-8")
    return {code: Explanation(code, **fields) for code, fields in tomllib.loads(text).items()}


def explain(code: str) -> str:
    """The explanation of a code, which may be given by its digits alone. KC0005 if the code is
    unknown.
    """
    entries = explanations()
    full_code = code.strip().upper()
    if full_code.isdigit():
        full_code = f"KC{full_code}"
    if full_code not in entries:
        raise InputError(
            "KC0005", f"there is no diagnostic {code}", hints=suggest(full_code, entries, "codes")
        )
    return entries[full_code].text()
