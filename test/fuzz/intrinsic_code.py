"""The code of random tensor intrinsics: text, scripts, and statements of ``te.decl_tensor_intrin``.

An implementation goes element by element, or by vectors, along the result or along a reduction, on
buffers that must be laid out in one way or another.
"""

from __future__ import annotations

import contextlib
import linecache
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
from tiles import Operand, Tile, apply, reduced_label, start_value, vector_label
from worlds import Size, World

import kc
from kc import te, tir
from kc.tir import TensorIntrin
from kc.transforms.intrinsics import tensor_intrin

NAME = "drawn"
ELEMENTS = {
    "int8": "i8",
    "uint8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
}


def register(random: Random, tile: Tile, way: str) -> None:
    """The intrinsic as functions of text, or as scripts."""
    has_init = bool(tile.reduced) and random.random() < 0.85
    description = _description(random, tile, has_init)
    roles = ["implementation"]
    if tile.reduced and has_init and random.random() < 0.75:
        roles += ["init", "update"]
    if way == "script":
        functions = {role: _script(tile, role, has_init) for role in roles}
    else:
        functions = {role: _implementation(random, tile, role, has_init) for role in roles}
    TensorIntrin.register(
        NAME,
        description,
        functions["implementation"],
        functions.get("init"),
        functions.get("update"),
        override=True,
    )


def unregister() -> None:
    """Forget the intrinsic: a later case, which tensorizes too, does not depend on earlier ones."""
    tensor_intrin._REGISTERED.pop(NAME, None)


def _types(tile: Tile, layout: Callable[[Sequence[int]], str] | None = None) -> list[str]:
    """The types of the operands and of the result."""
    shapes = [(operand.shape(tile.sizes), operand.dtype) for operand in tile.operands]
    shapes.append(([tile.sizes[label] for label in tile.out], tile.dtype))
    types: list[str] = []
    for shape, dtype in shapes:
        dims = "".join(f"{size}x" for size in shape)
        strides = layout(shape) if layout is not None and shape else ""
        types.append(f"memref<{dims}{ELEMENTS[dtype]}{strides}>")
    return types


class _Text:
    """Lines of textual IR, with fresh names of values."""

    def __init__(self, tile: Tile, types: Sequence[str]) -> None:
        self.tile = tile
        self.types = dict(
            zip([*(operand.name for operand in tile.operands), "C"], types, strict=True)
        )
        self.lines: list[str] = []
        self.count = 0

    def value(self, text: str) -> str:
        """A line that defines a value; gives its name."""
        self.count += 1
        self.lines.append(f"%{self.count} = {text}")
        return f"%{self.count}"

    def head(self, role: str) -> str:
        """The head of a function."""
        arguments = ", ".join(f"%{name}: {type_}" for name, type_ in self.types.items())
        return f"func.func @{role}({arguments}) {{"

    def load(self, operand: Operand, at: dict[str, str], lanes: int = 0) -> str:
        """An element, or a vector of them, of the type of the result."""
        places = [at[label] for label in operand.labels]
        if places and operand.step > 1:
            places[-1] += f" * {operand.step}"
        type_ = self.types[operand.name]
        element = ELEMENTS[operand.dtype]
        vector = f", vector<{lanes}x{element}>" if lanes else ""
        loaded = self.value(f"tir.load %{operand.name}[{', '.join(places)}] : {type_}{vector}")
        if operand.dtype == self.tile.dtype:
            return loaded
        given, wanted = element, ELEMENTS[self.tile.dtype]
        if lanes:
            given, wanted = f"vector<{lanes}x{given}>", f"vector<{lanes}x{wanted}>"
        return self.value(f"{_cast(operand.dtype, self.tile.dtype)} {loaded} : {given} to {wanted}")

    def op(self, name: str, a: str, b: str, lanes: int = 0) -> str:
        """An operation on the type of the result."""
        element = ELEMENTS[self.tile.dtype]
        type_ = f"vector<{lanes}x{element}>" if lanes else element
        return self.value(f"{_op(name, self.tile.dtype)} {a}, {b} : {type_}")

    def term(self, values: Sequence[str], lanes: int = 0) -> str:
        """The term of the tile."""
        return self.tile.term_of(values, lambda name, a, b: self.op(name, a, b, lanes))

    def constant(self, lanes: int = 0) -> str:
        """The start value of a reduction."""
        element = ELEMENTS[self.tile.dtype]
        value = _start(self.tile)
        type_ = f"vector<{lanes}x{element}>" if lanes else element
        return self.value(f"arith.constant {f'dense<{value}>' if lanes else value} : {type_}")

    def store(self, value: str, at: dict[str, str], lanes: int = 0) -> None:
        """Store an element of the result, or a vector."""
        places = ", ".join(at[label] for label in self.tile.out)
        vector = f", vector<{lanes}x{ELEMENTS[self.tile.dtype]}>" if lanes else ""
        self.lines.append(f"tir.store {value}, %C[{places}] : {self.types['C']}{vector}")

    def result(self, at: dict[str, str], lanes: int = 0) -> str:
        """The current value of the result."""
        places = ", ".join(at[label] for label in self.tile.out)
        vector = f", vector<{lanes}x{ELEMENTS[self.tile.dtype]}>" if lanes else ""
        return self.value(f"tir.load %C[{places}] : {self.types['C']}{vector}")

    def nest(self, labels: str, body: Callable[[], None]) -> None:
        """Loops around what ``body`` writes."""
        self.lines += [f"tir.for %{label} in {self.tile.sizes[label]} {{" for label in labels]
        body()
        self.lines += ["}" for _ in labels]


def _cast(given: str, wanted: str) -> str:
    if wanted.startswith("float"):
        if given.startswith("float"):
            return "arith.extf"
        return "arith.uitofp" if given.startswith("u") else "arith.sitofp"
    return "arith.extui" if given.startswith("u") else "arith.extsi"


def _op(name: str, dtype: str) -> str:
    if dtype.startswith("float"):
        names = {"sum": "addf", "prod": "mulf", "sub": "subf", "max": "maximumf", "min": "minimumf"}
        return f"arith.{names[name]}"
    unsigned = "u" if dtype.startswith("u") else "s"
    names = {"sum": "addi", "prod": "muli", "sub": "subi"}
    return f"arith.{names.get(name, f'{name}{unsigned}i')}"


def _start(tile: Tile) -> str:
    """The initial value of a reduction, as text."""
    if tile.dtype.startswith("float"):
        bits = {"float16": 16, "float32": 32, "float64": 64}[tile.dtype]
        largest = {16: "0x7C00", 32: "0x7F800000", 64: "0x7FF0000000000000"}[bits]
        least = {16: "0xFC00", 32: "0xFF800000", 64: "0xFFF0000000000000"}[bits]
        return {"sum": "0.0", "prod": "1.0", "min": largest, "max": least}[tile.combiner]
    info = np.iinfo(tile.dtype)
    top = info.max if not tile.dtype.startswith("u") else -1
    return str({"sum": 0, "prod": 1, "min": top, "max": info.min}[tile.combiner])


def _description(random: Random, tile: Tile, has_init: bool) -> str:
    text = _Text(tile, _types(tile))
    variables = [
        f"{'reduce' if label in tile.reduced else 'spatial'} %v_{label} in {tile.sizes[label]} = "
        + f"%{label}"
        for label in tile.labels
    ]
    at = {label: f"%v_{label}" for label in tile.labels}
    swapped = random.random() < 0.3

    def body() -> None:
        text.lines.append(f'tir.block "C" ({", ".join(variables)})')
        if has_init:
            text.lines.append("init {")
            text.store(text.constant(), at)
            text.lines.append("}")
        text.lines.append("do {")
        old = text.result(at) if tile.reduced else ""
        new = text.term([text.load(operand, at) for operand in tile.operands])
        if tile.reduced:
            new = text.op(tile.combiner, *((new, old) if swapped else (old, new)))
        text.store(new, at)
        text.lines.append("}")

    text.nest(tile.labels, body)
    return "\n".join([text.head("description"), *text.lines, "func.return", "}"])


def _implementation(random: Random, tile: Tile, role: str, has_init: bool) -> str:
    """Element by element, by vectors along the result, or by vectors that are reduced."""
    along = vector_label(tile)
    across = reduced_label(tile)
    styles = ["elements", *(["along"] * 2 if along else []), *(["across"] * 2 if across else [])]
    style = random.choice(styles)
    if style == "across" and role == "init":
        style = "elements"
    layouts: list[Callable[[Sequence[int]], str]] = [
        lambda shape: f", strided<[{', '.join(['?'] * (len(shape) - 1) + ['1'])}], offset: ?>"
    ]
    if style == "elements":
        layouts.append(lambda shape: f", strided<[{', '.join('?' * len(shape))}], offset: ?>")
        layouts.append(lambda shape: f", strided<[{', '.join('?' * len(shape))}], offset: ?>")
        layouts.append(lambda shape: "")
    text = _Text(tile, _types(tile, random.choice(layouts)))
    starts = bool(tile.reduced) and has_init and role == "implementation"
    order = list(tile.out)
    random.shuffle(order)

    def elements() -> None:
        at = {label: f"%{label}" for label in tile.labels}
        if role == "init" or starts:
            text.store(text.constant(), at)
        if role == "init":
            return

        def step() -> None:
            old = text.result(at) if tile.reduced else ""
            new = text.term([text.load(operand, at) for operand in tile.operands])
            text.store(text.op(tile.combiner, old, new) if tile.reduced else new, at)

        text.nest(tile.reduced, step)

    def vectors() -> None:
        assert along is not None
        label, lanes = along, tile.sizes[along]
        element = ELEMENTS[tile.dtype]
        at = {letter: f"%{letter}" if letter != label else "0" for letter in tile.labels}
        if role == "init" or starts:
            text.store(text.constant(lanes), at, lanes)
        if role == "init":
            return

        def step() -> None:
            old = text.result(at, lanes) if tile.reduced else ""
            values: list[str] = []
            for operand in tile.operands:
                if label in operand.labels:
                    values.append(text.load(operand, at, lanes))
                else:
                    scalar = text.load(operand, at)
                    vector = f"vector<{lanes}x{element}>"
                    values.append(text.value(f"vector.broadcast {scalar} : {element} to {vector}"))
            new = text.term(values, lanes)
            new = text.op(tile.combiner, old, new, lanes) if tile.reduced else new
            text.store(new, at, lanes)

        text.nest(tile.reduced, step)

    def reduction() -> None:
        assert across is not None
        lanes = tile.sizes[across]
        element = ELEMENTS[tile.dtype]
        at = {label: f"%{label}" if label != across else "0" for label in tile.labels}
        if starts:
            text.store(text.constant(), at)
        kinds = {"sum": "add", "prod": "mul", "max": "maximumf", "min": "minimumf"}
        kind = kinds[tile.combiner]
        if tile.combiner in ("max", "min") and not tile.dtype.startswith("float"):
            kind = f"{tile.combiner}{'u' if tile.dtype.startswith('u') else 's'}i"

        def step() -> None:
            values = [text.load(operand, at, lanes) for operand in tile.operands]
            new, old = text.term(values, lanes), text.result(at)
            vector = f"vector<{lanes}x{element}>"
            total = text.value(f"vector.reduction <{kind}>, {new}, {old} : {vector} into {element}")
            text.store(total, at)

        text.nest(tile.reduced.replace(across, ""), step)

    if style == "along":
        assert along is not None
        text.nest("".join(label for label in order if label != along), vectors)
    else:
        text.nest("".join(order), elements if style == "elements" else reduction)
    return "\n".join([text.head(role), *text.lines, "func.return", "}"])


def _script(tile: Tile, role: str, has_init: bool) -> Any:
    """The role as a script, whose buffers are dense."""
    shapes = [(operand.name, operand.shape(tile.sizes), operand.dtype) for operand in tile.operands]
    shapes.append(("C", [tile.sizes[label] for label in tile.out], tile.dtype))
    arguments = ", ".join(
        f"{name}: kc.Buffer({tuple(shape)!r}, {dtype!r})" for name, shape, dtype in shapes
    )
    lines = ["@kc.script", f"def {role}({arguments}):"]
    indent = "    "

    def add(line: str) -> None:
        lines.append(indent + line)

    for label in tile.out:
        add(f"for {label} in range({tile.sizes[label]}):")
        indent += "    "
    place = f"C[{', '.join(tile.out) or '()'}]"
    if role == "init" or (tile.reduced and has_init and role == "implementation"):
        add(f"{place} = START")
    if role != "init":
        for label in tile.reduced:
            add(f"for {label} in range({tile.sizes[label]}):")
            indent += "    "
        values: list[str] = []
        for operand in tile.operands:
            at = list(operand.labels)
            if at and operand.step > 1:
                at[-1] += f" * {operand.step}"
            value = f"{operand.name}[{', '.join(at) or '()'}]"
            values.append(
                value if operand.dtype == tile.dtype else f"{value}.astype({tile.dtype!r})"
            )
        signs = {"sum": "+", "sub": "-", "prod": "*"}
        term = tile.term_of(values, lambda name, a, b: f"({a} {signs[name]} {b})")
        combined = {
            "sum": f"{place} + ({term})",
            "prod": f"{place} * ({term})",
            "max": f"te.max({place}, {term})",
            "min": f"te.min({place}, {term})",
        }
        add(f"{place} = {combined.get(tile.combiner, term)}")
    source = "\n".join(lines) + "\n"
    file = f"<{NAME} {role}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    known: dict[str, Any] = {"kc": kc, "te": te, "START": start_value(tile)}
    exec(compile(source, file, "exec"), known)
    return kc.IRModule.parse(str(known[role]))


def declare(random: Random, tile: Tile) -> Any:
    """The intrinsic by ``te.decl_tensor_intrin``, of statements on elements or vectors."""
    tensors = {
        operand.name: te.placeholder(tuple(operand.shape(tile.sizes)), operand.dtype, operand.name)
        for operand in tile.operands
    }
    world = World(tensors, symbolic=True)

    def element(*at: Any) -> Any:
        def term(*over: Any) -> Any:
            places = dict(zip(tile.labels, (*at, *over), strict=True))
            return tile.value(world, lambda operand: tensors[operand.name](*operand.place(places)))

        if not tile.reduced:
            return term()
        sizes = [Size.of(tile.sizes[label]) for label in tile.reduced]
        return world.reduce(tile.combiner, sizes, term, tile.dtype)

    shape = tuple(tile.sizes[label] for label in tile.out)
    result = te.compute(shape, element, name="C", varargs_names=list(tile.out))
    numbers = {tensor.name: n for n, tensor in enumerate(result.op.input_tensors)}
    along = vector_label(tile) if random.random() < 0.6 else None
    parts = 3 if tile.reduced and random.random() < 0.7 else 1
    return te.decl_tensor_intrin(
        result.op, lambda ins, outs: _statements(tile, ins, outs, numbers, along, parts), name=NAME
    )


def _statements(
    tile: Tile, ins: Any, outs: Any, numbers: dict[str, int], along: str | None, parts: int
) -> Any:
    """Body, reset and update, or the first alone."""
    if parts == 1:
        return _statement(tile, ins, outs, numbers, along, "body")
    roles = ("body", "reset", "update")
    return tuple(_statement(tile, ins, outs, numbers, along, role) for role in roles)


def _statement(
    tile: Tile, ins: Any, outs: Any, numbers: dict[str, int], along: str | None, role: str
) -> Any:
    """The statement for ``role``; vectorized along the label ``along``, if it is given."""
    lanes = tile.sizes[along] if along is not None else 1
    wide = f"x{lanes}" if along is not None else ""
    dtype = tile.dtype + wide
    ib = tir.ir_builder.create()
    at: dict[str, Any] = {}

    def read(operand: Operand) -> Any:
        place, buffer = operand.place(at), ins[numbers[operand.name]]
        if along is not None and along in operand.labels:
            value = buffer.vload(list(place), operand.dtype + wide)
            return value if operand.dtype == tile.dtype else value.astype(dtype)
        value = ib.buffer_ptr(buffer)[place]
        value = value if operand.dtype == tile.dtype else value.astype(tile.dtype)
        return value if along is None else value.astype(dtype)

    def store(value: Any) -> None:
        place = [at[label] for label in tile.out]
        if along is None:
            ib.buffer_ptr(outs[0])[tuple(place)] = value
        else:
            ib.emit(outs[0].vstore(place, value))

    def update() -> None:
        value = tile.term_of([read(operand) for operand in tile.operands], apply)
        if tile.reduced:
            place = [at[label] for label in tile.out]
            buffer = ib.buffer_ptr(outs[0])
            old = buffer[tuple(place)] if along is None else outs[0].vload(place, dtype)
            value = World({}, symbolic=True).combine(tile.combiner, old, value)
        store(value)

    with contextlib.ExitStack() as loops:
        for label in tile.out:
            size = tile.sizes[label]
            at[label] = 0 if label == along else loops.enter_context(ib.for_range(0, size))
        if role == "reset" or (role == "body" and tile.reduced):
            start = start_value(tile)
            store(start if along is None else start.astype(dtype))
        if role != "reset":
            with contextlib.ExitStack() as inner:
                for label in tile.reduced:
                    at[label] = inner.enter_context(ib.for_range(0, tile.sizes[label]))
                update()
    return ib.get()
