"""Random sequences of passes notice a pass that is wrong, and name it."""

from random import Random
from typing import Any

import pytest
from fuzzing import Outcome
from passes import LINE, PassSequence, after, run
from programs import draw

import kc
from kc.analysis import loop_tree
from kc.dialects.tir import StoreOp
from kc.support.diagnostics import diagnostic_handler
from kc.support.options import PassSpec
from kc.support.registry import pass_class
from kc.support.reproducer import PassFailure

WRONG = "unroll-loop"


def sequence() -> PassSequence:
    """A program with a store, and no passes yet."""
    program: Any = draw(Random("a program with a store"), 1)
    return PassSequence(program, kc.IRModule.parse(str(program.module)))


def test_a_wrong_pass_is_named(monkeypatch):
    """A pass that drops a store, between two that are right."""

    def apply(self, ctx, op):
        del self, ctx
        store = next(it for it in op.walk() if isinstance(it, StoreOp))
        store.detach()
        store.erase()

    passes, outcome = sequence(), Outcome()
    passes.check(True, outcome)
    assert outcome.checks == ["interpreter"]
    with monkeypatch.context() as patched:
        patched.setattr(pass_class(WRONG), "apply", apply)
        for name in ("canonicalize", WRONG, "cse"):
            assert passes.take(PassSpec(name))
    with pytest.raises(AssertionError):
        passes.check(True, outcome)
    assert outcome.stage == f"run after {WRONG}"


def test_a_pass_that_leaves_no_module_is_noticed(monkeypatch):
    """One that takes the end of a function away."""

    def apply(self, ctx, op):
        del self, ctx
        end = loop_tree.functions(op)[0].body.block.last_op
        assert end is not None
        end.detach()
        end.erase()

    passes = sequence()
    monkeypatch.setattr(pass_class(WRONG), "apply", apply)
    with pytest.raises(PassFailure, match=WRONG):
        passes.take(PassSpec(WRONG))


def test_all_stages_are_run():
    """A program goes down to machine code, and its passes are calls that can be repeated."""
    outcome = Outcome(given=[f'mod = after(mod, r"{name}")' for name in ("cse", "lower-to-llvm")])
    with diagnostic_handler(lambda _: None):
        run(Random("a program of tir"), None, True, outcome)
    assert outcome.checks == ["LLVM"]
    assert len(outcome.lines) == 2
    module = outcome.original
    assert isinstance(module, kc.IRModule)
    for line in outcome.lines:
        match = LINE.fullmatch(line)
        assert match is not None
        module = after(module, match[1])
    assert "llvm.func" in str(module)
