"""Nests of loops side by side, as ``merge`` takes them: equally deep and of equal extents."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from kc.analysis import loop_tree
from kc.analysis.instances import Instance, Space, Witness
from kc.dialects.tir import BlockOp, ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.schedule._blocks import describe
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.loops._chain import require_chain


def sibling_nests(site: Site, loops: Sequence[ForOp]) -> list[list[ForOp]]:
    """For each loop, in program order, the loops from where they part down to it."""
    for one in loops:
        if loops.count(one) > 1:
            raise site.refuse("KC3030", f"merge: loop {one.label} is named twice", at=one)
        for other in loops:
            if one is not other and loop_tree.is_inside(one, other):
                raise site.refuse(
                    "KC3451",
                    f"merge: loop {one.label} is inside {other.label}",
                    at=one,
                    mark={one: "here", other: "also named"},
                    why="merged loops stand side by side; fuse makes one of nested loops",
                    hints=[f"fuse loops={other.label},{one.label}"],
                )
    paths = [_path(site, one) for one in loops]
    common = 0
    while all(path[common] is paths[0][common] for path in paths):
        common += 1
    home = paths[0][common].parent
    assert home is not None
    nests: list[list[ForOp]] = []
    for path in paths:
        nest = [op for op in path[common:] if isinstance(op, ForOp)]
        is_apart = path[common].parent is not home or path[common] is not nest[0]
        if is_apart or any(isinstance(op, BlockOp) for op in path[common:]):
            one, other = (nests[0][-1], nest[-1]) if nests else (nest[-1], paths[1][-1])
            raise _not_siblings(site, one, other)
        nests.append(require_chain(site, "merge", nest))
    for nest in nests:
        if len(nest) != len(nests[0]):
            first, other = nests[0][-1], nest[-1]
            raise site.refuse(
                "KC3453",
                f"merge: loops {first.label} and {other.label} are not equally deep",
                at=first,
                mark=to_be_merged([first, other]),
                beside=[other],
                why=f"{len(nests[0])} and {len(nest)} loops, counted from where they part, do not "
                "pair up",
                hints=_pairs(nests[0], nest),
            )
    order = {op: n for n, op in enumerate(home.ops)}
    return sorted(nests, key=lambda nest: order[nest[0]])


def _path(site: Site, loop: ForOp) -> list[Operation]:
    """The ops around ``loop``, outermost first, and the loop."""
    path: list[Operation] = [loop]
    while (parent := path[-1].parent_op()) is not None and parent is not site.function:
        path.append(parent)
    return path[::-1]


def _not_siblings(site: Site, first: Operation, other: Operation) -> ScheduleError:
    return site.refuse(
        "KC3452",
        f"merge: {describe(first)} and {describe(other)} are not in the same block and branch",
        at=first,
        mark={first: "to be merged", other: "to be merged"},
        beside=[other],
        why="only loops that run one after the other can run together",
    )


def _pairs(one: Sequence[ForOp], other: Sequence[ForOp]) -> list[str]:
    depth = min(len(one), len(other)) - 1
    return [f"loops={one[depth].label},{other[depth].label}"]


def to_be_merged(loops: Sequence[ForOp]) -> dict[Operation, str]:
    """Marks for the picture of the loop tree."""
    return dict.fromkeys(loops, "to be merged")


def require_equal_extents(site: Site, nests: Sequence[Sequence[ForOp]]) -> None:
    """Refuse (KC3454) unless the nests run the same iterations, level by level."""
    for nest in nests[1:]:
        space = Space()
        first = space.place(nests[0][0])
        other = space.place(nest[0], first.loops)
        for one, two in zip(nests[0], nest, strict=True):
            sizes = one.extent_value, two.extent_value
            if sizes[0] != sizes[1]:
                texts = [
                    str(size) if isinstance(size, int) else space.value(size, place)
                    for size, place in zip(sizes, (first, other), strict=True)
                ]
                found = space.find([first, other], [f"{texts[0]} != {texts[1]}"])
                if found is not None:
                    shown = [loop_tree.extent_text(size) for size in sizes]
                    raise site.refuse(
                        "KC3454",
                        f"merge: loop {one.label} has {shown[0]} iterations, {two.label} "
                        f"has {shown[1]}",
                        at=one,
                        mark=to_be_merged([one, two]),
                        beside=[two],
                        why=_difference(space, first, found),
                        hints=_cut(one, two),
                    )
            space.enter_loop(one, first)
            space.enter_loop(two, other, first.loops[one])


def _difference(space: Space, place: Instance, found: Witness) -> str:
    if found.undecided is not None:
        return f"they cannot be proven equal: {found.undecided}"
    if any(" #" in name for name in space.parameters):
        return "they cannot be proven equal: they are not affine"
    sizes = ", ".join(f"{name} = {value}" for name, value in space.sizes(found).items())
    where = place.at(found) + (f" for {sizes}" if sizes else "")
    return f"they are not equal{where}" if where else "merged loops run the same iterations"


def _cut(one: ForOp, two: ForOp) -> list[str]:
    """Cutting the longer of two loops, when both are constant."""
    sizes = one.static_extent, two.static_extent
    if sizes[0] is None or sizes[1] is None or 0 in sizes:
        return []
    longer = one if sizes[0] > sizes[1] else two
    return [f"loop_partition first: loop={longer.label} factors={min(sizes[0], sizes[1])},?"]
