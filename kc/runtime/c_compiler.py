"""The system's C compiler: it links libraries, and compiles the source of the C target."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kc.runtime.metadata import LIBRARY, MAGIC, with_checksum
from kc.support.diagnostics import CallError
from kc.support.environment import read

_CANDIDATES = ("cc", "gcc", "clang")


def find_compiler(name: str | None = None, triple: str = "") -> list[str] | None:
    """The command of a C compiler; None if there is none.

    ``name`` (else ``$CC``) may have arguments, as in ``"ccache gcc"``. For the ``triple`` of
    another machine, it is a cross compiler: ``aarch64-linux-gnu-gcc``.
    """
    text = name or read("CC")
    if text:
        command = shlex.split(text)
        return command if command and shutil.which(command[0]) else None
    candidates = _CANDIDATES
    if triple:
        short = triple.replace("-unknown-", "-")
        candidates = (f"{triple}-gcc", f"{short}-gcc", f"{triple}-clang")
        if re.search(r"[^\w.-]", triple):  # of a text, which names no file to be run
            return None
    return next(([compiler] for compiler in candidates if shutil.which(compiler)), None)


def require_compiler(what: str, compiler: str | None = None, triple: str = "") -> list[str]:
    """The command of a C compiler; CallError KC5145 if there is none."""
    command = find_compiler(compiler, triple)
    if command is not None:
        return command
    requested = compiler or read("CC")
    looked = f"looked for: {requested or ', '.join(_CANDIDATES)}"
    hints = ["install gcc or clang, or name a compiler in CC or by cc="]
    if triple and not requested:
        looked = f"looked for: {triple.replace('-unknown-', '-')}-gcc"
        hints = [f"install a C compiler for {triple}, or name it by cc="]
    raise CallError("KC5145", f"{what} needs a C compiler", facts=[looked], hints=hints)


def run_compiler(command: Sequence[str], what: str) -> None:
    """Run the compiler; CallError KC5146 with its messages if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        messages = [line.rstrip() for line in done.stderr.splitlines() if line.strip()]
        raise CallError(
            "KC5146",
            f"{what}: the C compiler failed",
            facts=[shlex.join(command), *messages[:6]],
        )


def link_library(
    path: str, files: dict[str, bytes], command: Sequence[str], options: Sequence[str] = ()
) -> None:
    """Make the shared library ``path`` from sources and objects, given as name -> content.

    The file is replaced atomically. Raises CallError KC5146.
    """
    from kc.support.files import check_writable

    check_writable(path)
    target = Path(os.path.realpath(path))
    # The result is written beside its destination, and then moved in one step.
    with tempfile.TemporaryDirectory(prefix=".kc-", dir=target.parent) as folder:
        sources: list[str] = []
        for name, content in files.items():
            file = Path(folder, name)
            file.write_bytes(content)
            sources.append(os.fspath(file))
        library = Path(folder, "library")
        output = [*sources, "-o", os.fspath(library)]
        if sys.platform == "linux":
            # Prefer the library's own functions to those of the process with equal names.
            output.append("-Wl,-Bsymbolic")
        run_compiler([*command, "-shared", "-fPIC", *output, *options, "-lm"], target.name)
        content = library.read_bytes()
        # Not if the system's linker has signed it.
        if content.count(MAGIC) == 1 and sys.platform != "darwin":
            library.write_bytes(with_checksum(content, LIBRARY))
        os.replace(library, target)
