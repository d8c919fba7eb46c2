"""``tvm.contrib.graph_executor``: a compiled graph whose inputs are set and whose outputs are read.

::

    lib = relay.build(mod, target="llvm", params=params)
    module = graph_executor.GraphModule(lib["default"](kc.cpu()))
    module.set_input("data", x)
    module.run()
    y = module.get_output(0)

``run`` calls the compiled function. :meth:`GraphModule.run_individual` and
:meth:`GraphModule.profile` run the same plan kernel by kernel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kc.building.graphs.compiled_graph import CompiledGraph, Runtime
from kc.building.graphs.program import Launch
from kc.building.graphs.stepping import Steps, StepTime
from kc.runtime.array import NDArray, array, empty
from kc.runtime.module import Module
from kc.runtime.param_dict import load_param_dict
from kc.runtime.signature import ArgSpec, Signature, evaluate, symbols_of
from kc.runtime.timing import BenchmarkResult
from kc.support.diagnostics import CallError, suggest
from kc.support.display import to_table

__all__ = ["GraphModule", "create"]


def create(graph_json_str: str, libmod: Any, device: Any) -> GraphModule:
    """The executor of what ``relay.build`` was unpacked to (TVM: ``create``).

    The graph is that of ``libmod``; the text is not needed.
    """
    del graph_json_str
    return GraphModule(Runtime(libmod, device))


class GraphModule:
    """Holds the inputs and the outputs of a compiled graph.

    ``module`` is ``lib["default"](device)``, or a compiled module itself, also one that was loaded
    from a file: kernels of that one cannot be run alone.
    """

    def __init__(self, module: Runtime | CompiledGraph | Module) -> None:
        """Raises CallError KC5153 for anything else."""
        if isinstance(module, Runtime):
            module = module.compiled
        if not isinstance(module, Module):
            raise CallError(
                "KC5153",
                f"GraphModule: {type(module).__name__} is not a compiled graph",
                hints=['GraphModule(lib["default"](kc.cpu()))'],
            )
        self.module = module
        self._function: Any = module[module.entry_name]
        signature: Signature = self._function.signature
        self._inputs = [spec for spec in signature.args if spec.role == "in"]
        self._outputs = [spec for spec in signature.args if spec.role == "out"]
        self._values: dict[str, NDArray] = {}
        self._results: list[NDArray] = []
        self._between: dict[str, list[Any]] = {}
        self._steps = Steps(module) if isinstance(module, CompiledGraph) else None

    # Inputs --------------------------------------------------------------------------------

    def set_input(self, key: str | int | None = None, value: Any = None, **params: Any) -> None:
        """Set an input by its name or number, and inputs by keywords: the values are copied.

        A parameter that was bound by the build may be given again with the same elements. Raises
        CallError KC5154 for another name, and the errors of a call when it is run.
        """
        values = dict(params)
        if key is not None:
            values[key if isinstance(key, str) else self._name(key)] = value
        self._set(values)

    def _set(self, values: Mapping[str, Any]) -> None:
        for name, each in values.items():
            spec = next((spec for spec in self._inputs if spec.name == name), None)
            if spec is not None:
                self._values[name] = array(each, dtype=spec.dtype)
            elif not self._is_bound(name, each):
                raise self._unknown(name)

    def load_params(self, params_bytes: bytes | bytearray) -> None:
        """Set the inputs that are in the bytes of ``save_param_dict``. Raises KC5143, KC5154."""
        self._set(load_param_dict(params_bytes))

    def get_num_inputs(self) -> int:
        """The number of inputs."""
        return len(self._inputs)

    def get_input_index(self, name: str) -> int:
        """The number of an input; -1 if there is none of this name."""
        return next((n for n, spec in enumerate(self._inputs) if spec.name == name), -1)

    def get_input_info(self) -> tuple[dict[str, tuple[Any, ...]], dict[str, str]]:
        """The shapes and the dtypes of the inputs, by name."""
        shapes = {spec.name: spec.shape for spec in self._inputs}
        return shapes, {spec.name: spec.dtype for spec in self._inputs}

    def get_input(self, index: int | str, out: NDArray | None = None) -> NDArray:
        """An input that was set. Raises CallError KC5154 for another, KC5155 for one not set."""
        name = index if isinstance(index, str) else self._name(index)
        if self.get_input_index(name) < 0:
            raise self._unknown(name)
        if name not in self._values:
            raise self._missing([name])
        return _copied(self._values[name], out)

    # Running -------------------------------------------------------------------------------

    def run(self, **input_dict: Any) -> None:
        """Set inputs by keywords, and run. Raises CallError KC5155 for inputs that are not set, and
        the errors of a call for arrays that do not fit."""
        self._set(input_dict)
        result = self._function(*self._arguments())
        self._results = list(result) if isinstance(result, tuple) else [result]

    def get_num_outputs(self) -> int:
        """The number of outputs."""
        return len(self._outputs)

    def get_output(self, index: int, out: NDArray | None = None) -> NDArray:
        """An output of the last run. Raises CallError KC5155 before the first one."""
        if not self._results:
            raise CallError("KC5155", "get_output: the graph has not run", hints=["module.run()"])
        if not 0 <= index < len(self._results):
            raise CallError(
                "KC5154", f"there is no output {index}", why=f"there are {len(self._results)}"
            )
        return _copied(self._results[index], out)

    def benchmark(
        self,
        device: Any = None,
        func_name: str = "run",
        repeat: int = 5,
        number: int = 5,
        min_repeat_ms: float | None = None,
        **more: Any,
    ) -> BenchmarkResult:
        """The times of the compiled function, as of :meth:`kc.runtime.Module.time_evaluator`."""
        del device, func_name
        more.pop("end_to_end", None)
        arguments = self._arguments()
        outputs = [empty(self._shape(spec, arguments), spec.dtype) for spec in self._outputs]
        evaluate_ = self.module.time_evaluator(
            self.module.entry_name,
            number=number,
            repeat=repeat,
            min_repeat_ms=min_repeat_ms or 0,
            **more,
        )
        return evaluate_(*arguments, *outputs)

    # Step by step --------------------------------------------------------------------------

    def run_individual(self, number: int = 10, repeat: int = 1) -> list[float]:
        """The milliseconds of each kernel, the least of ``repeat`` means of ``number`` runs.

        Raises CallError KC5156 for a graph that was loaded from a file.
        """
        times: list[list[float]] = []
        for _ in range(repeat):
            runs = [[step.seconds for step in self._stepped()] for _ in range(number)]
            times.append([1e3 * sum(column) / number for column in zip(*runs, strict=True)])
        return [min(column) for column in zip(*times, strict=True)]

    def profile(self, **input_dict: Any) -> Profile:
        """Run kernel by kernel: a table of their times. Raises CallError KC5156, as above."""
        self._set(input_dict)
        self._stepped()  # the kernels are compiled, and caches are warm
        return Profile(self._stepped())

    def debug_get_output(self, node: str, out: NDArray | None = None) -> NDArray:
        """The result of the first kernel of this name in the last :meth:`profile`; of several
        results the first. Raises CallError KC5154 for another name."""
        if node not in self._between:
            hints = suggest(node, list(self._between), "the kernels are")
            raise CallError("KC5154", f"no kernel '{node}' has run step by step", hints=hints)
        return _copied(array(self._between[node][0]), out)

    def _stepped(self) -> list[StepTime]:
        if self._steps is None:
            raise CallError(
                "KC5156",
                "a graph in a file cannot be run kernel by kernel",
                why="the file has one function, whose kernels are parts of it",
                hints=["use the module that relay.build or kc.graph.build returned"],
            )
        arguments = [value.numpy() for value in self._arguments()]
        outputs = [
            empty(self._shape(spec, arguments), spec.dtype).numpy() for spec in self._outputs
        ]
        self._between = {}

        def keep(step: Launch, results: list[Any]) -> None:
            assert isinstance(self.module, CompiledGraph)
            name = self.module.kernel_of(step).name
            self._between.setdefault(name, [result.copy() for result in results])

        steps = self._steps.run(arguments, outputs, self._sizes(arguments), after=keep)
        self._results = [array(output) for output in outputs]
        return steps

    # Parts ---------------------------------------------------------------------------------

    def _arguments(self) -> list[NDArray]:
        missing = [spec.name for spec in self._inputs if spec.name not in self._values]
        if missing:
            raise self._missing(missing)
        return [self._values[spec.name] for spec in self._inputs]

    def _sizes(self, arguments: Sequence[Any]) -> dict[str, int]:
        return {
            size: value.shape[axis]
            for spec, value in zip(self._inputs, arguments, strict=True)
            for axis, size in enumerate(spec.shape)
            if isinstance(size, str)
        }

    def _shape(self, spec: ArgSpec, arguments: Sequence[Any]) -> tuple[int, ...]:
        sizes = self._sizes(arguments)
        assert all(name in sizes for size in spec.shape for name in symbols_of(size))
        return tuple(evaluate(size, sizes) or 0 for size in spec.shape)

    def _name(self, index: int) -> str:
        if not 0 <= index < len(self._inputs):
            raise CallError(
                "KC5154", f"there is no input {index}", why=f"there are {len(self._inputs)}"
            )
        return self._inputs[index].name

    def _is_bound(self, name: str, value: Any) -> bool:
        """True for a parameter that the build has bound. Raises CallError KC5157 for elements that
        are not those."""
        import numpy as np

        params: Mapping[str, Any] = getattr(self.module, "params", {})
        if name not in params:
            return False
        param, array = (np.asarray(each) for each in (params[name], value))
        if param.shape != array.shape or param.tobytes() != array.astype(param.dtype).tobytes():
            raise CallError(
                "KC5157",
                f"set_input: {name} was bound by the build",
                why="its elements are constants of the code",
                hints=[f"build without {name} in params, so that it is an input"],
            )
        return True

    def _unknown(self, name: str) -> CallError:
        names = [spec.name for spec in self._inputs]
        return CallError(
            "KC5154",
            f"the graph has no input '{name}'",
            hints=suggest(name, names, "the inputs are"),
        )

    def _missing(self, names: Sequence[str]) -> CallError:
        listed = ", ".join(names)
        return CallError(
            "KC5155", f"inputs are not set: {listed}", hints=[f'set_input("{names[0]}", ...)']
        )


class Profile:
    """The times of the kernels of one run; it prints as a table."""

    def __init__(self, steps: Sequence[StepTime]) -> None:
        self.steps = tuple(steps)

    @property
    def seconds(self) -> float:
        """The sum of the times."""
        return sum(step.seconds for step in self.steps)

    def rows(self) -> list[tuple[str, str]]:
        """(kernel and operators, time) of each step."""
        return [
            (f"{step.kernel}: {', '.join(step.operators)}", f"{1e6 * step.seconds:.1f} us")
            for step in self.steps
        ]

    def __str__(self) -> str:
        rows = [*self.rows(), ("sum", f"{1e6 * self.seconds:.1f} us")]
        width = max(len(label) for label, _ in rows)
        return "\n".join(f"{label.ljust(width)}  {duration:>10}" for label, duration in rows)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return to_table(self.rows())


def _copied(value: Any, out: NDArray | None) -> NDArray:
    """The array, as one of kc; with ``out`` its elements are copied there."""
    source = value if isinstance(value, NDArray) else array(value)
    return source if out is None else out.copyfrom(source)
