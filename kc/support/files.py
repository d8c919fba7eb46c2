"""Reading and writing files for the command line; every failure is an :class:`InputError`."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

from kc.support.diagnostics import InputError, suggest, use_file

STDIN = "-"


def read_text(path: str) -> str:
    """The text of a file, or of standard input for ``-``; line ends are not converted.

    KC0020: it cannot be read. KC1001: it is not UTF-8 text.
    """
    try:
        data = _stdin_bytes() if path == STDIN else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise _cannot("KC0020", "read", path, error) from error
    use_file(path)
    return decode(data, path)


def read_bytes(path: str) -> bytes:
    """The bytes of a file. KC0020: it cannot be read."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise _cannot("KC0020", "read", path, error) from error


def is_code_file(value: object) -> bool:
    """True if the value of a pragma ``import_c`` or ``import_llvm`` is the name of a file."""
    return isinstance(value, str) and "\n" not in value and value.endswith((".ll", ".bc", ".c"))


def use_code_files(*values: object) -> None:
    """Record the code files among ``values`` of a program, so that a build may read them."""
    for value in values:
        if is_code_file(value):
            use_file(str(value))


def decode(data: bytes, path: str) -> str:
    """The bytes of the file ``path`` as text."""
    if data.startswith(b"ML\xefR"):
        raise InputError(
            "KC0021",
            f"{shown_name(path)} is MLIR bytecode, not text",
            hints=[f"mlir-opt {path} prints it as text"],
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            "KC0021",
            f"{shown_name(path)} is not text",
            facts=[f"byte 0x{data[error.start]:02x} at offset {error.start} is not UTF-8"],
        ) from error
    if (zero := text.find("\0")) >= 0:
        raise InputError(
            "KC0021",
            f"{shown_name(path)} is not text",
            facts=[f"it has a zero byte at offset {zero}"],
        )
    return text


def shown_name(path: str) -> str:
    """The name of a file in messages."""
    return "standard input" if path == STDIN else path


def _stdin_bytes() -> bytes:
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    buffer = getattr(sys.stdin, "buffer", None)
    return buffer.read() if buffer is not None else sys.stdin.read().encode()


def check_writable(path: str) -> None:
    """Refuse (KC0022) an unwritable output path before the work for the output is done."""
    target = Path(os.path.realpath(path))
    try:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not target.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, f"there is no directory {target.parent}")
        if not os.access(target if target.exists() else target.parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except (OSError, ValueError) as error:
        raise _cannot("KC0022", "write", path, error) from error


def make_directory(path: str) -> None:
    """Create a directory and its parents if they do not exist. KC0022 if that fails."""
    try:
        os.makedirs(path, exist_ok=True)
    except (OSError, ValueError) as error:
        raise _cannot("KC0022", "make the directory", path, error) from error


def write_output(path: str | None, data: str | bytes) -> None:
    """Write ``data`` to a file, or to standard output (None, ``-``).

    A file is replaced atomically: it has the old content or the new content, never a part. KC0022:
    it cannot be written. A closed reader of standard output raises BrokenPipeError.
    """
    try:
        if path is None or path == "-":
            _write_stdout(data)
        else:
            _replace(path, data.encode() if isinstance(data, str) else data)
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        name = "standard output" if path in (None, "-") else path
        raise _cannot("KC0022", "write", name, error) from error


def _write_stdout(data: str | bytes) -> None:
    out = sys.stdout
    if out is None:
        raise OSError(errno.EBADF, "it is closed")
    if hasattr(out, "buffer"):
        out.flush()
        out.buffer.write(data.encode() if isinstance(data, str) else data)  # in any locale
    else:
        out.write(data if isinstance(data, str) else data.decode())
    out.flush()


def _replace(path: str, data: bytes) -> None:
    target = os.path.realpath(path)
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and not stat.S_ISREG(mode):
        with open(target, "wb") as stream:  # a device or a pipe: there is nothing to replace
            stream.write(data)
        return
    if mode is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    import tempfile  # here, as start-up time counts

    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".kc-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _cannot(code: str, verb: str, path: str, error: Exception) -> InputError:
    reason = error.strerror if isinstance(error, OSError) else None
    hints: list[str] = []
    if isinstance(error, FileNotFoundError) and verb == "read":
        hints = _similar(path)
    return InputError(code, f"cannot {verb} {shown_name(path)}: {reason or error}", hints=hints)


def _similar(path: str) -> list[str]:
    folder = os.path.dirname(path) or "."
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    close = suggest(os.path.basename(path), names)
    return close if close and close[0].startswith("did you mean") else []
