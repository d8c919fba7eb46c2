"""The words of TVMScript for functions: ``from kc.script import tir as T``."""

from typing import Any as _Any

from kc.tvm.tvmscript import names as _names
from kc.tvm.tvmscript.reader import macro, prim_func

__all__ = ["macro", "prim_func", *_names.NAMES]  # pyright: ignore[reportUnsupportedDunderAll]

globals().update(_names.NAMES)


def __getattr__(name: str) -> _Any:
    raise _names.unknown_word(name)
