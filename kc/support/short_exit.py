"""An exit that does not look for garbage in the modules of kc: a fifth of the first build.

When Python ends, it collects garbage three times. The modules of kc and xDSL have 100,000 objects
in circles (every class is in one), and freeing them takes some 200 ms; then the process is gone.
At exit, :func:`freeze_what_is_only_memory` takes all objects out of these collections with
``gc.freeze``, if nothing would happen but that memory is freed. That is so in a program that uses
numpy, kc and Python's own library, and has closed its files. (Callbacks of weak references to
objects that are left are not called. Python does not promise them at exit.)
"""

from __future__ import annotations

import atexit
import functools
import gc
import sys
from types import AsyncGeneratorType, CoroutineType, GeneratorType, ModuleType
from typing import Any

_KNOWN_EXTENSIONS = frozenset(("numpy", "ml_dtypes", "llvmlite", "islpy", "kc"))
"""Packages with compiled code whose objects end in nothing but free memory."""

_ACTING_MODULES = ("_dbm", "_gdbm")
"""Modules of Python whose objects write when they are freed, by no ``__del__``."""

_RESTING = (GeneratorType, CoroutineType, AsyncGeneratorType)
"""What has code to run when it is freed, and no ``__del__``."""

_COMPILED = (".so", ".pyd")


@functools.cache
def shorten_exit() -> None:
    """Register the freeze for the exit of this process, once.

    It is registered with the first modules of kc, so it runs after the exit functions that are
    registered later: those of the user, mostly.
    """
    atexit.register(freeze_what_is_only_memory)


def freeze_what_is_only_memory() -> bool:
    """Freeze all objects if none of them, when freed, does what could be seen outside the process.

    Such are objects with a ``__del__`` (an open file writes what is left), and suspended generators
    with a ``finally``. Objects of other compiled packages may do anything: with them, nothing is
    frozen. Returns whether the objects are frozen.
    """
    if _has_unknown_extension():
        return False
    objects = gc.get_objects()
    kinds = set(map(type, objects))
    acting = tuple(kind for kind in kinds if _acts_when_freed(kind))
    streams = _standard_streams()
    for thing in objects if acting else ():
        if type(thing) in acting and not any(thing is stream for stream in streams):
            return False
    gc.freeze()
    return True


def _has_unknown_extension() -> bool:
    if any(name in sys.modules for name in _ACTING_MODULES):
        return True
    for name, module in list(sys.modules.items()):
        package = name.partition(".")[0]
        if package in _KNOWN_EXTENSIONS or package in sys.stdlib_module_names:
            continue
        file = getattr(module, "__file__", None) if isinstance(module, ModuleType) else None
        if isinstance(file, str) and file.endswith(_COMPILED):
            return True
    return False


def _acts_when_freed(kind: type) -> bool:
    if kind in _RESTING:
        return True
    # A metaclass may answer hasattr by anything, so the dictionaries are asked.
    if not any("__del__" in parent.__dict__ for parent in kind.__mro__):
        return False
    return kind.__module__.partition(".")[0] not in _KNOWN_EXTENSIONS


def _standard_streams() -> list[Any]:
    """The standard streams with their layers: Python flushes them itself."""
    streams: list[Any] = []
    for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__):
        buffer = getattr(stream, "buffer", None)
        streams += [stream, buffer, getattr(buffer, "raw", None)]
    return streams
