"""Second names of modules: TVM's ``tir.expr``, ``tir.buffer`` and ``tir.op`` are all ``kc.tir``.

Python looks for ``kc.tir.expr`` among the loaded modules after it has imported ``kc.tir``, so an
entry there suffices for ``import kc.tir.expr``. The standard library does the same with
``os.path``.
"""

import sys
from types import ModuleType


def second_names(package: str, *names: str, **modules: ModuleType) -> None:
    """Make ``names`` aliases of the module ``package`` inside itself, and the keys of ``modules``
    aliases of other loaded modules. A package calls this when it is imported.
    """
    module = sys.modules[package]
    for name, named in {**dict.fromkeys(names, module), **modules}.items():
        sys.modules[f"{package}.{name}"] = named
        setattr(module, name, named)
