"""kc-opt: read a module, apply passes in the order of their flags, print the result.

After mlir-opt: ``kc-opt input.mlir --split="block=C loop=j factors=?,32" --vectorize``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kc.support import registry
from kc.support.diagnostics import InputError
from kc.support.files import check_writable, write_output
from kc.support.options import parse_pipeline
from kc.tools._command_line import Arguments, Flag, parse
from kc.tools._common import (
    CHECK_EACH,
    CHECKS,
    DIAGNOSTICS_FORMAT,
    GENERIC_TARGET,
    INFORMATION,
    INPUT,
    LOAD_PLUGIN,
    OUTPUT,
    VERSION,
    information,
    registry_for,
)
from kc.tools._reporter import Reporter
from kc.tools._tool import OK, run_tool

_LEVELS = "tir, loops, gpu, scf, nvvm, llvm"
_STAGES = (
    Flag(
        "compile-to",
        f"lower for the target up to this stage: {_LEVELS}, or a pass of the pipeline",
        "STAGE",
        INPUT,
    ),
    Flag("from", "skip the stages before this one", "STAGE", INPUT),
    Flag("to", "skip the stages after this one", "STAGE", INPUT),
)

_SHOW = "Inspecting passes (on standard error)"

FLAGS = (
    OUTPUT,
    GENERIC_TARGET,
    Flag(
        "pass-pipeline",
        "the passes as one text: builtin.module(split{block=C factors=?,32},vectorize)",
        "PIPELINE",
        INPUT,
    ),
    *_STAGES,
    Flag("split-input-file", "treat the parts between '// -----' lines as inputs", None, INPUT),
    Flag("allow-unregistered-dialect", "accept operations of unknown dialects", None, INPUT),
    Flag("mlir-print-op-generic", "print operations in the generic form", None, INPUT),
    Flag("mlir-print-debuginfo", "print source locations", None, INPUT),
    Flag("elide", "leave out the elements of large constants of graphs", None, INPUT),
    Flag("params", "read elided elements from the resources of a module", "FILE", INPUT),
    LOAD_PLUGIN,
    CHECK_EACH,
    Flag("verify-each", "verify after every pass (default: true)", None, CHECKS),
    Flag(
        "verify-diagnostics",
        "compare diagnostics with '// expected-error@+1 {{a part of the title}}'",
        None,
        CHECKS,
    ),
    DIAGNOSTICS_FORMAT,
    Flag("mlir-print-ir-before", "print the module before these passes", "PASS,...", _SHOW),
    Flag("mlir-print-ir-before-all", "print the module before every pass", None, _SHOW),
    Flag("mlir-print-ir-after", "print the module after these passes", "PASS,...", _SHOW),
    Flag("mlir-print-ir-after-all", "print the module after every pass", None, _SHOW),
    Flag(
        "mlir-print-ir-after-change",
        "print the module after each pass that changed it",
        None,
        _SHOW,
    ),
    Flag("mlir-timing", "print the time of each pass", None, _SHOW),
    Flag("diff", "print the changes of each pass", None, _SHOW),
    Flag("dump-dir", "write the module at every stage to files in DIR", "DIR", _SHOW),
    Flag(
        "dump-generic",
        "write these files in the generic form, which mlir-opt --allow-unregistered-dialect reads",
        None,
        _SHOW,
    ),
    Flag(
        "report",
        "write a page that steps through the passes: loop trees, costs, diffs, source lines",
        "FILE.html",
        _SHOW,
    ),
    Flag("schedule-report", "an alias of --report", "FILE.html", _SHOW),
    Flag(
        "report-code",
        "include the LLVM IR and assembly of all loops, whatever their number",
        None,
        _SHOW,
    ),
    Flag("help", "this text, or the page of a pass", "PASS", INFORMATION, optional=True),
    VERSION,
    Flag("list-passes", "the names of all passes", None, INFORMATION),
    Flag("show-dialects", "the names of all dialects", None, INFORMATION),
    Flag(
        "explain",
        "explain a diagnostic, with a wrong and a right program",
        "CODE",
        INFORMATION,
    ),
)

USAGE = "kc-opt [FILE|-] [passes and options in any order]"
ABOUT = """\
Reads a module, applies the passes in the order of their flags, prints the result.
A pass takes options as --split="block=C loop=j factors=?,32"; func=NAME restricts any pass to
one function; a flag may be repeated. Below, the options of a pass are listed in []: those with '?'
are optional, the others are required (unless the flag has a meaning without options)."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run kc-opt with these arguments; the exit status."""
    return run_tool("kc-opt", sys.argv[1:] if argv is None else list(argv), _main)


def _main(argv: Sequence[str], reporter: Reporter) -> int:
    with registry.using(registry_for(argv)):
        arguments = command_line(argv)
        information_text = information_asked(arguments)
        if information_text is not None:
            write_output(None, information_text)
            return OK
        take_pipeline(arguments)
        if (page := arguments.text("report")) is not None:
            arguments.texts["schedule-report"] = page
        if arguments.on("dump-generic") and arguments.text("dump-dir") is None:
            raise InputError(
                "KC0002",
                "--dump-generic without --dump-dir",
                why="it sets the form of the files of --dump-dir",
                hints=["--dump-dir=DIR --dump-generic", "--mlir-print-op-generic for the output"],
            )
        for output in (arguments.text("o"), arguments.text("schedule-report")):
            if output not in (None, "-"):
                check_writable(output)

        from kc.tools._optimizer import optimize

        return optimize(arguments, reporter)


def command_line(argv: Sequence[str]) -> Arguments:
    """The flags and passes of ``argv``, with the registry in use."""
    return parse(argv, FLAGS, is_pass=registry.is_pass, pass_names=registry.all_pass_names)


def take_pipeline(arguments: Arguments) -> None:
    """Use the passes given by ``--pass-pipeline``. Raises KC0004 if the command line also names
    passes one by one.
    """
    if (pipeline := arguments.text("pass-pipeline")) is not None:
        if arguments.passes:
            raise InputError(
                "KC0004",
                f"--{arguments.passes[0].name} and --pass-pipeline exclude each other",
                why="the order of the passes would be unclear",
            )
        arguments.passes = list(parse_pipeline(pipeline))


def information_asked(arguments: Arguments) -> str | None:
    """The text of a flag that only requests information."""
    common = information(arguments, USAGE, ABOUT, FLAGS, passes=True)
    if common is not None:
        return common
    if (name := arguments.text("help")) is not None:
        from kc.tools._help import pass_page

        return pass_page(name)
    if arguments.on("list-passes"):
        from kc.tools._help import pass_list

        return pass_list()
    if arguments.on("show-dialects"):
        from kc.tools._help import dialect_names

        return dialect_names()
    if (code := arguments.text("explain")) is not None:
        from kc.support.explain import explain

        return explain(code)
    return None


if __name__ == "__main__":
    sys.exit(main())
