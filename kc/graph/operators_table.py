"""The operators of graphs as a page of the documentation: a table for each family."""

from __future__ import annotations

from collections.abc import Iterator

from kc.dialects.graph.declaration import Operator, all_operators
from kc.graph.lowering import lowering_of
from kc.graph.lowering.rows import NO_OPERATOR
from kc.support import registry
from kc.support.declarations import REQUIRED, slots
from kc.topi.table import whole_table


def page() -> Iterator[str]:
    """The lines of the page."""
    yield from (
        "Operands come first, then attributes with their defaults; `relay.` before the name is the "
        "function. `*x` is any number of operands, `x?` one that may be absent. The pattern is "
        "what fusion distinguishes. The last column has the functions of `topi` that compute it.",
        "",
    )
    operators = all_operators()
    for family in registry.current().operator_families:
        own = {name: each for name, each in operators.items() if each.family == family}
        if own:
            yield from (f"## {family}", "", "| operator | pattern | topi |", "|---|---|---|")
            yield from (_row(name, own[name]) for name in sorted(own))
            yield ""
    yield from (
        "## Functions of topi without an operator",
        "",
        "| function | instead |",
        "|---|---|",
    )
    yield from (f"| `{row}` | {reason} |" for row, reason in sorted(NO_OPERATOR.items()))


def _row(name: str, declared: type[Operator]) -> str:
    attributes = (
        slot.name if slot.default is REQUIRED else f"{slot.name}={slot.default!r}"
        for slot in slots(declared)
    )
    call = ", ".join((*declared.inputs, *attributes))
    computation = lowering_of(declared)
    rows = sorted({*computation.rows} & whole_table().keys()) if computation is not None else []
    pattern = declared.pattern.name.lower()
    return f"| `{name}({call})` | {pattern} | {', '.join(f'`{row}`' for row in rows)} |"
