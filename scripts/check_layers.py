"""Checks that imports only go down the layers.

    python scripts/check_layers.py [ROOT]

The rules, for every import in the source files, inside functions too:
1. A module imports from its own layer and the ones to its left:
   support < dialects < analysis < transforms < conversion < codegen < te, tir < topi
   < driver, tools and the other modules directly in kc/.
2. kc.runtime imports kc.support alone; te, tir and what is above may import it.
   One exception: a dialect's get_canonicalization_patterns imports its patterns when called.
3. Schedule primitives do not import each other; what they share is in base.py or _*.py.
4. Imports are absolute and start with kc: a second path would make a second copy of every class.
5. support and dialects import numpy, llvmlite and islpy inside functions only (start-up time).
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Folders at the root that are packages below kc.
ROOT_PACKAGES = ("dialects", "analysis", "transforms", "conversion", "codegen", "tools")

# Layer -> height. A module directly in kc/ belongs to the layer "kc".
HEIGHT = {
    "support": 0,
    "dialects": 1,
    "analysis": 2,
    "transforms": 3,
    "conversion": 4,
    "codegen": 5,
    "te": 6,
    "tir": 6,
    "topi": 7,
    "tools": 8,
    "kc": 8,
}
RUNTIME_FROM = HEIGHT["te"]

PATTERNS = "kc.transforms.canonicalization_patterns"
PRIMITIVES = "kc.transforms.schedule"
SHARED_BY_PRIMITIVES = ("base",)
HEAVY = ("numpy", "llvmlite", "islpy")
LIGHT_LAYERS = ("support", "dialects")


@dataclass(frozen=True)
class Import:
    """One imported module: its dotted name, where, and the functions around it."""

    name: str
    line: int
    functions: tuple[str, ...]


def main(argv: list[str]) -> int:
    root = Path(argv[0]) if argv else Path(__file__).resolve().parent.parent
    complaints = list(check(root))
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


def check(root: Path) -> Iterator[str]:
    """One line `file:line: problem` for each import that breaks a rule."""
    modules = dict(_modules(root))
    for module, path in sorted(modules.items()):
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        for line, what in dict.fromkeys(_check_module(module, tree, modules)):
            yield f"{path.relative_to(root)}:{line}: {what}"


def _modules(root: Path) -> Iterator[tuple[str, Path]]:
    """The project's modules by dotted name."""
    for folder in ("kc", *ROOT_PACKAGES):
        for path in (root / folder).rglob("*.py"):
            parts = path.relative_to(root).with_suffix("").parts
            if parts[-1] == "__init__":
                parts = parts[:-1]
            yield ".".join(parts if folder == "kc" else ("kc", *parts)), path


def _check_module(
    module: str, tree: ast.Module, modules: dict[str, Path]
) -> Iterator[tuple[int, str]]:
    for imported in _imports(tree, modules):
        top = imported.name.partition(".")[0]
        if top == "":
            yield imported.line, f"{module} uses a relative import: write it in full, from kc"
        elif top in ROOT_PACKAGES:
            yield (
                imported.line,
                f"{module} imports {imported.name}: it is called kc.{imported.name}",
            )
        elif top in HEAVY and not imported.functions and _layer(module) in LIGHT_LAYERS:
            yield imported.line, f"{module} may import {top} only inside a function"
        elif top == "kc":
            reason = _forbidden(module, imported)
            if reason is not None:
                yield imported.line, f"{module} may not import {imported.name} ({reason})"


def _imports(tree: ast.Module, modules: dict[str, Path]) -> Iterator[Import]:
    """Every module that is imported; a relative import has the name ""."""
    stack: list[tuple[ast.AST, tuple[str, ...]]] = [(tree, ())]
    while stack:
        node, functions = stack.pop()
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, functions)
        elif isinstance(node, ast.ImportFrom):
            if node.level > 0 or node.module is None:
                yield Import("", node.lineno, functions)
                continue
            for alias in node.names:
                # `from kc.te import var` imports kc.te; `from kc import build` is not so plain,
                # kc loads what it names lazily, so it stands for itself.
                name = f"{node.module}.{alias.name}"
                is_module = name in modules or node.module == "kc"
                yield Import(name if is_module else node.module, node.lineno, functions)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions = (*functions, node.name)
        stack.extend((child, functions) for child in reversed(list(ast.iter_child_nodes(node))))


def _layer(module: str) -> str:
    """The layer of a dotted name: the part after kc if that is a layer, else kc itself."""
    part = (*module.split("."), "")[1]
    return part if part in HEIGHT or part == "runtime" else "kc"


def _forbidden(module: str, imported: Import) -> str | None:
    """Why `module` may not import this module of kc; None if it may."""
    source, target = _layer(module), _layer(imported.name)
    if source == target:
        return _forbidden_sibling(module, imported.name)
    if source == "runtime":
        return None if target == "support" else "runtime imports support alone"
    if target == "runtime":
        if HEIGHT[source] >= RUNTIME_FROM:
            return None
        return f"{source} is below te, from where on runtime is imported"
    if HEIGHT[target] <= HEIGHT[source]:
        return None
    if (
        source == "dialects"
        and imported.name.startswith(PATTERNS)
        and "get_canonicalization_patterns" in imported.functions
    ):
        return None
    return f"{target} is above {source}"


def _forbidden_sibling(module: str, imported: str) -> str | None:
    """Why one schedule primitive may not import another."""
    if not (module.startswith(PRIMITIVES + ".") and imported.startswith(PRIMITIVES + ".")):
        return None
    name, own = imported.rpartition(".")[2], module.rpartition(".")[2]
    if name == own or name.startswith("_") or name in SHARED_BY_PRIMITIVES:
        return None
    return "primitives do not import each other; share through base.py or _*.py"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
