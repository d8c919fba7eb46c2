"""The architectures of NVIDIA's GPUs, and the versions of PTX that code for them is written in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kc.support.diagnostics import TargetError
from kc.support.target import Target

DEFAULT = "sm_75"
"""The default architecture: the oldest that today's assembler takes."""

_PTX = {100: 86, 101: 86, 103: 88, 110: 90, 120: 87, 121: 88}
"""The PTX version that an architecture came with, where that is later than 8.0."""

_PREFERRED_PTX = {89: 84}
"""The PTX version that code is written in where a later one than the first has what the
architecture is chosen for: sm_89 multiplies floats of eight bits by ``mma.sync`` from 8.4 on."""

NEWEST_PTX = 90
"""The newest PTX version that LLVM 22 writes; CUDA 13's drivers take it."""


@dataclass(frozen=True)
class Architecture:
    """``sm_90a``: its number, whether code runs on it alone, and a PTX version (80 is 8.0)."""

    name: str
    number: int
    is_specific: bool
    ptx: int

    @property
    def features(self) -> str:
        """The features for LLVM: ``+ptx80``."""
        return f"+ptx{self.ptx}"


def architecture_of(target: Target) -> Architecture:
    """The architecture that a target names by ``-arch`` or ``-mcpu``, with the PTX of ``-ptx``.

    Raises TargetError KC6020 for what is none, and for a PTX that is not written for it.
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
