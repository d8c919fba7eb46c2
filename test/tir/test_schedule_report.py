"""The page of --schedule-report: its steps, and what a browser makes of it."""

import html
import json
import re
import subprocess

import optional_tools
import pytest

import kc
from kc import te
from kc.analysis import loop_tree
from kc.analysis.module_copy import copy_module
from kc.tir.report_parts import Part, PartReader
from kc.tir.schedule_report import ScheduleReport
from kc.tools.kc_opt import main
from kc.transforms.trace.trace import replay

SOURCE = """\
te.func @scale(%A: tensor<64xf32>, %x: f32) -> tensor<64xf32> {
  %B = te.compute "B" [%i = 64] {
    %a = te.read %A[%i] : tensor<64xf32>
    %b = arith.mulf %a, %x : f32
    te.yield %b : f32
  } : tensor<64xf32>
  te.return %B : tensor<64xf32>
}
"""
CHROMIUM = optional_tools.find("chromium")


def make(folder, *flags, source=SOURCE):
    """The exit status of kc-opt with the report, and the page."""
    (folder / "in.mlir").write_text(source)
    page = folder / "out.html"
    arguments = [str(folder / "in.mlir"), f"--schedule-report={page}", "-o", str(folder / "o.mlir")]
    return main([*arguments, *flags]), page


def sections(page):
    return sections_of(page.read_text())


def sections_of(text):
    return re.findall(r"<section .*?</section>", text, re.DOTALL)


def shown(section):
    """The text of a section, without tags."""
    return html.unescape(re.sub(r"<[^>]*>", "", section))


def test_a_step_for_each_primitive(tmp_path):
    status, page = make(tmp_path, "--split=loop=i factors=?,8", "--vectorize", "--lower-blocks")
    assert status == 0
    titles = re.findall(r"<h2>(.*?)</h2>", page.read_text())
    assert titles == [
        "0. input",
        "1. convert-te-to-tir",
        "2. split loop=i factors=?,8",
        "3. vectorize loop=i_i",
        "4. lower-blocks",
    ]


def test_a_step_shows_tree_diff_cost_and_source(tmp_path):
    _, page = make(tmp_path, "--split=loop=i factors=?,8", "--vectorize")
    split, vectorize = sections(page)[2:4]
    assert '<pre class="lines"><span class="new">for i_o in 8:</span>\n' in split
    assert '<span class="new">  for i_i in 8:</span>\n<span class="old">    block B</span>' in split
    assert '<span class="del">-     tir.for %i in 64 {</span>' in split
    assert '<span class="add">+     tir.for %i_o in 8 {</span>' in split
    assert f"{tmp_path}/in.mlir:2:3" in shown(split)
    assert '%B = te.compute "B" [%i = 64] {' in shown(split)
    assert "vector lanes81 → (8×)" in shown(vectorize)


def test_a_step_shows_what_it_changed_alone(tmp_path):
    """Not the other nests, and what is in a new loop as it is now."""
    head, compute, rest = re.split(r"(?m)(^  %B = .*?^  } : .*?$)", SOURCE, flags=re.DOTALL)
    nests = [
        compute.replace("%B =", f"%B{n} =")
        .replace("%i", f"%i{n}")
        .replace('"B"', f'"B{n}"')
        .replace("%A", "%A" if n == 0 else f"%B{n - 1}")
        for n in range(40)
    ]
    source = head + "\n".join(nests) + rest.replace("%B", "%B39")
    # The first primitive also removes the mark of an unscheduled function.
    first, second = (f"--split=block=B{n} loop=i{n} factors=?,8" for n in (3, 7))
    flags = ("--convert-te-to-tir", first, second)
    _, page = make(tmp_path, *flags, source=source)
    diff = re.findall(r'<pre class="lines diff">.*?</pre>', sections(page)[3], re.DOTALL)[0]
    lines = shown(diff).split("\n")
    assert len(lines) < 20
    # So does the tree, of which 60 lines and more are shown near the change alone.
    (tree, *_) = re.findall(r'<pre class="lines">(.*?)</pre>', sections(page)[-1], re.DOTALL)
    assert "..." in shown(tree)
    assert "block B7" in shown(sections(page)[-1])
    assert "block B19" not in shown(tree)
    assert re.findall(r'tir.block "(\w+)"', "".join(lines)) == ["B7", "B7"]
    assert "            %a = tir.load %B6[%v_i7] : memref<64xf32>" in lines
    assert lines[0] == lines[-2] == "  ..."


def test_report_is_another_name(tmp_path):
    """For any passes, whether or not there is a schedule among them."""
    page = tmp_path / "page.html"
    (tmp_path / "in.mlir").write_text(SOURCE)
    arguments = [str(tmp_path / "in.mlir"), f"--report={page}", "-o", str(tmp_path / "o.mlir")]
    assert main([*arguments, "--convert-te-to-tir", "--cse"]) == 0
    assert re.findall(r"<h2>(.*?)</h2>", page.read_text()) == [
        "0. input",
        "1. convert-te-to-tir",
        "2. cse",
    ]


def test_a_refusal_is_the_last_step(tmp_path, capsys):
    status, page = make(tmp_path, "--split=loop=i factors=?,8", "--fuse=loops=i_i,i_o")
    assert status == 1
    last = sections(page)[-1]
    assert capsys.readouterr().err.strip() in shown(last)
    assert '<p class="same">unchanged</p>' in last
    assert "class=refused" in page.read_text()


def chain(*, moving=True):
    """A schedule of two blocks, of which the second is moving into the first's loops."""
    a = te.placeholder((64, 64), name="A")
    b = te.compute((64, 64), lambda i, j: a[i, j] * 2.0, name="B")
    c = te.compute((64, 64), lambda i, j: b[i, j] + 1.0, name="C")
    sch = kc.tir.Schedule(te.create_prim_func([a, c]))
    i, j = sch.get_loops(sch.get_block("B"))
    outer, inner = sch.split(j, [None, 8])
    sch.vectorize(inner)
    if moving:
        sch.cache_read(sch.get_block("B"), 0, "local")
        sch.reverse_compute_at(sch.get_block("C"), outer)
    sch.parallel(i)
    return sch


def plus_one(tensor, name):
    return te.compute((8,), lambda i: tensor[i] + 1.0, name=name)


def data_of(text):
    """The data that the script of a page reads."""
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(data)


def test_deltas_are_the_trees_of_all_steps():
    """The changes of all steps up to a step, applied in order, give the loop tree at that step."""
    sch = chain()
    start = copy_module(sch._original)
    report = ScheduleReport("deltas", sch.target)
    trees = []
    read = report._reader.read

    def reading(module, site=None):
        trees.append([line for it in loop_tree.functions(module) for line in loop_tree.render(it)])
        pieces = read(module, site)
        # What was kept from earlier steps is what a first look at the module gives.
        again = PartReader(lambda: ()).read(module)
        assert [it.text if isinstance(it, Part) else it for it in pieces] == [
            it.text if isinstance(it, Part) else it for it in again
        ]
        return pieces

    report._reader.read = reading
    report.start(start)
    with report.watch(start):
        replay(sch.session.fresh(start), sch.session.trace, explains=False)
    data = data_of(report.html())
    parts: list[int] = []
    for step, tree in zip(data["steps"], trees, strict=True):
        at, count, added = step["edit"]
        parts[at : at + count] = added
        assert [line[0] for part in parts for line in data["parts"][part]] == tree
    # Of two nests the vectorized one alone is in that step.
    assert [len(step["edit"][2]) for step in data["steps"]] == [3, 1, 1, 3, 1, 1]


def test_a_loop_leads_to_its_calls_and_its_code():
    """To the steps that made it, the line of te, the LLVM IR and the assembly."""
    page = chain(moving=False).report().html()
    data = data_of(page)
    lines = [line for part in data["parts"] for line in part]
    texts, origins, steps, code = [line for line in lines if len(line) == 4 and "j_i" in line[0]][
        -1
    ]
    assert texts.strip() == "for j_i in 8 vectorized:"
    assert [data["titles"][n] for n in steps] == [
        "split loop=j factors=?,8",
        "vectorize loop=j_i",
    ]
    place, text = data["places"][origins]
    assert place.startswith(__file__)
    assert text == 'b = te.compute((64, 64), lambda i, j: a[i, j] * 2.0, name="B")'
    llvm_ir, assembly = data["code"][code]
    assert re.search(r"fmul contract <8 x float> .*, splat \(float 2.000000e\+00\)", llvm_ir)
    assert "fadd" not in llvm_ir
    assert re.search(r"vmulps|vaddps", assembly)
    # The steps that are led to say where they were called.
    assert "outer, inner = sch.split(j, [None, 8])" in shown(sections_of(page)[steps[0]])


def test_a_long_schedule_has_the_code_of_the_nests_that_were_changed_last(monkeypatch):
    """As it is in the code of all; the page says what is left out, and how to have it."""
    monkeypatch.setattr("kc.tir.schedule_report.MOST_LOOPS", 2)
    monkeypatch.setattr("kc.tir.schedule_report.LAST_LOOPS", 1)
    a = tensor = te.placeholder((8,), name="A")
    for n in range(3):
        tensor = plus_one(tensor, f"B{n}")
    sch = kc.tir.Schedule(te.create_prim_func([a, tensor]))
    sch.vectorize(*sch.get_loops(sch.get_block("B1")))
    page, whole = sch.report().html(), sch.report(code=True).html()
    data, all_data = data_of(page), data_of(whole)
    last = [data["parts"][n][0] for n in data["steps"][-1]["edit"][2]]
    assert [len(line) > 3 and line[3] for line in last] == [0]
    assert [line[3] for part in data["parts"] for line in part if len(line) > 3].count(-1) == 2
    first, second, _ = (re.sub(r"%\d+", "%", it[0]) for it in all_data["code"])
    assert [re.sub(r"%\d+", "%", it[0]) for it in data["code"]] == [second] != [first]
    note = (
        "LLVM IR and assembly of 2 loops are left out; the page has those of the nests that were "
        "changed last. sch.report(code=True) and kc-opt --report-code compile all."
    )
    assert data["leftout"] == note
    assert f"<p>{note}</p>" in page
    assert "left out" not in whole
    assert len(all_data["code"]) == 3


def test_report_code_compiles_all_loops(tmp_path, monkeypatch):
    monkeypatch.setattr("kc.tir.schedule_report.MOST_LOOPS", 0)
    monkeypatch.setattr("kc.tir.schedule_report.LAST_LOOPS", 0)
    for flags, count in (((), 0), (("--report-code",), 1)):
        _, page = make(tmp_path, "--convert-te-to-tir", *flags)
        assert len(data_of(page.read_text())["code"]) == count


def test_a_call_that_was_refused_is_the_last_step_of_a_schedule():
    sch = chain()
    steps = len(sch.report().steps)
    with pytest.raises(kc.tir.ScheduleError) as refusal:
        sch.fuse(*sch.get_loops(sch.get_block("B"))[::-1])
    report = sch.report()
    assert len(report.steps) == steps + 1
    assert report.steps[-1].error == refusal.value.render()
    assert refusal.value.render() in shown(sections_of(report.html())[-1])
    sch.annotate(sch.get_loops(sch.get_block("B"))[0], "note", 1)
    assert report.steps[-1].error not in [step.error for step in sch.report().steps]


def test_a_step_names_its_block():
    page = chain().report().html()
    assert "<b>1</b> split loop=j factors=?,8 <i>block B</i>" in page
    assert "<b>5</b> parallel loop=i <i>blocks B, " in page


def test_the_page_is_self_contained_and_escaped(tmp_path):
    _, page = make(tmp_path, "--parallel")
    text = page.read_text()
    assert not re.search(r"https?://|<link|<img|src=|@import|url\(", text)
    assert "memref&lt;64xf32&gt;" in text
    assert "memref<" not in text


def test_several_inputs_make_one_page(tmp_path):
    source = f"{SOURCE}// -----\n{SOURCE.replace('@scale', '@other')}"
    _, page = make(tmp_path, "--split-input-file", "--parallel", source=source)
    titles = re.findall(r"<h2>\d+. (.*?)</h2>", page.read_text())
    assert titles == ["input", "convert-te-to-tir", "parallel loop=i"] * 2


def test_a_file_that_cannot_be_written_is_said_first(tmp_path, capsys):
    (tmp_path / "in.mlir").write_text(SOURCE)
    status = main([str(tmp_path / "in.mlir"), f"--schedule-report={tmp_path}/no/out.html"])
    assert status == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "no/out.html" in err


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")
def test_a_browser_shows_one_step_at_a_time(tmp_path):
    _, page = make(tmp_path, "--split=loop=i factors=?,8", "--vectorize")

    def look(address):
        assert CHROMIUM is not None
        command = [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", address,
        ]  # fmt: skip
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout

    for number, address in ((0, f"file://{page}"), (2, f"file://{page}#step-2")):
        dom = look(address)
        assert '<body class="stepping">' in dom
        assert re.findall(r'<section id="(step-\d)" class="current"', dom) == [f"step-{number}"]
        # One tree, with the change in view; what is known of the loop; and the pictures.
        chosen = re.findall(r'<a role="button" tabindex="0" class="new chosen">([^<]*)</a>', dom)
        assert chosen == ([] if number == 0 else ["for i_o in 8:"])
        assert ('<a href="#step-2">split loop=i factors=?,8</a>' in dom) == (number == 2)
        assert ("LLVM IR of this loop" in dom) == (number == 2)
        assert dom.count("<figure>") == (2 if number == 2 else 0)
        links = re.findall(r'<a href="#(step-\d)" class="current" aria-current="step"', dom)
        assert links == [f"step-{number}"]
    # The arrow keys, as a page of its own that presses them in the report.
    script = (
        "<script>const press = (key) => document.dispatchEvent(new KeyboardEvent('keydown',"
        " {key, bubbles: true}));"
        "press('ArrowRight'); press('j'); press('ArrowDown'); press('k'); press('ArrowRight');"
        "press('ArrowRight');</script></body>"
    )
    page.write_text(page.read_text().replace("</body>", script))
    assert re.findall(r'<section id="(step-\d)" class="current"', look(f"file://{page}")) == [
        "step-3"
    ]
