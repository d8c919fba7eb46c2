"""Tensor intrinsics for copies of boxes of tensors (TMA), as text.

``tma_load_64x64_f16_shared`` copies 64 rows of 64 halves from global to shared memory. One thread
starts the copy, and the copy unit of the multiprocessor performs it. Rows have 32, 64 or 128 bytes,
and the swizzle of the shared buffer determines the places of the elements. Elements of the box
beyond the end of the array are zeros.

``tma_store_64x32_f32_shared`` copies from shared to global memory; the thread that starts the copy
waits for its end.

The text of a load has the copy twice: ``.copy`` returns after its end, and an mbarrier counts the
bytes of ``.start``. ``inject-software-pipeline`` and ``plan-tensor-copies`` replace the first by
the second, and insert the waits. This module rewrites nothing, so it has no rewrite pattern.

The text of an intrinsic is an attribute of this module with the name of the intrinsic.
"""

from __future__ import annotations

from kc.transforms.intrinsics.tensor_copy_names import TensorCopyIntrin, tensor_copy_intrins

_STORED = {
    "f16": "f16",
    "bf16": "bf16",
    "f32": "f32",
    "s8": "i8",
    "e4m3": "f8E4M3FN",
    "e5m2": "f8E5M2",
}


def __getattr__(name: str) -> str:
    intrin = tensor_copy_intrins().get(name)
    if intrin is None:
        raise AttributeError(f"module {__name__!r} has no tensor intrinsic {name!r}")
    return _text(name, intrin)


def _loops(intrin: TensorCopyIntrin, source: str, target: str) -> str:
    """The copy as loops."""
    iters = f"(spatial %v_i in {intrin.rows} = %i, spatial %v_j in {intrin.columns} = %j)"
    return f"""    tir.for %i in {intrin.rows} {{
      tir.for %j in {intrin.columns} {{
        tir.block "C" {iters} do {{
          %x = tir.load %A[%v_i, %v_j] : {source}
          tir.store %x, %C[%v_i, %v_j] : {target}
        }}
      }}
    }}"""


def _text(name: str, intrin: TensorCopyIntrin) -> str:
    dense = f"memref<{intrin.rows}x{intrin.columns}x{_STORED[intrin.element]}"
    part = f"{dense}, strided<[?, 1], offset: ?>"
    source, target = f"{part}>", f'{part}, "{intrin.space}">'
    barrier = 'memref<1xi64, strided<[1], offset: ?>, "shared">'
    if intrin.role == "store":
        return _store(name, intrin, target, source)
    return f"""{_copy(name, intrin, source, target, f"kc.start = @{name}.start")}
  func.func private @{name}.start({source}, {target}, {barrier}) attributes {{
      kc.description = @{name}.started, kc.lanes = @{name}.lane}}
  func.func private @{name}.started(%A: {source}, %C: {target}, %B: {barrier}) {{
{_loops(intrin, source, target)}
    func.return
  }}
  func.func private @{name}.lane(%A: {source}, %C: {target}, %B: {barrier}) {{
    tir.load_box %A, %C, %B : {source}, {target}, {barrier}
    func.return
  }}
}}
"""


def _store(name: str, intrin: TensorCopyIntrin, source: str, target: str) -> str:
    return f"""{_copy(name, intrin, source, target, f"kc.lanes = @{name}.lane")}
  func.func private @{name}.lane(%A: {source}, %C: {target}) {{
    tir.store_box %A, %C : {source}, {target}
    func.return
  }}
}}
"""


def _copy(name: str, intrin: TensorCopyIntrin, source: str, target: str, how: str) -> str:
    """The common head of loads and stores: the copy as loops, and as a call described by the
    loops.
    """
    dense = f"memref<{intrin.rows}x{intrin.columns}x{_STORED[intrin.element]}"
    outside = " {kc.zero_outside}" if intrin.role == "load" else ""
    return f"""module @{name} attributes {{kc.features = ["sm_90"]}} {{
  func.func @description(%A: {dense}>{outside}, %C: {dense}>) {{
{_loops(intrin, f"{dense}>", f"{dense}>")}
    func.return
  }}
  func.func @implementation(%A: {source}, %C: {target}) {{
    tir.call @{name}.copy(read %A, write %C) : ({source}, {target})
    func.return
  }}
  func.func private @{name}.tile(%A: {source}, %C: {target}) {{
{_loops(intrin, source, target)}
    func.return
  }}
  func.func private @{name}.copy({source}, {target}) attributes {{
      kc.description = @{name}.tile, {how}}}"""
