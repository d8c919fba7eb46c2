"""The documentation of passes for ``--help``, from a file that ``make docs`` writes.

Reading a hundred source files would take longer than the rest of ``--help``. Plugins are not in the
file; :mod:`kc.support.source_docs` reads their sources.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

INDEX = Path(__file__).with_suffix(".json")
_NEXT_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z`])")


@dataclass(frozen=True)
class ClassDoc:
    """The documentation of a pass or primitive, read from its source.

    ``summary`` is the first sentence of the docstring. ``options`` are the names of the fields, and
    ``required`` the fields without a default. ``bare`` is the first paragraph of the docstring of
    the method ``defaults``, for primitives whose flag works without options. ``unsafe`` is true if
    there is an option of that name.
    """

    summary: str = ""
    options: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    bare: str = ""
    unsafe: bool = False


def first_sentence(text: str) -> str:
    """The first sentence of a docstring, on one line."""
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    return _NEXT_SENTENCE.split(paragraph)[0]


def class_doc(path: str) -> ClassDoc | None:
    """The documentation of ``"module:Class"``; None if there is no such source."""
    fields = _index().get(path)
    if fields is not None:
        summary, options, required, bare, unsafe = fields
        return ClassDoc(summary, tuple(options), tuple(required), bare, unsafe)
    from kc.support.source_docs import read_class_doc

    return read_class_doc(path)


@functools.cache
def _index() -> dict[str, Any]:
    try:
        return json.loads(INDEX.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}


def index_text(paths: Sequence[str]) -> str:
    """The text of the documentation file for the classes at these paths."""
    from kc.support.source_docs import read_class_doc

    docs = {path: read_class_doc(path) for path in paths}
    rows = (
        f"{json.dumps(path)}: {json.dumps(astuple(doc), ensure_ascii=False)}"
        for path, doc in docs.items()
        if doc is not None
    )
    return "{\n" + ",\n".join(rows) + "\n}\n"
