"""The peak memory of a call: bytes of arguments and of buffers after the passes of a build.

This is an analysis without a rewrite pattern: the passes of a build run on a copy, whose
allocations are then added up.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.analysis.cost import bytes_at_a_time
from kc.analysis.module_copy import copy_module
from kc.conversion.pipelines import TO_LLVM, planned_passes
from kc.support import registry
from kc.support.diagnostics import KCError, diagnostic_handler
from kc.support.target import Target

_PLANNED = TO_LLVM[: TO_LLVM.index("storage-rewrite") + 1]
"""The passes after which the lifetimes and sizes of buffers are final."""


def peak_memory(
    module: ModuleOp,
    name: str,
    target: Target,
    assume: Mapping[str, int] | None = None,
    threads: int | None = None,
) -> int | None:
    """The peak memory of function ``name`` in bytes; None if it cannot be lowered for a CPU.

    ``assume`` gives symbolic sizes by name. Each of the ``threads`` (by default, the cores of the
    target) has its own copy of buffers allocated in a parallel loop. Stack and code are not
    counted.
    """
    if str(target.kind) != "llvm":
        return None
    planned = copy_module(module)
    try:
        with target, diagnostic_handler(lambda diagnostic: None):
            for stage in planned_passes(_PLANNED, "llvm"):
                stage.apply(registry.context(), planned)
    except KCError:
        return None
    for function in loop_tree.functions(planned):
        if function.sym_name.data == name:
            return bytes_at_a_time(function, assume, threads or target.num_cores or 1)
    return None
