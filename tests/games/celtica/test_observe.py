"""The numbers of an observation against a slow computation from the record, piece by piece."""

import itertools

import numpy as np
import pytest

import celtica_env
from celtica_env.games.celtica.tables import LOOK_AHEAD, Phase, Place
from celtica_env.testing.play import NUM_GAMES, choose, decisions, pick
from tests.games.celtica.positions import EXTREME_BOARDS, GOAL, Position, board_of

SPEC = celtica_env.spec("celtica")
SCALES = 1 / SPEC.observation_scales()
BOARDS = {"shipped": None, **{name: board_of(lines) for name, lines in EXTREME_BOARDS.items()}}
VARIANTS = list(itertools.product(("german", "english"), ("clamp", "forbid")))


def bits(count: int, size: int) -> list[int]:
    """Return thermometer bits: the k-th, from 1, says whether there are at least k."""
    return [int(count >= k) for k in range(1, size + 1)]


def amulets(owned: list[int]) -> list[int]:
    """Return the number of complete amulets and the parts in the next two, built one by one."""
    left, sizes = list(owned), []
    while any(left):
        sizes.append(sum(count > 0 for count in left))
        left = [max(count - 1, 0) for count in left]
    complete = sizes.count(9)
    return [complete, *([*sizes[complete:], 0, 0][:2])]


def brings(s: np.void, place: int) -> int:
    """Return what landing on a place brings: parts, negative where they must be given."""
    if place > GOAL:
        return 0 if s["overshoot"] else brings(s, GOAL)
    if s["place_kind"][place] == Place.RUIN:
        return -int(s["place_amount"][place])
    if place == GOAL and s["edition"]:
        return 0
    return int(s["place_amount"][place])


def ahead(s: np.void, place: int) -> list[int]:
    if place == GOAL:
        return [0] * 2 * LOOK_AHEAD
    places = range(place + 1, place + 1 + LOOK_AHEAD)
    is_cult = [p < GOAL and s["place_kind"][p] == Place.CULT for p in places]
    return [brings(s, p) for p in places] + [int(flag) for flag in is_cult]


def own_cards(s: np.void, seat: int) -> list[int]:
    numbers = []
    for held, experience in zip(s["hand"][seat].tolist(), s["experience"][seat].tolist()):
        numbers += [held, experience, *bits(held, 5), *bits(experience, 3)]
        numbers += bits(held + experience, 6)
    return numbers


def rivals(s: np.void, others: list[int]) -> list[int]:
    numbers = []
    for other in others:
        held, experience = int(s["hand"][other].sum()), int(s["experience"][other].sum())
        owned = s["parts"][other].tolist()
        numbers += [1, int(held > 0), held, experience, *owned, *amulets(owned)]
    return numbers + [0] * (16 * 4 - len(numbers))


def still_to_cash(s: np.void, others: list[int]) -> list[int]:
    num_players = int(s["num_players"])
    coming: set[int] = set()
    if s["phase"] in (Phase.CASH, Phase.SWAP):
        turns = range(1, int(s["cash_left"]) + 1)
        coming = {(int(s["cash_seat"]) + turn) % num_players for turn in turns}
    flags = [int(other in coming) for other in others]
    return flags + [0] * (4 - len(flags))


def expected_pieces(s: np.void, seat: int) -> dict[str, list[int]]:
    """Return the integers of every piece as `seat` should see a full record."""
    num_players = int(s["num_players"])
    others = [(seat + turn) % num_players for turn in range(1, num_players)]
    druids, owned = s["druids"].tolist(), s["parts"][seat].tolist()
    known = [*s["hand_known"][others[0]].tolist(), *s["experience_known"][others[0]].tolist()]
    hidden = [s[name][others].sum(axis=0) for name in ("hand", "experience")]
    return {
        "phase": [int(s["phase"] == phase) for phase in list(Phase)[:-1]],
        "pending": bits(int(s["pending"]), 5),
        "cards": own_cards(s, seat),
        "hand_size": [int(s["hand"][seat].sum())],
        "experience_size": [int(s["experience"][seat].sum())],
        "druids": druids,
        "home": [int(place == GOAL) for place in druids],
        "ahead": [number for place in druids for number in ahead(s, place)],
        "display": s["display"].tolist(),
        "on_display": [int(count > 0) for count in s["display"]],
        "parts": owned,
        "surplus": [bit for count in owned for bit in bits(count - min(owned), 3)],
        "amulets": amulets(owned),
        "rivals": rivals(s, others),
        "unseen_druid_cards": (s["druid_supply"] + hidden[0]).tolist(),
        "unseen_experience": (s["experience_supply"] + hidden[1]).tolist(),
        "known_hand": known if num_players == 2 else [0] * 10,
        "supplies": [int(s["druid_supply"].sum()), int(s["experience_supply"].sum())],
        "stacks": s["stacks"].tolist(),
        "lost": s["lost"].tolist(),
        "cash_order": still_to_cash(s, others),
        "last_round": [int(GOAL in druids)],
        "num_players": [int(num_players == count) for count in (2, 3, 4, 5)],
        "rules": [int(s["edition"]), int(s["overshoot"])],
    }


def assert_seen_rightly(batch) -> None:
    """Compare what every seat sees of every game with the slow computation."""
    for seat in range(batch.num_players):
        seen = batch.observe(seats=np.full(batch.num_games, seat)) * SCALES
        for s, numbers in zip(batch.states, seen):
            expected = expected_pieces(s, seat)
            assert list(expected) == [piece.name for piece in SPEC.observation]
            if np.abs(numbers - np.concatenate(list(expected.values()))).max() > 1e-4:
                for name, where in SPEC.observation_slices().items():
                    assert np.rint(numbers[where]).astype(int).tolist() == expected[name], name
                raise AssertionError("an observation is not an integer divided by its scale")


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_every_piece_is_what_the_record_says(num_players, name, is_full_check):
    batches = [
        celtica_env.make_batch(
            "celtica",
            4 if is_full_check else 1,
            num_players,
            seed=101,
            rules=rules,
            overshoot=overshoot,
            board=BOARDS[name],
        )
        for rules, overshoot in VARIANTS
    ]
    for index, batch in enumerate(batches):
        for count, (rows, actions) in enumerate(decisions(batch)):
            if count % (1 if is_full_check else 17) == index:
                assert_seen_rightly(batch)
            batch.step(actions, where=rows)
        assert_seen_rightly(batch)


def test_the_rarer_phases_are_seen_rightly():
    """Cashing in with others still to come, in the middle of a swap, and an empty display."""
    game = Position(
        *("1 black", "", "", ""),
        experience=("", "2 red", "1 grey", "3 white"),
        owned=("112000000", "100000000", "111111111", "333333333"),
        druids=(GOAL, GOAL, GOAL, GOAL, GOAL - 1),
        rules="english",
    )
    game.act("play black 1+0")
    assert_seen_rightly(game.batch)
    game.act("give outer1")
    assert game.state["phase"] == Phase.SWAP
    assert_seen_rightly(game.batch)
    game.act("take centre")
    assert_seen_rightly(game.batch)
    game.act("pass")
    assert_seen_rightly(game.batch)
    game.move_all("display", "lost")
    assert_seen_rightly(game.batch)


def test_known_cards_of_the_other_are_seen_by_two_players():
    game = Position("1 red", "2 red 1 grey", experience=("", "1 black"), druids=(3,))
    for pile in ("druid", "experience"):
        game.move_all(f"{pile}_supply", f"{pile}_discards")
    game.act("play red 1+0", "draw")
    assert game.state["hand_known"][1].tolist() == [2, 1, 0, 0, 0]
    assert_seen_rightly(game.batch)
    slices = SPEC.observation_slices()
    mine = game.batch.observe(seats=[0])[0, slices["known_hand"]]
    np.testing.assert_allclose(mine[:5] * 12, [2, 1, 0, 0, 0], atol=1e-6)


# --- Derived fields of the record ----------------------------------------------------------------


@pytest.mark.parametrize(("rules", "overshoot"), VARIANTS)
@pytest.mark.parametrize("name", BOARDS)
def test_what_landing_brings_follows_from_board_and_options(name, rules, overshoot):
    batch = celtica_env.make_batch(
        "celtica", 1, seed=102, rules=rules, overshoot=overshoot, board=BOARDS[name]
    )
    s = batch.states[0]
    assert s["landing"].tolist() == [brings(s, place) for place in range(GOAL + 1)]
    assert s["ahead"].tolist() == [ahead(s, place) for place in range(GOAL + 1)]


@pytest.mark.parametrize(("rules", "overshoot"), VARIANTS)
@pytest.mark.parametrize("name", BOARDS)
def test_what_landing_brings_is_what_the_rules_do(name, rules, overshoot):
    """Every place, and the places past the goal, reached by the play that leads there."""
    for start in range(GOAL):
        for cards in range(1, LOOK_AHEAD + 1):
            game = Position(
                "8 red 1 grey",
                "1 grey",
                owned=("111111111",),
                druids=(start,),
                board=BOARDS[name],
                rules=rules,
                overshoot=overshoot,
            )
            parts, cult = game.state["ahead"][start].reshape(2, LOOK_AHEAD)[:, cards - 1].tolist()
            play = f"play red {cards}+0"
            if play not in game.legal():
                assert (parts, cult) == (0, 0)
                assert overshoot == "forbid"
                assert start + cards > GOAL
                continue
            game.act(play)
            is_asked = game.to_move == 0
            phase = game.state["phase"] if is_asked else None
            expected = {1: Phase.TAKE, 0: None, -1: Phase.GIVE}[np.sign(parts)]
            assert phase == (Phase.CULT if cult else expected)
            assert game.state["pending"] == abs(parts)


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_sizes_of_hands_are_those_of_the_hands(num_players):
    batch = celtica_env.make_batch("celtica", NUM_GAMES, num_players, seed=103)
    for rows, actions in decisions(batch):
        batch.step(actions, where=rows)
        for name in ("hand", "experience"):
            sizes = batch.states[name].sum(axis=2)
            np.testing.assert_array_equal(batch.states[f"{name}_size"], sizes)


# --- Boards at the edge --------------------------------------------------------------------------


def shortest_move(mask: np.ndarray, _count: int) -> int:
    return pick(mask, 0)


def shuffled(mask: np.ndarray, count: int) -> int:
    return pick(mask, 7919 * count)


@pytest.mark.parametrize("policy", [shortest_move, shuffled])
@pytest.mark.parametrize("num_players", [2, 5])
@pytest.mark.parametrize("name", EXTREME_BOARDS)
def test_bounds_and_length_hold_on_extreme_boards(name, num_players, policy):
    batch = celtica_env.make_batch("celtica", 2, num_players, seed=104, board=BOARDS[name])
    low, high = SPEC.observation_bounds()
    for count in range(SPEC.max_steps):
        seen = batch.observe()
        assert (seen >= low).all()
        assert (seen <= high).all()
        rows = np.flatnonzero(~batch.finished)
        if len(rows) == 0:
            break
        actions = [policy(mask, count) for mask in batch.masks(rows)]
        batch.step(actions, where=rows)
    assert batch.finished.all()


def test_every_phase_comes_up_in_random_games():
    """Many tests play at random and rely on it."""
    batch = celtica_env.make_batch("celtica", 4, 3, seed=105)
    phases = set()
    while not batch.finished.all():
        rows = np.flatnonzero(~batch.finished)
        batch.step(choose(batch, rows), where=rows)
        phases.update(batch.states["phase"].tolist())
    assert phases == set(Phase)
