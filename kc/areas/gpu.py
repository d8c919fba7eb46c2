"""GPUs of all makers: kernels, their threads and their memory."""

from kc.support.plugins import Plugin, paths_of

PLUGIN = Plugin(
    name="gpu",
    dialects={"gpu": "kc.dialects.gpu:GPU"},
    families={
        "tir": {
            **paths_of(
                "kc.transforms.gpu.tensor_copies.{stem}:{name}Pass",
                "plan-tensor-copies",
                "lower-tensor-copies",
            ),
            **paths_of(
                "kc.transforms.tir.storage.{stem}:{name}Pass",
                "inject-copy-intrin",
                "swizzle-storage",
            ),
            **paths_of(
                "kc.transforms.gpu.binding.{stem}:{name}Pass",
                "verify-gpu-code",
                "lower-cross-thread-reduction",
                "unify-thread-binding",
                "inject-virtual-thread",
                "lower-warp-memory",
                "lower-thread-allreduce",
            ),
            **paths_of(
                "kc.transforms.gpu.sync.{stem}:{name}Pass",
                "specialize-warps",
                "merge-shared-memory-allocations",
                "thread-sync",
                "defer-wgmma-waits",
            ),
            **paths_of(
                "kc.transforms.gpu.fragments.{stem}:{name}Pass",
                "lower-fragments",
            ),
        },
        "gpu": paths_of(
            "kc.transforms.gpu.{stem}:{name}Pass",
            "gpu-launch-sink-index-computations",
            "gpu-kernel-outlining",
            "gpu-inline-calls",
            "gpu-approximate-math",
            "gpu-expand-collectives",
            "gpu-serialize-threads",
            "verify-gpu-kernels",
        ),
        "conversion": paths_of(
            "kc.conversion.{stem}:{name}Pass", "convert-tir-to-gpu", "convert-gpu-to-cpu"
        ),
        "pipeline": paths_of("kc.conversion.pipelines:{name}Pass", "lower-to-gpu"),
    },
)
