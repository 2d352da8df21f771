"""The ways a game of Celtica ends, with conditions on its last record."""

from celtica_env.games.celtica.tables import GOAL, NUM_COLOURS
from tests.games.celtica.positions import board_of
from tests.playthroughs.golden import Ending


def num_home(state):
    return int((state["druids"] == GOAL).sum())


def parts_left(state):
    return sum(int(state[name].sum()) for name in ("display", "stacks", "lost"))


ENDINGS = {
    "the last round is over": Ending(lambda replay, state: 0 < num_home(state) < NUM_COLOURS),
    "all druids are home": Ending(
        lambda replay, state: num_home(state) == NUM_COLOURS, num_players=3
    ),
    "no parts are left": Ending(
        lambda replay, state: parts_left(state) == 0,
        options={"board": board_of(["castle 9"] * 17 + ["goal 9"])},
    ),
    "the winners tie": Ending(
        lambda replay, state: replay.payoffs.count(max(replay.payoffs)) > 1, num_players=4
    ),
    "cut off": Ending(lambda replay, state: replay.end == "truncated", options={"max_steps": 30}),
}
