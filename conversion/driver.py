"""The driver of conversions: sets of patterns that convert a program to other dialects.

A conversion is a subclass of :class:`Conversion`: the state that its patterns share and with which
each pattern is constructed. The operations that it may leave are a :class:`ConversionTarget`. The
program is traversed once, in program order; each operation goes to the first pattern for its class
that changes something. New operations are not visited, because they belong to the target already,
unless the pattern requests it (:meth:`Conversion.convert_next`). Unlike MLIR's dialect conversion,
nothing is rolled back: operations without a pattern are found before any change
(:func:`require_patterns`), and remaining operations are errors with a location
(:func:`require_legal`).

A conversion that changes signatures of functions, or whose patterns need the types of the source
until the end, is a :class:`CopyingConversion`: it builds a new function beside the source.

Plugins add patterns by the name of the conversion (``Plugin.patterns``). These come after the
conversion's own patterns, so they convert the plugin's operations and change nothing for others. A
:class:`~xdsl.pattern_rewriter.RewritePattern` is constructed with the conversion, a
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
    """The ops that may remain after a conversion: those of ``legal`` dialects, or of any dialect
    that is not in ``illegal``.
    """

    conversion: str
    """The name of the pass, under which plugins add patterns."""
    illegal: tuple[str, ...] = ()
    legal: tuple[str, ...] = ()
    kept_operations: tuple[str, ...] = ()
    """Ops of illegal dialects that may remain, by their names."""

    def is_legal(self, op: Operation) -> bool:
        """True if ``op`` may remain."""
        name = op_name(op)
        if name in self.kept_operations:
            return True
        dialect = name.partition(".")[0]
        return dialect in self.legal if self.legal else dialect not in self.illegal


def own_and_added(
    target: ConversionTarget, patterns: tuple[type[RewritePattern], ...]
) -> tuple[type[RewritePattern], ...]:
    """The pattern classes of a conversion, followed by those that plugins add to it."""
    added = load_patterns(target.conversion)
    return (
        *patterns,
        *(pattern for pattern in added if not issubclass(pattern, TypeConversionPattern)),
    )


def converted_type(target: ConversionTarget, type_: Attribute) -> Attribute | None:
    """The type to which patterns of plugins convert a type; None if there is no such pattern."""
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
    """Refuse operations that must be converted but have no pattern (KC4216)."""
    for op in ops:
        if not target.is_legal(op) and not matching(patterns, type(op)):
            raise not_converted(target, op, "no pattern is for it")


def require_legal(target: ConversionTarget, ops: Iterable[Operation]) -> None:
    """Refuse operations that no pattern has converted (KC4216)."""
    for op in ops:
        if not target.is_legal(op):
            raise not_converted(target, op, "the patterns for it did nothing")


def not_converted(target: ConversionTarget, op: Operation, what: str) -> CodegenError:
    """The refusal of an operation that must not remain (KC4216); ``what`` is the reason why it was
    not converted.
    """
    allowed = (
        f"{', '.join(target.legal)} is the only dialect that it may leave"
        if target.legal
        else f"it must leave no operation of {', '.join(target.illegal)}"
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
    """The rewriter of a conversion's patterns. New operations replace the converted one."""

    def __init__(self, op: Operation, conversion: Conversion) -> None:
        super().__init__(InsertPoint.before(op))
        self.op = op
        self._conversion = conversion

    def start(self, op: Operation) -> None:
        """Make ``op`` the operation being converted."""
        self.op = op
        self.has_done_action = False

    def insert(self, op, insertion_point=None):
        """Insert operations, by default before the one being converted."""
        if insertion_point is None:
            insertion_point = InsertPoint.before(self.op)
        for new in (op,) if isinstance(op, Operation) else op:
            if isinstance(new.location, UnknownLoc):
                new.location = self.op.location
        return super().insert(op, insertion_point)

    def replace(self, op, new_ops, new_results=None, safe_erase=True) -> None:
        """Replace ``op`` by ``new_ops``, and its results by ``new_results`` (by default those of
        the last op), which take over their names.
        """
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
    """The state of the in-place conversion of a function, and its traversal."""

    def __init__(
        self, patterns: tuple[type[RewritePattern], ...], fallback: type[RewritePattern]
    ) -> None:
        """``fallback`` is the pattern for operations that no other pattern has changed."""
        self._classes = (*patterns, fallback)
        self._match_of: dict[type[RewritePattern], Match] = {}
        self._matches: dict[type[Operation], tuple[Match, ...]] = {}
        self._frames: list[_Frame] = []

    # What patterns call

    def convert_next(self, *blocks: Block, is_outlined: bool = False) -> None:
        """Convert the operations in ``blocks``, in order, before the operations after the current
        one.

        ``is_outlined``: the blocks become functions of their own.
        """
        self._frames += [_Frame(block, is_outlined) for block in reversed(blocks)]

    def continue_with(self, op: Operation) -> None:
        """Continue with ``op`` and the operations after it, in the block of the current
        operation.
        """
        self._frames[-1].op = op

    # What conversions define

    def enter(self, block: Block, *, is_outlined: bool) -> None:
        """Called before the first operation of a block."""

    def leave(self) -> None:
        """Called after the last operation of a block."""

    def start(self, op: Operation) -> None:
        """Called before the patterns are tried on an operation, and with its replacement."""

    # The walk

    def convert(self, block: Block) -> None:
        """Convert all operations in ``block``."""
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
    """The state of a conversion that builds a function beside its source.

    Patterns read an operation of the source, look up the translations of its operands
    (:meth:`value`), and append operations to the block ``at`` (:meth:`emit`, or the rewriter). An
    operation counts as converted once its pattern has added something or defined its results. The
    method :meth:`copy` handles operations that no pattern converts.
    """

    at: Block
    """The block to which operations are appended."""

    def __init__(self, patterns: tuple[type[RewritePattern], ...]) -> None:
        self.values: dict[SSAValue, SSAValue] = {}
        """The translations of the source's values."""
        self._patterns = PatternSet(pattern(self) for pattern in patterns)  # pyright: ignore[reportCallIssue]
        self._rewriter: CopyingRewriter | None = None

    def value(self, old: SSAValue) -> SSAValue:
        """The translation of a value of the source."""
        return self.values.get(old, old)

    def emit(self, op: Operation, source: Operation) -> Operation:
        """Append ``op``, which translates ``source`` and takes its location."""
        for inner in op.walk() if op.regions else (op,):
            inner.location = source.location
        self.add(op)
        return op

    def add(self, op: Operation) -> None:
        """Append an operation that already has its location."""
        self.at.add_op(op)
        if self._rewriter is not None:
            self._rewriter.has_done_action = True

    def into(self, block: Block, fill: Callable[[], None]) -> None:
        """Run ``fill`` with operations appended to ``block``."""
        outer, self.at = self.at, block
        try:
            fill()
        finally:
            self.at = outer

    def copy(self, op: Operation) -> None:
        """Copy an operation that no pattern has converted, with translated operands."""
        self.emit(copy_operation(op, self.values), op)

    def is_converted(self, result: SSAValue) -> bool:
        """True if the translation of a result is defined."""
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
    """The rewriter of a copying conversion, which edits the new function and never the source."""

    def __init__(self, op: Operation, conversion: CopyingConversion) -> None:
        super().__init__(InsertPoint.at_end(conversion.at))
        self._source = op
        self._conversion = conversion

    def insert(self, op, insertion_point=None):
        """Insert operations, by default at the end of the new block."""
        if insertion_point is None:
            insertion_point = InsertPoint.at_end(self._conversion.at)
        for new in (op,) if isinstance(op, Operation) else op:
            if isinstance(new.location, UnknownLoc):
                new.location = self._source.location
        return super().insert(op, insertion_point)

    def replace(self, op, new_ops, new_results=None, safe_erase=True) -> None:
        """Append ``new_ops`` for ``op``, whose results become ``new_results`` (by default those of
        the last op).
        """
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
    """A pattern of a conversion, constructed with the conversion."""

    def __init__(self, conversion: ConversionT) -> None:
        self.conversion = conversion


@dataclass(eq=False)
class _Frame:
    """A block to be converted: from ``op`` on, or from its start if not ``entered``."""

    block: Block
    is_outlined: bool = False
    entered: bool = False
    op: Operation | None = None
