"""Checks that the files are where their names say.

    python scripts/check_packages.py [ROOT]

1. pyproject.toml lists every package, and maps the ones outside kc/ to their folders. A folder
   with package-data and no module at its top (docs, examples) is installed as data.
2. typings/kc, which shows type checkers the packages as one tree, has a working link for each.
3. Every schedule primitive, pass and conversion has its FileCheck tests under the same name;
   modules that start with _ and those that primitives share are none of these.
4. No two test modules have the same name, and no folder of them is a package: pytest imports
   each as a module of its own, by its bare name.
"""

import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from check_layers import SHARED_BY_PRIMITIVES

# Folder, the modules or packages in it that the rule is about, the tests that NAME must have.
TESTS = (
    ("transforms/schedule", "*/*", ("{}", "{}_invalid")),
    ("transforms/tir", "*/*", ("{}",)),
    ("transforms/gpu", "*.py", ("{}",)),
    ("transforms/gpu", "*/*", ("{}",)),
    ("conversion", "convert_*", ("{}",)),
)


def main(argv: list[str]) -> int:
    root = Path(argv[0]) if argv else Path(__file__).resolve().parent.parent
    complaints = [
        *check_pyproject(root),
        *check_typings(root),
        *check_tests(root),
        *check_test_names(root),
    ]
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


def _setuptools(root: Path) -> dict:
    with open(root / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["tool"]["setuptools"]


def _holds_data(package: str, folder: Path, settings: dict) -> bool:
    return package in settings.get("package-data", {}) and not list(folder.glob("*.py"))


def check_pyproject(root: Path) -> Iterator[str]:
    """Differences between the packages listed and the folders that hold modules."""
    settings = _setuptools(root)
    listed, folders = set(settings["packages"]), settings["package-dir"]
    present = set()
    for package, folder in folders.items():
        if _holds_data(package, root / folder, settings):
            present.add(package)
            continue
        for path in {file.parent for file in (root / folder).rglob("*.py")}:
            name = ".".join((package, *path.relative_to(root / folder).parts))
            present.add(name)
            if not (path / "__init__.py").is_file():
                yield f"{path.relative_to(root)}: no __init__.py"
    for name in sorted(present - listed):
        yield f"pyproject.toml: tool.setuptools.packages lacks {name}"
    for name in sorted(listed - present):
        yield f"pyproject.toml: tool.setuptools.packages has {name}, which does not exist"


def check_typings(root: Path) -> Iterator[str]:
    """Links in typings/kc that are missing or broken."""
    links = root / "typings" / "kc"
    settings = _setuptools(root)
    wanted = {
        package.removeprefix("kc."): root / folder
        for package, folder in settings["package-dir"].items()
        if package != "kc" and not _holds_data(package, root / folder, settings)
    }
    for path in (root / "kc").iterdir():
        if path.suffix == ".py" or (path / "__init__.py").is_file():
            wanted[path.name] = path
    present = {path.name for path in links.iterdir()}
    for name in sorted(wanted.keys() - present):
        yield f"typings/kc: no link {name} to {wanted[name].relative_to(root)}"
    for name in sorted(present):
        if name not in wanted or (links / name).resolve() != wanted[name].resolve():
            yield f"typings/kc/{name}: leads to nothing in the tree"


def check_tests(root: Path) -> Iterator[str]:
    """Missing FileCheck tests: NAME.mlir, or for a package a folder NAME of tests."""
    for folder, names, tests in TESTS:
        for path in sorted((root / folder).glob(names)):
            is_package = (path / "__init__.py").is_file()
            if path.suffix != ".py" and not is_package:
                continue
            if path.stem.startswith("_") or path.stem in SHARED_BY_PRIMITIVES:
                continue
            for test in tests:
                expected = Path("test", folder, test.format(path.stem))
                if (root / expected).with_suffix(".mlir").is_file():
                    continue
                if not is_package or not list((root / expected).glob("*.mlir")):
                    yield f"{path.relative_to(root)}: no {expected}.mlir"


def check_test_names(root: Path) -> Iterator[str]:
    """Test modules with equal names, which pytest would confuse."""
    seen: dict[str, list[Path]] = defaultdict(list)
    for path in sorted((root / "test").rglob("test_*.py")):
        seen[path.name].append(path.relative_to(root))
    for first, *rest in seen.values():
        for path in rest:
            yield f"{path}: {first} has the same name"
    for folder in sorted(
        {path.parent for paths in seen.values() for path in paths} | {Path("test")}
    ):
        if (root / folder / "__init__.py").is_file():
            yield f"{folder}/__init__.py: turns the tests into a package, which may hide another"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
