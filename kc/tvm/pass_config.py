"""The names that TVM's users know for ``PassContext``: keys of ``config``, and passes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kc.support.diagnostics import InputError, suggest, warn
from kc.support.locations import caller_location

DEFAULT_OPT_LEVEL = 2


@dataclass(frozen=True)
class Key:
    """A key: the type of its value and its effect; without ``effect``, the reason for having none.

    ``fields`` are the allowed entries of a dict, each with its type. ``holds`` is the value of a
    key without effect that describes kc's behaviour.
    """

    type: type
    effect: str = ""
    why: str = ""
    fields: Mapping[str, type] = field(default_factory=dict)
    holds: bool | None = None


_LLVM = "LLVM does this, where it pays"
_ASYNCHRONOUS = (
    "copies are asynchronous where the schedule says so (software_pipeline_async_stages)"
)
_NO_TARGET = "there is no such target"

KEYS: dict[str, Key] = {
    "tir.add_lower_pass": Key(list, "adds passes to the phases of lowering: (phase, pass) pairs"),
    "tir.disable_vectorize": Key(bool, "vectorized loops become serial ones"),
    "tir.instrument_bound_checkers": Key(
        bool, "an access outside of a buffer is an error (KC5270)"
    ),
    "kc.check_each": Key(
        bool, "the program is run before and after each primitive and pass, and compared"
    ),
    "kc.debug_info": Key(bool, "give debuggers and profilers the source line of each instruction"),
    "kc.poison_memory": Key(
        bool, "buffers hold subnormal numbers and NaN until something is stored (poison-memory)"
    ),
    "kc.reuse_workspace": Key(
        bool, "a function keeps the memory of its buffers for its next call (reuse-workspace)"
    ),
    "tir.UnrollLoop": Key(
        dict,
        "loops are unrolled by unroll-loop, with these options, and not only by LLVM",
        fields={
            "auto_max_step": int,
            "auto_max_depth": int,
            "auto_max_extent": int,
            "explicit_unroll": bool,
            "unroll_local_access": bool,
        },
    ),
    "tir.LoopPartition": Key(
        dict,
        "loops are cut by partition-loops, with these options, where conditions begin to hold",
        fields={
            "partition_const_loop": bool,
            "no_unroll_loop_with_extent_one": bool,
            "unroll_loop_with_partition_hint_no_interval": bool,
        },
    ),
    "tir.InjectDoubleBuffer": Key(dict, why="double buffers are not unrolled by it"),
    "tir.HoistIfThenElse": Key(
        dict,
        "branches are moved around loops by hoist-if-then-else, with these options",
        fields={"support_block_scope_hosting": bool, "max_copied_operations": int},
    ),
    "tir.HoistExpression": Key(
        dict,
        "conditions and values are moved out of loops by hoist-expression, with these options",
        fields={
            "hoisted_conditionals": int,
            "hoisted_let_bindings": int,
            "max_copied_operations": int,
        },
    ),
    "tir.ReduceBranchingThroughOvercompute": Key(dict, why="there is no such pass"),
    "tir.RemoveNoOp": Key(dict, why=_LLVM),
    "tir.Simplify": Key(dict, why="indices are affine maps, which are always simplified"),
    "tir.disable_cse_tir": Key(bool, why=_LLVM),
    "tir.enable_equiv_terms_in_cse_tir": Key(bool, why=_LLVM),
    "tir.disable_storage_rewrite": Key(bool, "each buffer has memory of its own"),
    "tir.disable_assert": Key(bool, "assertions of programs are not checked (skip-assert)"),
    "tir.noalias": Key(bool, why="arguments never alias: calls check it", holds=True),
    "tir.debug_keep_trivial_loop": Key(
        bool, why="loops of one iteration are always kept", holds=True
    ),
    "tir.detect_global_barrier": Key(
        bool, why="no kernel has a barrier across its grid", holds=False
    ),
    "tir.is_entry_func": Key(bool, why="every public function can be called", holds=True),
    "tir.use_async_copy": Key(bool, why=_ASYNCHRONOUS, holds=True),
    "tir.use_ptx_async_copy": Key(bool, why=_ASYNCHRONOUS, holds=True),
    "tir.use_async_dma": Key(bool, why=_NO_TARGET, holds=False),
    "tir.merge_static_smem": Key(
        bool, why="static shared buffers share memory where that saves 1 KiB or more", holds=True
    ),
    "tir.ptx_ldg32": Key(
        bool, why="arrays that a kernel only reads are read by ld.global.nc", holds=True
    ),
    "tir.dma_bypass_cache": Key(int, why=_NO_TARGET),
    "tir.experimental_dma_bypass_cache": Key(int, why=_NO_TARGET),
    "tir.contrib.ethos-u.copy_compute_reordering_max_copy_movements": Key(int, why=_NO_TARGET),
    "tir.usmp.enable": Key(bool, why="there is no memory planner across kernels", holds=False),
    "tir.usmp.algorithm": Key(str, why="there is no memory planner across kernels"),
}
"""Every key of TVM 0.9 and later for tir; kc's begin with ``kc.``."""

_ONE_EXECUTOR = "kc has one executor"
_ONE_FORM = "parameters are constants of the graph"
_NO_BACKEND_OPTION = "graphs are compiled by kc's own kernels and plan of memory"
RELAY_KEYS: dict[str, Key] = {
    "relay.FuseOps.max_depth": Key(int, "fuse-ops makes groups of at most so many operators"),
    "relay.FuseOps.link_params": Key(bool, why=_ONE_FORM),
    "relay.ToMixedPrecision.keep_orig_output_dtype": Key(bool, why="the pass comes later"),
    "relay.backend.use_auto_scheduler": Key(bool, why=_NO_BACKEND_OPTION),
    "relay.backend.use_meta_schedule": Key(bool, why=_NO_BACKEND_OPTION),
    "relay.backend.use_meta_schedule_dispatch": Key(bool, why=_NO_BACKEND_OPTION),
    "relay.backend.tir_converter": Key(str, why=_NO_BACKEND_OPTION),
    "relay.backend.disable_memory_plan": Key(bool, why=_NO_BACKEND_OPTION, holds=False),
    "relay.fallback_device_type": Key(int, why=_ONE_EXECUTOR),
    "relay.collage.tvm_max_depth": Key(int, why="there is no such pass"),
    "relay.collage.byoc_max_depth": Key(int, why="there is no such pass"),
    "relay.collage.byoc_fusion_style": Key(list, why="there is no such pass"),
    "relay.remove_standalone_reshapes.enable": Key(
        bool, why="reshapes are views in the plan of memory", holds=True
    ),
}
"""The keys of TVM's relay."""
KEYS |= RELAY_KEYS

TVM_PASSES: dict[str, str | None] = {
    "tir.LowerInitBlock": "lower-init-block",
    "tir.CompactBufferAllocation": "compact-buffer-allocation",
    "tir.ConvertBlocksToOpaque": "lower-blocks",
    "tir.LowerOpaqueBlock": "lower-blocks",
    "tir.InjectDoubleBuffer": "inject-double-buffer",
    "tir.InjectSoftwarePipeline": "inject-software-pipeline",
    "tir.VectorizeLoop": "vectorize-loop",
    "tir.SkipVectorize": "skip-vectorize",
    "tir.SkipAssert": "skip-assert",
    "tir.BF16Legalize": "legalize-narrow-floats",
    "tir.BF16ComputeLegalize": "legalize-narrow-floats",
    "tir.BF16StorageLegalize": "legalize-narrow-floats",
    "tir.FP8ComputeLegalize": "legalize-narrow-floats",
    "tir.FP8StorageLegalize": "legalize-narrow-floats",
    "tir.MergeSharedMemoryAllocations": "merge-shared-memory-allocations",
    "tir.LoopPartition": "partition-loops",
    "tir.UnrollLoop": "unroll-loop",
    "tir.HoistIfThenElse": "hoist-if-then-else",
    "tir.HoistExpression": "hoist-expression",
    "tir.StorageRewrite": "storage-rewrite",
    "tir.InstrumentBoundCheckers": "instrument-bound-checkers",
    "tir.StorageFlatten": "align-storage",
    "tir.Simplify": "canonicalize",
    "tir.RemoveNoOp": "canonicalize",
    "tir.CommonSubexprElimTIR": "cse",
    "tir.PlanAndUpdateBufferAllocationLocation": "compact-buffer-allocation",
    "tir.LowerIntrin": "expand-math",
    "tir.NarrowDataType": "narrow-data-type",
    "tir.ForceNarrowIndexToInt32": "force-narrow-index-to-int32",
    "tir.LowerCrossThreadReduction": "lower-cross-thread-reduction",
    "tir.UnifyThreadBinding": "unify-thread-binding",
    "tir.InjectCopyIntrin": "inject-copy-intrin",
    "tir.InjectVirtualThread": "inject-virtual-thread",
    "tir.LowerWarpMemory": "lower-warp-memory",
    "tir.LowerThreadAllreduce": "lower-thread-allreduce",
    "tir.ThreadSync": "thread-sync",
    "tir.MergeDynamicSharedMemoryAllocations": "merge-shared-memory-allocations",
    "tir.SplitHostDevice": "gpu-kernel-outlining",
    "tir.VerifyMemory": "verify-gpu-code",
    **dict.fromkeys(
        f"tir.{name}"
        for name in (
            "ApplyLayoutTransforms BF16CastElimination BF16Promote BF16TypeLowering "
            "CoProcSync CombineContextCall ConvertForLoopsToSerial ConvertSSA DecorateDeviceScope "
            "Filter FlattenBuffer InferFragment "
            "InjectPTXAsyncCopy InjectPrefetch InjectRollingBuffer "
            "LiftAttrScope LowerCustomDatatypes LowerDeviceStorageAccessInfo LowerMatchBuffer "
            "LowerTVMBuiltin LowerVtcmAlloc MakePackedAPI MakeUnpackedAPI "
            "RemapThreadAxis RenormalizeSplitPattern RewriteUnsafeSelect TextureFlatten "
            # Of versions after 0.9.
            "AnnotateEntryFunc AnnotateIrregularLoop BindParams BindTarget CanonicalizeLoop "
            "DefaultGPUSchedule ExtractPrimFuncConstants "
            "InjectPTXLDG32 InjectPermutedLayout InlinePrivateFunctions "
            "InstrumentProfileIntrinsics LegalizePackedCalls LiftThreadBinding LowerAsyncDMA "
            "LowerTIRx StmtSimplify TilePrimitiveDispatch "
            "LowerAutoCopy ManifestSharedMemoryLocalStage PointerValueTypeRewrite RemoveAssume "
            "RemoveStoreUndef RemoveWeightLayoutRewriteBlock RenewDefs TransformMmaBufferLayout "
            "UpdatePointerStorageScope UseAssumeToReduceBranches VerifyVTCMLimit"
        ).split()
    ),
}
"""TVM's passes on tir -> kc's; None: there is none."""


def flag_of(name: str) -> str:
    """The flag of a pass of Relay: ``fuse-ops`` of ``FuseOps``, ``to-a-normal-form``."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name)
    return spaced.lower().replace("conv2-d", "conv2d")


def check_config(config: Mapping[str, Any]) -> None:
    """Check the keys and values of a context's config; raises InputError KC4500 and KC4501."""
    for key, value in config.items():
        entry = KEYS.get(key)
        if entry is None and key.startswith("relay."):
            entry = Key(type(value), why="it is an option of a backend or pass of TVM's own")
        if entry is None and key.startswith(("relax.", "testing.")):
            entry = Key(type(value), why="there is no relax here")
        if entry is None:
            raise InputError(
                "KC4500",
                f"PassContext: there is no option '{key}'",
                location=caller_location(),
                hints=suggest(key, KEYS, "the options are"),
            )
        _check_value(key, entry, value)
        if not entry.effect and not (isinstance(value, bool) and value is entry.holds):
            warn(
                "KC4502",
                f"PassContext: {key} has no effect",
                location=caller_location(),
                why=entry.why,
            )


def _check_value(key: str, key_type: Key, value: Any) -> None:
    if key == "tir.add_lower_pass":
        valid = isinstance(value, list | tuple) and all(
            isinstance(pair, list | tuple)
            and len(pair) == 2
            and type(pair[0]) is int
            and pair[0] >= 0
            for pair in value
        )
        rule = "a list of pairs (phase, pass), with a phase of at least 0"
    elif key_type.type is bool:
        valid, rule = isinstance(value, bool | int), "True or False"
    else:
        valid, rule = isinstance(value, key_type.type), f"a value of type {key_type.type.__name__}"
    if valid and isinstance(value, dict) and key_type.fields:
        for name, entry in value.items():
            kind = key_type.fields.get(name)
            if kind is None:
                raise InputError(
                    "KC4500",
                    f"PassContext: {key} has no option '{name}'",
                    location=caller_location(),
                    hints=suggest(str(name), key_type.fields, "the options are"),
                )
            number = isinstance(entry, int) and entry >= 0
            if not (isinstance(entry, bool | int) if kind is bool else number):
                valid, value = False, entry
                rule = "True or False" if kind is bool else "a number of at least 0"
                rule = f"{rule} for {name}"
                break
    if not valid:
        raise InputError(
            "KC4501",
            f"PassContext: {key} takes {rule}",
            location=caller_location(),
            facts=[f"came: {value!r}"],
        )
