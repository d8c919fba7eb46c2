"""The location of a loop says which schedule calls made it."""

import re
from pathlib import Path

import kc
from kc import te
from kc.support.ir_text import parse_module, print_module
from kc.support.locations import calls_of, location_of
from kc.support.registry import context

LINES = Path(__file__).read_text().splitlines()


def line_of(text):
    """The number of the line of this file that ends in ``text``."""
    (number,) = [n for n, line in enumerate(LINES, 1) if line.endswith(text)]
    return number


def product():
    a = te.placeholder((64, 64), name="A")
    return a, te.compute((64, 64), lambda i, j: a[i, j] * 2.0, name="B")  # the compute


def locations(module):
    """The locations of the loops, by their names, as text has them."""
    text = print_module(module, locations=True)
    text = text.replace(__file__, "FILE")
    assert (
        print_module(parse_module(text, "x", context()), locations=True).splitlines()[:-1]
        == text.splitlines()[:-1]
    )
    places = {}
    loops = []
    for line in text.splitlines():
        if (loop := re.match(r"( *)tir.for %(\w+)", line)) is not None:
            loops.append(loop)
        elif loops and re.match(loops[-1][1] + r"} loc", line):
            places[loops.pop()[2]] = line.partition("} ")[2]
    return places


def test_a_schedule_of_blocks():
    a, b = product()
    sch = kc.tir.Schedule(te.create_prim_func([a, b]))
    i, j = sch.get_loops(sch.get_block("B"))
    _, inner = sch.split(j, [None, 8])  # split of blocks
    sch.vectorize(inner)  # vectorize of blocks
    compute = f'"FILE":{line_of("# the compute")}:0'
    split = f'"split"("FILE":{line_of("# split of blocks")}:0)'
    vectorize = f'"vectorize"("FILE":{line_of("# vectorize of blocks")}:0)'
    assert locations(sch.module) == {
        "i": f"loc({compute})",
        "j_o": f"loc(fused[{compute}, {split}])",
        "j_i": f"loc(fused[{compute}, {split}, {vectorize}])",
    }
    loop = sch.get(inner)
    assert [name for name, _ in calls_of(loop)] == ["split", "vectorize"]
    # Diagnostics and debuggers still name the line that computes.
    place = location_of(loop)
    assert place is not None
    assert place.line == line_of("# the compute")


def test_a_schedule_of_te():
    a, b = product()
    s = te.create_schedule(b.op)
    outer, inner = s[b].split(b.op.axis[1], 8)  # split of te
    s[b].reorder(outer, b.op.axis[0], inner)  # reorder of te
    compute = f'"FILE":{line_of("# the compute")}:0'
    split = f'"split"("FILE":{line_of("# split of te")}:0)'
    places = locations(kc.lower(s, [a, b]).op)
    assert places["j_i"].startswith(f"loc(fused[{compute}, {split}")
    assert f'"reorder"("FILE":{line_of("# reorder of te")}:0)' in places["i"]


def test_flags(tmp_path, capsys):
    from kc.tools.kc_opt import main

    source = tmp_path / "in.mlir"
    source.write_text(print_module(te.create_prim_func(product()).op))
    assert main([str(source), "--split=loop=j factors=?,8", "--mlir-print-debuginfo"]) == 0
    assert re.search(r'loc\(fused\["[^"]*in.mlir":\d+:\d+, "split"\]\)', capsys.readouterr().out)
