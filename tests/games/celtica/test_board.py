"""Boards: the shipped one, a user's own, and what is wrong with a bad one."""

import copy
import json

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import BoardError
from celtica_env.games.celtica.board import default_board, place_names, read_board
from celtica_env.games.celtica.tables import Place
from tests.games.celtica.positions import board_of
from tests.oracles.celtica import DEFAULT_BOARD


@pytest.fixture
def board():
    """A copy of the shipped board, to be spoiled."""
    return copy.deepcopy(default_board())


def test_the_shipped_board_is_the_documented_one():
    kinds, amounts = read_board(None)
    assert [Place(kind).name.lower() for kind in kinds] == [kind for kind, _ in DEFAULT_BOARD]
    assert amounts.tolist() == [amount for _, amount in DEFAULT_BOARD]


def test_the_shipped_board_agrees_with_what_the_rule_books_say_of_the_printed_one():
    kinds, amounts = read_board(None)
    assert len(kinds) == 19
    assert (kinds[0], kinds[18]) == (Place.START, Place.GOAL)
    cult, ruins = kinds == Place.CULT, kinds == Place.RUIN
    assert any(cult[p] and ruins[p + 1 : p + 3].all() for p in range(17))
    after_cult = [amounts[p + 1 : p + 3].tolist() for p in np.flatnonzero(cult)]
    assert [2, 3] in after_cult  # a ruin of 2 and a ruin of 3 follow a cult site at once
    assert amounts[3] == 1
    assert kinds[3] == Place.VILLAGE  # a village worth 1, two places from the first
    assert amounts[18] == amounts.max() == 5


def test_every_place_of_the_shipped_board_has_a_name_of_its_own():
    names = place_names()
    assert len(set(names)) == 19
    assert all(names)


def test_a_board_is_read_from_a_file_or_a_mapping_alike(board, tmp_path):
    board["places"][7]["amount"] = 4
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(board))
    for source in (board, path, str(path)):
        kinds, amounts = read_board(source)
        assert kinds.tolist() == read_board(None)[0].tolist()
        assert amounts[7] == 4
        assert place_names(source) == place_names()


def test_a_board_of_ones_own_decides_what_landing_brings():
    mine = board_of(["village 0", "castle 9", *["cult 0"] * 15, "goal 1"])
    batch = celtica_env.make_batch("celtica", 3, seed=1, board=mine)
    assert batch.states["place_amount"][:, 2].tolist() == [9, 9, 9]
    assert batch.states["place_kind"][0].tolist() == [0, 1, 3, *[4] * 15, 6]
    default = celtica_env.make_batch("celtica", 3, seed=1, board=default_board())
    assert default.states.tobytes() == celtica_env.make_batch("celtica", 3, seed=1).states.tobytes()


def test_names_and_amounts_may_be_left_out():
    kinds, amounts = read_board({"places": [{"kind": k} for k, _ in DEFAULT_BOARD]})
    assert kinds.tolist() == read_board(None)[0].tolist()
    assert not amounts.any()


def test_amounts_may_be_integers_of_numpy(board):
    board["places"][7]["amount"] = np.int64(4)
    assert read_board(board)[1][7] == 4


def spoil(board, place, **changes):
    board["places"][place].update(changes)
    return board


@pytest.mark.parametrize(
    ("place", "changes", "reason"),
    [
        (18, {"kind": "castle"}, "place 18 (Goal): must be the goal, got kind 'castle'"),
        (0, {"kind": "village"}, "place 0 (Start): must be the start, got kind 'village'"),
        (7, {"kind": "goal"}, "place 7 (Cloister of the spring): cannot be the goal"),
        (
            7,
            {"kind": "start", "amount": 0},
            "place 7 (Cloister of the spring): cannot be the start",
        ),
        (5, {"amount": -1}, "place 5 (Burnt tower): amount must be between 0 and 9, got -1"),
        (5, {"amount": 10}, "place 5 (Burnt tower): amount must be between 0 and 9, got 10"),
        (5, {"amount": 1.5}, "place 5 (Burnt tower): amount must be an integer, got 1.5"),
        (5, {"amount": 2.0}, "place 5 (Burnt tower): amount must be an integer, got 2.0"),
        (5, {"amount": "2"}, "place 5 (Burnt tower): amount must be an integer, got '2'"),
        (5, {"amount": True}, "place 5 (Burnt tower): amount must be an integer, got True"),
        (5, {"amount": None}, "place 5 (Burnt tower): amount must be an integer, got None"),
        (4, {"amount": 1}, "place 4 (Stone circle of the dawn): a cult place has no amount, got 1"),
        (0, {"amount": 1}, "place 0 (Start): a start place has no amount, got 1"),
        (5, {"amonut": 2}, "place 5 (Burnt tower): unknown key 'amonut'; a place has kind, amount"),
        (5, {"kind": "swamp"}, "place 5 (Burnt tower): kind must be one of start"),
        (5, {"kind": None}, "place 5 (Burnt tower): kind must be one of start"),
        (5, {"kind": ["ruin"]}, "place 5 (Burnt tower): kind must be one of start"),
    ],
)
def test_a_bad_place_is_refused_by_name_and_with_the_reason(board, place, changes, reason):
    with pytest.raises(BoardError) as refusal:
        celtica_env.make_batch("celtica", board=spoil(board, place, **changes))
    assert reason in str(refusal.value)


def test_a_place_without_a_kind_or_that_is_no_object_is_refused(board):
    del board["places"][5]["kind"]
    with pytest.raises(
        BoardError, match=r"place 5 \(Burnt tower\): kind must be one of start, .*, got None"
    ):
        read_board(board)
    board["places"][5] = "ruin 2"
    with pytest.raises(BoardError, match="place 5: expected an object with 'kind', got 'ruin 2'"):
        read_board(board)


@pytest.mark.parametrize("count", [0, 18, 20])
def test_a_wrong_number_of_places_is_refused(board, count):
    board["places"] = (board["places"] * 2)[:count]
    with pytest.raises(BoardError, match=f"a board has 19 places, this one {count}"):
        read_board(board)


@pytest.mark.parametrize(
    "content", [[], {}, {"places": "x" * 19}, {"places": None}, 3, "text", None]
)
def test_content_without_a_list_of_places_is_refused(content, tmp_path):
    path = tmp_path / "board.json"
    path.write_text(json.dumps(content))
    with pytest.raises(
        BoardError, match="a board is an object with a list 'places'|expected object, got"
    ):
        read_board(path)


@pytest.mark.parametrize("board", [3, [], b"x", object()])
def test_something_that_is_no_board_is_refused(board):
    with pytest.raises(BoardError, match=f"a path or an object, got {type(board).__name__}"):
        celtica_env.make_batch("celtica", board=board)


def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path):
    missing = tmp_path / "missing.json"
    with pytest.raises(BoardError, match=r"cannot read the board .*missing\.json: No such file"):
        celtica_env.make_batch("celtica", board=missing)
    with pytest.raises(BoardError, match="cannot read the board"):
        celtica_env.make_batch("celtica", board=tmp_path)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 10**5, b"{'places': []}"])
def test_a_file_that_is_no_json_is_refused_by_name(content, tmp_path):
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(BoardError, match=r"the board .*broken\.json: (no valid|expected obj)"):
        read_board(path)


def test_a_bad_board_is_an_error_a_caller_would_expect():
    with pytest.raises(ValueError, match="19 places"):
        celtica_env.make_batch("celtica", board={"places": []})
