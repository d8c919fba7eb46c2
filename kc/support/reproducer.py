"""Reports of bugs of kc: one line for the user, and a file that reproduces the bug."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shlex
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from kc.support.deep import refusing_depth
from kc.support.diagnostics import Diagnostic, InternalError

CODE = "KC0070"


class PassFailure(InternalError):
    """A pass raised an unexpected exception, or left a module that does not verify.

    ``__cause__`` is the exception; ``origin`` is the owner of the pass.
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


def internal_error(
    tool: str,
    error: BaseException,
    *,
    argv: Sequence[str] = (),
    source: str = "",
    command: Sequence[str] = (),
) -> Diagnostic:
    """A one-line message for a failure of ``tool``; writes the reproducer.

    ``source`` is the input. ``command`` holds the arguments that reproduce the failure with it;
    None for the original ``argv``.
    """
    if isinstance(error, PassFailure):
        title, cause = str(error), error.__cause__ or error
    else:
        title, cause = f"internal error in {tool}", error
    message = " ".join(str(getattr(cause, "message", cause)).split())
    detail = f"{type(cause).__name__}: {message}" if message else type(cause).__name__
    if type(cause) is InternalError:
        detail = message
    if len(detail) > 200:
        detail = detail[:197] + "..."
    text = _reproducer(tool, title, cause, source, command or argv, is_whole_command=bool(command))
    place = _write(text)
    where = f"; reproducer: {place}" if place else "; no reproducer could be written"
    return Diagnostic(CODE, f"{title} ({detail}){where}")


@contextlib.contextmanager
def reproducing(call: str, source: Callable[[], str]) -> Iterator[None]:
    """Attach a reproducer to an InternalError of the Python ``call`` in this context.

    ``source`` gives the text of the initial module and of the actions of the call. Raises
    ParseError KC1003 for a module that is nested too deeply.
    """
    try:
        with refusing_depth(call, source):
            yield
    except InternalError as error:
        if error.reproduced:
            raise
        diagnostic = internal_error(call, error, source=source())
        raise InternalError(diagnostic.message, reproduced=True) from error


def _reproducer(
    tool: str,
    title: str,
    cause: BaseException,
    source: str,
    command: Sequence[str],
    *,
    is_whole_command: bool,
) -> str:
    label = "run with this file" if is_whole_command else "was run as"
    trace = "".join(traceback.format_exception(cause))
    head = [
        f"{tool}: {title}",
        f"{label}: {tool} {shlex.join(command)}",
        f"versions: {versions()}",
        *trace.rstrip().split("\n"),
    ]
    return "".join(f"// {line}".rstrip() + "\n" for line in head) + source


def versions() -> str:
    """The versions of kc, its dependencies and Python, and the machine."""
    from importlib.metadata import PackageNotFoundError, version

    parts = [f"kc {sys.modules['kc'].__version__}"]  # importing it here would go up
    for name in ("xdsl", "llvmlite", "numpy", "islpy"):
        try:
            parts.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            parts.append(f"{name} not installed")
    parts.append(f"Python {platform.python_version()}")
    parts.append(f"{sys.platform} {platform.machine()}")
    return ", ".join(parts)


def _write(text: str) -> str | None:
    """Write a reproducer to the current directory, or else to a temporary directory; its path."""
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    for folder in (Path(), Path(tempfile.gettempdir())):
        path = folder / f"kc-reproducer-{digest}.mlir"
        try:
            path.write_text(text, encoding="utf-8", errors="replace")
        except OSError:
            continue
        return os.fspath(path)
    return None
