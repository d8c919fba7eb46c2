"""Showing diagnostics to people and to editors."""

from __future__ import annotations

import contextlib
import json
import sys

from kc.support.diagnostics import Diagnostic, wants_color


class Reporter:
    """Shows diagnostics on standard error, as text or as one JSON object a line."""

    def __init__(self, style: str = "text") -> None:
        self.style = style

    def report(self, diagnostic: Diagnostic) -> None:
        """Show a diagnostic."""
        if sys.stderr is None:
            return
        if self.style == "json":
            self.write(json.dumps(diagnostic.to_json()))
        else:
            self.write(diagnostic.render(color=wants_color(sys.stderr)))

    def write(self, text: str) -> None:
        """Write a line to standard error."""
        if sys.stderr is None:
            return
        with contextlib.suppress(OSError):  # closed or full: nobody is left to be told
            print(text, file=sys.stderr, flush=True)
