"""A schedule as an HTML page: a step per primitive, with loop tree, cost, IR diff and source line.

The page needs no network and no server. Without scripts, and on paper, it shows all steps one below
the other. Parts that a step did not change are stored once.
"""

from __future__ import annotations

import contextlib
import difflib
import html
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from kc.analysis import loop_tree
from kc.analysis.cost import Cost, count_text, estimate, size_text
from kc.analysis.gpu.ptx_resources import KernelResources
from kc.support.diagnostics import Location, ScheduleError
from kc.support.locations import location_of
from kc.support.option_types import to_options
from kc.support.options import Options, PassSpec
from kc.support.target import Target, target_of
from kc.support.text_diff import Line, diff_lines, near_changes
from kc.tir.report_parts import Part, PartReader, Piece
from kc.transforms.schedule.base import CALL_SITE, Primitive, Rewritten, Site, watching

if TYPE_CHECKING:
    from kc.codegen.loop_code import LoopCode

CACHES = ("L1", "L2", "L3")
MOST_LOOPS = 60
"""The largest number of loops of a module that is compiled as a whole by default."""
LAST_LOOPS = 20
"""The number of loops of a larger module that are compiled by default. Compiling all of them would
double the time of the page.
"""


@dataclass(frozen=True)
class Step:
    """A step: the primitive, the user's line, and the module after it."""

    title: str
    """The primitive or pass with its options, in the form of kc-opt's flag."""
    call: Location | None
    """The line of the schedule call."""
    origin: Location | None
    """The line of the program that the loops or blocks come from."""
    blocks: tuple[str, ...]
    """The blocks that the step is about."""
    pieces: tuple[Piece, ...]
    """The module."""
    new: frozenset[Operation]
    """The loops and blocks that the step made or changed."""
    totals: tuple[tuple[str, Cost], ...] = ()
    """The cost of each function, of the last step."""
    error: str | None = None
    """The diagnostic of a refused call, else None."""

    @property
    def text(self) -> str:
        """The module, as text."""
        texts = [piece.text if isinstance(piece, Part) else piece for piece in self.pieces]
        return "\n".join(texts) + "\n"


@dataclass(repr=False)
class ScheduleReport:
    """Collects the steps of a schedule; :meth:`html` is the page."""

    title: str
    target: Target | None = None
    steps: list[Step] = field(default_factory=list)
    code: Mapping[Operation, LoopCode] = field(default_factory=dict)
    """The code of the loops of the last step."""
    left_out: set[Operation] = field(default_factory=set)
    """The loops of the last step that were not compiled."""
    _reader: PartReader = field(init=False)
    _made_by: dict[Operation, tuple[int, ...]] = field(default_factory=dict)
    """For each loop and block, the numbers of the steps that changed it."""
    _places: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Source locations, each with a number and its line of text."""
    _parts: dict[Part, int] = field(default_factory=dict)
    """All parts of all steps that have a tree, in order."""
    _lines: list[list[list[Any]]] = field(default_factory=list)
    """The lines of each part's tree: text, place, steps."""
    _caches: tuple[int, ...] = ()
    _lanes: int = 1
    """f32 elements of a vector of the target."""

    def __repr__(self) -> str:
        return f"ScheduleReport({self.title!r}, {len(self.steps)} steps)"

    def __post_init__(self) -> None:
        self._reader = PartReader(self._caches_now)

    def _caches_now(self) -> tuple[int, ...]:
        return self._caches

    def start(self, module: ModuleOp) -> None:
        """Record the module before the first step."""
        target = self._target_of(module)
        self._caches = target.caches
        self._lanes = max(target.vector_bits // 32, 1)
        self._add("input", module)

    @contextlib.contextmanager
    def watch(self, module: ModuleOp) -> Iterator[None]:
        """Record a step for each primitive performed on ``module``. A refused primitive is the last
        step.
        """

        def performed(step: Primitive, site: Site, done: Rewritten) -> None:
            self._performed(step, site, done, module)

        with watching(performed):
            try:
                yield
            except ScheduleError as error:
                self.refuse(module, error)
                raise

    def refuse(self, module: ModuleOp, error: ScheduleError) -> None:
        """Record a step that was refused."""
        self._add(error.message, module, call=error.location, error=error.render())

    def stage(self, name: str, module: ModuleOp) -> None:
        """Record a step for a pass that is no primitive."""
        self._add(name, module)

    def end(self, module: ModuleOp, *, code: bool | None = None) -> None:
        """Record facts about the module after the last step: its cost, and the code of its loops.

        ``code=True`` compiles the module, ``False`` does not. None compiles it if it has at most
        ``MOST_LOOPS`` loops, else the last changed nest and those before it, up to ``LAST_LOOPS``
        loops.
        """
        if not self.steps:
            return
        if not self.steps[-1].totals:  # an input of several may have none
            self.steps[-1] = replace(self.steps[-1], totals=self._totals(module))
        if code is False or not any(map(loop_tree.loops, loop_tree.functions(module))):
            return
        from kc.codegen.loop_code import loop_code, nests

        without = set[Operation]() if code else self._not_changed_last(nests(module))
        self.left_out.update(loop for nest in without for loop in loop_tree.loops(nest))
        self.code = {**self.code, **loop_code(module, self._target_of(module), without)}

    def _not_changed_last(self, nests: Sequence[Operation]) -> set[Operation]:
        """The nests to leave out of the code."""

        def last_step(nest: Operation) -> int:
            steps = (self._made_by.get(op, ()) for op in loop_tree.preorder(nest))
            return max((step for of_op in steps for step in of_op), default=0)

        sizes = {nest: len(loop_tree.loops(nest)) for nest in nests}
        if sum(sizes.values()) <= MOST_LOOPS:
            return set()
        count, without = 0, set[Operation]()
        for nest in sorted(nests, key=last_step, reverse=True):
            if count >= LAST_LOOPS:
                without.add(nest)
            count += sizes[nest]
        return without

    def _target_of(self, module: ModuleOp) -> Target:
        return self.target if self.target is not None else target_of(module)

    def _performed(self, step: Primitive, site: Site, done: Rewritten, module: ModuleOp) -> None:
        changed: list[Operation] = [*done.loops, *done.blocks]
        number = len(self.steps)
        for old, new in done.replaced.items():
            before = self._made_by.get(old, ())
            self._made_by.update((loop, before) for loop in new if loop not in self._made_by)
        for op in dict.fromkeys(changed):
            self._made_by[op] = (*self._made_by.get(op, ()), number)
        spec = PassSpec(step.name, to_options(step))
        blocks = [block.label for op in changed for block in loop_tree.blocks(op)]
        self._add(
            _flag(spec),
            module,
            site,
            changed=changed,
            blocks=tuple(dict.fromkeys(blocks)),
            call=CALL_SITE.get(),
            origin=location_of(changed[0]) if changed else None,
        )

    def _add(
        self,
        title: str,
        module: ModuleOp,
        site: Site | None = None,
        *,
        changed: Iterable[Operation] = (),
        blocks: tuple[str, ...] = (),
        call: Location | None = None,
        origin: Location | None = None,
        error: str | None = None,
    ) -> None:
        pieces = self._reader.read(module, site)
        for piece in pieces:
            if isinstance(piece, Part) and piece.tree and piece not in self._parts:
                self._parts[piece] = len(self._parts)
                self._lines.append(self._tree_lines(piece))
        for place in (call, origin):
            self._place(place)
        new = frozenset(changed)
        self.steps.append(Step(title, call, origin, blocks, pieces, new, error=error))

    def _tree_lines(self, part: Part) -> list[list[Any]]:
        lines: list[list[Any]] = []
        for (text, op), origin in zip(part.tree, part.origins, strict=True):
            steps = self._made_by.get(op, ()) if op is not None else ()
            lines.append([text, self._place(origin), list(steps)])
        return lines

    def _place(self, place: Location | None) -> int:
        """The number of a place; -1 for none."""
        if place is None:
            return -1
        entry = self._places.get(str(place))
        if entry is None:
            entry = self._places[str(place)] = len(self._places), place.source_line().strip()
        return entry[0]

    def _totals(self, module: ModuleOp) -> tuple[tuple[str, Cost], ...]:
        return tuple(
            (function.sym_name.data, estimate(function, self._caches))
            for function in loop_tree.functions(module)
        )

    def add_kernels(self, kernels: Mapping[str, tuple[KernelResources, ...]]) -> None:
        """Add the resources of each function's kernels to the costs of the last step."""
        last = self.steps[-1]
        totals = [
            (name, replace(cost, kernels=kernels.get(name, ()))) for name, cost in last.totals
        ]
        self.steps[-1] = replace(last, totals=tuple(totals))

    # The page ------------------------------------------------------------------------------

    def html(self) -> str:
        """The page."""
        page = resources.files("kc.tir").joinpath("schedule_report.html").read_text("utf-8")
        before: Sequence[Step | None] = [None, *self.steps]
        pairs = list(zip(before, self.steps, strict=False))
        sections = [self._section(n, *pair) for n, pair in enumerate(pairs)]
        links = [_link(n, step) for n, step in enumerate(self.steps)]
        parts = {
            "title": html.escape(self.title),
            "links": "\n".join(links),
            "steps": "\n".join(sections),
            "leftout": f"<p>{note}</p>" if (note := html.escape(self._left_out_note())) else "",
            "data": self._data(pairs),
        }
        for name, text in parts.items():
            page = page.replace(f"<!--{name}-->", text)
        return page

    def _left_out_note(self) -> str:
        """The note that the code of some loops is omitted, and how to include it; "" if none is
        omitted.
        """
        if not self.left_out:
            return ""
        count = len(self.left_out)
        loops = f"{count} loops" if count > 1 else "one loop"
        return (
            f"LLVM IR and assembly of {loops} are left out; the page has those of the nests that "
            "were changed last. sch.report(code=True) and kc-opt --report-code compile all."
        )

    def _section(self, number: int, before: Step | None, step: Step) -> str:
        gone, came = _changed_parts(before, step)
        inside = [f"<h2>{number}. {html.escape(step.title)}</h2>"]
        if step.error is not None:
            inside.append(f'<pre class="error">{html.escape(step.error)}</pre>')
        if step.blocks:
            inside.append(f'<p class="blocks">{_blocks_text(step)}</p>')
        shown = dict.fromkeys(str(place) for place in (step.call, step.origin) if place)
        for place in shown:
            text = self._places[place][1]
            code = f" <code>{html.escape(text)}</code>" if text else ""
            inside.append(f'<p class="source"><span>{html.escape(place)}</span>{code}</p>')
        if (tree := _tree([part for part in came if part.tree], step)) is not None:
            inside.append(f'<div class="tree"><h3>Loop tree</h3>{tree}</div>')
        inside.append(f"<h3>IR</h3>{_diff(before, step)}")
        inside += _costs(step, gone, came)
        return f'<section id="step-{number}">{"".join(inside)}</section>'

    def _data(self, pairs: Sequence[tuple[Step | None, Step]]) -> str:
        """The data for the page's script: trees by changed parts, costs, code."""
        codes: list[list[str]] = []
        number_of = dict.fromkeys(self.left_out, -1)
        for loop, code in self.code.items():
            number_of[loop] = len(codes)
            codes.append([code.llvm_ir, code.assembly])
        lines = [
            [
                [*line, number_of[op]] if op is not None and op in number_of else line
                for line, (_, op) in zip(self._lines[n], part.tree, strict=True)
            ]
            for part, n in self._parts.items()
        ]
        steps: list[dict[str, Any]] = []
        old: list[int] = []
        for before, step in pairs:
            gone, came = _changed_parts(before, step)
            now = [
                self._parts[piece]
                for piece in step.pieces
                if isinstance(piece, Part) and piece.tree
            ]
            start, end, new_end = _between(old, now)
            new = {
                self._parts[part]: marked
                for part in came
                if (marked := [n for n, (_, op) in enumerate(part.tree) if op in step.new])
            }
            steps.append(
                {
                    "edit": [start, end - start, now[start:new_end]],
                    "new": new,
                    "cost": [_numbers(gone), _numbers(came)],
                }
            )
            old = now
        data = {
            "places": [[place, text] for place, (_, text) in self._places.items()],
            "parts": lines,
            "steps": steps,
            "titles": [step.title for step in self.steps],
            "code": codes,
            "leftout": self._left_out_note(),
            "caches": [size for size in self._caches if size > 0],
            "lanes": self._lanes,
        }
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        return text.replace("<", "\\u003c")


def _flag(spec: PassSpec) -> str:
    options = str(spec.options) if isinstance(spec.options, Options) else ""
    return f"{spec.name} {options}".strip()


def _link(number: int, step: Step) -> str:
    blocks = f" <i>{_blocks_text(step)}</i>" if step.blocks else ""
    refused = " class=refused" if step.error else ""
    title = html.escape(step.title)
    return f'<li><a href="#step-{number}"{refused}><b>{number}</b> {title}{blocks}</a></li>'


_MOST_BLOCKS = 3


def _blocks_text(step: Step) -> str:
    """``block C``, ``blocks A, B``."""
    names = [html.escape(name) for name in step.blocks]
    more = ", ..." if len(names) > _MOST_BLOCKS else ""
    return f"block{'s' * (len(names) > 1)} {', '.join(names[:_MOST_BLOCKS])}{more}"


def _between(old: Sequence[Any], new: Sequence[Any]) -> tuple[int, int, int]:
    """The difference of two sequences: ``old[start:end]`` became ``new[start:new_end]``."""
    start, end, new_end = 0, len(old), len(new)
    while start < min(end, new_end) and old[start] == new[start]:
        start += 1
    while end > start and new_end > start and old[end - 1] == new[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    return start, end, new_end


def _changed_parts(before: Step | None, step: Step) -> tuple[list[Part], list[Part]]:
    """The parts of the previous step that are gone, and the new parts of this step."""
    old: Sequence[Piece] = before.pieces if before is not None else ()
    start, end, new_end = _between(old, step.pieces)
    was, now = old[start:end], step.pieces[start:new_end]
    common = set(was).intersection(now)
    gone = [piece for piece in was if isinstance(piece, Part) and piece not in common]
    return gone, [piece for piece in now if isinstance(piece, Part) and piece not in common]


_LONG = 60
"""The number of lines of a loop tree above which a step shows no more lines."""


def _tree(parts: Sequence[Part], step: Step) -> str | None:
    """The loop tree of the parts that a step changed. None if they have no loops."""
    lines = [(line, op) for part in parts for line, op in part.tree]
    if not lines:
        return None
    trees = [piece for piece in step.pieces if isinstance(piece, Part) and piece.tree]
    shown: list[tuple[str, Operation | None]] = [("...", None)] if parts[0] is not trees[0] else []
    shown += lines[:_LONG]
    if len(lines) > _LONG or parts[-1] is not trees[-1]:
        shown.append(("...", None))
    texts = [
        f'<span class="{"new" if op in step.new else "old"}">{html.escape(line)}</span>\n'
        for line, op in shown
    ]
    return f'<pre class="lines">{"".join(texts)}</pre>'


def _numbers(parts: Iterable[Part]) -> list[int] | None:
    """The numbers of the parts' costs for the charts of a step. None without loops or blocks."""
    cost = _together(parts)
    if cost is None:
        return None
    return [cost.operations, cost.footprint, cost.lanes, *cost.traffic]


def _together(parts: Iterable[Part]) -> Cost | None:
    """The cost of several parts in sequence. None if no part has loops or blocks."""
    costs = [part.cost for part in parts if part.cost is not None]
    if len(costs) < 2:
        return costs[0] if costs else None
    allocated: dict[str, int] = {}
    assumed: dict[str, int] = {}
    for cost in costs:
        for scope, size in cost.allocated.items():
            allocated[scope] = allocated.get(scope, 0) + size
        assumed.update(cost.assumed)
    return Cost(
        operations=sum(cost.operations for cost in costs),
        loaded=sum(cost.loaded for cost in costs),
        stored=sum(cost.stored for cost in costs),
        footprint=max(cost.footprint for cost in costs),
        traffic=tuple(map(sum, zip(*(cost.traffic for cost in costs), strict=True))),
        allocated=allocated,
        alive=max(cost.alive for cost in costs),
        tasks=max(cost.tasks for cost in costs),
        lanes=max(cost.lanes for cost in costs),
        assumed=assumed,
    )


def _rows(cost: Cost) -> Mapping[str, tuple[int, str]]:
    """The numbers of a cost, each as a row with its text."""
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
                f"{kernel.registers_text} of {kernel.most}",
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


def _costs(step: Step, gone: Sequence[Part], came: Sequence[Part]) -> Iterator[str]:
    """The cost of the parts that a step changed, and of the functions whose cost is known."""
    after = _together(came)
    tables = [_cost("", after, _together(gone))] if after is not None else []
    for name, cost in step.totals:
        # The costs of the only nest and of its function are equal, except for kernel resources.
        if (
            len([piece for piece in step.pieces if isinstance(piece, Part) and piece.cost]) > 1
            or cost.kernels
        ):
            tables.append(_cost(f"all of @{name}", cost, None))
    if tables:
        yield f'<h3>Cost</h3><div class="costs">{"".join(tables)}</div>'


def _cost(caption: str, cost: Cost, before: Cost | None) -> str:
    old = _rows(before) if before is not None else {}
    cells = [f"<caption>{html.escape(caption)}</caption>"] if caption else []
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


def _diff(before: Step | None, step: Step) -> str:
    """The lines of the IR that a step changed, with context."""
    if before is None:
        return f"<pre>{html.escape(step.text)}</pre>"
    lines = _near(_piecewise(before.pieces, step.pieces))
    if not lines:
        return '<p class="same">unchanged</p>'
    kinds = {" ": "same", "-": "del", "+": "add"}
    shown = [
        f'<span class="{kinds[sign]}">{sign} {html.escape(line)}</span>\n' for sign, line in lines
    ]
    return f'<pre class="lines diff">{"".join(shown)}</pre>'


_CONTEXT = 4
"""The number of lines around a change: the displayed lines, and one that marks further lines."""


def _piecewise(old: Sequence[Piece], new: Sequence[Piece]) -> list[Line]:
    """The diff of two modules. Pieces that occur in both are not compared line by line."""
    start, end, new_end = _between(old, new)
    lines = [
        (" ", line) for piece in new[max(start - _CONTEXT, 0) : start] for line in _lines_of(piece)
    ]
    lines = lines[-_CONTEXT:]
    was, now = old[start:end], new[start:new_end]
    matcher = difflib.SequenceMatcher(None, was, now, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            lines += [(" ", line) for piece in now[c:d] for line in _lines_of(piece)]
        else:
            texts = ["\n".join(map(_text_of, part)) for part in (was[a:b], now[c:d])]
            lines += diff_lines(*texts)
    rest = [line for piece in new[new_end : new_end + _CONTEXT] for line in _lines_of(piece)]
    return lines + [(" ", line) for line in rest[:_CONTEXT]]


def _text_of(piece: Piece) -> str:
    return piece.text if isinstance(piece, Part) else piece


def _lines_of(piece: Piece) -> list[str]:
    return _text_of(piece).split("\n")


def _near(lines: Sequence[Line]) -> list[Line]:
    """The changed lines with context, with "..." for omitted lines."""
    near = near_changes(lines)
    if not near:
        return []
    return [
        line if n in near else (" ", "...")
        for n, line in enumerate(lines)
        if n in near or n == 0 or n - 1 in near
    ]
