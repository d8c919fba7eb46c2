"""A checkout in a folder named kc is the package kc for scripts beside it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = """
import kc, kc.dialects.tir, kc.support.registry
from kc import te
A = te.placeholder((4,), name="A")
kc.lower([A, te.compute((4,), lambda i: A[i] + 1.0)])
print(kc.__file__)
"""


@pytest.mark.parametrize("installed", [True, False])
def test_script_beside_a_checkout_named_kc(tmp_path, installed):
    (tmp_path / "kc").symlink_to(ROOT)
    # -S: without the files of installed packages that make kc known, as in a fresh environment.
    packages = [path for path in sys.path if path.endswith("-packages")]
    run = [sys.executable] if installed else [sys.executable, "-S"]
    (tmp_path / "script.py").write_text(f"import sys; sys.path += {packages!r}\n{PROGRAM}")
    done = subprocess.run([*run, "script.py"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert Path(done.stdout.strip()).resolve() == ROOT / "kc" / "__init__.py"
