// skip_masked: masked terms of reductions, and elements that nobody reads, are left out.
// RUN: kc-opt %s --skip-masked="func=sums block=T loop=j" --skip-masked="func=products block=T loop=j" --skip-masked="func=elements block=T loop=j" --skip-masked="func=elements block=X loop=j at=b" | FileCheck %s
// RUN: kc-run %s -e sums --random --seed=1 -o %t.npy
// RUN: kc-opt %s --skip-masked="func=sums block=T loop=j" | kc-run - -e sums --random --seed=1 --check=%t.npy
// RUN: kc-run %s -e products --random --seed=1 -o %t.npy
// RUN: kc-opt %s --skip-masked="func=products block=T loop=j" | kc-run - -e products --random --seed=1 --check=%t.npy

// Zeros of a sum; the first iteration runs the init.
// CHECK-LABEL: func.func @sums
// CHECK:       tir.for [[I:%i[_0-9]*]] "i" in 6 {
// CHECK-NEXT:    %j_size = tir.apply min(max([[I]] + 3, 1), 8)
// CHECK-NEXT:    tir.for %j_1 "j" in %j_size {
// CHECK-NEXT:      tir.block "T" (spatial %v_i in 6 = [[I]], reduce %v_j in 8 = %j_1) init {
func.func @sums(%S: memref<6x8xf32> {kc.name = "S", kc.role = "in"}, %T: memref<6xf32> {kc.name = "T", kc.role = "out"}) {
  %X = tir.alloc "X" : memref<6x8xf32>
  tir.for %i in 6 {
    tir.for %j in 8 {
      tir.block "X" (spatial %v_i in 6 = %i, spatial %v_j in 8 = %j) do {
        %last = tir.apply (%v_i + 2)
        %keeps = arith.cmpi sle, %v_j, %last : index
        %s = tir.load %S[%v_i, %v_j] : memref<6x8xf32>
        %zero = arith.constant 0.0 : f32
        %x = arith.select %keeps, %s, %zero : f32
        tir.store %x, %X[%v_i, %v_j] : memref<6x8xf32>
      }
    }
  }
  tir.for %i in 6 {
    tir.for %j in 8 {
      tir.block "T" (spatial %v_i in 6 = %i, reduce %v_j in 8 = %j) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %T[%v_i] : memref<6xf32>
      } do {
        %x = tir.load %X[%v_i, %v_j] : memref<6x8xf32>
        %t = tir.load %T[%v_i] : memref<6xf32>
        %u = arith.addf %t, %x : f32
        tir.store %u, %T[%v_i] : memref<6xf32>
      }
    }
  }
  func.return
}

// Products need the other factor to be finite; parts of several elements are left out together.
// CHECK-LABEL: func.func @products
// CHECK:         tir.block "V_largest" (reduce %v0 in 8 = %ax0) init {
// CHECK:           arith.constant 2147483647 : i32
// CHECK:           arith.maxsi
// CHECK:       [[MOST:%[0-9]+]] = tir.load %V_largest[] : memref<i32>
// CHECK-NEXT:  [[INFINITY:%[0-9]+]] = arith.constant 2139095040 : i32
// CHECK-NEXT:  [[ALL:%[0-9]+]] = arith.cmpi sge, [[MOST]], [[INFINITY]] : i32
// CHECK:       [[COUNT:%[0-9]+]] = arith.select [[ALL]], {{%[0-9]+}}, {{%[0-9]+}} : index
// CHECK:       tir.for %i in 6 {
// CHECK:         %j_size = tir.apply min(max(%i floordiv 4 + 1, 1, [[COUNT]]), 2)
// CHECK-NEXT:    tir.for %j in %j_size {
// CHECK-NEXT:      tir.for %jj in 4 {
func.func @products(%S: memref<6x8xf32> {kc.name = "S", kc.role = "in"}, %V: memref<8xf32> {kc.name = "V", kc.role = "in"}, %T: memref<6xf32> {kc.name = "T", kc.role = "out"}) {
  tir.for %i in 6 {
    tir.for %j in 2 {
      tir.for %jj in 4 {
        tir.block "T" (spatial %v_i in 6 = %i, reduce %v_j in 8 = %j * 4 + %jj) init {
          %zero = arith.constant 0.0 : f32
          tir.store %zero, %T[%v_i] : memref<6xf32>
        } do {
          %masked = arith.cmpi sgt, %v_j, %v_i : index
          %x = scf.if %masked -> (f32) {
            %zero = arith.constant 0.0 : f32
            scf.yield %zero : f32
          } else {
            %s = tir.load %S[%v_i, %v_j] : memref<6x8xf32>
            scf.yield %s : f32
          }
          %v = tir.load %V[%v_j] : memref<8xf32>
          %term = arith.mulf %x, %v : f32
          %t = tir.load %T[%v_i] : memref<6xf32>
          %u = arith.addf %t, %term : f32
          tir.store %u, %T[%v_i] : memref<6xf32>
        }
      }
    }
  }
  func.return
}

// A length that is loaded; the elements beyond it are not computed either.
// CHECK-LABEL: func.func @elements
// CHECK:       tir.for %b in 3 {
// CHECK-NEXT:    [[A:%[0-9]+]] = tir.load %lengths[%b] : memref<3xi32>
// CHECK-NEXT:    [[LENGTH:%[0-9]+]] = arith.index_cast [[A]] : i32 to index
// CHECK-NEXT:    [[SIZE:%[0-9]+]] = tir.apply min(max([[LENGTH]], 1), 8)
// CHECK-NEXT:    %j_size = tir.apply min(max([[SIZE]], 1), 8)
// CHECK-NEXT:    tir.for %j in %j_size {
// CHECK-NEXT:      tir.block "X"
// CHECK:         [[B:%[0-9]+]] = tir.load %lengths[%b] : memref<3xi32>
// CHECK-NEXT:    [[OTHER:%[0-9]+]] = arith.index_cast [[B]] : i32 to index
// CHECK-NEXT:    %j_size_1 = tir.apply min(max([[OTHER]], 1), 8)
func.func @elements(%S: memref<3x8xf32> {kc.name = "S", kc.role = "in"}, %lengths: memref<3xi32> {kc.name = "lengths", kc.role = "in"}, %T: memref<3xf32> {kc.name = "T", kc.role = "out"}) {
  %X = tir.alloc "X" : memref<3x8xf32>
  tir.for %b in 3 {
    tir.for %j in 8 {
      tir.block "X" (spatial %v_b in 3 = %b, spatial %v_j in 8 = %j) do {
        %s = tir.load %S[%v_b, %v_j] : memref<3x8xf32>
        %length = tir.load %lengths[%v_b] : memref<3xi32>
        %at = arith.index_cast %v_j : index to i32
        %keeps = arith.cmpi slt, %at, %length : i32
        %least = arith.constant 0xff800000 : f32
        %x = arith.select %keeps, %s, %least : f32
        tir.store %x, %X[%v_b, %v_j] : memref<3x8xf32>
      }
    }
    tir.for %j in 8 {
      tir.block "T" (spatial %v_b in 3 = %b, reduce %v_j in 8 = %j) init {
        %least = arith.constant 0xff800000 : f32
        tir.store %least, %T[%v_b] : memref<3xf32>
      } do {
        %x = tir.load %X[%v_b, %v_j] : memref<3x8xf32>
        %t = tir.load %T[%v_b] : memref<3xf32>
        %u = arith.maximumf %t, %x : f32
        tir.store %u, %T[%v_b] : memref<3xf32>
      }
    }
  }
  func.return
}
