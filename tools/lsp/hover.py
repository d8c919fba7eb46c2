"""The content of a hover: operations, passes, values with the regions they access, functions with
their cost, loops."""

from __future__ import annotations

import re

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.cost import estimate
from kc.dialects.tir import BlockOp, ForOp, LoadOp, StoreOp
from kc.support import registry
from kc.support.diagnostics import KCError
from kc.support.ir_text import print_module
from kc.support.target import target_to_build_for
from kc.tools._help import pass_page
from kc.tools._pages import operation_page
from kc.tools.lsp.document import Document

_WORD = re.compile(r"--[\w-]+|[%@^#!]?[\w$.]+")


def word_at(line: str, column: int) -> str:
    """The name around a column; for a flag, with its dashes."""
    for match in _WORD.finditer(line):
        if match.start() <= column <= match.end():
            return match.group()
    return ""


def hover(document: Document, line: int, column: int) -> str | None:
    """The Markdown of a hover at a position; None if there is nothing to show."""
    word = word_at(document.line(line), column)
    offset = document.offset(line, column)
    if word.startswith("--"):
        return pass_hover(word[2:])
    if word.startswith("%"):
        named = document.name_at(offset)
        value = named[1].value if named is not None else None
        if named is not None and value is not None:
            definition = document.definition(*named)
            value = definition.value if definition is not None and definition.value else value
            return _value(word, value)
        return None
    if word.startswith("@"):
        symbol = document.symbol(word[1:])
        return None if symbol is None else _function(symbol[2])
    page = operation_page(word) if "." in word else None
    if page is None:
        return None
    name, _, text = page.partition("\n")
    op = document.op_at(offset)
    facts = _loop(op) if isinstance(op, ForOp) and op.name == word else ""
    return f"**{name}**\n{text.rstrip()}" + (f"\n\n{facts}" if facts else "")


def pass_hover(name: str) -> str | None:
    """The page of a pass."""
    if not registry.is_pass(name):
        return None
    return f"```text\n{pass_page(name).rstrip()}\n```"


def _value(name: str, value: SSAValue) -> str:
    lines = [f"```mlir\n{name} : {value.type}\n```"]
    owner = value.owner
    if isinstance(owner, Block):
        parent = owner.parent_op()
        if isinstance(parent, ForOp) and value is parent.body.block.args[0]:
            lines.append(_loop(parent))
        elif isinstance(parent, BlockOp):
            lines.append(f'a variable of block "{parent.label}"')
        elif isinstance(parent, func.FuncOp) and isinstance(value, BlockArgument):
            lines.append(f"argument {value.index} of @{parent.sym_name.data}")
    else:
        lines.append(f"result of {owner.name}")
    if isinstance(value.type, MemRefType):
        lines += _accesses(value)
    return "\n\n".join(lines)


def _loop(loop: ForOp) -> str:
    """The text about a loop: the cost of all its iterations."""
    around = loop_tree.loops_around(loop)
    text = loop_tree.describe_loop(loop)
    inside = [block.label for block in loop_tree.blocks(loop)]
    if inside:
        text += f", around {', '.join(inside)}"
    if around:
        text += f"; inside {', '.join(block.label for block in around)}"
    return text


def _accesses(buffer: SSAValue) -> list[str]:
    """The accesses to a buffer: which block reads or writes which region."""
    uses = [use.operation for use in buffer.uses]
    accesses = [use for use in uses if isinstance(use, LoadOp | StoreOp)]
    blocks: dict[BlockOp, None] = {}
    for access in accesses:
        parent = access.parent_op()
        while parent is not None and not isinstance(parent, BlockOp):
            parent = parent.parent_op()
        if parent is not None:
            blocks.setdefault(parent)
    lines: list[str] = []
    for block in blocks:
        for word, kind in (("reads", LoadOp), ("writes", StoreOp)):
            inside = [
                access
                for access in accesses
                if isinstance(access, kind) and loop_tree.is_inside(access, block)
            ]
            if inside:
                places = dict.fromkeys(_place(access) for access in inside)
                lines.append(f"- {block.label} {word} {', '.join(places)}")
    return ["\n".join(lines)] if lines else []


def _place(access: LoadOp | StoreOp) -> str:
    """The accessed region in the notation of IR text: ``A[%v_i, %v_j + 1]``."""
    text = print_module(access).strip()
    match = re.search(r"%[\w$.-]+\[[^\]]*\]", text)
    return match.group() if match is not None else text


def _function(op: Operation) -> str:
    name = getattr(op.get_attr_or_prop("sym_name"), "data", "")
    kind = op.get_attr_or_prop("function_type")
    parts = [f"```mlir\n{op.name} @{name}" + (f" : {kind}" if kind is not None else "") + "\n```"]
    if isinstance(op, func.FuncOp) and not op.is_declaration:
        try:
            caches = target_to_build_for(_module_of(op)).caches
            parts.append("```text\n" + "\n".join(estimate(op, caches).lines()) + "\n```")
        except (KCError, AttributeError):
            pass
    return "\n\n".join(parts)


def _module_of(op: Operation) -> Operation:
    while (parent := op.parent_op()) is not None:
        op = parent
    return op
