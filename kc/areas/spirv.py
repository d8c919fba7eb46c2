"""SPIR-V, a format that kernels are written in."""

from kc.support.plugins import Plugin, paths_of

PLUGIN = Plugin(
    name="spirv",
    families={"conversion": paths_of("kc.conversion.{stem}:{name}Pass", "convert-gpu-to-llvm-spv")},
    formats={"spirv": "kc.backends.formats:spirv"},
)
