"""Runs a function of a WebAssembly object in node, without a linker.

An object is a module already: what a linker would fill in has the value that it needs when the
object stands alone, so that only the exports are missing. They are added from its symbol table.
"""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

_EXPORT, _SYMBOL_TABLE = 7, 8
_AFTER_EXPORTS = (8, 9, 12, 10, 11)  # start, elements, number of data segments, code, data
_UNDEFINED, _EXPLICIT_NAME = 0x10, 0x40

# Arguments are arrays, which are copied to memory above the stack, and integers.
_RUN = """
const {bytes, name, args} = JSON.parse(require("fs").readFileSync(0));
const memory = new WebAssembly.Memory({initial: 64});
const module_ = new WebAssembly.Module(Buffer.from(bytes, "base64"));
const env = {
  __linear_memory: memory,
  __stack_pointer: new WebAssembly.Global({value: "i32", mutable: true}, 1 << 20),
  __indirect_function_table: new WebAssembly.Table({initial: 16, element: "anyfunc"}),
  __table_base: 1,
};
let top = 1 << 20;
env.aligned_alloc = (alignment, size) => {
  const at = Math.ceil(top / alignment) * alignment;
  top = at + size;
  return at;
};
env.free = () => {};
for (const {module, name, kind} of WebAssembly.Module.imports(module_))
  if (!(name in env)) throw new Error(`the object needs ${module}.${name}, a ${kind}`);
const instance = new WebAssembly.Instance(module_, {env});
const places = [];
const given = args.map((arg) => {
  if (typeof arg === "number") return BigInt(arg);
  const data = Buffer.from(arg, "base64"), at = env.aligned_alloc(64, data.length);
  new Uint8Array(memory.buffer).set(data, at);
  places.push([at, data.length]);
  return at;
});
instance.exports[name](...given);
const read = ([at, size]) => Buffer.from(memory.buffer, at, size).toString("base64");
console.log(JSON.stringify(places.map(read)));
"""


def call(path: Path, name: str, args: Sequence[Any]) -> list[Any]:
    """The arrays among ``args`` after ``name(*args)`` of the object has run."""
    request = {
        "bytes": base64.b64encode(with_exports(path.read_bytes())).decode(),
        "name": name,
        "args": [arg if isinstance(arg, int) else base64.b64encode(arg).decode() for arg in args],
    }
    done = subprocess.run(
        ["node", "-e", _RUN], input=json.dumps(request), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    arrays = [arg for arg in args if not isinstance(arg, int)]
    return [
        np.frombuffer(base64.b64decode(data), array.dtype).reshape(array.shape)
        for data, array in zip(json.loads(done.stdout), arrays, strict=True)
    ]


def with_exports(data: bytes) -> bytes:
    """The object with its public functions exported."""
    sections = list(_sections(data))
    entries: list[bytes] = []
    for kind, body in sections:
        if kind == 0 and body.startswith(b"\x07linking"):
            entries = [_string(name) + b"\0" + _number(at) for name, at in _functions(body)]
    exports = _number(len(entries)) + b"".join(entries)
    output, done = bytearray(data[:8]), False
    for kind, body in sections:
        if kind in _AFTER_EXPORTS and not done:
            output += bytes([_EXPORT]) + _number(len(exports)) + exports
            done = True
        output += bytes([kind]) + _number(len(body)) + body
    return bytes(output)


def _sections(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 8
    while at < len(data):
        kind = data[at]
        size, at = _read(data, at + 1)
        yield kind, data[at : at + size]
        at += size


def _functions(linking: bytes) -> Iterator[tuple[bytes, int]]:
    """Name and index of each function that is defined and not local."""
    at = 9  # its name, its version
    while at < len(linking):
        kind = linking[at]
        size, at = _read(linking, at + 1)
        if kind == _SYMBOL_TABLE:
            yield from _symbols(linking[at : at + size])
        at += size


def _symbols(table: bytes) -> Iterator[tuple[bytes, int]]:
    count, at = _read(table, 0)
    for _ in range(count):
        kind = table[at]
        flags, at = _read(table, at + 1)
        index, name = 0, b""
        if kind == 1:  # data: a name, and where it is if it is here
            name, at = _read_string(table, at)
            for _ in range(0 if flags & _UNDEFINED else 3):
                _, at = _read(table, at)
        else:
            index, at = _read(table, at)
            if kind != 3 and (flags & _EXPLICIT_NAME or not flags & _UNDEFINED):
                name, at = _read_string(table, at)
        if kind == 0 and not flags & (_UNDEFINED | 2):
            yield name, index


def _read(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length (LEB128), and what is behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def _read_string(data: bytes, at: int) -> tuple[bytes, int]:
    size, at = _read(data, at)
    return data[at : at + size], at + size


def _number(value: int) -> bytes:
    output = bytearray()
    while value >= 128:
        output.append(value & 127 | 128)
        value >>= 7
    return bytes([*output, value])


def _string(text: bytes) -> bytes:
    return _number(len(text)) + text
