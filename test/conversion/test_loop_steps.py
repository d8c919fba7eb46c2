"""Loops of scf whose step is an argument: at least 1, and none leads beyond the last number."""

import subprocess
from pathlib import Path

import numpy as np
import optional_tools
import pytest

import kc
from kc.error import KCError

CC = optional_tools.find("clang-22") or optional_tools.find("cc")


def counting(type_: str) -> str:
    """A function that counts the iterations of a loop."""
    of_type = "" if type_ == "index" else f" : {type_}"
    return f"""func.func @f(%n: memref<1xi32>, %low: {type_}, %high: {type_}, %step: {type_}) {{
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  scf.for %i = %low to %high step %step {of_type} {{
    %x = memref.load %n[%c0] : memref<1xi32>
    %y = arith.addi %x, %one : i32
    memref.store %y, %n[%c0] : memref<1xi32>
  }}
  return
}}
"""


def cases(largest: int) -> list[tuple[int, int, int]]:
    return [
        (5, 8, largest),
        (largest - 7, largest, 5),
        (largest - 1, largest, 2),
        (-largest - 1, largest, largest),
        (0, 10, 3),
        (3, 3, 1),
        (5, -5, 2),
    ]


@pytest.mark.parametrize(
    ("type_", "largest"), [("index", 2**63 - 1), ("i64", 2**63 - 1), ("i32", 2**31 - 1)]
)
def test_steps_of_any_size(type_: str, largest: int):
    kernel = kc.build(kc.IRModule.parse(counting(type_)))
    for low, high, step in cases(largest):
        count = np.zeros(1, np.int32)
        kernel(count, low, high, step)
        assert count[0] == len(range(low, high, step))


@pytest.mark.parametrize("step", [0, -1, -(2**63)])
def test_steps_that_lead_nowhere(step: int):
    kernel = kc.build(kc.IRModule.parse(counting("index"), "f.mlir"))
    with pytest.raises(KCError) as refused:
        kernel(np.zeros(1, np.int32), 0, 8, step)
    assert str(refused.value) == (
        "error[KC5132]: f: the sizes of its arguments do not fit: step >= 1 does not hold\n"
        f"   |  step is {step}, from argument 4 'step'\n"
        "  why: scf.for (f.mlir:4:3) has a step of at least 1"
    )


PARALLEL = """func.func @f(%n: memref<8xi32>, %step: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  scf.parallel (%i) = (%c0) to (%c8) step (%step) {
    memref.store %one, %n[%i] : memref<8xi32>
    scf.reduce
  }
  return
}
"""


def test_steps_of_parallel_loops():
    kernel = kc.build(kc.IRModule.parse(PARALLEL, "f.mlir"))
    data = np.zeros(8, np.int32)
    kernel(data, 3)
    np.testing.assert_array_equal(data, [1, 0, 0, 1, 0, 0, 1, 0])
    with pytest.raises(KCError) as refused:
        kernel(data, 0)
    assert str(refused.value) == (
        "error[KC5132]: f: the sizes of its arguments do not fit: step >= 1 does not hold\n"
        "   |  step is 0, from argument 2 'step'\n"
        "  why: scf.parallel (f.mlir:5:3) has a step of at least 1"
    )


def test_a_constant_step_that_leads_nowhere():
    text = counting("index").replace("  %one", "  %zero = arith.constant 0 : index\n  %one", 1)
    with pytest.raises(KCError) as refused:
        kc.lower(kc.IRModule.parse(text.replace("step %step", "step %zero"), "f.mlir"))
    assert str(refused.value) == (
        "error[KC4555]: raise-to-tir: this scf.for is not a loop of tir\n"
        "  --> f.mlir:5:3\n"
        "  why: its step is 0\n"
        "  try: a step of at least 1"
    )


@pytest.mark.skipif(CC is None, reason="needs a C compiler")
def test_steps_in_c(tmp_path: Path):
    """Under the sanitizer, which ends the program where a number overflows."""
    text = kc.build(kc.IRModule.parse(counting("index")), target="c").get_source()
    calls = "".join(
        f"  n = 0; f(&n, {low}LL, {high}LL, {step}LL); if (n != {len(range(low, high, step))}) "
        "return 1;\n"
        for low, high, step in cases(2**63 - 1)
        if low != -(2**63)  # no literal of C
    )
    source, program = tmp_path / "steps.c", tmp_path / "steps"
    source.write_text(f"{text}\nint main(void) {{\n  int32_t n;\n{calls}  return 0;\n}}\n")
    options = ["-fsanitize=undefined", "-fno-sanitize-recover=all"]
    subprocess.run([str(CC), *options, str(source), "-o", str(program)], check=True)
    subprocess.run([str(program)], check=True)
