"""Views of a schedule: its loop tree, the changes of each primitive, its cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.analysis.cost import Cost, estimate
from kc.analysis.gpu.ptx_resources import KernelResources
from kc.analysis.module_copy import copy_module
from kc.support.deep import refusing_depth
from kc.support.diagnostics import KCError, ScheduleError
from kc.support.display import (
    Shown,
    boxes,
    diff_spans,
    diff_text,
    show_text,
    to_html,
    to_spans,
    to_terminal,
)
from kc.support.files import check_writable, write_output
from kc.support.ir_text import print_module
from kc.support.locations import caller_location
from kc.support.option_types import to_options
from kc.support.options import PassSpec
from kc.support.paused_collection import paused_collection
from kc.support.target import Target
from kc.support.text_diff import diff_lines
from kc.transforms.schedule.base import Primitive, Rewritten, Site, called_from, watching
from kc.transforms.trace.session import Session
from kc.transforms.trace.trace import replay

if TYPE_CHECKING:
    from kc.tir.schedule_report import ScheduleReport


@dataclass(frozen=True)
class Change:
    """The change that one primitive made: its kc-opt flag, and the module before and after."""

    title: str
    before: str
    after: str

    def text(self, *, color: bool = False) -> str:
        """The call, and the lines that changed."""
        lines = diff_lines(self.before, self.after)
        return f"{self.title}\n{diff_text(lines, color=color)}"

    def spans(self) -> str:
        """The change as HTML."""
        return f"{to_spans(self.title)}\n{diff_spans(diff_lines(self.before, self.after))}"

    def _repr_html_(self) -> str:
        return boxes([self.spans()])


class ScheduleViews:
    """The methods of ``kc.tir.Schedule`` that only look."""

    session: Session
    _refusal: ScheduleError | None
    _original: ModuleOp

    def show(self, func_name: str | None = None) -> Shown:
        """Print the loop tree, in colour on a terminal, and return it as text.

        A notebook displays the tree highlighted, once.
        """
        with called_from(caller_location()):
            text = "\n".join(loop_tree.render(self.session.function(func_name)))
        language = "kc-loops"
        return show_text(
            text, lambda: to_terminal(text, language), lambda: to_html((text, language))
        )

    def changes(self) -> list[Change]:
        """The changes of each primitive, in order. Performs the trace again, on a copy."""
        changes: list[Change] = []
        module = copy_module(self._original)
        text = print_module(module)

        def performed(step: Primitive, site: Site, done: Rewritten) -> None:
            nonlocal text
            before, text = text, print_module(module)
            changes.append(Change(str(PassSpec(step.name, to_options(step))), before, text))

        with watching(performed):
            replay(self.session.fresh(module), self.session.trace, explains=False)
        return changes

    def diff(self, primitive: int | None = None) -> Shown:
        """Print the changes of the primitives, and return them as text. A notebook displays them
        once.

        ``primitive`` is the number of a primitive, -1 for the last, None for all. Raises KC3741 if
        there is no such primitive.
        """
        changes = self.changes()
        if primitive is not None:
            if not -len(changes) <= primitive < len(changes):
                raise ScheduleError(
                    "KC3741",
                    f"diff: no primitive has the number {primitive}",
                    location=caller_location(),
                    why=f"{len(changes)} were performed"
                    if len(changes) != 1
                    else "1 was performed",
                )
            changes = [changes[primitive]]
        if not changes:
            none = "no changes: no primitive was performed"
            return show_text(none, lambda: none, lambda: to_html((none, "text")))
        return show_text(
            "\n\n".join(change.text() for change in changes),
            lambda: "\n\n".join(change.text(color=True) for change in changes),
            lambda: boxes(change.spans() for change in changes),
        )

    def cost(self, func_name: str | None = None, assume: Mapping[str, int] | None = None) -> Cost:
        """The estimated cost of the function: operations, bytes, and traffic of the target's
        caches.

        ``assume`` maps symbolic sizes to numbers. See :mod:`kc.analysis.cost`. For a CPU the peak
        memory is that of the program after buffers are moved, shrunk and shared. For an NVIDIA GPU
        the function is compiled, if possible, and the cost includes the resources of its kernels.
        """
        from kc.conversion.peak_memory import peak_memory

        with called_from(caller_location()):
            function = self.session.function(func_name)
        cost = estimate(function, self.session.target.caches, assume)
        kernels = _kernel_costs(self.session.module, self.session.target)
        name = function.sym_name.data
        peak = peak_memory(self.session.module, name, self.session.target, assume)
        return replace(cost, peak_memory=peak, kernels=kernels.get(name, ()))

    def report(self, file: str | None = None, *, code: bool | None = None) -> ScheduleReport:
        """The page that steps through the schedule, written to ``file`` unless it is None.

        If the last call was refused, the refusal is the last step. ``code`` decides if the module
        is compiled, so that each loop shows its LLVM IR and its assembly. By default only the last
        changed nests of a module of more than 60 loops are compiled. Raises KC0022 for a file that
        cannot be written.
        """
        from kc.tir.schedule_report import ScheduleReport

        if file is not None:
            check_writable(file)
        module = copy_module(self._original)
        names = ", ".join(f"@{function.sym_name.data}" for function in loop_tree.functions(module))
        report = ScheduleReport(f"schedule of {names}", self.session.target)
        deep = refusing_depth("report", lambda: print_module(self._original))
        with paused_collection(), deep:
            report.start(module)
            with report.watch(module):
                replay(self.session.fresh(module), self.session.trace, explains=False)
            if self._refusal is not None:
                report.refuse(module, self._refusal)
            report.end(module, code=code)
            report.add_kernels(_kernel_costs(module, self.session.target))
        if file is not None:
            write_output(file, report.html())
        return report

    def _repr_html_(self) -> str:
        """The loop trees and the IR, for a notebook."""
        module = self.session.module
        trees = ["\n".join(loop_tree.render(function)) for function in loop_tree.functions(module)]
        shown = [(tree, "kc-loops") for tree in trees]
        return to_html(*shown, (print_module(module), "mlir"))


def _kernel_costs(module: ModuleOp, target: Target) -> dict[str, tuple[KernelResources, ...]]:
    """The resources of an NVIDIA GPU that the kernels of each function use. Empty if the module is
    not yet scheduled for a GPU.
    """
    if not {"cuda", "gpu"} <= set(target.keys):
        return {}
    from kc.codegen.kernel_costs import kernel_costs

    costs: dict[str, tuple[KernelResources, ...]] = {}
    for function in loop_tree.functions(module):
        alone = copy_module(module)
        for sibling in loop_tree.functions(alone):
            if sibling.sym_name != function.sym_name:
                sibling.detach()
                sibling.erase()
        try:
            costs[function.sym_name.data] = tuple(kernel_costs(alone, target))
        except KCError:
            continue
    return costs
