/* Runs the threads of GPU kernels on a CPU, and watches what they do.
 *
 * `make native` compiles this file to the LLVM IR beside it, which is what kc uses. Users need no
 * compiler. The text is for every machine with pointers of 64 bits.
 *
 * A thread of a kernel is a coroutine of LLVM, which is suspended where threads wait for each other.
 * Before it is, it writes to its word of `states` what it waits for: the number of the place in the
 * code and what is to come together there, a block or a warp. Generated code calls
 *
 *     kc_emu_run       runs the threads of one block to their end.
 *
 * and, where accesses are checked, for one launch after the other and one block after the other,
 *
 *     kc_emu_launch    begins a launch.
 *     kc_emu_buffer    says where a buffer is: global ones once a launch, shared ones once a block.
 *     kc_emu_block     begins a block.
 *     kc_emu_access    notes an access, and says whether it is inside of the buffer.
 *     kc_emu_run_checked runs the threads of the block.
 *
 * Python calls kc_emu_begin, one module's kernels, and kc_emu_end, one check at a time.
 *
 * WHAT IS A RACE. Two accesses of different threads to one element, one of them a write, with nothing
 * that orders them: in two blocks of a launch, or in one block between the same two barriers of it.
 * Each element remembers its last writer and two readers, which are enough: a writer conflicts with
 * readers other than itself, and of two different ones at least one is. The second is kept where it
 * is of another block, with which all writers of this one conflict.
 *
 * Threads may all compute the same: a write that changes nothing is no race with the statement that
 * wrote what is there. Whether it does is seen when it is done, so at the next call.
 *
 * WHAT A WARP COSTS. The lanes of a warp run one after the other up to where they wait. The n-th
 * execution of an access by each of them since they last came together is taken for the same
 * instruction, as it is in lockstep. Shared memory has 32 banks of 4 bytes; a wavefront gives one word
 * of each bank to any number of lanes, and accesses of 8 or 16 bytes go by half or quarter warps.
 * Global memory is read in sectors of 32 bytes. Each buffer is taken to begin at a multiple of these.
 */

#include <stddef.h>
#include <stdint.h>

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
void *memset(void *memory, int byte, size_t size);
void *memcpy(void *to, const void *from, size_t size);
int memcmp(const void *left, const void *right, size_t size);

typedef void (*Step)(void *thread, int32_t is_over);

enum { READY = 0, DONE = -1, BLOCK = 1, WARP = 2, WARP_SIZE = 32 };

/* Resume the lanes of a warp that are ready, and again while all wait for the warp alone. */
static int scope_of(int32_t state) { return state & 3; }

static void release(int32_t *states, int64_t begin, int64_t end, int scope) {
  for (int64_t i = begin; i < end; ++i)
    if (states[i] != DONE && scope_of(states[i]) == scope) states[i] = READY;
}

void kc_emu_run(void **threads, int32_t *states, int64_t count, Step step) {
  for (;;) {
    int alive = 0;
    for (int64_t begin = 0; begin < count; begin += WARP_SIZE) {
      int64_t end = begin + WARP_SIZE < count ? begin + WARP_SIZE : count;
      for (;;) {
        int waits = 0;
        for (int64_t i = begin; i < end; ++i) {
          if (states[i] == READY) step(threads[i], 0);
          if (states[i] == DONE) continue;
          alive = 1;
          waits |= scope_of(states[i]) == WARP;
        }
        if (!waits) break;
        release(states, begin, end, WARP);
      }
    }
    if (!alive) break;
    release(states, 0, count, BLOCK);
  }
  for (int64_t i = 0; i < count; ++i) step(threads[i], 1);
}

/* Checks ------------------------------------------------------------------------------------- */

enum { RACE, DIVERGENT, OUTSIDE, MISALIGNED, UNINITIALISED, DEADLOCK };
enum { IS_WRITE = 1, IS_INSIDE = 2, IS_ATOMIC = 4 };
enum { GLOBAL = 0, SHARED = 1 };
enum { MAX_FINDINGS = 256, MAX_BUFFERS = 64, MAX_INSTANCES = 1 << 14, MAX_BYTES = 256 };

typedef struct {
  int32_t kind, site, other_site, other_thread;
  int64_t block, thread, other_block, element, count;
} Finding;

typedef struct {
  int64_t executions, transactions, least, conflicts;
} Cost;

/* Who: the thread, its block, and how many barriers of the block were before; where in the code. */
typedef struct {
  int32_t block, epoch;
  int16_t site;
  uint16_t thread : 15, is_atomic : 1;
} Access;

typedef struct {
  Access writer, reader, reader_2;
} Cell;

typedef struct {
  uint64_t base;
  int64_t bytes, granule;
  int32_t scope;
  Cell *cells;
} Buffer;

/* One instruction of a warp: the addresses of its lanes. */
typedef struct {
  uint64_t address[WARP_SIZE];
  uint32_t lanes;
  int32_t bytes, scope;
} Instance;

typedef struct {
  Instance *instances;
  int32_t count, room;
  int32_t next[WARP_SIZE];
} Site;

static Finding findings[MAX_FINDINGS];
static int32_t finding_count;
static Buffer buffers[MAX_BUFFERS];
static Site *sites;
static Cost *costs;
static int32_t site_count;
static const int32_t *statements; /* of each site: those of one statement can have several */
static Access now;
static int64_t barriers;

/* A write that is not done yet, with what was there before. */
static struct {
  Buffer *buffer;
  Access access;
  int64_t offset, bytes;
  uint8_t before[MAX_BYTES];
} pending;

static int is_someone(const Access *access) { return access->site >= 0; }

static void forget(Cell *cell) {
  cell->writer.site = cell->reader.site = cell->reader_2.site = -1;
}

void kc_emu_begin(int32_t number_of_sites, const int32_t *statement_of) {
  site_count = number_of_sites;
  statements = statement_of;
  pending.buffer = NULL;
  finding_count = 0;
  barriers = 0;
  sites = calloc((size_t)number_of_sites + 1, sizeof *sites);
  costs = calloc((size_t)number_of_sites + 1, sizeof *costs);
  for (int i = 0; i < MAX_BUFFERS; ++i) buffers[i].cells = NULL;
}

/* What was found: a pointer to an array of `*count`. */
const Finding *kc_emu_findings(int32_t *count) {
  *count = finding_count;
  return findings;
}

const Cost *kc_emu_costs(int64_t *number_of_barriers) {
  *number_of_barriers = barriers;
  return costs;
}

static void drop_buffer(Buffer *buffer) {
  free(buffer->cells);
  buffer->cells = NULL;
}

void kc_emu_end(void) {
  for (int i = 0; i < MAX_BUFFERS; ++i) drop_buffer(&buffers[i]);
  for (int32_t i = 0; i < site_count; ++i) free(sites[i].instances);
  free(sites);
  free(costs);
  sites = NULL;
  costs = NULL;
}

static void report(int32_t kind, int32_t site, const Access *other, int64_t element) {
  int32_t other_site = other ? other->site : -1;
  for (int32_t i = 0; i < finding_count; ++i) {
    Finding *finding = &findings[i];
    if (finding->kind == kind && finding->site == site && finding->other_site == other_site) {
      ++finding->count;
      return;
    }
  }
  if (finding_count == MAX_FINDINGS) return;
  findings[finding_count++] = (Finding){
      kind,      site, other_site, other ? other->thread : -1, now.block, now.thread,
      other ? other->block : -1, element, 1};
}

void kc_emu_launch(void) {
  for (int i = 0; i < MAX_BUFFERS; ++i) drop_buffer(&buffers[i]);
}

void kc_emu_block(int64_t block) {
  now.block = (int32_t)block;
  now.epoch = 0;
}

void kc_emu_buffer(int32_t slot, uint64_t base, int64_t bytes, int64_t granule, int32_t scope) {
  Buffer *buffer = &buffers[slot];
  drop_buffer(buffer);
  int64_t count = bytes / granule;
  *buffer = (Buffer){base, bytes, granule, scope, malloc((size_t)(count + 1) * sizeof(Cell))};
  for (int64_t i = 0; i < count; ++i) forget(&buffer->cells[i]);
}

/* Whether nothing orders an earlier access before what the thread does now. */
static int is_concurrent(const Access *earlier, int is_atomic) {
  if (!is_someone(earlier) || (earlier->is_atomic && is_atomic)) return 0;
  if (earlier->block != now.block) return 1;
  return earlier->thread != now.thread && earlier->epoch == now.epoch;
}

static void note_read(Cell *cell, const Access *access) {
  Access last = cell->reader;
  cell->reader = *access;
  if (!is_someone(&last) || (last.block == access->block && last.thread == access->thread)) return;
  int is_foreign = is_someone(&cell->reader_2) && cell->reader_2.block != access->block;
  if (last.block != access->block || (!is_foreign && last.epoch == access->epoch))
    cell->reader_2 = last;
  else if (!is_foreign)
    cell->reader_2.site = -1;
}

/* Judge the write that is done by now. */
static void settle_write(void) {
  Buffer *buffer = pending.buffer;
  if (!buffer) return;
  pending.buffer = NULL;
  Access access = pending.access;
  int64_t granule = buffer->granule, begin = pending.offset;
  const uint8_t *after = (const uint8_t *)buffer->base;
  for (int64_t at = begin; at < begin + pending.bytes; at += granule) {
    int64_t element = at / granule;
    Cell *cell = &buffer->cells[element];
    int is_same = is_someone(&cell->writer) && pending.bytes <= MAX_BYTES &&
                  statements[cell->writer.site] == statements[access.site] &&
                  !memcmp(after + at, pending.before + (at - begin), (size_t)granule);
    const Access *earlier[] = {&cell->writer, &cell->reader, &cell->reader_2};
    for (int i = 0; i < 3 && !is_same; ++i) {
      if (!is_concurrent(earlier[i], access.is_atomic)) continue;
      report(RACE, access.site, earlier[i], element);
      if (i) break; /* one of the readers is enough */
    }
    cell->writer = access;
  }
}

static void note_address(int32_t site, uint64_t address, int64_t bytes, int32_t scope) {
  Site *record = &sites[site];
  int32_t lane = now.thread % WARP_SIZE;
  int32_t n = record->next[lane];
  if (n == MAX_INSTANCES) return;
  record->next[lane] = n + 1;
  if (n >= record->room) {
    record->room = record->room ? 2 * record->room : 16;
    record->instances = realloc(record->instances, (size_t)record->room * sizeof(Instance));
  }
  Instance *instance = &record->instances[n];
  if (n >= record->count) {
    record->count = n + 1;
    instance->lanes = 0;
  }
  instance->lanes |= 1u << lane;
  instance->address[lane] = address;
  instance->bytes = (int32_t)bytes;
  instance->scope = scope;
}

int32_t kc_emu_access(int32_t slot, uint64_t address, int64_t bytes, int64_t alignment,
                      int32_t site, int32_t flags) {
  if (slot < 0) { /* memory of a thread */
    if (!(flags & IS_INSIDE)) report(OUTSIDE, site, NULL, -1);
    return (flags & IS_INSIDE) != 0;
  }
  settle_write();
  Buffer *buffer = &buffers[slot];
  int64_t offset = (int64_t)(address - buffer->base);
  int is_write = (flags & IS_WRITE) != 0, is_atomic = (flags & IS_ATOMIC) != 0;
  if (!(flags & IS_INSIDE) || offset < 0 || offset + bytes > buffer->bytes) {
    report(OUTSIDE, site, NULL, offset / buffer->granule);
    return 0;
  }
  if (offset % alignment) { /* memory of a GPU begins at a multiple of 256 */
    report(MISALIGNED, site, NULL, offset / buffer->granule);
    return 1;
  }
  note_address(site, (uint64_t)offset, bytes, buffer->scope);
  Access access = now;
  access.site = (int16_t)site;
  access.is_atomic = is_atomic & 1;
  if (is_write) {
    pending.buffer = buffer;
    pending.access = access;
    pending.offset = offset;
    pending.bytes = bytes;
    if (bytes <= MAX_BYTES) memcpy(pending.before, (const void *)address, (size_t)bytes);
    return 1;
  }
  int64_t end = (offset + bytes + buffer->granule - 1) / buffer->granule;
  for (int64_t i = offset / buffer->granule; i < end; ++i) {
    Cell *cell = &buffer->cells[i];
    if (is_concurrent(&cell->writer, 0)) report(RACE, site, &cell->writer, i);
    if (buffer->scope == SHARED && !is_someone(&cell->writer)) report(UNINITIALISED, site, NULL, i);
    note_read(cell, &access);
  }
  return 1;
}

/* The wavefronts of some lanes: for each bank, its distinct words; the most there are. */
static int64_t wavefronts(const Instance *instance, int begin, int end) {
  uint64_t words[WARP_SIZE * 4];
  int count = 0;
  for (int lane = begin; lane < end; ++lane) {
    if (!(instance->lanes >> lane & 1)) continue;
    uint64_t first = instance->address[lane] / 4;
    uint64_t last = (instance->address[lane] + (uint64_t)instance->bytes - 1) / 4;
    for (uint64_t word = first; word <= last && count < WARP_SIZE * 4; ++word) {
      int is_new = 1;
      for (int i = 0; i < count; ++i) is_new &= words[i] != word;
      if (is_new) words[count++] = word;
    }
  }
  int64_t most = 0;
  for (int bank = 0; bank < 32; ++bank) {
    int64_t here = 0;
    for (int i = 0; i < count; ++i) here += words[i] % 32 == (uint64_t)bank;
    if (here > most) most = here;
  }
  return most;
}

/* The sectors of all lanes. */
static int64_t sectors(const Instance *instance, int64_t *least) {
  uint64_t seen[WARP_SIZE * 2];
  int count = 0;
  int64_t bytes = 0;
  for (int lane = 0; lane < WARP_SIZE; ++lane) {
    if (!(instance->lanes >> lane & 1)) continue;
    bytes += instance->bytes;
    uint64_t first = instance->address[lane] / 32;
    uint64_t last = (instance->address[lane] + (uint64_t)instance->bytes - 1) / 32;
    for (uint64_t sector = first; sector <= last && count < WARP_SIZE * 2; ++sector) {
      int is_new = 1;
      for (int i = 0; i < count; ++i) is_new &= seen[i] != sector;
      if (is_new) seen[count++] = sector;
    }
  }
  *least = (bytes + 31) / 32;
  return count;
}

/* Account for what the lanes of a warp did since they last came together. */
static void settle_costs(void) {
  for (int32_t site = 0; site < site_count; ++site) {
    Site *record = &sites[site];
    Cost *cost = &costs[site];
    for (int32_t n = 0; n < record->count; ++n) {
      const Instance *instance = &record->instances[n];
      ++cost->executions;
      if (instance->scope == SHARED) {
        int group = instance->bytes <= 4 ? 32 : instance->bytes <= 8 ? 16 : 8;
        for (int lane = 0; lane < WARP_SIZE; lane += group) {
          int64_t needed = wavefronts(instance, lane, lane + group);
          cost->transactions += needed;
          cost->least += needed > 0;
          if (needed > 1) cost->conflicts += needed - 1;
        }
      } else {
        int64_t least;
        int64_t needed = sectors(instance, &least);
        cost->transactions += needed;
        cost->least += least < needed ? least : needed;
      }
    }
    if (record->count) {
      record->count = 0;
      memset(record->next, 0, sizeof record->next);
    }
  }
}

/* Where a thread waits, as an access that a finding names. */
static Access waiting(int32_t state, int64_t thread) {
  Access access = now;
  access.thread = (uint16_t)thread & 0x7fff;
  access.site = state == DONE ? -1 : (int16_t)(state >> 2);
  return access;
}

/* Report two threads that do not wait at the same place; the second may have ended. */
static void report_apart(int32_t kind, const int32_t *states, int64_t waiter, int64_t apart) {
  Access elsewhere = waiting(states[apart], apart);
  now.thread = (uint16_t)waiter & 0x7fff;
  report(kind, states[waiter] >> 2, &elsewhere, -1);
}

/* A thread in [begin, end) that waits so, or -1. */
static int64_t who_waits(const int32_t *states, int64_t begin, int64_t end, int scope) {
  for (int64_t i = begin; i < end; ++i)
    if (states[i] != DONE && states[i] != READY && scope_of(states[i]) == scope) return i;
  return -1;
}

/* Report the first thread in [begin, end) that is not where `waiter` is. */
static void check_together(const int32_t *states, int64_t begin, int64_t end, int64_t waiter) {
  for (int64_t i = begin; i < end; ++i) {
    if (states[i] == states[waiter]) continue;
    int is_deadlock = states[i] != DONE && scope_of(states[i]) != scope_of(states[waiter]);
    report_apart(is_deadlock ? DEADLOCK : DIVERGENT, states, waiter, i);
    return;
  }
}

void kc_emu_run_checked(void **threads, int32_t *states, int64_t count, Step step) {
  for (;;) {
    for (int64_t begin = 0; begin < count; begin += WARP_SIZE) {
      int64_t end = begin + WARP_SIZE < count ? begin + WARP_SIZE : count;
      for (;;) {
        for (int64_t i = begin; i < end; ++i) {
          if (states[i] != READY) continue;
          now.thread = (uint16_t)i & 0x7fff;
          step(threads[i], 0);
          settle_write();
        }
        settle_costs();
        int64_t waiter = who_waits(states, begin, end, WARP);
        if (waiter < 0) break;
        check_together(states, begin, end, waiter);
        release(states, begin, end, WARP);
      }
    }
    int64_t waiter = who_waits(states, 0, count, BLOCK);
    if (waiter < 0) break;
    check_together(states, 0, count, waiter);
    release(states, 0, count, BLOCK);
    ++now.epoch;
    ++barriers;
  }
  for (int64_t i = 0; i < count; ++i) step(threads[i], 1);
}
