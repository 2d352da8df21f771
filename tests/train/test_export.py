"""Games as Minari datasets."""

import sys

import numpy as np
import pytest

import celtica_env
from celtica_env.core.errors import OptionError, UnknownNameError
from celtica_train import cli, export
from tests.train.arena.agents_for_tests import First

DATASET = "celtica/duel-v0"


@pytest.fixture
def root(tmp_path, monkeypatch):
    """The folder in which Minari looks for datasets."""
    monkeypatch.setenv(export.ROOT_VARIABLE, str(tmp_path / "datasets"))
    return tmp_path / "datasets"


@pytest.fixture
def minari(root):
    for library in export.LIBRARIES:
        pytest.importorskip(library, reason="the extra minari is not installed")
    return pytest.importorskip("minari")


def play_again(env, episode, facts):
    """Play an episode in an environment; return what its learner sees, as the dataset has it."""
    observation, info = env.reset(seed=facts["seed"], options=facts["options"])
    observations, masks, rewards, ends = [observation], [info["action_mask"]], [], []
    for action in episode.actions:
        observation, reward, *end, info = env.step(action)
        observations.append(observation)
        masks.append(info["action_mask"])
        rewards.append(reward)
        ends.append(end)
    assert info["seat"] == facts["seat"]
    return map(np.array, (observations, masks, rewards, ends))


def test_the_recovered_environment_plays_every_episode_again(minari):
    export.export_dataset(["greedy", "random"], DATASET, num_games=5, seed=3)
    dataset = minari.load_dataset(DATASET)
    env = dataset.recover_environment()
    assert env.spec.id == "Celtica-v0"
    assert dataset.observation_space == env.observation_space
    assert dataset.action_space == env.action_space
    facts = list(dataset.storage.get_episode_metadata(range(5)))
    assert {fact["seat"] for fact in facts} == {0, 1}
    for episode, fact in zip(dataset, facts, strict=True):
        assert fact["agents"][fact["seat"]] == "greedy"
        assert fact["agents"][1 - fact["seat"]] == "random"
        observations, masks, rewards, ends = play_again(env, episode, fact)
        assert np.array_equal(episode.observations, observations)
        assert np.array_equal(episode.infos["action_mask"], masks)
        assert np.array_equal(episode.rewards, rewards)
        assert np.array_equal(np.stack([episode.terminations, episode.truncations], 1), ends)
        assert episode.infos["action_mask"][np.arange(len(episode)), episode.actions].all()
        assert set(episode.infos) == {"action_mask", "seat"}  # nothing that a seat cannot know
        assert ends[-1].any()
        assert not ends[:-1].any()


def test_a_dataset_says_what_it_is(minari):
    seed = export.MAX_SEED
    done = export.export_dataset(["random"], DATASET, num_players=3, num_games=2, seed=seed)
    dataset = minari.load_dataset(DATASET)
    assert (dataset.total_episodes, dataset.total_steps) == (2, done.decisions)
    assert sum(map(len, dataset)) == done.decisions
    stored = dataset.storage.metadata
    assert stored["algorithm_name"] == "random"
    assert stored["celtica_env"] == {
        "version": celtica_env.__version__,
        "game": celtica_env.spec("celtica").id,
        "num_players": 3,
        "opponents": ["random"],
        "seat": "random",
        "agents": ["random"],
        "games": 2,
        "seed": seed,
    }
    assert [fact["seed"] for fact in dataset.storage.get_episode_metadata([0, 1])] == [seed] * 2
    assert list(minari.list_local_datasets()) == [DATASET]


def test_the_same_seed_gives_the_same_data_however_games_are_grouped(
    minari, tiny_game, monkeypatch
):
    for name, seed in (("a-v0", 1), ("b-v0", 1), ("c-v0", 2)):
        monkeypatch.setattr(export, "CHUNK", 3 if name == "b-v0" else 128)
        export.export_dataset(["random"], name, num_games=4, seed=seed)
    first, again, other = (
        [(ep.actions.tolist(), ep.observations.tolist()) for ep in minari.load_dataset(name)]
        for name in ("a-v0", "b-v0", "c-v0")
    )
    assert first == again
    assert first != other


class Looking(First):
    """Sees to it that a dataset is not to be seen before it is whole."""

    is_interrupting = False

    def act(self, view):
        import minari

        assert minari.list_local_datasets() == {}
        with pytest.raises(FileNotFoundError):
            minari.load_dataset(DATASET)
        is_begun = any(export.free_path(DATASET).parent.glob(".*/data/metadata.json"))
        if self.is_interrupting and is_begun:
            raise KeyboardInterrupt
        return super().act(view)


@pytest.mark.parametrize("is_interrupting", [True, False])
def test_half_a_dataset_is_never_seen(minari, root, monkeypatch, is_interrupting):
    monkeypatch.setattr(export, "CHUNK", 2)
    monkeypatch.setattr(Looking, "is_interrupting", is_interrupting)
    left_by_a_kill = root / "celtica" / ".duel-v0.partial" / "data"
    left_by_a_kill.mkdir(parents=True)
    agents = [f"{__name__}:Looking"]
    if is_interrupting:
        with pytest.raises(KeyboardInterrupt):
            export.export_dataset(agents, DATASET, num_games=6)
        assert list(left_by_a_kill.parents[1].iterdir()) == []
    else:
        export.export_dataset(agents, DATASET, num_games=6)
        assert len(minari.load_dataset(DATASET)) == 6


def test_what_is_there_is_left_alone(minari, root):
    export.export_dataset(["random"], DATASET, num_games=2)
    (root / "celtica" / "notes-v0").mkdir()
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    for dataset, words in [
        (DATASET, "duel-v0 is a dataset already"),
        (f"{DATASET}/more-v0", "duel-v0 is a dataset already"),
        ("celtica/notes-v0", "notes-v0 exists"),
    ]:
        with pytest.raises(OptionError, match=words):
            export.export_dataset(["random"], dataset, num_games=2)
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*")} == before


def test_bad_arguments_say_what_is_accepted_and_write_nothing(minari, root):
    for arguments, words in [
        (
            {"dataset": "duel"},
            "NAME-vN or NAMESPACE/NAME-vN, such as celtica/greedy-v0, .*; got 'duel'",
        ),
        ({"dataset": "../duel-v0"}, "NAME-vN"),
        ({"dataset": "a/duel-v0"}, "at least two of them in a namespace"),
        ({"dataset": "/tmp/duel-v0"}, "NAME-vN"),
        ({"dataset": "a//duel-v0"}, "NAME-vN"),
        ({"dataset": "data/duel-v0"}, "NAME-vN"),
        ({"agents": []}, "at least one agent"),
        ({"num_games": 0}, "from 1 to"),
        ({"num_players": 6}, "players"),
        ({"seed": -1}, "non-negative"),
        ({"seed": 2**64}, "at most 18446744073709551615"),
    ]:
        asked = {"agents": ["random"], "dataset": DATASET, "num_games": 2} | arguments
        with pytest.raises(OptionError, match=words):
            export.export_dataset(**asked)
    for wrong in ({"agents": ["gredy"]}, {"agents": ["random", "gredy"]}, {"game": "chess"}):
        with pytest.raises(UnknownNameError):
            export.export_dataset(**{"agents": ["random"], "dataset": DATASET} | wrong)
    assert list(root.rglob("*")) == []


def test_the_command_writes_where_it_is_told(minari, root, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    arguments = ["export-dataset", "random", "--out", DATASET, "--games", "2"]
    assert cli.main([*arguments, "--root", "here"]) == 0
    assert f"{DATASET}: 2 games, " in capsys.readouterr().out
    assert (tmp_path / "here" / DATASET / "data" / "metadata.json").is_file()
    assert not root.exists()
    assert cli.main([*arguments, "--root", "here"]) == 2
    assert "is a dataset already" in capsys.readouterr().err


def test_without_minari_the_extra_is_named(root, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "minari", None)
    assert cli.main(["export-dataset", "random", "--out", DATASET]) == 2
    assert "pip install 'celtica-env[minari]'" in capsys.readouterr().err
