"""Models of torch as kc's native functions: the build, the memory, the values and the time.

    python -m benchmarks.torch_models [MODEL...]

Each model is written here in plain torch, has random weights, and runs in a process of its own. For
each, a line of JSON: seconds of the import, of which torch's ``run_decompositions`` takes a part,
and of the build, processor time of both with that of the build's processes, operators and distinct
kernels, memory beyond torch's at its peak in MB, the largest difference from torch's results over
their largest magnitude, and the shortest times of a call in ms, kc and torch by turns.
The compile cache is off, unless KC_CACHE_DIR is set. ``--threads`` is that of both.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any


def _models() -> dict[str, Callable[[], tuple[Any, tuple[Any, ...]]]]:
    """Each model with its inputs, made when it is asked for."""
    torch: Any = import_module("torch")
    nn: Any = torch.nn
    F: Any = nn.functional

    class EncoderLayer(nn.Module):
        """A layer of BERT: attention, then two products, each added and normalized."""

        def __init__(self, width: int, heads: int, hidden: int, *, norm_first: bool) -> None:
            super().__init__()
            self.heads, self.norm_first = heads, norm_first
            self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
            self.grow, self.shrink = nn.Linear(width, hidden), nn.Linear(hidden, width)
            self.norms = nn.ModuleList(nn.LayerNorm(width, eps=1e-6) for _ in range(2))

        def attend(self, x: Any) -> Any:
            n, length, width = x.shape
            shape = (n, length, self.heads, width // self.heads)
            q, k, v = (
                part(x).view(shape).transpose(1, 2) for part in (self.query, self.key, self.value)
            )
            y = F.scaled_dot_product_attention(q, k, v)
            return self.out(y.transpose(1, 2).reshape(n, length, width))

        def feed(self, x: Any) -> Any:
            return self.shrink(F.gelu(self.grow(x)))

        def forward(self, x: Any) -> Any:
            first, second = self.norms
            if self.norm_first:
                x = x + self.attend(first(x))
                return x + self.feed(second(x))
            x = first(x + self.attend(x))
            return second(x + self.feed(x))

    class Bert(nn.Module):
        """BERT-base: 12 layers of 768 with 12 heads, and embeddings of 30,522 words."""

        def __init__(self) -> None:
            super().__init__()
            self.words, self.places = nn.Embedding(30522, 768), nn.Embedding(512, 768)
            self.norm = nn.LayerNorm(768)
            self.layers = nn.ModuleList(
                EncoderLayer(768, 12, 3072, norm_first=False) for _ in range(12)
            )

        def forward(self, words: Any) -> Any:
            x = self.norm(self.words(words) + self.places.weight[: words.shape[1]])
            for layer in self.layers:
                x = layer(x)
            return x

    class VisionTransformer(nn.Module):
        """ViT-B/16: 12 layers of 768 on 196 patches and a token for the class."""

        def __init__(self) -> None:
            super().__init__()
            self.patches = nn.Conv2d(3, 768, 16, 16)
            self.token = nn.Parameter(torch.randn(1, 1, 768))
            self.places = nn.Parameter(torch.randn(1, 197, 768) * 0.02)
            self.layers = nn.ModuleList(
                EncoderLayer(768, 12, 3072, norm_first=True) for _ in range(12)
            )
            self.norm, self.head = nn.LayerNorm(768, eps=1e-6), nn.Linear(768, 1000)

        def forward(self, image: Any) -> Any:
            x = self.patches(image).flatten(2).transpose(1, 2)
            x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
            for layer in self.layers:
                x = layer(x)
            return self.head(self.norm(x)[:, 0])

    def unit(inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1) -> Any:
        """A convolution and a norm of batches."""
        return nn.Sequential(
            nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
            nn.BatchNorm2d(outputs),
        )

    class Bottleneck(nn.Module):
        """A block of ResNet-50."""

        def __init__(self, inputs: int, width: int, stride: int) -> None:
            super().__init__()
            self.units = nn.ModuleList(
                [unit(inputs, width, 1), unit(width, width, 3, stride), unit(width, 4 * width, 1)]
            )
            self.beside = unit(inputs, 4 * width, 1, stride) if stride > 1 or inputs == 64 else None

        def forward(self, x: Any) -> Any:
            a, b, c = self.units
            beside = x if self.beside is None else self.beside(x)
            return F.relu(c(F.relu(b(F.relu(a(x))))) + beside)

    def resnet() -> Any:
        parts: list[Any] = [unit(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
        inputs = 64
        for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
            for n in range(count):
                parts.append(Bottleneck(inputs, width, stride if n == 0 else 1))
                inputs = 4 * width
        return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))

    class Inverted(nn.Module):
        """A block of MobileNetV2: wide in the middle, with a depthwise convolution."""

        def __init__(self, inputs: int, outputs: int, stride: int, factor: int) -> None:
            super().__init__()
            wide = inputs * factor
            grow = [unit(inputs, wide, 1), nn.ReLU6()] if factor > 1 else []
            middle = [unit(wide, wide, 3, stride, wide), nn.ReLU6(), unit(wide, outputs, 1)]
            self.units = nn.Sequential(*grow, *middle)
            self.is_added = stride == 1 and inputs == outputs

        def forward(self, x: Any) -> Any:
            return x + self.units(x) if self.is_added else self.units(x)

    def mobilenet() -> Any:
        parts: list[Any] = [unit(3, 32, 3, 2), nn.ReLU6()]
        inputs = 32
        for factor, outputs, count, stride in (
            (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
            (6, 160, 3, 2), (6, 320, 1, 1),
        ):  # fmt: skip
            for n in range(count):
                parts.append(Inverted(inputs, outputs, stride if n == 0 else 1, factor))
                inputs = outputs
        parts += [unit(320, 1280, 1), nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
        return nn.Sequential(*parts, nn.Linear(1280, 1000))

    class Decoder(nn.Module):
        """A layer of Llama's kind: rotary positions, shared heads of keys, a cache of 256 rows."""

        def __init__(self, width: int = 1024, heads: int = 16, groups: int = 4) -> None:
            super().__init__()
            self.heads, self.groups, self.size = heads, groups, width // heads
            shared = groups * self.size
            self.query, self.out = (nn.Linear(width, width, bias=False) for _ in range(2))
            self.key, self.value = (nn.Linear(width, shared, bias=False) for _ in range(2))
            self.gate, self.grow = (nn.Linear(width, 2816, bias=False) for _ in range(2))
            self.shrink = nn.Linear(2816, width, bias=False)
            self.norms = nn.ModuleList(nn.RMSNorm(width, eps=1e-5) for _ in range(2))
            angles = 10000 ** (-torch.arange(0, self.size, 2) / self.size)
            table = torch.arange(256)[:, None] * torch.cat([angles, angles])[None]
            self.register_buffer("cosines", table.cos())
            self.register_buffer("sines", table.sin())

        def turned(self, x: Any, place: Any) -> Any:
            low, high = x.chunk(2, -1)
            return x * self.cosines[place] + torch.cat([-high, low], -1) * self.sines[place]

        def forward(self, x: Any, place: Any, keys: Any, values: Any) -> Any:
            first, second = self.norms
            n, length, width = x.shape
            y = first(x)
            q = self.query(y).view(n, length, self.heads, self.size).transpose(1, 2)
            k, v = (
                part(y).view(n, length, self.groups, self.size).transpose(1, 2)
                for part in (self.key, self.value)
            )
            q, k = self.turned(q, place), self.turned(k, place)
            keys, values = keys.index_copy(2, place, k), values.index_copy(2, place, v)
            mask = torch.arange(256)[None] <= place[:, None]
            y = F.scaled_dot_product_attention(q, keys, values, attn_mask=mask, enable_gqa=True)
            x = x + self.out(y.transpose(1, 2).reshape(n, length, width))
            y = second(x)
            return x + self.shrink(F.silu(self.gate(y)) * self.grow(y)), keys, values

    class Residual(nn.Module):
        """A block of a UNet that removes noise: norms of groups, convolutions, the step's shift."""

        def __init__(self, inputs: int, outputs: int, steps: int = 512) -> None:
            super().__init__()
            self.first, self.second = nn.GroupNorm(32, inputs), nn.GroupNorm(32, outputs)
            self.into = nn.Conv2d(inputs, outputs, 3, padding=1)
            self.out = nn.Conv2d(outputs, outputs, 3, padding=1)
            self.shift, self.beside = nn.Linear(steps, outputs), nn.Conv2d(inputs, outputs, 1)
            self.up = nn.Upsample(scale_factor=2)

        def forward(self, x: Any, step: Any) -> Any:
            y = self.into(F.silu(self.first(x))) + self.shift(F.silu(step))[:, :, None, None]
            y = self.out(F.silu(self.second(y))) + self.beside(x)
            return self.up(y)

    image = (1, 3, 224, 224)
    cache = (1, 4, 256, 64)
    r = torch.randn
    return {
        "bert-base": lambda: (Bert(), (torch.randint(30522, (1, 128)),)),
        "vit-b-16": lambda: (VisionTransformer(), (r(image),)),
        "resnet-50": lambda: (resnet(), (r(image),)),
        "mobilenet-v2": lambda: (mobilenet(), (r(image),)),
        "lstm-32": lambda: (nn.LSTM(128, 256, 2, batch_first=True), (r(1, 32, 128),)),
        "llama-layer": lambda: (
            Decoder(), (r(1, 1, 1024), torch.tensor([100]), r(cache), r(cache)),
        ),
        "unet-block": lambda: (Residual(320, 320), (r(1, 320, 32, 32), r(1, 512))),
    }  # fmt: skip


NAMES = (
    "bert-base", "vit-b-16", "resnet-50", "mobilenet-v2", "lstm-32", "llama-layer", "unet-block",
)  # fmt: skip


def _randomize_norms(module: Any) -> None:
    """Give norms of batches moments that are not 0 and 1."""
    torch: Any = import_module("torch")
    for part in module.modules():
        if isinstance(part, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(part.running_mean, -0.1, 0.1)
            torch.nn.init.uniform_(part.running_var, 0.5, 1.5)


def _flat(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in _flat(part)]
    return [value]


PAUSE = 0.02
"""Seconds between turns, in which the threads of the other library stop waiting for work."""


def _milliseconds(calls: list[Callable[[], Any]], seconds: float) -> list[float]:
    """The shortest time of each call; they take turns of three calls."""
    best = [float("inf")] * len(calls)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for n, call in enumerate(calls):
            time.sleep(PAUSE)
            for _ in range(3):
                start = time.perf_counter()
                call()
                best[n] = min(best[n], time.perf_counter() - start)
    return [each * 1e3 for each in best]


def _peak() -> float:
    """The largest resident memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _processor() -> float:
    """Processor time of this process, and of those that it waited for, in s."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measure(name: str, threads: int, seconds: float) -> dict[str, Any]:
    """Build a model, compare it with torch, and time both."""
    import numpy as np

    import kc
    from kc.frontend.torch.decomposition import decomposed

    torch: Any = import_module("torch")
    torch.manual_seed(0)
    torch.set_num_threads(threads)
    module, inputs = _models()[name]()
    module = module.eval()
    _randomize_norms(module)
    with torch.no_grad():
        wanted = [part.numpy() for part in _flat(module(*inputs))]
    program = torch.export.export(module, inputs)
    start = time.perf_counter()
    decomposed(program)
    by_decomposition = time.perf_counter() - start
    before = _peak()
    start, cpu = time.perf_counter(), _processor()
    graph = kc.from_torch(program)
    imported = time.perf_counter()
    function: Any = kc.build(graph)
    built, cpu = time.perf_counter(), _processor() - cpu
    memory = _peak() - before
    arrays = [part.numpy() for part in inputs]
    results = _flat(function(*arrays))
    differences = [
        float(np.abs(np.asarray(result) - want).max() / max(float(np.abs(want).max()), 1e-30))
        for result, want in zip(results, wanted, strict=True)
    ]

    def by_torch() -> Any:
        with torch.no_grad():
            return module(*inputs)

    ours, theirs = _milliseconds([lambda: function(*arrays), by_torch], seconds)
    operators = sum(op.name.startswith("graph.") for op in graph.op.walk())
    return {
        "model": name,
        "import s": round(imported - start, 2),
        "torch's part s": round(by_decomposition, 2),
        "build s": round(built - imported, 2),
        "processor s": round(cpu, 2),
        "operators": operators,
        "kernels": len(function.kernels),
        "memory MB": round(memory),
        "difference": f"{max(differences):.1e}",
        "kc ms": round(ours, 3),
        "torch ms": round(theirs, 3),
    }


def main() -> None:
    """Measure models, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=list(NAMES), metavar="MODEL")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--here", action="store_true", help="in this process")
    options = parser.parse_args()
    if options.here:
        warnings.simplefilter("ignore")
        for name in options.models:
            print(json.dumps(measure(name, options.threads, options.seconds)), flush=True)
        return
    for name in options.models:
        arguments = [f"--threads={options.threads}", f"--seconds={options.seconds}", "--here"]
        command = [sys.executable, "-m", "benchmarks.torch_models", name, *arguments]
        subprocess.run(command, check=False)


if __name__ == "__main__":
    main()
