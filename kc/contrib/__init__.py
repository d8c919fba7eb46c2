"""``tvm.contrib``: :mod:`kc.tvm.contrib`, by the path that programs import."""

from kc.support.second_names import second_names as _second_names
from kc.tvm.contrib import cc, clang, utils

__all__ = ["cc", "clang", "utils"]

_second_names(__name__, cc=cc, clang=clang, utils=utils)
