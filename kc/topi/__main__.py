"""``python -m kc.topi``: the list of operators; with a name, the operator's meaning and usage."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from kc.support.diagnostics import suggest


def main(argv: Sequence[str] | None = None) -> int:
    """The command. The exit status is 0, or 1 for an unknown name."""
    from kc.topi.table import types_text, whole_table

    table = whole_table()
    parser = argparse.ArgumentParser(
        prog="python -m kc.topi",
        description="List the operators of kc.topi, or explain one and print its te IR.",
    )
    parser.add_argument("name", nargs="?", help="an operator, such as add or nn.conv2d")
    name = parser.parse_args(argv).name
    if name is None:
        width = max(map(len, table))
        kinds = max(len(row.kind) for row in table.values())
        for key in sorted(table):
            row = table[key]
            print(f"{key:{width}}  {row.kind:{kinds}}  {types_text(row.types)}")
        return 0
    matches = [key for key in table if key == name or key.endswith(f".{name}")]
    if name in table:
        matches = [name]
    if len(matches) != 1:
        names = matches or [*table]
        print(f"error: there is no operator '{name}'", file=sys.stderr)
        for hint in suggest(name, names, "the operators are" if matches else "such as"):
            print(f"  try: {hint}", file=sys.stderr)
        return 1
    print(explained(matches[0]))
    return 0


def explained(name: str) -> str:
    """The documentation of an operator, and the te IR of its example."""
    import inspect

    from kc.topi.table import TABLE, types_text
    from kc.topi.write_docs import example_tensors, signature

    row = TABLE[name]
    lines = [f"topi.{name}{signature(row)}", ""]
    lines += inspect.cleandoc(row.function.__doc__ or "").splitlines()
    lines += ["", *(f"{what}: {text}" for what, text in facts(row, types_text(row.types)) if text)]
    inputs, outputs = example_tensors(row.example)
    lines += ["", f"topi.{row.example}", "", _te_text([*inputs, *outputs])]
    return "\n".join(lines)


def facts(row: Any, types: str) -> list[tuple[str, str]]:
    """The facts in a row of the table besides the documentation."""
    return [
        ("formula", row.formula), ("kind", row.kind), ("types", types),
        ("gradient", row.gradient_text.replace("`", "")), ("numpy", row.numpy), ("ONNX", row.onnx),
        ("torch", row.torch),
    ]  # fmt: skip


def _te_text(args: Sequence[Any]) -> str:
    from kc.expr.tensor import PlaceholderOp
    from kc.support.target import Target
    from kc.te.lowering import lower_schedule
    from kc.te.schedule import create_schedule

    computed = [tensor.op for tensor in args if not isinstance(tensor.op, PlaceholderOp)]
    schedule = create_schedule(list(dict.fromkeys(computed)))
    return str(lower_schedule(schedule, args, "main", Target.generic()).te)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader of the list closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
