"""IR, loop trees and diffs for display: coloured on a terminal, highlighted in a notebook. The
tokens come from :mod:`kc.support.mlir_lexer`.
"""

from __future__ import annotations

import functools
import html
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from kc.support.diagnostics import wants_color
from kc.support.ipython import in_notebook, publish
from kc.support.text_diff import near_changes

LANGUAGES = ("mlir", "kc-loops", "python")
"""The languages of a text: IR, a loop tree or TVM's loop form, Python, or "" for plain text."""

# Kind of a token in Pygments -> its colour on a terminal. The nearest of a token's parents counts.
_TERMINAL = {
    "Token.Comment": "2",
    "Token.Literal.String": "32",
    "Token.Name.Function": "1",
    "Token.Keyword": "1;34",
    "Token.Keyword.Type": "36",
    "Token.Name.Builtin": "34",
    "Token.Literal.Number": "35",
}

STYLE = """\
pre.kc { font: 13px/1.45 ui-monospace, monospace; white-space: pre; overflow: auto; margin: 0 }
pre.kc + pre.kc { margin-top: 1em }
pre.kc { color-scheme: light dark }
[data-jp-theme-light="true"] pre.kc, .vscode-light pre.kc { color-scheme: light }
[data-jp-theme-light="false"] pre.kc, .vscode-dark pre.kc { color-scheme: dark }
pre.kc .nb, pre.kc .k, pre.kc .kn, pre.kc .ow { color: light-dark(#0b57d0, #8ab4f8) }
pre.kc .k { font-weight: 600 }
pre.kc .s2, pre.kc .s1 { color: light-dark(#1e7d34, #81c995) }
pre.kc .kt { color: light-dark(#00677f, #78d9ec) }
pre.kc .mi, pre.kc .mf, pre.kc .mh { color: light-dark(#8430ce, #d7aefb) }
pre.kc .c1 { color: light-dark(#5b6370, #9aa3b0) }
pre.kc .nf { font-weight: 600 }
pre.kc .add { background: light-dark(#e3f7e6, #16351d) }
pre.kc .del { background: light-dark(#fde5e5, #43191b) }
"""
"""The style sheet of the HTML from :func:`to_html`. The classes of tokens are those of Pygments."""


@functools.cache
def _lexer(language: str) -> Any:
    options = {"stripnl": False, "ensurenl": False}
    if language == "python":
        from pygments.lexers.python import PythonLexer

        return PythonLexer(**options)
    from kc.support.mlir_lexer import LoopTreeLexer, MLIRLexer

    return (MLIRLexer if language == "mlir" else LoopTreeLexer)(**options)


def _colour(kind: Any) -> str:
    while kind is not None:
        if (colour := _TERMINAL.get(str(kind))) is not None:
            return colour
        kind = kind.parent
    return ""


def to_terminal(text: str, language: str = "mlir") -> str:
    """``text`` with ANSI colours."""
    return "".join(
        f"\x1b[{colour}m{token}\x1b[0m" if (colour := _colour(kind)) else token
        for kind, token in _merged(text, language)
    )


def _merged(text: str, language: str) -> Iterator[tuple[Any, str]]:
    """The tokens of ``text``, with adjacent tokens of one kind merged: a type consists of
    several.
    """
    for kind, tokens in itertools.groupby(_lexer(language).get_tokens(text), lambda part: part[0]):
        yield kind, "".join(token for _, token in tokens)


def to_spans(text: str, language: str = "mlir") -> str:
    """``text`` as HTML, with a ``span`` for each token."""
    if not language:
        return html.escape(text)
    from pygments.token import STANDARD_TYPES

    parts: list[str] = []
    for kind, token in _merged(text, language):
        shown = html.escape(token)
        styled = kind if _colour(kind) else None
        # Names, punctuation and spaces look alike: no span.
        parts.append(f'<span class="{STANDARD_TYPES[kind]}">{shown}</span>' if styled else shown)
    return "".join(parts)


def to_html(*texts: tuple[str, str]) -> str:
    """Each of ``texts``, given as (text, language), in a box for a notebook.

    The boxes are ``pre`` elements, so exported notebooks keep the spaces with or without the style.
    """
    return boxes(to_spans(text, language) for text, language in texts)


def boxes(insides: Iterable[str]) -> str:
    """HTML of several boxes, from the HTML of their contents."""
    shown = "".join(f'<pre class="kc">{inside}</pre>' for inside in insides)
    return f"<style>{STYLE}</style>{shown}"


def to_table(rows: Sequence[tuple[str, str]]) -> str:
    """Names and their descriptions, as a table for a notebook."""
    cells = "".join(
        f'<tr><th style="text-align: left">{html.escape(name)}</th>'
        f'<td style="text-align: left">{html.escape(value)}</td></tr>'
        for name, value in rows
    )
    return f"<table>{cells}</table>"


def _near(lines: Sequence[tuple[str, str]], context: int) -> list[tuple[str, str]]:
    """The changed lines with the lines around them; ("", "...") marks omitted lines."""
    near = near_changes(lines, context)
    return [
        line if n in near else ("", "...")
        for n, line in enumerate(lines)
        if n in near or n - 1 in near
    ]


def diff_text(lines: Sequence[tuple[str, str]], *, color: bool = False, context: int = 3) -> str:
    """A diff as text, with ``context`` unchanged lines around each change."""
    shown: list[str] = []
    for sign, line in _near(lines, context):
        shade = {"+": "32", "-": "31"}.get(sign) if color else None
        text = f"{sign} {line}".rstrip() if sign else line
        shown.append(f"\x1b[{shade}m{text}\x1b[0m" if shade else text)
    return "\n".join(shown)


def diff_spans(lines: Sequence[tuple[str, str]], *, context: int = 3) -> str:
    """A diff as HTML, with ``context`` unchanged lines around each change."""
    kinds = {"+": "add", "-": "del"}
    shown: list[str] = []
    for sign, line in _near(lines, context):
        text = f"{sign} {to_spans(line)}" if sign else line
        shown.append(f'<span class="{kinds[sign]}">{text}</span>' if sign in kinds else text)
    return "\n".join(shown)


class Shown(str):
    """A text that was already shown, and is not shown again as the result of a call."""

    html = ""

    def _ipython_display_(self) -> None:
        """Show nothing, as the text was already shown."""

    def __repr__(self) -> str:
        # At Python's own prompt, too, which prints the repr of what a line gives.
        return "" if hasattr(sys, "ps1") else super().__repr__()


def show_text(text: str, coloured: Callable[[], str], as_html: Callable[[], str]) -> Shown:
    """Show a text, as HTML in a notebook and otherwise printed, with colours on a terminal; return
    it.
    """
    shown = Shown(text)
    if in_notebook():
        publish(text, as_html())
    else:
        print(coloured() if wants_color(sys.stdout) else text)
    return shown
