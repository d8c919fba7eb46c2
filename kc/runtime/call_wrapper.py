"""Generates the machine code of a call: LLVM IR that takes Python objects to a kernel.

For one :class:`Signature` there are two texts, as the first takes a third as long to compile and
is that of all kernels with arguments of the same machine types. It defines

``void @kc_invoke(ptr kernel, ptr slots)``
    calls the kernel with 8-byte argument slots.
``i64 @kc_time(ptr kernel, ptr slots, i64 number, ptr clock_gettime, i32 clock)``
    calls the kernel ``number`` times (at least once) and returns the nanoseconds they took.

The second, which a function that is called a few times never needs, defines

``ptr @kc_call(ptr self, ptr args, i64 nargs, ptr kwnames)``
    a Python function (METH_FASTCALL | METH_KEYWORDS). It checks the common case (numpy's own
    arrays, kc.nd's, plain Python scalars), releases the GIL and calls the kernel. Anything else,
    a mistake included, goes to ``self``, which is callable and checks completely. It must never
    accept what :mod:`kc.runtime.arguments` refuses.
``ptr @kc_bound(ptr self, ptr args, i64 nargs, ptr kwnames)``
    the same without arguments: a call whose arguments are checked and stored in slots.

Addresses come from the :class:`CallContext` that ``self`` holds, so the text depends on the types
of the arguments alone, and kernels of equal types share one compiled copy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol

from kc.runtime import native
from kc.runtime.native import CallContext
from kc.runtime.signature import AffineDim, ArgSpec, Dim, Signature
from kc.support.forks import fork_lock


class Code(Protocol):
    """Compiled LLVM IR. It lives as long as this object."""

    def address(self, name: str) -> int: ...


Jit = Callable[[str, dict[str, int]], Code]
"""Compiles LLVM IR text, given the addresses of external symbols. Each text is compiled separately,
so equal names in two texts do not clash.
"""

CALL, BOUND, INVOKE, TIME = "kc_call", "kc_bound", "kc_invoke", "kc_time"

FIRST_CALLS = 8
"""The number of calls that Python checks before call code is generated. Generating the code takes
as long as some hundred such calls.
"""

generating = fork_lock()
"""The lock for generating call code; several threads may call a function for the first time."""

RECORD_WORDS = 16
"""Words of the record of a call on a device (``launcher.c``)."""


@lru_cache(maxsize=64)
def compile_text(jit: Jit, text: str) -> Code:
    """The code of a call compiled by ``jit``, shared by the kernels that have the same text."""
    return jit(text, {})


def invoke_text(types: Sequence[str]) -> str:
    """``kc_invoke`` and ``kc_time`` for a kernel with arguments of these machine types."""
    return "\n".join([_invoke(types), _time(types)])


def call_text(signature: Signature, *, on_device: bool = False) -> str:
    """``kc_call`` and ``kc_bound`` for a kernel.

    On a device, arrays are kc.nd's on it, whose memory is not touched. The kernel's last argument
    is a record of :data:`RECORD_WORDS` words, which begins with the ``table`` of the context. Where
    the kernel has set its second word, ``failed`` is called with the address of the record, and
    raises. ``kc_invoke`` and ``kc_time`` take the record as a slot.
    """
    return "\n".join(
        [
            _call(signature, on_device),
            _bound(signature, on_device),
            *(
                f"declare {{i64, i1}} @llvm.{op}.with.overflow.i64(i64, i64)"
                for op in ("sadd", "smul")
            ),
            "declare i64 @llvm.umax.i64(i64, i64)",
            "declare i64 @llvm.umin.i64(i64, i64)",
            "declare float @llvm.fabs.f32(float)",
            "declare double @llvm.fabs.f64(double)",
            '!0 = !{!"branch_weights", i32 1000, i32 1}',
            "",
        ]
    )


class _Function:
    """The text of a function under construction, block by block."""

    def __init__(self, header: str) -> None:
        self.lines = [f"define {header} {{", "entry:"]
        self.block = "entry"
        self._count = 0

    def add(self, line: str) -> None:
        self.lines.append(f"  {line}")

    def let(self, value: str) -> str:
        """A new SSA value defined as ``value``."""
        self._count += 1
        self.add(f"%v{self._count} = {value}")
        return f"%v{self._count}"

    def load(self, kind: str, pointer: str, offset: int = 0) -> str:
        if offset:
            pointer = self.let(f"getelementptr i8, ptr {pointer}, i64 {offset}")
        return self.let(f"load {kind}, ptr {pointer}")

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.block = label

    def label(self, hint: str) -> str:
        self._count += 1
        return f"{hint}{self._count}"

    def guard(self, *conditions: str) -> None:
        """Continue if all ``conditions`` hold, else branch to the block ``slow``."""
        if not conditions:
            return
        holds = conditions[0]
        for condition in conditions[1:]:
            holds = self.let(f"and i1 {holds}, {condition}")
        follow = self.label("ok")
        self.add(f"br i1 {holds}, label %{follow}, label %slow, !prof !0")
        self.start(follow)

    def end(self) -> str:
        return "\n".join([*self.lines, "}", ""])


def _field(function: _Function, context: str, name: str) -> str:
    return function.load("ptr", context, getattr(CallContext, name).offset)


def _python_function(name: str) -> tuple[_Function, str]:
    """The start of a Python function, and its context."""
    function = _Function(f"ptr @{name}(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)")
    return function, function.load("ptr", "%self", native.SELF_DATA_OFFSET)


def _finish(function: _Function, context: str, kernel_args: str, on_device: bool) -> str:
    """Call the kernel without the GIL and return None; the block ``slow`` calls ``self``."""
    if on_device:
        function.add(f"store ptr {_field(function, context, 'table')}, ptr %record")
        status = function.let("getelementptr i8, ptr %record, i64 8")
        function.add(f"store i64 0, ptr {status}")
        kernel_args = ", ".join(filter(None, [kernel_args, "ptr %record"]))
    kernel = _field(function, context, "kernel")
    save, restore = (_field(function, context, f"{name}_thread") for name in ("save", "restore"))
    none = _field(function, context, "none")
    incref = _field(function, context, "incref")
    thread = function.let(f"call ptr {save}()")
    function.add(f"call void {kernel}({kernel_args})")
    function.add(f"call void {restore}(ptr {thread})")
    if on_device:
        _raise_recorded(function, context)
    function.add(f"call void {incref}(ptr {none})")
    function.add(f"ret ptr {none}")
    return _check_completely(function, context)


def _raise_recorded(function: _Function, context: str) -> None:
    """Raise the error in the record through Python, if there is one."""
    status = function.load("i64", "%record", 8)
    well = function.let(f"icmp eq i64 {status}, 0")
    function.add(f"br i1 {well}, label %done, label %failed, !prof !0")
    function.start("failed")
    failed, number, call, decref = (
        _field(function, context, name)
        for name in ("failed", "long_from_pointer", "call_one_arg", "decref")
    )
    address = function.let(f"call ptr {number}(ptr %record)")
    raised = function.let(f"call ptr {call}(ptr {failed}, ptr {address})")
    function.add(f"call void {decref}(ptr {address})")
    function.add(f"ret ptr {raised}")
    function.start("done")


def _check_completely(function: _Function, context: str) -> str:
    """The end of the function: the block ``slow``, which leaves the call to ``self``."""
    function.start("slow")
    vectorcall = _field(function, context, "vectorcall")
    result = function.let(
        f"tail call ptr {vectorcall}(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)"
    )
    function.add(f"ret ptr {result}")
    return function.end()


def _count_guard(function: _Function, count: int) -> None:
    function.guard(
        function.let(f"icmp eq i64 %nargs, {count}"),
        function.let("icmp eq ptr %kwnames, null"),
    )


def _call(signature: Signature, on_device: bool) -> str:
    function, context = _python_function(CALL)
    if any(spec.strides is not None for spec in signature.args):
        function.add("br label %slow")
        return _check_completely(function, context)
    function.add("%overflow = alloca i32")
    if on_device:
        function.add(f"%record = alloca [{RECORD_WORDS} x i64]")
    _count_guard(function, len(signature.args))
    objects = [function.load("ptr", "%args", 8 * i) for i in range(len(signature.args))]
    values = {
        i: _scalar(function, context, spec, objects[i])
        for i, spec in enumerate(signature.args)
        if not spec.is_array
    }
    arrays = {
        i: _unwrapped(function, context, objects[i], on_device)
        for i, spec in enumerate(signature.args)
        if spec.is_array
    }
    data: dict[int, str] = {}
    conditions: list[str] = []
    for i, array in arrays.items():
        data[i], layout = _layout(function, context, signature.args[i], array)
        conditions += layout
    function.guard(*conditions)
    # Now the ranks are known, and the sizes can be read.
    sizes: dict[int, list[str]] = {}
    for i, array in arrays.items():
        dims = function.load("ptr", array, native.ARRAY_DIMS_OFFSET)
        rank = len(signature.args[i].shape)
        sizes[i] = [function.load("i64", dims, 8 * d) for d in range(rank)]
    _sizes_guard(function, signature, sizes, values)
    _overlap_guard(function, signature, data, sizes)
    kernel_args: list[str] = []
    for i, spec in enumerate(signature.args):
        if spec.is_array:
            kernel_args += [f"ptr {data[i]}", *(f"i64 {sizes[i][d]}" for d in spec.dynamic)]
        else:
            kernel_args.append(f"{spec.element.llvm} {values[i]}")
    return _finish(function, context, ", ".join(kernel_args), on_device)


def _unwrapped(function: _Function, context: str, obj: str, on_device: bool) -> str:
    """The numpy array ``obj``, or the numpy array inside a kc.nd array.

    On a device, ``obj`` must be a kc.nd array, whose numpy array describes memory that the CPU
    cannot access.
    """
    expected = _field(function, context, "ndarray_type")
    kind = function.load("ptr", obj, native.TYPE_OFFSET)
    if on_device:
        nd_type = _field(function, context, "nd_type")
        function.guard(function.let(f"icmp eq ptr {kind}, {nd_type}"))
        inner = function.load("ptr", obj, native.NDARRAY_OFFSET)
        function.guard(function.let(f"icmp ne ptr {inner}, null"))
        return inner
    is_numpy = function.let(f"icmp eq ptr {kind}, {expected}")
    direct, not_numpy, join = function.block, function.label("other"), function.label("array")
    function.add(f"br i1 {is_numpy}, label %{join}, label %{not_numpy}, !prof !0")
    function.start(not_numpy)
    nd_type = _field(function, context, "nd_type")
    function.guard(function.let(f"icmp eq ptr {kind}, {nd_type}"))
    inner = function.load("ptr", obj, native.NDARRAY_OFFSET)
    function.guard(function.let(f"icmp ne ptr {inner}, null"))
    inner_kind = function.load("ptr", inner, native.TYPE_OFFSET)
    function.guard(function.let(f"icmp eq ptr {inner_kind}, {expected}"))
    unwrapped = function.block
    function.add(f"br label %{join}")
    function.start(join)
    return function.let(f"phi ptr [{obj}, %{direct}], [{inner}, %{unwrapped}]")


def _layout(function: _Function, context: str, spec: ArgSpec, array: str) -> tuple[str, list[str]]:
    """The data pointer of an array, and the conditions on its element type, rank and memory."""
    data = function.load("ptr", array, native.ARRAY_DATA_OFFSET)
    ndim = function.load("i32", array, native.ARRAY_NDIM_OFFSET)
    descr = function.load("ptr", array, native.ARRAY_DESCR_OFFSET)
    flags = function.load("i32", array, native.ARRAY_FLAGS_OFFSET)
    expected = _field(function, context, f"descr_{spec.dtype}")
    needed = native.C_CONTIGUOUS | (native.WRITEABLE if spec.written else 0)
    present = function.let(f"and i32 {flags}, {needed}")
    conditions = [
        function.let(f"icmp eq i32 {ndim}, {len(spec.shape)}"),
        function.let(f"icmp eq ptr {descr}, {expected}"),
        function.let(f"icmp eq i32 {present}, {needed}"),
    ]
    if spec.alignment > 1:
        address = function.let(f"ptrtoint ptr {data} to i64")
        low = function.let(f"and i64 {address}, {spec.alignment - 1}")
        conditions.append(function.let(f"icmp eq i64 {low}, 0"))
    return data, conditions


def _scalar(function: _Function, context: str, spec: ArgSpec, obj: str) -> str:
    """The value of a Python bool, int or float that the scalar's type can hold."""
    element = spec.element
    kind = function.load("ptr", obj, native.TYPE_OFFSET)
    python_type = "bool" if spec.dtype == "bool" else "float" if element.is_float else "int"
    expected = _field(function, context, f"{python_type}_type")
    function.guard(function.let(f"icmp eq ptr {kind}, {expected}"))
    if spec.dtype == "bool":
        true = function.let(f"icmp eq ptr {obj}, {_field(function, context, 'true')}")
        return function.let(f"zext i1 {true} to i8")
    if element.is_float:
        return _float_scalar(
            function, spec, function.load("double", obj, native.FLOAT_VALUE_OFFSET)
        )
    as_long_long = _field(function, context, "as_long_long")
    value = function.let(f"call i64 {as_long_long}(ptr {obj}, ptr %overflow)")
    inside = function.let(f"icmp eq i32 {function.load('i32', '%overflow')}, 0")
    low, high = spec.bounds
    if (low, high) == (-(2**63), 2**63 - 1):
        function.guard(inside)
        return value
    # A uint64 above the range of int64 overflows here and is left to the complete check.
    high = min(high, 2**63 - 1)
    function.guard(
        inside,
        function.let(f"icmp sge i64 {value}, {low}"),
        function.let(f"icmp sle i64 {value}, {high}"),
    )
    return value if element.size == 8 else function.let(f"trunc i64 {value} to {element.llvm}")


def _float_scalar(function: _Function, spec: ArgSpec, value: str) -> str:
    if spec.dtype == "float64":
        return value
    if spec.dtype != "float32":
        # Conversions to 16 bits may need a library function: left to the complete check.
        function.guard("false")
        return "zeroinitializer"
    infinity = "0x7FF0000000000000"
    narrow = function.let(f"fptrunc double {value} to float")
    magnitude = function.let(f"call float @llvm.fabs.f32(float {narrow})")
    finite = function.let(f"fcmp une float {magnitude}, {infinity}")
    original = function.let(f"call double @llvm.fabs.f64(double {value})")
    infinite = function.let(f"fcmp oeq double {original}, {infinity}")
    function.guard(function.let(f"or i1 {finite}, {infinite}"))
    return narrow


def _sizes_guard(
    function: _Function,
    signature: Signature,
    sizes: dict[int, list[str]],
    values: dict[int, str],
) -> None:
    """Check that constant sizes are met, that symbols agree, that derived sizes follow from them,
    and that the kernel's requirements hold.
    """

    def scalar(i: int) -> str:
        kind = signature.args[i].element.llvm
        return values[i] if kind == "i64" else function.let(f"sext {kind} {values[i]} to i64")

    symbols = {
        symbol: scalar(i) if d is None else sizes[i][d]
        for symbol, (i, d) in signature.binders.items()
    }
    conditions: list[str] = []

    def equal(actual: str, expected: str | int) -> None:
        if actual != expected:
            conditions.append(function.let(f"icmp eq i64 {actual}, {expected}"))

    for i, spec in enumerate(signature.args):
        if spec.symbol is not None and signature.binders[spec.symbol] != (i, None):
            equal(scalar(i), symbols[spec.symbol])
        for d, dim in enumerate(spec.shape):
            equal(sizes[i][d], _size(function, dim, symbols, conditions))
    for condition in signature.requires:
        lhs, rhs = (
            _size(function, side, symbols, conditions) for side in (condition.lhs, condition.rhs)
        )
        compare = "eq" if condition.relation == "==" else "sge"
        # The complete check handles the exceptions.
        conditions.append(function.let(f"icmp {compare} i64 {lhs}, {rhs}"))
    function.guard(*conditions)


def _size(function: _Function, dim: Dim, symbols: dict[str, str], conditions: list[str]) -> str:
    """The value of a size; conditions for its exactness are appended to ``conditions``."""
    if isinstance(dim, int):
        return str(dim)
    if isinstance(dim, str):
        return symbols[dim]
    lhs = _size(function, dim.lhs, symbols, conditions)
    rhs = _size(function, dim.rhs, symbols, conditions)
    if not dim.is_division:
        # Sizes are 64 bits; an overflow is left to the complete check, which has no limit.
        intrinsic = f"@llvm.s{dim.op}.with.overflow.i64"
        pair = function.let(f"call {{i64, i1}} {intrinsic}(i64 {lhs}, i64 {rhs})")
        overflow = function.let(f"extractvalue {{i64, i1}} {pair}, 1")
        conditions.append(function.let(f"xor i1 {overflow}, true"))
        return function.let(f"extractvalue {{i64, i1}} {pair}, 0")
    return _division(function, dim, lhs, rhs)


def _division(function: _Function, dim: AffineDim, lhs: str, rhs: str) -> str:
    if not isinstance(dim.rhs, int):
        function.guard(function.let(f"icmp sgt i64 {rhs}, 0"))
    # LLVM rounds towards zero, and the remainder has the sign of the dividend.
    remainder = function.let(f"srem i64 {lhs}, {rhs}")
    negative = function.let(f"icmp slt i64 {remainder}, 0")
    if dim.op == "mod":
        raised = function.let(f"add i64 {remainder}, {rhs}")
        return function.let(f"select i1 {negative}, i64 {raised}, i64 {remainder}")
    quotient = function.let(f"sdiv i64 {lhs}, {rhs}")
    if dim.op == "floordiv":
        step = function.let(f"sext i1 {negative} to i64")
    else:
        positive = function.let(f"icmp sgt i64 {remainder}, 0")
        step = function.let(f"zext i1 {positive} to i64")
    return function.let(f"add i64 {quotient}, {step}")


def _overlap_guard(
    function: _Function, signature: Signature, data: dict[int, str], sizes: dict[int, list[str]]
) -> None:
    """Check that the bytes of a written array overlap no other argument."""
    spans: dict[int, tuple[str, str]] = {}
    for i, pointer in data.items():
        length = str(signature.args[i].element.size)
        for size in sizes[i]:
            length = function.let(f"mul i64 {length}, {size}")
        begin = function.let(f"ptrtoint ptr {pointer} to i64")
        spans[i] = begin, function.let(f"add i64 {begin}, {length}")
    conditions: list[str] = []
    for i, (begin, end) in spans.items():
        for j, (other_begin, other_end) in spans.items():
            written = signature.args[i].written, signature.args[j].written
            if i == j or not written[0] or (written[1] and j < i):
                continue
            # Empty arrays overlap nothing, wherever they lie.
            first = function.let(f"call i64 @llvm.umax.i64(i64 {begin}, i64 {other_begin})")
            last = function.let(f"call i64 @llvm.umin.i64(i64 {end}, i64 {other_end})")
            conditions.append(function.let(f"icmp uge i64 {first}, {last}"))
    function.guard(*conditions)


def _slots(function: _Function, types: Sequence[str], slots: str) -> str:
    return ", ".join(f"{kind} {function.load(kind, slots, 8 * i)}" for i, kind in enumerate(types))


def _bound(signature: Signature, on_device: bool) -> str:
    function, context = _python_function(BOUND)
    if on_device:
        function.add(f"%record = alloca [{RECORD_WORDS} x i64]")
    _count_guard(function, 0)
    slots = _field(function, context, "slots")
    kernel_args = _slots(function, signature.machine_types, slots)
    return _finish(function, context, kernel_args, on_device)


def _invoke(types: Sequence[str]) -> str:
    function = _Function(f"void @{INVOKE}(ptr %kernel, ptr %slots)")
    function.add(f"call void %kernel({_slots(function, types, '%slots')})")
    function.add("ret void")
    return function.end()


def _time(types: Sequence[str]) -> str:
    function = _Function(
        f"i64 @{TIME}(ptr %kernel, ptr %slots, i64 %number, ptr %clock_gettime, i32 %clock)"
    )
    begin, end = (function.let("alloca [2 x i64]") for _ in range(2))
    kernel_args = _slots(function, types, "%slots")
    function.add(f"call i32 %clock_gettime(i32 %clock, ptr {begin})")
    function.add("br label %loop")
    function.start("loop")
    function.add("%done = phi i64 [0, %entry], [%next, %loop]")
    function.add(f"call void %kernel({kernel_args})")
    function.add("%next = add i64 %done, 1")
    function.add("%more = icmp ult i64 %next, %number")
    function.add("br i1 %more, label %loop, label %finished")
    function.start("finished")
    function.add(f"call i32 %clock_gettime(i32 %clock, ptr {end})")

    def difference(offset: int) -> str:
        after, before = (function.load("i64", time, offset) for time in (end, begin))
        return function.let(f"sub i64 {after}, {before}")

    seconds, nanoseconds = difference(0), difference(8)
    scaled = function.let(f"mul i64 {seconds}, 1000000000")
    total = function.let(f"add i64 {scaled}, {nanoseconds}")
    function.add(f"ret i64 {total}")
    return function.end()
