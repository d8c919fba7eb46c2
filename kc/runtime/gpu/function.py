"""Calls of functions whose kernels run on a GPU.

A call checks every argument, queues the kernels in the current stream of the device, and returns:
reading a result (``x.numpy()``), ``device.sync()`` and copies wait.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kc.runtime import call_wrapper, native
from kc.runtime.arguments import BoundArguments, bind
from kc.runtime.call_wrapper import Code
from kc.runtime.device import CUDA
from kc.runtime.function import BoundCall
from kc.runtime.gpu.array import array_type
from kc.runtime.gpu.code import DeviceCode, LoadedCode
from kc.runtime.gpu.gpu import Gpu, gpu_of
from kc.runtime.gpu.sharing import DevicePlace, number_of
from kc.runtime.native import CallContext
from kc.runtime.outputs import bind_inputs
from kc.runtime.signature import Signature
from kc.support.diagnostics import KCError

_Invoke = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_Time = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_int32,
)
_Clock = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_void_p)


@_Clock
def _no_clock(clock: int, time: int) -> int:
    """No clock: events of the device measure time."""
    del clock, time
    return 0


class _DeviceSite(CallContext):
    """The data of the generated code of a call on one device."""

    owner: DeviceFunction
    loaded: LoadedCode
    place: DevicePlace
    code: Code | None
    """``kc_call`` and ``kc_bound``, once they are worth it."""
    invoke: Any
    time: Any
    owners: list[Any]

    @property
    def signature(self) -> Signature:
        return self.owner.signature

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.owner.call_checked(args, keywords)

    def builtin(self, entry: str, context: _DeviceSite | BoundCall) -> Callable[..., Any]:
        """The Python function for ``kc_call`` or ``kc_bound``."""
        name, signature = self.owner.name, self.signature
        with call_wrapper.generating:
            if self.code is None:
                text = call_wrapper.call_text(signature, on_device=True)
                self.code = call_wrapper.compile_text(self.owner.code.host.jit, text)
        return native.builtin(name, self.code.address(entry), context, str(signature))

    def run(self, arguments: BoundArguments) -> None:
        """Queue the kernels. Raises DeviceError KC6035 or KC6036."""
        record = self.loaded.new_record()
        self.invoke(self.kernel, self.slots_of(arguments, record))
        self.loaded.raise_recorded(self.owner.name, list(record))

    def slots_of(self, arguments: BoundArguments, record: Any) -> Any:
        """The words of the arguments, and the address of the record."""
        words = [*arguments.slots, ctypes.addressof(record)]
        return (ctypes.c_uint64 * len(words))(*words)

    def raise_failed(self, address: int) -> None:
        """Raise the error of the record at an address; called by generated code."""
        words = (ctypes.c_int64 * call_wrapper.RECORD_WORDS).from_address(address)
        self.loaded.raise_recorded(self.owner.name, list(words))


class _KeptUntilDone:
    """Owners of external memory that queued calls still use."""

    def __init__(self, gpu: Gpu, owners: Sequence[Any]) -> None:
        self.gpu = gpu
        self.owners = owners

    def __del__(self) -> None:
        if self.owners:
            with contextlib.suppress(KCError):  # the process, or the context, is at its end
                self.gpu.keep(self.owners)


class DeviceFunction:
    """A function whose kernels run on the device that its arrays are on, called as one of the CPU.

    Arrays are kc.nd's on a device, or those of others with ``__dlpack__`` or
    ``__cuda_array_interface__``, whose memory is shared. The code is loaded, and a driver looked
    for, at the first call.
    """

    device_types = (CUDA,)

    __slots__ = ("__call__", "__weakref__", "_code", "_left", "_owners", "_signature", "_sites")
    __call__: Callable[..., Any]

    def __init__(self, signature: Signature, code: DeviceCode) -> None:
        self._signature = signature
        self._code = code
        self._sites: dict[Gpu, _DeviceSite] = {}
        self._owners: list[Any] = []
        self._left = call_wrapper.FIRST_CALLS
        self.__call__ = self._call

    @property
    def signature(self) -> Signature:
        return self._signature

    @property
    def name(self) -> str:
        return self._signature.name

    @property
    def code(self) -> DeviceCode:
        """The PTX, and the host code that launches its kernels."""
        return self._code

    @property
    def address(self) -> int:
        """The address of the host code, whose last argument is the record of ``launcher.c``."""
        return self._code.host.address(self.name)

    def retain(self, owner: Any) -> None:
        """Keep ``owner`` alive as long as the function can be called."""
        self._owners.append(owner)

    def _call(self, *args: Any, **keywords: Any) -> Any:
        if self.__call__ != self._call:
            return self.__call__(*args, **keywords)
        result = self.call_checked(args, keywords)
        self._left -= 1
        if self._left <= 0 and native.fast_calls_work():
            with call_wrapper.generating:  # once: several threads may come here
                site = next(iter(self._sites.values()))
                if site.method is None:
                    self.__call__ = site.builtin(call_wrapper.CALL, site)
        return result

    def call_checked(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """Call the kernel with all checks. External memory is kept alive until the call is done."""
        signature = self._signature
        site = self._site(self._gpu(args))
        passed = len(args) + len(signature.outputs)
        result = None
        if not keywords and passed == len(signature.args) and len(args) < passed:
            bound, outputs = bind_inputs(signature, args, site.place)
            result = outputs[0] if len(outputs) == 1 else outputs
        else:
            bound = bind(signature, args, keywords, site.place)
        site.run(bound)
        foreign = site.place.foreign(bound.keep_alive)
        if foreign:
            site.loaded.gpu.keep(foreign)
        return result

    def _gpu(self, args: Sequence[Any]) -> Gpu:
        """The device of the first array on a device; the first device if there is none."""
        needs = f"{self.name} is compiled for an NVIDIA GPU"
        for spec, value in zip(self._signature.args, args, strict=False):
            number = number_of(value) if spec.is_array else None
            if isinstance(number, Gpu):
                return number
            if number is not None:
                return gpu_of(number, needs)
        return gpu_of(0, needs)

    def _site(self, gpu: Gpu) -> _DeviceSite:
        site = self._sites.get(gpu)
        return self._new_site(gpu) if site is None else site

    def _new_site(self, gpu: Gpu) -> _DeviceSite:
        with call_wrapper.generating:
            if (site := self._sites.get(gpu)) is not None:
                return site  # another thread's
            loaded = self._code.on(gpu)
            host = self._code.host
            signature = self._signature
            text = call_wrapper.invoke_text((*signature.machine_types, "ptr"))
            runner = call_wrapper.compile_text(host.jit, text)
            site = _DeviceSite()
            site.owner, site.loaded, site.code = self, loaded, None
            site.place = DevicePlace(gpu)
            site.invoke = _Invoke(runner.address(call_wrapper.INVOKE))
            site.time = _Time(runner.address(call_wrapper.TIME))
            site.owners = [host, site.raise_failed, runner]
            native.fill(site, host.address(self.name), {spec.dtype for spec in signature.args})
            site.nd_type = id(array_type(gpu))
            site.table = loaded.address
            site.failed = id(site.owners[1])
            self._sites[gpu] = site
        return site

    def prepare(self, *args: Any) -> Callable[[], None]:
        """A call without arguments that always passes ``args``, which are checked once, here.

        It keeps the arrays alive, and launches in the current stream at the time of the call.
        """
        site = self._site(self._gpu(args))
        call = BoundCall.from_buffer_copy(site)
        call.site = site
        bound = bind(self._signature, args, None, site.place)
        foreign = site.place.foreign(bound.keep_alive)
        until_done = _KeptUntilDone(site.loaded.gpu, foreign)
        call.arguments = BoundArguments(bound.slots, (*bound.keep_alive, until_done))
        call.slots = ctypes.addressof(call.arguments.slots)
        return site.builtin(call_wrapper.BOUND, call) if native.fast_calls_work() else call

    def timer(self, *args: Any) -> Callable[[int], float]:
        """A function that queues ``number`` calls in a row and returns the seconds on the device,
        measured by events.
        """
        site = self._site(self._gpu(args))
        bound = bind(self._signature, args, None, site.place)
        gpu = site.loaded.gpu

        def seconds(number: int) -> float:
            record = site.loaded.new_record()
            slots = site.slots_of(bound, record)
            driver = gpu.driver
            with gpu.active("a measurement"):
                begin, end = (driver.create_event(timing=True) for _ in range(2))
            try:
                with gpu.active("a measurement"):
                    driver.record(begin, gpu.stream)
                site.time(site.kernel, slots, number, ctypes.cast(_no_clock, ctypes.c_void_p), 0)
                site.loaded.raise_recorded(self.name, list(record))
                with gpu.active("a measurement"):
                    driver.record(end, gpu.stream)
                    driver.synchronize_event(end)
                    return driver.milliseconds(begin, end) * 1e-3
            finally:
                with gpu.active("a measurement"):
                    driver.destroy_event(begin)
                    driver.destroy_event(end)

        return seconds

    def loaded(self, device: Any) -> LoadedCode:
        """The code on a device: registers of its kernels, and the messages of the PTX compiler."""
        return self._code.on(gpu_of(device.device_id, f"{self.name} is compiled for a GPU"))

    def __repr__(self) -> str:
        return f"<kc function {self._signature}>"
