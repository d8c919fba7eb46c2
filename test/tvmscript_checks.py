"""Shared by the tests of TVMScript as text: what is printed is read back as the same program."""

from __future__ import annotations

from typing import Any

import pytest

import kc
from kc import driver, tir
from kc.error import KCError
from kc.ir import assert_structural_equal


def round_trip(module: kc.IRModule) -> str:
    """The text of a module, which is read back as the same program."""
    text = module.script(style="tvmscript")
    assert_structural_equal(module, kc.script.from_source(text))
    return text


class Collected:
    """The modules that a program lowers, builds and schedules."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.modules: list[Any] = []
        lower, build, init = driver.lower, driver.build, tir.Schedule.__init__

        def lowered(*args: Any, **kwargs: Any) -> kc.IRModule:
            module = lower(*args, **kwargs)
            self.modules.append(module)
            return module

        def built(inp: Any, *args: Any, **kwargs: Any) -> Any:
            if isinstance(inp, kc.IRModule):
                self.modules.append(inp)
            return build(inp, *args, **kwargs)

        def scheduled(self_: tir.Schedule, *args: Any, **kwargs: Any) -> None:
            init(self_, *args, **kwargs)
            self.modules.append(self_)

        patch.setattr(kc, "lower", lowered, raising=False)
        patch.setattr(kc, "build", built, raising=False)
        patch.setattr(tir.Schedule, "__init__", scheduled)

    def check(self) -> int:
        """Read back the text of all modules of loops; gives how many there were."""
        texts: set[str] = set()
        for module in self.modules:
            given = module.mod if isinstance(module, tir.Schedule) else module
            if str(given) in texts:
                continue
            texts.add(str(given))
            try:
                round_trip(given)
            except KCError as refusal:
                # Graphs and functions of tensors are no loops yet; what warps do together is a
                # function; the weights of a network are constants of the module.
                words = ("graph.func", "func.func", "tir.call", "memref.global")
                if not any(f"script: {op} has no form" in str(refusal) for op in words):
                    raise
        return len(texts)
