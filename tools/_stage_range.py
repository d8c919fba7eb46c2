"""``--compile-to``, ``--from`` and ``--to``: a part of a pipeline, by the names of its stages."""

from __future__ import annotations

from collections.abc import Sequence

from kc.support.diagnostics import InputError, suggest
from kc.support.options import Options, PassSpec
from kc.support.target import Target
from kc.tools._command_line import Arguments
from kc.transforms.pass_runner import Stage, make_stages

LEVELS = {
    "tir": "convert-te-to-tir",
    "loops": "lower-blocks",
    "gpu": "gpu-kernel-outlining",
    "scf": "convert-tir-to-scf",
    "nvvm": "convert-gpu-to-nvvm",
    "llvm": "convert-to-llvm",
}
"""The names of stages: blocks, loops, kernels, scf, and the last ones."""

_PIPELINES = {"cuda": "lower-to-nvvm", "c": "lower-to-c"}


def stages_of(arguments: Arguments, target: Target) -> list[Stage]:
    """The stages that the flags select.

    Raises InputError KC0002 for ``--compile-to`` together with ``--to``, and KC0024 for an unknown
    stage or an empty range.
    """
    specs: list[PassSpec] = list(arguments.passes)
    last = arguments.text("compile-to")
    if last is not None:
        if arguments.text("to") is not None:
            raise InputError("KC0002", "--compile-to and --to exclude each other")
        pipeline = _PIPELINES.get(target.kind, "lower-to-llvm")
        if all(spec.name != pipeline for spec in specs):
            specs.append(PassSpec(pipeline, Options()))
    stages = make_stages(specs)
    first = arguments.text("from")
    end = arguments.text("to") if last is None else last
    begin = _position("from", first, stages) if first is not None else 0
    stop = _position("compile-to" if last else "to", end, stages) if end is not None else None
    if stop is not None and stop < begin:
        raise InputError(
            "KC0024",
            f"the stage {stages[begin].name} (--from) comes after {stages[stop].name}",
            why="nothing would be left",
        )
    return stages[begin:] if stop is None else stages[begin : stop + 1]


def _position(flag: str, name: str, stages: Sequence[Stage]) -> int:
    """The position of the first stage of this name for ``--from``, else of the last one."""
    stage_name = LEVELS.get(name, name.replace("_", "-"))
    places = [n for n, stage in enumerate(stages) if stage.name == stage_name]
    if not places:
        names = list(dict.fromkeys(stage.name for stage in stages))
        raise InputError(
            "KC0024",
            f"--{flag}: the passes have no stage '{name}'",
            hints=suggest(name, [*names, *LEVELS], "the stages are") if names else ["give passes"],
        )
    return places[0] if flag == "from" else places[-1]
