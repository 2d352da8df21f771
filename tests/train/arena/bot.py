"""A program that plays, well or badly: `python bot.py MANNER`. Needs nothing but Python."""

import json
import sys
import time

MANNER = sys.argv[1] if len(sys.argv) > 1 else "first"


def flood(request):
    while True:
        print("x" * 4096, end="", flush=True)


def eat_memory(request):
    hoard = []
    while True:
        hoard.append(bytearray(2**24))


def illegal(request):
    return {"action": next(a for a in range(len(ACTIONS)) if a not in request["legal"])}


MANNERS = {
    "first": lambda request: {"action": request["legal"][0]},
    "words": lambda request: {"action": ACTIONS[request["legal"][0]]},
    "hang": lambda request: time.sleep(60),
    "flood": flood,
    "eat memory": eat_memory,
    "die": lambda request: sys.exit("no more of this"),
    "garbage": lambda request: "not JSON",
    "number": lambda request: 7,
    "two lines": lambda request: "{}\n{}",
    "illegal": illegal,
    "out of range": lambda request: {"action": 10**6},
    "no hello": None,
}

for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "hello":
        ACTIONS = request["actions"]
        print(json.dumps({"type": "shy" if MANNER == "no hello" else "ready"}), flush=True)
    else:
        answer = MANNERS[MANNER](request)
        print(answer if isinstance(answer, str) else json.dumps(answer), flush=True)
