"use strict";
// How the page talks to a table in a worker of the browser. What SOURCES, WORKER, PYODIDE and GAMES
// are is written by build.py. Nothing but the class is known outside.

window.Table = (() => {
const AGENTS = ["greedy", "bot", "random"];
const asked = new URLSearchParams(location.search);
const wanted = {
  game: asked.get("game") in GAMES ? asked.get("game") : Object.keys(GAMES)[0],
  against: AGENTS.includes(asked.get("against")) ? asked.get("against") : AGENTS[0],
  seed: asked.get("seed"),
};
const { most, bots } = GAMES[wanted.game];
wanted.players = Math.min(Math.max(parseInt(asked.get("players") || 2, 10) || 2, 2), most);
const hasBot = bots.includes(wanted.players);
if (wanted.against === "bot" && !hasBot) wanted.against = AGENTS[0];

class Table {
  /** `onSight` gets what there is to see whenever it changes. */
  constructor(onSight) {
    this.onSight = onSight;
    this.waiting = new Map(); // for the answers to what was asked
    this.worker = null;
    offer();
  }

  /** Look on from now on, as told by a query such as `language=de`. */
  look(query) {
    if (!window.Worker || !window.WebAssembly) {
      tell("This browser has no WebAssembly or no workers, which the demo needs.");
      return;
    }
    const content = { path: "look", query: Object.fromEntries(new URLSearchParams(query)) };
    if (this.worker) {
      this.worker.postMessage(content);
      return;
    }
    tell("Loading Python: some 9 MB on the first visit");
    const file = new Blob([WORKER], { type: "text/javascript" }); // also where the page is a file
    this.worker = new Worker(URL.createObjectURL(file));
    this.worker.onmessage = ({ data }) => this.hear(data);
    const send = (network) => {
      const wish = { ...wanted, network };
      this.worker.postMessage({ ...content, wish, sources: SOURCES, pyodide: PYODIDE });
    };
    if (wanted.against === "bot") loadNetwork().then(send);
    else send(null);
  }

  hear({ sight, failure, id, text }) {
    if (sight) this.onSight(JSON.parse(sight));
    else if (failure) tell(`The demo has stopped: ${failure}`);
    else this.waiting.get(id)?.(JSON.parse(text));
  }

  /** Ask for something, or wish for it with content; the answer as JSON holds it. */
  async ask(path, content = null) {
    const [name, query] = path.split("?");
    const id = `${performance.now()} ${name}`;
    const answer = await new Promise((resolve) => {
      this.waiting.set(id, resolve);
      const words = Object.fromEntries(new URLSearchParams(query));
      this.worker.postMessage({ id, path: name, query: words, content });
    });
    this.waiting.delete(id);
    if (answer.error) throw new Error(answer.error);
    return answer;
  }

  /** The address of the record of a game that is over. */
  async replay() {
    return URL.createObjectURL(new Blob([await this.ask("replay")], { type: "application/jsonl" }));
  }
}

/** Load the network of the game and the number of players: by a script, as files read no others. */
async function loadNetwork() {
  const script = document.createElement("script");
  script.src = `bot-${wanted.game}-${wanted.players}.js`;
  await new Promise((resolve) => {
    script.onload = resolve;
    script.onerror = () => tell(`The demo has stopped: ${script.src} cannot be loaded`);
    document.head.append(script);
  });
  return window.NETWORK;
}

function tell(text) {
  document.getElementById("status").textContent = text;
}

/** Offer the games, agents and numbers of players above the page. */
function offer() {
  const form = document.createElement("form");
  const choices = {
    game: Object.entries(GAMES).map(([name, { title }]) => [name, title]),
    against: AGENTS.filter((name) => name !== "bot" || hasBot).map((name) => [name, `against ${name}`]),
    players: Array.from({ length: most - 1 }, (_, k) => [k + 2, `${k + 2} players`]),
  };
  for (const [name, options] of Object.entries(choices)) {
    const list = document.createElement("select");
    list.name = name;
    list.setAttribute("aria-label", name);
    list.append(...options.map(([value, text]) => new Option(text, value)));
    list.value = wanted[name];
    list.addEventListener("change", () => form.submit());
    form.append(list, " ");
  }
  const home = document.createElement("a");
  home.href = "../index.html";
  home.textContent = "celtica-env";
  form.append(home);
  document.body.prepend(form);
}

return Table;
})();
