"""Programs rewritten by passes of ``mlir-opt`` are read, and compute the same results.

``make fuzz-rewritten`` tries more passes.
"""

import pytest
from optional_tools import find
from raised_loops import Loops
from rewritten_texts import BUFFERIZE, compare, rewritten
from upstream_lowering import draw_program

pytestmark = pytest.mark.skipif(not find("mlir-opt"), reason="MLIR's tools are not installed")


@pytest.mark.parametrize(
    ("seed", "flags"),
    [
        (48, ["--affine-loop-tile=tile-size=3", "--mlir-print-op-generic"]),
        (4, [f"--{BUFFERIZE}", "--convert-linalg-to-loops"]),
        (28, ["--convert-scf-to-cf", "--canonicalize", "--mlir-print-debuginfo"]),
    ],
)
def test_a_rewritten_program_computes_the_same(seed: int, flags: list[str]):
    program = draw_program(seed)
    (text,) = rewritten([program.text], flags)
    assert text != program.text
    assert compare(program, text, level=0) == "equal"


def test_a_wrong_expectation_is_noticed():
    program = draw_program(48)
    wrong = {n: array + 1 for n, array in program.expected.items()}
    with pytest.raises(AssertionError, match="argument "):
        compare(Loops(program.text, program.python, program.given, wrong), program.text, level=0)
