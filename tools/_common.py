"""The flags that every command has."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from kc.support import plugins, registry
from kc.tools._command_line import Arguments, Flag, early_values

if TYPE_CHECKING:
    from kc.transform import PassContext

INPUT = "Input and output"
CHECKS = "Checking"
INFORMATION = "Information"

OUTPUT = Flag("o", "write the result to FILE, as a whole or not at all", "FILE", INPUT)
LOAD_PLUGIN = Flag("load-plugin", "use a plugin: a Python module, or a .py file", "MODULE", INPUT)
DIAGNOSTICS_FORMAT = Flag(
    "diagnostics-format",
    "text, or json: one object per line",
    "text|json",
    CHECKS,
    ("text", "json"),
)
CHECK_EACH = Flag(
    "check-each",
    "run the program before and after each step, and name the first that changes the result",
    None,
    CHECKS,
)
HELP = Flag("help", "this text", None, INFORMATION)
VERSION = Flag("version", "versions of kc and its dependencies", None, INFORMATION)


def target_flag(default: str) -> Flag:
    """The flag ``--target`` for a command with this default."""
    return Flag("target", f"the target to compile for (default: {default})", "TARGET", INPUT)


GENERIC_TARGET = target_flag("x86-64 with 256-bit vectors")


AUTO_SCHEDULE = Flag(
    "auto-schedule",
    "choose a schedule for loops, too (tir, affine, scf); false: choose none, not even for te, "
    "linalg or tosa",
    None,
    INPUT,
)


def default_schedules(arguments: Arguments) -> PassContext:
    """The context of ``--auto-schedule=false``, or one that changes nothing."""
    from kc.transform import PassContext

    chooses = arguments.on(AUTO_SCHEDULE.name, True)
    return PassContext(disabled_pass=[] if chooses else [AUTO_SCHEDULE.name])


def checking_each() -> AbstractContextManager[None]:
    """The context of ``--check-each``."""
    from kc.check_each import StepCheck
    from kc.support.pass_context import watching_steps

    return watching_steps(StepCheck())


def registry_for(argv: Sequence[str]) -> registry.Registry:
    """The registry with the plugins of ``--load-plugin``, on which other flags may depend."""
    plugin_names = early_values(argv, "load-plugin")
    if not plugin_names:
        return registry.current()
    extended = registry.current().copy()
    for where in plugin_names:
        for plugin in plugins.from_module(where):
            extended.add(plugin)
    return extended


def information(
    arguments: Arguments, usage: str, about: str, flags: Sequence[Flag], *, passes: bool = False
) -> str | None:
    """The text of ``--help`` or ``--version``; None without these flags."""
    if arguments.on("help"):
        from kc.tools._help import help_text

        return help_text(usage, about, flags, passes=passes)
    if arguments.on("version"):
        from kc.support.reproducer import versions

        return f"{versions()}\n"
    return None
