"""A schedule as one HTML page: a step a primitive, with loop tree, cost, IR diff and source line.

The page needs no network and no server, and shows everything, one step below the other, where
scripts are off.
"""

from __future__ import annotations

import contextlib
import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from kc.analysis import loop_tree
from kc.analysis.cost import Cost, count_text, estimate, size_text
from kc.analysis.ptx_resources import KernelResources
from kc.support.diagnostics import Location, ScheduleError
from kc.support.ir_text import print_module
from kc.support.locations import location_of
from kc.support.option_types import to_options
from kc.support.options import Options, PassSpec
from kc.support.target import Target, target_of
from kc.support.text_diff import diff_lines, near_changes
from kc.transforms.schedule.base import CALL_SITE, Primitive, Rewritten, Site, watching

CACHES = ("L1", "L2", "L3")


@dataclass(frozen=True)
class Step:
    """One step: what was done, where the user asked for it, and how the module is now."""

    title: str
    """The primitive or pass with its options, as kc-opt's flag has them."""
    call: Location | None
    """The line of the schedule call."""
    origin: Location | None
    """The line of the program that the loops or blocks come from."""
    sources: tuple[tuple[str, str], ...]
    """The text of these lines: (place, text)."""
    tree: tuple[tuple[str, bool], ...]
    """The loop tree, and which of its lines are new."""
    costs: tuple[tuple[str, Cost], ...]
    """The cost of each function."""
    text: str
    """The module."""
    error: str | None = None
    """The refusal, when there was one."""


@dataclass
class ScheduleReport:
    """Collects the steps of a schedule; :meth:`html` is the page."""

    title: str
    target: Target | None = None
    steps: list[Step] = field(default_factory=list)

    def start(self, module: ModuleOp) -> None:
        """Take the module as it is before the first step."""
        self._add("input", module, [], None, None)

    @contextlib.contextmanager
    def watch(self, module: ModuleOp) -> Iterator[None]:
        """Take a step for each primitive performed on ``module``; a refusal is the last one."""

        def performed(step: Primitive, site: Site, done: Rewritten) -> None:
            changed: list[Operation] = [*done.loops, *done.blocks]
            origin = location_of(changed[0]) if changed else None
            spec = PassSpec(step.name, to_options(step))
            self._add(_flag(spec), module, changed, CALL_SITE.get(), origin)

        with watching(performed):
            try:
                yield
            except ScheduleError as error:
                self._add(
                    error.message.partition(":")[0],
                    module,
                    [],
                    error.location,
                    None,
                    error.render(),
                )
                raise

    def stage(self, name: str, module: ModuleOp) -> None:
        """Take a step for a pass that is no primitive."""
        self._add(name, module, [], None, None)

    def _add(
        self,
        title: str,
        module: ModuleOp,
        changed: Sequence[Operation],
        call: Location | None,
        origin: Location | None,
        error: str | None = None,
    ) -> None:
        functions = loop_tree.functions(module)
        target = self.target if self.target is not None else target_of(module)
        marks = dict.fromkeys(changed, _NEW)
        tree: list[tuple[str, bool]] = []
        for function in functions:
            if len(functions) > 1:
                tree.append((f"@{function.sym_name.data}", False))
            for line in loop_tree.render(function, marks):
                shown, arrow, _ = line.partition(f"    <-- {_NEW}")
                tree.append((shown, bool(arrow)))
        places = dict.fromkeys(place for place in (call, origin) if place is not None)
        self.steps.append(
            Step(
                title,
                call,
                origin,
                tuple((str(place), place.source_line().strip()) for place in places),
                tuple(tree),
                tuple(
                    (function.sym_name.data, estimate(function, target.caches))
                    for function in functions
                ),
                print_module(module),
                error,
            )
        )

    def add_kernels(self, kernels: Mapping[str, tuple[KernelResources, ...]]) -> None:
        """Add what the kernels of each function take to the costs of the last step."""
        last = self.steps[-1]
        costs = [(name, replace(cost, kernels=kernels.get(name, ()))) for name, cost in last.costs]
        self.steps[-1] = replace(last, costs=tuple(costs))

    def html(self) -> str:
        """The page."""
        page = resources.files("kc.tir").joinpath("schedule_report.html").read_text("utf-8")
        steps = "\n".join(_section(n, step, self.steps) for n, step in enumerate(self.steps))
        links = "\n".join(
            f'<li><a href="#step-{n}"{" class=refused" if step.error else ""}>'
            f"<b>{n}</b> {html.escape(step.title)}</a></li>"
            for n, step in enumerate(self.steps)
        )
        parts = {"title": html.escape(self.title), "links": links, "steps": steps}
        for name, text in parts.items():
            page = page.replace(f"<!--{name}-->", text)
        return page


_NEW = "new"


def _flag(spec: PassSpec) -> str:
    options = str(spec.options) if isinstance(spec.options, Options) else ""
    return f"{spec.name} {options}".strip()


def _section(number: int, step: Step, steps: Sequence[Step]) -> str:
    before = steps[number - 1] if number else None
    parts = [f'<section id="step-{number}"><h2>{number}. {html.escape(step.title)}</h2>']
    if step.error is not None:
        parts.append(f'<pre class="error">{html.escape(step.error)}</pre>')
    for place, text in step.sources:
        code = f" <code>{html.escape(text)}</code>" if text else ""
        parts.append(f'<p class="source"><span>{html.escape(place)}</span>{code}</p>')
    parts.append('<div class="columns"><div><h3>Loop tree</h3>')
    if before is not None and _lines(before) != _lines(step):
        parts.append(f"<details><summary>before</summary>{_tree(before, step)}</details>")
    parts.append(_tree(step, before))
    parts.append("</div><div><h3>Cost</h3>")
    previous = dict(before.costs) if before is not None else {}
    parts.extend(_cost(name, cost, previous.get(name), steps) for name, cost in step.costs)
    parts.append("</div></div><h3>IR</h3>")
    parts.append(_diff(before.text if before is not None else None, step.text))
    parts.append("</section>")
    return "".join(parts)


def _lines(step: Step) -> list[str]:
    return [line for line, _ in step.tree]


_LONG = 60
"""Lines of a loop tree from which on only those near a change are shown."""


def _tree(step: Step, neighbour: Step | None) -> str:
    """The loop tree; of a long one what is not in the step beside it, and what is near."""
    kept = set(range(len(step.tree)))
    if len(step.tree) > _LONG and neighbour is not None:
        signs = _changed(neighbour, step)
        marked = [n for n, (_, new) in enumerate(step.tree) if new or signs[n] == "+"]
        kept = {m for n in marked for m in range(n - 4, n + 5)} & kept
    lines: list[str] = []
    for n, (line, new) in enumerate(step.tree):
        if n in kept:
            lines.append(f'<span class="{"new" if new else "old"}">{html.escape(line)}</span>\n')
        elif n == 0 or n - 1 in kept:
            lines.append('<span class="old">...</span>\n')
    return f'<pre class="lines">{"".join(lines)}</pre>'


def _changed(neighbour: Step, step: Step) -> list[str]:
    """The sign of each line of a tree against another step's: " ", or "+" for one it has not."""
    lines = diff_lines("\n".join(_lines(neighbour)), "\n".join(_lines(step)))
    return [sign for sign, _ in lines if sign != "-"]


def _rows(cost: Cost) -> Mapping[str, tuple[int, str]]:
    """Each number of a cost, with the text it is shown as."""
    rows = {
        "operations": (cost.operations, count_text(cost.operations)),
        "loads": (cost.loaded, size_text(cost.loaded)),
        "stores": (cost.stored, size_text(cost.stored)),
        "footprint": (cost.footprint, size_text(cost.footprint)),
    }
    for name, moved in zip(CACHES, cost.traffic, strict=False):
        rows[f"into {name}"] = (moved, size_text(moved))
    for scope, size in cost.allocated.items():
        rows[f"allocated ({scope})"] = (size, size_text(size))
    rows["parallel tasks"] = (cost.tasks, str(cost.tasks))
    rows["vector lanes"] = (cost.lanes, str(cost.lanes))
    for kernel in cost.kernels:
        shared = kernel.shared + kernel.dynamic
        rows |= {
            f"{kernel.name}: barriers": (kernel.barriers, str(kernel.barriers)),
            f"{kernel.name}: shared memory": (shared, size_text(shared)),
            f"{kernel.name}: registers": (
                kernel.registers,
                f"about {kernel.registers} of {kernel.most}",
            ),
        }
        if kernel.verdicts is not None:
            for n, access in enumerate(kernel.verdicts.accesses):
                label = f"{kernel.name}: {access.buffer} {access.access}"
                label += f" ({n})" if label in rows else ""
                rows[label] = (access.transactions, str(access).partition(": ")[2])
            for verdict in kernel.verdicts.safety:
                rows[f"{kernel.name}: {verdict.kind}"] = (1, html.escape(str(verdict)))
        if kernel.local:
            rows[f"{kernel.name}: memory of a thread"] = (kernel.local, size_text(kernel.local))
    return rows


def _cost(name: str, cost: Cost, before: Cost | None, steps: Sequence[Step]) -> str:
    old = _rows(before) if before is not None else {}
    several = any(len(step.costs) > 1 for step in steps)
    cells = [f"<caption>@{html.escape(name)}</caption>"] if several else []
    for label, (number, shown) in _rows(cost).items():
        past, past_shown = old.get(label, (number, shown))
        change = ""
        if past_shown != shown and past:
            change = f"{past_shown} &rarr; ({number / past:.3g}&times;)"
        cells.append(f"<tr><th>{label}</th><td>{shown}</td><td>{change}</td></tr>")
    if cost.assumed:
        text = ", ".join(f"{html.escape(n)} = {v}" for n, v in cost.assumed.items())
        cells.append(f"<tr><th>assumed</th><td colspan=2>{text}</td></tr>")
    return f'<table class="cost">{"".join(cells)}</table>'


def _diff(before: str | None, after: str) -> str:
    if before is None:
        return f"<pre>{html.escape(after)}</pre>"
    if before == after:
        return '<p class="same">unchanged</p>'
    kinds = {" ": "same", "-": "del", "+": "add"}
    every = diff_lines(before, after)
    near = near_changes(every)
    lines = []
    for n, (sign, line) in enumerate(every):
        if n in near:
            lines.append(f'<span class="{kinds[sign]}">{sign} {html.escape(line)}</span>\n')
        elif n == 0 or n - 1 in near:
            lines.append('<span class="same">  ...</span>\n')
    return f'<pre class="lines diff">{"".join(lines)}</pre>'
