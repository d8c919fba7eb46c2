"""Targets (see :mod:`kc.support.target`), and TVM's functions that make common ones."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from kc.support.absent_names import no_attribute
from kc.support.diagnostics import TargetError, suggest
from kc.support.locations import caller_location
from kc.support.second_names import second_names
from kc.support.target import Target, TargetLike, target_of
from kc.support.target_data import Kind as TargetKind
from kc.tvm.target_functions import (
    GenericFunc,
    generic_func,
    get_native_generic_func,
    override_native_generic_func,
)

__all__ = [
    "GenericFunc",
    "Target",
    "TargetKind",
    "arm_cpu",
    "create",
    "cuda",
    "generic_func",
    "get_native_generic_func",
    "list_kinds",
    "list_tags",
    "override_native_generic_func",
    "riscv_cpu",
    "target_of",
]

_ARMV7 = "-mtriple=armv7l-linux-gnueabihf -mattr=+neon"
_ARMV7A = "-mtriple=armv7a-linux-gnueabihf -mattr=+neon,+vfp4,+thumb2"
_AARCH64 = "-mtriple=aarch64-linux-gnu -mattr=+neon"
_ARM = {
    "pixel2": "-model=snapdragon835 -mtriple=arm64-linux-android -mattr=+neon",
    "mate10": "-model=kirin970 -mtriple=arm64-linux-android -mattr=+neon",
    "mate10pro": "-model=kirin970 -mtriple=arm64-linux-android -mattr=+neon",
    "p20": "-model=kirin970 -mtriple=arm64-linux-android -mattr=+neon",
    "p20pro": "-model=kirin970 -mtriple=arm64-linux-android -mattr=+neon",
    "rasp3b": f"-model=bcm2837 {_ARMV7}",
    "rasp4b": "-model=bcm2711 -mtriple=armv8l-linux-gnueabihf -mattr=+neon -mcpu=cortex-a72",
    "rasp4b64": f"-model=bcm2711 {_AARCH64} -mcpu=cortex-a72",
    "rk3399": f"-model=rk3399 {_AARCH64}",
    "pynq": "-model=pynq -mtriple=armv7a-linux-eabi -mattr=+neon",
    "ultra96": f"-model=ultra96 {_AARCH64}",
    "beagleai": f"-model=beagleai {_ARMV7A} -mcpu=cortex-a15",
    "stm32mp1": f"-model=stm32mp1 {_ARMV7A} -mcpu=cortex-a7",
    "thunderx": f"-model=thunderx {_AARCH64} -mcpu=thunderx",
}
_RISCV = {
    "sifive-u54": "-mtriple=riscv64-unknown-linux-gnu -mcpu=sifive-u54",
    "sifive-u74": "-mtriple=riscv64-unknown-linux-gnu -mcpu=sifive-u74",
}


def create(target: TargetLike) -> Target:
    """A target; ``Target(target)`` is the same. (TVM's older name.)"""
    return Target(target)


def list_kinds() -> list[str]:
    """The kinds of targets."""
    return Target.list_kinds()


def list_tags() -> dict[str, Target]:
    """The names of the named targets, such as "nvidia/geforce-rtx-3090"."""
    return Target.list_tags()


def arm_cpu(model: str = "unknown", options: str | None = None) -> Target:
    """The target of an ARM board or phone, by TVM's name of the model: ``arm_cpu("rasp4b64")``.

    A model that is not in TVM's list is passed on as ``-model``. ``options`` are further
    attributes, as in ``"-num-cores=4"``.
    """
    return _cpu("arm_cpu", _ARM.get(model, f"-model={model}"), options)


def riscv_cpu(model: str = "sifive-u54", options: str | None = None) -> Target:
    """The target of a RISC-V CPU, by TVM's name. Raises TargetError KC0084 for an unknown name."""
    if model not in _RISCV:
        raise TargetError(
            "KC0084",
            f"riscv_cpu: there is no model '{model}'",
            location=caller_location(),
            hints=suggest(model, _RISCV, "the models are"),
        )
    return _cpu("arm_cpu", f"-model={model} {_RISCV[model]}", options)


def cuda(model: str = "unknown", arch: str | None = None, options: str | None = None) -> Target:
    """A CUDA GPU: ``cuda("v100", arch="sm_70")``."""
    chosen = f" -arch={arch}" if arch else ""
    return Target(f"cuda -model={model}{chosen} {options or ''}".strip())


def _codegen() -> ModuleType:
    """``tvm.target.codegen``: facts about LLVM."""
    import kc.tvm.llvm_facts

    return kc.tvm.llvm_facts


def _cpu(device: str, attributes: str, options: str | None) -> Target:
    return Target(f"llvm -keys={device},cpu -device={device} {attributes} {options or ''}".strip())


second_names(__name__, "target")


def __getattr__(name: str) -> Any:
    if name == "codegen":  # what it needs is loaded at first use
        return _codegen()
    raise no_attribute("target", name)


def __dir__() -> list[str]:
    return sorted(__all__)
