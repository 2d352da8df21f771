"""Machine code on the disk: it saves the time to compile, and nothing depends on it.

numba's own cache ends the program when one of its files is damaged or the disk is full, and takes
whatever unpickles for code. Here a file holds one piece of machine code behind a checksum, and
whatever goes wrong costs the time to compile: it is said once, and a damaged file is replaced.
"""

from __future__ import annotations

import hashlib
import pickle
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any
from uuid import uuid4

from numba.core.caching import CompileResultCacheImpl, _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from celtica_env.core.announce import say

DIGEST = hashlib.sha256
DIGEST_SIZE = DIGEST().digest_size  # bytes before the code


class CodeCache(_Cache):
    """Keeps the machine code of one function with one signature, as numba's dispatcher asks for it.

    The function's name must tell what the code is made of: nothing else is looked at.

    Attributes:
        cache_path: folder of the file, None if there is none that can be written to.
    """

    def __init__(self, function: FunctionType) -> None:
        self._name = function.__qualname__
        self._is_enabled = True
        try:
            # numba's way to choose a folder, and to turn code into data and back.
            self._kind = CompileResultCacheImpl(function)
            self._folder = Path(self._kind.locator.get_cache_path())
        except (RuntimeError, OSError) as error:
            self.disable()
            _complain("it can be kept in no folder; NUMBA_CACHE_DIR can name one", error)

    @property
    def cache_path(self) -> str | None:
        """Return the folder of the file."""
        return str(self._folder) if self._is_enabled else None

    def enable(self) -> None:
        """Use the disk."""
        self._is_enabled = True

    def disable(self) -> None:
        """Leave the disk alone."""
        self._is_enabled = False

    def flush(self) -> None:
        """Forget nothing: a name stands for one piece of code."""

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Return the code if it is there and whole, else None."""
        target_context.refresh()
        if not self._is_enabled:
            return None
        path = self._path(sig, target_context.codegen())
        try:
            content = path.read_bytes()
            if DIGEST(content[DIGEST_SIZE:]).digest() != content[:DIGEST_SIZE]:
                raise ValueError("it is damaged")
            return self._kind.rebuild(target_context, pickle.loads(content[DIGEST_SIZE:]))
        except FileNotFoundError:
            return None
        except Exception as error:  # whatever data can do that are not what they should be
            _complain(f"what was kept in {self._folder} cannot be used, and is made anew", error)
            return None

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Keep the code; say so if that is impossible."""
        if not self._is_enabled or not self._kind.check_cachable(data):
            return
        try:
            content = dumps(self._kind.reduce(data))
            write_whole(self._path(sig, data.codegen), DIGEST(content).digest() + content)
        except Exception as error:
            _complain(
                f"it cannot be kept in {self._folder}; NUMBA_CACHE_DIR can name another folder",
                error,
            )

    def _path(self, sig: Any, codegen: Any) -> Path:
        what = DIGEST(repr((sig, codegen.magic_tuple())).encode()).hexdigest()[:16]
        return self._folder / f"{self._name}-{what}.nbc"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that other processes see whole or not at all.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(
        f".{uuid4().hex}.tmp"
    )  # not `tempfile`: others may read it, as umask says
    try:
        part.write_bytes(content)
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


@cache
def _say_once(words: str) -> None:
    say(words)


def _complain(what: str, error: Exception) -> None:
    """Say what is wrong with the cache, once for each kind and folder in a process."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    _say_once(f"compiled code: {what} ({reason or type(error).__name__})")
