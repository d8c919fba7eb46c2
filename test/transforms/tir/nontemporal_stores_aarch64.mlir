// AArch64 stores pairs of registers past the caches from anywhere, and needs no fence of its own.
// RUN: kc-opt %s --nontemporal-stores | FileCheck %s
// RUN: kc-opt %s --nontemporal-stores --lower-to-llvm | kc-translate --to=asm | FileCheck %s --check-prefix=ASM

// CHECK:       tir.for %j in 65536 {
// CHECK-NEXT:    %x = tir.load
// CHECK-NEXT:    tir.store %x, %C[%j * 16] {nontemporal} : memref<1048576xf32>, vector<16xf32>
// ASM: stnp q
// ASM-NOT: sfence
module attributes {kc.target = "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1 -l3-cache=1048576"} {
func.func @stream(%A: memref<1048576xf32>, %C: memref<1048576xf32>) {
  tir.for %j in 65536 {
    %x = tir.load %A[%j * 16] : memref<1048576xf32>, vector<16xf32>
    tir.store %x, %C[%j * 16] : memref<1048576xf32>, vector<16xf32>
  }
  func.return
}
}
