"""The interface of schedule primitives, and the site on which they work.

A primitive is a frozen dataclass whose fields are its options, in TVM's argument order. The kc-opt
flag, the method of ``kc.tir.Schedule`` and TE's replay are derived from the class. It has

* ``check(site)``: reads the IR without changing it, and raises a :class:`ScheduleError` if the
  rewrite is not legal; its result is the plan for the rewrite;
* ``rewrite(site, plan)``: changes the IR; cannot fail;
* ``legal(site)``: the options that ``check`` accepts, as far as they can be listed;
* ``defaults(site)``: the steps of the bare flag, if it has an effect.

Fields that name IR are references (:class:`LoopRef`, :class:`BlockRef`): a name in text, or the
operation of a handle or an SSA value. :class:`Site` resolves both.
"""

from __future__ import annotations

import contextlib
import itertools
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol, Self, TypeVar

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.trust import UNSAFE_ATTRIBUTE, Undecided, undecided
from kc.analysis.verify_changes import verify_changes
from kc.dialects.tir import AllocOp, BlockOp, ForKind, ForOp, LoadOp, PrefetchOp
from kc.dialects.unscheduled import unmark
from kc.support.diagnostics import (
    InternalError,
    KCError,
    Location,
    ScheduleError,
    diagnostic_handler,
    suggest,
)
from kc.support.fresh_names import fresh_name
from kc.support.locations import add_call, location_of
from kc.support.pass_context import step_watcher
from kc.support.target import Target


@dataclass(frozen=True)
class LoopRef:
    """A loop: its printed name, or the operation."""

    handle: ClassVar[str] = "loop"

    target: str | ForOp

    @classmethod
    def from_option(cls, text: str) -> Self:
        """The reference in the text of an option."""
        return cls(text)

    def __str__(self) -> str:
        return self.target if isinstance(self.target, str) else self.target.label


@dataclass(frozen=True)
class BlockRef:
    """A block: its name or the operation. Queries of a schedule also accept the function as its
    root.
    """

    handle: ClassVar[str] = "block"

    target: str | BlockOp | func.FuncOp

    @classmethod
    def from_option(cls, text: str) -> Self:
        """The reference in the text of an option."""
        return cls(text)

    def __str__(self) -> str:
        if isinstance(self.target, func.FuncOp):
            return "root"
        return self.target if isinstance(self.target, str) else self.target.label


class BufferOption(ABC):
    """An option that names a buffer. The rewrite may change all users of the buffer."""

    @abstractmethod
    def may_mean(self, block: BlockOp) -> Iterable[SSAValue]:
        """The buffers of a block that the option may name."""


@dataclass(frozen=True)
class Rewritten:
    """The result of a primitive.

    Handles follow their loops and blocks with its help, and diagnostics explain stale names. A
    primitive must report a removed operation only if the explanation says more than that the
    operation was removed.
    """

    loops: tuple[ForOp, ...] = ()
    """The new or changed loops, in the order of TVM's results."""
    replaced: Mapping[ForOp, tuple[ForOp, ...]] = field(default_factory=dict)
    """The removed loops, each with its replacements."""
    removed: Mapping[Operation, str] = field(default_factory=dict)
    """The blocks and loops that were removed without a replacement, each with an explanation."""
    blocks: tuple[BlockOp, ...] = ()
    """The new blocks, in the order of TVM's results."""


# The user's line of the running schedule call.
CALL_SITE: ContextVar[Location | None] = ContextVar("kc_schedule_call", default=None)


@contextlib.contextmanager
def called_from(location: Location | None) -> Iterator[None]:
    """A context in which refusals have the location ``location``: the user's line of the schedule
    call.
    """
    token = CALL_SITE.set(location)
    try:
        yield
    finally:
        CALL_SITE.reset(token)


# True if refusals list legal alternatives. The search for them may take long.
_SUGGESTS: ContextVar[bool] = ContextVar("kc_schedule_suggests", default=True)


def suggests() -> bool:
    """True if refusals list legal alternatives."""
    return _SUGGESTS.get()


@contextlib.contextmanager
def without_suggestions() -> Iterator[None]:
    """A context in which refusals omit alternatives that require a search, for a tuner that tries
    schedules.
    """
    token = _SUGGESTS.set(False)
    try:
        yield
    finally:
        _SUGGESTS.reset(token)


# Function -> loop name -> explanation of its removal, for stale names.
_HISTORY: weakref.WeakKeyDictionary[Operation, dict[str, str]] = weakref.WeakKeyDictionary()


def copy_history(old: Operation, new: Operation) -> None:
    """Copy the explanations of stale names to a copy of a function."""
    if old in _HISTORY:
        _HISTORY[new] = dict(_HISTORY[old])


_READS = frozenset((LoadOp, PrefetchOp))
"""The operations that only read a buffer."""

_NAMED = frozenset((ForOp, BlockOp, AllocOp))
"""The operations that primitives refer to by name."""


def _ancestors(op: Operation) -> Iterator[Operation]:
    parent = loop_tree.parent_of(op)
    while parent is not None:
        yield parent
        parent = loop_tree.parent_of(parent)


class _Nest:
    """The contents of an operation of the function's body, computed on demand."""

    def __init__(self, root: Operation, place: float = 0) -> None:
        self.root = root
        """The operation. This reference prevents the reuse of its ``id``."""
        self.place = place
        """A number that is larger than the numbers of all earlier operations."""

    @cached_property
    def named(self) -> list[ForOp | BlockOp | AllocOp]:
        """The loops, blocks and allocs."""
        return self._contents[0]

    @cached_property
    def _contents(self) -> tuple[list[Any], set[SSAValue], set[SSAValue]]:
        """The named operations, the buffers that are only read, and the buffers with other uses."""
        named: list[Operation] = []
        read: set[SSAValue] = set()
        used: set[SSAValue] = set()
        for op in loop_tree.preorder(self.root):
            kind = type(op)
            if kind in _NAMED:
                named.append(op)
            for value in (*op._operands, *op.results):  # pyright: ignore[reportPrivateUsage]
                if type(value._type) is MemRefType:  # pyright: ignore[reportPrivateUsage]
                    (read if kind in _READS else used).add(value)
        return named, read, used

    def buffers(self) -> tuple[set[SSAValue], set[SSAValue]]:
        """The buffers that loads and prefetches use, and the buffers with other uses."""
        return self._contents[1:]

    @cached_property
    def blocks(self) -> list[BlockOp]:
        """The blocks."""
        return [op for op in self.named if isinstance(op, BlockOp)]

    @cached_property
    def outer_blocks(self) -> list[BlockOp]:
        """The blocks that are not inside another block."""
        return [
            block
            for block in self.blocks
            if not any(isinstance(op, BlockOp) for op in _ancestors(block))
        ]

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of blocks and allocs."""
        return frozenset([op.label for op in self.named if not isinstance(op, ForOp)])


def _between(low: float | None, high: float | None, count: int) -> list[float] | None:
    """``count`` increasing numbers between two bounds (None: no bound).

    None if rounding leaves no such numbers.
    """
    if low is None:
        low = 0.0 if high is None else high - count - 1
    if high is None:
        high = low + count + 1
    step = (high - low) / (count + 1)
    numbers = [low + step * (n + 1) for n in range(count)]
    bounded = [low, *numbers, high]
    return numbers if all(a < b for a, b in itertools.pairwise(bounded)) else None


class Journal(Protocol):
    """A record of the changes to a function, with which they can be undone."""

    def before_change(self, touched: Iterable[Operation] | None) -> None:
        """Record that operations of the body are about to change; None stands for any operation."""
        ...

    def before_saying(self, name: str, before: str | None) -> None:
        """Record that ``before``, the explanation of the removed loop ``name``, is about to be
        replaced.
        """
        ...


class Site:
    """A function that is being scheduled. A site looks up the blocks and loops that references
    name, and composes the messages of refusals.

    It caches the contents of each operation of the function's body. A primitive touches few of
    them, so the cost of finding a block and of verifying a change does not grow with the rest of
    the function. Code that changes the function by other means needs a new site.
    """

    def __init__(
        self,
        function: func.FuncOp,
        target: Target,
        block: BlockRef | None = None,
        primitive: str = "",
    ) -> None:
        self.function = function
        self.target = target
        self.primitive = primitive
        """The requested primitive in Python syntax, with which refusals begin."""
        self._block = block
        self._nests: dict[int, _Nest] = {}
        """The contents of the unchanged operations of the body, by ``id``."""
        self._blocks: dict[str, list[BlockOp]] | None = None
        self._is_changing = False
        self.journal: Journal | None = None

    @property
    def is_changing(self) -> bool:
        """True while a primitive rewrites the function."""
        return self._is_changing

    def state_of(self, op: Operation) -> object | None:
        """A token for the state of an operation of the body, which differs after each change.

        None if the present state was not verified.
        """
        return self._nests.get(id(op))

    @property
    def block(self) -> BlockOp | None:
        """The block that the user named; None if the user named none."""
        return None if self._block is None else self.resolve_block(self._block)

    @property
    def blocks(self) -> Mapping[str, list[BlockOp]]:
        """The blocks of the function by their names, in program order."""
        if self._blocks is not None and not self._is_changing:
            return self._blocks
        blocks: dict[str, list[BlockOp]] = {}
        for nest in self._read_nests():
            for block in nest.blocks:
                blocks.setdefault(block.label, []).append(block)
        if not self._is_changing:
            self._blocks = blocks
        return blocks

    def outer_blocks(self) -> list[BlockOp]:
        """The blocks of the function that are not inside another block, in program order."""
        return [block for nest in self._read_nests() for block in nest.outer_blocks]

    def place_of(self, block: BlockOp) -> tuple[float, int]:
        """The place of a block in the program order of the blocks outside other blocks. The place
        is not valid while a primitive changes the function.
        """
        nest = self.nest_of(block)
        assert nest is not None
        if id(nest) not in self._nests:
            self.verify()
        nest_contents = self._nests[id(nest)]
        return nest_contents.place, nest_contents.outer_blocks.index(block)

    def names(self) -> set[str]:
        """The names of the function's blocks, allocs and arguments."""
        names = {arg.name_hint or "" for arg in self.function.args}
        return names.union(*[nest.names for nest in self._read_nests()])

    def _read_nests(self) -> Iterator[_Nest]:
        nests = self._nests
        for op in self._body():
            yield nests.get(id(op)) or _Nest(op)

    def _body(self) -> Iterator[Operation]:
        for block in self.function.body.blocks:
            op = block.first_op
            while op is not None:
                yield op
                op = op._next_op  # properties are slow here  # pyright: ignore[reportPrivateUsage]

    @contextlib.contextmanager
    def changing(
        self, touched: Iterable[Operation] | None, *, noted: bool = True
    ) -> Iterator[None]:
        """A context in which the caller changes ``touched`` operations of the body (None: any
        operations). Their cached contents are discarded until :meth:`verify`. With ``noted``, the
        journal records the change.
        """
        if noted and self.journal is not None:
            self.journal.before_change(touched)
        if touched is None:
            self.forget()
        else:
            for op in touched:
                self._forget_nest(op)
        was_changing, self._is_changing = self._is_changing, True
        try:
            yield
        finally:
            self._is_changing = was_changing

    def forget(self) -> None:
        """Discard all cached contents of the function."""
        self._nests.clear()
        self._blocks = None

    def _forget_nest(self, op: Operation) -> None:
        nest = self._nests.pop(id(op), None)
        if nest is None or self._blocks is None:
            return
        for block in nest.blocks:
            if self._blocks.get(block.label) != [block]:
                # to be read again, since blocks of one name are in program order
                self._blocks = None
                return
            del self._blocks[block.label]

    def verify(self) -> None:
        """Verify the changed operations. Raises ParseError, as ``verify_changes`` does."""
        places, nests = self._changed(), self._nests

        def place(op: Operation) -> float:
            return places[op] if op in places else nests[id(op)].place

        verify_changes(
            self.function, within=places, is_before=lambda op, behind: place(op) < place(behind)
        )
        if self._is_changing:
            return  # within another primitive, which verifies at its end
        for op in places:
            nest = self._nests[id(op)] = _Nest(op, places[op])
            for block in nest.blocks if self._blocks is not None else ():
                if self._blocks is not None and block.label in self._blocks:
                    self._blocks = None
                if self._blocks is not None:
                    self._blocks[block.label] = [block]

    def _changed(self) -> dict[Operation, float]:
        """The operations that changed since their verification, in order, each with a place between
        the places of its neighbours.
        """
        nests = self._nests
        changed: list[Operation] = []
        for block in self.function.body.blocks:
            op = block.first_op
            # this loop is over the whole function, so it does as little as possible
            while op is not None:
                if id(op) not in nests:
                    changed.append(op)
                op = op._next_op  # pyright: ignore[reportPrivateUsage]
        places: dict[Operation, float] = {}
        first = 0
        while first < len(changed):
            end = first + 1
            while end < len(changed) and changed[end].prev_op is changed[end - 1]:
                end += 1
            before, behind = changed[first].prev_op, changed[end - 1].next_op
            low = nests[id(before)].place if before is not None else None
            high = nests[id(behind)].place if behind is not None else None
            between = _between(low, high, end - first)
            if between is None:
                self._nests.clear()
                return self._changed()
            places.update(zip(changed[first:end], between, strict=True))
            first = end
        return places

    def loops_and_blocks(self, nests: Iterable[Operation] | None) -> list[ForOp | BlockOp]:
        """The loops and blocks in ``nests``, operations of the function's body; in the whole body
        by default.
        """
        roots = self._body() if nests is None else nests
        read = [self._nests.get(id(root)) or _Nest(root) for root in roots]
        return [op for nest in read for op in nest.named if not isinstance(op, AllocOp)]

    def nest_of(self, op: Operation) -> Operation | None:
        """The operation of the function's body that is or contains ``op``; None if ``op`` is not in
        the body.
        """
        current: Operation | None = op
        while current is not None and (around := loop_tree.parent_of(current)) is not self.function:
            current = around
        return current

    def nests_around(self, ops: Iterable[Operation], named: Set[SSAValue]) -> set[Operation]:
        """The operations of the body that contain ``ops``, the users of the same buffers, and the
        definitions of these buffers.

        For a buffer that ``ops`` only read, other readers are left out. For an argument of the
        function, all other users are left out, unless it is among the ``named`` buffers.
        """
        nests = {nest for op in ops if (nest := self.nest_of(op)) is not None}
        read: set[SSAValue] = set()
        changed: set[SSAValue] = set()
        for nest in nests:
            of_nest = (self._nests.get(id(nest)) or _Nest(nest)).buffers()
            read |= of_nest[0]
            changed |= of_nest[1]
        changed |= read & named
        read = {value for value in read - changed if not isinstance(value.owner, Block)}
        users = [use.operation for buffer in changed for use in buffer.uses]
        users += [
            use.operation
            for buffer in read
            for use in buffer.uses
            if type(use.operation) not in _READS
        ]
        definitions = [
            value.owner for value in (*changed, *read) if isinstance(value.owner, Operation)
        ]
        return nests | {
            nest for op in (*users, *definitions) if (nest := self.nest_of(op)) is not None
        }

    @contextlib.contextmanager
    def acting(self, primitive: type[Primitive]) -> Iterator[None]:
        """A context in which refusals begin with the name of ``primitive``."""
        outer, self.primitive = self.primitive, primitive.name.replace("-", "_")
        try:
            yield
        finally:
            self.primitive = outer

    def resolve_block(self, ref: BlockRef) -> BlockOp:
        """The block of ``ref``. Raises ScheduleError KC3001 if no block has the name, KC3002 if
        several have.
        """
        if isinstance(ref.target, BlockOp):
            return ref.target
        assert isinstance(ref.target, str)
        named = self.blocks.get(ref.target, [])
        if len(named) == 1 and loop_tree.is_inside(named[0], self.function):
            return named[0]
        self.forget()  # before a refusal, since other code may have changed the function
        named = self.blocks.get(ref.target, [])
        if len(named) == 1:
            return named[0]
        name = self.function.sym_name.data
        if not named:
            raise ScheduleError(
                "KC3001",
                f"there is no block '{ref.target}' in @{name}",
                location=CALL_SITE.get() or location_of(self.function),
                hints=suggest(
                    ref.target,
                    [block.label for block in loop_tree.blocks(self.function)],
                    "the blocks are",
                ),
            )
        raise ScheduleError(
            "KC3002",
            f"there are {len(named)} blocks '{ref.target}' in @{name}",
            location=CALL_SITE.get() or location_of(self.function),
            facts=[f"block {block.label} at {location_of(block)}" for block in named],
            hints=["give the blocks different names"],
        )

    def resolve_loop(self, ref: LoopRef) -> ForOp:
        """The loop of ``ref``: a loop around the named block if the user named a block, else any
        loop in the function.

        Raises ScheduleError KC3003 if no loop has the name, KC3004 if several have. Refuses
        (KC3010) a loop of kind ``while``, whose trip count no primitive knows.
        """
        loop = self._named_loop(ref)
        if loop.kind.data is ForKind.WHILE:
            raise self.refuse(
                "KC3010",
                f"loop {loop.label} is a while",
                at=loop,
                why="its trip count is known only when it ends",
                hints=["schedule the loops around it or inside it"],
            )
        return loop

    def _named_loop(self, ref: LoopRef) -> ForOp:
        if isinstance(ref.target, ForOp):
            return ref.target
        block = self.block
        loops = loop_tree.loops(self.function) if block is None else loop_tree.loops_around(block)
        named = [loop for loop in loops if loop.label == ref.target]
        if len(named) == 1:
            return named[0]
        where = f"@{self.function.sym_name.data}" if block is None else f"block {block.label}"
        if named:
            raise ScheduleError(
                "KC3004",
                f"there are {len(named)} loops '{ref.target}' in {where}",
                location=CALL_SITE.get() or location_of(named[1]),
                facts=loop_tree.render(self.function, dict.fromkeys(named, "this one?")),
                hints=["name the block too: block=NAME"],
            )
        past = self.past(ref.target)
        elsewhere = [
            inner
            for inner in loop_tree.blocks(self.function)
            if any(loop.label == ref.target for loop in loop_tree.loops_around(inner))
        ]
        why = past
        if why is None and block is not None and elsewhere:
            why = f"{ref.target} is a loop of block {elsewhere[0].label}"
        raise ScheduleError(
            "KC3003",
            f"there is no loop '{ref.target}' around {where}"
            if block is not None
            else f"there is no loop '{ref.target}' in {where}",
            location=CALL_SITE.get() or location_of(block or self.function),
            why=why,
            facts=loop_tree.render(self.outermost(block) if block is not None else self.function),
            hints=suggest(ref.target, [loop.label for loop in loops], "the loops are"),
        )

    def outermost(self, op: Operation) -> Operation:
        """The outermost loop around ``op``, or ``op``."""
        loops = loop_tree.loops_around(op)
        return loops[0] if loops else op

    def fresh_names(self, names: Sequence[str], near: ForOp, gone: Iterable[ForOp]) -> list[str]:
        """Loop names derived from ``names`` that are unused in the loop nest of ``near``. The names
        of the loops ``gone`` count as unused.
        """
        gone = set(gone)
        nest = loop_tree.loops(self.outermost(near))
        taken = {loop.label for loop in nest if loop not in gone}
        return [fresh_name(name, taken) for name in names]

    def refuse(
        self,
        code: str,
        message: str,
        *,
        at: Operation,
        mark: Mapping[Operation, str] | None = None,
        why: str | Undecided | None = None,
        hints: Iterable[str] = (),
        beside: Iterable[Operation] = (),
    ) -> ScheduleError:
        """A refusal in the name of the primitive, with the loop tree around ``at`` and marks.

        The trees around ``beside`` follow. The refusal is undecided if ``why`` is
        :class:`Undecided`.
        """
        call = CALL_SITE.get()
        marks = dict(mark) if mark is not None else {at: "here"}
        origin = location_of(at)
        if call is not None and origin is not None and origin != call and at in marks:
            marks[at] += f" (from {origin})"
        refusal = ScheduleError(
            code,
            f"{self.primitive}: {message}" if self.primitive else message,
            location=call or origin,
            why=None if why is None else str(why),
            facts=_shorten(loop_tree.render(self._trees(at, beside), marks)),
            hints=hints,
        )
        refusal.undecided = isinstance(why, Undecided)
        return refusal

    def _trees(self, at: Operation, beside: Iterable[Operation]) -> list[Operation]:
        return list(dict.fromkeys(self.outermost(op) for op in (at, *beside)))

    def past(self, name: str) -> str | None:
        """The explanation of the removal of the loop ``name``; None if no such loop was removed."""
        return _HISTORY.get(self.function, {}).get(name)

    def remember(self, name: str, what: str) -> None:
        """Record the explanation of the removal of the loop ``name``."""
        call = CALL_SITE.get()
        history = _HISTORY.setdefault(self.function, {})
        if self.journal is not None:
            self.journal.before_saying(name, history.get(name))
        history[name] = what + (f" at {call}" if call else "")

    def say_again(self, name: str, what: str | None) -> None:
        """Restore an earlier explanation for the loop ``name`` after an undo; None removes the
        explanation.
        """
        history = _HISTORY.setdefault(self.function, {})
        if what is None:
            history.pop(name, None)
        else:
            history[name] = what


def _shorten(lines: list[str], limit: int = 8) -> list[str]:
    """At most ``limit`` lines, including the marked ones."""
    if len(lines) <= limit:
        return lines
    marked = [n for n, line in enumerate(lines) if "<--" in line] or [0]
    first = max(0, min(marked[0] - 2, len(lines) - limit))
    shown = lines[first : first + limit]
    if first:
        shown[0] = "..."
    if first + limit < len(lines):
        shown[-1] = shown[-1] if "<--" in shown[-1] else "..."
    return shown


Gives = Literal["nothing", "loop", "loops", "block", "blocks", "optional block"]


class Primitive(ABC):
    """A schedule primitive; see the docstring of the module."""

    name: ClassVar[str]
    gives: ClassVar[Gives] = "nothing"
    """The results of the method of ``kc.tir.Schedule`` and of the op of ``sched``."""
    count: ClassVar[int | str | None] = None
    """The number of results for ``loops`` and ``blocks``, if known in advance: a number, or the
    field with that length.
    """
    verb: ClassVar[str] = "became"
    """The verb between a removed loop and its replacements in an explanation."""
    undecidable: ClassVar[bool] = False
    """True if the check may be undecided, so that the option ``unsafe`` exists."""
    within_nest: ClassVar[bool] = False
    """True if the rewrite changes only the nests of the named loops and blocks, and not the other
    users of their buffers. The other nests then need no verification.
    """

    takes_root: ClassVar[bool] = False
    """True if a named block may be the root, the whole function."""

    @abstractmethod
    def check(self, site: Site) -> Any:
        """Return the plan of the rewrite. Raises a :class:`ScheduleError` if the rewrite is not
        legal.
        """

    @abstractmethod
    def rewrite(self, site: Site, plan: Any) -> Rewritten:
        """Change the IR according to the plan of ``check``."""

    def plan(self, site: Site) -> Any:
        """The result of ``check``, with refusals in the name of this primitive."""
        with site.acting(type(self)):
            return self.check(site)

    def apply(self, site: Site, *, unsafe: bool = False) -> Rewritten:
        """Check, then rewrite.

        With ``unsafe``, the rewrite continues if the check was undecided, but never if the check
        disproved the legality. The reason is recorded in the attribute ``kc.unsafe``.
        """
        with undecided(trusted=False):
            try:
                plan = self.plan(site)
            except ScheduleError as refusal:
                if not (unsafe and self.undecidable and refusal.undecided):
                    raise
                return self._apply_trusting(site)
        return self._rewrite(site, plan)

    def _rewrite(self, site: Site, plan: Any) -> Rewritten:
        """Rewrite, verify the changes, and notify the step watcher."""
        watcher, module = step_watcher(), site.function.parent_op()
        if watcher is not None and isinstance(module, ModuleOp):
            watcher.before(module)
        touched = self._touched(site)
        before = site.loops_and_blocks(touched)
        with site.acting(type(self)), site.changing(touched):
            done = self._complete(self.rewrite(site, plan), before, site)
        for op, fate in self.fates(done).items():
            if isinstance(op, ForOp):
                site.remember(op.label, fate)
        try:
            site.verify()
        except KCError as error:
            raise InternalError(f"{self.name} left IR that does not verify: {error}") from error
        if not site.is_changing:  # otherwise it is a part of another primitive
            for op in dict.fromkeys([*done.loops, *done.blocks]):
                add_call(op, self.name, CALL_SITE.get())
        if watcher is not None and isinstance(module, ModuleOp):
            watcher.after(self.name, module)
        return done

    def _touched(self, site: Site) -> set[Operation] | None:
        """The operations of the function's body that the rewrite may change; None for any
        operation.
        """
        named = self._named(site)
        if not named:
            return None
        if self.stays_within(site):
            return {nest for op in named if (nest := site.nest_of(op)) is not None}
        buffers = {
            buffer
            for option in self._options()
            if isinstance(option, BufferOption)
            for op in named
            if isinstance(op, BlockOp)
            for buffer in option.may_mean(op)
        }
        return site.nests_around(named, buffers)

    def stays_within(self, site: Site) -> bool:
        """True if the rewrite with these options changes only the nests that they name."""
        return self.within_nest

    def _complete(
        self, done: Rewritten, before: Iterable[ForOp | BlockOp], site: Site
    ) -> Rewritten:
        """``done`` with the remaining removed loops and blocks."""
        unreported = {
            op: f"{op.label} was removed by {site.primitive}"
            for op in before
            if op not in done.replaced
            and op not in done.removed
            and not loop_tree.is_inside(op, site.function)
        }
        return replace(done, removed={**done.removed, **unreported}) if unreported else done

    def fates(self, done: Rewritten) -> dict[Operation, str]:
        """The explanation for each loop and block that no longer exists under its name."""
        fates: dict[Operation, str] = {}
        for old, new in done.replaced.items():
            labels = [loop.label for loop in new]
            if labels != [old.label]:
                fates[old] = f"{old.label} {self.verb} {', '.join(labels) or 'nothing'}"
        return {**fates, **done.removed}

    def _apply_trusting(self, site: Site) -> Rewritten:
        with undecided(trusted=True) as reasons:
            plan = self.plan(site)
        named = self._named(site)
        done = self._rewrite(site, plan)
        _note_unsafe([*done.loops, *done.blocks, *named], f"{self.name}: {'; '.join(reasons)}")
        return done

    def _options(self) -> Iterator[Any]:
        """The values of the options; tuples are flattened."""
        for option in fields(self):  # pyright: ignore[reportArgumentType]
            value = getattr(self, option.name)
            yield from value if isinstance(value, tuple) else (value,)

    def _named(self, site: Site) -> list[Operation]:
        """The loops and blocks that the options name."""
        refs = [value for value in self._options() if isinstance(value, LoopRef | BlockRef)]
        blocks = [site.resolve_block(ref) for ref in refs if isinstance(ref, BlockRef)]
        loops: list[ForOp] = []
        for ref in refs:
            if isinstance(ref, LoopRef):
                around = [loop for block in blocks for loop in loop_tree.loops_around(block)]
                named = [loop for loop in around if ref.target in (loop, loop.label)]
                loops += named or [site.resolve_loop(ref)]
        return [*blocks, *loops]

    @classmethod
    def indices(cls, site: Site, options: Mapping[str, Any]) -> int | None:
        """The number of indices of an index map after ``options``; None if the number is unknown.

        A Python function of ``*indices`` is called with this number of indices.
        """
        return None

    @classmethod
    def legal(cls, site: Site) -> Iterator[Self]:
        """All options that ``check`` accepts, as far as they can be listed."""
        for candidate in cls.candidates(site):
            try:
                candidate.plan(site)
            except ScheduleError:
                continue
            yield candidate

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        """The options that are worth a call of ``check``."""
        return iter(())

    @classmethod
    def defaults(cls, site: Site) -> Iterator[Self]:
        """The steps of the bare flag on a function.

        A generator: each step is applied before the next one is requested.
        """
        raise NotImplementedError


def _note_unsafe(ops: Sequence[Operation], reason: str) -> None:
    """Record the trusted assumptions on the first of ``ops`` that still exists."""
    op = next(op for op in ops if op.parent is not None)
    old = op.attributes.get(UNSAFE_ATTRIBUTE)
    text = f"{old.data}; {reason}" if isinstance(old, StringAttr) else reason
    op.attributes[UNSAFE_ATTRIBUTE] = StringAttr(text)


Watcher = Callable[[Primitive, Site, Rewritten], None]
"""A callback for every performed primitive, after the rewrite."""

_WATCHER: ContextVar[Watcher | None] = ContextVar("kc_schedule_watcher", default=None)


@contextlib.contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """A context in which ``watcher`` is called for the primitives that users request, but not for
    primitives that these use.
    """
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def perform(step: Primitive, site: Site, *, unsafe: bool = False) -> Rewritten:
    """Perform a primitive that a user requested, with warnings and watchers. All user interfaces
    call this function.
    """
    from kc.transforms.schedule.threads import _shared_memory as shared_memory
    from kc.transforms.schedule.threads import _vector_alignment as alignment

    is_gpu = "gpu" in site.target.keys
    grows = is_gpu and step.name in shared_memory.PRIMITIVES
    moves = is_gpu and step.name in alignment.PRIMITIVES
    before = shared_memory.shared_sizes(site.function) if grows else {}
    unaligned = (
        [access.op for access in alignment.unaligned_vectors(site.function)] if moves else []
    )
    done = step.apply(site, unsafe=unsafe)
    unmark([site.function])
    if grows:
        shared_memory.warn_of_shared_memory(step.name, site.function, site.target, before)
    if moves:
        alignment.warn_of_alignment(step.name, site.function, unaligned)
    for old, new in done.replaced.items():
        if UNSAFE_ATTRIBUTE in old.attributes and new:
            new[0].attributes.setdefault(UNSAFE_ATTRIBUTE, old.attributes[UNSAFE_ATTRIBUTE])
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(step, site, done)
    return done


def require_serial(site: Site, loop: ForOp) -> None:
    """Refuse a loop that already has a kind of execution (KC3010) or an annotation (KC3011)."""
    if loop.kind.data is not ForKind.SERIAL:
        bound = loop.axis is not None
        raise site.refuse(
            "KC3010",
            f"loop {loop.label} is already {'bound to ' if bound else ''}{loop.kind_text}",
            at=loop,
            why="a loop must be restructured before it gets a kind of execution",
            hints=[f"{site.primitive} first, then {_verb(loop.kind.data)} one of the results"],
        )
    if loop.annotations is not None and loop.annotations.data:
        keys = ", ".join(loop.annotations.data)
        raise site.refuse(
            "KC3011",
            f"loop {loop.label} is annotated ({keys})",
            at=loop,
            why="the annotation refers to this loop and would be lost",
            hints=[f"{site.primitive} first, then annotate one of the results"],
        )


def _verb(kind: ForKind) -> str:
    return {
        ForKind.PARALLEL: "parallel",
        ForKind.VECTORIZED: "vectorize",
        ForKind.UNROLLED: "unroll",
        ForKind.SERIAL: "serial",
        ForKind.THREAD: "bind",
        ForKind.WHILE: "while",
    }[kind]


# Trials ---------------------------------------------------------------------------------------


Result = TypeVar("Result")


def on_copy(site: Site, run: Callable[[Site, Callable[[ForOp], ForOp]], Result]) -> Result:
    """Run ``run(copy, loop)`` with a site on a copy of the function, and the map from loops to the
    loops of the copy.

    Warnings are suppressed; the real rewrite emits them.
    """
    copy = site.function.clone()
    old = [op for op in site.function.walk() if isinstance(op, ForOp)]
    new = [op for op in copy.walk() if isinstance(op, ForOp)]
    for before, after in zip(site.function.walk(), copy.walk(), strict=True):
        after.location = before.location
    twin = dict(zip(old, new, strict=True))
    with diagnostic_handler(lambda _: None):
        return run(Site(copy, site.target, primitive=site.primitive), lambda loop: twin[loop])
