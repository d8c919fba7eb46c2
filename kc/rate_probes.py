"""Measurements of a core's rates per cycle on this machine: ``kc doctor --measure``.

Each probe is a function of a few independent vector operations, compiled by kc for this CPU and run
on one thread. Its rate is in cycles of the core, whose clock is probed too: a chain of additions
takes one cycle each on any core. There are no probes for instructions that the CPU lacks, or for
tile registers that the operating system refuses (:func:`tiles_refused`); their rates stay those of
:mod:`kc.support.rates`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kc.support.target import Target
from kc.support.tile_permission import tile_refusal
from kc.transforms.intrinsics.tile_names import PRODUCTS, ROW_BYTES, ROWS, TILES, group_of

STEPS = 1 << 13
"""The number of rounds of a probe: a run takes some hundred microseconds."""

COUNT = 10
"""The number of independent vectors, which hides the latency of each operation."""

LEAST_LATENCY, MOST_LATENCY = 2, 12
"""The lowest and highest latency of a multiply-add on any core, in cycles."""

PASSES = 3
"""The number of runs of all probes. A temporary load then disturbs only some of the runs."""

_LINE = 128

_MEMORY = 1 << 26
"""The smallest size in bytes of the array for memory bandwidth. It is at least four times the last
cache.
"""


@dataclass(frozen=True)
class Probe:
    """A measured function, its arguments, and its work per call."""

    field: str
    """The measured field of Rates, or ``clock``."""
    key: str
    """The key or the index within a field with several numbers."""
    text: str
    arguments: Sequence[Any]
    amount: float


def measured_rates(target: Target) -> dict[str, Any]:
    """The fields of :class:`kc.support.rates.Rates` that could be measured, in some seconds.

    ``target`` is the CPU that this process runs on.
    """
    import kc

    probes = list(_probes(target))
    functions = [probe.text.replace("@main", f"@probe{n}", 1) for n, probe in enumerate(probes)]
    with kc.transform.PassContext(disabled_pass=["auto-schedule"]):
        module = kc.build(kc.IRModule.parse("\n".join(functions)), target=target)
    best = [float("inf")] * len(probes)
    for _ in range(PASSES):
        for n, probe in enumerate(probes):
            timed = module.time_evaluator(f"probe{n}", number=1, repeat=5, min_repeat_ms=3)
            best[n] = min(best[n], timed(*probe.arguments).min)
    rates: dict[str, list[tuple[str, float]]] = {}
    for probe, seconds in zip(probes, best, strict=True):
        rates.setdefault(probe.field, []).append((probe.key, probe.amount / seconds))
    ((_, clock),) = rates.pop("clock")
    fields: dict[str, Any] = {}
    for name, numbers in rates.items():
        per_cycle = {key: round(rate / clock, 3) for key, rate in numbers}
        if name in ("products", "divisions"):
            fields[name] = per_cycle
        elif name == "bandwidths":
            fields[name] = tuple(per_cycle.values())
        else:
            (fields[name],) = per_cycle.values()
    fields["fma_latency"] = round(1 / fields["fma_latency"], 2)
    return fields


def is_disturbed(fields: Mapping[str, Any]) -> bool:
    """True if another process disturbed the measurement: the clock and a chain of multiply-adds
    then imply a latency that no core has.
    """
    return not LEAST_LATENCY <= fields["fma_latency"] <= MOST_LATENCY


def _aligned(values: Any) -> Any:
    """A copy aligned to a cache line. An unaligned vector may take two loads."""
    import numpy as np

    raw = np.empty(values.nbytes + _LINE, np.uint8)
    start = -raw.ctypes.data % _LINE
    copy = raw[start : start + values.nbytes].view(values.dtype)
    copy[:] = values
    return copy


# Probes ---------------------------------------------------------------------------------------


def _probes(target: Target) -> Iterator[Probe]:
    yield _clock()
    bits = target.vector_bits or 64
    floats = {"f32": 32, "f64": 64}
    if target.has_feature("avx512fp16") or target.has_feature("fullfp16"):
        floats["f16"] = 16
    for element, width in floats.items():
        lanes = max(1, bits // width)
        vector = f"vector<{lanes}x{element}>"
        fused = f"""
            %p = arith.mulf %s, %x fastmath<contract> : {vector}
            %q = arith.addf %p, %x fastmath<contract> : {vector}"""
        yield _of_registers("products", f"fma.{element}", element, lanes, fused, lanes)
        if element == "f32":
            yield _of_registers("fma_latency", "", element, lanes, fused, 1, count=1)
        if element != "f16":
            divided = f"            %q = arith.divf %x, %s : {vector}"
            yield _of_registers("divisions", element, element, lanes, divided, lanes)
    yield from _integer_products(target, bits)
    yield from _tile_products(target)
    yield from _shuffles(bits)
    yield _gather(bits)
    yield from _of_memory(target, bits)


def _clock() -> Probe:
    """A chain of additions and exclusive ors on a 64-bit integer, one cycle each."""
    import numpy as np

    links = "\n".join(
        f"""
          %a{n} = arith.addi %{f"b{n - 1}" if n else "x"}, %y : i64
          %b{n} = arith.xori %a{n}, %z : i64"""
        for n in range(8)
    )
    text = f"""
    func.func @main(%X: memref<3xi64>) {{
      %S = tir.alloc "S" : memref<1xi64>
      %x0 = tir.load %X[0] : memref<3xi64>
      %y = tir.load %X[1] : memref<3xi64>
      %z = tir.load %X[2] : memref<3xi64>
      tir.store %x0, %S[0] : memref<1xi64>
      tir.for %k in {STEPS} {{
          %x = tir.load %S[0] : memref<1xi64>{links}
          tir.store %b7, %S[0] : memref<1xi64>
      }}
      %r = tir.load %S[0] : memref<1xi64>
      tir.store %r, %X[0] : memref<3xi64>
      func.return
    }}"""
    return Probe("clock", "", text, [np.array([1, 3, 5], np.int64)], 16 * STEPS)


def _of_registers(
    field: str,
    key: str,
    element: str,
    lanes: int,
    body: str,
    amount: float,
    *,
    count: int = COUNT,
    before: str = "",
) -> Probe:
    """A probe of the operations ``body`` from vectors %s and %x to %q, on ``count`` vectors;
    ``amount`` is the work of one operation.
    """
    import numpy as np

    memory, vector = f"memref<{count * lanes}x{element}>", f"vector<{lanes}x{element}>"
    argument = f"memref<{lanes}x{element}>"
    dtype = {"f16": "float16", "f32": "float32", "f64": "float64", "i32": "int32"}[element]
    text = f"""
    func.func @main(%X: {argument}, %Y: {memory}) {{
      %S = tir.alloc "S" : {memory}
      %x = tir.load %X[0] : {argument}, {vector}{before}
      tir.for %v in {count} unrolled {{
        %y = tir.load %Y[%v * {lanes}] : {memory}, {vector}
        tir.store %y, %S[%v * {lanes}] : {memory}, {vector}
      }}
      tir.for %k in {STEPS} {{
        tir.for %v in {count} unrolled {{
          %s = tir.load %S[%v * {lanes}] : {memory}, {vector}{body}
          tir.store %q, %S[%v * {lanes}] : {memory}, {vector}
        }}
      }}
      tir.for %v in {count} unrolled {{
        %r = tir.load %S[%v * {lanes}] : {memory}, {vector}
        tir.store %r, %Y[%v * {lanes}] : {memory}, {vector}
      }}
      func.return
    }}"""
    # Sums and quotients stay in range, and no divisor is a power of two.
    x = np.full(lanes, 3 if element == "i32" else 0.7, dtype)
    y = (np.arange(count * lanes) + 1.3).astype(dtype)
    return Probe(field, key, text, [_aligned(x), _aligned(y)], count * STEPS * amount)


_DOT_PRODUCTS = (
    # Name, feature, intrinsic, bits of a register, type of the sums, bits and type of operands.
    ("vpdpbusd", "avx512vnni", "llvm.x86.avx512.vpdpbusd.512", 512, "i32", 8, "i8"),
    ("vpdpbusd", "avxvnni", "llvm.x86.avx512.vpdpbusd.256", 256, "i32", 8, "i8"),
    ("vdpbf16ps", "avx512bf16", "llvm.x86.avx512bf16.dpbf16ps.512", 512, "f32", 16, "bf16"),
    ("sdot", "dotprod", "llvm.aarch64.neon.sdot.v4i32.v16i8", 128, "i32", 8, "i8"),
    ("usdot", "i8mm", "llvm.aarch64.neon.usdot.v4i32.v16i8", 128, "i32", 8, "i8"),
    ("bfdot", "bf16", "llvm.aarch64.neon.bfdot.v4f32.v8bf16", 128, "f32", 16, "bf16"),
)
_WORD_PRODUCTS = (
    ("avx512bw", "llvm.x86.avx512.pmaddw.d.512", 512),
    ("avx2", "llvm.x86.avx2.pmadd.wd", 256),
)


def _integer_products(target: Target, bits: int) -> Iterator[Probe]:
    lanes = bits // 32
    vector = f"vector<{lanes}xi32>"
    multiplied = f"""
            %p = arith.muli %s, %x : {vector}
            %q = arith.addi %p, %x : {vector}"""
    yield _of_registers("products", "mul.i32", "i32", lanes, multiplied, lanes)
    tried: set[str] = set()
    for name, feature, intrinsic, width, sums, narrow, operand in _DOT_PRODUCTS:
        if name in tried or width > bits or not target.has_feature(feature):
            continue
        tried.add(name)
        count = width // 32
        whole, wide = f"vector<{width // narrow}x{operand}>", f"vector<{count}x{sums}>"
        before = f"\n      %a = vector.bitcast %x : {wide} to {whole}"
        types = f"({wide}, {whole}, {whole}) -> {wide}"
        body = f'\n            %q = llvm.call_intrinsic "{intrinsic}"(%s, %a, %a) : {types}'
        amount = width // narrow
        yield _of_registers("products", name, sums, count, body, amount, before=before)
    for feature, intrinsic, width in _WORD_PRODUCTS:
        if width > bits or not target.has_feature(feature):
            continue
        count = width // 32
        whole, wide = f"vector<{2 * count}xi16>", f"vector<{count}xi32>"
        before = f"\n      %a = vector.bitcast %x : {wide} to {whole}"
        body = f"""
            %b = vector.bitcast %s : {wide} to {whole}
            %p = llvm.call_intrinsic "{intrinsic}"(%a, %b) : ({whole}, {whole}) -> {wide}
            %q = arith.addi %p, %x : {wide}"""
        # LLVM combines a product and a sum into one instruction where the machine has it.
        has_both = target.has_feature("avx512vnni") or (
            width == 256 and target.has_feature("avxvnni")
        )
        name = "vpdpwssd" if has_both else "vpmaddwd"
        yield _of_registers("products", name, "i32", count, body, 2 * count, before=before)
        break


def _tile_products(target: Target) -> Iterator[Probe]:
    """Products of two by two tiles. Operands and sums stay in tile registers. The code itself
    requests permission to use them (``permit-tiles``).
    """
    import numpy as np

    # The other three combinations of signs take the same time.
    types = {name: kind for kind, name in (("bf16", "tdpbf16ps"), ("f16", "tdpfp16ps"))}
    for name, kind in {"tdpbusd": "u8i8", **types}.items():
        if not (target.has_feature("amx-tile") and target.has_feature(PRODUCTS[kind][1])):
            continue
        pointers = "".join(
            f"""
      %{low}_first = memref.extract_aligned_pointer_as_index %{low.upper()}
          {{kc.first_element}} : memref<{size}xi8> -> index
      %{low}_address = arith.index_cast %{low}_first : index to i64
      %{low} = llvm.inttoptr %{low}_address : i64 to !llvm.ptr"""
            for low, size in (("p", 64), ("x", ROWS * ROW_BYTES), ("y", ROWS * ROW_BYTES))
        )
        numbers = "".join(
            f"\n      %r{n} = llvm.mlir.constant({n} : i8) : i8" for n in range(TILES)
        )

        def tile(instruction: str, operands: str, types: str) -> str:
            call = f'llvm.call_intrinsic "llvm.x86.{instruction}"({operands})'
            return f"\n      {call} : ({types}) -> ()"

        memory = "i8, !llvm.ptr, i64"
        before = "".join(tile("tilezero", f"%r{n}", "i8") for n in range(4))
        before += "".join(tile("tileloadd64", f"%r{n}, %x, %stride", memory) for n in range(4, 8))
        pairs = [(0, 4, 6), (1, 4, 7), (2, 5, 6), (3, 5, 7)]
        step = "".join(tile(name, f"%r{c}, %r{a}, %r{b}", "i8, i8, i8") for c, a, b in pairs)
        text = f"""
    func.func @main(%P: memref<64xi8>, %X: memref<{ROWS * ROW_BYTES}xi8>,
        %Y: memref<{ROWS * ROW_BYTES}xi8>) {{{pointers}{numbers}
      %stride = arith.constant {ROW_BYTES} : i64{tile("ldtilecfg", "%p", "!llvm.ptr")}{before}
      tir.for %k in {STEPS // 4} {{{step}
      }}{tile("tilestored64", "%r0, %y, %stride", memory)}{tile("tilerelease", "", "")}
      func.return
    }}"""
        shapes = np.zeros(64, np.uint8)
        shapes[0], shapes[48 : 48 + TILES] = 1, ROWS
        shapes[16 : 16 + 2 * TILES].view(np.uint16)[:] = ROW_BYTES
        units = {"u8i8": np.array([1], np.uint8), "bf16": np.array([0x3F80], np.uint16)}
        unit = units.get(kind, np.array([1], np.float16))
        operand = np.repeat(unit, ROWS * ROW_BYTES // unit.itemsize).view(np.int8)
        arrays = [shapes.view(np.int8), operand, np.zeros(ROWS * ROW_BYTES, np.int8)]
        amount = STEPS // 4 * len(pairs) * ROWS * ROWS * ROWS * group_of(kind)
        yield Probe("products", name, text, [*map(_aligned, arrays)], amount)


def tiles_refused(target: Target) -> str | None:
    """The reason why the tile registers of this CPU cannot be measured. None if they can, or if it
    has none. ``target`` is the CPU that this process runs on.
    """
    if "-amx-tile" not in target.mattr:
        return None
    return tile_refusal() or "the operating system, or the virtual machine, has them switched off"


def _shuffles(bits: int) -> Iterator[Probe]:
    """Rotations by three elements. No two steps combine into one."""
    lanes = bits // 32
    if lanes < 4:
        return
    vector = f"vector<{lanes}xi32>"
    mask = [(n + 3) % lanes for n in range(lanes)]
    body = f"""
            %p = vector.shuffle %s, %s {mask} : {vector}, {vector}
            %q = arith.addi %p, %x : {vector}"""
    yield _of_registers("shuffles", "", "i32", lanes, body, 1)


def _gather(bits: int) -> Probe:
    """Loads of L1-resident elements in a permuted order."""
    import numpy as np

    lanes, size, rounds = max(bits // 32, 1), 1024, STEPS // 256
    memory, places = f"memref<{size}xf32>", f"memref<{size}xi32>"
    text = f"""
    func.func @main(%X: {memory}, %P: {places}, %Y: {memory}) {{
      tir.for %k in {rounds} {{
        tir.for %i in {size // lanes} {{
          tir.for %l in {lanes} vectorized {{
            %p = tir.load %P[%i * {lanes} + %l] : {places}
            %j = arith.index_cast %p : i32 to index
            %x = tir.load %X[%j] : {memory}
            tir.store %x, %Y[%i * {lanes} + %l] : {memory}
          }}
        }}
      }}
      func.return
    }}"""
    order = np.random.default_rng(0).permutation(size).astype(np.int32)
    arrays = [*map(_aligned, (np.ones(size, np.float32), order, np.zeros(size, np.float32)))]
    return Probe("gather", "", text, arrays, rounds * size)


def _of_memory(target: Target, bits: int) -> Iterator[Probe]:
    """Loads from arrays that fit each cache level and from memory, and stores to an array in L1."""
    import numpy as np

    lanes = max(bits // 32, 1)
    l1, l2, l3 = target.caches
    sizes = [l1 // 2, l2 // 2, l3 // 2, max(4 * l3, _MEMORY)]
    for n, size in enumerate(sizes):
        step = 8 * lanes
        rows = max(size // 4 // step, 1)
        rounds = max(1, (1 << 21) // (rows * step * 4))
        memory, sums = f"memref<{rows * step}xi32>", f"memref<{step}xi32>"
        vector = f"vector<{lanes}xi32>"
        text = f"""
    func.func @main(%X: {memory}, %Y: {sums}) {{
      %S = tir.alloc "S" : {sums}
      tir.for %v in 8 unrolled {{
        %y = tir.load %Y[%v * {lanes}] : {sums}, {vector}
        tir.store %y, %S[%v * {lanes}] : {sums}, {vector}
      }}
      tir.for %r in {rounds} {{
        tir.for %i in {rows} {{
          tir.for %v in 8 unrolled {{
            %x = tir.load %X[%i * {step} + %v * {lanes}] : {memory}, {vector}
            %s = tir.load %S[%v * {lanes}] : {sums}, {vector}
            %q = arith.addi %s, %x : {vector}
            tir.store %q, %S[%v * {lanes}] : {sums}, {vector}
          }}
        }}
      }}
      tir.for %v in 8 unrolled {{
        %s = tir.load %S[%v * {lanes}] : {sums}, {vector}
        tir.store %s, %Y[%v * {lanes}] : {sums}, {vector}
      }}
      func.return
    }}"""
        arrays = [_aligned(np.ones(rows * step, np.int32)), _aligned(np.zeros(step, np.int32))]
        amount = rounds * rows * step
        yield Probe("bandwidths", str(n), text, arrays, 4 * amount)
        if n == 0:
            yield Probe("loads", "", text, arrays, amount / lanes)
    size = l1 // 8 // lanes * lanes
    memory, vector = f"memref<{size}xi32>", f"vector<{lanes}xi32>"
    text = f"""
    func.func @main(%X: memref<{lanes}xi32>, %Y: {memory}) {{
      %x = tir.load %X[0] : memref<{lanes}xi32>, {vector}
      tir.for %k in {STEPS // 64} {{
        %c = arith.index_cast %k : index to i32
        %d = vector.broadcast %c : i32 to {vector}
        %z = arith.addi %x, %d : {vector}
        tir.for %i in {size // lanes} {{
          tir.store %z, %Y[%i * {lanes}] : {memory}, {vector}
        }}
      }}
      func.return
    }}"""
    arrays = [_aligned(np.ones(lanes, np.int32)), _aligned(np.zeros(size, np.int32))]
    yield Probe("stores", "", text, arrays, STEPS // 64 * (size // lanes))
