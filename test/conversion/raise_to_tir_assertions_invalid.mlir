// RUN: kc-opt %s --raise-to-tir --split-input-file --verify-diagnostics

func.func @sums(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %sum: f32):
    %small = arith.cmpf olt, %sum, %a : f32
    // expected-error@+1 {{raise-to-tir: cf.assert of elements has no counterpart in tir}}
    cf.assert %small, "sums must be small"
    %t = arith.addf %sum, %a : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
