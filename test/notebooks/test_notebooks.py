"""The notebooks among the examples, executed, exported and looked at."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import optional_tools
import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
CHROMIUM = optional_tools.find("chromium")

# Cells after those of the example: what a user does wrong, and what displays itself.
MORE = {
    "line": "sch = tir.Schedule(kc.lower(te.create_schedule(C.op), [A, B, C]))\n\n"
    "sch.split('q', [2])",
    "helper": "def helper():\n    sch.split('q', [2])\n\nhelper()",
    "outside": "import pathlib; pathlib.Path('steps.py').write_text('def split(sch):\\n"
    "    sch.split(\\'q\\', [2])\\n')\nimport steps\nsteps.split(sch)",
    "fact": "i, j, k = sch.get_loops('C')\nsch.split(i, [None, 4])\nsch.split(i, [None, 4])",
    "name": "x = 1\nkc.biuld(sch)",
    "method": "sch.splt('i')",
    "import": "from kc.te import comput",
    "magic": '%%kc-opt --split="loop=q factors=?,8"\nfunc.func @f() {\n  func.return\n}',
    "flag": "%%kc-opt --splat\nfunc.func @f() {\n  func.return\n}",
    "quote": "%kc-opt --split='a",
    "empty": "%kc-opt --split",
    "page": "%kc-opt --explain=KC3025",
    "parse": "%%kc-opt\n\nfunc.func @f() {\n  func.retrun\n}",
    "script": "%%kc-script\ndef bad(A: kc.Buffer((64,))):\n    for i in range(64):\n"
    "        A[i] = missing",
    "syntax": "%%kc-script\ndef bad(:\n    pass",
    "nothing": "%%kc-script\nx = 1",
    "named": "%%kc-script again\ndef copy(A: kc.Buffer((4,)), B: kc.Buffer((4,))):\n"
    "    for i in range(4):\n        B[i] = A[i]",
    "same": "assert again is copy",
    "help": "%%kc-opt --list-passes\n\n",
    "target": "kc.Target('llvm -num-cores=4')",
    "schedule": "te.create_schedule(C.op)",
    "module": "sch.mod",
    "eager": "sch",
    "change": "sch.changes()[0]",
    "shown": "sch.mod.show()\nsch.mod.show('tvmscript')",
    "progress": "import time\nfrom kc.support import progress\n"
    "progress.PATIENCE, progress.PERIOD = 0.0, 0.01\n"
    "with progress.tracking('kc.build'):\n    progress.note('passes', 0.5, 'cse')\n"
    "    time.sleep(0.5)\n    get_ipython().display_pub.publish({'text/plain': 'between'})\n"
    "progress.PATIENCE = 60.0",
    "text": "text = sch.show(); assert text.startswith('for i_o in 32:')",
}


_NO_LOOP = """\
error[KC3003]: there is no loop 'q' in @main
  --> In [{}]:{}  sch.split('q', [2])
   |  for i in 128:
   |    for j in 128:
   |      for k in 128:
   |        block C
  try: the loops are: i, j, k"""


class Executed:
    """A notebook after its execution; what each cell displayed, by its number or its name."""

    def __init__(self, notebook: Any, names: dict[str, int], folder: Path) -> None:
        self.notebook = notebook
        self.folder = folder
        self.names = names
        self.cells = [cell for cell in notebook.cells if cell.cell_type == "code"]

    def outputs(self, cell: int | str) -> list[Any]:
        return self.cells[self.names[cell] if isinstance(cell, str) else cell].outputs

    def count(self, cell: str) -> int:
        return self.cells[self.names[cell]].execution_count

    def html(self, cell: int | str) -> str:
        """The HTML of the one display of a cell."""
        (output,) = self.outputs(cell)
        return output.data["text/html"]

    def text(self, cell: int | str) -> str:
        """The same without tags."""
        shown = re.sub("<style>.*?</style>", "", self.html(cell), flags=re.DOTALL)
        return html.unescape(re.sub("<[^>]*>", "", shown))

    def error(self, cell: int | str) -> str:
        """The text of the error a cell ended with, without colours."""
        (output,) = self.outputs(cell)
        assert output.output_type == "error"
        return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(output.traceback))


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Executed:
    """The example, and the cells of MORE after it."""
    (path,) = NOTEBOOKS
    notebook = nbformat.read(path, as_version=4)
    count = sum(cell.cell_type == "code" for cell in notebook.cells)
    for name, source in MORE.items():
        tags = {"tags": ["raises-exception"]}
        notebook.cells.append(nbformat.v4.new_code_cell(source, metadata=tags, id=name))
    folder = tmp_path_factory.mktemp("notebook")
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    return Executed(notebook, {name: count + n for n, name in enumerate(MORE)}, folder)


def test_notebooks_are_stored_without_results():
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text())["cells"]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


def test_cells_of_the_example_work(executed: Executed):
    (path,) = NOTEBOOKS
    for stored, cell in zip(
        nbformat.read(path, as_version=4).cells, executed.notebook.cells, strict=False
    ):
        failed = [output for output in cell.get("outputs", []) if output.output_type == "error"]
        assert bool(failed) == ("raises-exception" in stored.metadata.get("tags", [])), cell.source


def test_a_refusal_is_the_diagnostic_alone(executed: Executed):
    assert executed.error(2) == (
        "error[KC3104]: unroll: axis i of C is gone\n"
        "  --> In [3]:1  s[C].unroll(C.op.axis[0])\n"
        "  why: i was split into i_o, i_i at In [2]:2\n"
        "  try: use i_o, i_i"
    )
    assert executed.error("line") == _NO_LOOP.format(executed.count("line"), 3)
    assert executed.error("outside") == (
        "error[KC3003]: there is no loop 'q' in @main\n"
        f"  --> {executed.folder}/steps.py:2  sch.split('q', [2])\n"
        "   |  for i in 128:\n"
        "   |    for j in 128:\n"
        "   |      for k in 128:\n"
        "   |        block C\n"
        "  try: the loops are: i, j, k\n"
        f"  called at In [{executed.count('outside')}]:3  steps.split(sch)"
    )
    assert executed.error("fact").splitlines()[1:3] == [
        f"  --> In [{executed.count('fact')}]:3  sch.split(i, [None, 4])",
        f"  why: i was split into i_o, i_i at In [{executed.count('fact')}]:2",
    ]


def test_a_misspelled_name_is_its_message_and_line(executed: Executed):
    assert executed.error("name") == (
        "AttributeError: module 'kc' has no attribute 'biuld'; did you mean 'build'?\n"
        f"  --> In [{executed.count('name')}]:2  kc.biuld(sch)"
    )
    assert executed.error("method") == (
        "AttributeError: Schedule has no attribute 'splt'; did you mean 'split' or 'cost'?\n"
        f"  --> In [{executed.count('method')}]:1  sch.splt('i')"
    )
    assert executed.error("import") == (
        "ImportError: cannot import name 'comput' from 'kc.te'; did you mean 'compute' or "
        "'ComputeOp' or 'popcount'?\n"
        f"  --> In [{executed.count('import')}]:1  from kc.te import comput"
    )


def test_the_line_of_a_function_in_a_cell(executed: Executed):
    assert executed.error("helper") == _NO_LOOP.format(executed.count("helper"), 2)


def test_refusals_of_magics(executed: Executed):
    assert executed.error("magic") == (
        "error[KC3003]: there is no loop 'q' in @f\n"
        f"  --> In [{executed.count('magic')}]:2:1  func.func @f() {{"
    )
    assert executed.error("flag") == (
        "error[KC0001]: there is no flag '--splat'\n"
        "  try: did you mean '--split' or '--split-args' or '--skip-assert'?\n"
        f"  called at In [{executed.count('flag')}]:1  %%kc-opt --splat"
    )
    assert executed.error("quote") == (
        "error[KC0002]: kc-opt: --split='a: no closing quotation\n"
        f"  called at In [{executed.count('quote')}]:1  %kc-opt --split='a"
    )
    assert executed.error("empty") == (
        "error[KC0002]: kc-opt: there is no IR to apply passes to\n"
        "  try: %%kc-opt in the first line of a cell, and IR in the lines below\n"
        f"  called at In [{executed.count('empty')}]:1  %kc-opt --split"
    )
    assert executed.text("page").startswith("KC3025: iterations that do nothing\n")
    place = executed.count("parse")
    assert executed.error("parse").splitlines()[1] == f"  --> In [{place}]:4:3  func.retrun"
    place = executed.count("script")
    assert executed.error("script").splitlines()[1] == (f"  --> In [{place}]:4:16  A[i] = missing")
    assert "called at" not in executed.error("script")
    place = executed.count("syntax")
    assert executed.error("syntax") == (
        "error[KC2131]: kc-script: invalid syntax\n"
        f"  --> In [{place}]:2:9  def bad(:\n"
        "                           ^\n"
        "  why: a script is written in the syntax of Python"
    )
    assert executed.error("nothing") == (
        "error[KC2132]: kc-script: the cell defines no function\n"
        f"  --> In [{executed.count('nothing')}]:1:1\n"
        "  why: each function of the cell is a kernel\n"
        "  try: put ordinary Python in a separate cell"
    )


def test_what_objects_show(executed: Executed):
    assert executed.text(0) == (
        "C: float32[128, 128]\n"
        "  C[i, j] = sum(A[i, k] * B[k, j], axis=[k])  for i in 128, j in 128, k in 128"
    )
    assert executed.text(1) == (
        "stage C: float32[128, 128]\n"
        "  for i_o in 8:\n"
        "    for j_o in 8:\n"
        "      for i_i in 16:\n"
        "        for j_i in 16 vectorized:\n"
        "          for k in 128 reduce:\n"
        "            C[i, j] = sum(A[i, k] * B[k, j], axis=[k])"
    )
    assert executed.text("schedule") == (
        "te.Schedule of C\n"
        "  stage A: float32[128, 128], an input\n"
        "  stage B: float32[128, 128], an input\n"
        "  stage C: float32[128, 128]\n"
        "    for i in 128:\n"
        "      for j in 128:\n"
        "        for k in 128 reduce:\n"
        "          C[i, j] = sum(A[i, k] * B[k, j], axis=[k])"
    )
    assert '<tr><th style="text-align: left">operations</th>' in executed.html(5)
    assert executed.text(6).splitlines()[0] == 'C = sch.get_block(name="C")'
    assert executed.text(7).startswith("main<kc function main(A: float32[128, 128],")
    assert executed.outputs("same") == []
    assert "num-cores" in executed.text("target")
    assert executed.text("module").startswith("builtin.module {\n  func.func @main(")
    assert executed.text("eager").startswith("for i_o in 32:\n  for i_i in 4:\n")
    assert executed.text("change").startswith("split{loop=i factors=?,4}\n  builtin.module {")


def test_show_and_diff_display_once(executed: Executed):
    tree = "for i_o in 8:\n  for j_o in 8:\n    for k in 128:\n      for i_i in 16:\n"
    assert executed.text(3).startswith(tree)
    assert executed.text(4).startswith("vectorize{loop=j_i}\n")
    assert '<span class="add">' in executed.html(4)
    assert len(executed.outputs("shown")) == 2
    assert len(executed.outputs("text")) == 1


def test_magics_give_what_they_show(executed: Executed):
    assert "\n    tir.for %i_o in 8 {\n      tir.for %i_i in 8 vectorized {\n" in executed.text(9)
    assert "tir.for %i in 64 parallel {" in executed.text(10)
    assert "\nsplit\n" in executed.text("help")


@pytest.fixture(scope="module")
def exported(executed: Executed) -> str:
    exporters = pytest.importorskip("nbconvert.exporters")
    page, _ = exporters.HTMLExporter().from_notebook_node(executed.notebook)
    return page


def test_an_exported_notebook_keeps_indentation(exported: str):
    """In the file, where the style may be stripped (as mail and GitHub do): by the element."""
    boxes = re.findall(r'<pre class="kc">(.*?)</pre>', exported, re.DOTALL)
    texts = [html.unescape(re.sub("<[^>]*>", "", box)) for box in boxes]
    assert any("\n    for k in 128:\n      for i_i in 16:\n" in text for text in texts)
    assert any('\n        tir.block "B" (spatial' in text for text in texts)


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")
def test_a_browser_shows_the_indentation(exported: str, tmp_path: Path):
    """The left edges of the words of a loop tree, as the browser lays them out, with the style and
    without."""
    assert CHROMIUM is not None
    script = """<script>window.addEventListener("load", () => {
      const box = [...document.querySelectorAll("pre.kc")].find(
        (pre) => pre.textContent.startsWith("for i_o in 8:"));
      const edges = [...box.querySelectorAll("span.k")].filter((span) => span.textContent === "for")
        .map((span) => Math.round(span.getBoundingClientRect().left * 10) / 10);
      document.body.innerHTML = "<p id=edges>" + JSON.stringify(edges) + "</p>";
    });</script></body>"""
    for name, page in {
        "whole": exported,
        "bare": re.sub(r"<style>pre\.kc.*?</style>", "", exported, flags=re.DOTALL),
    }.items():
        file = tmp_path / f"{name}.html"
        page = re.sub(r'<script src="http.*?</script>', "", page, flags=re.DOTALL)
        file.write_text(page.replace("</body>", script))
        command = [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", f"file://{file}",
        ]  # fmt: skip
        dom = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
        edges = json.loads(re.findall('<p id="edges">(.*?)</p>', dom)[0])
        steps = [right - left for left, right in zip(edges, edges[1:], strict=False)]
        assert len(edges) == 5, dom[:500]
        # Two characters a level.
        assert min(steps) > 5
        assert max(steps) - min(steps) < 1


def test_a_plain_prompt_shows_once():
    """Python's own prompt prints the repr of what a line gives."""
    program = (
        "import sys; sys.ps1 = '>>> '\nimport kc\nfrom kc import te, tir\n"
        "A = te.placeholder((4,), name='A')\nB = te.compute((4,), lambda i: A[i], name='B')\n"
        "sch = tir.Schedule(kc.lower(te.create_schedule(B.op), [A, B]))\n"
        "sys.displayhook(sch.show())\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("for i in 4:\n  block B\n\n", "")


def test_a_build_shows_a_bar_in_its_cell_until_it_ends(executed: Executed):
    """One display, which is updated in its place, from another thread than the cell's."""
    bar, between = executed.outputs("progress")
    assert between.data["text/plain"] == "between"
    assert bar.data == {"text/plain": "", "text/html": ""}
