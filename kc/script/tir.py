"""The words of TVMScript for functions: ``from kc.script import tir as T``."""

from typing import Any as _Any

from kc.tir.script import tvmscript_names as _names
from kc.tir.script.tvmscript import macro, prim_func

__all__ = ["macro", "prim_func", *_names.NAMES]  # pyright: ignore[reportUnsupportedDunderAll]

globals().update(_names.NAMES)


def __getattr__(name: str) -> _Any:
    raise _names.unknown_word(name)
