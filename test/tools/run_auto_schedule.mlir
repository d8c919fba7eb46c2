// RUN: kc-run %s --auto-schedule | FileCheck %s

// CHECK: B
// CHECK: 3. 3. 3. 3. 3. 3. 3. 3.
func.func @fill(%B: memref<8xf32>) {
  %x = arith.constant 3.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %x, %B[%i] : memref<8xf32>
  }
  func.return
}
