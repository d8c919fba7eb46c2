"""The insertion point of raised ops, and the nests for linalg ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import cf, memref, scf, tensor
from xdsl.dialects.builtin import MemRefType, ShapedType
from xdsl.dialects.linalg.ops import IndexOp, YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.pattern_rewriter import RewritePattern

from kc.conversion._te_blocks import nest
from kc.conversion.driver import CopyingConversion
from kc.conversion.raise_to_tir.structured import Structure, identity
from kc.dialects import tir
from kc.support.diagnostics import CodegenError
from kc.support.fresh_names import fresh_name
from kc.support.locations import location_of

Extent = int | SSAValue


@dataclass(frozen=True)
class View:
    """A view of a buffer: the map from its indices, followed by the values ``outer``, to the
    buffer's indices.
    """

    buffer: SSAValue
    exprs: tuple[AffineExpr, ...]
    outer: tuple[SSAValue, ...]


class Emitter(CopyingConversion):
    """A conversion that builds nests, with unique names for blocks and buffers."""

    def __init__(self, patterns: tuple[type[RewritePattern], ...]) -> None:
        super().__init__(patterns)
        self.buffer_sizes: dict[SSAValue, list[Extent]] = {}
        self.views: dict[SSAValue, View] = {}
        """For each value that represents a view, the view. No op has it as an operand."""
        self.labels: set[str] = set()
        self.buffer_labels: set[str] = set()

    def base(self, buffer: SSAValue) -> SSAValue:
        """The buffer behind a view, or the buffer itself."""
        view = self.views.get(buffer)
        return buffer if view is None else view.buffer

    def place(
        self, buffer: SSAValue, space: AffineMap, operands: Sequence[SSAValue]
    ) -> tuple[SSAValue, AffineMap, list[SSAValue]]:
        """The access to the underlying buffer for an access to a buffer or a view."""
        view = self.views.get(buffer)
        if view is None:
            return buffer, space, list(operands)
        dims = [*space.results]
        dims += [AffineDimExpr(len(operands) + n) for n in range(len(view.outer))]
        exprs = tuple(expr.replace_dims_and_symbols(dims, ()) for expr in view.exprs)
        inner = AffineMap(len(operands) + len(view.outer), 0, exprs)
        return view.buffer, inner, [*operands, *view.outer]

    def load(
        self, buffer: SSAValue, space: AffineMap, operands: Sequence[SSAValue], source: Operation
    ) -> SSAValue:
        """An element of a buffer or a view."""
        return self.emit(tir.LoadOp(*self.place(buffer, space, operands)), source).results[0]

    def store(
        self,
        value: SSAValue,
        buffer: SSAValue,
        space: AffineMap,
        operands: Sequence[SSAValue],
        source: Operation,
    ) -> None:
        """Store an element of a buffer or a view."""
        self.emit(tir.StoreOp(value, *self.place(buffer, space, operands)), source)

    def label(self, name: str) -> str:
        """A unique name for a block."""
        return fresh_name(name if tir.is_name(name) else "block", self.labels)

    def buffer_label(self, name: str) -> str:
        """A unique name for a buffer."""
        return fresh_name(name if tir.is_name(name) else "buffer", self.buffer_labels)

    def alloc(
        self, name: str, type_: ShapedType, sizes: Sequence[Extent], source: Operation
    ) -> SSAValue:
        """Allocate a buffer."""
        shape = [size if isinstance(size, int) else tir.DYNAMIC for size in sizes]
        dynamic = [size for size in sizes if not isinstance(size, int)]
        buffer_type = MemRefType(type_.get_element_type(), shape)  # pyright: ignore
        op = tir.AllocOp(self.buffer_label(name), buffer_type, dynamic)
        self.emit(op, source)
        self.buffer_sizes[op.buffer] = list(sizes)
        return op.buffer

    def spatial(
        self,
        label: str,
        sizes: Sequence[Extent],
        element: Callable[[Block], None],
        source: Operation,
        names: Sequence[str] = (),
    ) -> None:
        """A nest over ``sizes``; ``element`` fills the body of its block."""
        names = names or [f"d{n}" for n in range(len(sizes))]
        self._nest(label, names, sizes, [tir.IterType.SPATIAL] * len(sizes), element, source)

    def _nest(
        self,
        label: str,
        names: Sequence[str],
        sizes: Sequence[Extent],
        kinds: Sequence[tir.IterType],
        element: Callable[[Block], None],
        source: Operation,
    ) -> None:
        loops = [tir.ForOp(name, size) for name, size in zip(names, sizes, strict=True)]
        body = Block(arg_types=[tir.INDEX] * len(sizes))
        for arg, name in zip(body.args, names, strict=True):
            arg.name_hint = f"v_{name}"
        self.into(body, lambda: element(body))
        iters = [
            (kind, f"v_{name}", size) for kind, name, size in zip(kinds, names, sizes, strict=True)
        ]
        bindings = identity(len(sizes))
        block = tir.BlockOp(
            self.label(label), iters, bindings, [loop.var for loop in loops], Region(body)
        )
        block.location = source.location
        for loop in loops:
            loop.location = source.location
        self.add(nest(loops, block))

    def fill(
        self,
        scalar: SSAValue,
        buffer: SSAValue,
        sizes: Sequence[Extent],
        label: str,
        source: Operation,
    ) -> None:
        """Build a nest that stores ``scalar`` to all elements."""

        def element(body: Block) -> None:
            self.store(scalar, buffer, identity(len(sizes)), body.args, source)

        self.spatial(label, sizes, element, source)

    def structured(
        self,
        structure: Structure,
        operands: Sequence[SSAValue],
        extents: Sequence[Extent],
        starts: Sequence[SSAValue | None],
    ) -> None:
        """Build the nest of a linalg op on ``operands``: buffers, and scalars for known values.

        ``starts`` are initial values of outputs, if they are scalars that are not in memory.
        """
        count = len(structure.inputs)
        written = operands[count:]
        args = structure.body.block.args
        loads = [
            value if not isinstance(value.type, MemRefType) else None for value in operands[:count]
        ]
        loads += starts

        def element(body: Block) -> None:
            for arg, operand, space, scalar in zip(
                args, operands, structure.maps, loads, strict=True
            ):
                if scalar is not None:
                    self.values[arg] = scalar
                elif arg.first_use is not None:
                    self.values[arg] = self._load(operand, space, body.args, structure.op)
                    self.values[arg].name_hint = arg.name_hint
            self.scalar_code(structure.body.block, body.args)
            end = structure.body.block.last_op
            assert isinstance(end, YieldOp)
            results = [self.value(yielded) for yielded in end.operands]
            for value, buffer, space in zip(results, written, structure.maps[count:], strict=True):
                self.store(value, buffer, *_access(space, body.args), structure.op)

        kinds = self._kinds(structure, operands)
        self._nest(structure.label, structure.names, extents, kinds, element, structure.op)

    def _load(
        self, buffer: SSAValue, space: AffineMap, args: Sequence[SSAValue], source: Operation
    ) -> SSAValue:
        return self.load(buffer, *_access(space, args), source)

    def _kinds(self, structure: Structure, operands: Sequence[SSAValue]) -> list[tir.IterType]:
        """The types of the loops, as far as they are proven; iterator types are not trusted."""
        count = len(structure.inputs)
        outputs = list(zip(operands[count:], structure.maps[count:], strict=True))
        for buffer, space in zip(operands[:count], structure.maps[:count], strict=True):
            if any(
                self.base(buffer) is self.base(output)
                and (buffer is not output or space != output_space)
                for output, output_space in outputs
            ):
                # The operation reads its output buffer.
                return [tir.IterType.OPAQUE] * structure.rank
        kinds: list[tir.IterType] = []
        for n, is_reduced in enumerate(structure.is_reduced):
            owned = all(AffineDimExpr(n) in space.results for _, space in outputs)
            used = any(n in expr.used_dims() for _, space in outputs for expr in space.results)
            if is_reduced:
                kinds.append(tir.IterType.OPAQUE if used else tir.IterType.REDUCE)
            else:
                kinds.append(tir.IterType.SPATIAL if owned else tir.IterType.OPAQUE)
        return kinds

    def scalar_code(self, source: Block, indices: Sequence[SSAValue]) -> None:
        """Copy the ops of a body; ``indices`` are the results of ``linalg.index``."""
        for op in source.ops:
            if isinstance(op, YieldOp | tensor.YieldOp):
                return
            if isinstance(op, IndexOp):
                self.values[op.result] = indices[op.dim.value.data]
            elif isinstance(op, tensor.ExtractOp | memref.LoadOp):
                self.scalar_code_op(op)
            elif op.name.startswith("affine.") and not op.regions:
                self.convert_op(op)
            elif isinstance(op, scf.IfOp):
                self._scalar_if(op, indices)
            elif isinstance(op, cf.AssertOp):
                raise CodegenError(
                    "KC4550",
                    "raise-to-tir: cf.assert of elements has no counterpart in tir",
                    location=location_of(op),
                    why="a kernel has no way to fail; sizes and integer arguments are compared "
                    "before it is called",
                    hints=["remove it if the caller guarantees the condition"],
                )
            elif op.regions or any(isinstance(operand.type, ShapedType) for operand in op.operands):
                raise CodegenError(
                    "KC4550",
                    f"raise-to-tir: {op.name} has no counterpart in tir",
                    location=location_of(op),
                    why="it is in the body of an op on tensors, which computes scalars",
                )
            else:
                self.emit(op.clone(self.values), op)

    def scalar_code_op(self, op: Operation) -> None:
        """Load an element; for a tensor whose elements equal one scalar, use the scalar."""
        buffer, *at = [self.value(operand) for operand in op.operands]
        buffer = self.readable(op.operands[0], buffer)
        if isinstance(buffer.type, MemRefType):
            buffer = self.load(buffer, identity(len(at)), at, op)
        self.values[op.results[0]] = buffer

    def _scalar_if(self, op: scf.IfOp, indices: Sequence[SSAValue]) -> None:
        regions: list[Region] = []
        for region in op.regions:
            raised = Region()
            for block in region.blocks:
                raised.add_block(inner := Block())
                self.into(inner, lambda block=block: self.scalar_code(block, indices))
            regions.append(raised)
        new = scf.IfOp(
            self.value(op.cond), [result.type for result in op.results], regions[0], regions[1]
        )
        for old, result in zip(op.results, new.results, strict=True):
            self.values[old] = result
        self.emit(new, op)

    def readable(self, old: SSAValue, new: SSAValue) -> SSAValue:
        """The buffer to read an element from, or the scalar that all elements equal."""
        return new


def _access(space: AffineMap, args: Sequence[SSAValue]) -> tuple[AffineMap, list[SSAValue]]:
    """A map over all loops as a map over the variables that it uses."""
    used = sorted({n for expr in space.results for n in expr.used_dims()})
    dims = [
        AffineDimExpr(used.index(n)) if n in used else AffineDimExpr(0) for n in range(len(args))
    ]
    exprs = tuple(expr.replace_dims_and_symbols(dims, ()) for expr in space.results)
    return AffineMap(len(used), 0, exprs), [args[n] for n in used]
