"""The numbers of an observation against a slow computation from the record, piece by piece."""

from functools import cache

import numpy as np
import pytest

import celtica_env
from celtica_env.games.celtic.tables import GOODS, NO_SITE, Phase
from celtica_env.testing.play import NUM_GAMES, choose, decisions
from tests.games.celtic.maps import COMPLETE, LINE, STAR, map_of
from tests.games.celtic.positions import SCALES, Position, goal_of, site_of

SPEC = celtica_env.spec("celtic")
MAPS = {"shipped": None, "star": map_of(STAR), "line": map_of(LINE), "complete": map_of(COMPLETE)}
SITES, TRADE_SITES = range(58), range(51, 58)


def bits(count: int, size: int) -> list[int]:
    """Return thermometer bits: the k-th, from 1, says whether there are at least k."""
    return [int(count >= k) for k in range(1, size + 1)]


def one_hot(index: int, size: int) -> list[int]:
    return [int(k == index) for k in range(size)]


@cache
def slow_steps(roads: tuple[int, ...]) -> list[list[int]]:
    """Return the steps between all sites, at most 15, by walking outwards from each."""
    steps = [[15] * len(SITES) for _ in SITES]
    for start in SITES:
        steps[start][start], reached = 0, [start]
        for site in reached:
            for other in SITES:
                if roads[site] >> other & 1 and other not in reached:
                    steps[start][other] = min(15, steps[start][site] + 1)
                    reached.append(other)
    return steps


class Slow:
    """What one seat of a full record can see, worked out from scratch."""

    def __init__(self, s: np.void, seat: int) -> None:
        self.s, self.seat = s, seat
        num_players = int(s["num_players"])
        self.seats = [(seat + turn) % num_players for turn in range(num_players)]
        self.steps = slow_steps(tuple(s["roads"].tolist()))
        self.own = s["markers"][seat].tolist()
        self.hand = sorted(np.flatnonzero(s["hand"][seat]).tolist(), key=self.moves_left)
        self.targets = [[x for x in self.locations(g) if not self.own[x]] for g in self.hand]

    def locations(self, goal: int) -> list[int]:
        return [site for site in self.s["goal_sites"][goal].tolist() if site != NO_SITE]

    def from_own(self, site: int) -> int:
        return min(self.steps[site][other] for other in SITES if self.own[other])

    def moves_left(self, goal: int) -> int:
        return sum(-(-self.from_own(site) // 2) for site in self.locations(goal))

    def near(self) -> list[int]:
        return [
            min((self.steps[site][t] for t in targets), default=0)
            for targets in self.slots_of(self.targets)
            for site in SITES
        ]

    @staticmethod
    def slots_of(per_goal: list[list[int]]) -> list[list[int]]:
        """Return one list for each of the two goals that may be in hand."""
        return [*per_goal, [], []][:2]

    def gain(self) -> list[list[int]]:
        """Return, per goal in hand and site, the steps that a marker there would save."""
        return [
            [sum(max(0, self.from_own(t) - self.steps[x][t]) for t in targets) for x in SITES]
            for targets in self.slots_of(self.targets)
        ]

    def gain_in_reach(self) -> list[int]:
        return [
            max(gain[other] for other in SITES if self.steps[site][other] <= 2)
            if self.own[site]
            else 0
            for gain in self.gain()
            for site in SITES
        ]

    def goals(self) -> list[int]:
        numbers = []
        for goal in range(20):
            is_done = goal in self.hand and all(self.own[x] for x in self.locations(goal))
            done_by = [int(self.s["completed"][other, goal]) for other in self.seats]
            numbers += [int(goal in self.hand), int(is_done), *done_by, *[0] * (4 - len(done_by))]
        return numbers

    def slots(self) -> list[int]:
        numbers = []
        for goal, targets in zip(self.hand, self.targets):
            numbers += [1, int(goal >= 10), *bits(len(targets), 3)]
            for site in [*self.locations(goal), None][:3]:
                steps = self.from_own(site) if site in targets else 0
                is_target = site in targets
                ahead = [int(is_target and steps <= 2 * moves) for moves in (1, 2, 3)]
                numbers += [steps, int(is_target), *ahead]
        return numbers + [0] * (2 * 20 - len(numbers))

    def points(self, seat: int) -> tuple[int, int]:
        """Return points for goals and for trade, the cards ranked one after the other."""
        done = int(self.s["num_completed"][seat])
        ranked = sorted((min(int(n), done + 1) for n in self.s["cards"][seat]), reverse=True)
        goals = np.flatnonzero(self.s["completed"][seat])
        return int(sum(np.where(goals < 10, 15, 20))), sum(
            rank * count for rank, count in enumerate(ranked, start=1)
        )

    def goods(self) -> list[int]:
        numbers = []
        for good, site in enumerate(TRADE_SITES):
            owned, left = int(self.s["cards"][self.seat, good]), int(self.s["supply"][good])
            steps = self.from_own(site)
            numbers += [owned, *bits(owned, 6), self.points_of_next(good), left, int(left > 0)]
            numbers += [self.own[site], steps, int(steps <= 2), 16 - left - owned]
        return numbers

    def points_of_next(self, good: int) -> int:
        if not self.s["supply"][good]:
            return 0
        before = self.points(self.seat)[1]
        richer = self.s.copy()
        richer["cards"][self.seat, good] += 1
        return Slow.points(_Of(richer), self.seat)[1] - before

    def rival_cards(self) -> list[int]:
        cards = [n for other in self.seats[1:] for n in self.s["cards"][other].tolist()]
        if not self.s["public_trade_cards"]:
            cards = []
        return cards + [0] * (21 - len(cards))

    def about_seats(self) -> list[int]:
        numbers = []
        for other in self.seats:
            is_known = other == self.seat or self.s["public_trade_cards"]
            goals, trade = self.points(other)
            missing = int((self.s["cards"][other] == 0).sum())
            markers = self.s["markers"][other]
            numbers += [1, *bits(int(self.s["num_completed"][other]), 5), goals]
            numbers += [trade // 2 if is_known else 0, int(self.s["num_cards"][other])]
            numbers += [missing, int(missing == 0)] if is_known else [0, 0]
            numbers += [8 - int(markers[0]), int(markers[51:].sum())]
        return numbers + [0] * (4 * 13 - len(numbers))

    def lead(self) -> list[int]:
        totals = []
        for other in self.seats:
            goals, trade = self.points(other)
            is_known = other == self.seat or self.s["public_trade_cards"]
            totals.append(goals + (trade if is_known else 0))
        lead = totals[0] - max(totals[1:])
        return [max(-100, min(100, lead)), int(lead >= 0), int(lead > 0)]

    def move(self) -> list[int]:
        start, end = int(self.s["start"]), int(self.s["destination"])
        if start == NO_SITE:
            return [0] * 16
        markers = bits(self.own[start], 8)
        if end == NO_SITE:
            return markers + [0] * 8
        targets = [t for ts in self.targets for t in ts]
        numbers = [int(end in targets), int(end >= 51)]
        for sites in (targets, TRADE_SITES):
            numbers.append(sum(self.steps[end][x] < self.steps[start][x] for x in sites))
        near = self.near()
        for at, gain in zip((0, 58), self.gain()):
            numbers += [gain[end], near[at + start] - near[at + end]]
        return markers + numbers

    def turns(self) -> list[int]:
        done, limit = int(self.s["turns"]), int(self.s["max_turns"])
        return [100 * done // limit, *[int(limit - done <= 2**k) for k in range(7)]]

    def pieces(self) -> dict[str, list[int]]:
        """Return the integers of every piece."""
        s, targets = self.s, [t for ts in self.targets for t in ts]
        rivals = [n for other in self.seats[1:] for n in s["markers"][other].tolist()]
        in_hand = [site for goal in self.hand for site in self.locations(goal)]
        return {
            "phase": one_hot(int(s["phase"]), 7),
            "active": one_hot(self.seats.index(int(s["active"])), 4),
            "markers": self.own,
            "has_marker": [int(n > 0) for n in self.own],
            "has_markers": [int(n > 1) for n in self.own],
            "own_steps": [self.from_own(site) for site in SITES],
            "rival_markers": rivals + [0] * (3 * 58 - len(rivals)),
            "target": [int(site in targets) for site in SITES],
            "covered": [int(site in in_hand and site not in targets) for site in SITES],
            "near": self.near(),
            "gain": [number for gain in self.gain() for number in gain],
            "gain_in_reach": self.gain_in_reach(),
            "start": one_hot(int(s["start"]), 58),
            "destination": one_hot(int(s["destination"]), 58),
            "goals": self.goals(),
            "hand": self.slots(),
            "goods": self.goods(),
            "rival_cards": self.rival_cards(),
            "seats": self.about_seats(),
            "lead": self.lead(),
            "move": self.move(),
            "turns": self.turns(),
            "num_players": one_hot(len(self.seats) - 2, 3),
            "rules": [int(s["public_trade_cards"])],
        }


class _Of:
    """Just enough of `Slow` to count the points of another record."""

    def __init__(self, s: np.void) -> None:
        self.s = s


def assert_seen_rightly(batch) -> None:
    """Compare what every seat sees of every game with the slow computation."""
    for seat in range(batch.num_players):
        seen = batch.observe(seats=np.full(batch.num_games, seat)) * SCALES
        for s, numbers in zip(batch.states, seen):
            expected = Slow(s, seat).pieces()
            assert list(expected) == [piece.name for piece in SPEC.observation]
            if np.abs(numbers - np.concatenate(list(expected.values()))).max() > 1e-4:
                for name, where in SPEC.observation_slices().items():
                    assert np.rint(numbers[where]).astype(int).tolist() == expected[name], name
                raise AssertionError("an observation is not an integer divided by its scale")


@pytest.mark.parametrize("is_public", [True, False])
@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_every_piece_is_what_the_record_says(num_players, name, is_public, is_full_check):
    batch = celtica_env.make_batch(
        "celtic", 1, num_players, seed=101, map=MAPS[name], public_trade_cards=is_public,
        max_turns=200 if is_full_check else 70,
    )  # fmt: skip
    stride = 7 if is_full_check else 41
    for count, (rows, actions) in enumerate(decisions(batch)):
        if count % stride == 0:
            assert_seen_rightly(batch)
        batch.step(actions, where=rows)
    assert_seen_rightly(batch)


def test_targets_are_where_a_goal_in_hand_lacks_a_marker():
    goal = goal_of("cows", "fish", "sheep")
    game = Position({"cows": 2, "salt": 1}, {}, hands=((goal, 0),))
    target, covered = game.seen(0, "target"), game.seen(0, "covered")
    assert [target[site_of(name)] for name in ("cows", "fish", "sheep")] == [0, 1, 1]
    assert [covered[site_of(name)] for name in ("cows", "fish", "sheep")] == [1, 0, 0]
    assert not any(game.seen(1, "target")[site_of(name)] for name in ("cows", "fish", "sheep"))


def test_a_follower_sees_what_following_would_bring():
    goal = goal_of("spelt", "crayfish")
    game = Position({}, {"cows": 1}, hands=((0, 1), (goal, 2)))
    game.act("to spelt", "move 1")
    assert (game.to_move, game.phase) == (1, Phase.FOLLOW)
    move = game.seen(1, "move")
    assert move[:8] == [1] * 7 + [0]  # seven own markers on the start
    assert move[8:10] == [1, 0]  # a target, no trade site
    assert game.seen(1, "active") == [0, 1, 0, 0]


def test_the_rarer_phases_are_seen_rightly():
    """The final round, with all goods in hand, and nothing left of a good."""
    game = Position(
        {"wine": 1},
        {"hides": 2, "cows": 1},
        {"wine": 1},
        cards=(dict.fromkeys(GOODS, 1),),
        completed=((0, 1, 2, 3), (10, 11), ()),
        supply={"wine": 1},
        phase=Phase.AFTER,
        turns=399,
    )
    assert_seen_rightly(game.batch)
    game.act("end")
    assert_seen_rightly(game.batch)
    game.act("collect wine")
    assert_seen_rightly(game.batch)
    game.act("collect hides", "done", "collect wine")
    assert game.is_over
    assert_seen_rightly(game.batch)


def test_bounds_hold_where_points_and_cards_are_most():
    """One seat has completed five hard goals and holds all trade cards."""
    hard_goals = (15, 16, 17, 18, 19)
    everything = dict.fromkeys(GOODS, 16)
    game = Position(
        {"wine": 1}, {}, cards=(everything,), completed=(hard_goals,), phase=Phase.FINAL
    )
    low, high = SPEC.observation_bounds()
    for seat, lead in ((0, 100), (1, -100)):
        seen = game.batch.observe(seats=[seat])[0]
        assert (seen >= low).all()
        assert (seen <= high).all()
        assert game.seen(seat, "lead")[0] == lead
    assert game.seen(0, "seats")[6:9] == [100, 6 * 28 // 2, 112]
    assert_seen_rightly(game.batch)


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("num_players", [2, 4])
def test_bounds_hold_on_all_maps(num_players, name):
    batch = celtica_env.make_batch(
        "celtic", NUM_GAMES, num_players, seed=104, map=MAPS[name], max_turns=120
    )
    low, high = SPEC.observation_bounds()
    for rows, actions in decisions(batch):
        seen = batch.observe()
        assert (seen >= low).all()
        assert (seen <= high).all()
        batch.step(actions, where=rows)
    assert batch.finished.all()


def test_every_phase_comes_up_in_random_games():
    """Many tests play at random and rely on it."""
    batch = celtica_env.make_batch("celtic", 32, 3, seed=105)
    phases = set()
    while not batch.finished.all():
        rows = np.flatnonzero(~batch.finished)
        batch.step(choose(batch, rows), where=rows)
        phases.update(batch.states["phase"].tolist())
    assert phases == set(Phase)
