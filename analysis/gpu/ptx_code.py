"""The PTX code of a kernel: instructions, basic blocks, and the hardware registers of values.

PTX has an unlimited number of registers. On the GPU, a value needs no vector register if it is a
constant, a parameter (an operand from the constant bank), or uniform in a warp and computed by an
operation of the uniform data path (``uniform registers``, since sm_75). A 64-bit value takes two
32-bit registers, unless its upper half is known to be zero or never used: addresses in shared
memory have 32 bits. Predicates have separate registers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

_REGISTER = re.compile(r"%(?:rd|rs|rq|fd|r|f|p|h)\d+\b")
_DEFINED = re.compile(r"\s*(\{[^}]*\}|%[a-z]+\d+(?:\|%p\d+)?)")
_WITHOUT_RESULT = ("st.", "bar.", "barrier.", "red.", "membar", "fence", "prefetch", "cp.", "bra")
_ORDERED = ("st.", "bar.", "barrier.", "red.", "atom", "membar", "fence", "cp.", "call", "shfl",
            "vote", "wgmma")  # fmt: skip
"""Instructions that are not moved before earlier instructions."""
_WIDTHS: Mapping[str, int] = {"rd": 2, "fd": 2, "rq": 4, "p": 0}
_SHARED_ADDRESS = re.compile(
    r"(ld|st|atom|red)\.(volatile\.)?shared|cp\.async\.c[ag]\.shared|(ld|st)matrix|mbarrier"
)
"""Instructions whose first operand is an address in shared memory."""
_LOW_HALVES = ("add.s64", "sub.s64", "or.b64", "and.b64", "xor.b64", "shl.b64", "mul.lo.s64",
               "mad.lo.s64", "mov.b64", "mov.u64", "selp.b64", "selp.u64")  # fmt: skip
"""Instructions whose lower result half depends only on the lower halves of the operands."""
_UNIFORM = re.compile(
    r"(add|sub|mul|mad|shl|shr|and|or|xor|not|neg|setp|selp|mov|cvt|min|max|cvta|prmt|bfe|bfi|abs|"
    r"shf|lop3|div|rem|popc|clz|ld\.param)\b"
)
"""Integer operations of the uniform data path (approximately)."""
_FLOAT = re.compile(r"\.(f16|f32|f64|bf16|f16x2|bf16x2)\b|\.rn|\.rm\b|ex2|lg2|sqrt|rcp")
_OF_A_THREAD = re.compile(r"%tid\.([xyz])|%(?:laneid|warpid|clock|lanemask)")
_RENAMES = ("mov", "cvta", "cvt.u64.u32", "cvt.u32.u64")
MOST_PREDICATED = 12
"""The most instructions of a branch that is predicated instead of jumped over."""
MOST_PREDICATED_UNIFORM = 4
"""The same limit if all threads take the same branch, where a jump is cheap."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """A PTX instruction."""

    name: str
    operands: tuple[str, ...]
    defined: tuple[str, ...]
    used: tuple[str, ...]
    guard: str | None = None
    """The predicate that guards the instruction."""

    @property
    def space(self) -> str | None:
        """The memory space of an access, ``shared`` or ``global``; None for other instructions."""
        if not self.name.startswith(("ld.", "st.", "ldmatrix", "atom", "red")):
            return None
        return "shared" if "shared" in self.name or self.is_matrix else "global"

    @property
    def is_matrix(self) -> bool:
        """True if the instruction loads fragments of a matrix for a warp."""
        return self.name.startswith("ldmatrix")

    @property
    def is_load(self) -> bool:
        """True if the instruction only loads from memory."""
        return self.is_matrix or self.name.startswith(("ld.global", "ld.shared", "ld.local"))

    @property
    def is_ordered(self) -> bool:
        """True if the instruction keeps its order relative to other ordered instructions and to
        loads that may alias.
        """
        return self.name.startswith(_ORDERED)

    @property
    def is_product(self) -> bool:
        """True if the instruction is a tensor core product."""
        return "mma" in self.name

    @property
    def is_integer(self) -> bool:
        """True if the instruction computes integers, addresses or predicates."""
        return not (
            self.is_load or self.is_ordered or self.is_product or _FLOAT.search(self.name)
        ) and not self.name.startswith("bra")

    @property
    def is_pure_integer(self) -> bool:
        """True if the instruction can be recomputed, also on the uniform data path."""
        return (
            _UNIFORM.match(self.name) is not None
            and self.guard is None
            and (_FLOAT.search(self.name) is None or self.name.startswith(("mov", "selp")))
        )

    @property
    def step(self) -> int | None:
        """The constant by which this instruction increments a register; None for other
        instructions.
        """
        if not self.name.startswith("add.s") or self.operands[0] != self.operands[1]:
            return None
        return int(self.operands[2]) if re.fullmatch(r"-?\d+", self.operands[2]) else None


@dataclass(slots=True, eq=False)
class Block:
    """A basic block, including the jump at its end."""

    number: int
    instructions: list[Instruction]
    following: list[int] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    alive_before: set[str] = field(default_factory=set)
    alive_after: set[str] = field(default_factory=set)
    depth: int = 0
    """The number of loops around the block."""

    @property
    def repeats(self) -> bool:
        """True if the block is a whole loop."""
        return self.number in self.following


def instructions(body: str) -> tuple[list[Instruction], dict[str, int]]:
    """The instructions of a function, and the positions of its labels."""
    code: list[Instruction] = []
    labels: dict[str, int] = {}
    begun = ""  # the beginning of an instruction such as mma.sync, which spans several lines
    for line in body.splitlines():
        text = begun + line.split("//")[0].strip()
        if match := re.match(r"(\$\w+):", text):
            labels[match[1]] = len(code)
        elif text and not text.startswith("."):
            is_whole = text.endswith((";", "{", "}"))
            begun = "" if is_whole else f"{text} "
            if is_whole:
                code.append(_instruction(text))
    return code, labels


def _instruction(text: str) -> Instruction:
    used: list[str] = []
    guard = re.match(r"@!?(%p\d+)\s+(.*)", text)
    if guard is not None:
        used.append(guard[1])
        text = guard[2]
    name, _, rest = text.replace("\t", " ").partition(" ")
    name, rest = name.rstrip(";"), rest.strip().rstrip(";")
    operands = tuple(part.strip() for part in re.split(r",(?![^{\[]*[}\]])", rest))
    result = None if name.startswith(_WITHOUT_RESULT) else _DEFINED.match(rest)
    defined: list[str] = []
    if result is None:
        used += _REGISTER.findall(rest)
    else:
        defined = _REGISTER.findall(result[1])
        used += _REGISTER.findall(rest[result.end() :])
        if guard is not None:  # the old value remains where the guard is false
            used += defined
    return Instruction(
        name,
        operands,
        tuple(defined),
        tuple(dict.fromkeys(used)),
        None if guard is None else guard[1],
    )


class Code:
    """The basic blocks of a kernel, with the live values between them and the width of each value.

    ``arch`` is the architecture number, ``sizes`` the thread block size (None if unknown). Short
    branches are predicated, as the assembler does.
    """

    def __init__(self, body: str, arch: int, sizes: Sequence[int] | None) -> None:
        self.arch, self.sizes = arch, sizes
        self.instructions, labels = instructions(body)
        self.definitions: dict[str, list[Instruction]] = {}
        for instruction in self.instructions:
            for register in instruction.defined:
                self.definitions.setdefault(register, []).append(instruction)
        self._blocks = self._cut(labels)
        self.uniform = self._uniform_values()
        self._free = self._values_without_register()
        self._narrow = _Halves(self.instructions, self.definitions).without_upper()
        self.copies = self._copies()
        """Values that share a register with another value."""
        self.blocks = self._predicated()
        self._find_alive()
        self._leave_loops()

    def width(self, register: str) -> int:
        """The number of 32-bit registers of a value."""
        if register in self._free:
            return 0
        if register in self._narrow:
            return 1
        return _WIDTHS.get(register[1:].rstrip("0123456789"), 1)

    def is_single(self, register: str) -> bool:
        """True if exactly one instruction defines the register."""
        return len(self.definitions.get(register, ())) == 1

    # Blocks

    def _cut(self, labels: Mapping[str, int]) -> dict[int, Block]:
        code = self.instructions
        starts = {0, *labels.values()}
        for place, instruction in enumerate(code):
            if instruction.name.startswith(("bra", "ret", "exit", "trap")):
                starts.add(place + 1)
        places = sorted(start for start in starts if start < len(code))
        number_at = {place: number for number, place in enumerate(places)}
        blocks: dict[int, Block] = {}
        for number, place in enumerate(places):
            end = places[number + 1] if number + 1 < len(places) else len(code)
            block = blocks[number] = Block(number, code[place:end])
            last = block.instructions[-1]
            following: list[int] = []
            if last.name.startswith("bra"):
                following.append(labels[last.operands[-1].split()[-1]])
            if last.guard is not None or not last.name.startswith(("bra", "ret", "exit", "trap")):
                following.append(end)
            targets = [number_at[entry] for entry in following if entry in number_at]
            block.following = list(dict.fromkeys(targets))
        for block in blocks.values():
            for number in block.following:
                blocks[number].before.append(block.number)
        return blocks

    def _predicated(self) -> dict[int, Block]:
        """The basic blocks after predication of short branches and merging of chains."""
        blocks = {
            number: replace(block, before=list(block.before), following=list(block.following))
            for number, block in self._blocks.items()
        }
        changed = True
        while changed:
            changed = False
            for number in list(blocks):
                if number in blocks:
                    changed |= self._absorbed(blocks, blocks[number])
        return blocks

    def _absorbed(self, blocks: dict[int, Block], block: Block) -> bool:
        """Merge the successors of ``block`` into it if possible. True if any were merged."""
        behind = [blocks[number] for number in block.following]
        if len(behind) == 1 and len(behind[0].before) == 1 and behind[0].number not in (
            0, block.number,
        ):  # fmt: skip
            (last,) = behind
            block.instructions = [*_without_jump(block), *last.instructions]
            block.following = last.following
            for number in last.following:
                _rename(blocks[number].before, last.number, block.number)
            del blocks[last.number]
            return True
        if len(behind) != 2:
            return False
        guard = block.instructions[-1].guard
        if guard is None:
            return False
        sides = [
            side
            for side in behind
            if side.before == [block.number]
            and len(side.following) == 1
            and side.following[0] not in (block.number, side.number)
            and self._is_short(side, guard)
        ]
        first, second = behind
        if len(sides) == 2 and first.following == second.following:
            end = first.following[0]
        else:
            sides = [side for side in sides if side.following[0] in block.following][:1]
            if not sides:
                return False
            end = sides[0].following[0]
        block.instructions = _without_jump(block) + [
            self._guarded(instruction, guard)
            for side in sides
            for instruction in _without_jump(side)
        ]
        gone = {side.number for side in sides}
        block.following = [end]
        before = [number for number in blocks[end].before if number not in gone]
        blocks[end].before = list(dict.fromkeys([*before, block.number]))
        for number in gone:
            del blocks[number]
        return True

    def _is_short(self, side: Block, guard: str) -> bool:
        most = MOST_PREDICATED_UNIFORM if guard in self.uniform else MOST_PREDICATED
        return len(side.instructions) <= most and not any(
            instruction.name.startswith(("bar", "shfl", "atom", "call", "vote"))
            or instruction.is_product
            for instruction in side.instructions
        )

    def _guarded(self, instruction: Instruction, guard: str) -> Instruction:
        partial = (name for name in instruction.defined if not self.is_single(name))
        used = dict.fromkeys([*instruction.used, guard, *partial])
        return replace(instruction, guard=instruction.guard or guard, used=tuple(used))

    # Values that need registers

    def _uniform_values(self) -> set[str]:
        """Values that are uniform in a warp: integer operations compute them where the whole warp
        is active.
        """
        varying: set[str] = set()
        apart: set[int] = set()  # blocks that possibly only some threads of a warp execute
        ends = self._ends_of_branches()
        changed = True
        while changed:
            counts_before = len(varying), len(apart)
            for block in self._blocks.values():
                for instruction in block.instructions:
                    if instruction.defined and (
                        block.number in apart or self._varies(instruction, varying)
                    ):
                        varying.update(instruction.defined)
                if len(block.following) > 1 and block.instructions[-1].guard in varying:
                    apart |= self._between(block, ends[block.number])
            changed = (len(varying), len(apart)) != counts_before
        return set(self.definitions) - varying

    def _varies(self, instruction: Instruction, varying: set[str]) -> bool:
        if any(register in varying for register in instruction.used):
            return True
        for special in _OF_A_THREAD.finditer(" ".join(instruction.operands)):
            sizes = self.sizes or (2, 2, 2)
            axis = special[1]
            if (sizes["xyz".index(axis)] if axis else max(sizes)) > 1:
                return True
        return not replace(instruction, guard=None).is_pure_integer

    def _between(self, block: Block, end: int | None) -> set[int]:
        """The blocks between a branch and ``end``, the block where its two sides meet."""
        numbers: set[int] = set()
        open_ = [number for number in block.following if number != end]
        while open_:
            number = open_.pop()
            if number not in numbers and number != end:
                numbers.add(number)
                open_ += self._blocks[number].following
        return numbers

    def _ends_of_branches(self) -> dict[int, int | None]:
        """The immediate postdominator of each block: the first block on all paths from it."""
        everything = (1 << len(self._blocks)) - 1
        behind = dict.fromkeys(self._blocks, everything)
        changed = True
        while changed:
            changed = False
            for number in sorted(self._blocks, reverse=True):
                ways = everything if self._blocks[number].following else 0
                for following in self._blocks[number].following:
                    ways &= behind[following]
                ways |= 1 << number
                if ways != behind[number]:
                    behind[number], changed = ways, True
        ends: dict[int, int | None] = {}
        for number, ways in behind.items():
            candidates = [n for n in behind if ways >> n & 1 and n != number]
            ends[number] = max(candidates, key=lambda n: behind[n].bit_count(), default=None)
        return ends

    def _values_without_register(self) -> set[str]:
        """Values without a vector register: parameters, constants, and uniform values that only
        uniform operations use. Before sm_80, addresses in global memory may be in uniform
        registers.
        """
        parameters = {
            instruction.defined[0]
            for instruction in self.instructions
            if instruction.name.startswith("ld.param") and self.is_single(instruction.defined[0])
        }
        for instruction in self.instructions:
            if instruction.name.startswith("cvta") and instruction.operands[1] in parameters:
                parameters.add(instruction.defined[0])
        used: set[str] = set()
        addresses: set[str] = set()
        for instruction in self.instructions:
            of_addresses = {
                register
                for operand in instruction.operands
                if operand.startswith("[")
                for register in _REGISTER.findall(operand)
            }
            if self.arch >= 80:
                addresses |= of_addresses
            is_uniform = instruction.defined and instruction.defined[0] in self.uniform
            if not is_uniform and not instruction.name.startswith("bra"):
                used.update(
                    set(instruction.used) - (of_addresses if self.arch < 80 else frozenset())
                )
        for instruction in reversed(self.instructions):  # a renamed value counts as used
            if instruction.name.startswith(_RENAMES) and len(instruction.operands) == 2:
                for registers in (used, addresses):
                    if instruction.operands[0] in registers:
                        registers.add(instruction.operands[1])
        free = self.uniform - used | self.uniform & parameters - addresses
        for register, (instruction, *more) in self.definitions.items():
            if not more and instruction.name.startswith("mov"):
                source = instruction.operands[1]
                if not source.startswith("%"):
                    free.add(register)
        return free

    def _copies(self) -> dict[str, str]:
        """Values with one definition that rename another value, each with the original value."""
        copies: dict[str, str] = {}
        for instruction in self.instructions:
            if len(instruction.operands) != 2 or instruction.guard is not None:
                continue
            result, source = instruction.operands
            widens = instruction.name == "cvt.u64.u32" and result in self._narrow
            if (
                (widens or instruction.name.startswith(("mov", "cvta", "cvt.u32.u64")))
                and not result.startswith("%p")
                and self.is_single(result)
                and self.is_single(source)
            ):
                copies[result] = copies.get(source, source)
        if copies:
            for block in self._blocks.values():
                block.instructions = [
                    replace(
                        instruction,
                        used=tuple(
                            dict.fromkeys(copies.get(name, name) for name in instruction.used)
                        ),
                    )
                    for instruction in block.instructions
                ]
        return copies

    # Live values

    def _find_alive(self) -> None:
        needed: dict[int, set[str]] = {}
        defined: dict[int, set[str]] = {}
        for block in self.blocks.values():
            needs, defines = needed[block.number], defined[block.number] = set[str](), set[str]()
            for instruction in block.instructions:
                needs.update(
                    register
                    for register in instruction.used
                    if register not in defines and self.width(register)
                )
                defines.update(instruction.defined)
        changed = True
        while changed:
            changed = False
            for number in sorted(self.blocks, reverse=True):
                block = self.blocks[number]
                after = set[str]().union(
                    *(self.blocks[following].alive_before for following in block.following)
                )
                before = needed[number] | (after - defined[number])
                if before != block.alive_before or after != block.alive_after:
                    block.alive_before, block.alive_after, changed = before, after, True

    def _leave_loops(self) -> None:
        """Record the depth of each block. A value computed from thread and block numbers and
        parameters that is not used in a loop is recomputed after the loop instead of held across
        it.
        """
        loops = self._loops()
        computed = self._computed_anew()
        for body in loops:
            used = {
                register
                for number in body
                for instruction in self.blocks[number].instructions
                for register in instruction.used
            }
            dropped = computed - used
            for number in body:
                block = self.blocks[number]
                block.depth += 1
                block.alive_before = block.alive_before - dropped
                block.alive_after = block.alive_after - dropped

    def _computed_anew(self) -> set[str]:
        computed: set[str] = set()
        for instruction in self.instructions:
            if (
                len(instruction.defined) == 1
                and self.is_single(instruction.defined[0])
                and instruction.is_pure_integer
                and all(name in self._free or name in computed for name in instruction.used)
            ):
                computed.add(instruction.defined[0])
        return computed

    def _loops(self) -> list[set[int]]:
        """The blocks of each loop: the blocks between the target of a backward jump and the
        jump.
        """
        loops: dict[int, set[int]] = {}
        for end, start in self._jumps_back():
            body = loops.setdefault(start, {start})
            open_ = [end]
            while open_:
                number = open_.pop()
                if number not in body:
                    body.add(number)
                    open_ += self.blocks[number].before
        return list(loops.values())

    def _jumps_back(self) -> Iterator[tuple[int, int]]:
        if not self.blocks:
            return
        path, seen = {0}, {0}
        stack = [(0, iter(self.blocks[0].following))]
        while stack:
            number, following = stack[-1]
            entry = next(following, None)
            if entry is None:
                path.discard(number)
                stack.pop()
            elif entry in path:
                yield number, entry
            elif entry not in seen:
                path.add(entry)
                seen.add(entry)
                stack.append((entry, iter(self.blocks[entry].following)))


def _without_jump(block: Block) -> list[Instruction]:
    return [line for line in block.instructions if not line.name.startswith("bra")]


def _rename(numbers: list[int], old: int, new: int) -> None:
    numbers[:] = [new if number == old else number for number in numbers]


@dataclass(frozen=True)
class _Halves:
    """The halves of 64-bit values."""

    instructions: Sequence[Instruction]
    definitions: Mapping[str, Sequence[Instruction]]

    def without_upper(self) -> set[str]:
        """The 64-bit values that take one register."""
        requested = self._asked()
        bounds = self._bounds()
        return {
            register
            for register in self.definitions
            if register.startswith("%rd")
            and (register not in requested or bounds.get(register, 1 << 64) < 1 << 32)
        }

    def _asked(self) -> set[str]:
        """The values whose upper half is used."""
        requested: set[str] = set()
        uses: list[tuple[str, str]] = []
        for instruction in self.instructions:
            name, operands = instruction.name, instruction.operands
            for place, operand in enumerate(operands):
                for register in _REGISTER.findall(operand):
                    if not register.startswith("%rd"):
                        continue
                    if place == 0 and register in instruction.defined and "[" not in operand:
                        continue  # the result operand
                    if _takes_low_half(name, operand, place):
                        continue
                    if name in _LOW_HALVES:
                        uses.append((register, operands[0]))
                    else:
                        requested.add(register)
        changed = True
        while changed:
            count_before = len(requested)
            requested.update(register for register, result in uses if result in requested)
            changed = len(requested) > count_before
        return requested

    def _bounds(self) -> dict[str, int]:
        """Upper bounds of values that one instruction defines."""
        bounds: dict[str, int] = {}

        def of(operand: str) -> int:
            if operand.isdigit():
                return int(operand)
            return bounds.get(operand, 1 << 64 if operand.startswith(("%rd", "-")) else 1 << 32)

        for instruction in self.instructions:
            name = instruction.name
            result, *operands = instruction.operands
            if instruction.guard is not None or len(self.definitions.get(result, ())) != 1:
                continue
            kind = name.partition(".")[0]
            if kind == "mov" and operands[0].startswith("%tid"):
                bounds[result] = 1023
            elif name.startswith("cvt.u64.u"):
                bounds[result] = min(of(operands[0]), (1 << 32) - 1)
            elif name.startswith("mul.wide.u"):
                bounds[result] = of(operands[0]) * of(operands[1])
            elif kind == "shl" and operands[1].isdigit():
                bounds[result] = of(operands[0]) << int(operands[1])
            elif name.startswith("shr.u") and operands[1].isdigit():
                bounds[result] = of(operands[0]) >> int(operands[1])
            elif kind == "and":
                bounds[result] = min(map(of, operands))
            elif kind == "or":
                bounds[result] = (1 << max(map(of, operands)).bit_length()) - 1
            elif kind == "add":
                bounds[result] = of(operands[0]) + of(operands[1])
        return bounds


def _takes_low_half(name: str, operand: str, place: int) -> bool:
    if operand.startswith("["):
        is_first = place == 0 or not name.startswith("cp")
        return is_first and _SHARED_ADDRESS.match(name) is not None
    return name.startswith(("cvt.u32.u64", "cvt.u16.u64")) or (name == "shl.b64" and place == 2)
