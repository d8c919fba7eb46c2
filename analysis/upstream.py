"""Functions of upstream's dialects: those that are raised to tir before they can be scheduled."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType

from kc.analysis.loop_tree import functions, preorder

_TENSORS = ("linalg.", "affine.", "tensor.")
_LOOPS = ("scf.", "memref.")


def needs_raising(function: func.FuncOp, *, loops: bool = False) -> bool:
    """Whether a function has tensors, or ops of linalg, affine or tensor.

    With ``loops``, also whether it has scf loops or accesses of memref, and nothing of tir: code
    generation takes these as they are, schedules do not. Nor does raising take branches (cf).
    """
    types = (*function.function_type.inputs, *function.function_type.outputs)
    if any(isinstance(type_, TensorType) for type_ in types):
        return True
    has_loops = has_tir = False
    for op in preorder(function):
        if op.name.startswith(_TENSORS):
            return True
        has_loops = has_loops or op.name.startswith(_LOOPS)
        has_tir = has_tir or op.name.startswith("tir.")
    return loops and has_loops and not has_tir and len(function.body.blocks) == 1


def upstream_functions(module: ModuleOp, *, loops: bool = False) -> list[func.FuncOp]:
    """The functions of a module that :func:`needs_raising` holds for."""
    return [function for function in functions(module) if needs_raising(function, loops=loops)]
