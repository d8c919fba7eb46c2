// RUN: kc-opt %s --convert-gpu-to-llvm-spv --target="opencl" | FileCheck %s

// Numbers, barriers and functions are those of OpenCL C. Threads exchange values by A too, so the
// barrier (3) is for both memories.
// CHECK-LABEL: gpu.module @exchange {
// CHECK-NEXT:      llvm.mlir.global internal @kernel_S() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>
// CHECK-NEXT:      llvm.func spir_kernelcc @kernel(%A: !llvm.ptr<1> {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture}, %n: i32) attributes {gpu.kernel, no_unwind} {
// CHECK-NEXT:        %S = llvm.mlir.addressof @kernel_S : !llvm.ptr<3>
// CHECK-NEXT:        %0 = llvm.mlir.constant(1 : i64) : i64
// CHECK-NEXT:        %L = llvm.alloca %0 x !llvm.array<2 x f32> {alignment = 16 : i64} : (i64) -> !llvm.ptr
// CHECK-NEXT:        %1 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:        %2 = llvm.mlir.constant(3 : i32) : i32
// CHECK-NEXT:        %3 = llvm.mlir.constant(63 : i64) : i64
// CHECK-NEXT:        %b = llvm.call spir_funccc @_Z12get_group_idj(%1) : (i32) -> i64
// CHECK-NEXT:        %t = llvm.call spir_funccc @_Z12get_local_idj(%1) : (i32) -> i64
// CHECK-NEXT:        %4 = llvm.getelementptr inbounds %A[%b, %t] : (!llvm.ptr<1>, i64, i64) -> !llvm.ptr<1>, !llvm.array<64 x f32>
// CHECK-NEXT:        %5 = llvm.load %4 : !llvm.ptr<1> -> f32
// CHECK-NEXT:        %6 = llvm.getelementptr inbounds %S[%t] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
// CHECK-NEXT:        llvm.store %5, %6 : f32, !llvm.ptr<3>
// CHECK-NEXT:        llvm.store %5, %L : f32, !llvm.ptr
// CHECK-NEXT:        llvm.call spir_funccc @_Z7barrierj(%2) {convergent} : (i32) -> ()
// CHECK-NEXT:        %r = llvm.sub %3, %t : i64
// CHECK-NEXT:        %7 = llvm.getelementptr inbounds %S[%r] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
// CHECK-NEXT:        %8 = llvm.load %7 : !llvm.ptr<3> -> f32
// CHECK-NEXT:        %9 = llvm.load %L : !llvm.ptr -> f32
// CHECK-NEXT:        %10 = llvm.fadd %8, %9 : f32
// CHECK-NEXT:        %11 = llvm.getelementptr inbounds %A[%b, %t] : (!llvm.ptr<1>, i64, i64) -> !llvm.ptr<1>, !llvm.array<64 x f32>
// CHECK-NEXT:        llvm.store %10, %11 : f32, !llvm.ptr<1>
// CHECK-NEXT:        llvm.return
// CHECK-NEXT:      }
// CHECK-NEXT:      llvm.func spir_funccc @_Z12get_group_idj(i32) -> i64 attributes {no_unwind}
// CHECK-NEXT:      llvm.func spir_funccc @_Z12get_local_idj(i32) -> i64 attributes {no_unwind}
// CHECK-NEXT:      llvm.func spir_funccc @_Z7barrierj(i32) attributes {convergent, no_unwind}
// CHECK-NEXT:    }
// CHECK-LABEL: gpu.module @functions {
// CHECK-NEXT:      llvm.func spir_kernelcc @kernel(%A: !llvm.ptr<1> {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture}, %A_size: i64, %B: !llvm.ptr<1> {llvm.align = 8 : i64, llvm.noalias, llvm.nocapture}) attributes {gpu.kernel, no_unwind} {
// CHECK-NEXT:        %0 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:        %1 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:        %t = llvm.call spir_funccc @_Z13get_global_idj(%0) : (i32) -> i64
// CHECK-NEXT:        %n = llvm.call spir_funccc @_Z14get_num_groupsj(%1) : (i32) -> i64
// CHECK-NEXT:        %2 = llvm.getelementptr inbounds %A[%t] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
// CHECK-NEXT:        %3 = llvm.load %2 : !llvm.ptr<1> -> f32
// CHECK-NEXT:        %4 = llvm.call spir_funccc @_Z3erff(%3) : (f32) -> f32
// CHECK-NEXT:        %5 = llvm.call spir_funccc @_Z3powff(%4, %3) : (f32, f32) -> f32
// CHECK-NEXT:        %6 = llvm.getelementptr inbounds %A[%t] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
// CHECK-NEXT:        llvm.store %5, %6 : f32, !llvm.ptr<1>
// CHECK-NEXT:        %7 = llvm.getelementptr inbounds %B[%n] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f64
// CHECK-NEXT:        %8 = llvm.load %7 {alignment = 8 : i64} : !llvm.ptr<1> -> vector<4xf64>
// CHECK-NEXT:        %9 = llvm.call spir_funccc @_Z3expDv4_d(%8) : (vector<4xf64>) -> vector<4xf64>
// CHECK-NEXT:        %10 = llvm.getelementptr inbounds %B[%n] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f64
// CHECK-NEXT:        llvm.store %9, %10 {alignment = 8 : i64} : vector<4xf64>, !llvm.ptr<1>
// CHECK-NEXT:        llvm.return
// CHECK-NEXT:      }
// CHECK-NEXT:      llvm.func spir_funccc @_Z13get_global_idj(i32) -> i64 attributes {no_unwind}
// CHECK-NEXT:      llvm.func spir_funccc @_Z14get_num_groupsj(i32) -> i64 attributes {no_unwind}
// CHECK-NEXT:      llvm.func spir_funccc @_Z3erff(f32) -> f32 attributes {no_unwind}
// CHECK-NEXT:      llvm.func spir_funccc @_Z3powff(f32, f32) -> f32 attributes {no_unwind}
// CHECK-NEXT:      llvm.func spir_funccc @_Z3expDv4_d(vector<4xf64>) -> vector<4xf64> attributes {no_unwind}
// CHECK-NEXT:    }
gpu.module @exchange {
  gpu.func @kernel(%A: memref<4x64xf32>, %n: i32)
      workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>)
      private(%L : memref<2xf32, #gpu.address_space<private>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %0 = memref.load %A[%b, %t] : memref<4x64xf32>
    memref.store %0, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %0, %L[%c0] : memref<2xf32, #gpu.address_space<private>>
    gpu.barrier
    %c63 = arith.constant 63 : index
    %r = arith.subi %c63, %t : index
    %1 = memref.load %S[%r] : memref<64xf32, #gpu.address_space<workgroup>>
    %2 = memref.load %L[%c0] : memref<2xf32, #gpu.address_space<private>>
    %3 = arith.addf %1, %2 : f32
    memref.store %3, %A[%b, %t] : memref<4x64xf32>
    gpu.return
  }
}
gpu.module @functions {
  gpu.func @kernel(%A: memref<?xf32>, %B: memref<8xf64>) kernel {
    %t = gpu.global_id x
    %n = gpu.grid_dim y
    %0 = memref.load %A[%t] : memref<?xf32>
    %1 = math.erf %0 : f32
    %2 = math.powf %1, %0 : f32
    memref.store %2, %A[%t] : memref<?xf32>
    %3 = vector.load %B[%n] : memref<8xf64>, vector<4xf64>
    %4 = math.exp %3 : vector<4xf64>
    vector.store %4, %B[%n] : memref<8xf64>, vector<4xf64>
    gpu.return
  }
}
