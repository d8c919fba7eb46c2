"""Builds of graphs tell how far they are; plans of memory are shown as pictures and tables."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import graph_programs as programs
import pytest
from graph_programs import parsed

import kc
from kc.support.progress import Progress


def test_the_progress_of_a_build() -> None:
    seen: list[Progress] = []
    with kc.transform.PassContext(progress=seen.append, disabled_pass=["FuseOps"]):
        f = kc.graph.build(parsed(programs.NETWORK))
    assert {each.call for each in seen} == {"kc.graph.build"}
    fractions = [each.fraction for each in seen]
    assert fractions == sorted(fractions)
    assert fractions[-1] <= 1
    kernels = [each for each in seen if each.function is not None]
    assert {each.count for each in kernels} == {4}
    assert sorted({each.number for each in kernels}) == [1, 2, 3, 4]
    assert {each.unit for each in kernels} == {"kernel"}
    first = kernels[0]
    assert first.function in f.kernels
    assert str(first).startswith(
        f"kc.graph.build: {first.stage}, kernel 1 of 4, @{first.function}, "
    )
    assert max(each.fraction for each in kernels if each.number == 1) <= 0.1 + 0.8 / 4 + 1e-9


def test_progress_is_silent_where_it_is_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    kc.graph.build(parsed(programs.NETWORK))
    assert capfd.readouterr() == ("", "")


def rectangles(page: str) -> dict[str, dict[str, float]]:
    """The rectangles of a picture by the names of their buffers."""
    picture = ET.fromstring(re.findall(r"<svg.*?</svg>", page, re.DOTALL)[0])
    space = "{http://www.w3.org/2000/svg}"
    shapes: dict[str, dict[str, float]] = {}
    for group in picture.iter(f"{space}g"):
        title, shape = group.find(f"{space}title"), group.find(f"{space}rect")
        assert title is not None
        assert shape is not None
        name = (title.text or "").partition(":")[0]
        shapes[name] = {key: float(shape.attrib[key]) for key in ("x", "y", "width", "height")}
    return shapes


@pytest.mark.parametrize("text", [programs.NETWORK, programs.DEEP])
def test_the_picture_of_a_plan(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with kc.transform.PassContext(disabled_pass=["FuseOps"]):
        f = kc.graph.build(parsed(text), "c")
    plan = f.memory_plan
    assert str(plan.show(tmp_path / "plan.html")) == plan.table()
    assert capsys.readouterr().out == ""
    page = (tmp_path / "plan.html").read_text()
    shapes = rectangles(page)
    assert shapes.keys() == {it.buffer.name for it in plan.allocations}
    # What is alive at the same time does not overlap.
    names = list(shapes)
    for a in names:
        for b in names[names.index(a) + 1 :]:
            below, above = shapes[a], shapes[b]
            across = below["x"] < above["x"] + above["width"] - 0.2 and (
                above["x"] < below["x"] + below["width"] - 0.2
            )
            up = below["y"] < above["y"] + above["height"] - 0.2 and (
                above["y"] < below["y"] + below["height"] - 0.2
            )
            assert not (across and up)
    assert f"arena: {plan.arena_bytes} bytes" in page
    assert str(plan.show()) == plan.table()
    assert capsys.readouterr().out == plan.table() + "\n"


def test_the_plan_is_on_the_page_of_the_graph() -> None:
    module = parsed(programs.NETWORK)
    f = kc.graph.build(module, "c")
    assert "<h2>memory</h2>" not in kc.graph.viz(module)
    assert f.memory_plan._repr_html_() in kc.graph.viz(module, plan=f.memory_plan)


def test_a_module_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    module = parsed(programs.NETWORK)
    assert "graph.nn.dense" in module.show()
    assert "nn.dense(%x, %w" in module.show(style="relay")
    assert "graph.nn.dense" in capsys.readouterr().out
