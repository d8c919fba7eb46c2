"""MLIR transform steps that kc does not support, with kc's alternatives."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser

from kc.support.diagnostics import ScheduleError
from kc.support.ir_text import ModuleParser

_SCHEDULE = "--raise-to-tir converts it to loops, to which kc's primitives apply"
_VECTORIZE = 'kc vectorizes loops: --vectorize="block=B loop=j" (--raise-to-tir runs before)'
_LOWERING = "--lower-to-llvm lowers vectors and tensors; no script has to"

REFUSED = {
    "structured.vectorize": _VECTORIZE,
    "structured.vectorize_children_and_apply_patterns": _VECTORIZE,
    "structured.pad": "kc pads with --pad-einsum, and --decompose-padding",
    "structured.pad_tiling_interface": "kc pads with --pad-einsum, and --decompose-padding",
    "structured.hoist_pad": "kc pads with --pad-einsum, and places copies with --compute-at",
    "structured.pack": "kc changes layouts with --transform-layout",
    "structured.pack_greedily": "kc changes layouts with --transform-layout",
    "structured.pack_transpose": "kc changes layouts with --transform-layout",
    "structured.lower_pack": "--raise-to-tir lowers linalg.pack",
    "structured.lower_unpack": "--raise-to-tir lowers linalg.unpack",
    "structured.fuse": "tile_using_for, then fuse_into_containing_op; or --compute-at on loops",
    "structured.split": "kc splits domains with --loop-partition",
    "structured.split_reduction": "kc splits reductions with --rfactor",
    "structured.tile_reduction_using_for": "kc splits reductions with --rfactor",
    "structured.tile_reduction_using_forall": "kc splits reductions with --rfactor",
    "structured.multitile_sizes": "kc's --split takes factors that do not divide an extent",
    "structured.continuous_tile_sizes": "kc's --split takes factors that do not divide an extent",
    "structured.scalarize": "transform.structured.tile_using_for with sizes of 1",
    "structured.decompose": _SCHEDULE,
    "structured.decompose_interface": _SCHEDULE,
    "structured.convert_to_loops": _SCHEDULE,
    "structured.flatten_elementwise": "kc joins loops with --fuse",
    "structured.promote": "kc places copies with --cache-read and --cache-write",
    "structured.promote_tensor": "kc places copies with --cache-read and --cache-write",
    "structured.bufferize_to_allocation": "kc places copies with --cache-read and --cache-write",
    "structured.map_copy_to_threads": "kc binds loops to threads with --bind",
    "structured.convert_conv2d_to_img2col": _SCHEDULE,
    "structured.winograd_conv2d": _SCHEDULE,
    "structured.transpose_conv2d": _SCHEDULE,
    "structured.transpose_matmul": _SCHEDULE,
    "structured.specialize": _SCHEDULE,
    "structured.insert_slice_to_copy": _SCHEDULE,
    "structured.rewrite_in_destination_passing_style": _SCHEDULE,
    "structured.eliminate_empty_tensors": _SCHEDULE,
    "structured.hoist_redundant_vector_transfers": "kc has --cache-write into registers",
    "loop.peel": "kc splits domains with --loop-partition",
    "loop.pipeline": "kc pipelines loops that have the annotation software_pipeline_stage",
    "loop.coalesce": "kc joins loops with --fuse",
    "loop.fuse_sibling": "kc merges nests with --fuse-loops",
    "loop.unroll_and_jam": "kc does this with --unroll-and-jam",
    "loop.outline": "--lower-to-gpu makes functions of kernels",
    "loop.hoist_loop_invariant_subsets": "kc moves loop-invariant operations with --licm",
    "loop.forall_to_for": "kc converts it to serial loops by --raise-to-tir",
    "loop.forall_to_parallel": "kc makes loops parallel with --parallel",
    "loop.promote_if_one_iteration": "--canonicalize removes such loops",
    "gpu.map_forall_to_blocks": "kc binds loops to blocks with --bind",
    "gpu.map_nested_forall_to_threads": "kc binds loops to threads with --bind",
    "bufferization.one_shot_bufferize": _LOWERING,
    "bufferization.eliminate_empty_tensors": _LOWERING,
    "apply_conversion_patterns": _LOWERING,
    "alternatives": "kc performs one script; kc.tir.Schedule has sample_perfect_tile and others",
    "foreach_match": "transform.structured.match, then transform.foreach",
    "collect_matching": "transform.structured.match",
}
"""Unsupported steps of MLIR, without ``transform.``, with kc's way to achieve the same."""


def refused_op(step: str, way: str) -> type[Operation]:
    """The op of one of :data:`REFUSED`, whose text is refused (KC3723)."""

    def parse(cls: type[IRDLOperation], parser: Parser) -> IRDLOperation:
        del cls
        place = parser.place(parser.pos) if isinstance(parser, ModuleParser) else None
        raise ScheduleError(
            "KC3723",
            f"transform.{step} is a step that kc does not perform",
            location=place,
            hints=[way],
        )

    fields = {
        "name": f"transform.{step}",
        "__doc__": "A step of MLIR that kc does not perform.",
        "__module__": __name__,
        "arguments": var_operand_def(),
        "results_": var_result_def(),
        "parse": classmethod(parse),
    }
    return irdl_op_definition(type("RefusedOp", (IRDLOperation,), fields))
