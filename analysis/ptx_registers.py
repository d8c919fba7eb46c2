"""How many registers the assembler gives a thread of a kernel: an estimate from its PTX.

The estimate does what an assembler does, in outline, with the code of :mod:`kc.analysis.ptx_code`:

- Short loops are unrolled.
- The instructions of each block are scheduled as a list, those first whose results are needed the
  longest, while the registers suffice. Loads thus begin early, and independent sums are computed
  side by side.
- Registers that cost no threads (:func:`free_registers`) are filled. A kernel whose loops take much
  longer with these takes more.
- In a kernel that needs few, each value goes into the lowest register that suits it. A pair begins
  at an even one, and operands of one instruction come from different banks: even and odd ones.

The constants and what they were chosen by are in docs/gpu.md; ``benchmarks/ptx_resources.py``
compares the numbers with the assembler's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from kc.analysis.ptx_code import Block, Code, Instruction

GRANULE = 8
"""The hardware gives registers to a thread by so many."""

MOST_REGISTERS = 255
"""That a thread has, on every GPU since sm_35 (CUDA C++ Programming Guide, Technical
Specifications)."""

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


OF_HARDWARE = 2
"""Registers that every kernel takes beyond those that its code names."""
STACK_POINTER, CONSTANT = 1, 3
"""Registers with the pointer to the stack, and with what multiplies an index: an instruction has
one operand from the constant bank, and that is the address."""
TAKEN = 5
"""All of these, and the one that pairs leave over."""
MOST_FREE = 64
"""Of registers that cost no threads, so many are filled."""

WHOLE_COPIES, WHOLE_SIZE = 16, 600
"""A loop that repeats at most so often, with so many instructions in all, is unrolled."""
SHORT_LOOP = 4
"""And one that repeats at most so often."""
COPIES, SIZE = 4, 70
"""Others are unrolled by so much if they have at most so many instructions."""
ALIVE_ROLLED = 40
"""A loop with more values alive stays as it is."""
OF_LOOPS = 8
"""How often a loop repeats whose count is not known, for the time that it takes."""

MUCH_SLOWER, SLOWER = 1.7, 1.15
"""How much longer loops take with the free registers for a kernel to take all of the next step, or
a few more."""
FEW_MORE = 5
AHEAD, AHEAD_IN_STEP, AHEAD_OF_PRODUCTS = 14, 23, 2
"""Registers for what is under way, in kernels that need more than the steps; less where fragments
of matrices come from shared memory, whose products take their time."""

_LOADED, _SHARED, _PRODUCT, _SPECIAL, _COMPUTED = 60, 25, 16, 20, 5
"""Cycles until results can be used: of global and shared memory, of tensor cores, of the unit for
special functions, and of others. Other warps hide what global memory takes longer."""
_NOT_UNROLLED = re.compile(r"bar|shfl|vote|atom|red|call|cp\.")


def estimated_registers(body: str, arch: int, sizes: Sequence[int] | None) -> tuple[int, int]:
    """The registers of a kernel, and those without which it keeps values in memory.

    ``body`` is the text between its braces, ``arch`` the number of the architecture, ``sizes`` are
    those of a block of threads, if they are known.
    """
    threads = None if sizes is None else math.prod(sizes)
    return _Estimate(Code(body, arch, sizes)).registers(free_registers(arch, threads))


def registers_as_written(body: str, arch: int, sizes: Sequence[int] | None) -> int:
    """The registers of a kernel whose instructions stay in the order of the text: with so many, it
    keeps no values in memory. The arguments are those of :func:`estimated_registers`."""
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
    """The values and instructions of a block, copies of a loop included."""

    widths: list[int] = field(default_factory=list)
    """Of each value."""
    uses: list[int] = field(default_factory=list)
    """How many instructions use it; one more if it is alive behind the block."""
    given: list[int] = field(default_factory=list)
    """The values from before the block."""
    code: list[Instruction] = field(default_factory=list)
    used: list[list[int]] = field(default_factory=list)
    defined: list[list[int]] = field(default_factory=list)
    after: list[list[int]] = field(default_factory=list)
    """The instructions that wait for each."""
    waits: list[int] = field(default_factory=list)
    """How many others each waits for."""
    latencies: list[int] = field(default_factory=list)
    urgency: list[int] = field(default_factory=list)
    """Cycles from the start of each to the end of all that waits for it."""
    can_wait: list[bool] = field(default_factory=list)
    """Whether it computes floats: they are not begun long before they are needed."""
    turns: list[int] = field(default_factory=list)
    """The order in which they are begun where registers are scarce: as in the text, addresses
    before what needs them."""


@dataclass(frozen=True, slots=True)
class _Schedule:
    """The instructions of a block in the order of an assembler."""

    order: list[int]
    most: int
    """Registers of the values that are alive at a time."""
    time: int


class _Estimate:
    def __init__(self, code: Code) -> None:
        self.code = code
        self.blocks = list(code.blocks.values())
        self.has_loops = any(block.depth for block in self.blocks)
        self._graphs: dict[tuple[int, bool], _Graph] = {}

    def registers(self, free: int) -> tuple[int, int]:
        """The estimate, where ``free`` registers cost no threads, and the least that suffice."""
        free = min(free, MOST_FREE)
        room = free - TAKEN
        most = self._most(room)
        least = min(self._most(0), most)  # the order of the text is not always the better one
        if most < room - 1:
            dense = most + TAKEN
            named = self._named(room, free - OF_HARDWARE)
            taken = named + OF_HARDWARE
            if taken > free:  # some values are where they suit less
                taken = (dense + free) // 2
            return max(taken, dense - 1), least + TAKEN
        return self._filled(min(most, room), least, room) + TAKEN, least + TAKEN

    def _filled(self, most: int, least: int, room: int) -> int:
        """The registers of a kernel that could use more than the free ones."""
        step = (MOST_FREE if room < MOST_FREE - TAKEN else 2 * MOST_FREE) - TAKEN
        slower = self._time(room) / self._time(step) if self.has_loops else 1.0
        if least > room or slower > MUCH_SLOWER:
            step = self._filled_step(least, step)
            return min(self._most(step), step)
        if slower > SLOWER:
            return min(self._most(room + FEW_MORE), room + FEW_MORE)
        return most

    def _filled_step(self, least: int, step: int) -> int:
        """How many registers are filled where ``step`` is the next number that costs threads."""
        code = self.code.instructions
        if any(line.is_product for line in code):
            copies = self.has_loops or any(line.name.startswith("cp.async") for line in code)
            return least + (AHEAD if copies else AHEAD_OF_PRODUCTS)
        return min(least + AHEAD_IN_STEP, step) if least <= step else least + AHEAD

    def _most(self, room: int) -> int:
        return max(_schedule(self._graph(block), room).most for block in self.blocks)

    def _time(self, room: int) -> int:
        """The cycles that the kernel takes, loops not unrolled."""
        return sum(
            _schedule(self._graph(block, rolled=True), room).time * OF_LOOPS**block.depth
            for block in self.blocks
        )

    def _named(self, room: int, most: int) -> int:
        """The registers up to the last that has a name in the code."""
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
            graph.given.append(values[register])
        memory = _Memory()
        for copy in range(copies):
            is_last = copy == copies - 1
            for line in block.instructions:
                if not is_last and (line.name.startswith("bra") or line.step is not None):
                    continue  # addresses of copies differ by constants, in the instructions
                if line.defined and line.defined[0] in code.copies:
                    continue
                number = len(graph.code)
                used: list[int] = []
                for register in line.used:
                    if register not in values:
                        if not code.width(register):
                            continue
                        values[register] = value(register)
                        graph.given.append(values[register])
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
    is_data = [False] * count  # computed from what was loaded, and so no index
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
    """How often a loop goes round, if its counter is compared with a constant."""
    steps = {line.operands[0]: abs(line.step) for line in block.instructions if line.step}
    for line in block.instructions:
        if line.name.startswith("setp."):
            _, counter, limit = line.operands[:3]
            if counter in steps and re.fullmatch(r"-?\d+", limit):
                return max(abs(int(limit)) // steps[counter], 1)
    return None


class _Memory:
    """Which accesses to memory wait for which."""

    def __init__(self) -> None:
        self.store: dict[str, int | None] = {"shared": None, "global": None}
        self.loads: dict[str, list[int]] = {"shared": [], "global": []}
        self.barrier: int | None = None
        self.all: list[int] = []
        """Accesses since the last barrier."""

    def awaited(self, number: int, line: Instruction) -> set[int]:
        """What an instruction waits for, of those before it."""
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
"""Cycles behind the most urgent from which on an instruction is left for later, if its result takes
a register: nothing is won by it."""
LOOKED_AT = 24
"""Instructions that are ready among which one is looked for that needs no more registers."""


def _schedule(graph: _Graph, room: int) -> _Schedule:
    """Begin one instruction a cycle: the most urgent of those that are ready, as long as ``room``
    has the registers for its results; without any, the next in turn."""
    widths, used, defined = graph.widths, graph.used, graph.defined
    left, waits = list(graph.uses), list(graph.waits)
    alive = most = sum(widths[v] for v in graph.given if left[v])
    ready = [(-graph.urgency[n], n) for n, count in enumerate(waits) if not count]
    heapify(ready)
    waiting: list[tuple[int, int]] = []
    known_at = [0] * len(waits)  # when the operands of each are there
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


# Which register each value is in ---------------------------------------------------------------


class _Allocation:
    """The lowest register for each value of a block, by the order of its instructions."""

    def __init__(self, graph: _Graph, most: int) -> None:
        self.graph, self.most = graph, most
        self.occupied = bytearray(2 * most + 600)
        self.occupied[STACK_POINTER] = 1
        self.last = STACK_POINTER
        if any(line.name.startswith("m") and line.is_integer for line in graph.code):
            self.occupied[CONSTANT] = 1  # moves and products of integers
            self.last = CONSTANT
        self.places: dict[int, tuple[int, int]] = {}
        self.banks = _Banks()

    def named(self, order: Sequence[int]) -> int:
        """How many registers there are up to the last that is taken."""
        graph = self.graph
        self._assign_banks(order)
        left = list(graph.uses)
        for v in graph.given:
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
        """What is stored with an address is in odd registers, since addresses begin at even ones;
        operands of one instruction are in different banks where one was loaded for it alone; and
        a sum stays where its first term was."""
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
    """Which values are in the same bank of registers, and which in the other one."""

    ODD = -1
    """Stands for what is in odd registers."""

    def __init__(self) -> None:
        self.parents: dict[int, tuple[int, int]] = {}
        """Another value, and whether it is in the other bank."""
        self.settled: dict[int, int] = {_Banks.ODD: 1}

    def _root(self, v: int) -> tuple[int, int]:
        differs = 0
        while v in self.parents:
            v, more = self.parents[v]
            differs ^= more
        return v, differs

    def join(self, first: int, second: int, *, differ: bool) -> None:
        """Say that values are in the same bank, or not; what was said before stays."""
        one_root, one_differs = self._root(first)
        root, differs = self._root(second)
        if root == one_root:
            return
        if root == _Banks.ODD or (one_root != _Banks.ODD and root < one_root):
            one_root, root = root, one_root
        self.parents[root] = one_root, one_differs ^ differs ^ differ

    def of(self, v: int) -> int | None:
        """The bank of a value, if it follows from another one's."""
        root, differs = self._root(v)
        return self.settled[root] ^ differs if root in self.settled else None

    def settle(self, v: int, bank: int) -> None:
        """Say which bank a value is in."""
        root, differs = self._root(v)
        self.settled.setdefault(root, bank ^ differs)
