"""Pages name what exists: files, modules, targets of make; their lists are complete."""

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import check_layers
import pytest

from kc.__main__ import COMMANDS
from kc.support.registry import Registry

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] != "."}
FOLDERS -= {"build", "dist", "out"}
"""The folders at the root of a checkout, without those that commands make."""
FILES = [
    path.relative_to(ROOT).as_posix()
    for folder in sorted(FOLDERS - {"typings"})
    for path in (ROOT / folder).rglob("*")
    if path.is_file()
]
SUFFIXES = r"\.(?:c|json|ll|md|mlir|py|toml|txt)"
EXAMPLES = {
    *("softmax.py", "stages/00_input.mlir", "kc/rates.json"),
    *("kc.floor", "kc.script.parser.tir"),
}
"""Files that commands of a reader make; a symbol, and a module of TVM's."""


def code(page: Path) -> Iterator[str]:
    """The spans of code of a page."""
    yield from re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", page.read_text(), flags=re.S))


def commands(page: Path) -> Iterator[str]:
    """The lines of a page's shell programs, and its spans of code that may be commands."""
    for text in re.findall(r"^ *```(?:sh)?\n(.*?)```", page.read_text(), re.M | re.S):
        yield from (line.partition("#")[0] for line in text.splitlines())
    yield from (span for span in code(page) if " " in span)


def is_there(word: str) -> bool:
    """True if a file or folder has this path, in which words in capitals stand for any name.

    A path from a folder at the root must be whole; of any other path the end is enough.
    """
    if word in EXAMPLES or (ROOT / word).exists():
        return True
    pattern = re.sub(r"[A-Z]{3,}", "*", word)
    if word.split("/")[0] in FOLDERS and "/" in word:
        return any(ROOT.glob(pattern.rstrip("/")))
    return any(fnmatch(f"/{file}", f"*/{pattern}") for file in FILES)


def leads_somewhere(name: str) -> bool:
    """True if a dotted name is that of a module, or of an attribute of a module."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            value = import_module(".".join(parts[:end]))
        except ImportError:
            continue
        return all((value := getattr(value, part, None)) is not None for part in parts[end:])
    return False


def test_relative_links():
    broken: list[str] = []
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            if "://" in target:
                continue
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            if not file.exists():
                broken.append(f"{page.name}: {target}")
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
                broken.append(f"{page.name}: {target}")
    assert broken == []


def anchors(text: str) -> set[str]:
    """The anchors of the headings of a page, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w -]", "", heading).replace(" ", "-").lower() for heading in headings} | {
        *re.findall(r'<a (?:id|name)="([^"]+)"', text)
    }


def test_paths_in_text():
    missing: list[str] = []
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
        text = re.sub(r"`[^`\n]*`|\]\([^)]*\)|https?://\S*", " ", text)
        in_prose = re.findall(rf"(?<![\w/~.-])[\w.*-]+(?:/[\w.*-]+)+{SUFFIXES}\b", text)
        for word in [*code(page), *in_prose]:
            is_path = re.fullmatch(rf"[\w.*-]+(/[\w.*-]+)*({SUFFIXES}|/)", word)
            in_folder = re.fullmatch(r"(\w+)/[\w./*-]+", word)
            if is_path or (in_folder and in_folder[1] in FOLDERS):
                if word.split("/")[0] != "out" and not is_there(word):
                    missing.append(f"{page.name}: {word}")
    assert missing == []


def test_paths_in_commands():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))
    missing: list[str] = []
    for page in PAGES:
        for line in commands(page):
            words = re.split(r"[\s=]+", line.strip())
            paths = [word for word in words if word.split("/")[0] in FOLDERS and "/" in word]
            missing += [
                f"{page.name}: {word}"
                for word in paths
                if re.fullmatch(r"[\w./*-]+", word) and not is_there(word)
            ]
            modules = re.findall(r"python3? -m ((?:kc|benchmarks)\b[\w.]*)", line)
            missing += [f"{page.name}: {name}" for name in modules if find_spec(name) is None]
            target = re.match(r"make ([a-z][\w-]*)(?= |$)", line.strip())
            if target and target[1] not in targets:
                missing.append(f"{page.name}: {line}")
    assert missing == []


def test_names_of_modules():
    sources = "".join((ROOT / file).read_text() for file in FILES if file.endswith(".py"))
    missing: list[str] = []
    for page in PAGES:
        for name in code(page):
            if not re.fullmatch(r"kc(\.\w+)+", name) or re.search(r"[A-Z]{3}", name):
                continue
            known = name in EXAMPLES or f'"{name}"' in sources
            if not (known or leads_somewhere(name)):
                missing.append(f"{page.name}: {name}")
    assert missing == []


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_the_features_are_all_listed(name: str):
    (table,) = re.findall(
        r"^\| \| \|\n\|---\|---\|\n((?:\|.*\n)+)", (ROOT / name).read_text(), re.M
    )
    words = set(re.findall(r"[\w.-]*\w", table, re.ASCII))
    registry = Registry()
    features = (
        registry.dialects.keys()
        | registry.primitives.keys()
        | registry.backends.keys()
        | {f"kc.{importer}" for importer in registry.importers}
        | COMMANDS.keys()
    )
    assert features - words == set()


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_the_line_of_layers(name: str):
    text = " ".join((ROOT / name).read_text().split())
    (line,) = re.findall(r"support (?:< \w+ )+< [\w, ]+", text)
    *lower, highest = line.split(" < ")
    top = max(check_layers.HEIGHT.values())
    assert {layer: height for height, layer in enumerate(lower)} == {
        layer: height for layer, height in check_layers.HEIGHT.items() if height < top
    }
    assert {"tools", "tvm"} <= set(re.findall(r"\w+", highest))


def test_the_tree_of_folders():
    text = (ROOT / "docs" / "architecture.md").read_text()
    tree = re.search(r"## Folders and layers\n\n```\n(.*?)```", text, re.S)
    assert tree is not None
    top, listed = "", set()
    for indent, folder in re.findall(r"^( *)(\w+/) ", tree[1], re.M):
        if not indent:
            top = folder
        listed.add(f"{top}{folder}" if indent else folder)
    listed.discard("kc/")
    packages = {f"kc/{path.parent.name}/" for path in (ROOT / "kc").glob("*/__init__.py")}
    packages |= {f"{name}/" for name in check_layers.ROOT_PACKAGES}
    assert packages - listed == set()
    assert [folder for folder in listed if not (ROOT / folder).is_dir()] == []


def test_the_families_of_random_programs_are_all_listed():
    source = (ROOT / "test" / "fuzz" / "families.py").read_text()
    table = (ROOT / "docs" / "fuzzing.md").read_text().partition("### Families")[2]
    families = re.findall(r'^ +Family\(\s*"(\w+)"', source, re.M)
    assert len(families) > 10
    assert re.findall(r"^\| `(\w+)` \|", table, re.M) == families


def test_each_entry_of_the_changelog_is_under_an_area():
    (sections,) = re.findall(
        r"^## \[Unreleased\]\n(.*)", (ROOT / "CHANGELOG.md").read_text(), re.M | re.S
    )
    before, *areas = re.split(r"^#### (.+)\n", sections, flags=re.M)
    assert re.findall(r"^- ", before, re.M) == []
    assert len(areas[::2]) == len(set(areas[::2])) > 5
    assert all(text.startswith("- ") for text in areas[1::2])
