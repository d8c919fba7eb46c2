"""Products by the tile registers of x86 (AMX), as tensor intrinsics: C[i, j] += A[i, k] * B[k, j].

A tile register has 16 rows of 64 bytes: 64 bytes of a row of A, or 32 numbers of bf16 or f16. B is
stored in groups, as for the dot products of vectors: the elements that are multiplied by one word
of A are adjacent, ``B[k / 4, j, k % 4]`` of bytes. The rows of each operand may have any distance
in memory.

Buffers in the scope ``amx.tile`` are tile registers, as fragments of GPUs are registers of lanes:

* ``amx_load_16x32_bf16``: a tile of A; ``amx_load_16x16x2_bf16``: a tile of B in groups;
  ``amx_load_16x16_f32``: a tile of sums;
* ``amx_fill_16x16_f32``: zeros; ``amx_sync_16x16x32_bf16``: C += A * B, of tiles in registers;
* ``amx_store_16x16_f32``: a tile of sums to memory, ``amx_store_16x16_f32_local`` to memory of the
  scope ``local``;
* ``amx_dot_16x16x32_bf16``: the whole product of tiles in memory. This is slower, as the sums are
  loaded and stored for each tile of terms.

Bytes have ``i8`` in the names of loads, and ``u8i8``, ``i8u8``, ``i8i8`` or ``u8u8`` in the names
of products; their sums are ``i32``. If A and C have fewer than 16 rows, the tiles have that number
of rows, and the products take less time.

An operation on a tile is a call of a private function. The attribute ``kc.description`` of the
function names its description as loops, and ``kc.tiles`` is the instruction. ``lower-tiles``
assigns the registers, and emits their configuration. The text of an intrinsic is an attribute of
this module with the name of the intrinsic.

(Intel: Architecture Instruction Set Extensions, Advanced Matrix Extensions.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kc.transforms.intrinsics.tile_names import PRODUCTS, ROWS, SCOPE, TileIntrin, tile_intrins

_ZEROS = {"i32": "0", "f32": "0.000000e+00"}


@dataclass(frozen=True)
class _Part:
    """An argument: its name, its shape, and the type of its elements."""

    letter: str
    shape: tuple[int, ...]
    element: str
    space: str = "global"
    """The memory space of the tile."""

    @property
    def _of(self) -> str:
        return "x".join([*map(str, self.shape), self.element])

    @property
    def dense(self) -> str:
        """The type without a layout."""
        return f"memref<{self._of}>"

    @property
    def memory(self) -> str:
        """The type of a tile in memory, whose rows are contiguous."""
        where = "" if self.space == "global" else f', "{self.space}"'
        return f"memref<{self._of}, {self._layout}{where}>"

    @property
    def tile(self) -> str:
        """The type of a tile register."""
        return f'memref<{self._of}, {self._layout}, "{SCOPE}">'

    @property
    def register(self) -> str:
        """The type of a buffer that is one tile register."""
        return f'memref<{self._of}, "{SCOPE}">'

    @property
    def _layout(self) -> str:
        inner = [str(size) for size in self.shape[2:]]
        return f"strided<[{', '.join(['?', *inner, '1'])}], offset: ?>"


def __getattr__(name: str) -> str:
    intrin = tile_intrins().get(name)
    if intrin is None:
        raise AttributeError(f"module {__name__!r} has no tensor intrinsic {name!r}")
    if intrin.role in ("sync", "dot"):
        return _product(name, intrin)
    tile = _Part("C", _shape(intrin), intrin.types, intrin.space)
    if intrin.role == "fill":
        return _module(name, ("amx-tile",), [(tile, "write", True)], "tilezero", _zeros(intrin))
    memory = _Part("A", tile.shape, tile.element)
    parts = [(memory, "read", False), (tile, "write", True)]
    if intrin.role == "store":
        parts = [(memory, "read", True), (tile, "write", False)]
    instruction = "tileloadd64" if intrin.role == "load" else "tilestored64"
    indices = ", ".join(f"%v_{letter}" for letter in "ijg"[: len(tile.shape)])
    body = f"%x = tir.load %A[{indices}] : $A\ntir.store %x, %C[{indices}] : $C"
    return _module(name, ("amx-tile",), parts, instruction, _loops(tile.shape, "", body))


def _shape(intrin: TileIntrin) -> tuple[int, ...]:
    """The shape of a tile for a load, a fill or a store."""
    if intrin.matrix == "b":
        return ROWS, ROWS, intrin.group
    return intrin.rows, ROWS * (1 if intrin.matrix == "c" else intrin.group)


def _zeros(intrin: TileIntrin) -> str:
    body = f"%x = arith.constant {_ZEROS[intrin.types]} : {intrin.types}\n"
    return _loops(_shape(intrin), "", f"{body}tir.store %x, %C[%v_i, %v_j] : $C")


def _loops(shape: Sequence[int], init: str, body: str, reduced: str = "") -> str:
    """Loops over a tile around one block; ``reduced`` are the letters of the reduced loops."""
    letters = ("ijk" if reduced else "ijg")[: len(shape)]
    lines = [
        f"{'  ' * n}tir.for %{letter} in {size} {{"
        for n, (letter, size) in enumerate(zip(letters, shape, strict=True))
    ]
    variables = ", ".join(
        f"{'reduce' if letter in reduced else 'spatial'} %v_{letter} in {size} = %{letter}"
        for letter, size in zip(letters, shape, strict=True)
    )
    depth = "  " * len(shape)
    lines.append(f'{depth}tir.block "C" ({variables}) {"init" if init else "do"} {{')
    for part in filter(None, (init, body)):
        lines += [f"{depth}  {line}" for line in part.splitlines()]
        if part is init:
            lines.append(f"{depth}}} do {{")
    lines.append(f"{depth}}}")
    lines += [f"{'  ' * n}}}" for n in reversed(range(len(shape)))]
    return "\n".join(lines)


def _typed(loops: str, types: Sequence[tuple[str, str]]) -> str:
    for letter, type_ in types:
        loops = loops.replace(f"${letter}", type_)
    return "\n".join(f"    {line}" for line in loops.splitlines())


_Parts = Sequence[tuple[_Part, str, bool]]
"""The arguments of an operation on tiles. For each: the part, its use (``read``, ``write`` or
``update``), and True for a tile register.
"""


def _type(part: _Part, is_tile: bool) -> str:
    return part.tile if is_tile else part.memory


def _call(name: str, parts: _Parts) -> str:
    passed = ", ".join(f"{mode} %{part.letter}" for part, mode, _ in parts)
    types = ", ".join(_type(part, is_tile) for part, _, is_tile in parts)
    return f"tir.call @{name}.tile({passed}) : ({types})"


def _operation(name: str, parts: _Parts, instruction: str, loops: str) -> str:
    """The private functions of an operation: the function to call, and its description."""
    types = ", ".join(_type(part, is_tile) for part, _, is_tile in parts)
    parameters = ", ".join(f"%{part.letter}: {_type(part, is_tile)}" for part, _, is_tile in parts)
    described = _typed(loops, [(part.letter, _type(part, is_tile)) for part, _, is_tile in parts])
    return f"""  func.func private @{name}.tile({types}) attributes {{
      kc.description = @{name}.loops, kc.tiles = "{instruction}"}}
  func.func private @{name}.loops({parameters}) {{
{described}
    func.return
  }}
"""


def _head(name: str, features: Sequence[str], parts: _Parts, loops: str) -> str:
    whole = ", ".join(f"%{part.letter}: {part.dense}" for part, _, _ in parts)
    needed = ", ".join(f'"{feature}"' for feature in features)
    return f"""module @{name} attributes {{kc.features = [{needed}]}} {{
  func.func @description({whole}) {{
{_typed(loops, [(part.letter, part.dense) for part, _, _ in parts])}
    func.return
  }}
"""


def _role(role: str, parts: _Parts, lines: Sequence[str]) -> str:
    parameters = ", ".join(f"%{part.letter}: {_type(part, is_tile)}" for part, _, is_tile in parts)
    body = "\n".join(f"    {line}" for line in lines)
    return f"  func.func @{role}({parameters}) {{\n{body}\n    func.return\n  }}\n"


def _module(name: str, features: Sequence[str], parts: _Parts, instruction: str, loops: str) -> str:
    return (
        _head(name, features, parts, loops)
        + _role("implementation", parts, [_call(name, parts)])
        + _operation(name, parts, instruction, loops)
        + "}\n"
    )


# Products -------------------------------------------------------------------------------------


def _product(name: str, intrin: TileIntrin) -> str:
    instruction, feature = PRODUCTS[intrin.types]
    is_integer = feature == "amx-int8"
    element, total = ("i8", "i32") if is_integer else (intrin.types, "f32")
    group = intrin.group
    a = _Part("A", (intrin.rows, ROWS * group), element)
    b = _Part("B", (ROWS, ROWS, group), element)
    c = _Part("C", (intrin.rows, ROWS), total)
    extends = ["arith.extf"] * 2
    if is_integer:
        signs = (intrin.types[0], intrin.types[2])
        extends = ["arith.extui" if sign == "u" else "arith.extsi" for sign in signs]
    suffix = "i" if is_integer else "f"
    zero = f"%zero = arith.constant {_ZEROS[total]} : {total}\n"
    init = f"{zero}tir.store %zero, %C[%v_i, %v_j] : $C"
    body = f"""%c = tir.load %C[%v_i, %v_j] : $C
%a = tir.load %A[%v_i, %v_k] : $A
%b = tir.load %B[%v_k floordiv {group}, %v_j, %v_k mod {group}] : $B
%x = {extends[0]} %a : {element} to {total}
%y = {extends[1]} %b : {element} to {total}
%p = arith.mul{suffix} %x, %y : {total}
%s = arith.add{suffix} %c, %p : {total}
tir.store %s, %C[%v_i, %v_j] : $C"""
    shape = (intrin.rows, ROWS, ROWS * group)
    loops, updates = _loops(shape, init, body, "k"), _loops(shape, "", body, "k")
    filled = _loops(c.shape, "", init.replace("%zero", "%x"))
    tiles: _Parts = [(a, "read", True), (b, "read", True), (c, "update", True)]
    features = ("amx-tile", feature)
    fill, sync = f"{name}.fill", _call(name, tiles)
    operations = _operation(name, tiles, instruction, updates)
    operations += _operation(fill, [(c, "write", True)], "tilezero", filled)
    if intrin.role == "sync":
        zeros = _call(fill, [(c, "write", True)])
        return (
            _head(name, features, tiles, loops)
            + _role("implementation", tiles, [zeros, sync])
            + _role("init", tiles, [zeros])
            + _role("update", tiles, [sync])
            + operations
            + "}\n"
        )
    return _dot(name, features, [a, b, c], loops, operations)


def _dot(
    name: str, features: Sequence[str], parts: Sequence[_Part], loops: str, operations: str
) -> str:
    """A product of tiles in memory, which loads, multiplies and stores them."""
    memory: _Parts = [(part, "read", False) for part in parts]
    registers = []
    loads = {}
    for part in parts:
        low, zeros = part.letter.lower(), ", ".join(["0"] * len(part.shape))
        register = _Part(f"{low}_tile", part.shape, part.element)
        registers += [
            f'%{low}_register = tir.alloc "{low}_tile" : {part.register}',
            f"%{low}_tile = tir.view %{low}_register[{zeros}] : {part.register} to {part.tile}",
        ]
        both: _Parts = [(part, "read", False), (register, "write", True)]
        letters = "ijg"[: len(part.shape)]
        indices = ", ".join(f"%v_{letter}" for letter in letters)
        copy = (
            f"%x = tir.load %{part.letter}[{indices}] : ${part.letter}\n"
            f"tir.store %x, %{register.letter}[{indices}] : ${register.letter}"
        )
        loads[part.letter] = _call(f"{name}.{low}", both)
        operations += _operation(f"{name}.{low}", both, "tileloadd64", _loops(part.shape, "", copy))
    a, b, c = parts
    held = [_Part(f"{part.letter.lower()}_tile", part.shape, part.element) for part in parts]
    sync = _call(
        name, [(held[0], "read", True), (held[1], "read", True), (held[2], "update", True)]
    )
    fill = _call(f"{name}.fill", [(held[2], "write", True)])
    back: _Parts = [(held[2], "read", True), (c, "write", False)]
    store = _call(f"{name}.store", back)
    copy = "%x = tir.load %c_tile[%v_i, %v_j] : $c_tile\ntir.store %x, %C[%v_i, %v_j] : $C"
    operations += _operation(f"{name}.store", back, "tilestored64", _loops(c.shape, "", copy))
    operands = [loads[a.letter], loads[b.letter]]
    return (
        _head(name, features, memory, loops)
        + _role("implementation", memory, [*registers, *operands, fill, sync, store])
        + _role("init", memory, [*registers[4:], fill, store])
        + _role("update", memory, [*registers, *operands, loads[c.letter], sync, store])
        + operations
        + "}\n"
    )
