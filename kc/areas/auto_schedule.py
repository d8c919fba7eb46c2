"""Default schedules: the rules that choose them, in the order in which they are asked."""

from kc.support.plugins import Plugin

_RULES = {
    "inline": "inlining:Inline",
    "distribution": "distribution:Distribution",
    "digits": "digits:Digits",
    "groups": "groups:Groups",
    "versions": "versions:Versions",
    "gathering": "gathering:Gathering",
    "fusing": "fusing:FuseContiguous",
    "row-blocks": "row_blocks:RowBlocks",
    "tile-product": "tile_products:TileProducts",
    "dot-product": "dot_products:DotProduct",
    "few-rows": "few_rows:FewRows",
    "few-filters": "few_filters:FewFilters",
    "contraction": "contraction:Contraction",
    "side-by-side": "side_by_side:SideBySide",
    "windows": "windows:Windows",
    "stencils": "stencils:Stencils",
    "rows": "rows:Rows",
    "reduction": "reduction:Reduce",
    "pointwise": "pointwise:Pointwise",
    "statements": "statements:Statements",
    "masked": "masked:Masked",
    "gpu-warpgroup-attention": "gpu.warpgroup_attention:GpuWarpgroupAttention",
    "gpu-online-attention": "gpu.online_attention:GpuOnlineAttention",
    "gpu-attention": "gpu.attention:GpuAttention",
    "gpu-warpgroups": "gpu.warpgroups:GpuWarpgroups",
    "gpu-tensor-cores": "gpu.tensor_cores:GpuTensorCores",
    "gpu-implicit-gemm": "gpu.implicit_gemm:GpuImplicitGemm",
    "gpu-contraction": "gpu.contraction:GpuContraction",
    "gpu-rows": "gpu.rows:GpuRows",
    "gpu-reduction": "gpu.reduction:GpuReduce",
    "gpu-pointwise": "gpu.pointwise:GpuPointwise",
    "gpu-statements": "gpu.loops:GpuStatements",
    "gpu-loops": "gpu.loops:GpuLoops",
    "innermost": "innermost:Innermost",
}

PLUGIN = Plugin(
    name="auto-schedule",
    rules={name: f"kc.transforms.auto_schedule.{path}" for name, path in _RULES.items()},
    families={
        "chosen": {"auto-schedule": "kc.transforms.auto_schedule.auto_schedule:AutoSchedulePass"}
    },
)
