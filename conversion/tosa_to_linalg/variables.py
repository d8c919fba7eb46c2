"""Variables of tosa: globals of memref, whose elements persist between calls."""

from __future__ import annotations

from xdsl.dialects import bufferization, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import Rewriter

from kc.analysis.loop_tree import preorder
from kc.conversion.tosa_to_linalg.emitter import refused
from kc.dialects.memref_views import GlobalOp
from kc.dialects.tosa_variables import VariableOp, VariableReadOp, VariableWriteOp


def _memory_of(op: Operation, type_: Attribute) -> MemRefType:
    """The type of the global that holds a variable."""
    assert isinstance(type_, TensorType)
    if DYNAMIC_INDEX in type_.get_shape():
        raise refused(op, "the sizes of a variable must be known at compile time", f"it is {type_}")
    return MemRefType(type_.element_type, type_.get_shape())


class ConvertVariableRead(RewritePattern):
    """``tosa.variable_read`` -> ``bufferization.to_tensor`` of the global, which is a copy."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: VariableReadOp, rewriter: PatternRewriter, /) -> None:
        memory = memref.GetGlobalOp(op.variable.data, _memory_of(op, op.output1.type))
        copy = bufferization.ToTensorOp(memory.memref, restrict=True)
        copy.tensor.name_hint = op.output1.name_hint
        rewriter.replace(op, [memory, copy], [copy.tensor])


class ConvertVariableWrite(RewritePattern):
    """``tosa.variable_write`` -> ``bufferization.materialize_in_destination``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: VariableWriteOp, rewriter: PatternRewriter, /) -> None:
        memory = memref.GetGlobalOp(op.variable.data, _memory_of(op, op.input1.type))
        store = bufferization.MaterializeInDestinationOp(
            operands=[op.input1, memory.memref],
            result_types=[[]],
            properties={"restrict": UnitAttr(), "writable": UnitAttr()},
        )
        rewriter.replace(op, [memory, store], [])


def _accesses(module: ModuleOp) -> list[VariableReadOp | VariableWriteOp]:
    return [op for op in preorder(module) if isinstance(op, VariableReadOp | VariableWriteOp)]


def require_sizes_of_variables(module: ModuleOp) -> None:
    """Refuse variables of unknown size that are read or written: KC4557."""
    used = {op.variable.data for op in _accesses(module)}
    for op in module.body.ops:
        if isinstance(op, VariableOp) and op.sym_name.data in used:
            _memory_of(op, op.tensor_type)


def variables_as_globals(module: ModuleOp) -> None:
    """Create a ``memref.global`` for each variable, once no function has tosa ops for them."""
    if _accesses(module):
        return
    for op in list(module.body.ops):
        if not isinstance(op, VariableOp):
            continue
        if DYNAMIC_INDEX in op.tensor_type.get_shape():  # unused
            Rewriter.erase_op(op)
            continue
        value = op.initial_value
        memory = GlobalOp.build(
            properties={
                "sym_name": op.sym_name,
                "type": _memory_of(op, op.tensor_type),
                "initial_value": UnitAttr() if value is None else value,
                "sym_visibility": StringAttr("private"),
            }
        )
        memory.location = op.location
        Rewriter.replace_op(op, memory, [])


PATTERNS = (ConvertVariableRead, ConvertVariableWrite)
