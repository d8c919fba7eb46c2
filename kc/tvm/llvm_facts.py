"""Facts about LLVM, by the names of ``tvm.target.codegen``."""

from __future__ import annotations

import re

__all__ = ["llvm_get_intrinsic_name", "llvm_lookup_intrinsic_id", "llvm_version_major"]


def llvm_version_major(allow_none: bool = False) -> int:
    """The major version of the LLVM that machine code is made with."""
    from llvmlite import binding

    del allow_none  # there always is one
    return int(binding.llvm_version_info[0])


def llvm_lookup_intrinsic_id(name: str) -> str | int:
    """What ``tir.call_llvm_intrin`` takes for the intrinsic ``name``: the name itself, which is as
    good as TVM's number; 0 for what is no such name. Whether LLVM has it is known at the build."""
    return name if re.fullmatch(r"llvm(\.[a-z0-9_]+)+", name) else 0


def llvm_get_intrinsic_name(intrin_id: str) -> str:
    """The name of what :func:`llvm_lookup_intrinsic_id` gave."""
    return intrin_id
