"""Marks on values, which change nothing: borders of fusion, of compilers and of devices."""

from __future__ import annotations

from kc.dialects.graph.declaration import Operator, Pattern, declare_all, operator
from kc.dialects.graph.operators._relations import checked_dtype
from kc.dialects.graph.types import TensorSpec


class Mark(Operator):
    """The value itself."""

    inputs = ("data",)
    pattern = Pattern.OPAQUE

    def infer(self, data: TensorSpec) -> TensorSpec:
        return TensorSpec(data.shape, data.dtype)


declare_all(
    Mark,
    {
        "annotation.stop_fusion": "The value itself, which nothing is fused with.",
        "annotation.checkpoint": "The value itself, which a gradient keeps; it computes "
        "what is between two of them again.",
        "annotation.bitpack_start": "The value itself, from which on values are packed.",
        "annotation.bitpack_end": "The value itself, up to which values are packed.",
    },
)


@operator
class CastHint(Mark):
    """The value itself, which may be kept as ``dtype``."""

    name = "annotation.cast_hint"

    dtype: str

    def infer(self, data: TensorSpec) -> TensorSpec:
        checked_dtype(self.dtype)
        return super().infer(data)


@operator
class CompilerBegin(Mark):
    """The value itself, which enters the part of a compiler."""

    name = "annotation.compiler_begin"

    compiler: str


@operator
class CompilerEnd(Mark):
    """The value itself, which leaves the part of a compiler."""

    name = "annotation.compiler_end"

    compiler: str


@operator
class OnDevice(Mark):
    """The value itself, which is on a device."""

    name = "on_device"

    device: str
    constrain_result: bool = False
    constrain_body: bool = True


@operator
class DeviceCopy(Mark):
    """The value, copied from a device to another one."""

    name = "device_copy"

    src_device: str
    dst_device: str
