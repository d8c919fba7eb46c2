"""The machine that runs this process: its CPU, caches and usable cores."""

from __future__ import annotations

import functools
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kc.support.environment import read
from kc.support.target_data import Architecture, architecture, kinds
from kc.support.tile_permission import FEATURE, tile_refusal

_CACHE_DIR = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS = {"K": 1024, "M": 1024**2, "G": 1024**3}


def host_attributes() -> dict[str, Any]:
    """Attributes of the target kind ``llvm`` that describe this machine."""
    return {**_cpu_attributes(), "num-cores": cores_of_loops()}


def cores_of_loops() -> int:
    """The number of cores for parallel loops: the usable cores, or ``KC_NUM_THREADS`` if that is
    less.
    """
    threads = read("KC_NUM_THREADS")
    limit = int(threads) if threads.isascii() and threads.isdigit() else 0
    return min(usable_cores(), limit or usable_cores())


def usable_cores() -> int:
    """The number of cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@functools.cache
def _cpu_attributes() -> dict[str, Any]:
    from llvmlite import binding

    arch = _host_architecture()
    attributes: dict[str, Any] = {"mtriple": binding.get_default_triple()}
    name = binding.get_host_cpu_name()
    if arch is not None and name in arch.cpus:
        attributes["mcpu"] = name
        missing = _withheld(arch, name, _usable(binding.get_host_cpu_features()))
        if missing:
            attributes["mattr"] = missing
    for level, size in cache_sizes(_CACHE_DIR).items():
        attributes[f"l{level}-cache"] = size
    return attributes


def _host_architecture() -> Architecture | None:
    machine = platform.machine()
    every = [architecture(name) for name in kinds()["llvm"].architectures]
    return next((arch for arch in every if machine in arch.machines), None)


def _usable(features: Mapping[str, bool]) -> dict[str, bool]:
    """``features`` without those that the operating system withholds from this process."""
    tiles = [name for name, is_there in features.items() if name.startswith(FEATURE) and is_there]
    if not tiles or tile_refusal() is None:
        return dict(features)
    return {**features, **dict.fromkeys(tiles, False)}


def _withheld(arch: Architecture, cpu: str, features: Mapping[str, bool]) -> tuple[str, ...]:
    """Features that the CPU's name implies but this (virtual) machine lacks."""
    promised = [
        feature
        for feature in arch.withheld.get(arch.cpus[cpu], ())
        if feature not in arch.cpu_features or cpu in arch.cpu_features[feature]
    ]
    return tuple(f"-{feature}" for feature in promised if features.get(feature) is False)


def cache_sizes(directory: Path) -> dict[int, int]:
    """Bytes of the data caches by level, as Linux lists them in ``directory``."""
    sizes: dict[int, int] = {}
    for index in sorted(directory.glob("index*")):
        try:
            kind, level, size = (
                (index / name).read_text(encoding="ascii").strip()
                for name in ("type", "level", "size")
            )
        except OSError:
            continue  # the kernel hides what it does not know
        if kind != "Instruction" and size[-1:] in _UNITS and size[:-1].isdigit():
            sizes[int(level)] = int(size[:-1]) * _UNITS[size[-1]]
    return {level: size for level, size in sizes.items() if level in (1, 2, 3)}
