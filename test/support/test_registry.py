"""The registry: that every entry is what it says, and how names are looked up."""

import dataclasses
import re
import subprocess
import sys
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE

import kc
from kc import areas
from kc.support import plugins, registry
from kc.support.diagnostics import InputError, ParseError, diagnostic_handler
from kc.support.ir_text import parse_module, print_module
from kc.support.options import parse_pipeline
from kc.support.plugins import Plugin
from kc.support.registry import Registry, find_pass, get_pass, get_passes, pass_class
from kc.support.source_docs import read_class_doc
from kc.universe import KC_UNIVERSE

OWN = [entry for entry in Registry().passes.values() if entry.origin == "kc"]


@pytest.mark.parametrize("entry", OWN, ids=lambda entry: entry.name)
def test_every_pass_is_there(entry):
    cls = entry.load()
    assert cls.name == entry.name
    if entry.family != "schedule":
        assert issubclass(cls, ModulePass)


@pytest.mark.parametrize("entry", OWN, ids=lambda entry: entry.name)
def test_help_is_what_the_class_says(entry):
    """The lines of --help come from the source, which is not imported; they are what Python sees.

    `make check` alone holds the file of these lines, class_docs.json, to the sources.
    """
    cls, doc = entry.load(), read_class_doc(entry.path)
    assert doc is not None
    assert " ".join(cls.__doc__.split()).startswith(doc.summary)
    assert doc.summary.endswith(".")
    assert ". " not in doc.summary
    fields = {field.name.replace("_", "-"): field for field in dataclasses.fields(cls)}
    assert list(doc.options) == list(fields)
    assert list(doc.required) == [
        name
        for name, field in fields.items()
        if field.default is dataclasses.MISSING
        and field.default_factory is dataclasses.MISSING
        and "implied" not in field.metadata
    ]


def test_every_dialect_is_there():
    for name, entry in Registry().dialects.items():
        assert entry.load().name == name


def test_context_has_ours_instead_of_xdsls():
    context = registry.context()
    for name, entry in Registry().dialects.items():
        assert context.get_dialect(name) is entry.load()
    assert context.get_op("func.func") is func.FuncOp


def test_what_kc_gives_to_xdsl_clashes_with_nothing():
    assert not set(KC_UNIVERSE.all_dialects) & set(XDSL_UNIVERSE.all_dialects)
    assert not KC_UNIVERSE.all_passes
    assert not KC_UNIVERSE.all_targets
    for name, factory in KC_UNIVERSE.all_dialects.items():
        assert factory() is Registry().dialects[name].load()


def test_xdsls_passes_are_found_too():
    assert find_pass("cse").family == "xdsl"
    assert find_pass("scf-for-loop-flatten").origin == "xdsl"
    assert get_pass("scf-for-loop-flatten").name == "scf-for-loop-flatten"
    assert registry.is_pass("scf-for-loop-flatten")
    assert not registry.is_pass("flatten")
    for name in registry.XDSL_PASSES:
        assert pass_class(name).name == name


def test_underscores_are_dashes():
    assert find_pass("compute_at") == find_pass("compute-at")
    assert registry.is_pass("lower_to_llvm")
    assert get_pass("compute_inline", "block=B").name == "compute-inline"


def test_unknown_pass():
    with pytest.raises(InputError) as caught:
        get_pass("vectorise")
    assert str(caught.value) == (
        "error[KC0003]: there is no pass 'vectorise'\n"
        "  try: did you mean 'vectorize' or 'vectorize-loop' or 'skip-vectorize'?\n"
        "  try: kc-opt --list-passes"
    )


def test_options_of_xdsls_passes():
    chosen = get_pass("mlir-opt", "executable=x arguments=--a,--b generic=false")
    assert (chosen.executable, chosen.arguments, chosen.generic) == (  # pyright: ignore
        "x",
        ("--a", "--b"),
        False,
    )
    with pytest.raises(InputError, match="KC0011.*cse: there is no option 'x'"):
        get_pass("cse", "x")


TWO = """
func.func @f() {
  %x = arith.constant 1 : i32
  func.return
}
func.func @g() {
  %x = arith.constant 1 : i32
  func.return
}
"""


def test_one_function():
    context = registry.context()
    module = parse_module(TWO, "two.mlir", context)
    (only,) = get_passes(parse_pipeline("dce{func=f}"))
    only.apply(context, module)
    assert only.name == "dce"
    assert print_module(module).count("arith.constant") == 1
    assert [op.sym_name.data for op in module.body.ops if isinstance(op, func.FuncOp)] == [
        "f",
        "g",
    ]
    with pytest.raises(ParseError) as caught:
        get_pass("dce", "func=h").apply(context, module)
    assert str(caught.value) == (
        "error[KC1010]: dce: there is no function 'h'\n  try: the functions are: f, g"
    )


def test_one_function_keeps_the_others_when_the_pass_fails():
    @dataclasses.dataclass(frozen=True)
    class FailingPass(ModulePass):
        name = "failing"

        def apply(self, ctx, op: ModuleOp) -> None:
            assert len(op.body.ops) == 1
            raise ParseError("KC1010", "no")

    from kc.support.one_function import OneFunctionPass

    context = registry.context()
    module = parse_module(TWO, "two.mlir", context)
    before = print_module(module)
    with pytest.raises(ParseError):
        OneFunctionPass(FailingPass(), "g").apply(context, module)
    assert print_module(module) == before


def test_taken_names_stay():
    own = Registry()
    said = []
    with diagnostic_handler(said.append):
        own.add(Plugin("mine", passes={"cse": "mine:Cse", "new": "mine:New"}))
    assert own.passes["cse"].origin == "xdsl"
    assert own.passes["new"].origin == "mine"
    assert [warning.render() for warning in said] == [
        "warning[KC0034]: plugin 'mine': pass cse was skipped, because the name is taken\n"
        "   |  cse of xdsl: xdsl.transforms.common_subexpression_elimination:"
        "CommonSubexpressionElimination"
    ]


def test_two_plugins_of_one_name():
    own = Registry()
    said = []
    with diagnostic_handler(said.append):
        for module in ("first", "first", "second"):
            own.add(Plugin("mine", passes={"new": f"{module}:New"}, hooks=[(3, "new", ["llvm"])]))
    assert own.passes["new"].path == "first:New"
    assert len(own.hooks[3]) == len(own.plugins) == 1
    assert [warning.render() for warning in said] == [
        "warning[KC0034]: there are two plugins 'mine', one of which was skipped\n"
        "   |  used: first:New\n"
        "   |  left out: second:New\n"
        "  try: uninstall one of the packages, or give the plugins other names"
    ]


def test_parts_that_cannot_be_loaded():
    own = Registry()
    own.add(Plugin("mine", passes={"new": "no_such_module:New"}))
    with registry.using(own), pytest.raises(InputError) as caught:
        get_pass("new")
    assert str(caught.value) == (
        "error[KC0033]: 'new' of mine cannot be loaded from no_such_module:New\n"
        "   |  ModuleNotFoundError: No module named 'no_such_module'"
    )
    assert not registry.is_pass("new")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"passes": {"a": "b"}}, "'b' is not of the form 'module:name'"),
        ({"targets": ["x.toml"]}, "'x.toml' is not of the form 'module:name'"),
        ({"backends": {"npu": "b"}}, "'b' is not of the form 'module:name'"),
        ({"hooks": [(9, "cse", ["llvm"])]}, "there is no lowering phase 9"),
        *(
            (
                {"hooks": [hook]},
                f'hook {hook!r} is not of the form (phase, "pass", ["target kind", ...])',
            )
            for hook in [(3, "cse"), (3, "cse", "llvm"), (3, "cse", [])]
        ),
    ],
)
def test_plugins_are_checked_when_made(wrong, message: str):
    with pytest.raises(ValueError, match=re.escape(f"plugin mine: {message}")):
        Plugin("mine", **wrong)


@pytest.mark.parametrize(
    ("lying_there", "seen"),
    [
        ({}, []),
        ({"a-1.dist-info/METADATA": "", "b-1.dist-info/entry_points.txt": "[x]\n"}, []),
        ({"a-1.egg-info/entry_points.txt": "[mine]\na = json:dumps\n"}, ["a"]),
        ({"a-1.dist-info/entry_points.txt": "[mine]\na = json:dumps\n"}, ["a"]),
        ({"a-1.egg/EGG-INFO/entry_points.txt": "[mine]\na = json:dumps\n"}, ["a"]),
    ],
)
def test_entry_points_are_seen_where_importlib_sees_them(tmp_path, lying_there, seen):
    for name, text in lying_there.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        (tmp_path / name).with_name("PKG-INFO").write_text("Name: a\n")
    paths = [str(tmp_path)]
    if any(".egg/" in name for name in lying_there):
        paths = [str(path) for path in tmp_path.iterdir()]  # as easy_install's .pth files add them
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", paths)
        assert [entry.name for entry in entry_points(group="mine")] == seen
        assert [name for name, _, _ in plugins._entry_points("mine")] == seen


def test_entry_points_in_archives(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: a\nVersion: 1\n")
        archive.writestr("a-1.dist-info/entry_points.txt", "[mine]\na = json:dumps\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(tmp_path / "a.zip")])
        assert [name for name, _, _ in plugins._entry_points("mine")] == ["a"]


def test_the_tables_import_nothing_heavy():
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, kc.support.registry as r, kc.support.target as t; r.Registry(); "
            "t.Target.generic(); print([m for m in ('xdsl', 'numpy', 'llvmlite', 'islpy') "
            "if m in sys.modules])",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


# The areas of kc ---------------------------------------------------------------------------------


def test_areas_are_records_that_share_no_name():
    paths = [path for listed in areas.AREAS.values() for path in listed]
    folder = Path(areas.__file__).parent
    assert {path.partition(":")[0] for path in paths} == {
        f"kc.areas.{file.stem}" for file in folder.glob("*.py") if file.stem != "__init__"
    }
    said = []
    with diagnostic_handler(said.append):
        built = Registry()
        assert len(built.intrinsics) > 1000
    assert said == []
    assert built.plugins == []
    assert {entry.family for entry in built.passes.values()} <= {*areas.FAMILIES}
    for table in (built.queries, built.rules, built.importers, built.formats):
        assert table
        assert {entry.origin for entry in table.values()} == {"kc"}


def test_records_import_nothing_that_they_name():
    program = (
        "import sys, kc.support.registry as r; r.own().passes; "
        "print([m for m in sys.modules if m.startswith('kc.') and not "
        "m.startswith(('kc.support', 'kc.areas'))], [m for m in sys.modules if 'intrins' in m])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[] ['kc.areas.intrinsics']\n"


def test_tables_of_kc_alone():
    assert registry.DIALECTS["te"] == "kc.dialects.te:TE"
    assert registry.PRIMITIVES["tensor"] == ("blockize", "tensorize")
    assert "get-block" in registry.QUERIES["kc.transforms.trace.queries"]
    assert registry.PASSES["chosen"] == (
        "kc.transforms.auto_schedule.{stem}",
        ("auto-schedule",),
    )
    assert registry.PASSES["pipeline"][0] == "kc.conversion.pipelines"
    assert registry.MAIN_OPTIONS == {"apply-schedule": "file"}
    assert registry.XDSL_PASSES["dce"] == (
        "dead_code_elimination:DeadCodeElimination",
        "Remove unused operations.",
    )
    assert "avx512_bf16_dot_16x2" in registry.INTRINSICS["kc.transforms.intrinsics.builtin:X86_64"]
    assert registry.FAMILIES is areas.FAMILIES
    for name in ("FORMATS", "BACKENDS", "LOADERS", "RULES"):
        assert getattr(registry, name) == {
            entry.name: entry.path for entry in getattr(registry.own(), name.lower()).values()
        }
        assert name in dir(registry)
    with pytest.raises(AttributeError, match="has no attribute 'TABLES'"):
        _ = registry.TABLES


# A record of a package has all that one of kc has ------------------------------------------------


@pytest.fixture
def parts(tmp_path, monkeypatch) -> str:
    """The name of a module that a plugin could have."""
    (tmp_path / "parts_of_mine.py").write_text(
        "def names():\n    return ('mine_2', 'mine_4', 'dot_f32_4')\n"
        "def broken():\n    return 1 / 0\n"
        "def from_mine(text):\n    return text.upper()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return "parts_of_mine"


def test_generated_intrinsics_of_a_plugin(parts: str):
    mine = Plugin("mine", intrinsic_families={f"{parts}:{{name}}": f"{parts}:names"})
    extended = Registry()
    extended.add(mine)
    said = []
    with diagnostic_handler(said.append):
        assert extended.intrinsics["mine_4"].path == f"{parts}:mine_4"
    assert extended.intrinsics["dot_f32_4"].origin == "kc"
    assert [warning.message for warning in said] == [
        "plugin 'mine': intrinsic dot_f32_4 was skipped, because the name is taken"
    ]
    broken = Registry()
    broken.add(Plugin("mine", intrinsic_families={f"{parts}:{{name}}": f"{parts}:broken"}))
    with pytest.raises(InputError, match="KC0033.*of mine cannot be loaded") as caught:
        _ = broken.intrinsics
    assert "ZeroDivisionError" in str(caught.value)


def test_importers_are_functions_of_kc(parts: str):
    extended = Registry()
    extended.add(Plugin("mine", importers={"from_mine": f"{parts}:from_mine"}))
    with registry.using(extended):
        assert kc.from_mine("te") == "TE"  # pyright: ignore[reportAttributeAccessIssue]
        assert {"from_mine", "from_torch"} <= {*dir(kc)}
    with pytest.raises(AttributeError, match="'from_mine'; did you mean .*'from_torch'"):
        _ = kc.from_mine  # pyright: ignore[reportAttributeAccessIssue]


def test_families_summaries_and_main_options_of_a_plugin(parts: str):
    extended = Registry()
    extended.add(
        Plugin(
            "mine",
            families={"gpu": {"gpu-mine": f"{parts}:GpuMinePass"}},
            summaries={"gpu-mine": "Do what mine does.", "split": "Do nothing."},
            main_options={"gpu-mine": "how", "split": "factors"},
            queries={"get-mine": f"{parts}:GetMine"},
        )
    )
    with registry.using(extended):
        entry = find_pass("gpu-mine")
        assert (entry.family, entry.origin, entry.summary) == ("gpu", "mine", "Do what mine does.")
        taken = registry.parse_options("gpu-mine", "fast").get("how")
        assert taken is not None
        assert taken.text == "fast"
        assert registry.parse_options("split", "fast").get("factors") is None
        assert find_pass("split").summary == find_pass("split").main_option == ""
        assert "get-mine" in registry.current().steps
