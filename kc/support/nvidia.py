"""The architectures of NVIDIA's GPUs, and the PTX versions for them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kc.support.diagnostics import TargetError
from kc.support.target import Target

DEFAULT = "sm_75"
"""The default architecture: the oldest that the current assembler accepts."""

_PTX = {100: 86, 101: 86, 103: 88, 110: 90, 120: 87, 121: 88}
"""The first PTX version with an architecture, if it is later than 8.0."""

_PREFERRED_PTX = {89: 84}
"""The PTX version to generate, if it is later than the first version with the architecture. For
example, sm_89 multiplies 8-bit floats by ``mma.sync`` only from 8.4 on.
"""

NEWEST_PTX = 90
"""The newest PTX version that LLVM 22 writes; the drivers of CUDA 13 accept it."""


@dataclass(frozen=True)
class Architecture:
    """An architecture such as ``sm_90a``: its number, whether its code runs on no other
    architecture, and a PTX version (80 is 8.0).
    """

    name: str
    number: int
    is_specific: bool
    ptx: int

    @property
    def features(self) -> str:
        """The features for LLVM: ``+ptx80``."""
        return f"+ptx{self.ptx}"


def architecture_of(target: Target) -> Architecture:
    """The architecture that ``-arch`` or ``-mcpu`` of a target names, with the PTX version of
    ``-ptx``.

    Raises TargetError KC6020 for an unknown architecture, and for a PTX version without support for
    it.
    """
    name = target.attrs.get("arch", target.attrs.get("mcpu", DEFAULT))
    match = re.fullmatch(r"sm_(\d+)([af]?)", str(name))
    if match is None:
        raise TargetError(
            "KC6020",
            f"{name} is not an architecture of NVIDIA GPUs",
            facts=[f"the target: {target}"],
            why="they are written sm_ and a number, with an a for features of that one alone",
            hints=['Target("cuda -arch=sm_80")', 'Target("cuda -arch=sm_90a")'],
        )
    number = int(match[1])
    least = _PTX.get(number, 80)
    ptx = int(str(target.attrs.get("ptx", _PREFERRED_PTX.get(number, least))))
    if not least <= ptx <= NEWEST_PTX:
        raise TargetError(
            "KC6020",
            f"PTX {ptx} cannot be written for {match[0]}",
            facts=[f"the target: {target}"],
            why=f"it is a number from {least} to {NEWEST_PTX}; {least} is version "
            f"{least // 10}.{least % 10}",
            hints=[f'Target("cuda -arch={match[0]} -ptx={NEWEST_PTX}")'],
        )
    return Architecture(match[0], number, match[2] == "a", ptx)
