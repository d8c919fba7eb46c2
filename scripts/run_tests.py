"""Runs lit and pytest over test/, both to their end, and adds up their results.

    python scripts/run_tests.py [--fast]

--fast runs lit and the unit tests that are not marked slow, in about a minute. The exit status
is 0 if nothing failed.
"""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "build" / "test"
UNIT_TESTS = ("analysis", "dialects", "errors", "support")
"""The folders of test/ whose tests each cover one module."""


def main(argv: list[str]) -> int:
    if argv not in ([], ["--fast"]):
        print(f"run_tests.py: expected --fast or nothing, not {' '.join(argv)}", file=sys.stderr)
        return 2
    REPORTS.mkdir(parents=True, exist_ok=True)
    lit = [str(Path(sys.executable).with_name("lit"))]
    lit += ["--print-result-after=failed", "--test-output=failed"]
    pytest = [sys.executable, "-m", "pytest", "-q", "-n", "auto"]
    tests = ["test"]
    if argv:
        pytest += ["-m", "not slow and not sweep"]
        tests = [f"test/{folder}" for folder in UNIT_TESTS]
    runs = [
        _run([*lit, "--xunit-xml-output"], REPORTS / "lit.xml", ["test"]),
        _run([*pytest, "--junitxml"], REPORTS / "pytest.xml", tests),
    ]
    passed, failed, skipped = (sum(counts) for counts in zip(*runs, strict=True))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


def _run(command: list[str], report: Path, tests: list[str]) -> tuple[int, int, int]:
    """Run the command, which writes `report`; the numbers of passed, failed and skipped tests."""
    report.unlink(missing_ok=True)
    sys.stdout.flush()
    environment = dict(os.environ)
    # Otherwise every process that a test starts would compile kc anew.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    status = subprocess.run(
        [*command, str(report), *tests], cwd=ROOT, stdin=subprocess.DEVNULL, env=environment
    ).returncode
    passed = failed = skipped = 0
    if report.is_file():
        for suite in ElementTree.parse(report).iter("testsuite"):
            bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
            left_out = int(suite.get("skipped", 0))
            failed += bad
            skipped += left_out
            passed += int(suite.get("tests", 0)) - bad - left_out
    if status != 0 and failed == 0:
        failed = 1  # it could not run at all, or found no tests
    return passed, failed, skipped


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
