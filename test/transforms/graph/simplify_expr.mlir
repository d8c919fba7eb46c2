// RUN: kc-opt %s --simplify-expr | FileCheck %s
// RUN: kc-opt %s --simplify-expr --simplify-expr | FileCheck %s

// CHECK-LABEL: @shapes
// CHECK-NEXT: [[R:%.*]] = graph.reshape(%x) <newshape = [6, 4]>
// CHECK-NEXT: [[T:%.*]] = graph.transpose(%y) <axes = [0, 2, 3, 1]>
// CHECK-NEXT: [[U:%.*]] = graph.tuple(%x)
// CHECK-NEXT: [[A:%.*]] = graph.strided_slice(%x) <begin = [0, 0, 0], end = [2, 3, 4], strides = [-1, 1, 1]>
// CHECK-NEXT: graph.tuple([[R]], [[T]], %y, %x, [[U]],
graph.func @shapes(%x: tensor<2x3x4xf32>, %y: tensor<1x2x3x4xf32>) -> tuple<tensor<6x4xf32>, tensor<1x3x4x2xf32>, tensor<1x2x3x4xf32>, tensor<2x3x4xf32>, tuple<tensor<2x3x4xf32>>, tensor<0x3x4xf32>> {
  %0 = graph.reshape(%x) <newshape = [4, 6]> : (tensor<2x3x4xf32>) -> tensor<4x6xf32>
  %1 = graph.reshape(%0) <newshape = [-1, 4]> : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %2 = graph.layout_transform(%y) <src_layout = "NCHW", dst_layout = "NHWC"> : (tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32>
  %3 = graph.transpose(%2) <axes = [0, -1, 1, 2]> : (tensor<1x3x4x2xf32>) -> tensor<1x2x3x4xf32>
  %4 = graph.transpose(%3) <axes = [0, 2, 3, 1]> : (tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32>
  %5 = graph.concatenate(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %6 = graph.strided_slice(%5) <begin = [0, 0, 0], end = [2, 3, 9]> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %7 = graph.split(%6) <indices_or_sections = 1> : (tensor<2x3x4xf32>) -> tuple<tensor<2x3x4xf32>>
  %8 = graph.strided_slice(%x) <begin = [0, 0, 0], end = [2, 3, 4], strides = [-1, 1, 1]> : (tensor<2x3x4xf32>) -> tensor<0x3x4xf32>
  %r = graph.tuple(%1, %4, %3, %6, %7, %8) : tensor<6x4xf32>, tensor<1x3x4x2xf32>, tensor<1x2x3x4xf32>, tensor<2x3x4xf32>, tuple<tensor<2x3x4xf32>>, tensor<0x3x4xf32>
  graph.return %r : tuple<tensor<6x4xf32>, tensor<1x3x4x2xf32>, tensor<1x2x3x4xf32>, tensor<2x3x4xf32>, tuple<tensor<2x3x4xf32>>, tensor<0x3x4xf32>>
}
// A middle type that does not hold all values stays, and integers are not cut through a float.
// CHECK-LABEL: @casts
// CHECK-NEXT: [[A:%.*]] = graph.cast(%i) <dtype = "int16">
// CHECK-NEXT: [[B:%.*]] = graph.cast(%i) <dtype = "int8">
// CHECK-NEXT: [[C:%.*]] = graph.cast([[B]]) <dtype = "int32">
// CHECK-NEXT: [[D:%.*]] = graph.cast(%i) <dtype = "float64">
// CHECK-NEXT: [[E:%.*]] = graph.cast([[D]]) <dtype = "uint8">
// CHECK-NEXT: [[F:%.*]] = graph.cast(%i) <dtype = "float32">
// CHECK-NEXT: graph.tuple([[A]], [[C]], [[E]], [[F]], %i)
graph.func @casts(%i: tensor<4xsi32>) -> tuple<tensor<4xsi16>, tensor<4xsi32>, tensor<4xui8>, tensor<4xf32>, tensor<4xsi32>> {
  %0 = graph.cast(%i) <dtype = "int64"> : (tensor<4xsi32>) -> tensor<4xsi64>
  %1 = graph.cast(%0) <dtype = "int16"> : (tensor<4xsi64>) -> tensor<4xsi16>
  %2 = graph.cast(%i) <dtype = "int8"> : (tensor<4xsi32>) -> tensor<4xsi8>
  %3 = graph.cast(%2) <dtype = "int32"> : (tensor<4xsi8>) -> tensor<4xsi32>
  %4 = graph.cast(%i) <dtype = "float64"> : (tensor<4xsi32>) -> tensor<4xf64>
  %5 = graph.cast(%4) <dtype = "uint8"> : (tensor<4xf64>) -> tensor<4xui8>
  %6 = graph.cast(%4) <dtype = "float32"> : (tensor<4xf64>) -> tensor<4xf32>
  %7 = graph.cast_like(%i, %3) : (tensor<4xsi32>, tensor<4xsi32>) -> tensor<4xsi32>
  %r = graph.tuple(%1, %3, %5, %6, %7) : tensor<4xsi16>, tensor<4xsi32>, tensor<4xui8>, tensor<4xf32>, tensor<4xsi32>
  graph.return %r : tuple<tensor<4xsi16>, tensor<4xsi32>, tensor<4xui8>, tensor<4xf32>, tensor<4xsi32>>
}
// x * 1, x / 1, x - 0 and x + -0.0 go; x * 0 and x + 0.0 stay, with one element for a tensor.
// CHECK-LABEL: @floats
// CHECK: [[Z:%.*]] = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[A:%.*]] = graph.multiply(%x, [[Z]])
// CHECK: [[B:%.*]] = graph.add([[A]], {{%.*}})
// CHECK-NOT: graph.add
// CHECK: graph.return [[B]]
graph.func @floats(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %minus = graph.constant dense<-0.0> : tensor<f32>
  %0 = graph.multiply(%one, %x) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.divide(%0, %one) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %z = graph.zeros_like(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.subtract(%1, %z) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.add(%2, %minus) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = graph.multiply(%3, %z) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = graph.add(%4, %z) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  graph.return %5 : tensor<4xf32>
}
// Integers are reassociated; a 0 that widens the shape stays.
// CHECK-LABEL: @integers
// CHECK: [[S:%.*]] = graph.add({{%.*}}, {{%.*}}) : (tensor<si32>, tensor<si32>) -> tensor<si32>
// CHECK-NEXT: [[T:%.*]] = graph.add([[S]], %wide)
// CHECK-NEXT: graph.add(%x, [[T]]) : (tensor<1xsi32>, tensor<4xsi32>) -> tensor<4xsi32>
// CHECK-NEXT: graph.return
graph.func @integers(%x: tensor<1xsi32>) -> tensor<4xsi32> {
  %a = graph.constant dense<3> : tensor<si32>
  %b = graph.constant dense<4> : tensor<si32>
  %zero = graph.constant dense<0> : tensor<si32>
  %wide = graph.constant dense<0> : tensor<4xsi32>
  %0 = graph.add(%a, %x) : (tensor<si32>, tensor<1xsi32>) -> tensor<1xsi32>
  %1 = graph.add(%0, %zero) : (tensor<1xsi32>, tensor<si32>) -> tensor<1xsi32>
  %2 = graph.add(%1, %b) : (tensor<1xsi32>, tensor<si32>) -> tensor<1xsi32>
  %3 = graph.subtract(%2, %zero) : (tensor<1xsi32>, tensor<si32>) -> tensor<1xsi32>
  %4 = graph.broadcast_to(%3) <shape = [1]> : (tensor<1xsi32>) -> tensor<1xsi32>
  %5 = graph.add(%4, %wide) : (tensor<1xsi32>, tensor<4xsi32>) -> tensor<4xsi32>
  graph.return %5 : tensor<4xsi32>
}
