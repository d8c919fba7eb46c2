"""``kc.graph.build``: a module of graphs as one native function."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp

from kc.backends import Build, backend_of
from kc.graph.interpreter import Interpreter
from kc.graph.kernels import Kernels
from kc.graph.main_function import main_function, module_of
from kc.graph.memory_plan import plan_memory
from kc.graph.program import program_of
from kc.support.target import Target


def build(mod: Any, target: Target | str | None = None):
    chosen = Target.host_cpu() if target is None else Target(target) if isinstance(target, str) else target
    functions = Interpreter(mod)
    function = functions.function("main")
    program = program_of(function, functions.functions)
    kernels = Kernels(chosen, ["main"])
    plan = plan_memory(program, kernels.may_write_in_place)
    main = main_function(program, plan, kernels.of)
    module = module_of(main, program, kernels.all())
    backend = backend_of(chosen)
    return backend.build(Build([("tir", module)], chosen, "main", None, backend)), plan
