"""lit's configuration: `lit test`, or any file or folder under it.

-Dsubprocess=1       start a new process for every command (slow; the reference)
-Dfilecheck=python   use the filecheck package even where LLVM's FileCheck is installed (or =llvm)
-Dtimeout=SECONDS    kill a command after so long (not with -Dsubprocess=1; default 60)
"""

import sys
from pathlib import Path

import lit.formats
from lit.LitConfig import LitConfig
from lit.TestingConfig import TestingConfig

# lit defines these two before it runs this file.
config: TestingConfig = globals()["config"]
lit_config: LitConfig = globals()["lit_config"]

ROOT = Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT), str(ROOT / "test")]

import optional_tools  # noqa: E402
from lit_format import WarmShTest  # noqa: E402

config.name = "kc"
config.suffixes = {".mlir"}
config.excludes = {"Inputs"}
# The root, not root/test: lit finds no tests in `lit test` otherwise.
config.test_source_root = str(ROOT)
config.test_exec_root = str(ROOT / "build" / "lit")

config.environment["PYTHONPATH"] = str(ROOT)
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["KC_PTXAS"] = "none"  # costs are the same where it is installed
config.environment["KC_CACHE_DIR"] = "none"  # what is built is built in each run
config.environment["KC_RATES"] = "none"  # and schedules where this machine was measured
config.environment["OPENBLAS_NUM_THREADS"] = "1"  # the tests themselves use every core

TOOLS = {
    "kc.tools.kc_opt": "kc.tools.kc_opt:main",
    "kc.tools.kc_translate": "kc.tools.kc_translate:main",
    "kc.tools.kc_run": "kc.tools.kc_run:main",
    "filecheck": "filecheck.main:main",
}


def substitute(word: str, command: str) -> None:
    """Replaces `word` where it stands as a command, not as part of an option or a path."""
    config.substitutions.append((rf"(?<![\w./%-]){word}(?![\w./-])", command))


for module in ("kc_opt", "kc_translate", "kc_run"):
    substitute(module.replace("_", "-"), f"{sys.executable} -m kc.tools.{module}")


def missing(tool: str, consequence: str) -> None:
    package = optional_tools.PACKAGES[tool]
    lit_config.note(f"no {tool} (Debian package {package}): {consequence}")


for tool, feature in {"mlir-opt": "mlir", "mlir-translate": "mlir-translate", "llc": "llc"}.items():
    path = optional_tools.find(tool)
    if path is None:
        missing(tool, f"tests that require '{feature}' are skipped")
        continue
    config.available_features.add(feature)
    substitute(tool, path)

if optional_tools.find("clang-22") is None:
    missing("clang-22", "the thread pool is neither compiled anew nor run under sanitizers")

if optional_tools.find("spirv-val") is None:
    missing("spirv-val", "what kernels become as SPIR-V is not validated")

filecheck = f"{sys.executable} -m filecheck"
wanted = lit_config.params.get("filecheck", "auto")
if wanted not in ("auto", "llvm", "python"):
    lit_config.fatal(f"-Dfilecheck={wanted}: expected llvm or python")
if wanted != "python":
    path = optional_tools.find("FileCheck")
    if path is not None:
        config.available_features.add("llvm-filecheck")
        filecheck = path
    elif wanted == "llvm":
        lit_config.fatal("-Dfilecheck=llvm: LLVM's FileCheck is not installed")
    else:
        missing("FileCheck", "the filecheck package stands in for it")
substitute("FileCheck", filecheck)

if lit_config.params.get("subprocess") or sys.platform != "linux":
    # Elsewhere system libraries do not all survive a fork, or there is none.
    config.test_format = lit.formats.ShTest()
else:
    config.test_format = WarmShTest(
        TOOLS,
        timeout=int(lit_config.params.get("timeout", 60)),
        # Plugins of installed packages and the tables of targets: a third of a small command.
        warm=("kc.support.registry:current", "kc.support.target:Target.generic"),
    )
