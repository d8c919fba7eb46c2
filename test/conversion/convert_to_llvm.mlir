// Functions and memory.
// RUN: kc-opt %s --convert-to-llvm --split-input-file | FileCheck %s
// RUN: kc-opt %s --convert-to-llvm="data_layout=e-m:e target_triple=riscv64-unknown-linux" --split-input-file | FileCheck %s --check-prefix=TARGET

// TARGET: builtin.module attributes {llvm.data_layout = "e-m:e", llvm.target_triple = "riscv64-unknown-linux"} {

// The calling convention: a pointer and the dynamic sizes of each memref, i1 as i8. Attributes of
// arguments and functions stay; sizes in the type become array types, others multiplications.

// CHECK-LABEL: llvm.func @f(
// CHECK-SAME:    %A: !llvm.ptr {kc.name = "A", llvm.align = 4 : i64, llvm.noalias, llvm.nocapture, llvm.readonly},
// CHECK-SAME:    %A_size: i64, %A_size_1: i64,
// CHECK-SAME:    %B: !llvm.ptr {llvm.align = 8 : i64, llvm.noalias, llvm.nocapture},
// CHECK-SAME:    %p: i8, %i: i64, %j: i64) attributes {kc.symbols = ["n"], no_unwind} {
// CHECK-NEXT:    %[[ZERO:.*]] = llvm.mlir.constant(0 : i8) : i8
// CHECK-NEXT:    %[[BIT:.*]] = llvm.icmp "ne" %p, %[[ZERO]] : i8
// CHECK-NEXT:    %[[ROW:.*]] = llvm.mul %i, %A_size_1 overflow<nsw> : i64
// CHECK-NEXT:    %[[SUM:.*]] = llvm.add %[[ROW]], %j overflow<nsw> : i64
// CHECK-NEXT:    %[[A:.*]] = llvm.getelementptr inbounds %A[%[[SUM]], 3] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x f32>
// CHECK-NEXT:    %x = llvm.load %[[A]] : !llvm.ptr -> f32
// CHECK-NEXT:    %y = llvm.fpext %x : f32 to f64
// CHECK-NEXT:    %z = llvm.uitofp %[[BIT]] : i1 to f64
// CHECK-NEXT:    %s = llvm.fadd %y, %z {fastmathFlags = #llvm.fastmath<contract>} : f64
// CHECK-NEXT:    %[[B:.*]] = llvm.getelementptr inbounds %B[%j, %i] : (!llvm.ptr, i64, i64) -> !llvm.ptr, !llvm.array<16 x f64>
// CHECK-NEXT:    llvm.store %s, %[[B]] {nontemporal} : f64, !llvm.ptr
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.sse.sfence"() : () -> ()
// CHECK-NEXT:    llvm.return
func.func @f(%A: memref<?x?x8xf32> {kc.name = "A"}, %B: memref<4x16xf64>, %p: i1, %i: index, %j: index)
    attributes {kc.symbols = ["n"]} {
  %c3 = arith.constant 3 : index
  %x = memref.load %A[%i, %j, %c3] : memref<?x?x8xf32>
  %y = arith.extf %x : f32 to f64
  %z = arith.uitofp %p : i1 to f64
  %s = arith.addf %y, %z fastmath<contract> : f64
  memref.store %s, %B[%j, %i] {nontemporal = true} : memref<4x16xf64>
  func.return
}

// -----

// Memory of the heap and of the stack. Constants and stack slots are in the entry block.

// CHECK-LABEL: llvm.func @memory(
// CHECK-SAME:    %n: i64, %A: !llvm.ptr {{{.*}}llvm.readonly}
// CHECK:         %t = llvm.alloca %{{.*}} x !llvm.array<32 x f32> {alignment = 64 : i64} : (i64) -> !llvm.ptr
// CHECK:         %[[BYTES:.*]] = llvm.mul %{{.*}}, %{{.*}} overflow<nsw> : i64
// CHECK-NEXT:    %[[MORE:.*]] = llvm.add %[[BYTES]], %{{.*}} overflow<nsw> : i64
// CHECK-NEXT:    %[[ALL:.*]] = llvm.and %[[MORE]], %{{.*}} : i64
// CHECK-NEXT:    %h = llvm.call @aligned_alloc(%{{.*}}, %[[ALL]]) : (i64, i64) -> !llvm.ptr
// CHECK:         "llvm.intr.memcpy"(%h, %A, %[[SIZE:.*]]) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
// CHECK:         llvm.br
// CHECK-NOT:     llvm.alloca
// CHECK:         llvm.call @free(%h) : (!llvm.ptr) -> ()
// CHECK:       llvm.func @aligned_alloc(i64, i64) -> (!llvm.ptr {llvm.noalias})
// CHECK:       llvm.func @free(!llvm.ptr)
func.func @memory(%n: index, %A: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = memref.alloc(%n) : memref<?x8xf32>
  "memref.copy"(%A, %h) : (memref<?x8xf32>, memref<?x8xf32>) -> ()
  scf.for %i = %c0 to %n step %c1 {
    %t = memref.alloca() : memref<4x8xf32>
    %x = memref.load %h[%i, %c0] : memref<?x8xf32>
    memref.store %x, %t[%c1, %c1] : memref<4x8xf32>
  }
  memref.dealloc %h : memref<?x8xf32>
  func.return
}

// -----

// Booleans are bytes in memory.

// CHECK-LABEL: llvm.func @bool
// CHECK:         %[[P:.*]] = llvm.load %A : !llvm.ptr -> i8
// CHECK-NEXT:    %p = llvm.icmp "ne" %[[P]], %{{.*}} : i8
// CHECK-NEXT:    %[[Q:.*]] = llvm.zext %p : i1 to i8
// CHECK-NEXT:    llvm.store %[[Q]], %B : i8, !llvm.ptr
func.func @bool(%A: memref<i1>, %B: memref<i1>) {
  %p = memref.load %A[] : memref<i1>
  memref.store %p, %B[] : memref<i1>
  func.return
}

// -----

// Private functions are internal; several results are a struct.

// CHECK-LABEL: llvm.func internal @g(
// CHECK-SAME:    -> !llvm.struct<(f32, i8)>
// CHECK:         llvm.zext %p : i1 to i8
// CHECK-NEXT:    llvm.mlir.poison : !llvm.struct<(f32, i8)>
// CHECK-NEXT:    llvm.insertvalue %x, %{{.*}}[0] : !llvm.struct<(f32, i8)>
// CHECK-NEXT:    %[[R:.*]] = llvm.insertvalue %{{.*}}, %{{.*}}[1] : !llvm.struct<(f32, i8)>
// CHECK-NEXT:    llvm.return %[[R]] : !llvm.struct<(f32, i8)>
// CHECK-LABEL: llvm.func @call(
// CHECK:         %[[C:.*]] = llvm.call @g(%A, %A_size, %{{.*}}) : (!llvm.ptr, i64, i64) -> !llvm.struct<(f32, i8)>
// CHECK-NEXT:    llvm.extractvalue %[[C]][0]
// CHECK:       llvm.func @elsewhere(!llvm.ptr {llvm.align = 4 : i64}, i64)
func.func private @g(%A: memref<?xf32>, %i: index) -> (f32, i1) {
  %x = memref.load %A[%i] : memref<?xf32>
  %p = arith.cmpf ogt, %x, %x : f32
  func.return %x, %p : f32, i1
}
func.func @call(%A: memref<?xf32>, %i: index) {
  %x, %p = func.call @g(%A, %i) : (memref<?xf32>, index) -> (f32, i1)
  scf.if %p {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  func.call @elsewhere(%A) : (memref<?xf32>) -> ()
  func.return
}
func.func private @elsewhere(memref<?xf32>)

// -----

// A table of constants.

// CHECK:       llvm.mlir.global internal constant @t(dense<{{.*}}> : tensor<2x2xf32>) {addr_space = 0 : i32, alignment = 64 : i64} : !llvm.array<2 x array<2 x f32>>
// CHECK-LABEL: llvm.func @table
// CHECK:         %t = llvm.mlir.addressof @t : !llvm.ptr
// CHECK-NEXT:    llvm.getelementptr inbounds %t[%i, 1] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<2 x f32>
"memref.global"() <{sym_name = "t", sym_visibility = "private", type = memref<2x2xf32>, constant,
  initial_value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>}> : () -> ()
func.func @table(%A: memref<4xf32>, %i: index) {
  %c1 = arith.constant 1 : index
  %t = memref.get_global @t : memref<2x2xf32>
  %x = memref.load %t[%i, %c1] : memref<2x2xf32>
  memref.store %x, %A[%i] : memref<4xf32>
  func.return
}
