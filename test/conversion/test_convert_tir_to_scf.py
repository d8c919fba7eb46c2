"""convert-tir-to-scf: index arithmetic, buffers, symbols, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import memref
from xdsl.dialects.scf import ForOp, ParallelOp
from xdsl.ir import Operation

sys.path.append(str(Path(__file__).parent.parent / "transforms" / "tir"))

from lowering_support import lower, lowered, outputs, parse, text_of

from kc.conversion.convert_tir_to_scf import STACK_BYTES, ConvertTirToScfPass
from kc.support.deep import run_deep
from kc.support.diagnostics import CodegenError


def parent_name(op: Operation) -> str:
    """The name of the op around ``op``."""
    parent = op.parent_op()
    assert parent is not None
    return parent.name


def converted(text: str) -> str:
    return lowered(text, ConvertTirToScfPass())


INDEX = """func.func @f(%x: index, %y: index, %R: memref<1xi64>) {{
  tir.for %i in 5 {{
    %v = tir.apply ({expr})
    %w = arith.index_cast %v : index to i64
    %r = tir.load %R[0] : memref<1xi64>
    %h = arith.constant 31 : i64
    %s = arith.muli %r, %h : i64
    %t = arith.addi %s, %w : i64
    tir.if ({expr} > 3) {{
      tir.store %t, %R[0] : memref<1xi64>
    }} else {{
      tir.store %w, %R[0] : memref<1xi64>
    }}
  }}
  func.return
}}"""


def _binary(children):
    sizes = st.sampled_from([1, 2, 3, 5, 8, 64])
    return st.one_of(
        st.tuples(children, children).map(lambda pair: f"({pair[0]} + {pair[1]})"),
        st.tuples(children, children).map(lambda pair: f"({pair[0]} - {pair[1]})"),
        st.tuples(children, st.integers(-3, 5)).map(lambda pair: f"({pair[0]} * {pair[1]})"),
        st.tuples(children, sizes).map(lambda pair: f"({pair[0]} floordiv {pair[1]})"),
        st.tuples(children, sizes).map(lambda pair: f"({pair[0]} mod {pair[1]})"),
        st.tuples(children, sizes).map(lambda pair: f"({pair[0]} ceildiv {pair[1]})"),
    )


EXPRS = st.recursive(st.sampled_from(["%x", "%y", "%i", "7"]), _binary, max_leaves=6)


@given(EXPRS, st.integers(-70, 70), st.integers(-70, 70))
def test_index_expressions_are_exact(expr, x, y):
    text = INDEX.format(expr=expr)
    module = parse(text)
    args = [x, y, np.zeros(1, np.int64)]
    (want,) = outputs(module, args)
    lower(module, [ConvertTirToScfPass()])
    (got,) = outputs(module, args)
    np.testing.assert_array_equal(got, want)


def test_what_a_loop_does_not_change_is_computed_before_it_and_once():
    text = converted(
        """func.func @f(%A: memref<64x64xf32>) {
          tir.for %i in 8 {
            tir.for %j in 8 {
              %a = tir.load %A[%j + %i * 8, %i * 8] : memref<64x64xf32>
              tir.store %a, %A[%i * 8, %j + %i * 8 + 1] : memref<64x64xf32>
            }
          }
          func.return
        }"""
    )
    assert text.count("arith.muli") == 1
    assert text.index("arith.muli") < text.index("scf.for %j")
    assert text.count("arith.addi") == 2


def test_a_division_by_a_symbol_stays_behind_its_guard():
    text = converted(
        """func.func @f(%A: memref<64xf32>, %n: index, %x: index) {
          %a = tir.load %A[0] : memref<64xf32>
          tir.if (%n > 0) {
            %i, %j = tir.delinearize %x by [%n, %n]
            tir.store %a, %A[%i + %j] : memref<64xf32>
          }
          func.return
        }"""
    )
    assert text.index("scf.if") < text.index("arith.divsi") < text.index("memref.store")


def _buffers(text: str):
    module = parse(text)
    lower(module, [ConvertTirToScfPass()])
    return module, [
        op
        for op in module.walk()
        if isinstance(op, memref.AllocOp | memref.AllocaOp | memref.DeallocOp)
    ]


def test_small_buffers_are_on_the_stack_of_the_function_or_of_the_parallel_body():
    module, (outer, inner) = _buffers(
        """func.func @f(%A: memref<64xf32>) {
          tir.for %i in 8 {
            %t = tir.alloc "t" : memref<8x4xf32, "local">
            %a = tir.load %A[%i] : memref<64xf32>
            tir.store %a, %t[%i, 0] : memref<8x4xf32, "local">
          }
          tir.for %i in 8 parallel {
            tir.for %k in 8 parallel {
              %u = tir.alloc "u" : memref<8xi1>
              %a = tir.load %u[%k] : memref<8xi1>
            }
          }
          func.return
        }"""
    )
    assert isinstance(outer, memref.AllocaOp)
    assert parent_name(outer) == "func.func"
    assert str(outer.memref.type) == 'memref<8x4xf32, "local">'
    assert outer.alignment is not None
    assert outer.alignment.value.data == 64
    assert isinstance(inner.parent_op(), ParallelOp)
    assert str(inner.memref.type) == "memref<8xi8>"
    assert sum(isinstance(op, ParallelOp) for op in module.walk()) == 1


def test_the_stack_is_limited_and_has_small_buffers_first():
    panel, half = STACK_BYTES // 4, STACK_BYTES // 8
    _, buffers = _buffers(
        f"""func.func @f() {{
          tir.for %i in 8 {{
            %t = tir.alloc "t" : memref<{panel}xf32>
            %u = tir.alloc "u" : memref<{half}xf32>
            %v = tir.alloc "v" : memref<1xi8>
            func.call @use(%t, %u, %v) :
              (memref<{panel}xf32>, memref<{half}xf32>, memref<1xi8>) -> ()
          }}
          tir.for %j in 8 parallel {{
            %w = tir.alloc "w" : memref<{panel}xf32>
            func.call @use_other(%w) : (memref<{panel}xf32>) -> ()
          }}
          func.return
        }}
        func.func private @use(memref<{panel}xf32>, memref<{half}xf32>, memref<1xi8>)
        func.func private @use_other(memref<{panel}xf32>)"""
    )
    assert [
        (op.name, parent_name(op), op.results and op.results[0].name_hint) for op in buffers
    ] == [
        ("memref.alloca", "func.func", "u"),
        ("memref.alloca", "func.func", "v"),
        # No longer in the loop: its size is a constant.
        ("memref.alloc", "func.func", "t"),
        # A parallel loop has a stack of its own.
        ("memref.alloca", "scf.parallel", "w"),
        ("memref.dealloc", "func.func", ()),
    ]


def test_buffers_of_symbolic_size_live_where_their_sizes_are_known():
    _, buffers = _buffers(
        """func.func @f(%n: index, %m: index) {
          tir.for %i in 8 parallel {
            tir.for %j in %m {
              %p = tir.apply (%n + 1)
              %t = tir.alloc "t" (%p) : memref<?xf32>
              %u = tir.alloc "u" (%j) : memref<?xf32>
              %a = tir.load %t[%j] : memref<?xf32>
              tir.store %a, %u[0] : memref<?xf32>
            }
          }
          func.return
        }"""
    )
    where = [(op.name, parent_name(op)) for op in buffers]
    assert where == [
        ("memref.alloc", "scf.parallel"),
        ("memref.alloc", "scf.for"),
        ("memref.dealloc", "scf.for"),
        ("memref.dealloc", "scf.parallel"),
    ]


def test_kinds_of_loops():
    module = parse(
        """func.func @f(%A: memref<64xf32>) {
          tir.for %i in 2 parallel {
            tir.for %j in 2 parallel {
              tir.for %k in 2 unrolled {
                %a = tir.load %A[%i + %j + %k] : memref<64xf32>
                tir.store %a, %A[%i * 4 + %j * 2 + %k] : memref<64xf32>
              }
            }
          }
          func.return
        }"""
    )
    lower(module, [ConvertTirToScfPass()])
    kinds = [op.name for op in module.walk() if isinstance(op, ForOp | ParallelOp)]
    assert kinds == ["scf.parallel", "scf.for", "scf.for"]
    unroll = "llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>"
    assert text_of(module).count(unroll) == 1


SYMBOLS = """
func.func @f(%A: memref<?x?xf32> {kc.name = "A", kc.shape = affine_map<()[s0, s1] -> (s1 * 2, s1)>},
             %k: index {kc.symbol = "n", llvm.noundef}, %B: memref<2xi64>)
    attributes {kc.symbols = ["n", "m"]} {
  %n = tir.symbol "n"
  %m = tir.symbol "m"
  %s = arith.index_cast %n : index to i64
  %t = arith.index_cast %m : index to i64
  tir.store %s, %B[0] : memref<2xi64>
  tir.store %t, %B[1] : memref<2xi64>
  func.return
}
"""


def test_symbols_come_from_arguments():
    module = parse(SYMBOLS)
    lower(module, [ConvertTirToScfPass()])
    assert outputs(module, [np.zeros((6, 3), np.float32), 11, np.zeros(2, np.int64)])[
        1
    ].tolist() == [11, 3]
    text = text_of(module)
    assert "kc." not in text
    assert "llvm.noundef" in text


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ('tir.block "C" () do { }', "KC4201", "block C is left"),
        ("tir.for %i in 8 vectorized { }", "KC4202", "the vectorized loop i was not lowered"),
        ('%n = tir.symbol "n"', "KC4204", "no argument determines the size n"),
    ],
)
def test_refusals_change_nothing(body, code, message):
    text = f"func.func @f(%A: memref<4xi1>) {{ tir.for %x in 4 {{ }} {body} func.return }}"
    module = parse(text)
    before = text_of(module)
    with pytest.raises(CodegenError, match=message) as caught:
        lower(module, [ConvertTirToScfPass()])
    assert caught.value.code == code
    assert text_of(module) == before


def test_deep_nests():
    depth = 1000
    loops = "".join(f"tir.for %x{n} in 1 {{\n" for n in range(depth))
    body = "tir.if (%x3 < %n) { tir.store %v, %A[%x999] : memref<4xf32> }"
    text = (
        f"func.func @f(%A: memref<4xf32>, %n: index, %v: f32) {{ {loops} {body} {'}' * depth}"
        " func.return }"
    )

    def check() -> None:
        module = parse(text)
        lower(module, [ConvertTirToScfPass()])
        assert sum(isinstance(op, ForOp) for op in module.walk()) == depth

    run_deep(check, depth)
