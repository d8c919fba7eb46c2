"""ml_program globals as memref globals, whose elements persist between calls.

::

    ml_program.global private mutable @seed(dense<0> : tensor<i64>) : tensor<i64>
    %0 = ml_program.global_load @seed : tensor<i64>
    ml_program.global_store @seed = %1 : tensor<i64>

becomes ::

    memref.global "private" @seed : memref<i64> = dense<0>
    %m = memref.get_global @seed : memref<i64>
    %0 = bufferization.to_tensor %m restrict : memref<i64> to tensor<i64>
    bufferization.materialize_in_destination %1 in restrict writable %m
"""

from __future__ import annotations

from xdsl.dialects import bufferization, func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.dialects.ml_program import GlobalOp as ProgramGlobalOp
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import Rewriter
from xdsl.traits import SymbolTable

from kc.analysis.loop_tree import preorder
from kc.dialects.memref_views import GlobalOp
from kc.dialects.ml_program import GlobalLoadConstOp, GlobalLoadOp, GlobalStoreOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

_PREFIX = "ml_program.global_"
_ACCESSES = (GlobalLoadConstOp, GlobalLoadOp, GlobalStoreOp)


def with_globals_in_memory(function: func.FuncOp, module: ModuleOp) -> func.FuncOp:
    """A copy of a function whose accesses to globals are those of memref; the function itself if it
    has none.

    Requires that each global is declared, has the type of the access, and is a scalar or a tensor
    of known sizes: KC4550.
    """
    accesses = [op for op in preorder(function) if isinstance(op, _ACCESSES)]
    for access in accesses:
        _require_memory(access, module)
    if not accesses:
        return function
    copy = function.clone()
    copy.location = function.location
    PatternRewriteWalker(AccessInMemory(), apply_recursively=False).rewrite_region(copy.body)
    return copy


def globals_of_memref(module: ModuleOp) -> None:
    """Create a ``memref.global`` for each ml_program global that functions access in memory, and
    erase the others, once no function has ml_program ops.

    torch-mlir declares one in every module, whether it is used or not.
    """
    if any(op.name.startswith(_PREFIX) for op in preorder(module)):
        return
    used = {
        op.name_.string_value() for op in preorder(module) if isinstance(op, memref.GetGlobalOp)
    }
    for op in list(module.body.ops):
        if not isinstance(op, ProgramGlobalOp):
            continue
        if op.sym_name.data not in used:
            Rewriter.erase_op(op)
            continue
        type_ = _memory_type(op.type)
        assert type_ is not None
        memory = GlobalOp.build(
            properties={
                "sym_name": op.sym_name,
                "type": type_,
                "initial_value": _elements(op.value, type_),
                "sym_visibility": StringAttr("private"),
                "constant": None if op.is_mutable is not None else UnitAttr(),
            }
        )
        memory.location = op.location
        Rewriter.replace_op(op, memory, [])


class AccessInMemory(RewritePattern):
    """Convert an access to a global of ml_program to an access to a global of memref.

    Requires what :func:`with_globals_in_memory` has checked.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: GlobalLoadConstOp | GlobalLoadOp | GlobalStoreOp, rewriter: PatternRewriter, /
    ) -> None:
        value = op.value if isinstance(op, GlobalStoreOp) else op.result
        type_ = _memory_type(value.type)
        assert type_ is not None
        place = memref.GetGlobalOp(op.symbol.string_value(), type_)
        is_tensor = isinstance(value.type, TensorType)
        access: Operation
        if isinstance(op, GlobalStoreOp):
            access = (
                bufferization.MaterializeInDestinationOp(
                    operands=[value, place.memref],
                    result_types=[[]],
                    properties={"restrict": UnitAttr(), "writable": UnitAttr()},
                )
                if is_tensor
                else memref.StoreOp.get(value, place.memref, [])
            )
        elif is_tensor:
            access = bufferization.ToTensorOp(place.memref, restrict=True)
        else:
            access = memref.LoadOp.get(place.memref, [])
        for new in (place, access):
            new.location = op.location
        if access.results:
            access.results[0].name_hint = value.name_hint
        rewriter.replace(op, [place, access], list(access.results))


def _memory_type(type_: Attribute) -> MemRefType | None:
    if isinstance(type_, TensorType) and DYNAMIC_INDEX not in type_.get_shape():
        return MemRefType(type_.element_type, type_.get_shape())
    if isinstance(type_, AnyFloat | IntegerType | IndexType):
        return MemRefType(type_, [])
    return None


def _elements(value: Attribute | None, type_: MemRefType) -> Attribute:
    """The initial contents of the memory; undefined without a value."""
    if isinstance(value, IntegerAttr | FloatAttr):
        whole = TensorType(type_.element_type, [])
        return DenseIntOrFPElementsAttr.from_list(whole, [value.value.data])  # pyright: ignore
    return UnitAttr() if value is None else value


def _require_memory(op: GlobalLoadConstOp | GlobalLoadOp | GlobalStoreOp, module: ModuleOp) -> None:
    type_ = (op.value if isinstance(op, GlobalStoreOp) else op.result).type
    symbol = SymbolTable.lookup_symbol(module, op.symbol)
    why = None
    if not isinstance(symbol, ProgramGlobalOp):
        why = f"there is no ml_program.global @{op.symbol.string_value()}"
    elif symbol.type != type_:
        why = f"the global is {symbol.type}"
    elif _memory_type(type_) is None:
        why = "a global must be a scalar, or a tensor with constant sizes"
    elif isinstance(op, GlobalStoreOp) and symbol.is_mutable is None:
        why = "the global is not mutable"
    elif symbol.value is not None and not isinstance(
        symbol.value, IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr
    ):
        why = f"its value is {symbol.value}"
    if why is not None:
        raise CodegenError(
            "KC4550",
            f"raise-to-tir: {op.name} of {type_} has no counterpart in tir",
            location=location_of(op),
            why=why,
        )
