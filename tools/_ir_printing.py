"""Instruments that show the module between passes: dumps, diffs, and numbered files."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp

from kc.support.files import make_directory, write_output
from kc.support.ir_text import print_module
from kc.support.text_diff import unified
from kc.transforms.pass_runner import Instrument, Stage

if TYPE_CHECKING:
    from kc.tir.schedule_report import ScheduleReport

Write = Callable[[str], None]

_COLORS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_RESET = "\x1b[0m"


class PrintIR(Instrument):
    """The flags ``--mlir-print-ir-before``, ``-after`` and ``-after-change``, in mlir-opt's layout.

    ``before`` and ``after`` are names of passes; None stands for all of them.
    """

    def __init__(
        self,
        write: Write,
        before: Collection[str] | None = (),
        after: Collection[str] | None = (),
        *,
        changed_only: bool = False,
    ) -> None:
        self._write = write
        self._before_names = before
        self._after_names = after
        self._changed_only = changed_only
        self._previous = ""

    def before(self, stage: Stage, text: Callable[[], str]) -> None:
        if self._before_names is None or stage.name in self._before_names:
            self._dump("Before", stage, text())
        if self._changed_only:
            self._previous = text()

    def after(self, stage: Stage, text: Callable[[], str]) -> None:
        if self._after_names is not None and stage.name not in self._after_names:
            return
        if self._changed_only and text() == self._previous:
            return
        self._dump("After", stage, text())

    def _dump(self, when: str, stage: Stage, text: str) -> None:
        self._write(f"// -----// IR Dump {when} {stage.title} ({stage.name}) //----- //\n{text}\n")


class Diff(Instrument):
    """The flag ``--diff``: the changes of each pass as a unified diff, which ignores
    indentation.
    """

    def __init__(self, write: Write, *, color: bool = False) -> None:
        self._write = write
        self._color = color
        self._previous = ""

    def start(self, text: Callable[[], str]) -> None:
        self._previous = text()

    def after(self, stage: Stage, text: Callable[[], str]) -> None:
        lines = list(unified(self._previous, text(), f"before {stage.name}", f"after {stage.name}"))
        self._previous = text()
        if not lines:
            self._write(f"// {stage.name} changed nothing")
            return
        self._write("\n".join(map(self._painted, lines)))

    def _painted(self, line: str) -> str:
        color = _COLORS.get(line[:1]) if self._color else None
        return f"{color}{line}{_RESET}" if color else line


class DumpFiles(Instrument):
    """The flag ``--dump-dir``: the module after every stage as ``NN_pass.mlir``, the input as 00.

    With ``generic`` (``--dump-generic``), the files of ``module`` are in the generic form, which
    ``mlir-opt --allow-unregistered-dialect`` reads. The flag does not affect other output.
    """

    def __init__(
        self, folder: str, prefix: str, module: ModuleOp, *, generic: bool = False
    ) -> None:
        self._folder = Path(folder)
        self._prefix = prefix
        self._module = module
        self._generic = generic
        self._count = 0
        make_directory(folder)

    def start(self, text: Callable[[], str]) -> None:
        self._save("input", text)

    def after(self, stage: Stage, text: Callable[[], str]) -> None:
        self._save(stage.name, text)

    def _save(self, name: str, shown: Callable[[], str]) -> None:
        text = print_module(self._module, generic=True) if self._generic else shown()
        file = self._folder / f"{self._prefix}{self._count:02}_{name}.mlir"
        self._count += 1
        write_output(os.fspath(file), text)


class ReportStages(Instrument):
    """The steps that are not primitives, on the page of ``--schedule-report``."""

    def __init__(self, report: ScheduleReport, module: ModuleOp) -> None:
        self._report = report
        self._module = module

    def start(self, text: Callable[[], str]) -> None:
        self._report.start(self._module)

    def after(self, stage: Stage, text: Callable[[], str]) -> None:
        if stage.family != "schedule":
            self._report.stage(stage.name, self._module)
