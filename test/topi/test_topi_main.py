"""``python -m kc.topi`` and the pages of the documentation."""

import pytest

from kc.topi.__main__ import explained, main
from kc.topi.table import TABLE
from kc.topi.write_docs import pages


def test_list(capsys: pytest.CaptureFixture[str]):
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(TABLE)
    assert [line.split() for line in lines if line.startswith("add ")] == [
        ["add", "broadcast", "numbers"]
    ]


def test_explains_by_the_last_part_of_a_name(capsys: pytest.CaptureFixture[str]):
    assert main(["conv2d"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("topi.nn.conv2d(input: Tensor, filter: Tensor, strides: Any,")
    assert "ONNX: Conv" in text
    assert 'te.compute "conv2d_nchw"' in text


def test_unknown(capsys: pytest.CaptureFixture[str]):
    assert main(["conv2e"]) == 1
    assert capsys.readouterr().err.startswith("error: there is no operator 'conv2e'\n  try: ")


def test_every_operator_has_a_page_and_an_explanation():
    text = "".join(pages().values())
    for name in TABLE:
        assert f"## `topi.{name}(" in text
    assert "te.func @main" in explained("nn.batch_norm")
