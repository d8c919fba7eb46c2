"""The state of a schedule by TVM's names, and what tir.analysis tells of functions."""

# ruff: noqa: F821
# pyright: basic, reportUndefinedVariable=false, reportAttributeAccessIssue=false
# pyright: reportIndexIssue=false, reportOperatorIssue=false, reportInvalidTypeForm=false
# pyright: reportArgumentType=false, reportOptionalMemberAccess=false, reportCallIssue=false

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.dialects.tir import BlockOp, ForOp
from kc.ir import Range
from kc.script import tir as T
from kc.tir.schedule import Dependency, DepKind


@T.prim_func
def chain(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((16, 16), "float32")
    for i, j in T.grid(16, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + 1.0
    for i, k in T.grid(16, 16):
        with T.block("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = 0.0
            C[vi] = C[vi] + B[vi, vk]
    for i, j in T.grid(16, 16):
        with T.block("again"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = 0.0


def test_references_to_loops_and_blocks():
    sch = tir.Schedule(chain)
    block = sch.get_block("B")
    i, j = sch.get_loops(block)
    ref = sch.get_sref(block)
    assert isinstance(ref, tir.StmtSRef)
    assert isinstance(ref.stmt, BlockOp)
    assert ref == sch.get_sref(sch.get(block)) == sch.state.get_sref(sch.get(block))
    assert ref.parent == sch.get_sref(j)
    assert isinstance(ref.parent.stmt, ForOp)
    root = sch.get_sref(sch.get_block("root"))
    assert sch.get_sref(i).parent == root
    assert root.parent is None
    assert sch.state.get_sref(kc.IRModule) is None
    assert tir.ScheduleState(chain).get_sref(sch.get(block)) is None  # of another copy
    sch.fuse(i, j)
    assert sch.get_sref(block).parent.parent == sch.get_sref(sch.get_block("root"))


def test_dependences_of_blocks():
    sch = tir.Schedule(chain)
    b, c, again = (sch.get_sref(sch.get_block(name)) for name in ("B", "C", "again"))
    scope = sch.state.get_block_scope(sch.get_sref(sch.get_block("root")))
    assert isinstance(scope, tir.BlockScope)
    assert scope.get_deps_by_src(b) == [
        Dependency(b, c, DepKind.RAW),
        Dependency(b, again, DepKind.WAW),
    ]
    assert scope.get_deps_by_dst(again) == [
        Dependency(b, again, DepKind.WAW),
        Dependency(c, again, DepKind.WAR),
    ]
    with pytest.raises(tir.ScheduleError, match="KC3126.*the reference is to a loop"):
        sch.state.get_block_scope(sch.get_sref(sch.get_loops("B")[0]))
    with pytest.raises(tir.ScheduleError, match="KC3121.*int is not a module"):
        tir.ScheduleState(3)


def test_questions_about_functions():
    analysis = tir.analysis
    assert analysis.verify_ssa(chain)
    assert analysis.verify_well_formed(chain)
    assert analysis.estimate_tir_flops(chain) == 512
    assert analysis.calculate_workspace_bytes(chain) == 1024
    assert analysis.calculate_workspace_bytes(chain, 4096) == 4096
    sch = tir.Schedule(chain)
    block = sch.get(sch.get_block("C"))
    reads, writes = analysis.get_block_read_write_region(block)
    assert [buffer.name_hint for buffer in reads] == ["C", "B"]
    assert [buffer.name_hint for buffer in writes] == ["C"]
    around = analysis.detect_buffer_access_lca(sch.mod)
    names = {buffer.name_hint: type(op).__name__ for buffer, op in around.items()}
    assert names == {"A": "BlockOp", "B": "FuncOp", "C": "BlockOp"}
    n, m = te.var("n"), te.var("m")
    assert analysis.expr_deep_equal(n + 1, n + 1)
    assert not analysis.expr_deep_equal(n + 1, m + 1)
    assert analysis.undefined_vars(n * m + n, [m]) == [n]
    with pytest.raises(kc.KCError, match="KC0082.*estimate_tir_flops: int is not a module"):
        analysis.estimate_tir_flops(1)


def test_kernels_fit_limits():
    sch = tir.Schedule(chain)
    for name in ("B", "again"):
        i, j = sch.get_loops(name)
        sch.bind(i, "blockIdx.x")
        sch.bind(j, "threadIdx.x")
    sch.bind(sch.get_loops("C")[0], "threadIdx.x")
    verify = tir.analysis.verify_gpu_code
    assert verify(sch.mod)
    assert verify(sch.mod, {"max_threads_per_block": 16, "max_thread_x": 16})
    assert not verify(sch.mod, {"max_threads_per_block": 8})
    assert not verify(sch.mod, {"max_thread_x": 8})
    assert tir.analysis.verify_memory(sch.mod)
    shared = tir.Schedule(chain)
    shared.set_scope("B", 0, "shared")
    for name in ("B", "C", "again"):
        shared.bind(shared.get_loops(name)[0], "threadIdx.x")
    assert not tir.analysis.verify_memory(shared.mod)


def test_memory_hints_and_parts_by_their_classes():
    A, C = (tir.decl_buffer((4, 4), "float32", name) for name in "AC")
    part = tir.decl_buffer((4,), "float32", "row")
    memory = tir.decl_buffer((4,), "float32", "memory")
    i, j = tir.Var("i", "int32"), tir.Var("j", "int32")
    vi = tir.Var("vi", "int32")
    source = tir.BufferRegion(A, [Range(2, 3), Range(0, 4)])
    match = tir.MatchBufferRegion(part, source)
    assert isinstance(match, tir.MatchBufferRegion)
    block = tir.Block(
        [tir.IterVar((0, 4), vi, tir.IterVar.DataPar)],
        [],
        [],
        "copy",
        tir.SeqStmt(
            [tir.Prefetch(A, [Range(vi, vi + 1), Range(0, 4)]),
             tir.For(j, 0, 4, 0, tir.BufferStore(C, part[j] + memory[j], [vi, j]))]
        ),
        match_buffers=[match],
    )  # fmt: skip
    nest = tir.For(i, 0, 4, 0, tir.BlockRealize([i], True, block))
    fill = tir.For(j, 0, 4, 0, tir.BufferStore(memory, 1.0, [j]))
    body = tir.BufferRealize(memory, [(0, 4)], True, tir.SeqStmt([fill, nest]))
    function = tir.PrimFunc([A, C], body)
    assert "tir.prefetch %A[" in str(function)
    a, c = np.arange(16, dtype="f4").reshape(4, 4), np.zeros((4, 4), "f4")
    kc.build(function)(a, c)
    assert (c == a[2] + 1).all()
    with pytest.raises(kc.KCError, match="KC2108"):
        tir.BufferRealize(memory, [(0, 2)], True, fill)
    with pytest.raises(kc.KCError, match="KC2130"):
        tir.MatchBufferRegion(tir.decl_buffer((3,)), source)
    with pytest.raises(kc.KCError, match="KC2010"):
        tir.Prefetch(A, [Range(0, 4)])


def test_sizes_of_which_nothing_is_known_and_pointers():
    A = te.placeholder((tir.Any(), tir.Any()), name="A")
    assert all(isinstance(size, tir.Any) for size in A.shape)
    assert not isinstance(te.var("n"), tir.Any)
    B = te.compute(A.shape, lambda i, j: A[i, j] * 2.0, name="B")
    a = np.ones((3, 5), "f4")
    assert (kc.build(te.create_schedule(B.op), [A, B])(a) == 2).all()
    assert not tir.isnullptr(tir.decl_buffer((4,)).data).value


def test_scans_and_conditions():
    n, m = te.var("n"), te.var("m")
    X = te.placeholder((m, n), name="X")
    state = te.placeholder((m, n), name="state")
    first = te.compute((1, n), lambda _, i: X[0, i])

    def fixed(update):
        rows = te.compute((m, n), update, name="rows")
        scan = te.scan(first, rows, state, inputs=[X])
        (result,) = te.schedule.ScanFixPointAnalysis(scan.op).values()
        return result

    assert fixed(lambda t, i: state[t - 1, i] + X[t, i]) == 1
    assert fixed(lambda t, i: state[t - 1, te.max(i - 1, 0)] + X[t, i]) == 0
    between = te.compute((m, n), lambda t, i: state[t - 1, i] * 2.0, name="between")
    assert fixed(lambda t, i: between[t, i] + X[t, n - 1 - i]) == 1
    assert fixed(lambda t, i: between[t, n - 1 - i]) == 0
    k = te.reduce_axis((0, n), name="k")
    assert fixed(lambda t, i: te.sum(state[t - 1, k] * X[t, i], axis=k)) == 0

    current = te.SpecializedCondition.current
    assert current() is None
    with te.SpecializedCondition(n > 16) as outer:
        with te.SpecializedCondition([n > 32, m > 2]) as inner:
            assert current() is inner
            assert len(inner.clauses) == 2
        assert current() is outer
    assert current() is None
    assert not isinstance(te.create_schedule(first.op)[first], te.schedule.Rebase)


def test_paths_and_codes():
    path = kc.runtime.ObjectPath.root().attr("body").array_index(2)
    assert str(path.map_value("x")) == "<root>.body[2]['x']"
    assert len(path) == 3
    assert path.get_prefix(2) == kc.runtime.ObjectPath.root().attr("body")
    assert path.get_prefix(2).is_prefix_of(path)
    assert not path.is_prefix_of(path.get_prefix(2))
    assert kc.ir.container.Array is kc.ir.Array
    assert kc.runtime.TypeCode.STR == 11


def test_place_among_statements():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
    C = te.compute((8,), lambda i: B[i] * 2.0, name="C")
    sch = tir.Schedule(te.create_prim_func([A, C]))
    places = [sch.get_loops("C")[0], sch.get_block("C"), sch.get_block("root")]
    assert [sch.get_sref(place).seq_index for place in places] == [1, -1, -1]
    split = tir.IndexMap.from_func_with_separators(
        lambda i: (i // 4, tir.IndexMap.AXIS_SEPARATOR, i % 4)
    )
    assert tuple(map(str, split)) == ("(i)->(i floordiv 4, i mod 4)", "[1]")
