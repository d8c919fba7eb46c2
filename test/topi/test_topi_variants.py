"""Random calls of every operator: sizes, ranks, types and values that its example has not.

Each runs in the interpreter, which checks every access, and there gives what numpy does; machine
code with the default schedule, machine code of random legal schedules, and the same operator of
sizes that are known at the call give what the interpreter does.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest
from property_tests import is_in_slice, is_sweep
from topi_cases import CASES, EPSILON, TABLE, Case, Program, compare, wide
from topi_variants import Variant, drawn, symbolic

import kc
from kc import te, tir
from kc.support.diagnostics import diagnostic_handler

sys.path.append(str(Path(__file__).parents[1] / "fuzz"))
import schedules  # noqa: E402
from launching import iterations  # noqa: E402

for path in sorted(Path(__file__).parent.glob("cases_*.py")):
    importlib.import_module(path.stem)

VARIANTS = 4
"""Of each operator, in a sweep."""

MOST_ITERATIONS = 2_000_000
"""Of random schedules that run."""

WITHOUT_INPUTS = (
    "arange", "eye", "full", "nn.winograd_transform_matrices", "signal.blackman_window",
    "signal.hamming_window", "signal.hann_window", "signal.mel_weight_matrix",
)  # fmt: skip
"""The operators whose results depend on numbers alone; the cases have several."""

OF_ITS_SIZES = (
    "adv_index", "broadcast_to", "expand_dims", "nn.adaptive_pool", "nn.conv2d_NCHWc",
    "nn.conv2d_NCHWc_int8", "nn.depthwise_conv2d_NCHWc", "nn.mirror_pad", "nn.pad",
    "nn.depthwise_conv2d_backward_weight_nhwc", "strided_set", "tile", "vision.multibox_prior",
)  # fmt: skip
"""Operators whose references have sizes, or places in range, of the example in them."""

SLOW = ("random.", "vision.proposal", "nn.conv2d_winograd_nchw")
"""Whose statements the interpreter runs for seconds: they have one variant."""

BETWEEN = ("image.resize", "nn.upsampling")
"""Whose results between elements are cut to integers: just below a number, or at it."""

NARROW = ("nn.conv2d_winograd_nchw", "nn.conv2d_winograd_weight_transform", "nn.deformable_conv2d")
"""Whose steps are rounded in types of eight bits, beyond what counts of roundings say."""

OF_EXAMPLES: dict[str, Case] = {}
for given in CASES:
    if given.call == TABLE[given.name].example:
        OF_EXAMPLES.setdefault(given.name, given)

NAMES = sorted(name for name in TABLE if name not in WITHOUT_INPUTS)


def slice_of(share: int) -> list:
    """The names; all but one in ``share`` are of a sweep, and those that take seconds."""
    return [
        pytest.param(
            name,
            marks=()
            if is_in_slice(name, share) and not name.startswith(SLOW)
            else pytest.mark.sweep,
        )
        for name in NAMES
    ]


def numbers(name: str) -> range:
    return range(1 if name.startswith(SLOW) or not is_sweep() else VARIANTS)


def results(variant: Variant, number: int) -> tuple[Program, list[np.ndarray]]:
    program = variant.program(number)
    with np.errstate(all="ignore"):
        return program, program.interpreted()


def check_reference(variant: Variant, program: Program, given: Sequence[np.ndarray]) -> None:
    """Against the reference of the example's case, whose count of roundings grows as the sums."""
    case = OF_EXAMPLES.get(variant.name)
    if case is None or variant.name in OF_ITS_SIZES or variant.edges:
        return
    eighths = any(str(array.dtype).startswith("float8") for array in program.arrays)
    if eighths and variant.name.startswith(NARROW):
        return
    example = Variant(variant.name, case.call).program()
    elements = [sum(array.size for array in each.arrays) for each in (example, program)]
    roundings = 4 * case.roundings * max(1, elements[1] / max(1, elements[0]))
    with np.errstate(all="ignore"):
        expected = case.reference(*map(wide, program.arrays))
    wanted = list(expected) if isinstance(expected, list | tuple) else [expected]
    assert len(given) == len(wanted)
    for result, want in zip(given, wanted, strict=True):
        if variant.name.startswith(BETWEEN) and str(result.dtype) not in EPSILON:
            assert np.abs(result.astype("float64") - want).max(initial=0) <= 1, variant.call
            continue
        compare(result, want, roundings, variant.call)


def check_same(given: Sequence[np.ndarray], wanted: Sequence[np.ndarray], what: str) -> None:
    """Sums may have been added up in another order, and products contracted with them; special
    values are as they are."""
    for result, want in zip(given, wanted, strict=True):
        if what.startswith(BETWEEN) and "nearest" not in what and str(result.dtype) not in EPSILON:
            assert np.abs(result.astype("float64") - want).max(initial=0) <= 1, what
            continue
        compare(result, want, 64, what)


def scheduled(program: Program, random: Random) -> list[np.ndarray]:
    """Machine code of a random legal schedule; its arguments are laid out as they were."""
    with diagnostic_handler(lambda _: None):
        sch = tir.Schedule(te.create_prim_func(program.args))
        done = []
        for _ in range(10):
            line = schedules.draw(random, sch, threads=False)
            if line and "transform_layout" not in line and schedules.perform(sch, line):
                done.append(line)
                if iterations(sch.mod.op) > MOST_ITERATIONS:  # a factor may be any number
                    sch.undo()
                    done.pop()
        try:
            return program._run(kc.build(sch.mod))
        except Exception as error:
            error.add_note("\n".join(done))
            raise


@pytest.mark.parametrize("name", slice_of(3))
def test_interpreted(name: str):
    for number in numbers(name):
        variant = drawn(name, number)
        program, given = results(variant, number)
        check_reference(variant, program, given)


EMPTY = (
    "nn.binary_dense(T(0, 2, dtype='uint32'), T(5, 2, dtype='uint32'))",
    "nn.binarize_pack(T(2, 0), 1)",
    "nn.bitpack(T(0, 32, dtype='uint32'), 2, 1, 1, 'uint32')",
    "nn.group_norm(T(0, 6, 3, 3), T(6), T(6), 3)",
    "nn.space_to_batch_nd(T(0, 4, 6), (2, 3), (0, 0), (0, 0))",
)
"""Calls without elements, of which the references have to know the shapes."""


@pytest.mark.parametrize("call", EMPTY)
def test_without_elements(call: str):
    variant = Variant(call.partition("(")[0], call)
    program = variant.program()
    check_reference(variant, program, program.interpreted())


@pytest.mark.parametrize("name", slice_of(24))
def test_other_ways(name: str):
    """Default and random schedules, and sizes of the call."""
    for number in numbers(name):
        variant = drawn(name, number)
        program, wanted = results(variant, number)
        check_same(program.native(), wanted, f"{variant.call}, natively")
        check_same(
            scheduled(program, Random(f"{name} {number}")), wanted, f"{variant.call}, scheduled"
        )
        known_later = symbolic(variant, number)
        if known_later is not None:
            _, of_symbols = results(known_later, number)
            check_same(of_symbols, wanted, known_later.call)


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(8))
def test_variants_differ_from_the_example(part: int):
    """Of every operator with inputs, one of eight draws at least has other sizes or types."""
    for name in NAMES[part::8]:
        assert any(drawn(name, number).is_varied for number in range(8)), name
