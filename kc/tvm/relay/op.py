"""``relay.op``: the functions of operators, and operators by name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from kc.dialects.graph.declaration import Pattern, all_operators
from kc.support.absent_names import no_attribute
from kc.support.second_names import second_names
from kc.tvm.relay.composed_functions import COMPOSED
from kc.tvm.relay.expr import Op
from kc.tvm.relay.operator_functions import operator_function

NAMESPACES = ("nn", "image", "vision", "qnn", "random", "annotation", "dyn", "memory")
"""The namespaces of operators in Relay: ``relay.nn.relu`` is the operator ``nn.relu``."""


def get(name: str) -> Op:
    """An operator as a value. Raises GraphError KC2404 for an unknown one."""
    return Op.get(name)


def list_op_names() -> list[str]:
    """The names of all operators."""
    return sorted(all_operators())


def function_named(name: str) -> Callable[..., Any] | None:
    """The function of the operator of this name; None if there is none."""
    if name in COMPOSED:
        return COMPOSED[name]
    name = _OTHER_NAMES.get(name, name)
    return operator_function(name) if name in all_operators() else None


_LAZY = {
    "OpStrategy": "kc.graph.strategies:OpStrategy",
    "register_broadcast_schedule": "kc.tvm.relay.strategy:register_injective_schedule",
    "register_compute": "kc.graph.strategies:register_compute",
    "register_injective_schedule": "kc.tvm.relay.strategy:register_injective_schedule",
    "register_legalize": "kc.tvm.relay.legalize:register_legalize",
    "register_reduce_schedule": "kc.tvm.relay.strategy:register_injective_schedule",
    "register_schedule": "kc.graph.strategies:register_schedule",
    "register_strategy": "kc.graph.strategies:register_strategy",
    "strategy": "kc.tvm.relay.strategy:",
    "register_mixed_precision_conversion": (
        "kc.tvm.relay.mixed_precision:register_mixed_precision_conversion"
    ),
    "qnn.register_qnn_legalize": "kc.tvm.relay.legalize:register_qnn_legalize",
    "qnn.transform": "kc.tvm.relay.qnn_transform:",
}
"""The names that are no operators, and where they are: they are imported when they are first used.
"""


def _lazy(name: str) -> Any:
    """The object of a name of :data:`_LAZY`; None for another name."""
    module, _, attribute = _LAZY.get(name, "").partition(":")
    if not module:
        return None
    loaded = import_module(module)
    return getattr(loaded, attribute) if attribute else loaded


_PLAIN = {"annotation": ("on_device",)}
"""The operators of a namespace whose names do not begin with it."""


class Namespace(ModuleType):
    """The operators whose names begin with a prefix, as a module of functions."""

    def __init__(self, prefix: str) -> None:
        super().__init__(f"kc.relay.{prefix}", f"Relay's operators ``{prefix}.*``.")
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        own = name if name in _PLAIN.get(self._prefix, ()) else f"{self._prefix}.{name}"
        function = function_named(own) or _lazy(own)
        if function is not None:
            setattr(self, name, function)
            return function
        raise no_attribute(f"relay.{self._prefix}", name)

    def __dir__(self) -> list[str]:
        start = f"{self._prefix}."
        return sorted(
            {
                name.removeprefix(start).partition(".")[0]
                for name in (*all_operators(), *COMPOSED)
                if name.startswith(start)
            }
        )


OpPattern = Pattern
"""Relay's name of the kinds of operators that fusion distinguishes."""

_OTHER_NAMES = {
    "annotation.on_device": "on_device",
    "reverse_reshape": "contrib_reverse_reshape",
}
"""Names of functions -> those of their operators."""

_MODULES = {prefix: Namespace(prefix) for prefix in NAMESPACES}
_MODULES["qnn"].op = _MODULES["qnn"]  # pyright: ignore[reportAttributeAccessIssue]
globals().update(_MODULES)
second_names(__name__, **_MODULES)
second_names(__name__, "algorithm", "op", "reduce", "tensor", "transform")
for _prefix, _module in _MODULES.items():
    sys.modules.setdefault(f"kc.relay.{_prefix}", _module)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    function = function_named(name) or _lazy(name)
    if function is None:
        raise no_attribute("relay.op", name)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    names = {name.partition(".")[0] for name in (*all_operators(), *COMPOSED)}
    own = {"get", "list_op_names", "Op", "OpPattern", *(name for name in _LAZY if "." not in name)}
    return sorted({*names, *_OTHER_NAMES, *own, *NAMESPACES})
