"""The ways a game of Celtic ends, with conditions on its last position and decisions."""

from celtica_env.games.celtic.tables import DONE_ACTION, END_ACTION, GOALS_TO_END
from tests.games.celtic.maps import MARKET, map_of
from tests.playthroughs.golden import Ending

RECORDED = ({"max_turns": 40}, {"max_turns": 40, "public_trade_cards": False})
"""Options of recorded games: a game left to random choices is long, and seldom ends by itself."""
SOON = {"map": map_of(MARKET), "max_turns": 24}
"""Where cards are easy to get, random play soon comes to its end."""


def is_fifth_goal(replay, state):
    return state["num_completed"][state["active"]] == GOALS_TO_END


def is_revealed(replay, state):
    return END_ACTION in replay.actions


def is_final_round_played(replay, state):
    """Two seats or more decided after the end, and the last one did not use all it could."""
    is_long = is_revealed(replay, state) and replay.actions.index(END_ACTION) < (
        len(replay.actions) - 4
    )
    return is_long and replay.actions[-1] == DONE_ACTION


ENDINGS = {
    "the fifth goal": Ending(is_fifth_goal, agent="greedy"),
    "all goods are revealed": Ending(is_revealed, num_players=3, options=SOON),
    "a final round": Ending(is_final_round_played, num_players=3, options=SOON),
    "the winners tie": Ending(
        lambda replay, state: (
            replay.end == "terminated" and replay.payoffs.count(max(replay.payoffs)) > 1
        ),
        options=SOON,
    ),
    "the last turn": Ending(
        lambda replay, state: state["turns"] == state["max_turns"],
        num_players=3,
        options={"max_turns": 12},
    ),
    "cut off": Ending(
        lambda replay, state: replay.end == "truncated", num_players=3, options={"max_steps": 47}
    ),
}
