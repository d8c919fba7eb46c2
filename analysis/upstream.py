"""Functions of upstream's dialects: those that are raised to tir before they can be scheduled."""

from __future__ import annotations

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StridedLayoutAttr,
    TensorType,
)
from xdsl.ir import Attribute

from kc.analysis.loop_tree import functions, preorder

_TENSORS = ("linalg.", "tm_tensor.", "tosa.", "affine.", "tensor.", "bufferization.", "scf.forall")
_VIEWS = (
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.rank",
    "memref.realloc",
    "memref.transpose",
)
_LOOPS = ("scf.", "memref.")


def needs_raising(function: func.FuncOp, *, loops: bool = False) -> bool:
    """Whether a function has tensors, strided arguments, or ops of linalg, tosa, affine or tensor.

    Also if a loop of scf has a step that is no constant: the call checks that it is at least 1, and
    a constant below is refused.

    With ``loops``, also whether it has scf loops or accesses of memref, and nothing of tir: code
    generation takes these as they are, schedules do not. Nor does raising take branches (cf), or
    ops of vector and calls that take views: code generation takes these too.
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
    """Whether a step is no constant of at least 1."""
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


def upstream_functions(module: ModuleOp, *, loops: bool = False) -> list[func.FuncOp]:
    """The functions of a module that have to be raised, or return scalars."""
    return [
        function
        for function in functions(module)
        if has_scalar_results(function) or needs_raising(function, loops=loops)
    ]


def has_scalar_results(function: func.FuncOp) -> bool:
    """Whether it is a kernel that returns numbers, which kernels write into arguments."""
    is_public = function.sym_visibility is None or function.sym_visibility.data != "private"
    return is_public and any(
        isinstance(type_, AnyFloat | IntegerType | IndexType)
        for type_ in function.function_type.outputs
    )
