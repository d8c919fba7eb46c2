"""The buffer of a block that a reference names, and the refusal of a reference that names none."""

from __future__ import annotations

from typing import Any

import pytest

import kc
from kc.support.diagnostics import ScheduleError

TEXT = """
func.func @f(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v in 8 = %i) do {
      %a = tir.load %A[%v] : memref<8xf32>
      tir.store %a, %C[%v] : memref<8xf32>
    }
  }
  func.return
}"""


@pytest.mark.parametrize("reference", [("red", 0), ("write",), ["read", 0, 1], ()])
def test_what_is_no_side_and_position(reference: Any):
    sch = kc.tir.Schedule(kc.IRModule.parse(TEXT))
    before = str(sch.mod)
    with pytest.raises(ScheduleError) as caught:
        sch.transform_layout("C", reference, lambda i: (i // 4, i % 4))
    error = caught.value
    assert error.location is not None
    assert error.location.file == __file__
    assert (error.code, error.message) == ("KC3300", f"{list(reference)!r} is not a buffer")
    assert error.why is None
    assert error.hints == ('("read", 0)', '("write", 0)')
    assert str(sch.mod) == before
