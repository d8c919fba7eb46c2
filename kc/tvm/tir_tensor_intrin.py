"""``tvm.tir.tensor_intrin``: the names of tensor intrinsics, as constants.

``VNNI_DOT_16x4_INTRIN``, ``WMMA_LOAD_16x16x16_F16_A_INTRIN`` and their like are names for
``sch.tensorize``; importing a module registers nothing, since kc has the intrinsics.
"""

from __future__ import annotations

from kc.support.diagnostics import suggest
from kc.transforms.intrinsics.tensor_intrin import TVM_NAMES, names

__all__ = [
    "ARM_DOT_4x4_i8_SDOT_INTRIN",
    "ARM_DOT_4x4_u8_UDOT_INTRIN",
    "VNNI_DOT_16x4_INTRIN",
    "get_wmma_intrin_group",
]

VNNI_DOT_16x4_INTRIN = "dot_16x4_vnni"
ARM_DOT_4x4_i8_SDOT_INTRIN = "dot_4x4_i8i8s32_sdot"
ARM_DOT_4x4_u8_UDOT_INTRIN = "dot_4x4_u8u8u32_udot"

_IN_DTYPES = {"float16": "f16", "int8": "s8"}
_OUT_DTYPES = {"float16": "f16", "float32": "f32", "int32": "s32"}


def get_wmma_intrin_group(
    load_scope: str, store_scope: str, in_dtype: str, out_dtype: str, trans_b: bool
) -> dict[str, str]:
    """The names of the intrinsics of a product by ``wmma``: "init", "load_a", "load_b", "compute"
    and "store". Scopes are "shared", "shared.dyn" or "global". Raises KeyError for types that
    tensor cores do not have."""
    operand_kind, total = _IN_DTYPES[in_dtype], _OUT_DTYPES[out_dtype]
    load, store = load_scope.replace(".", "_"), store_scope.replace(".", "_")
    trans = "_trans" if trans_b else ""
    return {
        "init": f"wmma_fill_16x16x16_{total}",
        "load_a": f"wmma_load_16x16x16_{operand_kind}_a_{load}",
        "load_b": f"wmma_load_16x16x16_{operand_kind}_b{trans}_{load}",
        "compute": f"wmma_sync_16x16x16_{operand_kind}{operand_kind}{total}{trans}",
        "store": f"wmma_store_16x16x16_{total}_{store}",
    }


def __getattr__(name: str) -> str:
    intrinsics = {*names(), *TVM_NAMES}
    intrin = name.removesuffix("_INTRIN").lower()
    for candidate in (intrin, f"{intrin}_shared"):
        if name.endswith("_INTRIN") and candidate in intrinsics:
            return candidate
    near = suggest(intrin, sorted(intrinsics))
    raise AttributeError(f"unknown tensor intrinsic {name}" + (f"; {near[0]}" if near else ""))
