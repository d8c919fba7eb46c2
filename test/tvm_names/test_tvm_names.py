"""Names that programs for TVM's TensorIR use: of arguments, in printed text, and warnings."""

import inspect
from typing import Any

import pytest

from kc import te, tir
from kc.support.diagnostics import diagnostic_handler

SIGNATURES = {
    "cache_inplace": "block read_buffer_index storage_scope",
    "cache_index": "block storage_scope cse_thresh",
    "cache_read": "block read_buffer_index storage_scope consumer_blocks",
    "cache_write": "block write_buffer_index storage_scope consumer_blocks",
    "compute_at": "block loop preserve_unit_loops index",
    "read_at": "loop block read_buffer_index storage_scope",
    "set_scope": "block buffer_index storage_scope",
    "split": "loop factors preserve_unit_iters disable_predication",
    "storage_align": "block buffer_index axis factor offset",
    "transform_layout": "block buffer index_map pad_value assume_injective_transform",
    "write_at": "loop block write_buffer_index storage_scope",
}


def schedule() -> tir.Schedule:
    A = te.placeholder((16, 8), name="A")
    B = te.compute((16, 8), lambda i, j: A[i, j] + 1.0, name="B")
    C = te.compute((16, 8), lambda i, j: B[i, j] * 2.0, name="C")
    return tir.Schedule(te.create_prim_func([A, C]))


@pytest.mark.parametrize("method", SIGNATURES)
def test_arguments_have_tvms_names_and_places(method):
    names = [parameter for parameter in inspect.signature(getattr(tir.Schedule, method)).parameters]
    wanted = SIGNATURES[method].split()
    assert names[1 : 1 + len(wanted)] == wanted


def test_the_names_of_options_are_understood_too():
    by_tvm, by_kc = schedule(), schedule()
    by_tvm.cache_read("C", read_buffer_index=0, storage_scope="local")
    # What the stub for editors does not offer.
    cache_read: Any = by_kc.cache_read
    cache_read("C", buffer=0, scope="local")
    assert str(by_tvm.mod) == str(by_kc.mod)
    with pytest.raises(tir.ScheduleError, match="'read_buffer_index' is given twice"):
        cache_read("C", 0, buffer=0)


def test_a_loop_is_printed_by_its_name():
    sch = schedule()
    i, _ = sch.get_loops("C")
    outer, _ = sch.split(i, [None, 4])
    sch.compute_at("B", outer)
    text = str(sch.mod)
    for block in "BC":
        for loop in sch.get_loops(block):
            assert f"tir.for %{sch.get(loop).label} in " in text
    assert str(type(sch.mod).parse(text)) == text


def test_no_warning_of_shared_memory_among_threads():
    seen = []
    with diagnostic_handler(lambda warning: seen.append(warning.code)):
        sch = schedule()
        sch.cache_read("C", 0, "shared")
        assert seen == ["KC3302"]
        sch = schedule()
        sch.bind(sch.get_loops("B")[0], "blockIdx.x")
        sch.cache_read("C", 0, "shared")
    assert seen == ["KC3302"]
