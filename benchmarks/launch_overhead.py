"""The overhead of kc at a launch: calls of a kernel with a driver that only records launches.

    python benchmarks/launch_overhead.py

The driver is that of the tests (test/gpu/fake_libcuda.c, compiled by cc). It queues a kernel in its
memory and runs it only when the host waits. The time therefore consists of the argument checks, the
host code, and the recording of a launch; the time of a real driver is additional.
"""

from __future__ import annotations

import os
import statistics
import sys
import timeit
from pathlib import Path

import kc
from kc import te

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "gpu"))
from fake_gpu import FakeGpu, compiled  # noqa: E402

CALLS, REPEATS = 400, 25


def main() -> None:
    """Print the table."""
    path = compiled()
    if not path:
        print("no cc, which compiles the fake driver: nothing is measured")
        return
    os.environ["KC_CUDA"] = "ctypes"
    fake = FakeGpu(path)
    A, B = te.placeholder((1024,), name="A"), te.placeholder((1024,), name="B")
    C = te.compute((1024,), lambda i: A[i] + B[i], name="C")
    s = te.create_schedule(C.op)
    block, thread = s[C].split(C.op.axis[0], 256)
    s[C].bind(block, te.thread_axis("blockIdx.x"))
    s[C].bind(thread, te.thread_axis("threadIdx.x"))
    module = fake.build(s, [A, B, C], target="cuda -arch=sm_80")
    function, device = module["main"], kc.cuda(0)
    a, b, c = (kc.nd.empty((1024,), "float32", device) for _ in range(3))
    function(a, b, c)  # from then on by generated code
    calls = {
        "prepared": function.prepare(a, b, c),
        "function": lambda: function(a, b, c),
        "module": lambda: module(a, b, c),
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(REPEATS):
        for name, call in calls.items():
            device.sync()
            times[name].append(timeit.timeit(call, number=CALLS) / CALLS * 1e6)
    print("us a call, the median of several")
    for name, several in times.items():
        print(f"{name:28}{statistics.median(several):8.2f}")


if __name__ == "__main__":
    main()
