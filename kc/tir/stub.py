"""The methods of the eager schedule, for editors and type checkers.

:func:`text` is the content of ``kc/tir/schedule_methods.py``, which ``make docs`` writes. No
program imports that module at run time.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from kc.support import registry
from kc.support.class_docs import first_sentence
from kc.tir.methods import method_of, signature_of
from kc.transforms.trace.session import Step

HEAD = '''"""The methods of kc.tir.Schedule, for editors and type checkers. Made by `make docs`."""

# fmt: off
# ruff: noqa: E501
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc.transforms.schedule._index_map import IndexFunction, IndexMap
from kc.transforms.trace.handles import BlockRV, ExprRV, LoopRV


class ScheduleMethods:
    """The methods made from the declarations of primitives, queries and samplings."""
'''


def text() -> str:
    """The module's text, for the registry in use."""
    steps = [entry.load() for entry in registry.current().steps.values()]
    return HEAD + "".join(line for step in steps for line in _method(step))


def _method(step: Step) -> Iterator[str]:
    signature = signature_of(step)
    shown: list[str] = []
    starred = False
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            shown.append("*")
            starred = True
        if parameter.name == "self":
            shown.append("self")
            continue
        annotation, prefix = parameter.annotation, ""
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            prefix, starred = "*", True
            annotation = f"{annotation} | Sequence[{annotation}]"
        default = (
            ""
            if parameter.default is inspect.Parameter.empty
            else f" = {_default(parameter.default)}"
        )
        shown.append(f"{prefix}{parameter.name}: {annotation}{default}")
    method = method_of(step)
    yield f"\n    def {method.__name__}({', '.join(shown)}) -> {signature.return_annotation}:\n"
    yield f'        """{first_sentence(inspect.getdoc(step) or "")}"""\n'
    yield "        ...\n"


def _default(value: object) -> str:
    return repr(value) if isinstance(value, bool | int | float | str | None) else "..."
