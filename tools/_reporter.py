"""Showing diagnostics to people and to editors."""

from __future__ import annotations

import contextlib
import json
import sys

from kc.support.diagnostics import Diagnostic, wants_color

_CLEAR = "\r\x1b[2K"


class Reporter:
    """Shows diagnostics on standard error, as text or as one JSON object a line."""

    def __init__(self, style: str = "text") -> None:
        self.style = style
        self._progress = False

    def report(self, diagnostic: Diagnostic) -> None:
        """Show a diagnostic."""
        if sys.stderr is None:
            return
        if self.style == "json":
            self.write(json.dumps(diagnostic.to_json()))
        else:
            self.write(diagnostic.render(color=wants_color(sys.stderr)))

    def progress(self, text: str = "") -> None:
        """Show the current work on a terminal, in a line that the next message replaces."""
        if sys.stderr is None or self.style == "json" or not sys.stderr.isatty():
            return
        if text or self._progress:
            self._put(_CLEAR + text, "")
        self._progress = bool(text)

    def write(self, text: str) -> None:
        """Write a line to standard error."""
        self.progress()
        if sys.stderr is not None:
            self._put(text, "\n")

    def _put(self, text: str, end: str) -> None:
        with contextlib.suppress(OSError):  # closed or full: nobody is left to be told
            print(text, file=sys.stderr, flush=True, end=end)
