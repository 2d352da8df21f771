"""Networks on the hub: sent with a card, taken by name, refused like any other file."""

import importlib
import re
import sys

import numpy as np
import pytest

import celtica_env
from celtica_agents.learned import hub as taking
from celtica_agents.learned.files import NETWORK_FILE, network_bytes
from celtica_env.core.errors import (
    CheckpointError,
    HubError,
    MissingLibraryError,
    OptionError,
)
from celtica_train import cli
from celtica_train.play_games.arena.tournament import network_hash
from tests.agents.policies import policy_of, value_of
from tests.train.hub import OWNER, TOKEN, hub_here

pytest.importorskip("huggingface_hub")
import yaml  # which it needs

PLACE = f"{OWNER}/bot"
NAME = f"hub:{PLACE}"


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A hub on this machine, at which somebody is logged in, and nothing taken from it yet."""
    constants = importlib.import_module("huggingface_hub.constants")
    with hub_here() as (hub, address):
        point_at(address, monkeypatch)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "taken"))
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield hub


def point_at(address, monkeypatch):
    constants = importlib.import_module("huggingface_hub.constants")
    form = address + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "ENDPOINT", address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", form)


def bytes_of(game="celtica", **changes):
    return network_bytes(*value_of(game, **changes))


def put(hub, content, place=PLACE):
    return hub.add(place, network__safetensors=content)


def play_one(agent, game="celtica"):
    batch = celtica_env.make_batch(game, 3, 2, seed=0)
    agent.reset(0)
    return agent.act(batch.view())


def test_a_network_is_taken_by_its_name_and_once(hub, tmp_path):
    put(hub, bytes_of())
    agent = celtica_env.load_agent(NAME, "celtica")
    assert agent.name == NAME
    (tmp_path / NETWORK_FILE).write_bytes(bytes_of())
    same = celtica_env.load_agent(str(tmp_path), "celtica")
    assert np.array_equal(play_one(agent), play_one(same))
    celtica_env.load_agent(NAME, "celtica")
    taken = f"GET /{PLACE}/resolve/"
    assert len([one for one in hub.asked if one.startswith(taken)]) == 1


def test_a_revision_stays_when_the_network_there_changes(hub):
    old = put(hub, bytes_of(seed=1))
    before = network_hash(NAME, "celtica", 2)
    put(hub, bytes_of(seed=2))
    pinned = celtica_env.load_agent(f"{NAME}@{old}", "celtica")
    assert pinned.name == f"{NAME}@{old}"
    assert network_hash(pinned.name, "celtica", 2) == before
    assert network_hash(NAME, "celtica", 2) != before != ""


@pytest.mark.parametrize("name", [f"mc:2:{NAME}", f"puct:2:{NAME}", f"{NAME}:3", f"trained:{NAME}"])
def test_a_network_of_the_hub_stands_wherever_a_path_may(hub, name):
    put(hub, bytes_of())
    assert celtica_env.load_agent(name, "celtica").name.startswith((name, NAME))


def test_a_hub_that_is_away_gives_what_was_taken_before(hub, monkeypatch):
    put(hub, bytes_of())
    celtica_env.load_agent(NAME, "celtica")
    point_at("http://127.0.0.1:9", monkeypatch)
    assert celtica_env.load_agent(NAME, "celtica").info.num_players == 2
    sleeping = importlib.import_module("huggingface_hub.utils._http").time
    monkeypatch.setattr(sleeping, "sleep", lambda seconds: None)
    with pytest.raises(HubError, match="http://127.0.0.1:9 cannot be reached, and .* not taken"):
        celtica_env.load_agent("hub:some/other", "celtica")


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("hub:", OptionError, "is written hub:user/name"),
        ("hub:name", OptionError, "is written hub:user/name"),
        ("hub:a/b/c", OptionError, "is written hub:user/name"),
        ("hub:../..", OptionError, "hub:../.."),
        ("hub:a/b@", OptionError, "is written hub:user/name"),
        ("hub:some/nothing", HubError, "no such repository"),
        (f"{NAME}@nothing", CheckpointError, "Revision Not Found"),
        (f"hub:{OWNER}/words", CheckpointError, "Entry Not Found"),
        (f"{NAME}:sample", OptionError, "holds a value"),
    ],
)
def test_a_name_that_leads_nowhere_is_refused(hub, name, error, message):
    put(hub, bytes_of())
    hub.add(f"{OWNER}/words", README__md=b"nothing here")
    with pytest.raises(error, match=message):
        celtica_env.load_agent(name, "celtica")


def test_files_of_strangers_are_limited_and_checked(hub, monkeypatch):
    put(hub, bytes_of("keltis"))
    with pytest.raises(CheckpointError, match="is for game"):
        celtica_env.load_agent(NAME, "celtica")
    put(hub, b"\x80\x04N.")  # a pickle
    with pytest.raises(CheckpointError, match="is damaged or no network"):
        celtica_env.load_agent(NAME, "celtica")
    put(hub, bytes_of(num_deals=10**9))
    with pytest.raises(CheckpointError, match="num_deals: expected `?int`? <= 10000"):
        celtica_env.load_agent(NAME, "celtica")
    put(hub, bytes_of(seed=3))
    monkeypatch.setattr(taking, "MAX_NETWORK", 1000)
    hub.asked.clear()
    with pytest.raises(CheckpointError, match=r"bytes; a network has at most 1,000"):
        celtica_env.load_agent(NAME, "celtica")
    assert not [one for one in hub.asked if one.startswith("GET")]


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingLibraryError, match=r"pip install 'celtica-env\[hub\]'"):
        celtica_env.load_agent(NAME, "celtica")


# --- sending -------------------------------------------------------------------------------------


@pytest.fixture
def run_folder(tmp_path):
    """A run folder with a network and a learning curve."""
    best = tmp_path / "run" / "best"
    best.mkdir(parents=True)
    (best / NETWORK_FILE).write_bytes(network_bytes(*policy_of("celtica", command="celtica train")))
    (tmp_path / "run" / "curve.png").write_bytes(b"\x89PNG a curve")
    return best.parent


def push(run, to=NAME, *options):
    return cli.main(["push", str(run), to, "--games", "20", *options])


def test_what_is_pushed_can_be_played_against(hub, run_folder, capsys):
    assert push(run_folder) == 0
    assert f"/{PLACE}, which says how to play" in capsys.readouterr().out
    files = hub.commits[PLACE][-1]
    assert files[NETWORK_FILE] == (run_folder / "best" / NETWORK_FILE).read_bytes()
    assert files["curve.png"] == b"\x89PNG a curve"
    assert files["position.png"].startswith(b"\x89PNG")
    assert cli.main(["evaluate", NAME, "random", "--games", "4", "--json"]) == 0


def test_the_card_has_the_results_in_the_hubs_form_and_for_people(hub, run_folder, capsys):
    assert push(run_folder, NAME, "--rivals", "random") == 0
    _, head, page = hub.commits[PLACE][-1]["README.md"].decode().split("---\n", 2)
    index = yaml.safe_load(head)
    assert index["pipeline_tag"] == "reinforcement-learning"
    assert {"celtica", "celtica_v0"} <= set(index["tags"])
    ((result,),) = [one["results"] for one in index["model-index"]]
    assert result["dataset"]["type"] == "celtica_v0"
    (metric,) = result["metrics"]
    again = ["evaluate", NAME, "random", "--games", "20", "--seed", "20000", "--json"]
    capsys.readouterr()
    assert cli.main(again) == 0
    measured = yaml.safe_load(capsys.readouterr().out)["agents"][0]
    assert metric["value"] == pytest.approx(measured["win_share"], abs=1e-4)
    assert metric["args"]["ci95"] == pytest.approx(measured["ci95"], abs=1e-4)
    assert f"celtica play --against {NAME} --game celtica --players 2\n" in page
    assert f"| random | 20 | {measured['win_share']:.1%} |" in page
    assert "![A position of a game that the network plays](position.png)" in page
    assert f"celtica {' '.join(again[:-1])} --game celtica --players 2\n" in page


@pytest.mark.parametrize(
    ("to", "token", "message"),
    [
        (NAME, "", "log in by"),
        (NAME, "hf_another", "no permission"),
        ("hub:another/bot", TOKEN, "has no such repository|no permission"),
        ("hub:another/there", TOKEN, "no permission"),
        (f"{NAME}@main", TOKEN, "a push makes a new one"),
        ("somebody/bot", TOKEN, "is written hub:user/name"),
    ],
)
def test_a_push_that_is_not_allowed_says_why(
    hub, run_folder, monkeypatch, capsys, to, token, message
):
    hub.add("another/there", README__md=b"---\ntags: [celtica_v0]\n---\n")
    monkeypatch.setenv("HF_TOKEN", token)
    before = {name: list(commits) for name, commits in hub.commits.items()}
    assert push(run_folder, to) == 2
    assert re.search(message, capsys.readouterr().err)
    assert hub.commits == before


def test_a_push_does_not_replace_another_games_network(hub, run_folder, capsys):
    hub.add(PLACE, README__md=b"---\ntags: [keltis_v0]\n---\n", network__safetensors=b"x")
    assert push(run_folder) == 2
    assert "its card names not celtica_v0 but keltis_v0" in capsys.readouterr().err
    assert len(hub.commits[PLACE]) == 1


def test_a_push_while_the_hub_is_away_plays_nothing(hub, run_folder, monkeypatch, capsys):
    point_at("http://127.0.0.1:9", monkeypatch)
    monkeypatch.setattr("celtica_train.push.measure", None)
    assert push(run_folder) == 2
    assert "http://127.0.0.1:9 cannot be asked" in capsys.readouterr().err
