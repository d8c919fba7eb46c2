"""The data files of targets: kinds, tags, and the CPUs of each architecture.

The file of a kind has ``kind``, ``keys``, ``device``, optional ``architectures``, a table
``attributes`` (name to type), and optional tables ``tags``, ``limits``, ``models`` (the values of
``-arch``, with the limits that differ) and ``scopes`` (a memory scope to the reason why it cannot
be used, empty if it can). Optional lists are ``converts``, the narrow floats that the target
converts from and to f32, and ``math_functions``, the operations of the dialect math that kernels
may leave to the target. ``takes_vectors = true`` permits loops that use vectors as values
(``choose-vector-form``). Missing entries are inherited from the kind ``base``, if there is one.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from kc.support.diagnostics import suggest, warn
from kc.support.registry import Entry, current, own

_HERE = Path(__file__).parent / "targets"
_TYPES = ("str", "int", "bool", "list")


class Kind(str):
    """A target kind: its name and the contents of its data file."""

    def __new__(cls, data: Mapping[str, Any]) -> Kind:
        return super().__new__(cls, data["kind"])

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.default_keys: tuple[str, ...] = tuple(data.get("keys", ()))
        self.device: str = data.get("device", data["kind"])
        self.architectures: tuple[str, ...] = tuple(data.get("architectures", ()))
        self.attributes: Mapping[str, str] = data.get("attributes", {})
        self.limits: Mapping[str, Any] = data.get("limits", {})
        self.models: Mapping[str, Mapping[str, Any]] = data.get("models", {})
        self.tags: Mapping[str, str] = data.get("tags", {})
        self.converts: frozenset[str] = frozenset(data.get("converts", ()))
        self.math_functions: frozenset[str] = frozenset(data.get("math_functions", ()))
        self.takes_vectors: bool = data.get("takes_vectors", False)
        self.scopes: Mapping[str, str] = data.get("scopes", {"global": ""})

    def __reduce__(self) -> tuple[Any, ...]:
        return _kind_named, (str(self),)

    @property
    def name(self) -> str:
        """The kind's name."""
        return str(self)


def _kind_named(name: str) -> Kind:
    return kinds()[name]


@dataclass(frozen=True)
class Architecture:
    """A CPU architecture. ``cpus`` maps each CPU to the width of its vectors in bits."""

    name: str
    triple: str
    machines: tuple[str, ...]
    baseline: str
    vector_bits: int
    cpus: Mapping[str, int]
    features: frozenset[str]
    vector_features: Mapping[str, int]
    withheld: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    caches: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    cpu_features: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """For features that kc depends on, the CPUs that have them."""
    pointer_bits: int = 64
    """The width of an address, and of C's ``size_t``."""
    vector_registers: Mapping[str, int] = field(default_factory=dict)
    """The number of vector registers by the width of vectors in bits; ``default`` for other
    widths."""

    def vector_registers_of(self, bits: int) -> int:
        """The number of vector registers of ``bits`` bits."""
        return self.vector_registers.get(str(bits), self.vector_registers.get("default", 16))

    def vector_bits_of(self, cpu: str, features: Iterable[str]) -> int:
        """The vector width of a CPU with ``+`` and ``-`` features applied, in order."""
        bits = self.cpus.get(cpu, self.vector_bits)
        for feature in features:
            width = self.vector_features.get(feature[1:])
            if width is not None and feature[0] == "+":
                bits = max(bits, width)
            elif width is not None and bits >= width:
                narrower = [
                    feature_bits
                    for feature_bits in self.vector_features.values()
                    if feature_bits < width
                ]
                bits = max(narrower, default=0)
        return bits

    def caches_of(self, cpu: str) -> tuple[int, int, int]:
        """Bytes of L1 data, L2 and L3 cache."""
        return self.caches.get(cpu, self.caches["default"])


@functools.cache
def architecture(name: str) -> Architecture:
    """The architecture of this name, from its data file."""
    data = read_data(name)
    return Architecture(
        name=name,
        triple=data["triple"],
        machines=tuple(data["machines"]),
        baseline=data["baseline"],
        vector_bits=data["vector_bits"],
        cpus={cpu: int(bits) for bits, cpus in data["cpus"].items() for cpu in cpus},
        features=frozenset(data["features"]["names"]),
        vector_features=data["vector_features"],
        withheld={int(bits): tuple(names) for bits, names in data.get("withheld", {}).items()},
        caches={cpu: tuple(sizes) for cpu, sizes in data["caches"].items()},
        cpu_features={name: frozenset(cpus) for name, cpus in data.get("cpu_features", {}).items()},
        pointer_bits=data.get("pointer_bits", 64),
        vector_registers=data.get("vector_registers", {}),
    )


def kinds() -> Mapping[str, Kind]:
    """Every target kind by name, those of plugins included."""
    kinds_by_name = dict(_own_kinds())
    for entry in current().targets:
        kind = _plugin_kind(entry) if entry.origin != "kc" else None
        if kind is not None and kind not in kinds_by_name:
            kinds_by_name[kind] = kind
    return kinds_by_name


def tags() -> Mapping[str, str]:
    """The text of each tag."""
    return {tag: text for kind in kinds().values() for tag, text in kind.tags.items()}


@functools.cache
def _own_kinds() -> Mapping[str, Kind]:
    files = [_read_own(entry.path) for entry in own().targets]
    named = {data["kind"]: data for data in files}
    return {
        name: Kind({**named.get(data.get("base", ""), {}), **data}) for name, data in named.items()
    }


def _read_own(path: str) -> Mapping[str, Any]:
    package, _, file = path.partition(":")
    return _read(resources.files(package).joinpath(file))


_KEYS = (
    *("kind", "keys", "device", "attributes", "limits", "scopes", "architectures", "models"),
    *("tags", "converts", "math_functions", "takes_vectors", "base"),
)
"""The keys that a data file may have."""


@functools.cache
def _plugin_kind(entry: Entry) -> Kind | None:
    """The kind in a plugin's data file. A broken file causes a warning that names the plugin."""
    package, _, file = entry.path.partition(":")
    try:
        data = _read(resources.files(package).joinpath(file))
        unknown = [key for key in data if key not in _KEYS]
        if unknown:
            hints = suggest(unknown[0], _KEYS, "there are")
            raise TypeError(f"there is no '{unknown[0]}' in such a file; {hints[0]}")
        if "kind" not in data:
            raise TypeError('its kind is missing: kind = "NAME"')
        wrong = {*data.get("attributes", {}).values()} - {*_TYPES}
        if wrong:
            raise TypeError(f"attributes are of type {', '.join(_TYPES)}, not {min(wrong)}")
        return Kind(data)
    except Exception as error:
        # The file belongs to a plugin, so every error in it is reported as an error of the plugin.
        warn(
            "KC6009",
            f"target file {entry.path} of plugin '{entry.origin}' is ignored",
            facts=[f"{type(error).__name__}: {error}"],
        )
        return None


def read_data(name: str) -> dict[str, Any]:
    """The data file ``kc/support/targets/NAME.toml``."""
    return _read(_HERE / f"{name}.toml")


def _read(file: Any) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(file.read_text(encoding="utf-8"))
