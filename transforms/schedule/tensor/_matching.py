"""Comparison of a block with the description of a tensor intrinsic, up to names and offsets.

Both are loops around one block. Loops of one iteration are ignored; the others must have the same
extents and kinds of variables, in the same order. Each store of the description must correspond to
a store of the block with the same value: the same operations on the same elements, with commutative
operands in either order. The accesses determine the buffer, and the part of it, for each argument
of the description. If an intrinsic treats elements outside a buffer as zero (the attribute
``kc.zero_outside`` of an argument of its description), the block may express this by a condition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineExpr

from kc.analysis import loop_tree
from kc.analysis.accesses.padded_copies import conjuncts, copied_load
from kc.analysis.affine.index_values import IndexValues, dimensions, substitute
from kc.analysis.loop_tree import buffer_name
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import INDEX, BlockOp, ForOp, IterType, LoadOp, StoreOp

DESCRIBED_ZERO_OUTSIDE = "kc.zero_outside"
"""The attribute of an argument of a description whose elements outside the buffer are zero."""

_SIGNED_LESS = 2
"""The predicate ``slt`` of ``arith.cmpi``."""

COMMUTATIVE = (
    arith.AddfOp,
    arith.AddiOp,
    arith.MulfOp,
    arith.MuliOp,
    arith.MaximumfOp,
    arith.MinimumfOp,
    arith.MaxSIOp,
    arith.MinSIOp,
    arith.MaxUIOp,
    arith.MinUIOp,
    arith.AndIOp,
    arith.OrIOp,
    arith.XOrIOp,
)


class MismatchError(Exception):
    """The first difference: its text, and its place in the block and in the description."""

    def __init__(self, what: str, mine: Operation, theirs: Operation | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.mine = mine
        self.theirs = theirs


@dataclass
class Nest:
    """Loops around one block, and the index values in it."""

    loops: list[ForOp]
    """The loops of more than one iteration."""
    all_loops: list[ForOp]
    block: BlockOp
    index: IndexValues
    exprs: list[AffineExpr]

    @staticmethod
    def of(body: Block) -> Nest:
        """The nest in ``body``. Raises :class:`MismatchError` if it is not a nest around
        one block.
        """
        loops: list[ForOp] = []
        work = [op for op in body.ops if _counts(op)]
        while len(work) == 1 and isinstance(work[0], ForOp):
            loops.append(work[0])
            work = [op for op in work[0].body.block.ops if _counts(op)]
        if len(work) != 1 or not isinstance(work[0], BlockOp):
            parent = body.parent_op()
            assert parent is not None
            held = [op.name for op in work if not isinstance(op, BlockOp)]
            count = len(work) - len(held)
            what = f"{count} blocks" if not held else ", ".join(dict.fromkeys(held))
            raise MismatchError(f"it contains {what}, not loops around one block", parent)
        block = work[0]
        index = IndexValues()
        for loop in loops:
            if loop.static_extent == 1:
                index.define(loop.var, ZERO)
        exprs = [index.compose(expr, block.binding_operands) for expr in block.binding_exprs]
        for region in block.regions:
            for inner in region.blocks:
                for arg, expr in zip(inner.args, exprs, strict=True):
                    index.define(arg, expr)
        counted = [loop for loop in loops if loop.static_extent != 1]
        return Nest(counted, loops, block, index, exprs)

    @property
    def top(self) -> Operation:
        """The outermost operation of the nest."""
        return self.all_loops[0] if self.all_loops else self.block

    def kinds(self, loop: ForOp) -> set[IterType]:
        """The kinds of the variables that ``loop`` drives."""
        kinds = set()
        for expr, kind in zip(self.exprs, self.block.types, strict=True):
            if loop.var in [self.index.roots[dim] for dim in dimensions(expr)]:
                kinds.add(kind)
        return kinds


def _counts(op: Operation) -> bool:
    return loop_tree.has_work(op) and op.name != "func.return"


@dataclass(frozen=True)
class Matched:
    """The part of a buffer for an argument of the description."""

    buffer: SSAValue
    base: tuple[AffineExpr, ...]
    """The start of the part: for each dimension of the buffer, over the roots of the
    block's index.
    """
    dims: tuple[int | None, ...]
    """For each dimension of the argument, the dimension of the buffer; None for a dimension of size
    1 without a counterpart.
    """
    zero_outside: bool = False
    """True if the part extends beyond the buffer and is zero there."""


@dataclass
class Match:
    """A block that matches a description."""

    index: IndexValues
    buffers: dict[BlockArgument, Matched] = field(default_factory=dict)


class Matcher:
    """Compares a nest with the nest of a description."""

    def __init__(
        self, mine: Nest, theirs: Nest, sizes: Callable[[SSAValue], Sequence[object]] | None = None
    ) -> None:
        """``sizes`` returns the sizes of a buffer, like
        :func:`~kc.transforms.schedule._sizes.sizes_of`.
        """
        self.mine = mine
        self.theirs = theirs
        self._sizes = sizes
        self.match = Match(mine.index)
        self._tops = [mine.top]
        self._twins: dict[ForOp, ForOp] = {}

    def run(self, *, with_init: bool) -> Match:
        """Compare the nests, and with ``with_init`` also their inits. Raises
        :class:`MismatchError`.
        """
        self._loops()
        if with_init:
            self._inits(self.mine.block, self.theirs.block)
        self._stores(self.mine.block, self.mine.block.body.block, self.theirs.block.body.block)
        self._aliases()
        return self.match

    def run_init(self, init: Nest) -> None:
        """Compare the init of an outer block, a separate nest, with the init of the description."""
        mine = self.mine
        loops = [loop for loop in mine.loops if IterType.REDUCE not in mine.kinds(loop)]
        if [loop.static_extent for loop in loops] != [loop.static_extent for loop in init.loops]:
            raise MismatchError("the loops of the init are different", init.block)
        twins = dict(zip(init.loops, loops, strict=True))
        # The roots of the two nests are numbered separately, so the init uses those of the body.
        outer = init.block.parent_op()
        while not isinstance(outer, BlockOp):
            assert outer is not None
            outer = outer.parent_op()
        for old, new in zip(outer.init.block.args, outer.body.block.args, strict=True):
            mine.index.define(old, mine.index.expr(new))
        for loop in init.all_loops:
            twin = twins.get(loop)
            mine.index.define(loop.var, ZERO if twin is None else mine.index.expr(twin.var))
        exprs = [
            mine.index.compose(expr, init.block.binding_operands)
            for expr in init.block.binding_exprs
        ]
        for arg, expr in zip(init.block.body.block.args, exprs, strict=True):
            mine.index.define(arg, expr)
        self._tops.append(init.top)
        theirs = self.theirs.block.init.block
        self._stores(init.block, init.block.body.block, theirs)

    def _loops(self) -> None:
        mine, theirs = self.mine, self.theirs
        for loop, twin in zip(mine.loops, theirs.loops, strict=False):
            if loop.static_extent != twin.static_extent:
                extent = loop_tree.extent_text(loop.extent_value)
                raise MismatchError(
                    f"loop {loop.label} has {extent} iterations, not {twin.static_extent}",
                    loop,
                    twin,
                )
            if mine.kinds(loop) != theirs.kinds(twin):
                raise MismatchError(
                    f"loop {loop.label} drives {_kinds(mine.kinds(loop))}, not "
                    f"{_kinds(theirs.kinds(twin))}",
                    loop,
                    twin,
                )
        if len(mine.loops) != len(theirs.loops):
            raise MismatchError(
                f"{_count(mine.loops)}, not {_count(theirs.loops)}", mine.block, theirs.block
            )
        self._twins = dict(zip(theirs.loops, mine.loops, strict=True))

    def _inits(self, mine: BlockOp, theirs: BlockOp) -> None:
        if mine.has_init != theirs.has_init:
            raise MismatchError(
                "it has an init" if mine.has_init else "it has no init", mine, theirs
            )
        if mine.has_init:
            self._stores(mine, mine.init.block, theirs.init.block)

    def _stores(self, at: BlockOp, mine: Block, theirs: Block) -> None:
        padded = {op.value.owner for op in mine.ops if isinstance(op, StoreOp)}
        padded = {op for op in padded if isinstance(op, scf.IfOp) and copied_load(op.results[0])}
        ours = [
            op
            for op in mine.ops
            if op not in padded and (loop_tree.has_effects(op) or isinstance(op, StoreOp))
        ]
        described = [op for op in theirs.ops if isinstance(op, StoreOp)]
        effect = next(
            (op for op in ours if not isinstance(op, LoadOp | StoreOp)),
            None,
        )
        if effect is not None:
            raise MismatchError(f"it contains {effect.name}", effect)
        stores = [op for op in ours if isinstance(op, StoreOp)]
        for block in (mine, theirs):
            _require_loads_first(block)
        if len(stores) != len(described):
            raise MismatchError(
                f"it has {len(stores)} store{'s' * (len(stores) != 1)}, not {len(described)}",
                at,
            )
        for store, wanted_store in zip(stores, described, strict=True):
            self._access(store, wanted_store)
            self._values(store.value, wanted_store.value, store, wanted_store)

    # Values --------------------------------------------------------------------------------

    def _values(self, mine: SSAValue, theirs: SSAValue, at: Operation, there: Operation) -> None:
        if mine.type != theirs.type:
            raise MismatchError(f"a value is of type {mine.type}, not {theirs.type}", at, there)
        if mine.type == INDEX:
            if self._renamed(theirs) != self.mine.index.expr(mine):
                raise MismatchError("an index that is used as a value is different", at, there)
            return
        op, twin = mine.owner, theirs.owner
        if not isinstance(op, Operation) or not isinstance(twin, Operation):
            if op is not twin:
                raise MismatchError("a value comes from outside", at, there)
            return
        if isinstance(op, scf.IfOp) and isinstance(twin, LoadOp):
            self._padded(op, twin)
            return
        if op.name != twin.name:
            raise MismatchError(f"it computes {op.name}, not {twin.name}", op, twin)
        if isinstance(op, LoadOp) and isinstance(twin, LoadOp):
            self._access(op, twin)
            return
        assert isinstance(mine, OpResult)
        assert isinstance(theirs, OpResult)
        if _properties(op) != _properties(twin) or mine.index != theirs.index:
            raise MismatchError(f"{op.name} has different attributes", op, twin)
        if len(op.operands) != len(twin.operands):
            raise MismatchError(f"{op.name} has a different number of operands", op, twin)
        saved = dict(self.match.buffers)
        try:
            self._operands(op, list(op.operands), twin)
        except MismatchError as first:
            if not isinstance(op, COMMUTATIVE):
                raise
            self.match.buffers = saved
            try:
                self._operands(op, list(op.operands)[::-1], twin)
            except MismatchError:
                raise first from None

    def _operands(self, op: Operation, operands: Sequence[SSAValue], twin: Operation) -> None:
        for mine, theirs in zip(operands, twin.operands, strict=True):
            self._values(mine, theirs, op, twin)

    # Accesses ------------------------------------------------------------------------------

    def _padded(self, op: scf.IfOp, twin: LoadOp) -> None:
        """Compare an element of a buffer with zeros outside."""
        load = copied_load(op.results[0])
        name = buffer_name(twin.buffer)
        if load is None or not _is_zero_outside(twin.buffer):
            raise MismatchError(f"it selects by a condition, but {name} is read directly", op, twin)
        if self._sizes is None or not isinstance(load.buffer, BlockArgument):
            what = buffer_name(load.buffer)
            raise MismatchError(f"{what}, which it pads, is not an argument", op, twin)
        index = self.mine.index
        exprs = [index.compose(expr, load.operands_of_map) for expr in load.indices.data.results]
        sizes = self._sizes(load.buffer)
        for condition in conjuncts(op.cond):
            compare = condition.owner
            if not isinstance(compare, arith.CmpiOp) or not any(
                compare.predicate.value.data == _SIGNED_LESS
                and index.expr(compare.lhs) == expr
                and size == (index.constant(compare.rhs) if isinstance(size, int) else compare.rhs)
                for expr, size in zip(exprs, sizes, strict=True)
            ):
                what = access_text(load, index)
                raise MismatchError(
                    f"it copies {what} under a further condition than its bounds", op, twin
                )
        self._access(load, twin, zero_outside=True)

    def _access(
        self, mine: LoadOp | StoreOp, theirs: LoadOp | StoreOp, *, zero_outside: bool = False
    ) -> None:
        own, described = mine.buffer.type, theirs.buffer.type
        assert isinstance(own, MemRefType)
        assert isinstance(described, MemRefType)
        assert isinstance(theirs.buffer, BlockArgument)
        wanted_type = described.element_type
        value = mine.result if isinstance(mine, LoadOp) else mine.value
        if own.element_type != wanted_type or value.type != wanted_type:
            raise MismatchError(
                f"{buffer_name(mine.buffer)} has elements of {value.type}, "
                f"{buffer_name(theirs.buffer)} of {wanted_type}",
                mine,
                theirs,
            )
        exprs = [
            self.mine.index.compose(expr, mine.operands_of_map)
            for expr in mine.indices.data.results
        ]
        described_indices = [
            self._in_my_loops(self.theirs.index.compose(expr, theirs.operands_of_map))
            for expr in theirs.indices.data.results
        ]
        earlier = self.match.buffers.get(theirs.buffer)
        if earlier is not None and earlier.buffer is not mine.buffer:
            raise MismatchError(
                f"it accesses {buffer_name(mine.buffer)}, not {buffer_name(earlier.buffer)}",
                mine,
                theirs,
            )
        dims = (
            earlier.dims
            if earlier is not None
            else self._dims(mine, theirs, exprs, described_indices)
        )
        base = list(exprs)
        for expr, dim in zip(described_indices, dims, strict=True):
            if dim is not None:
                base[dim] = self.mine.index.simplify(exprs[dim] - expr)
        if any(self._is_inner(expr) for expr in base):
            raise self._other_element(mine, theirs)
        matched = Matched(mine.buffer, tuple(base), dims, zero_outside)
        if earlier is not None and earlier != matched:
            raise MismatchError(
                f"{buffer_name(mine.buffer)} is accessed at a different base than before",
                mine,
                theirs,
            )
        self.match.buffers[theirs.buffer] = matched

    def _dims(
        self,
        mine: LoadOp | StoreOp,
        theirs: LoadOp | StoreOp,
        exprs: Sequence[AffineExpr],
        described_indices: Sequence[AffineExpr],
    ) -> tuple[int | None, ...]:
        """The dimensions of the buffer that correspond to the argument's: in order, and the last
        possible ones.
        """
        type_ = theirs.buffer.type
        assert isinstance(type_, MemRefType)
        dims: list[int | None] = []
        free = list(range(len(exprs)))[::-1]
        for expr, size in reversed(list(zip(described_indices, type_.get_shape(), strict=True))):
            last = next((dim for dim in dims[::-1] if dim is not None), len(exprs))
            places = [
                n for n in free if not self._is_inner(self.mine.index.simplify(exprs[n] - expr))
            ]
            places.sort(key=lambda n: n > last)
            if places:
                dims.append(places[0])
                free.remove(places[0])
            elif size == 1:
                dims.append(None)
            else:
                raise self._other_element(mine, theirs)
        return tuple(dims[::-1])

    def _other_element(self, mine: LoadOp | StoreOp, theirs: LoadOp | StoreOp) -> MismatchError:
        own = access_text(mine, self.mine.index)
        required = access_text(theirs, self.theirs.index)
        return MismatchError(f"it accesses {own} instead of {required}", mine, theirs)

    def _is_inner(self, expr: AffineExpr) -> bool:
        """True if ``expr`` varies within the tile."""
        roots = (self.mine.index.roots[dim] for dim in dimensions(expr))
        return any(
            loop_tree.defined_inside(root, top) for root in roots if root for top in self._tops
        )

    def _in_my_loops(self, expr: AffineExpr) -> AffineExpr:
        """An index of the description over the loops of the block."""
        values: dict[int, AffineExpr] = {}
        for dim in dimensions(expr):
            root = self.theirs.index.roots[dim]
            loop = root.owner.parent_op() if isinstance(root, BlockArgument) else None
            assert isinstance(loop, ForOp)
            twin = self._twins.get(loop)
            values[dim] = ZERO if twin is None else self.mine.index.expr(twin.var)
        return self.mine.index.simplify(substitute(expr, values))

    def _renamed(self, value: SSAValue) -> AffineExpr:
        return self._in_my_loops(self.theirs.index.expr(value))

    def _aliases(self) -> None:
        """Require that no written buffer corresponds to two arguments."""
        written = {op.buffer for op in self.mine.block.body.walk() if isinstance(op, StoreOp)}
        args: dict[SSAValue, BlockArgument] = {}
        for arg, matched in self.match.buffers.items():
            first = args.setdefault(matched.buffer, arg)
            if first is not arg and matched.buffer in written:
                raise MismatchError(
                    f"{buffer_name(matched.buffer)}, which it writes, is both "
                    f"{buffer_name(first)} and {buffer_name(arg)} of the description",
                    self.mine.block,
                )


def _is_zero_outside(argument: SSAValue) -> bool:
    """True if a description treats elements outside an argument as zero."""
    function = argument.owner.parent_op() if isinstance(argument.owner, Block) else None
    if not isinstance(function, FuncOp) or function.arg_attrs is None:
        return False
    assert isinstance(argument, BlockArgument)
    return DESCRIBED_ZERO_OUTSIDE in function.arg_attrs.data[argument.index].data


def _require_loads_first(block: Block) -> None:
    """Require that no load follows a store to its buffer: a loaded value is the value at
    the start.
    """
    written: set[SSAValue] = set()
    for op in block.ops:
        if isinstance(op, StoreOp):
            written.add(op.buffer)
        elif isinstance(op, LoadOp) and op.buffer in written:
            raise MismatchError(f"it reads {buffer_name(op.buffer)} after it has written it", op)


def both_sides(mine: Block, theirs: Block) -> list[str]:
    """The sketches of the block and of the description, for a refusal."""
    return ["the block:", *sketch(mine), "the description:", *sketch(theirs)]


def _properties(op: Operation) -> dict[str, object]:
    return {name: value for name, value in op.properties.items() if name != "fastmath"}


def _kinds(kinds: set[IterType]) -> str:
    names = sorted(kind.value for kind in kinds)
    return f"{' and '.join(names)} variables" if names else "no variable"


def _count(loops: Sequence[ForOp]) -> str:
    names = ", ".join(loop.label for loop in loops)
    return f"{len(loops)} loop{'s' * (len(loops) != 1)}" + (f" ({names})" if names else "")


# Nests in a few words -------------------------------------------------------------------------


_SIGNS = {
    arith.AddfOp: "+",
    arith.AddiOp: "+",
    arith.SubfOp: "-",
    arith.SubiOp: "-",
    arith.MulfOp: "*",
    arith.MuliOp: "*",
    arith.DivfOp: "/",
}
_DIMENSION = re.compile(r"\bd(\d+)\b")
_LENGTH = 90


def sketch(body: Block) -> list[str]:
    """The loops of a nest in one line, followed by a line for each store."""
    loops: list[str] = []
    lines: list[str] = []
    index = IndexValues()

    def visit(block: Block) -> None:
        for op in block.ops:
            if isinstance(op, ForOp):
                loops.append(f"{op.label} in {loop_tree.extent_text(op.extent_value)}")
                visit(op.body.block)
            elif isinstance(op, BlockOp):
                exprs = [index.compose(expr, op.binding_operands) for expr in op.binding_exprs]
                for region in op.regions:
                    for inner in region.blocks:
                        for arg, expr in zip(inner.args, exprs, strict=True):
                            index.define(arg, expr)
                lines.extend(_stores(op, index))
            elif isinstance(op, StoreOp):
                lines.append(_cut(store_text(op, index)))

    visit(body)
    return [f"  for {', '.join(loops)}:" if loops else "  without loops:", *lines[:3]]


def _stores(op: BlockOp, index: IndexValues) -> Iterator[str]:
    for region, title in ((op.init, "init "), (op.body, "")):
        for block in region.blocks:
            for store in block.walk():
                if isinstance(store, StoreOp):
                    yield _cut(title + store_text(store, index))


def _cut(text: str) -> str:
    text = f"    {text}"
    return text if len(text) <= _LENGTH else text[: _LENGTH - 3] + "..."


def store_text(op: StoreOp, index: IndexValues) -> str:
    """The text of a store: ``C[i] = ...``."""
    return f"{access_text(op, index)} = {value_text(op.value, index)}"


def access_text(op: LoadOp | StoreOp, index: IndexValues) -> str:
    """The text of an access: ``C[i, j * 4]``."""
    exprs = [index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]

    def name(match: re.Match[str]) -> str:
        value = index.roots[int(match[1])]
        return value.name_hint or "?" if value is not None else "?"

    inner = ", ".join(_DIMENSION.sub(name, _plain(str(expr))) for expr in exprs)
    return f"{buffer_name(op.buffer)}[{inner}]"


def _plain(text: str) -> str:
    """The text of an affine expression without outer parentheses."""
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def value_text(value: SSAValue, index: IndexValues, depth: int = 0) -> str:
    """The text of a value as an expression of loads."""
    op = value.owner
    if not isinstance(op, Operation):
        return value.name_hint or "?"
    if isinstance(op, LoadOp):
        return access_text(op, index)
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr | FloatAttr):
        number = op.value.value.data
        return f"{number:g}" if isinstance(number, float) else str(number)
    parts = [value_text(operand, index, depth + 1) for operand in op.operands]
    sign = _SIGNS.get(type(op))
    if sign is None:
        return f"{op.name.partition('.')[2]}({', '.join(parts)})"
    text = f" {sign} ".join(parts)
    return f"({text})" if depth and sign in "+-" else text
