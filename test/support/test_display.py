"""IR in colour: on a terminal, where it is forced, and in notebooks."""

from __future__ import annotations

import html
import io
import re
import sys

import pytest

import kc
from kc import te
from kc.support.display import STYLE


def module() -> kc.IRModule:
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] * 2.0 + 1.0, name="B")
    s = te.create_schedule(B.op)
    s[B].parallel(B.op.axis[0])
    return kc.lower(s, [A, B])


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, style: str, **env: str) -> str:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", stream)
    module().show(style=style)
    return stream.getvalue()


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.parametrize("style", ["mlir", "tvm"])
def test_colours_are_for_terminals_and_where_they_are_forced(
    style: str, monkeypatch: pytest.MonkeyPatch
):
    text = module().script(style=style) + "\n"
    assert shown(io.StringIO(), monkeypatch, style) == text
    for stream, env in ((Terminal(), {}), (io.StringIO(), {"FORCE_COLOR": "1"})):
        coloured = shown(stream, monkeypatch, style, **env)
        assert plain(coloured) == text != coloured
    for env in ({"NO_COLOR": "1"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}):
        assert shown(Terminal(), monkeypatch, style, **env) == text


def test_styles_that_choose_colours_show_the_ir(monkeypatch: pytest.MonkeyPatch):
    for style in ("light", "dark", "ansi"):
        assert shown(io.StringIO(), monkeypatch, style) == f"{module()}\n"


def test_what_is_coloured_of_each_style(monkeypatch: pytest.MonkeyPatch):
    mlir = shown(Terminal(), monkeypatch, "mlir")
    assert (
        "\x1b[34mtir.for\x1b[0m %i \x1b[1;34min\x1b[0m \x1b[35m8\x1b[0m \x1b[1;34mparallel" in mlir
    )
    assert "\x1b[36mmemref<8xf32>\x1b[0m" in mlir
    tvm = shown(Terminal(), monkeypatch, "tvm")
    assert (
        "\x1b[1;34mfor\x1b[0m (i: \x1b[36mint32\x1b[0m, \x1b[35m0\x1b[0m, \x1b[35m8\x1b[0m) "
        '\x1b[32m"parallel"\x1b[0m {' in tvm
    )
    assert "\x1b[1m@main\x1b[0m = \x1b[1;34mprimfn\x1b[0m(A_1: \x1b[36mhandle\x1b[0m" in tvm
    assert "\x1b[35m2f32\x1b[0m" in tvm


def test_in_a_notebook():
    page = module()._repr_html_()
    assert page.startswith(f"<style>{STYLE}</style>")
    body = page.removeprefix(f"<style>{STYLE}</style>")
    assert '<span class="nb">tir.for</span>' in body
    assert html.unescape(re.sub("<[^>]*>", "", body)) == str(module())


def test_colours_for_light_and_for_dark():
    """Each has both, and what a notebook's theme is decides."""
    colours = re.findall(r"(?:color|background): (light-dark\([^)]*\)|[^;} ]+)", STYLE)
    assert colours
    assert all(colour.startswith("light-dark(#") for colour in colours), colours
    assert (
        '[data-jp-theme-light="false"] pre.kc, .vscode-dark pre.kc { color-scheme: dark }' in STYLE
    )
    assert (
        '[data-jp-theme-light="true"] pre.kc, .vscode-light pre.kc { color-scheme: light }' in STYLE
    )


def contrast(foreground: str, background: str) -> float:
    """The contrast of two colours as WCAG 2 defines it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted((luminance(foreground), luminance(background)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_colours_can_be_read():
    """At least WCAG's AA on white, and on the dark background of JupyterLab."""
    for light, dark in re.findall(r"\{ color: light-dark\((#\w{6}), (#\w{6})\) \}", STYLE):
        assert contrast(light, "#ffffff") >= 4.5, light
        assert contrast(dark, "#111111") >= 4.5, dark
