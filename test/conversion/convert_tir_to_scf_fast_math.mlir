// What floating-point code may disregard is said by the target, for operations without flags.
// RUN: kc-opt %s --convert-tir-to-scf | FileCheck %s --check-prefix=DEFAULT
// RUN: kc-opt %s --convert-tir-to-scf --target="llvm -contract=0" | FileCheck %s --check-prefix=NONE
// RUN: kc-opt %s --convert-tir-to-scf --target="llvm -fast-math" | FileCheck %s --check-prefix=FAST
// RUN: kc-opt %s --convert-tir-to-scf --target="llvm -fast-math -contract=0 -fast-math-nnan=0" | FileCheck %s --check-prefix=SOME

func.func @f(%A: memref<8xf32>) {
  tir.for %i in 8 {
    %a = tir.load %A[%i] : memref<8xf32>
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %a fastmath<nsz> : f32
    %2 = arith.divf %1, %a : f32
    %3 = math.exp %2 : f32
    %4 = arith.cmpf olt, %3, %a : f32
    %5 = arith.select %4, %3, %a : f32
    tir.store %5, %A[%i] : memref<8xf32>
  }
  func.return
}

// DEFAULT: arith.mulf {{.*}} fastmath<contract> : f32
// DEFAULT-NEXT: arith.addf {{.*}} fastmath<nsz> : f32
// DEFAULT-NEXT: arith.divf {{%[0-9]+, %[a-z0-9]+}} : f32
// DEFAULT-NEXT: math.exp {{%[0-9]+}} : f32
// DEFAULT-NEXT: arith.cmpf olt, {{%[0-9]+, %[a-z0-9]+}} : f32

// NONE: arith.mulf {{%[a-z0-9]+, %[a-z0-9]+}} : f32
// NONE-NEXT: arith.addf {{.*}} fastmath<nsz> : f32
// NONE-NEXT: arith.divf {{%[0-9]+, %[a-z0-9]+}} : f32

// FAST: arith.mulf {{.*}} fastmath<fast> : f32
// FAST-NEXT: arith.addf {{.*}} fastmath<nsz> : f32
// FAST-NEXT: arith.divf {{.*}} fastmath<reassoc,nnan,ninf,nsz,arcp,afn> : f32
// FAST-NEXT: math.exp {{.*}} fastmath<reassoc,nnan,ninf,nsz,arcp,afn> : f32
// FAST-NEXT: arith.cmpf olt, {{.*}} fastmath<reassoc,nnan,ninf,nsz,arcp,afn> : f32
// FAST-NEXT: arith.select

// SOME: arith.mulf {{.*}} fastmath<reassoc,ninf,nsz,arcp,afn> : f32
// SOME-NEXT: arith.addf {{.*}} fastmath<nsz> : f32
// SOME-NEXT: arith.divf {{.*}} fastmath<reassoc,ninf,nsz,arcp,afn> : f32
