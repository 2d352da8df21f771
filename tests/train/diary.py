"""An independent account of what `Decisions` keeps."""

import pytest

from celtica_train.trainers.rollout import OPEN

GAMMA, DECAY = 0.9, 0.8


class Diary:
    """What `Decisions` keeps, as plain lists: one sequence for each seat of each game.

    A decision is `[estimate, payoff]`, the payoff None where it is not the last of its game.
    """

    def __init__(self):
        self.running = {}  # (game, seat) -> its decisions in the running game
        self.over = []  # sequences of games that are over
        self.rows = []  # decisions in the order they were taken

    def decide(self, games, seats, estimates):
        for game, seat, estimate in zip(games.tolist(), seats.tolist(), estimates.tolist()):
            decision = [estimate, None]
            self.rows.append(decision)
            self.running.setdefault((game, seat), []).append(decision)

    def finish(self, game, payoffs, terminated):
        for seat, payoff in enumerate(payoffs.tolist()):
            sequence = self.running.pop((game, seat), None)
            if sequence:
                sequence[-1][1] = payoff if terminated else None
                self.over.append(sequence)

    def advantages(self):
        """Return one number per row, None where the successor is not known."""
        found = {}
        for sequence in [*self.over, *self.running.values()]:
            advantage = after = None
            for decision in reversed(sequence):
                estimate, payoff = decision
                if payoff is not None:
                    advantage = payoff - estimate
                elif after is not None:
                    advantage = GAMMA * (after + DECAY * (advantage or 0)) - estimate
                found[id(decision)] = advantage
                after = estimate
        return [found[id(decision)] for decision in self.rows]

    def keep_open(self):
        """Begin the next rollout with the last decisions of running games."""
        self.running = {key: [sequence[-1]] for key, sequence in sorted(self.running.items())}
        self.rows = [sequence[0] for sequence in self.running.values()]
        self.over = []


def expect_alike(decisions, diary):
    expected = diary.advantages()
    known = [row for row, advantage in enumerate(expected) if advantage is not None]
    assert decisions.size == len(expected)
    assert decisions.complete().tolist() == known
    advantages = decisions.advantages(GAMMA, DECAY)
    assert advantages[known] == pytest.approx([expected[row] for row in known], abs=1e-4)
    assert not advantages[decisions["successors"] == OPEN].any()
    decisions.keep_open()
    diary.keep_open()
