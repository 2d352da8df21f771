"""Machine code on the disk: whatever is wrong with it costs time, and nothing else."""

import errno
import os
import pickle
import re
import shutil
from pathlib import Path

import numba
import numpy as np
import pytest

from celtica_env.core import code_cache
from celtica_env.core.code_cache import DIGEST_SIZE
from celtica_env.core.compile import compile_entry
from celtica_env.testing.play import IS_COMPILED
from tests.core import processes

pytestmark = pytest.mark.skipif(not IS_COMPILED, reason="nothing is compiled or kept")

EXAMPLES = (np.arange(3),)


def doubled(numbers):
    numbers[0] = 2 * numbers[1] + NUMBER  # noqa: F821 - bound by `compile_entry`


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty cache, in a process that has not said anything yet."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))
    code_cache._say_once.cache_clear()
    return tmp_path / "kept"


def run():
    """Compile or load a function and say whether it was loaded; it must compute what it should."""
    entry = compile_entry(doubled, {"NUMBER": 7}, EXAMPLES)
    numbers = np.array([0, 5, 0])
    entry(numbers)
    assert numbers[0] == 17
    return sum(entry.stats.cache_hits.values()) > 0


def kept_file(folder):
    (path,) = folder.rglob("*.nbc")
    return path


def zeroed(content):
    """Zero a page in the middle, as a file system does that lost it."""
    middle = len(content) // 2
    return content[:middle] + bytes(512) + content[middle + 512 :]


def behind_its_checksum(data):
    return code_cache.DIGEST(data).digest() + data


DAMAGES = {
    "empty": lambda content: b"",
    "cut off": lambda content: content[: len(content) // 2],
    "cut within the checksum": lambda content: content[: DIGEST_SIZE // 2],
    "all zeros": lambda content: bytes(len(content)),
    "a page of zeros": zeroed,
    "longer": lambda content: content + b"more",
    "something else": lambda content: b"# a text\n" * 100,
    "no pickle": lambda content: behind_its_checksum(b"nonsense"),
    "another pickle": lambda content: behind_its_checksum(pickle.dumps({"a": 1})),
}


def test_code_is_loaded_in_the_next_process_and_nothing_is_said(folder, capsys):
    assert [run(), run()] == [False, True]
    assert kept_file(folder).stat().st_mode & 0o777 == 0o666 & ~umask()
    assert capsys.readouterr().err == ""


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_replaced_and_said_once(damage, folder, capsys):
    run()
    path = kept_file(folder)
    for _ in range(2):
        path.write_bytes(damage(path.read_bytes()))
        assert [run(), run()] == [False, True]
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(path.parent) in said
    assert "made anew" in said
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_is_removed_meanwhile_is_made_again(folder, capsys, monkeypatch):
    real = code_cache.CodeCache.load_overload

    def load_late(*arguments):
        shutil.rmtree(folder)
        return real(*arguments)

    monkeypatch.setattr(code_cache.CodeCache, "load_overload", load_late)
    assert not run()
    monkeypatch.undo()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(folder))
    assert run()
    assert capsys.readouterr().err == ""


def test_a_folder_where_the_file_should_be_is_in_nobodys_way(folder, capsys):
    run()
    path = kept_file(folder)
    path.unlink()
    path.mkdir()
    assert [run(), run()] == [False, False]
    assert str(path.parent) in capsys.readouterr().err


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
def test_what_cannot_be_written_is_said_once_and_leaves_nothing(
    number, folder, capsys, monkeypatch
):
    def fail(path, content):
        with path.open("wb") as file:
            file.write(content[:100])
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(Path, "write_bytes", fail)
    assert [run(), run()] == [False, False]
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert os.strerror(number) in said
    assert "NUMBA_CACHE_DIR" in said
    assert [path for path in folder.rglob("*") if path.is_file()] == []


def test_what_must_not_be_read_is_compiled(folder, capsys, monkeypatch):
    def fail(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    run()
    monkeypatch.setattr(Path, "read_bytes", fail)
    assert not run()
    assert "Permission denied" in capsys.readouterr().err


def test_without_any_folder_it_is_said_once(folder, capsys, monkeypatch):
    def none_is_writable(locator):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("numba.core.caching._CacheLocator.ensure_cache_path", none_is_writable)
    assert [run(), run()] == [False, False]
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "NUMBA_CACHE_DIR can name one" in said
    assert not folder.exists()


FULL_DISK = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
from tests.core.test_code_cache import run
print(run(), run())
"""


def test_a_real_limit_on_files_is_survived(tmp_path):
    """The system itself refuses to write more than 8 KB into a file."""
    pytest.importorskip("resource")
    process = processes.start_python(
        ["-c", FULL_DISK], tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "kept")
    )
    output, said = processes.finish(process)
    assert output == "False False\n"
    assert said.count("\n") == 1
    assert os.strerror(errno.EFBIG) in said
    assert not [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]


def test_nothing_else_keeps_machine_code():
    """Rules, greedy rules and searches are kept alike, since `compile_entry` keeps them all."""
    packages = (processes.PACKAGE, processes.ROOT / "agents", processes.ROOT / "train")
    sources = [path for package in packages for path in package.rglob("*.py")]
    assert len(sources) > 50
    others = {p.name for p in sources if re.search("cache=True|enable_caching", p.read_text())}
    assert others <= {"cuda_batch.py"}  # the code of a GPU is numba-cuda's to keep
