"""raise-to-tir: convert functions of upstream's dialects to loops around blocks.

Before::

    func.func @f(%A: tensor<8x4xf32>) -> tensor<8xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<8xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      %S = linalg.reduce { arith.addf } ins(%A : ...) outs(%z : ...) dimensions = [1]
      return %S : tensor<8xf32>
    }

After::

    func.func @f(%A: memref<8x4xf32>, %S: memref<8xf32>) {
      tir.for %d0 in 8 {
        tir.for %d1 in 4 {
          tir.block "S" (spatial %v_d0 in 8 = %d0, reduce %v_d1 in 4 = %d1) init { ... } do { ... }

The pass raises ``linalg`` ops, generic and named, on memrefs and on tensors; ``tosa``, by
``tosa-to-linalg``; ``tm_tensor`` and ``linalg.softmax``, by ``decompose-aggregates``; the ops of
``tensor`` that create, reshape, slice and pad; loops, conditions and accesses of ``affine``,
``scf`` and ``memref``, including loops that carry or share tensors; views of memrefs;
``bufferization``. Tensor arguments become buffers; tensor and scalar results become trailing
arguments. Raised loops start at 0 and step by 1. A store becomes a block within its loops. A loop
is ``spatial`` if each of its iterations stores to a different element, ``reduce`` if it belongs to
an update ``C[i] = C[i] op x``, and ``opaque`` otherwise. A fill before a reduction becomes its
``init``. A function of tensor or ``linalg`` ops without loops is marked ``kc.unscheduled``: it
states only the computation, and a build chooses the schedule. Loops of ``affine`` and ``scf`` are
taken as a chosen schedule, also around an op of ``linalg``, for example after tiling by a transform
script. A statement that cannot be a block stays as loads and stores in loops, and an op on scalars
or memrefs without a counterpart stays as it is.

Legal set: no op of ``linalg``, ``tosa``, ``affine`` and ``tensor`` remains in any function. A
refusal (KC4550 to KC4557) changes nothing. (TVM: ``tir.Schedule`` of an imported PrimFunc; MLIR:
``-affine-raise-from-memref``, ``-convert-linalg-to-loops``.)
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnrankedMemRefType,
    UnrankedTensorType,
)
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from kc.analysis.loop_tree import functions, preorder
from kc.analysis.symbol_references import references
from kc.analysis.upstream import (
    computes_without_loops,
    needs_raising,
    upstream_functions,
)
from kc.conversion._statements import make_blocks
from kc.conversion.decompose_aggregates import without_aggregates
from kc.conversion.driver import own_and_added
from kc.conversion.flatten_memrefs_of_vectors import holds_vectors
from kc.conversion.raise_to_tir.assertions import with_assertions_before
from kc.conversion.raise_to_tir.branches import with_structured_branches
from kc.conversion.raise_to_tir.function import TARGET, FunctionRaiser
from kc.conversion.raise_to_tir.inits import fuse_inits
from kc.conversion.raise_to_tir.inlined import inlined_callees, with_bodies_inlined
from kc.conversion.raise_to_tir.interface import check_interface
from kc.conversion.raise_to_tir.patterns import PATTERNS
from kc.conversion.raise_to_tir.program_globals import globals_of_memref, with_globals_in_memory
from kc.conversion.raise_to_tir.values_in_memory import (
    call_kept,
    keep_called,
    with_results_in_memory,
)
from kc.conversion.tosa_to_linalg import without_tosa
from kc.conversion.tosa_to_linalg.variables import require_sizes_of_variables, variables_as_globals
from kc.dialects.tir.memory import CONTAINERS
from kc.dialects.unscheduled import mark_unscheduled
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of


@dataclass(frozen=True)
class RaiseToTirPass(ModulePass):
    """Convert linalg ops and affine, scf and memref loops to loops around blocks.

    Without ``loops``, functions that contain only scf and memref stay as they are.
    """

    name = "raise-to-tir"

    loops: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        todo = upstream_functions(op, loops=self.loops)
        names = (symbol_op.get_attr_or_prop("sym_name") for symbol_op in op.body.ops)
        taken = {name.data for name in names if isinstance(name, StringAttr)}
        for function in todo:
            _require_buffers(function)
        if todo:
            require_sizes_of_variables(op)
        copies = keep_called(op, taken)
        bodies = {function.sym_name.data: function for function in functions(op)}
        inlined = set[str]().union(*map(inlined_callees, todo))
        whole = {
            function: with_bodies_inlined(with_structured_branches(function), bodies)
            for function in todo
        }
        sources = {
            function: with_assertions_before(
                without_aggregates(
                    without_tosa(
                        with_results_in_memory(with_globals_in_memory(source, op), loops=self.loops)
                    )
                )
            )
            for function, source in whole.items()
        }
        raised: dict[func.FuncOp, tuple[func.FuncOp, list[memref.GlobalOp]]] = {}
        for function, source in (*sources.items(), *((copy, copy) for copy in copies.values())):
            if needs_raising(source, loops=self.loops):
                raised[function] = raise_function(source, taken)
            elif source is not function:
                raised[function] = source, []
        for copy in copies.values():
            op.body.block.add_op(copy)
        for function, source in (*whole.items(), *((copy, copy) for copy in copies.values())):
            if function in raised and computes_without_loops(source):
                mark_unscheduled(raised[function][0])
        for old, (new, tables) in raised.items():
            check_interface(old, new)
            op.body.block.insert_ops_before(tables, old)
            Rewriter.replace_op(old, new, [])
        if copies:
            call_kept([op], {name: copy.sym_name.data for name, copy in copies.items()})
        _drop_uncalled(op, inlined)
        if todo:
            globals_of_memref(op)
            variables_as_globals(op)


def _require_buffers(function: func.FuncOp) -> None:
    """Refuse tensors and memrefs without a rank, or with elements that are not scalars: KC4550."""
    for op in (function, *preorder(function)):
        types = [value.type for value in (*op.operands, *op.results)]
        types += [
            arg.type for region in op.regions for block in region.blocks for arg in block.args
        ]
        if isinstance(op, func.FuncOp):
            types += op.function_type.outputs
        for type_ in types:
            if isinstance(type_, UnrankedTensorType | UnrankedMemRefType):
                raise CodegenError(
                    "KC4550",
                    f"raise-to-tir: {type_} in {op.name} has no counterpart in tir",
                    location=location_of(op),
                    why="buffers have a number of dimensions",
                    hints=["give it a ranked type; its sizes may be ?"],
                )
            if isinstance(type_, TensorType | MemRefType) and isinstance(
                type_.element_type, CONTAINERS
            ):
                raise CodegenError(
                    "KC4550",
                    f"raise-to-tir: {type_} in {op.name} has no counterpart in tir",
                    location=location_of(op),
                    why="the elements of buffers are scalars",
                    hints=["run flatten-memrefs-of-vectors first"] if holds_vectors(type_) else [],
                )


def _drop_uncalled(module: ModuleOp, inlined: Set[str]) -> None:
    """Erase private functions that were inlined into all callers."""
    for function in list(functions(module)):
        is_private = (
            function.sym_visibility is not None and function.sym_visibility.data == "private"
        )
        name = function.sym_name.data
        if is_private and name in inlined and not _is_used(module, name):
            Rewriter.erase_op(function)


def _is_used(module: ModuleOp, name: str) -> bool:
    """True if an attribute of an op in a function references the function ``name``."""
    return any(name in references(op) for op in preorder(module))


def raise_function(
    function: func.FuncOp, taken: set[str]
) -> tuple[func.FuncOp, list[memref.GlobalOp]]:
    """The function of loops and blocks for ``function``, which is not changed, and its tables.

    ``taken`` are the symbols of the module; the symbols of the tables are added.
    """
    raiser = FunctionRaiser(function, taken, own_and_added(TARGET, PATTERNS))
    new = raiser.run()
    make_blocks(new, raiser.variables, raiser.labels)
    fuse_inits(new)
    return new, raiser.tables
