// What set_axis_separator refuses, and what it says then.
// RUN: not kc-opt %s --set-axis-separator="block=B buffer=Q axis-separators=1" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --set-axis-separator="block=B buffer=B axis-separators=3" 2>&1 | FileCheck %s --check-prefix=RANGE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --set-axis-separator="block=B buffer=B axis-separators=2,1" 2>&1 | FileCheck %s --check-prefix=ORDER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --set-axis-separator="block=V buffer=V axis-separators=1" 2>&1 | FileCheck %s --check-prefix=VECTOR --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-layout="block=B buffer=B index-map=(i,j,k)->(axis_separator,i,j,k)" 2>&1 | FileCheck %s --check-prefix=LAYOUT --match-full-lines --strict-whitespace

te.func @f(%A: tensor<4x8x2xf32>) -> tensor<8xf32> {
  %B = te.compute "B" [%i = 4, %j = 8, %k = 2] {
    %a = te.read %A[%i, %j, %k] : tensor<4x8x2xf32>
    te.yield %a : f32
  } : tensor<4x8x2xf32>
  %V = te.compute "V" [%i = 8] {
    %b = te.read %B[1, %i, 1] : tensor<4x8x2xf32>
    te.yield %b : f32
  } : tensor<8xf32>
  te.return %V : tensor<8xf32>
}

//NAME:error[KC3300]: set_axis_separator: block B uses no buffer Q
//NAME-NEXT:  --> {{.*}}set_axis_separator_invalid.mlir:9:3  %B = te.compute "B" [%i = 4, %j = 8, %k = 2] {
//NAME-NEXT:   |  for i in 4:
//NAME-NEXT:   |    for j in 8:
//NAME-NEXT:   |      for k in 2:
//NAME-NEXT:   |        block B    <-- here
//NAME-NEXT:  why: it uses 0: B, 1: A
//NAME-NEXT:  try: the buffers are: B, A

//RANGE:error[KC3515]: set_axis_separator: axis separators 3 for B
//RANGE-NEXT:  --> {{.*}}set_axis_separator_invalid.mlir:9:3  %B = te.compute "B" [%i = 4, %j = 8, %k = 2] {
//RANGE-NEXT:   |  for i in 4:
//RANGE-NEXT:   |    for j in 8:
//RANGE-NEXT:   |      for k in 2:
//RANGE-NEXT:   |        block B    <-- here
//RANGE-NEXT:  why: a separator is between two of its 3 dimensions: 1 to 2
//RANGE-NEXT:  try: axis_separators=1
//RANGE-NEXT:  try: axis_separators=2

//ORDER:error[KC3515]: set_axis_separator: axis separators 2, 1 for B
//ORDER-NEXT:  --> {{.*}}set_axis_separator_invalid.mlir:9:3  %B = te.compute "B" [%i = 4, %j = 8, %k = 2] {
//ORDER-NEXT:   |  for i in 4:
//ORDER-NEXT:   |    for j in 8:
//ORDER-NEXT:   |      for k in 2:
//ORDER-NEXT:   |        block B    <-- here
//ORDER-NEXT:  why: separators must be in increasing order, without repeats
//ORDER-NEXT:  try: axis_separators=1
//ORDER-NEXT:  try: axis_separators=2

//VECTOR:error[KC3515]: set_axis_separator: axis separators 1 for V
//VECTOR-NEXT:  --> {{.*}}set_axis_separator_invalid.mlir:13:3  %V = te.compute "V" [%i = 8] {
//VECTOR-NEXT:   |  for i in 8:
//VECTOR-NEXT:   |    block V    <-- here
//VECTOR-NEXT:  why: a buffer of 1 dimension cannot have separators

//LAYOUT:error[KC3515]: transform_layout: axis separators 0 for B
//LAYOUT-NEXT:  --> {{.*}}set_axis_separator_invalid.mlir:9:3  %B = te.compute "B" [%i = 4, %j = 8, %k = 2] {
//LAYOUT-NEXT:   |  for i in 4:
//LAYOUT-NEXT:   |    for j in 8:
//LAYOUT-NEXT:   |      for k in 2:
//LAYOUT-NEXT:   |        block B    <-- here
//LAYOUT-NEXT:  why: a separator is between two of its 3 dimensions: 1 to 2
//LAYOUT-NEXT:  try: axis_separators=1
//LAYOUT-NEXT:  try: axis_separators=2
