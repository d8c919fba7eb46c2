"""Undoing the changes of rules, at a cost that depends on the changes and not on the size of the
program.

A rule marks the state, calls primitives, and goes back to the mark if one of them is refused. An
operation of the function's body, a nest, is copied before a primitive changes it for the first time
since the last mark. Going back restores the copies and leaves unchanged operations alone. Nothing
is copied while there is no mark.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from kc.analysis import loop_tree
from kc.analysis.module_copy import copy_apart
from kc.dialects.tir import BlockOp, ForOp
from kc.support.diagnostics import InternalError, KCError
from kc.transforms.schedule.base import Site
from kc.transforms.trace.handles import Handle
from kc.transforms.trace.session import Session, is_rewrite


@dataclass
class _Copy:
    """A copy of a nest in its earlier state. No other operation refers to the copy."""

    op: Operation
    stand_ins: dict[SSAValue, BlockArgument]
    """For each value from outside the nest, the argument that replaces it in the copy."""
    handles: list[tuple[Handle, int]]
    """The handles on loops and blocks of the nest, with the number of the loop or block in the
    copy.
    """


@dataclass(eq=False)
class Mark:
    """A state to which a rule may return."""

    steps: int
    """The length of the trace at the mark."""
    settled: frozenset[str]
    body: list[Operation] | None = None
    """The operations of the function's body at the mark; None until the first change."""
    members: set[Operation] = field(default_factory=set)
    """The same operations, for fast tests of membership."""
    function: tuple[dict[str, Attribute], dict[str, Attribute], list[Attribute]] = ({}, {}, [])
    """The attributes and properties of the function, and the types of its arguments."""
    copies: dict[Operation, _Copy] = field(default_factory=dict)
    """The changes since this mark, up to the next one."""
    past: list[tuple[str, str | None]] = field(default_factory=list)
    """The names of loops in the order in which their explanations changed, with the earlier
    explanation of each; None for no explanation.
    """


class Undo:
    """The marks of one function of a session, and the changes since each of them."""

    def __init__(self, session: Session, function: func.FuncOp) -> None:
        self._session = session
        self._site: Site = session.site(function)
        self._marks: list[Mark] = []
        self._renamed: dict[Operation, Operation] = {}
        """The restored copies of operations, by the operations that they replaced."""
        self._site.journal = self

    def close(self) -> None:
        """Stop recording changes."""
        self._site.journal = None

    def mark(self, settled: Iterable[str], *, changes: bool = True) -> Mark:
        """Mark the current state. Without ``changes``, the caller makes no changes to undo."""
        mark = Mark(len(self._session.trace), frozenset(settled))
        if changes:
            self._marks.append(mark)
        return mark

    def forget(self) -> None:
        """Forget all marks; the caller returns to none of them."""
        self._marks.clear()
        self._renamed.clear()

    # What a site tells -----------------------------------------------------------------------

    def before_change(self, touched: Iterable[Operation] | None) -> None:
        """Copy the operations of the body that may change, unless they have been copied. None means
        all operations.
        """
        if not self._marks:
            return
        last = self._marks[-1]
        if last.body is None:
            body = list(self._site.function.body.block.ops)
            function = self._site.function
            types = [arg.type for arg in function.args]
            state = dict(function.attributes), dict(function.properties), types
            for mark in self._marks:
                if mark.body is None:
                    mark.body, mark.members, mark.function = list(body), set(body), state
        assert last.body is not None
        for op in last.body if touched is None else touched:
            if op in last.members and op not in last.copies:
                last.copies[op] = self._copy(op)

    def before_saying(self, name: str, before: str | None) -> None:
        """Record the explanation of the loop ``name`` before another explanation replaces it."""
        if self._marks:
            self._marks[-1].past.append((name, before))

    def _copy(self, op: Operation) -> _Copy:
        copy, stand_ins = copy_apart(op)
        handles = [
            (handle, number)
            for number, named in enumerate(_loops_and_blocks(op))
            for handle in self._session.handles_on(named)
        ]
        return _Copy(copy, stand_ins, handles)

    # Going back ------------------------------------------------------------------------------

    def return_to(self, mark: Mark) -> bool:
        """Restore the function, the handles and the trace to the state at ``mark``, which stays
        valid.

        Returns True if the function had changed.
        """
        session = self._session
        if mark in self._marks:
            since = self._marks[self._marks.index(mark) :]
            del self._marks[len(self._marks) - len(since) + 1 :]
        else:
            since = []
            if any(map(is_rewrite, session.trace[mark.steps :])):
                raise InternalError("the function has changed since a mark without changes")
        for step in session.trace[mark.steps :]:
            for output in step.outputs:
                if isinstance(output, Handle):
                    session.forget(output)
        del session.trace[mark.steps :]
        for later in reversed(since):
            for name, before in reversed(later.past):
                self._site.say_again(name, before)
        mark.past.clear()
        if mark.body is None:
            return False
        session.answers.clear()
        # The first copy of an operation after the mark shows its state at the mark.
        copies: dict[Operation, _Copy] = {}
        for later in since:
            for op, copy in later.copies.items():
                if op in mark.members:
                    copies.setdefault(op, copy)
        self._put_back_function(mark)
        self._put_back(mark.body, copies)
        self._rename(mark, {op: copy.op for op, copy in copies.items()})
        mark.body, mark.members, mark.copies = None, set(), {}
        return True

    def _put_back_function(self, mark: Mark) -> None:
        function = self._site.function
        attributes, properties, types = mark.function
        function.attributes, function.properties = dict(attributes), dict(properties)
        for arg, type_ in zip(list(function.args), types, strict=True):
            if arg.type != type_:
                Rewriter.replace_value_with_new_type(arg, type_)

    def _put_back(self, body: list[Operation], copies: dict[Operation, _Copy]) -> None:
        block, site = self._site.function.body.block, self._site
        operations = [copies[op].op if op in copies else op for op in body]
        remaining = set(operations)
        for copy in copies.values():
            for value, stand_in in copy.stand_ins.items():
                stand_in.replace_all_uses_with(self._value(value, copies))
        erased = [op for op in block.ops if op not in remaining]
        for op in erased:
            if op in copies:  # the users of the operation that have not changed
                for old, new in zip(op.results, copies[op].op.results, strict=True):
                    old.replace_all_uses_with(new)
        with site.changing(erased, noted=False):
            for op in reversed(erased):
                op.detach()
                op.erase(safe_erase=False)
            place = block.first_op
            for op in operations:
                if place is not None and op is place:
                    place = place.next_op
                    continue
                if op.parent is not None:
                    op.detach()
                if place is None:
                    block.add_op(op)
                else:
                    block.insert_op_before(op, place)
        if place is not None:
            raise InternalError("an undone step has left operations behind")
        try:
            site.verify()
        except KCError as error:
            raise InternalError(f"the restored operations do not verify: {error}") from error
        for copy in copies.values():
            named = _loops_and_blocks(copy.op) if copy.handles else []
            for handle, number in copy.handles:
                self._session.forget(handle)
                self._session.bind(handle, named[number])

    def _value(self, value: SSAValue, copies: dict[Operation, _Copy]) -> SSAValue:
        """The value that corresponds to a value of a copy when ``copies`` are restored."""
        if isinstance(value, BlockArgument):
            function = self._site.function
            return function.args[value.index] if value.block is function.body.block else value
        assert isinstance(value, OpResult)
        owner = value.op
        while owner not in copies and owner in self._renamed:
            owner = self._renamed[owner]
        new = copies[owner].op if owner in copies else owner
        return new.results[value.index]

    def _rename(self, until: Mark, put_back: dict[Operation, Operation]) -> None:
        """Replace the restored operations by their successors in earlier marks."""
        self._renamed.update(put_back)
        copied: set[Operation] = set()
        for mark in reversed(self._marks[: self._marks.index(until)]):
            copied.update(mark.copies)
            if mark.body is not None:
                mark.body = [put_back.get(op, op) if op not in copied else op for op in mark.body]
                mark.members = set(mark.body)


def _loops_and_blocks(op: Operation) -> list[ForOp | BlockOp]:
    return [inner for inner in loop_tree.preorder(op) if isinstance(inner, ForOp | BlockOp)]
