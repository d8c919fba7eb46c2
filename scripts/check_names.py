"""Checks that names say what they hold.

    python scripts/check_names.py [ROOT]

No variable, parameter, attribute or function is called `one`, `found`, `made`, `other` or `others`,
and none of the product itself is called `given`, `known`, `wanted`, `kept`, `it`, `said`, `told`,
`asked`, `meant` or `thing`: it is named for the loop, block, store, buffer, axis, message, ... that
it is. Only the right operand of a binary operator (`__eq__`, `__add__`) is `other`, and upstream's
own names stay.
"""

import ast
import sys
from collections.abc import Container, Iterator
from pathlib import Path

VAGUE = ("one", "found", "made", "other", "others")
VAGUE_IN_PRODUCT = (
    *VAGUE, "given", "known", "wanted", "kept", "it", "said", "told", "asked", "meant", "thing",
)  # fmt: skip

PRODUCT = ("analysis", "codegen", "conversion", "dialects", "kc", "tools", "transforms")
FOLDERS = (*PRODUCT, "benchmarks", "examples", "scripts", "test")

# File -> a name that upstream gives.
UPSTREAM = {
    "dialects/llvm/symbols.py": "other",  # #llvm.memory_effects<other = ...>
    "kc/expr/operators.py": "other",  # x.equal(other), as x == other
    "kc/tir/module.py": "other",  # IRModule.update(other)
}


def main(argv: list[str]) -> int:
    root = Path(argv[0]) if argv else Path(__file__).resolve().parent.parent
    complaints = list(check(root))
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


def check(root: Path) -> Iterator[str]:
    """One line `file:line: problem` for each binding of a vague name."""
    for folder in FOLDERS:
        names = VAGUE_IN_PRODUCT if folder in PRODUCT else VAGUE
        for path in sorted((root / folder).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            tree = ast.parse(path.read_text(encoding="utf-8"), filename=name)
            allowed = UPSTREAM.get(name)
            for line, vague in sorted(vague_bindings(tree, names)):
                if vague != allowed:
                    yield f"{name}:{line}: '{vague}' does not say what it is"


def vague_bindings(tree: ast.AST, names: Container[str]) -> set[tuple[int, str]]:
    """Those of `names` that are bound below `tree`, with their lines."""
    bindings: set[tuple[int, str]] = set()
    operands: set[ast.arg] = set()
    for node in ast.walk(tree):  # a function comes before its parameters
        if isinstance(node, ast.FunctionDef) and node.name.startswith("__"):
            operands.update(arg for arg in node.args.args[1:2] if arg.arg == "other")
        if node not in operands:
            name = _bound_name(node)
            if name is not None and name in names:
                bindings.add((node.lineno, name))  # pyright: ignore[reportAttributeAccessIssue]
    return bindings


def _bound_name(node: ast.AST) -> str | None:
    """The name that this node binds; None if it binds none."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return name
        case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name
        case ast.ExceptHandler(name=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name):
            return name
        case ast.alias(asname=name):
            return name
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
