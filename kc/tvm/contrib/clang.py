"""Clang as a compiler to LLVM IR, as in ``tvm.contrib.clang``."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kc.runtime.c_compiler import run_compiler
from kc.support.diagnostics import CallError

__all__ = ["create_llvm", "find_clang"]

_VERSIONED = re.compile(r"clang-(\d+)")


def find_clang(required: bool = True) -> list[str]:
    """The clang compilers of this machine, ``clang`` first, then the newest.

    Raises CallError KC5145 if there is none, unless ``required`` is false.
    """
    versions = {
        int(match[1])
        for folder in os.get_exec_path()
        if os.path.isdir(folder)
        for name in os.listdir(folder)
        if (match := _VERSIONED.fullmatch(name))
    }
    names = ["clang", *(f"clang-{version}" for version in sorted(versions, reverse=True))]
    installed = [name for name in names if shutil.which(name)]
    if not installed and required:
        raise CallError(
            "KC5145",
            "find_clang: no clang on the PATH",
            facts=["looked for: clang, clang-NUMBER in PATH"],
            hints=["install clang"],
        )
    return installed


def create_llvm(
    inputs: str | Sequence[str],
    output: str | None = None,
    options: Sequence[str] | None = None,
    cc: str | None = None,
) -> str:
    """The LLVM IR of C source, which is text or the paths of files. The IR is also written to the
    file ``output``.

    Raises CallError KC5145 without clang, KC5146 if clang reports an error.
    """
    sources = [inputs] if isinstance(inputs, str) else list(inputs)
    command = [cc] if cc else find_clang()[:1]
    with tempfile.TemporaryDirectory(prefix="kc-") as folder:
        texts: list[str] = []
        for n, source in enumerate(sources):
            path = source
            if not os.path.isfile(source):
                path = os.path.join(folder, f"source{n}.cc")
                Path(path).write_text(source, encoding="utf-8")
            compiled = os.path.join(folder, f"source{n}.ll")
            flags = ["-O3", "-emit-llvm", "-S", *(options or ())]
            run_compiler([*command, *flags, path, "-o", compiled], "create_llvm")
            texts.append(Path(compiled).read_text(encoding="utf-8"))
    text = "\n".join(texts)
    if output is not None:
        Path(output).write_text(text, encoding="utf-8")
    return text
