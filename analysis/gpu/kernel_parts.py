"""Arrays that are views of a block's memory, and the overlaps between them.

``memref.view`` makes an array from bytes of ``gpu.dynamic_shared_memory`` or of an argument in
``workgroup(...)``. A view that overlaps no other view is a separate array. Overlapping views can be
compared if their elements have one size and begin at multiples of it: an element is then identified
by its number in the common memory.

The host may compute the offset of a view from sizes of a call. Two such views are compared under
the equations of all launches (:class:`LaunchTerms`): they are disjoint if no sizes make them
overlap, among the sizes for which the launch requests no more memory than a block has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import SSAValue

from kc.analysis.affine.isl_sets import first_point
from kc.analysis.affine.terms import Condition, Term, all_of, dim, number
from kc.analysis.gpu.kernel_launches import LaunchTerm, constant_of, launches_of
from kc.analysis.gpu.kernel_values import KernelValues
from kc.analysis.gpu.shared_memory import bytes_of
from kc.dialects import gpu
from kc.dialects.gpu import GPUFuncOp


@dataclass(frozen=True)
class Part:
    """An array in the memory of a block.

    ``base`` represents the group of arrays with which the array may overlap, and ``shift`` is the
    number of the array's first element in ``base``. ``is_shared``: the group has further arrays.
    """

    base: SSAValue
    shift: int = 0
    is_shared: bool = False


@dataclass(frozen=True)
class _View:
    """A view of the bytes from ``begin`` up to but not including ``end``, which is infinite if
    unknown.
    """

    op: memref.ViewOp
    begin: int
    end: float

    @property
    def type(self) -> MemRefType:
        type_ = self.op.result.type
        assert isinstance(type_, MemRefType)
        return type_

    @property
    def width(self) -> int:
        return bytes_of(MemRefType(self.type.element_type, []))


def parts_of(kernel: GPUFuncOp, launched: LaunchTerms) -> tuple[dict[SSAValue, Part], str]:
    """The views of a kernel whose overlaps are known, and the reason why some views are not certain
    to be inside of the block's memory; the reason is empty if all are.
    """
    by_source: dict[SSAValue | None, list[memref.ViewOp]] = {}
    """Views of dynamic memory have the key None, as a block has a single dynamic memory."""
    used: set[SSAValue | None] = set()
    """The memories that are used other than through views."""
    memories = set(kernel.workgroup_memory)
    for op in kernel.walk():
        for operand in op.operands:
            is_dynamic = isinstance(operand.owner, gpu.DynamicSharedMemoryOp)
            if is_dynamic or operand in memories:
                source = None if is_dynamic else operand
                if isinstance(op, memref.ViewOp):
                    by_source.setdefault(source, []).append(op)
                else:
                    used.add(source)
    parts: dict[SSAValue, Part] = {}
    beyond = ""
    for source, ops in by_source.items():
        views = [_view(op) for op in ops]
        static_views = [view for view in views if view is not None]
        end = (
            max((view.end for view in static_views), default=inf)
            if len(static_views) == len(ops)
            else inf
        )
        if end > _size(kernel, source) and (source is not None or not launched.holds(ops)):
            beyond = "the size of dynamic shared memory is known only at the launch"
        if source not in used and len(static_views) == len(ops):
            for group in _groups(static_views):
                parts |= _of_group(group)
        elif source not in used:
            alone = [
                op for op in ops if all(op is peer or launched.apart(op, peer) for peer in ops)
            ]
            parts |= {op.result: Part(op.result) for op in alone}
    return parts, beyond


MOST_BYTES = 1 << 20
"""More bytes than the memory of any block; launches that request more are refused."""


class LaunchTerms:
    """The offsets of views as terms over sizes of the launches' arguments."""

    def __init__(self, reader: KernelValues, launches: Sequence[LaunchTerm]) -> None:
        self.reader, self.launches = reader, launches

    def begin(self, view: memref.ViewOp) -> Term:
        """The offset of the first byte of a view."""
        return self.reader.read(view.byte_shift)

    def end(self, view: memref.ViewOp) -> Term | None:
        """The offset behind the last byte of a view; None if the offset is not a term."""
        type_ = view.result.type
        assert isinstance(type_, MemRefType)
        count: Term | None = number(bytes_of(MemRefType(type_.element_type, [])))
        for axis in range(type_.get_num_dims()):
            size = self.reader.size(view.result, axis)
            if size.value is not None:
                count = None if count is None else count * size.value
            elif count is not None and count.value is not None:
                count = size * count.value
            else:
                return None
        return None if count is None else self.begin(view) + count

    def apart(self, first: memref.ViewOp, second: memref.ViewOp) -> bool:
        """True if two views are disjoint in every launch."""
        ends = self.end(first), self.end(second)
        if ends[0] is None or ends[1] is None:
            return False
        begins = self.begin(first), self.begin(second)
        return self._is_never([begins[0] < ends[1], begins[1] < ends[0]])

    def holds(self, views: Sequence[memref.ViewOp]) -> bool:
        """True if the dynamic memory of every launch contains all ``views``."""
        if any(launch.dynamic is None for launch in self.launches):
            return False
        for view in views:
            end = self.end(view)
            if end is None or not self._is_never([end > dim(_DYNAMIC)]):
                return False
        return bool(self.launches)

    def remainder(self, view: memref.ViewOp, multiple: int) -> bool:
        """True if a view begins at a multiple of ``multiple`` bytes in every launch."""
        return self._is_never([(self.begin(view) % multiple).differs(0)])

    def _is_never(self, parts: Sequence[Condition]) -> bool:
        """True if no launch satisfies all of ``parts``."""
        for launch in self.launches or (LaunchTerm({}, None),):
            conditions = [
                self.reader.read(value).equals(term) for value, term in launch.arguments.items()
            ]
            if launch.dynamic is not None:
                conditions += [dim(_DYNAMIC).equals(launch.dynamic), launch.dynamic < MOST_BYTES]
            condition = all_of([*parts, *conditions])
            if first_point(condition, sorted(condition.names())) is not None:
                return False
        return True


_DYNAMIC = "bytes"
"""The dimension that represents the size of the dynamic memory."""


def _view(op: memref.ViewOp) -> _View | None:
    begin = constant_of(op.byte_shift)
    if begin is None:
        return None
    type_ = op.result.type
    assert isinstance(type_, MemRefType)
    sizes = iter(op.sizes)
    shape = [
        constant_of(next(sizes)) if size == DYNAMIC_INDEX else size for size in type_.get_shape()
    ]
    width = bytes_of(MemRefType(type_.element_type, []))
    static_sizes = [size for size in shape if size is not None]
    return _View(
        op, begin, begin + prod(static_sizes) * width if len(static_sizes) == len(shape) else inf
    )


def _size(kernel: GPUFuncOp, source: SSAValue | None) -> int:
    """The smallest size in bytes of a memory over all launches."""
    if source is not None:
        assert isinstance(source.type, MemRefType)
        return bytes_of(source.type)
    sizes = [
        None if (size := launch.dynamic_shared_memory_size) is None else constant_of(size)
        for launch in launches_of(kernel)
    ]
    return min((0 if size is None else size for size in sizes), default=0)


def _groups(views: Sequence[_View]) -> list[list[_View]]:
    """Groups of views that overlap, directly or through other views."""
    groups: list[list[_View]] = []
    end: float = -1
    for view in sorted(views, key=lambda view: view.begin):
        if view.begin >= end or not groups:
            groups.append([])
        groups[-1].append(view)
        end = max(end, view.end)
    return groups


def _of_group(views: Sequence[_View]) -> dict[SSAValue, Part]:
    first, width = views[0], views[0].width
    if len(views) == 1:
        return {first.op.result: Part(first.op.result)}
    if any(view.width != width or (view.begin - first.begin) % width for view in views):
        return {}
    return {
        view.op.result: Part(first.op.result, (view.begin - first.begin) // width, True)
        for view in views
    }
