"""The first step of schedules and builds: the lowering of graphs, te functions and upstream
dialects to tir.
"""

from __future__ import annotations

from xdsl.dialects import affine, memref, tensor
from xdsl.dialects.builtin import (
    ModuleOp,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.ir import Operation

from kc.analysis.loop_tree import preorder
from kc.analysis.upstream import upstream_functions
from kc.dialects.graph.functions import FuncOp
from kc.support.registry import pass_class

_MATH = {f"math.{name}" for name in ("isfinite", "isinf", "isnan", "isnormal", "sincos")}
"""The operations that ``math-to-arith`` lowers."""

_SCALING = {"arith.scaling_extf", "arith.scaling_truncf"}
"""The operations that ``arith-expand`` lowers."""


def to_tir(module: ModuleOp, *, loops: bool = True) -> None:
    """Lower graphs and te functions, and raise functions of upstream's dialects, in place.

    Without ``loops``, functions of scf loops and memrefs stay, because code generation accepts
    them. Raises the errors of ``lower-te``, ``convert-te-to-tir`` and ``raise-to-tir``.
    """
    if any(isinstance(op, FuncOp) for op in module.body.ops):
        pass_class("lower-te")().apply(None, module)
    if any(op.name.startswith("index.") for op in preorder(module)):
        pass_class("index-to-arith")().apply(None, module)
    if any(op.name in _MATH for op in preorder(module)):
        pass_class("math-to-arith")().apply(None, module)
    if any(op.name in _SCALING for op in preorder(module)):
        pass_class("arith-expand")().apply(None, module)
    if any(_loses_rank(op) for op in preorder(module)):
        pass_class("resolve-unranked-casts")().apply(None, module)
    if any(_accesses_vectors(op) for op in preorder(module)):
        pass_class("flatten-memrefs-of-vectors")().apply(None, module)
    pass_class("legalize-scalable-vectors")().apply(None, module)
    pass_class("convert-te-to-tir")().apply(None, module)
    if upstream_functions(module, loops=loops):
        pass_class("raise-to-tir")(loops=loops).apply(None, module)


def _loses_rank(op: Operation) -> bool:
    """True if the operation casts a memref or a tensor to an unranked type."""
    return isinstance(op, memref.CastOp | tensor.CastOp) and isinstance(
        op.results[0].type, UnrankedMemRefType | UnrankedTensorType
    )


def _accesses_vectors(op: Operation) -> bool:
    """True if the operation loads or stores a vector as an element of a memref."""
    if isinstance(op, memref.LoadOp | affine.LoadOp):
        return isinstance(op.results[0].type, VectorType)
    return isinstance(op, memref.StoreOp | affine.StoreOp) and isinstance(op.value.type, VectorType)
