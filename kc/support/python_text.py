"""Texts of Python programs that are read and not executed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kc.support.diagnostics import Location, ParseError


@contextmanager
def valid_python(file: str, code: str, reader: str, why: str) -> Iterator[None]:
    """Raise ParseError ``code``, in the name of ``reader``, if Python's parser refuses the text
    that the body of the ``with`` statement parses.

    ``file`` is the text in diagnostics; ``why`` says that it must be Python.
    """
    try:
        yield
    except SyntaxError as error:
        raise ParseError(
            code,
            f"{reader}: {error.msg}",
            location=Location(file, error.lineno or 1, error.offset or 1),
            why=why,
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ParseError(
            code,
            f"{reader}: {error or 'too many levels'}",
            location=Location(file, 1, 1),
            why="Python's parser rejects this text",
        ) from None
