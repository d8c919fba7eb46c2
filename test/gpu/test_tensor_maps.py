"""Arrays of which kernels copy boxes: the host has the driver make a map of each."""

from __future__ import annotations

import numpy as np
import pytest
from fake_gpu import MAPS, FakeGpu

import kc
from kc import te
from kc.support.diagnostics import DeviceError

BOX = "memref<8x64xf16, #gpu.address_space<workgroup>>"
MAP = f"<tensor = {BOX}, swizzle = none, l2promo = l2promo_256b, oob = zero, interleave = none>"
TYPE = f"!nvgpu.tensormap.descriptor{MAP}"
WORDS = "memref<1xi64, #gpu.address_space<workgroup>>"
POINTER = '"memref.extract_aligned_pointer_as_index"'

KERNEL = f"""module attributes {{gpu.container_module}} {{
  func.func @f(%A: memref<?x64xf16>, %x: i32, %B: memref<8x64xf16>) {{
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %all = memref.cast %A : memref<?x64xf16> to memref<*xf16>
    %map = nvgpu.tma.create.descriptor %all box[%c8, %c64] : memref<*xf16> -> {MAP}
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%x : i32, %map : {TYPE}, %B : memref<8x64xf16>)
    func.return
  }}
  gpu.module @m {{
    gpu.func @k(%x: i32, %A: {TYPE}, %B: memref<8x64xf16>)
        workgroup(%S : {BOX} {{llvm.align = 128 : i64}}, %M : {WORDS}) kernel {{
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %bytes = arith.constant 1024 : i32
      %ns = arith.constant 1000000 : i32
      %first = arith.cmpi eq, %t, %c0 : index
      %s0 = {POINTER}(%S) : ({BOX}) -> index
      %s1 = arith.index_cast %s0 : index to i64
      %q = llvm.inttoptr %s1 : i64 to !llvm.ptr<3>
      %p = llvm.addrspacecast %q : !llvm.ptr<3> to !llvm.ptr<7>
      %m0 = {POINTER}(%M) : ({WORDS}) -> index
      %m1 = arith.index_cast %m0 : index to i64
      %m = llvm.inttoptr %m1 : i64 to !llvm.ptr<3>
      %place = builtin.unrealized_conversion_cast %A : {TYPE} to !llvm.ptr
      scf.if %first {{
        nvvm.mbarrier.init %m, %one : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
      }}
      gpu.barrier
      scf.if %first {{
        %state = nvvm.mbarrier.arrive.expect_tx %m, %bytes : !llvm.ptr<3>, i32 -> i64
        nvvm.cp.async.bulk.tensor.shared.cluster.global %p, %place, %m, box[%zero, %x] :
            !llvm.ptr<7>, !llvm.ptr
      }}
      nvvm.mbarrier.try_wait.parity %m, %zero, %ns : !llvm.ptr<3>, i32, i32
      scf.for %i = %c0 to %c8 step %c1 {{
        %v = memref.load %S[%i, %t] : {BOX}
        memref.store %v, %B[%i, %t] : memref<8x64xf16>
      }}
      gpu.return
    }}
  }}
}}"""


def test_a_kernel_gets_a_map_by_value(fake: FakeGpu):
    module = fake.build(kc.IRModule.parse(KERNEL), target="cuda -arch=sm_90a")
    ptx = module.imported_modules[0].get_source()
    assert ".param .align 64 .b8 k_param_1[128]" in ptx
    assert ".local" not in ptx, "a copy of the map is none"
    device = kc.cuda(0)
    a = np.random.default_rng(0).standard_normal((20, 64)).astype("float16")
    x, y = kc.nd.array(a, device), kc.nd.empty((8, 64), "float16", device)
    module(x, 5, y)
    np.testing.assert_array_equal(y.numpy(), a[5:13])
    maps = fake.count(MAPS)
    module(x, 16, y)  # queued maps are of their own
    module(x, 2, y)
    np.testing.assert_array_equal(y.numpy(), a[2:10])
    assert fake.count(MAPS) == maps, "the map of an array is made once"
    z = kc.nd.array(a[::-1].copy(), device)
    module(z, 2, y)
    np.testing.assert_array_equal(y.numpy(), a[::-1][2:10])
    assert fake.count(MAPS) == maps + 1


def test_an_array_without_elements_needs_no_map(fake: FakeGpu):
    """No driver makes one; a product of no rows has nothing to launch."""
    rows = te.var("m")
    A = te.placeholder((rows, 64), "float16", name="A")
    B = te.placeholder((32, 64), "float16", name="B")
    k = te.reduce_axis((0, 64), name="k")

    def term(i: te.Var, j: te.Var) -> te.PrimExpr:
        return te.sum(A[i, k].astype("float32") * B[j, k].astype("float32"), axis=k)

    C = te.compute((rows, 32), term, name="C")
    module = fake.build([A, B, C], target="cuda -arch=sm_90a")
    assert "cp.async.bulk.tensor" in module.imported_modules[0].get_source()
    device = kc.cuda(0)
    b = np.random.default_rng(0).integers(-4, 5, (32, 64)).astype("float16")
    for count in (0, 3):
        a = np.ones((count, 64), "float16")
        c = kc.nd.empty((count, 32), "float32", device)
        module(kc.nd.array(a, device), kc.nd.array(b, device), c)
        np.testing.assert_array_equal(c.numpy(), a.astype("float64") @ b.T.astype("float64"))


def test_an_array_that_is_not_aligned(fake: FakeGpu):
    module = fake.build(kc.IRModule.parse(KERNEL), target="cuda -arch=sm_90a")
    device = kc.cuda(0)
    whole = kc.nd.array(np.zeros(21 * 64, "float16"), device)
    shifted = Shifted(whole.__cuda_array_interface__)  # pyright: ignore
    with pytest.raises(DeviceError) as error:
        module(shifted, 0, kc.nd.empty((8, 64), "float16", device))
    assert str(error.value) == (
        "error[KC6037]: f: the kernel copies boxes of an array that begins 2 bytes past a multiple "
        "of 16\n"
        "  why: the copy unit of the device has addresses and strides that are multiples of 16 "
        "bytes\n"
        "  try: a copy of the array: memory that a device allocates begins at multiples of 256"
    )


class Shifted:
    """20 rows of 64 halves of an array, from its second element on."""

    def __init__(self, whole: dict[str, object]) -> None:
        address, is_read_only = whole["data"]  # pyright: ignore
        self.__cuda_array_interface__ = {
            **whole,
            "shape": (20, 64),
            "data": (address + 2, is_read_only),
        }
