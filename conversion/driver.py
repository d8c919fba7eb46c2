"""The driver of conversions: sets of patterns that take a program to other dialects.

A conversion is a class below :class:`Conversion`: the state that its patterns share, which each of
them is made with. What it may leave is a :class:`ConversionTarget`. The program is walked once, in
program order; each operation goes to the first pattern for its class that does something. What
patterns make is not visited, unless they say so (:meth:`Conversion.convert_next`): it is in the
target already. Unlike a dialect conversion of MLIR's, nothing is undone: what cannot be converted
is found before anything changes (:func:`require_patterns`), and what is left in the end is an error
with a place (:func:`require_legal`).

A conversion that gives functions another signature, or whose patterns need the types of the
source to the end, is a :class:`CopyingConversion`: it builds a new function beside the source.

Plugins add patterns by the name of the conversion (``Plugin.patterns``). They come after the
conversion's own, so that they convert what is theirs and change nothing for others: a
:class:`~xdsl.pattern_rewriter.RewritePattern` is made with the conversion, a
:class:`~xdsl.pattern_rewriter.TypeConversionPattern` without arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, TypeConversionPattern
from xdsl.rewriter import InsertPoint

from kc.analysis.module_copy import copy_operation
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of, op_name
from kc.support.patterns import PatternSet, matching
from kc.support.registry import load_patterns

Match = Callable[[Operation, PatternRewriter], None]


@dataclass(frozen=True)
class ConversionTarget:
    """The ops that a conversion may leave: none of ``illegal`` dialects, or those of ``legal``."""

    conversion: str
    """The name of the pass, which is that under which plugins add patterns."""
    illegal: tuple[str, ...] = ()
    legal: tuple[str, ...] = ()

    def is_legal(self, op: Operation) -> bool:
        """Whether ``op`` may be left."""
        dialect = op_name(op).partition(".")[0]
        return dialect in self.legal if self.legal else dialect not in self.illegal


def own_and_added(
    target: ConversionTarget, patterns: tuple[type[RewritePattern], ...]
) -> tuple[type[RewritePattern], ...]:
    """The classes of patterns of a conversion, then those that plugins add to it."""
    added = load_patterns(target.conversion)
    return (
        *patterns,
        *(pattern for pattern in added if not issubclass(pattern, TypeConversionPattern)),
    )


def converted_type(target: ConversionTarget, type_: Attribute) -> Attribute | None:
    """The type that patterns of plugins convert a type to; None if it is none of theirs."""
    for pattern in load_patterns(target.conversion):
        if issubclass(pattern, TypeConversionPattern):
            converted = pattern().convert_type(type_)
            if converted is not None and converted != type_:
                return converted
    return None


def require_patterns(
    target: ConversionTarget,
    patterns: tuple[type[RewritePattern], ...],
    ops: Iterable[Operation],
) -> None:
    """Refuse operations that must be converted and that no pattern is for (KC4216)."""
    for op in ops:
        if not target.is_legal(op) and not matching(patterns, type(op)):
            raise not_converted(target, op, "no pattern is for it")


def require_legal(target: ConversionTarget, ops: Iterable[Operation]) -> None:
    """Refuse operations that no pattern has converted (KC4216)."""
    for op in ops:
        if not target.is_legal(op):
            raise not_converted(target, op, "the patterns for it did nothing")


def not_converted(target: ConversionTarget, op: Operation, what: str) -> CodegenError:
    """The refusal of an operation that must not be left (KC4216); ``what`` keeps it from being
    converted."""
    allowed = (
        f"{', '.join(target.legal)} alone is left by it"
        if target.legal
        else f"nothing of {', '.join(target.illegal)} is left by it"
    )
    return CodegenError(
        "KC4216",
        f"{target.conversion}: {op_name(op)} is not converted",
        location=location_of(op),
        facts=[what],
        why=allowed,
        hints=[f"a plugin adds patterns by Plugin(patterns={{'{target.conversion}': [...]}})"],
    )


class ConversionRewriter(PatternRewriter):
    """The rewriter of a conversion's patterns: new operations are where the converted one was."""

    def __init__(self, op: Operation, conversion: Conversion) -> None:
        super().__init__(InsertPoint.before(op))
        self.op = op
        self._conversion = conversion

    def start(self, op: Operation) -> None:
        """Make ``op`` the one that is converted."""
        self.op = op
        self.has_done_action = False

    def insert(self, op, insertion_point=None):
        """Insert operations, before the one that is converted unless told otherwise."""
        if insertion_point is None:
            insertion_point = InsertPoint.before(self.op)
        for new in (op,) if isinstance(op, Operation) else op:
            if isinstance(new.location, UnknownLoc):
                new.location = self.op.location
        return super().insert(op, insertion_point)

    def replace(self, op, new_ops, new_results=None, safe_erase=True) -> None:
        """Put ``new_ops`` in the place of ``op``, and ``new_results`` (those of the last) in that
        of its results, with their names."""
        self.has_done_action = True
        inserted = (new_ops,) if isinstance(new_ops, Operation) else tuple(new_ops)
        block = op.parent
        assert block is not None
        for new in inserted:
            if isinstance(new.location, UnknownLoc):
                new.location = op.location
        block.insert_ops_before(inserted, op)
        results = (inserted[-1].results if inserted else ()) if new_results is None else new_results
        for old, new in zip(op.results, results, strict=True):
            assert new is not None
            new.name_hint = new.name_hint or old.name_hint
            old.replace_all_uses_with(new)
        if op is self.op and inserted:
            self.op = inserted[-1]
            self._conversion.start(self.op)
        self.erase(op, safe_erase)

    def erase(self, op: Operation, safe_erase: bool = True) -> None:
        """Erase an operation."""
        self.has_done_action = True
        op.detach()
        op.erase(safe_erase=safe_erase)


class Conversion:
    """The state of one conversion of a function in place, and the walk."""

    def __init__(
        self, patterns: tuple[type[RewritePattern], ...], fallback: type[RewritePattern]
    ) -> None:
        """``fallback`` is the pattern for what no other did something with."""
        self._classes = (*patterns, fallback)
        self._match_of: dict[type[RewritePattern], Match] = {}
        self._matches: dict[type[Operation], tuple[Match, ...]] = {}
        self._frames: list[_Frame] = []

    # What patterns call

    def convert_next(self, *blocks: Block, is_outlined: bool = False) -> None:
        """Convert what is in ``blocks``, one after the other, before what comes after them.

        ``is_outlined``: the blocks become functions of their own.
        """
        self._frames += [_Frame(block, is_outlined) for block in reversed(blocks)]

    def continue_with(self, op: Operation) -> None:
        """Convert ``op``, in the block of the operation that is converted, and all after it."""
        self._frames[-1].op = op

    # What conversions define

    def enter(self, block: Block, *, is_outlined: bool) -> None:
        """Called before the first operation of a block."""

    def leave(self) -> None:
        """Called after the last operation of a block."""

    def start(self, op: Operation) -> None:
        """Called before an operation is matched, and with what took its place."""

    # The walk

    def convert(self, block: Block) -> None:
        """Convert ``block`` and all in it."""
        if block.first_op is None:
            return
        rewriter = ConversionRewriter(block.first_op, self)
        frames = self._frames
        frames.append(_Frame(block, is_outlined=True))
        while frames:
            frame = frames[-1]
            if not frame.entered:
                frame.entered, frame.op = True, frame.block.first_op
                self.enter(frame.block, is_outlined=frame.is_outlined)
            op = frame.op
            if op is None:
                frames.pop()
                self.leave()
                continue
            frame.op = op.next_op
            self.start(op)
            rewriter.start(op)
            matches = self._matches.get(type(op))
            for match in self._matches_for(op) if matches is None else matches:
                match(op, rewriter)
                if rewriter.has_done_action:
                    break

    def _matches_for(self, op: Operation) -> tuple[Match, ...]:
        classes = matching(self._classes, type(op))
        for cls in classes:
            if cls not in self._match_of:
                self._match_of[cls] = cls(self).match_and_rewrite  # pyright: ignore[reportCallIssue]
        matches = self._matches[type(op)] = tuple(self._match_of[cls] for cls in classes)
        return matches


class CopyingConversion:
    """The state of one conversion that builds a function beside its source.

    Patterns read an operation of the source as it is, ask for what its operands became
    (:meth:`value`), and add operations to the end of the block ``at`` (:meth:`emit`, or by the
    rewriter). An operation is converted once its pattern has added something, or said what its
    results became; what no pattern converts is the business of :meth:`copy`.
    """

    at: Block
    """Where operations are added."""

    def __init__(self, patterns: tuple[type[RewritePattern], ...]) -> None:
        self.values: dict[SSAValue, SSAValue] = {}
        """What values of the source became."""
        self._patterns = PatternSet(pattern(self) for pattern in patterns)  # pyright: ignore[reportCallIssue]
        self._rewriter: CopyingRewriter | None = None

    def value(self, old: SSAValue) -> SSAValue:
        """What a value of the source became."""
        return self.values.get(old, old)

    def emit(self, op: Operation, source: Operation) -> Operation:
        """Add ``op``, which stands for ``source``, and is where that is."""
        for inner in op.walk() if op.regions else (op,):
            inner.location = source.location
        self.add(op)
        return op

    def add(self, op: Operation) -> None:
        """Add an operation that is where it belongs already."""
        self.at.add_op(op)
        if self._rewriter is not None:
            self._rewriter.has_done_action = True

    def into(self, block: Block, fill: Callable[[], None]) -> None:
        """Run ``fill`` with ``block`` as the place where operations are added."""
        outer, self.at = self.at, block
        try:
            fill()
        finally:
            self.at = outer

    def copy(self, op: Operation) -> None:
        """Convert an operation that no pattern has converted: it stays, on what operands became."""
        self.emit(copy_operation(op, self.values), op)

    def is_converted(self, result: SSAValue) -> bool:
        """Whether it is known what became of a result."""
        return result in self.values

    def convert(self, block: Block) -> None:
        """Convert the operations of ``block``, in their order."""
        for op in block.ops:
            self.convert_op(op)

    def convert_op(self, op: Operation) -> None:
        """Convert one operation, by the first pattern for its class that does so."""
        outer = self._rewriter
        self._rewriter = rewriter = CopyingRewriter(op, self)
        try:
            for pattern in self._patterns.of(op):
                pattern.match_and_rewrite(op, rewriter)
                if rewriter.has_done_action or (
                    op.results and all(map(self.is_converted, op.results))
                ):
                    return
            self.copy(op)
        finally:
            self._rewriter = outer
            if outer is not None:
                outer.has_done_action = True


class CopyingRewriter(PatternRewriter):
    """What patterns of a copying conversion edit with: the new function, never the source."""

    def __init__(self, op: Operation, conversion: CopyingConversion) -> None:
        super().__init__(InsertPoint.at_end(conversion.at))
        self._source = op
        self._conversion = conversion

    def insert(self, op, insertion_point=None):
        """Add operations, to the end of the new block unless told otherwise."""
        if insertion_point is None:
            insertion_point = InsertPoint.at_end(self._conversion.at)
        for new in (op,) if isinstance(op, Operation) else op:
            if isinstance(new.location, UnknownLoc):
                new.location = self._source.location
        return super().insert(op, insertion_point)

    def replace(self, op, new_ops, new_results=None, safe_erase=True) -> None:
        """Add ``new_ops`` for ``op``, whose results became ``new_results`` (those of the last)."""
        del safe_erase
        self.has_done_action = True
        new_ops = (new_ops,) if isinstance(new_ops, Operation) else tuple(new_ops)
        self.insert(new_ops)
        results = (new_ops[-1].results if new_ops else ()) if new_results is None else new_results
        for old, new in zip(op.results, results, strict=True):
            assert new is not None
            new.name_hint = new.name_hint or old.name_hint
            self._conversion.values[old] = new

    def erase(self, op: Operation, safe_erase: bool = True) -> None:
        """Leave out an operation, whose results nobody uses."""
        del op, safe_erase
        self.has_done_action = True


ConversionT = TypeVar("ConversionT", bound=Conversion | CopyingConversion)


class ConversionPattern(RewritePattern, Generic[ConversionT]):
    """A pattern of a conversion, which it is made with."""

    def __init__(self, conversion: ConversionT) -> None:
        self.conversion = conversion


@dataclass(eq=False)
class _Frame:
    """A block to be converted: from ``op`` on, or from its start if not ``entered``."""

    block: Block
    is_outlined: bool = False
    entered: bool = False
    op: Operation | None = None
