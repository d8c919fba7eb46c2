"""The GPU architecture and PTX version that an operation of the nvvm dialect requires."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of, op_name

if TYPE_CHECKING:
    from kc.dialects.nvvm.base import NVVMOp


@dataclass(frozen=True)
class Requirement:
    """The minimal architecture (``sm=90`` is sm_90) and PTX version (``ptx=80`` is 8.0).

    With ``arch_specific``, only variants with an ``a`` support it, and later architectures may not:
    ``sm_90a``, and the variants listed in ``also``.
    """

    sm: int
    ptx: int
    arch_specific: bool = False
    also: tuple[int, ...] = ()

    def is_met(self, sm: int, ptx: int, arch_specific: bool) -> bool:
        """True if a GPU satisfies the requirement. Arguments: its architecture, its PTX version,
        and True for an ``a`` variant.
        """
        if ptx < self.ptx:
            return False
        if self.arch_specific:
            return arch_specific and sm in (self.sm, *self.also)
        return sm >= self.sm

    def __str__(self) -> str:
        suffix = "a" if self.arch_specific else ""
        names = [_gpu(sm, suffix) for sm in (self.sm, *self.also)]
        later = "" if self.arch_specific else " or later"
        return f"{' or '.join(names)}{later} and PTX {_version(self.ptx)} or later"


ANY = Requirement(sm=20, ptx=32)
"""The requirement that every supported GPU meets."""


def require(op: NVVMOp, sm: int, ptx: int, arch_specific: bool) -> None:
    """Refuse ``op`` for a GPU that lacks it; the numbers are as in :class:`Requirement`.

    Raises CodegenError: KC4360.
    """
    needed = op.requirement()
    if needed.is_met(sm, ptx, arch_specific):
        return
    name = _gpu(sm, "a" if arch_specific else "")
    target = f"{name} with PTX {_version(ptx)}"
    newer = needed.is_met(sm, needed.ptx, arch_specific)
    raise CodegenError(
        "KC4360",
        f"{op_name(op)}: the target is {target}, which does not have it",
        location=location_of(op),
        why=f"it needs {needed}",
        hints=[f'Target("cuda -arch={name} -ptx={needed.ptx}")'] if newer else [],
    )


def _gpu(sm: int, suffix: str) -> str:
    return f"sm_{sm}{suffix}"


def _version(ptx: int) -> str:
    return f"{ptx // 10}.{ptx % 10}"
