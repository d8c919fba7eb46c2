"""``kc.tir.transform``: passes as objects, by TVM's names: ``tir.transform.VectorizeLoop()``.

The calls return passes that run alone, ``mod = tir.transform.LowerInitBlock()(mod)``, in a
``kc.transform.Sequential``, or in a phase to which a PassContext adds them. They are kc's passes
under other names (:data:`kc.tvm.pass_config.TVM_PASSES`). TVM's passes without a counterpart are
missing: other passes or LLVM do their work, or it is unnecessary.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.passes import ModulePass

from kc.support import registry
from kc.support.diagnostics import InputError, KCError, counted
from kc.support.locations import caller_location
from kc.support.option_types import words_of
from kc.support.options import Option, Options
from kc.transform import PassInfo, UserPass, prim_func_pass
from kc.tvm.pass_config import TVM_PASSES

__all__ = ["prim_func_pass"]

_PASSES = {name.removeprefix("tir."): own for name, own in TVM_PASSES.items() if own is not None}


_ARGUMENTS: dict[str, dict[str, Any]] = {
    "CommonSubexprElimTIR": {"enable_cse_tir": True, "identify_equiv_terms": False},
    "CompactBufferAllocation": {"is_strict": True},
    "HoistIfThenElse": {"variant": None},
    "NarrowDataType": {"target_bits": 32},
    "StorageFlatten": {"cache_line_size": 64, "create_bound_attribute": False},
    "ThreadSync": {"storage_scope": None},
    "VectorizeLoop": {"enable_vectorize": True},
}
"""Arguments of TVM's passes besides kc's options, with their defaults. ``enable_*`` enables the
pass, and ``target_bits`` is an option of kc's pass. All others are ignored: they tell TVM's pass
how to compute facts that kc's pass derives.
"""

_WITHOUT = {"enable_vectorize": "skip-vectorize", "enable_cse_tir": None}
"""The pass that runs if a switch is False."""


@dataclass(frozen=True)
class _Run:
    """A pass of kc as a function of a module and the context; pickles, as functions do not."""

    pass_: ModulePass

    def __call__(self, mod: Any, ctx: Any) -> None:
        self.pass_.apply(registry.context(), mod.op)


def _nothing(mod: Any, ctx: Any) -> None:
    del mod, ctx


def _maker(name: str, own: str) -> Callable[..., UserPass]:
    taken = _ARGUMENTS.get(name, {})

    def make(*args: Any, **options: Any) -> UserPass:
        if len(args) > len(taken):
            raise InputError(
                "KC0012",
                f"tir.transform.{name} is given {counted(len(args), 'argument')}",
                location=caller_location(),
                why=f"it takes {counted(len(taken), 'argument')} by position",
                hints=[
                    f"options have names: {', '.join(_options_of(own, taken)) or 'there are none'}"
                ],
            )
        values = dict(zip(taken, args, strict=False))
        for word in [word for word in options if word in taken]:
            values[word] = options.pop(word)
        used: str | None = own
        for word, value in values.items():
            if word == "target_bits":
                options["bits"] = value
            elif isinstance(taken[word], bool) and not isinstance(value, bool):
                raise InputError(
                    "KC0012",
                    f"tir.transform.{name}: {word} is {value!r}",
                    location=caller_location(),
                    why="the value must be True or False",
                )
            elif word in _WITHOUT and not value:
                used = _WITHOUT[word]
        if used is None:
            return UserPass(_nothing, PassInfo(own))
        items = [Option(word.replace("_", "-"), words_of(value)) for word, value in options.items()]
        try:
            pass_ = registry.get_pass(used, Options(tuple(items)))
        except KCError as error:
            error.with_location(caller_location())
            raise

        return UserPass(_Run(pass_), PassInfo(used))

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"The pass ``{own}``; ``options`` are its fields."
    return make


def _options_of(own: str, taken: Mapping[str, Any]) -> list[str]:
    kind = registry.pass_class(own)
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    return [*taken, *(field.name for field in fields if field.init)]


def __getattr__(name: str) -> Any:
    if name not in _PASSES:
        why = " (kc has no such pass of its own)" if f"tir.{name}" in TVM_PASSES else ""
        raise AttributeError(f"module 'kc.tir.transform' has no attribute '{name}'{why}")
    return _maker(name, _PASSES[name])


def __dir__() -> list[str]:
    return sorted([*_PASSES, "prim_func_pass"])
