// RUN: kc-opt %s --expand-math | FileCheck %s
// RUN: kc-opt %s --expand-math --target="llvm -mcpu=x86-64" | FileCheck %s --check-prefix=PLAIN

// On the host and in kernels; halves are computed in single precision, vectors lane by lane. Of a
// subnormal number the root is that of 2**126 times it, which is made of its bits.
// CHECK-LABEL: func.func @host(%x: f32, %h: f16, %v: vector<4xf64>) -> (f32, f16, vector<4xf64>) {
// CHECK:         [[LIFTED:%[0-9]+]] = arith.subf {{%[0-9]+, %[0-9]+}} : f32
// CHECK-NEXT:    [[SAFE:%[0-9]+]] = arith.select {{%[0-9]+}}, [[LIFTED]], %x : f32
// CHECK-NEXT:    [[SIGNED:%[0-9]+]] = math.copysign [[SAFE]], %x : f32
// CHECK-NEXT:    [[ROOT:%[0-9]+]] = math.sqrt [[SIGNED]] : f32
// CHECK:         [[X:%[0-9]+]] = arith.divf {{%[0-9]+}}, [[ROOT]] : f32
// CHECK-NEXT:    arith.extf %h : f16 to f32
// CHECK:         [[H:%[0-9]+]] = arith.divf {{%[0-9]+, %[0-9]+}} : f32
// CHECK-NEXT:    [[NARROW:%[0-9]+]] = arith.truncf [[H]] : f32 to f16
// CHECK:         [[V:%[0-9]+]] = arith.divf {{%[0-9]+, %[0-9]+}} : vector<4xf64>
// CHECK-NEXT:    func.return [[X]], [[NARROW]], [[V]] : f32, f16, vector<4xf64>
// CHECK-NEXT:  }
func.func @host(%x: f32, %h: f16, %v: vector<4xf64>) -> (f32, f16, vector<4xf64>) {
  %0 = math.rsqrt %x : f32
  %1 = math.rsqrt %h : f16
  %2 = math.rsqrt %v : vector<4xf64>
  func.return %0, %1, %2 : f32, f16, vector<4xf64>
}

// 2**x is 2**n (1 + r p(r)), x = n + r, between the numbers whose powers are 0 and infinite. Where it
// is subnormal, 2**96 is a factor more, and a sum pushes the digits out that it lacks: its last bits
// are those of the result.
// CHECK-LABEL: func.func @exp2(%x: f32) -> f32 {
// CHECK-NEXT:    [[BITS_OF_X:%[0-9]+]] = arith.bitcast %x : f32 to i32
// CHECK-NEXT:    [[MASK:%[0-9]+]] = arith.constant 2080374784 : i32
// CHECK-NEXT:    [[EXPONENT_OF_X:%[0-9]+]] = arith.andi [[BITS_OF_X]], [[MASK]] : i32
// CHECK:         [[TINY:%[0-9]+]] = arith.cmpi eq, [[EXPONENT_OF_X]], {{%[0-9]+}} : i32
// CHECK:         [[X:%[0-9]+]] = arith.select [[TINY]], {{%[0-9]+, %[0-9]+}} : f32
// CHECK-NEXT:    [[LEAST:%[0-9]+]] = arith.constant -1.260000e+02 : f32
// CHECK-NEXT:    [[LOW:%[0-9]+]] = arith.cmpf olt, [[X]], [[LEAST]] : f32
// CHECK-NEXT:    [[MAGIC:%[0-9]+]] = arith.constant 0x4B400000 : f32
// CHECK-NEXT:    [[PUSHED:%[0-9]+]] = arith.addf [[X]], [[MAGIC]] : f32
// CHECK-NEXT:    [[N:%[0-9]+]] = arith.subf [[PUSHED]], [[MAGIC]] : f32
// CHECK:         [[LIFT:%[0-9]+]] = arith.constant 96 : i32
// CHECK-NEXT:    [[MORE:%[0-9]+]] = arith.addi [[EXPONENT:%[0-9]+]], [[LIFT]] : i32
// CHECK-NEXT:    arith.select [[LOW]], [[MORE]], [[EXPONENT]] : i32
// CHECK:         [[Y:%[0-9]+]] = arith.mulf {{%[0-9]+, %[0-9]+}} : f32
// CHECK:         [[SUM:%[0-9]+]] = arith.addf [[Y]], {{%[0-9]+}} : f32
// CHECK-NEXT:    [[PUSHED_Y:%[0-9]+]] = arith.select [[LOW]], [[SUM]], [[Y]] : f32
// CHECK-NEXT:    [[BITS:%[0-9]+]] = arith.bitcast [[PUSHED_Y]] : f32 to i32
// CHECK:         [[LEFT:%[0-9]+]] = arith.subi [[BITS]], {{%[0-9]+}} : i32
// CHECK-NEXT:    [[CHOSEN:%[0-9]+]] = arith.select [[LOW]], [[LEFT]], [[BITS]] : i32
// CHECK-NEXT:    [[RESULT:%[0-9]+]] = arith.bitcast [[CHOSEN]] : i32 to f32
// CHECK-NEXT:    func.return [[RESULT]] : f32
// CHECK-NEXT:  }
func.func @exp2(%x: f32) -> f32 {
  %0 = math.exp2 %x : f32
  func.return %0 : f32
}

// Without an fma, large arguments are left to the library, whatever lane they are in.
// PLAIN-LABEL: func.func @large(%x: vector<8xf64>) -> vector<8xf64> {
// PLAIN:         [[BOUND:%[0-9]+]] = arith.constant dense<0x4130000000000000> : vector<8xf64>
// PLAIN-NEXT:    [[FAR:%[0-9]+]] = arith.cmpf ogt, {{%[0-9]+}}, [[BOUND]] : vector<8xf64>
// PLAIN-NEXT:    [[ANY:%[0-9]+]] = vector.reduction <or>, [[FAR]] : vector<8xi1> into i1
// PLAIN-NEXT:    [[Y:%[0-9]+]] = scf.if [[ANY]] -> (vector<8xf64>) {
// PLAIN-NEXT:      [[CALLED:%[0-9]+]] = math.cos %x {kc.library} : vector<8xf64>
// PLAIN-NEXT:      scf.yield [[CALLED]] : vector<8xf64>
// PLAIN-NEXT:    } else {
// PLAIN-NEXT:      scf.yield {{%[0-9]+}} : vector<8xf64>
// PLAIN-NEXT:    }
// PLAIN-NEXT:    func.return [[Y]] : vector<8xf64>
func.func @large(%x: vector<8xf64>) -> vector<8xf64> {
  %0 = math.cos %x : vector<8xf64>
  func.return %0 : vector<8xf64>
}

// With it, those of f32 are reduced in f64, and the others not: r and n come from a branch.
// CHECK-LABEL: func.func @large_single(%x: vector<8xf32>) -> vector<8xf32> {
// CHECK:         [[BOUND:%[0-9]+]] = arith.constant dense<1.310720e+05> : vector<8xf32>
// CHECK-NEXT:    [[FAR:%[0-9]+]] = arith.cmpf ogt, {{%[0-9]+}}, [[BOUND]] : vector<8xf32>
// CHECK-NEXT:    [[ANY:%[0-9]+]] = vector.reduction <or>, [[FAR]] : vector<8xi1> into i1
// CHECK-NEXT:    {{%[0-9]+, %[0-9]+}} = scf.if [[ANY]] -> (vector<8xf32>, vector<8xi32>) {
// CHECK:           arith.extf {{%[0-9]+}} : vector<8xf32> to vector<8xf64>
// CHECK:           math.fma {{.*}} : vector<8xf64>
// CHECK:           [[R:%[0-9]+]] = arith.truncf {{%[0-9]+}} : vector<8xf64> to vector<8xf32>
// CHECK-NEXT:      [[N:%[0-9]+]] = arith.trunci {{%[0-9]+}} : vector<8xi64> to vector<8xi32>
// CHECK-NEXT:      scf.yield [[R]], [[N]] : vector<8xf32>, vector<8xi32>
// CHECK-NEXT:    } else {
// CHECK-NOT:       f64
// CHECK:           scf.yield {{%[0-9]+, %[0-9]+}} : vector<8xf32>, vector<8xi32>
// CHECK-NEXT:    }
// CHECK-NOT:     kc.library
// CHECK:         func.return
func.func @large_single(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.cos %x : vector<8xf32>
  func.return %0 : vector<8xf32>
}

// What is left to the library stays so.
// CHECK-LABEL: func.func @library(%x: f32) -> f32 {
// CHECK-NEXT:    %0 = math.cos %x {kc.library} : f32
// CHECK-NEXT:    func.return %0 : f32
func.func @library(%x: f32) -> f32 {
  %0 = math.cos %x {kc.library} : f32
  func.return %0 : f32
}

// x86's minimum of two zeros is the second one, as is that of NaN and a number: both orders together.
// CHECK-LABEL: func.func @extrema(%x: f32, %y: f32) -> (f32, f32, f32, f32) {
// CHECK-NEXT:    %0 = arith.cmpf olt, %x, %y : f32
// CHECK-NEXT:    %1 = arith.select %0, %x, %y : f32
// CHECK-NEXT:    %2 = arith.cmpf olt, %y, %x : f32
// CHECK-NEXT:    %3 = arith.select %2, %y, %x : f32
// CHECK-NEXT:    %4 = arith.bitcast %1 : f32 to i32
// CHECK-NEXT:    %5 = arith.bitcast %3 : f32 to i32
// CHECK-NEXT:    %6 = arith.ori %4, %5 : i32
// CHECK-NEXT:    %7 = arith.bitcast %6 : i32 to f32
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %8 = arith.cmpf ogt, %zero, %x : f32
// CHECK-NEXT:    %9 = arith.select %8, %zero, %x : f32
// CHECK-NEXT:    %10 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %11 = arith.addf %9, %10 : f32
// CHECK-NEXT:    %12 = arith.maximumf %x, %y : f32
// CHECK-NEXT:    %13 = arith.minimumf %x, %y fastmath<nsz> : f32
// CHECK-NEXT:    func.return %7, %11, %12, %13 : f32, f32, f32, f32
func.func @extrema(%x: f32, %y: f32) -> (f32, f32, f32, f32) {
  %0 = arith.minimumf %x, %y : f32
  %zero = arith.constant 0.0 : f32
  %1 = arith.maximumf %x, %zero : f32
  %2 = arith.maximumf %x, %y : f32
  %3 = arith.minimumf %x, %y fastmath<nsz> : f32
  func.return %0, %1, %2, %3 : f32, f32, f32, f32
}

// A kernel has no library.
// CHECK-LABEL: gpu.module @m {
// CHECK-NOT:     math.cos
// CHECK:         gpu.return
gpu.module @m {
  gpu.func @k(%x: f32, %A: memref<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.cos %x : f32
    memref.store %0, %A[%c0] : memref<1xf32>
    gpu.return
  }
}

// te's sigmoid is one function; what else uses the exponential keeps it. A sigmoid with other
// numbers is arithmetic.
// CHECK-LABEL: func.func @sigmoid(%x: f32) -> f32 {
// CHECK-NOT:     math.exp
// CHECK:         [[BELOW:%[0-9]+]] = arith.cmpf olt, %x, {{%[0-9]+}} : f32
// CHECK:         [[DIVIDEND:%[0-9]+]] = arith.select [[BELOW]], {{%[0-9]+}}, {{%[0-9]+}} : f32
// CHECK-NEXT:    [[INVERSE:%[0-9]+]] = arith.divf {{%[0-9]+, %[0-9]+}} : f32
// CHECK-NEXT:    [[QUOTIENT:%[0-9]+]] = arith.mulf [[DIVIDEND]], [[INVERSE]] : f32
// CHECK:         [[Y:%[0-9]+]] = math.fma {{%[0-9]+}}, [[INVERSE]], [[QUOTIENT]] : f32
// CHECK:         %y = arith.select {{%[0-9]+, %[0-9]+}}, [[Y]] : f32
// CHECK-NEXT:    func.return %y : f32
func.func @sigmoid(%x: f32) -> f32 {
  %unit = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %magnitude = math.absf %x : f32
  %negated = arith.negf %magnitude : f32
  %power = math.exp %negated : f32
  %below = arith.cmpf olt, %x, %zero : f32
  %dividend = arith.select %below, %power, %unit : f32
  %divisor = arith.addf %unit, %power : f32
  %y = arith.divf %dividend, %divisor : f32
  func.return %y : f32
}

// A product with x that alone uses the quotient is rounded once with it. Unusual numbers have a branch.
// CHECK-LABEL: func.func @times_sigmoid(%x: f32) -> f32 {
// CHECK-NOT:     math.exp
// CHECK:         %z = scf.if
// CHECK:         [[INVERSE:%[0-9]+]] = arith.divf {{%[0-9]+, %[0-9]+}} : f32
// CHECK-NEXT:    [[QUOTIENT:%[0-9]+]] = arith.mulf {{%[0-9]+}}, [[INVERSE]] : f32
// CHECK:         math.fma {{%[0-9]+}}, [[INVERSE]], [[QUOTIENT]] : f32
// CHECK:         func.return %z : f32
func.func @times_sigmoid(%x: f32) -> f32 {
  %unit = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %magnitude = math.absf %x : f32
  %negated = arith.negf %magnitude : f32
  %power = math.exp %negated : f32
  %below = arith.cmpf olt, %x, %zero : f32
  %dividend = arith.select %below, %power, %unit : f32
  %divisor = arith.addf %unit, %power : f32
  %y = arith.divf %dividend, %divisor : f32
  %z = arith.mulf %x, %y : f32
  func.return %z : f32
}

// The same product, with x in two numbers where sigmoid would be subnormal, as topi writes it.
// CHECK-LABEL: func.func @in_two_numbers(%x: f32) -> f32 {
// CHECK:         [[SIZE:%[0-9]+]] = math.absf %x : f32
// CHECK:         %z = scf.if
// CHECK:         [[INVERSE:%[0-9]+]] = arith.divf {{%[0-9]+, %[0-9]+}} : f32
// CHECK-NEXT:    [[QUOTIENT:%[0-9]+]] = arith.mulf {{%[0-9]+}}, [[INVERSE]] : f32
func.func @in_two_numbers(%x: f32) -> f32 {
  %unit = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %limit = arith.constant -80.0 : f32
  %power_of_step = arith.constant 8.17782054e-14 : f32
  %step = arith.constant 30.1347656 : f32
  %deep = arith.cmpf olt, %x, %limit : f32
  %scale = arith.select %deep, %power_of_step, %unit : f32
  %shift = arith.select %deep, %step, %zero : f32
  %factor = arith.mulf %x, %scale : f32
  %number = arith.addf %x, %shift : f32
  %magnitude = math.absf %number : f32
  %negated = arith.negf %magnitude : f32
  %power = math.exp %negated : f32
  %below = arith.cmpf olt, %number, %zero : f32
  %dividend = arith.select %below, %power, %unit : f32
  %divisor = arith.addf %unit, %power : f32
  %y = arith.divf %dividend, %divisor : f32
  %z = arith.mulf %factor, %y : f32
  func.return %z : f32
}

// (erf(x * sqrt(1/2)) + 1) * 1/2 is one function, and with a product with x another one.
// CHECK-LABEL: func.func @normal_share(%x: f32) -> f32 {
// CHECK-NOT:     math.erf
// CHECK:         [[BELOW:%[0-9]+]] = arith.cmpf olt, %x, {{%[0-9]+}} : f32
// CHECK:         arith.select [[BELOW]], {{%[0-9]+, %[0-9]+}} : f32
// CHECK:         %y = arith.select {{%[0-9]+, %[0-9]+, %[0-9]+}} : f32
// CHECK-NEXT:    func.return %y : f32
func.func @normal_share(%x: f32) -> f32 {
  %root = arith.constant 0.707106769 : f32
  %unit = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %scaled = arith.mulf %x, %root : f32
  %erf = math.erf %scaled : f32
  %sum = arith.addf %erf, %unit : f32
  %y = arith.mulf %sum, %half : f32
  func.return %y : f32
}

// CHECK-LABEL: func.func @gelu(%x: vector<8xf32>) -> vector<8xf32> {
// CHECK-NOT:     math.erf
// CHECK:         vector.reduction <or>
// CHECK:         math.fma {{%[0-9]+, %[0-9]+, %[0-9]+}} : vector<8xf32>
// CHECK:         %y = scf.if
// CHECK:         func.return %y : vector<8xf32>
func.func @gelu(%x: vector<8xf32>) -> vector<8xf32> {
  %root = arith.constant dense<0.707106769> : vector<8xf32>
  %unit = arith.constant dense<1.0> : vector<8xf32>
  %half = arith.constant dense<0.5> : vector<8xf32>
  %scaled = arith.mulf %root, %x : vector<8xf32>
  %erf = math.erf %scaled : vector<8xf32>
  %sum = arith.addf %unit, %erf : vector<8xf32>
  %share = arith.mulf %half, %sum : vector<8xf32>
  %y = arith.mulf %share, %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// With another factor, or another number, it is not gelu.
// CHECK-LABEL: func.func @not_gelu(%x: f32, %factor: f32) -> (f32, f32) {
// CHECK:         %y = arith.mulf {{%[a-z0-9]+}}, %factor : f32
// CHECK:         %z = arith.mulf %more, %half : f32
func.func @not_gelu(%x: f32, %factor: f32) -> (f32, f32) {
  %root = arith.constant 0.707106769 : f32
  %unit = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %scaled = arith.mulf %x, %root : f32
  %erf = math.erf %scaled : f32
  %sum = arith.addf %erf, %unit : f32
  %share = arith.mulf %sum, %half : f32
  %y = arith.mulf %share, %factor : f32
  %erfx = math.erf %x : f32
  %more = arith.addf %erfx, %unit : f32
  %z = arith.mulf %more, %half : f32
  func.return %y, %z : f32, f32
}

// CHECK-LABEL: func.func @not_sigmoid(%x: f32) -> f32 {
// CHECK:         [[QUOTIENT:%[0-9]+]] = arith.divf %dividend, %divisor : f32
// CHECK-NEXT:    func.return [[QUOTIENT]] : f32
func.func @not_sigmoid(%x: f32) -> f32 {
  %unit = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %magnitude = math.absf %x : f32
  %negated = arith.negf %magnitude : f32
  %power = math.exp %negated : f32
  %below = arith.cmpf olt, %x, %half : f32
  %dividend = arith.select %below, %power, %unit : f32
  %divisor = arith.addf %unit, %power : f32
  %0 = arith.divf %dividend, %divisor : f32
  func.return %0 : f32
}

// The exponential of a vector is one power, and a branch where one of them is subnormal.
// CHECK-LABEL: func.func @exponentials(%x: vector<8xf32>) -> vector<8xf32> {
// CHECK:         math.fma
// CHECK:         [[LOW:%[0-9]+]] = arith.cmpf olt, {{%[0-9]+, %[0-9]+}} : vector<8xf32>
// CHECK:         [[ANY:%[0-9]+]] = vector.reduction <or>, [[LOW]] : vector<8xi1> into i1
// CHECK-NEXT:    %y = scf.if [[ANY]] -> (vector<8xf32>) {
// CHECK:         } else {
// CHECK-NOT:       dense<96>
// CHECK:           arith.mulf {{%[0-9]+, %[0-9]+}} : vector<8xf32>
// CHECK-NEXT:      scf.yield
// CHECK:         func.return %y : vector<8xf32>
func.func @exponentials(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// With afn a power is scaled in one step, and nothing is made up for; f64 is as without.
// CHECK-LABEL: func.func @approximate(%x: f32, %d: f64) -> (f32, f64) {
// CHECK:         [[ONCE:%[0-9]+]] = arith.addf [[HALF:%[0-9]+]], [[HALF]] : f32
// CHECK:         [[Y:%[0-9]+]] = arith.mulf [[ONCE]], {{%[0-9]+}} : f32
// CHECK-NEXT:    arith.bitcast %d : f64 to i64
// CHECK:         arith.bitcast {{%[0-9]+}} : i64 to f64
// CHECK-NEXT:    [[FIRST:%[0-9]+]] = arith.mulf {{%[0-9]+, %[0-9]+}} : f64
// CHECK:         arith.select {{%[0-9]+, %[0-9]+}}, [[FIRST]] : f64
// CHECK:         [[E:%[0-9]+]] = arith.bitcast {{%[0-9]+}} : i64 to f64
// CHECK-NEXT:    func.return [[Y]], [[E]] : f32, f64
func.func @approximate(%x: f32, %d: f64) -> (f32, f64) {
  %0 = math.exp %x fastmath<afn> : f32
  %1 = math.exp %d fastmath<afn> : f64
  func.return %0, %1 : f32, f64
}

// A remainder is a long division; LLVM has exact code for powers of two, on a host.
// CHECK-LABEL: func.func @remainder(%x: f32, %y: f32, %v: vector<4xf32>) -> (f32, f32, vector<4xf32>, f32) {
// CHECK:         scf.while
// CHECK:         scf.while
// CHECK:         [[R:%[0-9]+]] = math.copysign {{%[0-9]+}}, %x : f32
// CHECK:         [[FOUR:%r[0-9]*]] = arith.remf %x, %four : f32
// CHECK-NEXT:    [[LANES:%r[0-9]*]] = arith.remf %v, %fours : vector<4xf32>
// CHECK-NOT:     arith.remf
// CHECK:       gpu.module @remainders {
// CHECK-NOT:     arith.remf
// CHECK:         [[UP:%[0-9]+]] = scf.while
// CHECK:           scf.condition
// CHECK:         [[DOWN:%[0-9]+]], {{%[0-9]+}} = scf.while
// CHECK:           math.fma
// CHECK:           scf.condition
// CHECK:         math.copysign [[DOWN]], %x : f32
func.func @remainder(%x: f32, %y: f32, %v: vector<4xf32>) -> (f32, f32, vector<4xf32>, f32) {
  %four = arith.constant 4.0 : f32
  %fours = arith.constant dense<4.0> : vector<4xf32>
  %third = arith.constant 3.0 : f32
  %r = arith.remf %x, %y : f32
  %r1 = arith.remf %x, %four : f32
  %r2 = arith.remf %v, %fours : vector<4xf32>
  %r3 = arith.remf %x, %third : f32
  func.return %r, %r1, %r2, %r3 : f32, f32, vector<4xf32>, f32
}
gpu.module @remainders {
  func.func @kernel(%x: f32, %y: f32) -> f32 {
    %r = arith.remf %x, %y : f32
    func.return %r : f32
  }
}
