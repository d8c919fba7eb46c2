"""Operations of the nvvm dialect say what they need of the GPU, and what lacks it is refused."""

import functools
import shutil
import subprocess
from pathlib import Path

import pytest
from optional_tools import find
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.ir import Block, Region
from xdsl.parser import Parser

from kc.dialects.llvm import LLVM, FuncOp, LLVMFunctionType, LLVMStructType, ReturnOp
from kc.dialects.nvvm import NVVM, NVVMOp, Requirement, require
from kc.support.diagnostics import CodegenError, Location
from kc.support.locations import loc_attr

ARGUMENTS = "%i: i32, %b: i1, %f: f32, %s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %p: !llvm.ptr"


def parse(text: str) -> ModuleOp:
    context = Context()
    for dialect in (Builtin, LLVM, NVVM):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def operation(line: str) -> NVVMOp:
    """The operation of a line that uses the arguments."""
    module = parse(f"llvm.func @kernel({ARGUMENTS}) {{\n{line}\nllvm.return\n}}")
    (op,) = (op for op in module.walk() if isinstance(op, NVVMOp))
    return op


AMPERE = Requirement(80, 70)
HOPPER = Requirement(90, 80)
RELAXED = Requirement(90, 86)
B16 = (
    "eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, "
    "shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>"
)


def wmma_load(element: str, matrix: str, shape: tuple[int, int, int], words: list[str]) -> str:
    m, n, k = shape
    return (
        f"%r = nvvm.wmma.load %g, %i {{eltype = #nvvm.mma_type<{element}>, "
        f"frag = #nvvm.mma_frag<{matrix}>, k = {k} : i32, layout = #nvvm.mma_layout<row>, "
        f"m = {m} : i32, n = {n} : i32}} : (!llvm.ptr<1>) -> !llvm.struct<({', '.join(words)})>"
    )


def wgmma(a: str, b: str) -> str:
    sums = f"!llvm.struct<({', '.join(['i32'] * 4)})>"
    return (
        f"%c = llvm.mlir.undef : {sums}\n%d = llvm.mlir.constant(0 : i64) : i64\n"
        f"%r = nvvm.wgmma.mma_async %d, %d, %c, <m = 64, n = 8, k = 32>, D [<s32>, <zero>], "
        f"A [<{a}>, <one>, <row>], B [<{b}>, <one>, <col>] : {sums} -> {sums}"
    )


# Line, the least that it needs (PTX ISA, "PTX ISA Notes" and "Target ISA Notes" of each).
NEEDED = [
    ("%r = nvvm.read.ptx.sreg.tid.x : i32", Requirement(20, 32)),
    ("%r = nvvm.read.ptx.sreg.globaltimer : i64", Requirement(30, 32)),
    ("%r = nvvm.read.ptx.sreg.cluster.ctarank : i32", Requirement(90, 78)),
    ("nvvm.barrier0", Requirement(20, 32)),
    ("nvvm.bar.warp.sync %i : i32", Requirement(30, 60)),
    ("nvvm.cluster.arrive {aligned}", Requirement(90, 78)),
    ("nvvm.cluster.arrive.relaxed {aligned}", Requirement(90, 80)),
    ("nvvm.memory.barrier <gpu>", Requirement(20, 32)),
    ("nvvm.memory.barrier <cluster>", Requirement(90, 78)),
    ("nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}", Requirement(70, 75)),
    ("nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}", Requirement(90, 80)),
    ("%r = nvvm.shfl.sync up %i, %f, %i, %i : f32 -> f32", Requirement(30, 60)),
    ("%r = nvvm.match.sync any %i, %i : i32 -> i32", Requirement(70, 60)),
    ("%r = nvvm.redux.sync add %i, %i : i32 -> i32", Requirement(80, 70)),
    (
        "%r = nvvm.redux.sync fmin %f, %i : f32 -> f32",
        Requirement(100, 86, arch_specific=True, also=(103,)),
    ),
    ("%r = nvvm.elect.sync -> i1", Requirement(90, 80)),
    ("nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>", AMPERE),
    ("%r = nvvm.mbarrier.arrive %s : !llvm.ptr<3> -> i64", AMPERE),
    ("%r = nvvm.mbarrier.arrive %s, %i : !llvm.ptr<3> -> i64", HOPPER),
    ("%r = nvvm.mbarrier.arrive %s {relaxed = true} : !llvm.ptr<3> -> i64", RELAXED),
    ("%r = nvvm.mbarrier.test.wait %s, %i : !llvm.ptr<3>, i32 -> i1", Requirement(80, 71)),
    ("%r = nvvm.mbarrier.try_wait %s, %i : !llvm.ptr<3>, i32 -> i1", Requirement(90, 78)),
    (
        f"%r = nvvm.ldmatrix %s {{{B16}, num = 1 : i32}} : (!llvm.ptr<3>) -> i32",
        Requirement(75, 65),
    ),
    (f"nvvm.stmatrix %s, %i {{{B16}}} : !llvm.ptr<3>, i32", Requirement(90, 78)),
    ("nvvm.prefetch level = L2, %g : !llvm.ptr<1>", HOPPER),
    ("%r = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}", AMPERE),
    (
        "%r = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>, "
        "sat = #nvvm.sat_mode<satfinite>}",
        Requirement(80, 81),
    ),
    ("%r = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rz>}", Requirement(90, 78)),
    ('nvvm.inline_ptx "exit;"', Requirement(20, 32)),
    (wgmma("s8", "s8"), Requirement(90, 80, arch_specific=True)),
    (wgmma("u8", "s8"), Requirement(90, 84, arch_specific=True)),
    (wmma_load("f16", "a", (16, 16, 16), ["vector<2xf16>"] * 8), Requirement(70, 60)),
    (wmma_load("f16", "a", (8, 32, 16), ["vector<2xf16>"] * 8), Requirement(70, 61)),
    (wmma_load("s32", "c", (16, 16, 16), ["i32"] * 8), Requirement(72, 63)),
    (wmma_load("tf32", "b", (16, 16, 8), ["i32"] * 4), AMPERE),
    (wmma_load("bf16", "b", (16, 16, 16), ["i32"] * 4), AMPERE),
    (
        "%r = nvvm.mma.sync A[%i, %i, %i, %i] B[%i, %i] C[%f, %f, %f, %f] {layoutA = "
        "#nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = "
        "#nvvm.mma_type<e4m3>, multiplicandBPtxType = #nvvm.mma_type<e5m2>, shape = "
        "#nvvm.shape<m = 16, n = 8, k = 32>} : (i32, i32, f32) -> "
        "!llvm.struct<(f32, f32, f32, f32)>",
        Requirement(89, 84),
    ),
]


@pytest.mark.parametrize("op", list(NVVM.operations), ids=lambda op: op.name)
def test_every_operation_has_a_requirement(op: type[NVVMOp]):
    assert isinstance(op.REQUIRES, Requirement)
    assert 20 <= op.REQUIRES.sm <= 120
    assert 32 <= op.REQUIRES.ptx <= 90


@pytest.mark.parametrize(("line", "needed"), NEEDED, ids=[line for line, _ in NEEDED])
def test_requirement_of(line: str, needed: Requirement):
    assert operation(line).requirement() == needed


def test_what_the_target_has_is_accepted():
    op = operation("%r = nvvm.elect.sync -> i1")
    require(op, 90, 80, False)
    require(op, 90, 80, True)
    require(op, 120, 87, False)


def test_an_older_gpu_is_refused_with_the_line_of_the_user():
    op = operation("%r = nvvm.elect.sync -> i1")
    op.location = loc_attr(Location("kernel.mlir", 7, 3))
    with pytest.raises(CodegenError) as refusal:
        require(op, 80, 70, False)
    assert str(refusal.value) == (
        "error[KC4360]: nvvm.elect.sync: the target is sm_80 with PTX 7.0, which does not have it\n"
        "  --> kernel.mlir:7:3\n"
        "  why: it needs sm_90 or later and PTX 8.0 or later"
    )


def test_an_older_ptx_is_refused():
    with pytest.raises(CodegenError) as refusal:
        require(operation("%r = nvvm.elect.sync -> i1"), 90, 78, True)
    assert str(refusal.value) == (
        "error[KC4360]: nvvm.elect.sync: the target is sm_90a with PTX 7.8, "
        "which does not have it\n"
        "  why: it needs sm_90 or later and PTX 8.0 or later\n"
        '  try: Target("cuda -arch=sm_90a -ptx=80")'
    )


def test_what_is_of_one_architecture_is_not_of_a_later_one():
    op = operation("%r = nvvm.redux.sync fmin %f, %i : f32 -> f32")
    require(op, 100, 86, True)
    require(op, 103, 86, True)
    for sm, arch_specific in ((100, False), (90, True), (120, True)):
        with pytest.raises(CodegenError, match="KC4360"):
            require(op, sm, 87, arch_specific)
    with pytest.raises(CodegenError) as refusal:
        require(op, 100, 86, False)
    assert str(refusal.value) == (
        "error[KC4360]: nvvm.redux.sync: the target is sm_100 with PTX 8.6, "
        "which does not have it\n"
        "  why: it needs sm_100a or sm_103a and PTX 8.6 or later"
    )


HERE = Path(__file__).parent
MLIR_OPT = find("mlir-opt")
# The one of the same LLVM: PATH may have an older one, which knows fewer architectures.
LLC = MLIR_OPT and shutil.which("llc", path=Path(MLIR_OPT).resolve().parent)


@functools.cache
def lines_by_requirement() -> dict[Requirement, list[str]]:
    """The texts of all operations that the FileCheck tests have, by what they need."""
    texts: dict[Requirement, list[str]] = {}
    for file in sorted(HERE.glob("*.mlir")):
        if file.stem.endswith(("_invalid", "_beyond_mlir")):
            continue
        for op in parse(file.read_text()).walk():
            if isinstance(op, NVVMOp) and not op.name.startswith(NOT_TRANSLATED):
                texts.setdefault(op.requirement(), []).append(alone(op))
    return texts


# LLVM wants a constant here, which MLIR does not check.
NOT_TRANSLATED = ("nvvm.fence.proxy.acquire",)


def alone(op: NVVMOp) -> str:
    """A function of its own operands, with the operation alone, whose first result it returns.

    mlir-translate takes a structure of one value to be that value, which is not returned.
    """
    copied = op.clone()
    types = [operand.type for operand in op.operands]
    block = Block(arg_types=types)
    copied.operands = block.args
    returned = [
        result
        for result in copied.results[:1]
        if not isinstance(result.type, LLVMStructType) or len(result.type.types) > 1
    ]
    block.add_ops([copied, ReturnOp(*returned)])
    signature = LLVMFunctionType(types, returned[0].type if returned else None)
    return str(FuncOp("kernel", signature, body=Region(block)))


@pytest.mark.skipif(not LLC, reason="mlir-opt and the llc beside it are not installed")
@pytest.mark.parametrize("needed", lines_by_requirement(), ids=str)
def test_llvm_selects_what_is_accepted(needed: Requirement):
    """LLVM ends the process where an instruction is missing, so it must not get that far."""
    functions = [
        text.replace("@kernel", f"@kernel{number}")
        for number, text in enumerate(lines_by_requirement()[needed])
    ]
    assert MLIR_OPT is not None
    assert LLC is not None
    suffix = "a" if needed.arch_specific else ""
    text = "\n".join(functions)
    for command in (
        [MLIR_OPT, "--convert-nvvm-to-llvm"],
        [Path(MLIR_OPT).with_name("mlir-translate"), "--mlir-to-llvmir"],
        [LLC, "-march=nvptx64", f"-mcpu=sm_{needed.sm}{suffix}", f"-mattr=+ptx{needed.ptx}"],
    ):
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:2000]
        text = done.stdout
