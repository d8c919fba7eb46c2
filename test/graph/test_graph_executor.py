"""The graph executor, stepping over the plan, what relay.build unpacks to, and saved parameters."""

import contextlib
import json
from collections.abc import Iterator

import graph_programs as programs
import numpy as np
import pytest
from graph_programs import parsed

import kc
from kc import relay
from kc.building.graphs.stepping import Steps
from kc.contrib import graph_executor
from kc.graph import Interpreter
from kc.support.diagnostics import CallError, GraphError

RNG = np.random.default_rng(0)


@pytest.fixture
def each_operator_alone() -> Iterator[None]:
    """Each operator is a kernel: nothing is fused."""
    with kc.transform.PassContext(disabled_pass=["FuseOps"]):
        yield


def array(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


X, W, B = array(4, 8), array(16, 8), array(16)
PARAMS = {"w": W, "b": B}


def expected() -> np.ndarray:
    scores = np.maximum(X.astype(float) @ W.T + B, 0)
    return np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)


def test_a_program_of_tvms_tutorial() -> None:
    x = relay.var("x", shape=(4, 8))
    w, b = relay.var("w", shape=(16, 8)), relay.var("b", shape=(16,))
    y = relay.nn.softmax(relay.nn.relu(relay.nn.bias_add(relay.nn.dense(x, w), b)))
    mod = kc.IRModule.from_expr(relay.Function([x, w, b], y))
    lib = relay.build(mod, target="llvm", params=PARAMS)
    module = graph_executor.GraphModule(lib["default"](kc.cpu()))
    module.set_input("x", X)
    module.run()
    np.testing.assert_allclose(module.get_output(0).numpy(), expected(), rtol=1e-5)


def test_inputs_and_outputs() -> None:
    module = graph_executor.GraphModule(kc.graph.build(parsed(programs.NETWORK)))
    assert (module.get_num_inputs(), module.get_num_outputs()) == (3, 1)
    assert module.get_input_index("w") == 1
    assert module.get_input_index("y") == -1
    shapes, dtypes = module.get_input_info()
    assert shapes == {"x": (4, 8), "w": (16, 8), "b": (16,)}
    assert set(dtypes.values()) == {"float32"}
    module.set_input(0, X)
    module.run(**PARAMS)
    np.testing.assert_array_equal(module.get_input("w").numpy(), W)
    out = kc.nd.empty((4, 16))
    assert module.get_output(0, out) is out
    np.testing.assert_allclose(out.numpy(), expected(), rtol=1e-5)
    assert module.benchmark(kc.cpu(), repeat=2, number=2).mean > 0


@pytest.mark.usefixtures("each_operator_alone")
def test_kernel_by_kernel() -> None:
    lib = kc.graph.build(parsed(programs.NETWORK), params=PARAMS)
    module = graph_executor.GraphModule(lib)
    profile = module.profile(x=X)
    assert [step.operators for step in profile.steps] == [
        ("nn.dense",), ("nn.bias_add",), ("nn.relu",), ("nn.softmax",),
    ]  # fmt: skip
    assert "nn_dense: nn.dense" in str(profile)
    np.testing.assert_allclose(module.get_output(0).numpy(), expected(), rtol=1e-5)
    product = module.debug_get_output("nn_dense").numpy()
    np.testing.assert_allclose(product, X.astype(float) @ W.T, rtol=1e-4, atol=1e-5)
    assert len(module.run_individual(number=1)) == 4


@pytest.mark.usefixtures("each_operator_alone")
def test_relay_build_unpacks() -> None:
    text, lib, params = relay.build(parsed(programs.NETWORK), "llvm", params=PARAMS)
    graph = json.loads(text)
    assert [node["op"] for node in graph["nodes"]] == ["null"] * 3 + ["tvm_op"] * 4
    assert graph["heads"] == [[6, 0, 0]]
    # bias_add and relu have the storage of dense.
    storage = graph["attrs"]["storage_id"][1]
    assert len(set(storage[3:6])) == 1
    assert storage[6] not in storage[:6]
    module = graph_executor.create(text, lib, kc.cpu())
    module.set_input(**params)
    module.set_input("x", X)
    module.run()
    np.testing.assert_allclose(module.get_output(0).numpy(), expected(), rtol=1e-5)


STEPPED = {
    "network": (programs.NETWORK, (X, W, B), {}),
    "branch": (programs.TUPLES, (array(2), array(2), np.array(True)), {}),
    "loop": (programs.LOOP, (np.array(1.5, np.float32), np.array(4, np.int32)), {}),
    "deep": (programs.DEEP, (array(5, 16),), {"n": 5}),
}


@pytest.mark.parametrize("name", STEPPED)
def test_poisoned_memory_changes_nothing(name: str) -> None:
    text, inputs, sizes = STEPPED[name]
    f = kc.graph.build(parsed(text))
    result = f(*inputs)
    results = list(result) if isinstance(result, tuple) else [result]
    outputs = [np.full_like(each, 7) for each in results]
    Steps(f).run(inputs, outputs, sizes, poison=True)
    wanted = Interpreter(parsed(text)).callable()(*inputs)
    for output, each, reference in zip(
        outputs, results, wanted if isinstance(wanted, tuple) else [wanted], strict=True
    ):
        np.testing.assert_allclose(output, reference, rtol=1e-5)
        np.testing.assert_allclose(each, reference, rtol=1e-5)


def test_poison_finds_a_wrong_plan() -> None:
    f = kc.graph.build(parsed(programs.DEEP), opt_level=2)  # with values between the kernels
    short = [  # the values die one step too early
        type(it)(it.buffer, it.bytes, it.offset, it.first, it.last - 1)
        for it in f.memory_plan.allocations
    ]
    f.memory_plan = type(f.memory_plan)(tuple(short), f.memory_plan.arena_bytes, 0)
    x = array(5, 16)
    output = np.empty((5, 16), np.float32)
    Steps(f).run([x], [output], {"n": 5}, poison=True)
    assert not np.allclose(output, Interpreter(parsed(programs.DEEP)).run(x))


BAD = [
    (lambda m: m.run(x=X), "KC5155", "inputs are not set: w, b"),
    (lambda m: m.set_input("X", X), "KC5154", "the graph has no input 'X'"),
    (lambda m: m.get_input(7), "KC5154", "there is no input 7"),
    (lambda m: m.get_output(0), "KC5155", "get_output: the graph has not run"),
    (lambda m: m.debug_get_output("k"), "KC5154", "no kernel 'k' has run step by step"),
    (
        lambda m: m.run(x=W, w=W, b=B),
        "KC5108",
        "main: argument 1 'x' has size 16 in dimension 0, expected 4",
    ),
    (
        lambda m: graph_executor.GraphModule(3),  # pyright: ignore
        "KC5153",
        "GraphModule: int is not a compiled graph",
    ),
]


@pytest.mark.parametrize(("call", "code", "message"), BAD)
def test_bad_calls(call: object, code: str, message: str) -> None:
    module = graph_executor.GraphModule(kc.graph.build(parsed(programs.NETWORK)))
    with pytest.raises(CallError) as caught:
        call(module)  # pyright: ignore
    assert (caught.value.code, caught.value.message) == (code, message)


def test_a_bound_parameter_keeps_its_elements() -> None:
    module = graph_executor.GraphModule(kc.graph.build(parsed(programs.NETWORK), params=PARAMS))
    module.set_input(w=W)
    module.load_params(relay.save_param_dict({"b": B}))
    with pytest.raises(CallError, match="KC5157.*w was bound by the build"):
        module.set_input(w=2 * W)


def test_branches_have_no_json() -> None:
    with pytest.raises(GraphError, match="KC2452"):
        kc.graph.build(parsed(programs.TUPLES)).get_graph_json()


def test_parameters_as_bytes() -> None:
    params = {
        "w": W,
        "scalar": np.array(3, np.int64),
        "none": np.zeros((0, 4), np.uint8),
        "flags": np.array([True, False]),
    }
    data = kc.runtime.save_param_dict(params)
    loaded = relay.load_param_dict(data)
    assert list(loaded) == list(params)
    for name, value in params.items():
        assert loaded[name].numpy().dtype == value.dtype
        np.testing.assert_array_equal(loaded[name].numpy(), value)


def test_bytes_of_tvm() -> None:
    # Written by hand after the format of TVM 0.9: one array [1.5, -2] named "p0".
    data = bytes.fromhex(
        "b79c04054f8de5f7" "0000000000000000" "0100000000000000" "0200000000000000" "7030"
        "0100000000000000" "3fa1b496f0405edd" "0000000000000000" "01000000" "00000000"
        "01000000" "02" "20" "0100" "0200000000000000" "0800000000000000" "0000c03f" "000000c0"
    )  # fmt: skip
    np.testing.assert_array_equal(relay.load_param_dict(data)["p0"].numpy(), [1.5, -2])
    assert relay.save_param_dict({"p0": np.array([1.5, -2], np.float32)}) == data


def test_damaged_bytes_are_refused() -> None:
    data = relay.save_param_dict({"w": W, "b": B})
    for cut in range(0, len(data), 7):
        with pytest.raises(CallError, match="KC5143"):
            relay.load_param_dict(data[:cut])
    refused = 0
    for place in range(120):
        changed = bytearray(data)
        changed[place] ^= 0x80
        with contextlib.suppress(CallError):
            relay.load_param_dict(changed)
            continue
        refused += 1
    assert refused > 40  # the rest are other names and elements
