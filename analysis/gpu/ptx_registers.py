"""An estimate, from PTX, of the number of registers that the assembler assigns to a thread.

The estimate follows the outline of an assembler, on the code of :mod:`kc.analysis.gpu.ptx_code`:

- Short loops are unrolled.
- The instructions of each block are list-scheduled by critical path, as long as registers suffice.
Loads thus begin early, and independent sums are computed side by side.
- Registers that do not reduce occupancy (:func:`free_registers`) are used up. A kernel whose loops
are much slower with only these registers gets more.
- In a small kernel, each value goes into the lowest suitable register. A pair begins at an even
register, and operands of one instruction come from different banks: even and odd registers.

The constants and their calibration are described in docs/gpu.md; ``benchmarks/ptx_resources.py``
compares the numbers with the assembler's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from kc.analysis.gpu.ptx_code import Block, Code, Instruction

GRANULE = 8
"""The granularity in which the hardware allocates registers to a thread."""

MOST_REGISTERS = 255
"""The most registers of a thread on every GPU since sm_35 (CUDA C++ Programming Guide, Technical
Specifications).
"""

_RESIDENT: Mapping[int, tuple[int, int]] = {
    75: (1024, 16), 86: (1536, 16), 87: (1536, 16), 88: (1536, 16), 89: (1536, 24),
    120: (1536, 24), 121: (1536, 24),
}  # fmt: skip
"""The most resident threads and blocks of a multiprocessor, for the architectures where they are
not 2,048 and 32 (CUDA C++ Programming Guide, Technical Specifications).
"""


def free_registers(arch: int, threads: int | None) -> int:
    """The most registers of a thread with which a multiprocessor still holds as many blocks of
    ``threads`` threads as possible.
    """
    most_threads, most_blocks = _RESIDENT.get(arch, (2048, 32))
    block = -(-(threads or most_threads) // 32) * 32
    blocks = max(min(most_blocks, most_threads // block), 1)
    return min(65536 // (blocks * block) // GRANULE * GRANULE, MOST_REGISTERS)


OF_HARDWARE = 2
"""Registers that every kernel takes in addition to the registers of its code."""
STACK_POINTER, CONSTANT = 1, 3
"""Registers including the stack pointer and the factor of an index: an instruction has one operand
from the constant bank, which is the address here.
"""
TAKEN = 5
"""All reserved registers, including the one lost to the alignment of pairs."""
MOST_FREE = 64
"""The most registers that are used up because they do not reduce occupancy."""

WHOLE_COPIES, WHOLE_SIZE = 16, 600
"""The most iterations, and the most instructions in all, of a loop that is unrolled."""
SHORT_LOOP = 4
"""The most iterations of a loop that counts as short."""
COPIES, SIZE = 4, 70
"""The factor by which other loops are unrolled, and the most instructions that they may have."""
ALIVE_ROLLED = 40
"""The most live values of a loop that is unrolled."""
OF_LOOPS = 8
"""The assumed trip count of a loop with an unknown one, for the time estimate."""

MUCH_SLOWER, SLOWER = 1.7, 1.15
"""The slowdown of loops with only the free registers from which a kernel gets all registers of the
next step, or a few more.
"""
FEW_MORE = 5
AHEAD, AHEAD_IN_STEP, AHEAD_OF_PRODUCTS = 14, 23, 2
"""Registers for values in flight in kernels beyond the steps; fewer if matrix fragments come from
shared memory, as their products hide latency.
"""

_LOADED, _SHARED, _PRODUCT, _SPECIAL, _COMPUTED = 60, 25, 16, 20, 5
"""Latencies in cycles: of global and shared memory, tensor cores, special functions, and other
instructions. Other warps hide the rest of the latency of global memory.
"""
_NOT_UNROLLED = re.compile(r"bar|shfl|vote|atom|red|call|cp\.")


def estimated_registers(body: str, arch: int, sizes: Sequence[int] | None) -> tuple[int, int]:
    """The number of registers of a kernel, and the number of registers below which it spills.

    ``body`` is the text between its braces, ``arch`` the architecture number, ``sizes`` the thread
    block size (None if unknown).
    """
    threads = None if sizes is None else math.prod(sizes)
    return _Estimate(Code(body, arch, sizes)).registers(free_registers(arch, threads))


def registers_as_written(body: str, arch: int, sizes: Sequence[int] | None) -> int:
    """The number of registers with which a kernel does not spill if its instructions stay in text
    order. The arguments are those of :func:`estimated_registers`.
    """
    code = Code(body, arch, sizes)
    most = 0
    for block in code.blocks.values():
        alive = set(block.alive_after)
        for line in reversed(block.instructions):
            alive.update(line.defined)
            most = max(most, sum(map(code.width, alive)))
            alive.difference_update(line.defined)
            alive.update(line.used)
    return most + TAKEN


@dataclass(slots=True)
class _Graph:
    """The values and instructions of a block, including unrolled copies."""

    widths: list[int] = field(default_factory=list)
    """The number of registers of each value."""
    uses: list[int] = field(default_factory=list)
    """The number of uses of each value, plus one if it is live after the block."""
    live_in: list[int] = field(default_factory=list)
    """The values defined before the block."""
    code: list[Instruction] = field(default_factory=list)
    used: list[list[int]] = field(default_factory=list)
    defined: list[list[int]] = field(default_factory=list)
    after: list[list[int]] = field(default_factory=list)
    """The instructions that depend on each instruction."""
    waits: list[int] = field(default_factory=list)
    """The number of instructions on which each instruction depends."""
    latencies: list[int] = field(default_factory=list)
    urgency: list[int] = field(default_factory=list)
    """The critical path in cycles from the start of each instruction to the end of all instructions
    that depend on it.
    """
    can_wait: list[bool] = field(default_factory=list)
    """True for float computations, which do not start long before their use."""
    turns: list[int] = field(default_factory=list)
    """The order of issue if registers are scarce: text order, with addresses before their uses."""


@dataclass(frozen=True, slots=True)
class _Schedule:
    """The instructions of a block in the assembler's order."""

    order: list[int]
    most: int
    """The most registers of live values at a time."""
    time: int


class _Estimate:
    def __init__(self, code: Code) -> None:
        self.code = code
        self.blocks = list(code.blocks.values())
        self.has_loops = any(block.depth for block in self.blocks)
        self._graphs: dict[tuple[int, bool], _Graph] = {}

    def registers(self, free: int) -> tuple[int, int]:
        """The estimated number of registers if ``free`` registers cost no occupancy, and the
        minimum.
        """
        free = min(free, MOST_FREE)
        room = free - TAKEN
        most = self._most(room)
        least = min(self._most(0), most)  # text order is sometimes better
        if most < room - 1:
            dense = most + TAKEN
            named = self._named(room, free - OF_HARDWARE)
            taken = named + OF_HARDWARE
            if taken > free:  # some values are in less suitable registers
                taken = (dense + free) // 2
            return max(taken, dense - 1), least + TAKEN
        return self._filled(min(most, room), least, room) + TAKEN, least + TAKEN

    def _filled(self, most: int, least: int, room: int) -> int:
        """The registers of a kernel that could use more than the free registers."""
        step = (MOST_FREE if room < MOST_FREE - TAKEN else 2 * MOST_FREE) - TAKEN
        slower = self._time(room) / self._time(step) if self.has_loops else 1.0
        if least > room or slower > MUCH_SLOWER:
            step = self._filled_step(least, step)
            return min(self._most(step), step)
        if slower > SLOWER:
            return min(self._most(room + FEW_MORE), room + FEW_MORE)
        return most

    def _filled_step(self, least: int, step: int) -> int:
        """The registers used up if ``step`` is the next number that reduces occupancy."""
        code = self.code.instructions
        if any(line.is_product for line in code):
            copies = self.has_loops or any(line.name.startswith("cp.async") for line in code)
            return least + (AHEAD if copies else AHEAD_OF_PRODUCTS)
        return min(least + AHEAD_IN_STEP, step) if least <= step else least + AHEAD

    def _most(self, room: int) -> int:
        return max(_schedule(self._graph(block), room).most for block in self.blocks)

    def _time(self, room: int) -> int:
        """The cycles of the kernel without unrolling."""
        return sum(
            _schedule(self._graph(block, rolled=True), room).time * OF_LOOPS**block.depth
            for block in self.blocks
        )

    def _named(self, room: int, most: int) -> int:
        """The highest register number in use plus one."""
        graphs = [self._graph(block) for block in self.blocks]
        return max(_Allocation(graph, most).named(_schedule(graph, room).order) for graph in graphs)

    # The graph of a block

    def _graph(self, block: Block, *, rolled: bool = False) -> _Graph:
        copies = 1 if rolled else self._copies(block)
        key = block.number, copies == 1
        if key not in self._graphs:
            self._graphs[key] = self._build(block, copies)
        return self._graphs[key]

    def _copies(self, block: Block) -> int:
        if not block.repeats or len(block.alive_before) > ALIVE_ROLLED:
            return 1
        if any(_NOT_UNROLLED.match(line.name) for line in block.instructions):
            return 1
        count, size = _count(block), len(block.instructions)
        if count is not None and (
            count <= SHORT_LOOP or (count <= WHOLE_COPIES and count * size <= WHOLE_SIZE)
        ):
            return count
        return COPIES if size <= SIZE else 1

    def _build(self, block: Block, copies: int) -> _Graph:
        graph = _Graph()
        code = self.code
        values: dict[str, int] = {}
        producer: dict[int, int] = {}

        def value(register: str) -> int:
            graph.widths.append(code.width(register))
            graph.uses.append(0)
            return len(graph.widths) - 1

        for register in block.alive_before:
            values[register] = value(register)
            graph.live_in.append(values[register])
        memory = _Memory()
        for copy in range(copies):
            is_last = copy == copies - 1
            for line in block.instructions:
                if not is_last and (line.name.startswith("bra") or line.step is not None):
                    # addresses of copies differ by constants, which are encoded in the instructions
                    continue
                if line.defined and line.defined[0] in code.copies:
                    continue
                number = len(graph.code)
                used: list[int] = []
                for register in line.used:
                    if register not in values:
                        if not code.width(register):
                            continue
                        values[register] = value(register)
                        graph.live_in.append(values[register])
                    used.append(values[register])
                used = list(dict.fromkeys(used))
                awaited = {producer[v] for v in used if v in producer}
                awaited |= memory.awaited(number, line)
                defined: list[int] = []
                for register in line.defined:
                    values[register] = value(register)
                    producer[values[register]] = number
                    defined.append(values[register])
                for v in used:
                    graph.uses[v] += 1
                graph.code.append(line)
                graph.used.append(used)
                graph.defined.append(defined)
                graph.after.append([])
                graph.waits.append(len(awaited))
                for earlier in awaited:
                    graph.after[earlier].append(number)
                graph.latencies.append(_latency(line))
        for register in block.alive_after:
            if register in values:
                graph.uses[values[register]] += 1
        _order(graph)
        return graph


def _order(graph: _Graph) -> None:
    count = len(graph.code)
    is_data = [False] * count  # computed from loaded values, and therefore no index
    for number, line in enumerate(graph.code):
        if line.is_load or is_data[number] or not line.is_integer:
            for n in graph.after[number]:
                is_data[n] = True
    graph.urgency = [0] * count
    graph.turns = list(range(count))
    for number in range(count - 1, -1, -1):
        line, after = graph.code[number], graph.after[number]
        graph.urgency[number] = graph.latencies[number] + max(
            (graph.urgency[n] for n in after), default=0
        )
        if after and line.is_integer and not is_data[number]:
            graph.turns[number] = max(number, min(graph.turns[n] for n in after))
    graph.can_wait = [
        not (line.is_load or line.is_ordered or line.is_integer) for line in graph.code
    ]


def _latency(line: Instruction) -> int:
    name = line.name
    if name.startswith(("ld.shared", "ldmatrix", "shfl", "ld.param")):
        return _SHARED
    if name.startswith(("ld.", "atom")):
        return _LOADED
    if line.is_product:
        return _PRODUCT
    is_special = name.startswith(("ex2", "lg2", "sqrt", "rcp", "rsqrt", "sin", "cos", "div"))
    if is_special or (name.startswith("mov") and line.operands[-1].startswith("%tid")):
        return _SPECIAL
    return _COMPUTED


def _count(block: Block) -> int | None:
    """The trip count of a loop whose counter is compared with a constant; None if unknown."""
    steps = {line.operands[0]: abs(line.step) for line in block.instructions if line.step}
    for line in block.instructions:
        if line.name.startswith("setp."):
            _, counter, limit = line.operands[:3]
            if counter in steps and re.fullmatch(r"-?\d+", limit):
                return max(abs(int(limit)) // steps[counter], 1)
    return None


class _Memory:
    """Dependences between memory accesses."""

    def __init__(self) -> None:
        self.store: dict[str, int | None] = {"shared": None, "global": None}
        self.loads: dict[str, list[int]] = {"shared": [], "global": []}
        self.barrier: int | None = None
        self.all: list[int] = []
        """Accesses since the last barrier."""

    def awaited(self, number: int, line: Instruction) -> set[int]:
        """The earlier instructions on which an instruction depends through memory."""
        awaited: set[int | None] = set()
        if line.is_load:
            space = line.space or "global"
            awaited.add(self.barrier)
            if ".nc" not in line.name:
                awaited.add(self.store[space])
            self.loads[space].append(number)
        elif line.name.startswith("st."):
            space = line.space or "global"
            awaited.update((self.barrier, self.store[space], *self.loads[space]))
            self.loads[space] = []
            self.store[space] = number
        elif line.is_ordered:
            awaited.add(self.barrier)
            if not line.name.startswith(("shfl", "vote")):
                awaited.update(self.all)
                self.__init__()
                self.barrier = number
        elif line.name.startswith("bra"):
            awaited.update(self.all)
            return {n for n in awaited if n is not None}
        else:
            return set()
        self.all.append(number)
        return {n for n in awaited if n is not None}


PATIENCE = 5
"""Slack in cycles, relative to the most urgent instruction, from which an instruction that needs a
register is postponed. An earlier start would gain nothing.
"""
LOOKED_AT = 24
"""The number of ready instructions searched for an instruction that needs no additional
register.
"""


def _schedule(graph: _Graph, room: int) -> _Schedule:
    """Issue one instruction a cycle: the most urgent ready instruction whose results fit into
    ``room`` registers; if none fits, the next instruction in order.
    """
    widths, used, defined = graph.widths, graph.used, graph.defined
    left, waits = list(graph.uses), list(graph.waits)
    alive = most = sum(widths[v] for v in graph.live_in if left[v])
    ready = [(-graph.urgency[n], n) for n, count in enumerate(waits) if not count]
    heapify(ready)
    waiting: list[tuple[int, int]] = []
    known_at = [0] * len(waits)  # the cycle in which the operands of each are available
    order: list[int] = []
    time = 0
    while len(order) < len(waits):
        while waiting and waiting[0][0] <= time:
            _, n = heappop(waiting)
            heappush(ready, (-graph.urgency[n], n))
        chosen = -1
        skipped: list[tuple[int, int]] = []
        while ready and len(skipped) <= LOOKED_AT:
            entry = heappop(ready)
            n = entry[1]
            change = sum(widths[v] for v in defined[n])
            for v in used[n]:
                if left[v] == 1:
                    change -= widths[v]
            if change <= 0 or (
                alive + change <= room and not (graph.can_wait[n] and _is_early(graph, n, waiting))
            ):
                chosen = n
                break
            skipped.append(entry)
        if chosen < 0 and waiting:
            for entry in skipped:
                heappush(ready, entry)
            time = waiting[0][0]
            continue
        if chosen < 0:
            ready += skipped
            entry = min(ready, key=lambda entry: (graph.turns[entry[1]], entry[1]))
            ready.remove(entry)
            heapify(ready)
            chosen = entry[1]
        else:
            for entry in skipped:
                heappush(ready, entry)
        order.append(chosen)
        for v in used[chosen]:
            left[v] -= 1
            if not left[v]:
                alive -= widths[v]
        for v in defined[chosen]:
            alive += widths[v]
        most = max(most, alive)
        for v in defined[chosen]:
            if not left[v]:
                alive -= widths[v]
        done = time + graph.latencies[chosen]
        time += 1
        for n in graph.after[chosen]:
            waits[n] -= 1
            known_at[n] = max(known_at[n], done)
            if not waits[n]:
                heappush(waiting, (known_at[n], n))
    return _Schedule(order, most, time)


def _is_early(graph: _Graph, number: int, waiting: list[tuple[int, int]]) -> bool:
    return any(graph.urgency[n] > graph.urgency[number] + PATIENCE for _, n in waiting)


# Register allocation --------------------------------------------------------------------------


class _Allocation:
    """The lowest suitable register for each value of a block, in the order of its instructions."""

    def __init__(self, graph: _Graph, most: int) -> None:
        self.graph, self.most = graph, most
        self.occupied = bytearray(2 * most + 600)
        self.occupied[STACK_POINTER] = 1
        self.last = STACK_POINTER
        if any(line.name.startswith("m") and line.is_integer for line in graph.code):
            self.occupied[CONSTANT] = 1  # reserved for moves and products of integers
            self.last = CONSTANT
        self.places: dict[int, tuple[int, int]] = {}
        self.banks = _Banks()

    def named(self, order: Sequence[int]) -> int:
        """The highest register number in use plus one."""
        graph = self.graph
        self._assign_banks(order)
        left = list(graph.uses)
        for v in graph.live_in:
            if left[v]:
                self._place(v)
        for n in order:
            for v in graph.used[n]:
                left[v] -= 1
                if not left[v]:
                    self._free(v)
            defined = graph.defined[n]
            if graph.code[n].is_load and len(defined) > 1 and _are_single(graph, defined):
                self._place_vector(defined)
            else:
                for v in defined:
                    self._place(v)
            for v in defined:
                if not left[v]:
                    self._free(v)
        return self.last + 1

    def _assign_banks(self, order: Sequence[int]) -> None:
        """Assign banks. Data stored with an address goes into odd registers, since addresses begin
        at even registers. Operands of one instruction go into different banks if one of them was
        loaded for this use alone. A sum stays in the register of its first term.
        """
        graph, banks = self.graph, self.banks
        left = list(graph.uses)
        loaded = {v for n in order if graph.code[n].is_load for v in graph.defined[n]}
        for n in order:
            line = graph.code[n]
            for v in graph.used[n]:
                left[v] -= 1
            single = [v for v in graph.used[n] if graph.widths[v] == 1]
            if line.name.startswith("st."):
                if len(graph.used[n]) > 1:
                    is_address = line.space == "shared" and len(single) > 1
                    for v in single[1:] if is_address else single:
                        banks.join(_Banks.ODD, v, differ=False)
            elif len(single) > 1 and not (line.is_load or line.is_ordered):
                first, second = single[:2]
                if any(graph.uses[v] == 1 and v in loaded for v in (first, second)):
                    banks.join(first, second, differ=True)
                dying = [v for v in single if not left[v]]
                if dying and _are_single(graph, graph.defined[n][:1]) and graph.defined[n]:
                    banks.join(graph.defined[n][0], dying[0], differ=False)

    def _place(self, v: int) -> None:
        width = self.graph.widths[v]
        if width > 1:
            self._take(v, self._lowest(width))
        elif width == 1:
            bank = self.banks.of(v)
            register = self._lowest_single(0 if bank is None else bank, 1 if bank is None else 2)
            if register > self.most - 1:
                register = self._lowest_single(0, 1)
            self.banks.settle(v, register & 1)
            self._take(v, register)

    def _place_vector(self, values: Sequence[int]) -> None:
        start = self._lowest(len(values))
        for place, v in enumerate(values):
            self._take(v, start + place)

    def _lowest(self, width: int) -> int:
        step = 2 if width == 2 else 4
        start = 0
        while any(self.occupied[start : start + width]):
            start += step
        return start

    def _lowest_single(self, start: int, step: int) -> int:
        while self.occupied[start]:
            start += step
        return start

    def _take(self, v: int, start: int) -> None:
        width = self.graph.widths[v]
        self.places[v] = start, width
        self.occupied[start : start + width] = b"\1" * width
        self.last = max(self.last, start + width - 1)

    def _free(self, v: int) -> None:
        if v in self.places:
            start, width = self.places.pop(v)
            self.occupied[start : start + width] = bytes(width)


def _are_single(graph: _Graph, values: Sequence[int]) -> bool:
    return all(graph.widths[v] == 1 for v in values)


class _Banks:
    """Constraints that values are in the same register bank or in different banks."""

    ODD = -1
    """A representative of the odd bank."""

    def __init__(self) -> None:
        self.parents: dict[int, tuple[int, int]] = {}
        """The parent of each value in the union-find forest, and 1 if the parent is in the other
        bank.
        """
        self.settled: dict[int, int] = {_Banks.ODD: 1}

    def _root(self, v: int) -> tuple[int, int]:
        differs = 0
        while v in self.parents:
            v, more = self.parents[v]
            differs ^= more
        return v, differs

    def join(self, first: int, second: int, *, differ: bool) -> None:
        """Require two values to be in different banks (``differ``) or in the same bank. Earlier
        constraints take precedence.
        """
        one_root, one_differs = self._root(first)
        root, differs = self._root(second)
        if root == one_root:
            return
        if root == _Banks.ODD or (one_root != _Banks.ODD and root < one_root):
            one_root, root = root, one_root
        self.parents[root] = one_root, one_differs ^ differs ^ differ

    def of(self, v: int) -> int | None:
        """The bank of a value if the constraints determine it, else None."""
        root, differs = self._root(v)
        return self.settled[root] ^ differs if root in self.settled else None

    def settle(self, v: int, bank: int) -> None:
        """Fix the bank of a value."""
        root, differs = self._root(v)
        self.settled.setdefault(root, bank ^ differs)
