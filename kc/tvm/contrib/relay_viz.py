"""``tvm.contrib.relay_viz``: pictures of modules by TVM's names (:func:`kc.graph.viz`).

::

    viz = relay_viz.RelayVisualizer(mod, plotter=relay_viz.DotPlotter())
    viz.render("graph")  # graph.dot
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kc.graph.drawing import viz

__all__ = ["DotPlotter", "HtmlPlotter", "RelayVisualizer", "TermPlotter"]


class HtmlPlotter:
    """Makes a page that needs nothing from outside."""

    ending = ".html"


class DotPlotter:
    """Makes a text in DOT; the attributes of Graphviz that TVM's class takes are its own here."""

    ending = ".dot"

    def __init__(
        self, graph_attr: Any = None, node_attr: Any = None, edge_attr: Any = None, **options: Any
    ) -> None:
        del graph_attr, node_attr, edge_attr, options


class TermPlotter:
    """Prints the module as Relay's text."""

    ending = ""


class RelayVisualizer:
    """Draws the function ``main`` of a module. ``relay_param`` and ``parser`` are accepted for
    programs written for TVM: arguments have their names and types in the picture in any case."""

    def __init__(
        self,
        relay_mod: Any,
        relay_param: Mapping[str, Any] | None = None,
        plotter: Any = None,
        parser: Any = None,
    ) -> None:
        del relay_param, parser
        self.mod = relay_mod
        self.plotter = HtmlPlotter() if plotter is None else plotter

    def render(self, filename: str | None = None) -> None:
        """Write the picture into a file, whose ending is added; TermPlotter prints it there, or on
        the standard output.

        Raises the errors of :func:`kc.graph.viz`, and InputError KC0086 for a path that cannot be
        written.
        """
        if isinstance(self.plotter, TermPlotter):
            text = self.mod.astext()
            if filename is None:
                print(text, file=sys.stdout)
            else:
                Path(filename).write_text(text, encoding="utf-8")
            return
        path = Path(filename or "relay_viz")
        if path.suffix != self.plotter.ending:
            path = path.with_name(path.name + self.plotter.ending)
        viz(self.mod, path)
