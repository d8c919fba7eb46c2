// RUN: kc-opt %s --index-to-arith | FileCheck %s
// Ops of index are those of arith on indices.

func.func @f(%a: index, %b: index, %i: i32) -> (index, i1, index, i32, index, i1) {
  %c = index.constant -3
  %t = index.bool.constant true
  %q = index.ceildivs %a, %b
  %m = index.maxu %q, %c
  %p = index.cmp ult(%m, %c)
  %w = index.casts %i : i32 to index
  %v = index.castu %a : index to i32
  %s = index.sizeof
  return %m, %p, %w, %v, %s, %t : index, i1, index, i32, index, i1
}

// CHECK-LABEL: func.func @f
// CHECK-NOT: index.
// CHECK: %c = arith.constant -3 : index
// CHECK: %t = arith.constant true
// CHECK: %q = arith.ceildivsi %a, %b : index
// CHECK: %m = arith.maxui %q, %c : index
// CHECK: %p = arith.cmpi ult, %m, %c : index
// CHECK: %w = arith.index_cast %i : i32 to index
// CHECK: %v = arith.index_castui %a : index to i32
// CHECK: %s = arith.constant 64 : index
