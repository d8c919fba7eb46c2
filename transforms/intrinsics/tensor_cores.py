"""Tensor intrinsics for the tensor cores of NVIDIA GPUs, as text.

An operation of a warp on tiles is a call of a private function. The attribute ``kc.description`` of
the function names its description as loops, and ``kc.lanes`` the function of each lane. A tile in
the registers of lanes is an argument with the attribute ``nvvm.fragment`` there: instead of the
tile, each lane has a buffer of 32-bit words (``lower-fragments``). This module rewrites nothing, so
it has no rewrite pattern; ``tensorize`` and ``lower-fragments`` rewrite according to these texts.

The text of an intrinsic is an attribute of this module with the name of the intrinsic. The names
are those of TVM for intrinsics that TVM has:

* ``wmma_load_16x16x16_f16_a_shared``, ``..._b_trans_shared_dyn``: a tile of shared memory to the
  scope ``wmma.matrix_a`` or ``wmma.matrix_b``; ``trans`` means that B is stored by columns, [n, k].
* ``wmma_fill_16x16x16_f32``, ``wmma_sync_16x16x16_f16f16f32`` and ``..._trans``,
  ``wmma_store_16x16x16_f32_global``: the accumulator, ``wmma.accumulator``.
* ``mma_load_m16n8k16_f16_a_shared``, ``mma_fill_m16n8k16_f32``, ``mma_sync_m16n8k16_f16f16f32``,
  ``mma_store_m16n8k16_f32_shared``, ...: the same for ``mma.sync``, with the scopes
  ``m16n8k16.matrixA``, ``.matrixB`` and ``.matrixC``. ``mma_stmatrix_m16n8k16_f16_shared`` stores
  whole rows, on GPUs from sm_90 on.
* ``wgmma_fill_m64n128k16_f32``, ``wgmma_sync_m64n128k16x4_f16f16f32_trans``,
  ``wgmma_store_m64n128k16_f32_global``: operations of four warps together, on sm_90a. C is in the
  scope ``m64n128k16.matrixC``. A and B are read from shared memory, whose rows have 32, 64 or 128
  bytes and are swizzled. ``x4`` means a tile of 64 terms: four products, with one wait for all.
  Without ``trans``, B has 16, 32 or 64 columns in a row, and panels for more columns: [n / 64, k,
  64]. ``wgmma_stmatrix_m64n128k16_f16_shared`` stores C in the same form, [n / 64, 64, 64], as
  ``tma_store`` requires.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kc.dialects.nvvm.fragments import FragmentAttr
from kc.transforms.intrinsics.tensor_core_names import TensorCoreIntrin, tensor_core_intrins

_STORED = {
    "f16": "f16",
    "bf16": "bf16",
    "tf32": "f32",
    "f32": "f32",
    "s8": "i8",
    "e4m3": "f8E4M3FN",
    "e5m2": "f8E5M2",
    "s32": "i32",
}
"""The element types in memory. A tf32 is stored as an f32, and is rounded when a lane loads it."""


def __getattr__(name: str) -> str:
    intrin = tensor_core_intrins().get(name)
    if intrin is None:
        raise AttributeError(f"module {__name__!r} has no tensor intrinsic {name!r}")
    return _text(name, intrin)


class _Tile(NamedTuple):
    """A tile of A or B that stays in memory."""

    element: str
    tile: tuple[int, ...]
    layout: str = "row"


def _text(name: str, intrin: TensorCoreIntrin) -> str:
    def fragment(matrix: str, element: str, layout: str = "row") -> FragmentAttr:
        return FragmentAttr(intrin.instruction, intrin.shape, matrix, element, layout)

    match intrin.role:
        case "load":
            return _load(name, fragment(intrin.matrix, intrin.element, intrin.layout), intrin.space)
        case "fill":
            return _fill(name, fragment("c", intrin.element))
        case "store":
            return _store(name, fragment("c", intrin.element), intrin.space)
        case "stmatrix" if intrin.instruction == "wgmma":
            return _warpgroup_stmatrix(name, fragment("c", intrin.element), intrin.space)
        case "stmatrix":
            return _store(name, fragment("c", intrin.element), intrin.space, by_rows=True)
        case _ if intrin.instruction == "wgmma":
            return _warpgroup_sync(name, intrin, fragment("c", intrin.total))
        case _:
            a, b = fragment("a", intrin.element), fragment("b", intrin.element, intrin.layout)
            return _sync(name, (a, b, fragment("c", intrin.total)))


# Types ----------------------------------------------------------------------------------------


def _tile(fragment: FragmentAttr | _Tile) -> str:
    return "x".join([*map(str, fragment.tile), _STORED[fragment.element]])


def _dense(fragment: FragmentAttr | _Tile) -> str:
    return f"memref<{_tile(fragment)}>"


def _part(fragment: FragmentAttr | _Tile, space: str) -> str:
    """The type of a tile in memory, whose rows are contiguous."""
    where = "" if space == "global" else f', "{space}"'
    strides = ", ".join([*["?"] * (len(fragment.tile) - 1), "1"])
    return f"memref<{_tile(fragment)}, strided<[{strides}], offset: ?>{where}>"


def _row(fragment: FragmentAttr, space: str) -> str:
    """The type of 16 bytes of a tile's row, whose address a lane holds."""
    elements = f"1x{4 * fragment.each}x{_STORED[fragment.element]}"
    return f'memref<{elements}, strided<[?, 1], offset: ?>, "{space}">'


def _held(fragment: FragmentAttr) -> str:
    """The type of a tile in registers for the warp."""
    return f'memref<{_tile(fragment)}, strided<[?, 1], offset: ?>, "{fragment.scope}">'


def _words(fragment: FragmentAttr) -> str:
    """The type of a tile in registers for a lane."""
    return f'memref<{fragment.words}x{fragment.word}, "local">'


def _loops(fragment: FragmentAttr, body: str, name: str, indent: str = "      ") -> str:
    rows, columns = fragment.tile
    iters = f"(spatial %v_i in {rows} = %i, spatial %v_j in {columns} = %j)"
    lines = [
        f"tir.for %i in {rows} {{",
        f"  tir.for %j in {columns} {{",
        f'    tir.block "{name}" {iters} do {{',
        *(f"      {line}" for line in body.splitlines()),
        "    }",
        "  }",
        "}",
    ]
    return "\n".join(indent + line for line in lines)


# Texts ----------------------------------------------------------------------------------------


Part = tuple[str, FragmentAttr | _Tile, str | None]
"""An argument: its name, the tile, and the memory that it is in; None for registers."""


def _lane_arguments(parts: Sequence[Part]) -> str:
    """The arguments of a lane's function: registers, or a tile in memory."""
    return ", ".join(
        f"%{letter}: {_words(tile)} {{nvvm.fragment = {tile}}}"
        if space is None and isinstance(tile, FragmentAttr)
        else f"%{letter}: {_part(tile, str(space))}"
        for letter, tile, space in parts
    )


def _type_of(tile: FragmentAttr | _Tile, space: str | None) -> str:
    if space is None:
        assert isinstance(tile, FragmentAttr)
        return _held(tile)
    return _part(tile, space)


def _module(
    name: str,
    requires: str,
    parts: Sequence[Part],
    modes: Sequence[str],
    tile: str,
    lanes: str,
    description: str,
    more: str = "",
) -> str:
    types = [_type_of(tile, space) for _, tile, space in parts]
    letters = [letter for letter, _, _ in parts]
    whole = ", ".join(f"%{letter}: {_dense(fragment)}" for letter, fragment, _ in parts)
    parameters = ", ".join(
        f"%{letter}: {type_}" for letter, type_ in zip(letters, types, strict=True)
    )
    passed = ", ".join(
        f"{mode} %{letter}" for mode, letter in zip(modes, letters, strict=True) if mode
    )
    called = [
        part for part, mode in zip(zip(parts, types, strict=True), modes, strict=True) if mode
    ]
    call_types = ", ".join(type_ for _, type_ in called)
    lane_parts = [part for part, _ in called]
    tile_arguments = ", ".join(f"%{part[0]}: {type_}" for part, type_ in called)
    call = f"tir.call @{name}.warp({passed}) : ({call_types})"
    roles = (
        more
        or """  func.func @implementation($given) {
    $call
    func.return
  }"""
    )
    roles = roles.replace("$given", parameters).replace("$call", call)
    return f"""module @{name} attributes {{kc.features = ["{requires}"]}} {{
  func.func @description({whole}) {{
{description}
    func.return
  }}
{roles}
  func.func private @{name}.warp({call_types}) attributes {{
      kc.description = @{name}.tile, kc.lanes = @{name}.lane}}
  func.func private @{name}.tile({tile_arguments}) {{
{tile}
    func.return
  }}
  func.func private @{name}.lane({_lane_arguments(lane_parts)}) {{
{lanes}
    func.return
  }}
}}
"""


def _requirement(fragment: FragmentAttr) -> str:
    if fragment.is_wgmma:
        return "sm_90a"
    if not fragment.is_mma:
        return {"s8": "sm_72", "s32": "sm_72", "bf16": "sm_80"}.get(fragment.element, "sm_70")
    if fragment.element in ("e4m3", "e5m2"):
        return "sm_89"
    is_old = fragment.shape == (16, 8, 8) and fragment.element in ("f16", "f32")
    return "sm_75" if is_old else "sm_80"


def _copy(fragment: FragmentAttr, source: str, target: str, name: str) -> str:
    return _loops(
        fragment,
        f"%x = tir.load %{source[0]}[%v_i, %v_j] : {source[1:]}\n"
        f"tir.store %x, %{target[0]}[%v_i, %v_j] : {target[1:]}",
        name,
        "    ",
    )


def _load(name: str, fragment: FragmentAttr, space: str) -> str:
    dense = _dense(fragment)
    lines = _wmma_load(fragment, space) if not fragment.is_mma else _mma_load(fragment, space)
    return _module(
        name,
        _requirement(fragment),
        [("A", fragment, space), ("C", fragment, None)],
        ["read", "write"],
        _copy(fragment, "A" + _part(fragment, space), "C" + _held(fragment), "C"),
        _indented(lines),
        _copy(fragment, "A" + dense, "C" + dense, "C"),
    )


def _store(name: str, fragment: FragmentAttr, space: str, *, by_rows: bool = False) -> str:
    dense = _dense(fragment)
    if by_rows:
        lines = _stmatrix(fragment, space)
    else:
        lines = (
            _wmma_store(fragment, space)
            if fragment.instruction == "wmma"
            else _mma_store(fragment, space)
        )
    return _module(
        name,
        "sm_90" if by_rows else _requirement(fragment),
        [("A", fragment, None), ("C", fragment, space)],
        ["read", "write"],
        _copy(fragment, "A" + _held(fragment), "C" + _part(fragment, space), "C"),
        _indented(lines),
        _copy(fragment, "A" + dense, "C" + dense, "C"),
    )


def _zero(element: str) -> str:
    type_ = _STORED[element]
    return f"arith.constant {'0' if type_.startswith('i') else '0.0'} : {type_}"


def _filled(fragment: FragmentAttr, type_: str) -> str:
    return _loops(
        fragment,
        f"%x = {_zero(fragment.element)}\ntir.store %x, %C[%v_i, %v_j] : {type_}",
        "C",
        "    ",
    )


def _fill_lanes(fragment: FragmentAttr) -> list[str]:
    word = fragment.word
    lines = [f"%zero = arith.constant {'0' if word == 'i32' else '0.0'} : {word}"]
    return lines + [f"tir.store %zero, %C[{n}] : {_words(fragment)}" for n in range(fragment.words)]


def _fill(name: str, fragment: FragmentAttr) -> str:
    return _module(
        name,
        _requirement(fragment),
        [("C", fragment, None)],
        ["write"],
        _filled(fragment, _held(fragment)),
        _indented(_fill_lanes(fragment)),
        _filled(fragment, _dense(fragment)),
    )


def _product(
    parts: Sequence[FragmentAttr | _Tile], types: Sequence[str], *, with_init: bool
) -> str:
    """C += A * B as loops."""
    a, b, c = parts
    (m, k), (_, n) = a.tile, c.tile
    element, total = _STORED[a.element], _STORED[c.element]
    at_b = "%v_j, %v_k" if b.layout == "col" else "%v_k, %v_j"
    if len(b.tile) == 3:
        at_b = f"%v_j floordiv {b.tile[2]}, %v_k, %v_j mod {b.tile[2]}"
    is_int = element == "i8"
    widen = "" if element == total else ("arith.extsi" if is_int else "arith.extf")
    x, y = ("%a", "%b") if not widen else ("%x", "%y")
    kind = "i" if is_int else "f"
    lines = [
        f"%c = tir.load %C[%v_i, %v_j] : {types[2]}",
        f"%a = tir.load %A[%v_i, %v_k] : {types[0]}",
        f"%b = tir.load %B[{at_b}] : {types[1]}",
        *(
            (f"%x = {widen} %a : {element} to {total}", f"%y = {widen} %b : {element} to {total}")
            if widen
            else ()
        ),
        f"%p = arith.mul{kind} {x}, {y} : {total}",
        f"%s = arith.add{kind} %c, %p : {total}",
        f"tir.store %s, %C[%v_i, %v_j] : {types[2]}",
    ]
    body = "\n          ".join(lines)
    iters = f"(spatial %v_i in {m} = %i, spatial %v_j in {n} = %j, reduce %v_k in {k} = %k)"
    init = (
        f"""init {{
          %zero = {_zero(c.element)}
          tir.store %zero, %C[%v_i, %v_j] : {types[2]}
        }} do"""
        if with_init
        else "do"
    )
    return f"""    tir.for %i in {m} {{
      tir.for %j in {n} {{
        tir.for %k in {k} {{
        tir.block "C" {iters} {init} {{
          {body}
        }}
        }}
      }}
    }}"""


def _sync(name: str, parts: Sequence[FragmentAttr]) -> str:
    a, _, c = parts
    return _product_module(
        name,
        max(_requirement(a), _requirement(c)),
        [(letter, part, None) for letter, part in zip("ABC", parts, strict=True)],
        _mma_sync(parts) if a.is_mma else _wmma_sync(parts),
    )


PANEL = 64
"""The number of columns of halves in a row of 128 bytes."""
ROWS = 64
"""The rows of C that four warps hold."""
WARP = 32
MATRICES = 4
"""The number of matrices that an instruction stores: 16 rows and 16 columns of halves in all, of
which a lane holds four words.
"""
WORD = 2
"""The number of halves in a word."""


def _warpgroup_sync(name: str, intrin: TensorCoreIntrin, c: FragmentAttr) -> str:
    m, n, k = c.shape
    depth = k * intrin.steps
    tile: tuple[int, ...] = (n, depth)
    if intrin.layout == "row":
        tile = (depth, n) if n <= PANEL else (n // PANEL, depth, PANEL)
    a, b = _Tile(intrin.element, (m, depth)), _Tile(intrin.element, tile, intrin.layout)
    parts: list[Part] = [("A", a, intrin.space), ("B", b, intrin.space), ("C", c, None)]
    return _product_module(
        name, _requirement(c), parts, _wgmma(a, b, c, intrin.space, intrin.steps)
    )


def _product_module(name: str, requires: str, parts: Sequence[Part], lines: Sequence[str]) -> str:
    """The module of an intrinsic for C += A * B with C in registers."""
    c = parts[2][1]
    assert isinstance(c, FragmentAttr)
    tiles = [tile for _, tile, _ in parts]
    fill = f"{name}.fill"
    held = _held(c)
    roles = f"""  func.func @implementation($given) {{
    tir.call @{fill}.warp(write %C) : ({held})
    $call
    func.return
  }}
  func.func @init($given) {{
    tir.call @{fill}.warp(write %C) : ({held})
    func.return
  }}
  func.func @update($given) {{
    $call
    func.return
  }}
  func.func private @{fill}.warp({held}) attributes {{
      kc.description = @{fill}.tile, kc.lanes = @{fill}.lane}}
  func.func private @{fill}.tile(%C: {held}) {{
{_filled(c, held)}
    func.return
  }}
  func.func private @{fill}.lane({_lane_arguments([("C", c, None)])}) {{
{_indented(_fill_lanes(c))}
    func.return
  }}"""
    return _module(
        name,
        requires,
        parts,
        ["read", "read", "update"],
        _product(tiles, [_type_of(tile, space) for _, tile, space in parts], with_init=False),
        _indented(lines),
        _product(tiles, [_dense(tile) for tile in tiles], with_init=True),
        roles,
    )


def _indented(lines: Sequence[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)


# What a lane does -----------------------------------------------------------------------------


def _pointer(
    letter: str, type_: str, fragment: FragmentAttr, space: str, rank: int = 2, n: str = ""
) -> list[str]:
    """Define ``%p``, the address of the first element of a part of memory, and ``%strides``, the
    distances between rows; the names end in ``n``.
    """
    where = "" if space == "global" else f', "{space}"'
    stored = _STORED[fragment.element]
    base = f"memref<{stored}{where}>"
    number = 1 if space == "global" else 3
    return [
        f"%base{n}, %offset{n}, %sizes{n}:{rank}, %strides{n}:{rank} = "
        f"memref.extract_strided_metadata %{letter} : {type_} -> {base}"
        + ", index"
        * (2 * rank + 1),
        f'%start{n} = "memref.extract_aligned_pointer_as_index"(%{letter}) : ({type_}) -> index',
        f"%start_i64{n} = arith.index_cast %start{n} : index to i64",
        f"%first{n} = llvm.inttoptr %start_i64{n} : i64 to !llvm.ptr<{number}>",
        f"%offset_i64{n} = arith.index_cast %offset{n} : index to i64",
        f"%p{n} = llvm.getelementptr %first{n}[%offset_i64{n}] : (!llvm.ptr<{number}>, i64) -> "
        f"!llvm.ptr<{number}>, {'i8' if stored.startswith('f8') else stored}",
    ]


_STRIDE = "%stride = arith.index_cast %strides#0 : index to i32"


def _wmma_types(fragment: FragmentAttr) -> tuple[str, int]:
    """The type of a fragment's words in an operation, and the number of words."""
    kind = "vector<2xf16>" if fragment.element == "f16" else fragment.word
    return kind, fragment.words


def _wmma_words(fragment: FragmentAttr) -> str:
    kind, count = _wmma_types(fragment)
    return ", ".join([kind] * count)


_SIZES = "k = 16 : i32, m = 16 : i32, n = 16 : i32"


def _keep(letter: str, source: str, fragment: FragmentAttr, packed: str) -> list[str]:
    """Store the results of an operation in registers."""
    kind, count = _wmma_types(fragment)
    lines: list[str] = []
    for n in range(count):
        lines.append(f"%{source}{n} = llvm.extractvalue %{source}[{n}] : {packed}")
        value = f"%{source}{n}"
        if kind != fragment.word:
            lines.append(f"%{source}w{n} = llvm.bitcast {value} : {kind} to {fragment.word}")
            value = f"%{source}w{n}"
        lines.append(f"tir.store {value}, %{letter}[{n}] : {_words(fragment)}")
    return lines


def _take(letter: str, name: str, fragment: FragmentAttr) -> list[str]:
    """Load ``%{name}0``, ...: registers in the form that an operation requires."""
    kind, count = _wmma_types(fragment)
    lines: list[str] = []
    for n in range(count):
        suffix = "" if kind == fragment.word else "w"
        lines.append(f"%{name}{suffix}{n} = tir.load %{letter}[{n}] : {_words(fragment)}")
        if suffix:
            lines.append(f"%{name}{n} = llvm.bitcast %{name}w{n} : {fragment.word} to {kind}")
    return lines


def _listed(name: str, count: int) -> str:
    return ", ".join(f"%{name}{n}" for n in range(count))


def _wmma_load(fragment: FragmentAttr, space: str) -> list[str]:
    packed = f"!llvm.struct<({_wmma_words(fragment)})>"
    number = 1 if space == "global" else 3
    return [
        *_pointer("A", _part(fragment, space), fragment, space),
        _STRIDE,
        f"%r = nvvm.wmma.load %p, %stride {{eltype = #nvvm.mma_type<{fragment.element}>, "
        f"frag = #nvvm.mma_frag<{fragment.matrix}>, layout = #nvvm.mma_layout<{fragment.layout}>, "
        f"{_SIZES}}} : (!llvm.ptr<{number}>) -> {packed}",
        *_keep("C", "r", fragment, packed),
    ]


def _wmma_store(fragment: FragmentAttr, space: str) -> list[str]:
    number = 1 if space == "global" else 3
    return [
        *_pointer("C", _part(fragment, space), fragment, space),
        _STRIDE,
        *_take("A", "r", fragment),
        f"nvvm.wmma.store %p, %stride, {_listed('r', fragment.words)} "
        f"{{eltype = #nvvm.mma_type<{fragment.element}>, {_SIZES}, "
        f"layout = #nvvm.mma_layout<row>}} : !llvm.ptr<{number}>, {_wmma_words(fragment)}",
    ]


def _wmma_sync(parts: Sequence[FragmentAttr]) -> list[str]:
    a, b, c = parts
    packed = f"!llvm.struct<({_wmma_words(c)})>"
    operands = ", ".join(_listed(name, part.words) for name, part in zip("abc", parts, strict=True))
    types = ", ".join(_wmma_words(part) for part in parts)
    lines = [
        line
        for letter, part in zip("ABC", parts, strict=True)
        for line in _take(letter, letter.lower(), part)
    ]
    return [
        *lines,
        f"%d = nvvm.wmma.mma {operands} {{eltypeA = #nvvm.mma_type<{a.element}>, "
        f"eltypeB = #nvvm.mma_type<{c.element}>, {_SIZES}, "
        f"layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<{b.layout}>}} "
        f": ({types}) -> {packed}",
        *_keep("C", "d", c, packed),
    ]


def _lane(lanes: int = 32) -> list[str]:
    if lanes > 32:  # of several warps: threads along x are lanes
        return [
            "%thread_i32 = nvvm.read.ptx.sreg.tid.x : i32",
            f"%lanes = arith.constant {lanes} : i32",
            "%lane_i32 = arith.remui %thread_i32, %lanes : i32",
            "%lane = arith.index_cast %lane_i32 : i32 to index",
        ]
    return [
        "%lane_i32 = nvvm.read.ptx.sreg.laneid : i32",
        "%lane = arith.index_cast %lane_i32 : i32 to index",
    ]


def _mma_load(fragment: FragmentAttr, space: str) -> list[str]:
    rows = fragment.rows_of_matrices
    if rows is None:
        return _mma_load_elements(fragment, space)
    count, turned, row, column = rows
    packed = "i32" if count == 1 else f"!llvm.struct<({', '.join(['i32'] * count)})>"
    lines = [
        *_lane(),
        f"%row = tir.view %A[{str(row).replace('d0', '%lane')}, "
        f"{str(column).replace('d0', '%lane')}] : {_part(fragment, space)} to "
        f"{_row(fragment, space)}",
        *_pointer("row", _row(fragment, space), fragment, space),
        f"%r = nvvm.ldmatrix %p {{eltType = #nvvm.ld_st_matrix_elt_type<b16>, "
        f"layout = #nvvm.mma_layout<{'col' if turned else 'row'}>, num = {count} : i32, "
        f"shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}} : (!llvm.ptr<3>) -> {packed}",
    ]
    for n in range(count):
        value = "%r" if count == 1 else f"%r{n}"
        if count > 1:
            lines.append(f"{value} = llvm.extractvalue %r[{n}] : {packed}")
        if fragment.element == "tf32":
            lines.append(f"%f{n} = llvm.bitcast {value} : i32 to f32")
            lines.append(_rounded(f"%f{n}", f"%t{n}"))
            value = f"%t{n}"
        lines.append(f"tir.store {value}, %C[{n}] : {_words(fragment)}")
    return lines


def _rounded(value: str, to: str) -> str:
    """The tf32 nearest to an f32. A product ignores the low bits of its operands."""
    return f"{to} = nvvm.convert.float.to.tf32 {value} {{rnd = #nvvm.fp_rnd_mode<rna>}}"


def _mma_load_elements(fragment: FragmentAttr, space: str) -> list[str]:
    """Load a fragment element by element, if ``ldmatrix`` cannot transpose the tile."""
    type_, element = _part(fragment, space), _STORED[fragment.element]
    each, bits = fragment.each, 32 // fragment.each
    lines = _lane()
    for n in range(fragment.words):
        word = ""
        for part in range(each):
            row, column = fragment.element_of("%lane", n * each + part)
            name = f"{n}_{part}"
            lines.append(f"%e{name} = tir.load %A[{row}, {column}] : {type_}")
            source = f"%e{name}"
            if fragment.element == "tf32":
                word = f"%t{name}"
                lines.append(_rounded(source, word))
                continue
            if element != f"i{bits}":
                source = f"%i{name}"
                lines.append(f"{source} = arith.bitcast %e{name} : {element} to i{bits}")
            lines.append(f"%x{name} = arith.extui {source} : i{bits} to i32")
            value = f"%x{name}"
            if part:
                lines += [
                    f"%by{name} = arith.constant {bits * part} : i32",
                    f"%s{name} = arith.shli {value}, %by{name} : i32",
                    f"%o{name} = arith.ori {word}, %s{name} : i32",
                ]
                value = f"%o{name}"
            word = value
        lines.append(f"tir.store {word}, %C[{n}] : {_words(fragment)}")
    return lines


def _mma_store(fragment: FragmentAttr, space: str) -> list[str]:
    """Store a fragment of C, two adjacent elements at a time."""
    type_ = _part(fragment, space)
    element = _STORED[fragment.element]
    pair = f"vector<2x{element}>"
    lines = _lane(fragment.lanes)
    words = 2 // fragment.each
    for n in range(0, fragment.words, words):
        held = [f"%w{n + word}" for word in range(words)]
        lines += [
            f"{name} = tir.load %A[{n + word}] : {_words(fragment)}"
            for word, name in enumerate(held)
        ]
        if words == 1:
            lines.append(f"%v{n} = llvm.bitcast %w{n} : i32 to {pair}")
        else:
            lines.append(f"%v{n} = vector.from_elements {', '.join(held)} : {pair}")
        row, column = fragment.element_of("%lane", n * fragment.each)
        lines.append(f"tir.store %v{n}, %C[{row}, {column}] : {type_}, {pair}")
    return lines


def _stmatrix(fragment: FragmentAttr, space: str) -> list[str]:
    """Store rows of 16 bytes; lane n has the address of row n."""
    count = fragment.words
    return [
        *_lane(),
        f"%row = tir.view %C[%lane mod {8 * count}, 0] : {_part(fragment, space)} to "
        f"{_row(fragment, space)}",
        *_pointer("row", _row(fragment, space), fragment, space),
        *(f"%w{n} = tir.load %A[{n}] : {_words(fragment)}" for n in range(count)),
        _store_matrices("%p", [f"%w{n}" for n in range(count)]),
    ]


def _store_matrices(pointer: str, words: Sequence[str]) -> str:
    """Store matrices of 8 x 8 elements of 16 bits; a lane has a word of each matrix."""
    return (
        f"nvvm.stmatrix {pointer}, {', '.join(words)} "
        "{eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, "
        "shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : "
        f"!llvm.ptr<3>, {', '.join(['i32'] * len(words))}"
    )


def _warpgroup_stmatrix(name: str, c: FragmentAttr, space: str) -> str:
    """Store C as rows of up to 128 bytes, panel by panel, as a tensor map describes a tile."""
    _, n, _ = c.shape
    target = _Tile(c.element, (ROWS, n) if n <= PANEL else (n // PANEL, ROWS, PANEL))
    at = "%v_i, %v_j" if n <= PANEL else f"%v_j floordiv {PANEL}, %v_i, %v_j mod {PANEL}"

    def copy(source: str, to: str) -> str:
        body = f"%x = tir.load %A[%v_i, %v_j] : {source}\ntir.store %x, %C[{at}] : {to}"
        return _loops(c, body, "C", "    ")

    part = _part(target, space)
    outer = len(target.tile) - 2
    piece = _part(_Tile(c.element, (*[1] * (outer + 1), 8)), space)
    lines = _lane(c.lanes)
    for first in range(0, c.words, MATRICES):
        column = 2 * WORD * first
        words = [f"%w{n}" for n in range(first, first + MATRICES)]
        place = [
            *[str(column // PANEL)] * outer,
            f"(%lane floordiv {WARP}) * 16 + %lane mod 16",
            f"{column % PANEL} + (%lane mod {WARP} floordiv 16) * 8",
        ]
        lines += [
            f"%row{first} = tir.view %C[{', '.join(place)}] : {part} to {piece}",
            *_pointer(f"row{first}", piece, c, space, len(target.tile), str(first)),
            *(f"{word} = tir.load %A[{word[2:]}] : {_words(c)}" for word in words),
            _store_matrices(f"%p{first}", words),
        ]
    return _module(
        name,
        _requirement(c),
        [("A", c, None), ("C", target, space)],
        ["read", "write"],
        copy(_held(c), part),
        _indented(lines),
        copy(_dense(c), _dense(target)),
    )


def _mma_sync(parts: Sequence[FragmentAttr]) -> list[str]:
    a, _, c = parts
    packed = f"!llvm.struct<({_wmma_words(c)})>"
    m, n, k = c.shape
    overflow = ""
    if a.element == "s8":
        overflow = "intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, "
    if a.element != "f16":
        overflow += "".join(
            f"multiplicand{letter}PtxType = #nvvm.mma_type<{a.element}>, " for letter in "AB"
        )
    lines = [
        line
        for letter, part in zip("ABC", parts, strict=True)
        for line in _take(letter, letter.lower(), part)
    ]
    operands = " ".join(
        f"{letter}[{_listed(letter.lower(), part.words)}]"
        for letter, part in zip("ABC", parts, strict=True)
    )
    types = ", ".join(_wmma_types(part)[0] for part in parts)
    return [
        *lines,
        f"%d = nvvm.mma.sync {operands} {{{overflow}layoutA = #nvvm.mma_layout<row>, "
        f"layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = {m}, n = {n}, k = {k}>}} "
        f": ({types}) -> {packed}",
        *_keep("C", "d", c, packed),
    ]


def _wgmma(a: _Tile, b: _Tile, c: FragmentAttr, space: str, steps: int) -> list[str]:
    """Multiply tiles in shared memory, several along k, with one wait for all."""
    _, n, k = c.shape
    packed = f"!llvm.struct<({', '.join([c.word] * c.words)})>"
    by_rows = b.layout == "row"
    lines: list[str] = []
    for letter, tile, along_k in (("A", a, True), ("B", b, not by_rows)):
        *panels, rows, columns = tile.tile
        step = _part(_Tile(a.element, (*panels, *((rows, k) if along_k else (k, columns)))), space)
        for number in range(steps):
            place = ["0", f"{number * k}"] if along_k else [f"{number * k}", "0"]
            at = ", ".join([*["0"] * len(panels), *place])
            name = f"{letter.lower()}{number}"
            lines += [
                f"%{name}_tile = tir.view %{letter}[{at}] : {_part(tile, space)} to {step}",
                f"%{name} = tir.matrix_descriptor %{name}_tile along "
                f'"{"k" if along_k else "mn"}" : {step}',
            ]
    lines.append(f"%s0 = llvm.mlir.undef : {packed}")
    for number in range(c.words):
        lines += [
            f"%c{number} = tir.load %C[{number}] : {_words(c)}",
            f"%s{number + 1} = llvm.insertvalue %c{number}, %s{number}[{number}] : {packed}",
        ]
    lines.append("nvvm.wgmma.fence.aligned")
    total = f"s{c.words}"
    for number in range(steps):
        lines.append(
            f"%d{number} = nvvm.wgmma.mma_async %a{number}, %b{number}, %{total}, "
            f"<m = 64, n = {n}, k = {k}>, D [<{c.element}>, <one>], "
            f"A [<{a.element}>, <one>, <row>], B [<{b.element}>, <one>, <{b.layout}>] : "
            f"{packed} -> {packed}"
        )
        total = f"d{number}"
    lines += ["nvvm.wgmma.commit.group.sync.aligned", "nvvm.wgmma.wait.group.sync.aligned 0"]
    for number in range(c.words):
        lines += [
            f"%r{number} = llvm.extractvalue %{total}[{number}] : {packed}",
            f"tir.store %r{number}, %C[{number}] : {_words(c)}",
        ]
    return lines
