"""Proofs and disproofs of the absence of thread errors in a kernel, without running it.

The kinds of errors are those that the emulator detects (``kc.gpu.check``), but for all blocks,
threads and iterations at once. An access is a set of points (block, thread, iterations), each with
an element; isl decides whether two such sets meet. Each verdict is one of three:

* *proven*: no launch of these sizes has the error;
* *wrong*: a launch has the error; the verdict has both locations, the threads, the blocks and the
element;
* *undecided*: a condition or an index depends on the contents of arrays or is not affine, or the
accesses are too many. Running the kernel decides for the arrays passed to it.

Barriers order the threads of a block. Two accesses are compared in one iteration of the loops that
contain barriers, and in different iterations only if no barrier is certain to be between them. A
disproof requires that no barrier can be between them. Nothing orders blocks.

An asynchronous copy (``cp.async``) may touch its elements at any time until a wait completes it. A
barrier behind the wait orders it for the threads of its block
(:mod:`kc.analysis.gpu.kernel_copies`). Bulk copies and products of four warps access memory by
descriptors and sizes, and mbarriers order threads by counting: these are undecided.

Memory of a block is proven to be written before it is read by the order of statements. For one
element, this is the order of execution if threads do not race.

Arguments do not overlap, unless a launch passes the same array for several arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Literal

from xdsl.dialects import memref, scf, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    UnrealizedConversionCastOp,
    VectorType,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import Pure

from kc.analysis.accesses.instances import is_before
from kc.analysis.affine.disproofs import is_never
from kc.analysis.affine.isl_sets import Point, first_point
from kc.analysis.affine.small_domains import TOO_LARGE, count_quotients, first_of_few
from kc.analysis.affine.terms import (
    NEVER,
    Condition,
    Term,
    all_of,
    any_of,
    dim,
    equal,
    exists,
    number,
)
from kc.analysis.gpu.kernel_copies import BARRIERS, CopyWay
from kc.analysis.gpu.kernel_launches import (
    NO_SHAPES,
    LaunchTerm,
    Shapes,
    bounds_of,
    constant_of,
    has_places_of_its_own,
    launch_sizes,
    launch_terms,
    launches_of,
    overlapping_arguments,
    sizes_of_arguments,
)
from kc.analysis.gpu.kernel_parts import LaunchTerms, parts_of
from kc.analysis.gpu.kernel_pointers import POINTERS, PointerAccess, pointer_accesses
from kc.analysis.gpu.kernel_values import (
    BLOCK_AXES,
    NUMBERS,
    THREAD_AXES,
    WARP_SIZE,
    KernelValues,
    is_unknown,
)
from kc.analysis.loop_tree import buffer_name
from kc.analysis.trust import Undecided
from kc.dialects import gpu, nvvm
from kc.dialects.gpu import AddressSpace, AddressSpaceAttr, GPUFuncOp
from kc.dialects.nvvm.special_registers import RangedRegisterOp
from kc.support.diagnostics import Location
from kc.support.locations import location_of

Kind = Literal["race", "divergent-barrier", "out-of-bounds", "misaligned", "uninitialised"]
CLEAN: Mapping[Kind, str] = {
    "race": "no two threads race",
    "divergent-barrier": "all threads reach each barrier and each shuffle",
    "out-of-bounds": "every index is within its array",
    "misaligned": "no vector is misaligned",
    "uninitialised": "every element of shared memory is written before it is read",
}
CODES: Mapping[Kind, str] = {
    "race": "KC6301",
    "divergent-barrier": "KC6302",
    "out-of-bounds": "KC6303",
    "misaligned": "KC6304",
    "uninitialised": "KC6305",
}
KINDS: Sequence[Kind] = tuple(CODES)
WHY: Mapping[Kind, str] = {
    "race": "nothing orders threads but a barrier of their block, and nothing orders blocks",
    "divergent-barrier": "all threads of a block come to a barrier, and all lanes to a shuffle",
    "out-of-bounds": "on a GPU such an access may touch anything",
    "misaligned": "a GPU reads and writes vectors at multiples of their size",
    "uninitialised": "memory of a block holds anything until a thread of it writes",
}
"""The error behind each code, in the words of the emulator's findings."""

THREADS, BLOCKS = ("hx", "hy", "hz"), ("g0", "g1", "g2")
"""Dimensions for the sizes of the grid and of a block that a launch computes."""

MAX_QUESTIONS = 2000
"""The most questions about one kernel; the rest is undecided."""

FEW_QUOTIENTS = 4
"""The most quotients of a question to isl. Addresses of matrices have more quotients, for which isl
takes seconds: then all points are evaluated.
"""

_SEEN = (memref.LoadOp, memref.StoreOp, memref.AtomicRMWOp, vector.LoadOp, vector.StoreOp)
_STORES = (memref.StoreOp, vector.StoreOp)
_OF_A_WARP = (
    gpu.ShuffleOp,
    nvvm.LdMatrixOp,
    nvvm.StMatrixOp,
    nvvm.MmaOp,
    nvvm.WmmaLoadOp,
    nvvm.WmmaMmaOp,
    nvvm.WmmaStoreOp,
    nvvm.ElectSyncOp,
    nvvm.MatchSyncOp,
    nvvm.ReduxOp,
    nvvm.ShflOp,
    nvvm.VoteSyncOp,
)
_OF_FOUR_WARPS = (
    nvvm.WgmmaFenceAlignedOp,
    nvvm.WgmmaGroupSyncAlignedOp,
    nvvm.WgmmaWaitGroupSyncOp,
    nvvm.WgmmaMmaAsyncOp,
)
_COLLECTIVES = (*BARRIERS, *_OF_A_WARP, *_OF_FOUR_WARPS)
_WAITS = (*BARRIERS, nvvm.CpAsyncWaitGroupOp)
_BY_THEMSELVES = (
    nvvm.CpAsyncBulkGlobalToSharedClusterOp,
    nvvm.CpAsyncBulkSharedCTAToGlobalOp,
    nvvm.CpAsyncBulkSharedCTAToSharedClusterOp,
    nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp,
    nvvm.CpAsyncBulkTensorReduceOp,
    nvvm.CpAsyncBulkTensorSharedCTAToGlobalOp,
    nvvm.WgmmaMmaAsyncOp,
)
"""Operations that access memory by descriptors and sizes, asynchronously."""
_COUNTING = (nvvm.BarrierOp, nvvm.BarrierArriveOp)
"""Barriers for some of the threads, whose number is an operand."""
_ORDERS = (
    *_COUNTING,
    nvvm.SyncWarpOp,
    nvvm.ClusterArriveOp,
    nvvm.ClusterArriveRelaxedOp,
    nvvm.ClusterWaitOp,
    nvvm.CpAsyncMBarrierArriveOp,
    nvvm.MBarrierArriveDropExpectTxOp,
    nvvm.MBarrierArriveDropNocompleteOp,
    nvvm.MBarrierArriveDropOp,
    nvvm.MBarrierArriveExpectTxOp,
    nvvm.MBarrierArriveNocompleteOp,
    nvvm.MBarrierArriveOp,
    nvvm.MBarrierCompleteTxOp,
    nvvm.MBarrierExpectTxOp,
    nvvm.MBarrierInitOp,
    nvvm.MBarrierInvalOp,
    nvvm.MBarrierTestWaitOp,
    nvvm.MBarrierTryWaitOp,
    nvvm.MBarrierTryWaitParityOp,
)
"""Operations that order threads in ways that are not analysed."""
_HARMLESS = (
    scf.YieldOp,
    gpu.ReturnOp,
    gpu.PrintfOp,
    gpu.DynamicSharedMemoryOp,
    memref.AllocaOp,
    memref.ExtractStridedMetaDataOp,
    memref.ViewOp,
    UnrealizedConversionCastOp,
    nvvm.CpAsyncOp,
    nvvm.CpAsyncCommitGroupOp,
    nvvm.CpAsyncWaitGroupOp,
    nvvm.CpAsyncBulkCommitGroupOp,
    nvvm.CpAsyncBulkPrefetchOp,
    nvvm.CpAsyncBulkTensorPrefetchOp,
    nvvm.CpAsyncBulkWaitGroupOp,
    nvvm.FenceMbarrierInitOp,
    nvvm.FenceProxyOp,
    nvvm.MembarOp,
    nvvm.PrefetchOp,
    nvvm.NanosleepOp,
    nvvm.SetMaxRegisterOp,
    nvvm.ConvertFloatToTF32Op,
    nvvm.RcpApproxFtzF32Op,
    *_BY_THEMSELVES,
    *_ORDERS,
    RangedRegisterOp,
    *POINTERS,
    *_COLLECTIVES,
)
"""Operations that wait for no thread and access no memory, except through pointers that they
produce.
"""


_LLVM_VALUES = frozenset(
    f"llvm.{name}"
    for name in (
        "mlir.undef", "mlir.poison", "mlir.zero", "mlir.constant", "insertvalue", "extractvalue",
        "addrspacecast", "bitcast", "ptrtoint",
    )
)  # fmt: skip


@dataclass(frozen=True)
class SafetyVerdict:
    """The verdict on one kind of error in a kernel.

    ``is_clean`` is True if no launch of these sizes has the error. It is False if a launch has it:
    ``message`` describes the error, and ``location`` and ``second`` are the locations of the
    operations. It is None if the question is undecided for the reason in ``message``.
    """

    kind: Kind
    is_clean: bool | None
    message: str = ""
    location: Location | None = None
    second: Location | None = None

    def __str__(self) -> str:
        if self.is_clean:
            return f"proven: {CLEAN[self.kind]}"
        if self.is_clean is None:
            return f"undecided: {CLEAN[self.kind]} ({self.message})"
        places = [str(place) for place in (self.location, self.second) if place is not None]
        return f"{self.kind}: {self.message}" + (f" ({', '.join(places)})" if places else "")


def safety_of(
    kernel: GPUFuncOp, *, is_unanimous: bool = False, shapes: Shapes = NO_SHAPES
) -> tuple[SafetyVerdict, ...]:
    """A verdict for each kind of error. ``is_unanimous`` states that all threads reach each
    barrier. ``shapes`` are the symbolic sizes in the host functions that launch the kernel.
    """
    grid, block = launch_sizes(kernel)
    return _Kernel(kernel, grid, block, is_unanimous, shapes).verdicts()


# Accesses ---------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Place:
    """An operation of a kernel, and the points at which threads reach it."""

    op: Operation
    path: list[tuple[Block, Operation]]
    """The blocks around it from the inside out, each with its operation on the path."""
    loops: list[scf.ForOp]
    """The loops around the operation, outermost first."""
    may: Condition
    """The points that threads may reach."""
    must: Condition
    """The points that threads certainly reach."""

    @property
    def is_exact(self) -> bool:
        """True if both conditions are equal."""
        return self.may == self.must


@dataclass(eq=False)
class _Access(_Place):
    """An access of memory that threads share, or of a thread's own array."""

    array: SSAValue
    buffer: SSAValue
    """The array, or another array that represents the same memory."""
    memory: Literal["global", "shared", "private"]
    writes: bool
    element: list[Term]
    lanes: int
    alignment: int
    """The required alignment of the address, in bytes."""
    is_atomic: bool = False
    is_asynchronous: bool = False
    """True if the access is pending until a later wait."""
    shift: int = 0
    """The number of the array's first element in ``buffer``."""

    def place(self, *, is_flat: bool) -> list[Term]:
        """The indices of the first element, or with ``is_flat`` its row-major number."""
        if not is_flat:
            return self.element
        if len(self.element) == 1:
            return [self.element[0] + self.shift]
        assert isinstance(self.array.type, MemRefType)
        number_ = number(0)
        for index, size in zip(self.element, self.array.type.get_shape(), strict=True):
            number_ = number_ * size + index
        return [number_ + self.shift]

    def indices(self, point: Point, shift: int = 0) -> str:
        """The indices of the first element at a point, or of the element ``shift`` behind it, as
        text.
        """
        assert isinstance(self.array.type, MemRefType)
        shape = self.array.type.get_shape()
        indices = [index.at(point) for index in self.element]
        if indices:
            indices[-1] += shift
        if len(indices) < len(shape):
            rest, indices = indices[0], []
            for size in reversed(shape[1:]):
                indices.insert(0, rest % size)
                rest //= size
            indices.insert(0, rest)
        return ", ".join(map(str, indices))


@dataclass(frozen=True)
class _Way:
    """A path from an access to a later access."""

    early: _Access
    late: _Access
    order: list[Condition]
    """The conditions under which the path is taken."""
    ops: list[Operation]
    """Operations certain to be executed on the path, in order."""
    may_wait: bool
    """True if a barrier may be on the path."""


@dataclass
class _Kernel:
    """A kernel with its accesses, barriers and shuffles."""

    kernel: GPUFuncOp
    grid: list[int | None]
    """The number of blocks along each axis; None where the launch decides."""
    block: list[int | None]
    is_unanimous: bool
    shapes: Shapes
    loops: dict[SSAValue, str] = field(default_factory=dict)
    accesses: list[_Access] = field(default_factory=list)
    meetings: list[_Place] = field(default_factory=list)
    """Barriers and shuffles."""
    strange: Operation | None = None
    """An operation of unknown effect."""
    by_itself: Operation | None = None
    """An operation whose accesses are unknown."""
    orders: Operation | None = None
    """An operation that may order threads."""
    counting: Operation | None = None
    """A barrier for some of the threads."""
    unknown_memory: Operation | None = None
    """An access of unknown memory, or in an unknown order."""
    constants: set[str] = field(default_factory=set)
    """Dimensions of arguments that are equal in all launches."""
    of_one_array: str = ""
    """Arguments that may overlap in an unknown way, as text."""
    questions: int = 0
    by_pointer: set[SSAValue] = field(default_factory=set)
    """Arrays whose elements are compared by number, as pointer accesses give no indices."""
    barriers: dict[Operation, tuple[bool, bool]] = field(default_factory=dict)
    """For each operation: True if it may contain a barrier, and True if it certainly executes a
    barrier.
    """
    waits: dict[Operation, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        symbols = sizes_of_arguments(self.kernel, self.shapes)
        numbers = {symbol: f"n{n}" for n, symbol in enumerate(dict.fromkeys(symbols.values()))}
        launches = launch_terms(self.kernel, self.shapes, numbers)
        only = launches[0] if len(launches) == 1 else LaunchTerm({}, None)
        threads = [
            number(size) if size is not None else term or dim(name)
            for size, term, name in zip(self.block, only.block, THREADS, strict=True)
        ]
        self.reader = KernelValues(self.grid, threads, self.loops)
        self.reader.uniform |= {value: numbers[symbol] for value, symbol in symbols.items()}
        self.same = self._same_arrays()
        self.launched = LaunchTerms(self.reader, launches)
        self.parts, self.beyond = parts_of(self.kernel, self.launched)
        self.by_pointer |= {part.base for part in self.parts.values() if part.is_shared}
        inside = [dim(name).within(size) for name, size in zip(THREAD_AXES, threads, strict=True)]
        for name, count, size, term in zip(BLOCK_AXES, BLOCKS, self.grid, only.grid, strict=True):
            bound = dim(count) if size is None else number(size)
            inside.append(dim(name).within(bound))
            if size is None and term is not None:
                inside.append(bound.equals(term))
        inside += self._arguments()
        whole = all_of(inside)
        self._read(self.kernel.body.blocks[0], [], [], whole, whole)
        if len(self.kernel.body.blocks) > 1:
            self.strange = self.kernel

    # Reading

    def _arguments(self) -> Iterator[Condition]:
        """Conditions on index arguments from the launches: constants, and ranges of loop
        variables.
        """
        launches = launches_of(self.kernel)
        for n, argument in enumerate(self.kernel.body.blocks[0].args):
            if isinstance(argument.type, IndexType):
                bounds_per_launch = [bounds_of(launch.kernel_operands[n]) for launch in launches]
                intervals = [bounds for bounds in bounds_per_launch if bounds is not None]
                if intervals and len(intervals) == len(bounds_per_launch):
                    value = self.reader.read(argument)
                    lowest, highest = (
                        min(low for low, _ in intervals),
                        max(high for _, high in intervals),
                    )
                    if lowest >= 0:
                        self.reader.natural.add(argument)
                    if lowest == highest:
                        self.constants |= set(value.names())
                    yield all_of([value >= lowest, value <= highest])

    def _read(
        self,
        block: Block,
        path: list[tuple[Block, Operation]],
        loops: list[scf.ForOp],
        may: Condition,
        must: Condition,
    ) -> None:
        for op in block.ops:
            here = [(block, op), *path]
            if isinstance(op, scf.IfOp):
                for holds, region in zip((True, False), op.regions, strict=True):
                    if region.blocks:
                        some, certain = self.reader.condition(op.cond, holds=holds)
                        both = (all_of([may, some]), all_of([must, certain]))
                        self._read(region.block, here, loops, *both)
            elif isinstance(op, scf.ForOp):
                some, certain = self._iterations(op)
                both = (all_of([may, some]), all_of([must, certain]))
                self._read(op.body.block, here, [*loops, op], *both)
            elif isinstance(op, _SEEN):
                self._access(op, here, loops, may, must)
            elif not _is_harmless(op):
                self.strange = self.strange or op
            else:
                if isinstance(op, _COLLECTIVES):
                    self.meetings.append(_Place(op, here, loops, may, must))
                if isinstance(op, _BY_THEMSELVES):
                    self.by_itself = self.by_itself or op
                if isinstance(op, _ORDERS):
                    self.orders = self.orders or op
                if isinstance(op, _COUNTING):
                    self.counting = self.counting or op
                accesses = pointer_accesses(op, self.reader)
                if accesses is None:
                    self.unknown_memory = self.unknown_memory or op
                for access in accesses or ():
                    self._pointer_access(access, _Place(op, here, loops, may, must))

    def _iterations(self, op: scf.ForOp) -> tuple[Condition, Condition]:
        reader, variable = self.reader, op.body.block.args[0]
        name = self.loops[variable] = f"i{len(self.loops)}"
        low, high, step = (reader.integer(value) for value in (op.lb, op.ub, op.step))
        if reader.is_natural(op.lb):
            reader.natural.add(variable)
        parts: list[Condition] = []
        is_known = step is not None and step.value is not None and step.value > 0
        if low is not None and not is_unknown(low):
            parts.append(dim(name) >= low)
            if is_known:
                assert step is not None
                assert step.value is not None
                parts.append(((dim(name) - low) % step.value).equals(0))
        if high is not None and not is_unknown(high):
            parts.append(dim(name) < high)
        condition = all_of(parts)
        return condition, condition if is_known and len(parts) == 3 else NEVER

    def _access(
        self,
        op: Operation,
        path: list[tuple[Block, Operation]],
        loops: list[scf.ForOp],
        may: Condition,
        must: Condition,
    ) -> None:
        is_write = isinstance(op, (*_STORES, memref.AtomicRMWOp))
        buffer, *indices = op.operands[1:] if is_write else op.operands
        type_ = buffer.type
        assert isinstance(type_, MemRefType)
        memory = self._memory(buffer)
        base, shift = self._base(buffer)
        is_plain = isinstance(type_.layout, NoneAttr) or (
            base not in self.by_pointer and has_places_of_its_own(buffer, self.kernel)
        )
        if base in self.by_pointer and DYNAMIC_INDEX in type_.get_shape()[1:]:
            is_plain = False
        if memory is None or not is_plain:
            self.unknown_memory = self.unknown_memory or op
            return
        value = op.operands[0] if is_write else op.results[0]
        lanes = prod(value.type.get_shape()) if isinstance(value.type, VectorType) else 1
        element = [self.reader.read(index) for index in indices]
        if any(map(is_unknown, element)):
            must = NEVER
        attr = op.get_attr_or_prop("alignment")
        self.accesses.append(
            _Access(
                op,
                path,
                loops,
                may,
                must,
                buffer,
                base,
                memory,
                is_write,
                element,
                lanes,
                attr.value.data if isinstance(attr, IntegerAttr) else 0,
                is_atomic=isinstance(op, memref.AtomicRMWOp),
                shift=shift,
            )
        )

    def _pointer_access(self, access: PointerAccess, place: _Place) -> None:
        """Add an access through a pointer. Its element is a row-major number, so the array counts
        as one-dimensional.
        """
        type_, memory = access.array.type, self._memory(access.array)
        assert isinstance(type_, MemRefType)
        is_dense = isinstance(type_.layout, NoneAttr)
        if memory is None or not is_dense or DYNAMIC_INDEX in type_.get_shape()[1:]:
            self.unknown_memory = self.unknown_memory or place.op
            return
        (base, shift), element = self._base(access.array), [access.first]
        may = all_of([place.may, access.who])
        self.by_pointer.add(base)
        is_known = access.is_whole and not any(map(is_unknown, element))
        must = all_of([place.must, access.who]) if is_known else NEVER
        self.accesses.append(
            _Access(
                place.op,
                place.path,
                place.loops,
                may,
                must,
                access.array,
                base,
                memory,
                access.writes,
                element,
                access.lanes,
                access.alignment,
                is_asynchronous=access.is_asynchronous,
                shift=shift,
            )
        )

    def _base(self, buffer: SSAValue) -> tuple[SSAValue, int]:
        """The memory that contains a buffer, and the number of the buffer's first element there."""
        part = self.parts.get(buffer)
        return (self.same.get(buffer, buffer), 0) if part is None else (part.base, part.shift)

    def _memory(self, buffer: SSAValue) -> Literal["global", "shared", "private"] | None:
        """The memory space of a buffer; None for a part of another buffer."""
        assert isinstance(buffer.type, MemRefType)
        if buffer in self.parts:
            return "shared"
        if buffer.owner is not self.kernel.body.blocks[0]:
            is_own = isinstance(buffer.owner, memref.AllocaOp)
            return "private" if is_own else None
        space = buffer.type.memory_space
        if not isinstance(space, AddressSpaceAttr) or space.data is AddressSpace.GLOBAL:
            return "global"
        return "shared" if space.data is AddressSpace.WORKGROUP else "private"

    def _same_arrays(self) -> dict[SSAValue, SSAValue]:
        """The arguments for which every launch passes the same array as for an earlier argument,
        each with the earlier argument. Arguments that are parts of one array are undecided.
        """
        same: dict[SSAValue, SSAValue] = {}
        for first, second, is_whole in overlapping_arguments(self.kernel):
            if is_whole:
                same[second] = same.get(first, first)
            else:
                names = " and ".join(map(buffer_name, (first, second)))
                self.of_one_array = f"{names} are parts of one array"
        return same

    # Questions

    def _ask(self, condition: Condition) -> Point | Undecided | None:
        """The first point that satisfies a condition; undecided after too many questions."""
        self.questions += 1
        if self.questions > MAX_QUESTIONS:
            return Undecided("there are too many accesses to compare")
        names = sorted(set(condition.names()), key=lambda name: (name.strip("_"), name))
        if not self.by_pointer or count_quotients(condition) <= FEW_QUOTIENTS:
            return first_point(condition, names)
        point = None if is_never(condition) else first_of_few(condition, names)
        if point == TOO_LARGE:
            return Undecided("the question is too large to decide exactly")
        return point

    def _other_thread(self) -> Mapping[str, Term]:
        """The dimensions of the other thread, by the names of this thread's: its block, thread,
        iterations and unknown values.
        """
        own = [*THREAD_AXES, *BLOCK_AXES, *self.loops.values(), *self.reader.unknown]
        return {name: dim(f"{name}_") for name in own}

    def verdicts(self) -> tuple[SafetyVerdict, ...]:
        """A verdict for each kind of error."""
        strange = self.strange
        if strange is not None:
            reason = f"{strange.name} is not analysed"
            return tuple(SafetyVerdict(kind, None, reason) for kind in KINDS)
        bounds = self._bounds()
        meetings = self._meetings()
        race = self._races(bounds.is_clean is True, meetings.is_clean is True)
        initial = self._uninitialised(race.is_clean is True)
        return race, meetings, bounds, self._alignment(), initial

    def _bounds(self) -> SafetyVerdict:
        kind: Kind = "out-of-bounds"
        reason = self._unknown_memory() or self.beyond
        for access in self.accesses:
            outside: list[Condition] = []
            for n, (index, size) in enumerate(self._sized(access)):
                room = access.lanes - 1 if n == len(access.element) - 1 else 0
                outside += [index < 0, index + room >= size]
            point = self._ask(all_of([access.may, any_of(outside)]))
            if point is None:
                continue
            if isinstance(point, dict) and access.is_exact and self._is_launched(point):
                indices = access.indices(point)
                what = f"{_name(access)}[{indices}] is {_verb(access)} by {self._who(point)}"
                message = f"{what}, outside of its bounds"
                return SafetyVerdict(kind, False, message, location_of(access.op))
            reason = reason or _why(point, f"an index of {_name(access)}", access)
        return SafetyVerdict(kind, None if reason else True, reason)

    def _meetings(self) -> SafetyVerdict:
        kind: Kind = "divergent-barrier"
        reason = ""
        if self.counting is not None:
            reason = f"{self.counting.name} counts the threads that reach it"
        renamed = self._other_thread()
        blocks = [dim(name).equals(dim(f"{name}_")) for name in BLOCK_AXES]
        for place in self.meetings:
            if self.is_unanimous and isinstance(place.op, BARRIERS):
                continue
            together = [*blocks, *(dim(name).equals(dim(f"{name}_")) for name in self._own(place))]
            if isinstance(place.op, (*_OF_A_WARP, *_OF_FOUR_WARPS)):
                count = WARP_SIZE * (4 if isinstance(place.op, _OF_FOUR_WARPS) else 1)
                group = self.reader.linear() // count
                together.append(group.equals(group.where(renamed)))
            there = all_of(self._threads("_"))
            apart = all_of([place.may, ~place.must.where(renamed), there, *together])
            point = self._ask(apart)
            if point is None:
                continue
            if place.is_exact and isinstance(point, dict) and self._is_launched(point):
                here, there = self._who(point), self._thread(point, "_")
                message = f"{here} reaches {_a(place.op)}, but {there} does not"
                return SafetyVerdict(kind, False, message, location_of(place.op))
            reason = reason or _why(point, "the set of threads that reach it", place)
        return SafetyVerdict(kind, None if reason else True, reason)

    def _races(self, is_inside: bool, is_together: bool) -> SafetyVerdict:
        kind: Kind = "race"
        reason = self._unknown_memory() or self.of_one_array
        if self.orders is not None:
            reason = reason or f"{self.orders.name} orders threads"
        shared = [access for access in self.accesses if access.memory != "private"]
        for n, first in enumerate(shared):
            for second in shared[n:]:
                if first.buffer is not second.buffer or not (first.writes or second.writes):
                    continue
                if first.is_atomic and second.is_atomic:
                    continue
                for order, is_certain in self._unordered(first, second, is_together):
                    inside = [] if is_inside else self._inside(first)
                    point = self._ask(self._meet(first, second, [*order, *inside]))
                    if point is None:
                        continue
                    is_same = first is second
                    exact = first.is_exact and second.is_exact and is_certain and not is_same
                    exact = exact and self.orders is None
                    if isinstance(point, dict) and exact and self._is_launched(point):
                        return self._race(first, second, point)
                    reason = reason or self._undecided_race(first, second, point, is_certain)
        return SafetyVerdict(kind, None if reason else True, reason)

    def _undecided_race(
        self, first: _Access, second: _Access, point: Point | Undecided, is_certain: bool
    ) -> str:
        if isinstance(point, Undecided):
            return point.reason
        if first.is_asynchronous or second.is_asynchronous:
            copy = first if first.is_asynchronous else second
            return f"a copy of {_name(copy)} may still run{_line(copy)}"
        if first is second:
            return f"several threads may write one element of {_name(first)}"
        if not is_certain:
            return f"a barrier may be between two accesses of {_name(first)}{_line(first)}"
        return _why(point, f"the set of threads that access {_name(first)}", first)

    def _meet(self, first: _Access, second: _Access, order: Sequence[Condition]) -> Condition:
        """The condition that two threads touch one element, under the conditions ``order``."""
        renamed = self._other_thread()
        is_flat = first.buffer in self.by_pointer
        mine = first.place(is_flat=is_flat)
        its = [index.where(renamed) for index in second.place(is_flat=is_flat)]
        same = equal(mine[:-1], its[:-1])
        if mine:
            last, its_last = mine[-1], its[-1]
            if first.lanes == second.lanes == 1:
                same.append(last.equals(its_last))
            else:
                same += [last < its_last + second.lanes, its_last < last + first.lanes]
        return all_of([first.may, second.may.where(renamed), *same, *order])

    def _inside(self, access: _Access) -> list[Condition]:
        """The condition that the first element is inside of the array. An access outside touches no
        element.
        """
        return [index.within(size) for index, size in self._sized(access)]

    def _sized(self, access: _Access) -> list[tuple[Term, Term]]:
        """The indices with the sizes of the array, or the element's number with the number of
        elements.
        """
        assert isinstance(access.array.type, MemRefType)
        sizes = [self.reader.size(access.array, n) for n in range(access.array.type.get_num_dims())]
        if len(access.element) < len(sizes):
            sizes = [sizes[0] * prod(access.array.type.get_shape()[1:])]
        return list(zip(access.element, sizes, strict=True))

    def _race(self, first: _Access, second: _Access, point: Point) -> SafetyVerdict:
        shift = 0
        if first.element and second.lanes > 1:
            is_flat = first.buffer in self.by_pointer
            mine = first.place(is_flat=is_flat)[-1].at(point)
            its = second.place(is_flat=is_flat)[-1].where(self._other_thread()).at(point)
            shift = max(its - mine, 0)
        index = first.indices(point, shift)
        is_one = all(point.get(name, 0) == point.get(f"{name}_", 0) for name in BLOCK_AXES)
        who = self._thread(point, "_") if is_one else self._who(point, "_")
        message = (
            f"{_name(first)}[{index}] is {_verb(first)} by {self._who(point)} and "
            f"{_verb(second)} by {who}, with no barrier in between"
        )
        places = location_of(first.op), location_of(second.op)
        return SafetyVerdict("race", False, message, *places)

    def _uninitialised(self, is_race_free: bool) -> SafetyVerdict:
        kind: Kind = "uninitialised"
        reason = self._unknown_memory()
        renamed = self._other_thread()
        block = [dim(name).equals(dim(f"{name}_")) for name in BLOCK_AXES]
        for read in self.accesses:
            if read.memory != "shared" or (read.writes and not read.is_atomic):
                continue
            is_flat = read.buffer in self.by_pointer
            element, lane = read.place(is_flat=is_flat), dim("lane")
            if element:
                element = [*element[:-1], element[-1] + lane]
            condition = all_of([read.may, lane.within(read.lanes), *self._inside(read)])
            before: list[Condition] = []
            ever: list[Condition] = []
            for write in self.accesses:
                if write.buffer is not read.buffer or not write.writes or write is read:
                    continue
                hidden = [
                    f"{name}_"
                    for name in [*THREAD_AXES, *BLOCK_AXES, *self._own(write), *self.reader.unknown]
                ]
                written = [index.where(renamed) for index in write.place(is_flat=is_flat)]
                touches = _touches(written, write, element)
                earlier = self._is_earlier(write, read)
                parts = [write.must.where(renamed), *touches, *block]
                before.append(~exists(hidden, all_of([*parts, earlier])))
                parts[0] = write.may.where(renamed)
                # Threads that race write in any order.
                parts += [earlier] if is_race_free else []
                ever.append(~exists(hidden, all_of(parts)))
            point = self._ask(all_of([condition, *before]))
            if point is None:
                if not is_race_free:
                    reason = reason or "threads may race"
                continue
            never = self._ask(all_of([condition, *ever])) if read.is_exact else None
            if isinstance(never, dict) and self._is_launched(never) and not reason:
                index = read.indices(never, never["lane"])
                message = (
                    f"{_name(read)}[{index}] is read by {self._who(never)}, and no thread writes it"
                )
                return SafetyVerdict(kind, False, message, location_of(read.op))
            reason = reason or _why(point, f"the set of written elements of {_name(read)}", read)
        return SafetyVerdict(kind, None if reason else True, reason)

    def _is_earlier(self, write: _Place, read: _Place) -> Condition:
        """The condition that the write of the other thread precedes the read, in the order of
        statements and iterations.
        """
        common = [loop for loop in write.loops if loop in read.loops]
        names = [self.loops[loop.body.block.args[0]] for loop in common]
        mine, its = [dim(name) for name in names], [dim(f"{name}_") for name in names]
        ways = [all_of([*equal(its[:n], mine[:n]), its[n] < mine[n]]) for n in range(len(names))]
        if is_before(write.op, read.op):
            ways.append(all_of(equal(its, mine)))
        return any_of(ways)

    def _alignment(self) -> SafetyVerdict:
        kind: Kind = "misaligned"
        reason = self._unknown_memory() if self.by_itself else ""
        for access in self.accesses:
            type_, multiple = access.array.type, access.alignment
            assert isinstance(type_, MemRefType)
            width = max(getattr(type_.element_type, "bitwidth", 64) // 8, 1)
            if multiple <= width:
                continue
            if not isinstance(type_.layout, NoneAttr):
                reason = reason or f"the address of {_name(access)} is known only at the call"
                continue
            place: Term | None = number(0)
            for n, (index, size) in enumerate(self._sized(access)):
                factor = size.value if n else 1
                place = None if place is None or factor is None else place * factor + index
            if place is None:
                reason = reason or f"the size of {_name(access)} is known only at the call"
                continue
            point = self._ask(all_of([access.may, (place * width % multiple).differs(0)]))
            view = access.array.owner
            if isinstance(view, memref.ViewOp) and not self.launched.remainder(view, multiple):
                point = Undecided(f"the address of {_name(access)} is known only at the launch")
            if point is None and multiple <= 16:
                continue
            if isinstance(point, dict) and access.is_exact and self._is_launched(point):
                indices = access.indices(point)
                message = (
                    f"{_name(access)}[{indices}] is {_verb(access)} by {self._who(point)}, "
                    f"{place.at(point) * width} bytes from its start, which is not a multiple of "
                    f"{multiple}"
                )
                return SafetyVerdict(kind, False, message, location_of(access.op))
            reason = reason or _why(point, f"an index of {_name(access)}", access)
        return SafetyVerdict(kind, None if reason else True, reason)

    # Barriers

    def _unordered(
        self, first: _Access, second: _Access, is_together: bool
    ) -> Iterator[tuple[list[Condition], bool]]:
        """Conditions under which no barrier is certain to be between two accesses of a buffer by
        two threads, each with True if no barrier can be between them.
        """
        if first.is_asynchronous or second.is_asynchronous:
            yield from self._unordered_copies(first, second, is_together)
            return
        same_block = [dim(name).equals(dim(f"{name}_")) for name in BLOCK_AXES]
        apart = any_of([dim(name).differs(dim(f"{name}_")) for name in THREAD_AXES])
        if first.memory == "global" and self.grid != [1, 1, 1]:
            yield [any_of([dim(name).differs(dim(f"{name}_")) for name in BLOCK_AXES])], True
        if self.block == [1, 1, 1]:
            return
        inside = [*same_block, apart]
        common = [loop for loop in first.loops if loop in second.loops]
        waiting = [loop for loop in common if self._barriers_in(loop)[0]]
        pairs = []
        for loop in waiting:
            name = self.loops[loop.body.block.args[0]]
            pairs.append((loop, dim(name), dim(f"{name}_")))
        equals = [mine.equals(its) for _, mine, its in pairs]
        may, must = self._between(first, second)
        if not (must and is_together):
            yield [*inside, *equals], not may
        for depth, (loop, mine, its) in enumerate(pairs):
            step = constant_of(loop.step) or 1
            orders = ((first, second, its - mine), (second, first, mine - its))
            for earlier, later, gap in orders[: 1 if first is second else 2]:
                may, must = self._around(earlier, later, loop)
                whole_may, whole_must = self._in_block(loop.body.block)
                outer = [*inside, *equals[:depth]]
                if not (must and is_together):
                    yield [*outer, gap.equals(step)], not may
                if not ((must or whole_must) and is_together):
                    yield [*outer, gap >= 2 * step], not whole_may

    def _unordered_copies(
        self, first: _Access, second: _Access, is_together: bool
    ) -> Iterator[tuple[list[Condition], bool]]:
        """:meth:`_unordered` for a pair of accesses of which at least one is asynchronous."""
        blocks = [dim(name).equals(dim(f"{name}_")) for name in BLOCK_AXES]
        if first.memory == "global" and self.grid != [1, 1, 1]:
            yield [any_of([~same for same in blocks])], True
        threads = [dim(name).equals(dim(f"{name}_")) for name in THREAD_AXES]
        apart = any_of([~same for same in threads])
        is_another = [any_of([dim(name).differs(dim(f"{name}_")) for name in self._own(first)])]
        if first.op is not second.op:
            is_another = []
        for way in self._ways(first, second):
            is_done = is_ordered = True
            if way.early.is_asynchronous:
                copy = CopyWay(self._least_trips).along(way.ops)
                is_done, is_ordered = copy.is_done, copy.is_visible
            else:  # a thread starts a copy after its earlier operations
                is_ordered = any(self._barriers_in(op)[1] for op in way.ops)
            if not (is_ordered and is_together):
                yield [*blocks, apart, *way.order], not way.may_wait
            if not is_done:
                yield [*blocks, *threads, *is_another, *way.order], False

    def _ways(self, first: _Access, second: _Access) -> Iterator[_Way]:
        """The paths between two accesses, in both directions."""
        common = [loop for loop in first.loops if loop in second.loops]
        waiting = [loop for loop in common if self._waits_in(loop)]
        names = [self.loops[loop.body.block.args[0]] for loop in waiting]
        mine, its = [dim(name) for name in names], [dim(f"{name}_") for name in names]
        equals = equal(mine, its)
        if first.op is second.op or len(waiting) < len(common):
            # The common loops inside of these contain no wait.
            yield _Way(first, second, equals, [], False)
            if first.op is not second.op:
                yield _Way(second, first, equals, [], False)
        else:
            early, late = first, second
            if not is_before(first.op, second.op):
                early, late = second, first
            may_wait = self._between(early, late)[0]
            for rest, condition in self._rounds(early, common, "" if early is first else "_", True):
                for begin, its_condition in self._rounds(
                    late, common, "" if late is first else "_", False
                ):
                    ops = self._straight(early, late, rest, begin)
                    order = [*equals, *condition, *its_condition]
                    yield _Way(early, late, order, ops, may_wait)
        for depth, loop in enumerate(waiting):
            step, top = constant_of(loop.step) or 1, loop.body.block
            roles = [(first, second, its[depth] - mine[depth])]
            if first is not second:
                roles.append((second, first, mine[depth] - its[depth]))
            for early, late, gap in roles:
                rest = [*_way_out(early, top), *_after(dict(early.path)[top])]
                begin = [*reversed(_before(dict(late.path)[top])), *_way_in(late, top)]
                may_wait = self._around(early, late, loop)[0]
                order = [*equals[:depth], gap.equals(step)]
                yield _Way(early, late, order, [*rest, *begin], may_wait)
                order = [*equals[:depth], gap >= 2 * step]
                yield _Way(early, late, order, [*rest, *top.ops, *begin], True)

    def _rounds(
        self, access: _Access, common: Sequence[scf.ForOp], mark: str, is_early: bool
    ) -> Iterator[tuple[list[Operation], list[Condition]]]:
        """For the outermost loop that only ``access`` is in: the operations of its other iterations
        that lie on the path, and conditions. The iteration is the last one (early access) or the
        first one (late access), or another one, so that the path runs through the loop.
        """
        own = [loop for loop in access.loops if loop not in common]
        bounds = (own[0].lb, own[0].ub, own[0].step) if own else ()
        low, high, step = map(constant_of, bounds) if own else (None,) * 3
        if low is None or high is None or not step or high <= low:
            yield [], []
            return
        name = dim(f"{self.loops[own[0].body.block.args[0]]}{mark}")
        end = low + (high - low - 1) // step * step if is_early else low
        yield [], [name.equals(end)]
        yield list(own[0].body.block.ops), [name < end if is_early else name > end]

    def _straight(
        self, early: _Place, late: _Place, rest: list[Operation], begin: list[Operation]
    ) -> list[Operation]:
        """The operations from one access to a later one in the same iterations, including the end
        of a loop around the first and the beginning of a loop around the second.
        """
        blocks = {block for block, _ in late.path}
        top = next(block for block, _ in early.path if block in blocks)
        start, end = dict(early.path)[top], dict(late.path)[top]
        between: list[Operation] = []
        op = start.next_op
        while start is not end and op is not None and op is not end:
            between.append(op)
            op = op.next_op
        return [*_way_out(early, top), *rest, *between, *begin, *_way_in(late, top)]

    def _waits_in(self, loop: scf.ForOp) -> bool:
        """True if a loop contains a barrier or a wait for copies."""
        waits = self.waits.get(loop)
        if waits is None:
            waits = self.waits[loop] = any(isinstance(op, _WAITS) for op in loop.walk())
        return waits

    def _least_trips(self, loop: scf.ForOp) -> int:
        """A lower bound of the trip count of a loop."""
        low, high, step = map(constant_of, (loop.lb, loop.ub, loop.step))
        if low is None or high is None or not step:
            return 0
        return max(0, -(-(high - low) // step))

    def _between(self, first: _Place, second: _Place) -> tuple[bool, bool]:
        """Two flags for the operations between two accesses in one iteration of the loops around
        both: True if a barrier may be executed, and True if a barrier is certainly executed.
        """
        if first is second:
            return False, False
        early, late = (first, second) if is_before(first.op, second.op) else (second, first)
        blocks = {block for block, _ in late.path}
        top = next(block for block, _ in early.path if block in blocks)
        begin, end = dict(early.path)[top], dict(late.path)[top]
        if begin is end:  # in different branches of one scf.if
            return self._barriers_in(begin)[0], False
        ops: list[Operation] = []
        op = begin.next_op
        while op is not None and op is not end:
            ops.append(op)
            op = op.next_op
        return self._along(early, late, top, ops)

    def _around(self, earlier: _Place, later: _Place, loop: scf.ForOp) -> tuple[bool, bool]:
        """:meth:`_between` from one iteration of a loop to the next."""
        top = loop.body.block
        begin, end = dict(earlier.path)[top], dict(later.path)[top]
        ops = [*_after(begin), *_before(end)]
        return self._along(earlier, later, top, ops)

    def _along(
        self, earlier: _Place, later: _Place, top: Block, ops: list[Operation]
    ) -> tuple[bool, bool]:
        """:meth:`_between` for ``ops`` of ``top``, plus the operations in inner blocks after the
        earlier and before the later access.
        """
        may = must = False
        for place, side in ((earlier, _after), (later, _before)):
            for block, op in place.path:
                if block is top:
                    break
                ops += side(op)
                parent = block.parent_op()
                may |= isinstance(parent, scf.ForOp) and self._barriers_in(parent)[0]
        for op in ops:
            some, certain = self._barriers_in(op)
            may, must = may or some, must or certain
        return may, must

    def _in_block(self, block: Block) -> tuple[bool, bool]:
        answers = [self._barriers_in(op) for op in block.ops]
        return any(some for some, _ in answers), any(certain for _, certain in answers)

    def _barriers_in(self, op: Operation) -> tuple[bool, bool]:
        effect = self.barriers.get(op)
        if effect is None:
            if isinstance(op, BARRIERS):
                effect = True, True
            else:
                blocks = [self._in_block(block) for part in op.regions for block in part.blocks]
                may = any(some for some, _ in blocks)
                must = bool(blocks) and all(certain for _, certain in blocks)
                if isinstance(op, scf.ForOp):
                    low, high = self.reader.integer(op.lb), self.reader.integer(op.ub)
                    count = None if low is None or high is None else (high - low).value
                    may = may and (count is None or count > 0)
                    must = must and count is not None and count > 0
                elif isinstance(op, scf.IfOp):
                    must = must and len(blocks) == 2
                effect = may, must
            self.barriers[op] = effect
        return effect

    # Words

    def _own(self, place: _Place) -> list[str]:
        return [self.loops[loop.body.block.args[0]] for loop in place.loops]

    def _threads(self, mark: str) -> list[Condition]:
        return [
            dim(f"{name}{mark}").within(size)
            for name, size in zip(THREAD_AXES, self.reader.block, strict=True)
        ]

    def _is_launched(self, point: Point) -> bool:
        """True if every launch has the sizes that a point requires."""
        return None not in [*self.grid, *self.block] and not any(
            name.startswith(("n", "g", "h")) for name in point if name not in self.constants
        )

    def _unknown_memory(self) -> str:
        op = self.unknown_memory
        if self.by_itself is not None:
            return f"{self.by_itself.name} accesses memory by descriptors and sizes"
        return "" if op is None else f"{op.name} accesses a part of an array"

    def _thread(self, point: Point, mark: str = "") -> str:
        x, y, z = (point.get(f"{name}{mark}", 0) for name in THREAD_AXES)
        wide, high = (size or 1 for size in self.block[:2])
        return f"thread {x + wide * (y + high * z)}"

    def _who(self, point: Point, mark: str = "") -> str:
        x, y, z = (point.get(f"{name}{mark}", 0) for name in BLOCK_AXES)
        number_ = x + (self.grid[0] or 1) * (y + (self.grid[1] or 1) * z)
        return f"{self._thread(point, mark)} of block {number_}"


def _is_harmless(op: Operation) -> bool:
    """True if an operation accesses no memory and waits for no thread."""
    if isinstance(op, (*NUMBERS, *_HARMLESS)):
        return True
    dialect = op.name.partition(".")[0]
    if op.name in _LLVM_VALUES:
        return True
    is_pure = (dialect in ("arith", "math", "vector") and not op.regions) or (
        dialect == "llvm" and op.has_trait(Pure)
    )
    return is_pure and not any(isinstance(value.type, MemRefType) for value in op.operands)


def _after(op: Operation) -> list[Operation]:
    ops: list[Operation] = []
    while (following := op.next_op) is not None:
        ops.append(following)
        op = following
    return ops


def _before(op: Operation) -> list[Operation]:
    ops: list[Operation] = []
    while (previous := op.prev_op) is not None:
        ops.append(previous)
        op = previous
    return ops


def _way_out(place: _Place, top: Block) -> list[Operation]:
    """The operations after a place in the blocks around it inside ``top``, from the inside out."""
    ops: list[Operation] = []
    for block, op in place.path:
        if block is top:
            break
        ops += _after(op)
    return ops


def _way_in(place: _Place, top: Block) -> list[Operation]:
    """The operations before a place in the blocks around it inside ``top``, from the outside in."""
    ops: list[Operation] = []
    for block, op in place.path:
        if block is top:
            break
        ops = [*reversed(_before(op)), *ops]
    return ops


def _touches(first: Sequence[Term], access: _Access, element: Sequence[Term]) -> list[Condition]:
    """Conditions that ``element`` is among the elements of an access that begins at ``first``."""
    if not element:
        return []
    last = element[-1]
    return [
        *equal(element[:-1], first[:-1]),
        last >= first[-1],
        last < first[-1] + access.lanes,
    ]


def _name(access: _Access) -> str:
    return access.array.name_hint or buffer_name(access.array)


def _a(op: Operation) -> str:
    """A collective operation as text, with its article."""
    if isinstance(op, (*BARRIERS, gpu.ShuffleOp)):
        return "a barrier" if isinstance(op, BARRIERS) else "a shuffle"
    return op.name


def _verb(access: _Access) -> str:
    return "updated" if access.is_atomic else "written" if access.writes else "read"


def _why(point: Point | Undecided | None, what: str, place: _Place) -> str:
    if isinstance(point, Undecided):
        return point.reason
    return f"{what} depends on the arguments of a call{_line(place)}"


def _line(place: _Place) -> str:
    location = location_of(place.op)
    return "" if location is None else f", line {location.line}"
