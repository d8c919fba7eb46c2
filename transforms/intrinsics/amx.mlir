// Products of 16 x 16 sums in tile registers. amx.py fills in what begins with a dollar sign.

module @$name attributes {kc.features = ["$feature"]} {
  func.func @description(%A: memref<16x${depth}x$element>, %B: memref<16x16x${group}x$element>, %C: memref<16x16x$sums>) {
    tir.for %i in 16 {
      tir.for %j in 16 {
        tir.for %k in $depth {
          tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 16 = %j, reduce %v_k in $depth = %k) init {
            %zero = arith.constant $zero : $sums
            tir.store %zero, %C[%v_i, %v_j] : memref<16x16x$sums>
          } do {
            %c = tir.load %C[%v_i, %v_j] : memref<16x16x$sums>
            %a = tir.load %A[%v_i, %v_k] : memref<16x${depth}x$element>
            %b = tir.load %B[%v_k floordiv $group, %v_j, %v_k mod $group] : memref<16x16x${group}x$element>
            %x = $extend_a %a : $element to $sums
            %y = $extend_b %b : $element to $sums
            %p = $multiply %x, %y : $sums
            %s = $add %c, %p : $sums
            tir.store %s, %C[%v_i, %v_j] : memref<16x16x$sums>
          }
        }
      }
    }
    func.return
  }
  func.func @implementation(%A: memref<16x${depth}x$element, strided<[?, 1], offset: ?>>, %B: memref<16x16x${group}x$element, strided<[?, $group, 1], offset: ?>>, %C: memref<16x16x$sums, strided<[?, 1], offset: ?>>) {
    %rows = llvm.mlir.constant(16 : i16) : i16
    %bytes = llvm.mlir.constant(64 : i16) : i16
    %a_base, %a_offset, %a_sizes:2, %a_strides:2 = memref.extract_strided_metadata %A : memref<16x${depth}x$element, strided<[?, 1], offset: ?>> -> memref<$element>, index, index, index, index, index
    %a_first = "memref.extract_aligned_pointer_as_index"(%A) {kc.first_element} : (memref<16x${depth}x$element, strided<[?, 1], offset: ?>>) -> index
    %a_address = arith.index_cast %a_first : index to i64
    %a_pointer = llvm.inttoptr %a_address : i64 to !llvm.ptr
    %a_elements = arith.index_cast %a_strides#0 : index to i64
    %a_size = arith.constant $bytes : i64
    %a_stride = arith.muli %a_elements, %a_size : i64
    %b_base, %b_offset, %b_sizes:3, %b_strides:3 = memref.extract_strided_metadata %B : memref<16x16x${group}x$element, strided<[?, $group, 1], offset: ?>> -> memref<$element>, index, index, index, index, index, index, index
    %b_first = "memref.extract_aligned_pointer_as_index"(%B) {kc.first_element} : (memref<16x16x${group}x$element, strided<[?, $group, 1], offset: ?>>) -> index
    %b_address = arith.index_cast %b_first : index to i64
    %b_pointer = llvm.inttoptr %b_address : i64 to !llvm.ptr
    %b_elements = arith.index_cast %b_strides#0 : index to i64
    %b_size = arith.constant $bytes : i64
    %b_stride = arith.muli %b_elements, %b_size : i64
    %a = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%rows, %bytes, %a_pointer, %a_stride) : (i16, i16, !llvm.ptr, i64) -> !llvm.x86_amx
    %b = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%rows, %bytes, %b_pointer, %b_stride) : (i16, i16, !llvm.ptr, i64) -> !llvm.x86_amx
    %c_base, %c_offset, %c_sizes:2, %c_strides:2 = memref.extract_strided_metadata %C : memref<16x16x$sums, strided<[?, 1], offset: ?>> -> memref<$sums>, index, index, index, index, index
    %c_first = "memref.extract_aligned_pointer_as_index"(%C) {kc.first_element} : (memref<16x16x$sums, strided<[?, 1], offset: ?>>) -> index
    %c_address = arith.index_cast %c_first : index to i64
    %c_pointer = llvm.inttoptr %c_address : i64 to !llvm.ptr
    %c_elements = arith.index_cast %c_strides#0 : index to i64
    %c_size = arith.constant 4 : i64
    %c_stride = arith.muli %c_elements, %c_size : i64
    %c = llvm.call_intrinsic "llvm.x86.tilezero.internal"(%rows, %bytes) : (i16, i16) -> !llvm.x86_amx
    %d = llvm.call_intrinsic "llvm.x86.$instruction.internal"(%rows, %bytes, %bytes, %c, %a, %b) : (i16, i16, i16, !llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx) -> !llvm.x86_amx
    llvm.call_intrinsic "llvm.x86.tilestored64.internal"(%rows, %bytes, %c_pointer, %c_stride, %d) : (i16, i16, !llvm.ptr, i64, !llvm.x86_amx) -> ()
    func.return
  }
  func.func @init(%A: memref<16x${depth}x$element, strided<[?, ?], offset: ?>>, %B: memref<16x16x${group}x$element, strided<[?, ?, ?], offset: ?>>, %C: memref<16x16x$sums, strided<[?, 1], offset: ?>>) {
    %rows = llvm.mlir.constant(16 : i16) : i16
    %bytes = llvm.mlir.constant(64 : i16) : i16
    %c_base, %c_offset, %c_sizes:2, %c_strides:2 = memref.extract_strided_metadata %C : memref<16x16x$sums, strided<[?, 1], offset: ?>> -> memref<$sums>, index, index, index, index, index
    %c_first = "memref.extract_aligned_pointer_as_index"(%C) {kc.first_element} : (memref<16x16x$sums, strided<[?, 1], offset: ?>>) -> index
    %c_address = arith.index_cast %c_first : index to i64
    %c_pointer = llvm.inttoptr %c_address : i64 to !llvm.ptr
    %c_elements = arith.index_cast %c_strides#0 : index to i64
    %c_size = arith.constant 4 : i64
    %c_stride = arith.muli %c_elements, %c_size : i64
    %c = llvm.call_intrinsic "llvm.x86.tilezero.internal"(%rows, %bytes) : (i16, i16) -> !llvm.x86_amx
    llvm.call_intrinsic "llvm.x86.tilestored64.internal"(%rows, %bytes, %c_pointer, %c_stride, %c) : (i16, i16, !llvm.ptr, i64, !llvm.x86_amx) -> ()
    func.return
  }
  func.func @update(%A: memref<16x${depth}x$element, strided<[?, 1], offset: ?>>, %B: memref<16x16x${group}x$element, strided<[?, $group, 1], offset: ?>>, %C: memref<16x16x$sums, strided<[?, 1], offset: ?>>) {
    %rows = llvm.mlir.constant(16 : i16) : i16
    %bytes = llvm.mlir.constant(64 : i16) : i16
    %a_base, %a_offset, %a_sizes:2, %a_strides:2 = memref.extract_strided_metadata %A : memref<16x${depth}x$element, strided<[?, 1], offset: ?>> -> memref<$element>, index, index, index, index, index
    %a_first = "memref.extract_aligned_pointer_as_index"(%A) {kc.first_element} : (memref<16x${depth}x$element, strided<[?, 1], offset: ?>>) -> index
    %a_address = arith.index_cast %a_first : index to i64
    %a_pointer = llvm.inttoptr %a_address : i64 to !llvm.ptr
    %a_elements = arith.index_cast %a_strides#0 : index to i64
    %a_size = arith.constant $bytes : i64
    %a_stride = arith.muli %a_elements, %a_size : i64
    %b_base, %b_offset, %b_sizes:3, %b_strides:3 = memref.extract_strided_metadata %B : memref<16x16x${group}x$element, strided<[?, $group, 1], offset: ?>> -> memref<$element>, index, index, index, index, index, index, index
    %b_first = "memref.extract_aligned_pointer_as_index"(%B) {kc.first_element} : (memref<16x16x${group}x$element, strided<[?, $group, 1], offset: ?>>) -> index
    %b_address = arith.index_cast %b_first : index to i64
    %b_pointer = llvm.inttoptr %b_address : i64 to !llvm.ptr
    %b_elements = arith.index_cast %b_strides#0 : index to i64
    %b_size = arith.constant $bytes : i64
    %b_stride = arith.muli %b_elements, %b_size : i64
    %a = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%rows, %bytes, %a_pointer, %a_stride) : (i16, i16, !llvm.ptr, i64) -> !llvm.x86_amx
    %b = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%rows, %bytes, %b_pointer, %b_stride) : (i16, i16, !llvm.ptr, i64) -> !llvm.x86_amx
    %c_base, %c_offset, %c_sizes:2, %c_strides:2 = memref.extract_strided_metadata %C : memref<16x16x$sums, strided<[?, 1], offset: ?>> -> memref<$sums>, index, index, index, index, index
    %c_first = "memref.extract_aligned_pointer_as_index"(%C) {kc.first_element} : (memref<16x16x$sums, strided<[?, 1], offset: ?>>) -> index
    %c_address = arith.index_cast %c_first : index to i64
    %c_pointer = llvm.inttoptr %c_address : i64 to !llvm.ptr
    %c_elements = arith.index_cast %c_strides#0 : index to i64
    %c_size = arith.constant 4 : i64
    %c_stride = arith.muli %c_elements, %c_size : i64
    %c = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%rows, %bytes, %c_pointer, %c_stride) : (i16, i16, !llvm.ptr, i64) -> !llvm.x86_amx
    %d = llvm.call_intrinsic "llvm.x86.$instruction.internal"(%rows, %bytes, %bytes, %c, %a, %b) : (i16, i16, i16, !llvm.x86_amx, !llvm.x86_amx, !llvm.x86_amx) -> !llvm.x86_amx
    llvm.call_intrinsic "llvm.x86.tilestored64.internal"(%rows, %bytes, %c_pointer, %c_stride, %d) : (i16, i16, !llvm.ptr, i64, !llvm.x86_amx) -> ()
    func.return
  }
}
