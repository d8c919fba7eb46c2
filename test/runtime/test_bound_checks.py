"""Kernels with bound checks: a wrong access is told, a right one is not, and nothing ends."""

import threading
from pathlib import Path

import numpy as np
import pytest

import kc
from kc import te
from kc.error import CallError
from kc.support.diagnostics import diagnostic_handler

CHECKED = {"tir.instrument_bound_checkers": True}
WHY = "  why: the kernel has bound checks and stopped; unwritten elements are undefined"


def checked(inp, args=None, name="main"):
    with kc.transform.PassContext(config=CHECKED):
        return kc.build(inp, args, name=name)


def parse(text: str) -> kc.IRModule:
    return kc.IRModule.parse(text, "kernel.mlir")


def gather(schedule=lambda s, B: None):
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n,), name="A")
    I = te.placeholder((m,), name="I", dtype="int32")  # noqa: E741
    B = te.compute((m,), lambda i: A[I[i]], name="B")
    s = te.create_schedule(B.op)
    schedule(s, B)
    return checked(s, [A, I, B])


LINE = next(
    n for n, line in enumerate(Path(__file__).read_text().splitlines(), 1) if "A[I[i]]" in line
)


@pytest.mark.parametrize("index", [10, -1, 2**31 - 1, -(2**31)])
def test_a_wrong_index_is_told_with_its_line(index: int):
    f = gather()
    a = np.arange(10, dtype=np.float32)
    assert f(a, np.array([9, 0], np.int32)).tolist() == [9, 0]
    with pytest.raises(CallError) as caught:
        f(a, np.array([9, index, 77], np.int32))
    assert str(caught.value) == (
        f"error[KC5270]: main: A[{index}]: index {index} of dimension 0 is outside of [0, 10)\n"
        f'  --> {__file__}:{LINE}  B = te.compute((m,), lambda i: A[I[i]], name="B")\n'
        f"   |  it is read\n{WHY}"
    )
    assert f(a, np.array([9, 0], np.int32)).tolist() == [9, 0]  # nothing is left of it


def test_parallel_loops_stop():
    f = gather(lambda s, B: s[B].parallel(B.op.axis[0]))
    a = np.arange(10, dtype=np.float32)
    indices = np.zeros(100_000, np.int32)
    indices[50_000] = 10
    out = np.full(indices.shape, 7, np.float32)
    with pytest.raises(CallError, match=r"A\[10\]: index 10 of dimension 0"):
        f(a, indices, out)
    assert out[50_000] == 7
    indices[:] = 99
    out[:] = 7
    with pytest.raises(CallError, match=r"A\[99\]"):
        f(a, indices, out)
    assert (out == 7).all()


def test_calls_at_once_know_their_own_errors():
    f = gather(lambda s, B: s[B].parallel(B.op.axis[0]))
    a = np.arange(10, dtype=np.float32)
    told = []

    def work(index: int) -> None:
        for _ in range(50):
            try:
                assert (f(a, np.full(500, index, np.int32)) == index).all()
                told.append((index, None))
            except CallError as error:
                told.append((index, error.message))

    threads = [threading.Thread(target=work, args=(index,)) for index in (3, 12, 4, 15)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 200
    for index, message in told:
        wrong = f"main: A[{index}]: index {index} of dimension 0 is outside of [0, 10)"
        assert message == (None if index < 10 else wrong)


def test_all_ways_to_call():
    f = gather()
    a, bad = np.arange(10, dtype=np.float32), np.array([3, 10], np.int32)
    out = np.empty(2, np.float32)
    message = r"A\[10\]: index 10"
    with pytest.raises(CallError, match=message):
        f["main"](a, bad, out)
    with pytest.raises(CallError, match=message):
        f["main"].prepare(a, bad, out)()
    with pytest.raises(CallError, match=message):
        f.time_evaluator("main")(a, bad, out)
    assert f.time_evaluator("main")(a, bad - 1, out).mean >= 0
    assert out.tolist() == [2, 9]
    with pytest.raises(CallError, match="KC5101"):
        f(a)


ACCESSES = {
    "store": (
        "tir.store %x, %A[%i, 3] : memref<8x16xf32>",
        8,
        "main: A[8, 3]: index 8 of dimension 0 is outside of [0, 8)",
        "it is written",
    ),
    "vector load": (
        "%v = tir.load %A[2, %i] : memref<8x16xf32>, vector<4xf32>\n"
        "tir.store %v, %A[0, 0] : memref<8x16xf32>, vector<4xf32>",
        13,
        "main: A[2, 16]: index 16 of dimension 1 is outside of [0, 16)",
        "it is read, with 4 elements from A[2, 13] on",
    ),
    "vector store": (
        "%v = tir.load %A[2, 0] : memref<8x16xf32>, vector<4xf32>\n"
        "tir.store %v, %A[%i, %i] : memref<8x16xf32>, vector<4xf32>",
        -3,
        "main: A[-3, -3]: index -3 of dimension 0 is outside of [0, 8); "
        "index -3 of dimension 1 is outside of [0, 16)",
        "it is written, with 4 elements from A[-3, -3] on",
    ),
    "masked load": (
        "%v = arith.constant dense<0.0> : vector<4xf32>\n"
        "%c3 = arith.constant 3 : index\n"
        "%m = vector.create_mask %c3 : vector<4xi1>\n"
        '%w = "vector.maskedload"(%A, %c3, %i, %m, %v) : '
        "(memref<8x16xf32>, index, index, vector<4xi1>, vector<4xf32>) -> vector<4xf32>\n"
        "tir.store %w, %A[0, 0] : memref<8x16xf32>, vector<4xf32>",
        14,
        "main: A[3, 16]: index 16 of dimension 1 is outside of [0, 16)",
        "it is read",
    ),
    "called": (
        "func.call @part(%A, %i, %x) : (memref<8x16xf32>, index, f32) -> ()\n"
        "tir.store %x, %A[0, 1] : memref<8x16xf32>",
        8,
        "main: P[8, 0]: index 8 of dimension 0 is outside of [0, 8)",
        "it is written, in part",
    ),
}


@pytest.mark.parametrize("kind", ACCESSES)
def test_kinds_of_accesses(kind: str):
    """``index`` is wrong, and the greatest that is right (-3: 0) is not."""
    body, index, message, fact = ACCESSES[kind]
    f = checked(
        parse(f"""
func.func @main(%A: memref<8x16xf32>, %i: index, %x: f32) {{
  {body}
  func.return
}}
func.func private @part(%P: memref<8x16xf32>, %i: index, %x: f32) {{
  tir.store %x, %P[%i, 0] : memref<8x16xf32>
  func.return
}}""")
    )
    a = np.zeros((8, 16), np.float32)
    f(a, max(index - 1, 0), 1.0)
    a[:] = 0
    with pytest.raises(CallError) as caught:
        f(a, index, 1.0)
    assert caught.value.message == message
    assert caught.value.facts == (fact,)
    assert str(caught.value.location).startswith("kernel.mlir:")
    assert not a.any()  # what comes after is not done, in the caller neither


def test_a_view_is_inside():
    text = """
func.func @main(%A: memref<8x16xf32>, %i: index, %x: f32) {
  %v = tir.view %A[%i, 4] : memref<8x16xf32> to memref<4xf32, strided<[1], offset: ?>>
  tir.store %x, %v[3] : memref<4xf32, strided<[1], offset: ?>>
  func.return
}"""
    f = checked(parse(text))
    a = np.zeros((8, 16), np.float32)
    f(a, 7, 1.0)
    assert a[7, 7] == 1
    with pytest.raises(CallError) as caught:
        f(a, 8, 1.0)
    assert caught.value.message == "main: A[8, 4]: index 8 of dimension 0 is outside of [0, 8)"
    assert caught.value.facts == ("it is in a view",)


def test_branches_not_taken_are_no_accesses():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute(
        (n,), lambda i: te.if_then_else(te.all(i > 0, i < n - 1), A[i - 1] + A[i + 1], 0.0)
    )
    s = te.create_schedule(B.op)
    outer, inner = s[B].split(B.op.axis[0], 8)
    s[B].vectorize(inner)
    f = checked(s, [A, B])
    for size in (0, 1, 7, 8, 9, 33):
        a = np.arange(size, dtype=np.float32)
        expected = np.zeros_like(a)
        expected[1:-1] = a[:-2] + a[2:]
        assert np.array_equal(f(a), expected)


def test_indices_that_overflow():
    """An i32 index that wraps around is a wrong index; those of index type do not."""
    A = te.placeholder((16,), name="A")
    k = te.var("k", "int32")
    B = te.compute((4,), lambda i: A[(i.astype("int32") + 2) * k], name="B")
    f = checked(te.create_schedule(B.op), [A, k, B])
    a = np.arange(16, dtype=np.float32)
    assert f(a, 3).tolist() == [6, 9, 12, 15]
    with pytest.raises(CallError, match=r"A\[-2147483648\]: index -2147483648 of dimension 0"):
        f(a, 2**30)


def test_files_are_refused(tmp_path: Path):
    f = gather()
    for save in (
        lambda: f.save(tmp_path / "f.o"),
        lambda: f.save(tmp_path / "f.mlir"),
        lambda: f.export_library(tmp_path / "f.so", lambda *_: None),
        lambda: f.save_header(tmp_path / "f.h"),
    ):
        with pytest.raises(CallError) as caught:
            save()
        assert str(caught.value) == (
            "error[KC5271]: a module with bound checks cannot be saved\n"
            "  why: its kernels write their reports to memory of this process\n"
            "  try: build it without tir.instrument_bound_checkers and KC_BOUND_CHECKS"
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("target", ["c", "llvm -mtriple=aarch64-linux-gnu"])
def test_targets_without_checks_are_told(target: str):
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1.0)
    said = []
    with kc.transform.PassContext(config=CHECKED), diagnostic_handler(said.append):
        module = kc.build(te.create_schedule(B.op), [A, B], target)
    (warning,) = (it for it in said if it.kind == "warning")
    assert (warning.code, warning.why) == (
        "KC5272",
        "bound checks require code that LLVM compiles for this machine",
    )
    assert warning.message.startswith("the kernels have no bound checks: the target is ")
    assert "kc_out_of_bounds" not in module.get_source()


def test_the_pass_can_be_left_out():
    """By its name, or by an instrument: a kernel is an ordinary one then."""

    class Without(kc.instrument.PassInstrument):
        def should_run(self, mod: kc.IRModule, info: kc.transform.PassInfo) -> bool:
            return info.name != "instrument-bound-checkers"

    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1.0)
    for details in (
        {"disabled_pass": ["tir.InstrumentBoundCheckers"]},
        {"instruments": [Without()]},
    ):
        with kc.transform.PassContext(config=CHECKED, **details):  # pyright: ignore[reportArgumentType]
            module = kc.build(te.create_schedule(B.op), [A, B])
        assert "kc_out_of_bounds" not in module.get_source("ll")
        assert module(np.ones(4, np.float32)).tolist() == [2] * 4


def test_the_environment_asks_for_checks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1.0)
    args = te.create_schedule(B.op), [A, B]
    monkeypatch.setenv("KC_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("KC_BOUND_CHECKS", "1")
    module = kc.build(*args)
    assert "kc_out_of_bounds" in module.get_source("ll")
    assert module(np.ones(4, np.float32)).tolist() == [2] * 4
    assert not list(tmp_path.iterdir())  # it is not cached
    with kc.transform.PassContext(config={"tir.instrument_bound_checkers": False}):
        assert "kc_out_of_bounds" not in kc.build(*args).get_source("ll")
    monkeypatch.setenv("KC_BOUND_CHECKS", "0")
    assert "kc_out_of_bounds" not in kc.build(*args).get_source("ll")


@pytest.mark.parametrize(
    ("i", "j", "place", "wrong"),
    [
        (3, 2, "4, 2", "index 4 of dimension 0 is outside of [0, 4)"),
        (2, 3, "2, 5", "index 5 of dimension 1 is outside of [0, 5)"),
        (-1, 0, "-1, 0", "index -1 of dimension 0 is outside of [0, 4)"),
    ],
)
def test_vectors_of_several_dimensions_are_checked_in_each(i: int, j: int, place: str, wrong: str):
    f = checked(
        parse("""
func.func @f(%A: memref<4x5xf32>, %i: index, %j: index) {
  %v = vector.load %A[%i, %j] : memref<4x5xf32>, vector<2x3xf32>
  vector.store %v, %A[%i, %j] : memref<4x5xf32>, vector<2x3xf32>
  return
}
"""),
        name="f",
    )
    A = np.zeros((4, 5), np.float32)
    f(A, 2, 2)
    with pytest.raises(CallError) as caught:
        f(A, i, j)
    assert str(caught.value) == (
        f"error[KC5270]: f: A[{place}]: {wrong}\n"
        "  --> kernel.mlir:3:3\n"
        f"   |  it is read, with 2x3 elements from A[{i}, {j}] on\n{WHY}"
    )
