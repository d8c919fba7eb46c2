"""Putting the implementation of a tensor intrinsic in the place of what it was matched with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StridedLayoutAttr,
    StringAttr,
    VectorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.memref import ExtractStridedMetaDataOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import AllocOp, BlockOp, LoadOp, StoreOp
from kc.dialects.tir.views import ViewOp, strides_of
from kc.transforms.affine_rewrite import compact
from kc.transforms.intrinsics.tensor_intrin import TensorIntrin
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.tensor._matching import Match, Matched


def require_layout(
    site: Site, intrin: TensorIntrin, function: FuncOp, match: Match, block: BlockOp
) -> None:
    """Refuse (KC3564) buffers that are not laid out as ``function``, of the intrinsic, wants."""
    own = intrin.description.body.block.args
    for arg, parameter in zip(own, function.body.block.args, strict=True):
        one = match.buffers.get(arg)
        why = None if one is None else _wrong_layout(one, parameter)
        if one is not None and why is not None:
            raise site.refuse(
                "KC3564",
                f"tensorize: {buffer_name(one.buffer)} is not laid out as {intrin.name} needs it",
                at=block,
                why=f"{why}; its argument {buffer_name(arg)} is {parameter.type}",
            )


def _wrong_layout(one: Matched, parameter: BlockArgument) -> str | None:
    own, wanted = one.buffer.type, parameter.type
    assert isinstance(own, MemRefType)
    assert isinstance(wanted, MemRefType)
    name = buffer_name(one.buffer)
    strides = _known_strides(one.buffer, own)
    required = strides_of(wanted)
    for n, (dim, size) in enumerate(zip(one.dims, wanted.get_shape(), strict=True)):
        step = required[n]
        if dim is None or size == 1 or step is None:
            continue
        if strides[dim] is None:
            return f"how far apart neighbours along dimension {dim} of {name} are is not known"
        if strides[dim] != step:
            return (
                f"neighbours along dimension {dim} of {name} are {strides[dim]} elements apart, "
                f"not {step}"
            )
    if _has_vectors(parameter) and one.dims[-1] != own.get_num_dims() - 1:
        return f"a vector goes along the last dimension of {name}, the tile does not"
    if _is_passed(parameter):
        if None in one.dims:
            return f"a part of {name} with more dimensions than it has cannot be passed on"
        if list(one.dims) != sorted(dim for dim in one.dims if dim is not None):
            return f"a part of {name} with its dimensions in another order cannot be passed on"
        if own.memory_space != wanted.memory_space:
            return f"{name} is {own}"
    return None


def _known_strides(buffer: SSAValue, type_: MemRefType) -> list[int | None]:
    strides = strides_of(type_)
    if isinstance(buffer.owner, AllocOp) and buffer.owner.attributes:
        # storage_align leaves the distances to the lowering, but for the last one.
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
    """Whether something else than an access to its elements is done with an argument."""
    return len(list(_accesses(parameter))) != len(list(parameter.uses))


def inline(
    intrin: TensorIntrin,
    function: FuncOp,
    match: Match,
    place: Operation,
    fresh: Callable[[str], str],
    renamed: Mapping[SSAValue, SSAValue],
) -> None:
    """Put a copy of the body of ``function`` before ``place``.

    ``renamed`` maps roots of the match's index to the values that stand for them there. Accesses to
    an argument become accesses to the part of the buffer that it stands for; where an argument is
    used otherwise, it is a view of that part.
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
    made: list[Operation] = []
    for parameter, one in parts.items():
        if _is_passed(parameter):
            view = _view(match, one, parameter, renamed)
            made.append(view)
            values[parameter] = view.result
    made += [op.clone(values) for op in function.body.block.ops if not isinstance(op, ReturnOp)]
    views = {values[parameter]: parts[parameter] for parameter in parts if parameter in values}
    made = _with_known_strides(made, views)
    for op in _walk(made):
        op.location = place.location
        if isinstance(op, BlockOp):
            op.properties["block_name"] = StringAttr(fresh(op.label))
        elif isinstance(op, AllocOp):
            label = op.buffer.name_hint = fresh(op.label)
            op.properties["buffer_name"] = StringAttr(label)
        elif isinstance(op, LoadOp | StoreOp):
            one = views.get(op.buffer) or parts.get(op.buffer)  # pyright: ignore
            if one is not None:
                _redirect(op, match, one, renamed)
    home.insert_ops_before(made, place)


def _with_known_strides(
    ops: Sequence[Operation], views: Mapping[SSAValue, Matched]
) -> list[Operation]:
    """``ops`` with constants for the strides of views that are known."""
    found: list[Operation] = []
    for op in ops:
        if not isinstance(op, ExtractStridedMetaDataOp) or op.source not in views:
            found.append(op)
            continue
        one = views[op.source]
        type_ = one.buffer.type
        assert isinstance(type_, MemRefType)
        known = _known_strides(one.buffer, type_)
        for result, dim in zip(op.strides, one.dims, strict=True):
            stride = None if dim is None else known[dim]
            if stride is not None and result.uses:
                constant = ConstantOp(IntegerAttr(stride, IndexType()))
                constant.result.name_hint = result.name_hint
                found.append(constant)
                result.replace_all_uses_with(constant.result)
        if any(result.uses for result in op.results):
            found.append(op)
        else:
            op.erase()
    return found


def _walk(ops: Iterable[Operation]) -> list[Operation]:
    return [inner for op in ops for inner in op.walk()]


def _base(
    match: Match, one: Matched, renamed: Mapping[SSAValue, SSAValue]
) -> tuple[tuple[AffineExpr, ...], list[SSAValue]]:
    base, operands = match.index.to_map(list(one.base))
    return base.results, [renamed.get(value, value) for value in operands]


def _view(
    match: Match, one: Matched, parameter: BlockArgument, renamed: Mapping[SSAValue, SSAValue]
) -> ViewOp:
    wanted = parameter.type
    assert isinstance(wanted, MemRefType)
    if not isinstance(wanted.layout, StridedLayoutAttr):
        wanted = MemRefType(
            wanted.element_type,
            wanted.shape,
            StridedLayoutAttr(strides_of(wanted), None),
            wanted.memory_space,
        )
    base, operands = _base(match, one, renamed)
    space, operands = compact(AffineMap(len(operands), 0, base), operands)
    dims = [dim for dim in one.dims if dim is not None]
    view = ViewOp(one.buffer, space, operands, wanted, dims)
    view.result.name_hint = parameter.name_hint
    return view


def _redirect(
    op: LoadOp | StoreOp, match: Match, one: Matched, renamed: Mapping[SSAValue, SSAValue]
) -> None:
    """Let an access to an argument be one to the part of the buffer that it stands for."""
    base, outer = _base(match, one, renamed)
    operands = list(op.operands_of_map)
    count = len(operands)
    moved = [AffineExpr.dimension(count + n) for n in range(len(outer))]
    exprs = [expr.replace_dims_and_symbols(moved, []) for expr in base]
    for expr, dim in zip(op.indices.data.results, one.dims, strict=True):
        if dim is not None:
            exprs[dim] = exprs[dim] + expr
    map_, used = compact(AffineMap(count + len(outer), 0, tuple(exprs)), [*operands, *outer])
    fixed = [one.buffer] if isinstance(op, LoadOp) else [op.value, one.buffer]
    op.operands = [*fixed, *used]
    op.properties["indices"] = AffineMapAttr(map_)


def declare_externals(intrin: TensorIntrin, function: FuncOp) -> None:
    """Add what the implementation calls to the module that ``function`` is in, if it is in one."""
    module = function.parent_op()
    if not isinstance(module, ModuleOp):
        return
    taken = {
        name.data
        for op in module.body.ops
        if isinstance(name := op.get_attr_or_prop("sym_name"), StringAttr)
    }
    for one in intrin.externals:
        if one.sym_name.data not in taken:
            copy = one.clone()
            copy.location = one.location
            module.body.block.add_op(copy)
