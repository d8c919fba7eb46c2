"""Diagnostics: errors with a code, a place, the rule, the numbers and what would be legal.

Every failure a user can cause is a :class:`KCError`. Its rendering has at most twelve lines::

    error[KC3035]: reorder: moving k outside i changes the result
      --> matmul.mlir:7:5  tir.for "k" ...
       |  for i in 16:
       |    for k in 16:     <-- moved here
      why: iteration (i=0, k=1) reads what (i=1, k=0) writes: A[1]
      try: reorder i only with j
"""

from __future__ import annotations

import contextlib
import functools
import linecache
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ClassVar, Self, TextIO

from kc.support.ipython import as_written, cell_name, in_notebook

MAX_LINES = 12
LEAST_FACTS = 4
"""The number of facts that are always shown, regardless of the number of hints."""


@dataclass(frozen=True)
class Location:
    """A place in the user's text: a Python file or a textual IR file (1-based line and column)."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        file = cell_name(self.file) or self.file
        return f"{file}:{self.line}" + (f":{self.column}" if self.column else "")

    def source_line(self) -> str:
        """The text of the line; empty if the file cannot be read, or is neither an input nor a
        source file of the program.
        """
        for name, text in _SOURCES.get():
            if name == self.file:
                lines = text.split("\n")
                return lines[self.line - 1] if 0 < self.line <= len(lines) else ""
        return _line_of_file(self.file, self.line) if _may_show(self.file) else ""


_USED_FILES: set[str] = set()
"""The files that a program passed to kc, and the files of the Python code that called kc."""
LARGEST_SOURCE = 1 << 26
"""The maximum size, in bytes, of a file whose lines are shown."""


def use_file(name: str) -> None:
    """Record that a program has named the file, so that kc may read it and show its lines."""
    _USED_FILES.add(name)


def is_used(name: str) -> bool:
    """True if a program has named the file, or called kc from it."""
    return name in _USED_FILES


def _may_show(name: str) -> bool:
    """True if a file belongs to the user's program, or is an input.

    A location may come from untrusted text, which could name any file of the machine.
    """
    if name in linecache.cache or name in _USED_FILES:
        return True
    modules = list(sys.modules.values())
    return any(getattr(module, "__file__", None) == name for module in modules)


def _line_of_file(name: str, line: int) -> str:
    if name not in linecache.cache:
        try:
            status = os.stat(name)
        except (OSError, ValueError):
            pass  # linecache finds files of Python in its path
        else:
            if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_SOURCE:
                return ""  # pipes and devices may have no end
    return linecache.getline(name, line).rstrip("\n")


# Texts that are not on disk (standard input, strings): newest first.
_SOURCES: ContextVar[tuple[tuple[str, str], ...]] = ContextVar("kc_sources", default=())


@contextlib.contextmanager
def source_text(name: str, text: str) -> Iterator[None]:
    """Show ``text`` as the source for locations in the file ``name``; after the block, show the
    file again.
    """
    use_file(name)
    token = _SOURCES.set(((name, text), *_SOURCES.get()))
    try:
        yield
    finally:
        _SOURCES.reset(token)


class Diagnostic:
    """A message to the user: shared by errors (which are raised), warnings and remarks."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        location: Location | None = None,
        why: str | None = None,
        facts: Iterable[str] = (),
        hints: Iterable[str] = (),
        kind: str = "error",
    ) -> None:
        self.code = code
        self.message = message
        self.location = location
        self.why = why
        self.facts = tuple(facts)
        self.hints = tuple(hints)
        self.kind = kind

    def render(self, *, color: bool = False) -> str:
        """The text shown on a terminal, at most :data:`MAX_LINES` lines."""

        def paint(text: str, ansi: str) -> str:
            return f"\x1b[{ansi}m{text}\x1b[0m" if color else text

        shade = {"error": "1;31", "warning": "1;33", "remark": "1;36", "note": "1;36"}
        lines = [paint(f"{self.kind}[{self.code}]", shade[self.kind]) + f": {self.message}"]
        if self.location is not None:
            lines.extend(self._place())
        tail = [f"  why: {self.why}"] if self.why else []
        room = MAX_LINES - len(lines) - len(tail)
        hints = _first(self.hints, room - min(len(self.facts), LEAST_FACTS))
        facts = _first(self.facts, room - len(hints))
        lines.extend(f"   |  {fact}" for fact in facts)
        lines.extend(tail)
        lines.extend(f"  try: {hint}" for hint in hints)
        return "\n".join(lines)

    def _place(self) -> list[str]:
        assert self.location is not None
        source = self.location.source_line()
        text = source.strip()
        if len(text) > 100:
            text = text[:97] + "..."
        lines = [f"  --> {self.location}" + (f"  {text}" if text else "")]
        column = self.location.column
        if text and column and source[: column - 1].strip() and column <= len(source):
            # A caret only where the place is not the start of the shown text.
            offset = column - 1 - (len(source) - len(source.lstrip()))
            if 0 <= offset < len(text):
                lines.append(" " * (len(f"  --> {self.location}  ") + offset) + "^")
        return lines

    def to_json(self) -> dict[str, Any]:
        """The diagnostic as editors read it (``--diagnostics-format=json``)."""
        place = self.location
        return {
            "kind": self.kind,
            "code": self.code,
            "message": self.message,
            "file": place.file if place else None,
            "line": place.line if place else None,
            "column": place.column if place else None,
            "why": self.why,
            "facts": list(self.facts),
            "hints": list(self.hints),
        }


def _first(texts: Sequence[str], room: int) -> list[str]:
    """As many of ``texts`` as there is ``room`` for, and the number of texts left out."""
    if len(texts) <= room:
        return list(texts)
    shown = max(room - 1, 0)
    return [*texts[:shown], f"... {len(texts) - shown} more"]


_VALUES = (
    "KC1011 KC2002 KC2004 KC2010 KC2015 KC2020 KC2027 KC2051 KC2127 KC2164 KC2170 KC3102 KC3107 "
    "KC5124 KC5149 KC6001 KC6002 KC6003 KC6004 KC6005 KC6006 KC6007 KC6202"
)
_TYPES = "KC2014 KC2162 KC3143 KC3700 KC3701 KC3702 KC3703"

RAISED_AS: dict[str, type[Exception]] = {
    **dict.fromkeys(_VALUES.split(), ValueError),
    **dict.fromkeys(_TYPES.split(), TypeError),
    "KC0095": AttributeError,
}
"""The codes of errors that TVM raises as a standard Python exception, which its programs may catch.
"""


class KCError(Diagnostic, RuntimeError):
    """A mistake in the input; the base of every error a user of kc can cause.

    Where TVM raises a ValueError or a TypeError (:data:`RAISED_AS`), the error is also of that
    type.
    """

    _stated: ClassVar[type[KCError] | None] = None
    """The requested class, in a class derived from it and from a standard Python exception."""

    def __new__(cls, code: str = "", *_args: Any, **_details: Any) -> Self:
        also = RAISED_AS.get(code)
        chosen: Any = cls if also is None else _class_of_both(cls, also)
        return super().__new__(chosen)

    def __init__(self, code: str, message: str, **details: Any) -> None:
        Diagnostic.__init__(self, code, message, **details)
        Exception.__init__(self, code, message)

    def __str__(self) -> str:
        return self.render()

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython shows instead of a traceback: the diagnostic and the line of the
        cell.
        """
        if in_notebook():
            from kc.support.environment import read

            color = not read("NO_COLOR")
        else:
            color = wants_color(sys.stdout)
        lines = self.render(color=color).split("\n")
        cell = _innermost_cell(self.__traceback__)
        if cell is not None and not any(f"--> {cell_name(cell.file)}:" in line for line in lines):
            lines.append(f"  called at {cell}  {as_written(cell.source_line()).strip()}")
        return lines

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self)._stated or type(self), self.__dict__.copy()))

    def with_location(self, location: Location | None) -> KCError:
        """This error at ``location``; unchanged if it already has a location."""
        if self.location is None:
            self.location = location
        return self


class UnknownName(AttributeError):
    """A name that a module or object of kc does not have. For programs it is an AttributeError;
    IPython shows the message and the line, without kc's frames.
    """

    __module__ = "builtins"

    def __reduce__(self) -> tuple[Any, ...]:
        return (AttributeError, self.args)

    def _render_traceback_(self) -> list[str]:
        return _message_and_cell(f"AttributeError: {self}", self.__traceback__)


UnknownName.__name__ = UnknownName.__qualname__ = "AttributeError"


class UnknownImport(ModuleNotFoundError):
    """An import of a name that kc does not have, shown in the same way."""

    __module__ = "builtins"

    def _render_traceback_(self) -> list[str]:
        return _message_and_cell(f"ImportError: {self}", self.__traceback__)


UnknownImport.__name__ = UnknownImport.__qualname__ = "ImportError"


def _message_and_cell(message: str, traceback: TracebackType | None) -> list[str]:
    cell = _innermost_cell(traceback)
    return [message, *([] if cell is None else [f"  --> {cell}  {cell.source_line().strip()}"])]


def _innermost_cell(traceback: TracebackType | None) -> Location | None:
    """The last line of an IPython cell that an exception passed through."""
    place = None
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if cell_name(file) is not None:
            place = Location(file, traceback.tb_lineno)
        traceback = traceback.tb_next
    return place


@functools.cache
def _class_of_both(cls: type[KCError], also: type[Exception]) -> type[KCError]:
    if issubclass(cls, also):
        return cls
    members = {"__module__": cls.__module__, "__doc__": cls.__doc__, "_stated": cls}
    return type(cls.__name__, (cls, also), members)


def _rebuild(cls: type[KCError], state: dict[str, Any]) -> KCError:
    error = cls(state["code"], state["message"])
    error.__dict__.update(state)
    return error


class InputError(KCError):
    """Wrong usage of a command, or a file that cannot be read or written (exit status 2)."""


class ParseError(KCError):
    """Text that is not IR, or IR that does not verify."""


class TEError(KCError):
    """A wrong tensor expression."""


class GraphError(KCError):
    """A wrong graph of operators: types that do not fit, or a program that a pass refuses."""


class ScheduleError(KCError):
    """A schedule primitive was refused; the module is unchanged."""

    undecided = False
    """True if the primitive was refused because its legality could not be decided."""

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__()} - {"undecided"})


class CodegenError(KCError):
    """A conversion or code generation does not support the input."""


class CallError(KCError):
    """A compiled function was called with arguments it cannot take."""


class TargetError(KCError):
    """An unknown or impossible target."""


class DeviceError(KCError):
    """A device is missing, or has failed."""


for _error in (
    *(KCError, InputError, ParseError, TEError, ScheduleError, CodegenError, CallError),
    *(TargetError, DeviceError, GraphError),
):
    # Where users find them: tracebacks say kc.error.ScheduleError.
    _error.__module__ = "kc.error"


class InternalError(Exception):
    """A bug of kc (exit status 70)."""

    __module__ = "kc.error"

    def __init__(self, message: str, *, reproduced: bool = False) -> None:
        super().__init__(message)
        self.reproduced = reproduced
        """True if the message names a file that reproduces the bug."""


def nearest(name: str, names: Iterable[str], limit: int = 3) -> list[str]:
    """The names most similar to ``name``, the most similar first."""
    pool = list(dict.fromkeys(names))
    import difflib  # here, as start-up time counts

    return difflib.get_close_matches(name, pool, n=limit, cutoff=0.5)


def counted(number: int, noun: str, plural: str = "") -> str:
    """``number`` with its noun: "1 argument", "2 arguments"."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def suggest(name: str, names: Iterable[str], what: str = "") -> list[str]:
    """Hints for an unknown name: the most similar names, or all available names."""
    pool = list(dict.fromkeys(names))
    close = nearest(name, pool)
    if close:
        return ["did you mean " + " or ".join(f"'{candidate}'" for candidate in close) + "?"]
    if pool:
        shown = ", ".join(pool[:8]) + (f", ... ({len(pool)} in all)" if len(pool) > 8 else "")
        return [f"{what or 'there are'}: {shown}"]
    return []


def _print_diagnostic(diagnostic: Diagnostic) -> None:
    show(diagnostic, sys.stderr)


_HANDLER: ContextVar[Callable[[Diagnostic], None]] = ContextVar(
    "kc_diagnostic_handler", default=_print_diagnostic
)


@contextlib.contextmanager
def diagnostic_handler(handler: Callable[[Diagnostic], None]) -> Iterator[None]:
    """Send warnings and remarks to ``handler`` instead of standard error."""
    token = _HANDLER.set(handler)
    try:
        yield
    finally:
        _HANDLER.reset(token)


def current_handler() -> Callable[[Diagnostic], None]:
    """The receiver of warnings and remarks."""
    return _HANDLER.get()


def tell(diagnostic: Diagnostic) -> None:
    """Report a warning or remark that was created before."""
    _HANDLER.get()(diagnostic)


def warn(code: str, message: str, **details: Any) -> None:
    """Warn the user about legal but doubtful input."""
    _HANDLER.get()(Diagnostic(code, message, kind="warning", **details))


def remark(code: str, message: str, **details: Any) -> None:
    """Tell the user about an action or a result."""
    _HANDLER.get()(Diagnostic(code, message, kind="remark", **details))


def wants_color(stream: TextIO) -> bool:
    """True if output to ``stream`` is coloured: a terminal, or any stream if FORCE_COLOR is set.

    NO_COLOR takes precedence (https://no-color.org, https://force-color.org).
    """
    from kc.support.environment import read

    if read("NO_COLOR"):
        return False
    return bool(read("FORCE_COLOR")) or (hasattr(stream, "isatty") and stream.isatty())


def show(diagnostic: Diagnostic, stream: TextIO) -> None:
    """Print a diagnostic, coloured on a terminal."""
    print(diagnostic.render(color=wants_color(stream)), file=stream)
