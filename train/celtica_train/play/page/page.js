"use strict";
// Shows what the table sends and sends back what people want. No rule of any game is known here:
// an action is a number, a sentence, and the pieces of the picture that together mean it.

const WORDS = {
  en: {
    undo: "Undo", hint: "Hint", save: "Save", new: "New game", skip: "Skip",
    back: "Back to the game", position: "The position in words", players: "Players",
    choices: "What you can do", play: "Play", clear: "Clear", log: "What was done",
    help: "How to play", "look away": "Nobody else should look at the screen now.",
    uncover: "I sit before the screen", menu: "Game", table: "Table", "speed of moves": "Others' moves",
    language: "Language", "at once": "moves at once", fast: "fast moves", medium: "moves one by one",
    slow: "slow moves", fit: "actions fit", "gives up": "Give up this game and begin a new one?",
    thinking: "is thinking about a hint", advises: "advises",
    lost: "The table does not answer. Is the command `celtica play` still running?",
    saved: (name) => `Saved to ${name} in the folder in which \`celtica play\` runs. ` +
      "After the end the file comes through the browser; before, it would tell hidden cards.",
  },
  de: {
    undo: "Zurück", hint: "Rat", save: "Speichern", new: "Neues Spiel", skip: "Überspringen",
    back: "Zurück zum Spiel", position: "Die Stellung in Worten (englisch)", players: "Spieler",
    choices: "Was du tun kannst", play: "Spielen", clear: "Verwerfen", log: "Was getan wurde",
    help: "Spielregeln (englisch)", "look away": "Niemand sonst sollte jetzt auf den Bildschirm sehen.",
    uncover: "Ich sitze vor dem Bildschirm", menu: "Spiel", table: "Tisch",
    "speed of moves": "Züge der anderen", language: "Sprache", "at once": "Züge sofort",
    fast: "Züge schnell", medium: "Züge einzeln", slow: "Züge langsam", fit: "Möglichkeiten",
    "gives up": "Dieses Spiel aufgeben und ein neues beginnen?", thinking: "überlegt sich einen Rat",
    advises: "rät",
    lost: "Der Tisch antwortet nicht. Läuft der Befehl `celtica play` noch?",
    saved: (name) => `In ${name} gespeichert, im Ordner, in dem \`celtica play\` läuft. ` +
      "Nach dem Ende kommt die Datei durch den Browser; vorher verriete sie verdeckte Karten.",
  },
};
const SPEEDS = { "at once": 0, fast: 500, medium: 1100, slow: 2500 }; // milliseconds for a move
const NARROW = window.matchMedia("(max-width: 40rem)");
const SVG = "http://www.w3.org/2000/svg";
const element = (id) => document.getElementById(id);

let sight = null; // what the table sent last
let told = 0; // deeds that have been shown
let isTelling = false; // others' moves are being shown, one by one
let nextDeed = () => {}; // ends the wait for the next of them
let skip = () => {}; // leaves the others out
let looked = null; // an earlier deed at which somebody looks again
let selection = new Map(); // how often each piece was clicked
let focusWaits = null; // "choices" or "picture": where the focus goes at the next turn

// --- settings ------------------------------------------------------------------------------------

/** Return what was kept under a name; a browser may refuse to keep anything. */
function kept(name) {
  try {
    return localStorage.getItem(`celtica-${name}`);
  } catch {
    return null;
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(`celtica-${name}`, value);
  } catch { /* then it holds until the page is closed */ }
}

const given = new URLSearchParams(location.search).get("language");
const preferred = given || kept("language") || navigator.language.slice(0, 2);
let language = preferred in WORDS ? preferred : "en";
let speed = kept("speed") in SPEEDS ? kept("speed") : "medium";

function word(key) {
  return WORDS[language][key];
}

function query() {
  return `language=${language}&narrow=${Number(NARROW.matches)}`;
}

/** Put the page's own words in the language chosen. */
function translate() {
  document.documentElement.lang = language;
  for (const one of document.querySelectorAll("[data-word]")) one.textContent = word(one.dataset.word);
  element("menu").setAttribute("aria-label", word("menu"));
  element("table").setAttribute("aria-label", word("table"));
  element("speed").setAttribute("aria-label", word("speed of moves"));
  element("language").setAttribute("aria-label", word("language"));
  element("speed").replaceChildren(...Object.keys(SPEEDS).map((name) => new Option(word(name), name)));
  element("speed").value = speed;
  element("language").value = language;
}

// --- talking to the table ------------------------------------------------------------------------

const table = new Table(take, (isLost) => say("lost", isLost ? word("lost") : ""));

async function wish(path, content = {}) {
  try {
    say("trouble", "");
    say("notice", "");
    return await table.ask(`${path}?${query()}`, { version: sight.version, ...content });
  } catch (error) {
    say("trouble", error.message);
    return null;
  }
}

/** Take what the table sends: show what others did meanwhile, then how it stands now. */
function take(news) {
  const before = sight;
  sight = news;
  const recent = sight.deeds.findIndex((deed) => deed.is_recent);
  const isAnother = !before || before.deal !== sight.deal || before.viewer !== sight.viewer;
  if (isAnother) told = recent < 0 ? sight.deeds.length : recent;
  told = Math.min(told, sight.deeds.length);
  looked = null;
  if (before?.version !== sight.version) selection = new Map();
  if (sight.failure || before?.failure) say("trouble", sight.failure || "");
  showFrame();
  if (!isTelling) tell();
  else if (isAnother) skip();
  else showChoices();
}

/** Show the moves of others one by one, then the table as it stands. */
async function tell() {
  isTelling = true;
  while (told < sight.deeds.length) {
    const { deal, viewer } = sight, number = told, deed = sight.deeds[number];
    told += 1;
    if (deed.seat === viewer || !deed.text || !SPEEDS[speed]) continue;
    showNow(); // nothing to choose meanwhile
    let scene;
    try {
      scene = await table.ask(`scene?deed=${number}&${query()}`);
    } catch {
      break; // the table has gone on elsewhere
    }
    if (sight.deal !== deal || sight.viewer !== viewer || number >= sight.deeds.length) continue;
    showScene(scene, number);
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, SPEEDS[speed]);
      nextDeed = () => { clearTimeout(timer); resolve(); };
      skip = () => { told = sight.deeds.length; nextDeed(); };
    });
  }
  isTelling = false;
  nextDeed = skip = () => {};
  showNow();
}

/** Look at the table as it was after an earlier deed. */
async function lookBack(number) {
  try {
    const scene = await table.ask(`scene?deed=${number}&${query()}`);
    skip();
    looked = number;
    showScene(scene, number);
    showChoices();
  } catch (error) {
    say("trouble", error.message);
  }
}

// --- showing -------------------------------------------------------------------------------------

function say(id, text) {
  const line = element(id);
  if (line.textContent !== text) line.textContent = text;
  line.hidden = !text;
}

/** Show what is not of one moment. */
function showFrame() {
  element("game").textContent = sight.game;
  element("status").textContent = sight.status;
  document.title = `${sight.status} - ${sight.game}`;
  element("hint-box").hidden = true;
  element("undo").disabled = !sight.can_undo;
  element("hint").disabled = !sight.choices.length || !sight.adviser;
  showHelp();
  showLog();
  showCurtain();
}

/** Show the table as it stands, and what can be done. */
function showNow() {
  if (!sight.scene) {
    element("picture").replaceChildren();
    element("caption").hidden = true;
    fill("seats", []);
  } else if (!isTelling) {
    showScene(sight.scene, null);
  }
  showChoices();
}

/** Show the table after a deed, or as it is now; whose the marks are is told above the picture. */
function showScene(scene, number) {
  const news = sight.deeds.filter((deed) => isNews(deed) && deed.text);
  const deed = number === null ? news[news.length - 1] : sight.deeds[number];
  element("caption").hidden = false;
  element("told").replaceChildren(...(deed ? line(deed) : []));
  element("skip").hidden = !isTelling;
  element("back").hidden = looked === null;
  [...element("log").children].forEach((item) =>
    item.classList.toggle("told", number !== null && +item.dataset.deed === number));
  showPicture(scene);
  showSeats(scene);
  if (deed) markMove(deed);
}

function fill(list, items) {
  element(list).replaceChildren(...items);
}

function item(text, ...classes) {
  const line = document.createElement("li");
  line.append(text);
  line.classList.add(...classes);
  return line;
}

/** Show the game's own explanation; what stands between backticks is an action's text. */
function showHelp() {
  const box = element("how-to-play");
  element("help").hidden = !sight.how_to_play.length;
  if (box.childElementCount === sight.how_to_play.length) return;
  box.replaceChildren(...sight.how_to_play.map((paragraph) => {
    const line = document.createElement("p");
    line.append(...paragraph.split("`").map((text, k) => {
      if (k % 2 === 0) return text;
      const action = document.createElement("code");
      action.textContent = text;
      return action;
    }));
    return line;
  }));
}

/** The mark of a seat, as in the picture; its form tells it without the colour. */
function seatMark(seat) {
  const mark = svg("svg", { viewBox: "-14 -14 28 28", class: "mark", "aria-hidden": "true" });
  mark.append(svg("use", { href: `#seat-${seat}`, fill: sight.colours[seat] }));
  return mark;
}

function svg(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** What somebody did, as the parts of a line. */
function line(deed) {
  return [seatMark(deed.seat), ` ${sight.players[deed.seat]}: ${deed.text}`];
}

function showSeats(scene) {
  fill("seats", sight.players.map((player, seat) => {
    const payoff = sight.payoffs && sight.payoffs[seat];
    const paid = sight.payoffs ? `: ${payoff > 0 ? "+" : ""}${+payoff.toFixed(2)}` : "";
    const words = document.createElement("span");
    words.textContent = `${player}${paid}`;
    const more = { standing: scene.tallies[seat], account: sight.accounts[seat] };
    for (const [name, text] of Object.entries(more)) {
      if (!text) continue;
      const part = document.createElement("span");
      part.className = name;
      part.textContent = text;
      words.append(part);
    }
    const line = item("");
    line.append(seatMark(seat), words);
    if (seat === sight.mover) line.setAttribute("aria-current", "true");
    return line;
  }));
}

function showPicture(scene) {
  if (element("picture").contains(document.activeElement)) focusWaits = "picture";
  const drawing = scene.picture
    ? document.importNode(new DOMParser().parseFromString(scene.picture, "image/svg+xml").documentElement, true)
    : "";
  element("picture").replaceChildren(drawing);
  element("position").textContent = scene.position;
  if (!scene.picture) element("words").open = true;
  else drawing.setAttribute("role", "group");
  if (scene !== sight.scene) return;
  for (const piece of pieces()) {
    piece.setAttribute("role", "button");
    piece.addEventListener("click", () => select(piece.dataset.piece));
  }
}

function isNews(deed) {
  return deed.is_recent && deed.seat !== sight.viewer;
}

function showChoices() {
  if (element("choices").contains(document.activeElement)) focusWaits = "choices";
  const isOpen = !isTelling && looked === null;
  const choices = isOpen ? sight.choices : [];
  fill("choices", choices.map((choice) => {
    const line = item("");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = choice.text;
    button.title = choice.code;
    button.dataset.action = choice.action;
    button.addEventListener("click", () => wish("play", { action: choice.action }));
    for (const event of ["focus", "mouseenter"])
      button.addEventListener(event, () => markPieces("shown", choice.pieces));
    for (const event of ["blur", "mouseleave"])
      button.addEventListener(event, () => markPieces("shown", []));
    line.append(button);
    return line;
  }));
  if (!choices.length) fill("choices", [item(sight.status)]);
  markSelection();
  rove(buttons());
  placeFocus(choices.length > 0);
}

/** Give the focus back to where it was before others moved; keep it from getting lost meanwhile. */
function placeFocus(canChoose) {
  if (!focusWaits || !element("curtain").hidden) return;
  if (!canChoose) {
    element("act").focus({ preventScroll: true });
    return;
  }
  const isElsewhere = ![document.body, element("act")].includes(document.activeElement);
  if (!isElsewhere) (focusWaits === "picture" ? openPieces()[0] : buttons()[0])?.focus();
  focusWaits = null;
}

function showLog() {
  const log = element("log");
  const rows = sight.deeds.map((deed, number) => ({ deed, number })).filter(({ deed }) => deed.text);
  const texts = rows.map(({ deed }) => `${sight.players[deed.seat]}: ${deed.text}`);
  let same = 0; // lines that stay, so that only new ones are read aloud
  while (same < texts.length && log.children[same]?.dataset.text === texts[same]) same += 1;
  while (log.children.length > same) log.lastChild.remove();
  for (let row = same; row < texts.length; row += 1) {
    const { deed, number } = rows[row];
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = texts[row];
    button.addEventListener("click", () => lookBack(number));
    const line = item("");
    line.dataset.text = texts[row];
    line.dataset.deed = number;
    line.append(seatMark(deed.seat), button);
    log.append(line);
  }
  rows.forEach(({ deed }, row) => log.children[row].classList.toggle("recent", isNews(deed)));
  log.scrollTop = log.scrollHeight;
  rove(lines());
}

function showCurtain() {
  const isCovered = sight.viewer === null && sight.people.includes(sight.mover);
  const wasCovered = !element("curtain").hidden;
  element("curtain").hidden = !isCovered;
  for (const part of document.querySelectorAll("header, main")) part.inert = isCovered;
  element("curtain-title").textContent = sight.status;
  if (isCovered) element("uncover").focus();
  else if (wasCovered) focusWaits = "choices";
}

async function showHint() {
  const version = sight.version, answer = wish("hint");
  say("notice", `${sight.adviser} ${word("thinking")}`);
  const hint = await answer;
  if (sight.version !== version) return;
  say("notice", "");
  if (!hint) return;
  element("hint-title").textContent = `${hint.by} ${word("advises")}: ${hint.text}`;
  fill("reasons", hint.reasons.map((reason) => item(reason)));
  element("hint-box").hidden = false;
  for (const button of buttons())
    button.classList.toggle("hinted", +button.dataset.action === hint.action);
  markPieces("shown", sight.choices.find((choice) => choice.action === hint.action).pieces);
}

// --- what moved ----------------------------------------------------------------------------------

/** Frame where something was taken from and where it is, with a way between, in the seat's colour. */
function markMove(deed) {
  const drawing = element("picture").firstElementChild;
  if (!drawing) return;
  const box = (name) => {
    const found = drawing.querySelector(`[data-thing="${name}"]`);
    if (!found) return null;
    const frame = drawing.createSVGPoint(), rect = found.getBoundingClientRect();
    const toUnits = drawing.getScreenCTM().inverse();
    const corner = (x, y) => Object.assign(frame, { x, y }).matrixTransform(toUnits);
    const start = corner(rect.left, rect.top), end = corner(rect.right, rect.bottom);
    return { x: start.x - 4, y: start.y - 4, width: end.x - start.x + 8, height: end.y - start.y + 8 };
  };
  const sources = deed.sources.map(box).filter(Boolean), targets = deed.targets.map(box).filter(Boolean);
  const moves = svg("g", { class: "moves", stroke: sight.colours[deed.seat], "aria-hidden": "true" });
  const draw = (name, attributes, look) => {
    moves.append(svg(name, { ...attributes, class: "halo" }), svg(name, { ...attributes, class: `line ${look}` }));
  };
  for (const one of sources) draw("rect", { ...one, rx: 8 }, "source");
  for (const one of targets) draw("rect", { ...one, rx: 8 }, "target");
  for (const one of sources) for (const other of targets) draw("path", { d: way(one, other) }, "way");
  drawing.append(moves);
}

/** An arrow from the edge of one box to the edge of another. */
function way(one, other) {
  const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];
  const [x, y] = middle(one), [u, v] = middle(other);
  const length = Math.hypot(u - x, v - y) || 1, dx = (u - x) / length, dy = (v - y) / length;
  const reach = (box) => Math.min(
    Math.abs(dx) > 1e-6 ? box.width / 2 / Math.abs(dx) : Infinity,
    Math.abs(dy) > 1e-6 ? box.height / 2 / Math.abs(dy) : Infinity);
  const from = reach(one), to = length - reach(other);
  if (to - from < 8) return "";
  const [a, b] = [x + dx * from, y + dy * from], [c, d] = [x + dx * to, y + dy * to];
  const barb = (side) => `M${c} ${d}L${c - 11 * dx + side * 7 * dy} ${d - 11 * dy - side * 7 * dx}`;
  return `M${a} ${b}L${c} ${d}${barb(1)}${barb(-1)}`;
}

// --- clicking pieces -----------------------------------------------------------------------------

function pieces() {
  return [...element("picture").querySelectorAll("[data-piece]")];
}

function openPieces() {
  return pieces().filter((piece) => piece.classList.contains("open"));
}

function buttons() {
  return [...element("choices").querySelectorAll("button")];
}

function lines() {
  return [...element("log").querySelectorAll("button")].reverse(); // the last line is reached first
}

function count(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) || 0) + 1);
  return counts;
}

function contains(all, part) {
  return [...part].every(([name, number]) => (all.get(name) || 0) >= number);
}

function size(counts) {
  return [...counts.values()].reduce((sum, number) => sum + number, 0);
}

/** What can be chosen now: nothing while the moves of others are shown. */
function choices() {
  return isTelling || looked !== null ? [] : sight.choices;
}

/** The legal actions whose pieces hold all those selected. */
function possible(selected) {
  return choices().filter((choice) => contains(count(choice.pieces), selected));
}

/** The action that means exactly the pieces selected, if there is one. */
function meant() {
  if (!selection.size) return undefined;
  return possible(selection).find((choice) => choice.pieces.length === size(selection));
}

/** Add a piece to the selection; one that fits no more is taken out, or begins anew. */
function select(name) {
  const more = new Map(selection).set(name, (selection.get(name) || 0) + 1);
  if (possible(more).length) selection = more;
  else if (selection.has(name)) selection.delete(name);
  else if (possible(new Map([[name, 1]])).length) selection = new Map([[name, 1]]);
  else return;
  const left = possible(selection);
  if (meant() && left.length === 1) wish("play", { action: left[0].action });
  else markSelection();
}

function clear() {
  selection = new Map();
  markSelection();
}

function markSelection() {
  const left = possible(selection);
  const actions = new Set(left.map((choice) => choice.action));
  for (const button of buttons()) button.classList.toggle("dim", !actions.has(+button.dataset.action));
  const open = new Set(choices().flatMap((choice) => choice.pieces));
  const more = new Set([...open].filter((name) => isWanted(name, left)));
  for (const piece of pieces()) {
    const name = piece.dataset.piece;
    piece.classList.toggle("open", open.has(name));
    piece.classList.toggle("dim", selection.size > 0 && !more.has(name) && !selection.has(name));
    piece.setAttribute("aria-disabled", String(!open.has(name)));
  }
  markPieces("selected", [...selection].flatMap(([name, number]) => Array(number).fill(name)));
  for (const piece of pieces())
    piece.setAttribute("aria-pressed", String(piece.classList.contains("selected")));
  rove(openPieces());
  element("selection").hidden = !selection.size;
  element("play").disabled = !meant();
  element("selected").textContent = meant() ? meant().text : `${left.length} ${word("fit")}`;
}

/** Whether some action wants a piece once more than it is selected. */
function isWanted(name, wanting) {
  return wanting.some((choice) => count(choice.pieces).get(name) > (selection.get(name) || 0));
}

/** Give a class to as many elements of each piece as it is named, and take it from the others. */
function markPieces(mark, names) {
  const left = count(names);
  for (const piece of pieces()) {
    const number = left.get(piece.dataset.piece) || 0;
    piece.classList.toggle(mark, number > 0);
    left.set(piece.dataset.piece, number - 1);
  }
}

// --- keys ----------------------------------------------------------------------------------------

/** Make one of several elements the one that Tab reaches; arrow keys go to the others. */
function rove(members) {
  const current = members.find((member) => member === document.activeElement) || members[0];
  for (const member of members) member.setAttribute("tabindex", member === current ? "0" : "-1");
}

function move(members, key) {
  const last = members.length - 1;
  const here = members.indexOf(document.activeElement);
  const to = {
    ArrowRight: Math.min(here + 1, last), ArrowDown: Math.min(here + 1, last),
    ArrowLeft: Math.max(here - 1, 0), ArrowUp: Math.max(here - 1, 0),
    Home: 0, End: last,
  }[key];
  if (here < 0 || to === undefined) return false;
  members[to].focus();
  rove(members);
  return true;
}

function pressed(event) {
  const piece = document.activeElement.closest?.("[data-piece]");
  if (event.key === "Escape" && sight) {
    if (looked !== null) backToNow();
    else if (isTelling) skip();
    else clear();
  } else if (piece && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    select(piece.dataset.piece);
  } else if (
    move(buttons(), event.key) || move(openPieces(), event.key) || move([...lines()].reverse(), event.key)
  ) event.preventDefault();
}

// --- the buttons ---------------------------------------------------------------------------------

async function save() {
  if (sight.payoffs) {
    const link = document.createElement("a");
    link.href = await table.replay();
    link.download = "game.jsonl";
    link.click();
    return;
  }
  const answer = await wish("save");
  if (answer) say("notice", word("saved")(answer.saved));
}

function begin() {
  const isRunning = !sight.payoffs && sight.deeds.length;
  if (!isRunning || confirm(word("gives up"))) wish("new");
}

function backToNow() {
  looked = null;
  showNow();
}

function lookAnew() {
  translate();
  table.look(query());
}

element("undo").addEventListener("click", () => wish("undo"));
element("hint").addEventListener("click", showHint);
element("save").addEventListener("click", save);
element("new").addEventListener("click", begin);
element("play").addEventListener("click", () => wish("play", { action: meant().action }));
element("clear").addEventListener("click", clear);
element("uncover").addEventListener("click", () => wish("uncover"));
element("skip").addEventListener("click", () => skip());
element("back").addEventListener("click", backToNow);
element("speed").addEventListener("change", () => keep("speed", (speed = element("speed").value)));
element("language").addEventListener("change", () => {
  keep("language", (language = element("language").value));
  lookAnew();
});
element("help").open = kept("help") !== "closed";
element("help").addEventListener("toggle", () => keep("help", element("help").open ? "open" : "closed"));
NARROW.addEventListener("change", lookAnew);
document.addEventListener("keydown", pressed);
lookAnew();
