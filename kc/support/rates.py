"""Rates of processors: the operations that a core performs per cycle, by family of cores.

The numbers are data (``kc/support/targets/rates.toml``, which defines each field and gives its
source). A file of the user overrides them for the CPU on which it was measured; ``kc doctor
--measure`` writes it to :func:`user_file`.
"""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from kc.support import environment
from kc.support.diagnostics import warn
from kc.support.files import write_output
from kc.support.target import Target
from kc.support.target_data import read_data

VARIABLE, HOME_VARIABLE = "KC_RATES", "XDG_CONFIG_HOME"
_SHARED = "default"


@dataclass(frozen=True)
class Rates:
    """The operations of a core per cycle."""

    family: str
    """The name of the family of cores; ``default`` for a core of no family."""
    bits: int
    """The full width of a vector register."""
    pipes: float
    """Multiply-adds that start in a cycle with registers narrower than the full width."""
    fma_latency: float
    """The latency, in cycles, from the operands of a multiply-add to its result."""
    loads: float
    """Loads from L1 per cycle, in vectors of the full width."""
    stores: float
    """Stores to L1 per cycle, in vectors of the full width."""
    gather: float
    """32-bit elements per cycle that a gather loads."""
    shuffles: float
    """Permutations per cycle of 32-bit elements across a vector of the full width."""
    divisions: Mapping[str, float]
    """Divided elements per cycle, by type (f32, f64)."""
    bandwidths: tuple[float, float, float, float]
    """Bytes per cycle read from L1, L2, L3 and memory."""
    line: int
    """The size of a cache line in bytes."""
    ways: tuple[int, int, int]
    """The associativity of L1, L2 and L3."""
    parallel_start: float
    """The least work, in cycles, for which the use of other threads saves time."""
    products: Mapping[str, float] = field(default_factory=dict)
    """Multiply-adds per cycle by instruction (``fma.f32``, ``vpdpbusd``), with vectors of the full
    width.
    """


def rates_of(target: Target) -> Rates:
    """The rates of the target's core: the family of ``-mcpu``, else its architecture's default.

    Rates measured on this CPU (:func:`user_file`) replace the numbers of the data.
    """
    arch = target.architecture
    listed = _rates(arch.name if arch is not None else _SHARED, target.cpu)
    measured = dict(_measured(user_file()).get(target.cpu, {}))
    for name in ("products", "divisions"):
        measured[name] = {**getattr(listed, name), **measured.get(name, {})}
    return replace(listed, **measured)


def is_measured(target: Target) -> bool:
    """True if the user's file contains rates of this CPU."""
    return target.cpu in _measured(user_file())


@functools.cache
def _families() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    return read_data("rates")


@functools.cache
def _rates(architecture: str, cpu: str) -> Rates:
    families = _families().get(architecture, {})
    name = next((name for name, data in families.items() if cpu in data.get("cpus", ())), _SHARED)
    values = dict(_families()[_SHARED][_SHARED])
    for table in (families.get(_SHARED, {}), families.get(name, {})):
        values.update(table)
    values.pop("cpus", None)
    return Rates(family=name, **_frozen(values))


def _frozen(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
    }


# What was measured ----------------------------------------------------------------------------


def user_file() -> Path | None:
    """The path of the measured rates: ``KC_RATES``, else ``kc/rates.json`` in the user's
    configuration directory. None if ``KC_RATES`` is ``none`` or there is no such directory.
    """
    path = environment.read(VARIABLE)
    if path == "none":
        return None
    try:
        if path:
            return Path(path).expanduser()
        home = environment.read(HOME_VARIABLE) or Path.home() / ".config"
    except RuntimeError:  # no home
        return None
    return Path(home) / "kc" / "rates.json"


def keep(cpu: str, measured: Mapping[str, Any]) -> Path | None:
    """Write the ``measured`` fields of Rates for this CPU, beside those of other CPUs; the path of
    the file.

    Missing fields, products and types of divisions keep the numbers of the data. KC0022: the file
    cannot be written.
    """
    file = user_file()
    if file is None:
        return None
    saved = {name: _plain(values) for name, values in _measured(file).items()}
    with contextlib.suppress(OSError):  # write_output says what is wrong
        file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**saved, cpu: _plain(measured)}, indent=1)
    write_output(str(file), text + "\n")
    return file


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: dict(value) if isinstance(value, Mapping) else value for key, value in values.items()
    }


def _measured(file: Path | None) -> Mapping[str, Mapping[str, Any]]:
    """The measured fields by CPU. A broken file causes a warning and is ignored."""
    try:
        stamp = None if file is None else file.stat().st_mtime_ns
    except OSError:
        return {}
    return {} if file is None else _read_measured(file, stamp)


@functools.lru_cache(maxsize=4)
def _read_measured(file: Path, _: int | None) -> Mapping[str, Mapping[str, Any]]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        return {str(cpu): _checked(values) for cpu, values in data.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        warn(
            "KC6013",
            f"{file} is ignored: it does not contain valid rates",
            facts=[f"{type(error).__name__}: {error}"],
            hints=["kc doctor --measure", f"{VARIABLE}=none"],
        )
        return {}


def _checked(values: Mapping[str, Any]) -> dict[str, Any]:
    """The checked fields of one CPU. Raises ValueError for an unknown field or a value that is not
    a positive number.
    """
    shape = asdict(_rates(_SHARED, _SHARED))
    for name, value in values.items():
        if name not in shape or name == "family":
            names = ", ".join(field_.name for field_ in fields(Rates) if field_.name != "family")
            raise ValueError(f"there is no '{name}'; there are {names}")
        model = shape[name]
        if isinstance(model, dict):
            if not isinstance(value, Mapping):
                raise ValueError(f"{name} are numbers by name, not {value!r}")
            numbers = list(value.values())
        elif isinstance(model, tuple):
            if not isinstance(value, list) or len(value) != len(model):
                raise ValueError(f"{name} are a list of {len(model)} numbers, not {value!r}")
            numbers = value
        else:
            numbers = [value]
        for number in numbers:
            if isinstance(number, bool) or not isinstance(number, int | float) or number <= 0:
                raise ValueError(f"{name}: {number!r} is not a positive number")
    return _frozen(values)
