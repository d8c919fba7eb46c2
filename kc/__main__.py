"""``python -m kc doctor`` and ``python -m kc cache``: what there is on this machine."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kc.support.diagnostics import InputError, suggest
from kc.support.files import write_output
from kc.tools._reporter import Reporter
from kc.tools._tool import OK, STATUS_HELP, run_tool

COMMANDS = {
    "doctor": "versions, host target, devices, plugins and optional tools",
    "cache": "the compile cache: cache ls, cache why NAME, cache rm NAME or --all",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``python -m kc`` with these arguments; the exit status."""
    return run_tool("kc", sys.argv[1:] if argv is None else list(argv), _main)


def _main(argv: Sequence[str], reporter: Reporter) -> int:
    if not argv or argv[0].lstrip("-") in ("help", "h"):
        write_output(None, help_text())
        return OK
    if argv[0] not in COMMANDS:
        raise InputError(
            "KC0001",
            f"there is no command '{argv[0]}'",
            hints=suggest(argv[0], COMMANDS, "commands"),
        )
    if argv[0] == "cache":
        from kc.tools._cache import run

        write_output(None, run(argv[1:]))
        return OK
    if len(argv) > 1:
        raise InputError("KC0002", f"{argv[0]} takes no arguments: {' '.join(argv[1:])}")
    from kc.tools._doctor import examination

    write_output(None, examination())
    return OK


def help_text() -> str:
    """A list of the commands."""
    lines = [f"  {name:<10}{about}" for name, about in COMMANDS.items()]
    tools = "The tools are kc-opt, kc-translate and kc-run, each with --help."
    return "\n".join(["usage: python -m kc COMMAND", "", *lines, "", tools, "", STATUS_HELP, ""])


if __name__ == "__main__":
    sys.exit(main())
