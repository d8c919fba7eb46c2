"""The enumeration attributes of the nvvm dialect: their text, their words, copies of them."""

import pickle

import pytest
from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from kc.dialects import nvvm
from kc.dialects.nvvm.enums import BracketAttr, WordAttr

ENUMS = [attr for attr in nvvm.NVVM.attributes if issubclass(attr, WordAttr)]


@pytest.mark.parametrize("enum", ENUMS, ids=lambda enum: enum.name)
def test_words(enum):
    mnemonic = enum.name.removeprefix("nvvm.")
    for word in enum.WORDS:
        attribute = enum(word)
        in_brackets = issubclass(enum, BracketAttr)
        text = f"#nvvm.{mnemonic}<{word}>" if in_brackets else f"#nvvm<{mnemonic} {word}>"
        assert str(attribute) == text
        context = Context()
        context.load_dialect(nvvm.NVVM)
        assert Parser(context, text).parse_attribute() == attribute
        assert pickle.loads(pickle.dumps(attribute)) == attribute
    with pytest.raises(VerifyException, match="no_such_word"):
        enum("no_such_word")


def test_the_docstring_shows_the_text_and_lists_the_words():
    assert nvvm.MemScopeKindAttr.__doc__ == "``#nvvm.mem_scope<cta>``; also cluster, gpu, sys."
    assert nvvm.ShflKindAttr.__doc__ == "``#nvvm<shfl_kind bfly>``; also up, down, idx."


def test_an_enum_is_final():
    with pytest.raises(TypeError):
        type("Derived", (nvvm.MemScopeKindAttr,), {})
