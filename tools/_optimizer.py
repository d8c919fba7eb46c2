"""The work of kc-opt on its input once the command line is parsed."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp

from kc.analysis.verify_changes import verify_all
from kc.support import registry
from kc.support.deep import nesting, run_deep
from kc.support.diagnostics import (
    Diagnostic,
    KCError,
    diagnostic_handler,
    source_text,
    wants_color,
    warn,
)
from kc.support.files import read_text, write_output
from kc.support.ir_text import parse_module, print_module
from kc.support.locations import location_of
from kc.support.options import PassSpec, format_pipeline
from kc.support.reproducer import internal_error
from kc.support.resources import resolve_resources, resources_in
from kc.support.target import Target
from kc.support.timer import Timer
from kc.tools._command_line import Arguments
from kc.tools._common import CHECK_EACH, checking_each
from kc.tools._ir_printing import Diff, DumpFiles, PrintIR, ReportStages
from kc.tools._reporter import Reporter
from kc.tools._stage_range import stages_of
from kc.tools._tool import INTERNAL, MISTAKE, OK, status_of
from kc.tools._verify_diagnostics import check, expectations
from kc.transforms.pass_runner import Instrument, Pipeline, Stage

if TYPE_CHECKING:
    from kc.tir.schedule_report import ScheduleReport

_SEPARATOR = re.compile(r"^[ \t]*// -----[^\n]*\n?", re.MULTILINE)


@dataclass(frozen=True)
class Chunk:
    """A part of the input file, and the number of lines before it."""

    text: str
    line_offset: int


def chunks_of(text: str, split: bool) -> list[Chunk]:
    """The input as a whole, or split at ``// -----`` lines."""
    if not split:
        return [Chunk(text, 0)]
    chunks: list[Chunk] = []
    start = lines = 0
    for separator in [*_SEPARATOR.finditer(text), None]:
        end = separator.start() if separator is not None else len(text)
        chunks.append(Chunk(text[start:end], lines))
        if separator is not None:
            lines += text.count("\n", start, separator.end())
            start = separator.end()
    return chunks


def optimize(arguments: Arguments, reporter: Reporter) -> int:
    """Read, transform and write; the exit status."""
    path = arguments.file()
    _announce_stdin(path, reporter)
    timer = Timer()
    with timer.section("(read)"):
        text = read_text(path)
    status, result = optimize_text(
        arguments, reporter, text, "<stdin>" if path == "-" else path, timer
    )
    output = arguments.text("o")
    if status == OK or output is None:
        with timer.section("(write)"):
            write_output(output, result)
    if arguments.on("mlir-timing"):
        reporter.write(timer.report())
    return status


def optimize_text(
    arguments: Arguments, reporter: Reporter, text: str, name: str, timer: Timer
) -> tuple[int, str]:
    """Transform ``text``, which diagnostics call ``name``; the exit status and the resulting
    text.
    """
    target_text = arguments.text("target")
    target = Target(target_text) if target_text is not None else Target.generic()
    with target:
        stages = stages_of(arguments, target)
    run = _Run(arguments, reporter, stages, name, timer)
    with target, source_text(name, text):
        status, outputs = run_deep(lambda: run.all(text, target_text is not None), nesting(text))
    return status, "// -----\n".join(outputs)


def _announce_stdin(path: str, reporter: Reporter) -> None:
    import sys

    if path == "-" and sys.stdin is not None and sys.stdin.isatty():
        reporter.write("(reading from standard input; Ctrl-D ends it, --help shows the flags)")


def _report(arguments: Arguments, name: str) -> ScheduleReport | None:
    if arguments.text("schedule-report") is None:
        return None
    from kc.tir.schedule_report import ScheduleReport

    passes = " ".join(f"--{spec.name}" for spec in arguments.passes)
    return ScheduleReport(f"{name} {passes}".strip())


class _Run:
    """One run over all chunks of a file."""

    def __init__(
        self,
        arguments: Arguments,
        reporter: Reporter,
        stages: Sequence[Stage],
        name: str,
        timer: Timer,
    ) -> None:
        self.arguments = arguments
        self.reporter = reporter
        self.stages = stages
        self.name = name
        self.timer = timer
        self.report = _report(arguments, name)
        self.generic = arguments.on("mlir-print-op-generic")
        self.locations = arguments.on("mlir-print-debuginfo")

    def all(self, text: str, target_given: bool) -> tuple[int, list[str]]:
        """The exit status, and the texts of all chunks that were transformed."""
        chunks = chunks_of(text, self.arguments.on("split-input-file"))
        status, outputs = OK, []
        for number, chunk in enumerate(chunks):
            prefix = f"{number}_" if len(chunks) > 1 else ""
            checking = self.arguments.on("verify-diagnostics")
            run_chunk = self._checked if checking else self._reported
            result, output = run_chunk(chunk, prefix, target_given)
            status = max(status, result)
            if output is not None:
                outputs.append(output)
        if self.report is not None:
            write_output(self.arguments.text("schedule-report"), self.report.html())
        return status, outputs

    def _reported(self, chunk: Chunk, prefix: str, target_given: bool) -> tuple[int, str | None]:
        """Transform a chunk and show its errors."""
        try:
            return OK, self._transform(chunk, prefix, target_given)
        except KCError as error:
            self.reporter.report(error)
            return status_of(error), None
        except Exception as error:
            return self._internal(error, chunk), None

    def _checked(self, chunk: Chunk, prefix: str, target_given: bool) -> tuple[int, str | None]:
        """Transform a chunk and compare its diagnostics with the expected ones."""
        produced: list[Diagnostic] = []
        output = None
        try:
            expected = expectations(chunk.text, self.name, chunk.line_offset)
        except KCError as error:
            self.reporter.report(error)
            return MISTAKE, None
        try:
            with diagnostic_handler(produced.append):
                output = self._transform(chunk, prefix, target_given)
        except KCError as error:
            produced.append(error)
        except Exception as error:
            return self._internal(error, chunk), None
        wrong = check(expected, produced, self.name)
        for complaint in wrong:
            self.reporter.report(complaint)
        return (MISTAKE if wrong else OK), output

    def _transform(self, chunk: Chunk, prefix: str, target_given: bool) -> str:
        context = registry.context(
            allow_unregistered=self.arguments.on("allow-unregistered-dialect")
        )
        with self.timer.section("(parse)"):
            module = parse_module(chunk.text, self.name, context, chunk.line_offset)
            params = self.arguments.text("params")
            if params is not None:
                resolve_resources(module, resources_in(read_text(params)))
        if target_given and "kc.target" in module.attributes:
            warn(
                "KC0050",
                "--target is not used: the module names its own target",
                location=location_of(module),
                facts=[f"kc.target = {module.attributes['kc.target']}"],
            )
        pipeline = Pipeline(
            self.stages,
            self._instruments(prefix, module),
            verify_each=verify_all if self.arguments.on("verify-each", True) else None,
            generic=self.generic,
            locations=self.locations,
            timer=self.timer,
        )
        with contextlib.ExitStack() as watching:
            if self.report is not None:
                watching.enter_context(self.report.watch(module))
            if self.arguments.on(CHECK_EACH.name):
                watching.enter_context(checking_each())
            pipeline.run(context, module)
        if self.report is not None:
            self.report.end(module, code=self.arguments.on("report-code") or None)
        with self.timer.section("(print)"):
            return print_module(
                module,
                generic=self.generic,
                locations=self.locations,
                elides=self.arguments.on("elide"),
            )

    def _instruments(self, prefix: str, module: ModuleOp) -> list[Instrument]:
        def names(flag: str) -> set[str] | None:
            if self.arguments.on(f"{flag}-all"):
                return None
            texts = self.arguments.lists.get(flag, [])
            return {name for text in texts for name in text.split(",")}

        write = self.reporter.write
        before, after = names("mlir-print-ir-before"), names("mlir-print-ir-after")
        changed = self.arguments.on("mlir-print-ir-after-change")
        if changed and not after:
            after = None
        instruments: list[Instrument] = []
        if before is None or after is None or before or after:
            instruments.append(PrintIR(write, before, after, changed_only=changed))
        if self.arguments.on("diff"):
            import sys

            color = sys.stderr is not None and wants_color(sys.stderr)
            instruments.append(Diff(write, color=color))
        if (folder := self.arguments.text("dump-dir")) is not None:
            generic = self.arguments.on("dump-generic")
            instruments.append(DumpFiles(folder, prefix, module, generic=generic))
        if self.report is not None:
            instruments.append(ReportStages(self.report, module))
        return instruments

    def _internal(self, error: Exception, chunk: Chunk) -> int:
        specs: Sequence[PassSpec] = self.arguments.passes
        command = [f"--pass-pipeline={format_pipeline(specs)}"]
        for flag in ("target", "load-plugin"):
            command += [f"--{flag}={value}" for value in self.arguments.lists.get(flag, [])]
        if self.arguments.on("allow-unregistered-dialect"):
            command.append("--allow-unregistered-dialect")
        self.reporter.report(internal_error("kc-opt", error, source=chunk.text, command=command))
        return INTERNAL
