"""The words of scripts: loops, blocks and memory, as names that a script may use.

Scripts may use them without an import; the import helps editors. In a function that Python
executes, loops are ranges and memory is numpy's (:mod:`kc.tvm.hybrid`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.tir.checked import LOOP_KINDS


@dataclass(frozen=True)
class Word:
    """A word with a meaning only in scripts."""

    name: str
    family: str
    """"loop", "block", "axis", "memory" or "tvmscript"."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise self._outside()

    def _outside(self) -> TEError:
        return TEError(
            "KC2125",
            f"{self.name} is called outside of a script",
            location=caller_location(),
            why="the word has a meaning only in the source of a script, which is read, not "
            "executed",
            hints=["@kc.script above the enclosing def"],
        )

    def __iter__(self) -> Any:
        raise self._outside()


@dataclass(frozen=True)
class _Axis(Word):
    spatial = S = Word("axis.spatial", "axis")
    reduce = R = Word("axis.reduce", "axis")
    opaque = Word("axis.opaque", "axis")
    scan = Word("axis.scan", "axis")
    remap = Word("axis.remap", "axis")


serial = Word("serial", "loop")
parallel = Word("parallel", "loop")
vectorized = Word("vectorized", "loop")
vectorize = Word("vectorize", "loop")
unroll = Word("unroll", "loop")
unrolled = Word("unrolled", "loop")
thread_binding = Word("thread_binding", "loop")
bind = Word("bind", "loop")
grid = Word("grid", "loop")
const_range = Word("const_range", "loop")

block = Word("block", "block")
init = Word("init", "block")
where = Word("where", "block")
axis = _Axis("axis", "axis")

alloc_buffer = Word("alloc_buffer", "memory")
allocate = Word("allocate", "memory")
output_tensor = Word("output_tensor", "memory")

WORDS: dict[str, Word] = {
    name: value for name, value in list(globals().items()) if isinstance(value, Word)
}
"""The words of scripts, by their names."""

COUNTING_LOOPS = {"range": "serial", **LOOP_KINDS}
"""The words of counting loops, with the execution kind of their iterations."""
