"""``kc lsp``: a language server for textual IR, and for schedules in Python.

It needs the package pygls (``pip install 'kc-compiler[lsp]'``).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kc.support.diagnostics import InputError
from kc.tools._reporter import Reporter
from kc.tools._tool import OK, run_tool

_HELP = """\
usage: kc lsp [--stdio]

A language server for textual IR (.mlir), and for schedules in Python. Editors start it and talk to
it on standard input and output; kc docs editors says how to set them up.

It needs the package pygls: pip install 'kc-compiler[lsp]'
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``kc lsp``: a server on standard input and output; the exit status."""
    return run_tool("kc lsp", sys.argv[1:] if argv is None else list(argv), _main)


def _main(argv: Sequence[str], reporter: Reporter) -> int:
    del reporter
    if list(argv) in (["--help"], ["-h"]):
        from kc.support.files import write_output

        write_output(None, _HELP)
        return OK
    if argv and list(argv) != ["--stdio"]:
        raise InputError(
            "KC0002",
            f"lsp takes no arguments, not {' '.join(argv)}",
            hints=["an editor starts kc lsp, and talks to it on standard input and output"],
        )
    try:
        import pygls  # noqa: F401
    except ImportError:
        raise InputError(
            "KC0088",
            "kc lsp needs the package pygls",
            why="it is an extra, not a dependency of kc",
            hints=["pip install 'kc-compiler[lsp]'"],
        ) from None
    from kc.tools.lsp.server import SERVER

    SERVER.start_io()
    return OK
