"""The conformance kit passes a sound game and finds the fault in an unsound one, in words."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import celtica_env.testing
from celtica_env.core import registry
from celtica_env.core.errors import CelticaError, OptionError
from celtica_env.testing import ConformanceError, Table, all_checks, check_game, run_checks
from celtica_env.testing.checks import THEMES, find_checks
from celtica_env.testing.failure import Spot, expect, expect_each, expect_equal, refused
from celtica_env.testing.play import decisions, play_out
from celtica_train import cli
from tests.core.processes import start_python
from tests.each_game import quickly
from tests.testing.faults import (
    CHANCE_IN_PLAY,
    GAME_FAULTS,
    NAME,
    OWN_NAMES,
    RULE_FAULTS,
    SOURCES,
)
from tests.testing.test_games import SLOW

FAULTS = {**RULE_FAULTS, **GAME_FAULTS}
PLACE = r"in game \d+, decision \d+, player \d to move:\n"


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setitem(registry._GAMES, NAME, "tests.core.tiny_game")
    return NAME


CHECKS = [
    pytest.param(check, id=check.name, marks=[pytest.mark.slow] if check.name in SLOW else [])
    for check in all_checks()
]


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("num_players", [2, 3])
def test_the_sound_game_passes(tiny, num_players, check):
    check(Table(tiny, num_players))


@pytest.mark.slow
@pytest.mark.parametrize("fault", quickly(FAULTS, 4))
def test_a_fault_is_found_and_named(fault, monkeypatch, tmp_path):
    case = FAULTS[fault]
    case.enter(monkeypatch, tmp_path, "tiny_with_fault_" + re.sub(r"\W", "_", fault))
    with pytest.raises(ConformanceError) as failure:
        check_game(NAME, celtica_env.spec(NAME).min_players, checks=[case.check])
    message = str(failure.value)
    assert "tiny: 1 of 1 checks failed" in message
    assert f"players, seed {failure_seed(message)}: {case.check}\n" in message
    assert case.words in message


@pytest.mark.slow
def test_a_game_whose_constants_have_the_cores_names_passes(monkeypatch, tmp_path):
    OWN_NAMES.enter(monkeypatch, tmp_path, "tiny_with_own_names")
    check_game(NAME, 2, checks=["endings", "copies"])


@pytest.mark.slow
def test_deals_may_be_alike_and_all_actions_legal(monkeypatch, tmp_path):
    CHANCE_IN_PLAY.enter(monkeypatch, tmp_path, "tiny_with_chance_in_play")
    batch, most = Table(NAME, 2).batch(16), 0
    assert (batch.states["hand"] == batch.states["hand"][0]).all()
    for rows, actions in decisions(batch):
        most = max(most, batch.masks(rows).sum(axis=1).max())
        batch.step(actions, where=rows)
    assert most == batch.spec.num_actions
    late = "aec.without_a_seed_nothing_repeats"
    check_game(NAME, 2, checks=["facts", "masks", "determinism", late])


@pytest.mark.slow
def test_without_a_start_nothing_else_is_checked(monkeypatch, tmp_path):
    fault = RULE_FAULTS["a verb reads a field that is not there"]
    fault.enter(monkeypatch, tmp_path, "tiny_that_does_not_compile")
    with pytest.raises(ConformanceError, match="tiny: 1 of 1 checks failed") as failure:
        check_game(NAME)
    message = str(failure.value)
    assert "expected `is_terminal` to compile: the record has no field 'over'" in message
    assert len(message.splitlines()) < 6


@pytest.mark.slow
def test_no_check_goes_on_for_ever(monkeypatch, tmp_path, is_full_check):
    RULE_FAULTS["games never end"].enter(monkeypatch, tmp_path, "tiny_without_an_end")
    failures = {}
    quick = ("endings", "replays", "paths")
    for check in all_checks() if is_full_check else [c for c in all_checks() if c.theme in quick]:
        try:
            check(Table(NAME, 2))
        except ConformanceError as error:
            failures[check.name] = str(error)
    assert "one goes on" in failures["endings.a_finished_game_is_not_stepped"]
    for name in ("replays.games_that_autoreset_ended", "paths.pettingzoo_tells_the_same"):
        assert "expected every game to end within 24 decisions" in failures[name]


def test_a_declared_length_beyond_all_patience_is_cut_down(tiny, monkeypatch):
    monkeypatch.setattr("celtica_env.testing.play.MOST_DECISIONS", 3)
    with pytest.raises(ConformanceError, match="3 decisions, the most that is waited for, since"):
        play_out(Table(tiny, 2).batch())


def failure_seed(message):
    return re.search(r"seed (\d+)", message)[1]


@pytest.mark.slow
def test_a_failure_names_the_place_and_the_action(monkeypatch, tmp_path):
    case = RULE_FAULTS["the mask allows what the rules forbid"]
    case.enter(monkeypatch, tmp_path, "tiny_with_fault_the_mask_allows_what_the_rules_forbid")
    with pytest.raises(ConformanceError, match=PLACE) as failure:
        check_game(NAME, 2, checks=[case.check])
    assert re.search(r"\n    tiny_v0 players=2 .*\n  action 3 \(draw\)", str(failure.value))


@pytest.mark.slow
def test_one_run_lists_every_failure(monkeypatch, tmp_path):
    case = RULE_FAULTS["the winner is paid twice"]
    case.enter(monkeypatch, tmp_path, "tiny_with_fault_the_winner_is_paid_twice")
    with pytest.raises(ConformanceError, match="2 of ") as failure:
        check_game(NAME, checks=["payoffs"])
    for num_players in (2, 3):
        assert f"tiny, {num_players} players" in str(failure.value)


# --- choosing what to run ------------------------------------------------------------------------


def test_checks_are_chosen_by_theme_or_name(tiny):
    chosen = find_checks(["masks.never_empty", "payoffs"])
    assert {check.name for check in chosen} == {
        "masks.never_empty",
        *(check.name for check in all_checks() if check.theme == "payoffs"),
    }
    assert find_checks(None) == list(all_checks())
    outcomes = list(run_checks(tiny, checks=["masks.never_empty"]))
    assert [outcome.table.num_players for outcome in outcomes] == [2, 3]


def test_what_is_unknown_is_refused_with_what_is_known(tiny):
    said = r"no check and no theme 'mask' \(did you mean 'masks'\?\); there are start, facts, masks"
    with pytest.raises(OptionError, match=said):
        check_game(tiny, checks=["mask"])
    with pytest.raises(OptionError, match="a list of names, got the text 'masks'"):
        check_game(tiny, checks="masks")
    with pytest.raises(OptionError, match="tiny is for 2 to 3 players, got 4"):
        check_game(tiny, 4)


def test_every_check_says_what_holds_and_has_a_name_of_its_own():
    names = [check.name for check in all_checks()]
    assert len(set(names)) == len(names)
    assert {check.theme for check in all_checks()} == set(THEMES)
    for check in all_checks():
        assert check.sentence.endswith("."), check.name


def test_a_check_whose_library_is_missing_is_skipped(tiny, monkeypatch):
    monkeypatch.setattr("celtica_env.testing.checks.find_spec", lambda name: None)
    outcomes = list(run_checks(tiny, 2, ["memory"]))
    skipped = [outcome.check.needs for outcome in outcomes if outcome.is_skipped]
    assert skipped == ["stable_baselines3"]


def test_games_are_counted_from_one(tiny):
    for num_games in (0, -1, True, 2.0):
        with pytest.raises(OptionError, match="games must be an integer of at least 1, got"):
            check_game(tiny, num_games=num_games)
    check_game(tiny, 2, checks=["masks"], num_games=1)


def test_no_game_is_named_in_the_kit():
    sources = set(Path(celtica_env.testing.__file__).parent.glob("*.py"))
    for source in sources - {Path(celtica_env.testing.__file__)}:  # that one has an example
        words = source.read_text().replace("celtica_env", "")
        assert not [game for game in celtica_env.list_games() if game in words], source


# --- words ---------------------------------------------------------------------------------------


def test_errors_are_the_packages_own_and_assertions():
    assert issubclass(ConformanceError, CelticaError)
    assert issubclass(ConformanceError, AssertionError)


def test_an_unequal_number_is_named_with_its_place(tiny):
    batch = Table(tiny, 2).batch(3)
    with pytest.raises(ConformanceError, match="expected 1 at index 1, saw 9, and 1 more differ"):
        expect_equal([[0, 1, 2], [0, 9, 9]], [[0, 1, 2], [0, 1, 2]], "it")
    with pytest.raises(ConformanceError, match="in game 2, decision 0"):
        expect_equal([4], [5], "it", batch, rows=[2])
    with pytest.raises(ConformanceError, match=r"shape \(2,\), saw \(1,\)"):
        expect_equal([4], [5, 6], "it")
    other = batch.states.copy()
    other["points"][1, 0] = 7
    with pytest.raises(ConformanceError, match="points: expected 0 at index 0, saw 7"):
        expect_equal(other, batch.states, "it", batch)


def test_what_fails_for_one_game_is_told_of_that_game(tiny):
    batch = Table(tiny, 2).batch(3)
    expect_each([True, True], "fine", batch, [0, 2])
    expect_each(np.ones((0, 2), bool), "nothing", batch, [])
    with pytest.raises(ConformanceError, match="in game 2"):
        expect_each([[True, True], [True, False]], "wrong", batch, [0, 2])
    with pytest.raises(ConformanceError, match=rf"^wrong\n{PLACE}.*\naction 3 \(draw\)$"):
        expect(False, "wrong", Spot(batch, 1, 3))


def test_a_call_that_should_be_refused():
    assert refused(ValueError, "it", None, int, "x").startswith("invalid literal")
    with pytest.raises(ConformanceError, match="expected it to raise ValueError, it went through"):
        refused(ValueError, "it", None, int, "1")
    with pytest.raises(ConformanceError, match=r"it raised TypeError\("):
        refused(ValueError, "it", None, int, [])


# --- the command ---------------------------------------------------------------------------------


def test_the_command_shows_a_line_per_check_and_a_summary(monkeypatch, capsys):
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    arguments = ["tiny", "--package", "tests.core.tiny_game", "--checks", "masks", "payoffs"]
    assert cli.main(["check", *arguments]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("ok ") for line in lines[:-1])
    num_held = 2 * len(find_checks(["masks", "payoffs"]))  # with two players and with three
    assert re.fullmatch(rf"{num_held} held, 0 skipped, 0 failed, \d+ s", lines[-1])


def test_the_command_fails_when_a_check_does(monkeypatch, tmp_path, capsys):
    GAME_FAULTS["chance is not declared"].enter(monkeypatch, tmp_path, "tiny_without_chance")
    assert cli.main(["check", NAME, "--players", "2", "--checks", "facts"]) == 1
    output = capsys.readouterr().out
    assert "FAILED   2 players  facts.chance_is_declared\n" in output
    assert "`has_chance` is not as expected" in output
    assert ", 1 failed, " in output


def test_the_command_refuses_what_is_unknown(capsys):
    assert cli.main(["check", "chess"]) == 2
    assert "known games" in capsys.readouterr().err


OWN_GAME = ["--game", "tiny", "--package", "tests.core.tiny_game"]


def test_every_command_takes_a_game_of_ones_own(capsys, tmp_path):
    file = str(tmp_path / "games.jsonl")
    assert (
        cli.main(
            ["evaluate", "random", "--players", "2", "--games", "2", "--replays", file, *OWN_GAME]
        )
        == 0
    )
    registry._GAMES.pop("tiny")
    assert cli.main(["replay", file, *OWN_GAME[2:]]) == 0
    assert "2 games play as recorded" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [["check", "x"], ["evaluate", "random"], ["replay", "x"], ["bench"], ["train", "--out", "x"]],
    ids=lambda command: command[0],
)
def test_every_command_says_that_there_is_no_such_package(command, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert cli.main([*command, "--package", "no_such"]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"celtica {command[0]}: cannot import 'no_such'")
    assert "install the extra" not in error


@pytest.mark.parametrize("number", ["0", "-2"])
def test_the_command_refuses_to_play_no_games(number, capsys):
    assert cli.main(["check", "celtica", "--games", number]) == 2
    assert f"games must be an integer of at least 1, got {number}" in capsys.readouterr().err


# --- pytest --------------------------------------------------------------------------------------


def pytest_of(package, folder, *arguments):
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", "celtica_env.testing"]
    process = start_python([*command, *arguments], folder, CELTICA_PACKAGE=package)
    output, errors = process.communicate()
    return process.returncode, output + errors


@pytest.mark.slow
def test_pytest_checks_the_game_of_a_package_named_by_a_variable(tmp_path):
    shutil.copytree(SOURCES, tmp_path / "my_games")
    status, output = pytest_of("my_games", tmp_path, "-k", "never_empty or identity")
    assert "4 passed" in output, output  # two checks, with two players and with three
    assert status == 0


@pytest.mark.slow
def test_pytest_reports_one_failure_of_a_game_that_does_not_compile(monkeypatch, tmp_path):
    RULE_FAULTS["a verb is missing"].enter(monkeypatch, tmp_path, "tiny_without_a_verb")
    status, output = pytest_of(
        "tiny_without_a_verb", tmp_path, "-k", "verbs_are or games_end or never_empty", "-rs"
    )
    assert "start.verbs_are_there_and_compile fails" in output
    assert re.search(r"2 failed, 2 passed, 2 skipped", output), output
    assert status == 1
