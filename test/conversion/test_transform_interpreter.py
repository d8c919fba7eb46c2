"""Transform scripts of MLIR on linalg ops: what a transformed program computes, by numpy.

MLIR's own interpreter takes the same scripts, and its programs compute the same."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
from optional_tools import find

import kc
from kc.analysis.interpreter import run
from kc.support.diagnostics import KCError
from kc.support.registry import context, get_pass
from kc.transforms.to_tir import to_tir

MLIR_OPT = find("mlir-opt")
ANY = "!transform.any_op"


@dataclass
class Case:
    """A function, the steps of a script on it, and what it computes."""

    types: list[str]
    """Of the arguments, the last one also of the result."""
    body: str
    steps: str
    expected: Callable[..., np.ndarray]
    sizes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Of arguments whose types have ``?``."""
    has: dict[str, int] = field(default_factory=dict)
    """Operations of the transformed function, and how many there are."""

    @property
    def text(self) -> str:
        """The module."""
        args = ", ".join(f"%a{n}: {type_}" for n, type_ in enumerate(self.types))
        is_tensor = self.types[-1].startswith("tensor")
        result = f" -> {self.types[-1]}" if is_tensor else ""
        values = f" %r : {self.types[-1]}" if is_tensor else ""
        return f"""
module attributes {{transform.with_named_sequence}} {{
  func.func @f({args}){result} {{
    {self.body}
    return{values}
  }}
  transform.named_sequence @__transform_main(%m: {ANY} {{transform.readonly}}) {{
    {self.steps.replace("ANY", ANY)}
    transform.yield
  }}
}}"""


MATMUL = (
    "%r = linalg.matmul ins(%a0, %a1 : tensor<7x5xf32>, tensor<5x9xf32>) "
    "outs(%a2 : tensor<7x9xf32>) -> tensor<7x9xf32>"
)
MATMUL_TYPES = ["tensor<7x5xf32>", "tensor<5x9xf32>", "tensor<7x9xf32>"]
FIND = '%0 = transform.structured.match ops{["linalg.matmul"]} in %m : (ANY) -> ANY\n'
FILLED = """%z = arith.constant 0.0 : f32
    %o = tensor.empty() : tensor<7x9xf32>
    %i = linalg.fill ins(%z : f32) outs(%o : tensor<7x9xf32>) -> tensor<7x9xf32>
    %p = linalg.matmul ins(%a0, %a1 : tensor<7x5xf32>, tensor<5x9xf32>)
      outs(%i : tensor<7x9xf32>) -> tensor<7x9xf32>
    %r = linalg.add ins(%p, %p : tensor<7x9xf32>, tensor<7x9xf32>)
      outs(%a2 : tensor<7x9xf32>) -> tensor<7x9xf32>"""
GENERIC = """%r = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a0, %a1 : tensor<7x5xf32>, tensor<5x9xf32>) outs(%a2 : tensor<7x9xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %k = linalg.index 2 : index
      %n = arith.index_cast %k : index to i32
      %g = arith.sitofp %n : i32 to f32
      %p = arith.mulf %x, %y : f32
      %q = arith.mulf %p, %g : f32
      %t = arith.addf %s, %q : f32
      linalg.yield %t : f32
    } -> tensor<7x9xf32>"""
LOOPS = "{{\n    ^bb0(%x: {0}, %y: {0}):\n      linalg.yield %x : {0}\n    }}"


def product(a, b, c):
    return c + a @ b


def weighted(a, b, c):
    return c + (a * np.arange(5)) @ b


def convolution(x, w, o):
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 2), axis=(1, 2))[:, ::2]
    return o + np.einsum("nhwcij,ijcf->nhwf", windows, w)


CASES = {
    "tile_using_for": Case(
        MATMUL_TYPES,
        MATMUL,
        FIND + "%t, %l:3 = transform.structured.tile_using_for %0 tile_sizes [2, 4, 3] : "
        "(ANY) -> (ANY, ANY, ANY, ANY)",
        product,
        has={"scf.for": 3, "linalg.matmul": 1, "linalg.generic": 0},
    ),
    "tile_using_for_interchange": Case(
        MATMUL_TYPES,
        MATMUL,
        FIND + "%p = transform.param.constant 4 : i64 -> !transform.param<i64>\n"
        "%t, %l:2 = transform.structured.tile_using_for %0 tile_sizes [0, %p, 3] "
        "interchange = [2, 0, 1] : (ANY, !transform.param<i64>) -> (ANY, ANY, ANY)",
        product,
        has={"scf.for": 2, "linalg.matmul": 1},
    ),
    "tile_twice": Case(
        MATMUL_TYPES,
        MATMUL,
        FIND + "%t, %l:2 = transform.structured.tile_using_for %0 tile_sizes [4, 6] : "
        "(ANY) -> (ANY, ANY, ANY)\n"
        "%u, %k = transform.structured.tile_using_for %t tile_sizes [0, 2] : (ANY) -> (ANY, ANY)",
        product,
        has={"scf.for": 3, "linalg.matmul": 1},
    ),
    "tile_using_forall": Case(
        MATMUL_TYPES,
        MATMUL,
        FIND + "%t, %l = transform.structured.tile_using_forall %0 tile_sizes [2, 4] "
        "(mapping = [#gpu.block<y>, #gpu.block<x>]) : (ANY) -> (ANY, ANY)",
        product,
        has={"scf.forall": 1, "linalg.matmul": 1},
    ),
    "num_threads": Case(
        MATMUL_TYPES,
        MATMUL,
        FIND + "%t, %l = transform.structured.tile_using_forall %0 num_threads [3, 2] : "
        "(ANY) -> (ANY, ANY)",
        product,
        has={"scf.forall": 1, "linalg.matmul": 1},
    ),
    "unknown_sizes": Case(
        ["tensor<?x?xf32>", "tensor<?x?xf32>", "tensor<?x?xf32>"],
        "%r = linalg.matmul ins(%a0, %a1 : tensor<?x?xf32>, tensor<?x?xf32>) "
        "outs(%a2 : tensor<?x?xf32>) -> tensor<?x?xf32>",
        FIND + "%t, %l:3 = transform.structured.tile_using_for %0 tile_sizes [2, 4, 3] : "
        "(ANY) -> (ANY, ANY, ANY, ANY)",
        product,
        {0: (7, 5), 1: (5, 9), 2: (7, 9)},
        {"scf.for": 3},
    ),
    "memrefs": Case(
        [type_.replace("tensor", "memref") for type_ in MATMUL_TYPES],
        "linalg.matmul ins(%a0, %a1 : memref<7x5xf32>, memref<5x9xf32>) "
        "outs(%a2 : memref<7x9xf32>)",
        FIND + "%t, %l:3 = transform.structured.tile_using_for %0 tile_sizes [2, 4, 3] : "
        "(ANY) -> (ANY, ANY, ANY, ANY)",
        product,
        has={"scf.for": 3, "memref.subview": 3},
    ),
    "batch_matmul": Case(
        ["tensor<3x7x5xf32>", "tensor<3x5x9xf32>", "tensor<3x7x9xf32>"],
        "%r = linalg.batch_matmul ins(%a0, %a1 : tensor<3x7x5xf32>, tensor<3x5x9xf32>) "
        "outs(%a2 : tensor<3x7x9xf32>) -> tensor<3x7x9xf32>",
        "%0 = transform.structured.match interface{LinalgOp} in %m : (ANY) -> ANY\n"
        "%t, %l = transform.structured.tile_using_forall %0 tile_sizes [1, 3] : "
        "(ANY) -> (ANY, ANY)\n%u, %k:2 = transform.structured.tile_using_for %t "
        "tile_sizes [0, 0, 4, 2] : (ANY) -> (ANY, ANY, ANY)",
        product,
        has={"scf.for": 2, "scf.forall": 1, "linalg.batch_matmul": 1},
    ),
    "convolution": Case(
        ["tensor<1x9x6x2xf32>", "tensor<3x2x2x4xf32>", "tensor<1x4x5x4xf32>"],
        "%r = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>} "
        "ins(%a0, %a1 : tensor<1x9x6x2xf32>, tensor<3x2x2x4xf32>) "
        "outs(%a2 : tensor<1x4x5x4xf32>) -> tensor<1x4x5x4xf32>",
        FIND.replace("matmul", "conv_2d_nhwc_hwcf")
        + "%t, %l:4 = transform.structured.tile_using_for %0 tile_sizes [0, 3, 2, 0, 2, 0, 1] : "
        "(ANY) -> (ANY, ANY, ANY, ANY, ANY)",
        convolution,
        has={"scf.for": 4, "linalg.conv_2d_nhwc_hwcf": 1},
    ),
    "fill_and_elementwise": Case(
        MATMUL_TYPES,
        FILLED,
        '%0 = transform.structured.match ops{["linalg.fill", "linalg.add"]} in %m : (ANY) -> ANY\n'
        "%1, %2 = transform.split_handle %0 : (ANY) -> (ANY, ANY)\n"
        "%t, %l = transform.structured.tile_using_for %1 tile_sizes [3] : (ANY) -> (ANY, ANY)\n"
        "%u, %k = transform.structured.tile_using_for %2 tile_sizes [0, 4] : (ANY) -> (ANY, ANY)",
        lambda a, b, c: 2 * (a @ b),
        has={"scf.for": 2, "linalg.fill": 1, "linalg.add": 1},
    ),
    "fuse_into_containing_op": Case(
        MATMUL_TYPES,
        FILLED,
        '%0 = transform.structured.match ops{["linalg.add"]} in %m : (ANY) -> ANY\n'
        + FIND.replace("%0", "%1")
        + '%2 = transform.structured.match ops{["linalg.fill"]} in %m : (ANY) -> ANY\n'
        "%t, %l = transform.structured.tile_using_forall %0 tile_sizes [2, 4] : "
        "(ANY) -> (ANY, ANY)\n"
        "%f, %n = transform.structured.fuse_into_containing_op %1 into %l : "
        "(ANY, ANY) -> (ANY, ANY)\n"
        "%g, %q = transform.structured.fuse_into_containing_op %2 into %n : "
        "(ANY, ANY) -> (ANY, ANY)",
        lambda a, b, c: 2 * (a @ b),
        has={"scf.forall": 1},
    ),
    "fuse_what_tiles_update": Case(
        MATMUL_TYPES,
        FILLED.replace("%p = linalg.matmul", "%q = linalg.matmul").replace("%p", "%q"),
        FIND + '%2 = transform.structured.match ops{["linalg.fill"]} in %m : (ANY) -> ANY\n'
        "%t, %l = transform.structured.tile_using_forall %0 tile_sizes [2, 4] : "
        "(ANY) -> (ANY, ANY)\n"
        "%f, %n = transform.structured.fuse_into_containing_op %2 into %l : "
        "(ANY, ANY) -> (ANY, ANY)",
        lambda a, b, c: 2 * (a @ b),
        has={"scf.forall": 1},
    ),
    "generalize_and_interchange": Case(
        MATMUL_TYPES,
        MATMUL,
        FIND + "%1 = transform.structured.generalize %0 : (ANY) -> ANY\n"
        "%2 = transform.structured.interchange %1 iterator_interchange = [2, 0, 1] : (ANY) -> ANY\n"
        "%t, %l:2 = transform.structured.tile_using_for %2 tile_sizes [2, 3] : "
        "(ANY) -> (ANY, ANY, ANY)",
        product,
        has={"linalg.generic": 1, "linalg.matmul": 0, "scf.for": 2},
    ),
    "indices": Case(
        MATMUL_TYPES,
        GENERIC,
        FIND.replace("matmul", "generic")
        + "%2 = transform.structured.interchange %0 iterator_interchange = [2, 0, 1] : "
        "(ANY) -> ANY\n%t, %l:2 = transform.structured.tile_using_for %2 tile_sizes [2, 3] : "
        "(ANY) -> (ANY, ANY, ANY)",
        weighted,
        has={"linalg.generic": 1, "scf.for": 2},
    ),
    "unroll": Case(
        MATMUL_TYPES,
        MATMUL,
        FIND + "%t, %l:2 = transform.structured.tile_using_for %0 tile_sizes [2, 2] : "
        "(ANY) -> (ANY, ANY, ANY)\ntransform.loop.unroll %l#1 {factor = 2} : ANY",
        product,
        has={"linalg.matmul": 3},
    ),
    "foreach": Case(
        MATMUL_TYPES,
        FILLED,
        "%0 = transform.structured.match interface{LinalgOp} in %m : (ANY) -> ANY\n"
        "transform.foreach %0 : ANY {\n^bb0(%x: ANY):\n"
        "%t, %l = transform.structured.tile_using_for %x tile_sizes [4] : (ANY) -> (ANY, ANY)\n}",
        lambda a, b, c: 2 * (a @ b),
        has={"scf.for": 3},
    ),
    "neighbours": Case(
        MATMUL_TYPES,
        FILLED,
        FIND + "%1 = transform.get_producer_of_operand %0[2] : (ANY) -> ANY\n"
        "%2 = transform.get_consumers_of_result %0[0] : (ANY) -> ANY\n"
        "%3 = transform.merge_handles deduplicate %1, %2 : ANY\n"
        "%t, %l = transform.structured.tile_using_for %3 tile_sizes [0, 4] : (ANY) -> (ANY, ANY)\n"
        '%f = transform.get_parent_op %t {op_name = "func.func", deduplicate} : (ANY) -> ANY\n'
        "transform.apply_patterns to %f {\n"
        "transform.apply_patterns.canonicalization\n"
        "transform.apply_patterns.linalg.tiling_canonicalization\n} : ANY\n"
        "transform.apply_cse to %f : ANY",
        lambda a, b, c: 2 * (a @ b),
        has={"scf.for": 2},
    ),
    "registered_pass": Case(
        MATMUL_TYPES,
        FILLED,
        '%0 = transform.structured.match ops{["func.func"]} in %m : (ANY) -> ANY\n'
        '%1 = transform.apply_registered_pass "canonicalize" to %0 : (ANY) -> ANY\n'
        '%2 = transform.structured.match ops{["linalg.matmul"]} in %1 : (ANY) -> ANY\n'
        "%t, %l = transform.structured.tile_using_for %2 tile_sizes [4] : (ANY) -> (ANY, ANY)",
        lambda a, b, c: 2 * (a @ b),
        has={"scf.for": 1},
    ),
    "attributes": Case(
        MATMUL_TYPES,
        FILLED.replace("linalg.add ins", "linalg.add {mark} ins"),
        "%0 = transform.structured.match attributes {mark} in %m : (ANY) -> ANY\n"
        '%1 = transform.cast %0 : ANY to !transform.op<"linalg.add">\n'
        "%t, %l = transform.structured.tile_using_for %1 tile_sizes [4] : "
        '(!transform.op<"linalg.add">) -> (ANY, ANY)',
        lambda a, b, c: 2 * (a @ b),
        has={"scf.for": 1},
    ),
    "broadcast_transpose_reduce_map": Case(
        ["tensor<7x5xf32>", "tensor<7xf32>", "tensor<5x7xf32>"],
        """%s = linalg.reduce { arith.addf } ins(%a0 : tensor<7x5xf32>) outs(%a1 : tensor<7xf32>)
      dimensions = [1]
    %e = tensor.empty() : tensor<7x5xf32>
    %b = linalg.broadcast ins(%s : tensor<7xf32>) outs(%e : tensor<7x5xf32>) dimensions = [1]
    %m = linalg.map { arith.mulf } ins(%a0, %b : tensor<7x5xf32>, tensor<7x5xf32>)
      outs(%e : tensor<7x5xf32>)
    %r = linalg.transpose ins(%m : tensor<7x5xf32>) outs(%a2 : tensor<5x7xf32>)
      permutation = [1, 0]""",
        "%0 = transform.structured.match interface{LinalgOp} in %m : (ANY) -> ANY\n"
        "%t, %l = transform.structured.tile_using_for %0 tile_sizes [3] : (ANY) -> (ANY, ANY)",
        lambda a, s, o: (a * (s + a.sum(1))[:, None]).T,
        has={"scf.for": 4, "linalg.transpose": 1, "linalg.map": 1},
    ),
}


def arguments(case: Case) -> list[np.ndarray]:
    """Numbers whose sums of products are exact."""
    numbers = np.random.default_rng(5)
    arrays = []
    for n, type_ in enumerate(case.types):
        dims = type_.partition("<")[2].split("x")[:-1]
        shape = case.sizes.get(n) or tuple(int(dim) for dim in dims)
        arrays.append(numbers.integers(-4, 5, shape).astype(np.float32))
    return arrays


def result(module: kc.IRModule, case: Case) -> np.ndarray:
    """The result of the function in the interpreter."""
    module = kc.IRModule.parse(str(module))
    to_tir(module.op)
    arrays = arguments(case)
    if case.types[-1].startswith("tensor"):
        arrays.append(np.full_like(arrays[-1], np.nan))
    run(module.op, "f", arrays)
    return arrays[-1]


def transformed(text: str, read: list[kc.IRModule] | None = None) -> kc.IRModule:
    """A module after its script; ``read`` gets it before, for whom a refusal leaves it."""
    module = kc.IRModule.parse(text)
    if read is not None:
        read.append(module)
    get_pass("transform-interpreter").apply(context(), module.op)
    module.op.verify()
    return module


@pytest.mark.parametrize("name", CASES)
def test_a_script_computes_the_same(name: str):
    case = CASES[name]
    module = transformed(case.text)
    counts = Counter(op.name for op in module.functions["f"].walk())
    assert {op: counts[op] for op in case.has} == case.has
    np.testing.assert_array_equal(result(module, case), case.expected(*arguments(case)))


@pytest.mark.skipif(MLIR_OPT is None, reason="needs mlir-opt")
@pytest.mark.parametrize("name", CASES)
def test_mlir_takes_the_script_and_computes_the_same(name: str):
    """MLIR reads what kc makes of the program, too."""
    case = CASES[name]
    by_mlir = mlir_opt(case.text, "--transform-interpreter")
    np.testing.assert_array_equal(
        result(kc.IRModule.parse(by_mlir), case), case.expected(*arguments(case))
    )
    mlir_opt(str(transformed(case.text)))


REFUSED = {
    "a_reduction_in_any_order": (
        FIND + "%t, %l = transform.structured.tile_using_forall %0 tile_sizes [0, 0, 2] : "
        "(ANY) -> (ANY, ANY)",
        "KC3724",
        "loop 2 is a reduction",
    ),
    "more_sizes_than_loops": (
        FIND + "%t, %l:4 = transform.structured.tile_using_for %0 tile_sizes [2, 2, 2, 2] : "
        "(ANY) -> (ANY, ANY, ANY, ANY, ANY)",
        "KC3724",
        "linalg.matmul has 3 loops",
    ),
    "a_handle_that_was_replaced": (
        FIND + "%t, %l = transform.structured.tile_using_for %0 tile_sizes [2] : "
        "(ANY) -> (ANY, ANY)\n"
        "%u, %k = transform.structured.tile_using_for %0 tile_sizes [2] : (ANY) -> (ANY, ANY)",
        "KC3724",
        "an operation that no longer exists",
    ),
    "an_operation_twice": (
        FIND + "%1 = transform.merge_handles %0, %0 : ANY\n"
        "%2 = transform.structured.generalize %1 : (ANY) -> ANY",
        "KC3724",
        "more than once",
    ),
    "no_linalg_op": (
        '%0 = transform.structured.match ops{["func.func"]} in %m : (ANY) -> ANY\n'
        "%1 = transform.structured.generalize %0 : (ANY) -> ANY",
        "KC3724",
        "func.func is not an operation of linalg",
    ),
    "the_order_of_a_named_op": (
        FIND + "%1 = transform.structured.interchange %0 iterator_interchange = [2, 0, 1] : "
        "(ANY) -> ANY",
        "KC3724",
        "the order of its name",
    ),
    "too_few_operations": (
        FIND + "%1, %2 = transform.split_handle %0 : (ANY) -> (ANY, ANY)",
        "KC3724",
        "1 operation, for 2 results",
    ),
    "a_loop_of_other_things": (
        FIND + "%t, %l = transform.structured.tile_using_for %0 tile_sizes [2] : "
        "(ANY) -> (ANY, ANY)\n"
        "%x, %y = transform.structured.fuse_into_containing_op %t into %l : "
        "(ANY, ANY) -> (ANY, ANY)",
        "KC3724",
        "linalg.matmul is in scf.for already",
    ),
    "an_unknown_pass": (
        '%0 = transform.structured.match ops{["func.func"]} in %m : (ANY) -> ANY\n'
        '%1 = transform.apply_registered_pass "no-such-pass" to %0 : (ANY) -> ANY',
        "KC0003",
        "no-such-pass",
    ),
    "vectorize": (
        FIND + "transform.structured.vectorize %0 : ANY",
        "KC3723",
        "transform.structured.vectorize",
    ),
    "pad": (
        FIND + "%p, %q, %c = transform.structured.pad %0 {padding_dimensions = [0]} : "
        "(ANY) -> (ANY, ANY, ANY)",
        "KC3723",
        "transform.structured.pad",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_step_is_refused(name: str):
    """The module stays as it was, also what steps before have done to it."""
    steps, code, message = REFUSED[name]
    case = Case(MATMUL_TYPES, MATMUL, steps, product)
    read: list[kc.IRModule] = []
    with pytest.raises(KCError) as refusal:
        transformed(case.text, read)
    error = refusal.value
    assert error.code == code, error
    assert message in f"{error.message} {error.why}"
    assert error.location is not None or code == "KC0003"
    if code == "KC3723":
        assert error.hints
    for module in read:
        assert str(module) == str(kc.IRModule.parse(case.text))


def test_the_text_reads_back():
    for case in CASES.values():
        module = kc.IRModule.parse(case.text)
        assert str(kc.IRModule.parse(str(module))) == str(module)


def test_a_module_with_a_script_is_built():
    """The script is no function: a build drops it."""
    case = CASES["tile_using_forall"]
    a, b, c = arguments(case)
    np.testing.assert_array_equal(kc.build(transformed(case.text))(a, b, c), product(a, b, c))


def test_there_is_no_such_sequence():
    module = kc.IRModule.parse(CASES["unroll"].text)
    with pytest.raises(KCError, match="KC3720"):
        get_pass("transform-interpreter", "entry-point=slow").apply(context(), module.op)


def mlir_opt(text: str, *flags: str) -> str:
    assert MLIR_OPT is not None
    done = subprocess.run([MLIR_OPT, *flags], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
