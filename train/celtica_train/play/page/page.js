"use strict";
// Shows what the server sends and sends back what people want. No rule of any game is known here:
// an action is a number, a text, and the pieces of the picture that together mean it.

const WAIT = { thinking: 150, idle: 1500 }; // milliseconds from one look at the game to the next
const element = (id) => document.getElementById(id);

let sight = null; // what the server sent last
let selection = new Map(); // how often each piece was clicked

// --- talking to the server -----------------------------------------------------------------------

async function ask(path, content) {
  const options = content && { method: "POST", body: JSON.stringify(content) };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The server does not answer. Is the command `celtica play` still running?");
  }
  if (answer.status === 204) return null;
  const body = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(body.error), { status: answer.status });
  return body;
}

async function wish(path, content = {}) {
  try {
    say("trouble", "");
    return await ask(path, { version: sight.version, ...content });
  } catch (error) {
    if (error.status === 409) await look();
    say("trouble", error.message);
    return null;
  }
}

async function change(path, content) {
  const news = await wish(path, content);
  if (news) show(news);
}

async function look() {
  const news = await ask(sight ? `state?version=${sight.version}` : "state");
  if (news) show(news);
}

async function keepLooking() {
  try {
    await look();
    if (element("trouble").dataset.lost) say("trouble", sight.failure || "");
  } catch (error) {
    say("trouble", error.message);
    element("trouble").dataset.lost = "yes";
  }
  setTimeout(keepLooking, sight && sight.is_thinking ? WAIT.thinking : WAIT.idle);
}

// --- showing -------------------------------------------------------------------------------------

function say(id, text) {
  const line = element(id);
  delete line.dataset.lost;
  if (line.textContent !== text) line.textContent = text;
  line.hidden = !text;
}

function show(news) {
  sight = news;
  selection = new Map();
  element("game").textContent = sight.game;
  element("status").textContent = sight.status;
  document.title = `${sight.status} - ${sight.game}`;
  say("trouble", sight.failure || "");
  say("notice", "");
  element("hint-box").hidden = true;
  showHelp();
  showSeats();
  showPicture();
  showChoices();
  showLog();
  showCurtain();
  element("undo").disabled = !sight.can_undo;
  element("hint").disabled = !sight.choices.length;
  markSelection();
}

function who(seat) {
  return `player ${seat} (${sight.names[seat]})`;
}

function fill(list, items) {
  element(list).replaceChildren(...items);
}

function item(text, ...classes) {
  const line = document.createElement("li");
  line.textContent = text;
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

function showSeats() {
  const paid = (seat) => {
    const payoff = sight.payoffs && sight.payoffs[seat];
    return sight.payoffs ? `: ${payoff > 0 ? "+" : ""}${+payoff.toFixed(2)}` : "";
  };
  const lines = sight.names.map((_, seat) => {
    const line = item(`${who(seat)}${paid(seat)}`);
    if (sight.accounts.length) {
      const account = document.createElement("span");
      account.className = "account";
      account.textContent = sight.accounts[seat];
      line.append(account);
    }
    if (seat === sight.mover) line.setAttribute("aria-current", "true");
    return line;
  });
  fill("seats", lines);
}

function showPicture() {
  const held = element("picture").contains(document.activeElement);
  const drawing = sight.picture
    ? document.importNode(new DOMParser().parseFromString(sight.picture, "image/svg+xml").documentElement, true)
    : "";
  element("picture").replaceChildren(drawing);
  element("position").textContent = sight.position;
  element("words").hidden = !sight.position;
  if (!sight.picture) element("words").open = true;
  else drawing.setAttribute("role", "group");
  const touched = new Set(sight.deeds.filter(isNews).flatMap((deed) => deed.pieces));
  for (const piece of pieces()) {
    piece.classList.toggle("touched", touched.has(piece.dataset.piece));
    piece.setAttribute("role", "button");
    piece.addEventListener("click", () => select(piece.dataset.piece));
  }
  if (held) pieces()[0]?.focus();
}

function isNews(deed) {
  return deed.is_recent && deed.seat !== sight.viewer;
}

function showChoices() {
  const held = element("choices").contains(document.activeElement);
  fill("choices", sight.choices.map((choice) => {
    const line = item("");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = choice.text;
    button.dataset.action = choice.action;
    button.addEventListener("click", () => change("play", { action: choice.action }));
    for (const event of ["focus", "mouseenter"])
      button.addEventListener(event, () => markPieces("shown", choice.pieces));
    for (const event of ["blur", "mouseleave"])
      button.addEventListener(event, () => markPieces("shown", []));
    line.append(button);
    return line;
  }));
  if (!sight.choices.length) fill("choices", [item(sight.status)]);
  rove(buttons());
  if (held) (buttons()[0] || element("log")).focus();
}

function showLog() {
  const log = element("log");
  const texts = sight.deeds.map((deed) => `${who(deed.seat)}: ${deed.text}`);
  let same = 0; // lines that stay, so that only new ones are read aloud
  while (same < texts.length && log.children[same]?.textContent === texts[same]) same += 1;
  while (log.children.length > same) log.lastChild.remove();
  log.append(...texts.slice(same).map((text) => item(text)));
  sight.deeds.forEach((deed, row) => log.children[row].classList.toggle("recent", isNews(deed)));
  log.scrollTop = log.scrollHeight;
}

function showCurtain() {
  const isCovered = sight.viewer === null && sight.people.includes(sight.mover);
  const wasCovered = !element("curtain").hidden;
  element("curtain").hidden = !isCovered;
  for (const part of document.querySelectorAll("header, main")) part.inert = isCovered;
  element("curtain-title").textContent = sight.status;
  if (isCovered) element("uncover").focus();
  else if (wasCovered) buttons()[0]?.focus();
}

async function showHint() {
  say("notice", `${sight.adviser} is thinking about a hint`);
  const version = sight.version;
  const hint = await wish("hint");
  if (sight.version !== version) return;
  say("notice", "");
  if (!hint) return;
  element("hint-title").textContent = `${hint.by} would ${hint.text}`;
  fill("reasons", hint.reasons.map((reason) => item(reason)));
  element("hint-box").hidden = false;
  for (const button of buttons())
    button.classList.toggle("hinted", +button.dataset.action === hint.action);
  markPieces("shown", sight.choices.find((choice) => choice.action === hint.action).pieces);
}

// --- clicking pieces -----------------------------------------------------------------------------

function pieces() {
  return [...element("picture").querySelectorAll("[data-piece]")];
}

function buttons() {
  return [...element("choices").querySelectorAll("button")];
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

/** The legal actions whose pieces hold all those selected. */
function possible(selected) {
  return sight.choices.filter((choice) => contains(count(choice.pieces), selected));
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
  if (meant() && left.length === 1) change("play", { action: left[0].action });
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
  const open = new Set(sight.choices.flatMap((choice) => choice.pieces));
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
  rove(pieces().filter((piece) => open.has(piece.dataset.piece)));
  element("selection").hidden = !selection.size;
  element("play").disabled = !meant();
  element("selected").textContent = meant() ? meant().text : `${left.length} actions fit`;
}

/** Whether some action wants a piece once more than it is selected. */
function isWanted(name, choices) {
  return choices.some((choice) => count(choice.pieces).get(name) > (selection.get(name) || 0));
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
  const openPieces = pieces().filter((one) => one.classList.contains("open"));
  if (event.key === "Escape" && sight) clear();
  else if (piece && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    select(piece.dataset.piece);
  } else if (move(buttons(), event.key) || move(openPieces, event.key)) event.preventDefault();
}

// --- the buttons ---------------------------------------------------------------------------------

async function save() {
  if (sight.payoffs) {
    const link = document.createElement("a");
    link.href = "replay";
    link.download = "";
    link.click();
    return;
  }
  const answer = await wish("save");
  if (answer)
    say("notice", `Saved to ${answer.saved} in the folder in which \`celtica play\` runs. ` +
      "After the end the file comes through the browser; before, it would tell hidden cards.");
}

function begin() {
  const isRunning = !sight.payoffs && sight.deeds.length;
  if (!isRunning || confirm("Give up this game and begin a new one?")) change("new");
}

element("undo").addEventListener("click", () => change("undo"));
element("hint").addEventListener("click", showHint);
element("save").addEventListener("click", save);
element("new").addEventListener("click", begin);
element("play").addEventListener("click", () => change("play", { action: meant().action }));
element("clear").addEventListener("click", clear);
element("uncover").addEventListener("click", () => change("uncover"));
document.addEventListener("keydown", pressed);
keepLooking();
