"""``fuse-ops``: gather operators into groups that become one kernel each.

Before::

    %0 = graph.nn.dense(%x, %w) : ...
    %1 = graph.nn.bias_add(%0, %b) : ...
    %2 = graph.nn.relu(%1) : ...

After::

    %0 = graph.call @fused_nn_dense_nn_bias_add_nn_relu(%x, %w, %b) : ...

    graph.func private @fused_nn_dense_nn_bias_add_nn_relu(...) -> ... attributes {primitive}

Relay's pass of this name. Its level is ``fuse_opt_level``, or else that of the pass context:

- 0: each operator is a group;
- 1 and 2: the groups are those of TVM 0.9 (:mod:`kc.transforms.graph._dataflow`);
- 3 and above: groups of level 2 are joined where the joint kernel is estimated to be faster
  (:mod:`kc.building.graphs.joined_groups`).

Equal groups are one function. Scalar constants stand in the groups that use them.

Groups are decided for a whole block before any is made, so this is no rewrite pattern.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.support.diagnostics import remark
from kc.support.target import target_of
from kc.transform import PassContext
from kc.transforms.graph._groups import Join, described, fuse

BY_COST = 3
"""The level from which groups are joined by their cost."""


@dataclass(frozen=True)
class FuseOpsPass(ModulePass):
    """Group operators; each group becomes one kernel."""

    name = "fuse-ops"
    opt_level: ClassVar[int] = 0

    fuse_opt_level: int = -1
    """0: each operator is a group of its own; 1, 2: Relay's rules; 3 and above: these, and groups
    are joined by their cost. -1 is the level of the pass context."""
    max_depth: int = 256
    """The most operators of a group."""
    report: bool = False
    """Tell the groups of each function, and why each ends where it does."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        level = level_of(self.fuse_opt_level)
        join = join_of(op, level)
        if self.report:
            for name, lines in described(op, level, self.max_depth, join):
                remark("KC2413", f"fuse-ops: the groups of @{name}", facts=lines)
        fuse(op, level, self.max_depth, join)


def level_of(fuse_opt_level: int) -> int:
    """The level that an option asks for: -1 is that of the pass context."""
    return PassContext.current().opt_level if fuse_opt_level < 0 else fuse_opt_level


def join_of(module: ModuleOp, level: int) -> Join | None:
    """The function that joins groups at a level; None where Relay's rules alone decide."""
    if level < BY_COST:
        return None
    from kc.building.graphs.joined_groups import Joining

    return Joining(target_of(module))


def fuse_report(module: Any, level: int = -1, max_depth: int = 256) -> str:
    """A text: the groups of each function, each with the rule or the numbers that end it.

    ``module`` is an IRModule or a ``builtin.module`` before ``fuse-ops``, and stays as it is;
    ``level`` and ``max_depth`` (operators) are the options of the pass.
    """
    op = getattr(module, "op", module)
    assert isinstance(op, ModuleOp)
    chosen = level_of(level)
    lines: list[str] = []
    for name, groups in described(op, chosen, max_depth, join_of(op, chosen)):
        lines += [f"@{name}", *(f"  {line}" for line in groups)]
    return "".join(f"{line}\n" for line in lines)
