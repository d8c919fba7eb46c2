"""The cost of a function, by counting: operations, bytes, and the traffic of each cache.

The count is static. It is exact where extents are constant and there are no predicates. A predicate
counts as true (an upper bound), and a symbolic size as the number that the caller assumes. The
traffic of a cache is an analytic model, not a simulation: if the working set of an iteration fits
the cache, the next iteration finds it there, and otherwise it finds nothing. Lines are 64 bytes.
The model is the one by which loop tiling is explained (Wolf and Lam, PLDI 1991).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    IndexType,
    MemRefType,
    StringAttr,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import BoundIndexValues, box
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.gpu.ptx_resources import KernelResources
from kc.dialects.tir import (
    AllocOp,
    BlockOp,
    CallOp,
    ForKind,
    ForOp,
    LoadOp,
    StoreOp,
    SymbolOp,
    ViewOp,
)
from kc.support.diagnostics import counted
from kc.support.display import to_table

LINE = 64
"""Bytes of a cache line."""

ASSUMED = 1024
"""The value of a symbolic size if the caller assumes none."""


@dataclass(frozen=True)
class Cost:
    """The cost of a function; bytes and counts are per call."""

    operations: int
    """Arithmetic operations on elements; a vector operation counts its lanes."""
    loaded: int
    """Bytes that loads read, if no value stayed in a register."""
    stored: int
    """Bytes that stores write."""
    footprint: int
    """Distinct bytes that the function accesses, over all buffers."""
    traffic: tuple[int, ...]
    """Bytes fetched into each cache from the next level, in the order of the requested cache sizes.
    """
    allocated: Mapping[str, int]
    """Bytes of the buffers that the function allocates, by memory scope."""
    alive: int
    """The most bytes of allocated buffers alive at a time, with one iteration of each parallel
    loop. ``storage-rewrite`` approaches this number.
    """
    tasks: int
    """An upper bound of the iterations of parallel loops that can run at the same time."""
    lanes: int
    """Iterations of the widest vectorized loop."""
    assumed: Mapping[str, int]
    """The assumed value of each symbolic size."""
    peak_memory: int | None = None
    """The peak memory in bytes of arguments and buffers after a build has moved, shrunk and shared
    buffers (:mod:`kc.conversion.peak_memory`); None if unknown.
    """
    kernels: tuple[KernelResources, ...] = ()
    """The resources of each GPU kernel, if the function can be compiled for a GPU."""

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        rows = [line.strip().split(maxsplit=1) for line in self.lines()]
        return to_table([(words[0], words[1] if len(words) > 1 else "") for words in rows])

    def lines(self, names: Sequence[str] = ("L1", "L2", "L3")) -> list[str]:
        """The cost as text, one line for each quantity; ``names`` are the names of the caches."""
        lines = [
            f"operations   {count_text(self.operations)}",
            f"loads        {size_text(self.loaded)}",
            f"stores       {size_text(self.stored)}",
            f"footprint    {size_text(self.footprint)}",
        ]
        for name, moved in zip(names, self.traffic, strict=False):
            lines.append(f"into {name:<8}{size_text(moved)}")
        for scope, size in self.allocated.items():
            lines.append(f"allocated    {size_text(size)} ({scope})")
        if self.alive < sum(self.allocated.values()):
            lines.append(f"alive        {size_text(self.alive)} at a time")
        if self.peak_memory is not None:
            lines.append(f"peak memory  {size_text(self.peak_memory)}")
        lines.append(f"parallel     {counted(self.tasks, 'task')}, {counted(self.lanes, 'lane')}")
        if self.assumed:
            lines.append("assumed      " + ", ".join(f"{n} = {v}" for n, v in self.assumed.items()))
        for kernel in self.kernels:
            lines.append(f"kernel       {kernel}")
            if kernel.verdicts is not None:
                lines += [f"  {line}" for line in kernel.verdicts.lines()]
        return lines


def count_text(count: int) -> str:
    """Format ``2147483648`` as ``2.15 G``."""
    return _scaled(count, 1000, ("", " k", " M", " G", " T", " P"))


def rate_text(rate: float) -> str:
    """Format ``2147483648`` operations a second as ``2.147 GFLOP/s``."""
    return _scaled(rate, 1000, [f" {prefix}FLOP/s" for prefix in ("", "k", "M", "G", "T", "P")])


def size_text(size: int) -> str:
    """Format ``65536`` as ``64 KiB``."""
    return _scaled(size, 1024, (" B", " KiB", " MiB", " GiB", " TiB", " PiB"))


def _scaled(value: float, base: int, units: Sequence[str]) -> str:
    scaled, unit = float(value), 0
    while scaled >= base and unit + 1 < len(units):
        scaled /= base
        unit += 1
    return f"{scaled:.4g}{units[unit]}" if scaled < 1000 else f"{scaled:.0f}{units[unit]}"


def estimate(
    function: func.FuncOp,
    caches: Sequence[int] = (),
    assume: Mapping[str, int] | None = None,
    within: Sequence[Operation] | None = None,
) -> Cost:
    """The cost of ``function``; ``caches`` are cache sizes in bytes, ``assume`` symbolic sizes by
    name.

    With ``within``, only these operations of the body are counted. In a function with branches,
    each basic block counts as executed once.
    """
    counter = _Counter(function, dict(assume or {}), within)
    return counter.cost([size for size in caches if size > 0])


def traffic_by_buffer(
    function: func.FuncOp,
    within: Sequence[Operation],
    caches: Sequence[int],
    assume: Mapping[str, int] | None = None,
) -> list[Mapping[SSAValue, int]]:
    """The bytes of each buffer that some operations of the body of ``function`` fetch.

    First those that they access, then for each cache, of ``caches`` bytes, those that come into it
    if it holds none of them before. ``assume`` gives symbolic sizes by name.
    """
    counter = _Counter(function, dict(assume or {}), within)
    return counter.traffic_by_buffer(caches)


def bytes_at_a_time(
    function: func.FuncOp, assume: Mapping[str, int] | None = None, threads: int = 1
) -> int:
    """Bytes of the arguments plus the most bytes of buffers alive at a time.

    A buffer inside a parallel loop exists once for each of the ``threads`` that run an iteration.
    """
    counter = _Counter(function, dict(assume or {}))
    return counter.argument_bytes() + counter.alive(counter.tops, threads)


class _Counter:
    """Counter of operations and bytes of one function, with a number for every size."""

    def __init__(
        self,
        function: func.FuncOp,
        assume: Mapping[str, int],
        within: Sequence[Operation] | None = None,
    ) -> None:
        self.function = function
        body = [op for block in function.body.blocks for op in block.ops]
        self.tops = body if within is None else within
        """The operations of the body that are counted."""
        # The body's ops without regions define sizes as well.
        simple = () if within is None else [op for op in body if not op.regions]
        self._read = [op for top in (*simple, *self.tops) for op in loop_tree.preorder(top)]
        self.assumed: dict[str, int] = {}
        self.index = self._numbers(function, assume)
        self._trips = {op: self._trip(op) for op in self._read if isinstance(op, ForOp)}
        self._arguments = self._argument_shapes()
        self._boxes: dict[Block, dict[SSAValue, int]] = {}

    def _numbers(self, function: func.FuncOp, assume: Mapping[str, int]) -> IndexValues:
        number_of_value: dict[SSAValue, int] = {}
        for value, name in _symbols(function):
            self.assumed[name] = number_of_value[value] = assume.get(name, ASSUMED)
        for op in self._read:
            if isinstance(op, SymbolOp):
                name = op.symbol.data
                self.assumed[name] = number_of_value[op.result] = assume.get(name, ASSUMED)
        return BoundIndexValues(
            {value: AffineExpr.constant(number) for value, number in number_of_value.items()}
        )

    def _trip(self, loop: ForOp) -> int:
        extent = loop.extent_value
        if loop.kind.data is ForKind.WHILE:
            return ASSUMED
        if isinstance(extent, int):
            return extent
        number = self.index.constant(extent)
        if number is None:
            _, high = self.index.bounds(self.index.expr(extent))
            number = high if high is not None else ASSUMED
        return max(number, 0)

    def cost(self, caches: Sequence[int]) -> Cost:
        counts = self._count(self.tops)
        allocated: dict[str, int] = defaultdict(int)
        for top in self.tops:
            for op in loop_tree.preorder(top):
                if isinstance(op, AllocOp):
                    allocated[_scope(op.buffer.type)] += self._size(op.buffer) or 0
        touched = self._touched_by_all()
        lanes = [self._trips[loop] for loop in self._trips if loop.kind.data is ForKind.VECTORIZED]
        return Cost(
            operations=counts[0],
            loaded=counts[1],
            stored=counts[2],
            footprint=sum(touched.values()),
            traffic=tuple(
                sum(self._traffic(self.tops, touched, cache).values()) for cache in caches
            ),
            allocated=dict(allocated),
            alive=self.alive(self.tops),
            tasks=self._tasks(self.tops),
            lanes=max(lanes, default=1),
            assumed=self.assumed,
        )

    def traffic_by_buffer(self, caches: Sequence[int]) -> list[Mapping[SSAValue, int]]:
        touched = self._touched_by_all()
        return [touched, *(self._traffic(self.tops, touched, cache) for cache in caches)]

    def _size(self, buffer: SSAValue) -> int | None:
        """The bytes of a buffer; None if its shape is unknown."""
        shape = self._shape(buffer)
        if any(size is None for size in shape):
            return None
        assert isinstance(buffer.type, MemRefType)
        return _bytes(buffer.type.element_type) * math.prod(size or 0 for size in shape)

    def _shape(self, buffer: SSAValue) -> list[int | None]:
        assert isinstance(buffer.type, MemRefType)
        shape = buffer.type.get_shape()
        if isinstance(buffer.owner, AllocOp):
            sizes = iter(buffer.owner.dynamic_sizes)
            return [size if size >= 0 else self.index.constant(next(sizes)) for size in shape]
        declared = self._arguments.get(buffer)
        if declared is None:
            return [size if size >= 0 else None for size in shape]
        return list(declared)

    def _argument_shapes(self) -> dict[SSAValue, tuple[int, ...]]:
        """The shapes of arguments with ``kc.shape``, with numbers for the symbols."""
        symbols = self.function.attributes.get("kc.symbols")
        if self.function.arg_attrs is None or not isinstance(symbols, ArrayAttr):
            return {}
        numbers = [
            self.assumed.get(getattr(symbol, "data", ""), ASSUMED) for symbol in symbols.data
        ]
        shapes = {}
        args = self.function.args
        for value, attrs in zip(args, self.function.arg_attrs.data, strict=True):
            shape = attrs.data.get("kc.shape")
            if isinstance(shape, AffineMapAttr):
                shapes[value] = shape.data.eval([], numbers)
        return shapes

    # Counting ------------------------------------------------------------------------------

    def _count(self, ops: Iterable[Operation]) -> tuple[int, int, int]:
        """The operations, bytes loaded and bytes stored by one execution of ``ops``."""
        operations = loaded = stored = 0
        for op in ops:
            if isinstance(op, LoadOp):
                loaded += _bytes(op.result.type)
            elif isinstance(op, StoreOp):
                stored += _bytes(op.value.type)
            elif isinstance(op, CallOp):
                for buffer, is_read, is_written in op.accesses:
                    size = self._size(buffer) or LINE
                    loaded += is_read * size
                    stored += is_written * size
            elif _is_arithmetic(op):
                operations += _lanes(op.results[0].type)
            # An init runs once where the body runs often, so it is not counted.
            regions = [op.body] if isinstance(op, BlockOp) else op.regions
            times = self._trips[op] if isinstance(op, ForOp) else 1
            for region in regions:
                for inner in region.blocks:
                    counts = self._count(inner.ops)
                    operations += times * counts[0]
                    loaded += times * counts[1]
                    stored += times * counts[2]
        return operations, loaded, stored

    def argument_bytes(self) -> int:
        """Bytes of the array arguments."""
        arrays = (value for value in self.function.args if isinstance(value.type, MemRefType))
        return sum(self._size(value) or 0 for value in arrays)

    def alive(self, ops: Iterable[Operation], threads: int = 1) -> int:
        """The most bytes of buffers alive at a time in one execution of ``ops``.

        The iterations of a parallel loop run on ``threads`` threads.
        """
        order = {op: n for n, op in enumerate(ops)}
        inside: list[int] = []
        for op in order:
            at_once, left = 1, threads
            if isinstance(op, ForOp) and op.kind.data is ForKind.PARALLEL:
                at_once, left = max(1, min(threads, self._trips[op])), 1
            bodies = [body for region in op.regions for body in region.blocks]
            inside.append(at_once * max((self.alive(body.ops, left) for body in bodies), default=0))
        for op in order:
            if isinstance(op, AllocOp):
                users = [
                    order[around]
                    for use in op.buffer.uses
                    for around in loop_tree.path_to(use.operation)
                    if around in order
                ]
                for n in range(min(users, default=0), max(users, default=-1) + 1):
                    inside[n] += self._size(op.buffer) or 0
        return max(inside, default=0)

    def _tasks(self, ops: Iterable[Operation]) -> int:
        most = 1
        for op in ops:
            regions = [op.body] if isinstance(op, BlockOp) else op.regions
            inner = max(
                (self._tasks(body.ops) for region in regions for body in region.blocks), default=1
            )
            if isinstance(op, ForOp) and op.kind.data not in _ONE_AFTER_THE_OTHER:
                inner *= max(self._trips[op], 1)
            most = max(most, inner)
        return most

    # Working sets --------------------------------------------------------------------------

    def _touched_by_all(self) -> dict[SSAValue, int]:
        """Footprint of all counted operations: distinct bytes of each buffer, in whole lines."""
        grouped = _by_buffer(op for top in self.tops for op in loop_tree.preorder(top))
        body = self.function.body.blocks[0]  # A function with branches has no loops.
        return {
            buffer: self._box_size(buffer, accesses, body) for buffer, accesses in grouped.items()
        }

    def _touched(self, block: Block) -> dict[SSAValue, int]:
        """Footprint of one execution of ``block``: distinct bytes of each buffer, in whole cache
        lines.
        """
        touched = self._boxes.get(block)
        if touched is None:
            touched = {}
            for buffer, accesses in self._grouped(block).items():
                touched[buffer] = self._box_size(buffer, accesses, block)
            self._boxes[block] = touched
        return touched

    def _grouped(self, block: Block) -> dict[SSAValue, list[_Access]]:
        return _by_buffer(inner for op in block.ops for inner in loop_tree.preorder(op))

    def _box_size(self, buffer: SSAValue, accesses: Sequence[_Access], block: Block) -> int:
        assert isinstance(buffer.type, MemRefType)
        whole = self._size(buffer)
        boxes = [access for access in accesses if access is not None]
        if len(boxes) < len(accesses):
            return LINE * ASSUMED if whole is None else max(whole, LINE)
        part = box(boxes, block, self.index)
        if not part:
            return LINE
        sizes = [
            interval.size if interval.size is not None else (n if n is not None else ASSUMED)
            for interval, n in zip(part, self._shape(buffer), strict=True)
        ]
        run = sizes[-1] * _bytes(buffer.type.element_type)
        size = math.prod(sizes[:-1]) * max(1, -(-run // LINE)) * LINE
        return size if whole is None else min(size, max(whole, LINE))

    def _traffic(
        self, ops: Iterable[Operation], touched: dict[SSAValue, int], cache: int
    ) -> dict[SSAValue, int]:
        """Bytes of each buffer fetched into ``cache`` by one execution of ``ops``.

        ``touched`` is the footprint of ``ops``, by buffer.
        """
        if sum(touched.values()) <= cache:
            return touched
        moved: dict[SSAValue, int] = defaultdict(int)
        for op in ops:
            if isinstance(op, ForOp):
                fetched = self._loop_traffic(op, cache)
            elif isinstance(op, LoadOp | StoreOp):
                fetched = {_viewed(op.buffer)[0]: LINE}
            elif isinstance(op, CallOp):
                block = op.parent
                assert block is not None
                fetched = {
                    buffer: self._box_size(buffer, accesses, block)
                    for buffer, accesses in _by_buffer([op]).items()
                }
            else:
                regions = [op.body] if isinstance(op, BlockOp) else op.regions
                fetched = defaultdict(int)
                for region in regions:
                    for inner in region.blocks:
                        parts = self._traffic(inner.ops, self._touched(inner), cache)
                        for buffer, size in parts.items():
                            fetched[buffer] += size
            for buffer, size in fetched.items():
                moved[buffer] += size
        return moved

    def _loop_traffic(self, loop: ForOp, cache: int) -> dict[SSAValue, int]:
        body, trips = loop.body.block, self._trips[loop]
        inner = self._touched(body)
        if sum(inner.values()) <= cache:
            # The next iteration finds the footprint of this one in the cache.
            whole = {
                buffer: self._box_size(buffer, accesses, _outside(loop))
                for buffer, accesses in self._grouped(body).items()
            }
            return {buffer: min(size, trips * inner[buffer]) for buffer, size in whole.items()}
        return {
            buffer: trips * size for buffer, size in self._traffic(body.ops, inner, cache).items()
        }


_Access = LoadOp | StoreOp | ViewOp | None
"""An access that determines the touched elements of a buffer; None for all elements."""


def _by_buffer(ops: Iterable[Operation]) -> dict[SSAValue, list[_Access]]:
    """The loads, stores and calls among ``ops``, by the buffer accessed. An access through a view
    counts for the viewed buffer, with at most the elements of the view.
    """
    grouped: dict[SSAValue, list[_Access]] = defaultdict(list)
    for op in ops:
        if isinstance(op, LoadOp | StoreOp):
            buffer, view = _viewed(op.buffer)
            grouped[buffer].append(view or op)
        elif isinstance(op, CallOp):
            for value, _, _ in op.accesses:
                buffer, view = _viewed(value)
                grouped[buffer].append(view)
    return grouped


def _viewed(buffer: SSAValue) -> tuple[SSAValue, ViewOp | None]:
    """The buffer at the root of a chain of views, and the outermost view in the chain; None if
    ``buffer`` is no view.
    """
    view = None
    while isinstance(buffer.owner, ViewOp):
        view = buffer.owner
        buffer = view.buffer
    return buffer, view


_ONE_AFTER_THE_OTHER = (
    ForKind.SERIAL,
    ForKind.UNROLLED,
    ForKind.VECTORIZED,
    ForKind.WHILE,
)


def _outside(loop: ForOp) -> Block:
    block = loop.parent
    assert block is not None
    return block


def _symbols(function: func.FuncOp) -> Iterable[tuple[SSAValue, str]]:
    if function.arg_attrs is None:
        return
    for value, attrs in zip(function.args, function.arg_attrs.data, strict=True):
        symbol = attrs.data.get("kc.symbol")
        if isinstance(symbol, StringAttr):
            yield value, symbol.data


def _is_arithmetic(op: Operation) -> bool:
    if not op.name.startswith(("arith.", "math.")) or isinstance(op, arith.ConstantOp):
        return False
    kind = op.results[0].type
    element = kind.get_element_type() if isinstance(kind, VectorType) else kind
    return not isinstance(element, IndexType)


def _lanes(kind: Attribute) -> int:
    return math.prod(kind.get_shape()) if isinstance(kind, VectorType) else 1


def _bytes(kind: Attribute) -> int:
    if isinstance(kind, VectorType):
        return math.prod(kind.get_shape()) * _bytes(kind.get_element_type())
    return max(1, getattr(kind, "bitwidth", 64) // 8)


def _scope(kind: Attribute) -> str:
    space = kind.memory_space if isinstance(kind, MemRefType) else None
    return space.data if isinstance(space, StringAttr) else "global"
