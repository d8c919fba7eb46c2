"""kc.analysis.verify_changes: what it refuses, what it does not look at again, and who calls it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from interpreter_support import parse
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AffineMapAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    VectorType,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.parser import Parser
from xdsl.rewriter import Rewriter

import kc
from kc import te, tir
from kc.analysis import loop_tree, verify_changes
from kc.analysis.module_copy import copy_module
from kc.dialects.tir import BlockOp, LoadOp, StoreOp
from kc.support.diagnostics import InternalError, ParseError
from kc.transforms.schedule.base import Rewritten
from kc.transforms.schedule.loops.split import Split

PROGRAM = """
func.func @f(%A: memref<8xf32>, %n: index) {
  %c = arith.constant 1.0 : f32
  tir.for %i in 8 {
    tir.block "B" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v] : memref<8xf32>
      %y = arith.addf %x, %c : f32
      tir.store %y, %A[%v] : memref<8xf32>
    }
  }
  func.return
}"""


def verified(text: str = PROGRAM) -> ModuleOp:
    module = parse(text, verify=False)
    verify_changes.verify_changes(module)
    return module


def first(module: Operation, kind: type[Any]) -> Any:
    return next(op for op in module.walk() if isinstance(op, kind))


def refusal(module: Operation) -> str:
    with pytest.raises(ParseError) as raised:
        verify_changes.verify_changes(module)
    return str(raised.value)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The operations whose verifiers are called."""
    names: list[str] = []
    verify = verify_changes.verify_operation

    def counting(op: Operation) -> None:
        names.append(op.name)
        verify(op)

    monkeypatch.setattr(verify_changes, "verify_operation", counting)
    monkeypatch.setattr(verify_changes, "_VERIFIED", set())
    return names


def test_what_is_unchanged_is_not_verified_again(calls: list[str]):
    module = verified()
    assert sorted(calls) == sorted(op.name for op in module.walk())
    calls.clear()
    verify_changes.verify_changes(module)
    verify_changes.verify_changes(copy_module(module))
    assert calls == []


def test_a_module_is_verified_once_as_a_whole(calls: list[str], monkeypatch: pytest.MonkeyPatch):
    module = parse(PROGRAM, verify=False)
    whole: list[Operation] = []
    monkeypatch.setattr(verify_changes, "verify_module", whole.append)
    verify_changes.verify_all(module)
    assert whole == [module]
    verify_changes.verify_changes(module)
    assert calls == []


def test_all_of_a_module_is_verified():
    wrong_type = parse(PROGRAM, verify=False)
    first(wrong_type, arith.ConstantOp).properties["value"] = IntegerAttr(1, i32)
    unordered = parse(PROGRAM, verify=False)
    store = first(unordered, StoreOp)
    store.detach()
    block = first(unordered, BlockOp).body.block
    block.insert_op_before(store, block.first_op)
    outside = parse(PROGRAM.replace("spatial %v in 8", "spatial %v in 7"), verify=False)
    for module, code in ((wrong_type, "KC1101"), (unordered, "KC1201"), (outside, "KC1202")):
        with pytest.raises(ParseError) as raised:
            verify_changes.verify_all(module)
        assert raised.value.code == code


def test_what_is_like_something_verified_is_not_verified_again(calls: list[str]):
    verified()
    calls.clear()
    verified()
    assert calls == []


def test_what_a_return_says_follows_from_its_function():
    text = "func.func @f(%x: f32) -> f32 {{ func.return{} }}"
    verified(text.format(" %x : f32"))
    verified("func.func @f(%x: f32) { func.return }")
    module = parse(text.format(" %x : f32"), verify=False)
    function = first(module, FuncOp)
    function.properties["function_type"] = FunctionType.from_lists([f32], [f64])
    assert "error[KC1101]: func.return: " in refusal(module)


def test_what_a_module_says_follows_from_the_names_in_it():
    text = "func.func @f() {{ func.return }} func.func @{}() {{ func.return }}"
    verified(text.format("g"))
    module = parse(text.format("h"), verify=False)
    second = list(module.body.block.ops)[1]
    second.properties["sym_name"] = StringAttr("f")
    assert "error[KC1101]: builtin.module: " in refusal(module)


def test_types_keep_their_numbers_when_the_memo_is_full(monkeypatch: pytest.MonkeyPatch):
    """Types that differ never have one number, whatever was forgotten between them."""
    monkeypatch.setattr(verify_changes, "_MEMO_SIZE", 2)
    numbers = [verify_changes._number(VectorType(f32, [n])) for n in (1, 2, 3, 4)]
    assert len(set(numbers)) == 4
    kept = VectorType(f32, [5])
    number = verify_changes._number(kept)
    for n in (6, 7, 8):
        assert verify_changes._number(VectorType(f32, [n])) != number
    assert verify_changes._number(kept) == number


def test_a_new_operation():
    module = verified()
    store = first(module, StoreOp)
    wrong = arith.AddfOp(store.value, store.value)
    Rewriter.replace_value_with_new_type(wrong.result, f64)
    store.parent.insert_op_before(wrong, store)
    assert "error[KC1101]: arith.addf: " in refusal(module)


def test_a_changed_attribute():
    module = verified()
    constant = first(module, arith.ConstantOp)
    constant.properties["value"] = IntegerAttr(1, i32)
    assert "error[KC1101]: arith.constant: " in refusal(module)


def test_a_number_that_is_no_index():
    module = verified(PROGRAM.replace("%A[%v]", "%A[%v * 1]"))
    load = first(module, LoadOp)
    too_large = AffineMap(1, 0, (AffineExpr.dimension(0) + 2**63,))
    load.properties["indices"] = AffineMapAttr(too_large)
    assert refusal(module).splitlines()[0] == (
        "error[KC1101]: tir.load: integer value 9223372036854775808 is out of range for an index"
    )


def test_a_changed_type_of_a_block_argument():
    module = verified()
    Rewriter.replace_value_with_new_type(first(module, BlockOp).body.block.args[0], i64)
    assert "error[KC1101]: tir." in refusal(module)


def test_a_value_that_is_not_defined_yet():
    module = verified()
    load, store = first(module, LoadOp), first(module, StoreOp)
    load.detach()
    store.parent.insert_op_before(load, store)
    assert refusal(module).startswith("error[KC1201]: arith.addf: %x is used before it is defined")


def test_a_value_of_another_region():
    module = verified()
    constant = first(module, arith.ConstantOp)
    constant.detach()
    store = first(module, StoreOp)
    store.parent.insert_op_before(constant, store)
    assert refusal(module).startswith("error[KC1201]: arith.addf: %c is used before it is defined")


def test_values_of_two_functions():
    module = verified(PROGRAM + PROGRAM.replace("@f", "@g"))
    f, g = loop_tree.functions(module)
    add = first(g, arith.AddfOp)
    add.operands[1] = first(f, arith.ConstantOp).result
    assert "error[KC1201]: arith.addf: %c" in refusal(module)


def test_control_flow_is_checked_by_its_dominators():
    text = """
func.func @f(%p: i1, %x: i32) -> i32 {
  cf.cond_br %p, ^a, ^b
^a:
  %y = arith.addi %x, %x : i32
  cf.br ^b
^b:
  %z = arith.addi %x, %y : i32
  func.return %z : i32
}"""
    assert refusal(parse(text, verify=False)).startswith("error[KC1201]: arith.addi: %y is used")
    verified(text.replace("%x, %y", "%x, %x"))


def test_a_part_of_a_module():
    """The surrounding program is taken to be right."""
    verify_changes.verify_changes(first(verified(), BlockOp))


# Domains -----------------------------------------------------------------------------------


def blocks(binding: str, loops: str = "%i in 8", extent: str = "8") -> str:
    return PROGRAM.replace("%v in 8 = %i", f"%v in {extent} = {binding}").replace("%i in 8", loops)


@pytest.mark.parametrize(
    ("text", "value", "where"),
    [
        (blocks("%i + 1"), 8, "i=7"),
        (blocks("%i - 1"), -1, "i=0"),
        (blocks("%i * 2"), 8, "i=4"),
        (blocks("%i", loops="%i in 9"), 8, "i=8"),
        (blocks("%i", extent="7"), 7, "i=7"),
        (blocks("%i").replace("= %i)", "= %i + 4) where (%i < 5)"), 8, "i=4"),
        (blocks("(%i + 5) mod 9"), 8, "i=3"),
    ],
)
def test_a_block_outside_of_its_domain(text: str, value: int, where: str):
    extent = 7 if "in 7 =" in text else 8
    assert (
        refusal(parse(text, verify=False))
        == f"""\
error[KC1202]: tir.block: block B runs for v = {value}, outside of its domain
  --> k.mlir:5:5
   |  v is in 0 <= v < {extent}
  why: the loops take it there at ({where})"""
    )


@pytest.mark.parametrize(
    "text",
    [
        blocks("7 - %i"),
        blocks("(%i + 3) mod 8"),
        blocks("%i + 4").replace("= %i + 4)", "= %i + 4) where (%i < 4)"),
        blocks("%i * 2").replace("= %i * 2)", "= %i * 2) where (7 - %i * 2 >= 0)"),
        blocks("%i * 3").replace("= %i * 3)", "= %i * 3) where (%i * 2 < 5)"),
        blocks("%i", loops="%i in %n"),  # the caller's business
        blocks("%i - 1", loops="%i in 0"),
        blocks("%i floordiv 2 + %i floordiv 3"),
    ],
)
def test_a_block_inside_of_its_domain(text: str):
    verified(text)


@pytest.mark.parametrize(
    ("binding", "condition", "value", "places"),
    [
        ("%j * 4 + %i", "5 - %i >= 0", 8, "j=1, i=4"),
        ("%j * 4 + %i", "7 - %j * 4 - %i >= 0", None, ""),
        ("%i + %j * 4", "%j <= 0", None, ""),
        ("%j * 4 + %i", "%j * 4 + %i <= 8", 8, "j=1, i=4"),
        ("%i + 4", "%j < 4", 8, "j=0, i=4"),  # says nothing of %i
        ("%j * 4 + %i", "3 - %j * 4 >= 0", None, ""),
    ],
)
def test_conditions_on_loops(binding: str, condition: str, value: int | None, places: str):
    """They count for the loops that they are about, in whatever order these are named."""
    text = blocks(f"{binding}) where ({condition}", loops="%j in 2 {\n  tir.for %i in 6")
    module = parse(text.replace("  func.return", "  }\n  func.return"), verify=False)
    if value is None:
        verify_changes.verify_all(module)
        return
    said = refusal(module)
    assert f"block B runs for v = {value}, outside of its domain" in said
    assert f"why: the loops take it there at ({places})" in said


def test_what_is_known_of_a_condition_is_of_its_loops():
    """Two loops that are alike have changed places in the condition."""
    inside = blocks("%i * 2 + %j) where (%j + %i * 2 <= 7", loops="%j in 6 {\n  tir.for %i in 6")
    inside = inside.replace("  func.return", "  }\n  func.return")
    verified(inside)
    outside = inside.replace("%j + %i * 2 <=", "%i + %j * 2 <=")
    assert "block B runs for v = 8, outside" in refusal(parse(outside, verify=False))


REDUCTION = """
func.func @f(%n: index, %A: memref<5x?xf32>, %C: memref<4xf32>) {
  tir.for %i in 5 {
    tir.for %k in %n {
      tir.block "C" (spatial %v_i in 4 = %i, reduce %v_k in %n = %k) init {
        %z = arith.constant 0.0 : f32
        tir.store %z, %C[%v_i] : memref<4xf32>
      } do {
        %a = tir.load %A[%v_i, %v_k] : memref<5x?xf32>
        %c = tir.load %C[%v_i] : memref<4xf32>
        %s = arith.addf %a, %c : f32
        tir.store %s, %C[%v_i] : memref<4xf32>
      }
    }
  }
  func.return
}
"""


def test_an_init_outside_of_its_domain():
    """It initialises its elements however long the reduction is."""
    assert (
        refusal(parse(REDUCTION, verify=False))
        == """\
error[KC1202]: tir.block: block C runs for v_i = 4, outside of its domain
  --> k.mlir:5:7
   |  v_i is in 0 <= v_i < 4
  why: the loops take it there at (i=4)"""
    )
    verified(REDUCTION.replace("%i in 5", "%i in 4"))
    verified(REDUCTION.replace("%i in 5", "%i in %n"))  # the caller's business
    verified(REDUCTION.replace("= %k) init", "= %k) where (%i < 4) init"))
    guarded = REDUCTION.replace("tir.for %k in %n {", "tir.if (%i < 4) { tir.for %k in %n {")
    verified(guarded.replace("    }\n  }\n  func.return", "    } }\n  }\n  func.return"))


def test_a_changed_loop_is_a_reason_to_look_at_its_blocks():
    module = verified()
    (loop,) = loop_tree.loops(module)
    loop.properties["extent"] = IntegerAttr(9, i64)
    assert refusal(module).startswith("error[KC1202]: tir.block: block B runs for v = 8, outside")


# Who calls it ------------------------------------------------------------------------------


def scheduled() -> tuple[te.Schedule, list[Any]]:
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1, name="B")
    return te.create_schedule(B.op), [A, B]


@pytest.fixture
def broken_split(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A split that makes the outer loop too long."""
    rewrite = Split.rewrite

    def too_long(self: Split, site: Any, plan: Any) -> Rewritten:
        done = rewrite(self, site, plan)
        done.loops[0].properties["extent"] = IntegerAttr(7, i64)
        return done

    monkeypatch.setattr(Split, "rewrite", too_long)
    monkeypatch.chdir(tmp_path)


SAID = (
    r"internal error in {} \(split left IR that does not verify: error\[KC1202\]: tir.block: block "
    r"B runs for v_i = 8, outside of its domain .*\); reproducer: (kc-reproducer-\w+\.mlir)"
)


def test_a_primitive_of_kc_that_is_wrong(broken_split: None):
    schedule, args = scheduled()
    sch = tir.Schedule(kc.lower(schedule, args))
    (i,) = sch.get_loops("B")
    before = str(sch.mod)
    said = SAID.format(r"Schedule.split\(LoopRV\(i\), \[None, 4\]\)")
    with pytest.raises(InternalError, match=said) as raised:
        sch.split(i, [None, 4])
    assert str(sch.mod) == before
    sch.unroll(i)  # the handle is still good
    text = Path(str(raised.value).rpartition(" ")[2]).read_text()
    assert "// [i] = sch.get_loops(block=B)" in text
    assert "// Schedule.split(LoopRV(i), [None, 4])\n" in text
    assert text.endswith(before)


def test_a_schedule_of_te(broken_split: None):
    schedule, args = scheduled()
    B = args[-1]
    schedule[B].split(B.op.axis[0], factor=4)
    for call in (kc.lower, kc.build):
        with pytest.raises(InternalError, match=SAID.format(f"kc.{call.__name__}")) as raised:
            call(schedule, args)
        text = Path(str(raised.value).rpartition(" ")[2]).read_text()
        assert "te.func @main" in text
        assert ".split(" in text


def test_a_pass_of_kc_that_is_wrong(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    from kc.transforms.tir.blocks.lower_blocks import LowerBlocksPass

    def wrong(self: Any, ctx: Any, op: ModuleOp) -> None:
        load = first(op, LoadOp)
        load.operands[0] = first(op, StoreOp).value

    monkeypatch.setattr(LowerBlocksPass, "apply", wrong)
    monkeypatch.chdir(tmp_path)
    schedule, args = scheduled()
    with pytest.raises(InternalError) as raised:
        kc.build(schedule, args)
    said = "pass 'lower-blocks' leaves IR that does not verify (ParseError: tir.load: "
    assert str(raised.value).startswith(said)
    text = Path(str(raised.value).rpartition(" ")[2]).read_text()
    assert "te.func @main" in text


def test_what_the_user_wrote_is_the_users_mistake():
    text = blocks("%i + 1")
    for use in (tir.Schedule, kc.build):
        with pytest.raises(ParseError, match="KC1202"):
            use(kc.IRModule.parse(text))


def test_only_equal_maps_have_one_number():
    texts = [
        *("() -> (0)", "() -> (1)", "(d0) -> (0)", "(d0) -> (d0)", "()[s0] -> (s0)"),
        *("(d0, d1) -> (d0)", "(d0, d1) -> (d1)", "(d0, d1) -> (d0, d1)", "(d0, d1) -> (d0 + d1)"),
        *("(d0) -> (d0 + 2)", "(d0) -> (d0 * 2)", "(d0) -> (d0 mod 2)"),
        *("(d0) -> (d0 floordiv 2)", "(d0) -> (d0 ceildiv 2)", "(d0)[s0] -> (d0 + s0)"),
    ]

    def number(text: str) -> int:
        return verify_changes._number(AffineMapAttr(Parser(Context(), text).parse_affine_map()))

    numbers = [number(text) for text in texts]
    assert len(set(numbers)) == len(texts)
    assert [number(text) for text in texts] == numbers
