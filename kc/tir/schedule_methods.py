"""The methods of kc.tir.Schedule, for editors and type checkers. Made by `make docs`."""

# fmt: off
# ruff: noqa: E501
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc.transforms.schedule._index_map import IndexFunction, IndexMap
from kc.transforms.trace.handles import BlockRV, ExprRV, LoopRV


class ScheduleMethods:
    """The methods made from the declarations of primitives, queries and samplings."""

    def get_block(self, name: str, func_name: str | None = None) -> BlockRV:
        """The block with a name."""
        ...

    def get_loop(self, name: str, func_name: str | None = None, block: BlockRV | str | None = None) -> LoopRV:
        """The loop with a name, around a block or anywhere in the function."""
        ...

    def get_loops(self, block: BlockRV | str) -> list[LoopRV]:
        """The loops around a block, outermost first."""
        ...

    def get_child_blocks(self, block_or_loop: LoopRV | BlockRV | str) -> list[BlockRV]:
        """The blocks in a loop or block."""
        ...

    def get_producers(self, block: BlockRV | str) -> list[BlockRV]:
        """The other blocks that write buffers that a block reads, in program order."""
        ...

    def get_consumers(self, block: BlockRV | str) -> list[BlockRV]:
        """The other blocks that read buffers that a block writes, in program order."""
        ...

    def get_output_blocks(self, scope_block: BlockRV | str | None = None, func_name: str | None = None) -> list[BlockRV]:
        """The blocks with results that are used after the function, or after a block."""
        ...

    def sample_categorical(self, candidates: Sequence[int], probs: Sequence[float], decision: int | None = None) -> ExprRV:
        """Choose one of several numbers by probability."""
        ...

    def sample_perfect_tile(self, loop: LoopRV | str, n: int, max_innermost_factor: int = 16, decision: Sequence[int] | None = None) -> list[ExprRV]:
        """Choose factors whose product is the extent of a loop."""
        ...

    def sample_partitioned_tile(self, loop: LoopRV | str, n: int, partition_pos: int = 0, innerpart_factor: int = 1, decision: Sequence[int] | None = None) -> list[ExprRV]:
        """Choose factors of a loop's extent such that the product of the inner factors is a multiple of a number."""
        ...

    def sample_compute_location(self, block: BlockRV | str, decision: int | None = None) -> LoopRV:
        """Choose where a block is computed: inline, at its current place, or at a loop of its consumers."""
        ...

    def enter_postproc(self) -> None:
        """Mark the end of a schedule's search; the later steps are the same for every choice."""
        ...

    def split(self, loop: LoopRV | str, factors: Sequence[int | ExprRV | str | None] = ..., preserve_unit_iters: bool = True, disable_predication: bool = False, names: Sequence[str] = ..., tighten: bool = False) -> list[LoopRV]:
        """Split a loop into a nest of loops by factors."""
        ...

    def fuse(self, *loops: LoopRV | str | Sequence[LoopRV | str], preserve_unit_iters: bool = True, unsafe: bool = False) -> LoopRV:
        """Fuse nested loops into one."""
        ...

    def reorder(self, *loops: LoopRV | str | Sequence[LoopRV | str], unsafe: bool = False) -> None:
        """Exchange nested loops."""
        ...

    def tile(self, x: LoopRV | str, y: LoopRV | str, x_factor: int = 32, y_factor: int = 32) -> list[LoopRV]:
        """Split two nested loops into tiles."""
        ...

    def parallel(self, loop: LoopRV | str, *, unsafe: bool = False) -> None:
        """Run the iterations of a loop on several threads."""
        ...

    def vectorize(self, loop: LoopRV | str, *, unsafe: bool = False) -> None:
        """Make the iterations of a loop the lanes of vectors."""
        ...

    def unroll(self, loop: LoopRV | str) -> None:
        """Repeat the body of a loop for each iteration."""
        ...

    def add_unit_loop(self, block_or_loop: LoopRV | BlockRV | str) -> LoopRV:
        """Put a loop of one iteration around a block, a loop, or the statements outside all loops."""
        ...

    def loop_partition(self, loop: LoopRV | str, factors: Sequence[int | ExprRV | str | None] = ..., preserve_unit_iters: bool = True) -> list[LoopRV]:
        """Split a loop into consecutive loops."""
        ...

    def merge(self, *loops: LoopRV | str | Sequence[LoopRV | str], blocks: Sequence[BlockRV | str] = ..., unsafe: bool = False) -> LoopRV:
        """Merge sibling loops into one."""
        ...

    def distribute(self, loop: LoopRV | str, block: BlockRV | str, *, unsafe: bool = False) -> list[LoopRV]:
        """Distribute the body of a loop over two loops."""
        ...

    def reverse(self, loop: LoopRV | str, *, unsafe: bool = False) -> LoopRV:
        """Run a loop backwards."""
        ...

    def skew(self, outer: LoopRV | str, inner: LoopRV | str, factor: int = 1) -> LoopRV:
        """Start a loop later in each iteration of a loop around it."""
        ...

    def shift(self, loop: LoopRV | str, by: int = 0, after: int = 0) -> LoopRV:
        """Delay the work of a loop by some iterations."""
        ...

    def unroll_and_jam(self, loop: LoopRV | str, factor: int = 4) -> list[LoopRV]:
        """Unroll a loop and merge the copies inside its inner loops."""
        ...

    def privatize(self, block: BlockRV | str, loop: LoopRV | str, buffer: Any = ..., *, unsafe: bool = False) -> None:
        """Give each iteration of a loop a private copy of a buffer."""
        ...

    def fuse_loops(self, first: LoopRV | str, second: LoopRV | str) -> LoopRV:
        """Fuse two adjacent loops, with the second loop delayed as far as necessary."""
        ...

    def version_loops(self, block: BlockRV | str, exponent: int = -55, through: BlockRV | str | None = None, of_products: bool = False) -> BlockRV:
        """Create two versions of loops, selected by the smallest magnitude that is read."""
        ...

    def compute_at(self, block: BlockRV | str, loop: LoopRV | str, preserve_unit_loops: bool = False, index: int = -1, *, unsafe: bool = False) -> None:
        """Compute a block inside a loop of its consumers."""
        ...

    def compute_inline(self, block: BlockRV | str, *, unsafe: bool = False) -> None:
        """Compute a block at the reads of its elements."""
        ...

    def reverse_compute_at(self, block: BlockRV | str, loop: LoopRV | str, preserve_unit_loops: bool = False, index: int = -1, *, unsafe: bool = False) -> None:
        """Compute a block inside a loop of its producers."""
        ...

    def reverse_compute_inline(self, block: BlockRV | str, *, unsafe: bool = False) -> None:
        """Compute a block in its only producer."""
        ...

    def compute_root(self, block: BlockRV | str, *, unsafe: bool = False) -> None:
        """Compute a block in a separate nest, outside all loops."""
        ...

    def cache_read(self, block: BlockRV | str, read_buffer_index: Any, storage_scope: str = 'global', consumer_blocks: Sequence[BlockRV | str] = ...) -> BlockRV:
        """Copy the parts of a buffer that blocks read into a new buffer, and read them from it."""
        ...

    def cache_write(self, block: BlockRV | str, write_buffer_index: Any = ..., storage_scope: str = 'global', consumer_blocks: Sequence[BlockRV | str] = ...) -> BlockRV:
        """Compute into a new buffer, and copy it to the old one afterwards."""
        ...

    def cache_inplace(self, block: BlockRV | str, read_buffer_index: Any, storage_scope: str = 'global') -> list[BlockRV]:
        """Update a copy of a buffer, and write it back afterwards."""
        ...

    def cache_index(self, block: BlockRV | str, storage_scope: str = 'global', cse_thresh: int = 0) -> list[BlockRV]:
        """Compute index expressions of a block in advance, into buffers that the block reads."""
        ...

    def read_at(self, loop: LoopRV | str, block: BlockRV | str, read_buffer_index: Any, storage_scope: str = 'global') -> BlockRV:
        """Copy the part of a buffer that an iteration of a loop reads, and read it from the copy."""
        ...

    def write_at(self, loop: LoopRV | str, block: BlockRV | str, write_buffer_index: Any = ..., storage_scope: str = 'global') -> BlockRV:
        """Write to a new buffer in an iteration of a loop, and copy it back at its end."""
        ...

    def reindex(self, block: BlockRV | str, buffer: Any) -> BlockRV:
        """Redirect accesses of a block to a new buffer that its variables index."""
        ...

    def reindex_cache_read(self, block: BlockRV | str, read_buffer_index: Any, storage_scope: str, index_map: IndexFunction | IndexMap | str) -> BlockRV:
        """Copy the part of a buffer that a block reads to a new buffer, in a chosen layout."""
        ...

    def reindex_cache_write(self, block: BlockRV | str, write_buffer_index: Any, storage_scope: str, index_map: IndexFunction | IndexMap | str) -> BlockRV:
        """Write to a new buffer in a chosen layout, and copy it back."""
        ...

    def rolling_buffer(self, block: BlockRV | str, write_buffer_index: Any = ..., *, unsafe: bool = False) -> None:
        """Retain elements that the next iteration needs again in a buffer."""
        ...

    def transform_layout(self, block: BlockRV | str, buffer: Any, index_map: IndexFunction | IndexMap | str, pad_value: Any | None = None, assume_injective_transform: bool = False) -> None:
        """Change the layout of a buffer."""
        ...

    def transform_block_layout(self, block: BlockRV | str, index_map: IndexFunction | IndexMap | str) -> None:
        """Iterate a block and its loops over the results of an index map."""
        ...

    def set_axis_separator(self, block: BlockRV | str, buffer: Any, axis_separators: Sequence[int] = ...) -> None:
        """Group dimensions of a buffer into axes of physical memory."""
        ...

    def storage_align(self, block: BlockRV | str, buffer_index: Any, axis: int, factor: int, offset: int = 0) -> None:
        """Set the distance between elements along a dimension of a buffer."""
        ...

    def set_scope(self, block: BlockRV | str, buffer_index: Any, storage_scope: str) -> None:
        """Put a buffer into another memory scope."""
        ...

    def unsafe_set_dtype(self, block: BlockRV | str, buffer_index: Any, dtype: str, unsafe: bool = False) -> None:
        """Store the elements of a buffer in another type."""
        ...

    def reorder_block_iter_var(self, block: BlockRV | str, new_order: Sequence[int]) -> None:
        """Reorder the iteration variables of a block."""
        ...

    def decompose_reduction(self, block: BlockRV | str, loop: LoopRV | str) -> BlockRV | None:
        """Make the initialisation of a reduction a separate block."""
        ...

    def rfactor(self, loop: LoopRV | str, factor_axis: int = 0) -> BlockRV:
        """Make a loop of a reduction spatial, and reduce the partial results."""
        ...

    def fuse_reduction_epilogue(self, reduction_block: BlockRV | str, epilogue_block: BlockRV | str) -> None:
        """Start a reduction from the other operand of its epilogue."""
        ...

    def pad_einsum(self, block: BlockRV | str, padding: Sequence[int]) -> list[BlockRV]:
        """Pad the extents of an einsum to multiples of numbers."""
        ...

    def decompose_padding(self, block: BlockRV | str, loop: LoopRV | str) -> BlockRV:
        """Split a padding block into a block that fills and a block that copies the interior."""
        ...

    def online_softmax(self, block: BlockRV | str, loop: LoopRV | str) -> list[BlockRV]:
        """Compute the maximum, the powers and the sums of a softmax in one loop over a row."""
        ...

    def skip_masked(self, block: BlockRV | str, loop: LoopRV | str, at: LoopRV | str | None = None) -> LoopRV:
        """Leave out iterations of a loop with masked terms, or with results that are never read."""
        ...

    def offset_operand(self, block: BlockRV | str, read_buffer_index: Any) -> list[BlockRV]:
        """Offset a factor of a product by half of its range, from signed to unsigned or back."""
        ...

    def bind(self, loop: LoopRV | str, thread_axis: str, *, unsafe: bool = False) -> None:
        """Bind the iterations of a loop to threads."""
        ...

    def set_store_predicate(self, block: BlockRV | str, condition: str) -> None:
        """Restrict the stores of a block to the threads for which a condition holds."""
        ...

    def blockize(self, target: LoopRV | Sequence[BlockRV | str | str], preserve_unit_iters: bool = True) -> BlockRV:
        """Turn a loop with its contents, or several blocks, into one block."""
        ...

    def tensorize(self, block_or_loop: LoopRV | BlockRV | str, tensor_intrin: Any, preserve_unit_iters: bool = True) -> None:
        """Replace a loop or a block by a tensor intrinsic."""
        ...

    def annotate(self, block_or_loop: LoopRV | BlockRV | str, ann_key: str, ann_val: Any = ...) -> None:
        """Give a loop or a block a named value."""
        ...

    def unannotate(self, block_or_loop: LoopRV | BlockRV | str, ann_key: str) -> None:
        """Remove an annotation from a loop or a block."""
        ...

    def pragma(self, loop: LoopRV | str, pragma_type: str, pragma_value: Any = ...) -> None:
        """Give a loop a pragma."""
        ...

    def prefetch(self, block: BlockRV | str, buffer: Any, loop: LoopRV | str, offset: int = 1) -> None:
        """Prefetch the elements that a block will read into the cache."""
        ...

    def double_buffer(self, block: BlockRV | str, buffer_index: Any = ...) -> None:
        """Fill a buffer for the next iteration while the current iteration reads it."""
        ...
