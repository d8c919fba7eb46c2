// What LLVM would end the process on is refused; as text it is right.
// RUN: kc-translate %s --to=llvmir | FileCheck %s --check-prefix=TEXT
// RUN: not kc-translate %s --to=asm --target="llvm -mtriple=x86_64-unknown-linux-gnu" 2>&1 | FileCheck %s
// RUN: not kc-translate %s --to=obj --target="llvm -mtriple=aarch64-unknown-linux-gnu -mattr=+sve" 2>&1 | FileCheck %s --check-prefix=WIDE

// TEXT: define <vscale x 4 x float> @scalable
// TEXT: define <65536 x i1> @wide
// CHECK: error[KC4110]: @scalable: x86_64 has no vector <vscale x 4 x float>
// WIDE: error[KC4109]: @wide: the vector <65536 x i1> has 65536 lanes, 65536 bits
llvm.func @scalable(%a: vector<[4]xf32>) -> vector<[4]xf32> {
  %0 = llvm.fadd %a, %a : vector<[4]xf32>
  llvm.return %0 : vector<[4]xf32>
}

llvm.func @wide(%a: vector<65536xi1>) -> vector<65536xi1> {
  %0 = llvm.xor %a, %a : vector<65536xi1>
  llvm.return %0 : vector<65536xi1>
}
