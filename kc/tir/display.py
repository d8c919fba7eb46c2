"""IR and loop trees as people look at them: coloured on a terminal, highlighted in a notebook."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence

from kc.support.text_diff import near_changes

Paint = Callable[[str, str], str]
"""Kind of a token and its text, to what is shown."""

# In order: the first that matches counts.
_TOKENS = re.compile(
    "|".join(
        f"(?P<{kind}>{pattern})"
        for kind, pattern in (
            ("comment", r"//[^\n]*"),
            ("string", r'"(?:[^"\\\n]|\\.)*"'),
            ("value", r"%[A-Za-z0-9_$.-]+(?:[#:][0-9]+)?"),
            ("symbol", r"@[A-Za-z0-9_$.-]+"),
            ("type", r"\b(?:(?:memref|tensor|vector)<[^>\n]*(?:>|<[^>\n]*>[^>\n]*>)"
             r"|[iu][0-9]+\b|bf16\b|f[0-9]+[A-Z0-9]*\b|index\b|![a-z_.]+"
             r"|(?:float|bfloat|u?int)[0-9]+(?:x[0-9]+)?\b|handle\b|bool\b)"),
            ("operation", r"\b[a-z_][a-z0-9_]*\.[a-z0-9_][a-z0-9_.]*"),
            ("keyword", r"\b(?:for|block|in|parallel|vectorized|unrolled|thread|init|do|where"
             r"|spatial|reduce|opaque|alloc|if|else|store|to|primfn|attr|allocate|let|tensors|scan"
             r"|(?:thread|block)Idx\.[xyz]|vthread)\b"),
            ("number", r"\b[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?:[fiu][0-9]+)?\b"),
        )
    )
)  # fmt: skip

_ANSI = {
    "comment": "2",
    "string": "32",
    "value": "",
    "symbol": "1",
    "type": "36",
    "operation": "34",
    "keyword": "1;34",
    "number": "35",
}

STYLE = """\
.kc { font: 13px/1.45 ui-monospace, monospace; white-space: pre; overflow: auto }
.kc { color-scheme: light dark }
[data-jp-theme-light="true"] .kc, .vscode-light .kc { color-scheme: light }
[data-jp-theme-light="false"] .kc, .vscode-dark .kc { color-scheme: dark }
.kc .operation, .kc .keyword { color: light-dark(#0b57d0, #8ab4f8) }
.kc .keyword { font-weight: 600 }
.kc .string { color: light-dark(#1e7d34, #81c995) }
.kc .type { color: light-dark(#00677f, #78d9ec) }
.kc .number { color: light-dark(#8430ce, #d7aefb) }
.kc .comment { color: light-dark(#5b6370, #9aa3b0) }
.kc .symbol { font-weight: 600 }
.kc .add { background: light-dark(#e3f7e6, #16351d) }
.kc .del { background: light-dark(#fde5e5, #43191b) }
"""
"""The style of what :func:`to_html` makes."""


def _painted(text: str, paint: Paint, plain: Callable[[str], str]) -> str:
    parts: list[str] = []
    end = 0
    for token in _TOKENS.finditer(text):
        assert token.lastgroup is not None
        parts.append(plain(text[end : token.start()]))
        parts.append(paint(token.lastgroup, token.group()))
        end = token.end()
    parts.append(plain(text[end:]))
    return "".join(parts)


def to_terminal(text: str) -> str:
    """``text`` (IR, or a loop tree) with ANSI colours."""

    def paint(kind: str, token: str) -> str:
        return f"\x1b[{_ANSI[kind]}m{token}\x1b[0m" if _ANSI[kind] else token

    return _painted(text, paint, str)


def to_spans(text: str) -> str:
    """``text`` (IR, or a loop tree) as HTML, a ``span`` a token."""

    def paint(kind: str, token: str) -> str:
        return f'<span class="{kind}">{html.escape(token)}</span>'

    return _painted(text, paint, html.escape)


def to_html(*texts: str) -> str:
    """Each of ``texts`` in a box, for a notebook."""
    boxes = "".join(f'<div class="kc">{to_spans(text)}</div>' for text in texts)
    return f"<style>{STYLE}</style>{boxes}"


def diff_text(lines: Sequence[tuple[str, str]], *, color: bool = False, context: int = 3) -> str:
    """A diff as text, with ``context`` unchanged lines around what changed."""
    near = near_changes(lines, context)
    shown: list[str] = []
    for n, (sign, line) in enumerate(lines):
        if n in near:
            shade = {"+": "32", "-": "31"}.get(sign) if color else None
            text = f"{sign} {line}".rstrip()
            shown.append(f"\x1b[{shade}m{text}\x1b[0m" if shade else text)
        elif n - 1 in near:
            shown.append("...")
    return "\n".join(shown)
