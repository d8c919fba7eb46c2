"""The page of --schedule-report: its steps, and what a browser makes of it."""

import html
import re
import subprocess

import optional_tools
import pytest

from kc.tools.kc_opt import main

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
    return re.findall(r"<section .*?</section>", page.read_text(), re.DOTALL)


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
    flags = ("--convert-te-to-tir", "--split=block=B7 loop=i7 factors=?,8")
    _, page = make(tmp_path, *flags, source=source)
    diff = re.findall(r'<pre class="lines diff">.*?</pre>', sections(page)[2], re.DOTALL)[0]
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
