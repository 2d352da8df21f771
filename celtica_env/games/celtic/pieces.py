"""The pieces of the Celtic observation vector: names, sizes, scales, bounds and meaning."""

from celtica_env.core.types import Piece
from celtica_env.games.celtic.tables import (
    CARDS_PER_GOOD,
    FARTHEST,
    GOALS_AT_START,
    GOALS_TO_END,
    HARD_POINTS,
    HARD_SITES,
    MARKERS_PER_PLAYER,
    MAX_PLAYERS,
    NUM_GOALS,
    NUM_GOODS,
    NUM_SITES,
    REACH,
    Phase,
)

NUM_PHASES = len(Phase) - 1  # all but OVER, in which nobody decides
OTHERS = MAX_PLAYERS - 1
STEPS_SCALE = 8
MAX_TARGETS = GOALS_AT_START * HARD_SITES
GAIN_SCALE, MAX_GAIN = 8, HARD_SITES * FARTHEST
MOVES_AHEAD = 3
CARD_BITS = GOALS_TO_END + 1  # more cards of a good never count
GOAL_SIZE = 2 + MAX_PLAYERS
LOCATION_SIZE = 2 + MOVES_AHEAD
SLOT_SIZE = 2 + HARD_SITES + HARD_SITES * LOCATION_SIZE
GOOD_SIZE = 8 + CARD_BITS
SEAT_SIZE = 9 + GOALS_TO_END - 1
LEAD_SCALE = 100
TURN_BITS = 7
PERCENT = 100

_STEPS = (STEPS_SCALE, FARTHEST)
_LOCATION = (_STEPS, *[(1, 1)] * (1 + MOVES_AHEAD))
_SLOT = ((1, 1), (1, 1), *[(1, 1)] * HARD_SITES, *_LOCATION * HARD_SITES)
_CARDS, _MARKERS = (CARDS_PER_GOOD, CARDS_PER_GOOD), (MARKERS_PER_PLAYER, MARKERS_PER_PLAYER)
_GOOD = (
    *(_CARDS, *[(1, 1)] * CARD_BITS, (NUM_GOODS, NUM_GOODS), _CARDS, (1, 1)),
    *(_MARKERS, _STEPS, (1, 1), _CARDS),
)
_GOAL_POINTS = GOALS_TO_END * HARD_POINTS
_HALF_TRADE_POINTS = (GOALS_TO_END + 1) * NUM_GOODS * (NUM_GOODS + 1) // 4
_SEAT_SCALES = (
    *(1, *[1] * (GOALS_TO_END), _GOAL_POINTS, _HALF_TRADE_POINTS, NUM_GOODS * CARDS_PER_GOOD),
    *(NUM_GOODS, 1, MARKERS_PER_PLAYER, MARKERS_PER_PLAYER),
)


def _scales(pairs: tuple[tuple[int, int], ...], times: int) -> dict[str, tuple[int, ...]]:
    """Return scale and highest value of a pattern of pairs of them, repeated."""
    scales, highs = zip(*pairs)
    return {"scale": scales * times, "high": highs * times}


PIECES = (
    Piece("phase", NUM_PHASES, "one-hot: before, start, destination, count, follow, after, final"),
    Piece("active", MAX_PLAYERS, "one-hot: seat whose turn it is, or who ended the game"),
    Piece("markers", NUM_SITES, "own markers on each site", MARKERS_PER_PLAYER),
    Piece("has_marker", NUM_SITES, "an own marker is on the site"),
    Piece("has_markers", NUM_SITES, "two own markers or more are on the site"),
    Piece(
        "own_steps",
        NUM_SITES,
        "steps from each site to the nearest own marker",
        STEPS_SCALE,
        high=FARTHEST,
    ),
    Piece("rival_markers", OTHERS * NUM_SITES, "per other seat: markers", MARKERS_PER_PLAYER),
    Piece("target", NUM_SITES, "a goal in hand needs an own marker on the site"),
    Piece("covered", NUM_SITES, "a goal in hand has its own marker on the site"),
    Piece(
        "near",
        GOALS_AT_START * NUM_SITES,
        "per goal in hand: steps from each site to the nearest target",
        STEPS_SCALE,
        high=FARTHEST,
    ),
    Piece(
        "gain",
        GOALS_AT_START * NUM_SITES,
        "per goal in hand: steps by which a marker on each site would be nearer to its targets "
        "than the own ones, added up",
        GAIN_SCALE,
        high=MAX_GAIN,
    ),
    Piece(
        "gain_in_reach",
        GOALS_AT_START * NUM_SITES,
        "per goal in hand, for sites with an own marker: the most gain of a site in reach",
        GAIN_SCALE,
        high=MAX_GAIN,
    ),
    Piece("start", NUM_SITES, "one-hot: site moved from"),
    Piece("destination", NUM_SITES, "one-hot: site moved to"),
    Piece(
        "goals",
        NUM_GOALS * GOAL_SIZE,
        "per goal: in the own hand, can be completed now, completed by each seat",
    ),
    Piece(
        "hand",
        GOALS_AT_START * SLOT_SIZE,
        "per goal in hand: present, hard, targets >= 1 .. >= 3; per location: steps from the "
        "nearest own marker, is a target, is one in 1, 2, 3 moves",
        **_scales(_SLOT, GOALS_AT_START),
    ),
    Piece(
        "goods",
        NUM_GOODS * GOOD_SIZE,
        "per good: own cards, bits >= 1 .. >= 6, points that one more card brings, supply, any "
        "left, own markers on its site, steps from the nearest own marker, one move away, cards "
        "of all others",
        **_scales(_GOOD, NUM_GOODS),
    ),
    Piece("rival_cards", OTHERS * NUM_GOODS, "per other seat: trade cards", CARDS_PER_GOOD),
    Piece(
        "seats",
        MAX_PLAYERS * SEAT_SIZE,
        "per seat, the own first: present, goals >= 1 .. >= 5, points for goals, half the points "
        "for trade, trade cards, goods without a card, none without, markers away from the "
        "village, markers on trade sites",
        _SEAT_SCALES * MAX_PLAYERS,
    ),
    Piece(
        "lead",
        3,
        "own points less the best other's, then whether that is >= 0, > 0",
        (LEAD_SCALE, 1, 1),
        low=(-LEAD_SCALE, 0, 0),
    ),
    Piece(
        "move",
        4 + MARKERS_PER_PLAYER + 2 * GOALS_AT_START,
        "own markers on the start: bits >= 1 .. >= 8; the destination is a target, a trade site; "
        "targets and trade sites nearer than from the start; per goal: gain, steps nearer",
        (*[1] * (MARKERS_PER_PLAYER + 2), MAX_TARGETS, NUM_GOODS, *(GAIN_SCALE, REACH) * 2),
        low=(*[0] * (MARKERS_PER_PLAYER + 4), *(0, -REACH) * 2),
        high=(*[1] * (MARKERS_PER_PLAYER + 2), MAX_TARGETS, NUM_GOODS, *(MAX_GAIN, REACH) * 2),
    ),
    Piece(
        "turns",
        1 + TURN_BITS,
        "turns finished in percent of the limit, then bits: turns left <= 1, 2, 4 .. 64",
        (PERCENT, *[1] * TURN_BITS),
    ),
    Piece("num_players", OTHERS, "one-hot: 2 .. 4"),
    Piece("rules", 1, "everybody remembers which trade cards were collected"),
)

OFFSETS = {
    piece.name: sum(before.size for before in PIECES[:index]) for index, piece in enumerate(PIECES)
}
"""Where each piece begins in the flat vector."""
