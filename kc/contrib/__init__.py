"""``tvm.contrib``: :mod:`kc.tvm.contrib`, by the path that programs import."""

from importlib import import_module as _import_module
from types import ModuleType as _ModuleType

from kc.support.absent_names import no_attribute as _no_attribute
from kc.support.second_names import second_names as _second_names
from kc.tvm.contrib import cc, clang, utils

__all__ = ["cc", "clang", "utils"]

_second_names(__name__, cc=cc, clang=clang, utils=utils)


_ON_DEMAND = ("graph_executor", "relay_viz")
"""The modules that few programs need."""


def __getattr__(name: str) -> _ModuleType:
    if name not in _ON_DEMAND:
        raise _no_attribute("contrib", name)
    return _import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ON_DEMAND])
