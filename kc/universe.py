"""kc's dialects for every tool of xDSL (entry point group ``xdsl.universe``).

Only names that clash with nothing: a name that two packages export breaks every ``xdsl-opt`` in
the environment. Passes, and the dialects that stand in for xDSL's own, are kc-opt's alone.
"""

from __future__ import annotations

from xdsl.ir import Dialect
from xdsl.universe import Universe


def _te() -> Dialect:
    from kc.dialects.te import TE

    return TE


def _tir() -> Dialect:
    from kc.dialects.tir import TIR

    return TIR


KC_UNIVERSE = Universe(all_dialects={"te": _te, "tir": _tir})
