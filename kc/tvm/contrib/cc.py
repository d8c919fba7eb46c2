"""The system's C compiler as a linker, as in ``tvm.contrib.cc``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from kc.runtime.c_compiler import find_compiler, link_library, require_compiler
from kc.support.diagnostics import InputError
from kc.support.locations import caller_location

__all__ = ["create_shared", "get_cc"]


def get_cc() -> str | None:
    """The C compiler: ``$CC``, or the first of cc, gcc and clang on the path. None if there is
    none.
    """
    command = find_compiler()
    return " ".join(command) if command else None


def create_shared(
    output: str,
    objects: str | Sequence[str],
    options: Sequence[str] | None = None,
    cc: str | None = None,
) -> None:
    """Link object or C files into the shared library ``output``.

    ``cc`` is a command, by default that of :func:`get_cc`. Raises InputError KC0081 if a file
    cannot be read, CallError KC5145 without a compiler, KC5146 if the compiler reports an error.
    """
    paths = [objects] if isinstance(objects, str) else list(objects)
    files: dict[str, bytes] = {}
    for n, path in enumerate(paths):
        try:
            files[f"{n}_{os.path.basename(path)}"] = Path(path).read_bytes()
        except OSError as error:
            raise InputError(
                "KC0081",
                f"create_shared: {path} cannot be read",
                location=caller_location(),
                why=error.strerror,
            ) from error
    link_library(output, files, require_compiler("create_shared", cc), options or ())
