"""Small helpers around builds, by the names of ``tvm.contrib``: temporary folders, the linker."""

from kc.contrib import cc, utils

__all__ = ["cc", "utils"]
