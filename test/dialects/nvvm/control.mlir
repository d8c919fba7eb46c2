// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// Registers, launches, sleeping, leaving, approximations.
// CHECK-LABEL: llvm.func @control
llvm.func @control(%i: i32, %f: f32) {
  // CHECK: nvvm.setmaxregister increase 232
  // GENERIC: "nvvm.setmaxregister"() <{action = #nvvm<action increase>, regCount = 232 : i32}> : () -> ()
  nvvm.setmaxregister increase 232
  // CHECK: nvvm.setmaxregister decrease 24 {note}
  // GENERIC: "nvvm.setmaxregister"() <{action = #nvvm<action decrease>, regCount = 24 : i32}> {note} : () -> ()
  nvvm.setmaxregister decrease 24 {note}
  // CHECK: nvvm.griddepcontrol wait
  // GENERIC: "nvvm.griddepcontrol"() <{kind = #nvvm<grid_dep_action wait>}> : () -> ()
  nvvm.griddepcontrol wait
  // CHECK: nvvm.griddepcontrol launch_dependents {note}
  // GENERIC: "nvvm.griddepcontrol"() <{kind = #nvvm<grid_dep_action launch_dependents>}> {note} : () -> ()
  nvvm.griddepcontrol launch_dependents {note}
  // CHECK: nvvm.nanosleep %i
  // GENERIC: "nvvm.nanosleep"(%i) : (i32) -> ()
  nvvm.nanosleep %i
  // CHECK: nvvm.exit
  // GENERIC: "nvvm.exit"() : () -> ()
  nvvm.exit
  // CHECK: %{{.*}} = nvvm.rcp.approx.ftz.f %f : f32
  // GENERIC: %{{.*}} = "nvvm.rcp.approx.ftz.f"(%f) : (f32) -> f32
  %0 = nvvm.rcp.approx.ftz.f %f : f32
  // CHECK: %{{.*}} = nvvm.rcp.approx.ftz.f %f {note} : f32
  // GENERIC: %{{.*}} = "nvvm.rcp.approx.ftz.f"(%f) {note} : (f32) -> f32
  %1 = nvvm.rcp.approx.ftz.f %f {note} : f32
  llvm.return
}
