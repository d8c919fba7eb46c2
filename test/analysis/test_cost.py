"""The cost of functions, against counts made by hand."""

import pytest

import kc
from kc.analysis import loop_tree
from kc.analysis.cost import ASSUMED, LINE, count_text, estimate, size_text

MATMUL = """
te.func @matmul(%A: tensor<64x32xf32>, %B: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %C = te.compute "C" [%i = 64, %j = 48] reduce sum [%k = 32] {
    %a = te.read %A[%i, %k] : tensor<64x32xf32>
    %b = te.read %B[%k, %j] : tensor<32x48xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } : tensor<64x48xf32>
  te.return %C : tensor<64x48xf32>
}
"""
CHAIN = """
te.func @chain(%A: tensor<?xf32>) -> tensor<?xf32>
    attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %B = te.compute "B" [%i = %n] {
    %a = te.read %A[%i] : tensor<?xf32>
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  } : tensor<?xf32>
  %C = te.compute "C" [%i = %n] {
    %b = te.read %B[%i] : tensor<?xf32>
    %c = arith.mulf %b, %b : f32
    te.yield %c : f32
  } : tensor<?xf32>
  te.return %C : tensor<?xf32>
}
"""


def schedule(text):
    return kc.tir.Schedule(kc.IRModule.parse(text))


def cost(sch, caches=(), assume=None):
    return estimate(loop_tree.functions(sch.module)[0], caches, assume)


def test_counts_of_a_matmul():
    counted = cost(schedule(MATMUL))
    points = 64 * 48 * 32
    assert counted.operations == 2 * points
    assert counted.loaded == 3 * 4 * points  # A, B and the sum so far
    assert counted.stored == 4 * points
    assert counted.footprint == 4 * (64 * 32 + 32 * 48 + 64 * 48)
    assert counted.allocated == {}
    assert (counted.tasks, counted.lanes) == (1, 1)


def test_traffic_of_a_matmul_by_rows():
    # One iteration of j touches a row of A, a column of B in lines, and a line of C.
    row, column = 32 * 4, 32 * LINE
    small = row + column + LINE
    every_j = cost(schedule(MATMUL), [small - 1]).traffic[0]
    # The column does not stay: each of the 64 * 48 sums fetches its row, its column and its line.
    assert every_j == 64 * 48 * (row + column + LINE)
    # Now an iteration of j leaves its row for the next one; i finds nothing.
    every_i = cost(schedule(MATMUL), [small]).traffic[0]
    assert every_i == 64 * (row + 32 * 48 * 4 + 48 * 4)
    # A cache for everything fetches everything once.
    assert cost(schedule(MATMUL), [1 << 20]).traffic[0] == 4 * (64 * 32 + 32 * 48 + 64 * 48)


def test_tiling_lowers_the_traffic_and_not_the_work():
    sch = schedule(MATMUL)
    before = cost(sch, [4096])
    i, j, k = sch.get_loops("C")
    io, jo, ii, ji = sch.tile(i, j, 16, 16)
    sch.reorder(io, jo, k, ii, ji)
    after = cost(sch, [4096])
    assert after.operations == before.operations
    assert after.loaded == before.loaded
    assert after.traffic[0] < before.traffic[0]


def test_parallel_tasks_and_lanes():
    sch = schedule(MATMUL)
    i, j, _ = sch.get_loops("C")
    _, ji = sch.split(j, [None, 8])
    sch.vectorize(ji)
    sch.parallel(i)
    counted = cost(sch)
    assert (counted.tasks, counted.lanes) == (64, 8)
    assert counted.operations == 2 * 64 * 48 * 32


def test_symbolic_sizes_are_assumed():
    sch = schedule(CHAIN)
    counted = cost(sch, assume={"n": 100})
    assert counted.assumed == {"n": 100}
    assert counted.operations == 200
    assert (counted.loaded, counted.stored) == (800, 800)
    assert counted.allocated == {"global": 400}


def test_symbolic_sizes_of_what_is_fetched():
    """A loop's share of an array is as much as its index takes, or the whole of an assumed size."""
    sch = schedule("""
    func.func @f(%A: memref<?x64xf32> {kc.shape = affine_map<()[n] -> (n, 64)>}, %B: memref<16xf32>)
        attributes {kc.symbols = ["n"]} {
      %n = tir.symbol "n"
      tir.for %j in 16 {
        tir.for %i in %n {
          tir.block "B" (spatial %v in 16 = %j, reduce %w in %n = %i) init {
            %z = arith.constant 0.0 : f32
            tir.store %z, %B[%v] : memref<16xf32>
          } do {
            %b = tir.load %B[%v] : memref<16xf32>
            %a = tir.load %A[%w, %v] : memref<?x64xf32>
            %s = arith.addf %a, %b : f32
            tir.store %s, %B[%v] : memref<16xf32>
          }
        }
      }
      func.return
    }""")
    # One line of each row of A and one of B, in each iteration of j: if all of it does not fit.
    traffic = cost(sch, caches=[LINE * 100, LINE * 1010], assume={"n": 1000}).traffic
    assert traffic == (16 * (1000 + 1) * LINE, (1000 + 1) * LINE)


@pytest.mark.parametrize(("size", "elements"), [("?", ASSUMED), ("4096", 4096)])
def test_a_gather_may_fetch_all_of_an_array(size: str, elements: int):
    sch = schedule(f"""
    func.func @f(%A: memref<{size}xf32>, %I: memref<16xindex>, %B: memref<16xf32>) {{
      tir.for %i in 16 {{
        tir.block "B" (spatial %v in 16 = %i) do {{
          %n = tir.load %I[%v] : memref<16xindex>
          %a = tir.load %A[%n] : memref<{size}xf32>
          tir.store %a, %B[%v] : memref<16xf32>
        }}
      }}
      func.return
    }}""")
    assert cost(sch, [1 << 20]).traffic == (4 * elements + 16 * 8 + 16 * 4,)


@pytest.mark.parametrize(
    ("computed", "count"),
    [("arith.muli %n, %m", 70), ("arith.maxsi %n, %m", 10), ("arith.ceildivsi %n, %m", 2)],
)
def test_computed_sizes(computed: str, count: int):
    sch = schedule(f"""
    func.func @f(%A: memref<?x?xf32> {{kc.shape = affine_map<()[n, m] -> (n, m)>}})
        attributes {{kc.symbols = ["n", "m"]}} {{
      %n = tir.symbol "n"
      %m = tir.symbol "m"
      %count = {computed} : index
      tir.for %i in %count {{
        tir.block "B" (opaque %v in %count = %i) do {{
          %a = tir.load %A[0, 0] : memref<?x?xf32>
          %b = arith.addf %a, %a : f32
          tir.store %b, %A[0, 0] : memref<?x?xf32>
        }}
      }}
      func.return
    }}""")
    assert cost(sch, assume={"n": 10, "m": 7}).operations == count


def test_symbolic_splits_count_what_runs():
    sch = schedule(CHAIN)
    (i,) = sch.get_loops("C")
    sch.split(i, [4, None])
    assert cost(sch, assume={"n": 100}).operations == 200


VIEWED = """
func.func private @column(memref<4xf32, strided<[64], offset: ?>>, memref<64xf32>)
func.func @main(%A: memref<64x64xf32>, %B: memref<64xf32>) {{
  tir.for %i in 16 {{
    tir.for %j in 64 {{
      %part = tir.view %A[%i * 4, %j] along [0]
          : memref<64x64xf32> to memref<4xf32, strided<[64], offset: ?>>
      {0}
    }}
  }}
  func.return
}}
"""
STRIDED = "memref<4xf32, strided<[64], offset: ?>>"


@pytest.mark.parametrize(
    ("body", "loaded", "stored"),
    [
        (
            f"%0 = tir.load %part[2] : {STRIDED}\n tir.store %0, %part[3] : {STRIDED}",
            4 * 16 * 64,
            4 * 16 * 64,
        ),
        (
            f"tir.call @column(update %part, read %B) : ({STRIDED}, memref<64xf32>)",
            (4 + 64) * 4 * 16 * 64,
            4 * 4 * 16 * 64,
        ),
    ],
    ids=["loads and stores", "calls"],
)
def test_views_are_parts_of_their_buffers(body: str, loaded: int, stored: int):
    """Neighbours in a column are in different lines, and are there for the next columns if the
    cache has four lines (and B, for calls)."""
    function = loop_tree.functions(schedule(VIEWED.format(body)).module)[-1]
    of_b = 256 if "call" in body else 0
    counted = estimate(function, [4 * LINE + of_b - 1, 4 * LINE + of_b, 1 << 20])
    assert (counted.loaded, counted.stored) == (loaded, stored)
    assert counted.footprint == 64 * 64 * 4 + of_b
    accesses = 4 * LINE if "call" in body else 2 * LINE
    assert counted.traffic == (
        16 * 64 * (accesses + of_b),
        64 * 64 * 4 + 16 * of_b,
        counted.footprint,
    )


def test_inlining_shows():
    sch = schedule(CHAIN)
    before = cost(sch, assume={"n": 100})
    sch.compute_inline("B")
    after = cost(sch, assume={"n": 100})
    assert before.allocated == {"global": 400}
    assert after.allocated == {}
    assert (after.loaded, after.stored) == (400, 400)


def test_lines():
    assert cost(schedule(CHAIN), [1 << 15], {"n": 1 << 20}).lines() == [
        "operations   2.097 M",
        "loads        8 MiB",
        "stores       8 MiB",
        "footprint    12 MiB",
        "into L1      16 MiB",
        "allocated    4 MiB (global)",
        "parallel     1 task, 1 lane",
        "assumed      n = 1048576",
    ]


@pytest.mark.parametrize(
    ("count", "shown"), [(0, "0"), (999, "999"), (1000, "1 k"), (2147483648, "2.147 G")]
)
def test_count_text(count, shown):
    assert count_text(count) == shown


@pytest.mark.parametrize(
    ("size", "shown"), [(0, "0 B"), (1000, "1000 B"), (1024, "1 KiB"), (3 << 30, "3 GiB")]
)
def test_size_text(size, shown):
    assert size_text(size) == shown
