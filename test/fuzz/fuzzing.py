"""Runs random schedules: ``python test/fuzz/fuzzing.py [--seed=1] [--count=20000] [--jobs=N]``.

Cases are numbered from ``seed * 1000000`` on. Each runs in a worker process, so that a crash or a
hang of one is a failure like others. A failure is shrunk, first to fewer computes and then to fewer
calls, and written to out/fuzz/: a script that performs the schedule, and the module that it reads.
``--case=N`` runs a single case again. The exit status is 1 if a case failed.
"""

from __future__ import annotations

import argparse
import faulthandler
import multiprocessing
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), *(str(ROOT / "test" / one) for one in ("", "fuzz", "te"))]

from cases import TE_STAGE, Outcome, run_case  # noqa: E402

OUT = ROOT / "out" / "fuzz"
LIMIT = 60.0
"""Seconds that a case may take."""
SHRINKS = 150
"""Attempts at making a failing case smaller."""
APART = 1_000_000
"""Cases of one seed, at most."""


@dataclass(frozen=True)
class Request:
    """A case to run, as it is drawn or made smaller."""

    case: int
    keep: int | None = None
    lines: tuple[str, ...] | None = None
    native: bool = True


@dataclass(frozen=True)
class Report:
    """What became of it."""

    lines: tuple[str, ...]
    tried: int
    module: str
    failure: str
    """What failed, in one line; empty if nothing did."""
    details: str = ""
    ended: bool = False
    """Whether the process ended, or has to be, instead of telling."""

    @property
    def accepted(self) -> Counter[str]:
        """How often each primitive was accepted."""
        return Counter(line.split(".")[1].split("(")[0] for line in self.lines)


def report_of(done: Outcome) -> Report:
    """What the parent process is told of a case that came to its end."""
    failure = details = ""
    if done.error is not None:
        where = traceback.extract_tb(done.error.__traceback__)[-1]
        kind = type(done.error).__name__
        failure = f"{done.stage}: {kind} at {Path(where.filename).name}:{where.name}"
        details = "".join(traceback.format_exception(done.error))
    return Report(tuple(done.lines), done.tried, done.module, failure, details)


class Worker:
    """A process that runs cases, one after the other."""

    def __init__(self) -> None:
        self.request: Request | None = None
        self.deadline = 0.0
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=_serve, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def send(self, request: Request) -> None:
        """Start a case."""
        self.request, self.deadline = request, time.monotonic() + LIMIT
        self.pipe.send(request)

    def receive(self) -> Report | None:
        """The report of the case, None while it runs."""
        try:
            if self.pipe.poll():
                return self.pipe.recv()
        except EOFError:
            self.process.join()
            return Report((), 0, "", f"the process ended with {self.process.exitcode}", ended=True)
        if time.monotonic() > self.deadline:
            return Report((), 0, "", f"it ran for more than {LIMIT:g} seconds", ended=True)
        return None

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _serve(pipe: Connection) -> None:
    faulthandler.enable()  # kernels run on arrays with guard pages
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    while True:
        try:
            one: Request = pipe.recv()
        except EOFError:
            return
        lines = None if one.lines is None else list(one.lines)
        pipe.send(report_of(run_case(one.case, keep=one.keep, lines=lines, native=one.native)))


def run_all(requests: Iterator[Request], jobs: int) -> Iterator[tuple[Request, Report]]:
    """Run cases in ``jobs`` processes; gives them as they end."""
    workers = [Worker() for _ in range(jobs)]
    try:
        for worker in workers:
            _next(worker, requests)
        while any(one.request is not None for one in workers):
            wait([one.pipe for one in workers if one.request is not None], timeout=1.0)
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
    best = Request(request.case, request.keep, lines, request.native)
    best_report = run_one(best)
    if best_report.failure != report.failure:
        return request, report  # it does not fail again: something is not of the seed
    left = SHRINKS
    for keep in range(1, 8):
        smaller = Request(best.case, keep, best.lines, best.native)
        found = run_one(smaller)
        left -= 1
        if found.failure == report.failure:
            best, best_report = smaller, found
            break
    size = max(1, len(best.lines or ()) // 2)
    while size and left > 0:
        at, removed = 0, False
        while best.lines is not None and at < len(best.lines) and left > 0:
            fewer = best.lines[:at] + best.lines[at + size :]
            smaller = Request(best.case, best.keep, fewer, best.native)
            found = run_one(smaller)
            left -= 1
            if found.failure == report.failure:
                best, best_report, removed = smaller, found, True
            else:
                at += size
        if not removed:
            size //= 2
    return best, best_report


def _lines_until_crash(request: Request) -> tuple[str, ...]:
    """The calls of a case whose process ended: those of the same case without native code."""
    return run_one(Request(request.case, request.keep, None, native=False)).lines


def write(request: Request, report: Report) -> Path:
    """Write a failing case as a script and the module that it schedules; gives the script."""
    OUT.mkdir(parents=True, exist_ok=True)
    name = f"case{request.case}"
    (OUT / f"{name}.mlir").write_text(report.module)
    command = f"python test/fuzz/fuzzing.py --case={request.case}"
    smaller = "" if request.keep is None else f" --keep={request.keep}"
    comment = "\n".join(f"# {line}".rstrip() for line in report.details.splitlines())
    text = f'''"""{report.failure}.

The results are compared by `{command}{smaller} --lines={name}.py`,
and the whole case is `{command}`.
"""

from pathlib import Path

import kc
from kc import tir

sch = tir.Schedule(kc.IRModule.parse(Path(__file__).with_suffix(".mlir").read_text()))
{chr(10).join(request.lines or report.lines)}
print(sch.mod)

{comment}
'''
    path = OUT / f"{name}.py"
    path.write_text(text)
    return path


# Running -----------------------------------------------------------------------------------


def main(argv: Sequence[str]) -> int:
    """Run what the arguments say; 1 if a case failed."""
    parser = argparse.ArgumentParser(description=__doc__, prog="fuzzing.py")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--case", type=int, help="run this case alone, and say what fails")
    parser.add_argument("--keep", type=int, help="with --case: so many computes of the program")
    parser.add_argument("--lines", type=Path, help="with --case: the calls of this script")
    args = parser.parse_args(argv)
    if args.case is not None:
        return _again(args.case, args.keep, args.lines)
    first = args.seed * APART
    failed = 0
    tried, accepted = 0, Counter[str]()
    seen = Counter[str]()
    began = told = time.monotonic()
    requests = (Request(case) for case in range(first, first + args.count))
    for done, (request, report) in enumerate(run_all(requests, args.jobs), start=1):
        tried += report.tried
        accepted += report.accepted
        if report.failure:
            failed += 1
            seen[report.failure] += 1
            _tell(request, report, shrink=seen[report.failure] == 1)
        if time.monotonic() - told > 10 or done == args.count:
            told = time.monotonic()
            rate = done / (told - began)
            print(
                f"{done} of {args.count} schedules, {failed} failed; {tried} calls, "
                f"{accepted.total()} accepted; {rate:.1f} a second",
                flush=True,
            )
    print(", ".join(f"{name} {count}" for name, count in accepted.most_common()))
    for failure, count in seen.most_common():
        print(f"{count} times {failure}")
    return 1 if failed else 0


def _tell(request: Request, report: Report, *, shrink: bool) -> None:
    print(f"case {request.case} failed: {report.failure}", flush=True)
    if shrink and not report.failure.startswith(TE_STAGE):
        smaller, found = shrunk(request, report)
        print(f"  shrunk to {len(smaller.lines or found.lines)} calls: {write(smaller, found)}")
    print(f"  again: python test/fuzz/fuzzing.py --case={request.case}", flush=True)


def _again(case: int, keep: int | None, script: Path | None) -> int:
    lines: Any = None
    if script is not None:
        path = script if script.exists() else OUT / script
        lines = [one for one in path.read_text().splitlines() if one.startswith("sch.")]
    done = run_case(case, keep=keep, lines=lines)
    print(done.module, *done.lines, sep="\n")
    report = report_of(done)
    print(report.details or "nothing failed")
    return 1 if report.failure else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
