"""``kc bisect``: find the first pass or schedule step that breaks a module.

The pipeline runs once, and the module after each step is saved. A module is tested by a command of
the user (``--test``), or by comparison with the initial module, on small random inputs, in the
interpreter and as native code. Each test halves the remaining steps, so 100 steps take 7 tests.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kc.support import registry
from kc.support.diagnostics import (
    Diagnostic,
    InputError,
    InternalError,
    KCError,
    counted,
    diagnostic_handler,
    source_text,
)
from kc.support.files import make_directory, read_text, write_output
from kc.tools._command_line import Arguments, Flag, parse
from kc.tools._common import (
    DIAGNOSTICS_FORMAT,
    GENERIC_TARGET,
    HELP,
    INPUT,
    LOAD_PLUGIN,
    VERSION,
    information,
    registry_for,
)
from kc.tools._reporter import Reporter
from kc.tools._tool import OK, run_tool

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from kc.support.pass_context import StepWatcher

USAGE = "kc bisect [FILE|-] [passes as for kc-opt] [--test=COMMAND]"
ABOUT = """\
Finds the pass or schedule step that breaks a program. COMMAND must succeed for good modules; {}
stands for the file of the module: --test='kc run {} --check=reference.npy'. Without --test, the
results after each step are compared with the results of the input, on small random arguments."""

FLAGS = (
    Flag("test", "a command that succeeds if the module in {} is good", "COMMAND", INPUT),
    Flag("timeout", "seconds after which COMMAND is ended, as a failure (default: 60)", "S", INPUT),
    Flag("o", "write the module before and after the step to files in DIR", "DIR", INPUT),
    GENERIC_TARGET,
    LOAD_PLUGIN,
    DIAGNOSTICS_FORMAT,
    HELP,
    VERSION,
)


class Recorder:
    """Saves the text of the module after each step; with ``check``, also calls that on the
    module.
    """

    def __init__(self, check: StepWatcher | None = None) -> None:
        self.check = check
        self.names = ["input"]
        self.texts: list[str] = []

    def start(self, module: ModuleOp) -> None:
        """Before any step."""
        self._keep(module)

    def before(self, module: ModuleOp) -> None:
        """Before a step."""
        if self.check is not None:
            self.check.before(module)

    def after(self, step: str, module: ModuleOp) -> None:
        """After a step that succeeded."""
        self.names.append(step)
        self._keep(module)
        if self.check is not None:
            self.check.after(step, module)

    def _keep(self, module: ModuleOp) -> None:
        from kc.support.ir_text import print_module

        self.texts.append(print_module(module))


def main(argv: Sequence[str] | None = None) -> int:
    """Run kc bisect with these arguments; the exit status."""
    return run_tool("kc bisect", sys.argv[1:] if argv is None else list(argv), _main)


def _main(argv: Sequence[str], reporter: Reporter) -> int:
    with registry.using(registry_for(argv)):
        arguments = parse(argv, FLAGS, is_pass=registry.is_pass, pass_names=registry.all_pass_names)
        information_text = information(arguments, USAGE, ABOUT, FLAGS)
        if information_text is not None:
            write_output(None, information_text)
            return OK
        if not arguments.passes:
            raise InputError("KC0002", "bisect needs passes, as flags of kc-opt")
        return _bisect(arguments, reporter)


def _bisect(arguments: Arguments, reporter: Reporter) -> int:
    from kc.support.target import Target
    from kc.tools._user_test import UserTest, seconds

    path = arguments.file()
    name = "<stdin>" if path == "-" else path
    text = read_text(path)
    target_text = arguments.text("target")
    command = arguments.text("test")
    timeout = seconds(arguments.text("timeout"), 60.0)
    with Target(target_text) if target_text is not None else Target.generic():
        if command is not None:
            recorder, difference = run_steps(arguments, name, text, compare=False)
            test = UserTest(command, timeout)
            bad = first_bad(recorder.texts, test.holds, reporter.progress)
        else:
            recorder, bad, difference = first_difference(
                arguments, name, text, reporter.progress, reporter.report
            )
    reporter.progress()
    write_output(None, _told(recorder, bad, difference))
    if (folder := arguments.text("o")) is not None:
        make_directory(folder)
        for file, number in (("good.mlir", bad - 1), ("bad.mlir", bad)):
            write_output(str(Path(folder) / file), recorder.texts[number])
    return OK


def run_steps(
    arguments: Arguments, name: str, text: str, *, compare: bool
) -> tuple[Recorder, str | None]:
    """The initial module and the modules after each step. With ``compare``, only up to the first
    step that changes a result, and the change.
    """
    from kc.check_each import HEAD, StepCheck
    from kc.support.deep import nesting, run_deep
    from kc.support.ir_text import parse_module
    from kc.support.pass_context import watching_steps
    from kc.transforms.pass_runner import Pipeline, make_stages

    recorder = Recorder(StepCheck(reproduce=False) if compare else None)

    def run() -> None:
        context = registry.context()
        module = parse_module(text, name, context)
        recorder.start(module)
        with watching_steps(recorder):
            Pipeline(make_stages(arguments.passes)).run(context, module)

    with source_text(name, text):
        try:
            run_deep(run, nesting(text))
        except InternalError as error:
            if not compare or not str(error).startswith(HEAD):
                raise
            return recorder, str(error).removeprefix(HEAD)
    return recorder, None


def first_difference(
    arguments: Arguments,
    name: str,
    text: str,
    progress: Callable[[str], None],
    report: Callable[[Diagnostic], None],
) -> tuple[Recorder, int, str]:
    """The steps, the number of the first step that changes a result, and the change.

    If the last module differs from the first, only a few modules between them are compared.
    Otherwise, and if a step raises an error or changes a signature, every step is compared. Raises
    KCError KC0025 if no step changes a result.
    """
    reported: Counter[str] = Counter()

    def report_all(diagnostic: Diagnostic) -> None:
        reported[diagnostic.render()] += 1
        report(diagnostic)

    def report_new(diagnostic: Diagnostic) -> None:
        """Report only new diagnostics: steps that run again repeat earlier ones."""
        text = diagnostic.render()
        reported[text] -= 1
        if reported[text] < 0:
            report(diagnostic)

    try:
        with diagnostic_handler(report_all):
            recorder, _ = run_steps(arguments, name, text, compare=False)
    except Exception:  # what it is, and whether results differ before, is found below
        pass
    else:
        last = len(recorder.texts) - 1
        for start in (0, 1):  # an input of te is loops from the first step on
            same = _comparison(recorder.texts[start])
            if start < last and same(recorder.texts[last]) is not None:
                texts = [*recorder.texts[start:last], recorder.texts[last]]
                bad = start + first_bad(texts, lambda text, same=same: same(text) is None, progress)
                difference = _comparison(recorder.texts[bad - 1])(
                    recorder.texts[bad], recorder.names[bad]
                )
                if difference is not None:
                    return recorder, bad, difference
    with diagnostic_handler(report_new):
        recorder, difference = run_steps(arguments, name, text, compare=True)
    if difference is None:
        raise _not_broken(recorder, "its results equal those of the input")
    return recorder, len(recorder.texts) - 1, difference


def _comparison(text: str) -> Callable[..., str | None]:
    """A function that describes the differences between the results of another module and of this
    one.
    """
    from kc.check_each import StepCheck
    from kc.support.deep import nesting, run_deep
    from kc.support.ir_text import parse_module

    check = StepCheck(reproduce=False)

    def parsed(text: str) -> ModuleOp:
        return parse_module(text, "<step>", registry.context(allow_unregistered=True))

    def difference(later: str, step: str = "") -> str | None:
        def compare() -> str | None:
            return check.difference(step, parsed(later))

        with diagnostic_handler(lambda _: None):
            return run_deep(compare, nesting(later))

    with diagnostic_handler(lambda _: None):
        run_deep(lambda: check.before(parsed(text)), nesting(text))
    return difference


def _not_broken(recorder: Recorder, why: str) -> KCError:
    steps = counted(len(recorder.texts) - 1, "step")
    return KCError("KC0025", f"no step breaks the module: after {steps} {why}")


def first_bad(
    texts: Sequence[str], is_good: Callable[[str], bool], progress: Callable[[str], None]
) -> int:
    """The number of a step with a good module before it and a bad module after it.

    Raises KCError KC0025 if the module is bad before the first step or good after the last.
    """
    progress("testing the input ...")
    if not is_good(texts[0]):
        raise KCError(
            "KC0025",
            "the test fails for the input, before any step",
            why="there is no step to blame",
            hints=["the command must succeed for a good module: run it by hand"],
        )
    progress("testing the result ...")
    last = len(texts) - 1
    if is_good(texts[last]):
        raise KCError(
            "KC0025", f"no step breaks the module: after {counted(last, 'step')} the test succeeds"
        )
    good, bad = 0, last
    while bad - good > 1:
        middle = (good + bad) // 2
        progress(f"testing step {middle}, {counted(bad - good - 1, 'step')} left ...")
        if is_good(texts[middle]):
            good = middle
        else:
            bad = middle
    return bad


def _told(recorder: Recorder, bad: int, difference: str | None) -> str:
    from kc.support.text_diff import unified

    names, step = recorder.names, recorder.names[bad]
    lines = [f"step {bad} breaks it: {step}"]
    lines += [difference] if difference is not None else []
    before = names[:bad] if bad <= 8 else [*names[:4], "...", *names[bad - 3 : bad]]
    lines.append(f"good until then: {', '.join(before)}")
    good_text, bad_text = recorder.texts[bad - 1], recorder.texts[bad]
    lines += unified(good_text, bad_text, f"before {step}", f"after {step}")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.exit(main())
