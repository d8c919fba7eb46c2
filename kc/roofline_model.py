"""Rooflines: the attainable and the achieved speed of a function on this machine.

The model is that of Williams, Waterman and Patterson (Roofline, Communications of the ACM 52,
2009), with a roof for each level of memory. A call takes at least the time of its arithmetic at the
peak of the cores, and the time to move the bytes of each level of memory at its bandwidth.
Operations and bytes are counted by :mod:`kc.analysis.cost`; kernels of kc measure peaks and
bandwidths.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from kc.analysis.cost import Cost, rate_text, size_text
from kc.support.diagnostics import InputError
from kc.support.target import Target

LEVELS = ("L1", "L2", "L3")
MEMORY = "memory"
_ELEMENT = {"float32": ("f32", 32), "float64": ("f64", 64)}
_LARGEST = 1 << 28
"""The size in bytes of the largest arrays in a bandwidth measurement."""


@dataclass(frozen=True)
class Ceilings:
    """The measured peak rates and bandwidths of this machine."""

    threads: int
    flops: Mapping[str, float]
    """Operations per second by type; a multiply-add counts as two."""
    bandwidths: Mapping[str, float]
    """Bytes read or written per second, by memory level."""
    sizes: Mapping[str, int]
    """The total bytes of each cache level that the threads use."""


@dataclass(frozen=True)
class Roofline:
    """The performance of one function on this machine."""

    name: str
    dtype: str
    cost: Cost
    seconds: float
    """The measured time of a call in seconds."""
    ceilings: Ceilings

    @property
    def rate(self) -> float:
        """The achieved rate in operations per second."""
        return self.cost.operations / self.seconds

    @property
    def moved(self) -> dict[str, int]:
        """The bytes that a call fetches from each level, if earlier calls left the caches
        filled.
        """
        sizes = list(self.ceilings.sizes.items())
        beyond = [*[name for name, _ in sizes[1:]], MEMORY]
        return {
            source: fetched
            for (_, size), source, fetched in zip(sizes, beyond, self.cost.traffic, strict=True)
            if self.cost.footprint > size
        }

    @property
    def bounds(self) -> dict[str, float]:
        """The lower bounds of a call's time in seconds, by resource: arithmetic, and levels of
        memory.
        """
        bandwidths = self.ceilings.bandwidths
        return {
            "arithmetic": self.cost.operations / self.ceilings.flops[self.dtype],
            **{name: size / bandwidths[name] for name, size in self.moved.items()},
        }

    @property
    def bound(self) -> str:
        """The resource with the largest lower bound."""
        return max(self.bounds, key=self.bounds.__getitem__)

    @property
    def fraction(self) -> float:
        """The largest lower bound of the time, divided by the measured time. 1 means optimal on
        this machine.
        """
        return self.bounds[self.bound] / self.seconds

    def lines(self) -> list[str]:
        """The roofline as lines of text."""
        if self.bound == "arithmetic":
            most = rate_text(self.ceilings.flops[self.dtype])
        else:
            most = f"{size_text(round(self.ceilings.bandwidths[self.bound]))}/s"
        moved = "".join(
            f", {size_text(round(size / self.seconds))}/s from {name}"
            for name, size in self.moved.items()
        )
        threads = self.ceilings.threads
        peak = self.cost.peak_memory
        held = [] if peak is None else [f"peak memory {size_text(peak)}: arguments and buffers"]
        return [
            *held,
            f"{rate_text(self.rate)}{moved}",
            f"bound by {self.bound}, {most} with {threads} thread{'s' * (threads != 1)}: "
            f"{self.fraction:.0%} of what this machine does",
        ]


def roofline(module: Any, *arrays: Any, name: str | None = None) -> Roofline:
    """Measure a function of ``module``, an ``IRModule``, with these arguments, and compare the time
    with its roofline.

    The module is built for this machine, with a schedule that kc chooses where it has none.
    """
    from kc.driver import build, lower

    target = Target.host_cpu()
    loops = lower(module, target=target)
    built = build(loops, target=target)
    function = built[name or built.entry_name]
    measured = built.time_evaluator(function.name, number=1, repeat=5, min_repeat_ms=20)(*arrays)
    return beside_roof(loops, function, arrays, measured.min)


def beside_roof(loops: Any, function: Any, arrays: Sequence[Any], seconds: float) -> Roofline:
    """The roofline of a call of ``function``, built from the module ``loops``, that took
    ``seconds``.
    """
    from kc.analysis.cost import estimate
    from kc.analysis.loop_tree import functions
    from kc.conversion.peak_memory import peak_memory

    limits = ceilings()
    (source,) = (op for op in functions(loops.op) if op.sym_name.data == function.name)
    sizes = _sizes(function.signature, arrays)
    cost = estimate(source, list(limits.sizes.values()), sizes)
    peak = peak_memory(loops.op, function.name, Target.host_cpu(), sizes, limits.threads)
    cost = replace(cost, peak_memory=peak)
    dtypes = {str(getattr(array, "dtype", "")) for array in arrays}
    dtype = "float64" if "float64" in dtypes else "float32"
    line = Roofline(function.name, dtype, cost, seconds, limits)
    if line.fraction <= 1:
        return line
    # Something else ran when the ceilings were measured.
    return Roofline(function.name, dtype, cost, seconds, ceilings(again=True))


def _sizes(signature: Any, arrays: Sequence[Any]) -> dict[str, int]:
    """The symbolic sizes of a call."""
    sizes: dict[str, int] = {}
    for spec, array in zip(signature.args, arrays, strict=False):
        for dim, size in zip(spec.shape or (), getattr(array, "shape", ()), strict=False):
            if isinstance(dim, str):
                sizes[dim] = size
        if spec.name in signature.symbols and not spec.shape:
            sizes[spec.name] = int(array)
    return sizes


def ceilings(*, again: bool = False) -> Ceilings:
    """The peaks of this machine with all threads of kc: measured, in about a second.

    The numbers are kept beside the compile cache (``KC_CACHE_DIR``), for this CPU and number of
    threads. ``again`` repeats the measurement, and keeps the larger numbers.
    """
    from kc.runtime.parallel import num_threads

    target, threads = Target.host_cpu(), num_threads()
    rates = _KNOWN.get((target.cpu, threads)) or _kept(target, threads)
    if rates is None or again:
        rates = _larger(_measured(target, threads), rates)
        file = _file(target, threads)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(asdict(rates)), encoding="utf-8")
    _KNOWN[target.cpu, threads] = rates
    return rates


_KNOWN: dict[tuple[str, int], Ceilings] = {}


def _larger(first: Ceilings, second: Ceilings | None) -> Ceilings:
    if second is None:
        return first

    def largest(ours: Mapping[str, float], theirs: Mapping[str, float]) -> dict[str, float]:
        return {name: max(value, theirs.get(name, 0)) for name, value in ours.items()}

    return Ceilings(
        first.threads,
        largest(first.flops, second.flops),
        largest(first.bandwidths, second.bandwidths),
        first.sizes,
    )


def _kept(target: Target, threads: int) -> Ceilings | None:
    """The measurement that an earlier process stored. None if there is none."""
    file = _file(target, threads)
    try:
        return None if file is None else Ceilings(**json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None  # none, or of another version


def _measured(target: Target, threads: int) -> Ceilings:
    sizes = _cache_sizes(target, threads)
    return Ceilings(
        threads,
        {dtype: _peak(dtype, target, threads) for dtype in _ELEMENT},
        {
            **{name: _bandwidth(size // 2, threads) for name, size in sizes.items()},
            MEMORY: _bandwidth(min(4 * max(sizes.values()), _LARGEST), threads),
        },
        sizes,
    )


def _file(target: Target, threads: int) -> Path | None:
    from kc.building.compile_cache import directory

    home = directory()
    return None if home is None else home / "ceilings" / f"{target.cpu}-{threads}.json"


def _cache_sizes(target: Target, threads: int) -> dict[str, int]:
    """The total sizes of the caches: L1 and L2 belong to each core, L3 to all cores."""
    own = zip(LEVELS, target.caches, strict=True)
    return {name: size * (1 if name == "L3" else threads) for name, size in own if size > 0}


def _fastest(text: str, arrays: Sequence[Any]) -> float:
    """The shortest of several measured times of the function in ``text``, in seconds per call."""
    import kc

    module = kc.build(kc.IRModule.parse(text), target=Target.host_cpu())
    return module.time_evaluator("main", number=1, repeat=7, min_repeat_ms=10)(*arrays).min


def _peak(dtype: str, target: Target, threads: int) -> float:
    """The multiply-add rate in registers with all threads, in operations per second."""
    import numpy as np

    element, bits = _ELEMENT[dtype]
    lanes, vectors, steps = max(target.vector_bits // bits, 1), 10, 1 << 15
    count = lanes * vectors
    at = f"%v * {lanes} + %l"
    memory = f"memref<{threads}x{count}x{element}>"
    local = f"memref<{count}x{element}>"

    def for_each_vector(body: str) -> str:
        return (
            f"tir.for %v in {vectors} unrolled {{ tir.for %l in {lanes} vectorized {{ {body} }} }}"
        )

    text = f"""
    func.func @main(%X: {memory}) {{
      %a = arith.constant 0.5 : {element}
      tir.for %t in {threads} parallel {{
        %S = tir.alloc "S" : {local}
        {
        for_each_vector(f'''
          %x = tir.load %X[%t, {at}] : {memory}
          tir.store %x, %S[{at}] : {local}''')
    }
        tir.for %k in {steps} {{
          {
        for_each_vector(f'''
            %s = tir.load %S[{at}] : {local}
            %p = arith.mulf %s, %a fastmath<contract> : {element}
            %q = arith.addf %p, %a fastmath<contract> : {element}
            tir.store %q, %S[{at}] : {local}''')
    }
        }}
        {
        for_each_vector(f'''
          %y = tir.load %S[{at}] : {local}
          tir.store %y, %X[%t, {at}] : {memory}''')
    }
      }}
      func.return
    }}"""
    seconds = _fastest(text, [np.ones((threads, count), dtype)])
    return 2 * threads * count * steps / seconds


def _bandwidth(size: int, threads: int) -> float:
    """The bytes read and written per second on two arrays of ``size`` bytes in total, with all
    threads.
    """
    import numpy as np

    lanes = 16
    rows = max(size // (2 * 4 * threads * lanes), 1)
    repeats = max(1, (1 << 22) // (rows * lanes))
    memory = f"memref<{threads}x{rows * lanes}xf32>"
    at = f"%t, %i * {lanes} + %l"
    text = f"""
    func.func @main(%X: {memory}, %Y: {memory}) {{
      tir.for %t in {threads} parallel {{
        tir.for %r in {repeats} {{
          tir.for %i in {rows} {{
            tir.for %l in {lanes} vectorized {{
              %x = tir.load %X[{at}] : {memory}
              %y = tir.load %Y[{at}] : {memory}
              %s = arith.addf %x, %y : f32
              tir.store %s, %Y[{at}] : {memory}
            }}
          }}
        }}
      }}
      func.return
    }}"""
    arrays = [np.ones((threads, rows * lanes), np.float32) for _ in range(2)]
    return 3 * 4 * threads * rows * lanes * repeats / _fastest(text, arrays)


def plot(measured: Sequence[Roofline], path: str) -> None:
    """Write a picture of functions under their roofs, both axes logarithmic.

    The ending of ``path`` says which kind of picture: ``.svg``, ``.png``, ``.pdf``. Raises
    InputError KC0086 without matplotlib (``pip install 'kc-compiler[plot]'``).
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError(
            "KC0086",
            f"{path} cannot be drawn: matplotlib is not installed",
            hints=["pip install 'kc-compiler[plot]'"],
        ) from error
    limits, dtype = measured[0].ceilings, measured[0].dtype
    peak = limits.flops[dtype]
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    intensities = [2.0**n for n in range(-6, 11)]
    for name, bandwidth in limits.bandwidths.items():
        roof = [min(peak, bandwidth * x) / 1e9 for x in intensities]
        axes.plot(intensities, roof, label=f"{name}, {bandwidth / 1e9:.0f} GB/s")
    for line in measured:
        moved = line.moved.get(line.bound) or sum(line.moved.values()) or line.cost.footprint
        x = line.cost.operations / max(moved, 1)
        axes.plot([x], [line.rate / 1e9], "o", label=f"{line.name}, {line.fraction:.0%}")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("operations for each byte that is moved")
    axes.set_ylabel(f"GFLOP/s ({dtype}, {limits.threads} threads, peak {peak / 1e9:.0f})")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    figure.savefig(path)
