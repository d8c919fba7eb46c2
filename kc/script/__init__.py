"""Kernels as Python source: ``@kc.script``, and TVMScript.

``kc.script`` is the decorator of :mod:`kc.tir.script`; as a package it has the language of TVM::

    from kc.script import tir as T, ir as I

    @T.prim_func
    def double(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
        for i in T.serial(128):
            with T.block("B"):
                vi = T.axis.spatial(128, i)
                B[vi] = A[vi] * 2.0

:func:`from_source` reads the same from text, and executes nothing of it.
"""

import sys as _sys
from collections.abc import Callable as _Callable
from types import ModuleType as _ModuleType
from typing import Any as _Any

from kc.script import ir, tir
from kc.script.ir import ir_module
from kc.support.second_names import second_names as _second_names
from kc.tir.script import script as _script
from kc.tvm.tvmscript.from_text import from_source

__all__ = ["from_source", "ir", "ir_module", "tir"]


class _Decorator(_ModuleType):
    """A module that is called: ``@kc.script``."""

    def __call__(self, function: _Callable[..., _Any]) -> _Any:
        return _script(function)

    def __dir__(self) -> list[str]:
        return sorted(__all__)


_Decorator.__call__.__doc__ = _script.__doc__
_sys.modules[__name__].__class__ = _Decorator
_second_names(__name__, "parser")
_second_names(f"{__name__}.parser", ir=ir, tir=tir)
