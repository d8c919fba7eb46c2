"""Bugs of ours: one line for the user, and a file with what is needed to see them again."""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from kc.support.diagnostics import Diagnostic
from kc.tools._reporter import Reporter

CODE = "KC0070"


class PassFailure(Exception):
    """A pass raised what it must not, or left a module that does not verify.

    Its cause is the exception; ``origin`` is who the pass belongs to.
    """

    def __init__(self, name: str, origin: str, *, invalid: bool = False) -> None:
        super().__init__(name)
        self.name = name
        self.origin = origin
        self.invalid = invalid

    def __str__(self) -> str:
        owner = {"kc": "", "xdsl": " of xDSL"}.get(self.origin, f" of plugin '{self.origin}'")
        if self.invalid:
            return f"pass '{self.name}'{owner} leaves IR that does not verify"
        return f"internal error in pass '{self.name}'{owner}"


def report_internal_error(
    tool: str,
    error: BaseException,
    reporter: Reporter,
    *,
    argv: Sequence[str] = (),
    source: str = "",
    command: Sequence[str] = (),
) -> None:
    """Say that ``tool`` failed, in one line, and write the reproducer.

    ``source`` is the input; ``command`` the arguments that reproduce the failure with it, the
    original ``argv`` where they are not known.
    """
    if isinstance(error, PassFailure):
        title, cause = str(error), error.__cause__ or error
    else:
        title, cause = f"internal error in {tool}", error
    said = " ".join(str(getattr(cause, "message", cause)).split())
    detail = f"{type(cause).__name__}: {said}" if said else type(cause).__name__
    if len(detail) > 200:
        detail = detail[:197] + "..."
    text = _reproducer(tool, title, cause, source, command or argv, known=bool(command))
    place = _write(text)
    where = f"; reproducer: {place}" if place else "; no reproducer could be written"
    reporter.report(Diagnostic(CODE, f"{title} ({detail}){where}"))


def _reproducer(
    tool: str,
    title: str,
    cause: BaseException,
    source: str,
    command: Sequence[str],
    *,
    known: bool,
) -> str:
    label = "run with this file" if known else "was run as"
    trace = "".join(traceback.format_exception(cause))
    head = [
        f"{tool}: {title}",
        f"{label}: {tool} {shlex.join(command)}",
        f"versions: {versions()}",
        *trace.rstrip().split("\n"),
    ]
    return "".join(f"// {line}".rstrip() + "\n" for line in head) + source


def versions() -> str:
    """kc, what it stands on, Python and the machine."""
    from importlib.metadata import PackageNotFoundError, version

    from kc import __version__

    parts = [f"kc {__version__}"]
    for name in ("xdsl", "llvmlite", "numpy", "islpy"):
        try:
            parts.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            parts.append(f"{name} not installed")
    parts.append(f"Python {platform.python_version()}")
    parts.append(f"{sys.platform} {platform.machine()}")
    return ", ".join(parts)


def _write(text: str) -> str | None:
    """Write a reproducer here, or else among temporary files; its path."""
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    for folder in (Path(), Path(tempfile.gettempdir())):
        path = folder / f"kc-reproducer-{digest}.mlir"
        try:
            path.write_text(text, encoding="utf-8", errors="replace")
        except OSError:
            continue
        return os.fspath(path)
    return None
