"""Metadata of LLVM IR made from attributes of the llvm dialect."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, IntAttr, IntegerAttr, NoneAttr, StringAttr
from xdsl.ir import Attribute

from kc.codegen.llvm_ir.types import Inexpressible, quoted
from kc.dialects.llvm import (
    AccessGroupAttr,
    AliasScopeAttr,
    AliasScopeDomainAttr,
    LoopAnnotationAttr,
)


class Metadata:
    """Numbers metadata nodes in the order in which they are first used."""

    def __init__(self) -> None:
        self._nodes: list[str] = []
        self._shared: dict[str, int] = {}
        self._named: dict[Attribute, str] = {}

    def lines(self) -> list[str]:
        """The metadata node ``!5`` with these operands; equal nodes are shared."""
        return [f"!{number} = {text}" for number, text in enumerate(self._nodes)]

    def node(self, *operands: str) -> str:
        """``!5``: the node with these operands; equal nodes are one."""
        return self.shared(f"!{{{', '.join(operands)}}}")

    def shared(self, text: str) -> str:
        """The node with this text; equal nodes are shared."""
        number = self._shared.get(text)
        if number is None:
            number = self._shared[text] = len(self._nodes)
            self._nodes.append(text)
        return f"!{number}"

    def distinct(self, text: str) -> str:
        """A distinct node with this text."""
        self._nodes.append(f"distinct {text}")
        return f"!{len(self._nodes) - 1}"

    def _distinct(self, *operands: str, itself: bool = False) -> str:
        operands = (f"!{len(self._nodes)}", *operands) if itself else operands
        return self.distinct(f"!{{{', '.join(operands)}}}")

    def branch_weights(self, weights: list[int]) -> str:
        return self.node('!"branch_weights"', *(f"i32 {weight}" for weight in weights))

    def access_groups(self, groups: ArrayAttr) -> str:
        nodes = [self._access_group(group) for group in groups]
        return nodes[0] if len(nodes) == 1 else self.node(*nodes)

    def _access_group(self, group: Attribute) -> str:
        if not isinstance(group, AccessGroupAttr):
            raise Inexpressible("KC4103", f"the access group {group}")
        if group not in self._named:
            self._named[group] = self._distinct()
        return self._named[group]

    def alias_scopes(self, scopes: ArrayAttr) -> str:
        return self.node(*(self._alias_scope(scope) for scope in scopes))

    def _alias_scope(self, scope: Attribute) -> str:
        if not isinstance(scope, AliasScopeAttr):
            raise Inexpressible("KC4103", f"the alias scope {scope}")
        if scope not in self._named:
            domain = self._named.get(scope.domain)
            if domain is None:
                domain = self._named[scope.domain] = self._scope_node(scope.domain)
            self._named[scope] = self._scope_node(scope, domain)
        return self._named[scope]

    def _scope_node(self, scope: AliasScopeAttr | AliasScopeDomainAttr, *domain: str) -> str:
        operands = list(domain)
        if isinstance(scope.description, StringAttr):
            operands.append(_string(scope.description.data))
        if isinstance(scope.id, IntAttr):
            return self._distinct(*operands, itself=True)
        return self.node(_string(scope.id.data), *operands)

    def loop(self, annotation: LoopAnnotationAttr) -> str:
        """A distinct node for each annotated branch, which identifies the loop."""
        facts = [self.node(*fact) for fact in _loop_facts(annotation)]
        if isinstance(annotation.parallel_accesses, ArrayAttr):
            groups = [self._access_group(group) for group in annotation.parallel_accesses]
            facts.append(self.node('!"llvm.loop.parallel_accesses"', *groups))
        return self._distinct(*facts, itself=True)


def _string(text: str) -> str:
    return "!" + quoted(text.encode())


def _flag(attr: Attribute) -> bool | None:
    """A flag that is set or cleared; None if absent."""
    return attr.value.data != 0 if isinstance(attr, IntegerAttr) else None


def _loop_facts(loop: LoopAnnotationAttr) -> list[tuple[str, ...]]:
    """The properties of a loop, as operands of one node each."""
    facts: list[tuple[str, ...]] = []

    def fact(name: str, *values: str) -> None:
        facts.append((_string(f"llvm.{name}"), *values))

    def when(flag: Attribute, name: str, otherwise: str | None = None) -> None:
        if (value := _flag(flag)) is True:
            fact(name)
        elif value is False and otherwise is not None:
            fact(otherwise)

    def boolean(flag: Attribute, name: str, negated: bool = False) -> None:
        if (value := _flag(flag)) is not None:
            fact(name, f"i1 {'true' if value != negated else 'false'}")

    def count(attr: Attribute, name: str) -> None:
        if isinstance(attr, IntegerAttr):
            fact(name, f"i32 {attr.value.data}")

    when(loop.disable_nonforced, "loop.disable_nonforced")
    when(loop.must_progress, "loop.mustprogress")
    if (vectorized := _flag(loop.is_vectorized)) is not None:
        fact("loop.isvectorized", f"i32 {int(vectorized)}")
    if not isinstance(hints := loop.vectorize, NoneAttr):
        boolean(hints.disable, "loop.vectorize.enable", negated=True)
        boolean(hints.predicate_enable, "loop.vectorize.predicate.enable")
        boolean(hints.scalable_enable, "loop.vectorize.scalable.enable")
        count(hints.width, "loop.vectorize.width")
    if not isinstance(hints := loop.interleave, NoneAttr):
        count(hints.count, "loop.interleave.count")
    if not isinstance(hints := loop.unroll, NoneAttr):
        when(hints.disable, "loop.unroll.disable", "loop.unroll.enable")
        count(hints.count, "loop.unroll.count")
        boolean(hints.runtime_disable, "loop.unroll.runtime.disable")
        when(hints.full, "loop.unroll.full")
    if not isinstance(hints := loop.unroll_and_jam, NoneAttr):
        when(hints.disable, "loop.unroll_and_jam.disable", "loop.unroll_and_jam.enable")
        count(hints.count, "loop.unroll_and_jam.count")
    if not isinstance(hints := loop.licm, NoneAttr):
        when(hints.disable, "licm.disable")
        when(hints.versioning_disable, "loop.licm_versioning.disable")
    if not isinstance(hints := loop.distribute, NoneAttr):
        boolean(hints.disable, "loop.distribute.enable", negated=True)
    if not isinstance(hints := loop.pipeline, NoneAttr):
        boolean(hints.disable, "loop.pipeline.disable")
        count(hints.initiationinterval, "loop.pipeline.initiationinterval")
    if not isinstance(hints := loop.peeled, NoneAttr):
        count(hints.count, "loop.peeled.count")
    if not isinstance(hints := loop.unswitch, NoneAttr):
        when(hints.partial_disable, "loop.unswitch.partial.disable")
    return facts
