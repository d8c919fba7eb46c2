"""Checks of kernels for GPUs, which run on this CPU under observation.

    module = kc.build(s, [A, B, C], target="cuda -arch=sm_90a")
    report = kc.gpu.check(module, a, b, c)
    print(report)

The arrays are those of a call, including the arrays that the kernels write; the results are the
same. (CUDA: ``compute-sanitizer``, and the counters of Nsight Compute, for kernels of any
compiler.)
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kc.analysis.gpu import ptx_resources
from kc.analysis.gpu.access_patterns import Verdict
from kc.analysis.gpu.kernel_accesses import KernelVerdicts, verdict_of
from kc.analysis.gpu.kernel_safety import CODES, WHY, SafetyVerdict
from kc.analysis.gpu.ptx_resources import KernelResources
from kc.runtime.emulator import Place, RawFinding, Watch, Writer, watch
from kc.support.diagnostics import CallError, Diagnostic, Location
from kc.support.reproducer import reproducing
from kc.support.target import Target

if TYPE_CHECKING:
    from kc.runtime.module import WatchedModule

__all__ = [
    "AccessSite",
    "Finding",
    "KernelResources",
    "KernelVerdicts",
    "Report",
    "SafetyVerdict",
    "check",
    "resources",
]

_KINDS = (
    *CODES.items(),
    ("deadlock", "KC6306"),
    ("wrong-result", "KC6307"),
    ("missing-fence", "KC6310"),
    ("missing-wait", "KC6311"),
)
_WHY: Mapping[str, str] = {
    **WHY,
    "out-of-bounds": "the access was left out",
    "deadlock": "each waits for the others, which never come",
    "missing-fence": "bulk copies and products of four warps see what threads wrote only behind "
    "nvvm.fence.proxy",
    "missing-wait": "products write registers, and bulk copies read and write shared memory, until "
    "they are waited for",
    "wrong-result": "a value that was expected is another one; no order of the threads explains it",
}

_NAMES_FENCE = re.compile(r"nvvm\.(fence\.mbarrier\.init|wgmma\.fence\.aligned)")
"""The messages that already name the missing fence."""


@dataclass(frozen=True)
class Finding:
    """A mistake that kernels made.

    ``kind`` is "race", "divergent-barrier", "out-of-bounds", "misaligned", "uninitialised",
    "deadlock", "wrong-result", "missing-fence" or "missing-wait"; ``count`` is how often it was
    seen, ``block`` and ``thread`` who did it first, and ``second`` where the second thread was, if
    there is one.
    """

    kind: str
    buffer: str
    message: str
    location: Location | None
    count: int
    block: int
    thread: int
    second: Location | None = None

    def diagnostic(self) -> Diagnostic:
        """The finding as a message."""
        facts: list[str] = []
        if self.second is not None:
            text = self.second.source_line().strip()
            facts.append(f"the other: {self.second}" + (f"  {text}" if text else ""))
        if self.count > 1:
            facts.append(f"seen {self.count} times")
        return Diagnostic(
            dict(_KINDS)[self.kind],
            self.message,
            location=self.location,
            facts=facts,
            why=None if _NAMES_FENCE.search(self.message) else _WHY[self.kind],
        )


@dataclass(frozen=True)
class AccessSite:
    """The cost of an access to global or shared memory.

    ``executions`` counts warps. ``transactions`` are sectors of 32 bytes of the device's memory, or
    wavefronts of a block's; ``least`` is how few would do. ``bank_conflicts`` are the wavefronts
    that lanes wait for because others use the same bank. ``verdict`` is certain without
    the run: "coalesced" or "uncoalesced", "conflict-free" or "conflict"
    (:mod:`kc.analysis.gpu.access_patterns`); None: it is not.
    """

    buffer: str
    access: str
    memory: str
    """"global" or "shared"."""
    location: Location | None
    executions: int
    transactions: int
    least: int
    bank_conflicts: int
    verdict: Verdict | None = None

    @property
    def place(self) -> tuple[str, str, str, Location | None]:
        """The object and the kind of the access, and its location."""
        return self.buffer, self.access, self.memory, self.location


@dataclass(frozen=True)
class Report:
    """The results of a check: findings, the cost of each access, and the barriers that blocks
    reached.
    """

    findings: tuple[Finding, ...]
    sites: tuple[AccessSite, ...]
    barriers: int
    verdicts: tuple[KernelVerdicts, ...] = ()
    """The facts about each kernel that hold for all array contents; ``lines()`` is their text."""

    @property
    def ok(self) -> bool:
        """True if there are no findings."""
        return not self.findings

    @property
    def sectors(self) -> int:
        """The sectors of 32 bytes of the device's memory that were read and written."""
        return sum(site.transactions for site in self.sites if site.memory == "global")

    @property
    def wavefronts(self) -> int:
        """The wavefronts of shared memory."""
        return sum(site.transactions for site in self.sites if site.memory == "shared")

    @property
    def bank_conflicts(self) -> int:
        """The wavefronts that lanes waited for."""
        return sum(site.bank_conflicts for site in self.sites)

    def __str__(self) -> str:
        lines = [finding.diagnostic().render() for finding in self.findings]
        heads = (
            "buffer", "access", "warps", "transactions", "least", "conflicts", "line", "verdict",
        )  # fmt: skip
        rows = [
            (
                site.buffer,
                site.access,
                str(site.executions),
                str(site.transactions),
                str(site.least),
                str(site.bank_conflicts),
                "" if site.location is None else str(site.location.line),
                site.verdict or "undecided",
            )
            for site in self.sites
        ]
        widths = [max(len(row[n]) for row in (heads, *rows)) for n in range(len(heads))]
        for row in (heads, *rows):
            cells = [
                cell.ljust(width) if n < 2 or n == 7 else cell.rjust(width)
                for n, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  ".join(cells).rstrip())
        verdict = f"{len(self.findings)} findings" if self.findings else "nothing found"
        lines.append(f"{verdict}; barriers: {self.barriers}")
        for kernel in self.verdicts:
            lines.append(f"{kernel.name}, for any contents of arrays:")
            lines += [f"  {verdict}" for verdict in kernel.safety]
        return "\n".join(lines)


def check(
    module: Any,
    *arrays: Any,
    target: Target | str = "cuda-emu",
    name: str | None = None,
    expected: Sequence[Any] = (),
    rtol: float = 1e-4,
    atol: float = 1e-5,
) -> Report:
    """Run the kernels of a module on this CPU, and report their mistakes.

    ``module`` is the result of :func:`kc.build` for ``cuda`` or ``cuda-emu``, or a module or a
    function of IR, or its text, which is compiled for ``target`` first. ``arrays`` are the
    arguments of the function ``name``, by default the function that a call of the module runs.
    ``expected`` are the expected contents of the last arrays after the run; floats are compared
    with ``rtol`` and ``atol``, as by ``numpy.allclose``. A difference is a finding, with the
    statement that wrote the element.

    Raises CallError KC6300 for a module without kernels, and the errors of the build and the call.
    """
    from kc.runtime.module import Module

    if isinstance(module, str):
        from kc.tir.module import IRModule

        module = IRModule.parse(module)
    if isinstance(module, Module):
        watched = None if module.watched is None else module.watched()
    else:
        watched = build_watched(module, target)
    if watched is None:
        raise CallError(
            "KC6300",
            "kc.gpu.check: the module has no kernels for a GPU",
            why="the module is compiled for a target of another kind",
            hints=['kc.build(..., target="cuda -arch=sm_80"), or target="cuda-emu"'],
        )
    function = watched.module if name is None else watched.module[name]
    compared = _Comparison(arrays[len(arrays) - len(expected) :], expected, rtol, atol)
    seen = watch(lambda: function(*arrays), watched.places, compared.addresses)
    report = _report(seen, watched.places)
    more = compared.findings(seen.writers, watched.places)
    names = watched.verdicts if name is None else [name]
    verdicts = dict.fromkeys(verdict for key in names for verdict in watched.verdicts.get(key, ()))
    sites = [replace(site, verdict=verdict_of(site.place, verdicts)) for site in report.sites]
    return replace(
        report,
        findings=(*report.findings, *more),
        sites=tuple(sites),
        verdicts=tuple(verdicts),
    )


def build_watched(module: Any, target: Target | str) -> WatchedModule | None:
    """The kernels of a module in the form that :func:`check` runs, without a complete build. None
    for a target that is no GPU of NVIDIA.
    """
    from kc.backends.cuda_emu import watched_stages
    from kc.building.programs import program_of

    chosen = target if isinstance(target, Target) else Target(target)
    if chosen.kind not in ("cuda", "cuda-emu"):
        return None
    program = program_of("gpu.check", module)
    with reproducing("kc.gpu.check", lambda: program.source(chosen)):
        return watched_stages(program.lowered(chosen, checks_kernels=False).stages, chosen)


def resources(module: Any) -> tuple[KernelResources, ...]:
    """The resources of each kernel of a module: registers, shared memory, barriers.

    ``module`` is the result of :func:`kc.build` for ``cuda``. The values come from the PTX, and
    from the launches; dynamic shared memory is 0 if its size depends on the arguments of a call.
    Registers and spills are those of ``ptxas`` if it is installed (``KC_PTXAS=none`` disables it),
    and else estimates.

    Raises CallError KC6300 for a module without PTX.
    """
    for imported in getattr(module, "imported_modules", ()):
        with contextlib.suppress(CallError):
            ptx = imported.get_source("ptx")
            dynamic = getattr(imported, "dynamic_shared", {})
            registers = getattr(imported, "registers_per_block", 65536)
            return tuple(
                replace(kernel, dynamic=dynamic.get(kernel.name, 0))
                for kernel in ptx_resources.resources(ptx, registers)
            )
    raise CallError(
        "KC6300",
        "kc.gpu.resources: the module has no kernels for a GPU",
        why="the module is compiled for a target of another kind",
        hints=['kc.build(..., target="cuda -arch=sm_80")'],
    )


def _report(seen: Watch, places: Any) -> Report:
    sites: dict[tuple[str, str, str, Location | None], list[int]] = {}
    for cost, place in zip(seen.costs, places, strict=True):
        if cost.executions:
            sums = sites.setdefault(
                (place.buffer, place.what, place.memory, place.location), [0] * 4
            )
            numbers = (cost.executions, cost.transactions, cost.least, cost.conflicts)
            for n, number in enumerate(numbers):
                sums[n] += number
    return Report(
        tuple(_finding(raw, places) for raw in seen.findings),
        tuple(
            AccessSite(*place, *numbers)  # pyright: ignore[reportArgumentType]
            for place, numbers in sites.items()
        ),
        seen.barriers,
    )


def _finding(raw: RawFinding, places: list[Place]) -> Finding:
    kind = _KINDS[raw.kind][0]
    place = places[raw.site]
    second = places[raw.other_site] if raw.other_site >= 0 else None
    who = _who(raw.block, raw.thread)
    other_who = _who(raw.other_block, raw.other_thread)
    if raw.block == raw.other_block:
        other_who = f"thread {raw.other_thread}"
    element = f"{place.buffer}[{raw.element}]" if raw.element >= 0 else place.buffer
    if kind == "race" and raw.thread == raw.other_thread and raw.block == raw.other_block:
        message = f"{element} is {place.what} by {who}, whose own copy to it is not done"
    elif kind == "race" and place.what == "mbarrier":
        message = f"the mbarrier at {element} is used by {who}, and was initialised by {other_who}"
    elif kind == "race":
        assert second is not None
        message = f"{element} is {place.what} by {who}, and was {second.what} by {other_who}"
    elif place.what == "loop":
        message = f"{who} repeats a loop until memory changes, and no thread of its block goes on"
    elif kind in ("divergent-barrier", "deadlock"):
        message = f"{who} waits at {_a(place.what)}{_count(place.what, raw)}"
        if raw.other_thread >= 0:
            does = "has ended" if second is None else f"is at another {second.what}"
            message += f", and {other_who} {does}"
    elif kind == "uninitialised" and place.what == "mbarrier":
        message = f"the mbarrier at {element} is used by {who}, and no thread has initialised it"
    elif kind == "uninitialised":
        message = f"{element} is read by {who}, and no thread has written it"
    elif kind == "missing-fence" and second is None:
        message = (
            f"{who} starts a product of four warps with registers that it has written, and "
            "executes no nvvm.wgmma.fence.aligned before"
        )
    elif kind == "missing-fence" and place.what == "mbarrier":
        message = (
            f"the mbarrier at {element} is used by the copy of {who}, and was initialised by "
            f"{other_who} with no nvvm.fence.mbarrier.init behind it"
        )
    elif kind == "missing-fence":
        assert second is not None
        message = (
            f"{element} is {place.what} by {who}, and was {second.what} by {other_who} with no "
            "fence behind it"
        )
    elif kind == "missing-wait" and place.what == "mbarrier":
        message = f"the mbarrier at {place.buffer} is used by {who} in a block that has ended"
    elif kind == "missing-wait" and place.memory == "shared":
        message = f"the block ends before {place.buffer} is {place.what} by the copy of {who}"
    elif kind == "missing-wait":
        message = f"{place.buffer} is read by {who} before the product is done"
    elif kind == "misaligned" and raw.wanted:
        message = f"{element} is {place.what} by {who} in {raw.wanted} bytes, no multiple of 16"
    elif kind == "misaligned":
        message = f"{element} is {place.what} by {who} at an address that is not aligned"
    else:
        message = f"{place.buffer} is {place.what} by {who} outside of its bounds"
    return Finding(
        kind,
        place.buffer,
        message,
        place.location,
        raw.count,
        raw.block,
        raw.thread,
        None if second is None else second.location,
    )


def _a(what: str) -> str:
    return f"an {what}" if what == "mbarrier" else f"a {what}"


def _count(what: str, raw: RawFinding) -> str:
    if not raw.wanted:
        return ""
    unit = "arrivals" if what == "mbarrier" else "threads"
    bytes_ = f", and for {raw.bytes:,} bytes that no copy brings" if raw.bytes else ""
    return f" for {raw.wanted} {unit}, of which {raw.came} have come{bytes_}"


class _Comparison:
    """Arrays with their expected contents."""

    def __init__(
        self, arrays: Sequence[Any], expected: Sequence[Any], rtol: float, atol: float
    ) -> None:
        self.pairs = list(zip(arrays, expected, strict=True))
        self.tolerance = {"rtol": rtol, "atol": atol, "equal_nan": True}
        self.wrong: list[tuple[Any, Any, Any]] = []

    def addresses(self) -> list[int]:
        """The address of the first wrong element of each array."""
        import numpy as np

        addresses: list[int] = []
        for lanes, expected in self.pairs:
            array, expected = np.asarray(lanes), np.broadcast_to(np.asarray(expected), lanes.shape)
            (numbers,) = np.nonzero(~np.isclose(array, expected, **self.tolerance).ravel())
            if len(numbers):
                self.wrong.append((array, expected, numbers))
                place = np.unravel_index(numbers[0], array.shape)
                offset = sum(int(i) * step for i, step in zip(place, array.strides, strict=True))
                addresses.append(array.__array_interface__["data"][0] + offset)
        return addresses

    def findings(self, writers: Sequence[Writer], places: Sequence[Place]) -> list[Finding]:
        """A finding for each array that is wrong."""
        findings: list[Finding] = []
        for (array, expected, numbers), writer in zip(self.wrong, writers, strict=True):
            place = places[writer.site] if writer.site >= 0 else None
            name = "an output" if place is None else place.buffer
            element, flat = int(numbers[0]), array.ravel()
            who = "written by "
            who += "no thread" if place is None else _who(writer.block, writer.thread)
            message = (
                f"{name}[{element}] is {flat[element]}, {who}, and is to be "
                f"{expected.ravel()[element]}; {len(numbers)} of {array.size} elements are wrong"
            )
            location = None if place is None else place.location
            findings.append(
                Finding(
                    "wrong-result", name, message, location, 1, writer.block, writer.thread, None
                )
            )
        return findings


def _who(block: int, thread: int) -> str:
    return f"thread {thread} of block {block}"


def __dir__() -> list[str]:
    return sorted(__all__)
