// What blocks read is copied before the first of them: as far out as the buffer keeps its values,
// and as much as is read there.
// RUN: kc-opt %s --cache-read="func=rows block=C buffer=B scope=local" | FileCheck %s --check-prefix=ROWS
// RUN: kc-opt %s --cache-read="func=rows block=B buffer=0" | FileCheck %s --check-prefix=PART
// RUN: kc-opt %s --compute-at="func=rows block=B loop=i" --cache-read="func=rows block=C buffer=B" \
// RUN:   | FileCheck %s --check-prefix=INSIDE
// RUN: kc-opt %s --split="func=tail block=C loop=i factors=?,4" --compute-at="func=tail block=B loop=i_o" \
// RUN:   --cache-read="func=tail block=C buffer=B" | FileCheck %s --check-prefix=TAIL
// RUN: kc-opt %s --cache-read="func=versions block=C buffer=A consumers=C" | FileCheck %s --check-prefix=ONE
// RUN: kc-opt %s --cache-read="func=in_place block=A buffer=A" | FileCheck %s --check-prefix=PLACE
// RUN: kc-opt %s --cache-read="func=sizes block=C buffer=A" | FileCheck %s --check-prefix=SIZES
// RUN: kc-opt %s --cache-read="func=scalar block=B buffer=A" | FileCheck %s --check-prefix=SCALAR
// RUN: kc-opt %s --cache-read="func=unnamed block=B buffer=A" | FileCheck %s --check-prefix=DIM
// RUN: kc-opt %s --cache-read="func=rows block=C buffer=B scope=shared" 2>&1 >/dev/null | FileCheck %s --check-prefix=WARN --match-full-lines --strict-whitespace

te.func @rows(%A: tensor<20x8xf32>) -> tensor<14x8xf32> {
  %B = te.compute "B" [%i = 16, %j = 8] {
    %a = te.read %A[%i + 2, %j] : tensor<20x8xf32>
    te.yield %a : f32
  } : tensor<16x8xf32>
  %C = te.compute "C" [%i = 14, %j = 8] {
    %x = te.read %B[%i, %j] : tensor<16x8xf32>
    %y = te.read %B[%i + 2, %j] : tensor<16x8xf32>
    %c = arith.mulf %x, %y : f32
    te.yield %c : f32
  } : tensor<14x8xf32>
  te.return %C : tensor<14x8xf32>
}

te.func @tail(%A: tensor<10xf32>) -> tensor<10xf32> {
  %B = te.compute "B" [%i = 10] {
    %a = te.read %A[%i] : tensor<10xf32>
    te.yield %a : f32
  } : tensor<10xf32>
  %C = te.compute "C" [%i = 10] {
    %x = te.read %B[%i] : tensor<10xf32>
    te.yield %x : f32
  } : tensor<10xf32>
  te.return %C : tensor<10xf32>
}

func.func @versions(%A: memref<8xf32>, %C: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "W" (spatial %v_i in 8 = %i) do {
      %x = tir.load %C[7 - %v_i] : memref<8xf32>
      tir.store %x, %A[%v_i] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "D" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      tir.store %x, %D[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func @in_place(%A: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "A" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      %y = arith.addf %x, %x : f32
      tir.store %y, %A[%v_i] : memref<8xf32>
    }
  }
  func.return
}

te.func @sizes(%A: tensor<?x8xf32> {kc.shape = affine_map<()[n] -> (n + 1, 8)>})
    -> tensor<?xf32> attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %C = te.compute "C" [%i = %n] reduce sum [%k = 4] {
    %x = te.read %A[%i + 1, %k * 2] : tensor<?x8xf32>
    te.yield %x : f32
  } : tensor<?xf32>
  te.return %C : tensor<?xf32>
}

te.func @scalar(%A: tensor<f32>) -> tensor<4xf32> {
  %B = te.compute "B" [%i = 4] {
    %a = te.read %A[] : tensor<f32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %B : tensor<4xf32>
}

func.func @unnamed(%A: memref<?xf32>, %B: memref<4xf32>) {
  tir.for %i in 4 {
    tir.block "B" (spatial %v_i in 4 = %i) do {
      %x = tir.load %A[%v_i] : memref<?xf32>
      tir.store %x, %B[%v_i] : memref<4xf32>
    }
  }
  func.return
}
