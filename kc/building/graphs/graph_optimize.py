"""``graph-optimize``: the passes of ``relay.build`` that come before the choice of kernels.

Read :data:`ORDER`. It is that of TVM 0.9. Which of the passes run is the choice of the pass
context: ``opt_level`` (2 by default), ``disabled_pass`` and ``required_pass``.
``--mlir-print-ir-after-all`` prints the module after each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.instrument import run_passes
from kc.support import registry
from kc.transform import PassContext

ORDER = (
    "remove-unused-functions",
    "to-basic-block-normal-form",
    "qnn-legalize",
    "qnn-canonicalize",
    "legalize",
    "simplify-inference",
    "dynamic-to-static",
    "eliminate-common-subexpr",
    "simplify-expr",
    "combine-parallel-conv2d",
    "combine-parallel-dense",
    "combine-parallel-batch-matmul",
    "fold-constant",
    "fold-scale-axis",
    "canonicalize-cast",
    "canonicalize-ops",
    "flatten-atrous-conv",
    "alter-op-layout",
    "fast-math",
    "fold-constant",
    "split-args",
    "plan-devices",
    "fuse-ops",
    "inline",
    "infer-type",
    "label-ops",
)
"""The flags of the passes, in their order. Those that kc does not have yet, as ``alter-op-layout``,
are skipped."""

OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "combine-parallel-conv2d": {"constants_only": True},
    "combine-parallel-dense": {"constants_only": True, "to_batch": False},
    "combine-parallel-batch-matmul": {"constants_only": True},
}
"""The options of passes. Weights that are arguments would be copied at each call. One product of
all outputs is faster than a batch: a BERT layer of 128 words takes 7.8 ms, 8.9 ms with a batch, and
7.9 ms without either, on one thread."""


@dataclass(frozen=True)
class GraphOptimizePass(ModulePass):
    """Run the passes of ``relay.build`` on a graph, in its order, as the pass context says.

    ::

        kc-opt model.mlir --graph-optimize --mlir-print-ir-after-all
    """

    name = "graph-optimize"
    opt_level: ClassVar[int] = 0

    entry: str = "main"
    """The function that is called from outside."""

    def stages(self) -> list[ModulePass]:
        """The passes, so a driver can check and print the module between them."""
        context = PassContext.current()
        options = options_of(context.config)
        options["remove-unused-functions"] = {"entry_functions": (self.entry,)}
        passes = [
            registry.pass_class(flag)(**OPTIONS.get(flag, {}), **options.get(flag, {}))
            for flag in ORDER
            if flag in registry.current().passes
        ]
        return [pass_ for pass_ in passes if context.enables(pass_)]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        run_passes(op, self.stages())  # the instruments of the context observe each stage


def options_of(config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The options of passes, by their flags, that the keys of a config give."""
    options: dict[str, dict[str, Any]] = {}
    if "relay.FuseOps.max_depth" in config:
        options["fuse-ops"] = {"max_depth": int(config["relay.FuseOps.max_depth"])}
    return options
