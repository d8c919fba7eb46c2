"""Tensor intrinsics: written as text, or generated from their names."""

from kc.support.plugins import Plugin

_HERE = "kc.transforms.intrinsics"
_PORTABLE = (
    "dot_f32_4",
    "dot_f32_8",
    "dot_f32_16",
    "copy_f32_16",
    "fill_f32_16",
    "matmul_f32_4x4x4",
)
_X86_64 = ("avx512_vnni_dot_16x4", "avx_vnni_dot_8x4", "avx512_bf16_dot_16x2")
_AARCH64 = (
    "neon_sdot_4x4",
    "neon_udot_4x4",
    "neon_usdot_4x4",
    "neon_bfdot_4x2",
    "neon_smmla_2x2x8",
    "neon_ummla_2x2x8",
)

PLUGIN = Plugin(
    name="intrinsics",
    intrinsics={
        **dict.fromkeys(_PORTABLE, f"{_HERE}.builtin:PORTABLE"),
        **dict.fromkeys(_X86_64, f"{_HERE}.builtin:X86_64"),
        "avx10_f16_dot_16x2": f"{_HERE}.builtin:AVX10",
        **dict.fromkeys(_AARCH64, f"{_HERE}.builtin:AARCH64"),
    },
    intrinsic_families={
        f"{_HERE}.integer_products:{{name}}": f"{_HERE}.integer_product_names:integer_products",
        f"{_HERE}.square_products:{{name}}": f"{_HERE}.square_product_names:square_intrins",
        f"{_HERE}.transposes:{{name}}": f"{_HERE}.transpose_names:transpose_intrins",
        f"{_HERE}.tensor_cores:{{name}}": f"{_HERE}.tensor_core_names:tensor_core_intrins",
        f"{_HERE}.tensor_copies:{{name}}": f"{_HERE}.tensor_copy_names:tensor_copy_intrins",
        f"{_HERE}.amx:{{name}}": f"{_HERE}.tile_names:tile_intrins",
        f"{_HERE}.groups:{{name}}": f"{_HERE}.tile_names:packing_intrins",
    },
)
