"""The site of the documents is built without a warning, is complete, and needs no other machine."""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

import celtica_env

pytest.importorskip("mkdocs", reason="mkdocs is not installed")

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium")
PATIENCE = 60_000  # milliseconds; more than an idle machine needs, for the busy ones
WIDTHS = (390, 1280)
FLAWS = """() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push(`the page is ${root.scrollWidth} wide`);
  for (const code of document.querySelectorAll(":is(td, th) code")) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      for (const { 0: word, index } of walker.currentNode.data.matchAll(/[A-Za-z0-9]+/g)) {
        const range = document.createRange();
        range.setStart(walker.currentNode, index);
        range.setEnd(walker.currentNode, index + word.length);
        const lines = new Set([...range.getClientRects()].map((r) => Math.round(r.top)));
        if (lines.size > 1) found.push(`${word} of ${code.textContent} is broken`);
      }
    }
  }
  for (const one of document.querySelectorAll(".md-content *:not(.md-typeset__scrollwrap)")) {
    const isCut = one.clientWidth > 1 && getComputedStyle(one).overflowX !== "visible";
    if (isCut && one.scrollWidth > one.clientWidth + 1)
      found.push(`${one.tagName} is cut off: ${one.textContent.slice(0, 60)}`);
  }
  return found;
}"""
"""What is wrong with a page's layout: names broken between letters, something cut off, too wide."""
FLAWED = """<div class="md-content">
<table style="width: 1em; word-break: break-all"><td><code>word</code></table>
<p style="width: 5em; overflow: hidden; white-space: nowrap">a line that is far too long</p>
<p style="width: 3000px">wide</p></div>"""
LOADING = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src")}


class Page(HTMLParser):
    """The anchors of a page, where its links lead, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loaded = {""}, [], []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value)
            elif tag == "a" and name == "href":
                self.links.append(value)
            elif (tag, name) in LOADING and not value.startswith("data:"):
                self.loaded.append(value)


def build(folder):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "WARNING" not in run.stderr, run.stderr


def broken_links(pages):
    """Yield each link within the site and each file that a page names and that is not there."""
    for path, page in pages.items():
        within = [target for target in page.links if not target.startswith("https://")]
        for target in within + page.loaded:
            name, _, anchor = target.partition("#")
            file = (path.parent / unquote(name)).resolve() if name else path
            if not file.exists() or (file in pages and unquote(anchor) not in pages[file].anchors):
                yield f"{path.name}: {target}"


def test_a_link_that_leads_nowhere_is_noticed(tmp_path):
    page = tmp_path / "page.html"
    page.write_text('<h1 id="top"><a href="#top"></a><a href="#no"></a><img src="no.svg"></h1>')
    assert list(broken_links({page: Page(page)})) == ["page.html: #no", "page.html: no.svg"]


# One test, for a build takes seconds and the processes of a test run would each make their own.
@pytest.mark.slow
def test_the_site_is_whole(tmp_path):
    build(tmp_path)
    pages = {path: Page(path) for path in tmp_path.rglob("*.html") if path.name != "404.html"}
    assert list(broken_links(pages)) == []
    for game in celtica_env.list_games():
        assert f"../pictures/{game}.svg" in pages[tmp_path / "games" / f"{game}.html"].loaded
    assert (tmp_path / "try" / "table.js").is_file()
    documented = set().union(*(page.anchors for page in pages.values()))
    public = {f"celtica_env.{name}" for name in celtica_env.__all__ if name != "__version__"}
    assert public <= documented
    for style in tmp_path.rglob("*.css"):
        assert not re.search(r"url\([\"']?https?:", style.read_text("utf-8")), style
    if CHROMIUM:
        playwright = pytest.importorskip("playwright.sync_api")
        with playwright.sync_playwright() as driver:
            arguments = ["--no-sandbox", "--disable-gpu"]
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=arguments)
            the_search_works_from_disk(tmp_path, browser)
            every_page_is_laid_out_well([path for path in pages if is_document(path)], browser)
            browser.close()


def is_document(path):
    """Say whether a page is none of those that show a source file, and not the demo."""
    return not {"source", "try"} & set(path.parts)


def every_page_is_laid_out_well(paths, browser):
    for width in WIDTHS:
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.set_default_timeout(PATIENCE)
        page.set_content(FLAWED)
        assert len(page.evaluate(FLAWS)) == 3
        for path in paths:
            page.goto(path.as_uri())
            assert page.evaluate(FLAWS) == [], f"{path.name} at {width} pixels"
        page.close()


def the_search_works_from_disk(site, browser):
    complaints, requested = [], []
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("request", lambda request: requested.append(request.url))
    page.goto((site / "index.html").as_uri())
    page.click(".md-search__input")
    page.keyboard.type("deepcopy")
    page.wait_for_selector(".md-search-result__item")
    page.close()
    assert complaints == []
    assert [url for url in requested if not url.startswith(("file:", "data:", "blob:"))] == []
