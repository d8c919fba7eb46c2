# pyright: reportMissingImports=false
"""Modules of torch, and their graphs as data, which tests read where torch is not installed.

``python test/driver/torch_modules.py`` writes ``Inputs/torch_graphs.json`` anew, with torch: for
each module the nodes of its graph as the importer decomposes it, parameters, inputs and results. It
writes the list of ATen's core overloads, too (``kc/frontend/torch/core_overloads.txt``).
:func:`stored` gives objects that have of an ``ExportedProgram`` what the import reads. Where
torch-mlir is installed, too, its text of each module, linalg on tensors, is written to
``Inputs/torch_mlir.mlir``, which :func:`exports` reads.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np

GRAPHS = Path(__file__).parent / "Inputs" / "torch_graphs.json"
EXPORTS = GRAPHS.with_name("torch_mlir.mlir")
SPLIT = "// -----\n"


class Parameter:
    """The properties that are read of a tensor that holds elements."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.nbytes = array.nbytes

    def detach(self) -> Parameter:
        return self

    cpu = contiguous = detach

    def data_ptr(self) -> int:
        return self.array.ctypes.data


class Record(SimpleNamespace):
    """An object with some attributes, that is a key of tables."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__  # pyright: ignore


class Size:
    """A size that is a symbol, or an expression of symbols."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.node = Record(expr=self)
        self.free_symbols = set(re.findall(r"[A-Za-z]\w*", text))

    def __str__(self) -> str:
        return self.text


def array_of(data: Mapping[str, Any]) -> np.ndarray:
    """An array."""
    dtype = ml_dtypes.bfloat16 if data["dtype"] == "bfloat16" else data["dtype"]
    return np.frombuffer(bytes.fromhex(data["data"]), dtype).reshape(data["shape"]).copy()


def stored() -> dict[str, tuple[Any, list[np.ndarray], list[np.ndarray]]]:
    """For each module its program, inputs and results."""
    return {name: _program(data) for name, data in json.loads(GRAPHS.read_text()).items()}


def exports() -> dict[str, str]:
    """The text of torch-mlir for each module that it exports."""
    texts: dict[str, str] = {}
    for part in EXPORTS.read_text().split(SPLIT):
        head, _, text = part.partition("\n")
        texts[head.removeprefix("// ")] = text
    return texts


def _program(data: Mapping[str, Any]) -> tuple[Any, list[np.ndarray], list[np.ndarray]]:
    nodes: dict[str, Any] = {}

    def argument(value: Any) -> Any:
        if isinstance(value, list):
            return [argument(part) for part in value]
        if isinstance(value, dict):
            return nodes[value["node"]] if "node" in value else Size(value["size"])
        return value

    def fake(value: Any) -> Any:
        if isinstance(value, list):
            return [fake(part) for part in value]
        if isinstance(value, dict) and "dtype" in value:
            shape = [argument(size) for size in value["shape"]]
            return Record(dtype=f"torch.{value['dtype']}", shape=shape)
        return argument(value)

    for node in data["nodes"]:
        nodes[node["name"]] = Record(
            op=node["op"],
            name=node["name"],
            target=node["target"],
            args=argument(node["args"]),
            kwargs={key: argument(value) for key, value in node["kwargs"].items()},
            users=node["users"],
            meta={"val": fake(node["val"])},
            graph=None,
        )
    held = data["held"]
    program = Record(
        graph=Record(nodes=list(nodes.values())),
        graph_signature=Record(
            inputs_to_parameters={name: name for name in held},
            inputs_to_buffers={},
            inputs_to_lifted_tensor_constants={},
            buffers_to_mutate={},
            user_inputs_to_mutate={},
        ),
        state_dict={name: Parameter(array_of(value)) for name, value in held.items()},
        constants={},
    )
    program.run_decompositions = lambda *_: program
    inputs, results = ([array_of(value) for value in data[key]] for key in ("inputs", "results"))
    return program, inputs, results


def modules() -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Each module with its inputs. Needs torch."""
    import torch
    import torch.nn.functional as F
    from torch import nn

    torch.manual_seed(0)
    r = torch.randn

    class Of(nn.Module):
        """A function as a module."""

        def __init__(self, function: Any, *parts: Any) -> None:
            super().__init__()
            self.function = function
            self.parts = nn.ModuleList(parts)

        def forward(self, *given: Any) -> Any:
            return self.function(*self.parts, *given)

    def first(module: Any) -> Any:
        return Of(lambda part, *given: part(*given)[0], module)

    class Block(nn.Module):
        """Two convolutions around which the input is led."""

        def __init__(self, channels: int) -> None:
            super().__init__()
            self.a, self.c = (nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in "ac")
            self.b, self.d = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)

        def forward(self, x: Any) -> Any:
            return F.relu(self.d(self.c(F.relu(self.b(self.a(x))))) + x)

    columns = torch.tensor([[0, 4], [1, 2], [2, 3]])
    small = (
        F.silu, F.elu, F.hardswish, F.hardsigmoid, F.softplus, F.mish, F.leaky_relu, F.relu6,
        F.tanh, F.selu, F.hardtanh, F.softsign, F.logsigmoid, F.softshrink, F.gelu,
    )  # fmt: skip
    table: dict[str, Any] = {
        "linear": (nn.Linear(8, 4), r(3, 8)),
        "perceptron": (
            nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.Linear(6, 3), nn.Softmax(-1)),
            r(2, 4),
        ),
        "conv1d": (nn.Conv1d(3, 4, 3, stride=2, padding=1), r(2, 3, 7)),
        "conv2d": (nn.Conv2d(2, 3, 3, padding=2, dilation=2), r(1, 2, 5, 6)),
        "conv3d": (nn.Conv3d(2, 2, 2, stride=2, padding=1), r(1, 2, 3, 4, 3)),
        "conv_grouped": (nn.Conv2d(4, 6, 3, groups=2), r(1, 4, 4, 4)),
        "conv_depthwise": (nn.Conv2d(4, 4, 3, groups=4, padding=1), r(1, 4, 3, 4)),
        "conv_transposed_1d": (
            nn.ConvTranspose1d(3, 2, 3, stride=2, padding=1, output_padding=1),
            r(1, 3, 4),
        ),
        "conv_transposed_2d": (
            nn.ConvTranspose2d(4, 4, 3, stride=2, padding=1, groups=2),
            r(1, 4, 3, 3),
        ),
        "conv_transposed_3d": (nn.ConvTranspose3d(2, 1, 2, stride=2), r(1, 2, 2, 2, 3)),
        "batch_norm": (nn.BatchNorm2d(4), r(2, 4, 2, 3)),
        "layer_norm": (nn.LayerNorm(6), r(2, 3, 6)),
        "group_norm": (nn.GroupNorm(2, 4), r(2, 4, 2, 3)),
        "instance_norm": (nn.InstanceNorm2d(4, affine=True), r(2, 4, 2, 3)),
        "rms_norm": (nn.RMSNorm(6), r(2, 6)),
        "attention": (first(nn.MultiheadAttention(4, 2, batch_first=True)), (r(2, 3, 4),) * 3),
        "attention_causal": (
            Of(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)),
            (r(1, 2, 3, 4), r(1, 2, 3, 4), r(1, 2, 3, 4)),
        ),
        "transformer_layer": (nn.TransformerEncoderLayer(4, 2, 6, batch_first=True), r(1, 3, 4)),
        "lstm": (first(nn.LSTM(3, 4, batch_first=True)), r(2, 3, 3)),
        "gru": (first(nn.GRU(3, 4, batch_first=True)), r(2, 3, 3)),
        "rnn": (first(nn.RNN(3, 4, batch_first=True)), r(2, 3, 3)),
        "embedding": (nn.Embedding(10, 4), torch.tensor([[1, 2], [9, 0]])),
        "embedding_bag": (nn.EmbeddingBag(10, 4, mode="mean"), torch.tensor([[1, 2], [9, 0]])),
        "max_pool": (nn.MaxPool2d(3, 2, 1), r(1, 2, 5, 6)),
        "max_pool_1d": (nn.MaxPool1d(3, 2, 1), r(1, 2, 7)),
        "max_pool_3d": (nn.MaxPool3d(2), r(1, 1, 4, 4, 2)),
        "average_pool": (
            nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False),
            r(1, 2, 5, 6),
        ),
        "adaptive_average_pool": (nn.AdaptiveAvgPool2d((2, 3)), r(1, 2, 5, 7)),
        "adaptive_max_pool": (nn.AdaptiveMaxPool2d((2, 2)), r(1, 2, 5, 6)),
        "reductions": (
            Of(
                lambda x: (
                    x.sum(1),
                    x.mean((0, 2)),
                    x.amax(1, keepdim=True),
                    x.prod(2),
                    x.var(1),
                    x.std(0),
                )
            ),
            r(2, 3, 4),
        ),
        "extremes": (Of(lambda x: (x.argmax(1), *x.max(1), x.min(0)[1], x.argmin())), r(3, 5)),
        "norms": (
            Of(lambda x: (x.norm(dim=1), F.normalize(x, dim=1), torch.logsumexp(x, 1))),
            r(3, 5),
        ),
        "cumulative_sum": (Of(lambda x: x.cumsum(1)), r(3, 5)),
        "sort": (Of(lambda x: x.sort(1, descending=True)), r(3, 5)),
        "topk": (Of(lambda x: x.topk(2, 1)), r(3, 5)),
        "gather": (Of(lambda x, i: x.gather(1, i)), (r(3, 5), columns)),
        "scatter": (Of(lambda x, i, s: x.scatter(1, i, s)), (r(3, 5), columns, r(3, 2))),
        "scatter_add": (
            Of(lambda x, i, s: x.scatter_add(1, i, s)),
            (r(3, 5), columns % 2, r(3, 2)),
        ),
        "index": (
            Of(lambda x, i: (x[i], x[:, i], x[1:, ::2], x[..., -1], x.index_select(0, i))),
            (r(3, 5), torch.tensor([0, 2])),
        ),
        "index_apart": (
            Of(lambda x, i, j: (x[i, j], x[:, i, :, j])),
            (r(3, 4, 2, 4), torch.tensor([0, -1]), torch.tensor([1, 0])),
        ),
        "pad": (Of(lambda x: (F.pad(x, (1, 2, 0, 1), value=3.0), F.pad(x, (-1, 2)))), r(2, 3, 4)),
        "pad_reflected": (nn.ReflectionPad2d(1), r(1, 1, 3, 4)),
        "pad_replicated": (nn.ReplicationPad2d((1, 2, 0, 1)), r(1, 1, 3, 4)),
        "nearest": (nn.Upsample(scale_factor=2), r(1, 2, 2, 3)),
        "bilinear": (nn.Upsample(size=(5, 7), mode="bilinear"), r(1, 1, 3, 4)),
        "bilinear_corners": (
            nn.Upsample(size=(5, 7), mode="bilinear", align_corners=True),
            r(1, 1, 3, 4),
        ),
        "bicubic": (nn.Upsample(size=(5, 6), mode="bicubic"), r(1, 1, 4, 4)),
        "trilinear": (nn.Upsample(scale_factor=2, mode="trilinear"), r(1, 1, 2, 3, 2)),
        "grid_sample": (
            Of(lambda x, g: F.grid_sample(x, g)),
            (r(1, 1, 4, 4), torch.rand(1, 2, 3, 2) * 2 - 1),
        ),
        "pixel_shuffle": (nn.PixelShuffle(2), r(1, 4, 2, 3)),
        "unfold": (nn.Unfold(2), r(1, 2, 3, 3)),
        "activations": (Of(lambda x: tuple(function(x) for function in small)), r(2, 3)),
        "gated": (nn.GLU(), r(2, 6)),
        "int8": (
            Of(lambda x, w: torch.mm(x.to(torch.int32), w.to(torch.int32))),
            (
                torch.randint(-128, 127, (3, 4), dtype=torch.int8),
                torch.randint(-128, 127, (4, 5), dtype=torch.int8),
            ),
        ),
        "integers": (
            Of(
                lambda x, y: (
                    x // y,
                    x % y,
                    torch.fmod(x, y),
                    x > y,
                    torch.where(x > y, x, y),
                    x & y,
                    x / y,
                )
            ),
            (torch.randint(-9, 9, (3, 4)), torch.tensor([3, -2, 5, 7])),
        ),
        "bfloat16": (nn.Linear(8, 4, dtype=torch.bfloat16), r(3, 8).to(torch.bfloat16)),
        "float16": (nn.Linear(8, 4, dtype=torch.float16), r(3, 8).to(torch.float16)),
        "rearranged": (
            Of(
                lambda x, y: (
                    torch.cat([x, y], 1),
                    torch.stack([x, x]),
                    x.split(2, 1)[1],
                    x.repeat(2, 1),
                    x.flip(1),
                    x.roll(1, 1),
                    x.tril(),
                    x.t(),
                )
            ),
            (r(3, 4), r(3, 4)),
        ),
        "masked": (
            Of(lambda x, m: (x.masked_fill(m, -1.0), torch.where(m, x, 0.0))),
            (r(3, 4), r(3, 4) > 0),
        ),
        "bilinear_form": (nn.Bilinear(3, 4, 2), (r(2, 3), r(2, 4))),
        "cross_entropy": (nn.CrossEntropyLoss(), (r(5, 3), torch.tensor([0, 2, 1, 1, 0]))),
        "comparisons": (
            Of(
                lambda x, y: (
                    x < y,
                    x.isnan(),
                    (x > 0) & (y > 0),
                    (x > 0).any(1),
                    (x > -9).all(1),
                    x.sign(),
                    x.round(),
                    torch.clamp(x, -0.5, 0.5),
                    torch.pow(x.abs(), y),
                )
            ),
            (r(5, 3), r(5, 3)),
        ),
        "residual_block": (Block(3), r(1, 3, 4, 4)),
    }
    return {
        name: (module.eval(), given if isinstance(given, tuple) else (given,))
        for name, (module, given) in table.items()
    }


def _dump(value: Any) -> Any:
    """A tensor, an argument or a type as data."""
    import torch

    if isinstance(value, list | tuple):
        return [_dump(part) for part in value]
    if isinstance(value, torch.fx.Node):
        return {"node": value.name}
    if isinstance(value, torch.SymInt):
        return {"size": str(value.node.expr)}
    if isinstance(value, torch.dtype | torch.device | torch.layout | torch.memory_format):
        return str(value)
    return value


def _type(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_type(part) for part in value]
    if not hasattr(value, "dtype"):
        return _dump(value)
    return {"dtype": str(value.dtype).removeprefix("torch."), "shape": _dump(list(value.shape))}


def _elements(tensor: Any) -> dict[str, Any]:
    import torch

    held = tensor.detach().contiguous()
    bits = held.view(torch.int16) if held.dtype == torch.bfloat16 else held
    return {**_type(tensor), "data": bits.numpy().tobytes().hex()}


def graph(module: Any, given: tuple[Any, ...], dynamic_shapes: Any = None) -> dict[str, Any]:
    """The data of a module."""
    import torch

    from kc.frontend.torch.decomposition import decomposed

    program = decomposed(torch.export.export(module, given, dynamic_shapes=dynamic_shapes))
    signature = program.graph_signature
    names = {
        **signature.inputs_to_parameters,
        **signature.inputs_to_buffers,
        **signature.inputs_to_lifted_tensor_constants,
    }
    held = {**program.constants, **program.state_dict}
    results = module(*given)
    return {
        "nodes": [
            {
                "op": node.op,
                "name": node.name,
                "target": str(node.target),
                "args": _dump(node.args),
                "kwargs": {key: _dump(value) for key, value in node.kwargs.items()},
                "users": len(node.users),
                "val": _type(node.meta.get("val")),
            }
            for node in program.graph.nodes
        ],
        "held": {name: _elements(held[target]) for name, target in names.items()},
        "inputs": [_elements(tensor) for tensor in given],
        "results": [
            _elements(tensor)
            for tensor in (results if isinstance(results, list | tuple) else [results])
        ],
    }


def _text(module: Any, given: tuple[Any, ...], dynamic_shapes: Any) -> str | None:
    """The text of torch-mlir; None where it does not export the module."""
    import torch
    from torch_mlir import fx

    from kc.from_torch import with_constant_buffers

    module = with_constant_buffers(module)
    form = "linalg-on-tensors"
    options = {} if dynamic_shapes is None else {"dynamic_shapes": dynamic_shapes}
    try:
        return str(fx.export_and_import(module, *given, output_type=form, **options))
    except Exception:  # whatever torch-mlir raises; ATen's core is less for it to do
        program = torch.export.export(module, given, dynamic_shapes=dynamic_shapes)
    try:
        return str(fx.export_and_import(program.run_decompositions(), output_type=form))
    except Exception as error:
        print(f"torch-mlir: {type(error).__name__}: {str(error).splitlines()[0]}")
        return None


def core_overloads() -> list[str]:
    """The overloads that torch tags core."""
    import torch

    core: set[str] = set()
    for name in torch._C._dispatch_get_all_op_names():
        space, _, operator = name.partition("::")
        packet, _, overload = operator.partition(".")
        if space == "aten":
            function = getattr(getattr(torch.ops.aten, packet), overload or "default")
            if torch.Tag.core in function.tags:
                core.add(str(function))
    return sorted(core)


def main() -> None:
    """Write the data."""
    import torch

    from kc.frontend.torch.operators_table import CORE

    head = f"# The overloads of ATen that torch {torch.__version__.partition('+')[0]} tags core."
    names = "\n".join(core_overloads())
    CORE.write_text(f"{head} Written by test/driver/torch_modules.py.\n{names}\n")
    cases: dict[str, tuple[Any, tuple[Any, ...], Any]] = {
        name: (module, given, None) for name, (module, given) in modules().items()
    }
    batch = {0: torch.export.Dim("batch")}
    table = modules()
    for name in ("linear", "conv2d", "layer_norm"):
        module, given = table[name]
        if name == "conv2d":
            given = (torch.randn(2, 2, 5, 6),)
        cases[f"{name}_of_any_batch"] = (module, given, tuple(batch for _ in given))
    data = {name: graph(*case) for name, case in cases.items()}
    if importlib.util.find_spec("torch_mlir") is not None:
        texts = {name: _text(*case) for name, case in cases.items()}
        written = [f"// {name}\n{text}" for name, text in texts.items() if text is not None]
        EXPORTS.write_text(SPLIT.join(written))
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in data.items()]
    GRAPHS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
