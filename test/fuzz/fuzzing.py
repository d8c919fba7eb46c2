"""Runs random programs: ``python test/fuzz/fuzzing.py [--seed=1] [--count=20000] [--jobs=N]``.

Cases are numbered from ``seed * 1000000`` on; the number says which family of programs a case is of
(:mod:`families`), unless ``--family`` does. Each runs in a worker process, so that a crash or a
hang of one is a failure like others. A failure is shrunk, first to fewer computes and then to fewer
calls, and written to out/fuzz/: a script that performs the schedule, and the module that it reads.
``--case=N`` runs a single case again.

The end, also of a run that is interrupted, is a table: programs of each family, the ways they were
run, and how often each primitive was called and accepted; ``--table=FILE`` writes it, also while
the run goes on. The exit status is 130 for an interrupted run, 1 if a case failed, or if a long run
(5,000 programs of all families) had a primitive accepted in less than 1 % of its calls.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import gc
import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), *(str(ROOT / "test" / folder) for folder in ("", "fuzz", "te"))]

from cases import DRAWING, PROGRAMS, TE_STAGE, Outcome, first_wrong_step, run_case  # noqa: E402
from families import FAMILIES, family_of  # noqa: E402
from schedules import primitive_of  # noqa: E402

from kc.support.registry import current  # noqa: E402

OUT = ROOT / "out" / "fuzz"
LIMIT = 60.0
"""Seconds of processor time that a case may take: of other time a busy machine takes more."""
PATIENCE = 20
"""The limit of elapsed time, as a multiple of the limit of processor time, for a case that
waits.
"""
SHRINKS = 150
"""Attempts at making a failing case smaller."""
COLLECTED = 20_000
"""New objects after which garbage is collected: IR is full of cycles, and ends with its case."""
APART = 1_000_000
"""Cases of one seed, at most."""
CALLS = ("sch.", "mod = after(")
"""The beginnings of script lines that call primitives or passes."""
LONG = 5_000
"""Programs from which on a run says something about how often primitives are accepted."""


@dataclass(frozen=True)
class Request:
    """A case to run, as it is drawn or made smaller."""

    case: int
    family: str = PROGRAMS
    keep: int | None = None
    lines: tuple[str, ...] | None = None
    native: bool = True
    step: bool = False
    """Ask ``--check-each`` for the first wrong step, instead of running the case."""


@dataclass(frozen=True)
class Report:
    """The outcome of a request."""

    lines: tuple[str, ...]
    tried: Counter[str]
    module: str
    failure: str
    """The failure in one line; empty if there was none."""
    details: str = ""
    checks: tuple[str, ...] = ()
    """The ways in which the program was run."""
    ended: bool = False
    """True if the process ended, or must be ended, without a report."""

    @property
    def accepted(self) -> Counter[str]:
        """The number of accepted calls of each primitive."""
        return Counter(map(primitive_of, self.lines))


def report_of(done: Outcome) -> Report:
    """The report of a finished case, for the parent process."""
    failure = details = module = ""
    if done.error is not None:
        module = done.module
        where = traceback.extract_tb(done.error.__traceback__)[-1]
        kind = type(done.error).__name__
        failure = f"{done.stage}: {kind} at {Path(where.filename).name}:{where.name}"
        details = "".join(traceback.format_exception(done.error))
    return Report(tuple(done.lines), done.tried, module, failure, details, tuple(done.checks))


class Worker:
    """A process that runs cases, one after the other."""

    def __init__(self) -> None:
        self.request: Request | None = None
        self.began = self.spent = 0.0
        self.pipe, remote = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=_serve, args=(remote,), daemon=True)
        self.process.start()
        remote.close()

    def send(self, request: Request) -> None:
        """Start a case."""
        self.request, self.began, self.spent = request, time.monotonic(), self._processor_time()
        self.pipe.send(request)

    def receive(self) -> Report | None:
        """The report of the case, None while it runs."""
        try:
            if self.pipe.poll():
                return self.pipe.recv()
        except EOFError:
            self.process.join()
            return Report(
                (), Counter(), "", f"the process ended with {self.process.exitcode}", ended=True
            )
        taken = time.monotonic() - self.began
        if self._processor_time() - self.spent > LIMIT or taken > LIMIT * PATIENCE:
            return Report((), Counter(), "", f"it ran for more than {LIMIT:g} seconds", ended=True)
        return None

    def _processor_time(self) -> float:
        """The seconds that the process and those it waited for have run; the clock's where the
        system does not tell."""
        try:
            told = Path(f"/proc/{self.process.pid}/stat").read_text()
        except OSError:
            return time.monotonic()
        ticks = told.rpartition(")")[2].split()[11:15]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _serve(pipe: Connection) -> None:
    faulthandler.enable()  # kernels run on arrays with guard pages
    for interrupt in (signal.SIGINT, signal.SIGTERM):
        signal.signal(interrupt, signal.SIG_IGN)  # for the process that tells, which ends this one
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    gc.freeze()
    gc.set_threshold(COLLECTED)
    while True:
        try:
            request: Request = pipe.recv()
        except EOFError:
            return
        if request.step:
            lines = request.lines or ()
            said = first_wrong_step(request.case, request.family, request.keep, lines)
            pipe.send(Report((), Counter(), "", said))
            continue
        lines = None if request.lines is None else list(request.lines)
        family, keep, native = request.family, request.keep, request.native
        pipe.send(
            report_of(run_case(request.case, family=family, keep=keep, lines=lines, native=native))
        )


def run_all(
    requests: Iterator[Request], jobs: int
) -> Generator[tuple[Request, Report], None, None]:
    """Run cases in ``jobs`` processes; gives them as they end."""
    workers = [Worker() for _ in range(jobs)]
    try:
        for worker in workers:
            _next(worker, requests)
        while any(worker.request is not None for worker in workers):
            wait([worker.pipe for worker in workers if worker.request is not None], timeout=1.0)
            for n, worker in enumerate(workers):
                request = worker.request
                report = worker.receive() if request is not None else None
                if request is None or report is None:
                    continue
                yield request, report
                if report.ended:
                    worker.stop()
                    workers[n] = worker = Worker()
                _next(worker, requests)
    finally:
        for worker in workers:
            worker.stop()


def _next(worker: Worker, requests: Iterator[Request]) -> None:
    worker.request = None
    request = next(requests, None)
    if request is not None:
        worker.send(request)


def run_one(request: Request) -> Report:
    """Run one case, in a process of its own."""
    ((_, report),) = run_all(iter([request]), 1)
    return report


# Shrinking ---------------------------------------------------------------------------------


def shrunk(request: Request, report: Report) -> tuple[Request, Report]:
    """A smaller case that fails in the same way, as far as :data:`SHRINKS` attempts find one."""
    lines = report.lines or _lines_until_crash(request)
    best = replace(request, lines=lines)
    best_report = run_one(best)
    if best_report.failure != report.failure:
        return request, report  # it does not fail again: something is not of the seed
    left = SHRINKS
    for keep in range(1, 8):
        smaller = replace(best, keep=keep)
        attempt = run_one(smaller)
        left -= 1
        if attempt.failure == report.failure:
            best, best_report = smaller, attempt
            break
    size = max(1, len(best.lines or ()) // 2)
    while size and left > 0:
        at, removed = 0, False
        while best.lines is not None and at < len(best.lines) and left > 0:
            fewer = best.lines[:at] + best.lines[at + size :]
            smaller = replace(best, lines=fewer)
            attempt = run_one(smaller)
            left -= 1
            if attempt.failure == report.failure:
                best, best_report, removed = smaller, attempt, True
            else:
                at += size
        if not removed:
            size //= 2
    return best, best_report


def _lines_until_crash(request: Request) -> tuple[str, ...]:
    """The calls of a case whose process ended: those of the same case without native code."""
    return run_one(replace(request, lines=None, native=False)).lines


def write(request: Request, report: Report) -> Path:
    """Write a failing case as a script and the module that it schedules; gives the script."""
    OUT.mkdir(parents=True, exist_ok=True)
    name = f"case{request.case}"
    (OUT / f"{name}.mlir").write_text(report.module)
    command = f"python test/fuzz/fuzzing.py --case={request.case} --family={request.family}"
    smaller = "" if request.keep is None else f" --keep={request.keep}"
    comment = "\n".join(f"# {line}".rstrip() for line in report.details.splitlines())
    calls = chr(10).join(request.lines or report.lines)
    module = 'kc.IRModule.parse(Path(__file__).with_suffix(".mlir").read_text())'
    program = f"from kc import tir\n\nsch = tir.Schedule({module})\n{calls}\nprint(sch.mod)"
    if FAMILIES[request.family].own_run:
        program = f"from passes import after  # in test/fuzz\n\nmod = {module}\n{calls}\nprint(mod)"
    text = f'''"""{report.failure}.

The results are compared by `{command}{smaller} --lines={name}.py`,
and the whole case is `{command}`.
"""

from pathlib import Path

import kc
{program}

{comment}
'''
    path = OUT / f"{name}.py"
    path.write_text(text)
    return path


# Running -----------------------------------------------------------------------------------


@dataclass
class Tally:
    """The counts of a run."""

    programs: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    """By family."""
    checks: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    """By what failed."""

    def add(self, request: Request, report: Report) -> None:
        """Count a case."""
        self.programs[request.family] += 1
        self.checks += Counter(report.checks)
        self.tried += report.tried
        self.accepted += report.accepted
        if report.failure:
            self.failed[request.family] += 1
            self.failures[report.failure] += 1

    def rarely_accepted(self) -> list[str]:
        """The primitives that were accepted in less than 1 % of their calls."""
        names = [name.replace("-", "_") for name in current().primitives]
        return [name for name in names if self.accepted[name] < max(1, self.tried[name] / 100)]

    def table(self, seconds: float) -> str:
        """The numbers as two tables in Markdown."""
        total = self.programs.total()
        ways = ", ".join(f"{name} {count:,}" for name, count in self.checks.most_common())
        lines = [
            f"{total:,} programs, {self.failed.total()} failed; {self.tried.total():,} calls of "
            f"primitives, {self.accepted.total():,} accepted; {total / seconds:.1f} programs a "
            "second.",
            "",
            f"Runs: {ways}.",
            "",
            "| family | programs | failed |",
            "|---|---:|---:|",
            *(
                f"| {name} | {self.programs[name]:,} | {self.failed[name]} |"
                for name in sorted(self.programs)
            ),
            "",
            "| primitive | calls | accepted | share |",
            "|---|---:|---:|---:|",
        ]
        for name in sorted(self.tried):
            tried, accepted = self.tried[name], self.accepted[name]
            lines.append(f"| {name} | {tried:,} | {accepted:,} | {accepted / tried:.0%} |")
        return "\n".join(lines) + "\n"


def main(argv: Sequence[str]) -> int:
    """Run what the arguments say; 1 if a case failed."""
    parser = argparse.ArgumentParser(description=__doc__, prog="fuzzing.py")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="begin with this case of the seed")
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--family", choices=list(FAMILIES), help="programs of this family alone")
    parser.add_argument("--table", type=Path, help="write the table to this file, too")
    parser.add_argument("--case", type=int, help="run this case alone, and say what fails")
    parser.add_argument("--keep", type=int, help="with --case: so many computes of the program")
    parser.add_argument("--lines", type=Path, help="with --case: the calls of this script")
    args = parser.parse_args(argv)
    if args.case is not None:
        family = args.family or family_of(args.case)
        return _again(Request(args.case, family, args.keep), args.lines)
    first = args.seed * APART + args.first
    tally = Tally()
    began = time.monotonic()
    requests = (
        Request(case, args.family or family_of(case)) for case in range(first, first + args.count)
    )
    interrupted = False
    try:
        with contextlib.closing(run_all(requests, args.jobs)) as reports:
            _count(reports, tally, args.count, args.table)
    except KeyboardInterrupt:
        interrupted = True
        print("interrupted")
    table = tally.table(time.monotonic() - began)
    print(table)
    if args.table is not None:
        args.table.write_text(table)
    for failure, count in tally.failures.most_common():
        print(f"{count} times {failure}")
    is_long = tally.programs.total() >= LONG and args.family is None
    rare = tally.rarely_accepted() if is_long else []
    if rare:
        print(f"accepted in less than 1 % of their calls: {', '.join(rare)}")
    if interrupted:
        return 130
    return 1 if tally.failures or rare else 0


def _count(
    reports: Iterator[tuple[Request, Report]], tally: Tally, count: int, file: Path | None
) -> None:
    """Add up ``reports``, tell of failures as they come and of the progress now and then.

    The table so far goes to ``file`` each time, so that a run that is killed has one.
    """
    began = told = time.monotonic()
    for done, (request, report) in enumerate(reports, start=1):
        tally.add(request, report)
        if report.failure:
            _tell(request, report, shrink=tally.failures[report.failure] == 1)
        if time.monotonic() - told > 10 or done == count:
            told = time.monotonic()
            rate = done / (told - began)
            print(
                f"{done} of {count} programs, {tally.failed.total()} failed; "
                f"{tally.tried.total()} calls, {tally.accepted.total()} accepted; "
                f"{rate:.1f} a second",
                flush=True,
            )
            if file is not None:
                file.write_text(tally.table(told - began))


def _tell(request: Request, report: Report, *, shrink: bool) -> None:
    print(f"case {request.case} of {request.family} failed: {report.failure}", flush=True)
    if shrink and report.failure.startswith(DRAWING):
        # The calls before it alone draw nothing, so that there is nothing to make smaller.
        print(f"  after {len(report.lines)} calls, before another: {write(request, report)}")
    elif shrink and not report.failure.startswith(TE_STAGE):
        smaller, smaller_report = shrunk(request, report)
        calls = smaller.lines or smaller_report.lines
        print(f"  shrunk to {len(calls)} calls: {write(smaller, smaller_report)}")
        wrong = run_one(replace(smaller, lines=calls, step=True)).failure
        print(f"  first wrong step: {wrong or 'none, by --check-each'}")
    command = f"python test/fuzz/fuzzing.py --case={request.case} --family={request.family}"
    print(f"  again: {command}", flush=True)


def _again(request: Request, script: Path | None) -> int:
    lines: Any = None
    if script is not None:
        path = script if script.exists() else OUT / script
        lines = [line for line in path.read_text().splitlines() if line.startswith(CALLS)]
    outcome = run_case(request.case, family=request.family, keep=request.keep, lines=lines)
    print(outcome.source, outcome.module, *outcome.lines, sep="\n")
    report = report_of(outcome)
    print(report.details or "nothing failed")
    return 1 if report.failure else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
