"""Blocks dissolve: bindings are composed, predicates that are known disappear."""

from __future__ import annotations

import pytest
from lowering_support import lowered, parse, text_of

from kc.support.deep import run_deep
from kc.support.diagnostics import CodegenError
from kc.support.locations import to_location
from kc.support.registry import context
from kc.transforms.tir.blocks.lower_blocks import LowerBlocksPass


def program(body: str) -> str:
    return f"func.func @f(%A: memref<100xf32>, %x: f32, %n: index) {{\n{body}\nfunc.return\n}}"


def after(body: str) -> str:
    return lowered(program(body), LowerBlocksPass())


@pytest.mark.parametrize(
    ("where", "guard"),
    [
        ("%i * 8 + %j < 100", "tir.if (%i * 8 + %j < 100) {"),
        ("%i * 8 + %j < 104", None),
        ("%i < 13, %j >= 0, %i * 8 + %j <= 90", "tir.if (%i * 8 + %j < 91) {"),
        ("%i * 8 >= 16", "tir.if (%i >= 2) {"),
        ("%j == 3", "tir.if (%j == 3) {"),
        ("%i < %n", "tir.if (%i < %n) {"),
    ],
)
def test_predicates(where, guard):
    text = after(
        f"""tir.for %i in 13 {{ tir.for %j in 8 {{
          tir.block "C" (spatial %v in 100 = %i * 8 + %j) where ({where}) do {{
            tir.store %x, %A[%v] : memref<100xf32>
          }}
        }} }}"""
    )
    assert "tir.block" not in text
    assert "tir.store %x, %A[%i * 8 + %j] : memref<100xf32>" in text
    assert ("tir.if" in text) == (guard is not None)
    assert guard is None or guard in text


def test_a_block_whose_predicate_never_holds_goes():
    text = after(
        """tir.for %i in 13 {
          tir.block "C" (spatial %v in 100 = %i) where (%i >= 13) do {
            tir.store %x, %A[%v] : memref<100xf32>
          }
        }"""
    )
    assert "tir.store" not in text


@pytest.mark.parametrize(
    ("condition", "stores"), [("%v < 99", ["0"]), ("%v >= 13", ["1"]), ("%v < 9", ["0", "1"])]
)
def test_guards_in_blocks(condition, stores):
    text = after(
        f"""tir.for %i in 13 {{
          tir.block "C" (spatial %v in 100 = %i) do {{
            tir.if ({condition}) {{
              tir.store %x, %A[0] : memref<100xf32>
            }} else {{
              tir.store %x, %A[1] : memref<100xf32>
            }}
          }}
        }}"""
    )
    assert [index for index in "01" if f"%A[{index}]" in text] == stores
    assert ("tir.if" in text) == (len(stores) == 2)


def test_other_uses_of_a_variable_share_its_value():
    text = after(
        """tir.for %i in 10 { tir.for %j in 10 {
          tir.block "C" (spatial %v in 100 = %i * 10 + %j, spatial %w in 10 = %j) do {
            %a = arith.index_cast %v : index to i64
            %b = arith.index_cast %v : index to i32
            %c = arith.index_cast %w : index to i32
            %q, %r = tir.delinearize %v by [%n, %n]
            tir.store %x, %A[%q] : memref<100xf32>
          }
        } }"""
    )
    assert text.count("tir.apply (%i * 10 + %j)") == 1
    assert "arith.index_cast %j" in text
    assert "tir.delinearize %v by [%n, %n]" in text


def test_nested_blocks_and_constant_bindings():
    text = after(
        """tir.for %i in 10 {
          tir.block "O" (spatial %v in 10 = %i, spatial %u in 1 = 0) do {
            tir.for %j in 10 {
              tir.block "C" (spatial %w in 100 = %v * 10 + %j + %u) where (%v + %u < %n) do {
                %a = arith.index_cast %u : index to i32
                tir.store %x, %A[(%w mod 10) * 10 + %w floordiv 10] : memref<100xf32>
              }
            }
          }
        }"""
    )
    assert "tir.if (%i < %n) {" in text
    assert "tir.store %x, %A[%j * 10 + %i] : memref<100xf32>" in text
    assert "arith.constant 0 : index" in text


def test_index_arithmetic_that_maps_absorbed_goes():
    text = after(
        """%c = arith.constant 3 : index
        tir.for %i in 10 {
          %s = tir.apply (%i * 2)
          %t = arith.addi %s, %c : index
          tir.store %x, %A[%t + 1] : memref<100xf32>
        }"""
    )
    assert "tir.store %x, %A[%i * 2 + 4]" in text
    assert "tir.apply" not in text
    assert "arith" not in text


def test_locations_are_kept():
    module = parse(
        program(
            """tir.for %i in 13 {
              tir.block "C" (spatial %v in 100 = %i) where (%i < %n) do {
                tir.store %x, %A[%v] : memref<100xf32>
              }
            }"""
        )
    )
    LowerBlocksPass().apply(context(), module)
    places = {op.name: to_location(op.location) for op in module.walk()}
    lines = {name: at.line for name, at in places.items() if at and name.startswith("tir.")}
    assert lines == {"tir.for": 2, "tir.if": 3, "tir.store": 4}


def test_an_init_region_is_refused():
    with pytest.raises(CodegenError, match="block S has an init region") as caught:
        after(
            """tir.for %k in 4 {
              tir.block "S" (reduce %v in 4 = %k) init { } do { }
            }"""
        )
    assert caught.value.code == "KC4203"
    assert caught.value.hints == ("run lower-init-block first",)


def test_deep_nests():
    depth = 1000
    loops = "".join(f"tir.for %x{n} in 2 {{\n" for n in range(depth))
    block = (
        'tir.block "C" (spatial %v in 4 = %x3 + %x999) where (%x7 < %n) do {'
        "tir.store %x, %A[%v] : memref<100xf32> }"
    )

    def check() -> None:
        text = after(loops + block + "}" * depth)
        assert "tir.if (%x7 < %n) {" in text
        assert "tir.store %x, %A[%x3 + %x999]" in text
        assert text_of(parse(text)) == text

    run_deep(check, depth)
