// RUN: not kc-opt %s --narrow-data-type=bits=64 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC0002]: narrow-data-type: bits is 64
//CHECK-NEXT:  try: bits is 8, 16 or 32

func.func @f() {
  func.return
}
