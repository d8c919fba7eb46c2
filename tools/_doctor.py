"""``kc doctor``: a report on the installation, as the first step if something does not work."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import kc
from kc.runtime.device import cpu, cuda
from kc.support import environment, registry
from kc.support.diagnostics import InputError
from kc.support.libdevice import LIBRARY, find_libdevice
from kc.support.target import Target
from kc.support.target_host import usable_cores

DEPENDENCIES = ("xdsl", "numpy", "llvmlite", "islpy", "pygments")
OPTIONAL_TOOLS = {
    "mlir-opt": "tests that compare with MLIR",
    "mlir-translate": "tests that compare with MLIR",
    "llc": "tests that compare with LLVM",
    "FileCheck": "faster tests",
}
_LLVM_FOLDERS = ("/usr/lib/llvm-22/bin", "/opt/homebrew/opt/llvm/bin")


def doctor(argv: Sequence[str] = ()) -> str:
    """The report as text. With ``--measure``, measure the rates of a core and save them. KC0002 for
    other arguments, KC0022 if the rates cannot be saved.
    """
    if list(argv) == ["--measure"]:
        return _blocks({"Rates": _measured()})
    if argv:
        raise InputError(
            "KC0002",
            f"doctor takes no arguments but --measure: {' '.join(argv)}",
        )
    sections = {
        "Versions": _versions(),
        "Host": _host(),
        "Devices": _devices(),
        "Plugins": _plugins(),
        "Environment": _environment(),
        "Optional tools": _tools(),
    }
    return _blocks(sections)


def _blocks(sections: Mapping[str, Iterator[tuple[str, str]]]) -> str:
    blocks = []
    for title, rows in sections.items():
        lines = [f"  {name:<16}{value}".rstrip() for name, value in rows]
        blocks.append("\n".join([f"{title}:", *lines]))
    return "\n\n".join(blocks) + "\n"


def _measured() -> Iterator[tuple[str, str]]:
    """Measure the rates of a core and save them for default schedules."""
    from kc.rate_probes import is_disturbed, measured_rates, tiles_refused
    from kc.support import rates

    host = Target.host_cpu()
    measured = measured_rates(host)
    for name, value in measured.items():
        if name == "products":
            yield from ((key, f"{number:g} multiply-adds") for key, number in value.items())
        elif isinstance(value, Mapping):
            yield from ((f"{name} {key}", f"{number:g}") for key, number in value.items())
        else:
            values = value if isinstance(value, tuple) else (value,)
            yield name, ", ".join(f"{number:g}" for number in values)
    refused = tiles_refused(host)
    if refused is not None:
        yield "tiles (AMX)", f"not measured: {refused}"
    if is_disturbed(measured):
        yield (
            "not kept",
            "fma_latency is impossible, probably because another program was running: try it again",
        )
        return
    if host.mcpu is None:
        yield "not kept", "kc's targets do not list this CPU"
        return
    file = rates.keep(host.mcpu, measured)
    if file is None:
        yield "not kept", f"{rates.VARIABLE} is none, or there is no folder for it"
    else:
        yield "kept", f"{file}, for -mcpu={host.mcpu}"


def _rates(host: Target) -> str:
    """The source of the rates of the core."""
    from kc.support import rates

    if rates.is_measured(host):
        return f"measured: {rates.user_file()}"
    return f"those of {rates.rates_of(host).family} cores; kc doctor --measure measures them"


def _versions() -> Iterator[tuple[str, str]]:
    from importlib.metadata import PackageNotFoundError, version

    yield "kc", f"{kc.__version__} ({Path(kc.__file__).parent})"
    yield "Python", f"{platform.python_version()} ({sys.executable})"
    for name in DEPENDENCIES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            yield name, "missing: pip install " + name


def _host() -> Iterator[tuple[str, str]]:
    yield "system", platform.platform()
    try:
        import llvmlite.binding
    except ImportError:
        yield "target", f"unknown without llvmlite; generic: {Target.generic()}"
        return
    host = Target.host_cpu()
    yield "LLVM", ".".join(map(str, llvmlite.binding.llvm_version_info))
    yield "target", str(host)
    yield "vectors", f"{host.vector_bits} bits" if host.vector_bits else "none"
    yield "rates", _rates(host)


def _devices() -> Iterator[tuple[str, str]]:
    yield str(cpu(0)), f"{usable_cores()} cores"
    from kc.runtime.gpu.driver import search, version_text

    seen = search()
    if seen.driver is None:
        for n, reason in enumerate(seen.tried):
            yield "" if n else "cuda", reason
        return
    served = f"CUDA {version_text(seen.driver.version())}, by {seen.driver.name}"
    for index in range(seen.driver.device_count()):
        device = cuda(index)
        version = (device.compute_version or "").replace(".", "")
        yield str(device), f"{device.device_name}, sm_{version}; {served}"


def _plugins() -> Iterator[tuple[str, str]]:
    added = registry.current().plugins
    for plugin in added:
        names = [
            *(f"dialect {dialect}" for dialect in plugin.dialects),
            *(f"--{pass_name}" for pass_name in (*plugin.primitives, *plugin.passes)),
            *(f"--{pass_name}" for passes in plugin.families.values() for pass_name in passes),
            *(f"--to={format_name}" for format_name in plugin.formats),
            *(f"target file {target}" for target in plugin.targets),
            *(f"backend {backend}" for backend in plugin.backends),
            *(f"files .{ending}" for ending in plugin.loaders),
            *(f"kc.{importer}" for importer in plugin.importers),
        ]
        yield plugin.name, ", ".join(names)
    if not added:
        yield "none", ""


def _environment() -> Iterator[tuple[str, str]]:
    for name, variable in environment.VARIABLES.items():
        value = environment.read(name)
        yield name, f"{value!r}" if value else f"not set ({variable.default})"


def _tools() -> Iterator[tuple[str, str]]:
    for tool, purpose in OPTIONAL_TOOLS.items():
        path = shutil.which(tool) or shutil.which(tool, path=os.pathsep.join(_LLVM_FOLDERS))
        yield tool, path or f"not found (used for {purpose})"
    library = find_libdevice()
    yield LIBRARY, str(library or f"not found (used for -libs={LIBRARY}; pip install nvidia-nvvm)")
