// Conditions, a parallel nest and bounds of affine, printed by mlir-opt -mlir-print-op-generic.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<() -> (0, 0)>
#map2 = affine_map<() -> (8, 8)>
#map3 = affine_map<() -> (0)>
#map4 = affine_map<() -> (8)>
#map5 = affine_map<(d0) -> (d0 - 2, 0)>
#map6 = affine_map<(d0) -> (d0 floordiv 2)>
#map7 = affine_map<(d0) -> (d0)>
#map8 = affine_map<() -> (1)>
#set = affine_set<(d0) : (d0 == 0)>
#set1 = affine_set<(d0, d1) : (d0 - d1 >= 0, -d0 + 6 >= 0)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>, memref<8xf32>) -> (), sym_name = "guarded"}> ({
  ^bb0(%arg0: memref<8x8xf32>, %arg1: memref<8x8xf32>, %arg2: memref<8x8xf32>, %arg3: memref<8xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    "affine.parallel"() <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = #map1, reductions = [], steps = [1, 2], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = #map2}> ({
    ^bb0(%arg7: index, %arg8: index):
      %5 = "affine.load"(%arg0, %arg7, %arg8) <{map = #map}> : (memref<8x8xf32>, index, index) -> f32
      %6 = "affine.if"(%arg7) <{condition = #set}> ({
        "affine.yield"(%0) : (f32) -> ()
      }, {
        "affine.yield"(%5) : (f32) -> ()
      }) : (index) -> f32
      "affine.store"(%6, %arg1, %arg7, %arg8) <{map = #map}> : (f32, memref<8x8xf32>, index, index) -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "affine.for"() <{lowerBoundMap = #map3, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map4}> ({
    ^bb0(%arg5: index):
      "affine.for"() <{lowerBoundMap = #map3, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map4}> ({
      ^bb0(%arg6: index):
        "affine.if"(%arg5, %arg6) <{condition = #set1}> ({
          %4 = "affine.load"(%arg0, %arg5, %arg6) <{map = #map}> : (memref<8x8xf32>, index, index) -> f32
          "affine.store"(%4, %arg2, %arg5, %arg6) <{map = #map}> : (f32, memref<8x8xf32>, index, index) -> ()
          "affine.yield"() : () -> ()
        }, {
          "affine.store"(%0, %arg2, %arg5, %arg6) <{map = #map}> : (f32, memref<8x8xf32>, index, index) -> ()
          "affine.yield"() : () -> ()
        }) : (index, index) -> ()
        "affine.yield"() : () -> ()
      }) : () -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "affine.for"() <{lowerBoundMap = #map8, operandSegmentSizes = array<i32: 0, 0, 0>, step = 3 : index, upperBoundMap = #map4}> ({
    ^bb0(%arg4: index):
      %1 = "affine.max"(%arg4) <{map = #map5}> : (index) -> index
      %2 = "affine.apply"(%arg4) <{map = #map6}> : (index) -> index
      %3 = "memref.load"(%arg0, %1, %2) : (memref<8x8xf32>, index, index) -> f32
      "affine.store"(%3, %arg3, %arg4) <{map = #map7}> : (f32, memref<8xf32>, index) -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

