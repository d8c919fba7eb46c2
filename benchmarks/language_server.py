"""The delay until an editor shows an error: from an edit of a file of 500 lines to its diagnostics.

    python benchmarks/language_server.py

Processor time in the server in milliseconds: the median and maximum of several edits, each of which
introduces or repairs a mistake in one of 50 functions. The time of the editor and the connection is
excluded. The goal is 150 ms.
"""

from __future__ import annotations

import statistics
import time

from kc.tools.lsp.document import Document

FUNCTION = """\
func.func @scale{n}(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {{
  tir.for %i in 64 {{
    tir.block "B" (spatial %v_i in 64 = %i) do {{
      %a = tir.load %A[%v_i] : memref<64xf32>
      %b = arith.mulf %a, %x : f32
      tir.store %b, %B[%v_i] : memref<64xf32>
    }}
  }}
  func.return
}}
"""
FUNCTIONS = 50
EDITS = 20


def main() -> None:
    functions = [FUNCTION.format(n=n) for n in range(FUNCTIONS)]
    text = "".join(functions)
    document = Document("large.mlir", text)
    times: list[float] = []
    for n in range(EDITS):
        wrong = functions[n].replace("arith.mulf", "arith.mul")
        for state, problems in ((text.replace(functions[n], wrong), 1), (text, 0)):
            begin = time.process_time()
            document.update(state)
            times.append(1000 * (time.process_time() - begin))
            assert len(document.problems) == problems
    print(f"{text.count(chr(10))} lines: median {statistics.median(times):.0f} ms, ", end="")
    print(f"largest {max(times):.0f} ms")


if __name__ == "__main__":
    main()
