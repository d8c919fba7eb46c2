"""A slice of the random schedules that ``make fuzz`` runs, TE's too; and how failures are told."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import cases
import fuzzing
import pytest
from cases import check_interpreted, run_case
from hypothesis import given
from hypothesis import strategies as st
from layouts import Layouts
from programs import Program
from programs import draw as draw_program
from property_tests import examples
from schedules import _any, line_of, perform, record

import kc
from kc import te, tir
from kc.analysis import loop_tree
from kc.error import KCError
from kc.support.diagnostics import diagnostic_handler
from kc.support.registry import pass_class

CALLS = 8
SLICE = 10
OF_FAMILY = {
    "ragged": 3,
    "scans": 2,
    "shapes": 2,
    "intrinsics": 2,
    "kernels": 2,
    "gradients": 2,
    "scripts": 2,
    "networks": 2,
    "operators": 2,
    "raised": 2,
    "affine_nests": 2,
    "values": 2,
    "texts": 3,
    "passes": 3,
    "hostile": 12,
    "graph": 2,
}


def test_random_schedules():
    """In a process of their own, as a kernel may touch a guard page."""
    accepted = 0
    requests = (fuzzing.Request(case) for case in range(SLICE))
    for request, report in fuzzing.run_all(requests, 1):
        if report.failure:
            pytest.fail(told(request, report))
        accepted += len(report.lines)
    assert accepted > 20


def test_every_family_has_programs():
    """``programs`` and ``bindings`` are among the first ones of all (:data:`SLICE`)."""
    assert set(fuzzing.FAMILIES) == {"programs", "bindings", *OF_FAMILY}


@pytest.mark.parametrize("family", OF_FAMILY)
def test_programs_of_a_family(family: str):
    """They are drawn, and give their results."""
    requests = (fuzzing.Request(case, family) for case in range(OF_FAMILY[family]))
    for request, report in fuzzing.run_all(requests, 1):
        if report.failure:
            pytest.fail(told(request, report))


def told(request: fuzzing.Request, report: fuzzing.Report) -> str:
    """The failure with its program. If the process ended, the program is that of a run without
    native code.
    """
    known = fuzzing.run_one(replace(request, native=False)) if report.ended else report
    calls = "\n".join(known.lines)
    return f"case {request.case}: {report.failure}\n{calls}\n{known.module}\n{report.details}"


def schedule_of(program: Program) -> te.Schedule:
    return te.create_schedule(list(dict.fromkeys(output.tensor.op for output in program.outputs)))


@examples(50)
@given(st.integers(0, 2**32 - 1))
def test_te_schedules(seed: int):
    """A TE schedule is refused as its script is, or gives the same module and right results."""
    random = Random(seed)
    program = draw_program(random)
    schedule = schedule_of(program)
    record(random, schedule, random.randint(0, CALLS))
    sch = tir.Schedule(kc.lower(schedule_of(program), program.args, name="main"))
    with diagnostic_handler(lambda _: None):
        try:
            mod = kc.lower(schedule, program.args, name="main")
        except KCError as refusal:
            try:
                exec(schedule.to_tir_script(), {"sch": sch})
            except KCError as script_refusal:
                assert (refusal.code, refusal.message) == (
                    script_refusal.code,
                    script_refusal.message,
                )
                return
            raise AssertionError("the script is not refused") from refusal
        exec(schedule.to_tir_script(), {"sch": sch})
    assert str(sch.mod) == str(mod)
    check_interpreted(program, mod, Layouts(sch, {}))  # pyright: ignore[reportArgumentType]


def test_a_case_is_of_its_seed_alone():
    first, again = run_case(7), run_case(7)
    assert (first.module, first.lines) == (again.module, again.lines)


def test_a_failure_is_shrunk_and_written(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzzing, "OUT", tmp_path)
    block = "sch.get_block('C0')"
    lines = [f"sch.annotate({block}, 'n{n}', {n})" for n in range(5)]
    request = fuzzing.Request(7, lines=(*lines, "sch.no_such_primitive()", *lines))
    report = fuzzing.run_one(request)
    assert report.failure.startswith("schedule: AttributeError at")
    smaller, smaller_report = fuzzing.shrunk(request, report)
    assert smaller.lines == ("sch.no_such_primitive()",)
    assert smaller.keep == 1
    script = fuzzing.write(smaller, smaller_report)
    assert script == tmp_path / "case7.py"
    with pytest.raises(AttributeError):
        exec(script.read_text(), {"__file__": str(script)})


def test_a_failure_of_the_generator_is_not_told_as_that_of_a_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """With the calls that were made before it, none of which is at fault."""
    drawn = iter(["sch.unroll(sch.get_loops('C0')[0])"])

    def draw(*_: Any, **__: Any) -> str:
        return next(drawn, "") or [][0]

    monkeypatch.setattr(cases, "draw", draw)
    monkeypatch.setattr(fuzzing, "OUT", tmp_path)
    outcome = run_case(8)
    report = fuzzing.report_of(outcome)
    assert report.failure == "drawing a call: IndexError at test_schedules.py:draw"
    assert report.lines == ("sch.unroll(sch.get_loops('C0')[0])",)
    fuzzing._tell(fuzzing.Request(8), report, shrink=True)
    assert capsys.readouterr().out == (
        f"case 8 of programs failed: {report.failure}\n"
        f"  after 1 calls, before another: {tmp_path / 'case8.py'}\n"
        "  again: python test/fuzz/fuzzing.py --case=8 --family=programs\n"
    )


@pytest.mark.parametrize("name", ["fuse_loops", "skew", "tile"])
def test_calls_for_nothing_have_all_their_arguments(name: str):
    """Also where they are parts of one field: the refusal is that of the primitive."""
    sch = tir.Schedule(draw_program(Random(3)).module)
    site = sch.session.site(loop_tree.kernels(sch.module)[0])
    for seed in range(8):
        line = line_of(_any(Random(seed), pass_class(name.replace("_", "-")), site))
        assert line.startswith(f"sch.{name}(")
        assert line.count("sch.get_loop") == 2
        perform(sch, line)


def test_a_process_that_ends_is_a_failure(monkeypatch):
    ending = fuzzing.Request(7, lines=("import os; os._exit(3)",))
    well = fuzzing.Request(8)
    reports = dict(fuzzing.run_all(iter([ending, well]), 1))
    assert reports[ending].failure == "the process ended with 3"
    assert reports[well].failure == ""
    assert told(ending, reports[ending]).startswith("case 7: the process ended with 3\n")


@pytest.mark.parametrize(
    ("line", "patience"),
    [
        ("import time; time.sleep(60)", 2),
        ("import time; time.sleep(exec('while True: pass'))", 1000),
    ],
)
def test_a_case_that_hangs_or_waits_is_a_failure(
    line: str, patience: float, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(fuzzing, "LIMIT", 0.5)
    monkeypatch.setattr(fuzzing, "PATIENCE", patience)
    report = fuzzing.run_one(fuzzing.Request(7, lines=(line,)))
    assert report.failure == "it ran for more than 0.5 seconds"


def test_an_interrupted_run_prints_its_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    """With what was counted until then: 3 programs, of which one failed."""
    right = fuzzing.Report(("sch.unroll(1)",), Counter(unroll=2), "", "")
    wrong = fuzzing.Report((), Counter(), "", "it ended", ended=True)

    def reports(requests: Iterator[fuzzing.Request], jobs: int) -> Any:
        for report in (right, wrong, right):
            yield next(requests), report
        raise KeyboardInterrupt

    monkeypatch.setattr(fuzzing, "run_all", reports)
    monkeypatch.setattr(fuzzing, "_tell", lambda *_, shrink: None)
    table = tmp_path / "table.md"
    assert fuzzing.main(["--count=20", "--family=raised", f"--table={table}"]) == 130
    said = capsys.readouterr().out
    assert said.startswith("interrupted\n3 programs, 1 failed; 4 calls of primitives, 2 accepted;")
    assert "| raised | 3 | 1 |\n" in table.read_text()
    assert "| unroll | 4 | 2 | 50% |\n" in table.read_text()
    assert said.endswith("1 times it ended\n")
