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
            wanted = output.label if isinstance(output, Handle) else _number(instruction, number)
            wanted = _NO_IDENTIFIER.sub("_", wanted) or "v"
            if wanted[0].isdigit():
                wanted = f"_{wanted}"
            if keyword.iskeyword(wanted):
                wanted += "_"
            names[id(output)] = fresh_name(wanted, used)
    return names


def _number(instruction: Instruction, number: int) -> str:
    """The name of a sampled number: that of the loop that it tiles with a suffix, or ``v``."""
    loop = instruction.arguments.get("loop")
    return f"{loop.label}_t{number}" if isinstance(loop, Handle) else "v"
