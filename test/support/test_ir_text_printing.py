"""What print_module adds to xDSL's printer: every value has a name of its own."""

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
    function = module.body.block.first_op
    made = [line.split("=")[0].strip() for line in text.splitlines() if "addi" in line]
    assert len(set(made)) == 4
    assert "%i" not in made
    again = parse_module(text, "again.mlir", context())
    assert again.is_structurally_equivalent(module)
    assert function is not None
    operands = [op.operands for op in again.walk() if op.name == "arith.addi"]
    # The third is the sum of the first two, the last of the third and the second.
    assert operands[2][0].owner.results[0] is operands[1][0]
    assert operands[3] == (operands[3][0], operands[2][1])
