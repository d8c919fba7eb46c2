"""``kc reduce``: find a smaller module, and fewer passes, that still show a bug.

A command of the user (``--test``) detects the bug: it succeeds as long as the bug is present.
Without a command, the bug is the diagnostic of the passes. Every module that is tried verifies.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kc.support import registry
from kc.support.diagnostics import InternalError, KCError, diagnostic_handler
from kc.support.files import check_writable, read_text, write_output
from kc.tools._command_line import Arguments, Flag, parse
from kc.tools._common import (
    CHECK_EACH,
    DIAGNOSTICS_FORMAT,
    GENERIC_TARGET,
    HELP,
    INPUT,
    LOAD_PLUGIN,
    OUTPUT,
    VERSION,
    information,
    registry_for,
)
from kc.tools._reporter import Reporter
from kc.tools._tool import OK, run_tool

if TYPE_CHECKING:
    from kc.support.options import PassSpec

USAGE = "kc reduce [FILE|-] [passes as for kc-opt] [--test=COMMAND]"
ABOUT = """\
Shrinks a module and a list of passes to a few lines that reproduce the same bug. COMMAND must
succeed for modules with the bug; {} stands for the file of the module, {passes} for the passes as
flags: --test='! kc run {} --check=reference.npy'. Without --test, the bug is the error of the
passes."""

FLAGS = (
    Flag("test", "a command that succeeds if the module in {} has the bug", "COMMAND", INPUT),
    Flag("timeout", "seconds after which COMMAND is ended, as a failure (default: 60)", "S", INPUT),
    OUTPUT,
    GENERIC_TARGET,
    LOAD_PLUGIN,
    CHECK_EACH,
    DIAGNOSTICS_FORMAT,
    HELP,
    VERSION,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run kc reduce with these arguments; the exit status."""
    return run_tool("kc reduce", sys.argv[1:] if argv is None else list(argv), _main)


def _main(argv: Sequence[str], reporter: Reporter) -> int:
    with registry.using(registry_for(argv)):
        arguments = parse(argv, FLAGS, is_pass=registry.is_pass, pass_names=registry.all_pass_names)
        information_text = information(arguments, USAGE, ABOUT, FLAGS)
        if information_text is not None:
            write_output(None, information_text)
            return OK
        output = arguments.text("o")
        if output not in (None, "-"):
            check_writable(output)
        from kc.support.target import Target

        target = arguments.text("target")
        with Target(target) if target is not None else Target.generic():
            return _reduce(arguments, reporter, output)


def _reduce(arguments: Arguments, reporter: Reporter, output: str | None) -> int:
    from kc.support.diagnostics import source_text
    from kc.support.ir_text import parse_module, print_module
    from kc.tools._reduction import Reduction
    from kc.tools._user_test import UserTest, seconds

    path = arguments.file()
    text = read_text(path)
    name = "<stdin>" if path == "-" else path
    with source_text(name, text):
        text = print_module(parse_module(text, name, registry.context()))
    command = arguments.text("test")
    if command is not None:
        test = UserTest(command, seconds(arguments.text("timeout"), 60.0))
        if not test.holds(text, flags_of(arguments.passes)):
            raise KCError(
                "KC0025",
                "the test fails for the input: there is nothing to reduce",
                hints=["the command must succeed for a module with the bug: run it by hand"],
            )

        def interesting(module: str, passes: Sequence[PassSpec]) -> bool:
            return test.holds(module, flags_of(passes))

    else:
        check_each = arguments.on(CHECK_EACH.name)
        failure = failure_of(text, arguments.passes, check_each=False)
        if failure is None and check_each:
            failure = difference_of(arguments, name, text, reporter)
        if failure is None:
            raise KCError(
                "KC0025",
                "the passes succeed for the input: there is nothing to reduce",
                hints=["describe the bug by --test=COMMAND, or compare results by --check-each"],
            )

        native = "(native" in failure
        step = changing_step(failure)

        def interesting(module: str, passes: Sequence[PassSpec]) -> bool:
            return failure_of(module, passes, check_each, native=native, only=step) == failure

    reduction = Reduction(text, arguments.passes, interesting, reporter.progress)
    reduction.run()
    head = f"// kc-opt {flags_of(reduction.passes)}\n" if reduction.passes else ""
    write_output(output, head + reduction.text)
    reporter.write(
        f"{len(text.splitlines())} lines, {len(arguments.passes)} passes -> "
        f"{len(reduction.text.splitlines())} lines, {len(reduction.passes)} passes "
        f"({reduction.tried} tried)"
    )
    return OK


def flags_of(passes: Sequence[PassSpec]) -> str:
    """Passes as the flags of kc-opt, quoted for a shell."""
    import shlex

    words = [f"--{spec.name}" + (f"={spec.options}" if spec.options else "") for spec in passes]
    return " ".join(map(shlex.quote, words))


def difference_of(arguments: Arguments, name: str, text: str, reporter: Reporter) -> str | None:
    """The step that changes a result, in the form of :func:`failure_of`; None if there is none."""
    from kc.check_each import HEAD
    from kc.tools.kc_bisect import first_difference

    try:
        difference = first_difference(arguments, name, text, reporter.progress, reporter.report)[2]
    except KCError:
        return None
    return _as_failure(HEAD + difference)


def _as_failure(difference: str) -> str:
    step, _, way = difference.partition(" of @")
    return step + (" (native" if "(native" in way else "")


def changing_step(failure: str) -> str | None:
    """The step in a text of :func:`failure_of` that changes a result; None for a failure of another
    kind.
    """
    from kc.check_each import HEAD

    name, changed, _ = failure.removeprefix(HEAD).partition(" changed the result")
    return name if failure.startswith(HEAD) and changed else None


def failure_of(
    text: str,
    passes: Sequence[PassSpec],
    check_each: bool,
    *,
    native: bool = True,
    only: str | None = None,
) -> str | None:
    """The failure of the passes: a code, or the failing part of kc or of a plugin; None if they
    succeed.

    With ``check_each``, also the step that changes a result, in the interpreter or, with
    ``native``, in native code. ``only`` is the step to check; None for all.
    """
    from contextlib import nullcontext

    from kc.check_each import StepCheck
    from kc.support.deep import nesting, run_deep
    from kc.support.ir_text import parse_module
    from kc.support.pass_context import watching_steps
    from kc.support.reproducer import PassFailure
    from kc.transforms.pass_runner import Pipeline, make_stages

    def run() -> None:
        context = registry.context()
        module = parse_module(text, "<reduced>", context)
        Pipeline(make_stages(passes)).run(context, module)

    with diagnostic_handler(lambda _: None):
        try:
            check = StepCheck(reproduce=False, native=native, only=only) if check_each else None
            with watching_steps(check) if check is not None else nullcontext():
                run_deep(run, nesting(text))
        except KCError as error:
            return error.code
        except PassFailure as error:
            cause = type(error.__cause__).__name__
            return f"{error.name} {cause}"
        except InternalError as error:
            return _as_failure(str(error))
        except Exception as error:  # whatever a pass raises is what is looked for
            return type(error).__name__
    return None


if __name__ == "__main__":
    sys.exit(main())
