"""The eager schedule, and its modules by TVM's names: :mod:`kc.tir.schedule.schedule` is all."""

from importlib import import_module as _import_module
from typing import Any as _Any

from kc.support.absent_names import no_attribute as _no_attribute
from kc.support.second_names import second_names as _second_names
from kc.tir.schedule.schedule import *  # noqa: F403
from kc.tir.schedule.schedule import __all__ as __all__

_second_names(__name__, "block_scope", "instruction", "state", "trace")


def __getattr__(name: str) -> _Any:
    if name == "testing":  # the functions of testing depend on a layer above this package
        return _import_module("kc.tir.schedule.testing")
    raise _no_attribute("tir.schedule", name)
