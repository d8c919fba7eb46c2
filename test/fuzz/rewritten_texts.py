"""Programs that passes of ``mlir-opt`` rewrote, in one of the syntaxes that it prints.

kc reads and builds what MLIR's own passes make of programs (fused, tiled, unrolled, vectorized,
bufferized), and each must give what Python and numpy computed for the program as it was drawn.

``make fuzz-rewritten SEED=1 COUNT=500``
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random

sys.path[:0] = [str(path) for path in (Path(__file__).parents[1], Path(__file__).parent)]

from families import Fixed  # noqa: E402
from optional_tools import find  # noqa: E402
from raised import REFUSALS  # noqa: E402
from raised_loops import Loops  # noqa: E402
from upstream_lowering import apart, check, draw_program, report  # noqa: E402

import kc  # noqa: E402
from kc.support.diagnostics import KCError, diagnostic_handler  # noqa: E402

BUFFERIZE = (
    "one-shot-bufferize=bufferize-function-boundaries=1 allow-return-allocs-from-loops=1 "
    "function-boundary-type-conversion=identity-layout-map"
)

TENSOR_PASSES = (
    "linalg-generalize-named-ops",
    "linalg-fuse-elementwise-ops",
    "convert-elementwise-to-linalg",
    "linalg-fold-unit-extent-dims",
    "linalg-inline-scalar-operands",
    "linalg-specialize-generic-ops",
    "linalg-morph-ops=named-to-category",
    "linalg-detensorize",
    "linalg-fold-into-elementwise",
    "fold-tensor-subset-ops",
    "convert-tensor-to-linalg",
    "empty-tensor-to-alloc-tensor",
    "eliminate-empty-tensors",
    "resolve-ranked-shaped-type-result-dims",
    "resolve-shaped-type-result-dims",
    "reify-result-shapes",
    BUFFERIZE,
)

LOOP_PASSES = (
    "affine-loop-fusion",
    "affine-loop-tile=tile-size=3",
    "affine-scalrep",
    "affine-loop-invariant-code-motion",
    "affine-loop-normalize",
    "affine-parallelize",
    "affine-simplify-structures",
    "affine-simplify-min-max",
    "affine-loop-unroll=unroll-factor=2",
    "affine-loop-unroll-jam=unroll-jam-factor=2",
    "affine-loop-coalescing",
    "affine-raise-from-memref",
    "affine-expand-index-ops",
    "affine-expand-index-ops-as-affine",
    "affine-super-vectorize=virtual-vector-size=4",
    "lower-affine",
    "scf-for-loop-canonicalization",
    "scf-for-loop-peeling",
    "scf-for-loop-range-folding",
    "scf-for-loop-specialization",
    "scf-for-to-while",
    "scf-parallel-loop-fusion",
    "scf-parallel-loop-tiling=parallel-loop-tile-sizes=2",
    "scf-parallel-loop-specialization",
    "scf-forall-to-for",
    "scf-forall-to-parallel",
    "loop-invariant-code-motion",
    "loop-invariant-subset-hoisting",
    "control-flow-sink",
    "convert-linalg-to-affine-loops",
    "convert-linalg-to-loops",
    "convert-linalg-to-parallel-loops",
    "fold-memref-alias-ops",
    "expand-strided-metadata",
    "normalize-memrefs",
    "memref-expand",
    "buffer-hoisting",
    "buffer-loop-hoisting",
    "promote-buffers-to-stack",
    "buffer-results-to-out-params",
    "convert-vector-to-scf",
    "lower-vector-mask",
    "lower-vector-multi-reduction",
    "convert-scf-to-cf",
    "lift-cf-to-scf",
    "arith-expand",
    "arith-emulate-wide-int=widest-int-supported=32",
    "arith-int-range-narrowing=int-bitwidths-supported=32,64",
    "arith-unsigned-when-equivalent",
    "int-range-optimizations",
    "math-uplift-to-fma",
    "inline",
    "mem2reg",
    "sroa",
    "expand-realloc",
)

GENERAL_PASSES = ("canonicalize", "cse", "symbol-dce", "sccp")

SYNTAXES = (
    (),
    ("--mlir-print-op-generic",),
    ("--mlir-print-debuginfo",),
    ("--mlir-print-debuginfo", "--mlir-print-op-generic"),
    ("--mlir-print-debuginfo", "--mlir-print-local-scope"),
    ("--mlir-print-debuginfo", "--mlir-use-nameloc-as-prefix"),
    ("--mlir-print-assume-verified",),
    ("--mlir-print-unique-ssa-ids",),
)

BATCH = 8
"""Programs that are rewritten alike, by one run of ``mlir-opt``."""


def draw_flags(random: Random) -> list[str]:
    """Up to four passes and a syntax, as flags of ``mlir-opt``."""
    kinds = (TENSOR_PASSES, LOOP_PASSES, LOOP_PASSES, GENERAL_PASSES)
    count = random.choice((0, 1, 1, 2, 3, 4))
    passes = [f"--{random.choice(random.choice(kinds))}" for _ in range(count)]
    return [*passes, *random.choice(SYNTAXES)]


def rewritten(texts: Sequence[str], flags: Sequence[str]) -> list[str]:
    """The output of ``mlir-opt`` for each text, empty if a pass refuses it."""
    opt = find("mlir-opt")
    assert opt is not None
    marker = "// -----"
    done = subprocess.run(
        [opt, *flags, "--split-input-file", f"--output-split-marker={marker}"],
        input=f"{marker}\n".join(texts),
        capture_output=True,
        text=True,
    )
    printed = re.split(rf"^{marker}\n", done.stdout, flags=re.MULTILINE)
    if len(printed) == len(texts):
        return [text if "func.func" in text else "" for text in printed]
    if len(texts) == 1:
        return [""]  # it ended before
    middle = len(texts) // 2
    return rewritten(texts[:middle], flags) + rewritten(texts[middle:], flags)


def compare(program: Loops, text: str, level: int, *, overwrites: bool = False) -> str:
    """Read, build and call what became of a program: what was done. Raises an error of kc where
    the text is not read, AssertionError where a result is not what is expected.

    ``overwrites``: arguments were tensors, and bufferization may write results in their place.
    """
    with diagnostic_handler(lambda _: None):
        module = kc.IRModule.parse(text)
        try:
            with kc.transform.PassContext(opt_level=level):
                kernel = kc.build(module)["main"]
        except KCError as refusal:
            # Buffers that a function makes and returns: bufferized results of unknown size.
            assert refusal.code in (*REFUSALS, "KC4004"), refusal
            return f"refused: {str(refusal).splitlines()[0]}"
    drawn = Fixed(module, program.given, program.expected)
    arrays = drawn.arrays()
    kernel(*arrays)
    (partial(check, program) if overwrites else drawn.check)(arrays)
    return "equal"


def compare_all(programs: Sequence[Loops], seed: int) -> Counter[str]:
    """Rewrite programs by random passes, and compare each."""
    random = Random(f"rewritten {seed}")
    ways: Counter[str] = Counter()
    flags = draw_flags(random)
    texts = rewritten([program.text for program in programs], flags)
    for program, text in zip(programs, texts, strict=True):
        level = random.choice((0, 0, 1, 3))
        if not text:
            ways["not rewritten by MLIR"] += 1
            continue
        try:
            ways[compare(program, text, level, overwrites=f"--{BUFFERIZE}" in flags)] += 1
        except Exception as error:
            error.add_note(f"of mlir-opt {' '.join(flags)}, at level {level}:\n{text}")
            report(ways, program, error)
    return ways


def main(seed: int, count: int) -> int:
    """Compare rewritten programs with what is expected; the number of those that differ."""
    ways: Counter[str] = Counter()
    for first in range(seed, seed + count, BATCH):
        numbers = range(first, min(first + BATCH, seed + count))
        programs = [draw_program(n) for n in numbers]
        ways.update(apart(compare_all, programs, first))
        if first % (10 * BATCH) < BATCH or numbers[-1] + 1 == seed + count:
            done = ", ".join(f"{name} {number}" for name, number in ways.most_common())
            print(f"{numbers[-1] + 1 - seed} programs: {done}", flush=True)
    return ways["differ"]


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])) > 0)
