"""Bad text: every mistake is a diagnostic at its place, whatever xDSL raises for it."""

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from xdsl.dialects import arith, cf, func
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    ModuleOp,
    UnregisteredOp,
    i32,
)
from xdsl.ir import Block, Region

from kc.support import registry
from kc.support.deep import nesting, run_deep
from kc.support.diagnostics import ParseError, source_text
from kc.support.ir_text import parse_module, print_module, verify_module


def complaint(text: str, **options) -> str:
    with source_text("x.mlir", text), pytest.raises(ParseError) as caught:
        verify_module(parse_module(text, "x.mlir", registry.context(**options)))
    with source_text("x.mlir", text):
        return str(caught.value)


ERRORS = {
    "hello": "error[KC1002]: there is no operation 'hello'\n  --> x.mlir:1:1  hello",
    "func @f() {}": (
        "error[KC1002]: there is no operation 'func'\n"
        "  --> x.mlir:1:1  func @f() {}\n"
        "  try: did you mean 'func.func' or 'func.call' or 'func.return'?"
    ),
    "tir.fro %i in 2 {}": (
        "error[KC1002]: there is no operation 'tir.fro'\n"
        "  --> x.mlir:1:1  tir.fro %i in 2 {}\n"
        "  try: did you mean 'tir.for' or 'tir.if' or 'tir.load'?"
    ),
    "ariht.addi": (
        "error[KC1002]: there is no operation 'ariht.addi'\n"
        "  --> x.mlir:1:1  ariht.addi\n"
        "  why: there is no dialect 'ariht'\n"
        "  try: did you mean 'arith' or 'varith' or 'mod_arith'?\n"
        "  try: kc-opt --show-dialects lists the dialects"
    ),
    "%s = shape.rank %t : tensor<2xindex> -> index": (
        "error[KC1002]: there is no operation 'shape.rank'\n"
        "  --> x.mlir:1:6  %s = shape.rank %t : tensor<2xindex> -> index\n"
        "                       ^\n"
        "  why: there is no dialect 'shape'\n"
        "  try: mlir-opt --remove-shape-constraints --canonicalize --convert-shape-to-std converts "
        "it to ops of tensor and arith; the call checks the sizes"
    ),
    '%0 = "arith.constan"() : () -> ()': (
        "error[KC1002]: there is no operation 'arith.constan'\n"
        '  --> x.mlir:1:6  %0 = "arith.constan"() : () -> ()\n'
        "                       ^\n"
        "  try: did you mean 'arith.constant' or 'arith.andi' or 'arith.bitcast'?"
    ),
    '"test.op"() {a = "b\n} : () -> ()': (
        "error[KC1001]: this string is not closed\n"
        '  --> x.mlir:1:18  "test.op"() {a = "b\n'
        "                                    ^"
    ),
    '// "\n  "test.op"() {a = "b\\q"} : () -> ()': (
        "error[KC1001]: unknown escape \\q in a string\n"
        '  --> x.mlir:2:22  "test.op"() {a = "b\\q"} : () -> ()\n'
        "                                      ^"
    ),
    '"test.op"() {a = #foo.bar<1>} : () -> ()': (
        "error[KC1002]: there is no attribute or type 'foo.bar'\n"
        '  --> x.mlir:1:26  "test.op"() {a = #foo.bar<1>} : () -> ()\n'
        "                                            ^\n"
        "  try: kc-opt --show-dialects lists the dialects"
    ),
    "func.func @f() {": (
        "error[KC1001]: expected an operation or '}', got the end of the text\n"
        "  --> x.mlir:1:17  func.func @f() {"
    ),
    "func.func @f() { ) }": (
        "error[KC1001]: expected an operation or '}', got ')'\n"
        "  --> x.mlir:1:18  func.func @f() { ) }\n"
        "                                    ^"
    ),
    "func.func @f() {\n  %0 = arith.constant 1 : i3x\n  func.return\n}": (
        "error[KC1001]: type expected\n  --> x.mlir:2:27    %0 = arith.constant 1 : i3x".replace(
            "    %0", "  %0"
        )
        + "\n                                           ^"
    ),
    "# Title": "error[KC1001]: expected a name after '#'\n  --> x.mlir:1:1  # Title",
    "\x01\x02": "error[KC1001]: unexpected character: \\x01\n  --> x.mlir:1:1  \x01",
    "func.func @f(%a : i32) {\n  %b = arith.addi %a, %a : f32\n  func.return\n}": (
        "error[KC1001]: unexpected attribute f32\n  --> x.mlir:2:3  %b = arith.addi %a, %a : f32"
    ),
    "builtin.module {\n  %1 = arith.addi %xx, %xx : i32\n  %x = arith.constant 1 : i32\n}": (
        "error[KC1004]: %xx is used but not defined\n"
        "  --> x.mlir:2:3  %1 = arith.addi %xx, %xx : i32\n"
        "  try: did you mean '%x'?"
    ),
    "func.func @f() {\n  scf.for %i = %a to %b step %c {}\n  func.return\n}": (
        "error[KC1004]: %a, %b, %c are used but not defined\n"
        "  --> x.mlir:2:3  scf.for %i = %a to %b step %c {}\n"
        "  try: did you mean '%i'?"
    ),
    "%0 = arith.constant 1 : i32\n%0 = arith.constant 1 : i32": (
        "error[KC1001]: SSA value %0 is already defined\n"
        "  --> x.mlir:2:1  %0 = arith.constant 1 : i32"
    ),
    "func.func @f() {\n  cf.br ^bb4\n}": (
        "error[KC1001]: region ends with missing block declarations for block(s) bb4\n"
        "  --> x.mlir:3:2  }\n"
        '   |  line 2, column 9: reference to block "^bb4" without implementation'
    ),
    "func.func @f(%a: memref<4xf32>, %i: index) {\n"
    "  %b = memref.load %a[%i, %i] : memref<4xf32>\n"
    "  func.return\n}": (
        "error[KC1101]: memref.load: expected an index for each dimension\n"
        "  --> x.mlir:2:3  %b = memref.load %a[%i, %i] : memref<4xf32>"
    ),
    "tir.for %i in -3 {\n}": (
        "error[KC1101]: tir.for: loop i has the extent -3; an extent is at least 0\n"
        "  --> x.mlir:1:1  tir.for %i in -3 {"
    ),
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text):
    assert complaint(text).replace("\x02", "").rstrip() == ERRORS[text]


def test_unknown_operations_without_generic_form():
    text = "func.func @f() {\n  foo.bar %x\n}"
    assert complaint(text, allow_unregistered=True) == (
        "error[KC1002]: there is no operation 'foo.bar'\n"
        "  --> x.mlir:2:3  foo.bar %x\n"
        "  why: unregistered operations are read in the generic form only\n"
        '  try: "foo.bar"(...) : (...) -> (...)'
    )


@pytest.mark.parametrize("text", ["", "\n", "// nothing\n// at all", "module {}"])
def test_empty_modules(text):
    module = parse_module(text, "x.mlir", registry.context())
    verify_module(module)
    assert print_module(module) == "builtin.module {\n}\n"


def test_lines_of_a_part_are_lines_of_the_file():
    with pytest.raises(ParseError) as caught:
        parse_module("\n\n  hello", "x.mlir", registry.context(), line_offset=40)
    assert str(caught.value.location) == "x.mlir:43:3"


def broken(block: Block, *rest: Block) -> str:
    module = ModuleOp([func.FuncOp("f", ((), ()), Region([block, *rest]))])
    with pytest.raises(ParseError) as caught:
        verify_module(module)
    return str(caught.value)


def test_structure_of_blocks():
    constant = arith.ConstantOp(IntegerAttr(1, i32))
    assert broken(Block([constant])) == (
        "error[KC1101]: arith.constant ends a block of func.func but is not a terminator"
    )
    assert broken(Block()) == (
        "error[KC1101]: func.func has an empty block, which needs a terminator"
    )
    target = Block([func.ReturnOp()])
    branch = UnregisteredOp.with_name("a.b").create(successors=[target])
    assert broken(Block([branch, func.ReturnOp()]), target) == (
        "error[KC1101]: a.b branches and does not end its block"
    )
    assert broken(Block([cf.BranchOp(Block([func.ReturnOp()]))])) == (
        "error[KC1101]: cf.br branches to a block of another region"
    )
    first, again = Block(), Block()
    first.add_op(cf.BranchOp(again))
    again.add_op(cf.BranchOp(first))
    assert broken(first, again) == "error[KC1101]: cf.br branches to the first block of func.func"


@pytest.mark.parametrize(
    ("text", "yielded"),
    [
        ("%r = scf.if %p -> (f32) { } else { scf.yield %x : f32 }", "()"),
        ("%r = scf.if %p -> (f32) { scf.yield %p : i1 } else { scf.yield %x : f32 }", "(i1)"),
        (
            "%r:2 = scf.if %p -> (f32, f32) { scf.yield %x, %x : f32, f32 } "
            "else { scf.yield %x : f32 }",
            "(f32)",
        ),
    ],
)
def test_branches_yield_the_results(text: str, yielded: str):
    text = f"func.func @f(%p: i1, %x: f32) {{ {text} func.return }}"
    results = "(f32, f32)" if ":2" in text else "(f32)"
    with pytest.raises(ParseError) as caught:
        verify_module(parse_module(text, "k.mlir", registry.context()))
    assert caught.value.message == (
        f"scf.if: a branch yields {yielded}, and the results are {results}"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "%c = arith.constant 1.0 : f32 "
            "%r = affine.for %i = 0 to 4 iter_args(%x = %c) -> (f32) { }",
            "affine.for: the body yields (), and the results are (f32)",
        ),
        (
            "linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], "
            'iterator_types = ["parallel"]} outs(%a : memref<4xf32>) { ^bb0(%x: f32): '
            "%i = linalg.index 1 : index linalg.yield %x : f32 }",
            "linalg.index: dim 1, and linalg.generic has 1 loop",
        ),
    ],
)
def test_what_xdsl_does_not_look_at(text: str, expected: str):
    text = f"func.func @f(%a: memref<4xf32>) {{ {text} func.return }}"
    with pytest.raises(ParseError) as caught:
        verify_module(parse_module(text, "k.mlir", registry.context()))
    assert caught.value.message == expected


def test_erased_values():
    constant = arith.ConstantOp(IntegerAttr(1, i32))
    user = arith.AddiOp(constant, constant)
    block = Block([constant, user, func.ReturnOp()])
    constant.detach()
    constant.erase(safe_erase=False)
    assert broken(block) == "error[KC1101]: arith.addi uses a value that was erased"


@pytest.mark.parametrize("text", ["module {}", "func.func private @f()", "tir.for %i in 4 {}"])
def test_same_as_xdsls_verifier_on_valid_modules(text):
    module = parse_module(text, "x.mlir", registry.context())
    verify_module(module)
    module.verify()


tokens = st.sampled_from(
    (
        "func.func @f ( ) { } %a : i32 -> = , arith.constant 1 tir.for in affine_map < > [ ] # ! "
        '^bb0 " func.return te.compute reduce sum memref<4xf32> dense loc ? floordiv -1 tensor x'
    ).split()
)


@pytest.mark.slow
@examples(200)
@given(st.lists(tokens, max_size=12).map(" ".join) | st.text(max_size=30))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(ParseError):
        module = parse_module(text, "x.mlir", registry.context())
        verify_module(module)
        print_module(module)


def test_deep_nesting():
    depth = 1000
    text = "".join(f"tir.for %i{n} in 2 {{\n" for n in range(depth)) + "}\n" * depth

    def round_trip() -> int:
        module = parse_module(text, "deep.mlir", registry.context())
        verify_module(module)
        return print_module(module).count("tir.for")

    assert nesting(text) == depth
    assert run_deep(round_trip, nesting(text)) == depth


@pytest.mark.slow
def test_deeper_than_there_is_room_for():
    text = "builtin.module " * 60000
    with pytest.raises(ParseError) as caught:
        parse_module("[" * 300000, "x.mlir", registry.context())
    assert caught.value.code in ("KC1001", "KC1003")
    assert nesting(text) == 0
    with pytest.raises(ParseError) as caught:
        run_deep(
            lambda: parse_module(
                '"a.b"() {x = ' + "[" * 100000, "x.mlir", registry.context(allow_unregistered=True)
            ),
            100000,
        )
    assert str(caught.value).startswith("error[KC1003]: this is nested too deeply")


BEYOND = {
    "index constant": "%0 = arith.constant {} : index",
    "index map": '"test.op"() {{a = affine_map<(d0) -> (d0 * {})>}} : () -> ()',
    "condition": '"test.op"() {{a = affine_set<(d0) : (d0 + {} >= 0)>}} : () -> ()',
    "size of a buffer": '%0 = "test.op"() : () -> memref<4x{}xf32>',
    "size of an argument": "func.func private @f(memref<{}xf32>)",
    "attribute of an attribute": '"test.op"() {{a = [{{b = {} : index}}]}} : () -> ()',
}


@pytest.mark.parametrize("place", BEYOND)
def test_indices_have_64_bits(place: str):
    text = BEYOND[place].format(2**63)
    assert complaint(text, allow_unregistered=True) == (
        "error[KC1001]: integer value 9223372036854775808 is out of range for an index\n"
        f"  --> x.mlir:1:1  {text}\n"
        "  why: indices are in the range [-9223372036854775808, 9223372036854775807]"
    )
    parse_module(
        BEYOND[place].format(2**63 - 1), "x.mlir", registry.context(allow_unregistered=True)
    ).verify()


LISTS = {
    "offset": "tensor.extract_slice %x[{}, 0] [1, 3] [1, 1] : tensor<2x3xf32> to tensor<1x3xf32>",
    "array": '"tensor.extract_slice"(%x) <{{operandSegmentSizes = array<i32: 1, 0, 0, 0>, '
    "static_offsets = array<i64: {}, 0>, static_sizes = array<i64: 1, 3>, "
    "static_strides = array<i64: 1, 1>}}> : (tensor<2x3xf32>) -> tensor<1x3xf32>",
    "size": "tensor.expand_shape %x [[0], [1, 2]] output_shape [{}, 3, 1] "
    ": tensor<2x3xf32> into tensor<2x3x1xf32>",
}


@pytest.mark.parametrize("number", [2**63, 2**64 - 1])
@pytest.mark.parametrize("place", LISTS)
def test_lists_of_indices_do_not_wrap(place: str, number: int):
    """``%x9223372036854775808`` is a name, and ``i64`` a type."""
    op = LISTS[place].format(number).replace("%x", "%x9223372036854775808")
    before = "%x9223372036854775808 = tensor.empty() : tensor<2x3xf32>\n"
    first, where, why = complaint(f"{before}%y = {op}").splitlines()
    assert first == f"error[KC1001]: integer value {number} is out of range for an index"
    assert where.startswith("  --> x.mlir:2:1  %y = ")
    assert why == "  why: indices are in the range [-9223372036854775808, 9223372036854775807]"
    fitting = LISTS[place].format(2**63 - 1).replace("%x", "%x9223372036854775808")
    parse_module(f"{before}%y = {fitting}", "x.mlir", registry.context())


def test_numbers_in_a_block_are_no_extents():
    inner = "%0 = arith.constant 0xfff0000000000000 : f64"
    text = f'tir.block "B" (spatial %v in {{}} = 0) do {{{{ {inner} }}}}'
    parse_module(text.format(4), "x.mlir", registry.context())
    first = complaint(text.format(2**63)).splitlines()[0]
    assert first == "error[KC1001]: integer value 9223372036854775808 is out of range for an index"


@pytest.mark.parametrize("dialect", ["tensor", "memref"])
def test_each_dynamic_size_has_an_operand(dialect: str):
    module = parse_module(
        f"""func.func @f(%x: {dialect}<2x3xf32>) {{
  %u = {dialect}.expand_shape %x [[0], [1, 2]] output_shape [{-(2**63)}, 3, 1] : \
{dialect}<2x3xf32> into {dialect}<2x3x1xf32>
  return
}}""",
        "x.mlir",
        registry.context(),
    )
    with pytest.raises(ParseError) as caught:
        verify_module(module)
    assert str(caught.value) == (
        f"error[KC1101]: {dialect}.expand_shape: 0 operands for 1 dynamic sizes of output_shape\n"
        "  --> x.mlir:2:3"
    )


def test_negative_indices_have_64_bits_too():
    message = complaint("%0 = arith.constant -9223372036854775809 : index")
    assert "integer value -9223372036854775809 is out of range for an index" in message
    parse_module(f"%0 = arith.constant {-(2**63)} : index", "x.mlir", registry.context()).verify()


@pytest.mark.parametrize(
    "layout", ["[-9223372036854775809, 1]", "[4, 1], offset: 9223372036854775808"]
)
def test_strides_and_offsets_have_64_bits(layout: str):
    first, _, why = complaint(
        f"func.func @f(%a: memref<4x4xf32, strided<{layout}>>) {{ return }}"
    ).splitlines()
    number = layout.strip("[").replace("4, 1], offset: ", "").partition(",")[0]
    assert first == f"error[KC1001]: integer value {number} is out of range for an index"
    assert why == "  why: indices are in the range [-9223372036854775808, 9223372036854775807]"


def test_other_numbers_may_be_larger():
    parse_module(
        "%0 = arith.constant 18446744073709551615 : i64\n"
        "%1 = arith.constant 100000000000000000000.0 : f64",
        "x.mlir",
        registry.context(),
    ).verify()


@pytest.mark.parametrize("op", ["mod", "floordiv", "ceildiv"])
@pytest.mark.parametrize("divisor", ["-8", "0", "(-8)", "(4 - 4)"])
def test_divisors_are_positive(op: str, divisor: str):
    text = f'"test.op"() {{a = affine_map<(d0) -> (d0 + (d0 {op} {divisor}))>}} : () -> ()'
    number = {"-8": -8, "0": 0, "(-8)": -8, "(4 - 4)": 0}[divisor]
    assert complaint(text, allow_unregistered=True) == (
        f"error[KC1001]: the divisor {number} of {op} is not positive\n"
        f"  --> x.mlir:1:1  {text}\n"
        "  why: mod, floordiv, ceildiv are defined for positive divisors"
    )


def test_divisors_of_accesses_are_positive():
    text = (
        "func.func @f(%A: memref<8xf32>) {\n"
        "  tir.for %i in 8 {\n"
        "    %a = tir.load %A[%i mod -8] : memref<8xf32>\n"
        "  }\n"
        "  func.return\n"
        "}"
    )
    assert complaint(text).startswith(
        "error[KC1001]: the divisor -8 of mod is not positive\n  --> x.mlir:3:5"
    )
    text = text.replace("-8]", "(2 * 4)]")
    verify_module(parse_module(text, "x.mlir", registry.context()))


def test_symbols_are_in_symbol_tables():
    text = """func.func @f() {
  func.func private @g()
  func.call @g() : () -> ()
  func.return
}
"""
    assert complaint(text) == (
        "error[KC1101]: func.func in func.func, which has no symbol table\n"
        "  --> x.mlir:2:3  func.func private @g()"
    )


def constant(literal: str, type_: str) -> DenseIntOrFPElementsAttr:
    text = f"%0 = arith.constant dense<{literal}> : {type_}"
    op = parse_module(text, "x.mlir", registry.context()).body.block.first_op
    assert isinstance(op, arith.ConstantOp)
    assert isinstance(op.value, DenseIntOrFPElementsAttr)
    return op.value


@pytest.mark.parametrize(
    ("literal", "type_", "values"),
    [
        ("0xFF800000", "vector<2xf32>", [-math.inf, -math.inf]),
        ("[0x7c00, 1.5]", "tensor<2xf16>", [math.inf, 1.5]),
        ("[[0x8000000000000000]]", "tensor<1x1xf64>", [-0.0]),
        ("[0x3f80, 0xff80]", "vector<2xbf16>", [1.0, -math.inf]),
        ("0x10", "vector<2xi32>", [16, 16]),
    ],
)
def test_hexadecimal_elements_of_floats_are_bits(literal: str, type_: str, values: list[float]):
    """As of ``arith.constant 0xFF800000 : f32``, and as mlir-opt has it."""
    elements = [str(value) for value in constant(literal, type_).get_values()]
    assert elements == [str(value) for value in values]  # -0.0 is not 0.0


def test_hexadecimal_elements_are_not_wider_than_their_type():
    assert complaint("%0 = arith.constant dense<[0x17c00, 0x1]> : vector<2xf16>") == (
        "error[KC1001]: 0x17c00 does not fit f16\n"
        "  --> x.mlir:1:28  %0 = arith.constant dense<[0x17c00, 0x1]> : vector<2xf16>\n"
        "                                              ^"
    )


def test_semi_affine_maps_are_for_affine():
    text = '"test.op"() {a = affine_map<(d0)[s0] -> (d0 + d0 * s0)>} : () -> ()'
    assert complaint(text, allow_unregistered=True) == (
        "error[KC1001]: (d0 + (d0 * s0)) is not affine\n"
        f"  --> x.mlir:1:1  {text}\n"
        "  why: only the ops of affine have maps that multiply or divide by a symbol"
    )


@pytest.mark.parametrize("op", ["mod", "floordiv", "ceildiv"])
def test_divisors_are_no_dimensions(op: str):
    text = f"#map = affine_map<(d0) -> (8 {op} d0)>"
    assert complaint(text).startswith(
        f"error[KC1001]: {op} needs a symbol or a number as its divisor\n  --> x.mlir:1:30  "
        f"{text}\n"
    )
