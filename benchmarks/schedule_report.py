"""The cost of the page of a long schedule: its writing time, its size, and its loading time in a
browser.

    python benchmarks/schedule_report.py [BLOCKS [STEPS]]

A chain of 100 elementwise blocks, each split, vectorized and made parallel: 300 steps. Seconds of
``Schedule.report``, which performs the schedule again, the best of three; the size of the page; and
the milliseconds from navigation to the end of loading in headless chromium, as the page's own clock
has them, where chromium is installed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import kc
from kc import te

CLOCK = (
    "<script>addEventListener('load', () => setTimeout(() => {"
    " document.title = 'loaded ' + performance.getEntriesByType('navigation')[0].loadEventEnd;"
    "}));</script></body>"
)


def scheduled(blocks: int, steps: int) -> kc.tir.Schedule:
    """The schedule, of three steps a block."""
    source = tensor = te.placeholder((64, 64), name="A")
    for n in range(blocks):
        previous = tensor
        tensor = te.compute(
            (64, 64),
            lambda i, j, of=previous: of[i, j] * 2.0 + 1.0,  # pyright: ignore[reportIndexIssue]
            name=f"B{n}",
        )
    sch = kc.tir.Schedule(te.create_prim_func([source, tensor]))
    for n in range(steps // 3):
        i, j = sch.get_loops(sch.get_block(f"B{n % blocks}"))[:2]
        _, inner = sch.split(j, [None, 8])
        sch.vectorize(inner)
        sch.parallel(i)
    return sch


def milliseconds_to_open(page: Path, folder: Path) -> float | None:
    """The time from navigation to the end of loading; None without chromium."""
    chromium = shutil.which("chromium")
    if chromium is None:
        return None
    timed = folder / "timed.html"
    text = page.read_text("utf-8")
    timed.write_text(CLOCK.join(text.rsplit("</body>", 1)), "utf-8")
    command = [
        chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        f"--user-data-dir={folder / 'profile'}", "--dump-dom",
        f"file://{timed}",
    ]  # fmt: skip
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    title = re.search(r"<title>loaded ([\d.]+)</title>", shown)
    return float(title[1]) if title is not None else None


def main() -> None:
    """Print the three numbers."""
    blocks, steps = (int(text) for text in [*sys.argv[1:], "100", "300"][:2])
    sch = scheduled(blocks, steps)
    with tempfile.TemporaryDirectory() as name:
        page = Path(name) / "schedule.html"
        times: list[tuple[float, float]] = []
        for _ in range(3):
            start, used = time.perf_counter(), time.process_time()
            sch.report(str(page))
            times.append((time.perf_counter() - start, time.process_time() - used))
        seconds, processor = min(times)
        print(f"{blocks} blocks, {steps} steps")
        print(f"write  {seconds:.2f} s ({processor:.2f} s of processor time)")
        print(f"size   {page.stat().st_size / 1e6:.2f} MB")
        opened = [milliseconds_to_open(page, Path(name)) for _ in range(3)]
        known = [number for number in opened if number is not None]
        print(f"open   {min(known):.0f} ms" if known else "open   chromium is not installed")


if __name__ == "__main__":
    main()
