// RUN: not kc-opt %s --bind="func=sum block=C loop=i thread_axis=threadIdx.w" 2>&1 | FileCheck %s --check-prefix=AXIS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=sum block=C loop=i thread_axis=threadIdx.x" --bind="func=sum block=C loop=j thread_axis=threadIdx.y" --bind="func=sum block=C loop=j thread_axis=threadIdx.x" 2>&1 | FileCheck %s --check-prefix=BOUND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=sum block=C loop=i thread_axis=threadIdx.x" --split="func=sum block=C loop=i factors=?,4" 2>&1 | FileCheck %s --check-prefix=SPLIT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --vectorize="func=sum block=C loop=i" --bind="func=sum block=C loop=j thread_axis=threadIdx.x" 2>&1 | FileCheck %s --check-prefix=VECTOR --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=sum block=C loop=j" --bind="func=sum block=C loop=i thread_axis=vthread" 2>&1 | FileCheck %s --check-prefix=HOLDS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=sum block=C loop=i" --bind="func=sum block=C loop=j thread_axis=blockIdx.x" 2>&1 | FileCheck %s --check-prefix=TEAM --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=sum block=C loop=i thread_axis=vthread" --parallel="func=sum block=C loop=j" 2>&1 | FileCheck %s --check-prefix=INSIDE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=sum block=C loop=j thread_axis=threadIdx.x" --vectorize="func=sum block=C loop=i" 2>&1 | FileCheck %s --check-prefix=LANES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=two block=S loop=p thread_axis=threadIdx.x" 2>&1 | FileCheck %s --check-prefix=EXTENT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --target="cuda -arch=sm_80" --bind="func=limits loop=x thread_axis=threadIdx.x" 2>&1 | FileCheck %s --check-prefix=MANY --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=limits loop=y thread_axis=threadIdx.y" --split="func=limits loop=x factors=?,32" --bind="func=limits loop=x_i thread_axis=threadIdx.x" 2>&1 | FileCheck %s --check-prefix=PRODUCT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=limits loop=y thread_axis=threadIdx.z" 2>&1 | FileCheck %s --check-prefix=ALONG --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --target="cuda -max_threads_per_block=64" --bind="func=limits loop=y thread_axis=threadIdx.x" 2>&1 | FileCheck %s --check-prefix=GIVEN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=dynamic loop=i thread_axis=vthread" 2>&1 | FileCheck %s --check-prefix=VIRTUAL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=sum block=C loop=k thread_axis=blockIdx.x" 2>&1 | FileCheck %s --check-prefix=REDUCE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reorder="func=sum block=C loops=k,j" --bind="func=sum block=C loop=k thread_axis=threadIdx.x" 2>&1 | FileCheck %s --check-prefix=SPATIAL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --decompose-reduction="func=sum block=C loop=k" --bind="func=sum block=C loop=k thread_axis=threadIdx.x" 2>&1 | FileCheck %s --check-prefix=INIT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=merged block=C loop=t thread_axis=threadIdx.x" 2>&1 | FileCheck %s --check-prefix=MERGED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=work block=S loop=e thread_axis=threadIdx.x" 2>&1 | FileCheck %s --check-prefix=WORK --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=work block=L loop=f thread_axis=threadIdx.x" 2>&1 | FileCheck %s --check-prefix=OWN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=private block=C loop=q thread_axis=threadIdx.x" 2>&1 | FileCheck %s --check-prefix=LOCAL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=blocks block=B loop=b thread_axis=blockIdx.x" 2>&1 | FileCheck %s --check-prefix=WRITES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=order block=B loop=q thread_axis=blockIdx.x" 2>&1 | FileCheck %s --check-prefix=ORDER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=limits loop=y thread_axis=blockIdx.x" --lower-init-block --lower-blocks --convert-tir-to-scf="func=limits" 2>&1 | FileCheck %s --check-prefix=LOWER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=shares loop=e thread_axis=vthread.x" --lower-init-block --lower-blocks --convert-tir-to-scf="func=shares" 2>&1 | FileCheck %s --check-prefix=INTER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --set-scope="func=own block=L buffer=L scope=shared" 2>&1 | FileCheck %s --check-prefix=ALONE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-read="func=own block=C buffer=L scope=shared" 2>&1 | FileCheck %s --check-prefix=COPY --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --target=cuda --set-scope="func=private block=L buffer=L scope=shared" --bind="func=private block=C loop=q thread_axis=threadIdx.x" --set-scope="func=private block=L buffer=L scope=local" 2>&1 | FileCheck %s --check-prefix=SCOPE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --compute-at="func=adds block=G loop=b" 2>&1 | FileCheck %s --check-prefix=ADDS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --compute-at="func=late block=L loop=t" 2>&1 | FileCheck %s --check-prefix=GRID --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --bind="func=seen block=C loop=p thread_axis=blockIdx.x" 2>&1 | FileCheck %s --check-prefix=SEEN --match-full-lines --strict-whitespace

//AXIS:error[KC3400]: bind: there is no thread axis 'threadIdx.w'
//AXIS-NEXT:  --> {{.*}}bind_invalid.mlir:324:3  tir.for %i in 16 {
//AXIS-NEXT:  try: did you mean 'threadIdx.z' or 'threadIdx.y' or 'threadIdx.x'?

//BOUND:error[KC3403]: bind: j has 12 threads of threadIdx.x, i 16
//BOUND-NEXT:  --> {{.*}}bind_invalid.mlir:325:5  tir.for %j in 12 {
//BOUND-NEXT:   |  for i in 16 threadIdx.x:    <-- 16 threadIdx.x
//BOUND-NEXT:   |    for j in 12:    <-- 12 threadIdx.x
//BOUND-NEXT:   |      for k in 8:
//BOUND-NEXT:   |        block C
//BOUND-NEXT:  why: loops bound to threadIdx.x in one kernel are the same threads, so their extents must be equal
//BOUND-NEXT:  try: split j by factors=?,16
//BOUND-NEXT:  try: bind j to another axis

//SPLIT:error[KC3010]: split: loop i is already bound to threadIdx.x
//SPLIT-NEXT:  --> {{.*}}bind_invalid.mlir:324:3  tir.for %i in 16 {
//SPLIT-NEXT:   |  for i in 16 threadIdx.x:    <-- here
//SPLIT-NEXT:   |    for j in 12:
//SPLIT-NEXT:   |      for k in 8:
//SPLIT-NEXT:   |        block C
//SPLIT-NEXT:  why: a loop must be restructured before it gets a kind of execution
//SPLIT-NEXT:  try: split first, then bind one of the results

//VECTOR:error[KC3402]: bind: loop j is inside the vectorized loop i
//VECTOR-NEXT:  --> {{.*}}bind_invalid.mlir:325:5  tir.for %j in 12 {
//VECTOR-NEXT:   |  for i in 16 vectorized:    <-- vectorized
//VECTOR-NEXT:   |    for j in 12:    <-- here
//VECTOR-NEXT:   |      for k in 8:
//VECTOR-NEXT:   |        block C
//VECTOR-NEXT:  why: a vector lane is a scalar: it has no threads
//VECTOR-NEXT:  try: reorder so that i is inside j

//HOLDS:error[KC3402]: bind: loop i is around the parallel loop j
//HOLDS-NEXT:  --> {{.*}}bind_invalid.mlir:324:3  tir.for %i in 16 {
//HOLDS-NEXT:   |  for i in 16:    <-- here
//HOLDS-NEXT:   |    for j in 12 parallel:    <-- parallel
//HOLDS-NEXT:   |      for k in 8:
//HOLDS-NEXT:   |        block C
//HOLDS-NEXT:  why: a CPU thread cannot launch kernels, and a GPU thread cannot start threads
//HOLDS-NEXT:  try: bind j instead of making it parallel

//TEAM:error[KC3402]: bind: loop j is inside the parallel loop i
//TEAM-NEXT:  --> {{.*}}bind_invalid.mlir:325:5  tir.for %j in 12 {
//TEAM-NEXT:   |  for i in 16 parallel:    <-- parallel
//TEAM-NEXT:   |    for j in 12:    <-- here
//TEAM-NEXT:   |      for k in 8:
//TEAM-NEXT:   |        block C
//TEAM-NEXT:  why: a CPU thread cannot launch kernels, and a GPU thread cannot start threads
//TEAM-NEXT:  try: bind i instead of making it parallel

//INSIDE:error[KC3042]: parallel: loop j is inside the vthread loop i
//INSIDE-NEXT:  --> {{.*}}bind_invalid.mlir:325:5  tir.for %j in 12 {
//INSIDE-NEXT:   |  for i in 16 vthread:    <-- vthread
//INSIDE-NEXT:   |    for j in 12:    <-- here
//INSIDE-NEXT:   |      for k in 8:
//INSIDE-NEXT:   |        block C
//INSIDE-NEXT:  why: a thread or a vector lane cannot start threads
//INSIDE-NEXT:  try: use bind: loops of a kernel are bound to blocks and threads, or serial

//LANES:error[KC3044]: vectorize: loop i is around the threadIdx.x loop j
//LANES-NEXT:  --> {{.*}}bind_invalid.mlir:324:3  tir.for %i in 16 {
//LANES-NEXT:   |  for i in 16:    <-- here
//LANES-NEXT:   |    for j in 12 threadIdx.x:    <-- threadIdx.x
//LANES-NEXT:   |      for k in 8:
//LANES-NEXT:   |        block C
//LANES-NEXT:  why: a vector lane is a scalar: it cannot hold vectors or start threads
//LANES-NEXT:  try: reorder, or fuse j and i before vectorizing

//EXTENT:error[KC3403]: bind: p has 32 threads of threadIdx.x, q 16
//EXTENT-NEXT:  --> {{.*}}bind_invalid.mlir:369:5  tir.for %p in 32 {
//EXTENT-NEXT:   |  for b in 2 blockIdx.x:
//EXTENT-NEXT:   |    alloc S
//EXTENT-NEXT:   |    for p in 32:    <-- 32 threadIdx.x
//EXTENT-NEXT:   |      block S
//EXTENT-NEXT:   |    for q in 16 threadIdx.x:    <-- 16 threadIdx.x
//EXTENT-NEXT:   |      for r in 2:
//EXTENT-NEXT:   |        block C
//EXTENT-NEXT:  why: loops bound to threadIdx.x in one kernel are the same threads, so their extents must be equal
//EXTENT-NEXT:  try: split p by factors=?,16
//EXTENT-NEXT:  try: bind p to another axis

//MANY:error[KC3404]: bind: 2048 threads in one block, sm_80 allows 1024
//MANY-NEXT:  --> {{.*}}bind_invalid.mlir:344:5  tir.for %x in 2048 {
//MANY-NEXT:   |  for y in 128:
//MANY-NEXT:   |    for x in 2048:    <-- threadIdx.x
//MANY-NEXT:   |      block A
//MANY-NEXT:  why: the product of threadIdx.{x,y,z} must be <= 1024 on this target
//MANY-NEXT:  try: split factor 1024, 512 or 256

//PRODUCT:error[KC3404]: bind: 4096 threads in one block, cuda allows 1024
//PRODUCT-NEXT:  --> {{.*}}bind_invalid.mlir:344:5  tir.for %x in 2048 {
//PRODUCT-NEXT:   |  for y in 128 threadIdx.y:    <-- threadIdx.y
//PRODUCT-NEXT:   |    for x_o in 64:
//PRODUCT-NEXT:   |      for x_i in 32:    <-- threadIdx.x
//PRODUCT-NEXT:   |        block A
//PRODUCT-NEXT:  why: the product of threadIdx.{x,y,z} must be <= 1024 on this target
//PRODUCT-NEXT:  try: split factor 8, 4 or 2

//ALONG:error[KC3405]: bind: 128 threads along threadIdx.z, cuda allows 64
//ALONG-NEXT:  --> {{.*}}bind_invalid.mlir:343:3  tir.for %y in 128 {
//ALONG-NEXT:   |  for y in 128:    <-- threadIdx.z
//ALONG-NEXT:   |    for x in 2048:
//ALONG-NEXT:   |      block A
//ALONG-NEXT:  why: the extent of threadIdx.z must be <= 64 on this target
//ALONG-NEXT:  try: split factor 64, 32 or 16

//GIVEN:error[KC3404]: bind: 128 threads in one block, cuda allows 64
//GIVEN-NEXT:  --> {{.*}}bind_invalid.mlir:343:3  tir.for %y in 128 {
//GIVEN-NEXT:   |  for y in 128:    <-- threadIdx.x
//GIVEN-NEXT:   |    for x in 2048:
//GIVEN-NEXT:   |      block A
//GIVEN-NEXT:  why: the product of threadIdx.{x,y,z} must be <= 64 on this target
//GIVEN-NEXT:  try: split factor 64, 32 or 16

//VIRTUAL:error[KC3406]: bind: the number of virtual threads of i is not a constant
//VIRTUAL-NEXT:  --> {{.*}}bind_invalid.mlir:356:3  tir.for %i in %n {
//VIRTUAL-NEXT:   |  for i in n:    <-- here
//VIRTUAL-NEXT:   |    block B
//VIRTUAL-NEXT:  why: each of them gets its own code and registers
//VIRTUAL-NEXT:  try: split i by factors=?,2 and bind i_i

//REDUCE:error[KC3040]: bind: loop k is a reduction of C
//REDUCE-NEXT:  --> {{.*}}bind_invalid.mlir:326:7  tir.for %k in 8 {
//REDUCE-NEXT:   |  for i in 16:
//REDUCE-NEXT:   |    for j in 12:
//REDUCE-NEXT:   |      for k in 8:    <-- here
//REDUCE-NEXT:   |        block C
//REDUCE-NEXT:  why: C at (k=0) writes C[0, 0], which C at (k=1) updates (for i = 0, j = 0)
//REDUCE-NEXT:  try: bind a spatial loop: i, j
//REDUCE-NEXT:  try: bind k to threadIdx.x: its threads combine their values
//REDUCE-NEXT:  try: rfactor creates partial results that can be computed in parallel

//SPATIAL:error[KC3407]: bind: the threads of k cannot combine their values of C
//SPATIAL-NEXT:  --> {{.*}}bind_invalid.mlir:326:7  tir.for %k in 8 {
//SPATIAL-NEXT:   |  for i in 16:
//SPATIAL-NEXT:   |    for k in 8:    <-- threadIdx.x
//SPATIAL-NEXT:   |      for j in 12:
//SPATIAL-NEXT:   |        block C    <-- the reduction
//SPATIAL-NEXT:  why: j drives a spatial variable of C: it covers several results
//SPATIAL-NEXT:  try: rfactor creates partial results, whose final reduction has this form
//SPATIAL-NEXT:  try: bind a spatial loop: i, j

//INIT:error[KC3407]: bind: the threads of k cannot combine their values of C
//INIT-NEXT:  --> {{.*}}bind_invalid.mlir:326:7  tir.for %k in 8 {
//INIT-NEXT:   |  for i in 16:
//INIT-NEXT:   |    for j in 12:
//INIT-NEXT:   |      block C_init
//INIT-NEXT:   |      for k in 8:    <-- threadIdx.x
//INIT-NEXT:   |        block C    <-- the reduction
//INIT-NEXT:  why: the init of C is a separate block; bind before decompose_reduction
//INIT-NEXT:  try: rfactor creates partial results, whose final reduction has this form
//INIT-NEXT:  try: bind a spatial loop: i, j

//MERGED:error[KC3041]: bind: the iterations of t depend on each other
//MERGED-NEXT:  --> {{.*}}bind_invalid.mlir:407:3  tir.for %t in 64 {
//MERGED-NEXT:   |  for t in 64:    <-- here
//MERGED-NEXT:   |    alloc S
//MERGED-NEXT:   |    block S
//MERGED-NEXT:   |    block C
//MERGED-NEXT:  why: S at (t=0) writes S[0], which S at (t=1) writes
//MERGED-NEXT:  try: the threads of threadIdx.x share S (shared); in local memory each has its own

//WORK:error[KC3411]: bind: the threads of t cannot share the iterations of e
//WORK-NEXT:  --> {{.*}}bind_invalid.mlir:424:5  tir.for %e in 8 {
//WORK-NEXT:   |  for t in 8 threadIdx.x:    <-- threadIdx.x
//WORK-NEXT:   |    alloc S
//WORK-NEXT:   |    for e in 8:    <-- threadIdx.x: one iteration in each thread
//WORK-NEXT:   |      block S
//WORK-NEXT:   |    alloc L
//WORK-NEXT:   |    for f in 8:
//WORK-NEXT:   |      block L
//WORK-NEXT:   |  ...
//WORK-NEXT:  why: no thread would run block S for v=1
//WORK-NEXT:  try: bind e to another axis

//OWN:error[KC3411]: bind: the threads of t cannot share the iterations of f
//OWN-NEXT:  --> {{.*}}bind_invalid.mlir:431:5  tir.for %f in 8 {
//OWN-NEXT:   |  for t in 8 threadIdx.x:    <-- threadIdx.x
//OWN-NEXT:   |    alloc S
//OWN-NEXT:   |    for e in 8:
//OWN-NEXT:   |      block S
//OWN-NEXT:   |    alloc L
//OWN-NEXT:   |    for f in 8:    <-- threadIdx.x: one iteration in each thread
//OWN-NEXT:   |      block L
//OWN-NEXT:   |  ...
//OWN-NEXT:  why: each thread has its own L (local), and that of thread 0 would miss v=1
//OWN-NEXT:  try: bind f to another axis

//LOCAL:error[KC3408]: bind: block C reads a value that another thread writes to L
//LOCAL-NEXT:  --> {{.*}}bind_invalid.mlir:397:7  tir.block "C" (spatial %w in 2 = %b, spatial %v in 32 = %q) do {
//LOCAL-NEXT:   |  for b in 2 blockIdx.x:
//LOCAL-NEXT:   |    alloc L
//LOCAL-NEXT:   |    for p in 32 threadIdx.x:
//LOCAL-NEXT:   |      block L    <-- writes L
//LOCAL-NEXT:   |    for q in 32:
//LOCAL-NEXT:   |      block C    <-- reads L
//LOCAL-NEXT:  why: threadIdx.x 0 reads L[31], which threadIdx.x 31 writes; threads of threadIdx.x do not share local memory
//LOCAL-NEXT:  try: in shared memory, all threads of a block see L

//WRITES:error[KC3409]: bind: block A is in the kernel, but in no loop of blockIdx.x
//WRITES-NEXT:  --> {{.*}}bind_invalid.mlir:451:5  tir.block "A" (spatial %v in 8 = %t) do {
//WRITES-NEXT:   |  for t in 8 threadIdx.x:
//WRITES-NEXT:   |    block A    <-- writes A
//WRITES-NEXT:   |    for b in 2:    <-- blockIdx.x
//WRITES-NEXT:   |      block B
//WRITES-NEXT:  why: every block along blockIdx.x would run it, and write to A, which is in global memory
//WRITES-NEXT:  try: compute it in loop b
//WRITES-NEXT:  try: bind a loop that also contains it

//ORDER:error[KC3408]: bind: block B reads a value that another thread block writes to G
//ORDER-NEXT:  --> {{.*}}bind_invalid.mlir:475:7  tir.block "B" (spatial %v in 8 = %q) do {
//ORDER-NEXT:   |  for t in 1 threadIdx.x:
//ORDER-NEXT:   |    for p in 8 blockIdx.x:
//ORDER-NEXT:   |      block G    <-- writes G
//ORDER-NEXT:   |    for q in 8:
//ORDER-NEXT:   |      block B    <-- reads G
//ORDER-NEXT:  why: blockIdx.x 0 reads G[7], which blockIdx.x 7 writes; thread blocks run in any order and do not wait for each other

//LOWER:error[KC4206]: convert-tir-to-scf: the loop y is bound to blockIdx.x, and the target is a CPU
//LOWER-NEXT:  --> {{.*}}bind_invalid.mlir:343:3  tir.for %y in 128 {
//LOWER-NEXT:  why: this is the schedule of a GPU: a CPU has no thread blocks
//LOWER-NEXT:  try: a target of a GPU: kc.build(..., target="cuda"), --lower-to-nvvm
//LOWER-NEXT:  try: parallel and vectorize are the loops of a CPU

//INTER:error[KC4207]: convert-tir-to-scf: the loop e is bound to vthread.x, as t around it is
//INTER-NEXT:  --> {{.*}}bind_invalid.mlir:487:5  tir.for %e in 8 {
//INTER-NEXT:  why: virtual threads that share the work of a loop cannot run one after the other

//ALONE:error[KC3415]: set_scope: the threads of t overwrite each other's values in L
//ALONE-NEXT:  --> {{.*}}bind_invalid.mlir:503:5  %L = tir.alloc "L" : memref<1xf32, "local">
//ALONE-NEXT:   |  for t in 8 threadIdx.x:    <-- threadIdx.x
//ALONE-NEXT:   |    alloc L    <-- each thread has its own (local)
//ALONE-NEXT:   |    block L
//ALONE-NEXT:   |    block C
//ALONE-NEXT:  why: L at (t=0) writes L[0], which L at (t=1) writes
//ALONE-NEXT:  try: scope=shared is one buffer for all of them; with local, each has its own

//COPY:error[KC3415]: cache_read: the threads of t overwrite each other's values in a shared copy of L
//COPY-NEXT:  --> {{.*}}bind_invalid.mlir:508:5  tir.block "C" (spatial %v in 8 = %t) do {
//COPY-NEXT:   |  for t in 8 threadIdx.x:    <-- threadIdx.x
//COPY-NEXT:   |    alloc L    <-- each thread has its own (local)
//COPY-NEXT:   |    block L
//COPY-NEXT:   |    block C
//COPY-NEXT:  why: the copy would be one buffer for all threads of threadIdx.x
//COPY-NEXT:  try: scope=local

//SCOPE:error[KC3408]: set_scope: block C reads a value that another thread writes to L
//SCOPE-NEXT:  --> {{.*}}bind_invalid.mlir:397:7  tir.block "C" (spatial %w in 2 = %b, spatial %v in 32 = %q) do {
//SCOPE-NEXT:   |  for b in 2 blockIdx.x:
//SCOPE-NEXT:   |    alloc L
//SCOPE-NEXT:   |    for p in 32 threadIdx.x:
//SCOPE-NEXT:   |      block L    <-- writes L
//SCOPE-NEXT:   |    for q in 32 threadIdx.x:
//SCOPE-NEXT:   |      block C    <-- reads L
//SCOPE-NEXT:  why: threadIdx.x 0 reads L[31], which threadIdx.x 31 writes; threads of threadIdx.x do not share local memory
//SCOPE-NEXT:  try: in shared memory, all threads of a block see L

//ADDS:error[KC3414]: compute_at: every block along blockIdx.x would accumulate G
//ADDS-NEXT:  --> {{.*}}bind_invalid.mlir:520:7  tir.block "G" (spatial %v in 8 = %i, reduce %w in 4 = %k) init {
//ADDS-NEXT:   |  for i in 8:
//ADDS-NEXT:   |    for k in 4:
//ADDS-NEXT:   |      block G    <-- a reduction into G
//ADDS-NEXT:   |  for b in 8 blockIdx.x:    <-- the loop
//ADDS-NEXT:   |    for u in 1:
//ADDS-NEXT:   |      block C
//ADDS-NEXT:  why: G is in global memory, which all blocks share, and blocks do not wait for each other
//ADDS-NEXT:  try: set_scope puts G into shared or local memory

//GRID:error[KC3409]: compute_at: block L is in the kernel, but in no loop of blockIdx.x
//GRID-NEXT:  --> {{.*}}bind_invalid.mlir:545:5  tir.block "L" (spatial %v in 8 = %i) do {
//GRID-NEXT:   |  for i in 8:
//GRID-NEXT:   |    block L    <-- writes L
//GRID-NEXT:   |  for t in 1 threadIdx.x:    <-- threadIdx.x
//GRID-NEXT:   |    for p in 8 blockIdx.x:    <-- blockIdx.x
//GRID-NEXT:   |      block C
//GRID-NEXT:  why: every block along blockIdx.x would run it, and write to L, which is in global memory
//GRID-NEXT:  try: compute it in loop p
//GRID-NEXT:  try: set_scope puts L into shared or local memory

//SEEN:error[KC3408]: bind: block S reads a value that another thread block writes to C
//SEEN-NEXT:  --> {{.*}}bind_invalid.mlir:571:7  tir.block "S" (spatial %v in 8 = %q) do {
//SEEN-NEXT:   |  for t in 1 threadIdx.x:
//SEEN-NEXT:   |    for p in 8:
//SEEN-NEXT:   |      block C    <-- writes C
//SEEN-NEXT:   |    alloc S
//SEEN-NEXT:   |    for q in 8:
//SEEN-NEXT:   |      block S    <-- reads C
//SEEN-NEXT:  why: block S is in no loop of blockIdx.x, so it would run in all of these blocks, which run in any order


func.func @sum(%A: memref<16x12x8xf32>, %C: memref<16x12xf32>) {
  tir.for %i in 16 {
    tir.for %j in 12 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 12 = %j, reduce %v_k in 8 = %k) init {
          %zero = arith.constant 0.0 : f32
          tir.store %zero, %C[%v_i, %v_j] : memref<16x12xf32>
        } do {
          %a = tir.load %A[%v_i, %v_j, %v_k] : memref<16x12x8xf32>
          %c = tir.load %C[%v_i, %v_j] : memref<16x12xf32>
          %s = arith.addf %c, %a : f32
          tir.store %s, %C[%v_i, %v_j] : memref<16x12xf32>
        }
      }
    }
  }
  func.return
}

func.func @limits(%A: memref<128x2048xf32>) {
  tir.for %y in 128 {
    tir.for %x in 2048 {
      tir.block "A" (spatial %v_y in 128 = %y, spatial %v_x in 2048 = %x) do {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %A[%v_y, %v_x] : memref<128x2048xf32>
      }
    }
  }
  func.return
}

func.func @dynamic(%A: memref<?xf32> {kc.shape = affine_map<()[n] -> (n)>}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in %n {
    tir.block "B" (spatial %v in %n = %i) do {
      %a = tir.load %A[%v] : memref<?xf32>
      %b = arith.addf %a, %a : f32
      tir.store %b, %A[%v] : memref<?xf32>
    }
  }
  func.return
}

func.func @two(%A: memref<64xf32>, %C: memref<64xf32>) {
  tir.for %b in 2 thread "blockIdx.x" {
    %S = tir.alloc "S" : memref<64xf32, "shared">
    tir.for %p in 32 {
      tir.block "S" (spatial %v in 64 = %b * 32 + %p) do {
        %a = tir.load %A[%v] : memref<64xf32>
        tir.store %a, %S[%v] : memref<64xf32, "shared">
      }
    }
    tir.for %q in 16 thread "threadIdx.x" {
      tir.for %r in 2 {
        tir.block "C" (spatial %v in 64 = %b * 32 + %q * 2 + %r) do {
          %s = tir.load %S[%v] : memref<64xf32, "shared">
          tir.store %s, %C[%v] : memref<64xf32>
        }
      }
    }
  }
  func.return
}

func.func @private(%A: memref<64xf32>, %C: memref<64xf32>) {
  tir.for %b in 2 thread "blockIdx.x" {
    %L = tir.alloc "L" : memref<64xf32, "local">
    tir.for %p in 32 thread "threadIdx.x" {
      tir.block "L" (spatial %v in 64 = %b * 32 + %p) do {
        %a = tir.load %A[%v] : memref<64xf32>
        tir.store %a, %L[%v] : memref<64xf32, "local">
      }
    }
    tir.for %q in 32 {
      tir.block "C" (spatial %w in 2 = %b, spatial %v in 32 = %q) do {
        %s = tir.load %L[%w * 32 + 31 - %v] : memref<64xf32, "local">
        tir.store %s, %C[%w * 32 + %v] : memref<64xf32>
      }
    }
  }
  func.return
}

func.func @merged(%A: memref<64xf32>, %C: memref<64xf32>) {
  tir.for %t in 64 {
    %S = tir.alloc "S" : memref<1xf32, "shared">
    tir.block "S" (spatial %v in 64 = %t) do {
      %a = tir.load %A[%v] : memref<64xf32>
      tir.store %a, %S[0] : memref<1xf32, "shared">
    }
    tir.block "C" (spatial %v in 64 = %t) do {
      %s = tir.load %S[0] : memref<1xf32, "shared">
      tir.store %s, %C[%v] : memref<64xf32>
    }
  }
  func.return
}

func.func @work(%A: memref<64xf32>, %C: memref<64xf32>) {
  tir.for %t in 8 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<64xf32, "shared">
    tir.for %e in 8 {
      tir.block "S" (spatial %v in 64 = %t * 8 + %e) do {
        %a = tir.load %A[%v] : memref<64xf32>
        tir.store %a, %S[%v] : memref<64xf32, "shared">
      }
    }
    %L = tir.alloc "L" : memref<8xf32, "local">
    tir.for %f in 8 {
      tir.block "L" (spatial %v in 8 = %f) do {
        %a = tir.load %A[%v] : memref<64xf32>
        tir.store %a, %L[%v] : memref<8xf32, "local">
      }
    }
    tir.for %g in 8 {
      tir.block "C" (spatial %v in 64 = %t * 8 + %g) do {
        %s = tir.load %S[%v] : memref<64xf32, "shared">
        %l = tir.load %L[7 - %v mod 8] : memref<8xf32, "local">
        %x = arith.addf %s, %l : f32
        tir.store %x, %C[%v] : memref<64xf32>
      }
    }
  }
  func.return
}

func.func @blocks(%A: memref<8xf32>, %B: memref<8xf32>) {
  tir.for %t in 8 thread "threadIdx.x" {
    tir.block "A" (spatial %v in 8 = %t) do {
      %zero = arith.constant 0.0 : f32
      tir.store %zero, %A[%v] : memref<8xf32>
    }
    tir.for %b in 2 {
      tir.block "B" (spatial %v in 8 = %t, spatial %w in 2 = %b) where (%b == 0) do {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %B[%v] : memref<8xf32>
      }
    }
  }
  func.return
}

func.func @order(%A: memref<8xf32>, %B: memref<8xf32>) {
  %G = tir.alloc "G" : memref<8xf32>
  tir.for %t in 1 thread "threadIdx.x" {
    tir.for %p in 8 thread "blockIdx.x" {
      tir.block "G" (spatial %v in 8 = %p) do {
        %a = tir.load %A[%v] : memref<8xf32>
        tir.store %a, %G[%v] : memref<8xf32>
      }
    }
    tir.for %q in 8 {
      tir.block "B" (spatial %v in 8 = %q) do {
        %a = tir.load %G[7 - %v] : memref<8xf32>
        tir.store %a, %B[%v] : memref<8xf32>
      }
    }
  }
  func.return
}

func.func @shares(%A: memref<8xf32>) {
  tir.for %t in 8 thread "vthread.x" {
    %S = tir.alloc "S" : memref<8xf32, "shared">
    tir.for %e in 8 {
      tir.block "S" (spatial %v in 8 = %e) do {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %S[%v] : memref<8xf32, "shared">
      }
    }
    tir.block "A" (spatial %v in 8 = %t) do {
      %s = tir.load %S[7 - %v] : memref<8xf32, "shared">
      tir.store %s, %A[%v] : memref<8xf32>
    }
  }
  func.return
}

func.func @own(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %t in 8 thread "threadIdx.x" {
    %L = tir.alloc "L" : memref<1xf32, "local">
    tir.block "L" (spatial %v in 8 = %t) do {
      %a = tir.load %A[%v] : memref<8xf32>
      tir.store %a, %L[0] : memref<1xf32, "local">
    }
    tir.block "C" (spatial %v in 8 = %t) do {
      %l = tir.load %L[0] : memref<1xf32, "local">
      tir.store %l, %C[%v] : memref<8xf32>
    }
  }
  func.return
}

func.func @adds(%A: memref<8x4xf32>, %C: memref<8xf32>) {
  %G = tir.alloc "G" : memref<8xf32>
  tir.for %i in 8 {
    tir.for %k in 4 {
      tir.block "G" (spatial %v in 8 = %i, reduce %w in 4 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %G[%v] : memref<8xf32>
      } do {
        %a = tir.load %A[%v, %w] : memref<8x4xf32>
        %g = tir.load %G[%v] : memref<8xf32>
        %s = arith.addf %g, %a : f32
        tir.store %s, %G[%v] : memref<8xf32>
      }
    }
  }
  tir.for %b in 8 thread "blockIdx.x" {
    tir.for %u in 1 {
      tir.block "C" (spatial %v in 8 = %b) do {
        %g = tir.load %G[%v] : memref<8xf32>
        tir.store %g, %C[%v] : memref<8xf32>
      }
    }
  }
  func.return
}

func.func @late(%A: memref<8xf32>, %C: memref<8xf32>) {
  %L = tir.alloc "L" : memref<8xf32>
  tir.for %i in 8 {
    tir.block "L" (spatial %v in 8 = %i) do {
      %a = tir.load %A[%v] : memref<8xf32>
      tir.store %a, %L[%v] : memref<8xf32>
    }
  }
  tir.for %t in 1 thread "threadIdx.x" {
    tir.for %p in 8 thread "blockIdx.x" {
      tir.block "C" (spatial %v in 8 = %p) do {
        %l = tir.load %L[%v] : memref<8xf32>
        tir.store %l, %C[%v] : memref<8xf32>
      }
    }
  }
  func.return
}

func.func @seen(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %t in 1 thread "threadIdx.x" {
    tir.for %p in 8 {
      tir.block "C" (spatial %v in 8 = %p) do {
        %a = tir.load %A[%v] : memref<8xf32>
        tir.store %a, %C[%v] : memref<8xf32>
      }
    }
    %S = tir.alloc "S" : memref<8xf32, "shared">
    tir.for %q in 8 {
      tir.block "S" (spatial %v in 8 = %q) do {
        %c = tir.load %C[%v] : memref<8xf32>
        tir.store %c, %S[%v] : memref<8xf32, "shared">
      }
    }
  }
  func.return
}

// A thread block that does all of a reduction is not alone with its init.
// RUN: not kc-opt %s --bind='func=one_block_reduces loop=l thread_axis=blockIdx.x' 2>&1 | FileCheck %s --check-prefix=REDUCES
// REDUCES: error[KC3040]: bind: loop l is a reduction of C
// REDUCES-NEXT:  --> {{.*}}bind_invalid.mlir:[[# @LINE + 13]]:3  tir.for %l in 2 {
// REDUCES-NEXT:   |  for l in 2:    <-- here
// REDUCES-NEXT:   |    for k in 2:
// REDUCES-NEXT:   |      block C
// REDUCES-NEXT:  why: every block along blockIdx.x would run the init of C, at any time
// REDUCES-NEXT:  try: decompose_reduction gives the init of C its own loops

// RUN: kc-opt %s --decompose-reduction='func=one_block_reduces block=C loop=l' --bind='func=one_block_reduces loop=l thread_axis=blockIdx.x' | FileCheck %s --check-prefix=DECOMPOSED
// DECOMPOSED-LABEL: @one_block_reduces
// DECOMPOSED: tir.block "C_init"
// DECOMPOSED: tir.for %l in 2 thread "blockIdx.x"

func.func @one_block_reduces(%A: memref<2xf32>, %C: memref<1xf32>) {
  tir.for %l in 2 {
    tir.for %k in 2 {
      tir.block "C" (spatial %v in 1 = 0, reduce %w in 2 = %l * 2 + %k) where (-%l >= 0) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %C[%v] : memref<1xf32>
      } do {
        %c = tir.load %C[%v] : memref<1xf32>
        %a = tir.load %A[%w] : memref<2xf32>
        %s = arith.addf %c, %a : f32
        tir.store %s, %C[%v] : memref<1xf32>
      }
    }
  }
  func.return
}

// The condition of a block around loops of threads: the row that does not get there cannot wait.
// RUN: not kc-opt %s --bind='func=in_a_block loop=i thread_axis=threadIdx.x' --bind='func=in_a_block loop=j thread_axis=threadIdx.x' 2>&1 | FileCheck %s --check-prefix=ABSENT --match-full-lines --strict-whitespace
//ABSENT:error[KC3418]: bind: block O reads a value that another thread writes to S, in a branch that not all threads take
//ABSENT-NEXT:  --> {{.*}}bind_invalid.mlir:631:7  tir.block "O" (opaque %o in 2 = %w) where (%w < 1) do {
//ABSENT-NEXT:   |  for b in 1 blockIdx.x:
//ABSENT-NEXT:   |    alloc S
//ABSENT-NEXT:   |    for w in 2 threadIdx.y:
//ABSENT-NEXT:   |      block O    <-- not in all threads
//ABSENT-NEXT:   |        for i in 4:
//ABSENT-NEXT:   |          store to S
//ABSENT-NEXT:   |        for j in 4:
//ABSENT-NEXT:   |          store to B
//ABSENT-NEXT:  why: threadIdx.x 0 reads S[3], which threadIdx.x 3 writes; threadIdx.y 1 does not reach it, and all threads of a block wait together
//ABSENT-NEXT:  try: guard each access by a condition of its own, so that all threads can wait in between

func.func @in_a_block(%A: memref<4xi32>, %B: memref<4xi32>) {
  tir.for %b in 1 thread "blockIdx.x" {
    %S = tir.alloc "S" : memref<4xi32, "shared">
    tir.for %w in 2 thread "threadIdx.y" {
      tir.block "O" (opaque %o in 2 = %w) where (%w < 1) do {
        tir.for %i in 4 {
          %a = tir.load %A[%i] : memref<4xi32>
          tir.store %a, %S[%i] : memref<4xi32, "shared">
        }
        tir.for %j in 4 {
          %s = tir.load %S[3 - %j] : memref<4xi32, "shared">
          tir.store %s, %B[%j] : memref<4xi32>
        }
      }
    }
  }
  func.return
}

// RUN: not kc-opt %s --bind="func=away loop=i axis=threadIdx.x" 2>&1 | FileCheck %s --check-prefix=AWAY --match-full-lines --strict-whitespace
//AWAY:error[KC3411]: bind: the threads of t cannot share the iterations of i
//AWAY-NEXT:  --> {{.*}}bind_invalid.mlir:658:11  tir.for %i in 2 {
//AWAY-NEXT:   |  for i in 2:    <-- threadIdx.x: one iteration in each thread
//AWAY-NEXT:   |    block B
//AWAY-NEXT:  why: tir.if keeps some of the threads away from it
//AWAY-NEXT:  try: bind i to another axis
func.func @away(%A: memref<8xf32>, %B: memref<8xf32>) {
  tir.for %t in 2 thread "threadIdx.x" {
    tir.for %o in 8 {
      tir.block "B_o" (spatial %v_o in 8 = %o, spatial %v_t in 2 = %t) do {
        tir.if (%v_t < 1) {
          tir.for %i in 2 {
            tir.block "B" (spatial %v in 8 = %v_o) where (%i < 1) do {
              %0 = tir.load %A[%v] : memref<8xf32>
              tir.store %0, %B[%v] : memref<8xf32>
            }
          }
        }
      }
    }
  }
  func.return
}

// RUN: not kc-opt %s --bind="func=initialised_late loop=i thread_axis=blockIdx.x" --bind="func=initialised_late loop=k_i thread_axis=threadIdx.x" 2>&1 | FileCheck %s --check-prefix=LATE --match-full-lines --strict-whitespace

//LATE:error[KC3407]: bind: the threads of k_i cannot combine their values of C
//LATE-NEXT:  --> {{.*}}bind_invalid.mlir:[[# @LINE + 12]]:7  tir.for %k_i in 2 {
//LATE-NEXT:   |  for i in 3 blockIdx.x:
//LATE-NEXT:   |    for k_o in 2:
//LATE-NEXT:   |      for k_i in 2:    <-- threadIdx.x
//LATE-NEXT:   |        block C    <-- the reduction
//LATE-NEXT:  why: its init may run after some of its terms: C at (k_o=0, k_i=0) updates C[0], which C at (k_o=1, k_i=1) writes (for i = 0)
//LATE-NEXT:  try: rfactor creates partial results, whose final reduction has this form
//LATE-NEXT:  try: bind a spatial loop: i

func.func @initialised_late(%A: memref<3x4xi32> {kc.name = "A"}, %C: memref<3xi32> {kc.name = "C"}) {
  tir.for %i in 3 {
    tir.for %k_o in 2 {
      tir.for %k_i in 2 {
        tir.block "C" (spatial %v_i in 3 = %i, reduce %v_k in 4 = (%k_o * 2 + %k_i + 1) mod 4) init {
          %b = arith.constant 100 : i32
          tir.store %b, %C[%v_i] : memref<3xi32>
        } do {
          %old = tir.load %C[%v_i] : memref<3xi32>
          %x = tir.load %A[%v_i, %v_k] : memref<3x4xi32>
          %new = arith.minsi %old, %x : i32
          tir.store %new, %C[%v_i] : memref<3xi32>
        }
      }
    }
  }
  func.return
}

// Memory that each iteration has for itself is what blocks share then, also of what none has written.
// RUN: not kc-opt %s --bind="func=halo loop=b thread=blockIdx.x" 2>&1 | FileCheck %s --check-prefix=HALO --match-full-lines --strict-whitespace
func.func @halo(%A: memref<8xf32>, %B: memref<8xf32>) {
  tir.for %b in 8 {
    %S = tir.alloc "S" : memref<8xf32>
    tir.block "S" (spatial %v in 8 = %b) do {
      %x = tir.load %A[%v] : memref<8xf32>
      tir.store %x, %S[%v] : memref<8xf32>
    }
    %L = tir.alloc "L" : memref<8xf32, "local">
    tir.for %j in 8 {
      tir.block "L" (spatial %v in 8 = %j) do {
        %x = tir.load %S[%v] : memref<8xf32>
        tir.store %x, %L[%v] : memref<8xf32, "local">
      }
    }
    tir.block "B" (spatial %v in 8 = %b) do {
      %x = tir.load %L[%v] : memref<8xf32, "local">
      tir.store %x, %B[%v] : memref<8xf32>
    }
  }
  func.return
}
//HALO:error[KC3408]: bind: block L reads a value that another thread block writes to S
//HALO-NEXT:  --> {{.*}}bind_invalid.mlir:713:7  tir.block "L" (spatial %v in 8 = %j) do {
//HALO-NEXT:   |  for b in 8:    <-- one kernel, if this is blockIdx.x
//HALO-NEXT:   |    alloc S
//HALO-NEXT:   |    block S    <-- writes S
//HALO-NEXT:   |    alloc L
//HALO-NEXT:   |    for j in 8:
//HALO-NEXT:   |      block L    <-- reads S
//HALO-NEXT:   |    block B
//HALO-NEXT:  why: blockIdx.x 0 reads S[1], which blockIdx.x 1 writes; thread blocks run in any order and do not wait for each other
