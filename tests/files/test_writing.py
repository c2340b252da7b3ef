"""What is written, where, and what is left alone."""

import errno
import os
import socket
import stat
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from apexgp.errors import NotWrittenError, RequestError, WouldOverwriteError
from apexgp.files.writing import check_writable, write_atomically, write_text


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "there").mkdir()
    real, link = tmp_path / "there" / "real.csv", tmp_path / "link.csv"
    link.symlink_to(real)  # leads nowhere yet
    write_text(link, "one", overwrite=False)
    assert link.is_symlink()
    assert real.read_text() == "one"
    with pytest.raises(WouldOverwriteError, match=r"link\.csv exists"):
        write_text(link, "two", overwrite=False)
    write_text(link, "two", overwrite=True)
    assert link.is_symlink()
    assert (real.read_text(), os.listdir(tmp_path / "there")) == ("two", ["real.csv"])


def special_files(folder):
    os.mkfifo(folder / "pipe")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "socket"))
    (folder / "folder").mkdir()
    (folder / "to_device").symlink_to(os.devnull)
    (folder / "loop").symlink_to(folder / "loop")
    return listener


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pipe", "is a pipe. Only ordinary files"),
        ("socket", "is a socket. Only ordinary files"),
        ("folder", "is a folder. Name a file in it"),
        ("to_device", "is a device. Only ordinary files"),
        (os.devnull, "is a device. Only ordinary files"),
        ("loop", "cannot be written: Too many levels of symbolic links"),
        ("no/such/folder", "does not exist"),
        ("folder/../pipe/file", "is not a folder"),
        ("nul\0", "Expected the name of a file"),
        ("x" * 300, "cannot be written: File name too long"),
    ],
)
@pytest.mark.parametrize("overwrite", [True, False])
def test_only_ordinary_files_are_written(tmp_path, name, message, overwrite):
    with special_files(tmp_path):
        before = {entry.name: entry.lstat() for entry in tmp_path.iterdir()}
        path = os.path.join(tmp_path, name)
        with pytest.raises(RequestError, match=message):
            check_writable(path, overwrite)
        with pytest.raises(RequestError, match=message):
            write_text(path, "text", overwrite=overwrite)
        after = {entry.name: entry.lstat() for entry in tmp_path.iterdir()}
        assert {n: (s.st_ino, s.st_mode) for n, s in after.items()} == {
            n: (s.st_ino, s.st_mode) for n, s in before.items()
        }


@pytest.mark.parametrize("path", [None, 7, 1.5, [], object()])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(RequestError, match="Expected the name of a file"):
        check_writable(path, True)


@pytest.mark.parametrize("folder", ["/proc", "/sys"])
def test_a_folder_that_takes_no_files_is_noticed_before_the_work(folder):
    with pytest.raises(RequestError, match=r"cannot be written: .* another folder"):
        check_writable(f"{folder}/curve.csv", False)


def test_to_look_whether_a_file_can_be_written_leaves_nothing_behind(tmp_path):
    check_writable(tmp_path / "curve.csv", False)
    assert os.listdir(tmp_path) == []


def test_a_disk_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "curve.csv"
    path.write_text("old")

    def write_half():
        with write_atomically(path, overwrite=True) as draft:
            draft.write_text("half of the n")
            raise OSError(28, "No space left on device")

    with pytest.raises(NotWrittenError, match="No space left"):
        write_half()
    assert (path.read_text(), os.listdir(tmp_path)) == ("old", ["curve.csv"])


def test_half_a_pair_of_surrogates_is_no_reason_to_write_nothing(tmp_path):
    write_text(tmp_path / "x", "a\ud800b", overwrite=False)
    assert (tmp_path / "x").read_text() == "a?b"


@pytest.mark.parametrize("links", [True, False])
def test_of_two_writers_without_leave_to_overwrite_one_is_told(tmp_path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "result.csv"

    def write():
        with write_atomically(path, overwrite=False) as mine:
            mine.write_text("mine")
            write_text(path, "theirs", overwrite=False)  # while this one is at work

    with pytest.raises(WouldOverwriteError, match=r"result\.csv exists"):
        write()
    assert path.read_text() == "theirs"
    assert os.listdir(tmp_path) == ["result.csv"]


def no_links(*_):
    raise OSError(errno.EPERM, "there are none")


def test_many_writers_at_once_and_one_success(tmp_path):
    path = tmp_path / "result.csv"
    together = threading.Barrier(8)

    def write(name):
        with write_atomically(path, overwrite=False) as draft:
            draft.write_text(name)
            together.wait()

    with ThreadPoolExecutor(8) as pool:
        ends = [pool.submit(write, str(i)).exception for i in range(8)]
        failed = [type(end()) for end in ends]
    assert sorted(map(str, failed)) == sorted(map(str, [type(None), *[WouldOverwriteError] * 7]))
    assert path.read_text() == str(failed.index(type(None)))


def test_overwriting_keeps_the_rights_of_a_file(tmp_path):
    path = tmp_path / "private.csv"
    path.write_text("secret")
    for mode in (0o600, 0o640):
        path.chmod(mode)
        write_text(path, "other", overwrite=True)
        assert stat.S_IMODE(path.stat().st_mode) == mode
