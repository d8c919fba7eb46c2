"""Hints for programs that import names of TVM which kc has elsewhere.

``import kc as tvm`` binds a name, but a later ``from tvm import topi`` asks Python for a package
``tvm``. The finder here comes after all other finders, so an installed TVM is imported as usual.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import FrameType, ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec


def hint_of_tvm_name(name: str) -> str | None:
    """The place in kc of TVM's ``tvm.<name>``; None if kc does not have the name."""
    if name == "relax":
        return "kc has Relay's graphs: kc.relay"
    for module in ("te", "tir"):
        if name in import_module(f"kc.{module}").__all__:
            return f"it is kc.{module}.{name}, as in TVM since 0.7"
    return None


def install() -> None:
    """Install :class:`ImportHints` as the last finder."""
    if not any(isinstance(finder, ImportHints) for finder in sys.meta_path):
        sys.meta_path.append(ImportHints())


class ImportHints:
    """A finder that finds no module, but explains failed imports of ``tvm`` and of TVM's names in
    ``kc``.

    Programs that check for TVM with ``importlib.util.find_spec`` or ``importlib.import_module`` get
    the same answer as without this finder.
    """

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """None, or an ImportError with a hint if an import statement asks."""
        del path, target
        package, _, attribute = name.partition(".")
        if package not in ("tvm", "kc") or (program := _importing_frame()) is None:
            return None
        if package == "tvm" and _names_kc(program):
            raise ModuleNotFoundError(f"No module named '{name}'; {_INSTEAD_OF_TVM}", name="tvm")
        if package == "kc" and attribute and (hint := hint_of_tvm_name(attribute)):
            raise ImportError(f"cannot import name '{attribute}' from 'kc'; {hint}", name="kc")
        if package == "kc":
            _require_known(name)
        return None


def _require_known(name: str) -> None:
    """Raise UnknownImport for a name that resembles a module of kc."""
    from kc.support.diagnostics import UnknownImport, nearest

    parent, _, attribute = name.rpartition(".")
    module = sys.modules.get(parent)
    close = nearest(attribute, dir(module)) if module is not None else []
    if close and attribute not in close and not attribute.startswith("_"):
        suggestion = " or ".join(f"'{candidate}'" for candidate in close)
        message = f"cannot import name '{attribute}' from '{parent}'; did you mean {suggestion}?"
        raise UnknownImport(message, name=parent)


_INSTEAD_OF_TVM = (
    "kc is not installed under that name, and `import kc as tvm` is a name in one file: write "
    "`from kc import te, tir, topi`"
)


def _importing_frame() -> FrameType | None:
    """The frame of the import statement that asks; None if importlib or kc itself asks."""
    frame = sys._getframe(2)
    while frame is not None and "importlib._bootstrap" in frame.f_code.co_filename:
        frame = frame.f_back
    if frame is None or _package_of(frame.f_globals.get("__name__")) in ("importlib", "kc"):
        return None
    return frame


def _names_kc(frame: FrameType) -> bool:
    """True if a variable of a program refers to kc or a part of kc."""
    values = (*frame.f_globals.values(), *frame.f_locals.values())
    return any(
        isinstance(value, ModuleType) and _package_of(value.__name__) == "kc" for value in values
    )


def _package_of(module: object) -> str:
    return module.partition(".")[0] if isinstance(module, str) else ""
