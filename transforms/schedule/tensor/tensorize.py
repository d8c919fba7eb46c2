"""tensorize: a tensor intrinsic replaces a loop or a block.

Before, ``tensorize loop=k_i tensor-intrin=dot_f32_4``::

    tir.for %i in 16 {
      tir.for %k_o in 4 {
        tir.for %k_i in 4 {
          tir.block "C" (spatial %v_i in 16 = %i, reduce %v_k in 16 = %k_o * 4 + %k_i) init {
            %C[%v_i] = 0
          } do {
            %C[%v_i] += %A[%v_i, %v_k] * %B[%v_k]

After::

    tir.for %i in 16 {
      tir.for %k_o in 4 {
        tir.block "C_o" (spatial %v_i_o in 16 = %i, reduce %v_k_o in 4 = %k_o) init {
          %C[%v_i_o] = 0
        } do {
          %c = tir.load %C[%v_i_o] : memref<16xf32>
          %a = tir.load %A[%v_i_o, %v_k_o * 4] : memref<16x16xf32>, vector<4xf32>
          %b = tir.load %B[%v_k_o * 4] : memref<16xf32>, vector<4xf32>
          %p = arith.mulf %a, %b : vector<4xf32>
          %s = vector.reduction <add>, %p, %c : vector<4xf32> into f32
          tir.store %s, %C[%v_i_o] : memref<16xf32>

An intrinsic (:mod:`kc.transforms.intrinsics.tensor_intrin`) has a description, which is loops
around one block, and an implementation. A loop first becomes a block (``blockize``). The body of
the block is compared with the description: the same loops in the same order and the same
operations, up to names and the position of the tile in a buffer. The accesses determine the
buffers.

For a reduction that continues outside the tile, the intrinsic's ``update`` replaces the body. Its
``init`` replaces the init if they are equal; otherwise the init stays as loops. A description
without an init is itself an update.

*Legal when*

1. KC3560: the intrinsic exists.
2. KC3561: the target has the features of the intrinsic.
3. KC3562: the block matches the description.
4. KC3563: the tile is full: no predicate leaves out iterations.
5. KC3564: buffers have the layout that the implementation needs.
6. KC3566: a loop or a block is named; for a loop, the rules of blockize hold.
7. KC3567: for a reduction that continues outside the tile, the intrinsic has an update.

TVM: ``tensorize``. Exo: ``replace``. Halide has no counterpart; its back ends match patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Self

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StridedLayoutAttr,
    StringAttr,
    UnitAttr,
    VectorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.memref import ExtractStridedMetaDataOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space
from kc.analysis.loop_tree import buffer_name
from kc.analysis.module_copy import copy_operation
from kc.dialects.tir import AllocOp, BlockOp, ForOp, IterType, LoadOp, StoreOp
from kc.dialects.tir.views import ZERO_OUTSIDE, ViewOp, strides_of
from kc.support.diagnostics import ScheduleError
from kc.support.locations import location_of
from kc.support.registry import pass_class
from kc.transforms.affine_rewrite import compact
from kc.transforms.intrinsics.tensor_copy_names import tensor_copy_intrins
from kc.transforms.intrinsics.tensor_core_names import tensor_core_intrins
from kc.transforms.intrinsics.tensor_intrin import TensorIntrin, names
from kc.transforms.intrinsics.tile_names import tile_intrins
from kc.transforms.intrinsics.transpose_names import transpose_intrins
from kc.transforms.schedule._blocks import erase_with_loops
from kc.transforms.schedule._buffers import FreshNames
from kc.transforms.schedule._sizes import sizes_of
from kc.transforms.schedule.base import (
    CALL_SITE,
    BlockRef,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
    on_copy,
)
from kc.transforms.schedule.tensor._matching import (
    Match,
    Matched,
    Matcher,
    MismatchError,
    Nest,
    both_sides,
)


class IntrinRef(str):
    """The name of a tensor intrinsic; in Python also a result of ``te.decl_tensor_intrin``."""

    expected: ClassVar[str] = "the name of a tensor intrinsic, or what te.decl_tensor_intrin gives"
    python: ClassVar[str] = "Any"

    @classmethod
    def from_option(cls, text: str) -> Self:
        """The intrinsic that the text of an option names."""
        return cls(text)

    @classmethod
    def of(cls, value: Any) -> Self:
        """The intrinsic for a name or an object with a name. Raises TypeError for other values."""
        name = getattr(value, "name", value)
        if not isinstance(name, str):
            raise TypeError
        return cls(name)


@dataclass
class Plan:
    """The functions that replace the body of a block, and its init."""

    intrin: TensorIntrin
    loop: ForOp | None
    """The loop that first becomes the block; None if a block is named."""
    block: BlockOp | None = None
    match: Match | None = None
    body: FuncOp | None = None
    init: FuncOp | None = None
    """The function that replaces the init; None if the init stays."""
    drops_init: bool = False
    """True if the body includes the init."""


@dataclass(frozen=True)
class Tensorize(Primitive):
    """Replace a loop or a block by a tensor intrinsic."""

    name: ClassVar[str] = "tensorize"

    tensor_intrin: IntrinRef = field(
        metadata={
            "help": "the name of the intrinsic",
            "also": {"intrin": "*", "intrinsic": "*", "intrin_name": "*"},
        }
    )
    loop: LoopRef | None = field(
        default=None, metadata={"help": "the loop to replace", "python": "block_or_loop"}
    )
    block: BlockRef | None = field(
        default=None,
        metadata={
            "help": "the block to replace, or a block in the loop",
            "python": "block_or_loop",
        },
    )
    preserve_unit_iters: bool = field(
        default=True, metadata={"help": "keep variables of extent 1 in blockize"}
    )

    def check(self, site: Site) -> Plan:
        intrin = _find(site, self.tensor_intrin)
        if self.loop is None:
            if self.block is None:
                raise ScheduleError(
                    "KC3566",
                    "tensorize: name a loop or a block",
                    location=CALL_SITE.get() or location_of(site.function),
                    hints=["loop=NAME", "block=NAME"],
                )
            block = site.resolve_block(self.block)
            _require_features(site, intrin, block)
            return _plan(site, intrin, block)
        loop = Site(site.function, site.target, self.block).resolve_loop(self.loop)
        _require_features(site, intrin, loop)

        def run(copy: Site, twin: Callable[[ForOp], ForOp]) -> None:
            tile = self._blockize(copy, twin(loop))
            _plan(copy, intrin, tile)

        on_copy(site, run)
        return Plan(intrin, loop)

    def _blockize(self, site: Site, loop: ForOp) -> BlockOp:
        step = pass_class("blockize")(LoopRef(loop), (), self.preserve_unit_iters)
        try:
            return step.apply(site).blocks[0]
        except ScheduleError as error:
            error.message = error.message.replace("blockize:", "tensorize:", 1)
            if error.code == "KC3551":
                error.hints = _ways_to_one_block(site, loop)
            raise

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        cores, copies = tensor_core_intrins(), tensor_copy_intrins()
        is_cuda = "cuda" in site.target.keys
        possible = [
            name for name in names() if is_cuda or (name not in cores and name not in copies)
        ]
        tiles, has_tiles = tile_intrins(), site.target.has_feature("amx-tile")
        transposes = transpose_intrins()
        has_copies = site.target.has_feature("sm_90")
        warpgroups = site.target.has_feature("sm_90a")
        for loop in loop_tree.loops(site.function):
            extents = _extents(loop)
            for name in possible:
                core = cores.get(name)
                # There are hundreds of some kinds, and reading all of them would take seconds.
                if core is not None and core.instruction == "wgmma":
                    if not warpgroups or extents[: len(core.extents)] != core.extents:
                        continue
                tile = tiles.get(name)
                if tile is not None and not (has_tiles and extents == tile.extents):
                    continue
                copy = copies.get(name)
                if copy is not None and not (has_copies and extents == copy.extents):
                    continue
                transpose = transposes.get(name)
                if transpose is not None and extents != transpose[:0:-1]:
                    continue
                yield cls(IntrinRef(name), LoopRef(loop))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        if plan.loop is not None:
            plan = _plan(site, plan.intrin, self._blockize(site, plan.loop))
        return _replace(site, plan)


def _extents(loop: ForOp) -> tuple[int | None, ...]:
    """The extents of a loop and of the loops inside it, as far as each is the only child."""
    extents: list[int | None] = []
    inner: Operation | None = loop
    while isinstance(inner, ForOp):
        if inner.static_extent != 1:
            extents.append(inner.static_extent)
        ops = [op for op in inner.body.block.ops if loop_tree.has_work(op)]
        inner = ops[0] if len(ops) == 1 else None
    return tuple(extents)


def _ways_to_one_block(site: Site, loop: ForOp) -> tuple[str, ...]:
    """Hints that leave only one of several blocks in ``loop``."""
    blocks = loop_tree.blocks(loop)
    if len(blocks) < 2:
        return ()
    labels = [block.label for block in blocks[:-1]]
    for block in blocks[:-1]:
        step = pass_class("compute-root")(BlockRef(block))
        assert isinstance(step, Primitive)
        try:
            step.plan(site)
        except ScheduleError:
            return (f"give {', '.join(labels)} and {blocks[-1].label} separate loops",)
    return (
        f"compute {' and '.join(labels)} outside {loop.label}: compute_root, or compute_at a "
        "loop around it",
    )


def _find(site: Site, name: str) -> TensorIntrin:
    try:
        return TensorIntrin.get(name)
    except ScheduleError as error:
        if error.location is None:
            error.location = CALL_SITE.get() or location_of(site.function)
        error.message = f"tensorize: {error.message}"
        raise


def _require_features(site: Site, intrin: TensorIntrin, at: Operation) -> None:
    missing = [feature for feature in intrin.features if not site.target.has_feature(feature)]
    if missing:
        architectures = [feature for feature in missing if feature.startswith("sm_")]
        options = ",".join(f"+{feature}" for feature in missing)
        raise site.refuse(
            "KC3561",
            f"{intrin.name} needs {' and '.join(missing)}, which the target does not have",
            at=at,
            why=f"the target is {site.target}",
            hints=[f'Target("cuda -arch={architectures[0]}")']
            if architectures
            else [f"-mattr={options}, or a CPU with these features"],
        )


def _plan(site: Site, intrin: TensorIntrin, block: BlockOp) -> Plan:
    """The plan to replace ``block`` by the intrinsic. Refuses KC3562, KC3563, KC3564 and KC3567."""
    described = intrin.description.body.block
    try:
        mine = Nest.of(block.body.block)
        theirs = Nest.of(described)
        sizes = partial(sizes_of, site)
        match = Matcher(mine, theirs, sizes).run(with_init=mine.block.has_init)
        _require_full(site, intrin, block, mine)
        plan = _chosen(site, intrin, block, mine, theirs, match)
    except MismatchError as error:
        raise _mismatch(site, intrin, block, error, described) from None
    assert plan.body is not None
    require_layout(site, intrin, plan.body, match, block)
    if plan.init is not None:
        require_layout(site, intrin, plan.init, match, block)
    return plan


def _chosen(
    site: Site, intrin: TensorIntrin, block: BlockOp, mine: Nest, theirs: Nest, match: Match
) -> Plan:
    """The functions of the intrinsic for the body and for the init."""
    if not theirs.block.has_init or mine.block.has_init:
        return Plan(intrin, None, block, match, intrin.implementation)
    same_init = block.has_init and _is_same_init(block, mine, theirs)
    whole = all(
        extent == 1
        for kind, extent in zip(block.types, block.extents, strict=True)
        if kind is IterType.REDUCE
    )
    if same_init and whole:
        return Plan(intrin, None, block, match, intrin.implementation, drops_init=True)
    if intrin.update is None:
        raise site.refuse(
            "KC3567",
            f"{intrin.name} restarts the reduction of {mine.block.label}",
            at=block,
            why="the intrinsic initialises each tile, but the reduction continues outside the tile"
            if not whole
            else "the intrinsic also initialises, and the init of the block is different or "
            "missing",
            hints=[f"declare {intrin.name} with init and update"],
        )
    return Plan(intrin, None, block, match, intrin.update, intrin.init if same_init else None)


def _is_same_init(block: BlockOp, mine: Nest, theirs: Nest) -> bool:
    """True if the init of ``block`` equals that of the description, for the same elements."""
    try:
        init = Nest.of(block.init.block)
        if init.block.predicate.data.constraints:
            return False
        matcher = Matcher(mine, theirs)
        matcher.run(with_init=False)
        matcher.run_init(init)
    except MismatchError:
        return False
    return True


def _require_full(site: Site, intrin: TensorIntrin, block: BlockOp, mine: Nest) -> None:
    """Refuse (KC3563) a tile with iterations that the predicate leaves out."""
    inner = mine.block
    if not inner.predicate.data.constraints:
        return
    space = Space()
    place = space.place(inner)
    runs = space.condition(inner.predicate.data, inner.predicate_operands, place)
    witness = space.find([place], [~runs])
    if witness is None:
        return
    sizes = " x ".join(str(loop.static_extent) for loop in mine.loops)
    where = ", ".join(f"{name} = {n}" for name, n in space.sizes(witness).items())
    raise site.refuse(
        "KC3563",
        f"the tile of {inner.label} is not full",
        at=block,
        why=witness.undecided
        or f"{inner.label} does not run{place.at(witness)}{f' (for {where})' if where else ''}, "
        f"but {intrin.name} runs all {sizes} iterations",
    )


def _mismatch(
    site: Site, intrin: TensorIntrin, block: BlockOp, error: MismatchError, described: Block
) -> ScheduleError:
    return ScheduleError(
        "KC3562",
        f"tensorize: block {block.label} does not match {intrin.name}: {error.what}",
        location=CALL_SITE.get() or location_of(block),
        facts=both_sides(block.body.block, described),
        why=_places(error),
    )


def _places(error: MismatchError) -> str | None:
    """The places of the first difference in the block and in the description."""
    mine = location_of(error.mine)
    theirs = location_of(error.theirs) if error.theirs is not None else None
    if mine is None:
        return None
    return f"the first difference is at {mine}" + (f", against {theirs}" if theirs else "")


def _replace(site: Site, plan: Plan) -> Rewritten:
    block, match, intrin = plan.block, plan.match, plan.intrin
    assert block is not None
    assert match is not None
    assert plan.body is not None
    removed: dict[Operation, str] = {}
    fresh = FreshNames(site).take

    def put(body: Block, function: FuncOp, renamed: dict[SSAValue, SSAValue]) -> None:
        nest = Nest.of(body)
        inline(intrin, function, match, nest.top, fresh, renamed)
        for op in (*nest.all_loops, nest.block):
            removed[op] = f"{op.label} was replaced by {intrin.name}"
        erase_with_loops(nest.block)

    if plan.init is not None:
        twins: dict[SSAValue, SSAValue] = dict(
            zip(block.body.block.args, block.init.block.args, strict=True)
        )
        put(block.init.block, plan.init, twins)
    elif plan.drops_init:
        old = block.init.detach_block(block.init.block)
        old.erase()
    put(block.body.block, plan.body, {})
    declare_externals(intrin, site.function)
    return Rewritten(removed=removed, blocks=(block,))


# Inlining of the implementation -------------------------------------------------------------


def require_layout(
    site: Site, intrin: TensorIntrin, function: FuncOp, match: Match, block: BlockOp
) -> None:
    """Refuse (KC3564) buffers whose layout differs from that of ``function``, a function of the
    intrinsic.
    """
    own = intrin.description.body.block.args
    for arg, parameter in zip(own, function.body.block.args, strict=True):
        matched = match.buffers.get(arg)
        wrong = None if matched is None else _wrong_layout(matched, parameter)
        if matched is not None and wrong is not None:
            why, hint = wrong
            raise site.refuse(
                "KC3564",
                f"{buffer_name(matched.buffer)} does not have the layout that {intrin.name} needs",
                at=block,
                why=f"{why}; its argument {buffer_name(arg)} is {parameter.type}",
                hints=[hint],
            )


def _wrong_layout(matched: Matched, parameter: BlockArgument) -> tuple[str, str] | None:
    """The difference in the layout, and a hint; None if the layout is right."""
    own, required_type = matched.buffer.type, parameter.type
    assert isinstance(own, MemRefType)
    assert isinstance(required_type, MemRefType)
    name = buffer_name(matched.buffer)
    strides = _known_strides(matched.buffer, own)
    required = _required_strides(parameter, required_type)
    last = required_type.get_num_dims() - 1
    pack = f"transform_layout of {name}, so that a tile has the layout of the argument"
    for n, (dim, size) in enumerate(zip(matched.dims, required_type.get_shape(), strict=True)):
        step = required[n]
        if dim is None or size == 1 or step is None or strides[dim] == step:
            continue
        hint = (
            f"an argument with strides of any size, {_any_rows(required_type)}"
            if n < last
            else pack
        )
        if strides[dim] is None:
            why = f"the stride of dimension {dim} of {name} is unknown"
        else:
            why = f"the stride of dimension {dim} of {name} is {strides[dim]} elements, not {step}"
        return why, hint
    if _has_vectors(parameter) and matched.dims[-1] != own.get_num_dims() - 1:
        return f"vectors need the last dimension of {name}, which the tile does not have", pack
    if _is_passed(parameter):
        if None in matched.dims:
            return f"a part of {name} cannot be passed with more dimensions than {name}", pack
        if list(matched.dims) != sorted(dim for dim in matched.dims if dim is not None):
            why = f"a part of {name} cannot be passed with its dimensions in another order"
            return why, pack
        if own.memory_space != required_type.memory_space:
            return (
                f"{name} is {own}",
                f"an intrinsic for {_scope(own)}, or {name} in {_scope(required_type)} (set_scope)",
            )
    return None


def _any_rows(type_: MemRefType) -> MemRefType:
    """``type_`` with a contiguous last dimension, and arbitrary strides of the others."""
    strides = [*[None] * (type_.get_num_dims() - 1), 1]
    layout = StridedLayoutAttr(strides, None)
    return MemRefType(type_.element_type, type_.get_shape(), layout, type_.memory_space)


def _scope(type_: MemRefType) -> str:
    space = type_.memory_space
    return f'"{space.data}"' if isinstance(space, StringAttr) else '"global"'


def _required_strides(parameter: BlockArgument, type_: MemRefType) -> list[int | None]:
    """The required strides of a parameter.

    For a parameter with only element accesses: its type's strides if the type has a strided layout,
    else a stride of 1 in the last dimension for vectors.
    """
    if _is_passed(parameter) or isinstance(type_.layout, StridedLayoutAttr):
        return strides_of(type_)
    last = 1 if _has_vectors(parameter) else None
    return [*[None] * (type_.get_num_dims() - 1), last][: type_.get_num_dims()]


def _known_strides(buffer: SSAValue, type_: MemRefType) -> list[int | None]:
    strides = strides_of(type_)
    if isinstance(buffer.owner, AllocOp) and buffer.owner.attributes:
        # With storage_align, the lowering chooses the strides, except the last one.
        return [*[None] * (len(strides) - 1), *strides[-1:]]
    return strides


def _accesses(parameter: BlockArgument) -> Iterator[LoadOp | StoreOp]:
    for use in parameter.uses:
        op = use.operation
        if isinstance(op, LoadOp) or (isinstance(op, StoreOp) and op.buffer is parameter):
            yield op


def _has_vectors(parameter: BlockArgument) -> bool:
    return any(
        isinstance((op.result if isinstance(op, LoadOp) else op.value).type, VectorType)
        for op in _accesses(parameter)
    )


def _is_passed(parameter: BlockArgument) -> bool:
    """True if an argument has uses other than accesses to its elements."""
    return len(list(_accesses(parameter))) != len(list(parameter.uses))


def inline(
    intrin: TensorIntrin,
    function: FuncOp,
    match: Match,
    place: Operation,
    fresh: Callable[[str], str],
    renamed: Mapping[SSAValue, SSAValue],
) -> None:
    """Insert a copy of the body of ``function`` before ``place``.

    ``renamed`` maps roots of the match's index to the values at this place. Accesses to an argument
    become accesses to the matched part of the buffer. An argument with other uses becomes a view of
    that part.
    """
    own = function.body.block.args
    parts = {
        parameter: match.buffers[arg]
        for parameter, arg in zip(own, intrin.description.body.block.args, strict=True)
        if arg in match.buffers
    }
    home = place.parent
    assert home is not None
    values: dict[SSAValue, SSAValue] = {}
    ops: list[Operation] = []
    for parameter, matched in parts.items():
        if _is_passed(parameter):
            view = _view(match, matched, parameter, renamed)
            ops.append(view)
            values[parameter] = view.result
    ops += [
        copy_operation(op, values) for op in function.body.block.ops if not isinstance(op, ReturnOp)
    ]
    views = {values[parameter]: parts[parameter] for parameter in parts if parameter in values}
    ops = _with_known_strides(ops, views)
    for op in _walk(ops):
        op.location = place.location
        if isinstance(op, BlockOp):
            op.properties["block_name"] = StringAttr(fresh(op.label))
        elif isinstance(op, AllocOp):
            label = op.buffer.name_hint = fresh(op.label)
            op.properties["buffer_name"] = StringAttr(label)
        elif isinstance(op, LoadOp | StoreOp):
            matched = views.get(op.buffer) or parts.get(op.buffer)  # pyright: ignore
            if matched is not None:
                _redirect(op, match, matched, renamed)
    home.insert_ops_before(ops, place)


def _with_known_strides(
    ops: Sequence[Operation], views: Mapping[SSAValue, Matched]
) -> list[Operation]:
    """``ops`` with constants for the known strides of views."""
    rewritten: list[Operation] = []
    for op in ops:
        if not isinstance(op, ExtractStridedMetaDataOp) or op.source not in views:
            rewritten.append(op)
            continue
        matched = views[op.source]
        type_ = matched.buffer.type
        assert isinstance(type_, MemRefType)
        strides = _known_strides(matched.buffer, type_)
        for result, dim in zip(op.strides, matched.dims, strict=True):
            stride = None if dim is None else strides[dim]
            if stride is not None and result.uses:
                constant = ConstantOp(IntegerAttr(stride, IndexType()))
                constant.result.name_hint = result.name_hint
                rewritten.append(constant)
                result.replace_all_uses_with(constant.result)
        if any(result.uses for result in op.results):
            rewritten.append(op)
        else:
            op.erase()
    return rewritten


def _walk(ops: Iterable[Operation]) -> list[Operation]:
    return [inner for op in ops for inner in op.walk()]


def _base(
    match: Match, matched: Matched, renamed: Mapping[SSAValue, SSAValue]
) -> tuple[tuple[AffineExpr, ...], list[SSAValue]]:
    base, operands = match.index.to_map(list(matched.base))
    return base.results, [renamed.get(value, value) for value in operands]


def _view(
    match: Match, matched: Matched, parameter: BlockArgument, renamed: Mapping[SSAValue, SSAValue]
) -> ViewOp:
    view_type = parameter.type
    assert isinstance(view_type, MemRefType)
    if not isinstance(view_type.layout, StridedLayoutAttr):
        view_type = MemRefType(
            view_type.element_type,
            view_type.shape,
            StridedLayoutAttr(strides_of(view_type), None),
            view_type.memory_space,
        )
    base, operands = _base(match, matched, renamed)
    space, operands = compact(AffineMap(len(operands), 0, base), operands)
    dims = [dim for dim in matched.dims if dim is not None]
    view = ViewOp(matched.buffer, space, operands, view_type, dims)
    if matched.zero_outside:
        view.attributes[ZERO_OUTSIDE] = UnitAttr()
    view.result.name_hint = parameter.name_hint
    return view


def _redirect(
    op: LoadOp | StoreOp, match: Match, matched: Matched, renamed: Mapping[SSAValue, SSAValue]
) -> None:
    """Turn an access to an argument into an access to the matched part of the buffer."""
    base, outer = _base(match, matched, renamed)
    operands = list(op.operands_of_map)
    count = len(operands)
    moved = [AffineExpr.dimension(count + n) for n in range(len(outer))]
    exprs = [expr.replace_dims_and_symbols(moved, []) for expr in base]
    for expr, dim in zip(op.indices.data.results, matched.dims, strict=True):
        if dim is not None:
            exprs[dim] = exprs[dim] + expr
    map_, used = compact(AffineMap(count + len(outer), 0, tuple(exprs)), [*operands, *outer])
    fixed = [matched.buffer] if isinstance(op, LoadOp) else [op.value, matched.buffer]
    op.operands = [*fixed, *used]
    op.properties["indices"] = AffineMapAttr(map_)


def declare_externals(intrin: TensorIntrin, function: FuncOp) -> None:
    """Add the functions that the implementation calls to the module of ``function``, if it has a
    module.
    """
    module = function.parent_op()
    if not isinstance(module, ModuleOp):
        return
    taken = {
        name.data
        for op in module.body.ops
        if isinstance(name := op.get_attr_or_prop("sym_name"), StringAttr)
    }
    for external in intrin.externals:
        if external.sym_name.data not in taken:
            copy = external.clone()
            copy.location = external.location
            module.body.block.add_op(copy)
