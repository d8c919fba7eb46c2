"""Makes the site: pages from the docs, the lessons, the registry and the docstrings.

    python scripts/make_site.py [--pages]

The pages are written to out/site/pages, with mkdocs.yml beside them, and built to out/site/html by
MkDocs (the extra ``kc-compiler[site]``). --pages stops before MkDocs. Outputs on the pages come
from real runs: the loops before and after a primitive from kc-opt on the first input of its test,
the output and the pictures of a lesson from the lesson.
"""

from __future__ import annotations

import contextlib
import html
import io
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import api_pages
import lesson_remarks

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "website"
OUT = ROOT / "out" / "site"
SEARCH_IN_FILES = "iframe-worker.js"
"""The script that makes the search work if pages are opened as files. The plugin ``offline`` would
make browsers load a script of this name from the network.
"""
LANGUAGES = {"en": "English", "zh": "中文"}
TABS = {
    "Start": "首页",
    "Lessons": "教程",
    "Guides": "指南",
    "Primitives": "原语",
    "Reference": "参考",
    "Diagnostics": "诊断信息",
}
_CODE = re.compile(r"`[^`\n]+`")
_FENCE = re.compile(r"^(```\w+) ([\w./-]+)$", re.MULTILINE)
"""The first line of a named code block, whose name GitHub ignores and MkDocs expects as an
attribute.
"""
_PLAIN_FENCE = re.compile(r"(\n\n)```\n((?:[ ]*(?:tir|te|func|sched|scf|linalg)\.\w|%|builtin))")
"""A block of IR, whose language a docstring does not state."""
_DIAGNOSTIC = re.compile(r"\bKC\d{4}\b")
_LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)]*|[^):#]*\.(?:py|mlir|toml))\)")


def main(argv: list[str]) -> int:
    """Write the pages, and build them."""
    pages = OUT / "pages"
    write_pages(pages)
    if argv == ["--pages"]:
        return 0
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    command += ["-f", str(OUT / "mkdocs.yml")]
    status = subprocess.run(command, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}).returncode
    if status == 0:
        print(f"site: {OUT / 'html' / 'index.html'}")
    return status


def write_pages(folder: Path, *, lessons: bool = True) -> None:
    """Write the source of the site to ``folder``, and its settings beside it.

    Without ``lessons``, the lessons are not run: their pages have no output and no pictures.
    """
    shutil.rmtree(folder, ignore_errors=True)
    pages: dict[str, str] = {}
    pages |= _guides()
    pages |= dict(_primitives())
    pages |= dict(_diagnostics())
    pages |= dict(api_pages.pages())
    pages |= dict(_lessons(run=lessons))
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # GitHub wants a bar in code in a table escaped, MkDocs shows the escape.
        text = _CODE.sub(lambda code: code[0].replace("\\|", "|"), text)
        path.write_text(text, encoding="utf-8")
    # A line of 100 columns fits beside the menus.
    (folder / "wide.css").write_text(".md-grid { max-width: 68rem }\n", encoding="utf-8")
    shutil.copy(SITE / SEARCH_IN_FILES, folder)
    settings = json.dumps(_settings(folder, pages), indent=1, ensure_ascii=False)
    (folder.parent / "mkdocs.yml").write_text(settings, encoding="utf-8")


def _guides() -> dict[str, str]:
    """The start pages, the pages of docs/, and the generated pages."""
    pages = {path.name: path.read_text(encoding="utf-8") for path in sorted(SITE.glob("*.md"))}
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        # A page in Chinese is the other language of its page, which the reader chooses.
        text = text.replace(".zh.md)", ".md)")
        text = _FENCE.sub(r'\1 title="\2"', text)
        pages[str(path.relative_to(ROOT / "docs"))] = _LINK.sub(r"\1", text)
    pages["glossary.zh.md"] = pages["glossary.md"].replace("# Glossary 词汇表", "# 词汇表", 1)
    return pages


# Primitives -----------------------------------------------------------------------------------


def _primitives() -> Iterator[tuple[str, str]]:
    """A page for each family of primitives: the effect, the options, and loops before and after."""
    from kc.support.registry import PRIMITIVES
    from kc.tools.kc_docs import page

    section = re.compile(r"^### `--([\w-]+)`\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
    texts = dict(section.findall(page("passes")))
    for family, flags in PRIMITIVES.items():
        lines = [f"# Primitives: {family}", ""]
        for flag in flags:
            text = _PLAIN_FENCE.sub(r"\1```mlir\n\2", texts[flag].strip())
            lines += [f"## {flag.replace('-', '_')}", "", _with_links(text), ""]
            example = before_and_after(flag)
            if example is not None:
                command, before, after = example
                lines += ['=== "before"', "", *_indented("mlir", before), ""]
                lines += [f'=== "after {command}"', "", *_indented("mlir", after), ""]
        yield f"primitives/{family}.md", "\n".join(lines)


def _with_links(text: str) -> str:
    """Replace codes of diagnostics outside code by links to their pages."""
    parts = re.split(r"(```.*?```|`[^`\n]*`)", text, flags=re.DOTALL)
    parts[::2] = [_DIAGNOSTIC.sub(r"[\g<0>](../diagnostics/\g<0>.md)", it) for it in parts[::2]]
    return "".join(parts)


def before_and_after(flag: str) -> tuple[str, str, str] | None:
    """The first input of a primitive's test and the output of the first kc-opt command there: the
    flags, the text before, the text after.
    """
    test = ROOT / "test" / "transforms" / "schedule" / f"{flag.replace('-', '_')}.mlir"
    if not test.is_file():
        return None
    text = re.sub(r"\\\n// RUN:", "", test.read_text(encoding="utf-8"))
    run = re.search(r"// RUN: kc-opt %s (.*?)(?: \||$)", text, re.MULTILINE)
    if run is None:
        return None
    flags = [word for word in _words(run[1]) if word != "--split-input-file"]
    source = text.split("// -----")[0]
    code = "\n".join(line for line in source.split("\n") if not line.lstrip().startswith("//"))
    before, after = _opt([], code), _opt(flags, code)
    shown = " ".join(word.replace('"', "") for word in flags)
    return None if before is None or after is None else (shown, before, after)


def _words(text: str) -> list[str]:
    import shlex

    return shlex.split(text)


def _opt(flags: list[str], text: str) -> str | None:
    """The output of kc-opt; None if it refuses the input."""
    from kc.support import registry
    from kc.support.diagnostics import KCError, diagnostic_handler
    from kc.support.timer import Timer
    from kc.tools._common import registry_for
    from kc.tools._optimizer import optimize_text
    from kc.tools._reporter import Reporter
    from kc.tools.kc_opt import command_line, take_pipeline

    class Silent(Reporter):
        def report(self, diagnostic: Any) -> None:
            del diagnostic

    try:
        with registry.using(registry_for(flags)), diagnostic_handler(lambda _: None):
            arguments = command_line(flags)
            take_pipeline(arguments)
            status, result = optimize_text(arguments, Silent(), text, "example.mlir", Timer())
    except KCError:
        return None
    return result.strip("\n") if status == 0 and result else None


def _indented(language: str, text: str) -> list[str]:
    return [f"    ```{language}", *(f"    {line}".rstrip() for line in text.split("\n")), "    ```"]


# Diagnostics -------------------------------------------------------------------


def _diagnostics() -> Iterator[tuple[str, str]]:
    """A page for each code, and a list of them."""
    from kc.support.explain import explanations

    known = explanations()
    rows = ["# Diagnostics", "", "| code | |", "|---|---|"]
    for code, explanation in known.items():
        title = explanation.title.replace("|", "\\|")
        rows.append(f"| [{code}]({code}.md) | {title} |")
        parts = [f"# {code}: {explanation.title}", "", explanation.cause.strip(), ""]
        for word, program in (("Wrong", explanation.wrong), ("Right", explanation.right)):
            fence = program.strip("\n")
            parts += [f"## {word}", "", f"```{_language(fence)}", fence, "```", ""]
        parts += ["[All diagnostics](index.md)", ""]
        yield f"diagnostics/{code}.md", "\n".join(parts)
    yield "diagnostics/index.md", "\n".join([*rows, ""])


def _language(program: str) -> str:
    if re.match(r"(?:kc|pip|python|make|\$)[ -]", program):
        return "sh"
    return "mlir" if re.search(r"\b(?:func|te|tir|gpu|sched)\.\w+ ", program) else "python"


# Lessons --------------------------------------------------------------------------------------


def _lessons(*, run: bool) -> Iterator[tuple[str, str]]:
    """A page for each lesson, in English and Chinese: prose, program, output, pictures."""
    chinese = tomllib.loads((SITE / "lessons.zh.toml").read_text(encoding="utf-8"))
    meanings = tomllib.loads((SITE / "remarks.zh.toml").read_text(encoding="utf-8"))
    lists = {"en": ["# Lessons", ""], "zh": ["# 教程", ""]}
    for path in sorted((ROOT / "examples" / "lessons").glob("[0-9]*.py")):
        text = path.read_text(encoding="utf-8")
        doc, _, program = text.removeprefix('"""').partition('"""\n')
        title, _, prose = doc.partition("\n")
        title = title.strip().removesuffix(".")
        output, pictures = _run(path) if run else ("", [])
        for language, words in (
            ("en", ("What it prints", "The loops and the memory")),
            ("zh", ("输出", "循环与存储")),
        ):
            entry = chinese[path.stem]
            head = (
                [f"# {title}", "", prose.replace("``", "`").strip()]
                if language == "en"
                else [f"# {entry['title']}", "", entry["text"]]
            )
            if language == "zh":
                program = lesson_remarks.translate(program, meanings.get(path.stem, {}))
            shown = [*head, "", "```python", program.strip("\n"), "```", ""]
            if output:
                shown += [f"## {words[0]}", "", "```text", output.rstrip(), "```", ""]
            if pictures:
                shown += [f"## {words[1]}", "", *pictures, ""]
            suffix = "" if language == "en" else ".zh"
            yield f"lessons/{path.stem}{suffix}.md", "\n".join(shown)
            name = title if language == "en" else entry["title"]
            lists[language].append(f"- [{name}]({path.stem}.md)")
    yield "lessons/index.md", "\n".join([*lists["en"], ""])
    yield "lessons/index.zh.md", "\n".join([*lists["zh"], ""])


def _run(path: Path) -> tuple[str, list[str]]:
    """Run a lesson; its output, and pictures of the last module that it lowered or built."""
    import kc

    modules: list[Any] = []
    lower = kc.driver.lower

    def recording(*given: Any, **named: Any) -> Any:
        module = lower(*given, **named)
        modules.append(module)
        return module

    output, argv = io.StringIO(), sys.argv
    kc.lower = kc.driver.lower = recording  # pyright: ignore[reportAttributeAccessIssue]
    sys.argv = [str(path)]
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
            runpy.run_path(str(path), run_name="__main__")
    finally:
        kc.lower = kc.driver.lower = lower  # pyright: ignore[reportAttributeAccessIssue]
        sys.argv = argv
    lines = output.getvalue().split("\n")
    most = 120
    text = "\n".join(lines[:most] + ([f"... {len(lines) - most} lines more"] * (len(lines) > most)))
    return text, [picture for module in modules[-1:] for picture in pictures(module.op)]


_FILL = {"parallel": "#1e8e3e", "vectorized": "#9334e6", "unrolled": "#e8710a", "serial": "#5f6368"}


def pictures(module: Any) -> list[str]:
    """The loop nests of a module as nested boxes, and its buffers as bars, as SVG."""
    from kc.analysis import loop_tree
    from kc.transforms.to_tir import to_tir

    copy = module.clone()
    to_tir(copy)
    shown: list[str] = []
    for function in loop_tree.functions(copy):
        nests, width, height = _nest(list(loop_tree.children(function)), 0)
        shown.append(_svg("".join(nests), width, height, f"loops of @{function.sym_name.data}"))
        bars, height = _bars(function)
        shown.append(_svg("".join(bars), 640, height, f"memory of @{function.sym_name.data}"))
    return shown


def _nest(ops: list[Any], top: int) -> tuple[list[str], int, int]:
    """The boxes of consecutive loops and blocks: the SVG elements, their width and height."""
    from kc.analysis import loop_tree
    from kc.dialects.tir import AllocOp, BlockOp, ForOp

    parts: list[str] = []
    y, width = top, 0
    for op in ops:
        if isinstance(op, ForOp):
            inner, inside, height = _nest(list(loop_tree.children(op)), 0)
            label = loop_tree.describe_loop(op)
            w, h = max(inside + 24, 9 * len(label) + 24), height + 36
            colour = _FILL.get(op.kind.data.value, "#1a73e8")
            parts.append(_box(y, w, h, label, colour))
            parts.append(f'<g transform="translate(12,{y + 26})">{"".join(inner)}</g>')
        elif isinstance(op, BlockOp):
            label = f"block {op.label}"
            w, h = 9 * len(label) + 24, 30
            parts.append(_box(y, w, h, label, "#b06000"))
        elif isinstance(op, AllocOp):
            label = f"alloc {op.label}"
            w, h = 9 * len(label) + 24, 30
            parts.append(_box(y, w, h, label, "#007b83"))
        else:
            continue
        y += h + 8
        width = max(width, w)
    return parts, width, max(y - top, 10)


def _box(y: int, width: int, height: int, label: str, colour: str) -> str:
    return (
        f'<rect x="1" y="{y + 1}" width="{width - 2}" height="{height - 2}" rx="6" fill="{colour}" '
        f'fill-opacity="0.12" stroke="{colour}"/><text x="10" y="{y + 19}" fill="currentColor" '
        f'font-family="monospace" font-size="13">{html.escape(label)}</text>'
    )


def _bars(function: Any) -> tuple[list[str], int]:
    """A bar for each buffer, with a length proportional to the digits of its size: name, scope and
    bytes.
    """
    from xdsl.dialects.builtin import MemRefType

    from kc.analysis.cost import size_text
    from kc.analysis.loop_tree import memory_scope
    from kc.dialects.tir import AllocOp

    buffers = [arg for arg in function.body.block.args if isinstance(arg.type, MemRefType)]
    buffers += [op.buffer for op in function.walk() if isinstance(op, AllocOp)]
    parts: list[str] = []
    for n, buffer in enumerate(buffers):
        shape = buffer.type.get_shape()
        size = 1
        for extent in shape:
            size *= max(extent, 1)
        size *= max(getattr(buffer.type.element_type, "bitwidth", 32) // 8, 1)
        known = all(extent >= 0 for extent in shape)
        label = buffer.name_hint or f"buffer {n}"
        note = size_text(size) if known else "known at the call"
        width = 30 + 12 * len(f"{size:b}") if known else 60
        parts.append(
            f'<rect x="1" y="{n * 26 + 1}" width="{width}" height="20" rx="4" fill="#007b83" '
            f'fill-opacity="0.2" stroke="#007b83"/><text x="{width + 10}" y="{n * 26 + 16}" '
            f'fill="currentColor" font-family="monospace" font-size="13">'
            f"{html.escape(f'{label}: {memory_scope(buffer)}, {note}')}</text>"
        )
    return parts, max(len(buffers) * 26, 10)


def _svg(content: str, width: int, height: int, title: str) -> str:
    return (
        f'<figure><svg xmlns="http://www.w3.org/2000/svg" width="{width + 2}" '
        f'height="{height + 2}" role="img" aria-label="{html.escape(title)}">{content}</svg>'
        f"<figcaption>{html.escape(title)}</figcaption></figure>\n"
    )


# Settings -------------------------------------------------------------------------------------


def _settings(folder: Path, pages: Mapping[str, str]) -> dict[str, Any]:
    """mkdocs.yml, as JSON, which is YAML."""

    def listed(prefix: str) -> list[str]:
        names = sorted(name for name in pages if name.startswith(prefix))
        return [name for name in names if not name.endswith(".zh.md")]

    guides = [name for name in pages if "/" not in name and not name.endswith(".zh.md")]
    return {
        "site_name": "kc",
        "docs_dir": str(folder),
        "site_dir": str(folder.parent / "html"),
        "use_directory_urls": False,
        "extra_css": ["wide.css"],
        # The list and the search lead to the codes: a menu with all of them would fill every page.
        "validation": {"nav": {"omitted_files": "ignore"}},
        "theme": {
            "name": "material",
            "font": False,
            "features": ["navigation.tabs", "navigation.indexes", "navigation.prune"]
            + ["content.code.copy"],
            "palette": [
                {
                    "media": f"(prefers-color-scheme: {scheme})",
                    "scheme": "default" if scheme == "light" else "slate",
                    "toggle": {"icon": "material/brightness-6", "name": "light and dark"},
                }
                for scheme in ("light", "dark")
            ],
        },
        "markdown_extensions": [
            "admonition",
            "tables",
            "attr_list",
            "md_in_html",
            "pymdownx.superfences",
            "pymdownx.highlight",
            {"pymdownx.tabbed": {"alternate_style": True}},
        ],
        "plugins": [
            # jieba, where it is installed, marks the ends of Chinese words by spaces of no width.
            {"search": {"separator": "[\\s\\u200b\\-]+"}},
            {
                "i18n": {
                    "docs_structure": "suffix",
                    "fallback_to_default": True,
                    "languages": [
                        {
                            "locale": locale,
                            "name": name,
                            "build": True,
                            "default": locale == "en",
                            "nav_translations": TABS if locale == "zh" else {},
                        }
                        for locale, name in LANGUAGES.items()
                    ],
                }
            },
            "offline",  # the index as a script: pages that are files cannot read others
        ],  # fmt: skip
        "extra": {"polyfills": [SEARCH_IN_FILES]},
        "nav": [
            {"Start": "index.md"},
            {"Lessons": listed("lessons/")},
            {"Guides": [name for name in guides if name != "index.md"]},
            {"Primitives": listed("primitives/")},
            {"API": [f"api/{name}.md" for name in api_pages.MODULES]},
            {"Reference": listed("generated/")},
            {"Diagnostics": ["diagnostics/index.md"]},
        ],
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
