"""The rewrite of pad_einsum: padded copies of what is read, and a cropped one of the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import AffineMapAttr, DenseArrayBase, IntegerAttr, MemRefType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import DYNAMIC, ApplyOp, BlockOp, ForOp, LoadOp, StoreOp
from kc.transforms.affine_rewrite import set_block_spaces
from kc.transforms.schedule._buffers import FreshNames
from kc.transforms.schedule._copies import new_alloc
from kc.transforms.schedule._nests import Extent, new_body, plain_nest
from kc.transforms.schedule._sizes import sizes_of
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.reduction._padding import load_or_zero


@dataclass(frozen=True)
class Access:
    """A load or store whose index is, in each dimension, a variable of the block or a constant."""

    op: LoadOp | StoreOp
    dims: tuple[int | None, ...]
    """The variable of each dimension, None for a constant."""
    constants: tuple[int, ...]
    """The constant of each dimension, 0 for a variable."""

    @property
    def variables(self) -> list[int]:
        """The variables, once each, in order: the dimensions of the padded buffer."""
        return list(dict.fromkeys(one for one in self.dims if one is not None))

    def map(self) -> AffineMap:
        """The index over :attr:`variables`."""
        variables = self.variables
        exprs = [
            AffineExpr.constant(constant)
            if dim is None
            else AffineExpr.dimension(variables.index(dim))
            for dim, constant in zip(self.dims, self.constants, strict=True)
        ]
        return AffineMap(len(variables), 0, tuple(exprs))

    def move(self, buffer: SSAValue) -> None:
        """Use ``buffer``, which has a dimension for each of :attr:`variables`."""
        self._set(buffer, AffineMap.identity(len(self.variables)))

    def settle(self) -> None:
        """Write the index as it is read here: ``v + 1`` is 1 until the extent of v grows from 1."""
        self._set(self.op.buffer, self.map())

    def _set(self, buffer: SSAValue, indices: AffineMap) -> None:
        op = self.op
        block = op.parent
        assert block is not None
        before = [op.value] if isinstance(op, StoreOp) else []
        op.operands = [*before, buffer, *(block.args[n] for n in self.variables)]
        op.properties["indices"] = AffineMapAttr(indices)


@dataclass(frozen=True)
class PaddedEinsum:
    """What is padded to what."""

    block: BlockOp
    padding: list[int]
    padded: list[bool]
    """For each variable, whether its extent changes."""
    drivers: list[ForOp | None]
    """The loop that each variable is, None for one that is always 0."""
    anchor: Operation
    """The outermost loop of the block's own, or the block."""
    accesses: Sequence[Access]
    result: Access

    def build(self, site: Site) -> list[BlockOp]:
        """Pad; the blocks that are new, in order."""
        old = self.block.extents
        new = [self._padded_extent(n) for n in range(len(old))]
        names = FreshNames(site)
        made: list[BlockOp] = []
        buffers: dict[tuple[object, ...], SSAValue] = {}
        own = self.result.op.buffer
        for one in self.accesses:
            one.settle()
        for one in self.accesses:
            if one.op.buffer is own or not any(self.padded[n] for n in one.variables):
                continue
            key = (one.op.buffer, one.dims, one.constants)
            if key not in buffers:
                buffers[key], block = self._pad(site, names, one, old, new)
                made.append(block)
            one.move(buffers[key])
        if any(self.padded[n] for n in self.result.variables):
            made.append(self._crop(site, names, own, old, new))
        self._resize(new)
        return made

    def _padded_extent(self, n: int) -> Extent:
        extent, factor = self.block.extents[n], self.padding[n]
        if not self.padded[n]:
            return extent
        if isinstance(extent, int):
            return -(-extent // factor) * factor
        apply = ApplyOp(AffineExpr.dimension(0).ceil_div(factor) * factor, [extent])
        apply.location = self.block.location
        apply.result.name_hint = f"{extent.name_hint or 'size'}_padded"
        self._insert(apply)
        return apply.result

    def _insert(self, *ops: Operation) -> None:
        home = self.anchor.parent
        assert home is not None
        home.insert_ops_before(list(ops), self.anchor)

    def _new_buffer(self, names: FreshNames, access: Access, new: Sequence[Extent]) -> SSAValue:
        """A padded buffer, allocated in front of the loops."""
        buffer = access.op.buffer
        assert isinstance(buffer.type, MemRefType)
        extents = [new[n] for n in access.variables]
        shape = [one if isinstance(one, int) else DYNAMIC for one in extents]
        type_ = MemRefType(buffer.type.element_type, shape, memory_space=buffer.type.memory_space)
        name = names.take(f"{buffer_name(buffer)}_pad")
        alloc = new_alloc(name, type_, extents, self.block)
        self._insert(alloc)
        return alloc.buffer

    def _pad(
        self,
        site: Site,
        names: FreshNames,
        access: Access,
        old: Sequence[Extent],
        new: Sequence[Extent],
    ) -> tuple[SSAValue, BlockOp]:
        """A copy of what ``access`` reads, with zeros around it."""
        source = access.op.buffer
        target = self._new_buffer(names, access, new)
        variables = access.variables
        body = new_body(len(variables))
        limits: list[tuple[int | SSAValue, Extent]] = [
            (body.args[k], old[n]) for k, n in enumerate(variables) if self.padded[n]
        ]
        if not self._is_inside(site, access, old):
            # Nothing is read where the einsum is over nothing.
            others = [one for n, one in enumerate(old) if n not in variables]
            limits += [(0, one) for one in others if not isinstance(one, int)]
        ops, value = load_or_zero(source, access.map(), body.args, limits)
        body.add_ops([*ops, StoreOp(value, target, AffineMap.identity(len(variables)), body.args)])
        name = buffer_name(target)
        extents = [new[n] for n in variables]
        nest = plain_nest(site, name, body, extents, self.anchor, self.block)
        self._insert(nest.top)
        return target, nest.block

    def _is_inside(self, site: Site, access: Access, old: Sequence[Extent]) -> bool:
        """Whether the buffer is known to have all that the variables are indices of."""
        for n, size in zip(access.dims, sizes_of(site, access.op.buffer), strict=True):
            if n is None:
                continue
            extent = old[n]
            if isinstance(size, int) and isinstance(extent, int):
                if size < extent:
                    return False
            elif size is not extent:
                return False
        return True

    def _crop(
        self,
        site: Site,
        names: FreshNames,
        own: SSAValue,
        old: Sequence[Extent],
        new: Sequence[Extent],
    ) -> BlockOp:
        """Compute the result into a padded buffer, and copy what is wanted of it."""
        result = self.result
        target = self._new_buffer(names, result, new)
        variables = result.variables
        body = new_body(len(variables))
        identity = AffineMap.identity(len(variables))
        load = LoadOp(target, identity, body.args)
        load.result.name_hint = "value"
        body.add_ops([load, StoreOp(load.result, own, result.map(), body.args)])
        name = names.take(f"{buffer_name(own)}_crop")
        extents = [old[n] for n in variables]
        nest = plain_nest(site, name, body, extents, self.anchor, self.block)
        home = self.anchor.parent
        assert home is not None
        home.insert_op_after(nest.top, self.anchor)
        for one in self.accesses:
            if one.op.buffer is own:
                one.move(target)
        return nest.block

    def _resize(self, new: Sequence[Extent]) -> None:
        """Give the block and its loops their new extents.

        The bindings are written as they are read here: loops of one iteration say nothing.
        """
        block = self.block
        for loop, is_padded, extent in zip(self.drivers, self.padded, new, strict=True):
            if loop is None or not is_padded:
                continue
            if isinstance(extent, int):
                loop.properties["extent"] = IntegerAttr(extent, i64)
            else:
                loop.operands = [extent]
        block.properties["static_extents"] = DenseArrayBase.from_list(
            i64, [one if isinstance(one, int) else DYNAMIC for one in new]
        )
        variables = [one.var for one in self.drivers if one is not None]
        dims = iter(range(len(variables)))
        exprs = [
            AffineExpr.constant(0) if one is None else AffineExpr.dimension(next(dims))
            for one in self.drivers
        ]
        set_block_spaces(
            block,
            bindings=(AffineMap(len(variables), 0, tuple(exprs)), variables),
            extents=[one for one in new if not isinstance(one, int)],
        )
