"""A slow, plain reference implementation of the board game Celtica.

It follows the rule book section by section and keeps every pile of cards and parts as a real list,
so that a fast implementation can be compared with it decision by decision. Nothing in it is tuned.

Colours are red 0, grey 1, white 2, brown 3, black 4; kinds of amulet part are 0..8 (8 = centre).

All decisions share one flat numbering of 340 actions:

* 0..319: play `d` druid cards and `e` experience cards of colour `c`: ``c * 64 + d * 5 + e - 1``
* 320 + k: take a part of kind k from the display
* 329 + k: give a part of kind k
* 338: draw a druid card
* 339: pass at a cult site, or stop cashing in
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from tests.oracles.chance import Chance

NUM_COLOURS = 5
DRUID_CARDS_PER_COLOUR = 12
EXPERIENCE_CARDS_PER_COLOUR = 4
NUM_KINDS = 9
PARTS_PER_KIND = 10
DISPLAY_SIZE = 9
CARDS_PER_ROUND = 5
STARTING_PARTS = 2

PLAYS_PER_COLOUR = 64
FIRST_TAKE = 320
FIRST_GIVE = 329
DRAW = 338
STOP = 339

NOTHING_GIVEN = -1

PLACE_KINDS = ("start", "village", "cloister", "castle", "cult", "ruin", "goal")
AMULET_SITES = ("village", "cloister", "castle", "goal")

Pile = list[int]
Board = list[tuple[str, int]]

DEFAULT_BOARD: Board = [
    ("start", 0),
    ("village", 1),
    ("cloister", 2),
    ("village", 1),
    ("cult", 0),
    ("ruin", 2),
    ("ruin", 3),
    ("cloister", 2),
    ("castle", 3),
    ("cloister", 2),
    ("cult", 0),
    ("ruin", 2),
    ("ruin", 3),
    ("cloister", 2),
    ("castle", 3),
    ("cloister", 2),
    ("cult", 0),
    ("ruin", 3),
    ("goal", 5),
]


def encode_play(colour: int, druid_cards: int, experience_cards: int) -> int:
    """Returns the action that plays these cards."""
    return colour * PLAYS_PER_COLOUR + druid_cards * 5 + experience_cards - 1


def decode_play(action: int) -> tuple[int, int, int]:
    """Returns the colour and the numbers of druid and experience cards of a playing action."""
    colour, rest = divmod(action, PLAYS_PER_COLOUR)
    druid_cards, experience_cards = divmod(rest + 1, 5)
    return colour, druid_cards, experience_cards


def counts(pile: Pile, size: int) -> list[int]:
    """Returns how often each of the items 0..size-1 is in the pile."""
    return [pile.count(item) for item in range(size)]


def standing(parts: Pile) -> list[int]:
    """Returns the sizes of a player's amulets, best arrangement, largest first.

    Lists compare as the rule book's section on the end of the game ranks players: a longer run of
    complete amulets (size 9) first, then the largest incomplete amulet, the second largest, ...
    """
    owned = counts(parts, NUM_KINDS)
    return [sum(n >= level for n in owned) for level in range(1, max(owned) + 1)]


def win_payoffs(standings: Sequence[list[int]]) -> list[Fraction]:
    """Returns +1 for first place and -1/(P-1) for the others; tied winners share."""
    rivals = len(standings) - 1
    best = max(standings)
    winners = standings.count(best)
    share = (1 - Fraction(winners - 1, rivals)) / winners
    return [share if own == best else Fraction(-1, rivals) for own in standings]


def rank_payoffs(standings: Sequence[list[int]]) -> list[Fraction]:
    """Returns values evenly spaced from +1 (first) to -1 (last); tied players get their mean."""
    rivals = len(standings) - 1
    payoffs = []
    for own in standings:
        ahead = sum(other > own for other in standings)
        tied = standings.count(own)
        values = [1 - Fraction(2 * j, rivals) for j in range(ahead, ahead + tied)]
        payoffs.append(sum(values, Fraction(0)) / tied)
    return payoffs


def margin_payoffs(standings: Sequence[list[int]]) -> list[Fraction]:
    """Returns each player's lead in amulets over the mean of the others, divided by 10."""
    scores = [_amulets(own) for own in standings]
    rivals = len(scores) - 1
    return [(own - (sum(scores) - own) / rivals) / 10 for own in scores]


def _amulets(sizes: list[int]) -> Fraction:
    """Returns the complete amulets plus the finished fraction of the largest incomplete one."""
    incomplete = [size for size in sizes if size < NUM_KINDS]
    complete = len(sizes) - len(incomplete)
    return complete + Fraction(max(incomplete, default=0), NUM_KINDS)


PAYOFFS: dict[str, Callable[[Sequence[list[int]]], list[Fraction]]] = {
    "win": win_payoffs,
    "rank": rank_payoffs,
    "margin": margin_payoffs,
}


class CelticaOracle:
    """One game of Celtica.

    All piles are public lists of colours or kinds, so that tests can arrange any position.

    Attributes:
        to_move: the seat of the player to decide (the last one who decided once the game is over).
        phase: "play", "take", "give", "cult", "cash", "swap" or "over".
        pending: parts still to take or give in this landing, else 0.
        given: the kind on its way to the display in an open swap, else -1. The given part is
            neither among its former owner's parts nor on the display meanwhile.
    """

    def __init__(
        self,
        num_players: int,
        chance: Chance,
        *,
        rules: str = "german",
        overshoot: str = "clamp",
        first_player: int | None = None,
        board: Board | None = None,
    ) -> None:
        """Sets the game up.

        Args:
            num_players: 2 to 5.
            chance: where every random draw comes from.
            rules: "german", or "english" where landing on the goal has no action and the display is
                filled up at the beginning of every turn.
            overshoot: "clamp" stops a druid at the goal, "forbid" makes moving past it illegal.
            first_player: the seat that begins; drawn by chance when None.
            board: kind and amount of every place, from the start to the goal.
        """
        _check_options(num_players, rules, overshoot, first_player)
        self.num_players = num_players
        self.board = list(DEFAULT_BOARD if board is None else board)
        _check_board(self.board)
        self._chance = chance
        self._rules = rules
        self._overshoot = overshoot
        self._goal = len(self.board) - 1
        self._open_the_box()
        self._set_up(first_player)

    # ---------------------------------------------------------------- the public face

    @property
    def is_over(self) -> bool:
        return self.phase == "over"

    def legal_actions(self) -> list[int]:
        """Returns the sorted legal actions of the player to move; none once the game is over."""
        legal: dict[str, Callable[[], list[int]]] = {
            "play": self._legal_plays,
            "take": self._takes,
            "give": lambda: self._gives(self.to_move),
            "cult": lambda: [DRAW, STOP],
            "cash": lambda: [*self._cash_options(self.to_move), STOP],
            "swap": self._takes,
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
            "play": self._decide_play,
            "take": self._decide_take,
            "give": self._decide_give,
            "cult": self._decide_cult,
            "cash": self._decide_cash,
            "swap": self._decide_swap,
        }
        decide[self.phase](action)

    def payoffs(self, kind: str) -> list[float]:
        """Returns what the parts now owned are worth to each seat.

        Args:
            kind: "win", "rank" or "margin".
        """
        if kind not in PAYOFFS:
            raise ValueError(f"unknown kind of payoff: {kind!r}")
        standings = [standing(parts) for parts in self.parts]
        return [float(value) for value in PAYOFFS[kind](standings)]

    def snapshot(self) -> dict[str, Any]:
        """Returns the whole state as counts; "to_move" is present only while the game runs."""
        state: dict[str, Any] = {
            "hand": [counts(pile, NUM_COLOURS) for pile in self.hands],
            "experience": [counts(pile, NUM_COLOURS) for pile in self.experience],
            "parts": [counts(pile, NUM_KINDS) for pile in self.parts],
            "druid_supply": counts(self.druid_supply, NUM_COLOURS),
            "druid_discards": counts(self.druid_discards, NUM_COLOURS),
            "experience_supply": counts(self.experience_supply, NUM_COLOURS),
            "experience_discards": counts(self.experience_discards, NUM_COLOURS),
            "display": counts(self.display, NUM_KINDS),
            "stacks": counts(self.stacks, NUM_KINDS),
            "lost": counts(self.lost, NUM_KINDS),
            "druids": list(self.druids),
            "phase": self.phase,
            "pending": self.pending,
            "given": self.given,
        }
        if not self.is_over:
            state["to_move"] = self.to_move
        return state

    # ---------------------------------------------------------------- preparation

    def _open_the_box(self) -> None:
        self.druid_supply: Pile = list(range(NUM_COLOURS)) * DRUID_CARDS_PER_COLOUR
        self.druid_discards: Pile = []
        self.experience_supply: Pile = list(range(NUM_COLOURS)) * EXPERIENCE_CARDS_PER_COLOUR
        self.experience_discards: Pile = []
        self.stacks: Pile = list(range(NUM_KINDS)) * PARTS_PER_KIND
        self.display: Pile = []
        self.lost: Pile = []
        self.hands: list[Pile] = [[] for _ in range(self.num_players)]
        self.experience: list[Pile] = [[] for _ in range(self.num_players)]
        self.parts: list[Pile] = [[] for _ in range(self.num_players)]
        self.druids = [0] * NUM_COLOURS
        self._seats_to_cash: list[int] = []
        self.phase = "play"
        self.pending = 0
        self.given = NOTHING_GIVEN

    def _set_up(self, first_player: int | None) -> None:
        self._refill_display()
        for own in self.parts:
            for _ in range(STARTING_PARTS):
                self._draw(self.stacks, self.lost, own)
        self._deal(first_seat=0)
        if first_player is None:
            first_player = self._chance.below(self.num_players)
        self.to_move = first_player

    # ---------------------------------------------------------------- drawing

    def _draw(self, supply: Pile, discards: Pile, target: Pile) -> None:
        """Moves one random item from the supply to the target.

        An empty supply is first replaced by its discards; with both empty nothing is drawn.
        """
        if not supply:
            supply.extend(discards)
            discards.clear()
        if supply:
            supply.sort()
            target.append(supply.pop(self._chance.below(len(supply))))

    def _deal(self, first_seat: int) -> None:
        for seat in self._clockwise_from(first_seat):
            for _ in range(CARDS_PER_ROUND):
                self._draw(self.druid_supply, self.druid_discards, self.hands[seat])

    def _refill_display(self) -> None:
        for _ in range(DISPLAY_SIZE - len(self.display)):
            self._draw(self.stacks, self.lost, self.display)

    # ---------------------------------------------------------------- moving druids

    def _legal_plays(self) -> list[int]:
        """Returns the plays of a player, who holds at least one druid card of some colour."""
        hand = self.hands[self.to_move]
        experience = self.experience[self.to_move]
        return [
            encode_play(colour, d, e)
            for colour in range(NUM_COLOURS)
            for d in range(hand.count(colour) + 1)
            for e in range(experience.count(colour) + 1)
            if d + e >= 1 and self._may_move(colour, d + e)
        ]

    def _may_move(self, colour: int, distance: int) -> bool:
        place = self.druids[colour]
        if self._overshoot == "clamp" or place == self._goal:
            return True
        return place + distance <= self._goal

    def _decide_play(self, action: int) -> None:
        colour, druid_cards, experience_cards = decode_play(action)
        for _ in range(druid_cards):
            self.hands[self.to_move].remove(colour)
            self.druid_discards.append(colour)
        for _ in range(experience_cards):
            self.experience[self.to_move].remove(colour)
            self.experience_discards.append(colour)
        if self.druids[colour] == self._goal:
            self._end_turn()
        else:
            distance = druid_cards + experience_cards
            self.druids[colour] = min(self.druids[colour] + distance, self._goal)
            self._land_on(*self.board[self.druids[colour]])

    def _land_on(self, kind: str, amount: int) -> None:
        if kind == "goal" and self._rules == "english":
            self._end_turn()
        elif kind in AMULET_SITES:
            self._land_on_amulet_site(amount)
        elif kind == "ruin":
            self._land_on_ruin(amount)
        else:
            self._land_on_cult_site()

    # ---------------------------------------------------------------- amulet sites

    def _land_on_amulet_site(self, amount: int) -> None:
        self.pending = min(amount, len(self.display))
        if self.pending:
            self.phase = "take"
        else:
            self._end_turn()

    def _takes(self) -> list[int]:
        return [FIRST_TAKE + kind for kind in set(self.display)]

    def _decide_take(self, action: int) -> None:
        self._take(action - FIRST_TAKE)
        self.pending -= 1
        if self.pending == 0:
            self._refill_display()
            self._end_turn()

    def _take(self, kind: int) -> None:
        self.display.remove(kind)
        self.parts[self.to_move].append(kind)

    # ---------------------------------------------------------------- ruins

    def _land_on_ruin(self, amount: int) -> None:
        self.pending = min(amount, len(self.parts[self.to_move]))
        if self.pending:
            self.phase = "give"
        else:
            self._leave_ruin()

    def _gives(self, seat: int) -> list[int]:
        return [FIRST_GIVE + kind for kind in set(self.parts[seat])]

    def _decide_give(self, action: int) -> None:
        kind = action - FIRST_GIVE
        self.parts[self.to_move].remove(kind)
        self.lost.append(kind)
        self.pending -= 1
        if self.pending == 0:
            self._leave_ruin()

    def _leave_ruin(self) -> None:
        """Rewards the player with an experience card, even one who had no part to give."""
        own = self.experience[self.to_move]
        self._draw(self.experience_supply, self.experience_discards, own)
        self._end_turn()

    # ---------------------------------------------------------------- cult sites

    def _land_on_cult_site(self) -> None:
        if self.druid_supply or self.druid_discards:
            self.phase = "cult"
        else:
            self._end_turn()

    def _decide_cult(self, action: int) -> None:
        if action == DRAW:
            self._draw(self.druid_supply, self.druid_discards, self.hands[self.to_move])
        self._end_turn()

    # ---------------------------------------------------------------- ends of turn, round, game

    def _clockwise_from(self, seat: int) -> list[int]:
        return [(seat + offset) % self.num_players for offset in range(self.num_players)]

    def _end_turn(self) -> None:
        """Passes the turn on; a new round begins left of the player who played last.

        At the end of a round all druid cards are in the supply or on the discards, so that the
        player who begins the next one always gets cards.
        """
        self.phase = "play"
        if self._rules == "english":
            self._refill_display()
        if self._ends_at_once():
            self._end_game()
            return
        if not any(self.hands):
            if self._goal in self.druids:
                self._end_game()
                return
            self._deal(first_seat=self.to_move + 1)
        self.to_move = next(
            seat for seat in self._clockwise_from(self.to_move + 1) if self.hands[seat]
        )

    def _ends_at_once(self) -> bool:
        all_arrived = all(place == self._goal for place in self.druids)
        no_parts = not (self.display or self.stacks or self.lost)
        return all_arrived or no_parts

    def _end_game(self) -> None:
        for hand in self.hands:
            self.druid_discards.extend(hand)
            hand.clear()
        self._seats_to_cash = self._clockwise_from(self.to_move + 1)
        self._ask_to_cash()

    # ---------------------------------------------------------------- cashing in experience cards

    def _ask_to_cash(self) -> None:
        """Finds the next player with an option, refilling the display after each one without."""
        while self._seats_to_cash:
            seat = self._seats_to_cash[0]
            if self._cash_options(seat):
                self.phase = "cash"
                self.to_move = seat
                return
            self._finish_cashing()
        self.phase = "over"

    def _finish_cashing(self) -> None:
        self._seats_to_cash.pop(0)
        self._refill_display()

    def _cash_options(self, seat: int) -> list[int]:
        """Returns the ways to spend experience cards: take for 2, give and take for 1."""
        cards = len(self.experience[seat])
        if not self.display:
            return []
        takes = self._takes() if cards >= 2 else []
        gives = self._gives(seat) if cards >= 1 else []
        return takes + gives

    def _decide_cash(self, action: int) -> None:
        if action == STOP:
            self._finish_cashing()
            self._ask_to_cash()
        elif action >= FIRST_GIVE:
            self._spend_experience(1)
            self.given = action - FIRST_GIVE
            self.parts[self.to_move].remove(self.given)
            self.phase = "swap"
        else:
            self._spend_experience(2)
            self._take(action - FIRST_TAKE)
            self._ask_to_cash()

    def _decide_swap(self, action: int) -> None:
        self._take(action - FIRST_TAKE)
        self.display.append(self.given)
        self.given = NOTHING_GIVEN
        self._ask_to_cash()

    def _spend_experience(self, number: int) -> None:
        own = self.experience[self.to_move]
        for _ in range(number):
            card = min(own)
            own.remove(card)
            self.experience_discards.append(card)


def _check_options(num_players: int, rules: str, overshoot: str, first_player: int | None) -> None:
    if not 2 <= num_players <= 5:
        raise ValueError(f"Celtica is for 2 to 5 players, not {num_players}")
    if rules not in ("german", "english"):
        raise ValueError(f"unknown rules: {rules!r}")
    if overshoot not in ("clamp", "forbid"):
        raise ValueError(f"unknown overshoot: {overshoot!r}")
    if first_player is not None and not 0 <= first_player < num_players:
        raise ValueError(f"there is no seat {first_player}")


def _check_board(board: Board) -> None:
    """Checks that the path runs from the only start to the only goal over known places."""
    kinds = [kind for kind, _ in board]
    if set(kinds) - set(PLACE_KINDS) or any(amount < 0 for _, amount in board):
        raise ValueError("a place of the board has an unknown kind or a negative amount")
    if kinds[:1] != ["start"] or kinds[-1] != "goal" or {"start", "goal"} & set(kinds[1:-1]):
        raise ValueError("the board must run from its only start to its only goal")
