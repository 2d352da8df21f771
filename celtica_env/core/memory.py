"""Whose memory an array is: what comes from outside is copied, what is shown cannot be written to.

Arrays that users pass may be read-only, borrowed from a file or another process, in another byte
order or changed by another thread while they are worked on. Compiled loops take none of that and
check no index, so they are given copies.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from celtica_env.core.errors import OptionError


def as_array(values: npt.ArrayLike) -> np.ndarray:
    """Return the values as an array, for a check of its shape and dtype; of no use if it is none.

    What numpy makes no array of, such as nested lists of different lengths, becomes one object.
    """
    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        return np.array(None)


def copied(values: npt.ArrayLike, dtype: npt.DTypeLike) -> np.ndarray:
    """Return the values in memory of our own: writable, contiguous, aligned, in native order."""
    return np.array(values, dtype, order="C")


def as_bytes(records: np.ndarray) -> np.ndarray:
    """Return a view of records in which each is a run of bytes.

    numpy moves records field by field, which takes ten times as long.
    """
    return records.view(np.dtype((np.void, records.dtype.itemsize)))


def taken(records: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
    """Return copies of records `(B,)`, those of `rows` `(n,)` or all."""
    whole = as_bytes(records)
    return (whole.copy() if rows is None else whole[rows]).view(records.dtype)


def room(what: str, out: Any, shape: tuple[int, ...], dtypes: tuple[str, ...]) -> np.ndarray:
    """Return an array that a caller gives to be written to, fit for compiled loops.

    Raises:
        OptionError: it is none of that shape and one of those dtypes, or lies in memory that cannot
            be written to from end to end.
    """
    if isinstance(out, np.ndarray):
        is_kind = out.dtype.name in dtypes and out.dtype.isnative
        if is_kind and out.shape == shape and out.flags.carray:
            return out
    seen = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else repr(out)
    raise OptionError(
        f"expected {what} as a writable, contiguous array of {' or '.join(dtypes)} of shape "
        f"{shape}, got {seen}"
    )


def shown(array: np.ndarray) -> np.ndarray:
    """Return a view of the array that cannot be written to."""
    return read_only(array.view())


def read_only(array: np.ndarray) -> np.ndarray:
    """Return the array, closed to writing: as an example it stands for arrays of either kind."""
    array.flags.writeable = False
    return array


def owned(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return what an object was pickled with, arrays in borrowed memory replaced by copies.

    A pickle with out-of-band buffers brings arrays that lie in its buffers, which are somebody
    else's and as a rule read-only: Ray and joblib send tasks such ones.
    """
    return {
        name: copied(value, value.dtype)
        if isinstance(value, np.ndarray) and not (value.flags.owndata and value.flags.writeable)
        else value
        for name, value in attributes.items()
    }


class OwnsArrays:
    """An object whose arrays are its own after a pickle, too, since it writes to them."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(owned(state))


def checksum(arrays: Iterable[np.ndarray], others: object) -> int:
    """Return a number that changes when arrays, or the text of what goes with them, do."""
    total = zlib.crc32(repr(others).encode())
    for array in arrays:
        total = zlib.crc32(np.ascontiguousarray(array).view(np.uint8).data, total)
    return total
