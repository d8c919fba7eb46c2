"""Checks that imports only go down the layers, and in no large circles.

    python scripts/check_layers.py [ROOT]

The rules, for every import in the source files, inside functions too:
1. A module imports from its own layer and the ones to its left:
   support < dialects < analysis < transforms < conversion < codegen < expr < te < tir
   < topi < graph < driver, building, frontend, tools, tvm and the other modules directly in kc/.
2. kc.runtime imports kc.support alone; te, tir and what is above may import it.
   One exception: a dialect's get_canonicalization_patterns imports its patterns when called.
3. Schedule primitives do not import each other; what they share is in base.py or _*.py.
4. Imports are absolute and start with kc: a second path would make a second copy of every class.
5. support and dialects import numpy, llvmlite and islpy inside functions only (start-up time).
6. Two kinds of module give names that are made above them. Each __init__ of PACKAGES loads such a
   name when it is asked for. DOORS are modules by which a path of TVM's leads to one above; they
   import and do nothing else, and no module below tvm imports them. Apart from these, a string that
   is the name of a module of kc.tvm counts as an import of it.
7. No circle of imports has more than CIRCLE modules. `import_module("kc...")` counts as an import,
   and one for type checkers counts between layers. What an __init__ gives is its module's.
"""

import ast
import sys
from collections.abc import Iterable, Iterator
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
    "expr": 6,
    "te": 7,
    "tir": 8,
    "topi": 9,
    "graph": 10,
    "building": 11,
    "frontend": 11,
    "tools": 11,
    "kc": 11,
    "tvm": 11,
}
RUNTIME_FROM = HEIGHT["expr"]
PACKAGES = ("kc.te", "kc.te.schedule", "kc.tir", "kc.tir.schedule", "kc.runtime", "kc.graph")
DOORS = (
    "kc.te.hybrid",
    "kc.te.tensor_intrin",
    "kc.tir.analysis",
    "kc.tir.schedule.testing",
    "kc.tir.stmt_functor",
    "kc.tir.tensor_intrin",
    "kc.tir.transform",
    "kc.topi.testing",
)

CIRCLE = 7
"""The maximum number of modules in a circle of imports."""

PATTERNS = "kc.transforms.canonicalization_patterns"
PRIMITIVES = "kc.transforms.schedule"
SHARED_BY_PRIMITIVES = ("base",)
HEAVY = ("numpy", "llvmlite", "islpy")
LIGHT_LAYERS = ("support", "dialects")


@dataclass(frozen=True)
class Import:
    """One imported module: its dotted name, the location, and the functions around the import."""

    name: str
    line: int
    functions: tuple[str, ...]
    attribute: str = ""
    """The imported name; None if it is a module."""
    alias: str = ""
    """The name that the import binds."""
    for_types: bool = False
    """True if only type checkers import it."""


def main(argv: list[str]) -> int:
    root = Path(argv[0]) if argv else Path(__file__).resolve().parent.parent
    complaints = list(check(root))
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


def check(root: Path) -> Iterator[str]:
    """One line `file:line: problem` for each import that breaks a rule."""
    modules = dict(_modules(root))
    imports: dict[str, list[Import]] = {}
    for module, path in sorted(modules.items()):
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        imports[module] = list(_imports(tree, modules))
        complaints = [*_check_module(module, imports[module])]
        if module in DOORS:
            complaints += _check_door(module, tree)
        for line, what in dict.fromkeys(complaints):
            yield f"{path.relative_to(root)}:{line}: {what}"
    packages = {module for module, path in modules.items() if path.name == "__init__.py"}
    for circle in circles(_graph(imports, packages)):
        if len(circle) > CIRCLE:
            yield f"a circle of {len(circle)} modules, which import each other: {', '.join(circle)}"


def _modules(root: Path) -> Iterator[tuple[str, Path]]:
    """The project's modules by dotted name."""
    for folder in ("kc", *ROOT_PACKAGES):
        for path in (root / folder).rglob("*.py"):
            parts = path.relative_to(root).with_suffix("").parts
            if parts[-1] == "__init__":
                parts = parts[:-1]
            yield ".".join(parts if folder == "kc" else ("kc", *parts)), path


def _check_module(module: str, imports: Iterable[Import]) -> Iterator[tuple[int, str]]:
    for imported in imports:
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


def _check_door(module: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    for statement in tree.body:
        is_call = isinstance(statement, ast.Expr) and "second_names(" in ast.unparse(statement)
        is_all = isinstance(statement, ast.Assign) and "__all__" in map(
            ast.unparse, statement.targets
        )
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not (is_call or is_all or is_text or isinstance(statement, ast.ImportFrom)):
            yield statement.lineno, f"{module} is a door: it imports names, and does nothing else"


def _imports(tree: ast.Module, modules: dict[str, Path]) -> Iterator[Import]:
    """Every module that is imported; a relative import has the name ""."""
    stack: list[tuple[ast.AST, tuple[str, ...], bool]] = [(tree, (), False)]
    while stack:
        node, functions, for_types = stack.pop()
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, functions, for_types=for_types)
        elif isinstance(node, ast.ImportFrom):
            if node.level > 0 or node.module is None:
                yield Import("", node.lineno, functions, for_types=for_types)
                continue
            for alias in node.names:
                # `from kc.te import var` imports kc.te; `from kc import build` is not so plain,
                # kc loads what it names lazily, so it stands for itself.
                name = f"{node.module}.{alias.name}"
                is_module = name in modules or node.module == "kc"
                source, attribute = (name, "") if is_module else (node.module, alias.name)
                bound = alias.asname or alias.name
                yield Import(source, node.lineno, functions, attribute, bound, for_types)
        elif isinstance(node, ast.Call) and _called(node).endswith("import_module"):
            (name, *_) = node.args
            literal = str(name.value) if isinstance(name, ast.Constant) else ""
            if literal.startswith("kc."):
                yield Import(literal, node.lineno, (*functions, "import_module"))
        elif isinstance(node, ast.Constant) and str(node.value).startswith("kc.tvm."):
            if node.value in modules:
                yield Import(str(node.value), node.lineno, (*functions, "a table"))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions = (*functions, node.name)
        for_types |= isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        children = reversed(list(ast.iter_child_nodes(node)))
        stack.extend((child, functions, for_types) for child in children)


def _called(call: ast.Call) -> str:
    """The last name of the function that is called."""
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def _graph(imports: dict[str, list[Import]], packages: set[str]) -> dict[str, set[str]]:
    """The modules that each module needs. An `__init__` itself is in no circle."""
    given = {
        package: {imported.alias: imported for imported in imports[package] if imported.alias}
        for package in packages
    }

    def origin(imported: Import, seen: tuple[str, ...] = ()) -> str:
        inner = given.get(imported.name, {}).get(imported.attribute)
        if inner is None or imported.name in seen:
            return imported.name
        return origin(inner, (*seen, imported.name))

    graph: dict[str, set[str]] = {module: set() for module in imports}
    for module in imports.keys() - packages:
        for imported in imports[module]:
            target = origin(imported)
            same_layer = _layer(module) == _layer(target)
            if target not in graph or target == module or (imported.for_types and same_layer):
                continue
            if "get_canonicalization_patterns" not in imported.functions:
                graph[module].add(target)
    return graph


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one module, largest first (Tarjan, 1972)."""
    components: list[list[str]] = []
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_modules: list[str] = []

    def visit(module: str) -> None:
        order[module] = lowest[module] = len(order)
        open_modules.append(module)
        for target in sorted(graph[module]):
            if target not in order:
                visit(target)
            if target in open_modules:
                lowest[module] = min(lowest[module], lowest[target])
        if lowest[module] == order[module]:
            position = open_modules.index(module)
            circle = sorted(open_modules[position:])
            del open_modules[position:]
            if len(circle) > 1:
                components.append(circle)

    for module in sorted(graph):
        if module not in order:
            visit(module)
    return sorted(components, key=lambda circle: (-len(circle), circle))


def _layer(module: str) -> str:
    """The layer of a dotted name: the part after kc if that is a layer, else kc itself."""
    part = (*module.split("."), "")[1]
    return part if part in HEIGHT or part == "runtime" else "kc"


def _forbidden(module: str, imported: Import) -> str | None:
    """The reason why `module` may not import this module of kc; None if it may."""
    source, target = _layer(module), _layer(imported.name)
    if imported.name in DOORS and module not in PACKAGES and HEIGHT.get(source, 0) < HEIGHT["tvm"]:
        return "it gives names that are made above"
    if source == target:
        return _forbidden_sibling(module, imported.name)
    if module in PACKAGES or module in DOORS:
        return None
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
    """The reason why a schedule primitive may not import another; None if it may."""
    if not (module.startswith(PRIMITIVES + ".") and imported.startswith(PRIMITIVES + ".")):
        return None
    name, own = imported.rpartition(".")[2], module.rpartition(".")[2]
    if name == own or name.startswith("_") or name in SHARED_BY_PRIMITIVES:
        return None
    return "primitives do not import each other; share through base.py or _*.py"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
