"""A slow, plain reference implementation of the board game Celtic.

It follows the rule book section by section and keeps every marker and card in a real list, so that
a fast implementation can be compared with it decision by decision. Nothing in it is tuned.

Sites are 0 the village, 1..50 the locations, 51..57 the trade sites of the goods 0..6: hides,
bronze, wine, amber, jewelry, yellow pottery, blue pottery. Goals are 0..9 easy, 10..19 hard.

All decisions share one flat numbering of 154 actions:

* 0 + goal: complete this goal of the own hand
* 20 + good: return a marker from the trade site of this good and collect a card
* 27: done, go on
* 28: end the game by revealing all 7 goods
* 29 + site: move from this site
* 87 + site: move to this site
* 145 + number: move, or follow with, this many markers
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from tests.oracles.celtica import rank_payoffs, win_payoffs
from tests.oracles.chance import Chance

NUM_LOCATIONS = 50
NUM_GOODS = 7
NUM_SITES = 1 + NUM_LOCATIONS + NUM_GOODS
NUM_MARKERS = 8
CARDS_PER_GOOD = 16
NUM_EASY_GOALS = 10
NUM_GOALS = 20
STARTING_GOALS = 2
LAST_GOAL = 5
MAX_STEPS = 2

VILLAGE = 0
FIRST_TRADE_SITE = 51

EASY_LOCATIONS, EASY_POINTS = 2, 15
HARD_LOCATIONS, HARD_POINTS = 3, 20

FIRST_COMPLETE = 0
FIRST_COLLECT = 20
DONE = 27
END = 28
FIRST_START = 29
FIRST_DESTINATION = 87
FIRST_COUNT = 145
NUM_ACTIONS = 154

PHASES = ("before", "start", "destination", "count", "follow", "after", "final", "over")
"""The names of the phases, in the order of their numbers."""

Pile = list[int]


def is_easy(goal: int) -> bool:
    return goal < NUM_EASY_GOALS


def goal_points(completed: Pile) -> int:
    """Returns the influence gained from completed goals."""
    return sum(EASY_POINTS if is_easy(goal) else HARD_POINTS for goal in completed)


def ranked_kinds(cards: Pile, num_completed: int) -> list[int]:
    """Returns how many cards of each kind score, the most frequent kind first."""
    limit = num_completed + 1
    return sorted((min(number, limit) for number in counts(cards, NUM_GOODS)), reverse=True)


def trade_points(cards: Pile, num_completed: int) -> int:
    """Returns the influence gained from trade cards."""
    return sum(
        rank * number for rank, number in enumerate(ranked_kinds(cards, num_completed), start=1)
    )


def margin_payoffs(points: Sequence[int]) -> list[Fraction]:
    """Returns each player's lead in points over the mean of the others."""
    rivals = len(points) - 1
    return [own - Fraction(sum(points) - own, rivals) for own in points]


def counts(pile: Pile, size: int) -> list[int]:
    """Returns how often each of the items 0..size-1 is in the pile."""
    return [pile.count(item) for item in range(size)]


class CelticOracle:
    """One game of Celtic.

    All piles are public lists, so that tests can arrange any position before `begin_turn`.

    Attributes:
        markers: per seat the sites where the 8 family markers stand.
        hands: per seat the goals in hand.
        completed: per seat the completed goals, in the order of completion.
        trade_cards: per seat the goods of the collected cards.
        supply: per good the cards on its trade card space.
        deck: the goals nobody has drawn.
        phase: one of `PHASES`.
        to_move: the seat of the player to decide (the last one who decided once the game is over).
        active: the seat whose turn it is; once the game has ended, the seat that ended it.
        start: where the markers of this move come from, None before it is settled and after the
            last player has decided whether to follow.
        destination: where they go, likewise.
        turns: how many turns have been finished; a turn in which a player ends the game is none
            of them, the last of `max_turns` is.
        max_turns: after how many turns the game ends.
    """

    def __init__(
        self,
        num_players: int,
        chance: Chance,
        num_sites: int,
        roads: Sequence[Sequence[int]],
        goals: Sequence[Sequence[int]],
        *,
        first_player: int | None = None,
        max_turns: int = 400,
    ) -> None:
        """Sets the game up.

        Args:
            num_players: 2 to 4.
            chance: where every random draw comes from.
            num_sites: 58, the sites of the map.
            roads: pairs of sites.
            goals: the locations of each goal card, first the easy goals, then the hard ones.
            first_player: the seat that begins; drawn by chance when None.
            max_turns: after how many turns of all players together the game ends.
        """
        _check_options(num_players, first_player, max_turns)
        _check_roads(num_sites, roads)
        _check_goals(goals)
        self.num_players = num_players
        self.goals = [list(goal) for goal in goals]
        self.neighbours = _neighbours(num_sites, roads)
        self._chance = chance
        self.max_turns = max_turns
        self._open_the_box()
        self._set_up(first_player)

    # ---------------------------------------------------------------- the public face

    @property
    def is_over(self) -> bool:
        """Whether the game has been played to its end."""
        return self.phase == "over"

    def legal_actions(self) -> list[int]:
        """Returns the sorted legal actions of the player to move; none once the game is over."""
        legal: dict[str, Callable[[], list[int]]] = {
            "before": lambda: [*self._deeds(self.to_move), DONE],
            "start": lambda: [FIRST_START + site for site in set(self.markers[self.to_move])],
            "destination": lambda: [FIRST_DESTINATION + site for site in self._within_reach()],
            "count": lambda: self._numbers_of_markers(least=1),
            "follow": lambda: self._numbers_of_markers(least=0),
            "after": lambda: [*self._deeds(self.to_move), *self._ends(), DONE],
            "final": lambda: [*self._deeds(self.to_move), DONE],
            "over": list,
        }
        return sorted(legal[self.phase]())

    def step(self, action: int) -> None:
        """Takes one decision of the player to move.

        Raises:
            ValueError: the action is illegal or the game is over.
        """
        if action not in self.legal_actions():
            raise ValueError(f"action {action} is not legal in phase {self.phase!r}")
        decide: dict[str, Callable[[int], None]] = {
            "before": self._decide_before,
            "start": self._decide_start,
            "destination": self._decide_destination,
            "count": self._decide_count,
            "follow": self._decide_follow,
            "after": self._decide_after,
            "final": self._decide_final,
        }
        decide[self.phase](action)

    def points(self) -> list[int]:
        """Returns the influence of what each seat now owns."""
        return [
            goal_points(completed) + trade_points(cards, len(completed))
            for completed, cards in zip(self.completed, self.trade_cards, strict=True)
        ]

    def tie_breaks(self) -> list[int]:
        """Returns how many cards of each seat are worth 7 influence."""
        return [
            ranked_kinds(cards, len(completed))[-1]
            for completed, cards in zip(self.completed, self.trade_cards, strict=True)
        ]

    def payoffs(self, kind: str) -> list[float]:
        """Returns what the cards now owned are worth to each seat.

        Args:
            kind: "win", "rank" or "margin".
        """
        payoffs: dict[str, Callable[[], list[Fraction]]] = {
            "win": lambda: win_payoffs(self._standings()),
            "rank": lambda: rank_payoffs(self._standings()),
            "margin": lambda: margin_payoffs(self.points()),
        }
        if kind not in payoffs:
            raise ValueError(f"unknown kind of payoff: {kind!r}")
        return [float(value) for value in payoffs[kind]()]

    def snapshot(self) -> dict[str, Any]:
        """Returns the whole state; "to_move" is present only while somebody is to decide.

        Goals are listed in ascending order, markers are counted by site and cards by good.
        """
        state: dict[str, Any] = {
            "markers": [counts(own, NUM_SITES) for own in self.markers],
            "hands": [sorted(hand) for hand in self.hands],
            "completed": [sorted(completed) for completed in self.completed],
            "deck": sorted(self.deck),
            "trade_cards": [counts(cards, NUM_GOODS) for cards in self.trade_cards],
            "supply": [len(cards) for cards in self.supply],
            "phase": self.phase,
            "active": self.active,
            "start": self.start,
            "destination": self.destination,
            "turns": self.turns,
        }
        if not self.is_over:
            state["to_move"] = self.to_move
        return state

    # ---------------------------------------------------------------- game setup

    def _open_the_box(self) -> None:
        self.markers: list[Pile] = [[VILLAGE] * NUM_MARKERS for _ in range(self.num_players)]
        self.deck: Pile = list(range(NUM_GOALS))
        self.hands: list[Pile] = [[] for _ in range(self.num_players)]
        self.completed: list[Pile] = [[] for _ in range(self.num_players)]
        self.supply: list[Pile] = [[good] * CARDS_PER_GOOD for good in range(NUM_GOODS)]
        self.trade_cards: list[Pile] = [[] for _ in range(self.num_players)]
        self.turns = 0
        self._seats_to_follow: list[int] = []
        self._seats_to_finish: list[int] = []

    def _set_up(self, first_player: int | None) -> None:
        for seat in range(self.num_players):
            for _ in range(STARTING_GOALS):
                self._draw_goal(seat)
        if first_player is None:
            first_player = self._chance.below(self.num_players)
        self.begin_turn(first_player)

    def _draw_goal(self, seat: int) -> None:
        """Draws one goal card; from an empty deck nothing is drawn."""
        if self.deck:
            self.deck.sort()
            self.hands[seat].append(self.deck.pop(self._chance.below(len(self.deck))))

    # ---------------------------------------------------------------- game play

    def begin_turn(self, seat: int) -> None:
        """Begins a turn of this seat, at its first decision."""
        self.active = self.to_move = seat
        self.start: int | None = None
        self.destination: int | None = None
        self._ask_before()

    def _ask_before(self) -> None:
        if self._deeds(self.active):
            self.phase = "before"
        else:
            self._begin_move()

    def _decide_before(self, action: int) -> None:
        if action == DONE:
            self._begin_move()
            return
        self._do(action)
        if self._has_completed_all_goals():
            self._end_game()
        else:
            self._ask_before()

    def _ask_after(self) -> None:
        if self._deeds(self.active) or self._ends():
            self.phase = "after"
            self.to_move = self.active
        else:
            self._end_turn()

    def _decide_after(self, action: int) -> None:
        if action == DONE:
            self._end_turn()
            return
        if action == END:
            self._end_game()
            return
        self._do(action)
        if self._has_completed_all_goals():
            self._end_game()
        else:
            self._ask_after()

    def _end_turn(self) -> None:
        """Passes the turn on; after the last turn allowed, the others finish what they can."""
        self.turns += 1
        if self.turns < self.max_turns:
            self.begin_turn(self._clockwise_from(self.active + 1)[0])
        else:
            self._seats_to_finish = self._clockwise_from(self.active)[1:]
            self._ask_final()

    def _clockwise_from(self, seat: int) -> list[int]:
        return [(seat + offset) % self.num_players for offset in range(self.num_players)]

    # ---------------------------------------------------------------- move family markers

    def _begin_move(self) -> None:
        sites = set(self.markers[self.active])
        if len(sites) > 1:
            self.phase = "start"
        else:
            self._start_from(*sites)

    def _decide_start(self, action: int) -> None:
        self._start_from(action - FIRST_START)

    def _start_from(self, site: int) -> None:
        self.start = site
        self.phase = "destination"

    def _within_reach(self) -> list[int]:
        """Returns the sites 1 or 2 steps from the start; the way back to it is no move."""
        assert self.start is not None
        reached = {self.start}
        for _ in range(MAX_STEPS):
            reached |= {site for place in reached for site in self.neighbours[place]}
        return sorted(reached - {self.start})

    def _decide_destination(self, action: int) -> None:
        self.destination = action - FIRST_DESTINATION
        if self._num_at_start(self.active) > 1:
            self.phase = "count"
        else:
            self._lead_move(1)

    def _numbers_of_markers(self, least: int) -> list[int]:
        most = self._num_at_start(self.to_move)
        return [FIRST_COUNT + number for number in range(least, most + 1)]

    def _num_at_start(self, seat: int) -> int:
        assert self.start is not None
        return self.markers[seat].count(self.start)

    def _decide_count(self, action: int) -> None:
        self._lead_move(action - FIRST_COUNT)

    def _lead_move(self, number: int) -> None:
        self._move(self.active, number)
        self._seats_to_follow = self._clockwise_from(self.active + 1)[:-1]
        self._ask_to_follow()

    def _move(self, seat: int, number: int) -> None:
        assert self.start is not None
        assert self.destination is not None
        for _ in range(number):
            self.markers[seat].remove(self.start)
            self.markers[seat].append(self.destination)

    # ---------------------------------------------------------------- travelling together

    def _ask_to_follow(self) -> None:
        """Asks the next player who can follow; after the last one the move is finished."""
        while self._seats_to_follow:
            seat = self._seats_to_follow.pop(0)
            if self._num_at_start(seat) > 0:
                self.phase = "follow"
                self.to_move = seat
                return
        self.start = None
        self.destination = None
        self._ask_after()

    def _decide_follow(self, action: int) -> None:
        self._move(self.to_move, action - FIRST_COUNT)
        self._ask_to_follow()

    # ---------------------------------------------------------------- goals and trade

    def _deeds(self, seat: int) -> list[int]:
        """Returns the goals that can be completed and the goods that can be collected."""
        sites = self.markers[seat]
        completes = [
            FIRST_COMPLETE + goal
            for goal in self.hands[seat]
            if all(location in sites for location in self.goals[goal])
        ]
        collects = [
            FIRST_COLLECT + good for good in range(NUM_GOODS) if FIRST_TRADE_SITE + good in sites
        ]
        return completes + collects

    def _do(self, action: int) -> None:
        if action < FIRST_COLLECT:
            self._complete(action - FIRST_COMPLETE)
        else:
            self._collect(action - FIRST_COLLECT)

    def _complete(self, goal: int) -> None:
        """Completes a goal; from the fourth one on no card is drawn."""
        self.hands[self.to_move].remove(goal)
        self.completed[self.to_move].append(goal)
        for location in self.goals[goal]:
            self._return_to_village(location)
        if len(self.completed[self.to_move]) < LAST_GOAL - 1:
            self._draw_goal(self.to_move)

    def _collect(self, good: int) -> None:
        """Returns a marker from a trade site, for a card of its good if there is one left."""
        self._return_to_village(FIRST_TRADE_SITE + good)
        if self.supply[good]:
            self.trade_cards[self.to_move].append(self.supply[good].pop())

    def _return_to_village(self, site: int) -> None:
        self.markers[self.to_move].remove(site)
        self.markers[self.to_move].append(VILLAGE)

    # ---------------------------------------------------------------- game end

    def _has_completed_all_goals(self) -> bool:
        return len(self.completed[self.active]) >= LAST_GOAL

    def _ends(self) -> list[int]:
        """Returns the action that reveals all goods to end the game, if they are all there."""
        has_all_goods = set(self.trade_cards[self.active]) == set(range(NUM_GOODS))
        return [END] if has_all_goods else []

    def _end_game(self) -> None:
        self._seats_to_finish = self._clockwise_from(self.active)
        self._ask_final()

    def _ask_final(self) -> None:
        """Asks the next player who can still complete or collect with the markers in place."""
        while self._seats_to_finish:
            seat = self._seats_to_finish[0]
            if self._deeds(seat):
                self.phase = "final"
                self.to_move = seat
                return
            self._seats_to_finish.pop(0)
        self.phase = "over"

    def _decide_final(self, action: int) -> None:
        if action == DONE:
            self._seats_to_finish.pop(0)
        else:
            self._do(action)
        self._ask_final()

    # ---------------------------------------------------------------- scoring

    def _standings(self) -> list[list[int]]:
        """Returns what ranks the players: the points, then the cards worth 7."""
        return [list(pair) for pair in zip(self.points(), self.tie_breaks(), strict=True)]


def _neighbours(num_sites: int, roads: Sequence[Sequence[int]]) -> dict[int, set[int]]:
    """Returns the sites one step from each site; a road leads both ways."""
    neighbours: dict[int, set[int]] = {site: set() for site in range(num_sites)}
    for one, other in roads:
        neighbours[one].add(other)
        neighbours[other].add(one)
    return neighbours


def _check_options(num_players: int, first_player: int | None, max_turns: int) -> None:
    if not 2 <= num_players <= 4:
        raise ValueError(f"Celtic is for 2 to 4 players, not {num_players}")
    if first_player is not None and not 0 <= first_player < num_players:
        raise ValueError(f"there is no seat {first_player}")
    if not 1 <= max_turns <= 2000:
        raise ValueError(f"a game ends after 1 to 2000 turns, not {max_turns}")


def _check_roads(num_sites: int, roads: Sequence[Sequence[int]]) -> None:
    """Checks that the roads join all sites of the map."""
    if num_sites != NUM_SITES:
        raise ValueError(f"the map must have {NUM_SITES} sites, not {num_sites}")
    if any(len(set(road)) != 2 or not set(road) <= set(range(num_sites)) for road in roads):
        raise ValueError("a road must join two different sites of the map")
    neighbours = _neighbours(num_sites, roads)
    reached = {VILLAGE}
    for _ in range(num_sites):
        reached |= {site for place in reached for site in neighbours[place]}
    if len(reached) < num_sites:
        raise ValueError("a site cannot be reached from the village")


def _check_goals(goals: Sequence[Sequence[int]]) -> None:
    """Checks that 10 goals of 2 and 10 goals of 3 locations share the locations out."""
    sizes = [EASY_LOCATIONS if is_easy(goal) else HARD_LOCATIONS for goal in range(NUM_GOALS)]
    if [len(goal) for goal in goals] != sizes:
        raise ValueError("there must be 10 goals of 2 locations, then 10 goals of 3 locations")
    if sorted(site for goal in goals for site in goal) != list(range(1, FIRST_TRADE_SITE)):
        raise ValueError("each location must be on exactly one goal")
