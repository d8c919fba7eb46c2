"""The public names of TVM that kc does not have, and the error for a program that uses one.

``tvm_names.toml`` lists the names and their replacements.
"""

from __future__ import annotations

import functools
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

from kc.support.diagnostics import InputError, UnknownName, nearest
from kc.support.locations import caller_location

DATA = Path(__file__).with_name("tvm_names.toml")


@functools.cache
def _data() -> dict[str, Any]:
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


def no_attribute(space: str, name: str) -> AttributeError:
    """The error that the module ``kc.{space}`` raises for a name that it does not have.

    For a public name of TVM, the error is also an InputError (KC0095) that names the replacement.
    """
    names = "" if name.startswith("_") else _data()["names"].get(space, {}).get("names", "")
    if name in names.split():
        for reason in _data()["reasons"].values():
            if name in reason["names"].split():
                error: Any = InputError(
                    "KC0095",
                    f"tvm.{space}.{name} is not in kc",
                    location=caller_location(),
                    why=reason["why"],
                    hints=["docs/migration.md lists TVM's names and their counterparts"],
                )
                return error
    close = [] if name.startswith("_") else nearest(name, dir(import_module(f"kc.{space}")))
    suggestion = " or ".join(f"'{candidate}'" for candidate in close)
    hint = f"; did you mean {suggestion}?" if close else ""
    # With a name and no object, Python adds no guess of its own.
    return UnknownName(f"module 'kc.{space}' has no attribute '{name}'{hint}", name=name)
