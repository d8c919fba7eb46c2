// Branches need a region of several blocks: what is in others is lowered after them.
// RUN: kc-opt %s --convert-scf-to-cf --split-input-file --verify-diagnostics

func.func @in_a_block(%A: memref<8xf32>, %c: i1) {
  tir.for %i in 8 {
    tir.block "A" (spatial %v in 8 = %i) do {
      // expected-error@+1 {{scf.if is in tir.block, which has no branches}}
      %x = scf.if %c -> (f32) {
        %zero = arith.constant 0.0 : f32
        scf.yield %zero : f32
      } else {
        %one = arith.constant 1.0 : f32
        scf.yield %one : f32
      }
      tir.store %x, %A[%v] : memref<8xf32>
    }
  }
  func.return
}

// -----

func.func @in_a_while(%A: memref<8xf32>, %a: f32, %c: i1) {
  %c0 = arith.constant 0 : index
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    // expected-error@+1 {{scf.if is in scf.while, which has no branches}}
    scf.if %c {
      memref.store %a, %A[%c0] : memref<8xf32>
    }
    scf.yield
  }
  func.return
}

// -----

func.func @in_affine(%A: memref<8xf32>, %a: f32, %c: i1) {
  affine.for %i = 0 to 8 {
    // expected-error@+1 {{scf.if is in affine.for, which has no branches}}
    scf.if %c {
      memref.store %a, %A[%i] : memref<8xf32>
    }
  }
  func.return
}

// -----

// An scf.execute_region may have several.
func.func @in_a_region(%A: memref<8xf32>, %a: f32, %c: i1) {
  %c0 = arith.constant 0 : index
  scf.execute_region {
    scf.if %c {
      memref.store %a, %A[%c0] : memref<8xf32>
    }
    scf.yield
  }
  func.return
}
