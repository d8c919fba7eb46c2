// Blocks that read constants alone become a function that runs at build time, with what is between
// them; the function that they were in reads globals.
// RUN: kc-opt %s --lift-constant-blocks | FileCheck %s

// CHECK:       memref.global "private" constant @w : memref<64x64xf32> = dense<2.000000e+00>
// CHECK:       memref.global "private" @chain_Q : memref<64xf32> = uninitialized {alignment = 64 : i64}
// CHECK-NEXT:  func.func private @chain.prepare(%w: memref<64x64xf32> {kc.global = @w}, %Q: memref<64xf32> {kc.global = @chain_Q}) attributes {kc.prepares} {
// CHECK-NEXT:    %P = tir.alloc "P" : memref<64x64xf32>
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:    tir.for %i in 64 parallel {
// CHECK:           tir.block "P"
// CHECK-NEXT:        %x = tir.load %w[%v_j, %v_i]
// CHECK-NEXT:        %y = arith.addf %x, %[[ONE]]
// CHECK-NEXT:        tir.store %y, %P[%v_i, %v_j]
// CHECK:         tir.for
// CHECK:           tir.block "Q"
// CHECK:         func.return
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT:    %Q = memref.get_global @chain_Q : memref<64xf32>
// CHECK:         tir.for
// CHECK-NOT:     get_global
// CHECK:         func.return
memref.global "private" constant @w : memref<64x64xf32> = dense<2.0>
memref.global "private" constant @places : memref<64xi32> = dense<2>
memref.global "private" @variable : memref<64x64xf32> = dense<2.0>
func.func private @anything(f32) -> f32
func.func @chain(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %w = memref.get_global @w : memref<64x64xf32>
  %P = tir.alloc "P" : memref<64x64xf32>
  %Q = tir.alloc "Q" : memref<64xf32>
  %one = arith.constant 1.0 : f32
  tir.for %i in 64 parallel {
    tir.for %j in 64 {
      tir.block "P" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %w[%v_j, %v_i] : memref<64x64xf32>
        %y = arith.addf %x, %one : f32
        tir.store %y, %P[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.block "Q" (spatial %v_i in 64 = %i) do {
      %x = tir.load %P[%v_i, 0] : memref<64x64xf32>
      tir.store %x, %Q[%v_i] : memref<64xf32>
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %Q[%v_i] : memref<64xf32>
        %y = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  func.return
}

// It reads what the function is called with.
// CHECK-LABEL: func.func @reads_an_argument(
// CHECK:         tir.alloc "P"
// CHECK:         tir.block "P"
// CHECK:         func.return
func.func @reads_an_argument(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %w = memref.get_global @w : memref<64x64xf32>
  %P = tir.alloc "P" : memref<64x64xf32>
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "P" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %A[%v_j, %v_i] : memref<64x64xf32>
        %y = tir.load %w[%v_j, %v_i] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %P[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<64x64xf32>
        %y = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  func.return
}

// Nobody knows what is in a global that is no constant.
// CHECK-LABEL: func.func @reads_a_variable(
// CHECK:         tir.alloc "P"
// CHECK:         tir.block "P"
// CHECK:         func.return
func.func @reads_a_variable(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %w = memref.get_global @w : memref<64x64xf32>
  %P = tir.alloc "P" : memref<64x64xf32>
  %v = memref.get_global @variable : memref<64x64xf32>
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "P" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %v[%v_j, %v_i] : memref<64x64xf32>
        tir.store %x, %P[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<64x64xf32>
        %y = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  func.return
}

// It calls a function, which may do anything.
// CHECK-LABEL: func.func @calls(
// CHECK:         tir.alloc "P"
// CHECK:         tir.block "P"
// CHECK:         func.return
func.func @calls(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %w = memref.get_global @w : memref<64x64xf32>
  %P = tir.alloc "P" : memref<64x64xf32>
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "P" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %w[%v_j, %v_i] : memref<64x64xf32>
        %y = func.call @anything(%x) : (f32) -> f32
        tir.store %y, %P[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<64x64xf32>
        %y = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  func.return
}

// It takes a value that the call gives.
// CHECK-LABEL: func.func @takes_a_value(
// CHECK:         tir.alloc "P"
// CHECK:         tir.block "P"
// CHECK:         func.return
func.func @takes_a_value(%A: memref<64x64xf32>, %C: memref<64x64xf32>, %s: f32) {
  %w = memref.get_global @w : memref<64x64xf32>
  %P = tir.alloc "P" : memref<64x64xf32>
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "P" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %w[%v_j, %v_i] : memref<64x64xf32>
        %y = arith.addf %x, %s : f32
        tir.store %y, %P[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<64x64xf32>
        %y = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  func.return
}

// An index that was loaded may be outside.
// CHECK-LABEL: func.func @looks_up(
// CHECK:         tir.alloc "P"
// CHECK:         tir.block "P"
// CHECK:         func.return
func.func @looks_up(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %w = memref.get_global @w : memref<64x64xf32>
  %P = tir.alloc "P" : memref<64x64xf32>
  %t = memref.get_global @places : memref<64xi32>
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "P" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %p = tir.load %t[%v_j] : memref<64xi32>
        %k = arith.index_cast %p : i32 to index
        %x = tir.load %w[%k, %v_i] : memref<64x64xf32>
        tir.store %x, %P[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<64x64xf32>
        %y = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  func.return
}

// A division may be one by zero.
// CHECK-LABEL: func.func @divides(
// CHECK:         tir.alloc "P"
// CHECK:         tir.block "P"
// CHECK:         func.return
func.func @divides(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %w = memref.get_global @w : memref<64x64xf32>
  %P = tir.alloc "P" : memref<64x64xf32>
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "P" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %w[%v_j, %v_i] : memref<64x64xf32>
        %p = arith.bitcast %x : f32 to i32
        %q = arith.divsi %p, %p : i32
        %y = arith.bitcast %q : i32 to f32
        tir.store %y, %P[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<64x64xf32>
        %y = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  func.return
}

// Something that is not constant writes the buffer, too.
// CHECK-LABEL: func.func @written_again(
// CHECK:         tir.alloc "P"
// CHECK:         tir.block "P"
// CHECK:         func.return
func.func @written_again(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %w = memref.get_global @w : memref<64x64xf32>
  %P = tir.alloc "P" : memref<64x64xf32>
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "P" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %w[%v_j, %v_i] : memref<64x64xf32>
        tir.store %x, %P[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<64x64xf32>
        %y = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "again" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        tir.store %x, %P[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<64x64xf32>
        %y = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  func.return
}

// The buffer is read before it is written for the last time.
// CHECK-LABEL: func.func @read_between(
// CHECK:         tir.alloc "P"
// CHECK:         tir.block "P"
// CHECK:         func.return
func.func @read_between(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %w = memref.get_global @w : memref<64x64xf32>
  %P = tir.alloc "P" : memref<64x64xf32>
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "P" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %w[%v_j, %v_i] : memref<64x64xf32>
        tir.store %x, %P[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<64x64xf32>
        %y = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "again" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %w[%v_i, %v_j] : memref<64x64xf32>
        tir.store %x, %P[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<64x64xf32>
        %y = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  func.return
}

// It is computed of nothing: a table would take more memory than it saves.
// CHECK-LABEL: func.func @of_nothing(
// CHECK:         tir.alloc "P"
// CHECK:         tir.block "P"
// CHECK:         func.return
func.func @of_nothing(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %w = memref.get_global @w : memref<64x64xf32>
  %P = tir.alloc "P" : memref<64x64xf32>
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "P" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = arith.constant 1.0 : f32
        tir.store %x, %P[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<64x64xf32>
        %y = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  func.return
}

// It is more than four times as large as what it is computed of.
// CHECK-LABEL: func.func @larger(
// CHECK:         tir.alloc "P"
// CHECK:         tir.block "P"
// CHECK:         func.return
func.func @larger(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %w = memref.get_global @w : memref<64x64xf32>
  %P = tir.alloc "P" : memref<64x64xf32>
  %t = memref.get_global @places : memref<64xi32>
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "P" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %p = tir.load %t[%v_j] : memref<64xi32>
        %x = arith.sitofp %p : i32 to f32
        tir.store %x, %P[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<64x64xf32>
        %y = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  func.return
}

// A few iterations are not worth it.
// CHECK-LABEL: func.func @small(
// CHECK:         tir.alloc "P"
// CHECK:         tir.block "P"
// CHECK:         func.return
func.func @small(%C: memref<8xf32>) {
  %w = memref.get_global @w : memref<64x64xf32>
  %P = tir.alloc "P" : memref<8xf32>
  tir.for %i in 8 {
    tir.block "P" (spatial %v_i in 8 = %i) do {
      %x = tir.load %w[%v_i, 0] : memref<64x64xf32>
      tir.store %x, %P[%v_i] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %P[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

// Too many would take long at build time.
// CHECK-LABEL: func.func @long(
// CHECK:         tir.alloc "P"
// CHECK:         tir.block "P"
// CHECK:         func.return
func.func @long(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {
  %w = memref.get_global @w : memref<64x64xf32>
  %P = tir.alloc "P" : memref<64x64xf32>
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.for %k in 70000 {
        tir.block "P" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j, reduce %v_k in 70000 = %k) init {
          %zero = arith.constant 0.0 : f32
          tir.store %zero, %P[%v_i, %v_j] : memref<64x64xf32>
        } do {
          %x = tir.load %w[%v_i, %v_j] : memref<64x64xf32>
          %p = tir.load %P[%v_i, %v_j] : memref<64x64xf32>
          %y = arith.addf %x, %p : f32
          tir.store %y, %P[%v_i, %v_j] : memref<64x64xf32>
        }
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<64x64xf32>
        %y = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  func.return
}

// Operations that access memory by themselves stay: which elements they use is not read here.
// CHECK-LABEL: func.func @accesses_otherwise(
// CHECK:         %P = tir.alloc "P"
// CHECK:         %Q = tir.alloc "Q"
// CHECK:         vector.store %y, %Q
func.func @accesses_otherwise(%C: memref<64x64xf32>) {
  %w = memref.get_global @w : memref<64x64xf32>
  %P = tir.alloc "P" : memref<64x64xf32>
  %Q = tir.alloc "Q" : memref<64x64xf32>
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "P" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %w[%v_i, %v_j] : memref<64x64xf32>
        tir.store %x, %P[%v_i, %v_j] : memref<64x64xf32>
        %y = vector.load %w[%v_i, %v_j] : memref<64x64xf32>, vector<1xf32>
        vector.store %y, %Q[%v_i, %v_j] : memref<64x64xf32>, vector<1xf32>
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<64x64xf32>
        %y = tir.load %Q[%v_i, %v_j] : memref<64x64xf32>
        %z = arith.addf %x, %y : f32
        tir.store %z, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  func.return
}

// Registers and memory of a thread are no constants of a module.
// CHECK-LABEL: func.func @local_memory(
// CHECK:         %P = tir.alloc "P"
// CHECK:         tir.block "P"
func.func @local_memory(%C: memref<64x64xf32>) {
  %w = memref.get_global @w : memref<64x64xf32>
  %P = tir.alloc "P" : memref<64x64xf32, "local">
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "P" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %w[%v_i, %v_j] : memref<64x64xf32>
        tir.store %x, %P[%v_i, %v_j] : memref<64x64xf32, "local">
      }
    }
  }
  tir.for %i in 64 {
    tir.for %j in 64 {
      tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {
        %x = tir.load %P[%v_i, %v_j] : memref<64x64xf32, "local">
        tir.store %x, %C[%v_i, %v_j] : memref<64x64xf32>
      }
    }
  }
  func.return
}
