"""What the tests of `celtica play` are played with."""

import copy
import threading

import numpy as np

import celtica_env
from celtica_env import position_to_text, replay_steps
from celtica_env.testing.play import Scripted, decisions, view_of
from celtica_train.play.seats import make_session


class Failing(Scripted):
    """Raises, and would tell what it sees."""

    name = "failing"

    def act(self, view):
        raise ValueError(f"hand: {view.states['hand']}")


class Cheating(Scripted):
    """Answers what is not legal."""

    name = "cheating"

    def act(self, view):
        return view.action_masks.argmin(axis=1)


class Slow(Scripted):
    """Thinks until it is told to move."""

    name = "slow"

    def __init__(self):
        self.may_move = threading.Event()

    def act(self, view):
        self.may_move.wait(30)
        return super().act(view)


def table(game="celtica", *agents, **arguments):
    """Return a session against agents of the kit, which need no compiling."""
    return make_session(game, agents or [Scripted()], **{"seed": 3, **arguments})


def late_position(game, num_left, num_players=2):
    """Return the text of a position from which so many decisions or a few more end the game."""
    batch = celtica_env.make_batch(game, 1, num_players, seed=5, record=True)
    for _, actions in decisions(batch):
        batch.step(actions)
    *_, text = (
        position_to_text(game, step.states[0])
        for count, step in enumerate(replay_steps(batch.replay()))
        if count <= len(batch.replay().actions) - num_left
    )
    return text


def play_on(session, is_done=lambda session: session.is_over):
    """Let people choose by what they see, and agents move, until something is so."""
    session.let_agents_move()
    while not is_done(session):
        if session.viewer is None:
            session.uncover()
        choices = session.sight().choices
        session.play(choices[session.version % len(choices)].action)
        session.let_agents_move()


def with_other_hidden_cards(session, seat, seed):
    """Return the session as it would be if all that a seat cannot know were dealt anew."""
    other = copy.copy(session)
    other.batch = session.batch.clone()
    other.batch.set_states(view_of(session.batch, seat).sample(seed), check=False)
    if session.is_over:
        other.replay = session.replay  # what was done and how it ended, which is no secret then
    return other


def seats_that_look(session):
    """Return the seats whose ignorance a sight must respect: the viewer, or everybody."""
    seats = np.arange(session.batch.num_players).tolist()
    return seats if session.viewer is None else [session.viewer]
