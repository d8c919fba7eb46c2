"""Reading and writing: what can go wrong, and that a file is never half written."""

import os
import stat
from pathlib import Path

import pytest

from kc.support.diagnostics import InputError
from kc.support.files import check_writable, read_text, write_output

root = pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")


def test_reads_what_was_written(tmp_path: Path):
    path = str(tmp_path / "a.mlir")
    write_output(path, "// é\r\n")
    assert read_text(path) == "// é\r\n"
    write_output(path, b"\xef\xbb\xbfmodule {}")
    assert read_text(path) == "module {}"  # a byte order mark is no text


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"abc\xff", "is not text\n   |  byte 0xff at offset 3 is not UTF-8"),
        (b"a\0b", "is not text\n   |  it has a zero byte at offset 1"),
    ],
)
def test_binary_input(tmp_path: Path, data, said):
    path = tmp_path / "a.bin"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_text(str(path))
    assert str(caught.value) == f"error[KC0021]: {path} {said}"


def test_bytecode(tmp_path: Path):
    path = tmp_path / "a.mlirbc"
    path.write_bytes(b"ML\xefR\x01")
    with pytest.raises(InputError) as caught:
        read_text(str(path))
    assert str(caught.value) == (
        f"error[KC0021]: {path} is MLIR bytecode, not text\n"
        f"  try: mlir-opt {path} prints it as text"
    )


def test_input_that_is_not_there(tmp_path: Path):
    (tmp_path / "matmul.mlir").touch()
    with pytest.raises(InputError) as caught:
        read_text(str(tmp_path / "matmull.mlir"))
    assert str(caught.value) == (
        f"error[KC0020]: cannot read {tmp_path}/matmull.mlir: No such file or directory\n"
        "  try: did you mean 'matmul.mlir'?"
    )
    with pytest.raises(InputError, match=r"KC0020.*: Is a directory"):
        read_text(str(tmp_path))
    with pytest.raises(InputError, match=r"KC0020.*null byte"):
        read_text("a\0b")


@pytest.mark.parametrize("check", [check_writable, lambda path: write_output(path, "x")])
def test_output_that_cannot_be_written(tmp_path: Path, check):
    with pytest.raises(InputError, match=r"KC0022.*: Is a directory"):
        check(str(tmp_path))
    with pytest.raises(InputError, match=r"KC0022.*(no directory|No such file)"):
        check(str(tmp_path / "no" / "out"))
    assert list(tmp_path.iterdir()) == []


@root
def test_output_that_is_protected(tmp_path: Path):
    path = tmp_path / "out"
    path.write_text("old")
    path.chmod(0o400)
    for check in (check_writable, lambda path_: write_output(path_, "new")):
        with pytest.raises(InputError, match=r"KC0022.*: Permission denied"):
            check(str(path))
    assert path.read_text() == "old"


def test_replacing_keeps_mode_and_links(tmp_path: Path):
    path, link = tmp_path / "out", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_output(str(link), "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link", "out"]


def test_new_files_have_the_usual_mode(tmp_path: Path):
    before = os.umask(0o027)
    try:
        write_output(str(tmp_path / "out"), "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


def test_a_failing_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "out"
    path.write_text("old")

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError) as caught:
        write_output(str(path), "new")
    assert str(caught.value) == (f"error[KC0022]: cannot write {path}: No space left on device")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_devices_and_standard_output(capsys: pytest.CaptureFixture[str]):
    write_output("/dev/null", "x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    write_output(None, "a")
    write_output("-", "b")
    assert capsys.readouterr().out == "ab"
