"""The alignment of vectors in an unfinished schedule, as GPUs require it for vector accesses."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FixedBitwidthType, MemRefType, NoneAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import BoundIndexValues
from kc.analysis.gpu.vector_alignment import DEVICE_ALIGNMENT, divisor, known_alignment
from kc.analysis.loop_tree import buffer_name, memory_scope
from kc.dialects.affine_assembly import linear_terms
from kc.dialects.tir import DYNAMIC, AllocOp, ForKind, ForOp, LoadOp, StoreOp
from kc.support.diagnostics import warn
from kc.transforms.schedule.base import CALL_SITE
from kc.transforms.schedule.threads._shared_memory import part_in_kernel

PRIMITIVES = frozenset({"bind", "compute-at", "reverse-compute-at", "storage-align", "vectorize"})
"""The primitives that create vectors in a kernel, or change the distances of its elements."""

STORAGE_ALIGN = "tir.storage_align"


@dataclass(frozen=True)
class Unaligned:
    """A vector access without known alignment."""

    op: LoadOp | StoreOp
    lanes: int
    size: int
    """The bytes of an element."""
    steps: tuple[int, ...]
    """For each index, a divisor of the number of elements by which it moves the address."""
    distances: tuple[int | None, ...]
    """The strides along each axis in elements; None if only the call fixes the stride."""

    @property
    def width(self) -> int:
        """The required alignment of the address in bytes."""
        return min(self.lanes * self.size, DEVICE_ALIGNMENT)

    @property
    def known_alignment(self) -> int:
        """The known alignment of the address in bytes."""
        return known_alignment(self.steps, self.size)


def unaligned_vectors(function: func.FuncOp) -> list[Unaligned]:
    """The accesses of vectorized loops to consecutive elements whose address is not a known
    multiple of the vector's size or of 16 bytes.

    Shared buffers have their future sizes in the kernel; shared buffers outside kernels are left
    out.
    """
    return [
        access
        for loop in loop_tree.loops(function)
        if loop.kind.data is ForKind.VECTORIZED
        for op in loop.walk()
        if isinstance(op, LoadOp | StoreOp)
        and (access := _access(op, loop)) is not None
        and access.known_alignment < access.width
    ]


def _access(op: LoadOp | StoreOp, loop: ForOp) -> Unaligned | None:
    """An access as vectors over the lanes of a loop; None if the elements are not consecutive."""
    lanes, type_ = loop.static_extent, op.buffer.type
    assert isinstance(type_, MemRefType)
    element = type_.element_type
    if lanes is None or lanes < 2 or lanes & (lanes - 1):
        return None
    if not isinstance(element, FixedBitwidthType) or not isinstance(type_.layout, NoneAttr):
        return None
    sizes = [None if size == DYNAMIC else size for size in type_.get_shape()]
    index = BoundIndexValues()
    exprs = [index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]
    if memory_scope(op.buffer).startswith("shared"):
        part = part_in_kernel(op.buffer, index)
        if part is None:
            return None
        for n, interval in enumerate(part):
            if interval.size is not None:
                sizes[n] = interval.size
                exprs[n] = exprs[n] - interval.base
    distances = _distances(op.buffer, sizes)
    first, second = (_of_lane(exprs, loop, index, lane) for lane in range(2))
    apart = 0
    for before, after, distance in zip(first, second, distances, strict=True):
        terms, constant = linear_terms(after - before)
        if terms or (constant and distance is None):
            return None
        apart += constant * (distance or 0)
    if apart != 1:
        return None
    steps = [
        divisor(expr) * (1 if distance is None else distance)
        for expr, distance in zip(first, distances, strict=True)
    ]
    return Unaligned(op, lanes, max(element.bitwidth, 8) // 8, tuple(steps), tuple(distances))


def _of_lane(
    exprs: list[AffineExpr], loop: ForOp, index: BoundIndexValues, lane: int
) -> list[AffineExpr]:
    """The indices in iteration ``lane`` of the vectorized loop."""
    dims: list[AffineExpr] = [
        AffineExpr.constant(lane) if root is loop.var else AffineExpr.dimension(n)
        for n, root in enumerate(index.roots)
    ]
    return [index.simplify(expr.replace_dims_and_symbols(dims, ())) for expr in exprs]


def _distances(buffer: SSAValue, sizes: list[int | None]) -> list[int | None]:
    """The strides along each axis in elements; None if only the call fixes the stride."""
    requests: dict[int, tuple[int, int]] = {}
    alloc = buffer.owner
    note = alloc.attributes.get(STORAGE_ALIGN) if isinstance(alloc, AllocOp) else None
    for request in note if isinstance(note, ArrayAttr) else ():
        assert isinstance(request, DenseArrayBase)
        axis, factor, offset = request.get_values()
        requests[int(axis)] = int(factor), int(offset)
    distances: list[int | None] = []
    distance: int | None = 1
    for axis in reversed(range(len(sizes))):
        if axis in requests and distance is not None:
            factor, offset = requests[axis]
            distance += (offset - distance) % factor
        distances.append(distance)
        size = sizes[axis]
        distance = None if distance is None or size is None else distance * size
    return distances[::-1]


def warn_of_alignment(
    primitive: str, function: func.FuncOp, before: Collection[LoadOp | StoreOp]
) -> None:
    """Warn (KC3446) of vectors without known alignment that a primitive has created or moved;
    ``before`` are the accesses that had this problem before.
    """
    added = {
        access.op.buffer: access
        for access in reversed(unaligned_vectors(function))
        if access.op not in before
    }
    if not added:
        return
    width = max(len(buffer_name(buffer)) for buffer in added)
    facts = [
        f"{buffer_name(buffer):<{width}}  {access.width} bytes at a multiple of "
        f"{access.known_alignment}"
        for buffer, access in reversed(added.items())
    ]
    hints = dict.fromkeys(hint for access in reversed(added.values()) for hint in _hints(access))
    warn(
        "KC3446",
        f"{primitive}: the alignment of vectors of @{function.sym_name.data} is unknown",
        location=CALL_SITE.get(),
        facts=facts,
        why="a GPU accesses a vector at once if its address is a multiple of its size; other "
        "vectors are split",
        hints=list(hints),
    )


def _hints(access: Unaligned) -> Iterator[str]:
    """The changes that would align the address to the size of a vector."""
    name, elements = buffer_name(access.op.buffer), access.width // access.size
    last = len(access.steps) - 1
    for axis, step in enumerate(access.steps):
        if step % elements == 0:
            continue
        if axis == last:
            yield (
                f"begin vectors of {name} at multiples of {elements}: split by such factors, or "
                f"cache_read {name}"
            )
        elif access.distances[axis] is None:
            yield f"give {name} constant sizes after axis {axis}"
        elif memory_scope(access.op.buffer) == "global":
            distance = access.distances[axis]
            yield f"pad {name}: along axis {axis} its elements are {distance} apart"
        else:
            yield f"storage_align {name} with axis={axis} factor={elements} offset=0"
