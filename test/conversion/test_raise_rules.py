"""Each rule of raising states what it requires, or that it requires nothing."""

import inspect

import pytest
from xdsl.pattern_rewriter import RewritePattern

from kc.conversion.raise_to_tir.inlined import InlineBody
from kc.conversion.raise_to_tir.patterns import PATTERNS


@pytest.mark.parametrize("rule", [InlineBody, *PATTERNS], ids=lambda rule: rule.__name__)
def test_a_rule_states_its_precondition(rule: type[RewritePattern]):
    assert "Requires " in (inspect.getdoc(rule) or "")
