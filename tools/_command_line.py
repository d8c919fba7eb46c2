"""Command lines in mlir-opt's way: ``-x`` is ``--x``, passes are flags, and their order counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kc.support.diagnostics import InputError, nearest
from kc.support.options import PassSpec
from kc.support.registry import parse_options

_SWITCH = {"": True, "true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True)
class Flag:
    """A flag that is not a pass. ``value`` names its argument in the help; None for a switch.

    An ``optional`` flag may also be used as a switch. Its value then must follow ``=``.
    """

    name: str
    help: str
    value: str | None = None
    group: str = ""
    choices: tuple[str, ...] = ()
    optional: bool = False

    @property
    def shown(self) -> str:
        """The written form: ``--o=FILE``, ``--check[=REF,...]``."""
        is_letter = len(self.name) == 1
        text = f"-{self.name}" if is_letter else f"--{self.name}"
        if self.value is None:
            return text
        value = f"{' ' if is_letter else '='}{self.value}"
        return f"{text}[{value}]" if self.optional else text + value


@dataclass
class Arguments:
    """A parsed command line: files, passes in order, and flags by name (the last occurrence
    counts).
    """

    files: list[str] = field(default_factory=list)
    passes: list[PassSpec] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    switches: dict[str, bool] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)

    def on(self, name: str, default: bool = False) -> bool:
        """True if a switch is on."""
        return self.switches.get(name, default)

    def text(self, name: str) -> str | None:
        """The value of a flag; None if the flag is absent."""
        return self.texts.get(name)

    def file(self) -> str:
        """The only input: a path, or ``-``. KC0002 if there are several."""
        if len(self.files) > 1:
            arrays = [name for name in self.files if name.endswith((".npy", ".npz"))]
            raise InputError(
                "KC0002",
                f"there are {len(self.files)} inputs: {', '.join(self.files)}",
                hints=[f"arguments of the function are --args={','.join(arrays)}"]
                if arrays
                else [],
            )
        return self.files[0] if self.files else "-"


_TO_LLVM = ("lower-to-llvm", "convert-to-llvm")
_UPSTREAM = {
    **dict.fromkeys(
        (
            "convert-func-to-llvm", "convert-arith-to-llvm", "convert-cf-to-llvm",
            "convert-index-to-llvm", "convert-math-to-llvm", "convert-vector-to-llvm",
            "finalize-memref-to-llvm", "convert-memref-to-llvm", "expand-strided-metadata",
        ),
        _TO_LLVM,
    ),
    **dict.fromkeys(
        (
            "one-shot-bufferize", "linalg-bufferize", "convert-linalg-to-affine-loops",
            "convert-linalg-to-parallel-loops", "affine-loop-tile", "linalg-fuse-elementwise-ops",
        ),
        ("raise-to-tir",),
    ),
    "affine-loop-unroll": ("unroll",),
    "affine-super-vectorize": ("vectorize",),
    "affine-parallelize": ("parallel",),
    "gpu-lower-to-nvvm-pipeline": ("lower-to-nvvm",),
    "mlir-to-llvmir": ("to=llvmir",),
    **dict.fromkeys(("entry-point", "entry-point-name", "entry", "function", "func"), ("e",)),
    **dict.fromkeys(("input", "inputs"), ("args",)),
}  # fmt: skip
"""Flags of mlir-opt and mlir-translate, with their replacements in kc."""


def parse(
    argv: Sequence[str],
    flags: Sequence[Flag],
    *,
    is_pass: Callable[[str], bool] = lambda name: False,
    pass_names: Callable[[], Sequence[str]] = lambda: (),
) -> Arguments:
    """Read a command line.

    Raises InputError KC0001 (unknown flag), KC0002 (wrong use of a flag), and the errors of the
    options of passes.
    """
    flag_of = {flag.name: flag for flag in flags}
    result = Arguments()

    def is_flag(flag: str) -> bool:
        name = flag.partition("=")[0]
        return name in flag_of or is_pass(name)

    words = list(argv)
    while words:
        word = words.pop(0)
        if word == "--":
            result.files += words
            break
        if not word.startswith("-") or word == "-":
            result.files.append(word)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        flag = flag_of.get(name)
        if flag is None and is_pass(name):
            result.passes.append(PassSpec(name, parse_options(name, value)))
        elif flag is None:
            close = [f"{flag.name}={name}" for flag in flags if name in flag.choices]
            close = close or [flag for flag in _UPSTREAM.get(name, ()) if is_flag(flag)]
            close = close or nearest(name, [*flag_of, *pass_names()])
            hint = "did you mean " + " or ".join(f"'--{candidate}'" for candidate in close) + "?"
            raise InputError(
                "KC0001",
                f"there is no flag '{word.partition('=')[0]}'",
                hints=[hint] if close else ["--help lists the flags"],
            )
        elif flag.optional and not equals:
            result.switches[name] = True
        elif flag.value is None:
            if (equals and not value) or value not in _SWITCH:
                raise InputError("KC0002", f"--{name} takes true or false, not '{value}'")
            result.switches[name] = _SWITCH[value]
        else:
            if not equals:
                if not words or (words[0].startswith("-") and words[0] != "-"):
                    example = (
                        f"-{name} {flag.value}" if len(name) == 1 else f"--{name}={flag.value}"
                    )
                    raise InputError("KC0002", f"{example} needs its value")
                value = words.pop(0)
            if flag.choices and value not in flag.choices:
                raise InputError(
                    "KC0002",
                    f"--{name} takes {', '.join(flag.choices)}, not '{value}'",
                    hints=[
                        f"did you mean '{candidate}'?"
                        for candidate in nearest(value, flag.choices, 1)
                    ],
                )
            result.texts[name] = value
            result.lists.setdefault(name, []).append(value)
    return result


def early_values(argv: Sequence[str], name: str) -> list[str]:
    """The values of a flag that must be known before the other flags are parsed."""
    values: list[str] = []
    for n, word in enumerate(argv):
        if word == "--":
            break
        key, equals, value = word.lstrip("-").partition("=")
        if not word.startswith("-") or key != name:
            continue
        if equals:
            values.append(value)
        elif n + 1 < len(argv):
            values.append(argv[n + 1])
    return values
