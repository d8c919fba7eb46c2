"""kc-docs: generate the part of the documentation that is derived from code.

``python -m kc.tools.kc_docs`` writes docs/generated/, the methods of the eager schedule for
editors, and the lines of ``--help``. ``--check`` only reports stale files.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from kc.areas import FAMILIES
from kc.frontend.torch import operators_table as torch_table
from kc.graph import operators_table
from kc.support import class_docs, registry
from kc.support.class_docs import first_sentence
from kc.support.diagnostics import InputError
from kc.support.explain import AREAS, explanations
from kc.support.files import write_output
from kc.support.registry import Entry
from kc.tir import stub
from kc.tools._command_line import Flag, parse
from kc.tools._common import HELP, VERSION, information
from kc.tools._docs_text import markdown
from kc.tools._pass_docs import OptionDoc, PassDoc
from kc.tools._reporter import Reporter
from kc.tools._tool import MISTAKE, OK, run_tool
from kc.topi import write_docs
from kc.tvm import names_table

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("docs", "generated")
METHODS = Path("kc", "tir", "schedule_methods.py")
CLASS_DOCS = Path("kc", "support", class_docs.INDEX.name)
FLAGS = (Flag("check", "write nothing; exit 1 if a file is stale", None, "Checking"), HELP, VERSION)
USAGE = "python -m kc.tools.kc_docs [--check]"
ABOUT = "Writes docs/generated/ from the code."
NOTE = "<!-- Made by `make docs` from the code: edit that instead. -->\n"

Own = Callable[[], Iterator[str]]


def main(argv: Sequence[str] | None = None) -> int:
    """Run kc-docs with these arguments; the exit status."""
    return run_tool("kc-docs", sys.argv[1:] if argv is None else list(argv), _main)


def _main(argv: Sequence[str], reporter: Reporter) -> int:
    arguments = parse(argv, FLAGS)
    information_text = information(arguments, USAGE, ABOUT, FLAGS)
    if information_text is not None:
        write_output(None, information_text)
        return OK
    if not (ROOT / "pyproject.toml").is_file():
        raise InputError("KC0022", "the documentation is written in a source checkout only")
    with registry.using(registry.Registry()):  # what this machine has installed is not in it
        pages = {FOLDER / f"{name}.md": page(name) for name in PAGES}
        pages[METHODS] = stub.text()
        entries = registry.current().passes.values()
        pages[CLASS_DOCS] = class_docs.index_text(
            [entry.path for entry in entries if entry.origin == "kc"]
        )
        for name, text in write_docs.pages().items():
            title, _, body = text.partition("\n")
            pages[FOLDER / "topi" / name] = f"{title}\n\n{NOTE}{body}".rstrip() + "\n"
    stale = [path for path, text in pages.items() if _content(ROOT / path) != text]
    there = sorted(path.relative_to(ROOT) for path in (ROOT / FOLDER).rglob("*.md"))
    stale += [path for path in there if path not in pages]
    if arguments.on("check"):
        for path in stale:
            reporter.write(f"{path} is stale: make docs")
        return MISTAKE if stale else OK
    for path in stale:
        if path in pages:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            write_output(str(ROOT / path), pages[path])
        else:
            (ROOT / path).unlink()
        reporter.write(str(path))
    return OK


def _content(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def page(name: str) -> str:
    """The text of a page."""
    title, body = PAGES[name]
    return "\n".join([f"# {title}", "", NOTE, *body()]).rstrip() + "\n"


def _passes() -> Iterator[str]:
    for family, title in FAMILIES.items():
        entries = [entry for entry in registry.current().passes.values() if entry.family == family]
        if not entries:
            continue
        yield from (f"## {title}", "")
        for entry in entries:
            yield from _pass(entry)


def _pass(entry: Entry) -> Iterator[str]:
    doc = PassDoc.of(entry)
    yield from (f"### `--{entry.name}`", "", markdown(doc.text), "")
    if doc.bare:
        yield from (f"Without options: {markdown(doc.bare)}", "")
    yield from option_table(doc.options)


def option_table(options: Sequence[OptionDoc]) -> Iterator[str]:
    """The options of a pass or primitive as a table."""
    if not options:
        return
    yield from ("| option | value | default | meaning |", "|---|---|---|---|")
    for option in options:
        value = option.value.replace("|", "\\|")
        meaning = option.meaning
        if option.also:
            meaning += f" (also {', '.join(f'`{spelling}`' for spelling in option.also)})"
        bare = option.default in ("", "required", "true", "false")
        default = option.default if bare else f"`{option.default}`"
        yield f"| `{option.name}` | `{value}` | {default} | {meaning} |"
    yield ""


def _dialects() -> Iterator[str]:
    for _, entry in sorted(registry.current().dialects.items()):
        dialect = entry.load()
        module = sys.modules[entry.path.partition(":")[0]]
        yield from (f"## `{entry.name}`", "", markdown(inspect.getdoc(module) or ""), "")
        for op in sorted(dialect.operations, key=lambda operation: operation.name):
            yield from (f"### `{op.name}`", "", markdown(_own_doc(op)), "")
        attributes = sorted(dialect.attributes, key=lambda attribute: attribute.name)
        if attributes:
            yield from ("| attribute or type | meaning |", "|---|---|")
            for attribute in attributes:
                yield f"| `{attribute.name}` | {_attribute_meaning(attribute)} |"
            yield ""


def _attribute_meaning(attribute: Any) -> str:
    values = getattr(attribute, "enum_type", None)
    doc = markdown(first_sentence(_own_doc(attribute if values is None else values)))
    if values is None:
        return doc
    return f"{doc} One of {', '.join(f'`{member.value}`' for member in values)}.".strip()


def _own_doc(cls: Any) -> str:
    """The docstring of the class itself, not one inherited from a base."""
    for base in cls.__mro__:
        if base.__module__.startswith("kc.") and base.__doc__ and not _made_by_dataclass(base):
            return inspect.cleandoc(base.__doc__)
    return ""


def _made_by_dataclass(cls: Any) -> bool:
    return cls.__doc__.startswith(f"{cls.__name__}(")


def _codes() -> Iterator[str]:
    for digit, area in AREAS.items():
        members = [
            explanation for explanation in explanations().values() if explanation.code[2] == digit
        ]
        if not members:
            continue
        yield from (f"## {digit}: {area}", "")
        for explanation in sorted(members, key=lambda each: each.code):
            yield from (
                f"### {explanation.code}: {explanation.title}",
                "",
                explanation.cause.strip(),
                "",
            )
            for label, program in (("Wrong", explanation.wrong), ("Right", explanation.right)):
                yield from (f"{label}:", "", "```", program.strip("\n"), "```", "")


def _tools() -> Iterator[str]:
    from kc.tools import kc_opt, kc_run, kc_translate

    for name, usage, about, flags in (
        ("kc-opt", kc_opt.USAGE, kc_opt.ABOUT, kc_opt.FLAGS),
        ("kc-translate", kc_translate.USAGE, kc_translate.ABOUT, kc_translate.flags()),
        ("kc-run", kc_run.USAGE, kc_run.ABOUT, kc_run.FLAGS),
    ):
        yield from (f"## {name}", "", f"`{usage}`", "", about, "")
        yield from ("| flag | meaning |", "|---|---|")
        for flag in flags:
            shown = flag.shown.replace("|", "\\|")
            yield f"| `{shown}` | {flag.help} |"
        yield ""


PAGES: dict[str, tuple[str, Own]] = {
    "codes": ("Diagnostics", _codes),
    "dialects": ("Dialects", _dialects),
    "graph-operators": ("Operators of graphs", operators_table.page),
    "torch-operators": ("Operators of PyTorch", torch_table.page),
    "passes": ("Passes and schedule primitives", _passes),
    "tools": ("Commands", _tools),
    "tvm-names": ("TVM's public names", names_table.page),
}


if __name__ == "__main__":
    sys.exit(main())
