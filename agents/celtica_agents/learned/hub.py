"""Networks on the Hugging Face hub, by names such as `hub:user/name` or `hub:user/name@revision`.

Its library is the extra `hub`. Nothing but the network file itself is taken, and it is read as any
other: safetensors, checked, never unpickled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from celtica_env import __version__
from celtica_env.errors import CheckpointError, HubError, MissingLibraryError, OptionError
from celtica_env.extend import printable

PREFIX = "hub:"
ADDRESS = re.compile(rf"{PREFIX}(?P<repository>[\w.-]+/[\w.-]+)(?:@(?P<revision>[\w./-]+))?", re.A)
MAX_NETWORK = 100_000_000
"""Bytes of the largest file that is taken; a network of the usual size has two million."""
NO_ENTRY = (401, 403)
LOG_IN = "log in by `hf auth login`, or set HF_TOKEN to a token that may do this"


@dataclass(frozen=True)
class Address:
    """A repository of the hub, `user/name`, and a branch, a tag or a commit of it."""

    repository: str
    revision: str | None

    def __str__(self) -> str:
        revision = "" if self.revision is None else f"@{self.revision}"
        return f"{PREFIX}{self.repository}{revision}"


def is_address(path: str | Path) -> bool:
    """Say whether what names a network means one on the hub."""
    return str(path).startswith(PREFIX)


def read_address(text: str) -> Address:
    """Return the address that a text such as `hub:user/name@revision` stands for.

    Raises:
        OptionError: it has another form.
    """
    found = ADDRESS.fullmatch(text)
    if found is None:
        raise OptionError(
            f"a network on the hub is written {PREFIX}user/name, or {PREFIX}user/name@revision for "
            f"a branch, a tag or a commit; got {printable(text)!r}"
        )
    return Address(**found.groupdict())


def download(text: str, file: str) -> Path:
    """Return where a file of a repository lies on this machine, which has it from then on.

    A commit that is here already is not asked for again; without a connection the last one that
    was taken is used.

    Args:
        text: an address, `hub:user/name@revision`; the newest commit if no revision is named.
        file: its name in the repository.

    Raises:
        OptionError: the address has another form.
        MissingLibraryError: the extra `hub` is not installed.
        CheckpointError: the repository has no such file, or a larger one than a network can be.
        HubError: the hub cannot be reached, has no such repository or does not show it.
    """
    address = read_address(text)
    with asking(address) as hub:
        place: dict[str, Any] = {"repo_id": address.repository, "filename": file}
        found = hub.hf_hub_download(**place, revision=address.revision, dry_run=True)
    if found.file_size is None or found.file_size > MAX_NETWORK:
        raise CheckpointError(
            f"{address}: {file} has {found.file_size or 'an unknown number of'} bytes; a network "
            f"has at most {MAX_NETWORK:,}"
        )
    with asking(address) as hub:
        return Path(hub.hf_hub_download(**place, revision=address.revision))


@contextmanager
def asking(address: Address) -> Iterator[Any]:
    """Give the hub's interface, and say in a line what goes wrong with it.

    Raises:
        MissingLibraryError: the extra `hub` is not installed.
        OptionError: the hub knows no names of that form.
        CheckpointError: the repository has no such file or revision.
        HubError: anything else.
    """
    try:
        library = import_module("huggingface_hub")
    except ImportError as error:
        raise MissingLibraryError(
            f"{error}; networks on the hub need an extra: pip install 'celtica-env[hub]'"
        ) from error
    hub = library.HfApi(library_name="celtica-env", library_version=__version__)
    errors = import_module("huggingface_hub.errors")
    try:
        yield hub
    except errors.LocalEntryNotFoundError as error:
        raise HubError(
            f"{address}: {hub.endpoint} cannot be reached, and the network was not taken before: "
            f"{reason_of(error.__cause__ or error)}"
        ) from error
    except (errors.RevisionNotFoundError, errors.EntryNotFoundError) as error:
        raise CheckpointError(f"{address}: {reason_of(error)}") from error
    except errors.HFValidationError as error:
        raise OptionError(f"{address}: {reason_of(error)}") from error
    except errors.RepositoryNotFoundError as error:
        raise HubError(
            f"{address}: {hub.endpoint} has no such repository, or does not show it; {LOG_IN}"
        ) from error
    except errors.HfHubHTTPError as error:
        refused = f"no permission; {LOG_IN}: " if error.response.status_code in NO_ENTRY else ""
        raise HubError(f"{address}: {refused}{reason_of(error)}") from error
    except (errors.HTTPError, OSError, RuntimeError, ValueError) as error:
        # RuntimeError, ValueError: an upload broke off, an answer that is none
        raise HubError(f"{address}: {hub.endpoint} cannot be asked: {reason_of(error)}") from error


def reason_of(error: BaseException) -> str:
    """Return what an error says, on one line."""
    return printable(" ".join(str(error).split()) or type(error).__name__)
