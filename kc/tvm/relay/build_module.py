"""``relay.build``: a Relay function or module as a compiled graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kc.graph.compiled_graph import CompiledGraph
from kc.graph.compiled_graph import build as build_graph
from kc.support.target import Target
from kc.tir.module import IRModule

__all__ = ["build"]


def build(
    ir_mod: Any,
    target: Target | str | None = None,
    target_host: Target | str | None = None,
    executor: Any = None,
    runtime: Any = None,
    workspace_memory_pools: Any = None,
    constant_memory_pools: Any = None,
    params: Mapping[str, Any] | None = None,
    mod_name: str = "default",
) -> CompiledGraph:
    """Compile the function ``main`` of a module, or a function, for a CPU.

    ``params`` are arrays for its variables by name. The result is called with the rest of them, is
    wrapped by ``graph_executor.GraphModule(lib["default"](dev))``, and unpacks to ``(graph_json,
    lib, params)``. The arguments from ``target_host`` to ``constant_memory_pools``, and
    ``mod_name``, are accepted for programs written for TVM: kc has one executor and one runtime.

    Raises the errors of :func:`kc.graph.build`.
    """
    del target_host, executor, runtime, workspace_memory_pools, constant_memory_pools, mod_name
    if not hasattr(ir_mod, "op") or not isinstance(ir_mod, IRModule):
        ir_mod = IRModule.from_expr(ir_mod)
    return build_graph(ir_mod, target, params)
