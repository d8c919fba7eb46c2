"""Loops: the dialects that all programs become, and the passes that lower them for any target."""

from kc.support.plugins import Plugin, paths_of

PLUGIN = Plugin(
    name="passes",
    dialects={
        "te": "kc.dialects.te:TE",
        "tir": "kc.dialects.tir:TIR",
        "arith": "kc.dialects.arith:ARITH",
        "math": "kc.dialects.math:MATH",
        "memref": "kc.dialects.memref:MEMREF",
        "scf": "kc.dialects.scf:SCF",
        "vector": "kc.dialects.vector:VECTOR",
    },
    families={
        "tir": {
            **paths_of(
                "kc.transforms.tir.storage.{stem}:{name}Pass",
                "compact-buffer-allocation",
                "align-storage",
                "apply-strides",
                "poison-memory",
                "storage-rewrite",
                "merge-dimensions",
                "nontemporal-stores",
                "instrument-bound-checkers",
                "lower-tiles",
            ),
            **paths_of(
                "kc.transforms.tir.blocks.{stem}:{name}Pass",
                "lower-init-block",
                "lower-blocks",
                "lift-constant-blocks",
            ),
            **paths_of(
                "kc.transforms.tir.vectorize.{stem}:{name}Pass",
                "lower-lane-reduction",
                "fill-slack",
                "vectorize-loop",
                "skip-vectorize",
                "choose-vector-form",
            ),
            **paths_of(
                "kc.transforms.tir.pipeline.{stem}:{name}Pass",
                "plan-software-pipeline",
                "inject-software-pipeline",
                "inject-double-buffer",
            ),
            **paths_of(
                "kc.transforms.tir.loops.{stem}:{name}Pass",
                "skip-assert",
                "partition-loops",
                "hoist-if-then-else",
                "hoist-expression",
                "unroll-loop",
                "legal-directions",
            ),
        },
        "generic": paths_of(
            "kc.transforms.{stem}:{name}Pass",
            "canonicalize",
            "expand-math",
            "narrow-data-type",
            "force-narrow-index-to-int32",
        ),
        "conversion": paths_of(
            "kc.conversion.{stem}:{name}Pass",
            "math-to-arith",
            "arith-expand",
            "convert-te-to-tir",
            "convert-tir-to-scf",
            "convert-scf-to-cf",
            "legalize-narrow-floats",
            "legalize-symbols",
            "reuse-workspace",
            "take-workspace",
        ),
    },
)
