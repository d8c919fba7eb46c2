"""Random typed graphs: up to 30 operators with sharing, tuples, and ``if``.

``random_graph(seed)`` is a text of one function @main; its values are small, so that differences
of rounding stay small. All operators are pure.
"""

import random

ROWS, COLUMNS = 4, 8
MATRIX = f"tensor<{ROWS}x{COLUMNS}xf32>"
TURNED = f"tensor<{COLUMNS}x{ROWS}xf32>"
COLUMN = f"tensor<{ROWS}x1xf32>"
HALF = f"tensor<{ROWS}x{COLUMNS // 2}xf32>"
SQUARE = f"tensor<{COLUMNS}x{COLUMNS}xf32>"
ROW = f"tensor<{COLUMNS}xf32>"
SCALAR = "tensor<f32>"

UNARY = ("tanh", "sigmoid", "negative", "nn.relu", "nn.softmax", "abs")
BINARY = ("add", "multiply", "subtract", "maximum")
ARGUMENTS = (("x", MATRIX), ("y", MATRIX), ("w", SQUARE), ("b", ROW), ("c", "tensor<i1>"))


class _Writer:
    def __init__(self, rng, size):
        self.rng = rng
        self.left = size
        self.count = 0
        self.lines = []

    def emit(self, indent, text):
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"{indent}{name} = {text}")
        return name

    def operator(self, indent, operator, operands, result, attributes=""):
        names = ", ".join(name for name, _ in operands)
        types = ", ".join(type_ for _, type_ in operands)
        self.left -= 1
        return self.emit(indent, f"graph.{operator}({names}){attributes} : ({types}) -> {result}")

    def matrix(self, indent, values, depth):
        """Add a computation of a matrix; its name."""
        rng = self.rng

        def some():
            # Later values are taken more often: chains, and still sharing.
            return rng.choice(values[-4:] if rng.random() < 0.6 else values), MATRIX

        kind = rng.choice(
            ["unary"] * 4
            + ["binary"] * 4
            + ["row", "scalar", "column", "turn", "halves", "tuple", "dense", "if"]
        )
        match kind:
            case "unary":
                return self.operator(indent, rng.choice(UNARY), [some()], MATRIX)
            case "row":
                return self.operator(indent, rng.choice(BINARY), [some(), ("%b", ROW)], MATRIX)
            case "scalar":
                value = rng.choice(("0.5", "2.0"))
                constant = self.emit(indent, f"graph.constant dense<{value}> : {SCALAR}")
                return self.operator(indent, "multiply", [some(), (constant, SCALAR)], MATRIX)
            case "column":
                operand = some()
                reduced = self.operator(
                    indent, "mean", [operand], COLUMN, " <axis = [1], keepdims = true>"
                )
                second = operand if rng.random() < 0.5 else some()
                return self.operator(indent, "subtract", [second, (reduced, COLUMN)], MATRIX)
            case "turn":
                turned = self.operator(indent, "transpose", [some()], TURNED)
                changed = self.operator(indent, "tanh", [(turned, TURNED)], TURNED)
                return self.operator(indent, "transpose", [(changed, TURNED)], MATRIX)
            case "halves":
                pair = f"tuple<{HALF}, {HALF}>"
                parts = self.operator(
                    indent, "split", [some()], pair, " <indices_or_sections = 2, axis = 1>"
                )
                halves = [
                    self.emit(indent, f"graph.tuple_get_item {parts}[{index}] : {pair}")
                    for index in (1, 0)
                ]
                if rng.random() < 0.5:
                    halves[0] = self.operator(indent, "tanh", [(halves[0], HALF)], HALF)
                return self.operator(
                    indent,
                    "concatenate",
                    [(half, HALF) for half in halves],
                    MATRIX,
                    " <axis = 1>",
                )
            case "tuple":
                (left, _), (right, _) = some(), some()
                pair = self.emit(indent, f"graph.tuple({left}, {right}) : {MATRIX}, {MATRIX}")
                return self.emit(
                    indent,
                    f"graph.tuple_get_item {pair}[{rng.randrange(2)}] : tuple<{MATRIX}, {MATRIX}>",
                )
            case "dense":
                product = self.operator(indent, "nn.dense", [some(), ("%w", SQUARE)], MATRIX)
                return self.operator(indent, "tanh", [(product, MATRIX)], MATRIX)
            case "if" if depth < 2:
                name = f"%v{self.count}"
                self.count += 1
                self.lines.append(f"{indent}{name} = graph.if %c -> {MATRIX} {{")
                self.branch(indent, values, depth)
                self.lines.append(f"{indent}}} else {{")
                self.branch(indent, values, depth)
                self.lines.append(f"{indent}}}")
                return name
            case _:
                return self.operator(indent, rng.choice(BINARY), [some(), some()], MATRIX)

    def branch(self, indent, values, depth):
        inner = list(values)
        for _ in range(self.rng.randint(0, 3)):
            inner.append(self.matrix(indent + "  ", inner, depth + 1))
        self.lines.append(f"{indent}  graph.yield {inner[-1]} : {MATRIX}")


def random_graph(seed: int, size: int = 30) -> str:
    """The text of a graph of about 1 to ``size`` operators, the same for the same seed."""
    rng = random.Random(seed)
    writer = _Writer(rng, rng.randint(1, size - 4))
    values = ["%x", "%y"]
    while writer.left > 0:
        values.append(writer.matrix("  ", values, 0))
    arguments = ", ".join(f"%{name}: {type_}" for name, type_ in ARGUMENTS)
    result, type_ = values[-1], MATRIX
    if rng.random() < 0.3:
        second = rng.choice(values)
        type_ = f"tuple<{MATRIX}, {MATRIX}>"
        result = writer.emit("  ", f"graph.tuple({result}, {second}) : {MATRIX}, {MATRIX}")
    body = "\n".join(writer.lines)
    return (
        f"graph.func @main({arguments}) -> {type_} {{\n{body}\n"
        f"  graph.return {result} : {type_}\n}}\n"
    )


def random_arguments(seed: int) -> list:
    """Arrays for the arguments of :func:`random_graph`."""
    import numpy as np

    rng = np.random.default_rng(seed)

    def array(*shape):
        return rng.uniform(-1, 1, shape).astype(np.float32)

    condition = np.array(bool(seed % 2))
    return [
        array(ROWS, COLUMNS),
        array(ROWS, COLUMNS),
        array(COLUMNS, COLUMNS),
        array(COLUMNS),
        condition,
    ]
