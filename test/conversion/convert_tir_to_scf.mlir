// RUN: kc-opt %s --convert-tir-to-scf --split-input-file | FileCheck %s

// Loops of every kind; a parallel one inside a parallel one is serial.

// CHECK-LABEL: func.func @loops
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK:         scf.parallel (%i) = (%[[C0]]) to (%[[C8]]) step (%[[C1]]) {
// CHECK:           scf.for %j = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:             scf.for %k = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:          %[[K:.*]] = arith.addi %{{.*}}, %k : index
// CHECK-NEXT:          memref.store %x, %A[%i, %[[K]]] : memref<8x16xf32>
// CHECK-NEXT:        } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>}
// CHECK:           scf.reduce
func.func @loops(%A: memref<8x16xf32>, %x: f32) {
  tir.for %i in 8 parallel {
    tir.for %j in 4 parallel {
      tir.for %k in 4 unrolled {
        tir.store %x, %A[%i, %j * 4 + %k] : memref<8x16xf32>
      }
    }
  }
  func.return
}

// -----

// Guards compare what is small with what is large; each part of a condition is computed where its
// operands are there.

// CHECK-LABEL: func.func @guards
// CHECK:         scf.for %i
// CHECK-NEXT:      %[[I:.*]] = arith.muli %i, %{{.*}} : index
// CHECK-NEXT:      %[[T:.*]] = arith.cmpi sge, %i, %{{.*}} : index
// CHECK:           scf.for %j
// CHECK-NEXT:        %[[J:.*]] = arith.addi %[[I]], %j : index
// CHECK-NEXT:        %[[S:.*]] = arith.cmpi slt, %[[J]], %n : index
// CHECK-NEXT:        %[[B:.*]] = arith.andi %[[S]], %[[T]] : i1
// CHECK-NEXT:        scf.if %[[B]] {
// CHECK-NEXT:          memref.store %x, %A[%[[J]]] : memref<?xf32>
// CHECK-NEXT:        } else {
func.func @guards(%A: memref<?xf32>, %n: index, %x: f32) {
  tir.for %i in 8 {
    tir.for %j in 32 {
      tir.if (%i * 32 + %j < %n, %i >= 2) {
        tir.store %x, %A[%i * 32 + %j] : memref<?xf32>
      } else {
        tir.store %x, %A[0] : memref<?xf32>
      }
    }
  }
  func.return
}

// -----

// Division of what may be negative is exact; of what is not, it is unsigned.

// CHECK-LABEL: func.func @division
// CHECK:         arith.cmpi slt, %x, %{{.*}} : index
// CHECK:         arith.divsi
// CHECK:         arith.shrsi %x
// CHECK:         arith.andi %x
// CHECK:         arith.divui %i
// CHECK:         arith.remui %i
func.func @division(%A: memref<8x8x8x8x8xf32>, %x: index) {
  tir.for %i in 30 {
    %a = tir.load %A[%x floordiv 3, %x floordiv 4, %x mod 8, %i floordiv 5, %i mod 5] : memref<8x8x8x8x8xf32>
    tir.store %a, %A[0, 0, 0, 0, 0] : memref<8x8x8x8x8xf32>
  }
  func.return
}

// -----

// Bools take a byte each.

// CHECK-LABEL: func.func @bools(%A: memref<8xi8>, %B: memref<8xi8>)
// CHECK:         %[[BYTE:.*]] = memref.load %A[%{{.*}}] : memref<8xi8>
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK-NEXT:    %a = arith.cmpi ne, %[[BYTE]], %[[ZERO]] : i8
// CHECK-NEXT:    %[[OUT:.*]] = arith.extui %a : i1 to i8
// CHECK-NEXT:    memref.store %[[OUT]], %B[%{{.*}}] : memref<8xi8>
// CHECK-NEXT:    %[[BYTES:.*]] = vector.load %A[%{{.*}}] : memref<8xi8>, vector<4xi8>
// CHECK-NEXT:    %[[ZEROS:.*]] = arith.constant dense<0> : vector<4xi8>
// CHECK-NEXT:    %v = arith.cmpi ne, %[[BYTES]], %[[ZEROS]] : vector<4xi8>
// CHECK-NEXT:    %[[OUTS:.*]] = arith.extui %v : vector<4xi1> to vector<4xi8>
// CHECK-NEXT:    vector.store %[[OUTS]], %B[%{{.*}}] : memref<8xi8>, vector<4xi8>
func.func @bools(%A: memref<8xi1>, %B: memref<8xi1>) {
  %a = tir.load %A[3] : memref<8xi1>
  tir.store %a, %B[3] : memref<8xi1>
  %v = tir.load %A[4] : memref<8xi1>, vector<4xi1>
  tir.store %v, %B[4] : memref<8xi1>, vector<4xi1>
  func.return
}

// Bools that memref reads and writes, beside those of tir.

// CHECK-LABEL: func.func @bools_of_memref(%a: i1, %B: memref<4xi8>, %i: index)
// CHECK:         memref.store %{{.*}}, %B[%c0] : memref<4xi8>
// CHECK-NEXT:    %[[BYTE:.*]] = memref.load %B[%i] : memref<4xi8>
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK-NEXT:    %b = arith.cmpi ne, %[[BYTE]], %[[ZERO]] : i8
// CHECK-NEXT:    %[[OUT:.*]] = arith.extui %b : i1 to i8
// CHECK-NEXT:    memref.store %[[OUT]], %B[%c1] : memref<4xi8>
func.func @bools_of_memref(%a: i1, %B: memref<4xi1>, %i: index) {
  %c1 = arith.constant 1 : index
  tir.store %a, %B[0] : memref<4xi1>
  %b = memref.load %B[%i] : memref<4xi1>
  memref.store %b, %B[%c1] : memref<4xi1>
  func.return
}

// -----

// Small buffers are on the stack; others live as long as the block in which their sizes are known.

// CHECK-LABEL: func.func @buffers
// CHECK:         %t = memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// CHECK:         %u = memref.alloc() {alignment = 64 : i64} : memref<100000xf32>
// CHECK:         %v = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
// CHECK:         scf.for
// CHECK:         memref.dealloc %u
// CHECK-NEXT:    memref.dealloc %v
// CHECK-NEXT:    func.return
func.func @buffers(%n: index, %x: f32) {
  tir.for %i in 8 {
    %t = tir.alloc "t" : memref<16xf32>
    %u = tir.alloc "u" : memref<100000xf32>
    %v = tir.alloc "v" (%n) : memref<?xf32>
    tir.store %x, %t[%i] : memref<16xf32>
    tir.store %x, %u[%i] : memref<100000xf32>
    tir.store %x, %v[%i] : memref<?xf32>
  }
  func.return
}

// -----

// A symbol is a dimension of an argument, or an argument.

// CHECK-LABEL: func.func @symbols(%A: memref<?x?xf32>, %m: index, %x: f32) {
// CHECK:         %n = memref.dim %A, %{{.*}} : memref<?x?xf32>
// CHECK:         scf.for %i = %{{.*}} to %n step
// CHECK:           scf.for %j = %{{.*}} to %m step
func.func @symbols(%A: memref<?x?xf32> {kc.shape = affine_map<()[s0, s1] -> (s0 * 2, s0)>}, %m: index {kc.symbol = "m"}, %x: f32) attributes {kc.symbols = ["n", "m"]} {
  %n = tir.symbol "n"
  %m_1 = tir.symbol "m"
  tir.for %i in %n {
    tir.for %j in %m_1 {
      tir.store %x, %A[%j, %i] : memref<?x?xf32>
    }
  }
  func.return
}

// -----

// An argument of 32 or 64 bits that is a size becomes an index.

// CHECK-LABEL: func.func @integer_symbol(%A: memref<?xf32>, %m: i32, %x: f32) {
// CHECK:         %[[SIZE:.*]] = arith.index_cast %m : i32 to index
// CHECK:         scf.for %j = %{{.*}} to %[[SIZE]] step
func.func @integer_symbol(%A: memref<?xf32>, %m: i32 {kc.symbol = "m"}, %x: f32) attributes {kc.symbols = ["m"]} {
  %m_1 = tir.symbol "m"
  tir.for %j in %m_1 {
    tir.store %x, %A[%j] : memref<?xf32>
  }
  func.return
}

// -----

// Products and sums of floats may be contracted, unless flags say otherwise.

// CHECK-LABEL: func.func @contract
// CHECK:         arith.mulf %x, %x fastmath<contract> : f32
// CHECK:         arith.addf %{{.*}}, %x fastmath<nnan> : f32
// CHECK:         arith.divf %{{.*}}, %x : f32
func.func @contract(%A: memref<8xf32>, %x: f32) {
  %p = arith.mulf %x, %x : f32
  %s = arith.addf %p, %x fastmath<nnan> : f32
  %d = arith.divf %s, %x : f32
  tir.store %d, %A[0] : memref<8xf32>
  func.return
}

// -----

// A minimum or maximum of bounds.

// CHECK-LABEL: func.func @extremes
// CHECK:         %[[TWICE:.*]] = arith.muli %m, %{{.*}} : index
// CHECK-NEXT:    %[[MIN:.*]] = arith.minsi %n, %[[TWICE]] : index
// CHECK-NEXT:    %[[MAX:.*]] = arith.maxsi %[[MIN]], %[[C0:.*]] : index
// CHECK-NEXT:    scf.for %i = %[[C0]] to %[[MAX]] step %{{.*}} {
func.func @extremes(%A: memref<?xf32>, %n: index, %m: index, %x: f32) {
  %size = tir.apply max(min(%n, %m * 2), 0)
  tir.for %i in %size {
    tir.store %x, %A[%i] : memref<?xf32>
  }
  func.return
}

// -----

// How often loops with vectors are written out is what the schedule says; LLVM does it only where
// that makes registers of a small array, in loops of a few short iterations, and in the innermost ones
// without vectors. What it may write out of the loops inside counts.

// CHECK-LABEL: func.func @vectors
// CHECK:         %[[SUMS:.*]] = memref.alloca() {{.*}}memref<128xf32>
// CHECK:         scf.for %i
// CHECK:           vector.load
// CHECK:         } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
// CHECK-NEXT:    scf.for %j
// CHECK-NEXT:      arith.muli
// CHECK-NEXT:      vector.load %[[SUMS]]
// CHECK-NOT:     llvm.loop_annotation
// CHECK:         scf.for %k
// CHECK:           memref.store
// CHECK-NOT:     llvm.loop_annotation
// CHECK:         scf.for %l
// CHECK:           vector.load
// CHECK-NOT:     llvm.loop_annotation
// CHECK:         scf.for %m
// CHECK:           scf.for %n
// CHECK:           } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>}
// CHECK-NEXT:    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
// CHECK:         scf.parallel
// CHECK:           scf.reduce
// CHECK-NEXT:    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
// CHECK:         scf.for %p
// CHECK:           scf.for %q
// CHECK:             memref.store
// CHECK-NEXT:      }{{$}}
// CHECK-NEXT:    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
// CHECK-NEXT:    scf.for %r
// CHECK:           scf.for %s
// CHECK:             memref.store
// CHECK-NEXT:      }{{$}}
// CHECK-NEXT:    }{{$}}
func.func @vectors(%A: memref<1024xf32>, %x: f32) {
  %sums = tir.alloc "sums" : memref<128xf32>
  tir.for %i in 16 {
    %a = tir.load %A[%i * 8] : memref<1024xf32>, vector<8xf32>
    tir.store %a, %A[%i * 8 + 512] : memref<1024xf32>, vector<8xf32>
  }
  tir.for %j in 16 {
    %b = tir.load %sums[%j * 8] : memref<128xf32>, vector<8xf32>
    tir.store %b, %A[%j * 8] : memref<1024xf32>, vector<8xf32>
  }
  tir.for %k in 1024 {
    tir.store %x, %A[%k] : memref<1024xf32>
  }
  tir.for %l in 8 {
    %b = tir.load %A[%l * 8 + 64] : memref<1024xf32>, vector<8xf32>
    tir.store %b, %A[%l * 8] : memref<1024xf32>, vector<8xf32>
  }
  tir.for %m in 4 {
    tir.for %n in 16 unrolled {
      %b = tir.load %A[%m * 128 + %n * 8] : memref<1024xf32>, vector<8xf32>
      tir.store %b, %A[%m * 128 + %n * 8 + 512] : memref<1024xf32>, vector<8xf32>
    }
  }
  tir.for %o in 8 parallel {
    %b = tir.load %A[%o * 8 + 64] : memref<1024xf32>, vector<8xf32>
    tir.store %b, %A[%o * 8 + 512] : memref<1024xf32>, vector<8xf32>
  }
  tir.for %p in 3 {
    tir.for %q in 32 {
      tir.store %x, %A[%p * 32 + %q] : memref<1024xf32>
    }
  }
  tir.for %r in 3 {
    tir.for %s in 8 {
      tir.store %x, %A[%r * 8 + %s] : memref<1024xf32>
    }
  }
  func.return
}

// -----

// A view in code that never runs may begin outside of the buffer; the type of a slice may not.

func.func private @use(memref<2xf32, strided<[1], offset: ?>>)

// CHECK-LABEL: func.func @never_runs
// CHECK:         %[[THREE:.*]] = arith.constant 3 : index
// CHECK:         memref.subview %A[%[[THREE]]] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: ?>>
func.func @never_runs(%A: memref<4xf32>) {
  %false = arith.constant false
  scf.if %false {
    %v = tir.view %A[3] : memref<4xf32> to memref<2xf32, strided<[1], offset: ?>>
    tir.call @use(update %v) : (memref<2xf32, strided<[1], offset: ?>>)
  }
  func.return
}
