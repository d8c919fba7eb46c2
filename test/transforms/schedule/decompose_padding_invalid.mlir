// What decompose_padding refuses, and what it says then.
// RUN: not kc-opt %s --decompose-padding="func=copy block=C loop=i" 2>&1 | FileCheck %s --check-prefix=COPY --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --decompose-padding="func=values block=C loop=i" 2>&1 | FileCheck %s --check-prefix=VALUES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --decompose-padding="func=data block=C loop=i" 2>&1 | FileCheck %s --check-prefix=DATA --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --decompose-padding="func=either block=C loop=i" 2>&1 | FileCheck %s --check-prefix=EITHER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --decompose-padding="func=sum block=S loop=i" 2>&1 | FileCheck %s --check-prefix=SUM --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --decompose-padding="func=twice block=C loop=i" 2>&1 | FileCheck %s --check-prefix=TWICE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --decompose-padding="func=inner block=B loop=i" 2>&1 | FileCheck %s --check-prefix=INNER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --decompose-padding="func=used block=C loop=i" 2>&1 | FileCheck %s --check-prefix=USED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --decompose-padding="func=used block=C loop=k" 2>&1 | FileCheck %s --check-prefix=LOOP --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --decompose-padding="func=flags block=P loop=i" 2>&1 | FileCheck %s --check-prefix=FLAGS --match-full-lines --strict-whitespace
// RUN: kc-opt %s --decompose-padding="func=flags block=P loop=j" 2>&1 | FileCheck %s --check-prefix=INFLAGS
// RUN: not kc-opt %s --decompose-padding="func=viewed block=P loop=i" 2>&1 | FileCheck %s --check-prefix=VIEWED --match-full-lines --strict-whitespace

func.func @copy(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v] : memref<8xf32>
      tir.store %x, %C[%v] : memref<8xf32>
    }
  }
  func.return
}

func.func @values(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v in 8 = %i) do {
      %four = arith.constant 4 : index
      %in = arith.cmpi slt, %v, %four : index
      %x = tir.load %A[%v] : memref<8xf32>
      %y = arith.negf %x : f32
      %z = arith.select %in, %x, %y : f32
      tir.store %z, %C[%v] : memref<8xf32>
    }
  }
  func.return
}

// The condition depends on data.
func.func @data(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v in 8 = %i) do {
      %zero = arith.constant 0.0 : f32
      %x = tir.load %A[%v] : memref<8xf32>
      %in = arith.cmpf ogt, %x, %zero : f32
      %z = arith.select %in, %x, %zero : f32
      tir.store %z, %C[%v] : memref<8xf32>
    }
  }
  func.return
}

// What is inside is not one box.
func.func @either(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v in 8 = %i) do {
      %two = arith.constant 2 : index
      %six = arith.constant 6 : index
      %low = arith.cmpi slt, %v, %two : index
      %high = arith.cmpi sge, %v, %six : index
      %in = arith.ori %low, %high : i1
      %zero = arith.constant 0.0 : f32
      %x = tir.load %A[%v] : memref<8xf32>
      %z = arith.select %in, %x, %zero : f32
      tir.store %z, %C[%v] : memref<8xf32>
    }
  }
  func.return
}

te.func @sum(%A: tensor<8x8xf32>) -> tensor<8xf32> {
  %S = te.compute "S" [%i = 8] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<8x8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  te.return %S : tensor<8xf32>
}

func.func @twice(%A: memref<8xf32>, %C: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v] : memref<8xf32>
      tir.store %x, %C[%v] : memref<8xf32>
      tir.store %x, %D[%v] : memref<8xf32>
    }
  }
  func.return
}

func.func @inner(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    %B = tir.alloc "B" : memref<8xf32>
    tir.for %j in 1 {
      tir.block "B" (spatial %v in 8 = %i, spatial %u in 1 = %j) do {
        %two = arith.constant 2 : index
        %in = arith.cmpi sge, %v, %two : index
        %zero = arith.constant 0.0 : f32
        %x = tir.load %A[%v] : memref<8xf32>
        %z = arith.select %in, %x, %zero : f32
        tir.store %z, %B[%v] : memref<8xf32>
      }
    }
    tir.block "C" (spatial %v in 8 = %i) do {
      %x = tir.load %B[%v] : memref<8xf32>
      tir.store %x, %C[%v] : memref<8xf32>
    }
  }
  func.return
}

// D reads what C stores in the next iteration of i, and is behind it within one.
func.func @used(%A: memref<8x4xf32>, %C: memref<9x4xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %j in 4 {
      tir.block "C" (spatial %v in 8 = %i, spatial %w in 4 = %j) do {
        %two = arith.constant 2 : index
        %in = arith.cmpi sge, %v, %two : index
        %zero = arith.constant 0.0 : f32
        %x = tir.load %A[%v, %w] : memref<8x4xf32>
        %z = arith.select %in, %x, %zero : f32
        tir.store %z, %C[%v, %w] : memref<9x4xf32>
      }
    }
    tir.block "D" (spatial %v in 8 = %i) do {
      %x = tir.load %C[%v + 1, 0] : memref<9x4xf32>
      tir.store %x, %D[%v] : memref<8xf32>
    }
  }
  func.return
}

//COPY:error[KC3612]: decompose_padding: block C does not pad
//COPY-NEXT:  --> {{.*}}decompose_padding_invalid.mlir:17:5  tir.block "C" (spatial %v in 8 = %i) do {
//COPY-NEXT:   |  for i in 8:
//COPY-NEXT:   |    block C    <-- here
//COPY-NEXT:  why: no condition selects the stored value

//VALUES:error[KC3612]: decompose_padding: block C does not pad
//VALUES-NEXT:  --> {{.*}}decompose_padding_invalid.mlir:27:5  tir.block "C" (spatial %v in 8 = %i) do {
//VALUES-NEXT:   |  for i in 8:
//VALUES-NEXT:   |    block C    <-- here
//VALUES-NEXT:  why: neither of the selected values is a constant

//DATA:error[KC3612]: decompose_padding: block C does not pad
//DATA-NEXT:  --> {{.*}}decompose_padding_invalid.mlir:42:5  tir.block "C" (spatial %v in 8 = %i) do {
//DATA-NEXT:   |  for i in 8:
//DATA-NEXT:   |    block C    <-- here
//DATA-NEXT:  why: its condition is not a conjunction of affine bounds of its variables

//EITHER:error[KC3612]: decompose_padding: block C does not pad
//EITHER-NEXT:  --> {{.*}}decompose_padding_invalid.mlir:56:5  tir.block "C" (spatial %v in 8 = %i) do {
//EITHER-NEXT:   |  for i in 8:
//EITHER-NEXT:   |    block C    <-- here
//EITHER-NEXT:  why: its condition is not a conjunction of affine bounds of its variables

//SUM:error[KC3612]: decompose_padding: block S does not pad
//SUM-NEXT:  --> {{.*}}decompose_padding_invalid.mlir:72:3  %S = te.compute "S" [%i = 8] reduce sum [%k = 8] {
//SUM-NEXT:   |  for i in 8:
//SUM-NEXT:   |    for k in 8:
//SUM-NEXT:   |      block S    <-- here
//SUM-NEXT:  why: it is a reduction

//TWICE:error[KC3200]: decompose_padding: block C is neither complete nor a reduction
//TWICE-NEXT:  --> {{.*}}decompose_padding_invalid.mlir:81:5  tir.block "C" (spatial %v in 8 = %i) do {
//TWICE-NEXT:   |  for i in 8:
//TWICE-NEXT:   |    block C    <-- here
//TWICE-NEXT:  why: it has 2 stores, not one
//TWICE-NEXT:  try: use decompose_padding on a block that computes each element of one buffer

//INNER:error[KC3603]: decompose_padding: B of block B does not exist yet before loop i
//INNER-NEXT:  --> {{.*}}decompose_padding_invalid.mlir:94:7  tir.block "B" (spatial %v in 8 = %i, spatial %u in 1 = %j) do {
//INNER-NEXT:   |  for i in 8:    <-- the loop
//INNER-NEXT:   |    alloc B
//INNER-NEXT:   |    for j in 1:
//INNER-NEXT:   |      block B    <-- the block
//INNER-NEXT:   |    block C
//INNER-NEXT:  why: B is allocated further inside
//INNER-NEXT:  try: loop=j

//USED:error[KC3613]: decompose_padding: block D reads C between loop i and block C
//USED-NEXT:  --> {{.*}}decompose_padding_invalid.mlir:124:5  tir.block "D" (spatial %v in 8 = %i) do {
//USED-NEXT:   |  for i in 8:    <-- the loop
//USED-NEXT:   |    for j in 4:
//USED-NEXT:   |      block C    <-- the block
//USED-NEXT:   |    block D    <-- reads C
//USED-NEXT:  why: block D at (i=0) reads an element that the block stores at (i=1, j=0)
//USED-NEXT:  try: loop=j

//LOOP:error[KC3003]: there is no loop 'k' around block C
//LOOP-NEXT:  --> {{.*}}decompose_padding_invalid.mlir:115:7  tir.block "C" (spatial %v in 8 = %i, spatial %w in 4 = %j) do {
//LOOP-NEXT:   |  for i in 8:
//LOOP-NEXT:   |    for j in 4:
//LOOP-NEXT:   |      block C
//LOOP-NEXT:   |    block D
//LOOP-NEXT:  try: the loops are: i, j

// What is stored depends on a flag that the loop changes.
func.func @flags(%A: memref<8xf32>, %F: memref<4xi1>, %P: memref<4x12xf32>) {
  tir.for %i in 4 {
    %flag = tir.load %F[%i] : memref<4xi1>
    scf.if %flag {
      tir.for %j in 12 {
        tir.block "P" (spatial %v in 4 = %i, spatial %w in 12 = %j) do {
          %eight = arith.constant 8 : index
          %zero = arith.constant 0.0 : f32
          %in = arith.cmpi slt, %w, %eight : index
          %p = scf.if %in -> (f32) {
            %x = tir.load %A[%w] : memref<8xf32>
            scf.yield %x : f32
          } else {
            scf.yield %zero : f32
          }
          tir.store %p, %P[%v, %w] : memref<4x12xf32>
        }
      }
      %no = arith.constant 0 : i1
      tir.store %no, %F[3 - %i] : memref<4xi1>
    }
  }
  func.return
}

//FLAGS:error[KC3618]: decompose_padding: the stores of block P depend on data in loop i
//FLAGS-NEXT:  --> {{.*}}decompose_padding_invalid.mlir:203:9  tir.block "P" (spatial %v in 4 = %i, spatial %w in 12 = %j) do {
//FLAGS-NEXT:   |  for i in 4:    <-- the loop
//FLAGS-NEXT:  why: the fill comes before the loop, where the data may be different
//FLAGS-NEXT:  try: loop=j

// INFLAGS:      scf.if %flag {
// INFLAGS-NEXT:   tir.for %j_pad in 12 {

func.func @viewed(%A: memref<8xf32>, %P: memref<12xf32>) {
  %V = tir.view %P[0] : memref<12xf32> to memref<12xf32, strided<[1], offset: 0>>
  tir.for %i in 12 {
    tir.block "P" (spatial %v in 12 = %i) do {
      %eight = arith.constant 8 : index
      %zero = arith.constant 0.0 : f32
      %in = arith.cmpi slt, %v, %eight : index
      %p = scf.if %in -> (f32) {
        %x = tir.load %A[%v] : memref<8xf32>
        scf.yield %x : f32
      } else {
        scf.yield %zero : f32
      }
      tir.store %p, %P[%v] : memref<12xf32>
    }
  }
  func.return
}

//VIEWED:error[KC3303]: decompose_padding: P of block P is used by tir.view
//VIEWED-NEXT:  --> {{.*}}decompose_padding_invalid.mlir:233:3  %V = tir.view %P[0] : memref<12xf32> to memref<12xf32, strided<[1], offset: 0>>
//VIEWED-NEXT:   |  tir.view    <-- uses P
//VIEWED-NEXT:  why: the effect of tir.view on it is unknown
