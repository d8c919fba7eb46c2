"""``tvm.contrib.relay_viz``: :mod:`kc.tvm.contrib.relay_viz`, by TVM's path."""

from kc.tvm.contrib.relay_viz import DotPlotter, HtmlPlotter, RelayVisualizer, TermPlotter

__all__ = ["DotPlotter", "HtmlPlotter", "RelayVisualizer", "TermPlotter"]
