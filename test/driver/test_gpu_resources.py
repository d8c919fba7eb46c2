"""kc.gpu.resources: what the kernels of a module take of a GPU."""

from __future__ import annotations

import numpy as np
import pytest
from test_cuda_emu import sums

import kc
from kc import te
from kc.support.diagnostics import KCError


def test_what_a_kernel_takes():
    """Four warps add by five shuffles, leave four sums in shared memory, and add these by two."""
    s, args = sums(4, 300, 128)
    (kernel,) = kc.gpu.resources(kc.build(s, args, target="cuda -arch=sm_80"))
    assert kernel.name == "main_kernel"
    assert kernel.threads == 128
    assert (kernel.shared, kernel.barriers, kernel.shuffles) == (4 * 4, 1, 5 + 2)
    assert 8 <= kernel.registers <= 32
    assert not kernel.local


def test_a_module_without_kernels():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i], name="B")
    module = kc.build(te.create_schedule(B.op), [A, B])
    module(np.zeros(4, "float32"), np.zeros(4, "float32"))
    with pytest.raises(KCError) as caught:
        kc.gpu.resources(module)
    assert str(caught.value) == (
        "error[KC6300]: kc.gpu.resources: the module has no kernels for a GPU\n"
        "  why: the module is compiled for a target of another kind\n"
        '  try: kc.build(..., target="cuda -arch=sm_80")'
    )


def test_dynamic_shared_memory_is_what_the_launch_asks_for():
    """A tile of 64 x 250 numbers is more than the 48 KiB that can be static."""
    A = te.placeholder((64, 250), name="A")
    B = te.compute((64, 250), lambda i, j: A[63 - i, j], name="B")
    s = te.create_schedule(B.op)
    S = s.cache_read(A, "shared.dyn", [B])
    block, _ = s[B].split(B.op.axis[0], 64)
    _, thread = s[B].split(B.op.axis[1], 125)
    s[B].bind(block, te.thread_axis("blockIdx.x"))
    s[S].compute_at(s[B], block)
    s[B].bind(thread, te.thread_axis("threadIdx.x"))
    _, thread = s[S].split(S.op.axis[1], 125)
    s[S].bind(thread, te.thread_axis("threadIdx.x"))
    (kernel,) = kc.gpu.resources(kc.build(s, [A, B], target="cuda -arch=sm_80"))
    assert (kernel.shared, kernel.dynamic) == (0, 64 * 250 * 4)
    assert "64000 bytes shared" in str(kernel)
