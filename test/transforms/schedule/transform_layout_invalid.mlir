// What transform_layout refuses, and what it says then.
// RUN: not kc-opt %s --transform-layout="func=two block=B buffer=Q index-map=(i,j)->(j,i)" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=two block=B buffer=write:1 index-map=(i,j)->(j,i)" 2>&1 | FileCheck %s --check-prefix=SIDE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=two block=B buffer=wrote:1 index-map=(i,j)->(j,i)" 2>&1 | FileCheck %s --check-prefix=WROTE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=two block=B buffer=B index-map=(i,j)->(j,k)" 2>&1 | FileCheck %s --check-prefix=TEXT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=two block=B buffer=B index-map=(i)->(i)" 2>&1 | FileCheck %s --check-prefix=RANK --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=two block=B buffer=B index-map=(i,j)->(i//4,j)" 2>&1 | FileCheck %s --check-prefix=CLASH --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=sized block=T buffer=A index-map=(i)->(i%7)" 2>&1 | FileCheck %s --check-prefix=CLASHN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=two block=B buffer=B index-map=(i,j)->(i-1,j)" 2>&1 | FileCheck %s --check-prefix=NEGATIVE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=two block=B buffer=B index-map=(i,j)->(i*1000000000000,j*1000)" 2>&1 | FileCheck %s --check-prefix=HUGE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=two block=C buffer=C index-map=(i,j)->(i//4,j,i%4)" 2>&1 | FileCheck %s --check-prefix=OUTPUT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=ints block=B buffer=B index-map=(i)->(i*2) pad-value=0.5" 2>&1 | FileCheck %s --check-prefix=HALF --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=ints block=B buffer=B index-map=(i)->(i*2) pad-value=300" 2>&1 | FileCheck %s --check-prefix=LARGE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=ints block=B buffer=B index-map=(i)->(i*2) pad-value=(i,j)->(i)" 2>&1 | FileCheck %s --check-prefix=PADRANK --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=sized block=T buffer=A index-map=(i)->(i//4,i%4)" 2>&1 | FileCheck %s --check-prefix=SYMBOL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=ints block=B buffer=A index-map=(i)->(7-i)" 2>&1 | FileCheck %s --check-prefix=CALLED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=caller block=D buffer=A index-map=(i)->(7-i)" 2>&1 | FileCheck %s --check-prefix=CALL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=nameless block=B buffer=A index-map=(i)->(i//4,i%4)" 2>&1 | FileCheck %s --check-prefix=NAMELESS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=nameless block=B buffer=B index-map=(i)->(i//4,i%4) pad-value=1" 2>&1 | FileCheck %s --check-prefix=PADLESS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=vectors block=B buffer=A index-map=(i)->(7-i)" 2>&1 | FileCheck %s --check-prefix=VECTORS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=strides block=B buffer=A index-map=(i)->(7-i)" 2>&1 | FileCheck %s --check-prefix=STRIDES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=sizes block=B buffer=A index-map=(i)->(7-i)" 2>&1 | FileCheck %s --check-prefix=SIZES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --storage-align="func=two block=B buffer=B axis=0 factor=8" --transform-layout="func=two block=B buffer=B index-map=(i,j)->(j,i)" 2>&1 | FileCheck %s --check-prefix=ALIGNED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="func=two block=B buffer=B index-map=(i,j)->(i,axis_separator,j)" --transform-layout="func=two block=B buffer=B index-map=(i,j)->(j,i)" 2>&1 | FileCheck %s --check-prefix=SEPARATED --match-full-lines --strict-whitespace

te.func @two(%A: tensor<14x6xf32>) -> tensor<14x6xf32> {
  %B = te.compute "B" [%i = 14, %j = 6] {
    %a = te.read %A[%i, %j] : tensor<14x6xf32>
    te.yield %a : f32
  } : tensor<14x6xf32>
  %C = te.compute "C" [%i = 14, %j = 6] {
    %x = te.read %B[%i, 5 - %j] : tensor<14x6xf32>
    te.yield %x : f32
  } : tensor<14x6xf32>
  te.return %C : tensor<14x6xf32>
}

te.func @sized(%A: tensor<?xf32> {kc.shape = affine_map<()[n] -> (n)>}) -> tensor<4xf32>
    attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %T = te.compute "T" [%i = 4] reduce sum [%k = %n] {
    %a = te.read %A[%k] : tensor<?xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %T : tensor<4xf32>
}

func.func @ints(%A: memref<8xi8>, %B: memref<8xi8>) {
  tir.for %i in 8 {
    tir.block "B" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v] : memref<8xi8>
      tir.store %x, %B[%v] : memref<8xi8>
    }
  }
  func.return
}

func.func @caller(%A: memref<8xi8>, %B: memref<8xi8>) {
  tir.for %i in 8 {
    tir.block "D" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v] : memref<8xi8>
      tir.store %x, %B[%v] : memref<8xi8>
    }
  }
  func.call @ints(%A, %B) : (memref<8xi8>, memref<8xi8>) -> ()
  func.return
}

func.func @nameless(%A: memref<?xf32>, %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  tir.for %i in %n {
    tir.block "B" (spatial %v in %n = %i) do {
      %x = tir.load %A[%v] : memref<?xf32>
      tir.store %x, %B[%v] : memref<?xf32>
    }
  }
  func.return
}

func.func @vectors(%A: memref<8xf32>, %B: memref<8xf32>) {
  tir.for %i in 2 {
    tir.block "B" (spatial %v in 2 = %i) do {
      %x = tir.load %A[%v * 4] : memref<8xf32>, vector<4xf32>
      tir.store %x, %B[%v * 4] : memref<8xf32>, vector<4xf32>
    }
  }
  func.return
}

func.func @strides(%A: memref<8xf32, strided<[2]>>, %B: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "B" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v] : memref<8xf32, strided<[2]>>
      tir.store %x, %B[%v] : memref<8xf32>
    }
  }
  func.return
}

func.func @sizes(%A: memref<8xf32>, %B: memref<8xf32>, %d: index) {
  %n = memref.dim %A, %d : memref<8xf32>
  tir.for %i in %n {
    tir.block "B" (spatial %v in %n = %i) do {
      %x = tir.load %A[%v] : memref<8xf32>
      tir.store %x, %B[%v] : memref<8xf32>
    }
  }
  func.return
}

//NAME:error[KC3300]: transform_layout: block B uses no buffer Q
//NAME-NEXT:  --> {{.*}}transform_layout_invalid.mlir:27:3  %B = te.compute "B" [%i = 14, %j = 6] {
//NAME-NEXT:   |  for i in 14:
//NAME-NEXT:   |    for j in 6:
//NAME-NEXT:   |      block B    <-- here
//NAME-NEXT:  why: it uses 0: B, 1: A
//NAME-NEXT:  try: the buffers are: B, A

//SIDE:error[KC3300]: transform_layout: block B writes no buffer write:1
//SIDE-NEXT:  --> {{.*}}transform_layout_invalid.mlir:27:3  %B = te.compute "B" [%i = 14, %j = 6] {
//SIDE-NEXT:   |  for i in 14:
//SIDE-NEXT:   |    for j in 6:
//SIDE-NEXT:   |      block B    <-- here
//SIDE-NEXT:  why: it writes 0: B
//SIDE-NEXT:  try: buffer=0

//WROTE:error[KC0012]: transform-layout: option 'buffer' takes a buffer (a name, a position, read:POSITION or write:POSITION), not 'wrote:1'
//WROTE-NEXT:   |  func=two block=B buffer=wrote:1 index-map=(i,j)->(j,i)
//WROTE-NEXT:   |                          ^^^^^^^

//TEXT:error[KC0012]: transform-layout: option 'index-map' takes an index map (unknown index 'k'), not '(i,j)->(j,k)'
//TEXT-NEXT:   |  func=two block=B buffer=B index-map=(i,j)->(j,k)
//TEXT-NEXT:   |                                      ^^^^^^^^^^^^

//RANK:error[KC3501]: transform_layout: (i)->(i) takes 1 index
//RANK-NEXT:  --> {{.*}}transform_layout_invalid.mlir:27:3  %B = te.compute "B" [%i = 14, %j = 6] {
//RANK-NEXT:   |  for i in 14:
//RANK-NEXT:   |    for j in 6:
//RANK-NEXT:   |      block B    <-- here
//RANK-NEXT:  why: B has 2 dimensions
//RANK-NEXT:  try: index_map=(i, j)->(...)

//CLASH:error[KC3502]: transform_layout: (i, j)->(i floordiv 4, j) is not injective on B
//CLASH-NEXT:  --> {{.*}}transform_layout_invalid.mlir:27:3  %B = te.compute "B" [%i = 14, %j = 6] {
//CLASH-NEXT:   |  for i in 14:
//CLASH-NEXT:   |    for j in 6:
//CLASH-NEXT:   |      block B    <-- here
//CLASH-NEXT:  why: elements [0, 0] and [1, 0] would both be at [0, 0]

//CLASHN:error[KC3502]: transform_layout: (i)->(i mod 7) is not injective on A
//CLASHN-NEXT:  --> {{.*}}transform_layout_invalid.mlir:41:3  %T = te.compute "T" [%i = 4] reduce sum [%k = %n] {
//CLASHN-NEXT:   |  for i in 4:
//CLASHN-NEXT:   |    for k in n:
//CLASHN-NEXT:   |      block T    <-- here
//CLASHN-NEXT:  why: elements [6] and [13] (for n = 14) would both be at [6]

//NEGATIVE:error[KC3503]: transform_layout: (i, j)->(i - 1, j) maps B to indices outside any buffer
//NEGATIVE-NEXT:  --> {{.*}}transform_layout_invalid.mlir:27:3  %B = te.compute "B" [%i = 14, %j = 6] {
//NEGATIVE-NEXT:   |  for i in 14:
//NEGATIVE-NEXT:   |    for j in 6:
//NEGATIVE-NEXT:   |      block B    <-- here
//NEGATIVE-NEXT:  why: element [0, 0] would be at [-1, 0]
//NEGATIVE-NEXT:  try: add an offset that makes the smallest index 0

//HUGE:error[KC3503]: transform_layout: (i, j)->(i * 1000000000000, j * 1000) gives B the shape 13000000000001 x 5001
//HUGE-NEXT:  --> {{.*}}transform_layout_invalid.mlir:27:3  %B = te.compute "B" [%i = 14, %j = 6] {
//HUGE-NEXT:   |  for i in 14:
//HUGE-NEXT:   |    for j in 6:
//HUGE-NEXT:   |      block B    <-- here
//HUGE-NEXT:  why: a buffer has at most 281474976710656 elements

//OUTPUT:error[KC3505]: transform_layout: the output C would have padding
//OUTPUT-NEXT:  --> {{.*}}transform_layout_invalid.mlir:31:3  %C = te.compute "C" [%i = 14, %j = 6] {
//OUTPUT-NEXT:   |  for i in 14:
//OUTPUT-NEXT:   |    for j in 6:
//OUTPUT-NEXT:   |      block C    <-- here
//OUTPUT-NEXT:  why: the caller sees the whole buffer, and the padding would be undefined
//OUTPUT-NEXT:  try: pad_value=0
//OUTPUT-NEXT:  try: use a map whose factors divide the sizes of C

//HALF:error[KC3508]: transform_layout: B is an argument of @ints, which is called
//HALF-NEXT:  --> {{.*}}transform_layout_invalid.mlir:65:3  func.call @ints(%A, %B) : (memref<8xi8>, memref<8xi8>) -> ()
//HALF-NEXT:   |  func.call    <-- passes B with its present shape
//HALF-NEXT:  why: the shape of the argument would change, but not that of the value passed

//LARGE:error[KC3508]: transform_layout: B is an argument of @ints, which is called
//LARGE-NEXT:  --> {{.*}}transform_layout_invalid.mlir:65:3  func.call @ints(%A, %B) : (memref<8xi8>, memref<8xi8>) -> ()
//LARGE-NEXT:   |  func.call    <-- passes B with its present shape
//LARGE-NEXT:  why: the shape of the argument would change, but not that of the value passed

//PADRANK:error[KC3508]: transform_layout: B is an argument of @ints, which is called
//PADRANK-NEXT:  --> {{.*}}transform_layout_invalid.mlir:65:3  func.call @ints(%A, %B) : (memref<8xi8>, memref<8xi8>) -> ()
//PADRANK-NEXT:   |  func.call    <-- passes B with its present shape
//PADRANK-NEXT:  why: the shape of the argument would change, but not that of the value passed

//SYMBOL:error[KC3507]: transform_layout: no argument would determine n
//SYMBOL-NEXT:  --> {{.*}}transform_layout_invalid.mlir:41:3  %T = te.compute "T" [%i = 4] reduce sum [%k = %n] {
//SYMBOL-NEXT:   |  for i in 4:
//SYMBOL-NEXT:   |    for k in n:
//SYMBOL-NEXT:   |      block T    <-- here
//SYMBOL-NEXT:  why: n is known from the shape of A, which would be n ceildiv 4 x 4
//SYMBOL-NEXT:  try: let another argument have the size n, or be n

//CALLED:error[KC3508]: transform_layout: A is an argument of @ints, which is called
//CALLED-NEXT:  --> {{.*}}transform_layout_invalid.mlir:65:3  func.call @ints(%A, %B) : (memref<8xi8>, memref<8xi8>) -> ()
//CALLED-NEXT:   |  func.call    <-- passes A with its present shape
//CALLED-NEXT:  why: the shape of the argument would change, but not that of the value passed

//CALL:error[KC3303]: transform_layout: A of block D is used by func.call
//CALL-NEXT:  --> {{.*}}transform_layout_invalid.mlir:65:3  func.call @ints(%A, %B) : (memref<8xi8>, memref<8xi8>) -> ()
//CALL-NEXT:   |  func.call    <-- uses A
//CALL-NEXT:  why: the effect of func.call on it is unknown

//NAMELESS:error[KC3510]: transform_layout: dimension 0 of A has no name
//NAMELESS-NEXT:  --> {{.*}}transform_layout_invalid.mlir:73:5  tir.block "B" (spatial %v in %n = %i) do {
//NAMELESS-NEXT:   |  for i in n:
//NAMELESS-NEXT:   |    block B    <-- here
//NAMELESS-NEXT:  why: its size is queried, and could not be computed from the new shape
//NAMELESS-NEXT:  try: give the argument a kc.shape of symbolic sizes

//PADLESS:error[KC3510]: transform_layout: a dimension of B has no name
//PADLESS-NEXT:  --> {{.*}}transform_layout_invalid.mlir:73:5  tir.block "B" (spatial %v in %n = %i) do {
//PADLESS-NEXT:   |  for i in n:
//PADLESS-NEXT:   |    block B    <-- here
//PADLESS-NEXT:  why: the amount of padding depends on a size that only the old shape determines
//PADLESS-NEXT:  try: give the argument a kc.shape of symbolic sizes

//VECTORS:error[KC3504]: transform_layout: A of block B is accessed by vectors
//VECTORS-NEXT:  --> {{.*}}transform_layout_invalid.mlir:84:7  %x = tir.load %A[%v * 4] : memref<8xf32>, vector<4xf32>
//VECTORS-NEXT:   |  tir.load    <-- a vector<4xf32>
//VECTORS-NEXT:  why: neighbours along the last dimension may be elsewhere in the new layout
//VECTORS-NEXT:  try: transform_layout before vectorize-loop

//STRIDES:error[KC3504]: transform_layout: A of block B has a layout in memory
//STRIDES-NEXT:  --> {{.*}}transform_layout_invalid.mlir:93:5  tir.block "B" (spatial %v in 8 = %i) do {
//STRIDES-NEXT:   |  for i in 8:
//STRIDES-NEXT:   |    block B    <-- here
//STRIDES-NEXT:  why: its type is memref<8xf32, strided<[2]>>

//SIZES:error[KC3504]: transform_layout: the size of an unknown dimension of A is queried
//SIZES-NEXT:  --> {{.*}}transform_layout_invalid.mlir:102:3  %n = memref.dim %A, %d : memref<8xf32>
//SIZES-NEXT:   |  memref.dim    <-- here
//SIZES-NEXT:  why: the dimensions change

//ALIGNED:error[KC3509]: transform_layout: B of block B has storage_align
//ALIGNED-NEXT:  --> {{.*}}transform_layout_invalid.mlir:27:3  %B = te.compute "B" [%i = 14, %j = 6] {
//ALIGNED-NEXT:   |  for i in 14:
//ALIGNED-NEXT:   |    for j in 6:
//ALIGNED-NEXT:   |      block B    <-- here
//ALIGNED-NEXT:  why: it refers to dimensions that would no longer exist
//ALIGNED-NEXT:  try: transform_layout first, then storage_align

//SEPARATED:error[KC3509]: transform_layout: B of block B has axis_separators
//SEPARATED-NEXT:  --> {{.*}}transform_layout_invalid.mlir:27:3  %B = te.compute "B" [%i = 14, %j = 6] {
//SEPARATED-NEXT:   |  for i in 14:
//SEPARATED-NEXT:   |    for j in 6:
//SEPARATED-NEXT:   |      block B    <-- here
//SEPARATED-NEXT:  why: it refers to dimensions that would no longer exist
//SEPARATED-NEXT:  try: transform_layout first, then set_axis_separator
//SEPARATED-NEXT:  try: name the new ones by axis_separator in the map
