"""A compiled kernel as a Python function: called, prepared and timed."""

from __future__ import annotations

import contextlib
import ctypes
import time
import weakref
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import Any

from kc.runtime import call_wrapper, native
from kc.runtime.arguments import BoundArguments, bind
from kc.runtime.bound_checks import BoundChecks
from kc.runtime.call_wrapper import Code, Jit
from kc.runtime.native import CallContext
from kc.runtime.operand import HOST, Place
from kc.runtime.outputs import bind_inputs
from kc.runtime.signature import Signature
from kc.support.diagnostics import CallError

Around = Callable[[str], contextlib.AbstractContextManager[None]]

# Both release the GIL while they run.
_Invoke = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_Time = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_int32,
)


class _CallSite(CallContext):
    """The data of a call's generated code, and the complete check as its fallback."""

    signature: Signature
    jit: Jit
    code: Code | None
    """``kc_call`` and ``kc_bound``, once they are worth it."""
    checks: BoundChecks | None
    place: Place
    around: Around | None
    """The context manager around a call of the kernel; its argument is the kernel's name."""
    invoke: Any
    time: Any
    owners: list[Any]

    def entry(self, name: str) -> int:
        """The address of ``kc_call`` or ``kc_bound``."""
        with call_wrapper.generating:
            if self.code is None:
                text = call_wrapper.call_text(self.signature)
                self.code = call_wrapper.compile_text(self.jit, text)
        return self.code.address(name)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        signature = self.signature
        passed = len(args) + len(signature.outputs)
        if not keywords and passed == len(signature.args) and len(args) < passed:
            bound, outputs = bind_inputs(signature, args, self.place)
            self.run(bound)
            return outputs[0] if len(outputs) == 1 else outputs
        self.run(bind(signature, args, keywords, self.place))
        return None

    def run(self, arguments: BoundArguments) -> None:
        """Call the kernel. Raises CallError KC5250 for an exception of a Python function, KC5270
        for an access out of bounds, KC6308 for GPU threads in a deadlock.
        """
        if self.checks is None and self.around is None:
            self.invoke(self.kernel, arguments.slots)
            return
        with self.slots_of(arguments) as slots:
            self.invoke(self.kernel, slots)

    @contextlib.contextmanager
    def slots_of(self, arguments: BoundArguments) -> Iterator[Any]:
        """The slots for calls in the block. Its end raises the errors of accesses out of bounds and
        of Python functions.
        """
        name, checks = self.signature.name, self.checks
        with contextlib.nullcontext() if self.around is None else self.around(name):
            if checks is None:
                yield arguments.slots
                return
            record = checks.new_record()
            words = [*arguments.slots, ctypes.addressof(record)]
            yield (ctypes.c_uint64 * len(words))(*words)
            checks.raise_reported(name, list(record))


class BoundCall(CallContext):
    """The data of the generated code of a prepared call; holds the arguments."""

    site: Any
    """The call site, with a ``signature``, that runs bound arguments."""
    arguments: BoundArguments

    def __call__(self, *args: Any, **keywords: Any) -> None:
        if args or keywords:
            name = self.site.signature.name
            raise CallError(
                "KC5121",
                f"{name}: a prepared call takes no arguments",
                why="the call passes the arguments of prepare()",
                hints=[f"{name}.prepare(...) for other arguments"],
            )
        self.site.run(self.arguments)


class CompiledFunction:
    """A kernel in memory, callable with arrays and scalars.

    A call checks every argument (KC51xx errors), releases the GIL and runs the kernel, which
    writes to its output arguments; it returns None. A call without any of the output arguments
    allocates them and returns them, a tuple where there are several. Any number of threads may
    call it at once.

    The first calls are checked in Python, those after :data:`call_wrapper.FIRST_CALLS` by code
    that is generated for them.

    ``address`` is the machine-level function, ``jit`` compiles the call's own code, and
    ``keep_alive`` is whatever the machine code lives in. ``checks`` are the bound checks of a
    kernel that has them, and an access outside of bounds is CallError KC5270. ``around`` is for one
    that says otherwise that something went wrong: what Python functions that it calls raise
    (:func:`kc.runtime.callbacks.calling`), or that threads wait for ever
    (:func:`kc.runtime.emulator.noticing_failures`). ``place`` is where its arrays are.
    """

    # A slot and not a method: a call then reaches the generated code without a Python frame.
    __slots__ = ("__call__", "__weakref__", "_followers", "_site")
    __call__: Callable[..., Any]

    def __init__(
        self,
        signature: Signature,
        address: int,
        jit: Jit,
        keep_alive: Any = None,
        checks: BoundChecks | None = None,
        *,
        around: Around | None = None,
        place: Place = HOST,
    ) -> None:
        types = signature.machine_types if checks is None else (*signature.machine_types, "ptr")
        runner = call_wrapper.compile_text(jit, call_wrapper.invoke_text(types))
        site = _CallSite()
        site.signature = signature
        site.jit, site.code = jit, None
        site.checks = checks
        site.place = place
        site.around = around
        site.invoke = _Invoke(runner.address(call_wrapper.INVOKE))
        site.time = _Time(runner.address(call_wrapper.TIME))
        site.owners = [keep_alive, runner]
        native.fill(site, address, {spec.dtype for spec in signature.args})
        self._site = site
        self._followers: weakref.WeakSet[Any] = weakref.WeakSet()
        self.__call__ = self._first_calls() if self._is_fast else site
        if self._is_fast and call_wrapper.FIRST_CALLS == 0:
            self._call_by_code()

    @property
    def _is_fast(self) -> bool:
        """True if code may be generated for calls."""
        site = self._site
        return site.around is None and site.checks is None and native.fast_calls_work()

    def _first_calls(self) -> Callable[..., Any]:
        site, function, left = self._site, weakref.ref(self), call_wrapper.FIRST_CALLS

        def call(*args: Any, **keywords: Any) -> Any:
            nonlocal left
            left -= 1
            if left <= 0 and (compiled := function()) is not None:
                compiled._call_by_code()
            return site(*args, **keywords)

        return call

    def _call_by_code(self) -> None:
        """Switch to generated code, once. Several threads may call for the first time."""
        with call_wrapper.generating:
            if self._site.method is not None:
                return
            self.__call__ = self._builtin(call_wrapper.CALL, self._site)
            for follower in self._followers:
                follower.__call__ = self.__call__

    def call_through(self, holder: Any) -> None:
        """Let the ``__call__`` slot of ``holder`` call this function, and follow its changes."""
        holder.__call__ = self.__call__
        self._followers.add(holder)

    def _builtin(self, entry: str, context: _CallSite | BoundCall) -> Callable[..., Any]:
        signature = self.signature
        return native.builtin(signature.name, self._site.entry(entry), context, str(signature))

    @property
    def signature(self) -> Signature:
        return self._site.signature

    @property
    def name(self) -> str:
        return self.signature.name

    @property
    def device_types(self) -> tuple[int, ...]:
        """The DLPack device types that the function's arrays may have."""
        return self._site.place.device_types

    @property
    def address(self) -> int:
        """The address of the machine-level function."""
        return self._site.kernel

    def retain(self, owner: Any) -> None:
        """Keep ``owner`` alive as long as the function can be called."""
        self._site.owners.append(owner)

    def call_with_slots(self, slots: ctypes.Array[ctypes.c_uint64]) -> None:
        """Call the kernel with its machine-level arguments, one slot each, unchecked.

        Raises the errors of a normal call for failures in the kernel.
        """
        self._site.run(BoundArguments(slots, ()))

    def prepare(self, *args: Any) -> Callable[[], None]:
        """A call without arguments that always passes ``args``, which are checked once, here.

        It keeps the arrays alive. Later changes of an array (such as making it read-only) have no
        effect.
        """
        call = BoundCall.from_buffer_copy(self._site)
        call.site = self._site
        call.arguments = bind(self.signature, args, None, self._site.place)
        call.slots = ctypes.addressof(call.arguments.slots)
        return self._builtin(call_wrapper.BOUND, call) if self._is_fast else call

    def timer(self, *args: Any) -> Callable[[int], float]:
        """A function that calls the kernel ``number`` times in a row and returns the seconds.

        The arguments are checked here; the loop and its clock are native and run without the GIL.
        """
        site = self._site
        bound = bind(self.signature, args, None, site.place)

        def seconds(number: int) -> float:
            clock = _clock_gettime(), time.CLOCK_MONOTONIC
            with site.slots_of(bound) as slots:
                elapsed = site.time(site.kernel, slots, number, *clock)
            return elapsed * 1e-9

        return seconds

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__()} - {"address", "call_with_slots", "retain"})

    def __reduce__(self) -> Any:
        raise function_not_pickled(self.signature)

    def __repr__(self) -> str:
        return f"<kc function {self.signature}>"


def function_not_pickled(signature: Signature) -> CallError:
    """The refusal of a pickle or a copy of one function of a module."""
    return CallError(
        "KC5141",
        f"the function {signature.name} cannot be pickled",
        why="its code belongs to a module",
        hints=["pickle the module, which kc.build returned"],
    )


class DeferredFunction:
    """A kernel that is compiled on demand, and is a :class:`CompiledFunction` from then on.

    ``make`` compiles it, and raises an error if that is impossible.
    """

    def __init__(self, signature: Signature, make: Callable[[], CompiledFunction]) -> None:
        self.signature = signature
        self._make = make
        self._owners: list[Any] = []

    @cached_property
    def compiled(self) -> CompiledFunction:
        """The function itself."""
        return self._make()

    @property
    def name(self) -> str:
        return self.signature.name

    @property
    def address(self) -> int:
        """The address of the machine-level function."""
        return self.compiled.address

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.compiled(*args, **keywords)

    def retain(self, owner: Any) -> None:
        """Keep ``owner`` alive as long as the function can be called."""
        self._owners.append(owner)

    def prepare(self, *args: Any) -> Callable[[], None]:
        """See :meth:`CompiledFunction.prepare`."""
        return self.compiled.prepare(*args)

    def timer(self, *args: Any) -> Callable[[int], float]:
        """See :meth:`CompiledFunction.timer`."""
        return self.compiled.timer(*args)

    def __reduce__(self) -> Any:
        raise function_not_pickled(self.signature)

    def __repr__(self) -> str:
        return f"<kc function {self.signature}>"


@cache
def _clock_gettime() -> int | None:
    return ctypes.cast(ctypes.CDLL(None).clock_gettime, ctypes.c_void_p).value
