// What cache_write refuses, and what it says then.
// RUN: not kc-opt %s --cache-write="func=holes block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=holes block=C scope=LOCAL" 2>&1 | FileCheck %s --check-prefix=SCOPE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=holes block=C buffer=C" 2>&1 | FileCheck %s --check-prefix=HOLES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=unknown block=C buffer=C" 2>&1 | FileCheck %s --check-prefix=SIZE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=noticed block=B buffer=B" 2>&1 | FileCheck %s --check-prefix=NOTICED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=overwritten block=B buffer=B" 2>&1 | FileCheck %s --check-prefix=AGAIN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=update block=S buffer=S" 2>&1 | FileCheck %s --check-prefix=UPDATE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=lanes block=B buffer=B" 2>&1 | FileCheck %s --check-prefix=LANES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=stored block=B buffer=B" 2>&1 | FileCheck %s --check-prefix=STORED --match-full-lines --strict-whitespace

func.func @holes(%A: memref<8xf32>, %C: memref<16xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i * 2] : memref<16xf32>
    }
  }
  func.return
}

func.func @unknown(%n: index, %C: memref<?xf32>) {
  tir.for %i in %n {
    tir.block "C" (spatial %v_i in %n = %i) do {
      %x = arith.constant 1.0 : f32
      tir.store %x, %C[%v_i] : memref<?xf32>
    }
  }
  func.return
}

// D, in the same loop, reads what B wrote in the iteration before.
func.func @noticed(%B: memref<9xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %j in 1 {
      tir.block "B" (spatial %v_i in 9 = %i + 1) do {
        %x = arith.constant 1.0 : f32
        tir.store %x, %B[%v_i] : memref<9xf32>
        tir.for %k in 8 {
          %y = tir.load %B[%k] : memref<9xf32>
          tir.store %y, %D[%k] : memref<8xf32>
        }
      }
    }
  }
  func.return
}

func.func @overwritten(%B: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "outer" (opaque %u in 8 = %i) do {
      %x = arith.constant 1.0 : f32
      tir.store %x, %B[%u] : memref<8xf32>
    }
    tir.for %j in 8 {
      tir.block "B" (opaque %v_j in 8 = %j) where (%i + %j < 8) do {
        %x = arith.constant 2.0 : f32
        tir.store %x, %B[%v_j] : memref<8xf32>
      }
    }
  }
  func.return
}

func.func @update(%A: memref<4x8xf32>, %S: memref<4xf32>) {
  tir.for %i in 4 {
    tir.block "S_init" (spatial %v_i in 4 = %i) do {
      %x = arith.constant 0.0 : f32
      tir.store %x, %S[%v_i] : memref<4xf32>
    }
    tir.for %k in 8 {
      tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) do {
        %x = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
        %s = tir.load %S[%v_i] : memref<4xf32>
        %t = arith.addf %s, %x : f32
        tir.store %t, %S[%v_i] : memref<4xf32>
      }
    }
  }
  func.return
}

func.func @lanes(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 vectorized {
    %B = tir.alloc "B" : memref<1xf32>
    tir.block "B" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      tir.store %x, %B[0] : memref<1xf32>
    }
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[0] : memref<1xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func private @change(memref<8xf32>)

func.func @stored(%B: memref<8xf32>) {
  func.call @change(%B) : (memref<8xf32>) -> ()
  tir.for %i in 8 {
    tir.block "B" (spatial %v_i in 8 = %i) do {
      %x = arith.constant 1.0 : f32
      tir.store %x, %B[%v_i] : memref<8xf32>
    }
  }
  func.return
}

//CHECKS
//NAME:error[KC3300]: cache_write: block C writes no buffer A
//NAME-NEXT:  --> {{.*}}cache_write_invalid.mlir:14:5  tir.block "C" (spatial %v_i in 8 = %i) do {
//NAME-NEXT:   |  for i in 8:
//NAME-NEXT:   |    block C    <-- here
//NAME-NEXT:  why: it writes 0: C
//NAME-NEXT:  try: the buffers are: C

//SCOPE:error[KC3301]: cache_write: target llvm has no memory scope 'LOCAL'
//SCOPE-NEXT:  --> {{.*}}cache_write_invalid.mlir:12:1  func.func @holes(%A: memref<8xf32>, %C: memref<16xf32>) {
//SCOPE-NEXT:  try: the scopes are: global, local, shared, warp

//HOLES:builtin.module {
//HOLES-NEXT:  func.func @holes(%A: memref<8xf32>, %C: memref<16xf32>) {
//HOLES-NEXT:    tir.for %i in 8 {
//HOLES-NEXT:      %C_global = tir.alloc "C_global" : memref<16xf32>
//HOLES-NEXT:      tir.block "C" (spatial %v_i in 8 = %i) do {
//HOLES-NEXT:        %x = tir.load %A[%v_i] : memref<8xf32>
//HOLES-NEXT:        tir.store %x, %C_global[%v_i * 2] : memref<16xf32>
//HOLES-NEXT:      }
//HOLES-NEXT:      tir.for %ax0 in 1 {
//HOLES-NEXT:        tir.block "C_global" (spatial %v0 in 16 = %i * 2) do {
//HOLES-NEXT:          %value = tir.load %C_global[%v0] : memref<16xf32>
//HOLES-NEXT:          tir.store %value, %C[%v0] : memref<16xf32>
//HOLES-NEXT:        }
//HOLES-NEXT:      }
//HOLES-NEXT:    }
//HOLES-NEXT:    func.return
//HOLES-NEXT:  }
//HOLES-NEXT:  func.func @unknown(%n: index, %C: memref<?xf32>) {
//HOLES-NEXT:    tir.for %i in %n {
//HOLES-NEXT:      tir.block "C" (spatial %v_i in %n = %i) do {
//HOLES-NEXT:        %x = arith.constant 1.000000e+00 : f32
//HOLES-NEXT:        tir.store %x, %C[%v_i] : memref<?xf32>
//HOLES-NEXT:      }
//HOLES-NEXT:    }
//HOLES-NEXT:    func.return
//HOLES-NEXT:  }
//HOLES-NEXT:  func.func @noticed(%B: memref<9xf32>, %D: memref<8xf32>) {
//HOLES-NEXT:    tir.for %i in 8 {
//HOLES-NEXT:      tir.for %j in 1 {
//HOLES-NEXT:        tir.block "B" (spatial %v_i in 9 = %i + 1) do {
//HOLES-NEXT:          %x = arith.constant 1.000000e+00 : f32
//HOLES-NEXT:          tir.store %x, %B[%v_i] : memref<9xf32>
//HOLES-NEXT:          tir.for %k in 8 {
//HOLES-NEXT:            %y = tir.load %B[%k] : memref<9xf32>
//HOLES-NEXT:            tir.store %y, %D[%k] : memref<8xf32>
//HOLES-NEXT:          }
//HOLES-NEXT:        }
//HOLES-NEXT:      }
//HOLES-NEXT:    }
//HOLES-NEXT:    func.return
//HOLES-NEXT:  }
//HOLES-NEXT:  func.func @overwritten(%B: memref<8xf32>) {
//HOLES-NEXT:    tir.for %i in 8 {
//HOLES-NEXT:      tir.block "outer" (opaque %u in 8 = %i) do {
//HOLES-NEXT:        %x = arith.constant 1.000000e+00 : f32
//HOLES-NEXT:        tir.store %x, %B[%u] : memref<8xf32>
//HOLES-NEXT:      }
//HOLES-NEXT:      tir.for %j in 8 {
//HOLES-NEXT:        tir.block "B" (opaque %v_j in 8 = %j) where (%i + %j < 8) do {
//HOLES-NEXT:          %x = arith.constant 2.000000e+00 : f32
//HOLES-NEXT:          tir.store %x, %B[%v_j] : memref<8xf32>
//HOLES-NEXT:        }
//HOLES-NEXT:      }
//HOLES-NEXT:    }
//HOLES-NEXT:    func.return
//HOLES-NEXT:  }
//HOLES-NEXT:  func.func @update(%A: memref<4x8xf32>, %S: memref<4xf32>) {
//HOLES-NEXT:    tir.for %i in 4 {
//HOLES-NEXT:      tir.block "S_init" (spatial %v_i in 4 = %i) do {
//HOLES-NEXT:        %x = arith.constant 0.000000e+00 : f32
//HOLES-NEXT:        tir.store %x, %S[%v_i] : memref<4xf32>
//HOLES-NEXT:      }
//HOLES-NEXT:      tir.for %k in 8 {
//HOLES-NEXT:        tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) do {
//HOLES-NEXT:          %x = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
//HOLES-NEXT:          %s = tir.load %S[%v_i] : memref<4xf32>
//HOLES-NEXT:          %t = arith.addf %s, %x : f32
//HOLES-NEXT:          tir.store %t, %S[%v_i] : memref<4xf32>
//HOLES-NEXT:        }
//HOLES-NEXT:      }
//HOLES-NEXT:    }
//HOLES-NEXT:    func.return
//HOLES-NEXT:  }
//HOLES-NEXT:  func.func @lanes(%A: memref<8xf32>, %C: memref<8xf32>) {
//HOLES-NEXT:    tir.for %i in 8 vectorized {
//HOLES-NEXT:      %B = tir.alloc "B" : memref<1xf32>
//HOLES-NEXT:      tir.block "B" (spatial %v_i in 8 = %i) do {
//HOLES-NEXT:        %x = tir.load %A[%v_i] : memref<8xf32>
//HOLES-NEXT:        tir.store %x, %B[0] : memref<1xf32>
//HOLES-NEXT:      }
//HOLES-NEXT:      tir.block "C" (spatial %v_i in 8 = %i) do {
//HOLES-NEXT:        %x = tir.load %B[0] : memref<1xf32>
//HOLES-NEXT:        tir.store %x, %C[%v_i] : memref<8xf32>
//HOLES-NEXT:      }
//HOLES-NEXT:    }
//HOLES-NEXT:    func.return
//HOLES-NEXT:  }
//HOLES-NEXT:  func.func private @change(memref<8xf32>) -> ()
//HOLES-NEXT:  func.func @stored(%B: memref<8xf32>) {
//HOLES-NEXT:    func.call @change(%B) : (memref<8xf32>) -> ()
//HOLES-NEXT:    tir.for %i in 8 {
//HOLES-NEXT:      tir.block "B" (spatial %v_i in 8 = %i) do {
//HOLES-NEXT:        %x = arith.constant 1.000000e+00 : f32
//HOLES-NEXT:        tir.store %x, %B[%v_i] : memref<8xf32>
//HOLES-NEXT:      }
//HOLES-NEXT:    }
//HOLES-NEXT:    func.return
//HOLES-NEXT:  }
//HOLES-NEXT:}

//SIZE:builtin.module {
//SIZE-NEXT:  func.func @holes(%A: memref<8xf32>, %C: memref<16xf32>) {
//SIZE-NEXT:    tir.for %i in 8 {
//SIZE-NEXT:      tir.block "C" (spatial %v_i in 8 = %i) do {
//SIZE-NEXT:        %x = tir.load %A[%v_i] : memref<8xf32>
//SIZE-NEXT:        tir.store %x, %C[%v_i * 2] : memref<16xf32>
//SIZE-NEXT:      }
//SIZE-NEXT:    }
//SIZE-NEXT:    func.return
//SIZE-NEXT:  }
//SIZE-NEXT:  func.func @unknown(%n: index, %C: memref<?xf32>) {
//SIZE-NEXT:    %0 = arith.constant 0 : index
//SIZE-NEXT:    %1 = memref.dim %C, %0 : memref<?xf32>
//SIZE-NEXT:    tir.for %i in %n {
//SIZE-NEXT:      %C_global = tir.alloc "C_global" (%1) : memref<?xf32>
//SIZE-NEXT:      tir.block "C" (spatial %v_i in %n = %i) do {
//SIZE-NEXT:        %x = arith.constant 1.000000e+00 : f32
//SIZE-NEXT:        tir.store %x, %C_global[%v_i] : memref<?xf32>
//SIZE-NEXT:      }
//SIZE-NEXT:      tir.for %ax0 in 1 {
//SIZE-NEXT:        tir.block "C_global" (spatial %v0 in %1 = %i) where (%i < %1) do {
//SIZE-NEXT:          %value = tir.load %C_global[%v0] : memref<?xf32>
//SIZE-NEXT:          tir.store %value, %C[%v0] : memref<?xf32>
//SIZE-NEXT:        }
//SIZE-NEXT:      }
//SIZE-NEXT:    }
//SIZE-NEXT:    func.return
//SIZE-NEXT:  }
//SIZE-NEXT:  func.func @noticed(%B: memref<9xf32>, %D: memref<8xf32>) {
//SIZE-NEXT:    tir.for %i in 8 {
//SIZE-NEXT:      tir.for %j in 1 {
//SIZE-NEXT:        tir.block "B" (spatial %v_i in 9 = %i + 1) do {
//SIZE-NEXT:          %x = arith.constant 1.000000e+00 : f32
//SIZE-NEXT:          tir.store %x, %B[%v_i] : memref<9xf32>
//SIZE-NEXT:          tir.for %k in 8 {
//SIZE-NEXT:            %y = tir.load %B[%k] : memref<9xf32>
//SIZE-NEXT:            tir.store %y, %D[%k] : memref<8xf32>
//SIZE-NEXT:          }
//SIZE-NEXT:        }
//SIZE-NEXT:      }
//SIZE-NEXT:    }
//SIZE-NEXT:    func.return
//SIZE-NEXT:  }
//SIZE-NEXT:  func.func @overwritten(%B: memref<8xf32>) {
//SIZE-NEXT:    tir.for %i in 8 {
//SIZE-NEXT:      tir.block "outer" (opaque %u in 8 = %i) do {
//SIZE-NEXT:        %x = arith.constant 1.000000e+00 : f32
//SIZE-NEXT:        tir.store %x, %B[%u] : memref<8xf32>
//SIZE-NEXT:      }
//SIZE-NEXT:      tir.for %j in 8 {
//SIZE-NEXT:        tir.block "B" (opaque %v_j in 8 = %j) where (%i + %j < 8) do {
//SIZE-NEXT:          %x = arith.constant 2.000000e+00 : f32
//SIZE-NEXT:          tir.store %x, %B[%v_j] : memref<8xf32>
//SIZE-NEXT:        }
//SIZE-NEXT:      }
//SIZE-NEXT:    }
//SIZE-NEXT:    func.return
//SIZE-NEXT:  }
//SIZE-NEXT:  func.func @update(%A: memref<4x8xf32>, %S: memref<4xf32>) {
//SIZE-NEXT:    tir.for %i in 4 {
//SIZE-NEXT:      tir.block "S_init" (spatial %v_i in 4 = %i) do {
//SIZE-NEXT:        %x = arith.constant 0.000000e+00 : f32
//SIZE-NEXT:        tir.store %x, %S[%v_i] : memref<4xf32>
//SIZE-NEXT:      }
//SIZE-NEXT:      tir.for %k in 8 {
//SIZE-NEXT:        tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) do {
//SIZE-NEXT:          %x = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
//SIZE-NEXT:          %s = tir.load %S[%v_i] : memref<4xf32>
//SIZE-NEXT:          %t = arith.addf %s, %x : f32
//SIZE-NEXT:          tir.store %t, %S[%v_i] : memref<4xf32>
//SIZE-NEXT:        }
//SIZE-NEXT:      }
//SIZE-NEXT:    }
//SIZE-NEXT:    func.return
//SIZE-NEXT:  }
//SIZE-NEXT:  func.func @lanes(%A: memref<8xf32>, %C: memref<8xf32>) {
//SIZE-NEXT:    tir.for %i in 8 vectorized {
//SIZE-NEXT:      %B = tir.alloc "B" : memref<1xf32>
//SIZE-NEXT:      tir.block "B" (spatial %v_i in 8 = %i) do {
//SIZE-NEXT:        %x = tir.load %A[%v_i] : memref<8xf32>
//SIZE-NEXT:        tir.store %x, %B[0] : memref<1xf32>
//SIZE-NEXT:      }
//SIZE-NEXT:      tir.block "C" (spatial %v_i in 8 = %i) do {
//SIZE-NEXT:        %x = tir.load %B[0] : memref<1xf32>
//SIZE-NEXT:        tir.store %x, %C[%v_i] : memref<8xf32>
//SIZE-NEXT:      }
//SIZE-NEXT:    }
//SIZE-NEXT:    func.return
//SIZE-NEXT:  }
//SIZE-NEXT:  func.func private @change(memref<8xf32>) -> ()
//SIZE-NEXT:  func.func @stored(%B: memref<8xf32>) {
//SIZE-NEXT:    func.call @change(%B) : (memref<8xf32>) -> ()
//SIZE-NEXT:    tir.for %i in 8 {
//SIZE-NEXT:      tir.block "B" (spatial %v_i in 8 = %i) do {
//SIZE-NEXT:        %x = arith.constant 1.000000e+00 : f32
//SIZE-NEXT:        tir.store %x, %B[%v_i] : memref<8xf32>
//SIZE-NEXT:      }
//SIZE-NEXT:    }
//SIZE-NEXT:    func.return
//SIZE-NEXT:  }
//SIZE-NEXT:}

//NOTICED:error[KC3308]: cache_write: block B reads B both as it was before and as it writes it
//NOTICED-NEXT:  --> {{.*}}cache_write_invalid.mlir:36:7  tir.block "B" (spatial %v_i in 9 = %i + 1) do {
//NOTICED-NEXT:   |  for i in 8:
//NOTICED-NEXT:   |    for j in 1:
//NOTICED-NEXT:   |      block B    <-- here
//NOTICED-NEXT:  why: it reads element [0] before it writes it, others after

//AGAIN:error[KC3307]: cache_write: block outer writes B before it would be copied
//AGAIN-NEXT:  --> {{.*}}cache_write_invalid.mlir:51:5  tir.block "outer" (opaque %u in 8 = %i) do {
//AGAIN-NEXT:   |  for i in 8:
//AGAIN-NEXT:   |    block outer    <-- writes B
//AGAIN-NEXT:   |    for j in 8:
//AGAIN-NEXT:   |      block B    <-- writes B
//AGAIN-NEXT:  why: block outer at (i=1) writes what block B at (i=0, j=1) writes

//UPDATE:builtin.module {
//UPDATE-NEXT:  func.func @holes(%A: memref<8xf32>, %C: memref<16xf32>) {
//UPDATE-NEXT:    tir.for %i in 8 {
//UPDATE-NEXT:      tir.block "C" (spatial %v_i in 8 = %i) do {
//UPDATE-NEXT:        %x = tir.load %A[%v_i] : memref<8xf32>
//UPDATE-NEXT:        tir.store %x, %C[%v_i * 2] : memref<16xf32>
//UPDATE-NEXT:      }
//UPDATE-NEXT:    }
//UPDATE-NEXT:    func.return
//UPDATE-NEXT:  }
//UPDATE-NEXT:  func.func @unknown(%n: index, %C: memref<?xf32>) {
//UPDATE-NEXT:    tir.for %i in %n {
//UPDATE-NEXT:      tir.block "C" (spatial %v_i in %n = %i) do {
//UPDATE-NEXT:        %x = arith.constant 1.000000e+00 : f32
//UPDATE-NEXT:        tir.store %x, %C[%v_i] : memref<?xf32>
//UPDATE-NEXT:      }
//UPDATE-NEXT:    }
//UPDATE-NEXT:    func.return
//UPDATE-NEXT:  }
//UPDATE-NEXT:  func.func @noticed(%B: memref<9xf32>, %D: memref<8xf32>) {
//UPDATE-NEXT:    tir.for %i in 8 {
//UPDATE-NEXT:      tir.for %j in 1 {
//UPDATE-NEXT:        tir.block "B" (spatial %v_i in 9 = %i + 1) do {
//UPDATE-NEXT:          %x = arith.constant 1.000000e+00 : f32
//UPDATE-NEXT:          tir.store %x, %B[%v_i] : memref<9xf32>
//UPDATE-NEXT:          tir.for %k in 8 {
//UPDATE-NEXT:            %y = tir.load %B[%k] : memref<9xf32>
//UPDATE-NEXT:            tir.store %y, %D[%k] : memref<8xf32>
//UPDATE-NEXT:          }
//UPDATE-NEXT:        }
//UPDATE-NEXT:      }
//UPDATE-NEXT:    }
//UPDATE-NEXT:    func.return
//UPDATE-NEXT:  }
//UPDATE-NEXT:  func.func @overwritten(%B: memref<8xf32>) {
//UPDATE-NEXT:    tir.for %i in 8 {
//UPDATE-NEXT:      tir.block "outer" (opaque %u in 8 = %i) do {
//UPDATE-NEXT:        %x = arith.constant 1.000000e+00 : f32
//UPDATE-NEXT:        tir.store %x, %B[%u] : memref<8xf32>
//UPDATE-NEXT:      }
//UPDATE-NEXT:      tir.for %j in 8 {
//UPDATE-NEXT:        tir.block "B" (opaque %v_j in 8 = %j) where (%i + %j < 8) do {
//UPDATE-NEXT:          %x = arith.constant 2.000000e+00 : f32
//UPDATE-NEXT:          tir.store %x, %B[%v_j] : memref<8xf32>
//UPDATE-NEXT:        }
//UPDATE-NEXT:      }
//UPDATE-NEXT:    }
//UPDATE-NEXT:    func.return
//UPDATE-NEXT:  }
//UPDATE-NEXT:  func.func @update(%A: memref<4x8xf32>, %S: memref<4xf32>) {
//UPDATE-NEXT:    tir.for %i in 4 {
//UPDATE-NEXT:      tir.block "S_init" (spatial %v_i in 4 = %i) do {
//UPDATE-NEXT:        %x = arith.constant 0.000000e+00 : f32
//UPDATE-NEXT:        tir.store %x, %S[%v_i] : memref<4xf32>
//UPDATE-NEXT:      }
//UPDATE-NEXT:      tir.for %k in 8 {
//UPDATE-NEXT:        %S_global = tir.alloc "S_global" : memref<4xf32>
//UPDATE-NEXT:        tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) do {
//UPDATE-NEXT:          %x = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
//UPDATE-NEXT:          %s = tir.load %S[%v_i] : memref<4xf32>
//UPDATE-NEXT:          %t = arith.addf %s, %x : f32
//UPDATE-NEXT:          tir.store %t, %S_global[%v_i] : memref<4xf32>
//UPDATE-NEXT:        }
//UPDATE-NEXT:        tir.for %ax0 in 1 {
//UPDATE-NEXT:          tir.block "S_global" (spatial %v0 in 4 = %i) do {
//UPDATE-NEXT:            %value = tir.load %S_global[%v0] : memref<4xf32>
//UPDATE-NEXT:            tir.store %value, %S[%v0] : memref<4xf32>
//UPDATE-NEXT:          }
//UPDATE-NEXT:        }
//UPDATE-NEXT:      }
//UPDATE-NEXT:    }
//UPDATE-NEXT:    func.return
//UPDATE-NEXT:  }
//UPDATE-NEXT:  func.func @lanes(%A: memref<8xf32>, %C: memref<8xf32>) {
//UPDATE-NEXT:    tir.for %i in 8 vectorized {
//UPDATE-NEXT:      %B = tir.alloc "B" : memref<1xf32>
//UPDATE-NEXT:      tir.block "B" (spatial %v_i in 8 = %i) do {
//UPDATE-NEXT:        %x = tir.load %A[%v_i] : memref<8xf32>
//UPDATE-NEXT:        tir.store %x, %B[0] : memref<1xf32>
//UPDATE-NEXT:      }
//UPDATE-NEXT:      tir.block "C" (spatial %v_i in 8 = %i) do {
//UPDATE-NEXT:        %x = tir.load %B[0] : memref<1xf32>
//UPDATE-NEXT:        tir.store %x, %C[%v_i] : memref<8xf32>
//UPDATE-NEXT:      }
//UPDATE-NEXT:    }
//UPDATE-NEXT:    func.return
//UPDATE-NEXT:  }
//UPDATE-NEXT:  func.func private @change(memref<8xf32>) -> ()
//UPDATE-NEXT:  func.func @stored(%B: memref<8xf32>) {
//UPDATE-NEXT:    func.call @change(%B) : (memref<8xf32>) -> ()
//UPDATE-NEXT:    tir.for %i in 8 {
//UPDATE-NEXT:      tir.block "B" (spatial %v_i in 8 = %i) do {
//UPDATE-NEXT:        %x = arith.constant 1.000000e+00 : f32
//UPDATE-NEXT:        tir.store %x, %B[%v_i] : memref<8xf32>
//UPDATE-NEXT:      }
//UPDATE-NEXT:    }
//UPDATE-NEXT:    func.return
//UPDATE-NEXT:  }
//UPDATE-NEXT:}

//LANES:error[KC3310]: cache_write: there is no place for a copy of B
//LANES-NEXT:  --> {{.*}}cache_write_invalid.mlir:86:5  tir.block "B" (spatial %v_i in 8 = %i) do {
//LANES-NEXT:   |  for i in 8 vectorized:
//LANES-NEXT:   |    alloc B
//LANES-NEXT:   |    block B    <-- here
//LANES-NEXT:   |    block C
//LANES-NEXT:  why: B is there in a vectorized loop only, whose lanes would share the copy
//LANES-NEXT:  try: cache_write first, then vectorize

//STORED:error[KC3303]: cache_write: B of block B is used by func.call
//STORED-NEXT:  --> {{.*}}cache_write_invalid.mlir:101:3  func.call @change(%B) : (memref<8xf32>) -> ()
//STORED-NEXT:   |  func.call    <-- uses B
//STORED-NEXT:  why: what func.call does with it is not known
