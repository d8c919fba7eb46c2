"""convert-gpu-to-cpu: kernels and their launches as functions that a CPU runs.

Before::

    gpu.launch_func @kernels::@k blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%A : memref<?xf32>)
    gpu.module @kernels {
      gpu.func @k(%A: memref<?xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>)
          kernel {
        %t = gpu.thread_id x
        ...
        gpu.barrier
        ...

After::

    func.call @kernels_k_launch(%n, %c1, %c1, %c64, %c1, %c1, %c0, %A)
    func.func private @kernels_k_launch(%grid_x: index, ...) {
      scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
        %S = memref.alloc() : memref<64xf32>
        ... for each thread: %thread = func.call @kernels_k_thread(%A, %S, ...) -> !llvm.ptr
        func.call @kc_emu_run(%threads, %states, %count, %step)
        ...
    func.func private @kernels_k_thread(%A: memref<?xf32>, %S: memref<64xf32>, ..., %tid_x: index,
        ..., %number: index, %states: memref<?xi32>, ...) -> !llvm.ptr attributes {kc.coroutine} {
      ...
      memref.store %site, %states[%number]
      func.call @kc_suspend()
      ...

A block is an iteration of a parallel loop, a thread a call. Where threads wait for each other it is
a coroutine (``make-coroutines``): it is suspended there, with what it waits for in its word of
``states``, and ``kc_emu_run`` (``emulator.c``) resumes those that may go on. A shuffle is two such
places: a lane leaves its value in ``lanes``, and reads that of another when all have come.
Memory of a block is allocated for each; that of the device is the host's, and so is the target of
what is left.

With ``check`` blocks run one after the other, and each access asks ``kc_emu_access`` first, which
notes it, and has it left out where it is outside of the buffer. ``kc.emulator.sites``, an attribute
of the module, lists these places.

Requires: kernels are outlined (``gpu-kernel-outlining``), and no ``tir`` is left in them.

Raises CodegenError, with the module unchanged: KC4302 for what kernels do that is not emulated,
KC4364 for more arrays than are watched.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FixedBitwidthType,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StridedLayoutAttr,
    StringAttr,
    UnitAttr,
    VectorType,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint, Rewriter

from kc.conversion._foreign_calls import POINTERS
from kc.conversion._gpu_printf import Format, format_of
from kc.conversion.convert_to_llvm.types import element_size
from kc.dialects import gpu, llvm
from kc.dialects.arith import CmpiOp, SelectOp
from kc.dialects.gpu import GPUFuncOp, GPUModuleOp, LaunchFuncOp
from kc.support.diagnostics import CodegenError
from kc.support.fresh_names import fresh_name
from kc.support.ir_text import parse_module
from kc.support.locations import location_of
from kc.support.pass_context import pipeline_options
from kc.support.target import target_of
from kc.transforms.gpu._lanes import WARP_SIZE, shuffle_source
from kc.transforms.gpu.gpu_serialize_threads import SERIAL

COROUTINE = "kc.coroutine"
"""The attribute of a function that is suspended where it calls :data:`SUSPEND`."""
SUSPEND = "kc_suspend"
SITES = "kc.emulator.sites"
"""The attribute of the module: the places that findings name."""
DONE, BLOCK, WARP = -1, 1, 2
"""What a thread waits for (``emulator.c``): the low bits of its state, the site above them."""
IS_WRITE, IS_INSIDE, IS_ATOMIC = 1, 2, 4
GLOBAL, SHARED = 0, 1
MAX_BUFFERS = 64

_INDEX = IndexType()
_POINTER = LLVMPointerType()
_OF_A_BLOCK = tuple(f"{what}_{axis}" for what in ("grid", "block", "bid") for axis in "xyz")
"""The numbers that all threads of a block get."""
_OF_A_THREAD = ("tid_x", "tid_y", "tid_z", "thread")
_IDS: dict[type[Operation], str] = {
    gpu.GridDimOp: "grid",
    gpu.BlockDimOp: "block",
    gpu.BlockIdOp: "bid",
    gpu.ThreadIdOp: "tid",
}


@dataclass(frozen=True)
class ConvertGpuToCpuPass(ModulePass):
    """Make functions for a CPU of kernels and launches.

    ``check``: watch what the kernels do.
    """

    name = "convert-gpu-to-cpu"

    check: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        homes = [home for home in op.ops if isinstance(home, GPUModuleOp)]
        kernels: list[_Kernel] = []
        for home in homes:
            for inner in home.body.block.ops:
                if not isinstance(inner, GPUFuncOp) or not inner.is_kernel:
                    raise _unsupported(inner)
                kernels.append(_Kernel(home, inner))
        check = self.check or pipeline_options().watched
        for kernel in kernels:
            kernel.require_supported(check)
        for host in op.ops:
            if not isinstance(host, GPUModuleOp):
                _require_supported_host(host)
        _Module(ctx, op, check).convert(homes, kernels)


def _unsupported(op: Operation, why: str | None = None) -> CodegenError:
    return CodegenError(
        "KC4302",
        f"convert-gpu-to-cpu: {op.name} is not emulated",
        location=location_of(op),
        why=why,
    )


def _require_supported_host(host: Operation) -> None:
    for op in host.walk():
        if op.name.startswith(("gpu.", "nvvm.")) and not isinstance(op, (LaunchFuncOp, *_HOST)):
            raise _unsupported(op)


class _Kernel:
    """A kernel, and what is asked of its threads."""

    def __init__(self, home: GPUModuleOp, function: GPUFuncOp) -> None:
        self.function = function
        self.home = home.sym_name.data
        self.name = function.sym_name.data
        self.is_serial = SERIAL in function.attributes
        self.numbers = _OF_A_BLOCK if self.is_serial else (*_OF_A_BLOCK, *_OF_A_THREAD)
        """The numbers that what is called gets."""
        self.waits = any(isinstance(op, gpu.BarrierOp | gpu.ShuffleOp) for op in function.walk())
        self.prints = any(isinstance(op, gpu.PrintfOp) for op in function.walk())
        self.dynamic = [op for op in function.walk() if isinstance(op, gpu.DynamicSharedMemoryOp)]
        self.granule = min(
            (
                element_size(op.results[0].type)  # pyright: ignore[reportArgumentType]
                for op in function.walk()
                if isinstance(op, memref.ViewOp)
            ),
            default=1,
        )
        """Bytes of the smallest element of the dynamic memory of a block."""
        self.arguments = [_plain(arg.type) for arg in function.arguments]
        self.shared = [_plain(arg.type) for arg in function.workgroup_memory]

    def require_supported(self, check: bool) -> None:
        """Refuse what is not emulated."""
        if self.is_serial and check:
            raise _unsupported(self.function, "one thread runs its block, and is not watched")
        for op in self.function.body.walk():
            if isinstance(op, gpu.ShuffleOp) and _bits(op.value.type) > 64:
                raise _unsupported(op, "a value that lanes exchange has at most 64 bits")
            if isinstance(op, gpu.PrintfOp):
                problem = format_of(op.format.data, [arg.type for arg in op.args])
                if isinstance(problem, str):
                    raise _unsupported(op, problem)
            if not isinstance(op, _DEVICE) and op.name.startswith(("gpu.", "nvvm.", "func.")):
                raise _unsupported(op)
        arrays = [type_ for type_ in self.arguments if isinstance(type_, MemRefType)]
        count = len(arrays) + len(self.shared) + bool(self.dynamic)
        if check and count > MAX_BUFFERS:
            raise CodegenError(
                "KC4364",
                f"convert-gpu-to-cpu: @{self.name} has {count} arrays, and at most {MAX_BUFFERS} "
                "can be watched",
                location=location_of(self.function),
            )


def _bits(type_: Attribute) -> int:
    if isinstance(type_, IndexType):
        return 64
    element = type_.element_type if isinstance(type_, VectorType) else type_
    assert isinstance(element, FixedBitwidthType)
    width = 1 if element == i1 else element.bitwidth
    return width * (type_.element_count() if isinstance(type_, VectorType) else 1)


def _plain(type_: Attribute) -> Attribute:
    """The type of memory of any kind on a CPU."""
    if not isinstance(type_, MemRefType):
        return type_
    return MemRefType(type_.element_type, type_.shape, type_.layout)


class _Module:
    """The module: its names, and the sites of the checks."""

    def __init__(self, ctx: Context, op: ModuleOp, check: bool) -> None:
        self.ctx = ctx
        self.op = op
        self.check = check
        self.sites: list[Attribute] = []
        self.taken = {
            name.data
            for inner in op.ops
            if isinstance(name := inner.properties.get("sym_name"), StringAttr)
        }

    def convert(self, homes: Sequence[GPUModuleOp], kernels: Sequence[_Kernel]) -> None:
        """Convert the host code, which launches kernels, and then those."""
        launches = {(kernel.home, kernel.name): self.fresh(kernel, "launch") for kernel in kernels}
        patterns = [_ConvertLaunch(launches), *(pattern() for pattern in _HOST_PATTERNS)]
        # Users come first, as a token ties an operation to those that wait for it.
        walker = PatternRewriteWalker(
            GreedyRewritePatternApplier(patterns), apply_recursively=False, walk_reverse=True
        )
        for op in [inner for inner in self.op.ops if inner not in homes]:
            for region in op.regions:
                walker.rewrite_region(region)
        for kernel in kernels:
            launch = launches[kernel.home, kernel.name]
            name = self.fresh(kernel, "thread")
            function = _Thread(self, kernel, name).build()
            self.add(_launch_text(self, kernel, function, launch), kernel.function)
            self.op.body.block.add_op(function)
        for home in homes:
            home.detach()
            home.erase()
        self.op.attributes.pop("gpu.container_module", None)
        host = target_of(self.op).host
        if host is not None:
            self.op.attributes["kc.target"] = StringAttr(str(host))
        called = {
            op.callee.string_value()
            for op in self.op.walk()
            if isinstance(op, func.CallOp | llvm.CallOp) and op.callee is not None
        }
        for name, text in _RUNTIME.items():
            if name in called and name not in self.taken:
                self.add(text, self.op)
        if self.check:
            self.op.attributes[SITES] = ArrayAttr(self.sites)

    def fresh(self, kernel: _Kernel, part: str) -> str:
        """A name for a part of a kernel that nothing in the module has."""
        return fresh_name(f"{kernel.home}_{kernel.name}_{part}", self.taken)

    def add(self, text: str, source: Operation) -> None:
        """Add functions that are given as text, and stand for ``source``."""
        module = parse_module(text, "emulator", self.ctx)
        for op in list(module.body.block.ops):
            for inner in op.walk():
                inner.location = source.location
            op.detach()
            self.op.body.block.add_op(op)

    def text(self, text: str) -> str:
        """The name of a constant with these characters, and a zero."""
        name = fresh_name("kc_text", self.taken)
        data = StringAttr(text + "\0")
        size = len(data.data.encode())
        self.op.body.block.add_op(
            llvm.GlobalOp(llvm.LLVMArrayType(size, i8), name, "internal", constant=True, value=data)
        )
        return name

    def site(self, op: Operation, what: str, buffer: str = "", memory: str = "") -> int:
        """The number of a new place that findings name."""
        names = {"what": what, "buffer": buffer, "memory": memory}
        site: dict[str, Attribute] = {key: StringAttr(name) for key, name in names.items() if name}
        location = location_of(op)
        if location is not None:
            site["file"] = StringAttr(location.file)
            site["line"] = IntegerAttr(location.line, i64)
            site["column"] = IntegerAttr(location.column, i64)
        self.sites.append(DictionaryAttr(site))
        return len(self.sites) - 1


_STEP = """
llvm.func internal @kc_emu_step(%thread: !llvm.ptr, %is_over: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %ends = llvm.icmp "ne" %is_over, %zero : i32
  llvm.cond_br %ends, ^destroy, ^resume
^resume:
  llvm.call_intrinsic "llvm.coro.resume"(%thread) : (!llvm.ptr) -> ()
  llvm.return
^destroy:
  llvm.call_intrinsic "llvm.coro.destroy"(%thread) : (!llvm.ptr) -> ()
  llvm.return
}
"""
"""What a thread is resumed and ended by."""


def _declaration(name: str, inputs: str = "", output: str = "") -> str:
    return f"func.func private @{name}({inputs}){output} attributes {{{POINTERS}}}"


_RUN = "memref<?xi64>, memref<?xi32>, index, !llvm.ptr"
_RUNTIME = {
    SUSPEND: _declaration(SUSPEND),
    "kc_emu_run": _STEP + _declaration("kc_emu_run", _RUN),
    "kc_emu_run_checked": _STEP + _declaration("kc_emu_run_checked", _RUN),
    "printf": "llvm.func @printf(!llvm.ptr, ...) -> i32",
    "fflush": "llvm.func @fflush(!llvm.ptr) -> i32",
    "kc_emu_launch": _declaration("kc_emu_launch"),
    "kc_emu_block": _declaration("kc_emu_block", "index"),
    "kc_emu_buffer": _declaration("kc_emu_buffer", "i32, index, index, index, i32"),
    "kc_emu_access": _declaration("kc_emu_access", "i32, index, index, index, i32, i32", " -> i32"),
}
"""The functions of the emulator (``emulator.c``)."""


# Launches -------------------------------------------------------------------------------------


def _launch_text(module: _Module, kernel: _Kernel, thread: func.FuncOp, name: str) -> str:
    """The function that runs all blocks of a kernel; ``thread`` is what each thread runs."""
    arguments = {f"%arg{n}": type_ for n, type_ in enumerate(kernel.arguments)}
    shared = {f"%shared{n}": type_ for n, type_ in enumerate(kernel.shared)}
    sizes = [f"%{what}_{axis}" for what in ("grid", "block") for axis in "xyz"]
    inputs = [*(f"{size}: index" for size in sizes), "%dynamic_size: index"]
    inputs += [f"{arg}: {type_}" for arg, type_ in arguments.items()]
    arrays = [arg for arg, type_ in arguments.items() if isinstance(type_, MemRefType)]
    watched: list[str] = []
    if module.check:
        watched.append("func.call @kc_emu_launch() : () -> ()")
        for slot, array in enumerate(arrays):
            watched += _watch(slot, array, arguments[array], GLOBAL)
    memory = [f"{array} = memref.alloc() : {type_}" for array, type_ in shared.items()]
    end = [f"memref.dealloc {array} : {type_}" for array, type_ in shared.items()]
    passed = {**arguments, **shared}
    if kernel.dynamic:
        passed["%dynamic"] = MemRefType(i8, [DYNAMIC_INDEX])
        memory.append("%dynamic = memref.alloc(%dynamic_size) : memref<?xi8>")
        end.append("memref.dealloc %dynamic : memref<?xi8>")
    if module.check:
        memory.append("func.call @kc_emu_block(%number) : (index) -> ()")
        for slot, (array, type_) in enumerate(list(passed.items())[len(arguments) :], len(arrays)):
            memory += _watch(slot, array, type_, SHARED, kernel.granule)
    passed |= dict.fromkeys((f"%{number}" for number in kernel.numbers), _INDEX)
    start: list[str] = []
    if thread.function_type.outputs.data:
        run = "kc_emu_run_checked" if module.check else "kc_emu_run"
        words = {"%states": i32, "%lanes": i64}
        for array, element in {**words, "%threads": i64}.items():
            memory.append(f"{array} = memref.alloc(%count) : memref<?x{element}>")
        passed |= {array: MemRefType(type_, [DYNAMIC_INDEX]) for array, type_ in words.items()}
        start += [
            "memref.store %ready, %states[%thread] : memref<?xi32>",
            f"%coroutine = {_call(thread, passed)} -> !llvm.ptr",
            "%handle = llvm.ptrtoint %coroutine : !llvm.ptr to i64",
            "memref.store %handle, %threads[%thread] : memref<?xi64>",
        ]
        end = [
            "%step = llvm.mlir.addressof @kc_emu_step : !llvm.ptr",
            f"func.call @{run}(%threads, %states, %count, %step) : ({_RUN}) -> ()",
            "memref.dealloc %states : memref<?xi32>",
            "memref.dealloc %lanes : memref<?xi64>",
            "memref.dealloc %threads : memref<?xi64>",
            *end,
        ]
    else:
        start.append(f"{_call(thread, passed)} -> ()")
    segments = "<{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>"
    loop = f'"scf.parallel"(%c0, %blocks, %c1) {segments} ({{ ^block(%number: index):'
    close = ["scf.reduce", "}) : (index, index, index) -> ()"]
    if module.check:  # one after the other
        loop, close = "scf.for %number = %c0 to %blocks step %c1 {", ["}"]
    lines = [
        f"func.func private @{name}({', '.join(inputs)}) {{",
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%ready = arith.constant 0 : i32",
        "%plane = arith.muli %grid_x, %grid_y : index",
        "%blocks = arith.muli %plane, %grid_z : index",
        "%layer = arith.muli %block_x, %block_y : index",
        "%count = arith.muli %layer, %block_z : index",
        *watched,
        loop,
        "%bid_x = arith.remui %number, %grid_x : index",
        "%row = arith.divui %number, %grid_x : index",
        "%bid_y = arith.remui %row, %grid_y : index",
        "%bid_z = arith.divui %row, %grid_y : index",
        *memory,
        *(start if kernel.is_serial else [*_FOR_EACH_THREAD, *start, "}", "}", "}"]),
        *end,
        *close,
        *(_FLUSH if kernel.prints else ()),
        "func.return",
        "}",
    ]
    return "\n".join(lines)


_FLUSH = (
    "%all = llvm.mlir.zero : !llvm.ptr",
    "%status = llvm.call @fflush(%all) : (!llvm.ptr) -> i32",
)
"""What was printed is seen when the launch is over."""

_FOR_EACH_THREAD = (
    "scf.for %tid_z = %c0 to %block_z step %c1 {",
    "scf.for %tid_y = %c0 to %block_y step %c1 {",
    "scf.for %tid_x = %c0 to %block_x step %c1 {",
    "%above = arith.muli %tid_z, %block_y : index",
    "%line = arith.addi %above, %tid_y : index",
    "%before = arith.muli %line, %block_x : index",
    "%thread = arith.addi %before, %tid_x : index",
)


def _call(thread: func.FuncOp, passed: dict[str, Attribute]) -> str:
    types = ", ".join(map(str, passed.values()))
    return f"func.call @{thread.sym_name.data}({', '.join(passed)}) : ({types})"


_POINTER_OF = '"memref.extract_aligned_pointer_as_index"'


def _watch(
    slot: int, array: str, type_: Attribute, scope: int, granule: int | None = None
) -> list[str]:
    """The text that says where an array is, and of how many bytes an element of it is."""
    assert isinstance(type_, MemRefType)
    name = f"{array}_w"
    size = element_size(type_)
    lines = [f"{name}0 = arith.constant {size} : index"]
    last = f"{name}0"
    for dim, extent in enumerate(type_.get_shape(), start=1):
        if extent == DYNAMIC_INDEX:
            lines.append(f"{name}d{dim} = arith.constant {dim - 1} : index")
            lines.append(f"{name}e{dim} = memref.dim {array}, {name}d{dim} : {type_}")
        else:
            lines.append(f"{name}e{dim} = arith.constant {extent} : index")
        lines.append(f"{name}{dim} = arith.muli {last}, {name}e{dim} : index")
        last = f"{name}{dim}"
    if isinstance(type_, MemRefType) and type_.element_type == i8 and granule is not None:
        size = granule
    return [
        *lines,
        f"{name}s = arith.constant {slot} : i32",
        f"{name}g = arith.constant {size} : index",
        f"{name}k = arith.constant {scope} : i32",
        f"{name}p = {_POINTER_OF}({array}) : ({type_}) -> index",
        f"func.call @kc_emu_buffer({name}s, {name}p, {last}, {name}g, {name}k) : "
        "(i32, index, index, index, i32) -> ()",
    ]


# Threads --------------------------------------------------------------------------------------


class _Thread:
    """The function that each thread of a kernel runs."""

    def __init__(self, module: _Module, kernel: _Kernel, name: str) -> None:
        self.module = module
        self.kernel = kernel
        self.name = name
        self.numbers: dict[str, SSAValue] = {}
        self.slots: dict[SSAValue, int] = {}

    def build(self) -> func.FuncOp:
        """The function, which has the body of the kernel."""
        kernel, source = self.kernel, self.kernel.function
        is_coroutine = kernel.waits or self.module.check
        private = list(source.private_memory)
        body = source.detach_region(source.body)
        entry = body.blocks[0]
        first = entry.first_op
        assert first is not None
        for old in private:
            alloca = memref.AllocaOp.get(
                old.type.element_type,  # pyright: ignore[reportAttributeAccessIssue]
                shape=old.type.get_shape(),  # pyright: ignore[reportAttributeAccessIssue]
            )
            entry.insert_op_before(alloca, first)
            alloca.results[0].name_hint = old.name_hint
            old.replace_all_uses_with(alloca.results[0])
            entry.erase_arg(old)
        arrays = [arg for arg in entry.args if isinstance(arg.type, MemRefType)]
        self.slots = {array: slot for slot, array in enumerate(arrays)}
        if kernel.dynamic:
            dynamic = entry.insert_arg(MemRefType(i8, [DYNAMIC_INDEX]), len(entry.args))
            self.slots[dynamic] = len(self.slots)
            for op in kernel.dynamic:
                op.result.replace_all_uses_with(dynamic)
                op.detach()
                op.erase()
        for number in kernel.numbers:
            self.numbers[number] = entry.insert_arg(_INDEX, len(entry.args))
            self.numbers[number].name_hint = number
        if is_coroutine:
            for name, element in (("states", i32), ("lanes", i64)):
                type_ = MemRefType(element, [DYNAMIC_INDEX])
                self.numbers[name] = entry.insert_arg(type_, len(entry.args))
                self.numbers[name].name_hint = name
        classes = [*_THREAD_PATTERNS, *(_CHECK_PATTERNS if self.module.check else ())]
        patterns: list[RewritePattern] = [pattern(self) for pattern in classes]
        walker = PatternRewriteWalker(
            GreedyRewritePatternApplier(patterns), apply_recursively=False
        )
        walker.rewrite_region(body)
        for op in body.walk():  # arrays of a host may begin anywhere
            op.attributes.pop("alignment", None)
        for block in _blocks(body):
            for value in (*block.args, *(result for op in block.ops for result in op.results)):
                if value.type != _plain(value.type):
                    Rewriter.replace_value_with_new_type(value, _plain(value.type))
        outputs = [_POINTER] if is_coroutine else []
        type_ = FunctionType.from_lists([arg.type for arg in entry.args], outputs)
        function = func.FuncOp(self.name, type_, body, visibility="private")
        function.location = source.location
        if is_coroutine:
            function.attributes[COROUTINE] = UnitAttr()
        return function

    def memory(self, root: SSAValue) -> str:
        """Where memory is: "global", "shared" or "private"."""
        if root not in self.slots:
            return "private"
        arrays = sum(isinstance(type_, MemRefType) for type_ in self.kernel.arguments)
        return "global" if self.slots[root] < arrays else "shared"

    def root(self, buffer: SSAValue) -> SSAValue:
        """The memory that a memref is, or is a part of."""
        while isinstance(buffer.owner, memref.ViewOp | memref.SubviewOp | memref.CastOp):
            buffer = buffer.owner.operands[0]
        return buffer


def _blocks(region: Region) -> Iterable[Block]:
    for block in region.blocks:
        yield block
        for op in block.ops:
            for inner in op.regions:
                yield from _blocks(inner)


class _Emitter:
    """Inserts operations before one, with its location."""

    def __init__(self, rewriter: PatternRewriter, op: Operation) -> None:
        self.rewriter = rewriter
        self.op = op

    def add(self, op: Operation) -> Operation:
        """Insert an operation."""
        for inner in op.walk():
            inner.location = self.op.location
        self.rewriter.insert(op, InsertPoint.before(self.op))
        return op

    def emit(self, op: Operation) -> SSAValue:
        """The result of a new operation; the first of several."""
        return self.add(op).results[0]

    def number(self, value: int, type_: IndexType | IntegerType = _INDEX) -> SSAValue:
        """A constant."""
        return self.emit(arith.ConstantOp(IntegerAttr(value, type_)))

    def call(
        self, name: str, arguments: Sequence[SSAValue], outputs: Sequence[Attribute] = ()
    ) -> Operation:
        """A call of a function."""
        return self.add(func.CallOp(name, arguments, outputs))


class _ThreadPattern(RewritePattern):
    def __init__(self, thread: _Thread) -> None:
        self.thread = thread


class _ConvertNumber(_ThreadPattern):
    """The numbers of threads and blocks are arguments."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: gpu.ThreadIdOp | gpu.BlockIdOp | gpu.BlockDimOp | gpu.GridDimOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        number = self.thread.numbers[f"{_IDS[type(op)]}_{op.dimension.data.value}"]
        rewriter.replace(op, [], [number])


class _ConvertGlobalId(_ThreadPattern):
    """``%g = gpu.global_id x``: the block's number times its size, and the thread's number."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.GlobalIdOp, rewriter: PatternRewriter, /) -> None:
        axis = op.dimension.data.value
        numbers = self.thread.numbers
        before = arith.MuliOp(numbers[f"bid_{axis}"], numbers[f"block_{axis}"])
        rewriter.replace(op, [before, arith.AddiOp(before, numbers[f"tid_{axis}"])])


class _ConvertSubgroupNumber(_ThreadPattern):
    """The number of a lane and of a warp, and how many there are."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: gpu.LaneIdOp | gpu.SubgroupIdOp | gpu.NumSubgroupsOp | gpu.SubgroupSizeOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        emitter = _Emitter(rewriter, op)
        size = emitter.number(WARP_SIZE)
        numbers = self.thread.numbers
        if isinstance(op, gpu.SubgroupSizeOp):
            result = size
        elif isinstance(op, gpu.LaneIdOp):
            result = emitter.emit(arith.RemUIOp(numbers["thread"], size))
        elif isinstance(op, gpu.SubgroupIdOp):
            result = emitter.emit(arith.DivUIOp(numbers["thread"], size))
        else:
            threads = numbers["block_x"]
            for axis in "yz":
                threads = emitter.emit(arith.MuliOp(threads, numbers[f"block_{axis}"]))
            result = emitter.emit(arith.CeilDivUIOp(threads, size))
        rewriter.replace(op, [], [result])


def _wait(thread: _Thread, emitter: _Emitter, scope: int, site: int) -> None:
    """Be suspended until what is to come together here has come."""
    state = emitter.number(site << 2 | scope, i32)
    numbers = thread.numbers
    emitter.add(memref.StoreOp.get(state, numbers["states"], [numbers["thread"]]))
    emitter.call(SUSPEND, [])


class _ConvertBarrier(_ThreadPattern):
    """``gpu.barrier``: wait for the block."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.BarrierOp, rewriter: PatternRewriter, /) -> None:
        site = self.thread.module.site(op, "barrier")
        _wait(self.thread, _Emitter(rewriter, op), BLOCK, site)
        rewriter.erase(op)


class _ConvertShuffle(_ThreadPattern):
    """``gpu.shuffle``: leave a value, wait for the warp, read that of another lane, wait again."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.ShuffleOp, rewriter: PatternRewriter, /) -> None:
        thread, e = self.thread, _Emitter(rewriter, op)
        lanes, number = thread.numbers["lanes"], thread.numbers["thread"]
        site = thread.module.site(op, "shuffle")
        bits = IntegerType(_bits(op.value.type))
        word = op.value
        if isinstance(word.type, IndexType):
            word = e.emit(arith.IndexCastOp(word, i64))
        elif word.type != bits:
            word = e.emit(arith.BitcastOp(word, bits))
        if bits != i64:
            word = e.emit(arith.ExtUIOp(word, i64))
        e.add(memref.StoreOp.get(word, lanes, [number]))
        _wait(thread, e, WARP, site)
        count = thread.numbers["block_x"]
        for axis in "yz":
            count = e.emit(arith.MuliOp(count, thread.numbers[f"block_{axis}"]))
        source, valid = shuffle_source(e.emit, op.mode.data, number, count, op.offset, op.width)
        word = e.emit(memref.LoadOp.get(lanes, [source]))
        _wait(thread, e, WARP, site)
        if bits != i64:
            word = e.emit(arith.TruncIOp(word, bits))
        if isinstance(op.value.type, IndexType):
            word = e.emit(arith.IndexCastOp(word, _INDEX))
        elif op.value.type != bits:
            word = e.emit(arith.BitcastOp(word, op.value.type))
        rewriter.replace(op, [], [word, valid])


class _ConvertPrintf(_ThreadPattern):
    """``gpu.printf``: C's, with numbers of 64 bits."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.PrintfOp, rewriter: PatternRewriter, /) -> None:
        e = _Emitter(rewriter, op)
        form = format_of(op.format.data, [arg.type for arg in op.args])
        assert isinstance(form, Format)
        values: list[SSAValue] = []
        for value, is_signed in zip(op.args, form.signs, strict=True):
            if is_signed is None:
                wide = value if value.type == f64 else e.emit(arith.ExtFOp(value, f64))
            elif isinstance(value.type, IndexType):
                wide = e.emit(arith.IndexCastOp(value, i64))
            else:
                extend = arith.ExtSIOp if is_signed else arith.ExtUIOp
                wide = value if value.type == i64 else e.emit(extend(value, i64))
            values.append(wide)
        text = e.emit(llvm.AddressOfOp(self.thread.module.text(form.text), _POINTER))
        print_ = llvm.CallOp(
            "printf", text, *values, return_type=i32, variadic_args=max(len(values), 0)
        )
        print_.properties["var_callee_type"] = llvm.LLVMFunctionType([_POINTER], i32, True)
        rewriter.replace(op, print_, [])


class _ConvertReturn(_ThreadPattern):
    """``gpu.return``: the thread is done."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.ReturnOp, rewriter: PatternRewriter, /) -> None:
        e, numbers = _Emitter(rewriter, op), self.thread.numbers
        returned: list[SSAValue] = []
        if "states" in numbers:
            done = e.number(DONE, i32)
            e.add(memref.StoreOp.get(done, numbers["states"], [numbers["thread"]]))
            returned.append(e.emit(llvm.ZeroOp(_POINTER)))
        rewriter.replace(op, func.ReturnOp(*returned))


_THREAD_PATTERNS: tuple[type[_ThreadPattern], ...] = (
    _ConvertNumber,
    _ConvertGlobalId,
    _ConvertSubgroupNumber,
    _ConvertBarrier,
    _ConvertShuffle,
    _ConvertPrintf,
    _ConvertReturn,
)
_DEVICE = (
    gpu.ThreadIdOp,
    gpu.BlockIdOp,
    gpu.BlockDimOp,
    gpu.GridDimOp,
    gpu.GlobalIdOp,
    gpu.LaneIdOp,
    gpu.SubgroupIdOp,
    gpu.NumSubgroupsOp,
    gpu.SubgroupSizeOp,
    gpu.BarrierOp,
    gpu.ShuffleOp,
    gpu.ReturnOp,
    gpu.DynamicSharedMemoryOp,
    gpu.PrintfOp,
)
"""What of gpu a kernel may have."""


# Checks ---------------------------------------------------------------------------------------


class _CheckAccess(_ThreadPattern):
    """Ask before an access, and leave it out where it is outside of the memory."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: memref.LoadOp
        | memref.StoreOp
        | memref.AtomicRMWOp
        | vector.LoadOp
        | vector.StoreOp
        | vector.MaskedLoadOp
        | vector.MaskedStoreOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        masked = isinstance(op, vector.MaskedLoadOp | vector.MaskedStoreOp)
        operands = list(op.operands[:-2] if masked else op.operands)
        flags, what = 0, "read"
        if not isinstance(op, memref.LoadOp | vector.LoadOp | vector.MaskedLoadOp):
            flags, what = IS_WRITE, "written"
        if isinstance(op, memref.StoreOp | memref.AtomicRMWOp | vector.StoreOp):
            operands = operands[1:]
        if isinstance(op, memref.AtomicRMWOp):
            flags |= IS_ATOMIC
        buffer, *indices = operands
        root = self.thread.root(buffer)
        if root in (self.thread.numbers.get("states"), self.thread.numbers.get("lanes")):
            return
        e = _Emitter(rewriter, op)
        access = _Access(self.thread, e, op, buffer, indices, flags, what)
        if masked:
            mask = op.operands[-2]
            allowed: SSAValue | None = None
            assert isinstance(mask.type, VectorType)
            for lane in range(mask.type.get_shape()[0]):
                active = e.emit(vector.ExtractOp(mask, [lane], i1))
                inside = access.ask(lane, 1, active)
                allowed = inside if allowed is None else e.emit(arith.AndIOp(allowed, inside))
            assert allowed is not None
        else:
            value = op.results[0] if op.results else op.operands[0]
            count = value.type.get_shape()[0] if isinstance(value.type, VectorType) else 1
            allowed = access.ask(0, count)
        _only_if(rewriter, op, allowed)


class _Access:
    """The questions of one access: where the memory is, and how far its elements are apart."""

    def __init__(
        self,
        thread: _Thread,
        e: _Emitter,
        op: Operation,
        buffer: SSAValue,
        indices: Sequence[SSAValue],
        flags: int,
        what: str,
    ) -> None:
        type_ = buffer.type
        assert isinstance(type_, MemRefType)
        if type_.get_num_dims() and isinstance(type_.layout, StridedLayoutAttr):
            raise _unsupported(op, "what a part of an array touches is not watched")
        self.e = e
        self.indices = list(indices)
        self.sizes = [self._size(buffer, dim) for dim in range(len(indices))]
        self.bytes = element_size(type_)
        root = thread.root(buffer)
        self.slot = thread.slots.get(root, -1)
        name = root.name_hint or "memory"
        self.site = thread.module.site(op, what, name, thread.memory(root))
        self.flags = flags
        self.pointer = e.emit(memref.ExtractAlignedPointerAsIndexOp.get(buffer))
        given = op.get_attr_or_prop("alignment")
        self.alignment = given.value.data if isinstance(given, IntegerAttr) else self.bytes

    def _size(self, buffer: SSAValue, dim: int) -> SSAValue:
        assert isinstance(buffer.type, MemRefType)
        extent = buffer.type.get_shape()[dim]
        if extent != DYNAMIC_INDEX:
            return self.e.number(extent)
        return self.e.emit(memref.DimOp(buffer, self.e.number(dim)))

    def ask(self, shift: int, count: int, active: SSAValue | None = None) -> SSAValue:
        """Whether ``count`` elements may be accessed, ``shift`` behind the one of the indices; yes
        where it is not ``active``."""
        e = self.e
        indices = list(self.indices)
        if shift:
            indices[-1] = e.emit(arith.AddiOp(indices[-1], e.number(shift)))
        place, inside = e.number(0), e.number(1, i1)
        for n, (index, size) in enumerate(zip(indices, self.sizes, strict=True)):
            place = e.emit(arith.AddiOp(e.emit(arith.MuliOp(place, size)), index))
            is_last = n == len(indices) - 1
            limit = size
            if is_last and count > 1:
                limit = e.emit(arith.SubiOp(size, e.number(count - 1)))
                below = e.emit(CmpiOp(limit, e.number(0), "sgt"))
                inside = e.emit(arith.AndIOp(inside, below))
            # As unsigned numbers, negative ones are greater than any size.
            inside = e.emit(arith.AndIOp(inside, e.emit(CmpiOp(index, limit, "ult"))))
        offset = e.emit(arith.MuliOp(place, e.number(self.bytes)))
        address = e.emit(arith.AddiOp(self.pointer, offset))
        known = e.number(self.flags | IS_INSIDE, i32)
        flags = e.emit(SelectOp(inside, known, e.number(self.flags, i32)))
        arguments = [
            e.number(self.slot, i32),
            address,
            e.number(self.bytes * count),
            e.number(self.alignment),
            e.number(self.site, i32),
            flags,
        ]
        call = func.CallOp("kc_emu_access", arguments, [i32])
        if active is None:
            answer = e.emit(call)
        else:
            yes = arith.ConstantOp(IntegerAttr(1, i32))
            asked = Block([call, scf.YieldOp(call)])
            idle = Block([yes, scf.YieldOp(yes)])
            answer = e.emit(scf.IfOp(active, [i32], Region(asked), Region(idle)))
        return e.emit(CmpiOp(answer, e.number(0, i32), "ne"))


def _only_if(rewriter: PatternRewriter, op: Operation, allowed: SSAValue) -> None:
    """Do ``op`` only where it is allowed; its result is zero elsewhere."""
    types = [result.type for result in op.results]
    done = Block()
    copy = op.clone()
    done.add_ops([copy, scf.YieldOp(*copy.results)])
    otherwise = Block()
    zeros = [arith.ConstantOp(_zero(type_)) for type_ in types]  # pyright: ignore
    otherwise.add_ops([*zeros, scf.YieldOp(*zeros)])
    branch = scf.IfOp(allowed, types, Region(done), Region(otherwise))
    for inner in branch.walk():
        inner.location = op.location
    rewriter.replace(op, branch)


def _zero(type_: Attribute) -> Attribute:
    if isinstance(type_, VectorType):
        zero = _zero(type_.element_type)
        assert isinstance(zero, IntegerAttr | FloatAttr)
        return DenseIntOrFPElementsAttr.from_list(type_, [zero.value.data])  # pyright: ignore
    if isinstance(type_, IntegerType | IndexType):
        return IntegerAttr(0, type_)
    assert isinstance(type_, AnyFloat)
    return FloatAttr(0.0, type_)


_CHECK_PATTERNS: tuple[type[_ThreadPattern], ...] = (_CheckAccess,)


# Host code ------------------------------------------------------------------------------------


class _ConvertLaunch(RewritePattern):
    """A launch is a call; it is over when the call returns."""

    def __init__(self, launches: dict[tuple[str, str], str]) -> None:
        self.launches = launches

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LaunchFuncOp, rewriter: PatternRewriter, /) -> None:
        e = _Emitter(rewriter, op)
        sizes = [*op.grid, *op.block]
        if sizes[0].type != _INDEX:
            sizes = [e.emit(arith.IndexCastOp(size, _INDEX)) for size in sizes]
        if op.dynamic_shared_memory_size is None:
            dynamic = e.number(0)
        else:
            dynamic = e.emit(arith.IndexCastOp(op.dynamic_shared_memory_size, _INDEX))
        e.call(self.launches[op.kernel_names], [*sizes, dynamic, *op.kernel_operands])
        rewriter.erase(op)


class _ConvertAlloc(RewritePattern):
    """Memory of the device is memory of the host."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.AllocOp, rewriter: PatternRewriter, /) -> None:
        type_ = _plain(op.memref.type)
        assert isinstance(type_, MemRefType)
        alloc = memref.AllocOp(op.dynamic_sizes, op.symbol_operands, type_)
        results = [alloc.memref, None] if op.async_token is not None else [alloc.memref]
        rewriter.replace(op, alloc, results)


class _ConvertDealloc(RewritePattern):
    """Memory of the device is memory of the host."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.DeallocOp, rewriter: PatternRewriter, /) -> None:
        _replace_async(rewriter, op, memref.DeallocOp.get(op.memref))


class _ConvertMemcpy(RewritePattern):
    """A copy, which is over when it returns."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.MemcpyOp, rewriter: PatternRewriter, /) -> None:
        _replace_async(rewriter, op, memref.CopyOp(op.src, op.dst))


class _ConvertMemset(RewritePattern):
    """A value in each element, which is done when it returns."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.MemsetOp, rewriter: PatternRewriter, /) -> None:
        e = _Emitter(rewriter, op)
        type_ = op.dst.type
        assert isinstance(type_, MemRefType)
        sizes = [e.emit(memref.DimOp(op.dst, e.number(n))) for n in range(type_.get_num_dims())]
        zero, step = e.number(0), e.number(1)
        indices: list[SSAValue] = []
        loops: list[Operation] = []
        for size in sizes:
            body = Block(arg_types=[_INDEX])
            indices.append(body.args[0])
            loops.append(scf.ForOp(zero, size, step, [], Region(body)))
        nest: Operation = memref.StoreOp.get(op.value, op.dst, indices)
        for loop in reversed(loops):
            loop.regions[0].block.add_ops([nest, scf.YieldOp()])
            nest = loop
        e.add(nest)
        rewriter.replace(op, [], [None] * len(op.results))


class _EraseHostNote(RewritePattern):
    """Memory of the host is that of the device, of which there is one."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: gpu.HostRegisterOp | gpu.HostUnregisterOp | gpu.SetDefaultDeviceOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        rewriter.erase(op)


class _ConvertWait(RewritePattern):
    """There is nothing to wait for."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.WaitOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, [], [None] * len(op.results))


def _replace_async(rewriter: PatternRewriter, op: Operation, new: Operation) -> None:
    rewriter.replace(op, new, [None] * len(op.results))


_HOST_PATTERNS: tuple[type[RewritePattern], ...] = (
    _ConvertAlloc,
    _ConvertDealloc,
    _ConvertMemcpy,
    _ConvertMemset,
    _ConvertWait,
    _EraseHostNote,
)
_HOST = (
    gpu.AllocOp,
    gpu.DeallocOp,
    gpu.MemcpyOp,
    gpu.MemsetOp,
    gpu.WaitOp,
    gpu.HostRegisterOp,
    gpu.HostUnregisterOp,
    gpu.SetDefaultDeviceOp,
)
"""What of gpu the host code may have, besides launches."""
