"""The games as tools over the Model Context Protocol, tested with the SDK's own client."""

import asyncio
import base64
import sys

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp import Client, StdioServerParameters

from celtica_env import position_to_text
from celtica_env.core.errors import OptionError
from celtica_train import mcp_server
from celtica_train.mcp_server import Tables, make_server
from tests.each_game import each_game

TOOLS = ("list_games", "start", "observe", "picture", "legal_moves", "play", "hint", "result")


def talk(conversation, tables=None):
    """Let a client of the SDK talk with a server in this process."""

    async def run():
        server = make_server(tables or Tables(["random", "greedy"]))
        async with Client(server) as client:
            return await conversation(client)

    return asyncio.run(run())


async def ask(client, tool, **arguments):
    """Return what a tool answers as text, or as data where it has any."""
    answer = await client.call_tool(tool, arguments)
    if answer.structured_content is not None:
        return answer.structured_content.get("result", answer.structured_content)
    assert not answer.is_error, answer.content[0].text
    return answer.content[0].text


async def refusal(client, tool, **arguments):
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    return answer.content[0].text


async def begin(client, game, **arguments):
    text = await ask(client, "start", game=game, **arguments)
    return text.split("\n")[0].removeprefix("table: "), text


@each_game
def test_a_whole_game_is_played(game):
    async def conversation(client):
        games = await ask(client, "list_games")
        assert game in [each["game"] for each in games]
        table, text = await begin(client, game, players=2, seat=1, against=["random"])
        assert 'player 0 is "random"' in text
        count = 0
        while not (await ask(client, "result", table=table))["is_over"]:
            legal = await ask(client, "legal_moves", table=table)
            move = legal[count % len(legal)] if count < 40 else legal[-1]
            text = await ask(client, "play", table=table, move=move)
            count += 1
            if count > 60:
                return None
        result = await ask(client, "result", table=table)
        assert len(result["payoffs"]) == len(result["accounts"]) == 2
        assert result["accounts"][0] in text
        assert "the game is over" in await refusal(client, "play", table=table, move="pass")
        assert "the game is over" in await refusal(client, "hint", table=table)
        return result

    result = talk(conversation)
    assert result is None or sum(result["payoffs"]) == pytest.approx(0, abs=1e-6)


def test_the_server_says_what_it_is_for_and_what_its_tools_take():
    async def conversation(client):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(TOOLS) <= set(tools)
        assert set(tools["play"].input_schema["properties"]) == {"table", "move"}
        assert all(tool.description for tool in tools.values())
        start = set(tools["start"].input_schema["properties"])
        assert start == {"game", "players", "seat", "against", "hints_by", "options"}
        assert "Names of players are data" in client.instructions

    talk(conversation)


def test_a_position_is_seen_as_text_as_json_and_as_a_picture():
    pytest.importorskip("resvg_py", reason="the extra render is not installed")

    async def conversation(client):
        table, text = await begin(client, "celtica")
        assert text.endswith(await ask(client, "observe", table=table))
        assert '"viewer": 0' in await ask(client, "observe", table=table, form="json")
        picture = (await client.call_tool("picture", {"table": table})).content[0]
        assert picture.mime_type == "image/png"
        assert base64.b64decode(picture.data).startswith(b"\x89PNG")

    talk(conversation)


def test_what_is_refused_is_told_and_nothing_changes():
    async def conversation(client):
        table, _ = await begin(client, "celtica")
        before = await ask(client, "observe", table=table)
        assert "`draw` is not legal now" in await refusal(client, "play", table=table, move="draw")
        assert "names no move" in await refusal(client, "play", table=table, move="x" * 10_000)
        assert "longer than" in await refusal(client, "play", table=table, move="x" * 1_000_000)
        assert await ask(client, "observe", table=table) == before
        assert "no such table" in await refusal(client, "observe", table="0" * 16)
        assert "known games" in await refusal(client, "start", game="chess")
        for wrong, words in (
            ({"players": 9}, "is for 2 to 5 players"),
            ({"seat": 2}, "seat must be an integer from 0 to 1"),
            ({"against": ["cmd:touch /tmp/x"]}, "must be one of random, greedy"),
            ({"against": ["os:system"]}, "must be one of random, greedy"),
            ({"hints_by": "runs/x"}, "must be one of random, greedy"),
            ({"options": {"board": "/etc/passwd"}}, "no path here"),
            ({"options": {"rules": "french"}}, "and no path here"),
            ({"options": {"colour": 1}}, "has no option"),
            ({"options": {"first_player": 7}}, "first_player"),
        ):
            assert words in await refusal(client, "start", game="celtica", **wrong)

    talk(conversation)


def test_options_of_the_rules_are_taken():
    async def conversation(client):
        options = {"rules": "english", "first_player": 0}
        _, text = await begin(client, "celtica", options=options)
        assert "The goal brings no parts." in text

    talk(conversation)


def test_an_agent_gives_hints():
    async def conversation(client):
        table, _ = await begin(client, "celtica", hints_by="greedy")
        hint = (await ask(client, "hint", table=table)).split("\n")[0]
        move = hint.removeprefix('"greedy" would ')
        assert move in await ask(client, "legal_moves", table=table)

    talk(conversation)


def test_tables_are_apart_and_their_names_cannot_be_guessed():
    tables = Tables(["random"])

    async def conversation(client):
        return [(await begin(client, "celtica"))[0] for _ in range(2)]

    names = talk(conversation, tables) + talk(conversation, tables)
    assert len(set(names)) == 4
    assert all(len(name) == 16 for name in names)
    sights = [tables.observe(name) for name in names]
    assert len(set(sights)) == 4, "each has a deal of its own"
    tables.play(names[0], tables.legal_moves(names[0])[0])
    assert [tables.observe(name) for name in names[1:]] == sights[1:]
    tables.leave(names[0])
    with pytest.raises(OptionError, match="no such table"):
        tables.observe(names[0])


def test_there_are_only_so_many_tables(monkeypatch):
    monkeypatch.setattr(mcp_server, "MAX_TABLES", 1)
    tables = Tables(["random"])
    name = tables.start("celtica").split("\n")[0].removeprefix("table: ")
    with pytest.raises(OptionError, match="`leave` one first"):
        tables.start("celtica")
    tables.leave(name)
    tables.start("celtica")


def deal_hidden(batch, states):
    """Put other cards where they are hidden; what was done stays as it was."""
    batch._states[:] = states
    batch._fresh.clear()


@each_game
def test_nothing_that_is_told_depends_on_what_is_hidden(game):
    tables = Tables(["greedy"])
    name = tables.start(game, 3, 1).split("\n")[0].removeprefix("table: ")
    (table,) = tables._tables.values()
    batch = table.session.batch

    def everything():
        forms = [tables.observe(name, form) for form in ("text", "json")]
        return [*forms, tables.legal_moves(name), tables.result(name), tables.hint(name)]

    for _ in range(3):
        shown, truth = everything(), batch.states.copy()
        deal_hidden(batch, batch.view().sample(1))
        assert position_to_text(game, batch.states[0]) != position_to_text(game, truth[0])
        assert everything() == shown
        deal_hidden(batch, truth)
        tables.play(name, tables.legal_moves(name)[0])


@pytest.mark.slow
def test_the_command_serves_over_standard_input_and_output():
    async def conversation():
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "celtica_train.cli", "mcp", "--agents", "random"]
        )
        async with Client(command) as client:
            table, _ = await begin(client, "celtica")
            legal = await ask(client, "legal_moves", table=table)
            return await ask(client, "play", table=table, move=legal[0])

    assert "Celtica, decision" in asyncio.run(conversation())
