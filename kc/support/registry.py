"""Tables of dialects, passes, schedule primitives and formats by name, imported at first use.

Tables hold text only; xDSL is not imported until an entry is looked up. They are filled from the
records of kc's areas (:mod:`kc.areas`), then in the same way from the records of plugins.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from kc.support import plugins
from kc.support.diagnostics import InputError, suggest, warn
from kc.support.options import Options, PassSpec, quote
from kc.support.plugins import Plugin
from kc.support.plugins import camel_case as camel_case

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.passes import ModulePass
    from xdsl.pattern_rewriter import RewritePattern

AREAS = "kc.areas:AREAS"
"""The path of the records of kc's own areas, which have the form of plugins' records."""

PASS_OF_PRIMITIVE = "kc.transforms.schedule._flag:make_pass"
"""The path of the function that makes the pass for a primitive and its options."""

CHECK_OF_STEP = "kc.transforms.trace.sched_form:check_step"
"""The path of the function that checks the fields of a step given as an operation of ``sched``."""


class Hook(NamedTuple):
    """A pass that a plugin attaches to a phase of lowering, for targets of some kinds."""

    name: str
    kinds: Sequence[str]


@dataclass(frozen=True)
class Entry:
    """A registered object. ``origin`` is ``kc``, ``xdsl`` or the name of a plugin."""

    name: str
    path: str
    family: str
    origin: str = "kc"
    summary: str = ""
    main_option: str = ""
    """For a pass: the option that takes a value given without a name."""

    def load(self) -> Any:
        """Import the object of the entry."""
        return _import(self.path) if self.origin == "kc" else plugins.load(self.path, self._what())

    def call(self) -> Any:
        """Call the function of the entry and return its result."""
        return self.load()() if self.origin == "kc" else plugins.call(self.path, self._what())

    def _what(self) -> str:
        return f"'{self.name}' of {self.origin}"


def _import(path: str) -> Any:
    import importlib

    module, _, attribute = path.partition(":")
    return getattr(importlib.import_module(module), attribute)


class Registry:
    """The tables of kc's areas and of plugins."""

    def __init__(self) -> None:
        self.dialects: dict[str, Entry] = {}
        self.passes: dict[str, Entry] = {}
        self.queries: dict[str, Entry] = {}
        self.formats: dict[str, Entry] = {}
        self.rules: dict[str, Entry] = {}
        self.patterns: dict[str, list[Entry]] = {}
        self.targets: list[Entry] = []
        self.backends: dict[str, Entry] = {}
        self.loaders: dict[str, Entry] = {}
        self.importers: dict[str, Entry] = {}
        self.operator_families: dict[str, Entry] = {}
        self.operator_lowerings: dict[str, Entry] = {}
        self.operator_gradients: dict[str, Entry] = {}
        self.views: dict[str, Entry] = {}
        self.builders: dict[str, Entry] = {}
        self.runners: dict[str, Entry] = {}
        self.hooks: dict[int, list[Hook]] = {phase: [] for phase in plugins.PHASES}
        self.plugins: list[Plugin] = []
        """The plugins of packages, without kc's own areas."""
        self._intrinsics: dict[str, Entry] = {}
        self._with_intrinsics: list[tuple[Plugin, str]] = []
        """The records, with their origins, whose intrinsics are not yet in the table."""
        for origin, area in _areas():
            self._fill(area, origin)

    @property
    def intrinsics(self) -> dict[str, Entry]:
        """The tensor intrinsics. The table is large, so it is made at its first use."""
        while self._with_intrinsics:
            plugin, origin = self._with_intrinsics.pop(0)
            paths = dict(plugin.intrinsics)
            for pattern, names in plugin.intrinsic_families.items():
                family = Entry(pattern, names, "names of intrinsics", origin)
                paths |= {name: pattern.format(name=name) for name in family.call()}
            self._extend(self._intrinsics, paths, "intrinsic", "intrinsic", plugin, origin)
        return self._intrinsics

    @property
    def primitives(self) -> dict[str, Entry]:
        """The schedule primitives."""
        return {name: entry for name, entry in self.passes.items() if entry.family == "schedule"}

    @property
    def steps(self) -> dict[str, Entry]:
        """The steps of schedules: queries, samplings and primitives."""
        return {**self.queries, **self.primitives}

    def copy(self) -> Registry:
        """A copy of the registry, to which entries may be added."""
        copied = Registry()
        for plugin in self.plugins:
            copied.add(plugin)
        return copied

    def add(self, plugin: Plugin) -> None:
        """Add a plugin. A name that is taken stays with its owner, with a warning (KC0034).

        So does that of a plugin. One that is there already, as it is installed, say, and named by
        ``--load-plugin``, is not added again.
        """
        first = next((there for there in self.plugins if there.name == plugin.name), None)
        if first is not None:
            if first != plugin:
                warn(
                    "KC0034",
                    f"there are two plugins '{plugin.name}', one of which was skipped",
                    facts=[
                        f"{used}: {', '.join(each.paths()[:3]) or 'nothing in it'}"
                        for used, each in (("used", first), ("left out", plugin))
                    ],
                    hints=["uninstall one of the packages, or give the plugins other names"],
                )
            return
        self.plugins.append(plugin)
        self._fill(plugin, plugin.name)
        if plugin.intrinsics:
            _ = self.intrinsics  # report a taken name now

    def _fill(self, plugin: Plugin, origin: str) -> None:
        """Add the entries of a record, with the name of its origin."""
        tables = (
            (self.dialects, plugin.dialects, "dialect", "dialect"),
            (self.passes, plugin.passes, "plugin", "pass"),
            *((self.passes, passes, family, "pass") for family, passes in plugin.families.items()),
            (self.passes, plugin.primitives, "schedule", "primitive"),
            (self.queries, plugin.queries, "query", "query"),
            (self.rules, plugin.rules, "rule", "rule"),
            (self.formats, plugin.formats, "format", "format"),
            (self.backends, plugin.backends, "backend", "backend of"),
            (self.loaders, plugin.loaders, "loader", "loader of files"),
            (self.importers, plugin.importers, "importer", "importer"),
            (self.operator_families, plugin.operator_families, "operators", "operators"),
            (self.views, plugin.views, "view", "view of"),
            (self.builders, plugin.builders, "builder", "builder of"),
            (self.runners, plugin.runners, "runner", "runner"),
            (
                self.operator_lowerings,
                plugin.operator_lowerings,
                "lowering",
                "lowering of operators",
            ),
            (
                self.operator_gradients,
                plugin.operator_gradients,
                "gradient",
                "gradients of operators",
            ),
        )
        for table, additions, family, noun in tables:
            self._extend(table, additions, family, noun, plugin, origin)
        if plugin.intrinsics or plugin.intrinsic_families:
            self._with_intrinsics.append((plugin, origin))
        for path in plugin.targets:
            self.targets.append(Entry(path, path, "target", origin))
        for name, paths in plugin.patterns.items():
            entries = self.patterns.setdefault(name, [])
            entries += [Entry(path, path, "pattern", origin) for path in paths]
        for phase, name, kinds in plugin.hooks:
            self.hooks[phase].append(Hook(name, kinds))

    @staticmethod
    def _extend(
        table: dict[str, Entry],
        additions: Mapping[str, str],
        family: str,
        noun: str,
        plugin: Plugin,
        origin: str,
    ) -> None:
        """Add the names of a record to a table, except names that are taken."""
        for name, path in additions.items():
            if name in table:
                warn(
                    "KC0034",
                    f"plugin '{plugin.name}': {noun} {name} was skipped, because the name is taken",
                    facts=[f"{name} of {table[name].origin}: {table[name].path}"],
                )
                continue
            summary, main_option = plugin.summaries.get(name, ""), plugin.main_options.get(name, "")
            table[name] = Entry(name, path, family, origin, summary, main_option)


@cache
def _areas() -> tuple[tuple[str, Plugin], ...]:
    """The records of kc's own areas, each with its origin."""
    areas: Mapping[str, Sequence[str]] = _import(AREAS)
    return tuple((origin, _import(path)) for origin, paths in areas.items() for path in paths)


@cache
def own() -> Registry:
    """The registry of kc itself, without plugins. It must not be changed."""
    return Registry()


@cache
def _installed() -> Registry:
    registry = Registry()
    for plugin in plugins.installed():
        registry.add(plugin)
    return registry


_CURRENT: ContextVar[Registry | None] = ContextVar("kc_registry", default=None)


def current() -> Registry:
    """The registry in use: with all installed plugins, unless :func:`using` sets another
    registry.
    """
    return _CURRENT.get() or _installed()


@contextlib.contextmanager
def using(registry: Registry) -> Iterator[None]:
    """Use ``registry`` in this context."""
    token = _CURRENT.set(registry)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def load_patterns(name: str) -> tuple[type[RewritePattern], ...]:
    """The classes of the patterns that plugins add to the rewrite ``name``."""
    return tuple(entry.load() for entry in current().patterns.get(name, ()))


def check_step(step: Any, fields: dict[str, Any], unsafe: bool) -> None:
    """Check the fields of an operation of ``sched``; raises a diagnostic."""
    _import(CHECK_OF_STEP)(step, fields, unsafe)


def find_pass(name: str) -> Entry:
    """The pass or primitive of this name, including xDSL's. KC0003, with the nearest names, if
    there is none.

    ``_`` may be written for ``-``, as in Python.
    """
    passes = current().passes
    dashed = name.replace("_", "-")
    if dashed in passes:
        return passes[dashed]
    if name in _xdsl_passes():
        return Entry(name, "", "xdsl", "xdsl")
    raise InputError(
        "KC0003",
        f"there is no pass '{name}'",
        hints=[*suggest(name, all_pass_names(), "the passes are"), "kc-opt --list-passes"],
    )


@cache
def _xdsl_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    from xdsl.transforms import get_all_passes

    return get_all_passes()


def is_pass(name: str) -> bool:
    """True if there is a pass or primitive of this name, including those of xDSL."""
    return name.replace("_", "-") in current().passes or name in _xdsl_passes()


def all_pass_names() -> list[str]:
    """Every pass and primitive: kc's first, then all of xDSL's (imports xDSL)."""
    return list(dict.fromkeys([*current().passes, *_xdsl_passes()]))


def pass_class(name: str) -> Any:
    """The class of a pass or primitive."""
    entry = find_pass(name)
    return entry.load() if entry.path else _xdsl_passes()[name]()


def get_pass(name: str, options: str | Options = "") -> ModulePass:
    """A pass that is ready to be applied, with ``options`` as in ``block=C factors=?,32``.

    ``func=NAME`` restricts any pass to one function of the module.
    """
    if isinstance(options, str):
        options = parse_options(name, options)
    entry, cls = find_pass(name), pass_class(name)
    only = options.get("func")
    if any(field.name == "func" for field in dataclasses.fields(cls)):
        only = None  # the pass may know the option
    if only is not None:
        options = options.without("func")
    if entry.family == "schedule":
        pass_ = _import(PASS_OF_PRIMITIVE)(cls, options)
    else:
        from kc.support.option_types import from_options

        pass_ = from_options(cls, options, name)
    if only is None:
        return pass_
    from kc.support.one_function import OneFunctionPass

    return OneFunctionPass(pass_, only.text)


def parse_options(name: str, text: str) -> Options:
    """Parse the options of a pass, as its flag takes them."""
    entry = current().passes.get(name.replace("_", "-"))
    main = entry.main_option if entry is not None else ""
    value, space, rest = text.partition(" ")
    if main and value and "=" not in value and not value.startswith(("'", '"')):
        text = f"{main}={quote(value)}{space}{rest}"
    return Options.parse(text, name)


def get_passes(specs: tuple[PassSpec, ...]) -> list[ModulePass]:
    """The passes of a parsed pipeline."""
    return [get_pass(spec.name, spec.options) for spec in specs]


def context(*, allow_unregistered: bool = False) -> Context:
    """An xDSL context with every dialect. Where xDSL and kc both have a dialect, it has kc's."""
    from xdsl.context import Context
    from xdsl.dialects import get_all_dialects

    factories: dict[str, Callable[[], Any]] = dict(get_all_dialects())
    for name, factory, _ in plugins.installed_dialects():
        factories.setdefault(name, factory)
    for name, entry in current().dialects.items():
        factories[name] = entry.load
    ctx = Context(allow_unregistered=allow_unregistered)
    for name, factory in factories.items():
        ctx.register_dialect(name, factory)
    return ctx


# Tables of kc alone, as plain text, under the names that they had as constants of this module.


def _by_module(entries: Mapping[str, Entry], level: int) -> dict[str, tuple[str, ...]]:
    """Names by the module that they lead to, or by the package the given number of levels above
    it.
    """
    table: dict[str, tuple[str, ...]] = {}
    for name, entry in entries.items():
        module = entry.path.partition(":")[0].split(".")
        key = ".".join(module[: len(module) - level])
        table[key] = (*table.get(key, ()), name)
    return table


def _own_passes() -> dict[str, tuple[str, tuple[str, ...]]]:
    """For each family, the module of its passes, with ``{stem}`` for their names, and the
    passes.
    """
    table: dict[str, tuple[str, tuple[str, ...]]] = {}
    for name, entry in own().passes.items():
        if entry.origin == "kc" and entry.family != "schedule":
            package, _, stem = entry.path.partition(":")[0].rpartition(".")
            stem = "{stem}" if stem == name.replace("-", "_") else stem
            module = f"{package}.{stem}"
            table[entry.family] = (module, (*table.get(entry.family, ("", ()))[1], name))
    return table


def _paths(entries: Mapping[str, Entry]) -> dict[str, str]:
    return {name: entry.path for name, entry in entries.items()}


_VIEWS: Mapping[str, Callable[[], Any]] = {
    "DIALECTS": lambda: _paths(own().dialects),
    "PRIMITIVES": lambda: {
        package.rpartition(".")[2]: flags
        for package, flags in _by_module(own().primitives, level=1).items()
    },
    "QUERIES": lambda: _by_module(own().queries, level=0),
    "PASSES": _own_passes,
    "MAIN_OPTIONS": lambda: {
        name: entry.main_option for name, entry in own().passes.items() if entry.main_option
    },
    "XDSL_PASSES": lambda: {
        name: (entry.path.removeprefix("xdsl.transforms."), entry.summary)
        for name, entry in own().passes.items()
        if entry.origin == "xdsl"
    },
    "FORMATS": lambda: _paths(own().formats),
    "BACKENDS": lambda: _paths(own().backends),
    "LOADERS": lambda: _paths(own().loaders),
    "INTRINSICS": lambda: {
        path: tuple(name for name, entry in own().intrinsics.items() if entry.path == path)
        for path in _paths(own().intrinsics).values()
    },
    "RULES": lambda: _paths(own().rules),
    "FAMILIES": lambda: _import("kc.areas:FAMILIES"),
}


def __getattr__(name: str) -> Any:
    if name in _VIEWS:
        return _VIEWS[name]()
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *_VIEWS])
