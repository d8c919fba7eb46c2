"""The site's pages: all are there, in both languages where promised, and what they show is so."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import api_pages
import lesson_remarks
import make_site
import optional_tools
import pytest

from kc.support.explain import explanations
from kc.support.registry import PRIMITIVES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "pages"
    make_site.write_pages(folder, lessons=False)
    return folder


def test_a_page_for_everything(pages: Path):
    for code in explanations():
        assert (pages / "diagnostics" / f"{code}.md").read_text().startswith(f"# {code}: ")
    for family, flags in PRIMITIVES.items():
        text = (pages / "primitives" / f"{family}.md").read_text()
        assert "``" not in text.replace("```", "")  # Markdown, not the docstring's markup
        assert "\\|" not in text
        assert re.findall(r"^## (\w+)$", text, re.MULTILINE) == [
            flag.replace("-", "_") for flag in flags
        ]


def test_the_api_is_what_users_see(pages: Path):
    """Names made at import, methods of primitives, and nothing that ``dir`` leaves out."""
    headings = {
        path.stem: re.findall(r"^##+ ([\w.]+)$", path.read_text(), re.MULTILINE)
        for path in (pages / "api").iterdir()
    }
    assert sorted(headings) == sorted(api_pages.MODULES)
    for name in ("te.sum", "te.exp", "te.extern", "te.gradient", "Stage.split", "Schedule.outputs"):
        assert name in headings["te"]
    for name in ("Schedule.split", "Schedule.get_loops", "Schedule.undo", "tir.decl_buffer"):
        assert name in headings["tir"]
    hidden = {"Stage.continue_as", "Stage.why_gone", "Schedule.session", "Schedule.step_of"}
    assert not hidden & {name for names in headings.values() for name in names}
    assert not [name for name in headings["tir"] if name.endswith((".holds", ".make"))]
    text = (pages / "api" / "tir.md").read_text()
    assert "```python\nsplit(loop, factors=(), preserve_unit_iters=True, " in text
    assert "- `loop`: the loop to split\n" in text
    assert re.search(r":\w+:`|(?<!`)``(?!`)", text) is None  # the markup of docstrings


def test_chinese_beside_english(pages: Path):
    lessons = sorted(path.stem for path in (ROOT / "examples" / "lessons").glob("[0-9]*.py"))
    assert len(lessons) == 27
    wanted = ["index", "glossary", "lessons/index", *(f"lessons/{name}" for name in lessons)]
    for name in wanted:
        english = (pages / f"{name}.md").read_text()
        chinese = (pages / f"{name}.zh.md").read_text()
        assert re.search("[\u4e00-\u9fff]", chinese.split("\n")[0] + chinese)
        programs = [re.findall(r"```python\n(.*?)```", it, re.DOTALL) for it in (english, chinese)]
        ours, theirs = ([_without_docstrings(it) for it in each] for each in programs)
        assert ours == theirs, name


def test_links_lead_somewhere(pages: Path):
    broken: list[str] = []
    for path in pages.rglob("*.md"):
        prose = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
        prose = re.sub(r"`[^`\n]*`", "", prose)
        for target in re.findall(r"\]\(([^)\s]+)\)", prose):
            file = target.partition("#")[0]
            if file and "://" not in file and not (path.parent / file).exists():
                broken.append(f"{path.relative_to(pages)}: {target}")
    assert broken == []


def test_rows_of_tables_are_lines(pages: Path):
    broken: list[str] = []
    for path in pages.rglob("*.md"):
        text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
        rows = re.findall(r"^\|.*\n(?!\||\s*$).*", text, re.MULTILINE)
        broken += [f"{path.relative_to(pages)}: {row}" for row in rows]
    assert broken == []


@pytest.mark.parametrize("name", ["index.md", "index.zh.md"])
def test_programs_of_the_start_page(name: str, tmp_path: Path):
    text = (ROOT / "website" / name).read_text()
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    file = tmp_path / "start.py"
    file.write_text(program)
    run = subprocess.run([sys.executable, str(file)], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    commands = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    distribution = re.search(r'^name = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert distribution is not None
    assert commands == [f"pip install {distribution[1]}\n"]


def test_loops_before_and_after_a_primitive(pages: Path):
    example = make_site.before_and_after("fuse")
    assert example is not None
    command, before, after = example
    assert command.startswith("--fuse=")
    assert before.count("tir.for ") > after.count("tir.for ")
    shown = [path.read_text().count('=== "after ') for path in (pages / "primitives").iterdir()]
    # Those of the others have a test whose first input is not for the first command.
    assert len(shown) == len(PRIMITIVES)
    assert sum(shown) >= 48


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "lessons").glob("[0-9]*.py")), ids=str)
def test_the_chinese_program_differs_in_its_remarks_alone(path: Path):
    meanings = tomllib.loads((ROOT / "website" / "remarks.zh.toml").read_text()).get(path.stem, {})
    program = path.read_text().partition('"""\n')[2]
    remarks = lesson_remarks.remarks(program)
    assert sorted(meanings) == sorted({remark.text for remark in remarks})
    translated = lesson_remarks.translate(program, meanings)
    assert _without_docstrings(translated) == _without_docstrings(program)
    shown = [remark.text for remark in lesson_remarks.remarks(translated)]
    assert len(shown) == len(remarks)
    assert all(re.search("[\u4e00-\u9fff]", text) for text in shown)


def _without_docstrings(program: str) -> str:
    tree = ast.parse(program)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            del node.body[0]
    return ast.dump(tree)


def test_a_lesson_with_its_output_and_pictures():
    path = ROOT / "examples" / "lessons" / "01_vector_add.py"
    output, pictures = make_site._run(path)
    assert output
    loops, memory = pictures[-2:]
    assert loops.count("<rect") >= 2
    assert "vectorized" in loops
    assert ">B: global, " in memory or "B: " in memory
    assert "<figcaption>loops of @" in loops


def test_settings(pages: Path):
    settings = json.loads((pages.parent / "mkdocs.yml").read_text())
    plugins = [it if isinstance(it, str) else next(iter(it)) for it in settings["plugins"]]
    assert plugins == ["search", "i18n", "offline"]
    # Nothing is fetched from elsewhere.
    assert settings["theme"]["font"] is False
    (script,) = settings["extra"]["polyfills"]
    assert (pages / script).is_file()
    assert "iframe-worker" in script  # or the plugin offline adds one of the network

    def files(entry: object) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        values = entry.values() if isinstance(entry, dict) else entry
        return [name for value in values for name in files(value)]  # pyright: ignore

    named = files(settings["nav"])
    assert [next(iter(entry)) for entry in settings["nav"]] == [*make_site.TABS][:4] + [
        "API",
        *[*make_site.TABS][4:],
    ]
    assert all((pages / name).is_file() for name in named)
    assert len(named) == len(set(named))


CHROMIUM = optional_tools.find("chromium")
ECHO = """<!doctype html><body><p id="said"></p><script src="iframe-worker.js"></script><script>
const worker = new Worker(new URL("workers/echo.js", location.href).href);
worker.addEventListener("message", ({ data }) => document.getElementById("said").append(data));
worker.postMessage("three ");
worker.postMessage("words");
</script></body>"""
"""A page that starts a worker as the theme's search does."""
ECHO_WORKER = """const ready = importScripts("data:text/javascript,self.prefix='>'");
addEventListener("message", async ({ data }) => { await ready; postMessage(self.prefix + data); });
if (!("IFrameWorker" in parent)) throw Error("the theme looks for this name");
"""


def dom_of(address: str, folder: Path) -> str:
    """The document of a page in a browser."""
    assert CHROMIUM is not None
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        f"--user-data-dir={folder}", "--virtual-time-budget=30000", "--dump-dom", address,
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, timeout=120).stdout


@pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")
def test_a_worker_of_a_page_that_is_a_file(tmp_path: Path):
    (tmp_path / "workers").mkdir()
    (tmp_path / "workers" / "echo.js").write_text(ECHO_WORKER)
    (tmp_path / "page.html").write_text(ECHO)
    shutil.copy(ROOT / "website" / make_site.SEARCH_IN_FILES, tmp_path)
    dom = dom_of(f"file://{tmp_path / 'page.html'}", tmp_path / "profile")
    assert '<p id="said">&gt;three &gt;words</p>' in dom


@pytest.mark.sweep
def test_the_whole_site(tmp_path: Path):
    """`make site`: MkDocs builds it, search and both languages included."""
    pytest.importorskip("mkdocs")
    run = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "make_site.py")], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    site = ROOT / "out" / "site" / "html"
    assert (site / "index.html").is_file()
    assert (site / "zh" / "index.html").is_file()
    assert (site / "search" / "search_index.json").is_file()
    assert "create_schedule" in (site / "api" / "te.html").read_text()
    assert "<svg" in (site / "lessons" / "01_vector_add.html").read_text()
    assert (site / "diagnostics" / "KC3040.html").is_file()
    if CHROMIUM is None:
        return
    for page, least in (("index.html?q=cache_read", 10), ("zh/index.html?q=调度", 10)):
        dom = dom_of(f"file://{site / page}", tmp_path / "profile")
        count = re.search(r'class="md-search-result__meta">(\d+) ', dom)
        assert count is not None
        assert int(count[1]) >= least
