"""Named pipelines: lists of passes that a pass of the same name runs."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.support import registry


def lower_to_llvm_passes() -> list[str]:
    """The passes that bring any module of kc to the llvm dialect, by name and in order.

    Each leaves alone what it is not about, so that the list serves a module of any stage. Passes
    that plugins attach to a phase of lowering are among them: phase 0 before anything, 1 when
    there are no blocks any more, 2 when loops are transformed, 3 before the llvm dialect.
    """
    hooks = registry.current().hooks
    return [
        *hooks[0],
        "convert-te-to-tir",
        "lower-init-block",
        "compact-buffer-allocation",
        "lower-blocks",
        *hooks[1],
        "inject-double-buffer",
        "align-storage",
        "vectorize-loop",
        *hooks[2],
        "convert-tir-to-scf",
        *hooks[3],
        "convert-to-llvm",
    ]


def lower_to_c_passes() -> list[str]:
    """The passes that bring any module of kc to what the C target prints, in order."""
    hooks = registry.current().hooks
    return [
        *hooks[0],
        "convert-te-to-tir",
        "lower-init-block",
        "compact-buffer-allocation",
        "lower-blocks",
        *hooks[1],
        "inject-double-buffer",
        "align-storage",
        "skip-vectorize",
        *hooks[2],
        "convert-tir-to-scf",
        *hooks[3],
    ]


@dataclass(frozen=True)
class LowerToLlvmPass(ModulePass):
    """Lower te, tir and everything below them to the llvm dialect.

    ::

        te.func @f(%A: tensor<8xf32>) -> tensor<8xf32> { ... }

    becomes ::

        llvm.func @f(%A: !llvm.ptr {...}, %B: !llvm.ptr {...}) { ... }

    It is what its passes are, one after the other (:func:`lower_to_llvm_passes`). Requires what
    they require, and raises what they raise.
    """

    name = "lower-to-llvm"

    def stages(self) -> list[ModulePass]:
        """The passes, so that a driver can check and show the module between them."""
        return [registry.get_pass(name) for name in lower_to_llvm_passes()]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for stage in self.stages():
            stage.apply(ctx, op)


@dataclass(frozen=True)
class LowerToCPass(ModulePass):
    """Lower te and tir to loops, branches and scalars: what the C target prints.

    Loops stay loops (:func:`lower_to_c_passes`): vectors and threads are the C compiler's.
    """

    name = "lower-to-c"

    def stages(self) -> list[ModulePass]:
        """The passes, so that a driver can check and show the module between them."""
        return [registry.get_pass(name) for name in lower_to_c_passes()]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for stage in self.stages():
            stage.apply(ctx, op)
