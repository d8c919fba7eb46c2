"""``tvm.tir.schedule.testing``: assertions for tests of schedules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from kc.ir import assert_structural_equal
from kc.support.ir_text import print_module
from kc.tir.schedule import Schedule
from kc.transforms.trace.trace import Trace

__all__ = ["assert_structural_equal_ignore_global_symbol", "verify_trace_roundtrip"]


def assert_structural_equal_ignore_global_symbol(
    mod1: Any, mod2: Any, map_free_vars: bool = False
) -> None:
    """Raise AssertionError, also a ValueError, with the first difference between two functions.
    Names of functions are ignored, except in modules of several functions.
    """
    functions = [next(iter(mod.functions.values())) for mod in (mod1, mod2) if _is_single(mod)]
    if len(functions) == 2:
        mod1, mod2 = functions
    assert_structural_equal(mod1, mod2, map_free_vars)


def _is_single(mod: Any) -> bool:
    return len(getattr(mod, "functions", ())) == 1


def verify_trace_roundtrip(
    sch: Schedule,
    mod: Any,
    *,
    debug_mask: Any = "all",
    text_format: str | Sequence[str] = ("python", "json"),
) -> Schedule:
    """The schedule of ``mod`` after the trace of ``sch`` was written, read back and applied.

    ``text_format`` names the forms to test, "python" and "json"; the simplified trace is tested
    too. Raises AssertionError if a result is another program.
    """
    for form in (text_format,) if isinstance(text_format, str) else text_format:
        for trace in (sch.trace, sch.trace.simplified()):
            again = Schedule(mod, debug_mask=debug_mask)
            if form == "json":
                Trace.from_json(json.loads(json.dumps(trace.as_json()))).apply_to(again)
            else:
                Trace.from_python(trace.as_python()).apply_to(again)
            assert_structural_equal_ignore_global_symbol(again.mod, sch.mod)
    replayed = Schedule(mod, debug_mask=debug_mask)
    sch.trace.apply_to(replayed)
    assert print_module(replayed.mod.op) == print_module(sch.mod.op)
    return replayed
