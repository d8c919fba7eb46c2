// RUN: kc-opt %s --target="cuda -arch=sm_90a" --lower-tensor-copies | FileCheck %s

// The host makes a map, a thread makes the mbarrier and starts copies, behind the barrier that keeps
// them from overwriting what is read; all threads wait.
// CHECK:      %[[ALL:.*]] = "memref.cast"(%A) : (memref<64x32xf16>) -> memref<*xf16>
// CHECK:      %[[MAP:.*]] = nvgpu.tma.create.descriptor %[[ALL]] box[%{{.*}}, %{{.*}}] : memref<*xf16> -> <tensor = memref<8x32xf16, #gpu.address_space<workgroup>>, swizzle = none,
// CHECK-NEXT: tir.for %b in 1 thread "blockIdx.x" {
// CHECK-NEXT:   tir.for %j in 32 thread "threadIdx.x" {
// CHECK:          %S = tir.alloc "S" {tir.alignment = 128 : i64} : memref<8x32xf16, "shared">
// CHECK-NEXT:     tir.if (%j < 32) {
// CHECK-NEXT:       %[[ELECTED:.*]] = nvvm.elect.sync -> i1
// CHECK-NEXT:       scf.if %[[ELECTED]] {
// CHECK:              nvvm.mbarrier.init %{{.*}}, %{{.*}} : !llvm.ptr<3>, i32
// CHECK-NEXT:         nvvm.fence.mbarrier.init
// CHECK:          gpu.barrier
// CHECK-NEXT:     tir.for %k in 8 {
// CHECK-NEXT:       gpu.barrier
// CHECK-NEXT:       tir.if (%j < 32) {
// CHECK-NEXT:         nvvm.elect.sync
// CHECK:                nvvm.mbarrier.arrive.expect_tx
// CHECK:                %[[PLACE:.*]] = builtin.unrealized_conversion_cast %[[MAP]] :
// CHECK:                %[[ROW:.*]] = tir.apply (%k * 8)
// CHECK-NEXT:           %[[ROW32:.*]] = arith.index_cast %[[ROW]] : index to i32
// CHECK:                nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[PLACE]], %{{.*}}, box[%{{.*}}, %[[ROW32]]] : !llvm.ptr<7>, !llvm.ptr
// CHECK:            %[[PARITY:.*]] = tir.apply (%k mod 2)
// CHECK-NEXT:       %[[PARITY32:.*]] = arith.index_cast %[[PARITY]] : index to i32
// CHECK:            nvvm.mbarrier.try_wait.parity %{{.*}}, %[[PARITY32]], %{{.*}} : !llvm.ptr<3>, i32, i32
func.func @f(%A: memref<64x32xf16>, %B: memref<64x32xf16>) {
  tir.for %b in 1 thread "blockIdx.x" {
    tir.for %j in 32 thread "threadIdx.x" {
      %S_full = tir.alloc "S_full" {tir.mbarriers} : memref<1xi64, "shared">
      %S = tir.alloc "S" : memref<8x32xf16, "shared">
      tir.mbarrier_init %S_full : memref<1xi64, "shared">
      tir.for %k in 8 {
        %a = tir.view %A[%k * 8, 0] : memref<64x32xf16> to memref<8x32xf16, strided<[?, 1], offset: ?>>
        %s = tir.view %S[0, 0] : memref<8x32xf16, "shared"> to memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">
        tir.mbarrier_expect %S_full[%k mod 1], 512 : memref<1xi64, "shared">
        %0 = tir.view %S_full[%k mod 1] : memref<1xi64, "shared"> to memref<1xi64, strided<[1], offset: ?>, "shared">
        gpu.barrier
        tir.load_box %a, %s, %0 : memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>, "shared">
        tir.mbarrier_wait %S_full[%k mod 1] phase [%k floordiv 1] : memref<1xi64, "shared">
        tir.for %i in 8 {
          %x = tir.load %S[%i, %j] : memref<8x32xf16, "shared">
          tir.store %x, %B[%k * 8 + %i, %j] : memref<64x32xf16>
        }
      }
    }
  }
  func.return
}
