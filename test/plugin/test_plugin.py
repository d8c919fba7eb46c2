"""A package that adds to kc: installed, it is there without a flag; broken, it is named."""

import io
import os
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kc.error import KCError
from kc.support import registry
from kc.support.plugins import Plugin, from_module, installed
from kc.support.registry import Hook, Registry
from kc.support.target import Target
from kc.tir import TensorIntrin
from kc.tools.kc_opt import main as kc_opt_main
from kc.tools.kc_translate import main as kc_translate_main

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).resolve().parent

PROGRAM = """\
func.func @f() {
  npu_debug.trace
  tir.for %i in 4 {
    npu_debug.trace
  }
  func.return
}
"""


def wheel_of(source: Path, folder: Path) -> Path:
    """The wheel that `pip wheel` makes of the package, without its build requirements."""
    project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
    stem = f"{project['name'].replace('-', '_')}-{project['version']}"
    points = "".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in project["entry-points"].items()
    )
    files = {
        f"{stem}.dist-info/METADATA": (
            f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        ),
        f"{stem}.dist-info/WHEEL": (
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        ),
        f"{stem}.dist-info/entry_points.txt": points,
    }
    (package,) = source.glob("kc_*")
    for path in sorted(package.iterdir()):
        if path.suffix in (".py", ".toml"):
            files[f"{package.name}/{path.name}"] = path.read_text()
    files[f"{stem}.dist-info/RECORD"] = "".join(f"{name},,\n" for name in files)
    wheel = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return wheel


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"),
            *("--disable-pip-version-check", "--target", str(folder)),
            str(wheel_of(SOURCE, tmp_path_factory.mktemp("wheel"))),
        ],
        check=True,
    )
    return folder


def python(site: Path, *argv: str, **options) -> subprocess.CompletedProcess:
    path = os.pathsep.join([str(ROOT), str(site)])
    return subprocess.run(
        [sys.executable, *argv],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        **options,
    )


def kc_opt(site: Path, *argv: str, **options) -> subprocess.CompletedProcess:
    return python(site, "-m", "kc.tools.kc_opt", *argv, **options)


@pytest.fixture
def as_installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process, as one that finds the package when it starts."""
    monkeypatch.syspath_prepend(str(site))
    own = Registry()
    for plugin in installed():
        own.add(plugin)
    with registry.using(own):
        yield


@pytest.fixture
def call(
    as_installed: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Status, output and errors of a tool that reads PROGRAM."""

    def run(main: Callable[..., int], *argv: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(PROGRAM))
        capsys.readouterr()
        status = main(argv)
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def test_everything_is_found_without_a_flag(site):
    done = kc_opt(site, "--npu-stream=loop=i", "--npu-insert-barriers=count=2", input=PROGRAM)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "builtin.module {\n"
        "  func.func @f() {\n"
        "    npu.barrier\n"
        "    npu.barrier\n"
        "    npu_debug.trace\n"
        "    tir.for %i in 4 annotations {npu.stream} {\n"
        "      npu_debug.trace\n"
        "    }\n"
        "    func.return\n"
        "  }\n"
        "}\n"
    )


def test_a_primitive_has_the_errors_and_the_bare_flag_of_all(call):
    assert call(kc_opt_main, "--npu-stream=lop=i") == (
        2,
        "",
        "error[KC0011]: npu-stream: there is no option 'lop'\n"
        "   |  lop=i\n"
        "   |  ^^^\n"
        "  try: did you mean 'loop' or 'block'?\n",
    )
    status, out, err = call(kc_opt_main, "--npu-stream", "--npu-stream")
    assert status == 0
    assert "annotations {npu.stream}" in out
    assert err.startswith("remark[KC3007]: npu-stream changed nothing\n")


def test_help_shows_it(call):
    lines = call(kc_opt_main, "--help")[1].split("\n")
    assert (
        "  --npu-stream                   Stream the data of a loop through the scratchpad. "
        "[block? loop]"
    ) in lines
    assert "  --npu-insert-barriers          Start every function with barriers. [count?]" in lines
    assert "  --npu-stream                   The outermost loop of every function." in lines
    assert "npu, npu_debug" in call(kc_opt_main, "--show-dialects")[1]
    assert "npu-stream" in call(kc_opt_main, "--list-passes")[1].split()
    assert call(kc_opt_main, "--npu-steam")[2].startswith(
        "error[KC0001]: there is no flag '--npu-steam'\n  try: did you mean '--npu-stream'"
    )


def test_its_format_is_one_of_kc_translate(call):
    to_list = (kc_translate_main, "--to=npu-list")
    assert call(*to_list) == (0, f"; for {Target.generic()}\nf\n", "")
    assert call(*to_list, "--target=npu/mini")[1] == "; for npu -cores=2 -tag=npu/mini\nf\n"
    assert call(kc_translate_main, "--to=asm", "--target=npu") == (
        1,
        "",
        'error[KC6010]: target npu is not compiled by LLVM\n  try: "llvm"\n',
    )


def test_it_is_in_python_as_well(as_installed):
    target = Target("npu/mini", host="llvm")
    assert (str(target), target.keys) == (
        "npu -cores=2 -tag=npu/mini --host=llvm",
        ("npu", "accel"),
    )
    assert (target.vector_bits, target.lanes(32)) == (1024, 32)
    assert target.limits["scratchpad_bytes"] == 1048576
    assert registry.current().hooks[3] == [Hook(name="npu-insert-barriers", kinds=["npu"])]
    assert TensorIntrin.get("npu.dot").block.label == "B"
    stream = registry.get_pass("npu-stream", "loop=i")
    assert str(stream.step.loop) == "i"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(KCError) as raised:
        Target("npu -cores=2 -double-buffer=maybe")
    assert str(raised.value).endswith(
        "error[KC6003]: target: -double-buffer takes true or false, not 'maybe'"
    )


def test_doctor_names_it(site):
    done = python(site, "-m", "kc", "doctor")
    assert done.returncode == 0
    assert (
        "  npu             dialect npu, --npu-stream, --npu-insert-barriers, --to=npu-list, "
        "target file kc_npu:npu.toml\n"
    ) in done.stdout


def test_plugin_by_flag(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(SOURCE))
    (plugin,) = from_module("kc_npu.plugin")
    assert plugin.name == "npu"
    own = Registry()
    own.add(plugin)
    with registry.using(own):
        assert Target("npu").keys == ("npu", "accel")
    assert not registry.is_pass("npu-stream")


BROKEN = {
    "no_such_module:PLUGIN": "ModuleNotFoundError: No module named 'no_such_module'",
    "json:PLUGIN": "AttributeError: module 'json' has no attribute 'PLUGIN'",
    "json:dumps": "TypeError: json:dumps is not a kc.support.plugins.Plugin",
}


@pytest.mark.parametrize("value", BROKEN)
def test_a_broken_plugin_is_a_warning(tmp_path: Path, value):
    info = tmp_path / "broken-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[kc.plugins]\nmine = {value}\n")
    done = kc_opt(tmp_path, input="")
    assert (done.returncode, done.stdout) == (0, "builtin.module {\n}\n")
    assert done.stderr == (
        "warning[KC0030]: plugin 'mine' is broken and was skipped\n"
        f"   |  {value}: {BROKEN[value]}\n"
        "  try: reinstall or remove the package that provides it\n"
    )


def test_metadata_that_is_no_text_is_a_warning(tmp_path: Path):
    """Of another package, too: those that are whole are seen."""
    for name, content in (
        ("broken", b"[kc.plugins]\nmine = \x94"),
        ("whole", b"[kc.plugins]\nx = y"),
    ):
        info = tmp_path / f"{name}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (info / "entry_points.txt").write_bytes(content)
    done = kc_opt(tmp_path, input="")
    assert (done.returncode, done.stdout) == (0, "builtin.module {\n}\n")
    assert "warning[KC0030]: plugin 'broken' is broken and was skipped\n" in done.stderr
    assert "entry_points.txt: UnicodeDecodeError: " in done.stderr
    assert "warning[KC0030]: plugin 'x' is broken and was skipped\n" in done.stderr


def test_a_broken_universe_is_a_warning(tmp_path: Path):
    info = tmp_path / "broken-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[xdsl.universe]\nmine = json:dumps\n")
    done = kc_opt(tmp_path, input="func.func private @f()")
    assert (done.returncode, done.stdout) == (
        0,
        "builtin.module {\n  func.func private @f() -> ()\n}\n",
    )
    assert done.stderr.startswith("warning[KC0030]: plugin 'mine' is broken and was skipped\n")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('kidn = "npu"', "there is no 'kidn' in such a file; did you mean 'kind'?"),
        ('keys = ["npu"]', 'its kind is missing: kind = "NAME"'),
        (
            'kind = "npu"\n[attributes]\na = "real"',
            "attributes are of type str, int, bool, list, not real",
        ),
    ],
)
def test_a_wrong_target_file(tmp_path: Path, monkeypatch, capsys, text: str, wrong: str):
    name = f"npu_{abs(hash(text))}"  # kinds are read once for a path
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()
    (tmp_path / name / "npu.toml").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    own = Registry()
    own.add(Plugin("mine", targets=[f"{name}:npu.toml"]))
    with registry.using(own):
        assert str(Target("llvm")) == "llvm"
    assert capsys.readouterr().err == (
        f"warning[KC6009]: target file {name}:npu.toml of plugin 'mine' is ignored\n"
        f"   |  TypeError: {wrong}\n"
    )


def test_a_broken_target_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    own = Registry()
    own.add(Plugin("mine", targets=["json:none.toml"]))
    with registry.using(own):
        assert str(Target("llvm")) == "llvm"
    assert capsys.readouterr().err.startswith(
        "warning[KC6009]: target file json:none.toml of plugin 'mine' is ignored\n"
        "   |  FileNotFoundError: "
    )
