"""Blocks of models as one function, in the groups of Relay's rules, and in groups joined by cost.

    python -m benchmarks.graph_fusion [--rounds=N] [NAME ...]

Each block is optimised as kc.graph.build does it, and then becomes kernels in three ways: the
whole as one function, as importers of tensor expressions make it; the groups of FuseOps at level 2;
those at level 4. The three are called in turns in one process, with outputs that are allocated
once. The table has the medians in microseconds, the numbers of kernels, and two ratios: more than 1
means that the groups by cost are faster. The goal is that no ratio is less than 0.97. Results are
compared with each other. KC_NUM_THREADS sets the threads, KC_CACHE_DIR keeps the kernels.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr

import kc
from kc import relay
from kc.analysis.module_copy import copy_module
from kc.building.graphs.compiled_graph import LEFT_OUT, bind_parameters
from kc.building.graphs.graph_optimize import ORDER
from kc.dialects.graph.functions import CallOp, FuncOp
from kc.dialects.graph.values import ConstantOp
from kc.instrument import run_passes
from kc.support import registry
from kc.support.target import Target
from kc.transform import PassContext
from kc.transforms.graph._dataflow import fields_read_whole, is_scalar_constant
from kc.transforms.graph._groups import group_of

ROUNDS = 40
SHORTEST = 0.002
"""Seconds of the calls of a round: a shorter call is repeated."""

Graph = tuple[Any, dict[str, np.ndarray], dict[str, np.ndarray]]
"""A module, its parameters, and its inputs."""

MODELS: dict[str, Callable[[], Graph]] = {}


def model(name: str) -> Callable[[Callable[[], Graph]], Callable[[], Graph]]:
    """Enter a function that makes a graph. A decorator."""

    def enter(function: Callable[[], Graph]) -> Callable[[], Graph]:
        MODELS[name] = function
        return function

    return enter


class Writer:
    """The parameters and inputs of a graph, drawn as its expression is written."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(0)
        self.params: dict[str, np.ndarray] = {}
        self.inputs: dict[str, np.ndarray] = {}
        self.variables: list[Any] = []

    def _variable(self, array: np.ndarray, name: str) -> Any:
        variable = relay.var(name, shape=array.shape, dtype=str(array.dtype))
        self.variables.append(variable)
        return variable

    def input(self, *shape: int) -> Any:
        """An input of normal numbers."""
        name = f"x{len(self.inputs)}"
        self.inputs[name] = self.random.standard_normal(shape).astype("float32")
        return self._variable(self.inputs[name], name)

    def weight(self, *shape: int, scale: float | None = None) -> Any:
        """A parameter whose products have about the magnitude of what is multiplied."""
        factor = scale if scale is not None else 1 / np.sqrt(np.prod(shape[1:]))
        array = self.random.standard_normal(shape) * factor
        return self._parameter(array.astype("float32"))

    def positive(self, *shape: int) -> Any:
        """A parameter between 0.5 and 1.5."""
        return self._parameter(self.random.uniform(0.5, 1.5, shape).astype("float32"))

    def _parameter(self, array: np.ndarray) -> Any:
        name = f"p{len(self.params)}"
        self.params[name] = array
        return self._variable(array, name)

    def graph(self, result: Any) -> Graph:
        """The module of an expression."""
        module = kc.IRModule.from_expr(relay.Function(self.variables, result))
        return module, self.params, self.inputs


def linear(w: Writer, x: Any, outputs: int, inputs: int) -> Any:
    """A product with weights, and a bias."""
    product = relay.nn.dense(x, w.weight(outputs, inputs))
    return relay.nn.bias_add(product, w.weight(outputs, scale=0.1))


def heads_of(x: Any, length: int, heads: int, size: int) -> Any:
    """Rows as heads of rows."""
    return relay.transpose(relay.reshape(x, (length, heads, size)), (1, 0, 2))


def attention(w: Writer, q: Any, k: Any, v: Any, size: int, mask: Any = None) -> Any:
    """Attention of heads (H, L, E), by its operators."""
    scores = relay.nn.batch_matmul(q, k) * relay.const(np.float32(size**-0.5))
    if mask is not None:
        scores = scores + mask
    return relay.nn.batch_matmul(relay.nn.softmax(scores), v, transpose_b=False)


@model("bert layer")
def bert_layer(length: int = 128, width: int = 768, heads: int = 12) -> Graph:
    """An encoder layer of BERT-base."""
    w, size = Writer(), width // heads
    x = w.input(length, width)
    q, k, v = (heads_of(linear(w, x, width, width), length, heads, size) for _ in range(3))
    context = attention(w, q, k, v, size)
    joined = relay.reshape(relay.transpose(context, (1, 0, 2)), (length, width))
    first = relay.nn.layer_norm(
        linear(w, joined, width, width) + x, w.positive(width), w.weight(width, scale=0.1)
    )
    hidden = linear(w, first, 4 * width, width)
    gelu = hidden * (
        relay.erf(hidden * relay.const(np.float32(0.5**0.5))) + relay.const(np.float32(1))
    )
    gelu = gelu * relay.const(np.float32(0.5))
    second = linear(w, gelu, width, 4 * width) + first
    return w.graph(relay.nn.layer_norm(second, w.positive(width), w.weight(width, scale=0.1)))


def convolved(
    w: Writer, x: Any, inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1
) -> Any:
    """A convolution and a norm."""
    weight = w.weight(outputs, inputs // groups, kernel, kernel)
    product = relay.nn.conv2d(
        x, weight, strides=(stride, stride), padding=(kernel // 2, kernel // 2), groups=groups
    )
    norm = relay.nn.batch_norm(
        product,
        w.positive(outputs),
        w.weight(outputs, scale=0.1),
        w.weight(outputs, scale=0.1),
        w.positive(outputs),
    )
    return norm[0]


def residual(inputs: int, outputs: int, size: int, stride: int = 1) -> Graph:
    """A basic block of a ResNet."""
    w = Writer()
    x = w.input(1, inputs, size, size)
    first = relay.nn.relu(convolved(w, x, inputs, outputs, 3, stride))
    second = convolved(w, first, outputs, outputs, 3)
    short = x if stride == 1 else convolved(w, x, inputs, outputs, 1, stride)
    return w.graph(relay.nn.relu(second + short))


def inverted(inputs: int, outputs: int, size: int, stride: int = 1, factor: int = 6) -> Graph:
    """A block of MobileNetV2."""
    w = Writer()
    x = w.input(1, inputs, size, size)
    wide = inputs * factor
    first = relay.clip(convolved(w, x, inputs, wide, 1), 0.0, 6.0)
    second = relay.clip(convolved(w, first, wide, wide, 3, stride, wide), 0.0, 6.0)
    third = convolved(w, second, wide, outputs, 1)
    return w.graph(third + x if stride == 1 and inputs == outputs else third)


model("resnet-18 64, 56x56")(lambda: residual(64, 64, 56))
model("resnet-18 64 to 128, 56x56")(lambda: residual(64, 128, 56, 2))
model("resnet-18 256, 14x14")(lambda: residual(256, 256, 14))
model("resnet-18 512, 7x7")(lambda: residual(512, 512, 7))
model("mobilenet v2 24, 56x56")(lambda: inverted(24, 24, 56))
model("mobilenet v2 24 to 32, 56x56")(lambda: inverted(24, 32, 56, 2))
model("mobilenet v2 64, 14x14")(lambda: inverted(64, 64, 14))
model("mobilenet v2 160, 7x7")(lambda: inverted(160, 160, 7))


@model("resnet head")
def head() -> Graph:
    """The end of a ResNet: a pooling over all positions, a product, softmax."""
    w = Writer()
    x = w.input(1, 512, 7, 7)
    pooled = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(x))
    return w.graph(relay.nn.softmax(linear(w, pooled, 1000, 512)))


@model("lstm cell")
def lstm_cell(batch: int = 1, width: int = 256) -> Graph:
    """A cell of an LSTM, by its operators."""
    w = Writer()
    x, h, c = w.input(batch, width), w.input(batch, width), w.input(batch, width)
    gates = linear(w, x, 4 * width, width) + linear(w, h, 4 * width, width)
    i, f, g, o = relay.split(gates, 4, axis=1)
    cell = relay.sigmoid(f) * c + relay.sigmoid(i) * relay.tanh(g)
    return w.graph(relay.Tuple([relay.sigmoid(o) * relay.tanh(cell), cell]))


@model("llama layer")
def llama_layer(length: int = 64, width: int = 512, heads: int = 8, hidden: int = 1376) -> Graph:
    """A decoder layer as Llama has it."""
    w, size = Writer(), width // heads
    x, cos, sin, mask = (
        w.input(length, width),
        w.input(length, size),
        w.input(length, size),
        w.input(length, length),
    )

    def norm(y: Any) -> Any:
        mean = relay.mean(y * y, axis=-1, keepdims=True)
        return y * relay.rsqrt(mean + relay.const(np.float32(1e-5))) * w.positive(width)

    def turned(y: Any) -> Any:
        left, right = relay.split(y, 2, axis=-1)
        return y * cos + relay.concatenate([relay.negative(right), left], axis=-1) * sin

    def product(y: Any, outputs: int, inputs: int) -> Any:
        return relay.nn.dense(y, w.weight(outputs, inputs))

    y = norm(x)
    q, k, v = (heads_of(product(y, width, width), length, heads, size) for _ in range(3))
    context = attention(w, turned(q), turned(k), v, size, mask)
    joined = relay.reshape(relay.transpose(context, (1, 0, 2)), (length, width))
    first = x + product(joined, width, width)
    z = norm(first)
    gate, up = product(z, hidden, width), product(z, hidden, width)
    return w.graph(first + product(gate * relay.sigmoid(gate) * up, width, hidden))


for _length in (128, 512):

    @model(f"attention 12 heads, {_length}")
    def attention_alone(length: int = _length, heads: int = 12, size: int = 64) -> Graph:
        """Attention by its operators."""
        w = Writer()
        q, k, v = (w.input(heads, length, size) for _ in range(3))
        return w.graph(attention(w, q, k, v, size))


@model("squeeze and excite 64, 112x112")
def squeeze_and_excite() -> Graph:
    """Channels are weighted by their means."""
    w = Writer()
    x = w.input(1, 64, 112, 112)
    return w.graph(x * relay.sigmoid(relay.mean(x, axis=[2, 3], keepdims=True)))


@model("layer norm 2048x768")
def layer_norm() -> Graph:
    """A norm of rows, by its operators after SimplifyInference."""
    w = Writer()
    x = w.input(2048, 768) + w.input(2048, 768)
    return w.graph(relay.nn.layer_norm(x, w.positive(768), w.weight(768, scale=0.1)))


# Three ways to kernels -------------------------------------------------------------------------


def optimised(graph: Graph) -> ModuleOp:
    """The graph with its parameters after the passes of level 4, before FuseOps."""
    module = copy_module(graph[0].op)
    bind_parameters(module, graph[1])
    with PassContext(opt_level=4, disabled_pass=[*LEFT_OUT, "FuseOps"]):
        run_passes(module, [registry.pass_class("graph-optimize")()])
    return module


def as_one_function(module: ModuleOp) -> ModuleOp:
    """A copy whose @main calls one group with all operators."""
    copied = copy_module(module)
    (main,) = [op for op in copied.body.ops if isinstance(op, FuncOp)]
    block = main.body.block
    members = [
        op
        for op in list(block.ops)
        if op is not block.last_op and (not isinstance(op, ConstantOp) or is_scalar_constant(op))
    ]
    root = main.return_op.value.owner
    group, arguments, _ = group_of(root, members, list(fields_read_whole(block)))  # pyright: ignore
    group.sym_name = StringAttr("whole")
    copied.body.block.add_op(group)
    call = CallOp("whole", arguments, main.return_op.value.type)
    block.insert_op_before(call, main.return_op)
    main.return_op.value.replace_all_uses_with(call.result)
    for op in reversed(members):
        op.detach()
        op.erase()
    return copied


def fused(module: ModuleOp, level: int) -> ModuleOp:
    """A copy with the groups of FuseOps at a level."""
    copied = copy_module(module)
    with Target.host_cpu():
        registry.pass_class("fuse-ops")(fuse_opt_level=level).apply(registry.context(), copied)
    return copied


def built(module: ModuleOp) -> Any:
    """The compiled graph of groups that are made."""
    done = [flag for flag in ORDER if flag in registry.current().passes]
    with PassContext(disabled_pass=done):
        return kc.graph.build(kc.IRModule(module))


def medians(functions: Sequence[Any], inputs: Sequence[np.ndarray], rounds: int) -> list[float]:
    """The medians of the seconds of a call of each function, called in turns.

    Raises AssertionError if their results differ.
    """
    results = [_arrays(function(*inputs)) for function in functions]
    for again in results[1:]:
        for ours, theirs in zip(results[0], again, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=2e-3)
    outputs = [np.empty_like(array) for array in results[0]]
    seconds: list[list[float]] = [[] for _ in functions]
    repeats: list[int] = []
    for function in functions:
        begin = time.perf_counter()
        function(*inputs, *outputs)
        repeats.append(max(1, int(SHORTEST / (time.perf_counter() - begin))))
    order = np.random.default_rng(0)
    for _ in range(rounds):
        for which in order.permutation(
            len(functions)
        ):  # a call finds the caches as another left them
            function = functions[which]
            begin = time.perf_counter()
            for _ in range(repeats[which]):
                function(*inputs, *outputs)
            seconds[which].append((time.perf_counter() - begin) / repeats[which])
    return [statistics.median(each) for each in seconds]


def _arrays(result: Any) -> list[np.ndarray]:
    parts = result if isinstance(result, list | tuple) else [result]
    return [np.array(part.numpy() if hasattr(part, "numpy") else part) for part in parts]


def row(name: str, rounds: int = ROUNDS) -> str:
    """The line of the table of a block."""
    graph = MODELS[name]()
    module = optimised(graph)
    ways = [built(as_one_function(module)), built(fused(module, 2)), built(fused(module, 4))]
    whole, rules, cost = medians(ways, list(graph[2].values()), rounds)
    counts = "/".join(str(len(way.kernels)) for way in ways)
    times = "".join(f"{1e6 * seconds:>11.1f}" for seconds in (whole, rules, cost))
    return f"{name:<32}{counts:>9}{times}{whole / cost:>12.2f}{rules / cost:>12.2f}"


def main() -> None:
    """Print the table, for the blocks whose names contain a word that is given."""
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    rounds = [int(word.partition("=")[2]) for word in sys.argv[1:] if word.startswith("--rounds=")]
    print(f"{'block':<32}{'kernels':>9}{'whole':>11}{'level 2':>11}{'by cost':>11}"
          f"{'whole/cost':>12}{'rules/cost':>12}")  # fmt: skip
    for name in MODELS:
        if not words or any(word in name for word in words):
            print(row(name, *rounds), flush=True)


if __name__ == "__main__":
    main()
