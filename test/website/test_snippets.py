"""Every program and command on a page is executed: here, or by the tests of the page."""

import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.tools import kc_opt, kc_translate

ROOT = Path(__file__).parents[2]
MATMUL = (ROOT / "examples" / "matmul.mlir").read_text()
PAGES = [
    ROOT / "README.md",
    ROOT / "README.zh.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "website").glob("*.md")),
]
PAGES_BY_NAME = {page.name: page.read_text() for page in PAGES}
TESTED_ELSEWHERE = {
    "auto_schedule.md": "driver/test_auto_schedule.py",
    "debugging.md": "driver/test_debugging_page.py",
    "gpu.md": "driver/test_gpu_page.py",
    "graph.md": "graph/test_graph_page.py",
    "graph.zh.md": "graph/test_graph_page.py",
    "index.md": "website/test_site.py",
    "index.zh.md": "website/test_site.py",
    "plugins.md": "plugin/test_plugins_page.py",
    "raising.md": "driver/test_raising_page.py",
    "upstream.md": "conversion/test_guarded_nests.py",
}
TESTED_HERE = ("README.md", "README.zh.md", "calls.md", "gradients.md", "schedules.md", "script.md")
NOT_FOR_TESTS = {"fuzzing.md": "the commands take minutes: make mutants runs them"}
"""Pages whose commands are executed by targets of make."""


def snippets(name, language="python"):
    """The texts of a page in a language, in order."""
    return re.findall(rf"^```{language}[^\n]*\n(.*?)^```$", PAGES_BY_NAME[name], re.M | re.S)


def test_each_page_with_a_snippet_is_executed():
    for page in PAGES:
        executed = [text for lang in ("python", "sh", "mlir") for text in snippets(page.name, lang)]
        if not executed or page.name in (*TESTED_HERE, *NOT_FOR_TESTS):
            continue
        test = TESTED_ELSEWHERE.get(page.name)
        assert test is not None, f"nobody executes the snippets of {page.name}"
        assert page.name in (ROOT / "test" / test).read_text()


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_readme(name, tmp_path, monkeypatch, capsys):
    if name == "README.zh.md":
        # It has the programs of the other, whose comments alone are in Chinese.
        texts = [snippets(page) for page in ("README.md", name)]
        code = [[re.sub(r" *#.*", "", text) for text in both] for both in texts]
        assert code[0] == code[1]
        return
    monkeypatch.chdir(tmp_path)
    state = {}
    for text in snippets(name):
        exec(compile(text, name, "exec"), state)
    assert (state["c"] == 2).all()
    assert "parallel" in capsys.readouterr().out
    assert Path("schedule.html").stat().st_size
    # The commands, but for those of make and of a running shell.
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    commands = [line for text in snippets(name, "sh") for line in text.splitlines()]
    ran = 0
    for line in commands:
        program, *arguments = shlex.split(line, comments=True)
        main = {"kc-opt": kc_opt.main, "kc-translate": kc_translate.main}.get(program)
        if main is None:
            continue
        assert main(arguments) == ("# refused" in line), line
        ran += 1
    assert ran == 7


def test_calls():
    strided, kept, checked = snippets("calls.md")
    image, out = np.random.default_rng(0).random((8, 96), np.float32), np.empty((8, 64), np.float32)
    exec(strided, {"kc": kc, "te": te, "tir": tir, "image": image, "out": out})
    np.testing.assert_array_equal(out, image[:, 16:80] * 2)

    A = te.placeholder((4096,), name="A")
    doubled = te.compute((4096,), lambda i: A[i] * 2, name="doubled")
    B = te.compute((4096,), lambda i: doubled[4095 - i], name="B")
    state = {"kc": kc, "s": te.create_schedule(B.op), "A": A, "B": B}
    exec(kept, state)
    for start in (0, 7):
        given = np.arange(start, start + 4096, dtype=np.float32)
        np.testing.assert_array_equal(state["f"](given), given[::-1] * 2)

    A = te.placeholder((10,), name="A")
    I = te.placeholder((4,), name="I", dtype="int32")  # noqa: E741
    B = te.compute((4,), lambda i: A[I[i]], name="B")
    state = {"kc": kc, "s": te.create_schedule(B.op), "A": A, "I": I, "B": B}
    exec(checked, state)
    index, b = np.array([0, 10, 1, 2], np.int32), np.empty(4, np.float32)
    (message,) = re.findall(r"^error\[KC5270\]: (.*)$", PAGES_BY_NAME["calls.md"], re.M)
    with pytest.raises(kc.error.KCError) as refusal:
        state["f"](np.zeros(10, np.float32), index, b)
    assert refusal.value.message == message


def test_gradients():
    state = {"te": te}
    (text,) = snippets("gradients.md")
    exec(text, state)
    built = kc.build([state[name] for name in ("A", "B", "H", "dA", "dB")])
    rng = np.random.default_rng(0)
    a, b, h = (rng.random(size, np.float32) for size in ((64, 32), (32, 48), (64, 48)))
    d_a, d_b = np.empty_like(a), np.empty_like(b)
    built(a, b, h, d_a, d_b)
    np.testing.assert_allclose(d_a, h @ b.T, rtol=1e-4)
    np.testing.assert_allclose(d_b, a.T @ h, rtol=1e-4)


def test_schedules(tmp_path):
    replay, sums, softmax, masked, pipeline, _ = snippets("schedules.md")
    # (The last one, of tile registers, is test_tile_registers.py's.)
    state = {"kc": kc, "te": te}
    exec(softmax, state)
    readers = [state["sch"].get(block).label for block in state["sch"].get_consumers("O")]
    assert readers == ["O_rescale", "O_quotient"]
    exec(masked, state)
    rng = np.random.default_rng(0)
    lengths, a = rng.integers(-10, 600, 256, "i4"), rng.random((256, 512), np.float32)
    terms = np.where(np.arange(512) < lengths[:, None], a, 0)
    np.testing.assert_allclose(kc.build(state["sch"].mod)(lengths, a), terms.sum(1), rtol=1e-4)
    module = tir.Schedule(kc.IRModule.parse(MATMUL.replace("1024", "64"))).mod
    sch = tir.Schedule(kc.IRModule.parse(MATMUL.replace("1024", "64")))
    i, _, _ = sch.get_loops(sch.get_block("C"))
    sch.parallel(i)
    state = {"sch": sch, "tir": tir, "module": module}
    exec(replay, state)
    assert state["trace"].as_python() == state["text"]
    # A schedule as IR, applied by the flag of kc-opt.
    (text,) = snippets("schedules.md", "mlir")
    (tmp_path / "schedule.mlir").write_text(text)
    (tmp_path / "in.mlir").write_text(MATMUL)
    out = tmp_path / "out.mlir"
    flag = f"--apply-schedule={tmp_path / 'schedule.mlir'}"
    assert kc_opt.main([str(tmp_path / "in.mlir"), flag, "-o", str(out)]) == 0
    assert "vectorized" in out.read_text()

    A = te.placeholder((16, 64), name="A")
    k = te.reduce_axis((0, 64), name="k")
    B = te.compute((16,), lambda i: te.sum(A[i, k], axis=k), name="B")
    s = te.create_schedule(B.op)
    exec(sums, {"s": s, "B": B})
    a, b = np.random.default_rng(0).random((16, 64), np.float32), np.empty(16, np.float32)
    kc.build(s, [A, B])(a, b)
    np.testing.assert_allclose(b, a.sum(1), rtol=1e-4)

    X = te.placeholder((8, 4), name="X")
    Y = te.compute((8, 4), lambda i, j: X[i, j] + 1.0, name="Y")
    Z = te.compute((8, 4), lambda i, j: Y[i, j] * 2.0, name="Z")
    W = te.compute((8, 4), lambda i, j: Z[i, j] - 1.0, name="W")
    sch = tir.Schedule(te.create_prim_func([X, W]))
    i, _ = sch.get_loops(sch.get_block("W"))
    sch.compute_at(sch.get_block("Z"), i)
    sch.compute_at(sch.get_block("Y"), i)
    exec(pipeline, {"sch": sch, "i": i})
    x, w = np.random.default_rng(0).random((8, 4), np.float32), np.empty((8, 4), np.float32)
    kc.build(sch.mod)(x, w)
    np.testing.assert_allclose(w, (x + 1) * 2 - 1, rtol=1e-5)


def test_script(tmp_path):
    normalize, matmul = snippets("script.md")
    # Functions in kc.script are read from their source.
    for name, text in (
        ("normalize", f"import kc\nfrom kc import te\n{normalize}"),
        ("matmul", matmul),
    ):
        file = tmp_path / f"{name}.py"
        file.write_text(text)
        state = {}
        exec(compile(text, str(file), "exec"), state)
        if name == "normalize":
            a, b = (
                np.random.default_rng(0).random((4, 64), np.float32),
                np.empty((4, 64), np.float32),
            )
            kc.build(state[name])(a, b, 0.5)
            expected = a / (np.sqrt((a * a).sum(1, keepdims=True)) + 0.5)
            np.testing.assert_allclose(b, expected, rtol=1e-4)
        else:
            rng = np.random.default_rng(0)
            a, b = rng.random((5, 64), np.float32), rng.random((64, 32), np.float32)
            c = np.empty((5, 32), np.float32)
            kc.build(state[name])(a, b, c)
            np.testing.assert_allclose(c, a @ b, rtol=1e-4)
