"""Operations of nvvm become the calls and the assembly that MLIR's translation makes of them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from optional_tools import find
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Block, Region

from kc.codegen.ptx import emit_device_ir, ptx_of
from kc.dialects.gpu import GPUModuleOp
from kc.dialects.llvm import FuncOp, LLVMFunctionType, ReturnOp
from kc.dialects.nvvm import NVVMOp
from kc.support import registry
from kc.support.diagnostics import CodegenError
from kc.support.ir_text import parse_module
from kc.support.nvidia import architecture_of
from kc.support.registry import get_pass
from kc.support.target import Target

DIALECT = Path(__file__).parents[1] / "dialects" / "nvvm"
FILES = sorted(file for file in DIALECT.glob("*.mlir") if "_invalid" not in file.stem)
OF_MLIR = [file for file in FILES if not file.stem.endswith("_beyond_mlir")]
"""Files with operations that MLIR 22 has as well."""
MLIR_TRANSLATE = find("mlir-translate")
PTXAS = find("ptxas")


def parse(text: str) -> ModuleOp:
    return parse_module(text, "nvvm.mlir", registry.context())


def calls(text: str) -> list[str]:
    """The calls and the assembly of LLVM IR, values without their numbers."""
    lines = [line for line in text.splitlines() if re.search(r"\bcall\b", line)]
    lines = [re.sub(r"^\s*(%\d+ = )?(tail )?", "", line) for line in lines]
    lines = [re.sub(r"%[\w.]+", "%", line).removesuffix(" convergent") for line in lines]
    return [re.sub(r"( #\d+)?(, !range !\d+)?$", "", line) for line in lines]


def without_layout(line: str) -> str:
    """Assembly whose white space and names of registers and labels are no matter."""
    line = line.replace(r"\0A", " ").replace(r"\09", " ")
    line = line.replace("LAB_WAIT", "WAITING").replace("P1", "done")
    leave = r"@done bra\.uni DONE;\s+bra\.uni\s+WAITING;\s+DONE:"
    line = re.sub(leave, "@!done bra.uni WAITING;", line)
    return re.sub(r"\s+", "", line)


def without_registers(lines: list[str]) -> list[str]:
    """Fences of warpgroups as MLIR has them: it leaves registers beside them, where LLVM may move
    what is written to these behind the fence. (test_wgmma_registers looks at those of kc.)"""
    fence = re.compile(r'call.*asmsideeffect"(wgmma\.fence\.sync\.aligned);".*')
    lines = [fence.sub(r"callvoid@llvm.nvvm.\1()", line) for line in lines]
    return [line for line in lines if 'asmsideeffect"",' not in line]


@pytest.mark.skipif(MLIR_TRANSLATE is None, reason="mlir-translate is not installed")
@pytest.mark.parametrize("file", OF_MLIR, ids=lambda file: file.stem)
def test_mlir_makes_the_same(file: Path):
    """The remaining operations of nvvm are translated by the writer of LLVM IR."""
    text = file.read_text()
    # LLVM wants a constant, which MLIR does not check.
    text = re.sub(r"\n *nvvm\.fence\.proxy\.acquire[^\n]*", "", text)
    ours = parse(text)
    get_pass("convert-nvvm-to-llvm").apply(registry.context(), ours)
    written = emit_device_ir(ours, architecture_of(Target("cuda -arch=sm_100a")))
    assert MLIR_TRANSLATE is not None
    mlir_opt = Path(MLIR_TRANSLATE).with_name("mlir-opt")
    theirs = text
    for command in ([mlir_opt, "--convert-nvvm-to-llvm"], [MLIR_TRANSLATE, "--mlir-to-llvmir"]):
        done = subprocess.run(command, input=theirs, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        theirs = done.stdout
    expected = [without_layout(line) for line in calls(theirs)]
    assert without_registers([without_layout(line) for line in calls(written)]) == expected
    assert expected


def test_wgmma_registers():
    """The initial sums of products go through the fence, so that they are written before it. The
    results go through the wait, so that they are read after it.
    """
    module = parse("""
llvm.func @f(%a: i64, %b: i64, %begin: !llvm.struct<(f32, f32, f32, f32)>) -> f32 {
  nvvm.wgmma.fence.aligned
  %sums = nvvm.wgmma.mma_async %a, %b, %begin, <m = 64, n = 8, k = 16>,
      D [#nvvm.wgmma_type<f32>, #nvvm.wgmma_scale_out<one>],
      A [#nvvm.wgmma_type<f16>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<row>],
      B [#nvvm.wgmma_type<f16>, #nvvm.wgmma_scale_in<one>, #nvvm.mma_layout<col>]
      : !llvm.struct<(f32, f32, f32, f32)> -> !llvm.struct<(f32, f32, f32, f32)>
  nvvm.wgmma.commit.group.sync.aligned
  nvvm.wgmma.wait.group.sync.aligned 0
  %sum = llvm.extractvalue %sums[1] : !llvm.struct<(f32, f32, f32, f32)>
  llvm.return %sum : f32
}
""")
    get_pass("convert-nvvm-to-llvm").apply(registry.context(), module)
    written = emit_device_ir(module, architecture_of(Target("cuda -arch=sm_90a")))
    lines = [line for line in written.splitlines() if " asm " in line]
    fence, product, wait = (re.sub(r"%[\w.]+", "%", line) for line in lines)
    ties = '"=f,=f,=f,=f,0,1,2,3"(float %, float %, float %, float %)'
    assert f'"wgmma.fence.sync.aligned;", {ties}' in fence
    assert f'"wgmma.wait_group.sync.aligned 0;", {ties}' in wait
    assert "wgmma.mma_async" in product
    order = [written.index(line) for line in lines]
    assert order == sorted(order)
    begin = lines[0].split(" = ")[0].strip()
    assert f"extractvalue {{ float, float, float, float }} {begin}, 0" in written
    end = lines[2].split(" = ")[0].strip()
    assert f"extractvalue {{ float, float, float, float }} {end}, 1" in written


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_is_left_has_a_writer(file: Path):
    text = re.sub(r"\n *nvvm\.fence\.proxy\.acquire[^\n]*", "", file.read_text())
    module = parse(text)
    before = [op for op in module.walk() if isinstance(op, NVVMOp)]
    get_pass("convert-nvvm-to-llvm").apply(registry.context(), module)
    module.verify()
    assert before
    assert emit_device_ir(module, architecture_of(Target("cuda -arch=sm_100a")))
    again = str(module)
    get_pass("convert-nvvm-to-llvm").apply(registry.context(), module)
    assert str(module) == again


def test_a_size_that_is_no_constant():
    module = parse(
        "llvm.func @f(%p: !llvm.ptr, %n: i32) {\n"
        "  nvvm.fence.proxy.acquire <gpu> %p, %n\n"
        "  llvm.return\n"
        "}"
    )
    before = str(module)
    with pytest.raises(CodegenError) as caught:
        get_pass("convert-nvvm-to-llvm").apply(registry.context(), module)
    assert str(caught.value) == (
        "error[KC4365]: convert-nvvm-to-llvm: the size of nvvm.fence.proxy.acquire is not "
        "constant\n"
        "  --> nvvm.mlir:2:3\n"
        "  why: PTX has it in the instruction\n"
        "  try: %size = llvm.mlir.constant(128 : i32) : i32"
    )
    assert str(module) == before


# Old GPUs, and the path to PTX ----------------------------------------------------------------


def alone(op: NVVMOp) -> FuncOp:
    """A function of the operands of an operation, with that in it."""
    copied = op.clone()
    copied.location = op.location
    types = [operand.type for operand in op.operands]
    block = Block(arg_types=types)
    copied.operands = block.args
    block.add_ops([copied, ReturnOp()])
    return FuncOp("f", LLVMFunctionType(types, None), body=Region(block))


def examples() -> list[NVVMOp]:
    """The operations of the FileCheck tests, one of each text."""
    ops = [
        op
        for file in FILES
        for op in parse(file.read_text()).walk()
        if isinstance(op, NVVMOp) and op.name != "nvvm.fence.proxy.acquire"
    ]
    return list({re.sub(r"%\w+", "%", str(op)): op for op in ops}.values())


def gpu_module(functions: Sequence[FuncOp]) -> ModuleOp:
    """Functions of a device under names of their own, and a kernel."""
    for number, function in enumerate(functions):
        function.properties["sym_name"] = StringAttr(f"f{number}")
    kernel = FuncOp("k", LLVMFunctionType([], None), body=Region(Block([ReturnOp()])))
    kernel.attributes["nvvm.kernel"] = UnitAttr()
    return ModuleOp([GPUModuleOp("code", Region(Block([*functions, kernel])))])


@pytest.mark.parametrize("arch", ["sm_70", "sm_80", "sm_90", "sm_100"])
def test_what_a_gpu_lacks_is_refused_before_llvm_sees_it(arch: str):
    """LLVM would end the process. Each operation alone, for a GPU that is too old."""
    target = Target(f"cuda -arch={arch}")
    architecture = architecture_of(target)
    numbers = (architecture.number, architecture.ptx, architecture.is_specific)
    refused = [op for op in examples() if not op.requirement().is_met(*numbers)]
    assert refused
    for op in refused:
        module = gpu_module([alone(op)])
        before = str(module)
        with target, pytest.raises(CodegenError) as caught:
            get_pass("convert-gpu-to-nvvm").apply(registry.context(), module)
        assert caught.value.code == "KC4360", op
        assert caught.value.message == (
            f"{op.name}: the target is {arch} with PTX {architecture.ptx / 10}, "
            "which does not have it"
        )
        assert caught.value.why == f"it needs {op.requirement()}"
        assert str(module) == before


@pytest.mark.parametrize("arch", ["sm_75", "sm_80 -ptx=81", "sm_90a -ptx=86", "sm_100a -ptx=88"])
def test_llvm_has_code_for_what_is_accepted(arch: str, tmp_path: Path):
    """... and ptxas takes it."""
    target = Target(f"cuda -arch={arch}")
    architecture = architecture_of(target)
    numbers = (architecture.number, architecture.ptx, architecture.is_specific)
    accepted = [op for op in examples() if op.requirement().is_met(*numbers)]
    module = gpu_module([alone(op) for op in accepted])
    with target:
        get_pass("convert-gpu-to-nvvm").apply(registry.context(), module)
    text = ptx_of(module, target)
    assert f".target {architecture.name}\n" in text
    assert text.count("// .globl") == len(accepted) + 1
    if PTXAS is None:
        return
    source = tmp_path / "code.ptx"
    source.write_text(text)
    command = [PTXAS, f"-arch={architecture.name}", str(source), "-o", str(tmp_path / "code.cubin")]
    done = subprocess.run(command, capture_output=True, text=True)
    if "is not defined for option 'gpu-name'" in done.stderr:
        pytest.skip(f"this ptxas does not know {architecture.name}")
    assert done.returncode == 0, done.stderr[:2000]
