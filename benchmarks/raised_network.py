"""The build time of a residual block, from torch-mlir's exported text to a callable function.

    python benchmarks/raised_network.py [REPEATS]

The block has two convolutions of 64 channels on 56 x 56 elements, each with a norm (scale and shift
of channels), the sum with the input, and relu; the weights are in the text (about 600 kB). The
times are wall-clock milliseconds: a process that does nothing else, in total and without its
imports, and the next build in the same process; medians of REPEATS processes (5). The goal is 1,000
to read, raise and build. The first result is compared with numpy's.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

CHANNELS, SIZE = 64, 56
X = f"tensor<1x{CHANNELS}x{SIZE}x{SIZE}xf32>"
PADDED = f"tensor<1x{CHANNELS}x{SIZE + 2}x{SIZE + 2}xf32>"
W, V = f"tensor<{CHANNELS}x{CHANNELS}x3x3xf32>", f"tensor<{CHANNELS}xf32>"
OF_ALL, OF_CHANNELS = (f"affine_map<(n, c, h, w) -> ({it})>" for it in ("n, c, h, w", "c"))
LOOPS = 'iterator_types = ["parallel", "parallel", "parallel", "parallel"]'
RELU = "%r = arith.maximumf %s, %zero : f32"


def weights(number: int):
    """The weights of a convolution, its scale and its shift."""
    import numpy as np

    numbers = np.random.default_rng(number)
    return [
        (numbers.standard_normal(shape) / 24).astype("float32")
        for shape in ((CHANNELS, CHANNELS, 3, 3), CHANNELS, CHANNELS)
    ]


def layer(number: int, given: str, added: str) -> str:
    """A convolution of ``%given``, its norm, the sum with ``added`` if there is any, and relu."""
    constants = "".join(
        f'  %{name}{number} = arith.constant dense<"0x{array.tobytes().hex().upper()}"> : {type_}\n'
        for name, array, type_ in zip("wab", weights(number), (W, V, V), strict=True)
    )
    maps = ", ".join([OF_ALL, OF_CHANNELS, OF_CHANNELS, *[OF_ALL] * bool(added), OF_ALL])
    ins = ", ".join([f"%c{number}, %a{number}, %b{number}", *([added] if added else [])])
    types = ", ".join([X, V, V, *[X] * bool(added)])
    args = "%x: f32, %a: f32, %b: f32, " + "%y: f32, " * bool(added) + "%o: f32"
    total = "%s = arith.addf %t, %y : f32" if added else "%s = arith.addf %t, %zero : f32"
    return f"""{constants}
  %p{number} = tensor.pad {given} low[0, 0, 1, 1] high[0, 0, 1, 1] {{
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  }} : {X} to {PADDED}
  %e{number} = tensor.empty() : {X}
  %f{number} = linalg.fill ins(%zero : f32) outs(%e{number} : {X}) -> {X}
  %c{number} = linalg.conv_2d_nchw_fchw
    {{dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}}
    ins(%p{number}, %w{number} : {PADDED}, {W}) outs(%f{number} : {X}) -> {X}
  %r{number} = linalg.generic {{indexing_maps = [{maps}], {LOOPS}}}
      ins({ins} : {types}) outs(%e{number} : {X}) {{
  ^bb0({args}):
    %m = arith.mulf %x, %a : f32
    %t = arith.addf %m, %b : f32
    {total}
    {RELU}
    linalg.yield %r : f32
  }} -> {X}
"""


def block() -> str:
    """The text of the block."""
    return f"""func.func @block(%input: {X}) -> {X} {{
  %zero = arith.constant 0.0 : f32
{layer(1, "%input", "")}{layer(2, "%r1", "%input")}  return %r2 : {X}
}}"""


def expected(x):
    """The result by numpy."""
    import numpy as np

    given = x
    for number in (1, 2):
        w, a, b = weights(number)
        padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
        x = np.einsum("nchwij,fcij->nfhw", windows, w, optimize=True)
        x = x * a[:, None, None] + b[:, None, None] + (given if number == 2 else 0)
        x = np.maximum(x, 0)
    return x


def measure() -> None:
    """Build the loops as written twice in this process, and print the seconds."""
    text = block()
    began = time.perf_counter()
    import numpy as np

    import kc

    build, parse = kc.build, kc.IRModule.parse  # what they are in is loaded here
    as_written = kc.transform.PassContext(disabled_pass=["auto-schedule"])
    loaded = time.perf_counter()
    with as_written:
        function = build(parse(text))
    first = time.perf_counter()
    with as_written:
        function = build(parse(text))
    second = time.perf_counter()
    x = np.random.default_rng(0).standard_normal((1, CHANNELS, SIZE, SIZE), "float32")
    np.testing.assert_allclose(np.asarray(function(x)), expected(x), rtol=1e-4, atol=1e-4)
    print(json.dumps([first - began, first - loaded, second - first]))


def main(repeats: int) -> None:
    """Print the table."""
    rows = []
    for _ in range(repeats):
        done = subprocess.run([sys.executable, __file__, "measure"], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr)
        rows.append(json.loads(done.stdout))
    names = ("first build of a process, imports included", "the same without", "second build")
    for name, times in zip(names, zip(*rows, strict=True), strict=True):
        low, high = min(times) * 1e3, max(times) * 1e3
        print(f"{name:44} {statistics.median(times) * 1e3:6.0f} ms  ({low:.0f} to {high:.0f})")


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        measure()
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
