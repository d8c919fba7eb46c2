// RUN: kc-opt %s --convert-gpu-to-llvm-amdgpu --target="rocm -arch=gfx90a" | FileCheck %s
// RUN: kc-opt %s --convert-gpu-to-llvm-amdgpu | FileCheck %s --check-prefix=USUAL

// Without a target of AMD's, blocks have the threads that the usual one can have.
// USUAL: "amdgpu-flat-work-group-size", "1,1024"

// A barrier has fences around it. The numbers of blocks and threads that are not known follow the
// arguments of the launch; a shuffle tells where each lane's word comes from, in bytes.
// CHECK-LABEL: gpu.module @exchange {
// CHECK-NEXT:      llvm.mlir.global internal @kernel_S() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>
// CHECK-NEXT:      llvm.func amdgpu_kernelcc @kernel(%A: !llvm.ptr<1> {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture}, %n: i32) attributes {gpu.kernel, no_unwind, passthrough = {{\[\[}}"amdgpu-flat-work-group-size", "64,64"{{\]\]}}} {
// CHECK-NEXT:        %S = llvm.mlir.addressof @kernel_S : !llvm.ptr<3>
// CHECK-NEXT:        %0 = llvm.mlir.constant(1 : i64) : i64
// CHECK-NEXT:        %L = llvm.alloca %0 x !llvm.array<2 x f32> {alignment = 16 : i64} : (i64) -> !llvm.ptr<5>
// CHECK-NEXT:        %1 = llvm.mlir.constant(63 : i64) : i64
// CHECK-NEXT:        %2 = llvm.call_intrinsic "llvm.amdgcn.workgroup.id.x"() : () -> i32
// CHECK-NEXT:        %b = llvm.sext %2 : i32 to i64
// CHECK-NEXT:        %3 = llvm.call_intrinsic "llvm.amdgcn.workitem.id.x"() : () -> i32
// CHECK-NEXT:        %t = llvm.sext %3 : i32 to i64
// CHECK-NEXT:        %4 = llvm.getelementptr inbounds %A[%b, %t] : (!llvm.ptr<1>, i64, i64) -> !llvm.ptr<1>, !llvm.array<64 x f32>
// CHECK-NEXT:        %5 = llvm.load %4 : !llvm.ptr<1> -> f32
// CHECK-NEXT:        %6 = llvm.getelementptr inbounds %S[%t] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
// CHECK-NEXT:        llvm.store %5, %6 : f32, !llvm.ptr<3>
// CHECK-NEXT:        llvm.store %5, %L : f32, !llvm.ptr<5>
// CHECK-NEXT:        llvm.fence syncscope("workgroup") release
// CHECK-NEXT:        llvm.call_intrinsic "llvm.amdgcn.s.barrier"() : () -> ()
// CHECK-NEXT:        llvm.fence syncscope("workgroup") acquire
// CHECK-NEXT:        %r = llvm.sub %1, %t : i64
// CHECK-NEXT:        %7 = llvm.getelementptr inbounds %S[%r] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
// CHECK-NEXT:        %8 = llvm.load %7 : !llvm.ptr<3> -> f32
// CHECK-NEXT:        %9 = llvm.load %L : !llvm.ptr<5> -> f32
// CHECK-NEXT:        %10 = llvm.fadd %8, %9 : f32
// CHECK-NEXT:        %11 = llvm.getelementptr inbounds %A[%b, %t] : (!llvm.ptr<1>, i64, i64) -> !llvm.ptr<1>, !llvm.array<64 x f32>
// CHECK-NEXT:        llvm.store %10, %11 : f32, !llvm.ptr<1>
// CHECK-NEXT:        llvm.return
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-LABEL: gpu.module @numbers {
// CHECK-NEXT:      llvm.func amdgpu_kernelcc @kernel(%A: !llvm.ptr<1> {llvm.align = 8 : i64, llvm.noalias, llvm.nocapture}, %A_size: i64) attributes {gpu.kernel, no_unwind, passthrough = {{\[\[}}"amdgpu-flat-work-group-size", "1,1024"{{\]\]}}} {
// CHECK-NEXT:        %0 = llvm.mlir.constant(64 : i64) : i64
// CHECK-NEXT:        %1 = llvm.mlir.constant(-1 : i32) : i32
// CHECK-NEXT:        %2 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:        %3 = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
// CHECK-NEXT:        %4 = llvm.getelementptr inbounds %3[14] : (!llvm.ptr<4>) -> !llvm.ptr<4>, i8
// CHECK-NEXT:        %5 = llvm.load %4 : !llvm.ptr<4> -> i16
// CHECK-NEXT:        %n = llvm.zext %5 : i16 to i64
// CHECK-NEXT:        %6 = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
// CHECK-NEXT:        %7 = llvm.getelementptr inbounds %6[8] : (!llvm.ptr<4>) -> !llvm.ptr<4>, i8
// CHECK-NEXT:        %8 = llvm.load %7 : !llvm.ptr<4> -> i32
// CHECK-NEXT:        %m = llvm.zext %8 : i32 to i64
// CHECK-NEXT:        %9 = llvm.call_intrinsic "llvm.amdgcn.mbcnt.lo"(%1, %2) : (i32, i32) -> i32
// CHECK-NEXT:        %10 = llvm.call_intrinsic "llvm.amdgcn.mbcnt.hi"(%1, %9) : (i32, i32) -> i32
// CHECK-NEXT:        %lane = llvm.sext %10 : i32 to i64
// CHECK-NEXT:        %11 = llvm.getelementptr inbounds %A[%m] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
// CHECK-NEXT:        llvm.store %n, %11 : i64, !llvm.ptr<1>
// CHECK-NEXT:        %12 = llvm.getelementptr inbounds %A[%n] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
// CHECK-NEXT:        llvm.store %lane, %12 : i64, !llvm.ptr<1>
// CHECK-NEXT:        llvm.return
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-LABEL: gpu.module @lanes {
// CHECK-NEXT:      llvm.func amdgpu_kernelcc @kernel(%A: !llvm.ptr<1> {llvm.align = 4 : i64, llvm.noalias, llvm.nocapture}, %o: i32) attributes {gpu.kernel, no_unwind, passthrough = {{\[\[}}"amdgpu-flat-work-group-size", "1,1024"{{\]\]}}} {
// CHECK-NEXT:        %0 = llvm.mlir.constant(64 : i32) : i32
// CHECK-NEXT:        %1 = llvm.mlir.constant(-1 : i32) : i32
// CHECK-NEXT:        %2 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:        %3 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:        %4 = llvm.mlir.constant(2 : i32) : i32
// CHECK-NEXT:        %5 = llvm.call_intrinsic "llvm.amdgcn.workitem.id.x"() : () -> i32
// CHECK-NEXT:        %t = llvm.sext %5 : i32 to i64
// CHECK-NEXT:        %6 = llvm.getelementptr inbounds %A[%t] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
// CHECK-NEXT:        %7 = llvm.load %6 : !llvm.ptr<1> -> f32
// CHECK-NEXT:        %8 = llvm.call_intrinsic "llvm.amdgcn.mbcnt.lo"(%1, %2) : (i32, i32) -> i32
// CHECK-NEXT:        %9 = llvm.call_intrinsic "llvm.amdgcn.mbcnt.hi"(%1, %8) : (i32, i32) -> i32
// CHECK-NEXT:        %10 = llvm.sub %0, %3 : i32
// CHECK-NEXT:        %11 = llvm.and %9, %10 : i32
// CHECK-NEXT:        %12 = llvm.sub %9, %11 : i32
// CHECK-NEXT:        %13 = llvm.sub %11, %o : i32
// CHECK-NEXT:        %valid = llvm.icmp "ult" %13, %0 : i32
// CHECK-NEXT:        %14 = llvm.select %valid, %13, %11 : i1, i32
// CHECK-NEXT:        %15 = llvm.add %12, %14 : i32
// CHECK-NEXT:        %16 = llvm.shl %15, %4 : i32
// CHECK-NEXT:        %17 = llvm.bitcast %7 : f32 to i32
// CHECK-NEXT:        %18 = llvm.call_intrinsic "llvm.amdgcn.ds.bpermute"(%16, %17) : (i32, i32) -> i32
// CHECK-NEXT:        %19 = llvm.bitcast %18 : i32 to f32
// CHECK-NEXT:        %20 = llvm.select %valid, %19, %7 : i1, f32
// CHECK-NEXT:        %21 = llvm.getelementptr inbounds %A[%t] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
// CHECK-NEXT:        llvm.store %20, %21 : f32, !llvm.ptr<1>
// CHECK-NEXT:        llvm.return
// CHECK-NEXT:      }
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
gpu.module @numbers {
  gpu.func @kernel(%A: memref<?xindex>) kernel {
    %n = gpu.block_dim y
    %m = gpu.grid_dim z
    %lane = gpu.lane_id
    memref.store %n, %A[%m] : memref<?xindex>
    memref.store %lane, %A[%n] : memref<?xindex>
    gpu.return
  }
}
gpu.module @lanes {
  gpu.func @kernel(%A: memref<64xf32>, %o: i32) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 64 : i32
    %0 = memref.load %A[%t] : memref<64xf32>
    %1, %valid = gpu.shuffle up %0, %o, %w : f32
    %2 = arith.select %valid, %1, %0 : f32
    memref.store %2, %A[%t] : memref<64xf32>
    gpu.return
  }
}
