"""Devices by Relay's names: the plan copies where a value leaves a device, and values stay."""

from __future__ import annotations

import numpy as np
import pytest

import kc
from kc import relay
from kc.error import GraphError


def test_a_plan_of_devices() -> None:
    x, y = relay.var("x", shape=(4,)), relay.var("y", shape=(4,))
    there = relay.annotation.on_device(relay.exp(x), kc.cuda(0), constrain_result=False)
    here = relay.add(there, relay.log(y))
    mod = relay.transform.PlanDevices()(kc.IRModule.from_expr(relay.Function([x, y], here)))
    text = str(mod)
    assert '{device = "cuda"}' in text
    assert 'src_device = "cuda", dst_device = "cpu"' in text
    assert "on_device" not in text
    a, b = np.ones(4, np.float32), np.full(4, 2, np.float32)
    expected = np.exp(a) + np.log(b)
    np.testing.assert_allclose(kc.graph.Interpreter(mod).run(a, b), expected, rtol=1e-6)


def test_two_devices_for_one_value() -> None:
    x = relay.var("x", shape=(4,))
    copied = relay.op.device_copy(x, kc.cpu(0), kc.cuda(0))
    function = relay.Function([x], relay.add(copied, x))
    with pytest.raises(GraphError, match="KC2485") as refused:
        relay.transform.PlanDevices()(kc.IRModule.from_expr(function))
    assert "a value is on" in str(refused.value)
