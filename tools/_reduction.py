"""Reduction of a module to smaller valid modules, and of a list of passes.

After C-Reduce and mlir-reduce: each change is tried by itself, large parts first. A change is
accepted if the module still verifies, is smaller and still shows the failure. This is repeated
until no change is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import IsTerminator

from kc.analysis.module_copy import copy_module
from kc.analysis.verify_changes import verify_all
from kc.support import registry
from kc.support.diagnostics import KCError
from kc.support.ir_text import parse_module, print_module
from kc.support.options import Options, PassSpec

_INTEGER = re.compile(r"(?<![\w.%@$#-])\d+(?![\w.])|(?<=[<x])\d+(?=x)|(?<=x)\d+(?=x)")

Interesting = Callable[[str, Sequence[PassSpec]], bool]
"""A function that is true if a module shows the failure under some passes."""


class Reduction:
    """A module and passes to reduce; :meth:`run` makes them as small as possible."""

    def __init__(
        self,
        text: str,
        passes: Sequence[PassSpec],
        interesting: Interesting,
        progress: Callable[[str], None] = lambda message: None,
    ) -> None:
        self.text = print_module(_parsed(text))
        self._module = _parsed(self.text)
        self.passes = list(passes)
        self.interesting = interesting
        self.progress = progress
        self.tried = 0

    def run(self) -> None:
        """Reduce until no change helps."""
        ways = (
            self._smaller_numbers,  # first: what has fewer iterations is tested faster
            self._fewer_passes,
            self._fewer_statements,  # before what is in them: a hundred loops have a thousand parts
            self._fewer_operations,
            self._fewer_regions,
            self._fewer_attributes,
            self._fewer_options,
        )
        size = None
        while size != (len(self.text), str(self.passes)):
            size = len(self.text), str(self.passes)
            for way in ways:
                way()

    def _try(self, text: str | None = None, passes: Sequence[PassSpec] | None = None) -> bool:
        """Accept a change if its result is interesting."""
        new_text = self.text if text is None else text
        new_passes = self.passes if passes is None else list(passes)
        self.tried += 1
        self.progress(f"{self.tried} tried, {len(self.text)} characters remain ...")
        if not self.interesting(new_text, new_passes):
            return False
        if text is not None:
            try:
                self._module = _parsed(new_text)  # the next change begins with it
            except KCError:
                return False
        self.text, self.passes = new_text, new_passes
        return True

    def _copy(self) -> ModuleOp:
        """A copy of the module for changes. Copying is faster than parsing."""
        return copy_module(self._module)

    def _try_module(self, module: ModuleOp) -> bool:
        """Accept a changed module if it is valid, smaller and interesting."""
        text = _valid_text(module)
        return text is not None and len(text) < len(self.text) and self._try(text)

    # Ways --------------------------------------------------------------------------------------

    def _fewer_passes(self) -> None:
        size = len(self.passes)
        while size > 0:
            start = 0
            while start < len(self.passes):
                shorter = self.passes[:start] + self.passes[start + size :]
                if not self._try(passes=shorter):
                    start += size
            size //= 2

    def _fewer_options(self) -> None:
        for n, spec in enumerate(self.passes):
            if not isinstance(spec.options, Options):
                continue
            for option in list(spec.options):
                fewer = spec.options.without(option.name)
                changed = PassSpec(spec.name, fewer)
                if self._try(passes=[*self.passes[:n], changed, *self.passes[n + 1 :]]):
                    spec = changed

    def _fewer_statements(self) -> None:
        """Erase loops, calls and buffers of functions, with their contents."""
        self._erase_parts(_statements)

    def _fewer_operations(self) -> None:
        """Erase operations, with replacements for their used results."""
        self._erase_parts(_operations)

    def _erase_parts(self, listed: Callable[[ModuleOp], list[Operation]]) -> None:
        """Erase parts of a list of operations, starting with halves."""
        size = max(1, len(listed(self._module)) // 2)
        while size > 0:
            start = 0
            while True:
                module = self._copy()
                operations = listed(module)
                if start >= len(operations):
                    break
                chosen = operations[start : start + size]
                if not (_erase(chosen) and self._try_module(module)):
                    start += size
            size //= 2

    def _fewer_regions(self) -> None:
        """Replace an operation by the contents of its region, at index 0: a loop becomes its
        body.
        """
        position = 0
        while True:
            module = self._copy()
            operations = _operations(module)
            if position >= len(operations):
                break
            if not (_unwrap(operations[position]) and self._try_module(module)):
                position += 1

    def _fewer_attributes(self) -> None:
        position = 0
        while True:
            module = self._copy()
            places = [
                (operation, name)
                for operation in module.walk()
                for name in operation.attributes
                if name not in _NAMES
            ]
            if position >= len(places):
                break
            operation, name = places[position]
            del operation.attributes[name]
            if not self._try_module(module):
                position += 1

    def _smaller_numbers(self) -> None:
        """Reduce a number at all its occurrences at once, so that shapes and extents of loops stay
        equal.
        """
        for number in sorted({int(text) for text in _INTEGER.findall(self.text)}, reverse=True):
            for smaller in dict.fromkeys((1, 2, 4, number // 4, number // 2)):
                if not 0 < smaller < number:
                    continue
                text = _INTEGER.sub(
                    lambda match, old=number, new=smaller: (
                        str(new) if int(match.group()) == old else match.group()
                    ),
                    self.text,
                )
                valid = _valid(text)
                if valid is not None and valid != self.text and self._try(valid):
                    break


_NAMES = frozenset({"sym_name", "function_type", "kc.name", "kc.role"})
"""Attributes that name or identify an operation. Without them the program is a different one."""


def _parsed(text: str) -> ModuleOp:
    return parse_module(text, "<reduced>", registry.context(allow_unregistered=True))


def _valid(text: str) -> str | None:
    """The text of the module as it is printed; None if it is not valid."""
    try:
        return _valid_text(_parsed(text))
    except KCError:
        return None


def _valid_text(module: ModuleOp) -> str | None:
    try:
        verify_all(module)
        text = print_module(module)
    except Exception:  # a verifier of others may raise anything for what nobody would write
        return None
    return text


def _operations(module: ModuleOp) -> list[Operation]:
    """The operations that may be erased, last and innermost first. Terminators stay with their
    blocks.
    """
    return [
        operation
        for operation in module.walk(reverse=True)
        if operation is not module and not operation.has_trait(IsTerminator)
    ]


def _statements(module: ModuleOp) -> list[Operation]:
    """The operations of :func:`_operations` in the body of a function, the last ones first."""
    return [
        operation
        for operation in _operations(module)
        if (function := operation.parent_op()) is not None
        and function is not module
        and function.parent_op() is module
    ]


def _erase(operations: Sequence[Operation]) -> bool:
    """Erase operations and replace their used results; False if a result has no replacement."""
    for operation in operations:
        if operation.parent is None or not _is_attached(operation):
            continue  # it went with one around it
        for result in operation.results:
            if not result.uses:
                continue
            replacement = _replacement(operation, result)
            if replacement is None:
                return False
            result.replace_all_uses_with(replacement)
        operation.detach()
        operation.erase(safe_erase=False)
    return True


def _is_attached(operation: Operation) -> bool:
    around: Operation | None = operation
    while around is not None and not isinstance(around, ModuleOp):
        around = around.parent_op()
    return around is not None


def _replacement(operation: Operation, value: SSAValue) -> SSAValue | None:
    """Another value of the same type: an operand, an argument of the function, or 0."""
    for operand in operation.operands:
        if operand.type == value.type:
            return operand
    for argument in _arguments(operation):
        if argument.type == value.type:
            return argument
    return _zero_before(operation, value.type)


def _arguments(operation: Operation) -> Iterator[SSAValue]:
    around = operation.parent_op()
    while around is not None and not isinstance(around, ModuleOp):
        if around.parent_op() is not None and isinstance(around.parent_op(), ModuleOp):
            block = around.regions[0].first_block if around.regions else None
            yield from block.args if block is not None else ()
        around = around.parent_op()


def _zero_before(operation: Operation, type_: Attribute) -> SSAValue | None:
    if isinstance(type_, IntegerType | IndexType):
        zero = arith.ConstantOp(IntegerAttr(0, type_))
    elif isinstance(type_, AnyFloat):
        zero = arith.ConstantOp(FloatAttr(0.0, type_))
    else:
        return None
    block = operation.parent
    assert block is not None
    block.insert_op_before(zero, operation)
    return zero.result


def _unwrap(operation: Operation) -> bool:
    """Replace an operation by the contents of its last region; False if that has another form."""
    if isinstance(operation.parent_op(), ModuleOp) or not operation.regions:
        return False
    block = operation.regions[-1].first_block
    if block is None or block is not operation.regions[-1].last_block:
        return False
    for argument in list(block.args):
        zero = _zero_before(operation, argument.type)
        if zero is None:
            return False
        argument.replace_all_uses_with(zero)
    last = block.last_op
    results: Sequence[SSAValue] = ()
    if last is not None and last.has_trait(IsTerminator):
        results = tuple(last.operands)
        last.detach()
        last.erase()
    if len(results) != len(operation.results):
        return False
    target = operation.parent
    assert target is not None
    for inner in list(block.ops):
        inner.detach()
        target.insert_op_before(inner, operation)
    for result, value in zip(operation.results, results, strict=True):
        if result.type != value.type:
            return False
        result.replace_all_uses_with(value)
    operation.detach()
    operation.erase(safe_erase=False)
    return True
