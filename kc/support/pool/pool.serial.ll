; Made by `make native` with clang 22.1.8: do not edit.
; The sha256 of pool.c: 2f3dd87228fa42528f180ff4b6dd4f95e2df2a9764f20571920621d0f23fa4dc

define weak_odr void @kc_parallel_for(ptr noundef %body, ptr noundef %ctx, i64 noundef %n, i64 noundef %grain) local_unnamed_addr #0 {
entry:
  %cmp = icmp sgt i64 %n, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  tail call void %body(i64 noundef 0, i64 noundef %n, ptr noundef %ctx) #1
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  ret void
}

define weak_odr void @kc_parallel_for_numbered(ptr noundef %body, ptr noundef %ctx, i64 noundef %n, i64 noundef %grain, i64 noundef %threads) local_unnamed_addr #0 {
entry:
  %cmp = icmp sgt i64 %n, 0
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  tail call void %body(i64 noundef 0, i64 noundef %n, ptr noundef %ctx, i64 noundef 0) #1
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  ret void
}

define weak_odr i32 @kc_pool_num_threads() local_unnamed_addr #0 {
entry:
  ret i32 1
}

define weak_odr i32 @kc_pool_configure(i32 noundef %threads, ptr noundef %cpus) local_unnamed_addr #0 {
entry:
  ret i32 0
}

define weak_odr i32 @kc_pool_shutdown() local_unnamed_addr #0 {
entry:
  ret i32 0
}

define weak_odr i32 @kc_pool_cpu_quota(ptr noundef %root) local_unnamed_addr #0 {
entry:
  ret i32 0
}

attributes #0 = { nounwind uwtable }
attributes #1 = { nobuiltin nounwind }
