"""gpu-to-llvm: convert the host code of kernels to the llvm dialect, with calls of the launcher.

Before::

    func.func @f(%A: memref<?xf32>, %n: index) {
      gpu.launch_func @kernels::@k blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1)
          args(%A : memref<?xf32>)
      func.return
    }
    gpu.module @kernels { ... }

After::

    llvm.func @f(%A: !llvm.ptr {...}, %A_size: i64, %n: i64, %record: !llvm.ptr) {
      %words = llvm.alloca %c2 x i64
      llvm.store %A, %words[0]
      llvm.store %A_size, %words[1]
      llvm.call @kc_gpu_launch(%record, %c0, %n, %c1, %c1, %c64, %c1, %c1, %c0, %words, %c2)
      llvm.return
    }

Kernels are numbered in the order of ``kc.kernels``, an attribute of the module that lists their
names; their code is removed. Each parameter of a kernel is a word in memory, by the convention of
``convert-gpu-to-nvvm``. The parameter of a tensor map is the address of its 128 bytes, which the
driver creates through ``kc_gpu_tensor_map``; ``kc_gpu_launch_with_maps`` receives a bit mask of
these parameters. Each function has an additional last argument, the record of ``launcher.c``: the
device, and the error if one occurred. Memory is allocated and freed in the order of the stream. The
module has a single stream, so tokens and ``gpu.wait async`` need no code.

*Legal when* the following holds; otherwise it is refused, with the module unchanged

1. KC4370: host code does not read or write device memory: arguments, and ``gpu.alloc``. 2. KC4371:
a kernel receives only device memory. 3. KC4372: a kernel has no clusters, no stream of its own, and
allocates nothing that the host can access.

MLIR: ``gpu-to-llvm``. TVM: the host part of ``SplitHostDevice`` and ``LowerTVMBuiltin``.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnrankedMemRefType,
    i1,
    i8,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.analysis.accesses.dependence import base_buffer, is_table
from kc.analysis.loop_tree import buffer_name, touches_memory
from kc.analysis.module_copy import copy_operation
from kc.conversion._tensor_maps import MAP_ALIGNMENT, MAP_BYTES, tensor_map
from kc.conversion.convert_to_llvm.function import FunctionLowering, LlvmPattern
from kc.conversion.convert_to_llvm.memref import emit_gep, multiply, strides_of
from kc.conversion.convert_to_llvm.module import lower_module
from kc.conversion.convert_to_llvm.patterns import PATTERNS as LLVM_PATTERNS
from kc.conversion.convert_to_llvm.types import POINTER, abi_types, element_size
from kc.conversion.convert_to_llvm.values import MemRef, Origin
from kc.conversion.driver import ConversionTarget, own_and_added
from kc.dialects import gpu, llvm
from kc.dialects.gpu import GPUModuleOp, LaunchFuncOp
from kc.dialects.memref import PrefetchOp
from kc.dialects.nvgpu import MAX_RANK, TensorMapDescriptorType, TmaCreateDescriptorOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

TARGET = ConversionTarget("gpu-to-llvm", legal=("llvm",))
KERNELS = "kc.kernels"
"""The attribute of the module that lists its kernels, ``module::kernel``, in the order of their
numbers.
"""


@dataclass(frozen=True)
class GpuToLlvmPass(ModulePass):
    """Translate the host code of kernels to the llvm dialect, with calls of the launcher."""

    name = "gpu-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        host = host_code(op)
        block = op.body.block
        for old in list(block.ops):
            old.detach()
            old.erase(safe_erase=False)
        for new in list(host.body.block.ops):
            new.detach()
            block.add_op(new)
        op.attributes.clear()
        op.attributes.update(host.attributes)


def host_code(module: ModuleOp) -> ModuleOp:
    """The host code of ``module`` in the llvm dialect; the module stays unchanged."""
    _require_supported(module)
    homes = [inner for inner in module.ops if isinstance(inner, GPUModuleOp)]
    names = [f"{home.sym_name.data}::{name}" for home in homes for name in kernels_of(home)]
    host = _copy_host(module)
    _drop_prefetches(host)
    _copy_tables(host)
    for function in [inner for inner in host.ops if isinstance(inner, func.FuncOp)]:
        _add_record(function)
    host.attributes[KERNELS] = ArrayAttr([StringAttr(name) for name in names])
    host.attributes.pop("gpu.container_module", None)
    lower_module(host, own_and_added(TARGET, (*_PATTERNS, *LLVM_PATTERNS)))
    return host


def _copy_host(module: ModuleOp) -> ModuleOp:
    """A copy of the host code alone, location for location."""
    copies = [copy_operation(op) for op in module.ops if not isinstance(op, GPUModuleOp)]
    return ModuleOp(copies, dict(module.attributes))


def kernels_of(home: GPUModuleOp) -> list[str]:
    """The names of the kernels of a ``gpu.module``, in the dialects gpu or llvm."""
    return [
        name.data
        for inner in home.body.block.ops
        if isinstance(name := inner.get_attr_or_prop("sym_name"), StringAttr)
        and (
            "nvvm.kernel" in inner.attributes
            or (isinstance(inner, gpu.GPUFuncOp) and inner.is_kernel)
        )
    ]


def _add_record(function: func.FuncOp) -> None:
    """Add the record as the last argument of a function and of its calls."""
    if function.is_declaration:
        return
    block = function.body.blocks[0]
    record = block.insert_arg(POINTER, len(block.args))
    record.name_hint = "record"
    type_ = function.function_type
    function.function_type = FunctionType.from_lists([*type_.inputs, POINTER], list(type_.outputs))
    if function.arg_attrs is not None:
        function.arg_attrs = ArrayAttr([*function.arg_attrs.data, DictionaryAttr({})])
    module = function.parent_op()
    assert isinstance(module, ModuleOp)
    own = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks}
    for call in [op for op in function.walk() if isinstance(op, func.CallOp)]:
        if call.callee.string_value() in own:
            new = func.CallOp(call.callee, [*call.operands, record], list(call.result_types))
            new.location = call.location
            home = call.parent
            assert home is not None
            home.insert_op_before(new, call)
            for old, result in zip(call.results, new.results, strict=True):
                old.replace_all_uses_with(result)
            call.detach()
            call.erase()


# Legality ---------------------------------------------------------------------------------------


def _require_supported(module: ModuleOp) -> None:
    for host in [op for op in module.ops if not isinstance(op, GPUModuleOp)]:
        for op in host.walk():
            if isinstance(op, LaunchFuncOp):
                _require_launch(op)
            elif isinstance(op, gpu.AllocOp) and op.host_shared is not None:
                raise _unsupported(op, "it is memory of the device alone, which copies fill")
            elif isinstance(op, gpu.DeallocOp):
                _require_device_memory(op, op.memref)
            elif isinstance(op, PrefetchOp) or _is_of_whole(op):
                pass  # see _drop_prefetches; no memory is read
            elif isinstance(op, TmaCreateDescriptorOp):
                _require_device_memory(op, tensor_map(op, "gpu-to-llvm").array)
            elif not op.name.startswith("gpu.") and not op.regions and touches_memory(op):
                _require_host_memory(op)


def _is_of_whole(op: Operation) -> bool:
    """True if the op is the cast of an array for a tensor map."""
    return isinstance(op, memref.CastOp) and isinstance(op.dest.type, UnrankedMemRefType)


def _is_table(value: SSAValue) -> bool:
    """True if it is a whole constant table, which kernels receive as a copy."""
    return isinstance(value.owner, memref.GetGlobalOp) and is_table(value.owner)


def _drop_prefetches(host: ModuleOp) -> None:
    """Remove prefetches of device memory: a CPU cannot cache it, and prefetches are only hints."""
    for op in list(host.walk()):
        if isinstance(op, PrefetchOp) and _is_of_device(op.memref) is not False:
            op.detach()
            op.erase()


def _copy_tables(host: ModuleOp) -> None:
    """Pass copies of constant tables, which are in host memory, to kernels.

    ::

        %T = memref.get_global @t
        gpu.launch_func ... args(%T)

    becomes ::

        %T = memref.get_global @t
        %D = gpu.alloc ()
        gpu.memcpy %D, %T
        gpu.launch_func ... args(%D)
        gpu.dealloc %D
    """
    for table in [op for op in host.walk() if isinstance(op, memref.GetGlobalOp)]:
        uses = [use for use in table.memref.uses if isinstance(use.operation, LaunchFuncOp)]
        block = table.parent
        if not uses or block is None or block.last_op is None:
            continue
        copy = gpu.AllocOp(table.memref.type, [])
        free = gpu.DeallocOp(copy.memref)
        copy.memref.name_hint = table.memref.name_hint
        for use in uses:
            use.operation.operands[use.index] = copy.memref
        fill = gpu.MemcpyOp(copy.memref, table.memref)
        block.insert_ops_after([copy, fill], table)
        block.insert_op_before(free, block.last_op)
        for op in (copy, fill, free):
            op.location = table.location


def _require_launch(op: LaunchFuncOp) -> None:
    if op.clusters:
        raise _unsupported(op, "a launch has blocks and threads, and no clusters")
    if op.async_object is not None:
        raise _unsupported(op, "all launches of a module are queued in the stream of the device")
    for operand in op.kernel_operands:
        if not _is_table(operand):
            _require_device_memory(op, operand)
    count = sum(len(abi_types(operand.type)) for operand in op.kernel_operands)
    if count > MOST_WITH_MAPS and any(_is_map(operand) for operand in op.kernel_operands):
        why = f"it has {count} parameters, and at most {MOST_WITH_MAPS} where some are tensor maps"
        raise _unsupported(op, why)


MOST_WITH_MAPS = 63
"""The maximum number of parameters of a kernel with tensor maps: a 64-bit mask marks the maps."""


def _is_map(value: SSAValue) -> bool:
    return isinstance(value.type, TensorMapDescriptorType)


def _unsupported(op: Operation, why: str) -> CodegenError:
    return CodegenError(
        "KC4372",
        f"gpu-to-llvm: this {op.name} is not launched from host code",
        location=location_of(op),
        why=why,
    )


def _is_of_device(buffer: SSAValue) -> bool | None:
    """True if memory is on the device; None if unknown."""
    base = base_buffer(buffer)
    if base is None:
        return None
    return isinstance(base.owner, Block | gpu.AllocOp)


def _require_device_memory(op: Operation, buffer: SSAValue) -> None:
    if isinstance(buffer.type, MemRefType) and _is_of_device(buffer) is False:
        raise CodegenError(
            "KC4371",
            f"gpu-to-llvm: {op.name} takes {buffer_name(buffer)}, which is memory of the host",
            location=location_of(op),
            why="a GPU reads and writes its own memory",
            hints=["allocate it by gpu.alloc, and fill it by gpu.memcpy"],
        )


def _require_host_memory(op: Operation) -> None:
    for operand in op.operands:
        if isinstance(operand.type, MemRefType) and _is_of_device(operand) is not False:
            raise CodegenError(
                "KC4370",
                f"gpu-to-llvm: {op.name} on the host takes {buffer_name(operand)}, which is "
                "memory of the device",
                location=location_of(op),
                why="arguments of a function with kernels, and buffers of gpu.alloc, are in GPU "
                "memory",
                hints=["do it in a kernel, or copy it to memory of the host by gpu.memcpy"],
            )


# Patterns ---------------------------------------------------------------------------------------


def _record(s: FunctionLowering, op: Operation) -> SSAValue:
    """The record of the function around ``op``."""
    function = op
    while not isinstance(function, func.FuncOp):
        parent = function.parent_op()
        assert parent is not None
        function = parent
    return s.value(function.body.blocks[0].args[-1])


def _call(
    s: FunctionLowering,
    op: Operation,
    name: str,
    arguments: list[SSAValue],
    result: Attribute | None = None,
) -> SSAValue | None:
    passed = [_record(s, op), *arguments]
    callee = s.module.declare(f"kc_gpu_{name}", [value.type for value in passed], result)
    call = s.insert(llvm.CallOp(callee, *passed, return_type=result))
    return call.results[0] if result is not None else None


def _size(s: FunctionLowering, value: SSAValue) -> SSAValue:
    """A size of a launch as an i64."""
    new = s.value(value)
    if new.type == i64:
        return new
    return s.emit(llvm.SExtOp, [new], i64)


def _count(s: FunctionLowering, memory: MemRef) -> int | SSAValue:
    """The number of elements of memory."""
    count: int | SSAValue = 1
    for extent in memory.shape:
        count = multiply(s, count, extent)
    return count


def _token(s: FunctionLowering, op: Operation) -> None:
    """A placeholder for a token, which needs no code because later operations are queued later."""
    for result in op.results:
        if not isinstance(result.type, MemRefType):
            s.define(result, s.int_constant(0, i1))
    s.has_done_action = True


class LowerLaunch(LlvmPattern):
    """A launch: its parameters in memory, and a call.

    ::

        gpu.launch_func @m::@k blocks in (...) threads in (...) args(...)

    becomes ::

        llvm.call @kc_gpu_launch(%record, %number, ..., %words, %count)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LaunchFuncOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        parameters: list[SSAValue] = []
        maps = 0
        for operand in op.kernel_operands:
            if _is_map(operand):
                maps |= 1 << len(parameters)
                parameters.append(s.value(operand))
            elif isinstance(operand.type, MemRefType):
                memory = s.memref(operand)
                memory.origin.written = memory.origin.escaped = True
                parameters += s.flatten(operand)
            elif operand.type == i1:
                parameters.append(s.emit(llvm.ZExtOp, [s.value(operand)], i8))
            else:
                parameters.append(s.value(operand))
        count = len(parameters)
        words = llvm.AllocaOp(s.int_constant(max(count, 1)), i64, 8)
        s.insert_in_prologue(words)
        words.res.name_hint = "words"
        for n, parameter in enumerate(parameters):
            place = words.res if n == 0 else emit_gep(s, words.res, [n], i64)
            s.create(llvm.StoreOp, [parameter, place])
        if op.dynamic_shared_memory_size is None:
            shared = s.int_constant(0)
        else:
            shared = _size(s, op.dynamic_shared_memory_size)
        number = s.int_constant(_number(s, op))
        sizes = [_size(s, size) for size in (*op.grid, *op.block)]
        arguments = [number, *sizes, shared, words.res, s.int_constant(count)]
        if maps:
            _call(s, op, "launch_with_maps", [*arguments, s.int_constant(maps)])
        else:
            _call(s, op, "launch", arguments)
        _token(s, op)


def _number(s: FunctionLowering, op: LaunchFuncOp) -> int:
    module: Operation | None = op
    while module is not None and not isinstance(module, ModuleOp):
        module = module.parent_op()
    assert module is not None
    names = module.attributes[KERNELS]
    assert isinstance(names, ArrayAttr)
    return [name.data for name in names].index("::".join(op.kernel_names))  # pyright: ignore


class LowerTensorMap(LlvmPattern):
    """A tensor map: its bytes, and a call.

    ::

        %map = nvgpu.tma.create.descriptor %all box[...]

    becomes ::

        llvm.call @kc_gpu_tensor_map(%record, %bytes, %array, %form, %sizes, %strides, %box)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TmaCreateDescriptorOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        map_ = tensor_map(op, "gpu-to-llvm")
        memory = s.memref(map_.array)
        memory.origin.written = memory.origin.escaped = True
        place = llvm.AllocaOp(s.int_constant(MAP_BYTES // 8), i64, MAP_ALIGNMENT)
        s.insert_in_prologue(place)
        place.res.name_hint = "map"
        size = element_size(memory.type)
        sizes = [s.as_value(extent) for extent in reversed(memory.shape)]
        strides = [
            s.as_value(multiply(s, size, stride)) for stride in reversed(strides_of(s, memory))
        ][1:]
        unit, zero = s.int_constant(1), s.int_constant(0)
        sizes += [unit] * (MAX_RANK - len(sizes))
        strides += [zero] * (MAX_RANK - 1 - len(strides))
        box = [s.int_constant(extent) for extent in map_.box]
        form = s.int_constant(map_.form)
        _call(s, op, "tensor_map", [place.res, memory.pointer, form, *sizes, *strides, *box])
        s.define(op.result, place.res)


class DropCastOfWhole(LlvmPattern):
    """Remove the cast to an unranked array; the map's array is known with its rank."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.CastOp, rewriter: PatternRewriter, /) -> None:
        if _is_of_whole(op):
            self.conversion.has_done_action = True


class LowerDeviceAlloc(LlvmPattern):
    """Allocate device memory.

    ::

        %m = gpu.alloc (%n) : memref<?xf32>    ->    %m = llvm.call @kc_gpu_alloc(%record, %size)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.AllocOp, rewriter: PatternRewriter, /) -> None:
        s, type_ = self.conversion, op.memref.type
        assert isinstance(type_, MemRefType)
        sizes = iter(op.dynamic_sizes)
        shape = tuple(s.index(next(sizes)) if size < 0 else size for size in type_.get_shape())
        memory = MemRef(s.int_constant(0), shape, type_, Origin())
        size = multiply(s, _count(s, memory), element_size(type_))
        pointer = _call(s, op, "alloc", [s.as_value(size)], POINTER)
        assert pointer is not None
        pointer.name_hint = op.memref.name_hint
        s.define(op.memref, MemRef(pointer, shape, type_, Origin()))
        _token(s, op)


class LowerDeviceDealloc(LlvmPattern):
    """Free device memory: ``gpu.dealloc`` -> ``llvm.call @kc_gpu_free``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.DeallocOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        memory = s.memref(op.memref)
        memory.origin.written = memory.origin.escaped = True
        _call(s, op, "free", [memory.pointer])
        _token(s, op)


class LowerDeviceCopy(LlvmPattern):
    """A copy: ``gpu.memcpy`` -> ``llvm.call @kc_gpu_copy``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.MemcpyOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        target, source = s.memref(op.dst), s.memref(op.src)
        for memory in (target, source):
            if memory.strides is not None:
                raise _unsupported(op, "a copy is of whole memory")
            memory.origin.written = memory.origin.escaped = True
        size = multiply(s, _count(s, source), element_size(source.type))
        _call(s, op, "copy", [target.pointer, source.pointer, s.as_value(size)])
        _token(s, op)


class LowerDeviceSet(LlvmPattern):
    """A fill: ``gpu.memset`` -> ``llvm.call @kc_gpu_set``, with the bits of the value."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.MemsetOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        memory = s.memref(op.dst)
        if memory.strides is not None:
            raise _unsupported(op, "a fill is of whole memory")
        memory.origin.written = memory.origin.escaped = True
        width = element_size(memory.type)
        bits, value = IntegerType(8 * width), s.value(op.value)
        if value.type == i1:
            value = s.emit(llvm.ZExtOp, [value], i8)
        elif not isinstance(value.type, IntegerType):
            value = s.emit(llvm.BitcastOp, [value], bits)
        if bits != i64:
            value = s.emit(llvm.ZExtOp, [value], i64)
        count = s.as_value(_count(s, memory))
        _call(s, op, "set", [memory.pointer, value, s.int_constant(width), count])
        _token(s, op)


class LowerWait(LlvmPattern):
    """Let the host wait: ``gpu.wait`` -> ``llvm.call @kc_gpu_wait``; a token of all operations
    needs no code.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.WaitOp, rewriter: PatternRewriter, /) -> None:
        if op.async_token is None:
            _call(self.conversion, op, "wait", [])
        _token(self.conversion, op)


_PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerLaunch,
    LowerTensorMap,
    DropCastOfWhole,
    LowerDeviceAlloc,
    LowerDeviceDealloc,
    LowerDeviceCopy,
    LowerDeviceSet,
    LowerWait,
)
