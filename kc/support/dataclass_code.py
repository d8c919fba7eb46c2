"""The methods of dataclasses, compiled once per installation and not in every process.

``dataclasses`` writes the methods of a class as text and runs it, so Python compiles them again in
each process: the 600 classes of kc and xDSL that a build imports have 3,000 such texts, a sixth of
the first build. Modules do not have this cost, because their code is kept in ``__pycache__``. Here
the code of these texts is kept there too: a file of pairs of a text and its code, beside the
compiled form of this module. A text that is not there is compiled as ever and added at exit. The
text is the key, so code of another version of a class is never taken.

The hook is the name ``exec`` in the module ``dataclasses``. Texts of modules outside kc and xDSL go
to the function that is built in.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import dataclasses
import functools
import marshal
import os
import sys
from importlib.util import MAGIC_NUMBER, cache_from_source
from types import CodeType
from typing import Any

_PACKAGES = ("kc", "xdsl")

MAX_TEXTS = 20_000
"""With more texts in the file, it is begun anew: most are of classes that were edited since."""

_kept: dict[str, bytes] = {}
"""Texts with their marshalled code, as the file has them."""
_new: dict[str, bytes] = {}


@functools.cache
def install() -> None:
    """Take the code of dataclasses from the file, from now on, and write it at exit if need be."""
    path = _path()
    if path is None:
        return
    _kept.update(_read(path))
    dataclasses.__dict__["exec"] = execute
    atexit.register(keep)


def execute(text: str, global_names: dict[str, Any], local_names: dict[str, Any]) -> None:
    """``exec`` for ``dataclasses``: runs the code of ``text``, compiled if it is not known."""
    module = global_names.get("__name__", "")
    if not isinstance(module, str) or module.partition(".")[0] not in _PACKAGES:
        builtins.exec(text, global_names, local_names)
        return
    builtins.exec(_code(text), global_names, local_names)


def _code(text: str) -> CodeType:
    known = _kept.get(text) or _new.get(text)
    if known is not None:
        return marshal.loads(known)
    code = compile(text, "<string>", "exec", dont_inherit=True)
    _new[text] = marshal.dumps(code)
    return code


def keep() -> None:
    """Add the new texts to the file, if it can be written; another process may do so, too."""
    path = _path()
    if not _new or sys.dont_write_bytecode or path is None:
        return
    texts = {**_read(path), **_new}
    if len(texts) > MAX_TEXTS:
        texts = dict(_new)
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(temporary, "xb") as file:
            file.write(MAGIC_NUMBER + marshal.dumps(texts))
        os.replace(temporary, path)
    except OSError:  # a folder that is read-only or full
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _path() -> str | None:
    """The file, or None where Python keeps no compiled code."""
    try:
        return cache_from_source(__file__.removesuffix(".py") + "_texts.py")
    except NotImplementedError:
        return None


def _read(path: str) -> dict[str, bytes]:
    """The texts in the file; none if it is missing, damaged or of another version of Python."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return {}
    if not content.startswith(MAGIC_NUMBER):
        return {}
    try:
        texts = marshal.loads(content[len(MAGIC_NUMBER) :])
    except (EOFError, ValueError, TypeError):
        return {}
    return texts if isinstance(texts, dict) else {}
