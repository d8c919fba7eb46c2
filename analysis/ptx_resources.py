"""What a kernel takes of a multiprocessor, read off its PTX: registers, shared and local memory.

PTX has as many registers as it likes; which values are alive at one place says how many of the
GPU's the kernel needs. Liveness is the usual data flow over the instructions, backwards until
nothing changes. A value of 64 bits is two registers of 32; predicates have registers of their own.

The assembler changes the order of the instructions: it loads early, which takes registers, and
computes addresses late, which saves some. Loads are taken to begin as early as they can while the
kernel has no more than :data:`FREE_REGISTERS`; beyond, registers cost threads, and the order of the
text is what is counted. The estimate is thus near the assembler's number and no more;
``benchmarks/ptx_resources.py`` compares the two. Memory is exact.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kc.analysis.kernel_accesses import KernelVerdicts

MOST_REGISTERS = 255
"""That a thread has, on every GPU since sm_35 (CUDA C++ Programming Guide, Technical
Specifications)."""

GRANULE = 8
"""The hardware gives registers to a thread by so many."""

RESERVED = 3
"""What every kernel takes: the pointer to its stack, and two registers for the hardware."""

FREE_REGISTERS = 32
"""With up to so many registers of a thread a multiprocessor has as many threads as it can: 2,048,
and 65,536 registers (CUDA C++ Programming Guide, Technical Specifications)."""


@dataclass(frozen=True)
class KernelResources:
    """What one kernel takes."""

    name: str
    threads: int | None
    """Threads of a block; None where a launch decides."""
    most: int
    """The registers that a thread can have, with so many threads."""
    registers: int
    """32-bit registers of a thread, without a limit: an estimate."""
    shared: int
    """Bytes of static shared memory of a block."""
    local: int
    """Bytes of a thread's own memory that is no register: arrays with computed indices."""
    barriers: int
    """Barriers in the text."""
    shuffles: int
    """Exchanges between lanes in the text."""
    dynamic: int = 0
    """Bytes of dynamic shared memory, which a launch asks for and the text does not say."""
    verdicts: KernelVerdicts | None = None
    """What is certain of its accesses and barriers, where the program is at hand."""

    @property
    def spilled(self) -> int:
        """Registers that there are none for, and that are in memory, too: an estimate."""
        return max(self.registers - self.most, 0)

    def __str__(self) -> str:
        threads = "threads by the launch" if self.threads is None else f"{self.threads} threads"
        parts = [threads, f"about {self.registers} registers of {self.most}"]
        parts.append(f"{self.shared + self.dynamic} bytes shared")
        if self.local:
            parts.append(f"{self.local} bytes of a thread in memory")
        parts.append(f"{self.barriers} barrier{'s' * (self.barriers != 1)}")
        return f"{self.name}: {', '.join(parts)}"


def resources(ptx: str, registers_per_block: int = 65536) -> list[KernelResources]:
    """The kernels of PTX text, in its order; ``registers_per_block`` are those of the GPU."""
    return [
        KernelResources(
            entry.name,
            entry.threads,
            entry.most_registers(registers_per_block),
            _Liveness(entry.body).registers(),
            _bytes(f"{_global_shared(ptx, entry.body)}\n{entry.body}", "shared"),
            _bytes(entry.body, "local"),
            len(re.findall(r"^\s*bar(?:rier)?\.(?:cta\.)?sync\b", entry.body, re.MULTILINE)),
            entry.body.count("shfl.sync"),
        )
        for entry in _entries(ptx)
    ]


def fits_registers(ptx: str, registers_per_block: int = 65536) -> bool:
    """Whether the kernels have no arrays in memory, and few enough registers even if all of the
    text are alive at the same time: then nothing of :func:`resources` is about memory."""
    return "\t.local " not in ptx and all(
        sum(_WIDTH_OF_KIND.get(kind, 1) * int(count) for kind, count in declared) + RESERVED
        <= entry.most_registers(registers_per_block)
        for entry in _entries(ptx)
        for declared in [re.findall(r"\.reg \.(\w+)\s+%\w+<(\d+)>", entry.body)]
    )


@dataclass(frozen=True)
class _Entry:
    """A kernel as PTX has it."""

    name: str
    directives: str
    body: str

    @property
    def threads(self) -> int | None:
        sizes = re.search(r"\.(?:reqntid|maxntid) ([\d, ]+)", self.directives)
        return None if sizes is None else math.prod(map(int, sizes[1].split(",")))

    def most_registers(self, registers_per_block: int) -> int:
        """What a thread can have."""
        most = MOST_REGISTERS
        if self.threads is not None:
            most = min(most, registers_per_block // max(self.threads, 1) // GRANULE * GRANULE)
        if limit := re.search(r"\.maxnreg (\d+)", self.directives):
            most = min(most, int(limit[1]))
        return max(most, GRANULE)


def _entries(ptx: str) -> list[_Entry]:
    kernels = re.finditer(r"\.entry (\S+?)\(.*?\)([^{]*)\n\{\n(.*?)\n\}\n", ptx, re.DOTALL)
    return [_Entry(*kernel.groups()) for kernel in kernels]


def _bytes(text: str, space: str) -> int:
    """The bytes of what is declared in a space, each at a multiple of its alignment."""
    total = 0
    declared = rf"^\s*\.{space}(?: \.align (\d+))? \.[a-z](\d+)\s+[\w$]+(?:\[(\d+)\])?;"
    for alignment, bits, count in re.findall(declared, text, re.MULTILINE):
        step = int(alignment or 1)
        total = -(-total // step) * step + int(bits) // 8 * int(count or 1)
    return total


def _global_shared(ptx: str, body: str) -> str:
    """The declarations outside of functions of shared memory that a kernel uses."""
    declared = re.findall(r"^(\.shared .*?([\w$]+)(?:\[\d+\])?;)$", ptx, re.MULTILINE)
    return "\n".join(line for line, name in declared if name in body)


# Liveness -------------------------------------------------------------------------------------

_REGISTER = re.compile(r"%(?:rd|rs|rq|fd|r|f|p|h)\d+\b")
_DEFINED = re.compile(r"\s*(\{[^}]*\}|%[a-z]+\d+(?:\|%p\d+)?)")
_WITHOUT_RESULT = ("st.", "bar.", "barrier.", "red.", "membar", "fence", "prefetch", "cp.", "bra")
_LOADS = ("ld.global", "ld.shared")
_ORDERED = ("st.", "bar.", "barrier.", "red.", "atom", "membar", "fence", "cp.", "bra", "call",
            "shfl", "vote")  # fmt: skip
"""What no load is moved in front of."""
_WIDTH_OF_KIND: Mapping[str, float] = {"b64": 2, "b128": 4, "pred": 0}
_WIDTHS: Mapping[str, float] = {"rd": 2, "fd": 2, "rq": 4, "p": 0, "rs": 0.5, "h": 0.5}


def _width(register: str) -> float:
    """How many 32-bit registers it is; two of 16 bits are one."""
    prefix = register[1:].rstrip("0123456789")
    return _WIDTHS.get(prefix, 1)


class _Liveness:
    """The instructions of a function, and which registers are alive between them."""

    def __init__(self, body: str) -> None:
        self.defined: list[frozenset[str]] = []
        self.used: list[frozenset[str]] = []
        self.next: list[list[int | str]] = []
        self.labels: dict[str, int] = {}
        self.loads: list[int] = []
        self.ordered: list[bool] = []
        """Whether an instruction keeps its place among loads."""
        begun = ""  # an instruction such as mma.sync goes over several lines
        for line in body.splitlines():
            text = begun + line.split("//")[0].strip()
            if match := re.match(r"(\$\w+):", text):
                self.labels[match[1]] = len(self.next)
            elif text and not text.startswith("."):
                is_whole = text.endswith((";", "{", "}"))
                begun = "" if is_whole else f"{text} "
                if is_whole:
                    self._add(text)

    def _add(self, text: str) -> None:
        number = len(self.next)
        guard = re.match(r"@!?(%p\d+)\s+(.*)", text)
        used: set[str] = set()
        if guard is not None:
            used.add(guard[1])
            text = guard[2]
        name, _, operands = text.partition(" ")
        name, _, rest = name.partition("\t")
        operands = rest + operands
        defined: set[str] = set()
        following: list[int | str] = [number + 1]
        if name.startswith("bra"):
            target = re.search(r"\$\w+", text)
            assert target is not None
            following = [target[0], *([number + 1] if guard is not None else [])]
        elif name.rstrip(";") in ("ret", "exit", "trap") and guard is None:
            following = []
        result = None if name.startswith(_WITHOUT_RESULT) else _DEFINED.match(operands)
        if result is None:
            used.update(_REGISTER.findall(operands))
        else:
            defined.update(_REGISTER.findall(result[1]))
            used.update(_REGISTER.findall(operands[result.end() :]))
            if guard is not None:  # the old value stays where the guard is false
                used |= defined
        if name.startswith(_LOADS) and guard is None:
            self.loads.append(number)
        self.ordered.append(guard is not None or name.startswith(_ORDERED))
        self.defined.append(frozenset(defined))
        self.used.append(frozenset(used))
        self.next.append(following)

    def registers(self) -> int:
        """The registers of 32 bits that the function takes."""
        sizes = self._sizes()
        most = round(max(sizes, default=0)) + RESERVED
        if most >= FREE_REGISTERS:
            return most
        early = [size + more for size, more in zip(sizes, self._loaded_early(), strict=True)]
        return max(most, min(round(max(early, default=0)) + RESERVED, FREE_REGISTERS))

    def _loaded_early(self) -> list[float]:
        """The registers at each place of loads that stand further down, and could begin before."""
        more = [0.0] * len(self.next)
        starts = set(self.labels.values())
        for load in self.loads:
            width = sum(map(_width, self.defined[load]))
            place = load - 1
            while (
                place >= 0
                and place + 1 not in starts
                and not self.ordered[place]
                and not self.defined[place] & self.used[load]
            ):
                more[place] += width
                place -= 1
        return more

    def _sizes(self) -> list[float]:
        """The registers of 32 bits that are alive behind each instruction."""
        count = len(self.next)
        following = [
            [n for entry in entries if (n := self.labels.get(str(entry), entry)) != count]
            for entries in self.next
        ]
        before: list[frozenset[str]] = [frozenset()] * (count + 1)
        changed = True
        while changed:
            changed = False
            for n in range(count - 1, -1, -1):
                after = self._after(before, following[n])
                alive = self.used[n] | (after - self.defined[n])
                if alive != before[n]:
                    before[n] = alive
                    changed = True
        return [
            sum(map(_width, self._after(before, following[n]) | self.defined[n]))
            for n in range(count)
        ]

    def _after(self, before: list[frozenset[str]], entries: list[int | str]) -> frozenset[str]:
        return frozenset[str]().union(*(before[n] for n in entries))  # pyright: ignore
