"""Unique names for the variables of a trace, derived from their names in the program."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from kc.support.fresh_names import fresh_name
from kc.transforms.trace.handles import Handle
from kc.transforms.trace.instruction import Instruction

_NO_IDENTIFIER = re.compile(r"\W")


def name_variables(
    instructions: Iterable[Instruction], taken: Iterable[str] = ()
) -> dict[int, str]:
    """For the ``id`` of each variable, an identifier that differs from all others and from
    ``taken``.
    """
    used = set(taken)
    names: dict[int, str] = {}
    for instruction in instructions:
        for number, output in enumerate(instruction.outputs):
            name_hint = output.label if isinstance(output, Handle) else _number(instruction, number)
            name_hint = _NO_IDENTIFIER.sub("_", name_hint) or "v"
            if name_hint[0].isdigit():
                name_hint = f"_{name_hint}"
            if keyword.iskeyword(name_hint):
                name_hint += "_"
            names[id(output)] = fresh_name(name_hint, used)
    return names


def _number(instruction: Instruction, number: int) -> str:
    """The name of a sampled number: that of the loop that it tiles with a suffix, or ``v``."""
    loop = instruction.arguments.get("loop")
    return f"{loop.label}_t{number}" if isinstance(loop, Handle) else "v"
