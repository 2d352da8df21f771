"""Which Keltis records are positions."""

import numpy as np
import pytest

import celtica_env
from celtica_env import position_from_text, position_to_text
from celtica_env.core.errors import PositionError
from celtica_env.games.keltis.tables import Phase, Place, Symbol
from celtica_env.testing.play import decisions
from tests.games.keltis.positions import Position, tile_of

DERIVED = (
    "revealed",
    "num_down",
    "free",
    "down",
    "symbols_down",
    "row_size",
    "row_last",
    "wishes",
    "bonus",
)


def ordinary(**changes):
    return Position({"blue": "1 3", "pink": "2"}, {"blue": "8"}, up="green 4", **changes)


def edited(position, *edits):
    """Return the records of a position after `field index value` edits; a tile is an index."""
    states = position.batch.states.copy()
    for name, index, value in edits:
        where = tile_of(index) if isinstance(index, str) else index
        states[name][(0, *np.atleast_1d(np.array(where, int)))] = value
    return states


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([("place", "blue 0", Place.REVEALED)], "1 tiles are revealed, expected 0"),
        ([("phase", (), Phase.REVEALED)], "0 tiles are revealed, expected 1"),
        (
            [("phase", (), 1), ("place", "blue 0", 2), ("place", "pink 3", 2)],
            "2 tiles are revealed, expected 1",
        ),
        ([("phase", (), 1), ("place", "blue 0", 2)], "the revealed tile does not fit"),
        ([("place", "blue 5", Place.ROW + 2)], "tiles lie before seat 2, which nobody holds"),
        ([("direction", (0, 0), 0)], "the blue row of seat 0 has 2 tiles and direction 0"),
        ([("direction", (1, 0), 1)], "the blue row of seat 1 has 1 tiles and direction 1"),
        ([("direction", (2, 0), 1)], "the blue row of seat 2 has 0 tiles and direction 1"),
        ([("symbol", "green 1", Symbol.WISH)], "there are 5 green tiles with none, not 4"),
        ([("symbol", "green 1", Symbol.UNKNOWN)], "the symbol of green 1 is known"),
        ([("is_shuffled", (), 1)], "the symbol of blue 0 is not known yet"),
        ([("phase", (), Phase.OVER)], "a tile is face down, so the game goes on"),
        ([("first_player", (), 2)], "first_player is no player's seat"),
        ([("is_extra", (), 1), ("to_move", (), 1)], "won by a clover, and the mover has none"),
        ([("place", "blue 0", 7)], "place must be from 0 to 6"),
        ([("direction", (0, 0), -2)], "direction must be from -1 to 1"),
    ],
)
def test_a_record_that_play_cannot_reach_is_refused_with_the_reason(edits, message):
    position = ordinary()
    with pytest.raises(PositionError, match=message):
        position.batch.set_states(edited(position, *edits))


def test_a_symbol_that_is_too_frequent_is_refused_in_a_shuffled_game():
    batch = celtica_env.make_batch("keltis", 1, seed=1, symbols="shuffled")
    states = batch.states.copy()
    states["place"][0, 0, :3] = Place.UP
    states["symbol"][0, 0, :3] = Symbol.CLOVER
    with pytest.raises(PositionError, match="there are 2 blue tiles with clover, not 3"):
        batch.set_states(states)
    states["symbol"][0, 0, 2] = Symbol.WISH
    batch.set_states(states)
    assert batch.states["symbols_down"][0, 0].tolist() == [5, 0, 1, 1, 1]


def test_with_no_tile_face_down_only_an_extra_turn_with_something_to_take_goes_on():
    position = Position({"blue": "2"}, {}, down="blue 3", up="pink 1")
    last = ("place", "blue 3", Place.ROW + 1)
    blue_row = ("direction", (1, 0), 1)
    with pytest.raises(PositionError, match="no tile is face down and none to be taken"):
        position.batch.set_states(edited(position, last, blue_row))
    extra = ("is_extra", (), 1)
    position.batch.set_states(edited(position, last, blue_row, extra))
    assert position.legal() == ["take pink 1", "leave"]
    taken = ("place", "pink 1", Place.ROW + 1)
    with pytest.raises(PositionError, match="none to be taken"):
        position.batch.set_states(edited(position, last, blue_row, extra, taken))
    over = ("phase", (), Phase.OVER)
    with pytest.raises(PositionError, match="no extra turn is going on"):
        position.batch.set_states(edited(position, last, blue_row, extra, over))
    position.batch.set_states(edited(position, last, blue_row, ("is_extra", (), 0), over))
    assert position.is_over


@pytest.mark.parametrize("symbols", ["fixed", "shuffled"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_what_follows_from_the_tiles_is_worked_out_as_the_rules_do(num_players, symbols):
    batch = celtica_env.make_batch("keltis", 4, num_players, seed=2, symbols=symbols)
    for rows, actions in decisions(batch):
        batch.step(actions, where=rows)
        states = batch.states.copy()
        for name in DERIVED:
            states[name] = 1
        clone = batch.clone()
        clone.set_states(states)
        assert clone.states.tobytes() == batch.states.tobytes()


def test_a_position_can_be_written_by_hand():
    text = (
        "keltis_v0 players=2 to_move=1 rng=5 phase=revealed "
        "place=03030000040/00000000000/00300000000/00000000000/00001000002 "
        "direction=1,0,0,0,0 first_player=0"
    )
    record = position_from_text(text)
    batch = celtica_env.make_batch("keltis", 1, seed=1)
    batch.set_states(record)
    assert batch.states["revealed"][0] == 4 * 11 + 10
    assert batch.states["row_last"][0, :2, 0].tolist() == [3, 9]
    assert position_to_text("keltis", record[0]) == text
