"""Graphs of torch.export give what torch gave: modules of every kind, as data."""

import sys
from types import ModuleType

import numpy as np
import pytest
from torch_modules import Record, stored

import kc
from kc.analysis.interpreter import run
from kc.frontend.torch.graph_import import import_graph
from kc.support.diagnostics import KCError

GRAPHS = stored()
SLICE = (
    "conv_grouped", "conv_transposed_2d", "group_norm", "attention_causal", "embedding",
    "average_pool", "scatter_add", "bilinear", "int8", "bfloat16", "linear_of_any_batch",
)  # fmt: skip
NAMES = [pytest.param(name, marks=() if name in SLICE else pytest.mark.sweep) for name in GRAPHS]


@pytest.mark.parametrize("name", NAMES)
def test_a_module_gives_what_torch_gave(name: str):
    program, inputs, wanted = GRAPHS[name]
    module = import_graph(program, "main", None)
    results = kc.build(module)(*inputs)
    results = results if isinstance(results, tuple | list) else [results]
    wide = np.float32 if name == "bfloat16" else None
    tolerance = {"float16": 5e-3, "bfloat16": 2e-2}.get(name, 2e-5)
    assert len(results) == len(wanted)
    for result, expected in zip(results, wanted, strict=True):
        assert np.shape(result) == expected.shape
        np.testing.assert_allclose(
            np.asarray(result, wide), np.asarray(expected, wide), rtol=tolerance, atol=tolerance
        )


def test_a_symbolic_batch():
    program, (x,), _ = GRAPHS["linear_of_any_batch"]
    weight, bias = (parameter.array for parameter in program.state_dict.values())
    function = kc.build(import_graph(program, "main", None))
    for batch in (1, 2, 7):
        given = np.resize(x, (batch, x.shape[1]))
        np.testing.assert_allclose(function(given), given @ weight.T + bias, rtol=1e-5, atol=1e-5)


def test_parameters_stand_beside_the_function_and_loops_can_be_scheduled():
    program, (x,), (wanted,) = GRAPHS["linear"]
    schedule = kc.tir.Schedule(import_graph(program, "layer", None))
    assert "memref.global constant @layer_p_weight : memref<4x8xf32>" in str(schedule.mod)
    schedule.parallel(schedule.get_loops("T_bias_add")[0])
    np.testing.assert_allclose(kc.build(schedule)["layer"](x), wanted, rtol=1e-5)
    out = np.zeros_like(wanted)
    run(schedule.mod.op, "layer", [x, out])
    np.testing.assert_allclose(out, wanted, rtol=1e-5)


def test_an_operator_without_a_rule():
    program, *_ = GRAPHS["linear"]
    nodes = [Record(**vars(node)) for node in program.graph.nodes]
    for node in nodes:
        if node.op == "call_function":
            node.target = "aten.fft_rfft.default"
            node.meta = {**node.meta, "stack_trace": '  File "net.py", line 7, in forward\n    fft'}
    changed = Record(**{**vars(program), "graph": Record(nodes=nodes)})
    changed.run_decompositions = lambda *_: changed
    with pytest.raises(KCError) as caught:
        import_graph(changed, "main", None)
    assert str(caught.value) == (
        "error[KC0091]: kc.from_torch: the exported program cannot be imported\n"
        "  why: there is no rule for aten.fft_rfft.default\n"
        '  try: it comes from File "net.py", line 7, in forward'
    )


@pytest.fixture
def exporter(monkeypatch):
    """A stand-in for torch.export, and no torch-mlir."""
    torch_export = ModuleType("torch.export")
    vars(torch_export)["ExportedProgram"] = type("ExportedProgram", (), {})
    monkeypatch.setitem(sys.modules, "torch_mlir", None)
    monkeypatch.setitem(sys.modules, "torch_mlir.fx", None)
    monkeypatch.setitem(sys.modules, "torch.export", torch_export)
    return torch_export


def test_from_torch_exports_the_module(exporter):
    program, (x,), (wanted,) = GRAPHS["linear"]
    calls = []

    def export(module, args, *, dynamic_shapes):
        calls.append((module, args, dynamic_shapes))
        return program

    exporter.export = export
    layer = Record()
    module = kc.from_torch(layer, x, name="layer")
    assert calls == [(layer, (x,), None)]
    np.testing.assert_allclose(kc.build(module)["layer"](x), wanted, rtol=1e-5)


def test_a_module_that_torch_export_refuses(exporter):
    def export(*_, **__):
        raise RuntimeError("data-dependent branch\nand more")

    exporter.export = export
    with pytest.raises(KCError) as caught:
        kc.from_torch(Record())
    message = str(caught.value)
    assert message.startswith("error[KC0091]: kc.from_torch: torch.export does not export Record")
    assert "  why: RuntimeError: data-dependent branch" in message


def test_a_program_that_changes_its_state():
    program, *_ = GRAPHS["linear"]
    signature = Record(**vars(program.graph_signature))
    signature.buffers_to_mutate = {"add": "running_mean"}
    changed = Record(**{**vars(program), "graph_signature": signature})
    changed.run_decompositions = lambda *_: changed
    with pytest.raises(KCError) as caught:
        import_graph(changed, "main", None)
    assert str(caught.value) == (
        "error[KC0091]: kc.from_torch: the exported program cannot be imported\n"
        "  why: it changes its buffers or inputs\n"
        "  try: call eval() before the export"
    )
