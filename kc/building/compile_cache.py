"""The compile cache: machine code on disk, for repeated builds.

The cache is on if ``KC_CACHE_DIR`` names a directory. Builds of graphs use it where the variable is
not set, too: in ``kc`` in the user's folder of caches (``XDG_CACHE_HOME``, ``~/.cache``). ``none``
turns it off.

The key of an entry covers everything that the code depends on: the scheduled loops with their
locations, the target and the CPU, the passes, the versions of kc and its dependencies, the state of
kc's own source files, and the plugins with the state of theirs. Builds with other dependencies
(instruments, passes of the program) bypass the cache, and so do all builds of a process whose kc,
or one of whose plugins, was edited after the process started.

Entries are written atomically and verified when they are read, so that any number of processes can
share a directory. The least recently used entries are removed when the size exceeds
``KC_CACHE_SIZE`` (MiB, 512 by default).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from kc.support import environment, registry
from kc.support.diagnostics import warn
from kc.support.plugins import Plugin

VARIABLE, SIZE_VARIABLE = "KC_CACHE_DIR", "KC_CACHE_SIZE"
HOME_VARIABLE = "XDG_CACHE_HOME"
OFF = "none"
"""The value of the variable for no cache."""
SUFFIX = ".kc"
_MAGIC = b"kc-cache-1\n"
_TEMPORARY = ".tmp"
_ABANDONED = 3600
"""The age in seconds at which a temporary file is considered abandoned: its writer has ended."""
_MIB = 1 << 20

Key = Mapping[str, str]
"""The inputs of the code, by name; long texts as their digests."""


@dataclass(frozen=True)
class Entry:
    """The stored parts of a build: LLVM IR, the names that the object defines, the object."""

    text: str
    exports: Sequence[str]
    object: bytes


@dataclass(frozen=True)
class Stored:
    """An entry as ``kc cache ls`` shows it."""

    digest: str
    path: Path
    key: Key
    size: int
    used: float
    """The time of the last read or write, in seconds since the epoch."""
    created: float
    content: Entry | None = field(default=None, repr=False)


_on_by_default: ContextVar[bool] = ContextVar("kc_cache_on_by_default", default=False)


@contextlib.contextmanager
def on_by_default() -> Iterator[None]:
    """Use the cache in this context, also where the variable is not set."""
    token = _on_by_default.set(True)
    try:
        yield
    finally:
        _on_by_default.reset(token)


def default_directory() -> Path | None:
    """The directory that is used where the variable is not set; None if the user has no home."""
    home = environment.read(HOME_VARIABLE)
    try:
        return (Path(home) if home else Path.home() / ".cache") / "kc"
    except RuntimeError:
        return None


def directory() -> Path | None:
    """The directory in use, None where the cache is off."""
    setting = environment.read(VARIABLE)
    if setting == OFF:
        return None
    if not setting:
        return default_directory() if _on_by_default.get() else None
    try:
        return Path(setting).expanduser()
    except RuntimeError as error:  # the home folder of an unknown user (~name)
        _warn(setting, str(error))
        return None


def key_of(
    loops: Any, signatures: Sequence[Any], target: Any, machine: Any, passes: str | None
) -> Key | None:
    """The key of a build: everything that its code depends on. None if it must not be cached.

    ``passes`` are the passes of the pass context; None if they are code of the program.
    """
    from kc.support.ir_text import print_module

    if directory() is None or passes is None:
        return None
    names = [signature.name for signature in signatures]
    return key_of_text(print_module(loops, locations=True), names, target, machine, passes)


def key_of_text(
    text: str, names: Sequence[str], target: Any, machine: Any, passes: str | None
) -> Key | None:
    """The key of a build of what a text says. None if it must not be cached, as in :func:`key_of`.

    ``names`` are those of the functions.
    """
    from kc.support.reproducer import versions

    if directory() is None or passes is None:
        return None
    sources = source_state()
    added = [plugin_state(plugin) for plugin in registry.current().plugins]
    if sources is None or None in added:
        return None
    return {
        "functions": ", ".join(names),
        "ir": hashlib.sha256(text.encode()).hexdigest(),
        "target": str(target),
        "cpu": f"{machine.triple} {machine.cpu} {machine.features}",
        "passes": passes,
        "versions": versions(),
        "sources": sources,
        **({"plugins": ", ".join(map(str, added))} if added else {}),
    }


_PACKAGES = (
    "kc",
    "kc.dialects",
    "kc.analysis",
    "kc.transforms",
    "kc.conversion",
    "kc.codegen",
    "kc.tools",
)
_ENDINGS = (".py", ".toml", ".txt", ".mlir", ".ll")


@cache
def source_state() -> str | None:
    """A digest of kc's source files as they are; None if one is younger than this process's kc."""
    from importlib import import_module

    folders = dict.fromkeys(import_module(package).__path__[0] for package in _PACKAGES)
    return _state(file for folder in folders for file in _files(folder))


def plugin_state(plugin: Plugin) -> str | None:
    """A plugin as text, with its version and a digest of the source files of its packages.

    None if its files are unknown, or if one of them is newer than the start of this process.
    """
    from importlib.util import find_spec

    names = sorted({path.partition(":")[0].partition(".")[0] for path in plugin.paths()})
    files: list[tuple[str, os.stat_result]] = []
    for name in names:
        try:
            spec = find_spec(name)
        except (ImportError, ValueError):
            return None
        if spec is None or (spec.origin is None and not spec.submodule_search_locations):
            return None
        for folder in spec.submodule_search_locations or ():
            files += _files(folder)
        if not spec.submodule_search_locations and spec.origin is not None:
            if not os.path.isfile(spec.origin):
                return None
            files.append((spec.origin, os.stat(spec.origin)))
    state = _state(files)
    return None if state is None else f"{plugin} {_versions(names)} {state}"


def _versions(packages: Sequence[str]) -> str:
    """The versions of the distributions that contain the packages."""
    from importlib.metadata import packages_distributions, version

    distributions = packages_distributions()
    names = sorted({name for package in packages for name in distributions.get(package, ())})
    return " ".join(f"{name}-{version(name)}" for name in names)


def _state(files: Iterable[tuple[str, os.stat_result]]) -> str | None:
    import kc

    digest = hashlib.sha256()
    for path, about in files:
        if about.st_ctime_ns >= kc._imported_at or about.st_mtime_ns >= kc._imported_at:
            return None
        digest.update(f"{path} {about.st_size} {about.st_mtime_ns} {about.st_ctime_ns}\n".encode())
    return digest.hexdigest()


def _files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _files(entry.path)
        elif entry.name.endswith(_ENDINGS):
            yield entry.path, entry.stat()


def digest_of(key: Key) -> str:
    """The file name of the entry for a key."""
    return hashlib.sha256(json.dumps(dict(key), sort_keys=True).encode()).hexdigest()[:32]


def read(key: Key) -> Entry | None:
    """The entry of a key; None where there is none, or a damaged one, which is removed."""
    folder = directory()
    if folder is None or not _usable(folder):
        return None
    path = folder / (digest_of(key) + SUFFIX)
    stored = _load(path)
    if stored is None or stored.key != dict(key):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # another process may have removed it, which does no harm
    return stored.content


def write(key: Key, entry: Entry) -> None:
    """Store an entry. If the directory is not writable, warn (KC5150)."""
    folder = directory()
    if folder is None or not _usable(folder):
        return
    text = entry.text.encode()
    head = {
        "key": dict(key),
        "created": time.time(),
        "exports": list(entry.exports),
        "text": len(text),
        "sha256": hashlib.sha256(text + entry.object).hexdigest(),
    }
    data = b"".join([_MAGIC, json.dumps(head).encode(), b"\n", text, entry.object])
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".", suffix=_TEMPORARY)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            os.replace(temporary, folder / (digest_of(key) + SUFFIX))
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
        _prune(folder)
    except OSError as error:
        _warn(folder, error.strerror or str(error))


@cache
def _usable(folder: Path) -> bool:
    """True if the directory can be trusted: its content is executed, so the user must own it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError as error:
        _warn(folder, error.strerror or str(error))
        return False
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        _warn(folder, "it belongs to another user, whose code would be run")
        return False
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        _warn(folder, "other users can write to it, whose code would be run")
        return False
    return True


@cache
def _warn(folder: Path | str, reason: str) -> None:
    if not environment.read(VARIABLE):
        return  # nobody asked for the default directory
    warn(
        "KC5150",
        f"the compile cache {folder} is not used: {reason}",
        hints=[f"{VARIABLE} names a directory that is yours alone, or unset it"],
    )


def _limit() -> int:
    setting = environment.read(SIZE_VARIABLE)
    return (int(setting) if setting.isdecimal() else 512) * _MIB


def _prune(folder: Path) -> None:
    """Remove the least recently used entries until the rest is within the limit, and temporary
    files of processes that ended while writing.
    """
    files: list[tuple[float, int, str]] = []
    for entry in os.scandir(folder):
        if entry.name.endswith((SUFFIX, _TEMPORARY)):
            with contextlib.suppress(FileNotFoundError):
                about = entry.stat()
                if entry.name.endswith(_TEMPORARY) and about.st_mtime < time.time() - _ABANDONED:
                    os.unlink(entry.path)
                    continue
                files.append((about.st_mtime, about.st_size, entry.path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= _limit():
            return
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        total -= size


def _load(path: Path) -> Stored | None:
    """The entry in a file. None if the file is missing or damaged; a damaged file is removed."""
    try:
        about = path.lstat()
        is_file = stat.S_ISREG(about.st_mode)
        data = path.read_bytes() if is_file else b""  # pipes and devices may have no end
    except OSError:
        return None
    try:
        magic, line, rest = data.split(b"\n", 2)
        head = json.loads(line)
        length = head["text"]
        content = Entry(rest[:length].decode(), head["exports"], rest[length:])
        if magic + b"\n" != _MAGIC or hashlib.sha256(rest).hexdigest() != head["sha256"]:
            raise ValueError("the content is not what was written")
        return Stored(
            path.stem, path, head["key"], len(data), about.st_mtime, head["created"], content
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        with contextlib.suppress(OSError):
            path.unlink()
        return None


def entries() -> list[Stored]:
    """All entries, the most recently used first."""
    folder = directory()
    if folder is None or not folder.is_dir():
        return []
    stored = [_load(path) for path in folder.glob(f"*{SUFFIX}")]
    return sorted((entry for entry in stored if entry is not None), key=lambda entry: -entry.used)


def remove(stored: Sequence[Stored]) -> None:
    """Remove entries; an entry that is already gone is no error."""
    for entry in stored:
        entry.path.unlink(missing_ok=True)
