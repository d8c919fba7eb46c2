"""The backend of AMD's GPUs."""

from kc.support.plugins import Plugin, paths_of

PLUGIN = Plugin(
    name="rocm",
    families={
        "conversion": paths_of("kc.conversion.{stem}:{name}Pass", "convert-gpu-to-llvm-amdgpu")
    },
    targets=("kc.support:targets/rocm.toml",),
    backends={"rocm": "kc.backends.rocm:ROCM"},
    formats={"amdgcn": "kc.backends.formats:amdgcn"},
)
