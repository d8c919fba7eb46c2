// Dimensions that are indexed by the digits of one number become one: nothing is divided.
// RUN: kc-opt %s --merge-dimensions | FileCheck %s
// RUN: kc-opt %s --merge-dimensions --vectorize-loop=vector-bits=512 | FileCheck %s --check-prefix=VECTOR

// Three digits of one number, an argument whose sizes are declared, and other accesses of both.
// CHECK-LABEL: func.func @digits(
// CHECK-SAME:    %A: memref<40x63xf32> {kc.shape = affine_map<()[s0] -> (40, 63)>}, %B: memref<2520xf32>)
// CHECK-NEXT:    %T = tir.alloc "T" : memref<2520xf32>
// CHECK-NEXT:    tir.for %c in 40 {
// CHECK-NEXT:      tir.for %v in 63 {
// CHECK-NEXT:        %a = tir.load %A[%c, %v] : memref<40x63xf32>
// CHECK-NEXT:        tir.store %a, %T[%c * 63 + %v] : memref<2520xf32>
// CHECK:         tir.for %v_1 "v" in 2520 {
// CHECK-NEXT:      %t = tir.load %T[%v_1] : memref<2520xf32>
// CHECK-NEXT:      %x = tir.load %A[1, 21] : memref<40x63xf32>
// CHECK:           tir.store %s, %B[%v_1] : memref<2520xf32>
func.func @digits(%A: memref<40x7x9xf32> {kc.shape = affine_map<()[s0] -> (40, 7, 9)>}, %B: memref<40x7x9xf32>) attributes {kc.symbols = ["n"]} {
  %T = tir.alloc "T" : memref<40x7x9xf32>
  tir.for %c in 40 {
    tir.for %v in 63 {
      %a = tir.load %A[%c, %v floordiv 9, %v mod 9] : memref<40x7x9xf32>
      tir.store %a, %T[%c, %v floordiv 9, %v mod 9] : memref<40x7x9xf32>
    }
  }
  tir.for %v in 2520 {
    %t = tir.load %T[%v floordiv 63, (%v floordiv 9) mod 7, %v mod 9] : memref<40x7x9xf32>
    %x = tir.load %A[1, 2, 3] : memref<40x7x9xf32>
    %s = arith.addf %t, %x : f32
    tir.store %s, %B[%v floordiv 63, (%v floordiv 9) mod 7, %v mod 9] : memref<40x7x9xf32>
  }
  func.return
}

// A vector goes on in the next row of 9.
// VECTOR-LABEL: func.func @vector(
// VECTOR:         %a = tir.load %A[%v_v * 64] : memref<1152xf32>, vector<64xf32>
// VECTOR-NEXT:    tir.store %a, %B[%v_v * 64] : memref<1152xf32>, vector<64xf32>
func.func @vector(%A: memref<128x9xf32>, %B: memref<1152xf32>) {
  tir.for %v in 1152 vectorized {
    %a = tir.load %A[%v floordiv 9, %v mod 9] : memref<128x9xf32>
    tir.store %a, %B[%v] : memref<1152xf32>
  }
  func.return
}

// Digits of other numbers, in another order, of another size or of different numbers.
// CHECK-LABEL: func.func @other_digits(
// CHECK-SAME:    %A: memref<8x9xf32>, %B: memref<9x8xf32>, %C: memref<8x9xf32>, %D: memref<8x9xf32>)
// CHECK:           %a = tir.load %A[%v floordiv 8, %v mod 8] : memref<8x9xf32>
// CHECK-NEXT:      %b = tir.load %B[%v mod 9, %v floordiv 9] : memref<9x8xf32>
// CHECK-NEXT:      %c = tir.load %C[%v floordiv 9, %w mod 9] : memref<8x9xf32>
// CHECK-NEXT:      %d = tir.load %D[%w floordiv 9, %v mod 9] : memref<8x9xf32>
func.func @other_digits(%A: memref<8x9xf32>, %B: memref<9x8xf32>, %C: memref<8x9xf32>, %D: memref<8x9xf32>) {
  tir.for %v in 64 {
    tir.for %w in 72 {
      %a = tir.load %A[%v floordiv 8, %v mod 8] : memref<8x9xf32>
      %b = tir.load %B[%v mod 9, %v floordiv 9] : memref<9x8xf32>
      %c = tir.load %C[%v floordiv 9, %w mod 9] : memref<8x9xf32>
      %d = tir.load %D[%w floordiv 9, %v mod 9] : memref<8x9xf32>
      %0 = arith.addf %a, %b : f32
      %1 = arith.addf %c, %d : f32
      %2 = arith.addf %0, %1 : f32
      tir.store %2, %A[0, 0] : memref<8x9xf32>
    }
  }
  func.return
}

// A size that is declared as a symbol, one that is known at the call, a layout, a part of a buffer,
// and an argument of a function that is called: their types stay.
// CHECK-LABEL: func.func @kept(
// CHECK-SAME:    %A: memref<8x9xf32> {kc.shape = affine_map<()[s0] -> (8, s0)>}, %B: memref<8x?xf32>,
// CHECK-SAME:    %C: memref<8x9xf32, strided<[16, 1]>>, %D: memref<8x9xf32>)
func.func @kept(%A: memref<8x9xf32> {kc.shape = affine_map<()[s0] -> (8, s0)>}, %B: memref<8x?xf32>,
                %C: memref<8x9xf32, strided<[16, 1]>>, %D: memref<8x9xf32>) attributes {kc.symbols = ["n"]} {
  %part = tir.view %D[0, 0] : memref<8x9xf32> to memref<9xf32, strided<[1]>>
  tir.for %v in 72 {
    %a = tir.load %A[%v floordiv 9, %v mod 9] : memref<8x9xf32>
    tir.store %a, %B[%v floordiv 9, %v mod 9] : memref<8x?xf32>
    tir.store %a, %C[%v floordiv 9, %v mod 9] : memref<8x9xf32, strided<[16, 1]>>
    tir.store %a, %D[%v floordiv 9, %v mod 9] : memref<8x9xf32>
    tir.store %a, %part[0] : memref<9xf32, strided<[1]>>
  }
  func.return
}

// CHECK-LABEL: func.func private @callee(%A: memref<8x9xf32>)
func.func private @callee(%A: memref<8x9xf32>) {
  %zero = arith.constant 0.0 : f32
  tir.for %v in 72 {
    tir.store %zero, %A[%v floordiv 9, %v mod 9] : memref<8x9xf32>
  }
  func.return
}

func.func @caller(%A: memref<8x9xf32>) {
  func.call @callee(%A) : (memref<8x9xf32>) -> ()
  func.return
}
