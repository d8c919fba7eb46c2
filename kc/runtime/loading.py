"""Files as modules: ``kc.runtime.load_module``."""

from __future__ import annotations

import os

from kc.runtime.module import Module
from kc.support import registry
from kc.support.diagnostics import CallError, suggest


def load_module(path: str | os.PathLike[str], fmt: str = "") -> Module:
    """The module in a file written by ``Module.save`` or ``Module.export_library``.

    ``.so`` (or ``.dylib``, ``.dll``), ``.o``, ``.ll`` and ``.bc`` hold compiled code, called with
    the same checks as before; ``.mlir`` is compiled for the target that it names. ``fmt`` is the
    format, if the extension does not determine it. Plugins may add formats. Raises CallError KC5140
    to KC5144, TargetError KC6105 for code of another machine, InputError for a file that cannot be
    read.
    """
    name = os.fspath(path)
    kind = fmt or os.path.splitext(name)[1].lstrip(".")
    loaders = registry.current().loaders
    if kind not in loaders:
        raise CallError(
            "KC5141",
            f"load_module: {name} has no known format",
            hints=suggest(kind, loaders, "formats"),
        )
    return loaders[kind].load()(name)
