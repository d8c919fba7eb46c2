// An update by any computation is repeated until nobody came between; MLIR reads the result.
// RUN: kc-opt %s --convert-to-llvm | FileCheck %s
// RUN: %if mlir %{ kc-opt %s --convert-to-llvm | mlir-opt | FileCheck %s --check-prefix=OPT %}

// OPT: llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} acq_rel monotonic : !llvm.ptr, i32

// CHECK-LABEL: llvm.func @f
// CHECK:         %[[P:.*]] = llvm.getelementptr inbounds %A[%i]
// CHECK:         %[[FIRST:.*]] = llvm.load %[[P]] atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK:         %[[AS_FLOAT:.*]] = llvm.bitcast %[[FIRST]] : i32 to f32
// CHECK:         llvm.br ^[[UPDATE:bb[0-9]+]](%[[AS_FLOAT]] : f32)
// CHECK:       ^[[UPDATE]](%[[OLD:.*]]: f32):
// CHECK:         %[[NEW:.*]] = llvm.fmul %[[OLD]], %x : f32
// CHECK:         %[[EXCHANGE:.*]] = llvm.cmpxchg %[[P]], %{{.*}}, %{{.*}} acq_rel monotonic : !llvm.ptr, i32
// CHECK:         %[[FOUND:.*]] = llvm.extractvalue %[[EXCHANGE]][0]
// CHECK:         %[[DONE:.*]] = llvm.extractvalue %[[EXCHANGE]][1]
// CHECK:         %[[AGAIN:.*]] = llvm.bitcast %[[FOUND]] : i32 to f32
// CHECK:         llvm.cond_br %[[DONE]], ^{{.*}}, ^[[UPDATE]](%[[AGAIN]] : f32)
// CHECK:         llvm.store %[[OLD]], %B
func.func @f(%A: memref<8xf32>, %B: memref<f32>, %i: index, %x: f32) {
  %r = memref.generic_atomic_rmw %A[%i] : memref<8xf32> {
  ^bb0(%old: f32):
    %new = arith.mulf %old, %x : f32
    memref.atomic_yield %new : f32
  }
  memref.store %r, %B[] : memref<f32>
  func.return
}
