"""Targets: the machines that code is compiled for, in TVM's grammar, with facts from data files.

``Target("llvm -mcpu=znver4 -mattr=+avx512f --host=llvm")``; also JSON text, a dict, or a tag such
as ``raspberry-pi/4b-aarch64``. ``-mcpu=native`` is the CPU that the process runs on, with its
caches and the cores it may use. Facts (vector widths, caches, CPU names) come from
``kc/support/targets/*.toml`` and from the data files of plugins.
"""

from __future__ import annotations

import difflib
import functools
import json
import platform
import sys
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeAlias

from kc.support.diagnostics import TargetError, suggest
from kc.support.target_data import Architecture, Kind, architecture, kinds, tags
from kc.support.target_text import render, tokens

Value = str | int | bool | tuple[str, ...]
TargetLike: TypeAlias = "str | Mapping[str, Any] | Target"


class LLVMTarget(NamedTuple):
    """The options of a target machine of LLVM; ``features`` is as in ``+avx2,-fma``."""

    triple: str
    cpu: str
    features: str


NATIVE = "native"
"""``-mcpu=native``: the CPU that this process runs on, as for clang and llc."""
_COMMON = {"device": "str", "model": "str", "libs": "list", "tag": "str"}
_LIBRARIES = (
    "cblas",
    "clml",
    "cublas",
    "cublaslt",
    "cudnn",
    "curand",
    "cutlass",
    "dnnl",
    "hipblas",
    "libdevice",
    "miopen",
    "mkl",
    "mkldnn",
    "mps",
    "nnapi",
    "nnpack",
    "rocblas",
    "rocthrust",
    "tensorrt",
    "thrust",
)
"""Names in ``-libs`` that have a meaning: to kc (``libdevice``), or in targets of TVM."""
_LIKENESS = 0.75
"""The similarity (0 to 1, by difflib) from which on a name counts as a misspelling."""
_FAST_MATH = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")
_STACK: ContextVar[tuple[Target, ...]] = ContextVar("kc_targets", default=())


class Target:
    """A target, immutable and comparable. ``str()`` gives text that creates an equal target.

    Raises :class:`TargetError`: KC6001 (unknown kind or tag), KC6002 (unknown attribute), KC6003
    (wrong value), KC6004 (unknown CPU), KC6005 (unknown feature), KC6006 (unknown architecture),
    KC6007 (an attribute twice), KC6012 (a misspelled library).
    """

    kind: Kind
    attrs: Mapping[str, Value]
    keys: tuple[str, ...]
    host: Target | None

    def __init__(self, target: TargetLike, host: TargetLike | None = None) -> None:
        if isinstance(target, Target):
            fields = target.export()
        elif isinstance(target, Mapping):
            fields = dict(target)
        elif isinstance(target, str):
            fields = _parse(target)
        else:
            raise TargetError(
                "KC6003", f"a target is text, a dict or a Target, not {type(target).__name__}"
            )
        if host is not None:
            fields["host"] = host
        self._fill(fields)

    def _fill(self, fields: dict[str, Any]) -> None:
        name = fields.pop("kind", None)
        all_kinds = kinds()
        if name is None:
            raise TargetError(
                "KC6003", "target: the key 'kind' is missing", hints=['"kind": "llvm"']
            )
        if not isinstance(name, str) or name not in all_kinds:
            raise TargetError(
                "KC6001",
                f"there is no target kind '{name}'",
                hints=suggest(str(name), all_kinds, "the kinds are"),
            )
        self.kind = all_kinds[name]
        host = fields.pop("host", None)
        self.host = host if isinstance(host, Target) or host is None else Target(host)
        user_keys = _list("keys", fields.pop("keys", ()))
        types = {**_COMMON, **self.kind.attributes}
        if self.kind.architectures and fields.get("mcpu") == NATIVE:
            fields = self._on_this_machine(fields)
        attrs: dict[str, Value] = {}
        for key, value in fields.items():
            if key not in types:
                raise TargetError(
                    "KC6002",
                    f"target {name} has no attribute '{key}'",
                    hints=suggest(key, [*types, "keys", "host"], "the attributes are"),
                )
            attrs[key] = _value(key, types[key], value)
        self.attrs = dict(sorted(attrs.items()))
        device = (self.device_name,) if "device" in attrs else ()
        self.keys = tuple(dict.fromkeys([*user_keys, *device, *self.kind.default_keys]))
        self._check()

    def _on_this_machine(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes of the CPU that runs this process, overridden by the given attributes."""
        from kc.support.target_host import host_attributes

        host = host_attributes()
        explicit = {key: value for key, value in fields.items() if key != "mcpu"}
        triples = (str(explicit.get("mtriple", host["mtriple"])), str(host["mtriple"]))
        chosen, here = (
            _architecture_of(triple.partition("-")[0], self.kind.architectures)
            for triple in triples
        )
        if chosen is not here:
            raise TargetError(
                "KC6004",
                f"target {self.kind}: -mcpu={NATIVE} is a CPU of {here.name}, not of {chosen.name}",
                why=f"{NATIVE} is the CPU that this process runs on",
                hints=["leave -mtriple out, or name a CPU of it"],
            )
        if "mattr" in explicit:
            explicit["mattr"] = [*host.get("mattr", ()), *_list("mattr", explicit["mattr"])]
        return {**host, **explicit}

    def _check(self) -> None:
        width = self.attrs.get("vector-width")
        if isinstance(width, int) and (width < 8 or width & (width - 1)):
            raise TargetError(
                "KC6003",
                f"target {self.kind}: -vector-width={width}",
                why="a vector width is a power of two, in bits, at least 8",
            )
        level = self.attrs.get("opt-level", 0)
        if isinstance(level, int) and not 0 <= level <= 3:
            raise TargetError("KC6003", f"target {self.kind}: -opt-level={level} is not 0 to 3")
        contracts = [self.attrs.get(key) for key in ("contract", "fast-math-contract")]
        if True in contracts and False in contracts:
            raise TargetError(
                "KC6003",
                f"target {self.kind}: -contract={int(contracts[0] is True)} and "
                f"-fast-math-contract={int(contracts[1] is True)}",
                why="both set whether a product and a sum may be fused into one operation",
            )
        for key, value in self.attrs.items():
            if type(value) is int and value < 1 and key != "opt-level":
                raise TargetError("KC6003", f"target {self.kind}: -{key}={value} is less than 1")
        models = self.kind.models
        if models and self.model_name not in (*models, self.kind):
            raise TargetError(
                "KC6006",
                f"target {self.kind}: there is no architecture '{self.model_name}'",
                hints=suggest(self.model_name, models, "the architectures are"),
            )
        float_abi = self.attrs.get("mfloat-abi", "hard")
        if float_abi not in ("hard", "soft"):
            raise TargetError(
                "KC6003",
                f"target {self.kind}: -mfloat-abi={float_abi}",
                why="floats are passed in registers of floats (hard), or in others (soft)",
            )
        for library in self.libs:
            close = difflib.get_close_matches(library, _LIBRARIES, cutoff=_LIKENESS)
            if close and library not in _LIBRARIES:
                raise TargetError(
                    "KC6012",
                    f"target {self.kind}: -libs={library} names no library",
                    why="an unknown name would have no effect",
                    hints=suggest(library, close),
                )
        arch = self.architecture
        if arch is None:
            return
        if self.mcpu is not None and self.mcpu not in arch.cpus:
            raise TargetError(
                "KC6004",
                f"target {self.kind}: {arch.name} has no CPU '{self.mcpu}'",
                hints=suggest(self.mcpu, arch.cpus, "its CPUs are"),
            )
        for feature in self.mattr:
            if feature[:1] not in ("+", "-") or feature[1:] not in arch.features:
                bare = feature.lstrip("+-")
                hints = suggest(bare, arch.features, "its features are")
                if feature[:1] not in ("+", "-") and bare in arch.features:
                    hints = [f"+{bare} to switch it on, -{bare} to switch it off"]
                raise TargetError(
                    "KC6005",
                    f"target {self.kind}: {arch.name} has no feature '{feature}'",
                    why="a feature is written with + or - before its name",
                    hints=hints,
                )

    # What is asked of a target

    @property
    def architecture(self) -> Architecture | None:
        """The CPU architecture; None for a kind without one."""
        names = self.kind.architectures
        if not names:
            return None
        triple = self.attrs.get("mtriple")
        if isinstance(triple, str):
            return _architecture_of(triple.partition("-")[0], names)
        here = platform.machine()
        every = [architecture(name) for name in names]
        every.sort(key=lambda arch: here not in arch.machines)
        features = {feature[1:] for feature in self.mattr}
        return next(
            (
                arch
                for arch in every
                if (self.mcpu is None or self.mcpu in arch.cpus)
                and features.issubset(arch.features)
            ),
            next((arch for arch in every if self.mcpu in arch.cpus), every[0]),
        )

    @property
    def triple(self) -> str:
        """LLVM's target triple. Without ``-mtriple``, it is this machine's if the CPU has its
        architecture.
        """
        mtriple = self.attrs.get("mtriple")
        arch = self.architecture
        if isinstance(mtriple, str) or arch is None:
            return _float_abi(_normal_triple(str(mtriple or "")), self.attrs.get("mfloat-abi"))
        if platform.machine() in arch.machines and sys.platform == "darwin":
            return "arm64-apple-darwin" if arch.name == "aarch64" else "x86_64-apple-darwin"
        return arch.triple

    @property
    def abi(self) -> str:
        """The value of ``-mabi``, such as ``lp64d``: the calling convention, for machines with
        several.
        """
        return str(self.attrs.get("mabi", ""))

    @property
    def mcpu(self) -> str | None:
        """The CPU's name, None if not given."""
        value = self.attrs.get("mcpu")
        return value if isinstance(value, str) else None

    @property
    def cpu(self) -> str:
        """The CPU's name for LLVM; without ``-mcpu``, the baseline CPU of the architecture."""
        arch = self.architecture
        return self.mcpu or (arch.baseline if arch is not None else "")

    @property
    def mattr(self) -> tuple[str, ...]:
        """Features, each with its ``+`` or ``-``."""
        value = self.attrs.get("mattr", ())
        assert isinstance(value, tuple)
        return value

    def has_feature(self, name: str) -> bool:
        """True if the CPU has a feature, by ``-mattr`` or else by its name, if the name is known.

        ``sm_80`` is any of NVIDIA's GPUs from that architecture on, ``sm_90a`` that architecture
        alone.
        """
        if name.startswith("sm_"):
            from kc.support.nvidia import architecture_of

            if "cuda" not in self.keys:
                return False
            architecture = architecture_of(self)
            if name.endswith("a"):
                return architecture.name == name
            return architecture.number >= int(name.removeprefix("sm_"))
        settings = [feature[0] == "+" for feature in self.mattr if feature[1:] == name]
        if settings:
            return settings[-1]
        arch = self.architecture
        return arch is not None and self.cpu in arch.cpu_features.get(name, ())

    @property
    def llvm(self) -> LLVMTarget:
        """The options for LLVM; KC6010 for a target that is not a CPU."""
        if self.architecture is None:
            raise TargetError(
                "KC6010", f"target {self.kind} is not compiled by LLVM", hints=['"llvm"']
            )
        return LLVMTarget(self.triple, self.cpu, ",".join(self.mattr))

    @property
    def device_name(self) -> str:
        """``-device``, or the kind's device."""
        return str(self.attrs.get("device", self.kind.device))

    @property
    def libs(self) -> tuple[str, ...]:
        """Libraries that may be called."""
        value = self.attrs.get("libs", ())
        assert isinstance(value, tuple)
        return value

    @property
    def fast_math(self) -> tuple[str, ...]:
        """The flags of relaxed floating-point arithmetic, as LLVM's flags in their order.

        ``-fast-math`` sets all of them and ``-fast-math-nnan=0`` takes one away again. Without
        them, ``contract`` alone: a product and a sum may be rounded once. ``-contract=0`` forbids.
        """
        every = self.attrs.get("fast-math", False)
        flags = {flag: self.attrs.get(f"fast-math-{flag}", every) for flag in _FAST_MATH}
        flags["contract"] = self.attrs.get("contract", self.attrs.get("fast-math-contract", True))
        return tuple(flag for flag, is_set in flags.items() if is_set)

    @property
    def num_cores(self) -> int | None:
        """``-num-cores``, None if not given."""
        value = self.attrs.get("num-cores")
        return value if isinstance(value, int) else None

    @property
    def limits(self) -> Mapping[str, Any]:
        """The limits of the machine: those of the kind, then of the model, then the given
        attributes.
        """
        limits = {**self.kind.limits, **self.kind.models.get(self.model_name, {})}
        return {key: self.attrs.get(key, value) for key, value in limits.items()}

    @property
    def model_name(self) -> str:
        """``-arch`` (or ``-mcpu``) of a kind that has models, else the kind."""
        name = self.attrs.get("arch", self.attrs.get("mcpu"))
        return name if isinstance(name, str) and self.kind.models else str(self.kind)

    @property
    def vector_bits(self) -> int:
        """The width of a vector register in bits, 0 without vectors."""
        width = self.attrs.get("vector-width")
        if isinstance(width, int):
            return width
        arch = self.architecture
        if arch is None:
            return int(self.limits.get("vector_bits", 0))
        return arch.vector_bits_of(self.cpu, self.mattr)

    def lanes(self, bitwidth: int) -> int:
        """The number of elements of ``bitwidth`` bits in a vector; at least 1."""
        return max(1, self.vector_bits // bitwidth)

    @property
    def caches(self) -> tuple[int, int, int]:
        """Bytes of the L1 data cache and the L2 cache of a core, and of the L3 cache that it
        shares; 0 if absent.
        """
        arch = self.architecture
        listed = arch.caches_of(self.cpu) if arch is not None else (0, 0, 0)
        l1, l2, l3 = (
            int(self.attrs.get(f"l{level}-cache", listed[level - 1]))  # pyright: ignore
            for level in (1, 2, 3)
        )
        return l1, l2, l3

    # Text and data

    def export(self) -> dict[str, Any]:
        """The target as a dict from which an equal target can be made."""
        fields: dict[str, Any] = {"kind": str(self.kind)}
        if self.keys != self._default_keys():
            fields["keys"] = list(self.keys)
        fields.update((k, list(v) if isinstance(v, tuple) else v) for k, v in self.attrs.items())
        if self.host is not None:
            fields["host"] = self.host.export()
        return fields

    def _default_keys(self) -> tuple[str, ...]:
        device = (self.device_name,) if "device" in self.attrs else ()
        return tuple(dict.fromkeys([*device, *self.kind.default_keys]))

    def __str__(self) -> str:
        keys = self.keys if self.keys != self._default_keys() else ()
        host = str(self.host) if self.host is not None else None
        values = [
            value for v in self.attrs.values() for value in (v if isinstance(v, tuple) else [v])
        ]
        if any("'" in str(value) for value in (*values, host)):
            return json.dumps(self.export())  # quotes do not nest
        return render(str(self.kind), keys, self.attrs, host)

    def __repr__(self) -> str:
        return f"Target({str(self)!r})"

    def _repr_html_(self) -> str:
        from kc.support.display import to_table

        rows: list[tuple[str, str]] = [("kind", str(self.kind)), ("keys", ", ".join(self.keys))]
        for key, value in self.attrs.items():
            rows.append((key, ", ".join(value) if isinstance(value, tuple) else str(value)))
        if self.host is not None:
            rows.append(("host", str(self.host)))
        return to_table(rows)

    def _identity(self) -> tuple[Any, ...]:
        return (str(self.kind), self.keys, tuple(self.attrs.items()), self.host)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Target) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def with_host(self, host: TargetLike) -> Target:
        """This target with another host."""
        return Target(self, host)

    # What there is

    @staticmethod
    def list_kinds() -> list[str]:
        """The kinds of targets."""
        return list(kinds())

    @staticmethod
    def list_tags() -> dict[str, Target]:
        """The tagged targets, by tag."""
        return {tag: Target(tag) for tag in tags()}

    @property
    def model(self) -> str:
        """The value of ``-model``; "unknown" without it, as in TVM."""
        return str(self.attrs.get("model", "unknown"))

    @property
    def arch(self) -> str:
        """The model of a GPU, as ``sm_80``; "" for a target that has none."""
        return str(self.attrs.get("arch", "")) or (self.model_name if self.kind.models else "")

    @property
    def max_num_threads(self) -> int:
        """The maximum number of threads per block; 1 for a CPU."""
        return int(self.limits.get("max_threads_per_block", 1))

    @property
    def thread_warp_size(self) -> int:
        """The number of threads that execute together; 1 for a CPU."""
        return int(self.limits.get("thread_warp_size", 1))

    @property
    def max_shared_memory_per_block(self) -> int:
        """Bytes of shared memory of a block; 0 for a CPU."""
        return int(self.limits.get("max_shared_memory_per_block", 0))

    # The current target

    def __enter__(self) -> Target:
        _STACK.set((*_STACK.get(), self))
        return self

    def __exit__(self, *exc: object) -> None:
        _STACK.set(_STACK.get()[:-1])

    @staticmethod
    def current(allow_none: bool = True) -> Target | None:
        """The target of the innermost ``with target:``; None, or KC6008, outside of any."""
        stack = _STACK.get()
        if not stack and not allow_none:
            raise TargetError(
                "KC6008", "there is no current target", hints=['with kc.target.Target("llvm"): ...']
            )
        return stack[-1] if stack else None

    @staticmethod
    def generic() -> Target:
        """The target that is the same on every machine: x86-64 with 256-bit vectors."""
        return _generic()

    @staticmethod
    def host_cpu() -> Target:
        """The target of the CPU that runs this process, with its caches and usable cores."""
        from kc.support.target_host import host_attributes

        return _host(tuple(host_attributes().items()))


@functools.cache
def _generic() -> Target:
    return Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v3")


@functools.cache
def _host(attributes: tuple[tuple[str, Any], ...]) -> Target:
    return Target({"kind": "llvm", **dict(attributes)})


def target_of(module: Any) -> Target:
    """The target of a module (a ``builtin.module``).

    Its attribute ``kc.target``, else the current target, else the generic one.
    """
    attribute = module.attributes.get("kc.target")
    if attribute is not None:
        text = getattr(attribute, "data", None)
        if not isinstance(text, str):
            raise TargetError(
                "KC6003", f"kc.target is text, not {attribute}", hints=['kc.target = "llvm"']
            )
        try:
            return Target(text)
        except TargetError as error:
            from kc.support.locations import location_of

            error.with_location(location_of(module))
            raise
    return Target.current() or Target.generic()


def target_to_build_for(module: Any) -> Target:
    """The target that ``kc.build`` takes for a module, if none is given.

    Its attribute ``kc.target``, else the current target, else the CPU of this process.
    """
    return known_target(module) or Target.host_cpu()


def known_target(module: Any) -> Target | None:
    """The explicit target of a module: its attribute ``kc.target``, else the current target; None
    if there is neither.
    """
    return target_of(module) if "kc.target" in module.attributes else Target.current()


# What may stand second in a triple whose vendor is left out.
_SYSTEMS = ("linux", "none", "windows", "freebsd", "netbsd", "openbsd", "wasi", "emscripten")


def _normal_triple(triple: str) -> str:
    """A triple such as ``armv7a-linux-gnueabihf`` with the vendor, which it omits and LLVM
    requires.
    """
    parts = triple.split("-")
    if 2 <= len(parts) <= 3 and parts[1].startswith(_SYSTEMS):
        parts.insert(1, "unknown")
    return "-".join(parts)


def _float_abi(triple: str, float_abi: Value | None) -> str:
    """The triple of an ARM system with this float ABI, which the end of the triple names."""
    if float_abi is None or not triple.endswith(("eabi", "eabihf")):
        return triple
    return triple.removesuffix("hf") + ("hf" if float_abi == "hard" else "")


def _architecture_of(machine: str, names: Sequence[str]) -> Architecture:
    for name in names:
        candidate = architecture(name)
        if machine == name or machine in candidate.machines:
            return candidate
    raise TargetError(
        "KC6006",
        f"there is no architecture '{machine}'",
        hints=suggest(machine, names, "the architectures are"),
    )


def _value(key: str, expected: str, value: Any) -> Value:
    """``value`` (text or a JSON value), converted to the type ``expected`` of an attribute."""
    if expected == "list":
        return _list(key, value)
    if expected == "bool" and value in (True, False, "1", "0", "true", "false"):
        return value in (True, "1", "true")
    elif expected == "int" and not isinstance(value, bool):
        try:
            return int(value)
        except (ValueError, TypeError):
            pass
    elif expected == "str" and isinstance(value, str) and value:
        return value
    names = {"bool": "true or false", "int": "an integer", "str": "text"}
    raise TargetError("KC6003", f"target: -{key} takes {names[expected]}, not {value!r}")


def _list(key: str, value: Any) -> tuple[str, ...]:
    parts: Any = value.split(",") if isinstance(value, str) else value
    if isinstance(parts, list | tuple) and all(isinstance(part, str) for part in parts):
        return tuple(part.strip() for part in parts if part.strip())
    raise TargetError("KC6003", f"target: -{key} takes a list, not {value!r}")


def _parse(text: str) -> dict[str, Any]:
    """The fields of a target's text."""
    stripped = text.strip()
    if stripped.startswith("{"):
        try:
            fields = json.loads(stripped)
        except json.JSONDecodeError as error:
            raise TargetError(
                "KC6003", f"target: not JSON: {error.msg}", facts=[f"at character {error.pos}"]
            ) from error
        if not isinstance(fields, dict):
            raise TargetError("KC6003", "target: the JSON is not an object")
        return fields
    if stripped in tags():
        return {**_parse(tags()[stripped]), "tag": stripped}
    if "/" in stripped.partition(" ")[0]:
        raise TargetError(
            "KC6001",
            f"there is no target '{stripped}'",
            hints=suggest(stripped, tags(), "the tags are"),
        )
    kind, attributes = tokens(stripped)
    fields: dict[str, Any] = {"kind": kind}
    for key, value in attributes:
        if key in fields:
            raise TargetError("KC6007", f"target: -{key} is given twice", facts=[stripped])
        fields[key] = value
    return fields
