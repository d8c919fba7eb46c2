"""The attributes of pointers, determined after the translation of all functions.

A parameter keeps ``noalias`` unless a caller in the module passes overlapping memory: the same
memref twice, or two pointers that may each refer to memory of other pointers. It is ``readonly`` if
nothing is written through it, in the function or in its callees. It is ``nocapture`` if no other
thread reads it and it is not returned.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from kc.conversion.convert_to_llvm.values import Origin

Handover = list[tuple[Origin, Origin]]
"""The memrefs of a call: pairs of an origin in the caller and the origin of the callee's
parameter.
"""


def propagate(origins: Iterable[Origin], handovers: list[Handover]) -> None:
    """Propagate writes and escapes of memory to the origins of its pointers, then detect
    overlaps.
    """
    everything = _reachable(origins, handovers)
    changed = True
    while changed:
        changed = False
        for origin in everything:
            for target in origin.flows_to:
                for effect in ("written", "launched", "escaped"):
                    if getattr(target, effect) and not getattr(origin, effect):
                        setattr(origin, effect, True)
                        changed = True
    changed = True
    while changed:
        changed = False
        for handover in handovers:
            for (actual, formal), (peer, other_formal) in combinations(handover, 2):
                overlap = actual is peer or not (actual.exclusive or peer.exclusive)
                harmless = not (formal.written or other_formal.written)
                if overlap and not harmless and (formal.noalias or other_formal.noalias):
                    formal.noalias = other_formal.noalias = False
                    changed = True


def _reachable(origins: Iterable[Origin], handovers: list[Handover]) -> list[Origin]:
    reached: dict[int, Origin] = {}
    pending = [*origins, *(actual for handover in handovers for actual, _ in handover)]
    while pending:
        origin = pending.pop()
        if id(origin) not in reached:
            reached[id(origin)] = origin
            pending += origin.flows_to
    return list(reached.values())
