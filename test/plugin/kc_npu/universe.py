"""Dialects for every tool of xDSL."""

from xdsl.universe import Universe


def npu_debug():
    from kc_npu.dialect import NPU_DEBUG

    return NPU_DEBUG


UNIVERSE = Universe(all_dialects={"npu_debug": npu_debug})
