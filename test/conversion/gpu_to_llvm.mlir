// RUN: kc-opt %s --gpu-to-llvm | FileCheck %s

// A launch has its parameters in memory, one in a word, and its kernel by a number. Memory comes in
// the order of the stream, tokens need no code.
// CHECK-LABEL: builtin.module attributes {kc.kernels = ["m::first", "m::second"]} {
// CHECK-NEXT:    llvm.func @f(%A: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias}, %A_size: i64, %n: i64, %x: f16, %p: i8, %record: !llvm.ptr) attributes {no_unwind} {
// CHECK:           %words = llvm.alloca %{{.*}} x i64 {alignment = 8 : i64} : (i64) -> !llvm.ptr
// CHECK:         ^bb2:
// CHECK:           %m = llvm.call @kc_gpu_alloc(%record, %{{.*}}) : (!llvm.ptr, i64) -> !llvm.ptr
// CHECK-NEXT:      %[[BITS:.*]] = llvm.bitcast %{{.*}} : f32 to i32
// CHECK-NEXT:      %[[VALUE:.*]] = llvm.zext %[[BITS]] : i32 to i64
// CHECK-NEXT:      %[[COUNT:.*]] = llvm.mul %i, %{{.*}} overflow<nsw> : i64
// CHECK-NEXT:      llvm.call @kc_gpu_set(%record, %m, %[[VALUE]], %{{.*}}, %[[COUNT]]) : (!llvm.ptr, !llvm.ptr, i64, i64, i64) -> ()
// CHECK-NEXT:      %[[BYTE:.*]] = llvm.zext %{{.*}} : i1 to i8
// CHECK-NEXT:      llvm.store %A, %words : !llvm.ptr, !llvm.ptr
// CHECK-NEXT:      %[[W1:.*]] = llvm.getelementptr inbounds %words[1] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NEXT:      llvm.store %A_size, %[[W1]] : i64, !llvm.ptr
// CHECK-NEXT:      %[[W2:.*]] = llvm.getelementptr inbounds %words[2] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NEXT:      llvm.store %x, %[[W2]] : f16, !llvm.ptr
// CHECK-NEXT:      %[[W3:.*]] = llvm.getelementptr inbounds %words[3] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NEXT:      llvm.store %[[BYTE]], %[[W3]] : i8, !llvm.ptr
// CHECK-NEXT:      %[[SHARED:.*]] = llvm.sext %{{.*}} : i32 to i64
// CHECK-NEXT:      llvm.call @kc_gpu_launch(%record, %[[ONE:.*]], %n, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[SHARED]], %words, %{{.*}}) : (!llvm.ptr, i64, i64, i64, i64, i64, i64, i64, i64, !llvm.ptr, i64) -> ()
// CHECK:           llvm.call @kc_gpu_copy(%record, %m, %A, %{{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
// CHECK-NEXT:      llvm.call @kc_gpu_free(%record, %m) : (!llvm.ptr, !llvm.ptr) -> ()
// CHECK:         ^bb3:
// CHECK-NEXT:      llvm.call @g(%n, %record) : (i64, !llvm.ptr) -> ()
// CHECK-NEXT:      llvm.call @kc_gpu_wait(%record) : (!llvm.ptr) -> ()
// CHECK-NEXT:      llvm.return
// CHECK-NEXT:    }
// CHECK-NEXT:    llvm.func internal @g(%n: i64, %record: !llvm.ptr) attributes {no_unwind} {
// CHECK:           llvm.call @kc_gpu_launch(%record, %{{.*}}, %n, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %words, %{{.*}})
// CHECK-NEXT:      llvm.return
// CHECK-NEXT:    }
// CHECK-NOT:     gpu.
// CHECK-NOT:     prefetch

module attributes {gpu.container_module} {
  func.func @f(%A: memref<?x4xf32>, %n: index, %x: f16, %p: i1) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %bytes = arith.constant 2048 : i32
    %d = memref.dim %A, %c1 : memref<?x4xf32>
    %v = arith.constant 1.0 : f32
    scf.for %i = %c1 to %n step %c1 {
      %m = gpu.alloc (%i) : memref<?x4xf32>
      %t = gpu.wait async
      %t2 = gpu.memset async [%t] %m, %v : memref<?x4xf32>, f32
      gpu.launch_func [%t2] @m::@second blocks in (%n, %d, %c1) threads in (%c64, %c1, %c1)
          dynamic_shared_memory_size %bytes args(%A : memref<?x4xf32>, %x : f16, %p : i1)
      gpu.memcpy %m, %A : memref<?x4xf32>, memref<?x4xf32>
      gpu.dealloc %m : memref<?x4xf32>
    }
    func.call @g(%n) : (index) -> ()
    // The processor has no cache for the memory of the device.
    memref.prefetch %A[%c1, %c1], read, locality<3>, data : memref<?x4xf32>
    gpu.wait
    func.return
  }
  func.func private @g(%n: index) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@first blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
    func.return
  }
  gpu.module @m {
    gpu.func @first() kernel {
      gpu.return
    }
    gpu.func @second(%A: memref<?x4xf32>, %x: f16, %p: i1) kernel {
      gpu.return
    }
  }
}
