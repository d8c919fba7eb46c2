"""Rates of processors: how much a core does in a cycle, by family of cores.

The numbers are data (``kc/support/targets/rates.toml``, which says what each means and where it is
from). A file of the user's overrides them for the CPU that it was measured on: ``kc doctor
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
    """The operations of one core in a cycle."""

    family: str
    """The name of the family of cores, ``default`` for a core that is of none."""
    bits: int
    """The full width of a vector register."""
    pipes: float
    """Multiply-adds that start in a cycle with registers narrower than the full width."""
    fma_latency: float
    """Cycles from the operands of a multiply-add to its result."""
    loads: float
    """Vectors of the full width that are loaded from L1."""
    stores: float
    """Vectors of the full width that are stored to L1."""
    gather: float
    """32-bit elements that a gather loads."""
    shuffles: float
    """Permutations of 32-bit elements across a vector of the full width."""
    divisions: Mapping[str, float]
    """Elements that are divided, by type (f32, f64)."""
    bandwidths: tuple[float, float, float, float]
    """Bytes that are read from L1, L2, L3 and memory."""
    line: int
    """Bytes of a cache line."""
    ways: tuple[int, int, int]
    """The associativity of L1, L2 and L3."""
    parallel_start: float
    """Cycles of work below which handing it to other threads costs more than it saves."""
    products: Mapping[str, float] = field(default_factory=dict)
    """Multiply-adds by instruction (``fma.f32``, ``vpdpbusd``), with vectors of the full width."""


def rates_of(target: Target) -> Rates:
    """The rates of the target's core: the family of ``-mcpu``, else its architecture's default.

    What was measured on this CPU (:func:`user_file`) replaces the numbers of the data.
    """
    arch = target.architecture
    known = _rates(arch.name if arch is not None else _SHARED, target.cpu)
    measured = dict(_measured(user_file()).get(target.cpu, {}))
    for name in ("products", "divisions"):
        measured[name] = {**getattr(known, name), **measured.get(name, {})}
    return replace(known, **measured)


def is_measured(target: Target) -> bool:
    """True if the user's file has rates of this CPU."""
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
    return {key: tuple(it) if isinstance(it, list) else it for key, it in values.items()}


# What was measured ----------------------------------------------------------------------------


def user_file() -> Path | None:
    """Where measured rates are: ``KC_RATES``, else ``kc/rates.json`` in the user's folder of
    configurations. None where ``KC_RATES`` is ``none``, or there is no such folder."""
    given = environment.read(VARIABLE)
    if given == "none":
        return None
    try:
        if given:
            return Path(given).expanduser()
        home = environment.read(HOME_VARIABLE) or Path.home() / ".config"
    except RuntimeError:  # no home
        return None
    return Path(home) / "kc" / "rates.json"


def keep(cpu: str, measured: Mapping[str, Any]) -> Path | None:
    """Write the ``measured`` fields of Rates for this CPU, beside those of others; where to.

    Fields, products and types of divisions that are missing stay what the data say. KC0022:
    the file cannot be written.
    """
    file = user_file()
    if file is None:
        return None
    known = {name: _plain(values) for name, values in _measured(file).items()}
    with contextlib.suppress(OSError):  # write_output says what is wrong
        file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**known, cpu: _plain(measured)}, indent=1)
    write_output(str(file), text + "\n")
    return file


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: dict(it) if isinstance(it, Mapping) else it for key, it in values.items()}


def _measured(file: Path | None) -> Mapping[str, Mapping[str, Any]]:
    """The measured fields by CPU; a broken file is a warning and counts as none."""
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
            f"{file} is left out: it does not hold rates",
            facts=[f"{type(error).__name__}: {error}"],
            hints=["kc doctor --measure", f"{VARIABLE}=none"],
        )
        return {}


def _checked(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of one CPU. Raises ValueError for what is no field, or no positive number."""
    shape = asdict(_rates(_SHARED, _SHARED))
    for name, value in values.items():
        if name not in shape or name == "family":
            names = ", ".join(it.name for it in fields(Rates) if it.name != "family")
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
