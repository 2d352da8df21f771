"""Asking agents: for their actions, and for what they say of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from celtica_env.core.agents import Agent, Explains, Reasons
from celtica_env.core.batch import Batch
from celtica_env.core.errors import AgentError, IllegalActionError
from celtica_env.core.view import View


def ask(agent: Agent, view: View) -> np.ndarray:
    """Return an agent's actions for a view, `(n,)` integers; the batch checks their legality.

    Raises:
        IllegalActionError: the answer has a wrong shape or dtype; names the agent.
        AgentError: the agent tried to end the process.
    """
    with kept_running(agent):
        answer = np.asarray(agent.act(view))
    if answer.shape != (len(view),) or answer.dtype.kind not in "iu":
        raise IllegalActionError(
            f"agent {agent.name!r} was asked for {len(view)} integer actions, shape "
            f"({len(view)},); it answered {answer.dtype} of shape {answer.shape}"
        )
    return answer


def view_for(agent: Agent, batch: Batch, rows: np.ndarray | None = None) -> View:
    """Return the view of some games of a batch `(n,)`, or of all, that an agent is to be asked."""
    is_told = wants_moves(agent) and batch.is_recording
    return batch.view(rows, with_moves=is_told)


def wants_moves(agent: Agent) -> bool:
    """Say whether an agent wants to be told what everybody did."""
    return bool(getattr(agent, "wants_moves", False))


def notes_of(agent: Agent, n: int) -> list[dict[str, Any] | None]:
    """Return what an agent notes of each of the n games of its last view."""
    notes = getattr(agent, "notes", None)
    return notes if isinstance(notes, list) and len(notes) == n else [None] * n


def account_of(agent: Agent) -> dict[str, Any]:
    """Return what an agent says of itself beside a result: how it was asked, what it took."""
    account = getattr(agent, "account", None)
    return dict(account()) if callable(account) else {}


def reasons_of(agent: Agent, view: View) -> Reasons:
    """Return an agent's actions for a view, and its reasons, if it can tell them.

    Raises:
        AgentError: the agent tried to end the process.
    """
    if isinstance(agent, Explains):
        with kept_running(agent):
            return agent.explain(view)
    return Reasons(ask(agent, view), np.zeros(view.action_masks.shape), "")


@contextmanager
def kept_running(agent: Agent) -> Iterator[None]:
    """Let an agent's `sys.exit()` end its thinking, and not those who ask it."""
    try:
        yield
    except SystemExit as error:
        raise AgentError(f"the agent {agent.name!r} called sys.exit({error.code!r})") from error
