"""The documentation of operators, made from the table: a page for each family."""

from __future__ import annotations

import functools
import inspect
import json
import math
import re
from collections.abc import Iterator
from importlib import resources
from typing import Any

from kc.expr.tensor import PlaceholderOp, Tensor, placeholder
from kc.topi.table import Operator, types_text, whole_table


def example_tensors(example: str) -> tuple[list[Tensor], list[Tensor]]:
    """The placeholders of an example, and its result."""
    import kc.topi as topi

    inputs: list[Tensor] = []

    def make(*shape: Any, dtype: str = "float32") -> Tensor:
        inputs.append(placeholder(shape, dtype, "ABCDEFGH"[len(inputs)]))
        return inputs[-1]

    names = {name: getattr(topi, name) for name in topi.__all__}
    # The expression comes from kc's own table.
    result = eval(example, {**names, "T": make, "math": math})
    outputs = list(result) if isinstance(result, list | tuple) else [result]
    return inputs, [out for out in outputs if not isinstance(out.op, PlaceholderOp)]


def signature(row: Operator) -> str:
    """The signature of an operator, its annotations without quotes."""
    text = str(inspect.signature(row.function))
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)


def families() -> list[str]:
    """The families of operators; the families of packages come last."""
    names = {row.family for row in whole_table().values()}
    return sorted(names, key=lambda name: ("." in name, name))


def pages() -> dict[str, str]:
    """The text of each page by its name: an index, and one for each family."""
    result = {"index.md": "\n".join(_index())}
    for family in families():
        result[f"{family}.md"] = "\n".join(_family(family))
    return result


def _module_doc(family: str) -> str:
    import importlib

    module = importlib.import_module(f"kc.topi.{family}")
    return (module.__doc__ or "").strip()


def _index() -> Iterator[str]:
    yield from ("# Operators of kc.topi", "", "Made from the table by `make docs`.", "")
    yield from ("| family | operators |", "|---|---|")
    for family in families():
        names = [row.name for row in whole_table().values() if row.family == family]
        yield f"| [{family}]({family}.md) | {', '.join(f'`{name}`' for name in sorted(names))} |"
    yield ""


def _family(family: str) -> Iterator[str]:
    yield from (f"# topi: {family}", "", _module_doc(family), "")
    for row in sorted(whole_table().values(), key=lambda row: row.name):
        if row.family == family:
            yield from _operator(row)


def _operator(row: Operator) -> Iterator[str]:
    yield from (f"## `topi.{row.name}{signature(row)}`", "")
    yield from (_markdown(row.function.__doc__ or ""), "")
    facts = {
        "formula": f"`{row.formula}`" if row.formula else "",
        "kind": row.kind,
        "types": types_text(row.types),
        "gradient": row.gradient_text,
        "numpy": row.numpy and f"`{row.numpy}`",
        "ONNX": row.onnx and f"`{row.onnx}`",
        "torch": row.torch and f"`{row.torch}`",
        "greatest error": _error(row.name),
    }
    yield from ("| | |", "|---|---|")
    for what, text in facts.items():
        if text:
            yield f"| {what} | {text.replace('|', chr(92) + '|')} |"
    yield from ("", "```", f"topi.{row.example}", "```", "")


@functools.cache
def _errors() -> dict[str, Any]:
    """The measurements of `scripts/topi_ulp_errors.py`."""
    file = resources.files("kc.topi") / "ulp_errors.json"
    return json.loads(file.read_text(encoding="utf-8"))


def _error(name: str) -> str:
    """The largest measured error of an operator on float32 elements; "" if it was not measured."""
    if name not in _errors():
        return ""
    measured = _errors()[name]
    if "of_largest" in measured:
        units = measured["of_largest"]
        if not units:
            return "0: the results of the example are those of float64, rounded"
        return f"{units:.2f} ulp of the greatest result: the example in float32, against float64"
    place = ", ".join(f"{number:.6g}" for number in measured["at"])
    text = f"{measured['units']:.2f} ulp of float32"
    if measured["units"] <= 2:
        return text
    return f"{text} at {place}; {measured['within']:.2f} of the larger of 1 and the result"


def _markdown(doc: str) -> str:
    text = inspect.cleandoc(doc).replace("``", "`")
    return re.sub(r":(?:func|mod|data):`(?:kc\.)?([\w.]+)`", r"`\1`", text)
