// What loop_partition refuses, and what it says then.
// RUN: not kc-opt %s --parallel="loop=i" --loop-partition="loop=i factors=?,1" 2>&1 | FileCheck %s --check-prefix=KIND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --annotate="loop=i key=x value=1" --loop-partition="loop=i factors=?,1" 2>&1 | FileCheck %s --check-prefix=NOTE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --loop-partition="loop=i" 2>&1 | FileCheck %s --check-prefix=NONE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --loop-partition="loop=i factors=?,1,?" 2>&1 | FileCheck %s --check-prefix=OPEN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --loop-partition="loop=i factors=?,0" 2>&1 | FileCheck %s --check-prefix=ZERO --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --loop-partition="loop=i factors=?,n" 2>&1 | FileCheck %s --check-prefix=SYMBOL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --loop-partition="loop=i factors=4,2" 2>&1 | FileCheck %s --check-prefix=REST --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --loop-partition="loop=i factors=?,9" 2>&1 | FileCheck %s --check-prefix=ALL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --loop-partition="loop=i factors=4" --loop-partition="loop=i factors=2" 2>&1 | FileCheck %s --check-prefix=GONE --match-full-lines --strict-whitespace

te.func @two(%A: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %B = te.compute "B" [%i = 6, %j = 4] {
    %a = te.read %A[%i, %j] : tensor<6x4xf32>
    te.yield %a : f32
  } : tensor<6x4xf32>
  te.return %B : tensor<6x4xf32>
}

//KIND:error[KC3010]: loop_partition: loop i is already parallel
//KIND-NEXT:  --> {{.*}}loop_partition_invalid.mlir:13:3  %B = te.compute "B" [%i = 6, %j = 4] {
//KIND-NEXT:   |  for i in 6 parallel:    <-- here
//KIND-NEXT:   |    for j in 4:
//KIND-NEXT:   |      block B
//KIND-NEXT:  why: a loop must be restructured before it gets a kind of execution
//KIND-NEXT:  try: loop_partition first, then parallel one of the results

//NOTE:error[KC3011]: loop_partition: loop i is annotated (x)
//NOTE-NEXT:  --> {{.*}}loop_partition_invalid.mlir:13:3  %B = te.compute "B" [%i = 6, %j = 4] {
//NOTE-NEXT:   |  for i in 6:    <-- here
//NOTE-NEXT:   |    for j in 4:
//NOTE-NEXT:   |      block B
//NOTE-NEXT:  why: the annotation refers to this loop and would be lost
//NOTE-NEXT:  try: loop_partition first, then annotate one of the results

//NONE:error[KC3460]: loop_partition: factors (none) for loop i
//NONE-NEXT:  --> {{.*}}loop_partition_invalid.mlir:13:3  %B = te.compute "B" [%i = 6, %j = 4] {
//NONE-NEXT:   |  for i in 6:    <-- here
//NONE-NEXT:   |    for j in 4:
//NONE-NEXT:   |      block B
//NONE-NEXT:  why: each factor is the size of a part, and at most one is open (?)
//NONE-NEXT:  try: factors=?,1

//OPEN:error[KC3460]: loop_partition: factors ?,1,? for loop i
//OPEN-NEXT:  --> {{.*}}loop_partition_invalid.mlir:13:3  %B = te.compute "B" [%i = 6, %j = 4] {
//OPEN-NEXT:   |  for i in 6:    <-- here
//OPEN-NEXT:   |    for j in 4:
//OPEN-NEXT:   |      block B
//OPEN-NEXT:  why: each factor is the size of a part, and at most one is open (?)
//OPEN-NEXT:  try: factors=?,1

//ZERO:error[KC3461]: loop_partition: factor 0 for loop i
//ZERO-NEXT:  --> {{.*}}loop_partition_invalid.mlir:13:3  %B = te.compute "B" [%i = 6, %j = 4] {
//ZERO-NEXT:   |  for i in 6:    <-- here
//ZERO-NEXT:   |    for j in 4:
//ZERO-NEXT:   |      block B
//ZERO-NEXT:  why: a factor is a number of iterations, at least 1
//ZERO-NEXT:  try: factors=?,1

//SYMBOL:error[KC3023]: loop_partition: 'n' is neither a number nor a symbolic size of @two
//SYMBOL-NEXT:  --> {{.*}}loop_partition_invalid.mlir:13:3  %B = te.compute "B" [%i = 6, %j = 4] {
//SYMBOL-NEXT:  try: use a number or ?

//REST:error[KC3462]: loop_partition: the parts 4,2 of loop i leave no remainder
//REST-NEXT:  --> {{.*}}loop_partition_invalid.mlir:13:3  %B = te.compute "B" [%i = 6, %j = 4] {
//REST-NEXT:   |  for i in 6:    <-- here
//REST-NEXT:   |    for j in 4:
//REST-NEXT:   |      block B
//REST-NEXT:  why: they have 6 iterations and the loop has 6
//REST-NEXT:  try: factors=4,?

//ALL:error[KC3462]: loop_partition: the parts ?,9 of loop i leave no remainder
//ALL-NEXT:  --> {{.*}}loop_partition_invalid.mlir:13:3  %B = te.compute "B" [%i = 6, %j = 4] {
//ALL-NEXT:   |  for i in 6:    <-- here
//ALL-NEXT:   |    for j in 4:
//ALL-NEXT:   |      block B
//ALL-NEXT:  why: they have 9 iterations and the loop has 6
//ALL-NEXT:  try: factors=3,?

//GONE:error[KC3003]: there is no loop 'i' in @two
//GONE-NEXT:  --> {{.*}}loop_partition_invalid.mlir:12:1  te.func @two(%A: tensor<6x4xf32>) -> tensor<6x4xf32> {
//GONE-NEXT:   |  for i_0 in 4:
//GONE-NEXT:   |    for j in 4:
//GONE-NEXT:   |      block B
//GONE-NEXT:   |  for i_1 in 2:
//GONE-NEXT:   |    for j in 4:
//GONE-NEXT:   |      block B_1
//GONE-NEXT:  why: i was cut into i_0, i_1
//GONE-NEXT:  try: did you mean 'i_1' or 'i_0'?
