"""The tree keeps its own rules, and the scripts that check them see what breaks them."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import check_layers
import check_names
import check_packages
import pytest

import kc

ROOT = Path(__file__).resolve().parent.parent


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


# One importing module each, and what is said about it after `file:line: `.
BAD_IMPORTS = {
    "dialects/tir/__init__.py": (
        "from kc.tools.kc_opt import main",
        "kc.dialects.tir may not import kc.tools.kc_opt (tools is above dialects)",
    ),
    "kc/support/options.py": (
        "def f():\n    import kc.dialects.tir",
        "kc.support.options may not import kc.dialects.tir (dialects is above support)",
    ),
    "analysis/accesses/regions.py": (
        "from kc import build",
        "kc.analysis.accesses.regions may not import kc.build (kc is above analysis)",
    ),
    "codegen/llvm.py": (
        "import kc",
        "kc.codegen.llvm may not import kc (kc is above codegen)",
    ),
    "conversion/convert_a_to_b.py": (
        "from kc import te",
        "kc.conversion.convert_a_to_b may not import kc.te (te is above conversion)",
    ),
    "kc/runtime/array.py": (
        "from kc.dialects.tir import For",
        "kc.runtime.array may not import kc.dialects.tir (runtime imports support alone)",
    ),
    "codegen/jit.py": (
        "import kc.runtime.array",
        "kc.codegen.jit may not import kc.runtime.array "
        "(codegen is below te, from where on runtime is imported)",
    ),
    "dialects/te/__init__.py": (
        "def verify():\n    from kc.transforms.canonicalization_patterns.te import P",
        "kc.dialects.te may not import kc.transforms.canonicalization_patterns.te "
        "(transforms is above dialects)",
    ),
    "transforms/schedule/loops/tile.py": (
        "from kc.transforms.schedule.loops.split import Split, split",
        "kc.transforms.schedule.loops.tile may not import kc.transforms.schedule.loops.split "
        "(primitives do not import each other; share through base.py or _*.py)",
    ),
    "transforms/schedule/loops/fuse.py": (
        "from kc.transforms.schedule.loops import split",
        "kc.transforms.schedule.loops.fuse may not import kc.transforms.schedule.loops.split "
        "(primitives do not import each other; share through base.py or _*.py)",
    ),
    "transforms/graph/fuse_ops.py": (
        "from kc.graph.lowering import compute",
        "kc.transforms.graph.fuse_ops may not import kc.graph.lowering (graph is above transforms)",
    ),
    "kc/topi/nn/dense.py": (
        "from kc.graph.cost import cost_of",
        "kc.topi.nn.dense may not import kc.graph.cost (graph is above topi)",
    ),
    "kc/graph/interpreter.py": (
        "def run():\n    from kc.driver import build",
        "kc.graph.interpreter may not import kc.driver (kc is above graph)",
    ),
    "kc/graph/passes/fold_constant.py": (
        "from kc.building.graphs.kernels import Kernels",
        "kc.graph.passes.fold_constant may not import kc.building.graphs.kernels "
        "(building is above graph)",
    ),
    "tools/kc_opt.py": (
        "import dialects.tir",
        "kc.tools.kc_opt imports dialects.tir: it is called kc.dialects.tir",
    ),
    "kc/expr/tensor.py": (
        "from . import expr",
        "kc.expr.tensor uses a relative import: write it in full, from kc",
    ),
    "kc/te/stage.py": (
        "from kc.tir.emit import build",
        "kc.te.stage may not import kc.tir.emit (tir is above te)",
    ),
    "kc/runtime/module.py": (
        'def load():\n    import_module("kc.driver")',
        "kc.runtime.module may not import kc.driver (runtime imports support alone)",
    ),
    "kc/tir/module.py": (
        'PRINTERS = {"tvm": "kc.tvm.printer"}',
        "kc.tir.module may not import kc.tvm.printer (tvm is above tir)",
    ),
    "kc/tir/emit.py": (
        "def f():\n    from kc.tir.transform import Simplify",
        "kc.tir.emit may not import kc.tir.transform (it gives names that are made above)",
    ),
    "kc/tir/transform.py": (
        "from kc.tvm.printer import f\nf()",
        "kc.tir.transform is a door: it imports names, and does nothing else",
    ),
    "dialects/llvm/__init__.py": (
        "import numpy as np",
        "kc.dialects.llvm may import numpy only inside a function",
    ),
}

TARGETS = {
    "kc/tvm/printer.py": "",
    "kc/tir/transform.py": "from kc.tvm.printer import f",
    "transforms/canonicalization_patterns/te.py": "",
    "transforms/schedule/loops/split.py": "",
    "transforms/schedule/base.py": "",
    "transforms/schedule/_loops.py": "",
}


@pytest.mark.parametrize("path", BAD_IMPORTS)
def test_bad_import(path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    text, complaint = BAD_IMPORTS[path]
    status = check_layers.main([str(write(tmp_path, {**TARGETS, path: text}))])
    line = 1 + text.count("\n")
    assert (status, capsys.readouterr().out) == (1, f"{path}:{line}: {complaint}\n")


GOOD_IMPORTS = {
    "kc/support/options.py": "import ast\nfrom kc.support.diagnostics import KCError",
    "dialects/te/__init__.py": "class T:\n    def get_canonicalization_patterns(self):\n"
    "        from kc.transforms.canonicalization_patterns.te import P\n"
    "        import numpy",
    "transforms/schedule/loops/tile.py": "from kc.transforms.schedule import base\n"
    "from kc.transforms.schedule._loops import outer\nfrom kc.dialects.te import T",
    "kc/runtime/array.py": "import numpy\nfrom kc.support.diagnostics import CallError",
    "kc/expr/tensor.py": "import kc.runtime.array\nfrom kc.codegen import llvm",
    "kc/te/__init__.py": "from kc import tir",
    "kc/tir/__init__.py": 'FROM_ABOVE = {"kc.tvm.printer": "f"}',
    "kc/tir/analysis.py": '"""A door."""\n\nfrom kc.tvm.printer import f',
    "kc/tir/module.py": "from kc import te",
    "kc/driver.py": "import kc\nfrom kc import te\nfrom kc.codegen import llvm",
    "tools/kc_opt.py": "from kc.driver import build",
    "kc/graph/__init__.py": "from kc.building.graphs.kernels import Kernels",
    "kc/graph/passes/fuse_by_cost.py": "from kc import topi\nfrom kc.transforms.graph import base",
    "kc/building/graphs/kernels.py": "from kc.driver import build\nfrom kc.graph import cost",
}


def test_good_imports(tmp_path: Path):
    assert list(check_layers.check(write(tmp_path, {**TARGETS, **GOOD_IMPORTS}))) == []


def circle(size: int, edge: str = "from kc.te.m{next} import f") -> dict[str, str]:
    """Modules of ``kc.te``, each of which imports the next one."""
    return {f"kc/te/m{n}.py": edge.format(next=(n + 1) % size) for n in range(size)}


CIRCLES = {
    "at the top": "from kc.te.m{next} import f",
    "in functions": "def g():\n    from kc.te import m{next}",
    "by name": 'm = import_module("kc.te.m{next}")',
    "through the package": "from kc.te import f{next}",
}


@pytest.mark.parametrize("edge", CIRCLES)
def test_large_circle(edge: str, tmp_path: Path):
    size = check_layers.CIRCLE + 1
    package = "\n".join(f"from kc.te.m{n} import f as f{n}" for n in range(size))
    for n, complaints in ((size, 1), (size - 1, 0)):
        shutil.rmtree(tmp_path / "kc", ignore_errors=True)
        tree = {"kc/te/__init__.py": package, **circle(n, CIRCLES[edge])}
        said = list(check_layers.check(write(tmp_path, tree)))
        assert len(said) == complaints
        assert all(f"a circle of {size} modules" in line for line in said)


def test_circle_for_types_counts_between_layers(tmp_path: Path):
    for_types = "if TYPE_CHECKING:\n    from kc.te.m{next} import f"
    assert list(check_layers.check(write(tmp_path, circle(20, for_types)))) == []
    upwards = {"kc/te/a.py": "if TYPE_CHECKING:\n    from kc.tir import emit"}
    assert len(list(check_layers.check(write(tmp_path, upwards)))) == 1


def small_tree(root: Path) -> Path:
    """A tree that check_packages has nothing to say about."""
    settings = """
[tool.setuptools]
packages = [
  "kc", "kc.te", "kc.transforms", "kc.transforms.schedule", "kc.transforms.schedule.loops",
  "kc.transforms.tir", "kc.transforms.tir.loops", "kc.conversion", "kc.conversion.convert_b_to_c",
]
[tool.setuptools.package-dir]
"kc" = "kc"
"kc.transforms" = "transforms"
"kc.conversion" = "conversion"
"""
    write(root, {"pyproject.toml": settings})
    packages = ("kc", "kc/te", "transforms", "transforms/schedule", "transforms/tir")
    packages += ("transforms/schedule/loops", "transforms/tir/loops")
    packages += ("conversion", "conversion/convert_b_to_c")
    write(root, {f"{package}/__init__.py": "" for package in packages})
    modules = ("schedule/loops/split", "schedule/base", "schedule/_blocks", "tir/loops/simplify")
    write(root, {f"transforms/{module}.py": "" for module in modules})
    write(root, {"conversion/convert_a_to_b.py": "", "conversion/types.py": ""})
    tests = ("schedule/split", "schedule/split_invalid", "tir/simplify")
    write(root, {f"test/transforms/{test}.mlir": "" for test in tests})
    conversions = ("convert_a_to_b", "convert_b_to_c/casts")
    write(root, {f"test/conversion/{test}.mlir": "" for test in conversions})
    write(root, {"test/te/test_te.py": ""})
    links = root / "typings" / "kc"
    links.mkdir(parents=True)
    for name in ("transforms", "conversion", "kc/te", "kc/__init__.py"):
        (links / Path(name).name).symlink_to(Path("../..", name))
    return root


def test_small_tree_is_clean(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    status = check_packages.main([str(small_tree(tmp_path))])
    assert (status, capsys.readouterr().out) == (0, "")


# What to add to the small tree (or, with None, to remove from it), and the complaints.
SPOILED = {
    "package not listed": (
        {"kc/tir/__init__.py": ""},
        [
            "pyproject.toml: tool.setuptools.packages lacks kc.tir",
            "typings/kc: no link tir to kc/tir",
        ],
    ),
    "package gone": (
        {"kc/te": None},
        [
            "pyproject.toml: tool.setuptools.packages has kc.te, which does not exist",
            "typings/kc/te: leads to nothing in the tree",
        ],
    ),
    "not a package": (
        {"transforms/tir/loops/__init__.py": None},
        ["transforms/tir/loops: no __init__.py"],
    ),
    "module without link": (
        {"kc/driver.py": ""},
        ["typings/kc: no link driver.py to kc/driver.py"],
    ),
    "primitive without tests": (
        {"transforms/schedule/loops/fuse.py": ""},
        [
            "transforms/schedule/loops/fuse.py: no test/transforms/schedule/fuse.mlir",
            "transforms/schedule/loops/fuse.py: no test/transforms/schedule/fuse_invalid.mlir",
        ],
    ),
    "pass without test": (
        {"test/transforms/tir/simplify.mlir": None},
        ["transforms/tir/loops/simplify.py: no test/transforms/tir/simplify.mlir"],
    ),
    "conversion without test": (
        {"conversion/convert_c_to_d.py": ""},
        ["conversion/convert_c_to_d.py: no test/conversion/convert_c_to_d.mlir"],
    ),
    "conversion package without test": (
        {"test/conversion/convert_b_to_c": None},
        ["conversion/convert_b_to_c: no test/conversion/convert_b_to_c.mlir"],
    ),
    "same test name": (
        {"test/tir/test_te.py": ""},
        ["test/tir/test_te.py: test/te/test_te.py has the same name"],
    ),
    "test package": (
        {"test/te/__init__.py": ""},
        ["test/te/__init__.py: turns the tests into a package, which may hide another"],
    ),
}


@pytest.mark.parametrize("what", SPOILED)
def test_spoiled_tree(what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    changes, complaints = SPOILED[what]
    small_tree(tmp_path)
    for name, text in changes.items():
        if text is not None:
            write(tmp_path, {name: text})
        elif (tmp_path / name).is_dir():
            shutil.rmtree(tmp_path / name)
        else:
            (tmp_path / name).unlink()
    assert check_packages.main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines() == complaints


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("package", check_layers.ROOT_PACKAGES)
def test_root_package_refuses_its_bare_name(package: str):
    done = run_python(f"import {package}")
    assert done.returncode == 1
    assert f"ImportError: import this package as 'kc.{package}'" in done.stderr


def test_the_package_of_primitives_refuses_its_bare_name():
    done = run_python("import sys; sys.path.insert(0, 'transforms'); import schedule")
    assert done.returncode == 1
    assert "ImportError: import this package as 'kc.transforms.schedule'" in done.stderr


def test_import_kc_is_light():
    heavy = {"xdsl", "numpy", "llvmlite", "islpy"}
    done = run_python(f"import kc, sys; print(sorted({heavy} & set(sys.modules)))")
    assert done.stdout == "[]\n", done.stderr


def test_writing_expressions_needs_no_compiler():
    """Packages that take long to import, and that only builds need."""
    heavy = {"numpy", "llvmlite", "islpy"} | {
        f"xdsl.dialects.{name}" for name in ("llvm", "vector", "linalg", "tosa", "bufferization")
    }
    late = {"kc.tir", "kc.conversion.driver", "kc.transforms.schedule", "kc.dialects.gpu"}
    done = run_python(
        f"from kc import te; import sys; print(sorted({heavy | late} & set(sys.modules)))\n"
        f"from kc import tir; print(sorted({heavy} & set(sys.modules)))"
    )
    assert done.stdout == "[]\n[]\n", done.stderr


def test_a_build_for_a_cpu_loads_the_dialects_that_it_needs():
    """A dialect that no op, type or attribute of the program is of is not imported; default
    schedules are left out, as their rules are for GPUs, too."""
    unneeded = {"kc.dialects.nvvm", "kc.dialects.tosa", "xdsl.dialects.tosa"}
    text = (
        "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {"
        "  %y = arith.addf %x, %x : tensor<4xf32>  return %y : tensor<4xf32> }"
    )
    done = run_python(
        "import kc, sys\n"
        "with kc.transform.PassContext(disabled_pass=['auto-schedule']):\n"
        f"    kc.build(kc.IRModule.parse('{text}'))\n"
        f"print(sorted({unneeded} & set(sys.modules)))"
    )
    assert done.stdout == "[]\n", done.stderr


PUBLIC = ("te", "tir", "topi", "transform", "gpu", "nd", "target", "runtime", "error", "script")


def test_modules_list_public_names_alone():
    """``dir(kc.runtime)``: what a user completes."""
    modules = [getattr(kc, name) for name in PUBLIC]
    listed = {f"{module.__name__}.{name}" for module in modules for name in dir(module)}
    assert len(listed) > 400
    assert [
        name for name in listed if name.split(".")[-1].startswith("_") and not name.endswith("__")
    ] == []


MOVED_NAMES = {
    "compute": "; it is kc.te.compute, as in TVM since 0.7",
    "thread_axis": "; it is kc.te.thread_axis, as in TVM since 0.7",
    "decl_buffer": "; it is kc.tir.decl_buffer, as in TVM since 0.7",
    "relax": "; kc has Relay's graphs: kc.relay",
    "biuld": "; did you mean 'build'?",
    "__wrapped__": "",
}


@pytest.mark.parametrize("name", MOVED_NAMES)
def test_names_of_older_tvm(name: str):
    with pytest.raises(AttributeError) as caught:
        getattr(kc, name)
    assert str(caught.value) == f"module 'kc' has no attribute '{name}'{MOVED_NAMES[name]}"


IMPORTS_OF_TVM_NAMES = {
    "import kc as tvm\nfrom tvm import topi": (
        "ModuleNotFoundError: No module named 'tvm'; kc is not installed under that name, and "
        "`import kc as tvm` is a name in one file: write `from kc import te, tir, topi`"
    ),
    "from kc import te\nimport tvm.te": (
        "ModuleNotFoundError: No module named 'tvm'; kc is not installed under that name, and "
        "`import kc as tvm` is a name in one file: write `from kc import te, tir, topi`"
    ),
    "from kc import compute": (
        "ImportError: cannot import name 'compute' from 'kc'; "
        "it is kc.te.compute, as in TVM since 0.7"
    ),
    "import kc.relax": (
        "ImportError: cannot import name 'relax' from 'kc'; kc has Relay's graphs: kc.relay"
    ),
    "import kc as tvm\ntvm.create_schedule": (
        "AttributeError: module 'kc' has no attribute 'create_schedule'; "
        "it is kc.te.create_schedule, as in TVM since 0.7"
    ),
    # Programs that do not use kc, and those that only ask, get Python's own answer.
    "import tvm": "ModuleNotFoundError: No module named 'tvm'",
    "import kc, importlib\nimportlib.import_module('tvm')": (
        "ModuleNotFoundError: No module named 'tvm'"
    ),
}


@pytest.mark.parametrize("program", IMPORTS_OF_TVM_NAMES)
def test_imports_of_tvm_names(program: str):
    done = run_python(program)
    assert done.stderr.splitlines()[-1] == IMPORTS_OF_TVM_NAMES[program]


def test_asking_for_tvm_is_no_error():
    done = run_python(
        "import kc\n"
        "from importlib.util import find_spec\n"
        "print(find_spec('tvm'), find_spec('kc.relax'))"
    )
    assert done.stdout == "None None\n", done.stderr


def test_kc_itself_needs_nothing_of_tvms():
    """A program of kc loads nothing that only programs for TVM need, up to its loops."""
    done = run_python(
        "import sys, kc\n"
        "from kc import te, tir, topi\n"
        "A = te.placeholder((8,), name='A')\n"
        "s = te.create_schedule(topi.nn.relu(A).op)\n"
        "tir.Schedule(te.create_prim_func([A, topi.exp(A)]))\n"
        "print([name for name in sys.modules if name.startswith('kc.tvm')])"
    )
    assert done.stdout == "[]\n", done.stdout + done.stderr


def test_version_is_stated_once():
    """kc.__version__ and the distribution's version agree."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert run_python("import kc; print(kc.__version__)").stdout.strip() == project["version"]


# Bindings, and the lines of the names that say nothing.
VAGUE_NAMES = {
    "found = 1": [1],
    "loops = [one for one in ops]": [1],
    "for n, other in loops:\n    pass": [1],
    "first, *others = loops": [1],
    "def f(loop, *, made=None):\n    return made": [1],
    "sort(key=lambda one: one.name)": [1],
    "class C:\n    found: int\n    def f(self):\n        self.made = 1": [2, 4],
    "def other():\n    pass": [1],
    "with loops() as one:\n    pass": [1],
    "try:\n    pass\nexcept ValueError as other:\n    pass": [3],
    "match op:\n    case [loop, *others]:\n        pass": [2],
    "import numpy as one": [1],
    "if (found := f()) is None:\n    pass": [1],
    "def __eq__(self, loop):\n    other = 1": [2],
    "def equals(self, other):\n    pass": [1],
    "def __eq__(self, other):\n    return other is self": [],
    "loop = f(other=1)\nblock = loop.other": [],
}


@pytest.mark.parametrize("text", VAGUE_NAMES)
def test_vague_names(text: str, tmp_path: Path):
    lines = [
        line.split(":")[1]
        for line in check_names.check(write(tmp_path, {"analysis/accesses/regions.py": text}))
    ]
    assert lines == [str(line) for line in VAGUE_NAMES[text]]


def test_vague_names_of_the_product(tmp_path: Path):
    """Tests may compare what is `known` with what is `wanted`; the product names what it holds."""
    text = "def given(known, *, wanted=0):\n    kept = [it for it in known]\n    self.told = kept"
    files = {"kc/driver.py": text, "test/driver/test_driver.py": text}
    assert list(check_names.check(write(tmp_path, files))) == [
        f"kc/driver.py:{line}: '{name}' does not say what it is"
        for line, name in (
            (1, "given"),
            (1, "known"),
            (1, "wanted"),
            (2, "it"),
            (2, "kept"),
            (3, "told"),
        )
    ]


def test_names_of_upstream(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    files = {"dialects/llvm/symbols.py": "other, one = 1, 2", "dialects/tir/loops.py": "other = 1"}
    status = check_names.main([str(write(tmp_path, files))])
    assert (status, capsys.readouterr().out) == (
        1,
        "dialects/llvm/symbols.py:1: 'one' does not say what it is\n"
        "dialects/tir/loops.py:1: 'other' does not say what it is\n",
    )
