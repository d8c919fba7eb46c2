"""Second names of modules: TVM's ``tir.expr``, ``tir.buffer`` and ``tir.op`` are all ``kc.tir``.

Python looks for ``kc.tir.expr`` among the loaded modules after it has imported ``kc.tir``, so an
entry there is enough for ``import kc.tir.expr``; ``os.path`` of the standard library works so.
"""

import sys
from types import ModuleType


def second_names(package: str, *names: str, **modules: ModuleType) -> None:
    """Let ``names`` be names of the module ``package`` inside of itself, and those of ``modules``
    names of other modules that are loaded; a package calls it when it is imported."""
    module = sys.modules[package]
    for name, named in {**dict.fromkeys(names, module), **modules}.items():
        sys.modules[f"{package}.{name}"] = named
        setattr(module, name, named)
