"""The groups that ``fuse-ops`` makes of a module, and why each ends where it does."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp

from kc.transforms.graph.fuse_ops import report


def fuse_report(module: Any, level: int = -1, max_depth: int = 256) -> str:
    """A text: the groups of each function, each with the rule that ends it.

    ``module`` is an IRModule or a ``builtin.module`` before ``fuse-ops``, and stays as it is;
    ``level`` and ``max_depth`` (operators) are the options of the pass.
    """
    op = getattr(module, "op", module)
    assert isinstance(op, ModuleOp)
    return report(op, level, max_depth)
