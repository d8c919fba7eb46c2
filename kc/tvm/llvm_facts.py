"""Facts about LLVM, by the names of ``tvm.target.codegen``."""

from __future__ import annotations

import re

__all__ = ["llvm_get_intrinsic_name", "llvm_lookup_intrinsic_id", "llvm_version_major"]


def llvm_version_major(allow_none: bool = False) -> int:
    """The major version of the LLVM that generates machine code."""
    from llvmlite import binding

    del allow_none  # there is always a version
    return int(binding.llvm_version_info[0])


def llvm_lookup_intrinsic_id(name: str) -> str | int:
    """The handle of the intrinsic ``name`` for ``tir.call_llvm_intrin``: the name itself, in place
    of TVM's number; 0 for an invalid name. The build checks that LLVM has the intrinsic.
    """
    return name if re.fullmatch(r"llvm(\.[a-z0-9_]+)+", name) else 0


def llvm_get_intrinsic_name(intrin_id: str) -> str:
    """The name of a handle of :func:`llvm_lookup_intrinsic_id`."""
    return intrin_id
