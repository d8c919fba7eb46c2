"""Ops of vectors of several dimensions compute what numpy does: natively, beside guard pages, and
in the interpreter."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from guarded_arrays import all_guarded
from optional_tools import find

import kc
from kc.analysis.interpreter import run
from kc.analysis.interpreter.errors import ExecutionError

Arrays = list[Any]


def numbers(*shape: int, start: int = 0) -> np.ndarray:
    """Small numbers, all of which are different."""
    return (np.arange(np.prod(shape)) + start).reshape(shape).astype("f4")


def read(name: str, shape: str, value: str = "a", element: str = "f32") -> str:
    """Text that reads all of an argument, which is a vector afterwards."""
    sizes = shape.split("x")
    at = ", ".join(["%c0"] * len(sizes))
    inside = ", ".join(["true"] * len(sizes))
    return (
        f"%{value} = vector.transfer_read {name}[{at}], %pad_{element} {{in_bounds = [{inside}]}} "
        f": memref<{shape}x{element}>, vector<{shape}x{element}>"
    )


def write(value: str, name: str, shape: str, element: str = "f32") -> str:
    """Text that writes all of an argument."""
    sizes = shape.split("x")
    at = ", ".join(["%c0"] * len(sizes))
    inside = ", ".join(["true"] * len(sizes))
    return (
        f"vector.transfer_write {value}, {name}[{at}] {{in_bounds = [{inside}]}} "
        f": vector<{shape}x{element}>, memref<{shape}x{element}>"
    )


def moved(op: str, source: str, target: str) -> str:
    """A program of one op between two arguments."""
    return "\n".join([read("%A", source), f"%r = {op}", write("%r", "%B", target)])


def program(body: str, *types: str) -> str:
    """A function of arguments %A, %B, ..., memrefs or scalars."""
    arguments = [
        f"%{name}: {type_ if type_ in ('index', 'i32') else f'memref<{type_}>'}"
        for name, type_ in zip("ABCDEF", types, strict=False)
    ]
    return (
        f"func.func @main({', '.join(arguments)}) {{\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        "%pad_f32 = arith.constant 9.0 : f32\n%pad_i32 = arith.constant 9 : i32\n"
        f"%pad_i1 = arith.constant true\n{body}\nreturn\n}}\n"
    )


MAPS = {
    "matmul": ("(m, k)", "(k, n)", "(m, n)"),
    "transposed": ("(k, m)", "(n, k)", "(n, m)"),
}


def contract(kind: str, maps: str, lhs: str, rhs: str, out: str, mask: str = "") -> str:
    """A contraction over m, n and k."""
    spaces = ", ".join(f"affine_map<(m, n, k) -> {it}>" for it in MAPS[maps])
    op = (
        f"vector.contract {{indexing_maps = [{spaces}], iterator_types = "
        f'["parallel", "parallel", "reduction"], kind = #vector.kind<{kind}>}} %a, %b, %c '
        f": vector<{lhs}xf32>, vector<{rhs}xf32> into vector<{out}xf32>"
    )
    if mask:
        op = f"vector.mask %m {{ {op} }} : vector<{mask}xi1> -> vector<{out}xf32>"
    return "\n".join(
        [
            read("%A", lhs),
            read("%B", rhs, "b"),
            read("%C", out, "c"),
            f"%m = vector.constant_mask [2, 4, 3] : vector<{mask}xi1>" if mask else "",
            f"%r = {op}",
            write("%r", "%C", out),
        ]
    )


def masked_product(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The sum of products of the first 2 rows, 4 columns and 3 terms."""
    result = c.copy()
    result[:2, :4] += a[:2, :3] @ b[:3, :4]
    return result


A23, B32 = numbers(2, 3), np.zeros((3, 2), "f4")
PLACES = np.array([0, 2, 7, 1, 3, 6, 5, 4], "i4")
MASK = np.array([1, 0, 1, 1, 0, 1, 1, 1], bool)
MASK_TEXT = "%m = arith.constant dense<[true, false, true, true, false, true, true, true]>"
ROW = f"{read('%A', '8')}\n{read('%B', '8', 'at', 'i32')}\n{MASK_TEXT} : vector<8xi1>"


def gathered(a: np.ndarray, at: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Row 1 of ``c`` at some places; elsewhere ``a``."""
    return np.where(MASK, c[1][at], a)


def scattered(a: np.ndarray, at: np.ndarray, c: np.ndarray) -> np.ndarray:
    """``c`` with some of ``a`` in row 1."""
    result = c.copy()
    result[1, at[MASK]] = a[MASK]
    return result


def window(c: np.ndarray, i: int, j: int, shape: tuple[int, int]) -> np.ndarray:
    """A part of ``c`` that may be partly outside, where 9 stands."""
    result = np.full(shape, 9, "f4")
    part = c[i : i + shape[0], j : j + shape[1]]
    result[: part.shape[0], : part.shape[1]] = part
    return result


# Name: body, types, arrays, and what the last array then is.
CASES: dict[str, tuple[str, tuple[str, ...], Arrays, Callable[..., np.ndarray]]] = {
    "transpose": (
        moved(
            "vector.transpose %a, [2, 0, 1] : vector<2x3x4xf32> to vector<4x2x3xf32>",
            "2x3x4",
            "4x2x3",
        ),
        ("2x3x4xf32", "4x2x3xf32"),
        [numbers(2, 3, 4), np.zeros((4, 2, 3), "f4")],
        lambda a, b: a.transpose(2, 0, 1),
    ),
    "shape_cast": (
        moved("vector.shape_cast %a : vector<2x3xf32> to vector<3x2xf32>", "2x3", "3x2"),
        ("2x3xf32", "3x2xf32"),
        [A23, B32],
        lambda a, b: a.reshape(3, 2),
    ),
    "broadcast": (
        moved("vector.broadcast %a : vector<3x1xf32> to vector<2x3x2xf32>", "3x1", "2x3x2"),
        ("3x1xf32", "2x3x2xf32"),
        [numbers(3, 1), np.zeros((2, 3, 2), "f4")],
        lambda a, b: np.broadcast_to(a, (2, 3, 2)),
    ),
    "slices": (
        "\n".join(
            [
                read("%A", "3x4"),
                read("%B", "3x4", "b"),
                "%s = vector.extract_strided_slice %a {offsets = [1, 1], sizes = [2, 2], "
                "strides = [1, 1]} : vector<3x4xf32> to vector<2x2xf32>",
                "%r = vector.insert_strided_slice %s, %b {offsets = [0, 2], strides = [1, 1]} "
                ": vector<2x2xf32> into vector<3x4xf32>",
                write("%r", "%B", "3x4"),
            ]
        ),
        ("3x4xf32", "3x4xf32"),
        [numbers(3, 4), numbers(3, 4, start=20)],
        lambda a, b: np.block([[b[:2, :2], a[1:, 1:3]], [b[2:]]]),
    ),
    "positions": (
        "\n".join(
            [
                read("%A", "2x3"),
                "%row = vector.extract %a[%B] : vector<3xf32> from vector<2x3xf32>",
                "%b = vector.insert %row, %a[%c0] : vector<3xf32> into vector<2x3xf32>",
                "%x = vector.extract %a[%c0, %C] : f32 from vector<2x3xf32>",
                "%d = vector.insert %x, %b[%B, %c0] : f32 into vector<2x3xf32>",
                "%e = vector.extract %a[1] : vector<3xf32> from vector<2x3xf32>",
                "%f = vector.insert %e, %d[1] : vector<3xf32> into vector<2x3xf32>",
                "%g = vector.shuffle %d, %f [3, 1] : vector<2x3xf32>, vector<2x3xf32>",
                write("%g", "%D", "2x3"),
            ]
        ),
        ("2x3xf32", "index", "index", "2x3xf32"),
        [A23, 1, 2, np.zeros((2, 3), "f4")],
        lambda a, i, j, d: np.array([a[1], [a[0, 2], *a[1, 1:]]]),
    ),
    "elements": (
        "\n".join(
            [
                read("%A", "2x3"),
                "%e:6 = vector.to_elements %a : vector<2x3xf32>",
                "%f = vector.from_elements %e#5, %e#4, %e#3, %e#2, %e#1, %e#0 : vector<3x2xf32>",
                "%i = vector.interleave %f, %f : vector<3x2xf32> -> vector<3x4xf32>",
                "%d, %o = vector.deinterleave %i : vector<3x4xf32> -> vector<3x2xf32>",
                "%s = arith.addf %d, %o : vector<3x2xf32>",
                write("%s", "%B", "3x2"),
            ]
        ),
        ("2x3xf32", "3x2xf32"),
        [A23, B32],
        lambda a, b: 2 * a.reshape(-1)[::-1].reshape(3, 2),
    ),
    "masks": (
        "\n".join(
            [
                read("%A", "4x3"),
                read("%D", "4x3", "d"),
                "%m = vector.create_mask %B, %C : vector<4x3xi1>",
                "%k = vector.constant_mask [3, 2] : vector<4x3xi1>",
                "%s = arith.select %m, %a, %d : vector<4x3xi1>, vector<4x3xf32>",
                "%n = arith.negf %a : vector<4x3xf32>",
                "%t = arith.select %k, %s, %n : vector<4x3xi1>, vector<4x3xf32>",
                write("%t", "%D", "4x3"),
            ]
        ),
        ("4x3xf32", "index", "index", "4x3xf32"),
        [numbers(4, 3), 2, 1, numbers(4, 3, start=30)],
        lambda a, i, j, d: np.block(
            [
                [a[:2, :1], d[:2, 1:2], -a[:2, 2:]],
                [d[2:3, :2], -a[2:3, 2:]],
                [-a[3:]],
            ]
        ),
    ),
    "gather": (
        f"{ROW}\n%r = vector.gather %C[%c1, %c0] [%at], %m, %a : memref<2x8xf32>, vector<8xi32>, "
        f"vector<8xi1>, vector<8xf32> into vector<8xf32>\n{write('%r', '%D', '8')}",
        ("8xf32", "8xi32", "2x8xf32", "8xf32"),
        [numbers(8), PLACES, numbers(2, 8, start=50), np.zeros(8, "f4")],
        lambda a, at, c, d: gathered(a, at, c),
    ),
    "scatter": (
        f"{ROW}\nvector.scatter %C[%c1, %c0] [%at], %m, %a : memref<2x8xf32>, vector<8xi32>, "
        "vector<8xi1>, vector<8xf32>",
        ("8xf32", "8xi32", "2x8xf32"),
        [numbers(8), PLACES, numbers(2, 8, start=50)],
        scattered,
    ),
    "expandload": (
        f"{ROW}\n%r = vector.expandload %C[%c1], %m, %a : memref<7xf32>, vector<8xi1>, "
        f"vector<8xf32> into vector<8xf32>\n{write('%r', '%D', '8')}",
        ("8xf32", "8xi32", "7xf32", "8xf32"),
        [numbers(8), PLACES, numbers(7, start=50), np.zeros(8, "f4")],
        lambda a, at, c, d: np.array([51, 1, 52, 53, 4, 54, 55, 56]),
    ),
    "compressstore": (
        f"{ROW}\nvector.compressstore %C[%c1], %m, %a : memref<7xf32>, vector<8xi1>, vector<8xf32>",
        ("8xf32", "8xi32", "7xf32"),
        [numbers(8), PLACES, numbers(7, start=50)],
        lambda a, at, c: np.array([50, 0, 2, 3, 5, 6, 7]),
    ),
    "multi_reduction": (
        "\n".join(
            [
                read("%A", "2x3x4"),
                read("%B", "3", "b"),
                "%r = vector.multi_reduction <add>, %a, %b [0, 2] : vector<2x3x4xf32> "
                "to vector<3xf32>",
                "%x = vector.extract %b[1] : f32 from vector<3xf32>",
                "%y = vector.multi_reduction <maximumf>, %a, %x [0, 1, 2] : vector<2x3x4xf32> "
                "to f32",
                "%s = vector.insert %y, %r[0] : f32 into vector<3xf32>",
                write("%s", "%B", "3"),
            ]
        ),
        ("2x3x4xf32", "3xf32"),
        [numbers(2, 3, 4), numbers(3)],
        lambda a, b: np.array([23, *(a.sum((0, 2)) + b)[1:]]),
    ),
    "scan": (
        "\n".join(
            [
                read("%A", "2x3x4"),
                read("%B", "2x4", "b"),
                "%d, %l = vector.scan <add>, %a, %b {inclusive = true, reduction_dim = 1 : i64} : "
                "vector<2x3x4xf32>, vector<2x4xf32>",
                "%e, %m = vector.scan <maximumf>, %d, %l {inclusive = false, reduction_dim = 1 : "
                "i64} : vector<2x3x4xf32>, vector<2x4xf32>",
                write("%m", "%B", "2x4"),
                write("%e", "%C", "2x3x4"),
            ]
        ),
        ("2x3x4xf32", "2x4xf32", "2x3x4xf32"),
        [-numbers(2, 3, 4), numbers(2, 4), numbers(2, 3, 4)],
        lambda a, b, c: np.maximum.accumulate(
            np.concatenate([a.cumsum(1)[:, 2:], a.cumsum(1)[:, :2]], 1), 1
        ),
    ),
    "contract": (
        contract("add", "matmul", "3x4", "4x5", "3x5"),
        ("3x4xf32", "4x5xf32", "3x5xf32"),
        [numbers(3, 4), numbers(4, 5), numbers(3, 5)],
        lambda a, b, c: a @ b + c,
    ),
    "contract_transposed": (
        contract("maximumf", "transposed", "4x3", "5x4", "5x3"),
        ("4x3xf32", "5x4xf32", "5x3xf32"),
        [numbers(4, 3), numbers(5, 4), numbers(5, 3, start=60)],
        lambda a, b, c: np.maximum(c, (a[None] * b[:, :, None]).max(1)),
    ),
    "contract_masked": (
        contract("add", "matmul", "3x4", "4x5", "3x5", "3x5x4"),
        ("3x4xf32", "4x5xf32", "3x5xf32"),
        [numbers(3, 4), numbers(4, 5), numbers(3, 5)],
        masked_product,
    ),
    "outerproduct": (
        "\n".join(
            [
                read("%A", "3"),
                read("%B", "4", "b"),
                read("%C", "3x4", "c"),
                "%r = vector.outerproduct %a, %b, %c {kind = #vector.kind<minimumf>} "
                ": vector<3xf32>, vector<4xf32>",
                "%p = vector.outerproduct %a, %pad_f32 : vector<3xf32>, f32",
                "%t = vector.transpose %r, [1, 0] : vector<3x4xf32> to vector<4x3xf32>",
                "%q = vector.broadcast %p : vector<3xf32> to vector<4x3xf32>",
                "%s = arith.addf %t, %q : vector<4x3xf32>",
                "%u = vector.transpose %s, [1, 0] : vector<4x3xf32> to vector<3x4xf32>",
                write("%u", "%C", "3x4"),
            ]
        ),
        ("3xf32", "4xf32", "3x4xf32"),
        [numbers(3), numbers(4), numbers(3, 4)],
        lambda a, b, c: np.minimum(np.outer(a, b), c) + 9 * a[:, None],
    ),
    "outerproduct_masked": (
        "\n".join(
            [
                read("%A", "3"),
                read("%B", "4", "b"),
                read("%C", "3x4", "c"),
                "%m = vector.constant_mask [2, 3] : vector<3x4xi1>",
                "%r = vector.mask %m { vector.outerproduct %a, %b, %c {kind = #vector.kind<add>} "
                ": vector<3xf32>, vector<4xf32> } : vector<3x4xi1> -> vector<3x4xf32>",
                write("%r", "%C", "3x4"),
            ]
        ),
        ("3xf32", "4xf32", "3x4xf32"),
        [numbers(3, start=1), numbers(4, start=1), numbers(3, 4)],
        lambda a, b, c: c + np.pad(np.outer(a[:2], b[:3]), ((0, 1), (0, 1))),
    ),
    "contract_narrow": (
        "\n".join(
            [
                read("%A", "3x4"),
                read("%B", "4x5", "b"),
                read("%C", "3x5", "c"),
                "%h = arith.truncf %a : vector<3x4xf32> to vector<3x4xbf16>",
                "%k = arith.truncf %b : vector<4x5xf32> to vector<4x5xbf16>",
                contract("add", "matmul", "3x4", "4x5", "3x5")
                .split("\n")[4]
                .replace("%a, %b", "%h, %k")
                .replace("vector<3x4xf32>, vector<4x5xf32>", "vector<3x4xbf16>, vector<4x5xbf16>"),
                write("%r", "%C", "3x5"),
            ]
        ),
        ("3x4xf32", "4x5xf32", "3x5xf32"),
        [numbers(3, 4), numbers(4, 5), numbers(3, 5)],
        lambda a, b, c: a @ b + c,
    ),
    "functions": (
        "\n".join(
            [
                read("%A", "2x3"),
                "%n = arith.constant dense<2> : vector<2x3xi32>",
                "%p = math.fpowi %a, %n : vector<2x3xf32>, vector<2x3xi32>",
                "%q = math.sqrt %p : vector<2x3xf32>",
                "%t = arith.mulf %p, %q : vector<2x3xf32>",
                "%c = math.cbrt %t : vector<2x3xf32>",
                "%e = arith.addf %p, %c : vector<2x3xf32>",
                write("%e", "%B", "2x3"),
            ]
        ),
        ("2x3xf32", "2x3xf32"),
        [A23, np.zeros((2, 3), "f4")],
        lambda a, b: a * a + a,
    ),
    "reduction_masked": (
        "\n".join(
            [
                read("%A", "8"),
                "%m = vector.create_mask %B : vector<8xi1>",
                "%x = vector.mask %m { vector.reduction <add>, %a, %pad_f32 : vector<8xf32> into "
                "f32 } : vector<8xi1> -> f32",
                "%y = vector.mask %m { vector.reduction <maximumf>, %a : vector<8xf32> into f32 } "
                ": vector<8xi1> -> f32",
                "%v = vector.from_elements %x, %y : vector<2xf32>",
                write("%v", "%C", "2"),
            ]
        ),
        ("8xf32", "index", "2xf32"),
        [numbers(8), 5, np.zeros(2, "f4")],
        lambda a, n, c: np.array([19, 4]),
    ),
    "transfer_outside": (
        "%v = vector.transfer_read %A[%B, %C], %pad_f32 : memref<?x?xf32>, vector<4x4xf32>\n"
        + write("%v", "%D", "4x4"),
        ("?x?xf32", "index", "index", "4x4xf32"),
        [numbers(5, 7), 3, 5, np.zeros((4, 4), "f4")],
        lambda a, i, j, d: window(a, i, j, (4, 4)),
    ),
    "transfer_permuted": (
        "%k = vector.constant_mask [2, 3] : vector<3x4xi1>\n"
        "%v = vector.transfer_read %A[%B, %C], %pad_f32, %k {permutation_map = "
        "affine_map<(d0, d1) -> (d1, d0)>} : memref<?x?xf32>, vector<4x3xf32>\n"
        + write("%v", "%D", "4x3"),
        ("?x?xf32", "index", "index", "4x3xf32"),
        [numbers(5, 7), 1, 5, np.zeros((4, 3), "f4")],
        lambda a, i, j, d: np.where([[1, 1, 0]] * 3 + [[0, 0, 0]], window(a, i, j, (3, 4)).T, 9),
    ),
    "transfer_broadcast": (
        "%v = vector.transfer_read %A[%B, %C], %pad_f32 {in_bounds = [true, false], "
        "permutation_map = affine_map<(d0, d1) -> (0, d0)>} : memref<?x?xf32>, vector<2x4xf32>\n"
        + write("%v", "%D", "2x4"),
        ("?x?xf32", "index", "index", "2x4xf32"),
        [numbers(5, 7), 3, 2, np.zeros((2, 4), "f4")],
        lambda a, i, j, d: np.array([[a[3, 2], a[4, 2], 9, 9]] * 2),
    ),
    "transfer_write_outside": (
        read("%A", "4x4") + "\n"
        "%k = vector.constant_mask [3, 4] : vector<4x4xi1>\n"
        "vector.mask %k { vector.transfer_write %a, %D[%B, %C] : vector<4x4xf32>, "
        "memref<?x?xf32> } : vector<4x4xi1>",
        ("4x4xf32", "index", "index", "?x?xf32"),
        [numbers(4, 4), 3, 4, numbers(5, 7, start=50)],
        lambda a, i, j, d: np.block([[d[:3]], [d[3:, :4], a[:2, :3]]]),
    ),
    "transfer_of_a_view": (
        "%s = memref.subview %A[%B, 1] [3, 4] [1, 2] : memref<5x9xf32> to "
        "memref<3x4xf32, strided<[9, 2], offset: ?>>\n"
        "%v = vector.transfer_read %s[%c0, %c1], %pad_f32 : memref<3x4xf32, strided<[9, 2], "
        "offset: ?>>, vector<3x4xf32>\n" + write("%v", "%C", "3x4"),
        ("5x9xf32", "index", "3x4xf32"),
        [numbers(5, 9), 2, np.zeros((3, 4), "f4")],
        lambda a, i, c: window(a[2:5, 1:9:2], 0, 1, (3, 4)),
    ),
    "booleans": (
        read("%A", "2x3", element="i1") + "\n"
        "%t = vector.transpose %a, [1, 0] : vector<2x3xi1> to vector<3x2xi1>\n"
        + write("%t", "%B", "3x2", "i1"),
        ("2x3xi1", "3x2xi1"),
        [np.array([[1, 0, 1], [1, 1, 0]], bool), np.zeros((3, 2), bool)],
        lambda a, b: a.T,
    ),
    "loads": (
        "%v = vector.load %A[%c1, %c0, %c1] : memref<2x3x4xf32>, vector<3x3xf32>\n"
        "vector.store %v, %B[%c1, %c0] : memref<4x4xf32>, vector<3x3xf32>",
        ("2x3x4xf32", "4x4xf32"),
        [numbers(2, 3, 4), numbers(4, 4, start=50)],
        lambda a, b: np.block([[b[:1]], [a[1, :, 1:], b[1:, 3:]]]),
    ),
    "carried": (
        "%z = arith.constant dense<0.0> : vector<2x4xf32>\n%c2 = arith.constant 2 : index\n"
        "%r = scf.for %i = %c0 to %B step %c2 iter_args(%s = %z) -> (vector<2x4xf32>) {\n"
        "%v = vector.transfer_read %A[%i, %c0], %pad_f32 {in_bounds = [true, true]} : "
        "memref<6x4xf32>, vector<2x4xf32>\n"
        "%n = arith.addf %s, %v : vector<2x4xf32>\nscf.yield %n : vector<2x4xf32>\n}\n"
        "%q = func.call @halves(%r) : (vector<2x4xf32>) -> vector<4x2xf32>\n"
        + write("%q", "%C", "4x2"),
        ("6x4xf32", "index", "4x2xf32"),
        [numbers(6, 4), 6, np.zeros((4, 2), "f4")],
        lambda a, n, c: (a[:2] + a[2:4] + a[4:]).reshape(4, 2) / 2,
    ),
    "step": (
        "%s = vector.step : vector<4xindex>\n"
        "%t = arith.index_cast %s : vector<4xindex> to vector<4xi32>\n"
        "%z = vector.broadcast %B : i32 to vector<i32>\n"
        "%y = vector.extract %z[] : i32 from vector<i32>\n"
        "%w = vector.broadcast %y : i32 to vector<4xi32>\n"
        "%u = arith.muli %t, %w : vector<4xi32>\n" + write("%u", "%A", "4", "i32"),
        ("4xi32", "i32"),
        [np.zeros(4, "i4"), 5],
        lambda a, b: np.array([0, 5, 10, 15]),
    ),
}

HALVES = """
func.func private @halves(%v: vector<2x4xf32>) -> vector<4x2xf32> {
  %h = arith.constant dense<[[0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5]]> : vector<2x4xf32>
  %p = arith.mulf %v, %h : vector<2x4xf32>
  %c = vector.shape_cast %p : vector<2x4xf32> to vector<4x2xf32>
  return %c : vector<4x2xf32>
}
"""


def case(name: str) -> tuple[str, Arrays, np.ndarray]:
    """The text, copies of the arguments, and the expected array; the last argument that is one."""
    body, types, arrays, expected = CASES[name]
    text = program(body, *types) + (HALVES if "@halves" in body else "")
    return text, arrays, expected(*arrays)


def written(arrays: Arrays) -> np.ndarray:
    """The last argument that is an array."""
    return [array for array in arrays if isinstance(array, np.ndarray)][-1]


@pytest.mark.parametrize("name", CASES)
def test_native(name: str):
    text, arrays, expected = case(name)
    kernel = kc.build(kc.IRModule.parse(text))
    for end in ("start", "end"):
        copies = [array.copy() if isinstance(array, np.ndarray) else array for array in arrays]
        given = all_guarded(copies, end)
        kernel(*given)
        np.testing.assert_array_equal(written(given), expected)


@pytest.mark.parametrize("name", CASES)
def test_interpreter(name: str):
    text, arrays, expected = case(name)
    given = [array.copy() if isinstance(array, np.ndarray) else array for array in arrays]
    run(kc.IRModule.parse(text).op, "main", given)
    np.testing.assert_array_equal(written(given), expected)


def test_printed_text_is_what_mlir_reads():
    opt = find("mlir-opt")
    if opt is None:
        pytest.skip("needs mlir-opt")
    texts = [str(kc.IRModule.parse(case(name)[0])) for name in CASES]
    text = "// -----\n".join(texts)
    done = subprocess.run(
        [opt, "-split-input-file", "-"], input=text, capture_output=True, text=True
    )
    assert done.stderr == ""
    for given, printed in zip(texts, done.stdout.split("// -----\n"), strict=True):
        assert str(kc.IRModule.parse(printed)).count("vector.") == given.count("vector.")


@pytest.mark.parametrize(
    ("body", "message", "why"),
    [
        (
            "%v = vector.broadcast %A : vector<2xf32> to vector<3xf32>",
            "convert-to-llvm: the type vector<2xf32> is not supported",
            "it is broadcast to vector<3xf32>, whose sizes are others",
        ),
        (
            "%s = vector.reduction <add>, %C : vector<2x2xf32> into f32",
            "convert-to-llvm: the type vector<2x2xf32> is not supported",
            "vector.reduction is of one dimension",
        ),
        (
            "%z = arith.constant 0.0 : f16\n%s = vector.contract {indexing_maps = "
            "[affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], "
            'iterator_types = ["reduction"]} %A, %A, %z : vector<2xf32>, vector<2xf32> into f16',
            "convert-to-llvm: the type f16 is not supported",
            "products of f32 are combined with it",
        ),
    ],
)
def test_refused(body: str, message: str, why: str):
    text = (
        "func.func @f(%B: memref<4xf32>) {\n%A = arith.constant dense<1.0> : vector<2xf32>\n"
        f"%C = arith.constant dense<1.0> : vector<2x2xf32>\n{body}\nreturn\n}}"
    )
    with pytest.raises(kc.error.KCError) as raised:
        kc.build(kc.IRModule.parse(text))
    assert (raised.value.message, raised.value.why) == (message, why)


PRINTED = """
func.func @main(%v: vector<2x3xf32>, %b: vector<3xi1>) {
  %n = arith.constant dense<-3> : vector<1x1xi8>
  %p = arith.constant dense<7> : vector<i64>
  %i = arith.constant -5 : index
  %h = arith.constant 0.1 : bf16
  vector.print %v : vector<2x3xf32>
  vector.print %b : vector<3xi1> punctuation <comma>
  vector.print %n : vector<1x1xi8> punctuation <no_punctuation>
  vector.print punctuation <newline>
  vector.print %p : vector<i64>
  vector.print %i : index
  vector.print %h : bf16
  vector.print str "100%d\\0A"
  return
}
"""
LINES = """( ( 1.5, -0, 3e+10 ), ( inf, 1e-07, 0.1 ) )
( 1, 0, 1 ), ( ( -3 ) )
( 7 )
18446744073709551611
0.100098
100%d
"""


def test_print(capfd: pytest.CaptureFixture[str]):
    """The output of MLIR's runtime library, printed at once."""
    v = np.array([[1.5, -0.0, 3e10], [np.inf, 1e-7, 0.1]], "f4")
    b = np.array([True, False, True])
    kc.build(kc.IRModule.parse(PRINTED))(v, b)
    assert capfd.readouterr().out == LINES


def test_print_in_the_interpreter(capfd: pytest.CaptureFixture[str]):
    text = PRINTED.replace("%v: vector<2x3xf32>, %b: vector<3xi1>", "").replace(
        "  %n =",
        "  %v = arith.constant dense<[[1.5, -0.0, 3.0e10], [0x7F800000, 1.0e-7, 0.1]]> : "
        "vector<2x3xf32>\n  %b = arith.constant dense<[true, false, true]> : vector<3xi1>\n  %n =",
    )
    run(kc.IRModule.parse(text).op, "main", [])
    assert capfd.readouterr().out == LINES


def test_a_long_vector_is_printed_by_several_calls(capfd: pytest.CaptureFixture[str]):
    text = "func.func @main(%v: vector<70xi32>) {\nvector.print %v : vector<70xi32>\nreturn\n}"
    kc.build(kc.IRModule.parse(text))(np.arange(70, dtype="i4"))
    assert capfd.readouterr().out == f"( {', '.join(map(str, range(70)))} )\n"


def test_vectors_of_scalable_size_are_arguments():
    """As large as for vscale 1."""
    text = """
func.func @main(%v: vector<[4]xf32>) -> (vector<[4]xf32>, index) {
  %n = vector.vscale
  %s = arith.addf %v, %v : vector<[4]xf32>
  return %s, %n : vector<[4]xf32>, index
}
"""
    doubled, scale = kc.build(kc.IRModule.parse(text))(np.arange(4, dtype="f4"))
    np.testing.assert_array_equal(doubled, [0, 2, 4, 6])
    assert scale == 1


def test_the_interpreter_takes_and_returns_vectors():
    text = """
func.func @main(%v: vector<2x2xi8>, %x: vector<2xf32>, %i: index) -> (vector<2x2xi8>, f32) {
  %s = arith.addi %v, %v : vector<2x2xi8>
  %y = vector.extract %x[%i] : f32 from vector<2xf32>
  return %s, %y : vector<2x2xi8>, f32
}
"""
    module = kc.IRModule.parse(text).op
    v, x = np.array([[1, -2], [64, 3]], "i1"), np.array([1.5, 2.5], "f4")
    doubled, y = run(module, "main", [v, x, 1])
    np.testing.assert_array_equal(doubled, np.array([[2, -4], [-128, 6]], "i1"))
    assert (doubled.dtype, y) == (np.int8, 2.5)
    with pytest.raises(ExecutionError, match="v is vector<2x2xi8>, and takes an array of its"):
        run(module, "main", [v[0], x, 1])
    with pytest.raises(ExecutionError):
        run(module, "main", [v, x, 2])


def test_vectors_of_booleans_beside_tensors():
    """Bytes in memory, as numpy's."""
    text = """
func.func @main(%v: vector<3xi1>, %t: tensor<?xf32>) -> (tensor<?xf32>, vector<3xi1>) {
  %true = arith.constant dense<true> : vector<3xi1>
  %n = arith.xori %v, %true : vector<3xi1>
  %s = arith.addf %t, %t : tensor<?xf32>
  return %s, %n : tensor<?xf32>, vector<3xi1>
}
"""
    doubled, turned = kc.build(kc.IRModule.parse(text))(np.array([1, 0, 1], bool), numbers(2))
    np.testing.assert_array_equal(doubled, [0, 2])
    np.testing.assert_array_equal(turned, [False, True, False])


MASKED_REDUCTIONS: dict[str, dict[str, Callable[[np.ndarray], Any]]] = {
    "i32": {
        "add": np.sum, "mul": np.prod, "and": np.bitwise_and.reduce, "or": np.bitwise_or.reduce,
        "xor": np.bitwise_xor.reduce, "minsi": np.min, "maxsi": np.max,
        "minui": lambda x: x.view("u4").min().view("i4"),
        "maxui": lambda x: x.view("u4").max().view("i4"),
    },
    "f32": {
        "add": np.sum, "mul": np.prod, "minnumf": np.min, "maxnumf": np.max, "minimumf": np.min,
        "maximumf": np.max,
    },
}  # fmt: skip


@pytest.mark.parametrize("element", MASKED_REDUCTIONS)
def test_masked_reductions_at_the_limits(element: str):
    """Masked-out elements do not change a result, even if the other elements are the limits of the
    type.
    """
    kinds = MASKED_REDUCTIONS[element]
    dtype = np.dtype("f4" if element == "f32" else "i4")
    low, high = (-np.inf, np.inf) if element == "f32" else (-(2**31), 2**31 - 1)
    lines = [
        f"%r{n} = vector.mask %m {{ vector.reduction <{kind}>, %a : vector<8x{element}> into "
        f"{element} }} : vector<8xi1> -> {element}\n%i{n} = arith.constant {n} : index\n"
        f"memref.store %r{n}, %B[%i{n}] : memref<{len(kinds)}x{element}>"
        for n, kind in enumerate(kinds)
    ]
    text = "\n".join(
        [
            f"func.func @main(%A: memref<8x{element}>, %B: memref<{len(kinds)}x{element}>) {{",
            "%c0 = arith.constant 0 : index",
            f"%a = vector.load %A[%c0] : memref<8x{element}>, vector<8x{element}>",
            "%m = arith.constant dense<[true, false, false, true, true, false, true, false]> "
            ": vector<8xi1>",
            *lines,
            "return }",
        ]
    )
    module = kc.IRModule.parse(text)
    function = kc.build(module)
    rows = [[value] * 8 for value in (low, high, -1, 0, 1)]
    for row in np.array([*rows, [3, low, high, 5, -2, 7, 4, -9]], dtype):
        taken = row[[0, 3, 4, 6]]
        with np.errstate(all="ignore"):
            expected = [reduce(taken) for reduce in kinds.values()]
        expected = np.array([int(value) & 0xFFFFFFFF for value in expected], "u4").view("i4") if (
            element == "i32"
        ) else np.array(expected, dtype)  # fmt: skip
        native, interpreted = np.zeros(len(kinds), dtype), np.zeros(len(kinds), dtype)
        function(row, native)
        np.testing.assert_array_equal(native, expected)
        run(module.op, "main", [row, interpreted])
        np.testing.assert_array_equal(interpreted, expected)
