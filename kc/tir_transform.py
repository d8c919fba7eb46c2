"""``kc.tir.transform``: passes as objects, by TVM's names: ``tir.transform.VectorizeLoop()``.

The calls give passes that run alone, ``mod = tir.transform.LowerInitBlock()(mod)``, in a
``kc.transform.Sequential``, or as those that a PassContext adds to a phase. They are kc's passes of
other names (:data:`kc.pass_config.TVM_PASSES`). Those of TVM that kc has no counterpart of are not
here: their work is done by other passes, by LLVM, or is not needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kc.pass_config import TVM_PASSES
from kc.support import registry
from kc.transform import PassInfo, UserPass, prim_func_pass

__all__ = ["prim_func_pass"]

_PASSES = {name.removeprefix("tir."): own for name, own in TVM_PASSES.items() if own is not None}


_SCOPED = {"ThreadSync"}
"""Passes that TVM runs once for each memory scope, its argument; kc's are for all at once."""

_POSITIONAL = {"NarrowDataType": "bits"}
"""Passes whose first option TVM's users give by position."""


def _maker(name: str, own: str) -> Callable[..., UserPass]:
    def make(*scope: Any, **options: Any) -> UserPass:
        if name in _POSITIONAL and len(scope) == 1:
            options[_POSITIONAL[name]], scope = scope[0], ()
        if len(scope) > (name in _SCOPED):
            raise TypeError(f"{name} takes its options by name")
        cls = registry.pass_class(own)

        def run(mod: Any, ctx: Any) -> None:
            cls(**options).apply(registry.context(), mod.op)

        return UserPass(run, PassInfo(own))

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"The pass ``{own}``; ``options`` are its fields."
    return make


def __getattr__(name: str) -> Any:
    if name not in _PASSES:
        why = " (kc has no such pass of its own)" if f"tir.{name}" in TVM_PASSES else ""
        raise AttributeError(f"module 'kc.tir.transform' has no attribute '{name}'{why}")
    return _maker(name, _PASSES[name])


def __dir__() -> list[str]:
    return sorted([*_PASSES, "prim_func_pass"])
