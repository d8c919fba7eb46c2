"""``kc``: its commands, the pages of ``kc docs``, the examples, completion, and the wheel."""

import itertools
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from importlib.util import find_spec
from pathlib import Path

import islpy
import pytest
import xdsl
from optional_tools import find

from kc import __main__ as kc_main
from kc.support import registry
from kc.tools import kc_opt

ROOT = Path(__file__).resolve().parents[2]


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = kc_main.main(argv)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_commands(capsys):
    status, out, err = run(capsys)
    assert (status, err) == (0, "")
    assert out.startswith("usage: kc COMMAND\n\n  opt         apply passes to a module: kc-opt\n")
    assert run(capsys, "--help") == (0, out, "")
    assert run(capsys, "docs", "--help") == (0, f"kc docs: {kc_main.COMMANDS['docs']}\n", "")
    assert run(capsys, "--version")[1].startswith("kc ")
    assert run(capsys, "docter") == (
        2,
        "",
        "error[KC0001]: there is no command 'docter'\n  try: did you mean 'doctor' or 'docs'?\n",
    )


def test_tools_are_commands(capsys, tmp_path):
    """With their flags, results and statuses."""
    matmul = str(ROOT / "examples" / "matmul.mlir")
    status, out, err = run(capsys, "opt", matmul, "--split", "--vectorize")
    assert (status, err) == (0, "")
    kc_opt.main([matmul, "--split", "--vectorize"])
    assert capsys.readouterr().out == out
    assert "vectorized" in out
    status, out, err = run(capsys, "translate", matmul, "--to=llvmir")
    assert (status, err) == (0, "")
    assert "define void @matmul(" in out
    assert run(capsys, "run", "--nonsense")[0] == 2


# Documentation


def test_every_pass_has_a_page(capsys):
    for name, entry in registry.current().passes.items():
        status, out, err = run(capsys, "docs", name)
        assert (status, err) == (0, ""), name
        assert out.startswith(f"--{entry.name}: ")
        assert out.count("\n") >= 3, name
        assert run(capsys, "opt", f"--help={name}") == (0, out, "")
        assert not re.search(r"(?<!`)``(?!`)|:\w+:`|::$", out, re.MULTILINE), name


def test_the_page_of_a_pass(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    status, out, err = run(capsys, "docs", "compute_at")
    assert (status, err) == (0, "")
    assert "\n    tir.for %i in 16 {\n      tir.for %j in 16 {\n" in out  # code keeps its lines
    assert out.endswith(
        """
Options:
  block=<block>
               the block to move (required)
  loop=<loop>  a loop around all of its consumers (required)
  preserve-unit-loops=true|false
               keep loops of one iteration (default: false)
  index=<int>  the position: -1 last possible one, -2 first,
               n before child n (default: -1)
"""
    )


def test_pages(capsys):
    status, out, err = run(capsys, "docs")
    assert (status, err) == (0, "")
    for page in (ROOT / "docs").glob("*.md"):
        assert f"\n  {page.stem} " in out
        assert run(capsys, "docs", page.stem) == (0, page.read_text(), "")
    assert run(capsys, "docs", "tir.for")[1].startswith("tir.for\n\nA named loop over")
    assert "\nOperations:\n  tir." in run(capsys, "docs", "tir")[1]
    explained = run(capsys, "explain", "kc3040")
    assert explained[1].startswith("KC3040: a reduction loop that would run in parallel\n")
    assert run(capsys, "docs", "KC3040") == explained
    assert run(capsys, "explain", "3040") == explained


MISTAKES = {
    ("docs", "splti"): (
        "error[KC0003]: there is no page, pass, operation or diagnostic 'splti'\n"
        "  try: did you mean 'split' or 'split-args' or 'sched.split'?\n"
        "  try: kc docs lists the pages\n"
    ),
    ("docs", "a", "b"): "error[KC0002]: docs takes one name, not 2: a b\n",
    ("docs", "KC9999"): (
        "error[KC0005]: there is no diagnostic KC9999\n"
        "  try: did you mean 'KC3499' or 'KC6309' or 'KC6009'?\n"
    ),
    ("explain",): "error[KC0002]: explain takes a code\n  try: kc explain KC3040\n",
    ("opt", "--help=splt"): (
        "error[KC0003]: there is no pass 'splt'\n"
        "  try: did you mean 'split' or 'split-args'?\n"
        "  try: kc-opt --list-passes\n"
    ),
    ("examples",): "error[KC0002]: examples takes a directory\n  try: kc examples kc-examples\n",
    ("completion",): (
        "error[KC0002]: completion takes a shell\n  try: the shells are: bash, zsh, fish\n"
    ),
    ("completion", "tcsh"): (
        "error[KC0002]: there is no completion for 'tcsh'\n"
        "  try: did you mean 'zsh' or 'fish' or 'bash'?\n"
    ),
}


@pytest.mark.parametrize("argv", MISTAKES, ids=" ".join)
def test_mistakes(capsys, argv):
    assert run(capsys, *argv) == (2, "", MISTAKES[argv])


# Help on narrow terminals


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 300])
def test_help_fits_the_terminal(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    status, out, err = run(capsys, "opt", "--help")
    assert (status, err) == (0, "")
    widest = max(map(len, out.split("\n")))
    longest_flag = max(len(f"  --{name}") for name in registry.current().passes)
    assert widest <= max(min(columns, 100), longest_flag)
    assert widest > min(columns, 100) - 8  # it is used


class Terminal:
    """A command in a tmux of its own, 80 columns wide.

    Each terminal has a server of its own: ``kill-server`` returns before the server has ended,
    and a session that starts in between is refused.
    """

    counter = itertools.count()

    def __init__(self, folder: Path, command: str) -> None:
        socket = f"kc-test-{os.getpid()}-{next(self.counter)}"
        self.server = ("tmux", "-L", socket, "-f", "/dev/null")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "ZDOTDIR": str(folder)}
        environment.pop("COLUMNS", None)
        self.tmux("new-session", "-d", "-x", "80", "-y", "40", command, env=environment)

    def tmux(self, *argv: str, **options) -> str:
        return subprocess.run(
            [*self.server, *argv], check=True, capture_output=True, text=True, **options
        ).stdout

    def shows(self, text: str) -> str:
        """The text of the terminal, with lines that scrolled away, once it contains ``text``."""
        shown = ""
        for _ in range(600):
            shown = self.tmux("capture-pane", "-p", "-S", "-")
            if text in shown:
                return shown
            time.sleep(0.05)
        raise AssertionError(f"{text!r} is not in:\n{shown}")

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.tmux("kill-server")


@pytest.mark.skipif(find("tmux") is None, reason="needs tmux")
@pytest.mark.parametrize("pager", ["", " | cat"])
def test_no_line_of_help_is_broken_by_a_terminal(tmp_path, pager):
    with Terminal(tmp_path, f"{sys.executable} -m kc run --help{pager}; sleep 60") as terminal:
        shown = terminal.shows("130")
        joined = terminal.tmux("capture-pane", "-p", "-J", "-S", "-")
    rows = [line.rstrip() for line in shown.split("\n")]
    assert rows == [line.rstrip() for line in joined.split("\n")]
    assert 72 < max(map(len, rows)) <= 80


# Examples


def test_examples(capsys, tmp_path):
    target = tmp_path / "deep" / "ex"
    status, out, err = run(capsys, "examples", str(target))
    assert (status, err) == (0, "")
    copied = {path.relative_to(target) for path in target.rglob("*") if path.is_file()}
    listed = subprocess.run(
        ["git", "ls-files", "examples"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    assert not listed or copied == {Path(name).relative_to("examples") for name in listed}
    assert f"{len(copied)} files in {target}; to begin with:\n" in out
    assert f"  python {target / 'lessons' / '01_vector_add.py'}\n" in out
    (target / "matmul.mlir").write_text("mine")
    shutil.rmtree(target / "lessons")
    shutil.rmtree(target / "notebooks")
    shutil.rmtree(target / "polybench")
    assert run(capsys, "examples", str(target)) == (
        2,
        "",
        f"error[KC0023]: 4 files in {target} would be replaced\n"
        f"   |  {target / 'README.md'}\n"
        f"   |  {target / 'matmul.mlir'}\n"
        f"   |  {target / 'schedule.mlir'}\n"
        "  try: name a directory that does not exist yet\n",
    )
    assert (target / "matmul.mlir").read_text() == "mine"
    assert not (target / "lessons").exists()
    assert run(capsys, "examples", str(target / "matmul.mlir" / "x")) == (
        2,
        "",
        f"error[KC0022]: cannot make the directory {target}/matmul.mlir/x: Not a directory\n",
    )


# Completion: what the shells themselves answer. Each line is completed at its end.
COMPLETED = {
    "kc com": {"completion"},
    "kc completion ": {"bash", "zsh", "fish"},
    "kc-opt --schedule-r": {"--schedule-report="},
    "kc-opt --compute-": {"--compute-at", "--compute-inline", "--compute-root"},
    "kc opt --compute-a": {"--compute-at"},
    "kc-translate --to=pt": {"ptx"},
    "kc translate --to=pt": {"ptx"},
    "kc-opt --parallel=lo": {"loop="},
    "kc explain KC000": {"KC0001", "KC0002", "KC0003", "KC0004", "KC0005"},
}

BASH = """
source {script}
complete_line() {{
  COMP_LINE="$1" COMP_POINT=${{#1}}
  read -ra COMP_WORDS <<< "$1"
  [[ $1 == *' ' ]] && COMP_WORDS+=("")
  COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
  _kc
  echo "${{COMPREPLY[@]}}"
}}
"""


@pytest.fixture
def script(capsys, tmp_path, request) -> Path:
    status, out, err = run(capsys, "completion", request.param)
    assert (status, err) == (0, "")
    path = tmp_path / f"_kc.{request.param}"
    path.write_text(out)
    return path


@pytest.mark.parametrize("script", ["bash"], indirect=True)
@pytest.mark.skipif(find("bash") is None, reason="needs bash")
def test_bash(script):
    asked = "".join(f"complete_line '{line}'\n" for line in COMPLETED)
    done = subprocess.run(
        ["bash", "--norc"], input=BASH.format(script=script) + asked, text=True, capture_output=True
    )
    assert done.stderr == ""
    answers = [set(line.split()) for line in done.stdout.split("\n")[:-1]]
    assert answers == list(COMPLETED.values())


@pytest.mark.parametrize("script", ["fish"], indirect=True)
@pytest.mark.skipif(find("fish") is None, reason="needs fish")
def test_fish(script, tmp_path):
    asked = "".join(f"complete -C '{line}'; echo ---\n" for line in COMPLETED)
    done = subprocess.run(
        ["fish", "--no-config"],
        input=f"source {script}\n{asked}",
        text=True,
        capture_output=True,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    answers = [
        {
            word.split("\t")[0].removesuffix("=").rpartition("=")[2]
            for word in part.split("\n")
            if word
        }
        for part in done.stdout.split("---\n")[:-1]
    ]
    expected = [{word.removesuffix("=") for word in words} for words in COMPLETED.values()]
    assert answers == expected


@pytest.mark.parametrize("script", ["zsh"], indirect=True)
@pytest.mark.skipif(find("zsh") is None or find("tmux") is None, reason="needs zsh and tmux")
def test_zsh(script, tmp_path):
    """Zsh completes in a terminal alone; where there is one answer, it types it."""
    (tmp_path / ".zshrc").write_text(
        f"autoload -Uz compinit; compinit -u; source {script}\nPS1='ready> '\n"
    )
    single = {line: words for line, words in COMPLETED.items() if len(words) == 1}
    with Terminal(tmp_path, "zsh") as terminal:
        terminal.shows("ready>")
        for line, (word,) in single.items():
            terminal.tmux("send-keys", "-l", line)
            terminal.tmux("send-keys", "Tab")
            start = max(line.rfind(" "), line.rfind("=")) + 1
            terminal.shows(f"ready> {line[:start]}{word}")
            terminal.tmux("send-keys", "C-u")


# The wheel, as others install it


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel in it; what the wheel needs is seen from outside."""
    source = tmp_path_factory.mktemp("source")
    shutil.copytree(
        ROOT,
        source,
        dirs_exist_ok=True,
        ignore=lambda folder, names: [
            name
            for name in names
            if name in ("build", "out", "test", "shared", "__pycache__")
            or name.startswith(".")
            or name.endswith(".egg-info")
        ],
    )
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, symlinks=True, with_pip=False)
    (packages,) = environment.glob("lib/python3*/site-packages")
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    only = ("--no-deps", "--no-index")
    wheels = tmp_path_factory.mktemp("wheels")
    subprocess.run(
        [*pip, "wheel", *only, "--no-build-isolation", f"--wheel-dir={wheels}", str(source)],
        check=True,
    )
    (wheel,) = wheels.iterdir()
    python = str(environment / "bin" / "python")
    subprocess.run([*pip, "--python", python, "install", *only, str(wheel)], check=True)
    # After it, so that what it has counts less: the checkout is there too, as an editable install.
    needed = {str(Path(package.__path__[0]).parent) for package in (xdsl, islpy)}
    (packages / "needed.pth").write_text("\n".join(sorted(needed)) + "\n")
    return environment


@pytest.mark.slow
@pytest.mark.skipif(find_spec("setuptools") is None, reason="needs setuptools")
def test_what_is_installed_works(installed, tmp_path):
    def kc(*argv: str) -> str:
        done = subprocess.run(
            [str(installed / "bin" / "kc"), *argv],
            cwd=tmp_path,
            text=True,
            capture_output=True,
            env={"PATH": os.environ["PATH"]},
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    versions = kc("doctor").split("\n")[1]
    assert f"({installed}" in versions
    assert kc("docs", "schedules") == (ROOT / "docs" / "schedules.md").read_text()
    assert kc("explain", "KC3040").startswith("KC3040: ")
    kc("examples", "ex")
    assert "vectorized" in kc("opt", "ex/matmul.mlir", "--split", "--vectorize")
    metadata = installed.glob("lib/python3*/site-packages/kc_compiler-*.dist-info/METADATA")
    assert "\nName: kc-compiler\n" in next(metadata).read_text()
    names = {path.name for path in (installed / "bin").iterdir()}
    assert {"kc", "kc-opt", "kc-run", "kc-translate"} <= names
