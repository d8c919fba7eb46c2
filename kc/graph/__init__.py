"""Whole models: graphs of operators, built, run, optimised and compiled.

Read :mod:`kc.dialects.graph` (the IR), then :mod:`kc.graph.lowering` (an operator as tensor
expressions), :mod:`kc.graph.interpreter`, and the passes in ``kc/transforms/graph`` and
:mod:`kc.graph.passes`. The functions that users call are attributes of the package.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from kc.support.absent_names import no_attribute as _no_attribute

if _TYPE_CHECKING:
    from kc.building.graphs.compiled_graph import build as build
    from kc.building.graphs.fuse_ops import fuse_report as fuse_report
    from kc.graph.drawing import viz as viz
    from kc.graph.interpreter import Interpreter as Interpreter
    from kc.graph.passes.first_order_gradient import gradient as gradient
    from kc.graph.strategies import OpStrategy as OpStrategy
    from kc.graph.strategies import register_compute as register_compute
    from kc.graph.strategies import register_schedule as register_schedule
    from kc.graph.strategies import register_strategy as register_strategy
    from kc.graph.strategies import unregister as unregister

_FUNCTIONS = {
    "Interpreter": "kc.graph.interpreter",
    "OpStrategy": "kc.graph.strategies",
    "build": "kc.building.graphs.compiled_graph",
    "fuse_report": "kc.building.graphs.fuse_ops",
    "gradient": "kc.graph.passes.first_order_gradient",
    "register_compute": "kc.graph.strategies",
    "register_schedule": "kc.graph.strategies",
    "register_strategy": "kc.graph.strategies",
    "unregister": "kc.graph.strategies",
    "viz": "kc.graph.drawing",
}
"""The name of a function -> the module that has it, which is imported when it is first used."""


def __getattr__(name: str) -> _Any:
    if name not in _FUNCTIONS:
        raise _no_attribute("graph", name)
    value = getattr(_import_module(_FUNCTIONS[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_FUNCTIONS)
