"""Random settings of builds: the CPU and the passes.

The CPUs have only instructions that this CPU has too, so that their code runs here: without FMA,
with half the vectors, without masks. Passes that lowering can do without are left out, and passes
that a key of ``PassContext(config=...)`` requests run.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from llvmlite import binding

from kc.conversion.pipelines import OPTIONAL, TO_LLVM
from kc.transform import PassContext

CPUS = {
    "x86-64": ("sse2",),
    "nehalem": ("sse4.2", "popcnt"),
    "sandybridge": ("avx",),
    "haswell": ("avx2", "fma", "bmi2", "f16c"),
    "skylake-avx512": ("avx512f", "avx512vl", "avx512bw", "avx512dq", "avx512cd", "clwb"),
}
"""Names for LLVM, and what distinguishes each from the one before."""

OTHER_CPU = 0.4
LEFT_OUT = 0.2
ASKED_FOR = 0.1
"""The probability of another CPU, of a left-out pass, and of each of :data:`CONFIGS` in a build."""

CONFIGS: dict[str, tuple[Any, ...]] = {
    "tir.disable_vectorize": (True,),
    "tir.disable_storage_rewrite": (True,),
    "tir.UnrollLoop": ({"auto_max_step": 16}, {"auto_max_step": 8, "explicit_unroll": False}),
    "tir.LoopPartition": ({}, {"partition_const_loop": True}),
    "tir.HoistIfThenElse": ({}, {"support_block_scope_hosting": True}),
    "tir.HoistExpression": ({},),
}


@cache
def runnable_cpus() -> tuple[str, ...]:
    """The CPUs of :data:`CPUS` whose code this machine runs; none where it is no x86."""
    features = binding.get_host_cpu_features()
    names: list[str] = []
    for name, needed in CPUS.items():
        if not all(features.get(feature) for feature in needed):
            break
        names.append(name)
    return tuple(names)


def target_of(random: Random, options: str = "") -> str | None:
    """A target with ``options``; None is the host."""
    if not runnable_cpus() or random.random() >= OTHER_CPU:
        return f"llvm {options}" if options else None
    return f"llvm -mcpu={random.choice(runnable_cpus())} {options}".rstrip()


def context_of(random: Random) -> PassContext:
    """A context at a random level, sometimes without a pass or with more of them."""
    config = {
        key: random.choice(values) for key, values in CONFIGS.items() if random.random() < ASKED_FOR
    }
    optional = [name for name in OPTIONAL if name in TO_LLVM]
    left_out = [random.choice(optional)] if random.random() < LEFT_OUT else []
    level = random.choice((0, 1, 2, 2, 3))
    return PassContext(opt_level=level, disabled_pass=left_out, config=config)
