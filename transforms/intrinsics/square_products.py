"""Products of two rows by two columns on AArch64: ``C[2 i + j] += A[i, k] * B[j, k]``.

``smmla``, ``ummla``, ``usmmla`` and ``bfmmla`` take two rows of 64 bits of each operand, and add to
a square of sums in a register: twice as many products as a dot product of the same registers. The
squares stay in registers over a reduction. At the end, ``rows_of_squares_i32_2x4`` converts two
adjacent squares to rows.

The text of an intrinsic is an attribute of this module with the name of the intrinsic.
"""

from __future__ import annotations

from collections.abc import Iterator

from kc.transforms.intrinsics.square_product_names import (
    ROWS_OF_SQUARES,
    SIZE,
    SQUARE_PRODUCTS,
    SquareProduct,
)


def __getattr__(name: str) -> str:
    product, element = SQUARE_PRODUCTS.get(name), ROWS_OF_SQUARES.get(name)
    if product is not None:
        return "\n".join(_product(name, product))
    if element is not None:
        return _rows(name, element)
    raise AttributeError(f"module {__name__!r} has no tensor intrinsic {name!r}")


def _product(name: str, product: SquareProduct) -> Iterator[str]:
    step, element, total = product.step, product.element, product.sums
    operand, c = f"memref<{SIZE}x{step}x{element}", f"memref<{SIZE * SIZE}x{total}"
    rows, sums = f"{operand}, strided<[?, 1], offset: ?>>", f"{c}, strided<[1], offset: ?>>"
    kind = "f" if total == "f32" else "i"
    zero = "0.000000e+00" if kind == "f" else "0"
    x, y = product.extensions
    yield f"""\
// C[2 i + j] += A[i, k] * B[j, k]
module @{name} attributes {{kc.features = ["{product.feature}"]}} {{
  func.func @description(%A: {operand}>, %B: {operand}>, %C: {c}>) {{
    tir.for %i in {SIZE} {{
      tir.for %j in {SIZE} {{
        tir.for %k in {step} {{
          tir.block "C" (spatial %v_i in {SIZE} = %i, spatial %v_j in {SIZE} = %j,
                         reduce %v_k in {step} = %k) init {{
            %zero = arith.constant {zero} : {total}
            tir.store %zero, %C[%v_i * {SIZE} + %v_j] : {c}>
          }} do {{
            %c = tir.load %C[%v_i * {SIZE} + %v_j] : {c}>
            %a = tir.load %A[%v_i, %v_k] : {operand}>
            %b = tir.load %B[%v_j, %v_k] : {operand}>
            %x = {x} %a : {element} to {total}
            %y = {y} %b : {element} to {total}
            %p = arith.mul{kind} %x, %y : {total}
            %s = arith.add{kind} %c, %p : {total}
            tir.store %s, %C[%v_i * {SIZE} + %v_j] : {c}>
          }}
        }}
      }}
    }}
    func.return
  }}"""
    vector, row = f"vector<{SIZE * SIZE}x{total}>", f"vector<{step}x{element}>"
    whole, lanes = f"vector<{SIZE * step}x{element}>", list(range(SIZE * step))
    for role in ("implementation", "update"):
        yield f"  func.func @{role}(%A: {rows}, %B: {rows}, %C: {sums}) {{"
        for source in ("A", "B"):
            low = source.lower()
            for n in range(SIZE):
                yield f"    %{low}{n} = tir.load %{source}[{n}, 0] : {rows}, {row}"
            yield f"    %{low}_all = vector.shuffle %{low}0, %{low}1 {lanes} : {row}, {row}"
        if role == "update":
            yield f"    %c = tir.load %C[0] : {sums}, {vector}"
        else:
            yield f"    %c = arith.constant dense<{zero}> : {vector}"
        types = f"({vector}, {whole}, {whole}) -> {vector}"
        yield f'    %s = llvm.call_intrinsic "{product.call}"(%c, %a_all, %b_all) : {types}'
        yield f"    tir.store %s, %C[0] : {sums}, {vector}"
        yield "    func.return\n  }"
    anywhere = f"{operand}, strided<[?, ?], offset: ?>>"
    yield f"  func.func @init(%A: {anywhere}, %B: {anywhere}, %C: {sums}) {{"
    yield f"    %zero = arith.constant dense<{zero}> : {vector}"
    yield f"    tir.store %zero, %C[0] : {sums}, {vector}"
    yield "    func.return\n  }\n}\n"


def _rows(name: str, element: str) -> str:
    memref, vector = f"memref<2x4x{element}", f"vector<4x{element}>"
    part = f"{memref}, strided<[?, 1], offset: ?>>"
    return f"""\
// B[i, j] = A[j / 2, 2 i + j % 2]
module @{name} {{
  func.func @description(%A: {memref}>, %B: {memref}>) {{
    tir.for %i in 2 {{
      tir.for %j in 4 {{
        tir.block "B" (spatial %v_i in 2 = %i, spatial %v_j in 4 = %j) do {{
          %a = tir.load %A[%v_j floordiv 2, %v_i * 2 + %v_j mod 2] : {memref}>
          tir.store %a, %B[%v_i, %v_j] : {memref}>
        }}
      }}
    }}
    func.return
  }}
  func.func @implementation(%A: {part}, %B: {part}) {{
    %a0 = tir.load %A[0, 0] : {part}, {vector}
    %a1 = tir.load %A[1, 0] : {part}, {vector}
    %b0 = vector.shuffle %a0, %a1 [0, 1, 4, 5] : {vector}, {vector}
    %b1 = vector.shuffle %a0, %a1 [2, 3, 6, 7] : {vector}, {vector}
    tir.store %b0, %B[0, 0] : {part}, {vector}
    tir.store %b1, %B[1, 0] : {part}, {vector}
    func.return
  }}
}}
"""
