"""A compiled graph in the JSON of TVM's graph executor, for programs that read it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kc.building.graphs.memory_plan import MemoryPlan
from kc.building.graphs.program import Buffer, Launch, Place, View, all_steps
from kc.support.diagnostics import GraphError
from kc.support.locations import location_of

if TYPE_CHECKING:
    from kc.building.graphs.compiled_graph import CompiledGraph


def graph_json(compiled: CompiledGraph) -> str:
    """Nodes, arguments, heads, and for each value its shape, dtype and storage.

    Inputs and constants are nodes without a kernel. Raises GraphError KC2452 for a graph with
    branches, loops or sizes with names, which this form does not have.
    """
    program = compiled.program
    plan: MemoryPlan = compiled.memory_plan
    steps = list(program.steps)
    if list(all_steps(program.steps)) != steps or not isinstance(plan.arena_bytes, int):
        raise GraphError(
            "KC2452",
            f"@{program.function.sym_name.data} is not a list of kernels",
            location=location_of(program.function),
            why="graphs with branches, loops or sizes with names have no form in JSON",
            hints=['get_source("graph")'],
        )
    nodes: list[dict[str, Any]] = []
    rows: list[int] = [0]
    values: dict[tuple[Buffer, Any], list[int]] = {}
    shapes: list[list[int]] = []
    dtypes: list[str] = []
    storage: list[int] = []
    places: dict[Any, int] = {}

    def value(view: View, node: int, number: int) -> None:
        resolved = view.resolved
        offset = next(
            (
                allocation.offset
                for allocation in plan.allocations
                if allocation.buffer is resolved.buffer
            ),
            None,
        )
        place = offset if resolved.buffer.place is Place.ARENA else resolved.buffer
        values[resolved.buffer, resolved.offset] = [node, number, 0]
        shapes.append([int(size) for size in view.spec.shape])  # pyright: ignore[reportArgumentType]
        dtypes.append(view.spec.dtype)
        storage.append(places.setdefault(place, len(places)))

    def entry(view: View) -> list[int]:
        resolved = view.resolved
        listed_entry = values.get((resolved.buffer, resolved.offset))
        return listed_entry or next(
            place for (buffer, _), place in values.items() if buffer is resolved.buffer
        )

    for buffer in (*program.inputs, *program.constants):
        value(View(buffer, 0, buffer.spec), len(nodes), 0)
        nodes.append({"op": "null", "name": buffer.name, "inputs": []})
        rows.append(len(shapes))
    arguments = list(range(len(nodes)))
    for step in all_steps(program.steps):
        is_launch = isinstance(step, Launch)
        sources = step.inputs if is_launch else [step.source]
        targets = step.outputs if is_launch else [step.target]
        name = compiled.kernel_of(step).name if is_launch else "__copy"
        attrs = {
            "func_name": name,
            "num_inputs": str(len(sources)),
            "num_outputs": str(len(targets)),
            "flatten_data": "0",
        }
        inputs = [entry(view) for view in sources]
        for number, view in enumerate(targets):
            value(view, len(nodes), number)
        node = {"op": "tvm_op", "name": name, "attrs": attrs, "inputs": inputs}
        nodes.append(node)
        rows.append(len(shapes))
    heads = [entry(View(buffer, 0, buffer.spec)) for buffer in program.outputs]
    attributes = {
        "dltype": ["list_str", dtypes],
        "shape": ["list_shape", shapes],
        "storage_id": ["list_int", storage],
    }
    return json.dumps(
        {
            "nodes": nodes,
            "arg_nodes": arguments,
            "heads": heads,
            "attrs": attributes,
            "node_row_ptr": rows,
        },
        indent=2,
    )
