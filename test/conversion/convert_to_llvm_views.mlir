// RUN: kc-opt %s --convert-to-llvm | FileCheck %s
// RUN: kc-translate %s --to=c | FileCheck %s --check-prefix=C

// Parts of one allocation that are marked as disjoint keep noalias where they are passed.
// CHECK: llvm.func internal @kernel(%x: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture, llvm.readonly}, %y: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture})
// C: void kernel(const float *restrict x, float *restrict y) {
func.func private @kernel(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<8xf32>
  memref.store %v, %y[%c0] : memref<8xf32>
  func.return
}

// CHECK-LABEL: @parts
// CHECK-DAG: %[[B:.*]] = llvm.getelementptr inbounds %arena[64]
// CHECK-DAG: %[[PART:.*]] = llvm.getelementptr inbounds %x[8] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK: "llvm.intr.memcpy"(%arena, %[[PART]],
// CHECK: llvm.call @kernel(%arena, %[[B]])
// CHECK: "llvm.intr.memcpy"(%y, %[[B]],

// C: void parts(const float *restrict x, float *restrict y) {
// C: float *a = (float *)arena;
// C: float *b = (float *)(arena + 64);
// C: a[c0] = x[c0 + 8];
// C: kernel(a, b);
func.func @parts(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
  %a = memref.view %arena[%c0][] {kc.disjoint} : memref<128xi8> to memref<8xf32>
  %b = memref.view %arena[%c64][] {kc.disjoint} : memref<128xi8> to memref<8xf32>
  %r = memref.reinterpret_cast %x to offset: [8], sizes: [8], strides: [1] : memref<4x4xf32> to memref<8xf32, strided<[1], offset: 8>>
  %part = memref.cast %r : memref<8xf32, strided<[1], offset: 8>> to memref<8xf32>
  %flat = memref.reinterpret_cast %y to offset: [0], sizes: [8], strides: [1] : memref<4x4xf32> to memref<8xf32>
  memref.copy %part, %a : memref<8xf32> to memref<8xf32>
  func.call @kernel(%a, %b) : (memref<8xf32>, memref<8xf32>) -> ()
  memref.copy %b, %flat : memref<8xf32> to memref<8xf32>
  memref.dealloc %arena : memref<128xi8>
  func.return
}
