"""What a kernel takes of a multiprocessor, read off its PTX: registers, shared and local memory.

PTX has as many registers as it likes; which values are alive at one place says how many of the
GPU's the kernel needs. Liveness is the usual data flow over the instructions, backwards until
nothing changes. A value of 64 bits is two registers of 32, unless its upper half is known to be
zero, or nobody asks for it: addresses in shared memory have 32 bits. Predicates have registers of
their own.

The assembler changes the order of the instructions and unrolls loops. As long as registers cost no
threads (:func:`free_registers`), all loads begin as early as they can; beyond, the next ones are
under way while the last ones are computed with. The estimate is thus near the assembler's number
and no more; ``benchmarks/ptx_resources.py`` compares the two. Memory is exact.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
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

_RESIDENT: Mapping[int, tuple[int, int]] = {
    75: (1024, 16), 86: (1536, 16), 87: (1536, 16), 88: (1536, 16), 89: (1536, 24),
    120: (1536, 24), 121: (1536, 24),
}  # fmt: skip
"""The threads and the blocks that a multiprocessor has at a time at most, where these are not
2,048 and 32 (CUDA C++ Programming Guide, Technical Specifications)."""


def free_registers(arch: int, threads: int | None) -> int:
    """The registers of a thread with which a multiprocessor has as many blocks as it can, of so
    many ``threads``."""
    most_threads, most_blocks = _RESIDENT.get(arch, (2048, 32))
    block = -(-(threads or most_threads) // 32) * 32
    blocks = max(min(most_blocks, most_threads // block), 1)
    return min(65536 // (blocks * block) // GRANULE * GRANULE, MOST_REGISTERS)


LOADED_AHEAD = 16
"""The registers that loads of later iterations fill while one is computed, at least: by what CUDA
13.0 makes of products whose loops are not unrolled."""


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
    target = re.search(r"^\.target sm_(\d+)", ptx, re.MULTILINE)
    arch = 80 if target is None else int(target[1])
    return [
        KernelResources(
            entry.name,
            entry.threads,
            entry.most_registers(registers_per_block),
            _Liveness(entry.body).registers(free_registers(arch, entry.threads)),
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


_SHARED_ADDRESS = re.compile(
    r"(ld|st|atom|red)\.(volatile\.)?shared|cp\.async\.c[ag]\.shared|(ld|st)matrix|mbarrier"
)
"""What takes an address in shared memory as its first one."""
_LOW_HALVES = ("add.s64", "sub.s64", "or.b64", "and.b64", "xor.b64", "shl.b64", "mul.lo.s64",
               "mad.lo.s64", "mov.b64", "mov.u64", "selp.b64", "selp.u64")  # fmt: skip
"""What has the lower half of its result from the lower halves of its operands."""
_NOT_UNROLLED = re.compile(r"bar|shfl|vote|atom|red|call|cp\.")
_COMPUTES = re.compile(r"(fma|mul|add|sub|max|min)\.(rn\.)?(ftz\.)?(NaN\.)?f|w?mma")
_COUNT_OF_A_LOOP = 1000
"""How often a loop goes round where the text does not say it."""


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
        self.names: list[str] = []
        self.operands: list[list[str]] = []
        self.guards: list[str | None] = []
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
        self.defined_at: dict[str, list[int]] = {}
        for number, registers in enumerate(self.defined):
            for register in registers:
                self.defined_at.setdefault(register, []).append(number)
        self.narrow: set[str] = set()
        """The values of 64 bits that are taken to be one register."""
        self.after: list[list[int]] = [
            [n for n in map(self._place, entries) if n != len(self.next)] for entries in self.next
        ]

    def _place(self, entry: int | str) -> int:
        return self.labels[entry] if isinstance(entry, str) else entry

    def width(self, register: str) -> float:
        """How many registers of 32 bits it takes."""
        return 1 if register in self.narrow else _width(register)

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
        self.names.append(name)
        parts = re.split(r",(?![^{\[]*[}\]])", operands.rstrip(";"))
        self.operands.append([part.strip() for part in parts])
        self.guards.append(None if guard is None else guard[1])
        self.ordered.append(guard is not None or name.startswith(_ORDERED))
        self.defined.append(frozenset(defined))
        self.used.append(frozenset(used))
        self.next.append(following)

    # The halves of values of 64 bits

    def _without_upper_half(self) -> set[str]:
        """The values of 64 bits that take one register."""
        asked = self._asked_upper_halves()
        bounds = self._bounds()
        return {
            register
            for register in self.defined_at
            if register.startswith("%rd")
            and (register not in asked or bounds.get(register, 1 << 64) < 1 << 32)
        }

    def _asked_upper_halves(self) -> set[str]:
        asked: set[str] = set()
        uses: list[tuple[str, str | None]] = []
        for n, (name, operands) in enumerate(zip(self.names, self.operands, strict=True)):
            for place, operand in enumerate(operands):
                for register in _REGISTER.findall(operand):
                    if not register.startswith("%rd"):
                        continue
                    if place == 0 and register in self.defined[n] and "[" not in operand:
                        continue  # the result
                    if self._takes_low_half(name, operand, place):
                        continue
                    if name in _LOW_HALVES:
                        uses.append((register, operands[0]))
                    else:
                        asked.add(register)
        changed = True
        while changed:
            known = len(asked)
            asked.update(register for register, result in uses if result in asked)
            changed = len(asked) > known
        return asked

    @staticmethod
    def _takes_low_half(name: str, operand: str, place: int) -> bool:
        if operand.startswith("["):
            is_first = place == 0 or not name.startswith("cp")
            return is_first and _SHARED_ADDRESS.match(name) is not None
        return name.startswith(("cvt.u32.u64", "cvt.u16.u64")) or (name == "shl.b64" and place == 2)

    def _bounds(self) -> dict[str, int]:
        """What values are not larger than, of those that one instruction defines."""
        bounds: dict[str, int] = {}

        def of(operand: str) -> int:
            if operand.isdigit():
                return int(operand)
            return bounds.get(operand, 1 << 64 if operand.startswith(("%rd", "-")) else 1 << 32)

        for name, operands, guard in zip(self.names, self.operands, self.guards, strict=True):
            result, *given = operands
            if guard is not None or len(self.defined_at.get(result, ())) != 1:
                continue
            kind = name.partition(".")[0]
            if kind == "mov" and given[0].startswith("%tid"):
                bounds[result] = 1023
            elif name.startswith("cvt.u64.u"):
                bounds[result] = min(of(given[0]), (1 << 32) - 1)
            elif name.startswith("mul.wide.u"):
                bounds[result] = of(given[0]) * of(given[1])
            elif kind == "shl" and given[1].isdigit():
                bounds[result] = of(given[0]) << int(given[1])
            elif name.startswith("shr.u") and given[1].isdigit():
                bounds[result] = of(given[0]) >> int(given[1])
            elif kind == "and":
                bounds[result] = min(map(of, given))
            elif kind == "or":
                bounds[result] = (1 << max(map(of, given)).bit_length()) - 1
            elif kind == "add":
                bounds[result] = of(given[0]) + of(given[1])
        return bounds

    # What is alive

    def registers(self, free: int) -> int:
        """The registers of 32 bits that the function takes, where ``free`` ones cost nothing."""
        self.narrow = self._without_upper_half()
        sizes = self._sizes()
        needed = round(max(sizes, default=0)) + RESERVED
        if needed >= free:
            ahead = [size + more for size, more in zip(sizes, self._loaded_ahead(), strict=True)]
            repeated = [
                most + min(loaded * (count - 1), max(loaded, LOADED_AHEAD))
                for most, loaded, count in self._loops_of_loads(sizes)
            ]
            return max(needed, round(max([*ahead, *repeated], default=0)) + RESERVED)
        # Addresses are computed early, too, and whole.
        self.narrow = set()
        sizes = self._sizes()
        early = [size + more for size, more in zip(sizes, self._loaded_early(), strict=True)]
        unrolled = [
            most + loaded * (count - 1) for most, loaded, count in self._loops_of_loads(sizes)
        ]
        wanted = round(max([*early, *unrolled], default=0)) + RESERVED
        return max(needed, min(wanted, free))

    def _loaded_ahead(self) -> list[float]:
        """The registers at each place that computes with numbers, of the next loads behind it: they
        are under way while it is done."""
        ahead = [0.0] * len(self.next)
        starts = set(self.labels.values())
        loads = set(self.loads)
        loaded = next_loads = 0.0
        for n in range(len(self.next) - 1, -1, -1):
            if n + 1 in starts or self.names[n].startswith(("bar", "shfl", "atom", "call")):
                loaded = next_loads = 0.0
            elif n in loads:
                loaded += sum(map(self.width, self.defined[n]))
            elif _COMPUTES.match(self.names[n]):
                if loaded:
                    next_loads, loaded = loaded, 0.0
                ahead[n] = next_loads
        return ahead

    def _loaded_early(self) -> list[float]:
        """The registers at each place of loads that stand further down, and could begin before."""
        more = [0.0] * len(self.next)
        starts = set(self.labels.values())
        for load in self.loads:
            width = sum(map(self.width, self.defined[load]))
            place = load - 1
            while (
                place >= 0
                and place + 1 not in starts
                and self._may_pass(load, place)
                and not self.defined[place] & self.used[load]
            ):
                more[place] += width
                place -= 1
        return more

    def _may_pass(self, load: int, place: int) -> bool:
        """Whether a load can come before what stands at ``place``."""
        if not self.ordered[place]:
            return True
        if self.guards[place] is not None or not self.names[place].startswith("st."):
            return False
        is_constant = ".nc" in self.names[load]
        return is_constant or ("shared" in self.names[load]) != ("shared" in self.names[place])

    def _loops_of_loads(self, sizes: list[float]) -> Iterator[tuple[float, float, int]]:
        """The registers of innermost loops, those that an iteration loads, and how many there
        are."""
        for body in self._innermost_loops():
            if any(_NOT_UNROLLED.match(self.names[n]) for n in body):
                continue
            width = sum(sum(map(self.width, self.defined[n])) for n in self.loads if n in body)
            if width:
                yield max(sizes[n] for n in body), width, self._count(body)

    def _innermost_loops(self) -> list[set[int]]:
        """The instructions of loops that hold no other: all that lead to a jump back, from where
        it leads to."""
        before: list[list[int]] = [[] for _ in self.next]
        for n, following in enumerate(self.after):
            for place in following:
                before[place].append(n)
        loops: list[tuple[int, set[int]]] = []
        for end, start in self._jumps_back():
            body, open_ = {start}, [end]
            while open_:
                n = open_.pop()
                if n not in body:
                    body.add(n)
                    open_ += before[n]
            loops.append((start, body))
        starts = {start for start, _ in loops}
        return [body for start, body in loops if not (starts - {start}) & body]

    def _jumps_back(self) -> list[tuple[int, int]]:
        jumps: list[tuple[int, int]] = []
        if not self.next:
            return jumps
        path, seen = {0}, {0}
        stack = [(0, iter(self.after[0]))]
        while stack:
            n, following = stack[-1]
            place = next(following, None)
            if place is None:
                path.discard(n)
                stack.pop()
            elif place in path:
                jumps.append((n, place))
            elif place not in seen:
                path.add(place)
                seen.add(place)
                stack.append((place, iter(self.after[place])))
        return jumps

    def _count(self, body: set[int]) -> int:
        """How often a loop goes round, by what its counter is compared with."""
        steps = {
            self.operands[n][0]: abs(int(self.operands[n][2]))
            for n in body
            if self.names[n].startswith("add.s") and re.fullmatch(r"-?\d+", self.operands[n][2])
        }
        for n in body:
            if self.names[n].startswith("setp."):
                _, value, limit = self.operands[n][:3]
                if steps.get(value) and re.fullmatch(r"-?\d+", limit):
                    return max(abs(int(limit)) // steps[value], 1)
        return _COUNT_OF_A_LOOP

    def _sizes(self) -> list[float]:
        """The registers of 32 bits that are alive behind each instruction."""
        count = len(self.next)
        before: list[frozenset[str]] = [frozenset()] * (count + 1)
        changed = True
        while changed:
            changed = False
            for n in range(count - 1, -1, -1):
                after = self._after(before, n)
                alive = self.used[n] | (after - self.defined[n])
                if alive != before[n]:
                    before[n] = alive
                    changed = True
        return [
            sum(map(self.width, self._after(before, n) | self.defined[n])) for n in range(count)
        ]

    def _after(self, before: list[frozenset[str]], n: int) -> frozenset[str]:
        return frozenset[str]().union(*(before[place] for place in self.after[n]))
