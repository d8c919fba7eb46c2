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
 * for kernels that wait in other ways than at the block's barrier and for a warp, between
 * kc_emu_new_block and kc_emu_end_block,
 *
 *     kc_emu_named     comes to one of 16 barriers, which counts threads.
 *     kc_emu_lanes     waits for some lanes of a warp.
 *     kc_emu_mbarrier  changes an mbarrier, kc_emu_phase waits for a phase of it.
 *     kc_emu_spin      repeats a loop until memory changes, kc_emu_spun has left it.
 *     kc_emu_copy      starts a copy, which is done when it is waited for (kc_emu_copies_done), and
 *                      not before: so late as it may be.
 *     kc_emu_bulk      starts a copy that an mbarrier or a group of its thread counts; kc_emu_box one of a
 *                      box of a tensor, by its map.
 *     kc_emu_leave, kc_emu_mma, ... exchange matrices between lanes.
 *     kc_emu_arrive, kc_emu_cluster  come to the barrier of a cluster, and wait there.
 *     kc_emu_product   starts a product of four warps, which kc_emu_products_done does.
 *
 * and, where accesses are checked, for one launch after the other and one block after the other,
 *
 *     kc_emu_launch    begins a launch.
 *     kc_emu_buffer    says where a buffer is: global ones once a launch, shared ones once a block.
 *     kc_emu_block     begins a block.
 *     kc_emu_access, kc_emu_access_at
 *                      note an access, and say whether it is inside of the buffer.
 *     kc_emu_run_checked runs the threads of the block.
 *
 * Python calls kc_emu_begin, one module's kernels, and kc_emu_end, one check at a time.
 *
 * WHAT IS A RACE. Two accesses of different threads to one element, one of them a write, with nothing
 * that orders them: in two blocks of a launch, or in one block between the same two barriers of it.
 * Each element remembers its last writer and two readers, which are enough: a writer conflicts with
 * readers other than itself, and of two different ones at least one is. The second is kept where it
 * is of another block, with which all writers of this one conflict. Atomic updates conflict with all
 * but each other, and two of them are remembered like readers.
 *
 * Named barriers, mbarriers and barriers of lanes order what some threads do: each thread has a clock
 * of each other one, up to which it knows what that did (vector clocks). In blocks with these, an
 * element remembers all readers of the block that are ordered with no later one. A copy that goes on by
 * itself is ordered with nothing until its thread has waited for it.
 *
 * Bulk copies and products of four warps go to memory by another way (a proxy): they see what threads
 * wrote to shared memory only behind a fence. What a thread knows therefore has three parts: the
 * clocks, the clocks of what such a fence was for, and the barriers that were before one.
 *
 * The blocks of a cluster run together, as one block whose threads have clocks of all the others. The
 * number of a thread is that in the cluster; each block has its own memory and barriers (a rank).
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
int dprintf(int file, const char *format, ...);

typedef void (*Step)(void *thread, int32_t is_over);

enum { READY = 0, DONE = -1, BLOCK = 1, WARP = 2, EVENT = 3, WARP_SIZE = 32 };

static int scope_of(int32_t state) { return state & 3; }

static int waits_for(int32_t state, int scope) {
  return state != DONE && state != READY && scope_of(state) == scope;
}

static void release(int32_t *states, int64_t begin, int64_t end, int scope) {
  for (int64_t i = begin; i < end; ++i)
    if (waits_for(states[i], scope)) states[i] = READY;
}

/* A thread in [begin, end) that waits so, or -1. */
static int64_t who_waits(const int32_t *states, int64_t begin, int64_t end, int scope) {
  for (int64_t i = begin; i < end; ++i)
    if (waits_for(states[i], scope)) return i;
  return -1;
}

static int is_any_ready(const int32_t *states, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (states[i] == READY) return 1;
  return 0;
}

/* What a block has where its threads wait for more than each other. */
enum { NAMED, LANES, PHASE, TRY, GROUP, SPIN };
enum { BARRIERS = 16, MATRIX_WORDS = 32, MAX_MBARRIERS = 128, MAX_FRUITLESS = 1000 };
enum { MAX_RANKS = 8, OF_CLUSTER = BARRIERS * MAX_RANKS, ALL_BARRIERS }; /* each block's, and one */
enum { GROUP_SIZE = 4 * WARP_SIZE }; /* of warps that make a product together */

/* What a thread waits for. A try gives up where nothing else happens, and a loop that waits for memory
   to change is repeated. */
typedef struct {
  int32_t what, barrier, is_done;
  uint32_t generation, mask;
  uint64_t address;
} Wait;

/* A copy, or (bytes = 0) an arrival at an mbarrier when the copies before it are done. */
typedef struct {
  uint64_t to, from;
  int32_t bytes, read, site, group;
} Copy;

typedef struct {
  Copy *copies;
  int32_t count, room, group; /* the group that is open */
} Queue;

enum { MAX_RANK = 5, MAP_BYTES = 128 };

/* What a map says of a tensor, in the place of the driver's 128 bytes. Sizes go from the innermost
   dimension on; the stride of that is an element. */
typedef struct {
  uint32_t rank, size; /* bytes of an element */
  uint32_t span;       /* bytes of a row of the box whose pieces are exchanged, 0 for none */
  uint32_t is_nan;     /* what is outside of the tensor */
  uint64_t base, sizes[MAX_RANK], strides[MAX_RANK - 1];
  uint32_t box[MAX_RANK];
} TensorMap;

_Static_assert(sizeof(TensorMap) <= MAP_BYTES, "a map has the size of the driver's");

/* A copy in bulk. It is counted by an mbarrier, or (0) by a group of its thread. That of a box goes
   between shared memory and the element `at` of a tensor. */
typedef struct {
  uint64_t to, from, mbarrier;
  int64_t thread;
  int32_t bytes, site, source_site, mbarrier_site, group, clock, is_read;
  int32_t at[MAX_RANK];
  uint64_t shared; /* where the memory begins of the block that the box is in */
  TensorMap map;   /* of rank 0 for a copy of bytes */
} Bulk;

typedef struct {
  Bulk *copies;
  int32_t count, room;
  int32_t *groups; /* of each thread, the group that is open */
} Bulks;

/* A product of four warps. `first` is the number of its first register. */
typedef struct {
  uint64_t a, b;
  int32_t n, types, first, group, sites[2]; /* the places of A and B */
} Product;

/* A register that products add to: what it holds, or whose it goes on with. */
typedef struct {
  uint32_t value;
  int32_t before, group;
} Register;

typedef struct {
  Product *products;
  Register *registers;
  int32_t product_count, product_room, register_count, register_room;
  int32_t open, done; /* the group that is open; all before `done` are done */
  int32_t is_fenced, is_in_flight; /* since the last product: a fence, no wait */
  int32_t lacks_fence; /* whether the last product does, for registers that others wrote */
} Accumulators;

/* The clocks that arrivals bring along: of this phase, and of the last one. */
typedef struct {
  uint64_t address; /* of an mbarrier, and who made it; the copy unit sees it behind a fence */
  int32_t is_made, is_fenced, maker, site, epoch, clock;
  int32_t *coming, *known;
} Order;

typedef struct {
  int32_t wanted, arrived;
  uint32_t generation;
  int32_t site, thread; /* who came first */
} Barrier;

typedef struct {
  int32_t *states;
  int64_t count;
  Wait *waits;
  Queue *queues;
  uint64_t (*words)[MATRIX_WORDS];
  uint64_t *rows; /* where the row is that each lane has the address of */
  Barrier barriers[ALL_BARRIERS];
  uint32_t *phases; /* of each thread, that of the cluster's barrier that it came to */
  Bulks bulks;
  Accumulators *accumulators; /* of each thread, where there are products */
  int64_t each; /* threads of a block of the cluster */
  int32_t ranks;
  uint64_t shared[MAX_RANKS]; /* where the memory of each block begins, and its bytes */
  int64_t shared_bytes;
  int32_t fruitless; /* how often tries gave up since anything happened */
  int32_t *clocks;   /* of each thread, what it knows of each; where accesses are watched */
  Order orders[ALL_BARRIERS + MAX_MBARRIERS];
} Block;

/* How much a thread knows: clocks, clocks that a fence of proxies was for, and barriers before one. */
static int64_t width_of(const Block *block) { return 2 * block->count + 1; }

Block *kc_emu_new_block(int32_t *states, int64_t count, int32_t is_watched) {
  Block *block = calloc(1, sizeof *block);
  block->states = states;
  block->count = block->each = count;
  block->ranks = 1;
  block->waits = calloc((size_t)count, sizeof *block->waits);
  block->queues = calloc((size_t)count, sizeof *block->queues);
  block->words = calloc((size_t)count, sizeof *block->words);
  block->rows = calloc((size_t)count, sizeof *block->rows);
  block->phases = calloc((size_t)count, sizeof *block->phases);
  if (is_watched) {
    int64_t width = width_of(block);
    block->clocks = calloc((size_t)(count * width), sizeof *block->clocks);
    for (int64_t i = 0; i < count; ++i) block->clocks[i * width + i] = 1;
  }
  return block;
}

static int32_t rank_of(const Block *block, int64_t thread) { return (int32_t)(thread / block->each); }

static uint64_t shared_of(const Block *block, int64_t thread) {
  return block->shared[rank_of(block, thread)];
}

/* So many blocks have these threads, one after the other. */
void kc_emu_new_cluster(Block *block, int32_t ranks) {
  block->ranks = ranks;
  block->each = block->count / ranks;
}

/* The memory of a block that has all its arrays in one piece. */
void kc_emu_shared(Block *block, int32_t rank, uint64_t base, int64_t bytes) {
  block->shared[rank] = base;
  block->shared_bytes = bytes;
}

void kc_emu_end_block(Block *block) {
  for (int64_t i = 0; i < block->count; ++i) free(block->queues[i].copies);
  for (int i = 0; i < ALL_BARRIERS + MAX_MBARRIERS; ++i) {
    free(block->orders[i].coming);
    free(block->orders[i].known);
  }
  for (int64_t i = 0; block->accumulators && i < block->count; ++i) {
    free(block->accumulators[i].products);
    free(block->accumulators[i].registers);
  }
  free(block->accumulators);
  free(block->bulks.copies);
  free(block->bulks.groups);
  free(block->waits);
  free(block->queues);
  free(block->words);
  free(block->rows);
  free(block->phases);
  free(block->clocks);
  free(block);
}

static int wake(Block *block);
static int do_late(Block *block);

static int32_t is_counting;
static int64_t deadlocks;

/* Count blocks that are ended because their threads wait for what never comes, instead of saying so:
   from 1 up to 0, which gives how many there were. */
int64_t kc_emu_deadlocks(int32_t begins) {
  __atomic_store_n(&is_counting, begins, __ATOMIC_SEQ_CST);
  return __atomic_exchange_n(&deadlocks, 0, __ATOMIC_SEQ_CST);
}

/* Which size of a launch was beyond its limit, from 1 on, the size and the limit; of the first one. */
static int64_t refused[3];

/* Whether a launch is within the limits: 3 sizes of its grid, 3 of a block, bytes of shared memory. */
_Bool kc_emu_fits(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y,
                  int64_t block_z, int64_t shared, int64_t most_grid_x, int64_t most_grid_y,
                  int64_t most_grid_z, int64_t most_block_x, int64_t most_block_y,
                  int64_t most_block_z, int64_t most_shared, int64_t most_threads) {
  int64_t sizes[] = {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, 0};
  int64_t limits[] = {most_grid_x, most_grid_y, most_grid_z, most_block_x, most_block_y,
                      most_block_z, most_shared, most_threads};
  for (int i = 0; i < 8; ++i) {
    if (i == 7) sizes[i] = block_x * block_y * block_z;
    int is_block = i >= 3 && i < 6;
    if (sizes[i] <= limits[i] && sizes[i] >= is_block) continue;
    if (!__atomic_load_n(&is_counting, __ATOMIC_SEQ_CST))
      dprintf(2, "kc: an emulated launch is beyond the limits of the GPU, and is left out\n");
    if (!refused[0]) {
      refused[0] = i + 1;
      refused[1] = sizes[i];
      refused[2] = limits[i];
    }
    return 0;
  }
  return 1;
}

/* What was refused, in three parts; it is forgotten with the last one. */
int64_t kc_emu_refused(int32_t part) {
  int64_t value = refused[part];
  if (part == 2) refused[0] = 0;
  return value;
}

/* Whether lanes in [begin, end) may go on that wait for the warp: all others have ended, or wait for
   it or for the block. */
static int warp_is_complete(const int32_t *states, int64_t begin, int64_t end) {
  return who_waits(states, begin, end, WARP) >= 0 && who_waits(states, begin, end, EVENT) < 0;
}

/* A thread of a block of a cluster that waits for the block, where all others have ended or wait so;
   or -1. */
static int64_t who_completes(const Block *block, int32_t rank) {
  int64_t begin = rank * block->each, end = begin + block->each, waiter = -1;
  for (int64_t i = begin; i < end; ++i) {
    if (block->states[i] == DONE) continue;
    if (!waits_for(block->states[i], BLOCK)) return -1;
    if (waiter < 0) waiter = i;
  }
  return waiter;
}

/* Let the threads go on of blocks of a cluster that have all come to their barrier. */
static int release_ranks(Block *block) {
  int is_any = 0;
  for (int32_t rank = 0; rank < block->ranks; ++rank) {
    if (who_completes(block, rank) < 0) continue;
    release(block->states, rank * block->each, (rank + 1) * block->each, BLOCK);
    is_any = 1;
  }
  return is_any;
}

void kc_emu_run(void **threads, int32_t *states, int64_t count, Step step, Block *block) {
  for (;;) {
    int alive = 0;
    for (int64_t begin = 0; begin < count; begin += WARP_SIZE) {
      int64_t end = begin + WARP_SIZE < count ? begin + WARP_SIZE : count;
      for (;;) {
        for (int64_t i = begin; i < end; ++i) {
          if (states[i] == READY) step(threads[i], 0);
          if (states[i] != DONE) alive = 1;
        }
        if (!warp_is_complete(states, begin, end)) break;
        release(states, begin, end, WARP);
      }
    }
    if (!alive) break;
    if (is_any_ready(states, count)) continue;
    if (block && block->ranks > 1 && release_ranks(block)) continue;
    if (block && who_waits(states, 0, count, EVENT) >= 0) {
      if (wake(block) || do_late(block)) continue;
      if (__atomic_load_n(&is_counting, __ATOMIC_SEQ_CST))
        __atomic_fetch_add(&deadlocks, 1, __ATOMIC_SEQ_CST);
      else
        dprintf(2, "kc: threads of an emulated block wait for what never comes, and are ended; "
                   "kc.gpu.check says where\n");
      break;
    }
    release(states, 0, count, BLOCK);
  }
  for (int64_t i = 0; i < count; ++i) step(threads[i], 1);
}

/* Checks ------------------------------------------------------------------------------------- */

enum {
  RACE,
  DIVERGENT,
  OUTSIDE,
  MISALIGNED,
  UNINITIALISED,
  DEADLOCK,
  WRONG_RESULT, /* is found elsewhere */
  MISSING_FENCE,
  UNFINISHED
};
enum { IS_WRITE = 1, IS_INSIDE = 2, IS_ATOMIC = 4, IS_GOING_ON = 8, IS_ASYNC = 16, IS_MBARRIER = 32 };
enum { GLOBAL = 0, SHARED = 1 };
enum { MAX_FINDINGS = 256, MAX_BUFFERS = 64, MAX_INSTANCES = 1 << 14, MAX_BYTES = 256 };

typedef struct {
  int32_t kind, site, other_site, other_thread;
  int64_t block, thread, other_block, element, count;
  int32_t came, wanted; /* of threads at a barrier, arrivals at an mbarrier, lanes */
  int64_t bytes;        /* that an mbarrier waits for besides */
} Finding;

typedef struct {
  int64_t executions, transactions, least, conflicts;
} Cost;

/* Who: the thread, its block, how many barriers of the block were before, and the thread's clock;
   where in the code. */
typedef struct {
  int32_t block, epoch, clock;
  int16_t site;
  uint16_t thread : 13, is_atomic : 1, is_going_on : 1, is_async : 1;
} Access;

/* All accesses of a kind to an element, in a block with clocks. */
typedef struct {
  int32_t first, block;
} List;

typedef struct {
  Access access;
  int32_t next; /* 0: none */
} Link;

typedef struct {
  Access writer, reader, reader_2;
  List readers;
} Cell;

/* The atomic updates of an element: two of the last ones, by different threads. */
typedef struct {
  Access last, last_2;
  List all;
} Updates;

typedef struct {
  uint64_t base;
  int64_t bytes, granule;
  int32_t scope;
  int32_t group; /* the buffer that has the cells of this one, and of others that share memory */
  Cell *cells;
  Updates *updates; /* of each element, or NULL until the first one */
  Cell *own_cells; /* what is freed with it */
  Updates *own_updates;
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
static Buffer buffers[MAX_BUFFERS * MAX_RANKS]; /* those of a further block of a cluster behind */
static int32_t buffer_count = MAX_BUFFERS;
static int32_t rank_now; /* the block of a cluster whose memory is made */
static int64_t threads_each; /* of each block of a cluster, 0 without clusters */
static int64_t numbers_behind[MAX_RANKS]; /* how far the number of a block is behind the first one's */
static Site *sites;
static Cost *costs;
static int32_t site_count;
static const int32_t *statements; /* of each site: those of one statement can have several */
static Access now;
static Block *watched; /* the block, if its threads wait in more ways */
static int64_t barriers;
static Link *links; /* in this block; the first is none */
static int32_t link_count, link_room, unused_link;

/* A write that is not done yet, with what was there before. */
static struct {
  Buffer *buffer;
  Access access;
  int64_t offset, bytes;
  int32_t is_later; /* it is done when lanes have come together, so that it is not known what it changes */
  uint8_t before[MAX_BYTES];
} pending;

static int is_someone(const Access *access) { return access->site >= 0; }

static void forget(Cell *cell) {
  cell->writer.site = cell->reader.site = cell->reader_2.site = -1;
  cell->readers.block = -1;
}

void kc_emu_begin(int32_t number_of_sites, const int32_t *statement_of) {
  site_count = number_of_sites;
  statements = statement_of;
  pending.buffer = NULL;
  finding_count = 0;
  barriers = 0;
  sites = calloc((size_t)number_of_sites + 1, sizeof *sites);
  costs = calloc((size_t)number_of_sites + 1, sizeof *costs);
  memset(buffers, 0, sizeof buffers);
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
  free(buffer->own_cells);
  free(buffer->own_updates);
  buffer->cells = buffer->own_cells = NULL;
  buffer->updates = buffer->own_updates = NULL;
}

void kc_emu_end(void) {
  for (int i = 0; i < MAX_BUFFERS * MAX_RANKS; ++i) drop_buffer(&buffers[i]);
  for (int32_t i = 0; i < site_count; ++i) free(sites[i].instances);
  free(links);
  links = NULL;
  link_room = 0;
  free(sites);
  free(costs);
  sites = NULL;
  costs = NULL;
}

/* The number of the block of an access, and that of the thread in its block. */
static int64_t block_of(const Access *access) {
  return access->block + (threads_each ? numbers_behind[access->thread / threads_each] : 0);
}

static int32_t thread_of(const Access *access) {
  return (int32_t)(threads_each ? access->thread % threads_each : access->thread);
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
      kind,           site,
      other_site,     other ? thread_of(other) : -1,
      block_of(&now), thread_of(&now),
      other ? block_of(other) : -1, element, 1, 0, 0, 0};
}

void kc_emu_launch(void) {
  buffer_count = MAX_BUFFERS;
  threads_each = 0;
  for (int i = 0; i < MAX_BUFFERS * MAX_RANKS; ++i) drop_buffer(&buffers[i]);
}

void kc_emu_block(int64_t block) {
  now.block = (int32_t)block;
  now.epoch = 0;
  link_count = 1;
  unused_link = 0;
  rank_now = 0;
}

/* Go on with a block of a cluster, which has so many threads; its number is so far behind that of the
   first one. */
void kc_emu_rank(int32_t rank, int64_t threads, int64_t behind) {
  rank_now = rank;
  threads_each = threads;
  numbers_behind[rank] = behind;
  if (buffer_count < MAX_BUFFERS * (rank + 1)) buffer_count = MAX_BUFFERS * (rank + 1);
}

static int is_inside_of(const Buffer *buffer, uint64_t begin, uint64_t end) {
  return buffer->base < end && begin < buffer->base + (uint64_t)buffer->bytes;
}

/* Give a buffer of the device its cells. Arguments that are one array, or parts of one, have them in
   common: what is done through one is seen through the other. */
static void make_cells(int32_t slot) {
  Buffer *buffer = &buffers[slot];
  uint64_t begin = buffer->base, end = begin + (uint64_t)buffer->bytes;
  for (int32_t i = 0, is_new; i < buffer_count; i = is_new ? 0 : i + 1) {
    Buffer *peer = &buffers[i];
    is_new = peer->cells && peer->group != slot && peer->scope == GLOBAL && buffer->scope == GLOBAL &&
             peer->granule == buffer->granule && is_inside_of(peer, begin, end) &&
             (int64_t)(peer->base - begin) % buffer->granule == 0;
    if (!is_new) continue;
    peer->group = slot;
    if (peer->base < begin) begin = peer->base;
    if (peer->base + (uint64_t)peer->bytes > end) end = peer->base + (uint64_t)peer->bytes;
  }
  int64_t count = (int64_t)(end - begin) / buffer->granule;
  Cell *cells = malloc((size_t)(count + 1) * sizeof(Cell));
  for (int64_t i = 0; i < count; ++i) forget(&cells[i]);
  for (int32_t i = 0; i < buffer_count; ++i) {
    Buffer *peer = &buffers[i];
    if (i != slot && !(peer->cells && peer->group == slot)) continue;
    drop_buffer(peer);
    peer->cells = cells + (int64_t)(peer->base - begin) / buffer->granule;
  }
  buffer->own_cells = cells;
}

/* Give a buffer what is known of atomic updates, with those that have its cells. */
static void make_updates(const Buffer *of) {
  Buffer *owner = &buffers[of->group];
  uint64_t begin = of->base, end = begin;
  for (int32_t i = 0; i < buffer_count; ++i) {
    const Buffer *peer = &buffers[i];
    if (!peer->cells || peer->group != of->group) continue;
    if (peer->base < begin) begin = peer->base;
    if (peer->base + (uint64_t)peer->bytes > end) end = peer->base + (uint64_t)peer->bytes;
  }
  int64_t count = (int64_t)(end - begin) / of->granule + 1;
  owner->own_updates = malloc((size_t)count * sizeof(Updates));
  for (int64_t i = 0; i < count; ++i) {
    Updates *updates = &owner->own_updates[i];
    updates->last.site = updates->last_2.site = -1;
    updates->all.block = -1;
  }
  for (int32_t i = 0; i < buffer_count; ++i) {
    Buffer *peer = &buffers[i];
    if (!peer->cells || peer->group != of->group) continue;
    peer->updates = owner->own_updates + (int64_t)(peer->base - begin) / of->granule;
  }
}

/* `known` has the number of the buffer in 8 bits, its scope in 8, and the bytes of an element. */
void kc_emu_buffer(uint32_t known, uint64_t base, int64_t bytes) {
  int32_t slot = (int32_t)(known & 0xff);
  if ((known >> 8 & 0xff) == SHARED) slot += MAX_BUFFERS * rank_now;
  Buffer *buffer = &buffers[slot];
  drop_buffer(buffer);
  *buffer = (Buffer){.base = base, .bytes = bytes, .granule = known >> 16,
                     .scope = (int32_t)(known >> 8 & 0xff), .group = slot};
  make_cells(slot);
}

/* Whether nothing orders an earlier access before what the thread does now. */
static int is_concurrent(const Access *earlier, int is_atomic) {
  if (!is_someone(earlier) || (earlier->is_atomic && is_atomic)) return 0;
  if (earlier->block != now.block || earlier->is_going_on) return 1;
  if (earlier->thread == now.thread || earlier->epoch != now.epoch) return 0;
  if (!watched) return 1;
  return watched->clocks[now.thread * width_of(watched) + earlier->thread] < earlier->clock;
}

/* The accesses of a list in this block: where the number of the first one is. */
static int32_t *first_of(List *list) {
  if (list->block != now.block) {
    list->block = now.block;
    list->first = 0;
  }
  return &list->first;
}

static void drop_link(int32_t *place) {
  int32_t dropped = *place;
  *place = links[dropped].next;
  links[dropped].next = unused_link;
  unused_link = dropped;
}

/* Remember an access of this block, and forget those that are ordered before it: what is ordered
   behind this one is behind them. */
static void note_in_list(List *list, const Access *access) {
  int32_t *place = first_of(list);
  while (*place) {
    if (is_concurrent(&links[*place].access, 0))
      place = &links[*place].next;
    else
      drop_link(place);
  }
  int32_t number = unused_link;
  if (number) {
    unused_link = links[number].next;
  } else {
    if (link_count >= link_room) {
      link_room = link_room ? 2 * link_room : 1024;
      links = realloc(links, (size_t)link_room * sizeof *links);
    }
    number = link_count++;
  }
  links[number] = (Link){*access, list->first};
  list->first = number;
}

/* Remember an access, and one of another thread that matters still. */
static void note_last(Access *newest, Access *second, List *list, const Access *access) {
  if (watched) note_in_list(list, access);
  Access last = *newest;
  *newest = *access;
  if (!is_someone(&last) || (last.block == access->block && last.thread == access->thread)) return;
  int is_foreign = is_someone(second) && second->block != access->block;
  if (last.block != access->block || (!is_foreign && last.epoch == access->epoch))
    *second = last;
  else if (!is_foreign)
    second->site = -1;
}

/* Of two accesses that are remembered, and of a list, one that nothing orders before what the thread
   does now. */
static const Access *concurrent_of(const Access *newest, const Access *second, List *list,
                                   int is_atomic) {
  if (is_concurrent(newest, is_atomic)) return newest;
  if (is_concurrent(second, is_atomic)) return second;
  if (watched)
    for (int32_t n = *first_of(list); n; n = links[n].next)
      if (is_concurrent(&links[n].access, is_atomic)) return &links[n].access;
  return NULL;
}

/* An atomic update of an element that nothing orders before a plain access to it. */
static const Access *concurrent_update(const Buffer *buffer, int64_t element) {
  if (!buffer->updates) return NULL;
  Updates *updates = &buffer->updates[element];
  return concurrent_of(&updates->last, &updates->last_2, &updates->all, 0);
}

static int is_written(const Buffer *buffer, int64_t element) {
  return is_someone(&buffer->cells[element].writer) ||
         (buffer->updates && is_someone(&buffer->updates[element].last));
}

/* Note an atomic update of an element. */
static void note_update(Buffer *buffer, int64_t element, const Access *access) {
  if (!buffer->updates) make_updates(buffer);
  Cell *cell = &buffer->cells[element];
  if (buffer->scope == SHARED && !is_written(buffer, element))
    report(UNINITIALISED, access->site, NULL, element);
  const Access *earlier = is_concurrent(&cell->writer, 1) ? &cell->writer : NULL;
  if (!earlier) earlier = concurrent_of(&cell->reader, &cell->reader_2, &cell->readers, 1);
  if (earlier) report(RACE, access->site, earlier, element);
  Updates *updates = &buffer->updates[element];
  note_last(&updates->last, &updates->last_2, &updates->all, access);
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
    int is_same = is_someone(&cell->writer) && !access.is_going_on && !pending.is_later &&
                  pending.bytes <= MAX_BYTES &&
                  statements[cell->writer.site] == statements[access.site] &&
                  !memcmp(after + at, pending.before + (at - begin), (size_t)granule);
    const Access *earlier[] = {&cell->writer, &cell->reader, &cell->reader_2};
    const Access *update = concurrent_update(buffer, element);
    int is_told = is_same;
    for (int i = 0; i < 3 && !is_told; ++i) {
      if (!is_concurrent(earlier[i], access.is_atomic)) continue;
      report(RACE, access.site, earlier[i], element);
      is_told = i > 0; /* one of the readers is enough */
    }
    if (watched && !is_same) {
      int32_t *place = first_of(&cell->readers);
      while (*place) {
        const Access *reader = &links[*place].access;
        if (!is_told && is_concurrent(reader, access.is_atomic)) {
          report(RACE, access.site, reader, element);
          is_told = 1;
        }
        drop_link(place);
      }
    }
    if (update) report(RACE, access.site, update, element);
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

/* Whether a write to shared memory is not visible to what goes by another way: a thread made it with
   no fence behind it that this one knows of. */
static int lacks_fence(const Access *writer) {
  if (!watched || !is_someone(writer) || writer->is_async || writer->block != now.block) return 0;
  const int32_t *known = watched->clocks + now.thread * width_of(watched);
  return known[watched->count + writer->thread] < writer->clock &&
         known[2 * watched->count] <= writer->epoch;
}

/* Note an access. Whether it may be done. */
static int note_access(int32_t slot, uint64_t address, int64_t bytes, int64_t alignment, int32_t site,
                       int32_t flags) {
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
  if (!(flags & IS_ASYNC)) note_address(site, (uint64_t)offset, bytes, buffer->scope);
  Access access = now;
  access.site = (int16_t)site;
  access.is_atomic = is_atomic & 1;
  if (watched) access.clock = watched->clocks[now.thread * width_of(watched) + now.thread];
  access.is_going_on = (flags & IS_GOING_ON) != 0;
  access.is_async = (flags & IS_ASYNC) != 0;
  if (is_atomic && !(flags & IS_MBARRIER)) {
    for (int64_t at = offset; at < offset + bytes; at += buffer->granule)
      note_update(buffer, at / buffer->granule, &access);
    return 1;
  }
  if (is_write) {
    pending.buffer = buffer;
    pending.access = access;
    pending.offset = offset;
    pending.bytes = bytes;
    pending.is_later = 0;
    if (bytes <= MAX_BYTES) memcpy(pending.before, (const void *)address, (size_t)bytes);
    return 1;
  }
  int64_t end = (offset + bytes + buffer->granule - 1) / buffer->granule;
  for (int64_t i = offset / buffer->granule; i < end; ++i) {
    Cell *cell = &buffer->cells[i];
    const Access *update = concurrent_update(buffer, i);
    if (is_concurrent(&cell->writer, 0))
      report(RACE, site, &cell->writer, i);
    else if (access.is_async && lacks_fence(&cell->writer))
      report(MISSING_FENCE, site, &cell->writer, i);
    else if (access.is_async && buffer->updates && lacks_fence(&buffer->updates[i].last))
      report(MISSING_FENCE, site, &buffer->updates[i].last, i);
    if (update) report(RACE, site, update, i);
    if (buffer->scope == SHARED && !is_written(buffer, i)) report(UNINITIALISED, site, NULL, i);
    note_last(&cell->reader, &cell->reader_2, &cell->readers, &access);
  }
  return 1;
}

/* What is known of an access when it is compiled, as one number: 16 bits of its place, 8 of its buffer
   (0: memory of a thread), 12 of the bytes of an element, 14 of how many there are, 8 of the alignment
   as a power of 2, 4 of flags. */
#define FIELD(known, begin, width) ((int64_t)((known) >> (begin) & ((1u << (width)) - 1)))
#define ELEMENT(known) FIELD(known, 24, 12)
#define COUNT(known) FIELD(known, 36, 14)

static int note_known(uint64_t known, uint64_t address, int is_inside) {
  int32_t flags = (int32_t)FIELD(known, 58, 4) | (is_inside ? IS_INSIDE : 0);
  int32_t slot = (int32_t)FIELD(known, 16, 8) - 1;
  if (slot >= 0 && buffers[slot].scope == SHARED && watched)
    slot += MAX_BUFFERS * rank_of(watched, now.thread);
  return note_access(slot, address, ELEMENT(known) * COUNT(known),
                     (int64_t)1 << FIELD(known, 50, 8), (int32_t)FIELD(known, 0, 16), flags);
}

/* An access to element `index` of a row of `size` elements, which is row `row` of a dense buffer at
   `base`, and -1 where there is no such row. Whether it may be done. */
_Bool kc_emu_access(uint64_t known, uint64_t base, int64_t row, int64_t index, int64_t size) {
  int is_inside = row >= 0 && index >= 0 && index <= size - COUNT(known);
  return note_known(known, base + (uint64_t)((row * size + index) * ELEMENT(known)), is_inside);
}

/* The row of a buffer: `index` of the `size` in what `row` was up to the dimension before. */
int64_t kc_emu_row_of(int64_t row, int64_t index, int64_t size) {
  return row < 0 || index < 0 || index >= size ? -1 : row * size + index;
}

/* An access to any element. Whether it may be done. */
_Bool kc_emu_access_at(uint64_t known, uint64_t address, _Bool is_inside) {
  return note_known(known, address, is_inside);
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
  access.thread = (uint16_t)thread & 0x1fff;
  access.site = state == DONE ? -1 : (int16_t)(state >> 2);
  return access;
}

/* Report two threads that do not wait at the same place; the second may have ended. */
static void report_apart(int32_t kind, const int32_t *states, int64_t waiter, int64_t apart) {
  Access elsewhere = waiting(states[apart], apart);
  now.thread = (uint16_t)waiter & 0x1fff;
  report(kind, states[waiter] >> 2, &elsewhere, -1);
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

static void report_deadlock(Block *block);
static void report_unfinished(const Block *block);
static void share_fences(Block *block);
static void meet(Block *block, int64_t begin, int64_t end);

/* The same as release_ranks; all of a block know of each other then. */
static int release_ranks_checked(Block *block) {
  int is_any = 0;
  for (int32_t rank = 0; rank < block->ranks; ++rank) {
    int64_t begin = rank * block->each, end = begin + block->each, waiter = who_completes(block, rank);
    if (waiter < 0) continue;
    check_together(block->states, begin, end, waiter);
    release(block->states, begin, end, BLOCK);
    meet(block, begin, end);
    ++barriers;
    is_any = 1;
  }
  return is_any;
}

void kc_emu_run_checked(void **threads, int32_t *states, int64_t count, Step step, Block *block) {
  watched = block;
  for (;;) {
    for (int64_t begin = 0; begin < count; begin += WARP_SIZE) {
      int64_t end = begin + WARP_SIZE < count ? begin + WARP_SIZE : count;
      for (;;) {
        for (int64_t i = begin; i < end; ++i) {
          if (states[i] != READY) continue;
          now.thread = (uint16_t)i & 0x1fff;
          step(threads[i], 0);
          settle_write();
        }
        settle_costs();
        if (!warp_is_complete(states, begin, end)) break;
        check_together(states, begin, end, who_waits(states, begin, end, WARP));
        release(states, begin, end, WARP);
      }
    }
    if (is_any_ready(states, count)) continue;
    if (block && block->ranks > 1 && release_ranks_checked(block)) continue;
    if (block && who_waits(states, 0, count, EVENT) >= 0) {
      int goes_on = wake(block) || do_late(block);
      settle_write();
      if (goes_on) continue;
      report_deadlock(block);
      break;
    }
    int64_t waiter = who_waits(states, 0, count, BLOCK);
    if (waiter < 0) {
      if (block) report_unfinished(block);
      break;
    }
    check_together(states, 0, count, waiter);
    release(states, 0, count, BLOCK);
    ++now.epoch;
    ++barriers;
    if (block) share_fences(block);
  }
  for (int64_t i = 0; i < count; ++i) step(threads[i], 1);
  watched = NULL;
}

/* Threads that wait for some others ----------------------------------------------------------- */

static void wait_for(Block *block, int64_t thread, int32_t site, Wait wait) {
  block->waits[thread] = wait;
  block->states[thread] = site << 2 | EVENT;
}

/* What a thread knows: of itself, what it did since others last heard of it. */
static int32_t *clocks_of(Block *block, int64_t thread) {
  return block->clocks + thread * width_of(block);
}

static void learn(int32_t *clocks, const int32_t *more, int64_t width) {
  for (int64_t i = 0; i < width; ++i)
    if (more[i] > clocks[i]) clocks[i] = more[i];
}

/* Threads come together: each knows what the others know, and what they did. */
static void meet(Block *block, int64_t begin, int64_t end) {
  int64_t width = width_of(block);
  int32_t *all = clocks_of(block, begin);
  for (int64_t i = begin + 1; i < end; ++i) learn(all, clocks_of(block, i), width);
  for (int64_t i = begin + 1; i < end; ++i)
    memcpy(clocks_of(block, i), all, (size_t)width * sizeof(int32_t));
  for (int64_t i = begin; i < end; ++i) ++clocks_of(block, i)[i];
}

/* The clocks of a barrier, or of the mbarrier at an address; NULL where nothing is watched. */
static Order *order_of(Block *block, int32_t barrier, uint64_t address) {
  if (!block->clocks) return NULL;
  Order *order = &block->orders[barrier];
  for (int i = ALL_BARRIERS; address && i < ALL_BARRIERS + MAX_MBARRIERS; ++i) {
    order = &block->orders[i];
    if (!order->address || order->address == address) break;
  }
  order->address = address;
  if (!order->coming) {
    order->coming = calloc((size_t)width_of(block), sizeof(int32_t));
    order->known = calloc((size_t)width_of(block), sizeof(int32_t));
  }
  return order;
}

static void tell(Block *block, Order *order, int64_t thread) {
  block->fruitless = 0;
  if (!order) return;
  int32_t *clocks = clocks_of(block, thread);
  learn(order->coming, clocks, width_of(block));
  ++clocks[thread];
}

static void complete(Block *block, Order *order) {
  if (!order) return;
  memcpy(order->known, order->coming, (size_t)width_of(block) * sizeof(int32_t));
  memset(order->coming, 0, (size_t)width_of(block) * sizeof(int32_t));
}

static void hear(Block *block, const Order *order, int64_t thread) {
  if (order) learn(clocks_of(block, thread), order->known, width_of(block));
}

/* A thread comes to barrier `number` of `wanted` threads, 0 for all; and waits, or goes on. Warps
   come as a whole, so the last thread of a block stands for the lanes that its warp lacks. */
void kc_emu_named(Block *block, int64_t thread, int32_t number, int32_t wanted, int32_t site,
                  int32_t waits) {
  int32_t rank = rank_of(block, thread);
  number = rank * BARRIERS + (number & (BARRIERS - 1));
  Barrier *barrier = &block->barriers[number];
  Order *order = order_of(block, number, 0);
  int64_t whole = (block->each + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE;
  if (wanted <= 0) wanted = (int32_t)whole;
  if (!barrier->arrived) {
    barrier->wanted = wanted;
    barrier->site = site;
    barrier->thread = (int32_t)thread;
  } else if (block->clocks && barrier->wanted != wanted) {
    Access first = now;
    first.site = (int16_t)barrier->site;
    first.thread = (uint16_t)barrier->thread & 0x1fff;
    report(DIVERGENT, site, &first, -1);
  }
  tell(block, order, thread);
  if (waits)
    wait_for(block, thread, site,
             (Wait){NAMED, number, 0, barrier->generation, 0, 0});
  int is_last = thread == (rank + 1) * block->each - 1;
  barrier->arrived += 1 + (is_last ? (int32_t)(whole - block->each) : 0);
  if (barrier->arrived < barrier->wanted) return;
  barrier->arrived = 0;
  ++barrier->generation;
  complete(block, order);
  if (block->clocks) ++barriers;
}

/* The barrier of a cluster is complete when all threads have come that have not ended. */
static void complete_cluster(Block *block) {
  Barrier *barrier = &block->barriers[OF_CLUSTER];
  int32_t alive = 0;
  for (int64_t i = 0; i < block->count; ++i) alive += block->states[i] != DONE;
  barrier->wanted = alive;
  if (!barrier->arrived || barrier->arrived < alive) return;
  barrier->arrived = 0;
  ++barrier->generation;
  complete(block, order_of(block, OF_CLUSTER, 0));
  if (block->clocks) ++barriers;
}

/* A thread comes to the barrier of its cluster and goes on; `orders`: others know then what it did. */
void kc_emu_arrive(Block *block, int64_t thread, int32_t orders) {
  Barrier *barrier = &block->barriers[OF_CLUSTER];
  block->fruitless = 0;
  if (orders) tell(block, order_of(block, OF_CLUSTER, 0), thread);
  block->phases[thread] = barrier->generation;
  ++barrier->arrived;
}

/* It waits for what it has come to. */
void kc_emu_cluster(Block *block, int64_t thread, int32_t site) {
  block->fruitless = 0;
  wait_for(block, thread, site, (Wait){NAMED, OF_CLUSTER, 0, block->phases[thread], 0, 0});
}

/* The place in another block of the cluster. */
uint64_t kc_emu_mapa(Block *block, int64_t thread, uint64_t address, int32_t rank, int32_t site) {
  uint64_t own = shared_of(block, thread);
  if (rank >= 0 && rank < block->ranks && address - own < (uint64_t)block->shared_bytes)
    return address - own + block->shared[rank];
  if (block->clocks) report(OUTSIDE, site, NULL, -1);
  return address;
}

/* A lane waits for those of a mask. */
void kc_emu_lanes(Block *block, int64_t thread, int32_t mask, int32_t site) {
  block->fruitless = 0;
  wait_for(block, thread, site, (Wait){LANES, 0, 0, 0, (uint32_t)mask, 0});
}

/* Whether a lane of a mask that exists is elsewhere: the first, or -1. */
static int64_t missing_lane(const Block *block, int64_t thread) {
  uint32_t mask = block->waits[thread].mask;
  int64_t first = thread / WARP_SIZE * WARP_SIZE;
  for (int64_t i = first; i < first + WARP_SIZE && i < block->count; ++i) {
    if (!(mask >> (i - first) & 1)) continue;
    const Wait *wait = &block->waits[i];
    if (!waits_for(block->states[i], EVENT) || wait->what != LANES || wait->mask != mask) return i;
  }
  return -1;
}

static void release_lanes(Block *block, int64_t thread) {
  uint32_t mask = block->waits[thread].mask;
  int64_t first = thread / WARP_SIZE * WARP_SIZE;
  int64_t end = first + WARP_SIZE < block->count ? first + WARP_SIZE : block->count;
  for (int64_t i = first; i < end; ++i)
    if (mask >> (i - first) & 1) block->states[i] = READY;
  for (int64_t i = first; block->clocks && i < end; ++i)
    for (int64_t j = first; j < end; ++j)
      if (i != j && mask >> (i - first) & mask >> (j - first) & 1) {
        /* What j knew before, and what it did up to here. */
        learn(clocks_of(block, i), clocks_of(block, j), width_of(block));
      }
  for (int64_t i = first; block->clocks && i < end; ++i)
    if (mask >> (i - first) & 1) ++clocks_of(block, i)[i];
}

/* Threads wait for those of their four warps. */
void kc_emu_group(Block *block, int64_t thread, int32_t site) {
  block->fruitless = 0;
  wait_for(block, thread, site, (Wait){GROUP, 0, 0, 0, 0, 0});
}

/* Whether a thread of the four warps is elsewhere, or not there: the first, or -1. */
static int64_t missing_in_group(const Block *block, int64_t thread) {
  int64_t first = thread / GROUP_SIZE * GROUP_SIZE, end = first + GROUP_SIZE;
  for (int64_t i = first; i < end && i < block->count; ++i)
    if (block->states[i] != block->states[thread] || block->waits[i].what != GROUP) return i;
  return end > block->count ? block->count : -1;
}

static void release_group(Block *block, int64_t thread) {
  int64_t first = thread / GROUP_SIZE * GROUP_SIZE;
  for (int64_t i = first; i < first + GROUP_SIZE; ++i) block->states[i] = READY;
}

/* The mbarriers that the thread has made are visible to the copy unit. */
void kc_emu_fence_mbarriers(Block *block, int64_t thread) {
  if (!block->clocks) return;
  for (int32_t i = ALL_BARRIERS; i < ALL_BARRIERS + MAX_MBARRIERS; ++i) {
    Order *order = &block->orders[i];
    if (order->is_made && order->maker == (thread & 0x1fff)) order->is_fenced = 1;
  }
}

/* What the thread did and knows of is visible to what goes by another way. */
void kc_emu_fence(Block *block, int64_t thread) {
  if (!block->clocks) return;
  kc_emu_fence_mbarriers(block, thread);
  int32_t *clocks = clocks_of(block, thread), *barriers_before = &clocks[2 * block->count];
  learn(clocks + block->count, clocks, block->count);
  if (*barriers_before < now.epoch) *barriers_before = now.epoch;
  ++clocks[thread];
}

/* Behind a barrier of the block, all know of all fences. */
static void share_fences(Block *block) {
  int64_t width = width_of(block);
  for (int64_t i = 1; i < block->count; ++i)
    learn(clocks_of(block, 0) + block->count, clocks_of(block, i) + block->count,
          width - block->count);
  for (int64_t i = 1; i < block->count; ++i)
    memcpy(clocks_of(block, i) + block->count, clocks_of(block, 0) + block->count,
           (size_t)(width - block->count) * sizeof(int32_t));
}

/* An mbarrier is a word: 20 bits of arrivals that the phase lacks, 20 of those of a phase, 22 of
   bytes that copies have still to write, and the phase. */
#define PENDING(word) ((int64_t)((word) & 0xfffff))
#define EXPECTED(word) ((int64_t)((word) >> 20 & 0xfffff))
#define BYTES(word) ((int64_t)((uint64_t)(word) << 2) >> 42)
#define PHASE_OF(word) ((word) >> 62 & 1)

enum { INIT, INVALIDATE, ARRIVE, DROP, EXPECT, COMPLETE_BYTES };

static uint64_t packed(int64_t pending, int64_t expected, int64_t bytes, uint64_t phase) {
  return (uint64_t)(pending & 0xfffff) | (uint64_t)(expected & 0xfffff) << 20 |
         (uint64_t)(bytes & 0x1fffff) << 40 | phase << 62;
}

static int32_t find_buffer(uint64_t address) {
  for (int32_t i = 0; i < buffer_count; ++i)
    if (buffers[i].cells && address - buffers[i].base < (uint64_t)buffers[i].bytes) return i;
  return -1;
}

/* An access whose buffer follows from the address. */
int32_t kc_emu_pointer(uint64_t address, int64_t bytes, int64_t alignment, int32_t site,
                       int32_t flags) {
  int32_t slot = find_buffer(address);
  if (slot < 0) {
    report(OUTSIDE, site, NULL, -1);
    return 0;
  }
  return note_access(slot, address, bytes, alignment, site, flags | IS_INSIDE);
}

/* Whether there is an mbarrier at an address. */
static int is_mbarrier(Block *block, uint64_t address, int32_t site, int is_made) {
  if (!block->clocks) return 1;
  int32_t flags = is_made ? IS_WRITE : IS_WRITE | IS_ATOMIC | IS_MBARRIER;
  if (!kc_emu_pointer(address, 8, 8, site, flags)) return 0;
  settle_write();
  Order *order = order_of(block, 0, address);
  if (is_made) {
    order->is_made = 1;
    order->is_fenced = 0;
    order->maker = now.thread;
    order->site = site;
    order->epoch = now.epoch;
    order->clock = clocks_of(block, now.thread)[now.thread];
    return 1;
  }
  Buffer *buffer = &buffers[find_buffer(address)];
  int64_t element = (int64_t)(address - buffer->base) / buffer->granule;
  if (!order->is_made) {
    report(UNINITIALISED, site, NULL, element);
    return 0;
  }
  Access maker = now;
  maker.thread = (uint16_t)order->maker & 0x1fff;
  maker.site = (int16_t)order->site;
  maker.epoch = order->epoch;
  maker.clock = order->clock;
  maker.is_going_on = maker.is_atomic = 0;
  if (is_concurrent(&maker, 0)) report(RACE, site, &maker, element);
  return 1;
}

/* Who wrote the element at an address last, in the launch that was last to have its buffer: the
   number of the place, or -1. */
int32_t kc_emu_writer(uint64_t address, int64_t *block, int64_t *thread) {
  int32_t slot = find_buffer(address);
  if (slot < 0) return -1;
  const Buffer *buffer = &buffers[slot];
  int64_t element = (int64_t)(address - buffer->base) / buffer->granule;
  Access writer = buffer->cells[element].writer;
  if (buffer->updates && is_someone(&buffer->updates[element].last)) {
    Access update = buffer->updates[element].last;
    int is_earlier = writer.block < update.block ||
                     (writer.block == update.block && writer.epoch <= update.epoch);
    if (!is_someone(&writer) || is_earlier) writer = update;
  }
  *block = block_of(&writer);
  *thread = thread_of(&writer);
  return writer.site;
}

/* Whether the block has ended in whose memory something is. */
static int has_ended(const Block *block, uint64_t address) {
  for (int32_t rank = 0; rank < block->ranks && block->ranks > 1; ++rank) {
    if (address - block->shared[rank] >= (uint64_t)block->shared_bytes) continue;
    int64_t begin = rank * block->each, end = begin + block->each;
    for (int64_t i = begin; i < end; ++i)
      if (block->states[i] != DONE) return 0;
    return 1;
  }
  return 0;
}

static int64_t change(Block *block, int64_t thread, int32_t what, uint64_t address, int64_t count,
                      int32_t site) {
  uint64_t *word = (uint64_t *)address;
  if (block->clocks && has_ended(block, address)) report(UNFINISHED, site, NULL, -1);
  if (!is_mbarrier(block, address, site, what == INIT)) return 0;
  uint64_t before = *word;
  int64_t pending = PENDING(before), expected = EXPECTED(before), bytes = BYTES(before);
  uint64_t phase = PHASE_OF(before);
  if (what == INIT || what == INVALIDATE) {
    *word = packed(count, count, 0, 0);
    if (what == INVALIDATE && block->clocks) order_of(block, 0, address)->is_made = 0;
    return 0;
  }
  Order *order = order_of(block, 0, address);
  if (what == ARRIVE || what == DROP) {
    tell(block, order, thread);
    pending -= count;
    if (what == DROP) expected -= count;
  } else {
    block->fruitless = 0;
    bytes += what == EXPECT ? count : -count;
  }
  if (pending <= 0 && bytes == 0 && what != EXPECT) {
    pending = expected;
    phase ^= 1;
    complete(block, order);
  }
  *word = packed(pending, expected, bytes, phase);
  return (int64_t)before;
}

int64_t kc_emu_mbarrier(Block *block, int64_t thread, int32_t what, uint64_t address, int32_t count,
                        int32_t site) {
  return change(block, thread, what, address, count, site);
}

/* Wait for the phase of a state, or of a parity, to be complete. */
void kc_emu_phase(Block *block, int64_t thread, uint64_t address, int64_t state, int32_t is_state,
                  int32_t tries, int32_t site) {
  Wait wait = {tries ? TRY : PHASE, 0, 0, 0, 0, address};
  wait.generation = (uint32_t)(is_state ? PHASE_OF((uint64_t)state) : (uint64_t)state & 1);
  if (!is_mbarrier(block, address, site, 0)) {
    block->waits[thread].is_done = 1;
    return;
  }
  if (PHASE_OF(*(uint64_t *)address) == wait.generation) {
    wait_for(block, thread, site, wait);
    return;
  }
  hear(block, order_of(block, 0, address), thread);
  block->waits[thread].is_done = 1;
}

/* Whether the phase was complete that the thread waited for. */
int32_t kc_emu_is_complete(Block *block, int64_t thread) { return block->waits[thread].is_done; }

/* Let the others go on before a loop is repeated that waits for memory to change. After `most` times
   in which no thread leaves such a loop, and nothing else happens, none ever will. */
void kc_emu_spin(Block *block, int64_t thread, int32_t most, int32_t site) {
  Wait wait = {.what = SPIN, .barrier = most};
  wait_for(block, thread, site, wait);
}

/* The loop is over. */
void kc_emu_spun(Block *block, int64_t thread) {
  (void)thread;
  block->fruitless = 0;
}

/* Let threads go on whose events have come; whether there are any. */
static int wake(Block *block) {
  int is_any = 0;
  complete_cluster(block);
  for (int64_t i = 0; i < block->count; ++i) {
    if (!waits_for(block->states[i], EVENT)) continue;
    Wait *wait = &block->waits[i];
    if (wait->what == SPIN) continue;
    if (wait->what == LANES) {
      if (missing_lane(block, i) >= 0) continue;
      release_lanes(block, i);
      is_any = 1;
      continue;
    }
    if (wait->what == GROUP) {
      if (missing_in_group(block, i) >= 0) continue;
      release_group(block, i);
      is_any = 1;
      continue;
    }
    if (wait->what == NAMED) {
      if (block->barriers[wait->barrier].generation == wait->generation) continue;
      hear(block, order_of(block, wait->barrier, 0), i);
    } else {
      if (PHASE_OF(*(uint64_t *)wait->address) == wait->generation) continue;
      hear(block, order_of(block, 0, wait->address), i);
    }
    wait->is_done = 1;
    block->states[i] = READY;
    is_any = 1;
  }
  return is_any;
}

static void settle_if(const Block *block) {
  if (block->clocks) settle_write();
}

/* Copies that go on by themselves --------------------------------------------------------------- */

static void enqueue(Block *block, int64_t thread, Copy copy) {
  Queue *queue = &block->queues[thread];
  if (queue->count == queue->room) {
    queue->room = queue->room ? 2 * queue->room : 16;
    queue->copies = realloc(queue->copies, (size_t)queue->room * sizeof(Copy));
  }
  copy.group = queue->group;
  queue->copies[queue->count++] = copy;
}

/* Start copying; of the bytes, so many are read and the others become zero. */
void kc_emu_copy(Block *block, int64_t thread, uint64_t to, uint64_t from, int32_t bytes,
                 int32_t read, int32_t site, int32_t source_site) {
  if (read > bytes || read < 0) read = bytes;
  if (block->clocks) {
    if (read && !kc_emu_pointer(from, read, bytes, source_site, 0)) return;
    if (!kc_emu_pointer(to, bytes, bytes, site, IS_WRITE | IS_GOING_ON)) return;
    settle_write();
  }
  enqueue(block, thread, (Copy){to, from, bytes, read, site, 0});
}

void kc_emu_commit(Block *block, int64_t thread) { ++block->queues[thread].group; }

/* Do what is in the queue of a thread before `end`. */
static void do_copies(Block *block, int64_t thread, int32_t end) {
  Queue *queue = &block->queues[thread];
  Access saved = now;
  for (int32_t i = 0; i < end; ++i) {
    Copy copy = queue->copies[i];
    if (!copy.bytes) {
      now.thread = (uint16_t)thread & 0x1fff;
      change(block, thread, ARRIVE, copy.to, 1, copy.site);
      continue;
    }
    memcpy((void *)copy.to, (const void *)copy.from, (size_t)copy.read);
    memset((uint8_t *)copy.to + copy.read, 0, (size_t)(copy.bytes - copy.read));
    if (!block->clocks) continue;
    Buffer *buffer = &buffers[find_buffer(copy.to)];
    int64_t offset = (int64_t)(copy.to - buffer->base);
    for (int64_t at = offset; at < offset + copy.bytes; at += buffer->granule) {
      Access *writer = &buffer->cells[at / buffer->granule].writer;
      if (!writer->is_going_on || writer->thread != (thread & 0x1fff)) continue;
      writer->is_going_on = 0;
      writer->epoch = now.epoch;
      writer->clock = clocks_of(block, thread)[thread];
    }
  }
  now = saved;
  queue->count -= end;
  for (int32_t i = 0; i < queue->count; ++i) queue->copies[i] = queue->copies[i + end];
}

/* Wait until at most `left` of the last groups are not done. */
void kc_emu_copies_done(Block *block, int64_t thread, int32_t left) {
  Queue *queue = &block->queues[thread];
  int32_t end = 0;
  settle_if(block);
  while (end < queue->count && queue->copies[end].group < queue->group - left) ++end;
  do_copies(block, thread, end);
}

/* An arrival at an mbarrier when the copies so far are done; `adds`: the phase waits for it, too. */
void kc_emu_copies_arrive(Block *block, int64_t thread, uint64_t address, int32_t adds,
                          int32_t site) {
  if (!is_mbarrier(block, address, site, 0)) return;
  uint64_t *word = (uint64_t *)address;
  if (adds) *word = packed(PENDING(*word) + 1, EXPECTED(*word), BYTES(*word), PHASE_OF(*word));
  enqueue(block, thread, (Copy){address, 0, 0, 0, site, 0});
}

/* What goes on by itself has read or written an element: whoever it was started by knows. */
static void finish(Access *access, int64_t thread, int32_t site, int32_t clock) {
  if (!access->is_going_on || access->thread != (thread & 0x1fff) || access->site != site) return;
  access->is_going_on = 0;
  access->epoch = now.epoch;
  access->clock = clock;
}

static void finish_at(Block *block, uint64_t address, int64_t bytes, int64_t thread, int32_t site,
                      int32_t clock) {
  int32_t slot = block->clocks ? find_buffer(address) : -1;
  if (slot < 0) return;
  Buffer *buffer = &buffers[slot];
  int64_t offset = (int64_t)(address - buffer->base);
  for (int64_t at = offset; at < offset + bytes && at < buffer->bytes; at += buffer->granule) {
    Cell *cell = &buffer->cells[at / buffer->granule];
    finish(&cell->writer, thread, site, clock);
    finish(&cell->reader, thread, site, clock);
    finish(&cell->reader_2, thread, site, clock);
    for (int32_t n = *first_of(&cell->readers); n; n = links[n].next)
      finish(&links[n].access, thread, site, clock);
  }
}

enum { BULK_UNIT = 16 }; /* sizes and addresses are multiples of it */

static void start(Bulks *bulks, const Bulk *copy) {
  if (bulks->count == bulks->room) {
    bulks->room = bulks->room ? 2 * bulks->room : 16;
    bulks->copies = realloc(bulks->copies, (size_t)bulks->room * sizeof(Bulk));
  }
  bulks->copies[bulks->count++] = *copy;
}

/* Start copying in bulk, for an mbarrier, or for a group of the thread (0). */
void kc_emu_bulk(Block *block, int64_t thread, uint64_t to, uint64_t from, int32_t bytes,
                 uint64_t mbarrier, int32_t site, int32_t source_site, int32_t mbarrier_site) {
  Bulks *bulks = &block->bulks;
  if (bytes <= 0) return;
  if (!bulks->groups) bulks->groups = calloc((size_t)block->count, sizeof(int32_t));
  Bulk copy = {.to = to,
               .from = from,
               .mbarrier = mbarrier,
               .thread = thread,
               .bytes = bytes,
               .site = site,
               .source_site = source_site,
               .mbarrier_site = mbarrier_site,
               .group = bulks->groups[thread]};
  if (block->clocks) {
    int32_t flags = IS_GOING_ON | IS_ASYNC, before = finding_count;
    if (bytes % BULK_UNIT) {
      report(MISALIGNED, site, NULL, -1);
      if (finding_count > before) findings[before].wanted = bytes;
      return;
    }
    if (!kc_emu_pointer(from, bytes, BULK_UNIT, source_site, flags)) return;
    if (!kc_emu_pointer(to, bytes, BULK_UNIT, site, flags | IS_WRITE)) return;
    settle_write();
    copy.clock = clocks_of(block, thread)[thread]++;
  }
  start(bulks, &copy);
}

/* Maps of tensors ------------------------------------------------------------------------------- */

enum { LAST_TYPE = 12, MOST_IN_BOX = 256, MAX_SWIZZLE = 3 };

static uint32_t bytes_of_type(int32_t type) { /* CUtensorMapDataType */
  static const uint8_t sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return type < 0 || type > LAST_TYPE ? 0 : sizes[type];
}

static int is_multiple(uint64_t number, uint64_t of) { return number % of == 0; }

/* As cuTensorMapEncodeTiled: 0, or 1 for what the driver refuses. */
int32_t kc_emu_encode(void *place, int32_t type, uint32_t rank, void *base, const uint64_t *sizes,
                      const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                      int32_t interleave, int32_t swizzle, int32_t promotion, int32_t fill) {
  TensorMap map = {.rank = rank, .size = bytes_of_type(type), .base = (uint64_t)base};
  if (!map.size || !rank || rank > MAX_RANK || interleave || promotion < 0 || promotion > 3) return 1;
  if (swizzle < 0 || swizzle > MAX_SWIZZLE || !is_multiple((uint64_t)base, BULK_UNIT)) return 1;
  map.span = swizzle ? 16u << swizzle : 0;
  map.is_nan = fill != 0;
  for (uint32_t i = 0; i < rank; ++i) {
    if (!sizes[i] || sizes[i] > 1ull << 32 || !box[i] || box[i] > MOST_IN_BOX || steps[i] != 1) return 1;
    map.sizes[i] = sizes[i];
    map.box[i] = box[i];
    if (!i) continue;
    if (!is_multiple(strides[i - 1], BULK_UNIT) || strides[i - 1] >= 1ull << 40) return 1;
    map.strides[i - 1] = strides[i - 1];
  }
  uint32_t row = box[0] * map.size;
  if (!is_multiple(row, BULK_UNIT) || (map.span && row > map.span)) return 1;
  memset(place, 0, MAP_BYTES);
  memcpy(place, &map, sizeof map);
  return 0;
}

/* The map of an array of this machine, which may begin anywhere. `form` has the type in 8 bits, the
   rank in 8, the swizzle in 8, the promotion in 8 and the fill in 8; numbers go from the innermost
   dimension on. */
void kc_emu_tensor_map(void *place, uint64_t base, int64_t form, int64_t size_0, int64_t size_1,
                       int64_t size_2, int64_t size_3, int64_t size_4, int64_t stride_1,
                       int64_t stride_2, int64_t stride_3, int64_t stride_4, int64_t box_0,
                       int64_t box_1, int64_t box_2, int64_t box_3, int64_t box_4) {
  const int64_t given[] = {size_0, size_1, size_2, size_3, size_4};
  const int64_t apart[] = {stride_1, stride_2, stride_3, stride_4};
  const int64_t boxes[] = {box_0, box_1, box_2, box_3, box_4};
  static const uint32_t steps[] = {1, 1, 1, 1, 1};
  uint64_t sizes[MAX_RANK], strides[MAX_RANK - 1];
  uint32_t box[MAX_RANK];
  for (int i = 0; i < MAX_RANK; ++i) {
    sizes[i] = (uint64_t)given[i];
    box[i] = (uint32_t)boxes[i];
    if (i) strides[i - 1] = (uint64_t)apart[i - 1];
  }
  memset(place, 0, MAP_BYTES);
  if (kc_emu_encode(place, form & 255, form >> 8 & 255, NULL, sizes, strides, box, steps, 0,
                    form >> 16 & 255, form >> 24 & 255, form >> 32 & 255) == 0)
    ((TensorMap *)place)->base = base;
}

/* The array of a map is watched, where no kernel has it as an argument. */
void kc_emu_tensor_buffer(uint32_t slot, const TensorMap *map) {
  if (!map->rank || find_buffer(map->base) >= 0) return;
  uint64_t bytes = map->sizes[0] * map->size;
  for (uint32_t i = 1; i < map->rank; ++i) bytes += (map->sizes[i] - 1) * map->strides[i - 1];
  kc_emu_buffer(slot | GLOBAL << 8 | map->size << 16, map->base, (int64_t)bytes);
}

/* What is done with a piece of 16 bytes of a box: `elements` bits say which of its elements are
   in the tensor, of which `from` is the first. */
typedef void (*Piece)(Block *block, Bulk *copy, uint64_t shared, uint64_t from, uint32_t elements);

static void for_each_box_piece(Block *block, Bulk *copy, int is_store, Piece visit) {
  const TensorMap *map = &copy->map;
  uint64_t base = is_store ? copy->from : copy->to, mask = map->span ? map->span - BULK_UNIT : 0;
  uint32_t rows = 1, row_bytes = map->box[0] * map->size, each = BULK_UNIT / map->size;
  for (uint32_t i = 1; i < map->rank; ++i) rows *= map->box[i];
  for (uint32_t row = 0; row < rows; ++row) {
    uint64_t from = map->base;
    uint32_t rest = row;
    int is_inside = 1;
    for (uint32_t i = 1; i < map->rank; rest /= map->box[i], ++i) {
      int64_t index = (int64_t)copy->at[i] + rest % map->box[i];
      if (index < 0 || (uint64_t)index >= map->sizes[i]) is_inside = 0;
      from += (uint64_t)index * map->strides[i - 1];
    }
    for (uint32_t piece = 0; piece < row_bytes / BULK_UNIT; ++piece) {
      int64_t first = (int64_t)copy->at[0] + piece * each;
      uint32_t elements = 0;
      for (uint32_t i = 0; i < each && is_inside; ++i)
        if (first + i >= 0 && (uint64_t)(first + i) < map->sizes[0]) elements |= 1u << i;
      uint64_t offset = base - copy->shared + row * row_bytes + piece * BULK_UNIT;
      offset ^= offset >> 3 & mask;
      visit(block, copy, copy->shared + offset, from + (uint64_t)first * map->size, elements);
    }
  }
}

static void note_load(Block *block, Bulk *copy, uint64_t shared, uint64_t from, uint32_t elements) {
  (void)block;
  int32_t flags = IS_GOING_ON | IS_ASYNC;
  for (uint32_t i = 0; i < BULK_UNIT / copy->map.size; ++i)
    if (elements >> i & 1)
      kc_emu_pointer(from + i * copy->map.size, copy->map.size, 1, copy->source_site, flags);
  kc_emu_pointer(shared, BULK_UNIT, BULK_UNIT, copy->site, flags | IS_WRITE);
  settle_write();
}

static void note_store(Block *block, Bulk *copy, uint64_t shared, uint64_t to, uint32_t elements) {
  (void)block;
  int32_t flags = IS_GOING_ON | IS_ASYNC;
  kc_emu_pointer(shared, BULK_UNIT, BULK_UNIT, copy->source_site, flags);
  for (uint32_t i = 0; i < BULK_UNIT / copy->map.size; ++i) {
    if (!(elements >> i & 1)) continue;
    kc_emu_pointer(to + i * copy->map.size, copy->map.size, 1, copy->site, flags | IS_WRITE);
    settle_write();
  }
}

static void do_load(Block *block, Bulk *copy, uint64_t shared, uint64_t from, uint32_t elements) {
  uint32_t size = copy->map.size;
  for (uint32_t i = 0; i < BULK_UNIT / size; ++i) {
    if (elements >> i & 1) {
      memcpy((void *)(shared + i * size), (const void *)(from + i * size), size);
      finish_at(block, from + i * size, size, copy->thread, copy->source_site, copy->clock);
    } else {
      memset((void *)(shared + i * size), copy->map.is_nan ? 255 : 0, size);
    }
  }
}

static void do_store(Block *block, Bulk *copy, uint64_t shared, uint64_t to, uint32_t elements) {
  uint32_t size = copy->map.size;
  for (uint32_t i = 0; i < BULK_UNIT / size; ++i)
    if (elements >> i & 1) memcpy((void *)(to + i * size), (const void *)(shared + i * size), size);
  finish_at(block, shared, BULK_UNIT, copy->thread, copy->source_site, copy->clock);
}

static void end_load(Block *block, Bulk *copy, uint64_t shared, uint64_t from, uint32_t elements) {
  (void)from;
  (void)elements;
  finish_at(block, shared, BULK_UNIT, copy->thread, copy->site, copy->clock);
}

static void end_store(Block *block, Bulk *copy, uint64_t shared, uint64_t to, uint32_t elements) {
  (void)shared;
  for (uint32_t i = 0; i < BULK_UNIT / copy->map.size; ++i)
    if (elements >> i & 1)
      finish_at(block, to + i * copy->map.size, copy->map.size, copy->thread, copy->site, copy->clock);
}

enum { BOX_ALIGNMENT = 128 };

/* Start copying a box to shared memory, for an mbarrier; or from there (0), for a group of the
   thread. `mask`: it goes to blocks of the cluster, to the same place in each, and an mbarrier at the
   same place counts it there. */
void kc_emu_box(Block *block, int64_t thread, uint64_t shared, const TensorMap *map, uint64_t mbarrier,
                int32_t at_0, int32_t at_1, int32_t at_2, int32_t at_3, int32_t at_4, int32_t mask,
                int32_t site, int32_t source_site, int32_t mbarrier_site) {
  Bulks *bulks = &block->bulks;
  if (!bulks->groups) bulks->groups = calloc((size_t)block->count, sizeof(int32_t));
  int32_t own = rank_of(block, thread), place_site = mbarrier ? site : source_site;
  uint64_t place = shared - block->shared[own], slot = mbarrier - block->shared[own];
  Bulk copy = {.thread = thread,
               .bytes = (int32_t)map->size,
               .site = site,
               .source_site = source_site,
               .mbarrier_site = mbarrier_site,
               .group = bulks->groups[thread],
               .at = {at_0, at_1, at_2, at_3, at_4},
               .map = *map};
  if (!map->rank) return;
  for (uint32_t i = 0; i < map->rank; ++i) copy.bytes *= (int32_t)map->box[i];
  if (place + (uint64_t)copy.bytes > (uint64_t)block->shared_bytes || mask >> block->ranks) {
    if (block->clocks) report(OUTSIDE, place_site, NULL, -1);
    return;
  }
  if (block->clocks && !is_multiple(place, BOX_ALIGNMENT)) {
    report(MISALIGNED, place_site, NULL, -1);
    return;
  }
  if (!mask) mask = 1 << own;
  if (block->clocks) {
    settle_write();
    copy.clock = clocks_of(block, thread)[thread];
  }
  for (int32_t rank = 0; rank < block->ranks; ++rank) {
    if (!(mask >> rank & 1)) continue;
    copy.shared = block->shared[rank];
    *(mbarrier ? &copy.to : &copy.from) = copy.shared + place;
    copy.mbarrier = mbarrier ? copy.shared + slot : 0;
    if (block->clocks)
      for_each_box_piece(block, &copy, !mbarrier, mbarrier ? note_load : note_store);
    start(bulks, &copy);
  }
  if (block->clocks) ++clocks_of(block, thread)[thread];
}

void kc_emu_bulk_commit(Block *block, int64_t thread) {
  Bulks *bulks = &block->bulks;
  if (!bulks->groups) bulks->groups = calloc((size_t)block->count, sizeof(int32_t));
  ++bulks->groups[thread];
}

/* Copy; what is read may be overwritten then, and what is written is known to be so later. */
static void do_bulk(Block *block, Bulk *copy) {
  if (copy->is_read) return;
  copy->is_read = 1;
  if (copy->map.rank) {
    for_each_box_piece(block, copy, !copy->mbarrier, copy->mbarrier ? do_load : do_store);
    return;
  }
  memcpy((void *)copy->to, (const void *)copy->from, (size_t)copy->bytes);
  finish_at(block, copy->from, copy->bytes, copy->thread, copy->source_site, copy->clock);
}

static void end_bulk(Block *block, int32_t number) {
  Bulks *bulks = &block->bulks;
  Bulk copy = bulks->copies[number];
  do_bulk(block, &copy);
  if (!copy.map.rank)
    finish_at(block, copy.to, copy.bytes, copy.thread, copy.site, copy.clock);
  else if (block->clocks)
    for_each_box_piece(block, &copy, !copy.mbarrier, copy.mbarrier ? end_load : end_store);
  --bulks->count;
  for (int32_t i = number; i < bulks->count; ++i) bulks->copies[i] = bulks->copies[i + 1];
  if (!copy.mbarrier) return;
  Access saved = now;
  now.thread = (uint16_t)copy.thread & 0x1fff;
  Order *order = order_of(block, 0, copy.mbarrier);
  if (order && order->coming[copy.thread] < copy.clock) order->coming[copy.thread] = copy.clock;
  if (block->clocks && order && order->is_made && !order->is_fenced) {
    Access maker = now;
    maker.thread = (uint16_t)order->maker & 0x1fff;
    maker.site = (int16_t)order->site;
    const Buffer *buffer = &buffers[find_buffer(copy.mbarrier)];
    report(MISSING_FENCE, copy.mbarrier_site, &maker,
           (int64_t)(copy.mbarrier - buffer->base) / buffer->granule);
  }
  change(block, copy.thread, COMPLETE_BYTES, copy.mbarrier, copy.bytes, copy.mbarrier_site);
  settle_if(block);
  now = saved;
}

/* Wait until at most `left` of the last groups of copies in bulk are not done, or not `read`. */
void kc_emu_bulk_done(Block *block, int64_t thread, int32_t left, int32_t reads) {
  Bulks *bulks = &block->bulks;
  settle_if(block);
  for (int32_t i = 0; i < bulks->count;) {
    Bulk *copy = &bulks->copies[i];
    int is_waited = copy->thread == thread && !copy->mbarrier &&
                    copy->group < bulks->groups[thread] - left;
    if (is_waited && reads) do_bulk(block, copy);
    if (is_waited && !reads)
      end_bulk(block, i);
    else
      ++i;
  }
}

/* The first copy that an mbarrier counts is done, one at a time. */
static int do_late_bulk(Block *block) {
  for (int32_t i = 0; i < block->bulks.count; ++i) {
    if (!block->bulks.copies[i].mbarrier) continue;
    settle_if(block);
    end_bulk(block, i);
    return 1;
  }
  return 0;
}

/* Nothing goes on: what happens by itself does now, and then tries give up. */
static int do_late(Block *block) {
  int is_any = 0;
  for (int64_t i = 0; i < block->count; ++i) {
    const Queue *queue = &block->queues[i];
    int32_t end = queue->count;
    while (end > 0 && queue->copies[end - 1].bytes) --end;
    if (!end) continue;
    settle_if(block);
    do_copies(block, i, end);
    is_any = 1;
  }
  if (is_any || do_late_bulk(block)) return 1;
  int32_t most = MAX_FRUITLESS;
  for (int64_t i = 0; i < block->count; ++i) {
    const Wait *wait = &block->waits[i];
    int is_spin = waits_for(block->states[i], EVENT) && wait->what == SPIN;
    if (is_spin && wait->barrier > most) most = wait->barrier;
  }
  if (block->fruitless++ >= most) return 0;
  for (int64_t i = 0; i < block->count; ++i) {
    if (!waits_for(block->states[i], EVENT)) continue;
    if (block->waits[i].what != TRY && block->waits[i].what != SPIN) continue;
    block->waits[i].is_done = 0;
    block->states[i] = READY;
    is_any = 1;
  }
  return is_any;
}

/* Report copies in bulk that still use the shared memory of a block that ends. */
static void report_unfinished(const Block *block) {
  for (int32_t i = 0; i < block->bulks.count; ++i) {
    const Bulk *copy = &block->bulks.copies[i];
    if (copy->is_read) continue;
    now.thread = (uint16_t)copy->thread & 0x1fff;
    report(UNFINISHED, copy->mbarrier ? copy->site : copy->source_site, NULL, -1);
  }
}

static void report_deadlock(Block *block) {
  const int32_t *states = block->states;
  int64_t waiter = who_waits(states, 0, block->count, EVENT), apart = -1;
  const Wait *wait = &block->waits[waiter];
  int32_t came = 0, wanted = 0;
  int64_t bytes = 0;
  if (wait->what == LANES) {
    apart = missing_lane(block, waiter);
  } else if (wait->what == GROUP) {
    apart = missing_in_group(block, waiter);
    if (apart == block->count) {
      wanted = GROUP_SIZE;
      came = (int32_t)(block->count % GROUP_SIZE);
      apart = -1;
    }
  } else if (wait->what != SPIN) {
    for (int64_t i = 0; i < block->count && apart < 0; ++i)
      if (states[i] != states[waiter]) apart = i;
    if (wait->what == NAMED) {
      came = block->barriers[wait->barrier].arrived;
      wanted = block->barriers[wait->barrier].wanted;
    } else {
      uint64_t word = *(uint64_t *)wait->address;
      int32_t pending = (int32_t)PENDING(word);
      wanted = (int32_t)EXPECTED(word);
      if (pending > wanted) pending -= 1 << 20; /* more have come than the phase waits for */
      came = wanted - pending;
      bytes = BYTES(word);
    }
  }
  int32_t before = finding_count;
  if (apart >= 0) {
    report_apart(DEADLOCK, states, waiter, apart);
  } else {
    now.thread = (uint16_t)waiter & 0x1fff;
    report(DEADLOCK, states[waiter] >> 2, NULL, -1);
  }
  if (finding_count > before) {
    findings[before].came = came;
    findings[before].wanted = wanted;
    findings[before].bytes = bytes;
  }
}

/* Matrices that the lanes of a warp hold together ----------------------------------------------- */

enum { F16, BF16, TF32, F32, F64, S8, U8, S4, U4, B1, S32, E4M3, E5M2 };

void kc_emu_leave(Block *block, int64_t thread, int32_t n, int64_t word) {
  block->words[thread][n] = (uint64_t)word;
}

/* Leave the address of a row of 16 bytes: lane n that of row n % 8 of matrix n / 8, of `count`. What
   is read or written outside of all memory goes to the words of the thread instead. */
void kc_emu_row(Block *block, int64_t thread, uint64_t address, int32_t count, int32_t site,
                int32_t flags) {
  block->rows[thread] = address;
  if (block->clocks && thread % WARP_SIZE < 8 * count) {
    if (!kc_emu_pointer(address, 16, 16, site, flags)) block->rows[thread] = 0;
    pending.is_later = 1;
  }
}

/* Where the two elements of a lane are: of one row, or turned, of two. */
static uint16_t *matrix_element(const Block *block, int64_t thread, int32_t matrix, int32_t turned,
                                int32_t n) {
  int32_t lane = (int32_t)(thread % WARP_SIZE), pair = lane % 4 * 2 + n;
  int64_t owner = thread - lane + 8 * matrix + (turned ? pair : lane / 4);
  if (owner >= block->count) owner = block->count - 1;
  /* A lane that did something else has no row: that was reported. */
  uint64_t row = block->rows[owner] ? block->rows[owner] : (uint64_t)(block->words[owner] + 2);
  return (uint16_t *)row + (turned ? lane / 4 : pair);
}

int32_t kc_emu_matrix_load(Block *block, int64_t thread, int32_t matrix, int32_t turned) {
  uint32_t low = *matrix_element(block, thread, matrix, turned, 0);
  return (int32_t)(low | (uint32_t)*matrix_element(block, thread, matrix, turned, 1) << 16);
}

void kc_emu_matrix_store(Block *block, int64_t thread, int32_t matrix, int32_t turned,
                         int32_t word) {
  *matrix_element(block, thread, matrix, turned, 0) = (uint16_t)word;
  *matrix_element(block, thread, matrix, turned, 1) = (uint16_t)((uint32_t)word >> 16);
}

static double as_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static double of_half(uint32_t bits) {
  uint32_t exponent = bits >> 10 & 31, mantissa = bits & 0x3ff, sign = (bits & 0x8000) << 16;
  if (exponent == 31) return as_float(sign | 0x7f800000 | mantissa << 13);
  if (exponent) return as_float(sign | (exponent + 112) << 23 | mantissa << 13);
  double value = mantissa / 16777216.0; /* 2^-24 */
  return sign ? -value : value;
}

/* Rounded to the nearest half, and of two to the even one. */
static uint32_t to_half(double number) {
  float single = (float)number;
  uint32_t bits;
  memcpy(&bits, &single, 4);
  uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
  if (rest > 0x7f800000) return sign | 0x7e00;
  if (rest >= 0x47800000) return sign | 0x7c00;
  uint32_t shift = 13, value = rest - (112u << 23);
  if (rest < 113u << 23) { /* it is below 2^-14 */
    if (rest < 102u << 23) return sign;
    shift = 126 - (rest >> 23);
    value = (rest & 0x7fffff) | 0x800000;
  }
  uint32_t half = value >> shift, dropped = value & ((1u << shift) - 1), tie = 1u << (shift - 1);
  return sign | (half + (dropped > tie || (dropped == tie && half & 1)));
}

static int32_t bits_of(int32_t type) {
  switch (type) {
    case F16: case BF16: return 16;
    case S8: case U8: case E4M3: case E5M2: return 8;
    case S4: case U4: return 4;
    case B1: return 1;
    case F64: return 64;
    default: return 32;
  }
}

/* How many elements a word of a register holds. */
static int32_t packing(int32_t type) { return type == F64 ? 1 : 32 / bits_of(type); }

/* 4 bits of exponent, no infinities, and one NaN. */
static double of_e4m3(uint32_t bits) {
  uint32_t exponent = bits >> 3 & 15, mantissa = bits & 7, sign = (bits & 0x80) << 24;
  if ((bits & 0x7f) == 0x7f) return as_float(sign | 0x7fc00000);
  if (exponent) return as_float(sign | (exponent + 120) << 23 | mantissa << 20);
  double value = mantissa / 512.0; /* 2^-9 */
  return sign ? -value : value;
}

static double number_in(uint64_t word, int32_t type, int32_t part) {
  uint32_t bits = (uint32_t)word >> (part * (bits_of(type) & 31));
  switch (type) {
    case F16: return of_half(bits & 0xffff);
    case BF16: return as_float(bits << 16);
    case TF32: return as_float(bits & 0xffffe000);
    case F32: return as_float(bits);
    case S8: return (int8_t)bits;
    case U8: return (uint8_t)bits;
    case S4: return (int8_t)((bits & 15) << 4) / 16;
    case U4: return bits & 15;
    case S32: return (int32_t)bits;
    case E4M3: return of_e4m3(bits & 0xff);
    case E5M2: return of_half(bits << 8 & 0xff00);
    default: break;
  }
  double value;
  memcpy(&value, &word, 8);
  return value;
}

static uint64_t word_with(uint64_t word, int32_t type, int32_t part, double value, int32_t clamps) {
  if (type == F64) {
    memcpy(&word, &value, 8);
  } else if (type == F32) {
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    word = bits;
  } else if (type == F16) {
    word = (word & ~(0xffffULL << 16 * part)) | (uint64_t)to_half(value) << 16 * part;
  } else { /* sums of a few thousand bytes are exact */
    if (clamps && value > 2147483647.0) value = 2147483647.0;
    if (clamps && value < -2147483648.0) value = -2147483648.0;
    word = (uint32_t)(int64_t)value;
  }
  return word;
}

/* Where lanes hold elements: of mma in the layout of PTX, of wmma in one of the emulator's own. */
typedef struct {
  int64_t lane;
  int32_t slot;
} Place;

/* Row (of B: column) `across` and depth `k` of an operand of mma whose rows are 8 or 16. */
static Place operand_place(int32_t across, int32_t k, int32_t type, int32_t rows) {
  int32_t each = packing(type), tall = rows / 8;
  int32_t lane = across % 8 * 4 + k / each % 4;
  int32_t word = k / (4 * each) * tall + across / 8;
  return (Place){lane, word * each + k % each};
}

/* Element `number` of a matrix of so many that all lanes hold together. */
static Place wmma_place(int32_t number, int32_t total) {
  int32_t each = total / WARP_SIZE;
  return (Place){number / each, number % each};
}

enum { OF_B = 16 }; /* the first word of B in what a lane leaves */

static uint64_t left_at(const Block *block, int64_t first, Place place, int32_t type, int32_t from) {
  int64_t thread = first + place.lane < block->count ? first + place.lane : block->count - 1;
  return block->words[thread][from + place.slot / packing(type)];
}

/* One word of D of a lane, whose word of C is given. `shape` is m, n and k in bytes, `types` those of
   A, B and C, and bits: 1 clamp, 2 and instead of xor, 4 wmma. */
int64_t kc_emu_mma(Block *block, int64_t thread, int32_t shape, int32_t types, int32_t index,
                   int64_t c) {
  int32_t m = shape >> 16 & 255, n = shape >> 8 & 255, k = (shape & 255) ? shape & 255 : 256;
  int32_t a_type = types & 15, b_type = types >> 4 & 15, c_type = types >> 8 & 15;
  int32_t flags = types >> 12;
  int64_t first = thread / WARP_SIZE * WARP_SIZE, lane = thread % WARP_SIZE;
  uint64_t result = (uint64_t)c;
  for (int32_t part = 0; part < packing(c_type); ++part) {
    int32_t slot = index * packing(c_type) + part, row, column;
    if (flags & 4) {
      int32_t each = m * n / WARP_SIZE, number = (int32_t)lane * each + slot % each;
      row = number / n;
      column = number % n;
    } else {
      row = (int32_t)lane / 4 + slot / 2 * 8;
      column = (int32_t)lane % 4 * 2 + slot % 2;
    }
    double sum = number_in((uint64_t)c, c_type, part);
    for (int32_t at = 0; at < k; ++at) {
      Place a = flags & 4 ? wmma_place(row * k + at, m * k) : operand_place(row, at, a_type, m);
      Place b = flags & 4 ? wmma_place(at * n + column, k * n) : operand_place(column, at, b_type, 8);
      uint64_t a_word = left_at(block, first, a, a_type, 0);
      uint64_t b_word = left_at(block, first, b, b_type, OF_B);
      int32_t a_part = a.slot % packing(a_type), b_part = b.slot % packing(b_type);
      if (a_type == B1) {
        uint64_t a_bit = a_word >> a_part & 1, b_bit = b_word >> b_part & 1;
        sum += (double)(flags & 2 ? a_bit & b_bit : a_bit ^ b_bit);
      } else {
        sum += number_in(a_word, a_type, a_part) * number_in(b_word, b_type, b_part);
      }
    }
    result = word_with(result, c_type, part, sum, flags & 1);
  }
  return (int64_t)result;
}

static uint64_t element_address(uint64_t base, int32_t rows, int32_t columns, int32_t stride,
                                int32_t is_column, int32_t type, int64_t lane, int32_t slot) {
  int32_t each = rows * columns / WARP_SIZE, number = (int32_t)lane * each + slot % each;
  int64_t row = number / columns, column = number % columns;
  int64_t at = is_column ? column * stride + row : row * stride + column;
  return base + (uint64_t)(at * (bits_of(type) / 8));
}

/* One word of what a lane holds of a matrix in memory. */
int64_t kc_emu_wmma_load(Block *block, int64_t thread, uint64_t base, int32_t sizes, int32_t stride,
                         int32_t is_column, int32_t type, int32_t index, int32_t site) {
  uint64_t word = 0;
  int32_t bytes = bits_of(type) / 8;
  for (int32_t part = 0; part < packing(type); ++part) {
    uint64_t bits = 0;
    uint64_t address = element_address(base, sizes >> 8, sizes & 255, stride, is_column, type,
                                       thread % WARP_SIZE, index * packing(type) + part);
    if (block->clocks && !kc_emu_pointer(address, bytes, bytes, site, 0)) continue;
    memcpy(&bits, (const void *)address, (size_t)bytes);
    word |= bits << (bytes * 8 % 64 * part);
  }
  return (int64_t)word;
}

void kc_emu_wmma_store(Block *block, int64_t thread, uint64_t base, int32_t sizes, int32_t stride,
                       int32_t is_column, int32_t type, int32_t index, int32_t site, int64_t word) {
  int32_t bytes = bits_of(type) / 8;
  for (int32_t part = 0; part < packing(type); ++part) {
    uint64_t address = element_address(base, sizes >> 8, sizes & 255, stride, is_column, type,
                                       thread % WARP_SIZE, index * packing(type) + part);
    uint64_t bits = (uint64_t)word >> (bytes * 8 % 64 * part);
    if (block->clocks && !kc_emu_pointer(address, bytes, bytes, site, IS_WRITE)) continue;
    memcpy((void *)address, &bits, (size_t)bytes);
    if (block->clocks) settle_write();
  }
}

/* Products of four warps ------------------------------------------------------------------------ */

/* What `types` has above those of A, B and D. */
enum { CLAMPS = 1, A_IS_ACROSS = 2, B_IS_ACROSS = 4, STARTS_AT_ZERO = 8, NEGATES_A = 16, NEGATES_B = 32 };
enum { PIECE = 16, K_BYTES = 32, MAX_REGISTERS = 1 << 20 };

/* The bits that stand for a register whose product is not done: a NaN, or an integer next to the
   smallest one. */
static uint32_t tag_of(int32_t type) { return type == S32 ? 0x80200000 : 0xffe00000; }

static int has_tag(uint32_t word, int32_t type) { return (word & 0xfff00000) == tag_of(type); }

static Accumulators *accumulators_of(Block *block, int64_t thread) {
  if (!block->accumulators)
    block->accumulators = calloc((size_t)block->count, sizeof *block->accumulators);
  return &block->accumulators[thread];
}

/* The address of a piece of 16 bytes of an operand, that a descriptor leads to; 0 outside of the memory
   of the block. Elements that are next to each other go along k, or `is_across` it. A piece has a
   row and 16 bytes along k, else a number k and 8 rows. Within tiles of 8 rows of 32, 64 or 128 bytes, the
   place of a piece in its row is changed by the row. */
static uint64_t piece_address(const Block *block, int64_t thread, uint64_t descriptor, int32_t row,
                              int32_t k, int32_t is_across) {
  uint64_t shared = shared_of(block, thread);
  static const int32_t widths[] = {1, 8, 4, 2}; /* pieces in a row, by the swizzle */
  int64_t first = (int64_t)(descriptor & 0x3fff) << 4;
  int64_t leading = (int64_t)(descriptor >> 16 & 0x3fff) << 4;
  int64_t stride = (int64_t)(descriptor >> 32 & 0x3fff) << 4;
  int64_t width = widths[descriptor >> 62], at;
  if (is_across) {
    int64_t unit = row / 8;
    at = width == 1 ? unit * stride + k / 8 * leading + k % 8 * PIECE
                    : unit / width * leading + unit % width * PIECE + k / 8 * stride +
                          k % 8 * width * PIECE;
  } else {
    int64_t piece = k / PIECE;
    at = row / 8 * stride + row % 8 * width * PIECE + piece * (width == 1 ? leading : PIECE);
  }
  int64_t offset = ((first - (int64_t)shared) & 0x3ffff) + at;
  offset ^= offset >> 3 & (width - 1) * PIECE;
  return offset + PIECE > block->shared_bytes ? 0 : shared + (uint64_t)offset;
}

/* Element (row, k) of an operand. */
static double tile_number(const Block *block, int64_t thread, uint64_t descriptor, int32_t row,
                          int32_t k, int32_t type, int32_t is_across) {
  int32_t bits = bits_of(type), bytes = bits / 8;
  int32_t along = is_across ? k : k * bits / 8;
  uint64_t address = piece_address(block, thread, descriptor, row, along, is_across), word = 0;
  if (!address) return 0;
  address += (uint64_t)(is_across ? row % 8 * bytes : along % PIECE);
  memcpy(&word, (const void *)address, bytes ? (size_t)bytes : 1);
  return type == B1 ? (double)(word >> k % 8 & 1) : number_in(word, type, 0);
}

/* Call `visit` for the pieces that a warp reads: its 16 rows of A, and B. */
static void for_each_piece(Block *block, int64_t thread, const Product *product, int is_over) {
  int32_t flags = product->types >> 12, warp = (int32_t)(thread % GROUP_SIZE / WARP_SIZE);
  for (int32_t operand = 0; operand < 2; ++operand) {
    int is_across = flags & (operand ? B_IS_ACROSS : A_IS_ACROSS);
    uint64_t descriptor = operand ? product->b : product->a;
    int32_t rows = operand ? product->n : 16, begin = operand ? 0 : 16 * warp;
    int32_t step = is_across ? 8 : 1, pieces = is_across ? 16 : K_BYTES / PIECE;
    int32_t site = product->sites[operand];
    for (int32_t row = begin; row < begin + rows; row += step)
      for (int32_t piece = 0; piece < pieces; ++piece) {
        int32_t k = is_across ? piece : piece * PIECE;
        uint64_t address = piece_address(block, thread, descriptor, row, k, is_across);
        if (is_over)
          finish_at(block, address, PIECE, thread, site, clocks_of(block, thread)[thread]);
        else
          kc_emu_pointer(address, PIECE, PIECE, site, IS_GOING_ON | IS_ASYNC);
      }
  }
}

/* Start D = A * B + C, of `n` columns; the words of C are to come. */
void kc_emu_product(Block *block, int64_t thread, int64_t a, int64_t b, int32_t n, int32_t types,
                    int32_t a_site, int32_t b_site) {
  Accumulators *all = accumulators_of(block, thread);
  if (all->product_count == all->product_room) {
    all->product_room = all->product_room ? 2 * all->product_room : 16;
    all->products = realloc(all->products, (size_t)all->product_room * sizeof(Product));
  }
  Product product = {(uint64_t)a,         (uint64_t)b, n,
                     types,               all->register_count, all->open,
                     {a_site, b_site}};
  all->products[all->product_count++] = product;
  all->lacks_fence = !all->is_fenced && !all->is_in_flight;
  all->is_fenced = 0;
  all->is_in_flight = 1;
  if (!block->clocks || thread % WARP_SIZE) return;
  settle_write();
  for (int i = 0; i < 2; ++i) /* no tile begins within another */
    if ((i ? b : a) >> 49 & 7) report(MISALIGNED, product.sites[i], NULL, -1);
  for_each_piece(block, thread, &product, 0);
}

/* A word of C, and what stands for that of D until the product is done. */
int64_t kc_emu_accumulate(Block *block, int64_t thread, int64_t c) {
  Accumulators *all = accumulators_of(block, thread);
  int32_t type = all->products[all->product_count - 1].types >> 8 & 15;
  if (all->register_count == all->register_room) {
    all->register_room = all->register_room ? 2 * all->register_room : 256;
    all->registers = realloc(all->registers, (size_t)all->register_room * sizeof(Register));
  }
  uint32_t word = (uint32_t)c;
  int32_t before = has_tag(word, type) ? (int32_t)(word & 0xfffff) : -1;
  if (before >= all->register_count) before = -1;
  if (before < 0 && all->lacks_fence && block->clocks) {
    report(MISSING_FENCE, all->products[all->product_count - 1].sites[0], NULL, -1);
    all->lacks_fence = 0;
  }
  int32_t number = all->register_count++ & (MAX_REGISTERS - 1);
  all->registers[number] = (Register){word, before, all->open};
  return tag_of(type) | (uint32_t)number;
}

/* The word of a register. One that a product in flight writes is read too early. */
int64_t kc_emu_register(Block *block, int64_t thread, int64_t word, int32_t type, int32_t site) {
  Accumulators *all = accumulators_of(block, thread);
  int32_t number = (int32_t)(word & 0xfffff);
  if (!has_tag((uint32_t)word, type) || number >= all->register_count) return word;
  const Register *known = &all->registers[number];
  if (known->group < all->done) return known->value;
  if (block->clocks) report(UNFINISHED, site, NULL, -1);
  return word;
}

/* Registers may be those of products again. */
void kc_emu_fence_registers(Block *block, int64_t thread) {
  accumulators_of(block, thread)->is_fenced = 1;
}

void kc_emu_products_commit(Block *block, int64_t thread) { ++accumulators_of(block, thread)->open; }

/* The part of a product that a thread holds. */
static void multiply(Block *block, int64_t thread, Accumulators *all, const Product *product) {
  int32_t a_type = product->types & 15, b_type = product->types >> 4 & 15;
  int32_t d_type = product->types >> 8 & 15, flags = product->types >> 12;
  int32_t lane = (int32_t)(thread % WARP_SIZE), warp = (int32_t)(thread % GROUP_SIZE / WARP_SIZE);
  int32_t k = K_BYTES * 8 / bits_of(a_type), count = product->n / 2 / packing(d_type);
  for (int32_t index = 0; index < count; ++index) {
    Register *here = &all->registers[(product->first + index) & (MAX_REGISTERS - 1)];
    uint32_t c = here->before < 0 ? here->value : all->registers[here->before].value;
    uint64_t word = c;
    for (int32_t part = 0; part < packing(d_type); ++part) {
      int32_t slot = index * packing(d_type) + part;
      int32_t row = 16 * warp + lane / 4 + slot / 2 % 2 * 8, column = slot / 4 * 8 + lane % 4 * 2 + slot % 2;
      double product_sum = 0;
      for (int32_t at = 0; at < k; ++at)
        product_sum += tile_number(block, thread, product->a, row, at, a_type, flags & A_IS_ACROSS) *
                       tile_number(block, thread, product->b, column, at, b_type, flags & B_IS_ACROSS);
      if (!(flags & NEGATES_A) != !(flags & NEGATES_B)) product_sum = -product_sum;
      double sum = flags & STARTS_AT_ZERO ? 0 : number_in(c, d_type, part);
      word = word_with(word, d_type, part, sum + product_sum, flags & CLAMPS);
    }
    here->value = (uint32_t)word;
  }
}

/* Wait until at most `left` of the last groups of products are not done. */
void kc_emu_products_done(Block *block, int64_t thread, int32_t left) {
  Accumulators *all = accumulators_of(block, thread);
  int32_t end = 0;
  settle_if(block);
  all->is_in_flight = 0;
  if (all->open - left > all->done) all->done = all->open - left;
  for (; end < all->product_count && all->products[end].group < all->done; ++end) {
    multiply(block, thread, all, &all->products[end]);
    if (block->clocks && thread % WARP_SIZE == 0) for_each_piece(block, thread, &all->products[end], 1);
  }
  all->product_count -= end;
  for (int32_t i = 0; i < all->product_count; ++i) all->products[i] = all->products[i + end];
  if (!block->clocks) return;
  int64_t first = thread / WARP_SIZE * WARP_SIZE; /* whose reads those of the warp are */
  int32_t *clocks = clocks_of(block, thread);
  int32_t read = thread == first ? clocks[first]++ : clocks_of(block, first)[first] - 1;
  if (clocks[first] < read) clocks[first] = read;
}
