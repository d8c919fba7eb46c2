"""Small helpers around builds, by the names of ``tvm.contrib``: temporary folders, the linker."""

from kc.tvm.contrib import cc, clang, utils

__all__ = ["cc", "clang", "utils"]
