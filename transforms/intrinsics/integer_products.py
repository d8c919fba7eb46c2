"""Products of narrow integers on x86: ``C[i] += A[k] * B[i, k]`` with sums of 32 bits.

``vpdpbusd`` multiplies unsigned by signed bytes; if the bytes of A are the signed ones, its
operands are exchanged. ``vpdpbssd`` and ``vpdpbuud`` of AVX-VNNI-INT8 and AVX10.2 take operands of
the same sign. ``vpmaddwd`` multiplies 16-bit integers, to which bytes of either sign can be
extended, and adds two products exactly; cores without VNNI have this instruction. ``vpdpwssd`` also
adds the products to the sums.

The text of an intrinsic is an attribute of this module with the name of the intrinsic. As in
``x86_64.mlir``, the rows of B are loaded as one register if they are adjacent in memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from kc.transforms.intrinsics.integer_product_names import IntegerProduct, integer_products

_EXTENSIONS = {"u8": "arith.extui", "i8": "arith.extsi", "i16": "arith.extsi"}


def __getattr__(name: str) -> str:
    product = integer_products().get(name)
    if product is None:
        raise AttributeError(f"module {__name__!r} has no tensor intrinsic {name!r}")
    return "\n".join(_text(name, product))


def _text(name: str, product: IntegerProduct) -> Iterator[str]:
    lanes, step, element = product.lanes, product.step, product.element
    a, b, c = (
        f"memref<{size}"
        for size in (f"{step}x{element}", f"{lanes}x{step}x{element}", f"{lanes}xi32")
    )
    row, rows = f"{a}, strided<[1], offset: ?>>", f"{b}, strided<[?, 1], offset: ?>>"
    sums, sum_type = f"{c}, strided<[1], offset: ?>>", f"vector<{lanes}xi32>"
    anywhere = f"%A: {a}, strided<[?], offset: ?>>, %B: {b}, strided<[?, ?], offset: ?>>"
    yield f"""\
// C[i] += A[k] * B[i, k], {product.rows} by {product.columns}
module @{name} attributes {{kc.features = ["{product.feature}"]}} {{
  func.func @description(%A: {a}>, %B: {b}>, %C: {c}>) {{
    tir.for %i in {lanes} {{
      tir.for %k in {step} {{
        tir.block "C" (spatial %v_i in {lanes} = %i, reduce %v_k in {step} = %k) init {{
          %zero = arith.constant 0 : i32
          tir.store %zero, %C[%v_i] : {c}>
        }} do {{
          %c = tir.load %C[%v_i] : {c}>
          %a = tir.load %A[%v_k] : {a}>
          %b = tir.load %B[%v_i, %v_k] : {b}>
          %x = {_EXTENSIONS[product.rows]} %a : {element} to i32
          %y = {_EXTENSIONS[product.columns]} %b : {element} to i32
          %p = arith.muli %x, %y : i32
          %s = arith.addi %c, %p : i32
          tir.store %s, %C[%v_i] : {c}>
        }}
      }}
    }}
    func.return
  }}"""
    for role in ("implementation", "update"):
        yield f"  func.func @{role}(%A: {row}, %B: {rows}, %C: {sums}) {{"
        if role == "update":
            yield f"    %c = tir.load %C[0] : {sums}, {sum_type}"
        else:
            yield f"    %c = arith.constant dense<0> : {sum_type}"
        yield f"    %a = tir.load %A[0] : {row}, vector<{step}x{element}>"
        last = yield from _joined_rows(product, rows)
        yield from (_multiply_widened if product.is_widened else _multiply)(product, last)
        yield f"    tir.store %s, %C[0] : {sums}, {sum_type}"
        yield "    func.return\n  }"
    yield f"  func.func @init({anywhere}, %C: {sums}) {{"
    yield f"    %zero = arith.constant dense<0> : {sum_type}"
    yield f"    tir.store %zero, %C[0] : {sums}, {sum_type}"
    yield "    func.return\n  }\n}\n"


def _joined_rows(product: IntegerProduct, rows: str) -> Iterator[str]:
    """Emit loads of the rows of B and their concatenation. Return the name of the resulting
    value.
    """
    size, values = product.step, [f"%b{n}" for n in range(product.lanes)]
    element = product.element
    for n, value in enumerate(values):
        yield f"    {value} = tir.load %B[{n}, 0] : {rows}, vector<{size}x{element}>"
    while len(values) > 1:
        joined = []
        for first, second in zip(values[::2], values[1::2], strict=True):
            value, type_ = f"{first}_{size}", f"vector<{size}x{element}>"
            lanes = list(range(2 * size))
            yield f"    {value} = vector.shuffle {first}, {second} {lanes} : {type_}, {type_}"
            joined.append(value)
        values, size = joined, 2 * size
    return values[0]


def _multiply(product: IntegerProduct, columns: str) -> Iterator[str]:
    size, element = product.step, product.element
    sums, whole = f"vector<{product.lanes}xi32>", f"vector<{size * product.lanes}x{element}>"
    yield f"    %a_i32 = vector.bitcast %a : vector<{size}x{element}> to vector<1xi32>"
    yield "    %a_word = vector.extract %a_i32[0] : i32 from vector<1xi32>"
    yield f"    %a_words = vector.broadcast %a_word : i32 to {sums}"
    yield f"    %a_all = vector.bitcast %a_words : {sums} to {whole}"
    is_turned = (product.rows, product.columns) == ("i8", "u8")
    factors = f"{columns}, %a_all" if is_turned else f"%a_all, {columns}"
    yield from _call(product, factors, whole)


def _multiply_widened(product: IntegerProduct, columns: str) -> Iterator[str]:
    count = 2 * product.lanes
    words = f"vector<{count}xi16>"
    # The pair of bytes is broadcast before the bytes are widened: one load does both.
    pairs = f"vector<{product.lanes}xi16>"
    yield "    %a_i16 = vector.bitcast %a : vector<2xi8> to vector<1xi16>"
    yield "    %a_pair = vector.extract %a_i16[0] : i16 from vector<1xi16>"
    yield f"    %a_pairs = vector.broadcast %a_pair : i16 to {pairs}"
    yield f"    %a_bytes = vector.bitcast %a_pairs : {pairs} to vector<{count}xi8>"
    extension = _EXTENSIONS[product.rows]
    yield f"    %a_all = {extension} %a_bytes : vector<{count}xi8> to {words}"
    extension = _EXTENSIONS[product.columns]
    yield f"    %b_all = {extension} {columns} : vector<{count}xi8> to {words}"
    yield from _call(product, "%a_all, %b_all", words)


def _call(product: IntegerProduct, factors: str, type_: str) -> Iterator[str]:
    """Set ``%s`` to the sums ``%c`` plus the products of two vectors."""
    sums = f"vector<{product.lanes}xi32>"
    call = f'llvm.call_intrinsic "{product.call}"'
    if product.adds:
        yield f"    %s = {call}(%c, {factors}) : ({sums}, {type_}, {type_}) -> {sums}"
        return
    yield f"    %p = {call}({factors}) : ({type_}, {type_}) -> {sums}"
    yield f"    %s = arith.addi %c, %p : {sums}"
