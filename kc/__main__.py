"""The command ``kc``, also ``python -m kc``: all other commands, and the one-time queries.

``kc opt``, ``kc run`` and ``kc translate`` are ``kc-opt``, ``kc-run`` and ``kc-translate``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from kc.support.diagnostics import InputError, suggest
from kc.support.files import write_output
from kc.tools._reporter import Reporter
from kc.tools._tool import OK, STATUS_HELP, run_tool

TOOLS = {
    "opt": ("kc.tools.kc_opt", "apply passes to a module: kc-opt"),
    "run": ("kc.tools.kc_run", "compile a function of a module and run it: kc-run"),
    "bisect": ("kc.tools.kc_bisect", "find the pass or schedule step that breaks a program"),
    "reduce": ("kc.tools.kc_reduce", "shrink a module and a list of passes that reproduce a bug"),
    "lsp": ("kc.tools.lsp", "a language server for editors: needs kc-compiler[lsp]"),
    "translate": (
        "kc.tools.kc_translate",
        "translate a module to LLVM IR, assembly, PTX, C: kc-translate",
    ),
}
"""Commands with flags of their own: the module whose ``main`` does the work."""

QUESTIONS = {
    "doctor": (
        "kc.tools._doctor",
        "versions, host target, devices, plugins, tools; doctor --measure: rates of this CPU",
    ),
    "cache": ("kc.tools._cache", "the compile cache: cache ls, cache why NAME, cache rm NAME"),
    "docs": (
        "kc.tools._pages",
        "show a page of the documentation: docs split, docs KC3040, docs gpu",
    ),
    "examples": ("kc.tools._examples", "copy the examples and lessons: examples DIR"),
    "explain": ("kc.tools._pages", "explain a diagnostic: explain KC3040"),
    "migrate": (
        "kc.tvm.migrate",
        "list the TVM names that a program uses, with kc's names: migrate FILE",
    ),
    "completion": ("kc.tools._completion", "completion for a shell: completion bash|zsh|fish"),
}
"""The commands that call a function of their module with the command's own name. The function takes
the command line's arguments and returns the output.
"""

COMMANDS = {name: about for name, (_, about) in {**TOOLS, **QUESTIONS}.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``kc`` with these arguments. Returns the exit status."""
    words = sys.argv[1:] if argv is None else list(argv)
    if words and words[0] in TOOLS:
        return import_module(TOOLS[words[0]][0]).main(words[1:])
    return run_tool("kc", words, _main)


def _main(argv: Sequence[str], reporter: Reporter) -> int:
    if not argv or argv[0].lstrip("-") in ("help", "h"):
        write_output(None, help_text())
        return OK
    if argv[0] == "--version":
        from kc.support.reproducer import versions

        write_output(None, f"{versions()}\n")
        return OK
    if argv[0] not in QUESTIONS:
        raise InputError(
            "KC0001",
            f"there is no command '{argv[0]}'",
            hints=suggest(argv[0], COMMANDS, "commands"),
        )
    name, *rest = argv
    if rest in (["--help"], ["-h"]):
        write_output(None, f"kc {name}: {COMMANDS[name]}\n")
        return OK
    write_output(None, getattr(import_module(QUESTIONS[name][0]), name)(rest))
    return OK


def help_text() -> str:
    """A list of the commands."""
    lines = [f"  {name:<12}{about}" for name, about in COMMANDS.items()]
    more = "kc opt --help and the like list the flags of a command."
    return "\n".join(["usage: kc COMMAND", "", *lines, "", more, "", STATUS_HELP, ""])


if __name__ == "__main__":
    sys.exit(main())
