"""Take the picture of the page in `play.md` anew: `python docs/screenshot.py`.

Needs the extra `dev`, and chromium.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

PICTURE = Path(__file__).with_name("play.png")
COMMAND = "play --against greedy --players 3 --seed 7 --no-browser"
NUM_TURNS = 6
SIZE = {"width": 1400, "height": 920}


def main() -> None:
    """Play a few turns and keep what the page shows."""
    command = [sys.executable, "-m", "celtica_train.cli", *COMMAND.split()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        take(process.stdout.readline().split()[-1])
        process.send_signal(signal.SIGINT)


def take(address: str) -> None:
    """Take the picture of the page at an address."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport=SIZE)
        page.goto(address)
        for _ in range(NUM_TURNS):
            play_last(page)
        page.click("#hint")
        page.wait_for_selector("#hint-box:visible")
        page.screenshot(path=PICTURE)
        browser.close()


def play_last(page: Page) -> None:
    """Carry out the last action on offer and wait until it is this seat's turn again."""
    page.locator("#choices button").last.click()
    page.wait_for_timeout(1000)
    page.wait_for_selector("#choices button")


if __name__ == "__main__":
    main()
