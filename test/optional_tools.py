"""Locations of optional tools for tests: programs of LLVM, a browser."""

import shutil

# Where Debian's packages put LLVM 22; the version that the tests were written with.
LLVM_BIN = "/usr/lib/llvm-22/bin"

# Program -> the Debian package that has it, or the wheel.
PACKAGES = {
    "mlir-opt": "mlir-22-tools",
    "mlir-translate": "mlir-22-tools",
    "llc": "llvm-22",
    "FileCheck": "llvm-22-tools",
    "clang-22": "clang-22",
    "spirv-val": "spirv-tools",
    "spirv-dis": "spirv-tools",
    "chromium": "chromium",
    "ptxas": "nvidia-cuda-nvcc (pip)",
    "nvdisasm": "nvidia-cuda-nvdisasm (pip)",
}


def find(tool: str) -> str | None:
    """The path of `tool`, looked up in PATH and then in LLVM_BIN, or None."""
    return shutil.which(tool) or shutil.which(tool, path=LLVM_BIN)
