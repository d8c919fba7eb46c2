// RUN: kc-opt %s --convert-gpu-to-nvvm --target="cuda -arch=sm_80" | FileCheck %s

// Memory of a block is a global, that of a thread on its stack; the numbers of threads are in the
// ranges that the launch gives them.
// CHECK-LABEL: gpu.module @exchange {
// CHECK-NEXT:    llvm.mlir.global internal @kernel_S() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>
// CHECK-NEXT:    llvm.func @kernel(%A: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture, llvm.readonly}, %B: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture}) attributes {gpu.kernel, no_unwind, nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
// CHECK-NEXT:      %S = llvm.mlir.addressof @kernel_S : !llvm.ptr<3>
// CHECK-NEXT:      %0 = llvm.mlir.constant(1 : i64) : i64
// CHECK-NEXT:      %L = llvm.alloca %0 x !llvm.array<2 x f32> {alignment = 16 : i64} : (i64) -> !llvm.ptr
// CHECK-NEXT:      %1 = llvm.mlir.constant(63 : i64) : i64
// CHECK-NEXT:      %2 = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 4> : i32
// CHECK-NEXT:      %b = llvm.sext %2 : i32 to i64
// CHECK-NEXT:      %3 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 64> : i32
// CHECK-NEXT:      %t = llvm.sext %3 : i32 to i64
// CHECK-NEXT:      %4 = llvm.getelementptr inbounds %A[%b, %t] : (!llvm.ptr, i64, i64) -> !llvm.ptr, !llvm.array<64 x f32>
// CHECK-NEXT:      %5 = llvm.load %4 : !llvm.ptr -> f32
// CHECK-NEXT:      %6 = llvm.getelementptr inbounds %S[%t] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
// CHECK-NEXT:      llvm.store %5, %6 : f32, !llvm.ptr<3>
// CHECK-NEXT:      llvm.store %5, %L : f32, !llvm.ptr
// CHECK-NEXT:      nvvm.barrier0
// CHECK-NEXT:      %7 = llvm.sub %1, %t : i64
// CHECK-NEXT:      %8 = llvm.getelementptr inbounds %S[%7] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
// CHECK-NEXT:      %9 = llvm.load %8 : !llvm.ptr<3> -> f32
// CHECK-NEXT:      %10 = llvm.getelementptr inbounds %B[%b, %t] : (!llvm.ptr, i64, i64) -> !llvm.ptr, !llvm.array<64 x f32>
// CHECK-NEXT:      llvm.store %9, %10 : f32, !llvm.ptr
// CHECK-NEXT:      llvm.return
// CHECK-NEXT:    }
// CHECK-NEXT:  }
gpu.module @exchange {
  gpu.func @kernel(%A: memref<4x64xf32>, %B: memref<4x64xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>) private(%L : memref<2xf32, #gpu.address_space<private>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %0 = memref.load %A[%b, %t] : memref<4x64xf32>
    memref.store %0, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %0, %L[%c0] : memref<2xf32, #gpu.address_space<private>>
    gpu.barrier
    %c63 = arith.constant 63 : index
    %1 = arith.subi %c63, %t : index
    %2 = memref.load %S[%1] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %2, %B[%b, %t] : memref<4x64xf32>
    gpu.return
  }
}

// Sizes of arrays are arguments, as they are on a CPU; what no launch says has the limits of the
// GPU.
// CHECK-LABEL: gpu.module @sizes {
// CHECK-NEXT:    llvm.func @kernel(%A: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture}, %A_size: i64, %A_size_1: i64) attributes {gpu.kernel, no_unwind, nvvm.kernel} {
// CHECK-NEXT:      %0 = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK-NEXT:      %1 = llvm.sext %0 : i32 to i64
// CHECK-NEXT:      %2 = nvvm.read.ptx.sreg.ntid.x : i32
// CHECK-NEXT:      %3 = llvm.sext %2 : i32 to i64
// CHECK-NEXT:      %4 = nvvm.read.ptx.sreg.tid.x : i32
// CHECK-NEXT:      %5 = llvm.sext %4 : i32 to i64
// CHECK-NEXT:      %6 = llvm.mul %1, %3 : i64
// CHECK-NEXT:      %x = llvm.add %6, %5 : i64
// CHECK-NEXT:      %7 = nvvm.read.ptx.sreg.nctaid.y range <i32, 1, 65536> : i32
// CHECK-NEXT:      %g = llvm.sext %7 : i32 to i64
// CHECK-NEXT:      %8 = nvvm.read.ptx.sreg.ntid.z range <i32, 1, 65> : i32
// CHECK-NEXT:      %n = llvm.sext %8 : i32 to i64
// CHECK-NEXT:      %9 = llvm.mul %x, %A_size_1 overflow<nsw> : i64
// CHECK-NEXT:      %10 = llvm.add %9, %g overflow<nsw> : i64
// CHECK-NEXT:      %11 = llvm.getelementptr inbounds %A[%10] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:      %12 = llvm.load %11 : !llvm.ptr -> f32
// CHECK-NEXT:      %13 = llvm.mul %x, %A_size_1 overflow<nsw> : i64
// CHECK-NEXT:      %14 = llvm.add %13, %n overflow<nsw> : i64
// CHECK-NEXT:      %15 = llvm.getelementptr inbounds %A[%14] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:      llvm.store %12, %15 : f32, !llvm.ptr
// CHECK-NEXT:      llvm.return
// CHECK-NEXT:    }
// CHECK-NEXT:  }
gpu.module @sizes {
  gpu.func @kernel(%A: memref<?x?xf32>) kernel {
    %x = gpu.global_id x
    %g = gpu.grid_dim y
    %n = gpu.block_dim z
    %0 = memref.load %A[%x, %g] : memref<?x?xf32>
    memref.store %0, %A[%x, %n] : memref<?x?xf32>
    gpu.return
  }
}

// Lanes of a warp read each other's values, word by word.
// CHECK-LABEL: gpu.module @lanes {
// CHECK-NEXT:    llvm.func @kernel(%A: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture}, %D: !llvm.ptr {llvm.align = 8 : i64, llvm.noalias, llvm.nocapture}, %H: !llvm.ptr {llvm.align = 2 : i64, llvm.noalias, llvm.nocapture}) attributes {gpu.kernel, no_unwind, nvvm.kernel} {
// CHECK-NEXT:      %0 = llvm.mlir.constant(32 : i32) : i32
// CHECK-NEXT:      %1 = llvm.mlir.constant(16 : i32) : i32
// CHECK-NEXT:      %2 = llvm.mlir.constant(-1 : i32) : i32
// CHECK-NEXT:      %3 = llvm.mlir.constant(8 : i32) : i32
// CHECK-NEXT:      %4 = llvm.mlir.constant(31 : i32) : i32
// CHECK-NEXT:      %5 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:      %6 = llvm.mlir.constant(32 : i64) : i64
// CHECK-NEXT:      %7 = nvvm.read.ptx.sreg.laneid : i32
// CHECK-NEXT:      %t = llvm.sext %7 : i32 to i64
// CHECK-NEXT:      %8 = llvm.getelementptr inbounds %A[%t] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:      %a = llvm.load %8 : !llvm.ptr -> f32
// CHECK-NEXT:      %9 = llvm.sub %0, %0 : i32
// CHECK-NEXT:      %10 = llvm.shl %9, %3 : i32
// CHECK-NEXT:      %11 = llvm.or %10, %4 : i32
// CHECK-NEXT:      %12 = nvvm.shfl.sync bfly %2, %a, %1, %11 {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i1)>
// CHECK-NEXT:      %a_1 = llvm.extractvalue %12[0] : !llvm.struct<(f32, i1)>
// CHECK-NEXT:      %valid = llvm.extractvalue %12[1] : !llvm.struct<(f32, i1)>
// CHECK-NEXT:      %13 = llvm.getelementptr inbounds %A[%t] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:      llvm.store %a_1, %13 : f32, !llvm.ptr
// CHECK-NEXT:      %14 = llvm.getelementptr inbounds %D[%t] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK-NEXT:      %d = llvm.load %14 : !llvm.ptr -> f64
// CHECK-NEXT:      %15 = llvm.sub %0, %1 : i32
// CHECK-NEXT:      %16 = llvm.shl %15, %3 : i32
// CHECK-NEXT:      %17 = llvm.bitcast %d : f64 to i64
// CHECK-NEXT:      %18 = llvm.trunc %17 : i64 to i32
// CHECK-NEXT:      %19 = llvm.lshr %17, %6 : i64
// CHECK-NEXT:      %20 = llvm.trunc %19 : i64 to i32
// CHECK-NEXT:      %21 = nvvm.shfl.sync up %2, %18, %5, %16 {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
// CHECK-NEXT:      %22 = llvm.extractvalue %21[0] : !llvm.struct<(i32, i1)>
// CHECK-NEXT:      %23 = llvm.extractvalue %21[1] : !llvm.struct<(i32, i1)>
// CHECK-NEXT:      %24 = nvvm.shfl.sync up %2, %20, %5, %16 {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
// CHECK-NEXT:      %25 = llvm.extractvalue %24[0] : !llvm.struct<(i32, i1)>
// CHECK-NEXT:      %valid_1 = llvm.extractvalue %24[1] : !llvm.struct<(i32, i1)>
// CHECK-NEXT:      %26 = llvm.zext %22 : i32 to i64
// CHECK-NEXT:      %27 = llvm.zext %25 : i32 to i64
// CHECK-NEXT:      %28 = llvm.shl %27, %6 : i64
// CHECK-NEXT:      %29 = llvm.or %26, %28 : i64
// CHECK-NEXT:      %d_1 = llvm.bitcast %29 : i64 to f64
// CHECK-NEXT:      %30 = llvm.getelementptr inbounds %D[%t] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK-NEXT:      llvm.store %d_1, %30 : f64, !llvm.ptr
// CHECK-NEXT:      %31 = llvm.getelementptr inbounds %H[%t] : (!llvm.ptr, i64) -> !llvm.ptr, f16
// CHECK-NEXT:      %h = llvm.load %31 : !llvm.ptr -> f16
// CHECK-NEXT:      %32 = llvm.sub %0, %0 : i32
// CHECK-NEXT:      %33 = llvm.shl %32, %3 : i32
// CHECK-NEXT:      %34 = llvm.or %33, %4 : i32
// CHECK-NEXT:      %35 = llvm.bitcast %h : f16 to i16
// CHECK-NEXT:      %36 = llvm.zext %35 : i16 to i32
// CHECK-NEXT:      %37 = nvvm.shfl.sync idx %2, %36, %5, %34 {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
// CHECK-NEXT:      %38 = llvm.extractvalue %37[0] : !llvm.struct<(i32, i1)>
// CHECK-NEXT:      %valid_2 = llvm.extractvalue %37[1] : !llvm.struct<(i32, i1)>
// CHECK-NEXT:      %39 = llvm.trunc %38 : i32 to i16
// CHECK-NEXT:      %h_1 = llvm.bitcast %39 : i16 to f16
// CHECK-NEXT:      %40 = llvm.getelementptr inbounds %H[%t] : (!llvm.ptr, i64) -> !llvm.ptr, f16
// CHECK-NEXT:      llvm.store %h_1, %40 : f16, !llvm.ptr
// CHECK-NEXT:      llvm.return
// CHECK-NEXT:    }
// CHECK-NEXT:  }
gpu.module @lanes {
  gpu.func @kernel(%A: memref<32xf32>, %D: memref<32xf64>, %H: memref<32xf16>) kernel {
    %t = gpu.lane_id
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %a = memref.load %A[%t] : memref<32xf32>
    %a_1, %valid = gpu.shuffle xor %a, %c16, %c32 : f32
    memref.store %a_1, %A[%t] : memref<32xf32>
    %d = memref.load %D[%t] : memref<32xf64>
    %d_1, %valid_1 = gpu.shuffle up %d, %c1, %c16 : f64
    memref.store %d_1, %D[%t] : memref<32xf64>
    %h = memref.load %H[%t] : memref<32xf16>
    %h_1, %valid_2 = gpu.shuffle idx %h, %c1, %c32 : f16
    memref.store %h_1, %H[%t] : memref<32xf16>
    gpu.return
  }
}

// The dynamic memory of a block is an external array, and its parts are views of it.
// CHECK-LABEL: gpu.module @dynamic {
// CHECK-NEXT:    llvm.mlir.global external @kc_dynamic_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// CHECK-NEXT:    llvm.func @kernel(%A: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture, llvm.readonly}) attributes {gpu.kernel, no_unwind, nvvm.kernel} {
// CHECK-NEXT:      %0 = llvm.mlir.addressof @kc_dynamic_shared : !llvm.ptr<3>
// CHECK-NEXT:      %1 = llvm.mlir.constant(0 : i64) : i64
// CHECK-NEXT:      %2 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 1024> : i32
// CHECK-NEXT:      %t = llvm.sext %2 : i32 to i64
// CHECK-NEXT:      %3 = llvm.getelementptr inbounds %0[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK-NEXT:      %4 = llvm.getelementptr inbounds %0[%t] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
// CHECK-NEXT:      %5 = llvm.load %4 : !llvm.ptr<3> -> f32
// CHECK-NEXT:      %6 = llvm.getelementptr inbounds %3[%t] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
// CHECK-NEXT:      llvm.store %5, %6 : f32, !llvm.ptr<3>
// CHECK-NEXT:      llvm.return
// CHECK-NEXT:    }
// CHECK-NEXT:  }
gpu.module @dynamic {
  gpu.func @kernel(%A: memref<8xf32>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %m = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %S = memref.view %m[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>>
    %T = memref.view %m[%c16][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>>
    %0 = memref.load %S[%t] : memref<4xf32, #gpu.address_space<workgroup>>
    memref.store %0, %T[%t] : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// The numbers of a thread in its block, of its warp, and how many warps there are.
// CHECK-LABEL: gpu.module @warps {
// CHECK-NEXT:    llvm.func @kernel(%A: !llvm.ptr {llvm.align = 8 : i64, llvm.noalias, llvm.nocapture}) attributes {gpu.kernel, no_unwind, nvvm.kernel} {
// CHECK-NEXT:      %0 = llvm.mlir.constant(5 : i64) : i64
// CHECK-NEXT:      %1 = llvm.mlir.constant(31 : i64) : i64
// CHECK-NEXT:      %s = llvm.mlir.constant(32 : i64) : i64
// CHECK-NEXT:      %2 = nvvm.read.ptx.sreg.tid.x : i32
// CHECK-NEXT:      %3 = llvm.sext %2 : i32 to i64
// CHECK-NEXT:      %4 = nvvm.read.ptx.sreg.tid.y : i32
// CHECK-NEXT:      %5 = llvm.sext %4 : i32 to i64
// CHECK-NEXT:      %6 = nvvm.read.ptx.sreg.tid.z : i32
// CHECK-NEXT:      %7 = llvm.sext %6 : i32 to i64
// CHECK-NEXT:      %8 = nvvm.read.ptx.sreg.ntid.y : i32
// CHECK-NEXT:      %9 = llvm.sext %8 : i32 to i64
// CHECK-NEXT:      %10 = llvm.mul %9, %7 : i64
// CHECK-NEXT:      %11 = llvm.add %5, %10 : i64
// CHECK-NEXT:      %12 = nvvm.read.ptx.sreg.ntid.x : i32
// CHECK-NEXT:      %13 = llvm.sext %12 : i32 to i64
// CHECK-NEXT:      %14 = llvm.mul %13, %11 : i64
// CHECK-NEXT:      %15 = llvm.add %3, %14 : i64
// CHECK-NEXT:      %w = llvm.lshr %15, %0 : i64
// CHECK-NEXT:      %16 = nvvm.read.ptx.sreg.ntid.x : i32
// CHECK-NEXT:      %17 = llvm.sext %16 : i32 to i64
// CHECK-NEXT:      %18 = nvvm.read.ptx.sreg.ntid.y : i32
// CHECK-NEXT:      %19 = llvm.sext %18 : i32 to i64
// CHECK-NEXT:      %20 = nvvm.read.ptx.sreg.ntid.z : i32
// CHECK-NEXT:      %21 = llvm.sext %20 : i32 to i64
// CHECK-NEXT:      %22 = llvm.mul %17, %19 : i64
// CHECK-NEXT:      %23 = llvm.mul %22, %21 : i64
// CHECK-NEXT:      %24 = llvm.add %23, %1 : i64
// CHECK-NEXT:      %n = llvm.lshr %24, %0 : i64
// CHECK-NEXT:      %25 = llvm.add %n, %s : i64
// CHECK-NEXT:      %26 = llvm.getelementptr inbounds %A[%w] : (!llvm.ptr, i64) -> !llvm.ptr, i64
// CHECK-NEXT:      llvm.store %25, %26 : i64, !llvm.ptr
// CHECK-NEXT:      llvm.return
// CHECK-NEXT:    }
// CHECK-NEXT:  }
gpu.module @warps {
  gpu.func @kernel(%A: memref<32xindex>) kernel {
    %w = gpu.subgroup_id : index
    %n = gpu.num_subgroups : index
    %s = gpu.subgroup_size : index
    %0 = arith.addi %n, %s : index
    memref.store %0, %A[%w] : memref<32xindex>
    gpu.return
  }
}

// Memory of a block begins where its attribute says.
// CHECK-LABEL: gpu.module @aligned {
// CHECK-NEXT:    llvm.mlir.global internal @kernel_S() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<64 x f32>
// CHECK-NEXT:    llvm.mlir.global internal @kernel_R() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x f32>
gpu.module @aligned {
  gpu.func @kernel() workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64}, %R : memref<4xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}
