"""``kc cache``: list the entries of the compile cache with their contents, and remove entries."""

from __future__ import annotations

import time
from collections.abc import Sequence

from kc.building import compile_cache
from kc.building.compile_cache import Stored
from kc.support.diagnostics import InputError, suggest

COMMANDS = {
    "ls": "the entries, the most recently used first",
    "why": (
        "the inputs of the entry of a digest or function, and the differences to the previous entry"
    ),
    "rm": "remove the entries of digests or functions, or --all",
}


def cache(argv: Sequence[str]) -> str:
    """The output of ``kc cache ARGV``."""
    if not argv or argv[0] not in COMMANDS:
        subcommand = argv[0] if argv else ""
        raise InputError(
            "KC0001" if subcommand else "KC0002",
            f"cache: there is no command '{subcommand}'" if subcommand else "cache takes a command",
            hints=suggest(subcommand, COMMANDS, "the commands are"),
        )
    with compile_cache.on_by_default():
        return _answer(argv)


def _answer(argv: Sequence[str]) -> str:
    folder = compile_cache.directory()
    if folder is None:
        raise InputError(
            "KC5151",
            "the compile cache is off",
            hints=[f"set {compile_cache.VARIABLE} to a directory, such as ~/.cache/kc"],
        )
    command, *names = argv
    if command == "ls":
        if names:
            raise InputError("KC0002", f"cache ls takes no arguments: {' '.join(names)}")
        return _listing(compile_cache.entries(), str(folder))
    if not names:
        raise InputError("KC0002", f"cache {command} takes digests or names of functions")
    if command == "rm":
        return _removed(names)
    return "\n".join(_why(name) for name in names)


def _listing(stored: Sequence[Stored], folder: str) -> str:
    lines = [
        f"{entry.digest[:12]}  {entry.size / 1024:8.0f} KiB  {_age(entry.used):>8}  "
        f"{entry.key['functions']}  ({entry.key['target']})"
        for entry in stored
    ]
    total = sum(entry.size for entry in stored) / 1024
    return "\n".join([*lines, f"{len(stored)} entries, {total:.0f} KiB in {folder}", ""])


def _age(when: float) -> str:
    seconds = max(0.0, time.time() - when)
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def _named(name: str) -> list[Stored]:
    """The entries whose digest begins with a text, or that contain a function of this name; newest
    first.
    """
    every = compile_cache.entries()
    matching = [entry for entry in every if len(name) >= 4 and entry.digest.startswith(name)]
    matching = matching or [entry for entry in every if name in entry.key["functions"].split(", ")]
    if not matching:
        names = {function for entry in every for function in entry.key["functions"].split(", ")}
        raise InputError(
            "KC5151",
            f"the compile cache has no entry '{name}'",
            hints=suggest(name, sorted(names), "it has code of"),
        )
    return sorted(matching, key=lambda entry: -entry.created)


def _removed(names: Sequence[str]) -> str:
    stored = compile_cache.entries()
    if list(names) != ["--all"]:
        stored = list({entry.digest: entry for name in names for entry in _named(name)}.values())
    compile_cache.remove(stored)
    return f"removed {len(stored)} entries\n"


def _why(name: str) -> str:
    newest, *_ = matching = _named(name)
    lines = [f"{newest.digest[:12]}  made {_age(newest.created)} ago"]
    lines += [f"  {part}: {value}" for part, value in newest.key.items()]
    rest = [entry for entry in compile_cache.entries() if entry.digest != newest.digest]
    same = [entry for entry in rest if entry.key["functions"] == newest.key["functions"]]
    older = [entry for entry in [*matching[1:], *same] if entry.created <= newest.created]
    if older:
        last = max(older, key=lambda entry: entry.created)
        lines.append(f"was not found as {last.digest[:12]}, made {_age(last.created)} ago, with")
        lines += [
            f"  {part}: {last.key.get(part)}"
            for part, value in newest.key.items()
            if last.key.get(part) != value
        ]
    return "\n".join([*lines, ""])
