// What unsafe_set_dtype refuses, and what it says then.
// RUN: not kc-opt %s --unsafe-set-dtype="block=B buffer=A dtype=float16 unsafe" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --unsafe-set-dtype="block=C buffer=C dtype=float16 unsafe" 2>&1 | FileCheck %s --check-prefix=OUTPUT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --unsafe-set-dtype="block=B buffer=B dtype=float8 unsafe" 2>&1 | FileCheck %s --check-prefix=DTYPE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --unsafe-set-dtype="block=N buffer=N dtype=float32 unsafe" 2>&1 | FileCheck %s --check-prefix=INDEX --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --unsafe-set-dtype="block=B buffer=B dtype=float16" 2>&1 | FileCheck %s --check-prefix=PRECISION --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --unsafe-set-dtype="block=B buffer=B dtype=int32" 2>&1 | FileCheck %s --check-prefix=FRACTION --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --unsafe-set-dtype="block=I buffer=I dtype=float32" 2>&1 | FileCheck %s --check-prefix=ROUND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --unsafe-set-dtype="block=I buffer=I dtype=uint16" 2>&1 | FileCheck %s --check-prefix=WRAP --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --unsafe-set-dtype="block=V buffer=V dtype=float64" 2>&1 | FileCheck %s --check-prefix=VECTORS --match-full-lines --strict-whitespace

func.func @f(%A: memref<16xf32>, %C: memref<16xf32>) {
  %B = tir.alloc "B" : memref<16xf32>
  %I = tir.alloc "I" : memref<16xi32>
  %N = tir.alloc "N" : memref<16xindex>
  %V = tir.alloc "V" : memref<16xf32>
  tir.for %i in 16 {
    tir.block "B" (spatial %v in 16 = %i) do {
      %a = tir.load %A[%v] : memref<16xf32>
      tir.store %a, %B[%v] : memref<16xf32>
    }
    tir.block "I" (spatial %v in 16 = %i) do {
      %a = tir.load %A[%v] : memref<16xf32>
      %x = arith.fptosi %a : f32 to i32
      tir.store %x, %I[%v] : memref<16xi32>
    }
    tir.block "N" (spatial %v in 16 = %i) do {
      tir.store %v, %N[%v] : memref<16xindex>
    }
    tir.block "C" (spatial %v in 16 = %i) do {
      %a = tir.load %B[%v] : memref<16xf32>
      tir.store %a, %C[%v] : memref<16xf32>
    }
  }
  tir.for %i in 4 {
    tir.block "V" (spatial %v in 4 = %i) do {
      %a = tir.load %A[%v * 4] : memref<16xf32>, vector<4xf32>
      tir.store %a, %V[%v * 4] : memref<16xf32>, vector<4xf32>
    }
  }
  func.return
}

//NAME:error[KC3300]: unsafe_set_dtype: block B writes no buffer A
//NAME-NEXT:  --> {{.*}}unsafe_set_dtype_invalid.mlir:18:5  tir.block "B" (spatial %v in 16 = %i) do {
//NAME-NEXT:   |  for i in 16:
//NAME-NEXT:   |    block B    <-- here
//NAME-NEXT:   |    block I
//NAME-NEXT:   |    block N
//NAME-NEXT:   |    block C
//NAME-NEXT:  why: it writes 0: B
//NAME-NEXT:  try: the buffers are: B

//OUTPUT:error[KC3320]: unsafe_set_dtype: C of block C is an argument of the function
//OUTPUT-NEXT:  --> {{.*}}unsafe_set_dtype_invalid.mlir:30:5  tir.block "C" (spatial %v in 16 = %i) do {
//OUTPUT-NEXT:   |  for i in 16:
//OUTPUT-NEXT:   |    block B
//OUTPUT-NEXT:   |    block I
//OUTPUT-NEXT:   |    block N
//OUTPUT-NEXT:   |    block C    <-- here
//OUTPUT-NEXT:  why: the caller decides where an argument is and how it is laid out
//OUTPUT-NEXT:  try: cache_write gives block C its own buffer

//DTYPE:error[KC3540]: unsafe_set_dtype: dtype float8 for elements of type f32
//DTYPE-NEXT:  --> {{.*}}unsafe_set_dtype_invalid.mlir:18:5  tir.block "B" (spatial %v in 16 = %i) do {
//DTYPE-NEXT:   |  for i in 16:
//DTYPE-NEXT:   |    block B    <-- here
//DTYPE-NEXT:   |    block I
//DTYPE-NEXT:   |    block N
//DTYPE-NEXT:   |    block C
//DTYPE-NEXT:  why: it is not the name of a data type
//DTYPE-NEXT:  try: did you mean 'float64' or 'float32' or 'float16'?

//INDEX:error[KC3540]: unsafe_set_dtype: dtype float32 for elements of type index
//INDEX-NEXT:  --> {{.*}}unsafe_set_dtype_invalid.mlir:27:5  tir.block "N" (spatial %v in 16 = %i) do {
//INDEX-NEXT:   |  for i in 16:
//INDEX-NEXT:   |    block B
//INDEX-NEXT:   |    block I
//INDEX-NEXT:   |    block N    <-- here
//INDEX-NEXT:   |    block C
//INDEX-NEXT:  why: index cannot be converted to float32
//INDEX-NEXT:  try: did you mean 'int32'?

//PRECISION:error[KC3541]: unsafe_set_dtype: B of block B as float16 changes results
//PRECISION-NEXT:  --> {{.*}}unsafe_set_dtype_invalid.mlir:18:5  tir.block "B" (spatial %v in 16 = %i) do {
//PRECISION-NEXT:   |  for i in 16:
//PRECISION-NEXT:   |    block B    <-- here
//PRECISION-NEXT:   |    block I
//PRECISION-NEXT:   |    block N
//PRECISION-NEXT:   |    block C
//PRECISION-NEXT:  why: f16 has 11 bits of precision, and numbers up to 65504
//PRECISION-NEXT:  try: unsafe, if that is acceptable
//PRECISION-NEXT:  try: dtype=float64

//FRACTION:error[KC3541]: unsafe_set_dtype: B of block B as int32 changes results
//FRACTION-NEXT:  --> {{.*}}unsafe_set_dtype_invalid.mlir:18:5  tir.block "B" (spatial %v in 16 = %i) do {
//FRACTION-NEXT:   |  for i in 16:
//FRACTION-NEXT:   |    block B    <-- here
//FRACTION-NEXT:   |    block I
//FRACTION-NEXT:   |    block N
//FRACTION-NEXT:   |    block C
//FRACTION-NEXT:  why: fractions are cut off, and values outside of -2147483648 to 2147483647 are undefined
//FRACTION-NEXT:  try: unsafe, if that is acceptable
//FRACTION-NEXT:  try: dtype=float64

//ROUND:error[KC3541]: unsafe_set_dtype: I of block I as float32 changes results
//ROUND-NEXT:  --> {{.*}}unsafe_set_dtype_invalid.mlir:22:5  tir.block "I" (spatial %v in 16 = %i) do {
//ROUND-NEXT:   |  for i in 16:
//ROUND-NEXT:   |    block B
//ROUND-NEXT:   |    block I    <-- here
//ROUND-NEXT:   |    block N
//ROUND-NEXT:   |    block C
//ROUND-NEXT:  why: f32 has 24 bits of precision: larger integers are rounded
//ROUND-NEXT:  try: unsafe, if that is acceptable
//ROUND-NEXT:  try: dtype=float64
//ROUND-NEXT:  try: dtype=int64

//WRAP:error[KC3541]: unsafe_set_dtype: I of block I as uint16 changes results
//WRAP-NEXT:  --> {{.*}}unsafe_set_dtype_invalid.mlir:22:5  tir.block "I" (spatial %v in 16 = %i) do {
//WRAP-NEXT:   |  for i in 16:
//WRAP-NEXT:   |    block B
//WRAP-NEXT:   |    block I    <-- here
//WRAP-NEXT:   |    block N
//WRAP-NEXT:   |    block C
//WRAP-NEXT:  why: values outside of 0 to 65535 wrap around
//WRAP-NEXT:  try: unsafe, if that is acceptable
//WRAP-NEXT:  try: dtype=float64
//WRAP-NEXT:  try: dtype=int64

//VECTORS:error[KC3504]: unsafe_set_dtype: V of block V is accessed by vectors
//VECTORS-NEXT:  --> {{.*}}unsafe_set_dtype_invalid.mlir:38:7  tir.store %a, %V[%v * 4] : memref<16xf32>, vector<4xf32>
//VECTORS-NEXT:   |  store to V    <-- a vector<4xf32>
//VECTORS-NEXT:  why: elements are converted one by one
//VECTORS-NEXT:  try: unsafe_set_dtype before vectorize-loop
