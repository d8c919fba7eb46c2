"""Functions of upstream dialects, which must be raised to tir before they can be scheduled."""

from __future__ import annotations

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    AnyFloat,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StridedLayoutAttr,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute

from kc.analysis.loop_tree import functions, preorder

_TENSORS = (
    "linalg.",
    "tm_tensor.",
    "tosa.",
    "affine.",
    "tensor.",
    "bufferization.",
    "scf.forall",
    "ml_program.",
)
_STRUCTURED = ("linalg.", "tm_tensor.", "tosa.", "tensor.")
_WRITTEN_LOOPS = frozenset(
    {"affine.for", "affine.parallel", "scf.for", "scf.forall", "scf.parallel", "scf.while"}
)
_VIEWS = (
    "memref.alloca_scope",
    "memref.assume_alignment",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.rank",
    "memref.realloc",
    "memref.transpose",
)
_LOOPS = ("scf.", "memref.")


def needs_raising(function: func.FuncOp, *, loops: bool = False) -> bool:
    """True if a function has tensors, strided arguments, or ops of linalg, tosa, affine or tensor.

    Also True if the step of an scf loop is not a constant of at least 1: raising lets the call
    check a computed step and refuses a smaller constant.

    With ``loops``, also True if the function has scf loops or memref accesses and no tir op: code
    generation accepts these, schedules do not. Branches (cf), vector ops and calls that take views
    are never raised; code generation accepts these too.
    """
    types = (*function.function_type.inputs, *function.function_type.outputs)
    if any(isinstance(type_, TensorType) for type_ in types):
        return True
    has_strides = any(_has_strides(type_) for type_ in types)
    has_loops = has_tir = has_steps = has_views = takes_views = False
    for op in preorder(function):
        if op.name.startswith(_TENSORS) or op.name in _VIEWS:
            return True
        is_tir = op.name.startswith("tir.")
        if op.name == "scf.parallel" and op.results:
            return True
        has_steps = has_steps or (isinstance(op, scf.ForOp | scf.ParallelOp) and _has_steps(op))
        has_views |= not is_tir and any(_has_strides(result.type) for result in op.results)
        if op.name.startswith("vector.") or op.name == "func.call":
            takes_views |= any(_has_strides(operand.type) for operand in op.operands)
        has_loops = has_loops or op.name.startswith(_LOOPS)
        has_tir = has_tir or is_tir
    if has_views and not takes_views:
        return True
    if has_tir:
        return False
    is_structured = len(function.body.blocks) == 1
    return (has_strides and not takes_views) or (
        is_structured and (has_steps or loops and has_loops)
    )


def _has_steps(op: scf.ForOp | scf.ParallelOp) -> bool:
    """True if a step is not a constant of at least 1."""
    steps = (op.step,) if isinstance(op, scf.ForOp) else op.step
    return not all(
        isinstance(owner := step.owner, arith.ConstantOp)
        and isinstance(owner.value, IntegerAttr)
        and owner.value.value.data > 0
        for step in steps
    )


def _has_strides(type_: Attribute) -> bool:
    return isinstance(type_, MemRefType) and isinstance(
        type_.layout, StridedLayoutAttr | AffineMapAttr
    )


def computes_without_loops(function: func.FuncOp) -> bool:
    """True if a function computes whole tensors or buffers and has neither loops nor tir ops: it
    specifies results and leaves their computation open.
    """
    is_structured = False
    for op in preorder(function):
        if op.name in _WRITTEN_LOOPS or op.name.startswith(("tir.", "gpu.", "vector.")):
            return False
        is_structured = is_structured or op.name.startswith(_STRUCTURED)
        is_structured |= any(isinstance(result.type, TensorType) for result in op.results)
    return is_structured


def upstream_functions(module: ModuleOp, *, loops: bool = False) -> list[func.FuncOp]:
    """The functions of a module that must be raised, or whose arguments or results are values that
    kernels hold in memory.
    """
    return [
        function
        for function in functions(module)
        if passes_values(function) or needs_raising(function, loops=loops)
    ]


def passes_values(function: func.FuncOp) -> bool:
    """True if the function is public and returns numbers, vectors or memrefs, which kernels write
    to arguments, or takes vectors, which kernels read from arguments.
    """
    is_public = function.sym_visibility is None or function.sym_visibility.data != "private"
    types = function.function_type
    return is_public and (
        any(map(is_held_vector, types.inputs))
        or any(
            isinstance(type_, AnyFloat | IntegerType | IndexType)
            or is_held_vector(type_)
            or is_returned_memref(type_)
            for type_ in types.outputs
        )
    )


def is_held_vector(type_: Attribute) -> bool:
    """True if the type is a vector type whose elements can be stored individually."""
    return (
        isinstance(type_, VectorType)
        and not type_.get_num_scalable_dims()
        and isinstance(type_.element_type, AnyFloat | IntegerType | IndexType)
    )


def is_returned_memref(type_: Attribute) -> bool:
    """True if the type is a memref type of static shape; a call returns such a result as a copy."""
    return isinstance(type_, MemRefType) and DYNAMIC_INDEX not in type_.get_shape()
