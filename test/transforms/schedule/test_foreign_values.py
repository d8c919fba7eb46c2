"""Values that other threads and blocks of threads write: what is refused, and what is left alone.

Each program is beside one that differs in who writes, and is accepted where the other is not.
"""

from __future__ import annotations

import pytest

import kc
from kc import tir
from kc.error import KCError
from kc.support.registry import context, get_pass

READ = """tir.for %j in 8 {
      tir.block "R" (spatial %u in 4 = %b, spatial %v in 8 = %j) do {
        %g = tir.load %G[%v] : memref<8xf32>
        tir.store %g, %C[%u, %v] : memref<4x8xf32>
      }
    }
"""
WRITE = """tir.for %i in 8 {
      tir.block "W" (spatial %v in 8 = %i) do {
        %a = tir.load %A[%v] : memref<8xf32>
        tir.store %a, %G[%v] : memref<8xf32>
      }
    }
"""


def refusal_of(text: str) -> str:
    """The code with which verify-gpu-code refuses a module; empty if it does not."""
    try:
        get_pass("verify-gpu-code").apply(context(), kc.IRModule.parse(text).op)
    except KCError as error:
        return error.code
    return ""


@pytest.mark.parametrize(("body", "code"), [(WRITE + READ, ""), (READ + WRITE, "KC3408")])
def test_what_all_blocks_write_alike_is_read_behind_ones_own(body: str, code: str):
    kernel = f"""func.func @f(%A: memref<8xf32>, %G: memref<8xf32>, %C: memref<4x8xf32>) {{
  tir.for %b in 4 thread "blockIdx.x" {{
    {body}
  }}
  func.return
}}"""
    assert refusal_of(kernel) == code


@pytest.mark.parametrize(("loop", "code"), [("", ""), (' thread "threadIdx.x"', "KC3408")])
def test_what_all_threads_write_is_in_the_memory_of_each_warp(loop: str, code: str):
    """Wherever that is: the address is not known."""
    kernel = f"""func.func @f(%A: memref<64xf32>, %I: memref<64xindex>, %C: memref<64xf32>) {{
  tir.for %b in 1 thread "blockIdx.x" {{
    %S = tir.alloc "S" : memref<64xf32, "warp">
    tir.for %j in 64{loop} {{
      tir.block "S" (opaque %v in 64 = %j) do {{
        %a = tir.load %A[%v] : memref<64xf32>
        %i = tir.load %I[%v] : memref<64xindex>
        tir.store %a, %S[%i] : memref<64xf32, "warp">
      }}
    }}
    tir.for %x in 64 thread "threadIdx.x" {{
      tir.block "C" (spatial %v in 64 = %x) do {{
        %s = tir.load %S[63 - %v] : memref<64xf32, "warp">
        tir.store %s, %C[%v] : memref<64xf32>
      }}
    }}
  }}
  func.return
}}"""
    assert refusal_of(kernel) == code


@pytest.mark.parametrize(
    ("scope", "code"), [("warp", ""), ("shared", "KC3415"), ("global", "KC3415")]
)
def test_threads_that_share_no_warp_do_not_disturb_each_other_in_its_memory(scope: str, code: str):
    sch = tir.Schedule(
        kc.IRModule.parse("""func.func @f(%A: memref<4xf32>, %C: memref<4x8xf32>) {
  tir.for %y in 4 thread "threadIdx.y" {
    %S = tir.alloc "S" : memref<1xf32, "local">
    tir.block "W" (spatial %v in 4 = %y, spatial %u in 1 = 0) do {
      %a = tir.load %A[%v] : memref<4xf32>
      tir.store %a, %S[%u] : memref<1xf32, "local">
    }
    tir.for %x in 8 thread "threadIdx.x" {
      tir.block "C" (spatial %v in 4 = %y, spatial %w in 8 = %x) do {
        %s = tir.load %S[0] : memref<1xf32, "local">
        tir.store %s, %C[%v, %w] : memref<4x8xf32>
      }
    }
  }
  func.return
}""")
    )
    codes: list[str] = []
    try:
        sch.set_scope("W", 0, scope)
    except KCError as error:
        codes.append(error.code)
    assert codes == [code] * bool(code)


@pytest.mark.parametrize(
    ("scope", "code"), [("shared.dyn", ""), ("global", ""), ("warp", "KC3408"), ("local", "KC3408")]
)
def test_threads_that_exchange_values_keep_memory_that_they_share(scope: str, code: str):
    sch = tir.Schedule(
        kc.IRModule.parse("""func.func @f(%A: memref<4xf32>, %C: memref<4xf32>) {
  %S = tir.alloc "S" : memref<4xf32, "shared">
  tir.for %y in 4 thread "threadIdx.y" {
    tir.block "W" (spatial %v in 4 = %y) do {
      %a = tir.load %A[%v] : memref<4xf32>
      tir.store %a, %S[%v] : memref<4xf32, "shared">
    }
    tir.block "C" (spatial %v in 4 = %y) do {
      %s = tir.load %S[3 - %v] : memref<4xf32, "shared">
      tir.store %s, %C[%v] : memref<4xf32>
    }
  }
  func.return
}""")
    )
    codes: list[str] = []
    try:
        sch.set_scope("W", 0, scope)
    except KCError as error:
        codes.append(error.code)
    assert codes == [code] * bool(code)


EARLIER = """tir.for %x in 4 thread "blockIdx.x" {
    tir.block "E" (spatial %v in 4 = %x) do {
      %a = tir.load %A[%v] : memref<4xf32>
      tir.store %a, %B[%v] : memref<4xf32>
    }
  }"""


@pytest.mark.parametrize("before", ["", EARLIER])
def test_a_copy_in_no_loop_of_an_axis_of_blocks(before: str):
    """Each block along it makes one, of what all write, and others have in an earlier kernel."""
    sch = tir.Schedule(
        kc.IRModule.parse(f"""func.func @f(%A: memref<4xf32>, %C: memref<4xf32>,
                     %D: memref<4x4xf32>) {{
  %B = tir.alloc "B" : memref<4xf32>
  {before}
  tir.for %y in 4 thread "blockIdx.y" {{
    tir.block "P" (spatial %v in 4 = %y) do {{
      %a = tir.load %A[%v] : memref<4xf32>
      tir.store %a, %B[%v] : memref<4xf32>
    }}
    tir.block "C" (spatial %v in 4 = %y) do {{
      %b = tir.load %B[%v] : memref<4xf32>
      tir.store %b, %C[%v] : memref<4xf32>
    }}
    tir.for %x in 4 thread "blockIdx.x" {{
      tir.block "D" (spatial %v in 4 = %y, spatial %w in 4 = %x) do {{
        %z = arith.constant 0.0 : f32
        tir.store %z, %D[%v, %w] : memref<4x4xf32>
      }}
    }}
  }}
  func.return
}}""")
    )
    sch.cache_read("C", 0, "local")
    assert sch.get(sch.get_loops("B_local")[0]).label == "y"
