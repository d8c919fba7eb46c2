"""Pictures of graphs: what a page and a DOT file show."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import kc
from kc import relay
from kc.error import InputError


@pytest.fixture(scope="module")
def model() -> kc.IRModule:
    x, w = relay.var("x", shape=(4, 8)), relay.var("w", shape=(16, 8))
    y = relay.nn.softmax(relay.nn.relu(relay.nn.dense(x, w)))
    return kc.IRModule.from_expr(relay.Function([x, w], relay.exp(y) + relay.tanh(y)))


def test_a_page_shows_before_and_after(model: kc.IRModule, tmp_path: Path):
    fused = relay.transform.FuseOps()(model)
    path = tmp_path / "model.html"
    kernel = "fused_nn_dense_nn_relu"
    text = kc.graph.viz(model, path, after=fused, times={kernel: 2e-6})
    assert path.read_text() == text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    pictures = [ET.fromstring(each) for each in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]
    boxes = [len(each.findall("{*}rect")) for each in pictures]
    # Two arguments, six operators and the result; two groups instead of the operators.
    assert boxes == [2 + 6 + 1, 2 + 2 + 1]
    words = [[each.text for each in picture.findall("{*}text")] for picture in pictures]
    assert "2 us" in words[1]
    # 4 x 16 products of 8 terms, a product and a sum each, and a maximum for each element.
    assert f"{4 * 16 * (2 * 8 + 1) / 1000:.4g} kFLOP" in words[1]
    assert "reads 640 B, writes 256 B" in words[0]  # (4 * 8 + 16 * 8) * 4 bytes, 4 * 16 * 4


def test_boxes_do_not_overlap(model: kc.IRModule):
    picture = ET.fromstring(re.findall(r"<svg.*?</svg>", kc.graph.viz(model), re.DOTALL)[0])
    boxes = [
        [float(each.get(key, "")) for key in ("x", "y", "width", "height")]
        for each in picture.findall("{*}rect")
    ]
    for n, (x, y, width, height) in enumerate(boxes):
        for x2, y2, width2, height2 in boxes[:n]:
            apart = x + width <= x2 or x2 + width2 <= x or y + height <= y2 or y2 + height2 <= y
            assert apart


def test_dot(model: kc.IRModule, tmp_path: Path):
    text = kc.graph.viz(model, tmp_path / "model.dot")
    assert text.startswith("digraph ")
    assert text.count(" -> ") == 9  # x, w; dense; relu; softmax twice; exp; tanh; the sum
    assert text.count("{") == text.count("}")


def test_mistakes(model: kc.IRModule):
    with pytest.raises(InputError, match="KC0086"):
        kc.graph.viz(model, "model.png")
    with pytest.raises(InputError, match="KC2410"):
        kc.graph.viz(model, function="predict")
