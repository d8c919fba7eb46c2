// A Jacobi step in scf loops, a triangular loop, and a loop that must stay in order.
// Printed by mlir-opt -mlir-print-op-generic.
"builtin.module"() ({
  "func.func"() <{function_type = (index, memref<?xf32>, memref<?xf32>, memref<8x8xf32>) -> (), sym_name = "stencil"}> ({
  ^bb0(%arg0: index, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: memref<8x8xf32>):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 1 : index}> : () -> index
    %2 = "arith.constant"() <{value = 8 : index}> : () -> index
    %3 = "arith.constant"() <{value = 2.500000e-01 : f32}> : () -> f32
    %4 = "arith.subi"(%arg0, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    "scf.parallel"(%1, %4, %1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%arg7: index):
      %11 = "arith.subi"(%arg7, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %12 = "arith.addi"(%arg7, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %13 = "memref.load"(%arg1, %11) : (memref<?xf32>, index) -> f32
      %14 = "memref.load"(%arg1, %arg7) : (memref<?xf32>, index) -> f32
      %15 = "memref.load"(%arg1, %12) : (memref<?xf32>, index) -> f32
      %16 = "arith.addf"(%13, %14) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %17 = "arith.addf"(%16, %15) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %18 = "arith.mulf"(%17, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "memref.store"(%18, %arg2, %arg7) : (f32, memref<?xf32>, index) -> ()
      "scf.reduce"() : () -> ()
    }) : (index, index, index) -> ()
    "scf.for"(%0, %2, %1) ({
    ^bb0(%arg5: index):
      "scf.for"(%0, %arg5, %1) ({
      ^bb0(%arg6: index):
        %10 = "memref.load"(%arg3, %arg6, %arg5) : (memref<8x8xf32>, index, index) -> f32
        "memref.store"(%10, %arg3, %arg5, %arg6) : (f32, memref<8x8xf32>, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "scf.for"(%1, %arg0, %1) ({
    ^bb0(%arg4: index):
      %5 = "arith.subi"(%arg4, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %6 = "arith.cmpi"(%arg4, %2) <{predicate = 5 : i64}> : (index, index) -> i1
      "scf.if"(%6) ({
        %7 = "memref.load"(%arg2, %5) : (memref<?xf32>, index) -> f32
        %8 = "memref.load"(%arg2, %arg4) : (memref<?xf32>, index) -> f32
        %9 = "arith.addf"(%7, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "memref.store"(%9, %arg2, %arg4) : (f32, memref<?xf32>, index) -> ()
        "scf.yield"() : () -> ()
      }, {
        "memref.store"(%3, %arg1, %arg4) : (f32, memref<?xf32>, index) -> ()
        "scf.yield"() : () -> ()
      }) : (i1) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

