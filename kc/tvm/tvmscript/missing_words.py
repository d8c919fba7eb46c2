"""The words of TVMScript that kc lacks, and their replacements.

They name instructions of GPUs, which kc's passes select (``lower-fragments``,
``lower-thread-allreduce``, ``lower-warp-memory``), or parts of functions that TVM has lowered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.tir.script.names import Word


@dataclass(frozen=True)
class MissingWord(Word):
    """A word whose call is refused (KC2133)."""

    why: str = ""
    instead: tuple[str, ...] = ()

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TEError(
            "KC2133",
            f"TVMScript in kc has no T.{self.name}",
            location=caller_location(),
            why=self.why,
            hints=self.instead,
        )


_CORES = (
    "kc writes the instructions of tensor cores where a tensor intrinsic takes the place of loops"
)
_ASYNC = "kc copies asynchronously where a software pipeline has stages that are asynchronous"
_PIPELINE = (
    'sch.annotate(loop, "software_pipeline_stage", [0, 1])',
    'sch.annotate(loop, "software_pipeline_async_stages", [0])',
)
_LANES = "the lanes of a warp exchange values by memory of the scope warp (lower-warp-memory)"
_WARP = ('X = T.alloc_buffer((32,), "float32", scope="warp")', "X[(lane + 1) % 32]")
_LOWERED = "it is part of functions that TVM has lowered; kc.build makes that itself"
_DATA = "the number of lanes is part of the type of a vector"
_RETURN = "every thread runs to the end of its kernel, for barriers"
_NARROW = "kc has no integers of less than 8 bits"
_MATRIX = {
    "tvm_load_matrix_sync": "wmma_load_16x16x16_f16_a_shared",
    "tvm_fill_fragment": "wmma_fill_16x16x16_f32",
    "tvm_mma_sync": "wmma_sync_16x16x16_f16f16f32",
    "tvm_bmma_sync": "wmma_sync_16x16x16_s8s8s32",
    "tvm_store_matrix_sync": "wmma_store_16x16x16_f32_shared",
    "ptx_ldmatrix": "mma_load_m16n8k16_f16_a_shared",
    "ptx_mma": "mma_sync_m16n8k16_f16f16f32",
    "ptx_mma_sp": "mma_sync_m16n8k16_f16f16f32",
    "mma_fill": "mma_fill_m16n8k16_f32",
    "mma_store": "mma_store_m16n8k16_f32_shared",
}
_COPIES = (
    "ptx_cp_async", "ptx_commit_group", "ptx_wait_group", "ptx_cp_async_bulk",
    "ptx_cp_async_barrier", "ptx_init_barrier_thread_count", "ptx_arrive_barrier",
    "ptx_arrive_barrier_expect_tx", "ptx_wait_barrier", "create_barriers",
)  # fmt: skip
_OF_LOWERED = (
    "tvm_struct_set", "tvm_struct_get", "tvm_stack_alloca", "tvm_stack_make_shape",
    "tvm_stack_make_array", "call_packed_lowered", "call_cpacked_lowered", "tvm_tuple",
    "TVMBackendAllocWorkspace", "TVMBackendFreeWorkspace", "lookup_param",
)  # fmt: skip


def _missing(name: str, why: str, *instead: str) -> MissingWord:
    return MissingWord(name, "tvmscript", why, instead)


MISSING: dict[str, MissingWord] = {
    word.name: word
    for word in (
        *(
            _missing(name, _CORES, f'sch.tensorize(loop, "{intrin}")')
            for name, intrin in _MATRIX.items()
        ),
        *(_missing(name, _ASYNC, *_PIPELINE) for name in _COPIES),
        *(
            _missing(name, _LANES, *_WARP)
            for name in ("tvm_warp_shuffle", "tvm_warp_shuffle_up", "tvm_warp_shuffle_down")
        ),
        _missing("tvm_warp_activemask", _LANES, *_WARP),
        _missing(
            "tvm_thread_allreduce",
            "a reduction across threads is a reduction variable bound to a thread axis",
            'for tx in T.thread_binding(32, "threadIdx.x"): ... vk = T.axis.reduce(32, tx)',
            'sch.bind(ki, "threadIdx.x")',
        ),
        *(_missing(name, _LOWERED) for name in _OF_LOWERED),
        *(
            _missing(name, "kernels are timed from the host", "f.time_evaluator(name, dev)")
            for name in ("start_profile_intrinsic", "end_profile_intrinsic")
        ),
        *(
            _missing(name, _DATA, "the lanes as a number: T.Ramp(i, 1, 8)")
            for name in ("vscale", "get_vscale_expr", "get_active_lane_mask")
        ),
        _missing("thread_return", _RETURN, "an if around the rest of the statements"),
        *(
            _missing(name, "every loop runs to its end", "an if around the rest of the statements")
            for name in ("break_loop", "continue_loop")
        ),
        _missing(
            "q_multiply_shift_per_axis",
            "shifts that differ from channel to channel are plain operations",
            "T.q_multiply_shift(x, y, q, s)",
        ),
        *(_missing(name, _NARROW, 'T.int8, "int8"') for name in ("int4", "uint4", "int1", "uint1")),
    )
}
"""The refused words, by name."""
