"""The page in a real browser: by clicks, by keys, on narrow and wide screens, dark and light."""

import re
import shutil
import threading
from collections import Counter
from contextlib import contextmanager

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")

from playwright.sync_api import sync_playwright

from celtica_env import Replay, play_replay
from celtica_train.play.server import Server, listen
from tests.each_game import each_game
from tests.train.play.games import Failing, Slow, late_position, table

CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE, NARROW, WIDE = (
    {"width": width, "height": height} for width, height in ((390, 844), (600, 900), (1280, 800))
)
ENDS = ("The game is over", "The game was cut off")
SMALLEST = 8  # pixels of a letter in a picture
LEGIBLE = 4.5  # contrast of text, by WCAG 2 AA

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=ARGUMENTS, downloads_path=folder
        )
        yield browser
        browser.close()


@contextmanager
def serving(session):
    """Serve a session from a thread and yield the page's address."""
    listener = listen("127.0.0.1", 0)
    server = Server(session, "token")
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/token/"
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture
def visit(browser):
    """Open the page of a session; what it logs or asks of other machines is an error."""

    @contextmanager
    def open_page(session, viewport=WIDE, scheme="light", speed="at once", query=""):
        complaints = []
        with serving(session) as address:
            context = browser.new_context(viewport=viewport, color_scheme=scheme)
            context.add_init_script(f"localStorage.setItem('celtica-speed', '{speed}')")
            page = context.new_page()
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("request", lambda request: complaints.extend(foreign(request, address)))
            page.on("console", lambda line: complaints.extend([line.text] * (line.type == "error")))
            page.goto(f"{address}?{query}")
            wait_until(page, "sight !== null")
            yield page
            context.close()
        assert not complaints

    return open_page


def foreign(request, address):
    return [] if request.url.startswith((address, "data:")) else [request.url]


def wait_until(page, condition):
    """Wait for a condition in JavaScript; Playwright's own way breaks the page's policy."""
    for _ in range(3000):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"never came: {condition}")


def sight(page):
    return page.evaluate("sight")


def wait_for_turn(page):
    """Wait until a person can choose, or the game is over; return what the page shows."""
    wait_until(page, "sight && (sight.choices.length || sight.payoffs || sight.failure)")
    return sight(page)


def wait_for_change(page, version):
    wait_until(page, f"sight && sight.version > {version}")


def click_pieces(page, choice):
    """Choose an action by clicking its pieces, and `Play` where that leaves others possible."""
    seen = sight(page)
    clicked = {}
    for name in choice["pieces"]:
        copies = page.locator(f'[data-piece="{name}"]')
        piece = copies.nth(clicked.get(name, 0))
        piece.locator(":not(text):not(title)").first.click()  # a label may hang out of its piece
        clicked[name] = clicked.get(name, 0) + 1
    wanted = Counter(choice["pieces"])
    if sum(wanted <= Counter(other["pieces"]) for other in seen["choices"]) > 1:
        page.click("#play")
    wait_for_change(page, seen["version"])


def play_by_clicks(page):
    """Play to the end, choosing what nobody would call a plan; return the pieces clicked."""
    clicked = 0
    while not (seen := wait_for_turn(page))["payoffs"]:
        choice = seen["choices"][seen["version"] % len(seen["choices"])]
        click_pieces(page, choice)
        clicked += len(choice["pieces"])
    return clicked


# --- playing -------------------------------------------------------------------------------------


def whole_game(game):
    """Return a game that ends soon enough: without a plan nobody completes a goal of Celtic."""
    options = {"max_turns": 30} if game == "celtic" else {}
    return table(game, num_players=3, at=[1], options=options)


@each_game
def test_a_game_is_played_by_clicks(game, visit, tmp_path):
    session = table(game, position=late_position(game, 5))
    with visit(session) as page:
        play_by_clicks(page)
        assert page.inner_text("#status").startswith(ENDS)
        assert re.search(r"You \(player 0\): [+-]?\d", page.inner_text("#seats"))
        with page.expect_download() as download:
            page.click("#save")
        download.value.save_as(tmp_path / "game.jsonl")
        replay = Replay.from_json((tmp_path / "game.jsonl").read_text())
        assert play_replay(replay).finished.all()
        page.click("#new")
        wait_until(page, "sight.payoffs === null")


@pytest.mark.slow
@each_game
def test_a_whole_game_is_played_by_clicks(game, visit):
    with visit(whole_game(game), WIDE) as page:
        assert play_by_clicks(page) > 10
        assert page.inner_text("#status").startswith(ENDS)


def test_a_selection_leaves_what_holds_it_and_escape_clears_it(visit):
    with visit(table(at=[0])) as page:
        choices = wait_for_turn(page)["choices"]
        one, two = next(
            (a, b)
            for a in choices
            for b in choices
            if len(a["pieces"]) == 1 and b["pieces"] == a["pieces"] * 2
        )
        name = one["pieces"][0]
        copies = page.locator(f'[data-piece="{name}"]')
        copies.first.click()
        assert page.inner_text("#selected") == one["text"]
        dim = page.locator("#choices button.dim").all_inner_texts()
        assert one["text"] not in dim
        assert two["text"] not in dim
        assert len(dim) == len([c for c in choices if name not in c["pieces"]])
        assert page.locator("#picture .selected").count() == 1
        page.keyboard.press("Escape")
        assert not page.locator("#selection").is_visible()
        assert page.locator("#picture .selected").count() == 0
        version = sight(page)["version"]
        copies.nth(0).click()
        copies.nth(1).click()  # no other action holds both, so they are played
        wait_for_change(page, version)
        cards = two["text"].removeprefix("Play").partition(":")[0]
        own = [deed["text"] for deed in sight(page)["deeds"] if deed["seat"] == 0]
        assert any(text.startswith(f"played{cards}: ") for text in own)


def test_undo_hint_and_the_moves_of_others(visit):
    session = table(at=[0])
    with visit(session) as page:
        before = wait_for_turn(page)
        while len(wait_for_turn(page)["deeds"]) < 6:
            version = sight(page)["version"]
            page.locator("#choices button").first.click()
            wait_for_change(page, version)
        news = [d for d in sight(page)["deeds"] if d["is_recent"] and d["seat"] != 0]
        lines = page.locator("#log li.recent").all_inner_texts()
        assert lines == [f"Player 1 (scripted): {deed['text']}" for deed in news]
        page.click("#hint")
        page.wait_for_selector("#hint-title:visible")
        hinted = page.inner_text("#choices button.hinted")
        assert page.inner_text("#hint-title") == f"scripted advises: {hinted}"
        while page.locator("#undo").is_enabled():
            version = sight(page)["version"]
            page.click("#undo")
            wait_for_change(page, version)
        assert sight(page)["choices"] == before["choices"]
        assert page.locator("#log li").count() == len(before["deeds"])


@each_game
def test_the_moves_of_others_are_shown_one_by_one(game, visit):
    """Each with whose it is, from where and to where; nothing can be chosen meanwhile."""
    with visit(table(game, num_players=3, at=[0]), speed="slow") as page:
        wait_until(page, CAN_CHOOSE)
        own_and_others = "sight.can_undo ? sight.deeds.filter((d) => d.text && isNews(d)) : []"
        while not (news := page.evaluate(own_and_others)):
            version = sight(page)["version"]
            page.locator("#choices button").first.click()
            wait_until(page, f"sight.version > {version} && (isTelling || {CAN_CHOOSE})")
            skip_until(page, f"!isTelling && {CAN_CHOOSE}")
        page.click("#undo")
        wait_until(page, CAN_CHOOSE)
        page.locator("#choices button").first.click()
        told = []
        while not page.evaluate(f"!isTelling && {CAN_CHOOSE}"):
            shown = page.evaluate(TOLD)
            if shown and shown["number"] is not None and shown not in told:
                told.append(shown)
                assert page.locator("#choices button").count() == 0
                page.click("#skip") if len(told) == len(news) else page.evaluate("nextDeed()")
            page.wait_for_timeout(20)
        numbers = [shown["number"] for shown in told]
        assert numbers == sorted(set(numbers))
        deeds = sight(page)["deeds"]
        for shown in told:
            deed = deeds[shown["number"]]
            assert shown["text"].strip().endswith(f"(scripted): {deed['text']}")
            ways = len(deed["sources"]) * len(deed["targets"])
            assert shown["marks"] == len(deed["sources"]) + len(deed["targets"]) + ways
        assert {deeds[number]["seat"] for number in numbers} <= {1, 2}


CAN_CHOOSE = "sight && (sight.choices.length > 0 || sight.payoffs !== null)"
TOLD = """(() => {
  const line = document.querySelector("#log li.told");
  return { number: line && +line.dataset.deed, text: document.getElementById("told").textContent,
    marks: document.querySelectorAll("#picture .moves .line").length };
})()"""


def skip_until(page, condition):
    """Skip the moves of others until something is so."""
    for _ in range(300):
        page.evaluate("skip()")
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"never came: {condition}")


def test_a_line_of_the_log_shows_the_table_as_it_was(visit):
    with visit(table(at=[0])) as page:
        while len(wait_for_turn(page)["deeds"]) < 6:
            version = sight(page)["version"]
            page.locator("#choices button").first.click()
            wait_for_change(page, version)
        now = page.text_content("#position")
        page.locator("#log button").first.click()
        page.wait_for_selector("#back:visible")
        assert page.inner_text("#told").strip() == page.locator("#log button").first.inner_text()
        assert page.text_content("#position") != now
        assert page.locator("#choices button").count() == 0
        page.keyboard.press("Escape")
        assert page.text_content("#position") == now
        assert page.locator("#choices button").count() > 0


def test_the_page_speaks_german_and_remembers_it(visit):
    with visit(table(at=[0])) as page:
        english = wait_for_turn(page)["choices"]
        page.select_option("#language", "de")
        wait_until(page, "sight.status.startsWith('Du bist dran')")
        german = sight(page)["choices"]
        assert [choice["code"] for choice in german] == [choice["code"] for choice in english]
        assert "Druidenkarte" in page.inner_text("#choices")
        assert page.inner_text("#undo") == "Zurück"
        assert page.get_attribute("html", "lang") == "de"
        page.reload()
        wait_until(page, "sight && sight.status.startsWith('Du bist dran')")
        page.goto(f"{page.url.partition('?')[0]}?language=en")
        wait_until(page, "sight && sight.status.startsWith('Your turn')")


def test_a_browser_that_keeps_nothing_plays_all_the_same(visit):
    refused = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('no') }})"
    with visit(table(at=[0])) as page:
        page.context.add_init_script(refused)
        page.reload()
        wait_until(page, CAN_CHOOSE)
        page.select_option("#speed", "fast")
        page.select_option("#language", "de")
        wait_until(page, "sight.status.startsWith('Du bist dran')")


@each_game
@pytest.mark.parametrize("speed", ["at once", "fast"])
def test_keys_alone_play_a_game(game, speed, visit):
    """The focus is on a choice whenever there is one, however long others take."""
    with visit(table(game, position=late_position(game, 5)), NARROW, speed=speed) as page:
        wait_until(page, f"!isTelling && {CAN_CHOOSE}")
        if not sight(page)["payoffs"]:
            reach(page, "#choices button")
        while not sight(page)["payoffs"]:
            version = sight(page)["version"]
            wait_until(page, "document.activeElement.matches('#choices button')")
            page.keyboard.press("ArrowDown")
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            page.keyboard.press("Enter")
            wait_for_change(page, version)
            wait_until(page, f"!isTelling && {CAN_CHOOSE}")
        assert page.inner_text("#status").startswith(ENDS)


@pytest.mark.slow
@each_game
def test_keys_alone_play_a_whole_game(game, visit):
    with visit(whole_game(game), PHONE) as page:
        wait_until(page, CAN_CHOOSE)
        reach(page, "#choices button")
        while not wait_for_turn(page)["payoffs"]:
            version = sight(page)["version"]
            wait_until(page, "document.activeElement.matches('#choices button')")
            page.keyboard.press("End" if version % 2 else "Home")
            page.keyboard.press("Enter")
            wait_for_change(page, version)
        assert page.inner_text("#status").startswith(ENDS)


def test_keys_alone_reach_the_pieces(visit):
    with visit(table(at=[0])) as page:
        choices = wait_for_turn(page)["choices"]
        reach(page, "[data-piece]")
        seen = []
        for _ in range(20):
            seen.append(page.evaluate("document.activeElement.dataset.piece"))
            page.keyboard.press("ArrowRight")
        assert set(seen) == {name for choice in choices for name in choice["pieces"]}
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        wait_until(page, "selection.size || sight.deeds.length")


def reach(page, selector):
    """Press Tab until an element has the focus."""
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches({selector!r})"):
            return
    raise AssertionError(f"Tab does not reach {selector}")


def test_people_pass_the_screen(visit):
    with visit(table("celtica", num_people=2, num_players=3)) as page:
        page.wait_for_selector("#curtain:visible")
        mover = sight(page)["mover"]
        assert page.inner_text("#curtain-title") == f"Pass the screen to Player {mover} (person)"
        assert page.locator("#picture *").count() == 0
        page.keyboard.press("Enter")  # the focus is on the button
        assert wait_for_turn(page)["viewer"] == mover
        assert not page.locator("#curtain").is_visible()


# --- what can go wrong ---------------------------------------------------------------------------


def test_a_slow_agent_thinks_while_the_page_answers(visit):
    slow = Slow()
    slow.may_move.set()
    with visit(table("celtica", slow, at=[0])) as page:
        while not wait_for_turn(page)["deeds"]:
            page.locator("#choices button").first.click()
            wait_until(page, "sight.deeds.length")
        slow.may_move.clear()
        while sight(page)["choices"]:
            version = sight(page)["version"]
            page.locator("#choices button").first.click()
            wait_for_change(page, version)
        assert page.inner_text("#status") == "Player 1 (slow) is thinking"
        assert page.locator("#hint").is_disabled()
        page.click("#words summary")
        assert page.locator("#position").is_visible()
        slow.may_move.set()
        wait_for_turn(page)


def test_a_failure_is_told_and_the_game_can_be_saved(visit, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with visit(table("celtica", Failing(), at=[0])) as page:
        while not wait_for_turn(page)["failure"]:
            version = sight(page)["version"]
            page.locator("#choices button").first.click()
            wait_for_change(page, version)
        assert "the agent 'failing' failed" in page.inner_text("#trouble")
        page.click("#save")
        page.wait_for_selector("#notice:visible")
        (saved,) = tmp_path.glob("celtica-*.jsonl")
        assert saved.name in page.inner_text("#notice")
        assert Replay.from_json(saved.read_text()).end == "running"


def test_two_tabs_and_a_browser_that_comes_back(visit):
    with visit(table(at=[0])) as page:
        other = page.context.new_page()
        other.goto(page.url)
        wait_for_turn(other)
        wait_for_turn(page)
        version = sight(page)["version"]
        page.locator("#choices button").first.click()
        wait_for_change(page, version)
        wait_for_change(other, version)
        other.close()
        again = page.context.new_page()
        again.goto(page.url)
        wait_for_turn(again)
        assert sight(again)["deeds"] == sight(page)["deeds"]


def test_a_server_that_is_gone_is_told(visit, browser):
    with serving(table(at=[0])) as address:
        page = browser.new_page()
        page.goto(address)
        wait_for_turn(page)
    page.locator("#choices button").first.click()
    wait_until(page, "document.getElementById('lost').textContent.includes('running')")
    page.close()


# --- how it looks --------------------------------------------------------------------------------


@each_game
@pytest.mark.parametrize(("viewport", "scheme"), [(PHONE, "dark"), (WIDE, "light")])
def test_everything_fits_and_is_legible(game, viewport, scheme, visit):
    with visit(table(game, num_players=3, at=[0]), viewport, scheme) as page:
        wait_for_turn(page)
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(overflow) <= 0
        assert page.evaluate("document.getElementById('picture').offsetWidth") > 350
        letters = page.evaluate(LETTERS)
        assert min(letters) >= SMALLEST, letters
        assert page.locator("#how-to-play code").first.is_visible()
        legible = ("#status", "#log", "h2", "#choices button", "#seats li", "#how-to-play code")
        for selector in legible:
            assert page.evaluate(CONTRAST, selector) >= LEGIBLE, selector
        names = page.evaluate(
            "[...document.querySelectorAll('button, [data-piece], section')].filter(e =>"
            "!(e.ariaLabel || e.getAttribute('aria-labelledby') || e.textContent.trim() ||"
            "  e.matches('#hint-box'))).map(e => e.outerHTML)"
        )
        assert names == []


LETTERS = """[...document.querySelectorAll("#picture text:not(.note, .name)")]
  .map((text) => text.getScreenCTM().d * parseFloat(getComputedStyle(text).fontSize))"""

CONTRAST = """selector => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((c) => c / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const one = document.querySelector(selector);
  let ground = one;
  while (getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)")
    ground = ground.parentElement;
  const pair = [getComputedStyle(one).color, getComputedStyle(ground).backgroundColor].map(light);
  return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
}"""
