"""Tensor expressions as JSON, by an explicit schema: reading a text executes no code from it.

A text names classes of the table :data:`_CLASSES` and their fields, but no function, module or
file. Each field is checked against its type, and each node against the rules of its class, before
anything uses the node. Nodes refer to earlier nodes; only a schedule, its stages and its groups
refer to each other.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from types import NoneType
from typing import Any, get_type_hints

from kc.dialects.te.compute import Combiner
from kc.expr import nodes
from kc.expr.arithmetic import Equality
from kc.expr.buffers import Buffer, buffer_scope
from kc.expr.constructors import const
from kc.expr.dtypes import check_dtype
from kc.expr.nodes import Domain, Expr, IterVar, OperatorName, Size, Var
from kc.expr.operators import Operators
from kc.expr.relations import Fuse, Singleton, Split, Transform
from kc.expr.scalar_ops import BINARY_INTRINSICS, INTRINSICS, SIGNED_OPS
from kc.expr.slices import TensorSlice
from kc.expr.tensor import (
    ComputeOp,
    Operation,
    PlaceholderOp,
    ScanOp,
    Tensor,
    TileCall,
    check_name,
    check_shape,
)
from kc.expr.threads import ThreadAxis
from kc.support.diagnostics import InputError, Location, TEError
from kc.support.field_types import is_of
from kc.support.locations import caller_location
from kc.te.axes import Record
from kc.te.schedule import Schedule
from kc.te.stage import Attach, Group, Stage

_DATACLASSES = (
    *(nodes.Const, nodes.Var, nodes.IterVar, nodes.Binary, nodes.Compare, nodes.Call),
    *(nodes.BufferAccess, nodes.ExternCall, nodes.Cast, nodes.Broadcast, nodes.Ramp),
    *(nodes.SelectExpr, nodes.IfThenElse, nodes.Element, nodes.VectorLoad, nodes.Shuffle),
    *(nodes.CommReducer, nodes.Reduce, ThreadAxis, PlaceholderOp, ComputeOp, ScanOp, TileCall),
    *(Split, Fuse, Singleton, Transform, Record, Attach),
)
_FIELDS: dict[type, dict[str, Any]] = {
    Tensor: {"op": Operation, "value_index": int},
    Buffer: {
        "op": PlaceholderOp,
        "value_index": int,
        "_scope": str,
        "declared_strides": tuple[int | Var, ...] | None,
        "is_input": bool,
    },
    TensorSlice: {
        "tensor": Tensor,
        "indices": tuple[Operators | int, ...],
        "location": Location | None,
    },
    Equality: {
        "_op": str,
        "_lhs": Operators | int | float,
        "_rhs": Operators | int | float,
        "_location": Location | None,
    },
    Schedule: {
        "outputs": list[Operation],
        "stage_map": dict[Operation, Stage],
        "groups": list[Group],
        "stages": list[Stage],
    },
    Group: {
        "schedule": Schedule,
        "ops": list[Operation],
        "group": Group | None,
        "attach": Attach | None,
    },
    Stage: {
        "op": Operation,
        "scan": ScanOp | None,
        "origin_op": Operation,
        "schedule": Schedule | None,
        "_gone": dict[IterVar, str],
        "leaf_iter_vars": list[IterVar],
        "all_iter_vars": list[IterVar],
        "records": list[Record],
        "_kinds": dict[IterVar, str],
        "attach": Attach | None,
        "group": Group | None,
        "scope": str,
        "store_predicate": Any,
        "threads": list[ThreadAxis],
        "scope_location": Location | None,
        "storage": list[Record],
    },
}
_CLASSES: dict[str, type] = {kind.__name__: kind for kind in (*_DATACLASSES, *_FIELDS)}
_LINKED = (Schedule, Group, Stage, Attach)
"""The classes whose instances may refer to nodes that follow in the text."""
_OPTIONAL = {Buffer: ("declared_strides", "is_input")}
_MADE_AGAIN = ("_tensors",)
"""Attributes that an operation caches, and that reading its tensors sets again."""


class _NotData(Exception):
    """A value that cannot be written as data; its argument describes the value for the
    diagnostic.
    """


class _Wrong(Exception):
    """The reason why a text is no tensor expression."""


def to_json(node: Any) -> dict[str, Any]:
    """An expression, a tensor, an operation or a ``te.Schedule`` as JSON data.

    Raises InputError KC0082 for a node that contains code: a ``te.extern`` of statements, a user's
    gradient rule, a call of a declared tensor intrinsic.
    """
    try:
        order = _in_order(node)
        places = {id(part): n for n, part in enumerate(order)}
        written = [_node(part, places) for part in order]
    except _NotData as error:
        raise InputError(
            "KC0082",
            f"save_json: {error.args[0]} is not data",
            location=caller_location(),
            why="tensor expressions are saved as data, not the code of functions",
            hints=["kc.ir.save_json(kc.lower(s, args)) saves the loops"],
        ) from None
    return {"nodes": written, "root": places[id(node)]}


def from_json(data: Any) -> Any:
    """The node that :func:`to_json` wrote. Raises ValueError, with the reason, for other data."""
    try:
        return _read(data)
    except (_Wrong, TEError) as error:
        raise ValueError(getattr(error, "message", None) or error.args[0]) from error


# Writing -----------------------------------------------------------------------------------------


def _in_order(root: Any) -> list[Any]:
    """All nodes that ``root`` refers to, each after its operands (except for :data:`_LINKED`)."""
    order: list[Any] = []
    begun: set[int] = set()
    stack = [(root, False)]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            order.append(node)
        elif id(node) not in begun:
            begun.add(id(node))
            stack.append((node, True))
            parts = [part for value in _values(node).values() for part in _nodes_in(value)]
            stack.extend((part, False) for part in reversed(parts))
    return order


def _values(node: Any) -> dict[str, Any]:
    """The fields of a node that are set."""
    kind = type(node)
    if _CLASSES.get(kind.__name__) is not kind:
        name = getattr(node, "name", None)
        raise _NotData(f"a value of {kind.__name__}" + (f", {name}," if name else ""))
    fields, optional = _fields(kind), _OPTIONAL.get(kind, ())
    for name in vars(node):
        if name not in fields and name not in _MADE_AGAIN:
            raise _NotData(f"{name} of a value of {kind.__name__}")
    return {
        name: getattr(node, name) for name in fields if name not in optional or name in vars(node)
    }


def _nodes_in(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _nodes_in(key)
            yield from _nodes_in(entry)
    elif isinstance(value, list | tuple | set | frozenset):
        for entry in value:
            yield from _nodes_in(entry)
    elif not _is_plain(value):
        yield value


def _is_plain(value: Any) -> bool:
    return isinstance(value, Location) or type(value) in (
        *(NoneType, bool, int, float, str, bytes, Size, OperatorName),
    )


def _node(node: Any, places: Mapping[int, int]) -> dict[str, Any]:
    fields = {name: _value(value, places) for name, value in _values(node).items()}
    return {"class": type(node).__name__, **fields}


def _value(value: Any, places: Mapping[int, int]) -> Any:
    kind = type(value)
    if kind is float and not math.isfinite(value):
        return {"float": repr(value)}
    if kind in (NoneType, bool, int, float, str):
        return value
    if kind is list:
        return [_value(entry, places) for entry in value]
    if kind is dict:
        pairs = [[_value(key, places), _value(entry, places)] for key, entry in value.items()]
        return {"dict": pairs}
    if kind is Location:
        return {"location": [value.file, value.line, value.column]}
    if kind is bytes:
        return {"bytes": value.hex()}
    if kind is Size:
        return {"size": int(value)}
    if kind is OperatorName:
        return {"operator": str(value)}
    for name, container in _CONTAINERS.items():
        if kind is container:
            return {name: [_value(entry, places) for entry in value]}
    if id(value) not in places:
        raise _NotData(f"a value of {kind.__name__}")
    return {"node": places[id(value)]}


_CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "domain": Domain,
    "set": set,
    "frozenset": frozenset,
}


# Reading -----------------------------------------------------------------------------------------


def _read(data: Any) -> Any:
    if not isinstance(data, dict) or not isinstance(data.get("nodes"), list):
        raise _Wrong('tensor expressions are an object with the keys "nodes" and "root"')
    written: list[Any] = data["nodes"]
    kinds = [_kind_of(fields) for fields in written]
    read: list[Any] = [object.__new__(kind) for kind in kinds]
    for n, (node, kind, fields) in enumerate(zip(read, kinds, written, strict=True)):
        linked = read if kind in _LINKED else read[:0]
        reader = _Reader(read, len(read) if linked is read else n)
        _fill(node, kind, fields, reader)
        if kind not in _LINKED:
            _check(node)
    for node in read:
        if isinstance(node, _LINKED):
            _check_linked(node)
    root = _Reader(read, len(read)).value({"node": data.get("root")})
    if not isinstance(root, Operators | Operation | Schedule | Tensor):
        raise _Wrong(f"the root is a {type(root).__name__}")
    return root


def _kind_of(fields: Any) -> type:
    name = fields.get("class") if isinstance(fields, dict) else None
    kind = _CLASSES.get(name) if isinstance(name, str) else None
    if kind is None:
        raise _Wrong(f"{name!r:.60} is not a class of tensor expressions")
    return kind


def _fill(node: Any, kind: type, stored: Mapping[str, Any], reader: _Reader) -> None:
    fields, optional = _fields(kind), _OPTIONAL.get(kind, ())
    names = {name for name in stored if name != "class"}
    missing = [name for name in fields if name not in names and name not in optional]
    unknown = sorted(names - set(fields))
    if missing or unknown:
        raise _Wrong(
            f"a {kind.__name__} {'without' if missing else 'with'} {(missing + unknown)[0]!r:.60}"
        )
    for name in fields:
        if name in names:
            value = reader.value(stored[name])
            if not is_of(value, fields[name]):
                raise _Wrong(f"{name} of a {kind.__name__} is a {type(value).__name__}")
            object.__setattr__(node, name, value)  # also of frozen ones


class _Reader:
    """Reads values that refer to the first ``count`` of ``nodes``."""

    def __init__(self, nodes: list[Any], count: int) -> None:
        self.nodes = nodes
        self.count = count

    def value(self, data: Any) -> Any:
        """The value that ``data`` encodes."""
        if isinstance(data, list):
            return [self.value(entry) for entry in data]
        if not isinstance(data, dict):
            return data
        if len(data) != 1:
            raise _Wrong(f"a value has {len(data)} keys, must have 1")
        ((name, content),) = data.items()
        if name == "node" and type(content) is int and 0 <= content < self.count:
            return self.nodes[content]
        if name == "size" and type(content) is int:
            return Size(content)
        if name == "operator" and type(content) is str:
            return OperatorName(content)
        if name == "float" and content in ("inf", "-inf", "nan"):
            return float(content)
        if name == "bytes" and type(content) is str:
            return bytes.fromhex(content)
        if isinstance(content, list):
            return self._several(name, [self.value(entry) for entry in content])
        raise _Wrong(f"{name!r:.60} of {content!r:.60} is not a value")

    def _several(self, name: str, entries: list[Any]) -> Any:
        if name == "location" and is_of(entries, list[str | int]) and len(entries) == 3:
            file, line, column = entries
            if isinstance(file, str) and isinstance(line, int) and isinstance(column, int):
                return Location(file, line, column)
        elif name == "domain" and len(entries) != 2:
            pass
        else:
            pairs = name == "dict" and all(
                type(entry) is list and len(entry) == 2 for entry in entries
            )
            with suppress(TypeError):  # an unhashable key
                if pairs:
                    return dict(entries)
                if name in _CONTAINERS:
                    return _CONTAINERS[name](entries)
        raise _Wrong(f"{name!r:.60} of {len(entries)} values is not a value")


@cache
def _fields(kind: type) -> dict[str, Any]:
    """The fields of a class of the table, with their types."""
    if kind in _FIELDS:
        return _FIELDS[kind]
    namespace = {**_CLASSES, "Operation": Operation, "Expr": Expr, "Callable": Callable}
    hints = get_type_hints(kind, localns=namespace)
    # the loop decides the extent of an axis from a split, and of a thread axis
    if issubclass(kind, IterVar):
        hints["extent"] = Operators | int | None
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


# What holds of nodes -----------------------------------------------------------------------------

_KINDS = (*nodes.ITER_TYPES, "ordered")
_BINARY = {*SIGNED_OPS, "div", "floordiv", "floormod", "truncdiv", "truncmod"}
_CALLS = {*INTRINSICS, *BINARY_INTRINSICS, "shl", "shr", "iabs", "neg", "sigmoid", "reinterpret"}


def _require(condition: bool, why: str) -> None:
    if not condition:
        raise _Wrong(why)


def _check(node: Any) -> None:
    """Refuse a node whose fields have the right types but do not fit together."""
    if isinstance(node, Expr | Operation):
        if node.dtype not in ("void", "handle"):
            check_dtype(node.dtype, vectors=True)
    if isinstance(node, nodes.Var | IterVar | Operation):
        check_name(node.name, None)
    if isinstance(node, nodes.Const):
        number = const(node.value, node.dtype).value
        same = number == node.value or (number != number and node.value != node.value)
        _require(same, f"{node.value} is not a value of {node.dtype}")
    elif isinstance(node, IterVar):
        _require(node.kind in _KINDS, f"an axis is {node.kind!r:.60}")
    elif isinstance(node, nodes.Binary):
        _require(node.op in _BINARY, f"{node.op!r:.60} is not an operation")
    elif isinstance(node, nodes.Compare):
        _require(node.op in nodes._COMPARISONS, f"{node.op!r:.60} is not a comparison")
    elif isinstance(node, Equality):
        _require(node._op in ("eq", "ne"), f"{node._op!r:.60} is not a comparison")
    elif isinstance(node, nodes.Call):
        is_valid = node.op in _CALLS or node.op.startswith(("ir.", "ir_index."))
        _require(is_valid and len(node.args) > 0, f"{node.op!r:.60} is not a function")
    elif isinstance(node, nodes.Element):
        _require(len(node.indices) == node.tensor.ndim, f"an element of {node.tensor.name}")
    elif isinstance(node, nodes.Reduce):
        is_valid = not isinstance(node.combiner, str) or node.combiner in set(Combiner)
        _require(is_valid, f"{node.combiner!r:.60} is not a combiner")
        _require(0 <= node.value_index < len(node.values), "a result of a reduction")
    elif isinstance(node, Tensor):
        _tensor(node)
    elif isinstance(node, Operation):
        _operation(node)
    elif isinstance(node, Split):
        _require((node.factor is None) != (node.nparts is None), "a split has one factor")


def _tensor(tensor: Tensor) -> None:
    index = tensor.value_index
    _require(0 <= index < tensor.op.num_outputs, f"{tensor.op.name} has no output {index}")
    outputs = vars(tensor.op).setdefault("_tensors", {})
    _require(index not in outputs, f"the output {index} of {tensor.op.name} is listed twice")
    outputs[index] = tensor
    if isinstance(tensor, Buffer):
        buffer_scope(tensor._scope, tensor.op.name)


def _operation(op: Operation) -> None:
    check_shape(op.shape, op.name, None)
    if isinstance(op, ComputeOp):
        _require(len(op.bodies) > 0, f"{op.name} has no body")
        _require(len(op.axis) == len(op.shape), f"{op.name} has {len(op.axis)} axes")
    if isinstance(op, ScanOp):
        counts = {len(op.init), len(op.update), len(op.state_placeholder)}
        _require(len(counts) == 1 and counts != {0}, f"the states of {op.name}")


def _check_linked(node: Any) -> None:
    """Refuse a schedule that has stages of another schedule, or of operations that it lacks."""
    if isinstance(node, Schedule):
        stages = {id(stage) for stage in node.stage_map.values()}
        _require(
            all(stage.schedule is node and id(stage) in stages for stage in node.stages)
            and all(stage.schedule is node for stage in node.stage_map.values())
            and all(op in node.stage_map for op in node.outputs),
            "the stages of a schedule",
        )
    elif isinstance(node, Attach):
        _require(node.kind in ("at", "inline"), f"a stage is computed {node.kind!r:.60}")
        _require((node.kind == "at") == (node.parent is not None), "where a stage is computed")
    elif isinstance(node, Stage):
        _require(node.schedule is not None, "a stage without a schedule")
