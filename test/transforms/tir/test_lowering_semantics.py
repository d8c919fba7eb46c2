"""Random loop nests around reductions compute the same after every lowering pass.

Nests are made like those of a schedule: loops over the block's variables are split (with a
predicate where the factor does not divide), reordered, fused, and given kinds.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from lowering_support import check_all_stages, outputs, parse
from property_tests import examples


@dataclass
class Nest:
    """Loops, and the bindings of a block's variables over them."""

    loops: list[tuple[str, int]]
    bindings: dict[str, str]
    predicate: list[str] = field(default_factory=list)
    count: int = 0

    def substitute(self, old: str, new: str) -> None:
        def replaced(text: str) -> str:
            return re.sub(rf"%{old}\b", f"({new})", text)

        self.bindings = {name: replaced(text) for name, text in self.bindings.items()}
        self.predicate = [replaced(text) for text in self.predicate]

    def fresh(self) -> str:
        self.count += 1
        return f"x{self.count}"

    def split(self, at: int, factor: int) -> None:
        name, extent = self.loops[at]
        outer, inner = self.fresh(), self.fresh()
        number = f"%{outer} * {factor} + %{inner}"
        self.substitute(name, number)
        if extent % factor:
            self.predicate.append(f"{number} < {extent}")
        self.loops[at : at + 1] = [(outer, math.ceil(extent / factor)), (inner, factor)]

    def fuse(self, at: int) -> None:
        (first, _), (second, size) = self.loops[at : at + 2]
        fused = self.fresh()
        self.substitute(first, f"%{fused} floordiv {size}")
        self.substitute(second, f"%{fused} mod {size}")
        self.loops[at : at + 2] = [
            (fused, math.prod(extent for _, extent in self.loops[at : at + 2]))
        ]

    def users(self, loop: str) -> set[str]:
        """The block variables that depend on a loop."""
        return {name for name, text in self.bindings.items() if re.search(rf"%{loop}\b", text)}


@st.composite
def nests(draw, spatial: dict[str, int], reduce: dict[str, int]):
    nest = Nest([*spatial.items(), *reduce.items()], {n: f"%{n}" for n in (*spatial, *reduce)})
    for _ in range(draw(st.integers(0, 3))):
        nest.split(draw(st.integers(0, len(nest.loops) - 1)), draw(st.integers(1, 5)))
    nest.loops = draw(st.permutations(nest.loops))
    for _ in range(draw(st.integers(0, 2))):
        if len(nest.loops) > 1:
            nest.fuse(draw(st.integers(0, len(nest.loops) - 2)))
    kinds = {}
    for name, _ in nest.loops:
        allowed = ["serial", "unrolled"]
        if not nest.users(name) & set(reduce) and "vectorized" not in kinds.values():
            # Inside a vectorized loop there are neither vectors nor threads.
            allowed += ["parallel", *["vectorized"] * 3]
        kinds[name] = draw(st.sampled_from(allowed))
    return nest, kinds


def nest_text(nest: Nest, kinds: dict[str, str], block: str) -> str:
    """The loops around ``block``, which has {bindings} and {where} to fill in."""
    text = block
    for name, binding in nest.bindings.items():
        text = text.replace(f"<{name}>", binding)
    where = f"where ({', '.join(nest.predicate)})" if nest.predicate else ""
    text = text.replace("<where>", where)
    for name, extent in reversed(nest.loops):
        kind = "" if kinds[name] == "serial" else kinds[name]
        text = f"tir.for %{name} in {extent} {kind} {{\n{text}\n}}"
    return text


SIZES = st.integers(1, 6)
BITS = st.sampled_from([64, 128, 256])

REDUCTION = """
tir.block "C" (spatial %vi in {i} = <i>, spatial %vj in {j} = <j>, reduce %vk in {k} = <k>,
               reduce %vl in {l} = <l>) <where> init {{
  %x = tir.load %bias[%vj] : memref<{j}xf32>
  tir.store %x, %C[%vi, %vj] : memref<{i}x{j}xf32>
}} do {{
  %a = tir.load %A[%vi, %vk * {l} + %vl] : memref<{i}x{kl}xf32>
  %b = tir.load {b} : memref<{kl}x{j}xf32>
  %p = arith.mulf %a, %b : f32
  %n = arith.index_cast {cast} : index to i32
  %f = arith.sitofp %n : i32 to f32
  %t = arith.cmpi slt, {cast}, %vk : index
  %q = arith.select %t, %p, %f : f32
  %c = tir.load %C[%vi, %vj] : memref<{i}x{j}xf32>
  %s = arith.addf %c, %q : f32
  tir.store %s, %C[%vi, %vj] : memref<{i}x{j}xf32>
}}
"""


@given(st.data())
@examples(40)
def test_reductions(data):
    i, j, k, l = (data.draw(SIZES) for _ in "ijkl")  # noqa: E741
    nest, kinds = data.draw(nests({"i": i, "j": j}, {"k": k, "l": l}))
    b = data.draw(
        st.sampled_from(
            [
                f"%B[%vk * {l} + %vl, %vj]",
                f"%B[%vk * {l} + %vl, {j - 1} - %vj]",
                f"%B[(%vk * {l} + %vl + %vj) mod {k * l}, %vj floordiv 2]",
                f"%B[%vk * {l} + %vl, (%vj * 3) mod {j}]",
                f"%B[%vl, (%vi * {j} + %vj) floordiv {i}]",
            ]
        )
    )
    cast = data.draw(st.sampled_from(["%vi", "%vj"]))
    block = REDUCTION.format(i=i, j=j, k=k, l=l, kl=k * l, b=b, cast=cast)
    text = f"""
    func.func @f(%A: memref<{i}x{k * l}xf32>, %B: memref<{k * l}x{j}xf32>,
                 %bias: memref<{j}xf32>, %C: memref<{i}x{j}xf32>) {{
      {nest_text(nest, kinds, block)}
      func.return
    }}"""
    plain = Nest([("i", i), ("j", j), ("k", k), ("l", l)], {name: f"%{name}" for name in "ijkl"})
    reference = text.replace(
        nest_text(nest, kinds, block), nest_text(plain, dict.fromkeys("ijkl", "serial"), block)
    )
    rng = np.random.default_rng(0)
    args = [
        rng.integers(-9, 9, shape).astype(np.float32)
        for shape in ((i, k * l), (k * l, j), (j,), (i, j))
    ]
    expected = outputs(parse(reference), args)
    for got, want in zip(outputs(parse(text), args), expected, strict=True):
        np.testing.assert_array_equal(got, want)
    check_all_stages(text, args, data.draw(BITS))


ELEMENTWISE = """
tir.block "D" (spatial %vi in {i} = <i>, spatial %vj in {j} = <j>) <where> do {{
  %a = tir.load {a} : memref<{size}xi32>
  %m = tir.load %M[%vi, %vj] : memref<{i}x{j}xi1>
  %n = arith.index_cast %vj : index to i32
  %s = arith.addi %a, %n : i32
  %c = arith.cmpi slt, %s, %a : i32
  %o = arith.xori %c, %m : i1
  %z = arith.select %o, %s, %a : i32
  tir.store %o, %M[%vi, %vj] : memref<{i}x{j}xi1>
  tir.if ({guard}) {{
    tir.store %z, %D[%vi, %vj] : memref<{i}x{j}xi32>
  }} else {{
    tir.store %n, %D[%vi, %vj] : memref<{i}x{j}xi32>
  }}
}}
"""


@given(st.data())
@examples(50)
def test_elementwise_blocks(data):
    i, j = data.draw(SIZES), data.draw(st.integers(1, 24))
    nest, kinds = data.draw(nests({"i": i, "j": j}, {}))
    size = i * j
    a = data.draw(
        st.sampled_from(
            [
                f"%A[%vi * {j} + %vj]",
                f"%A[{size - 1} - %vi * {j} - %vj]",
                f"%A[(%vi * {j} + %vj) floordiv 3]",
                f"%A[(%vi * {j} + %vj + 1) mod {size}]",
                f"%A[%vj * {i} + %vi]",
            ]
        )
    )
    guard = data.draw(
        st.sampled_from(
            [
                "%vi < 2",
                "%vj >= 3",
                "%vj < 7, %vi + %vj >= 1",
                "%vi <= %vj",
                "%vj == 2",
                "%vj mod 4 < 2",
                f"%vi * {j} + %vj < {size // 2}",
            ]
        )
    )
    block = ELEMENTWISE.format(i=i, j=j, size=size, a=a, guard=guard)
    text = f"""
    func.func @f(%A: memref<{size}xi32>, %M: memref<{i}x{j}xi1>, %D: memref<{i}x{j}xi32>) {{
      {nest_text(nest, kinds, block)}
      func.return
    }}"""
    rng = np.random.default_rng(0)
    args = [
        rng.integers(-9, 9, size).astype(np.int32),
        rng.integers(0, 2, (i, j)).astype(np.bool_),
        np.zeros((i, j), np.int32),
    ]
    check_all_stages(text, args, data.draw(BITS))
