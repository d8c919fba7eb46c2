"""The time to read TVMScript: a function of 100 lines and 12 blocks, text to verified IR.

    python benchmarks/read_script.py

Milliseconds of processor time, best of seven; the goal is 20.
"""

from __future__ import annotations

import time

import kc.script


def function_of_100_lines() -> str:
    lines = ["@T.prim_func", 'def f(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64))):']
    for n in range(12):
        lines += [
            "    for i, j, k in T.grid(64, 64, 64):",
            f'        with T.block("b{n}"):',
            '            vi, vj, vk = T.axis.remap("SSR", [i, j, k])',
            "            T.reads(A[vi, vk])",
            "            T.writes(B[vi, vj])",
            "            with T.init():",
            "                B[vi, vj] = T.float32(0)",
            f"            B[vi, vj] = B[vi, vj] + A[vi, vk] * {n}.0",
        ]
    lines += ["    for i in range(64):", "        B[i, i] = 0.0"]
    assert len(lines) == 100
    return "\n".join(lines)


def main() -> None:
    text = function_of_100_lines()
    kc.script.from_source(text)
    seconds = []
    for _ in range(7):
        start = time.process_time()
        kc.script.from_source(text)
        seconds.append(time.process_time() - start)
    print(f"{min(seconds) * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
