"""Scalar results: a kernel writes them into arguments, and the call returns them.

Before::

    func.func @f(%a: f32) -> f32 { ... return %x : f32 }

After::

    func.func @f(%a: f32, %r: memref<f32> {kc.role = "out"}) { ... memref.store %x, %r[] ... }

Where the function is raised anyway, the result becomes a ``tensor<f32>`` first, so that results
keep their order. A function that others of the module call stays for them, as a private one.
(MLIR: ``-buffer-results-to-out-params``, which does so for memrefs.)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func, memref, tensor
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from kc.analysis.loop_tree import functions, preorder
from kc.analysis.upstream import has_scalar_results, needs_raising
from kc.support.fresh_names import fresh_name

_SCALAR = AnyFloat | IntegerType | IndexType


def with_results_in_memory(function: func.FuncOp, *, loops: bool) -> func.FuncOp:
    """A copy of a public function that returns no scalar; the function itself without such."""
    if not has_scalar_results(function):
        return function
    new = function.clone()
    new.location = function.location
    if needs_raising(function, loops=loops):
        _as_tensors(new)
    else:
        _as_arguments(new)
    return new


def _as_tensors(function: func.FuncOp) -> None:
    """Each scalar that is returned is a tensor of one element."""
    for block in function.body.blocks:
        if isinstance(end := block.last_op, func.ReturnOp):
            values = [_as_tensor(value, end) for value in end.operands]
            end.operands = values
    outputs = [
        TensorType(_stored(type_), []) if isinstance(type_, _SCALAR) else type_
        for type_ in function.function_type.outputs
    ]
    function.function_type = FunctionType.from_lists([*function.function_type.inputs], outputs)


def _as_tensor(value: SSAValue, end: Operation) -> SSAValue:
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
    """Each scalar that is returned is stored to an argument; other results stay."""
    outputs = list(function.function_type.outputs)
    entry = function.body.blocks[0]
    taken = {arg.name_hint for arg in entry.args if arg.name_hint}
    places: dict[int, SSAValue] = {}
    attrs = list(function.arg_attrs.data) if function.arg_attrs is not None else []
    attrs += [DictionaryAttr({})] * (len(entry.args) - len(attrs))
    declared = function.res_attrs.data if function.res_attrs is not None else None
    for n, type_ in enumerate(outputs):
        if isinstance(type_, _SCALAR):
            place = entry.insert_arg(MemRefType(_stored(type_), []), len(entry.args))
            place.name_hint = fresh_name("out", taken)
            places[n] = place
            name = StringAttr(place.name_hint)
            given = declared[n].data if declared is not None else {}
            attrs.append(DictionaryAttr({"kc.name": name, **given, "kc.role": StringAttr("out")}))
    for block in function.body.blocks:
        if isinstance(end := block.last_op, func.ReturnOp):
            for n, place in places.items():
                _insert(memref.StoreOp.get(_cast(end.operands[n], end), place, []), end)
            end.operands = [value for n, value in enumerate(end.operands) if n not in places]
    kept = [type_ for n, type_ in enumerate(outputs) if n not in places]
    function.function_type = FunctionType.from_lists([arg.type for arg in entry.args], kept)
    function.arg_attrs = ArrayAttr(attrs)
    if declared is not None:
        function.res_attrs = ArrayAttr(
            [given for n, given in enumerate(declared) if n not in places]
        )


def _stored(type_: Attribute) -> Attribute:
    """The type that a result has in memory."""
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
    """Private copies of the public functions that return scalars and are called, by the names of
    these; their own are added to ``taken``, the symbols of the module."""
    called = {op.callee.string_value() for op in preorder(module) if isinstance(op, func.CallOp)}
    copies: dict[str, func.FuncOp] = {}
    for function in functions(module):
        name = function.sym_name.data
        if name in called and has_scalar_results(function):
            copy = function.clone()
            copy.sym_name = StringAttr(fresh_name(f"{name}_values", taken))
            copy.sym_visibility = StringAttr("private")
            copies[name] = copy
    return copies


def call_kept(ops: Sequence[Operation], names: dict[str, str]) -> None:
    """Calls of ``names`` in ``ops`` are of the private copies from now on."""
    for root in ops:
        for op in root.walk():
            if isinstance(op, func.CallOp) and op.callee.string_value() in names:
                op.callee = SymbolRefAttr(names[op.callee.string_value()])
