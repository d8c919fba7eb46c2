"""The entries that the package adds. Nothing is imported before it is used."""

from kc.support.plugins import Plugin

PLUGIN = Plugin(
    name="npu",
    dialects={"npu": "kc_npu.dialect:NPU"},
    passes={"npu-insert-barriers": "kc_npu.passes:InsertBarriersPass"},
    primitives={"npu-stream": "kc_npu.primitive:NpuStream"},
    targets=["kc_npu:npu.toml"],
    intrinsics={"npu.dot": "kc_npu.passes:DOT"},
    hooks=[(3, "npu-insert-barriers", ["npu"])],
    formats={"npu-list": "kc_npu.codegen:listing"},
)
