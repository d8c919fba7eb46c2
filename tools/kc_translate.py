"""kc-translate: from a module to LLVM IR, assembly, object code, or a format of a plugin."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kc.support import registry
from kc.support.diagnostics import InputError, suggest
from kc.support.files import check_writable, write_output
from kc.tools._command_line import Arguments, Flag, parse
from kc.tools._common import (
    AUTO_SCHEDULE,
    DIAGNOSTICS_FORMAT,
    GENERIC_TARGET,
    HELP,
    INPUT,
    LOAD_PLUGIN,
    OUTPUT,
    VERSION,
    default_schedules,
    information,
    registry_for,
)
from kc.tools._reporter import Reporter
from kc.tools._tool import OK, run_tool

USAGE = "kc-translate [FILE|-] --to=FORMAT"


def flags() -> tuple[Flag, ...]:
    """The flags. The formats are the registered ones."""
    formats = ", ".join(registry.current().formats)
    return (
        Flag("to", f"the format: {formats}", "FORMAT", INPUT),
        OUTPUT,
        GENERIC_TARGET,
        AUTO_SCHEDULE,
        LOAD_PLUGIN,
        DIAGNOSTICS_FORMAT,
        HELP,
        VERSION,
    )


ABOUT = """\
Reads a module, lowers it as far as the format needs, and writes the result. Functions without
a schedule (te, linalg, tosa) get one, as in kc.build. A module that names its target (kc.target) is
compiled for that target."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run kc-translate with these arguments; the exit status."""
    return run_tool("kc-translate", sys.argv[1:] if argv is None else list(argv), _main)


def _main(argv: Sequence[str], reporter: Reporter) -> int:
    with registry.using(registry_for(argv)):
        arguments = parse(argv, flags())
        information_text = information(arguments, USAGE, ABOUT, flags())
        if information_text is not None:
            write_output(None, information_text)
            return OK
        formats = registry.current().formats
        format_name = arguments.text("to")
        if format_name not in formats:
            message = (
                f"there is no format '{format_name}'" if format_name else "--to=FORMAT is missing"
            )
            raise InputError(
                "KC0002", message, hints=suggest(format_name or "", formats, "the formats are")
            )
        output = arguments.text("o")
        if output not in (None, "-"):
            check_writable(output)
        return _translate(arguments, format_name, output, reporter)


def _translate(
    arguments: Arguments, format_name: str, output: str | None, reporter: Reporter
) -> int:
    from kc.support.target import Target
    from kc.tools._input import Input, with_input
    from kc.transforms.auto_schedule.auto_schedule import choose_in_place
    from kc.transforms.to_tir import to_tir

    emit = registry.current().formats[format_name].load()

    def body(input_: Input) -> int:
        target = input_.target(arguments.text("target"), Target.generic)
        with target, default_schedules(arguments):
            if arguments.on(AUTO_SCHEDULE.name):
                to_tir(input_.module)
                choose_in_place(input_.module, target)
            result = emit(input_.module, target)
        if isinstance(result, bytes) and output is None and sys.stdout and sys.stdout.isatty():
            raise InputError(
                "KC0002", f"{format_name} is not written to a terminal", hints=["-o FILE"]
            )
        write_output(output, result)
        return OK

    return with_input(arguments.file(), body, reporter)


if __name__ == "__main__":
    sys.exit(main())
