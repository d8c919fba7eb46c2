"""LLVM IR that decides how many threads the parallel pool has and on which CPUs they run.

A part of :func:`kc.support.parallel_pool.pool_ir`, which fills in the names after ``$``.

The number of threads is what ``kc_pool_configure`` was given; else ``KC_NUM_THREADS``; else the
number of CPUs in the affinity mask of the calling thread, but no more than the process's CPU quota
(cgroups), rounded up. A number that the user gives is not bounded by either.
"""

from string import Template

TEXTS = {
    "read": "r",
    "two": "%lld %lld",
    "one": "%d",
    "copy": "%s",
    "cgroup": "%s/proc/self/cgroup",
    "commas": ",%s,",
    "cpu": ",cpu,",
    "v2": "/sys/fs/cgroup",
    "hybrid": "/sys/fs/cgroup/unified",
    "v1": "/sys/fs/cgroup/cpu",
    "max": "%s%s%s/cpu.max",
    "quota": "%s%s%s/cpu.cfs_quota_us",
    "period": "%s%s%s/cpu.cfs_period_us",
    "core": "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
    "env": "KC_NUM_THREADS",
    "bad": "kc: KC_NUM_THREADS='%s' is ignored: not a whole number from 1 to %d\n",
    "empty": "",
}
"""The C strings ``@kc.text.<name>`` that the text uses."""

CPUS = Template("""
; ---- CPU quota: cgroup v2 (cpu.max) and v1 (cpu.cfs_quota_us), the least of all ancestors

; Reads up to two numbers at the start of a file; how many were there.
define internal i32 @kc.cpus.read(ptr %path, ptr %a, ptr %b) {
entry:
  %file = call ptr @fopen(ptr %path, ptr @kc.text.read)
  %missing = icmp eq ptr %file, null
  br i1 %missing, label %none, label %scan
scan:
  %found = call i32 (ptr, ptr, ...) @fscanf(ptr %file, ptr @kc.text.two, ptr %a, ptr %b)
  %closed = call i32 @fclose(ptr %file)
  ret i32 %found
none:
  ret i32 0
}

; The CPUs that the quota of one group allows, rounded up, or the largest i64 where it sets none.
define internal i64 @kc.cpus.group(ptr %root, ptr %mount, ptr %group) {
entry:
  %path = alloca [8192 x i8]
  %quota = alloca i64
  %period = alloca i64
  %rest = alloca i64
  store i64 0, ptr %quota
  store i64 0, ptr %period
  %p0 = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %path, i64 8192, ptr @kc.text.max,
                                                ptr %root, ptr %mount, ptr %group)
  %both = call i32 @kc.cpus.read(ptr %path, ptr %quota, ptr %period)
  %v2 = icmp eq i32 %both, 2
  br i1 %v2, label %check, label %v1
v1:
  %p1 = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %path, i64 8192, ptr @kc.text.quota,
                                                ptr %root, ptr %mount, ptr %group)
  %r1 = call i32 @kc.cpus.read(ptr %path, ptr %quota, ptr %rest)
  %p2 = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %path, i64 8192, ptr @kc.text.period,
                                                ptr %root, ptr %mount, ptr %group)
  %r2 = call i32 @kc.cpus.read(ptr %path, ptr %period, ptr %rest)
  br label %check
check:
  %q = load i64, ptr %quota
  %p = load i64, ptr %period
  %some = icmp sgt i64 %q, 0                            ; "max" reads as nothing, v1 says -1
  %sane = icmp sgt i64 %p, 0
  %limited = and i1 %some, %sane
  br i1 %limited, label %limit, label %free
limit:
  %q1 = sub i64 %q, 1
  %whole = udiv i64 %q1, %p
  %ceil = add i64 %whole, 1
  ret i64 %ceil
free:
  ret i64 $unlimited
}

; The least of @kc.cpus.group over a group and all its ancestors.
define internal i64 @kc.cpus.ancestors(ptr %root, ptr %mount, ptr %group) {
entry:
  %path = alloca [4096 x i8]
  %copied = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %path, i64 4096, ptr @kc.text.copy,
                                                    ptr %group)
  br label %level
level:
  %best = phi i64 [$unlimited, %entry], [%least, %up]
  %here = call i64 @kc.cpus.group(ptr %root, ptr %mount, ptr %path)
  %least = call i64 @llvm.smin.i64(i64 %best, i64 %here)
  %slash = call ptr @strrchr(ptr %path, i32 47)
  %top = icmp eq ptr %slash, null
  br i1 %top, label %exit, label %up
up:
  store i8 0, ptr %slash
  br label %level
exit:
  ret i64 %least
}

; The CPU quota of this process in CPUs, rounded up; 0: none. `root` is prefixed to every file name
; ("" for the system itself). A line of /proc/self/cgroup is `number:controllers:group`, without
; controllers for v2.
define $public i32 @kc_pool_cpu_quota(ptr %root) {
entry:
  %line = alloca [4096 x i8]
  %list = alloca [4096 x i8]
  %named = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %line, i64 4096, ptr @kc.text.cgroup,
                                                   ptr %root)
  %file = call ptr @fopen(ptr %line, ptr @kc.text.read)
  %missing = icmp eq ptr %file, null
  br i1 %missing, label %none, label %next
next:
  %best = phi i64 [$unlimited, %entry], [%best, %split], [%best, %split2], [%best, %other],
                  [%least, %mine]
  %got = call ptr @fgets(ptr %line, i32 4096, ptr %file)
  %end = icmp eq ptr %got, null
  br i1 %end, label %close, label %split
split:
  %newline = call ptr @strchr(ptr %line, i32 10)
  %unended = icmp eq ptr %newline, null
  %last = select i1 %unended, ptr %list, ptr %newline
  store i8 0, ptr %last
  %colon = call ptr @strchr(ptr %line, i32 58)
  %odd = icmp eq ptr %colon, null
  br i1 %odd, label %next, label %split2
split2:
  %controllers = getelementptr i8, ptr %colon, i64 1
  %colon2 = call ptr @strchr(ptr %controllers, i32 58)
  %odd2 = icmp eq ptr %colon2, null
  br i1 %odd2, label %next, label %kind
kind:
  store i8 0, ptr %colon2
  %group = getelementptr i8, ptr %colon2, i64 1
  %first = load i8, ptr %controllers
  %v2 = icmp eq i8 %first, 0
  br i1 %v2, label %mine, label %other
other:
  %listed = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %list, i64 4096, ptr @kc.text.commas,
                                                    ptr %controllers)
  %cpu = call ptr @strstr(ptr %list, ptr @kc.text.cpu)
  %v1 = icmp ne ptr %cpu, null
  br i1 %v1, label %mine, label %next
mine:
  %a = call i64 @kc.cpus.ancestors(ptr %root, ptr @kc.text.v2, ptr %group)
  %b = call i64 @kc.cpus.ancestors(ptr %root, ptr @kc.text.hybrid, ptr %group)
  %c = call i64 @kc.cpus.ancestors(ptr %root, ptr @kc.text.v1, ptr %group)
  %ab = call i64 @llvm.smin.i64(i64 %a, i64 %b)
  %abc = call i64 @llvm.smin.i64(i64 %ab, i64 %c)
  %least = call i64 @llvm.smin.i64(i64 %best, i64 %abc)
  br label %next
close:
  %closed = call i32 @fclose(ptr %file)
  %unset = icmp eq i64 %best, $unlimited
  br i1 %unset, label %none, label %set
set:
  %bounded = call i64 @llvm.smin.i64(i64 %best, i64 $max_threads)
  %result = trunc i64 %bounded to i32
  ret i32 %result
none:
  ret i32 0
}

; ---- how many threads

; Fills the affinity mask of the calling thread and counts its CPUs. A mask that cannot be read
; counts as CPU 0 alone.
define internal i32 @kc.cpus.allowed(ptr %mask) {
entry:
  %failed = call i32 @sched_getaffinity(i32 0, i64 $mask_bytes, ptr %mask)
  %unknown = icmp ne i32 %failed, 0
  br i1 %unknown, label %one, label %count
one:
  call void @llvm.memset.p0.i64(ptr %mask, i8 0, i64 $mask_bytes, i1 false)
  call void @kc.cpus.add(ptr %mask, i32 0)
  br label %count
count:
  %i = phi i64 [0, %entry], [0, %one], [%i1, %count]
  %sum = phi i64 [0, %entry], [0, %one], [%sum1, %count]
  %at = getelementptr i64, ptr %mask, i64 %i
  %word = load i64, ptr %at
  %bits = call i64 @llvm.ctpop.i64(i64 %word)
  %sum1 = add i64 %sum, %bits
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, $mask_words
  br i1 %more, label %count, label %exit
exit:
  %cpus = trunc i64 %sum1 to i32
  ret i32 %cpus
}

; The number of threads that can run at once: `allowed` CPUs within the quota.
define internal i32 @kc.cpus.available(i32 %allowed) {
  %quota = call i32 @kc_pool_cpu_quota(ptr @kc.text.empty)
  %free = icmp eq i32 %quota, 0
  %limit = select i1 %free, i32 $max_threads, i32 %quota
  %least = call i32 @llvm.umin.i32(i32 %allowed, i32 %limit)
  ret i32 %least
}

; What KC_NUM_THREADS asks for; `standard` where it is unset, empty or (with a message) no number.
define internal i32 @kc.cpus.wanted(i32 %standard) {
entry:
  %end = alloca ptr
  %text = call ptr @getenv(ptr @kc.text.env)
  %unset = icmp eq ptr %text, null
  br i1 %unset, label %default, label %set
set:
  %first = load i8, ptr %text
  %empty = icmp eq i8 %first, 0
  br i1 %empty, label %default, label %parse
parse:
  %number = call i64 @strtol(ptr %text, ptr %end, i32 10)
  %stop = load ptr, ptr %end
  %left = load i8, ptr %stop
  %all = icmp eq i8 %left, 0
  %below = sub i64 %number, 1
  %range = icmp ult i64 %below, $max_threads
  %good = and i1 %all, %range
  br i1 %good, label %take, label %bad
take:
  %threads = trunc i64 %number to i32
  ret i32 %threads
bad:
  %said = call i32 (i32, ptr, ...) @dprintf(i32 2, ptr @kc.text.bad, ptr %text,
                                             i32 $max_threads)
  br label %default
default:
  ret i32 %standard
}

; ---- which CPUs: a mask is an array of $mask_words words

define internal i1 @kc.cpus.has(ptr %mask, i32 %cpu) {
  %word = lshr i32 %cpu, 6
  %at = getelementptr i64, ptr %mask, i32 %word
  %bits = load i64, ptr %at
  %low = and i32 %cpu, 63
  %shift = zext i32 %low to i64
  %shifted = lshr i64 %bits, %shift
  %bit = trunc i64 %shifted to i1
  ret i1 %bit
}

define internal void @kc.cpus.add(ptr %mask, i32 %cpu) {
  %word = lshr i32 %cpu, 6
  %at = getelementptr i64, ptr %mask, i32 %word
  %bits = load i64, ptr %at
  %low = and i32 %cpu, 63
  %shift = zext i32 %low to i64
  %bit = shl i64 1, %shift
  %set = or i64 %bits, %bit
  store i64 %set, ptr %at
  ret void
}

; The next CPU of a mask that is not empty, in a circle: `cpu` itself comes last.
define internal i32 @kc.cpus.next(ptr %mask, i32 %cpu) {
entry:
  br label %step
step:
  %at = phi i32 [%cpu, %entry], [%after, %step]
  %plus = add i32 %at, 1
  %after = and i32 %plus, $last_cpu
  %in = call i1 @kc.cpus.has(ptr %mask, i32 %after)
  br i1 %in, label %found, label %step
found:
  ret i32 %after
}

; The caller's CPU, or the first of the mask where a sandbox does not tell.
define internal i32 @kc.cpus.home(ptr %mask) {
entry:
  %here = call i32 @sched_getcpu()
  %known = icmp ule i32 %here, $last_cpu
  br i1 %known, label %check, label %first
check:
  %in = call i1 @kc.cpus.has(ptr %mask, i32 %here)
  br i1 %in, label %exit, label %first
first:
  %next = call i32 @kc.cpus.next(ptr %mask, i32 $last_cpu)
  br label %exit
exit:
  %home = phi i32 [%here, %check], [%next, %first]
  ret i32 %home
}

; The first CPU of the core that `cpu` belongs to (itself where the system does not tell).
define internal i32 @kc.cpus.core(i32 %cpu) {
entry:
  %path = alloca [128 x i8]
  %number = alloca i32
  store i32 %cpu, ptr %number
  %named = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %path, i64 128, ptr @kc.text.core, i32 %cpu)
  %file = call ptr @fopen(ptr %path, ptr @kc.text.read)
  %missing = icmp eq ptr %file, null
  br i1 %missing, label %exit, label %scan
scan:
  %found = call i32 (ptr, ptr, ...) @fscanf(ptr %file, ptr @kc.text.one, ptr %number)
  %closed = call i32 @fclose(ptr %file)
  br label %exit
exit:
  %first = load i32, ptr %number
  %known = and i32 %first, $last_cpu
  ret i32 %known
}

; Gives each worker a CPU of the mask (not empty), going round from `home`, the CPU the caller is
; on, which stays free: so the workers are near the caller, and two processes of a large machine
; do not take the same CPUs. Round 0 (fewer threads than CPUs) takes one CPU of each core, round 1
; any left; more threads than CPUs start over, `home` included.
define internal void @kc.cpus.place(ptr %mask, i32 %home, ptr %workers, i32 %count, i32 %round0) {
entry:
  %taken = alloca [$mask_words x i64]
  %cores = alloca [$mask_words x i64]
  call void @llvm.memset.p0.i64(ptr %taken, i8 0, i64 $mask_bytes, i1 false)
  call void @llvm.memset.p0.i64(ptr %cores, i8 0, i64 $mask_bytes, i1 false)
  %core0 = call i32 @kc.cpus.core(i32 %home)
  call void @kc.cpus.add(ptr %cores, i32 %core0)
  %none = icmp eq i32 %count, 0
  br i1 %none, label %exit, label %next
next:
  %i = phi i32 [0, %entry], [%i, %skip], [%i1, %take]
  %at = phi i32 [%home, %entry], [%cpu, %skip], [%cpu, %take]
  %round = phi i32 [%round0, %entry], [%now, %skip], [%now, %take]
  %cpu = call i32 @kc.cpus.next(ptr %mask, i32 %at)
  %back = icmp eq i32 %cpu, %home
  %more = zext i1 %back to i32
  %now = add i32 %round, %more
  br i1 %back, label %around, label %free
around:
  %over = icmp ugt i32 %now, 1
  br i1 %over, label %again, label %skip
again:
  call void @llvm.memset.p0.i64(ptr %taken, i8 0, i64 $mask_bytes, i1 false)
  br label %take
free:
  %used = call i1 @kc.cpus.has(ptr %taken, i32 %cpu)
  br i1 %used, label %skip, label %unused
unused:
  %fresh = icmp eq i32 %now, 0
  br i1 %fresh, label %core, label %take
core:
  %first = call i32 @kc.cpus.core(i32 %cpu)
  %shared = call i1 @kc.cpus.has(ptr %cores, i32 %first)
  br i1 %shared, label %skip, label %alone
alone:
  call void @kc.cpus.add(ptr %cores, i32 %first)
  br label %take
skip:
  br label %next
take:
  call void @kc.cpus.add(ptr %taken, i32 %cpu)
  %slot = getelementptr %kc.worker, ptr %workers, i32 %i, i32 $worker_cpu
  store i32 %cpu, ptr %slot
  %i1 = add i32 %i, 1
  %done = icmp eq i32 %i1, %count
  br i1 %done, label %exit, label %next
exit:
  ret void
}
""")
