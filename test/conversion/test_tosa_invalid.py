"""Refusals of tosa-to-linalg: full texts, and a module that stays unchanged."""

# ruff: noqa: E501

from __future__ import annotations

import pytest

import kc

FUNCTION = """func.func @f(%x: tensor<1x4x5x2xf32>, %n: tensor<1x3xi32>, %s: tensor<1xi8>) -> {result} {{
  {lines}
  func.return %r : {result}
}}
"""

REFUSED = [
    pytest.param(
        "tensor<1x2x2x2xf32>",
        """%r = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x5x2xf32>) -> tensor<1x2x2x2xf32>""",
        """error[KC4557]: tosa-to-linalg: tosa.max_pool2d is not converted
  --> <string>:2:3
   |  axis 2 has 5 elements, and padding of [0, 0]
   |  its windows have 2, dilated by 1, in steps of 2
  why: the last window must end where the padded operand ends""",
        id="window",
    ),
    pytest.param(
        "tensor<2xi1>",
        """%b = "tosa.const"() <{values = dense<true> : tensor<2xi1>}> : () -> tensor<2xi1>
  %r = tosa.clamp %b {max_val = true, min_val = false} : (tensor<2xi1>) -> tensor<2xi1>""",
        """error[KC4557]: tosa-to-linalg: tosa.clamp is not converted
  --> <string>:3:3
  why: it supports floats, and integers of more than one bit""",
        id="truth",
    ),
    pytest.param(
        "tensor<2xui8>",
        """%b = "tosa.const"() <{values = dense<1> : tensor<2xui8>}> : () -> tensor<2xui8>
  %r = tosa.maximum %b, %b : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>""",
        """error[KC4557]: tosa-to-linalg: tosa.const is not converted
  --> <string>:2:3
   |  it has a value of tensor<2xui8>
  why: integers are signless; the attributes input_unsigned and output_unsigned of tosa.rescale give the sign where they have no sign""",
        id="unsigned",
    ),
    pytest.param(
        "tensor<1x4x5x2xf32>",
        """%b = "tosa.const"() <{values = dense<true> : tensor<2xi1>}> : () -> tensor<2xi1>
  %r = tosa.cond_if %b : tensor<2xi1> -> tensor<1x4x5x2xf32> {
    tosa.yield %x : tensor<1x4x5x2xf32>
  } else {
    tosa.yield %x : tensor<1x4x5x2xf32>
  }""",
        """error[KC4557]: tosa-to-linalg: tosa.cond_if is not converted
  --> <string>:3:3
   |  its condition is tensor<2xi1>
  why: its condition must be a tensor of one i1""",
        id="condition",
    ),
    pytest.param(
        "tensor<1x4x5x2xf32>",
        """%r = tosa.reverse %x {axis = 4 : i32} : (tensor<1x4x5x2xf32>) -> tensor<1x4x5x2xf32>""",
        """error[KC4557]: tosa-to-linalg: tosa.reverse is not converted
  --> <string>:2:3
   |  its axis is 4 : i32
  why: its axis must be from 0 to 3""",
        id="axis",
    ),
    pytest.param(
        "tensor<1x4x1x2xf32>",
        """%r = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<1x4x5x2xf32>) -> tensor<1x4x1x2xf32>""",
        """error[KC4557]: tosa-to-linalg: tosa.reduce_sum is not converted
  --> <string>:2:3
   |  its operands give tensor<1x1x5x2xf32>
   |  its result is tensor<1x4x1x2xf32>
  why: the type of its result must follow from its operands""",
        id="type",
    ),
    pytest.param(
        "tensor<7x6xf32>",
        """%q = tosa.const_shape {values = dense<[7, 6]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.reshape %x, %q : (tensor<1x4x5x2xf32>, !tosa.shape<2>) -> tensor<7x6xf32>""",
        """error[KC4557]: tosa-to-linalg: tosa.reshape is not converted
  --> <string>:3:3
   |  it makes tensor<1x4x5x2xf32> to tensor<7x6xf32>
  why: it must keep the number of elements""",
        id="reshape",
    ),
    pytest.param(
        "tensor<1x3xi32>",
        """%r = tosa.mul %n, %n, %s : (tensor<1x3xi32>, tensor<1x3xi32>, tensor<1xi8>) -> tensor<1x3xi32>""",
        """error[KC4557]: tosa-to-linalg: tosa.mul is not converted
  --> <string>:2:3
  why: its shift must be a constant""",
        id="shift",
    ),
    pytest.param(
        "tensor<1x4x5x2xf32>",
        """%a = tosa.const_shape {values = dense<[0, 0, 1, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %b = tosa.const_shape {values = dense<[1, 4, 5, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %r = tosa.slice %x, %a, %b : (tensor<1x4x5x2xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x4x5x2xf32>""",
        """error[KC4557]: tosa-to-linalg: tosa.slice is not converted
  --> <string>:4:3
   |  its operand is tensor<1x4x5x2xf32>
   |  it starts at [0, 0, 1, 0] and has [1, 4, 5, 2]
  why: the slice must lie in its operand""",
        id="slice",
    ),
    pytest.param(
        "tensor<1x4x5x2xf32>",
        """%y = tosa.cast %n : (tensor<1x3xi32>) -> tensor<1x3xf32>
  %r = tosa.add %x, %y : (tensor<1x4x5x2xf32>, tensor<1x3xf32>) -> tensor<1x4x5x2xf32>""",
        """error[KC4557]: tosa-to-linalg: tosa.add is not converted
  --> <string>:3:3
   |  operand 0 is tensor<1x4x5x2xf32>
   |  operand 1 is tensor<1x3xf32>
  why: its operands must have the same number of dimensions""",
        id="rank",
    ),
    pytest.param(
        "tensor<1x3xi32>",
        """%r = tosa.exp %n : (tensor<1x3xi32>) -> tensor<1x3xi32>""",
        """error[KC4557]: tosa-to-linalg: tosa.exp is not converted
  --> <string>:2:3
  why: it does not support elements of type i32""",
        id="elements",
    ),
]


@pytest.mark.parametrize(("result", "lines", "expected"), REFUSED)
def test_a_refusal(result: str, lines: str, expected: str):
    module = kc.IRModule.parse(FUNCTION.format(result=result, lines=lines))
    before = str(module)
    with pytest.raises(kc.error.CodegenError) as refused:
        kc.build(module)
    assert str(refused.value) == expected
    assert str(module) == before


INVALID = [
    pytest.param(
        "tensor<1x3xi32>",
        """%r = tosa.add %n : (tensor<1x3xi32>) -> tensor<1x3xi32>""",
        """error[KC1101]: tosa.add: takes 2 operands (lhs, rhs), not 1
  --> <string>:2:3""",
        id="counts",
    ),
    pytest.param(
        "tensor<1x3xi32>",
        """%r = tosa.tile %n, %n : (tensor<1x3xi32>, tensor<1x3xi32>) -> tensor<1x3xi32>""",
        """error[KC1101]: tosa.tile: its multiples must be a !tosa.shape, not tensor<1x3xi32>
  --> <string>:2:3""",
        id="shape type",
    ),
    pytest.param(
        "tensor<1x3xi32>",
        """%r = tosa.conv4d %n : (tensor<1x3xi32>) -> tensor<1x3xi32>""",
        """error[KC1002]: there is no operation 'tosa.conv4d'
  --> <string>:2:8
  try: did you mean 'tosa.conv3d' or 'tosa.conv2d' or 'tosa.cond_if'?""",
        id="unknown",
    ),
]


@pytest.mark.parametrize(("result", "lines", "expected"), INVALID)
def test_what_is_no_tosa(result: str, lines: str, expected: str):
    with pytest.raises(kc.error.ParseError) as refused:
        kc.IRModule.parse(FUNCTION.format(result=result, lines=lines))
    assert str(refused.value) == expected
