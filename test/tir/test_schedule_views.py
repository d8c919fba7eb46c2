"""Looking at a schedule: show, diff, cost, report, and what a notebook gets."""

import sys

import pytest

import kc
from kc import tir
from kc.error import KCError

SOURCE = """\
func.func @scale(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  tir.for %i in 64 {
    tir.block "B" (spatial %v_i in 64 = %i) do {
      %a = tir.load %A[%v_i] : memref<64xf32>
      %b = arith.mulf %a, %x : f32
      tir.store %b, %B[%v_i] : memref<64xf32>
    }
  }
  func.return
}
"""
SPLIT = """\
split{loop=i factors=?,8}
  builtin.module {
    func.func @scale(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
-     tir.for %i in 64 {
-       tir.block "B" (spatial %v_i in 64 = %i) do {
+     tir.for %i_o in 8 {
+       tir.for %i_i in 8 {
+         tir.block "B" (spatial %v_i in 64 = %i_o * 8 + %i_i) do {
            %a = tir.load %A[%v_i] : memref<64xf32>
            %b = arith.mulf %a, %x : f32
            tir.store %b, %B[%v_i] : memref<64xf32>
+         }
        }
      }
      func.return
..."""
VECTORIZE = """\
vectorize{loop=i_i}
  builtin.module {
    func.func @scale(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
      tir.for %i_o in 8 {
-       tir.for %i_i in 8 {
+       tir.for %i_i in 8 vectorized {
          tir.block "B" (spatial %v_i in 64 = %i_o * 8 + %i_i) do {
            %a = tir.load %A[%v_i] : memref<64xf32>
            %b = arith.mulf %a, %x : f32
..."""


@pytest.fixture
def sch():
    schedule = tir.Schedule(kc.IRModule.parse(SOURCE))
    (i,) = schedule.get_loops("B")
    _, ii = schedule.split(i, [None, 8])
    schedule.vectorize(ii)
    return schedule


def test_show(sch, capsys):
    text = sch.show()
    assert text == "for i_o in 8:\n  for i_i in 8 vectorized:\n    block B"
    assert capsys.readouterr().out == text + "\n"


class Terminal:
    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def test_colours_on_a_terminal(sch, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    sch.show()
    assert "\x1b[1;34mfor\x1b[0m i_o \x1b[1;34min\x1b[0m \x1b[35m8\x1b[0m:" in terminal.text
    sch.diff(1)
    assert "\x1b[32m+       tir.for %i_i in 8 vectorized {\x1b[0m" in terminal.text
    sch.mod.show()
    assert '\x1b[34mtir.block\x1b[0m \x1b[32m"B"\x1b[0m' in terminal.text
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    sch.show()
    assert "\x1b" not in terminal.text


def test_diff_of_each_primitive(sch, capsys):
    assert sch.diff(0) == SPLIT
    assert sch.diff(-1) == VECTORIZE
    assert sch.diff() == f"{SPLIT}\n\n{VECTORIZE}"
    assert capsys.readouterr().out == f"{SPLIT}\n{VECTORIZE}\n{SPLIT}\n\n{VECTORIZE}\n"
    sch.undo()
    sch.undo()
    assert sch.diff() == "no changes: no primitive was performed"


def test_diff_follows_undo(sch):
    sch.undo()
    assert sch.diff() == SPLIT


def test_diff_of_a_primitive_that_is_not_there(sch):
    with pytest.raises(KCError) as caught:
        sch.diff(2)
    assert (caught.value.code, caught.value.message) == (
        "KC3741",
        "diff: no primitive has the number 2",
    )
    assert caught.value.why == "2 were performed"


def test_cost(sch):
    cost = sch.cost()
    assert (cost.operations, cost.loaded, cost.stored) == (64, 256, 256)
    assert cost.lanes == 8
    assert len(cost.traffic) == 3


def test_report(sch, tmp_path):
    report = sch.report(str(tmp_path / "page.html"))
    assert [step.title for step in report.steps] == [
        "input",
        "split loop=i factors=?,8",
        "vectorize loop=i_i",
    ]
    assert report.steps[1].call is not None
    assert report.steps[1].call.file == __file__
    assert "schedule.split(i, [None, 8])" in (tmp_path / "page.html").read_text()
    # The schedule goes on as if nothing had been looked at.
    assert len(sch.trace.insts) == 4
    sch.parallel(sch.get_loops("B")[0])


def test_notebook(sch):
    page = sch._repr_html_()
    assert '<span class="k">for</span> i_o' in page
    assert '<span class="nb">tir.block</span> <span class="s2">&quot;B&quot;</span>' in page
    assert "memref&lt;64xf32&gt;" in sch.mod._repr_html_()
