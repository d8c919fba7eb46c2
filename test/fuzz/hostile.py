"""Hostile input for every loader: valid texts and files with what an attacker would put into them.

IR, TVMScript, files in an editor, JSON of ``kc.ir``, traces (JSON, Python, IR), saved modules,
entries of the compile cache, targets, pipelines of passes and the metadata of plugins. Whatever is
read, nothing of it may run, open a file that it names, start a process, take more than
:data:`SECONDS` or :data:`MEMORY`, or end in anything but a diagnostic. Files, processes, imports
and pickles are watched by an audit hook of Python, which stops what is forbidden.
"""

from __future__ import annotations

import base64
import contextlib
import gc
import hashlib
import json
import os
import pickle
import re
import resource
import signal
import struct
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from texts import modules, mutated, script_mutant

import kc
from kc import te, tir
from kc.building import compile_cache
from kc.runtime.metadata import MAGIC
from kc.script import from_source
from kc.support import plugins
from kc.support.diagnostics import KCError, diagnostic_handler
from kc.support.options import parse_pipeline
from kc.support.registry import context
from kc.support.target import Target
from kc.tools.lsp.document import Document
from kc.tools.lsp.python_files import problems
from kc.transforms.pass_runner import Pipeline, make_stages
from kc.tvm.bounds import arguments

if TYPE_CHECKING:
    from cases import Outcome

SECONDS = 5.0
"""Of processor time, for one input."""
MEMORY = 2 << 30
"""The bytes by which reading one input may make the process larger."""
ROOM = 6 << 30
"""The bytes of address space that it gets: stacks of threads are reserved, and not used."""


class Forbidden(BaseException):
    """Something that no input may cause; no handler of exceptions of Python's catches it."""


@dataclass
class Traps:
    """A folder with what a hostile input may name."""

    folder: Path
    named: Path = field(init=False)
    """The named files; the rest of the folder belongs to the reader of the input."""
    secret: Path = field(init=False)
    fifo: Path = field(init=False)
    mark: Path = field(init=False)
    """A file that code would make."""

    def __post_init__(self) -> None:
        self.named = self.folder / "named"
        self.named.mkdir()
        self.secret = self.named / "secret.py"
        self.fifo = self.named / "fifo.ll"
        self.mark = self.named / "mark"
        self.secret.write_text(f"import os\nos.mkdir({str(self.mark)!r})\n")
        os.mkfifo(self.fifo)

    def names(self) -> tuple[str, ...]:
        """The files that a text may name."""
        return (str(self.secret), str(self.fifo), str(self.mark), "/etc/passwd", "/dev/zero")


# What is forbidden -------------------------------------------------------------------------------

_watched: Watch | None = None
_PROCESSES = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty")
_ALWAYS = (*_PROCESSES, "pickle.find_class", "socket.connect", "socket.bind", "webbrowser.open")


class Watch:
    """Records, and stops, what is forbidden while an input is read."""

    def __init__(self, traps: Traps) -> None:
        self.traps = traps
        self.seen: list[str] = []

    def check(self, event: str, args: tuple[Any, ...]) -> None:
        """Stop an event that is forbidden."""
        what = ""
        if event == "subprocess.Popen" and args[0] == sys.executable:
            return  # kc's own compiler of code that may end its process
        if event in _ALWAYS:
            what = f"{event} {args[:2]!r:.200}"
        elif event in ("open", "os.mkdir", "os.listdir", "ctypes.dlopen"):
            name = args[0]
            if isinstance(name, str | bytes | os.PathLike) and not self._may_open(
                os.fsdecode(name)
            ):
                what = f"{event} of {os.fsdecode(name)!r:.200}"
        elif event == "import" and str(args[0]).startswith(("secret", "hostile_module")):
            what = f"import of {args[0]}"
        if what:
            self.seen.append(what)
            raise Forbidden(what)

    def _may_open(self, name: str) -> bool:
        inside = name.startswith(str(self.traps.named))
        return not inside and name not in ("/etc/passwd", "/dev/zero")


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if _watched is not None:
        _watched.check(event, args)


@cache
def _install() -> None:
    sys.addaudithook(_hook)


def peak_memory() -> int:
    """The most bytes that the process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _too_long(*_: Any) -> None:
    raise Forbidden(f"it takes more than {SECONDS:g} seconds")


@contextlib.contextmanager
def limited(watch: Watch) -> Iterator[None]:
    """Forbid what no input may cause. Raises AssertionError where it happened."""
    global _watched
    _install()
    before = peak_memory()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGPROF, _too_long) if is_main else None
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, limits[1]))
    try:
        if is_main:
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
        _watched = watch
        yield
    except Forbidden as what:
        raise AssertionError(str(what)) from what
    finally:
        _watched = None
        if is_main:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, handler)
        resource.setrlimit(resource.RLIMIT_AS, limits)
    assert not watch.seen, watch.seen
    assert not watch.traps.mark.exists(), "code of the input ran"
    grown = peak_memory() - before
    assert grown < MEMORY, f"it took {grown >> 20} MiB"


# Hostile words -----------------------------------------------------------------------------------

HUGE = (
    *("9223372036854775807", "9223372036854775808", "-9223372036854775809", "4294967296"),
    *("1" + "0" * 30, "9" * 400, "9" * 5000, "0x" + "F" * 5000, "1e400", "-1e-400"),
    *("4611686018427387904", "1099511627776", "1000000000", "1.0e308", "0", "-1"),
)


def code(traps: Traps) -> str:
    """Python that leaves a mark."""
    return f"__import__('os').mkdir({str(traps.mark)!r})"


class Bomb:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark: str) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return os.mkdir, (self.mark,)


def words(random: Random, traps: Traps) -> str:
    """A word that an attacker would write for another."""
    depth = random.choice((60, 2000, 60000))
    text = random.choice(
        (
            *(
                code(traps),
                *traps.names(),
                "os.system",
                "kc.expr.rewrite:dataclasses.types.CodeType",
            ),
            *("__class__", "__globals__", "hostile_module", "hostile_module:main", "../" * 30),
            *("%n" * 20, "{0.__class__}", "\0", "\x1b[2J", "\u202e", "a" * 100_000, "$(touch x)"),
            *("[" * depth, "(" * depth, "{" * depth, "[" * depth + "]" * depth),
            *("(" * depth + "1" + ")" * depth, " + ".join(["1"] * 3000), "4 * " * 900 + "1"),
            *("%i" + " + %i" * random.choice((400, 3000)), "(" * 400 + "1" + " mod 7)" * 400),
        )
    )
    return random.choice((text, random.choice(HUGE)))


def damaged_bytes(random: Random, data: bytes) -> bytes:
    """A file that was cut, or whose bytes were changed."""
    kind = random.randrange(4)
    at = random.randrange(len(data) + 1)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + random.randbytes(random.choice((1, 4, 100))) + data[at:]
    changed = bytearray(data)
    for _ in range(random.choice((1, 8, 64))):
        if changed:
            changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


# Texts -------------------------------------------------------------------------------------------

TYPES = (
    "tensor<1099511627776xi32>", "memref<4611686018427387904x4611686018427387904xf32>",
    "vector<4611686018427387904xf32>", "i16777215", "i99999999", "vector<[4]x[4]xf32>",
    f"memref<{'1x' * 2000}f32>", f"tensor<{'2x' * 70}f32>", f"{'tuple<' * 900}i32{'>' * 900}",
    "memref<8xf32, affine_map<(d0) -> (d0 * 9223372036854775807 * 9223372036854775807)>>",
    f"memref<8xf32, affine_map<(d0) -> ({'(' * 300}d0{' + 1)' * 300})>>",
    f"memref<8xf32, affine_map<(d0) -> ({' + '.join(['d0'] * 3000)})>>",
    "memref<?xf32, strided<[9223372036854775807], offset: 9223372036854775807>>",
    f"!llvm.struct<({', '.join(['i8'] * 3000)})>", "!llvm.array<9223372036854775807 x i8>",
)  # fmt: skip
ATTRIBUTES = (
    "dense<1> : tensor<134217728xi32>", "dense<1.5> : vector<1048576x1024xf32>",
    "dense<1> : tensor<1099511627776xi32>", "dense<1.0> : tensor<1048576x1048576xf64>",
    "dense<0> : vector<4611686018427387904xi8>", "sparse<0, 1> : tensor<4611686018427387904xi8>",
    'dense<"0x00"> : tensor<1099511627776xi8>', "array<i64: 9223372036854775808>",
    f"{'[' * 3000}{']' * 3000}", f"{'{a = ' * 500}1{'}' * 500}", f"1{'0' * 5000} : i64",
    f"{'9' * 400} : index", "0x" + "F" * 5000 + " : i64", "dense_resource<a> : tensor<4xi8>",
    f"affine_map<({', '.join(f'd{n}' for n in range(3000))}) -> ()>",
    f"affine_map<(d0) -> (d0{' mod 9223372036854775807' * 400})>",
    f"affine_set<(d0) : ({'(' * 200}d0{')' * 200} >= 0)>", f"@{'a' * 9000}", "1e400 : f32",
    'dense<"0x' + "00" * 99 + '"> : tensor<4xi8>', f"dense<{'[' * 200}1{']' * 200}> : tensor<1xi8>",
)  # fmt: skip


def hostile_ir(random: Random, traps: Traps) -> str:
    """A module of the tests with hostile numbers, types, attributes and locations."""
    text = random.choice(modules())
    for _ in range(random.randint(1, 3)):
        kind = random.randrange(12)
        lines = text.split("\n")
        at = random.randrange(len(lines))
        if kind == 0:
            file = random.choice(traps.names())
            lines[at] = lines[at].rstrip() + f' loc("{file}":{random.choice((1, 2, 10**12))}:1)'
        elif kind == 1:
            attribute = random.choice(ATTRIBUTES)
            lines.insert(0, f'"test.op"() {{a = {attribute}}} : () -> ()')
        elif kind == 2:
            lines.insert(0, f"func.func private @hostile({random.choice(TYPES)})")
        elif kind == 3:
            key = random.choice(("kc.target", "kc.entry", "kc.shape", "kc.dtype", "a"))
            word = json.dumps(words(random, traps)[:4000], ensure_ascii=False)
            lines = [f"module attributes {{{key} = {word}}} {{", *lines, "}"]
        elif kind == 4:
            depth = random.choice((50, 300, 1500))
            lines = ["module {"] * depth + lines + ["}"] * depth
        elif kind == 5:
            lines.insert(0, '{-# dialect_resources: {builtin: {a: "0x' + "08" * 40 + '"}} #-}')
        else:
            text = _replaced(random, text, words(random, traps))
            continue
        text = "\n".join(lines)
    return text


def _resized(random: Random, text: str) -> str:
    """``text`` with one of its numbers made huge wherever it stands: it may be valid still."""
    numbers = sorted(set(re.findall(r"(?<![\w.%@#-])\d+(?![\w.])|(?<=[<x])\d+(?=x)", text)))
    if not numbers:
        return text
    number = random.choice(numbers)
    size = random.choice((2**16, 2**20, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1))
    place = rf"(?<![\w.%@#-]){number}(?![\w.])|(?<=[<x]){number}(?=x)|(?<=[ =]){number}(?=x)"
    return re.sub(place, str(size), text)


def _replaced(random: Random, text: str, word: str) -> str:
    """``text`` with ``word`` for one of its numbers or quoted words."""
    places = list(re.finditer(r'(?<![\w.%@#])-?\d+(\.\d+)?|"[^"\n]*"', text))
    if not places:
        return text + word
    place = random.choice(places)
    new = json.dumps(word, ensure_ascii=False) if place[0].startswith('"') else word
    return text[: place.start()] + new + text[place.end() :]


def read_ir(text: str) -> None:
    """Read IR as the tools do; what is valid is printed, scheduled, shown and canonicalized."""
    module = kc.IRModule.parse(text)
    str(module)
    with contextlib.suppress(KCError):
        sch = tir.Schedule(module)
        sch.report(os.path.join(os.getcwd(), "own.html"))
    with contextlib.suppress(KCError):
        Pipeline(make_stages(parse_pipeline("builtin.module(canonicalize)"))).run(
            context(), module.op
        )


EXPRESSIONS = (
    "10 ** 10 ** 8", "2 ** 2 ** 40", "pow(3, 10 ** 7)", "max(range(10 ** 12))", "1 << 10 ** 11",
    "'a' * 10 ** 11", "(1,) * 10 ** 11", "len([x for x in range(10 ** 9)])", "1.5 in range(10**12)",
    "len([1 for x in range(60000) for y in range(60000)])", "round(5, -10 ** 9)", "'%9999999d' % 1",
    "int('9' * 60000)", "T.Broadcast(1, 10 ** 9)", "T.Ramp(0, 1, 10 ** 9)", "T.int32(10 ** 400)",
    "B.__class__", "().__class__.__base__", "T.__dict__", "open('/etc/passwd')", "eval('1')",
    "__import__('os')", "T.call_extern('int32', 'system', B.data)", "f'{1:999999999d}'",
    "-" * 3000 + "1", "+".join(["1"] * 900), "(" * 150 + "1" + ")" * 150, "float('1e400')",
    "abs(-10 ** 1200)", "min(10 ** 1200, 2)", "[[1] * 300] * 300", "T.Select(1 < 2, 10 ** 30, 1)",
    "sum([1] * 60000)", "T.shift_left(1, 10 ** 9)", "T.large_uint_imm('uint64', 10 ** 30, 1)",
    "T.Shuffle([B[0:8]], [0] * 60000)", "lambda: 1", "B[10 ** 30]", "B[T.Ramp(0, 1, 2 ** 40)]",
)  # fmt: skip


def hostile_script(random: Random, traps: Traps) -> str:
    """A kernel in TVMScript with hostile expressions."""
    text = script_mutant(random, 0)
    for _ in range(random.randint(1, 2)):
        chosen = random.choice((*EXPRESSIONS, words(random, traps)))
        text = _replaced(random, text, chosen) if random.random() < 0.8 else mutated(random, text)
    return text


def read_script(text: str) -> None:
    """Read TVMScript, and print what is valid."""
    with warnings.catch_warnings(action="ignore"):  # Python's, of numbers before names
        str(from_source(text))


def hostile_document(random: Random, traps: Traps) -> tuple[str, str]:
    """A file in an editor, IR or Python, and what it is after a change."""
    make = random.choice((hostile_ir, hostile_script))
    first = make(random, traps)
    return first, random.choice((make(random, traps), first[: random.randrange(len(first) + 1)]))


def read_document(given: tuple[str, str]) -> None:
    """Let the language server read a file that is opened and changed."""
    document = Document("hostile.mlir", given[0])
    document.update(given[1])
    for text in given:
        with warnings.catch_warnings(action="ignore"):
            problems(f"import tvm\n{text}")


# JSON --------------------------------------------------------------------------------------------


@cache
def _schedules() -> tuple[tuple[Any, ...], ...]:
    """Schedules to write as JSON, and traces."""
    A = te.placeholder((16, 16), name="A")
    k = te.reduce_axis((0, 16), "k")
    B = te.compute((16, 16), lambda i, j: te.sum(A[i, k] * A[k, j], axis=k), name="B")
    C = te.compute((16, 16), lambda i, j: te.exp(B[i, j]) + 1.0, name="C")
    s = te.create_schedule(C.op)
    i_o, _, _, j_i = s[C].tile(C.op.axis[0], C.op.axis[1], 4, 4)
    s[B].compute_at(s[C], i_o)
    s[C].vectorize(j_i)
    sch = tir.Schedule(te.create_prim_func([A, C]), seed=1)
    i, j, _ = sch.get_loops("B")
    outer, _ = sch.split(i, sch.sample_perfect_tile(i, 2))
    sch.reorder(j, outer)
    sch.parallel(sch.get_loops("C")[0])
    return (s, sch, kc.lower(s, [A, C]), C, C.op, B[1, 2] + 1.0, sch.trace), (sch,)


def hostile_json(random: Random, traps: Traps) -> str:
    """The text of ``kc.ir.save_json``, with hostile values."""
    written = json.loads(kc.ir.save_json(random.choice(_schedules()[0])))
    bomb = base64.b64encode(pickle.dumps(Bomb(str(traps.mark)))).decode()
    if random.random() < 0.1:
        written["pickle"] = bomb
    text = json.dumps(_hostile_tree(random, traps, written))
    if random.random() < 0.2:
        return damaged_bytes(random, text.encode()).decode(errors="replace")
    return text


def _hostile_tree(random: Random, traps: Traps, tree: Any) -> Any:
    """Data of JSON with some of its parts replaced, left out or doubled."""
    for _ in range(random.randint(1, 3)):
        parts, key = tree, 0
        holder: Any = None
        while isinstance(parts, dict | list) and parts:
            keys = list(parts) if isinstance(parts, dict) else list(range(len(parts)))
            holder, key = parts, random.choice(keys)
            parts = holder[key]
            if random.random() < 0.1:
                break
        if holder is None:
            return tree
        kind = random.randrange(5)
        if kind == 0:
            del holder[key]
        elif kind == 1 and isinstance(holder, list):
            holder.append(parts)
        else:
            holder[key] = _hostile_value(random, traps, parts)
    return tree


def _hostile_value(random: Random, traps: Traps, old: Any) -> Any:
    nested: Any = old
    for _ in range(random.choice((1, 50, 400))):
        nested = [nested]
    values = (
        *(None, True, -1, 2**62, 2**70, 10**400, 1e308, float("inf"), float("nan"), {}, [], ""),
        *(nested, {"node": 0}, {"node": 10**30}, {"class": "os.system"}, {"dict": [[[], []]]}),
        *({"tuple": [old, old]}, [old] * 3, {"float": "nan"}, words(random, traps), "A", "B", "C"),
        *({"location": [random.choice(traps.names()), 1, 1]}, [random.choice(traps.names()), 1, 1]),
    )
    return random.choice(values)


def read_json(text: str) -> None:
    """Read JSON; a schedule that is read is printed, and reported on."""
    node = kc.ir.load_json(text)
    if isinstance(node, tir.Schedule):
        node.report(os.path.join(os.getcwd(), "own.html"))
    elif isinstance(node, kc.IRModule):
        str(node)
    elif isinstance(node, te.Schedule):
        str(node)
        str(kc.lower(node, arguments(node)))
    else:
        repr(node)


def hostile_trace(random: Random, traps: Traps) -> tuple[str, str]:
    """A trace in one of its forms, which is named first."""
    trace = _schedules()[1][0].trace
    form = random.choice(("json", "python", "mlir"))
    if form == "json":
        data = _hostile_tree(random, traps, json.loads(json.dumps(trace.as_json())))
        return form, json.dumps(data)
    text = str(trace.as_python() if form == "python" else trace.as_mlir())
    for _ in range(random.randint(1, 2)):
        word = random.choice((*EXPRESSIONS, words(random, traps)))
        text = _replaced(random, text, word) if random.random() < 0.7 else mutated(random, text)
    return form, text


def read_trace(given: tuple[str, str]) -> None:
    """Read a trace, and perform it on the module that it was recorded on."""
    form, text = given
    trace = getattr(tir.Trace, f"from_{form}")(text)
    str(trace)
    sch = _schedules()[1][0]
    trace.apply_to(sch.copy()._original)


# Files -------------------------------------------------------------------------------------------


@cache
def _files() -> dict[str, bytes]:
    """Saved modules, by their formats."""
    A = te.placeholder((te.var("n"),), name="A")
    B = te.compute(A.shape, lambda i: A[i] + 1.0, name="B")
    built = kc.build(te.create_schedule(B.op), [A, B], name="add")
    with tempfile.TemporaryDirectory() as folder:
        saved = {}
        for kind in ("o", "ll", "bc", "mlir"):
            file = Path(folder) / f"add.{kind}"
            built.save(str(file))
            saved[kind] = file.read_bytes()
    return saved


def hostile_file(random: Random, traps: Traps) -> tuple[str, bytes]:
    """A saved module that was damaged, or whose record was written by somebody else."""
    kind, data = random.choice(list(_files().items()))
    at = data.find(MAGIC)
    if at < 0 or random.random() < 0.4:
        return kind, damaged_bytes(random, data)
    start = at + len(MAGIC)
    length, _ = struct.unpack_from("<Q32s", data, start)
    text = data[start + 40 : start + 40 + length]
    record = _hostile_tree(random, traps, json.loads(text))
    new = json.dumps(record).encode()
    if random.random() < 0.1:
        new = damaged_bytes(random, new)
    head = struct.pack("<Q32s", len(new), hashlib.sha256(new).digest())
    return kind, data[:start] + head + new + bytes(33) + data[start + 40 + length + 33 :]


def read_file(given: tuple[str, bytes], watch: Watch) -> None:
    """Load a saved module, without running its code."""
    kind, data = given
    path = watch.traps.folder / f"own.{kind}"
    path.write_bytes(data)
    kc.runtime.load_module(str(path))


def hostile_entry(random: Random, traps: Traps) -> bytes:
    """An entry of the compile cache that was damaged or written by somebody else."""
    rest = b"text" + b"object"
    head: Any = {
        "key": {"target": "llvm"},
        "created": 1.0,
        "text": 4,
        "exports": {"main": ["main", 0]},
        "sha256": hashlib.sha256(rest).hexdigest(),
    }
    if random.random() < 0.7:
        head = _hostile_tree(random, traps, head)
    data = compile_cache._MAGIC + json.dumps(head).encode() + b"\n" + rest
    return damaged_bytes(random, data) if random.random() < 0.5 else data


def read_entry(data: bytes, watch: Watch) -> None:
    """Look an entry up; one that is whole is given, any other removed."""
    path = watch.traps.folder / f"own{compile_cache.SUFFIX}"
    path.write_bytes(data)
    compile_cache._load(path)


# Words of a line ---------------------------------------------------------------------------------

TARGETS = (
    *("llvm -mcpu=znver4", "cuda -arch=sm_90a", "c", "llvm -mtriple=aarch64-linux-gnu -mattr=+sve"),
    *('{"kind": "llvm", "mcpu": "znver4", "num-cores": 4}', "metal", "opencl -device=mali"),
    *("llvm -num-cores=4 -keys=cpu,avx", "cuda -max_threads_per_block=1024 --host=llvm"),
)


def hostile_target(random: Random, traps: Traps) -> str:
    """A target with hostile values."""
    text = random.choice(TARGETS)
    if text.startswith("{") and random.random() < 0.7:
        return json.dumps(_hostile_tree(random, traps, json.loads(text)))
    parts = text.split("=")
    at = random.randrange(len(parts) + 1)
    return "=".join([*parts[:at], words(random, traps), *parts[at:]])


def read_target(text: str) -> None:
    """Read a target, and print it."""
    str(Target(text))


PIPELINES = (
    *("builtin.module(split{block=B loop=i factors=?,4})", "builtin.module(tile{factors=4,4})"),
    *("builtin.module(unroll{block=B loop=i},canonicalize)", "builtin.module(vectorize)"),
    *("builtin.module(split{block=C loop=j factors=2,?},lower-to-llvm)", "builtin.module(unroll)"),
)


def hostile_pipeline(random: Random, traps: Traps) -> str:
    """A pipeline of passes with hostile options."""
    text = random.choice(PIPELINES)
    return (
        _replaced(random, text, words(random, traps))
        if random.random() < 0.7
        else mutated(random, text)
    )


def read_pipeline(text: str) -> None:
    """Read a pipeline, and run it on loops."""
    stages = make_stages(parse_pipeline(text))
    Pipeline(stages).run(context(), _schedules()[1][0].copy()._original.clone())


def hostile_metadata(random: Random, traps: Traps) -> bytes:
    """The entry points of a package that is no plugin."""
    value = random.choice(("hostile_module", "os:system", "os", ":", "a:b[", words(random, traps)))
    text = f"[{plugins.GROUP}]\n{random.choice(('x', words(random, traps)))} = {value}\n"
    data = text.encode(errors="replace")
    return damaged_bytes(random, data) if random.random() < 0.3 else data


def read_metadata(data: bytes, watch: Watch) -> None:
    """Find the plugins of a package. What a package names is imported: it is installed."""
    package = watch.traps.folder / "own" / "hostile-1.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1\n")
    (package / "entry_points.txt").write_bytes(data)
    path = sys.path[:]
    sys.path.insert(0, str(package.parent))
    try:
        plugins._entry_points_on.__wrapped__(tuple(sys.path), plugins.GROUP)
    finally:
        sys.path[:] = path


LOADERS: dict[str, tuple[Callable[[Random, Traps], Any], Callable[..., None]]] = {
    "IR": (hostile_ir, read_ir),
    "TVMScript": (hostile_script, read_script),
    "document": (hostile_document, read_document),
    "JSON": (hostile_json, read_json),
    "trace": (hostile_trace, read_trace),
    "saved module": (hostile_file, read_file),
    "cache entry": (hostile_entry, read_entry),
    "target": (hostile_target, read_target),
    "pipeline": (hostile_pipeline, read_pipeline),
    "plugin": (hostile_metadata, read_metadata),
}
_SHARES = {"IR": 6, "TVMScript": 4, "JSON": 4, "trace": 4}
_OF_FILES = (read_file, read_entry, read_metadata)


def run(random: Random, keep: int | None, native: bool, outcome: Outcome) -> None:
    """Read one hostile input."""
    del keep, native
    names = list(LOADERS)
    name = random.choices(names, [_SHARES.get(name, 2) for name in names])[0]
    make, read = LOADERS[name]
    _files()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        traps = Traps(Path(folder))
        outcome.stage = f"hostile {name}"
        given = make(random, traps)
        outcome.original = outcome.source = given if isinstance(given, str) else repr(given)
        watch = Watch(traps)
        with diagnostic_handler(lambda _: None), limited(watch):
            try:
                read(given, watch) if read in _OF_FILES else read(given)
                outcome.checks.append(f"read {name}")
            except KCError:
                outcome.checks.append(f"refused {name}")
    gc.collect(0)
    outcome.stage = "done"
