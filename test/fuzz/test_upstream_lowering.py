"""Random text of upstream's dialects means to kc what it means to MLIR's own lowering.

``make fuzz-upstream`` compares more.
"""

import os
import signal

import pytest
import upstream_lowering
from optional_tools import find
from raised_loops import Loops
from upstream_lowering import RUNTIME, check, compare, draw_program, run_upstream

has_mlir = find("mlir-opt") and find("mlir-translate") and os.path.exists(RUNTIME)
pytestmark = pytest.mark.skipif(not has_mlir, reason="MLIR's tools are not installed")


@pytest.mark.parametrize("seed", [2, 4, 5, 8, 10, 14])
def test_three_ways(seed: int):
    assert compare(draw_program(seed)) == ["MLIR", "native", "interpreter"]


def test_a_wrong_expectation_is_noticed():
    program = next(it for it in map(draw_program, range(2, 9)) if _has_results(it))
    arrays = {n: array + 1 for n, array in program.expected.items()}
    wrong = Loops(program.text, program.python, program.given, arrays)
    with pytest.raises(AssertionError, match="argument "):
        check(wrong, run_upstream(program))


def _has_results(program: Loops) -> bool:
    return any(array.size for array in program.expected.values())


@pytest.mark.parametrize(
    ("broken", "what"), [("run_upstream", "MLIR alone differs"), ("_build", "differ")]
)
def test_code_that_ends_the_process(monkeypatch: pytest.MonkeyPatch, broken: str, what: str):
    """A crash of MLIR is not a failure of kc. (SIGKILL: PoCL ignores the SIGSEGV that a process
    sends itself, in a process that ran a kernel of OpenCL before.)
    """
    program = draw_program(2)
    monkeypatch.setattr(upstream_lowering, broken, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    ways = upstream_lowering.apart(upstream_lowering.compare_all, [program], 0)
    assert ways[what] == 1
    assert ways["native"] == (broken != "_build")
