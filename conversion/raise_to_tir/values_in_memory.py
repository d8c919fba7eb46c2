"""Convert scalar, vector and memref results, and vector arguments, to memory arguments; the call
returns the results as arrays.

Before::

    func.func @f(%a: f32, %v: vector<4xi32>) -> f32 { ... return %x : f32 }

After::

    func.func @f(%a: f32, %m: memref<4xi32>, %r: memref<f32> {kc.role = "out"}) {
      %v = vector.transfer_read %m[...] ... memref.store %x, %r[] ...
    }

Where the function is raised anyway, a scalar becomes a ``tensor<f32>`` first, so that results keep
their order. A memref of static shape is copied, and given back if the function allocated it. A
function that others of the module call stays for them, as a private one. The type of a function,
its arguments and all its returns change at once, so this is one walk over the module and no rewrite
pattern. (MLIR: ``-buffer-results-to-out-params``, which does so for memrefs.)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func, memref, tensor, vector
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    BoolAttr,
    DictionaryAttr,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnrankedMemRefType,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from kc.analysis.loop_tree import functions, preorder
from kc.analysis.upstream import is_held_vector, is_returned_memref, needs_raising, passes_values
from kc.dialects.arith import IndexCastOp
from kc.support.fresh_names import fresh_name

_SCALAR = AnyFloat | IntegerType | IndexType


def with_results_in_memory(function: func.FuncOp, *, loops: bool) -> func.FuncOp:
    """A copy of a public function without vector arguments and results; the function itself if it
    has none, or if it has results that no kernel supports.
    """
    if not passes_values(function):
        return function
    for type_ in function.function_type.outputs:
        if isinstance(type_, MemRefType | UnrankedMemRefType) and not is_returned_memref(type_):
            return function  # a kernel does not return it, as its signature says
    new = function.clone()
    new.location = function.location
    _vectors_from_memory(new)
    if any(isinstance(type_, TensorType) for type_ in function.function_type.outputs) or (
        needs_raising(function, loops=loops)
        and all(isinstance(type_, _SCALAR) for type_ in function.function_type.outputs)
    ):
        _as_tensors(new)
    else:
        _as_arguments(new)
    return new


def _vectors_from_memory(function: func.FuncOp) -> None:
    """Replace each vector argument by a memref argument and a read."""
    entry = function.body.blocks[0]
    for argument in list(entry.args):
        if not is_held_vector(argument.type):
            continue
        type_ = argument.type
        assert isinstance(type_, VectorType)
        place = entry.insert_arg(_memory(type_), argument.index)
        place.name_hint = argument.name_hint
        ops, value = _read(place, type_)
        for op in reversed(ops):
            op.location = function.location
            entry.insert_ops_before([op], entry.first_op) if entry.first_op else entry.add_op(op)
        argument.replace_all_uses_with(value)
        entry.erase_arg(argument)
    outputs = [*function.function_type.outputs]
    function.function_type = FunctionType.from_lists([arg.type for arg in entry.args], outputs)


def _memory(type_: VectorType) -> MemRefType:
    return MemRefType(stored_type(type_.element_type), type_.get_shape())


def _corner(type_: VectorType) -> tuple[list[Operation], AffineMapAttr, ArrayAttr[BoolAttr]]:
    """The indices of a vector's first element (zeros), and the map and bounds of the transfer."""
    rank = type_.get_num_dims()
    zeros = [arith.ConstantOp(IntegerAttr.from_index_int_value(0)) for _ in range(rank)]
    inside = ArrayAttr([BoolAttr.from_bool(True)] * rank)
    return [*zeros], AffineMapAttr(AffineMap.identity(rank)), inside


def _read(place: SSAValue, type_: VectorType) -> tuple[list[Operation], SSAValue]:
    """The ops that read a vector from its memory, and the vector."""
    element = stored_type(type_.element_type)
    if type_.get_num_dims() == 0:
        load = memref.LoadOp.get(place, [])
        held = VectorType(element, [])
        whole = vector.BroadcastOp(load.res, held)
        ops: list[Operation] = [load, whole]
        value = whole.vector
    else:
        zeros, map_, inside = _corner(type_)
        padding = arith.ConstantOp(_zero(element))
        held = VectorType(element, type_.get_shape())
        read = vector.TransferReadOp(
            place, [zero.results[0] for zero in zeros], padding.result, held, inside, map_
        )
        ops, value = [*zeros, padding, read], read.results[0]
    if isinstance(type_.element_type, IndexType):
        cast = IndexCastOp(value, type_)
        return [*ops, cast], cast.result
    return ops, value


def _zero(element: Attribute) -> IntegerAttr | FloatAttr:
    if isinstance(element, AnyFloat):
        return FloatAttr(0.0, element)
    return IntegerAttr(0, element)  # pyright: ignore


def _write(value: SSAValue, place: SSAValue) -> list[Operation]:
    """The ops that write a vector to its memory, or into a tensor, the result of the last op."""
    type_ = value.type
    assert isinstance(type_, VectorType)
    ops: list[Operation] = []
    if isinstance(type_.element_type, IndexType):
        cast = IndexCastOp(value, VectorType(i64, type_.get_shape()))
        ops.append(cast)
        value = cast.result
    if type_.get_num_dims() == 0:
        taken = vector.ExtractOp(value, [], stored_type(type_.element_type))
        if isinstance(place.type, TensorType):
            whole = tensor.FromElementsOp.build(
                operands=[[taken.result]], result_types=[place.type]
            )
            return [*ops, taken, whole]
        return [*ops, taken, memref.StoreOp.get(taken.result, place, [])]
    zeros, map_, inside = _corner(type_)
    write = vector.TransferWriteOp(
        value,
        place,
        [zero.results[0] for zero in zeros],
        inside,
        permutation_map=map_,
        result_type=place.type if isinstance(place.type, TensorType) else None,
    )
    return [*ops, *zeros, write]


def _as_tensors(function: func.FuncOp) -> None:
    """Return each scalar as a tensor of rank 0, and each vector as a tensor of its elements."""
    for block in function.body.blocks:
        if isinstance(end := block.last_op, func.ReturnOp):
            values = [_as_tensor(value, end) for value in end.operands]
            end.operands = values
    outputs = [_tensor_type(type_) for type_ in function.function_type.outputs]
    function.function_type = FunctionType.from_lists([*function.function_type.inputs], outputs)


def _tensor_type(type_: Attribute) -> Attribute:
    """The tensor that a scalar, or a vector, becomes."""
    if isinstance(type_, _SCALAR):
        return TensorType(stored_type(type_), [])
    if is_held_vector(type_):
        assert isinstance(type_, VectorType)
        return TensorType(stored_type(type_.element_type), type_.get_shape())
    return type_


def _as_tensor(value: SSAValue, end: Operation) -> SSAValue:
    if is_held_vector(value.type):
        type_ = _tensor_type(value.type)
        assert isinstance(type_, TensorType)
        empty = tensor.EmptyOp([], type_)
        _insert(empty, end)
        ops = _write(value, empty.tensor)
        for op in ops:
            _insert(op, end)
        ops[-1].results[0].name_hint = value.name_hint
        return ops[-1].results[0]
    if not isinstance(value.type, _SCALAR):
        return value
    stored = _cast(value, end)
    whole = tensor.FromElementsOp.build(
        operands=[[stored]], result_types=[TensorType(stored.type, [])]
    )
    _insert(whole, end)
    whole.results[0].name_hint = value.name_hint
    return whole.results[0]


def _as_arguments(function: func.FuncOp) -> None:
    """Store each returned value to an argument. If the type of one is unsupported, all results stay
    in order, so that a later pass refuses it.
    """
    outputs = list(function.function_type.outputs)
    memories = [_result_memory(type_) for type_ in outputs]
    if None in memories:
        return
    entry = function.body.blocks[0]
    taken = {arg.name_hint for arg in entry.args if arg.name_hint}
    places: list[SSAValue] = []
    attrs = list(function.arg_attrs.data) if function.arg_attrs is not None else []
    attrs += [DictionaryAttr({})] * (len(entry.args) - len(attrs))
    declared = function.res_attrs.data if function.res_attrs is not None else None
    for n, memory in enumerate(memories):
        assert memory is not None
        place = entry.insert_arg(memory, len(entry.args))
        place.name_hint = fresh_name("out", taken)
        places.append(place)
        name = StringAttr(place.name_hint)
        attrs_of_result = declared[n].data if declared is not None else {}
        attrs.append(
            DictionaryAttr({"kc.name": name, **attrs_of_result, "kc.role": StringAttr("out")})
        )
    for block in function.body.blocks:
        if isinstance(end := block.last_op, func.ReturnOp):
            for value, place in zip(end.operands, places, strict=True):
                _store(value, place, end)
            _give_back({*end.operands}, end)
            end.operands = []
    function.function_type = FunctionType.from_lists([arg.type for arg in entry.args], [])
    function.arg_attrs = ArrayAttr(attrs)
    function.res_attrs = None


def _result_memory(type_: Attribute) -> MemRefType | None:
    """The type of the argument for a result; None if the result is unsupported."""
    if isinstance(type_, _SCALAR):
        return MemRefType(stored_type(type_), [])
    if is_held_vector(type_):
        assert isinstance(type_, VectorType)
        return _memory(type_)
    if is_returned_memref(type_):
        assert isinstance(type_, MemRefType)
        return MemRefType(type_.element_type, type_.get_shape())
    return None


def _store(value: SSAValue, place: SSAValue, end: Operation) -> None:
    if isinstance(value.type, VectorType):
        for op in _write(value, place):
            _insert(op, end)
    elif isinstance(value.type, MemRefType):
        _insert(memref.CopyOp(value, place), end)
    else:
        _insert(memref.StoreOp.get(_cast(value, end), place, []), end)


def _give_back(values: set[SSAValue], end: Operation) -> None:
    """Free memory that was allocated to be returned."""
    for value in values:
        if isinstance(value.owner, memref.AllocOp):
            _insert(memref.DeallocOp.get(value), end)


def stored_type(type_: Attribute) -> Attribute:
    """The memory type of a result."""
    return i64 if isinstance(type_, IndexType) else type_


def _cast(value: SSAValue, end: Operation) -> SSAValue:
    if not isinstance(value.type, IndexType):
        return value
    cast = arith.IndexCastOp(value, i64)
    _insert(cast, end)
    return cast.result


def _insert(op: Operation, before: Operation) -> None:
    op.location = before.location
    block = before.parent
    assert isinstance(block, Block)
    block.insert_op_before(op, before)


def keep_called(module: ModuleOp, taken: set[str]) -> dict[str, func.FuncOp]:
    """Private copies of public functions that pass values and are called, by name. Their symbols
    are added to ``taken``, the symbols of the module.
    """
    called = {op.callee.string_value() for op in preorder(module) if isinstance(op, func.CallOp)}
    copies: dict[str, func.FuncOp] = {}
    for function in functions(module):
        name = function.sym_name.data
        if name in called and passes_values(function):
            copy = function.clone()
            copy.sym_name = StringAttr(fresh_name(f"{name}_values", taken))
            copy.sym_visibility = StringAttr("private")
            copies[name] = copy
    return copies


def call_kept(ops: Sequence[Operation], names: dict[str, str]) -> None:
    """Replace the calls of ``names`` in ``ops`` by calls of the private copies."""
    for root in ops:
        for op in root.walk():
            if isinstance(op, func.CallOp) and op.callee.string_value() in names:
                op.callee = SymbolRefAttr(names[op.callee.string_value()])
