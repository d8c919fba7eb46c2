"""Plugins: packages that extend kc without changing it.

A package names one :class:`Plugin` in the entry point group ``kc.plugins``::

A plugin gives each extension as text, and kc imports it at its first use, so an unused plugin costs
nothing. Dialects of the entry point group ``xdsl.universe`` are loaded too.

Everything in it is given as text and imported at first use, so that an installed plugin costs
nothing where it is not used. Dialects of the group ``xdsl.universe`` are loaded too.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

from kc.support.diagnostics import InputError, KCError, suggest, warn

_RAISED = (Exception, SystemExit)
"""The exceptions that code of plugins may raise; all are reported as errors of the plugin."""

GROUP = "kc.plugins"
UNIVERSE_GROUP = "xdsl.universe"
PHASES = (0, 1, 2, 3)
"""The phases of lowering that hooks attach to, with the numbers of TVM's ``tir.add_lower_pass``:
before all passes, after blocks are lowered, after loops are transformed, before code generation.
"""


@dataclass(frozen=True)
class Plugin:
    """The extensions of a package. Values are paths ``"package.module:Name"`` unless stated
    otherwise.

    ``targets`` are data files, ``"package:file.toml"``, in the form of
    ``kc/support/targets/llvm.toml``; ``rules`` are those of default schedules
    (:class:`kc.transforms.auto_schedule.rule.Rule`); ``hooks`` are a lowering phase, the name of a
    pass, and the target kinds that it is for; ``patterns`` are the classes of rewrite patterns to
    add, by the name of a conversion or of ``canonicalize``; ``formats`` are what ``kc-translate
    --to`` takes: functions of a module and a :class:`~kc.support.target.Target` that return text or
    bytes; ``backends`` map a target kind to the :class:`kc.backends.Backend` that compiles for it;
    ``loaders`` map the extension of a file to a function of its path that returns a
    :class:`kc.runtime.Module`.

    ``queries`` are the steps of schedules that change nothing; ``intrinsic_families`` map the path
    of generated intrinsics, with ``{name}`` in it, to the path of a function that returns their
    names, which is called when an intrinsic is first looked up; ``importers`` map ``from_NAME`` of
    :mod:`kc` to the function. ``families`` are passes under the heading of ``kc-opt --help`` that
    they stand below (a key of :data:`kc.areas.FAMILIES`; ``passes`` stand below that of plugins),
    ``summaries`` sentences for passes whose class has none, and ``main_options`` the option that
    a value without a name is of, by the name of the pass: ``--apply-schedule=FILE``.

    ``operator_families`` are modules that declare operators of the dialect ``graph``, by their
    stems, ``operator_lowerings`` those that compute them, and ``operator_gradients`` those that
    have the rules of their gradients, by the same stems. Importing a module
    enters what it has, so its ``__name__`` serves as the name: ``"mine.operators:__name__"``.
    ``views`` are functions of an operation of a module, by its name, that return the object that
    ``mod["name"]`` is. ``builders`` are functions of a module, a target and the name of a function,
    by the name of an operation: ``kc.build`` of a module that has such an operation is theirs.
    ``runners`` are functions of arguments, tensors of te, that return a function on arrays, by the
    name of the way that the interpreter of graphs runs operators: ``compiled``, ``interpreter``.

    Raises ValueError for what is not of this form.
    """

    name: str
    dialects: Mapping[str, str] = field(default_factory=dict)
    passes: Mapping[str, str] = field(default_factory=dict)
    primitives: Mapping[str, str] = field(default_factory=dict)
    targets: Sequence[str] = ()
    intrinsics: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, str] = field(default_factory=dict)
    hooks: Sequence[tuple[int, str, Sequence[str]]] = ()
    formats: Mapping[str, str] = field(default_factory=dict)
    patterns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    backends: Mapping[str, str] = field(default_factory=dict)
    loaders: Mapping[str, str] = field(default_factory=dict)
    queries: Mapping[str, str] = field(default_factory=dict)
    intrinsic_families: Mapping[str, str] = field(default_factory=dict)
    importers: Mapping[str, str] = field(default_factory=dict)
    families: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    summaries: Mapping[str, str] = field(default_factory=dict)
    main_options: Mapping[str, str] = field(default_factory=dict)
    operator_families: Mapping[str, str] = field(default_factory=dict)
    operator_lowerings: Mapping[str, str] = field(default_factory=dict)
    operator_gradients: Mapping[str, str] = field(default_factory=dict)
    views: Mapping[str, str] = field(default_factory=dict)
    builders: Mapping[str, str] = field(default_factory=dict)
    runners: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path in self.paths():
            if not isinstance(path, str) or path.count(":") != 1:
                raise ValueError(f"plugin {self.name}: {path!r} is not of the form 'module:name'")
        for hook in self.hooks:
            if len(hook) != 3 or isinstance(hook[2], str) or not hook[2]:
                form = '(phase, "pass", ["target kind", ...])'
                raise ValueError(f"plugin {self.name}: hook {hook!r} is not of the form {form}")
            if hook[0] not in PHASES:
                raise ValueError(f"plugin {self.name}: there is no lowering phase {hook[0]}")

    def paths(self) -> list[str]:
        """The paths of all extensions of the plugin."""
        tables = (
            "dialects",
            "passes",
            "primitives",
            "intrinsics",
            "rules",
            "formats",
            "backends",
            "loaders",
            "queries",
            "importers",
            "operator_families",
            "operator_lowerings",
            "operator_gradients",
            "views",
            "builders",
            "runners",
        )
        paths = [path for name in tables for path in getattr(self, name).values()]
        paths += [path for family in self.families.values() for path in family.values()]
        paths += [path for pair in self.intrinsic_families.items() for path in pair]
        paths += [path for added in self.patterns.values() for path in added]
        return [*paths, *self.targets]


def paths_of(pattern: str, *flags: str) -> dict[str, str]:
    """The paths of objects whose modules and classes are named after them.

    In ``pattern``, ``{stem}`` is ``x_y`` and ``{name}`` is ``XY`` for the flag ``x-y``.
    """
    return {
        flag: pattern.format(stem=flag.replace("-", "_"), name=camel_case(flag)) for flag in flags
    }


def camel_case(flag: str) -> str:
    """``lower-init-block`` to ``LowerInitBlock``."""
    return "".join(part.capitalize() for part in flag.split("-"))


def load(path: str, what: str) -> Any:
    """The object at ``"module:Name"``. The error (KC0033) calls it ``what``."""
    with _told(path, what):
        module_name, _, attribute = path.partition(":")
        return getattr(importlib.import_module(module_name), attribute)


def call(path: str, what: str) -> Any:
    """The result of the function at ``"module:name"``. Errors in it are reported as a plugin's."""
    function = load(path, what)
    with _told(path, what):
        return function()


@contextmanager
def _told(path: str, what: str) -> Iterator[None]:
    try:
        yield
    except KCError:
        raise
    except _RAISED as error:
        raise InputError(
            "KC0033",
            f"{what} cannot be loaded from {path}",
            facts=[f"{type(error).__name__}: {error}"],
        ) from error


def installed() -> Iterator[Plugin]:
    """The plugins of installed packages. A broken plugin causes a warning that names it
    (KC0030).
    """
    for name, value, load_entry in _entry_points(GROUP):
        try:
            plugin = load_entry()
            if not isinstance(plugin, Plugin):
                raise TypeError(f"{value} is not a kc.support.plugins.Plugin")
        except _RAISED as error:
            _warn_broken(name, value, error)
            continue
        yield plugin


def installed_dialects() -> Iterator[tuple[str, Callable[[], Any], str]]:
    """Name, factory and origin of each dialect that other packages register with xDSL."""
    own = ("xdsl.universe:", "kc.universe:")
    for name, value, load_entry in _entry_points(UNIVERSE_GROUP):
        if value.startswith(own):
            continue
        try:
            dialects = dict(load_entry().all_dialects)
        except _RAISED as error:
            _warn_broken(name, value, error)
            continue
        for dialect, factory in dialects.items():
            yield dialect, factory, name


def _entry_points(group: str) -> Sequence[tuple[str, str, Callable[[], Any]]]:
    return _entry_points_on(tuple(sys.path), group)


@cache
def _entry_points_on(
    path: tuple[str, ...], group: str
) -> Sequence[tuple[str, str, Callable[[], Any]]]:
    """The entry points on a search path. They are read once, because reading takes as long as a
    pass.
    """
    if not _may_name(path, group):
        return []
    from importlib.metadata import distributions, entry_points

    try:
        points = list(entry_points(group=group))
    except _RAISED:  # of one of the packages; which one, is seen package by package
        by_package: dict[str, list[Any]] = {}
        for package in distributions():
            name = "?"
            try:
                name = package.name
                by_package.setdefault(name, list(package.entry_points.select(group=group)))
            except _RAISED as error:
                _warn_broken(name, "entry_points.txt", error)
        points = [entry for own in by_package.values() for entry in own]
    entries = sorted(points, key=lambda entry: (entry.name, entry.value))
    return [(entry.name, entry.value, entry.load) for entry in entries]


def _may_name(path: tuple[str, ...], group: str) -> bool:
    """True if a package on this search path may have entry points of this group.

    Most machines have no plugin, and importing :mod:`importlib.metadata` takes a fifth of the time
    of ``kc-opt --help``. A place that is not a directory of metadata directories is left to that
    module.
    """
    if any(
        hasattr(finder, "find_distributions") and finder is not PathFinder
        for finder in sys.meta_path
    ):
        return True
    group_bytes = group.encode()
    for place in path:
        if place.endswith(".egg"):
            return True
        try:
            with os.scandir(place or ".") as entries:
                names = [entry.name for entry in entries]
        except NotADirectoryError:
            return True  # an archive
        except OSError:
            continue
        for name in names:
            if not name.endswith((".dist-info", ".egg-info")):
                continue
            try:
                with open(os.path.join(place, name, "entry_points.txt"), "rb") as file:
                    if group_bytes in file.read():
                        return True
            except OSError:
                continue
    return False


def _warn_broken(name: str, value: str, error: BaseException) -> None:
    warn(
        "KC0030",
        f"plugin '{name}' is broken and was skipped",
        facts=[f"{value}: {type(error).__name__}: {error}"],
        hints=["reinstall or remove the package that provides it"],
    )


def from_module(where: str) -> list[Plugin]:
    """The plugins in a module (its name, or a ``.py`` file), for ``--load-plugin``."""
    module = _import(where)
    plugins = [value for value in vars(module).values() if isinstance(value, Plugin)]
    if not plugins:
        raise InputError(
            "KC0032",
            f"there is no plugin in {where}",
            why="a plugin is a module-level kc.support.plugins.Plugin",
            hints=suggest("PLUGIN", [name for name in vars(module) if name.isupper()]),
        )
    return plugins


def _import(where: str) -> ModuleType:
    try:
        if not where.endswith(".py"):
            return importlib.import_module(where)
        name = "kc_plugin_" + "".join(c if c.isalnum() else "_" for c in where)
        spec = importlib.util.spec_from_file_location(name, where)
        if spec is None or spec.loader is None:
            raise ImportError(f"{where} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module
    except _RAISED as error:
        raise InputError(
            "KC0031",
            f"plugin {where} cannot be loaded",
            facts=[f"{type(error).__name__}: {error}"],
        ) from error
