"""A lit test format that runs Python tools without starting Python.

A RUN line like `kc-opt %s --split | FileCheck %s` spends nearly all of its time on importing what
the tool needs. Here such a command is a fork of the lit worker, which keeps those modules imported.
Everything else stays lit's own: its shell parses the line, connects the pipes, redirects, counts
`not`, looks up other programs and writes the log. A fork also keeps what the tool does to
itself (environment, working directory, plugins, a crash in generated code) away from other tests.

`lit -Dsubprocess=1` is the reference: the same command lines, each in a new process.
"""

import atexit
import ctypes
import faulthandler
import functools
import gc
import importlib
import json
import multiprocessing
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import traceback
import types
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn
from unittest import mock

import lit.formats
import lit.Test
import lit.TestRunner

# Modules of these packages, and Python's own, are kept imported once a tool has used them.
WARM_PACKAGES = sys.stdlib_module_names | {"kc", "xdsl", "numpy", "llvmlite", "islpy", "filecheck"}


class WarmShTest(lit.formats.ShTest):
    """lit's ShTest, with `python -m MODULE` for the given tools run by a fork of the worker.

    tools: module as named on the command line -> "module:function" that does its work; the function
    is called without arguments, reads sys.argv and returns an exit status, as console scripts do.
    timeout: seconds after which a single command is killed.
    warm: "module:function" of what every tool asks for and a process keeps; the worker asks first.
    """

    def __init__(self, tools: Mapping[str, str], timeout: int = 60, warm: Sequence[str] = ()):
        super().__init__()
        self.tools = dict(tools)
        self.timeout = timeout
        self.warm = tuple(warm)

    def execute(self, test: Any, litConfig: Any) -> Any:
        worker = _worker(self.warm)
        os.environ.update(test.config.environment)
        # lit has no hook for starting one process; its runner reaches Popen through this name.
        shim = types.ModuleType("subprocess")
        shim.__dict__.update(vars(subprocess))
        shim.__dict__["Popen"] = functools.partial(self._popen, worker, test.config.environment)
        with mock.patch.object(lit.TestRunner, "subprocess", shim):
            return super().execute(test, litConfig)

    def _popen(
        self,
        worker: "_Worker",
        usual_env: Mapping[str, str],
        args: Sequence[str],
        *,
        env: Mapping[str, str],
        **options: Any,
    ) -> subprocess.Popen[str]:
        tool = self._tool(args, env, usual_env)
        if tool is not None:
            # Also between the commands of a test: lit begins with those that take longest.
            worker.import_what_tools_used()

        def in_child() -> None:
            # A pending alarm survives exec, so this limits other programs as well.
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(self.timeout)
            if tool is not None:
                faulthandler.dump_traceback_later(max(self.timeout - 1, 0.5), file=2)
                worker.run_tool(tool, args[2:], env)

        return subprocess.Popen(args, env=env, preexec_fn=in_child, **options)

    def _tool(
        self, args: Sequence[str], env: Mapping[str, str], usual_env: Mapping[str, str]
    ) -> str | None:
        """The function to run for this command, or None if it needs a process of its own."""
        if len(args) < 3 or list(args[:2]) != [sys.executable, "-m"]:
            return None
        if _python_settings(env) != _python_settings(usual_env):
            return None  # PYTHONPATH and the like are read when the interpreter starts
        return self.tools.get(args[2])


def _python_settings(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith("PYTHON")}


class _Worker:
    """The modules that this process has imported for its tools, and how these ask for more."""

    def __init__(self, warm: Sequence[str]):
        self.pid = os.getpid()
        self.warm = warm
        self.inbox, self.outbox = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.inbox.setblocking(False)
        self.outbox.setblocking(False)

    def import_what_tools_used(self) -> None:
        """Imports the modules that earlier tools had to import themselves, in their order."""
        news = False
        while True:
            try:
                names = json.loads(self.inbox.recv(1 << 20))
            except BlockingIOError:
                break
            for name in names:
                news = True
                try:
                    importlib.import_module(name)
                except ImportError:
                    pass  # this only saves time: whoever needs the module reports the error
        if news:
            for name in self.warm:
                if name.partition(":")[0] in sys.modules:
                    pkgutil.resolve_name(name)()
            gc.collect()
            gc.freeze()  # the collector would otherwise write to every shared page in each fork

    def run_tool(self, tool: str, argv: Sequence[str], env: Mapping[str, str]) -> NoReturn:
        """Called in a fork whose standard streams are set up: runs the tool and exits."""
        status = 1
        try:
            self._look_new(argv, env)
            imported = set(sys.modules)
            try:
                status = _call(tool)
            except BaseException:
                traceback.print_exc()
            faulthandler.cancel_dump_traceback_later()
            atexit._run_exitfuncs()
            ctypes.CDLL(None).fflush(None)  # what generated code printed
            sys.stdout.flush()
            self._tell(name for name in sys.modules if name not in imported)
        except BaseException:  # such as a stdout that cannot be flushed, Python's status 120
            traceback.print_exc()
            status = status or 120
        finally:
            os._exit(status)

    def _look_new(self, argv: Sequence[str], env: Mapping[str, str]) -> None:
        """Gives the fork what a new process has: its own streams, signals, environment."""
        gc.enable()  # subprocess forks with the collector switched off
        outbox = self.outbox.fileno()
        os.closerange(3, outbox)
        os.closerange(outbox + 1, os.sysconf("SC_OPEN_MAX"))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        os.environ.clear()
        os.environ.update(env)
        sys.argv = list(argv)
        sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)
        sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = sys.__stderr__ = open(
            2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
        )
        faulthandler.enable(file=2)
        # lit's workers are daemons, which may not have children; a tool may start some.
        multiprocessing.current_process().daemon = False

    def _tell(self, names: Any) -> None:
        known = [name for name in names if name.partition(".")[0] in WARM_PACKAGES]
        if known:
            try:
                self.outbox.send(json.dumps(known).encode())
            except BlockingIOError:
                pass  # the worker has enough to read; the next tool tells it the same


def _call(tool: str) -> int:
    """Runs the tool's function; its exit status, with Python's rules for sys.exit."""
    try:
        code = pkgutil.resolve_name(tool)()
    except SystemExit as stop:
        code = stop.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


_current_worker: _Worker | None = None


def _worker(warm: Sequence[str]) -> _Worker:
    """This process's worker; a fork of lit's main process starts its own."""
    global _current_worker
    if _current_worker is None or _current_worker.pid != os.getpid():
        _current_worker = _Worker(warm)
    return _current_worker
