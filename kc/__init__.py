"""kc: a kernel compiler for tensor programs, as dialects and rewrites on xDSL.

Importing the package is cheap: everything heavier than a name is loaded at first use.
"""

import time as _time
from importlib import import_module as _import_module
from pathlib import Path as _Path
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    # What type checkers and editors know of the names below.
    from kc import contrib as contrib
    from kc import driver as driver
    from kc import error as error
    from kc import gpu as gpu
    from kc import graph as graph
    from kc import instrument as instrument
    from kc import ir as ir
    from kc import nd as nd
    from kc import parser as parser
    from kc import relay as relay
    from kc import runtime as runtime
    from kc import target as target
    from kc import te as te
    from kc import testing as testing
    from kc import tir as tir
    from kc import topi as topi
    from kc import transform as transform
    from kc.driver import auto_schedule as auto_schedule
    from kc.driver import build as build
    from kc.driver import lower as lower
    from kc.expr.buffers import Buffer as Buffer
    from kc.from_torch import from_torch as from_torch
    from kc.ipython_magics import load_ipython_extension as load_ipython_extension
    from kc.roofline_model import roofline as roofline
    from kc.runtime.data_type import DataType as DataType
    from kc.runtime.device import cpu as cpu
    from kc.runtime.device import cuda as cuda
    from kc.runtime.device import device as device
    from kc.runtime.global_functions import get_global_func as get_global_func
    from kc.runtime.global_functions import register_func as register_func
    from kc.script import _Decorator  # pyright: ignore[reportPrivateUsage]
    from kc.support.diagnostics import KCError as KCError
    from kc.support.target import Target as Target
    from kc.tir.module import IRModule as IRModule

    context = device
    TVMError = KCError
    script: _Decorator  # a module that is called

_root = _Path(__file__).resolve().parent.parent
if (_root / "pyproject.toml").is_file() and (_root / "dialects" / "__init__.py").is_file():
    # A source checkout: kc.dialects is <repo>/dialects, and so on.
    __path__.append(str(_root))
del _root

__version__ = "0.1.0"

_import_module("kc.support.import_hints").install()
_paused_collection = _import_module("kc.support.paused_collection").paused_collection

_imported_at = _time.time_ns()

# Public name -> (module, attribute); a None attribute is the module itself.
_LAZY: dict[str, tuple[str, str | None]] = {
    "te": ("kc.te", None),
    "tir": ("kc.tir", None),
    "topi": ("kc.topi", None),
    "nd": ("kc.nd", None),
    "error": ("kc.error", None),
    "target": ("kc.target", None),
    "gpu": ("kc.gpu", None),
    "runtime": ("kc.runtime", None),
    "ir": ("kc.ir", None),
    "driver": ("kc.driver", None),
    "testing": ("kc.testing", None),
    "contrib": ("kc.contrib", None),
    "relay": ("kc.relay", None),
    "parser": ("kc.parser", None),
    "graph": ("kc.graph", None),
    "transform": ("kc.transform", None),
    "instrument": ("kc.instrument", None),
    "IRModule": ("kc.tir.module", "IRModule"),
    "Buffer": ("kc.expr.buffers", "Buffer"),
    "script": ("kc.script", None),
    "load_ipython_extension": ("kc.ipython_magics", "load_ipython_extension"),
    "lower": ("kc.driver", "lower"),
    "build": ("kc.driver", "build"),
    "auto_schedule": ("kc.driver", "auto_schedule"),
    "roofline": ("kc.roofline_model", "roofline"),
    "register_func": ("kc.runtime.global_functions", "register_func"),
    "get_global_func": ("kc.runtime.global_functions", "get_global_func"),
    "cpu": ("kc.runtime.device", "cpu"),
    "cuda": ("kc.runtime.device", "cuda"),
    "device": ("kc.runtime.device", "device"),
    "context": ("kc.runtime.device", "device"),
    "DataType": ("kc.runtime.data_type", "DataType"),
    "Target": ("kc.support.target", "Target"),
    "KCError": ("kc.support.diagnostics", "KCError"),
    "TVMError": ("kc.support.diagnostics", "KCError"),
}


def __getattr__(name: str) -> _Any:
    if name.startswith("from_") and name in (importers := _importers()):
        with _paused_collection(permanent=True):
            value = importers[name].load()
        if importers[name].origin == "kc":
            globals()[name] = value  # which is that of the module otherwise
        return value
    if name not in _LAZY:
        from kc.support.diagnostics import UnknownName

        # With a name and no object, Python adds no guess of its own.
        raise UnknownName(f"module 'kc' has no attribute '{name}'{_hint(name)}", name=name)
    module, attribute = _LAZY[name]
    with _paused_collection(permanent=True):
        value = _import_module(module)
    if attribute is not None:
        value = getattr(value, attribute)
    globals()[name] = value
    return value


def _importers() -> _Any:
    """The functions that import other programs: ``from_torch``, and those of plugins."""
    return _import_module("kc.support.registry").current().importers


def _hint(name: str) -> str:
    """The new name of a TVM name, or a similarly spelled name; "" if there is none."""
    from kc.support.import_hints import hint_of_tvm_name

    if name.startswith("_"):
        return ""
    if hint := hint_of_tvm_name(name):
        return f"; {hint}"
    from kc.support.diagnostics import suggest

    return "; " + suggest(name, [*_LAZY, *_importers()], "the names are")[0]


def __dir__() -> list[str]:
    return sorted([*_LAZY, *_importers(), *(name for name in globals() if name.startswith("__"))])
