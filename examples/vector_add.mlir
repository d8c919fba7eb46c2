// C = A + B for vectors of any length n, as a tensor expression.
//
//   kc-opt examples/vector_add.mlir --split="block=C loop=i factors=?,8" --vectorize --parallel

te.func @vector_add(
    %A: tensor<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>},
    %B: tensor<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}) -> tensor<?xf32>
    attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %C = te.compute "C" [%i = %n] {
    %a = te.read %A[%i] : tensor<?xf32>
    %b = te.read %B[%i] : tensor<?xf32>
    %sum = arith.addf %a, %b : f32
    te.yield %sum : f32
  } : tensor<?xf32>
  te.return %C : tensor<?xf32>
}
