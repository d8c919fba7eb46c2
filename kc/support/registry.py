"""Tables by name: dialects, passes, schedule primitives and formats, imported at first use.

Tables hold text only; nothing here imports xDSL until something is asked for by name. A new
primitive is one line in :data:`PRIMITIVES`, a new pass one line in :data:`PASSES`.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from kc.support import plugins
from kc.support.byte_product_names import byte_products
from kc.support.diagnostics import InputError, suggest, warn
from kc.support.options import Options, PassSpec, quote
from kc.support.plugins import Plugin
from kc.support.tensor_copy_names import tensor_copy_intrins
from kc.support.tensor_core_names import tensor_core_intrins
from kc.support.tile_names import packing_intrins, tile_intrins
from kc.support.transpose_names import transpose_intrins

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.passes import ModulePass
    from xdsl.pattern_rewriter import RewritePattern

DIALECTS = {
    "affine": "kc.dialects.affine:AFFINE",
    "arith": "kc.dialects.arith:ARITH",
    "memref": "kc.dialects.memref:MEMREF",
    "scf": "kc.dialects.scf:SCF",
    "te": "kc.dialects.te:TE",
    "tir": "kc.dialects.tir:TIR",
    "bufferization": "kc.dialects.bufferization:BUFFERIZATION",
    "index": "kc.dialects.index:INDEX",
    "math": "kc.dialects.math:MATH",
    "ml_program": "kc.dialects.ml_program:ML_PROGRAM",
    "linalg": "kc.dialects.linalg:LINALG",
    "tensor": "kc.dialects.tensor:TENSOR",
    "tm_tensor": "kc.dialects.tm_tensor:TM_TENSOR",
    "tosa": "kc.dialects.tosa:TOSA",
    "vector": "kc.dialects.vector:VECTOR",
    "gpu": "kc.dialects.gpu:GPU",
    "llvm": "kc.dialects.llvm:LLVM",
    "nvgpu": "kc.dialects.nvgpu:NVGPU",
    "nvvm": "kc.dialects.nvvm:NVVM",
    "sched": "kc.dialects.sched:SCHED",
    "transform": "kc.dialects.transform:TRANSFORM",
}
"""Ours, beside or instead of xDSL's."""

# Family -> flags; flag x-y is class XY in kc/transforms/schedule/FAMILY/x_y.py.
PRIMITIVES = {
    "loops": (
        "split",
        "fuse",
        "reorder",
        "tile",
        "parallel",
        "vectorize",
        "unroll",
        "add-unit-loop",
        "loop-partition",
        "merge",
        "distribute",
        "reverse",
        "skew",
        "shift",
        "unroll-and-jam",
        "privatize",
        "fuse-loops",
        "version-loops",
    ),
    "placing": (
        "compute-at",
        "compute-inline",
        "reverse-compute-at",
        "reverse-compute-inline",
        "compute-root",
    ),
    "caching": (
        "cache-read",
        "cache-write",
        "cache-inplace",
        "cache-index",
        "read-at",
        "write-at",
        "reindex",
        "reindex-cache-read",
        "reindex-cache-write",
        "rolling-buffer",
    ),
    "layout": (
        "transform-layout",
        "transform-block-layout",
        "set-axis-separator",
        "storage-align",
        "set-scope",
        "unsafe-set-dtype",
        "reorder-block-iter-var",
    ),
    "reduction": (
        "decompose-reduction",
        "rfactor",
        "fuse-reduction-epilogue",
        "pad-einsum",
        "decompose-padding",
        "online-softmax",
        "skip-masked",
        "offset-operand",
    ),
    "threads": (
        "bind",
        "set-store-predicate",
    ),
    "tensor": (
        "blockize",
        "tensorize",
    ),
    "notes": (
        "annotate",
        "unannotate",
        "pragma",
        "prefetch",
        "double-buffer",
    ),
}

# Steps of a schedule that change nothing: methods of kc.tir.Schedule and ops of sched, not flags.
QUERIES = {
    "kc.transforms.trace.queries": (
        "get-block",
        "get-loop",
        "get-loops",
        "get-child-blocks",
        "get-producers",
        "get-consumers",
        "get-output-blocks",
    ),
    "kc.transforms.trace.sampling": (
        "sample-categorical",
        "sample-perfect-tile",
        "sample-partitioned-tile",
        "sample-compute-location",
        "enter-postproc",
    ),
}

PASS_OF_PRIMITIVE = "kc.transforms.schedule._flag:make_pass"
"""Makes the pass for a primitive and its options."""

CHECK_OF_STEP = "kc.transforms.trace.sched_form:check_step"
"""Checks the fields of a step that is given as an operation of ``sched``."""

# Family -> (module, flags); flag x-y is class XYPass, and x_y the stem of its module.
PASSES = {
    "tir": (
        "kc.transforms.tir.{stem}",
        (
            "compact-buffer-allocation",
            "lower-init-block",
            "lower-lane-reduction",
            "lower-blocks",
            "plan-software-pipeline",
            "inject-software-pipeline",
            "plan-tensor-copies",
            "inject-double-buffer",
            "inject-copy-intrin",
            "align-storage",
            "swizzle-storage",
            "apply-strides",
            "fill-slack",
            "poison-memory",
            "storage-rewrite",
            "merge-dimensions",
            "vectorize-loop",
            "skip-vectorize",
            "skip-assert",
            "choose-vector-form",
            "nontemporal-stores",
            "partition-loops",
            "hoist-if-then-else",
            "hoist-expression",
            "unroll-loop",
            "instrument-bound-checkers",
            "verify-gpu-code",
            "legal-directions",
            "lower-cross-thread-reduction",
            "unify-thread-binding",
            "inject-virtual-thread",
            "lower-warp-memory",
            "lower-thread-allreduce",
            "specialize-warps",
            "merge-shared-memory-allocations",
            "thread-sync",
            "lower-fragments",
            "lower-tiles",
            "defer-wgmma-waits",
            "lower-tensor-copies",
        ),
    ),
    "gpu": (
        "kc.transforms.gpu.{stem}",
        (
            "gpu-launch-sink-index-computations",
            "gpu-kernel-outlining",
            "gpu-inline-calls",
            "gpu-approximate-math",
            "gpu-expand-collectives",
            "gpu-serialize-threads",
            "verify-gpu-kernels",
        ),
    ),
    "sched": ("kc.transforms.trace.{stem}", ("apply-schedule",)),
    "chosen": ("kc.transforms.auto_schedule.{stem}", ("auto-schedule",)),
    "generic": (
        "kc.transforms.{stem}",
        ("canonicalize", "expand-math", "narrow-data-type", "force-narrow-index-to-int32"),
    ),
    "conversion": (
        "kc.conversion.{stem}",
        (
            "index-to-arith",
            "math-to-arith",
            "arith-expand",
            "resolve-unranked-casts",
            "flatten-memrefs-of-vectors",
            "legalize-scalable-vectors",
            "raise-to-tir",
            "decompose-aggregates",
            "tosa-to-linalg",
            "convert-te-to-tir",
            "convert-tir-to-gpu",
            "convert-tir-to-scf",
            "lower-affine",
            "convert-scf-to-cf",
            "legalize-narrow-floats",
            "legalize-symbols",
            "convert-gpu-to-nvvm",
            "convert-nvvm-to-llvm",
            "convert-nvvm-to-gpu",
            "convert-gpu-to-llvm-amdgpu",
            "convert-gpu-to-llvm-spv",
            "convert-gpu-to-cpu",
            "gpu-to-llvm",
            "convert-to-llvm",
            "make-coroutines",
            "permit-tiles",
            "reuse-workspace",
            "transform-interpreter",
        ),
    ),
    "pipeline": (
        "kc.conversion.pipelines",
        ("lower-to-llvm", "lower-to-c", "lower-to-gpu", "lower-to-nvvm"),
    ),
}

MAIN_OPTIONS = {"apply-schedule": "file"}
"""The option that a value without a name is of: ``--apply-schedule=FILE sequence=NAME``."""

# xDSL's generic passes, with a line each (their docstrings are not written for this place).
XDSL_PASSES = {
    "cse": (
        "common_subexpression_elimination:CommonSubexpressionElimination",
        "Remove repeated computations.",
    ),
    "dce": ("dead_code_elimination:DeadCodeElimination", "Remove unused operations."),
    "licm": (
        "loop_invariant_code_motion:LoopInvariantCodeMotionPass",
        "Move loop-invariant code out of loops.",
    ),
    "control-flow-hoist": (
        "control_flow_hoist:ControlFlowHoistPass",
        "Hoist code out of conditionals.",
    ),
    "reconcile-unrealized-casts": (
        "reconcile_unrealized_casts:ReconcileUnrealizedCastsPass",
        "Remove casts that cancel out.",
    ),
}

FORMATS = {
    "llvmir": "kc.backends.formats:llvm_ir",
    "asm": "kc.backends.formats:assembly",
    "obj": "kc.backends.formats:object_code",
    "c": "kc.backends.formats:c_source",
    "ptx": "kc.backends.formats:ptx",
    "cuda": "kc.backends.formats:cuda_source",
    "opencl": "kc.backends.formats:opencl_source",
    "metal": "kc.backends.formats:metal_source",
    "amdgcn": "kc.backends.formats:amdgcn",
    "spirv": "kc.backends.formats:spirv",
}
"""The formats of ``kc-translate --to``: functions of a module and a target."""

BACKENDS = {
    "llvm": "kc.backends.llvm:LLVM",
    "c": "kc.backends.c:C",
    "cuda": "kc.backends.cuda:CUDA",
    "cuda-emu": "kc.backends.cuda:CUDA_EMU",
    "opencl": "kc.backends.gpu_source:OPENCL",
    "metal": "kc.backends.gpu_source:METAL",
    "rocm": "kc.backends.rocm:ROCM",
}
"""Target kind -> the :class:`kc.backends.Backend` that compiles for it."""

# Files that kc.runtime.load_module reads -> functions of a path.
LOADERS = {
    **dict.fromkeys(("so", "dylib", "dll"), "kc.backends.libraries:load_library"),
    "o": "kc.backends.llvm_files:load_object_file",
    "ll": "kc.backends.llvm_files:load_ir",
    "bc": "kc.backends.llvm_files:load_ir",
    "mlir": "kc.driver:load_loops",
}

# Text of tensor intrinsics -> the names of those in it.
INTRINSICS = {
    "kc.transforms.intrinsics.builtin:PORTABLE": (
        "dot_f32_4",
        "dot_f32_8",
        "dot_f32_16",
        "copy_f32_16",
        "fill_f32_16",
        "matmul_f32_4x4x4",
    ),
    "kc.transforms.intrinsics.builtin:X86_64": (
        "avx512_vnni_dot_16x4",
        "avx_vnni_dot_8x4",
        "avx512_bf16_dot_16x2",
    ),
    **{f"kc.transforms.intrinsics.byte_products:{name}": (name,) for name in byte_products()},
    **{f"kc.transforms.intrinsics.transposes:{name}": (name,) for name in transpose_intrins()},
    **{f"kc.transforms.intrinsics.tensor_cores:{name}": (name,) for name in tensor_core_intrins()},
    **{f"kc.transforms.intrinsics.tensor_copies:{name}": (name,) for name in tensor_copy_intrins()},
    **{f"kc.transforms.intrinsics.amx:{name}": (name,) for name in tile_intrins()},
    **{f"kc.transforms.intrinsics.groups:{name}": (name,) for name in packing_intrins()},
    "kc.transforms.intrinsics.builtin:AVX10": ("avx10_f16_dot_16x2",),
    "kc.transforms.intrinsics.builtin:AARCH64": (
        "neon_sdot_4x4",
        "neon_udot_4x4",
        "neon_usdot_4x4",
        "neon_bfdot_4x2",
        "neon_smmla_2x2x8",
        "neon_ummla_2x2x8",
    ),
}

# The rules of default schedules, in the order in which they are asked.
RULES = {
    name: f"kc.transforms.auto_schedule.{path}"
    for name, path in (
        ("inline", "inlining:Inline"),
        ("distribution", "distribution:Distribution"),
        ("digits", "digits:Digits"),
        ("groups", "groups:Groups"),
        ("versions", "versions:Versions"),
        ("fusing", "fusing:FuseContiguous"),
        ("row-blocks", "row_blocks:RowBlocks"),
        ("tile-product", "tile_products:TileProducts"),
        ("dot-product", "dot_products:DotProduct"),
        ("few-rows", "few_rows:FewRows"),
        ("contraction", "contraction:Contraction"),
        ("side-by-side", "side_by_side:SideBySide"),
        ("windows", "windows:Windows"),
        ("stencils", "stencils:Stencils"),
        ("rows", "rows:Rows"),
        ("reduction", "reduction:Reduce"),
        ("pointwise", "pointwise:Pointwise"),
        ("statements", "statements:Statements"),
        ("masked", "masked:Masked"),
        ("gpu-warpgroup-attention", "gpu.warpgroup_attention:GpuWarpgroupAttention"),
        ("gpu-online-attention", "gpu.online_attention:GpuOnlineAttention"),
        ("gpu-attention", "gpu.attention:GpuAttention"),
        ("gpu-warpgroups", "gpu.warpgroups:GpuWarpgroups"),
        ("gpu-tensor-cores", "gpu.tensor_cores:GpuTensorCores"),
        ("gpu-implicit-gemm", "gpu.implicit_gemm:GpuImplicitGemm"),
        ("gpu-contraction", "gpu.contraction:GpuContraction"),
        ("gpu-rows", "gpu.rows:GpuRows"),
        ("gpu-reduction", "gpu.reduction:GpuReduce"),
        ("gpu-pointwise", "gpu.pointwise:GpuPointwise"),
        ("gpu-statements", "gpu.loops:GpuStatements"),
        ("gpu-loops", "gpu.loops:GpuLoops"),
        ("innermost", "innermost:Innermost"),
    )
}

FAMILIES = {
    "schedule": "Schedule primitives (on tir; te functions are lowered to tir first)",
    "sched": "Schedules written as IR (dialect sched)",
    "chosen": "Schedules that are chosen (te functions are lowered to tir first)",
    "tir": "Passes on tir",
    "gpu": "Passes on gpu",
    "conversion": "Conversions",
    "pipeline": "Pipelines",
    "generic": "Passes on every dialect",
    "xdsl": "Generic passes of xDSL (--list-passes shows all of xDSL's)",
    "plugin": "Passes of plugins",
}


class Hook(NamedTuple):
    """A pass that a plugin attaches to a phase of lowering, for targets of some kinds."""

    name: str
    kinds: Sequence[str]


@dataclass(frozen=True)
class Entry:
    """Something registered. ``origin`` is ``kc``, ``xdsl`` or the name of a plugin."""

    name: str
    path: str
    family: str
    origin: str = "kc"
    summary: str = ""

    def load(self) -> Any:
        """Import what the entry stands for."""
        what = f"'{self.name}'" + ("" if self.origin == "kc" else f" of {self.origin}")
        return plugins.load(self.path, what) if self.origin != "kc" else _import(self.path)


def _import(path: str) -> Any:
    import importlib

    module, _, attribute = path.partition(":")
    return getattr(importlib.import_module(module), attribute)


def camel_case(flag: str) -> str:
    """``lower-init-block`` to ``LowerInitBlock``."""
    return "".join(part.capitalize() for part in flag.split("-"))


class Registry:
    """The tables, with what plugins added to them."""

    def __init__(self) -> None:
        self.dialects = {name: Entry(name, path, "dialect") for name, path in DIALECTS.items()}
        self.passes: dict[str, Entry] = {}
        for family, flags in PRIMITIVES.items():
            for flag in flags:
                module = f"kc.transforms.schedule.{family}.{flag.replace('-', '_')}"
                self.passes[flag] = Entry(flag, f"{module}:{camel_case(flag)}", "schedule")
        for family, (module, flags) in PASSES.items():
            for flag in flags:
                path = f"{module.format(stem=flag.replace('-', '_'))}:{camel_case(flag)}Pass"
                self.passes[flag] = Entry(flag, path, family)
        for flag, (path, summary) in XDSL_PASSES.items():
            self.passes[flag] = Entry(flag, f"xdsl.transforms.{path}", "xdsl", "xdsl", summary)
        self.queries = {
            flag: Entry(flag, f"{module}:{camel_case(flag)}", "query")
            for module, flags in QUERIES.items()
            for flag in flags
        }
        self.formats = {name: Entry(name, path, "format") for name, path in FORMATS.items()}
        self.intrinsics = {
            name: Entry(name, path, "intrinsic")
            for path, names in INTRINSICS.items()
            for name in names
        }
        self.rules = {name: Entry(name, path, "rule") for name, path in RULES.items()}
        self.patterns: dict[str, list[Entry]] = {}
        self.targets: list[Entry] = []
        self.backends = {kind: Entry(kind, path, "backend") for kind, path in BACKENDS.items()}
        self.loaders = {kind: Entry(kind, path, "loader") for kind, path in LOADERS.items()}
        self.hooks: dict[int, list[Hook]] = {phase: [] for phase in plugins.PHASES}
        self.plugins: list[Plugin] = []

    @property
    def primitives(self) -> dict[str, Entry]:
        """The schedule primitives."""
        return {name: entry for name, entry in self.passes.items() if entry.family == "schedule"}

    @property
    def steps(self) -> dict[str, Entry]:
        """The steps of schedules: queries, samplings and primitives."""
        return {**self.queries, **self.primitives}

    def copy(self) -> Registry:
        """A registry to add to, with the same content."""
        copied = Registry()
        for plugin in self.plugins:
            copied.add(plugin)
        return copied

    def add(self, plugin: Plugin) -> None:
        """Add a plugin; a name that is taken stays with its owner, with a warning (KC0034).

        So does that of a plugin. One that is there already, as it is installed, say, and named by
        ``--load-plugin``, is not added again.
        """
        first = next((there for there in self.plugins if there.name == plugin.name), None)
        if first is not None:
            if first != plugin:
                warn(
                    "KC0034",
                    f"there are two plugins '{plugin.name}', of which one is left out",
                    facts=[
                        f"{used}: {', '.join(each.paths()[:3]) or 'nothing in it'}"
                        for used, each in (("used", first), ("left out", plugin))
                    ],
                    hints=["uninstall one of the packages, or give the plugins other names"],
                )
            return
        self.plugins.append(plugin)
        tables = (
            (self.dialects, plugin.dialects, "dialect", "dialect"),
            (self.passes, plugin.passes, "plugin", "pass"),
            (self.passes, plugin.primitives, "schedule", "primitive"),
            (self.intrinsics, plugin.intrinsics, "intrinsic", "intrinsic"),
            (self.rules, plugin.rules, "rule", "rule"),
            (self.formats, plugin.formats, "format", "format"),
            (self.backends, plugin.backends, "backend", "backend of"),
            (self.loaders, plugin.loaders, "loader", "loader of files"),
        )
        for table, additions, family, noun in tables:
            for name, path in additions.items():
                if name in table:
                    warn(
                        "KC0034",
                        f"plugin '{plugin.name}': {noun} {name} is left out, the name is taken",
                        facts=[f"{name} of {table[name].origin}: {table[name].path}"],
                    )
                    continue
                table[name] = Entry(name, path, family, plugin.name)
        for path in plugin.targets:
            self.targets.append(Entry(path, path, "target", plugin.name))
        for name, paths in plugin.patterns.items():
            entries = self.patterns.setdefault(name, [])
            entries += [Entry(path, path, "pattern", plugin.name) for path in paths]
        for phase, name, kinds in plugin.hooks:
            self.hooks[phase].append(Hook(name, kinds))


@cache
def _installed() -> Registry:
    registry = Registry()
    for plugin in plugins.installed():
        registry.add(plugin)
    return registry


_CURRENT: ContextVar[Registry | None] = ContextVar("kc_registry", default=None)


def current() -> Registry:
    """The registry in use: everything that is installed, unless :func:`using` says otherwise."""
    return _CURRENT.get() or _installed()


@contextlib.contextmanager
def using(registry: Registry) -> Iterator[None]:
    """Use ``registry`` in this context."""
    token = _CURRENT.set(registry)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def load_patterns(name: str) -> tuple[type[RewritePattern], ...]:
    """The classes of the patterns that plugins add to the rewrite ``name``."""
    return tuple(entry.load() for entry in current().patterns.get(name, ()))


def check_step(step: Any, fields: dict[str, Any], unsafe: bool) -> None:
    """Check the fields of an operation of ``sched``; raises a diagnostic."""
    _import(CHECK_OF_STEP)(step, fields, unsafe)


def find_pass(name: str) -> Entry:
    """The pass or primitive of this name, xDSL's included; KC0003 with the nearest names.

    ``-`` may be written as ``_``, the way of Python.
    """
    passes = current().passes
    dashed = name.replace("_", "-")
    if dashed in passes:
        return passes[dashed]
    if name in _xdsl_passes():
        return Entry(name, "", "xdsl", "xdsl")
    raise InputError(
        "KC0003",
        f"there is no pass '{name}'",
        hints=[*suggest(name, all_pass_names(), "the passes are"), "kc-opt --list-passes"],
    )


@cache
def _xdsl_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    from xdsl.transforms import get_all_passes

    return get_all_passes()


def is_pass(name: str) -> bool:
    """Whether there is a pass or primitive of this name, xDSL's included."""
    return name.replace("_", "-") in current().passes or name in _xdsl_passes()


def all_pass_names() -> list[str]:
    """Every pass and primitive, ours first, with all of xDSL's (imports xDSL)."""
    return list(dict.fromkeys([*current().passes, *_xdsl_passes()]))


def pass_class(name: str) -> Any:
    """The class behind a pass, or of a primitive."""
    entry = find_pass(name)
    return entry.load() if entry.path else _xdsl_passes()[name]()


def get_pass(name: str, options: str | Options = "") -> ModulePass:
    """A pass ready to be applied, ``options`` as in ``block=C factors=?,32``.

    ``func=NAME`` restricts any pass to one function of the module.
    """
    if isinstance(options, str):
        options = parse_options(name, options)
    entry, cls = find_pass(name), pass_class(name)
    only = options.get("func")
    if any(field.name == "func" for field in dataclasses.fields(cls)):
        only = None  # the pass itself knows of the option
    if only is not None:
        options = options.without("func")
    if entry.family == "schedule":
        pass_ = _import(PASS_OF_PRIMITIVE)(cls, options)
    else:
        from kc.support.option_types import from_options

        pass_ = from_options(cls, options, name)
    if only is None:
        return pass_
    from kc.support.one_function import OneFunctionPass

    return OneFunctionPass(pass_, only.text)


def parse_options(name: str, text: str) -> Options:
    """The options of a pass, as its flag has them."""
    main = MAIN_OPTIONS.get(name.replace("_", "-"))
    value, space, rest = text.partition(" ")
    if main is not None and value and "=" not in value and not value.startswith(("'", '"')):
        text = f"{main}={quote(value)}{space}{rest}"
    return Options.parse(text, name)


def get_passes(specs: tuple[PassSpec, ...]) -> list[ModulePass]:
    """The passes of a parsed pipeline."""
    return [get_pass(spec.name, spec.options) for spec in specs]


def context(*, allow_unregistered: bool = False) -> Context:
    """An xDSL context with every dialect, ours instead of xDSL's where both have one."""
    from xdsl.context import Context
    from xdsl.dialects import get_all_dialects

    factories: dict[str, Callable[[], Any]] = dict(get_all_dialects())
    for name, factory, _ in plugins.installed_dialects():
        factories.setdefault(name, factory)
    for name, entry in current().dialects.items():
        factories[name] = entry.load
    ctx = Context(allow_unregistered=allow_unregistered)
    for name, factory in factories.items():
        ctx.register_dialect(name, factory)
    return ctx
