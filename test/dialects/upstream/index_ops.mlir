// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: index, %b: index, %i: i32) -> (index, i1, index, i32, index, i1) {
  %c = index.constant -3
  %t = index.bool.constant true
  %0 = index.add %a, %b
  %1 = index.ceildivs %0, %c
  %2 = index.shru %1, %b
  %3 = index.xor %2, %a
  %p = index.cmp slt(%3, %c)
  %w = index.casts %i : i32 to index
  %v = index.castu %a : index to i32
  %s = index.sizeof
  return %3, %p, %w, %v, %s, %t : index, i1, index, i32, index, i1
}

// CHECK: %c = index.constant -3
// CHECK: %t = index.bool.constant true
// CHECK: = index.add %a, %b
// CHECK: = index.ceildivs %{{.*}}, %c
// CHECK: = index.shru %{{.*}}, %b
// CHECK: = index.xor %{{.*}}, %a
// CHECK: %p = index.cmp slt(%{{.*}}, %c)
// CHECK: %w = index.casts %i : i32 to index
// CHECK: %v = index.castu %a : index to i32
// CHECK: %s = index.sizeof
