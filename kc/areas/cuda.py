"""The backend of NVIDIA's GPUs, and of their emulation on this CPU."""

from kc.support.plugins import Plugin, paths_of

PLUGIN = Plugin(
    name="cuda",
    dialects={"nvgpu": "kc.dialects.nvgpu:NVGPU", "nvvm": "kc.dialects.nvvm:NVVM"},
    families={
        "conversion": paths_of(
            "kc.conversion.{stem}:{name}Pass",
            "convert-gpu-to-nvvm",
            "convert-nvvm-to-llvm",
            "convert-nvvm-to-gpu",
            "gpu-to-llvm",
        ),
        "pipeline": paths_of("kc.conversion.pipelines:{name}Pass", "lower-to-nvvm"),
    },
    targets=(
        "kc.support:targets/cuda.toml",
        "kc.support:targets/nvptx.toml",
        "kc.support:targets/cuda-emu.toml",
    ),
    backends={"cuda": "kc.backends.cuda:CUDA", "cuda-emu": "kc.backends.cuda:CUDA_EMU"},
    formats={"ptx": "kc.backends.formats:ptx", "cuda": "kc.backends.formats:cuda_source"},
)
