"""The flag ``--test``: a user's command that tests a module."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from kc.support.diagnostics import InputError

PLACE = "{}"
PASSES = "{passes}"
CANNOT_RUN = (126, 127)
"""The exit statuses of a shell for a missing command and for a command that is not executable."""


@dataclass(frozen=True)
class UserTest:
    """A shell command. ``{}`` stands for the file of the module (which is appended if there is no
    ``{}``), ``{passes}`` for the passes as flags. The command is killed after ``timeout`` seconds.
    """

    command: str
    timeout: float = 60.0

    def holds(self, module: str, passes: str = "") -> bool:
        """True if the command succeeds for a module; False if it fails or is killed.

        Raises InputError KC0025 if the shell cannot run it.
        """
        with tempfile.TemporaryDirectory(prefix="kc-test-") as folder:
            file = Path(folder) / "module.mlir"
            file.write_text(module, encoding="utf-8")
            text = self.command if PLACE in self.command else f"{self.command} {PLACE}"
            text = text.replace(PLACE, shlex.quote(str(file))).replace(PASSES, passes)
            stderr_path = Path(folder) / "stderr"
            with stderr_path.open("wb") as stderr:
                child = subprocess.Popen(
                    text,
                    shell=True,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=stderr,
                    start_new_session=True,
                )
            try:
                status = child.wait(self.timeout)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                return False
            except BaseException:
                os.killpg(child.pid, signal.SIGKILL)
                raise
            if status in CANNOT_RUN:
                lines = stderr_path.read_text(encoding="utf-8", errors="replace").splitlines()
                raise InputError(
                    "KC0025",
                    f"the command of --test cannot be run: {self.command}",
                    why=lines[-1] if lines else f"it ends with the status {status}",
                    hints=["run it by hand"],
                )
            return status == 0


def seconds(text: str | None, default: float) -> float:
    """The value of ``--timeout``; KC0002 if it is not a positive number."""
    if text is None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not value > 0:
        raise InputError("KC0002", f"--timeout takes a number of seconds, not '{text}'")
    return value
