"""The addition of print_module to xDSL's printer: every value has a name of its own."""

import pytest

from kc.support.ir_text import parse_module, print_module
from kc.support.registry import context

CLASH = """
func.func @f(%i: index) {
  %i_1 = arith.addi %i, %i : index
  %i_1_1 = arith.addi %i_1, %i : index
  %i_2_1 = arith.addi %i_1, %i_1_1 : index
  %i_1_2 = arith.addi %i_2_1, %i_1_1 : index
  func.return
}
"""


def test_hints_that_end_like_suffixes_do_not_clash():
    module = parse_module(CLASH, "clash.mlir", context())
    text = print_module(module)
    names = [line.split("=")[0].strip() for line in text.splitlines() if "addi" in line]
    assert len({*names, "%i"}) == 5
    assert parse_module(text, "again.mlir", context()).is_structurally_equivalent(module)


@pytest.mark.parametrize("type_", ["f80", "f128"])
@pytest.mark.parametrize("number", ["2.000000e+00", "-1.0", "1.0e300", "1.000000000000000200e+00"])
def test_floats_of_more_than_64_bits(type_: str, number: str):
    text = f'"test.op"() {{a = {number} : {type_}}} : () -> ()'
    known = context(allow_unregistered=True)
    module = parse_module(text, "f.mlir", known)
    for generic in (False, True):
        again = parse_module(print_module(module, generic=generic), "again.mlir", known)
        assert again.is_structurally_equivalent(module)
    assert ("2.000000e+00" in print_module(module)) == (number == "2.000000e+00")
