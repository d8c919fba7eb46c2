"""The lessons in examples/lessons run, and say what they are about."""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import optional_tools
import pytest
from access_verdicts import disagreeing
from assembled_kernels import ARCHES, lowered, numbers
from property_tests import is_sweep
from ptx_resources import assembled
from tvmscript_checks import Collected

import kc
from kc import driver
from kc.gpu import Report
from kc.support.diagnostics import diagnostic_handler

LESSONS = sorted((Path(__file__).parents[2] / "examples" / "lessons").glob("*.py"))

# Lesson -> lines that it prints, checks of numbers being in the lesson itself.
SAYS = {
    "01_vector_add": ["tir.for %i_o in %i_size parallel {", "tir.for %i_i_i in 16 vectorized {"],
    "02_matmul": [
        "== write-cached",
        "C_2[((x*128) + y)] = ((float32*)C_2[((x*128) + y)] + ",
        "C_global[ramp((x_c*32), 1, 32)] = ((float32x32*)C_global[ramp((x_c*32), 1, 32)] + ",
        'for (x_o: int32, 0, 4) "parallel" {',
        'sch.compute_at(sch.get_block("C_global"), y_o, True)',
    ],
    "03_reductions": ["error[KC3111]: parallel: axis k is a reduction of S", 'tir.block "S_rf"'],
    "04_tuple_reductions": ['tir.combine "argmax"'],
    "05_convolution": ["== in strips", "block padded"],
    "06_tensorize": ["avx512_vnni_dot_16x4", "error[KC35"],
    "07_eager_schedule": ["error[KC3124]: the loop i is gone", "transform.named_sequence"],
    "08_threads": ['thread "threadIdx.x"', "error[KC4206]"],
    "09_other_machines": [
        "vaddps",
        "fadd v0.4s, v0.4s, v0.4s",
        "vadd.f32 q8, q8, q8",
        "vfadd.vv",
        "f32x4.add",
        "the instruction: sdot v",
        "error[KC6105]: code for aarch64-unknown-linux-gnu cannot run in this process",
        "ELF for machine 183",
    ],
    "10_save_and_load": ["#ifndef ADD_H", "void vector_add(const float *restrict A"],
    "11_script": ["tir.for %j_i in 16 vectorized {", "error[KC3041]"],
    "12_mistakes": ["now:\nerror[KC3104]: reorder: axis i of C is gone"],
    "13_from_mlir": [
        "layer(x: float32[x_0, 8], w: float32[8, 16], y: out float32[x_0, 16])",
        "for d0 in x parallel:\n  alloc p\n  for k in 8:\n    for n in 16 vectorized:",
        "reduce %v_k in 8 = %k) init {",
        "error[KC4550]: raise-to-tir: tensor.reshape to sizes that are loaded has no counterpart",
    ],
    "14_gpu_kernels": [
        "bank conflicts with rows of 32 words: 3968\n",
        "bank conflicts with rows of 33 words: 0\n",
        "error[KC6301]: S[31] is read by thread 32 of block 0, and was written by thread 31\n",
    ],
    "15_gpu_matmul": [
        "naive                              0           0      788480           0           0 ",
        "virtual threads                 8192           2       12288      100352       32768 ",
        "copies ahead                   18432           1       12288       68608        1024 ",
    ],
    "16_gpu_reductions": [
        "a thread                          1          0          0          0      65544 ",
        "a warp                            1          0          0          5       8256 ",
        "a block of 80, a tree             1        320          7          0       8256 ",
        "two kernels                       2 ",
    ],
    "17_gpu_convolution": [
        "4096 bytes of shared memory, 2 barriers in the code\n",
        "loads and stores of 128 bits: ",
        "padded_shared  read     41472         41472  41472          0 ",
    ],
    "18_gpu_normalization": [
        "softmax                            2100          4 ",
        "layer normalization, welford         68          2 ",
    ],
    "19_topi_network": ["guesses: [0, 1, 2, 0, 1, 2, 0, 1]"],
    "20_time_tiling": [
        "error[KC3035]: reorder: the order t_o, i_o, t_i, i_i changes the result",
        "for j_s_s_o in ",
        'tir.block "A" (spatial %v_k in 99 = %i_s_m_s_o * 16 + %i_s_m_s_i - ',
    ],
    "21_gpu_tensor_cores": [
        "rows of 64 and 128 bytes          8192           4        6656        5120\n",
        "swizzled                          8192           4        1536           0\n",
        "copies ahead                     24576           2        1536           0\n",
        "for sm_90a: about 147 registers of 255\n",
    ],
    "22_gpu_tensor_core_convolution": [
        "256 x 14 x 14 x 256 -> 512: 48 products of tiles in the code\n",
        "16384 bytes shared",
    ],
    "23_gpu_attention": [
        "S         read      2048          2048   2048          0 ",
        "proven: no two threads race",
        "16 heads x 4096 x 128: main_kernel: 256 threads, about ",
        " tensorize, one online_softmax\n",
    ],
    "24_gpu_grouped_matmul": [
        "expert    read ",
        "8 experts of 4096 x 14336: main_kernel: 64 threads",
    ],
    "25_from_pytorch": [
        "alloc T_relu\nfor i0 in 64:\n  for i1 in 512:\n    block T_relu\n",
        "for i_o in 16 parallel:\n  for j_o in 8:\n    for k in 512:\n      for i_i in 4 unrolled:",
        "chosen: ",
    ],
    "26_relay": [
        "%0 = graph.nn.dense(%x, %w1) <units = 128> : (tensor<1x64xf32>, tensor<128x64xf32>)",
        "%0 = nn.dense(%x, %w1, units=128) /* ty=Tensor[(1, 128), float32] */;",
        "graph.call @fused_nn_dense_nn_bias_add_nn_relu(%x, %w1, %b1)",
        "fused_nn_dense_nn_bias_add_nn_relu\nfused_nn_dense\nfused_nn_softmax\n",
        f"{(128 * 4) + 64} bytes between the kernels\n",
    ],
    "27_torch_module": [
        "graph.nn.conv2d\ngraph.nn.batch_norm\ngraph.nn.relu\ngraph.nn.lstm\n",
        "graph.func private @fused_nn_conv2d_add_nn_relu(",
        "alive at once: ",
        "vector multiply-adds in it: ",
    ],
}


def test_every_lesson_is_tested_and_listed():
    assert [lesson.stem for lesson in LESSONS] == list(SAYS)
    listed = (LESSONS[0].parents[1] / "README.md").read_text()
    assert re.findall(r"\(lessons/(\w+)\.py\)", listed) == list(SAYS)


class Kernels:
    """The kernels that a lesson builds for CUDA, as loops and compiled, and the reports of its
    checks.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.modules: list[tuple[kc.IRModule, Any]] = []
        self.reports: list[Report] = []
        build, check = kc.build, kc.gpu.check

        def built(s: Any, args: Any = None, *rest: Any, **options: Any) -> Any:
            module = build(s, args, *rest, **options)
            if str(options.get("target", "")).startswith("cuda"):
                loops = getattr(s, "mod", s) if args is None else driver.lower(s, args)
                self.modules.append((loops, module))
            return module

        def checked(*given: Any, **options: Any) -> Report:
            self.reports.append(check(*given, **options))
            return self.reports[-1]

        patch.setattr(kc, "build", built)
        patch.setattr(kc.gpu, "check", checked)

    def assemble(self, arches: Sequence[str] = ARCHES) -> None:
        """``ptxas``, where it is, takes the kernels without spills, for the GPU that they are
        compiled for; one in six is compiled for another one too, and all for all in a sweep."""
        for n, (loops, module) in enumerate(self.modules if optional_tools.find("ptxas") else ()):
            own = module.imported_modules[0].get_source("ptx")
            arch = re.search(r"^\.target (\w+)", own, re.MULTILINE)
            assert arch
            said = [assembled(own, arch[1])]
            turn = n // 6 % len(arches)
            more = arches if is_sweep() else arches[turn : turn + 1] if n % 6 == 0 else ()
            if more:
                code = lowered(loops.op, arches[0])
                said += [numbers(code, gpu)[1] for gpu in more]
            for kernels in said:
                assert kernels
                assert all(spilled == 0 for _, _, spilled in kernels.values())

    def prove(self, *, undecided: bool = False) -> None:
        """Check that correct kernels are proven correct (or ``undecided``), and wrong kernels are
        not.
        """
        for report in self.reports:
            verdicts = [verdict for kernel in report.verdicts for verdict in kernel.safety]
            assert verdicts
            disproven = {verdict.kind for verdict in verdicts if verdict.is_clean is False}
            assert disproven <= {finding.kind for finding in report.findings}
            assert bool(disproven) is not report.ok
            proven = (verdict.is_clean or undecided for verdict in verdicts)
            assert not report.ok or all(proven), str(report)
            assert disagreeing(report) == []


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_lesson(lesson: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "argv", [str(lesson)])
    # They are from sm_80 on, and it is not looked into what warps do together.
    has_tensor_cores = "mma_" in lesson.read_text()
    collected = Collected(monkeypatch)
    kernels = Kernels(monkeypatch)
    with diagnostic_handler(lambda _: None):
        try:
            runpy.run_path(str(lesson), run_name="__main__")
        except SystemExit:  # it needs what is not installed
            said = capsys.readouterr().out
            assert said.startswith("skipped: ")
            pytest.skip(said.strip())
    said = capsys.readouterr().out
    for line in SAYS[lesson.stem]:
        assert line in said
    with diagnostic_handler(lambda _: None):
        collected.check()
        kernels.assemble(ARCHES[1:3] if has_tensor_cores else ARCHES)
    kernels.prove(undecided=has_tensor_cores)
    is_about_gpus = "gpu" in lesson.stem
    assert bool(kernels.reports) is is_about_gpus
    assert kernels.modules or not is_about_gpus
