"""The common behaviour of all commands: exit statuses, and diagnostics instead of tracebacks.

Exit statuses: 0 success; 1 a mistake in the input; 2 wrong usage, or a file that cannot be read or
written; 70 a bug of kc; 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from kc.support.diagnostics import InputError, KCError, diagnostic_handler
from kc.tools._reporter import Reporter

OK = 0
MISTAKE = 1
USAGE = 2
INTERNAL = 70
INTERRUPTED = 130

STATUS_HELP = """\
Exit status: 0 done; 1 a mistake in the input; 2 wrong usage, or a file that cannot be
read or written; 70 an internal error of kc (with a reproducer); 130 interrupted."""


def status_of(error: KCError) -> int:
    """The exit status that an error stands for."""
    return USAGE if isinstance(error, InputError) else MISTAKE


def run_tool(name: str, argv: Sequence[str], body: Callable[[Sequence[str], Reporter], int]) -> int:
    """Run a command's ``body``, and convert every failure to its exit status."""
    reporter = Reporter(_style(argv))
    try:
        with diagnostic_handler(reporter.report):
            status = body(argv, reporter)
    except KCError as error:
        reporter.report(error)
        status = status_of(error)
    except BrokenPipeError:
        status = OK  # who reads the result wants no more of it
    except KeyboardInterrupt:
        reporter.write(f"{name}: interrupted")
        status = INTERRUPTED
    except Exception as error:
        from kc.support.reproducer import internal_error

        reporter.report(internal_error(name, error, argv=argv))
        status = INTERNAL
    _settle_stdout()
    return status


def _style(argv: Sequence[str]) -> str:
    from kc.tools._command_line import early_values

    styles = early_values(argv, "diagnostics-format")
    return "json" if styles and styles[-1] == "json" else "text"


def _settle_stdout() -> None:
    """Discard buffered standard output that would fail when Python exits.

    The failure was already reported at the write.
    """
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        if sys.stdout is sys.__stdout__:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
